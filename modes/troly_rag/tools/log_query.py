"""What a question asks of a log: which days and hours, which levels, names and codes, how large; and what of it is not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from troly.text.dates import HCM, Unit, days_in_full, find_hours, find_ranges, whole
from troly.text.fold import fold, nfc
from troly.text.match import blank_out, spans_of
from troly_rag.routing.lexicons import neighbours, tool_words
from troly_rag.routing.questions import WEEKDAY, user_named

LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
# Words of a question, folded, and the level they mean.
_LEVEL_WORDS = {
    "loi": "ERROR", "error": "ERROR", "errors": "ERROR", "su co": "ERROR", "incident": "ERROR", "nghiem trong": "CRITICAL",
    "critical": "CRITICAL", "canh bao": "WARNING", "warning": "WARNING", "warnings": "WARNING", "warn": "WARNING",
    "info": "INFO", "debug": "DEBUG",
}  # fmt: skip
_FAULT_OF_LEVEL = re.compile(
    r"\b(?:loi|su co)(?: muc)? (nghiem trong|critical)\b|\b(critical) (?:errors?|incidents?)\b"
)
# A number that counts nothing is a code.
_BARE_CODE = re.compile(
    r"(?<![\w/:.,-])\d{3,6}(?![\w/:-]|[.,]\d)(?!\s*(?:ngay|lan|dong|gio|phut|days?|times|lines?|hours?)\b)"
)
_NAME = re.compile(r"\b[A-Za-z]+[-_]?[0-9][\w-]*\b")
_SHORT_CODE = re.compile(r"\b(?:loi|ma|error|code)\s+(?:so\s+)?(\d{2})\b(?!\s*(?:ngay|lan|dong|gio)|\s*[/-])")
# A longer number behind such a word counts no days or weeks ("lỗi 691 tuần trước").
_LONG_CODE = re.compile(r"\b(?:loi|ma|errors?|codes?|faults?)\s+(?:so\s+)?(\d{3,6})\b")
_CLOCK_NAME = re.compile(r"[hH]\d{1,2}|\d+")
# Where what is left out of a count or added to it ends.
_PART_ENDS = re.compile(r"[,;.?!](?=\s|$)|\b(?:thì|thi|còn|con|then|how|what)\b", re.IGNORECASE)
# A name that stands beside all logs.
_GENERAL, _JOINED = (
    r"(?:(?:logs?|nhat ky) )?(?:he thong|may chu|system|server)(?: logs?)?",
    r"(?:va|voi|lan|cung|and|&|,)",
)
_BESIDE_ALL = re.compile(
    rf"\b([\w.-]+)\s*{_JOINED}\s*{_GENERAL}\b|\b{_GENERAL}\s*{_JOINED}\s*(?:(?:logs?|nhat ky) )?([\w.-]+)"
)
_OF_ONE = re.compile(r"\b(?:logs?|nhat ky) (?:cua )?([\w.-]+)|\b([\w.-]+) logs?\b")
# The name before "too", which without its accents is that only where it closes.
_TOO = re.compile(
    r"([\w.-]+)\s+(?:nữa|luôn|too|as well)\b|([\w.-]+)\s+(?:nua|luon)(?=\s*(?:$|[,;.?!)]|thi\b|la\b))",
    re.IGNORECASE,
)
# The week of a period by its first and last day.
_ALL_WEEK = re.compile(
    r"\b(?:tu )?(?:thu (?:hai|2)|t2|monday) ?(?:den|toi|-|to|until|through) ?(?:het )?(?:chu nhat|cn|sunday)\b"
)
# A no that is neither the end of a question nor read as what is left out.
_DENIED = re.compile(
    r"(?<!co )(?<!duoc )\b(?:khong|ko|chua|chang|not|no|never|without)\s+(?:(?:co|bi|con|la|thuoc|any|an|a|had|have|has|get|got)\s+)*(?:[\w.-]+)"
)
_SHORTEST_DAY = timedelta(days=1)
# The first day of what is only asked up to a day, and one that no log is kept on.
EVER, _LAST = date(1970, 1, 1), date(9998, 12, 31)
_MINUTES, _WEEK = 60, 7
# The hours of a part of the day; a night is that of the labour law and ends on the next day, midnight is no part.
_DAY, _EVENING = 24 * _MINUTES, 18 * _MINUTES
_PARTS = {
    "log_morning": (0, 12 * _MINUTES), "log_noon": (11 * _MINUTES, 13 * _MINUTES), "log_afternoon": (12 * _MINUTES, _EVENING),
    "log_evening": (_EVENING, _DAY), "log_night": (22 * _MINUTES, _DAY + 6 * _MINUTES), "log_midnight": (0, 0),
}  # fmt: skip
# The whole of the week, month or year that was spoken of last, else of this one.
_WHOLE = re.compile(
    r"\b(?:(?:trong |suot )*(?:ca|nguyen|toan)|trong|suot) (?P<vi>tuan|thang|nam)\b|\b(?:(?:in|for|over|during) )?(?:the )?(?:whole|entire|all) (?P<en>week|month|year)\b"
)
_WHOLE_UNITS: dict[str, Unit] = {
    "tuan": "week", "thang": "month", "nam": "year", "week": "week", "month": "month", "year": "year",
}  # fmt: skip
_PAST = re.compile(
    r"\b(\d{1,4}|mot|nua|an?|one|half an)?\s*(gio|tieng|h|hours?|phut|minutes?|mins?)\s+(?:qua|vua qua|vua roi|gan day|gan nhat|tro lai day|truoc den nay)\b"
    r"|\b(?:last|past|previous)\s+(\d{1,4}\s+)?(hours?|minutes?|mins?)\b"
)
# What opens or closes a period, right before it.
_SINCE = re.compile(r"\b(?:ke tu|tu|since|from)\s*$")
_BEFORE = re.compile(r"(?<!tuan )(?<!thang )(?<!nam )\b(truoc|before)\s*$")
_FROM_THE_NEXT = re.compile(r"\b(?:sau|after)\s*$")
_UP_TO = re.compile(r"\b(?:den het|cho den|den|toi|until|up to)\s*$")
_JOINS_PERIODS = re.compile(r"\s*(?:den het|den|toi|cho den|cho toi|-|to|until|through)\s*")
# "Giữa 3/11 và 5/11" is one period, but where the two are compared.
_BETWEEN_PERIODS, _AND = (
    re.compile(r"\b(?:giua|trong khoang|tu|between|from)\s*$"),
    re.compile(r"\s*(?:va|and)\s*"),
)
# A part of a period, which is not read.
_PART_OF_PERIOD = re.compile(
    r"\b(?:dau|giua|cuoi|nua|nua dau|nua cuoi|early|mid|late|start of|end of|middle of|first half of)(?:\s+(?:cua|in|of|the))*\s*$"
)
_MEASURED = re.compile(r"(?<![\w/:.,-])(\d+(?:[.,]\d+)?)\s*(ms|mili ?giay|milliseconds?|s|giay|seconds?)\b")
_NUMBER = re.compile(r"(?<![\w/:.,-])\d+(?:[.,:/]\d+)*(?:\s*%|\s+(?:[a-z]+))?|\bca hai\b")
_TIMES_UNIT = re.compile(r"\s*(?:lan|times?|dong|lines?)\b")

Stretch = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What lines are asked for: a time range (aware, end excluded) or several `periods` in it, the minutes of each day, levels, words
    that a line must or must not hold (folded; of `either` one), and how many milliseconds it may tell; with the words of the
    question that are `unread` though they narrow it, and the `rest` of it without what is read. `times` is how often each of
    those who are named must be, `all_of` the unit that is asked for as a whole ("cả tháng"); systems, numbers and levels that are
    `added` are counted beside what else is asked for."""

    start: datetime | None = None
    end: datetime | None = None
    levels: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    either: bool = False
    periods: tuple[Stretch, ...] = ()
    hours: tuple[int, int] | None = None
    measure: tuple[float, float] | None = None
    times: tuple[float, float] | None = None
    all_of: Unit | None = None
    added: tuple[str, ...] = field(default=(), compare=False)
    added_levels: frozenset[str] = field(default=frozenset(), compare=False)
    unread: tuple[str, ...] = field(default=(), compare=False)
    rest: str = field(default="", compare=False)

    @property
    def numbers(self) -> tuple[str, ...]:
        """The codes that are bare numbers: a line holds one of them."""
        return tuple(word for word in self.words if word.isdigit())

    @property
    def counted(self) -> tuple[str, ...]:
        """The codes of which a line holds one, and that are counted apart."""
        return self.words if self.either else self.numbers

    def in_period(self, moment: datetime) -> bool:
        """Whether a moment is in the period that is asked for, at its hours."""
        if (self.start and moment < self.start) or (self.end and moment >= self.end):
            return False
        if self.periods and not any(start <= moment < end for start, end in self.periods):
            return False
        local = moment.astimezone(HCM)
        minute = local.hour * _MINUTES + local.minute
        return self.hours is None or any(
            self.hours[0] <= one < self.hours[1] for one in (minute, minute + _DAY)
        )

    def after(self, older: LogQuery) -> LogQuery:
        """This one with the period of `older` where it has none of its own; hours of its own are those of that day."""
        if self.all_of and older.start and older.start.date() > EVER:
            stretch = _days(*whole(older.start.astimezone(HCM).date(), self.all_of))
            return replace(self, start=stretch[0], end=stretch[1])
        if self.start or self.end:
            return self
        start, end, hours = older.start, older.end, self.hours or older.hours
        if self.hours and start and end and end - start <= _SHORTEST_DAY:
            start, end, hours = *_at_hours(start, self.hours), None
        return replace(self, start=start, end=end, periods=older.periods, hours=hours)


