"""Tells what a message wants: data, a chat, or something that must be asked for first (001-06 to 001-08, 001-37)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from troly.text.fold import tokens
from troly.text.match import ExampleClassifier, Lexicon
from troly_analysis.planner.lexicon import FOLDER, Phrases, concepts
from troly_analysis.planner.planner import QuestionAnalysis
from troly_analysis.planner.types import Intent

_NEAR, _SURE = 0.45, 2.0


def classify(question: QuestionAnalysis, history: Sequence[object] = ()) -> Intent:
    """Exactly one of data_query, chat and unclear, for any message; `history` are the messages before it.

    With the plan of the question before, "còn tháng trước?" is a question about data.
    """
    if not tokens(question.text):
        return Intent("unclear", 1.0, "empty")
    if question.answered or question.suggested:
        return Intent("data_query", 0.99, "offered")
    evidence = max(question.evidence, _business(question.text))
    return _by_words(question, history, evidence) or _by_examples(question.text, evidence)


def _by_words(question: QuestionAnalysis, history: Sequence[object], evidence: float) -> Intent | None:
    """What the words of chats and of the sheets decide."""
    made, words = question.plan, len(tokens(question.text))
    social = _social().find(question.text)
    covered = sum(len(tokens(hit.phrase)) for hit in social)
    chats = covered >= 0.6 * words and evidence < 2.5 and not (made.calls and covered < words - 1)
    signs = (
        (bool(social) and chats, Intent("chat", 0.95, "words of chats")),
        (
            made.followed or (bool(history) and question.changes and evidence >= 1.0),
            Intent("data_query", 0.95, "follow-up"),
        ),
        (
            bool(made.calls) or (bool(made.refusal) and evidence >= 1.0),
            Intent("data_query", 0.99, "every word read"),
        ),
        (evidence >= _SURE, Intent("data_query", min(0.9, 0.6 + 0.1 * evidence), "words of the sheet")),
    )
    return next((intent for holds, intent in signs if holds), None)


def _by_examples(text: str, evidence: float) -> Intent:
    """What messages like it want, where neither words of the sheet nor of chats decide."""
    best, spoken = _examples().best(text), evidence >= 1.0
    if best.confidence >= _NEAR and (
        best.label in {"chat", "unclear"} or (best.label == "data_query" and spoken)
    ):
        return Intent(best.label, best.confidence, "examples")  # type: ignore[arg-type]
    if _social().find(text):
        return Intent("chat", 0.7, "words of chats")
    return (
        Intent("data_query", 0.6, "words of figures")
        if spoken
        else Intent("unclear", 0.5, "no word of the sheet")
    )


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


@cache
def _social() -> Lexicon:
    return Lexicon.load(FOLDER / "social.txt")


@cache
def _examples() -> ExampleClassifier:
    return ExampleClassifier.load(FOLDER / "intent_examples.txt")
