"""Builds the SQL of a question as a syntax tree, over the relations that a role has and in DuckDB's dialect."""

from __future__ import annotations

from sqlglot import exp

from troly_rental.data.places import places
from troly_rental.question.types import Filter, Measure, ParsedQuestion, Value
from troly_rental.roles import Role, grants
from troly_rental.sql.relations import LANDLORD_ONLY, Entity, entities

_DATES = frozenset(
    {"posted_at", "start_date", "end_date", "month", "due_date", "paid_at", "scheduled_at", "move_in_date"}
)
_PERIODS = ("month", "week", "day")
# Groups of things that may be called alike are told apart by what they are.
_THINGS = {"room": "rooms.id", "tenant": "users.id", "building": "buildings.id"}
PRICE_BAND = 1_000_000
"""VND that one band of a price distribution holds."""


def build_query(parsed: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """The query of a ready question: one SELECT, literals as nodes, a fixed order down to the last tie.

    A list selects id, title, path, entity and what the items show; figures select one row a group. Raises ValueError
    for a question that is not ready, KeyError for a field that its entity does not have.
    """
    if not parsed.ready:
        raise ValueError("not ready for SQL")
    entity = entities()[parsed.entity]
    builder = _Builder(entity, parsed, role)
    return builder.figures() if parsed.measures else builder.rows()


def build_count(parsed: ParsedQuestion, role: Role = "GUEST") -> exp.Select:
    """How many rows `parsed` has in all, without its limit: one row, one column `total`."""
    builder = _Builder(entities()[parsed.entity], parsed, role)
    return builder.finished([exp.alias_(exp.Count(this=exp.Star()), "total")])


class _Builder:
    """Collects what a query needs of its tables."""

    def __init__(self, entity: Entity, parsed: ParsedQuestion, role: Role) -> None:
        self.entity, self.parsed, self.role = entity, parsed, role
        self._joins: list[str] = []

    def rows(self) -> exp.Select:
        """The rows themselves."""
        parsed, entity = self.parsed, self.entity
        chosen = [exp.alias_(self.column(f"{entity.table}.id"), "id")]
        if parsed.mode == "LIST" or entity.path:
            chosen += [
                exp.alias_(self.column(entity.title), "title"),
                exp.alias_(self._path(), "path"),
                exp.alias_(exp.Literal.string(entity.name), "entity"),
            ]
        wanted = [name for name in entity.shown if self.role == "LANDLORD" or name not in LANDLORD_ONLY]
        conditions = ("amenities" if one.field == "amenity" else one.field for one in parsed.asked)
        asked = (*(order.field for order in parsed.order), *parsed.details, *conditions)
        known = {*entity.fields, *(("amenities",) if "amenity" in entity.fields else ())}
        extra = dict.fromkeys(name for name in asked if name not in wanted and name in known)
        chosen += [exp.alias_(self.field(name), name) for name in (*wanted, *extra)]
        query = self.finished(chosen)
        for order in parsed.order:
            query = query.order_by(_ordered(self.field(order.field), descending=order.descending))
        if not parsed.order:
            query = query.order_by(_ordered(self.field(entity.newest), descending=True))
        query = query.order_by(_ordered(self.column(f"{entity.table}.id"), descending=False))
        if parsed.with_ties:
            (first, *_) = parsed.order
            query = self._first_of(query, self.field(first.field), 1, descending=first.descending)
        return self._limited(query)

    def _first_of(self, query: exp.Select, by: exp.Expr, places: int, *, descending: bool) -> exp.Select:
        """`query` for all rows that share the first `places` in an order."""
        best = exp.Order(expressions=[_ordered(by, descending=descending)])
        place = exp.Window(this=exp.func("RANK", dialect="duckdb"), order=best)
        return query.qualify(exp.LTE(this=place, expression=exp.Literal.number(places)))

    def figures(self) -> exp.Select:
        """Figures, by group when groups are asked for; the lowest or highest value with the rows that have it."""
        parsed = self.parsed
        if (end := parsed.end) is not None:
            columns = {label_of(end): self.field(end.field), "id": self.field("id")}
            columns |= {"title": self.column(self.entity.title), "district": self.field("district")}
            query = self.finished([exp.alias_(node, name) for name, node in columns.items()])
            query = self._first_of(query, self.field(end.field), 1, descending=end.kind == "max")
            return self._limited(query.order_by(_ordered(self.field("id"), descending=False)))
        groups = [self._group(name) for name in parsed.group]
        named = [exp.alias_(node, name) for node, name in zip(groups, parsed.group, strict=True)]
        measures = [exp.alias_(self._measure(one), label_of(one)) for one in parsed.measures]
        if groups and parsed.measures[0].kind not in {"count", "count_where", "occupancy", "share"}:
            measures.append(exp.alias_(exp.Count(this=exp.Star()), "count"))
        if (price := parsed.group_end) is not None:  # and the first row that has it
            title, value = self.column(self.entity.title), self.field(price.field)
            kind = exp.ArgMax if price.kind == "max" else exp.ArgMin
            measures.append(exp.alias_(kind(this=title, expression=value), "title"))
        query = self.finished([*named, *measures])
        if not groups:
            return query
        things = [self.column(_THINGS[name]) for name in parsed.group if name in _THINGS]
        query = query.group_by(*(group.copy() for group in groups), *things)
        for order in parsed.order:
            target = (
                self._measure(parsed.measures[0])
                if order.field == "figure"
                else self._group(order.field)
                if order.field in parsed.group
                else None
            )
            if target is not None:
                query = query.order_by(_ordered(target, descending=order.descending))
        if parsed.ranks_groups and parsed.limit:
            figure, down = self._measure(parsed.measures[0]), parsed.order[0].descending
            query = self._first_of(query, figure, parsed.limit, descending=down)
        ordered = {order.field for order in parsed.order}
        for name, group in zip(parsed.group, groups, strict=True):
            if name not in ordered:
                query = query.order_by(_ordered(group.copy(), descending=False))
        return self._limited(query)

    def finished(self, chosen: list[exp.Expr]) -> exp.Select:
        """SELECT of `chosen` with the joins and conditions that the question needs."""
        conditions = [self._condition(one) for one in self.parsed.filters if not self.parsed.is_part(one)]
        conditions += self._chosen_rows()
        query = exp.select(*chosen, dialect="duckdb").from_(exp.to_table(self.entity.table))
        for table in self._joins:
            keys = self.entity.join[table]
            on = exp.EQ(this=_named(keys[0]), expression=_named(keys[1]))
            query = query.join(exp.to_table(table), on=on, join_type="left")
        return query.where(*conditions) if conditions else query

    def field(self, name: str) -> exp.Expr:
        """The column of a field, its table joined; views of a room are those of its most seen post."""
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
        path = self.entity.path
        if not path.endswith("/"):
            return self.column(path) if path else exp.Literal.string("")
        number = exp.cast(_named(f"{self.entity.table}.id"), "VARCHAR")
        return exp.DPipe(this=exp.Literal.string(path), expression=number)

    def _group(self, name: str) -> exp.Expr:
        if name == "price_band":
            band = exp.Literal.number(PRICE_BAND)
            return exp.Mul(
                this=exp.Floor(this=exp.Div(this=self.field("price"), expression=band.copy())),
                expression=band,
            )
        if name in _PERIODS:
            day = self.field("month" if "month" in self.entity.fields else self.entity.newest)
            return exp.cast(exp.TimestampTrunc(this=day, unit=exp.var(name)), "DATE")
        return self.field(name)

    def _measure(self, one: Measure) -> exp.Expr:
        if one.kind in {"count", "count_where", "occupancy", "share"}:
            return self._counted(one)
        if one.field == "price_m2":
            price, area = self.field("price"), self.field("area")
            value: exp.Expr = exp.Div(this=price, expression=area, typed=False, safe=False)
        else:
            value = self.field(one.field)
        kinds: dict[str, type[exp.Func]] = {"min": exp.Min, "max": exp.Max, "sum": exp.Sum}
        if one.kind in kinds:
            return kinds[one.kind](this=value)
        if one.kind in {"paid", "owed"}:
            compare = exp.EQ if one.kind == "paid" else exp.NEQ
            state = compare(this=self.field("status"), expression=exp.Literal.string("paid"))
            summed = exp.Filter(this=exp.Sum(this=value), expression=exp.Where(this=state))
            return exp.Coalesce(this=summed, expressions=[exp.Literal.number(0)])
        middle: exp.Expr = exp.Median(this=value) if one.kind == "median" else exp.Avg(this=value)
        if one.kind == "monthly":
            months = exp.Count(this=exp.Distinct(expressions=[self.field("month")]))
            middle = exp.Div(this=exp.Sum(this=value), expression=months)
        return exp.Round(this=middle, decimals=exp.Literal.number(0 if one.field != "area" else 1))

    def _counted(self, one: Measure) -> exp.Expr:
        """A number of rows, of those of a state, or the share of those of a state or of the conditions."""
        if one.kind == "count":
            return exp.Count(this=exp.Star())
        state = exp.Literal.string(one.field or "rented")
        part = [
            self._condition(condition) for condition in self.parsed.filters if self.parsed.is_part(condition)
        ]
        met = exp.and_(*part) if part else exp.EQ(this=self.field("status"), expression=state)
        some = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=met))
        if one.kind == "count_where":
            return some
        share = exp.Div(
            this=exp.Mul(this=exp.Literal.number("100.0"), expression=some),
            expression=exp.Count(this=exp.Star()),
        )
        return exp.Round(this=share, decimals=exp.Literal.number(1))

    def _limited(self, query: exp.Select) -> exp.Select:
        query = query.limit(self.parsed.rows)
        return query.offset(self.parsed.skip) if self.parsed.skip else query

    def _chosen_rows(self) -> list[exp.Expr]:
        """Whose rows: the asker's own, else what is public (a landlord's relations also hold what is let)."""
        entity = self.entity
        found: list[exp.Expr] = []
        if self.parsed.without_beds:
            found.append(exp.NEQ(this=self.field("type"), expression=exp.Literal.string("dormitory")))
        given = grants()[self.role].get(entity.table, ())
        if self.parsed.own and entity.own and any(one.mine for one in given):
            return [*found, self.column(entity.own)]
        if entity.public and not any(one.field in {"id", "status"} for one in self.parsed.filters):
            column, value = entity.public
            found.append(exp.EQ(this=self.column(column), expression=exp.Literal.string(value)))
        return found

    def _condition(self, one: Filter) -> exp.Expr:
        if one.field == "amenity":
            return self._amenity(one)
        column = self.field(one.field)
        if one.field in _DATES:
            column = exp.cast(column, "DATE")
        values: tuple[Value, ...] = one.value if isinstance(one.value, tuple) else (one.value,)
        if one.field == "id":
            values = tuple(int(str(value)) for value in values)
        if one.field == "district":
            values = _with_covered(one.values)
        # Invoices that are not paid are those overdue too; `conditions.read_filters` folds them back.
        if one.field == "status" and self.entity.name == "invoice" and "unpaid" in values:
            values = tuple(sorted({*one.values, "overdue"}))
        if one.op in {"in", "not_in"} or len(values) > 1:
            found = exp.In(this=column, expressions=[_literal(one.field, value) for value in values])
            return exp.Not(this=found) if one.op in {"not_in", "!="} else found
        kinds: dict[str, type[exp.Binary]] = {
            "=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
        }  # fmt: skip
        return kinds[one.op](this=column, expression=_literal(one.field, values[0]))

    def _amenity(self, one: Filter) -> exp.Expr:
        self._join("rooms")
        own = exp.EQ(this=_named("room_amenities.room_id"), expression=_named("rooms.id"))
        codes = [exp.Literal.string(value) for value in one.values]
        code = _named("room_amenities.amenity_id")
        chosen: exp.Expr = (
            exp.EQ(this=code, expression=codes[0])
            if len(codes) == 1
            else exp.In(this=code, expressions=codes)
        )
        inner = exp.select(exp.Literal.number(1)).from_(exp.to_table("room_amenities"))
        found = exp.Exists(this=inner.where(own, chosen))
        return exp.Not(this=found) if one.op == "!=" else found


def label_of(one: Measure) -> str:
    """The column name of a figure: "count", "avg_price"."""
    return f"{one.kind}_{one.field}" if one.field else one.kind


def _with_covered(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of districts with those they took in, unless one of those is named too: then they are told apart."""
    found = list(names)
    for name in names:
        parts = places().covered(name)[1:]
        if not set(parts) & set(names):
            found += parts
    return tuple(dict.fromkeys(found))


def _ordered(node: exp.Expr, *, descending: bool) -> exp.Expr:
    return exp.Ordered(this=node, desc=descending, nulls_first=False)


def _named(column: str) -> exp.Expr:
    table, _, name = column.partition(".")
    return exp.column(name, table=table)


def _literal(field: str, value: Value) -> exp.Expr:
    if isinstance(value, str):
        text = exp.Literal.string(value)
        return exp.cast(text, "DATE") if field in _DATES else text
    return exp.Literal.number(str(value))
