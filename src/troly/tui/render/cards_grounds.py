"""What an answer rests on, as styled lines: sources, computations, plans, conflicts, and what can be asked next."""

from __future__ import annotations

from collections.abc import Collection
from itertools import zip_longest

from troly.plugin.events import Computation, Conflict, Evidence, Plan, Side, Sources, Suggestions
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.render.cards_data import facts, indented
from troly.tui.render.figures import duration, number
from troly.tui.render.spans import BLANK, Line, Span, clip, line, pad, wrap, wrap_whole

TASK_MARKS = {"waiting": "○", "running": "◐", "done": "●", "failed": "×", "denied": "■"}
# Two sides stand side by side where each has this many cells.
NARROWEST_SIDE = 32
GAP = 3


def sources(card: Sources, width: int, name: str, opened: Collection[str]) -> list[Line]:
    """A line a source; one that stands open shows its passage, its facts and its full link."""
    lines: list[Line] = []
    for index, item in enumerate(card.items):
        mine = f"{name}.{index}"
        title = line(
            Span(f"[{item.number}] ", "dim"),
            Span(clip(sanitize(item.title), max(8, width * 2 // 3)), "", f"open:{mine}"),
            Span("  " + clip(sanitize(item.where), width // 3) if item.where else "", "dim"),
        )
        lines += wrap(title, width)
        if mine in opened:
            lines += indented(_passage(item, width - 2), "│ ", "dim")
    return lines


def _passage(item: Evidence, width: int) -> list[Line]:
    lines = wrap([Span(sanitize(item.text), "dim")], width) + facts(item.facts, width)
    return lines + (wrap([Span(sanitize(item.url), "dim")], width) if item.url else [])


def computation(card: Computation, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """One line that opens: facts, the query, what it does, and how to run it again with changes."""
    shown = name in opened
    label = f"{'▾' if shown else '▸'} {tr('ui.card.computed', lang)}"
    lead = ", ".join(sanitize(value) for _, value in card.facts[:2])
    head = [
        Span(label, "action", f"open:{name}"),
        Span(f"  {clip(lead, max(8, width - len(label) - 4))}", "dim"),
    ]
    lines = wrap(head, width)
    if not shown:
        return lines
    lines += indented(facts(card.facts, width - 2))
    code = wrap([Span(sanitize(card.code), "code")], width - 4)
    lines += [
        BLANK,
        *indented([(Span(" ", "code"), *pad(text, width - 3, style="code")) for text in code]),
        BLANK,
    ]
    for number_, text in enumerate(card.explained, 1):
        lines += indented(wrap([Span(f"{number_}. {sanitize(text)}")], width - 2))
    if card.rerun:
        lines.append(line(Span("  "), Span(tr("ui.card.rerun", lang), "action", f"rerun:{name}")))
    return lines


def suggestions(card: Suggestions, width: int, lang: Lang, name: str) -> list[Line]:
    """Questions that a click asks."""
    lines: list[Line] = [line(Span(tr("ui.card.next", lang), "dim"))] if card.questions else []
    for index, question in enumerate(card.questions):
        action = f"suggest:{name}.{index}"
        rows = wrap([Span(sanitize(question), "", action)], width - 2)
        lines += [
            (Span("› " if row == 0 else "  ", "accent", action), *text) for row, text in enumerate(rows)
        ]
    return lines


def plan(card: Plan, width: int, lang: Lang) -> list[Line]:
    """The tasks in order with what became of each."""
    lines: list[Line] = []
    for task in card.tasks:
        style = {"running": "accent", "failed": "error", "waiting": "dim"}.get(task.status, "")
        who = " · ".join(sanitize(part) for part in (task.agent, task.tool) if part)
        took = f"  {duration(task.ms, lang)}" if task.ms is not None else ""
        said = tr(f"ui.task.{task.status}", lang) if task.status in ("failed", "denied") else ""
        parts = [
            Span(f"{TASK_MARKS[task.status]} ", style),
            Span(f"{task.step}. {who}  ", "dim"),
            Span(sanitize(task.purpose), style),
            Span(f"{took}  {said}".rstrip(), "dim"),
        ]
        rows = wrap(parts, width - 2)
        lines += [*rows[:1], *indented(rows[1:])]
    return lines


def conflict(card: Conflict, width: int, lang: Lang) -> list[Line]:
    """The sides beside each other where there is room, and the rule that decided below."""
    title = tr("ui.card.tie" if card.tie else "ui.card.conflict", lang)
    lines = wrap([Span("≠ ", "accent"), Span(title, "strong")], width)
    each = (width - GAP * (len(card.sides) - 1)) // max(1, len(card.sides))
    if each >= NARROWEST_SIDE:
        columns = [_side(side, each, lang) for side in card.sides]
        for row in zip_longest(*columns, fillvalue=BLANK):
            lines.append(_beside(row, each))
    else:
        for side in card.sides:
            lines += [*_side(side, width, lang), BLANK]
    return [*lines, *wrap([Span(f"{tr('ui.card.rule', lang)} ", "dim"), Span(sanitize(card.rule))], width)]


def _beside(row: tuple[Line, ...], each: int) -> Line:
    spans: list[Span] = []
    for index, text in enumerate(row):
        if index:
            spans.append(Span(" " * GAP))
        spans.extend(pad(text, each))
    return tuple(spans)


def _side(side: Side, width: int, lang: Lang) -> list[Line]:
    mark = Span("● " if side.wins else "○ ", "accent" if side.wins else "dim")
    lines = wrap([mark, Span(sanitize(side.title), "strong" if side.wins else "")], width)
    lines += indented(wrap([Span(sanitize(side.text))], width - 2))
    lines += indented(facts(side.facts, width - 2))
    # A score keeps its name; what was weighed may be called as a fact is.
    scores = [
        f"{sanitize(name, keep_newlines=False)} {number(value, lang, 2)}" for name, value in side.scores
    ]
    told = wrap_whole([line(Span(one, "dim")) for one in (tr("ui.card.scores", lang), *scores)], width - 2)
    return lines + (indented(told) if scores else [])
