"""The glossary file is sound, and a question's words are taken for its concepts only where they can be meant."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.retrieval.search.glossary import ConceptMatch, concepts, forms, read, stem
from troly.retrieval.search.terms import read_question
from troly.text import fold

TEXT = files("troly.retrieval").joinpath("glossary.txt").read_text(encoding="utf-8")


def hits(question: str) -> list[ConceptMatch]:
    asked = read_question(question)
    return concepts(asked.words, english=asked.language < 0 if abs(asked.language) > 0.2 else None)


def named(question: str) -> dict[str, set[str]]:
    """What each phrase of `question` that is a concept is called elsewhere."""
    words = fold.words(question)
    return {
        " ".join(words[hit.start : hit.end]): {" ".join(one.folded) for one in hit.others}
        for hit in hits(question)
    }


def test_every_line_is_a_remark_or_a_concept_with_both_languages() -> None:
    lines = [line for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]
    assert [line for line in lines if line.count("|") != 1] == []
    concepts_of_file = read(TEXT)
    assert len(concepts_of_file) == len(lines) >= 450
    assert [sides for sides in concepts_of_file if not all(sides)] == []


def test_english_phrases_have_no_marks_and_no_phrase_is_twice_on_a_line() -> None:
    for english, vietnamese in read(TEXT):
        assert not fold.has_marks(word for phrase in english for word in fold.words(phrase)), english
        for phrases in (english, vietnamese):
            assert [phrase for phrase, times in Counter(phrases).items() if times > 1] == []


@pytest.mark.parametrize(
    ("question", "phrase", "other"),
    [
        ("When do I get a refund?", "refund", "hoan tien"),
        ("refunds", "refunds", "hoan tien"),
        ("Bao giờ được hoàn tiền?", "hoàn tiền", "refund"),
        ("bao gio duoc hoan tien", "hoan tien", "refunded"),
        ("di tre may phut", "di tre", "di muon"),
        ("Is there overtime on Sundays?", "overtime", "lam them gio"),
        ("PHÍ GIAO HÀNG", "phí giao hàng", "delivery fee"),
        ("PHÍ GIAO HÀNG", "giao hàng", "delivery"),
    ],
)
def test_a_concept_is_known_in_both_languages_and_all_forms(question: str, phrase: str, other: str) -> None:
    assert other in named(question)[phrase]


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("cho toi mua cai ban", "ban"),  # bàn, bán, bạn: not English "ban"
        ("con may gio nua thi dong cua", "con"),
        ("Bạn bán bàn không?", "bán bàn"),
        ("Does it hold paper with a pin?", "pin"),
    ],
)
def test_what_is_spelt_alike_in_the_other_language_is_left_alone(question: str, phrase: str) -> None:
    assert phrase not in named(question)


def test_one_syllable_counts_with_its_marks_or_where_the_file_says_so() -> None:
    assert "dung" in named("xài được bao lâu")["xài"]
    assert "su dung" in named("xai duoc bao lau")["xai"]
    assert "tăng" in named("khi nào được tăng")
    assert "tang" not in named("khi nao duoc tang")


@given(st.lists(st.text(max_size=12), max_size=12), st.sampled_from([True, False, None]))
def test_any_words_can_be_asked_and_hits_nest(words: list[str], english: bool | None) -> None:
    typed = [word for text in words for word in fold.words(text)]
    found = concepts(typed, english=english)
    assert found == concepts(typed, english=english)
    for one in found:
        assert 0 <= one.start < one.end <= len(typed)
        for other in found:
            apart = one.end <= other.start or other.end <= one.start
            inside = one.start <= other.start and other.end <= one.end
            around = other.start <= one.start and one.end <= other.end
            assert apart or inside or around


@given(st.text(max_size=20))
def test_a_file_of_any_text_can_be_read(text: str) -> None:
    for english, vietnamese in read(text):
        assert all(fold.words(phrase) for phrase in (*english, *vietnamese))


@pytest.mark.parametrize(
    "word", ["refund", "policy", "close", "stop", "order", "branch", "fix", "service", "pay"]
)
def test_all_forms_of_a_word_have_one_stem(word: str) -> None:
    assert {stem(form) for form in forms(word)} == {stem(word)}


@given(st.text(max_size=15))
def test_any_word_has_a_stem_and_forms(word: str) -> None:
    assert stem(word) == stem(word)
    assert forms(word)[0] == word
