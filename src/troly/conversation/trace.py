"""The trace of a turn: its inputs, steps, content and calls as evidence, replay and metrics read them, within a size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from troly.config.users import Profile
from troly.errors import StoreError
from troly.plugin.services import Services
from troly.recording import TurnRecording
from troly.stores.records import dump
from troly.text.catalogue import Lang

if TYPE_CHECKING:
    from troly.conversation.recorder import Recorder
    from troly.llm.types import CallRecord


# Why a server says that a reply ended too early.
LENGTH = "length"
# Characters: of one message of a prompt, and of a whole trace as JSON.
MESSAGE_LIMIT = 60_000
TRACE_LIMIT = 4_000_000
SHORT = 400
HEAVY = ("given", "recording", "provenance", "events")
HEAVY_OF_CALLS = frozenset({"prompt", "reply", "vectors", "tool_calls", "pieces"})
PROMPTS, RECORDING, EVENTS = "prompts", "recording", "events"


@dataclass(frozen=True, slots=True)
class TraceSources:
    """Where a trace comes from beside the events: the calls, what was skipped, the recording and the inputs."""

    calls: Sequence[CallRecord]
    skipped: Sequence[tuple[str, str]]
    recording: TurnRecording
    inputs: TurnInputs | None


def build_trace(
    recorder: Recorder, sources: TraceSources, end: Mapping[str, Any], state: Any
) -> dict[str, Any]:
    """The trace of a turn that ends with the event line `end`; `state` is what is saved as the turn's state.

    `cut` names what was left out because the whole was too large.
    """
    trace = {
        **recorder.trace(sources.calls),
        "language": sources.inputs.language if sources.inputs else "",
        "skipped": [list(pair) for pair in sources.skipped],
        "given": sources.inputs.as_json() if sources.inputs else None,
        "recording": sources.recording.to_json(),
        "provenance": {"made": list(sources.recording.made), "used": list(sources.recording.used)},
        "events": recorder.ended_entries(dict(end), state),
    }
    return limit_trace(trace)


def split_trace(trace: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What every opening of the conversation reads (steps, content, what calls cost), and what is read on demand."""
    light = {name: value for name, value in trace.items() if name not in HEAVY}
    light["calls"] = [
        {name: value for name, value in call.items() if name not in HEAVY_OF_CALLS} for call in trace["calls"]
    ]
    return light, {name: trace[name] for name in ("calls", *HEAVY)}


def limit_trace(trace: dict[str, Any], limit: int = TRACE_LIMIT) -> dict[str, Any]:
    """`trace` in at most about `limit` characters: prompts are cut first, then what only a replay needs."""
    cut = [PROMPTS] if _shorten(trace["calls"], MESSAGE_LIMIT) else []
    large = len(dump(trace)) > limit
    if large:
        cut = [PROMPTS] if _shorten(trace["calls"], SHORT) or cut else cut
        large = len(dump(trace)) > limit
    for name in (RECORDING, EVENTS):
        if large and trace.get(name):
            trace[name] = None
            cut.append(name)
            large = len(dump(trace)) > limit
    return {**trace, "cut": cut} if cut else trace


def _shorten(calls: Sequence[dict[str, Any]], limit: int) -> bool:
    """Cut the messages of all prompts to `limit` characters; whether any was longer."""
    shortened = False
    for call in calls:
        messages = []
        for message in call["prompt"]:
            text = str(message.get("content") or "")
            if len(text) > limit:
                shortened = True
                call["cut"] += len(text) - limit
                message = {**message, "content": text[:limit]}  # noqa: PLW2901 (the record must not change)
            messages.append(message)
        call["prompt"] = messages
    return shortened


@dataclass(frozen=True, slots=True)
class TurnInputs:
    """The inputs of one turn beside its text and history.

    `metadata` is the conversation's before the turn, `begun` says that the question began the conversation and was
    greeted, `data` names the data as it stood (see `data_versions`), `unfinished` the replies that it went on with by task,
    `colleague` who of the staff answered the conversation in place of the assistant.
    """

    now: datetime
    language: Lang
    profile: Profile
    offline: bool = False
    model: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    begun: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    unfinished: Mapping[str, str] = field(default_factory=dict)
    colleague: str = ""

    def as_json(self) -> dict[str, Any]:
        profile = {**asdict(self.profile), "permissions": sorted(self.profile.permissions)}
        return {**asdict(self), "now": self.now.isoformat(), "profile": profile}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> TurnInputs:
        """The inverse of `as_json`; raises KeyError, TypeError, ValueError for what is none."""
        who = dict(saved["profile"])
        who["permissions"] = frozenset(who["permissions"])
        return cls(
            now=datetime.fromisoformat(saved["now"]),
            language="en" if saved["language"] == "en" else "vi",
            profile=Profile(**who),
            offline=bool(saved["offline"]),
            model=saved["model"],
            metadata=dict(saved["metadata"]),
            begun=bool(saved["begun"]),
            data=dict(saved.get("data") or {}),
            unfinished=dict(saved.get("unfinished") or {}),
            colleague=str(saved.get("colleague") or ""),
        )


def unfinished_replies(recording: Mapping[str, Any]) -> dict[str, str]:
    """What models had written by task when they were cut off, in the turn of this recording."""
    before = (recording.get("given") or {}).get("unfinished") or {}
    last = {str(call["task"]): call for call in recording.get("calls") or () if call.get("kind") == "stream"}
    cut = {task: call for task, call in last.items() if call.get("error") or call.get("finish") == LENGTH}
    written = {task: f"{before.get(task, '')}{call.get('reply') or ''}" for task, call in cut.items()}
    return {task: text for task, text in written.items() if text.strip()}


_DATASETS = "SELECT name, max(version) FROM datasets WHERE withdrawn_at IS NULL GROUP BY name ORDER BY name"
_DOCUMENTS = "SELECT count(*), coalesce(max(ingested_at), '') FROM documents"


def data_versions(services: Services) -> dict[str, object]:
    """The newest version of every dataset, how many documents there are and the newest one's time. Blocking.

    {} where the database does not answer: this is a remark, not worth a turn.
    """
    try:
        with services.state.read() as connection:
            sets = dict(connection.execute(_DATASETS).fetchall())
        with services.index.read() as connection:
            count, newest = connection.execute(_DOCUMENTS).fetchone()
    except StoreError:
        return {}
    return {"datasets": sets, "documents": [count, newest]}
