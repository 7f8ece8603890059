"""What a question is about: the names of the notes' topics in it, and its words without politeness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from troly.text import fold
from troly.text.fold import WordToken
from troly.text.match import Lexicon
from troly_dental.samples import note_files

_IDLE = Path(__file__).parent / "lexicons" / "notes_idle.txt"
# How many other words may stand between the words of a name.
_SCATTER = 4


class _Name(NamedTuple):
    """One name of a topic by its telling words."""

    topic: str
    words: tuple[WordToken, ...]


def subjects(question: str) -> dict[str, int]:
    """The topics whose subject `question` names, with the number of words that name it.

    A name is found as a phrase, or, where it has two telling words or more, by those words close together in any order
    ("răng hàm bị sâu" names "răng sâu").
    """
    found: Counter[str] = Counter()
    for hit in _subject_lexicon().find(question):
        found[hit.label] = max(found[hit.label], len(fold.words(hit.phrase)))
    typed = fold.tokens(question)
    places: dict[str, list[int]] = {}
    for at, token in enumerate(typed):
        places.setdefault(token.folded, []).append(at)
    for name in _scattered_names():
        if all(word.folded in places for word in name.words) and _stand_together(name.words, typed, places):
            found[name.topic] = max(found[name.topic], len(name.words))
    return dict(found)


def subject_words(question: str) -> str:
    """`question` without politeness and question words, unless nothing else is left."""
    rest, at = [], 0
    for hit in _idle_lexicon().find(question):
        rest.append(question[at : max(at, hit.start)])
        at = max(at, hit.end)
    rest.append(question[at:])
    text = " ".join(" ".join(rest).split())
    return text if fold.words(text) else question


@cache
def _subject_lexicon() -> Lexicon:
    """Titles and other names of every topic, in both languages."""
    named: dict[str, list[str]] = {}
    for note in note_files():
        named.setdefault(note.topic, []).extend((note.title, *note.also))
    return Lexicon(named)


@cache
def _scattered_names() -> tuple[_Name, ...]:
    names = []
    for note in note_files():
        for alias in (note.title, *note.also):
            words = tuple({token.folded: token for token in fold.tokens(subject_words(alias))}.values())
            if len(words) > 1:
                names.append(_Name(note.topic, words))
    return tuple(names)


def _stand_together(
    words: Sequence[WordToken], typed: Sequence[WordToken], places: Mapping[str, Sequence[int]]
) -> bool:
    """Whether `words`, with the accents that were typed, stand within a few words of one another."""
    fitting = [
        [at for at in places[word.folded] if fold.accents_agree(typed[at].text, word.text)] for word in words
    ]
    if not all(fitting):
        return False
    for start in fitting[0]:
        nearest = [min((abs(at - start), at) for at in others)[1] for others in fitting]
        if max(nearest) - min(nearest) < len(words) + _SCATTER:
            return True
    return False


@cache
def _idle_lexicon() -> Lexicon:
    return Lexicon.load(_IDLE)
