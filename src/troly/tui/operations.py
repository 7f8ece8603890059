"""What the screen asks of an opened session, each as a function that blocks and runs on the backend's threads.

All raise what the stores raise (AccessError, StoreError), those that write a file also OSError.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from troly.errors import ConfigError, InputError, TrolyError
from troly.text.catalogue import LANGS, Lang, tr
from troly.tui.chat.view import (
    BranchView,
    ConversationView,
    DataStatusView,
    HealthView,
    HitView,
    MemoryView,
    MessageView,
    ModeCommandView,
    ModelsView,
    ModelView,
    ModeView,
    QueryNames,
    SessionInfo,
    SettingView,
    StaffNews,
    Tabs,
    TurnEvidence,
    WaitingView,
    WrongReport,
    restored_tabs,
    trouble_from,
)

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from troly.config.settings import Settings
    from troly.conversation.input_history import Draft, InputHistory, InputHistoryStore, Queries
    from troly.conversation.jobs import MissingModel
    from troly.conversation.session import Session
    from troly.llm.types import ModelInfo
    from troly.plugin.contract import CommandRequest, QueryEditor
    from troly.plugin.events import Table
    from troly.tui.dialogs.choose import Choice

LISTED = 200
HITS = 40
MESSAGES = 200
# So many of the last messages of a conversation are shown to who answers in it.
LAST_SAID = 40
# A look at Ollama that is older than this many seconds is done again, so that its going and coming back is soon seen.
FRESH = 1.0
PLAIN_ACCENT = "#8a8a8a"
MODEL_ROLES = ("chat", "small", "guard", "embed")
WELCOMED = "welcomed"
# Where a conversation keeps the model that was chosen for it.
MODEL = "model"
# Where it keeps which conversation and turn it was branched from.
BRANCHED = "branched"


# The session as a whole.


def describe_session(session: Session, missing_samples: frozenset[str] = frozenset()) -> SessionInfo:
    """Modes, user and what was found at opening; `missing_samples` are modes whose samples must be loaded first."""
    from troly.plugin.ingest_arguments import kinds

    services, registry, profile = session.services, session.registry, session.profile
    return SessionInfo(
        modes=tuple(_mode_view(session, name) for name in registry.names),
        user=" · ".join(part for part in (profile.login, profile.role) if part),
        notices=tuple(str(item.original) for item in services.set_aside),
        new_here=not (services.paths.data / WELCOMED).exists(),
        missing_samples=missing_samples,
        kinds=cache(lambda: kinds(registry)),
        problem=session.problem,
        tabs=_tabs(session),
        zone=session.zone,
        answers_customers=profile.answers_customers,
    )


def _tabs(session: Session) -> Tabs | None:
    """The conversations that were open when the screen was left; deleted ones and other people's are left out."""
    kept, titles = _input_store(session).load_screen(), {}
    with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError):
        for one in kept["panes"]:
            with suppress(TrolyError):
                found = session.services.conversations.get(session.profile.login, str(one["conversation"]))
                titles[found.id] = found.title
        return restored_tabs(kept, titles, session.registry.names)
    return None


def save_screen(session: Session, kept: Mapping[str, Any]) -> None:
    """Keep what `Tabs.kept` gives for the next start."""
    _input_store(session).keep_screen(kept)


def _mode_view(session: Session, name: str) -> ModeView:
    from troly.conversation.greeting import opening_of

    try:
        mode = session.registry.get(name)
    except ConfigError as error:
        both = dict.fromkeys(LANGS, name)
        reason = str(error.params.get("reason", ""))
        none = dict.fromkeys(LANGS, "")
        return ModeView(name, both, none, PLAIN_ACCENT, {}, ready=False, broken=reason or name)
    return ModeView(
        name,
        mode.names,
        mode.summaries,
        mode.accent,
        mode.first_questions,
        icon=mode.icon,
        talk=tuple(ModeCommandView(one.name, one.help, one.argument) for one in mode.talk),
        person=mode.person,
        roles=mode.roles,
        queries=mode.queries.language if mode.queries else "",
        greetings={
            lang: said.text
            for lang in LANGS
            if (said := opening_of(session.services, mode, lang)) is not None
        },
    )