def parse_log_query(query: str, now: datetime, known: Iterable[str] = ()) -> LogQuery:
    """What a question asks of a log: its period, its levels, quoted words or codes, and which of those or of the systems
    `known` it leaves out."""
    today, known = now.astimezone(HCM).date(), tuple(known)
    query = days_in_full(nfc(query), today)
    periods, hours, rest, unread = _when(query, now.astimezone(HCM))
    all_of: Unit | None = None
    if not periods and (said := _WHOLE.search(fold(rest))):
        all_of, rest = _WHOLE_UNITS[said["vi"] or said["en"]], blank_out(rest, [said.span()])
        periods = [_days(*whole(today, all_of))]
    measure, times, rest, more = _how_large(rest)
    rest, without, no_levels, left = _without_parts(rest, _parts(rest, "log_without", "log_kind"), known)
    left += [] if without or no_levels or left else _denials(rest, known)
    rest, added, added_levels, odd = _without_parts(rest, added_in(rest), known)
    odd += [name for name in added if not name.isdigit() and name not in map(fold, known)]
    levels = _levels_in(rest)
    if no_levels:
        levels = (levels or {*LEVELS, ""}) - no_levels
    words = tuple(fold(quoted) for quoted in re.findall(r"[\"“']([^\"”']{2,60})[\"”']", rest))
    user = user_named(rest)
    codes = words or tuple(dict.fromkeys((*codes_in(rest), *([user] if user else []))))
    names = [word for word in codes if not word.isdigit()]
    # A system that calls another is told by lines that name both; else names side by side are each its own.
    several = {*names, *map(fold, systems_in(rest, known))}
    either = len(several) > 1 and not tool_words("log_calls").find(rest)
    if either:
        codes = tuple(word for word in codes if word not in map(fold, known))
        either = len([word for word in codes if not word.isdigit()]) > 1
    start, end = (min(one[0] for one in periods), max(one[1] for one in periods)) if periods else (None, None)
    spans = [one.span for one in find_ranges(query, today)] if len(periods) > 1 else []
    gaps = [query[first:last] for (_, first), (last, _) in pairwise([(0, 0), *spans, (len(query), 0)])]
    told = [tuple(systems_in(gap, known)) for gap in gaps]
    if len({*filter(None, told)}) > 1 and any(told[1:-1]):
        # Each day with a system of its own: those are several counts.
        unread.append(query[spans[1][0] :])
    if hours and len(periods) == 1 and periods[0][1] - periods[0][0] <= _SHORTEST_DAY:
        (start, end), hours = _at_hours(periods[0][0], hours), None
    return LogQuery(
        start, end, frozenset(levels), codes, without, either, tuple(periods) if len(periods) > 1 else (), hours,
        measure, times, all_of, added, added_levels, (*unread, *more, *left, *odd, *_figures_left(rest, codes, known)), rest,
    )  # fmt: skip


