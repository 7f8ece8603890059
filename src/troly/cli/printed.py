"""Typed content of an answer as plain lines for a terminal without the screen."""

from __future__ import annotations

import math
from collections.abc import Iterator

from troly.cli.output import grid
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    ItemList,
    Side,
    Sources,
    Suggestions,
    Table,
)
from troly.text.catalogue import Lang
from troly.text.numbers import format_number

Printed = Table | ItemList | Chart | Sources | Computation | Suggestions | Conflict


def content_text(event: Printed, lang: Lang = "en", *, brief: bool = False) -> str:
    """`event` in lines, without blank ones; `brief` leaves out what opens on the screen: fields, code, explanations."""
    return "\n".join(line for line in _lines(event, lang, brief=brief) if line)


def hides(event: Printed) -> bool:
    """Whether the brief text of `event` leaves something out."""
    match event:
        case ItemList():
            return any(item.fields or item.detail for item in event.items)
        case Computation():
            return bool(event.code or event.explained)
        case _:
            return False


def _lines(event: Printed, lang: Lang, *, brief: bool) -> Iterator[str]:
    match event:
        case Table():
            yield _headed(event.badge, event.title)
            yield grid(event.columns, event.rows, event.numeric)
            yield _rest(len(event.rows), event.total)
        case ItemList():
            yield _headed(event.badge, event.title)
            yield from _item_lines(event, brief=brief)
            yield _rest(len(event.items), event.total)
        case Chart():
            yield from _chart_lines(event, lang)
        case Sources():
            yield from (f"[{item.number}] {_joined(item.title, item.where)}" for item in event.items)
        case Suggestions():
            yield from (f"> {question}" for question in event.questions)
        case _:
            yield from _ground_lines(event, brief=brief)


def _ground_lines(event: Computation | Conflict, *, brief: bool) -> Iterator[str]:
    match event:
        case Computation() if brief:
            yield " · ".join(f"{name}: {value}" for name, value in event.facts)
        case Computation():
            yield from (f"{name}: {value}" for name, value in event.facts)
            yield event.code
            yield from (f"{number}. {text}" for number, text in enumerate(event.explained, 1))
        case Conflict():
            for side in event.sides:
                yield from _side_lines(side)
            yield event.rule


def _side_lines(side: Side) -> Iterator[str]:
    yield f"{'*' if side.wins else '-'} {_joined(side.title, side.text)}"
    told = [f"{name} {value}" for name, value in side.facts] + [
        f"{name} {value:.2f}" for name, value in side.scores
    ]
    yield f"  {', '.join(told)}" if told else ""


def _headed(badge: str, title: str) -> str:
    return " ".join(part for part in (f"[{badge}]" if badge else "", title) if part)


def _rest(shown: int, total: int | None) -> str:
    return f"({shown}/{total})" if total is not None and total > shown else ""


def _item_lines(event: ItemList, *, brief: bool) -> Iterator[str]:
    for number, item in enumerate(event.items, 1):
        yield f"{number}. {_joined(item.title, item.subtitle, item.path)}"
        if brief:
            continue
        yield from (f"   {name}: {value}" for name, value in item.fields)
        yield from (f"   {line}" for line in item.detail.splitlines())


def _chart_lines(event: Chart, lang: Lang) -> Iterator[str]:
    """The exact values behind a chart, one row a label."""
    title = f"{event.title} ({event.unit})" if event.title and event.unit else event.title or event.unit
    yield _headed(event.badge, title)
    columns = ["", *(series.name for series in event.series)]
    rows = [
        [label, *(_exact(series.values[at], event.language or lang) for series in event.series)]
        for at, label in enumerate(event.labels)
    ]
    yield grid(columns, rows, range(1, len(columns)))


def _exact(value: float, lang: Lang) -> str:
    return "" if math.isnan(value) else format_number(value, lang, 6)


def _joined(*parts: str) -> str:
    return " - ".join(part for part in parts if part)
