"""What the planner is not sure of it asks or reports; follow-ups change the question before."""

from __future__ import annotations

import dataclasses

import pytest

from tests.modes.analysis.planner.planner_sheets import ATTENDANCE, CLINIC, NOW, ORDERS, column, plan
from troly_analysis.planner import Plan
from troly_analysis.types import Sheet


@pytest.mark.parametrize(
    ("sheet", "text", "said"),
    [
        (ORDERS, "doanh thu Tiki tháng này", "Tiki"),
        (ORDERS, "doanh thu của Sendo", "Sendo"),
        (ORDERS, "số đơn ở Nha Trang", "Nha Trang"),
        (ATTENDANCE, "giờ làm của phòng Marketing", "Marketing"),
        (CLINIC, "visits to Can Tho last month", "Can Tho"),
        (ORDERS, "có bao nhiêu đơn lắt léo", "lắt léo"),
    ],
)
def test_a_value_the_sheet_does_not_have_is_asked_about_and_never_ignored(
    sheet: Sheet, text: str, said: str
) -> None:
    made = plan(text, (sheet,), NOW)
    assert made.calls == ()
    assert made.question is not None
    assert said in " ".join(made.missing)
    assert said in made.question.say("vi")
    skipped = plan("bỏ qua", (sheet,), NOW, made)
    assert skipped.calls
    assert not skipped.missing


def test_two_columns_that_fit_equally_are_asked_about_and_the_answer_is_taken() -> None:
    fields = (*ORDERS.fields, column("Chi phí quảng cáo", "money"), column("Chi phí kho", "money"))
    sheet = dataclasses.replace(ORDERS, fields=fields, id="9")
    made = plan("tổng chi phí tháng trước", (sheet,), NOW)
    assert made.question is not None
    assert set(made.options) == {"Chi phí quảng cáo", "Chi phí kho"}
    answered = plan("Chi phí kho", (sheet,), NOW, made)
    assert answered.calls[0].arguments["field"] == "Chi phí kho"
    assert plan("2", (sheet,), NOW, made).calls[0].arguments["field"] == made.options[1]


def test_two_sheets_that_fit_equally_are_asked_about() -> None:
    twin = dataclasses.replace(ORDERS, id="8", name="Đơn sỉ", table="t8")
    made = plan("tổng doanh thu theo tỉnh", (ORDERS, twin), NOW)
    assert made.question is not None
    assert set(made.options) == {"Đơn hàng", "Đơn sỉ"}
    assert plan("Đơn sỉ", (ORDERS, twin), NOW, made).calls[0].arguments["connection_name"] == "Đơn sỉ"


def test_no_sheet_or_no_words_is_no_answer() -> None:
    assert plan("tổng doanh thu", (), NOW).calls == ()
    assert plan("", (ORDERS,), NOW).calls == ()
    assert plan("???", (ORDERS,), NOW).calls == ()


def follow(*texts: str) -> Plan:
    """The plan of the last of these messages."""
    made: Plan | None = None
    for text in texts:
        made = plan(text, (ORDERS,), NOW, made)
    assert made is not None
    return made


FIRST = "Tổng doanh thu tháng này của Shopee"


@pytest.mark.parametrize("text", ["còn tháng trước?", "tháng trước thì sao", "what about last month?"])
def test_a_follow_up_changes_the_period_only(text: str) -> None:
    call = follow(FIRST, text).calls[0].arguments
    assert (call["date_from"], call["date_to"]) == ("2024-05-01", "2024-05-31")
    assert (call["field"], call["filters"]) == ("Doanh thu", {"Nền tảng": "Shopee"})


def test_a_follow_up_changes_the_value_only() -> None:
    call = follow(FIRST, "chỉ Lazada thôi").calls[0].arguments
    assert call["filters"] == {"Nền tảng": "Lazada"}
    assert call["date_from"] == "2024-06-01"


def test_a_follow_up_adds_a_dimension_then_shortens_the_list() -> None:
    grouped = follow(FIRST, "theo tỉnh thì sao").calls[0].arguments
    assert grouped["group_by"] == "Tỉnh thành"
    call = follow(FIRST, "theo tỉnh thì sao", "top 3 thôi").calls[0]
    assert (call.tool, call.arguments["limit"]) == ("get_top_items", 3)


