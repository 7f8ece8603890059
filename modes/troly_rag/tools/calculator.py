"""math_tool: works out what a rule of a document comes to for the asker: so much a day, per cent of pay.

The rule's figures come from the documents' sentences, the others from the asker's words; the sum is shown, and nothing
is guessed: where a figure is missing there is no result. Plain arithmetic of a question is left to `arithmetic`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from troly.text.catalogue import LANGS, Lang
from troly.text.dates import HCM, Unit, add, days_in_full, find_ranges, format_date, make_date
from troly.text.fold import fold, nfc
from troly.text.language import is_other
from troly.text.match import blank_out, spans_of
from troly.text.numbers import Amount, find_amounts, format_number, rounded
from troly_rag.answer.grounding import claims_of
from troly_rag.corpus.coverage import (
    LEAST_PAY,
    NUMBERS,
    UNITS,
    Text,
    figure_request,
    question_of,
    text_of,
)
from troly_rag.routing.lexicons import tool_words
from troly_rag.routing.questions import SUPPORT, WEEKDAY, asks, beside_date_sum, date_sum_in, spaced
from troly_rag.strings import say
from troly_rag.tools.arithmetic import DAILY_HOURS, WORKING_DAYS, CalculationError, answer, goes_on_with_sum
from troly_rag.tools.counted_things import EVERY, NO_COUNT, paid_for_each, things_in
from troly_rag.tools.deadlines import WEEKDAY_NAMES, due, nearest
from troly_rag.tools.documents import evidence_of
from troly_rag.tools.interface import ToolError, ToolInputs, ToolResult
from troly_rag.tools.limits import asks_left_or_over, left_or_over, with_cost

if TYPE_CHECKING:
    from troly_rag.corpus.search import Passage

# Rules are looked for in so many of the passages found.
_PAGES = 3
# Births that say how many children there are.
_BIRTHS = ((re.compile(r"\b(?:sinh doi|song sinh|twins)\b"), 2), (re.compile(r"\b(?:sinh ba|triplets)\b"), 3))
_DATED = re.compile(r"\b(?:thang 0 ?nam|(?:ngay|mung|mong) 0 ?thang)\b")
_SPELT = re.compile(rf"\b({'|'.join(NUMBERS)})\s+({'|'.join(UNITS.values())})\b")
_BARE = re.compile(r"(x)?(x)?")
_PAY = re.compile(r"\b(?:luong|pay|salary|wage)\b")
_MONEY = re.compile(r"\b(?:tien|money|cash|vnd)\b")
_HOURLY = re.compile(r"\b(?:luong gio|luong mot gio|moi gio|mot gio|hourly|an hour|per hour)\b")
# What stands between two counts of one message; each count with its unit.
_AND = re.compile(r",(?!\d)|[;\n+]|\b(?:và|va|and|cộng|rồi|then|plus)\b", re.IGNORECASE)
_COMMA = re.compile(r",(?!\d)|;")
_HOURS = re.compile(r"(?=\b\d+(?:[.,]\d+)?\s*(?:giờ|gio|tiếng|tieng|hours?)\b)", re.IGNORECASE)
_DAYS = re.compile(r"\b(\d+(?:[.,]\d+)?)\s*(?:ngày|ngay|days?)\b(?! (?:công|cong|tháng))", re.IGNORECASE)
_OVERTIME = "làm thêm"
_OVER = re.compile(r"\b(?:qua|tren|hon|more than|over)\s+(\d+)\s+(\w+)")
_DIVIDED = re.compile(
    r"\b(?:luong|salary|pay)[\w ]{0,20}?(?:chia|divided by|over)\s+(\d+)\s+(?:ngay|days|working)"
)
# Of days that are left over so many are carried over, and the rest is paid.
_CARRIED = re.compile(
    r"\b(?:chuyen|carried over|carry over)\b[\w ]{0,20}?\b(?:toi da|up to|at most)?\s*(\d+)\s+(?:ngay|days?)\b"
)
_CARRIED_WORD = re.compile(r"\b(?:chuyen|carr(?:y|ied))\b")
_ASKS_CARRIED = re.compile(
    r"\bchuyen\b[\w ]{0,20}\b(?:may|bao nhieu) ngay\b|\bhow many\b[\w ]{0,20}\bcarr(?:y|ied)\b"
)
# What is left, counted itself.
_LEFT = re.compile(
    r"\b(?:con lai|remaining|left)\b(?:\W+[a-z]+){0,2}\W+\d|\b\d+ (?:ngay|days?) (?:con lai|remaining|left)\b"
)
_UNUSED = re.compile(r"\b(?:con|du|thua|chua (?:dung|nghi|xai|su dung)|left|unused|remain\w*)\b")
_REST = re.compile(
    r"\b(?:(?:phan|so) (?:khong|chua) (?:duoc )?chuyen|phan con lai|so con lai|phan du|ngoai (?:so|phan)|the rest|the remainder|vuot)\b"
)
# A count of that rest itself ("phần dư 4 ngày"), not of all days with the rest asked for.
_COUNTED_REST = re.compile(
    rf"{_REST.pattern}(?:\W+[a-z]+){{0,5}}\W+\d+\s*(?:ngay|days?)\b|\b\d+ (?:ngay|days?) (?:\w+ )?{_REST.pattern}"
)
# What rules grant beside money, and from which one on ("từ con thứ hai").
_GRANTED = ("day", "month")
_FROM_THE = re.compile(r"\s*(?:tu|from)\s+(?:\w+\s+)?(?:thu|the)\s+(hai|ba|bon|nam|two|three)\b")
# So many months' pay for so many months of work, and what a grade adds; the grade from so many points on.
_FOR_A_YEAR = re.compile(r"\bdu (\d+) thang\b.*?\bbang (\d+(?:[.,]\d+)?) thang luong")
_ADDED = re.compile(r"\bloai ([a-z]) duoc them (\d+(?:[.,]\d+)?) thang")
_WORKED = re.compile(r"\b(?:lam|cong tac|gan bo|tham nien|worked|working|been|employed)\b[^\d.;,?]{0,20}$")
_GRADE = re.compile(r"\b(?:loai|hang|grade) ([a-d])\b")
_LETTER = re.compile(r"(?<![\w.-])([A-D])(?![\w.-])")
# How many points are lacking to a grade.
_SHORT_OF = re.compile(
    r"\b(?:thieu|can|kem|nua|short|more|away)\b(?:[\w ]*\b)?(?:loai|hang|grade|len|reach|get an?) (?:loai |hang |grade )?([a-d])\b"
)
_FROM, _BELOW = re.compile(r"\b([a-z]) tu (\d+)"), re.compile(r"\bduoi (\d+)(?: diem)? la ([a-z])\b")
_MONTHLY, _FIRST_OF_MONTH = (
    re.compile(r"\bngay (\d{1,2}) hang thang\b"),
    re.compile(r"\b(chu nhat|thu \w+) dau thang\b"),
)
# The day of a rule as the asker tells it ("mùng 5 rơi vào thứ bảy"), and the turn that comes.
_RESTATED = re.compile(
    rf"\b(?:ngay|hom|mung|mong|the) (\d{{1,2}})(?:st|nd|rd|th)? (?:(?:lai|no|bi|roi|trung|nham|vao|dung|la|falls?|is|on|a) )*({'|'.join(WEEKDAY_NAMES)})\b"
)
_TURN = re.compile(r"\b(?:lan|ky|dot)\b")
_WEEKDAYS = ("thu hai", "thu ba", "thu tu", "thu nam", "thu sau", "thu bay", "chu nhat")
_RESULT = re.compile(r"= ([^;\n]+)")
_YEAR = re.compile(r"(?<![0-9/])(?:19|20)[0-9]{2}(?![0-9])")
# A share of pay is that of the question when this much of its clause stands in it.
_SPOKEN_OF, _HALF, _WHOLE, _FEWEST_GRADES, _FEWEST_NAMED = 0.6, 0.5, 100, 2, 3
# A working day by its name, no "second" or "third" of something.
_WORKDAY = re.compile(
    r"(?<!lan )(?<!con )(?<!nguoi )(?<!thang )(?<!nam )(?<!tuan )\b(?:(?:sang|trua|chieu|toi|dem|ngay|hom|buoi) )*thu (?:hai|ba|tu|nam|sau|[2-6])\b(?! (?:hai|ba|tu|nam|sau|nhat))"
    r"|\b(?:mon|tues|wednes|thurs|fri)days?\b"
)
_NEAR_DAYS = {"mai": 1, "tomorrow": 1, "qua": -1, "yesterday": -1}
_DATE_UNITS: dict[str, Unit] = {"ngay": "day", "day": "day", "tuan": "week", "week": "week", "thang": "month", "month": "month", "nam": "year", "year": "year"}  # fmt: skip
_TAKEN_OFF = ("-", "–", "−", "tru", "minus", "truoc", "before")
_MONTH, _SATURDAY, _MONTHS = timedelta(days=31), 5, 12
_HOUR_WORD, _DAY_WORD = (
    r"(?:gio|tieng|hours?|h)",
    r"(?:ngay|hom|buoi|toi|dem|tuan|days?|nights?|evenings?|weeks?)",
)
_EACH = r"(?:moi|tung|mot|hang|/|per|an?|each|every)"
_AND_HALF = re.compile(rf"(\d+) ?({_HOUR_WORD}) (?:ruoi|and a half)\b|(\d+) and a half (hours?)\b")
# A bare number before a day, after hours of another one ("3 hours on Tuesday and 4 on Sunday").
_SAME_UNIT = re.compile(
    rf"(?P<before>\d ?(?P<unit>{_HOUR_WORD})\b[^.;?!\d]*(?:,|\b(?:and|va|voi|cong|roi|con|plus)\b) ?)\d+(?:[.,]\d+)?(?= (?:(?:on|vao|the|hom|sang|trua|chieu|toi|dem|buoi|public) )*(?:{WEEKDAY.pattern}|holidays?\b|weekdays?\b|days? off\b|working days?\b))"
)
_AND_MINUTES = re.compile(rf"(\d+) ?({_HOUR_WORD}) ?(?:and |va )?(\d{{1,2}}) ?(?:phut|p|minutes?|mins?)\b")
_MINUTES = re.compile(r"(\d{2,3}) ?(?:phut|minutes?|mins?)\b")
# "2 tiếng mỗi ngày trong 5 ngày", "5 ngày mỗi ngày 2 tiếng": how much each time, and how many times.
_EACH_DAY = re.compile(
    rf"(?P<each>\d+(?:[.,]\d+)?) ?{_HOUR_WORD} ?{_EACH} ?(?P<day>{_DAY_WORD})\b[ ,]*(?:(?:trong|suot|for|x|lien tuc)\b ?)*(?P<many>\d+) (?P<unit>(?:working |business )?{_DAY_WORD})\b"
)
_DAYS_EACH = re.compile(
    rf"(?P<many>\d+) (?P<unit>(?:working |business )?{_DAY_WORD})\b(?P<kind>(?: (?!{_EACH})\w+){{0,3}})[ ,]*{_EACH} (?P<day>{_DAY_WORD}) (?P<act>(?:\w+ ){{0,3}}?)(?P<each>\d+(?:[.,]\d+)?) ?{_HOUR_WORD}\b"
)
_OF_YEAR = re.compile(
    r"\b(?:(?P<half>nua nam|half (?:a|the) year)|(?:du|tron)(?: (?:mot|1))? nam|an? (?:full|whole) year)\b(?! \d)"
)
_BONUS = re.compile(r"\b(?:thuong|bonus)\b")
_WEEKS = frozenset({"tuan", "week", "weeks"})
_H = re.compile(
    r"(?<!luc )(?<!sau )(?<!truoc )(?<!den )(?<!tu )(?<![\w/.,-])(\d+(?:[.,]\d+)?) ?h\b(?! ?(?:\d|sang|trua|chieu|toi|dem))"
)
_CLOCKS = re.compile(
    r"(?:(?:tu|from) )?(?<![\w/.,-])(\d{1,2}) ?(?:h|gio|:) ?(\d{2})?(?: ?(?:toi|sang|chieu))? ?(?:den|toi|to|-) ?(\d{1,2}) ?(?:h|gio|:) ?(\d{2})?(?!\d)"
)
_SPELT_HOURS = re.compile(
    rf"\b(?!(?:mot|one) (?!and a half|{_HOUR_WORD} (?:ruoi|and a half|\d+ ?(?:phut|p|min))))({'|'.join(NUMBERS)})(?= (?:and a half )?{_HOUR_WORD}\b)|(?<!\w)({'|'.join(one for one in NUMBERS if one not in ('mot', 'nam', 'one'))})(?= (?:ngay|buoi|days|nights)\b)"
)
_REPEATED = re.compile(
    rf"\b\d+(?:[.,]\d+)? ?(?:{_HOUR_WORD}|lan|times?) ?(?:moi|tung|hang|/|per|each|every|an?) ?({_DAY_WORD}|lan|quy|quarter)\b|\b(?:moi|tung|each|every) ({_DAY_WORD}|quy|quarter) (?:\w+ ){{0,3}}?\d+(?:[.,]\d+)? ?(?:{_HOUR_WORD}|lan|times?)\b"
)
# What may follow a number that has no unit of its own.
_BEHIND = frozenset({"", "on", "vao", "hom"})
_LIMIT = re.compile(rf"\b(?:khong qua|toi da|not more than|no more than|at most|up to) (\d+) {_HOUR_WORD}\b")
_BY_MONTH = re.compile(
    r"\b(?:trong|moi|mot|hang) (?:mot |moi )?thang\b|\b(?:a|per|each|in a) month\b|\bmonthly\b"
)
# A number that counts something, or nothing that is said ("chuyển 5, …"), but for what only names a day or an hour.
_COUNTED = re.compile(NO_COUNT + r"(\d+(?:[.,]\d+)?)(?: ?(?:k )?([a-z]+)\b|(?=\s*(?:[,;.?!](?!\d)|$)))")
_OTHER_UNITS = frozenset({"quy", "quarter", "quarters", "lop", "ky"})
# Holidays of the law on fixed days, by day and month; those of the lunar calendar fall, with the days beside them, in these stretches.
_HOLIDAYS = frozenset({(1, 1), (30, 4), (1, 5), (2, 9)})
_PERHAPS_HOLIDAY = (((1, 19), (2, 28)), ((3, 28), (4, 29)), ((9, 1), (9, 1)), ((9, 3), (9, 3)))


@dataclass(frozen=True, slots=True)
class Figures:
    """What the asker said: how many of each unit, money, an hourly wage, a percentage."""

    counted: Mapping[str, Decimal] = field(default_factory=dict)
    money: Decimal | None = None
    hourly: Decimal | None = None
    percent: Decimal | None = None

    def over(self, older: Figures) -> Figures:
        """These, and from `older` what was not said again."""
        return Figures(
            {**older.counted, **self.counted},
            self.money if self.money is not None else older.money,
            self.hourly if self.hourly is not None else older.hourly,
            self.percent,
        )


def figures_of(text: str) -> Figures:
    """The figures that `text` states."""
    counted: dict[str, Decimal] = {}
    money = hourly = percent = None
    for amount in find_amounts(text):
        rest = fold(text[amount.end : amount.end + 16])
        if amount.unit == "%":
            percent = amount.value
        elif units := _units_of(text, amount):
            counted = {**dict.fromkeys(units, amount.value), **counted}
        elif amount.unit in ("", "VND") and amount.value >= LEAST_PAY:
            before = fold(text[max(0, amount.start - 24) : amount.start])
            # What was said last stands first.
            if _HOURLY.search(before) or _HOURLY.match(rest.strip(" /")):
                hourly = amount.value if hourly is None else hourly
            elif money is None:
                money = amount.value
    for said in _SPELT.finditer(fold(text)):
        unit = next(name for name, words in UNITS.items() if re.fullmatch(words, said[2]))
        counted.setdefault(unit, Decimal(NUMBERS.index(said[1]) % 10 + 1))
    for births, count in _BIRTHS:
        if births.search(fold(text)):
            counted.setdefault("child", Decimal(count))
    return Figures(counted, money, hourly, percent)


def _units_of(text: str, amount: Amount) -> list[str]:
    """What an amount counts, names of `UNITS`: "22 bữa" are meals and days, the month of a year and the day of a month nothing."""
    rest = fold(text[amount.end : amount.end + 16])
    if amount.unit or amount.value >= LEAST_PAY or _DATED.search(f"{fold(text[: amount.start])}0{rest}"):
        return []
    return [name for name, words in UNITS.items() if re.match(rf"\s*(?:{words})\b", rest)]


def work_out(question: str, before: str, text: str, lang: Lang, *, typed: str = "", day: str = "") -> str:
    """What the rules in `text` come to with the figures of `question`, else of `before`; "" for nothing.

    Of several the one counts whose sentence holds most of the question. `typed` is the message that the question is a part
    of, `day` the kind of day that its date is.
    """
    own = figures_of(question)
    said = own.over(figures_of(before))
    fresh = bool(own.counted or own.money or own.hourly or own.percent or things_in(question))
    fresh = fresh or figure_request(question).figure
    # A question that goes on without a figure of its own asks for a sum only where it names another case of the rule.
    asked = f"{question}\n{before}" if fresh else question
    # Money that is named is asked for, though the count stands apart ("có hỗ trợ tiền không, hai bé là bao nhiêu").
    named = figure_request(question).units or ({"money"} if _MONEY.search(fold(typed)) else frozenset())
    named = named | {"money"} if SUPPORT.search(fold(question)) else named
    # What names its own subject may ask for another unit than the question before.
    anew = question_of(typed or question).subjects >= _FEWEST_NAMED
    earlier = figure_request(before.partition("\n")[0]).units
    units = [named] if named else [earlier, *([named] if anew else [])]
    whole = _by_parts(text, question, own, lang)
    # A grade alone is put into a sum of months that were said.
    if not whole and (fresh or (_grade_in(question) and said.counted.keys() & {"month", "year"})):
        whole = _by_months_of_pay(text, f"{question}\n{before}", said, lang)
    if whole:
        return whole
    unused = with_unused(question, before)
    rules = [one.strip() for one in claims_of(text)]
    if {"money"} < named & {"money", *_GRANTED}:
        # Days and money that are asked for in one message stand in sentences of their own.
        each = [
            "".join(_by_unit(one, said, question, kind, lang, typed=typed) for one in rules)
            for kind in (named - {"money"}, {"money"})
        ]
        if all(each):
            return "\n\n".join(each)
    kinds = (question, asked, day and f"{_OVERTIME}: {day}")
    ways: Sequence[Callable[[str], str]] = (
        lambda one: _by_hour(one, kinds, own, said, lang, fresh=fresh),
        *(
            lambda one, kind=kind: _by_unit(one, said, question, kind, lang, typed=typed or question)
            for kind in units
        ),
        lambda one: _by_thing(one, question, lang),
        lambda one: _by_divided_pay(one, said, unused, _carried_over(text, unused, before), lang),
        lambda one: _by_share(one, question, said, lang),
    )
    found = [
        (question_of(question).coverage(text_of(one)).share, result)
        for way in (ways if fresh else ways[:1])
        for one in rules
        if (result := way(one))
    ]
    best = max(found, key=lambda one: one[0], default=(0.0, ""))[1]
    return _for_all(best, question, lang) if fresh else best


def _newest_counts(question: str) -> str:
    """The part of a question that counts things: of several with a colon between them the first."""
    return next((one for one in re.split(r":(?!\d)", question) if things_in(one)), question)


def _by_thing(sentence: str, question: str, lang: Lang) -> str:
    """So much for each person or thing that the question counts, each kind at its own rate."""
    each = paid_for_each(sentence, question)
    sums = [one.value * paid.value for one, paid in each]
    lines = [
        f"{one.told} × {_money(paid.value, lang)} = {_money(value, lang)}"
        for (one, paid), value in zip(each, sums, strict=True)
    ]
    if len(lines) > 1:
        lines.append(say("math.total", lang, total=_money(sum(sums, Decimal(0)), lang)))
    return _told(lines, sentence, lang)


def _for_all(told: str, question: str, lang: Lang) -> str:
    """The one sum of money that was `told` for one person for all persons that the question counts; as it is where the sum
    or its rule is for each of them already."""
    sums, rule = _parted(told)
    people = [one for one in things_in(_newest_counts(question)) if one.person]
    last, shown = sums.rpartition("; ")[2], say("math.total", lang, total="\n").split("\n")
    total = next(iter(find_amounts(last.rpartition("= ")[2])), None)
    one_sum = "; " not in sums or (last.startswith(shown[0]) and last.endswith(shown[1]))
    each = re.search(rf"\b{EVERY}\s+(?:{UNITS['person']})\b", fold(rule))
    if len(people) != 1 or total is None or total.unit != "VND" or not one_sum or each:
        return told
    count = people[0]
    if count.value <= 1 or count.told in sums:
        return told
    more = f"{count.told} × {_money(total.value, lang)} = {_money(count.value * total.value, lang)}"
    return f"{sums}; {more}{told[len(sums) :]}"


def _by_hour(
    sentence: str, named_in: tuple[str, str, str], own: Figures, said: Figures, lang: Lang, *, fresh: bool
) -> str:
    """Hours at a percentage of the hourly pay, by kind of day; each kind where none was named in this message or before.

    Hours of several kinds of day are each its own; a message whose own figures are neither hours nor pay asks of something else.
    """
    hours = said.counted.get("hour")
    cases = _cases(sentence)
    if hours is None or not cases or not re.search(r"luong gio|overtime|hourly|lam them", fold(sentence)):
        return ""
    if own.counted and "hour" not in own.counted and own.money is None and own.hourly is None:
        return ""
    wage = said.hourly
    if wage is not None:
        shown = f"{_money(wage, lang)}"
    elif said.money is not None:
        wage = said.money / WORKING_DAYS / DAILY_HOURS
        shown = f"{_money(said.money, lang)} / {WORKING_DAYS} / {DAILY_HOURS}"
    else:
        return ""
    told = [found for text in "\n".join(named_in[:2]).split("\n") if (found := _hours_in(text))]
    counts = _corrected([*told, _hours_in(named_in[0].partition(":")[2])], cases)
    if said.percent is not None:
        chosen = [(hours, ("", said.percent))]
    elif len(counts) > 1:
        kinds = [(count, _meant(f"{_OVERTIME}: {piece}", cases)) for count, piece in counts]
        chosen = [(count, kind[0]) for count, kind in kinds if len(kind) == 1]
        # Of several counts said before none is that of a kind that is named now.
        if len(chosen) < len(kinds) or ("hour" not in own.counted and _meant(named_in[0], cases)):
            return ""
    else:
        said_in = (named_in[0].partition(":")[0], named_in[0], named_in[2], named_in[1])
        named = next(filter(None, (_meant(text, cases) for text in said_in)), cases if fresh else [])
        chosen = [(hours, case) for case in named]
    clauses = [clause for clause, _ in cases]
    called = {one: text_of(name).called(lang) for one, name in zip(clauses, _names(clauses), strict=True)}
    sums = [count * wage * share / 100 for count, (_, share) in chosen]
    lines = [
        f"{f'{name}: ' if (name := called.get(clause)) else ''}{_plain(count, lang)} × {shown} × {_plain(share, lang)}% = {_money(value, lang)}"
        for (count, (clause, share)), value in zip(chosen, sums, strict=True)
    ]
    if len(counts) > 1 and len(lines) > 1:
        lines.append(say("math.total", lang, total=_money(sum(sums, Decimal(0)), lang)))
    note = say("math.assumed", lang, days=WORKING_DAYS, hours=DAILY_HOURS) if said.hourly is None else ""
    return _told(lines, sentence, lang, note)


def _corrected(
    told: Sequence[list[tuple[Decimal, str]]], cases: Sequence[tuple[str, Decimal]]
) -> list[tuple[Decimal, str]]:
    """The counts of hours told last; where the message only states those of one of several kinds of day, the others as they were."""
    counts = next(filter(None, told), [])
    several = next((one for one in told if len(one) > 1), [])
    if len(counts) != 1 or not several or asks(counts[0][1].strip(" ?")):
        return counts
    kinds = [_meant(f"{_OVERTIME}: {piece}", cases) for _, piece in [*counts, *several]]
    if kinds[1:].count(kinds[0]) != 1:
        return counts
    return [counts[0] if kind == kinds[0] else one for kind, one in zip(kinds[1:], several, strict=True)]


def _hours_in(text: str) -> list[tuple[Decimal, str]]:
    """Each count of hours in `text` with the words around it, up to the next comma or "and", or to the next count."""
    pieces = _AND.split(_newest(text, "hour"))
    if any(len(_HOURS.findall(piece)) > 1 for piece in pieces):
        pieces = [part for piece in pieces for part in _HOURS.split(piece)]
    counted = [(figures_of(piece).counted.get("hour"), piece) for piece in pieces]
    return [(count, piece) for count, piece in counted if count is not None]


def _newest(question: str, unit: str) -> str:
    """The part of a question that counts `unit`, of several with a colon between them the first: what goes on with a question
    stands before it."""
    return next((one for one in re.split(r":(?!\d)", question) if unit in figures_of(one).counted), question)


def _by_unit(
    sentence: str, said: Figures, question: str, units: Collection[str], lang: Lang, *, typed: str
) -> str:
    """So much for each day, night, time, child or for every so many years that the message `typed` asks of."""
    text = fold(sentence)
    # What is granted where days, months or money are asked for; nothing where any figure will do.
    wanted = set(units) & set(_GRANTED) or ({""} if "money" in units else set())
    lines: list[str] = []
    total = Decimal(0)
    own, used = figures_of(question).counted, set[str]()
    counted = [(unit, words, said.counted[unit]) for unit, words in UNITS.items() if unit in said.counted]
    for unit, words, count in counted:
        for amount in find_amounts(sentence):
            match = _for_each(sentence, amount, words)
            if match is None:
                continue
            if not _is_asked_of(sentence, amount.start, typed, own, unit):
                continue
            granted = next(
                (name for name in _GRANTED if re.search(rf"\b(?:{UNITS[name]})$", match[1] or "")), ""
            )
            if (not granted and amount.value < LEAST_PAY) or (wanted and granted not in wanted):
                continue
            step = Decimal(match[2] or 1)
            free = next(
                (Decimal(n) for n, word in _OVER.findall(text) if re.fullmatch(words, word)), Decimal(0)
            )
            if (first := _FROM_THE.match(match.string, match.end())) is not None:
                free = Decimal(NUMBERS.index(first[1]) % 10)
            beyond = max(Decimal(0), count - free)
            times = Decimal(int(beyond / step))
            # What is granted to all is no answer to what comes beside it; "a week", "một năm" is how the question or the rule
            # counts, no figure of the asker's.
            to_all = granted and free and not times and granted not in units
            if to_all or (count == 1 and not free and len(said.counted) == 1 and unit != "child"):
                continue
            value = times * amount.value
            base = _base(sentence, amount.start, granted) if granted else Decimal(0)
            opening = f"{_plain(base, lang)} + " if base else ""
            many = _counted_beyond(count, free, lang) if free else _plain(times, lang)
            if step > 1:
                many = f"({_plain(count, lang)} / {_plain(step, lang)} → {_plain(times, lang)})"
            shown = (
                say(f"math.{granted}s", lang, count=_plain(base + value, lang))
                if granted
                else _money(value, lang)
            )
            each = _plain(amount.value, lang) if granted else _money(amount.value, lang)
            lines.append(f"{opening}{many} × {each} = {shown}")
            used.add(unit)
            total += Decimal(0) if granted else value
    if len(lines) > 1 and total:
        lines.append(say("math.total", lang, total=_money(total, lang)))
    # A count that the question brings is what it asks of, not one said before.
    counts = bool(lines) and (not own or bool(used & set(own)))
    return (
        _told(lines, sentence, lang)
        if counts and (figure_request(question).figure or total or "?" not in question)
        else ""
    )


def _for_each(sentence: str, amount: Amount, words: str) -> re.Match[str] | None:
    """What stands between an amount and the unit `words` that it is for each of: what is granted, and for how many of them."""
    rest, granted = fold(sentence[amount.end : amount.end + 40]), "vnd|dong|ngay|thang|days?|months?|more day"
    match = re.match(rf"\s*({granted})?\s*{EVERY}\s+(?:(\d+)\s+)?(?:{words})\b", rest)
    # A price stands behind what it is of: "suất ăn 35.000".
    priced = re.search(rf"(?<!\d )\b(?:{words})(?: [a-z]+)? $", fold(sentence[: amount.start]))
    return _BARE.match(rest) if match is None and amount.value >= LEAST_PAY and priced else match


def _is_asked_of(sentence: str, place: int, typed: str, own: Collection[str], unit: str) -> bool:
    """Whether the figure at `place` may be put to a count of `unit`: one said before only where the rule (beside a count of
    its `own` the clause) speaks of all that `typed` names, and none where that names more of a sum told without what it is
    for each of, or says more of its name."""
    asked, clause = question_of(typed).coverage, _part_at(sentence, place)
    if unit not in own and asked(text_of(clause if own else sentence)).unread:
        return False

    def weight(one: str) -> tuple[float, float]:
        return question_of(_name(one)).coverage(text_of(typed)).share, asked(text_of(one)).share

    ours = weight(clause)
    return all(
        theirs <= own
        for one in _sums_at_large(sentence)
        for theirs, own in zip(weight(one), ours, strict=True)
    )


def _part_at(text: str, place: int, marks: re.Pattern[str] = _COMMA) -> str:
    """The part of `text` between `marks` in which `place` stands."""
    ends = [0, *(found.end() for found in marks.finditer(text)), len(text)]
    return next(text[start:end] for start, end in pairwise(ends) if start <= place < end)


def _sums_at_large(sentence: str) -> Iterator[str]:
    """The clauses of `sentence` that tell a sum of money without what it is for each of."""
    for amount in find_amounts(sentence):
        clause = _part_at(sentence, amount.start)
        if amount.value >= LEAST_PAY and not re.search(rf"\b{EVERY}\s", fold(clause)):
            yield clause


def _counted_beyond(count: Decimal, free: Decimal, lang: Lang) -> str:
    """How many come after those that are free, with how that is counted."""
    one, other = _plain(count, lang), _plain(free, lang)
    return f"({one} − {other})" if count > free else f"({one} ≤ {other} → 0)"


def _carried_over(text: str, question: str, before: str) -> tuple[Decimal, str]:
    """How many of the unused days that the question counts the rule carries over before "the rest" is paid, and the sentence
    that says so.

    0 where the question counts no unused days, or speaks of that rest itself: by its name, or by its count after all were
    counted `before`.
    """
    rules = ((rule, _CARRIED.search(fold(rule))) for rule in map(str.strip, claims_of(text)))
    rule, carried = next(((one, found) for one, found in rules if found), ("", None))
    asked = fold(question)
    moved = _CARRIED_WORD.search(f"{asked} {fold(before)}") and not _ASKS_CARRIED.search(asked)
    spoken = moved and _LEFT.search(asked) and not _REST.search(asked)
    rest = {_decimal(one) - Decimal(carried[1]) for one in _DAYS.findall(fold(before)) if carried}
    if (
        carried is None
        or not _REST.search(fold(text))
        or _COUNTED_REST.search(asked)
        or spoken
        or rest & set(map(_decimal, _DAYS.findall(asked)))
        or not _UNUSED.search(asked)
    ):
        return Decimal(0), ""
    return Decimal(carried[1]), rule


def with_unused(question: str, before: str) -> str:
    """`question` behind the newest message `before` that counts unused days, where it speaks of the rest of them and counts none."""
    if not _REST.search(fold(question)) or _DAYS.search(fold(question)):
        return question
    told = (
        one for one in before.split("\n") if _UNUSED.search(fold(one)) and len(_DAYS.findall(fold(one))) == 1
    )
    return f"{next(told, '')} {question}".strip()


def _decimal(written: str) -> Decimal:
    return Decimal(written.replace(",", "."))


def _by_divided_pay(
    sentence: str, said: Figures, question: str, over: tuple[Decimal, str], lang: Lang
) -> str:
    """Days beyond those that are `carried` over at the monthly pay over so many working days; days of an earlier
    message may be others, and of several counts it is not known which is meant."""
    found, (carried, rule) = _DIVIDED.search(fold(sentence)), over
    newest = _newest(question, "day")
    # Days that were carried over already are those of the rule.
    done = [one[1] for one in _CARRIED.finditer(fold(newest)) if carried and Decimal(one[1]) == carried]
    counts = set(_DAYS.findall(newest)) - set(done)
    if found is None or said.money is None or len(counts) != 1:
        return ""
    days = _decimal(counts.pop())
    value = said.money / Decimal(found[1]) * max(Decimal(0), days - carried)
    shown = f"({_plain(days, lang)} − {_plain(min(days, carried), lang)})" if carried else _plain(days, lang)
    line = f"{_money(said.money, lang)} / {found[1]} × {shown} = {_money(value, lang)}"
    return _told([line], f"{rule} {sentence}" if rule != sentence else sentence, lang)


def _by_share(sentence: str, question: str, said: Figures, lang: Lang) -> str:
    """A percentage of the pay that was said."""
    money, asked = said.money, text_of(question)
    cases = [case for case in _cases(sentence) if _PAY.search(fold(case[0]))]
    cases = [case for case in cases if question_of(case[0]).coverage(asked).share >= _SPOKEN_OF]
    if not cases or money is None or "hour" in said.counted or _HOURLY.search(fold(sentence)):
        return ""
    chosen = _meant(question, cases) or cases
    lines = [
        f"{_money(money, lang)} / {_plain(share, lang)}% = {_money(money * 100 / share, lang)}"
        if _is_share_of(clause, question)
        else f"{_plain(share, lang)}% × {_money(money, lang)} = {_money(money * share / 100, lang)}"
        for clause, share in chosen
    ]
    return _told(lines, "; ".join(clause for clause, _ in chosen), lang)


def _is_share_of(clause: str, question: str) -> bool:
    """Whether the money of `question` is what the rule gives a share as ("lương thử việc 10 triệu"), and the whole is asked."""
    one, mark, other = clause.partition("%")
    text = fold(question)
    paid = next((found for found in find_amounts(question) if found.value >= LEAST_PAY), None)
    if not mark or paid is None:
        return False
    part, whole_ = (set(map(fold, question_of(name).words)) for name in (_name(one), other))
    part, whole_ = part - whole_, whole_ - part

    def last(words: set[str], end: int) -> int:
        return max(
            (found.start() for found in re.finditer(r"\w+", text[:end]) if found[0] in words), default=-1
        )

    asked = last(whole_, len(text))
    return asked >= 0 and last(part, paid.start) > last(whole_, paid.start)


def _by_parts(text: str, question: str, own: Figures, lang: Lang) -> str:
    """Points out of parts that each weigh a share of the whole, or those that were said, with the grade they come to."""
    points, lines = own.counted.get("point"), list[str]()
    # Of several figures without a comma between them each has the words before it.
    said = [
        (text_of(piece[at : amount.end] if len(found) > 1 else piece), amount.value)
        for piece in _AND.split(question)
        for found in [find_amounts(piece)]
        for at, amount in zip([0, *(one.end for one in found)], found, strict=False)
    ]
    for sentence in map(str.strip, claims_of(text)):
        cases = _cases(sentence)
        names = [_name(clause) for clause, _ in cases]
        each = [[value for piece, value in said if _is_called(piece, name, names)] for name in names]
        if len(cases) > 1 and sum(share for _, share in cases) == _WHOLE and all(each):
            terms = [(values[0], share) for values, (_, share) in zip(each, cases, strict=True)]
            points = sum((value * share / _WHOLE for value, share in terms), Decimal(0))
            sums = " + ".join(f"{_plain(value, lang)} × {_plain(share, lang)}%" for value, share in terms)
            lines.append(f"{sums} = {say('math.points', lang, count=_plain(points, lang))}")
    folded = fold(text)
    grades = sorted(((Decimal(least), grade) for grade, least in _FROM.findall(folded)), reverse=True)
    if points is None or len(grades) < _FEWEST_GRADES:
        return ""
    below = _BELOW.search(folded)
    grade = next((grade for least, grade in grades if points >= least), below[2] if below else "")
    lines.append(say("math.grade", lang, count=_plain(points, lang), grade=grade.upper()))
    wanted = _SHORT_OF.search(fold(question))
    least = next((least for least, grade in grades if wanted and grade == wanted[1]), points)
    if least > points:
        gap = f"{_plain(least, lang)} − {_plain(points, lang)} = {_plain(least - points, lang)}"
        lines.append(say("math.points_to", lang, gap=gap, grade=wanted[1].upper() if wanted else ""))
    rule = next((one for one in claims_of(text) if _FROM.search(fold(one))), text)
    return _told(lines, rule, lang)


def _is_called(piece: Text, name: str, names: Sequence[str]) -> bool:
    """Whether `piece` says most of `name`, or two words of it side by side that no other of `names` has ("công việc" of
    "kết quả công việc")."""
    if question_of(name).coverage(piece).share >= _HALF:
        return True
    return bool(piece.pairs & text_of(name).pairs) and not any(
        piece.pairs & text_of(other).pairs for other in names if other != name
    )


def asks_for_grade(question: str, before: str, text: str, lang: Lang) -> bool:
    """Whether `question` names only what the grades in `text` are called, or how far it is to one, and the figures of `before`
    come to one of them."""
    asked = question_of(question)
    short = _SHORT_OF.search(fold(question)) is not None
    other = not short and (figure_request(question).figure or _LETTER.search(question))
    named = asked.own_figures or other
    told = "" if named or not asked.tokens else _by_parts(text, before, figures_of(before), lang)
    return bool(told) and (short or not asked.coverage(text_of(told)).unread)


def _by_months_of_pay(text: str, asked: str, said: Figures, lang: Lang) -> str:
    """Months' pay for a year of work, less for fewer months, more for the grade that is named."""
    folded, named = fold(text), fold(asked)
    rule = _FOR_A_YEAR.search(folded)
    if rule is None or said.money is None or not _BONUS.search(named):
        return ""
    year = Decimal(rule[1])
    months = year if said.counted.get("year") else min(said.counted.get("month", year), year)
    counted = said.counted.get("year") or "month" in said.counted
    note = "" if counted else say("math.whole_year", lang, count=_plain(year, lang))
    pay = said.money * Decimal(rule[2].replace(",", ".")) * months / year
    lines = [
        f"{_money(said.money, lang)} × {rule[2]} × {_plain(months, lang)}/{_plain(year, lang)} = {_money(pay, lang)}"
    ]
    grade = _grade_in(asked)
    more = {name: Decimal(many.replace(",", ".")) for name, many in _ADDED.findall(folded)}
    if grade in more:
        added = said.money * more[grade]
        lines.append(f"+ {_plain(more[grade], lang)} × {_money(said.money, lang)} = {_money(added, lang)}")
        lines.append(say("math.total", lang, total=_money(pay + added, lang)))
    elif grade and re.search(rf"\bloai {grade} khong", folded):
        return ""
    return _told(lines, text, lang, note)


