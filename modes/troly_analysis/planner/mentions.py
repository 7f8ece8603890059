"""Everything a message names, in order: words of questions, columns, values, periods and amounts, none overlapping."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from troly.text.dates import DateRange, find_ranges
from troly.text.fold import fold, nfc
from troly.text.numbers import Amount, counting_words, find_amounts
from troly_analysis.planner.lexicon import things
from troly_analysis.planner.lexicon import words as listed_words
from troly_analysis.planner.schema import Schema, Target, Value
from troly_analysis.planner.types import Lookup, Ref
from troly_analysis.planner.wording import CorrectedText, read_spans
from troly_analysis.types import TEMPORAL

_CLOSE = 0.035
"""Readings whose weights differ by less are equally good."""
_THING, _ROWS = 1.3, 0.7
"""How surely words name a thing for which the sheet has no column."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# A number in words that nothing else is made of.
_COUNTED = 0.7


@dataclass(slots=True)
class Mention:
    """Words `start:end` of the message and all they can mean; reading a question gives it a `role`."""

    start: int
    end: int
    text: str
    labels: frozenset[str] = frozenset()
    targets: tuple[Target, ...] = ()
    values: tuple[Value, ...] = ()
    period: DateRange | None = None
    amount: Amount | None = None
    role: str = ""
    """What it was read as, "" where nothing was made of it."""
    score: float = 0.0

    def has(self, *labels: str) -> bool:
        """Whether the words can mean one of `labels`."""
        return not self.labels.isdisjoint(labels)

    @property
    def best(self) -> tuple[Target, ...]:
        """The targets that are equally good."""
        top = self.targets[0].weight if self.targets else 0.0
        return tuple(target for target in self.targets if top - target.weight < _CLOSE)

    @property
    def number(self) -> Decimal:
        """The amount as a number, 0 for none."""
        return self.amount.value if self.amount else Decimal(0)

    @property
    def unit(self) -> str:
        """The unit of time the words can name, "" for none."""
        return next((label[5:] for label in self.labels if label.startswith("unit ")), "")


@dataclass(slots=True)
class _Pile:
    labels: set[str] = field(default_factory=set)
    targets: dict[str, Target] = field(default_factory=dict)
    values: dict[tuple[str, str], Value] = field(default_factory=dict)
    period: DateRange | None = None
    amount: Amount | None = None
    score: float = 0.0


Extra = tuple[int, int, Value]
"""Words `start:end` that were found to be a value."""


def find_mentions(
    wording: CorrectedText, schema: Schema, today: date, extra: Iterable[Extra] = ()
) -> list[Mention]:
    """What the message names, left to right. Longer readings win over shorter ones, the sheet's own over the lists'."""
    piles: dict[tuple[int, int], _Pile] = defaultdict(_Pile)
    text, typed = wording.text, wording.words
    _add_periods(piles, wording, schema, today)
    for hit in listed_words().find(text, typed, careful=wording.careful):
        pile = piles[hit.start, hit.end]
        pile.labels.add(hit.payload)
        # "không có" is more than the two cells "không" and "có".
        sure = 0.3 if hit.payload == "blank" else -0.3 if hit.payload == "filler" else 0.0
        pile.score = max(pile.score, 1.0 - hit.loss + sure)
    for found in schema.names.find(text, typed, careful=wording.careful, bare=schema.bare):
        target = found.payload
        if target.spelled and nfc(typed[found.start].text).lower() != target.spelled:
            continue
        pile = piles[found.start, found.end]
        if (old := pile.targets.get(target.key)) is None or old.weight < target.weight:
            pile.targets[target.key] = target
        pile.score = max(pile.score, 0.6 + 0.8 * target.weight - found.loss)
    for value in schema.values.find(text, typed, careful=wording.careful, bare=schema.bare):
        pile = piles[value.start, value.end]
        key = (value.payload.ref.sheet, value.payload.ref.name)
        pile.values[key] = _better(pile.values.get(key), value.payload)
        pile.score = max(pile.score, 0.6 + 0.8 * value.payload.weight - value.loss)
    for start, end, given in extra:
        pile = piles[start, end]
        pile.values[given.ref.sheet, given.ref.name] = given
        pile.score = max(pile.score, 0.6 + 0.8 * given.weight)
    _add_things(piles, wording, schema)
    return _select(piles, wording)


