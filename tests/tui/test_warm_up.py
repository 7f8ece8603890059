"""What an assistant needs for its first answer is there when it is shown: nothing heavy is imported while one waits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.modes.replays import person_at

ASKED = """
import asyncio, os, sys
from troly.config.load import load_settings
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.paths import Paths
from troly.plugin.registry import Registry
from troly.tui import operations
paths = Paths.resolve(os.environ)
mode, question = sys.argv[1:]
registry = Registry()
session = Session.open(paths, load_settings(paths, sections=registry.sections()), registry, os.environ)
operations.warm_up(session, mode)
before, heard = set(sys.modules), []
async def ask():
    turn = run_turn(session, TurnRequest(mode, question))
    async for event in turn.events():
        heard.append(event)
    await session.services.llm.aclose()
    session.services.close()
asyncio.run(ask())
print(type(heard[-1]).__name__, *sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
HEAVY = {
    "langgraph",
    "langsmith",
    "pydantic_core",
    "duckdb",
    "sqlglot",
    "rapidfuzz",
    "mcp",
    "starlette",
    "chromadb",
}


@pytest.mark.parametrize(
    ("mode", "question"),
    [
        ("shopping", "xin chào"),
        ("analysis", "Tổng doanh thu quý 3"),
        ("rental", "phòng dưới 3tr5 ở gò vấp"),
        ("dental", "răng số 6 bị buốt khi uống nước lạnh"),
        ("rag", "giá trị cốt lõi là gì"),
    ],
)
def test_the_first_answer_imports_nothing_heavy(own_home: Path, mode: str, question: str) -> None:
    with person_at(own_home, mode):
        pass  # its samples are loaded
    ended, *imported = subprocess.run(
        [sys.executable, "-c", ASKED, mode, question],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TROLY_DENTAL__SEARCH": "off"},
    ).stdout.split()
    assert ended == "TurnCompleted"
    assert not HEAVY & set(imported)
