"""LangGraph runs without LangSmith's client; whoever needs the real package gets it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BUILT = """
import sys
from troly.plugin.untraced import import_langgraph
import_langgraph()
from langgraph.graph import END, START, StateGraph
from typing import TypedDict
State = TypedDict("State", {"said": str}, total=False)
builder = StateGraph(State)
builder.add_node("node", lambda state: {"said": "done"})
builder.add_edge(START, "node")
builder.add_edge("node", END)
said = builder.compile().invoke({})["said"]
"""

OLD_MODEL = """import langchain_core.utils.pydantic as lc, pydantic.v1 as old
    print(lc.is_pydantic_v1_subclass(type("Old", (old.BaseModel,), {})), lc.is_pydantic_v1_subclass(int))"""


def run(code: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BUILT + code], capture_output=True, text=True, env={**os.environ, **env}, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_graph_runs_and_nothing_of_the_client_is_imported() -> None:
    packages = ("langsmith", "requests", "urllib3", "langgraph_sdk", "websockets", "opentelemetry")
    code = f"print(said, *sorted(name for name in sys.modules if name.partition('.')[0] in {packages}))"
    said, *loaded = run(code).split()
    assert said == "done"
    assert loaded == [
        "langsmith",
        *(f"langsmith.{p}" for p in ("address", "run_helpers", "run_trees", "utils")),
    ]


def test_nothing_is_traced_even_where_the_environment_asks_for_it() -> None:
    code = "from langchain_core.tracers.context import _tracing_v2_is_enabled as on; print(said, on())"
    assert run(code, LANGSMITH_TRACING="true", LANGCHAIN_TRACING_V2="true") == "done False"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("from langsmith import traceable; print(traceable(lambda x: x + 1)(1))", "2"),
        ("import langsmith.schemas as s; print(s.Run.__module__)", "langsmith.schemas"),
        ("from langsmith.utils import get_env_var; print(get_env_var.__module__)", "langsmith.utils"),
        ("from langsmith import RunTree as R; print(R(name='a', run_type='chain').name)", "a"),
        ("from langsmith.run_trees import RunTree as R; print('name' in R.model_fields)", "True"),
        ("from langsmith import Client; print(Client(api_key='x').api_url[:5])", "https"),
        ("from langsmith import nothing_of_the_kind", "ImportError"),
        ("import requests; print(issubclass(requests.HTTPError, requests.RequestException))", "True"),
        ("from langgraph_sdk.auth.types import BaseUser; print(hasattr(BaseUser, 'identity'))", "True"),
        (OLD_MODEL, "True False"),
        ("import langgraph.pregel.remote as remote; print(remote.RemoteGraph.__name__)", "RemoteGraph"),
    ],
)
def test_whoever_asks_for_more_gets_the_real_package(code: str, said: str) -> None:
    """And graphs go on."""
    after = "\nprint(builder.compile().invoke({})['said'])"
    guarded = f"\ntry:\n    {code}\nexcept ImportError as error:\n    print(type(error).__name__)"
    assert run(guarded + after, LANGSMITH_TRACING="false").splitlines() == [said, "done"]


def test_runs_can_be_watched() -> None:
    code = """
import asyncio
from langchain_core.runnables import RunnableLambda
async def watch():
    return [event["event"] async for event in RunnableLambda(lambda x: x + 1).astream_events(1, version="v2")]
print(*asyncio.run(watch()))
"""
    assert run(code).split() == ["on_chain_start", "on_chain_stream", "on_chain_end"]


def test_a_package_that_is_there_already_stays() -> None:
    code = "print(sys.modules['langsmith'] is before, said)"
    first = "import langsmith as before\n"
    done = subprocess.run(
        [sys.executable, "-c", first + BUILT + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "done"]
