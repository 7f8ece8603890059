"""The company assistant turn by turn without a model, on the sample company."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.modes.rag import RagDesk
from troly.conversation.conformance import check_mode
from troly.conversation.evaluation import read_case_file
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin.events import Plan, Progress, Sources, StepStarted, TurnCompleted, TurnFailed
from troly_rag import MODE
from troly_rag.state import STATE_FIELDS

CASES = Path(__file__).parents[3] / "data" / "eval" / "rag.jsonl"
VALUES = "giá trị cốt lõi, muộn có ảnh hưởng đến giá trị nào không"
LEAVE = "Tính toán chi phí nghỉ phép và so sánh với chính sách công ty"
NODES = [
    "orchestrator",
    "reflection_router",
    "permission_check",
    "agent_execution",
    "conflict_resolution",
    "final_response",
]


async def test_the_first_example_end_to_end(desk: RagDesk) -> None:
    told = await desk.ask(VALUES)
    state = told.state
    assert set(state) == set(STATE_FIELDS)
    assert [node for node in told.nodes if "#" not in node] == NODES
    for value in ("Khách hàng trước tiên", "Chính trực", "Hợp tác", "Kỷ luật"):
        assert value in state["answer"]
    assert "Trách nhiệm" not in state["answer"], "004 C5: the fifth value is in no document"
    assert state["answer"] == told.answer
    flow = state["flow_action"]
    assert [step["order"] for step in flow] == list(range(1, len(flow) + 1))
    assert [step["type"] for step in flow] == [
        "router",
        "permission",
        *["agent_tool"] * 4,
        "resolver",
        "formatter",
    ]
    assert flow[0]["metadata"] == {"decision": "reflection_needed"}
    assert [step["node_id"] for step in flow[2:6]] == ["general#rag", "hr#rag:1", "hr#rag:2", "hr#summary"]
    assert flow[5]["depends_on"] == ["hr#rag:1", "hr#rag:2"]
    assert state["execution_metadata"]["agents_invoked"] == ["general", "hr"]
    assert state["execution_metadata"]["total_queries"] == 3
    assert state["performance_metrics"]["tool_usage_stats"]["rag_tool"]["calls"] == 3
    assert told.all(Sources)[0].items
    assert state["error"] is False


async def test_the_second_example_end_to_end(desk: RagDesk) -> None:
    told = await desk.ask(LEAVE)
    stream = [event.output for event in told.all(Progress) if event.node == "execute_planning"]
    assert [one["progress_percentage"] for one in stream] == [
        75,
        75,
        81.7,
        81.7,
        88.3,
        88.3,
        95,
        95,
    ]
    assert stream[1]["progress_message"] == (
        "Task 1/3: Tìm kiếm và thu thập thông tin về chính sách nghỉ phép từ cơ sở dữ liệu công ty"
    )
    percents = [event.percent for event in told.all(Progress)]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    assert [one.status for one in told.all(Plan)[-1].tasks] == ["done"] * 3
    assert told.state["performance_metrics"]["tool_usage_stats"].keys() == {
        "rag_tool",
        "summary_tool",
        "math_tool",
    }


async def test_small_talk_asks_nobody(desk: RagDesk) -> None:
    told = await desk.ask("xin chào")
    assert told.answer == "Xin chào! Tôi có thể giúp gì cho bạn?"
    assert told.nodes == ["orchestrator"]
    assert told.state["routing"]["is_chitchat"] is True
    assert told.done.message_type == "chitchat"


async def test_small_talk_has_the_documented_output_too(desk: RagDesk) -> None:
    """004-26 to 004-37 hold for every turn; the steps that were not done are not told."""
    state = (await desk.ask("cảm ơn nhé")).state
    router, formatter = state["flow_action"]
    assert (router["order"], router["node_id"], router["type"]) == (1, "Router", "router")
    assert router["metadata"] == {"decision": "chitchat"}
    assert router["started_at"] <= router["ended_at"]
    assert (formatter["order"], formatter["type"], formatter["status"]) == (2, "formatter", "done")
    full = (await desk.ask("Quên mật khẩu thì đặt lại ở đâu?")).state
    for field in ("execution_metadata", "performance_metrics"):
        assert state[field].keys() == full[field].keys()
    assert state["execution_metadata"]["agents_invoked"] == []
    assert state["execution_metadata"]["total_duration_ms"] >= 0
    assert state["reasoning"]
    assert state["error"] is False


async def test_a_simple_question_goes_straight_to_its_agent(desk: RagDesk) -> None:
    told = await desk.ask("Quên mật khẩu thì đặt lại ở đâu?")
    assert "reflection_router" not in told.nodes
    assert told.state["flow_action"][0]["metadata"]["decision"] != "reflection_needed"
    assert told.state["execution_metadata"]["agents_invoked"] == ["it"]
    assert told.state["evidence"]


async def test_a_follow_up_is_understood_from_the_turn_before(desk: RagDesk) -> None:
    await desk.ask("Nghỉ phép năm được bao nhiêu ngày?")
    told = await desk.ask("còn nghỉ ốm thì sao?")
    assert told.state["routing"]["refined_query"] == "Nghỉ ốm được bao nhiêu ngày?"
    desk.leave()
    fresh = await desk.ask("còn nghỉ ốm thì sao?")
    assert "bao nhiêu ngày" not in fresh.state["routing"]["refined_query"]


async def test_what_is_closed_is_counted_and_never_told(desk: RagDesk) -> None:
    """004-33: somebody without rights gets nothing of a private document, also not out of the cache."""
    question = "Đi muộn quá số lần cho phép thì bị xử lý thế nào?"
    inside = await desk.ask(question)
    closed = [one for one in inside.state["evidence"] if one["scope"] == "private"]
    assert closed
    desk.become("public")
    outside = await desk.ask(question)
    assert not [one for one in outside.state["evidence"] if one["scope"] != "public"]
    assert all(one["url"] not in str(outside.state) for one in closed)
    assert outside.state["routing"]["permission"] == {"user_access": ["public"]}
    sentences = [
        line
        for line in inside.answer.splitlines()
        if len(line) > 40 and "Nguồn" not in line and "mô hình" not in line
    ]
    assert not [line for line in sentences if line in outside.answer]


async def test_who_asked_what_after_what_stands_in_the_output(desk: RagDesk) -> None:
    """004-02, 004-03."""
    first = await desk.ask("Nghỉ phép năm được bao nhiêu ngày?")
    state = (await desk.ask("còn nghỉ ốm thì sao?")).state
    assert state["query"] == "còn nghỉ ốm thì sao?"
    assert [(one["role"], one["content"]) for one in state["history_chat"][-2:]] == [
        ("user", "Nghỉ phép năm được bao nhiêu ngày?"),
        ("assistant", first.answer),
    ]
    assert all(one["timestamp"] for one in state["history_chat"])
    assert state["user_context"] == {
        "user_id": "an",
        "tenant_id": "local",
        "permissions": ["private"],
        "department": "hr",
    }


async def test_versions_are_compared_with_each_other(desk: RagDesk) -> None:
    told = await desk.ask("so sánh chính sách nghỉ phép năm 2025 và 2026", language="vi")
    assert "14 ngày" in told.answer
    assert "Bản cũ" in told.answer
    assert "12 ngày" in told.answer
    now = await desk.ask("Nghỉ phép năm được bao nhiêu ngày?", language="vi")
    assert "12 ngày" not in now.answer


async def test_nothing_found_is_said(desk: RagDesk) -> None:
    told = await desk.ask("quantum chromodynamics lattice gauge zzqx là gì?", language="vi")
    assert told.state["evidence"] == []
    assert told.state["confidence_score"] == 0
    assert "Không tìm thấy" in told.answer


async def test_a_name_that_no_source_holds_is_said_to_be_missing(desk: RagDesk) -> None:
    told = await desk.ask("Văn phòng ở Singapore mở cửa mấy giờ?", language="vi")
    assert "“Singapore”" in told.answer.splitlines()[0]
    assert told.done.metadata["answered"] is False


async def test_a_repeat_comes_from_the_cache(desk: RagDesk) -> None:
    question = "Thử việc mấy tháng và hưởng bao nhiêu phần trăm lương?"
    first = await desk.ask(question)
    desk.leave()
    again = await desk.ask(question)
    assert again.state["performance_metrics"]["cache_hit_ratio"] == 1.0
    assert again.answer == first.answer
    hashes = [[s.get("output_hash") for s in told.state["flow_action"]] for told in (first, again)]
    assert hashes[0] == hashes[1]


async def test_a_stopped_turn_ends_once(desk: RagDesk) -> None:
    turn = run_turn(Session(desk.services, desk.registry, desk.profile), TurnRequest(MODE.id, VALUES))
    events = []
    async for event in turn.events():
        events.append(event)
        if isinstance(event, StepStarted) and "#" in event.node:
            turn.cancel()
    assert isinstance(events[-1], TurnCompleted | TurnFailed)
    stored = await asyncio.to_thread(desk.services.conversations.turn, desk.profile.login, turn.turn_id)
    assert stored.status in ("stopped", "completed")


async def test_it_answers_in_english(desk: RagDesk) -> None:
    told = await desk.ask("How do I reset my password?", language="en")
    assert told.state["execution_metadata"]["agents_invoked"] == ["it"]
    assert told.answer


async def test_it_keeps_the_contract(desk: RagDesk) -> None:
    assert await check_mode(MODE, Session(desk.services, desk.registry, desk.profile)) == []


def test_the_cases_are_well_formed() -> None:
    found = read_case_file(CASES)
    assert found.problems == []
    assert len(found.cases) >= 120
