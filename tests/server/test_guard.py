"""What no route should see: foreign hosts and pages, wrong keys, heads and bodies that are too large or too slow."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import time
from contextlib import aclosing
from datetime import timedelta
from typing import Any

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.server import Served, serving
from troly.plugin.events import Token
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly.server.run import JsonLines
from troly.server.site import native_frames
from troly.stores.api_keys import ApiKeys

MODES = "/api/v1/modes"
ASK = "/api/v1/ask"


async def raw(served: Served, data: bytes) -> bytes:
    """What the server answers to these bytes, until it closes the connection; "" where it closed it at once."""
    reader, writer = await asyncio.open_connection(*served.address)
    try:
        writer.write(data)
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_signs_of_life_need_no_key(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        del served.client.headers["x-api-key"]
        alive = await served.client.get("/health")
        ready = await served.client.get("/ready")
        described = await served.client.get("/openapi.json")
        page = await served.client.get("/docs")
        figures = await served.client.get("/metrics")
    assert alive.json() == {"status": "alive"}
    assert (ready.status_code, ready.json()["stores"], ready.json()["model"]) == (200, "ready", "ollama.down")
    assert "/api/v1/ask" in described.json()["paths"]
    assert figures.status_code == 401
    assert "/api/v1/ask" in page.text
    assert "http" not in page.text.replace("<!doctype html><html", "")
    assert "<script" not in page.text


async def test_a_server_whose_store_is_gone_is_not_ready(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        services.state.close()
        ready = await served.client.get("/ready")
        alive = await served.client.get("/health")
    assert (ready.status_code, ready.json()["stores"]) == (503, "store.closed")
    assert alive.status_code == 200


async def test_figures_for_prometheus(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        await served.client.post(ASK, json={"text": "x", "mode": "planned", "offline": True})
        await served.client.get("/api/v1/turns/nothing")
        figures = (await served.client.get("/metrics")).text
    assert 'troly_turns_total{ending="completed",mode="planned",source="rules"} 1.0' in figures
    assert 'troly_first_word_seconds_count{mode="planned"} 1.0' in figures
    assert 'troly_errors_total{code="store.not_yours"} 1.0' in figures
    assert 'troly_requests_total{method="GET",route="/api/v1/turns/{turn}",status="404"} 1.0' in figures
    assert "troly_open_streams 0.0" in figures


async def test_unknown_expired_and_revoked_keys_are_one(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        keys = ApiKeys(services.state, services.clock)
        expired = served.key("an", expires_at=services.clock() - timedelta(seconds=1))
        revoked = served.key("an")
        keys.revoke(revoked["X-API-Key"].split("_")[1])
        good = served.client.headers["x-api-key"]
        wrong: list[Any] = [
            expired,
            revoked,
            {"X-API-Key": good[:-1] + ("a" if good[-1] != "a" else "b")},
            {"X-API-Key": "troly_000000000000_" + "x" * 43},
            {"X-API-Key": "x" * 5000},
            {"X-API-Key": b"\xff"},
            {"Authorization": "Basic " + good},
        ]
        del served.client.headers["x-api-key"]
        answers = [await served.client.get(MODES, headers=one) for one in wrong]
        bearer = await served.client.get(MODES, headers={"Authorization": f"Bearer {good}"})
    bodies = [{**one.json()["error"], "request": ""} for one in answers]
    assert {one.status_code for one in answers} == {401}
    assert all(one == bodies[0] for one in bodies)
    assert bearer.status_code == 200


def test_a_key_is_looked_up_the_same_way_whatever_is_wrong_with_it(services: Services) -> None:
    """Ratio of times, not times: the machine may be busy."""
    keys = ApiKeys(services.state, services.clock)
    _, good = keys.add("an", "staff")
    _, expired = keys.add("an", "staff", expires_at=services.clock())

    def cost(token: str) -> float:
        began = time.thread_time()
        keys.find(token)
        return time.thread_time() - began

    tokens = (good, expired, good[:-2] + "zz", "troly_000000000000_" + "x" * 43, "nonsense")
    # In turns, and the least of each: what else the machine does falls on all of them, or on none.
    rounds = [[cost(token) for token in tokens] for _ in range(60)]
    times = [min(one) for one in zip(*rounds, strict=True)]
    assert max(times) < 3 * min(times)


def test_a_key_is_not_to_be_found_in_the_database(services: Services) -> None:
    key, token = ApiKeys(services.state, services.clock).add("an", "staff")
    secret = token.split("_", 2)[2]
    services.state.close()
    kept = b"".join(path.read_bytes() for path in services.paths.data.rglob("*") if path.is_file())
    assert key.id.encode() in kept
    assert secret.encode() not in kept


async def test_a_revoked_key_stops_working_while_the_server_runs(
    services: Services, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("troly.server.access.REMEMBERED", 0.0)
    async with serving(services, registry) as served:
        assert (await served.client.get(MODES)).status_code == 200
        (key,) = ApiKeys(services.state, services.clock).list()
        assert ApiKeys(services.state, services.clock).revoke(key.id)
        assert (await served.client.get(MODES)).status_code == 401


async def test_a_key_is_for_its_assistants_only(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        mine = await served.client.post(ASK, json={"text": "x", "mode": "planned", "offline": True})
        only = served.key("an", modes=("other",))
        asked = await served.client.post(ASK, json={"text": "x", "mode": "planned"}, headers=only)
        old = {"text": "x", "conversation": mine.json()["conversation"]}
        gone_on = await served.client.post(ASK, json=old, headers=only)
        read = await served.client.get(f"/api/v1/turns/{mine.json()['turn']}", headers=only)
        listed = await served.client.get("/api/v1/conversations", headers=only)
        as_model = await served.client.post(
            "/v1/chat/completions",
            json={"model": "troly-planned", "messages": [{"role": "user", "content": "x"}]},
            headers=only,
        )
    assert asked.status_code == gone_on.status_code == 403
    assert read.status_code == as_model.status_code == 404
    assert listed.json() == {"conversations": []}


async def test_a_key_acts_for_others_only_where_it_may(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        question = {"text": "x", "mode": "planned", "offline": True}
        refused = await served.client.post(ASK, json=question, headers={"X-Act-As": "binh"})
        desk = served.key("desk", "act-as", "secret")
        asked = await served.client.post(ASK, json=question, headers={**desk, "X-Act-As": "binh"})
        own = await served.client.get("/api/v1/conversations", headers=desk)
        theirs = await served.client.get("/api/v1/conversations", headers=served.key("binh"))
        given = services.conversations.recording("binh", asked.json()["turn"])["given"]["profile"]
    assert refused.status_code == 403
    assert own.json() == {"conversations": []}
    assert [one["id"] for one in theirs.json()["conversations"]] == [asked.json()["conversation"]]
    assert (given["login"], given["permissions"]) == ("binh", [])


async def test_a_key_that_asks_too_often_is_told_when_to_come_again(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        key = served.key("an", rate=3)
        answers = [await served.client.get(MODES, headers=key) for _ in range(4)]
        other = await served.client.get(MODES)
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert int(answers[3].headers["retry-after"]) > 0
    assert other.status_code == 200


async def test_keys_of_the_environment(services: Services, registry: Registry) -> None:
    """000-64: `X_API_KEYS`; a key without a login is a person of its own."""
    async with serving(services, registry, api_keys="lan:first-key, second-key") as served:
        for key in ("first-key", "second-key"):
            asked = {"text": "x", "mode": "planned", "offline": True}
            assert (await served.client.post(ASK, json=asked, headers={"X-API-Key": key})).status_code == 200
        assert (await served.client.get(MODES, headers={"X-API-Key": "lan:first-key"})).status_code == 401
        owners = {
            one["id"]
            for key in ("first-key", "second-key")
            for one in (await served.client.get("/api/v1/conversations", headers={"X-API-Key": key})).json()[
                "conversations"
            ]
        }
    assert len(owners) == 2
    assert len(services.conversations.list("lan")) == 1


async def test_who_is_at_this_machine_needs_a_key_unless_the_settings_say_otherwise(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        del served.client.headers["x-api-key"]
        assert (await served.client.get(MODES)).status_code == 401
    async with serving(services, registry, open=True) as served:
        del served.client.headers["x-api-key"]
        assert (await served.client.get(MODES)).status_code == 200
        wrong = await served.client.get(MODES, headers={"X-API-Key": "nonsense"})
        assert wrong.status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::", "a@b"]
)
async def test_a_name_that_is_not_ours_is_refused(services: Services, registry: Registry, host: str) -> None:
    """DNS rebinding: the page's own name leads to this machine."""
    async with serving(services, registry, open=True) as served:
        answered = await served.client.get(MODES, headers={"Host": host})
        ours = await served.client.get(MODES, headers={"Host": "LOCALHOST:80"})
    assert answered.status_code in (400, 421)
    assert ours.status_code == 200