def _grade_in(asked: str) -> str:
    """The grade that is named, folded; "" for none."""
    found = _GRADE.search(fold(asked)) or _GRADE.search(fold(_LETTER.sub(r"loai \1", asked)))
    return found[1] if found else ""


def on_calendar(question: str, text: str, today: date, lang: Lang, heading: str = "") -> str:
    """The day that a rule of every month comes to in the month that is asked for, or the next one after `today`; "" where
    `text` under its `heading` does not speak of all else that is asked."""
    ranges = find_ranges(question, today)
    months = [one.start for one in ranges if one.start.day == 1 and one.end - one.start < _MONTH]
    later = [one.start for one in find_ranges(question, today + 2 * _MONTH)]
    if months and not _YEAR.search(question) and any(one.month == months[0].month for one in later):
        # A month by its name, without a year.
        months = [nearest(months[0], today, (0, 1))]
    coming = spans_of(tool_words("coming").find(question))
    said = list(_RESTATED.finditer(fold(question))) if months else []
    turns = [*coming, *(hit.span() for hit in _TURN.finditer(fold(question)))] if coming else []
    spans = [*(one.span for one in ranges), *turns, *(hit.span() for hit in said)]
    rest = question_of(blank_out(question, spans))
    if rest.coverage(text_of(f"{heading}\n{text}")).unread:
        return ""
    if not months and not coming:
        return ""
    for folded in map(fold, claims_of(text)):
        numbered, weekday = _MONTHLY.search(folded), _FIRST_OF_MONTH.search(folded)
        named = weekday[1] if weekday is not None and weekday[1] in _WEEKDAYS else ""
        if (numbered is None and not named) or not _are_that_day(said, numbered, months):
            continue
        first = months[0] if months else today.replace(day=1)
        for month in (first, (first + _MONTH).replace(day=1)):
            if numbered is not None:
                day = month + timedelta(days=int(numbered[1]) - 1)
            else:
                day = month + timedelta(days=(_WEEKDAYS.index(named) - month.weekday()) % 7)
            while "lien truoc" in fold(text) and day.weekday() >= _SATURDAY:
                day -= timedelta(days=1)
            if months or day >= today:
                name = say("math.weekdays", lang).split("|")[day.weekday()]
                return _told([f"{name} {format_date(day)}"], text, lang)
    return ""


