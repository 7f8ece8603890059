"""Blocks as lines of text for a terminal without the screen, and tables aligned by terminal cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import assert_never

from troly.plugin.events import Content, ModelLoading
from troly.presentation.blocks import (
    Alternatives,
    Block,
    Callout,
    Code,
    Details,
    Entries,
    Handover,
    KeyValues,
    NumberedLines,
    Plot,
    Questions,
    Rows,
    SourceList,
    Steps,
    blocks,
)
from troly.text.catalogue import Lang, tr
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize

GAP = "  "


def content_text(content: Content, lang: Lang = "en", *, brief: bool = False) -> str:
    """All blocks of `content` in lines; see `block_text`."""
    return "\n".join(text for block in blocks(content, lang) if (text := block_text(block, brief=brief)))


def loading_text(event: ModelLoading, lang: Lang) -> str:
    """What is waited for before the first word of a model."""
    if event.ahead is not None:
        return tr("turn.queued", lang, ahead=event.ahead)
    return tr("turn.loading", lang, model=sanitize(event.model))


def block_text(block: Block, *, brief: bool = False) -> str:
    """`block` in lines, without blank ones; `brief` leaves out what opens on the screen: facts, code, explanations."""
    return "\n".join(line for line in _lines(block, brief=brief) if line)


def hides(block: Block) -> bool:
    """Whether the brief text of `block` leaves something out."""
    match block:
        case Entries():
            return any(item.fields or item.detail for item in block.items)
        case Details():
            return any(not isinstance(inner, KeyValues) for inner in block.blocks)
        case _:
            return False


def _lines(block: Block, *, brief: bool) -> Iterator[str]:  # noqa: C901, PLR0912 (one case a block)
    match block:
        case Rows():
            yield _headed(block.badge, block.title)
            yield grid(block.columns, block.rows, block.numeric)
            yield _shown(len(block.rows), block.total)
        case Entries():
            yield _headed(block.badge, block.title)
            for number, item in enumerate(block.items, 1):
                yield f"{number}. {_joined(item.title, item.subtitle, item.path)}"
                if not brief:
                    yield from (f"   {name}: {value}" for name, value in item.fields)
                    yield from (f"   {line}" for line in item.detail.splitlines())
            yield _shown(len(block.items), block.total)
        case Plot():
            yield from _plot_lines(block)
        case SourceList():
            yield from (f"[{item.number}] {_joined(item.title, item.where)}" for item in block.items)
        case KeyValues():
            yield from (f"{name}: {value}" for name, value in block.pairs)
        case Code():
            yield block.text
        case NumberedLines():
            yield from (f"{number}. {text}" for number, text in enumerate(block.lines, 1))
        case Details():
            if brief:
                inside = (inner for inner in block.blocks if isinstance(inner, KeyValues))
                yield " · ".join(f"{name}: {value}" for inner in inside for name, value in inner.pairs)
            else:
                for inner in block.blocks:
                    yield from _lines(inner, brief=False)
        case Questions():
            yield from (f"> {question}" for question in block.questions)
        case Steps():
            yield from (f"{task.step}. {_joined(task.purpose, task.status)}" for task in block.tasks)
        case Alternatives():
            for side in block.sides:
                yield f"{'*' if side.wins else '-'} {_joined(side.title, side.text)}"
                told = [f"{name} {value}" for name, value in side.facts]
                told += [f"{name} {value:.2f}" for name, value in side.scores]
                yield f"  {', '.join(told)}" if told else ""
            yield block.rule
        case Callout():
            yield " ".join(part for part in (f"{block.title}:", block.message, block.remedy) if part)
        case Handover():
            yield _joined(block.reason, block.hotline)
            yield from block.transcript
        case _:
            assert_never(block)


def _plot_lines(plot: Plot) -> Iterator[str]:
    """The exact values behind a plot, one row a label."""
    yield _headed(
        plot.badge, f"{plot.title} ({plot.unit})" if plot.title and plot.unit else plot.title or plot.unit
    )
    columns = ["", *(series.name for series in plot.series)]
    rows = [
        [label, *(exact_value(series.values[at], plot.language) for series in plot.series)]
        for at, label in enumerate(plot.labels)
    ]
    yield grid(columns, rows, range(1, len(columns)))


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
