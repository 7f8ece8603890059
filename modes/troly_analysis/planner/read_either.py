"""Reads conditions of which one is enough: "nam hoặc trên 40 tuổi", "over 1 million or cancelled"."""

from __future__ import annotations

from dataclasses import replace

from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Condition
from troly_analysis.planner.state import State


def read_either(state: State) -> None:
    """Join the conditions on both sides of "hoặc" where they are of different columns; of one column they are so already."""
    if not any(mention.has("either") and not mention.used for mention in state.mentions):
        return
    for nth, mention in enumerate(state.mentions):
        if not mention.has("either") or mention.used or mention.targets:
            continue
        left = _spoken(state, state.mentions[:nth][::-1])
        right = _spoken(state, state.mentions[nth + 1 :])
        if left is None or right is None or left == right:
            continue
        mention.used = True
        state.conditions.remove(right)
        at = state.conditions.index(left)
        state.conditions[at] = replace(left, other=right, said=f"{left.said} {mention.text} {right.said}")
        state.note("either", said=state.conditions[at].said)


def _spoken(state: State, mentions: list[Mention]) -> Condition | None:
    """The condition whose words stand nearest on one side."""
    for mention in mentions:
        if not mention.used:
            continue
        for condition in state.conditions:
            if condition.other is None and mention.text and mention.text in condition.said.split(", "):
                return condition
            if condition.other is None and mention.text in condition.said and mention.amount:
                return condition
    return None