def _are_that_day(
    said: Sequence[re.Match[str]], numbered: re.Match[str] | None, months: Sequence[date]
) -> bool:
    """Whether each day that is `said` with its weekday is the day of a rule and of the month that is named, and falls so."""
    day = make_date(months[0].year, months[0].month, int(numbered[1])) if said and numbered else None
    return all(day and int(one[1]) == day.day and WEEKDAY_NAMES[one[2]] == day.weekday() for one in said)


def _meant(question: str, cases: Sequence[tuple[str, Decimal]]) -> list[tuple[str, Decimal]]:
    """The cases that the question names more of than of any other; [] where it names none of them more.

    A case is named by what stands before its figure ("ngày lễ 300%"), or by words side by side in both.
    """
    pairs = text_of(question).pairs
    names = _names([clause for clause, _ in cases])
    if all(question_of(name).words for name in names):
        named = [float(question_of(name).coverage(text_of(question)).share >= 1) for name in names]
    else:
        named = [float(len(pairs & text_of(clause).pairs)) for clause, _ in cases]
    best = max(named)
    chosen = [case for case, share in zip(cases, named, strict=True) if share == best]
    return chosen if best > 0 and (len(chosen) < len(cases) or len(cases) == 1) else []


def _name(clause: str) -> str:
    """What a case is called: the words before its figure, without the verb."""
    return re.sub(r"(?:\s+(?:được trả|được|is paid at|at|bằng))*\s*\d.*", "", clause).strip()


