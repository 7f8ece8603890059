"""Tells what a message wants: data, a chat, or something that must be asked for first (001-06 to 001-08, 001-37)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from troly.text.fold import tokens
from troly.text.match import ExampleClassifier, Lexicon, PhraseHit
from troly_analysis.planner.draft import ParsedQuestion, QueryDraft
from troly_analysis.planner.followup import is_followup
from troly_analysis.planner.lexicon import FOLDER, Phrases, concepts, words
from troly_analysis.planner.question import QuestionAnalysis
from troly_analysis.planner.types import Intent, Plan

_STRONG = (
    "sum", "avg", "count", "max", "min", "top", "bottom", "seller", "slow seller", "share", "trend", "compare",
    "growth", "aov", "columns", "superlative",
)  # fmt: skip
_WEAK = ("by", "which", "list", "much", "number", "distinct", "latest", "earliest", "between", "plural")
_NEAR, _SURE = 0.45, 2.0


def classify(question: QuestionAnalysis, history: Sequence[object] = ()) -> Intent:
    """Exactly one of data_query, chat and unclear, for any message; `history` are the messages before it.

    With the plan of the question before, "còn tháng trước?" is a question about data.
    """
    text, previous = question.text, question.previous
    if not tokens(text):
        return Intent("unclear", 1.0, "empty")
    if question.answered or question.query is not None:
        return Intent("data_query", 0.85, "follow-up")
    evidence = max((_evidence(parsed) for parsed in question.parses), default=_without_sheets(text))
    social = _social().find(text)
    decided = (
        _chatting(text, social, evidence[0])
        or _following(text, question.parses, history, previous, evidence[0])
        or _speaking_of_data(evidence)
    )
    return decided or _by_examples(text, social, evidence)


def _chatting(text: str, social: Sequence[PhraseHit], evidence: float) -> Intent | None:
    covered = sum(len(tokens(hit.phrase)) for hit in social)
    whole = bool(social) and covered >= 0.6 * len(tokens(text))
    return Intent("chat", 0.95, social[0].phrase) if whole and evidence < 2.5 else None


def _following(
    text: str,
    parses: Sequence[ParsedQuestion],
    history: Sequence[object],
    previous: Plan | None,
    evidence: float,
) -> Intent | None:
    """A change to the question before, or an answer to what was asked back."""
    found = Intent("data_query", 0.85, "follow-up")
    if previous is None:
        marked = any(parsed.draft.any("follow", "only") for parsed in parses)
        return found if history and marked and evidence >= 1.0 else None
    if previous.question is not None:
        return found if evidence > 0 or _answers(text, previous) else None
    return found if any(is_followup(parsed, previous) for parsed in parses) else None


def _speaking_of_data(evidence: tuple[float, str]) -> Intent | None:
    if evidence[0] < _SURE:
        return None
    return Intent("data_query", min(0.99, 0.6 + 0.1 * evidence[0]), evidence[1] or "words of figures")


def _by_examples(text: str, social: Sequence[PhraseHit], evidence: tuple[float, str]) -> Intent:
    """What messages like it want, where neither words of the sheet nor of chats decide."""
    best = _examples().best(text)
    spoken = evidence[0] >= 1.0
    if best.confidence >= _NEAR and (
        best.label in {"chat", "unclear"} or (best.label == "data_query" and spoken)
    ):
        return Intent(best.label, best.confidence, evidence[1] or "examples")  # type: ignore[arg-type]
    if social:
        return Intent("chat", 0.7, social[0].phrase)
    if spoken:
        return Intent("data_query", 0.6, evidence[1] or "words of figures")
    return Intent("unclear", 0.5, "no word of the sheet")


def _answers(text: str, previous: Plan) -> bool:
    said = " ".join(token.folded for token in tokens(text))
    options = [" ".join(token.folded for token in tokens(option)) for option in previous.options]
    return (
        said in options
        or said.isdigit()
        or (previous.pending == "ignore" and said.startswith(("bo qua", "ignore", "skip")))
    )


def _evidence(parsed: ParsedQuestion) -> tuple[float, str]:
    """How much a message speaks of the sheet's data, and the words that say so."""
    draft = parsed.draft
    score, found = _question_words(draft)
    named = 0.0
    for mention in draft.mentions:
        weight = 0.0
        if mention.targets:
            weight = mention.targets[0].weight
        if mention.values and not mention.has("filler", "not", "follow"):
            weight = max(weight, mention.values[0].weight)
        if mention.has("about"):
            weight = 0.8
        if weight >= 0.55:
            named += weight
            found.append(mention.text)
    made = len(draft.conditions) + len(draft.having) + len(draft.said)
    return score + 0.6 * min(made, 3) + 1.2 * min(named, 3.0), ", ".join(dict.fromkeys(found))[:120]


def _question_words(draft: QueryDraft) -> tuple[float, list[str]]:
    score = 0.0
    found: list[str] = []
    for mention in draft.mentions:
        if mention.targets or mention.values:
            continue
        if mention.period:
            score, found = score + 0.8, [*found, mention.text]
        elif mention.amount:
            score += 0.4
        elif mention.has(*_STRONG):
            score, found = score + 1.0, [*found, mention.text]
        elif mention.has(*_WEAK):
            score += 0.4
    return score, found


def _without_sheets(text: str) -> tuple[float, str]:
    """With no sheet at all: business words and words of figures."""
    typed = tokens(text)
    hits = list(_business().find(text, typed, careful=False))
    found = ", ".join(dict.fromkeys(text[typed[hit.start].start : typed[hit.end - 1].end] for hit in hits))
    strong = sum(1 for hit in words().find(text, typed, careful=False) if hit.payload in _STRONG)
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
