"""A text area in which long pasted text is one token: it moves, is deleted and undone as one, and is sent whole."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.document._document import EditResult, Location, Selection
from textual.document._edit import Edit

from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize
from troly.tui.pasted import MOST_PUT, Pasted, is_long
from troly.tui.widgets.typing import TypingArea

# In a longer line no token is made to stand out: it is text that somebody typed or opened.
MOST_SHOWN = 5000


class FoldingArea(TypingArea):
    """`text` is what is shown; `whole` has the pasted texts in place of their tokens."""

    lang: Lang = "vi"

    def __init__(self, text: str = "", **options: object) -> None:
        self.pasted = Pasted()
        super().__init__(text, **options)  # type: ignore[arg-type]

    @property
    def whole(self) -> str:
        """The text as it is sent."""
        return self.pasted.whole(self.text)

    def put(self, text: str) -> None:
        """Replace what is written; the cursor goes to the end."""
        self.load_text(self.pasted.token(text, self.lang) if is_long(text, MOST_PUT) else text)
        self.move_cursor(self.document.end)

    async def _on_paste(self, event: events.Paste) -> None:
        text = sanitize(event.text)
        await super()._on_paste(events.Paste(self.pasted.token(text, self.lang) if is_long(text) else text))
        event.stop()
        event.prevent_default()

    def token_here(self) -> tuple[str, Location, Location] | None:
        """The token at the cursor, else the nearest one before it, else the first: its text and place."""
        row, column = self.cursor_location
        found: list[tuple[Location, Location]] = []
        for at, line in enumerate(self.document.lines):
            found += [((at, start), (at, end)) for start, end in self.pasted.spans(line)]
        before = [place for place in found if place[0] <= (row, column)]
        if not found:
            return None
        start, end = before[-1] if before else found[0]
        return self.document.get_text_range(start, end), start, end

    def change_token(self, start: Location, end: Location, text: str) -> None:
        """Let another text stand in a token's place; a short one stands there as it is."""
        shown = self.pasted.token(text, self.lang) if is_long(text) else text
        self.replace(shown, start, end, maintain_selection_offset=False)

    # A token is one thing.

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit that would cut through a token take all of it."""
        edit.from_location = self._edge(edit.from_location, after=edit.from_location > edit.to_location)
        edit.to_location = self._edge(edit.to_location, after=edit.to_location >= edit.from_location)
        return super().edit(edit)

    def _edge(self, place: Location, *, after: bool) -> Location:
        row, column = place
        if row >= self.document.line_count:
            return place
        inside = self.pasted.around(self.document[row], column)
        return place if inside is None else (row, inside[after])

    def _validate_selection(self, selection: Selection) -> Selection:
        """The cursor passes over a token in one step."""
        start, end = super()._validate_selection(selection)
        was = self.selection.end
        return Selection(self._edge(start, after=start > was), self._edge(end, after=end > was))

    def action_delete_left(self) -> None:
        """Delete the character or the token before the cursor."""
        if not self._delete_token(before=True):
            super().action_delete_left()

    def action_delete_right(self) -> None:
        """Delete the character or the token after the cursor."""
        if not self._delete_token(before=False):
            super().action_delete_right()

    def action_delete_word_left(self) -> None:
        """Delete the word or the token before the cursor."""
        if not self._delete_token(before=True):
            super().action_delete_word_left()

    def action_delete_word_right(self) -> None:
        """Delete the word or the token after the cursor."""
        if not self._delete_token(before=False):
            super().action_delete_word_right()

    def _delete_token(self, *, before: bool) -> bool:
        if not self.selection.is_empty:
            return False
        row, column = self.cursor_location
        for start, end in self.pasted.spans(self.document[row]):
            if column == (end if before else start):
                self.delete((row, start), (row, end), maintain_selection_offset=False)
                return True
        return False

    def get_line(self, line_index: int) -> Text:
        """A line with its tokens made to stand out."""
        line = super().get_line(line_index)
        if len(line.plain) <= MOST_SHOWN:
            for start, end in self.pasted.spans(line.plain):
                line.stylize("bold underline", start, end)
        return line
