"""What follows a question keeps its days and rows, or both readings are told: moves made of the columns of a sheet."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from tests.modes.analysis.planner.planner_sheets import CUSTOMERS, NOW, ORDERS, column, plan
from tests.support.modes.analysis import analyst_at
from troly_analysis.planner import Plan, analyse_question
from troly_analysis.types import Sheet

FIGURES = {
    "doanh thu": ("sum", "Doanh thu"),
    "số đơn": ("count", None),
    "phí vận chuyển": ("sum", "Phí vận chuyển"),
}
DAYS = {"tháng 3/2024": ("2024-03-01", "2024-03-31"), "quý 1 năm 2024": ("2024-01-01", "2024-03-31")}
PLACES = ("Hà Nội", "Đà Nẵng")


def after(*texts: str) -> Plan:
    """The plan of the last of these messages."""
    made: Plan | None = None
    for text in texts:
        made = plan(text, (ORDERS,), NOW, made)
    assert made is not None
    return made


def days_of(arguments: Any) -> tuple[str, str]:
    """The days of a call; those of a pipeline stand in its first stage."""
    return arguments.get("date_from", ""), arguments.get("date_to", "")


FIRST = list(itertools.product(FIGURES, DAYS, PLACES))


@pytest.mark.parametrize(
    "move", ["trừ {} ra thì sao", "loại {} ra", "gạt {} ra giúp em", "không kể {} thì bao nhiêu"]
)
def test_what_is_left_out_leaves_the_rest_as_it_was(move: str) -> None:
    for figure, days, place in FIRST:
        call = after(f"{figure} {days} ở {place}", move.format("đơn hủy")).calls[0].arguments
        assert call["filters"] == {"Tỉnh thành": place, "Trạng thái": {"ne": "Đã hủy"}}
        assert (call["operation"], call.get("field")) == FIGURES[figure]
        assert days_of(call) == DAYS[days]


@pytest.mark.parametrize(
    "move", ["chia cho số đơn thì được bao nhiêu", "tính ra bình quân mỗi đơn", "trung binh 1 don"]
)
def test_what_falls_on_one_is_the_mean_of_the_same_rows(move: str) -> None:
    for figure, days, place in FIRST:
        if FIGURES[figure][1] is None:
            continue
        call = after(f"{figure} {days} ở {place}", move).calls[0].arguments
        assert (call["operation"], call["field"]) == ("avg", FIGURES[figure][1])
        assert (call["filters"], days_of(call)) == ({"Tỉnh thành": place}, DAYS[days])


@pytest.mark.parametrize(
    "move",
    ["tính cả {}", "cộng thêm {} nữa", "gộp cả {} vào", "lấy luôn {} thì bao nhiêu", "add {} too", "thêm {}"],
)
def test_what_is_added_stands_beside_what_was_asked_for(move: str) -> None:
    for figure, days in itertools.product(FIGURES, DAYS):
        call = after(f"{figure} {days} ở Hà Nội", move.format("Đà Nẵng")).calls[0].arguments
        assert call["filters"] == {"Tỉnh thành": {"in": ["Hà Nội", "Đà Nẵng"]}}
        assert ((call["operation"], call.get("field")), days_of(call)) == (FIGURES[figure], DAYS[days])
        fewer = after(f"{figure} {days} ở Hà Nội", move.format("Đà Nẵng"), "bỏ Hà Nội ra").calls[0].arguments
        assert fewer["filters"] == {"Tỉnh thành": "Đà Nẵng"}
    back = after("doanh thu tháng 3/2024 không tính đơn hủy, đơn hoàn trả", move.format("đơn hủy")).calls
    assert all(call.arguments["filters"] == {"Trạng thái": {"ne": "Hoàn trả"}} for call in back)
    both = after("doanh thu tháng 3/2024", move.format("tháng 4/2024")).calls[0].arguments
    assert days_of(both) == ("2024-03-01", "2024-04-30")
    assert not after("doanh thu tháng 1/2024", move.format("tháng 4/2024")).calls


@pytest.mark.parametrize("move", ["tổng cộng bao nhiêu đơn", "tong so don", "how many orders in total"])
def test_the_total_after_rows_in_a_state_is_of_the_rows_in_any(move: str) -> None:
    call = after("số đơn hủy tháng 3/2024 ở Hà Nội", move).calls[0].arguments
    assert (call["filters"], days_of(call)) == ({"Tỉnh thành": "Hà Nội"}, DAYS["tháng 3/2024"])


@pytest.mark.parametrize(
    ("move", "part", "whole"),
    [
        ("chiếm bao nhiêu phần trăm đơn của {place}", {"COD"}, {"{place}"}),
        ("chiếm mấy phần trăm tổng đơn COD", {"{place}"}, {"COD"}),
        ("chiem may phan tram tong don", {"{place}", "COD"}, set()),
        ("so với toàn bộ đơn COD thì chiếm mấy %", {"{place}"}, {"COD"}),
        ("what percent of COD orders is that", {"{place}"}, {"COD"}),
        ("Shopee chiếm bao nhiêu phần trăm", {"Shopee"}, {"{place}", "COD"}),
        ("bao nhiêu phần trăm bị hủy", {"Đã hủy"}, {"{place}", "COD"}),
    ],
)
def test_what_is_named_behind_a_share_bounds_its_whole(move: str, part: set[str], whole: set[str]) -> None:
    for days, place in itertools.product(DAYS, PLACES):
        made = after(f"{days} có bao nhiêu đơn COD ở {place}", move.format(place=place)).ask
        assert made is not None
        assert made.form == "share"
        assert {each.value for each in made.part} == {each.format(place=place) for each in part}
        assert {each.value for each in made.conditions} == {each.format(place=place) for each in whole}
        rest = after(
            f"{days} có bao nhiêu đơn ở {place}",
            "chiếm bao nhiêu phần trăm",
            "phần còn lại chiếm bao nhiêu phần trăm",
        ).ask
        assert rest is None or [(each.op, each.value) for each in rest.part] == [("ne", place)]


@pytest.mark.parametrize(
    "ask",
    [
        "con số đó đã gồm đơn hủy chưa?",
        "số này có tính cả đơn hủy không",
        "does that include cancelled orders?",
        "so do da tinh don huy chua",
    ],
)
def test_whether_a_figure_takes_something_in_is_told_by_both_figures(ask: str) -> None:
    for figure, days, place in FIRST:
        before, made = after(f"{figure} {days} ở {place}").ask, after(f"{figure} {days} ở {place}", ask)
        assert made.ask == before
        assert made.also is not None
        assert [(each.op, each.value) for each in made.also.conditions] == [("eq", place), ("ne", "Đã hủy")]


def test_a_short_change_after_words_that_were_not_read_goes_on_from_what_was_shown() -> None:
    for figure, days, place in FIRST:
        made = after(f"{figure} {days} ở {place}", "cái bxqzy kia là sao ta", "trừ đơn hủy ra")
        assert made.calls[0].arguments["filters"] == {"Tỉnh thành": place, "Trạng thái": {"ne": "Đã hủy"}}
        assert any(note.key == "unread_before" for note in made.shown)


@pytest.mark.parametrize(
    "first", ["doanh thu trừ bxqzy", "tại sao tháng 2/2024 thấp vậy", "hôm kia bxqzy sao rồi"]
)
def test_rows_alone_ask_for_no_figure(first: str) -> None:
    for place in PLACES:
        assert not after(first, f"ở {place} thì sao").calls
        assert after(f"{place} thì sao", "Doanh thu").calls  # what was offered is chosen


@pytest.mark.parametrize(
    "ask", ["người đó mua bao nhiêu đơn", "ng do mua bao nhieu don", "how many orders did she place"]
)
def test_a_person_is_no_order_and_several_are_not_one(ask: str) -> None:
    assert not after("đơn DH00001", ask).calls
    assert not after("đơn DH00001", "5 đơn đó tổng bao nhiêu tiền").calls


@pytest.mark.parametrize(("place", "nth"), [("thứ hai", 1), ("thứ 3", 2), ("thứ tư", 3)])
def test_an_ordinal_after_a_list_is_a_place_of_it_and_no_day(place: str, nth: int) -> None:
    rows = tuple(f"DH0000{number}" for number in range(1, 6))
    before = after("5 đơn lớn nhất tháng 3/2024")
    made = analyse_question(f"đơn {place} của khách nào", (ORDERS,), NOW, previous=before, shown=rows).plan
    assert made.calls[0].arguments["filters"] == {"Mã đơn": rows[nth]}
    listed = after("doanh thu theo nền tảng tháng 3/2024")
    channels = ("Shopee", "Lazada", "Website", "TikTok Shop")
    one = analyse_question("kênh thứ nhất bao nhiêu", (ORDERS,), NOW, previous=listed, shown=channels).plan
    made = analyse_question(f"kênh {place} thì sao", (ORDERS,), NOW, previous=one, shown=()).plan
    assert made.ask is not None
    assert (made.ask.form, made.ask.rank) == ("top", nth + 1)


def test_the_days_asked_about_last_are_kept_past_a_sheet_without_days() -> None:
    first = plan("doanh thu tháng 3/2024", (ORDERS, CUSTOMERS), NOW, None)
    between = plan("bao nhiêu khách hàng là nữ", (ORDERS, CUSTOMERS), NOW, first)
    last = plan("nền tảng nào doanh thu cao nhất", (ORDERS, CUSTOMERS), NOW, between)
    readings = {str(one.period.start) if one.period else "" for one in (last.ask, last.also) if one}
    assert "2024-03-01" in readings


@pytest.mark.parametrize("first", ["tỷ lệ hủy tháng 3/2024", "doanh thu trung bình mỗi ngày tháng 3/2024"])
@pytest.mark.parametrize(
    ("move", "changed"),
    [
        ("theo nền tảng", {"groups"}),
        ("kênh nào thấp nhất", {"groups", "order"}),
        ("so với tháng 2/2024 thì sao", {"form", "versus"}),
        ("còn Hà Nội", {"conditions"}),
    ],
)
def test_a_rate_and_a_mean_of_a_day_stay_what_is_worked_out(first: str, move: str, changed: set[str]) -> None:
    before, made = after(first).ask, after(first, move).ask
    assert before is not None
    assert made is not None
    now = {
        name
        for name in ("form", "groups", "order", "versus", "conditions")
        if getattr(before, name) != getattr(made, name)
    }
    assert now == changed
    assert (made.part, made.per, made.measures) == (before.part, before.per, before.measures)
    lowest = plan("nền tảng nào có tỷ lệ hủy thấp nhất", (ORDERS,), NOW, None).calls[0].arguments
    assert {"$sort": {"share": 1, "Nền tảng": 1}} in lowest["pipeline"]


async def test_two_rates_and_two_means_of_a_day_are_held_against_each_other(own_home: Path) -> None:
    sheet = "Mã đơn,Ngày đặt,Trạng thái,Doanh thu\n" + "\n".join(
        f"D{day}-{month},{day:02}/{month:02}/2026,{'Đã hủy' if day <= month else 'Hoàn thành'},{month * 100}000"
        for month in (9, 10)
        for day in range(1, 21)
    )
    with analyst_at(own_home, sheet) as analyst:
        rates = [
            (await analyst.ask(text)).answer
            for text in ("tỷ lệ hủy tháng 9/2026", "tháng 10/2026", "chênh bao nhiêu")
        ]
        means = [
            (await analyst.ask(text)).answer
            for text in (
                "số đơn trung bình mỗi ngày tháng 9/2026",
                "tháng 10/2026",
                "tăng hay giảm bao nhiêu",
            )
        ]
    assert "(từ 45% lên 50%)" in rates[-1]
    assert "5 điểm phần trăm" in rates[-1]
    assert "mỗi ngày" in means[-1]


def test_the_difference_to_another_value_is_one_of_the_same_days() -> None:
    for (figure, days, place), move in itertools.product(
        FIRST, ("Cần Thơ hơn {} bao nhiêu", "so với Cần Thơ thì chênh bao nhiêu")
    ):
        made = after(f"{figure} {days} ở {place}", move.format(place))
        assert made.ask is not None, move
        assert set(made.ask.gap[0].value) == {place, "Cần Thơ"}
        assert made.ask.period is not None
        assert str(made.ask.period.start) == DAYS[days][0]


def test_a_whole_question_without_days_is_told_in_both_readings() -> None:
    others = ("có bao nhiêu đơn bị hủy", "kênh nào doanh thu cao nhất", "vậy Shopee hơn Lazada mấy đơn")
    for (figure, days, place), text in itertools.product(FIRST, others):
        made = after(f"{figure} {days} ở {place}", text)
        assert made.ask is not None, text
        assert made.also is not None, text
        readings = {str(one.period.start) if one.period else "" for one in (made.ask, made.also)}
        assert readings == {"", DAYS[days][0]}
        assert made.also_calls


def test_its_own_days_and_the_whole_shop_are_no_part_of_what_was_asked_before() -> None:
    for figure, days, place in FIRST:
        made = after(f"{figure} {days} ở {place}", "trong tháng 5 năm 2024 cả shop có bao nhiêu đơn bị hủy")
        assert made.also is None
        assert made.calls[0].arguments["filters"] == {"Trạng thái": "Đã hủy"}
        assert days_of(made.calls[0].arguments) == ("2024-05-01", "2024-05-31")


def test_another_year_after_a_month_is_told_as_a_year_and_as_that_month() -> None:
    made = after("doanh thu tháng 3/2024", "còn năm 2023?")
    assert made.ask is not None
    assert made.also is not None
    spans = {(str(one.period.start), str(one.period.end)) for one in (made.ask, made.also) if one.period}
    assert spans == {("2023-01-01", "2023-12-31"), ("2023-03-01", "2023-03-31")}


def test_two_that_were_asked_about_are_added_and_compared() -> None:
    for figure, days in itertools.product(FIGURES, DAYS):
        first = (f"{figure} {days} ở Hà Nội", "còn Cần Thơ?")
        gap = after(*first, "hai nơi chênh nhau bao nhiêu")
        assert gap.ask is not None
        assert set(gap.ask.gap[0].value) == {"Hà Nội", "Cần Thơ"}
        each = after(*first, "hai nơi chênh nhau bao nhiêu", "nơi nào nhiều đơn hơn").ask
        assert each is None or not (each.groups and each.gap)
        total = after(*first, "cộng hai nơi lại").calls[0].arguments
        assert set(total["filters"]["Tỉnh thành"]["in"]) == {"Hà Nội", "Cần Thơ"}
        assert days_of(total) == DAYS[days]


def test_columns_of_a_row_are_told_by_the_row() -> None:
    for text in ("giao về tỉnh nào", "đơn đó của khách nào và trạng thái gì", "khách nào đặt"):
        made = after("đơn DH00001 mua gì", text)
        if made.question is None:
            assert made.calls[0].arguments["filters"] == {"Mã đơn": "DH00001"}
            assert made.ask is not None
            assert made.ask.form == "rows"


@pytest.mark.parametrize("no", ["Không, ở {} cơ", "không, {} kìa", "khong, tinh {} co", "no, {}"])
def test_a_no_before_a_comma_refuses_what_was_said_not_the_value_behind_it(no: str) -> None:
    for figure, days, place in FIRST:
        calls = after(f"{figure} {days} ở {place}", no.format("Cần Thơ")).calls
        # Without accents it may be asked back; what is refused is never the value that is named.
        assert calls or "Không" not in no
        for call in calls:
            assert (call.arguments["filters"], days_of(call.arguments)) == (
                {"Tỉnh thành": "Cần Thơ"},
                DAYS[days],
            )


@pytest.mark.parametrize("move", ["vẽ biểu đồ theo tháng", "theo tháng thì sao", "by month"])
def test_a_course_by_month_after_one_month_is_that_of_its_year(move: str) -> None:
    for figure in FIGURES:
        made = after(f"{figure} tháng 3/2024", move)
        assert made.ask is not None
        assert made.ask.period is not None
        assert (str(made.ask.period.start), str(made.ask.period.end)) == ("2024-01-01", "2024-12-31")
        made = after(f"{figure} quý 1 năm 2024", move)
        assert made.ask is not None
        assert made.ask.period is not None
        assert str(made.ask.period.end) == "2024-03-31"


SHIFTED = {"ngày 5/3/2024": "2023-03-05", "tháng 3/2024": "2023-03-01", "quý 1 năm 2024": "2023-01-01"}


@pytest.mark.parametrize("move", ["{} đó năm ngoái", "cùng {} đó năm ngoái thì sao", "cung {} do nam ngoai"])
def test_days_that_are_pointed_at_in_another_year_are_those_days_of_it(move: str) -> None:
    for days, start in SHIFTED.items():
        made = after(f"doanh thu {days}", move.format(days.split()[0]))
        assert days_of(made.calls[0].arguments)[0] == start
        assert made.also is None
    assert not after("doanh thu tuần trước", "tuần đó năm ngoái").calls


@pytest.mark.parametrize("total", ["tổng cộng bao nhiêu?", "tổng bao nhiêu", "tong cong la bao nhieu"])
@pytest.mark.parametrize(
    "first", ["doanh thu theo nền tảng tháng 3/2024", "nền tảng nào doanh thu cao nhất tháng 3/2024"]
)
def test_the_total_of_what_was_broken_down_is_one_figure(first: str, total: str) -> None:
    call = after(first, total).calls[0].arguments
    assert (call["operation"], call["field"], call.get("group_by")) == ("sum", "Doanh thu", None)
    assert days_of(call) == ("2024-03-01", "2024-03-31")


@pytest.mark.parametrize("total", ["Tổng cả quý 2 thì bao nhiêu?", "tổng cộng quý 2 là mấy"])
def test_the_total_of_other_days_ranks_nothing(total: str) -> None:
    call = after("tháng nào doanh thu cao nhất năm 2024", total).calls[0].arguments
    assert (call["operation"], call.get("group_by")) == ("sum", None)
    assert days_of(call) == ("2024-04-01", "2024-06-30")


def test_all_after_some_days_is_told_of_those_days_and_of_the_whole_sheet() -> None:
    for text in ("bao nhiêu đơn tất cả", "tất cả có mấy đơn", "bn đơn tất cả"):
        made = after("doanh thu Shopee tháng 3/2024", text)
        assert made.ask is not None, text
        assert made.also is not None, text
        assert {str(one.period.start) if one.period else "" for one in (made.ask, made.also)} == {
            "2024-03-01",
            "",
        }
        assert not made.ask.conditions, text
    ever = after("doanh thu Shopee tháng 3/2024", "bao nhiêu đơn từ trước tới giờ")
    assert ever.ask is not None
    assert ever.ask.period is None


@pytest.mark.parametrize("sorry", ["ý chết nhầm, {} mới đúng", "à nhầm, {}", "không phải, ý mình là {}"])
def test_a_correction_stays_for_the_questions_after_it(sorry: str) -> None:
    made = after("doanh thu Lazada tháng 3/2024", sorry.format("Shopee"), "cần số đơn")
    assert made.calls[0].arguments["filters"] == {"Nền tảng": "Shopee"}


def test_what_goes_on_from_a_question_that_was_not_understood_is_not_answered_from_an_older_one() -> None:
    made = after("doanh thu Lazada tháng 3/2024", "nhầm, kênh xyzzy mới đúng", "cần số đơn")
    assert not made.calls


@pytest.mark.parametrize("whole", ["cả {} thì sao?", "tổng cả {} bao nhiêu", "ca {} thi sao"])
def test_the_whole_of_a_unit_is_that_of_the_days_before(whole: str) -> None:
    for unit, end in (("quý", "2024-03-31"), ("năm", "2024-12-31")):
        call = after("doanh thu tháng 2/2024", whole.format(unit)).calls[0].arguments
        assert days_of(call) == ("2024-01-01", end)
        assert call["operation"] == "sum"


@pytest.mark.parametrize("move", ["còn tháng 2 thì tỉ lệ đó là bao nhiêu", "tỉ lệ đó của tháng 2 thì sao"])
def test_a_share_is_that_of_other_days(move: str) -> None:
    made = after("số đơn đã hủy tháng 3/2024", "tỉ lệ hủy là mấy phần trăm", move)
    assert made.calls
    assert made.ask is not None
    assert made.ask.form == "share"
    assert made.ask.period is not None
    assert str(made.ask.period.start) == "2024-02-01"
    assert [each.value for each in made.ask.part] == ["Đã hủy"]


def test_the_share_of_the_one_that_was_found_is_of_all_that_were_counted() -> None:
    made = analyse_question(
        "what percentage of orders is that?", (ORDERS,), NOW,
        previous=plan("which payment is used most in 2024", (ORDERS,)), shown=("COD",),
    ).plan  # fmt: skip
    assert made.ask is not None
    assert made.ask.form == "share"
    assert [each.value for each in made.ask.part] == ["COD"]


@pytest.mark.parametrize("move", ["bên nào rẻ nhất", "nền tảng nào thấp nhất"])
def test_an_end_is_of_the_figure_that_was_asked_for(move: str) -> None:
    made = after("phí vận chuyển trung bình của Shopee năm 2024", move)
    assert made.ask is not None
    assert [(each.op, each.ref.name) for each in made.ask.measures if each.ref] == [("avg", "Phí vận chuyển")]
    assert (made.ask.form, made.ask.order, made.ask.groups[0].ref.name) == ("top", "asc", "Nền tảng")


@pytest.mark.parametrize("more", ["bên nào nhiều đơn hơn", "nơi nào nhiều đơn hơn", "bên nào ít đơn hơn"])
def test_two_are_held_against_each_other_with_the_noun_between_the_words(more: str) -> None:
    first = f"Hà Nội với Đà Nẵng {more} trong năm 2024?"
    made = after(first)
    assert made.ask is not None
    assert [each.ref.name for each in made.ask.groups] == ["Tỉnh thành"]
    gap = after(first, "chênh bao nhiêu đơn")
    assert gap.ask is not None
    assert gap.ask.gap


@pytest.mark.parametrize("move", ["how many are there?", "có bao nhiêu đơn vậy?", "tổng cộng có mấy đơn"])
def test_the_rows_that_were_listed_are_counted(move: str) -> None:
    call = after("liệt kê đơn trên 5 triệu tháng 3/2024", move).calls[0].arguments
    assert call["operation"] == "count"
    assert call["filters"] == {"Doanh thu": {"gt": 5_000_000}}
    assert days_of(call) == ("2024-03-01", "2024-03-31")


def test_money_of_the_one_pointed_at_is_asked_where_money_is() -> None:
    sheets = (ORDERS, CUSTOMERS)
    first = plan("top 3 khách mua nhiều đơn nhất năm 2024", sheets)
    made = analyse_question(
        "người thứ hai mua bao nhiêu tiền", sheets, NOW, previous=first, shown=("KH001", "KH002", "KH003")
    ).plan
    call = made.calls[0].arguments
    assert (made.sheet, call["operation"], call["field"]) == ("Đơn hàng", "sum", "Doanh thu")
    assert call["filters"] == {"Mã khách hàng": "KH002"}


@pytest.mark.parametrize(("tier", "value"), [("Gold", "Vàng"), ("silver", "Bạc")])
def test_a_tier_is_known_by_its_english_name(tier: str, value: str) -> None:
    made = plan(f"how many {tier} customers do we have?", (CUSTOMERS,))
    assert made.calls[0].arguments["filters"] == {"Hạng": value}


def test_what_is_said_of_persons_is_no_part_of_a_product() -> None:
    assert not plan("khách hàng oversize có bao nhiêu người", (ORDERS,)).calls


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("cuối tuần vừa rồi", ("2024-06-08", "2024-06-09")),
        ("cuối tuần trước nữa", ("2024-06-01", "2024-06-02")),
        ("từ tháng 4 đến hôm nay", ("2024-04-01", "2024-06-15")),
        ("thang 4 toi hom nay", ("2024-04-01", "2024-06-15")),
    ],
)
def test_days_up_to_today_and_weekends_before_are_read(said: str, days: tuple[str, str]) -> None:
    assert days_of(plan(f"doanh thu {said}", (ORDERS,)).calls[0].arguments) == days


@pytest.mark.parametrize(
    "same", ["cùng kỳ tháng trước thì sao", "so với cùng kỳ tháng trước", "cung ky thang truoc"]
)
def test_the_same_days_are_those_of_the_unit_that_is_named(same: str) -> None:
    made = after("doanh thu từ 1/6 đến 10/6/2024", same)
    assert days_against(made) == ("2024-05-01", "2024-05-10")


@pytest.mark.parametrize(
    "move", ["trên Website thì sao", "trên TikTok Shop bao nhiêu", "tren website thi sao"]
)
def test_on_a_channel_is_no_comparison_with_it(move: str) -> None:
    made = after("số đơn trên Lazada tháng 3/2024", move)
    assert made.ask is not None
    assert not made.ask.gap
    assert len(made.ask.conditions) == 1


@pytest.mark.parametrize("total", ["cộng lại là bao nhiêu", "tổng cộng bao nhiêu?", "cong lai la bao nhieu"])
def test_two_that_were_asked_about_are_added(total: str) -> None:
    made = after("số đơn trên Lazada tháng 3/2024", "còn Website?", total)
    call = made.calls[0].arguments
    assert call["operation"] == "count"
    assert call["filters"] == {"Nền tảng": {"in": ["Lazada", "Website"]}}


@pytest.mark.parametrize("move", ["ngày cao nhất là ngày nào", "ngày nào nhiều nhất", "ngay nao nhieu nhat"])
def test_the_greatest_of_what_was_averaged_is_one_of_its_sums(move: str) -> None:
    made = after("doanh thu trung bình mỗi ngày tháng 3/2024", move)
    assert made.ask is not None
    assert [(each.op, each.ref.name) for each in made.ask.measures if each.ref] == [("sum", "Doanh thu")]
    assert ([each.unit for each in made.ask.groups], made.ask.order, made.ask.limit) == (["day"], "desc", 1)
    assert days_of_ask(made) == ("2024-03-01", "2024-03-31")


def test_a_month_that_was_found_is_pointed_at() -> None:
    first = plan("which month had the highest revenue in 2023", (ORDERS,))
    made = analyse_question("how much was it?", (ORDERS,), NOW, previous=first, shown=("2023-12",)).plan
    assert days_of(made.calls[0].arguments) == ("2023-12-01", "2023-12-31")


@pytest.mark.parametrize("move", ["có bao nhiêu nền tảng?", "how many platforms are there?"])
def test_the_groups_that_were_listed_are_counted(move: str) -> None:
    made = after("doanh thu theo nền tảng tháng 3/2024", move)
    assert made.ask is not None
    assert (made.ask.form, [each.distinct for each in made.ask.measures]) == ("scalar", [True])
    assert days_of_ask(made) == ("2024-03-01", "2024-03-31")


@pytest.mark.parametrize("move", ["so với 10/3 thì thế nào", "so với ngày 10/3"])
def test_a_day_of_the_month_is_compared_with(move: str) -> None:
    made = after("doanh thu ngày 11/4/2024", move)
    assert days_against(made)[0] == "2024-03-10"


def days_of_ask(made: Plan) -> tuple[str, str]:
    """The days that were understood."""
    assert made.ask is not None
    assert made.ask.period is not None
    return str(made.ask.period.start), str(made.ask.period.end)


def days_against(made: Plan) -> tuple[str, str]:
    """The days that those understood are compared with."""
    assert made.ask is not None
    assert made.ask.versus is not None
    return str(made.ask.versus.start), str(made.ask.versus.end)


@pytest.mark.parametrize(
    "move", ["nhiều hơn tháng 2 không?", "có cao hơn tháng 2 không", "is it more than february?"]
)
def test_more_than_other_days_compares_with_them(move: str) -> None:
    made = after("doanh thu tháng 3/2024", move)
    assert (days_against(made)[0], days_of_ask(made)[0]) == ("2024-02-01", "2024-03-01")


def test_how_much_a_comparison_rose_is_told_by_it_again() -> None:
    first = "doanh thu tháng 3/2024 so với tháng 2/2024"
    for move in ("tăng bao nhiêu tiền", "tăng hay giảm", "doanh thu tăng bao nhiêu"):
        assert after(first, move).calls == after(first).calls


def test_the_share_of_the_rows_of_what_was_found_is_of_those_rows() -> None:
    first = plan("đơn hủy nhiều nhất ở tỉnh nào năm 2024", (ORDERS,))
    made = analyse_question(
        "chiếm bao nhiêu % đơn của tỉnh đó", (ORDERS,), NOW, previous=first, shown=("Hà Nội",)
    ).plan
    assert made.ask is not None
    assert ([each.value for each in made.ask.part], [each.value for each in made.ask.conditions]) == (
        ["Đã hủy"],
        ["Hà Nội"],
    )


@pytest.mark.parametrize("text", ["doanh thu năm nay tính đến hôm nay", "doanh thu nam nay den hom nay"])
def test_days_inside_both_periods_are_meant(text: str) -> None:
    assert days_of_ask(plan(text, (ORDERS,))) == ("2024-01-01", "2024-06-15")


@pytest.mark.parametrize("text", ["doanh thu chưa tính phí vận chuyển", "doanh thu chưa gồm phí vận chuyển"])
def test_a_figure_without_another_is_no_figure_of_rows_that_have_none(text: str) -> None:
    assert not plan(f"{text} tháng 3/2024", (ORDERS,)).calls


def test_the_first_of_those_who_were_counted_is_named() -> None:
    made = after("tháng 3/2024 có mấy khách mua trên 5 triệu", "người mua nhiều nhất là ai")
    assert made.ask is not None
    assert (made.ask.form, made.ask.count_groups, made.ask.limit) == ("top", False, 1)


@pytest.mark.parametrize(
    ("move", "form"),
    [
        ("ở đó doanh thu bao nhiêu, Đà Nẵng nữa", "groups"),
        ("revenue there and in Đà Nẵng too", "groups"),
        ("ngoài nớ với Đà Nẵng doanh thu mấy", "groups"),
        ("tỉnh đó và Đà Nẵng cộng lại doanh thu bao nhiêu", "scalar"),
        ("tỉnh đó hơn Đà Nẵng bao nhiêu", "scalar"),
    ],
)
def test_what_is_pointed_at_beside_another_of_its_kind_is_asked_of_both(move: str, form: str) -> None:
    query = after("doanh thu Hà Nội tháng 3/2024", move).ask
    assert query is not None
    assert query.form == form
    assert next(iter((*query.conditions, *query.gap))).value == ["Hà Nội", "Đà Nẵng"]


def test_days_pointed_at_twice_are_two_questions() -> None:
    made = after("số đơn ngày 10/3/2024", "doanh thu hôm đó bao nhiêu, năm ngoái cũng ngày đấy thì sao")
    asked = [each.ask for each in (made, *made.more)]
    assert [each.period.start.isoformat() for each in asked if each and each.period] == [
        "2024-03-10",
        "2023-03-10",
    ]


@pytest.mark.parametrize(
    "move", ["Rứa tháng 2 có lên lại không", "tháng 2 có tăng không", "did February bounce back"]
)
def test_a_rise_of_one_month_of_a_course_is_held_against_the_month_before(move: str) -> None:
    query = after("doanh thu theo tháng năm 2024", move).ask
    assert query is not None
    assert query.form == "compare"
    assert query.versus is not None


@pytest.mark.parametrize(
    "move",
    [
        "theo từng nền tảng thì sao",
        "nền tảng nào góp nhiều nhất vào phần tăng đó",
        "which platform drove the increase most",
    ],
)
def test_a_comparison_that_is_broken_down_is_one_of_each(move: str) -> None:
    query = after("doanh thu tháng 3/2024 so với tháng 2/2024", move).ask
    assert query is not None
    assert (query.form, bool(query.versus)) == ("compare", True)
    assert [each.ref.name for each in query.groups] == ["Nền tảng"]


def test_the_months_with_the_greatest_change_are_not_told_by_their_sums() -> None:
    assert not after(
        "doanh thu theo tháng năm 2024", "tháng 2 tăng bao nhiêu", "tháng nào giảm mạnh nhất"
    ).calls
    assert after("doanh thu tháng 3/2024 bao nhiêu đấy").calls


@pytest.mark.parametrize(
    "move", ["số đơn tăng bao nhiêu", "còn số đơn thì tăng mấy đơn", "phí vận chuyển tăng hay giảm"]
)
def test_another_figures_change_after_a_comparison_is_of_its_periods(move: str) -> None:
    first = "so sánh doanh thu tháng 4/2024 với tháng 4/2023"
    asked, before = after(first, move).ask, after(first).ask
    assert asked is not None
    assert before is not None
    assert (asked.period, asked.versus, asked.groups) == (before.period, before.versus, ())
    course = after(first, "tăng trưởng số đơn theo tháng").ask
    assert course is not None
    assert course.growth


@pytest.mark.parametrize("tie", ["vs", "và", "với"])
@pytest.mark.parametrize("tail", ["thì còn bn", "ra thì còn bao nhiêu"])
def test_both_that_are_left_out_are_of_the_same_figure(tie: str, tail: str) -> None:
    for figure, (operation, field) in FIGURES.items():
        call = after(f"{figure} tháng 3/2024", f"trừ đơn hủy {tie} đơn hoàn trả {tail}").calls[0].arguments
        assert (call["operation"], call.get("field")) == (operation, field)
        assert call["filters"] == {"Trạng thái": {"nin": ["Đã hủy", "Hoàn trả"]}}


@pytest.mark.parametrize("refusal", ["không", "không có à", "không phải vậy"])
def test_what_a_comma_closes_denies_nothing_behind_it(refusal: str) -> None:
    made = after(
        "doanh thu tháng 3/2024 ở Hà Nội", f"{refusal}, vậy Đà Nẵng tháng 3/2024 doanh thu bao nhiêu"
    )
    assert all("ne" not in str(call.arguments.get("filters")) for call in made.calls)
    assert made.calls or made.missing


@pytest.mark.parametrize("start", ["từ đầu tháng này đến hôm nay", "từ 1/5 đến 14/6", "từ đầu tháng này"])
@pytest.mark.parametrize(("said", "months"), [("cùng kỳ năm ngoái", 12), ("cùng kỳ năm trước", 12)])
def test_the_same_days_of_a_year_before_are_those_of_the_whole_span(
    start: str, said: str, months: int
) -> None:
    for text in (f"doanh thu {start} so với {said}", f"so với {said} thì doanh thu {start} thế nào"):
        made = after(text).ask
        assert made is not None
        assert made.period is not None
        assert made.versus is not None
        for now, then in ((made.period.start, made.versus.start), (made.period.end, made.versus.end)):
            assert (now.year * 12 + now.month - then.year * 12 - then.month, now.day) == (months, then.day)


GOODS = Sheet(
    "9", "lan", "Sản phẩm", "t9",
    (
        column("Mã SP", "text", ("SP001", "SP002"), 30),
        column("Tên sản phẩm", "text", ("Áo thun", "Giày chạy bộ"), 30),
        column("Nhóm hàng", "text", ("Giày dép", "Áo khoác", "Quần")),
        column("Giá bán", "money", (), 20),
        column("Giá vốn", "money", (), 20),
        column("Tồn kho", "integer", (), 20),
    ),
    30, NOW,
)  # fmt: skip


def over(sheets: tuple[Sheet, ...], *turns: str, shown: tuple[str, ...] = ()) -> Plan:
    """The plan of the last turn; `shown` are the rows that the turn before it showed."""
    made: Plan | None = None
    for nth, text in enumerate(turns, 1):
        rows = shown if nth == len(turns) else ()
        made = analyse_question(text, sheets, NOW, previous=made, shown=rows).plan
    assert made is not None
    return made


def bounds(made: Plan) -> list[tuple[str, str, Any]]:
    """The conditions of what is asked."""
    assert made.ask is not None
    return [(each.ref.name, each.op, each.value) for each in made.ask.conditions]


@pytest.mark.parametrize(
    "total", ["tổng cộng mua bao nhiêu đơn?", "tong cong bao nhieu don", "total orders?"]
)
@pytest.mark.parametrize("name", ["Nền tảng", "Tỉnh thành", "Sản phẩm"])
def test_a_total_after_the_one_that_was_found_is_of_it_and_the_other_reading_is_told(
    name: str, total: str
) -> None:
    column_ = next(each for each in ORDERS.fields if each.name == name)
    for value, days in itertools.product(column_.examples[:2], DAYS):
        made = over((ORDERS,), f"{name} nào doanh thu cao nhất {days}", total, shown=(value,))
        assert bounds(made) == [(name, "eq", value)]
        assert days_of(made.calls[0].arguments) == DAYS[days]
        if "total" not in total:
            assert made.also is not None
            assert not made.also.conditions
        bare = over((ORDERS,), f"{name} nào doanh thu cao nhất {days}", "tổng cộng bao nhiêu", shown=(value,))
        assert not bounds(bare)  # its own figure stands in the answer before
        assert bare.also is not None
        assert [each.value for each in bare.also.conditions] == [value]


@pytest.mark.parametrize("move", ["hạng {} mà là {} thì mấy người", "{} mà {} thôi", "{} {}"])
@pytest.mark.parametrize("tier", ["Vàng", "Bạc"])
def test_a_short_turn_whose_words_the_sheet_holds_stays_on_it(tier: str, move: str) -> None:
    made = over((CUSTOMERS, ORDERS), f"có bao nhiêu khách hạng {tier}", move.format(tier, "Nữ"))
    assert made.sheet == "Khách hàng"
    assert not made.calls or bounds(made) == [("Hạng", "eq", tier), ("Giới tính", "eq", "Nữ")]
    assert (
        over((CUSTOMERS, ORDERS), f"có bao nhiêu khách hạng {tier}", "doanh thu Shopee").sheet == "Đơn hàng"
    )


@pytest.mark.parametrize("state", ["đang giao", "hoàn thành", "bị hủy"])
def test_no_state_is_asked_for_where_one_was_named(state: str) -> None:
    for text in (f"bao nhiêu đơn {state}, bên nào nhiều nhất", f"bao nhiêu đơn {state}"):
        made = over((ORDERS,), text, *(["bên nào nhiều nhất"] if "," not in text else []))
        every = [each.ask for each in (made, *made.more) if each.calls and each.ask]
        assert all(group.ref.name != "Trạng thái" for each in every for group in each.groups)


@pytest.mark.parametrize(("first", "end"), [("cao nhất", "thấp nhất"), ("thấp nhất", "cao nhất")])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_other_end_of_a_ranking_is_as_long(count: int, first: str, end: str) -> None:
    made = over((ORDERS,), f"{count} tỉnh thành có doanh thu {first} tháng 3/2024", f"còn {end}?").ask
    assert made is not None
    assert (made.form, made.limit, made.order) == ("top", count, "asc" if end == "thấp nhất" else "desc")


@pytest.mark.parametrize("unit", ["tuần", "tháng", "quý", "năm"])
@pytest.mark.parametrize(
    "move", ["so với {} trước đó nữa", "so voi {} truoc do", "so với {} trước đó thì tăng hay giảm"]
)
def test_what_is_held_against_the_days_before_keeps_its_own(unit: str, move: str) -> None:
    before = over((ORDERS,), f"doanh thu {unit} trước").ask
    made = over((ORDERS,), f"doanh thu {unit} trước", move.format(unit)).ask
    assert before is not None
    assert made is not None
    assert (made.form, made.period) == ("compare", before.period)
    assert made.versus is not None
    assert made.period is not None
    assert (made.period.start - made.versus.end).days == 1


@pytest.mark.parametrize(("price", "other"), [("giá vốn", "Giá bán"), ("giá bán", "Giá vốn")])
def test_another_price_works_out_the_same_worth(price: str, other: str) -> None:
    for group in ("", " nhóm Giày dép"):
        first = f"tổng tồn kho{group} còn bao nhiêu cái, và giá trị hàng tồn tính theo {price} là bao nhiêu"
        made = over((GOODS,), first, f"thế tính theo {other.lower()}").ask
        assert made is not None
        assert [(each.op, each.ref.name) for each in made.measures if each.ref] == [
            ("sum", f"Tồn kho × {other}")
        ]


@pytest.mark.parametrize("kind", ["Giày dép", "Áo khoác", "Quần"])
@pytest.mark.parametrize(("end", "op"), [("rẻ nhất", "min"), ("đắt nhất", "max")])
def test_an_end_that_is_said_of_a_thing_finds_the_thing(kind: str, end: str, op: str) -> None:
    for move in (f"cái {end} trong nhóm đó", f"sản phẩm nào {end}"):
        made = over((GOODS, ORDERS), f"nhóm {kind} có mấy sản phẩm", move)
        assert (made.sheet, bounds(made)) == ("Sản phẩm", [("Nhóm hàng", "eq", kind)])
        assert made.ask is not None
        assert (made.ask.form, made.ask.limit, [each.op for each in made.ask.measures]) == ("rows", 1, [op])


def test_other_days_after_two_questions_are_of_both_and_what_points_is_of_the_last() -> None:
    first = "tháng 3/2024 bao nhiêu đơn, nền tảng nào nhiều nhất"
    both = over((ORDERS,), first, "còn tháng 4/2024?")
    assert [each.ask.form for each in (both, *both.more) if each.ask] == ["scalar", "top"]
    assert {each.ask.period.start.month for each in (both, *both.more) if each.ask and each.ask.period} == {4}
    one = over((ORDERS,), first, "nền tảng đó doanh thu bao nhiêu", shown=("Shopee",))
    assert (bounds(one), one.more) == ([("Nền tảng", "eq", "Shopee")], ())
    assert one.ask is not None
    assert one.ask.period is not None
    end = over((ORDERS,), first, "còn ít nhất?").ask
    assert end is not None
    assert (end.form, end.order) == ("top", "asc")


def test_columns_of_one_of_several_that_share_the_first_place_are_not_guessed() -> None:
    first = "tỉnh thành nào nhiều đơn nhất tháng 3/2024"
    assert not over((ORDERS,), first, "nền tảng nào vậy", shown=("Hà Nội", "Đà Nẵng")).calls


@pytest.mark.parametrize(
    ("judged", "order"), [("tệ nhất", "desc"), ("kém nhất", "desc"), ("tốt nhất", "asc")]
)
@pytest.mark.parametrize("state", ["hoàn trả", "hủy"])
def test_the_most_of_what_nobody_wants_is_the_worst(state: str, judged: str, order: str) -> None:
    rate = plan(f"tỷ lệ {state} theo nền tảng tháng 5", (ORDERS,), NOW)
    after = plan(f"bên nào {judged}", (ORDERS,), NOW, previous=rate).ask
    alone = plan(f"nền tảng nào {judged} về tỷ lệ {state}", (ORDERS,), NOW).ask
    counted = plan(f"nền tảng nào {judged} về đơn {state}", (ORDERS,), NOW).ask
    assert [each and each.order for each in (after, alone, counted)] == [order] * 3


@pytest.mark.parametrize(("end", "order"), [("cao nhất", "desc"), ("thấp nhất", "asc"), ("ít nhất", "asc")])
def test_how_much_there_is_of_it_is_not_judged(end: str, order: str) -> None:
    rate = plan("tỷ lệ hoàn trả theo nền tảng tháng 5", (ORDERS,), NOW)
    after = plan(f"bên nào {end}", (ORDERS,), NOW, previous=rate).ask
    assert after is not None
    assert after.order == order


@pytest.mark.parametrize(("judged", "order"), [("tệ nhất", "asc"), ("tốt nhất", "desc")])
def test_little_of_what_is_wanted_is_the_worst(judged: str, order: str) -> None:
    done = plan("tỷ lệ hoàn thành theo nền tảng tháng 5", (ORDERS,), NOW)
    for text, before in ((f"bên nào {judged}", done), (f"tỉnh nào doanh thu {judged} tháng 5", None)):
        made = plan(text, (ORDERS,), NOW, previous=before).ask
        assert made is not None
        assert made.order == order


@pytest.mark.parametrize("frame", ["ở {} nữa", "{} nữa", "và {} nữa nhé", "{} too", "{} as well"])
@pytest.mark.parametrize(("first", "second"), [("Hà Nội", "Đà Nẵng"), ("Shopee", "Lazada")])
def test_a_value_alone_that_is_said_too_is_counted_in(first: str, second: str, frame: str) -> None:
    before = plan(f"doanh thu {first} tháng 5", (ORDERS,), NOW)
    made = plan(frame.format(second), (ORDERS,), NOW, previous=before).ask
    assert made is not None
    assert [each.value for each in made.conditions] == [[first, second]]
    instead = plan(f"còn {second} thì sao", (ORDERS,), NOW, previous=before).ask
    assert instead is not None
    assert [each.value for each in instead.conditions] == [second]


@pytest.mark.parametrize(("nth", "place"), [("thứ hai", 1), ("thứ ba", 2)])
async def test_the_price_of_one_that_was_shown_is_the_listed_one(
    own_home: Path, nth: str, place: int
) -> None:
    """Not the mean of what its orders say, where the sheet of goods has a row for it."""
    goods = "Mã SP,Tên sản phẩm,Giá bán\n" + "".join(f"SP{at},Hàng {at},{at}5000\n" for at in range(1, 9))
    sold = "Mã đơn,Ngày,Mã SP,Sản phẩm,Số lượng,Đơn giá\n"
    sold += "".join(
        f"D{at}{n},0{n + 1}/11/2026,SP{at},Hàng {at},{9 - at},{at}{n}000\n"
        for at in range(1, 9)
        for n in range(3)
    )
    with analyst_at(own_home, goods, sold, names=("Sản phẩm", "Đơn hàng")) as analyst:
        await analyst.ask("top 5 sản phẩm bán chạy tháng 11")
        assert (
            f"Hàng {place + 1}): {place + 1}5.000 VND"
            in (await analyst.ask(f"cái {nth} giá bao nhiêu")).answer
        )


@pytest.mark.parametrize("day", ["hôm qua", "hôm kia", "hôm nay", "ngày 5/5/2024"])
@pytest.mark.parametrize("end", ["ngày gần nhất có đơn là ngày nào", "ngày đầu tiên có đơn là ngày nào", "lần cuối có đơn là khi nào"])  # fmt: skip
def test_the_last_day_that_there_is_is_sought_in_no_one_day(day: str, end: str) -> None:
    before = plan(f"doanh thu {day}", (ORDERS,), NOW)
    query = plan(f"vậy {end}", (ORDERS,), NOW, before).ask
    assert query is not None
    assert query.period is None
    month = plan("doanh thu tháng 5", (ORDERS,), NOW)
    kept = plan(f"vậy {end}", (ORDERS,), NOW, month).ask
    assert kept is not None
    assert kept.period is not None


@pytest.mark.parametrize(
    "change",
    ["đổi sang {}", "đổi thành {}", "chuyển qua {} đi", "make it {} instead", "change that to {}", "switch to {}", "turn it into {}"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("vi", "en", "kind"), [("biểu đồ đường", "a line chart", "line"), ("biểu đồ tròn", "a pie chart", "share"), ("biểu đồ cột", "a bar chart", "bar")]
)  # fmt: skip
def test_another_chart_is_of_what_was_drawn(change: str, vi: str, en: str, kind: str) -> None:
    before = plan("vẽ biểu đồ doanh thu theo nền tảng", (ORDERS,), NOW)
    made = plan(change.format(en if change.isascii() else vi), (ORDERS,), NOW, before)
    assert made.calls
    assert made.chart == kind
    assert made.ask is not None
    assert before.ask is not None
    assert made.ask.groups == before.ask.groups
