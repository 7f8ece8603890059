"""Checks a model's answer sentence by sentence: no dose without a source, no medicine against a stated fact, no invented source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from troly.text.arithmetic import derived_figures
from troly.text.catalogue import Lang
from troly.text.fold import accents, fold, folded_words, nfc
from troly.text.match import Lexicon
from troly.text.numbers import find_amounts
from troly.text.wordlist import read_lists
from troly_dental.memory.types import Fact
from troly_dental.safety import Conflict, conflicts, names_group
from troly_dental.safety import medicines as known_medicines
from troly_dental.strings import say

CITED = re.compile(r"\[(\d{1,3})\](?!\()")
_LEXICONS = Path(__file__).parent / "lexicons"
_FILE = _LEXICONS / "rail.txt"
# A dot between digits or after "bs." ends nothing; a bullet or a line break does.
_END = re.compile(r"\n+|(?<=[.!?…;])[*_)\"”»]*(?:\s+|$)")
_LONGEST, _GOES_ON = 1_200, 80
# What opens an entry of a list is no sentence of its own.
_ENTRY = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
# A list of sources that a model writes by itself may name pages that nobody found: the turn adds its own.
_OWN_LISTS = {
    "nguon tham khao", "nguon", "tai lieu tham khao", "tham khao", "references", "reference", "sources", "source",
}  # fmt: skip
_HEADING_MARKS = " \t\n#*_:-–—"
_WORDS = {word: value for value, said in read_lists(_LEXICONS / "rail_numbers.txt").items() for word in said}
# Number words that are written with accents: "sau" without them is "after" in a sentence that has some.
_ACCENTED = frozenset({"mot", "bon", "nam", "sau", "bay", "tam", "chin", "muoi", "nua"})
_KINDS = ("unit", "piece", "measure", "times", "span")
_SAME = {word: unit for unit, said in read_lists(_LEXICONS / "rail_units.txt").items() for word in said}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence that is not shown, and why, as the model and the person are told; `cares` where it sends to a doctor."""

    kind: Literal["dose", "conflict", "source"]
    sentence: str
    reason: str
    cares: bool


