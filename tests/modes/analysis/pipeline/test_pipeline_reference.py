"""Random pipelines over random rows give what a plain Python reading of MongoDB's rules gives."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis_sheets import Columns, MemorySheets
from tests.support.mongo.stages import run
from tests.support.mongo.values import MongoError, alike, moment
from troly.text.dates import fixed_clock
from troly_analysis.pipeline.errors import PipelineError
from troly_analysis.query.service import DataQueryService

COLUMNS: Columns = {
    "số": "integer", "giá": "number", "tên": "text", "ngày": "date", "có": "boolean", "thẻ": "list",
}  # fmt: skip
TEXTS = st.sampled_from(["a", "b", "áo", "B", "", "O'Hara"])
CELLS = {
    "integer": st.integers(-3, 6),
    "number": st.sampled_from([-1.5, 0.0, 0.25, 2.0, 10.5]),
    "text": TEXTS,
    "date": st.dates(date(2023, 12, 25), date(2024, 3, 5)),
    "boolean": st.booleans(),
    "list": st.lists(TEXTS, max_size=3),
}
ROWS = st.lists(st.tuples(*(st.none() | CELLS[kind] for kind in COLUMNS.values())), max_size=8)
OTHERS = st.lists(st.tuples(st.none() | TEXTS, st.none() | st.integers(0, 4)), max_size=5)
NUMBERS = st.sampled_from(["$số", "$giá", 2, 0.5, None])
VALUES = st.sampled_from(["$số", "$giá", "$tên", "$có", 1, "áo", None, True])


def numeric(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Expressions that are numbers."""
    pair = st.tuples(inner, inner).map(list)
    return st.one_of(
        st.builds(
            lambda name, args: {name: args},
            st.sampled_from(["$add", "$multiply", "$subtract", "$divide", "$mod"]),
            pair,
        ),
        st.builds(lambda name, each: {name: each}, st.sampled_from(["$abs", "$ceil", "$floor"]), inner),
        st.builds(lambda when, args: {"$cond": [when, *args]}, CONDITIONS, pair),
        st.builds(lambda args: {"$ifNull": args}, pair),
        st.builds(lambda args: {"$sum": args}, st.lists(inner, min_size=2, max_size=3)),
    )


CONDITIONS = st.one_of(
    st.builds(
        lambda name, args: {name: list(args)},
        st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
        st.tuples(VALUES, VALUES),
    ),
    st.sampled_from(
        ["$có", "$số", "$tên", {"$not": ["$giá"]}, {"$and": ["$có", "$số"]}, {"$or": ["$có", "$giá"]}]
    ),
)
NUMERIC = st.recursive(NUMBERS, numeric, max_leaves=4)
TEXTUAL = st.sampled_from(
    [
        {"$concat": ["$tên", "-", "x"]}, {"$toUpper": "$tên"}, {"$substrCP": ["$tên", 0, 1]}, {"$toLower": "$số"},
        {"$dateToString": {"format": "%Y-%m", "date": "$ngày"}}, {"$trim": {"input": "$tên"}},
        {"$ifNull": ["$tên", "?"]}, {"$arrayElemAt": ["$thẻ", 1]}, {"$cond": ["$có", "$tên", "$số"]},
    ]
)  # fmt: skip
WHOLES = st.sampled_from(
    [
        {"$year": "$ngày"}, {"$month": "$ngày"}, {"$dayOfWeek": "$ngày"}, {"$isoWeek": "$ngày"}, {"$week": "$ngày"},
        {"$size": {"$ifNull": ["$thẻ", []]}}, {"$cmp": ["$số", "$giá"]}, {"$cmp": ["$tên", "$số"]},
        {"$dateDiff": {"startDate": "$ngày", "endDate": {"$date": "2024-02-15"}, "unit": "week"}},
    ]
)  # fmt: skip
LISTS = st.sampled_from(
    [
        {"$slice": ["$thẻ", 2]}, {"$slice": ["$thẻ", -2]}, {"$slice": ["$thẻ", 1, 1]}, {"$reverseArray": "$thẻ"},
        {"$concatArrays": ["$thẻ", ["z"]]}, {"$filter": {"input": "$thẻ", "as": "t", "cond": {"$gt": ["$$t", "a"]}}},
        {"$map": {"input": "$thẻ", "as": "t", "in": {"$concat": ["$$t", "!"]}}}, ["$số", "$giá"],
    ]
)  # fmt: skip
EXPRESSIONS = st.one_of(NUMERIC, TEXTUAL, WHOLES, LISTS, CONDITIONS)
COMPARE = st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"])
CONSTANTS = {
    "số": st.none() | st.integers(-3, 6),
    "giá": st.none() | st.sampled_from([0.25, 2, -1.5]) | st.just("áo"),
    "tên": st.none() | TEXTS | st.just(3),
    "có": st.none() | st.booleans(),
    "ngày": st.dates(date(2023, 12, 25), date(2024, 3, 5)).map(lambda day: {"$date": day.isoformat()}),
    "thẻ": st.none() | TEXTS | st.lists(TEXTS, max_size=2),
}


@st.composite
def field_tests(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(list(CONSTANTS)))
    value = CONSTANTS[name]
    kinds = [
        value,
        st.builds(lambda operator, each: {operator: each}, COMPARE, value),
        st.builds(
            lambda operator, each: {operator: each},
            st.sampled_from(["$in", "$nin"]),
            st.lists(value, max_size=3),
        ),
        st.builds(lambda operator, each: {"$not": {operator: each}}, COMPARE, value),
        st.builds(lambda each: {"$exists": each}, st.booleans()),
        st.sampled_from(
            [{"$regex": "^[ab]"}, {"$regex": "Á", "$options": "i"}, {"$size": 2}, {"$mod": [2, 0]}]
        ),
    ]
    return {name: draw(st.one_of(kinds))}


