"""However deep it is hidden, what writes or runs code and what belongs to somebody else is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import shop
from troly_analysis.pipeline.check import validate
from troly_analysis.pipeline.errors import PipelineError

SHEETS = shop().sheets("lan")
BAD_STAGES = st.sampled_from(
    [
        {"$out": "x"}, {"$merge": {"into": "x"}}, {"$delete": {}}, {"$OUT": "x"}, {"$unionWith": "Sản phẩm"},
        {"$facet": {"a": []}}, {"$graphLookup": {}}, {"$set": {"a": 1}}, {"$replaceRoot": {"newRoot": "$a"}},
        {"$lookup": {"from": "Đơn bí mật", "pipeline": [], "as": "x"}},
        {"$lookup": {"from": "minh_0", "localField": "a", "foreignField": "b", "as": "x"}},
        {"$match": {"$where": "sleep(1)"}}, {"$match": {"a": {"$where": "1"}}}, {"$match": {"$jsonSchema": {}}},
        {"$match": {"$expr": {"$function": {"body": "", "args": [], "lang": "js"}}}},
        {"$project": {"a": {"$function": {"body": ""}}}}, {"$group": {"_id": {"$function": {}}}},
        {"$group": {"_id": None, "a": {"$accumulator": {}}}}, {"$group": {"_id": None, "a": {"$sum": {"$function": {}}}}},
    ]
)  # fmt: skip


def in_lookup(stage: dict[str, Any]) -> dict[str, Any]:
    return {"$lookup": {"from": "Sản phẩm", "pipeline": [{"$match": {}}, stage], "as": "x"}}


def in_expression(depth: int) -> dict[str, Any]:
    value: Any = {"$function": {"body": "return 1"}}
    for _ in range(depth):
        value = {"$cond": [True, {"$ifNull": [value, {"k": [value]}]}, 1]}
    return {"$project": {"a": value}}


HIDDEN = st.recursive(
    BAD_STAGES | st.integers(0, 3).map(in_expression), lambda inner: inner.map(in_lookup), max_leaves=4
)
FINE = st.sampled_from([{"$match": {}}, {"$limit": 5}, {"$count": "n"}, {"$sort": {"Doanh thu": 1}}])


# Feature: ai-chat-agent, Property 4: Pipeline Validation Security. For any execute_aggregation call, the pipeline SHALL NOT contain blocked stages ($out, $merge, $delete), and all $lookup targets SHALL belong to the user.
@settings(max_examples=200)
@given(before=st.lists(FINE, max_size=3), bad=HIDDEN, after=st.lists(FINE, max_size=3), as_text=st.booleans())
def test_a_pipeline_with_anything_forbidden_is_refused(
    before: list[Any], bad: dict[str, Any], after: list[Any], as_text: bool
) -> None:
    pipeline: Any = [*before, bad, *after]
    with pytest.raises(PipelineError) as refused:
        validate(json.dumps(pipeline) if as_text else pipeline, SHEETS)
    assert refused.value.at.stage == len(before) + 1
    assert refused.value.at.path.startswith(next(iter(bad)))
