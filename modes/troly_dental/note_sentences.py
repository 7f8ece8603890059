"""Choosing the sentences of a note that answer a question, without a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from troly.text import fold
from troly.text.match import Lexicon
from troly_dental.note_subjects import subject_words
from troly_dental.samples import note_files

_ASKED = Path(__file__).parent / "lexicons" / "notes_asked.txt"
_END = re.compile(r"(?<=[.!?…])\s+|\n+")
# What a sentence gains that answers the kind of question (how long, may I), beside the words it shares.
_RIGHT_KIND = 1.2


def sentences_of(text: str) -> list[str]:
    """The sentences of `text`, in order."""
    return [part.strip() for part in _END.split(text) if part.strip()]


def telling_sentences(sentences: Sequence[str], question: str, count: int) -> list[str]:
    """Up to `count` of `sentences` that answer `question` best, in their own order; the first ones where none does."""
    wanted = fold.folded_words(subject_words(question))
    kinds = [
        label.removesuffix(" asked") for label in _asked().labels_in(question) if label.endswith(" asked")
    ]
    common = Counter(word for each in sentences for word in set(fold.folded_words(each)))
    points = []
    for at, sentence in enumerate(sentences):
        shared = _shared(sentence, wanted, common, len(sentences))
        fitting = sum(_answers(sentence, kind, first=at == 0) for kind in kinds)
        points.append(shared + _RIGHT_KIND * fitting)
    ranked = sorted(range(len(sentences)), key=lambda at: (-points[at], at))
    return [sentences[at] for at in sorted(ranked[:count])]


def tells(word: str) -> float:
    """How much the folded `word` tells among the sentences of all notes (inverse document frequency)."""
    counts, total = _frequencies()
    return math.log((total + 1) / (counts.get(word, 0) + 0.5))


def _shared(sentence: str, wanted: Sequence[str], common: Mapping[str, int], total: int) -> float:
    """What the words and pairs of `wanted` tell that stand in `sentence`; those of every sentence of a note do not."""
    words = fold.folded_words(sentence)
    rare = {word: tells(word) * (1 - common.get(word, 0) / (total + 1)) for word in set(words) & set(wanted)}
    pairs = set(fold.bigrams(words)) & set(fold.bigrams(wanted))
    told = sum(rare.values()) + sum(max(rare.get(word, 0.0) for word in pair.split("_")) for pair in pairs)
    return told / math.sqrt(4 + len(words))


def _answers(sentence: str, kind: str, *, first: bool) -> bool:
    return first if kind == "what" else _asked().has(sentence, kind)


@cache
def _frequencies() -> tuple[Mapping[str, int], int]:
    sentences = [each for note in note_files() for each in sentences_of(note.text)]
    return Counter(word for each in sentences for word in set(fold.folded_words(each))), len(sentences)


@cache
def _asked() -> Lexicon:
    return Lexicon.load(_ASKED)
