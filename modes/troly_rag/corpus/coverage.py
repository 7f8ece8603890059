"""How much of a question a text speaks of: its telling words, each found as typed or by another name, and those that are not.

One measure for choosing passages, sentences and agents, and for saying honestly which words nothing was found for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from troly.retrieval.search.glossary import named_elsewise, stem, vietnamese_phrases
from troly.text.catalogue import Lang
from troly.text.everyday import without_everyday
from troly.text.fold import (
    WordToken,
    accents,
    accents_agree,
    fold,
    fold_in_place,
    has_marks,
    nfc,
    span_in_place,
    tokens,
)
from troly.text.language import detect, is_other, is_syllable
from troly.text.match import Lexicon, spans_of
from troly.text.numbers import find_amounts
from troly.text.wordlist import read_lists

# What a number counts, by the words for it in a question and in a rule, folded; and how amounts are shortened.
UNITS: Mapping[str, str] = {
    "day": "ngay|hom|bua(?! (?:an|com|sang|trua|toi|tiec))|days?", "night": "dem|nights?", "time": "lan|times?",
    "month": "thang|months?", "year": "nam|years?", "hour": "gio|tieng|hours?", "minute": "phut|minutes?", "week": "tuan|weeks?",
    "person": "nguoi|people|person", "child": "be|con|dua|chau|child|children", "point": "diem|points?",
    "meal": "suat|bua|meals?|lunch(?:es)?",
}  # fmt: skip
_CALENDAR = frozenset({"day", "week", "month", "year"})
_SPANS = ("hour", "minute", *sorted(_CALENDAR))
_COUNT_WORDS = frozenset({"may", "nhieu", "nhiu", "bn", "many"})
_ALL_UNITS = "|".join(UNITS.values())
_COUNTED = re.compile(rf"\s?(?:%|(?:{_ALL_UNITS}|vnd|dong)(?![a-z0-9]))")
# A longer number that is no year names something: a fault, a room.
_UNIT = re.compile(
    "|".join(
        [
            *(words for unit, words in UNITS.items() if unit not in ("child", "point", "meal")),
            r"so|\d{1,2}|(?:19|20)\d\d",
        ]
    )
)
NUMBERS = (
    *["mot", "hai", "ba", "bon", "nam", "sau", "bay", "tam", "chin", "muoi"],
    *["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
)
# "Nam" is a year too.
_SPELT = re.compile(rf"\b(?:{'|'.join(one for one in NUMBERS if one != 'nam')})(?= (?:{_ALL_UNITS})\b)")
# From here on a bare number is money.
LEAST_PAY = 10_000
_SCALED = re.compile(r"\d\s?(?:k|tr|m|trieu|nghin|ngan|ty|cu|thousand|million|billion)\b")
_CLOCK = re.compile(r"\b\d{1,2}[hH](?:\d{2})?\b")
# "lý" and "lí" are one word; so are "thứ 7" and "thứ bảy".
_FINAL_Y = re.compile(r"(?<=^[hklmst])y$")
_WEEKDAYS = {"2": "hai", "3": "ba", "4": "tu", "5": "nam", "6": "sau", "7": "bay"}
_Y = str.maketrans("yýỳỷỹỵ", "iíìỉĩị")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CODE = re.compile(r"\b[^\W\d_]+-\d+\b")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})+(?![\d.,]*\d)")
_DATE = re.compile(r"\b\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?\b")
_LATER = r"\b(?:kéo dài|trì hoãn|hoãn|lùi|delay\w*|postpon\w*|defer\w*)"
_PUT_OFF = re.compile(rf"{_LATER}(?: (?:thời hạn|thời gian|việc|the))*\W*$")
_AT_PLACE = frozenset({"ở", "tại", "với", "at", "in", "with"})
_PAUSE = re.compile(r"[,;?!](?=\s)")
_CLAUSE = re.compile(r"[.;\n]+(?!\d)|,(?!\d)")
_SENTENCE = re.compile(r"[.;\n]+(?!\d)")
_WHAT_IS = re.compile(r"\bla gi\b|^what(?: is| are|'?s)?\b(?! (?:do|does|should|can|must|if|happens)\b)")
_WHICH = re.compile(r"(?:nao|(?:cai |nhung )?gi)\b")
_WHERE = re.compile(r"\b(?:o|tai|vao) (?:nhung |cac )?dau\b|\b(?:cho|noi) nao\b|\bwhere\b")
_PLACE = re.compile(
    r"\b(?:ở|tại|qua|trên|số|gọi|gặp|gửi|cổng|via|call)\b|\b(?:vào|tới|at|in|on|to|into|from)\b(?! (?:ngày|tháng|lúc|năm|\d|the \d))"
    r"|\S@\S|\w\.\w"
)
# What asks whether something is given to staff, and what tells that it is.
_ASKS_GIFT = re.compile(
    r"\b(?:có|được|duoc|co) (?:được )?(?:cấp|phát|tặng|cap|phat|tang) .*\b(?:không|ko|k|khong)\b"
    r"|\b(?:do|does|will|would) (?:\w+ ){1,2}(?:get|receive|provide|give|offer)\b"
)
_GIVES = re.compile(
    r"(?<!phụ )(?<!trợ )(?<!khẩn )\bcấp\b(?! (?:trên|dưới|bách|cứu))|\b(?:có|nhận|hưởng|phát|tặng|trao|thưởng|trả|hỗ trợ|miễn phí|được (?:chi|nghỉ|mời)"
    r"|(?:is|are|be|get|gets?) (?:given|provided|issued|paid)|gives?|provides?|pays?|offers?|receives?|have|has|entitled|free)\b"
)
FOLDER = Path(__file__).parent / "lexicons"


class Phrase(NamedTuple):
    """A listed phrase and the line it stands on."""

    line: int
    words: tuple[WordToken, ...]


@dataclass(frozen=True)
class Text:
    """A text prepared for looking words up in it."""

    raw: str

    @cached_property
    def words(self) -> tuple[WordToken, ...]:
        return tuple(tokens(self.raw))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """What each word is compared by."""
        return keys_of(self.words)

    @cached_property
    def forms(self) -> dict[str, set[str]]:
        """The words as typed, by their key."""
        # The 3 of "3.000.000" is no three.
        grouped = [found.span() for found in _GROUPED.finditer(self.raw)]
        return self._forms(
            at for at, word in enumerate(self.words) if not _overlaps((word.start, word.end), grouped)
        )

    @cached_property
    def free(self) -> dict[str, set[str]]:
        """As `forms`, without halves of words: "điện" is not spoken of where only "điện thoại" stands."""
        halves = halves_in(self.words)
        free = self._forms(at for at in range(len(self.words)) if at not in halves)
        return {key: said for key, said in free.items() if key in self.forms}

    def _forms(self, places: Iterable[int]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for at in places:
            found.setdefault(self.keys[at], set()).add(self.words[at].text)
        return found

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Keys of neighbours: most Vietnamese words are two syllables."""
        return frozenset(pairwise(self.keys))

    @cached_property
    def clauses(self) -> tuple[Text, ...]:
        """Each clause of the last line, with the lines above it."""
        above, _, told = self.raw.rpartition("\n")
        return tuple(text_of(f"{above}\n{one}") for one in _CLAUSE.split(told) if one.strip())

    @cached_property
    def language(self) -> Lang:
        return detect(self.raw)

    @cached_property
    def lines(self) -> frozenset[int]:
        """The lines of synonyms.txt of which a name stands in the text, alone or as the end of a longer one ("nộp chứng từ")."""
        return frozenset(
            one.line
            for at, name in _phrases_in(self.words, synonyms().by_first)
            for start in range(at, at + max(1, len(name.words) - 1))
            for one in _fitting(self.words, start, synonyms().by_first, folded=False)
            if start + len(one.words) == at + len(name.words)
        )

    @cached_property
    def denied(self) -> frozenset[int]:
        """The lines of synonyms.txt that are only named right behind a no, or what puts them off: "wifi không mật khẩu" speaks of no password."""
        told = {
            (
                phrase.line,
                bool(at)
                and (
                    self.words[at - 1].text in negations()
                    or _PUT_OFF.search(self.raw[: self.words[at].start].lower()) is not None
                ),
            )
            for at, phrase in _phrases_in(self.words, synonyms().by_first)
        }
        return frozenset(line for line, no in told if no and (line, False) not in told)

    def called(self, lang: Lang) -> str:
        """What a name in another language is called in `lang`, where that is listed; else as it is."""
        listed = [synonyms().names[at] for at in sorted(self.lines)] if is_other(self.raw, lang) else []
        same = [names for names in listed if any(text_of(one).keys == self.keys for one in names)]
        return next((one for names in same for one in names if not is_other(one, lang)), self.raw)


