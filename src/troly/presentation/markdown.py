"""Typed content as Markdown, for programs that show an answer as text: tables, sources and lists as every reader knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

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
    Sources,
    Suggestions,
    Table,
)
from troly.presentation.text import chart_rows
from troly.text.catalogue import Lang

# What would begin or end something in running Markdown text. A link needs its closing bracket; an escaped opening one
# begins a formula where a chat page knows TeX.
_ACTIVE = re.compile(r"([\\`*_\]<>|#])")


def content_markdown(content: Content, lang: Lang = "en") -> str:
    """`content` as Markdown, "" where there is nothing to show.

    Plans and how an answer was computed are left out: they are about the answer, not of it.
    """
    return "\n".join(_lines(clean(content), lang)).strip()


def _lines(content: Content, lang: Lang) -> Iterator[str]:  # noqa: C901, PLR0912 (one case a kind)
    match content:
        case Table():
            yield from _headed(content.title)
            yield from _table(content.columns, content.rows, content.numeric)
            yield from _rest(len(content.rows), content.total)
        case ItemList():
            yield from _headed(content.title)
            for number, item in enumerate(content.items, 1):
                yield f"{number}. {_joined(f'**{escape(item.title)}**', escape(item.subtitle))}"
                yield from (f"   - {escape(name)}: {escape(value)}" for name, value in item.fields)
            yield from _rest(len(content.items), content.total)
        case Chart():
            yield from _headed(
                " ".join(
                    part for part in (content.title, f"({content.unit})" if content.unit else "") if part
                )
            )
            columns, rows = chart_rows(content, lang)
            yield from _table(columns, rows, range(1, len(columns)))
        case Sources():
            for source in content.items:
                link = source.url if re.fullmatch(r"https?://[^\s<>()\[\]]+", source.url) else ""
                where = f"<{link}>" if link else escape(source.where)
                yield f"- [{source.number}] {_joined(escape(source.title), where)}"
        case Suggestions():
            yield from (f"- {escape(question)}" for question in content.questions)
        case Conflict():
            for side in content.sides:
                title = f"**{escape(side.title)}**" if side.wins else escape(side.title)
                yield f"- {_joined(title, escape(side.text))}"
            yield ""
            yield escape(content.rule)
        case Notice():
            text = " ".join(part for part in (content.message, content.remedy) if part)
            yield f"> **{escape(content.title)}** {escape(text)}".rstrip()
        case Handoff():
            yield f"> {_joined(escape(content.reason), escape(content.hotline))}"
        case Computation() | Plan():
            pass
        case _:
            assert_never(content)


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