def _names(clauses: Sequence[str]) -> list[str]:
    """What the cases of a rule are called: the words before their figures, or after them ("200% on weekly days off")."""
    names = [_name(clause) for clause in clauses]
    if not all(question_of(name).words for name in names):
        after = [re.sub(r"^.*?\d\s*%\s*(?:on|for|in)?\s*", "", clause).strip() for clause in clauses]
        names = after if all(question_of(name).words for name in after) else names
    return names


def _clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence between commas that part no figures."""
    parts = (part.strip(" .;") for one in _COMMA.split(sentence) for part in re.split(r"\band\b", one))
    yield from filter(None, parts)


def _cases(sentence: str) -> list[tuple[str, Decimal]]:
    """The clauses of a sentence that tell a percentage, each with its first."""
    told = [
        (one, [amount.value for amount in find_amounts(one) if amount.unit == "%"])
        for one in _clauses(sentence)
    ]
    return [(clause, shares[0]) for clause, shares in told if shares]


def _base(sentence: str, end: int, unit: str) -> Decimal:
    """The days or months that a sentence grants before it adds to them."""
    for amount in find_amounts(sentence[:end]):
        if re.match(rf"\s*(?:{UNITS[unit]})\b", fold(sentence[amount.end : amount.end + 8])):
            return amount.value
    return Decimal(0)


def _told(lines: Sequence[str], rule: str, lang: Lang, note: str = "") -> str:
    if not lines:
        return ""
    sums = "; ".join(lines)
    return say(
        "math.by_rule", lang, sums=sums[:1].upper() + sums[1:], rule=rule.strip(" ."), note=note
    ).strip()


def _plain(value: Decimal, lang: Lang) -> str:
    return format_number(value, lang, 4)


def _money(value: Decimal, lang: Lang) -> str:
    return f"{format_number(rounded(value), lang, 0)} VND"


# --- The tool: what a rule comes to, else the arithmetic of the question


async def run_calculation(given: ToolInputs) -> ToolResult:
    """The result with how it came about, "" where nothing is to be worked out; the rule's own page is its evidence.

    The version in force counts, but where a past year is asked for that year's. For a model each query is worked out by
    itself, and what must be computed and cannot be is told so. Raises ToolError `arithmetic` for a division by zero, a huge power and the like; signs that make no sum are no sum.
    """

    def share(query: str, passage: Passage) -> float:
        return question_of(query).coverage(text_of(passage.whole)).share

    versions = _by_version(given) if given.turn.model.reason_unavailable is not None else {}
    asked = list(versions.values()) or [
        replace(given, query=one, passages=tuple(sorted(given.passages, key=lambda p: -share(one, p))))
        for one in given.query.split("\n")
    ]
    found = [_calculated(one) for one in asked]
    worked = {one.answer: one for one in found if one.covered or given.must_compute}
    left = [f"“{name}”" for name, one in zip(versions, found, strict=False) if not one.covered]
    if len(worked) + len(left) <= 1 or not worked:
        return next(iter(worked.values()), found[0])
    evidence = dict.fromkeys(source for one in worked.values() for source in one.evidence)
    unread = (*left, *(word for one in worked.values() for word in one.unread))
    told = [say("math.left", given.turn.language, parts=", ".join(left))] if left else []
    whole = any(one.covered for one in found)
    return ToolResult(
        "\n".join([*worked, *told]), found[0].context, tuple(evidence), covered=whole, unread=unread
    )


def _day_by(given: ToolInputs, page: Passage, today: date, *, native: bool) -> str:
    """The day or hour that the rule of a page comes to; days are counted by a page in the asker's language, or where there is none."""
    lang, heading = given.turn.language, f"{page.title}\n{page.section}"
    told = on_calendar(given.query, page.text, today, lang, heading)
    return told or (due(given.query, given.before, page.text, today, lang, heading=heading) if native else "")


