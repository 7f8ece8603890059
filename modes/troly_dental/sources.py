"""The sources of an answer: read from what the search tool said, listed under the answer, opened on a key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from troly.plugin.events import Evidence
from troly.text.catalogue import Lang
from troly_dental.search.pages import LIMIT, Page, host_of, safe_pages
from troly_dental.strings import say

_FIELD = re.compile(r"\s*(?:[-*•]\s*|\d{1,2}[.)]\s*)?\**(title|content|link)\s*\**:\**\s*(.*)", re.IGNORECASE)
# [text](link "title"), with the image mark of a picture; one level of brackets inside the link.
_MARKDOWN = re.compile(r"!?\[([^\[\]]*)\]\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))*)>?(?:\s+[\"'(][^)]*)?\s*\)")
_BARE = re.compile(r"https?://[^\s<>\"“”|\\^`{}]+", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|`)")
_OWN_LIST = re.compile(
    r"\n+[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*|__)?(?:nguồn(?: tham khảo)?|tài liệu tham khảo|tham khảo|references?|sources?)"
    r"(?:\*\*|__)?[ \t]*:?(?:\*\*|__)?[ \t]*(?:\n+[ \t]*(?:[-*•]|\d{1,2}[.)]|\[\d{1,2}\]|https?://)[^\n]*)+\s*\Z",
    re.IGNORECASE,
)


def read(text: str) -> tuple[Page, ...]:
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


def section(pages: Sequence[Page], lang: Lang) -> str:
    """The list of sources that ends an answer, each with its host (003-26, C6); "" without pages."""
    if not pages:
        return ""
    return say("sources.heading", lang) + "\n".join(
        f"{number}. {_label(page)}" for number, page in enumerate(pages, 1)
    )


def evidence(pages: Iterable[Page], first: int = 1) -> tuple[Evidence, ...]:
    """`pages` as the evidence of an answer: the host is shown, the full link on a key (C6)."""
    return tuple(
        Evidence(number, page.title, page.content, host_of(page.link), url=page.link)
        for number, page in enumerate(pages, first)
    )


def without_own_list(answer: str) -> str:
    """`answer` without a list of sources that the model wrote by itself: it may name pages that nobody found."""
    return _OWN_LIST.sub("", f"\n{answer}").strip()


def _label(page: Page) -> str:
    host = host_of(page.link)
    return f"{page.title} ({host})" if host and page.title != host else page.title


def _words(title: str) -> str:
    return _EMPHASIS.sub("", _MARKDOWN.sub(lambda link: link[1] or link[2], title)).strip()
