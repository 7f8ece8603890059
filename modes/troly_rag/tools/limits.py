"""What is left of a limit that a rule sets, or what goes beyond it, by the figures of the asker: limit − used, cost − limit.

Nothing is told where it is not certain which figure of the rule is the limit, or what a figure of the asker counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from troly.text.catalogue import Lang
from troly.text.fold import fold, nfc
from troly.text.match import blank_out
from troly.text.numbers import find_amounts, format_number, rounded
from troly_rag.answer.grounding import claims_of
from troly_rag.corpus.coverage import LEAST_PAY, NUMBERS, UNITS, question_of, text_of
from troly_rag.strings import say

MONEY = "VND"
_UNITS = {**UNITS, "character": "ky tu|characters?", "turn": "luot|turns?"}
_CALENDAR = ("week", "month", "year")
_ANY_UNIT = "|".join(_UNITS.values())
_MANY = r"(?:may|bao nhieu|nhieu|nhiu)"
_UNIT = re.compile(rf"\s*({_ANY_UNIT})\b")
# "Nam" is a year too, "bây giờ" is now, and "một tháng" is how a rule counts.
_SPELT = re.compile(
    rf"\b(?!bay gio\b)({'|'.join(one for one in NUMBERS if one not in ('mot', 'nam', 'one'))}) ({_ANY_UNIT})\b"
)
_NAMED_BY = re.compile(r"\b(?:ngay|thang|nam|thu|tang|lan|con)\s*$")
# What asks for the rest of a limit, and for what goes beyond it; the unit asked for is the last group.
_LEFT = (
    re.compile(rf"\b(?:con )?(?<!toi )thieu {_MANY}(?: (?P<unit>{_ANY_UNIT})\b)?(?: nua\b)?"),
    re.compile(rf"\bcon(?: (?:du|thua)\b)?(?P<inner>(?: [a-z]+){{0,7}}?) {_MANY}\b(?: tien\b)?(?: (?P<unit>{_ANY_UNIT}|trieu)\b)?(?: nua\b)?"),
    re.compile(rf"\b{_MANY} (?P<unit>{_ANY_UNIT}|trieu)(?P<inner>(?: [a-z]+){{0,3}}) nua\b"),
    re.compile(rf"\bhow (?:many|much)(?: more)?(?: (?P<unit>{_ANY_UNIT})\b)?(?P<inner>(?: [a-z]+){{0,6}}) (?:left|remain(?:s|ing)?)\b"),
    re.compile(rf"\bhow (?:many|much) more(?: (?P<unit>{_ANY_UNIT})\b)?"),
)  # fmt: skip
_OVER = (
    re.compile(rf"\b(?:phai |can )?(?:tu|tu minh) (?:phai )?(?:tra|bo|chi|chiu|thanh toan|dong)(?: (?:them|ra|tien tui))*(?: (?:het|mat))?(?: {_MANY}\b(?: tien\b)?)?"),
    re.compile(rf"\b(?:phai |can )?(?:bu|tra|chi|dong|bo|nop) (?:them )?(?:tien tui )?(?:ra )?{_MANY}\b(?: tien\b)?"),
    re.compile(rf"\b(?:phai |can )?bu(?: them)?(?: vao)?(?: (?:het|mat))? {_MANY}\b(?: tien\b)?"),
    re.compile(rf"\b(?:bi )?(?:vuot(?: qua)?|lo|qua)(?: (?:muc|han muc|gioi han|dinh muc))?(?: (?:mat|het))? {_MANY}\b(?: tien\b)?(?: (?P<unit>{_ANY_UNIT})\b)?"),
    re.compile(rf"\b(?:bi )?vuot(?: qua)?(?: (?:muc|han muc|gioi han))?(?=(?: [a-z]+){{1,4}} {_MANY}\b)"),
    re.compile(r"\b(?:out of )?(?:my )?own pocket\b|\bpay (?:by )?myself\b|\bpay (?:the )?(?:difference|extra)\b"),
    re.compile(rf"\bhow (?:many|much)(?: (?P<unit>{_ANY_UNIT})\b)?(?: [a-z]+){{0,3}} (?:over|above|beyond|exceed(?:ed|ing)?)(?: (?:the|my))?(?: (?:limit|maximum|cap|budget))?\b"),
)  # fmt: skip
_BEYOND = re.compile(r"\b(?:co )?(?:bi |phai )?(?:vuot|bu|lo)(?: (?:gi|them|khong|ko))?\b")
_SURPLUS = re.compile(r"con (?:du|thua)\b")
# What is left may be for the next one.
_FOR_NEXT = re.compile(r"\b(?:cho|de|for) (?:[a-z]+ ){1,3}?(?:khac|nua)\b|\bfor another(?: [a-z]+)?\b")
# "Trả bao nhiêu" alone asks what is paid; with one of these it is what the asker adds.
_ADDED = re.compile(r"\b(?:them|bu|tien tui)\b")
_PAID = re.compile(r"(?:phai |can )?(?:tra|chi|dong|bo|nop)\b")
_OF_REST = re.compile(
    r"\bcon (?:lai|du|thua|duoc|dc|bao nhieu)\b|\bnua\b|\b(?:left|more|remain\w*)\b|\bthieu\b"
)
# The rest of days that are counted as left is another matter ("phần còn lại", "còn dư 8 ngày").
_REST = re.compile(r"\b(?:phan|so) (?:con|du|thua)\b|\bthe (?:rest|remainder)\b")
_UNUSED = re.compile(
    r"\b(?:con|con lai|du|con du|thua|con thua|left|unused|remaining|chua (?:dung|nghi|xai))(?: (?:lai|duoc|toi|den))? $"
)
_PAY = re.compile(r"\b(?:luong|salary|wage|pay|income|thu nhap)\b[a-z ]{0,16}$")
# What a rule says before a figure that is no limit: where something begins, what is added, one of each.
_NO_LIMIT = re.compile(
    r"\b(?:tu|duoi|tren|(?<!ket )hon|den|toi|them|moi|tung|lan|thu|ngay|thang|nam|from|below|under|above|over|more|every|each|than|(?<!up )to|another|chia|by)\s*$"
)
_CAP = re.compile(
    r"\b(?:toi da|khong qua|nhieu nhat|han muc|dinh muc|phu cap|tro cap|gioi han|up to|at most|no more than|not more than|maximum|limit|allowance|capped|budget)\b"
)
_GRANT = re.compile(
    r"\b(?:duoc|co|tra|qua|dai|thoi gian|thoi han|it nhat|toi thieu|du|sau|trong|truoc|chua|have|has|get|given|paid|within|after|at least|holds?)\b"
)
_EACH = r"(?:cho )?(?:moi|mot|tung|hang|trong mot|trong|per|an?|each|every|/)"
_PER = re.compile(rf"\b(?:{_EACH}) ?(?:nguoi |person |employee )?(?:{_EACH} )?({_ANY_UNIT})\b")
# What was used up before, where a cost of now stands beside it.
_BEFORE_NOW = re.compile(r"\b(?:da|roi|truoc do|already|so far|used|earlier|before)\b")
_SPENT = re.compile(
    r"\b(?:da|roi|het|xai|dung|su dung|chi|tieu|ton|mat|bi|la|tong|tong cong|ca thay|gia|hoa don|tat ca|toi da|tien|khoan"
    r"|used|spent|cost|costs|already|so far|took|taken|was|is|bill|total|in all|altogether|price|do i have|to|pay|paid|have|i|had|did|can)\b"
)
_PERIOD = re.compile(
    r"\b(?:(?:tu )?(?:dau|trong|ca|mot|moi|1) (?P<whole>tuan|thang|quy|nam)(?: (?:nay|do)\b)?|(?P<unit>tuan|thang|quy|nam) (?:nay|do)\b)(?: den (?:gio|nay))?"
    r"|\b(?:this|in a|a|per|of the) (?P<english>week|month|quarter|year)\b|\b(?P<day>hom (?:nay|qua)|today|yesterday)\b"
)
_OTHER_TIME = re.compile(
    r"(?<!\d )\b(?P<unit>tuan|thang|quy|nam) (?:truoc|ngoai|roi|qua|sau|toi|kia)\b|\b(?:last|next) (?P<english>week|month|quarter|year)\b"
)
_TOTAL = re.compile(
    r"\b(?:het|tong|tong cong|ca thay|tat ca|total|in all|altogether|all together|bill|hoa don|ton|mat)\b"
)
_DUE = re.compile(r"\b(?:trong|truoc|sau|within|after)\s*$")
_THIS = re.compile(r"\b(?:nay|do|this|that)\b")
_FOR_EACH = re.compile(rf"\s*(?:(?:{_EACH}) ?|/ ?)({_ANY_UNIT})\b")
_PART = re.compile(r",(?!\d)|[.;](?!\d)|\b(?:thi|vay|va|con|and|but)\b")
_RANGE = re.compile(r"\s*(?:den|toi|-|to|hoac|or)\s*")
_RANGE_BEFORE = re.compile(r"\d\s*(?:den|toi|-|to)\s*$")
_SEVERAL = 2
_COMMA = re.compile(r",(?!\d)|;|\b(?:và|and)\b")


@dataclass(frozen=True, slots=True)
class _Count:
    """A figure with its unit: "VND", or a name of `_UNITS`; `end` is behind the unit, `word` the unit as written."""

    value: Decimal
    unit: str
    start: int
    end: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class _Limit:
    """The figure of a rule with the clause and sentence it stands in, and the units it is for each of; `due` is a deadline, `granted` what one
    may do so much of."""

    count: _Count
    clause: str
    sentence: str
    per: tuple[str, ...]
    due: bool
    granted: str


def left_or_over(question: str, before: str, text: str, lang: Lang, heading: str = "") -> str:
    """What is left of a limit in `text`, or beyond it, for the figures of `question`; "" for another question.

    A limit is one of the person only where the sentence under its `heading` speaks of all else that is asked. A cost may be
    that of the message `before`, whose newest line stands first.
    """
    question = nfc(question)
    folded, asked = fold(question), _request(question)
    own = asked.own if asked is not None else ()
    if asked is None or any(
        _UNUSED.search(folded[: one.start]) or _PAY.search(folded[: one.start]) for one in own
    ):
        return ""
    limit = _limit_for(question, before, text, heading, asked)
    return _worked_out(question, before, asked, limit, lang) if limit is not None else ""


def with_cost(question: str, parts: Sequence[str]) -> str:
    """`question` behind the one clause of the `parts` before it that tells a cost or what was used, where it asks what is left and
    tells none itself; else ""."""
    asked = _request(nfc(question))
    if asked is None or asked.over or asked.own:
        return ""
    clauses = [one for part in parts for one in _COMMA.split(nfc(part)) if counts_in(one)]
    counts = counts_in(clauses[0]) if len(clauses) == 1 else []
    return f"{clauses[0]}, {question}" if len(counts) == 1 and asked.unit in {"", counts[0].unit} else ""


def asks_left_or_over(question: str) -> bool:
    """Whether it asks for what is left or beyond with a figure of the asker's own in the unit that is asked for: no other sum
    answers that, but that of the points to a grade."""
    asked = _request(nfc(question))
    if asked is None or not (asked.over or asked.named) or asked.unit == "point":
        return False
    return any(one.unit == asked.unit for one in asked.own)


def asking_words(question: str) -> frozenset[str]:
    """The folded words of `question` that only ask for what is left of a limit or beyond it."""
    asked, folded = _request(nfc(question)), fold(nfc(question))
    if asked is None or not asked.own:
        return frozenset()
    return frozenset(
        word for start, end in _asking_spans(folded, asked) for word in re.findall(r"\w+", folded[start:end])
    )


def without_asking(question: str) -> str:
    """`question` without the figures of the asker and the words that only ask for what is left of a limit or beyond it; "" where
    that is not asked."""
    asked = _request(nfc(question))
    if asked is None or not asked.own:
        return ""
    figures = [(one.start, one.end) for one in asked.own]
    return blank_out(nfc(question), [*figures, *_asking_spans(fold(nfc(question)), asked)])


def _asking_spans(folded: str, asked: _Request) -> list[tuple[int, int]]:
    forms = (_SPENT, _PERIOD, _PER, _BEYOND if asked.over else _FOR_NEXT)
    return [*asked.spans, *(hit.span() for form in forms for hit in form.finditer(folded))]


@dataclass(frozen=True, slots=True)
class _Request:
    """What goes beyond a limit (`over`) or what is left of it, in a `unit` that may be `named`; where the words stand that ask
    so, and the asker's own figures."""

    over: bool
    unit: str
    named: bool
    spans: tuple[tuple[int, int], ...]
    own: tuple[_Count, ...]


