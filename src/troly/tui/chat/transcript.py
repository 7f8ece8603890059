"""The conversation: only messages near the reader are rendered, only changed rows painted, one message may be chosen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.view import MessageView, Pane, ReadingPlace, TextPart
from troly.tui.keymap import bindings, keymap_of
from troly.tui.render.figures import counted
from troly.tui.render.layout import ConversationLayout, Place
from troly.tui.render.message import WIDEST_TEXT
from troly.tui.render.spans import Line, Span, clip, line, plain
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView, strip_of

if TYPE_CHECKING:
    from troly.tui.chat.find import MatchMarks


class Row(NamedTuple):
    """What one row of the view shows: line `number` with `text` after `lead`, and which of its cells are selected."""

    number: int
    lead: Line
    text: Line | None
    selected: tuple[int, int] | None = None


# A message that is higher than the view is scrolled through before the next one is chosen.
STEP = 6
RIGHT = 3


# The column of the mark of the chosen message, and blank columns between the text and the scrollbar.
LEAD, GUTTER = 1, 2
# Panes whose rendered messages are kept, so that going back to them is quick.
KEPT = 4
# A question is seen without its name and its first line where that shows the end of its answer.
NEARLY = 2
# A page of older messages is asked for when there are fewer screens than this above.
SCREENS_AHEAD = 3
SOON = 0.02


class Transcript(LinesView, can_focus=True):
    """The messages of one pane; `show` takes another pane, `grow` repaints what changed.

    Its style may have blanks at the sides, nothing else around the rows.
    """

    # Who selects text with the mouse goes on typing; the keys come here by a key only.
    FOCUS_ON_CLICK = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("transcript")]
    HINTS = (
        "transcript_open",
        "transcript_menu",
        "transcript_copy",
        "transcript_quote",
        "transcript_find",
        "help",
    )

    class NearTop(Message):
        """The reader comes to the oldest message that is loaded, and there are older ones."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    class Moved(Message):
        """The column of the text has another margin."""

    def __init__(
        self,
        pane: Pane,
        palette: Palette,
        lang: Lang,
        above: Callable[[int, int], list[Line]],
        now: Callable[[], datetime],
        **options: object,
    ) -> None:
        super().__init__(palette, **options)
        self._above = above
        self._now = now
        self.pane = pane
        self.lang: Lang = lang
        # The key of the chosen message, 0 for none, and which of its blocks.
        self.chosen = self.block = 0
        self.behind = False
        self._told = (0, 0, 0)
        self.following = True
        # The reader went to the very end, past the beginning of the newest answer.
        self._at_end = False
        self.marks: MatchMarks | None = None
        self.indent = 0
        self._moving = self._catching_up = False
        # Where the messages of the pane stand, and those of the panes that were shown before it.
        self.ledger = ConversationLayout()
        self._ledgers = {pane.key: self.ledger}
        self._places: dict[int, tuple[Place, bool]] = {}
        # The rows as they are shown; None when all of them are to be painted.
        self._shown: list[Row] | None = None
        self._strips: dict[Row, Strip] = {}
        self._appearance: tuple[object, ...] = ()

    # What is shown.

    @property
    def lines(self) -> list[Line]:
        """All lines, each message rendered to its end."""
        return self.ledger.all()

    def line_at(self, row: int) -> Line | None:
        """One of the lines; None below the last."""
        return self.ledger.line(row)

    def show(self, pane: Pane, lang: Lang) -> None:
        """Show another pane at the place where it was left, or the same one in another language."""
        self.keep_place()
        left = self._place()
        if left is not None:
            self._places[self.pane.key] = (left, self.following)
        if pane is not self.pane:
            if self.text_selection is not None:
                self.screen.clear_selection()
            self.pane, self.chosen, self.marks = pane, 0, None
            self._laid_width = 0
            self.ledger = self._ledgers.pop(pane.key, ConversationLayout())
            self._ledgers[pane.key] = self.ledger
            while len(self._ledgers) > KEPT:
                del self._ledgers[next(iter(self._ledgers))]
        self.lang = lang
        place: Place | None
        place, self.following = self._places.get(pane.key, (None, True))
        if pane.sought:
            place, pane.sought = None, False
        if place is None or all(view.key != place.key for view in pane.messages):
            place, self.following = self._left_place(pane)
        self.behind = False
        self._lay(place)
        self._told = self._end()

    def grow(self) -> None:
        """The pane changed: keep the reader's place, or follow the end when they are there."""
        before = self._told
        self.rebuild()
        self._told = self._end()
        if not self.following and not self.behind and self._told != before:
            self.behind = True
            self.repaint_changed()

    def _end(self) -> tuple[int, int, int]:
        """The last message and how much it says; what a reader unfolds in it is nothing new."""
        if not self.ledger.views:
            return 0, 0, 0
        view = self.ledger.views[-1]
        pieces = sum(len(part.pieces) for part in view.parts if isinstance(part, TextPart))
        return view.key, len(view.parts), pieces

    def rebuild(self) -> None:
        """Build the lines anew and repaint; the reader stays where they are."""
        self._lay(self._place())

    def _lay(self, place: Place | None) -> None:
        width, rows = self.scrollable_content_region.width, self.size.height
        if width <= 0:
            return
        self._laid_width = width
        room = max(10, width - LEAD - GUTTER)
        indent = max(0, (room - WIDEST_TEXT) // 2)
        if indent != self.indent:
            self.indent = indent
            self.post_message(self.Moved())
        # What needs more than the column, such as a wide table, goes on to its right.
        room -= indent
        above, ledger, messages = self._above(room, rows), self.ledger, self.pane.messages
        if messages and messages[0].before:
            above = [*above, line(Span(tr(f"ui.older.{messages[0].older}", self.lang), "dim"))]
        ledger.press = keymap_of(self).press
        held = self._hold()
        ledger.sync(messages, above, room, self.lang, self._now().date())
        if messages:
            self._settle(place)
            self._let_selected(held)
        else:
            self.make_room(width, ledger.height)
            self._move(0)
        self.repaint_changed()
        if ledger.behind and not self._catching_up:
            self._catching_up = True
            self.set_timer(SOON, self._catch_up)

    def _catch_up(self) -> None:
        """Render the next piece of a text that is too long for one paint."""
        self._catching_up = False
        self.rebuild()

    # The reader's place.

    def keep_place(self) -> None:
        """Note in the pane where its reader is, so that it outlives the messages and the program."""
        pane, ledger, place = self.pane, self.ledger, self._place()
        index = None if place is None else ledger.index_of(place.key)
        if place is None or index is None:
            return
        pane.place = None
        if not self.following:
            views = ledger.views[index:]
            turn = next((view.turn for view in views if view.turn), "")
            pane.place = ReadingPlace(views[0].who, turn, place.offset) if turn else None

    @staticmethod
    def _left_place(pane: Pane) -> tuple[Place | None, bool]:
        """Where the pane was left before its messages were loaded, and whether its end was followed."""
        left = pane.place
        of_turn = [view for view in pane.messages if left and (view.who, view.turn) == left[:2]]
        return (Place(of_turn[-1].key, left.offset), False) if left and of_turn else (None, True)

    def _place(self) -> Place | None:
        ledger = self.ledger
        return ledger.place(round(self.scroll_y), self.size.height) if ledger.views else None

    def _settle(self, place: Place | None) -> None:
        """Measure what comes into view; the line at `place` is the first one, or the last line the last."""
        ledger, rows = self.ledger, self.size.height
        if self.following or place is None:
            ledger.look_at_answer(2 * rows)
            self.make_room(self._laid_width, ledger.height)
            self._follow()
            return
        top = ledger.look(place, rows, rows)
        self.make_room(self._laid_width, ledger.height)
        self._move(top)
        if top < SCREENS_AHEAD * rows and self.pane.messages[0].before:
            self.post_message(self.NearTop(self.pane))

    def _move(self, row: int) -> None:
        """Scroll without taking it for a wish of the reader."""
        self._moving = True
        self.scroll_to(y=row, immediate=True, force=True)
        self._moving = False

    def _hold(self) -> list[tuple[Place, int] | None]:
        """Where what is selected begins and ends, told by messages: rows may move."""
        selection = self.text_selection
        if selection is None or not self.ledger.views:
            return []
        return [None if end is None else (self.ledger.place(end.y, 1), end.x) for end in selection]

    def _let_selected(self, held: list[tuple[Place, int] | None]) -> None:
        """Select the same text again."""
        if held:
            ends = [None if end is None else Offset(end[1], self.ledger.row(end[0])) for end in held]
            if Selection(*ends) != self.text_selection:
                self.screen.selections = {**self.screen.selections, self: Selection(*ends)}

    def to_end(self) -> None:
        """Show the newest line, and follow it from now on."""
        self._at_end = True
        self._follow()
        self.repaint_changed()

    def to_answer(self) -> None:
        """Show the newest question and what answers it, from its beginning on."""
        self._at_end = False
        self._follow()
        self.repaint_changed()

    def _follow(self) -> None:
        begin = self._begin_of_answer()
        # Where only a line or two would be hidden, those of the question are, not the end of the answer.
        above = self.ledger.message_at(begin)
        spare = NEARLY if above is not None and above.who == "user" else 0
        row = self.max_scroll_y if self._at_end or self.max_scroll_y - begin <= spare else begin
        self._move(row)
        self.following, self.behind = True, False

    def _begin_of_answer(self) -> int:
        """The row that a reader of the newest answer begins at: its question, or where that is long the answer itself."""
        ledger = self.ledger
        asked = ledger.newest_question()
        if asked is None:
            return round(self.max_scroll_y)
        first, end = ledger.head(asked), ledger.span(ledger.views[asked].key)[1]
        return first if end - first <= self.size.height // 3 else end + 1

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up stays there; at the end, following begins again."""
        if self._moving:
            if self.show_vertical_scrollbar:
                self.vertical_scrollbar.position = new_value
            return
        super().watch_scroll_y(old_value, new_value)
        self.following = self._at_end = new_value >= self.max_scroll_y
        if self.following:
            self.behind = False
        if self.ledger.views and self._laid_width:
            held = self._hold()
            self._settle(self._place())
            self._let_selected(held)
        self.repaint_changed()

    def on_resize(self) -> None:
        """A new size moves the lines; whoever was at the end stays there."""
        if self.scrollable_content_region.width != self._laid_width or self.following:
            self.rebuild()

    def action_page_up(self) -> None:
        """A screen back, without motion."""
        self.scroll_relative(y=2 - self.size.height)

    def action_page_down(self) -> None:
        """A screen on."""
        self.scroll_relative(y=self.size.height - 2)

    def action_scroll_home(self) -> None:
        """To the oldest message that is loaded; older ones are loaded there."""
        self.scroll_to(y=0, immediate=True)

    def action_scroll_end(self) -> None:
        """To the newest message."""
        self.to_end()

    # Choosing one message, by keys or with the right button of the mouse.

    @property
    def chosen_view(self) -> MessageView | None:
        """The chosen message."""
        index = self.ledger.index_of(self.chosen)
        return None if index is None else self.ledger.views[index]

    def action_choose(self, by: int) -> None:
        """Choose the message `by` places further on; one that is partly out of view there comes into view first."""
        ledger = self.ledger
        if not ledger.views:
            return
        index = ledger.index_of(self.chosen)
        if index is None:
            self.choose(self._last_seen())
            return
        first, last = self._chosen_rows()
        hidden = self._top - first if by < 0 else last - (self._top + self.size.height)
        if hidden > 0:
            self.scroll_relative(y=max(-STEP, min(STEP, hidden if by > 0 else -hidden)))
            return
        if 0 <= self.block + by < len(ledger.blocks(self.chosen)):
            self.block += by
            self.reveal(*self._chosen_rows(), end=by < 0)
            self.refresh()
        elif 0 <= index + by < len(ledger.views):
            self.choose(ledger.views[index + by].key, from_below=by < 0)

    def _chosen_rows(self) -> tuple[int, int]:
        """The rows of the chosen block."""
        blocks = self.ledger.blocks(self.chosen)
        if not blocks:
            return self.ledger.span(self.chosen)
        self.block = max(0, min(len(blocks) - 1, self.block))
        return blocks[self.block].begin, blocks[self.block].end

    @property
    def chosen_part(self) -> int | None:
        """The place among the parts of the chosen message that is chosen; None where the message is one block."""
        blocks = self.ledger.blocks(self.chosen)
        return blocks[min(self.block, len(blocks) - 1)].part if len(blocks) > 1 else None

    def show_part(self, part: int) -> None:
        """Bring a part of the chosen message, which may just have changed, into view."""
        self.rebuild()
        for block in self.ledger.blocks(self.chosen):
            if block.part == part:
                self.reveal(block.begin, block.end)

    def choose(self, key: int, *, from_below: bool = False) -> None:
        """Choose a message at its first block, `from_below` at its last, and bring that into view; 0 chooses none."""
        self.chosen, self.block = key, 0
        if key and self.ledger.views:
            self.ledger.measured(key)
            self.block = len(self.ledger.blocks(key)) - 1 if from_below else 0
            self.reveal(*self._chosen_rows(), end=from_below)
        self.refresh()

    def choose_seen(self) -> None:
        """Choose the last message in view, unless one is chosen."""
        if self.chosen_view is None:
            self.choose(self._last_seen())

    def reveal(self, first: int, last: int, *, end: bool = False) -> None:
        """Scroll as little as it takes to see the rows from `first` to `last`, or their beginning or end."""
        rows = self.size.height
        if end and last - first >= rows:
            self.scroll_to(y=last - rows, immediate=True)
        elif first < self._top or last - first >= rows:
            self.scroll_to(y=first, immediate=True)
        elif last > self._top + rows:
            self.scroll_to(y=last - rows, immediate=True)

    def bring(self, row: int) -> None:
        """Scroll to a row unless it is well in view."""
        rows = self.size.height
        if not self._top + 1 <= row < self._top + rows - 1:
            self.scroll_to(y=max(0, row - rows // 3), immediate=True)
        self.refresh()

    @property
    def bottom(self) -> int:
        """The last row in view."""
        return self._top + self.size.height - 1

    @property
    def _top(self) -> int:
        return round(self.scroll_y)

    def _last_seen(self) -> int:
        """The last message whose name is in view, else the one in the middle; 0 in a pane without messages."""
        ledger = self.ledger
        for row in range(self._top + self.size.height - 1, self._top - 1, -1):
            view = ledger.message_at(row)
            if view is not None and row < ledger.height and self._top <= ledger.span(view.key)[0]:
                return view.key
        middle = ledger.message_at(self._top + self.size.height // 2)
        return middle.key if middle is not None else 0

    def on_focus(self) -> None:
        """The keys come here: one message is chosen from now on."""
        self.choose_seen()

    def on_blur(self) -> None:
        """Nothing is chosen while the keys go elsewhere, but below a menu."""
        if self.screen.is_active:
            self.choose(0)

    def on_click(self, event: events.Click) -> None:
        """The right button opens the menu of a message; what else is clicked is reported as in any view of lines."""
        place = event.get_content_offset(self)
        view = self.ledger.message_at(self._top + place.y) if place else None
        if event.button == RIGHT and view is not None:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pressed(f"menu:{view.key}"))

    # Painting.

    def row_at(self, y: int) -> Row:
        """What row `y` of the view shows; the last one says when there is new text below."""
        row = round(self.scroll_y) + y
        if y == self.size.height - 1 and (below := self._below(row)):
            chip = Span(below, "chip", "end")
            gap = self.indent + max(0, (self.size.width - 2 * self.indent - len(chip.text)) // 2)
            return Row(row, (), line(Span(" " * gap), chip))
        text, mark = self.line_at(row), " "
        if self.marks is not None and text is not None:
            text = self.marks.paint(self.ledger, row, text)
        if self.chosen:
            first, last = self._chosen_rows()
            mark = "▌" if first <= row < last else " "
        lead = (Span(" " * self.indent + mark, "accent"),)
        return Row(row, lead, text, self.selected_at(row))

    def cells_at(self, y: int) -> Line:
        """What row `y` of the view shows, what leads it included."""
        row = self.row_at(y)
        return (*row.lead, *(row.text or ()))

    def refresh(self, *regions: Region, **how: Any) -> Self:
        """Without a region, all rows are painted."""
        if not regions:
            self._shown = None
        return super().refresh(*regions, **how)

    def repaint_changed(self) -> None:
        """Paint the rows that show something else than before."""
        rows = [self.row_at(y) for y in range(self.size.height)]
        before, self._shown = self._shown, rows
        if before is None or len(before) != len(rows):
            super().refresh()
            return
        width = self.size.width
        runs = groupby(range(len(rows)), lambda y: rows[y] != before[y])
        for changed, run in runs:
            if changed:
                first, *rest = run
                super().refresh(Region(0, first, width, 1 + len(rest)))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows in view, with the blanks at their sides; one that is shown already costs nothing."""
        width, padding = self.region.width, self.styles.padding
        self.ground = self.rich_style
        filters, background = self.get_line_filters(), self.background_colors[1]
        dress = (self.ground, self.palette, width, padding, tuple(filters), background)
        if dress != self._appearance:
            self._appearance, self._strips = dress, {}
        if self._shown is None or len(self._shown) != self.size.height:
            self._shown = [self.row_at(y) for y in range(self.size.height)]
        kept: dict[Row, Strip] = {}
        side = Style(bgcolor=self.ground.bgcolor)
        for row in self._shown:
            strip = self._strips.get(row)
            if strip is None:
                strip = Strip.join([Strip.blank(padding.left, side), self._strip(row)])
                strip = strip.adjust_cell_length(width, side)
                for applied in filters:
                    strip = strip.apply_filter(applied, background)
            kept[row] = strip
        self._strips = kept
        strips = [kept[row] for row in self._shown[crop.y : crop.bottom]]
        return (
            strips if crop.column_span == (0, width) else [strip.crop(*crop.column_span) for strip in strips]
        )

    def render_line(self, y: int) -> Strip:
        """One row of the view."""
        return self._strip(self.row_at(y))

    def _strip(self, row: Row) -> Strip:
        lead = strip_of(row.lead, self.palette, self.ground)
        text = self.row_strip(row.number, row.text, self.size.width - lead.cell_length, row.selected)
        return Strip.join([lead, text])

    def _below(self, row: int) -> str:
        """That something new is below, or how much of the newest answer, where it is being read, and that it failed there."""
        if self.behind:
            return tr("ui.message.below", self.lang)
        if (
            self.ledger.views
            and round(self.scroll_y) < self.max_scroll_y
            and self._begin_of_answer() < round(self.scroll_y) + self.size.height
        ):
            said = counted("ui.message.lines_below", max(1, self.ledger.height - row - 1), self.lang)
            view = self.ledger.views[-1]
            if view.state == "failed" and view.trouble is not None:
                title = sanitize(view.trouble.title, keep_newlines=False)
                return f" × {clip(title, max(8, self.size.width - len(said) - 8))} {said}"
            return said
        return ""

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text without the blanks that only fill a line."""
        ledger = self.ledger
        first = selection.start.y if selection.start else 0
        last = min(selection.end.y if selection.end else ledger.height, ledger.height - 1)
        text = "\n".join(plain(ledger.line(row) or ()) for row in range(first, last + 1))
        chosen = lower(selection, -first).extract(text)
        return "\n".join(row.rstrip() for row in chosen.split("\n")), "\n"


def lower(selection: Selection, rows: int) -> Selection:
    """The selection `rows` further down."""
    ends = (None if end is None else Offset(end.x, end.y + rows) for end in selection)
    return Selection(*ends)
