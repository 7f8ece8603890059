"""Compiles the stages of a pipeline, each from the rows of the one before to rows of its own, and the conditions of `$match`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Column, Compiler, Scope, inside
from troly_analysis.pipeline.errors import At, PipelineError, near, short
from troly_analysis.pipeline.operators import truth
from troly_analysis.pipeline.reader import moment_of
from troly_analysis.pipeline.typed_expr import (
    BOOL,
    DATE,
    DOUBLE,
    INT,
    NULL,
    TAGS,
    TEXT,
    Type,
    TypedExpr,
    case,
    coerce,
    constant,
    document,
    each_item,
    element,
    inside_filter,
    is_null,
    list_of,
    member,
    tag_of,
    tagged,
    unique_keys,
)
from troly_analysis.query.fields import match
from troly_analysis.query.sql import both, call, cast, column, either, literal, named, ordered, table
from troly_analysis.types import Sheet

_ORDER: dict[str, type[exp.Binary]] = {
    "$eq": exp.EQ, "$gt": exp.GT, "$gte": exp.GTE, "$lt": exp.LT, "$lte": exp.LTE,
}  # fmt: skip
_TYPE_NAMES = {
    "null": ("null",), "text": ("string",), "bool": ("bool",), "date": ("date",), "list": ("array",), "doc": ("object",),
    "int": ("int", "long", "number"), "double": ("double", "decimal", "number"),
}  # fmt: skip
_MIXED_NAMES = {"n": ("double", "decimal", "number"), "s": ("string",), "b": ("bool",), "d": ("date",)}


def condition(c: Compiler, node: model.Query, scope: Scope, item: TypedExpr | None = None) -> exp.Expr:
    """The condition as SQL, where null counts as not fulfilled; with `item` on the fields of that document of a list."""
    if isinstance(node, model.ExpressionQuery):
        return truth(c.expr(node.expr, scope))
    if isinstance(node, model.FieldQuery):
        if item is None:
            return _all_of(c, node.tests, scope.resolve(node.path, node.at), scope)
        if item.type.kind != "doc":
            return exp.false()
        return _all_of(c, node.tests, inside(item, node.path, node.at), scope)
    parts = [condition(c, each, scope, item) for each in node.items]
    if node.kind == "$and":
        return both(parts)
    return either(parts) if node.kind == "$or" else _unless(either(parts))


def _all_of(c: Compiler, tests: tuple[model.Test, ...], value: TypedExpr, scope: Scope) -> exp.Expr:
    return both([_test(c, each, value, scope) for each in tests])


def _unless(condition: exp.Expr) -> exp.Expr:
    return exp.Not(this=call("coalesce", condition, exp.false()))


def _test(c: Compiler, test: model.Test, value: TypedExpr, scope: Scope) -> exp.Expr:
    if test.operator == "$not":
        return _unless(_all_of(c, test.tests, value, scope))
    opposite = {"$ne": "$eq", "$nin": "$in"}.get(test.operator)
    if opposite:
        return _unless(_test(c, model.Test(test.at, opposite, test.value), value, scope))
    if test.operator == "$all":
        each = [_test(c, model.Test(test.at, "$eq", wanted), value, scope) for wanted in test.value]
        return both(each) if each else exp.false()
    if value.type.kind == "list" and test.operator != "$exists":
        return _of_list(c, test, value, scope)
    return _of_value(c, test, value)


def _of_list(c: Compiler, test: model.Test, value: TypedExpr, scope: Scope) -> exp.Expr:
    if test.operator == "$size":
        return exp.EQ(this=call("len", value.sql), expression=literal(int(test.value)))
    if test.operator == "$type" and "array" in test.value:
        return exp.Not(this=is_null(value.sql))
    sought = {"$eq": [test.value], "$in": test.value}.get(test.operator, [])
    wholes = [_same(value, each, test.at) for each in sought if isinstance(each, list)]
    wholes += [is_null(value.sql) for each in sought if each is None]
    variable = c.fresh("e")
    item = TypedExpr(element(variable), value.type.item) if value.type.item else value
    if test.operator == "$elemMatch":
        query = test.query
        found = condition(c, query, scope, item) if query else _all_of(c, test.tests, item, scope)
        return inside_filter(value, variable, found)
    return either([*wholes, inside_filter(value, variable, _test(c, test, item, scope))])


def _of_value(c: Compiler, test: model.Test, value: TypedExpr) -> exp.Expr:
    if test.operator == "$regex":
        c.patterns.append((test.value, test.at))
    special = _SPECIAL.get(test.operator)
    return special(test, value) if special else _against(test.operator, value, test.value, test.at)


def _exists(test: model.Test, value: TypedExpr) -> exp.Expr:
    return exp.Not(this=is_null(value.sql)) if test.value else is_null(value.sql)


def _regex(test: model.Test, value: TypedExpr) -> exp.Expr:
    text = _as_family(value, "text")
    return call("regexp_matches", text, literal(test.value)) if text is not None else exp.false()


def _mod(test: model.Test, value: TypedExpr) -> exp.Expr:
    number = _as_family(value, "number")
    if number is None:
        return exp.false()
    divisor, rest = (literal(int(each)) for each in test.value)
    whole = cast(call("trunc", number), "BIGINT")
    return exp.EQ(this=exp.Paren(this=exp.Mod(this=whole, expression=divisor)), expression=rest)


def _is_type(test: model.Test, value: TypedExpr) -> exp.Expr:
    blank = is_null(value.sql) if "null" in test.value else exp.false()
    if value.type.kind == "mixed":
        tags = [literal(tag) for tag, names in _MIXED_NAMES.items() if set(names) & set(test.value)]
        return either([blank, exp.In(this=tag_of(value.sql), expressions=tags)]) if tags else blank
    known = bool(set(_TYPE_NAMES[value.type.kind]) & set(test.value))
    return either([blank, exp.Not(this=is_null(value.sql))]) if known else blank


def _family(value: Any) -> str:
    kinds = ((bool, "bool"), (int | float, "number"), (str, "text"), (list, "list"), (dict, "doc"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "date")


def _as_family(value: TypedExpr, family: str) -> exp.Expr | None:
    """The value where it is of the family; None where it never is."""
    if value.type.kind == "mixed" and family in TAGS:
        return tagged(value.sql, TAGS[family])
    return value.sql if value.type.family == family else None


def _prepared(value: TypedExpr, wanted: Any, at: At) -> Any:
    """A text compared with a date is read as a date."""
    return moment_of(wanted, at) if value.type.kind == "date" and isinstance(wanted, str) else wanted


def _against(operator: str, value: TypedExpr, wanted: Any, at: At) -> exp.Expr:
    if wanted is None:
        return is_null(value.sql) if operator in ("$eq", "$gte", "$lte") else exp.false()
    wanted = _prepared(value, wanted, at)
    family = _family(wanted)
    if family in ("list", "doc"):
        return _same(value, wanted, at) if operator == "$eq" else exp.false()
    tree = _as_family(value, family)
    if tree is None:
        return exp.false()
    return _ORDER[operator](this=tree, expression=literal(wanted))


def _same(value: TypedExpr, wanted: Any, at: At) -> exp.Expr:
    """Equality with a whole list or document."""
    other = constant(wanted, at)
    if value.type.kind != other.type.kind:
        return exp.false()
    if [slot.name for slot in value.type.slots] != [slot.name for slot in other.type.slots]:
        return exp.false()
    mine, theirs = value.type.item, other.type.item
    alike = mine is None or theirs is None or theirs.kind == "null" or mine.family == theirs.family
    slots = zip(value.type.slots, other.type.slots, strict=True)
    if not alike or any(left.type.family != right.type.family != "null" for left, right in slots):
        return exp.false()
    return exp.EQ(this=value.sql, expression=coerce(other, value.type, at))


def _in(test: model.Test, value: TypedExpr) -> exp.Expr:
    found: list[exp.Expr] = []
    listed: dict[str, list[exp.Expr]] = {}
    for each in test.value:
        wanted = _prepared(value, each, test.at)
        if wanted is None or isinstance(wanted, list | dict):
            found.append(_against("$eq", value, wanted, test.at))
        else:
            listed.setdefault(_family(wanted), []).append(literal(wanted))
    for family, trees in listed.items():
        tree = _as_family(value, family)
        if tree is not None:
            found.append(exp.In(this=tree, expressions=trees))
    return either(found)


_SPECIAL: Mapping[str, Callable[[model.Test, TypedExpr], exp.Expr]] = {
    "$in": _in,
    "$regex": _regex,
    "$mod": _mod,
    "$type": _is_type,
    "$exists": _exists,
    "$size": lambda *_: exp.false(),
    "$elemMatch": lambda *_: exp.false(),
}


# The rows between two stages: a statement, the fields it gives, and the order they are in.


ROW = "troly row"
_KINDS: Mapping[str, Type] = {
    "integer": INT, "number": DOUBLE, "money": DOUBLE, "percent": DOUBLE, "date": replace(DATE, day=True),
    "datetime": DATE, "text": TEXT, "boolean": BOOL, "list": list_of(TEXT),
}  # fmt: skip
Order = tuple[tuple[str, bool], ...]


def _called(select: exp.Select, alias: str) -> exp.Subquery:
    return exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows as `select` gives them. `order` names columns of it, greatest first or not, that fields may share."""

    select: exp.Select
    fields: Mapping[str, Column]
    order: Order

    def opened(self, c: Compiler, variables: Mapping[str, TypedExpr]) -> tuple[exp.Subquery, Scope]:
        """The rows as a source of the next stage, and what its expressions may name."""
        alias = c.fresh("t")
        return _called(self.select, alias), Scope(alias, self.fields, variables)

    def sorted(self, alias: str = "") -> list[exp.Expr]:
        """The order as keys: blanks first going up, last going down, as in MongoDB."""
        keys = ((column(name, alias), down) for name, down in self.order)
        return [ordered(key, descending=down, nulls_first=not down) for key, down in keys]

    def arranged(self, select: exp.Select, alias: str) -> exp.Select:
        """`select` in the order of the rows; they come in the order of the file by themselves."""
        natural = self.order in ((), ((ROW, False),))
        return select if natural else select.order_by(*self.sorted(alias), copy=False)

    def everything(self, source: exp.Expr, alias: str, *more: exp.Expr) -> exp.Select:
        """All columns from `source`, also those that only carry the order, and `more`."""
        every = exp.Column(this=exp.Star(), table=exp.to_identifier(alias, quoted=True))
        return exp.select(every, *more).from_(source, copy=False)


