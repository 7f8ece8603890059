"""Turns that point at rows of the list before, and stored queries that are of something else."""

from __future__ import annotations

import pytest

from tests.modes.rental.question.cases import ask
from tests.support.rental.desk import RentalDesk
from troly.plugin.events import ItemList
from troly.sandbox import check
from troly_rental.roles import relations_of
from troly_rental.sql.builder import build_query
from troly_rental.sql.comparison import answers_differently, reads_other_records


async def test_rows_of_the_list_are_told_again_and_the_list_stays(desk: RentalDesk) -> None:
    desk.become("nobody")
    first = await desk.ask("phòng ở Bình Thạnh")
    rows = first.state["results"]
    second = await desk.ask("cái thứ hai bao nhiêu tiền")
    third = await desk.ask("chi tiết phòng số 3")
    assert [row["id"] for row in second.state["results"]] == [rows[1]["id"]]
    assert [row["id"] for row in third.state["results"]] == [rows[2]["id"]]
    assert f"{rows[1]['price']:,}".replace(",", ".") in second.answer
    cheaper = await desk.ask("rẻ hơn nữa")
    assert all(row["price"] < min(row["price"] for row in rows) for row in cheaper.state["results"])
    beyond = await desk.ask("cái thứ 40")
    assert beyond.state["kind"] == "CONTROL"


async def test_a_list_shows_nothing_that_says_nothing(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng trọ dưới 3 triệu ở Gò Vấp")
    for item in told.all(ItemList)[0].items:
        labels = dict(item.fields)
        assert "/tháng" in labels["giá"]
        assert labels.get("phòng ngủ") != "0"
        assert "tình trạng" not in labels


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("giá trung bình theo quận", "giá trung bình theo loại phòng"),
        ("giá trung bình theo quận", "giá cao nhất theo quận"),
        ("có bao nhiêu phòng ở quận 7", "giá trung bình ở quận 7"),
        ("phòng rẻ nhất quận 7", "phòng rộng nhất quận 7"),
        ("phòng ở quận 7", "bài đăng ở quận 7"),
        ("3 phòng rẻ nhất quận 7", "5 phòng rẻ nhất quận 7"),
    ],
)
def test_a_stored_query_of_something_else_is_not_reused(asked: str, stored: str) -> None:
    columns = {one.name: one.columns for one in relations_of("GUEST", None)}
    other = check(build_query(ask(stored, role="GUEST")).sql(dialect="duckdb"), columns, max_rows=100)
    same = check(build_query(ask(asked, role="GUEST")).sql(dialect="duckdb"), columns, max_rows=100)
    assert answers_differently(ask(asked, role="GUEST"), other, "GUEST")
    assert not answers_differently(ask(asked, role="GUEST"), same, "GUEST")
    assert not reads_other_records(ask(asked, role="GUEST"), same)
