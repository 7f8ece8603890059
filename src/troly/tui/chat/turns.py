"""Events of a turn applied to the messages of its pane, with what its model calls cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from troly.plugin.events import (
    Content,
    Event,
    Handoff,
    ModelCalled,
    ModelLoading,
    Plan,
    Progress,
    Say,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.tui.chat.view import MessageView, Pane, StepView, TextPart, Trouble, message

# Below this time a rate says nothing.
_SHORTEST = 0.2
# Of a token, in both languages about; the exact rate comes with the end of the call.
LETTERS = 3.5


@dataclass(slots=True)
class ModelUsage:
    """Sums over the calls of one answer.

    `used` of `window` tokens is the fullest context of a call; `ttft_ms` and `rate` (tokens a second) are of the call
    that wrote last, `host` the server that did where there are several. Of the call that is running `letters` came
    after the first piece at `since`.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    used: int = 0
    window: int = 0
    ttft_ms: float | None = None
    rate: float | None = None
    letters: int = 0
    since: datetime | None = None
    host: str = ""

    def heard(self, text: str, now: datetime) -> None:
        """A piece of the answer came: a token, or a sentence that was held back until it was whole."""
        if self.since is None:
            self.since = now
        else:
            self.letters += len(text)

    def call(self, call: Mapping[str, Any]) -> None:
        """A call ended; the names are those of the event `ModelCalled`."""
        said, asked = call.get("completion_tokens") or 0, call.get("prompt_tokens") or 0
        self.letters, self.since = 0, None
        if call.get("kind") == "embed":
            return
        self.host = call.get("host") or self.host
        self.prompt_tokens += asked
        self.completion_tokens += said
        window = call.get("window") or 0
        if window and (asked + said) * (self.window or 1) >= self.used * window:
            self.used, self.window = asked + said, window
        first = call.get("ttft_ms")
        if first is not None and (call.get("kind") == "stream" or self.ttft_ms is None):
            self.ttft_ms = float(first)
            writing = (float(call.get("ms") or 0.0) - self.ttft_ms) / 1000
            self.rate = said / writing if said > 1 and writing > 0 else None

    def running_rate(self, now: datetime) -> float | None:
        """About how many tokens a second the running call writes; None where there is none or it has just begun."""
        seconds = (now - self.since).total_seconds() if self.since else 0.0
        return self.letters / LETTERS / seconds if seconds >= _SHORTEST and self.letters else None


def usage_of(calls: Iterable[Mapping[str, Any]]) -> ModelUsage | None:
    """The sums of saved calls; None without any."""
    found = None
    for call in calls:
        found = found or ModelUsage()
        found.call(call)
    return found


STOPPED = "turn.stopped"


def apply_event(pane: Pane, event: Event, now: Callable[[], datetime]) -> bool:
    """Change `pane` by one event of its running turn; True when the turn has ended."""
    answer = pane.answer
    if answer is None:
        return False
    answer.heard(new=isinstance(event, Token | Say | Content))
    match event:
        case Token():
            answer.progress = None
            answer.write(event.text)
            if answer.spent is not None:
                answer.spent.heard(event.text, now())
        case Say():
            _say(pane, answer, event, now)
        case StepStarted() | StepFinished() | ModelCalled() | TurnStarted():
            _go_on(answer, event)
            if isinstance(event, TurnStarted):
                _speak(pane, answer, event.language)
        case Progress() | ModelLoading():
            answer.progress = event
        case TurnCompleted():
            _complete(pane, answer, event)
            return True
        case TurnFailed():
            _fail(pane, answer, event)
            return True
        case _:
            _put(pane, answer, event)
    return False


def _first_words(text: str) -> str:
    """What an urgent answer says first, and the first thing that it says to do, without its Markdown."""
    lines = [line.strip() for line in text.replace("*", "").splitlines() if line.strip()]
    head = lines[0].partition(". ")[0].rstrip(".") + "." if lines else ""
    to_do = next((line[2:] for line in lines if line.startswith(("- ", "• "))), "")
    return " ".join(part for part in (head, to_do) if part)


