"""A house without services for tests of the screen: it arrives when told, and says what the test makes it say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.modes.made import BUILT_IN
from troly.conversation.input_history import Draft, InputHistory
from troly.conversation.jobs import Job
from troly.plugin.events import Event, Table
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS, Lang
from troly.text.fold import fold
from troly.tui.chat.view import ConversationView, HealthView, HitView, HoldingsView, MessageView, ModeView
from troly.tui.errands import Errand
from troly.tui.port import Alteration, Arrival, Deliver, Question


def _installed() -> tuple[ModeView, ...]:
    """The assistants as they present themselves."""
    return tuple(
        ModeView(mode.id, mode.names, mode.summaries, mode.accent, mode.first_questions, icon=mode.icon)
        for mode in map(Registry().get, BUILT_IN)
    )


MODES = _installed()
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


@dataclass(slots=True)
class Asked:
    """A question that the screen put, and the way to answer it."""

    question: Question
    sink: Callable[[list[Event], str], None]
    deliver: Deliver
    stopped: bool = False

    def say(self, *events: Event, conversation: str = "c1") -> None:
        """Let the house say `events`."""
        self.deliver(lambda: self.sink(list(events), conversation))

    def stop(self) -> None:
        self.stopped = True


@dataclass(slots=True)
class FakeHouse:
    """`arrival` None means that it is still opening; an exception that it cannot be opened."""

    deliver: Deliver
    arrival: Arrival | Exception | None = field(default_factory=lambda: Arrival(MODES, "an@sstc"))
    health: HealthView = field(default_factory=lambda: HealthView(known=True, up=True, model="gpt-oss"))
    # What every assistant has; None for what each of them has here.
    held: HoldingsView | None = None
    listed: list[ConversationView] = field(default_factory=list)
    saved: dict[str, tuple[str, list[MessageView]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    prepared: list[str] = field(default_factory=list)
    stocked: dict[str, Callable[[], object]] = field(default_factory=dict)
    greeted: int = 0
    altered: list[Alteration] = field(default_factory=list)
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
    errands: list[Errand] = field(default_factory=list)
    jobs: list[tuple[Job, Callable[[Any], Any]]] = field(default_factory=list)
    runner: Callable[[Job, Callable[[Any], None]], Callable[[], None]] | None = None
    cancelled: list[Job] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    closed: bool = False
    done: Callable[[Arrival | Exception], None] | None = None
    seen: Callable[[HealthView], None] | None = None

    def start(self, done: Callable[[Arrival | Exception], None]) -> None:
        self.done = done
        if self.arrival is not None:
            self.arrive(self.arrival)

    def arrive(self, arrival: Arrival | Exception) -> None:
        """The services are open now, or failed."""
        done = self.done
        assert done is not None
        self.deliver(lambda: done(arrival))

    def look(self, health: HealthView) -> None:
        """Ollama was looked at."""
        seen = self.seen
        assert seen is not None
        self.deliver(lambda: seen(health))

    def watch(
        self, mode: Callable[[], str], language: Callable[[], Lang], seen: Callable[[HealthView], None]
    ) -> None:
        self.seen = seen
        self.look(self.health)

    def ask(self, question: Question, sink: Callable[[list[Event], str], None]) -> Callable[[], None]:
        self.asked.append(Asked(question, sink, self.deliver))
        return self.asked[-1].stop

    def prepare(self, mode: str) -> None:
        self.prepared.append(mode)

    def stock(self, mode: str, language: Lang, done: Callable[[Exception | None], None]) -> None:
        self.stocked[mode] = lambda: self.deliver(lambda: done(None))

    def errand(self, errand: Errand, done: Callable[[Any], None]) -> None:
        self.errands.append(errand)
        found = self.refusal or self.results.get(type(errand).__name__)
        self.deliver(lambda: done(found))

    def job(self, job: Job, heard: Callable[[Any], None]) -> Callable[[], None]:
        if self.runner is not None:
            return self.runner(job, heard)
        self.jobs.append((job, lambda news: self.deliver(lambda: heard(news))))
        return lambda: self.cancelled.append(job)

    def welcomed(self) -> None:
        self.greeted += 1

    def conversations(self, done: Callable[[list[ConversationView] | Exception], None]) -> None:
        self.deliver(lambda: done(list(self.listed)))

    def load(
        self, conversation: str, done: Callable[[tuple[str, list[MessageView]] | Exception], None]
    ) -> None:
        found = self.saved.get(conversation)
        self.deliver(lambda: done(found if found is not None else KeyError(conversation)))

    def older(
        self,
        conversation: str,
        before: str,
        limit: int,
        done: Callable[[list[MessageView] | Exception], None],
    ) -> None:
        found = self.refusal or self.older_pages.pop(before, [])
        self.deliver(lambda: done(found))

    def keep(self, text: str, name: str, done: Callable[[str | Exception], None]) -> None:
        self.kept.append((text, name))
        self.deliver(lambda: done(self.refusal or "exports/message.md"))

    def holdings(
        self, mode: str, language: Lang, done: Callable[[HoldingsView | Exception | None], None]
    ) -> None:
        usual = HoldingsView(HELD[mode][LANGS.index(language)], enough=True)
        self.deliver(lambda: done(self.held or usual))

    def alter(self, change: Alteration, done: Callable[[Exception | None], None]) -> None:
        self.altered.append(change)
        self.deliver(lambda: done(self.refusal))

    def search(self, text: str, done: Callable[[list[HitView] | Exception], None]) -> None:
        self.searched.append(text)
        self.deliver(lambda: done(self.refusal or list(self.hits)))

    def mentions(
        self,
        mode: str,
        prefix: str,
        limit: int,
        language: Lang,
        done: Callable[[list[tuple[str, str]] | Exception], None],
    ) -> None:
        self.mentioned.append((mode, prefix))
        self.spoken.append(language)
        wanted = fold(prefix)
        fitting = [one for one in self.names if wanted in fold(one[0])]
        self.deliver(lambda: done(self.refusal or fitting[:limit]))

    def typed(self, done: Callable[[InputHistory | Exception], None]) -> None:
        self.deliver(lambda: done(self.typed_before))

    def keep_typed(self, message: str, drafts: Mapping[str, Draft | None]) -> None:
        self.kept_messages += [message] if message else []
        self.kept_drafts |= drafts

    def keep_last(self, drafts: Mapping[str, Draft | None]) -> None:
        self.kept_drafts |= drafts

    def export(self, table: Table, done: Callable[[str | Exception], None]) -> None:
        self.exported.append(table)
        self.deliver(lambda: done("exports/table.csv"))

    def close(self, patience: float = 0.0) -> None:
        self.closed = True
