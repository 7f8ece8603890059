"""What the controller does with panes: switch, open, close, show two beside each other, and mark what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from troly.text.catalogue import Lang
from troly.tui.tabs import Tabs
from troly.tui.troubles import trouble_of
from troly.tui.view import ConversationView, MessageView, ModeView, Pane, Trouble, message

if TYPE_CHECKING:
    from datetime import datetime

    from troly.plugin.events import Notice
    from troly.tui.port import HouseLike

Change = Literal["pane", "panes", "leaving", "finished", "chrome", "list", "draft"]


class PaneControl:
    """The half of the controller that has to do with panes; `tabs` is their state."""

    house: HouseLike
    language: Lang
    now: Callable[[], datetime]
    changed: Callable[[Change, Pane | None], None]
    modes: Mapping[str, ModeView]
    listed: list[ConversationView]
    opened: bool
    tabs: Tabs

    @property
    def pane(self) -> Pane:
        """The pane that the input belongs to."""
        return self.tabs.shown

    @property
    def panes(self) -> list[Pane]:
        """All open panes in order."""
        return self.tabs.panes

    def look_up(self) -> None:
        """Ask for the conversation list and for the data that the shown mode has."""

    def ask_next(self, pane: Pane) -> None:
        """Put the next question that waits in `pane`, when it can be put."""

    def switch(self, mode: str) -> None:
        """Show the newest pane of `mode`, of the shown mode the next one; a running answer goes on where it is."""
        if mode == self.pane.mode:
            self.show(self.tabs.beside(1, mode))
        elif mode in self.modes or self.tabs.last(mode) is not None:
            self.show(self.tabs.last(mode) or Pane(mode))

    def step(self, by: int) -> None:
        """Show the mode `by` places further."""
        names = list(self.modes)
        if names and self.pane.mode in names:
            self.switch(names[(names.index(self.pane.mode) + by) % len(names)])

    def new_conversation(self) -> None:
        """Show an empty pane of the same mode; nothing is saved until a question is put."""
        if self.pane.messages:
            self.show(Pane(self.pane.mode))

    def open(self, conversation: str) -> None:
        """Show a saved conversation, from its pane where it has one."""
        pane = self.tabs.of(conversation)
        if pane is not None:
            self.show(pane)
        elif self.opened:
            self.house.load(conversation, lambda found: self._take_conversation(conversation, found))

    def forget(self, conversation: str) -> None:
        """A conversation was deleted: its pane goes, and a new one takes its place where it was shown."""
        gone = [pane for pane in self.tabs.everywhere if pane.conversation == conversation]
        for pane in gone:
            self.tabs.drop(pane, Pane(pane.mode))
        if gone:
            self.show(self.pane)

    def running(self, mode: str) -> bool:
        """Whether an answer is being written in any pane of `mode`."""
        return any(pane.running for pane in self.tabs.everywhere if pane.mode == mode)

    def unread(self, mode: str) -> bool:
        """Whether a pane of `mode` has an answer that was not looked at."""
        return any(pane.unread for pane in self.panes if pane.mode == mode)

    def show(self, pane: Pane) -> None:
        """Give the input to `pane`, which need not be open yet."""
        self.changed("leaving", self.pane)
        self.tabs.show(pane)
        self._shown()

    def close(self, pane: Pane | None = None) -> Pane:
        """Close a pane and return it; an answer that is being written goes on and is saved."""
        pane = pane or self.pane
        self.changed("leaving", self.pane)
        self.tabs.close(pane)
        self._shown()
        return pane

    def reopen(self) -> Pane | None:
        """Show what was closed last; None when nothing was."""
        pane = self.tabs.closed[-1] if self.tabs.closed else None
        if pane is not None:
            self.show(pane)
        return pane

    def split(self) -> None:
        """Show two panes: with the one that was shown before, else with a new one; two become one again."""
        self.changed("leaving", self.pane)
        if len(self.tabs.sides) > 1:
            self.tabs.unsplit()
        else:
            other = next((pane for pane in self.tabs.recent if pane is not self.pane), None)
            self.tabs.split(other or Pane(self.pane.mode))
        self._shown()

    def turn(self) -> None:
        """Give the input to the other of two panes."""
        self.changed("leaving", self.pane)
        self.tabs.turn()
        self._shown()

    def ended(self, pane: Pane) -> None:
        """An answer of `pane` is complete: mark it where nobody sees it."""
        if pane not in self.tabs.sides:
            pane.unread = True
            self.changed("finished", pane)
        self._rest()

    def tell(self, pane: Pane, trouble: Trouble) -> None:
        """Say in `pane` what went wrong outside a turn."""
        pane.messages.append(
            message("assistant", self.now(), "", state="failed", trouble=trouble, kind="trouble")
        )

    def note(self, pane: Pane, notice: Notice) -> None:
        """Say in `pane` what was done beside its turns; the note is not kept."""
        pane.messages.append(message("assistant", self.now(), "", parts=[notice], kind="trouble"))

    def _shown(self) -> None:
        for pane in self.tabs.sides:
            pane.unread = False
            if pane.resting and not pane.loading:
                self._wake(pane)
        self._rest()
        self.look_up()
        self.changed("panes", self.pane)

    def _rest(self) -> None:
        """Forget the messages of saved panes that were not shown for long; they are loaded again when shown."""
        for pane in self.tabs.sleepers():
            pane.messages, pane.resting = [], True

    def _wake(self, pane: Pane) -> None:
        pane.loading = True
        self.house.load(pane.conversation or "", lambda found: self._take_messages(pane, found))

    def _take_messages(self, pane: Pane, found: tuple[str, list[MessageView]] | Exception) -> None:
        pane.resting = pane.loading = False
        if isinstance(found, Exception):
            self.tell(pane, trouble_of(found, self.language))
        else:
            # Questions that were put meanwhile are not asked yet: they wait for this.
            pane.messages[:0] = found[1]
        self.ask_next(pane)
        # Not with the next frame but now: somebody waits for this pane.
        self.changed("panes", pane)

    def _take_conversation(self, conversation: str, found: tuple[str, list[MessageView]] | Exception) -> None:
        if isinstance(found, Exception):
            self.tell(self.pane, trouble_of(found, self.language))
            self.changed("pane", self.pane)
            return
        if self.tabs.of(conversation) is not None:
            self.open(conversation)
            return
        mode, messages = found
        title = next((listed.title for listed in self.listed if listed.id == conversation), "")
        self.show(Pane(mode, conversation, title, messages))
