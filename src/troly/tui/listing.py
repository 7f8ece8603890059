"""What can be done with whole conversations: find, rename, pin, delete and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.text.catalogue import tr
from troly.tui.port import Alteration
from troly.tui.troubles import trouble_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from troly.tui.controller import Controller
    from troly.tui.view import ConversationView


class Listing:
    """Changes conversations through the house and shows the list anew; `tell` says in a sentence what happened.

    `press` names the key of an action.
    """

    def __init__(
        self, controller: Controller, tell: Callable[[str], None], press: Callable[[str], str]
    ) -> None:
        self._press = press
        self._controller = controller
        self._tell = tell
        self._deleted: list[str] = []

    def rename(self, conversation: str, title: str) -> None:
        """Give it another title; an empty one changes nothing."""
        wanted = " ".join(title.split())
        if wanted:
            self._alter(Alteration("rename", conversation, wanted))

    def pin(self, conversation: str) -> None:
        """Keep it at the top of the list, or no longer."""
        found = self._find(conversation)
        if found is not None:
            self._alter(Alteration("unpin" if found.pinned else "pin", conversation))

    def delete(self, conversation: str) -> None:
        """Take it from the list; nothing is lost until it is taken back or cleaned up."""
        controller, lang = self._controller, self._controller.language
        found = self._find(conversation)
        if found is None:
            return
        if any(pane.conversation == conversation and pane.running for pane in controller.tabs.everywhere):
            self._tell(tr("ui.list.running", lang, key=self._press("stop")))
            return

        def done() -> None:
            self._deleted.append(conversation)
            controller.forget(conversation)
            press = self._press("list_undelete")
            key = tr("ui.list.undo_key", lang, key=press) if press else "/undelete"
            title = found.title or tr("ui.list.untitled", lang)
            self._tell(tr("ui.list.deleted", lang, title=title, key=key))

        self._alter(Alteration("delete", conversation), done)

    def undelete(self) -> None:
        """Bring back what was deleted last."""
        if not self._deleted:
            self._tell(tr("ui.list.nothing_deleted", self._controller.language))
            return
        conversation = self._deleted.pop()
        self._alter(Alteration("restore", conversation), lambda: self._controller.open(conversation))

    def _find(self, conversation: str) -> ConversationView | None:
        return next((one for one in self._controller.listed if one.id == conversation), None)

    def _alter(self, change: Alteration, then: Callable[[], None] = lambda: None) -> None:
        def done(error: Exception | None) -> None:
            if error is not None:
                trouble = trouble_of(error, self._controller.language)
                self._tell(" ".join(part for part in trouble if part))
                return
            then()
            self._controller.look_up()

        self._controller.house.alter(change, done)
