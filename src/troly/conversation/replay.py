"""Runs a saved turn again from what it was given: same inputs, clock, measured times, model replies and network answers."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.config.settings import Settings
from troly.conversation.language import decide
from troly.conversation.recorder import Line, TurnInputs, data_versions, event_lines, json_line
from troly.conversation.session import Session
from troly.conversation.turn import HISTORY, SavedQuestion, Turn, TurnEnd, TurnRequest
from troly.errors import InputError, StoreError
from troly.paths import Paths
from troly.plugin.contract import Mode
from troly.plugin.events import to_json
from troly.plugin.registry import Registry
from troly.plugin.services import Services, migrations_of, open_services
from troly.recording import TurnRecording, keys_of
from troly.stores.records import StoredMessage, StoredTurn
from troly.text.catalogue import tr

if TYPE_CHECKING:
    from troly.llm.session import ModelSession


# Longer runs are compared place by place: the matcher's time grows with the square.
MATCHED = 2_000
GONE = "(none)"


@dataclass(frozen=True, slots=True)
class EventDifference:
    """One event that is not the same: its number from 1 in the recording, and both as they are; None where missing."""

    number: int
    recorded: Line | None
    replayed: Line | None

    @property
    def event(self) -> str:
        return str((self.recorded or self.replayed or {}).get("event", ""))

    @property
    def changes(self) -> list[tuple[str, Any, Any]]:
        """The fields that differ as (path, recorded, replayed); one without a path where an event is missing."""
        if self.recorded is None or self.replayed is None:
            return [("", self.recorded, self.replayed)]
        return list(_changes(self.recorded, self.replayed, ""))


def differences(recorded: Sequence[Line], replayed: Sequence[Line]) -> Iterator[EventDifference]:
    was, now = [json_line(line) for line in recorded], [json_line(line) for line in replayed]
    if was == now:
        return
    for a, b, c, d in _blocks(was, now):
        for at in range(max(b - a, d - c)):
            left = recorded[a + at] if a + at < b else None
            right = replayed[c + at] if c + at < d else None
            yield EventDifference(min(a + at, len(was)) + 1, left, right)


def _blocks(was: list[str], now: list[str]) -> Iterator[tuple[int, int, int, int]]:
    if max(len(was), len(now)) > MATCHED:
        for at in range(max(len(was), len(now))):
            if was[at : at + 1] != now[at : at + 1]:
                yield at, min(at + 1, len(was)), at, min(at + 1, len(now))
        return
    for tag, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal":
            yield a, b, c, d


def _changes(was: Any, now: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*was, *now]):
            yield from _changes(was.get(key, GONE), now.get(key, GONE), f"{path}.{key}".lstrip("."))
    elif isinstance(was, (list, tuple)) and isinstance(now, (list, tuple)) and len(was) == len(now):
        for at, pair in enumerate(zip(was, now, strict=True)):
            yield from _changes(*pair, f"{path}.{at}")
    elif was != now:
        yield path, was, now


# More than any turn asks: what a budget forbade is recorded.
ENDLESS = 1_000_000
TURN_KEY = "turn:"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A saved turn that can be run again: its question, its inputs, its events as they were told."""

    turn: StoredTurn
    question: StoredMessage
    given: TurnInputs
    lines: list[dict[str, Any]]
    trace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What came of a replay: `events` told, `different` from the recording, `missed` labels without a recording.

    `data` names data that changed since; `replayed_first` are earlier turns that were run first, for this one reused theirs.
    """

    recording: RecordedTurn
    events: int
    different: tuple[EventDifference, ...]
    data: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    replayed_first: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every event came out the same to the byte."""
        return not self.different


