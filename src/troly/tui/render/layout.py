"""Where every message of a conversation stands: only those near the reader are rendered, the others are estimated."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from itertools import accumulate
from typing import NamedTuple

from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView
from troly.tui.render.figures import day_name
from troly.tui.render.message import SLICE, BlockRows, MessageLines, Press, estimated_rows, usual_press
from troly.tui.render.spans import BLANK, Line

# Rendered messages further from the reader than the near ones are let go once there are many.
MANY, NEAR = 100, 30


class Place(NamedTuple):
    """A row told by a message: `offset` rows below the head of the message `key`, above it where negative."""

    key: int
    offset: int


class ConversationLayout:
    """The rows of one conversation.

    Rows count from 0 at the first line above the messages. What is rendered has its exact height; the rest has an
    estimate until it is measured, so rows may move: keep a `Place`, not a row.
    """

    def __init__(self) -> None:
        self.width = 0
        self.lang: Lang = "vi"
        self.press: Press = usual_press
        self.above: Sequence[Line] = ()
        self.views: list[MessageView] = []
        self.height = 0
        self._today = date.min
        self._rows: dict[int, int] = {}
        self._exact: set[int] = set()
        self._rendered: dict[int, MessageLines] = {}
        self._index: dict[int, int] = {}
        self._starts: list[int] = [0]

    # What is to be shown.

    def sync(
        self, views: Sequence[MessageView], above: Sequence[Line], width: int, lang: Lang, today: date
    ) -> None:
        """Take the messages as they are now, for a width in cells, in a language, on a day."""
        if (width, lang, today) != (self.width, self.lang, self._today):
            self._forget(keep_rows=width == self.width)
            self.width, self.lang, self._today = width, lang, today
        self.above = above
        # Whatever changes the order changes the number: messages are added, never put in another's place.
        if len(views) != len(self.views) or (views and views[0] is not self.views[0]):
            self.views = list(views)
            self._index = {view.key: index for index, view in enumerate(views)}
            for view in views:
                if view.key not in self._rows:
                    self._rows[view.key] = estimated_rows(view, width)
        for key in list(self._rendered):
            index = self._index.get(key)
            if index is None:
                del self._rendered[key]
            else:
                self._measure(index)
        self._add_up()

    def _forget(self, *, keep_rows: bool) -> None:
        """Another width or language: only what is looked at is rendered again, and a text being written goes on."""
        self._exact.clear()
        self._rendered = {key: lines for key, lines in self._rendered.items() if not lines.view.finished}
        if not keep_rows:
            self._rows.clear()
            self.views = []

    # Rows and places.

    def place(self, row: int, rows: int) -> Place:
        """`row` by the first measured message within `rows` rows of it: what the reader sees stays where it is."""
        if not self.views:
            return Place(0, row)
        first = self._at(row)
        for index in range(first, len(self.views)):
            if self._starts[index] >= row + rows:
                break
            key = self.views[index].key
            if key in self._exact:
                return Place(key, row - self.head(index))
        # Only a rendered message tells where its head is.
        self._measure(first)
        self._add_up()
        return Place(self.views[first].key, row - self.head(first))

    def row(self, place: Place) -> int:
        """Where `place` is now, at most the end of its message; the same row as before for a message that is gone."""
        index = self._index.get(place.key)
        if index is None:
            return place.offset
        return min(self.head(index) + place.offset, self._starts[index + 1] - 1)

    def head(self, index: int) -> int:
        """The row of the line with the name of message `index`."""
        lines = self._rendered.get(self.views[index].key)
        return self._starts[index] + (lines.head if lines is not None else 0)

    def span(self, key: int) -> tuple[int, int]:
        """First row with its name, and the row of the blank line after it; (0, 0) for a message that is gone."""
        index = self._index.get(key)
        return (0, 0) if index is None else (self.head(index), self._starts[index + 1] - 1)

    def blocks(self, key: int) -> list[BlockRows]:
        """The parts of a message with their rows; [] for a message that is gone."""
        index = self._index.get(key)
        if index is None:
            return []
        self._lines(index)
        start = self._starts[index]
        return [
            BlockRows(part, start + begin, start + end) for part, begin, end in self._renderer(index).blocks
        ]

    def first_row(self, key: int) -> int:
        """The first row of a message, its line with a day included; 0 for a message that is gone."""
        index = self._index.get(key)
        return 0 if index is None else self._starts[index]

    def message_at(self, row: int) -> MessageView | None:
        """The message that `row` belongs to."""
        return self.views[self._at(row)] if self.views and row >= self._starts[0] else None

    def index_of(self, key: int) -> int | None:
        return self._index.get(key)

    # Lines.

    def line(self, row: int) -> Line | None:
        if row < self._starts[0]:
            return self.above[row] if row < len(self.above) else BLANK
        if not self.views or row >= self.height:
            return None
        index = self._at(row)
        lines = self._lines(index)
        offset = row - self._starts[index]
        return lines[offset] if offset < len(lines) else BLANK

    def all(self) -> list[Line]:
        lines = [*self.above, *([BLANK] if self.views else [])]
        for index in range(len(self.views)):
            lines.extend(self._renderer(index).lines(self.width, self.lang, self._day(index)))
        return lines

    def lines_of(self, key: int) -> list[Line]:
        index = self._index.get(key)
        return [] if index is None else self._lines(index)

    def text_of(self, index: int) -> str:
        return sanitize(self.views[index].text)

    # Measuring.

    @property
    def behind(self) -> bool:
        """Whether a message that is looked at is not rendered to its end."""
        return any(lines.behind for lines in self._rendered.values())

    def look(self, place: Place, rows: int, margin: int) -> int:
        """Measure `rows` rows from `place` and `margin` rows before and after; returns the row of `place`."""
        index = self._index.get(place.key, 0)
        if self.views:
            below = place.offset + rows + margin
            for at in range(index, len(self.views)):
                if below <= 0:
                    break
                below -= self._measure(at)
            self._measure_back(index, margin - min(0, place.offset))
            self._add_up()
            self._let_go(index)
        return self.row(place)

    def look_at_answer(self, rows: int) -> None:
        """Measure the last `rows` rows, and all from the newest question on."""
        self._measure_back(len(self.views), rows)
        asked = self.newest_question()
        for index in range(len(self.views) if asked is None else asked, len(self.views)):
            self._measure(index)
        self._add_up()
        self._let_go(len(self.views))

    def newest_question(self) -> int | None:
        """The place in the order of what the person said last."""
        return next((at for at in range(len(self.views) - 1, -1, -1) if self.views[at].who == "user"), None)

    def measured(self, key: int) -> None:
        index = self._index.get(key)
        if index is not None:
            self._measure(index)
            self._add_up()

    def _measure_back(self, index: int, rows: int) -> None:
        while index > 0 and rows > 0:
            index -= 1
            rows -= self._measure(index)

    def _measure(self, index: int) -> int:
        """Render a message and note its height; one that is not rendered to its end is at least as high as estimated."""
        view = self.views[index]
        lines = self._renderer(index)
        count = len(lines.lines(self.width, self.lang, self._day(index), SLICE))
        if lines.behind and view.finished:
            self._exact.discard(view.key)
            count = max(count, estimated_rows(view, self.width))
        else:
            self._exact.add(view.key)
        self._rows[view.key] = count
        return count

    def _lines(self, index: int) -> list[Line]:
        return self._renderer(index).rendered(self.width, self.lang, self._day(index), SLICE)

    def _renderer(self, index: int) -> MessageLines:
        view = self.views[index]
        lines = self._rendered.get(view.key)
        if lines is None:
            lines = self._rendered[view.key] = MessageLines(view, self.press)
        return lines

    def _let_go(self, near: int) -> None:
        if len(self._rendered) <= MANY:
            return
        self._rendered = {
            key: lines
            for key, lines in self._rendered.items()
            if abs(self._index[key] - near) <= NEAR or not lines.view.finished
        }

    def _day(self, index: int) -> str:
        """The name of the day that begins with a message; "" where none does: the head of a conversation names its first."""
        view = self.views[index]
        day = view.time.date()
        if not index and not view.before:
            return ""
        before = self.views[index - 1].time.date() if index else self._today
        return day_name(day, self._today, self.lang) if day != before else ""

    def _at(self, row: int) -> int:
        return max(0, min(bisect_right(self._starts, row) - 1, len(self.views) - 1))

    def _add_up(self) -> None:
        first = len(self.above) + (1 if self.views else 0)
        rows = self._rows
        self._starts = list(accumulate((rows[view.key] for view in self.views), initial=first))
        self.height = self._starts[-1]
