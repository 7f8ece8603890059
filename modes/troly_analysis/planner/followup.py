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


def is_followup(parsed: ParsedQuestion, previous: Plan | None) -> bool:
    """Whether a message makes sense only after the question before it, or says so itself ("còn …?")."""
    if previous is None or previous.ask is None or previous.ask.form == "schema":
        return False
    draft = parsed.draft
    if not _changes(draft):
        return False
    opening = [mention for mention in draft.mentions[:2] if mention.has("follow", "only")]
    closing = [mention for mention in draft.mentions[-2:] if mention.has("follow", "only")]
    marked = bool(opening or closing)
    if draft.said and (draft.groups or draft.conditions or draft.period) and not marked:
        return False
    if draft.said and not marked:
        return False
    rows = any(is_rows(mention) for mention in draft.mentions)
    if (rows or draft.any("count", "sum")) and not marked:
        return False
    return len(draft.wording.words) <= (_SHORT + 4 if marked else _SHORT)


def _changes(draft: QueryDraft) -> bool:
    given = draft.period or draft.versus or draft.conditions or draft.groups or draft.limit or draft.said
    return (
        bool(given)
        or bool(_new_operation(draft))
        or bool(direction(draft))
        or _named_dimension(draft) is not None
        or draft.any("all")
    )


def _new_operation(draft: QueryDraft) -> Operation | None:
    return next((op for op in OPERATIONS if op in {"sum", "avg"} and draft.any(op)), None)


def _named_dimension(draft: QueryDraft) -> tuple[Mention, Group] | None:
    """A dimension that is only named ("tỉnh thì sao?"), and by which words."""
    for mention in draft.mentions:
        if mention.used or mention.values or is_rows(mention):
            continue
        if mention.unit and draft.date_ref and not mention.targets:
            return mention, Group(draft.date_ref, mention.unit)  # type: ignore[arg-type]
        target = dimension(draft, mention) if mention.targets else None
        if target and target.ref and target.ref.kind in {"text", "boolean"}:
            return mention, Group(target.ref)
    return None


def follow(parsed: ParsedQuestion, previous: Plan) -> DataQuery:
    """The question before, changed by what the message names."""
    draft, ask = parsed.draft, previous.ask or parsed.ask
    ask = _figures(draft, ask)
    ask = _grouping(draft, ask)
    ask = _when(draft, ask)
    ask = replace(ask, conditions=_conditions(draft, ask))
    if ask.part and any(c.ref == p.ref for c in draft.conditions for p in ask.part):
        same = {p.ref for p in ask.part}
        part = tuple(c for c in draft.conditions if c.ref in same)
        ask = replace(ask, part=part, conditions=tuple(c for c in ask.conditions if c.ref not in same))
    if draft.limit:
        form = "top" if ask.groups and ask.form in {"groups", "scalar", "top", "distinct"} else ask.form
        ask = replace(ask, limit=draft.limit, form=form, order=ask.order or "desc")
    turned = direction(draft)
    if turned and (ask.form in {"top", "rows"} or (ask.form == "groups" and not draft.limit)):
        limit = ask.limit or (1 if draft.any("max", "min") else TOP)
        ask = replace(ask, order=turned, form="rows" if ask.form == "rows" else "top", limit=limit)
    return ask


def _figures(draft: QueryDraft, ask: DataQuery) -> DataQuery:
    if draft.said:
        form = ask.form
        if form in {"distinct", "rows"}:
            form = "groups" if ask.groups else "scalar"
        return replace(ask, measures=draft.said, form=form)
    op = _new_operation(draft)
    if op:
        return replace(
            ask, measures=tuple(replace(m, op=op) if m.ref and not m.metric else m for m in ask.measures)
        )
    return ask


def _grouping(draft: QueryDraft, ask: DataQuery) -> DataQuery:
    groups = tuple(draft.groups)
    if not (groups or draft.period or draft.conditions or draft.said) and (loose := _named_dimension(draft)):
        mention, group = loose
        mention.used, groups = True, (group,)
    if not groups:
        return ask
    kept = [c for c in ask.conditions if not (len(groups) == 1 and c.ref == groups[0].ref and c.op == "eq")]
    form = ask.form if ask.form in {"compare", "share", "top"} else "groups"
    return replace(
        ask, groups=groups, conditions=tuple(kept), form=form, limit=ask.limit if form == "top" else 0
    )


def _when(draft: QueryDraft, ask: DataQuery) -> DataQuery:
    date_ref = ask.date_ref or draft.date_ref
    if draft.versus_only and draft.versus:
        period = ask.period or counterpart(draft.versus, draft.today)
        base = draft.versus if period != draft.versus else preceding(period)
        return replace(ask, date_ref=date_ref, period=period, versus=base, form="compare")
    if draft.versus and draft.period:
        return replace(ask, date_ref=date_ref, period=draft.period, versus=draft.versus, form="compare")
    if draft.period:
        versus = preceding(draft.period) if ask.versus else None
        return replace(ask, date_ref=date_ref, period=draft.period, versus=versus)
    if draft.any("all") and not draft.conditions and not draft.groups and not draft.limit:
        form = ask.form if ask.form != "compare" else ("groups" if ask.groups else "scalar")
        return replace(ask, period=None, versus=None, conditions=(), form=form)
    return ask


def _conditions(draft: QueryDraft, ask: DataQuery) -> tuple[Condition, ...]:
    new = tuple(draft.conditions)
    named = {condition.ref for condition in new}
    return (*(condition for condition in ask.conditions if condition.ref not in named), *new)