def _request(question: str) -> _Request | None:
    """What is asked of a limit; None where nothing is."""
    folded, own = fold(question), tuple(counts_in(question))
    over = [
        hit
        for form in _OVER
        for hit in form.finditer(folded)
        if not _PAID.match(hit[0]) or _ADDED.search(hit[0])
    ]
    asked = next(filter(None, [*over, *(form.search(folded) for form in _LEFT)]), None)
    if asked is None or _REST.search(folded):
        return None
    groups, said = asked.groupdict(), {one.unit for one in own}
    word, inner = groups.get("unit") or "", asked.span("inner") if groups.get("inner") else (asked.end(),) * 2
    unit = MONEY if word == "trieu" or (not word and MONEY in said) else _unit_named(word)
    # "Còn chủ nhật được bao nhiêu" asks of another day.
    if not over and not word and not _OF_REST.search(folded[asked.start() : asked.end() + 5]):
        return None
    unit = unit or (said.pop() if len(said) == 1 else "")
    # Days left over may be those that are carried over; money left over is the rest.
    if not over and unit not in {"", MONEY} and _SURPLUS.match(asked[0]):
        return None
    spans = ((asked.start(), inner[0]), (inner[1], asked.end()))
    return _Request(bool(over), unit, bool(word), spans, own)