def of_sheet(sheet: Sheet, *, numbered: bool = True) -> Relation:
    """A sheet's rows in the order of its file, which `numbered` keeps for later stages."""
    rows = named(exp.Window(this=call("row_number")), ROW)
    own = sheet.fields
    fields = {each.name: Column(each.name, _KINDS[each.kind], unit=each.shown_unit) for each in own}
    select = exp.select(exp.Star(), *([rows] if numbered else [])).from_(table(sheet.table))
    return Relation(select, fields, ((ROW, False),) if numbered else ())


def relation_of(
    source: exp.Expr,
    alias: str,
    values: Sequence[tuple[str, TypedExpr]],
    order: Order,
    extra: Sequence[exp.Expr] = (),
) -> Relation:
    """Rows of these values, carrying along the columns of `order` that are not among `extra`."""
    keys = unique_keys([name for name, _ in values])
    shown = [named(value.sql, key) for key, (_, value) in zip(keys, values, strict=True)]
    made = {each.alias for each in extra}
    carried = [named(column(name, alias), name) for name, _ in order if name not in made]
    keyed = [(name, key, value) for key, (name, value) in zip(keys, values, strict=True)]
    fields = {name: Column(key, each.type, each.weight, each.unit) for name, key, each in keyed}
    return Relation(exp.select(*shown, *carried, *extra).from_(source, copy=False), fields, order)


