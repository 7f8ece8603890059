"""The document's properties that are about the conversation, each as a hypothesis test (001-47)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.modes.analysis import Analyst, analyst_at
from tests.support.modes.desk import Told
from troly.plugin.events import StepFinished
from troly.server.answers import AnswerWriter
from troly.server.documents import event_messages
from troly_analysis import nodes
from troly_analysis.graph import ROUTES

INTENTS = ("data_query", "chat", "unclear")
NODES = {"data_query": "data_agent_node", "chat": "chat_node", "unclear": "clarify_node"}
WORDS = (
    "tổng doanh thu", "tong doanh thu", "Shopee", "tháng này", "tuần trước", "top 5", "sản phẩm", "bán chạy", "so sánh",
    "xin chào", "cảm ơn", "bạn là ai", "cho tôi xem", "cái đó", "hơn", "theo sàn", "bao nhiêu đơn", "revenue", "last week",
    "how many orders", "trung bình", "cao nhất", "1/2024", "20 triệu", "/pipeline", "[]", "{", "?", "hello", "Đã hủy",
)  # fmt: skip
MESSAGES = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
    st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip())),
)
TERMINAL = {"completed", "failed"}


@dataclass
class Runner:
    """An analyst and a loop to ask in, kept for all examples of a test."""

    analyst: Analyst
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)

    def ask(self, text: str, **more: Any) -> Told:
        return self.loop.run_until_complete(self.analyst.ask(text, offline=True, **more))


@contextmanager
def running() -> Iterator[Runner]:
    with TemporaryDirectory() as folder, analyst_at(Path(folder)) as analyst:
        runner = Runner(analyst)
        try:
            yield runner
        finally:
            runner.loop.close()


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with running() as made:
        yield made


# Feature: ai-chat-agent, Property 1: For any user message, the Intent_Classifier SHALL return exactly one of: "data_query", "chat", or "unclear".
@settings(max_examples=50)
@given(text=MESSAGES)
def test_every_message_has_exactly_one_of_three_intents(runner: Runner, text: str) -> None:
    runner.analyst.leave()
    told = runner.ask(text)
    if told.events and hasattr(told.events[-1], "state"):
        assert told.state["intent"] in INTENTS
    else:
        # Control characters alone are an empty message.
        assert told.failed.code == "turn.empty"


# Feature: ai-chat-agent, Property 2: For any classified intent, the Chat_Workflow SHALL route to the correct node (data_agent_node for "data_query", chat_node for "chat", clarify_node for "unclear").
@settings(max_examples=50)
@given(text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join))
def test_every_intent_goes_to_its_node(runner: Runner, text: str) -> None:
    runner.analyst.leave()
    told = runner.ask(text)
    visited = [step.node for step in told.all(StepFinished) if not step.tool]
    expected = NODES[told.state["intent"]]
    assert visited == ["intent_classifier", expected, "response_formatter"]


@settings(max_examples=50)
@given(intent=st.one_of(st.none(), st.sampled_from(INTENTS), st.text(max_size=20)))
def test_whatever_is_no_intent_is_unclear(intent: str | None) -> None:
    chosen = nodes.route_by_intent({"intent": intent})
    assert chosen == (intent if intent in INTENTS else "unclear")
    assert ROUTES[chosen] == NODES[chosen]


# Feature: ai-chat-agent, Property 8: For any workflow execution that completes without error, the final_response field SHALL be non-empty.
@settings(max_examples=50)
@given(
    texts=st.lists(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=2
    )
)
def test_an_answer_is_never_empty(runner: Runner, texts: list[str]) -> None:
    runner.analyst.leave()
    for text in texts:
        told = runner.ask(text)
        assert told.state["final_response"].strip()
        assert told.answer.strip() == told.state["final_response"].strip()


# Feature: ai-chat-agent, Property 9: For any workflow execution, the messages passed to nodes SHALL include the full conversation history from conversation_repo.
@settings(max_examples=50)
@given(
    past=st.lists(
        st.tuples(st.sampled_from(["user", "assistant"]), st.text("ab đ", min_size=1, max_size=9)),
        max_size=70,
    )
)
def test_the_nodes_see_the_whole_conversation(runner: Runner, past: list[tuple[Any, str]]) -> None:
    analyst = runner.analyst
    analyst.leave()
    runner.ask("xin chào")
    assert analyst.conversation
    store, owner = analyst.services.conversations, analyst.profile.login
    for sender, text in past:
        store.add_message(owner, analyst.conversation, sender, text)
    before = store.messages(owner, analyst.conversation, limit=10_000)
    told = runner.ask("cảm ơn bạn")
    messages = told.state["messages"]
    assert [(item["role"], item["content"]) for item in messages[:-1]] == [(m.sender, m.text) for m in before]
    assert messages[-1] == {"role": "user", "content": "cảm ơn bạn"}


# Feature: ai-chat-agent, Property 10: For any workflow execution, exactly one terminal event SHALL be emitted: either "chat:message:completed" or "chat:message:failed".
@settings(max_examples=50)
@given(text=MESSAGES, stop=st.booleans())
def test_every_run_ends_exactly_once(runner: Runner, text: str, stop: bool) -> None:
    runner.analyst.leave()
    told = runner.ask(text if not stop else f"/pipeline {text}")
    writer = AnswerWriter("vi")
    names = [name for event in told.events for name, _ in event_messages(event, writer)]
    assert [name for name in names if name in TERMINAL] == [names[-1]]
    if names[-1] == "completed":
        assert names[0] == "started"
        assert "token" in names
    starts, ends = names.count("tool_start"), names.count("tool_end")
    assert starts == ends
