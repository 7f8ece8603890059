"""Older messages of saved conversations: asked for a page at a time when the reader comes near them."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from troly.tui.troubles import trouble_of

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.view import MessageView, Pane

# Pages grow with what is loaded already, so that the beginning of a very long conversation is a few keys away.
SMALLEST, LARGEST = 200, 2000
# Seconds after a failure in which nothing is asked for again: every scrolled line would ask.
PAUSE = 1.0


class Paging:
    """Puts older messages before those of a pane; `tell` says in a sentence why that failed."""

    def __init__(self, controller: Controller, tell: Callable[[str], None]) -> None:
        self._controller = controller
        self._tell = tell
        self._failed: dict[int, float] = {}

    def failed(self, pane: Pane) -> bool:
        """Whether the page before the oldest message of `pane` could not be read when it was asked for last."""
        return bool(pane.messages) and pane.messages[0].key in self._failed

    def fetch(self, pane: Pane) -> bool:
        """Ask for the page before the oldest message of `pane`; False when there is none or it is under way."""
        oldest = pane.messages[0] if pane.messages else None
        if oldest is None or not oldest.before or oldest.older == "loading" or not pane.conversation:
            return False
        if monotonic() - self._failed.get(oldest.key, -PAUSE) < PAUSE:
            return False
        oldest.older = "loading"
        limit = max(SMALLEST, min(LARGEST, len(pane.messages)))
        self._controller.house.older(
            pane.conversation, oldest.before, limit, lambda found: self._take(pane, oldest, found)
        )
        return True

    def _take(self, pane: Pane, oldest: MessageView, found: list[MessageView] | Exception) -> None:
        oldest.older = "more"
        if isinstance(found, Exception):
            self._failed[oldest.key] = monotonic()
            trouble = trouble_of(found, self._controller.language)
            self._tell(" ".join(part for part in trouble if part))
        elif pane.messages and pane.messages[0] is oldest:
            oldest.before = ""
            self._failed.pop(oldest.key, None)
            pane.messages[:0] = found
            self._controller.changed("pane", pane)