def _add_things(piles: dict[tuple[int, int], _Pile], wording: CorrectedText, schema: Schema) -> None:
    """Names of things that the sheet has no column for: what is asked about them is said to be missing."""
    for thing in things().find(wording.text, wording.words, careful=wording.careful):
        pile = piles[thing.start, thing.end]
        folded = tuple(token.folded for token in wording.words[thing.start : thing.end])
        valued = any(schema.values.listed(folded[at:]) for at in range(1, len(folded)))  # "phiếu xuất"
        ahead = [target for at in range(1, len(folded)) for target in schema.names.listed(folded[:at])]
        rows = any(target.key == "rows" and target.weight >= _ROWS for target in ahead)  # "đơn giao"
        if not (pile.labels or pile.targets or pile.values or pile.period or valued or rows):
            pile.labels.add("rows" if folded[0] in {"luot", "lan"} else "about")
            pile.score = max(pile.score, _THING - thing.loss)


def _better(old: Value | None, new: Value) -> Value:
    if old is None or (new.whole, new.weight) > (old.whole, old.weight):
        return new
    if (new.whole, new.weight) == (old.whole, old.weight):
        return Value(old.ref, tuple(dict.fromkeys(old.values + new.values)), old.whole, old.weight)
    return old


def _add_periods(
    piles: dict[tuple[int, int], _Pile], wording: CorrectedText, schema: Schema, today: date
) -> None:
    taken: list[tuple[int, int]] = []
    dated = [ref for ref in schema.refs.values() if ref.kind in TEMPORAL and not ref.sheet]
    for read in read_spans(wording, today, schema.sheet.span if len(dated) == 1 else None):
        found = _beside_value(wording, schema, read, today)
        place = _words_of(wording, *found.span)
        if place:
            piles[place].period, piles[place].score = found, 2.2
            taken.append(found.span)
    for amount in find_amounts(wording.text):
        if any(amount.start < end and start < amount.end for start, end in taken):
            continue
        if place := _words_of(wording, amount.start, amount.end):
            typed = wording.text[amount.start : amount.end]
            piles[place].amount, piles[place].score = amount, 1.3
            if _YEAR.fullmatch(typed):
                year = int(typed)
                piles[place].period = DateRange(
                    date(year, 1, 1), date(year, 12, 31), typed, (amount.start, amount.end)
                )

    for amount in counting_words(wording.text):
        place = _words_of(wording, amount.start, amount.end)
        if (
            place
            and place not in piles
            and not any(amount.start < end and start < amount.end for start, end in taken)
        ):
            piles[place].amount, piles[place].score = amount, _COUNTED


def _beside_value(wording: CorrectedText, schema: Schema, found: DateRange, today: date) -> DateRange:
    """Without its first number where that is part of a value: "quầy 2 tháng 10" is no second of October."""
    place = _words_of(wording, *found.span)
    if (
        place is None
        or place[1] - place[0] < 3
        or not place[0] > 0
        or not wording.words[place[0]].folded.isdigit()
    ):
        return found
    first = wording.words[place[0]]
    before = wording.words[place[0] - 1]
    value = schema.values.listed((before.folded, first.folded))
    rest = find_ranges(wording.text[first.end : found.span[1]], today) if value else []
    if not rest:
        return found
    start, end = rest[0].span
    return DateRange(rest[0].start, rest[0].end, rest[0].label, (first.end + start, first.end + end))


def _words_of(wording: CorrectedText, start: int, end: int) -> tuple[int, int] | None:
    inside = [nth for nth, token in enumerate(wording.words) if token.start < end and start < token.end]
    return (inside[0], inside[-1] + 1) if inside else None