def _levels_in(query: str) -> set[str]:
    """The levels that are meant: one in capitals to the letter, "lỗi" every line that is no less than an error."""
    if exact := {level for level in LEVELS if re.search(rf"\b{level}\b", query)}:
        return exact
    # In "lỗi nghiêm trọng" the fault is only what is serious.
    text = _FAULT_OF_LEVEL.sub(r"\1\2", fold(query))
    levels = {level for word, level in _LEVEL_WORDS.items() if re.search(rf"\b{word}\b", text)}
    return levels | ({"CRITICAL"} if "ERROR" in levels else set())


def _at_hours(day: datetime, hours: tuple[int, int]) -> Stretch:
    midnight = datetime.combine(day.astimezone(HCM).date(), time(), HCM)
    return midnight + timedelta(minutes=hours[0]), midnight + timedelta(minutes=hours[1])


def _when(query: str, now: datetime) -> tuple[list[Stretch], tuple[int, int] | None, str, list[str]]:
    """The periods, each once, and the hours of a question, the question without them, and what of that is not read."""
    text, unread, found = fold(query), list[str](), list[Stretch]()
    for past in _PAST.finditer(text):
        many = (past[1] or past[3] or "1").strip()
        count = float(many) if many.isdigit() else 0.5 if many in ("nua", "half an") else 1.0
        unit = past[2] or past[4]
        length = timedelta(minutes=count) if unit.startswith(("ph", "min")) else timedelta(hours=count)
        found.append((now - length, now))
    query = blank_out(query, [past.span() for past in _PAST.finditer(text)])
    codes = [one.span(1) for one in _LONG_CODE.finditer(fold(query))]
    ranges = find_ranges(blank_out(query, codes), now.date())
    ranges = [one for one in ranges if one.start > EVER and one.end < _LAST]
    spans = [one.span for one in ranges]
    hours, query, odd = _hours(query, spans)
    unread += odd
    text, at, spent = fold(query), 0, list[tuple[int, int]]()
    compared = bool(tool_words("compare").find(query))
    while at < len(ranges):
        one = ranges[at]
        start, end, head = one.start, one.end, text[: one.span[0]].rstrip()
        joins = text[one.span[1] : ranges[at + 1].span[0]] if at + 1 < len(ranges) else "."
        between = _BETWEEN_PERIODS.search(head) if _AND.fullmatch(joins) else None
        if between:
            spent.append(between.span())
            head = text[: between.start()].rstrip()
        if _JOINS_PERIODS.fullmatch(joins) or (between and not compared):
            end = ranges[at + 1].end
            spent.append((one.span[1], ranges[at + 1].span[0]))
            at += 1
        elif (opens := _SINCE.search(head) or _FROM_THE_NEXT.search(head)) is not None:
            start = start if _SINCE.search(head) else one.end + timedelta(days=1)
            end = max(start, now.date())
            spent.append(opens.span())
        elif (closes := _BEFORE.search(head) or _UP_TO.search(head)) is not None:
            start, end = EVER, one.start - timedelta(days=1) if _BEFORE.search(head) else one.end
            spent.append(closes.span())
        elif (part := _PART_OF_PERIOD.search(head)) is not None:
            unread.append(query[part.start() : one.span[1]])
        found.append(_days(start, end))
        at += 1
    rest = blank_out(query, [*spans, *spent])
    if any((end - start).days == _WEEK and not start.weekday() for start, end in found):
        rest = blank_out(rest, [one.span() for one in _ALL_WEEK.finditer(fold(rest))])
    unread += [rest[hit.start() : hit.end()] for hit in WEEKDAY.finditer(fold(rest))]
    unread += [rest[hit.start : hit.end] for hit in neighbours().find(rest)]
    return list(dict.fromkeys(found)), hours, rest, unread


