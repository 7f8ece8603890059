"""Keeps what a turn says and does: the text so far, the messages to save, and the trace behind the evidence view."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from troly.conversation.event_log import EventLog
from troly.plugin.events import (
    Event,
    ModelCalled,
    Plan,
    Progress,
    Say,
    Source,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.text.sanitize import sanitize


class Recorder:
    """Takes the events of one turn in order, cleans their strings, and passes them on until the terminal one."""

    def __init__(self, sink: Callable[[Event], None]) -> None:
        self._sink = sink
        self._pieces: list[str] = []
        self.said: list[Say] = []
        self.steps: list[StepFinished] = []
        self.content: list[dict[str, Any]] = []
        self.log = EventLog()
        self.ended = False

    @property
    def streamed(self) -> str:
        """What was written of the answer itself."""
        return "".join(self._pieces).strip()

    @property
    def text(self) -> str:
        """All that was said in this turn, as shown: short messages first, then the answer."""
        said = [say.text for say in self.said if say.message_type != "greeting"]
        return "\n\n".join(part for part in (*said, self.streamed) if part)

    @property
    def source(self) -> Source:
        """Who answered, by the steps: `mixed` when both model and rules decided something."""
        found = {step.source for step in self.steps if step.source}
        if found == {"model"}:
            return "model"
        return "mixed" if len(found) > 1 or "mixed" in found else "rules"

    def take(self, event: Event) -> None:
        """Keep `event` and pass it on. After the terminal event everything is dropped: a turn ends once."""
        if self.ended:
            return
        cleaned: Event = clean(event)
        match cleaned:
            case Token():
                self._pieces.append(cleaned.text)
                self.log.token(cleaned.text)
            case Say():
                self.said.append(cleaned)
                self.log.other(to_json(cleaned))
            case StepFinished():
                self.steps.append(cleaned)
                self.log.step(len(self.steps) - 1)
            case TurnCompleted() | TurnFailed():
                self.ended = True
            case StepStarted() | Progress() | TurnStarted() | ModelCalled():
                self.log.other(to_json(cleaned))
            case _:
                self._keep(to_json(cleaned))
        self._sink(cleaned)

    def _keep(self, card: dict[str, Any]) -> None:
        """Typed content at the end; the plan as it stands now goes where the turn's plan stood before."""
        same = (at for at, kept in enumerate(self.content) if kept["event"] == card["event"] == Plan.__name__)
        place = next(same, None)
        if place is None:
            self.content.append(card)
            place = len(self.content) - 1
        else:
            self.log.replaced(place, self.content[place])
            self.content[place] = card
        self.log.content(place)

    def trace(self, calls: list[Any]) -> dict[str, Any]:
        """What the evidence view, replay and the metrics read: steps, typed content, model calls."""
        return {
            "steps": [_without_event(to_json(step)) for step in self.steps],
            "content": self.content,
            "calls": [dataclasses.asdict(call) for call in calls],
        }


def clean(value: Any) -> Any:
    """`value` with control sequences taken out of every string in it, dataclasses and mappings included."""
    if isinstance(value, str):
        return sanitize(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {f.name: clean(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(clean(item) for item in value)
    return value


def _without_event(line: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in line.items() if key != "event"}
