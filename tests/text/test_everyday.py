"""Everyday words: greetings and politeness are no part of a question, small talk is known in any dress, subjects are kept."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.text.everyday import (
    ROLES,
    SmallTalk,
    correction_phrases,
    is_laughter,
    small_talk,
    without_background,
    without_everyday,
    without_pleasantries,
)
from troly.text.fold import fold, tokens
from troly.text.match import Lexicon
from troly.text.wordlist import LEXICONS, read_lists

WORDS = read_lists(LEXICONS / "everyday.txt")
KINDS = ("greeting", "thanks", "bye", "ack", "identity", "ability", "chat")
ADDRESS = ("", " bạn", " em", " shop", " ad")
PARTICLES = ("", " ạ", " nhé", " nha", " à", " ak", "!", " vậy", " nhiều nhé")
QUESTIONS = (
    "doanh thu tháng 9",
    "laptop Dell dưới 20 triệu",
    "phòng trọ quận 7 có máy lạnh",
    "quy định nghỉ phép",
    "răng khôn đau",
    "unpaid tenants in March",
)


@given(
    st.sampled_from([(kind, phrase) for kind in KINDS for phrase in WORDS[kind]]),
    st.sampled_from(ADDRESS),
    st.sampled_from(PARTICLES),
    st.booleans(),
)
def test_small_talk_is_known_however_it_is_dressed(
    said: tuple[str, str], address: str, particle: str, plain: bool
) -> None:
    text = said[1] + address + particle
    found = small_talk(fold(text) if plain else text)
    assert found.kind is not None
    assert found.rest == ""


@given(
    st.sampled_from([*WORDS["greeting"], *WORDS["thanks"], ""]),
    st.sampled_from(QUESTIONS),
    st.sampled_from([*WORDS["thanks"], *WORDS["bye"], ""]),
    st.booleans(),
)
def test_a_question_keeps_all_its_words_and_loses_what_is_around_it(
    before: str, question: str, behind: str, plain: bool
) -> None:
    text = ", ".join(filter(None, (before, question, behind)))
    if plain:
        text, question = fold(text), fold(question)
    found = small_talk(text)
    assert found.kind is None
    assert found.rest == question
    kept = {word.text for word in without_everyday(text)}
    assert kept >= {word.text for word in without_everyday(question)}


@pytest.mark.parametrize(
    "text", ["duoc nghi may ngay", "em nghi duoc may ngay nua nam nay", "duoc nghi may ngay the"]
)
def test_a_question_without_accents_says_no_yes(text: str) -> None:
    assert small_talk(text) == SmallTalk(None, text)


@given(st.lists(st.sampled_from([phrase for role in ROLES for phrase in WORDS[role]]), max_size=6))
def test_words_that_name_nothing_leave_nothing(phrases: list[str]) -> None:
    assert without_everyday(" , ".join(phrases)) == []


@given(st.text(max_size=60))
def test_any_text_is_read_and_what_is_left_stands_in_it(text: str) -> None:
    found = small_talk(text)
    assert found.rest in text
    typed = {word.start for word in tokens(text)}
    assert all(word.start in typed for word in without_everyday(text))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("bàn bao nhiêu tiền vậy shop ơi", ["bàn", "tiền"]),
        ("doanh thu tháng 9", ["doanh", "thu", "tháng", "9"]),
        ("cho mik xem dc k", ["k"]),
        ("không còn hàng hả ta", ["không", "hàng"]),
        ("which rooms are cheaper please", ["rooms", "cheaper"]),
    ],
)
def test_words_of_a_subject_and_negations_are_never_idle(text: str, left: list[str]) -> None:
    assert [word.text for word in without_everyday(text)] == left


def test_what_an_assistant_has_read_is_left_out() -> None:
    text = "giá bàn phím cơ bao nhiêu"
    at = text.index("bàn phím cơ")
    assert [word.text for word in without_everyday(text, [(at, at + len("bàn phím cơ"))])] == ["giá"]


@pytest.mark.parametrize("laughter", ["kkk", "KKKK", "haha", "hihihi", "hehehe", "keke", "hahah", "khakha"])
def test_laughter_of_any_length_says_nothing(laughter: str) -> None:
    assert [word.text for word in without_everyday(f"{laughter} giá gạch men")] == ["giá", "gạch", "men"]


@pytest.mark.parametrize("word", ["ha", "kem", "hoa", "kẹo", "hoka", "kho"])
def test_a_word_that_repeats_nothing_is_no_laughter(word: str) -> None:
    assert not is_laughter(word)


BEFORE = (
    "",
    "dạ chị ",
    "ad ơi ",
    "cho em hỏi xíu, ",
    "bạn ơi giúp mình với, ",
    "Chào shop, cho hỏi chút: ",
    "xin chào, ",
)
BEHIND = ("", " ạ", " nha", " với ạ", " vậy em", " vậy ạ", " nhỉ", " nghen shop")
ASKED = (
    *QUESTIONS[:5],
    "trong đó mấy phòng có máy lạnh",
    "con rẻ nhất bao nhiêu tiền",
    "bỏ loại ở ghép đi",
    "chỉ quận 3 thôi",
    "Gò Vấp cơ",
    "hóa đơn của em",
    "cái thứ hai thì sao",
)


@given(st.sampled_from(BEFORE[2:]), st.sampled_from(ASKED), st.sampled_from(BEHIND))
def test_a_question_is_what_is_left_of_a_polite_message(before: str, asked: str, behind: str) -> None:
    assert without_pleasantries(before + asked + behind) == asked


@pytest.mark.parametrize(
    "text",
    [
        "toi muon thue nha",
        "cong ty co cho vay",
        "can I pay by card?",
        "em ơi",
        "dạ",
        "vậy",
        "hóa đơn của em",
        "",
    ],
)
def test_what_asks_or_names_something_is_no_pleasantry(text: str) -> None:
    assert without_pleasantries(text) == text


@given(st.text(max_size=60))
def test_any_text_keeps_its_words_in_order(text: str) -> None:
    left = [word.text for word in tokens(without_pleasantries(text))]
    said = [word.text for word in tokens(text)]
    assert not said or left
    assert any(said[at : at + len(left)] == left for at in range(len(said) + 1))


@pytest.mark.parametrize(
    ("text", "takes_back"),
    [
        ("ấy chết, phòng rẻ nhất cơ", True),
        ("thôi chết rồi, tháng 9 mới đúng", True),
        ("y chet, quan 7 co", True),
        ("chết rồi mình lỡ bấm vào đường link đó", False),
        ("hàng chết trong kho còn bao nhiêu", False),
        ("máy chủ chết lúc mấy giờ", False),
    ],
)
def test_an_exclamation_takes_back_only_behind_an_interjection(text: str, takes_back: bool) -> None:
    assert bool(Lexicon({"correction": correction_phrases()}).find(text)) is takes_back


DATA = re.compile(r"doanh thu|đơn|shopee|tháng|order|revenue", re.IGNORECASE)


def held(piece: str) -> bool:
    """Whether words name anything of a sheet of orders."""
    return bool(DATA.search(piece))


@pytest.mark.parametrize(
    "remark",
    [
        "chị đang khóa sổ", "anh sắp vô họp", "khách đang gọi lên hỏi", "hop xong toi phai goi ho", "mình gọi xin số trước",
        "mẹ chị hỏi hoài", "lát chị phải trình giám đốc", "kế toán đang chờ", "my boss is waiting", "I'm in a meeting", "im in a meeting", "sếp đang hối",
        "không có thì thôi",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "place", ["{asked}, {remark}", "{remark}, {asked}", "{asked} ({remark})", "{remark}. {asked}"]
)
def test_what_is_told_of_those_who_ask_or_wait_is_no_part_of_the_question(remark: str, place: str) -> None:
    asked = "doanh thu tháng 9 bao nhiêu"
    assert without_background(place.format(asked=asked, remark=remark), held)[0].strip(" ,") == asked


@pytest.mark.parametrize(
    "clause",
    [
        "chị chỉ cần shopee", "em tính theo tháng", "khách mua trên 5 triệu", "leave that one out", "it is the second one",
        "khách hàng nào đang chờ", "em bán 3 món",
    ],
)  # fmt: skip
def test_what_narrows_or_asks_is_no_remark(clause: str) -> None:
    text = f"{clause}, doanh thu bao nhiêu"
    assert without_background(text, held) == (text, ())


@pytest.mark.parametrize("thanks", ["ok thank you nhiều", "cảm ơn em", "ok", "vậy thôi"])
@pytest.mark.parametrize("later", ["có gì hỏi tiếp", "có gì mình nhắn lại nhé", "cần gì em hỏi thêm"])
def test_what_will_be_asked_later_asks_nothing(thanks: str, later: str) -> None:
    assert small_talk(f"{thanks}, {later}").kind is not None
    assert small_talk(f"{thanks}, có gì mới ở quận 3").kind is None
