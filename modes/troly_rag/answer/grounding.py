"""Holds each sentence of an answer against what it was written from: figures, names, addresses and who says no (004 C5).

Only facts are checked. A sum is held against the figures that it is made of; how a thing is worded is the writer's.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path

from troly.text.arithmetic import derived_figures
from troly.text.dates import make_date
from troly.text.everyday import without_everyday
from troly.text.fold import fold, nfc, words
from troly.text.language import is_syllable
from troly.text.numbers import counting_words, find_amounts
from troly.text.wordlist import read_lists
from troly_rag.corpus.coverage import YEAR, known_names, negations, question_of, text_of
from troly_rag.tools.arithmetic import DAILY_HOURS, WORKING_DAYS

FOLDER = Path(__file__).parent / "lexicons"
# The share of a claim's telling words that the sources must hold: less speaks of another thing.
HELD = 0.3
# A claim tells of its passage from this share of its words on, one with a no in it from the other.
_SAID, _DENIED = 0.5, 0.7
# Above this share of a sentence's words, and without other ones, a claim says the same sentence again, or turns it round.
_SAME = 0.85
# A sentence of fewer telling words, without figure or name, is courtesy and claims nothing.
_CLAIMING = 5
_LARGE, _HUNDRED = 1000, Decimal(100)
SHORTEST_WORD = 2
_SENTENCE = re.compile(r"[^\n.!?;]+(?:(?:[.](?=\w)|(?<=\bMr|\bMs|\bDr)[.]|(?<=\bMrs)[.])[^\n.!?;]*)*[.!?;]?")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,80})[\"”»]")
_ADDRESS = re.compile(r"\S+@\S+\.\w+|\b[\w-]+(?:\.[\w-]+)+\.[a-z]{2,}\b", re.IGNORECASE)
# Written beside any amount, or for the departments themselves.
_CODES = frozenset({"VND", "VNĐ", "USD", "HR", "IT"})
_TITLES = frozenset({"mr", "ms", "mrs", "dr"})
# The languages that documents are written in, and the country that they are of, may stand before any name.
_LANGUAGES = re.compile(r"\b(?:Vietnam(?:ese)?|Viet Nam|English)\b|\bViệt Nam\b|\b[Tt]iếng (?:Việt|Anh)\b")
# Days of the week and months are written with capitals and name nobody.
_DAYS = re.compile(
    rf"\b[Tt]hứ (?:[Hh]ai|[Bb]a|[Tt]ư|[Nn]ăm|[Ss]áu|[Bb]ảy)\b|\b[Cc]hủ [Nn]hật\b|\b(?:{'|'.join([*day_name, *month_name[1:]])})s?\b"
)
# An hour of the afternoon on the clock of twelve: "5 giờ chiều", "5 p.m.".
_AFTERNOON = re.compile(
    r"(?<![\d.,:])(1[0-2]|[1-9])(?::00)?\s*(?:(?:giờ|h|g)\s*(?:chiều|tối|đêm|trưa)|p\.?m\b)", re.IGNORECASE
)
# A time of day has one form for all that people write: "8h50", "8:50", "8g50" are "8 giờ 50".
_CLOCK = re.compile(r"(?<![\d.,:/])(\d{1,2})\s?[hHgG:]\s?([0-5]\d)(?![\d.,:]\d|\d)")
_HOUR = re.compile(r"(?<![\d.,:/])(\d{1,2})\s?(?:giờ|h|g|:00)(?!\w)", re.IGNORECASE)
_SPAN = re.compile(r"(?<![\d.,:/])(\d{1,2}) (?:gio|tieng|hours?)\b")
_NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
_LIST = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_HEADING = re.compile(r"^\s*#{1,6}(?:\s|$)|^\s*[*_]{2}[^*_]+[*_]{2}:?\s*$")
_DAY = re.compile(r"(?<!\d)([0-3]?\d)/([01]?\d)/((?:19|20)\d\d)(?!\d)")
_ISO_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)-([01]\d)-([0-3]\d)(?!\d)")
_FEW_YEARS, _FEW_DAYS = 2, 12
# That nothing is said of something, whatever is named in it, and whom to ask instead.
_UNSAID = re.compile(
    r"\b(?:tai lieu|van ban|trang|doan|quy dinh|documents?|pages?|passages?)\b[^.:;]{0,40}?\b(?:khong|chua|not|never|nothing)\b (?:he |co )?"
    r"(?:noi|neu|de cap|nhac|ghi|quy dinh|thong tin|say|mention|tell|state|cover|contain|speak)"
)
_REFERRED = re.compile(
    r"\W*(?:\w+ ){0,4}?(?:hoi|lien he|ask|contact|check with) (?:\w+ ){0,2}?(?:phong|bo phan|ban|quan ly|the|your|hr|it)\b"
)
_FORBIDDEN = re.compile(r"\W*(?:khong duoc|cam|must not|may not|do not|never)\b([^:]*):(.+)", re.DOTALL)
_ALLOWS = re.compile(r"\b(?:duoc|co the|may|can|allowed|permitted)\b")
_CLAUSE = re.compile(r"[,;:()]")
# A no to the question, before what is answered.
_NO = re.compile(
    r"^\s*(?:dạ,?\s+)?(?:không|chưa|no|not)(?:\s+(?:được|phải|cần|có|yet|ạ|nhé))*\s*[:,.;–—-]\s*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[*_`]+")
_PAY = re.compile(r"\b(?:luong|pay|salary|wages?)\b")
# A factor of a sum that is written out: "/ 26", "chia 26 ngày công", "26 × 8".
_BEYOND = re.compile(
    r"\b(?:qua|vuot|hon|tren|more than|over|exceeds?|exceeding|beyond|after)\s+(\d{1,3})\b(?![.,]\d)"
)
_BELOW = re.compile(r"\b(?:duoi|it hon|less than|fewer than|under|below|before)\s+(\d{1,3})\b(?![.,]\d)")
_FACTOR = re.compile(
    r"(?:[×*/÷:]|\bx|\bchia(?: cho)?|\bnhân(?: với)?|\b(?:divided|multiplied) by|\btimes)\s*\(?\s*(\d+)(?![\d.,/]*\d)"
    r"|(?<![\d.,/])(\d+)(?=\s*[×*÷])"
)
_DATE = re.compile(r"(?<![\d.,/-])([0-3]?\d)/([01]?\d)(?:/\d{4})?(?![\d/])")
# What a no before it in the clause does not reach: the verb of the whole clause ("phép chưa dùng | được chuyển").
_VERBS = frozenset({"duoc", "phai", "bi", "thi", "se", "may", "can", "must", "should", "will", "is", "are"})


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence or list item and the passage that it rests on, by its place (from 0)."""

    text: str
    passage: int


