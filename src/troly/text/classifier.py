"""A linear text classifier: which of a few labels a short message has, learnt from labelled messages.

The features are the words of the message alone, in pairs and threes, near each other, with and without their accents, and the
letters within them, hashed into buckets and weighted by how rare they are (TF-IDF). What is learnt is one weight for each
bucket and label, one byte each. `python -m troly_dental.guard.train` shows how one is learnt.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from troly.text.fold import has_marks, tokens

_WORDS = (1, 2, 3)
# How many words may stand between two that are near each other.
_NEAR = 3
_LETTERS = range(3, 8)
_LARGEST = 127


def features(text: str) -> Iterator[str]:
    """The features of `text`, a name for each time that one occurs; none for a text without letters and digits."""
    words = tokens(text)
    folded = [word.folded for word in words]
    for size in _WORDS:
        yield from (f"w{' '.join(folded[at : at + size])}" for at in range(len(folded) - size + 1))
    yield from (
        f"n{one} {other}" for at, one in enumerate(folded) for other in folded[at + 2 : at + 2 + _NEAR]
    )
    spelt = [word.text for word in words]
    if has_marks(spelt):
        yield from (f"a{one}" for one in spelt)
        yield from (f"a{one} {other}" for one, other in pairwise(spelt))
    letters = f" {' '.join(folded)} " if folded else ""
    for size in _LETTERS:
        yield from (f"l{letters[at : at + size]}" for at in range(len(letters) - size + 1))


def counted(text: str, buckets: int) -> Counter[int]:
    """How often each bucket of `buckets` is met by the features of `text`."""
    return Counter(crc32(one.encode()) % buckets for one in features(text))


@dataclass(frozen=True, slots=True)
class Classifier:
    """What was learnt: `rarity` of each bucket; `weights` in steps of `scale` and a `bias` for each of `labels`.

    With a single label the probability is that of this label or none of it, else the labels exclude each other.
    """

    labels: tuple[str, ...]
    rarity: NDArray[np.float32]
    weights: NDArray[np.int8]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]

    def probabilities(self, text: str) -> dict[str, float]:
        """The probability of each label, 0 to 1."""
        met = counted(text, len(self.rarity))
        at = np.fromiter(met.keys(), dtype=np.int64, count=len(met))
        values = (1 + np.log(np.fromiter(met.values(), dtype=np.float32, count=len(met)))) * self.rarity[at]
        length = float(np.sqrt(np.square(values).sum())) or 1.0
        scores = self.bias + self.scale * (self.weights[:, at] @ (values / length))
        if len(self.labels) == 1:
            return {self.labels[0]: 1 / (1 + math.exp(-float(np.clip(scores[0], -50, 50))))}
        likely = np.exp(scores - scores.max())
        return dict(zip(self.labels, (likely / likely.sum()).tolist(), strict=True))

    @classmethod
    def learnt(cls, labels: tuple[str, ...], rarity: Any, weights: Any, bias: Any) -> Self:
        """One of the exact `weights` (labels by buckets), which are rounded to a byte each."""
        scale = np.maximum(np.abs(weights).max(axis=1), 1e-9) / _LARGEST
        return cls(
            labels,
            rarity.astype(np.float32),
            np.rint(weights / scale[:, None]).astype(np.int8),
            scale.astype(np.float32),
            bias.astype(np.float32),
        )


def save(path: Path, classifiers: Mapping[str, Classifier]) -> None:
    """Writes classifiers by name to one file, the same bytes for the same ones. Raises OSError."""
    parts = {
        f"{name}.{part}": np.asarray(value)
        for name, one in classifiers.items()
        for part, value in (
            ("labels", one.labels),
            ("rarity", one.rarity.astype(np.float16)),
            ("weights", one.weights),
            ("scale", one.scale),
            ("bias", one.bias),
        )
    }
    np.savez_compressed(path, **parts)  # type: ignore[arg-type]


def load(path: Path) -> dict[str, Classifier]:
    """The classifiers that `save` wrote. Raises OSError, ValueError for another file."""
    with np.load(path, allow_pickle=False) as parts:
        names = dict.fromkeys(key.rsplit(".", 1)[0] for key in parts.files)
        return {
            name: Classifier(
                tuple(map(str, parts[f"{name}.labels"])),
                parts[f"{name}.rarity"].astype(np.float32),
                parts[f"{name}.weights"],
                parts[f"{name}.scale"],
                parts[f"{name}.bias"],
            )
            for name in names
        }
