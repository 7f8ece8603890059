"""The trace of a turn: what the evidence view, the replay and the metrics read, kept within a size."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from troly.recording import TurnRecording
from troly.stores.records import dump

if TYPE_CHECKING:
    from troly.conversation.given import Given
    from troly.conversation.recorder import Recorder
    from troly.llm.types import CallRecord

# Characters: of one message of a prompt, and of a whole trace as JSON.
MESSAGE_LIMIT = 60_000
TRACE_LIMIT = 4_000_000
SHORT = 400
HEAVY = ("given", "tape", "leans", "events")
HEAVY_OF_CALLS = frozenset({"prompt", "reply", "vectors", "tool_calls", "pieces"})
PROMPTS, TAPE, EVENTS = "prompts", "tape", "events"


@dataclasses.dataclass(frozen=True, slots=True)
class Sources:
    """Where a trace comes from beside the events: the calls, what was skipped, the tape and the inputs."""

    calls: Sequence[CallRecord]
    skipped: Sequence[tuple[str, str]]
    tape: TurnRecording
    given: Given | None


def build_trace(recorder: Recorder, sources: Sources, end: Mapping[str, Any], state: Any) -> dict[str, Any]:
    """The trace of a turn that ends with the event line `end`; `state` is what is saved as the turn's state.

    `cut` names what was left out because the whole was too large.
    """
    trace = {
        **recorder.trace(list(sources.calls)),
        "skipped": [list(pair) for pair in sources.skipped],
        "given": sources.given.as_json() if sources.given else None,
        "tape": sources.tape.recorded(),
        "leans": {"made": list(sources.tape.made), "used": list(sources.tape.used)},
        "events": recorder.log.ended(dict(end), state, recorder.streamed),
    }
    return within(trace)


def parted(trace: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What every opening of the conversation reads (steps, content, what calls cost), and what is read on demand."""
    light = {name: value for name, value in trace.items() if name not in HEAVY}
    light["calls"] = [
        {name: value for name, value in call.items() if name not in HEAVY_OF_CALLS} for call in trace["calls"]
    ]
    return light, {name: trace[name] for name in ("calls", *HEAVY)}


def within(trace: dict[str, Any], limit: int = TRACE_LIMIT) -> dict[str, Any]:
    """`trace` in at most about `limit` characters: prompts are cut first, then what only a replay needs."""
    cut = [PROMPTS] if _shorten(trace["calls"], MESSAGE_LIMIT) else []
    large = len(dump(trace)) > limit
    if large:
        cut = [PROMPTS] if _shorten(trace["calls"], SHORT) or cut else cut
        large = len(dump(trace)) > limit
    for name in (TAPE, EVENTS):
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