@dataclass(frozen=True, slots=True)
class GroundedAnswer:
    """The claims that stand, in order, and what was left out with why; `lost_conclusion` says that the first was."""

    claims: tuple[Claim, ...]
    dropped: tuple[tuple[str, str], ...]
    lost_conclusion: bool = False

    @property
    def text(self) -> str:
        """The claims that stand, as they were written; what only led to a claim that does not stand is left out."""
        kept = list(_joined(_without_loose_ends(self.claims, self.dropped)))
        return "".join(kept).strip()


def ground(answer: str, passages: Sequence[str], said: Sequence[str] = ()) -> GroundedAnswer:
    """Keep the sentences of `answer` whose facts stand in `passages`; `said` are texts that figures and names may come
    from too (the question, the conversation, today).

    A sentence is tied to the passage that holds most of it. Without any source nothing stands.
    """
    sources = _Sources(passages, said)
    claims: list[Claim] = []
    dropped: list[tuple[str, str]] = []
    lost = False
    for number, sentence in enumerate(claims_of(answer)):
        why = sources.problem(sentence)
        if why:
            lost = lost or not number
            dropped.append((sentence.strip(), why))
        else:
            claims.append(sources.tied(sentence))
    return GroundedAnswer(tuple(claims), tuple(dropped), lost)


def claims_of(answer: str) -> Iterator[str]:
    """The sentences and list items of an answer, with the line ends before them; headings claim nothing."""
    for line in answer.splitlines(keepends=True):
        if _HEADING.match(line) or not line.strip():
            continue
        if _LIST.match(line):
            yield line
            continue
        yield from (found.group() for found in _SENTENCE.finditer(line) if _WORD.search(found.group()))


def is_listed(claim: str) -> bool:
    """Whether a claim is an item of a list."""
    return bool(_LIST.match(claim.lstrip("\n")))


def telling(text: str) -> list[str]:
    """The folded words of `text` that tell something: no words of one letter, no words that every sentence has."""
    return [
        word
        for word in _WORD.findall(fold(text))
        if len(word) >= SHORTEST_WORD and word not in _words("common")
    ]


