"""The days of a question, as conditions on the date that the asked records have."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from troly.text.dates import DateRange, add, find_ranges, make_date
from troly.text.fold import fold
from troly.text.match import blank_out, spans_of
from troly_rental.question.types import Filter, Span
from troly_rental.question.vocabulary import Vocabulary, left_out_before

FIELD = {
    "room": "posted_at", "post": "posted_at", "room_seeking_post": "posted_at", "building": "posted_at",
    "contract": "start_date", "invoice": "month", "viewing": "scheduled_at",
}  # fmt: skip
_PUBLIC = frozenset({"room", "post", "room_seeking_post"})
_FROM = re.compile(r"(?<!\w)(?:tu|ke tu|tu sau|from|since|after|sau|starting)\s*(?:ngay|thang|the)?\s*$")
_UNTIL = re.compile(r"(?<!\w)(?:truoc|before)\s*(?:ngay|thang|the)?\s*$")
_UP_TO = re.compile(
    r"(?<!\w)(?:den(?:\s+(?:het|cuoi))?|(?<!cua )toi\s+(?:het|cuoi)|cho toi|until|till|through|by)\s*(?:ngay|thang|the|the end of)?\s*$"
)
"""The last day of what is asked for: "từ mai đến hết chủ nhật"."""
_LEFT_OUT = left_out_before("thang")
"""A period that is left out: "không tính tháng 11"."""
_WITHIN = re.compile(r"(?<!\w)(?:over|during|in|within|for|through|trong|vao|hoi|cua)\s*(?:the)?\s*$")
_WHEN = re.compile(r"(?<!\w)(?:khi nao|ngay nao|ngay may|bao gio|bao lau|when|how long|until)(?!\w)")
_FIRST = re.compile(r"(?<!\w)(?:nhat|truoc tien|dau tien|first|soonest)(?!\w)")
_NEAR = re.compile(r"(?<!\w)(?:sap|gan|soon|about|running)(?!\w)|ing(?!\w)")
_YEAR_SAID = re.compile(
    r"(?:19|20)\d\d|(?<!\w)(?:nam|year|nay|qua|truoc|ngoai|roi|last|past|previous|this)(?!\w)"
)
_OVER = re.compile(r"(?<!\w)(?:da|roi|expired|ended|over)(?!\w)")
_PAID = re.compile(r"(?<!\w)(?:da|moi|vua)\s+(?:dong|tra|nop|thanh toan)(?!\w)|(?<!\w)paid(?!\w)")
_VAGUE = re.compile(r"(?<!\w)(?:may|vai|few|several|some)(?!\w)")
"""A period of no certain length."""
_AGO = re.compile(r"(?<!\w)(?:truoc|ago|before)(?!\w)")
_NO_DAY = r"(?![\w/]|[.,-]\d|\s*(?:h|g|gio|tieng|phut|thang|nam|dem|lan|hang|moi|of|%)(?!\w))"
_LONE_DAY = re.compile(
    rf"(?<!\w)(?<!\d )(?:(?:ngay|hom|bua)\s+(\d{{1,2}})(?:\s+nay)?|the\s+(\d{{1,2}})(?:st|nd|rd|th)){_NO_DAY}"
)
"""A day of this month: "ngày 25 này"."""
_DAY_TOO = re.compile(
    r"^\W*(?:(?:con|the|vay|va|and|what about|how about)\s+)?(?:(?:ngay|hom|bua|the)\s+)?(\d{1,2})(?:st|nd|rd|th)?(?=\W*$|\s+(?:thi|co|sao|the nao)(?!\w))"
)
"""A day beside the one that was asked about: "26 thì có mấy cuộc"."""
_MONTH_LEAST = timedelta(days=27)
"""A bill of fewer days is one that is due, or was paid, on them: "hôm nay tôi có phải đóng gì không"."""
_GAP = 12
_SOON = timedelta(days=30)


def parse_days(
    vocabulary: Vocabulary, text: str, entity: str, now: datetime, *, figures: bool
) -> tuple[list[Filter], str, list[Span]]:
    """Conditions on days in `text` for `entity`, the text without them, and where those stand that were understood.

    For rooms and posts a day counts when it says when they were posted, or when figures of a period are asked for;
    "hôm nay" alone is a way of speaking.
    """
    ranges = named_days(text, entity, now.date())
    if entity in _PUBLIC:
        about = bool(vocabulary.find(text, "asks", "posted")) or figures or entity == "post"
        moving = vocabulary.find(text, "asks", "moving in")
        if moving and entity == "room_seeking_post":
            return _conditions(text, ranges, "move_in_date")
        if not about or moving:
            spoken = [one.span for one in ranges if one.start == one.end == now.date()]
            return [], blank_out(text, [one.span for one in ranges]), spoken
        # Nothing was posted in days to come: those are of something else that is told.
        past = [one for one in ranges if one.start <= now.date()]
        found, rest, spans = _conditions(text, past, FIELD[entity])
        return found, blank_out(rest, [one.span for one in ranges]), spans
    return _conditions(text, ranges, FIELD[entity])


def named_days(text: str, entity: str, today: date, *, ahead: bool = False) -> list[DateRange]:
    """The days and periods in `text` as records of `entity` have them, left to right: an appointment is on the nearest day of that name,
    what is `ahead` on the coming one, and "ngày 25" is of this month. "mấy tháng trước" names no month.
    """
    found = [
        one for one in find_ranges(text, today) if not (is_vague(text, one) and _AGO.search(_said(text, one)))
    ]
    if ahead:
        return [_ahead(text, one, today) for one in found]
    if entity == "viewing":
        found = [_nearest(text, one, today) for one in found]
    if entity in _PUBLIC:
        return found
    lone = []
    for hit in _LONE_DAY.finditer(fold(text)):
        day = _day_of(today, int(hit[1] or hit[2]))
        if day is not None and day < today and entity == "viewing" and not _OVER.search(fold(text)):
            day = _day_of(_first_of_month(today.replace(day=2)), day.day)
        taken = any(one.span[0] < hit.end() and hit.start() < one.span[1] for one in found)
        if day is not None and not taken and (day >= today or entity == "viewing"):
            lone.append(DateRange(day, day, hit[0], hit.span()))
    return sorted([*found, *lone], key=lambda one: one.span)


def is_vague(text: str, one: DateRange) -> bool:
    """Whether a period of `text` says no number: "mấy tháng gần đây"."""
    return _VAGUE.search(_said(text, one)) is not None


def day_too(text: str, before: date) -> DateRange | None:
    """The day of its month that a message asks about beside the day `before`; None where it asks about none."""
    hit = _DAY_TOO.search(fold(text))
    day = _day_of(before, int(hit[1])) if hit else None
    return DateRange(day, day, hit[1], hit.span(1)) if hit and day else None


def _said(text: str, one: DateRange) -> str:
    return fold(text[slice(*one.span)])


def _day_of(month: date, number: int) -> date | None:
    return make_date(month.year, month.month, number)


def parse_contract_end(
    vocabulary: Vocabulary, text: str, entity: str, now: datetime
) -> tuple[list[Filter], str, list[Span]]:
    """Contracts that end soon, in a period, or first of those that run: conditions on their last day."""
    hits = vocabulary.find(text, "asks", "ending")
    if entity != "contract" or not hits:
        return [], text, []
    ranges = named_days(text, entity, now.date(), ahead=True)
    rest = blank_out(text, spans_of(hits))
    if ranges:
        found, rest, spans = _conditions(rest, ranges, "end_date")
        return found, rest, [*spans, *spans_of(hits)]
    running = Filter("end_date", ">=", now.date().isoformat())
    if _FIRST.search(fold(text)) and not _OVER.search(fold(text)):
        return [running], rest, spans_of(hits)
    if (
        _WHEN.search(fold(text))
        or _FIRST.search(fold(text))
        or not any(_NEAR.search(fold(hit.phrase)) for hit in hits)
    ):
        return [], rest, spans_of(hits)
    soon = Filter("end_date", "<=", (now.date() + _SOON).isoformat())
    return [running, soon], rest, spans_of(hits)


def _nearest(text: str, found: DateRange, today: date) -> DateRange:
    """The days of that name nearest to today: an appointment "ngày 27/11" is of this year."""
    ahead = _ahead(text, found, today)
    return ahead if ahead.start - today < today - found.end else found


def _ahead(text: str, found: DateRange, today: date) -> DateRange:
    """The coming days of that name, where a period that is over has no year: a contract ends in the time ahead."""
    if found.end >= today or _YEAR_SAID.search(_said(text, found)) or _OVER.search(fold(text)):
        return found
    again = [one for one in find_ranges(text, add(today, 1, "year")) if one.span == found.span]
    return again[0] if again and again[0].start >= today else found


def parse_upcoming(vocabulary: Vocabulary, text: str, entity: str, now: datetime) -> list[Filter]:
    """Appointments still to come."""
    if entity == "viewing" and vocabulary.find(text, "asks", "upcoming"):
        return [Filter("scheduled_at", ">=", now.date().isoformat())]
    return []


def _first_of_month(day: date) -> date:
    """The first day of a month from `day` on."""
    return day if day.day == 1 else (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _is_month(one: DateRange) -> bool:
    same = (one.start.year, one.start.month) == (one.end.year, one.end.month)
    return same and one.start.day == 1 and one.end > one.start


def _conditions(text: str, ranges: list[DateRange], field: str) -> tuple[list[Filter], str, list[Span]]:
    found: list[Filter] = []
    read: list[Span] = []
    if field == "month" and len(ranges) > 1 and all(_is_month(one) for one in ranges):
        # "tháng 9 và tháng 10" are two months, told apart.
        sides = tuple(sorted({one.start.isoformat() for one in ranges}))
        gaps = [(a.span[1], b.span[0]) for a, b in pairwise(ranges) if b.span[0] - a.span[1] <= _GAP]
        spans = [one.span for one in ranges]
        return [Filter(field, "in", sides)], blank_out(text, spans), [*spans, *gaps]
    if field == "month":  # "3 tháng gần nhất": months that lie in it with their first day
        ranges = [
            replace(one, start=_first_of_month(one.start)) if one.end - one.start > _SOON else one
            for one in ranges
        ]
    bills, by_day = field == "month", "paid_at" if _PAID.search(fold(text)) else "due_date"
    for one in ranges:
        name = by_day if bills and one.end - one.start < _MONTH_LEAST else field
        before = fold(text[: one.span[0]])
        kinds = (_FROM, _UNTIL, _UP_TO, _WITHIN, _LEFT_OUT)
        word = next((led for kind in kinds if (led := kind.search(before))), None)
        read.append((word.start() if word else one.span[0], one.span[1]))
        since = "ke tu" in fold(one.label) or fold(one.label).startswith(("since", "tu dau"))
        if bills and word and word.re is _LEFT_OUT and _is_month(one):
            found.append(Filter(name, "!=", one.start.isoformat()))
        elif _FROM.search(before) or since:
            found.append(Filter(name, ">=", one.start.isoformat()))
        elif _UNTIL.search(before):
            found.append(Filter(name, "<", one.start.isoformat()))
        elif _UP_TO.search(before):
            found.append(Filter(name, "<=", one.end.isoformat()))
        else:
            found += [Filter(name, ">=", one.start.isoformat()), Filter(name, "<=", one.end.isoformat())]
    return found, blank_out(text, [one.span for one in ranges]), read
