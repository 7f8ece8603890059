"""Warranty turns a second with 1, 2 (and more) `app serve` on one PostgreSQL, beside one on SQLite: `python -m tests.bench.bench_team`.

Servers, PostgreSQL and the asking program are processes of one machine, each server with a data folder of its own and the data
files in a shared one; no model. Eight people a server ask one question after the other. Prints one JSON line: turns a second, CPU a turn of servers, of PostgreSQL and of the asking program, and ratios.

Measured (2 cores, shared with the asking program and others; PostgreSQL without fsync): SQLite 103 turns a second at 8.4 ms of CPU;
PostgreSQL 62 and 64 with 1 and 2 servers at 11.4 and 12.5 ms of a server and 6.1 ms of the database, 2.1 times SQLite. Both cores are
full then, so a second server gains a tenth at most here. What that means for sizes: "size" in `src/troly/server/README.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.process.waiting import wait_until
from tests.support.stores.postgres import PostgresServer, postgres_server
from tests.support.stores.real import utc_now
from troly.stores.api_keys import ApiKeys
from troly.stores.postgres import PostgresDb
from troly.stores.state import StateDb

ROOT = Path(__file__).parents[2]
QUESTION = "Kiểm tra bảo hành ABC123"
NOBODY: Mapping[str, str] = {}
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


class ServerProcess:
    """One `app serve` on a port of its own, which answers this machine without a key; `start` may be called again."""

    def __init__(self, home: Path, env: Mapping[str, str]) -> None:
        self.home = home
        self.env = {**os.environ, "TROLY_HOME": str(home), "TROLY_SERVER__OPEN": "true", "LC_ALL": "C.UTF-8",
                     "OLLAMA_HOST": "http://127.0.0.1:9", **env}  # fmt: skip
        self.url = ""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it has loaded all it needs."""
        self.home.mkdir(parents=True, exist_ok=True)
        log = self.home / "log"
        port = self.url.rpartition(":")[2] or "0"
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "troly", "serve", "--port", port], cwd=ROOT, env=self.env, stderr=file
            )
        wait_until(lambda: bool(_ADDRESS.search(log.read_text(encoding="utf-8"))))
        found = _ADDRESS.search(log.read_text(encoding="utf-8"))
        assert found
        self.url = found[0]
        wait_until(self._ready)

    def _ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.home / "log").read_text(encoding="utf-8")
        try:
            said = httpx.get(f"{self.url}/ready", trust_env=False, timeout=10).json()
        except httpx.HTTPError:
            return False
        return said["status"] == "ready" and not said["preparing"]

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        assert self.process is not None
        return cpu_of(self.process.pid)

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def cpu_of(pid: int) -> float:
    """Seconds of CPU of a process and its children so far, also of those that ended."""
    found = psutil.Process(pid)
    times = found.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in found.children(recursive=True):
        try:
            own = child.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += own.user + own.system
    return total


@contextmanager
def servers(envs: Sequence[Mapping[str, str]], folder: Path) -> Iterator[list[ServerProcess]]:
    """A server for each of `envs`, ended by their own process numbers."""
    with ExitStack() as ends:
        found = []
        for number, env in enumerate(envs):
            found.append(ServerProcess(folder / f"machine-{number}", env))
            ends.callback(found[-1].kill)
            found[-1].start()
        yield found


def team(postgres: PostgresServer, folder: Path) -> dict[str, str]:
    """The settings of servers that share a new database and a new folder of data files."""
    shared = folder / "shared"
    shared.mkdir(parents=True)
    return {"TROLY_DATABASE__URL": postgres.database(), "TROLY_FILES__URL": str(shared)}