class OutputRail:
    """Takes pieces of an answer and gives on whole sentences until one may not be shown: the first such one is `refused`.

    In the `last` draft that does not end the answer: its reason stands in its place with the clauses of it that send to
    somebody who can help, and the sentences after it are shown. `cares`: a sentence that was shown sends there.

    `sources` are the texts the answer may rest on, by their numbers from 1; `own` is what the person said of themselves,
    `facts` what is pinned of it. Refused is a dose that no source states and any of a prescription medicine, a medicine
    that a fact speaks against (unless the sentence warns of it), and the number of a source that does not exist. After
    the first diagnosis it is told that it is none; one that claims to be certain is not shown. A sentence that stands in
    `shown`, what the person has read of a draft before, is left out. A list of sources of the model's own ends the answer.
    """

    def __init__(
        self, sources: Iterable[str], own: str, lang: Lang, facts: Sequence[Fact] = (), *, last: bool = False
    ) -> None:
        self.refused: Refusal | None = None
        self.cares = False
        self.diagnoses = 0
        self._sources = [_Source(text) for text in sources]
        self._own, self._own_doses = fold(own), doses(own, anywhere=True)
        self._own_figures = frozenset(amount.value for amount in find_amounts(own))
        self._lang: Lang = lang
        self._facts = tuple(facts)
        self._held = ""
        self._dosing = self._leaning = False
        self._before = ""
        self._closed = False
        self._last = last
        self._told: set[str] = set()
        self.shown = ""
        self._joint: str | None = None
        self._cut = False

    @property
    def over(self) -> bool:
        """Whether nothing more of this draft is shown."""
        return self.refused is not None and not self._last

    def add(self, piece: str) -> str:
        """Take the next piece; returns what can be shown now, "" once a sentence was refused."""
        self._held += piece
        shown = ""
        while end := self._end():
            shown += self._checked(self._held[:end])
            self._held = self._held[end:]
        if len(self._held) > _LONGEST:
            shown += self.finish()
        return shown

    def _end(self) -> int:
        """Where the first sentence that is held ends; 0 where it may go on."""
        ends = (match.end() for match in _END.finditer(self._held))
        return next((at for at in ends if at < len(self._held) and not _ENTRY.fullmatch(self._held[:at])), 0)

    def finish(self) -> str:
        """The answer is over: all the rest that may be shown."""
        rest, self._held = self._held, ""
        return self._checked(rest) if rest else ""

    def _checked(self, sentence: str) -> str:
        """What is shown of a sentence, begun as what now stands before it has it where another was taken away between them."""
        if self._joint is None:
            self._joint, self._cut = self.shown.rstrip()[-1:], bool(self.shown)
        joint = self._joint
        shown = self._allowed(sentence)
        own = shown.startswith(sentence[:9])
        if joint == ";" and (self._cut or not own) and shown[1:2].islower():
            shown = shown[:1].lower() + shown[1:]
        elif self._cut and own and joint in {"", *".!?…"}:
            shown = shown[:1].upper() + shown[1:]
        self._cut = not own or (self._cut and not shown)
        self._joint = "" if shown.endswith("\n") else shown.rstrip()[-1:] or joint
        return shown

    def _allowed(self, sentence: str) -> str:
        self._closed = self._closed or fold(sentence).strip(_HEADING_MARKS) in _OWN_LISTS
        if self._closed or self.over:
            return ""
        body = sentence.rstrip()
        gap = sentence[len(body) :]
        if (same := _words_of(body)) and same in map(_words_of, _END.split(self.shown)):
            self.cares = self.cares or seeks_care(body)
            return ""
        problem = self._problem(body)
        self._before = body
        if problem:
            self.refused = self.refused or Refusal(problem[0], body.strip(), problem[1], seeks_care(body))
            self._leaning = True
            return self._instead(body, problem[1], gap) if self._last else ""
        care = seeks_care(body)
        self._leaning = self._leaning and not care and intake_alone(body)
        if self._leaning:
            return ""
        self.cares = self.cares or care
        if any(condition not in self._own for condition in diagnosed(body)):
            if _CERTAIN.search(fold(body)):
                return self._instead(body, say("rail.certain", self._lang), gap)
            self.diagnoses += 1
            if self.diagnoses == 1:
                body = f"{body} {say('rail.diagnosis', self._lang)}"
        return f"{body}{gap}"

    def _instead(self, body: str, reason: str, gap: str) -> str:
        """What stands in the place of a sentence that is not shown: why, once, and where it sends to for help."""
        said = [] if reason in self._told else [reason]
        self._told.add(reason)
        if seeks_care(body):
            said.append(self._care_of(body) or say("rail.care", self._lang))
            self.cares = True
        entry = _ENTRY.match(body)
        text = " ".join(said)
        return f"{entry[0] if entry else ''}{text}{gap}" if text else gap[1:] if gap.count("\n") > 1 else ""

    def _care_of(self, body: str) -> str:
        """The clauses of a refused sentence that send to somebody who can help, where nothing is wrong with them."""
        dosing = self._dosing
        clauses = [clause.strip(" .!") for clause in _CLAUSE.split(CITED.sub("", _ENTRY.sub("", body, 1)))]
        kept = [
            one
            for one in clauses
            if seeks_care(one) and not _SCHEDULE.search(one.lower()) and not self._problem(one)
        ]
        self._dosing = dosing
        text = ", ".join(kept)
        return f"{text[:1].upper()}{text[1:]}." if text else ""

    def _problem(self, body: str) -> tuple[Literal["dose", "conflict", "source"], str] | None:
        last = len(self._sources)
        false = [number for number in CITED.findall(body) if not 1 <= int(number) <= last]
        if false:
            return "source", say("rail.source", self._lang, number=false[0], last=last)
        against = unwarned(body, self._facts)
        if against and not reports(body):
            return "conflict", " ".join(dict.fromkeys(one.told(self._lang) for one in against))
        # "Ngày 3 lần." belongs to the dose before it.
        goes_on = len(body) <= _GOES_ON and (bool(_SCHEDULE.search(body.lower())) or not seeks_care(body))
        wanted = instructed(body, anywhere=self._dosing and goes_on, beside=_of_medicine(self._before))
        self._dosing = bool(wanted)
        # What the person took may be added up: "16 viên 500 mg là 8.000 mg".
        reckoned = derived_figures(body, self._own_figures)
        wanted -= self._own_doses
        wanted -= {dose for dose in wanted if any(amount.value in reckoned for amount in find_amounts(dose))}
        stated = not names_group(body, "prescription") and any(
            source.states(wanted, medicines(body)) for source in self._sources
        )
        return ("dose", say("rail.dose", self._lang)) if wanted and not stated else None