QUERIES = st.recursive(
    field_tests() | CONDITIONS.map(lambda each: {"$expr": each}),
    lambda inner: st.builds(
        lambda name, parts: {name: parts},
        st.sampled_from(["$and", "$or", "$nor"]),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)
MATCH = QUERIES.map(lambda query: {"$match": query})
UNWIND = st.sampled_from(
    [
        {"$unwind": "$thẻ"},
        {"$unwind": {"path": "$thẻ", "preserveNullAndEmptyArrays": True, "includeArrayIndex": "i"}},
        {"$unwind": {"path": "$tên", "preserveNullAndEmptyArrays": False, "includeArrayIndex": "i"}},
    ]
)
SORT = st.dictionaries(st.sampled_from(list(COLUMNS)), st.sampled_from([1, -1]), min_size=1, max_size=3).map(
    lambda keys: {"$sort": keys}
)
LOOKUP = st.sampled_from(
    [
        {"$lookup": {"from": "khác", "localField": "tên", "foreignField": "mã", "as": "bạn"}},
        {"$lookup": {"from": "khác", "localField": "thẻ", "foreignField": "mã", "as": "bạn"}},
        {"$lookup": {"from": "khác", "localField": "giá", "foreignField": "mã", "as": "bạn"}},
        {
            "$lookup": {
                "from": "khác", "let": {"n": "$số"}, "as": "bạn",
                "pipeline": [{"$match": {"$expr": {"$gt": ["$$n", "$mức"]}}}, {"$sort": {"mức": -1}}, {"$limit": 2}],
            }
        },
        {
            "$lookup": {
                "from": "khác", "localField": "tên", "foreignField": "mã", "as": "bạn",
                "pipeline": [{"$group": {"_id": None, "n": {"$sum": "$mức"}}}],
            }
        },
    ]
)  # fmt: skip
FIGURES = st.one_of(
    st.builds(
        lambda name, each: {name: each},
        st.sampled_from(
            ["$sum", "$avg", "$min", "$max", "$first", "$last", "$push", "$addToSet", "$stdDevPop"]
        ),
        st.sampled_from(["$số", "$giá", "$tên", {"$cond": ["$có", "$số", "$tên"]}]),
    ),
    st.sampled_from([{"$sum": 1}, {"$count": {}}, {"$median": {"input": "$số", "method": "approximate"}}]),
)
IDS = st.sampled_from([None, "$tên", "$ngày", "$thẻ", {"t": "$tên", "c": "$có"}]) | st.one_of(WHOLES, TEXTUAL)
GROUP = st.builds(
    lambda key, figures: {"$group": {"_id": key, **figures}},
    IDS,
    st.dictionaries(st.sampled_from("xyz"), FIGURES, max_size=3),
)
PROJECT = st.builds(
    lambda kept, made: {"$project": {**dict.fromkeys(kept, 1), **made}},
    st.sets(st.sampled_from(list(COLUMNS)), min_size=1, max_size=3).map(sorted),
    st.dictionaries(
        st.sampled_from("xyz"), EXPRESSIONS.filter(lambda each: isinstance(each, str | dict)), max_size=2
    ),
)
LAST = st.one_of(GROUP, PROJECT, st.just({"$count": "n"}), st.just({"$project": {"giá": 0, "thẻ": 0}}))
MIDDLE = st.one_of(MATCH, SORT, UNWIND, LOOKUP, st.integers(1, 5).map(lambda count: {"$limit": count}))
PIPELINES = st.builds(
    lambda first, last: [*first, *last], st.lists(MIDDLE, max_size=3), st.lists(LAST, max_size=1)
)


def dated(value: Any) -> Any:
    """Extended JSON as the reference takes it."""
    from troly_analysis.pipeline.reader import read

    return read(value)


# A whole list is found among several, as $eq finds it.
@example(
    rows=[(None,) * 5 + ([],), (None,) * 5 + (["a"],)],
    others=[],
    pipeline=[{"$match": {"thẻ": {"$in": [[]]}}}],
)
@example(
    rows=[(None,) * 6, (None,) * 5 + (["a"],)],
    others=[],
    pipeline=[{"$match": {"thẻ": {"$in": [["a"], None]}}}],
)
@settings(max_examples=60)
@given(rows=ROWS, others=OTHERS, pipeline=PIPELINES)
def test_the_same_rows_as_the_reference(rows: list[Any], others: list[Any], pipeline: list[Any]) -> None:
    sheets = MemorySheets()
    sheets.add("lan", "đơn", COLUMNS, rows)
    sheets.add("lan", "khác", {"mã": "text", "mức": "integer"}, others)
    documents = [dict(zip(COLUMNS, map(moment, row), strict=True)) for row in rows]
    friends = [dict(zip(("mã", "mức"), row, strict=True)) for row in others]
    service = DataQueryService(sheets, "lan", clock=fixed_clock("2024-03-01 10:00"))
    try:
        expected = run(dated(pipeline), documents, {"khác": friends})
    except (MongoError, ZeroDivisionError):
        expected = None
    try:
        result = service.execute_pipeline("đơn", pipeline).result
    except PipelineError as error:
        # MongoDB refuses a row while it runs; types that can never fit are refused before, whatever the rows.
        before = error.key in ("pipeline.kind", "pipeline.mixture")
        if expected is None or before:
            return
        raise
    found = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    # A row that would be refused may lie behind a $limit that the database reaches first.
    assert expected is None or alike(found, expected)
