"""Weighs what speaks for a serial and against it: its shape, the words around it, the list it stands in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path

from troly.text.fold import Token
from troly.text.match import Hit, Lexicon
from troly.text.wordlist import read_lists

ENOUGH = 3.0
FOLDER = Path(__file__).parent / "lexicons"
# Codes this long are rarely anything but serials.
_LONG = 10
_NEAR_AFTER, _NEAR_BEFORE, _NEAR_LOOK_UP = 6, 3, 3
# What may stand between two entries of one list: punctuation, "và", a number of the list.
JOINT = re.compile(
    r"[\s,;:|/&+\"'()\[\].-]*(?:(?:và|va|and|với|voi)[\s,;:]+|(?<=\s)\d{1,4}[.)]\s*|[•*#]\s*)?[\s,;]*"
)


@dataclass(slots=True)
class Candidate:
    """A token that the documents' expression accepts, and the evidence for (+) and against (-) it."""

    text: str
    start: int
    end: int
    evidence: list[tuple[str, float]] = field(default_factory=list)
    known: bool = False

    @property
    def score(self) -> float:
        return sum(weight for _, weight in self.evidence)

    @property
    def labelled(self) -> bool:
        return any(name in {"label", "list"} for name, _ in self.evidence)

    @property
    def chosen(self) -> bool:
        return self.known or self.score >= ENOUGH


def judge_shape(item: Candidate) -> None:
    """Evidence from what the candidate is made of."""
    letters = any(char.isalpha() for char in item.text)
    if letters:
        item.evidence.append(("letters_digits", 2.0))
        if len(item.text) >= _LONG and sum(char.isdigit() for char in item.text) >= 3:
            item.evidence.append(("long", 2.0))
    elif len(item.text.replace("-", "")) >= 6:
        item.evidence.append(("digits", 1.0))
    else:
        item.evidence.append(("few_digits", -1.0))


def judge_neighbours(text: str, typed: Sequence[Token], candidates: Sequence[Candidate]) -> None:
    """Evidence from the words before and after: labels, other labels, makers."""
    starts = [word.start for word in typed]
    near: dict[str, list[Hit]] = defaultdict(list)
    for hit in words().find(text):
        near[hit.label].append(hit)
    before: Candidate | None = None
    for item in candidates:
        if before is not None and JOINT.fullmatch(text, before.end, item.start):
            # The next one of a list is what the one before it is.
            item.evidence += [
                piece for piece in before.evidence if piece[0] in {"label", "other", "weak_label"}
            ]
        else:
            item.evidence += _from_words(starts, near, item)
        if _distance(starts, near["maker"], item) == 0:
            item.evidence.append(("maker", -3.0))
        before = item


def _from_words(
    starts: Sequence[int], near: Mapping[str, Sequence[Hit]], item: Candidate
) -> list[tuple[str, float]]:
    label, other = _distance(starts, near["label"], item), _distance(starts, near["other"], item)
    if other <= 3 and other < label:
        return [("other", -6.0)]
    if label <= _NEAR_AFTER:
        found = [("label", 4.0 if label <= 2 else 3.0)]
        if _distance(starts, near["strict label"], item) == 0 and _is_overruled(item):
            found.append(("strict", 6.0))
        return found
    if _distance_after(starts, near["label"], item) <= _NEAR_BEFORE:
        return [("label", 2.0)]
    if _distance(starts, near["weak label"], item) <= 3:
        return [("weak_label", 1.5)]
    return [("look_up", 1.0)] if _distance(starts, near["look up"], item) <= _NEAR_LOOK_UP else []


def _is_overruled(item: Candidate) -> bool:
    """Whether a word that means serial and nothing else makes one of it: of a telephone number or a price it does not."""
    return not any(name in {"phone", "price", "number"} for name, _ in item.evidence)


def judge_lists(text: str, candidates: Sequence[Candidate]) -> None:
    """One that stands in a list with a known serial is meant as one, known or not: it must not vanish silently."""
    groups: list[list[Candidate]] = []
    for item in candidates:
        if groups and JOINT.fullmatch(text, groups[-1][-1].end, item.start):
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        if any(item.known for item in group):
            for item in group:
                if not item.known:
                    item.evidence.append(("list", 2.0))


def _distance(starts: Sequence[int], hits: Sequence[Hit], item: Candidate) -> float:
    """How many words stand between the nearest of `hits` before `item` and `item`."""
    ends = [hit.end for hit in hits if hit.end <= item.start]
    return bisect_left(starts, item.start) - bisect_left(starts, max(ends)) if ends else inf


def _distance_after(starts: Sequence[int], hits: Sequence[Hit], item: Candidate) -> float:
    """The same for the nearest of `hits` after `item`."""
    begins = [hit.start for hit in hits if hit.start >= item.end]
    return bisect_left(starts, min(begins)) - bisect_left(starts, item.end) if begins else inf


@cache
def words() -> Lexicon:
    """The words beside which a code is a serial, or is none."""
    lists = read_lists(FOLDER / "serials.txt")
    return Lexicon(
        {name: lists[name] for name in ("label", "strict label", "weak label", "look up", "other", "maker")}
    )
