"""Decides what form an answer takes: one figure, groups, a ranking, rows, a share, a comparison, a list of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from troly.text.fold import fold
from troly_analysis.planner.draft import QueryDraft, dimension, is_rows, named
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.types import Form, Group, Measure

TOP, SOME, ROWS, MOST = 10, 5, 20, 1000


def form_of(draft: QueryDraft) -> Form:
    """The first form whose signs the message shows; one figure when it shows none."""
    return next((form for form, holds in _FORMS if holds(draft)), "scalar")


def direction(draft: QueryDraft) -> Literal["asc", "desc", ""]:
    """Which end of a ranking is asked for, "" when nothing is ranked."""
    if draft.any("slow seller", "bottom"):
        return "asc"
    if draft.any("seller", "top"):
        return "asc" if draft.any("min") and not draft.any("max") else "desc"
    for mention in draft.mentions:
        if (mention.used and mention.targets) or named(mention):
            continue
        if mention.has("max", "latest", "slow"):
            return "desc"
        if mention.has("min", "earliest", "fast"):
            return "asc"
    return "desc" if draft.limit and not draft.any("list") else ""


def limit_of(draft: QueryDraft, form: Form) -> int:
    """How many are listed; the number said, or one for "nào … nhất", or a few, which is then noted."""
    if draft.limit or form not in {"top", "rows"}:
        return draft.limit
    several = draft.any("plural", "list" if form == "rows" else "top", "bottom")
    if not several:
        return 1 if form == "top" or direction(draft) else ROWS
    if form == "rows" and not direction(draft) and (draft.conditions or draft.period):
        return MOST
    limit = ROWS if form == "rows" else TOP if draft.any("top", "bottom") else SOME
    if form == "top" and draft.any("which") and not draft.any("plural"):
        return 1
    draft.note("limit", limit=limit)
    return limit


def _ranked(draft: QueryDraft) -> bool:
    return bool(direction(draft)) or (bool(draft.limit) and not draft.any("list"))


def _schema(draft: QueryDraft) -> bool:
    return draft.any("columns") and not draft.measures and not draft.conditions and not draft.groups


def _compared(draft: QueryDraft) -> bool:
    return draft.versus is not None


def _per(draft: QueryDraft) -> bool:
    return draft.per is not None and bool(draft.measures)


def _shared(draft: QueryDraft) -> bool:
    return draft.any("share") and not _shareless(draft)


def _top(draft: QueryDraft) -> bool:
    if not draft.groups or not _ranked(draft):
        return False
    course = all(group.unit and draft.any("trend") for group in draft.groups)
    return not draft.measures or not course


def _grouped(draft: QueryDraft) -> bool:
    return bool(draft.groups)


def _trend(draft: QueryDraft) -> bool:
    return draft.any("trend", "growth") and draft.date_ref is not None


def _shareless(draft: QueryDraft) -> bool:
    """Whether the share is a column of its own (a rate), which is then just averaged."""
    return any(measure.ref is not None and measure.ref.kind == "percent" for measure in draft.measures)


def _of_two(draft: QueryDraft) -> bool:
    """Whether values are held against each other ("loại nào bán nhiều hơn"): that is no list of them."""
    return draft.any("gt", "lt") and any("," in each.said for each in draft.conditions)


def _listing(draft: QueryDraft) -> bool:
    """Whether the values of a column are asked for ("có những nền tảng nào")."""
    if draft.measures or draft.having or draft.any("count", "compare") or _of_two(draft):
        return False
    if draft.groups:
        return draft.any("which", "list", "plural") and not draft.any("by") and not draft.groups[0].unit
    if not draft.any("list", "which", "plural"):
        return False
    for mention in draft.mentions:
        if mention.used or is_rows(mention) or not mention.targets:
            continue
        target = dimension(draft, mention)
        if target and target.ref and target.ref.kind in {"text", "boolean", "list"}:
            mention.used = True
            draft.groups.append(Group(target.ref))
            return True
    return False


def _rows_wanted(draft: QueryDraft) -> bool:
    ranked = _ranked(draft)
    rows = [mention for mention in draft.mentions if is_rows(mention)]
    for mention in rows:
        draft.entity = draft.entity or mention.text
    counted = any(measure.op == "count" for measure in draft.measures)
    if counted:
        return False
    if rows and (draft.any("list") or (ranked and not any(m.op in {"max", "min"} for m in draft.measures))):
        return True
    if rows and draft.limit:
        return True
    first = draft.mentions.index(rows[0]) if rows else 0
    if first and draft.mentions[first - 1].has("plural") and not (draft.measures or draft.groups):
        return True
    return bool(rows) and draft.any("which") and bool(draft.conditions) and not draft.measures


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


def read_ranks(draft: QueryDraft) -> None:
    """Find the one place that is asked for; "thứ hai" stays a Monday where nothing is ranked."""
    for nth, mention in enumerate(draft.mentions):
        rank = next((int(label[5:]) for label in mention.labels if label.startswith("rank ")), 0)
        if not rank or mention.used or mention.targets:
            continue
        if fold(mention.text).split()[0] in {"dung", "xep", "hang"}:
            mention.labels |= {"max"}  # "đứng thứ hai" counts from the top
        whole = mention.has("max", "min", "seller", "slow seller")
        near = [*draft.mentions[max(0, nth - _REACH) : nth], *draft.mentions[nth + 1 : nth + 2]]
        end = next((each for each in near if each.has(*_ENDS) and not each.targets), None)
        if not whole and end is None:
            mention.labels = frozenset(label for label in mention.labels if not label.startswith("rank "))
            continue
        draft.rank, draft.rank_said = rank, mention.text
        if whole:
            continue
        turned = "min" if end is not None and end.has("low", "min", "bottom") else "max"
        mention.labels = frozenset({turned})
        return


def read_ends(draft: QueryDraft) -> None:
    """ "Lần gần nhất là khi nào": the first or last day among the rows."""
    if draft.date_ref is None or not draft.any("latest", "earliest"):
        return
    asked = next((nth for nth in range(len(draft.mentions)) if _asks_day(draft, nth)), None)
    if asked is None:
        return
    mention = next(each for each in draft.mentions if each.has("latest", "earliest") and not named(each))
    op = "max" if mention.has("latest") and not mention.has("earliest") else "min"
    draft.measures.append(Measure(op, draft.date_ref))  # type: ignore[arg-type]
    for each in (mention, *draft.mentions[asked : asked + 2]):
        if each is mention or each.has("when", "which") or each.unit in _DAYS:
            each.used = True
    for nth, each in enumerate(draft.mentions):
        verb = nth > 0 and draft.mentions[nth - 1].has("filler", "bought", "sold", "done")
        thing = verb and bool(each.targets) and not (each.values or each.amount or each.period)
        if thing or (each.targets and each.targets[0].ref == draft.date_ref):
            each.used = True  # "đặt tour", "mang xe tới": what it was done to


def _asks_day(draft: QueryDraft, nth: int) -> bool:
    mention = draft.mentions[nth]
    if named(mention) and mention.has("latest", "earliest"):
        return False
    repeated = mention.has("latest", "earliest") and {"lan", "time"} & set(fold(mention.text).split())
    if mention.has("when") or repeated:
        return True
    near = [*draft.mentions[max(0, nth - 1) : nth], *draft.mentions[nth + 1 : nth + 2]]
    dated = mention.unit == "day" or _names_date(draft, mention)
    after = draft.mentions[nth + 1 : nth + 2]
    if _names_date(draft, mention) and any(each.has("latest", "earliest") for each in after):
        return True
    return dated and any(_which(each) for each in near)


def _names_date(draft: QueryDraft, mention: Mention) -> bool:
    return (
        bool(mention.targets)
        and mention.targets[0].ref == draft.date_ref
        and mention.targets[0].weight >= 0.6
    )


def _which(mention: Mention) -> bool:
    return mention.has("which") and fold(mention.text) in {"nao", "what", "which", "gi"}
