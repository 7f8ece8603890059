"""What a dental conversation remembers from turn to turn: facts that are never lost, and a memory that is down."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, clinic_at
from tests.support.ollama.double import OllamaDouble, closed_port_url
from troly.plugin.events import Notice, StepFinished

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