def warm_up(session: Session, mode: str) -> None:
    """Import what answers of `mode` need, so that the first is no slower than the second.

    Only for a mode that is shown: the others cost memory (DuckDB alone 25 MB) and may not be used.
    """
    from troly.text.language import detect_score, switch_request

    # A mode that cannot be built says so when it is asked.
    with suppress(Exception):
        session.registry.graph(mode)
        import troly.llm.session  # noqa: F401 (each turn needs it)

        # The words of the languages, which every turn looks for.
        switch_request("")
        detect_score("")
        session.registry.get(mode).warm()


def mark_welcomed(session: Session) -> None:
    """The person put a first question: the welcome is not shown again."""
    (session.services.paths.data / WELCOMED).touch(mode=0o600)


def save_appearance(session: Session, theme: str | None, language: str | None) -> Path:
    """Remember a theme or a language that was chosen on the screen (None: as it is); returns the file."""
    from troly.tui.startup import write_appearance

    return write_appearance(session.services.paths, session.services.settings, theme, language)


async def check_health(session: Session, mode: str, language: Lang) -> HealthView:
    """Whether Ollama answers, and which model would for `mode`; runs on the backend's loop."""
    health = await session.services.llm.health(max_age=FRESH)
    if not health.up:
        trouble = trouble_from(health.error, language) if health.error else None
        return HealthView(known=True, trouble=trouble)
    wanted = session.services.settings.models.for_mode(mode, "chat")
    try:
        resolved = await session.services.llm.resolve(wanted)
    except TrolyError as error:
        return HealthView(known=True, trouble=trouble_from(error, language))
    return HealthView(known=True, up=True, model=resolved.name)


# Conversations.


def list_conversations(session: Session) -> list[ConversationView]:
    found = session.services.conversations.list(session.profile.login, limit=LISTED)
    return [ConversationView(c.id, c.mode, c.title, c.updated_at, c.pinned) for c in found]


def load_conversation(session: Session, conversation: str) -> tuple[str, list[MessageView]]:
    from troly.tui.chat.history import message_page

    found = session.services.conversations.get(session.profile.login, conversation)
    return found.mode, message_page(session, conversation, MESSAGES)


def chosen_model(session: Session, conversation: str) -> str:
    """The model that was chosen for a conversation; "" for that of its assistant."""
    found = session.services.conversations.get(session.profile.login, conversation)
    return str(found.metadata.get(MODEL) or "")


def load_older(session: Session, conversation: str, before: str, limit: int) -> list[MessageView]:
    """A page of messages before the saved message `before`; empty at the beginning of the conversation."""
    from troly.tui.chat.history import message_page

    return message_page(session, conversation, limit, before=before)


def search_messages(session: Session, text: str) -> list[HitView]:
    """Messages of the user that hold all words of `text`, best first."""
    hits = session.services.conversations.search(session.profile.login, text, limit=HITS)
    return [
        HitView(h.conversation_id, h.mode, h.title, h.created_at, h.snippet, h.spans, h.sender) for h in hits
    ]


def branch_conversation(
    session: Session, conversation: str, turn: str, title: str, *, after: bool, model: str = ""
) -> BranchView:
    """A new conversation with what was said before a turn, and in it where it goes on `after` it; `model` answers there."""
    store, login = session.services.conversations, session.profile.login
    before = store.get(login, conversation)
    chosen = model or str(before.metadata.get(MODEL) or "")
    metadata = {BRANCHED: {"conversation": conversation, "turn": turn}, MODEL: chosen}
    named = title.replace("{title}", before.title)
    made = store.branch(login, conversation, turn, after=after, title=named, metadata=metadata)
    carried = session.registry.get(made.mode).branched if made.mode in session.registry.names else None
    if carried is not None:
        kept = carried(session.services, session.profile, conversation, made.id)
        store.update(login, made.id, metadata={**metadata, **kept})
    return BranchView(made.id, made.mode, made.title, turn)


def branch_origin(session: Session, conversation: str) -> BranchView | None:
    """Where a conversation was branched from; None where it was not."""
    store, login = session.services.conversations, session.profile.login
    found = store.get(login, conversation).metadata.get(BRANCHED)
    if not isinstance(found, dict):
        return None
    origin = store.get(login, str(found.get("conversation")))
    return BranchView(origin.id, origin.mode, origin.title, str(found.get("turn")))


