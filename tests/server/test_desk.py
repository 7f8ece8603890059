"""Hand-overs between customer and staff, and files that are uploaded."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.process.waiting import until
from tests.support.server import Served, all_frames, frames_of, serving
from troly.errors import InputError
from troly.plugin.contract import Ingest, IngestOutcome, IngestRequest, Mode
from troly.plugin.events import Handoff
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.server.uploads import safe_name
from troly.stores.handovers import Handovers


async def handed_over(served: Served) -> str:
    """A conversation of `an` in which a person was asked for."""
    asked = await served.client.post(
        "/api/v1/ask", json={"text": "cho gặp người", "mode": "planned", "offline": True}
    )
    conversation = str(asked.json()["conversation"])
    services = served.site.session.services
    Handovers(services.conversations).add(conversation, "khách hỏi", "asked")
    return conversation


@pytest.mark.parametrize("servers", [1, 2])
async def test_staff_take_and_answer_and_the_customer_sees_it_live(
    services: Services, registry: Registry, servers: int
) -> None:
    """Also where the staff's server is another one on the same data directory."""
    async with serving(services, registry) as served, AsyncExitStack() as stack:
        desk = served if servers == 1 else await stack.enter_async_context(serving(services, registry))
        conversation = await handed_over(served)
        staff, other = served.key("lan", "handoffs"), served.key("mai", role="lead")
        (waiting,) = (await desk.client.get("/api/v1/handovers", headers=staff)).json()["handovers"]
        assert (waiting["customer"], waiting["conversation"], waiting["reason"]) == (
            "an",
            conversation,
            "khách hỏi",
        )
        path = f"/api/v1/handovers/{waiting['id']}"
        whole = await desk.client.get(path, headers=staff)
        assert whole.json()["messages"][0]["text"] == "cho gặp người"

        seen: list[dict[str, Any]] = []

        async def look() -> None:
            url = f"/api/v1/conversations/{conversation}/events"
            async with served.client.stream("GET", url) as response:
                async for frame in frames_of(response):
                    seen.append(frame.data)  # noqa: PERF401 (looked at as they come)

        looking = asyncio.create_task(look())
        await until(lambda: served.site.hub._changed)
        taken = await desk.client.post(f"{path}/take", headers=staff)
        assert taken.json()["taken_by"] == "lan"
        refused = await desk.client.post(f"{path}/answer", json={"text": "x"}, headers=other)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "handover.taken")
        said = await desk.client.post(f"{path}/answer", json={"text": "Dạ em Lan đây ạ"}, headers=staff)
        assert said.status_code == 201
        await until(lambda: seen)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        closed = await desk.client.post(f"{path}/close", headers=staff)
        again = await desk.client.post(f"{path}/answer", json={"text": "x"}, headers=staff)
        left = await desk.client.get("/api/v1/handovers", headers=staff)
    assert (seen[0]["text"], seen[0]["type"], seen[0]["metadata"]) == (
        "Dạ em Lan đây ạ",
        "staff",
        {"staff": "lan", "name": "lan"},
    )
    assert closed.json()["closed_at"]
    assert again.status_code == 409
    assert left.json() == {"handovers": []}


