"""Markdown as styled lines: one pass over markdown-it tokens; of a text that grows only the last block is rendered again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from troly.text.sanitize import sanitize
from troly.tui.render.spans import BLANK, Line, Span, clip, pad, restyled, wrap
from troly.tui.render.tables import table_lines

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

QUIET = ("html_block", "html_inline", "entity", "reference", "lheading", "code")
# The style that tells the first line of a block of code; it looks like nothing.
CODE_HEAD = "code-head"
_MARKS = {"strong": "strong", "em": "em", "s": "strike", "link": "link"}


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and strike-through, without the rules that make text vanish or change.

    A reference definition would disappear, an entity could become a control character, a line above dashes would
    become a heading, and an indented answer would become code.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable(list(QUIET))
    made.block.ruler.before("paragraph", "outdented", _ends_item, {"alt": ["paragraph"]})
    return made


def _ends_item(state: StateBlock, line: int, _last: int, silent: bool) -> bool:
    """A line that stands further left than its list item is a paragraph of its own, without a blank line above too."""
    return silent and 0 <= state.sCount[line] < state.blkIndent


@cache
def plain_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero")


def parse(text: str) -> list[Token]:
    """The block tokens of `text`; one that is nested so deep that the parser would leave text out is plain text."""
    tokens = parser().parse(text)
    deepest = parser().options["maxNesting"] - 1
    return plain_parser().parse(text) if any(token.level >= deepest for token in tokens) else tokens


def code_blocks(text: str) -> list[tuple[str, str]]:
    """Language and code of each block of code in `text`, in order."""
    return [(token.info.partition(" ")[0], token.content) for token in parse(text) if token.type == "fence"]


def markdown_lines(text: str, width: int) -> list[Line]:
    return token_lines(parse(text), max(width, 4))


def token_lines(tokens: Sequence[Token], width: int) -> list[Line]:
    """The blocks of `tokens` with one blank line between them."""
    lines: list[Line] = []
    for token, inner in _blocks(tokens):
        tight = token.type == "paragraph_open" and token.hidden
        if lines and not tight and not (token.type.endswith("_list_open") and token.level > 0):
            lines.append(BLANK)
        lines.extend(_HANDLERS.get(token.type, _other)(token, inner, max(width, 4)))
    return lines


def inline_spans(tokens: Sequence[Token]) -> list[Span]:
    """The spans of inline tokens; a link shows its address after its text when they differ."""
    spans: list[Span] = []
    styles: list[str] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        name = token.type.removesuffix("_open").removesuffix("_close")
        if token.type.endswith("_open"):
            styles.append(_MARKS.get(name, ""))
            if name == "link":
                links.append((str(token.attrGet("href") or ""), len(spans)))
        elif token.type.endswith("_close"):
            styles.pop()
            if name == "link":
                href, start = links.pop()
                shown = "".join(span.text for span in spans[start:])
                if href and href not in (shown, f"mailto:{shown}"):
                    spans.append(Span(f" ({href})", "dim"))
        else:
            spans.append(_leaf(token, " ".join(style for style in styles if style)))
    return spans


def _leaf(token: Token, style: str) -> Span:
    match token.type:
        case "softbreak" | "hardbreak":
            return Span("\n", style)
        case "code_inline":
            return Span(token.content, f"{style} code".strip())
        case "image":
            return Span(f"{token.content} ({token.attrGet('src')})".strip(), f"{style} link".strip())
    return Span(token.content, style)


def _blocks(tokens: Sequence[Token]) -> list[tuple[Token, Sequence[Token]]]:
    """Each top block of `tokens` with the tokens inside it."""
    found: list[tuple[Token, Sequence[Token]]] = []
    index = 0
    while index < len(tokens):
        begin = index
        if tokens[index].nesting == 1:
            level = tokens[index].level
            index += 1
            while tokens[index].level != level or tokens[index].nesting != -1:
                index += 1
        found.append((tokens[begin], tokens[begin + 1 : index]))
        index += 1
    return found


def _paragraph(_token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    return wrap(inline_spans(inner[0].children or ()), width) if inner else []


def _heading(token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    style = "heading" if token.tag in ("h1", "h2") else "strong"
    return [restyled(text, style) for text in _paragraph(token, inner, width)]


def _quote(_token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    return [(Span("│ ", "dim"), *restyled(text, "quote")) for text in token_lines(inner, width - 2)]


def _fence(token: Token, _inner: Sequence[Token], width: int) -> list[Line]:
    """A block of code on its own ground under a line with its language; long lines are folded, never cut."""
    language = clip(token.info.partition(" ")[0], width) or " "
    source = token.content.removesuffix("\n")
    lines: list[Line] = [(Span(language, f"dim {CODE_HEAD}"),)]
    folded = wrap([Span(source, "code")], width - 2)
    return [*lines, *(pad((Span(" ", "code"), *text), width, style="code") for text in folded)]


def _rule(_token: Token, _inner: Sequence[Token], width: int) -> list[Line]:
    return [(Span("─" * width, "dim"),)]


def _list(token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    number = int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None
    items = _blocks(inner)
    loose = any(part.type == "paragraph_open" and not part.hidden for _, parts in items for part in parts)
    last = f"{(number or 0) + len(items) - 1}. "
    lines: list[Line] = []
    for index, (_, parts) in enumerate(items):
        mark = "• " if number is None else f"{number + index}. ".rjust(len(last))
        if lines and loose:
            lines.append(BLANK)
        rows = token_lines(parts, width - len(mark)) or [BLANK]
        head, rest = Span(mark, "dim"), Span(" " * len(mark))
        lines += [(rest if index else head, *text) for index, text in enumerate(rows)]
    return lines


def _table(_token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    rows: list[list[list[Span]]] = []
    right: set[int] = set()
    for index, token in enumerate(inner):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            if "right" in str(token.attrGet("style") or ""):
                right.add(len(rows[-1]))
            rows[-1].append(inline_spans(inner[index + 1].children or ()))
    return table_lines(rows[0], rows[1:], width, right) if rows else []


def _other(token: Token, inner: Sequence[Token], width: int) -> list[Line]:
    if inner:
        return token_lines(inner, width)
    return wrap([Span(token.content)], width) if token.content else []


_HANDLERS: dict[str, Callable[[Token, Sequence[Token], int], list[Line]]] = {
    "paragraph_open": _paragraph,
    "heading_open": _heading,
    "blockquote_open": _quote,
    "fence": _fence,
    "hr": _rule,
    "bullet_list_open": _list,
    "ordered_list_open": _list,
    "table_open": _table,
}


# A growing text.

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


def _cut_last_line(source: str, _tokens: Sequence[Token]) -> Halves | None:
    head, sign, last = source.rpartition("\n")
    return (head, last) if sign and head else None


def _cut_fence(source: str, tokens: Sequence[Token]) -> Halves | None:
    """The open part begins with the same fence."""
    opening = source.partition("\n")[0]
    parts = _cut_last_line(source, tokens)
    if parts is None or parts[0] == opening or parts[1].startswith(tokens[0].markup):
        return None
    return parts[0], f"{opening}\n{parts[1]}"


def _cut_table(source: str, tokens: Sequence[Token]) -> Halves | None:
    """The open part begins with the same head."""
    lines = source.split("\n")
    parts = _cut_last_line(source, tokens)
    if parts is None or len(lines) < 4:
        return None
    return parts[0], "\n".join([*lines[:2], parts[1]])


def _cut_list(source: str, tokens: Sequence[Token]) -> Halves | None:
    """At the beginning of its last item; numbered items bring their numbers along."""
    starts = [
        token.map[0] for token in tokens if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    if len(starts) < 2:
        return None
    lines = source.split("\n")
    return "\n".join(lines[: starts[-1]]), "\n".join(lines[starts[-1] :])


_CUTS: Mapping[str, Callable[[str, Sequence[Token]], Halves | None]] = {
    "blockquote_open": _cut_last_line,
    "fence": _cut_fence,
    "table_open": _cut_table,
    "bullet_list_open": _cut_list,
    "ordered_list_open": _cut_list,
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
        # How many characters this call may still work on. Counted, not timed: the same on every machine.
        self._left = math.inf
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
            self._left = math.inf if most is None else most
            self._work()
            whole = self._rendered == len(self._done)
            tail = self._lines_of(self._last, goes_on=self._cut) if whole else []
            gap = [BLANK] if tail and self._done_lines and not self._cut else []
            self._lines = [*self._done_lines, *gap, *tail]
        return self._lines

    def _work(self) -> None:
        """Take in and render what waits, as far as is allowed; a little in any case."""
        while True:
            self._render_done()
            if not self._waiting or self._rendered < len(self._done):
                return
            before = len(self._waiting)
            self._take()
            self._last = self._freeze()
            self._left -= before - len(self._waiting)
            if self._left <= 0:
                self._render_done()
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
        starts = [token.map[0] for token in tokens if token.level == 0 and token.map and token.nesting >= 0]
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

    def _render_done(self) -> None:
        while self._rendered < len(self._done):
            block = self._done[self._rendered]
            if self._done_lines and not block.goes_on:
                self._done_lines.append(BLANK)
            tokens = block.tokens or parse(block.source)
            self._done_lines.extend(self._lines_of(tokens, goes_on=block.goes_on))
            self._done[self._rendered] = block._replace(tokens=None)
            self._rendered += 1
            self._left -= len(block.source)
            if self._left <= 0:
                return

    def _lines_of(self, tokens: Sequence[Token], *, goes_on: bool) -> list[Line]:
        """The lines of blocks; code that goes on has no second line with its language."""
        lines = token_lines(tokens, self._width)
        head = lines[0][-1].style if goes_on and lines and lines[0] else ""
        return lines[1:] if head.endswith(CODE_HEAD) else lines