# What makes a diagnosis a claim.
_CERTAIN = re.compile(
    r"\b(?:chac chan|ro rang|khang dinh|nhat dinh|khong nghi ngo|dich thi|definitely|certainly|clearly|surely|undoubtedly|no doubt|for sure|must be)\b|\b100 ?%"
)


def _words_of(sentence: str) -> str:
    """The words of a sentence without its marks and sources, to know it again; "" for fewer than three."""
    words = folded_words(CITED.sub("", sentence))
    return " ".join(words) if len(words) > 2 else ""


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


def doses(sentence: str, *, anywhere: bool = False, beside: bool = False) -> frozenset[str]:
    """The doses in a sentence as number and unit ("500 mg", "3 lan", "moi 6 gio").

    How often, and units that also measure salt and water, count beside a medicine or a word of taking it only;
    `anywhere` counts them all. Pieces ("viên", "ống") count too where they have a schedule, or stand `beside` a sentence of medicine.
    """
    sentence = re.sub(r"[*_`]", " ", sentence)
    plain, typed = fold(sentence), nfc(sentence).lower()
    taken = anywhere or _of_medicine(sentence)
    pieces = taken or beside or bool(_SCHEDULE.search(typed)) or _lexicon().has(sentence, "using")
    marked = bool(accents(typed)) and len(typed) == len(plain)
    found: set[str] = set()
    for match in _dose().finditer(plain):
        every, low, high, written = match["every"], match["low"], match["high"], match["unit"]
        if every and marked and accents(said := typed[match.start("every") : match.end("every")]):
            every = every if said in _written_every() else None  # "mới một tiếng" is no "mỗi"
        if written is None:
            found |= {f"{_WORDS[match['often']]} lan"} if taken else set()
            continue
        if marked and typed[match.start("unit") : match.end("unit")] not in _written_units():
            continue  # "gọi 115 ngay" names no days
        if marked and typed[match.start("low") : match.end("low")] in _ACCENTED:
            continue  # "sau lần quá liều này"
        kind = _units()[written]
        unit = "lan" if kind == "times" else _SAME.get(written, written)
        # "240 ml nước", "một gói thuốc lá" are no medicine; hours and days alone say since when or for how long.
        # Of a piece it is as it was typed: "2 ống tủy", not "2 viên tùy cân nặng".
        after = (typed if marked else plain)[match.end() :]
        harmless = kind in {"measure", "unit", "piece"} and _harmless_follows(after, typed=kind == "piece")
        alone = kind == "span" and not (anywhere or found or (every and unit == "gio"))
        if not harmless and (kind == "unit" or (pieces if kind == "piece" else taken and not alone)):
            often = "moi " if every and unit == "gio" else ""
            found |= {f"{often}{_WORDS.get(one, one).replace(',', '.')} {unit}" for one in (low, high) if one}
    return frozenset(found)


def _of_medicine(sentence: str) -> bool:
    """Whether a sentence names a medicine or has a word of taking one."""
    return any(hit.label in {"medicine", "intake"} for hit in _lexicon().find(sentence))


def instructed(sentence: str, *, anywhere: bool = False, beside: bool = False) -> frozenset[str]:
    """The doses (as `doses`) that a sentence says to take: not those told of as taken already, as doing harm, or to be brought."""
    reported: set[str] = set()
    wanted: set[str] = set()
    told = dosed = False
    text = nfc(sentence).lower()
    # Beside water alone nothing is said how often to take: "tập há miệng ngày ba lần, uống nước ấm".
    cared = not (anywhere or beside) and _goes_on_caring(text, cared=False)
    brought = _BRING.search(text)
    behind = {hit.label for hit in _lexicon().find(text[brought.start() :])} if brought else {"intake"}
    for part in _PART.split(text):
        direct = bool(_TOOK.search(part) and not _IF.search(part)) or bool(_HARMS.search(part))
        # "Mang theo 2 viên, đau thì uống" is to be taken.
        direct = direct or bool(_BRING.search(part) and not behind & {"intake", "using"})
        goes_on = told and not (_SCHEDULE.search(part) or _lexicon().has(part, "intake"))
        told = direct or goes_on
        for clause in _SIDE_BY_SIDE.split(part):
            cared = _goes_on_caring(clause, cared=cared and not dosed)
            dosed = dosed or (not cared and _of_medicine(clause))
            found = doses(clause, anywhere=True)
            often = {one for one in found if cared and one.rsplit(" ", 1)[-1] in _how_often()}
            (reported if told else wanted).update(found - often)
            reported |= often
    return doses(sentence, anywhere=anywhere, beside=beside) - (reported - wanted)


