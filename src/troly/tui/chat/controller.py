"""What happens on the screen, without a screen: panes, questions, running turns, and events turned into messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Literal

from troly.plugin.events import (
    Content,
    Event,
    Handoff,
    ModelCalled,
    ModelLoading,
    Notice,
    Plan,
    Progress,
    Say,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.backend import Backend, ChatQuestion
from troly.tui.chat.view import (
    ConversationView,
    DataStatusView,
    HealthView,
    MessageView,
    ModelUsage,
    ModeView,
    Pane,
    ReadingPlace,
    SessionInfo,
    StaffNews,
    StepView,
    Tabs,
    TextPart,
    Trouble,
    clean_mode,
    message,
    trouble_from,
)

if TYPE_CHECKING:
    from troly.plugin.ingest_arguments import IngestKind

Change = Literal["pane", "panes", "leaving", "finished", "chrome", "list", "draft"]
UNOPENED = "unopened"
# The code of a turn that somebody stopped.
STOPPED = "turn.stopped"
# Pages grow with what is loaded already, so that the beginning of a very long conversation is a few keys away.
SMALLEST_PAGE, LARGEST_PAGE = 200, 2000
# Seconds after a failure in which nothing is asked for again: every scrolled line would ask.
PAUSE_AFTER_FAILURE = 1.0


class Controller:
    """The state of the screen and all that changes it.

    `changed(what, pane)` is called after every change: `pane` (messages of one pane), `panes` (other panes are
    shown), `chrome` (marks, health, language), `list` (conversations), `draft` (the input must show the pane's
    draft), `finished` (an answer is complete that nobody sees); `leaving` comes before the input goes to another pane.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        mode: str,
        language: Lang,
        now: Callable[[], datetime],
        changed: Callable[[Change, Pane | None], None],
        mode_asked: bool = False,
    ) -> None:
        self.backend = backend
        self.language: Lang = language
        self._now = now
        self._zone: tzinfo | None = None
        self.changed = changed
        self.modes: dict[str, ModeView] = {}
        self.user = ""
        self.notices: tuple[str, ...] = ()
        self.health = HealthView()
        self.data_status: dict[tuple[str, Lang], DataStatusView | None] = {}
        self.listed: list[ConversationView] = []
        # Whether the list was read; until then nothing is said of it.
        self.list_is_known = False
        self._prepared: set[str] = set()
        self._missing_samples: set[str] = set()
        self.loading_samples: list[str] = []
        self.opened = False
        self.new_here = False
        # How many conversations of other people wait for a person, where that is this one's business.
        self.waiting_people = 0
        self._answers_customers = self._looking = False
        self._kinds: Callable[[], Sequence[IngestKind]] = tuple
        self.trouble: Trouble | None = None
        self.tabs = Tabs(Pane(mode))
        # Whether the person named the assistant to begin with: it is shown whatever was open before.
        self._mode_asked = mode_asked

    def now(self) -> datetime:
        """The present moment, from the opening of the session on in the time zone of the settings."""
        return self._now().astimezone(self._zone) if self._zone else self._now()

    # The session opens, or does not.

    def take_session(self, info: SessionInfo) -> None:
        """The services are open: modes are known, questions that waited are asked."""
        self.modes = {mode.id: clean_mode(mode) for mode in info.modes}
        self.user = sanitize(info.user, keep_newlines=False)
        self.notices = info.notices
        self.new_here = info.new_here
        self._missing_samples = set(info.missing_samples)
        self._kinds = info.kinds
        self._answers_customers = info.answers_customers
        self.opened = True
        self._zone = info.zone
        for view in self.pane.messages:
            view.time = view.time.astimezone(info.zone) if info.zone else view.time
        if info.tabs is not None:
            self._take_tabs(info.tabs)
        unknown = "" if self.pane.mode in self.modes or not self.modes else self.pane.mode
        first = next((m.id for m in info.modes if not m.broken), next(iter(self.modes), ""))
        for pane in self.tabs.everywhere:
            # Where no setting names one, the first assistant of all opens.
            pane.mode = pane.mode if pane.mode in self.modes else first
        if unknown:
            title = tr("ui.mode.unknown", self.language, mode=unknown)
            known = ", ".join(self.modes)
            self.show_trouble(self.pane, Trouble(title, "", tr("ui.mode.known", self.language, modes=known)))
        if info.problem is not None:
            self.show_trouble(self.pane, trouble_from(info.problem, self.language))
        for pane in self.tabs.everywhere:
            self.ask_next(pane)
        self._shown()

    def _take_tabs(self, before: Tabs) -> None:
        """Open what was open at the end of the last session; whoever has begun to type goes on in the new pane."""
        begun = self.pane
        self.changed("leaving", begun)
        self.tabs = before
        if not begun.empty or self._mode_asked:
            last = before.last(begun.mode) if begun.empty else None
            self.tabs.show(last or begun)

    def fail(self, trouble: Trouble) -> None:
        """The services cannot be opened."""
        self.trouble = trouble
        for pane in self.tabs.everywhere:
            for question in pane.waiting:
                question.kind = UNOPENED
                question.touch()
        self.changed("panes", self.pane)

    def take_health(self, health: HealthView) -> None:
        """Ollama was looked at."""
        health = health._replace(model=sanitize(health.model, keep_newlines=False))
        if health != self.health:
            self.health = health
            self.changed("chrome", None)

    def refresh(self) -> None:
        """Ask for the conversation list and for the data that the shown mode has."""
        if self.opened:
            self.backend.call(operations.list_conversations, self._take_list)
            mode, language = self.pane.mode, self.language
            if mode not in self._prepared:
                self._prepared.add(mode)
                self.backend.call(operations.warm_up, lambda _done: None, mode)
            if not self._needs_samples(mode):
                done = partial(self._take_status, mode, language)
                self.backend.call(operations.read_data_status, done, mode, language)

    def look_for_people(self) -> None:
        """Ask what colleagues wrote in open conversations that wait for them, and how many wait for this person."""
        shown = {
            pane.conversation: pane.heard
            for pane in self.tabs.panes
            if pane.for_person and pane.conversation and not (pane.loading or pane.unloaded)
        }
        if self.opened and not self._looking and (shown or self._answers_customers):
            self._looking = True
            self.backend.call(operations.look_at_handovers, self._take_news, shown)

    def _take_news(self, found: StaffNews | Exception) -> None:
        self._looking = False
        if isinstance(found, Exception):
            # The next look finds what this one could not.
            return
        for conversation, (said, waits) in found.words.items():
            pane = self.tabs.of(conversation)
            # One that is loaded meanwhile brings its messages itself.
            if pane is not None and not (pane.loading or pane.unloaded):
                pane.for_person = waits
                self._hear(pane, said)
        if found.waiting != self.waiting_people:
            self.waiting_people = found.waiting
            self.changed("chrome", None)

    def _hear(self, pane: Pane, said: list[MessageView]) -> None:
        """A colleague wrote in `pane`."""
        if said:
            pane.messages += said
            pane.heard = said[-1].saved
            self.changed("pane", pane)
            self._mark_unseen(pane)

    @property
    def kinds(self) -> Sequence[IngestKind]:
        """What can be loaded; nothing until the session is open."""
        return self._kinds()

    # Questions and answers.

    @property
    def suggested(self) -> tuple[str, ...]:
        """The questions that the last answer of the shown pane offers."""
        answer = self.pane.last_answer
        parts = answer.parts if answer is not None else ()
        return tuple(question for part in parts for question in getattr(part, "questions", ()))

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
            self.backend.call(operations.mark_welcomed, lambda _done: None)
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
        if not (self.opened and pane.waiting) or pane.running or pane.unloaded:
            return
        if self._needs_samples(pane.mode):
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
        self._ask(pane, answer, ChatQuestion(pane.mode, question.text, pane.conversation))

    def go_on(self, answer: MessageView) -> bool:
        """Let the unfinished `answer` of the shown pane be written on where it stands; False where that cannot be."""
        pane, question = self.pane, self.question_before(answer.key)
        if question is None or pane.running or not (answer.unfinished and self.opened):
            return False
        first, last = pane.messages.index(question) + 1, pane.messages.index(answer)
        del pane.messages[first:last]
        answer.state, answer.kind, answer.trouble, answer.stale = "running", "", None, True
        answer.begun, answer.waited, answer.silent, answer.steps = self.now(), 0.0, 0.0, []
        answer.touch()
        self._ask(pane, answer, ChatQuestion(pane.mode, question.text, pane.conversation, answer.turn))
        self.changed("pane", pane)
        return True

    def _ask(self, pane: Pane, answer: MessageView, asked: ChatQuestion) -> None:
        pane.answer = answer
        question = asked._replace(model=pane.model)
        pane.cancel = self.backend.stream(question, partial(self.take_events, pane))
        self.changed("chrome", pane)

    def take_events(self, pane: Pane, events: list[Event], conversation: str) -> None:
        """Events of the turn that runs in `pane`."""
        ended = False
        for event in events:
            if apply_event(pane, event, self.now):
                ended = True
                pane.cancel = pane.answer = None
                self.ask_next(pane)
                self.refresh()
        if conversation:
            pane.conversation = conversation
        self.changed("pane", pane)
        if ended and not pane.running:
            self._keep_model(pane)
            self.ended(pane)
        if not pane.running:
            self.changed("chrome", pane)

    def choose_model(self, model: str) -> None:
        """Let the shown conversation be answered by `model` from now on, "" for that of its assistant."""
        self.pane.model = model
        self._keep_model(self.pane)
        self.changed("chrome", None)

    def _keep_model(self, pane: Pane) -> None:
        """Not while a turn runs: it writes what it knows of the conversation at its end."""
        if pane.conversation and not pane.running and pane.model != pane.kept_model:
            pane.kept_model = pane.model
            self.backend.call(operations.choose_model, lambda _done: None, pane.conversation, pane.model)

    def _learn_model(self, pane: Pane) -> None:
        def take(found: str | Exception) -> None:
            if isinstance(found, str) and pane.model == pane.kept_model:
                pane.model = pane.kept_model = sanitize(found, keep_newlines=False)
                self.changed("chrome", None)

        self.backend.call(operations.chosen_model, take, pane.conversation or "")

    def set_language(self, language: Lang) -> None:
        """Change the language of the interface."""
        self.language = language
        self.refresh()
        self.changed("panes", self.pane)

    def _needs_samples(self, mode: str) -> bool:
        """Whether the samples of `mode` are still to come; they are loaded from the first time that it is needed."""
        if mode in self._missing_samples and mode not in self.loading_samples:
            self.loading_samples.append(mode)
            self.backend.load_samples(mode, self.language, lambda _end: self._samples_loaded(mode))
            self.changed("chrome", None)
        return mode in self._missing_samples

    def _samples_loaded(self, mode: str) -> None:
        """Questions go on, with what is there now; what could not be loaded is tried again at the next start."""
        self._missing_samples.discard(mode)
        self.loading_samples.remove(mode)
        for pane in self.tabs.everywhere:
            self.ask_next(pane)
            self.changed("pane", pane)
        self.refresh()
        self.changed("chrome", None)

    def _take_list(self, found: list[ConversationView] | Exception) -> None:
        if not isinstance(found, Exception) and (found != self.listed or not self.list_is_known):
            self.listed, self.list_is_known = found, True
            self.changed("list", None)

    def _take_status(self, mode: str, language: Lang, found: DataStatusView | Exception | None) -> None:
        held = None if isinstance(found, Exception) else found
        if self.data_status.get((mode, language), held) != held or (mode, language) not in self.data_status:
            self.data_status[mode, language] = held
            self.changed("pane", self.pane)

    # Panes.

    @property
    def pane(self) -> Pane:
        """The pane that the input belongs to."""
        return self.tabs.shown

    @property
    def panes(self) -> list[Pane]:
        """All open panes in order."""
        return self.tabs.panes

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

    def open(self, conversation: str, place: ReadingPlace | None = None) -> None:
        """Show a saved conversation, from its pane where it has one; at a place where that is given."""
        pane = self.tabs.of(conversation)
        if pane is not None:
            pane.place, pane.sought = place or pane.place, place is not None
            self.show(pane)
        elif self.opened:
            done = partial(self._take_conversation, conversation, place)
            self.backend.call(operations.load_conversation, done, conversation)

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
        self._mark_unseen(pane)
        self._unload()

    def _mark_unseen(self, pane: Pane) -> None:
        if pane not in self.tabs.sides and pane in self.tabs.everywhere:
            pane.unread = True
            self.changed("finished", pane)

    def show_trouble(self, pane: Pane, trouble: Trouble) -> None:
        """Say in `pane` what went wrong outside a turn."""
        pane.messages.append(
            message("assistant", self.now(), "", state="failed", trouble=trouble, kind="trouble")
        )

    def show_notice(self, pane: Pane, notice: Notice) -> None:
        """Say in `pane` what was done beside its turns; the note is not kept."""
        pane.messages.append(message("assistant", self.now(), "", parts=[notice], kind="trouble"))

    def _shown(self) -> None:
        for pane in self.tabs.sides:
            pane.unread = False
            if pane.unloaded and not pane.loading:
                self._reload(pane)
        self._unload()
        self.refresh()
        self.changed("panes", self.pane)

    def _unload(self) -> None:
        """Forget the messages of saved panes that were not shown for long; they are loaded again when shown."""
        for pane in self.tabs.sleepers():
            pane.messages, pane.unloaded = [], True

    def _reload(self, pane: Pane) -> None:
        pane.loading = True
        done = partial(self._take_messages, pane)
        self.backend.call(operations.load_conversation, done, pane.conversation or "")

    def _take_messages(self, pane: Pane, found: tuple[str, list[MessageView]] | Exception) -> None:
        pane.unloaded = pane.loading = False
        if isinstance(found, Exception):
            self.show_trouble(pane, trouble_from(found, self.language))
        else:
            # Questions that were put meanwhile are not asked yet: they wait for this.
            pane.messages[:0] = found[1]
            self._loaded(pane, found[1])
        self.ask_next(pane)
        # Not with the next frame but now: somebody waits for this pane.
        self.changed("panes", pane)

    def _take_conversation(
        self,
        conversation: str,
        place: ReadingPlace | None,
        found: tuple[str, list[MessageView]] | Exception,
    ) -> None:
        if isinstance(found, Exception):
            self.show_trouble(self.pane, trouble_from(found, self.language))
            self.changed("pane", self.pane)
            return
        if self.tabs.of(conversation) is not None:
            self.open(conversation, place)
            return
        mode, messages = found
        title = next((listed.title for listed in self.listed if listed.id == conversation), "")
        pane = Pane(mode, conversation, title, messages, place=place)
        self.show(pane)
        self._loaded(pane, messages)

    def _loaded(self, pane: Pane, messages: list[MessageView]) -> None:
        """The newest `messages` of a saved conversation came."""
        oldest = messages[0].before if messages else ""
        pane.heard = next((one.saved for one in reversed(messages) if one.saved), oldest)
        pane.for_person = True
        self._learn_model(pane)


