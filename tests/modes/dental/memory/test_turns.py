"""What a dental conversation remembers from turn to turn: facts that are never lost, and a memory that is down."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, clinic_at
from tests.support.modes.dental_memory import store_of
from tests.support.ollama.double import OllamaDouble, closed_port_url
from troly.conversation.session import Session
from troly.plugin.events import Notice, StepFinished
from troly.tui import operations

FACTS = {
    "Tôi dị ứng penicillin, có nhổ răng được không?": "penicillin",
    "Tôi đang uống warfarin thì cạo vôi răng có sao không?": "warfarin",
    "Tôi đang mang thai 5 tháng, trám răng được không?": "mang thai",
    "Tôi bị tiểu đường, nhổ răng khôn có được không?": "tiểu đường",
    "Tên tôi là Nguyễn Thị Hoa, răng tôi bị ê buốt": "Hoa",
    "Răng số 36 của tôi bị đau khi nhai": "36",
    "Tôi hẹn nha sĩ ngày 15/12/2026 để lấy tủy": "15/12/2026",
    "Bác sĩ báo giá niềng răng 32.500.000 đồng": "32.500.000",
}
TALK = (
    "Chải răng bao lâu thì đủ?", "Nước súc miệng có cần thiết không?", "Chỉ nha khoa dùng thế nào?", "Tẩy trắng răng có hại không?",
    "Bao lâu nên cạo vôi răng một lần?", "Trẻ mấy tuổi thay răng sữa?", "Hôi miệng do đâu?", "Nghiến răng khi ngủ phải làm sao?",
)  # fmt: skip


@pytest.fixture
async def clinic(own_home: Path, server: OllamaDouble) -> AsyncIterator[Clinic]:
    with clinic_at(own_home, OLLAMA_HOST=server.url) as opened:
        yield opened
        await opened.services.llm.aclose()


async def test_eight_facts_are_still_in_the_prompt_after_forty_turns(
    clinic: Clinic, server: OllamaDouble
) -> None:
    for text in FACTS:
        await clinic.ask(text, offline=True)
    for turn in range(40):
        await clinic.ask(TALK[turn % len(TALK)], offline=True)
    server.script("Vâng [1].", {"summary": "Đã nhắc lại."})
    told = await clinic.ask("Nhổ răng khôn cần chuẩn bị gì?")
    prompt = "\n".join(message["content"] for message in server.chats[0].messages)
    assert [fact for fact in FACTS.values() if fact not in prompt] == []
    assert told.state["total_count"] == 2 * (len(FACTS) + 40)
    # system, the last six, the question
    assert len(server.chats[0].messages) == 1 + 6 + 1


async def test_the_context_is_the_summary_and_the_last_six_messages(
    clinic: Clinic, server: OllamaDouble
) -> None:
    for text in TALK[:4]:
        await clinic.ask(text, offline=True)
    server.script("Vâng [1].", {"summary": "Nói về hôi miệng."})
    told = await clinic.ask("răng đó có cần nhổ không?")
    roles = [message["role"] for message in server.chats[0].messages]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert len(told.state["messages"]) == 7
    assert server.chats[0].messages[1]["content"] == TALK[1]
    assert "\n\nTóm tắt cuộc trò chuyện trước:\nHỏi: " in server.chats[0].messages[0]["content"]
    assert told.state["summary"].startswith(told.state["conversation_summary"])


async def test_a_memory_server_that_is_down_costs_the_context_only(own_home: Path) -> None:
    with clinic_at(own_home, MCP_SERVER_URL=closed_port_url(), TROLY_DENTAL__MCP_SECONDS="2") as clinic:
        told = await clinic.ask("Nhổ răng khôn xong nên ăn gì?", offline=True)
        await clinic.services.llm.aclose()
    assert told.state["messages"] == [{"role": "user", "content": "Nhổ răng khôn xong nên ăn gì?"}]
    assert told.state["sources"]
    assert any("MCP" in notice.remedy for notice in told.all(Notice))
    assert told.done.message_type == "answer"


async def test_a_memory_server_killed_mid_call_costs_the_context_only(own_home: Path) -> None:
    calls: list[asyncio.StreamWriter] = []

    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append(writer)
        await reader.read(64)
        writer.transport.abort()

    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = await asyncio.start_server(dies, sock=listening)
    async with server:
        with clinic_at(own_home, MCP_SERVER_URL=url, TROLY_DENTAL__MCP_SECONDS="5") as clinic:
            told = await clinic.ask("Cạo vôi răng có đau không?", offline=True)
            await clinic.services.llm.aclose()
        for writer in calls:
            writer.transport.abort()
        await asyncio.sleep(0)
    assert calls
    assert told.state["sources"]
    details = {step.node: step.detail for step in told.all(StepFinished)}
    assert details["memory"] == "không đọc được trí nhớ"
    assert details["save"] == "không lưu được trí nhớ"


def turns_of(clinic: Clinic) -> list[str]:
    """The turns of the clinic's conversation, in order."""
    return [one.id for one in clinic.services.conversations.turns("an", str(clinic.conversation))]


async def test_a_branch_goes_on_with_the_memory_up_to_where_it_leaves(clinic: Clinic) -> None:
    session = Session(clinic.services, clinic.registry, clinic.profile)
    for text in (
        "Tôi dị ứng penicillin, có nhổ răng được không?",
        "viết giúp tôi bài thơ về biển",
        "Chải răng bao lâu thì đủ?",
        "Tôi cũng đang uống warfarin, cạo vôi răng có sao không?",
    ):
        await clinic.ask(text, offline=True)
    turns = turns_of(clinic)
    origin = str(clinic.conversation)
    made = operations.branch_conversation(session, origin, turns[2], "nhánh", after=True)
    clinic.conversation = made.conversation
    told = await clinic.ask("Còn tẩy trắng răng thì sao?", offline=True)
    said = [one["content"] for one in told.state["messages"] if one["role"] == "user"]
    assert said == [
        "Tôi dị ứng penicillin, có nhổ răng được không?",
        "Chải răng bao lâu thì đủ?",
        "Còn tẩy trắng răng thì sao?",
    ]
    store = store_of(clinic.services)
    assert {fact.value for fact in store.facts(made.conversation)} >= {"penicillin"}
    assert "warfarin" not in {fact.value for fact in store.facts(made.conversation)}
    assert "warfarin" in {fact.value for fact in store.facts(origin)}


async def test_an_emergency_goes_on_in_a_branch_and_what_was_forgotten_stays_forgotten(
    clinic: Clinic,
) -> None:
    session = Session(clinic.services, clinic.registry, clinic.profile)
    await clinic.ask("Tôi dị ứng penicillin, có nhổ răng được không?", offline=True)
    await clinic.ask("mặt tôi sưng to lan xuống cổ, nuốt khó", offline=True)
    store = store_of(clinic.services)
    [allergy] = [fact for fact in store.facts(str(clinic.conversation)) if fact.kind == "allergy"]
    store.forget(allergy.id)
    made = operations.branch_conversation(
        session, str(clinic.conversation), turns_of(clinic)[-1], "nhánh", after=True
    )
    clinic.conversation = made.conversation
    told = await clinic.ask("nhưng tôi không có tiền đi viện", offline=True)
    assert "115" in told.answer
    assert told.state["red_flag"] == "breathing"
    assert not [fact for fact in store.facts(made.conversation) if fact.kind == "allergy"]
