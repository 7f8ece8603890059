"""Completion while one types: looks at the cursor, fills the list of offers, and puts in what is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troly.conversation.commands import ChatCommand
from troly.tui.chat_commands import chat_commands
from troly.tui.completing import MOST, Offer, Wanted, command_offers, mention_offers, wanted_at

if TYPE_CHECKING:
    from troly.tui.controller import Controller
    from troly.tui.load_line import Part
    from troly.tui.widgets.offers import Offers
    from troly.tui.widgets.prompt import Prompt


class Offering:
    """Serves one input. It never holds up a key: names are looked up on the house's thread and shown when they come."""

    def __init__(self, controller: Controller, prompt: Prompt, offers: Offers) -> None:
        self._controller = controller
        self._prompt = prompt
        self._offers = offers
        self._wanted: Wanted | None = None
        self._closed: tuple[str, int, int] | None = None
        self._asking = False

    def commands(self) -> list[ChatCommand]:
        """What can be typed after a slash."""
        return chat_commands(self._controller)

    def changed(self) -> None:
        """The text or the cursor is another."""
        row, _ = self._prompt.cursor_location
        wanted = self._at_cursor() if self._prompt.selection.is_empty else None
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted is None:
            self._closed = None
            self._offers.show(())
        elif self._closed == (wanted.kind, row, wanted.start):
            self._offers.show(())
        elif wanted.kind == "mention":
            self._look_up()
        elif wanted.kind == "load":
            self._offer_load(wanted)
        else:
            self._offers.show(command_offers(wanted, self.commands()))

    def renew(self) -> None:
        """Look again: what can be offered is another."""
        self._wanted = self._closed = None
        self.changed()

    def _at_cursor(self) -> Wanted | None:
        row, column = self._prompt.cursor_location
        wanted = wanted_at(self._prompt.document[row], column, first=row == 0)
        if wanted is not None and wanted.kind == "choice":
            known = {one.name: one for one in self.commands()}
            if wanted.command not in known:  # still words of what a command does: "/giao dien"
                return Wanted("command", 0, f"{wanted.command} {wanted.typed}")
            if known[wanted.command].by_words:
                return wanted._replace(kind="load", start=wanted.start + self._part(wanted).start)
        return wanted

    def _offer_load(self, wanted: Wanted) -> None:
        """Offer what can come next in a line that loads data."""
        from troly.tui.load_line import part_offers

        part = self._part(wanted)
        if part.what == "path":
            self._look_up()
        else:
            self._offers.show(part_offers(part, self._controller.kinds, self._controller.language))

    def _look_up(self) -> None:
        """Ask for names or files; while one question is open the next one waits for its answer."""
        controller, wanted = self._controller, self._wanted
        if self._asking or wanted is None or wanted.kind not in ("mention", "load") or not controller.opened:
            return
        part = self._part(wanted) if wanted.kind == "load" else None
        if part is not None and part.what != "path":
            return
        self._asking = True

        def done(found: Any) -> None:
            self._asking = False
            if self._wanted != wanted:
                self._look_up()
            elif self._closed is None:
                self._offers.show(self._found(part, found))

        if part is None:
            mode, lang = controller.pane.mode, controller.language
            controller.house.mentions(mode, wanted.typed, MOST, lang, done)
        else:
            from troly.tui.errands import PathsOf

            controller.house.errand(PathsOf(part.typed, controller.language), done)

    def _part(self, wanted: Wanted) -> Part:
        from troly.tui.load_line import part_of

        return part_of(wanted.typed, self._controller.kinds)

    def _found(self, part: Part | None, found: Any) -> list[Offer]:
        """What was looked up, as offers; a failure offers nothing."""
        if isinstance(found, Exception):
            return []
        if part is None:
            return mention_offers(found)
        from troly.tui.load_line import path_offers

        return path_offers(part, found or ())

    def key(self, key: str, *, sends: bool) -> bool:
        """Let the list have a key; True when it took it. `sends` marks the key that sends a message."""
        if key == "tab" and not self._offers.shown:
            self.renew()
            if self._wanted is not None and not self._offers.shown:
                return True  # what fits is being looked up, or nothing does: the keys stay here
        if not self._offers.shown or self._wanted is None:
            return False
        if key in ("up", "down"):
            self._offers.move(-1 if key == "up" else 1)
        elif key == "escape":
            self._closed = (self._wanted.kind, self._prompt.cursor_location[0], self._wanted.start)
            self._offers.show(())
        elif key == "tab" or sends:
            self.take(send=sends)
        else:
            return False
        return True

    def take(self, place: int | None = None, *, send: bool = False) -> None:
        """Put the chosen offer (or the one at `place`) where it was wanted; `send` sends what is whole then."""
        if place is not None and place < len(self._offers.offers):
            self._offers.chosen = place
        offer, wanted = self._offers.take(), self._wanted
        if offer is None or wanted is None:
            return
        row, column = self._prompt.cursor_location
        # Keys of the same read may have moved the cursor on.
        current = self._at_cursor()
        if current is not None and (current.kind, current.start) == (wanted.kind, wanted.start):
            self._put(offer, row, wanted.start, column)
            if send and offer.whole:
                self._prompt.action_send()
        self.changed()

    def _put(self, offer: Offer, row: int, start: int, end: int) -> None:
        prompt = self._prompt
        after = prompt.document[row][end : end + 1]
        text = offer.text.rstrip() if after.isspace() else offer.text
        prompt.replace(text, (row, start), (row, end), maintain_selection_offset=False)
        prompt.move_cursor((row, start + len(text)))