def refuses(claims: Sequence[Claim], passages: Sequence[str]) -> bool:
    """Whether all that is claimed is that nothing is said of a thing, with courtesy around it: no figure, and no sentence
    whose passage speaks of it."""

    def tells(claim: Claim) -> bool:
        if _UNSAID.search(fold(claim.text)) or _REFERRED.match(fold(claim.text)):
            return any(_figures(claim.text))
        said = question_of(claim.text.strip())
        held = text_of(passages[claim.passage] if claim.passage < len(passages) else "")
        least = _DENIED if is_negative(claim.text) else _SAID
        return said.coverage(held).share >= least or any(_figures(claim.text))

    denied = any(is_negative(one.text) and question_of(one.text.strip()).tokens for one in claims)
    return denied and not any(map(tells, claims))


def is_negative(sentence: str) -> bool:
    """Whether a word in it turns the sentence round (không, chưa, not)."""
    return any(word in negations() for word in _WORD.findall(nfc(sentence).lower()))


@cache
def _words(label: str) -> frozenset[str]:
    """The words of one list of lexicons/common.txt."""
    return frozenset(read_lists(FOLDER / "common.txt")[label])


class _Sources:
    """Everything that an answer may be made of."""

    def __init__(self, passages: Sequence[str], said: Sequence[str]) -> None:
        self._passages = passages
        self._whole, self._said = "\n".join([*passages, *said]), "\n".join(said)
        self._folded = fold(self._whole)
        self._typed = nfc(self._whole).lower()
        self._words = frozenset(words(self._whole))
        self._known = frozenset(_WORD.findall(self._folded))
        # The year of a date in a passage's head is known too.
        self._figures = {*_held_figures(self._whole), *map(Decimal, YEAR.findall(self._whole))}
        self._figures |= {Decimal(part) for date in _DATE.findall(self._whole) for part in date}
        # Beyond "quá 3 lần" lies the fourth.
        self._figures |= {Decimal(beyond) + 1 for beyond in _BEYOND.findall(self._folded)}
        self._figures |= {Decimal(below) - 1 for below in _BELOW.findall(self._folded)}
        # What sums of pay are worked out with where no document says it.
        self._constants = {WORKING_DAYS, DAILY_HOURS} if _PAY.search(self._folded) else set[Decimal]()
        self._before, self._results = "", set[Decimal]()
        self._sentences = [(one, _occurrences(one)) for text in passages for one in claims_of(text)]

    def tied(self, sentence: str) -> Claim:
        """The claim with the passage that holds most of its words and figures."""
        said, figures = telling(sentence), set(_figures(sentence))
        shares = [
            (sum(word in fold(text) for word in said) / len(said) if said else 1.0)
            + (len(figures & set(_held_figures(text))) / len(figures) if figures else 0.0)
            for text in self._passages
        ]
        place = max(range(len(shares)), key=lambda at: shares[at]) if shares else 0
        return Claim(sentence, place)

    def problem(self, sentence: str) -> str:
        """What of `sentence` stands nowhere, in a few words; "" where nothing is wrong with it."""
        if not self._whole.strip():
            return "no source"
        body = _MARKS.sub("", _LIST.sub("", sentence))
        if not (why := self._strange(body)) and not (why := self._wrong_figure(body)):
            why = self._turned(body) or self._elsewhere(body)
        return why

    def _strange(self, body: str) -> str:
        """A name, a quotation or an address that stands nowhere."""
        for address in _ADDRESS.findall(body):
            if fold(address).strip(".") not in self._folded:
                return f"address {address}"
        for quoted in _QUOTED.findall(body):
            if not self._holds(quoted):
                return f"quotation {quoted}"
        body = _DAYS.sub(" ", _LANGUAGES.sub(" ", body))
        names = [*_names(body), *_inside(body)]
        return next((f"name {name}" for name in names if not self._holds(name)), "")

    def _holds(self, name: str) -> bool:
        if name in _CODES or nfc(name).lower() in self._typed or nfc(name).lower() in known_names():
            return True
        # With its accents a word must stand as it is; without them in any writing.
        return all(
            word in self._words
            or word in _TITLES
            or (word.isascii() and word in self._known)
            or self._is_numbered_alike(word)
            for word in words(name)
        )

    def _is_numbered_alike(self, word: str) -> bool:
        """Whether a code is numbered as others are: T4 for floor 4 where T3 is told for floor 3."""
        code = _NUMBERED.fullmatch(word)
        if code is None or Decimal(code[2]) not in self._figures:
            return False
        return any((one := _NUMBERED.fullmatch(held)) and one[1] == code[1] for held in self._known)

    def _wrong_figure(self, body: str) -> str:
        """A figure that stands nowhere and is no result of figures that do."""
        # A sum may go on in the next sentence, with its result as it was written or before it was rounded.
        text = f"{self._before}\n{body}"
        factors = {Decimal(one or two) for one, two in _FACTOR.findall(text)} & self._constants
        known = self._figures | {_HUNDRED} | factors
        derived = derived_figures(text, known) | derived_figures(text, known | self._results) | factors
        # Large amounts are no accident: they may come of figures that the sentence does not repeat.
        amounts = derived_figures(f"{body}\n{self._whole}", known | self._results)
        derived |= {figure for figure in amounts if figure >= _LARGE}
        here = set(_figures(body))
        derived |= {
            hour for one in _AFTERNOON.findall(body) if (hour := Decimal(one)) % 12 + 12 in self._figures
        }
        derived |= _hours_after(self._said, self._whole)
        derived |= _days_between(f"{body}\n{self._said}")
        strange = sorted(here - self._figures - self._results - derived)
        self._results |= here & derived
        self._before = body if here and not strange else self._before
        return f"figure {strange[0].normalize():f}" if strange else ""

    def _turned(self, body: str) -> str:
        """Whether a sentence of a passage is said again with yes for no; a "không được:" before the answer says no to the
        question.
        """
        said = _occurrences(_NO.sub("", body))
        alike = set[bool]()
        for sentence, held in self._sentences:
            words = {one.word for one in held}
            same = said and sum(one.word in words for one in said) >= _SAME * len(said)
            if same and not _tells_penalty(body, sentence):
                alike.add(_denies(said, held))
        return "negation" if alike == {True} else ""

    def _elsewhere(self, body: str) -> str:
        """Whether it speaks of something that no source does; that nothing was found may be said of anything."""
        if is_negative(body) or body.rstrip().endswith(("?", ":")):
            return ""
        claim = question_of(body.strip())
        if len(claim.words) < _CLAIMING or claim.coverage(text_of(self._whole)).share >= HELD:
            return ""
        return "words"


