"""Builds the SQL of a reading as a syntax tree, over the relations that a role has and in DuckDB's dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly_rental.question.types import Filter, Measure, ParsedQuestion, Role, Value
from troly_rental.sql.relations import LANDLORD_ONLY, Entity, entities

if TYPE_CHECKING:
    from sqlglot import exp


# Values that stand for more than themselves: districts that took in others, states that hold another one.


def districts(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with the districts they took in, unless one of those is named too: then they are told apart."""
    found = list(names)
    for name in names:
        parts = covered(name)[1:]
        if not set(parts) & set(names):
            found += parts
    return tuple(dict.fromkeys(found))


def with_overdue(entity: str, states: tuple[str, ...]) -> tuple[str, ...]:
    """Invoices that are not paid are those overdue too; `conditions.filters_of` folds them back."""
    if entity != "invoice" or "unpaid" not in states:
        return states
    return tuple(sorted({*states, "overdue"}))


def covered(name: str) -> tuple[str, ...]:
    """The districts that a district's name stands for: Thủ Đức took in Quận 2 and Quận 9."""
    from troly_rental.data.places import places

    known = places()
    found = next((place for place in known.of("district") if place.name == name), None)
    if found is None:
        return (name,)
    return (name, *(known.by_id[part].name for part in found.covers if known.by_id[part].name != name))


_DATES = frozenset(
    {"posted_at", "start_date", "end_date", "month", "due_date", "scheduled_at", "move_in_date"}
)
_PERIODS = ("month", "week", "day")


