"""Tells a greeting, thanks or a goodbye, said alone, from a question."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from troly.text.fold import tokens
from troly.text.match import Lexicon

_FILE = Path(__file__).parent / "lexicons" / "talk.txt"
_KINDS = ("goodbye", "thanks", "greeting")
# Nobody greets at greater length; a longer message is read by the guard.
_LONGEST = 12


def small_talk(text: str) -> str:
    """`greeting`, `thanks` or `goodbye` when the message is nothing else, "" for everything that may be a question."""
    words = tokens(text)
    if not words or len(words) > _LONGEST or "?" in text:
        return ""
    hits = _lexicon().find(text)
    covered = [any(hit.start <= word.start and word.end <= hit.end for hit in hits) for word in words]
    labels = {hit.label for hit in hits}
    return next((kind for kind in _KINDS if kind in labels), "") if all(covered) else ""


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(_FILE)