def headers_for(people: int, found: list[ServerProcess], url: str | None) -> list[dict[str, str]]:
    """A key for each of so many people, in the database at `url` or in the data folder of the one server."""
    db = PostgresDb.at(url) if url else StateDb(found[0].home / "data" / "state.db")
    with closing(db):
        keys = ApiKeys(db, utc_now)
        made = [keys.add(f"person-{number}", "staff", rate=1_000_000)[1] for number in range(people)]
    return [{"X-API-Key": token} for token in made]


async def begin(client: httpx.AsyncClient, url: str, headers: Mapping[str, str] = NOBODY) -> str:
    """A new conversation with the shop; of who sits at this machine where no key is in the headers."""
    made = await client.post(f"{url}/conversations", json={"mode": "shopping"}, headers=headers)
    made.raise_for_status()
    return str(made.json()["conversation_id"])


async def ask(
    client: httpx.AsyncClient,
    url: str,
    conversation: str,
    text: str = QUESTION,
    *,
    offline: bool = True,
    headers: Mapping[str, str] = NOBODY,
) -> str:
    """One question and its whole answer."""
    said = await client.post(
        f"{url}/conversations/{conversation}/stream", json={"text": text, "offline": offline}, headers=headers
    )
    said.raise_for_status()
    return said.text


async def ask_for(people: Sequence[tuple[str, Mapping[str, str]]], seconds: float) -> int:
    """How many questions were answered in so many seconds; each of `people` asks his server one after the other."""
    done = 0
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(trust_env=False, timeout=60, limits=limits) as client:

        async def person(url: str, headers: Mapping[str, str]) -> None:
            nonlocal done
            conversation = await begin(client, url, headers)
            while time.monotonic() < end:
                assert "ABC123" in await ask(client, url, conversation, headers=headers)
                done += 1

        end = time.monotonic() + seconds
        await asyncio.gather(*(person(*one) for one in people))
    return done


def measure(
    found: list[ServerProcess], asked: argparse.Namespace, url: str | None, database: int
) -> dict[str, Any]:
    """Turns a second and what a turn costs; the first seconds warm up and are not counted. `database` is PostgreSQL's process."""
    urls = [one.url for one in found] * asked.at_once
    people = list(zip(urls, headers_for(len(urls), found, url), strict=True))
    asyncio.run(ask_for(people, 2.0))

    def cpu() -> tuple[float, float, float]:
        return sum(one.cpu() for one in found), cpu_of(database), time.process_time()

    before, began = cpu(), time.monotonic()
    turns = asyncio.run(ask_for(people, asked.seconds))
    took = time.monotonic() - began
    costs = [round((now - then) * 1000 / turns, 2) for now, then in zip(cpu(), before, strict=True)]
    names = ("server_ms_a_turn", "database_ms_a_turn", "asking_ms_a_turn")
    return {"turns_a_second": round(turns / took, 1), **dict(zip(names, costs, strict=True))}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--servers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--at-once", type=int, default=8)
    asked = parser.parse_args()
    found: dict[str, Any] = {"cores": psutil.cpu_count()}
    with tempfile.TemporaryDirectory(prefix="troly-bench-") as name, postgres_server() as postgres:
        folder = Path(name)
        with servers([{}], folder / "sqlite") as running:
            found["sqlite"] = measure(running, asked, None, postgres.process.pid)
        for count in asked.servers:
            place = folder / f"postgres-{count}"
            env = team(postgres, place)
            with servers([env] * count, place) as running:
                url = env["TROLY_DATABASE__URL"]
                found[f"postgres-{count}"] = measure(running, asked, url, postgres.process.pid)
    one, alone = found[f"postgres-{asked.servers[0]}"], found["sqlite"]
    for count in asked.servers[1:]:
        more = found[f"postgres-{count}"]["turns_a_second"]
        found[f"ratio_{count}_to_{asked.servers[0]}"] = round(more / one["turns_a_second"], 2)
    cost = one["server_ms_a_turn"] + one["database_ms_a_turn"]
    found["cost_to_sqlite"] = round(cost / alone["server_ms_a_turn"], 2)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
