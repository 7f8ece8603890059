"""The values that pass between Ollama, the client and a turn."""

from __future__ import annotations

import base64
import dataclasses
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from troly.errors import TrolyError

Message: TypeAlias = "dict[str, Any]"
CallKind = Literal["stream", "decide", "tools", "embed"]
Need = Literal["completion", "tools", "embedding"]
V = TypeVar("V")
# The estimate is at most 1.7 times what a model counts (English); below this share something was left out. Servers that
# count only what their cache did not hold report small numbers, which say nothing.
READ_SHARE, LEAST_READ = 0.45, 500


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One installed model; `capabilities` is None when the list does not tell them. `size` in bytes."""

    name: str
    size: int = 0
    family: str = ""
    parameters: str = ""
    capabilities: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ModelDetails:
    """What a model can do; None where the server does not say. `context_length` in tokens."""

    name: str
    capabilities: frozenset[str] | None = None
    context_length: int | None = None
    family: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether Ollama answers, its version and its models; `error` says why not."""

    up: bool
    version: str = ""
    models: tuple[ModelInfo, ...] = ()
    error: TrolyError | None = None


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """The installed model that will answer for the one that was `wanted`."""

    name: str
    wanted: str
    substituted: bool = False


@dataclass(frozen=True, slots=True)
class ChatChunk:
    """One piece of an answer; the counts (in tokens) come with the last piece, the `host` of several with the first.

    A piece with `ahead` holds nothing else: every host is busy, and so many questions come first.
    """

    text: str = ""
    thinking: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    done: bool = False
    done_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    host: str = ""
    ahead: int | None = None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a model said when it was given tools: a text, and the calls it asks for as `{name, arguments}`.

    `endless` says that it was longer than it may be, or said one thing over and over, and was cut.
    """

    text: str
    calls: tuple[Mapping[str, Any], ...] = ()
    endless: bool = False


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a download is, in bytes over all layers known so far."""

    status: str
    completed: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Decision(Generic[V]):
    """A value, who decided it, and why it was not the model (`offline` or an error key; empty for the model)."""

    value: V
    source: Literal["model", "rules"]
    reason: str = ""
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a model as the trace keeps it and replay repeats it.

    `wanted` is set when another model than the configured one answered; `dropped` counts messages left out of the
    prompt to fit the context window; `error` is an error key; `vectors` holds embeddings as base64 of 32-bit floats;
    `tool_calls` are the calls that were asked for, as `{name, arguments}`; `node` is the step that asked, `window` the
    context window in tokens (0 where there is none), `pieces` the lengths of a streamed reply's pieces, `cut` how many
    characters of the prompt were left out of the record. `finish` is the server's reason for the end (`length`: the
    reply was longer than it may be), `estimated` the tokens that the prompt should have taken, `host` the address of
    the server that answered where there are several.
    """

    task: str
    kind: CallKind
    model: str = ""
    wanted: str = ""
    prompt: list[Message] = field(default_factory=list)
    reply: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    dropped: int = 0
    ms: float = 0.0
    ttft_ms: float | None = None
    error: str = ""
    error_params: dict[str, str] = field(default_factory=dict)
    vectors: list[str] = field(default_factory=list)
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    node: str = ""
    window: int = 0
    pieces: list[int] = field(default_factory=list)
    cut: int = 0
    finish: str = ""
    estimated: int = 0
    host: str = ""

    @property
    def prompt_lost(self) -> bool:
        """Whether the server read clearly less than was sent: it dropped a part without saying so."""
        return (
            self.prompt_tokens is not None and LEAST_READ < self.prompt_tokens < READ_SHARE * self.estimated
        )

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> CallRecord:
        """A record from `dataclasses.asdict`, also one that was written with more or fewer fields."""
        known = {item.name for item in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in saved.items() if name in known})


def pack_vector(vector: Sequence[float]) -> str:
    """A vector as base64 of 32-bit floats."""
    return base64.b64encode(array("f", vector).tobytes()).decode("ascii")


def unpack_vector(packed: str) -> list[float]:
    values = array("f")
    values.frombytes(base64.b64decode(packed))
    return values.tolist()
