"""Finds values of columns too long for their examples, where a message has words nothing else was found for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from troly.text.fold import fold
from troly_analysis.planner.mentions import Extra, Mention, leftovers
from troly_analysis.planner.schema import Schema, Value
from troly_analysis.planner.shapes import Lookup, Ref
from troly_analysis.planner.wording import Wording

_REACH, _LONGEST = 2, 6
_MOST_TRIED, _MOST_RUNS, _MOST_FOUND, _MOST_COLUMNS = 14, 4, 50, 8
Place = tuple[int, int]


def long_values(
    wording: Wording, schema: Schema, mentions: Sequence[Mention], lookup: Lookup | None
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


def _places(wording: Wording, mentions: Sequence[Mention]) -> Iterator[tuple[Place, bool]]:
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