def look_at_handovers(session: Session, shown: Mapping[str, str]) -> StaffNews:
    """What colleagues wrote in the conversations `shown`, each behind the message that is known, and how many others wait."""
    from troly.stores.handovers import Handovers
    from troly.tui.chat.history import message_views

    store, profile = Handovers(session.services.conversations), session.profile
    words = {}
    for conversation, after in shown.items():
        said, waits = store.words(profile.login, conversation, after)
        words[conversation] = (message_views(said, (), session.zone), waits)
    waiting = store.list(profile.login, staff=True) if profile.answers_customers else []
    return StaffNews(words, sum(one.taken_by is None for one in waiting))


def read_waiting(session: Session) -> list[WaitingView]:
    """The conversations that wait for a person, those that wait longest first, as far as the person may see them."""
    from troly.stores.handovers import Handovers
    from troly.tui.chat.history import message_views

    conversations, profile = session.services.conversations, session.profile
    found = Handovers(conversations).list(profile.login, staff=profile.answers_customers)
    return [
        WaitingView(
            one.id,
            one.customer,
            one.mode,
            one.reason,
            one.created_at.astimezone(session.zone),
            one.taken_by or "",
            tuple(
                message_views(
                    conversations.messages(one.customer, one.conversation, limit=LAST_SAID), (), session.zone
                )
            ),
        )
        for one in found[:LISTED]
    ]


def answer_customer(session: Session, handover: str, text: str) -> None:
    """Write to a customer who waits for a person; who does so has taken the conversation."""
    from troly.stores.handovers import Handovers
    from troly.text.sanitize import sanitize

    profile = session.profile
    store = Handovers(session.services.conversations)
    store.answer(handover, profile.login, sanitize(text), staff=profile.answers_customers, name=profile.name)


def close_handover(session: Session, handover: str) -> None:
    """A customer needs no person any more."""
    from troly.stores.handovers import Handovers

    profile = session.profile
    Handovers(session.services.conversations).close(handover, profile.login, staff=profile.answers_customers)


def rename_conversation(session: Session, conversation: str, title: str) -> None:
    session.services.conversations.update(session.profile.login, conversation, title=title)


def pin_conversation(session: Session, conversation: str, pinned: bool) -> None:
    session.services.conversations.update(session.profile.login, conversation, pinned=pinned)


def delete_conversation(session: Session, conversation: str) -> None:
    session.services.conversations.delete(session.profile.login, conversation)


def restore_conversation(session: Session, conversation: str) -> None:
    session.services.conversations.restore(session.profile.login, conversation)


# One answer.


def read_evidence(session: Session, turn: str) -> TurnEvidence:
    store, login = session.services.conversations, session.profile.login
    saved = store.turn(login, turn)
    return TurnEvidence(saved.id, store.recording(login, saved.id), saved.source or "", saved.calls)


def mark_wrong(session: Session, turn: str, mark: WrongReport) -> str:
    """Mark the answer of a turn as wrong; returns the file of its evaluation case."""
    from troly.conversation.wrong_answers import mark_wrong as write_mark

    login = session.profile.login
    marked = write_mark(session.services, session.registry, login, turn, mark.reason, note=mark.note)
    return str(marked.file)


def take_back_mark(session: Session, turn: str) -> bool:
    """The answer of a turn was right after all; returns whether it was marked."""
    from troly.conversation.wrong_answers import unmark_wrong

    return unmark_wrong(session.services, session.profile.login, turn)


# Files for the user: each new, in the folder for exports; the path is returned.


def save_text(session: Session, text: str, name: str) -> str:
    return _write(session, name or "message", "md", text)


def save_table(session: Session, table: Table, form: Literal["csv", "xlsx"] = "csv") -> str:
    """Write a table as CSV or as an Excel sheet, named after its title."""
    from troly.text.csv_text import csv_text

    title = table.title or "table"
    if form == "csv":
        return _write(session, title, "csv", csv_text(table.columns, table.rows))
    from troly.tables.excel import sheet_bytes

    return _write(session, title, "xlsx", sheet_bytes(table.columns, table.rows, table.numeric))


