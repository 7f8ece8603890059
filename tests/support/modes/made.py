"""Modes made for tests: a graph whose nodes do what a plan says, and registries that know them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any, TypedDict

from troly.errors import ModelError
from troly.plugin.context import Step, TurnContext, traced
from troly.plugin.contract import Graph, Mode, Outcome
from troly.plugin.events import Notice, Say, Table
from troly.plugin.registry import GROUP, Registry

# The assistants that ship with the program, in the order that they declare.
_REGISTRY = Registry()
BUILT_IN = tuple(name for name in _REGISTRY.names if _REGISTRY.ships(name))

SECTIONS = _REGISTRY.sections()


class NoState(TypedDict, total=False):
    """Nothing to remember."""


class PlannedError(RuntimeError):
    """What a planned node raises."""


@dataclass(slots=True)
class Plan:
    """What the nodes do, in order: say, event, yield, raise, model_error, hang, loop, late, stream, judge, embed."""

    actions: list[str] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    late: list[TurnContext] = field(default_factory=list)


async def perform(action: str, plan: Plan, turn: TurnContext, step: Step) -> None:  # noqa: C901 (one case an action)
    match action:
        case "say":
            turn.say("một ")
        case "event":
            turn.emit(Table(("a",), (("1",),)))
            turn.emit(Notice("info", "\x1b[31mđỏ"))
            turn.emit(Say("Dạ", "ack"))
        case "yield":
            await asyncio.sleep(0)
        case "raise":
            raise PlannedError("planned \x1b[31mfailure")
        case "model_error":
            raise ModelError("ollama.down", url="http://127.0.0.1:9", model="m")
        case "hang":
            plan.reached.set()
            await asyncio.Event().wait()
        case "late":
            plan.late.append(turn)
        case "stream":
            async for piece in turn.model.stream(
                "answer", [{"role": "user", "content": turn.text}], tokens=20
            ):
                turn.say(piece)
        case "judge":
            messages = [{"role": "user", "content": turn.text}]
            async for _ in turn.model.stream("guard", messages, role="guard", tokens=5):
                pass
        case "embed":
            await turn.model.embed([turn.text])
    step.note(action, "rules")


def planned_mode(plan: Plan, mode_id: str = "planned") -> Mode:
    """A mode with one LangGraph node an action; `loop` sends the graph round for ever."""

    def graph() -> Graph:
        from langgraph.graph import END, START, StateGraph

        builder = StateGraph(NoState, context_schema=TurnContext)
        names = [f"n{index}" for index in range(len(plan.actions))] or ["n0"]
        for name, action in zip(names, plan.actions or ["say"], strict=True):

            async def node(
                _state: Mapping[str, Any], turn: TurnContext, step: Step, action: str = action
            ) -> Mapping[str, Any]:
                await perform(action, plan, turn, step)
                return {}

            builder.add_node(name, traced(name, node))
        for before, after in zip([START, *names], [*names, END], strict=True):
            loops = before != START and plan.actions and plan.actions[names.index(before)] == "loop"
            builder.add_edge(before, before if loops else after)
        return builder.compile()

    return Mode(
        id=mode_id,
        names={"vi": "Thử", "en": "Test"},
        summaries={"vi": "Để thử.", "en": "For tests."},
        persona="shopping",
        accent="#123456",
        first_questions={"vi": ("Thử?",), "en": ("Test?",)},
        graph=graph,
        start=lambda _turn: {},
        finish=lambda _state: Outcome(state={"done": True}, message_type="answer", metadata={"k": "v"}),
        state_fields=("done",),
        opening=lambda _services, _lang: None,
    )


class Point:
    """An entry point that loads `value`, or raises it."""

    group = GROUP

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self._value = value

    def load(self) -> object:
        if isinstance(self._value, BaseException):
            raise self._value
        return self._value


def registry_of(**values: object) -> Registry:
    """A registry that knows exactly these entry points."""
    points: list[Any] = [Point(name, value) for name, value in values.items()]
    found: list[EntryPoint] = points
    return Registry(found)