def _unit_named(word: str) -> str:
    """The name of a unit by a folded word for it."""
    return next((name for name, words in _UNITS.items() if re.fullmatch(words, word)), "")


def counts_in(text: str) -> list[_Count]:
    """The figures of `text` that count a unit or money, in order."""
    folded, found = fold(text), list[_Count]()
    for one in find_amounts(text):
        unit = _UNIT.match(folded, one.end)
        if one.unit in ("", MONEY) and (one.unit or one.value >= LEAST_PAY):
            found.append(_Count(one.value, MONEY, one.start, one.end))
        elif not one.unit and unit and not _NAMED_BY.search(folded[: one.start]):
            found.append(
                _Count(one.value, _unit_named(unit[1]), one.start, unit.end(), text[slice(*unit.span(1))])
            )
    for hit in _SPELT.finditer(folded):
        if not _NAMED_BY.search(folded[: hit.start()]):
            value = Decimal(NUMBERS.index(hit[1]) % 10 + 1)
            found.append(_Count(value, _unit_named(hit[2]), *hit.span(), text[slice(*hit.span(2))]))
    return sorted(found, key=lambda one: one.start)


def _limits(text: str, *, over: bool) -> Iterator[_Limit]:
    """The figures of a rule that bound or grant something; nothing is beyond a deadline."""
    for sentence in map(str.strip, claims_of(text)):
        folded, counts, bounded = fold(sentence), counts_in(sentence), dict[str, bool]()
        cuts = [0, *(cut.end() for cut in _COMMA.finditer(sentence)), len(sentence)]
        for one, after in zip(counts, [*counts[1:], None], strict=False):
            start, end = next(pair for pair in pairwise(cuts) if pair[0] <= one.start < pair[1])
            before, stop = folded[: one.start], after.start if after else len(folded)
            opens = after and _RANGE.fullmatch(folded[one.end : stop])
            if _NO_LIMIT.search(before) or opens or _RANGE_BEFORE.search(before):
                continue
            here = before if one.unit == MONEY else before[start:]
            if _CAP.search(here) or (one.unit != MONEY and _GRANT.search(here)):
                bounded.setdefault(one.unit, _DUE.search(before) is not None)
            # What is bounded in one clause of a sentence is bounded in the next ("30 ngày với hợp đồng có thời hạn").
            if one.unit in bounded and not (over and bounded[one.unit]):
                tail = re.sub(r"\b(?:nguoi|person)\b", " ", folded[one.end : min(end, stop)])
                per = tuple(_unit_named(hit[1]) for hit in _PER.finditer(tail))
                grants = [hit.end() for hit in _GRANT.finditer(folded, start, one.start)]
                granted = sentence[grants[-1] : one.start] if grants and one.unit != MONEY else ""
                granted = blank_out(granted, [hit.span() for hit in _CAP.finditer(fold(granted))])
                yield _Limit(one, sentence[start:end], sentence, per, bounded[one.unit], granted)