def _by_version(given: ToolInputs) -> dict[str, ToolInputs]:
    """The question once for each version of a rule that it names itself, by past years that a page found is of and as in force."""
    words, text = tool_words("in_force"), given.turn.text
    now = words.find(given.query) if words.find(text) else []
    years = [one for one in _YEAR.finditer(given.query) if int(one[0]) < given.turn.now.astimezone(HCM).year]
    held = {year for page in given.passages if page.superseded for year in page.years}
    named = {one[0] for one in years if one[0] in held and (one[0] in text or one[0] not in given.before)}
    spans = {name: [one.span() for one in years if one[0] != name] for name in sorted(named)}
    if named and now:
        spans[given.query[now[0].start : now[0].end]] = [*(one.span() for one in years), *spans_of(now)]
    if len(spans) <= 1:
        return {"": given}
    return {name: replace(given, query=blank_out(given.query, other)) for name, other in spans.items()}


def _calculated(given: ToolInputs) -> ToolResult:
    lang, today = given.turn.language, given.turn.now.astimezone(HCM)
    given = replace(given, query=spaced(given.query))
    years = {year for year in _YEAR.findall(given.query) if int(year) < today.year}
    rules = [one for one in given.passages if (one.years & years if years else not one.superseded)]
    query, worked = _with_months_worked(hours_in_full(given.query), given.before, today.date(), lang)
    query, day, note = _with_kind_of_day(replace(given, query=query), today.date())
    given, note = replace(given, query=query), worked or note
    sums: list[tuple[int, ToolResult]] = []
    own = goes_on_with_sum(given.query) or date_sum_in(given.query)
    pages = [] if own or _asks_of_bound(given, rules[:_PAGES]) else rules[:_PAGES]
    told_by = [_sum_of(given, one, day) for one in pages]
    results = [_RESULT.findall(_parted(one)[0]) for one in told_by]
    for nth, page in enumerate(pages):
        # Of those that come to the same the one in the asker's language is told.
        same = [at for at, one in enumerate(results) if one and one == results[nth]]
        place = next((at for at in same if not is_other(pages[at].text, lang)), nth)
        passage = pages[place]
        native = not is_other(page.text, lang) or all(is_other(one.text, lang) for one in pages)
        text = told_by[place] or _day_by(given, page, today.date(), native=native)
        if text and (unread := _not_read(given, text, passage)):
            words = ", ".join(f"“{word}”" for word in dict.fromkeys(unread))
            told = say("math.unread", lang, words=words, rule=_parted(text)[1].strip(" ."))
            result = ToolResult(told, "", (evidence_of(passage, given.agent.name),), unread=tuple(unread))
        elif text:
            result = _with_other_rules(
                given, rules, passage, f"{text}{note}{_beyond(given, passage.text, text)}"
            )
        else:
            continue
        # For a model, which reads question and rule itself, the sum that leaves out the fewest words.
        left = question_of(given.query).coverage(text_of(f"{passage.whole}\n{text}")).unread
        if given.turn.model.reason_unavailable is not None or not left:
            return result
        sums.append((len(left), result))
    if sums:
        return min(sums, key=lambda one: one[0])[1]
    text = missing = ""
    try:
        text = date_sum(given.query, today.date(), lang) or answer(given.query, lang, given.before)
        missing = missing_for(given.query, lang) if not text else ""
    except CalculationError as fault:
        if fault.kind != "syntax":
            missing = say(f"math.{fault.kind}", lang, part=fault.part)
            if not given.must_compute:
                raise ToolError("arithmetic", missing) from fault
    if given.must_compute and not text:
        missing = say("math.failed", lang, query=given.query, why=missing).strip()
        return ToolResult(missing, say("math.context", lang), unread=(given.query,))
    return ToolResult(text or missing, say("math.context", lang), covered=bool(text))


