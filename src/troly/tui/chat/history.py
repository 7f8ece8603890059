"""Saved messages as the screen shows them, with the source, steps and typed content that their turns kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from troly.plugin.events import Content, Notice, from_json
from troly.stores.handovers import STAFF, colleague_of
from troly.stores.wrong_answers import WrongAnswers
from troly.text.catalogue import Lang, tr
from troly.tui.chat.view import MessageView, StepView, Trouble, WrongReport, message, usage_of

if TYPE_CHECKING:
    from troly.conversation.session import Session
    from troly.stores.records import StoredMessage, StoredTurn


def message_page(
    session: Session, conversation: str, limit: int, *, before: str | None = None
) -> list[MessageView]:
    """The newest `limit` messages, or the newest before the message `before`, with times in the session's zone.

    A page begins with a question, so that no answer is parted from its turn; where older messages are saved its first
    view says what asks for them. Raises AccessError, StoreError.
    """
    store, login = session.services.conversations, session.profile.login
    saved = store.messages(login, conversation, limit=limit, before=before)
    whole = len(saved) < limit
    first = next((at for at, m in enumerate(saved) if m.turn_id is None or m.sender == "user"), 0)
    page = saved if whole else saved[first:]
    turns = store.turns(login, conversation, ids={m.turn_id for m in page if m.turn_id})
    views = message_views(page, turns, session.zone)
    marks = WrongAnswers(store).in_conversation(login, conversation)
    for view in views:
        if view.who == "assistant" and view.turn in marks:
            view.wrong = WrongReport(marks[view.turn].reason, marks[view.turn].note)
    if views and not whole:
        views[0].before = page[0].id
    return views


def message_views(
    messages: Sequence[StoredMessage], turns: Iterable[StoredTurn], zone: tzinfo | None = None
) -> list[MessageView]:
    """`messages` in order, with times in `zone`; the last answer of each turn carries what the turn kept."""
    by_id = {turn.id: turn for turn in turns}
    last = {m.turn_id: index for index, m in enumerate(messages) if m.turn_id and m.sender == "assistant"}
    views: list[MessageView] = []
    for index, saved in enumerate(messages):
        said_at = saved.created_at.astimezone(zone) if zone else saved.created_at
        view = message(saved.sender, said_at, saved.text, kind=saved.type)
        if saved.sender == "user":
            view.turn = saved.turn_id or ""
        elif saved.type == STAFF:
            view.saved, view.colleague = saved.id, colleague_of(saved)
        turn = by_id.get(saved.turn_id or "")
        views.append(view)
        if turn is None:
            continue
        view.language = language_of(turn)
        if last.get(turn.id) == index:
            _finish(view, turn)
            view.cut = bool(saved.metadata.get("cut"))
        elif saved.sender == "user" and turn.id not in last and turn.status != "running":
            empty = message("assistant", said_at, "", language=view.language)
            _finish(empty, turn)
            views.append(empty)
    if len(views) > 1 and not views[0].language:
        # The greeting is in the language of the question that it came with.
        views[0].language = views[1].language
    return views


def language_of(turn: StoredTurn) -> str:
    """The language of an answer, "" where its trace does not tell."""
    return str(turn.trace.get("language") or "") if isinstance(turn.trace, Mapping) else ""


def card_from(saved: Mapping[str, Any], lang: Lang = "vi") -> Content:
    """Typed content from its JSON; a remark in `lang` in place of what this version does not know."""
    try:
        event = from_json(saved)
    except ValueError:
        return Notice("info", tr("ui.card.newer", lang))
    return event if isinstance(event, Content) else Notice("info", tr("ui.card.newer", lang))


def _finish(view: MessageView, turn: StoredTurn) -> None:
    trace = turn.trace if isinstance(turn.trace, Mapping) else {}
    view.source, view.calls, view.ms = turn.source or "", turn.calls, turn.ms
    view.turn, view.spent = turn.id, usage_of(trace.get("calls") or ())
    view.parts += [card_from(saved, view.spoken("vi")) for saved in trace.get("content", ())]
    view.steps = [_step(step) for step in trace.get("steps", ())]
    if turn.status in ("failed", "stopped", "interrupted"):
        error = turn.error if isinstance(turn.error, Mapping) else {}
        view.state = "failed" if turn.status == "failed" else "stopped"
        view.kind = turn.status
        view.trouble = Trouble(*(str(error.get(name, "")) for name in ("title", "message", "remedy")))


def _step(saved: Mapping[str, Any]) -> StepView:
    node, agent, tool, source, detail = (
        str(saved.get(name) or "") for name in ("node", "agent", "tool", "source", "detail")
    )
    ms = saved.get("ms")
    took = float(ms) if ms is not None else None
    return StepView(node, agent, tool, source, detail, took, failed=bool(saved.get("failed")))
