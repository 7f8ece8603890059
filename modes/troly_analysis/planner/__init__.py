"""Understands questions about a user's sheets with no model, and turns them into calls of the five tools."""

from troly_analysis.planner.intent import classify
from troly_analysis.planner.planning import plan
from troly_analysis.planner.shapes import Ask, Condition, Group, Intent, Measure, Note, Period, Plan, Ref
from troly_analysis.planner.suggest import suggest
from troly_analysis.planner.titles import title

__all__ = [
    "Ask",
    "Condition",
    "Group",
    "Intent",
    "Measure",
    "Note",
    "Period",
    "Plan",
    "Ref",
    "classify",
    "plan",
    "suggest",
    "title",
]