def _goes_on_caring(clause: str, *, cared: bool) -> bool:
    """Whether how often in a clause is said of brushing, rinsing or drinking water: until one names a medicine or takes
    something; a rinse is held in the mouth."""
    hits = _lexicon().find(clause)
    drunk = {
        one.start
        for one in hits
        for after in hits
        if after.label == "harmless" and after.start == one.end + 1
    }
    takes = any(
        hit.label == "medicine"
        or (hit.label == "intake" and hit.start not in drunk and not (cared and hit.phrase == "ngậm"))
        for hit in hits
    ) or any(one.rsplit(" ", 1)[-1] not in _how_often() for one in doses(clause, beside=True))
    return not takes and (cared or bool(drunk) or any(hit.label == "cleaning" for hit in hits))


def _harmless_follows(after: str, *, typed: bool) -> bool:
    return any(
        hit.label == "harmless" and hit.start <= 1 and (hit.exact or not typed)
        for hit in _lexicon().find(after[:24])
    )


@cache
def _units() -> dict[str, str]:
    """The kind of each unit, folded."""
    lists = read_lists(_FILE)
    return {fold(unit): kind for kind in _KINDS for unit in lists[kind]}


@cache
def _written_units() -> frozenset[str]:
    lists = read_lists(_FILE)
    return frozenset(nfc(unit.lower()) for kind in _KINDS for unit in lists[kind])


@cache
def _written_every() -> frozenset[str]:
    return frozenset(nfc(one.lower()) for one in read_lists(_FILE)["every"])


@cache
def _how_often() -> frozenset[str]:
    """The units, as `doses` names them, that say how often or how long."""
    return frozenset({"lan", *(_SAME.get(unit, unit) for unit, kind in _units().items() if kind == "span")})


@cache
def _dose() -> re.Pattern[str]:
    """A number or the ends of a range, with its unit and with "every" before it."""
    units = "|".join(re.escape(unit) for unit in sorted(_units(), key=len, reverse=True))
    every = "|".join(fold(one) for one in read_lists(_FILE)["every"])
    number = rf"\d+(?:[.,/]\d+)*|½|¼|\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b"
    return re.compile(
        rf"(?:\b(?P<every>{every})\s+)?(?:(?P<low>{number})\s*(?:(?:[-–—~]|den\b|to\b)\s*(?P<high>\d[\d.,]*)\s*)?"
        rf"(?P<unit>{units})(?!\w)|\b(?P<often>once|twice)\b)"
    )


# The parts of a sentence; what tells of something taken, and what makes it a condition; that so much does harm; how often.
_PART = re.compile(r"[,;:()]\s+|\s[-–—]\s|\b(?:thì|rồi|nên|hãy|then|so|please)\b")
_SIDE_BY_SIDE = re.compile(r"\s(?:và|and)\s")
_TOOK = re.compile(
    r"\b(?:đã|vừa|lỡ|trót)\s+(?:\w+\s+){0,2}?(?:uống|nuốt|tiêm|dùng)\b|\b(?:uống|nuốt)\s+(?:nhầm|phải)\b"
    r"|\b(?:took|taken|swallowed|ate|drank|ingested|overdosed)\b"
)
_BRING = re.compile(r"\b(?:mang|đem|cầm)\s+(?:theo|đến|tới|đi)\b|\bbring\b")
_IF = re.compile(r"\b(?:nếu|khi|chưa|once|after|if|when|unless|until|be)\b")
_NO_HARM = r"(?:(?!\b(?:không|chưa|tránh|giảm|phòng|not|avoid|prevent|reduce|less)\b).)*"
_HARMS = re.compile(
    rf"\d{_NO_HARM}\b(?:là|có thể|gây|rất|is|are|can|could|may)\b{_NO_HARM}"
    r"\b(?:quá liều|ngộ độc|nguy hiểm|quá nhiều|độc|hại|tổn thương|overdose|too much|too many|toxic|poison\w*|dangerous|harm\w*|damage\w*)\b"
)
# What is said side by side, and may be told alone.
_CLAUSE = re.compile(r"[,;:()]\s+|\s[-–—]\s|\s+(?:và|rồi|sau đó|and|then)\s+")
_SCHEDULE = re.compile(r"\b(?:mỗi|cứ|cách|every|each)\s+\w+|\b(?:lần|times|twice|once|daily)\b")


