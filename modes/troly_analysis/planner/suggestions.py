"""Next questions worth asking of a sheet, as queries and the sentences that say them; and what a plan works out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.fold import fold
from troly_analysis.planner.builder import unit_for
from troly_analysis.planner.calls import compose, out_of_reach
from troly_analysis.planner.schema import Schema, is_code, metric_measure, of_piece, schema_of, shown_name
from troly_analysis.planner.types import (
    Condition,
    DataQuery,
    Form,
    Group,
    Measure,
    Note,
    Period,
    Plan,
    Ref,
    averaged,
)
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, Field, Operation, Sheet, ToolCall

WANTED = 3
_FEW, _TOP, _SHOWN = 40, 5, 3
_SIGNS = {"gt": ">", "gte": "≥", "lt": "<", "lte": "≤"}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question to offer: its sentence, and the query that it stands for (None for a general example)."""

    text: str
    query: DataQuery | None = None


def first_suggestions(sheets: Sequence[Sheet], lang: Lang) -> tuple[Suggestion, ...]:
    """Questions to begin with, over the largest sheet; the documents' own examples where there is none."""
    found = suggest_questions(max(sheets, key=lambda sheet: sheet.rows), None, lang) if sheets else ()
    return found or tuple(Suggestion(say(f"mode.question_{number}", lang)) for number in (1, 2, 3))


def suggest_questions(sheet: Sheet, plan: Plan | None, lang: Lang) -> tuple[Suggestion, ...]:
    """Up to three questions over `sheet` that follow on from `plan`; each is one that the tools can answer.

    Fewer than three only for a sheet of which fewer can be asked.
    """
    schema = schema_of(sheet)
    asked = {fold(plan.text)} if plan else set()
    work = [_work(plan.calls)] if plan else []
    found: list[Suggestion] = []
    for key, params, query in _candidates(schema, plan):
        text = Note(f"ask_{key}", params).say(lang)
        made = () if out_of_reach(query) else compose(query, schema, text)
        if not made or fold(text) in asked or _work(made) in work:
            continue
        asked.add(fold(text))
        work.append(_work(made))
        found.append(Suggestion(text, query))
        if len(found) == WANTED:
            break
    return tuple(found)


def splits_of(sheet: Sheet, plan: Plan | None, lang: Lang) -> tuple[Suggestion, ...]:
    """What the one figure of `plan` can be drawn by: the days it is of, and the columns of the sheet with few values."""
    ask, schema = plan.ask if plan else None, schema_of(sheet)
    if plan is None or ask is None or ask.form != "scalar" or ask.gap:
        return ()
    day = ask.date_ref or (schema.refs.get(f":{sheet.date_field}") if sheet.date_field else None)
    span = (ask.period.start, ask.period.end) if ask.period else sheet.span
    unit = unit_for(*span) if span else "month"
    groups = [Group(day, unit)] if day and not day.sheet and (not span or span[0] < span[1]) else []
    held = {each.ref for each in ask.conditions}
    groups += [
        Group(ref) for ref in _dimensions(schema) if ref not in held and schema.key(ref).distinct <= _FEW
    ]
    drawn = [
        replace(ask, form="groups", groups=(group,), date_ref=day, chart="any") for group in groups[:WANTED]
    ]
    drawn = [query for query in drawn if not out_of_reach(query) and compose(query, schema, "")]
    return tuple(Suggestion(title(replace(plan, ask=query), lang), query) for query in drawn)


def _work(calls: Sequence[ToolCall]) -> list[tuple[str, dict[str, Any]]]:
    """What calls work out, whatever sentence describes them."""
    given = ((call.tool, call.arguments.items()) for call in calls)
    return [(tool, {k: value for k, value in each if k != "description"}) for tool, each in given]


