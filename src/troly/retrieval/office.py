"""Readers for PDF and Word documents."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import InputError
from troly.retrieval.documents import Document, show
from troly.retrieval.outline import Outline, legal_level, row_text

if TYPE_CHECKING:
    from pypdf import PdfReader

_MAX_PAGES = 5000
_MAX_UNPACKED = 300 * 1024 * 1024
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_STYLE_LEVEL = re.compile(r"heading (\d)$", re.IGNORECASE)
_SENTENCE_END = (".", "!", "?", ":", ";", "…")


def read_pdf(path: Path, data: bytes) -> Document:
    """The text layer of a PDF, page by page (`page:3`). Raises InputError for an encrypted or damaged file."""
    from pypdf import PdfReader

    # pypdf logs each oddity of a file; without a handler Python would write them across the screen.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    outline = Outline()
    try:
        reader = PdfReader(BytesIO(data), strict=False)
        title = _open_pdf(path, reader)
        for number, page in enumerate(reader.pages, 1):
            _add_page(outline, page.extract_text(), f"page:{number}")
    except InputError:
        raise
    except Exception as error:  # a damaged PDF makes pypdf raise almost anything
        raise InputError("knowledge.damaged", path=show(path), kind="PDF") from error
    return Document(title, outline.finish(), "pdf")


def _open_pdf(path: Path, reader: PdfReader) -> str:
    if reader.is_encrypted and not _unlock(reader):
        raise InputError("knowledge.encrypted", path=show(path))
    if len(reader.pages) > _MAX_PAGES:
        raise InputError("knowledge.pages", path=show(path), size=len(reader.pages), limit=_MAX_PAGES)
    return str((reader.metadata.title if reader.metadata else "") or "")


def _unlock(reader: PdfReader) -> bool:
    try:
        return bool(reader.decrypt(""))
    except Exception:  # noqa: BLE001 (an unknown cipher or a missing library: it stays locked)
        return False


def _add_page(outline: Outline, text: str, where: str) -> None:
    paragraph: list[str] = []
    for line in [*(part.strip() for part in text.split("\n")), ""]:
        level = legal_level(line)
        if line and level is None:
            paragraph.append(line)
            continue
        outline.add(_unwrap(paragraph), where)
        paragraph.clear()
        if level is not None:
            outline.heading(level, line, where)


def _unwrap(lines: list[str]) -> str:
    """Lines of a paragraph joined, with a line end kept where a sentence or an entry ended."""
    text = ""
    for line in lines:
        broken = text and not text.endswith(_SENTENCE_END) and line[:1].islower()
        text += (" " if broken else "\n" if text else "") + line
    return text


def read_docx(path: Path, data: bytes) -> Document:
    """Paragraphs, list items and table rows of a Word document. Raises InputError for an encrypted or damaged file."""
    import docx

    if data.startswith(_OLE):
        raise InputError("knowledge.encrypted", path=show(path))
    try:
        _check_unpacked(path, data)
        document = docx.Document(BytesIO(data))
        reader = _Word(document)
        return Document(document.core_properties.title or reader.title, reader.outline.finish(), "docx")
    except InputError:
        raise
    except Exception as error:  # zipfile, lxml and python-docx raise many kinds
        raise InputError("knowledge.damaged", path=show(path), kind="DOCX") from error


def _check_unpacked(path: Path, data: bytes) -> None:
    import zipfile

    with zipfile.ZipFile(BytesIO(data)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > _MAX_UNPACKED:
        size, limit = (f"{value / 1024 / 1024:.0f} MB" for value in (unpacked, _MAX_UNPACKED))
        raise InputError("knowledge.large", path=show(path), size=size, limit=limit)


class _Word:
    """Walks a body in its order; python-docx leaves out what stands in content controls and tracked insertions."""

    def __init__(self, document: Any) -> None:
        self.outline = Outline()
        self.title = ""
        self._styles = {style.style_id: style.name or "" for style in document.styles}
        for element in _flow(document.element.body):
            if element.tag == f"{_W}p":
                self._paragraph(element)
            else:
                self._table(element)

    def _paragraph(self, element: Any) -> None:
        text = _text(element)
        style_of = element.find(f"{_W}pPr/{_W}pStyle")
        style = self._styles.get(style_of.get(f"{_W}val"), "") if style_of is not None else ""
        level = int(found[1]) if (found := _STYLE_LEVEL.match(style)) else legal_level(text)
        if style == "Title":
            level = 0
        if level is not None:
            self.title = self.title or (text.strip() if level <= 1 else "")
            self.outline.heading(level, text)
            return
        listed = style.startswith("List") or element.find(f"{_W}pPr/{_W}numPr") is not None
        self.outline.add(text, unit="item" if listed else "prose")

    def _table(self, table: Any) -> None:
        rows = [[_cell(cell) for cell in row.iter(f"{_W}tc")] for row in table.findall(f"{_W}tr")]
        rows = [row for row in rows if any(map(str.strip, row))]
        header = rows[0] if len(rows) > 1 and all(map(str.strip, rows[0])) and len(rows[0]) > 1 else []
        for row in rows[1:] if header else rows:
            self.outline.add(row_text(header, row), unit="row")


def _flow(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables under `parent`, also inside content controls and tracked insertions."""
    for element in parent:
        if element.tag in {f"{_W}p", f"{_W}tbl"}:
            yield element
        elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _flow(element)


def _cell(cell: Any) -> str:
    # A nested table's cells come after this one in the row: only the paragraphs of this cell are its own.
    return " ".join(_text(paragraph) for paragraph in _flow(cell) if paragraph.tag == f"{_W}p")


def _text(paragraph: Any) -> str:
    """The words of a paragraph; deleted text has another tag, and a drawing's fallback repeats its text box."""
    repeated = {node for fallback in paragraph.iter(_FALLBACK) for node in fallback.iter()}
    marks = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n"}
    nodes = paragraph.iter(f"{_W}t", *marks)
    return "".join(marks.get(node.tag) or node.text or "" for node in nodes if node not in repeated)