async def test_a_web_page_cannot_ask(services: Services, registry: Registry) -> None:
    """CSRF: neither a form nor a script of another page gets through, even where no key is needed."""
    async with serving(services, registry, open=True) as served:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://localhost:1"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            asked = await served.client.post(ASK, json={"text": "x", "mode": "planned"}, headers=headers)
            assert asked.status_code == 403
            assert "access-control-allow-origin" not in asked.headers
        form = await served.client.post(ASK, data={"text": "x", "mode": "planned"})
        plain = await served.client.post(ASK, content=b'{"text":"x"}', headers={"Content-Type": "text/plain"})
        bare = await served.client.post(ASK, content=b'{"text":"x"}')
        before = await served.client.options(
            ASK, headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        )
    assert {form.status_code, plain.status_code, bare.status_code} == {415}
    assert "access-control-allow-origin" not in before.headers
    assert services.conversations.list("an") == []


async def test_pages_of_the_settings_may_call(services: Services, registry: Registry) -> None:
    page = "https://chat.example.com"
    async with serving(services, registry, origins=page) as served:
        before = await served.client.options(
            ASK, headers={"Origin": page, "Access-Control-Request-Method": "POST"}
        )
        asked = await served.client.post(
            ASK, json={"text": "x", "mode": "planned", "offline": True}, headers={"Origin": page}
        )
    assert before.status_code == 204
    assert before.headers["access-control-allow-origin"] == page
    assert asked.status_code == 200
    assert asked.headers["access-control-allow-origin"] == page