def _candidates(schema: Schema, plan: Plan | None) -> Iterator[tuple[str, dict[str, str], DataQuery]]:
    """What may be asked, the most telling first: the sentence's key in the catalogue, its names, and the query."""
    sheet = schema.sheet
    measures = _measures(schema, plan)
    dimensions = [ref for ref in _dimensions(schema) if not _used(plan, ref)]
    date_ref = schema.refs.get(f":{sheet.date_field}") if sheet.date_field else None

    def query(form: Form, *measures: Measure, group: Group | None = None) -> DataQuery:
        return DataQuery(sheet.name, form, measures, (group,) if group else ())

    def by(measure: Measure, ref: Ref) -> tuple[str, dict[str, str], DataQuery]:
        names = {"figure": _name(measure), "group": ref.name}
        return "by", names, query("groups", measure, group=Group(ref))

    for measure in measures[:1]:
        yield from (by(measure, ref) for ref in dimensions[:1])
        if date_ref is not None:
            monthly = query("groups", measure, group=Group(date_ref, "month"))
            yield "month", {"figure": _name(measure)}, replace(monthly, date_ref=date_ref)
        for ref in dimensions[1:2] or dimensions[:1]:
            named = (Condition(ref, "ne", None),) if schema.key(ref).blanks else ()
            top = query("top", measure, group=Group(ref))
            top = replace(top, order="desc", limit=_TOP, conditions=named)
            yield "top", {"figure": _name(measure), "group": ref.name}, top
    for ref in dimensions[:3]:
        yield "count", {"group": ref.name}, query("groups", Measure("count"), group=Group(ref))
    for measure in measures:
        yield from (by(measure, ref) for ref in dimensions[1:3])
        yield "sum", {"figure": _name(measure)}, query("scalar", _with(measure, "sum"))
        if not measure.metric:
            yield "avg", {"figure": _name(measure)}, query("scalar", _with(measure, "avg"))
            yield "max", {"figure": _name(measure)}, query("scalar", _with(measure, "max"))
    yield "rows", {}, query("scalar", Measure("count"))
    yield "columns", {}, query("schema")
    for ref in dimensions:
        yield "values", {"group": ref.name}, query("distinct", group=Group(ref))


def _with(measure: Measure, operation: Operation) -> Measure:
    return measure if measure.metric else replace(measure, op=operation)


def _name(measure: Measure) -> str:
    return measure.metric or (measure.ref.name if measure.ref else "")


