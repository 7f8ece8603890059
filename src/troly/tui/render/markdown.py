"""Markdown as styled lines: one pass over markdown-it tokens, so that a growing answer can be painted often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

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


def block_starts(tokens: Sequence[Token]) -> list[int]:
    """The first source line of each top-level block."""
    return [token.map[0] for token in tokens if token.level == 0 and token.map and token.nesting >= 0]


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