def recorded_turn(services: Services, owner: str, turn: StoredTurn) -> RecordedTurn:
    """The recording of the owner's `turn`; raises InputError `replay.*` where it holds none that can be run again."""
    if turn.status not in ("completed", "failed"):
        raise InputError("replay.unfinished", turn=turn.id, status=turn.status)
    trace = services.conversations.recording(owner, turn.id)
    cut = [str(name) for name in trace.get("cut", ())]
    lines = event_lines(trace, turn.state)
    reason = "replay.cut" if cut else "replay.old"
    if lines is None or not isinstance(trace.get("recording"), Mapping):
        raise InputError(reason, turn=turn.id)
    try:
        given = TurnInputs.from_json(trace["given"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(reason, turn=turn.id) from error
    return RecordedTurn(
        turn, services.conversations.message(owner, turn.question_message_id), given, lines, trace
    )


async def replay(services: Services, registry: Registry, owner: str, turn_id: str) -> ReplayResult:
    """Run the owner's turn again in `services` (a copy: see `temporary_copy`) and compare the events.

    Earlier turns whose kept answers it reused are run first. Raises AccessError, InputError `replay.*`, StoreError.
    """
    store = services.conversations
    recording = recorded_turn(services, owner, store.turn(owner, turn_id))
    replayed_first = tuple(
        key.removeprefix(TURN_KEY) for key in keys_of(recording.trace, "used") if key.startswith(TURN_KEY)
    )
    for earlier in replayed_first:
        await _run(services, registry, recorded_turn(services, owner, store.turn(owner, earlier)))
    turn = await _run(services, registry, recording)
    return ReplayResult(
        recording,
        len(turn.lines),
        tuple(differences(recording.lines, turn.lines)),
        changed_data(recording.given.data, data_versions(services)),
        tuple(dict.fromkeys(turn.missed)),
        replayed_first,
    )


async def _run(services: Services, registry: Registry, recording: RecordedTurn) -> ReplayTurn:
    turn = ReplayTurn(services, registry, recording)
    async for event in turn.events():
        turn.lines.append(to_json(event))
    return turn


class ReplayTurn(Turn):
    """A turn that asks no server and saves nothing; `lines` are its events."""

    def __init__(self, services: Services, registry: Registry, recording: RecordedTurn) -> None:
        given = recording.given
        request = TurnRequest(
            recording.turn.mode,
            recording.question.text,
            conversation=recording.turn.conversation_id,
            language=given.language,
            now=given.now,
            offline=True,  # nothing is embedded afterwards; what the turn was told of the server is recorded
            model=given.model,
        )
        super().__init__(Session(services, registry, given.profile), request)
        self._recorded = recording
        self._recording = TurnRecording(recording.trace["recording"])
        self._recording.turn = recording.turn.id
        self.lines: list[dict[str, Any]] = []

    @property
    def missed(self) -> list[str]:
        """What the replay asked for and nothing was recorded of."""
        return self._recording.missed

    def _save_question(self, mode: Mode, text: str) -> SavedQuestion:  # noqa: ARG002 (saved long ago)
        store, recorded = self._services.conversations, self._recorded
        saved, given = recorded.turn, recorded.given
        conversation = replace(store.get(saved.owner, saved.conversation_id), metadata=given.metadata)
        history = tuple(
            store.messages(saved.owner, conversation.id, limit=HISTORY, before=recorded.question.id)
        )
        self._language, self.conversation_id, self.turn_id = given.language, conversation.id, saved.id
        greeting = history[-1] if given.begun and history else None
        decision = decide(text, given.profile, self._services.settings, chosen=given.language)
        return SavedQuestion(
            saved.id, conversation, history, greeting, decision, given.unfinished, colleague=given.colleague
        )

    async def _open_model(self, mode: Mode, question: SavedQuestion) -> ModelSession:
        from troly.llm.session import Budget, ModelSession
        from troly.llm.source import ReplayedCalls
        from troly.llm.types import CallRecord

        calls = [CallRecord.from_dict(call) for call in self._recorded.trace.get("calls", ())]
        return ModelSession(
            ReplayedCalls(calls),
            lambda role: self._model_name(mode.id, role),
            Budget(ENDLESS, ENDLESS),
            recorder=self._called,
            unfinished=question.unfinished,
            go_on=tr("turn.go_on", self._language),
        )

    def _save(self, ending: TurnEnd) -> None:
        """Nothing is saved."""


def changed_data(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of datasets (and `documents`) that are not what they were."""
    was, are = dict(before.get("datasets") or {}), dict(now.get("datasets") or {})
    names = [name for name in sorted({*was, *are}) if was.get(name) != are.get(name)]
    if list(before.get("documents") or []) != list(now.get("documents") or []):
        names.append("documents")
    return tuple(names)


@contextmanager
def temporary_copy(paths: Paths, settings: Settings, registry: Registry) -> Iterator[Services]:
    """Services on a copy of the stores under `paths`, gone at the end; settings and personas are the installation's own.

    The state database is copied as it is at this moment, published datasets and vectors are linked or copied. Raises
    StoreError when there is no room or no right to make the copy.
    """
    with tempfile.TemporaryDirectory(prefix="troly-replay-", ignore_cleanup_errors=True) as name:
        own = Paths(data=Path(name) / "data", config=paths.config, cache=Path(name) / "cache")
        try:
            own.data.mkdir(parents=True)
            if paths.state_db.exists():
                with (
                    closing(sqlite3.connect(f"{paths.state_db.resolve().as_uri()}?mode=ro", uri=True)) as old,
                    closing(sqlite3.connect(own.state_db)) as new,
                ):
                    old.backup(new)
            if settings.database.url:
                _copy_rows(settings.database.url, own.state_db, registry)
            for folder, copy in ((paths.datasets, own.datasets), (paths.chroma, own.chroma)):
                if folder.exists():
                    shutil.copytree(
                        folder, copy, copy_function=_link if folder == paths.datasets else shutil.copy2
                    )
        except (OSError, shutil.Error, sqlite3.Error) as error:
            raise StoreError("replay.no_copy", folder=name, reason=error) from error
        services = open_services(own, settings, registry, temporary=True)
        try:
            yield services
        finally:
            services.close()


def _copy_rows(url: str, target: Path, registry: Registry) -> None:
    """A server's rows, in a file that holds the documents."""
    from troly.stores.move import replace_rows
    from troly.stores.postgres import PostgresDb
    from troly.stores.state import StateDb

    with closing(PostgresDb.at(url)) as source, closing(StateDb(target)) as copy:
        source.migrate(migrations_of(registry))
        copy.migrate(migrations_of(registry))
        replace_rows(source, copy, migrations_of(registry))


def _link(source: str, target: str) -> str:
    """A published file never changes: a link to it is a copy, and costs nothing."""
    with suppress(OSError):
        os.link(source, target)
        return target
    return shutil.copy2(source, target)
