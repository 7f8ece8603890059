"""Vietnamese as people type it, for property tests: alphabet, plain spelling, typing mistakes."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

LETTERS = (
    "aàảãáạăằẳẵắặâầẩẫấậbcdđeèẻẽéẹêềểễếệghiìỉĩíịklmnoòỏõóọôồổỗốộơờởỡớợpqrstuùủũúụưừửữứựvxyỳỷỹýỵ"
    "AÀẢÃÁẠĂẰẲẴẮẶÂẦẨẪẤẬBCDĐEÈẺẼÉẸÊỀỂỄẾỆGHIÌỈĨÍỊKLMNOÒỎÕÓỌÔỒỔỖỐỘƠỜỞỠỚỢPQRSTUÙỦŨÚỤƯỪỬỮỨỰVXYỲỶỸÝỴ"
)
vietnamese = st.text(st.sampled_from(LETTERS + " 0123456789.,?!-"), max_size=60)
anything = st.text(max_size=80) | vietnamese


def plain(s: str) -> str:
    """`s` as typed by someone without a Vietnamese keyboard."""
    parts = unicodedata.normalize("NFD", s.replace("đ", "d").replace("Đ", "D"))
    return "".join(part for part in parts if not unicodedata.combining(part))


def decomposed(s: str) -> str:
    """`s` as some keyboards and file systems send it."""
    return unicodedata.normalize("NFD", s)


def slip(s: str, at: int) -> str:
    """`s` with the letters at `at` and after it swapped."""
    return s[:at] + s[at + 1 : at + 2] + s[at : at + 1] + s[at + 2 :]
