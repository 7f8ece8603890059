"""What the screen shows, as plain data: messages with their parts and cost; panes and which of them are open.

It is imported before the first frame, so it has no frozen dataclasses: each takes a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from troly.errors import TrolyError
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.plugin.events import Content, ModelLoading, Progress
    from troly.plugin.ingest_arguments import IngestKind


Who = Literal["user", "assistant"]
State = Literal["waiting", "running", "done", "stopped", "failed"]
# Kinds of messages that answer nothing; "staff" is what a colleague wrote.
NO_ANSWER = ("greeting", "trouble", "staff")
_keys = count(1).__next__
# Below this time a rate says nothing.
_SHORTEST = 0.2
# Of a token, in both languages about; the exact rate comes with the end of the call.
LETTERS = 3.5
# So many closed panes can be opened again, and so many panes keep their messages in memory without being shown.
CLOSED, AWAKE = 20, 12
# So many tabs come back with the next start.
MOST_KEPT = 20


@dataclass(slots=True, eq=False, repr=False)
class TextPart:
    """A piece of an answer's text; `pieces` only grows."""

    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)


Part: TypeAlias = "TextPart | Content"


@dataclass(slots=True, eq=False, repr=False)
class StepView:
    """One step behind an answer; `ms` is None while it runs, `began` seconds after the answer did."""

    node: str
    agent: str = ""
    tool: str = ""
    source: str = ""
    detail: str = ""
    ms: float | None = None
    failed: bool = False
    began: float = 0.0


class Trouble(NamedTuple):
    """Why something stopped: what, why, and what to do."""

    title: str
    message: str = ""
    remedy: str = ""


class WrongReport(NamedTuple):
    """That an answer was marked as wrong: the key of the reason, and what the person wrote."""

    reason: str
    note: str = ""


