"""Whoever asks, by whatever query, sees rows of their own sheets only."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import shop
from troly.errors import TrolyError
from troly_analysis.query.service import DataQueryService

STORE = shop()
SECRET = ("BÍ MẬT", "Kín", "kín", 99, 99.0)
NAMES = st.sampled_from(
    [
        "Đơn bí mật",
        "don bi mat",
        "minh_0",
        "id-minh_0",
        "Đơn hàng",
        "lan_0",
        "sheet_1.main.minh_0",
        "'minh_0'",
        '"minh_0"',
    ]
)
QUERIES = st.sampled_from(["aggregate", "top_items", "compare", "schema", "execute_pipeline"])


def stages(name: str) -> list[list[dict[str, Any]]]:
    lookup = {"from": name, "localField": "Nền tảng", "foreignField": "Nền tảng", "as": "x"}
    inner = {"from": name, "pipeline": [], "as": "x"}
    return [
        [],
        [{"$lookup": lookup}],
        [{"$lookup": inner}],
        [{"$lookup": {"from": "Sản phẩm", "pipeline": [{"$lookup": inner}], "as": "y"}}],
        [{"$match": {"Mã đơn": {"$in": ["BÍ MẬT"]}}}],
    ]


def cells(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [each for inner in value.values() for each in cells(inner)]
    if isinstance(value, list | tuple):
        return [each for inner in value for each in cells(inner)]
    return [value]


# Feature: ai-chat-agent, Property 3: Data Isolation. For any data query, all returned results SHALL only contain data from connections where connection.user_id equals the requesting user's ID.
@settings(max_examples=150)
@given(query=QUERIES, name=NAMES, other=NAMES, shape=st.integers(0, 4))
def test_no_query_reaches_another_user_s_sheet(query: str, name: str, other: str, shape: int) -> None:
    service = DataQueryService(STORE, "lan")
    months = {
        "period1_from": "2024-01",
        "period1_to": "2024-01",
        "period2_from": "2024-02",
        "period2_to": "2024-02",
    }
    arguments: dict[str, dict[str, Any]] = {
        "aggregate": {"operation": "max", "field": "Mã đơn", "group_by": "Nền tảng"},
        "top_items": {"sort_field": "Doanh thu"},
        "compare": {"operation": "sum", "field": "Doanh thu", **months},
        "schema": {},
        "execute_pipeline": {"pipeline": stages(other)[shape]},
    }
    try:
        answer = getattr(service, query)(connection_name=name, **arguments[query])
    except TrolyError:
        return
    result = answer.result
    shown = cells([result.value, result.rows, result.period1_value, result.period2_value])
    assert not [cell for cell in shown if any(cell == secret for secret in SECRET)]
    assert "minh" not in answer.run.sql
