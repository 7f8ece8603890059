"""Grounding: every figure in a model's words is a cell, a number of the question or a day that was meant."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from troly.text.numbers import format_money, format_number, format_percent
from troly_analysis.answer.figures import (
    Days,
    Ground,
    count_figures,
    ground,
    grounded_part,
    says_lack,
    strangers,
)
from troly_analysis.types import Field, Result, Sheet, ToolCall

QUESTION = "Top 3 sản phẩm bán chạy tháng 1/2024, doanh thu so với tháng trước?"
COMPARED = Result(
    "compare",
    period1_value=50_000_000.0,
    period2_value=57_750_000.0,
    difference=7_750_000.0,
    percentage_change=15.5,
    unit="VND",
)
ROWS = Result(
    "rows",
    columns=("Sản phẩm", "sum(Số lượng)"),
    rows=(("Áo thun", 500), ("iPhone 15 Pro", 350), ("Giày 42", 200)),
)
DAYS = Days.of(
    [date(2024, 2, 10)], [(date(2024, 1, 1), date(2024, 1, 31)), (date(2023, 12, 1), date(2023, 12, 31))]
)


def known(*results: Result, question: str = QUESTION, **arguments: Any) -> Ground:
    sheet = Sheet("s1", "an", "đơn hàng 2024", "t1", (Field("Mức 1", "text"),), 3, datetime(2024, 2, 1))  # noqa: DTZ001
    return ground(
        question, [(ToolCall("aggregate_data", arguments), each) for each in results], [sheet], DAYS
    )


@pytest.mark.parametrize(
    "prose",
    [
        "Doanh thu tháng 1/2024 tăng 15,5% so với tháng 12/2023 (từ 50.000.000 lên 57.750.000 VND).",
        "Doanh thu tăng 7.750.000 VND, tức 15,5%.",
        "Revenue rose 15.5% (from 50,000,000 to 57,750,000 VND).",
        "Doanh thu khoảng 57,8 triệu, tháng trước 50 triệu.",
        "Khoảng thời gian 1/1/2024 - 31/1/2024, tháng 1, năm 2024, quý 1; dữ liệu đến ngày 10/2/2024.",
        "Bảng đơn hàng 2024, cột Mức 1 cho thấy doanh thu 57750000.",
        "Không có con số nào ở đây.",
        "**57.750.000 VND** trong tháng 1/2024",
        "1. Doanh thu quý 1/2024: 57.750.000 VND",
        "Quý I/2024: 57.750.000 VND, Q1 2024, quý 1 năm 2024, quarter 1 of 2024",
    ],
)
def test_what_a_cell_backs_is_let_through(prose: str) -> None:
    assert strangers(prose, known(COMPARED)) == ()


@pytest.mark.parametrize(
    ("prose", "wrong"),
    [
        ("Doanh thu là 58.000.000 VND.", "58.000.000 VND"),
        ("Doanh thu tăng 16%.", "16%"),
        ("Doanh thu khoảng 60 triệu.", "60 triệu"),
        ("Doanh thu gấp đôi.", "gấp đôi"),
        ("Doanh thu gấp 2 lần.", "gấp 2 lần"),
        ("Doanh thu tháng 3/2024 là 57.750.000 VND.", "3/2024"),
        ("Tính từ 2/1/2024: 57.750.000 VND.", "2/1/2024"),
        ("Doanh thu quý 2/2024 là 57.750.000 VND.", "quý 2/2024"),
        ("Trung bình mười hai đơn mỗi ngày.", "mười hai"),
        ("Tổng hai tháng là 107.850.000 VND.", "107.850.000 VND"),
        ("Doanh thu giảm 15,5%.", "giảm"),
        ("Doanh thu là ٥٨ triệu.", "٥٨"),
        ("Doanh thu ５８.000.000 VND", "58.000.000 VND"),
        ("Có năm mươi nghìn khách.", "năm mươi nghìn"),
        ("Lợi nhuận 20%.", "20%"),
    ],
)
def test_what_nothing_backs_is_named(prose: str, wrong: str) -> None:
    assert any(wrong in found for found in strangers(prose, known(COMPARED))), strangers(
        prose, known(COMPARED)
    )


def test_a_list_its_names_and_its_length_are_no_strangers() -> None:
    prose = "Top 3 sản phẩm bán chạy:\n1. Áo thun - 500 đơn\n2. iPhone 15 Pro - 350 đơn\n3. Giày 42 - 200 đơn"
    assert strangers(prose, known(ROWS)) == ()
    assert strangers(prose.replace("350", "351"), known(ROWS)) == ("351",)
    assert strangers(prose.replace("iPhone 15 Pro", "iPhone 16 Pro"), known(ROWS)) == ("16",)
    assert strangers(prose.replace("3. Giày", "7. Giày"), known(ROWS)) == ("7",)


def test_a_number_of_the_question_may_be_said_again() -> None:
    asked = known(ROWS, question="đơn trên 250000 đ")
    assert strangers("Có 500 đơn trên 250.000 VND.", asked) == ()
    assert strangers("Có 500 đơn trên 260.000 VND.", asked) == ("260.000 VND",)


@given(
    st.decimals(min_value=1, max_value=10**12, places=2, allow_nan=False),
    st.sampled_from(["vi", "en"]),
)
def test_a_cell_as_the_formatter_writes_it_is_always_backed(value: Decimal, lang: Any) -> None:
    result = Result("scalar", value=float(value), unit="VND")
    said = known(result, question="")
    for shown in (format_money(value, lang), format_number(value, lang)):
        assert strangers(f"Tổng: {shown}", said) == (), shown
    share = Result("scalar", value=float(value), unit="%")
    assert strangers(f"Tỷ lệ {format_percent(value, lang)}.", known(share, question="")) == ()


@given(st.integers(1000, 10**12), st.integers(1000, 10**12))
def test_another_whole_number_is_never_backed(cell: int, told: int) -> None:
    result = Result("scalar", value=cell, unit="VND")
    backed = not strangers(f"Tổng: {told} VND", known(result, question=""))
    assert backed == (cell == told)


@given(st.text(max_size=200))
def test_any_text_is_judged_without_falling_over(text: str) -> None:
    assert isinstance(strangers(text, known(COMPARED, ROWS)), tuple)


@pytest.mark.parametrize(
    ("prose", "follows"),
    [
        ("500 trên tổng 1.050, tức 47,6%.", True),
        ("Áo thun hơn iPhone 15 Pro 150 cái (500 so với 350).", True),
        ("500 trên tổng 1.050, tức 51,6%.", False),
        ("Áo thun bán 500 cái, gấp 2,5 lần Giày 42 (200 cái).", True),
        ("Áo thun bán 500 cái, gấp khoảng 2,5 lần Giày 42 (200 cái).", True),
        ("T-shirts sold 500, 2.5 times the 200 of Giày 42.", True),
        ("Áo thun bán 500 cái, gấp 3,5 lần Giày 42 (200 cái).", False),
        ("Áo thun bán 500 cái, gấp 2 lần Giày 42 (200 cái).", False),
        ("Áo thun bán gấp 2,5 lần Giày 42.", True),
    ],
)
def test_what_follows_from_shown_figures_is_let_through(prose: str, follows: bool) -> None:
    assert (strangers(prose, known(ROWS)) == ()) is follows


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_a_cut_list_never_leaves_a_bare_number(backed: list[bool]) -> None:
    """Lines with a strange figure go with their number, and the rest are counted anew."""
    lines = [
        f"{at}. Doanh thu: {'57.750.000' if fits else '99.999.999'} VND" for at, fits in enumerate(backed, 1)
    ]
    kept = grounded_part("\n".join(lines), known(COMPARED))
    assert kept.splitlines() == [f"{at}. Doanh thu: 57.750.000 VND" for at in range(1, sum(backed) + 1)]
    assert count_figures(kept) == sum(backed)


def test_a_share_stands_beside_the_two_figures_that_it_is_of() -> None:
    cells = frozenset(map(Decimal, (66, 83, 1232, 1664)))
    held = Ground(cells, frozenset(), frozenset(), (), Days.of([]))
    assert strangers("Website 5,4% (66/1.232 đơn), Lazada 5,0% (83/1.664 đơn).", held) == ()
    assert strangers("Website 6,4% (66/1.232 đơn).", held) == ("6,4%",)
    # A day that nothing names is still one.
    assert strangers("Ngày 5/11 có 66 đơn.", held) == ("5/11",)


SHOP = st.lists(st.integers(10**7, 10**9), min_size=2, max_size=8, unique=True)


def channels(figures: list[int]) -> tuple[Ground, list[str]]:
    names = [f"Kênh {letter}" for letter in "QWERTYUI"[: len(figures)]]
    rows = tuple(zip(names, map(float, figures), strict=True))
    return known(
        Result("rows", columns=("Kênh", "sum"), rows=rows, units=("", "VND")), question="theo kênh"
    ), names


@settings(max_examples=25, deadline=None)
@given(SHOP, st.sampled_from(["vi", "en"]))
def test_what_follows_from_rows_that_are_named_is_never_cut(figures: list[int], lang: Any) -> None:
    """Ratio, share, mean, total and difference of rows by their names alone, and a false sentence cuts only itself."""
    held, names = channels(figures)
    one, two, total = max(figures[:2]), min(figures[:2]), sum(figures)
    first, second = (names[figures.index(each)] for each in (one, two))
    mean = Decimal(total) / len(figures)
    true = [
        f"Cả thảy {format_money(total, lang)}. ",
        f"Trung bình mỗi kênh {format_money(mean, lang)}. ",
        f"{first} hơn {second} {format_money(one - two, lang)}. ",
        f"{first} chiếm {format_percent(Decimal(one) / total * 100, lang)}. ",
        f"{first} gấp {format_number(Decimal(one) / two, lang, 2)} lần {second}. ",
    ]
    false = f"Năm sau sẽ lên {format_money(total * 7 + 13, lang)}. "
    for each in true:
        assert strangers(each, held) == (), each
        assert grounded_part(false + each + false, held) == each.strip()
    assert grounded_part("".join(true) + false, held) == "".join(true).strip()


@given(SHOP, st.decimals("1.3", "9", places=1), st.booleans())
def test_a_ratio_of_two_rows_that_is_not_theirs_is_cut(figures: list[int], off: Decimal, up: bool) -> None:
    held, names = channels(figures)
    ratio = Decimal(figures[0]) / figures[1]
    said = ratio * off if up else ratio / off
    if not Decimal("1.2") < said < 900 or abs(said * ratio - 1) < Decimal("0.1"):
        return
    assert strangers(f"{names[0]} gấp {format_number(said, 'vi', 1)} lần {names[1]}.", held)


@pytest.mark.parametrize(
    ("prose", "follows"),
    [
        ("Áo thun bán gấp hơn hai lần Giày 42.", True),
        ("Áo thun bán hơn gấp đôi Giày 42.", True),
        ("Áo thun bán gấp rưỡi iPhone 15 Pro.", False),
        ("Áo thun chiếm gần một nửa.", True),
        ("Áo thun chiếm một nửa.", False),
        ("Áo thun chiếm hơn 47%.", True),
        ("Áo thun chiếm hơn 49%.", False),
        ("Áo thun chiếm gần 48%.", True),
        ("Hai sản phẩm đầu chiếm 81%.", True),
        ("Hai sản phẩm đầu bán 850 cái.", True),
        ("Hai sản phẩm đầu chiếm 91%.", False),
        ("Áo thun dẫn đầu. Nhiều hơn iPhone 15 Pro 150 cái.", True),
        ("Giày 42 bán trung bình 6,45 đôi mỗi ngày.", True),
        ("Giày 42 bán trung bình 7,45 đôi mỗi ngày.", False),
    ],
)
def test_words_of_ratio_and_bounds_are_held_to_the_rows(prose: str, follows: bool) -> None:
    assert (strangers(prose, known(ROWS)) == ()) is follows, strangers(prose, known(ROWS))


def test_a_dot_within_a_name_ends_no_sentence() -> None:
    rows = Result("rows", columns=("Tỉnh", "sum"), rows=(("TP. Hồ Chí Minh", 500), ("Hà Nội", 200)))
    said = "TP. Hồ Chí Minh bán 500 đơn, gấp 2,5 lần Hà Nội. Huế bán 987 đơn."
    assert grounded_part(said, known(rows)) == "TP. Hồ Chí Minh bán 500 đơn, gấp 2,5 lần Hà Nội."


MONTHS = Result(
    "rows",
    columns=("Ngày:month", "sum"),
    rows=(("2024-01", 386_805_600), ("2024-02", 452_016_750), ("2024-03", 516_628_250)),
    units=("", "VND"),
)


@pytest.mark.parametrize(
    ("prose", "follows"),
    [
        ("Tháng 3 tăng 14,3% so với tháng 2.", True),
        ("March was up 14.3% on February, 64.6 million more.", True),
        ("Từ 386,8 triệu đến 516,6 triệu, chênh 129,8 triệu.", True),
        ("Hai tháng đầu cộng lại 838,8 triệu.", True),
        ("Hai tháng đầu cộng lại 938,8 triệu.", False),
        ("Tháng 3 tăng 24,3% so với tháng 2.", False),
        ("Tháng 4 cũng sẽ đạt 500 triệu.", False),
    ],
)
def test_months_are_rows_by_any_of_their_names(prose: str, follows: bool) -> None:
    months = Days.of([], [(date(2024, 1, 1), date(2024, 4, 30))])
    held = ground("?", [(ToolCall("aggregate_data", {}), MONTHS)], [], months)
    assert (strangers(prose, held) == ()) is follows, strangers(prose, held)


@settings(max_examples=25, deadline=None)
@given(st.integers(10**7, 10**9), st.integers(2, 60), st.sampled_from(["mỗi ngày", "a day"]))
def test_a_mean_by_day_is_over_the_days_of_a_period(total: int, length: int, daily: str) -> None:
    period = Days.of([], [(date(2024, 1, 1), date(2024, 1, 1) + timedelta(length - 1))])
    result = Result("scalar", value=float(total), unit="VND")
    held = ground("?", [(ToolCall("aggregate_data", {}), result)], [], period)
    mean = format_money(Decimal(total) / length, "vi")
    said = f"Doanh thu {format_money(total, 'vi')}, {mean} {daily} (chia cho {length} ngày)."
    assert strangers(said, held) == (), said
    assert strangers(said.replace(f"cho {length} ", f"cho {length + 1} "), held)
    assert strangers(f"Có {length + 70} đơn trong {length} ngày.", held) == (str(length + 70),)
    other = format_money(Decimal(total) / (length + 1), "vi")
    assert strangers(f"Trung bình {other} {daily}.", held)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(10**7, 10**9), min_size=4, max_size=8, unique=True), st.data())
def test_totals_and_means_of_exactly_the_rows_that_are_named(figures: list[int], data: st.DataObject) -> None:
    held, names = channels(figures)
    chosen = data.draw(st.lists(st.sampled_from(range(len(names))), min_size=2, max_size=3, unique=True))
    called = " và ".join(names[at] for at in chosen)
    some = [figures[at] for at in chosen]
    rest = sum(figures) - sum(some)
    last = Decimal(sum(figures[-2:])) / 2
    true = [
        f"Trung bình của {called} là {format_money(Decimal(sum(some)) / len(some), 'vi')}.",
        f"Không tính {called} thì trung bình {format_money(Decimal(rest) / (len(names) - len(some)), 'vi')}.",
        f"{called} đứng đầu. Các kênh còn lại tổng cộng {format_money(rest, 'vi')}.",
        f"Trung bình hai kênh cuối là {format_money(last, 'vi')}.",
        f"Kênh lớn nhất gấp {format_number(Decimal(max(figures)) / min(figures), 'vi', 1)} lần kênh nhỏ nhất.",
    ]
    for each in true:
        assert strangers(each, held) == (), each
    off = format_money(Decimal(sum(some)) / len(some) * Decimal("1.07"), "vi")
    assert strangers(f"Trung bình của {called} là {off}.", held)


def test_months_in_a_list_share_their_year() -> None:
    keys, figures = (
        ("2025-12", "2026-01", "2026-02", "2026-03", "2026-04"),
        (548e6, 481e6, 250e6, 321e6, 312e6),
    )
    months = Result("rows", columns=("Ngày:month", "sum"), rows=tuple(zip(keys, figures, strict=True)))
    period = Days.of([], [(date(2025, 12, 1), date(2026, 4, 30))])
    held = ground("?", [(ToolCall("aggregate_data", {}), months)], [], period)
    assert strangers("Trung bình bốn tháng còn lại (12/2025, 1, 3 và 4/2026) là 415.500.000 VND.", held) == ()
    assert strangers("Trung bình hai tháng 3 và 4/2026 là 316.500.000 VND.", held) == ()
    said = "Tháng 2/2026 thấp hơn tháng 1/2026. Trung bình bốn tháng còn lại là 415.500.000 VND."
    assert strangers(said, held) == ()
    assert strangers(said.replace("bốn", "ba"), held) == ("415.500.000 VND",)
    assert strangers("Trung bình hai tháng 1 và 4/2026 là 316.500.000 VND.", held) == ("316.500.000 VND",)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(10**7, 10**9), min_size=3, max_size=8, unique=True), st.data())
def test_a_figure_on_the_wrong_row_is_cut(figures: list[int], data: st.DataObject) -> None:
    held, names = channels(figures)
    at, other = data.draw(st.lists(st.sampled_from(range(len(names))), min_size=2, max_size=2, unique=True))
    mine, foreign = (format_money(figures[each], "vi") for each in (at, other))
    ours = format_money(min(figures), "vi")
    if abs(figures[at] - figures[other]) < figures[at] / 50:
        return
    said = [
        f"{names[at]} đạt {mine}.",
        f"Doanh thu là {mine} ở {names[at]}.",
        f"{names[at]} đạt {mine}, {names[other]} đạt {foreign}.",
        f"{names[at]} được {mine} và {names[other]} được {foreign}.",
        f"{names[at]}: khoảng {format_number(Decimal(figures[at]) / 10**6, 'vi', 1)} triệu.",
    ]
    for each in said:
        assert strangers(each, held) == (), each
    assert grounded_part("\n".join(said), held) == "\n".join(said)
    moved = [each.replace(mine, "?").replace(foreign, mine).replace("?", foreign) for each in said[:4]]
    near = f"{names[at]}: khoảng {format_number(Decimal(figures[other]) / 10**6, 'vi', 1)} triệu."
    for each in (*moved, near):
        assert strangers(each, held), each
    # Told in turn, of another row, or held against another.
    for each in (
        f"{names[at]} và {names[other]} lần lượt đạt {mine} và {foreign}.",
        f"{names[at]} cao hơn kênh kế tiếp ({foreign}).",
        f"Thấp nhất là {ours}.",
    ):
        assert strangers(each, held) == (), each


@settings(max_examples=25, deadline=None)
@given(
    SHOP.filter(lambda each: len(each) > 2),
    st.sampled_from(
        ["cao nhất", "lớn nhất", "nhiều nhất", "thấp nhất", "nhỏ nhất", "ít nhất", "highest", "lowest"]
    ),
    st.data(),
)
def test_a_superlative_is_of_the_row_at_that_end_of_all_rows(
    figures: list[int], word: str, data: st.DataObject
) -> None:
    held, names = channels(figures)
    end = max(figures) if word in {"cao nhất", "lớn nhất", "nhiều nhất", "highest"} else min(figures)
    at = data.draw(st.sampled_from(range(len(names))))
    money = format_money(figures[at], "vi")
    said = [
        f"Kênh {word} là {names[at]}: {money}.",
        f"{names[at]} {word}, đạt {money}.",
        f"Cả thảy {len(names)} kênh, {word} là {names[at]} với {money}.",
    ]
    for each in said:
        assert strangers(each, held) == (() if figures[at] == end else (word,)), each
    both = (
        f"Cao nhất là {names[figures.index(max(figures))]} ({format_money(max(figures), 'vi')}),"
        f" thấp nhất là {names[figures.index(min(figures))]} ({format_money(min(figures), 'vi')})."
    )
    assert strangers(both, held) == ()
    # Of a part, of an order, of a change, of nothing, or a bound it may be true.
    for each in (
        f"Kênh {word} trong quý 1 là {names[at]}: {money}.",
        f"{names[at]} {word} thứ hai: {money}.",
        f"{names[at]} không phải {word}: {money}.",
        f"{names[at]} tăng {word}, {money}.",
        f"So với kênh khác, {word} là {names[at]}: {money}.",
        f"{names[at]} {word}.",
        f"{names[at]} bán được ít nhất {money}.",
    ):
        assert strangers(each, held) == (), each


@pytest.mark.parametrize(
    ("tool", "arguments", "rows", "cut"),
    [
        ("get_top_items", {}, 9, True),
        ("get_top_items", {}, 10, False),
        ("get_top_items", {"limit": 3}, 3, False),
        ("get_top_items", {"limit": 3}, 2, True),
        ("execute_aggregation", {"pipeline": [{"$group": {}}]}, 4, True),
        ("execute_aggregation", {"pipeline": [{"$group": {}}, {"$limit": 4}]}, 4, False),
    ],
)
def test_a_superlative_is_held_to_a_result_of_all_rows_alone(
    tool: str, arguments: dict[str, Any], rows: int, cut: bool
) -> None:
    cells = tuple((f"Kênh {'QWERTYUIOP'[at]}", 10**7 * (at + 1)) for at in range(rows))
    held = ground(
        "?", [(ToolCall(tool, arguments), Result("rows", columns=("Kênh", "sum"), rows=cells))], [], DAYS
    )
    assert strangers("Thấp nhất là Kênh W: 20.000.000.", held) == (("Thấp nhất",) if cut else ())


def test_a_long_answer_over_many_rows_is_judged_quickly() -> None:
    names = [f"Khách {at} {letter}" for at in range(250) for letter in "ABCD"]
    rows = tuple((name, 10**8 - at * 9_973, at % 400) for at, name in enumerate(names))
    result = Result("rows", columns=("Khách", "sum", "count"), rows=rows, units=("", "VND", ""))
    held = ground("?", [(ToolCall("aggregate_data", {}), result)], [], DAYS)
    lines = [
        f"{at}. {row[0]}: {format_money(row[1], 'vi')}, {row[2]} đơn" for at, row in enumerate(rows[:30], 1)
    ]
    began = time.process_time()
    assert strangers("\n".join(lines), held) == ()
    assert time.process_time() - began < 4  # a regular expression for each name took 10 s and more


CHANNELS, STATES = ("Shopee", "TikTok Shop"), ("Hoàn thành", "Đã hủy", "Hoàn trả")
COUNTS = st.lists(st.lists(st.integers(20, 900), min_size=3, max_size=3), min_size=2, max_size=2)


def by_two_keys(counts: list[list[int]], operation: str = "count") -> Ground:
    """The counts of each channel, by state, as one result grouped by both."""
    cells = tuple(
        (channel, state, count)
        for channel, own in zip(CHANNELS, counts, strict=True)
        for state, count in zip(STATES, own, strict=True)
    )
    result = Result("rows", columns=("Kênh", "Trạng thái", operation), rows=cells)
    return ground("tỷ lệ hủy?", [(ToolCall("aggregate_data", {"operation": operation}), result)], [], DAYS)


@given(COUNTS)
def test_rates_of_rows_that_share_a_key_stand(counts: list[list[int]]) -> None:
    held, totals = by_two_keys(counts), [sum(each) for each in counts]
    one, two = (own[1] / total * 100 for own, total in zip(counts, totals, strict=True))
    first, second = format_percent(one, "vi"), format_percent(two, "vi")
    assume(abs(one - two) > 1)
    apart = format_number(round(abs(one - two), 1), "vi")
    told = f"Tỷ lệ hủy: Shopee {first} ({counts[0][1]} đơn hủy/{totals[0]} đơn), TikTok Shop {second}."
    assert strangers(f"{told} Chênh nhau {apart} điểm phần trăm.", held) == ()
    assert strangers(f"Tỷ lệ hủy của Shopee là {first}.", held) == ()
    both = counts[0][1] + counts[1][1]
    assert strangers(f"Cả hai kênh hủy {both} đơn.", held) == ()


@pytest.mark.parametrize("said", ["TikTok Shop 7,8%.", "Shopee 7,9%.", "Shopee 6,2%, TikTok Shop 7,8%."])
def test_a_rate_that_no_rows_of_the_named_key_have_is_refused(said: str) -> None:
    assert strangers(said, by_two_keys([[466, 41, 18], [310, 21, 15]]))


@pytest.mark.parametrize("operation", ["avg", "min", "max"])
def test_what_does_not_add_up_has_no_total(operation: str) -> None:
    counts = [[300, 200, 101], [30, 20, 10]]
    assert not by_two_keys(counts, operation).groups
    assert {each.total for each in by_two_keys(counts).groups} == {601, 60, 330, 220, 111}


@given(st.from_regex(r"[A-Z]{1,3}-?[0-9]{3,7}", fullmatch=True))
def test_a_code_of_the_question_is_no_figure_but_its_digits_alone_are(code: str) -> None:
    held = ground(f"Đổi trạng thái đơn {code} thành Đã hủy", [], [], DAYS)
    assert strangers(f"Tôi không đổi được trạng thái đơn {code}.", held) == ()
    other = f"{code}7"
    assert strangers(f"Tôi không đổi được trạng thái đơn {other}.", held)


@given(st.dates(date(2024, 1, 1), date(2026, 11, 20)))
def test_a_known_day_may_name_its_month_by_a_word(day: date) -> None:
    held = ground("?", [], [], Days.of([day]))
    for form in (
        f"{day:%d} {day:%b} {day:%Y}",
        f"{day:%B} {day.day}, {day:%Y}",
        f"{day.day} tháng {day.month} năm {day.year}",
    ):
        assert strangers(f"Gross profit so far (to {form}) is known.", held) == ()
    after = day + timedelta(days=1)
    assert strangers(f"Gross profit so far (to {after.day} {after:%b} {after:%Y}) is known.", held)


@pytest.mark.parametrize(
    ("said", "lacks"),
    [
        ("Tôi không sửa được dữ liệu, chỉ tra cứu được số liệu.", True),
        ("Mình chỉ tra cứu thôi ạ.", True),
        ("Rất tiếc, không đổi được trạng thái đơn.", True),
        ("I can only read the data.", True),
        ("Bạn hãy đổi trong hệ thống quản lý đơn hàng.", False),
        ("Đã đổi trạng thái đơn thành Đã hủy, không có lỗi.", False),
        ("The order has been updated, no errors.", False),
        ("Đơn đó chưa giao.", False),
        ("Shopee không bán được đơn nào.", False),
        ("Tôi thấy Shopee không bán chạy nhất.", False),
    ],
)
def test_what_the_assistant_cannot_do_claims_nothing_of_the_data(said: str, lacks: bool) -> None:
    assert says_lack(said) is lacks


@pytest.mark.parametrize("year", ["", "/2026"])
@pytest.mark.parametrize("dash", ["-", "–", " - "])
@pytest.mark.parametrize(("first", "last"), [(1, 22), (5, 9)])
def test_the_first_of_two_days_of_a_month_is_a_day(first: int, last: int, dash: str, year: str) -> None:
    period = Days.of([], [(date(2026, 11, first), date(2026, 11, last))])
    known = ground("", [], [], period)
    assert not strangers(f"Từ {first}{dash}{last}/11{year} bạn không bán gì.", known)
    assert strangers(f"Từ {first + 1}{dash}{last}/11{year} bạn không bán gì.", known)


@pytest.mark.parametrize(("year", "stands"), [(2026, True), (2025, False)])
@pytest.mark.parametrize("words", ["Từ đầu năm", "Đầu năm", "Trong năm"])
def test_the_year_of_a_period_may_be_named(words: str, year: int, stands: bool) -> None:
    known = ground("", [], [], Days.of([], [(date(2026, 1, 1), date(2026, 11, 22))]))
    assert (not strangers(f"{words} {year} bạn không bán gì.", known)) is stands
