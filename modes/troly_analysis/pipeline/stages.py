"""Compiles the stages of a pipeline, each from the rows of the one before to rows of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from troly_analysis.pipeline import model
from troly_analysis.pipeline.compiler import Column, Compiler, Scope
from troly_analysis.pipeline.groups import IN_ORDER, group
from troly_analysis.pipeline.kinds import INT, NULL, Typed, case, coerced, document, is_null, list_of, member
from troly_analysis.pipeline.problems import At, PipelineError
from troly_analysis.pipeline.projects import project
from troly_analysis.pipeline.queries import condition
from troly_analysis.pipeline.relation import Relation, built, of_sheet
from troly_analysis.service_sql import both, call, cast, column, either, literal, named

Variables = Mapping[str, Typed]
_MIN_OF_LIST = {False: "list_min", True: "list_max"}


def compiled(c: Compiler, stages: Sequence[model.Stage], rows: Relation, variables: Variables) -> Relation:
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
    select = (
        exp.select(rows.everything(scope.table))
        .from_(source, copy=False)
        .where(condition(c, stage.query, scope), copy=False)
    )
    return replace(rows, select=select)


def _sort(c: Compiler, stage: model.Sort, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    keys, order = [], []
    for path, descending in stage.keys:
        value = scope.resolve(path, stage.at.key(".".join(path)))
        tree = call(_MIN_OF_LIST[descending], value.sql) if value.type.kind == "list" else value.sql
        name = c.fresh("troly k")
        keys.append(named(tree, name))
        order.append((name, descending))
    select = exp.select(rows.everything(scope.table), *keys).from_(source, copy=False)
    return replace(rows, select=select, order=(*order, *rows.order))


def _limit(c: Compiler, stage: model.Limit, rows: Relation, variables: Variables) -> Relation:
    source, scope = rows.opened(c, variables)
    select = rows.arranged(exp.select(rows.everything(scope.table)).from_(source, copy=False), scope.table)
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
    numbers = [named(call("generate_subscripts", opened.copy(), literal(1)), number)]
    inner = exp.select(rows.everything(scope.table), named(call("unnest", opened), name), *numbers).from_(
        source
    )
    spread = Relation(inner, rows.fields, (*rows.order, (number, False)))
    return _rebuilt(c, stage, spread, (name, number, replace(value, type=item)), whole)


def _rebuilt(
    c: Compiler,
    stage: model.Unwind,
    rows: Relation,
    made: tuple[str, str, Typed],
    whole: bool,
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
            filled = exp.Or(
                this=filled, expression=exp.EQ(this=call("len", before.sql), expression=literal(0))
            )
        tree = case((filled, exp.Null()), default=place) if whole else cast(exp.Null(), "BIGINT")
        values = [each for each in values if each[0] != stage.index]
        values.append((stage.index, Typed(tree, INT)))
    return built(source, scope.table, values, rows.order)


def _with(value: Typed, name: str, stage: model.Unwind, new: Typed) -> Typed:
    """A field, or where the path leads to or through it the field with the item put in."""
    from troly_analysis.service_fields import match

    joined = ".".join(stage.path)
    if match(joined, [name]):
        return new
    if len(stage.path) > 1 and match(stage.path[0], [name]):
        return _put(value, stage.path[1:], new, stage.at)
    return value


def _put(value: Typed, path: Sequence[str], new: Typed, at: At) -> Typed:
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
    found = compiled(c, stage.stages or (), theirs, inner_variables)
    opened, inner = found.opened(c, inner_variables)
    gathered = _gathered(found, inner, stage.at)
    listed = exp.Subquery(this=exp.select(gathered.sql).from_(opened))
    value = _or_empty(replace(gathered, tree=listed))
    return built(source, scope.table, _replacing(rows, scope, stage.into, value), rows.order)


def _gathered(rows: Relation, scope: Scope, at: At) -> Typed:
    """All rows as one list of documents, in their order."""
    whole = scope.root(at)
    inner: exp.Expr = whole.sql
    if rows.order:
        inner = exp.Order(this=inner, expressions=rows.sorted(scope.table))
    return Typed(call("list", inner), list_of(whole.type), whole.weight)


def _or_empty(value: Typed) -> Typed:
    empty = cast(exp.Array(expressions=[]), value.type.sql())
    return Typed(call("coalesce", value.sql, empty), value.type, value.weight, filled=True)


def _replacing(rows: Relation, scope: Scope, name: str, value: Typed) -> list[tuple[str, Typed]]:
    kept = [(each, scope.value(each)) for each in rows.fields if each != name]
    return [*kept, (name, value)]


def _only_equal(c: Compiler, stage: model.Lookup, theirs: Relation, local: Typed) -> Relation:
    source, scope = theirs.opened(c, {})
    foreign = scope.resolve(stage.foreign or (), stage.at.key("foreignField"))
    select = (
        exp.select(theirs.everything(scope.table))
        .from_(source, copy=False)
        .where(_equal(c, local, foreign, stage.at))
    )
    return replace(theirs, select=select)


def _equal(c: Compiler, local: Typed, foreign: Typed, at: At) -> exp.Expr:
    """Equality as `$lookup` has it: blanks equal each other, a list is equal to any of its items."""
    from troly_analysis.pipeline.kinds import element, inside_filter

    for one, other in ((local, foreign), (foreign, local)):
        if one.type.kind == "list" and one.type.item is not None:
            variable = c.fresh("j")
            item = Typed(element(variable), one.type.item)
            blank = both([is_null(one.sql), is_null(other.sql)])
            return either([blank, inside_filter(one, variable, _equal(c, item, other, at))])
    if local.type.family != foreign.type.family and "null" not in (local.type.kind, foreign.type.kind):
        return both([is_null(local.sql), is_null(foreign.sql)])
    if local.type.kind == "doc":
        return exp.NullSafeEQ(this=local.sql, expression=coerced(foreign, local.type, at))
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
    side = exp.Subquery(this=grouped, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    value = _or_empty(replace(gathered, tree=column(listed, alias)))
    made = built(source, scope.table, _replacing(rows, scope, stage.into, value), rows.order)
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
