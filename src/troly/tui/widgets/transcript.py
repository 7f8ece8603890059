"""The conversation: messages one under another, following the end only while the reader is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.strip import Strip

from troly.text.catalogue import Lang, tr
from troly.tui.keymap import bindings
from troly.tui.render.spans import BLANK, Line, Span, line
from troly.tui.theme import Palette
from troly.tui.view import Pane
from troly.tui.widgets.lines import LinesView, strip_of

if TYPE_CHECKING:
    from troly.tui.render.message import MessageLines

# Blank columns between the text and the scrollbar.
GUTTER = 2


class Transcript(LinesView, can_focus=True):
    """The messages of one pane; `show` takes another pane, `grow` repaints what changed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("transcript")]

    def __init__(
        self,
        pane: Pane,
        palette: Palette,
        lang: Lang,
        above: Callable[[int, int], list[Line]],
        **options: object,
    ) -> None:
        super().__init__(palette, **options)
        self._above = above
        self.pane = pane
        self.lang: Lang = lang
        self.behind = False
        self.following = True
        self._rendered: dict[int, MessageLines] = {}
        self._places: dict[int, tuple[float, bool]] = {}

    def show(self, pane: Pane, lang: Lang) -> None:
        """Show another pane at the place where it was left, or the same one in another language."""
        self._places[self.pane.key] = (self.scroll_y, self.following)
        if pane is not self.pane:
            self.pane = pane
            self._rendered = {}
        self.lang = lang
        place, end = self._places.get(pane.key, (0.0, True))
        self.relay()
        if end:
            self.to_end()
        else:
            self.scroll_to(y=place, animate=False, immediate=True, force=True)
            self.following = self.behind = False

    def grow(self) -> None:
        """The pane changed: keep the reader's place, or follow the end when they are there."""
        before = len(self.lines)
        self.relay()
        if self.following:
            self.to_end()
        elif len(self.lines) != before:
            self.behind = True

    def to_end(self) -> None:
        """Show the newest line, and follow it from now on."""
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        self.following, self.behind = True, False

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up stays there; at the end, following begins again."""
        super().watch_scroll_y(old_value, new_value)
        self.following = new_value >= self.max_scroll_y
        if self.following:
            self.behind = False

    def on_resize(self) -> None:
        """A new size moves the lines; whoever was at the end stays there."""
        following = self.following
        super().on_resize()
        if following:
            self.to_end()

    def build(self, width: int) -> list[Line]:
        """All messages, each rendered again only if it changed."""
        room = max(10, width - GUTTER)
        above = self._above(room, self.size.height)
        if not self.pane.messages:
            return above
        from troly.tui.render.message import MessageLines

        kept = {view.key: self._rendered.get(view.key) or MessageLines(view) for view in self.pane.messages}
        self._rendered = kept
        lines: list[Line] = [*above, BLANK]
        for rendered in kept.values():
            lines.extend(rendered.lines(room, self.lang))
        return lines

    def render_line(self, y: int) -> Strip:
        """A row; the last one says when there is new text below."""
        if self.behind and y == self.size.height - 1:
            chip = Span(tr("ui.message.below", self.lang), "chip", "end")
            lead = max(0, (self.size.width - len(chip.text)) // 2)
            strip = strip_of(line(Span(" " * lead), chip), self.palette, self.ground)
            return strip.crop_extend(0, self.size.width, self.ground)
        return super().render_line(y)
