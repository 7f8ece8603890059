"""A checked pipeline: its stages, conditions and expressions, holding nothing that is not on the allow-lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from troly_analysis.pipeline.errors import At
from troly_analysis.types import Sheet

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """Anything that has a place in the pipeline."""

    at: At


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A constant: None, bool, int, float, str, datetime, or a list or dict of them."""

    value: Any


@dataclass(frozen=True, slots=True)
class FieldPath(Node):
    """`$a.b`."""

    path: Path


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`$$name.a.b`."""

    name: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Call(Node):
    """An operator with its positional arguments, or its named ones."""

    name: str
    args: tuple[Expr, ...] = ()
    named: Mapping[str, Expr] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document(Node):
    """`{a: expression, ...}`."""

    fields: Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class Array(Node):
    """`[expression, ...]`."""

    items: tuple[Expr, ...]


Expr = Literal | FieldPath | Variable | Call | Document | Array


@dataclass(frozen=True, slots=True)
class LogicalQuery(Node):
    """`$and`, `$or` or `$nor` of conditions."""

    kind: str
    items: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class ExpressionQuery(Node):
    """`$expr`."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Test(Node):
    """One operator of a condition on a field: a value, other tests (`$not`, `$elemMatch`) or a query (`$elemMatch`)."""

    operator: str
    value: Any = None
    tests: tuple[Test, ...] = ()
    query: Query | None = None


@dataclass(frozen=True, slots=True)
class FieldQuery(Node):
    """All tests on one field."""

    path: Path
    tests: tuple[Test, ...]


Query = LogicalQuery | ExpressionQuery | FieldQuery


@dataclass(frozen=True, slots=True)
class Match(Node):
    """`$match`."""

    query: Query


@dataclass(frozen=True, slots=True)
class Accumulator(Node):
    """One figure of `$group`."""

    name: str
    operator: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Group(Node):
    """`$group`."""

    id: Expr
    fields: tuple[Accumulator, ...]


@dataclass(frozen=True, slots=True)
class Sort(Node):
    """`$sort`: paths and whether the greatest come first."""

    keys: tuple[tuple[Path, bool], ...]


@dataclass(frozen=True, slots=True)
class Limit(Node):
    """`$limit`."""

    count: int


Tree = Mapping[str, Any]
"""What `$project` does with each field: True keeps, False drops, an expression sets, a Tree looks inside."""


@dataclass(frozen=True, slots=True)
class Project(Node):
    """`$project`, keeping what it names or (`excludes`) dropping it; `keep_id` None where `_id` is not named."""

    tree: Tree
    excludes: bool
    keep_id: bool = True


@dataclass(frozen=True, slots=True)
class Lookup(Node):
    """`$lookup` from a sheet of the same user, by equal fields, by a pipeline, or both."""

    sheet: Sheet
    into: str
    local: Path | None = None
    foreign: Path | None = None
    variables: Mapping[str, Expr] = field(default_factory=dict)
    stages: tuple[Stage, ...] | None = None


@dataclass(frozen=True, slots=True)
class Unwind(Node):
    """`$unwind`."""

    path: Path
    preserve: bool = False
    index: str = ""


@dataclass(frozen=True, slots=True)
class Count(Node):
    """`$count`."""

    name: str


Stage = Match | Group | Sort | Limit | Project | Lookup | Unwind | Count
