"""Weighs what a message says for shopping, for warranty and for neither: listed words and likeness to examples."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from troly.text.language import detect
from troly.text.match import ExampleClassifier, Lexicon, PhraseHit
from troly.text.wordlist import LEXICONS as HOUSE_LEXICONS
from troly.text.wordlist import read_lists
from troly_shopping.spelling import Spelling
from troly_shopping.wish import read_limits

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
class Scores:
    """What was found: the intent, its confidence 0 to 1, and why."""

    intent: Intent
    confidence: float
    reason: str
    count: Counter[str]


def weigh(text: str) -> Scores:
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
    if read_limits(text).places:
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


def names(text: str, *labels: str) -> bool:
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


def _decided(points: Mapping[Intent, float], count: Counter[str], reason: str) -> Scores:
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
        return Scores("unknown", min(confidence, 0.4), reason, count)
    return Scores(intent, confidence, reason, count)


def _hits(text: str, plain: str) -> list[PhraseHit]:
    """The phrases of the message as typed, and those that show only in its plain spelling."""
    typed = _not_by_chance(text, intents().find(text))
    count = Counter(hit.label for hit in typed)
    more = [hit for hit in _not_by_chance(plain, intents().find(plain)) if not count[hit.label]]
    return [*typed, *more]


def _not_by_chance(text: str, hits: list[PhraseHit]) -> list[PhraseHit]:
    """`hits` without Vietnamese syllables that an English message only seems to hold: the "re" of "you're"."""
    if detect(text) == "vi":
        return hits
    return [hit for hit in hits if hit.exact or " " in hit.phrase]


@cache
def intents() -> Lexicon:
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
