"""The data agent: a model that calls the five tools until it can answer, within limits it cannot talk its way past."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from troly.errors import ModelError
from troly.llm.types import Message
from troly.plugin.context import TurnContext
from troly_analysis.agent_calls import canonical, read_reply
from troly_analysis.agent_tools import run_tool, sheet_of
from troly_analysis.agent_words import call_message, cut, opening_messages, result_message
from troly_analysis.answer_names import Asked
from troly_analysis.strings import prompts
from troly_analysis.tools_specs import tool_schemas
from troly_analysis.types import Sheet, ToolCall, ToolRecord

if TYPE_CHECKING:
    from troly_analysis.service import DataQueryService

# At most this many failed calls are tried again (001-26), this many calls run in a turn, this many in one reply.
RETRIES, MOST_CALLS, PER_REPLY = 3, 8, 4
SCHEMA = "get_data_schema"
_MALFORMED = frozenset({"ollama.junk", "ollama.empty"})


@dataclass(slots=True)
class AgentRun:
    """What the agent did: its calls, its words, and why it was stopped ("" when it ended by itself).

    `stopped` is retries, repeated, calls, no_calls or model; `error` the ModelError behind the last.
    """

    records: list[ToolRecord] = field(default_factory=list)
    prose: str = ""
    stopped: str = ""
    error: ModelError | None = None

    @property
    def found(self) -> list[ToolRecord]:
        """The calls that brought data."""
        return [each for each in self.records if each.result is not None and each.tool_name != SCHEMA]


async def run_agent(
    turn: TurnContext,
    service: DataQueryService,
    sheets: tuple[Sheet, ...],
    asked: Asked,
    hint: tuple[ToolCall, ...],
) -> AgentRun:
    """Let the model call tools for the question; the schema is looked up first, whatever it says (001-24).

    Never raises for what a model does: an unknown tool, wrong arguments and a reply that cannot be read go back to it
    as the text of an error, at most `RETRIES` times; the same call twice, and too many calls, end the run.
    """
    loop = _Loop(turn, service, sheets, asked)
    await loop.run(ToolCall(SCHEMA, {}))
    history = turn.chat_history()[:-1]
    messages = opening_messages(history, sheets, asked, hint)
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
    asked: Asked
    result: AgentRun = field(default_factory=AgentRun)
    seen: set[str] = field(default_factory=set)
    failures: int = 0

    async def converse(self, messages: list[Message]) -> None:
        """Ask, run what is called, tell what came of it, until the model answers or a limit is reached."""
        tools = tool_schemas()
        while not self.result.stopped:
            try:
                reply = await self.turn.model.use_tools("data_agent", messages, tools)
            except ModelError as error:
                if error.key not in _MALFORMED or not self.may_retry():
                    raise
                messages.append(self.problem())
                continue
            calls, self.result.prose = read_reply(reply)
            if not calls:
                return
            await self.run_all(calls[:PER_REPLY], messages)

    async def run_all(self, calls: list[ToolCall], messages: list[Message]) -> None:
        """Run the calls of one reply in order and add what came of them to the conversation."""
        messages.append(call_message(calls))
        for call in calls:
            if canonical(call) in self.seen:
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
            record = dataclasses.replace(record, error=cut(record.error))
        self.result.records.append(record)
        return record

    def may_retry(self) -> bool:
        """Count a failure; says whether the model may try again."""
        self.failures += 1
        return self.failures <= RETRIES

    def problem(self) -> Message:
        text = prompts().render("unreadable", self.turn.language)
        # As a tool's words, so that the question stays the last thing the user said and is never cut.
        return {"role": "tool", "tool_name": "error", "content": text}
