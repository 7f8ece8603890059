"""An assistant that is announced but not there yet: it says so in one sentence and does nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from troly.plugin.context import Step, TurnContext, traced
from troly.plugin.contract import ByLang, Graph, Mode, Outcome
from troly.text.catalogue import LANGS, tr


class NoState(TypedDict, total=False):
    """A graph that remembers nothing."""


def absent_mode(mode_id: str, names: ByLang, summaries: ByLang, accent: str) -> Mode:
    """The declaration of a mode whose graph only answers that it is not there yet."""
    return Mode(
        id=mode_id,
        names=names,
        summaries=summaries,
        persona=mode_id,
        accent=accent,
        first_questions={lang: (tr("mode.absent_question", lang),) for lang in LANGS},
        graph=_graph,
        start=lambda _turn: {},
        finish=lambda _state: Outcome(state={}, message_type="absent"),
        state_fields=(),
        ready=False,
    )


async def _say_so(_state: Mapping[str, Any], turn: TurnContext, step: Step) -> Mapping[str, Any]:
    turn.say(tr("mode.absent", turn.language, name=turn.mode.names[turn.language]))
    step.note("not there yet", "rules")
    return {}


def _graph() -> Graph:
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(NoState, context_schema=TurnContext)
    builder.add_node("absent", traced("absent", _say_so))
    builder.add_edge(START, "absent")
    builder.add_edge("absent", END)
    return builder.compile()
