"""A message as styled lines: who and when, its parts in order, and what happened to it; rendered only where changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from troly.plugin.events import (
    Chart,
    Computation,
    Content,
    ModelLoading,
    Notice,
    Plan,
    Sources,
    Suggestions,
    Table,
)
from troly.presentation.text import loading_text
from troly.text.catalogue import LANGS, Lang, tr
from troly.text.fold import fold
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView, Part, TextPart, Trouble
from troly.tui.keymap import Keymap
from troly.tui.render.cards import card_lines, folded_table
from troly.tui.render.figures import counted, duration, step_title
from troly.tui.render.markdown import CODE_HEAD, MarkdownStream
from troly.tui.render.spans import (
    BLANK,
    Line,
    Span,
    clip,
    ends_apart,
    line,
    plain,
    with_commands,
    wrap,
    wrap_whole,
)


def trouble_lines(trouble: Trouble, width: int, mark: str = "× ", style: str = "error") -> list[Line]:
    """What went wrong, why, and the remedy on a line of its own."""
    reason = [Span(sanitize(trouble.title), style)]
    if trouble.message:
        reason += with_commands(f"  {sanitize(trouble.message)}", "dim")
    lines = [
        (Span(mark if row == 0 else "  ", style), *text) for row, text in enumerate(wrap(reason, width - 2))
    ]
    if trouble.remedy:
        lines += [(Span("  "), *text) for text in wrap(with_commands(sanitize(trouble.remedy)), width - 2)]
    return lines


WIDEST_TEXT = 100
# How many characters of one text one paint may work on; what is left is painted next time.
SLICE = 20_000
Press = Callable[[str], str]
usual_press: Press = Keymap().press
# What a card is taken to be high before it is rendered.
CARD_ROWS = 8
# A table of at most so many rows says nothing more than sentences with the same figures.
FEW_ROWS = 3
# Steps shown while an answer is awaited; seconds without a word after which it is told what can be done.
LAST_STEPS, SILENT = 4, 15.0
_NUMBERED = re.compile(r"\d+\. ")
_FIGURE = re.compile(r"-?\d+(?:[.,]\d+)*")
# A list of sources that a card shows with their passages: the number at the beginning of its lines.
_CITED = re.compile(r"\[(\d{1,3})\]")
_SOURCE = re.compile(r"\s*\[?(\d+)[.\])]")


class BlockRows(NamedTuple):
    """The rows of one part of a message, from its first line; `part` -1 is a message without parts."""

    part: int
    begin: int
    end: int


class MessageLines:
    """The lines of one message; asking again without a change costs nothing, after a new token only the last block.

    `head` is the row of the line with the name, below the line that names the day where there is one; `blocks` has the
    rows of its parts.
    """

    def __init__(self, view: MessageView, press: Press = usual_press) -> None:
        self.view = view
        self._press = press
        self.head = 0
        self.blocks: list[BlockRows] = []
        self._streams: dict[int, tuple[TextPart, MarkdownStream, int]] = {}
        self._without_list: dict[int, TextPart] = {}
        self._seen: tuple[object, ...] = ()
        self._lines: list[Line] = []

    @property
    def behind(self) -> bool:
        """Whether a part of the text is not rendered yet."""
        return any(stream.behind for _, stream, _ in self._streams.values())

    def lines(self, width: int, lang: Lang, day: str = "", most: int | None = None) -> list[Line]:
        """The lines in at most `width` cells, a blank line at the end, `day` named above; see `MarkdownStream.lines`."""
        if self.behind:
            self._seen = ()
        return self.rendered(width, lang, day, most)

    def rendered(self, width: int, lang: Lang, day: str = "", most: int | None = None) -> list[Line]:
        """The same, but a long text that is not rendered to its end stays where it is."""
        seen = (self.view.revision, self.view.state, width, lang, day)
        if self._seen != seen:
            self._lines, self._seen = self._render(width, lang, day, most), seen
        return self._lines

    def _render(self, width: int, lang: Lang, day: str, most: int | None) -> list[Line]:
        view, lang = self.view, self.view.spoken(lang)
        kept = {id(part) for part in (*view.parts, *self._without_list.values())}
        self._streams = {name: stream for name, stream in self._streams.items() if name in kept}
        body = min(width, WIDEST_TEXT)
        lines, blocks = [ends_apart(self._name(lang), badge(view, lang), body)], list[BlockRows]()
        if f"{view.key}.steps" in view.opened:
            lines += step_lines(view, body, lang)
        behind = plotted_tables(view.parts)
        for index in reading_order(view):
            if index in behind.values():
                continue
            shown = self._part(index, width, lang, most)
            if index in behind:
                shown += self._folded_table(behind[index], body, lang)
            if f"{view.key}.{index}.fold" in view.opened:
                shown = folded(shown, f"{view.key}.{index}.fold", body, lang)
            if shown and blocks:
                lines.append(BLANK)
            if shown:
                # The name belongs to the first block.
                blocks.append(BlockRows(index, len(lines) if blocks else 0, len(lines) + len(shown)))
            lines += shown
        lines += footer(view, body, lang, self._press)
        lines += wrong_lines(view, body, lang)
        if view.who == "user":
            lines = [lines[0], *((Span("▌ ", "mine"), *text) for text in lines[1:])]
        above: list[Line] = []
        if day:
            # The name of the day in the middle of a rule.
            side = Span("─" * max(1, (body - cell_len(day) - 2) // 2), "rule")
            above = [line(side, Span(f" {day} ", "dim"), side), BLANK]
        self.head = len(above)
        # What stands below the last part, such as why it stopped, belongs to it.
        whole = (
            [*blocks[:-1], blocks[-1]._replace(end=len(lines))] if blocks else [BlockRows(-1, 0, len(lines))]
        )
        self.blocks = [BlockRows(at, begin + len(above), end + len(above)) for at, begin, end in whole]
        return [*above, *lines, BLANK]

    def _part(self, index: int, width: int, lang: Lang, most: int | None) -> list[Line]:
        """One part; columns of a table may need all the room, whatever is read or drawn keeps to the measure."""
        view, part, body = self.view, self.view.parts[index], min(width, WIDEST_TEXT)
        name = f"{view.key}.{index}"
        if isinstance(part, TextPart):
            if view.who == "user":
                return wrap([Span(sanitize(part.text))], body - 2)
            shown = with_copy(self._markdown(part, body, most), body, name, tr("ui.code.copy", lang))
            return with_sources(shown, view)
        if index in said_tables(view):
            return self._folded_table(index, width, lang)
        known = "" if index in plotted_tables(view.parts) else name
        said = view.text if isinstance(part, Sources) else ""
        room = width if isinstance(part, Table) else body
        return card_lines(part, room, lang, name=known, opened=view.opened, said=said)

    def _folded_table(self, index: int, width: int, lang: Lang) -> list[Line]:
        """The table whose values are shown already: one line that opens it."""
        part, name = self.view.parts[index], f"{self.view.key}.{index}"
        if not isinstance(part, Table):
            return []
        if name in self.view.opened:
            return [BLANK, *card_lines(part, width, lang, name=name, opened=self.view.opened)]
        return [folded_table(part, name, lang)]

    def _name(self, lang: Lang) -> Line:
        view = self.view
        speaker = "report" if view.kind == "trouble" else view.who
        who, action = view.colleague or tr(f"ui.message.{speaker}", lang), f"menu:{view.key}"
        style = "who" if speaker == "assistant" else "strong"
        return line(Span(who, style, action), Span(f"  {view.time:%H:%M}", "dim", action))

    def _markdown(self, part: TextPart, width: int, most: int | None) -> list[Line]:
        if self.view.finished:
            text = part.text
            for without in (without_source_list, without_charted_list):
                left = without(text, self.view.parts)
                text = text if left is None else left
            if text != part.text:
                part = self._without_list.setdefault(id(part), TextPart([text]))
        _, stream, fed = self._streams.get(id(part), (part, MarkdownStream(), 0))
        if fed < len(part.pieces):
            stream.feed("".join(part.pieces[fed:]))
        if self.view.finished:
            stream.finish()
        self._streams[id(part)] = (part, stream, len(part.pieces))
        return stream.lines(width, most)


def folded(lines: list[Line], name: str, width: int, lang: Lang) -> list[Line]:
    """The first line of a block, and how many more open below it."""
    more = counted("ui.message.folded", max(0, len(lines) - 1), lang)
    first = clip(plain(lines[0]).strip(), max(8, width - cell_len(more) - 4)) if lines else ""
    return [line(Span("▸ ", "action", f"open:{name}"), first, Span(f"  {more}", "dim"))] if lines else []


def reading_order(view: MessageView) -> list[int]:
    """The places of its parts as they are read: the sentences that answer, what they speak of, what both rest on, and what
    to ask next. What is left of sentences whose list a chart shows are notes on it, and stand behind.
    """
    parts = view.parts
    first = next((at for at, part in enumerate(parts) if isinstance(part, TextPart)), 0)
    opening = parts[first] if parts else None
    told = opening.text if view.finished and isinstance(opening, TextPart) else ""
    left = without_charted_list(told, parts) if told else None
    noted = left is not None and not told.lstrip().startswith(left.partition("\n")[0] or " ")

    def rank(at: int) -> int:
        part = parts[at]
        if (at == first and not noted) or (isinstance(part, Notice) and part.level == "error"):
            return 0
        if isinstance(part, Suggestions):
            return 3
        return 2 if (at == first and noted) or isinstance(part, Notice | Sources | Computation | Plan) else 1

    return sorted(range(len(parts)), key=rank)


def plotted_tables(parts: Sequence[Part]) -> dict[int, int]:
    """For each chart whose labels are the rows of a table the table, by their places."""
    tables = {at: part for at, part in enumerate(parts) if isinstance(part, Table) and part.rows}
    found: dict[int, int] = {}
    for at, part in enumerate(parts):
        if isinstance(part, Chart):
            same = (
                place
                for place, table in tables.items()
                if place not in found.values() and [row[0] for row in table.rows] == list(part.labels)
            )
            if (place := next(same, None)) is not None:
                found[at] = place
    return found


def said_tables(view: MessageView) -> set[int]:
    """The places of small tables whose every cell the sentences of a finished answer say too."""
    if not view.finished:
        return set()
    said = fold(view.text)
    return {
        at
        for at, part in enumerate(view.parts)
        if isinstance(part, Table)
        and 0 < len(part.rows) <= FEW_ROWS
        and all(fold(cell).lstrip("-") in said for row in part.rows for cell in row)
    }


def without_charted_list(text: str, parts: Sequence[Part]) -> str | None:
    """The text without its numbered list where bars among `parts` show each name and figure of it, else None.

    A line plot tells no figures but those at its ends: there the list stays.
    """
    bars = [part for part in parts if isinstance(part, Chart) and part.kind != "line" and part.labels]
    lines = text.split("\n") if bars else []
    listed = [at for at, one in enumerate(lines) if _NUMBERED.match(one)]
    for chart in bars:
        figures = zip(*(series.values for series in chart.series), strict=False)
        if len(chart.labels) == len(listed) and all(
            fold(label) in fold(lines[at]) and {*_FIGURE.findall(lines[at])} & _written(values)
            for at, label, values in zip(listed, chart.labels, figures, strict=False)
        ):
            title = fold(chart.title).strip()
            named = listed[0] - 1 if fold(lines[listed[0] - 1]).strip() == f"{title}:" else -1
            kept = "\n".join(one for at, one in enumerate(lines) if at not in listed and at != named)
            return re.sub(r"\n{3,}", "\n\n", kept).strip()
    return None


def _written(values: Iterable[float]) -> set[str]:
    return {format_number(value, lang) for value in values for lang in LANGS}


def without_source_list(text: str, parts: Sequence[Part]) -> str | None:
    """The text without its last lines where they only number the sources that a card among `parts` shows, else None."""
    titles = [item.title for part in parts if isinstance(part, Sources) for item in part.items]
    lines = text.rstrip().split("\n")
    numbered = [one for one in lines if _SOURCE.match(one)][-len(titles) :] if titles else []
    tail = [one for one in lines[-2 * len(titles) :] if one.strip()][-len(titles) :] if titles else []
    if (
        not titles
        or tail != numbered
        or not all(title.strip() in one for title, one in zip(titles, tail, strict=False))
    ):
        return None
    at = len(lines) - 1
    while at > 0 and lines[at] != tail[0]:
        at -= 1
    above = "\n".join(lines[:at]).rstrip().split("\n")
    if above[-1].rstrip("* ").endswith(":"):
        above = above[:-1]
    return "\n".join(above).rstrip()


def estimated_rows(view: MessageView, width: int) -> int:
    """About how many lines a message will have, without rendering it."""
    body = max(1, min(width, WIDEST_TEXT) - 2)
    rows = 2
    for part in view.parts:
        if isinstance(part, TextPart):
            text = part.text
            rows += text.count("\n") + len(text) // body + 1
        else:
            rows += CARD_ROWS
    return rows


def with_copy(lines: list[Line], width: int, name: str, label: str) -> list[Line]:
    """The lines with a word to press at the end of the first line of each block of code (`code:<name>.<number>`)."""
    heads = [row for row, text in enumerate(lines) if text and text[-1].style.endswith(CODE_HEAD)]
    if not heads:
        return lines
    lines = list(lines)
    for number, row in enumerate(heads):
        lines[row] = ends_apart(lines[row], line(Span(label, "action", f"code:{name}.{number}")), width)
    return lines


def with_sources(lines: list[Line], view: MessageView) -> list[Line]:
    """The lines with each `[1]` that names a source of the message to press (`source:<message>.<number>`)."""
    known = {str(item.number) for part in view.parts if isinstance(part, Sources) for item in part.items}

    def linked(span: Span) -> list[Span]:
        pieces = _CITED.split(span.text)
        return [
            span._replace(
                text=f"[{piece}]", style=f"{span.style} action".strip(), action=f"source:{view.key}.{piece}"
            )
            if at % 2 and piece in known
            else span._replace(text=f"[{piece}]" if at % 2 else piece)
            for at, piece in enumerate(pieces)
            if piece
        ]

    if not known:
        return lines
    return [
        tuple(piece for span in text for piece in linked(span))
        if any("[" in span.text for span in text)
        else text
        for text in lines
    ]


def badge(view: MessageView, lang: Lang) -> Line:
    """Who answered, with how many calls and in what time; nothing for a message that has no source."""
    if view.who == "user" or not view.source:
        return ()
    steps = len(view.steps)
    parts = [counted("ui.badge.steps", steps, lang)] if steps else []
    parts.append(tr(f"ui.source.{view.source}", lang))
    if view.calls:
        parts.append(counted("ui.badge.calls", view.calls, lang))
    if view.ms is not None:
        parts.append(duration(view.ms, lang))
    return line(Span(" · ".join(parts), "dim", f"open:{view.key}.steps" if steps else ""))


def wrong_lines(view: MessageView, width: int, lang: Lang) -> list[Line]:
    """That the answer was marked as wrong, and why; nothing where it was not."""
    if view.wrong is None:
        return []
    reason = tr(f"cli.wrong.reasons.{view.wrong.reason}", lang)
    text = ". ".join(part for part in (reason, sanitize(view.wrong.note)) if part)
    return wrap([Span(f"× {tr('ui.wrong.marked', lang)}: {text}", "error")], width)


def footer(view: MessageView, width: int, lang: Lang, press: Press = usual_press) -> list[Line]:
    """What is below a message: what it waits for, or why it stopped and the keys that help (`press` names them)."""
    if view.state == "waiting":
        return wrap([Span(tr(f"ui.message.{view.kind or 'waiting'}", lang), "dim")], width)
    if view.state == "running":
        return _running(view, width, lang)
    if view.trouble is None and view.cut and view.state == "done":
        label = tr("ui.message.continue", lang, key=press("continue")).strip()
        return [BLANK, line(Span(label, "action", f"continue:{view.key}"))]
    if view.trouble is None:
        return []
    if view.kind == "trouble":
        return trouble_lines(view.trouble, width)
    gap = [BLANK] if view.parts else []
    helps = [("again", f"again:{view.key}"), ("edit", f"edit:{view.key}")]
    if view.unfinished:
        helps.insert(1, ("continue", f"continue:{view.key}"))
    offered = [
        line(Span(tr(f"ui.message.{name}", lang, key=press(name)).strip(), "action", action))
        for name, action in helps
    ]
    mark, style = ("■ ", "strong") if view.state == "stopped" else ("× ", "error")
    # A turn that a crash cut off has no reason of its own.
    title = view.trouble.title or tr("ui.message.stopped", lang)
    return [
        *gap,
        *trouble_lines(view.trouble._replace(title=title), width, mark, style),
        *((Span("  "), *row) for row in wrap_whole(offered, width - 2)),
    ]


def _running(view: MessageView, width: int, lang: Lang) -> list[Line]:
    """Which step runs since when, what it reports, and what can be done about a server that says nothing."""
    waiting = view.stale or not view.text.strip()
    lines: list[Line] = []
    if waiting and view.progress is None:
        # Beside a plan, which tells what is done, the running step is enough.
        lines += step_lines(view, width, lang, 1 if view.parts and not view.stale else LAST_STEPS)
    said = ""
    if isinstance(view.progress, ModelLoading):
        said = loading_text(view.progress, lang)
    elif view.progress is not None:
        done = view.progress.percent
        said = sanitize(view.progress.message) + ("" if done is None else f"  {done:.0f}%")
    elif not (view.parts or lines):
        said = tr("ui.message.thinking", lang)
    if said:
        lines += wrap([Span(f"◐ {said}  {_seconds(view.waited, lang)}".rstrip(), "dim")], width)
    if view.silent >= SILENT:
        told = tr("ui.message.silent", lang, time=_seconds(view.silent, lang))
        lines += wrap([Span(f"! {told}", "strong")], width)
    return lines


def _seconds(seconds: float, lang: Lang) -> str:
    return duration(1000 * int(seconds), lang) if seconds >= 1 else ""


def step_lines(view: MessageView, width: int, lang: Lang, last: int | None = None) -> list[Line]:
    """The steps of an answer in plain words with their times, at most the `last` ones."""
    lines = []
    for step in view.steps[-last:] if last else view.steps:
        node, agent, tool = (
            sanitize(name, keep_newlines=False) for name in (step.node, step.agent, step.tool)
        )
        title, _ = step_title(node, agent, tool, lang)
        running = step.ms is None and not view.finished
        mark = "×" if step.failed else "◐" if running else "✓"
        took = _seconds(view.waited - step.began, lang) if step.ms is None else duration(step.ms, lang)
        style = "error" if step.failed else "" if running else "dim"
        lines.append(
            line(
                Span(f"{mark} ", style),
                Span(clip(title, max(8, width - 14)), style),
                Span(f"  {took}", "dim"),
            )
        )
    return lines


# A quote reminds of a message, it does not repeat it.
QUOTED_LINES, QUOTED_LETTERS = 12, 800


def message_text(view: MessageView, lang: Lang, only: int | None = None) -> str:
    """A message, or one part of it: its text as it was written, its tables, lists and sources as aligned lines, all opened."""
    parts = [
        sanitize(part.text).strip()
        if isinstance(part := view.parts[at], TextPart)
        else "\n".join(plain(row).rstrip() for row in whole_card(view, at, WIDEST_TEXT, 0, lang)).strip("\n")
        for at in reading_order(view)
        if only in (None, at)
    ]
    return "\n\n".join(part for part in parts if part)


def quoted(text: str) -> str:
    """The beginning of `text` as a quote, a line `> …` each."""
    lines = [line for line in text[:QUOTED_LETTERS].split("\n") if line.strip()]
    cut = len(text) > QUOTED_LETTERS or len(lines) > QUOTED_LINES
    lines = [f"> {line.rstrip()}" for line in lines[:QUOTED_LINES]]
    if cut and lines:
        lines[-1] += "…"
    return "\n".join(lines)


def opened_names(card: Content, name: str) -> Collection[str]:
    """The names of all that opens in a card."""
    held = getattr(card, "items", ())
    return {name, f"{name}.transcript", *(f"{name}.{at}" for at in range(len(held)))}


def read_parts(view: MessageView) -> list[int]:
    """The places of what there is to read in a message, in the order of reading; what to ask next is not."""
    return [at for at in reading_order(view) if not isinstance(view.parts[at], Suggestions)]


def whole_card(view: MessageView, at: int, width: int, rows: int, lang: Lang) -> list[Line]:
    """All of the typed content at place `at`, opened, a plot as high as `rows` allow."""
    card, name = view.parts[at], f"{view.key}.{at}"
    if isinstance(card, TextPart):
        return []
    opened = opened_names(card, name)
    return card_lines(card, width, lang, name=name, opened=opened, said=view.text, rows=rows)
