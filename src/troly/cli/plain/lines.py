"""Text of an answer and its tables as lines to be heard: whole sentences, "column: value", no marks of formatting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from troly.plugin.events import Chart, Computation, Conflict, Content, Sources, Suggestions, Table
from troly.presentation.text import content_text, exact_value
from troly.text.catalogue import Lang, tr

# A line without an end is cut after a sentence once it is this long, so that an answer is heard while it is written.
LONGEST_WAIT = 120
_SENTENCE = re.compile(r"(?<=[.!?…:;])\s+(?=\S)")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_HEAD = re.compile(r"^\s{0,3}#{1,6}\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_MARKS = re.compile(r"\*\*|__|`|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((https?://[^)\s]{1,500})\)")
# What is said before the content.
HEADS: Mapping[type[Content], str] = {Sources: "sources", Computation: "computed", Conflict: "conflict"}


class SpokenMarkdown:
    """Takes pieces of Markdown and gives out lines as they become whole."""

    def __init__(self) -> None:
        self._rest = ""
        self._columns: list[str] | None = None
        self._code = False

    def feed(self, text: str) -> list[str]:
        """The lines that are whole now."""
        *whole, self._rest = (self._rest + text).split("\n")
        lines = [line for raw in whole for line in self._line(raw)]
        if len(self._rest) > LONGEST_WAIT and not self._code and not self._rest.lstrip().startswith("|"):
            *sentences, self._rest = _SENTENCE.split(self._rest)
            if sentences:
                lines += self._line(" ".join(sentences))
        return lines

    def finish(self) -> list[str]:
        rest, self._rest = self._rest, ""
        return [*self._line(rest), *self._head_alone()]

    def _line(self, raw: str) -> list[str]:
        if _FENCE.match(raw):
            self._code = not self._code
            return []
        if self._code:
            return [raw] if raw.strip() else []
        if raw.strip().startswith("|") and raw.strip().endswith("|") and len(raw.strip()) > 1:
            return self._row(
                [_plain(cell) for cell in raw.strip().strip("|").split("|")], rule=bool(_RULE.match(raw))
            )
        return [*self._head_alone(), *([_plain(raw)] if raw.strip() else [])]

    def _row(self, cells: list[str], *, rule: bool) -> list[str]:
        """A row of a Markdown table: its cells by the names of the columns."""
        if rule:
            return []
        if self._columns is None:
            self._columns = cells
            return []
        named = zip(self._columns, cells, strict=False)
        return ["; ".join(f"{name}: {value}" if name else value for name, value in named) + "."]

    def _head_alone(self) -> list[str]:
        self._columns = None
        return []


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1, \2", _HEAD.sub("", text))).split())


def spoken_lines(content: Content, lang: Lang) -> Iterator[str]:
    match content:
        case Table():
            yield from _table_lines(content, lang)
        case Chart():
            yield from _plot_lines(content, content.language or lang, lang)
        case Suggestions():
            yield tr("cli.plain.next", lang)
            yield from content.questions
        case _:
            if head := HEADS.get(type(content)):
                yield tr(f"cli.plain.{head}", lang)
            yield from content_text(content, lang).splitlines()


def _table_lines(table: Table, lang: Lang) -> Iterator[str]:
    """A table row by row, each cell with the name of its column; empty cells are left out."""
    title = " ".join(part for part in (table.badge, table.title) if part)
    count = len(table.rows)
    yield _squeeze(tr("cli.plain.table", lang, title=title, rows=count, columns=len(table.columns)))
    for number, row in enumerate(table.rows, 1):
        if count > 1:
            yield tr("cli.plain.row", lang, number=number, rows=count)
        for name, value in zip(table.columns, row, strict=False):
            if value.strip():
                yield f"{name}: {' '.join(value.split())}" if name.strip() else " ".join(value.split())
    if table.total is not None and table.total > count:
        yield tr("cli.plain.more", lang, count=table.total - count)


def _plot_lines(plot: Chart, written: Lang, lang: Lang) -> Iterator[str]:
    """The exact values of a plot, one label a line."""
    title = " ".join(part for part in (plot.badge, plot.title, f"({plot.unit})" if plot.unit else "") if part)
    yield _squeeze(tr("cli.plain.chart", lang, title=title))
    for at, label in enumerate(plot.labels):
        values = [
            f"{series.name} {value}".strip()
            for series in plot.series
            if (value := exact_value(series.values[at], written))
        ]
        yield f"{label}: {', '.join(values)}" if values else label


def _squeeze(text: str) -> str:
    return text.replace(" :", ":").replace(" .", ".")
