"""The output rail: no dose and no diagnosis of a model reaches the person without a source that says it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from troly.text.fold import fold
from troly.text.match import Lexicon

DOSE, DIAGNOSIS = "dose", "diagnosis"
_FILE = Path(__file__).parent / "lexicons" / "rail.txt"
# A dot between digits or after "bs." ends nothing; a bullet or a line break does.
_END = re.compile(r"\n+|(?<=[.!?…;])[*_)\"”»]*(?:\s+|$)")
_LONGEST, _GOES_ON = 1_200, 80
# A list of sources that a model writes by itself may name pages that nobody found: the turn adds its own.
_OWN_LISTS = {
    "nguon tham khao",
    "nguon",
    "tai lieu tham khao",
    "tham khao",
    "references",
    "reference",
    "sources",
    "source",
}
_HEADING_MARKS = " \t\n#*_:-–—"
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*|½|¼")
_WORDS = {
    "mot": "1", "hai": "2", "ba": "3", "bon": "4", "nam": "5", "sau": "6", "bay": "7", "tam": "8", "chin": "9",
    "muoi": "10", "nua": "1/2", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "half": "1/2", "a half": "1/2", "once": "1", "twice": "2",
}  # fmt: skip
_OFTEN = {"once", "twice"}
_SAME = {
    "milligram": "mg", "milligrams": "mg", "vien nen": "vien", "vien nang": "vien", "tablet": "vien", "tablets": "vien",
    "tab": "vien", "pill": "vien", "pills": "vien", "capsule": "vien", "capsules": "vien", "gam": "g", "gram": "g",
    "grams": "g", "drop": "giot", "drops": "giot", "tieng": "gio", "h": "gio", "hour": "gio", "hours": "gio",
    "day": "ngay", "days": "ngay", "cc": "ml", "microgram": "mcg", "µg": "mcg",
}  # fmt: skip


class OutputRail:
    """Takes pieces of an answer and gives on whole sentences that may be shown.

    `sources` are the texts the answer may rest on, `own` what the person said of themselves. A sentence with a dose
    that no source states, or with a diagnosis that the person did not bring, is replaced by `instead` of its kind the
    first time and left out after that; `withheld` counts them by kind. A list of sources of the model's own ends the
    answer.
    """

    def __init__(self, sources: Iterable[str], own: str, instead: dict[str, str]) -> None:
        self.withheld = {DOSE: 0, DIAGNOSIS: 0}
        self._sources = [_Source(text) for text in sources]
        self._own = fold(own)
        self._instead = instead
        self._held = ""
        self._dosing = False
        self._closed = False

    def add(self, piece: str) -> str:
        """Take the next piece; returns what can be shown now."""
        self._held += piece
        shown = ""
        while (end := _END.search(self._held)) and end.end() < len(self._held):
            shown += self._judged(self._held[: end.end()])
            self._held = self._held[end.end() :]
        if len(self._held) > _LONGEST:
            shown += self.finish()
        return shown

    def finish(self) -> str:
        """The answer is over: all the rest that may be shown."""
        rest, self._held = self._held, ""
        return self._judged(rest) if rest else ""

    def _judged(self, sentence: str) -> str:
        self._closed = self._closed or fold(sentence).strip(_HEADING_MARKS) in _OWN_LISTS
        if self._closed:
            return ""
        kind = self._trouble(sentence)
        self._dosing = kind == DOSE
        if not kind:
            return sentence
        self.withheld[kind] += 1
        gap = sentence[len(sentence.rstrip()) :] or " "
        return f"{self._instead[kind]}{gap}" if self.withheld[kind] == 1 else gap.lstrip(" ")

    def _trouble(self, sentence: str) -> str:
        # "Ngày 3 lần." belongs to the dose before it.
        goes_on = self._dosing and len(sentence) <= _GOES_ON
        wanted = doses(sentence, anywhere=goes_on)
        if wanted and not any(source.states(wanted, medicines(sentence)) for source in self._sources):
            return DOSE
        named = diagnosed(sentence)
        return DIAGNOSIS if any(condition not in self._own for condition in named) else ""


class _Source:
    """What one text states, read when a dose is first held against it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._doses: frozenset[str] | None = None

    def states(self, wanted: frozenset[str], named: frozenset[str]) -> bool:
        """Whether all of `wanted` stands here, together with one of the medicines where any is `named`."""
        if self._doses is None:
            self._doses = frozenset(
                dose for part in _END.split(self._text) for dose in doses(part, anywhere=True)
            )
        return wanted <= self._doses and (not named or bool(named & medicines(self._text)))


