"""One part of an answer on the whole screen: a text, a plot, sources with their passages; the keys go through the parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView, TextPart
from troly.tui.keymap import HINT_GAP, bindings, keymap_of
from troly.tui.render.markdown import MarkdownStream
from troly.tui.render.message import SLICE, WIDEST_TEXT, read_parts, whole_card
from troly.tui.render.spans import Line, Span, wrap
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import Dialog
from troly.tui.widgets.lines import KeyHints, LinesView

HINTS = ("read_copy", "read_save", "read_next", "read_close")
# What an answer that is written adds is shown so often, and a text too long for one paint goes on so soon (seconds).
RENEWED, SOON = 0.3, 0.02
# What frame and padding take beside the text.
BESIDE = 8
Do = Callable[[str, int], None]


class PartText(LinesView, can_focus=True):
    """All lines of the part at place `at`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
    ]

    def __init__(self, view: MessageView, palette: Palette, lang: Lang) -> None:
        super().__init__(palette)
        self._view = view
        self._lang: Lang = lang
        self.at = 0
        self._stream, self._fed = MarkdownStream(), 0

    def show(self, at: int) -> None:
        self.at = at
        self._stream, self._fed = MarkdownStream(), 0
        self.scroll_to(y=0)
        self.rebuild()

    def build(self, width: int) -> list[Line]:
        """A text as it is read, everything else as large as there is room, with all that opens in it open."""
        part, width = self._view.parts[self.at], max(8, width - 1)
        if not isinstance(part, TextPart):
            return whole_card(self._view, self.at, width, self.size.height, self._lang)
        if self._view.who == "user":
            return wrap([Span(sanitize(part.text))], min(width, WIDEST_TEXT))
        if self._fed < len(part.pieces):
            self._stream.feed("".join(part.pieces[self._fed :]))
            self._fed = len(part.pieces)
        if self._view.finished:
            self._stream.finish()
        lines = self._stream.lines(min(width, WIDEST_TEXT), SLICE)
        if self._stream.behind:
            self.set_timer(SOON, self.rebuild)
        return lines

    def action_page(self, by: int) -> None:
        self.scroll_relative(y=by * max(1, self.size.height - 1))


class ReadScreen(Dialog[None]):
    """The part at place `at` of a message; `do` copies or saves a part (`copy`, `save`, its place)."""

    PLACE: ClassVar[Place] = "read"
    AUTO_FOCUS = "PartText"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("read")]

    def __init__(self, view: MessageView, at: int, palette: Palette, lang: Lang, do: Do) -> None:
        super().__init__()
        self._view, self._at, self._lang, self._do = view, at, lang, do
        self._text = PartText(view, palette, view.spoken(lang))
        self._seen = view.revision

    def compose(self) -> ComposeResult:
        with Vertical(id="grid", classes="-read"):
            yield Static("", id="title", markup=False)
            yield self._text
            yield (keys := KeyHints(self._text.palette, id="keys"))
            keys.hints = tuple(keymap_of(self).hints(HINTS, self._lang).split(HINT_GAP))

    def on_mount(self) -> None:
        self._show(self._at)
        self.set_interval(RENEWED, self._renew)

    def _show(self, at: int) -> None:
        self._at, parts = at, read_parts(self._view)
        # A text is read in a column; a plot takes the room there is.
        reads = isinstance(self._view.parts[at], TextPart)
        self.query_one("#grid").styles.max_width = WIDEST_TEXT + BESIDE if reads else "96%"
        who = tr(f"ui.message.{self._view.who}", self._view.spoken(self._lang))
        which = f"  {parts.index(at) + 1}/{len(parts)}" if len(parts) > 1 and at in parts else ""
        told = f"  {self._view.time:%H:%M}{which}"
        self.query_one("#title", Static).update(Content.assemble((who, "bold"), (told, "dim")))
        self._text.show(at)

    def _renew(self) -> None:
        if self._view.revision != self._seen and self._at < len(self._view.parts):
            self._seen = self._view.revision
            self._text.rebuild()

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        event.stop()

    def action_other(self, by: int) -> None:
        parts = read_parts(self._view)
        if self._at in parts:
            self._show(parts[(parts.index(self._at) + by) % len(parts)])

    def action_copy(self) -> None:
        self._do("copy", self._at)

    def action_save(self) -> None:
        self._do("save", self._at)
