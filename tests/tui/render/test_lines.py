"""Lines: wrapping by cells, Markdown, tables and streams, for any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from troly.plugin.events import Chart, Content, Evidence, Item, ItemList, Notice, Series, Sources, Table
from troly.tui.render.cards import card_lines
from troly.tui.render.markdown import MarkdownStream, markdown_lines
from troly.tui.render.spans import Line, Span, clip, plain, width_of, wrap
from troly.tui.render.tables import table_lines

HOSTILE = [
    "[TENANT] and [/b] and [@click=app.quit]x[/]",
    "\x1b]52;c;aGk=\x07\x1b[31mđỏ\x1b[0m \u202eoder \x9b31m",
    "&#27;[31m &lt;b&gt; <script>alert(1)</script>",
    "[1]: http://example.com\n\n[1]",
    ">" * 500 + " sâu",
    "- " * 300,
    "|" * 200 + "\n" + "|-" * 200,
    "```\nkhông đóng",
    "👨‍👩‍👧‍👦" * 50,
    "a" + "\u0301" * 2000,
    "x" * 5000,
    "\u200b\u200d\ufeff",
    "\t\tmột\ttab",
]
texts = st.text(st.sampled_from("aạ đố\n -*_`|>#[]()1.~\\\t\x1b[漢字🙂\u0301"), max_size=300)


def text_of(lines: list[Line]) -> str:
    return "\n".join(plain(line) for line in lines)


@given(texts, st.integers(2, 40))
def test_no_line_is_wider_than_asked_and_no_word_is_lost(text: str, width: int) -> None:
    lines = wrap([Span(text)], width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join(text_of(lines).split()) == "".join(text.split())


@given(texts, st.integers(8, 60))
def test_markdown_of_anything_keeps_to_the_width(text: str, width: int) -> None:
    stream = MarkdownStream(text)
    assert all(width_of(line) <= width for line in stream.lines(width))
    assert "\x1b" not in text_of(stream.lines(width))


@given(texts, st.lists(st.integers(0, 300), max_size=6))
def test_a_stream_in_pieces_ends_as_the_whole(text: str, cuts: list[int]) -> None:
    stream, at = MarkdownStream(), 0
    for cut in sorted(cut for cut in cuts if cut <= len(text)):
        stream.feed(text[at:cut])
        stream.lines(40)
        at = cut
    stream.feed(text[at:])
    stream.finish()
    assert "".join(text_of(stream.lines(40)).split()) == "".join(
        text_of(MarkdownStream(text).lines(40)).split()
    )


def test_an_escape_sequence_that_arrives_in_two_pieces_is_taken_out() -> None:
    stream = MarkdownStream()
    stream.feed("một \x1b[3")
    stream.lines(40)
    stream.feed("1mhai")
    stream.finish()
    assert text_of(stream.lines(40)) == "một hai"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("width", [4, 30, 100])
def test_hostile_text_shows_as_text(text: str, width: int) -> None:
    lines = MarkdownStream(text).lines(width)
    shown = text_of(lines)
    assert not any(unicodedata.category(char) == "Cc" for char in shown.replace("\n", ""))
    assert "\u202e" not in shown
    assert not any(span.action for line in lines for span in line)


@pytest.mark.parametrize("text", [">" * 30 + " sâu", "\n".join("  " * n + f"- sâu{n}" for n in range(25))])
def test_what_is_nested_too_deep_for_the_parser_is_still_shown(text: str) -> None:
    assert "".join(text_of(markdown_lines(text, 80)).split()) == "".join(text.split())


def test_brackets_stay() -> None:
    assert text_of(markdown_lines(HOSTILE[0], 80)) == HOSTILE[0]
    assert "[1]: http://example.com" in text_of(markdown_lines(HOSTILE[3], 80))


def test_markdown_blocks() -> None:
    text = "# Tiêu đề\n\n1. một\n2. hai\n   - ba\n\n> trích\n\n```py\nx = 1\n```\n\n[tên](http://a.vn) và `mã` **đậm**\ndòng sau"
    lines = markdown_lines(text, 40)
    assert [plain(line).rstrip() for line in lines] == [
        "Tiêu đề", "", "1. một", "2. hai", "   • ba", "", "│ trích", "", "py", " x = 1", "",
        "tên (http://a.vn) và mã đậm", "dòng sau",
    ]  # fmt: skip
    styles = {span.text.strip(): span.style for line in lines for span in line}
    assert styles["Tiêu đề"] == "heading"
    assert styles["mã"] == "code"
    assert styles["đậm"] == "strong"


def test_table_columns_line_up_by_cells_also_decomposed() -> None:
    rows = [
        [[Span("tie\u0302\u0301ng")], [Span("1")]],
        [[Span("漢字")], [Span("22")]],
        [[Span("việt")], [Span("333")]],
    ]
    lines = table_lines([[Span("Tên")], [Span("Số")]], rows, 40, right={1})
    assert {width_of(line) for line in lines} == {5 + 2 + 3}
    assert plain(lines[2]).endswith("  1")


def test_a_table_with_too_many_columns_becomes_records() -> None:
    head = [[Span(f"cột {n}")] for n in range(20)]
    lines = table_lines(head, [[[Span(f"ô {n}")] for n in range(20)]], 30)
    assert "cột 19: ô 19" in text_of(lines)


def test_clip_measures_cells() -> None:
    assert clip("bảo   hành\nABC", 20) == "bảo hành ABC"
    assert cell_len(clip("漢字漢字漢字", 7)) <= 7


@pytest.mark.parametrize("hostile", HOSTILE[:5], ids=range(5))
@pytest.mark.parametrize("width", [12, 80])
def test_typed_content_with_hostile_strings(hostile: str, width: int) -> None:
    cards: list[Content] = [
        Table((hostile, "b"), ((hostile, hostile),), hostile),
        ItemList((Item(hostile, hostile, hostile),), hostile),
        Chart(
            "bar", (hostile, "b"), (Series(hostile, (1.0, -2.5)), Series("x", (0.0, 0.0))), hostile, hostile
        ),
        Sources((Evidence(1, hostile, hostile, hostile),)),
        Notice("error", hostile, hostile, hostile),
    ]
    for card in cards:
        shown = text_of(card_lines(card, width, "vi", name="1.0", opened={"1.0", "1.0.0"}))
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_a_long_table_shows_its_head_and_opens() -> None:
    table = Table(("n",), tuple((str(n),) for n in range(50)))
    closed, opened = (card_lines(table, 40, "vi", name="7.0", opened=names) for names in ((), ("7.0",)))
    assert "còn 30 dòng" in text_of(closed)
    assert any(span.action == "open:7.0" for line in closed for span in line)
    assert plain(opened[-1]).strip() == "49"


def test_painting_costs_the_last_block_only() -> None:
    """Finished blocks are rendered once, however many follow."""
    stream = MarkdownStream()
    for n in range(50):
        stream.feed(f"đoạn {n}\n\n")
    before = stream.lines(40)
    stream.feed("thêm")
    after = stream.lines(40)
    assert all(one is other for one, other in zip(before[:90], after[:90], strict=True))
