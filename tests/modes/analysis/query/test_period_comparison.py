"""Two periods give both values, their difference and the change in percent, half up, or none on a base of zero."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import MemorySheets
from troly_analysis.query.aggregates import percentage_change
from troly_analysis.query.service import DataQueryService

AMOUNTS = st.none() | st.integers(-1_000, 10_000_000) | st.just(0)
ROWS = st.lists(st.tuples(st.dates(date(2024, 1, 1), date(2024, 3, 31)) | st.none(), AMOUNTS), max_size=20)
MONTHS: dict[str, Any] = {
    "period1_from": "2024-01-01",
    "period1_to": "2024-01-31",
    "period2_from": "2024-02-01",
    "period2_to": "2024-02-29",
}


def expected(rows: list[Any], month: int, operation: str) -> Any:
    values = [amount for day, amount in rows if day is not None and day.month == month and amount is not None]
    if operation == "count":
        return len(values)
    if not values:
        return None
    return {"sum": sum(values), "avg": sum(values) / len(values), "min": min(values), "max": max(values)}[
        operation
    ]


# Feature: ai-chat-agent, Property 7: Period Comparison Calculation. For any compare_periods call, the result SHALL include period1_value, period2_value, difference, and percentage_change where percentage_change = (period2 - period1) / period1 * 100.
@settings(max_examples=50)
@given(rows=ROWS, operation=st.sampled_from(["sum", "count", "avg", "min", "max"]))
def test_a_comparison_has_all_four_figures(rows: list[Any], operation: str) -> None:
    store = MemorySheets()
    store.add("lan", "đơn", {"ngày": "date", "tiền": "integer"}, rows)
    result = (
        DataQueryService(store, "lan")
        .compare(connection_name="đơn", operation=operation, field="tiền", date_field="ngày", **MONTHS)
        .result
    )
    before, after = (expected(rows, month, operation) for month in (1, 2))
    in_both = [day for day, _ in rows if day is not None and day.month in (1, 2)]
    if not in_both and operation != "count":
        assert result.kind == "empty"
        return
    assert result.kind == "compare"
    assert result.period1_value == pytest.approx(before)
    assert result.period2_value == pytest.approx(after)
    if before is None or after is None:
        assert result.difference is None
        assert result.percentage_change is None
        return
    assert result.difference == pytest.approx(after - before)
    if before == 0:
        assert result.percentage_change is None
    else:
        assert result.percentage_change == pytest.approx((after - before) / before * 100, abs=0.0501)


@given(before=st.integers(-(10**9), 10**9).filter(bool), after=st.integers(-(10**9), 10**9))
def test_the_change_is_rounded_half_up_to_one_decimal(before: int, after: int) -> None:
    exact = Decimal(after - before) / Decimal(before) * 100
    assert percentage_change(before, after) == float(exact.quantize(Decimal("0.1"), ROUND_HALF_UP))


def test_the_document_s_example_and_a_base_of_zero() -> None:
    assert percentage_change(50_000_000, 57_750_000) == 15.5
    assert percentage_change(8, 8.5) == 6.3
    assert percentage_change(0, 5) is None
    assert percentage_change(None, 5) is None
