"""A word that could change the figure is in the query, or it is named and there is no figure."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.modes.analysis.planner.planner_sheets import NOW, ORDERS, SPAN, column, plan
from troly.text.catalogue import LANGS
from troly.text.fold import fold
from troly_analysis.sheets.ingest import one_spelling
from troly_analysis.types import Sheet

SIGNS = {
    ">": "gt", "trên": "gt", "lớn hơn": "gt", "more than": "gt", ">=": "gte", "≥": "gte", "ít nhất": "gte", "at least": "gte",
    "<": "lt", "dưới": "lt", "nhỏ hơn": "lt", "less than": "lt", "<=": "lte", "≤": "lte", "không quá": "lte", "at most": "lte",
}  # fmt: skip
TURNED = {"gt": "lte", "lt": "gte"}
FRAMES = ("số đơn {} tháng 5", "doanh thu của các đơn {} theo tỉnh", "có bao nhiêu đơn {}")


def filters(text: str) -> Any:
    made = plan(text, (ORDERS,), NOW)
    assert made.calls, (text, made.missing, made.question)
    return made.calls[0].arguments["filters"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(SIGNS)), st.integers(1, 900), st.sampled_from(FRAMES))
def test_a_comparison_sign_is_never_dropped_nor_turned(sign: str, thousands: int, frame: str) -> None:
    found = filters(frame.format(f"{sign} {thousands}k"))
    assert found["Doanh thu"] == {SIGNS[sign]: thousands * 1000}


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(("trên", "dưới")), st.integers(1, 900))
def test_a_negated_comparison_is_turned_round(sign: str, thousands: int) -> None:
    found = filters(f"số đơn không {sign} {thousands}k")
    assert found["Doanh thu"] == {TURNED[SIGNS[sign]]: thousands * 1000}


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(("không tính", "trừ", "ngoại trừ", "bỏ", "không phải", "excluding", "not")),
    st.sampled_from(("Shopee", "Lazada", "Website")),
    st.sampled_from(("doanh thu {}", "số đơn {} tháng trước", "tổng doanh thu {} theo tỉnh")),
)
def test_a_negation_is_never_lost(word: str, value: str, frame: str) -> None:
    assert filters(frame.format(f"{word} {value}"))["Nền tảng"] == {"ne": value}


STRANGE = st.text("bcghklmnpqrtvxaeiou", min_size=5, max_size=9).map(lambda text: f"zw{text}")


@settings(max_examples=60, deadline=None)
@given(
    STRANGE,
    st.sampled_from(
        ("doanh thu {} tháng 5", "số đơn {}", "top 3 sản phẩm bán chạy {}", "{} doanh thu theo tỉnh")
    ),
)
def test_a_word_that_is_not_read_is_named_and_there_is_no_figure(word: str, frame: str) -> None:
    made = plan(frame.format(word), (ORDERS,), NOW)
    assert not made.calls
    assert word in " ".join(made.missing)
    assert made.question is not None
    assert word in made.question.say("vi")


def test_trung_binh_is_an_average_whatever_the_data_holds() -> None:
    call = plan("đơn giá trung bình ở Bình Dương", (ORDERS,), NOW).calls[0].arguments
    assert (call["operation"], call["filters"]) == ("avg", {"Tỉnh thành": "Bình Dương"})


@pytest.mark.parametrize("text", ["doanh thu theo tỉnh tăng dần", "doanh thu theo tỉnh từ thấp đến cao"])
def test_the_order_asked_for_is_kept(text: str) -> None:
    assert plan(text, (ORDERS,), NOW).calls[0].arguments["order"] == "asc"


def test_the_words_of_a_question_that_was_asked_back_are_no_filters_of_the_next() -> None:
    first = plan("doanh thu tháng trước", (ORDERS,), NOW)
    asked = plan("doanh thu Shopee bá cháy", (ORDERS,), NOW, first)
    assert not asked.calls
    after = plan("không, ý tôi là tháng này", (ORDERS,), NOW, asked)
    assert "filters" not in after.calls[0].arguments


@pytest.mark.parametrize(
    "text", ["dự báo doanh thu tháng sau", "tại sao doanh thu tháng 5 giảm", "why did revenue drop in May"]
)
def test_forecasts_and_causes_are_refused(text: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert made.refusal in {"forecast", "cause"}
    assert not made.calls


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Latte", "latte", "LATTE", "Hoa", "Hòa", "hoa", "Trà", "tra"]), st.integers(1, 9)
        ),
        unique_by=lambda each: each[0],
    )
)
def test_spellings_never_join_values_with_different_accents(counts: list[tuple[str, int]]) -> None:
    merged = dict(one_spelling(counts))
    assert not set(merged) & set(merged.values())
    named = {value for value, _ in counts}
    assert set(merged.values()) <= named
    kept = named - set(merged)
    assert sum(value.lower() == "latte" for value in kept) <= 1


@pytest.mark.parametrize(
    "asked", ["tháng 5 có bao nhiêu đơn, tổng cộng bao nhiêu tiền", "tháng 5 mấy đơn, được bao nhiêu tiền"]
)
def test_two_figures_that_are_asked_are_both_worked_out(asked: str) -> None:
    made = plan(asked, (ORDERS,), NOW)
    assert [call.arguments["operation"] for call in made.calls] == ["count", "sum"]


@pytest.mark.parametrize(
    "asked",
    [
        "tháng 5: số đơn, doanh thu, với trung bình một đơn",
        "số đơn, doanh thu và bình quân mỗi đơn tháng 5",
        "order count, revenue and average per order in May",
    ],
)
def test_a_mean_that_stands_apart_is_asked_beside_its_sum(asked: str) -> None:
    made = plan(asked, (ORDERS,), NOW)
    assert [call.arguments["operation"] for call in made.calls] == ["count", "sum", "avg"]


@pytest.mark.parametrize(
    ("asked", "day"), [("hôm thứ bảy mấy đơn", "2024-06-08"), ("bữa thứ sáu mấy đơn", "2024-06-14")]
)
def test_one_weekday_is_the_last_that_was(asked: str, day: str) -> None:
    arguments = plan(asked, (ORDERS,), NOW).calls[0].arguments
    assert (arguments["date_from"], arguments["date_to"]) == (day, day)


def test_what_a_figure_is_for_is_named_and_changes_nothing() -> None:
    made = plan("doanh thu tháng 5 theo tỉnh để đối chiếu công nợ", (ORDERS,), NOW)
    assert made.calls == plan("doanh thu tháng 5 theo tỉnh", (ORDERS,), NOW).calls
    assert "background" in {note.key for note in made.shown}
    assert not plan("doanh thu tháng 5 để zwkhen", (ORDERS,), NOW).missing
    assert plan("doanh thu tháng 5 để xem Shopee", (ORDERS,), NOW).ask.conditions  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("doanh thu sắp tới", "forecast"), ("tháng sau bán được bao nhiêu", "forecast"), ("tuan toi doanh thu", "forecast"),
        ("upcoming revenue", "forecast"), ("doanh thu từ nay đến hết năm", "forecast"), ("revenue next quarter", "forecast"),
        ("nguyên nhân doanh thu giảm", "cause"), ("ly do don bi huy", "cause"), ("sao doanh thu tháng 5 giảm vậy", "cause"),
        ("reason for the drop in revenue", "cause"), ("doanh thu tuần này", ""), ("doanh thu tháng 7", ""),
    ],
)  # fmt: skip
def test_what_has_not_come_is_a_forecast_and_what_led_to_it_a_cause(text: str, refusal: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert made.refusal == refusal
    assert bool(made.calls) != bool(refusal)


@pytest.mark.parametrize(
    "text", ["số đơn theo lý do hủy", "lý do nào có nhiều đơn nhất", "đếm đơn theo lý do"]
)
def test_a_column_of_reasons_is_asked_for_and_no_cause(text: str) -> None:
    told = replace(ORDERS, fields=(*ORDERS.fields, column("Lý do hủy", "text", ("Đổi ý", "Hết hàng"))))
    asked = plan(text, (told,), NOW).ask
    assert asked is not None
    assert [group.ref.name for group in asked.groups] == ["Lý do hủy"]


@pytest.mark.parametrize("text", ["hợp đồng nào hết hạn tháng sau", "bao nhiêu hợp đồng hết hạn tuần tới"])
def test_days_to_come_that_the_data_hold_are_no_forecast(text: str) -> None:
    leases = Sheet(
        "9", "lan", "Hợp đồng", "t9",
        (column("Mã hợp đồng", "text", ("HD1", "HD2"), 40), column("Ngày hết hạn", "date", (), 30), column("Tiền thuê", "money", (), 9)),
        40, NOW, date_field="Ngày hết hạn", span=(date(2024, 1, 1), date(2025, 12, 31)),
    )  # fmt: skip
    assert not plan(text, (leases,), NOW).refusal


@pytest.mark.parametrize(
    "text",
    [
        "doanh thu thực tế tháng 5",
        "doanh thu rong thang 5",
        "actual revenue in May",
        "net sales in May",
        "số đơn thực tế tháng 5",
    ],
)
def test_what_was_sold_in_fact_leaves_out_what_came_to_nothing_or_is_not_read(text: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert made.calls[0].arguments["filters"] == {"Trạng thái": {"nin": ["Đã hủy", "Hoàn trả"]}}
    assert "net_of" in {note.key for note in made.shown}
    bare = replace(ORDERS, fields=tuple(each for each in ORDERS.fields if each.name != "Trạng thái"))
    made = plan(text, (bare,), NOW)
    assert made.missing or text == "net sales in May"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("doanh thu tháng 13", "tháng 13"), ("doanh thu 32 ngày xyz", "ngày"), ("dthu t5 hok xyz %", "%"),
        ("doanh thu sàn Amazon", "Amazon"), ("revenue by tier > abc", "> abc"), ("lãi t5 bn", "lãi"),
        ("doanh thu Shopee bữa 11/11 hổm", "bữa"), ("doanh thu thnág 5 xyzzq", "xyzzq"), ("số đơn tháng 5 đứng thứ hai xyzzq", "xyzzq"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_named_in_the_words_that_were_typed(text: str, said: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert made.question is not None
    for lang in LANGS:
        told = made.question.say(lang)
        assert said in told
        assert not re.search(r"\([a-z]+\)|\bunit |\brank |…|±|max/|/min", told)
    named = made.question.params["said"]
    assert all(fold(each) in fold(text) for each in named if isinstance(each, str))


def test_what_was_not_read_before_is_told_in_words_or_plain_labels() -> None:
    made = plan("doanh thu tháng cao nhất hơn tháng thấp nhất bao nhiêu xyzzq", (ORDERS,), NOW)
    after = plan("còn Shopee thì sao", (ORDERS,), NOW, made)
    assert after.question is not None
    assert after.question.key == "unheard"
    assert not re.search(r"…|±|max/|/min|gap", after.question.say("vi"))


@pytest.mark.parametrize(
    ("text", "said", "held"),
    [
        ("doanh thu ở Cà Mau", "Cà Mau", "Bình Dương"), ("doanh thu khu vực Cà Mau tháng 5", "Cà Mau", "Cần Thơ"),
        ("doanh thu sàn Amazon", "Amazon", "TikTok Shop"), ("số đơn qua Zalo", "Zalo", "Lazada"),
        ("revenue on Amazon in May", "Amazon", "Website"), ("doanh thu tại Nha Trang", "Nha Trang", "Đà Nẵng"),
        ("số đơn thanh toán bằng Momo", "Momo", "Ví điện tử"), ("doanh thu tỉnh Lâm Đồng", "Lâm Đồng", "Hà Nội"),
        ("doanh thu Shopee ở Cà Mau", "Cà Mau", "Hà Nội"),
    ],
)  # fmt: skip
def test_a_name_that_the_data_lack_is_told_with_those_that_there_are(text: str, said: str, held: str) -> None:
    made = plan(text, (ORDERS,), NOW)
    assert not made.calls
    assert made.question is not None
    assert made.question.key == "absent"
    for lang in LANGS:
        told = made.question.say(lang)
        assert f"«{said}»" in told or f"“{said}”" in told
        assert held in told
    assert plan("bỏ qua", (ORDERS,), NOW, made).calls


@pytest.mark.parametrize(
    "text", ["doanh thu khu vực Hà Nội", "doanh thu vùng Đà Nẵng", "doanh thu o tinh Can Tho"]
)
def test_a_noun_of_places_stands_before_any_place(text: str) -> None:
    assert "Tỉnh thành" in plan(text, (ORDERS,), NOW).calls[0].arguments["filters"]


@pytest.mark.parametrize(
    "asked", ["doanh thu Shopee bá cháy", "doanh thu ở Cà Mau qua Shopee", "số đơn Shopee tháng 4 bá cháy"]
)
@pytest.mark.parametrize(
    "then", ["doanh thu theo tỉnh", "sản phẩm nào bán chạy nhất", "bao nhiêu đơn bị hủy"]
)
def test_a_question_that_was_asked_back_bounds_no_reading_of_the_next(asked: str, then: str) -> None:
    made = plan(then, (ORDERS,), NOW, plan(asked, (ORDERS,), NOW))
    if (
        "tháng" in asked and "bao nhiêu" in then
    ):  # a state alone is of the days that were named, which is said
        assert any(note.key == "days_of_unread" for note in made.shown)
        return
    assert made.calls
    for query in (made.ask, made.also):
        assert query is None or not {"Shopee"} & {
            each.value for each in query.conditions if isinstance(each.value, str)
        }
        assert query is None or query.period is None


SEVERAL = ("mấy", "những", "các")


@pytest.mark.parametrize("several", SEVERAL)
@pytest.mark.parametrize(
    "asked", ["tổng tiền của {} đơn Shopee tháng 5 là bao nhiêu", "doanh thu {} đơn Shopee tháng 5", "tháng 5, {} đơn Shopee hết bao nhiêu tiền"]
)  # fmt: skip
def test_rows_that_money_is_asked_of_are_not_counted(asked: str, several: str) -> None:
    for text in (asked.format(several), fold(asked.format(several))):
        arguments = plan(text, (ORDERS,), NOW).calls[0].arguments
        assert (arguments["operation"], arguments["field"]) == ("sum", "Doanh thu")


@pytest.mark.parametrize("several", SEVERAL)
def test_rows_that_alone_are_taken_in_keep_the_figure(several: str) -> None:
    before = plan("doanh thu tháng 5", (ORDERS,), NOW)
    after = plan(f"nếu chỉ lấy {several} đơn Shopee thôi thì sao", (ORDERS,), NOW, before)
    assert after.calls[0].arguments == {**before.calls[0].arguments, "filters": {"Nền tảng": "Shopee"}}


@pytest.mark.parametrize(
    "asked", ["tháng 5 có mấy đơn Shopee", "tháng 5 Shopee mấy đơn", "may don Shopee thang 5"]
)
def test_several_rows_alone_are_counted(asked: str) -> None:
    assert plan(asked, (ORDERS,), NOW).calls[0].arguments["operation"] == "count"


@pytest.mark.parametrize("days", ["tháng 3", "tháng 12", "quý 1", "quy 4"])
def test_days_said_to_come_are_a_forecast(days: str) -> None:
    past = replace(ORDERS, span=(date(2023, 1, 1), NOW.date()))
    assert plan(f"doanh thu {days}", (past,), NOW).calls
    for text in (f"doanh thu {days} tới là bao nhiêu", fold(f"doanh thu {days} tới là bao nhiêu")):
        made = plan(text, (past,), NOW)
        assert (made.refusal, made.calls) == ("forecast", ())


@pytest.mark.parametrize(
    ("asked", "unit"),
    [
        ("trung bình mỗi thứ bảy doanh thu bao nhiêu", "day"), ("doanh thu trung bình một chủ nhật", "day"),
        ("average revenue per Saturday", "day"), ("doanh thu trung bình mỗi cuối tuần", "week"),
    ],
)  # fmt: skip
def test_the_mean_of_a_weekday_is_one_of_such_days(asked: str, unit: str) -> None:
    query = plan(asked, (ORDERS,), NOW).ask
    assert query is not None
    assert (query.form, [each.unit for each in query.per]) == ("per", [unit])
    assert [each.unit for each in query.conditions] == ["weekday"]


@pytest.mark.parametrize(
    ("change", "order"), [("tăng nhiều nhất", "desc"), ("giảm mạnh nhất", "asc"), ("tang it nhat", "asc"), ("xuống nhiều nhất", "asc")]
)  # fmt: skip
def test_the_end_of_a_change_orders_changes_and_never_the_figure(change: str, order: str) -> None:
    before = plan("so sánh doanh thu tháng 5 với tháng 4", (ORDERS,), NOW)
    after = plan(f"tỉnh nào {change}", (ORDERS,), NOW, before)
    whole = plan(f"tỉnh nào doanh thu {change} tháng 5 so với tháng 4", (ORDERS,), NOW)
    for made in (after, whole):
        assert made.ask is not None
        assert (made.ask.form, made.ask.order, made.ask.measures[0].op) == ("compare", order, "sum")
        assert made.calls[0].arguments["pipeline"][-1] == {
            "$sort": {"difference": 1 if order == "asc" else -1}
        }
    assert not plan(f"tỉnh nào doanh thu {change}", (ORDERS,), NOW).calls


@pytest.mark.parametrize("each", ["mỗi cái", "từng cái", "mỗi bên"])
def test_each_is_of_what_was_shown(each: str) -> None:
    before = plan("doanh thu Shopee và Lazada tháng 5", (ORDERS,), NOW)
    query = plan(f"{each} bao nhiêu đơn", (ORDERS,), NOW, before).ask
    assert query is not None
    assert [(group.ref.name, query.conditions[0].value) for group in query.groups] == [
        ("Nền tảng", ["Shopee", "Lazada"])
    ]


@pytest.mark.parametrize(
    "asked", ["how many units of each did we sell in May", "tháng 5 mỗi cái bán được bao nhiêu"]
)
def test_each_of_nothing_that_is_named_gives_no_figure(asked: str) -> None:
    made = plan(asked, (ORDERS,), NOW)
    assert (made.calls, made.missing) == ((), ("each",))


@pytest.mark.parametrize(
    "asked",
    [
        "số đơn hoàn trả với số đơn đã hủy tháng 5, tỉnh nào hủy nhiều nhất", "cho xin so don huy va so don hoan tra thang 5, tinh nao huy nhieu nhat",
        "số đơn Shopee và số đơn Lazada tháng 5, tỉnh nào nhiều nhất",
    ],
)  # fmt: skip
def test_numbers_that_are_asked_apart_are_told_apart_and_before_a_ranking(asked: str) -> None:
    made = plan(asked, (ORDERS,), NOW)
    assert made.ask is not None
    assert made.ask.form == "groups"
    assert len(made.ask.conditions[0].value) == 2
    assert [each.ask.form for each in made.more if each.ask] == ["top"]


@pytest.mark.parametrize("more", ["", ", mua gì", " mua gì mà nhiều thế", ", khách mua gì mà dữ vậy"])
@pytest.mark.parametrize(
    ("end", "order"), [("đơn nào to nhất", "desc"), ("đơn lớn nhất", "desc"), ("đơn nhỏ nhất", "asc")]
)
def test_the_greatest_order_is_one_row_whatever_is_asked_of_it(end: str, order: str, more: str) -> None:
    for text in (f"{end} tháng 5{more}", fold(f"{end} tháng 5{more}")):
        query = plan(text, (ORDERS,), NOW).ask
        assert query is not None
        assert (query.form, query.order, query.limit, query.groups) == ("rows", order, 1, ())


@pytest.mark.parametrize("asked", ["mấy đơn tất cả", "tất cả bao nhiêu đơn", "how many orders in all"])
def test_all_leaves_a_state_and_never_the_place(asked: str) -> None:
    before = plan("số đơn đã hủy ở Đà Nẵng tháng 5", (ORDERS,), NOW)
    query = plan(asked, (ORDERS,), NOW, before).ask
    assert query is not None
    assert [each.value for each in query.conditions if each.ref.name == "Tỉnh thành"] == ["Đà Nẵng"]


@pytest.mark.parametrize("end", [". ", "! ", "? ", "\n", "; ", ", "])
@pytest.mark.parametrize("value", ["Shopee", "Lazada"])
def test_a_negation_does_not_cross_the_end_of_a_sentence_in_a_fact(end: str, value: str) -> None:
    facts = plan(f"hỏi gì cũng không{end}{value} bán được cỡ nào", (ORDERS,), NOW).facts
    assert not [fact for fact in facts if "leaves out" in fact]
    near = plan(f"doanh thu không {value} tháng 5", (ORDERS,), NOW).facts
    assert [fact for fact in near if f"leaves out {value}" in fact]


@pytest.mark.parametrize("way", ["theo", "theo từng", "mỗi"])
@pytest.mark.parametrize("kind", ["quận", "huyện", "phường"])
def test_what_a_figure_shall_be_split_by_is_never_dropped(way: str, kind: str) -> None:
    made = plan(f"doanh thu Hà Nội {way} {kind}", (ORDERS,))
    assert not made.calls
    assert made.question is not None
    assert kind in plan(f"doanh thu Hà Nội {way} {kind}", (ORDERS,)).missing or made.question.key == "unknown"


@pytest.mark.parametrize("way", ["theo", "theo từng", "mỗi"])
@pytest.mark.parametrize("kind", ["nền tảng", "tỉnh thành", "trạng thái"])
def test_a_kind_that_a_column_holds_splits_the_figure(way: str, kind: str) -> None:
    made = plan(f"doanh thu Hà Nội {way} {kind}", (ORDERS,))
    assert made.ask is not None
    assert [fold(each.ref.name) for each in (*made.ask.groups, *made.ask.per)] == [fold(kind)]


@pytest.mark.parametrize("count", ["2", "3", "hai"])
@pytest.mark.parametrize("unit", ["tuần", "tháng"])
def test_the_last_few_are_not_one_that_long_ago_nor_a_weekday(count: str, unit: str) -> None:
    days = [plan(f"doanh thu {count} {unit} {last}", (ORDERS,)).ask for last in ("vừa rồi", "gần đây", "qua")]
    assert len({(each.period.start, each.period.end) for each in days if each and each.period}) == 1
    assert all(each and each.period for each in days)


@pytest.mark.parametrize("unit", ["tuần", "tháng", "quý"])
def test_one_that_has_just_been_is_the_one_before(unit: str) -> None:
    just, before = (plan(f"doanh thu {unit} {last}", (ORDERS,)).ask for last in ("vừa rồi", "trước"))
    assert just is not None
    assert before is not None
    assert just.period == before.period


@pytest.mark.parametrize("number", [3, 5])
def test_a_month_by_its_number_is_no_count_of_months(number: int) -> None:
    made = plan(f"doanh thu tháng {number} vừa rồi", (ORDERS,), NOW).ask
    assert made is not None
    assert made.period is not None
    assert (made.period.start, made.period.end.month) == (date(2024, number, 1), number)


PEOPLE = ("Trần Thị Bình", "Lê Hoàng Long", "Nguyễn Văn An")


@pytest.mark.parametrize("written", [str, str.lower, fold])
@pytest.mark.parametrize("name", PEOPLE)
def test_a_whole_name_of_several_words_picks_its_sheet(name: str, written: Any) -> None:
    """Not the sheet whose values are called by some of its words each."""
    staff = Sheet(
        "8", "lan", "Nhân sự", "t8", (column("Họ tên", "text", PEOPLE, 40), column("Lương", "money")), 40, NOW
    )
    pieces = tuple(
        piece for each in PEOPLE for piece in (each.rpartition(" ")[0], f"{each.rpartition(' ')[2]} nước")
    )
    sold = Sheet(
        "9", "lan", "Bán hàng", "t9", (column("Ngày", "date", (), 300), column("Mặt hàng", "text", pieces), column("Thành tiền", "money")),
        4000, NOW, date_field="Ngày", span=SPAN,
    )  # fmt: skip
    for text in ("{} có mấy dòng", "số dòng của {}"):
        made = plan(text.format(written(name)), (sold, staff), NOW)
        assert (made.sheet, made.ask and [each.value for each in made.ask.conditions]) == ("Nhân sự", [name])
    (alone,) = plan(f"số dòng của {written(pieces[0])}", (sold,), NOW).calls
    assert alone.arguments["filters"] == {"Mặt hàng": pieces[0]}


STATED = replace(ORDERS, fields=tuple(each for each in ORDERS.fields if each.name != "Ngày giao"))


@pytest.mark.parametrize("written", [str, fold])
@pytest.mark.parametrize("frame", ["số đơn {} tháng 5", "doanh thu đơn {}", "có bao nhiêu đơn {} ở Hà Nội"])
@pytest.mark.parametrize("state", ["đã giao", "cần giao", "giao xong", "đã được giao"])
def test_what_was_done_to_rows_is_a_state_or_is_named(state: str, frame: str, written: Any) -> None:
    made = plan(written(frame.format(state)), (STATED,), NOW)
    assert not made.calls
    assert any("giao" in each for each in made.missing)


@pytest.mark.parametrize("said", ["đang giao", "đã hủy", "đã hoàn trả", "giao thành công"])
def test_a_state_that_the_sheet_holds_is_read(said: str) -> None:
    (held,) = filters(f"số đơn {said} tháng 5").values()
    assert held in {"Đang giao", "Đã hủy", "Hoàn trả", "Hoàn thành"}


@pytest.mark.parametrize("said", ["đã đặt", "đã bán", "đã nhận"])
def test_what_was_done_to_all_rows_is_no_state(said: str) -> None:
    made = plan(f"số đơn {said} tháng 5", (STATED,), NOW)
    assert made.calls
    assert made.ask is not None
    assert not made.ask.conditions


@pytest.mark.parametrize("one", ["bên nào", "cái nào", "tỉnh nào"])
@pytest.mark.parametrize("tie", ["và", "với", "hay"])
@pytest.mark.parametrize("figure", ["nhiều đơn", "doanh thu cao"])
def test_which_of_two_is_more_is_between_them(one: str, tie: str, figure: str) -> None:
    made = plan(f"Hà Nội {tie} Đà Nẵng {one} {figure} hơn tháng 5", (ORDERS,), NOW).ask
    assert made is not None
    assert made.versus is None
    assert made.period is not None
    assert made.period.start == date(2024, 5, 1)
    assert made.conditions[0].value == ["Hà Nội", "Đà Nẵng"]


@pytest.mark.parametrize("whose", ["của cửa hàng khác", "bên khác", "của công ty khác", "của shop khác"])
@pytest.mark.parametrize("figure", ["doanh thu", "số đơn"])
def test_what_others_have_is_not_what_is_here(figure: str, whose: str) -> None:
    made = plan(f"{figure} {whose}", (ORDERS,), NOW)
    assert not made.calls
    assert any("khác" in each for each in made.missing)


@pytest.mark.parametrize("tag", ["không", "ko", "không nhỉ", "hông", "chưa"])
def test_a_tag_that_asks_leaves_nothing_out(tag: str) -> None:
    made = plan(f"doanh thu tháng 5 có tăng {tag}", (ORDERS,), NOW).ask
    assert made is not None
    assert not made.conditions


@pytest.mark.parametrize("hurry", ["gấp", "sớm"])
def test_what_an_order_is_like_is_no_hurry(hurry: str) -> None:
    for said in (f"doanh thu đơn {hurry} tháng 5", f"số đơn {hurry}", f"có bao nhiêu đơn {hurry}"):
        made = plan(said, (ORDERS,), NOW)
        assert (made.calls, made.missing) == ((), (hurry,)), said
    for said in (
        f"cần {hurry} doanh thu tháng 5",
        f"cần số đơn tháng 5 {hurry}",
        f"doanh thu tháng 5 {hurry} nhé",
    ):
        assert plan(said, (ORDERS,), NOW).calls, said


@pytest.mark.parametrize("least", ["ít cái nhất", "it cái nhất", "it nhất", "ít cái nhât"])
def test_the_least_is_read_without_its_accents(least: str) -> None:
    for said in (f"mặt hàng nào bán được {least}", fold(f"mặt hàng nào bán được {least}")):
        query = plan(said, (ORDERS,), NOW).ask
        assert query is not None
        assert (query.form, query.order, query.limit) == ("top", "asc", 1)