def save_conversation(session: Session, conversation: str, form: str, language: Lang) -> str:
    """Write a whole conversation as `form` (`md`, `json`, `csv`)."""
    from troly.conversation.export import render_conversation

    whole = session.services.conversations.export(session.profile.login, conversation)
    text = render_conversation(whole, form, language, session.zone)
    return _write(session, whole.conversation.title, form, text)


def _write(session: Session, name: str, form: str, text: str | bytes) -> str:
    from troly.conversation.export import write_new_file

    services = session.services
    return str(write_new_file(services.paths.exports, services.clock(), name, form, text))


# What is typed.


def load_input_history(session: Session) -> InputHistory:
    return _input_store(session).load()


def save_input(session: Session, message: str, drafts: Mapping[str, Draft | None]) -> None:
    """Keep a message that was sent ("" for none) and changed drafts."""
    if message:
        _input_store(session).add(message)
    if drafts:
        _input_store(session).keep(drafts)


def _input_store(session: Session) -> InputHistoryStore:
    from troly.conversation.input_history import InputHistoryStore

    return InputHistoryStore(session.services.paths.history, session.profile.login)


def find_mentions(
    session: Session, mode: str, prefix: str, limit: int, language: Lang
) -> list[tuple[str, str]]:
    """Names of a mode's own things that begin like `prefix`, each with a hint, as they may be shown."""
    from troly.text.fold import nfc
    from troly.text.sanitize import sanitize

    profile = replace(session.profile, language=language)
    found = session.registry.get(mode).mentions(session.services, profile, nfc(prefix), limit)
    clean = partial(sanitize, keep_newlines=False)
    return [(clean(name), clean(hint)) for name, hint in found[:limit]]


def complete_path(_session: Session, typed: str, language: Lang) -> Sequence[Choice]:
    """What a path that is being typed may become."""
    from troly.tui.dialogs.choose import MOST, path_choices

    return path_choices(tr("ui.work.folder", language))(typed)[:MOST]


# Data and models.


def read_data_status(session: Session, mode: str, language: Lang) -> DataStatusView | None:
    held = session.registry.get(mode).data_status(session.services, language)
    return DataStatusView(held.line, held.enough, held.command) if held else None


def samples_loaded(session: Session, mode: str) -> bool:
    """Whether a mode answers from sample data."""
    samples = session.registry.get(mode).samples
    return samples is not None and samples.loaded(session.services)


def missing_models(session: Session) -> list[MissingModel]:
    """Models that the settings name and that the server did not have when it was last looked at."""
    from troly.conversation.jobs import MissingModel
    from troly.llm import models

    health = session.services.llm.last_health
    return [
        MissingModel(
            name, {lang: tr("ui.work.missing", lang, name=name, roles=", ".join(roles)) for lang in LANGS}
        )
        for name, roles in _named_models(session.services.settings).items()
        if health is None or models.find(name, health.models) is None
    ]


def _named_models(settings: Settings) -> dict[str, list[str]]:
    """The models that the settings name, with their roles."""
    wanted: dict[str, list[str]] = {}
    for role in MODEL_ROLES:
        wanted.setdefault(getattr(settings.models, role), []).append(role)
    for mode, chosen in settings.models.modes.items():
        for role, name in chosen.items():
            wanted.setdefault(name, []).append(f"{mode}.{role}")
    return wanted


def read_models(session: Session, language: Lang) -> ModelsView:
    """The models of the server with what they can do, and which are in its memory."""
    llm = session.services.llm

    async def look() -> ModelsView:
        try:
            health = await llm.health(max_age=FRESH)
            if health.error is not None:
                return ModelsView(trouble=trouble_from(health.error, language))
            running = await llm.running() or {}
            return ModelsView(tuple([await one(info, running) for info in health.models]), health.version)
        finally:
            await llm.aclose()

    async def one(info: ModelInfo, running: Mapping[str, datetime | None]) -> ModelView:
        details, until = await llm.details(info.name), running.get(info.name)
        able = tuple(sorted(info.capabilities or details.capabilities or ()))
        return ModelView(
            info.name,
            info.size,
            info.parameters,
            able,
            details.context_length,
            info.name in running,
            until.astimezone(session.zone) if until else None,
        )

    return asyncio.run(look())


