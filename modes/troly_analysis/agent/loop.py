"""The data agent: a model that calls the five tools until it can answer, within limits it cannot talk its way past."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from troly.errors import ModelError
from troly.llm.types import Message, ToolReply
from troly.plugin.context import TurnContext
from troly.text.language import is_foreign
from troly.text.sanitize import sanitize
from troly.text.shorten import shortened
from troly_analysis.agent.messages import MOST_VALUES, call_message, opening_messages, result_message
from troly_analysis.agent.tools import ANSWERS, CHARTS, TOOLS, run_tool, sheet_of, tool_schemas
from troly_analysis.answer.sentences import AnswerContext, is_empty
from troly_analysis.query.service import DataQueryService
from troly_analysis.settings import AnalysisSettings
from troly_analysis.sheets.value_lookup import short_columns
from troly_analysis.strings import prompts
from troly_analysis.types import Sheet, ToolCall, ToolRecord

# Reads the tool calls in a model's reply and mends what small models commonly get wrong about their form.


NAMES = tuple(tool.name for tool in TOOLS)
_STRUCTURED = frozenset({"filters", "pipeline"})
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_MARKUP = re.compile(
    r"</?tool_calls?>|```(?:json|tool_call)?|\[TOOL_CALLS\]|<think>.*?</think>", re.DOTALL | re.IGNORECASE
)
_ABSENT = frozenset({"", "null", "none", "n/a"})
_LONGEST, _CLOSE = 100_000, 0.75


def read_reply(reply: ToolReply) -> tuple[list[ToolCall], str]:
    """The calls that a reply asks for, also those written into its text, and what else it says."""
    if reply.calls:
        return [_mended(call.get("name"), call.get("arguments")) for call in reply.calls], _bare(reply.text)
    calls, spans = [], []
    for start, end, value in _objects(reply.text[:_LONGEST]):
        call = _written_call(value)
        if call is not None:
            calls.append(call)
            spans.append((start, end))
    text = reply.text
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return calls, _bare(text)


def canonical(call: ToolCall) -> str:
    """The same text for the same call, whatever the order of its arguments."""
    return json.dumps([call.tool, dict(call.arguments)], sort_keys=True, ensure_ascii=False, default=str)


def _mended(name: object, arguments: object) -> ToolCall:
    given = _object(arguments)
    for key in _ARGUMENT_KEYS:
        # Some models wrap the arguments once more.
        if set(given) == {key} and isinstance(_object(given[key]), dict) and _object(given[key]):
            given = _object(given[key])
    kept = {str(key): _argument(str(key), value) for key, value in given.items() if not _is_absent(value)}
    return ToolCall(_name(name), kept)


def _name(name: object) -> str:
    """The tool that is meant; an unknown name stays, so that the tools can say so."""
    given = sanitize(str(name or ""), keep_newlines=False).strip()[:80]
    bare = given.rpartition(".")[2].strip("`'\" ()")
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", bare).replace("-", "_").lower()
    if snake in NAMES:
        return snake
    near = difflib.get_close_matches(snake, NAMES, n=1, cutoff=_CLOSE)
    return near[0] if near else given


def _argument(key: str, value: Any) -> Any:
    if key in _STRUCTURED and isinstance(value, str):
        return _parse_json(value, value)
    if key == "limit" and isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if key == "limit" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in _ABSENT)


def _object(value: object) -> dict[str, Any]:
    """`value` as an object, read from its text where a model wrote it as a string."""
    if isinstance(value, str):
        value = _parse_json(value, {})
    return dict(value) if isinstance(value, Mapping) else {}


def _parse_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text[:_LONGEST], strict=False)
    except (ValueError, RecursionError):
        return otherwise


def _written_call(value: object) -> ToolCall | None:
    """A call written as JSON in the text; None for JSON that is none."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    body: Mapping[str, Any] = inner if isinstance(inner, Mapping) else value
    name = next((body[key] for key in _NAME_KEYS if isinstance(body.get(key), str)), None)
    if name is None or _name(name) not in NAMES:
        return None
    return _mended(name, next((body[key] for key in _ARGUMENT_KEYS if key in body), {}))


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Every JSON object that stands in the text by itself, with its place."""
    decoder, at = json.JSONDecoder(strict=False), 0
    while (start := text.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield start, at, value


def _bare(text: str) -> str:
    """What is left of a text without the marks that models put around calls and thoughts."""
    return sanitize(_MARKUP.sub("", text)).strip(" \n\t[],")


# At most this many calls run in a turn, this many in one reply.
MOST_CALLS, PER_REPLY = 8, 4
SCHEMA = "get_data_schema"
# Characters of an error, and of words that are sent back to be said anew.
ERROR_CHARS, BAD_REPLY = 600, 600
_MALFORMED = frozenset({"ollama.junk", "ollama.empty"})


@dataclass(slots=True)
class AgentRun:
    """What the agent did: its calls, its words, and why it was stopped ("" when it ended by itself).

    `stopped` is retries, repeated, calls, no_calls, endless, language, groundless or model; `error` the ModelError behind the
    last. `told` of the last calls say that they are the answer; 0 where all are what it is made of.
    """

    records: list[ToolRecord] = field(default_factory=list)
    prose: str = ""
    chart: str = ""
    told: int = 0
    stopped: str = ""
    error: ModelError | None = None

    @property
    def found(self) -> list[ToolRecord]:
        """The calls that brought the data of the answer."""
        found = [each for each in self.records if each.result is not None and each.tool_name != SCHEMA]
        return found[-self.told :]


async def run_agent(
    turn: TurnContext,
    service: DataQueryService,
    sheets: tuple[Sheet, ...],
    asked: AnswerContext,
    facts: Sequence[str],
    *,
    stands: Callable[[str], bool],
) -> AgentRun:
    """Let the model call tools for the question; the schema is looked up first, whatever it says (001-24).

    Calls that all say of themselves that they answer the question end the run: their own sentences are the answer.

    Words that cannot be shown (endless, in another language, or without any result where `stands` says no) are asked for anew
    once. Never raises for what a model does: an unknown tool, wrong arguments and a reply that cannot be read go back to it
    as the text of an error, at most `[analysis] retries` times (001-26); the same call twice, and too many calls, end the run.
    """
    retries = turn.services.settings.of(AnalysisSettings).retries
    loop = _Loop(turn, service, sheets, asked, retries, stands, classified=bool(turn.model.calls))
    await loop.run(ToolCall(SCHEMA, {}))
    values = await asyncio.to_thread(short_columns, turn.services, sheets, MOST_VALUES)
    messages = opening_messages(turn, sheets, asked, facts, values)
    try:
        await loop.converse(messages)
    except ModelError as error:
        loop.result.stopped, loop.result.error = "model", error
    if not loop.result.stopped and not loop.result.found:
        loop.result.stopped = "no_calls"
    return loop.result


@dataclass(slots=True)
class _Loop:
    turn: TurnContext
    service: DataQueryService
    sheets: tuple[Sheet, ...]
    asked: AnswerContext
    retries: int
    stands: Callable[[str], bool]
    classified: bool
    result: AgentRun = field(default_factory=AgentRun)
    seen: set[str] = field(default_factory=set)
    failures: int = 0
    again: bool = False

    async def converse(self, messages: list[Message]) -> None:
        """Ask, run what is called, tell what came of it, until the model answers or a limit is reached."""
        tools = tool_schemas(self.sheets)
        while not self.result.stopped:
            try:
                reply = await self.turn.model.use_tools("data_agent", messages, tools)
            except ModelError as error:
                if error.key not in _MALFORMED or not self.may_retry():
                    raise
                messages.append(self.problem("unreadable"))
                continue
            calls, self.result.prose = read_reply(reply)
            if not calls:
                fault = self.fault(reply, messages)
                if not fault:
                    return
                if self.again:
                    self.result.stopped = fault
                    return
                self.again = True
                said = {"role": "assistant", "content": shortened(self.result.prose, BAD_REPLY)}
                messages += [said, self.problem(fault)]
                continue
            shown = [each.arguments.get(ANSWERS) for each in calls]
            self.result.chart = next((each for each in shown if each in CHARTS), self.result.chart)
            # How a result is shown is no part of the query.
            given = [(each.tool, each.arguments.items()) for each in calls[:PER_REPLY]]
            bare = [ToolCall(tool, {k: value for k, value in each if k != ANSWERS}) for tool, each in given]
            await self.run_all(bare, messages)
            told = all(each not in {None, False, "false"} for each in shown)
            if self._ended_well(len(calls)) and (told or self.is_figure(shown)):
                self.result.prose, self.result.told = "", len(calls)
                return

    async def run_all(self, calls: list[ToolCall], messages: list[Message]) -> None:
        """Run the calls of one reply in order and add what came of them to the conversation."""
        messages.append(call_message(calls))
        for call in calls:
            if canonical(call) in self.seen and call.tool != SCHEMA:
                self.result.stopped = "repeated"
            elif len(self.result.records) > MOST_CALLS:
                self.result.stopped = "calls"
            else:
                self.seen.add(canonical(call))
                record = await self.run(call)
                messages.append(result_message(record, sheet_of(call, self.sheets), self.asked))
                if record.error is not None and not self.may_retry():
                    self.result.stopped = "retries"
            if self.result.stopped:
                return

    async def run(self, call: ToolCall) -> ToolRecord:
        record = await run_tool(self.turn, self.service, call, len(self.result.records) + 1)
        if record.error is not None:
            record = replace(record, error=shortened(record.error, ERROR_CHARS))
        self.result.records.append(record)
        return record

    def _ended_well(self, count: int) -> bool:
        """Whether the last `count` calls all brought figures."""
        last = ((each.tool_name, each.result) for each in self.result.records[-count:])
        return all(result is not None and name != SCHEMA and not is_empty(result) for name, result in last)

    def is_figure(self, shown: Sequence[Any]) -> bool:
        """Whether the one call brought one figure, whose sentence needs no third call of a model to tell it."""
        found = self.result.found
        one = len(shown) == len(found) == 1 and shown[0] is None
        return one and self.classified and found[0].result is not None and found[0].result.kind == "scalar"

    def fault(self, reply: ToolReply, messages: Sequence[Message]) -> str:
        """Why the words of a reply cannot be shown; "" where nothing that code can check is wrong with them."""
        if reply.endless:
            return "endless"
        data = [str(each["content"]) for each in messages if each["role"] == "tool"]
        if is_foreign(self.result.prose, self.asked.lang, data):
            return "language"
        return "" if self.result.found or self.stands(self.result.prose) else "groundless"

    def may_retry(self) -> bool:
        """Count a failure; says whether the model may try again."""
        self.failures += 1
        return self.failures <= self.retries

    def problem(self, fault: str) -> Message:
        text = prompts().render(f"fault_{fault}", self.turn.language)
        # As a tool's words, so that the question stays the last thing the user said and is never cut.
        return {"role": "tool", "tool_name": "error", "content": text}
