"""Each of several values that a figure is asked of is told, with the whole; of two months which way it went; few rows beside their number."""

from __future__ import annotations

import re

import pytest

from tests.modes.rental.question.cases import ask
from tests.support.rental.desk import RentalDesk

FIGURES = (
    "giá trung bình phòng trọ ở {}",
    "có bao nhiêu phòng trọ ở {}",
    "how many rooms are there in {}",
    "gia trung binh chung cu o {}",
)
PAIRS = (("Gò Vấp", "Tân Bình"), ("Quận 3", "Quận 10"))


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("later", [None, "còn {} với {} thì sao", "thế {}, {}?", "what about {} and {}?"])
def test_values_named_together_are_told_each(figure: str, pair: tuple[str, str], later: str | None) -> None:
    first = figure.format("Bình Thạnh" if later else f"{pair[0]} và {pair[1]}")
    parsed = ask(first, later.format(*pair)) if later else ask(first)
    assert (parsed.group, len(parsed.measures)) == (("district",), 1)
    assert [set(one.values) for one in parsed.filters if one.field == "district"] == [set(pair)]


async def test_the_whole_is_what_the_sides_come_to(desk: RentalDesk) -> None:
    told = await desk.ask("có bao nhiêu phòng ở quận 1 và gò vấp")
    sides = [row["count"] for row in told.state["results"]]
    assert f"Cộng lại: {sum(sides)} phòng." in told.answer


@pytest.mark.parametrize(
    "text",
    [
        "giá trung bình quận 1 bao nhiêu? quận nào rẻ nhất?",
        "average rent in District 1, and which district is cheapest?",
    ],
)
def test_which_of_all_beside_the_figure_of_one_is_not_dropped(text: str) -> None:
    assert any(re.search("nào|which", run) for run in ask(text).unread)


@pytest.mark.parametrize(
    "after", ["so với tháng 9 thì tăng hay giảm", "tháng 9 cao hơn hay thấp hơn", "so với tháng 9 thế nào"]
)
async def test_two_months_say_which_way_it_went(desk: RentalDesk, after: str) -> None:
    desk.become("minh")
    told = [await desk.ask(text) for text in ("hóa đơn tháng 10 của tôi bao nhiêu", after)][-1]
    rows = told.state["results"]
    first, second = (next(value for name, value in row.items() if name.startswith("sum")) for row in rows)
    assert ("tăng" if second > first else "giảm") in told.answer


@pytest.mark.parametrize(
    "text", ["tôi có mấy hợp đồng", "how many contracts do I have", "mình có bao nhiêu lịch xem phòng"]
)
async def test_few_rows_of_ones_own_stand_beside_their_number(desk: RentalDesk, text: str) -> None:
    desk.become("minh")
    told = await desk.ask(text)
    (count,) = told.state["results"][0].values()
    assert ("Gồm: " in told.answer or "They are: " in told.answer) == (0 < count <= 8)


@pytest.mark.parametrize(
    ("login", "text", "figure"),
    [
        ("lan", "doanh thu theo tháng", "sum_total"),
        ("lan", "mỗi khách nợ bao nhiêu", "sum_total"),
        ("minh", "tiền điện của tôi từng tháng", "sum_electricity"),
        ("nobody", "phân bố giá phòng quận 7", "count"),
        ("nobody", "số phòng theo quận ở hà nội", "count"),
    ],
)
async def test_what_can_be_added_up_is_told_with_its_whole(
    desk: RentalDesk, login: str, text: str, figure: str
) -> None:
    desk.become(login)
    told = await desk.ask(text)
    values = [row[figure] for row in told.state["results"]]
    assert len(values) > 1
    assert f"Cộng lại: {sum(values):,.0f} ".replace(",", ".") in told.answer


@pytest.mark.parametrize("text", ["giá trung bình theo quận ở hà nội", "top 3 quận nhiều phòng nhất"])
async def test_means_and_a_part_of_the_groups_have_no_whole(desk: RentalDesk, text: str) -> None:
    desk.become("nobody")
    assert "Cộng lại" not in (await desk.ask(text)).answer
