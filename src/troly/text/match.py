"""Understanding a message without a model: listed phrases, and a classifier taught by examples in plain files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, product
from math import exp, log, sqrt
from pathlib import Path
from typing import NamedTuple, Self

from troly.text.fold import WordToken, accents, accents_agree, fold, folded_word, tokens, words
from troly.text.spelling import WordIndex, chat_spellings, nearest
from troly.text.wordlist import read_lists, section_name

# Finding listed phrases in a message, on word boundaries, with the accents that were typed.


_GAP = re.compile(r"[\s\-_'’/]*")
_SHORTEST_JOINED = 6


@dataclass(frozen=True, slots=True)
class PhraseHit:
    """A phrase found: `text[start:end]` means `label`; `exact` when its accents were typed as listed."""

    label: str
    phrase: str
    start: int
    end: int
    exact: bool


class _Listed(NamedTuple):
    """A phrase as it is listed; `joined` where its words are typed as one ("baohanh", "khuyenmai")."""

    label: str
    phrase: str
    joined: bool


class _Entry(NamedTuple):
    """A listed phrase taken apart."""

    label: str
    phrase: str
    words: tuple[WordToken, ...]
    folded: tuple[str, ...]
    marks: tuple[str, ...]
    joined: bool


class _Beginning(NamedTuple):
    """The phrases that begin with one word: that word alone, and longer ones by their second word."""

    alone: tuple[_Entry, ...]
    longer: Mapping[str, tuple[_Entry, ...]]


class _Candidate(NamedTuple):
    entry: _Entry
    first: int
    last: int
    exact: bool


class Lexicon:
    """Phrases by label; finding is linear in the message. A phrase is taken apart when its first word is met."""

    def __init__(self, phrases: Mapping[str, Sequence[str]]) -> None:
        """`phrases` by label, Vietnamese ones with their accents; raises ValueError for a phrase without a word."""
        self.labels = tuple(phrases)
        by_first: dict[str, list[_Listed]] = defaultdict(list)
        for label, listed in phrases.items():
            for phrase in listed:
                beginnings = _beginnings(phrase)
                if not beginnings:
                    raise ValueError(f"{label or 'lexicon'}: no word in {phrase!r}")
                for first, joined in beginnings:
                    by_first[first].append(_Listed(label, phrase, joined))
        self._by_first = dict(by_first)
        self._beginnings: dict[str, _Beginning] = {}

    @classmethod
    def load(cls, path: Path, *more: Path) -> Self:
        """Read word-list files (`label: phrase, phrase` or `[label]` sections); raises OSError, ValueError."""
        merged: dict[str, list[str]] = {}
        for each in (path, *more):
            for label, listed in read_lists(each).items():
                merged.setdefault(label, []).extend(listed)
        return cls(merged)

    def find(self, text: str) -> list[PhraseHit]:
        """The phrases of `text`, left to right, with offsets in `text`.

        Where phrases compete for the same words the longest wins; one that is listed under several labels gives a hit
        for each. Words without accents may mean any accented ones, unless the message is otherwise typed with accents
        and the phrase is a single word: there "mua" is not "mùa". Accents that were typed must be those of the phrase;
        in phrases of several words hỏi and ngã may be confused.
        """
        words = _typed_words(text)
        if self._by_first.keys().isdisjoint(words.folded):  # most lexicons have nothing in a message
            return []
        typed = words.words
        candidates = [
            candidate
            for at, word in enumerate(words.folded)
            if word in self._by_first
            for entry in self._fitting(word, words.folded[at + 1 : at + 2])
            if (candidate := _candidate(text, words, at, entry)) is not None
        ]
        chosen = _longest(candidates, len(typed)) if candidates else ()
        return [
            PhraseHit(c.entry.label, c.entry.phrase, typed[c.first].start, typed[c.last - 1].end, c.exact)
            for c in chosen
        ]

    def _fitting(self, word: str, after: Sequence[str]) -> tuple[_Entry, ...]:
        """The phrases that begin with `word` and, where they are longer, go on with the word `after` it."""
        beginning = self._beginnings.get(word)
        if beginning is None:
            beginning = self._beginnings[word] = _beginning(map(_entry, self._by_first[word]))
        longer = beginning.longer.get(after[0], ()) if after else ()
        return (*beginning.alone, *longer)

    def labels_in(self, text: str) -> list[str]:
        """The labels found in `text`, each once, in the order of their first phrase."""
        return list(dict.fromkeys(hit.label for hit in self.find(text)))

    def has(self, text: str, label: str) -> bool:
        return any(hit.label == label for hit in self.find(text))


class _TypedWords(NamedTuple):
    """The words of a message, their accents, and whether it is typed with accents."""

    words: tuple[WordToken, ...]
    folded: tuple[str, ...]
    marks: tuple[str, ...]
    careful: bool


@lru_cache(maxsize=256)
def _typed_words(text: str) -> _TypedWords:
    """Read once: a hundred lexicons look through one message."""
    words = tuple(tokens(text))
    marks = _marks(words)
    marked = sum(1 for mark in marks if mark)
    letters = sum(1 for token in words if token.folded.isalpha())
    return _TypedWords(words, _folded(words), marks, careful=marked >= 2 and marked >= 0.4 * letters)


def _candidate(text: str, typed: _TypedWords, at: int, entry: _Entry) -> _Candidate | None:
    """`entry` as it stands at word `at` of `text`, or None where it does not."""
    end = at + len(entry.words)
    if typed.folded[at:end] != entry.folded:
        return None
    span = typed.words[at:end]
    if not all(_GAP.fullmatch(text, a.end, b.start) for a, b in pairwise(span)):
        return None
    exact = typed.marks[at:end] == entry.marks
    alone = len(span) == 1 and not entry.joined
    if not exact and ((alone and typed.careful) or not _agree(span, entry.words, strict=alone)):
        return None
    return _Candidate(entry, at, end, exact)


def spans_of(hits: Iterable[PhraseHit]) -> list[tuple[int, int]]:
    """Where phrases stand."""
    return [(hit.start, hit.end) for hit in hits]


def blank_out(text: str, spans: Iterable[tuple[int, int]], blank: str = " ") -> str:
    """`text` with blanks in place of the spans, so that offsets stay."""
    for start, end in spans:
        text = text[:start] + blank * (end - start) + text[end:]
    return text


def words_outside(words: Iterable[WordToken], spans: Iterable[tuple[int, int]]) -> list[WordToken]:
    """Those of `words`, which are in order, that begin in none of `spans`."""
    ordered, at, reached = sorted(spans), 0, -1
    rest = []
    for word in words:
        while at < len(ordered) and ordered[at][0] <= word.start:
            reached = max(reached, ordered[at][1])
            at += 1
        if reached <= word.start:
            rest.append(word)
    return rest


@lru_cache(maxsize=32_768)
def _beginnings(phrase: str) -> tuple[tuple[str, bool], ...]:
    """The folded first word of `phrase`; where it has several, also that of the phrase typed as one word.

    A phrase stands in many lexicons: those of a whole list, and those of some of its sections.
    """
    said = words(phrase)
    together = "".join(said)
    first = [(folded_word(word), False) for word in said[:1]]
    if len(said) > 1 and len(together) >= _SHORTEST_JOINED:
        first.append((folded_word(together), True))
    return tuple(first)


def _entry(listed: _Listed) -> _Entry:
    typed = "".join(words(listed.phrase)) if listed.joined else listed.phrase
    found = tuple(tokens(typed))
    return _Entry(listed.label, listed.phrase, found, _folded(found), _marks(found), listed.joined)


def _beginning(entries: Iterable[_Entry]) -> _Beginning:
    alone: list[_Entry] = []
    longer: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        (longer[entry.folded[1]] if len(entry.folded) > 1 else alone).append(entry)
    return _Beginning(tuple(alone), {second: tuple(some) for second, some in longer.items()})


def _folded(words: Iterable[WordToken]) -> tuple[str, ...]:
    return tuple(word.folded for word in words)


def _marks(words: Iterable[WordToken]) -> tuple[str, ...]:
    return tuple(accents(word.text) for word in words)


def _agree(span: Sequence[WordToken], words: Sequence[WordToken], *, strict: bool) -> bool:
    return all(
        accents_agree(typed.text, word.text) or (not strict and _confused(typed.text) == _confused(word.text))
        for typed, word in zip(span, words, strict=True)
    )


def _confused(word: str) -> str:
    """The accents with hỏi and ngã as one: half the country says them alike and writes "bão hành"."""
    shape, bar, tones = accents(word).partition("|")
    return shape + bar + tones.replace("r", "x")


def _longest(candidates: list[_Candidate], count: int) -> list[_Candidate]:
    """Candidates that do not overlap, longest first, exact before inexact; the same words may have several labels."""
    taken: list[tuple[int, int, bool] | None] = [None] * count
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.first - c.last, not c.exact, c.first)):
        place = (candidate.first, candidate.last, candidate.exact)
        holders = taken[candidate.first : candidate.last]
        if any(holder not in {None, place} for holder in holders):
            continue
        taken[candidate.first : candidate.last] = [place] * (candidate.last - candidate.first)
        chosen.append(candidate)
    unique: dict[tuple[int, int, str], _Candidate] = {}
    for candidate in chosen:
        unique.setdefault((candidate.first, candidate.last, candidate.entry.label), candidate)
    return sorted(unique.values(), key=lambda c: c.first)


# What the classifier sees of a message: words, pairs and stems, with chat spellings and typos put right.


_DIGITS = re.compile(r"[0-9]+")
_WORD, _NUMBER, _ACCENTED, _PAIR, _STEM = 1.0, 0.3, 0.3, 0.6, 0.8
_STEM_LETTERS = 4
_TYPO, _SAME_STEM, _KEPT = 0.7, 0.6, 0.3
_MOST = 3
_LONGEST = 24  # letters; what is longer is no slip of the finger, and its slips would take its length squared

Known = Mapping[str, float]
"""Words that could be meant, with their shares."""


def parts(text: str, vocabulary: Vocabulary | None = None) -> dict[str, float]:
    """The parts of `text` with their weights; with a vocabulary, unknown words also count as the known ones they
    are typos or forms of. Names: "w:word", "a:accented", "p:left_right", "s:stem"; all numbers and codes are alike.
    """
    words, found = _words_in(text)
    if vocabulary is None or all(word in vocabulary for word in words):
        _add_words(found, words)
    else:
        _add_meanings(found, [vocabulary.near(word) for word in words])
    return found


def _add_words(found: dict[str, float], words: list[str]) -> None:
    for word in words:
        found[f"w:{word}"] += _NUMBER if word[0] == "#" else _WORD
        if len(word) > _STEM_LETTERS:
            found[f"s:{word[:_STEM_LETTERS]}"] += _STEM
    for left, right in pairwise(words):
        found[f"p:{left}_{right}"] += _PAIR


def _add_meanings(found: dict[str, float], meant: list[Known]) -> None:
    for known in meant:
        for word, share in known.items():
            found[f"w:{word}"] += (_NUMBER if word[0] == "#" else _WORD) * share
            if len(word) > _STEM_LETTERS:
                found[f"s:{word[:_STEM_LETTERS]}"] += _STEM * share
    for first, second in pairwise(meant):
        for (left, one), (right, other) in product(first.items(), second.items()):
            found[f"p:{left}_{right}"] += _PAIR * one * other


def _words_in(text: str) -> tuple[list[str], dict[str, float]]:
    """The folded words of `text`, chat spellings written out, and its accented words as parts."""
    words: list[str] = []
    found: dict[str, float] = defaultdict(float)
    chat = _chat_spellings()
    for token in tokens(text):
        word = token.folded
        if not word.isalpha():
            word = _DIGITS.sub("#", word) if word[:1].isdigit() else "#code"
        if word in chat:
            words.extend(chat[word])
        else:
            words.append(word)
        if token.text != word and accents(token.text):
            found[f"a:{token.text}"] += _ACCENTED
    return words, found


class Vocabulary:
    """The words of the examples, found again in spite of one slip of the finger or another ending."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._typos = WordIndex(word for word in words if word.isalpha() and len(word) >= _STEM_LETTERS)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for word in sorted(word for word in self._words if word.isalpha() and len(word) > _STEM_LETTERS):
            self._stems[word[:_STEM_LETTERS]].append(word)

    def __contains__(self, word: str) -> bool:
        return word in self._words

    def near(self, word: str) -> Known:
        """`word` itself when it is known or like nothing, else with the known words it may be, shares adding to 1."""
        if word in self._words or not word.isalpha() or not _STEM_LETTERS - 1 <= len(word) <= _LONGEST:
            return {word: 1.0}
        like = nearest(word, self._typos.candidates(len(word), 1))
        weight = _TYPO
        if not like and len(word) > _STEM_LETTERS:
            like, weight = self._stems.get(word[:_STEM_LETTERS], []), _SAME_STEM
        if not like:
            return {word: 1.0}
        chosen = like[:_MOST]
        return {word: _KEPT, **{other: weight / len(chosen) for other in chosen}}


