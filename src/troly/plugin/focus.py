"""The shared focus: what a conversation showed last, and the words that point at it ("cái thứ hai", "con rẻ nhất")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from troly.text.fold import WordToken, accents_agree, nfc, tokens
from troly.text.numbers import find_amounts
from troly.text.wordlist import LEXICONS, read_lists

# The key of the focus in a conversation's metadata.
KEY = "focus"
Scalar = str | float | bool | None
ReferenceKind = Literal["ordinal", "first", "last", "extreme", "this", "these"]


@dataclass(frozen=True, slots=True)
class FocusRow:
    """One row that was shown: the id its mode finds it by, its title, and figures by field ("price": 5500000)."""

    id: str
    title: str
    values: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Focus:
    """What was shown last.

    `kind` is the mode's own word for its rows, `question` what they answer, `rows` stand in the order shown, `query`
    is the mode's structured question, so that the next message can change it. `turn` and `at`: which turn showed it, when.
    """

    kind: str
    question: str
    rows: tuple[FocusRow, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    turn: str = ""
    at: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "question": self.question,
            "rows": [{"id": row.id, "title": row.title, "values": dict(row.values)} for row in self.rows],
            "query": dict(self.query),
            "turn": self.turn,
            "at": None if self.at is None else self.at.isoformat(),
        }

    @classmethod
    def from_json(cls, saved: object) -> Focus | None:
        """A saved focus; None for anything that is none."""
        if not isinstance(saved, Mapping):
            return None
        try:
            rows = tuple(
                FocusRow(str(row["id"]), str(row["title"]), dict(row["values"])) for row in saved["rows"]
            )
            at = None if saved["at"] is None else datetime.fromisoformat(saved["at"])
            query, turn = dict(saved["query"]), str(saved["turn"])
            return cls(str(saved["kind"]), str(saved["question"]), rows, query, turn, at)
        except (KeyError, TypeError, ValueError):
            return None

    def is_current(
        self, now: datetime, turns: Sequence[str | None], *, minutes: float, messages: int
    ) -> bool:
        """Whether people may still mean it: shown at most so many minutes and messages ago (002-05).

        `turns` are the turns of the conversation's messages, oldest first.
        """
        if self.turn not in turns[-messages:]:
            return False
        try:
            return self.at is None or now - self.at <= timedelta(minutes=minutes)
        except TypeError:  # one with a zone, one without
            return False


@dataclass(frozen=True, slots=True)
class Reference:
    """The rows that a message points at, and where it does: `nfc(text)[start:end]` of each span points.

    `kind` says how: by number, as the first or last few, as the most or least of `field`, or as what was shown, one
    ("cái này", "it") or several ("những cái đó", "they"); `rows` are all that was shown for both. `missing` is a number that the list does not reach, 0 for none; `rows` may be empty then.
    """

    kind: ReferenceKind
    rows: tuple[FocusRow, ...]
    spans: tuple[tuple[int, int], ...]
    field: str = ""
    missing: int = 0


def find_reference(
    text: str, focus: Focus | None, *, things: Iterable[str] = (), fields: Mapping[str, str] | None = None
) -> Reference | None:
    """The rows of `focus` that `text` points at; None where it points at none.

    `things` are the mode's words for its rows ("phòng", "room"), beside the ones for anything ("cái", "con", "one").
    `fields` maps what can be the most (price, size, weight, age) to the key in the rows' values. Without a thing a
    number or an extreme counts only in a short message: "thứ hai" is also Monday, "rẻ nhất" also a new search.
    """
    if focus is None or not focus.rows:
        return None
    pointer = _Pointers(nfc(text), focus.rows, tuple(things), fields or {})
    return pointer.ends() or pointer.numbers() or pointer.extreme() or pointer.shown()


# A message of so many words is nothing but a pointer and a question about it.
_SHORT = 5
_MOST_DIGITS = 2


class _Pointers:
    def __init__(
        self, text: str, rows: Sequence[FocusRow], things: tuple[str, ...], fields: Mapping[str, str]
    ) -> None:
        self._text, self._tokens = text, tokens(text)
        self._rows, self._fields = tuple(rows), fields
        self._things = (*_lists()["thing"], *(_phrase(thing) for thing in things))
        self._amounts = [(a.start, a.end) for a in find_amounts(text)]
        self._is_short = len(self._tokens) <= _SHORT

    # Words.

    def _match(self, at: int, phrases: Sequence[tuple[WordToken, ...]]) -> int:
        """How many words from `at` on are one of the phrases, the longest; 0 for none."""
        best = 0
        first = self._tokens[at].folded if 0 <= at < len(self._tokens) else ""
        for phrase in phrases:
            if len(phrase) <= best or phrase[0].folded != first:
                continue
            span = self._tokens[at : at + len(phrase)]
            if len(span) == len(phrase):
                same = all(
                    a.folded == b.folded and accents_agree(a.text, b.text)
                    for a, b in zip(span, phrase, strict=True)
                )
                best = len(phrase) if same else best
        return best

    def _is(self, at: int, section: str) -> int:
        return self._match(at, _lists()[section])

    def _thing(self, at: int) -> int:
        return self._match(at, self._things)

    def _thing_before(self, at: int) -> int:
        """The first word of a thing that ends before `at`; `at` itself for none."""
        return next((at - size for size in (3, 2, 1) if at >= size and self._thing(at - size) == size), at)

    def _number(self, at: int) -> int:
        """The number that word `at` says, 0 for none."""
        if not 0 <= at < len(self._tokens):
            return 0
        word = self._tokens[at]
        if word.folded.isascii() and word.folded.isdigit():
            return int(word.folded) if len(word.folded) <= _MOST_DIGITS else 0
        return next((number for number in range(1, 11) if self._is(at, str(number))), 0)

    def _is_amount(self, at: int) -> bool:
        """Whether the number `at` is part of a longer one or has a unit: "2 triệu", "2,5"."""
        if not 0 <= at < len(self._tokens):
            return False
        word = self._tokens[at]
        return any(
            start <= word.start < end and (start, end) != (word.start, word.end)
            for start, end in self._amounts
        )

    def _span(self, first: int, end: int) -> tuple[int, int]:
        return self._tokens[first].start, self._tokens[end - 1].end

    # "hai cái đầu", "the first two", "2 phòng cuối".

    def ends(self) -> Reference | None:
        """The first or last few."""
        for at in range(len(self._tokens)):
            for section in ("first", "last"):
                count, first, end = self._end(at, section)
                if count > 1:
                    rows = self._rows[:count] if section == "first" else self._rows[-count:]
                    missing = count if count > len(self._rows) else 0
                    kind: ReferenceKind = "first" if section == "first" else "last"
                    return Reference(kind, rows, (self._span(first, end),), missing=missing)
        return None

    def _end(self, at: int, section: str) -> tuple[int, int, int]:
        """How many rows of one end word `at` says, with the first word that does and the word after the last; 0 for none."""
        size = self._is(at, section)
        if not size:
            return 0, at, at
        if self._tokens[at].text in {"first", "last"}:
            if at and self._tokens[at - 1].text.endswith("est"):
                return 0, at, at  # "cheapest first" is an order
            after = at + size
            # "one" is a thing here, not a number.
            count = max(1, 0 if self._is_amount(after) else self._number(after))
            end = after + (count > 1)
            end += self._thing(end)
            alone = end == after and not (self._is_short or self._is(after, "and"))
            return (0 if alone else count), at, end
        begin = self._thing_before(at)
        if begin == at:
            return 0, at, at
        if (number := self._number(begin - 1)) and not self._is_amount(begin - 1):
            return number, begin - 1, at + size
        return 1, begin, at + size

    # "cái thứ hai", "con số 2", "#2", "cái 1 và 3", "the second one".

    def numbers(self) -> Reference | None:
        """Rows by their numbers, in the order said."""
        said: list[tuple[int, int, int]] = []
        at = 0
        while at < len(self._tokens):
            found = self._ordinal(at) or self._single_end(at) or (self._further(at, said) if said else None)
            if found is not None:
                said.append(found)
            at = max(at + 1, found[2] if found else 0)
        if not said:
            return None
        # "con thứ ba, không phải con thứ hai": beside one that is meant one that is denied is not.
        denials = {one: self._denial_before(one[1]) for one in said}
        meant = [one for one in said if not denials[one]] or said
        spans = tuple(self._span(one[1] - (0 if one in meant else denials[one]), one[2]) for one in said)
        rows = [self._rows[number - 1] for number, _, _ in meant if number <= len(self._rows)]
        missing = next((number for number, _, _ in meant if number > len(self._rows)), 0)
        return Reference("ordinal", tuple({row.id: row for row in rows}.values()), spans, missing=missing)

    def _denial_before(self, at: int) -> int:
        """How many words right before `at` deny what follows; 0 for none."""
        return next(
            (size for size in (4, 3, 2, 1) if at >= size and self._is(at - size, "denied") == size), 0
        )

    def _single_end(self, at: int) -> tuple[int, int, int] | None:
        for section, number in (("first", 1), ("last", len(self._rows))):
            count, first, end = self._end(at, section)
            if count == 1:
                return number, first, end
        return None

    def _ordinal(self, at: int) -> tuple[int, int, int] | None:
        """The number said from word `at` on, with its first word and the word after its last."""
        thing = self._thing(at)
        before = self._number(at - 1) if at else 0
        if thing and not before:
            after = at + thing
            counted = self._is(after, "counted")
            number = self._number(after + counted)
            if (
                number
                and (counted or self._is_bare_number(at, after))
                and not self._is_amount(after + counted)
            ):
                return number, at, after + counted + 1
        word = self._tokens[at]
        if self._text[: word.start].endswith("#") and (number := self._number(at)):
            return number, at, at + 1
        counted = self._is(at, "counted")
        numeral = self._tokens[at + counted : at + counted + 1]
        spelt = (
            counted and word.text in {"no", "nr"} and not (numeral and numeral[0].folded[0].isdigit())
        )  # "no nam o dau"
        begins = (at == 0 and self._is_short) or (
            self._is(at + counted + 1, "and") and self._tokens[at].text not in {"thứ", "thu"}
        )
        if counted and begins and not spelt and (number := self._number(at + counted)):
            return None if self._is_amount(at + counted) else (number, at, at + counted + 1)
        if self._is(at - 1, "beside") or self._is(at - 2, "beside") == 2:  # "compare 2 and 5"
            other = at + 1 + self._is(at + 1, "and")
            if other > at + 1 and self._number(other) and self._is_bare_number(at, other):
                return (number, at, at + 1) if (number := self._number(at)) else None
        # In English the number stands before the thing and is an ordinal: "the second one", "2nd room".
        ordinal = word.text.isascii() and (word.text[-2:] in {"nd", "rd", "th"} or word.text == "1st")
        if ordinal and (number := self._number(at)):
            size = self._thing(at + 1)
            if size or self._is_short or self._is(at + 1, "and"):
                return number, at, at + 1 + size
        return None

    def _is_bare_number(self, thing: int, at: int) -> bool:
        """Whether digits right after a thing number it: "con 1", "phòng 2" at the end, but not "phòng 2 ngủ"."""
        if at >= len(self._tokens) or not self._tokens[at].folded.isdigit():
            return False
        is_last = at + 1 == len(self._tokens) or self._is(at + 1, "and") > 0
        ends = is_last or "," in self._text[self._tokens[at].end : self._tokens[at + 1].start]
        return ends or (bool(self._is(thing, "thing")) and not self._thing(at + 1))

    def _further(self, at: int, said: Sequence[tuple[int, int, int]]) -> tuple[int, int, int] | None:
        """A number joined to the one before: "cái 1 và 3", "the second and the fifth"."""
        joined = self._is(at, "and")
        if not joined or said[-1][2] != at:
            return None
        after = at + joined + self._is(at + joined, "the")
        after += self._is(after, "counted")
        number = self._number(after)
        return (number, at, after + 1) if number and not self._is_amount(after) else None

    # "con rẻ nhất", "the cheapest one", "the most expensive one".

    def extreme(self) -> Reference | None:
        """The row, or the rows that tie, with the least or most of a field."""
        for at in range(len(self._tokens)):
            for name, key in self._fields.items():
                for sign in "-+":
                    size = self._is(at, f"{name} {sign}")
                    bounds = self._extreme_bounds(at, size) if size else None
                    if bounds is not None:
                        rows = _extreme_rows(self._rows, key, least=sign == "-")
                        return Reference("extreme", rows, (self._span(*bounds),), name) if rows else None
        return None

    def _extreme_bounds(self, at: int, size: int) -> tuple[int, int] | None:
        word, end = self._tokens[at].text, at + size
        if most := self._is(end, "most"):
            which = self._is(at - 1, "which")
            first, end = self._thing_before(at - which), end + most
            named = first < at - which
            first = first if named else at
        else:
            before = self._is(at - 1, "most before")
            if not before and not (word.isascii() and word.endswith("est")):
                return None
            thing = self._thing(end)
            first, end, named = at - before, end + thing, thing > 0
        if self._is(end, "ahead"):
            return None  # an order of all
        return (first, end) if named or self._is_short or self.shown() is not None else None

    # "những cái đó", "con này", "it", "both of them".

    def shown(self) -> Reference | None:
        """What was shown: all of it, or as many rows as the message counts."""
        rows = self._rows
        for at in range(len(self._tokens)):
            if size := self._is(at, "both"):
                return Reference(
                    "these", rows[:2], (self._span(at, at + size),), missing=2 if len(rows) == 1 else 0
                )
            if size := self._is(at, "in these"):
                return Reference("these", rows, (self._span(at, at + size),))
            thing = self._thing(at)
            if thing and (size := self._is(at + thing, "this")):
                count, several = self._number(at - 1), self._is(at - 1, "several")
                first = at - 1 if count or several else at
                kind: ReferenceKind = "these" if first < at else "this"
                return Reference(kind, rows[: count or None], (self._span(first, at + thing + size),))
            if (size := self._is(at, "this before")) and (thing := self._thing(at + size)):
                kind = "these" if self._is(at, "plural") else "this"
                return Reference(kind, rows, (self._span(at, at + size + thing),))
        for at in range(len(self._tokens)):
            relative = self._tokens[at].text == "that" and self._thing_before(at) < at  # "one that has wifi"
            if (size := self._is(at, "pronoun")) and not relative:
                kind = "these" if self._is(at, "plural") else "this"
                return Reference(kind, rows, (self._span(at, at + size),))
        return None


def _extreme_rows(rows: Sequence[FocusRow], key: str, *, least: bool) -> tuple[FocusRow, ...]:
    known = [
        (float(value), row)
        for row in rows
        if isinstance(value := row.values.get(key), int | float) and not isinstance(value, bool)
    ]
    if not known:
        return ()
    best = (min if least else max)(value for value, _ in known)
    return tuple(row for value, row in known if value == best)


@cache
def _lists() -> Mapping[str, tuple[tuple[WordToken, ...], ...]]:
    found = read_lists(LEXICONS / "reference.txt")
    return {name: tuple(_phrase(entry) for entry in entries) for name, entries in found.items()}


def _phrase(entry: str) -> tuple[WordToken, ...]:
    return tuple(tokens(entry))