def seeks_care(sentence: str) -> bool:
    """Whether a sentence sends to somebody who can help: that is never taken away."""
    return any(hit.label == "care" for hit in _lexicon().find(sentence))


def intake_alone(sentence: str) -> bool:
    """Whether a sentence says how to take what another one named: "Uống sau khi ăn no."; not "Uống nhiều nước"."""
    labels = {hit.label for hit in _lexicon().find(sentence)}
    return "intake" in labels and not labels & {"harmless", "against"} and not medicines(sentence)


_ALREADY = re.compile(r"\b(?:dang|da|vua|cung|is|are|was|were|been|has|have|had|already)\s+(?:\w+\s+){0,2}$")

# A sentence as one letter a part: M a medicine that is spoken of, m another or a word such as "thuốc", the lists of
# `rail_warnings.txt` by the letters below, "," and ";" what divides, w any other word.
_LETTERS = {
    "not": "N", "avoid": "V", "use": "U", "advise": "D", "already": "P", "if": "C", "ask": "K", "before": "Q", "link": "l", "or": "O", "and": "&",
    "none": "Z", "harms": "H", "helps": "m", "well": "A", "usable": "B", "then": "T", "limits": "L", "allergic": "F", "group": "G", "because": "R", "medicine": "m",
}  # fmt: skip
# What governs a medicine from before it, over a list of others: a negation, said once or again ("không A và không B"), and why it
# is of a group; a use, an allergy, that it was taken already.
_NEGATED = re.compile(  # no possessive group: Python 3.11.2 ends it too early
    r"[NV][lUDOB]*+(?:[mMG](?:[lmMOGU](?<![^O]U)|[,&](?=[,&O]*(?:[lDmMGNV]|$))|(?<=[,&O])[lD]*[NV][lUDOB]*|[R,;](?=[lmM]*G))*)?$"
)
_NONE = re.compile(r"Z[lm]*(?:[mM][lmMO,&N]*)?$")
_USED = re.compile(r"U[lD]*+(?:[mMG](?:[lmMOG]|[,&](?=[,&O]*(?:[lmMG]|$)))*)?$")
_HAS = re.compile(r"(?:F|Pl*U|K[lwD&]*Q[lD]*U)l*(?:[mM][lmMO&]*)?$")
# What forbids a use after another prohibition that has an object of its own: "không ngừng thuốc và không uống X".
_OWN_BAN = re.compile(
    r"(?<=[mMw])[,;&]+[lD]*(?=(?:[NV][lD]*U|UN)[lUDO]*(?:[mM](?:[lmMO]|[,&](?=[,&O]*(?:[lmM]|$)))*)?$)"
)
# What takes a negation back: another one or a condition in its clause; who advises what is used.
_TWICE = re.compile(r"(?:[NVH][^,;]*|C[lw]{0,2}D?)$")
_ADVISED = re.compile(r"[DC][lw]{0,2}$")
# What is said of it after it: harm, next to it or after a comma; that it is not used; that it is well or only limited.
_DOES_HARM = re.compile(r"[lmMGFOPDUT]*H")
_DOES_HARM_LATER = re.compile(r"[lmMGFOPDUT&,]*H|[lDT]*G")
_LET = re.compile(r"[DU][lwU]{0,2}$")
_ELSE = re.compile(r"[lDT]*H")
_NOT_USED = re.compile(r"(?:N[lD]*U|VU?+)l*+(?![wmM])")
_NOT_WELL = re.compile("N[lD]*[AB]")
_WELL = re.compile(r"^[^mM]*?[AB](?![lUD]*[mM])")
_USED_AFTER = re.compile(r"(?:(?<!N)D|[,;&T])l*Ul*+(?:[,;]|$)")