def _select(piles: dict[tuple[int, int], _Pile], wording: CorrectedText) -> list[Mention]:
    """The best row of readings that do not overlap: most words covered by few long readings."""
    count = len(wording.words)
    best: list[tuple[float, int]] = [(0.0, -1)] * (count + 1)
    ending: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (start, end), pile in piles.items():
        ending[end].append((start, pile.score * (end - start) ** 1.25))
    for end in range(1, count + 1):
        best[end] = (best[end - 1][0], -1)
        for start, score in ending[end]:
            if best[start][0] + score > best[end][0]:
                best[end] = (best[start][0] + score, start)
    chosen: list[Mention] = []
    at = count
    while at > 0:
        start = best[at][1]
        if start < 0:
            at -= 1
            continue
        chosen.append(_mention(start, at, piles[start, at], wording))
        at = start
    return chosen[::-1]


def _mention(start: int, end: int, pile: _Pile, wording: CorrectedText) -> Mention:
    typed = wording.text[wording.words[start].start : wording.words[end - 1].end]
    targets = sorted(pile.targets.values(), key=lambda target: -target.weight)
    values = sorted(pile.values.values(), key=lambda value: (-value.whole, -value.weight))
    return Mention(
        start,
        end,
        typed,
        frozenset(pile.labels),
        tuple(targets),
        tuple(values),
        pile.period,
        pile.amount,
        score=pile.score,
    )


def leftovers(mentions: Iterable[Mention], wording: CorrectedText) -> list[tuple[int, int, str]]:
    """Runs of words that no mention covers: first word, word after the last, and the text."""
    covered = {at for mention in mentions for at in range(mention.start, mention.end)}
    runs: list[tuple[int, int, str]] = []
    at = 0
    while at < len(wording.words):
        if at in covered:
            at += 1
            continue
        end = at
        while end < len(wording.words) and end not in covered:
            end += 1
        text = wording.text[wording.words[at].start : wording.words[end - 1].end]
        runs.append((at, end, text))
        at = end
    return runs


# Finds values of columns too long for their examples, where a message has words nothing else was found for.


_REACH, _LONGEST = 2, 6
_MOST_TRIED, _MOST_RUNS, _MOST_FOUND, _MOST_COLUMNS = 14, 4, 50, 8
Place = tuple[int, int]


def long_values(
    wording: CorrectedText, schema: Schema, mentions: Sequence[Mention], lookup: Lookup | None
) -> list[Extra]:
    """The values that the words nothing was found for name, alone or with the words around them."""
    columns = [(key, ref) for key, ref in schema.refs.items() if _long(schema, key, ref)][:_MOST_COLUMNS]
    if lookup is None or not columns:
        return []
    found: list[Extra] = []
    for place, part in _places(wording, mentions):
        if any(start < place[1] and place[0] < end for start, end, _ in found):
            continue
        words = wording.words[place[0] : place[1]]
        phrase = fold(wording.text[words[0].start : words[-1].end])
        for key, ref in columns:
            values = lookup(schema.sheet, schema.fields[key], phrase)
            whole = any(" ".join(fold(value).split()) == phrase for value in values)
            if whole or (part and 0 < len(values) <= _MOST_FOUND):
                weight = 1.0 if whole else 0.6
                found.append((*place, Value(ref, tuple(values), whole=whole, weight=weight)))
                break
    return found


def _long(schema: Schema, key: str, ref: Ref) -> bool:
    found = schema.fields[key]
    return ref.kind == "text" and not ref.sheet and found.distinct > len(found.examples)


def _places(wording: CorrectedText, mentions: Sequence[Mention]) -> Iterator[tuple[Place, bool]]:
    """Where to look, longest first: around each run of unknown words, then the run and its parts (True)."""
    fixed = {at for m in mentions if m.period or m.amount for at in range(m.start, m.end)}
    for start, end, _ in leftovers(mentions, wording)[:_MOST_RUNS]:
        wide = [
            (first, last)
            for first in range(max(0, start - _REACH), start + 1)
            for last in range(end, min(len(wording.words), end + _REACH) + 1)
            if (first, last) != (start, end)
            and last - first <= _LONGEST
            and fixed.isdisjoint(range(first, last))
        ]
        inside = [
            (first, last)
            for first in range(start, end)
            for last in range(first + 1, end + 1)
            if last - first <= 3
        ]
        known = {(start, end): True, **dict.fromkeys(inside, True), **dict.fromkeys(wide, False)}
        for place in sorted(known, key=lambda each: (each[0] - each[1], each))[:_MOST_TRIED]:
            yield place, known[place]
