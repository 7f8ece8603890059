"""Reading a message as the lists spell it: chat spellings and slips of the finger, and what must stay as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.fold import fold
from troly.text.spelling import Corrector

SPELLING = Corrector(
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
    assert fold(SPELLING.correct(typed).text) == fold(plain)


def test_words_that_are_known_are_no_slips() -> None:
    assert not SPELLING.correct("toi muon hoi bao gio").changes


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(SPELLING.correct(text).text, str)
