"""Weighs what speaks for a serial and against it: its shape, the words around it, the list it stands in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import inf
from pathlib import Path

from troly.text.fold import WordToken
from troly.text.match import Lexicon, PhraseHit
from troly.text.wordlist import read_lists
from troly_shopping.spelling import Spelling

ENOUGH = 3.0
FOLDER = Path(__file__).parent / "lexicons"
# Codes this long are rarely anything but serials.
_LONG = 10
_NEAR_AFTER, _NEAR_BEFORE, _NEAR_LOOK_UP = 6, 3, 3
_SECTIONS = (
    "label",
    "strict label",
    "weak label",
    "no label",
    "look up",
    "other",
    "other beside",
    "other number",
    "bank",
    "maker",
)
_NEAR_OWN, _NEAR_OTHER = 2, 3
# So many phrases and characters around a code can say something of it.
_FEW, _NEARBY = 8, 24
# What says of a labelled code that it is the serial.
_IS = re.compile(r"(?:\blà|\bla|\bis|\bare|[:=])\s*[\"'“(\[]*$", re.IGNORECASE)
_BRIEF, _BRIEF_SHAPE = 6, re.compile(r"[A-Za-z]{1,3}[1-9]\d{1,3}[A-Za-z]{0,3}")
_NAME = re.compile(r"\s+[^\W\d_]{2,12}\s+")
# Between a family and its model may stand a size or a number: "Nitro 5 AN515-58".
_NUMBERED = re.compile(r"[\s-]*(?:\d{1,2}\s+)?")
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
    def lettered(self) -> bool:
        return any(char.isalpha() for char in self.text)

    @property
    def shaped(self) -> bool:
        """Whether it has the shape of a model's name."""
        return any(name == "maybe_model" for name, _ in self.evidence)

    @property
    def brief(self) -> bool:
        """Whether it is as short as a model's name without hyphens: AX1800, G531GT."""
        return len(self.text) <= _BRIEF and _BRIEF_SHAPE.fullmatch(self.text) is not None

    @property
    def chosen(self) -> bool:
        return self.known or self.score >= ENOUGH


def judge_shape(item: Candidate, *, shaped: bool, awaiting: bool) -> None:
    """Evidence from what the candidate is made of; the length of what is `shaped` as a model says nothing."""
    if item.lettered:
        item.evidence.append(("letters_digits", 2.0))
        if not shaped and len(item.text) >= _LONG and sum(char.isdigit() for char in item.text) >= 3:
            item.evidence.append(("long", 2.0))
    elif len(item.text.replace("-", "")) >= 6:
        item.evidence.append(("digits", 1.0 if awaiting else 0.5))
    else:
        item.evidence.append(("few_digits", -1.0))


def judge_neighbours(text: str, typed: Sequence[WordToken], candidates: Sequence[Candidate]) -> None:
    """Evidence from the words before and after: labels, other labels, makers."""
    starts = [word.start for word in typed]
    near: dict[str, list[PhraseHit]] = defaultdict(list)
    for hit in words().find(text):
        near[hit.label].append(hit)
    labels, taken = near["label"], _Taken(starts, near["label"], candidates)
    before: Candidate | None = None
    for item in candidates:
        # A question ends what was labelled before it.
        asked = text.rfind("?", 0, item.start)
        near["label"] = [hit for hit in _around(labels, item) if hit.start > asked]
        if before is not None and JOINT.fullmatch(text, before.end, item.start):
            # The next one of a list is what the one before it is.
            item.evidence += [
                piece for piece in before.evidence if piece[0] in {"label", "other", "weak_label"}
            ]
        else:
            item.evidence += _from_words(text, starts, near, item, taken)
        if _is_made(text, _around(near["maker"], item), item):
            item.evidence.append(("maker", -3.0))
        elif (item.shaped or item.brief) and _distance(starts, near["kind"], item) == 0:
            item.evidence.append(("kind", -3.0 if item.brief else -1.5))
        before = item


def _around(hits: Sequence[PhraseHit], item: Candidate) -> Sequence[PhraseHit]:
    """The few of `hits`, which are in order, that stand nearest `item` on either side."""
    at = bisect_left(hits, item.start, key=lambda hit: hit.start)
    return hits[max(0, at - _FEW) : at + _FEW]


def _is_made(text: str, makers: Sequence[PhraseHit], item: Candidate) -> bool:
    """Whether a maker or a family stands right before it; before what looks like a model, with a name between."""
    for hit in makers:
        between = text[hit.end : item.start] if hit.end <= item.start else "?"
        if _NUMBERED.fullmatch(between):
            return True
        if (item.shaped or item.brief) and _NAME.fullmatch(between) and not _fillers().find(between):
            return True
    return False