def date_sum(query: str, today: date, lang: Lang) -> str:
    """The day (of this year where none is said) that so many days, weeks, months or years are from another; "" for another
    question. Raises CalculationError `no_date` where there is no such day or more is said."""
    if (found := date_sum_in(query)) is None:
        return ""
    said = {"d": "", "near": "", "unit": "ngay", "many": "", "sign": "", **found.groupdict()}
    near = _NEAR_DAYS.get((said["near"] or "").split(" ")[-1], 0)
    day: date | None = today + timedelta(days=near)
    if said["d"]:
        day = make_date(int(said["y"] or today.year), int(said["m"]), int(said["d"]))
    unit = _DATE_UNITS.get(said["unit"].rstrip("s"))
    if day is None or unit is None or beside_date_sum(query, found):
        raise CalculationError("no_date", query.strip(" ?."))
    many, sign = said["many"], "−" if said["sign"] in _TAKEN_OFF else "+"
    try:
        then = add(day, int(many or 0) * (-1 if sign == "−" else 1), unit)
    except (ValueError, OverflowError) as fault:
        raise CalculationError("no_date", query.strip(" ?.")) from fault
    name = say("math.weekdays", lang).split("|")[then.weekday()]
    result, typed = f"{format_date(then)} ({name})", nfc(query)
    if not many:
        return say("math.day", lang, said=typed[slice(*found.span())], day=result)
    told = f"{format_date(day)} {sign} {typed[found.start('many') : found.end('unit')]}"
    return say("math.result", lang, expression=told, result=result)


