"""Styled lines: runs of text with the name of a style, wrapped and padded by terminal cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, chop_cells

# A blank that does not break (U+00A0) is part of a word.
_WORD = re.compile(r"[^\S\u00a0]*[\S\u00a0]+")


class Span(NamedTuple):
    """A run of text.

    `style` holds names of styles with a space between them (see `theme`); `action` names what a click on it does.
    """

    text: str
    style: str = ""
    action: str = ""


Line = tuple[Span, ...]
BLANK: Line = ()


def line(*parts: Span | str) -> Line:
    """A line from spans and plain strings; empty parts are left out."""
    spans = (part if isinstance(part, Span) else Span(part) for part in parts)
    return tuple(span for span in spans if span.text)


def with_commands(text: str, style: str = "") -> list[Span]:
    """`text` in `style`, with what stands between backticks (a command to type) in bold in their place."""
    pieces = re.split(r"`([^`\n]+)`", text)
    return [
        Span(piece, f"strong {style}".strip() if at % 2 else style)
        for at, piece in enumerate(pieces)
        if piece
    ]


def plain(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def width_of(spans: Iterable[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def restyled(spans: Line, style: str) -> Line:
    return tuple(span._replace(style=f"{style} {span.style}".strip()) for span in spans)


def wrap(spans: Sequence[Span], width: int) -> list[Line]:
    """`spans` as lines of at most `width` cells, broken between words and, where a word is longer, inside it."""
    lines: list[Line] = []
    # Each newline in the spans ends a line.
    raws: list[list[Span]] = [[]]
    for span in spans:
        first, *rest = span.text.expandtabs(4).split("\n")
        raws[-1].append(span._replace(text=first))
        raws.extend([span._replace(text=text)] for text in rest)
    for raw in raws:
        text = plain(raw)
        if len(text) <= width and cell_len(text) <= width:
            lines.append(tuple(span for span in raw if span.text))
            continue
        lines.extend(_cut(raw, list(_breaks(text, max(1, width)))))
    return lines


def wrap_whole(parts: Iterable[Line], width: int) -> list[Line]:
    """`parts` with three blanks between them; none is broken but one that is wider than a line."""
    lines: list[Line] = []
    for part in parts:
        joined = (*lines[-1], Span("   "), *part) if lines else part
        if lines and width_of(joined) <= width:
            lines[-1] = joined
        else:
            lines += wrap(part, width)
    return lines


def pad(spans: Line, width: int, *, right: bool = False, style: str = "") -> Line:
    """The line filled with blanks to `width` cells, on its left when `right` aligned."""
    missing = width - width_of(spans)
    if missing <= 0:
        return spans
    blank = Span(" " * missing, style)
    return (blank, *spans) if right else (*spans, blank)


def clip(text: str, width: int) -> str:
    """`text` on one line of at most `width` cells, with … where it was cut."""
    flat = " ".join(text.split())
    if cell_len(flat) <= width:
        return flat
    if width < 2:
        return ""
    return (chop_cells(flat, width - 1) or [""])[0].rstrip() + "…"


def ends_apart(left: Line, right: Line, width: int) -> Line:
    """One line with `left` at its beginning and `right` at its end; `right` goes when there is no room for both."""
    gap = width - width_of(left) - width_of(right)
    if gap < 1:
        return left
    return (*left, Span(" " * gap), *right)


def _breaks(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Start and end offsets of the lines of `text`; blanks at a break belong to no line."""
    start = end = used = 0
    for word in _WORD.finditer(text):
        cells = cell_len(word.group())
        if used + cells <= width:
            used, end = used + cells, word.end()
            continue
        if end > start:
            yield start, end
        bare = word.group().lstrip()
        start, end = word.end() - len(bare), word.end()
        used = cell_len(bare)
        if used > width:
            *whole, last = chop_cells(bare, width)
            for piece in whole:
                yield start, start + len(piece)
                start += len(piece)
            used = cell_len(last)
    yield start, max(end, start)


def _cut(spans: Sequence[Span], ranges: Sequence[tuple[int, int]]) -> list[Line]:
    lines = []
    index, base = 0, 0
    for start, end in ranges:
        while index < len(spans) and base + len(spans[index].text) <= start:
            base += len(spans[index].text)
            index += 1
        found, at, offset = [], index, base
        while at < len(spans) and offset < end:
            span = spans[at]
            text = span.text[max(0, start - offset) : end - offset]
            if text:
                found.append(span._replace(text=text))
            offset += len(span.text)
            at += 1
        lines.append(tuple(found))
    return lines
