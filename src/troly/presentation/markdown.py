"""Blocks as Markdown, for programs that show an answer as text: tables, sources and lists as every reader knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from troly.plugin.events import Content
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
from troly.presentation.text import exact_value
from troly.text.catalogue import Lang

# What would begin or end something in running Markdown text. A link needs its closing bracket; an escaped opening one
# begins a formula where a chat page knows TeX.
_ACTIVE = re.compile(r"([\\`*_\]<>|#])")


def content_markdown(content: Content, lang: Lang = "en") -> str:
    """All blocks of `content` as Markdown, a blank line between them; "" where there is nothing to show."""
    return "\n\n".join(text for block in blocks(content, lang) if (text := block_markdown(block)))


def block_markdown(block: Block) -> str:
    """`block` as Markdown. Plans and how an answer was computed are left out: they are about the answer, not of it."""
    return "\n".join(_lines(block)).strip()


def _lines(block: Block) -> Iterator[str]:  # noqa: C901, PLR0912 (one case a block)
    match block:
        case Rows():
            yield from _headed(block.title)
            yield from _table(block.columns, block.rows, block.numeric)
            yield from _rest(len(block.rows), block.total)
        case Entries():
            yield from _headed(block.title)
            for number, item in enumerate(block.items, 1):
                yield f"{number}. {_joined(f'**{escape(item.title)}**', escape(item.subtitle))}"
                yield from (f"   - {escape(name)}: {escape(value)}" for name, value in item.fields)
            yield from _rest(len(block.items), block.total)
        case Plot():
            yield from _headed(
                " ".join(part for part in (block.title, f"({block.unit})" if block.unit else "") if part)
            )
            rows = [
                (label, *(exact_value(series.values[at], block.language) for series in block.series))
                for at, label in enumerate(block.labels)
            ]
            columns = ("", *(series.name for series in block.series))
            yield from _table(columns, rows, range(1, len(columns)))
        case SourceList():
            for source in block.items:
                link = source.url if re.fullmatch(r"https?://[^\s<>()\[\]]+", source.url) else ""
                where = f"<{link}>" if link else escape(source.where)
                yield f"- [{source.number}] {_joined(escape(source.title), where)}"
        case KeyValues():
            yield from (f"- {escape(name)}: {escape(value)}" for name, value in block.pairs)
        case Questions():
            yield from (f"- {escape(question)}" for question in block.questions)
        case Alternatives():
            for side in block.sides:
                title = f"**{escape(side.title)}**" if side.wins else escape(side.title)
                yield f"- {_joined(title, escape(side.text))}"
            yield ""
            yield escape(block.rule)
        case Callout():
            text = " ".join(part for part in (block.message, block.remedy) if part)
            yield f"> **{escape(block.title)}** {escape(text)}".rstrip()
        case Handover():
            yield f"> {_joined(escape(block.reason), escape(block.hotline))}"
        case Details() | Code() | NumberedLines() | Steps():
            pass
        case _:
            assert_never(block)


def escape(text: str) -> str:
    """`text` as one line that Markdown shows as it stands."""
    return _ACTIVE.sub(r"\\\1", " ".join(text.split()))


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int]) -> Iterator[str]:
    yield _row(columns)
    yield "|" + "|".join("---:" if at in numeric else "---" for at in range(len(columns))) + "|"
    yield from (_row(row) for row in rows)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape(cell) or " " for cell in cells) + " |"


def _headed(title: str) -> Iterator[str]:
    if title:
        yield f"**{escape(title)}**"
        yield ""


def _rest(shown: int, total: int | None) -> Iterator[str]:
    if total is not None and total > shown:
        yield ""
        yield f"({shown}/{total})"


def _joined(*parts: str) -> str:
    return " — ".join(part for part in parts if part)
