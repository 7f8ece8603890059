"""Pipelines made to hurt end in one sentence, quickly, and never reach what they should not."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import MemorySheets, shop
from troly.errors import InputError
from troly_analysis.pipeline.reader import read
from troly_analysis.query.service import DataQueryService
from troly_analysis.query.sql import Deadline

SERVICE = DataQueryService(shop(), "lan")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["$Doanh thu", "$$ROOT", "$$x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["$match", "$group", "$project", "$lookup", "$unwind", "$sort", "$limit", "$count", "_id", "$sum", "$cond", "$expr",
             "$eq", "$in", "$date", "$map", "input", "as", "in", "from", "pipeline", "Doanh thu", "Nhãn", "a'b", "__proto__"]
        ),
        inner,
        max_size=3,
    ),
    max_leaves=12,
)  # fmt: skip


def refused(pipeline: Any) -> InputError:
    with pytest.raises(InputError) as found:
        SERVICE.execute_pipeline("Đơn hàng", pipeline)
    return found.value


def trouble(work: Callable[[], object]) -> InputError | None:
    """The error that `work` ends in; any other exception goes through."""
    try:
        work()
    except InputError as error:
        return error
    return None


@pytest.mark.parametrize(
    "deep", ["[" * 10_000, "[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000]
)
def test_json_ten_thousand_deep(deep: str) -> None:
    assert refused(deep).key == "pipeline.deep"


def test_values_ten_thousand_deep() -> None:
    value: Any = 1
    for _ in range(10_000):
        value = {"$not": [value]}
    assert refused([{"$match": {"$expr": value}}]).key == "pipeline.deep"


@pytest.mark.parametrize(
    ("pipeline", "key"),
    [
        ([{"$match": {"Mã đơn": {"$in": [str(number) for number in range(20_000)]}}}], "pipeline.large"),
        ([{"$match": {"Mã đơn": "x" * 100_000}}], "pipeline.long"),
        ([{"$match": {"Nền tảng": {"$regex": "a" * 500}}}], "pipeline.regex_long"),
        ([{"$match": {"x" * 300: 1}}], "pipeline.name"),
        ([{"$match": {"Nền tảng": "a\0"}}], "pipeline.characters"),
        ([{"$match": {"Nền tảng": "\ud800"}}], "pipeline.characters"),
        ([{"$match": {"Doanh thu": float("nan")}}], "pipeline.number"),
        ([{"$match": {"Doanh thu": 10**400}}], "pipeline.number"),
        ([{"$match": {"Doanh thu": {1, 2}}}], "pipeline.type"),
        ([{"$match": {1: 2}}], "pipeline.name"),
        ([{"$match": {}}] * 60, "pipeline.stages"),
        ([{"$sort": dict.fromkeys((f"c{n}" for n in range(40)), 1)}], "pipeline.sort_keys"),
        (b"\xff\xfe", "pipeline.json"),
        ("", "pipeline.json"),
        (None, "pipeline.type"),
        (5, "pipeline.type"),
    ],
)
def test_sizes_and_types(pipeline: Any, key: str) -> None:
    assert refused(pipeline).key == key


def test_a_sentence_names_the_place() -> None:
    found = refused([{"$limit": 5}, {"$match": {"$or": [{"Mã đơn": "D01"}, {"Giá": {"$gt": 1}}]}}])
    assert found.params["path"] == "$match.$or[1].Giá"
    assert found.render("vi").message == "Bước 2, `$match.$or[1].Giá`: không có cột `Giá`."
    assert found.render("en").message == "Stage 2, `$match.$or[1].Giá`: there is no field `Giá`."


def test_values_that_double_at_each_stage_are_stopped() -> None:
    for grown in ({"$concat": ["$a", "$a"]}, {"$concatArrays": ["$a", "$a"]}, {"x": "$a", "y": "$a"}):
        start = "$Nhãn" if "$concatArrays" in grown else "$Nền tảng"
        assert (
            refused([{"$project": {"a": start}}, *[{"$project": {"a": grown}}] * 40]).key
            == "pipeline.complicated"
        )
    nested: Any = "$Số lượng"
    for _ in range(15):
        nested = {"$divide": [1, {"$divide": [nested, nested]}]}
    assert refused([{"$project": {"a": nested}}]).key in (
        "pipeline.complicated",
        "pipeline.large",
        "pipeline.deep",
    )


def test_quotes_and_escapes_stay_values() -> None:
    odd = "x'\"; drop table lan_0; -- \\ %s $1 {x} [/b] \x1b]0;"
    stage = {"$project": {"v": {"$literal": odd}, odd.replace(".", ""): {"$concat": [odd, "$Mã đơn"]}}}
    answer = SERVICE.execute_pipeline("Đơn hàng", [{"$match": {"Mã đơn": "D01"}}, stage])
    assert answer.result.rows == ((odd, odd + "D01"),)
    assert SERVICE.execute_pipeline("Đơn hàng", [{"$match": {"Mã đơn": odd}}]).result.kind == "empty"


def test_a_query_that_never_ends_is_interrupted() -> None:
    store = MemorySheets()
    store.add("lan", "lớn", {"số": "integer"}, [(number,) for number in range(3_000)])
    service = DataQueryService(store, "lan", deadline_seconds=0.3)
    every = {
        "$lookup": {
            "from": "lớn",
            "let": {"n": "$số"},
            "as": "x",
            "pipeline": [{"$match": {"$expr": {"$gt": ["$$n", "$số"]}}}],
        }
    }
    slow = [every, {"$unwind": "$x"}, {"$project": {"số": 1}}, every, {"$unwind": "$x"}, {"$count": "n"}]
    with pytest.raises(InputError) as found:
        service.execute_pipeline("lớn", slow)
    assert found.value.key in ("query.slow", "query.memory")
    assert service.execute_pipeline("lớn", [{"$count": "n"}]).result.rows == ((3_000,),)


def test_a_stopped_deadline_refuses_what_begins_later() -> None:
    deadline = Deadline(10)
    threading.Thread(target=deadline.stop).start()
    while not deadline.stopped:
        threading.Event().wait(0.001)
    with pytest.raises(InputError, match="too long"):
        SERVICE.execute_pipeline("Đơn hàng", [{"$count": "n"}], deadline=deadline)


def test_a_stop_before_the_statement_has_begun_ends_it() -> None:
    deadline = Deadline(60)
    with duckdb.connect(":memory:") as connection, deadline.watching(connection):
        deadline.stop()
        with pytest.raises(duckdb.InterruptException):
            connection.execute("SELECT count(*) FROM range(1000000) a, range(1000000) b").fetchall()


@given(value=JSON)
def test_any_json_is_answered_or_refused(value: Any) -> None:
    for pipeline in (value, [value], [{"$project": {"a": value}}], [{"$match": {"Doanh thu": value}}]):
        found = trouble(partial(SERVICE.execute_pipeline, "Đơn hàng", pipeline))
        assert found is None or (found.render("vi").message and found.key != "query.failed")


@given(text=st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = trouble(lambda: read(text))
    assert found is None or found.render("en").remedy


def test_whole_numbers_beyond_64_bits_go_on_as_doubles() -> None:
    stage = {"$project": {"a": {"$multiply": [2**62, "$Số lượng"]}}}
    rows = SERVICE.execute_pipeline(
        "Đơn hàng", json.dumps([{"$match": {"Mã đơn": "D06"}}, stage])
    ).result.rows
    assert rows == ((float(5 * 2**62),),)
