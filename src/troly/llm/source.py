"""Where a turn's answers come from: a live server, or the recorded calls of an earlier turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troly.errors import ModelError
from troly.llm.prompts import estimate_tools, fit
from troly.llm.replies import with_schema
from troly.llm.types import CallKind, CallRecord, ChatChunk, Message, ResolvedModel, unpack_vector

if TYPE_CHECKING:
    from troly.llm.client import OllamaClient
    from troly.llm.hosts import ModelHosts

# Tokens of an answer, and what a model that thinks may spend on thoughts besides.
ANSWER_TOKENS, THINKING_TOKENS = 768, 1_024
# What a server gives as the reason when a reply reached its limit.
LENGTH = "length"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call ready to be sent; `tokens` is the estimate of its prompt, `longest` the tokens of a reply without its thoughts."""

    task: str
    kind: CallKind
    model: ResolvedModel
    messages: list[Message]
    schema: Mapping[str, Any] | None = None
    dropped: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    think: bool | str | None = None
    tools: Sequence[Mapping[str, Any]] = ()
    tokens: int = 0
    longest: int | None = None


class LiveCalls:
    """Calls of a real server; `models` gives the configured model of a role, `conversation` and `user` are the turn's."""

    def __init__(
        self,
        client: OllamaClient | ModelHosts,
        models: Callable[[str], str],
        conversation: str = "",
        user: str = "",
    ) -> None:
        self._client = client
        self._conversation = conversation
        self._user = user
        self._models = models

    async def down(self) -> ModelError | None:
        """Why the server does not answer, looked at now or a moment ago."""
        health = await self._client.health()
        return health.error if not health.up and isinstance(health.error, ModelError) else None

    def unavailable(self) -> ModelError | None:
        return self._client.known_down()

    async def prepare(
        self,
        task: str,
        kind: CallKind,
        role: str,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tokens: int = ANSWER_TOKENS,
    ) -> ModelCall:
        """Choose the model and fit the prompt into its window, with room for a reply of `tokens`. Raises ModelError."""
        if kind == "embed":
            return ModelCall(task, kind, await self._client.resolve(self._models(role), "embedding"), [])
        model = await self._client.resolve(self._models(role), "tools" if tools else "completion")
        window = await self._client.window(model.name)
        details = await self._client.details(model.name)
        thinks = "thinking" in (details.capabilities or ()) and not self._client.refused(
            "ollama.refused_thinking", model.name
        )
        if schema is not None and self._client.refused("ollama.refused_schema", model.name):
            messages, schema = with_schema(messages, schema), None
        options: dict[str, Any] = {"num_ctx": window}
        think: bool | str | None = None
        if kind in ("decide", "tools"):
            options |= {"temperature": 0, "seed": 7}
            if thinks:
                # A decision or a call needs no thoughts; gpt-oss takes levels only.
                described = f"{model.name} {details.family}".lower()
                think = "low" if "gpt-oss" in described or "gptoss" in described else False
        limit = tokens + (THINKING_TOKENS if thinks and think is not False else 0)
        of_tools = estimate_tools(tools)
        fitted = fit(messages, window, min(limit, window // 4) + of_tools)
        # What is left of the window is the limit too: beyond it a server forgets the beginning of the prompt.
        options["num_predict"] = max(1, min(limit, window - fitted.tokens - of_tools))
        return ModelCall(
            task,
            kind,
            model,
            fitted.messages,
            schema,
            fitted.dropped,
            options,
            think,
            tools,
            fitted.tokens + of_tools,
            min(tokens, options["num_predict"]),
        )

    async def loaded(self, model: str) -> bool:
        return await self._client.loaded(model)

    def answer(self, ask: ModelCall) -> AsyncGenerator[ChatChunk, None]:
        return self._client.chat(
            ask.model.name,
            ask.messages,
            format=ask.schema,
            tools=ask.tools or None,
            options=ask.options,
            think=ask.think,
            conversation=self._conversation,
            user=self._user,
        )

    async def vectors(self, ask: ModelCall, texts: Sequence[str]) -> list[list[float]]:
        return await self._client.embed(ask.model.name, texts)


class ReplayedCalls:
    """Answers from recorded calls, without a server.

    A call gets the first unused record of its task and kind with the same prompt, else the first unused one of its
    task and kind (prompts change between versions). Without one it raises ModelError `ollama.replay_end`. A streamed
    reply comes in the pieces that it came in.
    """

    def __init__(self, records: Sequence[CallRecord]) -> None:
        self._left = list(records)

    def unavailable(self) -> ModelError | None:
        return None

    async def prepare(
        self,
        task: str,
        kind: CallKind,
        role: str,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None,
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tokens: int = ANSWER_TOKENS,  # noqa: ARG002 (the recorded reply is as long as it is)
    ) -> ModelCall:
        """The recorded call's model and what was dropped from its prompt."""
        record = self._find(task, kind, list(messages))
        wanted = record.wanted or record.model or role
        model = ResolvedModel(record.model, wanted, substituted=bool(record.wanted))
        options = {"record": record}
        return ModelCall(
            task,
            kind,
            model,
            list(messages),
            schema,
            record.dropped,
            options,
            tools=tools,
            tokens=record.estimated,
        )

    async def loaded(self, model: str) -> bool:  # noqa: ARG002
        return True

    def _find(self, task: str, kind: CallKind, messages: list[Message]) -> CallRecord:
        same = [record for record in self._left if (record.task, record.kind) == (task, kind)]
        if not same:
            raise ModelError("ollama.replay_end", task=task)
        chosen = next((record for record in same if record.prompt == messages), same[0])
        self._left.remove(chosen)
        return chosen

    async def answer(self, ask: ModelCall) -> AsyncGenerator[ChatChunk, None]:
        record: CallRecord = ask.options["record"]
        at = 0
        for length in record.pieces:
            yield ChatChunk(record.reply[at : at + length])
            at += length
        if at < len(record.reply):
            yield ChatChunk(record.reply[at:])
        if record.tool_calls:
            yield ChatChunk(tool_calls=tuple(record.tool_calls))
        if record.error:
            raise ModelError(record.error, **record.error_params)
        yield ChatChunk(
            done=True,
            done_reason=record.finish,
            prompt_tokens=record.prompt_tokens,
            completion_tokens=record.completion_tokens,
        )

    async def vectors(self, ask: ModelCall, texts: Sequence[str]) -> list[list[float]]:
        record: CallRecord = ask.options["record"]
        if record.error:
            raise ModelError(record.error, **record.error_params)
        if len(record.vectors) != len(texts):
            raise ModelError("ollama.replay_end", task=ask.task)
        return [unpack_vector(vector) for vector in record.vectors]


Source = LiveCalls | ReplayedCalls