def keys_of(typed: Sequence[WordToken]) -> tuple[str, ...]:
    """What words are compared by: folded, without English endings, however i is spelt, days of the week in words."""
    return tuple(
        _WEEKDAYS[word.folded]
        if at and typed[at - 1].folded == "thu" and word.folded in _WEEKDAYS
        else _FINAL_Y.sub("i", stem(word.folded))
        for at, word in enumerate(typed)
    )


def halves_in(typed: Sequence[WordToken], *, folded: bool = False) -> frozenset[int]:
    """The places of syllables that are half of a word which is never taken apart; `folded` looks at no accents."""
    return frozenset(at + phrase.line for at, phrase in _phrases_in(typed, whole_words(), folded=folded))


@cache
def whole_words() -> dict[str, list[Phrase]]:
    """Words of two syllables of which one stands, in all that is listed, only beside the other ("thoại" after "điện");
    the line of each is the place of the other, which may stand alone."""
    listed = {name.lower() for name in synonyms().every} | set(vietnamese_phrases())
    beside: dict[tuple[str, int], Counter[str]] = {}
    for name in listed:
        words = ["", *(word.text for word in tokens(name)), ""]
        for before, word, after in zip(words, words[1:], words[2:], strict=False):
            for side, other in enumerate((before, after)):
                beside.setdefault((word, side), Counter())[other] += 1
    bound = {one: next(iter(others)) for one, others in beside.items() if len(others) == 1 < others.total()}
    return _by_first(
        (1 if side else 0, f"{word} {other}" if side else f"{other} {word}")
        for (word, side), other in bound.items()
        if is_syllable(fold(word)) and is_syllable(fold(other)) and (other, 1 - side) not in bound
    )


@cache
def _bare_words() -> frozenset[str]:
    """The syllables that stand without accents in what is listed beside one with them: "thang lương"."""
    names = (tokens(name.lower()) for name in (*synonyms().every, *vietnamese_phrases()) if accents(name))
    return frozenset(
        one.text for name in names for one in name if not accents(one.text) and is_syllable(one.text)
    )


@cache
def _pairs_listed() -> frozenset[str]:
    """The listed words of two syllables, folded."""
    return frozenset(fold(name) for name in vietnamese_phrases() if name.count(" ") == 1)


@lru_cache(maxsize=2048)
def text_of(raw: str) -> Text:
    """The text, prepared once: the same passages are looked at for many questions."""
    return Text(raw)


class Coverage(NamedTuple):
    """`share` (0 to 1) of the question's telling words that a text holds, and the ones it does not, as typed.

    `closeness` (0 to 1) is the share of the question's neighbouring words that stand side by side in the text, or in a clause
    of it that speaks of all.
    """

    share: float
    unread: tuple[str, ...]
    closeness: float


