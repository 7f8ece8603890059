"""Finds what a message wants: by rules alone where they are sure, else by the model with the rules as its fallback."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from troly.plugin.context import TurnContext
from troly.plugin.events import Source
from troly.text.catalogue import Lang
from troly.text.language import detect
from troly.text.match import ExampleClassifier, Hit, Lexicon
from troly.text.wordlist import LEXICONS as HOUSE_LEXICONS
from troly.text.wordlist import read_lists
from troly_shopping.products.query import parse_price_limits
from troly_shopping.serials import SerialParse
from troly_shopping.spelling import Spelling
from troly_shopping.strings import prompts, say

# Weighs what a message says for shopping, for warranty and for neither: listed words and likeness to examples.


Intent = Literal["shopping", "warranty", "unknown"]
_PICTURES, _EMOJI_STYLE = frozenset({"So", "Sk"}), "\ufe0f"
# What is wanted shows well before the end of a longer message.
ENOUGH = 4000
LEXICONS = Path(__file__).parent / "lexicons"
# Said around other remarks: another kind found beside one of these is what was meant.
WRAPPING = ("hello", "thanks", "bye")

# What the lists weigh, by section: the first phrase found, and every further one.
_FIRST: Mapping[str, tuple[Intent, float]] = {
    "warranty": ("warranty", 3.0),
    "repair": ("warranty", 2.5),
    "symptom": ("warranty", 1.3),
    "shopping": ("shopping", 2.4),
    "terms": ("shopping", 3.5),
    "place": ("shopping", 1.8),
    "leaning": ("shopping", 1.0),
    "goods": ("shopping", 1.3),
    "brand": ("shopping", 1.2),
    "social": ("unknown", 2.2),
    "wrapping": ("unknown", 0.8),
    "off": ("unknown", 2.8),
}
_FURTHER = 0.3
_OWNED = 1.0
_DEVICE = 0.6
# Goods with a price beside them ("laptop dưới 20 triệu") are to be bought.
_PRICED = 2.0
# A price alone ("dưới 10 triệu thôi") leans there.
_LIMITED = 0.8
# What likeness to the examples weighs beside them; a message like none of them is nonsense by this much.
_LIKENESS: Mapping[str, tuple[Intent, float]] = {
    "shopping": ("shopping", 2.5),
    "warranty": ("warranty", 2.5),
    "social": ("unknown", 1.6),
}
_DOUBT, _NOTHING_LISTED = 0.6, 1.2
# Likeness to small talk counts this much beside a word for business: people are polite.
_POLITE = 0.3
_BUSINESS = ("warranty", "repair", "shopping", "terms", "place", "goods", "brand", "device")
# How much of the other working intent counts against the better one: both are business, and one must be served.
_RIVAL = 0.35


@dataclass(frozen=True, slots=True)
class IntentScores:
    """What was found: the intent, its confidence 0 to 1, and why."""

    intent: Intent
    confidence: float
    reason: str
    count: Counter[str]


def score_intents(text: str) -> IntentScores:
    """The intent of `text` by its words alone (000-21, 000-22); "unknown" when nothing tells."""
    text = _without_pictures(text[:ENOUGH])
    plain = _spelling().plain(text)
    hits = _hits(text, plain)
    count = Counter(hit.label for hit in hits)
    points: dict[Intent, float] = {"shopping": 0.0, "warranty": 0.0, "unknown": 0.0}
    for label, number in count.items():
        if label in _FIRST:
            intent, weight = _FIRST[label]
            points[intent] += weight * (1 + _FURTHER * (number - 1))
    if count["owned"]:
        points["warranty"] += _OWNED if count["repair"] or count["symptom"] or count["warranty"] else 0.0
    if count["repair"] or count["symptom"]:
        # What is sold breaks too.
        points["warranty"] += sum(_FIRST[label][1] for label in ("goods", "brand") if count[label])
    if parse_price_limits(text).places:
        named = any(count[label] for label in ("goods", "brand", "device"))
        points["shopping"] += _PRICED if named else _LIMITED
    if count["device"]:
        points["warranty"] += _DEVICE
        points["shopping"] += _DEVICE
    business = any(count[label] for label in _BUSINESS)
    like = _examples().classify(text)
    for scored in like:
        if scored.label in _LIKENESS:
            intent, weight = _LIKENESS[scored.label]
            points[intent] += (
                weight * scored.confidence * (_POLITE if business and intent == "unknown" else 1)
            )
    words = ", ".join(dict.fromkeys(hit.phrase for hit in hits)) or "-"
    return _decided(points, count, f"{words}; ≈ {like[0].label} {like[0].confidence:.2f}")


def mentions_any(text: str, *labels: str) -> bool:
    """Whether a word of these sections stands in the message, as typed or in its plain spelling."""
    text = text[:ENOUGH]
    return any(hit.label in labels for hit in _hits(text, _spelling().plain(text)))


def _without_pictures(text: str) -> str:
    """`text` with blanks for emoji: one in the middle of a phrase does not part it."""
    if text.isascii():
        return text
    return "".join(
        " " if unicodedata.category(char) in _PICTURES or char == _EMOJI_STYLE else char for char in text
    )


def _decided(points: Mapping[Intent, float], count: Counter[str], reason: str) -> IntentScores:
    warranty, shopping = points["warranty"], points["shopping"]
    intent: Intent = "warranty" if warranty > shopping else "shopping"
    most, rival = max(warranty, shopping), min(warranty, shopping)
    confidence = most / (
        most
        + _RIVAL * rival
        + points["unknown"]
        + (_DOUBT if any(count[label] for label in _FIRST) else _NOTHING_LISTED)
    )
    if points["unknown"] >= most or confidence < 0.5:
        return IntentScores("unknown", min(confidence, 0.4), reason, count)
    return IntentScores(intent, confidence, reason, count)


def _hits(text: str, plain: str) -> list[Hit]:
    """The phrases of the message as typed, and those that show only in its plain spelling."""
    typed = _not_by_chance(text, intent_lexicon().find(text))
    count = Counter(hit.label for hit in typed)
    more = [hit for hit in _not_by_chance(plain, intent_lexicon().find(plain)) if not count[hit.label]]
    return [*typed, *more]


def _not_by_chance(text: str, hits: list[Hit]) -> list[Hit]:
    """`hits` without Vietnamese syllables that an English message only seems to hold: the "re" of "you're"."""
    if detect(text) == "vi":
        return hits
    return [hit for hit in hits if hit.exact or " " in hit.phrase]


@cache
def intent_lexicon() -> Lexicon:
    """The lists of intents; social remarks are among them so that "co ban trai" is not taken for "có bán"."""
    return Lexicon(_lists())


@cache
def _examples() -> ExampleClassifier:
    return ExampleClassifier.load(LEXICONS / "intent_examples.txt")


def _lists() -> dict[str, list[str]]:
    social = read_lists(LEXICONS / "social.txt")
    remarks = [phrase for kind, phrases in social.items() if kind not in WRAPPING for phrase in phrases]
    listed = {label: list(phrases) for label, phrases in read_lists(LEXICONS / "intents.txt").items()}
    wrapping = [phrase for kind in WRAPPING for phrase in social[kind]]
    return {**listed, "social": remarks, "wrapping": wrapping}


@cache
def _spelling() -> Spelling:
    phrases = [phrase for listed in _lists().values() for phrase in listed]
    known = [example for _, example in _examples().examples]
    for name in ("vietnamese", "english", "neutral"):
        known += [entry for listed in read_lists(HOUSE_LEXICONS / f"{name}.txt").values() for entry in listed]
    return Spelling(phrases, known)


# Tells by keywords what a message wants, in both languages and without accents (000-21, 000-22); asks no model.


@dataclass(frozen=True, slots=True)
class RuleIntent:
    """What the rules make of a message; `sure` when no model needs to be asked; `reason` names the words."""

    intent: Intent
    confidence: float
    reason: str
    sure: bool = False


def intent_by_rules(text: str, reading: SerialParse, *, awaiting: bool) -> RuleIntent:
    """The intent by rules: a serial by its evidence first, then keywords."""
    scores = score_intents(text)
    named = scores.count["warranty"] > 0
    if reading.serials and (reading.sure or named or awaiting or reading.bare):
        return RuleIntent("warranty", 0.97, scores.reason, sure=reading.sure or awaiting or named)
    if awaiting and reading.attempted:
        return RuleIntent("warranty", 0.9, scores.reason, sure=True)
    return RuleIntent(scores.intent, scores.confidence, scores.reason)


def is_about_warranty(text: str) -> bool:
    """Whether a word for warranty or serial is in the message."""
    return mentions_any(text, "warranty", "repair")


def social_kind(text: str) -> str:
    """The kind of a social remark, as in `lexicons/social.txt`; "" for none."""
    hits = _social().find(text[:ENOUGH])
    if not hits:
        return ""
    return min(hits, key=lambda hit: (hit.label in WRAPPING, hit.start - hit.end, hit.start)).label


@cache
def _social() -> Lexicon:
    return Lexicon.load(LEXICONS / "social.txt")


if TYPE_CHECKING:
    pass  # REFACTOR: emptied import

_ANSWERS_SHOWN = 2
_SHOWN_CHARS = 400


@dataclass(frozen=True, slots=True)
class IntentDecision:
    """The intent, how sure, who decided and why."""

    intent: Intent
    confidence: float
    source: Source
    reason: str

    def note(self, lang: Lang) -> str:
        """One line for the evidence view."""
        return say(
            "step.intent", lang, intent=self.intent, confidence=f"{self.confidence:.2f}", reason=self.reason
        )


async def decide_intent(
    turn: TurnContext, question: str, reading: SerialParse, *, awaiting: bool
) -> IntentDecision:
    """The intent of `question` (000-19 to 000-24)."""
    # The first message of a process reads the word lists; nobody else should wait for that.
    ruled = await asyncio.to_thread(intent_by_rules, question, reading, awaiting=awaiting)
    if ruled.sure:
        reason = say("step.serial_sure", turn.language, reason=reading.reason(turn.language))
        return IntentDecision(ruled.intent, ruled.confidence, "rules", reason)
    pass  # REFACTOR: emptied import

    messages = prompts().messages(
        "classify",
        turn.language,
        hints=_hints(ruled, reading, turn.language, awaiting=awaiting),
        history=_history(turn),
        message=question,
    )
    decision = await turn.model.decide("classify", Classification, messages, lambda: _as_value(ruled))
    value: Classification = decision.value
    reason = value.rationale if decision.source == "model" else f"{ruled.reason} ({decision.reason})"
    return IntentDecision(value.intent, value.confidence, decision.source, reason)


def _as_value(ruled: RuleIntent) -> Classification:
    pass  # REFACTOR: emptied import

    return Classification(
        intent=ruled.intent,
        confidence=ruled.confidence,
        need_retrieval=ruled.intent == "shopping",
        clarify_needed=ruled.intent == "unknown",
        rationale=ruled.reason,
    )


def _hints(ruled: RuleIntent, reading: SerialParse, lang: Lang, *, awaiting: bool) -> str:
    told = [f"{ruled.intent} {ruled.confidence:.2f} ({ruled.reason})"]
    if reading.candidates:
        told.append(reading.reason(lang))
    if awaiting:
        told.append(say("step.awaiting", lang))
    return "; ".join(told)


def _history(turn: TurnContext) -> str:
    """What the desk said last, one line each: enough to understand a follow-up, and nothing a customer wrote."""
    answers = [message.text for message in turn.history if message.sender == "assistant"]
    return (
        "\n".join(f"assistant: {' '.join(text.split())[:_SHOWN_CHARS]}" for text in answers[-_ANSWERS_SHOWN:])
        or "-"
    )


# The JSON that the model returns (000-20); importing this costs pydantic, so nodes import it when they run.


class Classification(BaseModel):
    """What a message wants, as the documents name the fields."""

    intent: Intent
    confidence: float = Field(ge=0.0, le=1.0)
    need_retrieval: bool = False
    clarify_needed: bool = False
    clarify_questions: list[str] = Field(default_factory=list, max_length=5)
    rationale: str = Field(default="", max_length=1000)
