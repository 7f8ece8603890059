"""A backend without services for tests of the screen: it is ready when told, and says what the test makes it say."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from troly.config.settings import Settings
from troly.conversation.input_history import Draft, InputHistory
from troly.conversation.jobs import Job
from troly.paths import Paths
from troly.personas import Personas
from troly.plugin.events import Event, Table
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import fold
from troly.tui.backend import ChatQuestion, Deliver
from troly.tui.chat.view import (
    ConversationView,
    DataStatusView,
    HealthView,
    HitView,
    MessageView,
    ModeView,
    SessionInfo,
    StaffNews,
)

HELD: Mapping[str, tuple[str, str]] = {
    "shopping": ("5.000 phiếu bảo hành, nạp hôm nay", "5,000 warranty records, loaded today"),
    "analysis": ("Đơn hàng: 48.210 dòng, nạp 20/11/2026", "Đơn hàng: 48,210 rows, loaded 20/11/2026"),
    "rental": ("6.600 phòng, nạp 20/11/2026", "6,600 rooms, loaded 20/11/2026"),
    "dental": (
        "42 ghi chú nha khoa kèm theo; tìm web qua DuckDuckGo",
        "42 bundled dental notes; web search by DuckDuckGo",
    ),
    "rag": ("68 tài liệu công ty", "68 company documents"),
}


def _installed() -> tuple[ModeView, ...]:
    """The assistants as they present themselves."""
    personas = Personas(Paths.resolve({"TROLY_HOME": tempfile.gettempdir()}), Settings())
    return tuple(
        ModeView(
            mode.id,
            mode.names,
            mode.summaries,
            mode.accent,
            mode.first_questions,
            icon=mode.icon,
            roles=mode.roles,
            queries=mode.queries.language if mode.queries else "",
            greetings={lang: personas.load(mode.persona, lang).greeting for lang in LANGS},
        )
        for mode in map(Registry().get, HELD)
    )


MODES = _installed()


@dataclass(slots=True)
class Asked:
    """A question that the screen put, and the way to answer it."""

    question: ChatQuestion
    sink: Callable[[list[Event], str], None]
    deliver: Deliver
    stopped: bool = False

    def say(self, *events: Event, conversation: str = "c1") -> None:
        """Let the backend say `events`."""
        self.deliver(lambda: self.sink(list(events), conversation))

    def stop(self) -> None:
        self.stopped = True


@dataclass(slots=True)
class FakeBackend:
    """`info` None means that the session is still opening; an exception that it cannot be opened.

    A function of `troly.tui.operations` is answered by the method of its name, else by `results`; each is noted in
    `calls` with its arguments. `refusal` is what writing and asking raise.
    """

    deliver: Deliver
    info: SessionInfo | Exception | None = field(default_factory=lambda: SessionInfo(MODES, "an@sstc"))
    health: HealthView = field(default_factory=lambda: HealthView(known=True, up=True, model="gpt-oss"))
    # What every assistant has; None for what each of them has here.
    held: DataStatusView | None = None
    listed: list[ConversationView] = field(default_factory=list)
    saved: dict[str, tuple[str, list[MessageView]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    prepared: list[str] = field(default_factory=list)
    sample_loads: dict[str, Callable[[], object]] = field(default_factory=dict)
    greeted: int = 0
    hits: list[HitView] = field(default_factory=list)
    searched: list[str] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    mentioned: list[tuple[str, str]] = field(default_factory=list)
    spoken: list[Lang] = field(default_factory=list)
    typed_before: InputHistory = field(default_factory=InputHistory)
    kept_messages: list[str] = field(default_factory=list)
    kept_drafts: dict[str, Draft | None] = field(default_factory=dict)
    refusal: Exception | None = None
    exported: list[Table] = field(default_factory=list)
    older_pages: dict[str, list[MessageView]] = field(default_factory=dict)
    kept: list[tuple[str, str]] = field(default_factory=list)
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    jobs: list[tuple[Job, Callable[[Any], Any]]] = field(default_factory=list)
    runner: Callable[[Job, Callable[[Any], None]], Callable[[], None]] | None = None
    cancelled: list[Job] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    # What colleagues wrote and nobody has fetched yet, by conversation; how many others wait for a person.
    staff_words: dict[str, list[MessageView]] = field(default_factory=dict)
    waiting: int = 0
    closed: bool = False
    ready: Callable[[SessionInfo | Exception], None] | None = None
    seen: Callable[[HealthView], None] | None = None

    def start(self, ready: Callable[[SessionInfo | Exception], None]) -> None:
        self.ready = ready
        if self.info is not None:
            self.open(self.info)

    def open(self, info: SessionInfo | Exception) -> None:
        """The session is open now, or failed."""
        ready = self.ready
        assert ready is not None
        self.deliver(lambda: ready(info))

    def look(self, health: HealthView) -> None:
        """Ollama was looked at."""
        seen = self.seen
        assert seen is not None
        self.deliver(lambda: seen(health))

    def watch_health(
        self, mode: Callable[[], str], language: Callable[[], Lang], sink: Callable[[HealthView], None]
    ) -> None:
        self.seen = sink
        self.look(self.health)

    def stream(self, question: ChatQuestion, sink: Callable[[list[Event], str], None]) -> Callable[[], None]:
        self.asked.append(Asked(question, sink, self.deliver))
        return self.asked[-1].stop

    def run(self, job: Job, sink: Callable[[Any], None]) -> Callable[[], None]:
        if self.runner is not None:
            return self.runner(job, sink)
        self.jobs.append((job, lambda news: self.deliver(lambda: sink(news))))
        return lambda: self.cancelled.append(job)

    def load_samples(self, mode: str, language: Lang, done: Callable[[object], None]) -> None:
        self.sample_loads[mode] = lambda: self.deliver(lambda: done(None))

    def call(
        self, function: Callable[..., Any], done: Callable[[Any], None], *args: Any, **_more: Any
    ) -> None:
        name = function.__name__
        # The clock asks for news of colleagues; who looks at the last call does not mean that.
        if name != "look_at_handovers":
            self.calls.append((name, args))
        known = getattr(self, name, None)
        found = known(*args) if known is not None else self.refusal or self.results.get(name)
        self.deliver(lambda: done(found))

    def called(self, *names: str) -> list[tuple[str, tuple[Any, ...]]]:
        """The calls of these functions."""
        return [one for one in self.calls if one[0] in names]

    def close(self, last: Callable[[Any], object] | None = None) -> None:
        self.closed = True

    # The operations, by name.

    def warm_up(self, mode: str) -> None:
        self.prepared.append(mode)

    def mark_welcomed(self) -> None:
        self.greeted += 1

    def list_conversations(self) -> list[ConversationView]:
        return list(self.listed)

    def load_conversation(self, conversation: str) -> tuple[str, list[MessageView]] | Exception:
        return self.saved.get(conversation) or KeyError(conversation)

    def look_at_handovers(self, shown: Mapping[str, str]) -> StaffNews:
        words, self.staff_words = self.staff_words, {}
        return StaffNews({one: (words.get(one, []), True) for one in shown}, self.waiting)

    def load_older(self, conversation: str, before: str, limit: int) -> list[MessageView] | Exception:
        return self.refusal or self.older_pages.pop(before, [])

    def save_text(self, text: str, name: str) -> str | Exception:
        self.kept.append((text, name))
        return self.refusal or "exports/message.md"

    def save_table(self, table: Table, form: str = "csv") -> str:
        self.exported.append(table)
        return "exports/table.csv"

    def read_data_status(self, mode: str, language: Lang) -> DataStatusView:
        return self.held or DataStatusView(HELD[mode][LANGS.index(language)], enough=True)

    def search_messages(self, text: str) -> list[HitView] | Exception:
        self.searched.append(text)
        return self.refusal or list(self.hits)

    def find_mentions(
        self, mode: str, prefix: str, limit: int, language: Lang
    ) -> list[tuple[str, str]] | Exception:
        self.mentioned.append((mode, prefix))
        self.spoken.append(language)
        wanted = fold(prefix)
        fitting = [one for one in self.names if wanted in fold(one[0])]
        return self.refusal or fitting[:limit]

    def load_input_history(self) -> InputHistory:
        return self.typed_before

    def save_input(self, message: str, drafts: Mapping[str, Draft | None]) -> None:
        self.kept_messages += [message] if message else []
        self.kept_drafts |= drafts
