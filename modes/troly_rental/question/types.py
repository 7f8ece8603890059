"""A parsed rental question in a neutral form: the SQL, the sentences and the next question are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, cast

RequestType = Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT"]
Mode = Literal["LIST", "TABLE", "CHART"]
Op = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not_in"]
Value = str | int | float | bool | tuple[str, ...]
Span = tuple[int, int]

HINTED = ("room", "post", "room_seeking_post")
PAPERS = {"invoice": "total", "contract": "monthly_rent"}
"""What one's own papers come to."""
PLACES = frozenset({"city", "district", "ward", "street"})
RUNNING = frozenset({"month", "week", "day", "bedrooms", "price_band"})
"""Groups that have an order of their own."""
LIST_ROWS, TABLE_ROWS = 20, 100
"""Most rows of a list and of a table when no number is asked for."""
OPPOSITE: dict[Op, Op] = {
    "=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not_in", "not_in": "in",
}  # fmt: skip
_SINGLE_VALUED = frozenset({"city", "district", "ward", "street", "type", "status", "gender"})
"""Fields of which one row has one value: two values asked for are alternatives."""


@dataclass(frozen=True, slots=True, order=True)
class Filter:
    """One condition: money in VND, areas in m², days as ISO dates, places by the names of the base."""

    field: str
    op: Op
    value: Value

    @property
    def values(self) -> tuple[str, ...]:
        """The value or values as text."""
        return self.value if isinstance(self.value, tuple) else (str(self.value),)

    def as_dict(self) -> dict[str, Any]:
        """The form of the state (issue 5): `{"field", "op", "value"}`, several values as a list."""
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return {"field": self.field, "op": self.op, "value": value}


