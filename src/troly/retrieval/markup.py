"""Reader for HTML: what a visitor sees, with headings, list items and table rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from troly.retrieval.documents import Document
from troly.retrieval.encodings import decode
from troly.retrieval.outline import Outline, row_text

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import Tag

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
