"""Keeps what a turn says and does: the text so far, the messages to save, and the trace behind the evidence view."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from troly.plugin.events import (
    Event,
    ModelCalled,
    ModelLoading,
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

Line = dict[str, Any]
# Steps and typed content stand elsewhere in the trace, the text of the answer in the pieces of its tokens.
TOKENS, STEP, CONTENT, OTHER, END = "t", "s", "c", "e", "z"


def event_lines(trace: Mapping[str, Any], state: Any) -> list[Line] | None:
    """The events of a saved turn as they were told; None where the trace does not hold them.

    `state` is the turn's saved state.
    """
    entries = trace.get("events")
    if not isinstance(entries, list):
        return None
    lines: list[Line] = []
    said: list[str] = []
    for kind, *rest in entries:
        match kind:
            case "t":
                text, lengths = rest
                ends = [0, *accumulate(lengths)]
                pieces = [text[begin:end] for begin, end in pairwise(ends)]
                said += pieces
                lines += [{"event": "Token", "text": piece} for piece in pieces]
            case "s":
                lines.append({"event": "StepFinished", **trace["steps"][rest[0]]})
            case "c":
                lines.append(dict(trace["content"][rest[0]]))
            case "z":
                end = dict(rest[0])
                end.setdefault("text", "".join(said).strip())
                if end.get("event") == "TurnCompleted":
                    end.setdefault("state", state)
                lines.append(end)
            case _:
                lines.append(dict(rest[0]))
    return lines


def json_line(line: Mapping[str, Any]) -> str:
    """An event's JSON line in the one form in which lines are compared."""
    return json.dumps(line, ensure_ascii=False, sort_keys=True, default=str)


class Recorder:
    """Takes the events of one turn in order, cleans their strings, and passes them on until the terminal one.

    `entries` are all events in a small form for the trace; `event_lines` reads them back.
    """

    def __init__(self, sink: Callable[[Event], None]) -> None:
        self._sink = sink
        self._pieces: list[str] = []
        self.said: list[Say] = []
        self.steps: list[StepFinished] = []
        self.content: list[dict[str, Any]] = []
        self.entries: list[list[Any]] = []
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
                # Pieces that follow one another share an entry.
                if self.entries and self.entries[-1][0] == TOKENS:
                    self.entries[-1][1].append(cleaned.text)
                else:
                    self.entries.append([TOKENS, [cleaned.text]])
            case Say():
                self.said.append(cleaned)
                self.entries.append([OTHER, to_json(cleaned)])
            case StepFinished():
                self.entries.append([STEP, len(self.steps)])
                self.steps.append(cleaned)
            case TurnCompleted() | TurnFailed():
                self.ended = True
            case ModelLoading():  # of this moment only: a replay loads nothing
                pass
            case StepStarted() | Progress() | TurnStarted() | ModelCalled():
                self.entries.append([OTHER, to_json(cleaned)])
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
            for entry in self.entries:
                if entry == [CONTENT, place]:
                    entry[:] = [OTHER, self.content[place]]
            self.content[place] = card
        self.entries.append([CONTENT, place])

    def trace(self, calls: Sequence[Any]) -> dict[str, Any]:
        """What the evidence view, replay and the metrics read: steps, typed content, model calls."""
        steps = [to_json(step) for step in self.steps]
        return {
            "steps": [{name: one for name, one in step.items() if name != "event"} for step in steps],
            "content": self.content,
            "calls": [dataclasses.asdict(call) for call in calls],
        }

    def ended_entries(self, line: Line, state: Any) -> list[list[Any]]:
        """All entries with the terminal `line`, without what is saved elsewhere (`state` as it is saved, the text)."""
        kept = dict(line)
        if "state" in kept and kept["state"] == state:
            del kept["state"]
        if kept.get("text") == self.streamed:
            del kept["text"]
        packed = [
            [TOKENS, "".join(entry[1]), list(map(len, entry[1]))] if entry[0] == TOKENS else entry
            for entry in self.entries
        ]
        return [*packed, [END, kept]]


def clean(value: Any) -> Any:
    """`value` with control sequences taken out of every string in it, dataclasses and mappings included."""
    if isinstance(value, str):
        return sanitize(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if names := _field_names(value.__class__):
        old = ((name, getattr(value, name)) for name in names)
        changes = {name: new for name, item in old if (new := clean(item)) is not item}
        return dataclasses.replace(value, **changes) if changes else value
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(clean(item) for item in value)
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass; () for any other type."""
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
