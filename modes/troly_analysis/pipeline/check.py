"""Checks a pipeline stage by stage, into sub-pipelines: an allow-list, and lookups only into the user's own sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from troly_analysis.pipeline import model
from troly_analysis.pipeline.allow_list import (
    ACCUMULATORS,
    BLOCKED_STAGES,
    CODE,
    EXPRESSIONS,
    MANY,
    MAX_RESULT,
    MAX_STAGES,
    QUERY,
    QUERY_LOGIC,
    QUERY_TOP,
    STAGES,
    VARIABLES,
    Takes,
)
from troly_analysis.pipeline.errors import At, PipelineError, expect, near, short
from troly_analysis.pipeline.model import (
    Array,
    Call,
    Document,
    Expr,
    ExpressionQuery,
    FieldPath,
    FieldQuery,
    Literal,
    LogicalQuery,
    Project,
    Query,
    Test,
    Variable,
)
from troly_analysis.pipeline.reader import read
from troly_analysis.query.fields import same_name
from troly_analysis.types import Sheet

# Checks an expression against the allow-list, into every argument, and makes it a tree of the model.


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
        given = ((new_name(name, at.key(name)), each) for name, each in value.items())
        return Document(at, {name: expression(each, at.key(name), names) for name, each in given})
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
        given = named(name, takes, value, at).items()
        return Call(at, name, named={key: expression(each, at.key(key), names) for key, each in given})
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
    known = ", ".join(takes.named)
    for key in value:
        if key not in takes.named:
            raise PipelineError("argument", at.key(key), name=name, argument=short(key), known=known)
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
    expect("document", value, at, isinstance(value, Mapping))
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
    expect("list", branches, at.key("branches"), isinstance(branches, list) and branches)
    args: list[Expr] = []
    case = Takes("", named=("case", "then"), required=("case", "then"))
    for index, branch in enumerate(branches):
        here = at.key("branches").item(index)
        checked = named("$switch", case, branch, here)
        args += [expression(checked[key], here.key(key), names) for key in ("case", "then")]
    others = ["default"] if "default" in given else []
    default = {each: expression(given[each], at.key(each), names) for each in others}
    return Call(at, "$switch", tuple(args), default)


# Checks `$project`: keeping, dropping and setting fields, dotted paths, and the rules for mixing them.


def project(value: Any, at: At, names: Names) -> Project:
    """The stage; PipelineError when it is empty, mixes keeping with dropping, or names a field twice."""
    expect("projection", value, at, isinstance(value, Mapping) and value)
    tree: dict[str, Any] = {}
    for name, wanted in value.items():
        here = at.key(name)
        _put(tree, check_path(name, here), _wanted(wanted, here, names), here)
    keep_id = tree.get("_id") is not False
    rest = {name: each for name, each in tree.items() if not (name == "_id" and each is False)}
    kinds = set(_kinds({name: each for name, each in rest.items() if not (name == "_id" and each is True)}))
    if False in kinds and len(kinds) > 1:
        raise PipelineError("mixed", at)
    excludes = False in kinds or (not kinds and not keep_id)
    if excludes and rest.get("_id") is True:
        rest.pop("_id")
    return Project(at, rest, excludes, keep_id)


def _wanted(value: Any, at: At, names: Names) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value != 0
    if isinstance(value, Mapping) and value and not any(name.startswith("$") for name in value):
        inner: dict[str, Any] = {}
        for name, each in value.items():
            here = at.key(name)
            _put(inner, check_path(name, here), _wanted(each, here, names), here)
        return inner
    if value is None:
        return Literal(at, None)
    return expression(value, at, names)


def _put(tree: dict[str, Any], path: tuple[str, ...], wanted: Any, at: At) -> None:
    head, *rest = path
    if not rest:
        if head in tree:
            raise PipelineError("collision", at, name=".".join(path))
        tree[head] = wanted
        return
    below = tree.setdefault(head, {})
    if not isinstance(below, dict):
        raise PipelineError("collision", at, name=".".join(path))
    _put(below, tuple(rest), wanted, at)


def _kinds(tree: Mapping[str, Any]) -> list[Any]:
    """What is done to the fields: True, False, or None for one that is set."""
    found: list[Any] = []
    for wanted in tree.values():
        if isinstance(wanted, dict):
            found += _kinds(wanted)
        else:
            found.append(wanted if isinstance(wanted, bool) else None)
    return [True if kind is None else kind for kind in found]


# Checks the conditions of `$match` against the allow-list and makes them trees of the model.


MAX_PATTERN = 200
_TYPES = (
    "null", "double", "int", "long", "decimal", "number", "string", "object", "array", "bool", "date",
)  # fmt: skip


def query(value: Any, at: At, names: Names) -> Query:
    """The whole of a `$match`, or of one branch of it."""
    expect("document", value, at, isinstance(value, Mapping))
    items: list[Query] = []
    for name, wanted in value.items():
        here = at.key(name)
        if name in QUERY_LOGIC:
            items.append(_branches(name, wanted, here, names))
        elif name == "$expr":
            items.append(ExpressionQuery(here, expression(wanted, here, names)))
        elif name.startswith("$"):
            if name != "$comment":
                raise refused(name, here, QUERY_TOP)
        else:
            items.append(FieldQuery(here, check_path(name, here), _tests(wanted, here, names)))
    return items[0] if len(items) == 1 else LogicalQuery(at, "$and", tuple(items))


def _branches(name: str, wanted: Any, at: At, names: Names) -> Query:
    expect("list_of_conditions", wanted, at, isinstance(wanted, list) and wanted)
    queries = (query(each, at.item(index), names) for index, each in enumerate(wanted))
    return LogicalQuery(at, name, tuple(queries))


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
        expect("list", value, at, isinstance(value, list))
        return Test(at, name, [_constant(each, at.item(index)) for index, each in enumerate(value)])
    if name == "$not":
        expect("conditions", value, at, isinstance(value, Mapping) and value)
        return Test(at, name, tests=_tests(value, at, names))
    if name == "$elemMatch":
        return _element(value, at, names)
    expect("count", value, at, name != "$size" or (_whole(value) and value >= 0))
    expect("boolean", value, at, name != "$exists" or isinstance(value, bool | int))
    pair = isinstance(value, list) and len(value) == 2 and all(map(_whole, value)) and value[0]
    expect("divisor", value, at, name != "$mod" or pair)
    return Test(at, name, _type_names(value, at) if name == "$type" else _constant(value, at))


def _element(value: Any, at: At, names: Names) -> Test:
    expect("conditions", value, at, isinstance(value, Mapping) and value)
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
    expect("text", value, at, isinstance(value, str) and isinstance(options, str))
    if len(value) > MAX_PATTERN:
        raise PipelineError("regex_long", at, limit=MAX_PATTERN)
    flags = "".join(sorted(set(options)))
    if set(flags) - set("ims"):
        raise PipelineError("one_of", at, value=short(options), known="i, m, s")
    return f"(?{flags}){value}" if flags else value


_LOOKUP = Takes("", 1, 1, ("from", "localField", "foreignField", "let", "pipeline", "as"), ("from", "as"))
_UNWIND = Takes("", named=("path", "preserveNullAndEmptyArrays", "includeArrayIndex"), required=("path",))
_MAX_SORT_KEYS = 32


@dataclass(frozen=True, slots=True)
class CheckedPipeline:
    """A pipeline that may run: its stages, and the same as JSON values with the last `$limit` put in (001-19, 001-20)."""

    stages: tuple[model.Stage, ...]
    pipeline: tuple[Mapping[str, Any], ...]


def validate(pipeline: object, sheets: Sequence[Sheet]) -> CheckedPipeline:
    """The checked pipeline; `sheets` are the user's, the only ones a `$lookup` may name (001-21).

    Raises PipelineError naming the place, for anything that is not on the allow-lists.
    """
    given = read(pipeline)
    stages = _Checker(sheets).stages(given, At(), NO_NAMES)
    return CheckedPipeline(stages, (*given, {"$limit": MAX_RESULT}))


class _Checker:
    """Checks stages for one user."""

    def __init__(self, sheets: Sequence[Sheet]) -> None:
        self._sheets = sheets
        self._count = 0
        self._kinds: dict[str, Callable[[Any, At, Names], model.Stage]] = {
            "$match": lambda value, at, names: model.Match(at, query(value, at, names)),
            "$group": _group,
            "$sort": _sort,
            "$limit": _limit,
            "$project": project,
            "$lookup": self._lookup,
            "$unwind": _unwind,
            "$count": lambda value, at, _: model.Count(at, new_name(value, at)),
        }

    def stages(self, value: Any, at: At, names: Names) -> tuple[model.Stage, ...]:
        """All stages of a pipeline or of a lookup's."""
        expect("stages", value, at, isinstance(value, list))
        found = []
        for index, each in enumerate(value):
            self._count += 1
            if self._count > MAX_STAGES:
                raise PipelineError("stages", at, limit=MAX_STAGES)
            here = At(index + 1) if at == At() else at.item(index)
            found.append(self._stage(each, here, names))
        return tuple(found)

    def _stage(self, value: Any, at: At, names: Names) -> model.Stage:
        if not isinstance(value, Mapping) or len(value) != 1:
            raise PipelineError("stage_shape", at, found=short(value))
        name, inner = next(iter(value.items()))
        build = self._kinds.get(name)
        if build is None:
            if name in BLOCKED_STAGES or name in CODE:
                raise refused(name, at.key(name), STAGES)
            known = ", ".join(STAGES)
            raise PipelineError("stage", at.key(name), name=short(name), near=near(name, STAGES), known=known)
        return build(inner, at.key(name), names)

    def _lookup(self, value: Any, at: At, names: Names) -> model.Stage:
        given = named("$lookup", _LOOKUP, value, at)
        sheet = self._sheet(given["from"], at.key("from"))
        into = new_name(given["as"], at.key("as"))
        by_field = "localField" in given or "foreignField" in given
        if by_field and not ("localField" in given and "foreignField" in given):
            missing = "foreignField" if "localField" in given else "localField"
            raise PipelineError("missing", at, name="$lookup", argument=missing)
        if not by_field and "pipeline" not in given:
            raise PipelineError("missing", at, name="$lookup", argument="localField, foreignField")
        sides = ("localField", "foreignField")
        local, foreign = (_field(given[each], at.key(each)) if by_field else None for each in sides)
        known = variables(given.get("let", {}), at.key("let"), names)
        stages = None
        if "pipeline" in given:
            stages = self.stages(given["pipeline"], at.key("pipeline"), names | known.keys())
        return model.Lookup(at, sheet, into, local, foreign, known, stages)

    def _sheet(self, name: Any, at: At) -> Sheet:
        found = same_name(name, self._sheets) if isinstance(name, str) else None
        if found is None:
            known = [sheet.name for sheet in self._sheets]
            raise PipelineError("sheet", at, name=short(name), near=near(str(name), known))
        return found


