"""The base of all that shows styled lines: paints only the rows in view, reports clicks on actions, gives out text."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from troly.tui.render.spans import Line, Span, line, plain, wrap_whole
from troly.tui.theme import Palette


def strip_of(spans: Line, palette: Palette, ground: Style) -> Strip:
    return Strip([Segment(span.text, ground + palette[span.style]) for span in spans])


def action_at(spans: Line, x: int) -> str:
    """The action of the span that has cell `x` of a line; "" where none has."""
    for span in spans:
        x -= cell_len(span.text)
        if x < 0:
            return span.action
    return ""


class LinesView(ScrollView):
    """Shows the lines that a subclass makes in `build` for a width."""

    ALLOW_SELECT = True

    class Pressed(Message):
        """A span with an action was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, palette: Palette, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.palette = palette
        self._lines: list[Line] = []
        self.ground = Style.null()
        self._laid_width = 0

    @property
    def lines(self) -> list[Line]:
        return self._lines

    def line_at(self, row: int) -> Line | None:
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def build(self, width: int) -> list[Line]:
        """The lines for a width in cells; a view that says nothing else is one blank line."""
        return [(Span(" " * width),)]

    def rebuild(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            self._laid_width = 0  # hidden: the lines that it holds are old when it is shown again
            return
        self._laid_width = width
        self._lines = self.build(width)
        self.make_room(width, len(self._lines))
        self.refresh()

    def make_room(self, width: int, height: int) -> None:
        """There are `height` lines: a new layout of the screen, but not while all fit or while only more are added."""
        before, room = self.virtual_size, Size(width, height)
        if self.show_vertical_scrollbar and width == before.width and height >= before.height:
            self.set_reactive(LinesView.virtual_size, room)
            self.vertical_scrollbar.window_virtual_size = height
        elif max(height, before.height) > self.size.height:
            self.virtual_size = room

    def scroll_to(self, *place: Any, **how: Any) -> None:
        """Scroll at once: nothing moves but the mark of a running answer, and who scrolls in a step of a motion ends it."""
        super().scroll_to(*place, **{**how, "animate": False})

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """A scrollbar that comes stands where the lines are, not at their beginning."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def repaint(self, palette: Palette) -> None:
        """Show the same lines with another palette."""
        self.palette = palette
        self.refresh()

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._laid_width:
            self.rebuild()

    def on_click(self, event: events.Click) -> None:
        """Report a click on a span that has an action; the end of a drag that selects text is none."""
        place = event.get_content_offset(self)
        action = action_at(self.cells_at(place.y), place.x) if place and self.text_selection is None else ""
        if action:
            event.stop()
            self.post_message(self.Pressed(action))

    def cells_at(self, y: int) -> Line:
        """What row `y` of the view shows."""
        return self.line_at(round(self.scroll_y) + y) or ()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in view; the style of the ground is worked out once for all of them."""
        self.ground = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        row = round(self.scroll_y) + y
        return self.row_strip(row, self.line_at(row), self.size.width, self.selected_at(row))

    def selected_at(self, row: int) -> tuple[int, int] | None:
        """From where to where a line is selected; the end is -1 where all the rest is."""
        selection = self.text_selection
        return None if selection is None else selection.get_span(row)

    def row_strip(
        self, row: int, text: Line | None, width: int, selected: tuple[int, int] | None = None
    ) -> Strip:
        """A line in `width` cells with what is `selected` of it."""
        ground = self.ground
        if text is None:
            return Strip.blank(width, ground)
        strip = strip_of(text, self.palette, ground)
        if selected is not None:
            strip = self._selected(strip, selected)
        return strip.crop_extend(0, width, ground).apply_offsets(0, row)

    def _selected(self, strip: Strip, span: tuple[int, int]) -> Strip:
        start, end = span
        last = strip.cell_length
        start, end = min(start, last), last if end == -1 else min(end, last)
        if start >= end:
            return strip
        style = self.screen.get_component_rich_style("screen--selection")
        before, chosen, after = strip.divide([start, end, last]) if last else (strip, strip, strip)
        return Strip.join([before, Strip(Segment.apply_style(chosen, post_style=style)), after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text without the blanks that only fill a line."""
        text = selection.extract("\n".join(plain(spans) for spans in self._lines))
        return "\n".join(row.rstrip() for row in text.split("\n")), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 (Textual's hook)
        self.refresh()


class KeyHints(LinesView):
    """Keys with a word on each, as high as they need; none is torn apart at the end of a line."""

    hints: tuple[str, ...] = ()

    def build(self, width: int) -> list[Line]:
        return wrap_whole([line(Span(one, "dim")) for one in self.hints], width)

    def rebuild(self) -> None:
        super().rebuild()
        self.styles.height = max(1, len(self._lines))
