"""Checks `$project`: keeping, dropping and setting fields, dotted paths, and the rules for mixing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly_analysis.pipeline.check_expr import Names, check_path, expression
from troly_analysis.pipeline.model import Literal, Project
from troly_analysis.pipeline.problems import At, PipelineError, Word, short


def project(value: Any, at: At, names: Names) -> Project:
    """The stage; PipelineError when it is empty, mixes keeping with dropping, or names a field twice."""
    if not isinstance(value, Mapping) or not value:
        raise PipelineError("type", at, expected=Word("projection"), found=short(value))
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
