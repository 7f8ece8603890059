"""The output rail: no dose and no diagnosis of a model reaches the person without a source that says it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.match import Lexicon
from troly_dental.memory.types import Fact
from troly_dental.safety import conflicts, on_prescription
from troly_dental.strings import say

DOSE, DIAGNOSIS, CONFLICT, SOURCE = "dose", "diagnosis", "conflict", "source"
_CITED = re.compile(r"\[(\d{1,3})\](?!\()")
_FILE = Path(__file__).parent / "lexicons" / "rail.txt"
# A dot between digits or after "bs." ends nothing; a bullet or a line break does.
_END = re.compile(r"\n+|(?<=[.!?…;])[*_)\"”»]*(?:\s+|$)")
_LONGEST, _GOES_ON, _SIDE_BY_SIDE = 1_200, 80, 16
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

    `sources` are the texts the answer may rest on, by their numbers from 1; `own` is what the person said of themselves,
    `facts` what is pinned of it. A dose that no source states is taken out of its sentence, any dose of a prescription
    medicine always; a medicine that a fact speaks against is replaced by the warning; a source number that does not exist
    goes with its claim; after a diagnosis the first one is told that it is none. A sentence that sends to a doctor is never
    taken away (`withheld` counts by kind). A list of sources of the model's own ends the answer.
    """

    def __init__(self, sources: Iterable[str], own: str, lang: Lang, facts: Sequence[Fact] = ()) -> None:
        self.withheld = dict.fromkeys((DOSE, DIAGNOSIS, CONFLICT, SOURCE), 0)
        self._sources = [_Source(text) for text in sources]
        self._own, self._own_doses = fold(own), doses(own, anywhere=True)
        self._lang: Lang = lang
        self._facts = tuple(facts)
        self._held = ""
        self._dosing = False
        self._closed = False

    def add(self, piece: str) -> str:
        """Take the next piece; returns what can be shown now."""
        self._held += piece
        shown = ""
        while (end := _END.search(self._held)) and end.end() < len(self._held):
            shown += self._checked(self._held[: end.end()])
            self._held = self._held[end.end() :]
        if len(self._held) > _LONGEST:
            shown += self.finish()
        return shown

    def finish(self) -> str:
        """The answer is over: all the rest that may be shown."""
        rest, self._held = self._held, ""
        return self._checked(rest) if rest else ""

    def _checked(self, sentence: str) -> str:
        self._closed = self._closed or fold(sentence).strip(_HEADING_MARKS) in _OWN_LISTS
        if self._closed:
            return ""
        body = sentence.rstrip()
        gap = sentence[len(body) :]
        cared = seeks_care(body)
        body, kept = self._without_false_sources(body, cared=cared)
        if not kept:
            return gap.lstrip(" ")
        against = conflicts(body, self._facts)
        if against and not warns(body):
            self.withheld[CONFLICT] += 1
            warning = " ".join(dict.fromkeys(one.told(self._lang) for one in against))
            return f"{self._without_doses(body, cared=cared)} {warning}{gap}" if cared else f"{warning}{gap}"
        body = self._without_doses(body, cared=cared)
        if not body.strip(_HEADING_MARKS):
            return gap.lstrip(" ")
        if any(condition not in self._own for condition in diagnosed(body)):
            self.withheld[DIAGNOSIS] += 1
            if self.withheld[DIAGNOSIS] == 1:
                body = f"{body} {say('rail.diagnosis', self._lang)}"
        return f"{body}{gap}"

    def _without_false_sources(self, body: str, *, cared: bool) -> tuple[str, bool]:
        """The sentence without numbers of sources that are not there, and whether it may stay."""
        false = [
            match for match in _CITED.finditer(body) if not 1 <= int(match.group(1)) <= len(self._sources)
        ]
        if not false:
            return body, True
        self.withheld[SOURCE] += 1
        for match in reversed(false):
            body = f"{body[: match.start()].rstrip()}{body[match.end() :]}"
        return body, cared or bool(_CITED.search(body))

    def _without_doses(self, body: str, *, cared: bool) -> str:
        # "Ngày 3 lần." belongs to the dose before it.
        goes_on = self._dosing and len(body) <= _GOES_ON
        spans = dose_spans(body, anywhere=goes_on)
        wanted = frozenset(span.dose for span in spans) - self._own_doses
        stated = not on_prescription(body) and any(
            source.states(wanted, medicines(body)) for source in self._sources
        )
        self._dosing = bool(wanted) and not stated
        if not self._dosing:
            return body
        self.withheld[DOSE] += 1
        if goes_on and not cared:
            return ""
        first = self.withheld[DOSE] == 1
        instead = say("rail.dose", self._lang) if first else ""
        cut = _merged([span for span in spans if span.dose in wanted], body)
        for at, span in reversed(list(enumerate(cut))):
            start, end = span.start, span.end
            if at and (part := _part_around(body, start, end)) > (cut[0].end,):
                start, end = part
            body = f"{body[:start].rstrip()} {'' if at else instead}{body[end:]}"
        return _tidy(body)


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


