"""Understands questions about a user's sheets with no model, and turns them into calls of the five tools."""

from troly_analysis.planner.intent import classify
from troly_analysis.planner.planner import plan
from troly_analysis.planner.suggestions import first_questions, suggest_questions, title
from troly_analysis.planner.types import Condition, DataQuery, Group, Intent, Measure, Note, Period, Plan, Ref

__all__ = [
    "Condition",
    "DataQuery",
    "Group",
    "Intent",
    "Measure",
    "Note",
    "Period",
    "Plan",
    "Ref",
    "classify",
    "first_questions",
    "plan",
    "suggest_questions",
    "title",
]
