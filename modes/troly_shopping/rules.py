"""Tells by keywords what a message wants, in both languages and without accents (000-21, 000-22); asks no model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from troly.text.match import Lexicon
from troly_shopping.scoring import ENOUGH, LEXICONS, WRAPPING, Intent, names, weigh
from troly_shopping.serials import Reading


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rules make of a message; `sure` when no model needs to be asked; `reason` names the words."""

    intent: Intent
    confidence: float
    reason: str
    sure: bool = False


def judge(text: str, reading: Reading, *, awaiting: bool) -> Finding:
    """The intent by rules: a serial by its evidence first, then keywords."""
    scores = weigh(text)
    named = scores.count["warranty"] > 0
    if reading.serials and (reading.sure or named or awaiting or reading.bare):
        return Finding("warranty", 0.97, scores.reason, sure=reading.sure or awaiting or named)
    if awaiting and reading.attempted:
        return Finding("warranty", 0.9, scores.reason, sure=True)
    return Finding(scores.intent, scores.confidence, scores.reason)


def is_about_warranty(text: str) -> bool:
    """Whether a word for warranty or serial is in the message."""
    return names(text, "warranty", "repair")


def social_kind(text: str) -> str:
    """The kind of a social remark, as in `lexicons/social.txt`; "" for none."""
    hits = _social().find(text[:ENOUGH])
    if not hits:
        return ""
    return min(hits, key=lambda hit: (hit.label in WRAPPING, hit.start - hit.end, hit.start)).label


@cache
def _social() -> Lexicon:
    return Lexicon.load(LEXICONS / "social.txt")
