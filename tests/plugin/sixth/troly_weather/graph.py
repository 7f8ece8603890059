"""The graph of one node: the cities of the question, and what was measured there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from troly.plugin.context import Step, TurnContext, traced
from troly.plugin.contract import Graph
from troly.plugin.events import Table
from troly.text.fold import fold

from .settings import WeatherSettings
from .store import measurements
from .strings import say


class WeatherState(TypedDict, total=False):
    """What the graph finds: the cities of the question."""

    cities: list[str]


async def answer(_state: Mapping[str, Any], turn: TurnContext, step: Step) -> Mapping[str, Any]:
    """Tell the temperature of each city that the message names, as a table too."""
    known = await asyncio.to_thread(measurements, turn.services)
    unit = turn.services.settings.of(WeatherSettings).unit
    asked = {city: value for city, value in known.items() if fold(city) in fold(turn.text)}
    told = {city: f"{value * 1.8 + 32 if unit == 'f' else value:g}" for city, value in asked.items()}
    lines = [
        say("answer.found", turn.language, city=city, degrees=degrees, unit=unit.upper())
        for city, degrees in told.items()
    ]
    turn.say("\n".join(lines) or say("answer.none", turn.language))
    if told:
        columns = (say("answer.city", turn.language), f"°{unit.upper()}")
        turn.emit(Table(columns, tuple(told.items()), say("answer.title", turn.language), numeric=(1,)))
    step.note(", ".join(told), "rules")
    return {"cities": list(told)}


def build() -> Graph:
    """The compiled graph."""
    builder = StateGraph(WeatherState, context_schema=TurnContext)
    builder.add_node("answer", traced("answer", answer))
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    return builder.compile()
