"""Tells what a message wants: data, a chat, or something that must be asked for first (001-06 to 001-08, 001-37)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from troly.text.everyday import small_talk
from troly.text.fold import tokens
from troly_analysis.planner.lexicon import Phrases, concepts
from troly_analysis.planner.planner import QuestionAnalysis
from troly_analysis.planner.types import Intent

_SPOKEN, _SURE, _CERTAIN = 1.0, 2.0, 2.5


def classify(question: QuestionAnalysis, history: Sequence[object] = ()) -> Intent:
    """Exactly one of data_query, chat and unclear, for any message; `history` are the messages before it.

    With the plan of the question before, "còn tháng trước?" is a question about data.
    """
    if not tokens(question.text):
        return Intent("unclear", 1.0, "empty")
    if question.answered or question.suggested:
        return Intent("data_query", 0.99, "offered")
    evidence = max(question.evidence, _business(question.text))
    return _by_words(question, history, evidence)


def _by_words(question: QuestionAnalysis, history: Sequence[object], evidence: float) -> Intent:
    """What the words of chats and of the sheets decide."""
    made = question.plan
    chats = small_talk(question.text).kind is not None and evidence < _CERTAIN
    asked = bool(made.calls) or (bool(made.refusal) and evidence >= _SPOKEN)
    goes_on = made.followed or (bool(history) and question.changes and evidence >= _SPOKEN)
    signs = (
        (chats and not (made.calls and evidence >= _SPOKEN), Intent("chat", 0.95, "words of chats")),
        (goes_on, Intent("data_query", 0.95, "follow-up")),
        (asked, Intent("data_query", 0.99, "every word read")),
        (evidence >= _SURE, Intent("data_query", min(0.9, 0.6 + 0.1 * evidence), "words of the sheet")),
        (evidence >= _SPOKEN, Intent("data_query", 0.6, "words of figures")),
    )
    return next((intent for holds, intent in signs if holds), Intent("unclear", 0.5, "no word of the sheet"))


def _business(text: str) -> float:
    """How much a message speaks of business figures, whatever the sheets."""
    hits = list(_concepts().find(text, tokens(text), careful=False))
    return 1.2 * bool(hits)


@cache
def _concepts() -> Phrases[str]:
    found: Phrases[str] = Phrases()
    for concept in concepts():
        for phrase in concept.phrases:
            if len(tokens(phrase)) > 1 or len(phrase) > 5:
                found.add(phrase, concept.name)
    return found
