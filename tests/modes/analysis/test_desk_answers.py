"""The answer in words from results alone, the house's numbers, and the calls read out of a model's reply."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.llm.types import ToolReply
from troly.text.catalogue import Lang
from troly_analysis.agent.loop import canonical, read_reply
from troly_analysis.agent.tools import is_typed, read_typed
from troly_analysis.answer.cards import chart_of, computations, pipeline_text, table_of
from troly_analysis.answer.sentences import (
    AnswerContext,
    as_told,
    cell_text,
    house_numbers,
    render_answer,
    render_answers,
    value_text,
    with_units,
)
from troly_analysis.types import Field, Metric, Result, Run, Sheet, ToolCall, ToolRecord, plain

NOW = datetime(2024, 2, 10, 9, tzinfo=UTC)
SHEET = Sheet(
    id="s", owner="an", name="Đơn hàng", table="don_hang", rows=9, imported_at=NOW, date_field="Ngày",
    fields=(
        Field("Ngày", "date"), Field("Sản phẩm", "text"), Field("Số lượng", "integer"), Field("Doanh thu", "money", "VND"),
        Field("Sàn", "text", distinct=2, examples=("Shopee", "Lazada")), Field("Chiết khấu", "percent"),
    ),
    span=(date(2023, 1, 1), date(2024, 2, 9)),
    metrics=(Metric("Doanh thu thuần", "sum", "Doanh thu", {"Sàn": "Shopee"}),),
)  # fmt: skip


def asked(text: str, lang: Any = "vi") -> AnswerContext:
    return AnswerContext.of(text, lang, NOW)


def aggregate(operation: str = "sum", field: str | None = "Doanh thu", **more: Any) -> ToolCall:
    return ToolCall(
        "aggregate_data", {"connection_name": "Đơn hàng", "operation": operation, "field": field, **more}
    )


@pytest.mark.parametrize(
    ("call", "result", "question", "answer"),
    [
        (
            aggregate(date_from="2024-01-01", date_to="2024-01-31"),
            Result("scalar", value=150_000_000, unit="VND"),
            "Tổng doanh thu tháng 1/2024",
            "Tổng doanh thu tháng 1/2024: 150.000.000 VND",
        ),
        (aggregate("avg", "Chiết khấu"), Result("scalar", value=15.46, unit="%"), "", "Chiết khấu trung bình: 15,5%"),
        (aggregate("count", None), Result("scalar", value=1200), "", "Số đơn: 1.200 đơn"),
        (
            aggregate("count", None, filters={"Doanh thu": {"gte": 100000}, "Sàn": ["Shopee", "Lazada"]}),
            Result("scalar", value=3),
            "",
            "Số đơn (Doanh thu ≥ 100.000 VND, Sàn: Shopee, Lazada): 3 đơn",
        ),
        (aggregate(filters={"Sàn": "Shopee"}), Result("scalar", value=5, unit="VND"), "", "Doanh thu thuần: 5 VND"),
        (aggregate("count", None, filters={"Sàn": None}), Result("scalar", value=5), "", "Số đơn (Sàn: –): 5 đơn"),
        (aggregate("sum", "Doanh thu thuần"), Result("scalar", value=5, unit="VND"), "", "Doanh thu thuần: 5 VND"),
        (
            aggregate(filters={"Sàn": "Tiki"}),
            Result("empty"),
            "",
            "Không có dữ liệu cho tổng doanh thu (Sàn: Tiki). Sàn có các giá trị: Shopee, Lazada.",
        ),
        (
            aggregate(group_by="Ngày:month"),
            Result("rows", columns=("Ngày:month", "sum(Doanh thu)"), rows=(("2024-01", 5), (None, 2)), units=("", "VND")),
            "",
            "Tổng doanh thu theo tháng:\n1. Tháng 1/2024 - 5 VND\n2. (trống) - 2 VND",
        ),
    ],
)  # fmt: skip
def test_a_result_in_words(call: ToolCall, result: Result, question: str, answer: str) -> None:
    assert render_answer(call, result, SHEET, asked(question)) == answer


def test_what_a_period_stands_for_is_told_once_for_several_figures() -> None:
    days = {"date_field": "Ngày", "date_from": "2024-01-01", "date_to": "2024-01-31"}
    found = [
        (aggregate(operation, **days), Result("scalar", value=Decimal(9)), SHEET)
        for operation in ("sum", "max")
    ]
    told = render_answers(found, asked("doanh thu tháng trước"))
    assert told.count("1/1/2024 - 31/1/2024") == 1
    assert len(told.split("\n\n")) == 3


def test_the_documents_top_list() -> None:
    call = ToolCall("get_top_items", {"sort_field": "count", "limit": 3, "group_by": "Sản phẩm"})
    rows = (("Áo thun", 500), ("Quần jean", 350), ("Giày sneaker", 200))
    result = Result("rows", columns=("Sản phẩm", "count"), rows=rows, units=("", "đơn"))
    said = render_answer(
        call,
        result,
        SHEET,
        AnswerContext("Top 3 sản phẩm bán chạy?", "vi", NOW.date(), heading="Top 3 sản phẩm bán chạy"),
    )
    assert (
        said
        == "Top 3 sản phẩm bán chạy:\n1. Áo thun - 500 đơn\n2. Quần jean - 350 đơn\n3. Giày sneaker - 200 đơn"
    )


COMPARE = ToolCall(
    "compare_periods",
    {
        "connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu",
        "period1_from": "2024-01-29", "period1_to": "2024-02-04", "period2_from": "2024-02-05", "period2_to": "2024-02-11",
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "percent", "first"),
    [
        (5e7, 5.775e7, 15.5, "Doanh thu tuần này tăng 15,5% so với tuần trước (từ 50.000.000 lên 57.750.000 VND)"),
        (5.775e7, 5e7, -13.4, "Doanh thu tuần này giảm 13,4% so với tuần trước (từ 57.750.000 xuống 50.000.000 VND)"),
        (5.0, 5.0, 0.0, "Doanh thu tuần này không đổi so với tuần trước (5 VND)"),
        (0.0, 5.0, None, "Doanh thu tuần này: 5 VND; không có số liệu kỳ trước (tuần trước: 0 VND) nên không tính được phần trăm thay đổi"),
        (None, 5.0, None, "Doanh thu tuần này: 5 VND; không có số liệu kỳ trước (tuần trước) nên không tính được phần trăm thay đổi"),
        (5.0, None, None, "Doanh thu tuần này: không có số liệu; tuần trước: 5 VND"),
    ],
)  # fmt: skip
def test_a_comparison_in_words(before: Any, after: Any, percent: Any, first: str) -> None:
    difference = None if before is None or after is None else after - before
    result = Result(
        "compare",
        period1_value=before,
        period2_value=after,
        difference=difference,
        percentage_change=percent,
        unit="VND",
    )
    said = render_answer(COMPARE, result, SHEET, asked("So sánh doanh thu tuần này với tuần trước"))
    assert said.splitlines()[0] == first
    assert "Lưu ý: tuần này chưa kết thúc, số liệu mới tính đến 9/2/2024." in said


@pytest.mark.parametrize(
    ("last", "said"), [((2024, 2, 3), "3/2/2024"), ((2024, 2, 9), "9/2/2024"), ((2024, 2, 28), "10/2/2024")]
)
@pytest.mark.parametrize(("text", "lang"), [("Doanh thu tháng này", "vi"), ("revenue this month", "en")])
def test_figures_run_to_the_last_day_there_is(
    last: tuple[int, int, int], said: str, text: str, lang: str
) -> None:
    sheet = replace(SHEET, span=(date(2023, 1, 1), date(*last)))
    call = aggregate(date_from="2024-02-01", date_to="2024-02-29")
    told = render_answer(call, Result("scalar", value=5.0, unit="VND"), sheet, asked(text, lang))
    assert f"{'mới tính đến' if lang == 'vi' else 'run to'} {said}." in told


@pytest.mark.parametrize(
    ("lang", "apart"), [("vi", "Chênh lệch: 41.535.750 VND"), ("en", "Difference: 41,535,750 VND")]
)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_comparison_holds_the_difference_itself(lang: Lang, apart: str, swapped: bool) -> None:
    before, after = (151_932_900, 110_397_150)[:: -1 if swapped else 1]
    result = Result(
        "compare",
        period1_value=before,
        period2_value=after,
        difference=after - before,
        percentage_change=(after - before) / before * 100,
        unit="VND",
    )
    assert apart in render_answer(COMPARE, result, SHEET, asked("", lang)).splitlines()


def test_the_difference_of_two_percentages_is_in_points() -> None:
    result = Result(
        "compare", period1_value=10, period2_value=12.5, difference=2.5, percentage_change=25, unit="%"
    )
    assert "Chênh lệch: 2,5 điểm phần trăm" in render_answer(COMPARE, result, SHEET, asked("")).splitlines()


@pytest.mark.parametrize("blank", [None, ""])
@pytest.mark.parametrize(("lang", "name"), [("vi", "(trống)"), ("en", "(blank)")])
@pytest.mark.parametrize(
    "call",
    [
        ToolCall("aggregate_data", {"operation": "sum", "field": "Doanh thu", "group_by": "Sàn"}),
        ToolCall("get_top_items", {"sort_field": "Doanh thu", "group_by": "Sàn"}),
        ToolCall(
            "execute_aggregation", {"pipeline": [{"$group": {"_id": "$Sàn", "n": {"$sum": "$Doanh thu"}}}]}
        ),
    ],
)
def test_a_group_of_blank_cells_has_a_name(call: ToolCall, lang: Lang, name: str, blank: Any) -> None:
    result = Result("rows", columns=("Sàn", "n"), rows=(("Shopee", 5), (blank, 2)), units=("", ""))
    assert f"2. {name} - 2" in render_answer(call, result, SHEET, asked("", lang))
    wide = Result("rows", columns=("Sàn", "Tỉnh", "n"), rows=(("Shopee", "Huế", 5), (blank, blank, 2)))
    table = table_of(call, wide, SHEET, asked("", lang))
    assert table is not None
    assert table.rows[1] == (name, name, "2")


def test_a_blank_cell_of_a_plain_row_stays_a_dash() -> None:
    result = Result("rows", columns=("Sàn", "Doanh thu"), rows=((None, 5),))
    said = render_answer(ToolCall("get_top_items", {"sort_field": "Doanh thu"}), result, SHEET, asked(""))
    assert "1. – - 5" in said


def test_one_group_of_everything_is_one_figure() -> None:
    stages = [{"$group": {"_id": None, "tổng": {"$sum": "$Doanh thu"}}}]
    call = ToolCall("execute_aggregation", {"pipeline": stages, "description": "Doanh thu Hà Nội"})
    result = Result("rows", columns=("_id", "tổng"), rows=((None, 652_070_400),), units=("", "VND"))
    assert render_answer(call, result, SHEET, asked("")) == "Doanh thu Hà Nội: 652.070.400 VND"
    two = Result("rows", columns=("_id", "tổng", "n"), rows=((None, 7, 2),), units=("", "VND", ""))
    assert render_answer(call, two, SHEET, asked("")) == "Doanh thu Hà Nội: tổng: 7 VND, n: 2"


@pytest.mark.parametrize(
    ("key", "name"),
    [("$Sàn", "Sàn"), ("$khach.Họ tên", "Họ tên"), ({"sàn": "$Sàn", "tỉnh": "$Tỉnh"}, "sàn / tỉnh")],
)
def test_a_pipelines_rows_begin_with_what_they_are_called(key: Any, name: str) -> None:
    cells = {"sàn": "Shopee", "tỉnh": "Huế"} if isinstance(key, dict) else "Shopee"
    call = ToolCall("execute_aggregation", {"pipeline": [{"$group": {"_id": key}}], "description": "Bán"})
    grouped = Result("rows", columns=("_id", "n", "tồn"), rows=((cells, 3, 4),), units=("", "", ""))
    table = table_of(call, as_told(call, grouped, SHEET), SHEET, asked(""))
    assert table is not None
    assert table.columns[0] == name
    picked = Result("rows", columns=("bán", "tên", "tồn"), rows=((163, "Áo", 4), (90, "Quần", 7)))
    assert as_told(call, picked, SHEET).columns == ("tên", "bán", "tồn")
    assert "1. Áo - bán: 163, tồn: 4" in render_answer(call, as_told(call, picked, SHEET), SHEET, asked(""))


def test_the_months_of_a_year_are_all_listed() -> None:
    rows = tuple((f"2026-{month:02}", month) for month in range(1, 13))
    result = Result("rows", columns=("Ngày:month", "sum(Doanh thu)"), rows=rows, units=("", "VND"))
    said = render_answer(aggregate(group_by="Ngày:month"), result, SHEET, asked(""))
    assert [line.split(" - ")[0] for line in said.splitlines()[1:]] == [
        f"{n}. Tháng {n}/2026" for n in range(1, 13)
    ]
    assert table_of(aggregate(group_by="Ngày:month"), result, SHEET, asked("")) is None


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("count", [2, 7, 10, 11, 40])
def test_ten_short_rows_are_all_told_and_of_more_the_first(count: int, wide: bool) -> None:
    long = " dài" * (40 if wide else 1)
    rows = tuple((f"SP {n}", f"Sàn{long}", n) for n in range(count))
    result = Result("rows", columns=("Sản phẩm", "Sàn", "count"), rows=rows)
    call = ToolCall("get_top_items", {"sort_field": "count", "group_by": "Sản phẩm, Sàn", "limit": 50})
    head, *lines = render_answer(call, result, SHEET, asked("")).splitlines()
    told = 1 if wide else count if count <= 10 else 5
    assert head.startswith(f"Top {count} ")
    assert [line.partition(" - ")[0] for line in lines[:told]] == [f"{n + 1}. SP {n}" for n in range(told)]
    assert [line.split()[2] for line in lines[told:]] == ([str(count - told)] if count > told else [])


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("vi", ["- Tăng nhiều nhất: Lazada (60 VND, 20%); theo phần trăm: Web (6 VND, 200%)", "- Giảm nhiều nhất: Shopee (-50 VND, -10%)"]),
        ("en", ["- Rose the most: Lazada (60 VND, 20%); in per cent: Web (6 VND, 200%)", "- Fell the most: Shopee (-50 VND, -10%)"]),
    ],
)  # fmt: skip
def test_a_comparison_names_the_groups_that_moved_the_most_and_draws_them(
    lang: Lang, told: list[str]
) -> None:
    rows = (("Lazada", 300, 360, 60, 20.0), ("Web", 3, 9, 6, 200.0), ("Shopee", 500, 450, -50, -10.0))
    columns = ("Sàn", "period1_value", "period2_value", "difference", "percentage_change")
    units = ("", "VND", "VND", "VND", "%")
    result = Result("compare", None, columns, rows, 803, 819, 16, 2.0, units, "VND")
    call = ToolCall(COMPARE.tool, {**COMPARE.arguments, "group_by": "Sàn"})
    assert render_answer(call, result, SHEET, asked("", lang)).splitlines()[2:4] == told
    chart = chart_of(call, result, SHEET, asked("", lang), "bar")
    assert chart is not None
    assert chart.labels == ("Lazada", "Web", "Shopee")
    assert [series.values for series in chart.series] == [(300, 3, 500), (360, 9, 450)]


def test_more_rows_than_are_listed_are_counted_and_all_are_in_the_table() -> None:
    rows = tuple((f"SP {n}", n) for n in range(25))
    result = Result("rows", columns=("Sản phẩm", "sum(Số lượng)"), rows=rows)
    call = aggregate("sum", "Số lượng", group_by="Sản phẩm")
    said = render_answer(call, result, SHEET, asked(""))
    assert said.splitlines()[5:] == ["5. SP 4 - 4 sản phẩm", "… và 20 dòng nữa trong bảng bên dưới"]
    table = table_of(call, result, SHEET, asked(""))
    assert table is not None
    assert len(table.rows) == 25
    assert table.columns == ("Sản phẩm", "Tổng số lượng")
    assert chart_of(call, result, SHEET, asked("")) is None


@given(st.lists(st.integers(0, 5), min_size=11, max_size=31))
def test_of_a_long_series_the_highest_and_the_lowest_are_told(figures: list[int]) -> None:
    rows = tuple((date(2026, 10, day), figure) for day, figure in enumerate(figures, 1))
    result = Result("rows", columns=("Ngày:day", "sum(Doanh thu)"), rows=rows, units=("", "VND"))
    said = render_answer(aggregate(group_by="Ngày:day"), result, SHEET, asked("")).splitlines()[1:]
    if min(figures) == max(figures):
        assert said == ["1. 1/10/2026 - " + value_text(figures[0], "VND", "vi"), *said[1:]]
        return
    for line, name, end in zip(said, ("Cao nhất", "Thấp nhất"), (max(figures), min(figures)), strict=False):
        days = [f"{day}/10/2026" for day, figure in enumerate(figures, 1) if figure == end]
        assert line.startswith(f"- {name}: {', '.join(days[:3])}")
        assert line.endswith(f" - {value_text(end, 'VND', 'vi')}")
    assert said[2:] == [f"Cả {len(figures)} dòng ở bảng bên dưới"]


@pytest.mark.parametrize(
    ("question", "wanted", "kind"),
    [
        ("theo sàn", "any", "bar"),
        ("tỷ trọng theo sàn", "share", "share"),
        ("x", "line", "bar"),
        ("x", "bar", "bar"),
    ],
)
def test_the_chart_fits_the_question(question: str, wanted: str | None, kind: str) -> None:
    result = Result(
        "rows", columns=("Sàn", "sum(Doanh thu)"), rows=(("Shopee", 5), ("Lazada", 2)), units=("", "VND")
    )
    chart = chart_of(aggregate(group_by="Sàn"), result, SHEET, asked(question), wanted)
    assert chart is not None
    assert chart_of(aggregate(group_by="Sàn"), result, SHEET, asked(question)) is None
    assert (chart.kind, chart.unit, chart.series[0].values) == (kind, "VND", (5.0, 2.0))


def test_a_pipelines_columns_get_the_units_of_their_fields() -> None:
    result = with_units(
        Result("rows", columns=("_id", "sum(Doanh thu)", "share"), rows=(("a", 1, 45.12),)), SHEET
    )
    assert result.units == ("", "VND", "%")


@pytest.mark.parametrize(
    ("value", "column", "shown"),
    [
        ("2024-Q1", "Ngày:quarter", "quý 1/2024"),
        (1, "Ngày:weekday", "thứ hai"),
        (13, "Ngày:hour", "13 giờ"),
        (2024, "Ngày:year", "2024"),
    ],
)
def test_the_key_of_a_period_is_named(value: Any, column: str, shown: str) -> None:
    assert cell_text(value, column, "", "vi") == shown


@given(
    st.one_of(
        st.none(),
        st.integers(),
        st.floats(),
        st.decimals(),
        st.text(),
        st.booleans(),
        st.dates(),
        st.lists(st.integers(), max_size=3),
    )
)
def test_any_cell_can_be_shown_and_kept(value: Any) -> None:
    assert isinstance(value_text(value, "VND", "vi"), str)
    assert plain(value) is None or isinstance(plain(value), (str, int, float, bool, list))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Là 1,000,000 VND và 15.5%", "Là 1.000.000 VND và 15,5%"),
        ("1000000 đồng", "1.000.000 VND"),
        ("năm 2024, mã 123456, số 0901234567, 1.5 kg", "năm 2024, mã 123456, số 0901234567, 1.5 kg"),
        ("tổng 57,750,000 (tăng 3.4 %)", "tổng 57.750.000 (tăng 3,4%)"),
    ],
)
def test_numbers_of_a_ready_text_take_the_house_form(text: str, shown: str) -> None:
    assert house_numbers(text, "vi") == shown


@given(st.decimals(min_value=0, max_value=10**12, places=0))
def test_the_house_form_is_kept_as_it_is(value: Decimal) -> None:
    text = value_text(value, "VND", "vi")
    assert house_numbers(text, "vi") == text


def test_how_a_pipeline_was_computed_is_explained_stage_by_stage() -> None:
    pipeline = [
        {"$match": {"Sàn": "Shopee"}}, {"$lookup": {"from": "Sản phẩm", "localField": "a", "foreignField": "b", "as": "c"}},
        {"$group": {"_id": "$Sàn", "n": {"$sum": 1}}}, {"$sort": {"n": -1}}, {"$limit": 5}, {"$project": {"n": 1}},
    ]  # fmt: skip
    record = ToolRecord(
        "execute_aggregation",
        "c",
        {"connection_name": "Đơn hàng", "pipeline": pipeline},
        Result("empty"),
        run=Run("SELECT 1", 9),
    )
    shown, sql = computations(record, SHEET, asked(""))
    assert len(shown.explained) == len(pipeline)
    assert shown.explained[4] == "$limit: lấy nhiều nhất 5 dòng."
    assert (sql.kind, sql.code) == ("sql", "SELECT 1")
    typed = read_typed(shown.rerun + shown.code, [SHEET], "", "vi")
    assert typed.call is not None
    assert typed.call.arguments["pipeline"] == pipeline


@given(st.text(max_size=80))
def test_any_typed_pipeline_is_a_call_or_a_sentence(text: str) -> None:
    typed = read_typed(f"/pipeline {text}", [SHEET], "", "vi")
    assert (typed.call is None) == bool(typed.problem)


def test_what_is_a_typed_pipeline() -> None:
    assert is_typed('/pipeline [{"$count": "n"}]')
    assert is_typed("  /PIPELINE[]")
    assert not is_typed("/pipelines là gì")
    assert not is_typed("pipeline là gì")
    assert pipeline_text("a", None).endswith('"pipeline": []\n}')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.fixed_dictionaries({"name": JSON, "arguments": JSON}), max_size=3), st.text(max_size=200))
def test_any_reply_of_a_model_can_be_read(calls: list[Any], text: str) -> None:
    found, said = read_reply(ToolReply(text, tuple(calls)))
    assert isinstance(said, str)
    for call in found:
        assert isinstance(call.tool, str)
        assert canonical(call) == canonical(ToolCall(call.tool, dict(reversed(list(call.arguments.items())))))


def test_json_that_is_no_call_stays_in_the_text() -> None:
    calls, said = read_reply(ToolReply('Kết quả: {"name": "Áo thun", "n": 5} nhé'))
    assert calls == []
    assert "Áo thun" in said


def test_ranked_rows_tell_what_they_are_ranked_by_and_when() -> None:
    """However far right its column stands."""
    columns = tuple(field.name for field in SHEET.fields)
    rows = (
        ("2024-01-05", "Áo thun", 3, 9_000, "Shopee", 10.0),
        ("2024-01-09", "Mũ", 1, 4_000, "Lazada", 5.0),
    )
    result = Result("rows", columns=columns, rows=rows, units=("", "", "", "VND", "", "%"))
    for name, figure in (("Số lượng", "3"), ("Doanh thu", "9.000 VND"), ("Chiết khấu", "10%")):
        given = {"connection_name": "Đơn hàng", "sort_field": name, "limit": 2, "date_from": "2024-01-01"}
        call = ToolCall("get_top_items", {**given, "date_to": "2024-01-31"})
        said = render_answer(call, result, SHEET, asked("đơn nào lớn nhất tháng 1/2024"))
        assert f" - {name}: {figure}, " in said
        assert "tháng 1/2024" in said.splitlines()[0]


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (aggregate("min", "Số lượng"), "Lowest quantity: 7"),
        (aggregate("sum", "Số lượng"), "Total quantity: 7"),
        (aggregate("avg", "Chiết khấu"), "Average discount: 7"),
    ],
)
def test_english_answers_name_a_column_in_english(call: ToolCall, answer: str) -> None:
    assert render_answer(call, Result("scalar", value=7), SHEET, asked("", "en")) == answer