@dataclass(frozen=True, slots=True)
class Order:
    """How rows are sorted."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure to work out: `kind` of count, avg, min, max, median, sum, paid and owed (the sum of what is paid, and not), monthly (the sum by
    the number of months) over `field`; count_where and occupancy of a state; share: the part that meets the conditions.
    """

    kind: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to tell the asker, as a key of strings_ask.toml with its parameters."""

    key: str
    params: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, key: str, /, **params: str) -> Remark:
        """A remark with its parameters."""
        return cls(key, tuple(params.items()))


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as understood (002-07, 002-09, 002-10).

    `missing` is why it is not ready for SQL; `remarks` are the assumptions made. `own` means the asker's own records;
    `edited` that it changes the query before it. `skip` rows have been shown already ("show me more").
    `picked` is the number of the one row of the last list that is meant, 0 for none, `details` the fields of that row
    that are asked for, none for what matters most, `asked` the conditions that it is asked to meet (yes or no).
    `replaced` is the place or kind that a change put another one in place of.
    `without_beds` leaves out beds in shared rooms, which "phòng giá rẻ" does not mean. `unread` are the words of the
    message that this does not hold; `leans` says that it may mean more than its words: a model, where one answers, decides.
    """

    request_type: RequestType = "QUERY"
    mode: Mode = "LIST"
    entity: str = "room"
    filters: tuple[Filter, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    group: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()
    own: bool = False
    edited: bool = False
    skip: int = 0
    picked: int = 0
    details: tuple[str, ...] = ()
    asked: tuple[Filter, ...] = ()
    without_beds: bool = False
    replaced: Filter | None = None
    refused: bool = False
    unread: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    leans: bool = False
    missing: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    question: str = field(default="", compare=False)

    @property
    def ready(self) -> bool:
        """readyForSql (002-09)."""
        return self.request_type == "QUERY" and not self.missing

    @property
    def certain(self) -> bool:
        """Whether every word was understood."""
        return self.ready and not self.unread

    @property
    def entity_hint(self) -> str | None:
        """entityHint (002-10): only the three kinds that the document knows."""
        return self.entity if self.request_type == "QUERY" and self.entity in HINTED else None

    @property
    def mode_hint(self) -> Mode | None:
        """intentModeHint (002-10)."""
        return self.mode if self.request_type == "QUERY" else None

    @property
    def end(self) -> Measure | None:
        """The lowest or highest value where it is asked for alone: that of one row, which is told with it."""
        one = self.measures[0] if len(self.measures) == 1 and not self.group else None
        return one if one is not None and one.kind in {"min", "max"} and one.field != "price_m2" else None

    @property
    def group_end(self) -> Measure | None:
        """The lowest or highest value of each group where it is asked for alone, which one thing of the group has."""
        one = self.measures[0] if len(self.measures) == len(self.group) == 1 else None
        ended = one is not None and one.kind in {"min", "max"} and one.field in {"price", "area", "deposit"}
        return one if ended and self.entity in HINTED else None

    @property
    def with_ties(self) -> bool:
        """Whether the first in an order is asked for: all that share its place are meant."""
        other = self.picked or self.measures or self.skip or self.asked
        return self.limit == 1 and bool(self.order) and not other

    @property
    def ranks_groups(self) -> bool:
        """Whether groups are told in the order of their figure; of the first few, all that share the last place are."""
        return bool(self.group and self.order and self.order[0].field == "figure" and not self.skip)

    def is_part(self, one: Filter) -> bool:
        """Whether a condition says what part of the rows is counted, not which rows there are: of the rooms to let of a kind
        those with what else is said.
        """
        shares = any(measure.kind == "share" for measure in self.measures)
        told = {each.field for each in self.filters} - PLACES
        whole = {"type", "status"} if told - {"type", "status"} else {"type"} if "status" in told else set()
        return shares and one.field in told - whole

    @property
    def rows(self) -> int:
        """Most rows of the answer."""
        if self.limit and not (self.with_ties or self.ranks_groups):
            return self.limit
        return LIST_ROWS if self.mode == "LIST" and not self.measures else TABLE_ROWS

    def asking_as(self, query: Mapping[str, Any]) -> ParsedQuestion:
        """The same rows, asked what `query` (`to_dict`) asked of others."""
        asked = tuple(_filter(one) for one in query.get("asked", ()))
        return replace(self, asked=asked, details=tuple(query.get("details", ())))

    def as_form(
        self, request_type: RequestType = "QUERY", mode: Mode | None = None, entity: str = ""
    ) -> ParsedQuestion:
        """No more than the form of the answer, for a question whose meaning a model decides; what "rẻ" means is still said."""
        kept = tuple(one for one in self.remarks if one.key == "said.cheap")
        form = ParsedQuestion(request_type, mode or self.mode, entity or self.entity)
        return replace(form, remarks=kept, question=self.question)

    def state_filters(self) -> list[dict[str, Any]]:
        """`filters` of the state, in a fixed order."""
        return [one.as_dict() for one in self.filters]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ParsedQuestion:
        """The query that `to_dict` wrote, without what was not read; raises KeyError, TypeError, ValueError for other data."""
        read: dict[str, Callable[[Any], Any]] = {
            "filters": _filter, "asked": _filter, "replaced": _filter, "group": str, "details": str, "open": str,
            "order": lambda one: Order(**one), "measures": lambda one: Measure(**one),
            "missing": _remark, "remarks": _remark,
        }  # fmt: skip
        found = {name: data[name] for name in ("filters", "request_type")}
        found |= {one.name: data[one.name] for one in fields(cls) if one.name in data}
        for name, value in found.items():
            if name in read and value is not None:
                found[name] = read[name](value) if name == "replaced" else tuple(map(read[name], value))
        return replace(cls(**found), unread=())


def merge_filters(found: list[Filter]) -> tuple[Filter, ...]:
    """The filters each once, equal and excluded names joined into one, in the order of field and operator."""
    merged: list[Filter] = []
    names: dict[str, list[str]]
    for op, several in (("=", "in"), ("!=", "not_in")):
        names = {}
        for one in found:
            if one.field in _SINGLE_VALUED and one.op in {op, several}:
                names.setdefault(one.field, []).extend(one.values)
        for name, listed in names.items():
            unique = tuple(sorted(dict.fromkeys(listed)))
            value: Value = unique if len(unique) > 1 else unique[0]
            merged.append(Filter(name, cast("Op", several if len(unique) > 1 else op), value))
    rest = [one for one in found if one.field not in _SINGLE_VALUED]
    return tuple(sorted(dict.fromkeys([*merged, *rest]), key=lambda one: (one.field, one.op, str(one.value))))


def is_empty(low: Filter, high: Filter) -> bool:
    """Whether nothing lies within a lower and an upper limit."""
    strict = low.op == ">" or high.op == "<"
    if isinstance(low.value, str) or isinstance(high.value, str):
        a, b = str(low.value), str(high.value)
        return a > b or (a == b and strict)
    if isinstance(low.value, tuple) or isinstance(high.value, tuple):
        return False
    return low.value > high.value or (low.value == high.value and strict)


def _filter(data: Mapping[str, Any]) -> Filter:
    return Filter(data["field"], data["op"], _value(data["value"]))


def _remark(data: Mapping[str, Any]) -> Remark:
    return Remark.of(data["key"], **dict(data["params"]))


def _value(value: Any) -> Value:
    return tuple(value) if isinstance(value, list) else cast("Value", value)


_RELAXED_FIRST = (
    "price", "area", "amenity", "deposit", "bedrooms", "people", "furnished", "posted_at", "type", "ward",
)  # fmt: skip


def relaxations(parsed: ParsedQuestion) -> Iterator[tuple[tuple[Filter, ...], ParsedQuestion]]:
    """The conditions dropped and the question without them, one field at a time, the likeliest culprit first.

    Both ends of a range go together; rows that were pointed at are no condition that could be named. Counting the rows of each
    (`build_count`) tells which one was too narrow.
    """
    rank = {name: at for at, name in enumerate(_RELAXED_FIRST)}
    names = dict.fromkeys(one.field for one in parsed.filters if one.field != "id")
    for name in sorted(names, key=lambda name: rank.get(name, len(rank))):
        of_field = tuple(one for one in parsed.filters if one.field == name)
        for dropped in ((one,) for one in of_field) if name == "amenity" else (of_field,):
            rest = tuple(one for one in parsed.filters if one not in dropped)
            yield dropped, replace(parsed, filters=rest, skip=0)