@dataclass(slots=True)
class ModelUsage:
    """Sums over the calls of one answer.

    `used` of `window` tokens is the fullest context of a call; `ttft_ms` and `rate` (tokens a second) are of the call
    that wrote last, `host` the server that did where there are several. Of the call that is running `letters` came
    after the first piece at `since`.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    used: int = 0
    window: int = 0
    ttft_ms: float | None = None
    rate: float | None = None
    letters: int = 0
    since: datetime | None = None
    host: str = ""

    def heard(self, text: str, now: datetime) -> None:
        """A piece of the answer came: a token, or a sentence that was held back until it was whole."""
        if self.since is None:
            self.since = now
        else:
            self.letters += len(text)

    def call(self, call: Mapping[str, Any]) -> None:
        """A call ended; the names are those of the event `ModelCalled`."""
        said, asked = call.get("completion_tokens") or 0, call.get("prompt_tokens") or 0
        self.letters, self.since = 0, None
        if call.get("kind") == "embed":
            return
        self.host = call.get("host") or self.host
        self.prompt_tokens += asked
        self.completion_tokens += said
        window = call.get("window") or 0
        if window and (asked + said) * (self.window or 1) >= self.used * window:
            self.used, self.window = asked + said, window
        first = call.get("ttft_ms")
        if first is not None and (call.get("kind") == "stream" or self.ttft_ms is None):
            self.ttft_ms = float(first)
            writing = (float(call.get("ms") or 0.0) - self.ttft_ms) / 1000
            self.rate = said / writing if said > 1 and writing > 0 else None

    def running_rate(self, now: datetime) -> float | None:
        """About how many tokens a second the running call writes; None where there is none or it has just begun."""
        seconds = (now - self.since).total_seconds() if self.since else 0.0
        return self.letters / LETTERS / seconds if seconds >= _SHORTEST and self.letters else None


def usage_of(calls: Iterable[Mapping[str, Any]]) -> ModelUsage | None:
    """The sums of saved calls; None without any."""
    found = None
    for call in calls:
        found = found or ModelUsage()
        found.call(call)
    return found


@dataclass(slots=True, eq=False, repr=False)
class MessageView:
    """One message on the screen; `revision` grows with every change.

    `before` is set on the oldest loaded message where older ones are saved: the id that asks for them; `older` says
    whether they were asked for.
    """

    who: Who
    time: datetime
    state: State = "done"
    kind: str = ""
    parts: list[Part] = field(default_factory=list)
    steps: list[StepView] = field(default_factory=list)
    progress: Progress | ModelLoading | None = None
    trouble: Trouble | None = None
    source: str = ""
    calls: int = 0
    ms: float | None = None
    # When its turn began: an answer that is gone on with keeps its time.
    begun: datetime | None = None
    # Seconds since it was asked, and since its turn said something last; told while it runs.
    waited: float = 0.0
    silent: float = 0.0
    # The language of its turn; "" for that of the interface.
    language: str = ""
    # It reached the model's limit of length; it is gone on with and shows what was written before.
    cut: bool = False
    stale: bool = False
    opened: set[str] = field(default_factory=set)
    revision: int = 0
    turn: str = ""
    spent: ModelUsage | None = None
    wrong: WrongReport | None = None
    # Who wrote it, where a colleague took the conversation over, and its id in the store.
    colleague: str = ""
    saved: str = ""
    before: str = ""
    older: Literal["more", "loading"] = "more"
    key: int = field(default_factory=_keys)

    @property
    def text(self) -> str:
        """The message without its typed content."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    def spoken(self, interface: Lang) -> Lang:
        """The language of what is said around it: one message is in one language."""
        return "vi" if self.language == "vi" else "en" if self.language == "en" else interface

    @property
    def unfinished(self) -> bool:
        """Whether there is an answer to go on with."""
        return (self.state in ("stopped", "failed") or self.cut) and bool(self.text.strip() and self.turn)

    @property
    def finished(self) -> bool:
        """Whether nothing more will be added."""
        return self.state not in ("waiting", "running")

    def write(self, text: str) -> None:
        """Add `text` to the last text part, or begin one."""
        if self.parts and isinstance(self.parts[-1], TextPart):
            self.parts[-1].pieces.append(text)
        else:
            self.parts.append(TextPart([text]))
        self.revision += 1

    def heard(self, *, new: bool) -> None:
        """Something was said of it; what is `new` takes the place of what it showed before it was gone on with."""
        self.silent = 0.0
        if self.stale and new:
            self.parts, self.stale = [], False
        self.touch()

    @property
    def asked(self) -> datetime:
        """When its turn began."""
        return self.begun or self.time

    def wait(self, seconds: float) -> None:
        """So many seconds have passed since it was asked."""
        self.silent += seconds - self.waited
        self.waited = seconds
        self.touch()

    def touch(self) -> None:
        """Something of it changed."""
        self.revision += 1


def message(who: Who, time: datetime, text: str, **more: object) -> MessageView:
    """A message that is whole already."""
    view = MessageView(who, time, parts=[TextPart([text])] if text else [])
    for name, value in more.items():
        setattr(view, name, value)
    return view


class ReadingPlace(NamedTuple):
    """The first row that a reader sees, `offset` rows below the head of what `who` says in a saved turn."""

    who: str
    turn: str
    offset: int


@dataclass(slots=True, eq=False, repr=False)
class Pane:
    """One conversation on the screen: its messages, draft, and the turn that runs in it.

    `cancel` is set while a turn runs. `waiting` are questions that were sent before they could be answered.
    The messages of a `unloaded` pane are only in the store; they are on their way while it is `loading`. `place` is
    where it was left by a reader who did not follow its end; `sought` that somebody wants to be there now. `alarm` stays in sight until it is acknowledged. `model`
    is the one chosen for this conversation, "" for that of its assistant; `kept_model` what the store has of it.
    """

    mode: str
    conversation: str | None = None
    title: str = ""
    messages: list[MessageView] = field(default_factory=list)
    draft: str = ""
    unread: bool = False
    cancel: Callable[[], None] | None = None
    answer: MessageView | None = None
    waiting: list[MessageView] = field(default_factory=list)
    unloaded: bool = False
    loading: bool = False
    place: ReadingPlace | None = None
    sought: bool = False
    alarm: str = ""
    model: str = ""
    kept_model: str = ""
    # Whether it may wait for a person, and the last message of theirs that is known, "" for none.
    for_person: bool = False
    heard: str = ""
    key: int = field(default_factory=_keys)

    @property
    def running(self) -> bool:
        """Whether an answer is being written."""
        return self.answer is not None

    @property
    def empty(self) -> bool:
        """Whether nothing would be lost without it."""
        return not (self.messages or self.draft.strip() or self.unloaded)

    @property
    def saved(self) -> bool:
        """Whether all its messages are in the store and none will be added soon."""
        return (
            self.conversation is not None
            and not (self.running or self.waiting or self.loading)
            and all(view.kind != "trouble" for view in self.messages)
        )

    @property
    def last_answer(self) -> MessageView | None:
        """The newest message of the assistant that has steps or text."""
        return next(
            (m for m in reversed(self.messages) if m.who == "assistant" and m.kind not in NO_ANSWER), None
        )