def _days(first: date, last: date) -> Stretch:
    return datetime.combine(first, time(), HCM), datetime.combine(last, time(), HCM) + timedelta(days=1)


def _hours(query: str, periods: Sequence[tuple[int, int]]) -> tuple[tuple[int, int] | None, str, list[str]]:
    """The minutes of the day that are asked for, the question without their words, and all of those where they are several."""
    found = [(one.first, one.last, *one.span) for one in find_hours(blank_out(query, periods))]
    text = blank_out(query, [one[2:] for one in found])
    for name, (first, last) in _PARTS.items():
        for part in tool_words(name).find(text):
            beside = any(
                start <= part.start < end or not text[min(part.end, end) : max(part.start, start)].strip()
                for start, end in periods
            )
            if part.exact or " " in part.phrase or beside:
                found.append((first, last, part.start, part.end))
    spans = [one[2:] for one in found]
    outside = [span for span in spans if not any(start <= span[0] < end for start, end in periods)]
    kinds = {one[:2] for one in found}
    odd = len(kinds) > 1 or any(first >= last or (last > _DAY and first < _EVENING) for first, last in kinds)
    unread = [query[start:end].strip() for start, end in spans] if odd else []
    return (next(iter(kinds)) if kinds and not odd else None), blank_out(query, outside), unread


