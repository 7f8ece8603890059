"""However many rows there are and whatever limits a pipeline names, at most 1000 come back."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import MemorySheets
from troly_analysis.pipeline.check import validate
from troly_analysis.query.service import DataQueryService

STORE = MemorySheets()
STORE.add("lan", "lớn", {"số": "integer", "thẻ": "list"}, [(number, ["a", "b"]) for number in range(700)])
SERVICE = DataQueryService(STORE, "lan")
LIMITS = st.sampled_from([1, 7, 650, 999, 1000, 1001, 5000, 10**9, 2.0, 1e6])
STAGES = st.one_of(
    LIMITS.map(lambda count: {"$limit": count}),
    st.just({"$unwind": "$thẻ"}),
    st.just({"$match": {"số": {"$gte": 0}}}),
    st.just({"$sort": {"số": -1}}),
)


# Feature: ai-chat-agent, Property 5: Result Limit Enforcement. For any execute_aggregation call, the returned results SHALL contain at most 1000 rows.
@settings(max_examples=120)
@given(pipeline=st.lists(STAGES, max_size=5))
def test_never_more_than_a_thousand_rows(pipeline: list[dict[str, Any]]) -> None:
    rows, opened = 700, False
    for stage in pipeline:
        rows = min(rows, int(stage.get("$limit", rows)))
        if "$unwind" in stage and not opened:
            rows, opened = rows * 2, True
    answer = SERVICE.execute_pipeline("lớn", pipeline)
    assert len(answer.result.rows) == min(rows, 1000)
    assert answer.result.truncated is (rows > 1000)
    assert validate(pipeline, STORE.sheets("lan")).pipeline[-1] == {"$limit": 1000}