# Compiles `$group`: keys, and figures that pass over what is no number; groups come in the order of their keys.


# A figure from its column, the value that the column holds, and the keys of the rows' order.
Figure = Callable[[TypedExpr, TypedExpr, list[exp.Expr]], TypedExpr]
IN_ORDER = ("$first", "$last", "$push")
_SAME_UNIT = ("$sum", "$avg", "$min", "$max", "$first", "$last", "$median", "$stdDevPop", "$stdDevSamp")


def group(c: Compiler, stage: model.Group, rows: Relation, variables: Mapping[str, TypedExpr]) -> Relation:
    """One row a group; with a constant `_id` one row, or none where there were none."""
    source, scope = rows.opened(c, variables)
    whole = c.expr(stage.id, scope)
    parts = _parts(c, stage.id, whole, scope)
    arguments = [c.expr(each.args[0], scope) if each.args else None for each in stage.fields]
    keys = [c.fresh("troly g") for _ in parts]
    inputs = [c.fresh("troly a") for _ in arguments]
    columns = [named(part.sql, key) for part, key in zip(parts, keys, strict=True)]
    given = zip(arguments, inputs, strict=True)
    columns += [named(each.sql, name) for each, name in given if each is not None]
    carried = [named(column(name, scope.table), name) for name, _ in rows.order]
    prepared = Relation(exp.select(*columns, *carried).from_(source, copy=False), {}, rows.order)
    opened, inner = prepared.opened(c, variables)
    taken = ((column(name, inner.table), prepared.sorted(inner.table)) for name in inputs)
    figures = zip(stage.fields, arguments, taken, strict=True)
    values = [(each.name, _figure(each, argument, *own)) for each, argument, own in figures]
    if whole.constant:
        made = relation_of(opened, inner.table, [("_id", whole), *values], ())
        some = exp.GT(this=call("count", exp.Star()), expression=literal(0))
        return replace(made, select=made.select.having(some, copy=False))
    key_columns = [column(key, inner.table) for key in keys]
    shown = [named(each, key) for each, key in zip(key_columns, keys, strict=True)]
    made = relation_of(opened, inner.table, values, (), shown)
    grouped = made.select.group_by(*(each.copy() for each in key_columns), copy=False)
    return _with_id(c, stage, replace(made, select=grouped), whole, list(zip(keys, parts, strict=True)))


