"""`app serve` under load, beside a bare FastAPI relay of the same stub: `python -m tests.bench.bench_serve --streams 200`.

Both servers are processes of their own and read the same Ollama double; CPU and memory are theirs. Prints one JSON line.
`--servers 2` runs as many `app serve` on one data directory, as operators do who have more than one core; whoever asks
keeps to one of them.
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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import uvloop

from tests.support.process.command_line import install_modes

ROOT = Path(__file__).parents[2]
# The double says the time at which each piece left it, so that what the server adds can be told.
STUB = """
import asyncio, json, sys, time, uvloop
RATE, TOKENS = float(sys.argv[1]), int(sys.argv[2])
async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            size = 0
            for line in head.lower().split(b"\\r\\n"):
                if line.startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
            body = json.loads(await reader.readexactly(size)) if size else {}
            path = head.split(b" ")[1]
            if path == b"/api/chat" and body.get("messages"):
                writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-type: application/x-ndjson\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n")
                began = time.monotonic()
                for n in range(TOKENS):
                    wait = began + n / RATE - time.monotonic() if RATE else 0
                    if wait > 0:
                        await asyncio.sleep(wait)
                    line = b'{"model": "m", "message": {"role": "assistant", "content": "t%d@%.4f "}, "done": false}\\n' % (n, time.monotonic())
                    writer.write(b"%x\\r\\n%b\\r\\n" % (len(line), line))
                line = json.dumps({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 1, "eval_count": TOKENS}).encode() + b"\\n"
                writer.write(f"{len(line):x}\\r\\n".encode() + line + b"\\r\\n0\\r\\n\\r\\n")
                await writer.drain()
                continue
            answer = {b"/api/version": {"version": "0.12.3"},
                      b"/api/tags": {"models": [{"name": "gpt-oss:latest", "model": "gpt-oss:latest", "capabilities": ["completion"]}]},
                      b"/api/ps": {"models": [{"name": "gpt-oss:latest", "model": "gpt-oss:latest"}]},
                      b"/api/show": {"capabilities": ["completion"], "model_info": {"x.context_length": 8192}}}.get(path, {"done": True})
            data = json.dumps(answer).encode()
            writer.write(b"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n" % len(data) + data)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**22, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()
uvloop.run(main())
"""
RELAY = """
import os, socket, sys
import httpx, uvicorn
from fastapi import FastAPI
from starlette.responses import StreamingResponse
app = FastAPI()
client = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
@app.post("/ask")
async def ask():
    async def lines():
        async with client.stream("POST", sys.argv[1] + "/api/chat", json={"model": "m", "messages": [{"role": "user", "content": "x"}]}) as response:
            async for line in response.aiter_lines():
                yield f"data: {line}\\n\\n"
    return StreamingResponse(lines(), media_type="text/event-stream")