def warns(sentence: str, named: Iterable[str] | None = None) -> bool:
    """Whether a sentence advises none of the medicines `named` in it (all that it names by default): each has a negation or an
    avoidance that governs it, or a harm that is said of it, or is only what one is allergic to or took already.

    A negation, a harm or a risk of anything else ("Don't worry, take ibuprofen", "ibuprofen để tránh đau") is no warning.
    """
    letters = _letters(sentence, None if named is None else {fold(one) for one in named})
    return "M" in letters and all(
        _is_warned(letters[:at], letters[at + 1 :]) for at, one in enumerate(letters) if one == "M"
    )


def unwarned(text: str, facts: Sequence[Fact]) -> tuple[Conflict, ...]:
    """The medicines in `text` that a stated fact speaks against and a sentence does not."""
    found = [
        one
        for sentence in _END.split(text)
        for one in conflicts(sentence, facts)
        if not (_only_named if names_group(one.medicine, "given") else warns)(sentence, [one.medicine])
    ]
    return tuple({one.medicine: one for one in found}.values())


def _only_named(sentence: str, named: Iterable[str]) -> bool:
    """Whether a sentence does not let a medicine be had that only a clinic gives: "nổi mề đay sau tiêm tê"."""
    letters = _letters(sentence, {fold(one) for one in named})
    let = any(
        _LET.search(letters[:at]) or _WELL.search(letters[at + 1 :])
        for at, one in enumerate(letters)
        if one == "M"
    )
    return not let or warns(sentence, named)


def _is_warned(before: str, after: str) -> bool:
    """Whether the medicine between these parts of a sentence is spoken against, or only named as what one has."""
    after = _NOT_WELL.sub("H", after)
    # "Nếu không ngừng thuốc và không uống X" forbids neither.
    if (own := _OWN_BAN.search(before)) and not re.search("C[^,;]*$", before[: own.end()]):
        before = before[own.end() :]
    if _NONE.search(before):
        return True
    if _WELL.search(after) or _USED_AFTER.search(after):
        return False
    if negated := _NEGATED.search(before):
        # "Không uống X thì nguy hiểm" tells to take it, "không uống X lúc đói" lets it be taken.
        taken = _TWICE.search(before[: negated.start()]) or _ELSE.match(after)
        return not taken and "L" not in re.split("[;,]", after)[0]
    if (has := _HAS.search(before)) or re.match("l*F", after):
        return not (has and re.search("N[lwD]{0,3}$", before[: has.start()]))
    if used := _USED.search(before):
        return not _ADVISED.search(before[: used.start()]) and bool(_DOES_HARM.match(after))
    return "L" not in after and bool(_DOES_HARM_LATER.match(after) or _NOT_USED.search(after))


def _letters(sentence: str, wanted: frozenset[str] | set[str] | None) -> str:
    """The parts of a sentence, a letter each."""
    text = re.sub(r"[*_`]", "", sentence)
    hits: dict[int, tuple[int, str]] = {}
    for hit in _grammar().find(text):
        if hit.exact:
            hits.setdefault(hit.start, (hit.end, _LETTERS[hit.label]))
    for hit in known_medicines().find(text):
        hits[hit.start] = (hit.end, "M" if wanted is None or fold(hit.phrase) in wanted else "m")
    letters, at = "", 0
    for match in re.finditer(r"[\w'’]+|[,(]|[^\w\s]+", text):
        if match.start() < at:
            continue
        at, letter = hits.get(match.start(), (match.end(), ""))
        letters += letter or (
            "w" if match[0][0].isalnum() else "," if match[0] in ",(" else ";" if match[0] in ";:–—" else ""
        )
    return letters


@cache
def _grammar() -> Lexicon:
    lists = read_lists(_FILE.with_name("rail_warnings.txt"))
    return Lexicon({**lists, "medicine": read_lists(_FILE)["medicine"]})


def reports(sentence: str) -> bool:
    """Whether a sentence has somebody told of a medicine that is taken already ("báo bác sĩ bố đang uống aspirin"), and of none
    to take.
    """
    hits = _lexicon().find(sentence)
    told = min((hit.start for hit in hits if hit.label == "report"), default=None)
    return told is not None and all(
        hit.start > told
        and (
            hit.label == "medicine" or _ALREADY.search(fold(sentence[: hit.start])) or hit.phrase == "taking"
        )
        for hit in hits
        if hit.label in {"medicine", "intake"}
    )


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


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(_FILE)
