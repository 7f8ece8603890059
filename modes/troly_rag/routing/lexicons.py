"""The word lists of the router, read once: how questions are built, small talk, and what calls for which tool."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from troly.text.catalogue import Lang
from troly.text.fold import fold, tokens
from troly.text.match import ExampleClassifier, Lexicon
from troly.text.spelling import CHAT, Corrector, SpellingRules, chat_spellings
from troly.text.wordlist import read_lists
from troly_rag.corpus.coverage import listed_words, synonyms

FOLDER = Path(__file__).parent / "lexicons"
# A message is looked at this far; what people ask stands at its beginning.
ENOUGH = 2000
_SHORTEST = 3


# Single letters that also name grades ("loại A").
_GRADES = frozenset("ace")


def spelt_out(message: str, lang: Lang) -> str:
    """`message` as it is read: chat spellings written out, slips of the finger in known names put right."""
    return _corrector().correct(message, lang=lang).text


@cache
def _corrector() -> Corrector:
    chat = {
        typed: meant
        for typed, meant in chat_spellings(CHAT, FOLDER / "chat.txt").items()
        if typed not in _GRADES
    }
    names = [name for names in synonyms().names for name in names]
    known = [*listed_words(), *work_words(), *talk_words()]
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
def tool_words(name: str) -> Lexicon:
    """One label of `tools.txt` alone."""
    return Lexicon({name: read_lists(FOLDER / "tools.txt")[name]})


@cache
def pleasantries() -> Lexicon:
    """Words around a question that ask nothing themselves."""
    return Lexicon.load(FOLDER / "pleasantries.txt")


@cache
def talk() -> ExampleClassifier:
    """Kinds of small talk against questions for the company."""
    lines = (FOLDER / "domains.txt").read_text(encoding="utf-8").splitlines()
    asked = [("work", line) for line in lines if line.strip() and line[0] not in "#["]
    small = read_examples("talk.txt")
    return ExampleClassifier([*small, *asked], prior={"work": 0.6})


@cache
def talk_words() -> frozenset[str]:
    """The folded words of small talk."""
    return frozenset(token.folded for _, line in read_examples("talk.txt") for token in tokens(line))


@cache
def work_words() -> frozenset[str]:
    """The words that the questions for the company have and small talk does not, as typed and folded."""
    small = talk_words()
    return frozenset(
        form
        for _, line in read_examples("domains.txt")
        for token in tokens(line)
        for form in (token.text, token.folded)
        if len(token.folded) >= _SHORTEST and token.folded not in small
    )


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
