"""Tells what a message wants: data, a chat, or something that must be asked for first (001-06 to 001-08, 001-37)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache

from troly.text.fold import tokens
from troly.text.match import UNKNOWN, ExampleClassifier, Lexicon
from troly_analysis.planner.followup import is_followup
from troly_analysis.planner.lexicon import FOLDER, concepts
from troly_analysis.planner.phrases import Phrases
from troly_analysis.planner.schema import schema_of
from troly_analysis.planner.shapes import Intent, Plan
from troly_analysis.planner.state import State
from troly_analysis.planner.understand import Heard, hear
from troly_analysis.types import Sheet

_STRONG = (
    "sum", "avg", "count", "max", "min", "top", "bottom", "seller", "slow seller", "share", "trend", "compare",
    "growth", "aov", "columns", "superlative",
)  # fmt: skip
_WEAK = ("by", "which", "list", "much", "number", "distinct", "latest", "earliest", "between", "plural")
_NEAR = 0.45


def classify(
    text: str, history: Sequence[object], sheets: Sequence[Sheet], previous: Plan | None = None
) -> Intent:
    """Exactly one of data_query, chat and unclear, for any text.

    `history` are the messages before this one; `previous` the plan of the last question, if there was one: with it
    "còn tháng trước?" is a question about data.
    """
    if not tokens(text):
        return Intent("unclear", 1.0, "empty")
    chat = [hit for hit in _social().find(text)]
    covered = sum(len(tokens(hit.phrase)) for hit in chat)
    heards = [hear(text, schema_of(sheet), date(2000, 1, 1), {}) for sheet in sheets]
    evidence = max((_evidence(heard) for heard in heards), default=_without_sheets(text))
    whole = covered >= 0.6 * len(tokens(text))
    if chat and whole and evidence[0] < 2.5:
        return Intent("chat", 0.95, chat[0].phrase)
    if previous is not None and (
        previous.question is not None or any(is_followup(h, previous) for h in heards)
    ):
        if previous.question is None or evidence[0] > 0 or _answers(text, previous):
            return Intent("data_query", 0.85, "follow-up")
    if evidence[0] >= 2.0:
        return Intent("data_query", min(0.99, 0.6 + 0.1 * evidence[0]), evidence[1])
    best = _examples().best(text)
    if best.label != UNKNOWN and best.confidence >= _NEAR:
        if best.label != "data_query" or evidence[0] >= 1.0:
            return Intent(best.label, best.confidence, evidence[1] or "examples")  # type: ignore[arg-type]
    if chat:
        return Intent("chat", 0.7, chat[0].phrase)
    if evidence[0] >= 1.0:
        return Intent("data_query", 0.6, evidence[1])
    if best.label == "data_query" and evidence[0] < 1.0:
        return Intent("unclear", 0.5, "no word of the sheet")
    return Intent("unclear", 0.55 if best.label == UNKNOWN else 0.5, "examples")


def _answers(text: str, previous: Plan) -> bool:
    said = " ".join(token.folded for token in tokens(text))
    options = [" ".join(token.folded for token in tokens(option)) for option in previous.options]
    return (
        said in options
        or said.isdigit()
        or (previous.pending == "ignore" and said.startswith(("bo qua", "ignore", "skip")))
    )


def _evidence(heard: Heard) -> tuple[float, str]:
    """How much a message speaks of the sheet's data, and the words that say so."""
    state = heard.state
    score, words = _words(state)
    named = 0.0
    for mention in state.mentions:
        weight = 0.0
        if mention.targets:
            weight = mention.targets[0].weight
        if mention.values and not mention.has("filler", "not", "follow"):
            weight = max(weight, mention.values[0].weight)
        if weight >= 0.55:
            named += weight
            words.append(mention.text)
    return score + 1.2 * min(named, 3.0), ", ".join(dict.fromkeys(words))[:120]


def _words(state: State) -> tuple[float, list[str]]:
    score, words = 0.0, []
    for mention in state.mentions:
        if mention.targets or mention.values:
            continue
        if mention.period:
            score, words = score + 0.8, [*words, mention.text]
        elif mention.amount:
            score += 0.4
        elif mention.has(*_STRONG):
            score, words = score + 1.0, [*words, mention.text]
        elif mention.has(*_WEAK):
            score += 0.4
    return score, words


def _without_sheets(text: str) -> tuple[float, str]:
    """With no sheet at all: business words and words of figures."""
    words = tokens(text)
    hits = list(_business().find(text, words, careful=False))
    found = ", ".join(dict.fromkeys(text[words[hit.start].start : words[hit.end - 1].end] for hit in hits))
    from troly_analysis.planner.lexicon import words as listed

    strong = sum(1 for hit in listed().find(text, words, careful=False) if hit.payload in _STRONG)
    return (1.2 if hits else 0.0) + strong, found


@cache
def _business() -> Phrases[str]:
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