def doses(sentence: str, *, anywhere: bool = False) -> frozenset[str]:
    """The doses in a sentence, each as number and unit ("500 mg", "3 lan", "moi 6 gio").

    How often, and units that also measure salt and water, count beside a medicine or a word of taking it only;
    `anywhere` counts them all.
    """
    plain = re.sub(r"[*_`]", "", sentence)
    hits = _lexicon().find(plain)
    labels = {hit.label for hit in hits}
    taken = anywhere or bool(labels & {"medicine", "intake"})
    found = set()
    numbers = sorted(
        [(m.start(), m.end(), m.group()) for m in _NUMBER.finditer(plain)]
        + [(hit.start, hit.end, _number(hit.phrase)) for hit in hits if hit.label == "number"]
    )
    for start, end, value in numbers:
        often = fold(plain[start:end]) in _OFTEN
        unit = ("lan" if taken else "") if often else _unit_after(plain, end, taken=taken)
        if unit:
            every = "moi " if unit == "gio" and _every_before(plain, start) else ""
            found.add(f"{every}{value.replace(',', '.')} {unit}")
    return frozenset(found)


def _unit_after(plain: str, end: int, *, taken: bool) -> str:
    rest = plain[end : end + 40]
    for hit in _units().find(rest):
        between = rest[: hit.start].strip()
        # "500-1000 mg": the range's first number has the unit of its second.
        if re.fullmatch(r"(?:[-–—~]|đến|to)?\s*(?:\d[\d.,]*)?", between) is None:
            break
        unit = _SAME.get(fold(hit.phrase), fold(hit.phrase))
        if hit.label == "unit":
            return unit
        harmless = _lexicon().find(rest[hit.end : hit.end + 24])
        if hit.label == "measure":
            away = any(one.label == "harmless" and one.start <= 1 for one in harmless)
            return unit if taken and not away else ""
        return ("lan" if hit.label == "times" else unit) if taken else ""
    return ""


def _every_before(plain: str, start: int) -> bool:
    before = plain[max(0, start - 12) : start]
    return any(hit.label == "every" and not before[hit.end :].strip() for hit in _lexicon().find(before))


def medicines(text: str) -> frozenset[str]:
    """The medicines named in `text`, without general words such as "thuốc"."""
    general = {"thuoc", "medicine", "medication", "tablet", "tablets", "pill", "pills", "capsule", "capsules"}
    named = {fold(hit.phrase) for hit in _lexicon().find(text) if hit.label == "medicine"}
    return frozenset(named - general)


def diagnosed(sentence: str) -> frozenset[str]:
    """The conditions (folded) that a sentence says the person has; none where it hedges."""
    hits = _lexicon().find(re.sub(r"[*_`]", "", sentence))
    if "asserts" not in {hit.label for hit in hits} or "hedges" in {hit.label for hit in hits}:
        return frozenset()
    said = min(hit.end for hit in hits if hit.label == "asserts")
    return frozenset(fold(hit.phrase) for hit in hits if hit.label == "condition" and hit.start >= said)


def _number(phrase: str) -> str:
    return _WORDS.get(fold(phrase), phrase)


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(_FILE)


@cache
def _units() -> Lexicon:
    from troly.text.wordlist import read_lists

    lists = read_lists(_FILE)
    return Lexicon({name: lists[name] for name in ("unit", "measure", "times", "span")})
