"""Tells what execution does while it does it: the documents' stream (004-45 to 004-49), the live plan, the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from troly.plugin.events import Event, Plan, Progress, StepFinished, StepStarted, Task
from troly.text.catalogue import Lang
from troly_rag.execution.outputs import AgentRecord, ToolRun
from troly_rag.routing.plan import ORCHESTRATOR, PlanTask
from troly_rag.strings import say

NODE = "execute_planning"
# Before the plan 75 % are spread over routing and permission (004 C7); the tasks fill what is left to 95 (004-48).
BEGUN, TASKS = 75.0, 20.0
Status = Literal["waiting", "running", "done", "failed", "denied"]


class Reporter:
    """Emits events for the tasks of one plan and keeps the documented stream in `stream`.

    The orchestrator's closing step is part of the live plan, but no task that is run: it is what follows.
    """

    def __init__(self, tasks: Sequence[PlanTask], emit: Callable[[Event], None], lang: Lang) -> None:
        self._emit = emit
        self._lang = lang
        self._tasks = [task for task in tasks if task.agent != ORCHESTRATOR]
        self._closing = next((task for task in tasks if task.agent == ORCHESTRATOR), None)
        self._numbers = {task.id: number for number, task in enumerate(self._tasks, 1)}
        shown = [*self._tasks, *([self._closing] if self._closing else [])]
        self._shown = {
            task.id: Task(number, task.agent, task.tool, task.purpose) for number, task in enumerate(shown, 1)
        }
        self._done = 0
        self.stream: list[dict[str, Any]] = []

    @property
    def percent(self) -> float:
        """75 at the plan, 95 when all tasks are done, one decimal (004-48)."""
        return round(BEGUN + (TASKS * self._done / len(self._tasks) if self._tasks else TASKS), 1)

    def plan_ready(self) -> None:
        """The plan stands (004-47)."""
        listed = [
            {
                "step_number": number,
                "agent": task.agent,
                "tool": task.tool,
                "purpose": task.purpose,
                "message": task.message,
            }
            for number, task in enumerate(self._tasks, 1)
        ]
        self._say(
            "plan_ready",
            say("stream.ready", self._lang),
            BEGUN,
            plan_summary={"total_tasks": len(listed), "tasks": listed},
        )
        self._show()

    def started(self, task: PlanTask) -> None:
        """A task begins; the percentage is still the one before (004-48)."""
        self._set(task.id, "running")
        self._emit(StepStarted(task.id, task.agent, task.tool))
        self._say("executing_task", self._line("executing", task), self.percent, current_task=_named(task))

    def finished(self, task: PlanTask, run: ToolRun, detail: str) -> None:
        """A task ended, well or not; a failed one is done with as well."""
        self._done += 1
        failed = run.status == "failed"
        self._emit(StepFinished(task.id, run.duration_ms, "rules", detail, task.agent, task.tool, failed))
        status = "completed" if run.status == "done" else run.status
        self._say(
            "task_completed",
            self._line("completed", task),
            self.percent,
            completed_task={**_named(task), "status": status},
        )
        self._set(task.id, run.status, run.duration_ms)

    def all_done(self, outputs: Sequence[AgentRecord]) -> None:
        """Everything is run; the answers go on to be held against each other (004-46)."""
        self._say(
            "ready_for_resolution",
            say("stream.all_done", self._lang),
            BEGUN + TASKS,
            agent_responses=list(outputs),
        )

    def closing(self, status: Status, ms: float | None = None) -> None:
        """The orchestrator's own step, where the plan has one."""
        if self._closing is not None:
            self._set(self._closing.id, status, ms)

    def _line(self, key: str, task: PlanTask) -> str:
        number = self._numbers[task.id]
        return say(f"stream.{key}", self._lang, step=number, total=len(self._tasks), purpose=task.purpose)

    def _say(self, status: str, message: str, percent: float, **more: Any) -> None:
        whole = int(percent) if percent == int(percent) else percent
        output = {
            "processing_status": status,
            "progress_percentage": whole,
            "progress_message": message,
            **more,
        }
        self.stream.append({"node": NODE, "output": output})
        self._emit(Progress(message, percent))

    def _set(self, task: str, status: Status, ms: float | None = None) -> None:
        self._shown[task] = replace(self._shown[task], status=status, ms=ms)
        self._show()

    def _show(self) -> None:
        self._emit(Plan(tuple(self._shown.values())))


def _named(task: PlanTask) -> dict[str, str]:
    return {"agent": task.agent, "tool": task.tool, "purpose": task.purpose}
