"""A small deterministic text classifier, taught by example utterances in plain files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from pathlib import Path
from typing import NamedTuple, Self

from troly.text.features import Vocabulary, parts
from troly.text.wordlist import section_name

UNKNOWN = "unknown"

_NEIGHBOURS = (1.0, 0.5, 0.25)
_SMOOTHING = 1.0
# The mix of the two scores, the sharpness of the choice and what counts as near were set on 10-shot sets of English
# banking and Vietnamese flight questions, so that of the answers given with confidence c about a share c is right.
_EVIDENCE_SHARE, _SHARPNESS = 0.1, 8.0
_NEAR_EVIDENCE, _NEAR_COSINE, _COSINE_WEIGHT = 1.2, 0.15, 6.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A label and how sure it is, 0 to 1; the confidences of one message add up to 1."""

    label: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a message got its label: the example most like it, and its parts with what each weighed for the label.

    Parts are folded words, accented words, pairs joined by `_`, and stems with "…".
    """

    label: str
    confidence: float
    nearest: str
    features: tuple[tuple[str, float], ...]


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
        return cls([example for each in (path, *more) for example in _read(each)], prior)

    def classify(self, text: str) -> list[Scored]:
        """Every label and "unknown", most likely first; "unknown" leads when no example is near `text`."""
        matches = self._match(text)
        return self._confidences(matches)

    def best(self, text: str) -> Scored:
        """The first of `classify`."""
        return self.classify(text)[0]

    def explain(self, text: str, limit: int = 8) -> Explanation:
        """What decided for the likeliest known label of `text`, even when "unknown" leads; at most `limit` parts."""
        matches = self._match(text)
        best = next((s for s in self._confidences(matches) if s.label in matches), None)
        if best is None or matches[best.label].nearest < 0:
            return Explanation(UNKNOWN, 1.0, "", ())
        weighed = {
            name: weight * self._evidence(name)[best.label]
            for name, weight in self._weights(text)
            if name in self._means
        }
        ranked = sorted(weighed.items(), key=lambda item: (-abs(item[1]), item[0]))[:limit]
        return Explanation(
            best.label,
            best.confidence,
            self.examples[matches[best.label].nearest][1],
            tuple((_readable(name), round(value, 3)) for name, value in ranked),
        )

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

    def _confidences(self, matches: Mapping[str, _Match]) -> list[Scored]:
        if not matches:
            return [Scored(UNKNOWN, 1.0)]
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
        ranked = [Scored(label, share) for label, share in shares.items()]
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


def _readable(name: str) -> str:
    return f"{name[2:]}…" if name.startswith("s:") else name[2:]


def _read(path: Path) -> Iterable[tuple[str, str]]:
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