class Question:
    """The telling words of a question, held against texts."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.language = detect(raw)
        typed = tokens(raw)
        marked = has_marks(token.text for token in typed)
        fillers = spans_of(_filler().find(raw))
        self._lines: dict[int, set[int]] = {}
        for place, phrase in _phrases_in(typed, synonyms().by_first):
            places = range(place, place + len(phrase.words))
            said = raw[typed[place].start : typed[place].end]
            if not marked and len(places) == 1 and not said.isupper() and _is_everyday(said):
                # "toi" is "tôi" sooner than "tối", and "it" is no department.
                continue
            if marked and len(places) == 1 and not accents(said) and accents(phrase.words[0].text):
                # Among words with accents one without is another: "Quy Nhơn" is no "quý".
                continue
            name = (typed[places[0]].start, typed[places[-1]].end)
            if not any(
                start <= name[0] and name[1] <= end and (start, end) != name for start, end in fillers
            ):
                for at in places:
                    self._lines.setdefault(at, set()).add(phrase.line)
        named = [(typed[at].start, typed[at].end) for at in self._lines]
        read = [*named, *(span for span in fillers if not _overlaps(span, named))]
        left = {word.start for word in without_everyday(raw, read)}
        idle = {at for at, word in enumerate(typed) if word.start not in left and at not in self._lines}
        everywhere = {
            at + more
            for at, phrase in _phrases_in(typed, _everywhere(), folded=True)
            for more in range(len(phrase.words))
        }
        spans = _own_figures(raw)
        own = {
            at for at, token in enumerate(typed) if any(start <= token.start < end for start, end in spans)
        }
        own |= {at + 1 for at in own if at + 1 < len(typed) and _UNIT.fullmatch(typed[at + 1].folded)}
        dated = {found.start() for found in _DATE.finditer(raw)}
        own |= {
            at - 1 for at in own if typed[at].start in dated and at and _UNIT.fullmatch(typed[at - 1].folded)
        }
        self.own_figures = frozenset(
            typed[at].folded
            for at in own
            if not _UNIT.fullmatch(typed[at].folded) or typed[at].folded.isdigit()
        )
        # "luong cua anh Tuan": a person's name is no word for a week, and no page's but one that names the person.
        self._persons = {
            at for at in range(1, len(typed)) if _is_title(raw, typed[at - 1]) and _is_name(raw, typed[at])
        }
        idle -= self._persons
        for at in self._persons:
            self._lines.pop(at, None)
        telling = [at for at in range(len(typed)) if at not in idle and at not in own]
        self._places = [at for at in telling if at not in everywhere or at in self._lines] or telling
        # What is more than a unit of time and number.
        self._things = [at for at in self._places if not _UNIT.fullmatch(typed[at].folded)]
        self._anywhere = everywhere - self._lines.keys()
        self._typed, self._keys, self._marked = typed, keys_of(typed), marked
        bare = (one.text for one in typed if not accents(one.text) and is_syllable(one.folded))
        self._written = marked and _bare_words().issuperset(bare)
        self._halves = halves_in(typed, folded=True)
        self._elsewise = named_elsewise(raw)
        self._named_by: dict[str, float] = {}

    @cached_property
    def asking(self) -> str:
        """The folded words and the commas between them, but for a "máy" that could be taken for "mấy"."""
        told, end = "", 0
        for at, token in enumerate(self._typed):
            other = token.folded == "may" and (token.text not in ("mấy", "may") or at in self._lines)
            pause = "," if at and _PAUSE.search(self.raw[end : token.start]) else ""
            told, end = f"{told}{pause} {'.' if other else token.folded}", token.end
        return told.lstrip()

    @property
    def tokens(self) -> tuple[WordToken, ...]:
        """The telling words."""
        return tuple(self._typed[at] for at in self._places)

    @property
    def words(self) -> tuple[str, ...]:
        """The telling words as typed."""
        return tuple(self.raw[self._typed[at].start : self._typed[at].end] for at in self._places)

    def keeps_numbers(self, told: str) -> bool:
        """Whether each number of the question stands in `told` in one clause with another word of it: a year of one
        event is not that of another."""
        numbers = [at for at in self._places if self._typed[at].folded.isdigit()]
        clauses = [text_of(clause) for clause in _CLAUSE.split(told)] if numbers else []
        return not self._things or all(
            any(self._held(at, one, frozenset()) and self._any(self._things, one) for one in clauses)
            for at in numbers
        )

    def keeps_figures(self, told: str) -> bool:
        """Whether the figure that is asked for stands in a sentence of `told` that speaks of something of the question, and of the
        one thing that it asks of not only as the place where something else happens ("nhận ở quầy lễ tân trước 17 giờ")."""
        asked = figure_request(self.raw)
        places = self._things
        if not (asked.figure and places):
            return True
        met = [text_of(one) for one in _SENTENCE.split(told) if asked.is_met(one)]
        alone = places == list(range(places[0], places[-1] + 1)) and not _is_place(self._typed, places[0])
        key = self._keys[places[0]]
        beside = [_is_place(one.words, at) for one in met for at, held in enumerate(one.keys) if held == key]
        return any(self._any(places, one) for one in met) and not (alone and beside and all(beside))

    def keeps_places(self, told: str) -> bool:
        """Whether, where it asks where, a clause of `told` that speaks of something of the question names a place."""
        return not _WHERE.search(self.asking) or any(
            _PLACE.search(one.lower()) and self._any(self._places, text_of(one))
            for one in _CLAUSE.split(told)
        )

    def keeps_gifts(self, told: str) -> bool:
        """Whether, where it asks if something is given, a sentence of `told` that speaks of something of the question gives:
        where cars are parked tells of no company car."""
        return not _ASKS_GIFT.search(self.raw.lower()) or any(
            any(self._held(at, text_of(one), frozenset()) for at in self._things)
            for one in _SENTENCE.split(told)
            if _GIVES.search(one.lower())
        )

    def keeps_objects(self, told: str) -> bool:
        """Whether, where it asks what or which of something ("ngân hàng nào", "kinh doanh gì"), a clause of `told` goes on
        behind the word for it: at the end of one nothing more is told of it."""
        named = {place for at in self._things for place in (at, at + 1)}
        asked = [at for at in named if _WHICH.match(" ".join(self._keys[at + 1 : at + 3]))]
        clauses = [text_of(one).words for one in _CLAUSE.split(told)] if asked else []

        def said(at: int, words: Sequence[WordToken]) -> bool:
            return any(
                accents_agree(self._typed[at].text, one.text)
                for one in words
                if one.folded == self._typed[at].folded
            )

        return all(
            any(said(at, one[:-1]) for one in clauses) or not any(said(at, one[-1:]) for one in clauses)
            for at in asked
        )

    def is_only_denied(self, text: str) -> bool:
        """Whether it asks what something is, or a figure of it, of which `text` only says that there is none, or not yet."""
        asked = _WHAT_IS.search(self.asking) or figure_request(self.raw).figure
        asked = asked and not re.search(fold(_LATER), self.asking)
        return bool(asked) and not text_of(text).denied.isdisjoint(chain(*self._lines.values()))

    def keeps_denials(self, told: str) -> bool:
        """Whether each telling word that a no stands before is denied in `told` too: "nghỉ không lương" is no paid leave."""

        def denies(words: Sequence[WordToken]) -> bool:
            return any(word.text.lower() in negations() for word in words)

        denied = [at for at in self._places if denies(self._typed[max(0, at - 2) : at])]
        clauses = map(text_of, _CLAUSE.split(told)) if denied else ()
        denying = [one for one in clauses if denies(one.words)]
        return all(any(self._held(at, clause, frozenset()) for clause in denying) for at in denied)

    def _any(self, places: Sequence[int], text: Text) -> bool:
        # In another language it stands by another name.
        other = frozenset[str]() if self.language == text.language else self._elsewise(text.raw)
        return any(self._keys[at] in text.forms or self._held(at, text, other) for at in places)

    def likeness(self, text: Text) -> float:
        """How much `text` says it in the same words, 0 to 1: the share of the telling words that stand in it themselves,
        not by another name, and of all neighbours that are neighbours in it."""
        pairs = list(pairwise(self._keys))
        beside = sum(pair in text.pairs for pair in pairs) / len(pairs) if pairs else 0.0
        itself = sum(self._keys[at] in text.forms for at in self._places) / max(1, len(self._places))
        return round((beside + itself) / 2, 4)

    def uses_figures(self, told: str) -> bool:
        """Whether the asker's own figures all stand in `told`: else a figure of it may not be the one asked for."""
        # "Một năm" is how the question counts, no figure of the asker's.
        whole = _GROUPED.sub(lambda found: found[0] if found[0] in self.raw else " ", told)
        return self.own_figures - {"mot", "one"} <= {word.folded for word in text_of(whole).words}

    @property
    def subjects(self) -> int:
        """How many of the telling words are more than units of time and number ("ngày", "lần") and what every page is of ("công ty")."""
        return sum(at not in self._anywhere for at in self._things)

    @property
    def is_bare(self) -> bool:
        """Whether it tells of one syllable at most ("ai duyệt", "sửa sao"): what that is of is said elsewhere."""
        told = self._things
        if len(told) != 1 or self.language != "vi" or not is_syllable(self._typed[told[0]].folded):
            return not told
        lines = self._lines.get(told[0], set())
        beside = self._lines.get(told[0] - 1, set()) | self._lines.get(told[0] + 1, set())
        return not lines & beside

    @property
    def names(self) -> str:
        """What it names of what is known here, as typed."""
        return " ".join(self.raw[self._typed[at].start : self._typed[at].end] for at in sorted(self._lines))

    @property
    def names_something(self) -> bool:
        """Whether any of it names something that is known here."""
        return bool(self._lines)

    @property
    def is_topic(self) -> bool:
        """Whether it only names things that are known here or by a code ("db-02"), and units of time and number."""
        coded = {len(tokens(self.raw[: found.start()])) for found in _CODE.finditer(self.raw)}
        return bool(self._things) and all(at in self._lines or at in coded for at in self._things)

    def named_by(self, title: str) -> float:
        """How much of what a title says stands in the question, 0 to 1."""
        if title not in self._named_by:
            self._named_by[title] = self._share_of(title)
        return self._named_by[title]

    def _share_of(self, title: str) -> float:
        subject = title_subject(title)
        if not subject:
            return 0.0
        typed = f" {' '.join(token.folded for token in self._typed)} "
        if f" {subject} " in typed:
            return 1.0
        return question_of(subject).coverage(text_of(self.raw)).share

    def coverage(self, text: Text) -> Coverage:
        """How much of the question `text` speaks of; 0 for a question that has no telling word."""
        if not self._places:
            return Coverage(0.0, (), 0.0)
        other = self._elsewise(text.raw)
        unread = [at for at in self._places if not self._held(at, text, other)]
        pairs = list(pairwise(self._places))
        if unread:
            pairs = [(one, two) for one, two in pairs if two == one + 1]
            close = sum(self._side_by_side(*pair, text) or self._named(pair[0], text) for pair in pairs)
        else:
            # Syllables of one name stand together anyway.
            pairs = [pair for pair in pairs if not self._lines_of(pair[0]) & self._lines_of(pair[1])]
            close = sum(self._beside(*pair, text) for pair in pairs)
        return Coverage(
            round(1 - len(unread) / len(self._places), 4),
            tuple(self.raw[self._typed[at].start : self._typed[at].end] for at in unread),
            round(close / len(pairs), 4) if pairs else 1.0,
        )

    def _lines_of(self, at: int) -> set[int]:
        return self._lines.get(at, set())

    def _named(self, at: int, text: Text) -> bool:
        return not self._lines_of(at).isdisjoint(text.lines)

    def _side_by_side(self, one: int, two: int, text: Text) -> bool:
        return two == one + 1 and (self._keys[one], self._keys[two]) in text.pairs

    def _beside(self, one: int, two: int, text: Text) -> bool:
        """Whether two words stand side by side in `text`, or in one clause of it where it is not asked what something is."""
        if self._side_by_side(one, two, text):
            return True
        # A word of two syllables by another name is no two words.
        same = self.language == text.language
        if same and _WHAT_IS.search(self.asking):
            return False
        others = ((part, frozenset[str]() if same else self._elsewise(part.raw)) for part in text.clauses)
        return any(self._held(one, part, other) and self._held(two, part, other) for part, other in others)

    def _apart(self, at: int, text: Text) -> bool:
        """Whether a word is half of a listed word of two syllables, neither a name of its own ("trả lương"), of which `text` has no half beside the other."""
        pairs = [
            (self._keys[one], self._keys[one + 1])
            for one in (at - 1, at)
            if {one, one + 1} <= {*self._places} - self._lines.keys()
            and f"{self._typed[one].folded} {self._typed[one + 1].folded}" in _pairs_listed()
        ]
        return bool(pairs) and text.pairs.isdisjoint(pairs)

    def _held(self, at: int, text: Text, other: frozenset[str]) -> bool:
        word = self._typed[at]
        lines = self._lines.get(at, set())
        if at in self._persons:
            return any(one.folded == word.folded and _is_name(text.raw, one) for one in tokens(text.raw))
        if at and self._typed[at - 1].folded in _COUNT_WORDS and word.folded in _span_words():
            # "mấy tháng" asks how long: days tell it too.
            return any(_measured(unit).search(fold(text.raw)) for unit in _SPANS)
        if not lines.isdisjoint(text.lines) or word.folded in other:
            return True
        if word.folded in _units()["money"] and _measured("money").search(fold(text.raw)):
            # "tiền khách sạn" is spoken of by what it may cost.
            return True
        if lines & (self._lines.get(at - 1, set()) | self._lines.get(at + 1, set())) or self._apart(at, text):
            # A name of several words is held as a whole, not by its syllables.
            return False
        key = self._keys[at]
        held = (text.forms if at in self._halves else text.free).get(key, ())
        if self._written and word.text in _bare_words():
            # Among words with accents a word that is one without them is no other: "thang lương" is no "tháng lương".
            held = {one for one in held if not accents(one)}
        if self._marked and len(self._places) == 1:
            # What is told by one word alone is told by that word: "mang" among words with accents is no "mạng".
            held = {one for one in held if accents_agree(one, word.text)}
        # A digit that stands for a word has no accents of its own.
        same = not self._marked or key != word.folded or any(_agree(word.text, one) for one in held)
        return bool(held) and same


