"""Drafts and earlier messages of the screen: taken up when the services are open, handed on to be kept as they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troly.conversation.input_history import Draft, InputHistory
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.prompt import Prompt
    from troly.tui.chat.view import Pane
    from troly.tui.port import HouseLike


class Drafting:
    """Serves one input; writing is done on the house's thread."""

    def __init__(self, controller: Controller, house: HouseLike, prompt: Callable[[], Prompt]) -> None:
        self._controller = controller
        self._house = house
        self._prompt = prompt
        self._pane: Pane | None = None
        self._before: list[str] = []
        self._sent: list[str] = []
        self._found: dict[str, Draft] = {}
        self._kept: dict[str, Draft] = {}
        self._waiting = False
        self._ready = False

    def begin(self) -> None:
        """The services are open: ask for what was kept."""
        self._house.typed(self._take)

    def _take(self, found: InputHistory | Exception) -> None:
        if not isinstance(found, Exception):
            self._before = list(found.earlier)
            self._found = dict(found.drafts)
            self._kept = dict(found.drafts)
        self._ready = True
        self.restore()
        self._prompt().earlier = self.earlier()
        self.keep()

    def restore(self) -> None:
        """Give the shown pane the draft of an earlier session, unless something was typed there since."""
        pane, prompt = self._controller.pane, self._prompt()
        # A pane that comes into view now gets its draft put into the input with it; until then that holds another's.
        here, self._pane = pane is self._pane, pane
        draft = self._found.pop(key_of(pane), None)
        if draft is None or pane.draft or (here and prompt.text):
            return
        for token, text in draft.pasted.items():
            prompt.pasted.keep(token, text)
        pane.draft = draft.text
        if here:
            prompt.put(draft.text)

    def sent(self, text: str) -> None:
        """A message was sent."""
        self._sent.append(text)
        if self._controller.opened:
            self._house.keep_typed(text, {})

    def earlier(self) -> list[str]:
        """What ↑ recalls, newest last; before anything was asked, the questions that the pane offers."""
        pane = self._controller.pane
        mode = self._controller.modes.get(pane.mode)
        offered = mode.questions.get(self._controller.language, ()) if mode else ()
        known = {*self._before, *self._sent}
        loaded = [view.text for view in pane.messages if view.who == "user" and view.text not in known]
        return [*self._before, *loaded, *self._sent] or list(reversed(offered))

    def soon(self, later: Callable[[], object]) -> None:
        """Something was typed; `later` calls `keep` in a while."""
        if not self._waiting:
            self._waiting = True
            later()

    def keep(self) -> None:
        """Hand on what changed since the last time."""
        self._waiting = False
        changes = self.changes()
        if changes:
            self._house.keep_typed("", changes)

    def changes(self) -> dict[str, Draft | None]:
        """Drafts that are not kept as they are now; None for one that is gone."""
        if not self._ready:
            return {}
        now = {**self._found, **self._drafts()}
        changes: dict[str, Draft | None] = {
            key: draft for key, draft in now.items() if self._kept.get(key) != draft
        }
        changes |= dict.fromkeys(self._kept.keys() - now.keys())
        self._kept = now
        return changes

    def _drafts(self) -> dict[str, Draft]:
        from troly.conversation.input_history import Draft

        controller, prompt = self._controller, self._prompt()
        found = {}
        for pane in controller.tabs.everywhere:
            text = prompt.text if pane is controller.pane else pane.draft
            if text.strip():
                found[key_of(pane)] = Draft(text, prompt.pasted.within(text))
        return found


def key_of(pane: Pane) -> str:
    """The name of a pane that it still has after a restart."""
    return pane.conversation or f"new:{pane.mode}"