def test_a_follow_up_compares_with_another_period() -> None:
    call = follow(FIRST, "so với tháng trước thì sao").calls[0]
    assert call.tool == "compare_periods"
    assert (call.arguments["period1_from"], call.arguments["period2_from"]) == ("2024-05-01", "2024-06-01")
    assert call.arguments["filters"] == {"Nền tảng": "Shopee"}


def test_a_whole_question_is_told_alone_and_as_going_on_from_the_one_before() -> None:
    made = follow(FIRST, "Có bao nhiêu đơn hàng bị hủy?")
    within, alone = made.calls[0].arguments, made.also_calls[0].arguments
    assert alone == {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Trạng thái": "Đã hủy"}}
    assert within["filters"] == {"Nền tảng": "Shopee", "Trạng thái": "Đã hủy"}
    assert (within["date_from"], within["date_to"]) == ("2024-06-01", "2024-06-30")
    stands_alone = follow(FIRST, "Năm 2023 cả shop có bao nhiêu đơn hàng bị hủy?")
    assert not stands_alone.also_calls
    assert "Nền tảng" not in str(stands_alone.calls[0].arguments)


def test_values_of_long_columns_are_looked_up() -> None:
    sheet = dataclasses.replace(ATTENDANCE, id="10")

    def lookup(sheet: object, field: object, phrase: str, *, whole: bool = False) -> tuple[str, ...]:
        return ("Phạm Quỳnh Nhi",) if getattr(field, "name", "") == "Họ tên" and phrase == "quynh nhi" else ()

    call = plan("giờ làm của Quỳnh Nhi", (sheet,), NOW, None, lookup).calls[0].arguments
    assert call["filters"] == {"Họ tên": "Phạm Quỳnh Nhi"}


PACKS = dataclasses.replace(
    CLINIC,
    id="7",
    name="Sản phẩm",
    fields=(
        column("Tên sản phẩm", "text", ("Quần jogger", "Tất cổ ngắn (5 đôi)", "Bút bi (12 cây)", "Dép quai")),
        dataclasses.replace(column("Tồn kho", "integer", (), 40), least="0", most="300"),
        dataclasses.replace(column("Số lượng", "integer", (), 40), least="0", most="300"),
    ),
    date_field="",
    span=None,
    metrics=(),
)


def filters(text: str, previous: Plan | None = None) -> dict[str, object]:
    """What the one call of a message filters by; empty where it has none."""
    made = plan(text, (PACKS,), NOW, previous)
    return dict(made.calls[0].arguments.get("filters") or {}) if made.calls else {}


@pytest.mark.parametrize("counter", ["đôi", "cây"])
@pytest.mark.parametrize(
    "asked", ["tổng số lượng bao nhiêu {}", "tồn kho mấy {}", "dép quai tồn kho bao nhiêu {}"]
)
def test_what_is_counted_in_is_no_part_of_a_value(asked: str, counter: str) -> None:
    assert filters(asked.format(counter)).get("Tên sản phẩm") in {None, "Dép quai"}


@pytest.mark.parametrize("counter", ["đôi", "cây", "bút"])
def test_what_is_pointed_at_is_never_replaced_by_a_part_of_a_value(counter: str) -> None:
    before = plan("tổng số lượng của dép quai", (PACKS,), NOW)
    assert filters(f"nó tồn kho bao nhiêu {counter}", before).get("Tên sản phẩm") in {None, "Dép quai"}


@pytest.mark.parametrize(
    "text",
    [
        "quan jogger thi con bao nhieu cai trong kho",
        "quan jogger con trong kho bao nhieu",
        "trong kho con bao nhieu quan jogger",
    ],
)
def test_in_the_warehouse_is_no_empty_warehouse(text: str) -> None:
    assert "'Tồn kho': 0" not in str(plan(text, (PACKS,), NOW).calls)


@pytest.mark.parametrize(
    "text", ["sản phẩm nào trống kho", "có mấy sản phẩm kho trống", "tong so luong san pham bo trong kho"]
)
def test_an_empty_warehouse_is_one_with_its_accents_or_said_outright(text: str) -> None:
    assert "'Tồn kho': 0" in str(plan(text, (PACKS,), NOW).calls)