def _is_place(typed: Sequence[WordToken], at: int) -> bool:
    """Whether a place is meant by the word `at`, or by the one before: "ở quầy lễ tân"."""
    return any(word.text.lower() in _AT_PLACE for word in typed[max(0, at - 2) : at])


def _is_title(raw: str, word: WordToken) -> bool:
    """Whether a word stands before the name of a person: "anh Tuấn"."""
    return word.folded in _titles() and not raw[word.start : word.end].isupper()


def _is_name(raw: str, word: WordToken) -> bool:
    said = raw[word.start : word.end]
    return len(said) > 1 and said.istitle()


@cache
def _titles() -> frozenset[str]:
    return frozenset(map(fold, read_lists(FOLDER / "titles.txt")["person"]))


@cache
def _span_words() -> frozenset[str]:
    return frozenset(word for unit in _SPANS for word in _units()[unit])


def _agree(typed: str, wanted: str) -> bool:
    """Whether accents agree, "lí" being "lý", and a tone that was left out being any ("gưi" may be "gửi")."""
    mine, theirs = typed.translate(_Y), wanted.translate(_Y)
    shape, _, tones = accents(mine).partition("|")
    return accents_agree(mine, theirs) or (not tones and shape == accents(theirs).partition("|")[0])


def _own_figures(raw: str) -> list[tuple[int, int]]:
    """Where the asker's own figures stand: numbers of something ("6 lần", "15tr", "three times") and dates, which no
    page need hold."""
    dates = [found.span() for found in _DATE.finditer(raw)]
    clocks = [found.span() for found in _CLOCK.finditer(raw)]
    counted = [
        (amount.start, amount.end)
        for amount in find_amounts(raw)
        if amount.unit
        or amount.value >= LEAST_PAY
        or _SCALED.search(fold(raw[amount.start : amount.end]))
        or _COUNTED.match(fold(raw[amount.end :]))
    ]
    folded, offsets = fold_in_place(raw)
    spelt = [span_in_place(offsets, len(raw), *found.span()) for found in _SPELT.finditer(folded)]
    return [*dates, *clocks, *counted, *spelt]


