"""Typed content as lines of text for a terminal without the screen, and tables aligned by terminal cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import assert_never

from troly.conversation.recorder import clean
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Handoff,
    ItemList,
    ModelLoading,
    Notice,
    Plan,
    Sources,
    Suggestions,
    Table,
)
from troly.text.catalogue import Lang, tr
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize

GAP = "  "


def content_text(content: Content, lang: Lang = "en", *, brief: bool = False) -> str:
    """`content` in lines, without blank ones; `brief` leaves out what opens on the screen: facts, code, explanations."""
    return "\n".join(line for line in _lines(clean(content), lang, brief=brief) if line)


def loading_text(event: ModelLoading, lang: Lang) -> str:
    """What is waited for before the first word of a model."""
    if event.ahead is not None:
        return tr("turn.queued", lang, ahead=event.ahead)
    return tr("turn.loading", lang, model=sanitize(event.model))


def hides(content: Content) -> bool:
    """Whether the brief text of `content` leaves something out."""
    match content:
        case ItemList():
            return any(item.fields or item.detail for item in content.items)
        case Computation():
            return bool(content.code or content.explained)
        case _:
            return False


def _lines(content: Content, lang: Lang, *, brief: bool) -> Iterator[str]:  # noqa: C901, PLR0912 (one case a kind)
    match content:
        case Table():
            yield _headed(content.badge, content.title)
            yield grid(content.columns, content.rows, content.numeric)
            yield _shown(len(content.rows), content.total)
        case ItemList():
            yield _headed(content.badge, content.title)
            for number, item in enumerate(content.items, 1):
                yield f"{number}. {_joined(item.title, item.subtitle, item.path)}"
                if not brief:
                    yield from (f"   {name}: {value}" for name, value in item.fields)
                    yield from (f"   {line}" for line in item.detail.splitlines())
            yield _shown(len(content.items), content.total)
        case Chart():
            unit = f"({content.unit})" if content.unit and content.title else content.unit
            yield _headed(content.badge, f"{content.title} {unit}".strip())
            columns, rows = chart_rows(content, lang)
            yield grid(columns, rows, range(1, len(columns)))
        case Sources():
            yield from (f"[{item.number}] {_joined(item.title, item.where)}" for item in content.items)
        case Computation():
            if brief:
                yield " · ".join(f"{name}: {value}" for name, value in content.facts)
            else:
                yield from (f"{name}: {value}" for name, value in content.facts)
                yield content.code
                yield from (f"{number}. {text}" for number, text in enumerate(content.explained, 1))
        case Suggestions():
            yield from (f"> {question}" for question in content.questions)
        case Plan():
            yield from (f"{task.step}. {_joined(task.purpose, task.status)}" for task in content.tasks)
        case Conflict():
            for side in content.sides:
                yield f"{'*' if side.wins else '-'} {_joined(side.title, side.text)}"
                told = [f"{name} {value}" for name, value in side.facts]
                told += [f"{name} {value:.2f}" for name, value in side.scores]
                yield f"  {', '.join(told)}" if told else ""
            yield content.rule
        case Notice():
            rest = [part for part in (content.message, content.remedy) if part]
            stopped = not rest or content.title.endswith((".", "!", "?", "…"))  # a sentence has its own
            yield " ".join([content.title if stopped else f"{content.title}:", *rest])
        case Handoff():
            yield _joined(content.reason, content.hotline)
            yield from content.transcript_lines
        case _:
            assert_never(content)


def chart_rows(chart: Chart, lang: Lang) -> tuple[list[str], list[list[str]]]:
    """The exact values behind a chart as a table: its head, and a row a label; `lang` where the chart names no language."""
    written = chart.language or lang
    rows = [
        [label, *(exact_value(series.values[at], written) for series in chart.series)]
        for at, label in enumerate(chart.labels)
    ]
    return ["", *(series.name for series in chart.series)], rows


def exact_value(value: float, lang: Lang) -> str:
    """A value of a plot with up to six decimals; "" where there is none."""
    return "" if math.isnan(value) else format_number(value, lang, 6)


def _headed(badge: str, title: str) -> str:
    return " ".join(part for part in (f"[{badge}]" if badge else "", title) if part)


def _shown(shown: int, total: int | None) -> str:
    return f"({shown}/{total})" if total is not None and total > shown else ""


def _joined(*parts: str) -> str:
    return " - ".join(part for part in parts if part)


def grid(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table as aligned text; widths are counted in terminal cells, so that Vietnamese lines up."""
    table = [[sanitize(cell, keep_newlines=False) for cell in row] for row in [columns, *rows]]
    widths = [max(cells(row[at]) for row in table) for at in range(len(columns))]
    table.insert(1, ["-" * width for width in widths])
    lines = []
    for row in table:
        padded = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cells(cell))
            padded.append(space + cell if at in numeric else cell + space)
        lines.append(GAP.join(padded).rstrip())
    return "\n".join(lines)


def cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
