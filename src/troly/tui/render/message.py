"""A message as styled lines: who and when, its parts in order, and what happened to it; rendered only where changed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from rich.cells import cell_len

from troly.plugin.events import ModelLoading, Table
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView, TextPart, Trouble
from troly.tui.keymap import Keymap
from troly.tui.render.cards import card_lines
from troly.tui.render.figures import counted, duration, time_of_day
from troly.tui.render.markdown import CODE_HEAD
from troly.tui.render.spans import BLANK, Line, Span, ends_apart, line, wrap, wrap_whole
from troly.tui.render.stream import MarkdownStream

if TYPE_CHECKING:
    from troly.plugin.events import Content
    from troly.text.catalogue import Lang


def trouble_lines(trouble: Trouble, width: int, mark: str = "× ") -> list[Line]:
    """What went wrong, why, and the remedy on a line of its own."""
    reason = [Span(sanitize(trouble.title), "error")]
    if trouble.message:
        reason.append(Span(f"  {sanitize(trouble.message)}", "dim"))
    lines = [
        (Span(mark if row == 0 else "  ", "error"), *text) for row, text in enumerate(wrap(reason, width - 2))
    ]
    if trouble.remedy:
        lines += [(Span("  "), *text) for text in wrap([Span(sanitize(trouble.remedy))], width - 2)]
    return lines


WIDEST_TEXT = 100
# How many characters of one text one paint may work on; what is left is painted next time.
SLICE = 20_000
Press = Callable[[str], str]
usual_press: Press = Keymap().press
# What a card is taken to be high before it is rendered.
CARD_ROWS = 8


class MessageLines:
    """The lines of one message; asking again without a change costs nothing, after a new token only the last block.

    `head` is the row of the line with the name, below the line that names the day where there is one.
    """

    def __init__(self, view: MessageView, press: Press = usual_press) -> None:
        self.view = view
        self._press = press
        self.head = 0
        self._streams: dict[int, tuple[TextPart, MarkdownStream, int]] = {}
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
        view = self.view
        kept = {id(part) for part in view.parts}
        self._streams = {name: stream for name, stream in self._streams.items() if name in kept}
        body = min(width, WIDEST_TEXT)
        lines = [ends_apart(self._name(lang), badge(view, lang), body)]
        for index, part in enumerate(view.parts):
            if not isinstance(part, TextPart):
                # Columns of a table may need all the room; whatever is read or drawn keeps to the measure.
                room = width if isinstance(part, Table) else body
                shown = card_lines(part, room, lang, name=f"{view.key}.{index}", opened=view.opened)
            elif view.who == "user":
                shown = self._plain(part, body)
            else:
                shown = self._markdown(part, body, most)
                shown = with_copy(shown, body, f"{view.key}.{index}", tr("ui.code.copy", lang))
            if shown and index:
                lines.append(BLANK)
            lines += shown
        lines += footer(view, body, lang, self._press)
        lines += wrong_lines(view, body, lang)
        if view.who == "user":
            lines = [lines[0], *((Span("▌ ", "mine"), *text) for text in lines[1:])]
        above = [_day_line(day, width), BLANK] if day else []
        self.head = len(above)
        return [*above, *lines, BLANK]

    def _name(self, lang: Lang) -> Line:
        view = self.view
        who, action = tr(f"ui.message.{view.who}", lang), f"menu:{view.key}"
        style = "who" if view.who == "assistant" else "strong"
        return line(Span(who, style, action), Span(f"  {time_of_day(view.time)}", "dim", action))

    def _plain(self, part: TextPart, width: int) -> list[Line]:
        return wrap([Span(sanitize(part.text))], width - 2)

    def _markdown(self, part: TextPart, width: int, most: int | None) -> list[Line]:
        _, stream, fed = self._streams.get(id(part), (part, MarkdownStream(), 0))
        if fed < len(part.pieces):
            stream.feed("".join(part.pieces[fed:]))
        if self.view.finished:
            stream.finish()
        self._streams[id(part)] = (part, stream, len(part.pieces))
        return stream.lines(width, most)


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


def _day_line(day: str, width: int) -> Line:
    """The name of a day in the middle of a rule."""
    side = Span("─" * max(1, (min(width, WIDEST_TEXT) - cell_len(day) - 2) // 2), "rule")
    return line(side, Span(f" {day} ", "dim"), side)


def badge(view: MessageView, lang: Lang) -> Line:
    """Who answered, with how many calls and in what time; nothing for a message that has no source."""
    if view.who == "user" or not view.source:
        return ()
    parts = [tr(f"ui.source.{view.source}", lang)]
    if view.calls:
        parts.append(counted("ui.badge.calls", view.calls, lang))
    if view.ms is not None:
        parts.append(duration(view.ms, lang))
    return line(Span(" · ".join(parts), "dim"))


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
    mark = "■ " if view.state == "stopped" else "× "
    # A turn that a crash cut off has no reason of its own.
    title = view.trouble.title or tr("ui.message.stopped", lang)
    return [
        *gap,
        *trouble_lines(view.trouble._replace(title=title), width, mark),
        *((Span("  "), *row) for row in wrap_whole(offered, width - 2)),
    ]


def _running(view: MessageView, width: int, lang: Lang) -> list[Line]:
    """What is being done, until the first word and whenever work is reported."""
    if isinstance(view.progress, ModelLoading):
        told = tr("turn.loading", lang, model=sanitize(view.progress.model))
        return wrap([Span(f"◐ {told}", "dim")], width)
    if view.progress is not None:
        done = view.progress.percent
        share = "" if done is None else f"  {done:.0f}%"
        return wrap([Span(f"◐ {sanitize(view.progress.message)}{share}", "dim")], width)
    if not view.parts or view.stale:
        return wrap([Span(f"◐ {tr('ui.message.thinking', lang)}", "dim")], width)
    return []


WIDTH = 100
# A quote reminds of a message, it does not repeat it.
QUOTED_LINES, QUOTED_LETTERS = 12, 800


def message_text(view: MessageView, lang: Lang) -> str:
    """All of a message: its text as it was written, its tables, lists and sources as aligned lines, all opened."""
    parts = [
        sanitize(part.text).strip()
        if isinstance(part, TextPart)
        else _card_text(part, f"{view.key}.{at}", lang)
        for at, part in enumerate(view.parts)
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


def _card_text(card: Content, name: str, lang: Lang) -> str:
    from troly.tui.render.cards import card_lines
    from troly.tui.render.spans import plain

    lines = card_lines(card, WIDTH, lang, name=name, opened=opened_names(card, name))
    return "\n".join(plain(line).rstrip() for line in lines).strip("\n")
