"""Reading one file into a titled list of text blocks, whatever its format and encoding."""

from __future__ import annotations

import codecs
import csv
import errno
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from troly.errors import InputError
from troly.text.csv_text import find_delimiter
from troly.text.fold import nfc
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag
    from pypdf import PdfReader


MAX_BYTES = 50 * 1024 * 1024
MAX_CHARS = 10_000_000
BlockUnit = Literal["prose", "item", "row"]


SUFFIXES = {
    ".md": "md", ".markdown": "md", ".txt": "txt", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf", ".docx": "docx", ".csv": "csv", ".tsv": "csv",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TextBlock:
    """One paragraph, list item or table row.

    `heading` is the path of headings above it; `where` is `page:3`, `row:12`, `line:8` or empty (see `place`);
    `unit` says what it is, so that rows and items are kept whole.
    """

    text: str
    heading: tuple[str, ...] = ()
    where: str = ""
    unit: BlockUnit = "prose"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text: `kind` is its format, `encoding` how its characters were read (empty where that is fixed).

    `guessed` is True when the encoding was not certain and should be reported to the person.
    """

    title: str
    blocks: tuple[TextBlock, ...]
    kind: str
    encoding: str = ""
    guessed: bool = False


def load_bytes(path: Path) -> bytes:
    """The bytes of `path`, at most `MAX_BYTES`; raises InputError."""
    name = show(path)
    try:
        if path.is_dir():
            raise InputError("knowledge.folder", path=name)
        if not path.is_file():
            raise InputError("knowledge.missing", path=name)
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError("knowledge.large", path=name, size=_megabytes(size), limit=_megabytes(MAX_BYTES))
        return path.read_bytes()
    except PermissionError as error:
        raise InputError("knowledge.denied", path=name) from error
    except (OSError, ValueError) as error:
        reason = errno.errorcode.get(getattr(error, "errno", None) or 0, type(error).__name__)
        raise InputError("knowledge.unreadable", path=name, reason=reason) from error


def parse_document(path: Path, data: bytes) -> Document:
    """`data`, the content of `path`, as a Document; the suffix of `path` names the format.

    Raises InputError (`knowledge.*`) for an empty, too long, binary, encrypted or damaged file, and a format that is not read.
    """
    kind = kind_of(path)
    if kind is None:
        raise InputError(
            "knowledge.kind", path=show(path), suffix=path.suffix or "-", known=", ".join(SUFFIXES)
        )
    if not data.strip():
        raise InputError("knowledge.empty", path=show(path))
    document = _READERS[kind](path, data)
    blocks = tuple(block for block in map(_clean, document.blocks) if block.text)
    if not blocks:
        raise InputError("knowledge.no_text" if kind == "pdf" else "knowledge.empty", path=show(path))
    length = sum(len(block.text) for block in blocks)
    if length > MAX_CHARS:
        raise InputError("knowledge.long", path=show(path), size=length, limit=MAX_CHARS)
    title = _one_line(document.title) or _one_line(path.stem) or show(path)
    return replace(document, title=title, blocks=blocks, kind=kind)


def kind_of(path: Path) -> str | None:
    """The format that the suffix of `path` stands for, or None when it is not read."""
    return SUFFIXES.get(path.suffix.lower())


def show(path: Path) -> str:
    """`path` as it may be printed: no control characters, undecodable bytes escaped."""
    return sanitize(str(path).encode("utf-8", "backslashreplace").decode("utf-8"), keep_newlines=False)


def _clean(block: TextBlock) -> TextBlock:
    heading = tuple(filter(None, map(_one_line, block.heading)))
    return replace(block, text=nfc(sanitize(block.text)).strip(), heading=heading)


def _one_line(text: str) -> str:
    printable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return " ".join(nfc(sanitize(printable, keep_newlines=False)).split())[:300]


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MB"


# Turning the bytes of a text file into characters, with the encodings that Vietnamese files come in.


_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# A text file may hold a stray control character; more than one in a hundred is no text.
_MAX_CONTROL = 0.01


class DecodedText(NamedTuple):
    """Characters, the encoding they were read with, and whether that encoding was only guessed."""

    text: str
    encoding: str
    guessed: bool


def decode(path: Path, data: bytes, declared: str = "") -> DecodedText:
    """`data` as characters: a byte order mark decides, then UTF-8, then `declared`, then windows-1258.

    Line ends become `\\n`. Raises InputError `knowledge.binary` or `knowledge.encoding`; `path` is for the message.
    """
    decoded = _decode(data, declared)
    if decoded is None:
        raise InputError("knowledge.binary" if b"\0" in data else "knowledge.encoding", path=show(path))
    if len(_CONTROL.findall(decoded.text)) > _MAX_CONTROL * len(decoded.text):
        raise InputError("knowledge.binary", path=show(path))
    return decoded._replace(text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def _decode(data: bytes, declared: str) -> DecodedText | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _try(data, encoding, guessed=False)
    if b"\0" in data:
        return None
    return (
        _try(data, "utf-8", guessed=False)
        or (_try(data, declared, guessed=False) if declared else None)
        or _try(data, "windows-1258", guessed=True)
    )


def _try(data: bytes, encoding: str, *, guessed: bool) -> DecodedText | None:
    try:
        return DecodedText(data.decode(encoding), encoding, guessed)
    except (UnicodeError, LookupError):
        return None


# Collecting blocks under their headings while a reader walks through a document.


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
        self.blocks: list[TextBlock] = []
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

    def add(self, text: str, where: str = "", unit: BlockUnit = "prose") -> None:
        """Add a paragraph, list item or table row; blank text is ignored."""
        if text.strip():
            self._bare = False
            self.blocks.append(TextBlock(text.strip(), tuple(name for _, name in self._path), where, unit))

    def finish(self) -> tuple[TextBlock, ...]:
        if self._bare:
            self._flush()
        return tuple(self.blocks)

    def _flush(self) -> None:
        names = [name for _, name in self._path]
        self.blocks.append(TextBlock(names[-1], tuple(names[:-1]), self._bare_where))
        self._bare = False


# Readers for plain text, Markdown and CSV.


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
    lines = _LineReader(markdown=False)
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
    lines = _LineReader(markdown=True)
    lines.read(text, first_line=skipped + 1)
    blocks = lines.outline.finish()
    return Document(title or lines.title, blocks, "md", decoded.encoding, decoded.guessed)


class _LineReader:
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
            unit: BlockUnit = "item" if self._item else "prose"
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
    blocks = [TextBlock(text, (), f"row:{number}", "row") for number, text in shown]
    return Document("", tuple(blocks), "csv", decoded.encoding, decoded.guessed)


# Reader for HTML: what a visitor sees, with headings, list items and table rows.


_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?\s*([\w-]{3,20})", re.IGNORECASE)
_DECLARATION = re.compile(r"<\?xml[^<>]*>?", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN = (
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "canvas", "audio", "video",
    "select", "datalist",
)  # fmt: skip
_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
        "h5", "h6", "header", "hr", "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre",
        "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def soup_of(text: str) -> BeautifulSoup:
    """`text` parsed as HTML, without declarations of XML: pages of XHTML are pages.

    lxml closes what a page leaves open; the other parser nests it, and takes minutes over thousands of levels. The
    closing line end keeps a one-line page from being taken for a file name or an address.
    """
    from bs4 import BeautifulSoup

    return BeautifulSoup(_DECLARATION.sub("", text) + "\n", "lxml")


def read_html(path: Path, data: bytes) -> Document:
    """HTML without scripts, styles, comments and hidden elements. Raises InputError for bytes that are no text."""
    declared = _CHARSET.search(data[:4096])
    decoded = decode(path, data, declared[1].decode("ascii") if declared else "")
    soup = soup_of(decoded.text)
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    _remove_unseen(soup)
    page = _Page()
    page.walk(soup)
    return Document(title or page.title, page.outline.finish(), "html", decoded.encoding, decoded.guessed)


def _remove_unseen(soup: BeautifulSoup) -> None:
    inside: set[int] = set()
    outermost = []
    for tag in soup.find_all(True):
        if id(tag.parent) in inside:
            inside.add(id(tag))
        elif _is_unseen(tag):
            inside.add(id(tag))
            outermost.append(tag)
    for tag in outermost:
        tag.decompose()


def _is_unseen(tag: Tag) -> bool:
    return (
        tag.name in _UNSEEN
        or tag.name == "title"
        or tag.has_attr("hidden")
        or str(tag.get("aria-hidden", "")).lower() == "true"
        or bool(_HIDDEN_STYLE.search(str(tag.get("style", ""))))
    )


class _Page:
    """Groups the text of a page by the nearest block element around it, in the order of the page."""

    def __init__(self) -> None:
        self.outline = Outline()
        self.title = ""
        self._around: dict[int, tuple[Tag, bool]] = {}
        self._block: Tag | None = None
        self._text: list[str] = []
        self._header: tuple[int, list[str]] = (0, [])

    def walk(self, soup: BeautifulSoup) -> None:
        from bs4.element import NavigableString, Tag

        self._around[id(soup)] = (soup, False)
        for node in soup.descendants:
            if isinstance(node, Tag):
                self._enter(node)
            elif type(node) is NavigableString and node.parent is not None:
                block, in_row = self._around[id(node.parent)]
                if not in_row:
                    self._add(block, str(node))
        self._flush()

    def _enter(self, tag: Tag) -> None:
        block, in_row = self._around[id(tag.parent)]
        if tag.name == "br" and not in_row:
            self._text.append("\n")
        if tag.name in _BLOCKS:
            block = tag
        # A row that holds a table lays out the page: its cells are read as ordinary blocks.
        if tag.name == "tr" and not in_row and tag.find("table") is None:
            in_row = True
            self._row(tag)
        self._around[id(tag)] = (block, in_row)

    def _row(self, tag: Tag) -> None:
        self._flush()
        cells = [cell.get_text(" ", strip=True) for cell in tag.find_all(["th", "td"])]
        table = tag.find_parent("table")
        if tag.find("td") is None:
            self._header = (id(table), cells)
            # A header is repeated in each of its rows; alone in a table it would be lost.
            if table is None or table.find("td") is not None:
                return
        names = self._header[1] if self._header[0] == id(table) else []
        if len(cells) == 2 and not names:
            names, cells = cells[:1], cells[1:]
        self.outline.add(row_text(names, cells), unit="row")

    def _add(self, block: Tag, text: str) -> None:
        if block is not self._block:
            self._flush()
            self._block = block
        self._text.append(text if block.name == "pre" else re.sub(r"\s+", " ", text))

    def _flush(self) -> None:
        lines = "".join(self._text).split("\n")
        pre = self._block is not None and self._block.name == "pre"
        text = "\n".join(line if pre else " ".join(line.split()) for line in lines).strip("\n")
        name = self._block.name if self._block is not None else ""
        self._text.clear()
        self._block = None
        if not text.strip():
            return
        if name in _HEADINGS:
            self.outline.heading(_HEADINGS[name], text)
            self.title = self.title or (text if name == "h1" else "")
        else:
            self.outline.add(text, unit="item" if name in {"li", "dt", "dd"} else "prose")


# Readers for PDF and Word documents.


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
        reader = _WordDocument(document)
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


class _WordDocument:
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
        text = _paragraph_text(element)
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
    return " ".join(_paragraph_text(paragraph) for paragraph in _flow(cell) if paragraph.tag == f"{_W}p")


def _paragraph_text(paragraph: Any) -> str:
    """The words of a paragraph; deleted text has another tag, and a drawing's fallback repeats its text box."""
    repeated = {node for fallback in paragraph.iter(_FALLBACK) for node in fallback.iter()}
    marks = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n"}
    nodes = paragraph.iter(f"{_W}t", *marks)
    return "".join(marks.get(node.tag) or node.text or "" for node in nodes if node not in repeated)


_READERS: dict[str, Callable[[Path, bytes], Document]] = {
    "md": read_markdown,
    "txt": read_text,
    "csv": read_csv,
    "html": read_html,
    "pdf": read_pdf,
    "docx": read_docx,
}
