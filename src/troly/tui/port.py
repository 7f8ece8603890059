"""What the screen asks of the services and what it learns from them; `House` keeps it, tests have their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from troly.text.catalogue import Lang
from troly.tui.chat.view import ConversationView, HealthView, HitView, HoldingsView, MessageView, ModeView

if TYPE_CHECKING:
    from troly.conversation.input_history import Draft, InputHistory
    from troly.conversation.jobs import Job
    from troly.plugin.events import Event, Table
    from troly.plugin.ingest_arguments import Kind
    from troly.tui.errands import Errand

Deliver = Callable[[Callable[[], None]], object]
Sink: TypeAlias = "Callable[[list[Event], str], None]"


class Question(NamedTuple):
    """One message to answer, as the screen asks it; `language` is that of the interface, for troubles before the turn."""

    mode: str
    text: str
    conversation: str | None
    language: Lang


class Alteration(NamedTuple):
    """A change of one conversation as a whole; `value` is the new title of a renamed one."""

    kind: Literal["rename", "pin", "unpin", "delete", "restore"]
    conversation: str
    value: str = ""


class Arrival(NamedTuple):
    """What the screen learns when the house is open.

    `lacking` are modes whose samples must be loaded first; `kinds` gives what can be loaded.
    """

    modes: tuple[ModeView, ...]
    user: str
    notices: tuple[str, ...] = ()
    new_here: bool = False
    lacking: frozenset[str] = frozenset()
    kinds: Callable[[], Sequence[Kind]] = tuple


class HouseLike(Protocol):
    """What the controller asks of the services; see `House`."""

    def start(self, done: Callable[[Arrival | Exception], None]) -> None: ...
    def watch(
        self, mode: Callable[[], str], language: Callable[[], Lang], seen: Callable[[HealthView], None]
    ) -> None: ...
    def errand(self, errand: Errand, done: Callable[[Any], None]) -> None: ...
    def job(self, job: Job, heard: Callable[[Any], None]) -> Callable[[], None]: ...
    def close(self, patience: float = ...) -> None: ...
    def ask(self, question: Question, sink: Callable[[list[Event], str], None]) -> Callable[[], None]: ...
    def prepare(self, mode: str) -> None: ...
    def stock(self, mode: str, language: Lang, done: Callable[[Exception | None], None]) -> None: ...
    def welcomed(self) -> None: ...
    def conversations(self, done: Callable[[list[ConversationView] | Exception], None]) -> None: ...
    def load(
        self, conversation: str, done: Callable[[tuple[str, list[MessageView]] | Exception], None]
    ) -> None: ...
    def older(
        self,
        conversation: str,
        before: str,
        limit: int,
        done: Callable[[list[MessageView] | Exception], None],
    ) -> None: ...
    def keep(self, text: str, name: str, done: Callable[[str | Exception], None]) -> None: ...
    def alter(self, change: Alteration, done: Callable[[Exception | None], None]) -> None: ...
    def search(self, text: str, done: Callable[[list[HitView] | Exception], None]) -> None: ...
    def holdings(
        self, mode: str, language: Lang, done: Callable[[HoldingsView | Exception | None], None]
    ) -> None: ...
    def mentions(
        self,
        mode: str,
        prefix: str,
        limit: int,
        language: Lang,
        done: Callable[[list[tuple[str, str]] | Exception], None],
    ) -> None: ...
    def typed(self, done: Callable[[InputHistory | Exception], None]) -> None: ...
    def keep_typed(self, message: str, drafts: Mapping[str, Draft | None]) -> None: ...
    def keep_last(self, drafts: Mapping[str, Draft | None]) -> None: ...
    def export(self, table: Table, done: Callable[[str | Exception], None]) -> None: ...
