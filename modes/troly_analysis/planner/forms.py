"""Decides what form an answer takes: one figure, groups, a ranking, rows, a share, a comparison, a list of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from troly_analysis.planner.shapes import Form, Group
from troly_analysis.planner.state import State, dimension, is_rows, named

TOP, SOME, ROWS, MOST = 10, 5, 20, 1000


def form_of(state: State) -> Form:
    """The first form whose signs the message shows; one figure when it shows none."""
    return next((form for form, holds in _FORMS if holds(state)), "scalar")


def direction(state: State) -> Literal["asc", "desc", ""]:
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


def limit_of(state: State, form: Form) -> int:
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


def _ranked(state: State) -> bool:
    return bool(direction(state)) or (bool(state.limit) and not state.any("list"))


def _schema(state: State) -> bool:
    return state.any("columns") and not state.measures and not state.conditions and not state.groups


def _compared(state: State) -> bool:
    return state.versus is not None


def _per(state: State) -> bool:
    return state.per is not None and bool(state.measures)


def _shared(state: State) -> bool:
    return state.any("share") and not _shareless(state)


def _top(state: State) -> bool:
    if not state.groups or not _ranked(state):
        return False
    course = all(group.unit and state.any("trend") for group in state.groups)
    return not state.measures or not course


def _grouped(state: State) -> bool:
    return bool(state.groups)


def _trend(state: State) -> bool:
    return state.any("trend", "growth") and state.date_ref is not None


def _shareless(state: State) -> bool:
    """Whether the share is a column of its own (a rate), which is then just averaged."""
    return any(measure.ref is not None and measure.ref.kind == "percent" for measure in state.measures)


def _of_two(state: State) -> bool:
    """Whether values are held against each other ("loại nào bán nhiều hơn"): that is no list of them."""
    return state.any("gt", "lt") and any("," in each.said for each in state.conditions)


def _listing(state: State) -> bool:
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


def _rows_wanted(state: State) -> bool:
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


_FORMS: tuple[tuple[Form, Callable[[State], bool]], ...] = (
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
