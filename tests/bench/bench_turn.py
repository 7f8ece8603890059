"""Overhead of a turn without a model: `python -m tests.bench.bench_turn --turns 300` prints one JSON line.

The baseline, run beside it in the same process, is the bare LangGraph graph of the same shape without saving, trace or events.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.support.modes.made import NoState, Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin.context import TurnContext


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50_ms": round(statistics.median(ordered), 2),
        "p99_ms": round(ordered[int(len(ordered) * 0.99) - 1], 2),
    }


async def bare(turns: int) -> list[float]:
    from langgraph.graph import END, START, StateGraph

    async def node(_state: Any) -> Any:
        return {}

    step: Callable[..., Awaitable[Any]] = node
    builder = StateGraph(NoState, context_schema=TurnContext)
    for name in ("a", "b", "c"):
        builder.add_node(name, step)
    for before, after in ((START, "a"), ("a", "b"), ("b", "c"), ("c", END)):
        builder.add_edge(before, after)
    graph = builder.compile()
    times = []
    for _ in range(turns):
        began = time.perf_counter()
        await graph.ainvoke({}, {"recursion_limit": 25})
        times.append((time.perf_counter() - began) * 1000)
    return times


async def whole(turns: int, home: Path) -> list[float]:
    registry = registry_of(planned=planned_mode(Plan(["say", "event", "say"])))
    times = []
    with services_at(home) as services:
        conversation: str | None = None
        for number in range(turns + 5):
            request = TurnRequest("planned", f"câu hỏi số {number}", conversation=conversation, offline=True)
            began = time.perf_counter()
            turn = run_turn(Session(services, registry, profile()), request)
            async for _ in turn.events():
                pass
            if number >= 5:
                times.append((time.perf_counter() - began) * 1000)
            conversation = turn.conversation_id
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=300)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory() as folder:
        floor = asyncio.run(bare(turns))
        ours = asyncio.run(whole(turns, Path(folder)))
    out: dict[str, object] = {
        "turns": turns,
        "bare_graph": percentiles(floor),
        "whole_turn": percentiles(ours),
    }
    out["ratio_p50"] = round(statistics.median(ours) / statistics.median(floor), 2)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
