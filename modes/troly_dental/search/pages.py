"""Pages as a search found them, made safe: one line each for title and content, a plain link, no orders to the model."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

from troly.plugin.events import Evidence
from troly.text.catalogue import Lang
from troly.text.fold import nfc
from troly.text.match import Lexicon
from troly.text.sanitize import sanitize
from troly_dental.strings import say

LIMIT = 5
"""Results that a search gives at most (003-19)."""
TITLE_CHARS, CONTENT_CHARS, LINK_CHARS = 160, 700, 2000
# What is read of a field before it is cleaned; the rest of a snippet of megabytes is never looked at.
_READ_CHARS = 20_000
_INJECTIONS = Path(__file__).parents[1] / "lexicons" / "injections.txt"
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,300}>")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")
_CUT = "…"
_PLAIN = ":/?#[]@!$&'()*+,;=%~"


@dataclass(frozen=True, slots=True)
class Page:
    """One result: a title, what the page says in short, and its http(s) link."""

    title: str
    content: str
    link: str


def safe_pages(found: Iterable[Mapping[str, object]], limit: int = LIMIT) -> tuple[tuple[Page, ...], int]:
    """Pages of `found` (keys `title`, `content`, `link`) fit to be shown, and how many were left out as unsafe.

    Left out and counted: pages that talk to the model instead of the reader. Left out silently: repeats, and results
    without a usable link.
    """
    pages: dict[str, Page] = {}
    unsafe = 0
    for raw in found:
        link = _link(_text(raw.get("link")))
        if not link or link in pages:
            continue
        title = one_line(_text(raw.get("title")), TITLE_CHARS) or host_of(link)
        content = one_line(_text(raw.get("content")), CONTENT_CHARS)
        if gives_orders(f"{title} . {_text(raw.get('content'))}"):
            unsafe += 1
            continue
        pages[link] = Page(title, content, link)
        if len(pages) >= limit:
            break
    return tuple(pages.values()), unsafe


def as_text(pages: Iterable[Page]) -> str:
    """`pages` as the search tool gives them: blocks of Title, Content and Link lines, a blank line between (003-19)."""
    return "\n\n".join(f"Title: {page.title}\nContent: {page.content}\nLink: {page.link}" for page in pages)


def host_of(link: str) -> str:
    """The host of `link` without `www.`, in ASCII, so that a look-alike name shows; "" for anything else."""
    try:
        host = (urlsplit(link).hostname or "").removeprefix("www.")
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    return host if re.fullmatch(r"[a-z0-9._:-]{1,253}", host) else ""


def one_line(text: str, limit: int) -> str:
    """`text` without markup, control characters and line breaks, at most `limit` characters."""
    plain = html.unescape(_TAG.sub(" ", text))
    # Escaped markup is markup once it is unescaped.
    plain = _INVISIBLE.sub("", sanitize(_TAG.sub(" ", plain), keep_newlines=False))
    plain = " ".join(nfc(plain).split())
    if len(plain) <= limit:
        return plain
    head = plain[: limit - 1]
    word = head.rpartition(" ")[0]
    return (word if len(word) > limit // 2 else head).rstrip() + _CUT


def gives_orders(text: str) -> bool:
    """Whether `text` speaks to a model ("ignore previous instructions"), in either language."""
    return bool(_orders().find(one_line(text, _READ_CHARS)))


def _text(value: object) -> str:
    """The beginning of a field; bytes as they can be read, "" for what is no text."""
    if isinstance(value, bytes):
        value = value[: _READ_CHARS * 4].decode("utf-8", "replace")
    return value[:_READ_CHARS] if isinstance(value, str) else ""


def _link(raw: str) -> str:
    """`raw` as a plain http(s) link without login and fragment; "" when it is none."""
    link = _INVISIBLE.sub("", sanitize(html.unescape(raw), keep_newlines=False)).strip()
    link = f"https:{link}" if link.startswith("//") else link
    try:
        parts = urlsplit(link)
        if parts.hostname in {"duckduckgo.com", "html.duckduckgo.com"} and parts.path == "/l/":
            # DuckDuckGo wraps a result in a redirect of its own.
            parts = urlsplit(parse_qs(parts.query).get("uddg", [""])[0])
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = host_of(parts.geturl())
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return ""
    named = parts.hostname or ""
    shown = host if not named.isascii() else named
    shown = f"[{shown}]" if ":" in shown else shown
    whole = urlunsplit((parts.scheme.lower(), f"{shown}{port}", parts.path, parts.query, ""))
    whole = quote(whole, safe=_PLAIN, errors="replace")
    return whole if len(whole) <= LINK_CHARS else ""


@cache
def _orders() -> Lexicon:
    return Lexicon.load(_INJECTIONS)


# -- Pages as sources of an answer: parsed from the tool's text, listed, shown as evidence.

_FIELD = re.compile(r"\s*(?:[-*•]\s*|\d{1,2}[.)]\s*)?\**(title|content|link)\s*\**:\**\s*(.*)", re.IGNORECASE)
# [text](link "title"), with the image mark of a picture; one level of brackets inside the link.
_MARKDOWN = re.compile(r"!?\[([^\[\]]*)\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?:\s+[\"'(][^)]*)?\s*\)")
_BARE = re.compile(r"https?://[^\s<>\"“”|\\^`{}]+", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|`)")


def parse_pages(text: str) -> tuple[Page, ...]:
    """The pages of a search tool's text (Title, Content, Link lines), by their `Link:` lines (003-25).

    Markdown links are cleaned to their addresses, in titles to their words. A link without a title of its own is
    named by its host; repeats, and links that are no web addresses, are left out.
    """
    found: list[dict[str, object]] = []
    current: dict[str, object] = {}
    open_field = ""
    for line in text.splitlines():
        match = _FIELD.fullmatch(line)
        name, value = (match[1].lower(), match[2]) if match else ("", line.strip())
        if not name:
            if open_field == "content" and value:
                current["content"] = f"{current.get('content', '')} {value}"
            continue
        if name == "title":
            current = {"title": _words(value)}
        elif name == "content":
            current["content"] = value
        else:
            found.append({**current, "link": clean_link(value)})
            current = {}
        open_field = name
    pages, _ = safe_pages(found, limit=LIMIT)
    return pages


def clean_link(value: str) -> str:
    """The address in `value`: bare, in angle brackets or as a markdown link; "" when there is none."""
    if _BARE.fullmatch(value.strip()):
        return value.strip()
    if linked := _MARKDOWN.search(value):
        value = linked[2] if _BARE.match(linked[2]) else linked[1]
    bare = _BARE.search(value)
    if not bare:
        return ""
    link = bare[0].rstrip(".,;:!?'*_")
    while link.endswith((")", "]")) and link.count(link[-1]) > link.count("(" if link[-1] == ")" else "["):
        link = link[:-1].rstrip(".,;:!?'*_")
    return link


def source_list(pages: Sequence[Page], lang: Lang, cited: Collection[int] | None = None) -> str:
    """The list of sources that ends an answer, each with its host (003-26, C6), those of `cited` numbers, all where
    that is None; "" without any.
    """
    listed = [
        f"{number}. {_label(page)}"
        for number, page in enumerate(pages, 1)
        if cited is None or number in cited
    ]
    return say("sources.heading", lang) + "\n".join(listed) if listed else ""


def page_evidence(pages: Iterable[Page], first: int = 1) -> tuple[Evidence, ...]:
    """`pages` as the evidence of an answer: the host is shown, the full link on a key (C6)."""
    return tuple(
        Evidence(number, page.title, page.content, host_of(page.link), url=page.link)
        for number, page in enumerate(pages, first)
    )


def _label(page: Page) -> str:
    host = host_of(page.link)
    return f"{page.title} ({host})" if host and page.title != host else page.title


def _words(title: str) -> str:
    return _EMPHASIS.sub("", _MARKDOWN.sub(lambda link: link[1] or link[2], title)).strip()
