"""The actions of the app that have to do with whole conversations; the app is one of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from troly.text.catalogue import tr
from troly.tui.keymap import keymap_of

if TYPE_CHECKING:
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.conversation_list import Listing
    from troly.tui.chat.screen import ChatScreen


class ListActions(App[int]):
    """Find, rename, pin, delete, take back. What is meant is the entry chosen in the list, else the shown conversation."""

    controller: Controller
    chat: ChatScreen
    _listing: Listing | None = None

    def action_search(self, words: str = "") -> None:
        """Look for words in all messages."""
        from troly.tui.dialogs.search import SearchScreen

        if self.screen is self.chat and self.controller.opened:
            self.push_screen(SearchScreen(self.controller, words), self._open_found)

    def _open_found(self, conversation: str | None) -> None:
        if conversation:
            self.controller.open(conversation)

    def action_open_number(self, number: str = "") -> None:
        """Open the conversation at a place of the list, 1 for the first; without one show the list."""
        listed = self.controller.listed
        if not number:
            self.chat.toggle_list()
        elif number.isdecimal() and 1 <= int(number[:6]) <= len(listed):
            self.controller.open(listed[int(number) - 1].id)
        else:
            told = tr("ui.list.no_number", self.controller.language, number=number, count=len(listed))
            self.notify(told, markup=False, timeout=4)

    def action_rename(self, title: str = "") -> None:
        """Give the conversation the title, or ask for one."""
        from troly.tui.dialogs.rename import RenameScreen

        conversation = self.chosen_conversation()
        if title and conversation:
            self.listing().rename(conversation, title)
            return
        before = next((one.title for one in self.controller.listed if one.id == conversation), None)
        if conversation and before is not None and self.screen is self.chat:
            self.push_screen(
                RenameScreen(before, self.controller.language),
                lambda wanted: self.listing().rename(conversation, wanted or ""),
            )

    def action_pin(self) -> None:
        """Pin the conversation, or no longer."""
        self.listing().pin(self.chosen_conversation())

    def action_delete(self) -> None:
        """Delete the conversation."""
        self.listing().delete(self.chosen_conversation())

    def action_undelete(self) -> None:
        """Bring back the conversation that was deleted last."""
        self.listing().undelete()

    def listing(self) -> Listing:
        """What changes conversations."""
        if self._listing is None:
            from troly.tui.chat.conversation_list import Listing

            self._listing = Listing(
                self.controller,
                lambda text: self.notify(text, markup=False, timeout=6),
                keymap_of(self).press,
            )
        return self._listing

    def chosen_conversation(self) -> str:
        """The conversation meant; "" where there is none."""
        chosen = self.chat.list.chosen if self.chat.list.has_focus else ""
        return chosen or self.controller.pane.conversation or ""
