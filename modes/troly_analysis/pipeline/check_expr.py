"""Checks an expression against the allow-list, into every argument, and makes it a tree of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly_analysis.pipeline.model import Array, Call, Document, Expr, FieldPath, Literal, Variable
from troly_analysis.pipeline.operators import (
    ACCUMULATORS,
    BLOCKED_STAGES,
    CODE,
    EXPRESSIONS,
    MANY,
    QUERY,
    STAGES,
    VARIABLES,
    Takes,
)
from troly_analysis.pipeline.problems import At, PipelineError, Word, near, short

Names = frozenset[str]
NO_NAMES: Names = frozenset()


def check_path(text: str, at: At) -> tuple[str, ...]:
    """A field's path without its `$`: `a.b` as parts; PipelineError for an empty part or one that begins with `$`."""
    parts = tuple(text.split("."))
    if not text or any(not part or part.startswith("$") for part in parts):
        raise PipelineError("path", at, name=short(text))
    return parts


def new_name(text: object, at: At) -> str:
    """The name of a field that the pipeline makes: not empty, no `$` in front, no dot."""
    if not isinstance(text, str) or not text.strip() or text.startswith("$") or "." in text:
        raise PipelineError("name", at, name=short(text))
    return text


def expression(value: Any, at: At, names: Names = NO_NAMES) -> Expr:
    """The expression `value`; `names` are the variables that may be used beside the system's."""
    if isinstance(value, str):
        return _text(value, at, names)
    if isinstance(value, list):
        return Array(at, tuple(expression(each, at.item(index), names) for index, each in enumerate(value)))
    if isinstance(value, Mapping):
        return _document(value, at, names)
    return Literal(at, value)


def _text(value: str, at: At, names: Names) -> Expr:
    if value.startswith("$$"):
        head, *rest = value[2:].split(".")
        if head not in names and head not in VARIABLES:
            known = [f"$${name}" for name in (*sorted(names), *VARIABLES)]
            raise PipelineError("variable", at, name=short(value), near=near(head, known))
        path = check_path(".".join(rest), at) if rest else ()
        if head in ("ROOT", "CURRENT") and path and head not in names:
            return FieldPath(at, path)
        return Variable(at, head, path)
    if value.startswith("$"):
        return FieldPath(at, check_path(value[1:], at))
    return Literal(at, value)


def _document(value: Mapping[str, Any], at: At, names: Names) -> Expr:
    operators = [name for name in value if name.startswith("$")]
    if not operators:
        if not value:
            raise PipelineError("empty_document", at)
        fields = {
            new_name(name, at.key(name)): expression(each, at.key(name), names)
            for name, each in value.items()
        }
        return Document(at, fields)
    name = operators[0]
    takes = EXPRESSIONS.get(name)
    if takes is None:
        raise refused(name, at.key(name), EXPRESSIONS)
    if len(value) > 1:
        raise PipelineError("one_operator", at, name=name)
    return _call(name, takes, value[name], at.key(name), names)


def refused(name: str, at: At, known: Mapping[str, object] | tuple[str, ...]) -> PipelineError:
    """The error for an operator that is not on the list: what it would do, or the names most like it."""
    if name in BLOCKED_STAGES:
        return PipelineError("blocked", at, name=short(name))
    if name in CODE:
        return PipelineError("code", at, name=short(name))
    elsewhere = name in EXPRESSIONS or name in ACCUMULATORS or name in STAGES or name in QUERY
    key = "misplaced" if elsewhere else "operator"
    return PipelineError(key, at, name=short(name), near=near(name, known))


def _call(name: str, takes: Takes, value: Any, at: At, names: Names) -> Expr:
    if name == "$literal":
        return Literal(at, value)
    if name == "$let":
        return _let(value, at, names)
    if name in ("$map", "$filter"):
        return _over_list(name, takes, value, at, names)
    if name == "$switch":
        return _switch(takes, value, at, names)
    if takes.named and isinstance(value, Mapping) and not any(key.startswith("$") for key in value):
        given = named(name, takes, value, at)
        return Call(
            at, name, named={key: expression(each, at.key(key), names) for key, each in given.items()}
        )
    return Call(at, name, positional(name, takes, value, at, names))