def _hours_after(said: str, told: str) -> set[Decimal]:
    """The times of day, in whole hours, that lie so many hours before or after one that the asker named: 2 hours after 14h."""
    moments = {int(hour) for hour in _HOUR.findall(said)}
    spans = {int(hours) for hours in _SPAN.findall(fold(told))}
    return {
        Decimal(at + step) for at in moments for one in spans for step in (one, -one) if 0 <= at + step <= 24
    }


def _days_between(text: str) -> set[Decimal]:
    """How many days lie between two days that `text` names, both counted or not; a day without its year is of any year named."""
    named = [tuple(map(int, found.groups())) for found in _DAY.finditer(text)]
    named += [(int(d), int(m), int(y)) for y, m, d in _ISO_DAY.findall(text)]
    years = sorted({year for *_, year in named})[-_FEW_YEARS:]
    short = [(int(d), int(m), year) for d, m in _DATE.findall(text) for year in years]
    days = list({day for d, m, y in [*named, *short] if (day := make_date(y, m, d))})[:_FEW_DAYS]
    return {
        Decimal(abs((one - other).days) + both) for one, other in combinations(days, 2) for both in (0, 1)
    }


def _tells_penalty(body: str, sentence: str) -> bool:
    """Whether `body` names a forbidden act with what follows from it, and allows nothing: "không được hút thuốc: phạt 500.000"."""
    forbidden = _FORBIDDEN.match(fold(sentence))
    if not forbidden or _ALLOWS.search(fold(body)):
        return False
    act, after = set(telling(forbidden[1])), set(telling(forbidden[2]))
    return bool((after - act) & set(telling(body)))


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A telling word (folded) with the ones beside it in its clause, and whether a no denies it; both where that is open."""

    word: str
    beside: tuple[str, str]
    clause: int
    denied: frozenset[bool]


def _occurrences(sentence: str) -> list[_Occurrence]:
    """The telling words of a sentence; a no denies the word that follows, and what is joined to it may be denied too."""
    found: list[_Occurrence] = []
    for number, clause in enumerate(_CLAUSE.split(sentence)):
        said: list[tuple[str, frozenset[bool]]] = []
        denied = frozenset({False})
        fresh = False
        for typed in _WORD.findall(nfc(clause).lower()):
            word = fold(typed)
            if typed in negations():
                denied, fresh = frozenset({True}), True
            elif not fresh and word in _VERBS and True in denied:
                denied = frozenset({False})
            elif len(word) >= SHORTEST_WORD and word not in _words("common"):
                said.append((word, denied))
                denied, fresh = denied if denied == {False} else frozenset({True, False}), False
        words = ["", *(word for word, _ in said), ""]
        found += [
            _Occurrence(word, (words[at], words[at + 2]), number, held)
            for at, (word, held) in enumerate(said)
        ]
    return found


def _denies(said: Sequence[_Occurrence], held: Sequence[_Occurrence]) -> bool:
    """Whether `said` denies what `held` states, or the other way round: two words of one clause turned round say the same
    ("không nộp đơn thì không được nghỉ", "nộp đơn mới được nghỉ").
    """
    turned = Counter[int]()
    for one in said:
        alike = [other for other in held if other.word == one.word]
        near = [sum(a == b for a, b in zip(one.beside, other.beside, strict=True)) for other in alike]
        best = [other for other, share in zip(alike, near, strict=True) if share == max(near)]
        # The same word of other things ("tắt wifi", "đừng tắt máy") turns nothing round.
        same = any(other.beside == one.beside or {*one.beside} & {*other.beside} - {""} for other in best)
        if same and not one.denied & frozenset[bool]().union(*(other.denied for other in best)):
            turned[best[0].clause] += 1
    return any(count % 2 for count in turned.values())


def _figures(text: str) -> Iterator[Decimal]:
    for amount in find_amounts(_CLOCK.sub(r"\1 giờ \2", text)):
        yield amount.value.normalize()


def _held_figures(text: str) -> Iterator[Decimal]:
    """The figures that may be worked with: those in digits, and things counted in words."""
    yield from _figures(text)
    yield from (amount.value for amount in counting_words(text))


def _names(body: str) -> Iterator[str]:
    """Runs of words with a capital at their beginning, and single words in capitals; how a sentence begins is none."""
    run: list[str] = []
    end = 0
    for at, (word, start) in enumerate(
        [*((one.group(), one.start()) for one in _WORD.finditer(body)), ("", len(body))]
    ):
        if ":" in body[end:start] and len(run) == 1:
            # "Nguồn: Máy in": two things.
            run = run if run[0].isupper() else []
        end = start + len(word)
        if word[:1].isupper() and not (at == 0 and not word[1:2].isupper()):
            run.append(word)
            continue
        if len(run) > 1 or (run and len(run[0]) > 1 and run[0].isupper()):
            yield " ".join(run)
        run = []


def _inside(body: str) -> Iterator[str]:
    """Words with a capital in the middle of a sentence, each with the word after it: "giá trị Trách nhiệm"."""
    said = list(_WORD.finditer(body))
    for at, word in enumerate(said[1:], 1):
        before, text = said[at - 1].group(), word.group()
        apart = body[said[at - 1].end() : word.start()]
        if apart == " " and before.islower() and text[0].isupper() and text[1:].islower():
            after = (
                said[at + 1].group()
                if body[word.end() : word.end() + 1] == " " and at + 1 < len(said)
                else ""
            )
            # Only syllables go on with one in small letters, and with one that says something: "Windows khi", "Trung order",
            # "Tết hay" are two words.
            joined = after.islower() and is_syllable(fold(text)) and is_syllable(fold(after))
            joined = joined and bool(telling(after) and without_everyday(after))
            yield f"{text} {after}" if joined else text


def _without_loose_ends(claims: Sequence[Claim], dropped: Sequence[tuple[str, str]]) -> Sequence[Claim]:
    """The claims without lines that only announce a list of which nothing is left."""
    if not dropped:
        return claims
    return [
        claim
        for at, claim in enumerate(claims)
        if not claim.text.rstrip().endswith(":") or (at + 1 < len(claims) and is_listed(claims[at + 1].text))
    ]


def _joined(claims: Sequence[Claim]) -> Iterator[str]:
    for at, claim in enumerate(claims):
        gap = "" if at == 0 or claims[at - 1].text.endswith("\n") or claim.text[:1].isspace() else " "
        yield gap + claim.text
