"""Typed content of an answer as blocks: what there is to show, decided once for the screen, plain lines, text and evidence.

A face draws blocks and never asks which event they came from. A new kind of content becomes blocks here; a face changes
only where none of the blocks below can say it, and mypy names every face then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from troly.conversation.recorder import clean
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Evidence,
    Handoff,
    Item,
    ItemList,
    Level,
    Notice,
    Plan,
    Series,
    Side,
    Sources,
    Suggestions,
    Table,
    Task,
)
from troly.text.catalogue import Lang

Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: `numeric` columns are right-aligned; `total` is how many rows there are where not all are carried."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[int, ...] = ()
    title: str = ""
    badge: str = ""
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """Things that open: a line and a quieter line each, facts and text inside; `total` as in `Rows`."""

    items: tuple[Item, ...]
    title: str = ""
    badge: str = ""
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """Numbers to draw, with their exact values beside them as `language` writes numbers."""

    kind: Literal["bar", "line", "share"]
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    language: Lang
    title: str = ""
    unit: str = ""
    badge: str = ""


@dataclass(frozen=True, slots=True)
class SourceList:
    """Numbered passages that an answer rests on, best first; each opens to its text, facts and link."""

    items: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class KeyValues:
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class Code:
    """A query; `rerun` is what is typed before it to run it again with changes, "" where that is not possible."""

    text: str
    language: Literal["sql", "json"]
    rerun: str = ""


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """Lines in order, numbered from 1."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """How an answer was computed: one line that opens to its blocks."""

    blocks: tuple[KeyValues | Code | NumberedLines, ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """What can be asked next; pressing one asks it."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Tasks with what became of each; later steps of the same turn take the place of earlier ones."""

    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Answers that contradict each other, side by side, and the rule that decided."""

    sides: tuple[Side, ...]
    rule: str
    tie: bool = False


@dataclass(frozen=True, slots=True)
class Callout:
    """One remark that stands out: what, why, and what to do."""

    level: Level
    title: str
    message: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Handover:
    """A person takes over: why, where to call, and what was said so far."""

    reason: str
    hotline: str = ""
    transcript: tuple[str, ...] = ()


Block: TypeAlias = (
    Rows
    | Entries
    | Plot
    | SourceList
    | KeyValues
    | Code
    | NumberedLines
    | Details
    | Questions
    | Steps
    | Alternatives
    | Callout
    | Handover
)


def blocks(content: Content, language: Lang) -> tuple[Block, ...]:  # noqa: C901, PLR0911 (one case an event)
    """`content` as blocks in order, without control sequences; `language` is that of the interface."""
    content = clean(content)
    match content:
        case Table():
            return (
                Rows(
                    content.columns,
                    content.rows,
                    content.numeric,
                    content.title,
                    content.badge,
                    content.total,
                ),
            )
        case ItemList():
            return (Entries(content.items, content.title, content.badge, content.total),)
        case Chart():
            written = content.language or language
            return (
                Plot(
                    content.kind,
                    content.labels,
                    content.series,
                    written,
                    content.title,
                    content.unit,
                    content.badge,
                ),
            )
        case Sources():
            return (SourceList(content.items),)
        case Computation():
            inside: list[KeyValues | Code | NumberedLines] = [KeyValues(content.facts)]
            if content.code:
                inside.append(Code(content.code, content.kind, content.rerun))
            if content.explained:
                inside.append(NumberedLines(content.explained))
            return (Details(tuple(inside)),)
        case Suggestions():
            return (Questions(content.questions),)
        case Plan():
            return (Steps(content.tasks),)
        case Conflict():
            return (Alternatives(content.sides, content.rule, content.tie),)
        case Notice():
            return (Callout(content.level, content.title, content.message, content.remedy),)
        case Handoff():
            return (Handover(content.reason, content.hotline, content.transcript_lines),)
    assert_never(content)