def _field(value: Any, at: At) -> tuple[str, ...]:
    expect("field", value, at, isinstance(value, str))
    return check_path(value, at)


def _group(value: Any, at: At, names: Names) -> model.Stage:
    expect("document", value, at, isinstance(value, Mapping))
    if "_id" not in value:
        raise PipelineError("missing", at, name="$group", argument="_id")
    key, here = value["_id"], at.key("_id")
    by: model.Expr = model.Literal(here, None) if key == {} else expression(key, here, names)
    given = ((new_name(name, at.key(name)), each) for name, each in value.items() if name != "_id")
    return model.Group(at, by, tuple(_accumulator(name, each, at.key(name), names) for name, each in given))


def _accumulator(name: str, value: Any, at: At, names: Names) -> model.Accumulator:
    if not isinstance(value, Mapping) or len(value) != 1:
        raise PipelineError("accumulator_shape", at, name=short(name))
    operator, inner = next(iter(value.items()))
    takes = ACCUMULATORS.get(operator)
    here = at.key(operator)
    if takes is None:
        raise refused(operator, here, ACCUMULATORS)
    if operator == "$count":
        expect("empty", inner, here, inner == {})
        return model.Accumulator(here, name, operator, ())
    if takes.named:
        inner = named(operator, takes, inner, here)["input"]
        return model.Accumulator(here, name, operator, (expression(inner, here.key("input"), names),))
    if isinstance(inner, list) and operator in ("$push", "$addToSet", "$first", "$last", "$min", "$max"):
        return model.Accumulator(here, name, operator, (expression(inner, here, names),))
    return model.Accumulator(here, name, operator, positional(operator, takes, inner, here, names))


