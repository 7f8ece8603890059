"""Checks the conditions of `$match` against the allow-list and makes them trees of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly_analysis.pipeline.check_expr import Names, check_path, expression, refused
from troly_analysis.pipeline.model import ByExpression, Combined, OnField, Query, Test
from troly_analysis.pipeline.operators import QUERY, QUERY_LOGIC, QUERY_TOP
from troly_analysis.pipeline.problems import At, PipelineError, Word, short

MAX_PATTERN = 200
_TYPES = (
    "null", "double", "int", "long", "decimal", "number", "string", "object", "array", "bool", "date",
)  # fmt: skip


def query(value: Any, at: At, names: Names) -> Query:
    """The whole of a `$match`, or of one branch of it."""
    if not isinstance(value, Mapping):
        raise PipelineError("type", at, expected=Word("document"), found=short(value))
    items: list[Query] = []
    for name, wanted in value.items():
        here = at.key(name)
        if name in QUERY_LOGIC:
            items.append(_branches(name, wanted, here, names))
        elif name == "$expr":
            items.append(ByExpression(here, expression(wanted, here, names)))
        elif name.startswith("$"):
            if name != "$comment":
                raise refused(name, here, QUERY_TOP)
        else:
            items.append(OnField(here, check_path(name, here), _tests(wanted, here, names)))
    return items[0] if len(items) == 1 else Combined(at, "$and", tuple(items))


def _branches(name: str, wanted: Any, at: At, names: Names) -> Query:
    if not isinstance(wanted, list) or not wanted:
        raise PipelineError("type", at, expected=Word("list_of_conditions"), found=short(wanted))
    return Combined(at, name, tuple(query(each, at.item(index), names) for index, each in enumerate(wanted)))


def _tests(wanted: Any, at: At, names: Names) -> tuple[Test, ...]:
    if not isinstance(wanted, Mapping) or not any(name.startswith("$") for name in wanted):
        return (Test(at, "$eq", _constant(wanted, at)),)
    tests = []
    for name, value in wanted.items():
        here = at.key(name)
        if name not in QUERY:
            raise refused(name, here, QUERY)
        if name == "$options":
            if "$regex" not in wanted:
                raise PipelineError("missing", at, name="$options", argument="$regex")
            continue
        if name == "$regex":
            tests.append(Test(here, name, pattern(value, wanted.get("$options", ""), here)))
        else:
            tests.append(_test(name, value, here, names))
    return tuple(tests)


def _test(name: str, value: Any, at: At, names: Names) -> Test:
    if name in ("$in", "$nin", "$all"):
        if not isinstance(value, list):
            raise PipelineError("type", at, expected=Word("list"), found=short(value))
        return Test(at, name, [_constant(each, at.item(index)) for index, each in enumerate(value)])
    if name == "$not":
        if not isinstance(value, Mapping) or not value:
            raise PipelineError("type", at, expected=Word("conditions"), found=short(value))
        return Test(at, name, tests=_tests(value, at, names))
    if name == "$elemMatch":
        return _element(value, at, names)
    if name == "$size" and not (_whole(value) and value >= 0):
        raise PipelineError("type", at, expected=Word("count"), found=short(value))
    if name == "$exists" and not isinstance(value, bool | int):
        raise PipelineError("type", at, expected=Word("boolean"), found=short(value))
    if name == "$mod" and not (
        isinstance(value, list) and len(value) == 2 and all(map(_whole, value)) and value[0]
    ):
        raise PipelineError("type", at, expected=Word("divisor"), found=short(value))
    if name == "$type":
        return Test(at, name, _type_names(value, at))
    return Test(at, name, _constant(value, at))


def _element(value: Any, at: At, names: Names) -> Test:
    if not isinstance(value, Mapping) or not value:
        raise PipelineError("type", at, expected=Word("conditions"), found=short(value))
    by_value = all(name.startswith("$") and name not in QUERY_TOP for name in value)
    if by_value:
        return Test(at, "$elemMatch", tests=_tests(value, at, names))
    return Test(at, "$elemMatch", query=query(value, at, names))


def _type_names(value: Any, at: At) -> tuple[str, ...]:
    wanted = value if isinstance(value, list) else [value]
    for each in wanted:
        if each not in _TYPES:
            raise PipelineError("one_of", at, value=short(each), known=", ".join(_TYPES))
    return tuple(wanted)


def _whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()


def _constant(value: Any, at: At) -> Any:
    """A value to compare with: nothing inside of it may be an operator."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name.startswith("$"):
                raise refused(name, at.key(name), QUERY)
            _constant(inner, at.key(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _constant(inner, at.item(index))
    return value


def pattern(value: Any, options: Any, at: At) -> str:
    """A regular expression with its options written into it; PipelineError when it is too long or cannot be read.

    It is matched in time that grows with the text alone: look-around and back references do not exist.
    """
    if not isinstance(value, str) or not isinstance(options, str):
        raise PipelineError("type", at, expected=Word("text"), found=short(value))
    if len(value) > MAX_PATTERN:
        raise PipelineError("regex_long", at, limit=MAX_PATTERN)
    flags = "".join(sorted(set(options)))
    if set(flags) - set("ims"):
        raise PipelineError("one_of", at, value=short(options), known="i, m, s")
    return f"(?{flags}){value}" if flags else value