def positional(name: str, takes: Takes, value: Any, at: At, names: Names) -> tuple[Expr, ...]:
    """The arguments of `name` given as one value or as a list; PipelineError when there are too few or too many."""
    if takes.high < 0:
        raise PipelineError("named", at, name=name, known=", ".join(takes.named))
    values = value if isinstance(value, list) else [value]
    if not takes.low <= len(values) <= takes.high:
        wanted = str(takes.low) if takes.low == takes.high else f"{takes.low}-{takes.high}"
        wanted = f"≥ {takes.low}" if takes.high == MANY and len(values) < takes.low else wanted
        raise PipelineError("arity", at, name=name, count=len(values), wanted=wanted)
    if not isinstance(value, list):
        return (expression(value, at, names),)
    return tuple(expression(each, at.item(index), names) for index, each in enumerate(values))


def named(name: str, takes: Takes, value: Any, at: At) -> Mapping[str, Any]:
    """The named arguments of `name`; PipelineError for one that is unknown or missing."""
    if not isinstance(value, Mapping):
        raise PipelineError("named", at, name=name, known=", ".join(takes.named))
    for key in value:
        if key not in takes.named:
            raise PipelineError(
                "argument", at.key(key), name=name, argument=short(key), known=", ".join(takes.named)
            )
    for key in takes.required:
        if key not in value:
            raise PipelineError("missing", at, name=name, argument=key)
    return value


def variable_name(name: object, at: At) -> str:
    """The name of a variable, which begins with a lower-case letter; PipelineError otherwise."""
    if not isinstance(name, str) or not name.isidentifier() or not name[0].islower():
        raise PipelineError("variable_name", at, name=short(name))
    return name


def variables(value: Any, at: At, names: Names) -> dict[str, Expr]:
    """`{name: expression}` as `$let` and `$lookup` define variables."""
    if not isinstance(value, Mapping):
        raise PipelineError("type", at, expected=Word("document"), found=short(value))
    return {variable_name(name, at): expression(each, at.key(name), names) for name, each in value.items()}


def _let(value: Any, at: At, names: Names) -> Expr:
    given = named("$let", EXPRESSIONS["$let"], value, at)
    known = variables(given["vars"], at.key("vars"), names)
    inner = expression(given["in"], at.key("in"), names | known.keys())
    return Call(at, "$let", named={**{f"${name}": each for name, each in known.items()}, "in": inner})


def _over_list(name: str, takes: Takes, value: Any, at: At, names: Names) -> Expr:
    given = named(name, takes, value, at)
    variable = variable_name(given.get("as", "this"), at.key("as"))
    last = "cond" if name == "$filter" else "in"
    found: dict[str, Expr] = {
        "input": expression(given["input"], at.key("input"), names),
        "as": Literal(at.key("as"), variable),
        last: expression(given[last], at.key(last), names | {variable}),
    }
    if given.get("limit") is not None:
        found["limit"] = expression(given["limit"], at.key("limit"), names)
    return Call(at, name, named=found)


def _switch(takes: Takes, value: Any, at: At, names: Names) -> Expr:
    given = named("$switch", takes, value, at)
    branches = given["branches"]
    if not isinstance(branches, list) or not branches:
        raise PipelineError("type", at.key("branches"), expected=Word("list"), found=short(branches))
    args: list[Expr] = []
    case = Takes("", named=("case", "then"), required=("case", "then"))
    for index, branch in enumerate(branches):
        here = at.key("branches").item(index)
        checked = named("$switch", case, branch, here)
        args += [expression(checked[key], here.key(key), names) for key in ("case", "then")]
    default = (
        {"default": expression(given["default"], at.key("default"), names)} if "default" in given else {}
    )
    return Call(at, "$switch", tuple(args), default)
