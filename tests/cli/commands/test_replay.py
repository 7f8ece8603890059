"""`app replay` and `app wrong` on the command line, in processes of their own with other hash seeds."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.modes.made import BUILT_IN
from tests.support.modes.replays import person_at
from tests.support.process.command_line import CommandLine


def asked(app: CommandLine, *texts: str) -> tuple[str, list[str]]:
    """A conversation of the shop: its id and its turns."""
    conversation, turns = "", []
    for text in texts:
        more = ["--conversation", conversation] if conversation else []
        ran = app.run("ask", "--offline", "--json", *more, text)
        first = json.loads(ran.out.splitlines()[0])
        conversation = first["conversation"]
        turns.append(first["turn"])
    return conversation, turns


async def test_another_process_with_another_hash_seed_replays_to_the_byte(own_home: Path) -> None:
    conversations = []
    for mode in BUILT_IN:
        with person_at(own_home / mode, mode) as person:
            for question in person.questions()[2:5]:
                await person.ask(question)
            await person.services.llm.aclose()
        conversations += [str(own_home / mode), str(person.conversation)]
    env = {
        **os.environ,
        "PYTHONHASHSEED": "4711",
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "TROLY_DENTAL__SEARCH": "off",
    }
    # One process for all five: most of what a process costs is its start.
    code = (
        "import os, sys\nfrom troly.__main__ import main\ncodes, pairs = [], iter(sys.argv[1:])\n"
        "for os.environ['TROLY_HOME'] in pairs:\n"
        "    codes.append(main(['--lang', 'en', 'replay', next(pairs), '--json']))\n"
        "sys.exit(max(codes))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *conversations], env=env, capture_output=True, text=True, check=False
    )
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one["differences"] for one in found] == [[]] * 15, ran.stderr
    assert ran.returncode == 0


def test_what_differs_is_shown_with_its_place(app: CommandLine, own_home: Path) -> None:
    conversation, turns = asked(app, "kiểm tra giúp ABC123", "xin chào")
    assert app.run("replay", conversation).code == 0
    with sqlite3.connect(own_home / "data" / "state.db") as state:
        [(text,)] = state.execute("SELECT trace FROM turns WHERE id = ?", (turns[0],)).fetchall()
        trace: dict[str, Any] = json.loads(text)
        trace["steps"][0]["detail"] = "something else"
        state.execute("UPDATE turns SET trace = ? WHERE id = ?", (json.dumps(trace), turns[0]))
    ran = app.run("replay", conversation, "1")
    assert ran.code == 1
    assert "something else" in ran.out
    assert "StepFinished" in ran.out
    one = json.loads(app.run("replay", conversation, turns[0], "--json").out)
    assert one["same"] is False
    assert one["differences"][0]["changes"][0]["recorded"] == "something else"
    assert app.run("replay", conversation, "2").code == 0


def test_a_turn_that_is_not_there_is_said(app: CommandLine) -> None:
    conversation, _ = asked(app, "xin chào")
    ran = app.run("replay", conversation, "7")
    assert ran.code == 3
    assert "7" in ran.err
    assert app.run("replay", "nonsense").code == 7


def test_a_mark_is_listed_and_taken_back(app: CommandLine) -> None:
    _, [turn] = asked(app, "laptop dưới 20 triệu")
    ran = app.run("wrong", "mark", turn, "--reason", "figures", "--note", "giá sai")
    assert ran.code == 0
    file = ran.out.strip()
    assert app.run("eval", "shopping", "--file", file).code == 0
    [one] = [json.loads(line) for line in app.run("wrong", "list", "--json").out.splitlines()]
    assert (one["turn"], one["reason"], one["note"]) == (turn, "figures", "giá sai")
    assert turn in app.run("wrong", "list").out
    assert app.run("wrong", "undo", turn).code == 0
    assert app.run("wrong", "undo", turn).code == 1
    assert app.run("wrong", "list").out == ""
    assert app.run("wrong", "mark", turn, "--reason", "because").code == 3
