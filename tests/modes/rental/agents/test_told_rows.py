"""What is shown of a model's query: units and heads of columns that are worked out, and the conditions in its title."""

from __future__ import annotations

import pytest
import sqlglot

from troly.text.language import is_mixed
from troly_rental.answer.payload import ResultSet
from troly_rental.answer.sentences import filters_text
from troly_rental.answer.values import column_label
from troly_rental.sql.columns import bare_columns, named_in


@pytest.mark.parametrize(
    ("worked_out", "money"),
    [
        ("deposit / price", False), ("count(*)", False), ("100.0 * sum(price) / sum(deposit)", False), ("2", False),
        ("deposit - price", True), ("round(avg(price), 0)", True), ("price / 2", True), ("price * 12", True),
        ("sum(price) OVER ()", True), ("max(deposit) FILTER (WHERE area > 20)", True), ("price", True),
    ],
)  # fmt: skip
def test_only_money_has_its_unit(worked_out: str, money: bool) -> None:
    tree = sqlglot.parse_one(f"SELECT {worked_out} AS total_price FROM rooms", read="duckdb")
    found = ResultSet(("total_price",), ((2,),), 1, bare=bare_columns(tree))
    assert ("VND" in found.told("total_price", 2, "vi")) is money


def test_a_models_name_of_known_words_is_told_in_the_readers_language() -> None:
    assert column_label("deposit_months", "room", "vi") == "số tháng tiền cọc"
    assert column_label("deposit_months", "room", "en") == "deposit months"
    assert column_label("foo_price", "room", "vi") == "foo price"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("CAST(scheduled_at AS DATE) = DATE '2026-11-25'", "giờ hẹn 25/11/2026"),
        ("viewings.status = 'confirmed'", "đã xác nhận"),
        ("scheduled_at >= '2026-11-25'", "giờ hẹn từ 25/11/2026"),
        ("viewings.id IN (1, 2)", ""),
        ("scheduled_at > now()", ""),
        ("NOT (viewings.status = 'confirmed')", ""),
    ],
)
def test_conditions_stand_in_the_title(where: str, said: str) -> None:
    tree = sqlglot.parse_one(f"SELECT viewings.id FROM viewings WHERE {where}", read="duckdb")
    assert filters_text(named_in(tree, "viewing"), "viewing", "vi") == said


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("amenity_id = 'pets'", "có cho nuôi thú cưng"),
        ("amenity_id IN ('pets', 'wifi')", "có cho nuôi thú cưng hoặc wifi"),
        ("amenity_id <> 'pets'", ""),
    ],
)
def test_amenities_stand_in_the_title_as_they_are_asked_for(inside: str, said: str) -> None:
    query = f"SELECT id FROM rooms WHERE EXISTS (SELECT 1 FROM room_amenities WHERE room_id = rooms.id AND {inside})"
    assert filters_text(named_in(sqlglot.parse_one(query, read="duckdb"), "room"), "room", "vi") == said


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        ("find me the cheapest studio ở Cầu Giấy", True),
        ("show me phòng trọ giá rẻ ở Quận 7 please", True),
        ("which rooms would suit a first year student in Gò Vấp", False),
        ("phòng hợp túi tiền sinh viên năm nhất ở Gò Vấp", False),
        ("24?", False),
        ("", False),
    ],
)
def test_a_message_of_both_languages_is_mixed(text: str, mixed: bool) -> None:
    assert is_mixed(text) is mixed
