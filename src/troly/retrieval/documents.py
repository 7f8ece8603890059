"""Reading one file into a titled list of text blocks, whatever its format and encoding."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from troly.errors import InputError
from troly.text.fold import nfc
from troly.text.sanitize import sanitize

MAX_BYTES = 50 * 1024 * 1024
MAX_CHARS = 10_000_000
Unit = Literal["prose", "item", "row"]


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, list item or table row.

    `heading` is the path of headings above it; `where` is `page:3`, `row:12`, `line:8` or empty (see `place`);
    `unit` says what it is, so that rows and items are kept whole.
    """

    text: str
    heading: tuple[str, ...] = ()
    where: str = ""
    unit: Unit = "prose"


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text: `kind` is its format, `encoding` how its characters were read (empty where that is fixed).

    `guessed` is True when the encoding was not certain and should be reported to the person.
    """

    title: str
    blocks: tuple[Block, ...]
    kind: str
    encoding: str = ""
    guessed: bool = False


def read_document(path: Path) -> Document:
    """The file at `path` as a Document.

    Raises InputError (`knowledge.*`) for a missing, forbidden, empty, too large, binary, encrypted or damaged file,
    a folder, and a format that is not read.
    """
    return parse_document(path, load_bytes(path))


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
    """`data`, the content of `path`, as a Document; the suffix of `path` names the format. Raises InputError."""
    kind = kind_of(path)
    if kind is None:
        raise InputError(
            "knowledge.kind", path=show(path), suffix=path.suffix or "-", known=", ".join(SUFFIXES)
        )
    if not data.strip():
        raise InputError("knowledge.empty", path=show(path))
    document = _reader(kind)(path, data)
    blocks = tuple(block for block in map(_clean, document.blocks) if block.text)
    if not blocks:
        raise InputError("knowledge.no_text" if kind == "pdf" else "knowledge.empty", path=show(path))
    length = sum(len(block.text) for block in blocks)
    if length > MAX_CHARS:
        raise InputError("knowledge.long", path=show(path), size=length, limit=MAX_CHARS)
    title = _one_line(document.title) or _one_line(path.stem) or show(path)
    return replace(document, title=title, blocks=blocks, kind=kind)


SUFFIXES = {
    ".md": "md",
    ".markdown": "md",
    ".txt": "txt",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".csv": "csv",
    ".tsv": "csv",
}


def kind_of(path: Path) -> str | None:
    """The format that the suffix of `path` stands for, or None when it is not read."""
    return SUFFIXES.get(path.suffix.lower())


def show(path: Path) -> str:
    """`path` as it may be printed: no control characters, undecodable bytes escaped."""
    return sanitize(str(path).encode("utf-8", "backslashreplace").decode("utf-8"), keep_newlines=False)


def _reader(kind: str) -> Callable[[Path, bytes], Document]:
    from troly.retrieval import formats, markup, office

    readers: dict[str, Callable[[Path, bytes], Document]] = {
        "md": formats.read_markdown,
        "txt": formats.read_text,
        "csv": formats.read_csv,
        "html": markup.read_html,
        "pdf": office.read_pdf,
        "docx": office.read_docx,
    }
    return readers[kind]


def _clean(block: Block) -> Block:
    heading = tuple(filter(None, map(_one_line, block.heading)))
    return replace(block, text=nfc(sanitize(block.text)).strip(), heading=heading)


def _one_line(text: str) -> str:
    printable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return " ".join(nfc(sanitize(printable, keep_newlines=False)).split())[:300]


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MB"