def _parts(c: Compiler, node: model.Expr, whole: TypedExpr, scope: Scope) -> list[TypedExpr]:
    """The columns to group by: the fields of a compound `_id` apart, which is faster than a document."""
    if isinstance(node, model.Document):
        return [c.expr(each, scope) for each in node.fields.values()]
    return [whole]


def _with_id(
    c: Compiler, stage: model.Group, rows: Relation, whole: TypedExpr, keys: list[tuple[str, TypedExpr]]
) -> Relation:
    source, scope = rows.opened(c, {})
    parts = [replace(part, tree=column(key, scope.table)) for key, part in keys]
    if isinstance(stage.id, model.Document):
        made = document(list(zip(stage.id.fields, parts, strict=True)), stage.at)
    else:
        made = replace(whole, tree=column(keys[0][0], scope.table))
    values = [("_id", made), *((name, scope.value(name)) for name in rows.fields)]
    return relation_of(source, scope.table, values, tuple((key, False) for key, _ in keys))


def _figure(
    each: model.Accumulator, value: TypedExpr | None, tree: exp.Expr, keys: list[exp.Expr]
) -> TypedExpr:
    if value is None:
        return TypedExpr(call("count", exp.Star()), INT, filled=True)
    given = replace(value, tree=tree)
    made = _FIGURES[each.operator](given, value, keys)
    return replace(made, unit=value.unit) if each.operator in _SAME_UNIT else made


def _numbers(given: TypedExpr) -> exp.Expr | None:
    """What is a number of it; None when it never is."""
    if given.type.kind == "mixed":
        return tagged(given.sql, "n")
    return given.sql if given.type.family == "number" else None


def _sum(given: TypedExpr, value: TypedExpr, _: list[exp.Expr]) -> TypedExpr:
    if value.value == 1 and value.type is INT:
        return TypedExpr(call("count", exp.Star()), INT, filled=True)
    numbers = _numbers(given)
    if numbers is None:
        return TypedExpr(literal(0), INT, filled=True)
    kind = INT if given.type.kind == "int" else DOUBLE
    return TypedExpr(call("coalesce", call("sum", numbers), literal(0)), kind, filled=True)


def _statistic(name: str, *more: float) -> Figure:
    def build(given: TypedExpr, _: TypedExpr, __: list[exp.Expr]) -> TypedExpr:
        numbers = _numbers(given)
        if numbers is None:
            return TypedExpr(exp.Null(), NULL)
        return TypedExpr(call(name, numbers, *(literal(each) for each in more)), DOUBLE)

    return build


def _extreme(name: str) -> Figure:
    def build(given: TypedExpr, _: TypedExpr, __: list[exp.Expr]) -> TypedExpr:
        return TypedExpr(call(name, given.sql), given.type, given.weight)

    return build