def hours_in_full(text: str) -> str:
    """`text` with each length of time as one count of hours: "2 giờ rưỡi", "2 tiếng 30 phút", "2 tiếng mỗi ngày trong 5 ngày"."""

    def in_place(form: re.Pattern[str], told: Callable[[re.Match[str]], str]) -> None:
        nonlocal text
        for found in reversed(list(form.finditer(fold(text)))):
            text = f"{text[: found.start()]}{told(found)}{text[found.end() :]}"

    text = nfc(text)
    overtime = bool(text_of(_OVERTIME).lines & text_of(text).lines)
    # "Sau" without its accent is "after", not six.
    in_place(
        _SPELT_HOURS,
        lambda one: "sau" if text[slice(*one.span())] == "sau" else f"{NUMBERS.index(one[0]) % 10 + 1}",
    )
    if overtime:
        in_place(_CLOCKS, _between_clocks)
        in_place(_H, lambda one: f"{one[1]} giờ")
    in_place(_AND_HALF, lambda one: f"{one[1] or one[3]},5 {one[2] or one[4]}")
    in_place(
        _AND_MINUTES,
        lambda one: f"{_comma(Decimal(one[1]) + Decimal(one[3]) / 60)} {text[one.start(2) : one.end(2)]}",
    )
    in_place(
        _OF_YEAR, lambda one: f"{6 if one['half'] else 12} {'months' if one[0].endswith('year') else 'tháng'}"
    )
    for form in (_EACH_DAY, _DAYS_EACH):
        in_place(form, lambda one: _all_hours(text, one))
    if overtime:
        while (one := _SAME_UNIT.search(fold(text))) is not None:
            text = f"{text[: one.end()]} {text[slice(*one.span('unit'))]}{text[one.end() :]}"
    if overtime and "hour" not in figures_of(text).counted:
        in_place(_MINUTES, lambda one: f"{_comma(Decimal(one[1]) / 60)} giờ")
    return text


def _between_clocks(found: re.Match[str]) -> str:
    """The hours from one time of day to another."""
    first, last = (Decimal(found[at]) + Decimal(found[at + 1] or 0) / 60 for at in (1, 3))
    return f"{_comma((last - first) % 24)} giờ"


def _all_hours(typed: str, found: re.Match[str]) -> str:
    """The hours of all days together with the words around them; as they stand where days are counted and weeks are meant."""
    parts = {name: typed[slice(*found.span(name))] if found[name] else "" for name in found.groupdict()}
    if ("t" if found["day"] in _WEEKS else "d") != ("t" if found["unit"] in _WEEKS else "d"):
        return typed[found.start() : found.end()]
    hours = _comma(Decimal(found["each"].replace(",", ".")) * Decimal(found["many"]))
    return f"{parts.get('act', '')}{hours} giờ {parts['unit']}{parts.get('kind', '')}"


def _comma(value: Decimal) -> str:
    return f"{rounded(value, 4).normalize():f}".replace(".", ",")


def _with_months_worked(query: str, before: str, today: date, lang: Lang) -> tuple[str, str]:
    """The question of a bonus with the day on which somebody began as the months up to the end of this year, and a note of that."""
    if not _BONUS.search(fold(f"{query}\n{before}")):
        return query, ""
    query = days_in_full(query, today)
    for one in find_ranges(query, today):
        opens = [hit for hit in tool_words("joined").find(query) if hit.start < one.span[0]]
        if opens and len(query[opens[-1].end : one.span[0]].split()) <= 1:
            months = _MONTHS - one.start.month + (one.start.day == 1)
            months = _MONTHS if one.start.year < today.year else max(0, months)
            told = say("math.worked", lang, count=months)
            query = f"{query[: opens[-1].start]}{told}{query[one.span[1] :]}"
            return query, say("math.since", lang, day=format_date(one.start), count=months)
    return query, ""


def _with_kind_of_day(given: ToolInputs, today: date) -> tuple[str, str, str]:
    """The question with holidays called so where it is of overtime, the kind of day that its date is, and what is not known of it."""
    lang, query = given.turn.language, given.query
    overtime = text_of(_OVERTIME).lines & text_of(f"{query}\n{given.before}").lines
    if not overtime:
        return query, "", ""
    holiday = say("math.holiday", lang)
    for hit in reversed(tool_words("holiday").find(query)):
        query = f"{query[: hit.start]}{holiday}{query[hit.end :]}"
    if lunar := tool_words("lunar").find(query):
        # Another day of the lunar calendar: which one that is, is not known here.
        day = " ".join(query[: lunar[0].end].split()[-3:])
        return query, "", say("math.perhaps_holiday", lang, day=f"“{day}”")
    query, day, note = days_in_full(query, today), "", ""
    if not find_ranges(query, today) and holiday not in query:
        for found in reversed(list(_WORKDAY.finditer(fold(query)))):
            query = f"{query[: found.start()]}{say('math.weekday', lang)}{query[found.end() :]}"
    for one in reversed(find_ranges(query, today)):
        if one.start != one.end or (one.start.day, one.start.month) == (today.day, today.month):
            continue
        month_day = (one.start.month, one.start.day)
        if (one.start.day, one.start.month) in _HOLIDAYS:
            query = f"{query[: one.span[0]]}{holiday}{query[one.span[1] :]}"
        elif any(first <= month_day <= last for first, last in _PERHAPS_HOLIDAY):
            note = say("math.perhaps_holiday", lang, day=format_date(one.start))
        else:
            day = say("math.rest_day" if one.start.weekday() >= _SATURDAY else "math.weekday", lang)
    return query, "" if note else day, note


def _is_of_another_rule(typed: str, at: int, rule: Passage) -> bool:
    """Whether what stands `at` a place is of a part of the message that speaks of nothing in `rule`: another question."""
    asked = question_of(_part_at(typed, at, _AND))
    return asked.subjects > 0 and not asked.coverage(text_of(rule.whole)).share