def phrases_of(raw: str, words: Sequence[str]) -> tuple[str, ...]:
    """`words` of `raw`, those with only a blank between them as one: half of "Hà Nội" is no word to tell of, nor "gái" of "con gái"."""
    found: list[tuple[int, int]] = []
    at, named = 0, names_in(raw)
    for word in words:
        start = raw.find(word, at)
        if start < 0:
            return tuple(words)
        at = start + len(word)
        begin = _opening(raw, start) if fold(word) in _enders() else start
        first, last = next((one for one in named if one[0] <= begin and at <= one[1]), (begin, at))
        joined = bool(found) and not raw[found[-1][1] : first].strip()
        found[-1:] = [(found[-1][0], max(last, found[-1][1]))] if joined else [*found[-1:], (first, last)]
    return tuple(dict.fromkeys(raw[start:end] for start, end in found))


def _opening(raw: str, start: int) -> int:
    """Where the word begins that stands before `start` with only a blank between, but for the end of a listed one ("công ty")."""
    before = re.search(r"(?:(\w+) )?(\w+) +$", raw[:start])
    if before is None or fold(f"{before[1]} {before[2]}") in _pairs_listed() | _everywhere_listed():
        return start
    return before.start(2)


@cache
def _everywhere_listed() -> frozenset[str]:
    return frozenset(read_lists(FOLDER / "titles.txt")["everywhere"])