def _how_large(
    query: str,
) -> tuple[tuple[float, float] | None, tuple[float, float] | None, str, list[str]]:
    """How many milliseconds a line may tell, how often somebody must be named, the question without that, and the comparisons
    that are not read."""
    measure = times = None
    unread: list[str] = []
    spent: list[tuple[int, int]] = []
    text = fold(query)
    for sign in _comparisons(query):
        start, end, least, most = sign
        unit = _MEASURED.search(text, start)
        if unit is not None and unit.start() < end:
            scale = 1.0 if unit[2].startswith("m") else 1000.0
            measure, end = (least * scale, most * scale), max(end, unit.end())
        elif (counted := _TIMES_UNIT.match(text, end)) and tool_words("log_who").find(query):
            times, end = (least, most), counted.end()
        else:
            word = re.match(r"\s*(?:%|\w+)?", text[end:])
            unread.append(query[start : end + (word.end() if word else 0)].strip())
        spent.append((start, end))
    return measure, times, blank_out(query, spent), unread


_FIGURE = r"(\d+(?:[.,]\d+)?)"
_RANGE = re.compile(
    rf"\b(?:tu|from|between)\s+{_FIGURE}\s*(?:ms|s|giay)?\s*(?:den|toi|to|and|va|-)\s*{_FIGURE}"
)
_JUST_ABOVE = 1e-9


def _comparisons(query: str) -> Iterator[tuple[int, int, float, float]]:
    """Each comparison with a number: where it stands, the least and the most that are meant."""
    text, at = fold(query), -1
    for found in _RANGE.finditer(text):
        at = found.end()
        yield found.start(), at, _value(found[1]), _value(found[2])
    for number in re.finditer(
        rf"(?<![\w/:.,-]){_FIGURE}(?![\w/:-]|[.,]\d)|(?<![\w/:.,-]){_FIGURE}(?=(?:ms|s)\b)", text
    ):
        value = _value(number[1] or number[2])
        if number.start() < at:
            continue
        for name, written, bounds in (
            ("log_not_more", r"(?:<=|≤)\s*$", (float("-inf"), value)), ("log_not_less", r"(?:>=|≥)\s*$", (value, float("inf"))),
            ("log_more", r">\s*$", (value + _JUST_ABOVE, float("inf"))), ("log_less", r"<\s*$", (float("-inf"), value - _JUST_ABOVE)),
        ):  # fmt: skip
            before = [
                hit
                for hit in tool_words(name).find(query)
                if hit.end <= number.start() and not text[hit.end : number.start()].strip(" =")
            ]
            sign = re.search(written, text[: number.start()])
            after = [
                hit
                for hit in tool_words(f"{name}_after").find(query)
                if number.end() <= hit.start and re.fullmatch(r"\s*\w*\s*", text[number.end() : hit.start])
            ] if name.startswith("log_not") else []  # fmt: skip
            if before or sign or after:
                start = before[0].start if before else sign.start() if sign else number.start()
                yield start, after[0].end if after else number.end(), *bounds
                break


def _value(text: str) -> float:
    return float(text.replace(",", "."))


