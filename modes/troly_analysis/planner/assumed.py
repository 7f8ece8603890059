"""Assumes a figure where a question names none, and says which one was assumed."""

from __future__ import annotations

from collections.abc import Callable

from troly_analysis.planner.forms import direction
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Form, Measure, Ref, averaged
from troly_analysis.planner.state import State, is_rows
from troly_analysis.types import NUMERIC

GOODS = frozenset({"product", "category", "brand", "size", "color"})


def assume_measure(state: State, form: Form) -> None:
    """Add the figure that is meant when none is named, with a note where that could be another."""
    if state.measures or form in {"distinct", "schema"}:
        return
    for rule in _RULES:
        found = rule(state, form)
        if found is not None:
            state.measures.append(found)
            return


def _rows_named(state: State) -> Mention | None:
    return next((mention for mention in state.mentions if is_rows(mention) and not mention.used), None)


def _noted(state: State, key: str, ref: Ref) -> Measure:
    state.note(key, field=ref.name)
    return Measure("avg" if averaged(ref) else "sum", ref)


def _pieces(state: State, form: Form) -> Measure | None:
    """Goods are sold, bought and moved in pieces; the rest by money."""
    schema = state.schema
    sold = state.any("seller", "slow seller", "sold", "bought")
    # What lies in the store was not sold.
    quantity = schema.of("quantity") if sold else schema.of("quantity", "stock")
    named = (*(group.ref for group in state.groups), *(condition.ref for condition in state.conditions))
    goods = any(ref.concept in GOODS for ref in named)
    seller = state.any("seller", "slow seller")
    moved = state.any("sold", "bought", "count", "max", "min", "superlative", "much") or form == "top"
    if _rows_named(state) or not (seller or (quantity and goods and moved)):
        return None
    main = schema.main_measure()
    if sold and main is not None and main.concept == "stock":
        main = None
    chosen = (quantity if goods or not state.groups else None) or main
    return _noted(state, "seller_measure" if seller else "measure", chosen) if chosen else None


def _filtered(state: State, _form: Form) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    return next((Measure("sum", each.ref) for each in state.having if each.ref.kind in NUMERIC), None)


def _quickness(state: State, _form: Form) -> Measure | None:
    took = state.schema.of("duration", "hours", "late minutes")
    if took is None or not state.any("fast", "slow"):
        return None
    state.note("measure", field=took.name)
    return Measure("avg", took)


def _mean(state: State, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    if main is None or form == "rows" or not state.any("avg"):
        return None
    state.note("measure", field=main.name)
    return Measure("avg", main)


def _listed(state: State, form: Form) -> Measure | None:
    """What rows are sorted by: the newest first, or the column the sheet is about."""
    if form != "rows":
        return None
    turned, latest = direction(state), state.any("latest", "earliest")
    main = state.schema.main_measure()
    ref = state.date_ref if (latest or not turned) and state.date_ref else main or state.date_ref
    if ref is None:
        return None
    if turned and not latest:
        state.note("measure", field=ref.name)
    return Measure("max", ref)


def _rows(state: State, form: Form) -> Measure | None:
    rows = _rows_named(state)
    if rows is None and not state.any("count") and form != "share" and state.schema.main_measure():
        return None
    return Measure("count", noun=rows.text if rows else "")


def _events(state: State, form: Form) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    if form != "top" or not any(each.ref.concept in {"status", "reason"} for each in state.conditions):
        return None
    state.note("counted_rows")
    return Measure("count")


def _main(state: State, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    if main is None or not (form in {"top", "compare"} or state.any("bought", "sold")):
        return None
    return _noted(state, "measure", main)


def _count(state: State, form: Form) -> Measure | None:
    if not (state.groups or state.conditions or form == "trend"):
        return None
    state.note("counted_rows")
    state.doubt += 0.1
    return Measure("count")


_RULES: tuple[Callable[[State, Form], Measure | None], ...] = (
    _pieces, _filtered, _quickness, _mean, _listed, _rows, _events, _main, _count,
)  # fmt: skip
