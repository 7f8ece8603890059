"""Plans a question: which sheet, alone or as a change to the one before, its calls, and what to say or ask first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from troly.text.fold import fold, tokens
from troly_analysis.planner.calls import chart_of, compose, out_of_reach
from troly_analysis.planner.coverage import broken, essential_word, texts
from troly_analysis.planner.draft import ParsedQuestion, QueryDraft, dimension, is_rows
from troly_analysis.planner.forms import TOP, direction
from troly_analysis.planner.parser import parse_question, unit_for
from troly_analysis.planner.periods import counterpart, is_partial, preceding, span_of
from troly_analysis.planner.schema import Schema, schema_of
from troly_analysis.planner.types import Condition, DataQuery, Group, Lookup, Note, Plan
from troly_analysis.planner.wording import without_sheet
from troly_analysis.types import OPERATIONS, Operation, Sheet

# Reads a message as a change to the question before it: "còn tháng trước?", "theo tỉnh thì sao", "top 3 thôi".


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
        or _loose(state) is not None
        or state.any("all")
    )


def _new_operation(state: QueryDraft) -> Operation | None:
    return next((op for op in OPERATIONS if op in {"sum", "avg"} and state.any(op)), None)


def _loose(state: QueryDraft) -> Group | None:
    """A dimension that is only named ("tỉnh thì sao?")."""
    for mention in state.mentions:
        if mention.used or mention.values or is_rows(mention):
            continue
        if mention.unit and state.date_ref and not mention.targets:
            return Group(state.date_ref, mention.unit)  # type: ignore[arg-type]
        target = dimension(state, mention) if mention.targets else None
        if target and target.ref and target.ref.kind in {"text", "boolean"}:
            mention.used = True
            return Group(target.ref)
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
    loose = None if (state.groups or state.period or state.conditions or state.said) else _loose(state)
    groups = tuple(state.groups) or ((loose,) if loose else ())
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


_TIE = 0.05
_IGNORE = ("bo qua", "ignore", "khong can", "skip")


@dataclass(frozen=True, slots=True)
class _Reading:
    schema: Schema
    heard: ParsedQuestion
    score: float


def plan(
    text: str,
    sheets: Sequence[Sheet],
    now: datetime,
    previous: Plan | None = None,
    values: Lookup | None = None,
) -> Plan:
    """What to do for `text`, asked at `now` over these sheets; see `Plan`.

    `previous` is the plan of the question before, which a follow-up changes and an option answers. `values` looks up
    values of columns too long for `Field.examples`.
    """
    choices: dict[str, str] = {}
    ignore = False
    if previous is not None and previous.question is not None:
        answered = _answer(text, previous)
        if answered is not None:
            choices = {**previous.choices, **answered}
            ignore = "ignore" in answered
            text, previous = previous.text, None
    if not sheets:
        return Plan(text, missing=(text,) if text.strip() else ())
    readings = _readings(text, sheets, now.date(), choices=choices, values=values, previous=previous)
    if not readings:
        return Plan(text)
    best = readings[0]
    rival = _rival(readings, choices, previous)
    if rival is not None:
        names = (best.schema.sheet.name, rival.schema.sheet.name)
        note = Note("which_sheet", {"options": names})
        return Plan(
            text,
            sheet=names[0],
            question=note,
            options=names,
            pending="sheet",
            choices=choices,
            confidence=0.4,
        )
    return _made(text, best, now.date(), choices, previous, ignore=ignore)


def _answer(text: str, previous: Plan) -> dict[str, str] | None:
    """What an answer to the open question chooses; None when it is no answer."""
    said = " ".join(token.folded for token in tokens(text))
    if previous.pending == "ignore":
        return {"ignore": "1"} if any(said.startswith(word) for word in _IGNORE) else None
    for nth, option in enumerate(previous.options, 1):
        name = " ".join(token.folded for token in tokens(option))
        if said in {name, str(nth), f"so {nth}", f"option {nth}"} or (
            name and said.endswith(f" {name}") and len(said) < len(name) + 12
        ):
            return {previous.pending: option}
    return None


def _readings(
    text: str,
    sheets: Sequence[Sheet],
    today: date,
    *,
    choices: Mapping[str, str],
    values: Lookup | None,
    previous: Plan | None,
) -> list[_Reading]:
    text, named = without_sheet(text, sheets)
    chosen = choices.get("sheet") or named
    wanted = [sheet for sheet in sheets if sheet.name == chosen] or list(sheets)
    found = []
    for sheet in wanted:
        schema = schema_of(sheet, tuple(sheets))
        heard = parse_question(text, schema, today, choices, values)
        found.append(_Reading(schema, heard, _score(heard, sheet, previous)))
    return sorted(found, key=lambda reading: -reading.score)


def _score(heard: ParsedQuestion, sheet: Sheet, previous: Plan | None) -> float:
    """How well a sheet fits the message: what of it is named, less what is not found."""
    state = heard.state
    score = heard.confidence
    for mention in state.mentions:
        if mention.values and mention.used:
            score += mention.values[0].weight
        elif mention.targets:
            rows = mention.targets[0].ref is None and mention.targets[0].metric is None
            score += mention.targets[0].weight * (1.15 if rows else 1.0)
    score -= 1.0 * len(state.missing)
    foreign = {c.ref.sheet for c in state.conditions} | {g.ref.sheet for g in state.groups}
    foreign |= {m.ref.sheet for m in state.measures if m.ref}
    score -= 0.2 * len(foreign - {""})
    if any(m.ref and m.ref.sheet for m in state.said):
        score -= 0.5
    if state.period and state.date_ref is None:
        score -= 1.0
    sold = state.any("seller", "slow seller", "sold", "bought")
    if sold and heard.state.schema.of("quantity", "revenue") is None:
        score -= 1.0
    if fold(sheet.name) in fold(state.wording.text):
        score += 0.5
    if previous is not None and previous.sheet == sheet.name:
        score += 0.6
    return score


def _rival(
    readings: Sequence[_Reading], choices: Mapping[str, str], previous: Plan | None
) -> _Reading | None:
    """Another sheet that fits as well; None when one is clearly meant."""
    if len(readings) < 2 or choices.get("sheet") or (previous is not None and previous.ask is not None):
        return None
    first, second = readings[:2]
    if first.score - second.score > _TIE or first.score < 1.2 or not second.heard.ask.measures:
        return None
    return second


def _made(
    text: str, best: _Reading, today: date, choices: Mapping[str, str], previous: Plan | None, *, ignore: bool
) -> Plan:
    heard, schema = best.heard, best.schema
    followed = previous is not None and previous.sheet == schema.sheet.name and is_followup(heard, previous)
    ask = follow(heard, previous) if followed and previous else heard.ask
    ask = _timed(ask, heard, today)
    state = heard.state
    notes = [note for note in state.notes if not (followed and note.key in ASSUMED)]
    notes += _span_notes(ask, schema.sheet) + _made_notes(ask)
    missing = () if ignore else _missing(state, ask)
    question, options, pending = state.question, state.options, state.pending
    worth = _worth(heard, ask, followed=followed)
    if followed and pending == "figure":
        question, options, pending = None, (), ""
    if (
        question is None
        and missing
        and (doubtful := essential_word(missing, heard, answered=worth and not followed))
    ):
        question = Note("unknown", {"said": doubtful, "sheet": schema.sheet.name})
        options, pending = (), "ignore"
    stuck = question or out_of_reach(ask) or not worth
    calls = () if stuck else compose(ask, schema, text)
    return Plan(
        text,
        calls=calls,
        sheet=schema.sheet.name,
        ask=ask,
        shown=tuple(notes),
        question=question,
        options=options,
        chart=chart_of(ask) if calls else None,
        partial_period=is_partial(ask.period, today) or is_partial(ask.versus, today),
        missing=missing,
        confidence=0.0 if not calls else heard.confidence,
        choices=choices,
        pending=pending,
        followed=followed,
    )


def _missing(state: QueryDraft, ask: DataQuery) -> tuple[str, ...]:
    """What of the message was not found in the sheet, or is not in the answer."""
    left = [
        text for text in texts(state, broken(state, ask)) if not any(text in each for each in state.missing)
    ]
    return tuple(dict.fromkeys([*state.missing, *left, *out_of_reach(ask)]))


def _timed(ask: DataQuery, heard: ParsedQuestion, today: date) -> DataQuery:
    """Fill in what time adds: the present period in a comparison with the past, the unit of a trend."""
    state = heard.state
    if state.versus_only and ask.versus and ask.period is None:
        period = counterpart(ask.versus, today)
        if "cung k" in fold(ask.versus.label) or "same period" in fold(ask.versus.label):
            period = counterpart(replace(ask.versus), today)
        state.note("counterpart", start=period.start, end=period.end)
        ask = replace(ask, period=period, form="compare")
    elif ask.form == "compare" and ask.period is None:
        ask = replace(ask, form="groups" if ask.groups else "scalar", versus=None)
    elif ask.versus and ask.period and ask.form != "compare":
        ask = replace(ask, form="compare")
    if ask.form == "trend" and ask.date_ref:
        span = span_of(state, ask.date_ref)
        first, last = (ask.period.start, ask.period.end) if ask.period else span or (today, today)
        unit = unit_for(first, last)
        state.note("trend_unit", unit=Note(f"unit_{unit}"))
        ask = replace(ask, form="groups", groups=(*ask.groups, Group(ask.date_ref, unit)))
    return ask


def _worth(heard: ParsedQuestion, ask: DataQuery, *, followed: bool) -> bool:
    """Whether enough of the sheet is named for an answer to mean anything."""
    if followed or ask.form == "schema":
        return True
    state = heard.state
    named = state.said or state.groups or state.conditions or state.entity or state.having
    if named:
        return True
    shaped = any(label.startswith("of ") for mention in state.mentions for label in mention.labels)
    return any(mention.targets for mention in state.mentions) or (
        (shaped or state.any("seller", "slow seller", "aov")) and bool(ask.measures)
    )


def _span_notes(ask: DataQuery, sheet: Sheet) -> list[Note]:
    """What to say when the data do not cover the days asked for."""
    if sheet.span is None or ask.date_ref is None or ask.date_ref.name != sheet.date_field:
        return []
    first, last = sheet.span
    for period in (ask.period, ask.versus):
        if period and (period.start > last or period.end < first):
            return [Note("outside", {"start": period.start, "end": period.end, "first": first, "last": last})]
    return []


def _made_notes(ask: DataQuery) -> list[Note]:
    """What to say of figures that no column holds."""
    refs = [
        *(measure.ref for measure in ask.measures),
        *(each.ref for each in (*ask.having, *ask.conditions)),
    ]
    made = dict.fromkeys(ref for ref in refs if ref and ref.parts)
    return [Note("derived", {"figure": ref.name}) for ref in made]