def added_in(query: str) -> list[tuple[int, int]]:
    """Where a question names what is counted too ("tính cả vpn", "web-02 nữa", "vpn và log hệ thống")."""
    forms = (_BESIDE_ALL, _OF_ONE) if tool_words("log_all").find(query) else (_BESIDE_ALL,)
    found = (*_TOO.finditer(query), *(one for form in forms for one in form.finditer(fold(query))))
    return [*(one.span(one.lastindex or 0) for one in found), *_parts(query, "log_also", "log_without")]


def _parts(query: str, name: str, outer: str) -> Iterator[tuple[int, int]]:
    """What stands behind the words of the list `name`, where they are no part of those of `outer`."""
    others = spans_of(tool_words(outer).find(query))
    for hit in tool_words(name).find(query):
        if not any(start <= hit.start < end for start, end in others):
            ends = _PART_ENDS.search(query, hit.end)
            yield hit.end, ends.start() if ends else len(query)


def _without_parts(
    query: str, parts: Iterable[tuple[int, int]], known: Sequence[str]
) -> tuple[str, tuple[str, ...], frozenset[str], list[str]]:
    """The question without what its `parts` name, the codes and systems of that (folded), its levels, and what is not read."""
    names, levels, spans, unread = list[str](), set[str](), list[tuple[int, int]](), list[str]()
    for start, end in parts:
        words = re.finditer(r"[\w.-]+", query[start:end])
        named = [start + word.end() for word in words if codes_in(word[0]) or systems_in(word[0], known)]
        part = query[start : named[-1] if named else end]
        codes, systems, of_part = codes_in(part), systems_in(part, known), _levels_in(part)
        if systems and of_part and not codes:
            unread.append(part.strip())
        elif codes or systems or of_part:
            spans.append((start, start + len(part)))
            names += [*codes, *map(fold, systems)]
            levels |= set() if codes or systems else of_part
    return blank_out(query, spans), tuple(dict.fromkeys(names)), frozenset(levels), unread


def _denials(query: str, known: Iterable[str]) -> Iterator[str]:
    """What of the question says no to a level, a system or a code."""
    text = fold(query)
    for hit in _DENIED.finditer(text):
        last = query[hit.start() : hit.end()].rsplit(maxsplit=1)[-1]
        if _levels_in(last) or codes_in(last) or systems_in(last, known):
            yield query[hit.start() : hit.end()]


def codes_in(query: str) -> tuple[str, ...]:
    """Names of machines and codes in a question without its period: words with a digit or a hyphen inside letters
    (`db-01`, `E1042`), and numbers that count nothing."""
    text = fold(query)
    named = (fold(word) for word in _NAME.findall(query) if not _CLOCK_NAME.fullmatch(word))
    return tuple(dict.fromkeys((*named, *_SHORT_CODE.findall(text), *_BARE_CODE.findall(text))))


def code_asked_about(query: str) -> Iterator[tuple[int, int]]:
    """Where a question asks what a code is ("lỗi 691 là gì"), which no line tells."""
    for hit in tool_words("what_is").find(query):
        if re.search(r"\d{2,6}\s*$", query[: hit.start]) or re.match(
            r"\s*(?:\w+\s+)?\d{2,6}\b", query[hit.end :]
        ):
            yield hit.start, hit.end


def without_codes(query: str) -> str:
    """The question without names of machines and codes."""
    return _NAME.sub(lambda name: " " * len(name[0]), query)


def _figures_left(query: str, codes: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    """Numbers of a question that are read as nothing; "2 hệ thống web-01 và web-02" counts what it names."""
    names = [*codes, *systems_in(query, known)]
    text = fold(blank_out(query, spans_of(tool_words("log_all").find(query))))
    for found in _NUMBER.finditer(text):
        number = re.match(r"\d+", found[0].replace("ca hai", "2"))
        if number is None or number[0] in codes or number[0] == str(len(set(names))):
            continue
        yield query[found.start() : found.end()]


def systems_in(text: str, known: Iterable[str]) -> list[str]:
    """The systems of the log that `text` names: by their name, or by what their numbered names begin with."""
    said = set(re.findall(r"[\w.-]+", fold(text)))
    names = sorted(known)
    whole = [name for name in names if fold(name) in said]
    return whole or [name for name in names if re.sub(r"[-_]?\d+$", "", fold(name)) in said]
