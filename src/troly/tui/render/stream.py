"""A growing Markdown text as lines: finished blocks are rendered once, only the last one again and again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from troly.text.sanitize import sanitize
from troly.tui.render.markdown import block_starts, parse, token_lines
from troly.tui.render.spans import BLANK, Line

if TYPE_CHECKING:
    from markdown_it.token import Token

# An escape sequence may arrive in pieces: what follows the last ESC is held back until it must be whole.
LONGEST_SEQUENCE = 64
# A block this long is painted as it is so far and closed: the cost of one paint stays small.
LONGEST_BLOCK = 20_000


class MarkdownStream:
    """Text that arrives in pieces.

    `lines(width)` costs the last block only, however long the text before it is.
    """

    def __init__(self, text: str = "") -> None:
        self._held = ""
        self._done: list[str] = []
        self._tail = ""
        self._width = 0
        self._done_lines: list[Line] = []
        self._rendered = 0
        self._lines: list[Line] | None = None
        if text:
            self.feed(text)
            self.finish()

    def feed(self, text: str) -> None:
        """Add `text` at the end."""
        text = self._held + text
        cut = text.rfind("\x1b")
        if cut < 0 or len(text) - cut > LONGEST_SEQUENCE:
            cut = len(text)
        self._held = text[cut:]
        self._tail += sanitize(text[:cut])
        self._lines = None

    def finish(self) -> None:
        """No more text will come."""
        self._tail += sanitize(self._held)
        self._held = ""
        self._lines = None

    def lines(self, width: int) -> list[Line]:
        """The whole text in lines of at most `width` cells; the list is not to be changed."""
        if width != self._width:
            self._width, self._rendered, self._lines = width, 0, None
            self._done_lines = []
        if self._lines is None:
            last = self._freeze()
            self._render_done()
            tail = token_lines(last, width)
            gap = [BLANK] if tail and self._done_lines else []
            self._lines = [*self._done_lines, *gap, *tail]
        return self._lines

    def _freeze(self) -> Sequence[Token]:
        """Move all blocks but the last to the finished ones; returns the tokens of the last."""
        tokens = parse(self._tail)
        starts = block_starts(tokens)
        if len(starts) > 1:
            source = self._tail.split("\n")
            for begin, end in pairwise(starts):
                self._done.append("\n".join(source[begin:end]))
            self._tail = "\n".join(source[starts[-1] :])
            tokens = parse(self._tail)
        if len(self._tail) > LONGEST_BLOCK and tokens and tokens[0].type == "paragraph_open":
            self._done.append(self._tail)
            self._tail = ""
            return []
        return tokens

    def _render_done(self) -> None:
        for source in self._done[self._rendered :]:
            if self._done_lines:
                self._done_lines.append(BLANK)
            self._done_lines.extend(token_lines(parse(source), self._width))
        self._rendered = len(self._done)
