"""Cuts a Markdown block that has grown too long in two that look as one, so that no paint has to do all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

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


def halves(source: str, tokens: Sequence[Token]) -> Halves | None:
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
