"""What the controller does with panes: switch, open, close, show two beside each other, and mark what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Literal

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.chat.panes import Tabs
from troly.tui.chat.view import (
    ConversationView,
    HealthView,
    HoldingsView,
    MessageView,
    ModeView,
    Pane,
    Trouble,
    clean_mode,
    message,
    trouble_of,
)
from troly.tui.port import Arrival, HouseLike, Question

if TYPE_CHECKING:
    from troly.plugin.events import Event, Notice
    from troly.plugin.ingest_arguments import Kind
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


# What happens on the screen, without a screen: panes, questions, running turns, and events turned into messages.


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
        unknown = "" if self.pane.mode in self.modes or not self.modes else self.pane.mode
        first = next((m.id for m in arrival.modes if not m.broken), next(iter(self.modes), ""))
        for pane in self.tabs.everywhere:
            # Where no setting names one, the first assistant of all opens.
            pane.mode = pane.mode if pane.mode in self.modes else first
        if unknown:
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
        from troly.tui.chat.turns import apply

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


# Older messages of saved conversations: asked for a page at a time when the reader comes near them.


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
