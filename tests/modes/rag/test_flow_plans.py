"""A model's plan against the configuration: both forms, unknown agents and tools, cycles, empty replies."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troly.paths import Paths
from troly_rag.config import RagConfig, load
from troly_rag.routing.model_router import RouterReply, merge_reply
from troly_rag.routing.plan import PlanTask, Routing, order_plan
from troly_rag.routing.router import parse_message, route

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RagConfig:
    return load(Paths.resolve({"TROLY_HOME": str(tmp_path_factory.mktemp("rag"))}))


def draft(config: RagConfig) -> Routing:
    return route(parse_message("Đi muộn bị phạt thế nào?", "", config, "vi"), config, ("public",), "vi", NOW)


def reply(agents: dict[str, Any], tasks: list[dict[str, Any]], **more: Any) -> RouterReply:
    flow = {"planning": {"tasks": tasks}}
    return RouterReply.model_validate({"agents": agents, "execution_flow": flow, **more})


HR = {
    "queries": [{"1": "Đi muộn bị phạt gì?"}, {"2": "Hậu quả khi đi muộn"}],
    "tools": ["rag_tool", "summary_tool"],
}
RAG = {"agent": "hr", "tool": "rag_tool", "message": "tìm"}
SUM = {"agent": "hr", "tool": "summary_tool", "message": "tóm tắt"}


@pytest.mark.parametrize(
    "tasks", [[{"1": [RAG, RAG], "2": [SUM]}], [{"1": [RAG, RAG]}, {"2": [SUM]}]], ids=["one", "many"]
)
def test_both_forms_of_a_plan_are_read_alike(config: RagConfig, tasks: list[dict[str, Any]]) -> None:
    """004 C1: written as one object a group; purpose falls back to message."""
    found = merge_reply(draft(config), reply({"hr": HR}, tasks), config, "vi")
    assert [(task.id, task.group, task.purpose) for task in found.tasks] == [
        ("hr#rag:1", 1, "tìm"),
        ("hr#rag:2", 1, "tìm"),
        ("hr#summary", 2, "tóm tắt"),
    ]
    assert found.tasks[-1].depends_on == ("hr#rag:1", "hr#rag:2")
    assert [list(group) for group in found.as_dict()["execution_flow"]["planning"]["tasks"]] == [["1"], ["2"]]
    assert found.remarks == ()


def test_unknown_agents_and_tools_are_dropped_and_said(config: RagConfig) -> None:
    agents = {
        "hr": {**HR, "tools": ["rag_tool", "log_tool", "shell"]},
        "finance": {"queries": ["x"], "tools": ["rag_tool"]},
    }
    tasks = [{"1": [RAG, {"agent": "finance", "tool": "rag_tool"}, {"agent": "hr", "tool": "shell"}]}]
    found = merge_reply(draft(config), reply(agents, tasks), config, "vi")
    assert [part.agent for part in found.parts] == ["hr"]
    assert {task.tool for task in found.tasks} == {"rag_tool"}
    said = " ".join(found.remarks)
    assert all(word in said for word in ("finance", "shell", "log_tool"))


def test_a_reply_of_which_nothing_holds_leaves_the_rules_plan(config: RagConfig) -> None:
    rules = draft(config)
    found = merge_reply(rules, reply({"finance": {"queries": ["x"]}}, []), config, "vi")
    assert replace(found, remarks=()) == rules
    assert found.remarks


def test_a_cycle_is_broken_and_said(config: RagConfig) -> None:
    looping = [{"1": [{**RAG, "depends_on": ["hr#summary"]}, {**SUM, "depends_on": ["hr#rag:1"]}]}]
    found = merge_reply(draft(config), reply({"hr": HR}, looping), config, "vi")
    assert any("hr#rag:1" in remark for remark in found.remarks)
    _check_order(found.tasks)


def test_what_the_model_forgot_is_added(config: RagConfig) -> None:
    found = merge_reply(
        draft(config), reply({"hr": HR, "general": {"queries": ["Giá trị?"]}}, [{"1": [RAG]}]), config, "vi"
    )
    assert {task.id for task in found.tasks} >= {
        "hr#rag:1",
        "hr#rag:2",
        "general#rag",
        "orchestrator#summary",
    }
    assert found.tasks[-1].id == "orchestrator#summary"
    _check_order(found.tasks)


names = st.sampled_from([f"t{number}" for number in range(6)])
plans = st.lists(
    st.tuples(names, st.integers(1, 4), st.lists(st.one_of(names, st.just("nobody")), max_size=4)),
    min_size=1,
    max_size=6,
    unique_by=lambda one: one[0],
)


@given(plans)
def test_any_plan_comes_into_an_order_that_ends(plan: list[tuple[str, int, list[str]]]) -> None:
    tasks = [
        PlanTask(name, group, "hr", "rag_tool", "", "", None, tuple(needs)) for name, group, needs in plan
    ]
    placed, dropped = order_plan(tasks)
    assert sorted(task.id for task in placed) == sorted(task.id for task in tasks)
    wanted = {(task.id, need) for task in tasks for need in task.depends_on}
    kept = {(task.id, need) for task in placed for need in task.depends_on}
    assert kept | set(dropped) == wanted
    _check_order(placed)


def _check_order(tasks: tuple[PlanTask, ...]) -> None:
    """Needs stand in the same or an earlier group, groups count from 1 without gaps, and nothing waits for itself."""
    groups = {task.id: task.group for task in tasks}
    assert sorted(set(groups.values())) == list(range(1, max(groups.values()) + 1))
    done: set[str] = set()
    waiting = list(tasks)
    while waiting:
        ready = [task for task in waiting if set(task.depends_on) <= done]
        assert ready
        done |= {task.id for task in ready}
        waiting = [task for task in waiting if task.id not in done]
    assert all(groups[need] <= task.group for task in tasks for need in task.depends_on)