class DoseSpan(NamedTuple):
    """A dose as number and unit ("500 mg", "3 lan", "moi 6 gio"), and where it stands."""

    dose: str
    start: int
    end: int


def doses(sentence: str, *, anywhere: bool = False) -> frozenset[str]:
    """The doses in a sentence; see `dose_spans`."""
    return frozenset(span.dose for span in dose_spans(sentence, anywhere=anywhere))


def dose_spans(sentence: str, *, anywhere: bool = False) -> list[DoseSpan]:
    """The doses in a sentence, left to right.

    How often, and units that also measure salt and water, count beside a medicine or a word of taking it only;
    `anywhere` counts them all.
    """
    plain = re.sub(r"[*_`]", " ", sentence)
    hits = _lexicon().find(plain)
    labels = {hit.label for hit in hits}
    taken = anywhere or bool(labels & {"medicine", "intake"})
    found: list[DoseSpan] = []
    numbers = sorted(
        [(m.start(), m.end(), m.group()) for m in _NUMBER.finditer(plain)]
        + [(hit.start, hit.end, _number(hit.phrase)) for hit in hits if hit.label == "number"]
    )
    for start, end, value in numbers:
        often = fold(plain[start:end]) in _OFTEN
        unit, stop = ("lan" if taken else "", end) if often else _unit_after(plain, end, taken=taken)
        before = _every_before(plain, start) if unit == "gio" else None
        # Hours and days alone say since when or for how long; beside a dose they are part of it.
        alone = unit in {"gio", "ngay"} and before is None and not found and not anywhere
        if unit and not alone:
            dose = f"{'moi ' if before is not None else ''}{value.replace(',', '.')} {unit}"
            found.append(DoseSpan(dose, start if before is None else before, stop))
    return found


def _unit_after(plain: str, end: int, *, taken: bool) -> tuple[str, int]:
    """The unit of the number that ends at `end`, and where the unit ends; "" where it is no dose."""
    rest = plain[end : end + 40]
    for hit in _units().find(rest):
        between = rest[: hit.start].strip()
        # "500-1000 mg": the range's first number has the unit of its second.
        if re.fullmatch(r"(?:[-–—~]|đến|to)?\s*(?:\d[\d.,]*)?", between) is None:
            break
        unit, stop = _SAME.get(fold(hit.phrase), fold(hit.phrase)), end + hit.end
        if hit.label == "unit":
            return unit, stop
        if hit.label == "measure":
            harmless = _lexicon().find(rest[hit.end : hit.end + 24])
            away = any(one.label == "harmless" and one.start <= 1 for one in harmless)
            return (unit if taken and not away else ""), stop
        return ("lan" if hit.label == "times" else unit) if taken else "", stop
    return "", end


def _every_before(plain: str, start: int) -> int | None:
    """Where "mỗi", "every" begins that stands right before `start`."""
    low = max(0, start - 12)
    before = plain[low:start]
    hits = [hit for hit in _lexicon().find(before) if hit.label == "every" and not before[hit.end :].strip()]
    return low + hits[0].start if hits else None


def seeks_care(sentence: str) -> bool:
    """Whether a sentence sends to somebody who can help: that is never taken away."""
    return any(hit.label == "care" for hit in _lexicon().find(sentence))


def warns(sentence: str) -> bool:
    """Whether a sentence speaks against what it names."""
    return any(hit.label == "against" for hit in _lexicon().find(sentence))


def _merged(spans: list[DoseSpan], body: str) -> list[DoseSpan]:
    """Doses that stand side by side ("500 mg x 3 lần trong 7 ngày") as one."""
    merged: list[DoseSpan] = []
    for span in spans:
        if (
            merged
            and span.start - merged[-1].end <= _SIDE_BY_SIDE
            and not re.search(r"[,;]|\b(?:và|and|nếu|if)\b", body[merged[-1].end : span.start])
        ):
            merged[-1] = DoseSpan(merged[-1].dose, merged[-1].start, span.end)
        else:
            merged.append(span)
    return merged


def _part_around(body: str, start: int, end: int) -> tuple[int, int]:
    """The part of a sentence between its commas that holds `start:end`, unless it sends to a doctor."""
    first = body.rfind(",", 0, start)
    last = min((at for mark in ",.;!?" if (at := body.find(mark, end)) >= 0), default=len(body))
    if first < 0 or seeks_care(body[first:last]):
        return start, end
    return first, last


def _tidy(text: str) -> str:
    """The sentence without what a removed dose leaves behind."""
    text = re.sub(r"\s+([.,;:!?])", r"\1", re.sub(r"[ \t]{2,}", " ", text))
    return re.sub(r"([,;:]\s*)+([.!?])", r"\2", re.sub(r"([,;])\s*(?:[,;x×]\s*)+", r"\1 ", text))


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
