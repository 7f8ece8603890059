"""The sources of an answer: read from Link lines, listed as the documents say, opened by their full link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_dental.search.pages import Page, as_text, page_evidence, parse_pages, source_list

PAGES = (
    Page("Răng khôn mọc lệch", "Khi nào nên nhổ", "https://www.vinmec.example/rang-khon?a=1"),
    Page("Nhổ răng khôn", "Chăm sóc", "https://nhakhoa.example/nho"),
)


def test_the_section_is_that_of_the_documents() -> None:
    assert source_list(PAGES, "vi") == (
        "\n\nNguồn tham khảo:\n\n1. Răng khôn mọc lệch (vinmec.example)\n2. Nhổ răng khôn (nhakhoa.example)"
    )
    assert source_list(PAGES, "en").startswith(
        "\n\nReferences:\n\n1. Răng khôn mọc lệch (vinmec.example)\n2. "
    )
    assert source_list((), "vi") == ""


def test_a_page_without_a_title_or_without_a_link_is_named_once() -> None:
    pages = (
        Page("nhs.example", "c", "https://www.nhs.example/a"),
        Page("Sâu răng (ghi chú có sẵn)", "c", ""),
    )
    assert source_list(pages, "vi").endswith("1. nhs.example\n2. Sâu răng (ghi chú có sẵn)")


def test_the_full_link_is_in_the_evidence_and_the_host_beside_it() -> None:
    [first, second] = page_evidence(PAGES, first=3)
    assert (first.number, first.title, first.where) == (3, "Răng khôn mọc lệch", "vinmec.example")
    assert first.url == "https://www.vinmec.example/rang-khon?a=1"
    assert second.number == 4


def test_pages_are_read_back_from_what_the_tool_says() -> None:
    assert parse_pages(as_text(PAGES)) == PAGES


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("Link: https://a.example/x", "https://a.example/x"),
        ("link : https://a.example/x", "https://a.example/x"),
        ("- **Link:** https://a.example/x", "https://a.example/x"),
        ("3. Link: [Xem thêm](https://a.example/x \"tựa\")", "https://a.example/x"),
        ("Link: [https://a.example/x](https://a.example/x)", "https://a.example/x"),
        ("Link: <https://a.example/x>.", "https://a.example/x"),
        ("Link: xem https://a.example/x, nhé", "https://a.example/x"),
        ("Link: [a](https://a.example/b_(c))", "https://a.example/b_(c)"),
        ("Link: ![ảnh](https://a.example/x)", "https://a.example/x"),
    ],
)  # fmt: skip
def test_a_link_is_cleaned_of_markdown(line: str, link: str) -> None:
    [page] = parse_pages(f"Title: Tựa\nContent: Nội dung\n{line}\n")
    assert page == Page("Tựa", "Nội dung", link)


@pytest.mark.parametrize(
    "line", ["Link:", "Link: không có", "Link: javascript:alert(1)", "Link: [x](file:///etc/passwd)"]
)
def test_a_line_without_a_web_address_is_no_source(line: str) -> None:
    assert parse_pages(f"Title: Tựa\n{line}") == ()


def test_markdown_in_titles_becomes_words_and_long_contents_stay_together() -> None:
    text = "Title: **[Răng khôn](https://x.example)**\nContent: dòng một\ndòng hai\nLink: https://a.example\n\nrác\nLink: https://b.example"
    assert parse_pages(text) == (
        Page("Răng khôn", "dòng một dòng hai", "https://a.example"),
        Page("b.example", "", "https://b.example"),
    )


def test_five_sources_at_most_and_none_twice() -> None:
    text = "\n".join(f"Title: T{n}\nLink: https://a.example/{n % 8}" for n in range(20))
    assert [page.title for page in parse_pages(text)] == [f"T{n}" for n in range(5)]


@given(st.text(max_size=300) | st.lists(st.sampled_from(["Title: ", "Link: ", "https://a.vn", "[", "](", ")", "\n", "Content:", "x"]), max_size=40).map("".join))  # fmt: skip
def test_any_text_can_be_read(text: str) -> None:
    for page in parse_pages(text):
        assert page.link.startswith(("http://", "https://"))
        assert "\n" not in page.title
