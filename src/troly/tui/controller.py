"""What happens on the screen, without a screen: panes, questions, running turns, and events turned into messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.paning import Change, PaneControl
from troly.tui.port import Arrival, HouseLike, Question
from troly.tui.tabs import Tabs
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
    from troly.plugin.ingest_arguments import Kind

UNOPENED = "unopened"


class Controller(PaneControl):
    """The state of the screen and all that changes it.

    `changed(what, pane)` is called after every change: `pane` (messages of one pane), `panes` (other panes are
    shown), `chrome` (marks, health, language), `list` (conversations), `draft` (the input must show the pane's
    draft), `finished` (an answer is complete that nobody sees); `leaving` comes before the input goes to another pane.
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
        self._prepared: set[str] = set()
        self._lacking: set[str] = set()
        self.stocking: list[str] = []
        self.opened = False
        self.new_here = False
        self._kinds: Callable[[], Sequence[Kind]] = tuple
        self.trouble: Trouble | None = None
        self.tabs = Tabs(Pane(mode))

    # The house opens, or does not.

    def arrive(self, arrival: Arrival) -> None:
        """The services are open: modes are known, questions that waited are asked."""
        self.modes = {mode.id: clean_mode(mode) for mode in arrival.modes}
        self.user = sanitize(arrival.user, keep_newlines=False)
        self.notices = arrival.notices
        self.new_here = arrival.new_here
        self._lacking = set(arrival.lacking)
        self._kinds = arrival.kinds
        self.opened = True
        if self.pane.mode not in self.modes and self.modes:
            unknown = self.pane.mode
            self.pane.mode = next((m.id for m in arrival.modes if not m.broken), arrival.modes[0].id)
            title = tr("ui.mode.unknown", self.language, mode=unknown)
            known = ", ".join(self.modes)
            self.tell(self.pane, Trouble(title, "", tr("ui.mode.known", self.language, modes=known)))
        for pane in self.tabs.everywhere:
            self.ask_next(pane)
        self.look_up()
        self.changed("panes", self.pane)

    def fail(self, trouble: Trouble) -> None:
        """The services cannot be opened."""
        self.trouble = trouble
        for pane in self.tabs.everywhere:
            for question in pane.waiting:
                question.kind = UNOPENED
                question.touch()
        self.changed("panes", self.pane)

    def see(self, health: HealthView) -> None:
        """Ollama was looked at."""
        health = health._replace(model=sanitize(health.model, keep_newlines=False))
        if health != self.health:
            self.health = health
            self.changed("chrome", None)

    def look_up(self) -> None:
        """Ask for the conversation list and for the data that the shown mode has."""
        if self.opened:
            self.house.conversations(self._take_list)
            mode, language = self.pane.mode, self.language
            if mode not in self._prepared:
                self._prepared.add(mode)
                self.house.prepare(mode)
            if not self._lacks(mode):
                self.house.holdings(mode, language, lambda found: self._take_holdings(mode, language, found))

    @property
    def kinds(self) -> Sequence[Kind]:
        """What can be loaded; nothing until the house is open."""
        return self._kinds()

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
        if self.new_here:
            self.new_here = False
            self.house.welcomed()
        pane.title = pane.title or " ".join(text.split())[:60]
        self.ask_next(pane)
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

    def ask_next(self, pane: Pane) -> None:
        """Put the next question that waits in `pane`, when it can be put."""
        if not (self.opened and pane.waiting) or pane.running or pane.resting:
            return
        if self._lacks(pane.mode):
            for question in pane.waiting:
                question.kind = "stocking"
                question.touch()
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

        ended = False
        for event in events:
            if apply(pane, event, self.now):
                ended = True
                pane.cancel = pane.answer = None
                self.ask_next(pane)
                self.look_up()
        if conversation:
            pane.conversation = conversation
        self.changed("pane", pane)
        if ended and not pane.running:
            self.ended(pane)
        if not pane.running:
            self.changed("chrome", pane)

    def speak(self, language: Lang) -> None:
        """Change the language of the interface."""
        self.language = language
        self.look_up()
        self.changed("panes", self.pane)

    def _lacks(self, mode: str) -> bool:
        """Whether the samples of `mode` are still to come; they are loaded from the first time that it is needed."""
        if mode in self._lacking and mode not in self.stocking:
            self.stocking.append(mode)
            self.house.stock(mode, self.language, lambda _end: self._stocked(mode))
            self.changed("chrome", None)
        return mode in self._lacking

    def _stocked(self, mode: str) -> None:
        """Questions go on, with what is there now; what could not be loaded is tried again at the next start."""
        self._lacking.discard(mode)
        self.stocking.remove(mode)
        for pane in self.tabs.everywhere:
            self.ask_next(pane)
            self.changed("pane", pane)
        self.look_up()
        self.changed("chrome", None)

    def _take_list(self, found: list[ConversationView] | Exception) -> None:
        if not isinstance(found, Exception) and found != self.listed:
            self.listed = found
            self.changed("list", None)

    def _take_holdings(self, mode: str, language: Lang, found: HoldingsView | Exception | None) -> None:
        held = None if isinstance(found, Exception) else found
        if self.holdings.get((mode, language), held) != held or (mode, language) not in self.holdings:
            self.holdings[mode, language] = held
            self.changed("pane", self.pane)