def build_query(reading: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """The query of a ready reading: one SELECT, literals as nodes, a fixed order down to the last tie.

    A list selects id, title, path, entity and what the items show; figures select one row a group. Raises ValueError
    for a reading that is not ready, KeyError for a field that its entity does not have.
    """
    if not reading.ready:
        raise ValueError("not ready for SQL")
    entity = entities()[reading.entity]
    builder = _Builder(entity, reading, role)
    return builder.figures() if reading.measures else builder.rows()


def build_count(reading: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """How many rows `reading` has in all, without its limit: one row, one column `total`."""
    from sqlglot import exp

    builder = _Builder(entities()[reading.entity], reading, role)
    return builder.finished([exp.alias_(exp.Count(this=exp.Star()), "total")])


class _Builder:
    """Collects what a query needs of its tables."""

    def __init__(self, entity: Entity, reading: ParsedQuestion, role: Role) -> None:
        self.entity, self.reading, self.role = entity, reading, role
        self._joins: list[str] = []

    def rows(self) -> exp.Select:
        """The rows themselves."""
        from sqlglot import exp

        reading, entity = self.reading, self.entity
        chosen = [exp.alias_(self.column(f"{entity.table}.id"), "id")]
        if reading.mode == "LIST" or entity.path:
            chosen += [
                exp.alias_(self.column(entity.title), "title"),
                exp.alias_(self._path(), "path"),
                exp.alias_(exp.Literal.string(entity.name), "entity"),
            ]
        wanted = [name for name in entity.shown if self.role == "LANDLORD" or name not in LANDLORD_ONLY]
        extra = [
            order.field
            for order in reading.order
            if order.field not in wanted and order.field in entity.fields
        ]
        chosen += [exp.alias_(self.field(name), name) for name in (*wanted, *extra)]
        query = self.finished(chosen)
        for order in reading.order:
            query = query.order_by(self._ordered(self.field(order.field), descending=order.descending))
        if not reading.order:
            query = query.order_by(self._ordered(self.field(entity.newest), descending=True))
        query = query.order_by(self._ordered(self.column(f"{entity.table}.id"), descending=False))
        return self._limited(query)

    def figures(self) -> exp.Select:
        """Figures, by group when groups are asked for."""
        from sqlglot import exp

        reading = self.reading
        groups = [self._group(name) for name in reading.group]
        named = [exp.alias_(node, name) for node, name in zip(groups, reading.group, strict=True)]
        measures = [exp.alias_(self._measure(one), label_of(one)) for one in reading.measures]
        if groups and reading.measures[0].kind != "count":
            measures.append(exp.alias_(exp.Count(this=exp.Star()), "count"))
        query = self.finished([*named, *measures])
        if not groups:
            return query
        query = query.group_by(*(group.copy() for group in groups))
        for order in reading.order:
            target = (
                self._measure(reading.measures[0])
                if order.field == "figure"
                else self._group(order.field)
                if order.field in reading.group
                else None
            )
            if target is not None:
                query = query.order_by(self._ordered(target, descending=order.descending))
        ordered = {order.field for order in reading.order}
        for name, group in zip(reading.group, groups, strict=True):
            if name not in ordered:
                query = query.order_by(self._ordered(group.copy(), descending=False))
        return self._limited(query)

    def finished(self, chosen: list[exp.Expr]) -> exp.Select:
        """SELECT of `chosen` with the joins and conditions that the reading needs."""
        from sqlglot import exp

        conditions = [self._condition(one) for one in self.reading.filters]
        conditions += self._chosen_rows()
        query = exp.select(*chosen, dialect="duckdb").from_(exp.to_table(self.entity.table))
        for table in self._joins:
            keys = self.entity.join[table]
            on = exp.EQ(this=_named(keys[0]), expression=_named(keys[1]))
            query = query.join(exp.to_table(table), on=on, join_type="left")
        return query.where(*conditions) if conditions else query

    def field(self, name: str) -> exp.Expr:
        """The column of a field, its table joined; views of a room are those of its most seen post."""
        from sqlglot import exp

        if name == "id":
            return _named(f"{self.entity.table}.id")
        if name == "amenities":
            return self._amenities()
        column = self.entity.column(name)
        if name == "views" and self.entity.table == "rooms":
            own = exp.EQ(this=_named("posts.room_id"), expression=_named("rooms.id"))
            inner = exp.select(exp.Max(this=_named(column))).from_(exp.to_table("posts")).where(own)
            return inner.subquery()
        return self.column(column)

    def _amenities(self) -> exp.Expr:
        """The codes of all amenities of a room in one text, in a fixed order."""
        from sqlglot import exp

        self._join("rooms")
        code, room = _named("room_amenities.amenity_id"), _named("room_amenities.room_id")
        ordered = exp.Order(this=code, expressions=[exp.Ordered(this=code.copy())])
        every = exp.GroupConcat(this=ordered, separator=exp.Literal.string(", "))
        own = exp.EQ(this=room, expression=_named("rooms.id"))
        return exp.select(every).from_(exp.to_table("room_amenities")).where(own).subquery()

    def column(self, column: str) -> exp.Expr:
        """`table.column`, the table joined."""
        self._join(column.partition(".")[0])
        return _named(column)

    def _join(self, table: str) -> None:
        if table == self.entity.table or table in self._joins:
            return
        keys = self.entity.join[table]
        if len(keys) > 2:
            self._join(keys[2])
        self._joins.append(table)

    def _path(self) -> exp.Expr:
        from sqlglot import exp

        path = self.entity.path
        if not path.endswith("/"):
            return self.column(path) if path else exp.Literal.string("")
        number = exp.cast(_named(f"{self.entity.table}.id"), "VARCHAR")
        return exp.DPipe(this=exp.Literal.string(path), expression=number)

    def _group(self, name: str) -> exp.Expr:
        from sqlglot import exp

        if name in _PERIODS:
            day = self.field("month" if "month" in self.entity.fields else self.entity.newest)
            return exp.cast(exp.TimestampTrunc(this=day, unit=exp.var(name)), "DATE")
        return self.field(name)

    def _measure(self, one: Measure) -> exp.Expr:
        from sqlglot import exp

        if one.kind == "count":
            return exp.Count(this=exp.Star())
        value = self._per_metre() if one.field == "price_m2" else self.field(one.field)
        kinds: dict[str, type[exp.Func]] = {"min": exp.Min, "max": exp.Max, "sum": exp.Sum}
        if one.kind in kinds:
            return kinds[one.kind](this=value)
        middle = exp.Median(this=value) if one.kind == "median" else exp.Avg(this=value)
        return exp.Round(this=middle, decimals=exp.Literal.number(0 if one.field != "area" else 1))

    def _per_metre(self) -> exp.Expr:
        from sqlglot import exp

        return exp.Div(this=self.field("price"), expression=self.field("area"), typed=False, safe=False)

    def _ordered(self, node: exp.Expr, *, descending: bool) -> exp.Expr:
        from sqlglot import exp

        return exp.Ordered(this=node, desc=descending, nulls_first=False)

    def _limited(self, query: exp.Select) -> exp.Select:
        query = query.limit(self.reading.rows)
        return query.offset(self.reading.skip) if self.reading.skip else query

    def _chosen_rows(self) -> list[exp.Expr]:
        """Whose rows: the asker's own, else what is public (a landlord's relations also hold what is let)."""
        from sqlglot import exp

        entity = self.entity
        own = entity.own.get(self.role) if self.reading.own else None
        if own and "filled" in own:
            return [exp.Not(this=exp.Is(this=self.column(own["filled"]), expression=exp.Null()))]
        if own:
            column, chosen, state, value = own["among"]
            inner = exp.select(_named(chosen)).from_(exp.to_table(chosen.partition(".")[0]))
            inner = inner.where(exp.EQ(this=_named(state), expression=exp.Literal.string(value)))
            return [exp.In(this=self.column(column), query=inner.subquery())]
        if entity.public and not any(one.field in {"id", "status"} for one in self.reading.filters):
            return [
                exp.EQ(this=self.column(entity.public[0]), expression=exp.Literal.string(entity.public[1]))
            ]
        return []

    def _condition(self, one: Filter) -> exp.Expr:
        from sqlglot import exp

        if one.field == "amenity":
            return self._amenity(one)
        column = self.field(one.field)
        if one.field in _DATES:
            column = exp.cast(column, "DATE")
        values = one.value if isinstance(one.value, tuple) else (one.value,)
        if one.field == "district":
            values = districts(tuple(str(value) for value in values))
        if one.field == "status":
            values = with_overdue(self.entity.name, tuple(str(value) for value in values))
        if one.op in {"in", "not_in"} or len(values) > 1:
            found = exp.In(this=column, expressions=[_literal(one.field, value) for value in values])
            return exp.Not(this=found) if one.op in {"not_in", "!="} else found
        kinds: dict[str, type[exp.Binary]] = {
            "=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
        }  # fmt: skip
        return kinds[one.op](this=column, expression=_literal(one.field, values[0]))

    def _amenity(self, one: Filter) -> exp.Expr:
        from sqlglot import exp

        self._join("rooms") if self.entity.table != "rooms" else None
        inner = (
            exp.select(exp.Literal.number(1))
            .from_(exp.to_table("room_amenities"))
            .where(
                exp.EQ(this=_named("room_amenities.room_id"), expression=_named("rooms.id")),
                exp.EQ(
                    this=_named("room_amenities.amenity_id"), expression=exp.Literal.string(str(one.value))
                ),
            )
        )
        found = exp.Exists(this=inner)
        return exp.Not(this=found) if one.op == "!=" else found


def label_of(one: Measure) -> str:
    """The column name of a figure: "count", "avg_price"."""
    return f"{one.kind}_{one.field}" if one.field else one.kind


def _named(column: str) -> exp.Expr:
    from sqlglot import exp

    table, _, name = column.partition(".")
    return exp.column(name, table=table)


def _literal(field: str, value: Value) -> exp.Expr:
    from sqlglot import exp

    if isinstance(value, str):
        text = exp.Literal.string(value)
        return exp.cast(text, "DATE") if field in _DATES else text
    return exp.Literal.number(str(value))
