"""A growing Markdown text as lines: finished blocks are rendered once, only the last one again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from troly.text.sanitize import sanitize
from troly.tui.render.markdown import CODE_HEAD, block_starts, parse, token_lines
from troly.tui.render.spans import BLANK, Line

if TYPE_CHECKING:
    from markdown_it.token import Token


# Emphasis and brackets cost more than their length: a paragraph is cut earlier than blocks made of lines.
LONGEST_PARAGRAPH = 8_000
LONGEST_BLOCK = 20_000
# An opening bracket is compared with all that follow.
BRACKET = 16
# A paragraph is cut at a blank where there is one so near its end.
NEAR = 200
Halves = tuple[str, str]


def weight(text: str) -> int:
    """What it costs to parse `text` as a paragraph, in characters."""
    return len(text) + BRACKET * text.count("[")


def split_block(source: str, tokens: Sequence[Token]) -> Halves | None:
    """The finished part of the one block that `source` is, and what the open part begins with; None to leave it whole."""
    if not tokens or weight(source) <= LONGEST_PARAGRAPH:
        return None
    kind = tokens[0].type
    if kind == "paragraph_open":
        blank = max(source.rfind(sign, len(source) - NEAR) for sign in "\n ")
        return (source[: blank + 1], source[blank + 1 :]) if blank > 0 else (source, "")
    cut = _CUTS.get(kind)
    return cut(source, tokens) if cut is not None and len(source) > LONGEST_BLOCK else None


def _at_last_line(source: str, _tokens: Sequence[Token]) -> Halves | None:
    head, sign, last = source.rpartition("\n")
    return (head, last) if sign and head else None


def _fence(source: str, tokens: Sequence[Token]) -> Halves | None:
    """The open part begins with the same fence."""
    opening = source.partition("\n")[0]
    parts = _at_last_line(source, tokens)
    if parts is None or parts[0] == opening or parts[1].startswith(tokens[0].markup):
        return None
    return parts[0], f"{opening}\n{parts[1]}"


def _table(source: str, tokens: Sequence[Token]) -> Halves | None:
    """The open part begins with the same head."""
    lines = source.split("\n")
    parts = _at_last_line(source, tokens)
    if parts is None or len(lines) < 4:
        return None
    return parts[0], "\n".join([*lines[:2], parts[1]])


def _list(source: str, tokens: Sequence[Token]) -> Halves | None:
    """At the beginning of its last item; numbered items bring their numbers along."""
    starts = [
        token.map[0] for token in tokens if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    if len(starts) < 2:
        return None
    lines = source.split("\n")
    return "\n".join(lines[: starts[-1]]), "\n".join(lines[starts[-1] :])


_CUTS: Mapping[str, Callable[[str, Sequence[Token]], Halves | None]] = {
    "blockquote_open": _at_last_line,
    "fence": _fence,
    "table_open": _table,
    "bullet_list_open": _list,
    "ordered_list_open": _list,
}


# An escape sequence may arrive in pieces: what follows the last ESC is held back until it must be whole.
LONGEST_SEQUENCE = 64
# How much of a long text is taken in at once.
PIECE = LONGEST_PARAGRAPH


class MarkdownBlock(NamedTuple):
    """A finished block; one that goes on where the block before was cut has no blank line above it.

    `tokens` are kept until it is rendered for the first time.
    """

    source: str
    goes_on: bool = False
    tokens: Sequence[Token] | None = None


class WorkBudget:
    """How many characters may still be worked on; None is any number. Counted, not timed: the same on every machine."""

    def __init__(self, most: int | None) -> None:
        self._left = most

    def spent(self, letters: int) -> bool:
        """Take off what was worked on; True when nothing is left."""
        if self._left is None:
            return False
        self._left -= letters
        return self._left <= 0


class MarkdownStream:
    """Text that arrives in pieces.

    `lines(width)` costs the last block only, however long the text before it is. With a limit a long text is
    worked off over several calls; `behind` says that there is more.
    """

    def __init__(self, text: str = "") -> None:
        self._held = ""
        self._waiting = ""
        self._done: list[MarkdownBlock] = []
        self._tail = ""
        self._cut = False
        self._last: Sequence[Token] = ()
        self._width = 0
        self._done_lines: list[Line] = []
        self._rendered = 0
        self._lines: list[Line] | None = None
        if text:
            self.feed(text)
            self.finish()

    def feed(self, text: str) -> None:
        text = self._held + text
        cut = text.rfind("\x1b")
        if cut < 0 or len(text) - cut > LONGEST_SEQUENCE:
            cut = len(text)
        self._held = text[cut:]
        self._waiting += sanitize(text[:cut])
        self._lines = None

    def finish(self) -> None:
        if self._held:
            self._waiting += sanitize(self._held)
            self._held = ""
            self._lines = None

    @property
    def behind(self) -> bool:
        """Whether there is text that the lines do not show yet."""
        return bool(self._waiting) or self._rendered < len(self._done)

    def lines(self, width: int, most: int | None = None) -> list[Line]:
        """The text in lines of at most `width` cells; the list is not to be changed.

        `most` is how many characters one call may work on, about; what is left is done by the next.
        """
        if width != self._width:
            self._width, self._rendered, self._lines = width, 0, None
            self._done_lines = []
        if self._lines is None or self.behind:
            self._work(WorkBudget(most))
            whole = self._rendered == len(self._done)
            tail = self._lines_of(self._last, goes_on=self._cut) if whole else []
            gap = [BLANK] if tail and self._done_lines and not self._cut else []
            self._lines = [*self._done_lines, *gap, *tail]
        return self._lines

    def _work(self, allowed: WorkBudget) -> None:
        """Take in and render what waits, as far as is allowed; a little in any case."""
        while True:
            self._render_done(allowed)
            if not self._waiting or self._rendered < len(self._done):
                return
            before = len(self._waiting)
            self._take()
            self._last = self._freeze()
            if allowed.spent(before - len(self._waiting)):
                self._render_done(allowed)
                return

    def _take(self) -> None:
        """Move a piece of what waits into the open block; a block that only grows gets larger and larger ones."""
        size = max(PIECE, len(self._tail))
        if weight(self._waiting[:size]) > 2 * size:
            size //= BRACKET // 2
        if len(self._waiting) > size:
            blank = max(self._waiting.rfind(sign, size - NEAR, size) for sign in "\n ")
            size = blank + 1 if blank > 0 else size
        self._tail += self._waiting[:size]
        self._waiting = self._waiting[size:]

    def _freeze(self) -> Sequence[Token]:
        """Move all blocks but the last to the finished ones; returns the tokens of the last."""
        tokens = parse(self._tail)
        starts = block_starts(tokens)
        if len(starts) > 1:
            source = self._tail.split("\n")
            for begin, end in pairwise(starts):
                self._close("\n".join(source[begin:end]))
            self._tail = "\n".join(source[starts[-1] :])
            tokens = parse(self._tail)
        parts = split_block(self._tail, tokens)
        if parts is not None:
            self._close(parts[0], None if parts[1] else tokens)
            self._tail, self._cut = parts[1], True
            tokens = parse(self._tail)
        return tokens

    def _close(self, source: str, tokens: Sequence[Token] | None = None) -> None:
        self._done.append(MarkdownBlock(source, self._cut, tokens))
        self._cut = False

    def _render_done(self, allowed: WorkBudget) -> None:
        while self._rendered < len(self._done):
            block = self._done[self._rendered]
            if self._done_lines and not block.goes_on:
                self._done_lines.append(BLANK)
            tokens = block.tokens or parse(block.source)
            self._done_lines.extend(self._lines_of(tokens, goes_on=block.goes_on))
            self._done[self._rendered] = block._replace(tokens=None)
            self._rendered += 1
            if allowed.spent(len(block.source)):
                return

    def _lines_of(self, tokens: Sequence[Token], *, goes_on: bool) -> list[Line]:
        """The lines of blocks; code that goes on has no second line with its language."""
        lines = token_lines(tokens, self._width)
        head = lines[0][-1].style if goes_on and lines and lines[0] else ""
        return lines[1:] if head.endswith(CODE_HEAD) else lines
