"""Plans a question: which sheet, alone or as a change to the one before, its calls, and what to say or ask first."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from troly.text.fold import fold
from troly_analysis.planner.calls import chart_of, compose, out_of_reach
from troly_analysis.planner.coverage import broken, essential_word, texts
from troly_analysis.planner.draft import ParsedQuestion, QueryDraft
from troly_analysis.planner.followup import ASSUMED, follow, is_followup
from troly_analysis.planner.parser import unit_for
from troly_analysis.planner.periods import counterpart, is_partial, span_of
from troly_analysis.planner.question import QuestionAnalysis
from troly_analysis.planner.schema import schema_of
from troly_analysis.planner.types import DataQuery, Group, Note, Plan
from troly_analysis.types import Sheet

_TIE = 0.05


def plan(question: QuestionAnalysis) -> Plan:
    """What to do for a question that was understood; see `Plan`."""
    if not question.sheets:
        return Plan(question.text, missing=(question.text,) if question.text.strip() else ())
    if question.query is not None:
        return _suggested(question, question.query)
    if not question.parses:
        return Plan(question.text)
    best, rival = question.parses[0], _rival(question)
    if rival is not None:
        names = (best.draft.schema.sheet.name, rival.draft.schema.sheet.name)
        return Plan(
            question.text,
            sheet=names[0],
            question=Note("which_sheet", {"options": names}),
            options=names,
            pending="sheet",
            choices=question.choices,
            confidence=0.4,
        )
    return _parsed(question, best)


def _suggested(question: QuestionAnalysis, query: DataQuery) -> Plan:
    """The plan of a suggestion: its query is known, nothing is assumed and nothing can be missing."""
    sheet = next(sheet for sheet in question.sheets if sheet.name == query.sheet)
    calls = compose(query, schema_of(sheet, question.sheets), question.text)
    return Plan(
        question.text,
        calls=calls,
        sheet=sheet.name,
        ask=query,
        shown=tuple(_made_notes(query)),
        chart=chart_of(query) if calls else None,
        confidence=1.0,
    )


def _rival(question: QuestionAnalysis) -> ParsedQuestion | None:
    """The parse over another sheet that fits as well; None when one is clearly meant."""
    previous = question.previous
    if len(question.parses) < 2 or question.choices.get("sheet") or (previous is not None and previous.ask):
        return None
    first, second = question.parses[:2]
    if first.score - second.score > _TIE or first.score < 1.2 or not second.ask.measures:
        return None
    return second


def _parsed(question: QuestionAnalysis, parsed: ParsedQuestion) -> Plan:
    """The plan of the parse that fits best, alone or as a change to the question before."""
    text, today, previous = question.text, question.today, question.previous
    schema = parsed.draft.schema
    followed = previous is not None and previous.sheet == schema.sheet.name and is_followup(parsed, previous)
    ask = follow(parsed, previous) if followed and previous else parsed.ask
    ask = _timed(ask, parsed, today)
    draft = parsed.draft
    notes = [note for note in draft.notes if not (followed and note.key in ASSUMED)]
    notes += _span_notes(ask, schema.sheet) + _made_notes(ask)
    missing = () if "ignore" in question.choices else _missing(draft, ask)
    asked_back, options, pending = draft.question, draft.options, draft.pending
    worth = _worth(parsed, ask, followed=followed)
    if followed and pending == "figure":
        asked_back, options, pending = None, (), ""
    if (
        asked_back is None
        and missing
        and (doubtful := essential_word(missing, parsed, answered=worth and not followed))
    ):
        asked_back = Note("unknown", {"said": doubtful, "sheet": schema.sheet.name})
        options, pending = (), "ignore"
    stuck = asked_back or out_of_reach(ask) or not worth
    calls = () if stuck else compose(ask, schema, text)
    return Plan(
        text,
        calls=calls,
        sheet=schema.sheet.name,
        ask=ask,
        shown=tuple(notes),
        question=asked_back,
        options=options,
        chart=chart_of(ask) if calls else None,
        partial_period=is_partial(ask.period, today) or is_partial(ask.versus, today),
        missing=missing,
        confidence=0.0 if not calls else parsed.confidence,
        choices=question.choices,
        pending=pending,
        followed=followed,
    )


def _missing(draft: QueryDraft, ask: DataQuery) -> tuple[str, ...]:
    """What of the message was not found in the sheet, or is not in the answer."""
    left = [
        text for text in texts(draft, broken(draft, ask)) if not any(text in each for each in draft.missing)
    ]
    return tuple(dict.fromkeys([*draft.missing, *left, *out_of_reach(ask)]))


def _timed(ask: DataQuery, parsed: ParsedQuestion, today: date) -> DataQuery:
    """Fill in what time adds: the present period in a comparison with the past, the unit of a trend."""
    draft = parsed.draft
    if draft.versus_only and ask.versus and ask.period is None:
        period = counterpart(ask.versus, today)
        if "cung k" in fold(ask.versus.label) or "same period" in fold(ask.versus.label):
            period = counterpart(replace(ask.versus), today)
        draft.note("counterpart", start=period.start, end=period.end)
        ask = replace(ask, period=period, form="compare")
    elif ask.form == "compare" and ask.period is None:
        ask = replace(ask, form="groups" if ask.groups else "scalar", versus=None)
    elif ask.versus and ask.period and ask.form != "compare":
        ask = replace(ask, form="compare")
    if ask.form == "trend" and ask.date_ref:
        span = span_of(draft, ask.date_ref)
        first, last = (ask.period.start, ask.period.end) if ask.period else span or (today, today)
        unit = unit_for(first, last)
        draft.note("trend_unit", unit=Note(f"unit_{unit}"))
        ask = replace(ask, form="groups", groups=(*ask.groups, Group(ask.date_ref, unit)))
    return ask


def _worth(parsed: ParsedQuestion, ask: DataQuery, *, followed: bool) -> bool:
    """Whether enough of the sheet is named for an answer to mean anything."""
    if followed or ask.form == "schema":
        return True
    draft = parsed.draft
    named = draft.said or draft.groups or draft.conditions or draft.entity or draft.having
    if named:
        return True
    shaped = any(label.startswith("of ") for mention in draft.mentions for label in mention.labels)
    return any(mention.targets for mention in draft.mentions) or (
        (shaped or draft.any("seller", "slow seller", "aov")) and bool(ask.measures)
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