class OlderMessages:
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
        if monotonic() - self._failed.get(oldest.key, -PAUSE_AFTER_FAILURE) < PAUSE_AFTER_FAILURE:
            return False
        oldest.older = "loading"
        limit = max(SMALLEST_PAGE, min(LARGEST_PAGE, len(pane.messages)))
        done = partial(self._take, pane, oldest)
        self._controller.backend.call(operations.load_older, done, pane.conversation, oldest.before, limit)
        return True

    def _take(self, pane: Pane, oldest: MessageView, found: list[MessageView] | Exception) -> None:
        oldest.older = "more"
        if isinstance(found, Exception):
            self._failed[oldest.key] = monotonic()
            trouble = trouble_from(found, self._controller.language)
            self._tell(" ".join(part for part in trouble if part))
        elif pane.messages and pane.messages[0] is oldest:
            oldest.before = ""
            self._failed.pop(oldest.key, None)
            pane.messages[:0] = found
            self._controller.changed("pane", pane)


def apply_event(pane: Pane, event: Event, now: Callable[[], datetime]) -> bool:
    """Change `pane` by one event of its running turn; True when the turn has ended."""
    answer = pane.answer
    if answer is None:
        return False
    answer.heard(new=isinstance(event, Token | Say | Content))
    match event:
        case TurnStarted():
            _begin(pane, answer, event)
        case Token():
            answer.progress = None
            answer.write(event.text)
            if answer.spent is not None:
                answer.spent.heard(event.text, now())
        case Say():
            _say(pane, answer, event, now)
        case StepStarted() | StepFinished() | ModelCalled():
            _go_on(answer, event)
        case Progress() | ModelLoading():
            answer.progress = event
        case TurnCompleted():
            _complete(pane, answer, event)
            return True
        case TurnFailed():
            _fail(pane, answer, event)
            return True
        case _:
            _put(pane, answer, event)
    return False


