"""The sentences of a note that answer a question: by its words and what means the same, and by the kind of answer it asks for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from troly.text import fold
from troly.text.everyday import without_everyday
from troly.text.language import detect
from troly.text.match import Lexicon, blank_out, spans_of
from troly.text.wordlist import read_lists
from troly_dental.guard.rules import telling_words
from troly_dental.guard.spelling import spellings_of
from troly_dental.samples import note_files

_LEXICONS = Path(__file__).parent / "lexicons"
# What parts what is told in one sentence.
PART = re.compile(r"[,.;?!\n]")
_END = re.compile(r"(?<=[.!?…])\s+|\n+")
# What a word of an earlier message counts beside one of the question itself, and one that a sentence chosen before has too.
_EARLIER, _TOLD_ALREADY = 0.3, 0.4
# What a word counts that hardly changes a question: who, when, what one does all day.
_GENERALLY = 0.4
# The most that a word counts that some note has, and one that none has.
_KNOWN, _STRANGE = 5.0, 1.5
# What a word tells that says what a question is about.
_TELLING = 2.2
# What a line must tell of a question to answer it by itself, and beside the best one.
_SURELY, _BESIDE_BEST = 0.45, 0.6
# How much more a line tells that has words of the question in a row.
_IN_A_ROW = 2.0
# And one that forbids or allows what is asked about.
_RULED = 3.0
# What a sentence gains that tells a time where one is asked for, beside the words it shares.
_TOLD_TIME, _TOLD_KIND = 1.5, 0.5
# What that counts in a sentence that shares none.
_BESIDE = 0.75
_STATED = ("how long", "how much", "food", "amount", "strength", "age")
# The kinds of answer that a sentence tells or does not; what to do and what is allowed may be told in any words.
KINDS = (*_STATED, "avoid", "why", "hurts", "normal", "choice")
# What forbids or allows the next word.
_LEAVE = frozenset({"không", "đừng", "tránh", "nên", "thể", "not", "never", "avoid", "may", "can", "no"})
# "Nhiều năm" says no time; "vài ngày", "18 đến 24 tháng", "two weeks" do.
_TIME = re.compile(
    r"\b(?:\d+|mot|hai|ba|bon|nam|sau|bay|tam|chin|muoi|vai|nua|one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|half)"
    r"\s+(?:\w+\s+){0,3}?(?:phut|gio|ngay|tuan|thang|nam|tuoi|lan|minutes?|hours?|days?|weeks?|months?|years?|times|twice|once)\b"
    r"|\b(?:once|twice|daily|(?:first|second|third|next) day|ngay (?:dau|thu \w+)|hom sau|ca ngay|suot ngay|all day|whole day)\b"
)
_ENDINGS = re.compile(r"(?:ing|ed|es|s|ly)$")
_SHORTEST_STEM = 3

Weights = Mapping[str, float]
"""What each word (by its fold) or concept (in brackets) of a text tells."""


def sentences_of(text: str) -> list[str]:
    """The sentences of `text`, in order."""
    return [part.strip() for part in _END.split(text) if part.strip()]


def subject_words(question: str) -> str:
    """`question` without everyday words, unless nothing else is left."""
    return " ".join(word.text for word in without_everyday(question)) or question


def best_sentences(
    sentences: Sequence[str], question: str, count: int, before: str = "", twins: Sequence[str] = ()
) -> list[str]:
    """Up to `count` of `sentences` that answer `question` best, in their own order; the first ones where none does.

    `before` is what the question follows up: its words count less. `twins` are the same sentences in the other language.
    """
    told = told_by(sentences, question, before, twins)
    kinds = kinds_asked(question) or kinds_asked(before)
    gains = [
        max((_told(kind, sentence) for kind in kinds), default=0.0) * (1.0 if told[at] else _BESIDE)
        for at, sentence in enumerate(sentences)
    ]
    if gains and asked_lexicon().has(question, "what asked"):
        # A note begins with what its subject is.
        gains[0] += _TOLD_TIME
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < min(count, len(sentences)):
        points = {
            at: _points(told[at], sentences[at], covered) + gains[at]
            for at in range(len(sentences))
            if at not in chosen
        }
        best = max(points, key=lambda at: (points[at], -at))
        chosen.append(best)
        covered |= set(told[best])
    return [sentences[at] for at in sorted(chosen)]


def best_lines(lines: Sequence[str], question: str, count: int, twins: Sequence[str]) -> list[str]:
    """Up to `count` of `lines` that surely speak of what `question` names, the best first; none where no line does."""
    told = told_by(lines, question, "", twins)
    leave = "may i" in kinds_asked(question)
    rules = [_ruled_on(line, one) if leave else set() for line, one in zip(lines, told, strict=True)]
    head = _asked_first(set().union(*rules), question)
    telling = telling_words(question)
    pairs = {pair for pair in fold.bigrams(fold.folded_words(question)) if telling.intersection(pair)}
    points = [
        _points(one, line, set())
        * (_IN_A_ROW if pairs.intersection(fold.bigrams(fold.folded_words(line))) else 1.0)
        * (_RULED if head in ruled else 1.0)
        for one, line, ruled in zip(told, lines, rules, strict=True)
    ]
    enough = max(_BESIDE_BEST * max(points, default=0.0), _SURELY)
    chosen: list[int] = []
    covered: set[str] = set()
    for at in sorted(range(len(lines)), key=lambda at: -points[at]):
        # What no better line speaks of is asked too: "ấn bụng được không, hay dốc ngược".
        fresh = any(weight >= _TELLING for unit, weight in told[at].items() if unit not in covered)
        if points[at] >= (_SURELY if fresh else enough):
            chosen.append(at)
            covered |= set(told[at])
    firsts = [
        at for n, at in enumerate(chosen) if set(told[at]) - set().union(*(told[one] for one in chosen[:n]))
    ]
    return [lines[at] for at in (*firsts, *(at for at in chosen if at not in firsts))][:count]


def ruling_lines(lines: Sequence[str], question: str, twins: Sequence[str]) -> list[str]:
    """The best of `lines` where it forbids or allows the very thing that `question` asks for; none where it does not."""
    best = best_lines(lines, question, 1, twins)
    told = told_by(lines, question, "", twins)
    return [line for line, one in zip(lines, told, strict=True) if line in best and _ruled_on(line, one)]


def _ruled_on(line: str, told: Weights) -> set[str]:
    """Which of the things `told` the line forbids or allows: "không súc miệng"."""
    words = fold.tokens(line)
    next_to = {
        each.start
        for at, word in enumerate(words)
        if word.text.lower() in _LEAVE
        for each in words[at + 1 : at + 3]
    }
    hits = [hit for hit in _concepts().find(line) if hit.exact and hit.start in next_to]
    named = {f"[{hit.label}]" for hit in hits} | {
        word.text.lower() for word in words if word.start in next_to
    }
    return named & set(told)


def _asked_first(units: set[str], question: str) -> str:
    """Which of `units` the question names first."""
    starts = {f"[{hit.label}]": hit.start for hit in reversed(_concepts().find(question))}
    return min(units, key=lambda unit: (starts.get(unit, question.lower().find(unit)), unit), default="")


def told_by(
    sentences: Sequence[str], question: str, before: str = "", twins: Sequence[str] = ()
) -> list[dict[str, float]]:
    """For each of `sentences` what it tells of the words of `question`; what all of them have tells little."""
    wanted = {**{unit: weight * _EARLIER for unit, weight in _weights(before).items()}, **_weights(question)}
    shared = [
        _shared_units(wanted, sentence) | (_shared_units(wanted, twin) if twin else set())
        for sentence, twin in zip(sentences, twins or [""] * len(sentences), strict=True)
    ]
    common = Counter(unit for units in shared for unit in units)
    total = len(sentences) + 1
    return [{unit: wanted[unit] * (1 - common[unit] / total) for unit in units} for units in shared]


def share_told(question: str, sentences: Sequence[str], names: str) -> float:
    """What share of what the words of `question` tell one of `sentences` has; a word that only the others or `names` have
    counts half.

    0-1.
    """
    counts = _frequencies()[0]
    wanted = {
        unit: min(weight, _KNOWN if unit.startswith("[") or fold.fold(unit) in counts else _STRANGE)
        for unit, weight in _weights(_without_worry(question)).items()
    }
    if not wanted:
        return 0.0
    shared = [_shared_units(wanted, one) for one in sentences]
    best = max((sum(wanted[unit] for unit in units) for units in shared), default=0.0)
    everywhere = sum(wanted[unit] for unit in set().union(*shared, _shared_units(wanted, names)))
    return (best + max(everywhere - best, 0.0) / 2) / sum(wanted.values())


def count_told(question: str) -> int:
    """How many words of `question` tell what it is about."""
    return sum(weight >= _TELLING for weight in _weights(_without_worry(question)).values())


@lru_cache(maxsize=64)
def _without_worry(question: str) -> str:
    """`question` without what only asks if it is usual or dangerous, of whatever that is; as it is where nothing else is left."""
    asked = [hit for hit in asked_lexicon().find(question) if hit.label == "normal asked"]
    left = blank_out(question, spans_of(asked))
    return left if without_everyday(left) else question


def _points(told: Weights, sentence: str, covered: set[str]) -> float:
    weights = (weight * (_TOLD_ALREADY if unit in covered else 1.0) for unit, weight in told.items())
    return sum(weights) / math.sqrt(8 + len(fold.words(sentence)))


@lru_cache(maxsize=64)
def _weights(text: str) -> Weights:
    """What the words and concepts of `text` tell, spelt as they are meant."""
    text = spellings_of(text)[-1] if text else text
    # One syllable without its accents may be another word: it is compared as it stands.
    marked = fold.has_marks(fold.words(text)) or detect(text) == "en"
    hits = [hit for hit in _concepts().find(text) if (hit.exact and marked) or " " in hit.phrase]
    found = {f"[{hit.label}]": word_weight(f"[{hit.label}]") for hit in hits}
    telling = telling_words(text)
    for word in without_everyday(text, spans_of(hits)):
        if word.folded in telling and not word.folded.isdigit():
            scale = _GENERALLY if word.folded in general_words() else 1.0
            found[word.text] = word_weight(word.folded) * scale
    return found


def _shared_units(wanted: Weights, sentence: str) -> set[str]:
    """The units of `wanted` that `sentence` has, with the accents that were typed."""
    words, units = _words_of(sentence), _concepts_in(sentence)
    return {
        unit
        for unit, (folded, stem) in zip(wanted, map(_keys_of, wanted), strict=True)
        if unit in units
        or (folded in words and any(fold.accents_agree(unit, listed) for listed in words[folded]))
        or stem in words
    }


@lru_cache(maxsize=4096)
def _keys_of(unit: str) -> tuple[str, str]:
    """The fold of a unit and, of one without accents, its stem."""
    return fold.fold(unit), _stem(unit) if unit.isascii() else ""


@lru_cache(maxsize=4096)
def _words_of(sentence: str) -> Mapping[str, frozenset[str]]:
    """The words of `sentence` by their folds, English ones by their stems too."""
    found: dict[str, set[str]] = {}
    for word in fold.words(sentence):
        for key in {fold.fold(word), *([_stem(word)] if word.isascii() else [])}:
            found.setdefault(key, set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}


@lru_cache(maxsize=4096)
def _concepts_in(sentence: str) -> frozenset[str]:
    # "do" is no "đồ": notes are written with their accents.
    return frozenset(f"[{hit.label}]" for hit in _concepts().find(sentence) if hit.exact)


def concept_words(text: str, told: Sequence[str]) -> set[int]:
    """Where in `text` words begin that mean what stands in one of the texts `told` in other words."""
    held = {unit for each in told for unit in _concepts_in(each)}
    spans = [(hit.start, hit.end) for hit in _concepts().find(text) if f"[{hit.label}]" in held]
    return {word.start for word in fold.tokens(text) if any(a <= word.start < b for a, b in spans)}


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _SHORTEST_STEM else word


# -- The kind of answer that is asked for.


def kinds_asked(text: str) -> set[str]:
    """The kinds of answer that `text` asks for; what it says of food or of time counts as asking, "không" and "nên" do not."""
    labels = set(asked_lexicon().labels_in(text))
    return {kind for kind in _STATED if kind in labels} | {
        kind for kind in (*KINDS, "how", "what to do", "may i") if f"{kind} asked" in labels
    }


def units_beside(kind: str, question: str, names: str) -> Weights:
    """What the parts of `question` that ask for the `kind` of answer name beside it, or all of it where these name nothing, and
    beside what stands in `names`. That something goes away is of the kind."""
    hits = asked_lexicon().find(question)
    said = [hit for hit in hits if hit.label == kind or hit.label.endswith(" asked")]
    bare = PART.split(blank_out(question, spans_of(said)))
    asks = [asked_lexicon().has(part, f"{kind} asked") for part in PART.split(question)]
    found: dict[str, float] = {}
    for among in ([part for part, asked in zip(bare, asks, strict=True) if asked], bare):
        found = {
            unit: weight
            for unit, weight in _weights(", ".join(among)).items()
            if weight >= _TELLING and fold.fold(unit) not in general_words()
        }
        if found.pop("[go away]", None) is None or found:
            break
    named = _shared_units(found, names)
    return {unit: weight for unit, weight in found.items() if unit not in named}


def tells(kind: str, sentence: str, of: Weights | None = None, both: str = "") -> bool:
    """Whether `sentence` tells the `kind` of thing, of one of the units `of` where there are any (`both`: with its twin); that
    it takes a time tells none."""
    if of and kind != "how much" and not _shared_units(of, both or sentence):
        return False
    if kind == "how long":
        return bool(_TIME.search(fold.fold(sentence)))
    return any(hit.exact and hit.label == kind for hit in asked_lexicon().find(sentence))


def _told(kind: str, sentence: str) -> float:
    """What a sentence gains that tells the `kind` of thing that is asked for; a time counts for more than saying that it is one."""
    if kind == "how long":
        return _TOLD_TIME * tells(kind, sentence) + asked_lexicon().has(sentence, kind)
    if kind in {"how", "hurts"}:
        return _TOLD_TIME * tells("how long" if kind == "how" else kind, sentence)
    if kind in {"may i", "why", "normal", "choice"}:
        return _TOLD_KIND * tells(kind, sentence)
    return _TOLD_KIND * len(
        {hit.phrase for hit in asked_lexicon().find(sentence) if hit.exact and hit.label == kind}
    )


@cache
def asked_lexicon() -> Lexicon:
    """The kinds of questions and of the words that answer them."""
    return Lexicon.load(_LEXICONS / "notes_asked.txt")


@cache
def _concepts() -> Lexicon:
    return Lexicon.load(_LEXICONS / "concepts.txt")


@cache
def general_lexicon() -> Lexicon:
    """Words of a question that change nothing in its answer."""
    return Lexicon.load(_LEXICONS / "general.txt")


@cache
def general_words() -> frozenset[str]:
    """The same, as single folded words."""
    listed = read_lists(_LEXICONS / "general.txt").values()
    return frozenset(word for each in listed for one in each for word in fold.folded_words(one))


# -- What a word tells among the sentences of all notes.


def word_weight(word: str) -> float:
    """How much the folded `word`, or the concept in brackets, tells (inverse document frequency)."""
    counts, total = _frequencies()
    return math.log((total + 1) / (counts.get(word, 0) + 0.5))


@cache
def _frequencies() -> tuple[Mapping[str, int], int]:
    sentences = [(note.lang, each) for note in note_files() for each in sentences_of(note.text)]
    counts = Counter(word for _, each in sentences for word in set(fold.folded_words(each)))
    # The notes say the same in both languages: one is enough to know how often a concept stands in them.
    counts.update(unit for lang, each in sentences if lang == "vi" for unit in (*_concepts_in(each),) * 2)
    return counts, len(sentences)