def _typed(given: ToolInputs) -> str:
    """What was asked: the message as typed, or the whole question that a model made of each part of it."""
    return given.turn.text if given.turn.model.reason_unavailable is not None else given.query


def _not_read(given: ToolInputs, told: str, rule: Passage) -> list[str]:
    """What of the question would change the sum `told` and stands in no part of it."""
    query, typed = given.query, hours_in_full(_typed(given))
    text, (sums, sentence) = fold(typed), _parted(told)
    used, ruled = ({one.value for one in find_amounts(part)} for part in (sums, sentence))
    used |= {Decimal(number) for number in re.findall(r"(?<![\d.,])\d{1,3}(?![.,]?\d)", sums)}
    unread = [typed[found.start() : found.end()] for found in _REPEATED.finditer(text)]
    for found in _COUNTED.finditer(text):
        value, word = Decimal(found[1].replace(",", ".")), found[2] or ""
        unit = next((name for name, words in UNITS.items() if re.fullmatch(words, word)), "")
        known = value in used or (value in ruled and word and unit != "time") or value == 1
        # Who worked for years worked a whole one.
        worked = unit == "year" and _WORKED.search(text[: found.start()]) is not None
        known = known or (worked and _FOR_A_YEAR.search(fold(sentence)) is not None)
        known = known or found[1] in rule.years or _is_of_another_rule(typed, found.start(), rule)
        if (
            (unit or word in _OTHER_UNITS or (word in _BEHIND and found[1].isdigit()))
            and unit != "person"
            and not known
            and not _penalty(rule.text, unit, value)
        ):
            unread.append(typed[found.start() : found.end()])
    # What is counted by its name stands so in the sum, or in the rule; persons in one that is for each of them.
    graded = _FROM.search(fold(sentence))
    named, each = (
        fold(f"{sums}\n{sentence}"),
        re.search(rf"\b{EVERY}\s+(?:{UNITS['person']})\b", fold(sentence)),
    )
    unread += [
        one.told
        for one in things_in(typed)
        if fold(one.told) not in named
        and not (graded and one.value in used)
        and (one.person or not one.spelt)
        and not (one.person and (one.value == 1 or (each and one.value in used)))
        and not _is_of_another_rule(typed, one.start, rule)
    ]
    # Of what is spent up to a bound the lesser counts, and of several sums each.
    paid = [one for one in find_amounts(typed) if one.value >= LEAST_PAY]
    bounded = re.search(r"\b(?:toi da|khong qua|up to|at most)\b", fold(sentence))
    unread += [
        typed[one.start : one.end]
        for one in paid
        if one.value not in used | ruled and (len(paid) > 1 or (bounded and one.value < max(ruled)))
    ]
    held = text_of(f"{rule.title}\n{sentence}")
    unread += [
        query[hit.start : hit.end]
        for hit in tool_words("changes_sum").find(query)
        if question_of(query[hit.start : hit.end]).coverage(held).share < 1
    ]
    if "time" in figures_of(typed).counted and _BY_MONTH.search(fold(sentence)):
        spans = tool_words("other_span").find(typed)
        unread += [typed[hit.start : hit.end] for hit in spans if not re.match(r"\s*\d", typed[hit.end :])]
    # A page of two matters has a rule of one of them.
    matters = [one.strip() for one in _AND.split(rule.title) if one.strip()]
    meant = [one for one in matters[1:] if question_of(one).coverage(text_of(typed)).share >= 1]
    unread += [one for one in meant if question_of(one).coverage(text_of(sentence)).unread]
    return unread


def _parted(told: str) -> tuple[str, str]:
    """The sums of what was told, and the rule behind them."""
    for lang in LANGS:
        mark = say("math.by_rule", lang, sums="\n", rule="\n", note="").split("\n")[1]
        if mark in told:
            return told.split(mark, 1)[0], told.split(mark, 1)[1]
    return told, told


def _penalty(text: str, unit: str, count: Decimal) -> str:
    """The sentence of a rule that speaks of more than so many of `unit`, where `count` is more; "" for none."""
    return next(
        (
            claim.strip()
            for claim in claims_of(text)
            for least, word in _OVER.findall(fold(claim))
            if unit == "minute" and re.fullmatch(UNITS[unit], word) and count > Decimal(least)
        ),
        "",
    )


def _beyond(given: ToolInputs, text: str, sums: str = "") -> str:
    """What the rule says besides of so many hours or minutes as the question counts, where `sums` did not tell that."""
    lang, counts = given.turn.language, _hours_in(given.query)
    hours = sum((count for count, _ in counts), Decimal(0))
    over = [
        claim for claim in claims_of(text) for most in _LIMIT.findall(fold(claim)) if hours > Decimal(most)
    ]
    minutes = figures_of(_typed(given)).counted.get("minute")
    late = _penalty(text, "minute", minutes) if minutes is not None else ""
    rules = (one.strip() for one in dict.fromkeys((*over, *([late] if late else []))))
    told = " ".join(one for one in rules if one.strip(" .") not in sums)
    return say("math.beyond", lang, rule=told) if told else ""


def _with_other_rules(given: ToolInputs, rules: Sequence[Passage], passage: Passage, text: str) -> ToolResult:
    """The sum `text` by `passage`, with those of other matters that the question counts, and what of them is left."""
    lang, used, sums = given.turn.language, [passage], [text]
    for part in (parts := _other_matters(given.query, passage)):
        for other in rules:
            if part not in _other_matters(part, other) and (more := work_out(part, "", other.text, lang)):
                used.append(other)
                sums.append(more)
                parts = [one for one in parts if one != part]
                break
    if given.turn.model.reason_unavailable is None:
        # A model's question is of one thing: what of it stands in the sum is not left, whatever else it names.
        told = {one.value for one in find_amounts("\n".join(sums))}
        parts = [one for one in parts if not set(figures_of(one).counted.values()) <= told]
    if parts:
        sums.append(say("math.left", lang, parts=", ".join(f"“{part}”" for part in parts)))
    evidence = tuple(evidence_of(one, given.agent.name) for one in used)
    return ToolResult(
        "\n\n".join(sums), say("math.context", lang), evidence, covered=True, unread=tuple(parts)
    )


def by_page(question: str, before: str, page: Passage, lang: Lang, *, typed: str = "", day: str = "") -> str:
    """What the rules of `page` come to, as `work_out`; where it is asked, what is left of a limit or beyond it."""
    heading = f"{page.title}\n{page.section}"
    parts = question.split("\n")
    for asked in (question, *(with_cost(one, parts[:nth]) for nth, one in enumerate(parts) if nth)):
        if told := left_or_over(asked, before, page.text, lang, heading):
            return told
    if asks_left_or_over(question):
        return ""
    return work_out(question, before, page.text, lang, typed=typed, day=day)


def _sum_of(given: ToolInputs, rule: Passage, day: str) -> str:
    """What `rule` comes to; "" where the message goes on with a sum and asks for another kind of figure than that."""
    asked = _typed(given)
    text = by_page(given.query, given.before, rule, given.turn.language, typed=asked, day=day)
    return text if not given.before or figure_request(asked).is_met(text) else ""


def _asks_of_bound(given: ToolInputs, rules: Sequence[Passage]) -> bool:
    """Whether the message only asks whether as much may be as one of the rules bounds: that is no sum."""
    asked = _typed(given)
    whether = asks(asked) and not (figure_request(asked).figure or asks_left_or_over(asked))
    return whether and any(_beyond(given, one.text) for one in rules)


def _other_matters(query: str, rule: Passage) -> list[str]:
    """The parts of a question that count something which `rule` does not speak of ("đi muộn 6 lần")."""
    parts = [
        one.strip() for piece in query.split(": ") for one in _AND.split(piece) if figures_of(one).counted
    ]
    held, units = text_of(rule.whole), re.compile("|".join(UNITS.values()))
    unread = ((one, question_of(question_of(one).names).coverage(held).unread) for one in parts)
    return [one for one, words in unread if not all(units.fullmatch(fold(word)) for word in words)]


def missing_for(query: str, lang: Lang) -> str:
    """Which figures are needed where money is to be worked out and none was said (004-44)."""
    said = figures_of(query)
    if said.money is not None or said.hourly is not None or not tool_words("cost").find(query):
        return ""
    return say("math.missing", lang)
