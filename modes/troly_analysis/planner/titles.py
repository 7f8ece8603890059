"""Names what a plan works out, in a few words: "Tổng doanh thu theo Nền tảng, tháng 1/2024"."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly_analysis.planner.shapes import Ask, Condition, Group, Measure, Note, Period, Plan


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


def _what(ask: Ask, lang: Lang) -> str:
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


def _rows_of(ask: Ask, lang: Lang) -> list[str]:
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
