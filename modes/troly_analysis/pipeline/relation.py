"""The rows between two stages: a statement, the fields it gives, and the order they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from troly_analysis.pipeline.compiler import Column, Compiler, Scope
from troly_analysis.pipeline.kinds import BOOL, DATE, DOUBLE, INT, TEXT, Type, Typed, list_of, unique_keys
from troly_analysis.service_sql import call, column, named, ordered, table
from troly_analysis.types import Sheet

ROW = "troly row"
_KINDS: Mapping[str, Type] = {
    "integer": INT, "number": DOUBLE, "money": DOUBLE, "percent": DOUBLE, "date": replace(DATE, day=True),
    "datetime": DATE, "text": TEXT, "boolean": BOOL, "list": list_of(TEXT),
}  # fmt: skip
Order = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows as `select` gives them. `order` names columns of it, greatest first or not, that fields may share."""

    select: exp.Select
    fields: Mapping[str, Column]
    order: Order

    def opened(self, c: Compiler, variables: Mapping[str, Typed]) -> tuple[exp.Subquery, Scope]:
        """The rows as a source of the next stage, and what its expressions may name."""
        alias = c.fresh("t")
        source = exp.Subquery(
            this=self.select, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
        )
        return source, Scope(alias, self.fields, variables)

    def sorted(self, alias: str = "") -> list[exp.Expr]:
        """The order as keys: blanks first going up, last going down, as in MongoDB."""
        return [
            ordered(column(name, alias), descending=descending, nulls_first=not descending)
            for name, descending in self.order
        ]

    def arranged(self, select: exp.Select, alias: str) -> exp.Select:
        """`select` in the order of the rows; they come in the order of the file by themselves."""
        natural = self.order in ((), ((ROW, False),))
        return select if natural else select.order_by(*self.sorted(alias), copy=False)

    def everything(self, alias: str) -> exp.Expr:
        """All columns, also those that only carry the order."""
        return exp.Column(this=exp.Star(), table=exp.to_identifier(alias, quoted=True))


def of_sheet(sheet: Sheet, *, numbered: bool = True) -> Relation:
    """A sheet's rows in the order of its file, which `numbered` keeps for later stages."""
    rows = named(exp.Window(this=call("row_number")), ROW)
    fields = {
        each.name: Column(
            each.name, _KINDS[each.kind], unit=each.unit or ("%" if each.kind == "percent" else "")
        )
        for each in sheet.fields
    }
    select = exp.select(exp.Star(), *([rows] if numbered else [])).from_(table(sheet.table))
    return Relation(select, fields, ((ROW, False),) if numbered else ())


def built(
    source: exp.Expr,
    alias: str,
    values: Sequence[tuple[str, Typed]],
    order: Order,
    extra: Sequence[exp.Expr] = (),
) -> Relation:
    """Rows of these values, carrying along the columns of `order` that are not among `extra`."""
    keys = unique_keys([name for name, _ in values])
    shown = [named(value.sql, key) for key, (_, value) in zip(keys, values, strict=True)]
    made = {each.alias for each in extra}
    carried = [named(column(name, alias), name) for name, _ in order if name not in made]
    fields = {
        name: Column(key, value.type, value.weight, value.unit)
        for key, (name, value) in zip(keys, values, strict=True)
    }
    return Relation(exp.select(*shown, *carried, *extra).from_(source, copy=False), fields, order)
