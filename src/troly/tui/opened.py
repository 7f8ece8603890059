"""The opened services as the screen's thread uses them: turns, lists, health; imported after the first paint only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from troly.conversation.export import write_new_file
from troly.conversation.input_history import Draft, InputHistory, InputHistoryStore
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import ConfigError, TrolyError
from troly.plugin.events import Event, Table
from troly.text.catalogue import LANGS
from troly.text.csv_text import csv_text
from troly.text.fold import nfc
from troly.text.language import detect_score, switch_request
from troly.text.sanitize import sanitize
from troly.tui.chat.empty import is_new, keep_welcomed
from troly.tui.chat.history import page_of
from troly.tui.chat.view import (
    ConversationView,
    HealthView,
    HitView,
    HoldingsView,
    MessageView,
    ModeView,
    TalkView,
    Trouble,
)
from troly.tui.memory import give_back
from troly.tui.port import Alteration, Arrival, Question

if TYPE_CHECKING:
    from troly.config import Profile
    from troly.conversation.session import Session
    from troly.plugin.ingest_arguments import Kind
    from troly.plugin.registry import Registry
    from troly.plugin.sample_loading import SampleLoader
    from troly.plugin.services import Services
    from troly.text.catalogue import Lang

LISTED = 200
HITS = 40
MESSAGES = 200
TITLE = 60
# A look at Ollama that is older than this many seconds is done again, so that its going and coming back is soon seen.
FRESH = 1.0
PAINTED_WITH = ("troly.tui.chat.turns", "troly.tui.render.message", "troly.tui.render.ledger")
PLAIN_ACCENT = "#8a8a8a"


@dataclass(slots=True)
class OpenedHouse:
    """Services, modes and the person who asks."""

    session: Session
    first_mode: str = ""
    stocker: SampleLoader | None = None

    @property
    def services(self) -> Services:
        """Those of the session."""
        return self.session.services

    @property
    def registry(self) -> Registry:
        """That of the session."""
        return self.session.registry

    @property
    def profile(self) -> Profile:
        """That of the session."""
        return self.session.profile

    def arrival(self) -> Arrival:
        """Modes, user and what was found at opening."""
        aside = tuple(str(item.original) for item in self.services.set_aside)
        modes = tuple(self._mode(name) for name in self.registry.names)
        who = " · ".join(part for part in (self.profile.login, self.profile.role) if part)
        lacking: frozenset[str] = self.stocker.lacking() if self.stocker else frozenset()
        return Arrival(modes, who, aside, is_new(self.services.paths.data), lacking, cache(self._kinds))

    def stock(self, mode: str, language: Lang) -> None:
        """Load the samples of a mode that never had them; blocking until they are there, or cannot be."""
        if self.stocker is not None:
            self.stocker.stock(mode, language)

    def _kinds(self) -> Sequence[Kind]:
        from troly.plugin.ingest_arguments import kinds

        return kinds(self.registry)

    def welcomed(self) -> None:
        """Keep that the welcome was seen. Raises OSError."""
        keep_welcomed(self.services.paths.data)

    def _mode(self, name: str) -> ModeView:
        try:
            mode = self.registry.get(name)
        except ConfigError as error:
            both: Mapping[Lang, str] = dict.fromkeys(LANGS, name)
            reason = str(error.params.get("reason", ""))
            return ModeView(
                name, both, dict.fromkeys(LANGS, ""), PLAIN_ACCENT, {}, ready=False, broken=reason or name
            )
        return ModeView(
            name,
            mode.names,
            mode.summaries,
            mode.accent,
            mode.first_questions,
            ready=True,
            icon=mode.icon,
            talk=tuple(TalkView(one.name, one.help, one.argument) for one in mode.talk),
            person=mode.person,
        )

    def preload_first(self) -> None:
        """Import what the first answer needs, so that it is no slower than the second."""
        self.prepare(self.registry.first(self.first_mode))

    def prepare(self, name: str) -> None:
        """The same for a mode that is shown now: the others cost memory (DuckDB alone 25 MB) and may not be used."""
        # A mode that cannot be built says so when it is asked.
        with suppress(Exception):
            # The first message is painted with these.
            for module in PAINTED_WITH:
                import_module(module)
            import_module("troly.tui.render.markdown").parser()
            self.registry.graph(name)
            import_module("troly.llm.session")
            # The words of the languages, which every turn looks for.
            switch_request("")
            detect_score("")
            self.registry.get(name).warm()
        give_back()

    async def answer(
        self,
        question: Question,
        put: Callable[[Event, str], None],
        stopper: Callable[[Callable[[], None]], object],
    ) -> None:
        """Run one turn; `stopper` is given what stops it."""
        request = TurnRequest(question.mode, question.text, question.conversation)
        turn = run_turn(self.session, request)
        stopper(turn.cancel)
        try:
            async for event in turn.events():
                put(event, turn.conversation_id)
        finally:
            give_back()

    def conversations(self) -> list[ConversationView]:
        """The user's newest conversations."""
        found = self.services.conversations.list(self.profile.login, limit=LISTED)
        return [ConversationView(c.id, c.mode, c.title, c.updated_at, c.pinned) for c in found]

    def alter(self, change: Alteration) -> None:
        """Change one conversation of the user as a whole. Raises AccessError, StoreError."""
        store, login = self.services.conversations, self.profile.login
        match change.kind:
            case "rename":
                store.update(login, change.conversation, title=change.value)
            case "pin" | "unpin":
                store.update(login, change.conversation, pinned=change.kind == "pin")
            case "delete":
                store.delete(login, change.conversation)
            case "restore":
                store.restore(login, change.conversation)

    def search(self, text: str) -> list[HitView]:
        """Messages of the user that hold all words of `text`, best first."""
        hits = self.services.conversations.search(self.profile.login, text, limit=HITS)
        return [HitView(h.conversation_id, h.mode, h.title, h.created_at, h.snippet, h.spans) for h in hits]

    def load(self, conversation: str) -> tuple[str, list[MessageView]]:
        """Mode and newest messages of a conversation."""
        store, login = self.services.conversations, self.profile.login
        found = store.get(login, conversation)
        return found.mode, page_of(store, login, conversation, MESSAGES, zone=self._zone)

    def older(self, conversation: str, before: str, limit: int) -> list[MessageView]:
        """A page of messages before the saved message `before`; empty at the beginning of the conversation."""
        store, login = self.services.conversations, self.profile.login
        return page_of(store, login, conversation, limit, zone=self._zone, before=before)

    @property
    def _zone(self) -> tzinfo | None:
        return self.services.clock().tzinfo

    def keep(self, text: str, name: str) -> str:
        """Save `text` as a Markdown file of its own; returns where. Raises OSError."""
        return str(
            write_new_file(self.services.paths.exports, self.services.clock(), name or "message", "md", text)
        )

    def holdings(self, mode: str, language: Lang) -> HoldingsView | None:
        """What data a mode has."""
        held = self.registry.get(mode).data_status(self.services, language)
        return HoldingsView(held.line, held.enough, held.command) if held else None

    def mentions(self, mode: str, prefix: str, limit: int, language: Lang) -> list[tuple[str, str]]:
        """Names of a mode's own things with hints, as they may be shown. Raises StoreError."""
        speaks = replace(self.profile, language=language)
        found = self.registry.get(mode).mentions(self.services, speaks, nfc(prefix), limit)
        clean = partial(sanitize, keep_newlines=False)
        return [(clean(name), clean(hint)) for name, hint in found[:limit]]

    def typed(self) -> InputHistory:
        """What the person typed in earlier sessions. Raises OSError."""
        return self._typed().load()

    def keep_typed(self, message: str, drafts: Mapping[str, Draft | None]) -> None:
        """Keep a sent message and changed drafts. Raises OSError."""
        if message:
            self._typed().add(message)
        if drafts:
            self._typed().keep(drafts)

    def _typed(self) -> InputHistoryStore:
        return InputHistoryStore(self.services.paths.history, self.profile.login)

    def export(self, table: Table) -> str:
        """Write `table` as a CSV file named after its title and the moment; returns where. Raises OSError."""
        text = csv_text(table.columns, table.rows)
        name = table.title or "table"
        return str(write_new_file(self.services.paths.exports, self.services.clock(), name, "csv", text))

    async def health(self, mode: str, language: Lang) -> HealthView:
        """Whether Ollama answers, and which model would for `mode`."""
        health = await self.services.llm.health(max_age=FRESH)
        if not health.up:
            trouble = _trouble(health.error, language) if health.error else None
            return HealthView(known=True, trouble=trouble)
        wanted = self.services.settings.models.for_mode(mode, "chat")
        try:
            resolved = await self.services.llm.resolve(wanted)
        except TrolyError as error:
            return HealthView(known=True, trouble=_trouble(error, language))
        return HealthView(known=True, up=True, model=resolved.name)

    async def close(self) -> None:
        """Close the client on its own loop, then the stores."""
        if self.stocker is not None:
            self.stocker.close()
        await self.services.llm.aclose()
        self.services.close()


def _trouble(error: TrolyError, language: Lang) -> Trouble:
    text = error.render(language)
    return Trouble(text.title, text.message, text.remedy)
