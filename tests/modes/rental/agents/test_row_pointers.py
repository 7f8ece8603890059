"""Turns that point at rows of the list before, or ask something of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.support.rental.desk import RentalDesk
from troly.plugin.events import ItemList


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


@pytest.mark.parametrize(
    ("beyond", "claim"), [("rẻ hơn nữa", "Tất cả rẻ hơn"), ("rộng hơn nữa", "Tất cả rộng hơn")]
)
async def test_what_no_row_shows_is_not_said_of_all_rows(desk: RentalDesk, beyond: str, claim: str) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng trọ quận Gò Vấp dưới 4 triệu có máy lạnh")
    assert told.state["results"]
    for _ in range(4):  # further each time, until nothing lies beyond
        told = await desk.ask(beyond)
        assert told.state.get("results") or claim not in told.answer


@pytest.mark.parametrize(("low", "high"), [(3, 4), (5, 7), (6, 9)])
@pytest.mark.parametrize("order", ["", " xếp từ rẻ đến đắt"])
async def test_cheaper_than_a_range_lies_below_it(desk: RentalDesk, low: int, high: int, order: str) -> None:
    desk.become("nobody")
    shown = (await desk.ask(f"phòng ở Gò Vấp từ {low} đến {high} triệu{order}")).state["results"]
    cheaper = (await desk.ask("rẻ hơn nữa")).state["results"]
    assert cheaper
    assert max(row["price"] for row in cheaper) < min(row["price"] for row in shown)


@pytest.mark.parametrize(("unread", "spelt"), [("tân bìn", "tân bình"), ("tan bin", "tan binh")])
async def test_what_was_not_read_of_a_list_is_said_until_it_is_spelt_anew(
    desk: RentalDesk, unread: str, spelt: str
) -> None:
    desk.become("nobody")
    told = await desk.ask(f"phòng {unread} dưới 4 triệu có gác")
    for follow_up in ("từ 20m2 trở lên thôi", "có máy lạnh nữa"):
        assert f"«{unread}»" in told.answer
        told = await desk.ask(follow_up)
    assert f"«{unread}»" in told.answer
    assert f"«{unread}»" not in (await desk.ask(f"ở {spelt} á")).answer


async def test_a_list_shows_nothing_that_says_nothing(desk: RentalDesk) -> None:
    desk.become("nobody")
    told = await desk.ask("phòng trọ dưới 3 triệu ở Gò Vấp")
    for item in told.all(ItemList)[0].items:
        labels = dict(item.fields)
        assert "/tháng" in labels["giá"]
        assert labels.get("phòng ngủ") != "0"
        assert "tình trạng" not in labels


@pytest.mark.parametrize(
    "asked",
    [
        "phòng thứ 3 điện nước bao nhiêu",
        "phong thu 3 dien nuoc bao nhieu",
        "phòng số 3 điện bao nhiêu",
        "cái thứ 3 nước nhiêu",
    ],
)
async def test_a_number_that_points_is_no_price_of_what_follows_it(desk: RentalDesk, asked: str) -> None:
    desk.become("nobody")
    rows = (await desk.ask("phòng ở Bình Thạnh")).state["results"]
    told = await desk.ask(asked)
    assert [row["id"] for row in told.state["results"]] == [rows[2]["id"]]
    assert "không phải" not in told.answer


@pytest.mark.parametrize("amenity", ["máy lạnh", "ban công", "thang máy", "cửa sổ"])
async def test_a_question_about_a_row_is_answered_yes_or_no(desk: RentalDesk, amenity: str) -> None:
    codes = {
        "máy lạnh": "air_conditioner",
        "ban công": "balcony",
        "thang máy": "elevator",
        "cửa sổ": "window",
    }
    desk.become("nobody")
    rows = (await desk.ask("phòng ở Bình Thạnh")).state["results"]
    told = await desk.ask(f"cái thứ hai có {amenity} không")
    has = codes[amenity] in rows[1]["amenities"]
    assert told.answer.startswith("Có" if has else "Không")
    assert [row["id"] for row in told.state["results"]] == [rows[1]["id"]]


async def test_changes_of_a_list_one_after_the_other(desk: RentalDesk) -> None:
    desk.become("nobody")
    first = await desk.ask("phòng dưới 4 triệu ở Gò Vấp")
    rest = await desk.ask("bỏ ở ghép đi")
    assert 0 < rest.state["count"] < first.state["count"]
    both = await desk.ask("ở quận 3 nữa")
    assert {row["district"] for row in both.state["results"]} <= {"Gò Vấp", "Quận 3"}
    assert both.state["count"] > rest.state["count"]
    cheapest = await desk.ask("cái rẻ nhất")
    first = cheapest.state["results"]  # all that share the lowest rent
    assert first
    (lowest,) = {row["price"] for row in first}
    assert lowest <= min(row["price"] for row in both.state["results"])
    assert all(row["type"] != "dormitory" for row in first)
    again = await desk.ask("chi tiết căn đầu tiên")
    assert [one["id"] for one in again.state["results"]] == [first[0]["id"]]


async def test_a_comparison_with_another_month_shows_both(desk: RentalDesk) -> None:
    desk.become("lan")
    (october,) = (await desk.ask("doanh thu tháng 10")).state["results"]
    (september,) = (await desk.ask("doanh thu tháng 9")).state["results"]
    await desk.ask("doanh thu tháng 10")
    told = await desk.ask("so với tháng 9 thì sao")
    assert {row["month"]: row["sum_total"] for row in told.state["results"]} == {
        "2026-09-01": september["sum_total"],
        "2026-10-01": october["sum_total"],
    }


@pytest.mark.parametrize("number", [3, 5])
@pytest.mark.parametrize(
    ("end", "field", "best"), [("cái rẻ nhất", "price", min), ("cái rộng nhất", "area", max)]
)
async def test_the_end_of_so_many_rooms_is_one_of_them(
    desk: RentalDesk, number: int, end: str, field: str, best: Callable[[Iterable[float]], float]
) -> None:
    desk.become("nobody")
    rows = (await desk.ask(f"{number} phòng mới nhất ở gò vấp")).state["results"]
    told = (await desk.ask(end)).state["results"]
    assert len(rows) == number
    assert {row["id"] for row in told} == {
        row["id"] for row in rows if row[field] == best(one[field] for one in rows)
    }


@pytest.mark.parametrize(
    "pointer", ["cái thứ hai có máy lạnh không", "căn đầu tiên bao nhiêu tiền", "the second one"]
)
async def test_no_row_is_pointed_at_where_none_was_shown(desk: RentalDesk, pointer: str) -> None:
    """Nothing of the question is a condition of the next one."""
    desk.become("nobody")
    assert (await desk.ask("phòng ở quận 1 dưới 100 nghìn")).state["count"] == 0
    told = await desk.ask(pointer)
    assert told.state["payload"] == {"missing": ["missing.nothing_shown"]}
    assert (await desk.ask("dưới 5 triệu")).state["filters"] == [
        {"field": "district", "op": "=", "value": "Quận 1"},
        {"field": "price", "op": "<", "value": 5_000_000},
    ]


@pytest.mark.parametrize("more", ["rẻ hơn nữa", "mắc hơn nữa", "rộng hơn nữa", "nhỏ hơn nữa"])
@pytest.mark.parametrize("first", ["phòng ở quận 1 dưới 3 triệu", "chung cư thủ đức"])
async def test_what_is_asked_beyond_the_last_is_told_however_often(
    desk: RentalDesk, first: str, more: str
) -> None:
    desk.become("nobody")
    most = (await desk.ask(first)).state["count"]
    told = await desk.ask(more)
    for _ in range(3):
        told = await desk.ask(more)
        assert told.state["kind"] == "DATA"
        assert told.state["count"] <= most
        assert "Bỏ điều kiện" not in told.answer
    assert "Danh sách vừa xem đã có" in told.answer


@pytest.mark.parametrize("group", ["theo quận ở Hà Nội", "theo loại phòng ở Quận 7", "theo phường ở Quận 10"])
@pytest.mark.parametrize(("pointer", "at"), [("cái đầu tiên", 0), ("cái thứ hai", 1), ("cái thứ 3", 2)])
async def test_a_group_that_was_shown_is_told_again(
    desk: RentalDesk, group: str, pointer: str, at: int
) -> None:
    desk.become("nobody")
    shown = (await desk.ask(f"giá trung bình {group}")).state["results"]
    (row,) = (await desk.ask(pointer)).state["results"]
    assert row == {"avg_price": shown[at]["avg_price"]}


@pytest.mark.parametrize("place", ["Đà Nẵng", "Cần Thơ", "Đà Lạt"])
@pytest.mark.parametrize("told", ["mình sắp chuyển vào {} làm, ", "tôi làm ở {}. ", "con gái tôi học ở {}, "])
async def test_where_one_will_live_is_where_one_looks_though_the_data_lack_it(
    desk: RentalDesk, place: str, told: str
) -> None:
    desk.become("nobody")
    looked = await desk.ask(f"{told.format(place)}có phòng nào tầm 3 triệu không")
    assert not looked.all(ItemList)
    assert place in looked.answer
    assert (await desk.ask(f"em quê {place}, có phòng nào ở quận 7 tầm 4 triệu không")).all(ItemList)


@pytest.mark.parametrize(("month", "other"), [("10", "9"), ("9", "8"), ("10", "8")])
@pytest.mark.parametrize("place", ["", " ở quận 7"])
async def test_days_of_what_was_posted_change_and_are_compared(
    desk: RentalDesk, month: str, other: str, place: str
) -> None:
    desk.become("nobody")

    async def count(text: str) -> list[int]:
        return [row["count"] for row in (await desk.ask(text)).state["results"]]

    asked = f"tháng {{}}/2026 có bao nhiêu phòng mới được đăng{place}?"
    (there,) = await count(asked.format(other))
    (here,) = await count(asked.format(month))
    both = await count(f"so với tháng {other} thì tăng hay giảm?")
    assert (both[0], both[-1]) == (there, here)
    await count(asked.format(month))
    assert await count(f"còn tháng {other}") == [there]
