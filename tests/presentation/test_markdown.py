"""Typed content as Markdown: whatever stands in it, a reader of Markdown sees it as it is and every table keeps its shape."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Evidence,
    Handoff,
    Item,
    ItemList,
    Notice,
    Plan,
    Series,
    Side,
    Sources,
    Suggestions,
    Table,
    Task,
)
from troly.presentation.markdown import content_markdown, escape
from troly.text.sanitize import sanitize

# What means something in Markdown or HTML, between letters.
TEXTS = st.text(st.sampled_from("aảệ口 \n\\`*_[]()<>|#-+>!&1.:\x1b[31m"), min_size=1, max_size=16)
READER = MarkdownIt("commonmark").enable("table")


def shown(markdown: str) -> str:
    """The words that a reader sees, without blanks."""
    leaves = [
        leaf.content
        for token in READER.parse(markdown)
        for leaf in token.children or ()
        if leaf.type in ("text", "code_inline", "text_special")
    ]
    return "".join("".join(leaves).split())


def kinds(markdown: str) -> set[str]:
    """The kinds of tokens, without those of plain text."""
    tokens = READER.parse(markdown)
    return {one.type for token in tokens for one in (token, *(token.children or ()))} - {
        "inline", "text", "text_special", "softbreak", "paragraph_open", "paragraph_close",
    }  # fmt: skip


@given(TEXTS)
def test_a_text_is_shown_as_it_stands_and_means_nothing(text: str) -> None:
    text = sanitize(text)
    assert kinds(f"x {escape(text)}") == set()
    assert shown(f"x {escape(text)}") == "x" + "".join(text.split())


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1, max_size=5)
    )
)
def test_a_table_keeps_its_rows_and_columns(rows: list[list[str]]) -> None:
    head, *body = (tuple(row) for row in rows)
    tokens = READER.parse(content_markdown(Table(head, tuple(body), numeric=(0,))))
    assert sum(token.type == "th_open" for token in tokens) == len(head)
    assert sum(token.type == "tr_open" for token in tokens) == len(rows)
    assert sum(token.type == "td_open" for token in tokens) == len(head) * len(body)


def every_kind(text: str) -> list[Content]:
    return [
        Table((text, "b"), ((text, text),), text, (1,), text, 9),
        ItemList((Item(text, text, text, ((text, text),), text),), text, text, 9),
        Chart("line", (text, "b"), (Series(text, (1.0, 2.0)),), text, text, text),
        Sources((Evidence(1, text, text, text, 0.5, text, ((text, text),)),)),
        Suggestions((text, text)),
        Conflict((Side(text, text, ((text, 0.5),), ((text, text),), True), Side(text, text)), text),
        Notice("warning", text, text, text),
        Handoff(text, (text,), text),
        Plan((Task(1, text, text, text, "failed", 3.0),)),
        Computation("sql", text, (text,), ((text, text),), "/sql "),
    ]


@given(TEXTS)
def test_no_content_becomes_a_link_a_picture_html_or_a_heading(text: str) -> None:
    for content in every_kind(text):
        made = content_markdown(content)
        assert not kinds(made) & {
            "image",
            "html_inline",
            "html_block",
            "heading_open",
            "code_inline",
            "fence",
        }
        assert not re.search(r"[\x00-\x08\x1b]", made)


def test_a_source_with_an_address_of_the_web_is_a_link_and_no_other() -> None:
    there, local = (
        Evidence(1, "Sổ tay", "…", "trang 3", 0.5, "https://a.vn/x"),
        Evidence(2, "Tệp", "…", "b.pdf", 0.5, "file:///b"),
    )
    lines = content_markdown(Sources((there, local))).splitlines()
    assert lines == ["- [1] Sổ tay — <https://a.vn/x>", "- [2] Tệp — b.pdf"]
