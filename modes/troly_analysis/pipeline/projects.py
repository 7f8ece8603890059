"""Compiles `$project`: fields kept in their order, then those that are set, in the order they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Compiler, Scope
from troly_analysis.pipeline.kinds import Typed, document, element, lambda_of, list_of, member
from troly_analysis.pipeline.problems import At, PipelineError, near, short
from troly_analysis.pipeline.relation import Relation, built
from troly_analysis.service_fields import match
from troly_analysis.service_sql import call

Pairs = list[tuple[str, Typed]]


def project(c: Compiler, stage: model.Project, rows: Relation, variables: Mapping[str, Typed]) -> Relation:
    """Rows with the fields that the stage keeps or sets."""
    source, scope = rows.opened(c, variables)
    fields = [(name, scope.value(name)) for name in rows.fields]
    tree = _known(stage.tree, list(rows.fields), stage.at)
    if stage.excludes:
        values = _dropped(fields, tree, stage.at)
        values = values if stage.keep_id else [each for each in values if each[0] != "_id"]
    else:
        if stage.keep_id and "_id" in rows.fields and "_id" not in tree:
            tree = {"_id": True, **tree}
        values = _Keeper(c, scope).kept(fields, tree, stage.at)
    if not values:
        raise PipelineError("nothing_left", stage.at)
    return built(source, scope.table, values, rows.order)


def _known(tree: Mapping[str, Any], names: list[str], at: At) -> dict[str, Any]:
    """The tree with the names that the fields really have; a name with dots in it is put together again."""
    found: dict[str, Any] = {}
    for name, wanted in tree.items():
        real = match(name, names)
        if real is None and isinstance(wanted, dict):
            dotted = {match(f"{name}.{inner}", names): each for inner, each in wanted.items()}
            if None not in dotted:
                found |= {str(whole): each for whole, each in dotted.items()}
                continue
        sets = isinstance(wanted, model.Node) or (isinstance(wanted, dict) and _sets(wanted))
        if real is None and not sets:
            raise PipelineError("field", at.key(name), name=short(name), near=near(name, names))
        key = name if sets and not isinstance(wanted, dict) else real or name
        if key in found:
            raise PipelineError("collision", at.key(name), name=name)
        found[key] = wanted
    return found


def _sets(tree: Mapping[str, Any]) -> bool:
    """Whether anything in the tree is set rather than kept."""
    return any(
        isinstance(each, model.Node) or (isinstance(each, dict) and _sets(each)) for each in tree.values()
    )


class _Keeper:
    """Keeps and sets fields; expressions always see the whole row."""

    def __init__(self, c: Compiler, scope: Scope) -> None:
        self._c = c
        self._scope = scope

    def kept(self, fields: Pairs, tree: Mapping[str, Any], at: At) -> Pairs:
        """The fields that a tree leaves of these."""
        first: Pairs = []
        for name, value in fields:
            wanted = tree.get(name)
            if wanted is True:
                first.append((name, value))
            elif isinstance(wanted, dict):
                first.append((name, self._inside(value, wanted, at.key(name))))
        there = {name for name, _ in first}
        return [
            *first,
            *((name, self._set(each, at.key(name))) for name, each in tree.items() if name not in there),
        ]

    def _set(self, wanted: Any, at: At) -> Typed:
        if isinstance(wanted, dict):
            return document([(name, self._set(each, at.key(name))) for name, each in wanted.items()], at)
        if wanted is True:
            raise PipelineError("field", at, name=short(at.path), near="-")
        return self._c.expr(wanted, self._scope)

    def _inside(self, value: Typed, tree: Mapping[str, Any], at: At, depth: int = 0) -> Typed:
        if value.type.item is not None:
            variable = f"k{depth}"
            item = self._inside(Typed(element(variable), value.type.item), tree, at, depth + 1)
            return Typed(
                call("list_transform", value.sql, lambda_of(variable, item.sql)),
                list_of(item.type),
                value.weight,
            )
        if value.type.kind != "doc":
            return self._set(tree, at)
        slots = [(slot.name, member(value, slot)) for slot in value.type.slots]
        return document(self.kept(slots, _known(tree, [name for name, _ in slots], at), at), at)


def _dropped(fields: Pairs, tree: Mapping[str, Any], at: At) -> Pairs:
    values: Pairs = []
    for name, value in fields:
        wanted = tree.get(name)
        if wanted is False:
            continue
        values.append((name, _without(value, wanted, at.key(name)) if isinstance(wanted, dict) else value))
    return values


def _without(value: Typed, tree: Mapping[str, Any], at: At, depth: int = 0) -> Typed:
    if value.type.item is not None:
        variable = f"k{depth}"
        item = _without(Typed(element(variable), value.type.item), tree, at, depth + 1)
        return Typed(
            call("list_transform", value.sql, lambda_of(variable, item.sql)), list_of(item.type), value.weight
        )
    slots = [(slot.name, member(value, slot)) for slot in value.type.slots]
    left = _dropped(slots, _known(tree, [name for name, _ in slots], at), at)
    if not left:
        raise PipelineError("nothing_left", at)
    return document(left, at)
