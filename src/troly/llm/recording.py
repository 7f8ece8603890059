"""A call while it runs, until it becomes the record that the trace keeps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from troly import recording
from troly.errors import ModelError
from troly.llm.source import Ask
from troly.llm.types import CallKind, CallRecord, ChatChunk, Message, pack_vector


class OpenCall:
    """Collects what is sent, said and measured during one call."""

    def __init__(self, task: str, kind: CallKind, prompt: Sequence[Message]) -> None:
        self._task = task
        self._kind: CallKind = kind
        self._prompt = list(prompt)
        self._began = time.perf_counter()
        self._node = recording.node()
        self._ask: Ask | None = None
        self._replayed: CallRecord | None = None
        self._said: list[str] = []
        self._first: float | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._vectors: list[str] = []
        self._tool_calls: list[dict[str, Any]] = []
        self._error: tuple[str, dict[str, str]] = ("", {})

    @property
    def spoke(self) -> bool:
        return bool(self._said or self._tool_calls)

    def sent(self, ask: Ask) -> None:
        self._ask = ask
        self._replayed = ask.options.get("record")
        self._prompt = list(ask.messages) or self._prompt

    def heard(self, chunk: ChatChunk) -> None:
        if self._first is None and (chunk.text or chunk.thinking or chunk.tool_calls):
            self._first = self._ms()
        if chunk.text:
            self._said.append(chunk.text)
        self._tool_calls += [dict(call) for call in chunk.tool_calls]
        if chunk.done:
            self._tokens = (chunk.prompt_tokens, chunk.completion_tokens)

    def measured(self, vectors: Sequence[Sequence[float]]) -> None:
        self._vectors = [pack_vector(vector) for vector in vectors]

    def failed(self, error: ModelError) -> None:
        self._error = (error.key, {name: str(value) for name, value in error.params.items()})

    def stopped(self) -> None:
        self._error = ("turn.stopped", {})

    def record(self) -> CallRecord:
        """The finished record."""
        model = self._ask.model if self._ask else None
        again = self._replayed
        options = self._ask.options if self._ask else {}
        return CallRecord(
            task=self._task,
            kind=self._kind,
            model=model.name if model else "",
            wanted=model.wanted if model and model.substituted else "",
            prompt=self._prompt,
            reply="".join(self._said),
            prompt_tokens=self._tokens[0],
            completion_tokens=self._tokens[1],
            dropped=self._ask.dropped if self._ask else 0,
            ms=again.ms if again else self._ms(),
            ttft_ms=again.ttft_ms if again else self._first,
            error=self._error[0],
            error_params=self._error[1],
            vectors=self._vectors,
            tool_calls=self._tool_calls,
            node=self._node,
            window=again.window if again else int(options.get("num_ctx") or 0),
            pieces=[len(piece) for piece in self._said] if self._kind == "stream" else [],
        )

    def _ms(self) -> float:
        return round((time.perf_counter() - self._began) * 1000, 2)
