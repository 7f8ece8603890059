"""Choosing one message of a transcript: by keys, or with the right button of the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from troly.tui.view import MessageView
from troly.tui.widgets.rows import RowsView

if TYPE_CHECKING:
    from troly.tui.render.ledger import Ledger

# A message that is higher than the view is scrolled through before the next one is chosen.
STEP = 6
RIGHT = 3


class Choosing(RowsView):
    """A view of messages of which one may be chosen; `chosen` is its key, 0 for none."""

    chosen = 0

    @property
    def ledger(self) -> Ledger | None:
        """Where the messages stand; None where there are none."""
        return None

    @property
    def chosen_view(self) -> MessageView | None:
        """The chosen message."""
        ledger = self.ledger
        index = None if ledger is None else ledger.index_of(self.chosen)
        return None if ledger is None or index is None else ledger.views[index]

    def action_choose(self, by: int) -> None:
        """Choose the message `by` places further on; one that is partly out of view there comes into view first."""
        ledger = self.ledger
        if ledger is None or not ledger.views:
            return
        index = ledger.index_of(self.chosen)
        if index is None:
            self.choose(self._last_seen(ledger))
            return
        first, last = ledger.span(self.chosen)
        hidden = self._top - first if by < 0 else last - (self._top + self.size.height)
        if hidden > 0:
            self.scroll_relative(y=max(-STEP, min(STEP, hidden if by > 0 else -hidden)), animate=False)
            return
        self.choose(ledger.views[max(0, min(len(ledger.views) - 1, index + by))].key, from_below=by < 0)

    def choose(self, key: int, *, from_below: bool = False) -> None:
        """Choose a message and bring it into view, `from_below` its end; 0 chooses none."""
        self.chosen = key
        ledger = self.ledger
        if key and ledger is not None:
            ledger.measured(key)
            self.reveal(*ledger.span(key), end=from_below)
        self.refresh()

    def choose_seen(self) -> None:
        """Choose the last message in view, unless one is chosen."""
        if self.ledger is not None and self.chosen_view is None:
            self.chosen = self._last_seen(self.ledger)
            self.refresh()

    def reveal(self, first: int, last: int, *, end: bool = False) -> None:
        """Scroll as little as it takes to see the rows from `first` to `last`, or their beginning or end."""
        rows = self.size.height
        if end and last - first >= rows:
            self.scroll_to(y=last - rows, animate=False, immediate=True)
        elif first < self._top or last - first >= rows:
            self.scroll_to(y=first, animate=False, immediate=True)
        elif last > self._top + rows:
            self.scroll_to(y=last - rows, animate=False, immediate=True)

    def bring(self, row: int) -> None:
        """Scroll to a row unless it is well in view."""
        rows = self.size.height
        if not self._top + 1 <= row < self._top + rows - 1:
            self.scroll_to(y=max(0, row - rows // 3), animate=False, immediate=True)
        self.refresh()

    @property
    def bottom(self) -> int:
        """The last row in view."""
        return self._top + self.size.height - 1

    @property
    def _top(self) -> int:
        return round(self.scroll_y)

    def _last_seen(self, ledger: Ledger) -> int:
        """The last message whose name is in view, else the one in the middle."""
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
        view = self.ledger.message_at(self._top + place.y) if self.ledger is not None and place else None
        if event.button == RIGHT and view is not None:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pressed(f"menu:{view.key}"))
