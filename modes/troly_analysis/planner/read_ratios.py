"""Reads figures made of others: one sum over another, and the value of an order that has several rows."""

from __future__ import annotations

from troly.text.fold import fold
from troly_analysis.planner.derived import made_of
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Group, Measure, averaged
from troly_analysis.planner.state import State, figure


def read_ratio(state: State) -> None:
    """ "Cost per lead", "tiền dầu trên mỗi km": one sum over another."""
    if len(state.measures) != 2 or (state.groups and len(state.groups) > 3):
        return
    for nth, mention in enumerate(state.mentions):
        if not _is_per(mention):
            continue
        target = next((figure(state, m) for m in state.mentions[nth + 1 : nth + 3] if m.targets), None)
        first, second = state.measures
        if target is None or target.ref != second.ref or not (first.ref and second.ref):
            continue
        if averaged(first.ref) or averaged(second.ref):
            return
        mention.used = True
        state.measures = [Measure("sum", first.ref, over=second.ref, noun=first.noun)]
        return


def read_difference(state: State) -> None:
    """ "Chênh lệch giữa phải đóng và đã đóng", "doanh thu trừ chi phí": one column less another, row by row."""
    if len(state.measures) != 2 or state.versus:
        return
    first, second = state.measures
    said = next((m for m in state.mentions if m.has("gap", "minus") and not m.used and not m.targets), None)
    plain = all(each.op == "sum" and each.ref and not each.ref.sheet for each in (first, second))
    if said is None or not plain or not (first.ref and second.ref):
        return
    said.used = True
    for mention in state.mentions:
        if mention.has("gap", "minus", "much"):
            mention.used = True
    state.measures = [Measure("sum", made_of(first.ref, "-", second.ref), noun=first.noun)]


def _is_per(mention: Mention) -> bool:
    return mention.has("per") and fold(mention.text) not in {"mot", "a", "every"}


def read_each_order(state: State) -> None:
    """ "Giá trị hóa đơn trung bình" where a bill has several rows: the mean of the bills' sums, not of the rows."""
    order = state.schema.of("order")
    if order is None or order == state.schema.row_ref or state.per or state.groups or not state.any("avg"):
        return
    named = [m for m in state.mentions if not m.used and m.targets and m.targets[0].ref == order]
    means = [measure for measure in state.measures if measure.op == "avg" and measure.ref]
    if not named or (
        state.measures and not any(measure.ref and not averaged(measure.ref) for measure in means)
    ):
        return
    ref = means[0].ref if means else state.schema.main_measure()
    if ref is None:
        return
    named[0].used = True
    state.per = Group(order)
    state.measures = [Measure("sum", ref, noun=named[0].text)]
    state.note("order_value_each", field=ref.name, order=order.name)


def order_value(state: State) -> Measure | None:
    """The value of an order on average: over rows when each is an order, else over the different orders."""
    ref = state.schema.of("revenue") or state.schema.main_measure()
    if ref is None:
        return None
    for mention in state.mentions:
        if mention.has("aov"):
            mention.used = True
    order = state.schema.of("order")
    if order is not None and order != state.schema.row_ref and state.schema.key(order).distinct:
        state.per = Group(order)
        state.note("order_value_each", field=ref.name, order=order.name)
        return Measure("sum", ref, noun="aov")
    state.note("order_value", field=ref.name)
    return Measure("avg", ref, noun="aov")
