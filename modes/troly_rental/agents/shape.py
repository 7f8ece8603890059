"""What a query is of besides its conditions: records, figures, groups, order; two questions may differ in that alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly_rental.ask import Reading, Role, sql_of
from troly_rental.ask.columns import field_of
from troly_rental.ask.relations import entities

if TYPE_CHECKING:
    from sqlglot import exp

    from troly.sandbox import CheckedQuery

Shape = tuple[str, frozenset[tuple[str, str]], frozenset[tuple[str, str]]]


def of_other_records(reading: Reading, checked: CheckedQuery) -> bool:
    """Whether the query reads other records than the ones asked for: rooms for room-seeking posts."""
    tables = {one.table for one in entities().values()}
    wanted = entities()[reading.entity].table
    main = _main(checked.tree)
    return wanted not in checked.tables or (main in tables and main != wanted)


def differs(reading: Reading, checked: CheckedQuery, role: Role) -> bool:
    """Whether a stored query answers something else than `reading`: other records, figures, groups, order or rows."""
    try:
        own = sql_of(reading, role)
    except (KeyError, ValueError):
        return True
    if shape_of(checked.tree) != shape_of(own) or reading.skip:
        return True
    if reading.order and _order(checked.tree) != _order(own):
        return True
    return reading.limit is not None and _limit(checked.tree) != reading.limit


def shape_of(tree: exp.Expr) -> Shape:
    """The main table, the figures (kind and field) and the groups (field and period) of the outermost SELECT."""
    from sqlglot import exp

    select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    if select is None:
        return "", frozenset(), frozenset()
    figures = {
        (type(one).__name__, _field(one))
        for chosen in select.expressions
        for one in chosen.find_all(exp.AggFunc)
        if one.find_ancestor(exp.Select) is select and not isinstance(one, exp.Count)
    }
    if not figures and any(one.find(exp.Count) for one in select.expressions):
        figures = {("Count", "")}
    group = select.args.get("group")
    groups = {(_field(one), _unit(one)) for one in (group.expressions if group else ())}
    return _main(select), frozenset(figures), frozenset(groups)


def _main(tree: exp.Expr) -> str:
    from sqlglot import exp

    select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    source = (select.args.get("from_") or select.args.get("from")) if select is not None else None
    return source.this.name if source is not None and isinstance(source.this, exp.Table) else ""


def _field(node: exp.Expr) -> str:
    from sqlglot import exp

    return ",".join(field_of(one) or one.name for one in node.find_all(exp.Column))


def _unit(node: exp.Expr) -> str:
    from sqlglot import exp

    found = node.find(exp.TimestampTrunc)
    return str(found.args.get("unit")).lower() if found is not None else ""


def _order(tree: exp.Expr) -> tuple[str, bool] | None:
    order = tree.args.get("order")
    if order is None or not order.expressions:
        return None
    first = order.expressions[0]
    return type(first.this).__name__ + _field(first.this), bool(first.args.get("desc"))


def _limit(tree: exp.Expr) -> int | None:
    limit = tree.args.get("limit")
    return int(limit.expression.name) if limit is not None and limit.expression.name.isdigit() else None
