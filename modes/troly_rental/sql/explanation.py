"""Explains a query in words, line by line, for people who do not read SQL."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from sqlglot import exp

from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly_rental.answer.values import amenity_label
from troly_rental.data.schema import tables
from troly_rental.sql.columns import column_caption, conjuncts, outer_select, sources
from troly_rental.strings import say

_MOST = 12


def explain_query(tree: exp.Expr, lang: Lang) -> tuple[str, ...]:
    """Lines that say what `tree` takes, from where, under which conditions, grouped, sorted and cut how."""
    select = outer_select(tree)
    if select is None:
        return (tree.sql(dialect="duckdb"),)
    lines = [_chosen(select, lang), _from(select, lang)]
    where = select.args.get("where")
    if where is not None:
        lines += [_say("where", lang, what=explain_condition(part, lang)) for part in conjuncts(where.this)]
    qualify = select.args.get("qualify")
    if qualify is not None:
        lines.append(_say("where", lang, what=qualify.this.sql(dialect="duckdb")))
    group = select.args.get("group")
    if group is not None and group.expressions:
        lines.append(_say("group", lang, what=_listed(group.expressions, lang)))
    order = select.args.get("order")
    if order is not None:
        lines.append(_say("order", lang, what=", ".join(_ordered(one, lang) for one in order.expressions)))
    lines += _cut(select, lang)
    return tuple(lines)


def _say(key: str, lang: Lang, **params: str) -> str:
    return say(f"explain.{key}", lang, **params)


def _chosen(select: exp.Select, lang: Lang) -> str:
    figures = [one for one in select.expressions if one.find(exp.AggFunc)]
    if figures and not isinstance(figures[0].unalias(), exp.Subquery):
        return _say("figures", lang, what=_listed(figures, lang))
    columns = [one for one in select.expressions if one.find(exp.Column)]
    shown = _listed(columns[:_MOST], lang) if columns else select.expressions[0].sql(dialect="duckdb")
    return _say("take", lang, what=shown)


def _from(select: exp.Select, lang: Lang) -> str:
    told = [_table(name, lang) for name in dict.fromkeys(sources(select))]
    if not told:
        return _say("from", lang, what="...")
    if len(told) == 1:
        return _say("from", lang, what=told[0])
    return _say("joined", lang, what=told[0], others=", ".join(told[1:]))


def _table(name: str, lang: Lang) -> str:
    known = tables().get(name)
    return known.caption(lang).partition("(")[0].strip().lower() if known else name


def explain_condition(node: exp.Expr, lang: Lang) -> str:
    """One condition in words; what has no words of its own is shown as SQL."""
    node = node.unnest()
    phrasings: dict[type[exp.Expr], Callable[[exp.Expr, Lang], str]] = {
        exp.Not: lambda one, lang: _negated(one.this.unnest(), lang),
        exp.Or: _either,
        exp.Between: _between,
        exp.In: _one_of,
        exp.Exists: lambda one, lang: _say("has", lang, what=_inside(one, lang)),
    }
    return phrasings.get(type(node), _compared)(node, lang)


def _either(node: exp.Expr, lang: Lang) -> str:
    sides = [explain_condition(node.this, lang), explain_condition(node.args["expression"], lang)]
    return _say("either", lang, one=sides[0], other=sides[1])


def _between(node: exp.Expr, lang: Lang) -> str:
    low, high = _value(node.args["low"], lang), _value(node.args["high"], lang)
    return _say("between", lang, name=_name(node.this, lang), low=low, high=high)


def _one_of(node: exp.Expr, lang: Lang) -> str:
    if not node.expressions:
        return _say("one_of", lang, name=_name(node.this, lang), value=_inside(node, lang))
    return _say("one_of", lang, name=_name(node.this, lang), value=_values(node, lang))


def _compared(node: exp.Expr, lang: Lang) -> str:
    kinds: dict[type[exp.Expr], str] = {
        exp.EQ: "is", exp.NEQ: "is_not", exp.LT: "below", exp.LTE: "at_most", exp.GT: "above", exp.GTE: "at_least",
        exp.Like: "like", exp.ILike: "like",
    }  # fmt: skip
    key = kinds.get(type(node))
    if key is None or not isinstance(node, exp.Binary):
        return node.sql(dialect="duckdb")
    value = _value(node.right, lang)
    return _say(key, lang, name=_name(node.left, lang), value=value.strip("%") if key == "like" else value)


def _negated(node: exp.Expr, lang: Lang) -> str:
    if isinstance(node, exp.In) and node.expressions:
        return _say("none_of", lang, name=_name(node.this, lang), value=_values(node, lang))
    if isinstance(node, exp.Is):
        return _say("filled", lang, name=_name(node.this, lang))
    if isinstance(node, exp.Exists):
        return _say("has_not", lang, what=_inside(node, lang))
    return _say("not", lang, what=explain_condition(node, lang))


def _inside(node: exp.Expr, lang: Lang) -> str:
    """The values that a subquery looks for."""
    found = [_value(one, lang) for one in node.find_all(exp.Literal) if one.is_string]
    return ", ".join(found) or node.this.sql(dialect="duckdb")


def _values(node: exp.Expr, lang: Lang) -> str:
    return ", ".join(_value(one, lang) for one in node.expressions)


def _name(node: exp.Expr, lang: Lang) -> str:
    column = node if isinstance(node, exp.Column) else node.find(exp.Column)
    return column_caption(column, lang) if column is not None else node.sql(dialect="duckdb")


def _value(node: exp.Expr, lang: Lang) -> str:
    literal = node if isinstance(node, exp.Literal) else node.find(exp.Literal)
    if literal is None:
        return node.sql(dialect="duckdb")
    if not literal.is_string:
        number = node is literal and not _is_id(node)
        return format_number(Decimal(str(literal.this)), lang) if number else node.sql(dialect="duckdb")
    return _label(str(literal.this), lang)


def _is_id(node: exp.Expr) -> bool:
    """Whether a number is set beside an id, which is no quantity."""
    column = node.parent.find(exp.Column) if node.parent is not None else None
    return column is not None and (column.name == "id" or column.name.endswith("_id"))


def _label(value: str, lang: Lang) -> str:
    """A stored value as people call it."""
    for table in tables().values():
        for column in table.columns.values():
            if value in column.values:
                return column.values[value].caption(lang)
    return amenity_label(value, lang) if value.isascii() and value.islower() else value


def _listed(nodes: list[exp.Expr], lang: Lang) -> str:
    return ", ".join(dict.fromkeys(_figure(node, lang) for node in nodes))


def _figure(node: exp.Expr, lang: Lang) -> str:
    kinds: dict[type[exp.Expr], str] = {
        exp.Avg: "avg", exp.Median: "median", exp.Min: "min", exp.Max: "max", exp.Sum: "sum",
        exp.TimestampTrunc: "by_time",
    }  # fmt: skip
    if node.find(exp.Count):
        return _say("count", lang)
    for kind, key in kinds.items():
        if node.find(kind):
            return _say(key, lang, name=_name(node, lang))
    return _name(node, lang)


def _ordered(node: exp.Expr, lang: Lang) -> str:
    return _say("down" if node.args.get("desc") else "up", lang, name=_figure(node.this, lang))


def _cut(select: exp.Select, lang: Lang) -> list[str]:
    """How many rows are passed over and how many are taken."""
    lines = []
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if offset is not None:
        lines.append(_say("skip", lang, rows=_value(offset.expression, lang)))
    if limit is not None and limit.args.get("expression") is not None:
        lines.append(_say("limit", lang, rows=_value(limit.expression, lang)))
    return lines
