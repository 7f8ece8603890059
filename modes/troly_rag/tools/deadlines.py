"""By which day or hour something is due: a rule of so many days or hours before or after, and the day or hour that the asker names.

A day is told only where the rule says what it is counted from, and the message says that of the day that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from troly.text.catalogue import Lang
from troly.text.dates import (
    add_months,
    days_in_full,
    find_hours,
    find_ranges,
    format_date,
    make_date,
)
from troly.text.fold import fold, nfc
from troly.text.match import blank_out
from troly_rag.answer.grounding import claims_of
from troly_rag.corpus.coverage import figure_request, question_of, text_of
from troly_rag.strings import say

_SPAN = r"(?P<count>\d+) (?P<kind>working |business )?(?P<unit>ngay|tuan|thang|gio|phut|days?|weeks?|months?|hours?|minutes?)\b(?P<working> lam viec| cong)?"
_BACK = re.compile(
    rf"\btruoc (?:it nhat )?{_SPAN}|\b{_SPAN.replace('?P<', '?P<b')} (?:ahead|before|in advance|notice)\b"
)
_FORTH = re.compile(rf"\b(?:trong|within)(?: vong)? {_SPAN}(?P<base> (?:sau|ke tu|after|of)\b)?")
_AGAIN = re.compile(rf"^\s*{_SPAN}")
_CLAUSE = re.compile(r",(?!\d)|;|\b(?:va|and)\b(?= [a-z ]*\d)")
_PART = re.compile(r",(?!\d)|[.;!?]\s|\b(?:thi|vay|then|so)\b")
# What asks by when, and what only leads to it.
_ASKS = re.compile(
    r"\b(?:(?:muon|cham|tre|som) nhat|han(?: chot| cuoi)?|deadline|due|latest|earliest|by when|at the)\b|\b(?:la |vao |den |toi |truoc |tu )?(?:ngay|hom|gio|luc) (?:may|nao|bao nhieu)\b"
    r"|\b(?:la |vao |den |toi |truoc |tu )?may (?:gio|ngay)\b|\b(?:khi nao|bao gio|luc nao|when|what (?:day|date|time)|which day)\b|\bla\b|\b(?:moi )?(?:duoc|dc|phai|can|bi)\b"
)
_ACT = re.compile(
    r"\b(?:nop|gui|dua|viet|lam|xin|dua) (?:don|phieu|thong bao|yeu cau|giay)\b(?: (?:xin|bao))?|\b(?:bao|xin|dang ky|thong bao|submit(?:ted)?|hand(?:ed)? in|give notice|gave notice|notify|apply|register)(?: truoc)?\b"
)
_SENT = re.compile(r"\b(?:nop|gui|dua|submit(?:ted)?|send|sent)\b")
# What ends a thing that a rule counts from the end of.
_ENDED = re.compile(r"\b(?:ve|xong|ket thuc|het|return(?:ed)?|back|end(?:s|ed)?|finish(?:ed)?|over)\b")
_LEAST = re.compile(r"\b(?:tu (\d+) (?:ngay|days?) tro len|of (\d+) days or more)\b")
_DAYS = re.compile(r"\b(\d+) (?:ngay|days?)\b(?! (?:lam viec|nao))")
_ASKS_HOUR = re.compile(r"\bmay gio\b|\bwhat time\b|\bluc nao\b|\bwhen\b|\bkhi nao\b")
_ASKS_DAY = re.compile(r"\b(?:ngay|hom) (?:may|nao)\b|\bwhich day\b")
_FROM = re.compile(
    r"\b(?:tu|from|since)(?= (?:ngay |hom )?(?:(?:thu \w+|chu nhat|[a-z]+day),? (?:ngay )?)?\d{1,2}[/-]\d)"
)
_BARE_DAY = re.compile(r"(?<![\w/.,-])\d{1,2}[/-]\d{1,2}(?![\w/.,-])")
_TO = re.compile(r"\b(?:den|toi|to|until) (?:het )?(?:ngay |hom |thu \w+ )*\d{1,2}[/-]\d")
_NAMES = ("hai", "ba", "tu", "nam", "sau", "bay")
WEEKDAY_NAMES = {
    **{f"thu {name}": at for at, name in enumerate(_NAMES)},
    **{f"thu {at + 2}": at for at in range(6)},
    "chu nhat": 6,
    **{f"{name}day": at for at, name in enumerate(("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))},
}
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAY_NAMES)})\b")
# What a notice is given for.
_GIVEN_FOR = re.compile(r"\b(?:nghi|leave|start|off|last day)\b")
# How long something holds, and what asks when it ends.
_TERM = re.compile(
    r"\b(?:thoi han|co han|hieu luc|valid for|expires? (?:after|in))(?: (?:la|trong))? (\d+) (?:(ngay|days?)|(tuan|weeks?)|(thang|months?)|(nam|years?))\b"
)
_ENDS = re.compile(
    r"\b(?:den |toi )?(?:het (?:han|hieu luc)|(?:ket thuc|con hieu luc)|expires?|ends?|run out)\b"
)
_SINCE = re.compile(r"\b(?:ke tu|tu|from|since)(?=\s{2}|\s*$)")
_LENGTH = re.compile(r"\b\d+ (?:ngay|tuan|thang|nam|days?|weeks?|months?|years?)\b")
_SPOKEN_OF = 0.6
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_SATURDAY, _DAY_MINUTES = 5, 24 * 60
_MINUTES = {"gio": 60, "hour": 60, "phut": 1, "minute": 1}


@dataclass(frozen=True, slots=True)
class _Rule:
    """So many of a unit before (`sign` -1) or after something; `clause` says what is due, `events` what it is counted from."""

    sign: int
    count: int
    unit: str
    working: bool
    shown: str
    case: str
    clause: str
    events: str
    sentence: str
    based: bool


def due(question: str, before: str, text: str, today: date, lang: Lang, *, heading: str = "") -> str:
    """The day or hour by which something is due, or on which it ends, by a rule in `text`; "" where the rule under its `heading` does not speak of
    all else that is asked. The day may be that of a message `before`, whose newest line stands first."""
    if told := _end_of_term(nfc(question), text, today, lang, heading):
        return told
    question = _plain_days(nfc(question), today)
    minute = _minute_named(question) if _ASKS_HOUR.search(fold(question)) else None
    if minute is None and not asks_when(question):
        return ""
    said, day, spans = ("", None, ()) if minute is not None else _day_named(question, before, today)
    for rules in _rules(text) if day or minute else ():
        if (rules[0].unit in _MINUTES) != (minute is not None) or (minute is not None and rules[0].working):
            continue
        own = minute is not None or said == question
        parts = _parts(question, minute[1] if minute is not None else spans if own else ())
        if not (sign := _sign(rules[0], parts, heading, own=own, before=said)):
            continue
        chosen = _of_case(rules, question, before)
        lines = [
            _hour_line(minute[0], rule, sign, lang)
            if minute is not None
            else _day_line(day or today, rule, sign, lang, several=len(chosen) > 1)
            for rule in chosen
        ]
        sums = "; ".join(lines)
        return say("math.by_rule", lang, sums=sums, rule=rules[0].sentence.strip(" ."), note="").strip()
    return ""


def _end_of_term(question: str, text: str, today: date, lang: Lang, heading: str) -> str:
    """The day on which ends what begins on the one day of a question, by the one length of time of a rule in `text`; "" where
    the rule under its `heading` does not speak of all else that is asked."""
    ranges = find_ranges(question, today)
    if len(ranges) != 1 or ranges[0].start != ranges[0].end or not figure_request(question).moment:
        return ""
    day, asked = ranges[0].start, blank_out(question, [ranges[0].span])
    day = day if _YEAR.search(question) else nearest(day, today)
    # Of which of several days, or for how long, is another question.
    if re.search(r"\d/\d", asked) or _LENGTH.search(fold(asked)) or not _ENDS.search(fold(asked)):
        return ""
    rest = question_of(_without(asked, _SINCE, _ENDS))
    for rule in map(str.strip, claims_of(text)):
        term = _TERM.search(fold(rule))
        several = len(_LENGTH.findall(fold(rule))) > 1
        if not term or several or rest.coverage(text_of(f"{heading}\n{rule}")).unread:
            continue
        count, (days, weeks, months, years) = int(term[1]), map(bool, term.groups()[1:])
        then = add_months(day, count * (12 if years else 1)) if months or years else day
        then += timedelta(days=count * (7 if weeks else 1) * (days or weeks))
        name = say("math.weekdays", lang).split("|")[then.weekday()]
        line = f"{format_date(day)} + {rule[term.start(1) : term.end()]} = {name} {format_date(then)}"
        return say("math.by_rule", lang, sums=line, rule=rule.strip(" ."), note="").strip()
    return ""


def asks_when(question: str) -> bool:
    """Whether it asks for a day or a time of day."""
    folded = fold(question)
    return figure_request(question).moment or bool(_ASKS_DAY.search(folded) or _ASKS_HOUR.search(folded))


def asking_words(question: str) -> frozenset[str]:
    """The folded words of `question` that only ask by when something is due."""
    folded = fold(nfc(question))
    if not asks_when(question):
        return frozenset()
    spans = (hit.span() for form in (_ASKS, _ACT) for hit in form.finditer(folded))
    return frozenset(word for start, end in spans for word in re.findall(r"\w+", folded[start:end]))


def _plain_days(text: str, today: date) -> str:
    """`text` with English days in figures, and without a "from" before a day alone: it is that day."""
    if question_of(text).language == "en" or _BARE_DAY.search(text):
        text = days_in_full(text, today)
    spans = [hit.span() for hit in _FROM.finditer(fold(text))]
    return text if _TO.search(fold(text)) else blank_out(text, spans)


def _day_named(
    question: str, before: str, today: date
) -> tuple[str, date | None, tuple[tuple[int, int], ...]]:
    """The newest line that names a day, with the day and where it stands; None where several are named, or it is called by
    the name of another day of the week."""
    for line in (question, *before.split("\n")):
        told = line if line == question else _plain_days(nfc(line), today)
        ranges = find_ranges(told, today)
        if not ranges:
            continue
        dated = [one for one in ranges if re.search(r"\d\D*\d", told[slice(*one.span)])] or list(ranges)
        if len(dated) != 1 or dated[0].start != dated[0].end:
            return line, None, ()
        day = dated[0].start if _YEAR.search(told) else nearest(dated[0].start, today)
        names = {WEEKDAY_NAMES[hit[0]] for hit in _WEEKDAY.finditer(fold(told))}
        beside = [one for one in ranges if one is not dated[0]]
        wrong = any(one.start.weekday() != day.weekday() or one.start != one.end for one in beside)
        if wrong or names - {day.weekday()}:
            return line, None, ()
        return line, day, tuple(one.span for one in ranges)
    return "", None, ()


def _minute_named(question: str) -> tuple[int, tuple[tuple[int, int], ...]] | None:
    """The one time of day that is named, in minutes, and where it stands."""
    hours = [one for one in find_hours(question) if one.last - one.first <= 60]
    sure = [one for one in hours if one.sure or re.search(r"\d\s*h\b", fold(question[slice(*one.span)]))]
    if len(sure) != 1 or len(hours) != 1:
        return None
    day = [
        hit.span()
        for hit in re.finditer(
            r"\b(?:sang|trua|chieu|toi|dem) (?:nay|hom nay)\b|\b(?:hom nay|today|this (?:morning|afternoon|evening))\b",
            fold(question),
        )
    ]
    return sure[0].first, (sure[0].span, *day)


def _parts(question: str, named: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """The part of the question that names the day, without it, and the rest; both of the whole where it is one part."""
    folded = fold(question)
    bare = blank_out(question, named)
    if not named:
        return "", bare
    cuts = [0, *(hit.end() for hit in _PART.finditer(folded)), len(folded)]
    pairs = list(pairwise(cuts))
    first = min(start for start, _ in named)
    inside = next(pair for pair in pairs if pair[0] <= first < pair[1])
    rest = " ".join(bare[start:end] for start, end in pairs if (start, end) != inside)
    return bare[slice(*inside)], rest


def _rules(text: str) -> Iterator[list[_Rule]]:
    """The rules of each sentence that say when something is due; the cases of one rule together."""
    earlier = ""
    for sentence in map(str.strip, claims_of(text)):
        folded = fold(sentence)
        cuts = [0, *(hit.end() for hit in _CLAUSE.finditer(folded)), len(folded)]
        told: list[_Rule] = []
        for start, end in pairwise(cuts):
            clause, here = folded[start:end], sentence[start:end].strip(" ,.;")
            back, forth = _BACK.search(clause), _FORTH.search(clause)
            again = _AGAIN.search(clause) if told and told[-1].sign < 0 else None
            hit = back or forth or again
            if hit is None:
                continue
            group = "b" if back and hit["count"] is None else ""
            unit = hit[f"{group}unit"].removesuffix("s")
            rule = _Rule(
                -1 if back or again else 1,
                int(hit[f"{group}count"]),
                unit,
                bool(hit[f"{group}kind"] or hit[f"{group}working"]),
                sentence[
                    start + hit.start(f"{group}count") : start
                    + hit.end(f"{group}working" if hit[f"{group}working"] else f"{group}unit")
                ],
                sentence[start + hit.end() : end].strip(" ,.;"),
                here,
                # What a later clause tells is counted from what the one before it tells.
                sentence[:end] if start else f"{earlier}\n{sentence[:end]}",
                sentence,
                bool(forth and hit["base"]),
            )
            if told and not again:
                yield told
                told = []
            told.append(rule)
        if told:
            yield told
        earlier = sentence


def _sign(rule: _Rule, parts: tuple[str, str], heading: str, *, own: bool, before: str) -> int:
    """-1 for so long before the day that is named, 1 for so long after it; 0 where the rule does not tell."""
    event, asked = parts
    one_part = own and not question_of(_without(asked, _ASKS, _ACT)).tokens and not _ACT.search(fold(asked))
    if one_part:
        event, asked = f"{event} {asked}", ""
    acts = bool(_ACT.search(fold(event))), bool(_ACT.search(fold(asked)))
    rest = question_of(_without(f"{event} {asked}", _ASKS, _ACT))
    if not rest.tokens or not _counts_enough(rule, f"{event} {asked}\n{'' if own else before}"):
        return 0
    if rule.sign < 0:
        whole = text_of(f"{heading}\n{rule.sentence}")
        # The day of the notice leads to the day that it is given for.
        sign = 1 if acts == (True, False) and not one_part else -1 if not acts[0] or one_part else 0
        forms = (_ASKS, _ACT, _DAYS, *([_GIVEN_FOR] if sign > 0 else []))
        return 0 if question_of(_without(f"{event} {asked}", *forms)).coverage(whole).unread else sign
    if one_part or not own:
        return 0
    ended = bool(_ENDED.search(fold(event)))
    asks_clause = (
        not question_of(_without(asked, _ASKS)).coverage(text_of(f"{heading}\n{rule.clause}")).unread
    )
    of_event = question_of(_without(event, _ENDED, _ASKS, _SENT))
    counted = ended if rule.based else bool(of_event.tokens) and not ended
    spoken = not of_event.coverage(text_of(f"{heading if rule.based else ''}\n{rule.events}")).unread
    return int(asks_clause and counted and spoken and bool(question_of(_without(asked, _ASKS)).tokens))


def _without(text: str, *forms: re.Pattern[str]) -> str:
    return blank_out(text, [hit.span() for form in forms for hit in form.finditer(fold(text))])


def _counts_enough(rule: _Rule, said: str) -> bool:
    """Whether the days that are counted are as many as the rule is for; no other days are."""
    days = [int(hit[1]) for hit in _DAYS.finditer(fold(said))]
    least = next((int(hit[1] or hit[2]) for hit in _LEAST.finditer(fold(rule.sentence))), None)
    return not days or (least is not None and len(set(days)) == 1 and days[0] >= least)


def _of_case(rules: Sequence[_Rule], question: str, before: str) -> list[_Rule]:
    """The case of a rule of which most is named now, word beside word, else before; all where none is named more than others."""
    for line in (question, *before.split("\n")) if len(rules) > 1 else ():
        cases = [text_of(rule.case).pairs for rule in rules]
        named = [len(pairs & text_of(line).pairs) / len(pairs) if pairs else 0.0 for pairs in cases]
        if max(named) >= _SPOKEN_OF and named.count(max(named)) == 1:
            return [rules[named.index(max(named))]]
    return list(rules)


def _day_line(day: date, rule: _Rule, sign: int, lang: Lang, *, several: bool) -> str:
    then = day
    if rule.unit in ("thang", "month"):
        then = add_months(day, sign * rule.count)
    else:
        step, left = timedelta(days=sign), rule.count * (7 if rule.unit in ("tuan", "week") else 1)
        while left:
            then += step
            left -= not rule.working or then.weekday() < _SATURDAY
    name = say("math.weekdays", lang).split("|")[then.weekday()]
    case = f" ({rule.case})" if several and rule.case else ""
    return f"{format_date(day)} {'−' if sign < 0 else '+'} {rule.shown}{case} = {name} {format_date(then)}"


def _hour_line(minute: int, rule: _Rule, sign: int, lang: Lang) -> str:
    then = minute + sign * rule.count * _MINUTES[rule.unit]
    beside = {-1: "math.day_before", 1: "math.day_after"}.get(then // _DAY_MINUTES, "")
    told = f"{_clock(minute, lang)} {'−' if sign < 0 else '+'} {rule.shown} = {_clock(then % _DAY_MINUTES, lang)}"
    return f"{told}{say(beside, lang)}" if beside else told


def _clock(minute: int, lang: Lang) -> str:
    hour, rest = divmod(minute, 60)
    return f"{hour}:{rest:02}" if lang == "en" else f"{hour} giờ" + (f" {rest:02}" if rest else "")


def nearest(day: date, today: date, years: Iterable[int] = (-1, 0, 1)) -> date:
    """Of the days called so, so many `years` from that one, the one that is nearest."""
    found = [make_date(day.year + more, day.month, day.day) for more in years]
    return min(filter(None, found), key=lambda one: abs(one - today))
