"""Turns checked expressions into typed SQL: fields and variables found in their scope, operators by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.errors import At, PipelineError, Word, near, short
from troly_analysis.pipeline.typed_expr import (
    DATE,
    MAX_WEIGHT,
    TAGS,
    Type,
    TypedExpr,
    array,
    case,
    coerce,
    column_of,
    constant,
    document,
    each_item,
    element,
    fail,
    is_null,
    member,
    null_of,
    tag_of,
    tagged,
    unify,
)
from troly_analysis.query.fields import match
from troly_analysis.query.sql import cast, literal

MAX_NODES = 4_000
Operator = Callable[["Compiler", model.Call, "Scope"], TypedExpr]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a stage's rows; `unit` is what its figures are in (`VND`)."""

    column: str
    type: Type
    weight: int = 1
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may name: the fields of the rows of `table`, and variables."""

    table: str
    fields: Mapping[str, Column]
    variables: Mapping[str, TypedExpr] = field(default_factory=dict)

    def value(self, name: str) -> TypedExpr:
        """The field `name`, which is there."""
        found = self.fields[name]
        return replace(column_of(found.column, self.table, found.type, found.weight), unit=found.unit)

    def knowing(self, variables: Mapping[str, TypedExpr]) -> Scope:
        """The same with more variables."""
        return replace(self, variables={**self.variables, **variables})

    def resolve(self, path: Sequence[str], at: At) -> TypedExpr:
        """The field that a path leads to: with or without its marks, a name with dots in it before a nested one.

        PipelineError `field` names the nearest.
        """
        for length in range(len(path), 0, -1):
            name = match(".".join(path[:length]), list(self.fields))
            if name is not None:
                return inside(self.value(name), path[length:], at)
        raise PipelineError("field", at, name=short(".".join(path)), near=near(path[0], self.fields))

    def root(self, at: At) -> TypedExpr:
        """The whole row as a document."""
        return document([(name, self.value(name)) for name in self.fields], at)


def inside(value: TypedExpr, path: Sequence[str], at: At, depth: int = 0) -> TypedExpr:
    """A field inside of a document, or of all documents of a list."""
    if not path:
        return value
    if value.type.item is not None and value.type.item.kind in ("doc", "list"):
        variable = f"p{depth}"
        inner = inside(TypedExpr(element(variable), value.type.item), path, at, depth + 1)
        return each_item(value, variable, inner)
    name = match(path[0], [slot.name for slot in value.type.slots])
    slot = value.type.slot(name) if name is not None else None
    if slot is None:
        known = [slot.name for slot in value.type.slots]
        raise PipelineError("field", at, name=short(".".join(path)), near=near(path[0], known))
    return inside(member(value, slot), path[1:], at, depth)


# What these work out is in the unit of what they are given.
_KEEPS = frozenset({
    "$add", "$subtract", "$multiply", "$divide", "$abs", "$ceil", "$floor", "$round", "$trunc", "$sum", "$avg", "$min",
    "$max", "$cond", "$ifNull",
})  # fmt: skip


class Compiler:
    """Compiles one pipeline. `now` is `$$NOW` on the sheets' clock; `operators` says how each is compiled.

    `wide` computes whole numbers as doubles; `patterns` gathers the regular expressions, which only DuckDB itself can judge.
    """

    def __init__(self, now: datetime, operators: Mapping[str, Operator], *, wide: bool = False) -> None:
        self.now = now
        self._operators = operators
        self.wide = wide
        self.patterns: list[tuple[str, At]] = []
        self._made = 0

    def fresh(self, prefix: str) -> str:
        """A name that no other part of the statement has."""
        self._made += 1
        return f"{prefix}{self._made}"

    def expr(self, node: model.Expr, scope: Scope) -> TypedExpr:
        """The SQL of an expression; PipelineError for an unknown field or an operand of the wrong type."""
        if isinstance(node, model.Literal):
            return constant(node.value, node.at)
        if isinstance(node, model.FieldPath):
            return scope.resolve(node.path, node.at)
        if isinstance(node, model.Variable):
            return self._variable(node, scope)
        if isinstance(node, model.Document):
            return document([(name, self.expr(each, scope)) for name, each in node.fields.items()], node.at)
        if isinstance(node, model.Array):
            made = array([self.expr(each, scope) for each in node.items], node.at)
        else:
            made = self._operators[node.name](self, node, scope)
            made = replace(made, unit=self._unit(node, scope))
        return _bounded(made, node.at)

    def _unit(self, node: model.Expr, scope: Scope) -> str:
        """What a figure is in: the one unit of its parts, that of an amount times or over a number, "%" for a hundred times a ratio."""
        if isinstance(node, model.FieldPath):
            return scope.resolve(node.path, node.at).unit
        if not isinstance(node, model.Call) or node.name not in _KEEPS:
            return ""
        others = (each for name, each in node.named.items() if name != "if")
        given = (*node.args[node.name == "$cond" :], *others)
        parts = [each for each in given if not isinstance(each, model.Literal)]
        units = [self._unit(each, scope) for each in parts]
        if node.name == "$divide" and len(units) == 2:
            return "" if units[1] else units[0]
        named = set(filter(None, units))
        if node.name != "$multiply":
            return named.pop() if len(named) == 1 else ""
        hundred = any(isinstance(each, model.Literal) and each.value == 100 for each in given)
        if hundred and units == [""] and isinstance(parts[0], model.Call) and parts[0].name == "$divide":
            return "%"
        return "" if len(units) - units.count("") != 1 or "%" in named else named.pop()

    def _variable(self, node: model.Variable, scope: Scope) -> TypedExpr:
        if node.name in scope.variables:
            return inside(scope.variables[node.name], node.path, node.at)
        if node.name == "NOW":
            return TypedExpr(literal(self.now), DATE, value=self.now, filled=True)
        return inside(scope.root(node.at), node.path, node.at)

    def args(self, node: model.Call, scope: Scope) -> list[TypedExpr]:
        """The positional arguments."""
        return [self.expr(each, scope) for each in node.args]

    def named(self, node: model.Call, name: str, scope: Scope) -> TypedExpr | None:
        """A named argument, None when it is not given."""
        return self.expr(node.named[name], scope) if name in node.named else None

    def number(self, value: TypedExpr, at: At, name: str) -> exp.Expr:
        """An operand that must be a number."""
        return self.of_family(value, "number", at, name)

    def text(self, value: TypedExpr, at: At, name: str) -> exp.Expr:
        """An operand that must be text."""
        return self.of_family(value, "text", at, name)

    def of_family(self, value: TypedExpr, family: str, at: At, name: str) -> exp.Expr:
        """An operand of one family; null stays null, another type is refused, in mixed values when it is met."""
        if value.type.family == family:
            wide = self.wide and value.type.kind == "int"
            return cast(value.sql, "DOUBLE") if wide else value.sql
        if value.type.kind == "null":
            kinds = {"number": Type("int"), "date": DATE, "bool": Type("bool")}
            return null_of(kinds.get(family, Type("text")))
        if value.type.kind == "mixed":
            tag = TAGS[family]
            wrong = exp.Paren(this=exp.NEQ(this=tag_of(value.sql), expression=literal(tag)))
            bad, inner = (wrong, fail("mixed_operand", at)), tagged(value.sql, tag)
            return case((is_null(value.sql), exp.Null()), bad, default=inner)
        raise PipelineError("kind", at, name=name, expected=Word(family), found=Word(value.type.family))

    def same(self, values: Sequence[TypedExpr], at: At) -> tuple[Type, list[exp.Expr]]:
        """Values brought to one type."""
        kind = unify([value.type for value in values], at)
        return kind, [coerce(value, kind, at) for value in values]


def _bounded(value: TypedExpr, at: At) -> TypedExpr:
    too_large = value.weight > MAX_WEIGHT
    if too_large or sum(1 for _ in zip(range(MAX_NODES + 1), value.tree.walk(), strict=False)) > MAX_NODES:
        raise PipelineError("complicated", at)
    return value
