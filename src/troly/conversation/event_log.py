"""All events of one turn in a small form for its trace, and back again as the JSON lines that were told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Line = dict[str, Any]
# Steps and typed content stand elsewhere in the trace, the text of the answer in the pieces of its tokens.
TOKENS, STEP, CONTENT, OTHER, END = "t", "s", "c", "e", "z"


class EventLog:
    """Collects entries; `entries` is JSON."""

    def __init__(self) -> None:
        self.entries: list[list[Any]] = []

    def token(self, text: str) -> None:
        """The next piece of the answer; pieces that follow one another share an entry."""
        last = self.entries[-1] if self.entries else None
        if last is not None and last[0] == TOKENS:
            last[1].append(text)
        else:
            self.entries.append([TOKENS, [text]])

    def step(self, index: int) -> None:
        """The end of a step, which is number `index` of the trace's steps."""
        self.entries.append([STEP, index])

    def content(self, index: int) -> None:
        """Typed content number `index` of the trace."""
        self.entries.append([CONTENT, index])

    def replaced(self, index: int, line: Line) -> None:
        """Content number `index` is another one from now on; until now it was `line`."""
        for entry in self.entries:
            if entry == [CONTENT, index]:
                entry[:] = [OTHER, line]

    def other(self, line: Line) -> None:
        """Any other event, whole."""
        self.entries.append([OTHER, line])

    def ended(self, line: Line, state: Any, streamed: str) -> list[list[Any]]:
        """All entries with the terminal one, without what is saved elsewhere (`state` as it is saved, the text)."""
        kept = dict(line)
        if "state" in kept and kept["state"] == state:
            del kept["state"]
        if kept.get("text") == streamed:
            del kept["text"]
        packed = [
            [TOKENS, "".join(entry[1]), list(map(len, entry[1]))] if entry[0] == TOKENS else entry
            for entry in self.entries
        ]
        return [*packed, [END, kept]]


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
                pieces = list(_cut(*rest))
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


def written(line: Mapping[str, Any]) -> str:
    """An event's JSON line in the one form in which lines are compared."""
    return json.dumps(line, ensure_ascii=False, sort_keys=True, default=str)


def _cut(text: str, lengths: Sequence[int]) -> Iterable[str]:
    at = 0
    for length in lengths:
        yield text[at : at + length]
        at += length