class Tabs:
    """The open panes in order.

    `sides` are the panes that are shown, one or two; `focus` says which of them the input belongs to. `recent` has
    all open panes, the one that was shown last first. `closed` are panes to open again, newest last.
    """

    def __init__(self, first: Pane) -> None:
        self.panes = [first]
        self.sides = [first]
        self.focus = 0
        self.recent = [first]
        self.closed: list[Pane] = []

    @property
    def shown(self) -> Pane:
        """The pane that the input belongs to."""
        return self.sides[self.focus]

    @property
    def everywhere(self) -> list[Pane]:
        """Open and closed panes."""
        return [*self.panes, *self.closed]

    def last(self, mode: str) -> Pane | None:
        """The pane of `mode` that was shown last."""
        return next((pane for pane in self.recent if pane.mode == mode), None)

    def of(self, conversation: str) -> Pane | None:
        """The pane of a conversation, open or closed."""
        return next((pane for pane in self.everywhere if pane.conversation == conversation), None)

    def beside(self, by: int, mode: str = "") -> Pane:
        """The pane `by` places further, round the end; only those of `mode` when one is given."""
        row = [pane for pane in self.panes if not mode or pane.mode == mode]
        at = row.index(self.shown) if self.shown in row else -1
        return row[(at + by) % len(row)] if row else self.shown

    def add(self, pane: Pane) -> Pane:
        """Put a pane at the end of the row; a closed one is open again."""
        if pane in self.closed:
            self.closed.remove(pane)
        if pane not in self.panes:
            self.panes.append(pane)
            self.recent.append(pane)
        return pane

    def show(self, pane: Pane) -> None:
        """Give the input to `pane`: on the side where it is, else on the side that has the input now.

        A pane that is left without a message or a draft goes.
        """
        self.add(pane)
        left = self.shown
        if pane in self.sides:
            self.focus = self.sides.index(pane)
        else:
            self.sides[self.focus] = pane
        self._came(pane)
        if left not in self.sides and left.empty:
            self.drop(left)

    def split(self, beside: Pane) -> None:
        """Show `beside` on the right of the pane that is shown, and give it the input."""
        self.add(beside)
        self.sides = [self.shown, beside]
        self.focus = 1
        self._came(beside)

    def unsplit(self) -> None:
        """Show the pane with the input alone."""
        other = self.sides[1 - self.focus] if len(self.sides) > 1 else None
        self.sides, self.focus = [self.shown], 0
        if other is not None and other.empty:
            self.drop(other)

    def turn(self) -> None:
        """Give the input to the other side."""
        self.focus = (self.focus + 1) % len(self.sides)
        self._came(self.shown)

    def drop(self, pane: Pane, instead: Pane | None = None) -> None:
        """Take a pane away; where it was shown comes `instead`, or the other side, or the one shown before it."""
        if pane in self.sides and len(self.sides) > 1:
            self.sides.remove(pane)
            self.focus = 0
        elif pane in self.sides:
            before = next((other for other in self.recent if other is not pane), None)
            found = instead or before or Pane(pane.mode)
            self.add(found)
            self.sides = [found]
        for row in (self.panes, self.recent, self.closed):
            if pane in row:
                row.remove(pane)
        self._came(self.shown)

    def close(self, pane: Pane) -> None:
        """Take a pane away so that it can be opened again; one without content is not worth that."""
        self.drop(pane)
        if not pane.empty:
            self.closed.append(pane)
        idle = [one for one in self.closed if not one.running]
        for one in idle[: max(0, len(self.closed) - CLOSED)]:
            self.closed.remove(one)

    def sleepers(self) -> list[Pane]:
        """Panes whose messages need not be in memory: saved, idle, and not shown for long, or closed."""
        away = [pane for pane in self.recent[AWAKE:] if pane not in self.sides] + self.closed
        return [pane for pane in away if pane.saved and not pane.unloaded]

    def _came(self, pane: Pane) -> None:
        self.recent.remove(pane)
        self.recent.insert(0, pane)

    # Kept for the next start.

    def kept(self) -> dict[str, Any]:
        """The open conversations as JSON values: `shown` holds numbers of `panes`, `focus` the one with the input."""
        panes = [pane for pane in self.panes if pane.conversation or pane in self.sides][-MOST_KEPT:]
        shown = [panes.index(pane) for pane in self.sides if pane in panes]
        return {
            "panes": [
                {"mode": pane.mode, "conversation": pane.conversation, "place": pane.place} for pane in panes
            ],
            "shown": shown,
            "focus": min(self.focus, len(shown) - 1),
        }