def _begin(pane: Pane, answer: MessageView, event: TurnStarted) -> None:
    """A question, its answer and what is said around them are in one language."""
    answer.turn, answer.spent, answer.steps = event.turn, ModelUsage(), []
    answer.language = event.language
    place = pane.messages.index(answer)
    if place and (asked := pane.messages[place - 1]).who == "user":
        asked.language = event.language
        asked.touch()


def _go_on(answer: MessageView, event: StepStarted | StepFinished | ModelCalled) -> None:
    """What stands behind the answer, not in it."""
    match event:
        case StepStarted():
            answer.steps.append(StepView(event.node, event.agent, event.tool, began=answer.waited))
        case StepFinished():
            name = (event.node, event.agent, event.tool)
            running = (s for s in answer.steps if s.ms is None and (s.node, s.agent, s.tool) == name)
            step = next(running, None)
            if step is None:
                step = StepView(*name)
                answer.steps.append(step)
            step.ms, step.source, step.detail = event.ms, event.source or "", event.detail
            step.failed = event.failed
        case ModelCalled():
            if isinstance(answer.progress, ModelLoading):
                answer.progress = None
            answer.spent = answer.spent or ModelUsage()
            answer.spent.call(asdict(event))


def _put(pane: Pane, answer: MessageView, event: Content) -> None:
    """Typed content at the end; a plan as it stands now goes where it stood before."""
    if isinstance(event, Handoff):
        pane.alarm = " · ".join(part for part in (event.reason, event.hotline) if part)
        pane.for_person = True
    place = next((at for at, part in enumerate(answer.parts) if isinstance(part, Plan)), None)
    if isinstance(event, Plan) and place is not None:
        answer.parts[place] = event
    else:
        answer.parts.append(event)


