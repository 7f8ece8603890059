"""The allow-lists: every stage, condition, expression and accumulator that a pipeline may hold."""

from __future__ import annotations

from dataclasses import dataclass

MAX_RESULT = 1000
MAX_STAGES = 50
STAGES = ("$match", "$group", "$sort", "$limit", "$project", "$lookup", "$unwind", "$count")
BLOCKED_STAGES = frozenset({"$out", "$merge", "$delete"})
# Operators that run code or reach outside of the data; they only choose the error text.
CODE = frozenset({"$function", "$accumulator", "$where", "$eval", "$jsonSchema"})


@dataclass(frozen=True, slots=True)
class Takes:
    """What an operator takes: from `low` to `high` positional arguments, or named ones of which some are required."""

    group: str
    low: int = 1
    high: int = 1
    named: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


MANY = 200


def _each(group: str, names: str, low: int = 1, high: int = 1) -> dict[str, Takes]:
    return {f"${name}": Takes(group, low, high) for name in names.split()}


def _named(
    group: str, name: str, required: str, optional: str = "", *, low: int = 0, high: int = -1
) -> dict[str, Takes]:
    needed = tuple(required.split())
    return {f"${name}": Takes(group, low, high, (*needed, *optional.split()), needed)}


_DATE_PARTS = "year month dayOfMonth dayOfWeek dayOfYear isoWeek isoWeekYear isoDayOfWeek week hour minute second millisecond"
EXPRESSIONS: dict[str, Takes] = {
    **_each("comparison", "eq ne gt gte lt lte cmp", 2, 2),
    **_each("logic", "and or", 0, MANY),
    **_each("logic", "not"),
    **_each("arithmetic", "add multiply", 1, MANY),
    **_each("arithmetic", "subtract divide mod pow log", 2, 2),
    **_each("arithmetic", "abs ceil floor sqrt exp ln log10"),
    **_each("arithmetic", "round trunc", 1, 2),
    **_each("arithmetic", "sum avg min max", 1, MANY),
    **_named("conditional", "cond", "if then else", low=3, high=3),
    **_each("conditional", "ifNull", 2, MANY),
    **_named("conditional", "switch", "branches", "default"),
    **_named("conditional", "let", "vars in"),
    **_each("text", "concat", 1, MANY),
    **_each("text", "toLower toUpper strLenCP"),
    **_each("text", "substrCP", 3, 3),
    **_each("text", "split strcasecmp", 2, 2),
    **_each("text", "indexOfCP", 2, 2),
    **_named("text", "trim", "input", "chars"),
    **_named("text", "ltrim", "input", "chars"),
    **_named("text", "rtrim", "input", "chars"),
    **_named("text", "replaceOne", "input find replacement"),
    **_named("text", "replaceAll", "input find replacement"),
    **_named("text", "regexMatch", "input regex", "options"),
    **{f"${name}": Takes("date", 1, 1, ("date", "timezone"), ("date",)) for name in _DATE_PARTS.split()},
    **_named("date", "dateToString", "date", "format timezone onNull"),
    **_named("date", "dateFromString", "dateString", "format timezone onError onNull"),
    **_named("date", "dateTrunc", "date unit", "binSize timezone startOfWeek"),
    **_named("date", "dateDiff", "startDate endDate unit", "timezone startOfWeek"),
    **_named("date", "dateAdd", "startDate unit amount", "timezone"),
    **_named("date", "dateSubtract", "startDate unit amount", "timezone"),
    **_named("date", "dateFromParts", "year", "month day hour minute second millisecond timezone"),
    **_each("list", "size isArray first last reverseArray"),
    **_each("list", "arrayElemAt in", 2, 2),
    **_each("list", "slice", 2, 3),
    **_each("list", "concatArrays", 1, MANY),
    **_named("list", "filter", "input cond", "as limit"),
    **_named("list", "map", "input in", "as"),
    **_each("conversion", "toInt toLong toDouble toDecimal toString toBool toDate type isNumber"),
    **_named("conversion", "convert", "input to", "onError onNull"),
    **_each("literal", "literal"),
}
ACCUMULATORS: dict[str, Takes] = {
    **_each("accumulator", "sum avg min max first last push addToSet stdDevPop stdDevSamp"),
    **_each("accumulator", "count", 0, 0),
    **_named("accumulator", "median", "input", "method"),
}
QUERY_LOGIC = ("$and", "$or", "$nor")
QUERY: tuple[str, ...] = (
    "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$not", "$exists", "$regex", "$options", "$all", "$size",
    "$elemMatch", "$mod", "$type",
)  # fmt: skip
QUERY_TOP = (*QUERY_LOGIC, "$expr", "$comment")
VARIABLES = ("ROOT", "CURRENT", "NOW")


def operators_by_group() -> dict[str, tuple[str, ...]]:
    """Everything that is allowed, by group, for the documentation and `app sheets operators`."""
    groups: dict[str, list[str]] = {}
    for name, takes in EXPRESSIONS.items():
        groups.setdefault(takes.group, []).append(name)
    return {
        "stages": STAGES,
        "conditions": (*QUERY_LOGIC, "$expr", *QUERY),
        "accumulators": tuple(ACCUMULATORS),
        **{name: tuple(found) for name, found in groups.items()},
        "variables": tuple(f"$${name}" for name in VARIABLES),
    }
