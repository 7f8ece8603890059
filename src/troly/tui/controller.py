"""What happens on the screen, without a screen: panes, questions, running turns, and events turned into messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.port import Arrival, HouseLike, Question
from troly.tui.troubles import trouble_of
from troly.tui.view import (
    ConversationView,
    HealthView,
    HoldingsView,
    MessageView,
    ModeView,
    Pane,
    Trouble,
    clean_mode,
    message,
)

if TYPE_CHECKING:
    from troly.plugin.events import Event

UNOPENED = "unopened"
Change = Literal["pane", "panes", "chrome", "list", "draft"]


class Controller:
    """The state of the screen and all that changes it.

    `changed(what, pane)` is called after every change: `pane` (messages of one pane), `panes` (another pane is
    shown), `chrome` (marks, health, language), `list` (conversations), `draft` (the input must show the pane's draft).
    """

    def __init__(
        self,
        house: HouseLike,
        *,
        mode: str,
        language: Lang,
        now: Callable[[], datetime],
        changed: Callable[[Change, Pane | None], None],
    ) -> None:
        self.house = house
        self.language: Lang = language
        self.now = now
        self.changed = changed
        self.modes: dict[str, ModeView] = {}
        self.user = ""
        self.notices: tuple[str, ...] = ()
        self.health = HealthView()
        self.holdings: dict[tuple[str, Lang], HoldingsView | None] = {}
        self.listed: list[ConversationView] = []
        self.opened = False
        self.trouble: Trouble | None = None
        self.pane = Pane(mode)
        self.panes: list[Pane] = [self.pane]
        self._current: dict[str, Pane] = {mode: self.pane}

    # The house opens, or does not.

    def arrive(self, arrival: Arrival) -> None:
        """The services are open: modes are known, questions that waited are asked."""
        self.modes = {mode.id: clean_mode(mode) for mode in arrival.modes}
        self.user = sanitize(arrival.user)
        self.notices = arrival.notices
        self.opened = True
        if self.pane.mode not in self.modes and self.modes:
            unknown, usable = (
                self.pane.mode,
                next((m.id for m in arrival.modes if not m.broken), arrival.modes[0].id),
            )
            del self._current[unknown]
            self.pane.mode = usable
            self._current[usable] = self.pane
            title = tr("ui.mode.unknown", self.language, mode=unknown)
            known = ", ".join(self.modes)
            self._tell(self.pane, Trouble(title, "", tr("ui.mode.known", self.language, modes=known)))
        for pane in self.panes:
            self._ask_next(pane)
        self.look_up()
        self.changed("panes", self.pane)

    def fail(self, trouble: Trouble) -> None:
        """The services cannot be opened."""
        self.trouble = trouble
        for pane in self.panes:
            for question in pane.waiting:
                question.kind = UNOPENED
                question.touch()
        self.changed("panes", self.pane)

    def see(self, health: HealthView) -> None:
        """Ollama was looked at."""
        health = health._replace(model=sanitize(health.model))
        if health != self.health:
            self.health = health
            self.changed("chrome", None)

    def look_up(self) -> None:
        """Ask for the conversation list and for the data that the shown mode has."""
        if self.opened:
            self.house.conversations(self._take_list)
            mode, language = self.pane.mode, self.language
            self.house.holdings(mode, language, lambda found: self._take_holdings(mode, language, found))

    # Questions and answers.

    def submit(self, text: str, pane: Pane | None = None) -> None:
        """Put a question: it is shown at once, and asked as soon as the pane is free."""
        pane = pane or self.pane
        if not text.strip():
            return
        kind = "queued" if self.opened else "waiting" if self.trouble is None else UNOPENED
        question = message("user", self.now(), text, state="waiting", kind=kind)
        pane.messages.append(question)
        pane.waiting.append(question)
        pane.title = pane.title or " ".join(text.split())[:60]
        self._ask_next(pane)
        self.changed("pane", pane)

    def stop(self, pane: Pane | None = None) -> bool:
        """Stop the answer that is being written; False when there is none."""
        pane = pane or self.pane
        if pane.cancel is None:
            return False
        pane.cancel()
        return True

    def question_before(self, key: int) -> MessageView | None:
        """The question that the message `key` of the shown pane answers; the last question when there is none."""
        found = None
        for view in self.pane.messages:
            if view.who == "user":
                found = view
            if view.key == key:
                break
        return found

    def again(self, key: int = 0) -> bool:
        """Ask once more what `key` answered (the last question by default)."""
        question = self.question_before(key)
        if question is None or self.trouble is not None:
            return False
        self.submit(question.text)
        return True

    def edit(self, key: int = 0) -> bool:
        """Put the question that `key` answered into the input."""
        question = self.question_before(key)
        if question is None:
            return False
        self.pane.draft = question.text
        self.changed("draft", self.pane)
        return True

    def _ask_next(self, pane: Pane) -> None:
        if not (self.opened and pane.waiting and not pane.running):
            return
        question = pane.waiting.pop(0)
        question.state, question.kind = "done", ""
        question.touch()
        answer = message("assistant", self.now(), "", state="running")
        place = pane.messages.index(question) + 1
        pane.messages.insert(place, answer)
        pane.answer = answer
        asked = Question(pane.mode, question.text, pane.conversation, self.language)
        pane.cancel = self.house.ask(
            asked, lambda events, conversation: self.hear(pane, events, conversation)
        )
        self.changed("chrome", pane)

    def hear(self, pane: Pane, events: list[Event], conversation: str) -> None:
        """Events of the turn that runs in `pane`."""
        from troly.tui.turns import apply

        for event in events:
            if apply(pane, event, self.now):
                pane.cancel = pane.answer = None
                self._ask_next(pane)
                self.look_up()
        if conversation:
            pane.conversation = conversation
        if pane is not self.pane and not pane.running and not pane.unread:
            pane.unread = True
        self.changed("pane", pane)
        if not pane.running:
            self.changed("chrome", pane)

    def _tell(self, pane: Pane, trouble: Trouble) -> None:
        pane.messages.append(
            message("assistant", self.now(), "", state="failed", trouble=trouble, kind="trouble")
        )

    # Panes, modes, conversations.

    def switch(self, mode: str) -> None:
        """Show the pane of `mode`; a running answer goes on where it is."""
        if mode not in self.modes and mode not in self._current:
            return
        self._show(self._current.get(mode) or self._new_pane(mode))

    def step(self, by: int) -> None:
        """Show the mode `by` places further."""
        names = list(self.modes)
        if names and self.pane.mode in names:
            self.switch(names[(names.index(self.pane.mode) + by) % len(names)])

    def new_conversation(self) -> None:
        """Show an empty pane of the same mode; nothing is saved until a question is put."""
        if self.pane.messages:
            self._show(self._new_pane(self.pane.mode))

    def open(self, conversation: str) -> None:
        """Show a saved conversation, from its pane where it has one."""
        pane = next((pane for pane in self.panes if pane.conversation == conversation), None)
        if pane is not None:
            self._show(pane)
        elif self.opened:
            self.house.load(conversation, lambda found: self._take_conversation(conversation, found))

    def forget(self, conversation: str) -> None:
        """A conversation was deleted: its pane goes, and a new one takes its place where it was shown."""
        for pane in [pane for pane in self.panes if pane.conversation == conversation]:
            if pane is self.pane:
                self._show(self._new_pane(pane.mode))
            self.panes.remove(pane)
            if self._current.get(pane.mode) is pane:
                del self._current[pane.mode]

    def running(self, mode: str) -> bool:
        """Whether an answer is being written in any pane of `mode`."""
        return any(pane.running for pane in self.panes if pane.mode == mode)

    def unread(self, mode: str) -> bool:
        """Whether a pane of `mode` has an answer that was not looked at."""
        return any(pane.unread for pane in self.panes if pane.mode == mode)

    def speak(self, language: Lang) -> None:
        """Change the language of the interface."""
        self.language = language
        self.look_up()
        self.changed("panes", self.pane)

    def _new_pane(self, mode: str) -> Pane:
        pane = Pane(mode)
        self.panes.append(pane)
        return pane

    def _show(self, pane: Pane) -> None:
        left, self.pane = self.pane, pane
        self._current[pane.mode] = pane
        pane.unread = False
        if not (
            left.messages or left.draft or left.running or left is pane
        ) and left is not self._current.get(left.mode):
            self.panes.remove(left)
        self.look_up()
        self.changed("panes", pane)

    def _take_conversation(self, conversation: str, found: tuple[str, list[MessageView]] | Exception) -> None:
        if isinstance(found, Exception):
            self._tell(self.pane, trouble_of(found, self.language))
            self.changed("pane", self.pane)
            return
        mode, messages = found
        if any(pane.conversation == conversation for pane in self.panes):
            self.open(conversation)
            return
        pane = self._new_pane(mode)
        pane.conversation, pane.messages = conversation, messages
        pane.title = next((listed.title for listed in self.listed if listed.id == conversation), "")
        self._show(pane)

    def _take_list(self, found: list[ConversationView] | Exception) -> None:
        if not isinstance(found, Exception) and found != self.listed:
            self.listed = found
            self.changed("list", None)

    def _take_holdings(self, mode: str, language: Lang, found: HoldingsView | Exception | None) -> None:
        held = None if isinstance(found, Exception) else found
        if self.holdings.get((mode, language), held) != held or (mode, language) not in self.holdings:
            self.holdings[mode, language] = held
            self.changed("pane", self.pane)
