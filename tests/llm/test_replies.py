"""Structured decisions: the model's value when it is valid, one repair, else the rules, with the reason."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from tests.support.ollama.clients import HELLO, session_for
from tests.support.ollama.double import Fault, OllamaDouble, Reply, closed_port_url
from tests.support.process.waiting import until
from troly.llm.failures import inner_error
from troly.llm.replies import BadReplyError, parse, reply_tokens, sent_schema
from troly.llm.session import Budget


class Intent(BaseModel):
    intent: Literal["warranty", "greeting", "clarify"]
    confidence: float = Field(ge=0, le=1)
    serial: str | None = None


class Names(RootModel[list[str]]):
    pass


class Term(BaseModel):
    until: date


GOOD = {"intent": "warranty", "confidence": 0.9, "serial": "SN1"}


def rules() -> Intent:
    return Intent(intent="clarify", confidence=0.0)


async def test_a_valid_value_comes_from_the_model() -> None:
    with OllamaDouble() as server:
        server.script(GOOD)
        async with session_for(server.url) as session:
            decision = await session.decide("intent", Intent, HELLO, rules, role="small")
    assert decision.value == Intent(intent="warranty", confidence=0.9, serial="SN1")
    assert (decision.source, decision.reason) == ("model", "")
    body = server.chats[0].body
    assert body["format"] == Intent.model_json_schema()
    assert body["stream"] is True
    assert body["options"]["temperature"] == 0
    assert "think" not in body
    assert (session.calls[0].kind, session.calls[0].model) == ("decide", "qwen2.5:7b-instruct")


@pytest.mark.parametrize(("model", "think"), [("gpt-oss:latest", "low"), ("qwen3:4b", False)])
async def test_a_thinking_model_is_asked_to_think_little(model: str, think: str | bool) -> None:
    with OllamaDouble({model: ["completion", "thinking"]}) as server:
        server.script(GOOD)
        async with session_for(server.url) as session:
            assert (await session.decide("intent", Intent, HELLO, rules)).source == "model"
    assert server.chats[0].body["think"] == think


@pytest.mark.parametrize(
    "bad", ["sorry, no", '{"intent": "warranty", "conf', {"intent": "refund", "confidence": 2}, "[1, 2]"]
)
async def test_a_bad_reply_is_repaired_once(bad: object) -> None:
    with OllamaDouble() as server:
        server.script(bad, GOOD)  # type: ignore[arg-type]
        async with session_for(server.url) as session:
            decision = await session.decide("intent", Intent, HELLO, rules)
    assert (decision.source, decision.value.serial, len(session.calls)) == ("model", "SN1", 2)
    *_, shown, asked = server.chats[1].messages
    assert shown["role"] == "assistant"
    assert shown["content"]
    assert "confidence" in asked["content"]
    if isinstance(bad, dict):
        assert "less than or equal to 1" in asked["content"]


async def test_two_bad_replies_leave_it_to_the_rules() -> None:
    with OllamaDouble() as server:
        server.script("no", "still no", "never asked")
        async with session_for(server.url) as session:
            decision = await session.decide("intent", Intent, HELLO, rules)
    assert (decision.value, decision.source, decision.reason) == (rules(), "rules", "ollama.bad_json")
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("not_found", "ollama.model_missing"),
        ("server_error", "ollama.server_error"),
        ("refuse_load", "ollama.out_of_memory"),
        ("error_line", "ollama.stream_error"),
        ("junk", "ollama.junk"),
        ("cut", "ollama.cut"),
        ("hang", "ollama.timeout_first"),
        ("hang_mid", "ollama.timeout_stall"),
        ("empty", "ollama.empty"),
    ],
)
async def test_a_failing_model_leaves_it_to_the_rules(fault: Fault, reason: str) -> None:
    # Only a fault that is told by waiting is waited for shortly: a busy machine is late with the others too.
    first, later = (0.2 if fault == "hang" else 20.0), (0.2 if fault == "hang_mid" else 20.0)
    with OllamaDouble() as server:
        server.script(Reply('{"intent": "warranty", "confidence": 0.9}', fault=fault))
        async with session_for(server.url, first_token_timeout=first, read_timeout=later) as session:
            decision = await session.decide("intent", Intent, HELLO, rules)
    assert (decision.value, decision.source, decision.reason) == (rules(), "rules", reason)
    assert len(server.chats) == 1


async def test_a_complete_value_without_a_proper_end_is_taken() -> None:
    with OllamaDouble() as server:
        server.script(Reply('{"intent": "greeting", "confidence": 1}', fault="no_done"))
        server.script(Reply('{"intent": "greet', fault="no_done"))
        async with session_for(server.url) as session:
            assert (await session.decide("intent", Intent, HELLO, rules)).source == "model"
            assert (await session.decide("intent", Intent, HELLO, rules)).reason == "ollama.no_done"


async def test_without_a_server_offline_or_budget_the_rules_decide() -> None:
    async with session_for(closed_port_url()) as session:
        decision = await session.decide("intent", Intent, HELLO, rules)
        assert (decision.value, decision.reason) == (rules(), "ollama.down")
    with OllamaDouble() as server:
        async with session_for(server.url, offline=True) as session:
            assert (await session.decide("intent", Intent, HELLO, rules)).reason == "offline"
        assert not server.requests
        server.script("no", GOOD)
        async with session_for(server.url, Budget(calls=1)) as session:
            assert (await session.decide("intent", Intent, HELLO, rules)).reason == "ollama.budget"
        assert len(server.chats) == 1


async def test_cancelling_a_decision_closes_the_connection() -> None:
    with OllamaDouble() as server:
        server.script(Reply("{}", fault="hang"))
        async with session_for(server.url) as session:
            task = asyncio.create_task(session.decide("intent", Intent, HELLO, rules))
            await until(lambda: server.chats)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: server.chats[0].disconnected)


@pytest.mark.parametrize(
    "around",
    ["{}", "```json\n{}\n```", "Đây ạ: {} Chúc vui!", "<think>maybe {{}}?</think>\n{}", "\ufeff  {}\n"],
)
def test_text_around_the_json_is_passed_over(around: str) -> None:
    reply = around.replace("{{}}", "\0").replace("{}", '{"intent": "greeting", "confidence": 1}')
    assert parse(reply.replace("\0", "{}"), Intent).intent == "greeting"


def test_lists_and_dates_are_read() -> None:
    assert parse('Names: ["An", "Bình"]', Names).root == ["An", "Bình"]
    assert parse('{"until": "2027-12-31"}', Term).until == date(2027, 12, 31)


def test_strings_are_cleaned() -> None:
    reply = r'{"intent": "warranty", "confidence": 1, "serial": "SN\u001b[31m1\u202e\ud800"}'
    assert parse(reply, Intent).serial == "SN1"


@given(st.text() | st.text(alphabet='{}[]",:0 ').map(lambda text: "{" + text))
def test_any_reply_is_a_value_or_a_bad_reply(reply: str) -> None:
    with suppress(BadReplyError):
        assert isinstance(parse(reply, Intent), Intent)


def test_a_reply_of_endless_brackets_is_a_bad_reply() -> None:
    with pytest.raises(BadReplyError):
        parse('{"a":' * 100_000, Intent)


def _schemas() -> list[type[BaseModel]]:
    """Every shape that an assistant may ask a model for."""
    root = Path(__file__).parents[2] / "modes"
    files = [file for file in sorted(root.rglob("*.py")) if "(BaseModel)" in file.read_text("utf-8")]
    modules = [import_module(".".join(file.relative_to(root).with_suffix("").parts)) for file in files]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return [one for one in found if issubclass(one, BaseModel) and one is not BaseModel]


def test_no_schema_that_is_sent_has_a_limit_that_grammars_refuse() -> None:
    found = _schemas()
    assert len(found) > 5
    for schema in found:
        sent = json.dumps(sent_schema(schema))
        assert all(
            int(limit) < 2_000 for limit in re.findall(r'"m(?:ax|in)(?:Length|Items)": (\d+)', sent)
        ), schema
        assert 0 < reply_tokens(schema) <= 1_024


@given(st.recursive(st.none() | st.integers() | st.text(max_size=8), lambda inner: st.dictionaries(st.sampled_from(["error", "message", "n_ctx", "code"]), inner | inner.map(json.dumps)), max_leaves=6))  # fmt: skip
def test_any_refusal_is_words(said: object) -> None:
    for words in (said, json.dumps(said), f"x{json.dumps(said)}y", str(said)):
        assert "message" in inner_error(words)


def test_a_refusal_within_a_refusal_is_understood() -> None:
    inner = {
        "error": {
            "message": "the request exceeds the available context size",
            "n_prompt_tokens": 9,
            "n_ctx": 4,
        }
    }
    for words in (
        json.dumps(inner),
        json.dumps({"error": json.dumps(inner)}),
        f"llama runner: {json.dumps(inner)}",
    ):
        found = inner_error(words)
        assert (found["message"], found["n_ctx"]) == ("the request exceeds the available context size", 4)
