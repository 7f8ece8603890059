"""The company assistant measured: `python -m tests.bench.bench_rag` prints JSON.

Three agents side by side against the slowest of them alone (tools that wait, so that the engine is what is measured),
whole turns without a model on the sample company, and the same question again from the cache.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support.modes.rag import RagDesk, rag_desk
from troly.plugin.events import StepFinished
from troly_rag.config import load
from troly_rag.execution.cache import Cache
from troly_rag.execution.engine import ExecutionSetup, Reporter, execute
from troly_rag.routing.plan import AgentPart, PlanTask, Routing
from troly_rag.tools.interface import ToolResult

QUESTIONS = (
    "giá trị cốt lõi, muộn có ảnh hưởng đến giá trị nào không",
    "Tính toán chi phí nghỉ phép và so sánh với chính sách công ty",
    "Giá trị cốt lõi là gì? Đi muộn bị phạt thế nào? Quên mật khẩu thì làm sao?",
    "Quên mật khẩu thì đặt lại ở đâu?",
)
WAITS = {"hr": 0.30, "it": 0.20, "general": 0.15}


async def side_by_side(desk: RagDesk) -> dict[str, Any]:
    config = load(desk.services.paths)

    async def call(agent: Any, task: Any, _query: str, _before: Any) -> ToolResult:
        await asyncio.sleep(WAITS[agent.name])
        return ToolResult(task.id, digest=task.id)

    tasks = tuple(PlanTask(f"{name}#rag", 1, name, "rag_tool", name, name, 1) for name in WAITS)
    parts = tuple(AgentPart(name, (name,), ("rag_tool",)) for name in WAITS)
    routing = Routing("q", "q", parts, tasks)
    ratios = []
    for _ in range(5):
        setting = ExecutionSetup(config.agents, config.limits, call, Cache(), (), "vi")
        began = time.perf_counter()
        done = await execute(routing, setting, Reporter(tasks, lambda _event: None, "vi"))
        ratios.append((time.perf_counter() - began) * 1000 / max(run.duration_ms for run in done.runs))
    return {"what": "three agents / slowest", "ratio": round(statistics.median(ratios), 3)}


async def turn(desk: RagDesk, question: str) -> tuple[float, float, float]:
    """Milliseconds of the whole turn, of its agents together, and of the execution step."""
    desk.leave()
    began = time.perf_counter()
    told = await desk.ask(question, offline=True, language="vi")
    whole = (time.perf_counter() - began) * 1000
    agents = sum(run.ms for run in told.all(StepFinished) if "#" in run.node)
    step = next(one.ms for one in told.all(StepFinished) if one.node == "agent_execution")
    return whole, agents, step


async def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        async with rag_desk(Path(name)) as desk:
            print(json.dumps(await side_by_side(desk)))
            await turn(desk, "Văn phòng ở đâu?")
            for question in QUESTIONS:
                first = await turn(desk, question)
                again = [await turn(desk, question) for _ in range(10)]
                middle = [statistics.median(values) for values in zip(*again, strict=True)]
                line = {
                    "question": question,
                    "first_ms": round(first[0], 1),
                    "repeat_ms": round(middle[0], 1),
                    "agents_first_ms": round(first[1], 1),
                    "agents_repeat_ms": round(middle[1], 2),
                    "agents_ratio": round(middle[1] / first[1], 3),
                    "execution_first_ms": round(first[2], 1),
                    "execution_repeat_ms": round(middle[2], 1),
                }
                print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    asyncio.run(main())
