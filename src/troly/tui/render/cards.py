"""Typed content of an answer as styled lines."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise, zip_longest
from math import isnan
from typing import assert_never

from rich.cells import cell_len

from troly.conversation.recorder import clean
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Handoff,
    ItemList,
    Notice,
    Plan,
    Side,
    Sources,
    Suggestions,
    Table,
)
from troly.text.catalogue import Lang, tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.render.figures import counted, duration, number
from troly.tui.render.markdown import markdown_lines
from troly.tui.render.spans import (
    BLANK,
    Line,
    Span,
    clip,
    line,
    pad,
    width_of,
    with_commands,
    wrap,
    wrap_whole,
)
from troly.tui.render.tables import table_lines
from troly.tui.terminal import has_braille

# A line chart: rows of cells, each with two by four dots in Braille, or one in terminals without.
HEIGHT = 8
# What stands around a plot: its title, its labels, the values below it.
AROUND = 8
DOTS_WIDE, DOTS_HIGH = 2, 4
BRAILLE = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
# Apart in weight, so that they can be told apart without colours.
STYLES = ("accent", "dim", "strong")
Dots = dict[tuple[int, int], int]


def plot_lines(card: Chart, width: int, lang: Lang, *, plain: bool = False, rows: int = HEIGHT) -> list[Line]:
    """The series of `card` over its labels in at most `width` cells; missing values leave a gap.

    The axis names the range, the least value, and where the first series begins and ends; `plain` draws without Braille.
    """
    values = [value for series in card.series for value in series.values if not isnan(value)]
    if not values:
        return []
    low, high = min(0.0, *values), max(0.0, *values)
    high = high if high > low else low + 1.0
    ends = [value for value in card.series[0].values if not isnan(value)]
    marks = {_dot_row(v, low, high, rows) // DOTS_HIGH: v for v in (min(values), *ends[:1], low, high)}
    last = number(ends[-1], lang) if ends else ""
    left = max(len(number(value, lang)) for value in marks.values()) + 1
    if width - left - len(last) < NARROWEST_PLOT // 2:
        last = ""
    room = max(4, width - left - len(last) - 2)
    layers = [
        _dots(series.values, room, rows, low, high, plain=plain) for series in card.series[: len(STYLES)]
    ]
    lines = []
    for row in range(rows):
        mark = number(marks[row], lang) if row in marks else ""
        head = (*pad(line(Span(mark, "dim")), left - 1, right=True), Span("┤" if mark else "│", "rule"))
        at_end = f" {last}" if last and row == _dot_row(ends[-1], low, high, rows) // DOTS_HIGH else ""
        lines.append(line(*head, *_row(layers, row, room, plain=plain), Span(at_end, "dim")))
    return [*lines, *_feet(card.labels, left - 1, room)]


def _dot_row(value: float, low: float, high: float, rows: int) -> int:
    return round((high - value) / (high - low) * (rows * DOTS_HIGH - 1))


def _dots(values: tuple[float, ...], room: int, rows: int, low: float, high: float, *, plain: bool) -> Dots:
    """The dots of one series by row and column of cells, points joined by straight lines."""
    found: Dots = {}

    def put(x: int, y: int) -> None:
        cell = (y // DOTS_HIGH, x // DOTS_WIDE)
        bit = 1 if plain else BRAILLE[x % DOTS_WIDE][y % DOTS_HIGH]
        found[cell] = found.get(cell, 0) | bit

    before: tuple[int, int] | None = None
    for at, value in enumerate(values):
        if isnan(value):
            before = None
            continue
        x = round(at / max(1, len(values) - 1) * (room * DOTS_WIDE - 1))
        y = _dot_row(value, low, high, rows)
        from_x, from_y = before or (x, y)
        steps = max(abs(x - from_x), abs(y - from_y), 1)
        for step in range(steps + 1):
            put(from_x + round((x - from_x) * step / steps), from_y + round((y - from_y) * step / steps))
        before = (x, y)
    return found


def _row(layers: list[Dots], row: int, room: int, *, plain: bool) -> Line:
    """One row: where lines cross, the first series is seen."""
    spans: list[Span] = []
    for x in range(room):
        owner = next((index for index, dots in enumerate(layers) if (row, x) in dots), None)
        if owner is None:
            spans.append(Span(" "))
        else:
            spans.append(Span("*" if plain else chr(0x2800 + layers[owner][row, x]), STYLES[owner]))
    return tuple(spans)


def _feet(labels: tuple[str, ...], left: int, room: int) -> list[Line]:
    """The axis with a tick at each label there is room for, always at the first and the last."""
    ticks, names = ["─"] * room, [" "] * room
    end = -1
    last = clip(labels[-1], max(3, room // 2 - 1))
    for at, label in enumerate(labels):
        x = round(at / max(1, len(labels) - 1) * (room - 1))
        name = last if at == len(labels) - 1 else clip(label, max(3, room // 2 - 1))
        start = min(max(0, x - cell_len(name) // 2), room - cell_len(name))
        # A label keeps clear of the one before it and of the last one.
        fits = start > end + 1 and start + cell_len(name) < room - cell_len(last) - 1
        if at in (0, len(labels) - 1) or fits:
            ticks[x] = "┬"
            names[start : start + cell_len(name)] = [name, *[""] * (cell_len(name) - 1)]
            end = start + cell_len(name)
    blank = " " * left
    return [line(blank, Span(f"└{''.join(ticks)}", "rule")), line(blank, " ", Span("".join(names), "dim"))]


HEAD = 20
# Shorter tables are seen at once; the key for the grid works with them too.
LONG = 8
MOST_ITEMS = 10
# A line needs this many cells and points to say more than its numbers do.
NARROWEST_PLOT = 30
FEWEST_POINTS = 3
LONGEST_UNIT = 16
_WORD = re.compile(r"\w+")
_TECHNICAL = re.compile(r"[a-z]+(_[a-z0-9]+)+|[{\[].*", re.DOTALL)


def titled(title: str, badge: str, width: int) -> list[Line]:
    """A title with its badge before it; nothing where there is neither."""
    mark = [Span(f" {badge} ", "chip"), Span(" ")] if badge else []
    return wrap([*mark, Span(title, "strong")], width) if title or badge else []


def indented(lines: list[Line], mark: str = "  ", style: str = "") -> list[Line]:
    """The lines behind a mark each."""
    return [(Span(mark, style), *text) for text in lines]


def folded_table(card: Table, name: str, lang: Lang) -> Line:
    """The one line that a table is whose values a plot shows already."""
    count = tr("ui.card.rows", lang, count=number(len(card.rows), lang))
    return line(Span(f"▸ {tr('ui.card.table', lang)}", "action", f"open:{name}"), Span(f"  {count}", "dim"))


def table(card: Table, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """The head of the table, or all of it where it stands open, and what opens it as a grid."""
    shown = card.rows if name in opened else card.rows[:HEAD]
    head = [[Span(cell)] for cell in card.columns]
    rows = [[[Span(cell)] for cell in row] for row in shown]
    lines = [*titled(card.title, card.badge, width), *table_lines(head, rows, width, card.numeric)]
    grid = len(card.rows) >= LONG and name not in opened
    return [*lines, *_below(card, len(card.rows) - len(shown), name, lang, grid=grid)]


def _below(card: Table | ItemList, hidden: int, name: str, lang: Lang, *, grid: bool = False) -> list[Line]:
    parts: list[Span] = []
    if hidden > 0:
        parts.append(Span(tr("ui.card.more", lang, count=hidden), "action", f"open:{name}"))
    held = len(card.rows) if isinstance(card, Table) else len(card.items)
    if card.total is not None and card.total > held:
        parts.append(Span(tr("ui.card.total", lang, shown=held, total=number(card.total, lang)), "dim"))
    if grid:
        parts.append(Span(tr("ui.card.grid", lang), "action", f"grid:{name}"))
    spaced = [piece for part in parts for piece in (Span("   "), part)][1:]
    return [tuple(spaced)] if spaced else []


def items(card: ItemList, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """The first entries, or all of them where the list stands open; an open entry shows its fields and its text."""
    lines = titled(card.title, card.badge, width)
    shown = card.items if name in opened else card.items[:MOST_ITEMS]
    left = len(f"  {len(shown)}. ")
    for index, item in enumerate(shown):
        mine = f"{name}.{index}"
        more = bool(item.detail or item.fields)
        # People say "the second one": every entry tells its number.
        mark = f"{('▾' if mine in opened else '▸') if more else ' '} {index + 1}. ".ljust(left)
        action = f"open:{mine}" if more else ""
        for row, text in enumerate(wrap([Span(item.title, "strong", action)], width - left)):
            lines.append((Span(mark if row == 0 else " " * left, "dim", action), *text))
        if item.subtitle:
            lines += indented(wrap([Span(item.subtitle, "dim")], width - left), " " * left)
        if more and mine in opened:
            inside = facts(item.fields, width - left)
            inside += markdown_lines(item.detail, width - left) if item.detail else []
            inside += wrap([Span(item.path, "dim")], width - left) if item.path else []
            lines += indented(inside, " " * left)
    return [*lines, *_below(card, len(card.items) - len(shown), name, lang)]


def facts(pairs: Collection[tuple[str, str]], width: int) -> list[Line]:
    names = [clip(name, max(8, width // 3)) for name, _ in pairs]
    left = max((width_of(line(name)) for name in names), default=0) + 2
    lines: list[Line] = []
    for name, (_, value) in zip(names, pairs, strict=True):
        rows = wrap([Span(value)], max(1, width - left))
        lines += [
            (*pad(line(Span(name if row == 0 else "", "dim")), left), *text) for row, text in enumerate(rows)
        ]
    return lines


def chart(
    card: Chart, width: int, lang: Lang, name: str, opened: Collection[str], *, rows: int
) -> list[Line]:
    """A line as a plot whose exact values open below it, all else as bars with their values; a share says the part too.

    On a screen of its own it has `rows` rows.
    """
    lang = card.language or lang
    unit = f" ({card.unit})" if card.unit and card.title else ""
    plotted = card.kind == "line" and width >= NARROWEST_PLOT and len(card.labels) >= FEWEST_POINTS
    lines = titled(card.title + (unit if plotted else ""), card.badge, width)
    if plotted:
        lines += plot_lines(card, width, lang, plain=not has_braille(), rows=max(HEIGHT, rows - AROUND))
        if not name:
            return lines
        shown = name in opened
        label = f"{'▾' if shown else '▸'} {tr('ui.card.values', lang)}"
        lines.append(line(Span(label, "action", f"open:{name}")))
        if not shown:
            return lines
    for series in card.series:
        if len(card.series) > 1:
            lines += [BLANK, *wrap([Span(series.name, "strong")], width)]
        lines += (_values if plotted else _bars)(card, series.values, width, lang)
    return lines


def _values(card: Chart, values: tuple[float, ...], width: int, lang: Lang) -> list[Line]:
    """The exact values below a plot, as many on a line as there is room for."""
    spans: list[Span] = []
    for label, value in zip(card.labels, values, strict=False):
        # Blanks that do not break keep a label with its value.
        pair = f"{label}\u00a0{number(value, lang)}".replace(" ", "\u00a0")
        spans += [Span("   " if spans else ""), Span(pair, "dim")]
    return wrap([*spans, Span(f"  {card.unit}" if card.unit else "", "dim")], width)


def _bars(card: Chart, values: tuple[float, ...], width: int, lang: Lang) -> list[Line]:
    labels = [clip(label, max(6, width // 3)) for label in card.labels]
    total = sum(values) or 1.0
    texts = [f"{number(value, lang)} {clip(card.unit, LONGEST_UNIT)}".strip() for value in values]
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
        bar = "━" * max(1 if value else 0, round(room * abs(value) / most))
        lines.append(
            line(*pad(line(label), left), "  ", Span(bar, "accent"), "  " if bar else "", Span(text, "dim"))
        )
    return lines


TASK_MARKS = {"waiting": "○", "running": "◐", "done": "●", "failed": "×", "denied": "■"}
# Two sides stand side by side where each has this many cells.
NARROWEST_SIDE = 32
GAP = 3


def sources(card: Sources, width: int, name: str, opened: Collection[str], said: str) -> list[Line]:
    """A line a source; one that stands open shows its passage with what the answer says of it, its facts and its link."""
    lines: list[Line] = []
    for index, item in enumerate(card.items):
        mine = f"{name}.{index}"
        where = item.where.removeprefix(item.title).lstrip(" ·›-")
        title = line(
            Span(f"[{item.number}] ", "dim"),
            Span(clip(item.title, max(8, width * 2 // 3)), "", f"open:{mine}"),
            Span("  " + clip(where, width // 3) if where else "", "dim"),
        )
        lines += wrap(title, width)
        if mine in opened:
            lines += indented(wrap(_with_marks(item.text, said), width - 2), "│ ", "dim")
            lines += indented(facts(item.facts, width - 2), "│ ", "dim")
            lines += indented(wrap([Span(item.url, "dim")], width - 2) if item.url else [], "│ ", "dim")
    return lines


def _with_marks(text: str, said: str) -> list[Span]:
    """The text with the words marked that stand one after the other in what was `said` too."""
    spoken = _WORD.findall(fold(said))
    pairs = set(pairwise(spoken))
    words = list(_WORD.finditer(text))
    known = [fold(word.group()) for word in words]
    marked = {at for at, pair in enumerate(pairwise(known)) if pair in pairs}
    spans: list[Span] = []
    end = 0
    for at, word in enumerate(words):
        if at in marked or at - 1 in marked:
            begin = words[at - 1].end() if at - 1 in marked else word.start()
            spans += [Span(text[end:begin], "dim"), Span(text[begin : word.end()], "found")]
            end = word.end()
    return [*spans, Span(text[end:], "dim")]


def details(card: Computation, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """One line that opens: facts, the query, what it does, and how to run it again with changes."""
    shown = name in opened
    label = f"{'▾' if shown else '▸'} {tr('ui.card.computed', lang)}"
    # Names of tools and what they were given stand inside.
    known = [f"{name}: {value}" for name, value in card.facts if not _TECHNICAL.fullmatch(value)]
    head = [
        Span(label, "action", f"open:{name}"),
        Span(f"  {clip(', '.join(known[:2]), max(8, width - len(label) - 4))}", "dim"),
    ]
    lines = wrap(head, width)
    if not shown:
        return lines
    lines += indented(facts(card.facts, width - 2))
    if card.code:
        # A query on its own ground, a blank line above and below.
        code = wrap([Span(card.code, "code")], width - 4)
        ground = [(Span(" ", "code"), *pad(text, width - 3, style="code")) for text in code]
        lines += indented([BLANK, *ground, BLANK])
    for at, text in enumerate(card.explained, 1):
        lines += indented(wrap([Span(f"{at}. {text}")], width - 2))
    if card.code and card.rerun:
        lines.append(line(Span("  "), Span(tr("ui.card.rerun", lang), "action", f"rerun:{name}")))
    return lines


def suggestions(card: Suggestions, width: int, lang: Lang, name: str) -> list[Line]:
    lines: list[Line] = [line(Span(tr("ui.card.next", lang), "dim"))] if card.questions else []
    for index, question in enumerate(card.questions):
        action = f"suggest:{name}.{index}"
        rows = wrap([Span(question, "", action)], width - 2)
        lines += [
            (Span("› " if row == 0 else "  ", "accent", action), *text) for row, text in enumerate(rows)
        ]
    return lines


def plan(card: Plan, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """What is done in order, in words, with what became of each; once all are over, one line that opens to them.

    Who does it with which tool stands in the evidence.
    """
    lines: list[Line] = []
    if name and all(task.status not in ("waiting", "running") for task in card.tasks):
        shown = name in opened
        label = f"{'▾' if shown else '▸'} {counted('ui.card.plan', len(card.tasks), lang)}"
        counts = {
            status: sum(task.status == status for task in card.tasks) for status in ("failed", "denied")
        }
        told = [duration(sum(task.ms or 0.0 for task in card.tasks), lang)]
        told += [f"{count} {tr(f'ui.task.{status}', lang)}" for status, count in counts.items() if count]
        head = [Span(label, "action", f"open:{name}"), Span(f"  {' · '.join(told)}", "dim")]
        if not shown:
            return wrap(head, width)
        lines += wrap(head, width)
    for task in card.tasks:
        style = {"running": "accent", "failed": "error", "waiting": "dim"}.get(task.status, "")
        took = f"  {duration(task.ms, lang)}" if task.ms is not None else ""
        said = tr(f"ui.task.{task.status}", lang) if task.status in ("failed", "denied") else ""
        parts = [
            Span(f"{TASK_MARKS[task.status]} ", style),
            Span(f"{task.step}. ", "dim"),
            Span(task.purpose, style),
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
            apart = (Span(" " * GAP),)
            padded = [(apart if index else ()) + pad(text, each) for index, text in enumerate(row)]
            lines.append(tuple(span for part in padded for span in part))
    else:
        for side in card.sides:
            lines += [*_side(side, width, lang), BLANK]
    return [*lines, *wrap([Span(f"{tr('ui.card.rule', lang)} ", "dim"), Span(card.rule)], width)]


def _side(side: Side, width: int, lang: Lang) -> list[Line]:
    mark = Span("● " if side.wins else "○ ", "accent" if side.wins else "dim")
    lines = wrap([mark, Span(side.title, "strong" if side.wins else "")], width)
    lines += indented(wrap([Span(side.text)], width - 2))
    lines += indented(facts(side.facts, width - 2))
    # A score keeps its name; what was weighed may be called as a fact is.
    scores = [
        f"{sanitize(name, keep_newlines=False)} {number(value, lang, 2)}" for name, value in side.scores
    ]
    told = wrap_whole([line(Span(one, "dim")) for one in (tr("ui.card.scores", lang), *scores)], width - 2)
    return lines + (indented(told) if scores else [])


def card_lines(  # noqa: C901, PLR0911 (one case a kind)
    card: Content,
    width: int,
    lang: Lang,
    *,
    name: str = "",
    opened: Collection[str] = (),
    said: str = "",
    rows: int = 0,
) -> list[Line]:
    """`card` in lines of at most `width` cells.

    `name` makes the actions of its clickable lines (`open:<name>…`); `opened` are the names that stand open; `said` is the
    text of the answer, whose words are marked in passages; `rows` are those of a screen that shows nothing else.
    """
    card = clean(card)
    match card:
        case Table():
            return table(card, width, lang, name, opened)
        case ItemList():
            return items(card, width, lang, name, opened)
        case Chart():
            return chart(card, width, lang, name, opened, rows=rows)
        case Sources():
            return sources(card, width, name, opened, said)
        case Computation():
            return details(card, width, lang, name, opened)
        case Suggestions():
            return suggestions(card, width, lang, name)
        case Plan():
            return plan(card, width, lang, name, opened)
        case Conflict():
            return conflict(card, width, lang)
        case Notice():
            return _notice(card, width)
        case Handoff():
            return _handoff(card, width, lang, name, opened)
    assert_never(card)


def _notice(card: Notice, width: int) -> list[Line]:
    mark, style = {"info": ("•", ""), "warning": ("!", "strong"), "error": ("×", "error")}[card.level]
    parts = [Span(card.title, style)]
    if card.message:
        parts += with_commands(f"  {card.message}", "dim")
    if card.remedy:
        parts += with_commands(f"  {card.remedy}")
    head = Span(f"{mark} ", style)
    return [(head if row == 0 else Span("  "), *text) for row, text in enumerate(wrap(parts, width - 2))]


def _handoff(card: Handoff, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """Who takes over and where to call; the transcript behind a line that opens."""
    mine = f"{name}.transcript"
    shown = mine in opened
    lines = wrap([Span("→ ", "accent"), Span(tr("ui.handoff.title", lang), "strong")], width)
    lines += indented(wrap([Span(card.reason)], width - 2)) if card.reason else []
    if card.hotline:
        called = [Span(f"{tr('ui.handoff.hotline', lang)} ", "dim"), Span(card.hotline, "strong")]
        lines += indented(wrap(called, width - 2))
    if card.transcript_lines:
        label = tr("ui.handoff.transcript", lang, count=len(card.transcript_lines))
        lines += indented(
            wrap([Span(f"{'▾' if shown else '▸'} {label}", "action", f"open:{mine}")], width - 2)
        )
    for said in card.transcript_lines if shown else ():
        lines += indented(wrap([Span(said, "dim")], width - 4), "  │ ", "dim")
    return lines
