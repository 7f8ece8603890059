"""Texts far longer than a screen: worked off a piece at a time, the same lines in the end, no word lost, however they come."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.screen.screens import NOW
from troly.tui.chat.view import message
from troly.tui.render.markdown import (
    LONGEST_BLOCK,
    LONGEST_PARAGRAPH,
    MarkdownStream,
    code_blocks,
    parse,
    split_block,
)
from troly.tui.render.message import SLICE, MessageLines
from troly.tui.render.spans import Line, plain, width_of

WORDS = 5_000
LONG: Mapping[str, str] = {
    "words": " ".join(f"từ{n}" for n in range(WORDS)),
    "one word": "x" * 60_000,
    "list": "\n".join(f"- mục{n} hai" for n in range(WORDS // 2)),
    "numbers": "\n".join(f"{n}. mục{n}" for n in range(1, WORDS // 2)),
    "table": "| tên | số |\n|---|---:|\n" + "\n".join(f"| dòng{n} | {n} |" for n in range(WORDS // 3)),
    "fence": "```py\n" + "\n".join(f"x{n} = {n}" for n in range(WORDS // 2)) + "\n```\n\nsau",
    "quote": "\n".join(f"> trích{n}" for n in range(WORDS // 2)),
    "brackets": "[" * 20_000,
    "images": "![a" * 8_000,
    "stars": "*a " * 20_000,
    "nested": "\n".join("  " * (n % 30) + f"- sâu{n}" for n in range(3_000)),
    "marks": "a" + "\u0301" * 60_000,
    "joined emoji": "👨‍👩‍👧‍👦" * 4_000,
    "right to left": "مرحبا " * 6_000,
    "nothing visible": "\u200b\u2060" * 20_000,
}
MOST_CALLS = 40
TOLD_ONCE = {"table": ("tên", "số")}


def words_of(lines: list[Line], name: str) -> list[str]:
    """The words in order, without those that the head of a table repeats and the signs that are only drawn."""
    left_out = {"•", "-", "│", *TOLD_ONCE.get(name, ())}
    return [
        word for line in lines for word in plain(line).split() if word not in left_out and set(word) != {"─"}
    ]


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_is_worked_off_in_a_few_pieces(name: str) -> None:
    stream, calls = MarkdownStream(LONG[name]), 1
    lines = stream.lines(60, SLICE)
    while stream.behind:
        before = len(lines)
        lines = stream.lines(60, SLICE)
        assert len(lines) >= before - 1
        calls += 1
    assert calls <= MOST_CALLS
    whole = MarkdownStream(LONG[name]).lines(60)
    assert [plain(line) for line in lines] == [plain(line) for line in whole]
    assert all(width_of(line) <= 60 for line in lines)


@pytest.mark.parametrize("name", ["words", "list", "numbers", "table", "quote", "nested"])
def test_no_word_of_a_long_text_is_lost(name: str) -> None:
    source = LONG[name].replace("|", " ").replace(">", " ").replace("---:", "").replace("---", "")
    wanted = [word for word in source.split() if word != "-" and word not in TOLD_ONCE.get(name, ())]
    assert words_of(MarkdownStream(LONG[name]).lines(60), name) == wanted


def test_long_code_is_one_block_with_one_head() -> None:
    view = message("assistant", NOW, LONG["fence"])
    lines = MessageLines(view).lines(60, "vi")
    assert [span.action for line in lines for span in line if span.action.startswith("code:")] == [
        f"code:{view.key}.0.0"
    ]
    shown = [plain(line).strip() for line in lines]
    assert [text for text in shown if text.startswith("x")] == [f"x{n} = {n}" for n in range(WORDS // 2)]
    assert len(code_blocks(LONG["fence"])) == 1


@pytest.mark.parametrize("name", ["words", "list", "fence", "table"])
def test_another_width_in_the_middle_ends_as_the_whole(name: str) -> None:
    stream = MarkdownStream(LONG[name])
    stream.lines(60, SLICE)
    stream.lines(30, SLICE)
    while stream.behind:
        stream.lines(45, SLICE)
    whole = MarkdownStream(LONG[name]).lines(45)
    assert [plain(line) for line in stream.lines(45, SLICE)] == [plain(line) for line in whole]


@pytest.mark.parametrize("name", ["words", "list", "numbers", "quote"])
def test_a_long_text_that_is_streamed_loses_no_word(name: str) -> None:
    stream, text = MarkdownStream(), LONG[name]
    for at in range(0, len(text), 997):
        stream.feed(text[at : at + 997])
        stream.lines(60, SLICE)
    stream.finish()
    lines = stream.lines(60)
    assert words_of(lines, name) == words_of(MarkdownStream(text).lines(60), name)


@given(st.sampled_from(["paragraph", "list", "fence", "quote", "table"]), st.integers(1, 3_000))
def test_the_halves_of_a_block_are_the_block(kind: str, count: int) -> None:
    made = {
        "paragraph": "chữ " * count,
        "list": "- chữ\n" * count,
        "fence": "```\n" + "chữ\n" * count,
        "quote": "> chữ\n" * count,
        "table": "| a |\n|---|\n" + "| chữ |\n" * count,
    }[kind]
    tokens = parse(made)
    parts = split_block(made, tokens)
    limit = LONGEST_PARAGRAPH if kind == "paragraph" else LONGEST_BLOCK
    if parts is None:
        assert len(made) <= limit or kind != "paragraph"
        return
    assert len(made) > limit
    assert parts[0].count("chữ") + parts[1].count("chữ") == count
    assert [token.type for token in parse(parts[0])][:1] == [tokens[0].type]
