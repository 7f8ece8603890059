"""Collecting blocks under their headings while a reader walks through a document."""

from __future__ import annotations

import re

from troly.retrieval.documents import Block, Unit

# Vietnamese rules and contracts number their parts in words; the order is the nesting.
_LEGAL = re.compile(r"(phần|chương|mục|điều)\s+(\d+|[ivxlc]+)\s*(?:[.:]\s*\S.*|[.:]?)$", re.IGNORECASE)
_LEGAL_LEVELS = {"phần": 1, "chương": 2, "mục": 3, "điều": 4}
_LEGAL_MAX = 120


def legal_level(line: str) -> int | None:
    """The nesting of a heading such as `Chương II` or `Điều 5. Nghỉ phép`, or None when `line` is no such heading."""
    line = line.strip()
    if len(line) > _LEGAL_MAX or line.endswith((".", ";", ",")):
        return None
    found = _LEGAL.match(line)
    return _LEGAL_LEVELS[found[1].lower()] if found else None


def row_text(header: list[str], cells: list[str]) -> str:
    """One table row as `column: value; column: value`; empty cells are left out, surplus ones have no name."""
    parts = []
    for index, cell in enumerate(cells):
        value = " ".join(cell.split())
        name = " ".join(header[index].split()) if index < len(header) else ""
        if value:
            parts.append(f"{name}: {value}" if name else value)
    return "; ".join(parts)


class Outline:
    """The blocks so far, each with the headings above it.

    A heading that gets nothing under it becomes a block of its own: its words are not lost.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []
        self._bare = False
        self._bare_where = ""

    def heading(self, level: int, text: str, where: str = "") -> None:
        """Everything added from now on stands under `text`."""
        text = " ".join(text.split())
        if not text:
            return
        if self._bare and level <= self._path[-1][0]:
            self._flush()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, text))
        self._bare, self._bare_where = True, where

    def add(self, text: str, where: str = "", unit: Unit = "prose") -> None:
        """Add a paragraph, list item or table row; blank text is ignored."""
        if text.strip():
            self._bare = False
            self.blocks.append(Block(text.strip(), tuple(name for _, name in self._path), where, unit))

    def finish(self) -> tuple[Block, ...]:
        """All blocks, in order."""
        if self._bare:
            self._flush()
        return tuple(self.blocks)

    def _flush(self) -> None:
        names = [name for _, name in self._path]
        self.blocks.append(Block(names[-1], tuple(names[:-1]), self._bare_where))
        self._bare = False
