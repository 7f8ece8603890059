"""The agents' settings of 004-43 that a person can change: time of a tool call, choice of tools, format of outputs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.modes.rag import rag_desk, routed
from troly.config.problems import SettingsError
from troly.paths import Paths
from troly.plugin.events import Progress
from troly_rag.config import Agent, RagConfig, load, own_file
from troly_rag.execution.cache import Cache
from troly_rag.execution.engine import ExecutionSetup, Reporter, execute
from troly_rag.routing.plan import AgentPart, PlanTask, Routing
from troly_rag.routing.router import RouterReply, merge_reply
from troly_rag.tools.interface import ToolResult

LATE = "Đi muộn bị phạt thế nào?"


def config_with(home: Path, text: str) -> RagConfig:
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    own_file(paths).parent.mkdir(parents=True, exist_ok=True)
    own_file(paths).write_text(text, encoding="utf-8")
    return load(paths)


def route_late(config: RagConfig) -> Routing:
    return routed(config, LATE)


def test_an_agent_without_a_limit_has_the_default_for_a_call(tmp_path: Path) -> None:
    """004-43, 004-39: one call has default_timeout_ms, all calls together timeout_per_agent_ms, unless it has its own."""
    config = config_with(
        tmp_path,
        "[agent_configs]\ndefault_timeout_ms = 1500\n[workflow_config]\ntimeout_per_agent_ms = 9000\n"
        "[agents.it]\ntimeout_ms = 700\n",
    )
    hr, own = config.agents["hr"], config.agents["it"]
    assert (hr.call_timeout_ms, hr.timeout_ms) == (1500, 9000)
    assert (own.call_timeout_ms, own.timeout_ms) == (700, 700)


async def test_a_call_that_takes_longer_than_the_default_is_given_up(tmp_path: Path) -> None:
    """004-43: the second task of the agent still has the time that the agent has left."""
    config = config_with(tmp_path, "[agent_configs]\ndefault_timeout_ms = 80\n")

    async def call(_agent: Agent, task: PlanTask, _query: str, _before: tuple[ToolResult, ...]) -> ToolResult:
        if task.id == "hr#rag:1":
            await asyncio.sleep(60)
        return ToolResult("found", digest=task.id)

    tasks = tuple(
        PlanTask(f"hr#rag:{number}", number, "hr", "rag_tool", "find", "find", number) for number in (1, 2)
    )
    routing = Routing("q", "q", (AgentPart("hr", ("a", "b"), ("rag_tool",)),), tasks)
    setup = ExecutionSetup(config.agents, config.limits, call, Cache(), (), "vi")
    done = await execute(routing, setup, Reporter(tasks, lambda _event: None, "vi"))
    assert [(run.status, run.error_type) for run in done.runs] == [("failed", "timeout"), ("done", "")]


def test_tools_are_chosen_by_the_question_or_all_are_used(tmp_path: Path) -> None:
    """004-43: relevance_based searches only, all uses every tool that the agent has; a model cannot drop them."""
    relevant, every = (
        config_with(tmp_path / name, f'[agent_configs]\ntool_selection_strategy = "{name}"\n')
        for name in ("relevance_based", "all")
    )
    assert route_late(relevant).parts[0].tools == ("rag_tool",)
    whole = route_late(every)
    assert whole.parts[0].tools == every.agents["hr"].tools == ("rag_tool", "summary_tool", "math_tool")
    assert {task.tool for task in whole.tasks} == set(whole.parts[0].tools)
    assert whole.complexity == "complex"
    wanted = RouterReply.model_validate({"questions": [{"agent": "hr", "query": LATE}]})
    for config, tools in ((every, every.agents["hr"].tools), (relevant, ("rag_tool",))):
        found = merge_reply(whole, wanted, config, "vi", datetime(2026, 11, 22, tzinfo=UTC))
        assert found is not None
        assert found.parts[0].tools == tools


@pytest.mark.parametrize("form", ["structured_json", "text"])
async def test_outputs_of_agents_are_records_or_text(own_home: Path, form: str) -> None:
    """004-43, 004-19: what `ask --json` gives of the agents, and the last event of the stream, in the configured format."""
    config_with(own_home, f'[agent_configs]\noutput_format = "{form}"\n')
    async with rag_desk(own_home) as desk:
        told = await desk.ask(LATE, offline=True, language="vi")
    outputs = told.done.metadata["agent_outputs"]
    stream = [event.output for event in told.all(Progress) if event.node]
    assert stream[-1]["agent_responses"] == outputs
    if form == "structured_json":
        assert set(outputs[0]) == {"agent", "queries", "tool_trace"}
    else:
        lines = outputs[0].splitlines()
        assert (lines[0], lines[1][:2]) == ("hr", "1.")
        assert lines[2].strip()
        assert lines[-1].strip().startswith("[")


@pytest.mark.parametrize("key", ["tool_selection_strategy", "output_format"])
def test_a_strategy_or_format_that_is_none_is_refused(tmp_path: Path, key: str) -> None:
    """004-43."""
    with pytest.raises(SettingsError, match=key):
        config_with(tmp_path, f'[agent_configs]\n{key} = "xml"\n')


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_a_question_that_an_agent_is_not_asked_is_named(own_home: Path, most: int) -> None:
    """004-43: no part of a message is dropped without a word."""
    config_with(own_home, f"[agent_configs]\nmax_queries_per_agent = {most}\n")
    parts = {
        "Nghỉ kết hôn được mấy ngày": "3 ngày",
        "Thử việc bao lâu": "60 ngày",
        "Phụ cấp ăn trưa bao nhiêu": "730.000",
    }
    async with rag_desk(own_home) as desk:
        told = await desk.ask("? ".join(parts) + "?", offline=True, language="vi")
    answered, _, left = told.answer.partition("Chưa hỏi đến")
    assert sum(said in answered for said in parts.values()) == most
    assert [part.lower() in left.lower() for part in parts] == [at >= most for at in range(len(parts))]
    assert told.done.metadata["answered"] is (most == len(parts))


async def test_every_tool_on_every_question_says_nothing_of_what_no_log_is_asked(own_home: Path) -> None:
    """004-43: with all tools the log says nothing where a page is asked."""
    config_with(own_home, '[agent_configs]\ntool_selection_strategy = "all"\n')
    async with rag_desk(own_home) as desk:
        desk.become("public", "internal", "private", department="it")
        for question in ("Quên mật khẩu thì sao?", "Mất laptop thì báo ai?"):
            told = await desk.ask(question, offline=True, language="vi")
            assert "hật ký" not in told.answer
            assert told.done.metadata["answered"] is True