def _say(pane: Pane, answer: MessageView, event: Say, now: Callable[[], datetime]) -> None:
    """A message of its own: a greeting comes before the question, anything else before the answer."""
    place = pane.messages.index(answer)
    if event.message_type == "greeting" and place and pane.messages[place - 1].who == "user":
        place -= 1
    said = message("assistant", now(), event.text, kind=event.message_type, language=answer.language)
    pane.messages.insert(place, said)


def _first_words(text: str) -> str:
    """What an urgent answer says first, and the first thing that it says to do, without its Markdown."""
    lines = [line.strip() for line in text.replace("*", "").splitlines() if line.strip()]
    head = lines[0].partition(". ")[0].rstrip(".") + "." if lines else ""
    to_do = next((line[2:] for line in lines if line.startswith(("- ", "• "))), "")
    return " ".join(part for part in (head, to_do) if part)


def _complete(pane: Pane, answer: MessageView, event: TurnCompleted) -> None:
    """The answer as the turn says it: streamed text stays unless the final text differs from it."""
    answer.state, answer.kind, answer.stale = "done", event.message_type, False
    answer.cut = bool(event.metadata.get("cut"))
    if event.metadata.get("urgent"):
        pane.alarm = _first_words(event.text)
    answer.source, answer.calls, answer.ms = event.source, event.calls, event.ms
    _settle(pane, answer, event.text)


