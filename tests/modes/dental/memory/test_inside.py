"""The memory and the search inside the program: no server and no MCP, one memory to each person, and never in the way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, WebDouble, clinic_at
from tests.support.modes.dental_memory import TOKEN, dental_house, served, store_of
from tests.support.process.waiting import until
from tests.support.stores.services import profile
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import AccessError
from troly.plugin.events import Notice, StepFinished
from troly_dental.memory.connection import open_memory

CLEAR = "Nhổ răng khôn xong nên ăn gì?"


def test_the_memory_inside_reads_nothing_of_mcp(own_home: Path) -> None:
    code = (
        "import asyncio, sys, threading\n"
        "from pathlib import Path\n"
        "from tests.support.modes.dental_memory import dental_house\n"
        "from tests.support.stores.services import profile\n"
        "from troly_dental.memory.connection import open_memory\n"
        "def read(): return [m for m in ('mcp', 'pydantic', 'httpx', 'httpx2') if m in sys.modules]\n"
        "async def main(services):\n"
        "    async with open_memory(services, profile('an')) as memory:\n"
        "        print(read(), threading.active_count())\n"
        "        await memory.add_message('c', 'user', 'tôi dị ứng latex')\n"
        "        assert await memory.get_facts('c')\n"
        "        print(read())\n"
        f"with dental_house(Path({str(own_home)!r})) as services: asyncio.run(main(services))\n"
        "print(threading.active_count())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["[] 1", "[]", "1"]


async def test_somebody_elses_conversation_is_refused_inside_and_over_http(own_home: Path) -> None:
    with dental_house(own_home) as services:
        async with open_memory(services, profile("binh")) as memory:
            await memory.add_message("c", "user", "bí mật")
        async with open_memory(services, profile("an")) as memory:
            for refused in (memory.get_or_create, memory.get_all_messages, memory.get_facts):
                with pytest.raises(AccessError) as told:
                    await refused("c")
                assert told.value.key == "store.not_yours"
            with pytest.raises(AccessError):
                await memory.add_message("c", "user", "x")
        assert [one["content"] for one in store_of(services, "binh").get_all_messages("c")] == ["bí mật"]
    with served(own_home, "memory", "--token", TOKEN) as server:
        env = {"MCP_SERVER_URL": server.url, "MCP_SERVER_TOKEN": TOKEN, "TROLY_DENTAL__MCP_SECONDS": "30"}
        with dental_house(own_home / "client", **env) as services:
            async with open_memory(services, profile("an")) as memory:
                with pytest.raises(AccessError):
                    await memory.get_context("c")


async def test_a_database_that_refuses_costs_the_context_only(own_home: Path) -> None:
    with clinic_at(own_home) as clinic:
        await clinic.ask(CLEAR)
        with clinic.services.state.write() as connection:
            connection.execute("ALTER TABLE dental_messages RENAME TO gone")
        told = await clinic.ask("Cạo vôi răng có đau không?")
        await clinic.services.llm.aclose()
    details = {step.node: step.detail for step in told.all(StepFinished)}
    assert details["memory"] == "không đọc được trí nhớ"
    assert [notice.title for notice in told.all(Notice)][:1] == ["Không đọc được trí nhớ"]
    assert told.state["sources"]
    assert told.done.message_type == "answer"


async def test_stopping_a_turn_stops_the_search_at_the_server(clinic: Clinic, web: WebDouble) -> None:
    web.gate = gate = threading.Event()
    turn = run_turn(Session(clinic.services, clinic.registry, clinic.profile), TurnRequest("dental", CLEAR))

    async def stop() -> None:
        await until(web.asked.is_set)
        turn.cancel()

    stopping = asyncio.ensure_future(stop())
    nodes = [event.node async for event in turn.events() if isinstance(event, StepFinished)]
    await stopping
    assert "answer" not in nodes
    gate.set()
    web.gate = None
    # The session is as good as before.
    told = await clinic.ask("Cạo vôi răng có đau không?")
    assert len(told.state["sources"]) == 1


async def test_turns_in_several_panes_keep_to_their_conversations(own_home: Path) -> None:
    kinds = ["penicillin", "latex", "ibuprofen", "aspirin"]
    with clinic_at(own_home) as clinic:
        panes = [Clinic(clinic.services, clinic.registry) for _ in kinds]
        for pane, login in zip(panes, ("an", "binh", "an", "chi"), strict=True):
            pane.profile = profile(login)
        asked = [
            pane.ask(f"Tôi dị ứng {kind}, nhổ răng được không?")
            for pane, kind in zip(panes, kinds, strict=True)
        ]
        assert all(told.done for told in await asyncio.gather(*asked))
        for pane, kind in zip(panes, kinds, strict=True):
            assert pane.conversation
            async with open_memory(pane.services, pane.profile) as memory:
                # An allergy goes with the person, never with somebody else.
                mine = {"penicillin", "ibuprofen"} if pane.profile.login == "an" else {kind}
                assert {fact.value for fact in await memory.get_facts(pane.conversation)} <= mine
                assert kind in {fact.value for fact in await memory.get_facts(pane.conversation)}
                assert len(await memory.get_all_messages(pane.conversation)) == 2
        await clinic.services.llm.aclose()


def test_several_loops_one_after_the_other_use_the_same_memory(own_home: Path) -> None:
    async def say(text: str) -> int:
        async with open_memory(services, profile()) as memory:
            await memory.add_message("c", "user", text)
            return len(await memory.get_all_messages("c"))

    with dental_house(own_home) as services:
        assert [asyncio.run(say(text)) for text in ("một", "hai", "ba")] == [1, 2, 3]