def _limit_for(question: str, before: str, text: str, heading: str, asked: _Request) -> _Limit | None:
    """The one limit that the question asks of."""
    folded, spans = fold(question), [*((one.start, one.end) for one in asked.own), *asked.spans]
    forms = (_SPENT, _PERIOD, _PER, _OTHER_TIME, _BEYOND if asked.over else _FOR_NEXT)
    plain = (hit.span() for form in forms for hit in form.finditer(folded))
    rest = question_of(blank_out(question, [*spans, *plain]))
    periods = _periods(blank_out(folded, spans))
    found = [
        one
        for one in _limits(text, over=asked.over)
        if one.count.unit == asked.unit
        and _is_for_period(one, periods)
        and not rest.coverage(text_of(f"{heading}\n{one.sentence}")).unread
        and rest.keeps_denials(one.sentence)
        and not (one.granted and question_of(one.granted).coverage(text_of(question)).unread)
        and not (one.due and not _named(question, one.clause, heading))
    ]
    if not rest.subjects:
        return None
    if len(found) > 1 and (named := _named_limit(question, before, heading, found)):
        return named
    # How long something is given comes before when it is due.
    given = [one for one in found if not one.due] or found
    return given[0] if len(given) == 1 else None


def _named_limit(question: str, before: str, heading: str, found: Sequence[_Limit]) -> _Limit | None:
    """Of several limits that which the question names by words that are not those of the page, else the one named before."""
    for line in (question, *before.split("\n")):
        said = blank_out(line, [hit.span() for hit in _CAP.finditer(fold(line))])
        # "Hợp đồng có thời hạn" stands word beside word in one clause, though another holds its words too.
        pairs = {
            pair for pair in text_of(said).pairs - text_of(heading).pairs if not any(map(str.isdigit, pair))
        }
        beside = [float(len(pairs & text_of(one.clause).pairs)) for one in found]
        for shares in (beside, [_named(said, one.clause, heading) for one in found]):
            if max(shares) > 0 and shares.count(max(shares)) == 1:
                return found[shares.index(max(shares))]
    return None