def _fail(pane: Pane, answer: MessageView, event: TurnFailed) -> None:
    answer.state = "stopped" if event.code == STOPPED else "failed"
    answer.calls, answer.ms, answer.stale = event.calls, event.ms, False
    answer.trouble = Trouble(event.title, event.message, event.remedy)
    for step in answer.steps:
        step.failed = step.failed or step.ms is None
    if event.text:
        _settle(pane, answer, event.text)


def _settle(pane: Pane, answer: MessageView, text: str) -> None:
    answer.progress = None
    final = _without_said(pane, answer, text)
    written = [part for part in answer.parts if isinstance(part, TextPart)]
    if "".join(part.text for part in written).strip() == final:
        return
    place = answer.parts.index(written[0]) if written else 0
    rest = [part for part in answer.parts if not isinstance(part, TextPart)]
    answer.parts = [*rest[:place], *([TextPart([final])] if final else []), *rest[place:]]


def _without_said(pane: Pane, answer: MessageView, text: str) -> str:
    """The final text without the short messages that stand before the answer already."""
    place = pane.messages.index(answer)
    said: list[str] = []
    for view in reversed(pane.messages[:place]):
        if view.who == "user":
            break
        said.insert(0, view.text.strip())
    text = text.strip()
    for short in said:
        if short and text.startswith(short):
            text = text[len(short) :].strip()
    return text
