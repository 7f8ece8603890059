"""The one spelling corrector: what is read as meant, what stays as typed, and that places are told rightly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.vietnamese import anything
from troly.text.fold import fold, tokens
from troly.text.spelling import (
    Change,
    Correction,
    Corrector,
    SpellingRules,
    chat_spellings,
    nearest,
    without_telex,
)

PHRASES = [
    "bảo hành", "màn hình", "bàn phím", "khuyến mãi", "trả góp", "warranty", "keyboard", "mua sỉ", "Gò Vấp",
]  # fmt: skip
CORRECTOR = Corrector(PHRASES, ["bao giờ", "tôi muốn hỏi", "kiểm tra máy"])
WORDS = Corrector(
    ["doanh", "thu", "tiền", "khách", "thang", "tháng"],
    chat={"dt": "doanh thu", "đc": "được"},
    rules=SpellingRules(
        shortest_word=4,
        most_words=1,
        two_slips_from=8,
        same_start=True,
        unique=True,
        same_letters_up_to=4,
        chat_by_fold=True,
        chat_anywhere_from=1,
    ),
)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("kiểm tra bảo hànnh", "kiểm tra bảo hành"),
        ("bao hahn máy in?", "bảo hành máy in?"),
        ("co trar gop khong", "co tra gop khong"),
        ("Khuyen maii gi", "khuyen mai gi"),
        ("my warrany!", "my warranty!"),
        ("a keybord please", "a keyboard please"),
        ("bh máy em", "bảo hành máy em"),
        ("ko biết", "không biết"),
        ("500 k được không", "500 k được không"),
        ("phòng govap", "phòng Gò Vấp"),
        ("bảo, hahn", "bảo, hahn"),
        ("bao giờ có", "bao giờ có"),
        ("màu hồng", "màu hồng"),
        ("do you like music", "do you like music"),
        ("ABC123 bao hanhh", "ABC123 bao hanh"),
        ("", ""),
    ],
)
def test_what_is_meant(typed: str, read: str) -> None:
    assert CORRECTOR.correct(typed).text == read


def test_each_change_says_where_it_stands_and_what_was_typed() -> None:
    found = CORRECTOR.correct("Ko biết bảo hànnh")
    assert found.changes == (
        Change(0, 2, "Ko", "không", "chat"),
        Change(8, 17, "bảo hànnh", "bảo hành", "slip"),
    )
    assert found.typed == "Ko biết bảo hànnh"


def test_a_protected_span_stays() -> None:
    assert CORRECTOR.correct("my warrany", protected=[(3, 10)]).changes == ()


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("daonh", "doanh"),
        ("odanh", "doanh"),
        ("haonh", "haonh"),  # the first letter is right
        ("thnag", "thang"),
        ("dc k", "được k"),
        ("dt theo", "doanh thu theo"),
    ],
)
def test_rules_for_single_words(typed: str, read: str) -> None:
    assert fold(WORDS.correct(typed).text) == fold(read)


def test_words_of_the_question_are_no_slips_and_may_be_meant() -> None:
    assert WORDS.correct("dt shoppee", vocabulary={"dt", "shopee"}).text == "dt shopee"


def test_of_two_spellings_the_last_file_counts(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("không: ko, K\nbảo hành: bh", "utf-8")
    two.write_text("bác hai: bh", "utf-8")
    assert chat_spellings(one, two) == {"ko": "không", "k": "không", "bh": "bác hai"}


def test_a_mode_may_know_words_that_no_list_spells() -> None:
    corrector = Corrector(["quận"], repair=lambda token: "quận" if token.text == "quân" else None)
    assert corrector.correct("quân 7").text == "quận 7"


@pytest.mark.parametrize(
    ("typed", "plain"), [("quaanj", "quan"), ("huowng", "huong"), ("ddaats", "dat"), ("nhaf", "nha")]
)
def test_telex_keys(typed: str, plain: str) -> None:
    assert without_telex(typed) == plain


@given(st.sampled_from(["baohanh", "warranty", "keyboard"]), st.data())
def test_one_slip_of_a_word_is_near_it_and_two_are_not(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 2))
    for slip in (
        word[:at] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + "x" + word[at:],
        word[:at] + "x" + word[at + 1 :],
    ):
        assert nearest(slip, ["baohanh", "warranty", "keyboard"]) == [word]
    assert nearest(f"{word}xx", [word]) == []


@given(anything)
def test_what_was_typed_is_kept_and_every_change_is_in_its_place(text: str) -> None:
    for corrector in (CORRECTOR, WORDS):
        found = corrector.correct(text)
        assert found.typed == text
        ends = [0, *(change.end for change in found.changes)]
        for change, before in zip(found.changes, ends, strict=False):
            assert before <= change.start < change.end
            assert text[change.start : change.end] == change.typed
        if text.isascii():
            assert found.text.isascii()


@given(st.sampled_from(["12", "A1B2C3", "3.5", "2026-11-22", "+84 912 345 678", "-5%", ">= 20"]))
def test_numbers_and_codes_are_never_changed(code: str) -> None:
    assert CORRECTOR.correct(f"{code} bảo hànnh {code}").text == f"{code} bảo hành {code}"


@given(st.lists(st.sampled_from([word for phrase in PHRASES for word in phrase.split()]), max_size=6))
def test_listed_words_stay(listed: list[str]) -> None:
    text = " , ".join(listed)
    assert Corrector(PHRASES, chat={}).correct(text) == Correction(text)
    assert all(CORRECTOR.is_known(token.folded) for token in tokens(text))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("phòng rẻ nhứt giá nhiêu", "phòng rẻ nhất giá bao nhiêu"),
        ("giá bao nhiêu", "giá bao nhiêu"),
        ("gia bao nhieu", "gia bao nhieu"),
        ("so dới tháng 9", "so với tháng 9"),
    ],
)
def test_regional_spellings_are_written_out_once(typed: str, meant: str) -> None:
    assert Corrector(()).correct(typed).text == meant
