"""Nothing that drives a terminal or reorders text survives; everything else does."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.sanitize import sanitize

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DANGEROUS = "\x1b\x07\x00\x7f\x80\x9b\x9d\x90\x9c\ufeff\ud800\r" + BIDI
hostile = st.text(st.sampled_from(DANGEROUS + "[]P;?0123mHJa\\ \n\tđ👨‍👩"), max_size=60)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[31mđỏ\x1b[0m", "đỏ"),
        ("\x9b31mđỏ\x9b0m", "đỏ"),
        ("\x1b[2J\x1b[Hxoá", "xoá"),
        ("\x1b]0;title\x07a", "a"),
        ("\x9d0;title\x9ca", "a"),
        ("\x1b]8;;https://x.vn\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;ZXZpbA==\x07a", "a"),
        ("\x1bP1;2|data\x1b\\a", "a"),
        ("\x90data\x9ca", "a"),
        ("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\a", "a"),
        ("\x1b(B\x1bc\x1b7a", "a"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("a\u202egpj.exe\u2066b", "agpj.exeb"),
        ("\ufeffđầu\ufeff tệp", "đầu tệp"),
        ("a\ud800b\udfff", "ab"),
        ("a\r\nb\rc\x0bd\x0ce\u2028f\u2029g", "a\nb\nc\nd\ne\nf\ng"),
        ("👨‍👩‍👧 ❤️ x\ty", "👨‍👩‍👧 ❤️ x\ty"),
        ("[bold]không phải mã[/bold]", "[bold]không phải mã[/bold]"),
    ],
)
def test_worked_examples(raw: str, clean: str) -> None:
    assert sanitize(raw) == clean


def test_a_control_string_without_an_end_hides_nothing() -> None:
    assert sanitize("\x1b]0;tiêu đề\ndòng hai") == "0;tiêu đề\ndòng hai"
    assert sanitize("\x1bPabc" + "x" * 100_000).endswith("x" * 100_000)
    assert sanitize("\x9dabc") == "abc"


def test_one_line_has_no_breaks_or_tabs() -> None:
    assert sanitize("a\r\nb\tc\x1b[1md", keep_newlines=False) == "a b cd"


@given(hostile | st.text())
def test_output_has_no_control_of_any_kind(s: str) -> None:
    shown = sanitize(s)
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t" for char in shown)
    assert not set(shown) & set(BIDI + "\ufeff")
    assert not set(sanitize(s, keep_newlines=False)) & set("\n\t")


@given(hostile | st.text())
def test_sanitising_twice_changes_nothing(s: str) -> None:
    assert sanitize(sanitize(s)) == sanitize(s)


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp"))))
def test_clean_text_is_left_alone(s: str) -> None:
    assert sanitize(s) == s


@given(hostile)
def test_letters_are_never_made_up(s: str) -> None:
    left = iter(s.replace("\r", "\n"))
    assert all(char in left for char in sanitize(s))


@pytest.mark.parametrize(
    "unit", ["\x1b", "\x9d", "\x1b]", "\x1b]x", "\x1b[0", "\x1b[ ", "\x1bP", "a\x00", "\x9b;", "\x1b[1mđ"]
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    def took(count: int) -> float:
        text = unit * count
        best = 9.0
        for _ in range(3):
            start = time.thread_time()
            sanitize(text)
            best = min(best, time.thread_time() - start)
        return best

    # Ten times the text would take a hundred times as long if the scan were quadratic.
    assert took(50_000) < 40 * took(5_000) + 0.05