def model_choices(session: Session) -> Mapping[str, str]:
    """The model that each role has in the settings, by `role` for all assistants and `assistant.role` for one of its own."""
    models = session.services.settings.models
    own = {f"{mode}.{role}": name for mode, roles in models.modes.items() for role, name in roles.items()}
    return {role: getattr(models, role) for role in MODEL_ROLES} | own


def choose_model(session: Session, conversation: str, model: str) -> None:
    """Let a conversation be answered by `model`, "" for that of its assistant."""
    store, login = session.services.conversations, session.profile.login
    metadata = {**store.get(login, conversation).metadata, MODEL: model}
    store.update(login, conversation, metadata=metadata)


def read_settings(session: Session, language: Lang) -> list[SettingView]:
    """Every setting in the order of the model."""
    from troly.config.load import explain
    from troly.config.schema import specs

    sections = session.registry.sections()
    known = specs(sections)
    now = {one.key: one for one in explain(session.services.paths, sections=sections)}
    return [
        SettingView(
            key,
            setting_text(now[key].value),
            now[key].origin,
            spec.describe(language),
            tr(f"setting.expects.{spec.kind.name}", language, **spec.kind.limits),
            setting_text(spec.default),
            spec.env,
            spec.kind.options,
        )
        for key, spec in known.items()
    ]


def setting_text(value: object) -> str:
    """A setting's value as it is typed; "" for none."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def change_setting(session: Session, key: str, text: str | None) -> Settings:
    """Write a setting into the settings file (None: its default) and go on with it; returns all of them."""
    session.change_setting(key, text)
    return session.services.settings


# What the assistants remember.


def read_memories(session: Session, language: Lang) -> list[MemoryView]:
    found = []
    for mode in session.registry:
        if mode.memories is not None:
            asked = _request(session, language, {})
            found += [
                MemoryView(mode.id, one.id, one.text, one.kind, one.detail, one.editable)
                for one in mode.memories.found(asked)
            ]
    return found


def change_memory(session: Session, mode: str, memory: str, text: str | None, language: Lang) -> None:
    """Let a memory say `text`, or forget it (None). Raises InputError where the assistant refuses."""
    memories = session.registry.get(mode).memories
    change = memories and (memories.forget if text is None else memories.edit)
    if not change:
        raise InputError("work.cannot_change")
    done = change(_request(session, language, {"id": memory, "text": text or ""}))
    if done.problems:
        raise InputError("work.refused", reason=" ".join(done.problems))


# Queries of the person's own.


def query_names(session: Session, mode: str, language: Lang) -> QueryNames:
    """What a query of an assistant may be made of."""
    editor = _editor(session, mode)
    asked = _request(session, language, {})
    tables = tuple((one.name, tuple(one.columns.items())) for one in editor.tables(asked))
    return QueryNames(tables, tuple(editor.words()), editor.example(asked))


def run_query(session: Session, mode: str, text: str, language: Lang) -> tuple[Table, str]:
    """Run a query and keep it as recent; returns its rows and a sentence on them."""
    done = _editor(session, mode).run(_request(session, language, {"query": text}))
    with suppress(OSError):
        _input_store(session).keep_query(mode, text)
    if done.table is None:
        raise InputError("work.refused", reason=" ".join((*done.problems, done.text)))
    return done.table, done.summary


def read_queries(session: Session, mode: str) -> Queries:
    """The queries of an assistant that were named or run."""
    return _input_store(session).queries(mode)


def keep_query(session: Session, mode: str, text: str, name: str) -> None:
    """Keep a query under a name, forget that name with the text ""."""
    _input_store(session).keep_query(mode, text, name)


def _editor(session: Session, mode: str) -> QueryEditor:
    queries = session.registry.get(mode).queries
    if queries is None:
        raise InputError("work.refused", reason=mode)
    return queries


def _request(session: Session, language: Lang, values: Mapping[str, str]) -> CommandRequest:
    from troly.plugin.contract import CommandRequest

    services = session.services
    return CommandRequest(services, session.profile, services.clock(), language, values)
