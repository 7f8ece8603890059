"""Decides what form an answer takes: one figure, groups, a ranking, rows, a share, a comparison, a list of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from troly.text.fold import fold
from troly_analysis.planner.draft import QueryDraft, dimension, is_rows, named
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.types import Form, Group, Measure

TOP, SOME, ROWS, MOST = 10, 5, 20, 1000


def form_of(state: QueryDraft) -> Form:
    """The first form whose signs the message shows; one figure when it shows none."""
    return next((form for form, holds in _FORMS if holds(state)), "scalar")


def direction(state: QueryDraft) -> Literal["asc", "desc", ""]:
    """Which end of a ranking is asked for, "" when nothing is ranked."""
    if state.any("slow seller", "bottom"):
        return "asc"
    if state.any("seller", "top"):
        return "asc" if state.any("min") and not state.any("max") else "desc"
    for mention in state.mentions:
        if (mention.used and mention.targets) or named(mention):
            continue
        if mention.has("max", "latest", "slow"):
            return "desc"
        if mention.has("min", "earliest", "fast"):
            return "asc"
    return "desc" if state.limit and not state.any("list") else ""


def limit_of(state: QueryDraft, form: Form) -> int:
    """How many are listed; the number said, or one for "nào … nhất", or a few, which is then noted."""
    if state.limit or form not in {"top", "rows"}:
        return state.limit
    several = state.any("plural", "list" if form == "rows" else "top", "bottom")
    if not several:
        return 1 if form == "top" or direction(state) else ROWS
    if form == "rows" and not direction(state) and (state.conditions or state.period):
        return MOST
    limit = ROWS if form == "rows" else TOP if state.any("top", "bottom") else SOME
    if form == "top" and state.any("which") and not state.any("plural"):
        return 1
    state.note("limit", limit=limit)
    return limit


def _ranked(state: QueryDraft) -> bool:
    return bool(direction(state)) or (bool(state.limit) and not state.any("list"))


def _schema(state: QueryDraft) -> bool:
    return state.any("columns") and not state.measures and not state.conditions and not state.groups


def _compared(state: QueryDraft) -> bool:
    return state.versus is not None


def _per(state: QueryDraft) -> bool:
    return state.per is not None and bool(state.measures)


def _shared(state: QueryDraft) -> bool:
    return state.any("share") and not _shareless(state)


def _top(state: QueryDraft) -> bool:
    if not state.groups or not _ranked(state):
        return False
    course = all(group.unit and state.any("trend") for group in state.groups)
    return not state.measures or not course


def _grouped(state: QueryDraft) -> bool:
    return bool(state.groups)


def _trend(state: QueryDraft) -> bool:
    return state.any("trend", "growth") and state.date_ref is not None


def _shareless(state: QueryDraft) -> bool:
    """Whether the share is a column of its own (a rate), which is then just averaged."""
    return any(measure.ref is not None and measure.ref.kind == "percent" for measure in state.measures)


def _of_two(state: QueryDraft) -> bool:
    """Whether values are held against each other ("loại nào bán nhiều hơn"): that is no list of them."""
    return state.any("gt", "lt") and any("," in each.said for each in state.conditions)


def _listing(state: QueryDraft) -> bool:
    """Whether the values of a column are asked for ("có những nền tảng nào")."""
    if state.measures or state.having or state.any("count", "compare") or _of_two(state):
        return False
    if state.groups:
        return state.any("which", "list", "plural") and not state.any("by") and not state.groups[0].unit
    if not state.any("list", "which", "plural"):
        return False
    for mention in state.mentions:
        if mention.used or is_rows(mention) or not mention.targets:
            continue
        target = dimension(state, mention)
        if target and target.ref and target.ref.kind in {"text", "boolean", "list"}:
            mention.used = True
            state.groups.append(Group(target.ref))
            return True
    return False


def _rows_wanted(state: QueryDraft) -> bool:
    ranked = _ranked(state)
    rows = [mention for mention in state.mentions if is_rows(mention)]
    for mention in rows:
        state.entity = state.entity or mention.text
    counted = any(measure.op == "count" for measure in state.measures)
    if counted:
        return False
    if rows and (state.any("list") or (ranked and not any(m.op in {"max", "min"} for m in state.measures))):
        return True
    if rows and state.limit:
        return True
    first = state.mentions.index(rows[0]) if rows else 0
    if first and state.mentions[first - 1].has("plural") and not (state.measures or state.groups):
        return True
    return bool(rows) and state.any("which") and bool(state.conditions) and not state.measures


_FORMS: tuple[tuple[Form, Callable[[QueryDraft], bool]], ...] = (
    ("schema", _schema),
    ("compare", _compared),
    ("per", _per),
    ("share", _shared),
    ("top", _top),
    ("distinct", _listing),
    ("groups", _grouped),
    ("rows", _rows_wanted),
    ("trend", _trend),
)


# Reads places of a ranking ("cao thứ nhì", "second highest") and first or last days ("đơn đầu tiên là ngày nào").


_ENDS = ("max", "min", "high", "low", "seller", "slow seller", "top", "bottom", "superlative")
_REACH = 4
_DAYS = frozenset({"day", "month", "year", "hour"})


def read_ranks(state: QueryDraft) -> None:
    """Find the one place that is asked for; "thứ hai" stays a Monday where nothing is ranked."""
    for nth, mention in enumerate(state.mentions):
        rank = next((int(label[5:]) for label in mention.labels if label.startswith("rank ")), 0)
        if not rank or mention.used or mention.targets:
            continue
        if fold(mention.text).split()[0] in {"dung", "xep", "hang"}:
            mention.labels |= {"max"}  # "đứng thứ hai" counts from the top
        whole = mention.has("max", "min", "seller", "slow seller")
        near = [*state.mentions[max(0, nth - _REACH) : nth], *state.mentions[nth + 1 : nth + 2]]
        end = next((each for each in near if each.has(*_ENDS) and not each.targets), None)
        if not whole and end is None:
            mention.labels = frozenset(label for label in mention.labels if not label.startswith("rank "))
            continue
        state.rank, state.rank_said = rank, mention.text
        if whole:
            continue
        turned = "min" if end is not None and end.has("low", "min", "bottom") else "max"
        mention.labels = frozenset({turned})
        return


def read_ends(state: QueryDraft) -> None:
    """ "Lần gần nhất là khi nào": the first or last day among the rows."""
    if state.date_ref is None or not state.any("latest", "earliest"):
        return
    asked = next((nth for nth in range(len(state.mentions)) if _asks_day(state, nth)), None)
    if asked is None:
        return
    mention = next(each for each in state.mentions if each.has("latest", "earliest") and not named(each))
    op = "max" if mention.has("latest") and not mention.has("earliest") else "min"
    state.measures.append(Measure(op, state.date_ref))  # type: ignore[arg-type]
    for each in (mention, *state.mentions[asked : asked + 2]):
        if each is mention or each.has("when", "which") or each.unit in _DAYS:
            each.used = True
    for nth, each in enumerate(state.mentions):
        verb = nth > 0 and state.mentions[nth - 1].has("filler", "bought", "sold", "done")
        thing = verb and bool(each.targets) and not (each.values or each.amount or each.period)
        if thing or (each.targets and each.targets[0].ref == state.date_ref):
            each.used = True  # "đặt tour", "mang xe tới": what it was done to


def _asks_day(state: QueryDraft, nth: int) -> bool:
    mention = state.mentions[nth]
    if named(mention) and mention.has("latest", "earliest"):
        return False
    repeated = mention.has("latest", "earliest") and {"lan", "time"} & set(fold(mention.text).split())
    if mention.has("when") or repeated:
        return True
    near = [*state.mentions[max(0, nth - 1) : nth], *state.mentions[nth + 1 : nth + 2]]
    dated = mention.unit == "day" or _names_date(state, mention)
    after = state.mentions[nth + 1 : nth + 2]
    if _names_date(state, mention) and any(each.has("latest", "earliest") for each in after):
        return True
    return dated and any(_which(each) for each in near)


def _names_date(state: QueryDraft, mention: Mention) -> bool:
    return (
        bool(mention.targets)
        and mention.targets[0].ref == state.date_ref
        and mention.targets[0].weight >= 0.6
    )


def _which(mention: Mention) -> bool:
    return mention.has("which") and fold(mention.text) in {"nao", "what", "which", "gi"}