async def test_a_body_of_ten_megabytes_is_refused(services: Services, registry: Registry) -> None:
    """Whether its length is told or not."""
    async with serving(services, registry) as served:
        head = (
            f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {served.client.headers['x-api-key']}\r\n"
            "Content-Type: application/json\r\n"
        ).encode()
        told = await raw(served, head + b"Content-Length: 10000000\r\n\r\n")
        size = 1024 * 1024 + 10
        body = f"{size:x}\r\n".encode() + b"x" * size + b"\r\n0\r\n\r\n"
        untold = await raw(served, head + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + body)
        flood = await raw(served, head + b"Content-Length: 10000000\r\n\r\n" + b"x" * 10_000_000)
        good = await served.client.get("/health")
    assert told.startswith(b"HTTP/1.1 413")
    assert b"server.body" in told
    assert untold.startswith(b"HTTP/1.1 413")
    assert flood[:12] in (b"HTTP/1.1 413", b"")
    assert good.status_code == 200


async def test_ten_thousand_headers_are_refused(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        many = (
            b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 150 + b"Connection: close\r\n\r\n"
        )
        answered = await raw(served, many)
        endless = await raw(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"x: y\r\n" * 10_000 * 2)
        long = await raw(served, b"GET /health HTTP/1.1\r\nHost: localhost\r\nx: " + b"y" * 200_000)
        good = await served.client.get("/health")
    assert answered.startswith(b"HTTP/1.1 431")
    assert endless[:12] in (b"HTTP/1.1 431", b"")
    assert long[:12] in (b"HTTP/1.1 431", b"")
    assert good.status_code == 200


async def test_a_head_that_does_not_end_is_cut_off(services: Services, registry: Registry) -> None:
    """Slowloris: a connection that says nothing, one that never ends its head, one whose body does not come."""
    async with serving(services, registry, head_seconds=0.3, body_seconds=0.3) as served:
        key = served.client.headers["x-api-key"]
        head = f"POST {ASK} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n"
        silent, half, bodiless = await asyncio.gather(
            raw(served, b""),
            raw(served, b"GET /health HTTP/1.1\r\nHost: local"),
            raw(served, f"{head}Content-Length: 100\r\nConnection: close\r\n\r\n{{".encode()),
        )
        good = await served.client.get("/health")
    assert silent.startswith(b"HTTP/1.1 408")
    assert half.startswith(b"HTTP/1.1 408")
    assert bodiless.startswith(b"HTTP/1.1 408")
    assert good.status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b"null", 422),
        (b'{"text": 1}', 422),
        (b'{"text": "\\ud800", "mode": "planned"}', 422),
        (b'{"text": "' + b"x" * 300_000 + b'", "mode": "planned"}', 422),
    ],
)
async def test_a_body_that_is_no_question(
    services: Services, registry: Registry, body: bytes, status: int
) -> None:
    async with serving(services, registry) as served:
        headers = {"Content-Type": "application/json"}
        answered = await served.client.post(ASK, content=body, headers=headers)
        as_chat = await served.client.post("/v1/chat/completions", content=body, headers=headers)
    assert answered.status_code == status
    assert set(answered.json()["error"]) >= {"code", "message", "remedy", "request"}
    assert as_chat.status_code == 400
    assert as_chat.json()["error"]["type"] == "invalid_request_error"


