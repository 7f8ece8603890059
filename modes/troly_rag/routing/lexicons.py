"""The word lists of the router, read once: how questions are built, and what calls for which tool."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

from troly.text.catalogue import Lang
from troly.text.dates import Unit
from troly.text.everyday import correction_phrases
from troly.text.fold import fold, tokens
from troly.text.match import Lexicon
from troly.text.spelling import CHAT, Corrector, SpellingRules, chat_spellings
from troly.text.wordlist import read_lists
from troly_rag.corpus.coverage import listed_words, synonyms

FOLDER = Path(__file__).parent / "lexicons"
# A message is looked at this far; what people ask stands at its beginning.
ENOUGH = 2000


UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month"}
# Single letters that also name grades ("loại A").
_GRADES = frozenset("ace")


def spelt_out(message: str, lang: Lang) -> str:
    """`message` as it is read: chat spellings written out, slips of the finger in known names put right.

    What makes up a known word with its neighbour is spelt as it should be: "lap" in "thanh lap" is no laptop.
    """
    typed = tokens(message)
    whole = [
        (one.start, two.end) for one, two in pairwise(typed) if (one.folded, two.folded) in _known_pairs()
    ]
    return _corrector().correct(message, lang=lang, protected=whole).text


@cache
def _known_pairs() -> frozenset[tuple[str, str]]:
    """Neighbours, folded, in the names of synonyms.txt."""
    names = (pairwise(tokens(name)) for name in synonyms().every)
    return frozenset((one.folded, two.folded) for pairs in names for one, two in pairs)


@cache
def _corrector() -> Corrector:
    chat = {
        typed: meant
        for typed, meant in chat_spellings(CHAT, FOLDER / "chat.txt").items()
        if typed not in _GRADES
    }
    sums = [phrase for name in ("sum", "math", "total") for phrase in read_lists(FOLDER / "tools.txt")[name]]
    names = [*synonyms().every, *sums]
    known = [*listed_words(), *_domain_words()]
    return Corrector(names, known, chat, SpellingRules(unique=True, same_start=True, same_language=True))


@cache
def asking_lists() -> dict[str, frozenset[str]]:
    """The folded entries of `asking.txt` by label."""
    return {
        label: frozenset(fold(entry) for entry in entries)
        for label, entries in read_lists(FOLDER / "asking.txt").items()
    }


@cache
def label(name: str) -> Lexicon:
    """One label of `asking.txt` alone, so that it never competes with the others for the same words."""
    return Lexicon({name: read_lists(FOLDER / "asking.txt")[name]})


@cache
def neighbours() -> Lexicon:
    """The day, week or month beside the one asked about ("hôm sau"): unit and side of each."""
    lists = read_lists(FOLDER / "asking.txt")
    sides = (f"{unit} {side}" for unit in UNITS for side in ("before", "after"))
    return Lexicon({name: lists[name] for name in sides})


@cache
def tool_words(name: str) -> Lexicon:
    """One label of `tools.txt` alone."""
    return Lexicon({name: read_lists(FOLDER / "tools.txt")[name]})


@cache
def corrections() -> Lexicon:
    """What takes back what was said before."""
    return Lexicon({"correction": correction_phrases()})


@cache
def _domain_words() -> frozenset[str]:
    """The folded words of the questions that agents are taught by."""
    return frozenset(token.folded for _, line in read_examples("domains.txt") for token in tokens(line))


def read_examples(name: str) -> list[tuple[str, str]]:
    """The lines of an example file with their labels; commas belong to the line."""
    found, current = [], ""
    for raw in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            current = line[1:-1]
        elif line and not line.startswith("#"):
            found.append((current, line))
    return found
