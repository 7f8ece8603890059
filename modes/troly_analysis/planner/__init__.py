"""Understands questions about a user's sheets with no model, and turns them into calls of the five tools."""

from troly_analysis.planner.planner import QuestionAnalysis, analyse_question, classify
from troly_analysis.planner.schema import lost_values
from troly_analysis.planner.suggestions import (
    Suggestion,
    first_suggestions,
    splits_of,
    suggest_questions,
    title,
)
from troly_analysis.planner.types import DataQuery, Intent, Note, Plan

__all__ = [
    "DataQuery", "Intent", "Note", "Plan", "QuestionAnalysis", "Suggestion", "analyse_question", "classify",
    "first_suggestions", "lost_values", "splits_of", "suggest_questions", "title",
]  # fmt: skip
