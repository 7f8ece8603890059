"""Compares a query with the question: the same conditions, records, figures, groups and order (002-26, 002-27)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from troly.text.catalogue import Lang
from troly_rental.question.types import Filter, ParsedQuestion
from troly_rental.roles import Role
from troly_rental.sql.builder import build_query
from troly_rental.sql.columns import field_of, main_table, outer_select
from troly_rental.sql.conditions import read_filters
from troly_rental.sql.relations import entities
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.sandbox import CheckedQuery

QueryShape = tuple[str, frozenset[tuple[str, str]], frozenset[tuple[str, str]]]
# Conditions that nobody may add to a question.
_PRECISE = frozenset({"city", "district", "ward", "type", "price", "area"})


def mismatch(parsed: ParsedQuestion, checked: CheckedQuery, lang: Lang) -> str:
    """Why a query does not answer the question, told from its parse tree; "" where nothing contradicts it.

    A condition that was asked for must stand in the query with the same value (002-26), and statistics are no list
    (002-27). A query with conditions that nobody asked for is no answer either.
    """
    if reads_other_records(parsed, checked):
        return say("invalid.records", lang, records=say(f"thing.{parsed.entity}", lang))
    asked, queried = set(parsed.filters), set(read_filters(checked.tree))
    missing = [one for one in asked if not _stands(one, queried)]
    if missing:
        return say("invalid.missing", lang, filters=_listed(missing))
    added = [one for one in queried if one.field in _PRECISE and not _stands(one, asked)]
    if added:
        return say("invalid.added", lang, filters=_listed(added))
    if bool(parsed.measures) != _is_figures(checked) and (parsed.measures or parsed.mode == "LIST"):
        return say("invalid.figures" if parsed.measures else "invalid.list", lang)
    return ""


def _stands(one: Filter, among: set[Filter]) -> bool:
    return one in among or any(_same(one, other) for other in among if other.field == one.field)


def _same(one: Filter, other: Filter) -> bool:
    """Whether two conditions say the same in other words: one name of a list, a bound with or without its end."""
    if one.field != other.field:
        return False
    strict = {"<": "<=", ">": ">=", "in": "=", "not_in": "!="}
    if strict.get(one.op, one.op) != strict.get(other.op, other.op):
        return False
    return _values(one.value) == _values(other.value)


def _values(value: object) -> frozenset[str]:
    many = value if isinstance(value, tuple) else (value,)
    return frozenset(f"{float(one):g}" if isinstance(one, (int, float)) else str(one) for one in many)


def _listed(filters: list[Filter]) -> str:
    return "; ".join(f"{one.field} {one.op} {one.value}" for one in sorted(filters, key=str))


def _is_figures(checked: CheckedQuery) -> bool:
    """Whether the outermost SELECT gives figures over groups rather than things."""
    select = outer_select(checked.tree)
    if select is None:
        return False
    if select.args.get("group"):
        return True
    figures = (found for one in select.expressions for found in one.find_all(exp.AggFunc))
    return any(found.find_ancestor(exp.Select) is select for found in figures)


def reads_other_records(parsed: ParsedQuestion, checked: CheckedQuery) -> bool:
    """Whether the query reads other records than the ones asked for: rooms for room-seeking posts."""
    tables = {one.table for one in entities().values()}
    wanted = entities()[parsed.entity].table
    select = outer_select(checked.tree)
    main = main_table(select) if select is not None else ""
    return wanted not in checked.tables or (main in tables and main != wanted)


def answers_differently(parsed: ParsedQuestion, checked: CheckedQuery, role: Role) -> bool:
    """Whether a stored query answers something else than `parsed`: other records, figures, groups, order or rows."""
    try:
        own = build_query(parsed, role)
    except (KeyError, ValueError):
        return True
    if query_shape(checked.tree) != query_shape(own) or parsed.skip:
        return True
    if parsed.order and _order(checked.tree) != _order(own):
        return True
    return parsed.limit is not None and _limit(checked.tree) != parsed.limit


def query_shape(tree: exp.Expr) -> QueryShape:
    """The main table, the figures (kind and field) and the groups (field and period) of the outermost SELECT."""
    select = outer_select(tree)
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
    return main_table(select), frozenset(figures), frozenset(groups)


def _field(node: exp.Expr) -> str:
    return ",".join(field_of(one) or one.name for one in node.find_all(exp.Column))


def _unit(node: exp.Expr) -> str:
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