@cache
def _chat_spellings() -> Mapping[str, tuple[str, ...]]:
    folded = ((fold(spelling), fold(meant)) for spelling, meant in chat_spellings().items())
    return {
        spelling: tuple(meant.split())
        for spelling, meant in folded
        if spelling.isalpha() and spelling != meant
    }


UNKNOWN = "unknown"

_NEIGHBOURS = (1.0, 0.5, 0.25)
_SMOOTHING = 1.0
# The mix of the two scores, the sharpness of the choice and what counts as near were set on 10-shot sets of English
# banking and Vietnamese flight questions, so that of the answers given with confidence c about a share c is right.
_EVIDENCE_SHARE, _SHARPNESS = 0.1, 8.0
_NEAR_EVIDENCE, _NEAR_COSINE, _COSINE_WEIGHT = 1.2, 0.15, 6.0


@dataclass(frozen=True, slots=True)
class LabelScore:
    """A label and how sure it is, 0 to 1; the confidences of one message add up to 1."""

    label: str
    confidence: float


class _Match(NamedTuple):
    """One label's scores for a message: likeness to its examples, evidence of its parts, the nearest example."""

    likeness: float
    evidence: float
    cosine: float
    nearest: int


class ExampleClassifier:
    """Labels messages by their likeness to examples; typos, missing accents and chat spellings do little harm.

    Two views are mixed: cosine to the nearest examples and naive Bayes of the labels, both over TF-IDF weights of
    folded words, accented words, pairs of words and stems.
    """

    def __init__(self, examples: Iterable[tuple[str, str]], prior: Mapping[str, float] | None = None) -> None:
        """`examples` as (label, utterance); `prior` weighs labels against each other, 1 where it is silent."""
        self.examples = tuple(examples)
        self.labels = tuple(dict.fromkeys(label for label, _ in self.examples))
        self._prior = {label: log(max((prior or {}).get(label, 1.0), 1e-9)) for label in self.labels}
        counted = [parts(text) for _, text in self.examples]
        self._vocabulary = Vocabulary(
            {name[2:] for features in counted for name in features if name.startswith("w:")}
        )
        seen = Counter(name for features in counted for name in features)
        self._rarity = {name: log((len(counted) + 1) / (count + 0.5)) for name, count in seen.items()}
        self._unseen = log((len(counted) + 1) / 0.5)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._means: dict[str, dict[str, float]] = defaultdict(dict)
        self._learn(counted)
        self._mass = dict.fromkeys(self.labels, 0.0)
        for means in self._means.values():
            for label, mean in means.items():
                self._mass[label] += mean

    @classmethod
    def load(cls, path: Path, *more: Path, prior: Mapping[str, float] | None = None) -> Self:
        """Read example files: `[label]` opens a section, then one utterance a line; a line that begins with # is a
        comment. Raises OSError, and ValueError for an utterance before the first label or a label without a name.
        """
        return cls([example for each in (path, *more) for example in _read_examples(each)], prior)

    def classify(self, text: str) -> list[LabelScore]:
        """Every label and "unknown", most likely first; "unknown" leads when no example is near `text`."""
        matches = self._match(text)
        return self._confidences(matches)

    def best(self, text: str) -> LabelScore:
        return self.classify(text)[0]

    def _learn(self, counted: Sequence[Mapping[str, float]]) -> None:
        sizes = Counter(label for label, _ in self.examples)
        for nth, features in enumerate(counted):
            label = self.examples[nth][0]
            weights = {name: value * self._rarity[name] for name, value in features.items()}
            length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
            for name, weight in weights.items():
                self._postings[name].append((nth, weight / length))
                means = self._means[name]
                means[label] = means.get(label, 0.0) + weight / length / sizes[label]

    def _weights(self, text: str) -> list[tuple[str, float]]:
        """The parts of `text` with TF-IDF weights of length 1; unseen parts take their share of it."""
        features = parts(text, self._vocabulary)
        weights = [(name, value * self._rarity.get(name, self._unseen)) for name, value in features.items()]
        length = sqrt(sum(weight * weight for _, weight in weights)) or 1.0
        return [(name, weight / length) for name, weight in weights]

    def _match(self, text: str) -> dict[str, _Match]:
        cosines: dict[int, float] = defaultdict(float)
        evidence = dict.fromkeys(self.labels, 0.0)
        for name, weight in self._weights(text):
            if name not in self._means:
                continue
            for nth, other in self._postings[name]:
                cosines[nth] += weight * other
            for label, value in self._evidence(name).items():
                evidence[label] += weight * value
        near: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for nth, cosine in cosines.items():
            near[self.examples[nth][0]].append((cosine, -nth))
        return {label: _matched(near[label], evidence[label]) for label in self.labels}

    def _evidence(self, name: str) -> dict[str, float]:
        """The log odds of the part `name` for each label against all others."""
        means, count = self._means[name], len(self.labels)
        everywhere, mass = sum(means.values()), sum(self._mass.values())
        smooth = _SMOOTHING * mass / count / len(self._means)
        spread = smooth * len(self._means)
        others = max(count - 1, 1)
        found = {}
        for label in self.labels:
            mean = means.get(label, 0.0)
            mine = (mean + smooth) / (self._mass[label] + spread)
            theirs = ((everywhere - mean) / others + smooth) / ((mass - self._mass[label]) / others + spread)
            found[label] = log(mine / theirs)
        return found

    def _confidences(self, matches: Mapping[str, _Match]) -> list[LabelScore]:
        if not matches:
            return [LabelScore(UNKNOWN, 1.0)]
        score = {
            label: _SHARPNESS * (match.likeness + _EVIDENCE_SHARE * match.evidence) + self._prior[label]
            for label, match in matches.items()
        }
        top = max(score.values())
        odds = {label: exp(value - top) for label, value in score.items()}
        total = sum(odds.values())
        best = matches[max(score, key=lambda label: score[label])]
        near = _near(best)
        shares = {label: near * value / total for label, value in odds.items()}
        shares[UNKNOWN] = shares.get(UNKNOWN, 0.0) + 1.0 - near
        ranked = [LabelScore(label, share) for label, share in shares.items()]
        return sorted(ranked, key=lambda scored: -scored.confidence)


def _near(match: _Match) -> float:
    if match.nearest < 0:
        return 0.0
    z = match.evidence - _NEAR_EVIDENCE + _COSINE_WEIGHT * (match.cosine - _NEAR_COSINE)
    return 1.0 / (1.0 + exp(-max(min(z, 50.0), -50.0)))


def _matched(near: list[tuple[float, int]], evidence: float) -> _Match:
    near.sort(reverse=True)
    likeness = sum(share * cosine for share, (cosine, _) in zip(_NEIGHBOURS, near, strict=False)) / sum(
        _NEIGHBOURS
    )
    return _Match(likeness, evidence, near[0][0] if near else 0.0, -near[0][1] if near else -1)


def _read_examples(path: Path) -> Iterable[tuple[str, str]]:
    label = ""
    for number, raw in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if header := section_name(line, number):
            label = header
        elif not label:
            raise ValueError(f"{path.name}, line {number}: an example before the first [label]")
        else:
            yield label, line
