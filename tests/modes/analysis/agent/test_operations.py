"""aggregate_data works out five operations and refuses every other word."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import ORDER_ROWS, shop
from troly_analysis.agent.tools import call_tool
from troly_analysis.query.service import DataQueryService
from troly_analysis.types import OPERATIONS, ToolCall

SERVICE = DataQueryService(shop(), "lan")
WORDS = st.one_of(
    st.sampled_from(OPERATIONS),
    st.sampled_from(
        ["SUM", " avg ", "median", "sum(x)", "sum; drop table x", "tổng", "", "count_distinct", "stddev"]
    ),
    st.text(max_size=12),
    st.none() | st.integers() | st.lists(st.text(max_size=3), max_size=2),
)
REVENUE = [row[5] for row in ORDER_ROWS if row[5] is not None]
EXPECTED = {
    "sum": sum(REVENUE), "count": len(REVENUE), "avg": sum(REVENUE) / len(REVENUE), "min": min(REVENUE), "max": max(REVENUE),
}  # fmt: skip


# Feature: ai-chat-agent, Property 6: Aggregation Operation Validity. For any aggregate_data call with operation O, O SHALL be one of: "sum", "count", "avg", "min", "max".
@settings(max_examples=150)
@given(operation=WORDS)
def test_only_the_five_operations_are_worked_out(operation: Any) -> None:
    arguments = {"connection_name": "Đơn hàng", "operation": operation, "field": "Doanh thu"}
    record = asyncio.run(call_tool(SERVICE, ToolCall("aggregate_data", arguments), "1", 10))
    assert (record.result is None) is (record.error is not None)
    known = operation.strip().lower() if isinstance(operation, str) else ""
    if known in OPERATIONS:
        assert record.result is not None
        assert abs(record.result.value - EXPECTED[known]) < 1e-6
    else:
        assert record.error is not None
        assert operation is None or all(name in record.error for name in OPERATIONS)
