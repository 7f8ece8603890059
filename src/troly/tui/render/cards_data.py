"""Tables, lists that open and charts as styled lines."""

from __future__ import annotations

from collections.abc import Collection

from troly.plugin.events import Chart, Item, ItemList, Table
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.render.figures import number
from troly.tui.render.markdown import markdown_lines
from troly.tui.render.plot import plot_lines
from troly.tui.render.spans import BLANK, Line, Span, clip, line, pad, width_of, wrap
from troly.tui.render.tables import table_lines

HEAD = 20
# Shorter tables are seen at once; the key for the grid works with them too.
LONG = 8
MOST_ITEMS = 10
# A line needs this many cells and points to say more than its numbers do.
NARROWEST_PLOT = 30
FEWEST_POINTS = 3
LONGEST_UNIT = 16


def titled(title: str, badge: str, width: int) -> list[Line]:
    """A title with its badge before it; nothing where there is neither."""
    mark = [Span(f" {sanitize(badge)} ", "chip"), Span(" ")] if badge else []
    return wrap([*mark, Span(sanitize(title), "strong")], width) if title or badge else []


def indented(lines: list[Line], mark: str = "  ", style: str = "") -> list[Line]:
    """The lines behind a mark each."""
    return [(Span(mark, style), *text) for text in lines]


def table(card: Table, width: int, lang: Lang, name: str, opened: Collection[str]) -> list[Line]:
    """The head of the table, or all of it where it stands open, and what opens it as a grid."""
    shown = card.rows if name in opened else card.rows[:HEAD]
    head = [[Span(sanitize(cell))] for cell in card.columns]
    rows = [[[Span(sanitize(cell))] for cell in row] for row in shown]
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
    for index, item in enumerate(shown):
        mine = f"{name}.{index}"
        more = bool(item.detail or item.fields)
        mark = ("▾ " if mine in opened else "▸ ") if more else "• "
        action = f"open:{mine}" if more else ""
        for row, text in enumerate(wrap([Span(sanitize(item.title), "strong", action)], width - 2)):
            lines.append((Span(mark if row == 0 else "  ", "dim", action), *text))
        if item.subtitle:
            lines += indented(wrap([Span(sanitize(item.subtitle), "dim")], width - 2))
        if more and mine in opened:
            lines += indented(_inside(item, width - 2))
    return [*lines, *_below(card, len(card.items) - len(shown), name, lang)]


def _inside(item: Item, width: int) -> list[Line]:
    lines = facts(item.fields, width)
    if item.detail:
        lines += markdown_lines(sanitize(item.detail), width)
    if item.path:
        lines += wrap([Span(sanitize(item.path), "dim")], width)
    return lines


def facts(pairs: Collection[tuple[str, str]], width: int) -> list[Line]:
    """Names and values in two columns."""
    names = [clip(sanitize(name), max(8, width // 3)) for name, _ in pairs]
    left = max((width_of(line(name)) for name in names), default=0) + 2
    lines: list[Line] = []
    for name, (_, value) in zip(names, pairs, strict=True):
        rows = wrap([Span(sanitize(value))], max(1, width - left))
        lines += [
            (*pad(line(Span(name if row == 0 else "", "dim")), left), *text) for row, text in enumerate(rows)
        ]
    return lines


def chart(card: Chart, width: int, lang: Lang) -> list[Line]:
    """A line as a plot, all else as bars, both with their exact values; a share says the part of the whole too."""
    lang = card.language or lang
    lines = titled(card.title, card.badge, width)
    plotted = card.kind == "line" and width >= NARROWEST_PLOT and len(card.labels) >= FEWEST_POINTS
    if plotted:
        lines += plot_lines(card, width, lang)
    for series in card.series:
        if len(card.series) > 1:
            lines += [BLANK, *wrap([Span(sanitize(series.name), "strong")], width)]
        lines += (_values if plotted else _bars)(card, series.values, width, lang)
    return lines


def _values(card: Chart, values: tuple[float, ...], width: int, lang: Lang) -> list[Line]:
    """The exact values below a plot, as many on a line as there is room for."""
    spans: list[Span] = []
    for label, value in zip(card.labels, values, strict=False):
        # Blanks that do not break keep a label with its value.
        pair = f"{sanitize(label)}\u00a0{number(value, lang)}".replace(" ", "\u00a0")
        spans += [Span("   " if spans else ""), Span(pair, "dim")]
    return wrap([*spans, Span(f"  {sanitize(card.unit)}" if card.unit else "", "dim")], width)


def _bars(card: Chart, values: tuple[float, ...], width: int, lang: Lang) -> list[Line]:
    labels = [clip(sanitize(label), max(6, width // 3)) for label in card.labels]
    total = sum(values) or 1.0
    texts = [f"{number(value, lang)} {clip(sanitize(card.unit), LONGEST_UNIT)}".strip() for value in values]
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
