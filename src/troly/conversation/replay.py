"""Runs a saved turn again from what it was given: same inputs, clock, measured times, model replies and network answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from troly.conversation.event_log import event_lines
from troly.conversation.given import Given
from troly.conversation.language import decide
from troly.conversation.question import HISTORY, Question
from troly.conversation.replay_compare import Difference, differences
from troly.conversation.saving import Ending
from troly.conversation.session import Session
from troly.conversation.turn import Turn, TurnRequest
from troly.errors import InputError
from troly.plugin.contract import Mode
from troly.plugin.events import to_json
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.recording import TurnRecording, keys_of
from troly.stores.records import StoredMessage
from troly.stores.records import Turn as SavedTurn

if TYPE_CHECKING:
    from troly.llm.session import ModelSession

# More than any turn asks: what a budget forbade is on the tape.
ENDLESS = 1_000_000
TURN_KEY = "turn:"


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A saved turn that can be run again: its question, its inputs, its events as they were told."""

    turn: SavedTurn
    question: StoredMessage
    given: Given
    lines: list[dict[str, Any]]
    trace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a replay: `events` told, `different` from the recording, `missed` labels without a recording.

    `data` names data that changed since; `leaned` are earlier turns that were run first, for this one reused theirs.
    """

    recording: RecordedTurn
    events: int
    different: tuple[Difference, ...]
    data: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    leaned: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether every event came out the same to the byte."""
        return not self.different


def recording_of(services: Services, owner: str, turn: SavedTurn) -> RecordedTurn:
    """The recording of the owner's `turn`; raises InputError `replay.*` where it holds none that can be run again."""
    if turn.status not in ("completed", "failed"):
        raise InputError("replay.unfinished", turn=turn.id, status=turn.status)
    trace = services.conversations.recording(owner, turn.id)
    cut = [str(name) for name in trace.get("cut", ())]
    lines = event_lines(trace, turn.state)
    reason = "replay.cut" if cut else "replay.old"
    if lines is None or not isinstance(trace.get("tape"), Mapping):
        raise InputError(reason, turn=turn.id)
    try:
        given = Given.from_json(trace["given"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(reason, turn=turn.id) from error
    return RecordedTurn(
        turn, services.conversations.message(owner, turn.question_message_id), given, lines, trace
    )


async def replay(services: Services, registry: Registry, owner: str, turn_id: str) -> Replayed:
    """Run the owner's turn again in `services` (a copy: see `scratch_services`) and compare the events.

    Earlier turns whose kept answers it reused are run first. Raises AccessError, InputError `replay.*`, StoreError.
    """
    from troly.conversation.holdings import data_of

    store = services.conversations
    recording = recording_of(services, owner, store.turn(owner, turn_id))
    leaned = tuple(
        key.removeprefix(TURN_KEY) for key in keys_of(recording.trace, "used") if key.startswith(TURN_KEY)
    )
    for earlier in leaned:
        await _run(services, registry, recording_of(services, owner, store.turn(owner, earlier)))
    turn = await _run(services, registry, recording)
    return Replayed(
        recording,
        len(turn.lines),
        tuple(differences(recording.lines, turn.lines)),
        changed(recording.given.data, data_of(services)),
        tuple(dict.fromkeys(turn.missed)),
        leaned,
    )


async def _run(services: Services, registry: Registry, recording: RecordedTurn) -> ReplayedTurn:
    turn = ReplayedTurn(services, registry, recording)
    async for event in turn.events():
        turn.lines.append(to_json(event))
    return turn


class ReplayedTurn(Turn):
    """A turn that asks no server and saves nothing; `lines` are its events."""

    def __init__(self, services: Services, registry: Registry, recording: RecordedTurn) -> None:
        given = recording.given
        request = TurnRequest(
            recording.turn.mode,
            recording.question.text,
            conversation=recording.turn.conversation_id,
            language=given.language,
            now=given.now,
            offline=True,  # nothing is embedded afterwards; what the turn was told of the server is on the tape
            model=given.model,
        )
        super().__init__(Session(services, registry, given.profile), request)
        self._recording = recording
        self._tape = TurnRecording(recording.trace["tape"])
        self._tape.turn = recording.turn.id
        self.lines: list[dict[str, Any]] = []

    @property
    def missed(self) -> list[str]:
        """What the replay asked for and nothing was recorded of."""
        return self._tape.missed

    def _save_question(self, mode: Mode, text: str) -> Question:  # noqa: ARG002 (saved long ago)
        store, recorded = self._services.conversations, self._recording
        saved, given = recorded.turn, recorded.given
        conversation = replace(store.get(saved.owner, saved.conversation_id), metadata=given.metadata)
        history = tuple(
            store.messages(saved.owner, conversation.id, limit=HISTORY, before=recorded.question.id)
        )
        self._language, self.conversation_id, self.turn_id = given.language, conversation.id, saved.id
        greeting = history[-1] if given.begun and history else None
        decision = decide(text, given.profile, self._services.settings, chosen=given.language)
        return Question(saved.id, conversation, history, greeting, decision)

    async def _open_model(self, mode: Mode) -> ModelSession:
        from troly.llm.session import Budget, ModelSession
        from troly.llm.source import ReplayedCalls
        from troly.llm.types import CallRecord

        calls = [CallRecord.from_dict(call) for call in self._recording.trace.get("calls", ())]
        return ModelSession(
            ReplayedCalls(calls),
            lambda role: self._model_name(mode.id, role),
            Budget(ENDLESS, ENDLESS),
            recorder=self._called,
        )

    def _save(self, ending: Ending) -> None:
        """Nothing is saved."""


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of datasets (and `documents`) that are not what they were."""
    was, are = dict(before.get("datasets") or {}), dict(now.get("datasets") or {})
    names = [name for name in sorted({*was, *are}) if was.get(name) != are.get(name)]
    documents = (
        ["documents"] if list(before.get("documents") or []) != list(now.get("documents") or []) else []
    )
    return (*names, *documents)
