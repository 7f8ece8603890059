"""The columns of a sheet in words: name, kind, range or most frequent values."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly_analysis.answer_names import day_of, value_text
from troly_analysis.strings import say
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Sheet

LISTED, EXAMPLES = 40, 5


def describe(sheet: Sheet, lang: Lang) -> str:
    """A sheet as a numbered list of its columns, and its named metrics."""
    lines = [say("schema.sheet", lang, sheet=sheet.name, rows=format_number(sheet.rows, lang))]
    lines += [f"{number}. {_column(field, lang)}" for number, field in enumerate(sheet.fields[:LISTED], 1)]
    if (more := len(sheet.fields) - LISTED) > 0:
        lines.append(say("answer.more", lang, count=format_number(more, lang)))
    if sheet.metrics:
        lines.append(say("schema.metrics", lang, names=", ".join(metric.name for metric in sheet.metrics)))
    return "\n".join(lines)


def _column(field: Field, lang: Lang) -> str:
    kind = say(f"sheets.kind_{field.kind}", lang)
    line = say("schema.line", lang, field=field.name, kind=f"{kind} {field.unit}".rstrip())
    if field.kind in NUMERIC | TEMPORAL and field.least:
        least, most = (_bound(text, field, lang) for text in (field.least, field.most))
        return say("schema.range", lang, line=line, least=least, most=most)
    if field.examples:
        return say("schema.examples", lang, line=line, values=", ".join(field.examples[:EXAMPLES]))
    return line


def _bound(text: str, field: Field, lang: Lang) -> str:
    if field.kind in TEMPORAL:
        return value_text(day_of(text) or text, "", lang)
    try:
        return value_text(float(text), "%" if field.kind == "percent" else field.unit, lang)
    except ValueError:
        return text