def _in_order(name: str, *, gathers: bool) -> Figure:
    def build(given: TypedExpr, _: TypedExpr, keys: list[exp.Expr]) -> TypedExpr:
        inner: exp.Expr = given.sql
        if keys:
            inner = exp.Order(this=inner, expressions=keys)
        return TypedExpr(call(name, inner), list_of(given.type) if gathers else given.type, given.weight)

    return build


def _set(given: TypedExpr, _: TypedExpr, __: list[exp.Expr]) -> TypedExpr:
    """Each value once, in order."""
    distinct = call("list", exp.Distinct(expressions=[given.sql]))
    made = call("list_sort", distinct, literal("ASC"), literal("NULLS FIRST"))
    return TypedExpr(made, list_of(given.type), given.weight)


_FIGURES: Mapping[str, Figure] = {
    "$sum": _sum,
    "$avg": _statistic("avg"),
    "$stdDevPop": _statistic("stddev_pop"),
    "$stdDevSamp": _statistic("stddev_samp"),
    "$median": _statistic("quantile_disc", 0.5),
    "$min": _extreme("min"),
    "$max": _extreme("max"),
    "$first": _in_order("first", gathers=False),
    "$last": _in_order("last", gathers=False),
    "$push": _in_order("list", gathers=True),
    "$addToSet": _set,
}


# Compiles `$project`: fields kept in their order, then those that are set, in the order they are written.


Pairs = list[tuple[str, TypedExpr]]


def project(
    c: Compiler, stage: model.Project, rows: Relation, variables: Mapping[str, TypedExpr]
) -> Relation:
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
    return relation_of(source, scope.table, values, rows.order)


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
        _sets(each) if isinstance(each, dict) else isinstance(each, model.Node) for each in tree.values()
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
        new = ((name, each) for name, each in tree.items() if name not in there)
        return [*first, *((name, self._set(each, at.key(name))) for name, each in new)]

    def _set(self, wanted: Any, at: At) -> TypedExpr:
        if isinstance(wanted, dict):
            return document([(name, self._set(each, at.key(name))) for name, each in wanted.items()], at)
        if wanted is True:
            raise PipelineError("field", at, name=short(at.path), near="-")
        return self._c.expr(wanted, self._scope)

    def _inside(self, value: TypedExpr, tree: Mapping[str, Any], at: At, depth: int = 0) -> TypedExpr:
        if value.type.item is not None:
            variable = f"k{depth}"
            item = self._inside(TypedExpr(element(variable), value.type.item), tree, at, depth + 1)
            return each_item(value, variable, item)
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


def _without(value: TypedExpr, tree: Mapping[str, Any], at: At, depth: int = 0) -> TypedExpr:
    if value.type.item is not None:
        variable = f"k{depth}"
        item = _without(TypedExpr(element(variable), value.type.item), tree, at, depth + 1)
        return each_item(value, variable, item)
    slots = [(slot.name, member(value, slot)) for slot in value.type.slots]
    left = _dropped(slots, _known(tree, [name for name, _ in slots], at), at)
    if not left:
        raise PipelineError("nothing_left", at)
    return document(left, at)


Variables = Mapping[str, TypedExpr]
_MIN_OF_LIST = {False: "list_min", True: "list_max"}


def compile_stages(
    c: Compiler, stages: Sequence[model.Stage], rows: Relation, variables: Variables
) -> Relation:
    """The rows after all stages."""
    for stage in stages:
        rows = _BUILDERS[type(stage)](c, stage, rows, variables)
    return rows


def needs_order(stages: Sequence[model.Stage]) -> bool:
    """Whether the order of the rows shows in what the stages give."""
    for stage in stages:
        if isinstance(stage, model.Group):
            return any(each.operator in IN_ORDER for each in stage.fields)
        if isinstance(stage, model.Limit | model.Count):
            return isinstance(stage, model.Limit)
    return True


