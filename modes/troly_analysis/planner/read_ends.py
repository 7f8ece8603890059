"""Reads places of a ranking ("cao thứ nhì", "second highest") and first or last days ("đơn đầu tiên là ngày nào")."""

from __future__ import annotations

from troly.text.fold import fold
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Measure
from troly_analysis.planner.state import State, named

_ENDS = ("max", "min", "high", "low", "seller", "slow seller", "top", "bottom", "superlative")
_REACH = 4
_DAYS = frozenset({"day", "month", "year", "hour"})


def read_ranks(state: State) -> None:
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


def read_ends(state: State) -> None:
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


def _asks_day(state: State, nth: int) -> bool:
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


def _names_date(state: State, mention: Mention) -> bool:
    return (
        bool(mention.targets)
        and mention.targets[0].ref == state.date_ref
        and mention.targets[0].weight >= 0.6
    )


def _which(mention: Mention) -> bool:
    return mention.has("which") and fold(mention.text) in {"nao", "what", "which", "gi"}