def restored_tabs(kept: Mapping[str, Any], titles: Mapping[str, str], modes: Collection[str]) -> Tabs | None:
    """What `Tabs.kept` gave, without unknown `modes` and conversations without a title; None where nothing is left.

    Raises what a damaged record raises (ValueError, TypeError, KeyError, IndexError).
    """
    found: dict[int, Pane] = {}
    shown = [int(number) for number in kept["shown"]][:2]
    for number, one in enumerate(kept["panes"]):
        mode, conversation, place = one["mode"], one["conversation"], one["place"]
        if mode not in modes:
            continue
        if conversation in titles:
            left = ReadingPlace(str(place[0]), str(place[1]), int(place[2])) if place else None
            found[number] = Pane(mode, conversation, titles[conversation], unloaded=True, place=left)
        elif conversation is None and number in shown:
            found[number] = Pane(mode)
    if not found:
        return None
    sides = [found[number] for number in dict.fromkeys(shown) if number in found] or [
        next(iter(found.values()))
    ]
    tabs = Tabs(sides[0])
    tabs.panes = list(found.values())
    tabs.sides, tabs.focus = sides, max(0, min(int(kept["focus"]), len(sides) - 1))
    tabs.recent = [tabs.shown, *(pane for pane in tabs.panes if pane is not tabs.shown)]
    return tabs


class ModeCommandView(NamedTuple):
    """A command of a mode that is typed as a message: `/name argument`."""

    name: str
    help: Mapping[Lang, str]
    argument: str = ""


class ModeView(NamedTuple):
    """A mode as the faces show it: `broken` is why it cannot be used, `icon` a sign one cell wide, `greetings` what it
    says first in a conversation (000-07). `queries` is the language of people's own queries, "" for none.
    """

    id: str
    names: Mapping[Lang, str]
    summaries: Mapping[Lang, str]
    accent: str
    questions: Mapping[Lang, tuple[str, ...]]
    ready: bool = True
    broken: str = ""
    icon: str = "◇"
    talk: tuple[ModeCommandView, ...] = ()
    person: Mapping[Lang, str] = MappingProxyType({})
    greetings: Mapping[Lang, str] = MappingProxyType({})
    roles: tuple[str, ...] = ("chat",)
    queries: Literal["", "sql", "json"] = ""


def clean_mode(mode: ModeView) -> ModeView:
    """The mode without control sequences in what it says of itself."""
    return mode._replace(
        names={lang: sanitize(text, keep_newlines=False) for lang, text in mode.names.items()},
        summaries={lang: sanitize(text) for lang, text in mode.summaries.items()},
        person={lang: sanitize(text) for lang, text in mode.person.items()},
        greetings={lang: sanitize(text) for lang, text in mode.greetings.items()},
        talk=tuple(
            ModeCommandView(
                sanitize(one.name, keep_newlines=False),
                {lang: sanitize(text, keep_newlines=False) for lang, text in one.help.items()},
                sanitize(one.argument, keep_newlines=False),
            )
            for one in mode.talk
        ),
        questions={lang: tuple(sanitize(text) for text in asked) for lang, asked in mode.questions.items()},
        broken=sanitize(mode.broken),
        icon=sanitize(mode.icon),
    )


