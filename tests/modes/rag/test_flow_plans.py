"""A model's choices against the configuration: the plan built from them, unknown agents, empty replies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.rag import routed
from troly.paths import Paths
from troly_rag.config import RagConfig, load
from troly_rag.routing.plan import PlanTask, Routing
from troly_rag.routing.router import RouterReply, merge_reply


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RagConfig:
    return load(Paths.resolve({"TROLY_HOME": str(tmp_path_factory.mktemp("rag"))}))


def draft(config: RagConfig) -> Routing:
    return routed(config, "Đi muộn bị phạt thế nào?")


def reply(*questions: tuple[str, str, str], **more: Any) -> RouterReply:
    asked = [{"agent": agent, "query": query, "tool": tool} for agent, query, tool in questions]
    return RouterReply.model_validate({"questions": asked, **more})


NOW = datetime(2026, 11, 22, tzinfo=UTC)
LATE = ("hr", "Đi muộn bị phạt gì?", "documents")
AFTER = ("hr", "Hậu quả khi đi muộn", "documents")


def merged(config: RagConfig, *questions: tuple[str, str, str]) -> Routing:
    found = merge_reply(draft(config), reply(*questions), config, "vi", NOW)
    assert found is not None
    return found


def test_the_plan_is_built_from_the_models_choices(config: RagConfig) -> None:
    """004-14, 004 C1: one object a group; the code gives ids, groups and needs."""
    found = merged(config, LATE, AFTER)
    assert [(task.id, task.group) for task in found.tasks] == [
        ("hr#rag:1", 1),
        ("hr#rag:2", 2),
        ("hr#summary", 2),
    ]
    assert found.tasks[-1].depends_on == ("hr#rag:1", "hr#rag:2")
    groups = found.as_dict()["execution_flow"]["planning"]["tasks"]
    assert [list(group) for group in groups] == [["1"], ["2"]]
    assert {task["status"] for group in groups for tasks in group.values() for task in tasks} == {"pending"}
    assert found.remarks == ()
    _check_order(found.tasks)


def test_unknown_agents_are_dropped_and_said(config: RagConfig) -> None:
    found = merged(config, LATE, ("finance", "Lương?", "documents"), ("general", "Giá trị?", "logs"))
    assert [part.agent for part in found.parts] == ["hr", "general"]
    assert {task.tool for task in found.tasks if task.agent == "general"} == {"rag_tool"}
    assert "finance" in " ".join(found.remarks)
    assert found.tasks[-1].id == "orchestrator#summary"


def test_a_sum_over_what_another_agent_finds_is_left_to_one_that_computes(config: RagConfig) -> None:
    found = merged(config, ("general", "Đi công tác 3 đêm được chi bao nhiêu?", "calculation"))
    task = next(task for task in found.tasks if task.tool == "math_tool")
    assert (task.agent, task.depends_on) == ("hr", ("general#rag",))
    _check_order(found.tasks)


def test_a_reply_of_which_nothing_holds_is_none(config: RagConfig) -> None:
    assert merge_reply(draft(config), reply(("finance", "x", "documents")), config, "vi", NOW) is None


def test_the_models_small_talk_stands(config: RagConfig) -> None:
    """004-07."""
    found = merge_reply(
        draft(config), reply(small_talk=True, reply="Rất vui được trò chuyện."), config, "vi", NOW
    )
    assert found is not None
    assert found.as_dict() == {
        "refined_query": "",
        "is_chitchat": True,
        "chitchat_response": "Rất vui được trò chuyện.",
    }


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["hr", "it", "general", "ghost"]),
            st.sampled_from(["a?", "b?", "c?"]),
            st.sampled_from(["documents", "calculation", "logs"]),
        ),
        max_size=6,
    )
)
def test_any_choices_come_into_an_order_that_ends(questions: list[tuple[str, str, str]]) -> None:
    config = load(Paths.resolve({"TROLY_HOME": "/nowhere/troly"}))
    found = merge_reply(draft(config), reply(*questions), config, "vi", NOW)
    assert (found is None) == all(agent == "ghost" for agent, _, _ in questions)
    if found is not None:
        _check_order(found.tasks)


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