def judge_question(text: str, candidates: Sequence[Candidate]) -> None:
    """What is asked of a model ("bảo hành mấy năm") is not asked of one machine ("còn bảo hành không").

    Comes after `judge_neighbours`: of what stands beside a word for serial the question says nothing.
    """
    doubtful = [item for item in candidates if not item.labelled]
    if not doubtful:
        return
    plain = _spelling().plain(text)
    for name, weight in (("of one", 1.5), ("of all", -4.0)):
        if any(_question(name).find(said) for said in (text, plain)):
            for item in doubtful:
                item.evidence.append((name.replace(" ", "_"), weight))
            return


class _Taken:
    """Which words for serial have their own code right after them: those say nothing of other codes."""

    def __init__(
        self, starts: Sequence[int], labels: Sequence[PhraseHit], candidates: Sequence[Candidate]
    ) -> None:
        self.by: dict[int, Candidate] = {}
        for item in candidates:
            before = [hit for hit in _around(labels, item) if hit.end <= item.start]
            nearest = max(before, key=lambda hit: hit.end, default=None)
            if nearest is not None and _distance(starts, [nearest], item) <= _NEAR_OWN:
                self.by.setdefault(nearest.start, item)

    def free(self, hit: PhraseHit, item: Candidate) -> bool:
        return self.by.get(hit.start, item) is item


def _from_words(
    text: str, starts: Sequence[int], near: Mapping[str, Sequence[PhraseHit]], item: Candidate, taken: _Taken
) -> list[tuple[str, float]]:
    label, other = _distance(starts, near["label"], item), _distance(starts, near["other"], item)
    if not item.lettered:
        other = min(other, _distance(starts, near["other number"], item))
        other = min(other, _distance(starts, near["bank"], item))
    beside = _distance(starts, near["other beside"], item) == 0
    beside = beside or (not item.lettered and _distance_after(starts, near["bank"], item) <= 1)
    if (other <= _NEAR_OTHER and other < label) or (beside and label > 0):
        return [("other", -6.0)]
    free = [hit for hit in near["label"] if taken.free(hit, item)]
    if (own := _distance(starts, free, item)) <= _NEAR_AFTER:
        found = [("label", 4.0 if own <= _NEAR_OWN else 3.0)]
        strict = _distance(starts, near["strict label"], item) == 0 or _IS.search(
            text[max(0, item.start - _NEARBY) : item.start]
        )
        if strict and _is_overruled(item):
            found.append(("strict", 6.0))
        return found
    if _distance_after(starts, free, item) <= _NEAR_BEFORE:
        return [("label", 2.0)]
    if label <= _NEAR_AFTER:
        return [("label", 1.0)]
    if _distance(starts, near["weak label"], item) <= _NEAR_OTHER:
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
        for one, other in pairwise(group):
            # Machines of one kind are numbered alike, and two models are seldom listed without a word more.
            if one.shaped and other.shaped and _pattern(one.text) == _pattern(other.text):
                one.evidence.append(("series", 1.5))
                other.evidence.append(("series", 1.5))
        if any(item.known for item in group):
            for item in group:
                if not item.known:
                    item.evidence.append(("list", 2.0))


def _pattern(code: str) -> str:
    return re.sub(r"[A-Za-z]", "A", re.sub(r"\d", "9", code))


def _distance(starts: Sequence[int], hits: Sequence[PhraseHit], item: Candidate) -> float:
    """How many words stand between the nearest of `hits` before `item` and `item`."""
    ends = [hit.end for hit in hits if hit.end <= item.start]
    return bisect_left(starts, item.start) - bisect_left(starts, max(ends)) if ends else inf


def _distance_after(starts: Sequence[int], hits: Sequence[PhraseHit], item: Candidate) -> float:
    """The same for the nearest of `hits` after `item`."""
    begins = [hit.start for hit in hits if hit.start >= item.end]
    return bisect_left(starts, min(begins)) - bisect_left(starts, item.end) if begins else inf


@cache
def _fillers() -> Lexicon:
    return Lexicon({"filler": read_lists(FOLDER / "serials.txt")["filler"]})


@cache
def _question(name: str) -> Lexicon:
    return Lexicon({name: read_lists(FOLDER / "serials.txt")[name]})


@cache
def _spelling() -> Spelling:
    lists = read_lists(FOLDER / "serials.txt")
    return Spelling([*lists["of one"], *lists["of all"]])


@cache
def words() -> Lexicon:
    """The words beside which a code is a serial, or is none."""
    lists = read_lists(FOLDER / "serials.txt")
    goods = read_lists(FOLDER / "intents.txt")["goods"]
    return Lexicon({**{name: lists[name] for name in _SECTIONS}, "kind": goods})
