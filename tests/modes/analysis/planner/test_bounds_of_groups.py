"""A comparison beside groups bounds the figure that is shown of each, whether it comes with the question or after it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, STOCK, column, plan
from tests.support.modes.analysis import analyst_at
from troly.text.fold import fold
from troly_analysis.planner import Plan
from troly_analysis.types import Sheet

MOVES = (
    (1, "Hà Nội", 3, "Nhập", "Mì tôm"), (1, "Đà Nẵng", 9, "Nhập", "Mì tôm"), (2, "Hà Nội", 8, "Nhập", "Nước mắm"),
    (2, "Hà Nội", 5, "Xuất", "Nước mắm"), (2, "Huế", 2, "Nhập", "Mì tôm"), (3, "Huế", 6, "Xuất", "Mì tôm"),
)  # fmt: skip
SALES = "Ngày,Tỉnh,Doanh thu\n" + "".join(
    f"2026-0{month}-05,{place},{tens}0000\n" for month, place, tens, _, _ in MOVES
)
BOXES = "Ngày,Mặt hàng,Loại,Số thùng\n" + "".join(
    f"2026-0{month}-05,{what},{way},{boxes}\n" for month, _, boxes, way, what in MOVES
)


def after(*texts: str, sheet: Sheet = ORDERS) -> Plan:
    """The plan of the last of these messages."""
    made: Plan | None = None
    for text in texts:
        made = plan(text, (sheet,), NOW, made)
    assert made is not None
    return made


@pytest.mark.parametrize("sign", ["trên", "dưới"])
@pytest.mark.parametrize(("by", "at"), [("tỉnh", 1), ("tháng", 0)])
async def test_the_groups_told_are_those_whose_figure_passes(
    own_home: Path, sign: str, by: str, at: int
) -> None:
    sums: Counter[object] = Counter()
    for row in MOVES:
        sums[row[at]] += row[2] * 10_000
    with analyst_at(own_home, SALES) as analyst:
        for bound in (30_000, 85_000, 120_000):
            passing = {each for each in sums.values() if (each > bound if sign == "trên" else each < bound)}
            for texts in (
                (f"doanh thu theo {by}", f"{by} nào {sign} {bound}"), (f"{by} nào doanh thu {sign} {bound}",), (f"doanh thu {sign} {bound} theo {by}",),
            ):  # fmt: skip
                answer = [(await analyst.ask(text)).answer for text in texts][-1].replace(".", "")
                assert {each for each in sums.values() if f"- {each} VND" in answer} == passing


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(("trên", "dưới", "ít nhất")), st.integers(1, 90))
def test_a_mean_that_is_shown_is_what_is_bounded_and_rows_that_are_named_are_rows(
    sign: str, tens: int
) -> None:
    mean = after("giá trị trung bình mỗi đơn theo nền tảng", f"nền tảng nào {sign} {tens}0 nghìn").ask
    rows = after("doanh thu theo nền tảng", f"chỉ tính đơn {sign} {tens}0 nghìn").ask
    assert mean is not None
    assert rows is not None
    assert ([each.op for each in mean.measures], len(mean.having), mean.conditions) == (["avg"], 1, ())
    assert (rows.having, [each.ref.name for each in rows.conditions]) == ((), ["Doanh thu"])


@pytest.mark.parametrize("number", ["1999", "2000", "2030"])
@pytest.mark.parametrize("sign", ["trên", "hơn", "tren", "dưới"])
def test_a_number_of_rows_is_no_year(sign: str, number: str) -> None:
    text = f"nền tảng nào {sign} {number} đơn"
    made = after(fold(text) if sign == fold(sign) else text).ask
    assert made is not None
    assert (made.period, [each.value for each in made.having]) == (None, [int(number)])


@pytest.mark.parametrize("figure", ["doanh thu", "phí vận chuyển"])
def test_a_figure_asked_for_after_a_rate_is_not_of_its_part(figure: str) -> None:
    after_rate = (
        after("tỷ lệ hủy đơn tháng 3/2024 theo nền tảng", text).ask
        for text in (f"tỉnh thành nào {figure} cao nhất", "tỉnh thành nào nhiều nhất")
    )
    assert [[each.ref.name for each in ask.conditions] for ask in after_rate if ask] == [[], ["Trạng thái"]]


@pytest.mark.parametrize("between", ["hay", "hoặc"])
@pytest.mark.parametrize("place", ["tháng 3/2024", "tháng trước"])
def test_which_of_two_is_higher_in_a_month_holds_no_months_apart(between: str, place: str) -> None:
    made = after(f"doanh thu shopee {between} lazada cao hơn {place}").ask
    assert made is not None
    assert (made.versus, [each.ref.name for each in made.groups]) == (None, ["Nền tảng"])


@pytest.mark.parametrize("thing", ["nam", "nữ"])
def test_a_phrase_does_not_begin_inside_a_name(thing: str) -> None:
    """ "Khách hàng nam" is of no "hàng năm"."""
    bare = Sheet("9", "lan", "Đơn", "t9", (column("Khách hàng", "text", ("An", "Lan"), 90), column("Ngày", "date", (), 300), column("Doanh thu", "money", (), 80)), 900, NOW, date_field="Ngày", span=ORDERS.span)  # fmt: skip
    assert after(f"doanh thu của khách hàng {thing}", sheet=bare).missing == (thing,)
    year = after("số khách hàng năm 2023", sheet=bare).ask
    assert year is not None
    assert year.period is not None
    assert (year.period.start.year, year.groups) == (2023, ())


async def test_what_comes_in_and_goes_out_is_counted_in_what_its_header_counts(own_home: Path) -> None:
    left: Counter[str] = Counter()
    came: Counter[int] = Counter()
    for month, _, boxes, way, what in MOVES:
        left[what] += boxes if way == "Nhập" else -boxes
        came[month] += boxes if way == "Nhập" else 0
    with analyst_at(own_home, BOXES, names=("Kho",)) as analyst:
        for what, boxes in left.items():
            assert f": {boxes}" in (await analyst.ask(f"{what} còn bao nhiêu thùng")).answer
        for month in (1, 2):
            assert f": {came[month]}" in (await analyst.ask(f"tháng {month} nhập bao nhiêu thùng")).answer
        assert "Nước mắm" in (await analyst.ask("mặt hàng nào sắp hết")).answer


@pytest.mark.parametrize("month", [1, 2, 3])
@pytest.mark.parametrize(
    "text", ["Mì tôm tồn cuối tháng {}", "tồn kho mì tôm tháng {}", "cuối tháng {} còn bao nhiêu mì tôm"]
)
async def test_what_is_left_at_the_end_of_days_came_since_the_first_of_them(
    own_home: Path, text: str, month: int
) -> None:
    moves = [
        boxes if way == "Nhập" else -boxes
        for at, _, boxes, way, what in MOVES
        if what == "Mì tôm" and at <= month
    ]
    with analyst_at(own_home, BOXES, names=("Kho",)) as analyst:
        assert f": {sum(moves)}\n" in (await analyst.ask(text.format(month))).answer


@pytest.mark.parametrize("text", ["tồn kho theo tháng", "tồn mì tôm đầu tháng 2"])
def test_what_came_in_less_what_went_out_of_some_days_is_no_stock(text: str) -> None:
    assert not plan(text, (STOCK,), NOW).calls


@pytest.mark.parametrize(
    "text", ["doanh thu trung bình mỗi cái mỗi tháng", "phí vận chuyển trung bình mỗi bên mỗi ngày"]
)
def test_each_of_nothing_is_not_dropped_beside_another(text: str) -> None:
    assert not plan(text, (ORDERS, CUSTOMERS), NOW).calls


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(("phí vận chuyển", "doanh thu", "đơn giá")), st.sampled_from(("trên", "dưới", "ít nhất", "<")), st.integers(1, 99), st.sampled_from(("%", " phần trăm", "h", "kg"))
)  # fmt: skip
def test_an_amount_of_another_kind_bounds_no_money(figure: str, sign: str, number: int, unit: str) -> None:
    made = plan(f"số đơn có {figure} {sign} {number}{unit} tháng 5", (ORDERS,), NOW)
    assert not made.calls
    assert made.missing or made.question


@pytest.mark.parametrize("kind", ["quận", "huyện"])
@pytest.mark.parametrize("name", ["hoàn kiếm", "hủy sơn"])
def test_a_kind_of_place_is_followed_by_no_state(kind: str, name: str) -> None:
    assert not plan(f"doanh thu {kind} {name} hà nội tháng 5", (ORDERS,), NOW).calls
    whole = plan(f"doanh thu {kind} hà nội tháng 5", (ORDERS,), NOW).ask
    assert whole is not None
    assert [each.value for each in whole.conditions] == ["Hà Nội"]


PAYROLL = Sheet(
    "7", "lan", "Bảng lương", "t7",
    (
        column("Tháng", "date", (), 3), column("Nhân viên", "text", ("Lê Hoa", "Vũ Nam", "Trần Lan", "Phạm Minh")),
        column("Phòng ban", "text", ("Kho", "Kế toán")), column("Lương cơ bản", "money", (), 4), column("Phụ cấp", "money", (), 3),
    ),
    12, NOW, date_field="Tháng",
)  # fmt: skip


@pytest.mark.parametrize("figure", ["phụ cấp", "lương"])
@pytest.mark.parametrize("each", ["mỗi người", "mỗi nhân viên"])
@pytest.mark.parametrize(("behind", "units"), [("", ()), (" mỗi tháng", ("month",))])
def test_the_mean_of_each_person_divides_by_persons(
    figure: str, each: str, behind: str, units: tuple[str, ...]
) -> None:
    made = plan(f"{figure} trung bình {each}{behind}", (PAYROLL,), NOW).ask
    assert made is not None
    assert made.form == "per"
    assert {group.ref.name for group in made.per} == {"Nhân viên", *(["Tháng"] if units else [])}


@pytest.mark.parametrize("text", ["tháng nào bán trên 20 triệu", "bán được bao nhiêu", "ai bán nhiều nhất"])
def test_what_people_earn_is_not_what_was_sold(text: str) -> None:
    assert not plan(text, (PAYROLL,), NOW).calls
    assert plan(text, (PAYROLL, ORDERS), NOW).sheet in {"Đơn hàng", ""}


@pytest.mark.parametrize("who", ["ai", "người nào"])
@pytest.mark.parametrize("most", ["bán nhiều nhất", "bán được nhiều nhất tháng 5", "bán ít nhất"])
def test_a_thing_is_nobody(who: str, most: str) -> None:
    without = replace(STOCK, fields=tuple(each for each in STOCK.fields if each.name != "Nhà cung cấp"))
    assert not plan(f"{who} {most}", (without,), NOW).calls


@pytest.mark.parametrize("month", [1, 2, 3])
def test_what_came_in_beside_what_went_out_is_of_its_own_days(month: int) -> None:
    made = plan(f"xuất nhập tồn tháng {month}", (STOCK,), NOW).ask
    assert made is None or (made.period is not None and made.period.start.month == month)