def _go_on(answer: MessageView, event: StepStarted | StepFinished | ModelCalled | TurnStarted) -> None:
    """What stands behind the answer, not in it."""
    match event:
        case StepStarted():
            answer.steps.append(StepView(event.node, event.agent, event.tool, began=answer.waited))
        case StepFinished():
            _finish_step(answer, event)
        case TurnStarted():
            answer.turn, answer.spent, answer.steps = event.turn, ModelUsage(), []
        case ModelCalled():
            if isinstance(answer.progress, ModelLoading):
                answer.progress = None
            answer.spent = answer.spent or ModelUsage()
            answer.spent.call(asdict(event))


def _speak(pane: Pane, answer: MessageView, language: str) -> None:
    """A question, its answer and what is said around them are in one language."""
    answer.language = language
    place = pane.messages.index(answer)
    if place and (asked := pane.messages[place - 1]).who == "user":
        asked.language = language
        asked.revision += 1


def _put(pane: Pane, answer: MessageView, event: Content) -> None:
    """Typed content at the end; a plan as it stands now goes where it stood before."""
    if isinstance(event, Handoff):
        pane.alarm = " · ".join(part for part in (event.reason, event.hotline) if part)
        pane.for_person = True
    place = next((at for at, part in enumerate(answer.parts) if isinstance(part, Plan)), None)
    if isinstance(event, Plan) and place is not None:
        answer.parts[place] = event
    else:
        answer.parts.append(event)


def _say(pane: Pane, answer: MessageView, event: Say, now: Callable[[], datetime]) -> None:
    """A message of its own: a greeting comes before the question, anything else before the answer."""
    place = pane.messages.index(answer)
    if event.message_type == "greeting" and place and pane.messages[place - 1].who == "user":
        place -= 1
    said = message("assistant", now(), event.text, kind=event.message_type, language=answer.language)
    pane.messages.insert(place, said)


def _finish_step(answer: MessageView, event: StepFinished) -> None:
    step = next(
        (
            s
            for s in answer.steps
            if s.ms is None and (s.node, s.agent, s.tool) == (event.node, event.agent, event.tool)
        ),
        None,
    )
    if step is None:
        step = StepView(event.node, event.agent, event.tool)
        answer.steps.append(step)
    step.ms, step.source, step.detail, step.failed = event.ms, event.source or "", event.detail, event.failed


def _complete(pane: Pane, answer: MessageView, event: TurnCompleted) -> None:
    """The answer as the turn says it: streamed text stays unless the final text differs from it."""
    answer.state, answer.kind, answer.stale = "done", event.message_type, False
    answer.cut = bool(event.metadata.get("cut"))
    if event.metadata.get("urgent"):
        pane.alarm = _first_words(event.text)
    answer.source, answer.calls, answer.ms = event.source, event.calls, event.ms
    _settle(pane, answer, event.text)


def _fail(pane: Pane, answer: MessageView, event: TurnFailed) -> None:
    answer.state = "stopped" if event.code == STOPPED else "failed"
    answer.calls, answer.ms, answer.stale = event.calls, event.ms, False
    answer.trouble = Trouble(event.title, event.message, event.remedy)
    for step in answer.steps:
        step.failed = step.failed or step.ms is None
    if event.text:
        _settle(pane, answer, event.text)


def _settle(pane: Pane, answer: MessageView, text: str) -> None:
    answer.progress = None
    final = _without_said(pane, answer, text)
    written = [part for part in answer.parts if isinstance(part, TextPart)]
    if "".join(part.text for part in written).strip() == final:
        return
    place = answer.parts.index(written[0]) if written else 0
    rest = [part for part in answer.parts if not isinstance(part, TextPart)]
    answer.parts = [*rest[:place], *([TextPart([final])] if final else []), *rest[place:]]


def _without_said(pane: Pane, answer: MessageView, text: str) -> str:
    """The final text without the short messages that stand before the answer already."""
    place = pane.messages.index(answer)
    said: list[str] = []
    for view in reversed(pane.messages[:place]):
        if view.who == "user":
            break
        said.insert(0, view.text.strip())
    text = text.strip()
    for short in said:
        if short and text.startswith(short):
            text = text[len(short) :].strip()
    return text
