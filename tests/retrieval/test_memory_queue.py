"""The queue behind the memory: never during a turn, ended cleanly, resumed after a kill, shared by processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.ollama.double import OllamaDouble
from tests.support.process.waiting import until, wait_until
from tests.support.retrieval.knowledge import WHEN
from tests.support.retrieval.memory import Desk, desk_at
from tests.support.stores.services import profile, services_at
from troly.conversation.greeting import open_conversation
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin.services import Services
from troly.retrieval.documents.files import Document, TextBlock

ROOT = Path(__file__).parents[2]
MANY = 60


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as opened:
        yield opened


def worker(home: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.retrieval.memory", str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def texts(count: int) -> list[str]:
    return [f"câu số {number} về laptop và màn hình" for number in range(count)]


def vectors_of(services: Services) -> int:
    with services.state.read() as connection:
        return int(connection.execute("SELECT count(*) FROM memory_vectors").fetchone()[0])


def test_what_is_enqueued_is_embedded_behind_the_scenes(desk: Desk) -> None:
    desk.say("an", *texts(20))
    desk.memory.enqueue()
    wait_until(lambda: desk.rows() == 20, 30)
    desk.say("an", "thêm một câu")
    desk.memory.enqueue()
    wait_until(lambda: desk.rows() == 21, 30)


def test_nothing_is_begun_during_a_turn(desk: Desk) -> None:
    desk.say("an", "xin chào")
    with desk.memory.during_turn():
        desk.memory.enqueue()
        threading.Event().wait(0.2)
        assert desk.asked == []
    wait_until(lambda: desk.rows() == 1, 30)


def test_an_offline_turn_wakes_nobody(desk: Desk) -> None:
    with desk.memory.during_turn(offline=True):
        desk.say("an", "xin chào")
    assert not [thread for thread in threading.enumerate() if thread.name == "memory"]


def test_closing_while_it_is_busy_ends_it_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with desk_at(tmp_path) as desk:
        desk.say("an", *texts(MANY))
        desk.memory.enqueue()
        wait_until(lambda: desk.rows() > 0, 30)
    assert not [thread for thread in threading.enumerate() if thread.name == "memory"]
    with desk_at(tmp_path) as desk:
        before = desk.rows()
        desk.memory.enqueue()
        wait_until(lambda: desk.rows() == MANY, 30)
        assert len(desk.asked) == MANY - before


def test_closing_while_the_embedder_hangs_is_quick(tmp_path: Path) -> None:
    reached = threading.Event()
    with desk_at(tmp_path) as desk:

        async def hang(_texts: list[str]) -> list[list[float]]:
            reached.set()
            await asyncio.Event().wait()
            return []

        desk.embedders["hash"] = hang  # type: ignore[assignment]
        desk.say("an", "xin chào")
        desk.memory.enqueue()
        assert reached.wait(10)
    assert not [thread for thread in threading.enumerate() if thread.name == "memory"]


def test_a_killed_process_loses_nothing(desk: Desk) -> None:
    talk = desk.say("an", *texts(MANY))
    process = worker(desk.home)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"go\n")
    process.stdin.flush()
    while (line := process.stdout.readline().split())[1] == b"0":
        pass
    process.kill()
    process.communicate()
    noted = desk.rows()
    assert 0 < int(line[1]) <= noted
    assert asyncio.run(desk.memory.embed_waiting()) == MANY - noted
    assert len(asyncio.run(desk.found("an", talk, "laptop", k=MANY))) == MANY


def test_two_processes_share_the_work_and_see_each_other(desk: Desk) -> None:
    talk = desk.say("an", *texts(20))
    asyncio.run(desk.memory.embed_waiting())
    desk.say("an", "tai nghe chống ồn", conversation=talk)
    workers = [worker(desk.home) for _ in range(2)]
    for process in workers:
        assert process.communicate(b"go\n", timeout=100)[0].splitlines()[-1].startswith(b"done")
        assert process.returncode == 0
    assert desk.rows() == 21
    recall = asyncio.run(
        desk.memory.search("an", talk, "tai nghe", embed=desk.embedders["hash"], embedder="hash")
    )
    assert recall.messages[0].text == "tai nghe chống ồn"
    assert recall.messages[0].similarity is not None


async def test_a_turn_and_a_greeting_get_their_vectors(own_home: Path) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say", "event", "say"])))
    with OllamaDouble() as server, services_at(own_home, registry, OLLAMA_HOST=server.url) as services:
        services.memory.queue.quiet = 0.0
        found, _ = await open_conversation(Session(services, registry, profile()), "planned", "vi")
        turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", "xin chào", found.id))
        async for _ in turn.events():
            pass
        saved = services.conversations.messages("an", found.id)
        assert len(saved) == 3
        await until(lambda: vectors_of(services) == len(saved), 30)
        await services.llm.aclose()


@pytest.mark.parametrize("offline", [False, True])
async def test_a_turn_may_embed_its_messages_itself(own_home: Path, offline: bool) -> None:
    """000-59: synchronous where the settings say so; without a server the turn ends all the same."""
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    with (
        OllamaDouble() as server,
        services_at(own_home, registry, OLLAMA_HOST=server.url, TROLY_CHROMA__SYNC="1") as services,
    ):
        services.memory.queue.quiet = 600.0
        for up in (False, True):
            (server.up if up else server.down)()
            await services.llm.health(max_age=0.0)
            turn = run_turn(
                Session(services, registry, profile()), TurnRequest("planned", "xin chào", offline=offline)
            )
            async for _ in turn.events():
                pass
            assert (vectors_of(services) > 0) == (up and not offline)
        await services.llm.aclose()


async def test_with_no_server_messages_wait_until_there_is_one(own_home: Path) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    with OllamaDouble() as server, services_at(own_home, registry, OLLAMA_HOST=server.url) as services:
        server.down()
        services.memory.queue.quiet = 0.0
        for number in range(2):
            turn = run_turn(Session(services, registry, profile()), TurnRequest("planned", f"câu {number}"))
            async for _ in turn.events():
                pass
        assert vectors_of(services) == 0
        server.up()
        await services.llm.health(max_age=0.0)
        services.memory.enqueue()
        await until(lambda: vectors_of(services) == 4, 30)
        await services.llm.aclose()


async def test_pages_loaded_without_an_embedder_get_vectors_once_one_answers(own_home: Path) -> None:
    """000-53: what was searched by meaning in vain is embedded when no turn is running."""
    registry = registry_of(planned=planned_mode(Plan(["say"])))
    with OllamaDouble() as server, services_at(own_home, registry, OLLAMA_HOST=server.url) as services:
        knowledge = services.knowledge
        page = Document("Đổi trả", (TextBlock("Đổi hàng trong 7 ngày"),), "txt")

        async def used_vectors() -> bool:
            embed = await services.llm.embedder("bge-m3")
            found = await knowledge.search("đổi hàng", collection="shop", embed=embed, embedder="bge-m3")
            return found.used_vectors

        knowledge.put(page, collection="shop", key="a", ingested_at=WHEN)
        assert not await used_vectors()
        assert await services.memory.embed_waiting() == 1
        assert await used_vectors()
        asked = len(server.requests)
        assert await services.memory.embed_waiting() == 0
        assert len(server.requests) == asked
        knowledge.put(page, collection="shop", key="b", ingested_at=WHEN)
        assert await services.memory.embed_waiting() == 1
        await services.llm.aclose()
