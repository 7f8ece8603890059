"""A message as styled lines: who and when, its parts in order, and what happened to it; rendered only where changed."""

from __future__ import annotations

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.render.cards import card_lines
from troly.tui.render.figures import counted, duration, time_of_day
from troly.tui.render.spans import BLANK, Line, Span, ends_apart, line, wrap
from troly.tui.render.stream import MarkdownStream
from troly.tui.render.trouble import trouble_lines
from troly.tui.view import MessageView, TextPart

WIDEST_TEXT = 100


class MessageLines:
    """The lines of one message; asking again without a change costs nothing, after a new token only the last block."""

    def __init__(self, view: MessageView) -> None:
        self.view = view
        self._streams: dict[int, tuple[TextPart, MarkdownStream, int]] = {}
        self._seen: tuple[object, ...] = ()
        self._lines: list[Line] = []

    def lines(self, width: int, lang: Lang) -> list[Line]:
        """All lines in at most `width` cells, a blank line at the end."""
        seen = (self.view.revision, self.view.state, width, lang)
        if seen != self._seen:
            self._lines = self._render(width, lang)
            self._seen = seen
        return self._lines

    def _render(self, width: int, lang: Lang) -> list[Line]:
        view = self.view
        lines = [ends_apart(self._name(lang), badge(view, lang), width)]
        body = min(width, WIDEST_TEXT)
        for index, part in enumerate(view.parts):
            if isinstance(part, TextPart):
                shown = self._plain(part, body) if view.who == "user" else self._markdown(part, body)
            else:
                shown = card_lines(part, width, lang, name=f"{view.key}.{index}", opened=view.opened)
            if shown and index:
                lines.append(BLANK)
            lines += shown
        lines += _footer(view, body, lang)
        if view.who == "user":
            lines = [lines[0], *((Span("▌ ", "mine"), *text) for text in lines[1:])]
        return [*lines, BLANK]

    def _name(self, lang: Lang) -> Line:
        who = tr(f"ui.message.{self.view.who}", lang)
        style = "who" if self.view.who == "assistant" else "strong"
        return line(Span(who, style), Span(f"  {time_of_day(self.view.time)}", "dim"))

    def _plain(self, part: TextPart, width: int) -> list[Line]:
        return wrap([Span(sanitize(part.text))], width - 2)

    def _markdown(self, part: TextPart, width: int) -> list[Line]:
        _, stream, fed = self._streams.get(id(part), (part, MarkdownStream(), 0))
        if fed < len(part.pieces):
            stream.feed("".join(part.pieces[fed:]))
        if self.view.finished:
            stream.finish()
        self._streams[id(part)] = (part, stream, len(part.pieces))
        return stream.lines(width)


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


def _footer(view: MessageView, width: int, lang: Lang) -> list[Line]:
    if view.state == "waiting":
        return wrap([Span(tr(f"ui.message.{view.kind or 'waiting'}", lang), "dim")], width)
    if view.state == "running":
        return _running(view, width, lang)
    if view.trouble is None:
        return []
    gap = [BLANK] if view.parts else []
    again = line(
        Span("  "),
        Span(tr("ui.message.again", lang), "action", f"again:{view.key}"),
        Span("   "),
        Span(tr("ui.message.edit", lang), "action", f"edit:{view.key}"),
    )
    mark = "■ " if view.state == "stopped" else "× "
    # A turn that a crash cut off has no reason of its own.
    title = view.trouble.title or tr("ui.message.stopped", lang)
    return [*gap, *trouble_lines(view.trouble._replace(title=title), width, mark), *wrap(again, width)]


def _running(view: MessageView, width: int, lang: Lang) -> list[Line]:
    """What is being done, until the first word and whenever work is reported."""
    if view.progress is not None:
        done = view.progress.percent
        share = "" if done is None else f"  {done:.0f}%"
        return wrap([Span(f"◐ {sanitize(view.progress.message)}{share}", "dim")], width)
    if not view.parts:
        return wrap([Span(f"◐ {tr('ui.message.thinking', lang)}", "dim")], width)
    return []
