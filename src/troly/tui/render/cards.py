"""Typed content of an answer as styled lines: tables, lists that open, charts, sources, notices."""

from __future__ import annotations

from collections.abc import Collection

from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Handoff,
    ItemList,
    Notice,
    Plan,
    Sources,
    Suggestions,
    Table,
)
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.render.figures import number
from troly.tui.render.markdown import markdown_lines
from troly.tui.render.spans import BLANK, Line, Span, clip, line, pad, width_of, wrap
from troly.tui.render.tables import table_lines

HEAD = 20


def card_lines(
    card: Content, width: int, lang: Lang, *, name: str = "", opened: Collection[str] = ()
) -> list[Line]:
    """`card` in lines of at most `width` cells.

    `name` makes the actions of its clickable lines (`open:<name>…`); `opened` are the names that stand open.
    """
    match card:
        case Table():
            return _table(card, width, lang, name, opened)
        case ItemList():
            return _items(card, width, name, opened)
        case Chart():
            return _chart(card, width, lang)
        case Sources():
            return _sources(card, width, name, opened)
        case _:
            return _remark(card, width, lang, name, opened)


def _remark(
    card: Notice | Handoff | Computation | Suggestions | Plan | Conflict,
    width: int,
    lang: Lang,
    name: str,
    opened: Collection[str],
) -> list[Line]:
    match card:
        case Notice():
            return _notice(card, width)
        case Handoff():
            return _handoff(card, width, lang, name, opened)
        case _:
            return []


def _clean(text: str) -> str:
    return sanitize(text)


def _title(text: str, width: int) -> list[Line]:
    return wrap([Span(_clean(text), "strong")], width) if text else []


def _more(hidden: int, name: str, lang: Lang) -> list[Line]:
    return (
        [line(Span(tr("ui.card.more", lang, count=hidden), "action", f"open:{name}"))] if hidden > 0 else []
    )


def _table(card: Table, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    shown = card.rows if name in opened else card.rows[:HEAD]
    head = [[Span(_clean(cell))] for cell in card.columns]
    rows = [[[Span(_clean(cell))] for cell in row] for row in shown]
    lines = [*_title(card.title, width), *table_lines(head, rows, width, card.numeric)]
    return [*lines, *_more(len(card.rows) - len(shown), name, lang)]


def _items(card: ItemList, width: int, name: str, opened: Collection[str]) -> list[Line]:
    lines = _title(card.title, width)
    for index, item in enumerate(card.items):
        mine = f"{name}.{index}"
        mark = ("▾ " if mine in opened else "▸ ") if item.detail else "• "
        action = f"open:{mine}" if item.detail else ""
        for row, text in enumerate(wrap([Span(_clean(item.title), "strong", action)], width - 2)):
            lines.append((Span(mark if row == 0 else "  ", "dim", action), *text))
        if item.subtitle:
            lines += _indented(wrap([Span(_clean(item.subtitle), "dim")], width - 2))
        if item.detail and mine in opened:
            lines += _indented(markdown_lines(_clean(item.detail), width - 2))
    return lines


def _indented(lines: list[Line]) -> list[Line]:
    return [(Span("  "), *text) for text in lines]


def _sources(card: Sources, width: int, name: str, opened: Collection[str]) -> list[Line]:
    lines: list[Line] = []
    for index, item in enumerate(card.items):
        mine = f"{name}.{index}"
        title = line(
            Span(f"[{item.number}] ", "dim"),
            Span(clip(_clean(item.title), max(8, width * 2 // 3)), "", f"open:{mine}"),
            Span("  " + clip(_clean(item.where), width // 3) if item.where else "", "dim"),
        )
        lines += wrap(title, width)
        if mine in opened:
            lines += [
                (Span("│ ", "dim"), *text) for text in wrap([Span(_clean(item.text), "dim")], width - 2)
            ]
    return lines


def _notice(card: Notice, width: int) -> list[Line]:
    mark, style = {"info": ("•", "dim"), "warning": ("!", "strong"), "error": ("×", "error")}[card.level]
    parts = [Span(_clean(card.title), style)]
    if card.message:
        parts.append(Span(f" {_clean(card.message)}", "dim"))
    if card.remedy:
        parts.append(Span(f" {_clean(card.remedy)}"))
    head = Span(f"{mark} ", style)
    return [(head if row == 0 else Span("  "), *text) for row, text in enumerate(wrap(parts, width - 2))]


def _handoff(card: Handoff, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """Who takes over and where to call; the transcript behind a line that opens."""
    mine = f"{name}.transcript"
    shown = mine in opened
    lines = wrap([Span("→ ", "accent"), Span(tr("ui.handoff.title", lang), "strong")], width)
    lines += _indented(wrap([Span(_clean(card.reason))], width - 2)) if card.reason else []
    if card.hotline:
        called = [Span(f"{tr('ui.handoff.hotline', lang)} ", "dim"), Span(_clean(card.hotline), "strong")]
        lines += _indented(wrap(called, width - 2))
    if card.transcript_lines:
        label = tr("ui.handoff.transcript", lang, count=len(card.transcript_lines))
        lines += _indented(
            wrap([Span(f"{'▾' if shown else '▸'} {label}", "action", f"open:{mine}")], width - 2)
        )
    for said in card.transcript_lines if shown else ():
        lines += [(Span("  │ ", "dim"), *text) for text in wrap([Span(_clean(said), "dim")], width - 4)]
    return lines


def _chart(card: Chart, width: int, lang: Lang) -> list[Line]:
    """Bars with their exact values; a share chart says the part of the whole as well."""
    lines = _title(card.title, width)
    for series in card.series:
        if len(card.series) > 1:
            lines += [BLANK, *wrap([Span(_clean(series.name), "strong")], width)]
        lines += _bars(card, series.values, width, lang)
    return lines


def _bars(card: Chart, values: tuple[float, ...], width: int, lang: Lang) -> list[Line]:
    labels = [clip(_clean(label), max(6, width // 3)) for label in card.labels]
    total = sum(values) or 1.0
    texts = [f"{number(value, lang)} {_clean(card.unit)}".strip() for value in values]
    if card.kind == "share":
        texts = [
            f"{text}  {number(100 * value / total, lang, 1)}%"
            for text, value in zip(texts, values, strict=True)
        ]
    most = max((abs(value) for value in values), default=0.0) or 1.0
    left = max((width_of(line(label)) for label in labels), default=0)
    right = max((len(text) for text in texts), default=0)
    room = max(1, width - left - right - 4)
    lines = []
    for label, value, text in zip(labels, values, texts, strict=False):
        bar = "█" * max(1 if value else 0, round(room * abs(value) / most))
        lines.append(
            line(*pad(line(label), left), "  ", Span(bar, "accent"), "  " if bar else "", Span(text, "dim"))
        )
    return lines
