"""Reading a message as the lists spell it: chat spellings and slips of the finger, and what must stay as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly_shopping.spelling import Spelling, is_one_slip, slips

SPELLING = Spelling(
    ["bảo hành", "màn hình", "bàn phím", "khuyến mãi", "trả góp", "warranty", "keyboard", "mua sỉ"],
    ["bao giờ", "tôi muốn hỏi"],
)


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("kiểm tra bảo hànnh", "kiểm tra bao hanh"),
        ("bao hahn máy in", "bao hanh máy in"),
        ("co trar gop khong", "co tra gop khong"),
        ("khuyen maii gi", "khuyen mai gi"),
        ("my warrany", "my warranty"),
        ("a keybord please", "a keyboard please"),
        ("bh máy em", "bao hanh máy em"),
        ("ko biết", "khong biết"),
        ("bao giờ có", "bao giờ có"),
        ("màu hồng", "màu hồng"),
        ("do you like music", "do you like music"),
        ("ABC123 bao hanhh", "abc123 bao hanh"),
        ("", ""),
    ],
)
def test_what_is_meant(typed: str, plain: str) -> None:
    assert SPELLING.plain(typed) == plain


def test_words_that_are_known_are_no_slips() -> None:
    assert SPELLING.plain("toi muon hoi bao gio") == "toi muon hoi bao gio"


@given(st.sampled_from(["baohanh", "warranty", "keyboard"]), st.data())
def test_words_one_letter_apart_share_a_slip(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 2))
    dropped = word[:at] + word[at + 1 :]
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    assert slips(word) & slips(dropped)
    assert slips(word) & slips(swapped)
    assert is_one_slip(word, dropped)
    assert is_one_slip(word, swapped) == (word != swapped)
    assert not is_one_slip(word, word)
    assert not is_one_slip(word, f"{word}xx")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(SPELLING.plain(text), str)
