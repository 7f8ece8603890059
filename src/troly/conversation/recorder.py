"""Keeps what a turn says and does: the text so far, the messages to save, and the trace behind evidence view and replay."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from troly.config.users import Profile
from troly.errors import StoreError
from troly.plugin.events import (
    Event,
    ModelCalled,
    ModelLoading,
    Notice,
    Plan,
    Progress,
    Say,
    Source,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
    to_json,
)
from troly.stores.records import dump
from troly.text.catalogue import Lang
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.llm.types import CallRecord
    from troly.plugin.services import Services
    from troly.recording import TurnRecording

Line = dict[str, Any]
# Steps and typed content stand elsewhere in the trace, the text of the answer in the pieces of its tokens.
TOKENS, STEP, CONTENT, OTHER, END = "t", "s", "c", "e", "z"
# Why a server says that a reply ended too early.
LENGTH = "length"
# Characters: of one message of a prompt, and of a whole trace as JSON.
MESSAGE_LIMIT = 60_000
TRACE_LIMIT = 4_000_000
SHORT = 400
HEAVY = ("given", "recording", "provenance", "events")
HEAVY_OF_CALLS = frozenset({"prompt", "reply", "vectors", "tool_calls", "pieces"})
PROMPTS, RECORDING, EVENTS = "prompts", "recording", "events"


def event_lines(trace: Mapping[str, Any], state: Any) -> list[Line] | None:
    """The events of a saved turn as they were told; None where the trace does not hold them.

    `state` is the turn's saved state.
    """
    entries = trace.get("events")
    if not isinstance(entries, list):
        return None
    lines: list[Line] = []
    said: list[str] = []
    for kind, *rest in entries:
        match kind:
            case "t":
                text, lengths = rest
                ends = [0, *accumulate(lengths)]
                pieces = [text[begin:end] for begin, end in pairwise(ends)]
                said += pieces
                lines += [{"event": "Token", "text": piece} for piece in pieces]
            case "s":
                lines.append({"event": "StepFinished", **trace["steps"][rest[0]]})
            case "c":
                lines.append(dict(trace["content"][rest[0]]))
            case "z":
                end = dict(rest[0])
                end.setdefault("text", "".join(said).strip())
                if end.get("event") == "TurnCompleted":
                    end.setdefault("state", state)
                lines.append(end)
            case _:
                lines.append(dict(rest[0]))
    return lines


def json_line(line: Mapping[str, Any]) -> str:
    """An event's JSON line in the one form in which lines are compared."""
    return json.dumps(line, ensure_ascii=False, sort_keys=True, default=str)


class Recorder:
    """Takes the events of one turn in order, cleans their strings, and passes them on until the terminal one.

    `entries` are all events in a small form for the trace; `event_lines` reads them back.
    """

    def __init__(self, sink: Callable[[Event], None]) -> None:
        self._sink = sink
        self._pieces: list[str] = []
        self.said: list[Say] = []
        self.steps: list[StepFinished] = []
        self.content: list[dict[str, Any]] = []
        self.entries: list[list[Any]] = []
        self.ended = False

    @property
    def streamed(self) -> str:
        """What was written of the answer itself."""
        return "".join(self._pieces).strip()

    @property
    def text(self) -> str:
        """All that was said in this turn, as shown: short messages first, then the answer."""
        said = [say.text for say in self.said if say.message_type != "greeting"]
        return "\n\n".join(part for part in (*said, self.streamed) if part)

    @property
    def source(self) -> Source:
        """Who answered, by the steps: `mixed` when both model and rules decided something."""
        found = {step.source for step in self.steps if step.source}
        if found == {"model"}:
            return "model"
        return "mixed" if len(found) > 1 or "mixed" in found else "rules"

    def take(self, event: Event) -> None:
        """Keep `event` and pass it on. After the terminal event everything is dropped: a turn ends once."""
        if self.ended:
            return
        cleaned: Event = clean(event)
        match cleaned:
            case Token():
                self._pieces.append(cleaned.text)
                # Pieces that follow one another share an entry.
                if self.entries and self.entries[-1][0] == TOKENS:
                    self.entries[-1][1].append(cleaned.text)
                else:
                    self.entries.append([TOKENS, [cleaned.text]])
            case Say():
                self.said.append(cleaned)
                self.entries.append([OTHER, to_json(cleaned)])
            case StepFinished():
                self.entries.append([STEP, len(self.steps)])
                self.steps.append(cleaned)
            case TurnCompleted() | TurnFailed():
                self.ended = True
            case ModelLoading():  # of this moment only: a replay loads nothing
                pass
            case StepStarted() | Progress() | TurnStarted() | ModelCalled():
                self.entries.append([OTHER, to_json(cleaned)])
            case Notice() if to_json(cleaned) in self.content:  # said already in this turn
                return
            case _:
                self._keep(to_json(cleaned))
        self._sink(cleaned)

    def _keep(self, card: dict[str, Any]) -> None:
        """Typed content at the end; the plan as it stands now goes where the turn's plan stood before."""
        same = (at for at, kept in enumerate(self.content) if kept["event"] == card["event"] == Plan.__name__)
        place = next(same, None)
        if place is None:
            self.content.append(card)
            place = len(self.content) - 1
        else:
            for entry in self.entries:
                if entry == [CONTENT, place]:
                    entry[:] = [OTHER, self.content[place]]
            self.content[place] = card
        self.entries.append([CONTENT, place])

    def ended_entries(self, line: Line, state: Any) -> list[list[Any]]:
        """All entries with the terminal `line`, without what is saved elsewhere (`state` as it is saved, the text)."""
        kept = dict(line)
        if "state" in kept and kept["state"] == state:
            del kept["state"]
        if kept.get("text") == self.streamed:
            del kept["text"]
        packed = [
            [TOKENS, "".join(entry[1]), list(map(len, entry[1]))] if entry[0] == TOKENS else entry
            for entry in self.entries
        ]
        return [*packed, [END, kept]]


def clean(value: Any) -> Any:
    """`value` with control sequences taken out of every string in it, dataclasses and mappings included."""
    if isinstance(value, str):
        return sanitize(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if names := _field_names(value.__class__):
        old = ((name, getattr(value, name)) for name in names)
        changes = {name: new for name, item in old if (new := clean(item)) is not item}
        return dataclasses.replace(value, **changes) if changes else value
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(clean(item) for item in value)
    return value


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass; () for any other type."""
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


# The trace: inputs, steps, content and calls as evidence, replay and metrics read them, within a size.


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
    steps = [to_json(step) for step in recorder.steps]
    trace = {
        "steps": [{name: one for name, one in step.items() if name != "event"} for step in steps],
        "content": recorder.content,
        "calls": [dataclasses.asdict(call) for call in sources.calls],
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
        profile = {**dataclasses.asdict(self.profile), "permissions": sorted(self.profile.permissions)}
        return {**dataclasses.asdict(self), "now": self.now.isoformat(), "profile": profile}

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
