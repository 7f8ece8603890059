"""Reads a message as a change to the question before it: "còn tháng trước?", "theo tỉnh thì sao", "top 3 thôi"."""

from __future__ import annotations

from dataclasses import replace

from troly_analysis.planner.draft import ParsedQuestion, QueryDraft, dimension, is_rows
from troly_analysis.planner.forms import TOP, direction
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.periods import counterpart, preceding
from troly_analysis.planner.types import Condition, DataQuery, Group, Plan
from troly_analysis.types import OPERATIONS, Operation

_SHORT = 9
ASSUMED = frozenset(
    {"measure", "seller_measure", "limit", "counted_rows", "averaged", "date_field", "pieces", "order_value"}
)


def is_followup(heard: ParsedQuestion, previous: Plan | None) -> bool:
    """Whether a message makes sense only after the question before it, or says so itself ("còn …?")."""
    if previous is None or previous.ask is None or previous.ask.form == "schema":
        return False
    state = heard.state
    if not _changes(state):
        return False
    opening = [mention for mention in state.mentions[:2] if mention.has("follow", "only")]
    closing = [mention for mention in state.mentions[-2:] if mention.has("follow", "only")]
    marked = bool(opening or closing)
    if state.said and (state.groups or state.conditions or state.period) and not marked:
        return False
    if state.said and not marked:
        return False
    rows = any(is_rows(mention) for mention in state.mentions)
    if (rows or state.any("count", "sum")) and not marked:
        return False
    return len(state.wording.words) <= (_SHORT + 4 if marked else _SHORT)


def _changes(state: QueryDraft) -> bool:
    given = state.period or state.versus or state.conditions or state.groups or state.limit or state.said
    return (
        bool(given)
        or bool(_new_operation(state))
        or bool(direction(state))
        or _named_dimension(state) is not None
        or state.any("all")
    )


def _new_operation(state: QueryDraft) -> Operation | None:
    return next((op for op in OPERATIONS if op in {"sum", "avg"} and state.any(op)), None)


def _named_dimension(state: QueryDraft) -> tuple[Mention, Group] | None:
    """A dimension that is only named ("tỉnh thì sao?"), and by which words."""
    for mention in state.mentions:
        if mention.used or mention.values or is_rows(mention):
            continue
        if mention.unit and state.date_ref and not mention.targets:
            return mention, Group(state.date_ref, mention.unit)  # type: ignore[arg-type]
        target = dimension(state, mention) if mention.targets else None
        if target and target.ref and target.ref.kind in {"text", "boolean"}:
            return mention, Group(target.ref)
    return None


def follow(heard: ParsedQuestion, previous: Plan) -> DataQuery:
    """The question before, changed by what the message names."""
    state, ask = heard.state, previous.ask or heard.ask
    ask = _figures(state, ask)
    ask = _grouping(state, ask)
    ask = _when(state, ask)
    ask = replace(ask, conditions=_conditions(state, ask))
    if ask.part and any(c.ref == p.ref for c in state.conditions for p in ask.part):
        same = {p.ref for p in ask.part}
        part = tuple(c for c in state.conditions if c.ref in same)
        ask = replace(ask, part=part, conditions=tuple(c for c in ask.conditions if c.ref not in same))
    if state.limit:
        form = "top" if ask.groups and ask.form in {"groups", "scalar", "top", "distinct"} else ask.form
        ask = replace(ask, limit=state.limit, form=form, order=ask.order or "desc")
    turned = direction(state)
    if turned and (ask.form in {"top", "rows"} or (ask.form == "groups" and not state.limit)):
        limit = ask.limit or (1 if state.any("max", "min") else TOP)
        ask = replace(ask, order=turned, form="rows" if ask.form == "rows" else "top", limit=limit)
    return ask


def _figures(state: QueryDraft, ask: DataQuery) -> DataQuery:
    if state.said:
        form = ask.form
        if form in {"distinct", "rows"}:
            form = "groups" if ask.groups else "scalar"
        return replace(ask, measures=state.said, form=form)
    op = _new_operation(state)
    if op:
        return replace(
            ask, measures=tuple(replace(m, op=op) if m.ref and not m.metric else m for m in ask.measures)
        )
    return ask


def _grouping(state: QueryDraft, ask: DataQuery) -> DataQuery:
    groups = tuple(state.groups)
    if not (groups or state.period or state.conditions or state.said) and (loose := _named_dimension(state)):
        mention, group = loose
        mention.used, groups = True, (group,)
    if not groups:
        return ask
    kept = [c for c in ask.conditions if not (len(groups) == 1 and c.ref == groups[0].ref and c.op == "eq")]
    form = ask.form if ask.form in {"compare", "share", "top"} else "groups"
    return replace(
        ask, groups=groups, conditions=tuple(kept), form=form, limit=ask.limit if form == "top" else 0
    )


def _when(state: QueryDraft, ask: DataQuery) -> DataQuery:
    date_ref = ask.date_ref or state.date_ref
    if state.versus_only and state.versus:
        period = ask.period or counterpart(state.versus, state.today)
        base = state.versus if period != state.versus else preceding(period)
        return replace(ask, date_ref=date_ref, period=period, versus=base, form="compare")
    if state.versus and state.period:
        return replace(ask, date_ref=date_ref, period=state.period, versus=state.versus, form="compare")
    if state.period:
        versus = preceding(state.period) if ask.versus else None
        return replace(ask, date_ref=date_ref, period=state.period, versus=versus)
    if state.any("all") and not state.conditions and not state.groups and not state.limit:
        form = ask.form if ask.form != "compare" else ("groups" if ask.groups else "scalar")
        return replace(ask, period=None, versus=None, conditions=(), form=form)
    return ask


def _conditions(state: QueryDraft, ask: DataQuery) -> tuple[Condition, ...]:
    new = tuple(state.conditions)
    named = {condition.ref for condition in new}
    return (*(condition for condition in ask.conditions if condition.ref not in named), *new)
