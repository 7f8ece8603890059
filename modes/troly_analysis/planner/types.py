"""What the planner works with and hands back: notes, conditions, measures, an understood question, a plan, an intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, Protocol

from troly.text.catalogue import Lang
from troly_analysis.planner.lexicon import marks
from troly_analysis.strings import say
from troly_analysis.types import Field, Operation, Sheet, ToolCall

FOCUS_ROWS = 50
"""Rows of an answer that are kept, which the next message can point at."""
Unit = Literal["", "day", "week", "month", "quarter", "year", "weekday", "hour"]
Form = Literal["scalar", "groups", "top", "rows", "compare", "share", "distinct", "per", "schema"]
Chart = Literal["bar", "line", "share"]
Op = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "between"]


class Lookup(Protocol):
    """Finds values of a long column: those that are a folded phrase, else (not `whole`) those that hold it or are a slip away."""

    def __call__(self, sheet: Sheet, field: Field, phrase: str, *, whole: bool = False) -> tuple[str, ...]:
        """The values found, at most a thousand; for the phrase "" any of them."""


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence for the reader, by its key in the catalogue (`planner.*`) and what fills its places."""

    key: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def say(self, lang: Lang) -> str:
        """The sentence in `lang`; places that are days or notes themselves are written out in that language."""
        filled = {name: _shown(value, lang) for name, value in self.params.items()}
        return say(f"planner.{self.key}", lang, **filled)


def _shown(value: object, lang: Lang) -> str:
    if isinstance(value, Note):
        return value.say(lang)
    if isinstance(value, date):
        return f"{value.day}/{value.month}/{value.year}"
    if isinstance(value, tuple):
        return ", ".join(_shown(one, lang) for one in value)
    return str(value)


@dataclass(frozen=True, slots=True)
class Ref:
    """A column as a question names it: `sheet` is "" for the sheet asked, else the joined sheet's name."""

    name: str
    kind: str = "text"
    concept: str = ""
    sheet: str = ""
    unit: str = ""
    parts: tuple[Ref, ...] = ()
    """For a figure that no column holds: the two columns it is worked out from (`sign`)."""
    sign: Literal["", "*", "-", "±"] = ""
    sides: tuple[tuple[str, ...], ...] = ()
    """For "±", where the second column says whether the first came in or went out: its values for each."""


def averaged(ref: Ref) -> bool:
    """Whether adding up a column makes no sense: prices, ratings, ages, rates."""
    return ref.concept in marks("averaged") or ref.kind == "percent"


@dataclass(frozen=True, slots=True)
class Condition:
    """Only rows whose `ref` stands in `op` to `value` (a list for in, nin and between)."""

    ref: Ref
    op: Op
    value: Any
    said: str = ""
    unit: Unit = ""
    """For a date: which part of it is compared (`weekday`: 1 is Monday)."""