async def test_nul_and_control_characters_are_not_kept(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        asked = {"text": "xin\x00 chào\x1b]0;x\x07 \u202eabc", "mode": "planned", "offline": True}
        answered = await served.client.post(ASK, json=asked)
        read = await served.client.get(f"/api/v1/conversations/{answered.json()['conversation']}")
    assert read.json()["messages"][0]["text"] == "xin chào abc"


async def test_nothing_of_a_client_begins_a_line_of_the_log(services: Services, registry: Registry) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("troly.server")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        async with serving(services, registry) as served:
            key = served.client.headers["x-api-key"]
            await served.client.get(
                '/a%0A{"level":"forged"}%0D%1b[31m?secret=xyzzy', headers={"X-Request-ID": "a\tb"}
            )
            await served.client.post(ASK, json={"text": "rất riêng tư", "mode": "planned", "offline": True})
            given = await served.client.get("/health", headers={"X-Request-ID": "mine-1"})
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert len([line for line in lines if line["event"] == "request"]) == 3
    assert {"forged"} & {line["level"] for line in lines} == set()
    assert not any(word in written.getvalue() for word in (key, "riêng", "xyzzy", "\x1b"))
    assert given.headers["x-request-id"] == "mine-1"
    assert lines[-1]["request"] == "mine-1"
    assert lines[1]["user"] == "an"


async def test_a_reader_that_takes_nothing_holds_nobody(services: Services, registry: Registry) -> None:
    """Its stream ends with a clear event when it reads again, and goes on from there."""
    long = registry_of(planned=planned_mode(Plan(["say"] * 2)))
    async with serving(services, long, queue=3) as served:
        answered = await served.client.post(ASK, json={"text": "x", "mode": "planned", "offline": True})
        turn = answered.json()["turn"]
        stream = served.site.hub._streams[turn]
        events, stream.ended_at = list(stream.events), None
        async with aclosing(native_frames(stream)) as frames:
            got = b""
            while events and f"id: {len(events)}\n".encode() not in got:
                got += await anext(frames)
            for number in range(10):  # nobody takes these
                stream.put(Token(f"{number} "))
            rest = [frame async for frame in frames]
        stream.put(events[-1])
        assert rest[-1].startswith(b"event: overflow")
        last = json.loads(rest[-1].partition(b"data: ")[2])["last"]
        again = await served.client.get(f"/api/v1/turns/{turn}/events", headers={"Last-Event-ID": str(last)})
    assert f"id: {last + 1}\n" in again.text
    assert again.text.count("id: ") == len(events) + 11 - last
