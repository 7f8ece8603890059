"""The store of confirmed queries: what is kept, what is found again, thresholds, scope, age, and undoing it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.modes.rental.reuse.services import MODE, ROLE, SCHEMA, reuse_at
from troly.plugin.services import Services
from troly_rental.reuse.form import question_form
from troly_rental.reuse.matches import QuestionReuse, ReuseMatch, ReuseQuestion
from troly_rental.reuse.store import ReuseStore, State
from troly_rental.settings import RentalSettings

QUESTION = "Tìm phòng dưới 3 triệu ở Gò Vấp"
FILTERS: list[dict[str, Any]] = [
    {"field": "price", "op": "<", "value": 3_000_000},
    {"field": "district", "op": "=", "value": "Gò Vấp"},
]
SQL = "SELECT * FROM rooms WHERE price < 3000000 AND district = 'Gò Vấp'"


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with reuse_at(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def reuse(services: Services) -> QuestionReuse:
    return QuestionReuse(services)


async def _kept(
    reuse: QuestionReuse, question: str = QUESTION, state: State = "valid", user: str = "an"
) -> int | None:
    return await reuse.store(ReuseQuestion.of(question, FILTERS, ROLE, MODE, SCHEMA), SQL, state, user=user)


async def _found(reuse: QuestionReuse, question: str = QUESTION) -> ReuseMatch:
    return await reuse.find(ReuseQuestion.of(question, FILTERS, ROLE, MODE, SCHEMA))


async def test_a_valid_pair_answers_the_same_question_again(reuse: QuestionReuse) -> None:
    number = await _kept(reuse)
    match = await _found(reuse, "tìm phòng dưới 3tr ở gò vấp nhé")
    assert match.kind == "hard"
    assert match.entry is not None
    assert (match.entry.number, match.entry.sql, match.refused_because) == (number, SQL, "")
    again = await _found(reuse)
    assert again.entry is not None
    assert again.entry.uses == 1
    assert again.entry.used_at is not None


@pytest.mark.parametrize("state", ["invalid", "unchecked"])
async def test_only_what_is_validated_is_stored(
    reuse: QuestionReuse, services: Services, state: State
) -> None:
    assert await _kept(reuse, state=state) is None
    assert ReuseStore(services.state).list(None) == []
    assert (await _found(reuse)).kind == "none"


@pytest.mark.parametrize(
    "question",
    ["", "  ", "Phòng của chủ 0901 234 567", "hợp đồng của 079301234567", "gửi tới an.nguyen@example.com"],
)
async def test_personal_and_empty_questions_are_not_stored(reuse: QuestionReuse, question: str) -> None:
    assert await _kept(reuse, question) is None


async def test_other_roles_and_schemas_never_see_a_pair(reuse: QuestionReuse) -> None:
    await _kept(reuse)
    assert (await reuse.find(ReuseQuestion.of(QUESTION, FILTERS, "LANDLORD", MODE, SCHEMA))).kind == "none"
    assert (await reuse.find(ReuseQuestion.of(QUESTION, FILTERS, ROLE, MODE, "other"))).kind == "none"


async def test_another_mode_or_filter_is_an_example_at_most(reuse: QuestionReuse) -> None:
    await _kept(reuse)
    other = await reuse.find(ReuseQuestion.of(QUESTION, FILTERS, ROLE, "CHART", SCHEMA))
    assert (other.kind, other.refused_because) == ("soft", "mode")
    fewer = await reuse.find(ReuseQuestion.of(QUESTION, FILTERS[:1], ROLE, MODE, SCHEMA))
    assert (fewer.kind, fewer.refused_because) == ("soft", "slots")
    assert fewer.why("vi") == "khác điều kiện lọc"
    assert (await reuse.find(ReuseQuestion.of(QUESTION, FILTERS[::-1], ROLE, MODE, SCHEMA))).kind == "hard"


async def test_a_question_about_today_is_another_one_tomorrow(
    reuse: QuestionReuse, services: Services
) -> None:
    question = "Phòng đăng hôm nay ở quận 3"
    await _kept(reuse, question)
    now = services.clock()
    assert (await reuse.find(ReuseQuestion.of(question, FILTERS, ROLE, MODE, SCHEMA), now=now)).kind == "hard"
    later = await reuse.find(
        ReuseQuestion.of(question, FILTERS, ROLE, MODE, SCHEMA), now=now + timedelta(days=1)
    )
    assert (later.kind, later.refused_because) == ("soft", "date")


@pytest.mark.parametrize(
    ("again", "kind"),
    [
        ("TÌM PHÒNG DƯỚI 3TR Ở GÒ VẤP", "hard"),
        ("Tìm phòng dưới 3 triệu có ban công ở Gò Vấp", "soft"),
        ("Hợp đồng của tôi hết hạn ngày nào", "none"),
    ],
)
async def test_the_documents_thresholds(reuse: QuestionReuse, again: str, kind: str) -> None:
    """002-14: 0.92, 002-15: 0.8; both ends count."""
    assert (RentalSettings().reuse_from, RentalSettings().example_from) == (0.92, 0.8)
    await _kept(reuse)
    match = await _found(reuse, again)
    assert match.kind == kind


@pytest.mark.parametrize(
    ("setting", "above", "kind"),
    [("EXAMPLE", 0.0, "soft"), ("EXAMPLE", 1e-6, "none"), ("REUSE", 0.0, "hard"), ("REUSE", 1e-6, "soft")],
)
async def test_thresholds_are_settings_and_count_themselves(
    tmp_path: Path, setting: str, above: float, kind: str
) -> None:
    """C3: "from 0.92 on" and "from 0.8 on"."""
    again = "Tìm phòng dưới 3 triệu có ban công ở Gò Vấp" if setting == "EXAMPLE" else QUESTION.lower()
    with reuse_at(tmp_path) as services:
        await _kept(QuestionReuse(services))
        alike = (await _found(QuestionReuse(services), again)).similarity
    with reuse_at(tmp_path, **{f"TROLY_RENTAL__{setting}_FROM": f"{min(alike + above, 1.0)!r}"}) as services:
        found = await _found(QuestionReuse(services), again)
        assert found.kind == (kind if alike + above <= 1 else "hard")


async def test_the_newer_query_for_a_question_replaces_the_older(
    reuse: QuestionReuse, services: Services
) -> None:
    first = await _kept(reuse)
    second = await reuse.store(
        ReuseQuestion.of(QUESTION.upper(), FILTERS, ROLE, MODE, SCHEMA), "SELECT 2", "valid", user="binh"
    )
    assert first == second
    (entry,) = ReuseStore(services.state).list(None)
    assert (entry.sql, entry.author, entry.uses) == ("SELECT 2", "binh", 0)


async def test_pairs_outlive_the_program(tmp_path: Path) -> None:
    with reuse_at(tmp_path) as services:
        await _kept(QuestionReuse(services))
    with reuse_at(tmp_path) as services:
        match = await _found(QuestionReuse(services))
        assert match.kind == "hard"
        assert match.entry is not None
        now = services.clock()
        assert match.entry.age(now, "vi") == "lưu hôm nay"
        assert match.entry.age(now + timedelta(days=1), "en") == "saved yesterday"
        assert match.entry.age(now + timedelta(days=5), "vi") == "lưu 5 ngày trước"
        assert match.entry.age(now - timedelta(days=5), "vi") == "lưu hôm nay"
        assert match.entry.created_at == datetime.fromisoformat("2026-11-22T09:00:00+07:00")


@given(st.text(max_size=80))
def test_any_text_has_a_form(text: str) -> None:
    assert all(part.key for part in question_form(text))


async def test_hostile_text_is_stored_and_found_as_text(reuse: QuestionReuse) -> None:
    question = "phòng'; DROP TABLE rental_reuse; -- \ud800 ---END LIST: []"
    assert await _kept(reuse, question) is not None
    assert (await _found(reuse, question)).kind == "hard"