def _named(said: str, clause: str, heading: str) -> float:
    """How much of what is said a clause speaks of, but for units and the words of the page's title."""
    titled = {word.folded for word in question_of(heading).tokens}
    words = [word for word in question_of(said).words if not _UNIT.fullmatch(fold(word))]
    names = question_of(" ".join(word for word in words if fold(word) not in titled))
    return names.coverage(text_of(clause)).share if names.tokens else 0.0


def _periods(folded: str) -> set[str]:
    """The periods that are named, names of units; those before or after this one are others."""
    said = set()
    for form in (_PERIOD, _OTHER_TIME):
        for name, word in (one for hit in form.finditer(folded) for one in hit.groupdict().items() if one[1]):
            unit = "day" if name == "day" else _unit_named(word) or "quarter"
            said.add(unit if form is _PERIOD else f"another {unit}")
    return said


def _is_for_period(limit: _Limit, periods: set[str]) -> bool:
    """Whether the limit is for the one period that is named; what is said of a day tells nothing of a longer one."""
    return len(periods) <= 1 and (
        not limit.per or {one.removeprefix("another ") for one in periods} <= {*limit.per}
    )


def _worked_out(question: str, before: str, asked: _Request, limit: _Limit, lang: Lang) -> str:
    """The sum with the rule it is by; "" where it is not certain what the asker's figures are."""
    folded, unit, bound = fold(question), limit.count.unit, limit.count.value
    mine, others = (
        [one for one in asked.own if one.unit == unit],
        [one for one in asked.own if one.unit != unit],
    )
    each = next((one for one in limit.per if one not in _CALENDAR or unit == MONEY), "")
    if any(_CAP.search(folded[max(0, one.start - 16) : one.start]) for one in mine):
        # The limit as the asker tells it.
        if len(mine) < _SEVERAL or all(one.value != bound for one in mine):
            return ""
        mine = [one for one in mine if one.value != bound]
    times = [one for one in others if each and one.unit == each]
    if len(others) > len(times) or len(times) > 1 or not mine:
        return ""
    count = times[0].value if times else Decimal(1)
    used = [one for one in mine if _BEFORE_NOW.search(_part(folded, one))]
    if asked.over and mine == used and _THIS.search(folded[mine[-1].end :]):
        # What was used up is told now, the cost was told before.
        lines = ([one for one in counts_in(line) if one.unit == unit] for line in before.split("\n"))
        costs = next(filter(None, lines), [])
        if len(costs) != 1:
            return ""
        mine = [*mine, costs[0]]
    used = used if len(used) < len(mine) else []
    spans = (hit.span(1) for one in mine if each and (hit := _FOR_EACH.match(folded, one.end)))
    per = next((question[start:end] for start, end in spans), "")
    if (per or count > 1) and (len(mine) > 1 or (count > 1 and not per and not _TOTAL.search(folded))):
        return ""
    return _told(_Sum(mine, used, limit, count, per), lang, over=asked.over)


