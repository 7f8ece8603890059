"""No stored question answers another one: 200 questions, every number, place, negation and direction swapped."""

from __future__ import annotations

import random
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.modes.rental.reuse.questions import (
    AREAS,
    DIRECTIONS,
    EXTRAS,
    EXTREMES,
    MILLIONS,
    PLACES,
    Question,
    questions,
    unmarked,
)
from tests.modes.rental.reuse.services import MODE, ROLE, SCHEMA, reuse_at
from troly_rental.reuse.form import difference, question_form
from troly_rental.reuse.matches import QuestionReuse, ReuseQuestion

STORED = questions(200)
OTHER_FORMS: dict[str, Callable[[str], str]] = {
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "capitals": str.upper,
    "polite": lambda text: f"{text} giúp mình nhé ạ",
    "chat": lambda text: text.replace(" triệu", "tr").replace("không có", "ko có").replace("Quận ", "q"),
    "spaces": lambda text: text.replace(" ", "  ").replace(",", " ,"),
}


async def test_no_swap_of_200_stored_questions_is_reused(tmp_path: Path) -> None:
    pick = random.Random(11)
    meant = {question.text: _meaning(question) for question in STORED}
    wrong, refused = [], Counter[str]()
    # Every question is alike enough: only the other rules can tell them apart.
    alike = {"TROLY_RENTAL__REUSE_FROM": "0", "TROLY_RENTAL__EXAMPLE_FROM": "0"}
    with reuse_at(tmp_path, **alike) as services:
        reuse = QuestionReuse(services)
        for question in STORED:
            number = await reuse.store(
                ReuseQuestion.of(question.text, [], ROLE, MODE, SCHEMA),
                f"SELECT '{question.text}'",
                "valid",
            )
            assert number is not None
        for question in STORED:
            for name, swapped in question.swaps(pick):
                match = await reuse.find(ReuseQuestion.of(swapped.text, [], ROLE, MODE, SCHEMA))
                refused[f"{name}: {match.kind}"] += 1
                if match.kind != "hard" or match.entry is None:
                    continue
                if (
                    meant[match.entry.question] != _meaning(swapped)
                    or swapped.start not in match.entry.question
                ):
                    wrong.append((name, swapped.text, match.entry.question))
    assert not wrong
    assert {"number: soft", "place: soft", "negation: soft", "direction: soft"} <= set(refused)
    assert sum(refused.values()) > 1500


async def test_each_stored_question_is_found_again_in_its_other_spellings(tmp_path: Path) -> None:
    missed = Counter[str]()
    with reuse_at(tmp_path) as services:
        reuse = QuestionReuse(services)
        for question in STORED[:60]:
            await reuse.store(ReuseQuestion.of(question.text, [], ROLE, MODE, SCHEMA), question.text, "valid")
        for question in STORED[:60]:
            for name, change in OTHER_FORMS.items():
                match = await reuse.find(ReuseQuestion.of(change(question.text), [], ROLE, MODE, SCHEMA))
                if match.kind != "hard" or match.entry is None or match.entry.question != question.text:
                    missed[name] += 1
    assert not missed


_questions = st.builds(
    Question,
    st.sampled_from(["Tìm phòng", "Phòng", "Có bao nhiêu phòng", "Cho em xem căn hộ"]),
    st.sampled_from(PLACES),
    st.sampled_from(sorted(DIRECTIONS)),
    st.sampled_from(MILLIONS) | st.integers(1, 60),
    st.sampled_from(AREAS) | st.integers(5, 200),
    st.sampled_from(sorted(DIRECTIONS)),
    st.sampled_from(EXTRAS),
    st.booleans(),
    st.sampled_from(["", *EXTREMES]),
    st.booleans(),
)
_OPPOSITE = {**DIRECTIONS, **EXTREMES}
# Words of one side that say the same: "tối đa 3 triệu" and "không quá 3 triệu" are one question.
_SIDE = {"dưới": "<", "tối đa": "<", "không quá": "<", "trên": ">", "tối thiểu": ">", "ít nhất": ">"}


def _meaning(question: Question) -> tuple[object, ...]:
    sides = replace(
        question, direction=_SIDE[question.direction], area_direction=_SIDE[question.area_direction]
    )
    return tuple(getattr(sides, field.name) for field in fields(sides) if field.name != "start")


_forms = st.sampled_from([str, unmarked, str.upper, *OTHER_FORMS.values()])


@given(_questions, _questions, _forms, _forms)
def test_two_questions_that_mean_different_things_always_differ(
    one: Question, other: Question, write: Callable[[str], str], rewrite: Callable[[str], str]
) -> None:
    assume(_meaning(one) != _meaning(other))
    assert difference(question_form(write(one.text)), question_form(rewrite(other.text)))


@given(_questions, st.randoms(use_true_random=False), _forms, _forms)
@settings(max_examples=200)
def test_every_single_swap_is_seen_in_every_spelling(
    question: Question, pick: random.Random, write: Callable[[str], str], rewrite: Callable[[str], str]
) -> None:
    for name, swapped in question.swaps(pick):
        if _meaning(swapped) == _meaning(question):
            continue
        reason = difference(question_form(write(question.text)), question_form(rewrite(swapped.text)))
        assert reason, name


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Phòng quận 1 đắt hơn quận 3 bao nhiêu", "Phòng quận 3 đắt hơn quận 1 bao nhiêu", "places"),
        ("phòng trên 3tr dưới 20m2", "phòng dưới 3tr trên 20m2", "words"),
        ("phòng dưới 3 triệu trên 20 m2", "phòng dưới 20 m2 trên 3 triệu", "numbers"),
        ("phòng 3tr trở lên", "phòng 3tr trở xuống", "words"),
        ("phòng 3tr trở lên 20m2", "phòng 3tr 20m2 trở lên", "words"),
        ("phòng có máy lạnh không có ban công", "phòng không có máy lạnh có ban công", "words"),
        ("khách thuê nợ chủ nhà", "chủ nhà nợ khách thuê", "words"),
        ("phòng ở Gò Vấp", "phòng không ở Gò Vấp", "words"),
        ("phòng gần Bách Khoa", "phòng gần chợ Bến Thành", "places"),
        ("hóa đơn của tôi", "hóa đơn", "words"),
        ("phòng từ 2 đến 4 triệu", "phòng từ 2 đến 5 triệu", "numbers"),
        ("rooms under 3 million in District 1", "rooms over 3 million in District 1", "words"),
        ("rooms in District 1 with wifi", "rooms in District 1 without wifi", "words"),
        ("cheapest rooms in District 7", "most expensive rooms in District 7", "words"),
        ("phòng mà chủ bán", "phòng mà chủ bận", "words"),
    ],
)
def test_near_pairs_are_told_apart(one: str, other: str, reason: str) -> None:
    assert difference(question_form(one), question_form(other)) == reason
    assert difference(question_form(other), question_form(one)) == reason
    assert difference(question_form(one), question_form(one)) == ""


def test_loops_of_the_test_itself_are_fair() -> None:
    """A swap of the generator really is another text, and the stored questions are 200 different ones."""
    pick = random.Random(3)
    assert len({question.text for question in STORED}) == 200
    assert all(swap.text != question.text for question in STORED for _, swap in question.swaps(pick))