async def test_a_customer_sees_the_own_one_and_takes_none(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        await handed_over(served)
        (own,) = (await served.client.get("/api/v1/handovers")).json()["handovers"]
        mine = await served.client.post(f"/api/v1/handovers/{own['id']}/take")
        stranger = served.key("binh")
        listed = await served.client.get("/api/v1/handovers", headers=stranger)
        theirs = [
            await served.client.post(
                f"/api/v1/handovers/{own['id']}/{what}", json={"text": "x"}, headers=stranger
            )
            for what in ("take", "answer", "close")
        ]
        theirs.append(await served.client.get(f"/api/v1/handovers/{own['id']}", headers=stranger))
        elsewhere = served.key("lan", "handoffs", modes=("other",))
        theirs.append(await served.client.post(f"/api/v1/handovers/{own['id']}/take", headers=elsewhere))
    assert mine.status_code == 403
    assert listed.json() == {"handovers": []}
    assert {one.status_code for one in theirs} == {404}


async def test_an_assistant_that_hands_over_is_listed(services: Services) -> None:
    """Whatever face the customer used: the turn itself keeps it."""
    import dataclasses
    from collections.abc import Mapping

    from troly.plugin.context import Step, TurnContext, traced
    from troly.plugin.contract import Graph

    def graph() -> Graph:
        from langgraph.graph import END, START, StateGraph

        from tests.support.modes.made import NoState

        async def node(_state: Mapping[str, Any], turn: TurnContext, _step: Step) -> Mapping[str, Any]:
            turn.emit(Handoff("muốn gặp người", ("a: b",), "1900", "asked"))
            return {}

        builder = StateGraph(NoState, context_schema=TurnContext)
        builder.add_node("n", traced("n", node))
        builder.add_edge(START, "n")
        builder.add_edge("n", END)
        return builder.compile()

    mode = dataclasses.replace(planned_mode(Plan()), graph=graph)
    async with serving(services, registry_of(planned=mode)) as served:
        asked = await served.client.post(
            "/api/v1/ask", json={"text": "x", "mode": "planned", "offline": True}
        )
        (found,) = (await served.client.get("/api/v1/handovers")).json()["handovers"]
    assert (found["conversation"], found["code"]) == (asked.json()["conversation"], "asked")


# --- uploads


def loading_mode(seen: list[IngestRequest]) -> Mode:
    import dataclasses

    def run(request: IngestRequest) -> IngestOutcome:
        seen.append(request)
        text = request.file.read_text("utf-8")
        request.progress(1, 2, "rows")
        if "bad" in text:
            raise InputError("server.nothing")
        return IngestOutcome({"rows": len(text.splitlines())}, published=True, summary="đã nạp")

    ingest = Ingest("rows", {"vi": "Hàng", "en": "Rows"}, "app ingest rows FILE", run)
    return dataclasses.replace(planned_mode(Plan()), ingests=(ingest,))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..\\..\\windows\\system32",
        "/abs/olute.csv",
        "a\x00b.csv",
        ".hidden",
        "",
        "..",
        "CON",
        "x" * 900,
        "Bảng giá.csv",
        "\u202egpj.exe",
    ],
)
async def test_a_file_is_loaded_whatever_it_is_called(services: Services, name: str) -> None:
    """Path tricks: a name is a name, never a place."""
    seen: list[IngestRequest] = []
    async with serving(services, registry_of(planned=loading_mode(seen))) as served:
        key = served.key("an", "ingest")
        sent = await served.client.post(
            "/api/v1/ingest/planned/rows", files={"file": (name or "x", b"a\nb\n")}, headers=key,
            data={"errors": "/tmp/troly-should-not-be", "dry_run": "false"},
        )  # fmt: skip
        assert sent.status_code == 202, sent.text
        path = f"/api/v1/uploads/{sent.json()['id']}"
        frames = await all_frames(served.client, "GET", path, headers={**key, "Accept": "text/event-stream"})
        theirs = await served.client.get(path, headers=served.key("binh", "ingest"))
    assert frames[-1].data["status"] == "done"
    assert frames[-1].data["summary"] == "đã nạp"
    (request,) = seen
    assert request.errors is None
    assert request.file.parent.name.startswith("troly-upload-")
    assert not request.file.exists()
    assert theirs.status_code == 404


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "upload.passwd"),
        ("a b.csv", "a_b.csv"),
        ("Bảng giá.CSV", "Bảng_giá.CSV"),
        ("..", "upload.txt"),
    ],
)
def test_names_of_files(name: str, safe: str) -> None:
    assert safe_name(name) == safe


async def test_a_load_that_fails_says_why_and_needs_the_right(services: Services) -> None:
    seen: list[IngestRequest] = []
    async with serving(services, registry_of(planned=loading_mode(seen))) as served:
        file = {"file": ("a.csv", b"bad")}
        plain = await served.client.post("/api/v1/ingest/planned/rows", files=file)
        key = served.key("an", "ingest")
        sent = await served.client.post("/api/v1/ingest/planned/rows", files=file, headers=key)
        path = f"/api/v1/uploads/{sent.json()['id']}"
        frames = await all_frames(served.client, "GET", path, headers={**key, "Accept": "text/event-stream"})
        unknown = await served.client.post("/api/v1/ingest/planned/songs", files=file, headers=key)
        none = await served.client.post(
            "/api/v1/ingest/planned/rows", data={"x": "y"}, files={"z": b""}, headers=key
        )
    assert plain.status_code == 403
    assert (frames[-1].data["status"], frames[-1].data["code"]) == ("failed", "server.nothing")
    assert unknown.status_code == 404
    assert none.status_code == 422
    assert json.dumps(frames[-1].data)


async def test_documents_are_uploaded_for_all(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        key = served.key("an", "ingest")
        file = {"file": ("noi-quy.md", "# Nội quy\n\nGiờ làm việc từ 8 giờ.".encode())}
        sent = await served.client.post("/api/v1/ingest/knowledge/documents", files=file, headers=key)
        path = f"/api/v1/uploads/{sent.json()['id']}"
        frames = await all_frames(served.client, "GET", path, headers={**key, "Accept": "text/event-stream"})
    assert frames[-1].data["status"] == "done", frames[-1].data
    assert (services.paths.data / "uploads" / safe_name("an")).is_dir() or list(
        (services.paths.data / "uploads").iterdir()
    )
