"""Finds words in the messages of one conversation, a slice of time after another, newest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from time import monotonic
from typing import NamedTuple

from troly.tui.render.marks import looked_for
from troly.tui.view import MessageView, TextPart


class Hit(NamedTuple):
    """One match: the message, and the number of the match in it from 0."""

    key: int
    number: int


class Finder:
    """The matches in `messages()`, which may grow at both ends; they count from the newest, 1 is the last one."""

    def __init__(self, messages: Callable[[], Sequence[MessageView]]) -> None:
        self._messages = messages
        self._texts: dict[int, tuple[int, str]] = {}
        self._counts: dict[int, tuple[int, int]] = {}
        self._hits: list[Hit] = []
        self.wanted = ""
        self.current: Hit | None = None

    def look_for(self, text: str) -> None:
        """Begin anew with other words; nothing is found before `work`."""
        self.wanted = looked_for(text)
        self._counts, self._hits, self.current = {}, [], None

    def work(self, seconds: float) -> bool:
        """Look through messages that were not looked at, or have changed, for so long; True when none is left."""
        end, messages = monotonic() + seconds, self._messages()
        changed = False
        for view in reversed(messages) if self.wanted else ():
            known = self._counts.get(view.key)
            if known is not None and known[0] == view.revision:
                continue
            self._counts[view.key] = (view.revision, self._text(view).count(self.wanted))
            changed = True
            if monotonic() >= end:
                self._collect(messages)
                return False
        if changed:
            self._collect(messages)
        return True

    @property
    def count(self) -> int:
        """How many matches are known."""
        return len(self._hits)

    @property
    def at(self) -> int:
        """Which of them is the current one, 1 for the newest; 0 for none."""
        return self._hits.index(self.current) + 1 if self.current in self._hits else 0

    def begin(self, newest: Sequence[int]) -> Hit | None:
        """Make the first match current that is in one of the messages `newest` (keys, newest first), else the newest."""
        order = {key: place for place, key in enumerate(newest)}
        self.current = next((hit for hit in self._hits if hit.key in order), None) or (
            self._hits[0] if self._hits else None
        )
        return self.current

    def step(self, by: int) -> Hit | None:
        """Make the match `by` places older current, from the oldest on to the newest."""
        if self._hits:
            self.current = self._hits[(self.at - 1 + by) % len(self._hits)]
        return self.current

    def _collect(self, messages: Sequence[MessageView]) -> None:
        found: list[Hit] = []
        for view in reversed(messages):
            count = self._counts.get(view.key, (0, 0))[1]
            found += [Hit(view.key, number) for number in range(count - 1, -1, -1)]
        self._hits = found

    def _text(self, view: MessageView) -> str:
        kept = self._texts.get(view.key)
        if kept is None or kept[0] != view.revision:
            said = (
                part.text if isinstance(part, TextPart) else "\n".join(strings(part)) for part in view.parts
            )
            kept = self._texts[view.key] = (view.revision, looked_for("\n".join(said)))
        return kept[1]


def strings(value: object) -> Iterator[str]:
    """All texts inside typed content, in the order of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from strings(getattr(value, one.name))
