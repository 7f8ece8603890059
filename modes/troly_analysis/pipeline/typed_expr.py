"""The types that a pipeline's values have, and values as SQL of a known type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from troly_analysis.pipeline.errors import At, PipelineError, Word
from troly_analysis.query.sql import call, cast, column, literal

# In the order in which MongoDB sorts values of different types, which is also how DuckDB sorts a UNION by its members.
RANKS: Final = {"null": 0, "number": 1, "text": 2, "doc": 3, "list": 4, "bool": 5, "date": 6}
MIXED_SQL = "UNION(n DOUBLE, s VARCHAR, b BOOLEAN, d TIMESTAMP)"
TAGS: Final = {"number": "n", "text": "s", "bool": "b", "date": "d"}
_SQL = {"int": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN", "mixed": MIXED_SQL}  # all others are VARCHAR
MAX_LEAVES, MAX_WEIGHT = 2_000, 64


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a document: its name, its key in DuckDB's STRUCT, its type, and what its figures are in."""

    name: str
    key: str
    type: Type
    unit: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Type:
    """A type: null, int, double, text, bool, date (`day` without a time), list, doc, or mixed scalars."""

    kind: str
    item: Type | None = None
    slots: tuple[Slot, ...] = ()
    day: bool = False

    @property
    def family(self) -> str:
        """The kind with int and double as number."""
        return "number" if self.kind in ("int", "double") else self.kind

    def sql(self) -> str:
        """The type in DuckDB."""
        if self.kind == "date":
            return "DATE" if self.day else "TIMESTAMP"
        if self.item is not None:
            return f"{self.item.sql()}[]"
        if self.kind == "doc":
            names = (exp.to_identifier(slot.key, quoted=True).sql("duckdb") for slot in self.slots)
            inner = ", ".join(f"{name} {s.type.sql()}" for name, s in zip(names, self.slots, strict=True))
            return f"STRUCT({inner})"
        return _SQL.get(self.kind, "VARCHAR")

    def leaves(self) -> int:
        """How many plain values one value of the type is made of."""
        if self.item is not None:
            return self.item.leaves()
        return sum(slot.type.leaves() for slot in self.slots) if self.slots else 1

    def slot(self, name: str) -> Slot | None:
        """The document's field `name`."""
        return next((slot for slot in self.slots if slot.name == name), None)


NULL, INT, DOUBLE, TEXT, BOOL, DATE, MIXED = (
    Type(kind) for kind in ("null", "int", "double", "text", "bool", "date", "mixed")
)


def list_of(item: Type) -> Type:
    """The type of lists of `item`."""
    return Type("list", item)


class _Nothing:
    pass


NOTHING: Final = _Nothing()


@dataclass(frozen=True, slots=True)
class TypedExpr:
    """SQL of a known type. `value` is its constant, NOTHING for what is worked out; `filled` says it is never null.

    `weight` is how many source values it is put together of, which bounds how large a cell can grow.
    """

    tree: exp.Expr
    type: Type
    weight: int = 1
    value: Any = NOTHING
    filled: bool = False
    unit: str = ""

    @property
    def sql(self) -> exp.Expr:
        """A fresh copy of the tree: a tree's node has one parent."""
        return self.tree.copy()

    @property
    def constant(self) -> bool:
        """Whether it is a constant of the pipeline."""
        return self.value is not NOTHING


def null_of(kind: Type) -> exp.Expr:
    """NULL of a type."""
    return cast(exp.Null(), kind.sql())


def is_null(value: exp.Expr) -> exp.Expr:
    """`value IS NULL`, in parentheses."""
    return exp.Paren(this=exp.Is(this=value, expression=exp.Null()))


def case(*branches: tuple[exp.Expr, exp.Expr], default: exp.Expr) -> exp.Expr:
    """`CASE WHEN … THEN … ELSE default END`."""
    ifs = [exp.If(this=when, true=then) for when, then in branches]
    return exp.Case(ifs=ifs, default=default)


def fail(key: str, at: At) -> exp.Expr:
    """An expression that stops the statement with a sentence of the pipeline's when it is reached."""
    return call("error", literal(f"troly|{key}|{at.stage}|{at.path}"))


def unique_keys(names: Sequence[str]) -> list[str]:
    """Names as DuckDB takes them side by side: without regard to case it has no two alike."""
    taken: set[str] = set()
    found = []
    for name in names:
        key, number = name, 2
        while key.casefold() in taken or key.casefold().startswith("troly "):
            key, number = f"{name} {number}" if number > 2 or key == name else f"_{name}", number + 1
            if key.casefold().startswith("troly "):
                key = f"_{key}"
        taken.add(key.casefold())
        found.append(key)
    return found


def document(fields: Sequence[tuple[str, TypedExpr]], at: At) -> TypedExpr:
    """A document of these fields; PipelineError when it would be too large."""
    keys = unique_keys([name for name, _ in fields])
    keyed = zip(fields, keys, strict=True)
    slots = tuple(Slot(name, key, value.type, value.unit) for (name, value), key in keyed)
    named = ((exp.to_identifier(key, quoted=True), each) for key, (_, each) in zip(keys, fields, strict=True))
    pairs = [exp.PropertyEQ(this=key, expression=each.sql) for key, each in named]
    kind = Type("doc", slots=slots)
    if kind.leaves() > MAX_LEAVES:
        raise PipelineError("complicated", at)
    weight = max((value.weight for _, value in fields), default=1)
    return TypedExpr(exp.Struct(expressions=pairs), kind, weight, filled=True)


def member(value: TypedExpr, slot: Slot) -> TypedExpr:
    """A document's field."""
    tree = call("struct_extract", value.sql, literal(slot.key))
    return TypedExpr(tree, slot.type, value.weight, unit=slot.unit)


