"""One turn's models: streaming, budget, offline, a server that is away, records for the trace and for replay."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
from contextlib import aclosing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.support.ollama.clients import (
    HELLO,
    MODELS,
    client_for,
    open_session,
    session_for,
    settings_for,
    whole,
)
from tests.support.ollama.double import Fault, OllamaDouble, Reply, closed_port_url
from tests.support.process.waiting import until
from troly.errors import ModelError
from troly.llm.hosts import ModelHosts
from troly.llm.replies import repeats
from troly.llm.session import BEYOND_LIMIT, NO_VALUE_BY, Budget, ModelSession
from troly.llm.source import ANSWER_TOKENS, ReplayedCalls
from troly.llm.types import CallRecord, unpack_vector


async def test_streams_and_records_the_call() -> None:
    with OllamaDouble() as server:
        server.script("Chào bạn")
        async with session_for(server.url) as session:
            assert await whole(session.stream("greet", HELLO)) == "Chào bạn"
    (call,) = session.calls
    assert (call.task, call.kind, call.model, call.wanted) == ("greet", "stream", "gpt-oss:latest", "")
    assert (call.prompt, call.reply, call.error) == (HELLO, "Chào bạn", "")
    assert call.prompt_tokens
    assert call.completion_tokens
    assert call.ttft_ms is not None
    assert 0 < call.ttft_ms <= call.ms


async def test_another_model_that_stands_in_is_named() -> None:
    with OllamaDouble({"llama3.2:3b": ["completion"]}) as server:
        async with session_for(server.url) as session:
            await whole(session.stream("greet", HELLO))
    assert (session.calls[0].model, session.calls[0].wanted) == ("llama3.2:3b", "gpt-oss")


async def test_old_history_is_dropped_and_counted_and_the_window_is_sent() -> None:
    past = [{"role": "user", "content": "bảo hành " * 100}] * 30
    with OllamaDouble(context=2048) as server:
        async with session_for(server.url) as session:
            await whole(session.stream("answer", [{"role": "system", "content": "Troly"}, *past, *HELLO]))
    sent = server.chats[0]
    assert sent.body["options"]["num_ctx"] == 2048
    assert sent.messages[0]["content"] == "Troly"
    assert sent.last_user == "Xin chào"
    assert session.calls[0].dropped == 32 - len(sent.messages) > 0


async def test_a_message_too_long_is_not_sent() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url, context_tokens=512) as session:
            with pytest.raises(ModelError) as caught:
                await whole(session.stream("answer", [{"role": "user", "content": "dài " * 4000}]))
        assert caught.value.key == "ollama.too_long"
        assert not server.chats


async def test_offline_makes_no_request_at_all() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url, offline=True) as session:
            assert session.reason_unavailable == "offline"
            for ask in (whole(session.stream("a", HELLO)), session.embed(["x"], task="b")):
                with pytest.raises(ModelError, match="offline"):
                    await ask
        assert not server.requests
    assert session.calls == []
    assert session.skipped == [("a", "offline"), ("b", "offline")]
    assert ModelSession(None, MODELS.__getitem__).reason_unavailable == "offline"


async def test_a_server_that_is_away_costs_one_look() -> None:
    async with client_for(closed_port_url()) as client:
        session = await open_session(client)
        assert session.reason_unavailable == "ollama.down"
        with pytest.raises(ModelError, match="ollama serve"):
            await whole(session.stream("answer", HELLO))
    assert session.calls == []
    assert session.skipped == [("answer", "ollama.down")]


async def test_what_a_turn_began_with_holds_to_its_end() -> None:
    """A turn that takes long does not change its mind half way: nothing of it depends on how quick the machine is."""
    with OllamaDouble() as server:
        server.down()
        async with client_for(server.url) as client:
            session = await open_session(client)
            server.up()
            assert (await client.health(max_age=0)).up
            assert session.reason_unavailable == "ollama.down"
            assert (await open_session(client)).reason_unavailable is None


async def test_a_server_that_dies_in_the_turn_is_not_waited_for_again() -> None:
    with OllamaDouble() as server:
        async with client_for(server.url) as client:
            session = await open_session(client)
            assert session.reason_unavailable is None
            server.down()
            for _ in range(2):
                with pytest.raises(ModelError, match="ollama serve"):
                    await whole(session.stream("answer", HELLO))
            assert session.reason_unavailable == "ollama.down"
            assert len(session.calls) == 1
            server.up()
            await client.health(max_age=0)
            session = await open_session(client)
            assert await whole(session.stream("answer", HELLO))


async def test_a_silent_model_is_asked_once_a_turn_and_other_models_still_answer() -> None:
    with OllamaDouble() as server:
        server.script(Reply(fault="hang"))
        async with session_for(server.url, first_token_timeout=0.6) as session:
            for _ in range(2):
                with pytest.raises(ModelError, match="Not a word"):
                    await whole(session.stream("answer", HELLO))
            assert await whole(session.stream("answer", HELLO, role="small"))
    assert [call.error for call in session.calls] == ["ollama.timeout_first", ""]


async def test_the_budget_counts_answers_and_no_embeddings() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url, Budget(calls=1)) as session:
            await session.embed(["x"])
            await whole(session.stream("answer", HELLO))
            assert session.reason_unavailable == "ollama.budget"
            with pytest.raises(ModelError, match="budget"):
                await whole(session.stream("answer", HELLO))
            await session.embed(["y"])
        assert len(server.chats) == 1
    assert session.skipped == [("answer", "ollama.budget")]


async def test_a_text_is_embedded_once_a_turn_also_by_parallel_branches() -> None:
    with OllamaDouble(dims=8) as server:
        async with session_for(server.url) as session:
            first, second, both = await asyncio.gather(
                session.embed(["giá"]), session.embed(["giá"]), session.embed(["giá", "phòng", "phòng"])
            )
    sent = [request.body["input"] for request in server.requests if request.path == "/api/embed"]
    assert sent == [["giá"], ["phòng"]]
    assert first == second == both[:1]
    assert both[1] == both[2] != both[0]


@pytest.mark.parametrize("fault", ["endless", "deaf"])
async def test_a_model_that_does_not_stop_is_stopped(fault: Fault) -> None:
    with OllamaDouble() as server:
        server.script(*[Reply("một hai ba ", fault=fault)] * 3)
        async with session_for(server.url) as session:
            said = await whole(session.stream("answer", HELLO, role="small", tokens=50))
            decision = await session.decide(
                "choice", Choice, HELLO, lambda: Choice(pick="rules"), role="small"
            )
    asked = [request.body["options"]["num_predict"] for request in server.chats]
    assert asked == [50, 1024]
    assert len(said.split()) <= 50 + 40
    assert [call.finish for call in session.calls] == ["length", "length"]
    assert (decision.value.pick, decision.source, decision.reason) == ("rules", "rules", "ollama.length")


async def test_a_model_that_says_the_same_over_and_over_is_stopped_early() -> None:
    with OllamaDouble() as server:
        server.script(Reply("một hai ba bốn ", fault="endless"))
        async with session_for(server.url) as session:
            said = await whole(session.stream("answer", HELLO, tokens=100_000))
    assert len(said) < 1_500
    assert session.calls[0].finish == "length"


@pytest.mark.parametrize(("role", "kind"), [("chat", "stream"), ("chat", "decide"), ("small", "decide")])
async def test_text_without_end_and_without_repetition_is_stopped(role: str, kind: str) -> None:
    """Also of a model that may think: thoughts that were not needed leave no room for a longer answer."""
    with OllamaDouble() as server:
        server.script(*[Reply(" ".join(f"w{number}" for number in range(9_000)), fault="deaf")] * 2)
        async with session_for(server.url) as session:
            if kind == "stream":
                await whole(session.stream("answer", HELLO, role=role))
            else:
                await session.decide("choice", Choice, HELLO, lambda: Choice(pick=""), role=role)
    call = session.calls[0]
    assert call.finish == "length"
    assert len(call.reply.split()) <= (ANSWER_TOKENS if kind == "stream" else NO_VALUE_BY) + 2 * BEYOND_LIMIT


@given(st.text(max_size=30), st.text(min_size=1, max_size=120), st.integers(1, 60))
def test_only_many_repetitions_are_a_loop(before: str, piece: str, times: int) -> None:
    if times >= 8 and len(piece) * times >= 400 + len(piece):
        assert repeats(before + piece * times)
    assert not repeats(before + "".join(f"{number} " for number in range(times)))


class Choice(BaseModel):
    """What the model is asked to choose."""

    pick: str = Field(max_length=8_000)


async def test_every_call_has_a_limit_and_a_model_that_thinks_gets_more() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url) as session:
            await whole(session.stream("answer", HELLO))
            await whole(session.stream("answer", HELLO, role="small"))
            await session.decide("choice", Choice, HELLO, lambda: Choice(pick=""), role="small")
            await session.use_tools("tools", HELLO, [], role="small")
    asked = [request.body["options"]["num_predict"] for request in server.chats]
    assert asked == [1792, 768, 1024, 768]
    assert "maxLength" not in str(server.chats[2].body["format"])


async def test_a_server_with_a_smaller_window_is_asked_again_with_less() -> None:
    past = [{"role": "user", "content": "bảo hành " * 100}] * 30
    with OllamaDouble() as server:
        server.window = 2_500
        async with session_for(server.url) as session:
            assert await whole(session.stream("answer", [*past, *HELLO], role="small"))
        async with session_for(server.url) as session:
            with pytest.raises(ModelError) as caught:
                await whole(session.stream("answer", [{"role": "user", "content": "dài " * 2_000}]))
    first, second, *_ = server.chats
    assert first.body["truncate"] is False
    assert len(second.messages) < len(first.messages)
    assert second.body["options"]["num_ctx"] == 2_500
    error = caught.value
    assert (error.key, error.params["limit"]) == ("ollama.refused_length", 2_500)
    assert "OLLAMA_CONTEXT_LENGTH" in error.render("en").remedy
    assert "{" not in error.render("vi").line()


@pytest.mark.parametrize("fault", ["no_schema", "no_thinking"])
async def test_what_a_server_lacks_is_found_out_once_and_done_without(fault: Fault) -> None:
    with OllamaDouble() as server:
        server.fault = fault
        server.default = lambda _request: Reply('{"pick": "model"}')
        async with client_for(server.url) as client:
            for _ in range(2):
                session = ModelSession(client, MODELS.__getitem__)
                decision = await session.decide("choice", Choice, HELLO, lambda: Choice(pick="rules"))
                assert (decision.value.pick, decision.source) == ("model", "model")
                assert len(session.calls) == 1
    sent = [("format" in request.body, "think" in request.body) for request in server.chats]
    lacking = (False, True) if fault == "no_schema" else (True, False)
    assert sent == [(True, True), lacking, lacking]
    assert ("schema" in server.chats[-1].last_user) == (fault == "no_schema")


async def test_a_prompt_that_the_server_cut_silently_is_noticed() -> None:
    with OllamaDouble() as server:
        async with session_for(server.url) as session:
            await whole(session.stream("answer", [{"role": "user", "content": "bảo hành " * 1_000}]))
            server.window, server.cuts_silently = 600, True
            await whole(session.stream("answer", [{"role": "user", "content": "bảo hành " * 1_000}]))
    assert [call.prompt_lost for call in session.calls] == [False, True]


async def test_a_model_that_is_being_loaded_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("troly.llm.session.LOADING_AFTER", 0.05)
    told: list[str] = []
    with OllamaDouble() as server:
        server.loading_done = loaded = threading.Event()

        def loading(model: str, _ahead: int | None) -> None:
            told.append(model)
            loaded.set()

        async with client_for(server.url) as client:
            session = await open_session(client, on_loading=loading)
            await whole(session.stream("answer", HELLO))
            server.script(Reply("chậm", first_delay=0.2))
            await whole(session.stream("answer", HELLO))
    assert told == ["gpt-oss:latest"]


async def test_a_question_that_waits_says_so_and_names_who_answered() -> None:
    told: list[int | None] = []
    with OllamaDouble() as server:
        client = ModelHosts(settings_for(server.url, parallel=1))
        session = await open_session(client, on_loading=lambda _model, ahead: told.append(ahead))
        async with aclosing(client.chat("gpt-oss:latest", HELLO)) as other:
            await anext(other)
            answer = asyncio.create_task(whole(session.stream("answer", HELLO)))
            await until(lambda: told == [0])
        assert await answer
        await client.aclose()
    (call,) = session.calls
    assert call.host == server.url


async def test_a_substitute_does_what_is_needed() -> None:
    models = {"llava:7b": ["completion", "vision"], "qwen3:4b": ["completion", "tools"]}
    with OllamaDouble(models) as server:
        async with session_for(server.url) as session:
            await whole(session.stream("answer", HELLO))
            await session.use_tools("tools", HELLO, [{"type": "function", "function": {"name": "x"}}])
    assert [call.model for call in session.calls] == ["llava:7b", "qwen3:4b"]


async def test_the_budget_of_seconds_ends_a_running_answer() -> None:
    with OllamaDouble() as server:
        server.script(Reply("một hai ba", fault="hang_mid"))
        async with session_for(server.url, Budget(seconds=0.3)) as session:
            with pytest.raises(ModelError, match="budget"):
                await whole(session.stream("answer", HELLO))
            await until(lambda: server.chats[0].disconnected)
    assert (session.calls[0].reply, session.calls[0].error) == ("một hai", "ollama.budget")


@pytest.mark.parametrize("fault", ["cut", "error_line", "no_done", "junk"])
async def test_a_failing_answer_keeps_what_was_said(fault: Fault) -> None:
    with OllamaDouble() as server:
        server.script(Reply("một hai ba", fault=fault))
        said = ""
        async with session_for(server.url) as session:
            with suppress(ModelError):
                async for piece in session.stream("answer", HELLO):
                    said += piece
    assert said.startswith("một hai")
    assert session.calls[0].reply == said
    assert session.calls[0].error.startswith("ollama.")


async def test_an_empty_answer_is_an_error() -> None:
    with OllamaDouble() as server:
        server.script(Reply(fault="empty"))
        async with session_for(server.url) as session:
            with pytest.raises(ModelError, match="said nothing"):
                await whole(session.stream("answer", HELLO))


async def test_cancelling_and_leaving_are_recorded_as_stopped() -> None:
    with OllamaDouble() as server:
        server.script(Reply("một hai ba", fault="hang_mid"), Reply("bốn năm sáu", fault="hang_mid"))
        async with session_for(server.url) as session:
            task = asyncio.create_task(whole(session.stream("answer", HELLO)))
            await until(lambda: server.chats and server.chats[0].sent == 2)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            async with aclosing(session.stream("answer", HELLO)) as pieces:
                await anext(pieces)
            await until(lambda: all(request.disconnected for request in server.chats))
    assert [call.error for call in session.calls] == ["turn.stopped", "turn.stopped"]
    assert session.calls[1].reply == "bốn"
    # A stream that was left is closed by a task of the loop.
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_records_survive_json_and_replay_without_a_server() -> None:
    with OllamaDouble(dims=8) as server:
        server.script(Reply("một hai ba", fault="cut"), "trả lời B", "trả lời A")
        async with session_for(server.url) as live:
            with pytest.raises(ModelError):
                await whole(live.stream("first", HELLO))
            await whole(live.stream("answer", [{"role": "user", "content": "B"}]))
            await whole(live.stream("answer", [{"role": "user", "content": "A"}]))
            vectors = await live.embed(["bảo hành", "giá"])
    saved = json.loads(json.dumps([dataclasses.asdict(call) for call in live.calls]))
    replay = ModelSession(ReplayedCalls([CallRecord.from_dict(call) for call in saved]), MODELS.__getitem__)
    with pytest.raises(ModelError, match="connection to Ollama broke"):
        await whole(replay.stream("first", HELLO))
    assert replay.calls[0].reply == "một hai"
    assert await whole(replay.stream("answer", [{"role": "user", "content": "A"}])) == "trả lời A"
    assert await whole(replay.stream("answer", [{"role": "user", "content": "changed"}])) == "trả lời B"
    assert await replay.embed(["bảo hành", "giá"]) == [pytest.approx(vector) for vector in vectors]
    assert [unpack_vector(packed) for packed in replay.calls[-1].vectors] == [
        pytest.approx(v) for v in vectors
    ]
    with pytest.raises(ModelError, match="recording lacks"):
        await whole(replay.stream("answer", HELLO))
    assert replay.calls[1].model == "gpt-oss:latest"


async def test_the_recorder_sees_each_call_as_it_ends() -> None:
    seen: list[str] = []
    with OllamaDouble() as server:
        async with client_for(server.url) as client:
            session = await open_session(
                client,
                Budget(calls=20),
                recorder=lambda call: seen.append(call.task),
            )
            await asyncio.gather(*(whole(session.stream(f"branch {i}", HELLO)) for i in range(8)))
    assert sorted(seen) == [f"branch {i}" for i in range(8)]
    assert len(session.calls) == 8