sock = socket.socket(); sock.bind(("127.0.0.1", 0)); sock.listen(1024)
print(f"http://127.0.0.1:{sock.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[sock])
"""
MODE = """
from dataclasses import replace
from tests.support.modes.made import NoState, Plan, planned_mode

def graph():
    from langgraph.graph import END, START, StateGraph
    from troly.plugin.context import TurnContext, traced

    async def node(_state, turn, step):
        async for piece in turn.model.stream("answer", [{"role": "user", "content": turn.text}], tokens=6000):
            turn.say(piece)
        return {}

    builder = StateGraph(NoState, context_schema=TurnContext)
    builder.add_node("n", traced("n", node))
    builder.add_edge(START, "n")
    builder.add_edge("n", END)
    return builder.compile()

MODE = replace(planned_mode(Plan(), "streams"), graph=graph)
"""
# A piece of either server; the whole text at the end is none.
PIECE = re.compile(rb'"(?:text|content)": ?"t(\d+)@([\d.]+) "')


@contextmanager
def process(code: str, *args: str, env: dict[str, str] | None = None) -> Iterator[tuple[psutil.Process, str]]:
    """A Python program that prints its address first."""
    started = subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    )
    try:
        assert started.stdout is not None
        yield psutil.Process(started.pid), started.stdout.readline().strip()
    finally:
        started.kill()
        started.wait()


@contextmanager
def served(home: Path, ollama: str) -> Iterator[tuple[psutil.Process, str, str]]:
    """`app serve` with the five assistants and one that lets the model talk; its address and a key."""
    modes = home / "modes"
    if not modes.exists():
        install_modes(modes, {"third_streams": MODE}, {"streams": "third_streams:MODE"})
    env = {
        **os.environ, "TROLY_HOME": str(home / "home"), "OLLAMA_HOST": ollama, "TROLY_SERVER__TURNS": "2000",
        "PYTHONPATH": os.pathsep.join([str(modes), str(ROOT)]),
    }  # fmt: skip
    program = [sys.executable, "-m", "troly"]
    key = subprocess.run(
        [*program, "keys", "add", "--rate", "1000000"], env=env, capture_output=True, text=True, check=True
    )
    started = subprocess.Popen(
        [*program, "serve", "--port", "0", "--lang", "en"],
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert started.stderr is not None
        address = started.stderr.readline().split(" at ")[1].split()[0]
        # The log is read away.
        subprocess.Popen(["cat"], stdin=started.stderr, stdout=subprocess.DEVNULL)
        while httpx.get(f"{address}/ready").json()["preparing"]:
            time.sleep(0.1)
        yield psutil.Process(started.pid), address, key.stdout.strip()
    finally:
        started.terminate()
        started.wait()


class RawClient(asyncio.Protocol):
    """A client that costs next to nothing: sends requests as they are, and gives what comes to `take`."""

    def __init__(self, take: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self.take, self.ended = take, ended
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.take(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended()


def post(path: str, key: str, body: bytes, *, close: bool = False) -> bytes:
    """One request."""
    end = "Connection: close\r\n" if close else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\nContent-Type: application/json\r\n"
    )
    return f"{head}Content-Length: {len(body)}\r\n{end}\r\n".encode() + body


Server = tuple[psutil.Process, str, str]
Read = tuple[list[float], list[float], bool, float]


async def stream(address: str, path: str, body: bytes, key: str) -> Read:
    """One stream read raw: what each piece took from the stub to here, the gaps, whether all came in order, the wait for the first."""
    host, port = address.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    late: list[float] = []
    gaps: list[float] = []
    numbers: list[int] = []
    last, rest, first = 0.0, b"", 0.0

    def take(data: bytes) -> None:
        nonlocal last, rest, first
        rest, now, at = rest + data, time.monotonic(), 0
        for found in PIECE.finditer(rest):
            at = found.end()
            late.append(now - float(found[2]))
            if last:
                gaps.append(now - last)
            else:
                first = now - asked
            last = now
            numbers.append(int(found[1]))
        rest = rest[max(at, len(rest) - 100) :]

    _, client = await loop.create_connection(
        lambda: RawClient(take, lambda: over.set_result(None)), host, int(port)
    )
    asked = time.monotonic()
    client.transport.write(post(path, key, body, close=True))
    await over
    return late, gaps, numbers == list(range(len(numbers))) and bool(numbers), first


class Asker(RawClient):
    """A connection that asks one question after another."""

    def __init__(self) -> None:
        super().__init__(self._take, lambda: None)
        self._answer: asyncio.Future[bytes] | None = None
        self._data = b""

    async def ask(self, request: bytes) -> bytes:
        """The whole answer."""
        self._answer, self._data = asyncio.get_running_loop().create_future(), b""
        self.transport.write(request)
        return await self._answer

    def _take(self, data: bytes) -> None:
        self._data += data
        head, _, body = self._data.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if length is not None and len(body) >= int(length[1]) and self._answer is not None:
            self._answer.set_result(body)
            self._answer = None


def percentile(values: list[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 1) if ordered else 0.0


def memory(servers: list[Server]) -> int:
    """Bytes that the servers hold."""
    return sum(process.memory_info().rss for process, _, _ in servers)


def cpu_seconds(servers: list[Server]) -> float:
    """Seconds that the servers computed."""
    return sum(sum(process.cpu_times()[:2]) for process, _, _ in servers)


async def load(servers: list[Server], path: str, given: argparse.Namespace) -> dict[str, Any]:
    """So many streams at once."""
    question, streams, arrival = (
        {"mode": "streams", "text": "x", "stream": True},
        given.streams,
        given.arrival,
    )
    for _, address, key in servers:
        await stream(address, path, json.dumps(question).encode(), key)  # imports, graphs
    before, cpu = memory(servers), cpu_seconds(servers)
    began = time.monotonic()
    peak = 0

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, memory(servers))
            await asyncio.sleep(0.2)

    watching = asyncio.create_task(watch())
    bodies = [json.dumps({**question, "text": f"câu hỏi {number}"}).encode() for number in range(streams)]

    async def later(number: int) -> Read:
        # People do not come in the same millisecond; all streams are open together from `arrival` on.
        await asyncio.sleep(number * arrival / streams)
        _, address, key = servers[number % len(servers)]
        return await stream(address, path, bodies[number], key)

    done = await asyncio.gather(*(later(number) for number in range(streams)))
    watching.cancel()
    late = [value for one in done for value in one[0]]
    gaps = [value for one in done for value in one[1]]
    return {
        "cpu_s": round(cpu_seconds(servers) - cpu, 2),
        "wall_s": round(time.monotonic() - began, 1),
        "events": len(late),
        "in_order": all(one[2] for one in done),
        "first_word_p99_ms": percentile([one[3] for one in done], 0.99),
        "first_word_passed_on_p99_ms": percentile([one[0][0] for one in done if one[0]], 0.99),
        "word_added_p99_ms": percentile(late, 0.99),
        "gap_p50_ms": percentile(gaps, 0.5),
        "gap_p99_ms": percentile(gaps, 0.99),
        "mb_a_stream": round(max(0, peak - before) / streams / 1e6, 2),
    }


async def turns(servers: list[Server], count: int, at_once: int, rate: float) -> dict[str, Any]:
    """Turns without a model: so many a second where `rate` is given, else as fast as `at_once` clients go."""
    times: list[float] = []
    left = iter(range(count))
    began = time.monotonic()
    body = json.dumps({"mode": "shopping", "text": "kiểm tra bảo hành ABC123"}).encode()
    loop = asyncio.get_running_loop()
    free: dict[int, list[Asker]] = {place: [] for place in range(len(servers))}

    async def one(place: int) -> None:
        at = time.monotonic()
        _, address, key = servers[place]
        if free[place]:
            connected = free[place].pop()
        else:
            host, port = address.removeprefix("http://").split(":")
            connected = (await loop.create_connection(Asker, host, int(port)))[1]
        answered = await connected.ask(post("/api/v1/ask", key, body))
        assert b'"status":"completed"' in answered, answered
        times.append(time.monotonic() - at)
        free[place].append(connected)

    async def many(place: int) -> None:
        for _ in left:
            await one(place)

    if rate:
        tasks = []
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            tasks.append(asyncio.create_task(one(number % len(servers))))
        await asyncio.gather(*tasks)
    else:
        await asyncio.gather(*(many(number % len(servers)) for number in range(at_once)))
    return {
        "a_second": round(count / (time.monotonic() - began), 1),
        "p50_ms": percentile(times, 0.5),
        "p99_ms": percentile(times, 0.99),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=150)
    parser.add_argument("--rate", type=float, default=30.0)
    parser.add_argument("--arrival", type=float, default=4.0, help="seconds in which the streams begin")
    parser.add_argument("--turns", type=int, default=600)
    parser.add_argument("--servers", type=int, default=1, help="`app serve` on the same data directory")
    given = parser.parse_args()
    out: dict[str, Any] = {"streams": given.streams, "tokens": given.tokens, "servers": given.servers}
    with (
        tempfile.TemporaryDirectory() as folder,
        process(STUB, str(given.rate), str(given.tokens)) as (_, ollama),
    ):
        if given.streams:
            with process(RELAY, ollama) as (server, address):
                out["relay"] = uvloop.run(load([(server, address, "")], "/ask", given))
        with ExitStack() as stack:
            servers = [stack.enter_context(served(Path(folder), ollama)) for _ in range(given.servers)]
            if given.streams:
                out["ours"] = uvloop.run(load(servers, "/api/v1/ask", given))
                out["cpu_ratio"] = round(out["ours"]["cpu_s"] / out["relay"]["cpu_s"], 2)
            if given.turns:
                uvloop.run(turns(servers, 20 * given.servers, given.servers, 0))
                cpu = cpu_seconds(servers)
                full = out["turns"] = uvloop.run(turns(servers, given.turns, 16, 0))
                full["cpu_ms_a_turn"] = round((cpu_seconds(servers) - cpu) * 1000 / given.turns, 2)
                out["turns_at_half"] = uvloop.run(turns(servers, given.turns // 2, 0, full["a_second"] / 2))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