def tag_of(value: exp.Expr) -> exp.Expr:
    """Which of its types (`TAGS`) a mixed value has."""
    return cast(call("union_tag", value), "VARCHAR")


def tagged(value: exp.Expr, tag: str) -> exp.Expr:
    """A mixed value as one of its types; null where it has another."""
    return call("union_extract", value, literal(tag))


def each_item(value: TypedExpr, variable: str, made: TypedExpr) -> TypedExpr:
    """A list with `made` in the place of each item, which `variable` names in it."""
    body = call("list_transform", value.sql, lambda_of(variable, made.sql))
    return TypedExpr(body, list_of(made.type), value.weight)


def lambda_of(variable: str, body: exp.Expr) -> exp.Expr:
    """`lambda variable: body`."""
    return exp.Lambda(this=body, expressions=[exp.to_identifier(variable)])


def element(variable: str) -> exp.Expr:
    """The variable of a lambda."""
    return exp.column(exp.to_identifier(variable))


def unify(types: Sequence[Type], at: At) -> Type:
    """The type that holds values of all of `types`; PipelineError where there is none."""
    known = [each for each in dict.fromkeys(types) if each.kind != "null"]
    if len(known) < 2:
        return known[0] if known else NULL
    families = {each.family for each in known}
    if families in ({"number"}, {"date"}):
        return DATE if families == {"date"} else DOUBLE
    if families == {"list"}:
        return list_of(unify([each.item or NULL for each in known], at))
    if families == {"doc"}:
        return _one_document(known, at)
    if families & {"list", "doc"}:
        raise PipelineError("mixture", at, found=Word("list" if "list" in families else "doc"))
    return MIXED


def _one_document(types: Sequence[Type], at: At) -> Type:
    found: dict[str, list[Type]] = {}
    for each in types:
        for slot in each.slots:
            found.setdefault(slot.name, []).append(slot.type)
    keys = unique_keys(list(found))
    pairs = zip(found.items(), keys, strict=True)
    return Type("doc", slots=tuple(Slot(name, key, unify(kinds, at)) for (name, kinds), key in pairs))


def coerce(value: TypedExpr, kind: Type, at: At, depth: int = 0) -> exp.Expr:
    """`value` as SQL of `kind`, which `unify` found."""
    have = value.type
    if have == kind or (have.family == kind.family == "number"):
        return cast(value.sql, "DOUBLE") if (have.kind, kind.kind) == ("int", "double") else value.sql
    if have.kind == "null":
        return null_of(kind)
    if have.item is not None and kind.item is not None:
        variable = f"u{depth}"
        body = coerce(TypedExpr(element(variable), have.item), kind.item, at, depth + 1)
        return call("list_transform", value.sql, lambda_of(variable, body))
    if kind.kind not in ("mixed", "doc"):
        return cast(value.sql, kind.sql())
    made = _as_mixed(value) if kind.kind == "mixed" else _as_document(value, kind, at, depth)
    return made if value.filled else case((is_null(value.sql), null_of(kind)), default=made)


def _as_mixed(value: TypedExpr) -> exp.Expr:
    plain = {"number": "DOUBLE", "date": "TIMESTAMP"}.get(value.type.family, value.type.sql())
    return cast(cast(value.sql, plain), MIXED_SQL)


def _as_document(value: TypedExpr, kind: Type, at: At, depth: int) -> exp.Expr:
    pairs = []
    for slot in kind.slots:
        mine = value.type.slot(slot.name)
        inner = coerce(member(value, mine), slot.type, at, depth) if mine else null_of(slot.type)
        pairs.append(exp.PropertyEQ(this=exp.to_identifier(slot.key, quoted=True), expression=inner))
    return exp.Struct(expressions=pairs)


def constant(value: Any, at: At) -> TypedExpr:
    """A constant of the pipeline, lists and documents too."""
    if isinstance(value, list):
        items = [constant(each, at.item(index)) for index, each in enumerate(value)]
        return _constant_list(value, items, at)
    if isinstance(value, dict):
        if not value:
            raise PipelineError("empty_document", at)
        made = document([(name, constant(each, at.key(name))) for name, each in value.items()], at)
        return TypedExpr(made.tree, made.type, made.weight, value, filled=True)
    kinds = ((bool, BOOL), (int, INT), (float, DOUBLE), (str, TEXT))
    other = NULL if value is None else DATE
    kind = next((kind for python, kind in kinds if isinstance(value, python)), other)
    if kind is NULL:
        return TypedExpr(exp.Null(), NULL, 0, None)
    weight = 1 + (len(value) // 64 if isinstance(value, str) else 0)
    return TypedExpr(literal(value), kind, weight, value, filled=True)


def _constant_list(value: list[Any], items: Sequence[TypedExpr], at: At) -> TypedExpr:
    made = array(items, at)
    return TypedExpr(made.tree, made.type, made.weight, value, filled=True)


def array(items: Sequence[TypedExpr], at: At) -> TypedExpr:
    """A list of these values, which get one type."""
    item = unify([each.type for each in items], at)
    built = exp.Array(expressions=[coerce(each, item, at) for each in items])
    weight = sum(each.weight for each in items)
    return TypedExpr(cast(built, list_of(item).sql()), list_of(item), weight, filled=True)


def column_of(name: str, table: str, kind: Type, weight: int) -> TypedExpr:
    """A column."""
    return TypedExpr(column(name, table), kind, weight)


def inside_filter(value: TypedExpr, variable: str, condition: exp.Expr) -> exp.Expr:
    """Whether any item of a list fulfils a condition on `variable`."""
    holds = lambda_of(variable, call("coalesce", condition, exp.false()))
    kept = call("len", call("list_filter", value.sql, holds))
    return exp.GT(this=kept, expression=literal(0))
