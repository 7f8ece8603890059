"""Checks a pipeline stage by stage, into sub-pipelines: an allow-list, and lookups only into the user's own sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from troly_analysis.pipeline import model
from troly_analysis.pipeline.check_expr import (
    NO_NAMES,
    Names,
    check_path,
    expression,
    named,
    new_name,
    positional,
    refused,
    variables,
)
from troly_analysis.pipeline.check_project import project
from troly_analysis.pipeline.check_query import query
from troly_analysis.pipeline.operators import (
    ACCUMULATORS,
    BLOCKED_STAGES,
    CODE,
    MAX_RESULT,
    MAX_STAGES,
    STAGES,
    Takes,
)
from troly_analysis.pipeline.problems import At, PipelineError, Word, near, short
from troly_analysis.pipeline.reading import read
from troly_analysis.types import Sheet

_LOOKUP = Takes(
    "", named=("from", "localField", "foreignField", "let", "pipeline", "as"), required=("from", "as")
)
_UNWIND = Takes("", named=("path", "preserveNullAndEmptyArrays", "includeArrayIndex"), required=("path",))
_MAX_SORT_KEYS = 32


@dataclass(frozen=True, slots=True)
class Checked:
    """A pipeline that may run: its stages, and the same as JSON values with the last `$limit` put in (001-19, 001-20)."""

    stages: tuple[model.Stage, ...]
    pipeline: tuple[Mapping[str, Any], ...]


def validate(pipeline: object, sheets: Sequence[Sheet]) -> Checked:
    """The checked pipeline; `sheets` are the user's, the only ones a `$lookup` may name (001-21).

    Raises PipelineError naming the place, for anything that is not on the allow-lists.
    """
    given = read(pipeline)
    stages = _Checker(sheets).stages(given, At(), NO_NAMES)
    return Checked(stages, (*given, {"$limit": MAX_RESULT}))


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
        if not isinstance(value, list):
            raise PipelineError("type", at, expected=Word("stages"), found=short(value))
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
            raise PipelineError(
                "stage", at.key(name), name=short(name), near=near(name, STAGES), known=", ".join(STAGES)
            )
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
        local, foreign = (
            _field(given[each], at.key(each)) if by_field else None for each in ("localField", "foreignField")
        )
        known = variables(given.get("let", {}), at.key("let"), names)
        stages = None
        if "pipeline" in given:
            stages = self.stages(given["pipeline"], at.key("pipeline"), names | known.keys())
        return model.Lookup(at, sheet, into, local, foreign, known, stages)

    def _sheet(self, name: Any, at: At) -> Sheet:
        from troly_analysis.service_fields import same_name

        found = same_name(name, self._sheets) if isinstance(name, str) else None
        if found is None:
            known = [sheet.name for sheet in self._sheets]
            raise PipelineError("sheet", at, name=short(name), near=near(str(name), known))
        return found


def _field(value: Any, at: At) -> tuple[str, ...]:
    if not isinstance(value, str):
        raise PipelineError("type", at, expected=Word("field"), found=short(value))
    return check_path(value, at)


def _group(value: Any, at: At, names: Names) -> model.Stage:
    if not isinstance(value, Mapping):
        raise PipelineError("type", at, expected=Word("document"), found=short(value))
    if "_id" not in value:
        raise PipelineError("missing", at, name="$group", argument="_id")
    key = value["_id"]
    by: model.Expr = (
        model.Literal(at.key("_id"), None) if key == {} else expression(key, at.key("_id"), names)
    )
    fields = [
        _accumulator(new_name(name, at.key(name)), each, at.key(name), names)
        for name, each in value.items()
        if name != "_id"
    ]
    return model.Group(at, by, tuple(fields))


def _accumulator(name: str, value: Any, at: At, names: Names) -> model.Accumulator:
    if not isinstance(value, Mapping) or len(value) != 1:
        raise PipelineError("accumulator_shape", at, name=short(name))
    operator, inner = next(iter(value.items()))
    takes = ACCUMULATORS.get(operator)
    here = at.key(operator)
    if takes is None:
        raise refused(operator, here, ACCUMULATORS)
    if operator == "$count":
        if inner != {}:
            raise PipelineError("type", here, expected=Word("empty"), found=short(inner))
        return model.Accumulator(here, name, operator, ())
    if takes.named:
        inner = named(operator, takes, inner, here)["input"]
        return model.Accumulator(here, name, operator, (expression(inner, here.key("input"), names),))
    if isinstance(inner, list) and operator in ("$push", "$addToSet", "$first", "$last", "$min", "$max"):
        return model.Accumulator(here, name, operator, (expression(inner, here, names),))
    return model.Accumulator(here, name, operator, positional(operator, takes, inner, here, names))


def _sort(value: Any, at: At, _: Names) -> model.Stage:
    if not isinstance(value, Mapping) or not value:
        raise PipelineError("type", at, expected=Word("sort"), found=short(value))
    if len(value) > _MAX_SORT_KEYS:
        raise PipelineError("sort_keys", at, limit=_MAX_SORT_KEYS)
    keys = []
    for name, order in value.items():
        if isinstance(order, bool) or order not in (1, -1):
            raise PipelineError("sort", at.key(name), found=short(order))
        keys.append((check_path(name, at.key(name)), order == -1))
    return model.Sort(at, tuple(keys))


def _limit(value: Any, at: At, _: Names) -> model.Stage:
    whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    if not whole or not 1 <= value < 2**63:
        raise PipelineError("limit", at, found=short(value), limit=MAX_RESULT)
    return model.Limit(at, int(value))


def _unwind(value: Any, at: At, _: Names) -> model.Stage:
    given = {"path": value} if isinstance(value, str) else named("$unwind", _UNWIND, value, at)
    path = given["path"]
    if not isinstance(path, str) or not path.startswith("$") or path.startswith("$$"):
        raise PipelineError("unwind", at, found=short(path))
    preserve = given.get("preserveNullAndEmptyArrays", False)
    if not isinstance(preserve, bool):
        raise PipelineError(
            "type", at.key("preserveNullAndEmptyArrays"), expected=Word("boolean"), found=short(preserve)
        )
    index = given.get("includeArrayIndex")
    name = "" if index is None else new_name(index, at.key("includeArrayIndex"))
    return model.Unwind(at, check_path(path[1:], at), preserve, name)
