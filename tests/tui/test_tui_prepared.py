"""What an assistant needs for its first answer is there when it is shown: nothing heavy is imported while one waits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ASKED = """
import asyncio, os, sys
from troly.config import load_settings
from troly.paths import Paths
from troly.tui.opening import open_all
from troly.tui.port import Question
paths = Paths.resolve(os.environ)
mode, question = sys.argv[1:]
house = open_all(paths, load_settings(paths), mode, os.environ)
house.stock(mode, "vi")
house.preload_first()
before, heard = set(sys.modules), []
async def ask():
    asked = Question(mode, question, None, "vi")
    await house.answer(asked, lambda event, _id: heard.append(event), lambda _stop: None)
    await house.close()
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
def test_the_first_answer_imports_nothing_heavy(mode: str, question: str) -> None:
    ended, *imported = subprocess.run(
        [sys.executable, "-c", ASKED, mode, question],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TROLY_DENTAL__SEARCH": "off"},
    ).stdout.split()
    assert ended == "TurnCompleted"
    assert not HEAVY & set(imported)
