"""A metric is one line: read whatever its case and accents, refused with the place of what is wrong, written as it is read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troly.errors import InputError
from troly.text.fold import fold, nfc
from troly_analysis.sheets.metrics import format_metric, parse_metric
from troly_analysis.types import Field, Kind, Metric, Operation, Sheet


def sheet_of(*fields: Field) -> Sheet:
    return Sheet("0" * 12, "an", "Đơn hàng", "don_hang", fields, 10, datetime(2026, 1, 1, tzinfo=UTC))


SHEET = sheet_of(
    Field("Mã đơn", "text"),
    Field("Trạng thái", "text", examples=("Hoàn thành", "Đã hủy")),
    Field("Kênh", "text", examples=("Shopee", "Lazada", "TikTok Shop")),
    Field("Doanh thu", "money", "VND"),
    Field("Doanh thu (2)", "money", "VND"),
    Field("Giá", "money", "VND"),
    Field("Giá bán", "number"),
    Field("Ngày đặt", "date"),
    Field("Đã trả", "boolean"),
    Field("A and B", "text"),
)


@pytest.mark.parametrize(
    ("text", "operation", "field", "where"),
    [
        ("doanh thu thuần = sum(Doanh thu) where Trạng thái = 'Hoàn thành'", "sum", "Doanh thu", {"Trạng thái": "Hoàn thành"}),
        ("x = SUM( doanh thu ) WHERE trang thai = 'hoan thanh'", "sum", "Doanh thu", {"Trạng thái": "Hoàn thành"}),
        ("x = tổng(DOANH THU) khi trạng thái = Hoàn thành", "sum", "Doanh thu", {"Trạng thái": "Hoàn thành"}),
        ("x = sum(Doanh thu (2))", "sum", "Doanh thu (2)", {}),
        ("x = avg([Giá bán])", "avg", "Giá bán", {}),
        ('x = max("giá")', "max", "Giá", {}),
        ("số đơn = count()", "count", "", {}),
        ("x = đếm(*) where Kênh in ('shopee', Lazada)", "count", "", {"Kênh": {"in": ["Shopee", "Lazada"]}}),
        ("x = count(Mã đơn) where Kênh not in ('Shopee')", "count", "Mã đơn", {"Kênh": {"nin": ["Shopee"]}}),
        ("x = count() where Doanh thu >= 500k and Doanh thu < 1,5 triệu", "count", "", {"Doanh thu": {"gte": 500_000, "lt": 1_500_000}}),
        ("x = count() where Giá bán = 1.234", "count", "", {"Giá bán": 1234}),
        ("x = count() where Giá bán = 1.2340", "count", "", {"Giá bán": 1.234}),
        ("x = count() where Ngày đặt between 1/1/2026 and 31/1/2026", "count", "", {"Ngày đặt": {"between": ["2026-01-01", "2026-01-31"]}}),
        ("x = count() where Đã trả = có and A and B contains 'áo'", "count", "", {"Đã trả": True, "A and B": {"contains": "áo"}}),
        ("x = count() where Kênh != 'O''Hara' và Mã đơn = \"a and b\"", "count", "", {"Kênh": {"ne": "O'Hara"}, "Mã đơn": "a and b"}),
        ("x = min(Ngày đặt)", "min", "Ngày đặt", {}),
    ],
)  # fmt: skip
def test_a_definition_is_read(text: str, operation: str, field: str, where: dict[str, Any]) -> None:
    metric = parse_metric(text, SHEET)
    assert (metric.operation, metric.field, dict(metric.where)) == (operation, field, where)
    assert parse_metric(metric.text, SHEET) == metric


@pytest.mark.parametrize(
    ("text", "key", "position"),
    [
        ("", "metric.name", 1),
        ("sum(Doanh thu)", "metric.name", 1),
        ("= sum(Doanh thu)", "metric.name", 1),
        ("x = ", "metric.operation", 5),
        ("x = median(Doanh thu)", "metric.operation", 5),
        ("x = sum Doanh thu", "metric.operation", 5),
        ("x = sum()", "metric.field", 9),
        ("x = sum(Doanh thuu)", "metric.field", 9),
        ("x = sum(Doanh thu", "metric.close", 18),
        ("x = sum([Doanh thu)", "metric.unclosed", 9),
        ("x = sum(Kênh)", "metric.not_number", 9),
        ("x = count() khong gi ca", "metric.where", 13),
        ("x = count() where Kenhh = 'a'", "metric.field", 19),
        ("x = count() where Kênh", "metric.sign", 23),
        ("x = count() where Kênh = ", "metric.value", 26),
        ("x = count() where Kênh = 'a", "metric.unclosed", 26),
        ("x = count() where Kênh = 'a' or Kênh = 'b'", "metric.and", 30),
        ("x = count() where Doanh thu > nhiều", "metric.number", 31),
        ("x = count() where Ngày đặt = 31/2/2026", "metric.date", 30),
        ("x = count() where Đã trả = 5", "metric.truth", 28),
        ("x = count() where Kênh in Shopee", "metric.list", 27),
        ("x = count() where Giá between 5", "metric.between", 32),
        ("x = count() where Kênh = a and Kênh = b", "metric.twice", 32),
        ("x" * 2_000, "metric.long", None),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, key: str, position: int | None) -> None:
    with pytest.raises(InputError) as raised:
        parse_metric(text, SHEET)
    assert raised.value.key == key
    assert raised.value.params.get("position") == position
    for lang in ("vi", "en"):
        said = raised.value.render(lang)
        assert said.title
        assert said.message
        assert said.remedy


NAMES = st.text(st.sampled_from("aBđẤ é0()[]'\"=<>,-_."), min_size=1, max_size=12).map(lambda text: " ".join(nfc(text).split())).filter(
    lambda text: any(char.isalpha() for char in text)
)  # fmt: skip
KINDS: list[Kind] = ["text", "integer", "number", "money", "date", "boolean"]
VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    "text": st.text(st.sampled_from("aBđ '\"=,()and"), min_size=1, max_size=12).map(str.strip).filter(bool),
    "integer": st.integers(-(10**9), 10**9),
    "number": st.one_of(st.integers(-(10**6), 10**6), st.integers(-(10**8), 10**8).map(lambda n: n / 1000)),
    "money": st.integers(0, 10**12),
    "date": st.dates().map(lambda day: day.isoformat()),
    "boolean": st.booleans(),
}


def tidy(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value == int(value) else value


@st.composite
def metrics(draw: st.DrawFn) -> tuple[Sheet, Metric]:
    names = draw(st.lists(NAMES, min_size=2, max_size=5, unique_by=fold))
    fields = [Field(name, draw(st.sampled_from(KINDS))) for name in names]
    where: dict[str, Any] = {}
    for field in fields[1:]:
        value = VALUES[field.kind].map(tidy)
        sign = draw(st.sampled_from(["eq", "ne", "gte", "lt", "in", "nin", "between", "contains"]))
        if sign == "eq":
            where[field.name] = draw(value)
        elif sign in {"in", "nin"}:
            where[field.name] = {sign: draw(st.lists(value, min_size=1, max_size=3))}
        elif sign == "between":
            where[field.name] = {sign: [draw(value), draw(value)]}
        else:
            where[field.name] = {sign: draw(value)}
    numeric = fields[0].kind in {"integer", "number", "money"}
    operation: Operation = draw(
        st.sampled_from(["sum", "count", "avg", "min", "max"] if numeric else ["count", "min", "max"])
    )
    name = draw(
        st.text(st.sampled_from("aBđ thuần2"), min_size=1)
        .map(lambda text: " ".join(text.split()))
        .filter(bool)
    )
    return sheet_of(*fields), Metric(name[:60].strip(), operation, fields[0].name, where)


@settings(max_examples=150, deadline=None)
@given(metrics())
def test_what_is_written_is_read_again(made: tuple[Sheet, Metric]) -> None:
    sheet, metric = made
    again = parse_metric(format_metric(metric), sheet)
    assert (again.name, again.operation, again.field, dict(again.where)) == (
        metric.name, metric.operation, metric.field, dict(metric.where),
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(max_size=80), st.text(st.sampled_from("x=sumcount(Kênh Giá)where'\"and[]<>,1 "), max_size=80)
    )
)
def test_any_text_is_read_or_refused_in_a_sentence(text: str) -> None:
    try:
        metric = parse_metric(text, SHEET)
    except InputError:
        return  # a sentence is an answer too
    assert parse_metric(metric.text, SHEET) == metric