class SessionInfo(NamedTuple):
    """What the screen learns when the session is open.

    `notices` are damaged files that were moved away; `missing_samples` modes whose samples must be loaded first;
    `kinds` gives what can be loaded; `problem` is what the person is told at once;
    `tabs` is what was open when the screen was left; times are told in `zone`. `answers_customers` says whether other
    people's conversations that wait for a person are this one's business.
    """

    modes: tuple[ModeView, ...]
    user: str
    notices: tuple[str, ...] = ()
    new_here: bool = False
    missing_samples: frozenset[str] = frozenset()
    kinds: Callable[[], Sequence[IngestKind]] = tuple
    problem: Exception | None = None
    tabs: Tabs | None = None
    zone: tzinfo | None = None
    answers_customers: bool = False


class StaffNews(NamedTuple):
    """What colleagues wrote, by conversation, and whether it waits for them still; how many wait that nobody has taken."""

    words: Mapping[str, tuple[list[MessageView], bool]]
    waiting: int = 0


class WaitingView(NamedTuple):
    """A conversation of `customer` that waits for a person, or that `taken_by` answers; `said` is its end."""

    id: str
    customer: str
    mode: str
    reason: str
    since: datetime
    taken_by: str
    said: tuple[MessageView, ...]


class BranchView(NamedTuple):
    """A conversation that was branched off another one, or the one it came from: and at which turn of that."""

    conversation: str
    mode: str
    title: str
    turn: str = ""


class DataStatusView(NamedTuple):
    """What data a mode has, and the command that loads it when that is not enough."""

    line: str
    enough: bool
    command: str = ""


class HealthView(NamedTuple):
    """Whether Ollama answers, and the name of the model that would; `known` is False before the first look."""

    known: bool = False
    up: bool = False
    model: str = ""
    trouble: Trouble | None = None


class ConversationView(NamedTuple):
    """One line of the conversation list."""

    id: str
    mode: str
    title: str
    when: datetime
    pinned: bool = False


class ModelView(NamedTuple):
    """An installed model; `size` in bytes, `context` in tokens, `until` when the server lets it go from its memory."""

    name: str
    size: int = 0
    parameters: str = ""
    capabilities: tuple[str, ...] = ()
    context: int | None = None
    loaded: bool = False
    until: datetime | None = None


class ModelsView(NamedTuple):
    """What the server has; `trouble` is why it does not say."""

    installed: tuple[ModelView, ...] = ()
    version: str = ""
    trouble: Trouble | None = None


class SettingView(NamedTuple):
    """One setting: what it is now and who said so (`default`, `file`, `env NAME`, `option`), and what it takes."""

    key: str
    value: str
    origin: str
    about: str
    takes: str
    default: str
    env: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()


class QueryNames(NamedTuple):
    """What a query of an assistant may be made of: tables with their columns and what these hold, and operators."""

    tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    words: tuple[str, ...] = ()
    example: str = ""


class MemoryView(NamedTuple):
    """One thing that an assistant remembers."""

    mode: str
    id: str
    text: str
    kind: str
    detail: str = ""
    editable: bool = False


class TurnEvidence(NamedTuple):
    """A saved turn as the evidence drawer shows it: its trace, and who answered with how many calls."""

    turn: str
    trace: Mapping[str, Any]
    source: str = ""
    calls: int = 0


class HitView(NamedTuple):
    """A message that holds what was looked for: `snippet` is a piece of it, `spans` the matches in the piece."""

    conversation: str
    mode: str
    title: str
    when: datetime
    snippet: str
    spans: tuple[tuple[int, int], ...] = ()
    who: Who = "assistant"


def trouble_from(error: Exception, language: Lang) -> Trouble:
    """Any exception as what a person is told."""

    if isinstance(error, TrolyError):
        text = error.render(language)
        return Trouble(text.title, text.message, text.remedy)
    if isinstance(error, PermissionError):
        return Trouble(tr("ui.trouble.permission", language), str(error), "")
    return Trouble(
        tr("ui.trouble.unexpected", language),
        f"{type(error).__name__}: {error}"[:300],
        tr("ui.trouble.doctor", language),
    )