def values_of(condition: Condition) -> list[Any]:
    """The values that a condition names."""
    return condition.value if isinstance(condition.value, list) else [condition.value]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure: `op` over `ref` (None counts rows); `distinct` counts different values; `over` divides the sum by another column's sum (cost per lead).

    `metric` names the sheet's own metric it is, whose conditions are `where` as the tools take filters.
    """

    op: Operation
    ref: Ref | None = None
    distinct: bool = False
    over: Ref | None = None
    metric: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    noun: str = ""
    """What is counted or measured, in the words of the question."""
    median: bool = False
    """Whether the middle value is asked for; `op` is then "avg"."""
    only: tuple[Condition, ...] = ()
    """Conditions of this figure alone, where several are asked for."""
    part: tuple[Condition, ...] = ()
    """For a rate among other figures: the rows whose share of all rows is asked for."""


def figure_bounded(measure: Measure, condition: Condition) -> bool:
    """Whether a comparison is one with this figure: of the same column, or of the number of rows."""
    if measure.distinct or measure.median or measure.over or measure.op not in {"sum", "avg", "count"}:
        return False
    return measure.ref == condition.ref or (measure.ref is None and condition.ref.kind == "rows")


@dataclass(frozen=True, slots=True)
class Group:
    """One dimension of the answer: a column, or with `unit` the days, months … of a date column."""

    ref: Ref
    unit: Unit = ""


@dataclass(frozen=True, slots=True)
class Period:
    """First and last day, both included, and how it was said."""

    start: date
    end: date
    label: str = ""


@dataclass(frozen=True, slots=True)
class DataQuery:
    """A question understood, before it is turned into calls; a follow-up edits the one before it."""

    sheet: str
    form: Form = "scalar"
    measures: tuple[Measure, ...] = ()
    groups: tuple[Group, ...] = ()
    conditions: tuple[Condition, ...] = ()
    having: tuple[Condition, ...] = ()
    date_ref: Ref | None = None
    period: Period | None = None
    versus: Period | None = None
    order: Literal["asc", "desc", ""] = ""
    limit: int = 0
    entity: str = ""
    """What a row is called in the question ("đơn hàng")."""
    part: tuple[Condition, ...] = ()
    """For a share: the part of the whole that is asked for."""
    seller: bool = False
    count_groups: bool = False
    """Whether the answer is how many groups there are (after `having`)."""
    rank: int = 0
    """For "cao thứ nhì" 2: only that place of the ranking is asked for; 0 for all of it."""
    within: tuple[Group, ...] = ()
    """For "mỗi kênh, sản phẩm nào bán chạy nhất": the groups of which each has a ranking of its own."""
    gap: tuple[Condition, ...] = ()
    """The condition of two values of a column whose difference is asked for; empty for none."""
    per: tuple[Group, ...] = ()
    """For a mean over days, persons … : what it is taken over."""
    growth: bool = False
    """Whether each period is shown with its change against the one before."""
    turn: Literal["asc", "desc", ""] = ""
    """For which of the groups fell ("asc") or rose: only those, the greatest change first."""
    chart: Chart | Literal["any", ""] = ""
    """The chart that was asked for: "any" where its kind was not said."""
    columns: tuple[str, ...] = ()
    """The columns that are asked of the one row that is named; empty for all of it."""

    @property
    def worked(self) -> Form | None:
        """The form of what is worked out of a figure, a share of it or its mean; None where it is told as it is."""
        return "share" if self.part else "per" if self.per else None

    @property
    def refs(self) -> tuple[Ref, ...]:
        """Every column that the query names, each once."""
        conditions = (each.ref for each in (*self.conditions, *self.part, *self.having))
        groups = (each.ref for each in (*self.groups, *self.per))
        figures = (ref for each in self.measures for ref in (each.ref, each.over) if ref)
        return tuple(dict.fromkeys([*conditions, *groups, *figures]))


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do for a question.

    Exactly one of `calls`, `question` and `refusal` is set, or none when nothing could be made of it; `missing` are the
    words that were not understood: with any there are no calls. `shown` are the assumptions to tell the reader.
    `options` are short texts that, sent back as the next message, answer `question`; `ask` is the query understood, or
    where there are no calls the one answered last, so that no word of a question that was asked back stays.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    sheet: str = ""
    ask: DataQuery | None = None
    shown: tuple[Note, ...] = ()
    question: Note | None = None
    options: tuple[str, ...] = ()
    chart: Chart | Literal["any"] | None = None
    partial_period: bool = False
    missing: tuple[str, ...] = ()
    understood: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """Words of the message that stand in the sheet, with their columns: what a model may be told."""
    refusal: str = ""
    """What no tool works out ("forecast", "cause"), a key of the catalogue."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What the user chose where the question left a choice: folded words to a column's or sheet's name."""
    pending: str = ""
    """The folded words that `question` asks about."""
    followed: bool = False
    """Whether the question was read as a change to the one before it."""
    before: DataQuery | None = None
    """The query that `ask` is a change of: "hai kênh đó" are those of both."""
    scope: DataQuery | None = None
    """The days that were asked about last and their sheet, which a question of another sheet leaves as they were."""
    also: DataQuery | None = None
    """What the question can mean as well: asked by itself, where `ask` goes on from the question before."""
    also_calls: tuple[ToolCall, ...] = ()
    more: tuple[Plan, ...] = ()
    """What else the message asks, each a question of its own that shares the days of the first."""
    names: tuple[str, str, str] | None = None
    """Where a ranking of codes finds their names: the sheet, its column of codes and that of names."""
    open: DataQuery | None = None
    """What `question` is asked about, as far as it was understood: the next question may mean its days and rows too."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message wants (001-06): its label, how sure 0 to 1, and the words that decided it."""

    label: Literal["data_query", "chat", "unclear"]
    score: float
    reason: str
