"""Compares a figure between two periods (001-14, 001-39)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlglot import exp

from troly.errors import InputError
from troly_analysis.service_fields import Key, Measure
from troly_analysis.service_filters import period
from troly_analysis.service_queries import Asked
from troly_analysis.service_run import MAX_ROWS
from troly_analysis.service_sql import both, named, ordered
from troly_analysis.types import NUMERIC, Field, QueryAnswer, Result

COLUMNS = ("period1_value", "period2_value", "difference", "percentage_change")
_TENTH, _DIGITS = Decimal("0.1"), 20
Period = tuple[object, object]
_NAMES = (("period1_from", "period1_to"), ("period2_from", "period2_to"))


def difference(before: float | None, after: float | None) -> float | None:
    """`after - before` as written in decimals (0.3 - 0.1 is 0.2); None when one of them is missing."""
    if before is None or after is None:
        return None
    return _plain(_exact(after) - _exact(before))


def percentage_change(before: float | None, after: float | None) -> float | None:
    """(after - before) / before * 100 with one decimal, half up; None when `before` is zero or missing (C6)."""
    if before is None or after is None or before == 0:
        return None
    change = (_exact(after) - _exact(before)) / _exact(before) * 100
    # With more digits than a Decimal keeps, a tenth makes no difference.
    return float(change if change.adjusted() > _DIGITS else change.quantize(_TENTH, ROUND_HALF_UP))


def compare(
    asked: Asked, measure: Measure, keys: Sequence[Key], dates: Field, periods: tuple[Period, Period]
) -> QueryAnswer:
    """Both periods in one statement; with `keys` one row a group and the whole beside it."""
    if measure.operation != "count" and measure.field is not None and measure.field.kind not in NUMERIC:
        raise InputError("query.compare_number", field=measure.field.name)
    spans = [_within(dates, each, names) for each, names in zip(periods, _NAMES, strict=True)]
    asked.between(dates, periods, _NAMES)
    whole, run = _whole(asked, measure, spans)
    if run.rows_read == 0 and measure.operation != "count":
        return QueryAnswer(Result(kind="empty", unit=measure.unit), run)
    before, after = whole
    found: dict[str, Any] = {}
    if keys:
        rows, run = _groups(asked, measure, keys, spans)
        unit = measure.unit
        found = {
            "columns": (*(key.label for key in keys), *COLUMNS),
            "rows": tuple(rows[:MAX_ROWS]),
            "units": (*("" for _ in keys), unit, unit, unit, "%"),
            "truncated": len(rows) > MAX_ROWS,
        }
    result = Result(
        kind="compare",
        period1_value=before,
        period2_value=after,
        difference=difference(before, after),
        percentage_change=percentage_change(before, after),
        unit=measure.unit,
        **found,
    )
    return QueryAnswer(result, run)


def _within(dates: Field, span: Period, names: tuple[str, str]) -> exp.Expr:
    for value, name in zip(span, names, strict=True):
        if value in (None, ""):
            raise InputError("query.date", name=name, value="")
    return both(period(dates, *span, names))


def _figures(measure: Measure, spans: Sequence[exp.Expr]) -> list[exp.Expr]:
    return [named(measure.sql(span.copy()), name) for span, name in zip(spans, COLUMNS, strict=False)]


def _whole(
    asked: Asked, measure: Measure, spans: Sequence[exp.Expr]
) -> tuple[tuple[float | None, float | None], Any]:
    facts = asked.facts(grouped=False)
    rows, run = asked.rows(asked.select([*_figures(measure, spans), *facts]), len(facts))
    return (rows[0][0], rows[0][1]), run


def _groups(
    asked: Asked, measure: Measure, keys: Sequence[Key], spans: Sequence[exp.Expr]
) -> tuple[list[tuple[Any, ...]], Any]:
    """The groups, the greatest of the second period first; groups of time in their order."""
    facts = asked.facts(grouped=True)
    shown = [named(key.sql(), key.label) for key in keys]
    places = [exp.Literal.number(str(at + 1)) for at in range(len(keys) + 2)]
    order = [ordered(place, descending=False, nulls_first=False) for place in places[: len(keys)]]
    if not keys[0].in_time:
        order = [
            *(ordered(place, descending=True, nulls_first=False) for place in reversed(places[len(keys) :])),
            *order,
        ]
    statement = asked.select([*shown, *_figures(measure, spans), *facts]).group_by(
        *(key.group() for key in keys)
    )
    rows, run = asked.rows(statement.order_by(*order).limit(MAX_ROWS + 1), len(facts))
    told = []
    for row in rows:
        before, after = row[-2], row[-1]
        told.append((*row, difference(before, after), percentage_change(before, after)))
    return told, run


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


def _plain(value: Decimal) -> float:
    return int(value) if value == value.to_integral_value() else float(value)
