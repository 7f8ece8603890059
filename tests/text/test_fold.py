"""The fold makes every way to type a Vietnamese word the same, and knows where each letter came from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything, decomposed, plain, vietnamese
from troly.text.fold import (
    accents,
    accents_agree,
    bigrams,
    fold,
    fold_in_place,
    folded_words,
    has_marks,
    nfc,
    tokens,
    words,
)


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("Đường", "duong"),
        ("ĐẠI HỌC", "dai hoc"),
        ("ＡＢＣ１２３", "abc123"),
        ("ﬁle œuvre Æ", "file oeuvre ae"),
        ("Ðà Nẵng", "da nang"),
        ("bảo\u00adhành", "baohanh"),
        ("don’t – “yes”", 'don\'t - "yes"'),
        ("30m²", "30m2"),
        ("", ""),
    ],
)
def test_worked_examples(typed: str, folded: str) -> None:
    assert fold(typed) == folded


@given(anything)
def test_folding_twice_changes_nothing(s: str) -> None:
    assert fold(fold(s)) == fold(s)


@given(anything)
def test_decomposed_text_folds_alike(s: str) -> None:
    assert fold(decomposed(s)) == fold(nfc(s)) == fold(s)


@given(vietnamese)
def test_vietnamese_folds_to_what_a_plain_keyboard_types(s: str) -> None:
    assert fold(s) == fold(plain(s)) == fold(s.upper()) == plain(s).lower()


@given(anything)
def test_map_leads_back_to_the_letter_a_fold_came_from(s: str) -> None:
    folded, places = fold_in_place(nfc(s))
    assert folded == fold(s)
    assert len(places) == len(folded)
    assert all(char in fold(nfc(s)[at]) for char, at in zip(folded, places, strict=True))
    assert places == sorted(places)


@given(anything)
def test_places_in_the_string_as_typed(s: str) -> None:
    folded, places = fold_in_place(decomposed(s))
    assert folded == fold(s)
    assert all(char in fold(decomposed(s)[at]) for char, at in zip(folded, places, strict=True))


def test_words_keep_accents_and_drop_punctuation() -> None:
    assert words("Máy_tính XÁCH-tay, 15,5%?") == ["máy", "tính", "xách", "tay", "15", "5"]
    assert folded_words("Máy tính Đen") == ["may", "tinh", "den"]
    assert bigrams(["bảo", "hành", "máy"]) == ["bảo_hành", "hành_máy"]
    assert bigrams(["một"]) == bigrams([]) == []


@given(anything)
def test_words_do_not_depend_on_the_normal_form(s: str) -> None:
    assert words(decomposed(s)) == words(nfc(s))
    assert len(folded_words(s)) == len(words(s))


@given(anything)
def test_tokens_lie_in_the_text_in_order(s: str) -> None:
    found = tokens(s)
    assert all(0 <= token.start < token.end <= len(s) for token in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(fold(s[token.start : token.end]).startswith(token.folded[:1]) for token in found)


def test_drawn_out_letters_count_once() -> None:
    assert [token.folded for token in tokens("giáááá khôngggg 1000")] == ["gia", "khong", "1000"]


@pytest.mark.parametrize(
    ("typed", "wanted", "agree"),
    [
        ("ban", "bạn", True),
        ("ban", "bán", True),
        ("bán", "bạn", False),
        ("bán", "ban", False),
        ("hoà", "hòa", True),
        ("khoẻ", "KHỎE", True),
        ("đuoc", "được", True),
        ("đang", "dâng", False),
        ("duoc", "được", True),
        ("laptop", "laptop", True),
    ],
)
def test_typed_accents_must_not_contradict(typed: str, wanted: str, agree: bool) -> None:
    assert accents_agree(typed, wanted) is agree
    assert accents_agree(decomposed(typed), wanted) is agree


@given(st.text(st.sampled_from("aăâbcdđeêghiklmnoôơpquưvxyàảãáạ"), max_size=8))
def test_a_word_agrees_with_itself_and_its_plain_spelling(word: str) -> None:
    assert accents_agree(word, word)
    assert accents_agree(plain(word), word)
    assert accents(plain(word)) == ""
    assert has_marks([word]) is (plain(word) != word)