@cache
def _enders() -> frozenset[str]:
    """The folded syllables that in all that is listed only end a word of several."""
    names = [name.lower().split() for name in (*synonyms().every, *vietnamese_phrases())]
    opening = {fold(one) for name in names for one in name[:1]}
    return (
        frozenset(fold(name[-1]) for name in names if len(name) > 1 and is_syllable(fold(name[-1]))) - opening
    )


@lru_cache(maxsize=256)
def question_of(raw: str) -> Question:
    """The question, read once."""
    return Question(raw)


@lru_cache(maxsize=2048)
def title_subject(title: str) -> str:
    """The subject of a title, folded: without the kind of document, a year, a version and brackets."""
    lists = read_lists(FOLDER / "titles.txt")
    words = [token.folded for token in tokens(title.partition("(")[0])]
    while words and (words[-1].isdigit() or words[-1] in lists["ending"]):
        words.pop()
    kinds = sorted((kind.split() for kind in lists["kind"]), key=len, reverse=True)
    first = next((kind for kind in kinds if words[: len(kind)] == kind), [])
    return " ".join(words[len(first) :])


@cache
def negations() -> frozenset[str]:
    """The words that turn a sentence round, in small letters."""
    return frozenset(read_lists(FOLDER / "negation.txt")["negation"])


@cache
def listed_words() -> frozenset[str]:
    """The folded words of all names and fillers: none of them is a slip."""
    fillers = [phrase for phrases in read_lists(FOLDER / "filler.txt").values() for phrase in phrases]
    return frozenset(word.folded for text in (*fillers, *synonyms().every) for word in tokens(text))


def names_in(raw: str) -> list[tuple[int, int]]:
    """Where names of several words of synonyms.txt stand in `raw`."""
    typed = tokens(raw)
    found = [(at, len(phrase.words)) for at, phrase in _phrases_in(typed, synonyms().by_first)]
    return [(typed[at].start, typed[at + many - 1].end) for at, many in found if many > 1]


@cache
def known_names() -> str:
    """All that synonyms.txt names, in small letters, a name a line."""
    return "\n".join(synonyms().every).lower()


class Synonyms(NamedTuple):
    """The names of each line of synonyms.txt, its phrases by their first folded word, and every name."""

    names: tuple[tuple[str, ...], ...]
    by_first: dict[str, list[Phrase]]
    every: tuple[str, ...]


