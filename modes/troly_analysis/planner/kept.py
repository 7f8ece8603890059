"""Checks that an answer does all that the words of its question ask for; what it does not do is said to be missing."""

from __future__ import annotations

from collections.abc import Callable

from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Ask
from troly_analysis.planner.state import State, is_link, is_rows, named

_SURE = 0.75
_ENDS = frozenset({"max", "min", "superlative", "top", "bottom", "latest", "earliest", "fast", "slow"})


def broken(state: State, ask: Ask) -> list[tuple[int, int]]:
    """The words (first, after the last) whose meaning `ask` leaves out."""
    if ask.form == "schema":
        return []
    found = [mention for nth, mention in enumerate(state.mentions) if _broken(state, ask, nth, mention)]
    return [(mention.start, mention.end) for mention in found]


def _broken(state: State, ask: Ask, nth: int, mention: Mention) -> bool:
    if mention.used or mention.period or mention.amount:
        return False
    if mention.has("about") or _denied(state, nth, mention):
        return True
    if mention.targets or mention.values:
        return _unread(mention) and not _beside_value(state, nth)
    if mention.has("filler") or named(mention):
        return False
    wanted = [kept for label, kept in _KEPT.items() if mention.has(label)]
    return bool(wanted) and not any(kept(state, ask, mention) for kept in wanted)


def _unread(mention: Mention) -> bool:
    """Whether a column or value was named for certain and nothing came of it."""
    if mention.labels or is_rows(mention):
        return False
    value = bool(mention.values) and mention.values[0].whole
    return value or (bool(mention.targets) and mention.targets[0].weight >= _SURE)


def _beside_value(state: State, nth: int) -> bool:
    """Whether the words only say what kind of thing the value next to them is ("món tráng miệng")."""
    near = (next(state.before(nth, 1), None), next(state.after(nth, 1), None))
    flags = (each for each in near if each is not None and each.used and each.targets and each.targets[0].ref)
    flagged = any(each.targets[0].ref and each.targets[0].ref.kind == "boolean" for each in flags)
    return flagged or any(each is not None and each.used and bool(each.values) for each in near)


def _denied(state: State, nth: int, mention: Mention) -> bool:
    """Whether a word that may leave something out stands before other words: at the end it only asks."""
    if not mention.has("not") or mention.targets:
        return False
    after = next((each for each in state.mentions[nth + 1 :] if not is_link(each)), None)
    return after is not None and not (after.period or after.has("which", "count", "much", "by", "compare"))


def _extreme(_state: State, ask: Ask, _mention: Mention) -> bool:
    return bool(ask.order) or any(measure.op in {"max", "min"} for measure in ask.measures)


def _mean(_state: State, ask: Ask, _mention: Mention) -> bool:
    return ask.form == "per" or any(measure.op == "avg" or measure.metric for measure in ask.measures)


def _shared(_state: State, ask: Ask, _mention: Mention) -> bool:
    return ask.form == "share" or any(
        measure.ref and measure.ref.kind == "percent" for measure in ask.measures
    )


def _different(_state: State, ask: Ask, _mention: Mention) -> bool:
    return ask.form == "distinct" or ask.count_groups or any(measure.distinct for measure in ask.measures)


def _compared(_state: State, ask: Ask, _mention: Mention) -> bool:
    return ask.versus is not None or bool(ask.groups)


def _grown(_state: State, ask: Ask, _mention: Mention) -> bool:
    return ask.versus is not None or any(group.unit for group in ask.groups)


def _by_time(state: State, ask: Ask, mention: Mention) -> bool:
    groups = [*ask.groups, *([state.per] if state.per and ask.form == "per" else [])]
    return any(group.unit == mention.unit or group.unit for group in groups) and not mention.has("about")


def _grouped(_state: State, ask: Ask, _mention: Mention) -> bool:
    return bool(ask.groups) or ask.form in {"distinct", "rows"}


def _never(_state: State, _ask: Ask, _mention: Mention) -> bool:
    return False


def _of_two(_state: State, ask: Ask, mention: Mention) -> bool:
    """ "Bên nào cao hơn": the figures of the values that are compared stand side by side."""
    return not mention.has("gt", "lt") or any(
        each.op == "in" and any(group.ref == each.ref for group in ask.groups) for each in ask.conditions
    )


_KEPT: dict[str, Callable[[State, Ask, Mention], bool]] = {
    **dict.fromkeys(_ENDS, _extreme),
    "seller": _extreme,
    "slow seller": _extreme,
    "avg": _mean,
    "share": _shared,
    "distinct": _different,
    "compare": _compared,
    "growth": _grown,
    "trend": _by_time,
    "who": _grouped,
    "gap": lambda _state, ask, _mention: bool(ask.gap or ask.versus),
    **dict.fromkeys(["gt", "lt", "high", "low"], _of_two),
    **dict.fromkeys(["gte", "lte", "between", "upward", "downward", "ordinal"], _never),
    **dict.fromkeys([f"day {days}" for days in ("1", "2", "3", "4", "5", "6", "7", "67", "12345")], _never),
    **dict.fromkeys(
        ["unit day", "unit week", "unit month", "unit quarter", "unit year", "unit weekday", "unit hour"],
        _by_time,
    ),
}
