"""The conformance suite: what every mode, built-in or third-party, must keep; run it on your own mode in a test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from troly.conversation.greeting import open_conversation
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin.contract import Mode
from troly.plugin.events import Event, StepFinished, StepStarted, TurnCompleted, TurnFailed
from troly.plugin.registry import contract_problems
from troly.text.catalogue import LANGS

PATIENCE = 30.0
HOSTILE = (
    "[TENANT] [/b] [@click=app.quit]x[/]",
    "\x1b]52;c;aGk=\x07\x1b[31mđỏ\u202eoder",
    "🙂🙂🙂",
    "x" * 20_000,
    "{} {0} {{stub}} %s",
    "Kiểm tra giúp tôi nhé",
)


async def check_mode(mode: Mode, session: Session) -> list[str]:
    """All that `mode` does against the contract, one sentence each; empty when it conforms.

    `session.registry` must know the mode. No model is asked: a mode must work without one.
    """
    problems = contract_problems(mode.id, mode)
    checks: tuple[Callable[[Mode, Session], AsyncIterator[str]], ...] = (_declares, _opens, _answers, _stops)
    for check in checks:
        problems += [problem async for problem in check(mode, session)]
    return problems


async def _declares(mode: Mode, session: Session) -> AsyncIterator[str]:
    for lang in LANGS:
        mode.data_status(session.services, lang)
        if len(mode.summaries[lang].splitlines()) != 1:
            yield f"its summary in {lang} is not one line"


async def _opens(mode: Mode, session: Session) -> AsyncIterator[str]:
    for lang in LANGS:
        conversation, said = await open_conversation(session, mode.id, lang)
        if conversation.mode != mode.id:
            yield "a new conversation does not carry its mode"
        if any(not message.text.strip() for message in said):
            yield f"it opens a conversation in {lang} with an empty message"


async def _answers(mode: Mode, session: Session) -> AsyncIterator[str]:
    asked = [question for lang in LANGS for question in mode.first_questions[lang]]
    for text in (*asked, *HOSTILE):
        events = await _collect(mode, session, text)
        for problem in _judge(mode, events):
            yield f"{problem} (asked {text[:40]!r})"


async def _stops(mode: Mode, session: Session) -> AsyncIterator[str]:
    turn = run_turn(session, TurnRequest(mode.id, "xin chào", offline=True))
    events = []
    async for event in turn.events():
        events.append(event)
        turn.cancel()
    if not isinstance(events[-1], TurnCompleted | TurnFailed):
        yield "a stopped turn does not end in a terminal event"
    stored = await asyncio.to_thread(session.services.conversations.turn, session.profile.login, turn.turn_id)
    if stored.status not in ("stopped", "completed"):
        yield f"a stopped turn is saved as {stored.status}"


async def _collect(mode: Mode, session: Session, text: str) -> list[Event]:
    turn = run_turn(session, TurnRequest(mode.id, text, offline=True))

    async def drain() -> list[Event]:
        return [event async for event in turn.events()]

    waiting: Awaitable[list[Event]] = asyncio.wait_for(drain(), PATIENCE)
    return await waiting


def _judge(mode: Mode, events: list[Event]) -> list[str]:
    terminal = [event for event in events if isinstance(event, TurnCompleted | TurnFailed)]
    if len(terminal) != 1 or events[-1] is not terminal[0]:
        return [f"it ends {len(terminal)} times"]
    end = terminal[0]
    if isinstance(end, TurnFailed):
        return [f"it fails without a model: {end.title}: {end.message}"]
    problems = []
    if not end.text.strip():
        problems.append("its answer is empty")
    if set(end.state) != set(mode.state_fields):
        problems.append(f"its state has {sorted(end.state)}, it declares {sorted(mode.state_fields)}")
    if end.source == "model" or end.calls:
        problems.append("it says that a model answered, though none was there")
    try:
        json.dumps(dict(end.state))
    except (TypeError, ValueError):
        problems.append("its state is not JSON")
    started = [event.node for event in events if isinstance(event, StepStarted)]
    finished = [event.node for event in events if isinstance(event, StepFinished)]
    if sorted(started) != sorted(finished) or not started:
        problems.append(f"its steps started {started} and finished {finished}")
    return problems