def _measures(schema: Schema, plan: Plan | None) -> list[Measure]:
    """The figures worth asking for: those of the question before, the sheet's metrics, what it is about, the rest."""
    before = plan.ask.measures if plan is not None and plan.ask is not None else ()
    metrics = [metric_measure(schema, metric) for metric in schema.sheet.metrics]
    named = [each for each in metrics if any(each.metric == measure.metric for measure in before)]
    main = schema.main_measure()
    own = [ref for ref in schema.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
    own = [ref for ref in own if not is_code(ref, schema.key(ref), schema.sheet)]
    asked = [measure.ref for measure in before if not measure.metric and measure.ref in own]
    columns = [ref for ref in [*asked, main, *own] if ref is not None and not of_piece(ref, schema)]
    figures = [Measure("avg" if averaged(ref) else "sum", ref, noun=ref.name) for ref in columns]
    ahead = figures[: len(asked)]
    return list({_name(each): each for each in [*named, *ahead, *metrics[:2], *figures]}.values())[:4]


def _dimensions(schema: Schema) -> list[Ref]:
    """The columns worth grouping by: few values first."""
    own = [ref for ref in schema.refs.values() if not ref.sheet and ref.kind == "text"]
    few = [ref for ref in own if 1 < schema.key(ref).distinct <= _FEW]
    many = [
        ref for ref in own if schema.key(ref).distinct > _FEW and schema.key(ref).distinct < schema.sheet.rows
    ]
    return [*sorted(few, key=lambda ref: schema.key(ref).distinct), *many] or own


def _used(plan: Plan | None, ref: Ref) -> bool:
    groups = plan.ask.groups if plan is not None and plan.ask is not None else ()
    return any(group.ref.name == ref.name for group in groups)


def title(plan: Plan, lang: Lang, rows: int = 0) -> str:
    """A short heading for the plan's answer, "" when it has no question understood; of a list of `rows` rows, where known."""
    if plan.ask is None:
        return ""
    ask = replace(plan.ask, limit=min(plan.ask.limit, rows)) if rows and not plan.ask.rank else plan.ask
    if ask.form == "rows" and ask.limit == 1 and not ask.order and len(ask.conditions) == 1:
        return f"{ask.conditions[0].ref.name} {ask.conditions[0].value}"
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
        end: Operation = "min" if ask.order == "asc" else "max"
        listed = [replace(each, op=end) if each.op == "max" else each for each in ask.measures]
        figures = ", ".join(_figure(each, lang, named=False) for each in listed)
        return _note("list", lang, limit=ask.limit, what=figures)
    if ask.form == "top":
        key = "seller" if ask.seller and ask.order == "desc" else "bottom" if ask.order == "asc" else "top"
        inner = ", ".join(_group(group, lang) for group in ask.groups if group not in ask.within)
        ranked = _note(key, lang, limit=ask.limit, groups=inner, what=figures)
        outer = ", ".join(_group(group, lang) for group in ask.within)
        return _note("by", lang, what=ranked, groups=outer) if outer else ranked
    if ask.per and ask.form in {"per", "compare"}:
        figures = ", ".join(_figure(replace(each, op="sum"), lang, named=False) for each in ask.measures)
        over = ", ".join(_group(each, lang) for each in ask.per)
        figures = _note("per", lang, what=figures[:1].upper() + figures[1:], groups=over)
    if ask.form == "share" or ask.part:
        figures = _note("share", lang, what=figures)
    if ask.form == "compare" and not ask.turn:
        figures = _note("compare", lang, what=_inside(figures))
    groups = "" if ask.form == "per" else groups
    key = {"asc": "fell", "desc": "rose"}.get(ask.turn, "by")
    if ask.count_groups:
        key, bounds = "counted", [f"{_SIGNS.get(each.op, '=')} {each.said}" for each in ask.having]
        figures = f"{figures} {', '.join(bounds)}"
    return _note(key, lang, what=figures, groups=groups) if groups else figures[:1].upper() + figures[1:]


def _figure(measure: Measure, lang: Lang, *, named: bool) -> str:
    if measure.metric:
        return measure.metric
    if measure.ref is None:
        return _note("count", lang, what=measure.noun or Note("title_rows").say(lang)).lower()
    name = _inside(_ref(measure.ref, lang))
    if measure.distinct:
        return _note("distinct", lang, what=name)
    if measure.median:
        return _note("median", lang, what=name)
    is_sum = fold(name).split()[:1] in (["tong"], ["total"])  # "Total total" says it twice
    return _note(measure.op, lang, what=name) if measure.op != "sum" or (named and not is_sum) else name


def _inside(name: str) -> str:
    """A name within a sentence: "SL" and "Nhập - Xuất" keep their capitals."""
    return name[:1].lower() + name[1:] if name[1:] == name[1:].lower() else name


def _group(group: Group, lang: Lang) -> str:
    return Note(f"unit_{group.unit}").say(lang) if group.unit else _ref(group.ref, lang)


def _ref(ref: Ref, lang: Lang) -> str:
    """A column in the language of the answer; a figure that no column holds as it was made."""
    known = Field(ref.name, ref.kind)  # type: ignore[arg-type]
    return ref.name if ref.parts else shown_name(known, lang)


def _rows_of(ask: DataQuery, lang: Lang) -> list[str]:
    left_out_last = sorted((*ask.part, *ask.conditions), key=lambda each: each.op in {"ne", "nin"})
    parts = [_condition(condition, lang) for condition in left_out_last]
    periods = [period for period in (ask.period, ask.versus) if period is not None]
    return [*parts, " / ".join(_period(period) for period in periods)]


def _condition(condition: Condition, lang: Lang) -> str:
    """A condition by the sheet's own values where they are few, else in the words that were typed."""
    values = condition.value if isinstance(condition.value, list) else [condition.value]
    own = not condition.unit and len(values) <= _SHOWN and all(isinstance(each, str) for each in values)
    said = ", ".join(values) if own else condition.said
    if isinstance(condition.value, list) and condition.value == condition.said.split(", ") and not own:
        said = f"{', '.join(values[:_SHOWN])}, … ({len(values)})"  # rows that were pointed at, many
    if condition.op in _SIGNS and condition.ref.name and not condition.unit:
        return f"{condition.ref.name} {_SIGNS[condition.op]} {said}"
    if condition.op in {"ne", "nin"} and condition.value is not None:
        return Note("not", {"value": said}).say(lang)
    return said


def _period(period: Period) -> str:
    return period.label or f"{format_date(period.start)} - {format_date(period.end)}"
