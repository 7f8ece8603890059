"""The native API: asking, reading again, conversations, feedback; and that nobody sees what is another's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.ollama.double import OllamaDouble, Reply
from tests.support.process.waiting import until
from tests.support.server import Frame, Served, all_frames, frames_of, serving
from tests.support.stores.services import services_at
from troly.errors import StoreError
from troly.plugin.registry import Registry
from troly.plugin.services import Services

ASK = "/api/v1/ask"


async def ask(served: Served, text: str = "xin chào", **more: object) -> dict[str, object]:
    answered = await served.client.post(ASK, json={"text": text, "mode": "planned", "offline": True, **more})
    assert answered.status_code == 200, answered.text
    body: dict[str, object] = answered.json()
    return body


async def test_a_question_is_answered_as_one_value(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        body = await ask(served)
    assert body["status"] == "completed"
    assert body["text"] == "Dạ\n\nmột một"
    assert "| a |\n|---|\n| 1 |" in str(body["markdown"])
    assert body["conversation"]
    assert body["turn"]
    assert "\x1b" not in json.dumps(body)


async def test_a_question_is_answered_as_events(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        frames = await all_frames(
            served.client, "POST", ASK, json={"text": "xin chào", "mode": "planned", "stream": True}
        )
    assert frames[0].event == "TurnStarted"
    assert frames[-1].event == "TurnCompleted"
    assert [frame.id for frame in frames] == [str(number) for number in range(1, len(frames) + 1)]
    assert [frame.event for frame in frames].count("TurnCompleted") == 1


@pytest.mark.parametrize("after", [0, 1, 4, 400])
async def test_a_stream_goes_on_after_the_last_event_without_gap_or_repetition(
    services: Services, registry: Registry, after: int
) -> None:
    """The same from memory and, later or after a restart, from the store."""
    async with serving(services, registry) as served:
        whole = await all_frames(
            served.client, "POST", ASK, json={"text": "xin chào", "mode": "planned", "stream": True}
        )
        path = f"/api/v1/turns/{whole[0].data['turn']}/events"
        rest = await all_frames(served.client, "GET", path, headers={"Last-Event-ID": str(after)})
    async with serving(services, registry) as again:
        saved = await all_frames(again.client, "GET", path, headers={"Last-Event-ID": str(after)})
    assert rest == whole[after:]
    assert saved == rest


async def test_the_answer_goes_on_while_nobody_listens(services: Services, registry: Registry) -> None:
    with OllamaDouble() as ollama:
        ollama.default = lambda _request: Reply("một hai ba bốn năm sáu bảy tám chín mười", gap=0.02)
        with services_at(services.paths.data / "more", registry, OLLAMA_HOST=ollama.url) as opened:
            plan = Plan(["stream"])
            async with serving(opened, registry_of(planned=planned_mode(plan))) as served:
                question = {"text": "đếm", "mode": "planned", "stream": True}
                async with served.client.stream("POST", ASK, json=question) as response:
                    turn = response.headers["x-turn"]
                    async for frame in frames_of(response):
                        if frame.event == "Token":
                            break
                last = frame.id
                rest = await all_frames(
                    served.client, "GET", f"/api/v1/turns/{turn}/events", headers={"Last-Event-ID": last}
                )
    assert rest[0].id == str(int(last) + 1)
    assert rest[-1].data["text"].endswith("chín mười")


async def test_another_server_on_the_same_data_tells_an_answer_when_it_is_whole(
    services: Services, registry: Registry
) -> None:
    """Whichever server a client comes back to; only the one that writes an answer can stop it."""
    with OllamaDouble() as ollama:
        ollama.default = lambda _request: Reply("một hai ba bốn năm", gap=0.1)
        with services_at(services.paths.data / "more", registry, OLLAMA_HOST=ollama.url) as opened:
            modes = registry_of(planned=planned_mode(Plan(["stream"])))
            async with serving(opened, modes) as writing, serving(opened, modes) as other:
                question = {"text": "đếm", "mode": "planned", "stream": True}
                async with writing.client.stream("POST", ASK, json=question) as response:
                    turn = response.headers["x-turn"]
                    frames = frames_of(response)
                    first = [await anext(frames)]
                    refused = await other.client.post(f"/api/v1/turns/{turn}/cancel")
                    rest, told, value = await asyncio.gather(
                        rest_of(frames),
                        all_frames(other.client, "GET", f"/api/v1/turns/{turn}/events"),
                        other.client.get(f"/api/v1/turns/{turn}"),
                    )
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "server.elsewhere")
    assert told == first + rest
    assert value.json()["text"].endswith("năm")


async def test_an_answer_whose_end_could_not_be_saved_does_not_run_for_ever(
    services: Services, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(services, registry) as served:
        with monkeypatch.context() as broken:
            broken.setattr(services.conversations, "finish_turn", lost)
            failed = await ask(served)
        assert (failed["status"], failed["error"]["code"]) == ("failed", "store.full")  # type: ignore[index]
        await asyncio.to_thread(served.site.hub.recover)
        whole = await ask(served)
        await asyncio.to_thread(served.site.hub.recover)
        served.site.hub._streams.clear()  # as after a minute
        again = await served.client.get(f"/api/v1/turns/{failed['turn']}")
        other = await served.client.get(f"/api/v1/turns/{whole['turn']}")
    assert again.json()["status"] == "interrupted"
    assert other.json()["status"] == "completed"


def lost(*_args: object, **_more: object) -> None:
    raise StoreError("store.full", path="state.db")


async def rest_of(frames: AsyncIterator[Frame]) -> list[Frame]:
    """What is still to come."""
    return [frame async for frame in frames]


async def test_other_peoples_things_are_not_there(services: Services, registry: Registry) -> None:
    """The same answer as for what does not exist, whatever is done with the id."""
    async with serving(services, registry) as served:
        mine = await ask(served)
        theirs = served.key("binh")
        done = 0
        for turn, conversation in ((mine["turn"], mine["conversation"]), ("0" * 34, "0" * 34)):
            wanted: list[tuple[str, str, object]] = [
                ("GET", f"/api/v1/turns/{turn}", None),
                ("GET", f"/api/v1/turns/{turn}/events", None),
                ("GET", f"/api/v1/turns/{turn}/evidence", None),
                ("POST", f"/api/v1/turns/{turn}/cancel", None),
                ("POST", f"/api/v1/turns/{turn}/retry", None),
                ("POST", f"/api/v1/turns/{turn}/feedback", {"verdict": "wrong"}),
                ("GET", f"/api/v1/conversations/{conversation}", None),
                ("PATCH", f"/api/v1/conversations/{conversation}", {"title": "x"}),
                ("DELETE", f"/api/v1/conversations/{conversation}", None),
                ("POST", f"/api/v1/conversations/{conversation}/restore", None),
                ("GET", f"/api/v1/conversations/{conversation}/export", None),
                ("GET", f"/api/v1/conversations/{conversation}/events", None),
                ("GET", f"/v1/conversations/{conversation}", None),
                ("GET", f"/conversations/{conversation}/history", None),
                ("POST", f"/conversations/{conversation}/stream", {"text": "x"}),
                ("POST", f"/conversations/{conversation}/messages", {"text": "x"}),
                ("POST", ASK, {"text": "x", "mode": "planned", "conversation": conversation}),
            ]
            for method, path, body in wanted:
                answered = await served.client.request(method, path, json=body, headers=theirs)
                assert (answered.status_code, answered.json()["error"]["code"]) == (404, "store.not_yours"), (
                    path
                )
                done += 1
        assert done == 34
        listed = await served.client.get("/api/v1/conversations", headers=theirs)
        found = await served.client.get("/api/v1/search?q=chào", headers=theirs)
    assert listed.json() == {"conversations": []}
    assert found.json() == {"hits": []}


async def test_conversations_are_begun_renamed_found_exported_deleted_and_restored(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        client = served.client
        made = await client.post("/api/v1/conversations", json={"mode": "planned"})
        assert made.status_code == 201
        conversation = made.json()["id"]
        path = f"/api/v1/conversations/{conversation}"
        await ask(served, "bảo hành ABC123", conversation=conversation)
        renamed = await client.patch(path, json={"title": "Bảo\x1b[31m hành", "pinned": True})
        assert renamed.json()["title"] == "Bảo hành"
        listed = await client.get("/api/v1/conversations", params={"mode": "planned"})
        assert [one["id"] for one in listed.json()["conversations"]] == [conversation]
        hits = await client.get("/api/v1/search", params={"q": "bao hanh"})
        assert [one["conversation_id"] for one in hits.json()["hits"]] == [conversation]
        whole = await client.get(path)
        assert [one["sender"] for one in whole.json()["messages"]] == ["user", "assistant", "assistant"]
        exported = await client.get(f"{path}/export", params={"form": "csv"})
        assert exported.headers["content-disposition"] == f'attachment; filename="{conversation}.csv"'
        assert "bảo hành ABC123" in exported.content.decode("utf-8-sig")
        assert (await client.delete(path)).status_code == 204
        assert (await client.get(path)).status_code == 404
        assert (await client.post(f"{path}/restore")).json()["id"] == conversation
        assert (await client.get(path)).status_code == 200


async def test_an_export_is_of_a_conversation_whatever_the_path_says(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        body = await ask(served)
        for name in (
            "..%2f..%2fetc%2fpasswd",
            "%2e%2e",
            "a%00b",
            "..%5c..%5cx",
            "%2fetc%2fpasswd",
            "x" * 3000,
        ):
            tried = await served.client.get(f"/api/v1/conversations/{name}/export")
            assert tried.status_code in (404, 405), name
        path = f"/api/v1/conversations/{body['conversation']}/export"
        for form in ("../x", "html", "", "md\r\nX-Y: z"):
            tried = await served.client.get(path, params={"form": form})
            assert tried.status_code == 422, form
            assert "x-y" not in tried.headers


async def test_an_answer_is_marked_as_wrong_and_right_again(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        turn = (await ask(served))["turn"]
        path = f"/api/v1/turns/{turn}/feedback"
        wrong = await served.client.post(path, json={"verdict": "wrong", "reason": "facts", "note": "sai"})
        assert wrong.json()["case"] == f"wrong-{turn}"
        right = await served.client.post(path, json={"verdict": "right"})
        assert right.json()["taken_back"] is True
        strange = await served.client.post(path, json={"verdict": "wrong", "reason": "because"})
        assert strange.status_code == 422


async def test_the_evidence_shows_the_steps(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        turn = (await ask(served))["turn"]
        found = await served.client.get(f"/api/v1/turns/{turn}/evidence")
    assert [step["node"] for step in found.json()["evidence"]["steps"]] == ["n0", "n1", "n2"]


async def test_an_answer_is_stopped_and_asked_again(
    services: Services, registry: Registry, plan: Plan
) -> None:
    plan.actions[:] = ["say", "hang"]
    async with serving(services, registry) as served:
        asking = asyncio.create_task(ask(served))
        await asyncio.wait_for(plan.reached.wait(), 60)
        (turn,) = served.site.hub._streams
        busy = await served.client.post(
            ASK, json={"text": "nữa", "conversation": served.site.hub._streams[turn].turn.conversation_id}
        )
        assert (busy.status_code, busy.json()["error"]["code"]) == (409, "server.busy")
        assert (await served.client.post(f"/api/v1/turns/{turn}/cancel")).json() == {"stopped": True}
        stopped = await asking
        assert (stopped["status"], stopped["text"]) == ("stopped", "một")
        assert (await served.client.post(f"/api/v1/turns/{turn}/cancel")).json() == {"stopped": False}
        plan.reached.clear()
        again = asyncio.create_task(served.client.post(f"/api/v1/turns/{turn}/retry"))
        await asyncio.wait_for(plan.reached.wait(), 60)
        assert len(served.site.hub._streams) == 2
        await served.site.hub.close()
        assert (await again).json()["status"] == "interrupted"


async def test_the_same_question_may_be_asked_by_many_at_once(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        answers = await asyncio.gather(*(ask(served, f"câu {number}") for number in range(20)))
    assert len({one["conversation"] for one in answers}) == 20
    assert {one["status"] for one in answers} == {"completed"}


async def test_a_full_server_says_so(services: Services, registry: Registry, plan: Plan) -> None:
    plan.actions[:] = ["hang"]
    async with serving(services, registry, turns=1) as served:
        first = asyncio.create_task(ask(served))
        await asyncio.wait_for(plan.reached.wait(), 60)
        second = await served.client.post(ASK, json={"text": "b", "mode": "planned"})
        assert (second.status_code, second.json()["error"]["code"]) == (503, "server.full")
        assert second.headers["retry-after"]
        await served.site.hub.close()
        assert (await first)["status"] == "interrupted"


async def test_a_question_that_cannot_be_asked_is_refused_before_it_is_saved(
    services: Services, registry: Registry
) -> None:
    async with serving(services, registry) as served:
        for question, status, code in (
            ({"text": "x", "mode": "nobody"}, 404, "mode.unknown"),
            ({"text": "\x00 \x1b[0m", "mode": "planned"}, 422, "turn.empty"),
            ({"text": "", "mode": "planned"}, 422, "server.form"),
            ({"text": "x", "mode": "planned", "colour": "red"}, 422, "server.form"),
        ):
            refused = await served.client.post(ASK, json=question)
            assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
        listed = await served.client.get("/api/v1/conversations")
    assert listed.json() == {"conversations": []}


async def test_assistants_are_listed(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        found = await served.client.get("/api/v1/modes")
        limited = await served.client.get("/api/v1/modes", headers=served.key("an", modes=("other",)))
    assert [one["id"] for one in found.json()["modes"]] == ["other", "planned"]
    assert [one["id"] for one in limited.json()["modes"]] == ["other"]


async def test_who_looks_on_sees_messages_as_they_come(services: Services, registry: Registry) -> None:
    async with serving(services, registry) as served:
        conversation = (await ask(served))["conversation"]
        seen: list[str] = []
        path = f"/api/v1/conversations/{conversation}/events"

        async def look() -> None:
            async with served.client.stream("GET", path) as response:
                async for frame in frames_of(response):
                    seen.append(frame.data["text"])  # noqa: PERF401 (looked at as they come)

        looking = asyncio.create_task(look())
        await until(lambda: bool(served.site.hub._changed))
        await ask(served, "nữa", conversation=conversation)
        await until(lambda: len(seen) == 3)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
    assert seen == ["nữa", "Dạ", "một một"]
