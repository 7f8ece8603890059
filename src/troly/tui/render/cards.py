"""Typed content of an answer as styled lines: which kind is drawn by which function."""

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
from troly.tui.render import cards_data, cards_grounds
from troly.tui.render.cards_data import indented
from troly.tui.render.spans import Line, Span, wrap


def card_lines(
    card: Content, width: int, lang: Lang, *, name: str = "", opened: Collection[str] = ()
) -> list[Line]:
    """`card` in lines of at most `width` cells.

    `name` makes the actions of its clickable lines (`open:<name>…`); `opened` are the names that stand open.
    """
    match card:
        case Table():
            return cards_data.table(card, width, lang, name, opened)
        case ItemList():
            return cards_data.items(card, width, lang, name, opened)
        case Chart():
            return cards_data.chart(card, width, lang)
        case Notice():
            return _notice(card, width)
        case Handoff():
            return _handoff(card, width, lang, name, opened)
        case _:
            return _ground(card, width, lang, name, opened)


def _ground(
    card: Sources | Computation | Suggestions | Plan | Conflict,
    width: int,
    lang: Lang,
    name: str,
    opened: Collection[str],
) -> list[Line]:
    match card:
        case Sources():
            return cards_grounds.sources(card, width, name, opened)
        case Computation():
            return cards_grounds.computation(card, width, lang, name, opened)
        case Suggestions():
            return cards_grounds.suggestions(card, width, lang, name)
        case Plan():
            return cards_grounds.plan(card, width, lang)
        case Conflict():
            return cards_grounds.conflict(card, width, lang)


def _notice(card: Notice, width: int) -> list[Line]:
    mark, style = {"info": ("•", ""), "warning": ("!", "strong"), "error": ("×", "error")}[card.level]
    parts = [Span(sanitize(card.title), style)]
    if card.message:
        parts.append(Span(f"  {sanitize(card.message)}", "dim"))
    if card.remedy:
        parts.append(Span(f"  {sanitize(card.remedy)}"))
    head = Span(f"{mark} ", style)
    return [(head if row == 0 else Span("  "), *text) for row, text in enumerate(wrap(parts, width - 2))]


def _handoff(card: Handoff, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """Who takes over and where to call; the transcript behind a line that opens."""
    mine = f"{name}.transcript"
    shown = mine in opened
    lines = wrap([Span("→ ", "accent"), Span(tr("ui.handoff.title", lang), "strong")], width)
    lines += indented(wrap([Span(sanitize(card.reason))], width - 2)) if card.reason else []
    if card.hotline:
        called = [Span(f"{tr('ui.handoff.hotline', lang)} ", "dim"), Span(sanitize(card.hotline), "strong")]
        lines += indented(wrap(called, width - 2))
    if card.transcript_lines:
        label = tr("ui.handoff.transcript", lang, count=len(card.transcript_lines))
        lines += indented(
            wrap([Span(f"{'▾' if shown else '▸'} {label}", "action", f"open:{mine}")], width - 2)
        )
    for said in card.transcript_lines if shown else ():
        lines += [(Span("  │ ", "dim"), *text) for text in wrap([Span(sanitize(said), "dim")], width - 4)]
    return lines
