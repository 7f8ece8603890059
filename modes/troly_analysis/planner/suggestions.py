"""Next questions worth asking of a sheet, made from its own columns; each is one the planner itself can answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly_analysis.planner.planner import plan as make_plan
from troly_analysis.planner.schema import Schema, is_code, schema_of
from troly_analysis.planner.types import Condition, DataQuery, Group, Measure, Note, Period, Plan, Ref
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, Sheet

WANTED = 3
_MOST_TRIED = 24
_FEW = 40


def first_questions(sheets: Sequence[Sheet], lang: Lang) -> tuple[str, ...]:
    """Questions to begin with, over the largest sheet; the documents' own examples where there is none."""
    asked = suggest_questions(max(sheets, key=lambda sheet: sheet.rows), None, lang) if sheets else ()
    return asked or tuple(say(f"mode.question_{number}", lang) for number in (1, 2, 3))


def suggest_questions(sheet: Sheet, plan: Plan | None, lang: Lang) -> tuple[str, ...]:
    """Up to three questions over `sheet` that follow on from `plan`; every one plans to calls, with nothing missing.

    Fewer than three only for a sheet of which fewer can be asked.
    """
    now = _moment(sheet)
    asked = fold(plan.text) if plan else ""
    found: list[str] = []
    for nth, text in enumerate(_candidates(sheet, plan, lang)):
        if len(found) == WANTED or nth >= _MOST_TRIED:
            break
        if text in found or fold(text) == asked:
            continue
        made = make_plan(text, (sheet,), now)
        same = plan is not None and made.calls == plan.calls
        if made.calls and not made.missing and made.question is None and not same:
            found.append(text)
    return tuple(found)


def _moment(sheet: Sheet) -> datetime:
    last = sheet.span[1] if sheet.span else sheet.imported_at.date()
    return datetime(last.year, last.month, last.day, tzinfo=sheet.imported_at.tzinfo)


def _candidates(sheet: Sheet, plan: Plan | None, lang: Lang) -> Iterator[str]:
    schema = schema_of(sheet)
    names = [metric.name for metric in sheet.metrics[:2]]
    figures = list(dict.fromkeys([*_said(plan), *names, *_figures(schema)]))[:4]
    dimensions = [ref for ref in _dimensions(schema) if not _used(plan, ref)]

    def ask(key: str, **params: object) -> str:
        return Note(f"ask_{key}", params).say(lang)

    for figure in figures[:1]:
        yield from (ask("by", figure=figure, group=ref.name) for ref in dimensions[:1])
        if sheet.date_field:
            yield ask("month", figure=figure)
        yield from (ask("top", figure=figure, group=ref.name) for ref in dimensions[1:2] or dimensions[:1])
    for ref in dimensions[:3]:
        yield ask("count", group=ref.name)
    for figure in figures:
        yield from (ask("by", figure=figure, group=ref.name) for ref in dimensions[1:3])
        yield ask("sum", figure=figure)
        yield ask("avg", figure=figure)
        yield ask("max", figure=figure)
    yield ask("rows")
    yield ask("columns")
    yield from (ask("values", group=ref.name) for ref in dimensions)


def _said(plan: Plan | None) -> list[str]:
    if plan is None or plan.ask is None:
        return []
    return [
        m.metric or (m.ref.name if m.ref and m.ref.kind in NUMERIC else "")
        for m in plan.ask.measures
        if m.metric or (m.ref and m.ref.kind in NUMERIC)
    ]


def _figures(schema: Schema) -> list[str]:
    main = schema.main_measure()
    own = [ref for ref in schema.refs.values() if not ref.sheet and ref.kind in NUMERIC]
    own = [ref for ref in own if not is_code(ref, schema.key(ref), schema.sheet)]
    return list(dict.fromkeys([*([main.name] if main else []), *(ref.name for ref in own)]))


def _dimensions(schema: Schema) -> list[Ref]:
    """The columns worth grouping by: few values first."""
    own = [ref for ref in schema.refs.values() if not ref.sheet and ref.kind == "text"]
    few = [ref for ref in own if 1 < schema.key(ref).distinct <= _FEW]
    many = [
        ref for ref in own if schema.key(ref).distinct > _FEW and schema.key(ref).distinct < schema.sheet.rows
    ]
    return [*sorted(few, key=lambda ref: schema.key(ref).distinct), *many] or own


def _used(plan: Plan | None, ref: Ref) -> bool:
    return (
        plan is not None
        and plan.ask is not None
        and any(group.ref.name == ref.name for group in plan.ask.groups)
    )


# Names what a plan works out, in a few words: "Tổng doanh thu theo Nền tảng, tháng 1/2024".


def title(plan: Plan, lang: Lang) -> str:
    """A short heading for the plan's answer, "" when it has no question understood."""
    if plan.ask is None:
        return ""
    ask = plan.ask
    parts = [_what(ask, lang), *_rows_of(ask, lang)]
    return ", ".join(part for part in parts if part)


def _note(key: str, lang: Lang, **params: object) -> str:
    text = Note(f"title_{key}", params).say(lang)
    return text[:1].upper() + text[1:]


def _what(ask: DataQuery, lang: Lang) -> str:
    groups = ", ".join(_group(group, lang) for group in ask.groups)
    if ask.form == "schema":
        return _note("schema", lang, sheet=ask.sheet)
    if ask.form == "distinct":
        return _note("values", lang, groups=groups)
    figures = ", ".join(_figure(measure, lang, named=ask.form == "scalar") for measure in ask.measures)
    if ask.form == "rows":
        return _note("list", lang, limit=ask.limit, what=figures)
    if ask.form == "top":
        key = "seller" if ask.seller and ask.order == "desc" else "bottom" if ask.order == "asc" else "top"
        return _note(key, lang, limit=ask.limit, groups=groups, what=figures)
    if ask.form == "per":
        return _note("per", lang, what=figures, groups=_group(ask.groups[-1], lang))
    if ask.form == "share":
        figures = _note("share", lang, what=figures)
    if ask.form == "compare":
        figures = _note("compare", lang, what=figures)
    return _note("by", lang, what=figures, groups=groups) if groups else figures[:1].upper() + figures[1:]


def _figure(measure: Measure, lang: Lang, *, named: bool) -> str:
    if measure.metric:
        return measure.metric
    if measure.ref is None:
        return _note("count", lang, what=measure.noun or Note("title_rows").say(lang)).lower()
    name = measure.ref.name[:1].lower() + measure.ref.name[1:]
    if measure.distinct:
        return _note("distinct", lang, what=name)
    if measure.median:
        return _note("median", lang, what=name)
    return _note(measure.op, lang, what=name) if named or measure.op != "sum" else name


def _group(group: Group, lang: Lang) -> str:
    return Note(f"unit_{group.unit}").say(lang) if group.unit else group.ref.name


def _rows_of(ask: DataQuery, lang: Lang) -> list[str]:
    parts = [_condition(condition, lang) for condition in (*ask.part, *ask.conditions)]
    periods = [period for period in (ask.period, ask.versus) if period is not None]
    return [*parts, " / ".join(_period(period) for period in periods)]


def _condition(condition: Condition, lang: Lang) -> str:
    if condition.op in {"ne", "nin"} and condition.value is not None:
        return Note("not", {"value": condition.said}).say(lang)
    return condition.said


def _period(period: Period) -> str:
    return (
        period.label
        or f"{period.start.day}/{period.start.month}/{period.start.year} - {period.end.day}/{period.end.month}/{period.end.year}"
    )
