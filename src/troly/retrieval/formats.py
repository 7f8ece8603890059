"""Readers for plain text, Markdown and CSV."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from troly.retrieval.documents import Block, Document, Unit
from troly.retrieval.encodings import decode
from troly.retrieval.outline import Outline, legal_level, row_text
from troly.text.csv_text import find_delimiter

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT = re.compile(r"\A---\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.MULTILINE)
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"[ \t]*(?:={2,}|-{2,})[ \t]*$")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+\S")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL = re.compile(r"(?<!\\)\|")


def read_text(path: Path, data: bytes) -> Document:
    """Plain text: paragraphs between blank lines, list items, and numbered headings (`Điều 5. …`)."""
    decoded = decode(path, data)
    lines = _Lines(markdown=False)
    lines.read(decoded.text, first_line=1)
    return Document("", lines.outline.finish(), "txt", decoded.encoding, decoded.guessed)


def read_markdown(path: Path, data: bytes) -> Document:
    """Markdown: headings, list items, table rows and fenced code; comments are dropped, other marks stay."""
    decoded = decode(path, data)
    text, title, skipped = decoded.text, "", 0
    if front := _FRONT.match(text):
        named = _FRONT_TITLE.search(front[1])
        title = named[1].strip(" \"'") if named else ""
        skipped, text = front[0].count("\n"), text[front.end() :]
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = _Lines(markdown=True)
    lines.read(text, first_line=skipped + 1)
    blocks = lines.outline.finish()
    return Document(title or lines.title, blocks, "md", decoded.encoding, decoded.guessed)


class _Lines:
    """Reads lines one after the other; what is open (a paragraph, an item, a table, a fence) is closed by the next."""

    def __init__(self, *, markdown: bool) -> None:
        self.outline = Outline()
        self.title = ""
        self._markdown = markdown
        self._open: list[str] = []
        self._start = 0
        self._item = False
        self._fence = ""
        self._header: list[str] | None = None

    def read(self, text: str, first_line: int) -> None:
        for number, line in enumerate(text.split("\n"), first_line):
            if not (self._fenced(line, number) or self._heading(line, number) or self._table(line, number)):
                self._prose(line, number)
        self._close()

    def _prose(self, line: str, number: int) -> None:
        self._header = None
        if not line.strip():
            self._close()
            return
        if _ITEM.match(line):
            self._close()
            self._item = True
        if not self._open:
            self._start = number
        self._open.append(line.rstrip())

    def _fenced(self, line: str, number: int) -> bool:
        found = _FENCE.match(line) if self._markdown else None
        if self._fence:
            if found and found[1] == self._fence:
                self._fence = ""
                self._close()
            else:
                self._open.append(line.rstrip())
            return True
        if found:
            self._close()
            self._fence, self._start = found[1], number
        return bool(found)

    def _heading(self, line: str, number: int) -> bool:
        level, text = legal_level(line), line
        if self._markdown and (found := _HEADING.match(line)):
            level, text = len(found[1]), found[2]
        elif self._underlines(line):
            level, text = (1 if "=" in line else 2), self._open.pop()
        if level is None:
            return False
        self._close()
        self.outline.heading(level, text, f"line:{number}")
        self.title = self.title or (text.strip() if level == 1 else "")
        return True

    def _underlines(self, line: str) -> bool:
        """Whether `line` makes a heading of the one open line above it."""
        open_line = self._markdown and not self._item and len(self._open) == 1 and "|" not in self._open[0]
        return open_line and _UNDERLINE.match(line) is not None

    def _table(self, line: str, number: int) -> bool:
        if not self._markdown or "|" not in line:
            return False
        if self._header is not None:
            self.outline.add(row_text(self._header, _cells(line)), f"line:{number}", "row")
            return True
        if len(self._open) >= 1 and "|" in self._open[-1] and _RULE.match(line):
            header = _cells(self._open.pop())
            self._close()
            self._header = header
            return True
        return False

    def _close(self) -> None:
        if self._open:
            unit: Unit = "item" if self._item else "prose"
            self.outline.add("\n".join(self._open), f"line:{self._start}", unit)
        self._open.clear()
        self._item = False


def _cells(line: str) -> list[str]:
    return [cell.replace("\\|", "|").strip() for cell in _CELL.split(line.strip().strip("|"))]


def read_csv(path: Path, data: bytes) -> Document:
    """CSV with a header line: each row a block `column: value; …`, numbered as a spreadsheet does (header = 1)."""
    decoded = decode(path, data)
    lines = decoded.text.split("\n")
    if lines[0].lower().startswith("sep="):
        lines = lines[1:]
    delimiter = find_delimiter(next((line for line in lines if line.strip()), ""))
    try:
        rows = list(csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True))
    except csv.Error:
        # A quote that is never closed would swallow the rows after it: without quoting no row is lost.
        rows = [line.split(delimiter) for line in lines]
    filled = [(number, row) for number, row in enumerate(rows, 1) if any(map(str.strip, row))]
    header, body = (filled[0][1] if filled else []), filled[1:]
    # A header alone is all that the file says.
    shown = [(number, row_text(header, row)) for number, row in body] or [(1, row_text([], header))]
    blocks = [Block(text, (), f"row:{number}", "row") for number, text in shown]
    return Document("", tuple(blocks), "csv", decoded.encoding, decoded.guessed)
