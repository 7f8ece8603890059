"""The five tools: named as the documents name them, tolerant of what models send, plain about what is wrong."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from tests.support.modes.analysis_sheets import MemorySheets, shop
from troly_analysis.agent.tools import TOOLS, call_tool, tool_schemas
from troly_analysis.query.service import DataQueryService
from troly_analysis.types import ToolCall, ToolRecord

SERVICE = DataQueryService(shop(), "lan")
DOCUMENT: dict[str, dict[str, Any]] = {
    "get_data_schema": {"connection_name": None},
    "aggregate_data": {
        "connection_name": ..., "operation": ..., "field": None, "group_by": None, "filters": None, "date_field": None,
        "date_from": None, "date_to": None,
    },
    "get_top_items": {
        "connection_name": ..., "sort_field": ..., "sort_order": "desc", "limit": 10, "group_by": None,
        "aggregate_field": None, "filters": None,
    },
    "compare_periods": {
        "connection_name": ..., "operation": ..., "field": None, "date_field": ..., "period1_from": ..., "period1_to": ...,
        "period2_from": ..., "period2_to": ..., "group_by": None,
    },
    "execute_aggregation": {"connection_name": ..., "pipeline": ..., "description": ...},
}  # fmt: skip


def call(tool: str, **arguments: Any) -> ToolRecord:
    return asyncio.run(call_tool(SERVICE, ToolCall(tool, arguments), "call-1", 10, "vi"))


def value(tool: str, **arguments: Any) -> Any:
    record = call(tool, connection_name="don hang", **arguments)
    assert record.error is None
    assert record.result is not None
    return record.result.value if record.result.kind == "scalar" else record.result.rows


def test_names_parameters_and_defaults_are_the_documents() -> None:
    found = {
        tool.name: {name: ... if name in tool.required else tool.defaults[name] for name in tool.parameters}
        for tool in TOOLS
    }
    assert found == DOCUMENT
    assert [list(each) for each in found.values()] == [list(each) for each in DOCUMENT.values()]


def test_schemas_are_what_ollama_takes() -> None:
    for tool, schema in zip(TOOLS, tool_schemas(SERVICE.get_user_connections()), strict=True):
        function = schema["function"]
        assert list(function["parameters"]["properties"])[: len(tool.parameters)] == list(tool.parameters)
        assert schema["type"] == "function"
        assert function["name"] == tool.name
        assert set(function["parameters"]["required"]) <= set(function["parameters"]["properties"])
        assert all(each["type"] for each in function["parameters"]["properties"].values())


def test_the_service_has_the_documents_methods() -> None:
    for name in ("get_user_connections", "aggregate", "top_items", "compare", "execute_pipeline", "schema"):
        assert inspect.getdoc(getattr(DataQueryService, name))
    kinds = {
        each.kind
        for name, each in inspect.signature(DataQueryService.compare).parameters.items()
        if name != "self"
    }
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_schema_lists_fields_and_metrics_of_this_user() -> None:
    record = call("get_data_schema")
    assert record.result is not None
    assert {row[0] for row in record.result.rows} == {"Đơn hàng", "Sản phẩm"}
    assert ("Đơn hàng", 8, "Doanh thu", "money", "VND", "", "", "") in record.result.rows
    assert any(row[2:4] == ("Doanh thu thuần", "metric") for row in record.result.rows)
    one = call("get_data_schema", connection_name="san pham").result
    assert one is not None
    assert {row[0] for row in one.rows} == {"Sản phẩm"}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"operation": "sum", "field": "doanh thu"}, 4_084_567.5),
        ({"operation": "count"}, 8),
        ({"operation": "count", "field": "so luong"}, 7),
        ({"operation": "avg", "field": "Số lượng"}, 16 / 7),
        ({"operation": "min", "field": "Ngày đặt"}, "2024-01-05"),
        ({"operation": "max", "field": "Sản phẩm"}, "Áo thun"),
        ({"operation": "sum", "field": "doanh thu thuần"}, 1_200_000),
        ({"operation": "sum", "field": "Doanh thu", "filters": {"Nền tảng": "SHOPEE"}}, 1_950_000),
        ({"operation": "sum", "field": "Doanh thu", "filters": {"Nền tảng": "Shopee"}}, 1_200_000),
        ({"operation": "sum", "field": "Doanh thu", "filters": '{"nen tang": ["Shopee", "lazada"]}'}, 2_884_567.5),
        ({"operation": "count", "filters": {"Doanh thu": {"$gte": "450k", "lt": 900_000}}}, 3),
        ({"operation": "count", "filters": {"Doanh thu": {"between": [300_000, "450.000"]}}}, 3),
        ({"operation": "count", "filters": {"Nền tảng": None}}, 1),
        ({"operation": "count", "filters": {"Nền tảng": {"ne": "Shopee"}}}, 5),
        ({"operation": "count", "filters": {"Sản phẩm": {"contains": "AO"}}}, 3),
        ({"operation": "count", "filters": {"Ghi chú": {"exists": False}}}, 3),
        ({"operation": "count", "filters": {"Đã giao": "có"}}, 4),
        ({"operation": "count", "filters": {"Nhãn": "hè"}}, 2),
        ({"operation": "count", "filters": {"Giao lúc": "2024-02-03"}}, 1),
        ({"operation": "count", "filters": {"Giao lúc": {"lte": "2024-02-03"}}}, 3),
        ({"operation": "count", "date_from": "2024-01-31", "date_to": "1/2/2024"}, 2),
        ({"operation": "count", "date_field": "Giao lúc", "date_from": "2024-02", "date_to": "2024-02"}, 1),
        ({"operation": "count", "date_from": "2024"}, 7),
    ],
)  # fmt: skip
def test_aggregates(arguments: dict[str, Any], expected: Any) -> None:
    found = value("aggregate_data", **arguments)
    assert (str(found) if isinstance(expected, str) else pytest.approx(found)) == expected


@pytest.mark.parametrize(
    ("group_by", "expected"),
    [
        ("Sản phẩm", (("Áo thun", 3), ("Quần jean", 2), ("Giày sneaker", 1), ("Mũ len", 1), (None, 1))),
        ("ngay dat:month", (("2024-01", 3), ("2024-02", 3), ("2024-12", 1), (None, 1))),
        ("Ngày đặt:quarter", (("2024-Q1", 6), ("2024-Q4", 1), (None, 1))),
        ("Ngày đặt:year, Đã giao", ((2024, False, 2), (2024, True, 4), (2024, None, 1), (None, False, 1))),
    ],
)
def test_groups(group_by: str, expected: Any) -> None:
    assert value("aggregate_data", operation="count", group_by=group_by) == expected


def test_what_was_matched_without_marks_and_what_was_not_found_is_told() -> None:
    arguments = {"connection_name": "don hang", "operation": "count"}
    run = call("aggregate_data", **arguments, filters={"Nền tảng": "SHOPEE"}).run
    assert run is not None
    assert run.matched == (("Nền tảng", "SHOPEE", ("Shopee", "shopee")),)
    run = call("aggregate_data", **arguments, filters={"Nền tảng": "Lazda"}).run
    assert run is not None
    assert run.nearest[0][2][0] == "Lazada"
    assert (run.rows_read, run.span) == (0, None)


def test_top_items() -> None:
    assert value("get_top_items", sort_field="Doanh thu", group_by="Sản phẩm", limit="2") == (
        ("Áo thun", 1_500_000), (None, 1_234_567.5),
    )  # fmt: skip
    assert value("get_top_items", sort_field="count", group_by="san pham", limit=1) == (("Áo thun", 3),)
    assert value("get_top_items", sort_field="doanh thu thuan", group_by="Sản phẩm", limit=1) == (
        ("Áo thun", 750_000),
    )
    rows = value("get_top_items", sort_field="Doanh thu", sort_order="asc", limit=2)
    assert [row[0] for row in rows] == ["D07", "D01"]
    ranked = value(
        "get_top_items", sort_field="Số lượng", group_by="Nền tảng", aggregate_field="Doanh thu", limit=1
    )
    # Both sold five pieces: a tie for the last place is shown.
    assert ranked == (("Lazada", 1_684_567.5, 5), ("shopee", 750_000.0, 5))


@pytest.mark.parametrize(("operation", "field"), [("count", None), ("sum", "Doanh thu")])
@pytest.mark.parametrize("group_by", ["Nền tảng", "Nền tảng, Sản phẩm", "Ngày đặt:month"])
def test_groups_carry_their_share_of_the_filtered_total(
    operation: str, field: str | None, group_by: str
) -> None:
    asked = {
        "operation": operation,
        "field": field,
        "group_by": group_by,
        "filters": {"Doanh thu": {"gt": 0}},
    }
    rows = value("aggregate_data", **asked, share=True)
    assert [row[:-1] for row in rows] == list(value("aggregate_data", **asked))
    total = sum(row[-2] for row in rows)
    assert [row[-1] for row in rows] == [pytest.approx(row[-2] / total * 100) for row in rows]


def test_comparing_with_groups() -> None:
    months = {
        "period1_from": "2024-01-01",
        "period1_to": "31/1/2024",
        "period2_from": "2024-02",
        "period2_to": "2024-02",
    }
    record = call(
        "compare_periods",
        connection_name="Đơn hàng",
        operation="sum",
        field="Doanh thu",
        date_field="Ngày đặt",
        group_by="Sản phẩm",
        **months,
    )
    result = record.result
    assert result is not None
    assert (result.kind, result.period1_value, result.period2_value) == ("compare", 1_650_000, 1_200_000)
    assert (result.difference, result.percentage_change, result.unit) == (-450_000, -27.3, "VND")
    assert result.columns == ("Sản phẩm", "period1_value", "period2_value", "difference", "percentage_change")
    assert result.rows[0] == ("Áo thun", 300_000, 1_200_000, 900_000, 300.0)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("drop", {}, "get_top_items"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "share": True}, "`group_by`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "avg", "field": "Doanh thu", "group_by": "Sản phẩm", "share": True}, "sum, count"),
        ("aggregate_data", {"operation": "sum"}, "connection_name"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "sum", "fild": "x"}, "`fild`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "sum"}, "`Doanh thu`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thi"}, "`Doanh thu`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "sum", "field": "Nền tảng"}, "count"),
        ("aggregate_data", {"connection_name": ["x"], "operation": "count"}, "connection_name"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": "[1"}, "filters"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Giá": 1}}, "`Giá`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Doanh thu": {"like": 1}}}, "`like`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Doanh thu": "rẻ"}}, "rẻ"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Nhãn": {"gt": "a"}}}, "`gt`"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Doanh thu": {"between": 5}}}, "between"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "filters": {"Doanh thu": list(range(2000))}}, "2000"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "date_from": "hôm qua"}, "date_from"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "date_from": "2024-02", "date_to": "2024-01"}, "2024-01"),
        ("aggregate_data", {"connection_name": "Đơn hàng", "operation": "count", "date_field": "Doanh thu", "date_from": "2024"}, "`Ngày đặt`"),
        ("aggregate_data", {"connection_name": "Sản phẩm", "operation": "count", "date_from": "2024"}, "Sản phẩm"),
        ("get_top_items", {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "limit": 0}, "1000"),
        ("get_top_items", {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "limit": True}, "True"),
        ("get_top_items", {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "sort_order": "up"}, "up"),
        ("compare_periods", {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu"}, "period1_from"),
        ("execute_aggregation", {"connection_name": "Đơn hàng", "pipeline": [{"$out": "x"}], "description": ""}, "$out"),
    ],
)  # fmt: skip
def test_what_is_wrong_comes_back_as_text(tool: str, arguments: dict[str, Any], told: str) -> None:
    record = call(tool, **arguments)
    assert record.result is None
    assert record.error is not None
    assert told in record.error
    assert "\n" not in record.error
    assert (record.tool_name, record.tool_call_id, record.arguments) == (tool, "call-1", arguments)


async def test_a_cancelled_call_frees_its_connection() -> None:
    store = MemorySheets()
    store.add("lan", "lớn", {"số": "integer"}, [(number,) for number in range(3_000)])
    service = DataQueryService(store, "lan")
    every = {
        "$lookup": {
            "from": "lớn",
            "let": {"n": "$số"},
            "as": "x",
            "pipeline": [{"$match": {"$expr": {"$gt": ["$$n", "$số"]}}}],
        }
    }
    slow = [every, {"$unwind": "$x"}, {"$project": {"số": 1}}, every, {"$unwind": "$x"}, {"$count": "n"}]
    arguments = {"connection_name": "lớn", "pipeline": slow, "description": ""}
    task = asyncio.create_task(call_tool(service, ToolCall("execute_aggregation", arguments), "1", 60))
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    quick = await call_tool(
        service, ToolCall("aggregate_data", {"connection_name": "lớn", "operation": "count"}), "2", 10
    )
    assert quick.result is not None
    assert quick.result.value == 3_000
