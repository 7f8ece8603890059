"""What the Ollama double says: replies with faults, values that fit a JSON schema, deterministic embeddings."""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Fault = Literal[
    "not_found",  # 404, whatever the model
    "server_error",  # 500 before the stream
    "refuse_load",  # 500, not enough memory for the model
    "html",  # 502 page of some proxy
    "hang",  # not one byte
    "hang_mid",  # silent after some pieces, connection open
    "error_line",  # {"error": ...} in the middle of the stream
    "junk",  # a line that is not JSON, then the rest
    "cut",  # connection reset in the middle
    "no_done",  # a clean end without the last line
    "half_chars",  # every line in two packets, cut inside characters
    "big_line",  # the whole answer in one line
    "empty",  # done at once, nothing said
    "no_schema",  # 500 for every call with a schema
    "no_thinking",  # 400 for every call that says how to think
    "no_truncate",  # 400 where the field truncate is sent
    "endless",  # says it over and over until the limit asked for
    "deaf",  # endless, whatever limit was asked for
]
MID_STREAM: frozenset[str] = frozenset({"hang_mid", "error_line", "junk", "cut"})


@dataclass
class Reply:
    """One answer of the double: what is said, how fast, and what goes wrong on the way.

    `after` pieces are sent before a mid-stream fault or before `gate` is waited for; delays are in seconds.
    """

    text: str = ""
    thinking: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    fault: Fault | None = None
    after: int = 2
    first_delay: float = 0.0
    gap: float = 0.0
    gate: threading.Event | None = None
    error: str = ""
    done_reason: str = "stop"


@dataclass
class Request:
    """One request as it arrived; times are seconds of the monotonic clock."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    arrived: float
    sent: int = 0
    finished: float | None = None
    disconnected: float | None = None

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        if "prompt" in self.body:
            said = (("system", self.body.get("system")), ("user", self.body["prompt"]))
            return [{"role": role, "content": text} for role, text in said if text]
        return list(self.body.get("messages") or [])

    @property
    def last_user(self) -> str:
        users = [str(m.get("content") or "") for m in self.messages if m.get("role") == "user"]
        return users[-1] if users else ""


Answer: TypeAlias = "str | Reply | Mapping[str, Any] | Sequence[Any]"
Scripted: TypeAlias = "Answer | Callable[[Request], Answer]"


def as_reply(scripted: Scripted, request: Request) -> Reply:
    """The reply that a scripted item stands for: text as it is, mappings and lists as JSON."""
    answer = scripted(request) if callable(scripted) else scripted
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        return Reply(answer)
    return Reply(json.dumps(answer, ensure_ascii=False))


def default_reply(request: Request) -> Reply:
    """A smallest value for a schema, else one fixed sentence about the last question."""
    schema = request.body.get("format")
    if schema:
        return Reply(json.dumps(smallest(schema if isinstance(schema, dict) else {}), ensure_ascii=False))
    return Reply(f"Đây là câu trả lời **thử** cho: {request.last_user[:80]}")


def pieces(text: str) -> list[str]:
    """Text cut roughly like tokens; joined again it is the same text."""
    return re.findall(r"\s*\S{1,4}|\s+", text)


def tokens(text: str) -> int:
    """About what real models count for Vietnamese."""
    return -(-len(text) * 2 // 5)


def smallest(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """A small value that is valid for the parts of JSON schema that pydantic writes."""
    root = schema if root is None else root
    if depth > 10:
        return None
    if "$ref" in schema:
        node: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            node = node[part]
        return smallest(node, root, depth + 1)
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    for choice in ("enum", "anyOf", "oneOf", "allOf"):
        if schema.get(choice):
            first = schema[choice][0]
            return first if choice == "enum" else smallest(first, root, depth + 1)
    return _of_type(schema, root, depth)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object")
    if kind == "object":
        fields: Mapping[str, Any] = schema.get("properties", {})
        return {name: smallest(fields.get(name, {}), root, depth + 1) for name in schema.get("required", [])}
    if kind == "array":
        count = int(schema.get("minItems", 0))
        return [smallest(schema.get("items", {"type": "string"}), root, depth + 1) for _ in range(count)]
    if kind == "string":
        dated = {"date": "2026-01-02", "date-time": "2026-01-02T03:04:05Z", "time": "03:04:05Z"}
        text = dated.get(str(schema.get("format")), "x")
        return text.ljust(int(schema.get("minLength", 0)), "x")
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return {"integer": math.ceil(low), "number": float(low), "boolean": False}.get(str(kind))


def hashed_vector(text: str, dims: int) -> list[float]:
    """A unit vector of hashed words and letter trigrams: texts that share them are near each other."""
    vector = [0.0] * dims
    low = text.lower()
    features = [*low.split(), *(low[i : i + 3] for i in range(max(0, len(low) - 2)))] or ["∅"]
    for feature in features:
        digest = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
        vector[digest % dims] += 1.0 if digest >> 63 else -1.0
    length = math.sqrt(sum(x * x for x in vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return [x / length for x in vector]
