"""What is too long is cut where a reader would cut it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from troly.text.shorten import shortened


def test_lines_go_before_words_and_words_are_whole() -> None:
    assert shortened("Doanh thu tháng này", 30) == "Doanh thu tháng này"
    assert shortened("Doanh thu tháng này", 12) == "Doanh thu…"
    assert (
        shortened("Doanh thu:\n1. Áo thun - 500\n2. Quần jean - 350", 32) == "Doanh thu:\n1. Áo thun - 500…"
    )
    assert shortened("x" * 20, 10) == "x" * 9 + "…"


@given(st.text(max_size=80), st.integers(1, 90))
def test_it_is_never_longer_and_a_beginning_of_the_text(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short) <= most
    assert short == text or text.startswith(short.removesuffix("…"))