@cache
def synonyms() -> Synonyms:
    """The words of one office that mean the same."""
    lines = [
        tuple(name.strip() for name in line.replace("||", "|").split("|") if name.strip())
        for line in (FOLDER / "synonyms.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    names = [(number, name) for number, names in enumerate(lines) for name in names]
    return Synonyms(tuple(lines), _by_first(names), tuple(name for _, name in names))


@cache
def _filler() -> Lexicon:
    """Words that say nothing of a question's subject here, beside those that say nothing anywhere."""
    return Lexicon.load(FOLDER / "filler.txt")


@cache
def _is_everyday(word: str) -> bool:
    """Whether a word without accents is read as one that says nothing of a subject."""
    return not without_everyday(word) or bool(_filler().find(word))


def _overlaps(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


@cache
def _everywhere() -> dict[str, list[Phrase]]:
    return _by_first(enumerate(sorted(_everywhere_listed())))


def _by_first(phrases: Iterable[tuple[int, str]]) -> dict[str, list[Phrase]]:
    found: dict[str, list[Phrase]] = {}
    for line, text in phrases:
        words = tuple(tokens(text))
        if words:
            found.setdefault(words[0].folded, []).append(Phrase(line, words))
    return found


def _phrases_in(
    typed: Sequence[WordToken], by_first: dict[str, list[Phrase]], *, folded: bool = False
) -> list[tuple[int, Phrase]]:
    """The longest listed phrases, left to right, none inside another, with the place of their first word; one that ends in
    the midst of a longer one is none ("số ngày làm việc từ xa").

    `folded` looks at no accents.
    """
    found, end = list[tuple[int, Phrase]](), 0
    fitting = [_fitting(typed, at, by_first, folded=folded) for at in range(len(typed))]
    longest = [max((len(one.words) for one in here), default=0) for here in fitting]
    for at, most in enumerate(longest):
        inside = range(at + 1, at + most)
        if at >= end and not any(longest[one] > most and one + longest[one] > at + most for one in inside):
            found += [(at, one) for one in fitting[at] if len(one.words) == most]
            end = at + most
    return found


def _fitting(
    typed: Sequence[WordToken], at: int, by_first: dict[str, list[Phrase]], *, folded: bool
) -> list[Phrase]:
    """The listed phrases that begin at a place."""
    found = [(one, typed[at : at + len(one.words)]) for one in by_first.get(typed[at].folded, ())]
    return [
        one
        for one, said in found
        if [word.folded for word in said] == [word.folded for word in one.words]
        and (
            folded
            or all(accents_agree(word.text, own.text) for word, own in zip(said, one.words, strict=True))
        )
    ]


# --- What kind of figure a question asks for

# What a text gains by a figure of the unit that is asked for, and by any figure.
_RIGHT_UNIT, _ANY_FIGURE = 0.45, 0.15
_FIGURE = rf"(?:\d+(?:[.,]\d+)*|\b(?:{'|'.join(NUMBERS)})\b)"
_MONEY_OR_SHARE = r"\d[\d.,]*\s?(?:%|vnd|trieu|dong|nghin)"
_PHONE = re.compile(r"(?<!\d)(?:\d[\d .]{2,14}\d)(?!\d)|\S+@\S+\.\w+")
_MOMENT = re.compile(
    r"\b(?:ngay|thang|quy|thu|luc|nam|mung|mong|day|on|at|by|in)\s+(?:\d|(?:hai|ba|tu|nam|sau|bay)\b)|\d\s*(?:gio|h|am|pm|th)\b"
    r"|\b(?:trong|truoc|sau|within|after|before|until)\s+(?:vong\s+)?\d|\b(?:cuoi|dau|hang|moi)\s+(?:quy|thang|nam|tuan|ngay)\b"
    r"|\bchu nhat\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\bngay (?:trong ngay|khi)\b|\b\d{1,2}[/:]\d{1,2}"
)
# What asks for a day, of a month that it names itself or more exactly than was told, and what tells a day.
_WHICH_DAY = re.compile(
    r"\b(?:ngay|hom|mung|mong|thu) (?:may|nao|bao nhieu)\b|\b(?:what|which|exact) (?:exact )?(?:day|date)\b"
)
_IN_MONTH = r"january|february|march|april|june|july|august|september|october|november|december"
_EXACTLY = re.compile(
    rf"\bthang (?:\d|hai|ba|tu|nam|sau|bay|tam|chin|muoi)|\b(?:{_IN_MONTH}|cu the|chinh xac|exact(?:ly)?|precise(?:ly)?)\b"
)
_DAY = re.compile(
    rf"\b(?:ngay|hom|days?|mung|mong|thu (?:[2-7]|hai|ba|tu|nam|sau|bay)|chu nhat|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    rf"|\b\d{{1,2}}/\d{{1,2}}\b|\b(?:dau|giua|cuoi) thang\b|\b(?:{_IN_MONTH}) \d|\d(?:st|nd|rd|th)?(?: of)? (?:{_IN_MONTH})"
)
_TIMES = ("hour", "minute", "second", "day", "week", "month", "year")
_ASKED = r"(?:bao nhieu|may|how many|how much|what)"
_A_COUNT = r"(?<!\d)(?!(?:19|20)\d\d\b)\d+(?:[.,]\d+)*\s+(?:[a-z]+\s+)?"
# Sums of money are no numbers to call.
_NUMBER_TO_CALL = r"(?<![\d.])(?:\d{4,11}|0\d[\d .]{6,12})(?![\d.]*\d|\s*(?:vnd|dong))"
# A person, a role or a department, or how to reach one: a page that names none does not tell who; those who are counted
# are nobody in particular.
_SOMEBODY = re.compile(
    r"(?<!\d )\b(?:phòng|bộ phận|ban|quản lý|trưởng|giám đốc|sếp|lễ tân|kế toán|nhân sự|bảo vệ|công đoàn|nhân viên|lao động|người|khách"
    r"|ông|bà|anh|chị|mẹ|vợ|chồng|con|it|hr|cả công ty|ai|head|manager|director|ceo|department|team|board|union|reception\w*"
    r"|staff|employees?|people|person|visitors?|guests?|mr|ms|mrs|anyone|(?<!năm )(?<!in )\d{4})\b|\S@\S"
).pattern
# Who somebody is, is told by a name.
_NAMED = r"\b(?:[Ôô]ng|[Bb]à|[Aa]nh|[Cc]hị|M(?:r|s|rs))\.? [A-ZĐ]|\b(?:là|is|are) (?:[A-ZÀ-Ỹ]\w* )+[A-ZÀ-Ỹ]"
# What something is called, is told by a word with a capital that begins no sentence.
_CALLED = r"[^\W\d_] [A-ZĐ]"
# What asks for an address, a number to call or a person, and what such a one looks like.
_ADDRESSES = (
    (r"\b(?:ai la(?! nguoi)|la ai|who(?: is|'s| are) (?:the|our|your|my))\b", _NAMED),
    (r"\bten (?:la )?(?:gi|j)\b", _CALLED),
    (r"\b(?:email|mail)\b.*\b(?:gi|nao|address)\b|\b(?:dia chi|what\b.*) (?:email|mail)\b", r"\S@\S"),
    (r"\b(?:so dien thoai|sdt|hotline|so may|phone number|number of)\b", _NUMBER_TO_CALL),
    (r"(?<!co )\b(?:ai|who|whom)\b", _SOMEBODY),
)
# What tells a reason; "để" before a thing leaves it be.
_REASON = re.compile(
    r"\b(?:do|vi|boi|nham|tranh|because|due to|in order to|so that|since)\b|\bde (?:giu|khoa|lay|xoa|tham gia|giup|bao|phong|khong)\b"
)
# What asks for a time of day and no length of time, and what tells one.
_WHAT_TIME = re.compile(r"(?:^|\b(?:luc|tu|den|toi|truoc|sau|tam|khoang) )may gio\b|\bwhat time\b")
_TIME_OF_DAY = re.compile(
    r"(?<!trong )(?<!vong )(?<!within )(?<!\d)(?:[01]?\d|2[0-4])\s*(?:gio|h|:[0-5]\d|am|pm|a\.m|p\.m|o'?clock)(?![a-z])"
)
# A number that is no part of a name, and the word after it, which it may count; what only goes on after a number.
_COUNTS = re.compile(rf"(?<![\w.,/-]){_FIGURE}(?:[\s-]+([a-z]+))?")
# A time of day, a date and a number to call are no amount.
_NO_AMOUNT = re.compile(
    r"\b(?:tu|den|toi|luc|truoc|sau|at|by|from|to|until) \d+ ?(?:gio|h|am|pm)\b(?: \d+)?|\bgio \d+|\d+/\d+|\b(?:so|number) \d+"
)
_GOES_ON = re.compile(
    r"va|hoac|den|toi|tro|moi|hang|khi|neu|thi|la|trong|truoc|sau|vao|and|or|to|for|per|an?|each|every|at|in|on|of|if|when"
)
_HOW_MANY = re.compile(r"\b(?:bao nhieu|may|how many)\s+")


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """What kind of figure answers: `units` are names of units ("hour"), `things` the names of what is counted ("how
    many branches"), `figure` any figure, `contact` a number to call, `reason` why something is so, `clock` a time of day, `day` a day of
    a month, as typed."""

    units: frozenset[str] = frozenset()
    things: tuple[str, ...] = ()
    moment: bool = False
    figure: bool = False
    contact: bool = False
    address: str = ""
    reason: bool = False
    clock: bool = False
    day: str = ""
    said: frozenset[str] = frozenset()

    @property
    def counts_things(self) -> bool:
        """Whether it asks how many of something there are: that is a subject of its own."""
        return bool(self.things or self.units - set(_TIMES) - {"money"})

    def is_met(self, told: str) -> bool:
        """Whether a text holds the kind of figure that is asked for, where one is."""
        if self.address and not re.search(
            self.address, told if self.address in (_NAMED, _CALLED) else told.lower()
        ):
            return False
        told = fold(told)
        if self.reason and not _REASON.search(told):
            return False
        if not self.figure:
            return True
        if (self.clock and not _TIME_OF_DAY.search(told)) or self.lacks_day(told):
            return False
        if self.units & _CALENDAR and any(_measured(unit).search(told) for unit in _CALENDAR):
            return True  # "mấy tháng" is told by "60 ngày"
        named = self.units or self.things or self.moment
        return self.bonus(told) >= (_RIGHT_UNIT if named else _ANY_FIGURE)

    def lacks_day(self, told: str) -> bool:
        """Whether a day is asked for more exactly than a text tells it."""
        return bool(self.day) and not _DAY.search(fold(told))

    def bonus(self, told: str) -> float:
        """What a folded text gains by holding the figure that is asked for."""
        asked = [*[_PHONE] * self.contact, *[_MOMENT] * self.moment]
        asked += [*map(_measured, self.units), *map(_counted, self.things)]
        if any(one.search(told) for one in asked):
            return _RIGHT_UNIT
        return _ANY_FIGURE if self.figure and self._holds_figure(told) else 0.0

    def _holds_figure(self, told: str) -> bool:
        """Whether a number stands in a folded text that counts nothing the question does not speak of: "30 chỗ" is no price."""
        measures = {word for words in (*_units().values(), _figure_lists()["measure"]) for word in words}
        counted = (found[1] or "" for found in _COUNTS.finditer(_NO_AMOUNT.sub(" ", told)))
        return any(
            not word or word in measures or word in self.said or _GOES_ON.fullmatch(word) for word in counted
        )


@lru_cache(maxsize=512)
def figure_request(question: str) -> FigureRequest:
    """What kind of figure `question` asks for, by the lists of lexicons/figures.txt."""
    text = question_of(question).asking
    units = {unit for unit, words in _units().items() if _asks_in(text, words)}
    if _has(text, "span") and not units:
        units.update(_TIMES)
    moment = _has(text, "moment")
    things = () if units or moment else tuple(_things_counted(question_of(question)))
    figure = bool(units or things) or moment or _has(text, "amount") or _has(text, "span")
    address = next((pattern for asked, pattern in _ADDRESSES if re.search(asked, text)), "")
    reason = re.search(r"\b(?:tai sao|vi sao|sao lai|vi ly do gi|ly do|nguyen nhan|why)\b", text) is not None
    clock = _WHAT_TIME.search(text) is not None
    contact = _has(text, "contact")
    said = frozenset(word.folded for word in question_of(question).tokens)
    typed = nfc(question)
    which = _WHICH_DAY.search(fold(typed)) if _EXACTLY.search(text) else None
    day = typed[slice(*which.span())] if which else ""
    return FigureRequest(frozenset(units), things, moment, figure, contact, address, reason, clock, day, said)


def _things_counted(question: Question) -> Iterator[str]:
    """The folded names of the thing that a question asks the number of: as it is said, and by its other names."""
    telling = {fold(word) for word in question.words}
    for asked in _HOW_MANY.finditer(question.asking):
        rest = tokens(question.asking[asked.end() :])[:2]
        if not rest or rest[0].start or rest[0].folded not in telling:
            continue
        said = " ".join(word.folded for word in rest)
        names = [
            fold(name)
            for listed in synonyms().names
            for name in listed
            if any(fold(other) in (said, rest[0].folded) for other in listed)
        ]
        yield from (rest[0].folded, *names)


def _asks_in(text: str, words: Sequence[str]) -> bool:
    """Whether the question names a unit after "bao nhiêu", "mấy" or "how many"."""
    names = "|".join(map(re.escape, words))
    return (
        re.search(rf"\b{_ASKED}\s+(?:(?!mot |moi |per |a |an )[a-z]+\s+)?(?:{names})(?!\w)", text) is not None
    )


def _has(text: str, name: str) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in _figure_lists()[name])


@cache
def _measured(unit: str) -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, _units()[unit]), key=len, reverse=True))
    return re.compile(rf"{_FIGURE}[\s-]*(?:{names})(?!\w)|(?:{names})\s+\d")


@lru_cache(maxsize=512)
def _counted(thing: str) -> re.Pattern[str]:
    """A number of `thing`, or a sum of money that stands after it."""
    name = rf"\b{re.escape(thing)}\b"
    return re.compile(rf"(?:{_A_COUNT}|{_FIGURE}\s+){name}|{name}[^.;,]{{0,30}}?{_MONEY_OR_SHARE}")


@cache
def _figure_lists() -> dict[str, tuple[str, ...]]:
    return read_lists(FOLDER / "figures.txt")


@cache
def _units() -> dict[str, tuple[str, ...]]:
    lists = _figure_lists().items()
    return {name.removeprefix("unit_"): words for name, words in lists if name.startswith("unit_")}
