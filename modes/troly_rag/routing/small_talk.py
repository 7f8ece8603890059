"""Tells small talk from questions, and takes greetings off a question (004-18)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from troly.text.catalogue import Lang
from troly.text.fold import has_marks, tokens
from troly.text.match import PhraseHit
from troly_rag.corpus.coverage import question_of
from troly_rag.routing.lexicons import ENOUGH, pleasantries, talk, talk_words, work_words
from troly_rag.routing.questions import content
from troly_rag.strings import say

# Kinds that are answered in words of their own; the others with the document's sentence.
_OWN_WORDS = ("thanks", "bye", "self", "other")
# The shares of all kinds of small talk together, and how much more than that of work.
_SURE, _TIMES, _CLEAR = 0.36, 2.0, 0.6
_LONGEST_TALK = 14
_EDGES = " \t\r\n,.;:!?-–—~…"
_LETTERS = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class SmallTalkCheck:
    """A message without its pleasantries; `kind` is "" for a question, else the kind of small talk, `sure` when nothing
    else is in it."""

    text: str
    kind: str = ""
    sure: bool = False


def check_small_talk(message: str) -> SmallTalkCheck:
    """What is left of `message` to answer, or which kind of small talk it is."""
    text = message[:ENOUGH]
    if not _LETTERS.search(text):
        return SmallTalkCheck(message.strip(), "greeting", sure=True)
    hits = pleasantries().find(text)
    covered = [hit for hit in hits if hit.label != "asking"]
    bare = _left(text, covered)
    if not tokens(bare):
        kinds = [hit.label for hit in covered if hit.label not in ("filler", "empty")]
        return SmallTalkCheck(
            message.strip(), "greeting" if "greeting" in kinds or not kinds else kinds[0], sure=True
        )
    rest = _trimmed(text, [hit for hit in hits if hit.label != "empty"]) + message[ENOUGH:]
    if len(tokens(rest)) > _LONGEST_TALK:
        return SmallTalkCheck(rest)
    return SmallTalkCheck(rest, _kind(text))


def _kind(text: str) -> str:
    """The kind of small talk that a message is like; "" where it is not, or has words that small talk does not have."""
    only = work_words()
    around = pleasantries().find(text)
    telling = [one for one in content(text) if not any(hit.start <= one.start < hit.end for hit in around)]
    marked = has_marks(one.text for one in telling)
    if any((one.text if marked else one.folded) in only or one.folded[0].isdigit() for one in telling):
        return ""
    if question_of(text).own_figures or question_of(text).names_something:
        return ""
    shares = {scored.label: scored.confidence for scored in talk().classify(text)}
    small = {label: share for label, share in shares.items() if label not in ("work", "unknown")}
    total = sum(small.values())
    strange = sum(one.folded not in talk_words() for one in telling)
    if strange * 2 > len(telling) and total < _CLEAR:
        return ""
    if total < _SURE or total < _TIMES * shares.get("work", 0.0):
        return ""
    return max(small, key=lambda label: small[label])


def reply(kind: str, lang: Lang) -> str:
    """The answer to small talk; the document's own sentence unless thanks, a farewell or "who are you"."""
    return say(f"chitchat.{kind if kind in _OWN_WORDS else 'greeting'}", lang)


def _left(text: str, hits: list[PhraseHit]) -> str:
    """`text` without the phrases found."""
    pieces, at = [], 0
    for hit in hits:
        pieces.append(text[at : hit.start])
        at = max(at, hit.end)
    return " ".join([*pieces, text[at:]])


def _trimmed(text: str, hits: list[PhraseHit]) -> str:
    """`text` without the pleasantries at its beginning and its end; one word of those in the middle may carry sense."""
    start, end = 0, len(text)
    for hit in hits:
        if tokens(text[start : hit.start]):
            break
        start = hit.end
    for hit in reversed(hits):
        if hit.start < start or tokens(text[hit.end : end]) or hit.label == "asking":
            break
        end = hit.start
    return text[start:end].strip(_EDGES.replace("?", "")) or text.strip()
