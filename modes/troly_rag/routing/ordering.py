"""Puts a plan into an order that can be run: unknown needs dropped, cycles broken, later needs waited for (004 C2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from troly_rag.routing.types import PlanTask

Edge = tuple[str, str]


def ordered(tasks: Sequence[PlanTask]) -> tuple[tuple[PlanTask, ...], tuple[Edge, ...]]:
    """The tasks by group, each in a group not before those it needs, and the (task, need) pairs that were dropped.

    A need of something that is no task is dropped, and of each cycle the need that closes it.
    """
    known = {task.id: task for task in tasks}
    dropped: list[Edge] = []
    needs: dict[str, list[str]] = {}
    for task in tasks:
        needs[task.id] = []
        for need in dict.fromkeys(task.depends_on):
            if need not in known or _reaches(needs, need, task.id):
                dropped.append((task.id, need))
            else:
                needs[task.id].append(need)
    groups: dict[str, int] = {}
    for task in tasks:
        _place(task.id, known, needs, groups)
    placed = [replace(task, group=groups[task.id], depends_on=tuple(needs[task.id])) for task in tasks]
    numbers = {group: number for number, group in enumerate(sorted({task.group for task in placed}), 1)}
    found = [replace(task, group=numbers[task.group]) for task in placed]
    return tuple(sorted(found, key=lambda task: task.group)), tuple(dropped)


def _reaches(needs: dict[str, list[str]], start: str, target: str) -> bool:
    """Whether `start` is `target` or needs it, directly or through others."""
    waiting, seen = [start], set()
    while waiting:
        at = waiting.pop()
        if at == target:
            return True
        if at not in seen:
            seen.add(at)
            waiting += needs.get(at, ())
    return False


def _place(
    start: str, known: dict[str, PlanTask], needs: dict[str, list[str]], groups: dict[str, int]
) -> None:
    """The group of `start`: its own, or the last of those it needs. Without recursion: plans may be long chains."""
    waiting = [start]
    while waiting:
        at = waiting[-1]
        missing = [need for need in needs[at] if need not in groups]
        if missing:
            waiting += missing
            continue
        groups[at] = max([known[at].group, *(groups[need] for need in needs[at])])
        waiting.pop()
