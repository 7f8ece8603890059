"""Turns an understood question into calls of the five tools: the simple ones wherever they can do it (001-25), else pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from troly.text.dates import whole
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.types import Condition, DataQuery, Group, Measure, Period, Ref, figure_bounded
from troly_analysis.types import TEMPORAL, Sheet, ToolCall

# Writes conditions, columns and figures the way Mongo-style pipelines take them.


Stage = dict[str, Any]
_OPS = {"ne": "$ne", "gt": "$gt", "gte": "$gte", "lt": "$lt", "lte": "$lte", "in": "$in", "nin": "$nin"}


class Writer:
    """Writes the stages for one question over `sheet`; `joins` gives for a joined sheet the columns here and there."""

    def __init__(self, ask: DataQuery, sheet: Sheet, joins: Mapping[str, tuple[str, str]]) -> None:
        self.ask = ask
        self.sheet = sheet
        self.joins = joins
        self._from: dict[str, str] = {}

    def path(self, ref: Ref) -> str:
        """Where a column stands in a row, as `$match` names it."""
        return f"{self._as(ref.sheet)}.{ref.name}" if ref.sheet else ref.name

    def value(self, ref: Ref) -> Any:
        """A column in an expression, or what is worked out from two."""
        if not ref.parts:
            return f"${self.path(ref)}"
        parts = [self.value(part) for part in ref.parts]
        if ref.sign == "*":
            return {"$multiply": parts}
        if ref.sign == "±":
            into, out = ({"$in": [parts[1], list(side)]} for side in ref.sides)
            taken = {"$cond": [out, {"$multiply": [parts[0], -1]}, 0]}
            return {"$cond": [into, parts[0], taken]}
        return {"$subtract": [{"$ifNull": [part, 0]} for part in parts]}

    def rows(self, period: Period | None = None) -> list[Stage]:
        """The stages that choose the rows: conditions, joins, conditions on what was joined."""
        conditions, used = self.ask.conditions, self.ask.refs
        used += tuple(part for ref in used for one in ref.parts for part in (one, *one.parts))
        # What speaks of a joined sheet can only hold after the join.
        here = self._match([c for c in conditions if not c.ref.sheet], period)
        stages: list[Stage] = [{"$match": here}] if here else []
        for name in dict.fromkeys(ref.sheet for ref in used if ref.sheet):
            mine, theirs = self.joins[name]
            alias = self._as(name)
            joined = {"from": name, "localField": mine, "foreignField": theirs, "as": alias}
            stages += [{"$lookup": joined}, {"$unwind": f"${alias}"}]
        there = self._match([c for c in conditions if c.ref.sheet], None)
        return [*stages, {"$match": there}] if there else stages

    def _as(self, sheet: str) -> str:
        return self._from.setdefault(sheet, f"joined{len(self._from) + 1 if self._from else ''}")

    def _match(self, conditions: Sequence[Condition], period: Period | None) -> Stage:
        parts = [part for condition in conditions for part in self.conditions(condition)]
        if period and self.ask.date_ref:
            days = {"$gte": on_day(period.start), "$lt": after_day(period)}
            parts.append({self.path(self.ask.date_ref): days})
        for measure in self.ask.measures[:1]:
            parts += [part for name, wanted in measure.where.items() for part in _where(name, wanted)]
        return parts[0] if len(parts) == 1 else {"$and": parts} if parts else {}

    def conditions(self, condition: Condition) -> list[Stage]:
        """One condition as `$match` takes it."""
        if condition.unit or condition.ref.parts:
            return [{"$expr": self.test(condition)}]
        return [{self.path(condition.ref): compare_with(condition.op, condition.value)}]

    def test(self, condition: Condition) -> Any:
        """One condition as an expression that is true or false."""
        return _test(condition, self.key(Group(condition.ref, condition.unit)))

    def key(self, group: Group) -> Any:
        """What a group is grouped by."""
        value = self.value(group.ref)
        if group.unit == "month":
            return {"$dateToString": {"format": "%Y-%m", "date": value}}
        if group.unit == "year":
            return {"$year": value}
        if group.unit == "hour":
            text = group.ref.kind == "text"
            return {"$toInt": {"$arrayElemAt": [{"$split": [value, ":"]}, 0]}} if text else {"$hour": value}
        if group.unit == "weekday":
            return {"$isoDayOfWeek": value}
        if group.unit in {"day", "week", "quarter"}:
            trunc: Stage = {"date": value, "unit": group.unit}
            if group.unit == "week":
                trunc["startOfWeek"] = "monday"
            return {"$dateTrunc": trunc}
        return value

    def figure(self, measure: Measure) -> Any:
        """What a measure adds up in `$group`; different values are gathered (`size` counts them)."""
        if measure.distinct and measure.ref:
            return {"$addToSet": self.value(measure.ref)}
        if measure.op == "count" or measure.ref is None:
            return {"$sum": 1}
        value = self.value(measure.ref)
        return {"$push": value} if measure.median else {f"${measure.op}": value}


def compare_with(op: str, value: Any) -> Any:
    """What a field is held against in `$match`: a value, or an operator with one."""
    if op == "between":
        return {"$gte": value[0], "$lte": value[1]}
    return value if op == "eq" else {_OPS[op]: value}


def on_day(day: Any) -> Any:
    """A day as a pipeline writes it."""
    return {"$date": day.isoformat()}


def after_day(period: Period) -> Any:
    """The day after a period."""
    return on_day(period.end + timedelta(days=1))


def _where(name: str, wanted: Any) -> list[Stage]:
    if isinstance(wanted, Mapping):
        return [{name: {f"${op.lstrip('$')}": value}} for op, value in wanted.items()]
    return [{name: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else wanted}]


def _test(condition: Condition, value: Any) -> Any:
    wanted, op = condition.value, condition.op
    if op in {"in", "nin"}:
        inside = {"$in": [value, list(wanted)]}
        return inside if op == "in" else {"$not": [inside]}
    if op == "between":
        return {"$and": [{"$gte": [value, wanted[0]]}, {"$lte": [value, wanted[1]]}]}
    found = {"$eq" if op == "eq" else _OPS[op]: [value, wanted]}
    if op in {"lt", "lte"}:  # an empty cell is less than any number
        return {"$and": [{"$ne": [value, None]}, found]}
    return found


MOST = 1000


def unreachable(ask: DataQuery) -> tuple[str, ...]:
    """The columns of `ask` that no pipeline can name: those that begin with "$", and joined ones with a dot."""
    hidden = (ref.name for ref in ask.refs if ref.name.startswith("$") or (ref.sheet and "." in ref.name))
    return tuple(dict.fromkeys(hidden))


def counted(name: str) -> Any:
    """How many values that are not empty the list of this name holds."""
    return {"$size": {"$filter": {"input": f"${name}", "as": "one", "cond": {"$ne": ["$$one", None]}}}}


def ids(writer: Writer, groups: Sequence[Group]) -> Any:
    """The `_id` of `$group`."""
    if not groups:
        return None
    if len(groups) == 1:
        return writer.key(groups[0])
    return {f"g{nth}": writer.key(group) for nth, group in enumerate(groups)}


def shown_keys(groups: Sequence[Group], at: str = "$_id") -> Stage:
    """The groups' names in `$project`, where `at` holds what was grouped by."""
    found: Stage = {"_id": 0}
    for nth, group in enumerate(groups):
        found[safe(label(group))] = at if len(groups) == 1 else f"{at}.g{nth}"
    return found