def _match(c: Compiler, stage: model.Match, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    every = rows.everything(source, scope.table)
    return replace(rows, select=every.where(condition(c, stage.query, scope), copy=False))


def _sort(c: Compiler, stage: model.Sort, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    keys, order = [], []
    for path, descending in stage.keys:
        value = scope.resolve(path, stage.at.key(".".join(path)))
        tree = call(_MIN_OF_LIST[descending], value.sql) if value.type.kind == "list" else value.sql
        name = c.fresh("troly k")
        keys.append(named(tree, name))
        order.append((name, descending))
    select = rows.everything(source, scope.table, *keys)
    return replace(rows, select=select, order=(*order, *rows.order))


def _limit(c: Compiler, stage: model.Limit, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    select = rows.arranged(rows.everything(source, scope.table), scope.table)
    return replace(rows, select=select.limit(stage.count, copy=False))


def _count(c: Compiler, stage: model.Count, rows: Relation, variables: Variables) -> Relation:
    """No rows give no row, as in MongoDB."""
    source, _ = rows.opened(c, variables)
    counted = call("count", exp.Star())
    some = exp.GT(this=counted.copy(), expression=literal(0))
    select = exp.select(named(counted, stage.name)).from_(source, copy=False).having(some, copy=False)
    return Relation(select, {stage.name: Column(stage.name, INT)}, ())


def _unwind(c: Compiler, stage: model.Unwind, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    value = scope.resolve(stage.path, stage.at)
    whole = value.type.kind == "list"
    item = (value.type.item or NULL) if whole else value.type
    listed: exp.Expr = value.sql
    empty: exp.Expr = exp.false()
    if whole:
        empty = exp.EQ(this=call("len", value.sql), expression=literal(0))
    else:
        listed = exp.Array(expressions=[value.sql])
    blank = exp.Or(this=is_null(value.sql), expression=empty)
    one_null = cast(exp.Array(expressions=[exp.Null()]), list_of(item).sql())
    none = one_null if stage.preserve else cast(exp.Array(expressions=[]), list_of(item).sql())
    name, number = c.fresh("troly u"), c.fresh("troly n")
    opened = case((blank, none), default=listed)
    numbers = named(call("generate_subscripts", opened.copy(), literal(1)), number)
    inner = rows.everything(source, scope.table, named(call("unnest", opened), name), numbers)
    spread = Relation(inner, rows.fields, (*rows.order, (number, False)))
    return _rebuilt(c, stage, spread, (name, number, replace(value, type=item)), whole)


def _rebuilt(
    c: Compiler, stage: model.Unwind, rows: Relation, made: tuple[str, str, TypedExpr], whole: bool
) -> Relation:
    """The fields again, with the item in the list's place and its number where it is asked for."""
    name, number, item = made
    source, scope = rows.opened(c, {})
    new = replace(item, tree=column(name, scope.table))
    values = [(each, _with(scope.value(each), each, stage, new)) for each in rows.fields]
    if stage.index:
        place = exp.Sub(this=column(number, scope.table), expression=literal(1))
        before = scope.resolve(stage.path, stage.at)
        filled = is_null(before.sql)
        if whole:
            empty = exp.EQ(this=call("len", before.sql), expression=literal(0))
            filled = exp.Or(this=filled, expression=empty)
        tree = case((filled, exp.Null()), default=place) if whole else cast(exp.Null(), "BIGINT")
        values = [each for each in values if each[0] != stage.index]
        values.append((stage.index, TypedExpr(tree, INT)))
    return relation_of(source, scope.table, values, rows.order)


def _with(value: TypedExpr, name: str, stage: model.Unwind, new: TypedExpr) -> TypedExpr:
    """A field, or where the path leads to or through it the field with the item put in."""
    joined = ".".join(stage.path)
    if match(joined, [name]):
        return new
    if len(stage.path) > 1 and match(stage.path[0], [name]):
        return _put(value, stage.path[1:], new, stage.at)
    return value


def _put(value: TypedExpr, path: Sequence[str], new: TypedExpr, at: At) -> TypedExpr:
    if value.type.kind != "doc":
        raise PipelineError("unwind_deep", at)
    fields = []
    for slot in value.type.slots:
        inner = member(value, slot)
        if slot.name == path[0]:
            inner = new if len(path) == 1 else _put(inner, path[1:], new, at)
        fields.append((slot.name, inner))
    return document(fields, at)


def _lookup(c: Compiler, stage: model.Lookup, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    inner_variables = {**variables, **{name: c.expr(each, scope) for name, each in stage.variables.items()}}
    theirs = of_sheet(stage.sheet)
    if stage.local is not None and stage.foreign is not None:
        if stage.stages is None:
            return _joined(c, stage, rows, source, scope)
        theirs = _only_equal(c, stage, theirs, scope.resolve(stage.local, stage.at.key("localField")))
    found = compile_stages(c, stage.stages or (), theirs, inner_variables)
    opened, inner = found.opened(c, inner_variables)
    gathered = _gathered(found, inner, stage.at)
    listed = exp.Subquery(this=exp.select(gathered.sql).from_(opened))
    value = _or_empty(replace(gathered, tree=listed))
    return relation_of(source, scope.table, _replacing(rows, scope, stage.into, value), rows.order)


def _gathered(rows: Relation, scope: Scope, at: At) -> TypedExpr:
    """All rows as one list of documents, in their order."""
    whole = scope.root(at)
    inner: exp.Expr = whole.sql
    if rows.order:
        inner = exp.Order(this=inner, expressions=rows.sorted(scope.table))
    return TypedExpr(call("list", inner), list_of(whole.type), whole.weight)


def _or_empty(value: TypedExpr) -> TypedExpr:
    empty = cast(exp.Array(expressions=[]), value.type.sql())
    return TypedExpr(call("coalesce", value.sql, empty), value.type, value.weight, filled=True)


def _replacing(rows: Relation, scope: Scope, name: str, value: TypedExpr) -> list[tuple[str, TypedExpr]]:
    kept = [(each, scope.value(each)) for each in rows.fields if each != name]
    return [*kept, (name, value)]


def _only_equal(c: Compiler, stage: model.Lookup, theirs: Relation, local: TypedExpr) -> Relation:
    source, scope = theirs.opened(c, {})
    foreign = scope.resolve(stage.foreign or (), stage.at.key("foreignField"))
    every = theirs.everything(source, scope.table)
    return replace(theirs, select=every.where(_equal(c, local, foreign, stage.at), copy=False))


def _equal(c: Compiler, local: TypedExpr, foreign: TypedExpr, at: At) -> exp.Expr:
    """Equality as `$lookup` has it: blanks equal each other, a list is equal to any of its items."""
    for one, other in ((local, foreign), (foreign, local)):
        if one.type.kind == "list" and one.type.item is not None:
            variable = c.fresh("j")
            item = TypedExpr(element(variable), one.type.item)
            blank = both([is_null(one.sql), is_null(other.sql)])
            return either([blank, inside_filter(one, variable, _equal(c, item, other, at))])
    if local.type.family != foreign.type.family and "null" not in (local.type.kind, foreign.type.kind):
        return both([is_null(local.sql), is_null(foreign.sql)])
    if local.type.kind == "doc":
        return exp.NullSafeEQ(this=local.sql, expression=coerce(foreign, local.type, at))
    return exp.NullSafeEQ(this=local.sql, expression=foreign.sql)


def _joined(c: Compiler, stage: model.Lookup, rows: Relation, source: exp.Expr, scope: Scope) -> Relation:
    """Equal fields alone: their rows are gathered once for each value and joined."""
    theirs, inner = of_sheet(stage.sheet).opened(c, {})
    local = scope.resolve(stage.local or (), stage.at.key("localField"))
    foreign = inner.resolve(stage.foreign or (), stage.at.key("foreignField"))
    if "list" in (local.type.kind, foreign.type.kind) or local.type.family != foreign.type.family:
        whole = replace(stage, stages=())
        return _lookup(c, whole, replace(rows, select=source.this), scope.variables)
    gathered = _gathered(of_sheet(stage.sheet), inner, stage.at)
    alias, key, listed = c.fresh("t"), c.fresh("troly j"), c.fresh("troly l")
    grouped = exp.select(named(foreign.sql, key), named(gathered.sql, listed)).from_(theirs)
    grouped = grouped.group_by(exp.Literal.number("1"))
    side = _called(grouped, alias)
    value = _or_empty(replace(gathered, tree=column(listed, alias)))
    made = relation_of(source, scope.table, _replacing(rows, scope, stage.into, value), rows.order)
    on = exp.NullSafeEQ(this=local.sql, expression=column(key, alias))
    return replace(made, select=made.select.join(side, on=on, join_type="left"))


_BUILDERS: Mapping[type, Callable[..., Relation]] = {
    model.Match: _match,
    model.Group: group,
    model.Sort: _sort,
    model.Limit: _limit,
    model.Project: project,
    model.Lookup: _lookup,
    model.Unwind: _unwind,
    model.Count: _count,
}