def _sort(value: Any, at: At, _: Names) -> model.Stage:
    expect("sort", value, at, isinstance(value, Mapping) and value)
    if len(value) > _MAX_SORT_KEYS:
        raise PipelineError("sort_keys", at, limit=_MAX_SORT_KEYS)
    keys = []
    for name, order in value.items():
        if isinstance(order, bool) or order not in (1, -1):
            raise PipelineError("sort", at.key(name), found=short(order))
        keys.append((check_path(name, at.key(name)), order == -1))
    return model.Sort(at, tuple(keys))


def _limit(value: Any, at: At, _: Names) -> model.Stage:
    if not _whole(value) or not 1 <= value < 2**63:
        raise PipelineError("limit", at, found=short(value), limit=MAX_RESULT)
    return model.Limit(at, int(value))


def _unwind(value: Any, at: At, _: Names) -> model.Stage:
    given = {"path": value} if isinstance(value, str) else named("$unwind", _UNWIND, value, at)
    path = given["path"]
    if not isinstance(path, str) or not path.startswith("$") or path.startswith("$$"):
        raise PipelineError("unwind", at, found=short(path))
    preserve = given.get("preserveNullAndEmptyArrays", False)
    expect("boolean", preserve, at.key("preserveNullAndEmptyArrays"), isinstance(preserve, bool))
    index = given.get("includeArrayIndex")
    name = "" if index is None else new_name(index, at.key("includeArrayIndex"))
    return model.Unwind(at, check_path(path[1:], at), preserve is True, name)