@dataclass(frozen=True, slots=True)
class _Sum:
    """The figures `mine`, of which some were `used` up before, for `count` times the limit, or `per` each of them."""

    mine: Sequence[_Count]
    used: Sequence[_Count]
    limit: _Limit
    count: Decimal
    per: str


def _told(parts: _Sum, lang: Lang, *, over: bool) -> str:
    """The sum with its rule."""
    mine, used, limit, count = parts.mine, parts.used, parts.limit, parts.count
    bound, unit = limit.count.value, limit.count.unit

    def shown(value: Decimal) -> str:
        return (
            f"{format_number(rounded(value), lang, 0)} VND"
            if unit == MONEY
            else format_number(value, lang, 4)
        )

    def counted(value: Decimal) -> str:
        return shown(value) if unit == MONEY else f"{shown(value)} {limit.count.word}"

    def listed(counts: Sequence[_Count]) -> str:
        told = " + ".join(shown(one.value) for one in counts)
        return f"({told})" if len(counts) > 1 else told

    gone, total = sum((one.value for one in used), Decimal(0)), sum((one.value for one in mine), Decimal(0))
    many = f"{format_number(count, lang, 4)} × " if count > 1 else ""
    top, whole, note = f"{many}{shown(bound)}", bound * count, ""
    if not over:
        value, line = whole - total, f"{top} − {listed(mine)}"
        more = f" ({say('math.over', lang, count=counted(-value))})" if value < 0 else ""
        line += f" = {counted(value)}" if value >= 0 else f" → {counted(Decimal(0))}{more}"
    else:
        cost, left = [one for one in mine if one not in used], max(Decimal(0), whole - gone)
        if parts.per:
            left, note = bound, "" if count > 1 else say("math.for_each", lang, unit=parts.per)
        beyond = (total - gone - left) * (count if parts.per else 1)
        less = f"({top} − {listed(used)})" if used and left else shown(left) if used or parts.per else top
        line = f"{listed(cost)} − {less}"
        line = f"{many}({line})" if parts.per and count > 1 else line
        line = (
            f"{line} = {counted(beyond)}{note}"
            if beyond > 0
            else f"{listed(cost)} ≤ {less} → {counted(Decimal(0))}"
        )
    return say("math.by_rule", lang, sums=line, rule=limit.sentence.strip(" ."), note="").strip()


def _part(folded: str, one: _Count) -> str:
    """The part of the message in which a figure stands."""
    cuts = [0, *(cut.end() for cut in _PART.finditer(folded)), len(folded)]
    return next(folded[start:end] for start, end in pairwise(cuts) if start <= one.start < end)