def label(group: Group) -> str:
    """The name of a group's column, as the simple tools give it."""
    return f"{group.ref.name}:{group.unit}" if group.unit else group.ref.name


def measure_label(measure: Measure) -> str:
    """The name of a figure's column, as the simple tools give it."""
    if measure.metric:
        return measure.metric
    if measure.ref is None:
        return "count"
    if measure.distinct:
        return f"count({measure.ref.name})"
    if measure.median:
        return f"median({measure.ref.name})"
    if measure.over:
        return f"{measure.ref.name} / {measure.over.name}"
    return f"{measure.op}({measure.ref.name})"


def safe(name: str) -> str:
    """A name that a pipeline can give a column."""
    return name.replace(".", " ").lstrip("$") or "value"


def grouped(writer: Writer, ask: DataQuery) -> list[Stage]:
    """Groups with one or more figures; conditions on the figures, order and length of the list."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures if measure.median and measure.ref):
        stages += [{"$match": {writer.path(ref): {"$ne": None}}}, {"$sort": {writer.path(ref): 1}}]
    gather: Stage = {"_id": ids(writer, ask.groups)}
    for nth, measure in enumerate(ask.measures):
        gather[f"v{nth}"] = writer.figure(measure)
        if measure.over:
            gather[f"w{nth}"] = {"$sum": writer.value(measure.over)}
    bounds: list[Stage] = []
    for nth, condition in enumerate(ask.having):
        shown_at = next((at for at, one in enumerate(ask.measures) if figure_bounded(one, condition)), None)
        name = f"h{nth}" if shown_at is None else f"v{shown_at}"
        if shown_at is None:
            gather[name] = {"$sum": 1 if condition.ref.kind == "rows" else writer.value(condition.ref)}
        bounds.append({"$match": {name: compare_with(condition.op, condition.value)}})
    stages += [{"$group": gather}, *bounds]
    if ask.count_groups:
        return [*stages, {"$count": "count"}]
    shown = shown_keys(ask.groups)
    for nth, measure in enumerate(ask.measures):
        shown[safe(measure_label(measure))] = _shown(measure, nth)
    stages.append({"$project": shown})
    return [*stages, *_order(ask)]


def _shown(measure: Measure, nth: int) -> Any:
    if measure.distinct:
        return counted(f"v{nth}")
    if measure.median:
        return _middle(f"$v{nth}")
    if measure.over:
        return {"$cond": [{"$eq": [f"$w{nth}", 0]}, None, {"$divide": [f"$v{nth}", f"$w{nth}"]}]}
    return f"$v{nth}"


def _middle(values: str) -> Any:
    """The middle of a sorted list, of two the mean: `$median` would take the lower one."""
    size = {"$size": values}
    at = [{"$floor": {"$divide": [each, 2]}} for each in ({"$subtract": [size, 1]}, size)]
    return {"$avg": [{"$arrayElemAt": [values, {"$toInt": each}]} for each in at]}


def _order(ask: DataQuery) -> list[Stage]:
    if not ask.groups:
        return []
    timed = any(group.unit for group in ask.groups) and not ask.order
    return _ranked(ask, safe(measure_label(ask.measures[0])) if ask.measures and not timed else "")


def _ranked(ask: DataQuery, first: str) -> list[Stage]:
    """Groups in the order of the column `first`, in their own for "", as far as the list goes."""
    keys = {safe(label(group)): 1 for group in ask.groups}
    order: Stage = {first: 1 if ask.order == "asc" else -1, **keys} if first else keys
    if ask.within:
        return _within_each(ask, order)
    return [{"$sort": order}, {"$limit": ask.limit or MOST}] if not ask.rank else _place(order, ask.rank)


def _within_each(ask: DataQuery, order: Stage) -> list[Stage]:
    """The first of a ranking in each of its outer groups, which follow one another."""
    outer = [safe(label(group)) for group in ask.within]
    inner = [safe(label(group)) for group in ask.groups if group not in ask.within]
    inner += [safe(measure_label(measure)) for measure in ask.measures]
    each = {"$push": {f"c{nth}": f"${name}" for nth, name in enumerate(inner)}}
    shown: Stage = {"_id": 0} | {name: f"$_id.g{nth}" for nth, name in enumerate(outer)}
    return [
        {"$sort": order},
        {"$group": {"_id": {f"g{nth}": f"${name}" for nth, name in enumerate(outer)}, "all": each}},
        {"$project": {"all": {"$slice": ["$all", ask.limit or 1]}}},
        {"$unwind": "$all"},
        {"$project": shown | {name: f"$all.c{nth}" for nth, name in enumerate(inner)}},
        {"$sort": dict.fromkeys(outer, 1) | order},
        {"$limit": MOST},
    ]


def _place(order: Stage, rank: int) -> list[Stage]:
    """One place of a ranking: the last of the first `rank`."""
    turned = {name: -way for name, way in order.items()}
    return [{"$sort": order}, {"$limit": rank}, {"$sort": turned}, {"$limit": 1}]


def distinct(writer: Writer, ask: DataQuery) -> list[Stage]:
    """How many different values a column has."""
    stages = writer.rows(period=ask.period)
    for ref in (measure.ref for measure in ask.measures[:1] if measure.ref):
        stages.append({"$match": {writer.path(ref): {"$ne": None}}})
        stages.append({"$group": {"_id": writer.value(ref)}})
    return [*stages, {"$count": "count"}]


# Writes the pipelines of two steps: shares of a whole, averages over days or customers, two periods side by side.


def share(writer: Writer, ask: DataQuery) -> list[Stage]:
    """What part of the whole something is, in per cent; with groups and no part, of every group."""
    measure = ask.measures[0]
    stages = writer.rows(period=ask.period)
    name = safe(measure_label(measure))
    if ask.part or len(ask.measures) > 1:
        one = 1 if measure.op == "count" or measure.ref is None else writer.value(measure.ref)
        tests = [writer.test(condition) for condition in ask.part]
        test = tests[0] if len(tests) == 1 else {"$and": tests}
        part = {"$sum": {"$cond": [test, one, 0]}}
        gather = {"_id": ids(writer, ask.groups), "p": part, "t": {"$sum": one}}
        if not ask.part:  # of two figures
            gather |= dict(zip("pt", map(writer.figure, ask.measures), strict=True))
        stages.append({"$group": gather})
        shown = {**shown_keys(ask.groups), "share": _percent("$p", "$t"), "part": "$p", "total": "$t"}
        timed = any(group.unit for group in ask.groups) and not ask.order
        return [*stages, {"$project": shown}, *(_ranked(ask, "" if timed else "share") if ask.groups else [])]
    stages.append({"$group": {"_id": ids(writer, ask.groups), "v": writer.figure(measure)}})
    every = {"$push": {"k": "$_id", "v": "$v"}}
    stages += [{"$group": {"_id": None, "total": {"$sum": "$v"}, "all": every}}, {"$unwind": "$all"}]
    shown = {**shown_keys(ask.groups, "$all.k"), name: "$all.v", "share": _percent("$all.v", "$total")}
    stages.append({"$project": shown})
    return [*stages, *_ranked(ask, "share")]


def _percent(part: str, total: str) -> Stage:
    return {"$cond": [{"$eq": [total, 0]}, None, {"$multiply": [{"$divide": [part, total]}, 100]}]}


def per(writer: Writer, ask: DataQuery) -> list[Stage]:
    """The average over the days, customers … of a figure added up for each, with the total and what it was divided by.

    `ask.per` is what is gone over: of the calendar as many as the period has, of anything else as many as have rows.
    """
    measure, outer = ask.measures[0], ask.groups
    added = Measure("count" if measure.op == "count" else "sum", measure.ref, distinct=measure.distinct)
    stages = writer.rows(period=ask.period)
    stages.append({"$group": {"_id": ids(writer, [*outer, *ask.per]), "v": writer.figure(added)}})
    if added.distinct:
        stages.append({"$project": {"v": counted("v")}})
    name = safe(f"avg({measure.ref.name})" if measure.ref else "avg")
    key: Any = None
    if outer:
        key = "$_id.g0" if len(outer) == 1 else {f"g{nth}": f"$_id.g{nth}" for nth in range(len(outer))}
    stages.append({"$group": {"_id": key, "v": {"$sum": "$v"}, "n": {"$sum": 1}}})
    number, cut = _calendar(writer.sheet, ask)
    by: Any = {"$literal": number} if number else "$n"
    shown = {**shown_keys(outer), name: {"$divide": ["$v", by]}, "total": "$v"}
    shown[f"/ {', '.join(safe(label(each)) for each in ask.per)}"] = by
    shown |= {"filled": "$n", "cut": {"$literal": cut}} if number else {}
    stages.append({"$project": shown})
    return [*stages, *_ranked(ask, name)] if outer else stages


def _calendar(sheet: Sheet, ask: DataQuery) -> tuple[int, int]:
    """How many days, weeks, months … of the calendar the period has as far as the sheet goes, and how many of those are not
    whole; 0 where it is no calendar that is gone over, or only some of its days.
    """
    by = ask.per[0]
    some = any(each.unit or each.ref.kind in TEMPORAL for each in ask.conditions)
    some = some or any(each.unit for each in ask.groups) or len(ask.per) > 1
    own = by.ref.name == sheet.date_field and not by.ref.sheet
    if some or not own or by.unit not in {"day", "week", "month", "quarter", "year"} or not sheet.span:
        return 0, 0
    first, last = sheet.span
    if ask.period and ask.date_ref == by.ref:
        first, last = max(first, ask.period.start), min(last, ask.period.end)
    number, cut, day = 0, 0, first
    while day <= last:
        start, end = whole(day, by.unit)
        number, cut, day = number + 1, cut + (start < first or end > last), end + timedelta(days=1)
    return number, cut


_Side = tuple[Any, Period | None]
"""What holds for the rows of one side of a comparison, and the days that they are of."""


def compared(writer: Writer, ask: DataQuery) -> list[Stage]:
    """One figure in two periods, and the difference, as `compare_periods` gives them."""
    sides = {"period1": ask.versus, "period2": ask.period}
    days = [period for period in sides.values() if period]
    first, last = min(each.start for each in days), max(each.end for each in days)
    date = ask.date_ref
    dated = [(name, period) for name, period in sides.items() if period and date]
    tests: dict[str, _Side] = {name: (_within(writer, ask, period), period) for name, period in dated}
    return _beside(writer, ask, tests, Period(first, last))


def differing(writer: Writer, ask: DataQuery, condition: Condition) -> list[Stage]:
    """One figure for two values of a column, and the difference of the first from the second."""
    values = [(value, Condition(condition.ref, "eq", value)) for value in condition.value]
    tests = {safe(str(value)): (writer.test(one), ask.period) for value, one in values}
    return _beside(writer, ask, tests, ask.period)


def _within(writer: Writer, ask: DataQuery, period: Period) -> Any:
    value = writer.value(ask.date_ref) if ask.date_ref else None
    return {"$and": [{"$gte": [value, on_day(period.start)]}, {"$lt": [value, after_day(period)]}]}


def _beside(writer: Writer, ask: DataQuery, tests: Mapping[str, _Side], period: Period | None) -> list[Stage]:
    gather: Stage = {"_id": ids(writer, ask.groups)}
    sizes = [_side(writer, ask, gather, nth, side) for nth, side in enumerate(tests.values())]
    shown = {**shown_keys(ask.groups), **dict(zip(tests, sizes, strict=True))}
    names = list(tests)
    keys = {name: 1 for name in shown if name != "_id"}
    ends = [f"${names[-1]}", f"${names[0]}"]
    gap = {"$subtract": ends if names[0] == "period1" else ends[::-1]}
    stages = [*writer.rows(period=period), {"$group": gather}, {"$project": shown}]
    order = ask.order or ask.turn
    ranked: list[Stage] = [{"$sort": {"difference": 1 if order == "asc" else -1}}] if order else []
    return [*stages, {"$project": {**keys, "difference": gap}}, *ranked]


def _side(writer: Writer, ask: DataQuery, gather: Stage, nth: int, side: _Side) -> Any:
    """The figure where `test` holds: of a share its per cent, of a mean its quotient; `gather` takes what it is made of."""
    test, period = side
    measure, value = ask.measures[0], f"$v{nth}"
    measure = replace(measure, op="sum") if ask.per and measure.op == "avg" else measure
    gather[f"v{nth}"] = _figure_where(writer, measure, test)
    if ask.part:
        part = {"$and": [test, *map(writer.test, ask.part)]}
        gather[f"p{nth}"] = _figure_where(writer, measure, part)
        return _percent(f"$p{nth}", value)
    size = counted(f"v{nth}") if measure.distinct else value
    if not ask.per:
        return size
    number, _ = _calendar(writer.sheet, replace(ask, period=period))
    gather[f"n{nth}"] = {"$addToSet": {"$cond": [test, ids(writer, ask.per), None]}}
    by = {"$literal": number} if number else counted(f"n{nth}")
    return {"$cond": [{"$eq": [by, 0]}, None, {"$divide": [size, by]}]}


def _figure_where(writer: Writer, measure: Measure, test: Any) -> Any:
    if measure.distinct and measure.ref:
        return {"$addToSet": {"$cond": [test, writer.value(measure.ref), None]}}
    if measure.op == "count" or measure.ref is None:
        return {"$sum": {"$cond": [test, 1, 0]}}
    other = 0 if measure.op == "sum" else None
    return {f"${measure.op}": {"$cond": [test, writer.value(measure.ref), other]}}


def out_of_reach(ask: DataQuery) -> tuple[str, ...]:
    """What keeps `ask` from being answered: columns that a pipeline it needs cannot name, and lists no call makes."""
    if row := _row_and_joined(ask):
        return unreachable(row[1])
    if not _needs_pipeline(ask):
        return ()
    worked = ask.form == "share" or (ask.worked and (ask.form == "compare" or ask.gap))
    if ask.form == "rows" or (worked and any(each.distinct for each in ask.measures)):
        return (ask.entity or ask.measures[0].noun or "…",)
    return unreachable(ask)


def _row_and_joined(ask: DataQuery) -> tuple[DataQuery, DataQuery] | None:
    """One row and what another sheet says of it, each a query of its own; None for others."""
    if ask.form != "rows" or not ask.groups or not all(each.ref.sheet for each in ask.groups):
        return None
    joined = replace(ask, form="groups", measures=(Measure("count"),), limit=0)
    return replace(ask, groups=()), joined


def compose(ask: DataQuery, schema: Schema, text: str) -> tuple[ToolCall, ...]:
    """The calls that answer `ask`; none when it asks for nothing."""
    if ask.form == "schema":
        return (ToolCall("get_data_schema", {"connection_name": ask.sheet}),)
    if not ask.measures and ask.form != "distinct":
        return ()
    if several := _row_and_joined(ask) or _figures_apart(ask):
        return tuple(call for each in several for call in compose(each, schema, text))
    if ask.growth and (ask.turn or ask.order) and ask.period:  # the first is held against the one before it
        ahead = whole(ask.period.start - timedelta(days=1), ask.groups[0].unit)[0]  # type: ignore[arg-type]
        ask = replace(ask, order="", period=replace(ask.period, start=ahead))
    if _needs_pipeline(ask):
        return tuple(_pipelines(ask, schema, text))
    if ask.form in {"rows", "top"}:
        return (_top(ask),)
    each = _compare if ask.form == "compare" else _aggregate
    return tuple(each(ask, measure) for measure in ask.measures or [Measure("count")])


def _figures_apart(ask: DataQuery) -> tuple[DataQuery, ...]:
    """A query for each figure, where the rows of a named metric, or of a state, are not those of the others."""
    apart = bool(ask.per) and len(ask.measures) > 1
    own = any(each.only or each.part for each in ask.measures)
    if apart or own or len({str(each.where) for each in ask.measures}) > 1:
        return tuple(each for one in ask.measures for each in alone(ask, one))
    return ()


def alone(ask: DataQuery, measure: Measure) -> Iterator[DataQuery]:
    """One figure of several by itself, over the rows that are its own; a rate in each of the periods."""
    conditions, bare = (*ask.conditions, *measure.only), replace(measure, only=(), part=())
    one = replace(ask, measures=(bare,), conditions=conditions)
    if not measure.part:
        yield one
        return
    for period in filter(None, (ask.versus, ask.period)) if ask.versus else [ask.period]:
        yield replace(one, form="share", part=measure.part, period=period, versus=None)


def _needs_pipeline(ask: DataQuery) -> bool:
    if _is_joined(ask) or ask.rank or ask.within or ask.having or ask.form in {"share", "per"}:
        return True
    if any(measure.distinct or measure.over or measure.median for measure in ask.measures) or ask.gap:
        return True
    if ask.form == "compare":
        return bool(ask.order or ask.turn or ask.worked)
    if ask.form == "top" and any(m.op not in {"sum", "count"} and not m.metric for m in ask.measures):
        return True
    return len(ask.measures) > 1 and bool(ask.groups) and ask.form != "rows"


def _pipelines(ask: DataQuery, schema: Schema, text: str) -> Iterator[ToolCall]:
    if ask.form == "compare" or ask.gap:
        writer = Writer(ask, schema.sheet, schema.joins)
        for measure in ask.measures:
            one = replace(ask, measures=(measure,))
            stages = compared(writer, one) if ask.form == "compare" else differing(writer, one, ask.gap[0])
            yield _piped(ask, stages, text)
    elif ask.groups or ask.having or ask.form in {"share", "per"}:
        yield _pipeline(ask, schema, text)
    else:
        for measure in ask.measures:
            one = replace(ask, measures=(measure,))
            simple = not (measure.distinct or measure.over or measure.median or _is_joined(one))
            yield _aggregate(one, measure) if simple else _pipeline(one, schema, text)


def _pipeline(ask: DataQuery, schema: Schema, text: str) -> ToolCall:
    writer = Writer(ask, schema.sheet, schema.joins)
    counted = any(measure.distinct for measure in ask.measures) and not (ask.groups or ask.having)
    write = {"share": share, "per": per}.get(ask.form)
    stages = (write or (distinct if counted else grouped))(writer, ask)
    return _piped(ask, stages, text)


def _piped(ask: DataQuery, stages: list[Stage], text: str) -> ToolCall:
    arguments = {"connection_name": ask.sheet, "pipeline": stages, "description": text[:200]}
    return ToolCall("execute_aggregation", arguments)


def _is_joined(ask: DataQuery) -> bool:
    return any(ref.sheet or ref.parts for ref in ask.refs) or any(each.unit for each in ask.conditions)


def _filters(conditions: tuple[Condition, ...]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for condition in conditions:
        found.setdefault(condition.ref.name, {})[condition.op] = condition.value
    return {name: ops["eq"] if set(ops) == {"eq"} else ops for name, ops in found.items()}


def _names(groups: tuple[Group, ...]) -> str | list[str] | None:
    names = [label(group) for group in groups]
    if any("," in name for name in names):
        return names
    return ", ".join(names) if names else None


def _field(measure: Measure) -> str | None:
    if measure.metric:
        return measure.metric
    return measure.ref.name if measure.ref else None


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value not in (None, {}, "")}


def _aggregate(ask: DataQuery, measure: Measure) -> ToolCall:
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
        **_dates(ask),
        "order": ask.order if ask.groups and ask.form == "groups" else "",
    }
    return ToolCall("aggregate_data", _given(arguments))


def _dates(ask: DataQuery) -> dict[str, Any]:
    dated = ask.period and ask.date_ref
    return {"date_field": ask.date_ref.name, **_span("date", ask.period)} if dated and ask.date_ref else {}


def _dated(ask: DataQuery) -> dict[str, Any]:
    """The filters of a tool that has no dates of its own: the period is one of them."""
    found = _filters(ask.conditions)
    if ask.period and ask.date_ref:
        found[ask.date_ref.name] = {"between": [*_span("", ask.period).values()]}
    return found


def _top(ask: DataQuery) -> ToolCall:
    figure, grouped = _field(ask.measures[0]), ask.form == "top"
    arguments = {
        "connection_name": ask.sheet,
        "sort_field": figure or "count",
        "sort_order": ask.order or "desc",
        "limit": ask.limit,
        "group_by": _names(ask.groups) if grouped else None,
        "aggregate_field": figure if grouped else None,
        "filters": _dated(ask),
    }
    return ToolCall("get_top_items", _given(arguments))


def _compare(ask: DataQuery, measure: Measure) -> ToolCall:
    arguments = {
        "connection_name": ask.sheet,
        "operation": measure.op,
        "field": _field(measure),
        "date_field": ask.date_ref.name if ask.date_ref else None,
        **_span("period1", ask.versus),
        **_span("period2", ask.period),
        "group_by": _names(ask.groups),
        "filters": _filters(ask.conditions),
    }
    return ToolCall("compare_periods", _given(arguments))


def _span(name: str, period: Period | None) -> dict[str, str]:
    """The ends of a period as the arguments `name`_from and `name`_to; none without it."""
    ends = (("from", period.start), ("to", period.end)) if period else ()
    return {f"{name}_{end}": day.isoformat() for end, day in ends}
