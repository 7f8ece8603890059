"""What a team's servers lose while parts of them die: `python -m tests.bench.faults_team` (two minutes; never part of the tests).

Fifty people ask two `app serve` on one PostgreSQL, Chroma and two Ollama hosts, half of them with a model. The clock of one server
is an hour ahead. Meanwhile the other is killed and started again, PostgreSQL crashes and comes back, so do
Chroma and an Ollama host; the network between that server and PostgreSQL holds every byte for ten seconds; and the disk under its
copies is full while the other one loads a new warranty list. Who gets no whole answer asks something new, at the other server. At
the end each conversation is read: a question whose answer ended is there once, with one answer; one that was cut off is there once
or not at all, and no turn is left running. Prints one JSON line, with what people were told, and fails where anything was lost or doubled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from tests.bench.bench_team import ROOT, ServerProcess, ask, begin, servers, team
from tests.retrieval.test_chroma_server import RunningChroma
from tests.support.ollama.double import OllamaDouble
from tests.support.stores.postgres import postgres_server
from troly.stores.postgres import PostgresDb

PEOPLE = 50
_PAUSE = 0.3
_PARTITION = 10.0
# Seconds within which servers have marked the turns that nobody writes: each looks every fifteen.
_MARKED = 60.0
# What a process runs before all else: its clock is an hour ahead.
_AHEAD = """
import datetime, time
from troly.text import dates
here, seconds = dates.system_clock, time.time
dates.system_clock = lambda: here() + datetime.timedelta(hours=1)
time.time = lambda: seconds() + 3600
"""
_CODE = re.compile(r'"code":\s*"([^"]+)"')


class Person:
    """Somebody who asks on and on; `answered` are the questions whose answers came to their end."""

    def __init__(self, number: int, urls: list[str]) -> None:
        self.number = number
        self.urls = urls
        self.conversation = ""
        self.answered: list[str] = []
        self.failures: Counter[str] = Counter()
        self._asked = 0

    async def talk(self, client: httpx.AsyncClient, ended: Callable[[], bool]) -> None:
        """Ask until `ended`, at another server after each failure."""
        at = self.number
        while not ended():
            url = self.urls[at % len(self.urls)]
            self._asked += 1
            offline = not self.number % 2
            question = "Kiểm tra bảo hành ABC123" if offline else "Kể một chuyện vui"
            question = f"{question} lần {self.number}-{self._asked}"
            try:
                self.conversation = self.conversation or await begin(client, url)
                said = await ask(client, url, self.conversation, question, offline=offline)
            except httpx.HTTPError as error:
                self.failures[type(error).__name__] += 1
                said = ""
            if '"done":true' in said.replace(" ", ""):
                self.answered.append(question)
            else:
                self.failures.update(_CODE.findall(said))
                at += 1
                await asyncio.sleep(_PAUSE)

    async def check(self, client: httpx.AsyncClient) -> list[str]:
        """What is wrong with the conversation as it was kept."""
        if not self.conversation:
            return []
        found = (await client.get(f"{self.urls[0]}/conversations/{self.conversation}/history")).json()[
            "messages"
        ]
        asked = Counter(one["text"] for one in found if one["sender"] == "user")
        wrong = [f"lost: {question}" for question in self.answered if asked[question] != 1]
        wrong += [f"{count} times: {question}" for question, count in asked.items() if count > 1]
        for before, question in zip(found, [*found[1:], {"sender": "", "text": ""}], strict=True):
            if before["text"] in self.answered and question["sender"] != "assistant":
                wrong.append(f"no answer: {before['text']}")
        return wrong


async def faults(seconds: float, parts: dict[str, tuple[Callable[[], Any], Callable[[], Any]]]) -> None:
    """Each part ends and comes back, one after the other, spread over the time."""
    pause = seconds / (2 * len(parts) + 1)
    for name, (end, back) in parts.items():
        await asyncio.sleep(pause)
        await asyncio.to_thread(end)
        await asyncio.sleep(max(pause, _PARTITION) if name == "network" else pause)
        await asyncio.to_thread(back)


def fill_disk(server: ServerProcess, load: ServerProcess) -> None:
    """No file of `server` may grow from now on; then `load` loads a new warranty list."""
    assert server.process is not None
    assert load.process is not None
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    command = [sys.executable, "-m", "troly", "ingest", "warranty", "data/warranty.csv"]
    subprocess.run(command, cwd=ROOT, env=load.env, check=True, capture_output=True)


def empty_disk(server: ServerProcess) -> None:
    """There is room again."""
    assert server.process is not None
    limits = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)


async def run(found: list[ServerProcess], seconds: float, parts: dict[str, Any]) -> dict[str, Any]:
    """Let everybody talk while the parts die, then look at what was kept."""
    people = [Person(number, [one.url for one in found]) for number in range(PEOPLE)]
    dying = asyncio.create_task(faults(seconds, parts))
    until = time.monotonic() + seconds
    async with httpx.AsyncClient(
        trust_env=False, timeout=60, limits=httpx.Limits(max_connections=None)
    ) as client:
        # Everybody talks until the last part is back.
        await asyncio.gather(
            *(one.talk(client, lambda: dying.done() and time.monotonic() > until) for one in people)
        )
        await dying
        wrong = [line for one in people for line in await one.check(client)]
    return {
        "people": PEOPLE,
        "answered": sum(len(one.answered) for one in people),
        "failures": dict(sum((one.failures for one in people), Counter())),
        "silent": sum(not one.answered for one in people),
        "wrong": wrong,
    }


def running(url: str) -> int:
    """How many turns nobody ended or marked within a minute, though nobody talks any more."""
    db, until = PostgresDb.at(url), time.monotonic() + _MARKED
    try:
        while True:
            with db.read() as connection:
                row = connection.execute("SELECT count(*) FROM turns WHERE status = 'running'").fetchone()
            left = row[0] if row else 0
            if not left or time.monotonic() > until:
                return int(left)
            time.sleep(1)
    finally:
        db.close()


def main() -> None:
    """Print what became of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="troly-faults-")))
        postgres = opened.enter_context(postgres_server())
        hosts = [opened.enter_context(OllamaDouble()) for _ in range(2)]
        chroma = RunningChroma(folder / "chroma")
        opened.callback(chroma.kill)
        way, network = opened.enter_context(postgres.network())
        shared = team(postgres, folder)
        far = shared["TROLY_DATABASE__URL"].replace(quote(str(postgres.folder)), quote(str(way)))
        env = {
            **shared,
            "OLLAMA_HOST": hosts[0].url,
            "TROLY_OLLAMA__URLS": hosts[1].url,
            "TROLY_CHROMA__URL": chroma.address.url,
        }
        (folder / "sitecustomize.py").write_text(_AHEAD, encoding="utf-8")
        envs = [{**env, "TROLY_DATABASE__URL": far}, {**env, "PYTHONPATH": str(folder)}]
        found = opened.enter_context(servers(envs, folder))
        parts = {
            "server": (found[0].kill, found[0].start),
            "postgres": (postgres.kill, postgres.start),
            "chroma": (chroma.kill, chroma.start),
            "ollama": (hosts[0].down, hosts[0].up),
            "network": (network.cut, network.mend),
            "disk": (lambda: fill_disk(*found), lambda: empty_disk(found[0])),
        }
        told = asyncio.run(run(found, asked.seconds, parts))
        told["running"] = running(shared["TROLY_DATABASE__URL"])
    print(json.dumps({"faults": [*parts, "clock"], **told}, ensure_ascii=False))
    if told["wrong"] or told["silent"] or told["running"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
