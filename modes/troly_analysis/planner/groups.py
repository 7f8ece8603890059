"""Reads by what: the dimensions of a question ("theo tỉnh", "tháng nào", "mỗi nhân viên", "top 5 sản phẩm")."""

from __future__ import annotations

from troly.text.fold import fold
from troly_analysis.planner.draft import (
    PERSONS,
    SUPERLATIVE,
    QueryDraft,
    dimension,
    figure,
    is_link,
    is_rows,
    is_time,
)
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema import Target
from troly_analysis.planner.types import Group, Ref, Unit, averaged

_WEAK = 0.56


def read_groups(draft: QueryDraft) -> None:
    """Find the dimensions; one named by "mỗi" or "per" under an average is kept apart in `per`."""
    for nth, mention in enumerate(draft.mentions):
        if mention.used or mention.period or mention.amount:
            continue
        trigger = _trigger(draft, nth)
        if not trigger:
            continue
        group = _group(draft, mention, trigger)
        if group is None:
            continue
        mention.used = True
        each = _averaged(draft) or (trigger == "per" and not group.unit and _on_each(draft, nth))
        if trigger == "per" and each and _counts_singly(draft, group):
            draft.per = group
        elif group not in draft.groups:
            draft.groups.append(group)
    _persons(draft)
    _compared_values(draft)


def _on_each(draft: QueryDraft, nth: int) -> bool:
    """Whether "trên mỗi", "per" stand before: that is a mean, as "mỗi" alone need not be."""
    before = _previous(draft, nth)
    return before is not None and fold(before.text) in {"tren moi", "tren mot", "per", "/"}


def _persons(draft: QueryDraft) -> None:
    """ "Ai", "who": the column of persons."""
    asked = next((mention for mention in draft.mentions if mention.has("who")), None)
    if asked is None or draft.groups:
        return
    if _ranked_row(draft):
        asked.used = True  # "đơn lớn nhất là của ai": the row says who
        return
    hint = (
        {"customer", "patient"}
        if draft.any("bought")
        else {"employee"}
        if draft.any("sold", "seller")
        else None
    )
    known = [name for name in PERSONS if any(r.kind == "text" for r in draft.schema.by_concept.get(name, ()))]
    likely = [name for name in known if hint and name in hint] or known
    if len(likely) > 1:
        likely = [name for name in likely if name != "author"]  # of a book, which they did not take out
    if not hint and "reader" in likely:
        likely = ["reader"]
    if not hint and draft.schema.row_concept in likely:
        likely = [draft.schema.row_concept]  # a row is a person
    names = tuple(max(draft.schema.by_concept[name], key=_like_name).name for name in likely)
    picked = draft.choices.get(fold(asked.text))
    likely = [name for name, column in zip(likely, names, strict=True) if column == picked] or likely
    if len(likely) > 1:
        draft.ask("which_field", asked.text, names[:4], said=asked.text)
    for concept in likely:
        found = [ref for ref in draft.schema.by_concept.get(concept, ()) if ref.kind == "text"]
        if found:
            draft.groups.append(Group(max(found, key=_like_name)))
            asked.used = True
            return


def _ranked_row(draft: QueryDraft) -> bool:
    """Whether one row is asked for by its size ("đơn lớn nhất")."""
    for nth, mention in enumerate(draft.mentions):
        after = next(iter(draft.mentions[nth + 1 : nth + 2]), None)
        if after is not None and is_rows(mention) and mention.targets and after.has("max", "min"):
            return fold(after.text).split()[0] in {"lon", "cao", "dat", "nho", "thap", "largest", "biggest"}
    return False


def _like_name(ref: Ref) -> int:
    return 0 if fold(ref.name).replace("_", " ").split()[0] in {"ma", "id", "code"} else 1


def read_loose_groups(draft: QueryDraft) -> None:
    """When nothing was grouped by, take a dimension that is only named: "sản phẩm bán chạy nhất", "doanh thu các tỉnh"."""
    if draft.groups or draft.per:
        return
    ranked = draft.any(*SUPERLATIVE) or bool(draft.limit)
    for nth, mention in enumerate(draft.mentions):
        if (
            mention.used
            or mention.period
            or mention.amount
            or is_rows(mention)
            or mention.has("sold", "bought")
        ):
            continue
        if mention.targets and figure(draft, mention):
            continue
        loose = (
            ranked
            or bool(draft.having)
            or draft.any("trend", "compare")
            or (draft.any("share") and not draft.conditions)
            or _plural(draft, nth)
        )
        if mention.unit and mention.targets == () and not (ranked and _time_ranked(draft)):
            continue
        group = _group(draft, mention, "loose") if loose else None
        if group is not None and not _counted(draft, nth):
            mention.used = True
            draft.groups.append(group)
            return


def _plural(draft: QueryDraft, nth: int) -> bool:
    return any(each.has("plural") for each in draft.mentions[max(0, nth - 1) : nth])


def _time_ranked(draft: QueryDraft) -> bool:
    return draft.any("max", "min", "superlative")


def _counted(draft: QueryDraft, nth: int) -> bool:
    """Whether the mention is what is counted ("bao nhiêu khách hàng")."""
    before = next(iter(draft.mentions[max(0, nth - 1) : nth]), None)
    return before is not None and before.has("count", "number", "distinct")


def _trigger(draft: QueryDraft, nth: int) -> str:
    """Which word makes a mention a dimension: by, per, which, top; "" for none."""
    mention = draft.mentions[nth]
    if not (mention.targets or mention.unit):
        return ""
    after = next(iter(draft.mentions[nth + 1 : nth + 2]), None)
    asked = "which" if after is not None and after.has("which") and not after.targets else ""
    return _adverb(mention) or _trigger_before(draft, nth) or asked


def _adverb(mention: Mention) -> str:
    """ "hàng tháng", "daily", "mỗi ngày": a unit of time with its own word."""
    text = fold(mention.text)
    if not mention.unit:
        return ""
    if text.startswith("moi "):
        return "per"
    return "by" if text.startswith(("hang ", "tung ", "theo ")) or text.endswith("ly") else ""


def _trigger_before(draft: QueryDraft, nth: int) -> str:
    before = _previous(draft, nth)
    if before is None:
        return ""
    ranked = before.has("seller", "slow seller") and draft.any("top", "bottom")
    signs = {
        "by": before.has("by") or (before.has("and") and _chained(draft, nth)),
        "per": before.has("per") and not before.amount,
        "which": before.has("which") and fold(before.text) in {"which", "what"},
        "top": before.has("top", "bottom") or bool(before.amount and before.used and draft.limit) or ranked,
    }
    return next((sign for sign, holds in signs.items() if holds), "")


def _previous(draft: QueryDraft, nth: int) -> Mention | None:
    """The mention before, past fillers but not past "and"."""
    for at in range(nth - 1, max(nth - 4, -1), -1):
        mention = draft.mentions[at]
        if is_link(mention) and not mention.has("and") and not mention.has("by", "per"):
            continue
        if mention.has("plural") and not mention.has("top") and not mention.targets:
            continue
        return mention
    return None


def _chained(draft: QueryDraft, nth: int) -> bool:
    """Whether "X và Y": X is a dimension already, and Y is no figure."""
    if figure(draft, draft.mentions[nth]) or not draft.groups:
        return False
    earlier = next(iter(draft.mentions[max(0, nth - 2) : nth - 1]), None)
    return earlier is not None and earlier.used and any(_names(earlier, group) for group in draft.groups)


def _names(mention: Mention, group: Group) -> bool:
    named = any(target.ref and target.ref.name == group.ref.name for target in mention.targets)
    return named or (bool(mention.unit) and mention.unit == group.unit)


def _group(draft: QueryDraft, mention: Mention, trigger: str) -> Group | None:
    target = dimension(draft, mention) if mention.targets else None
    if target and target.weight < _WEAK and trigger != "by":
        target = None  # "khám" is no "Tái khám"
    ref = target.ref if target else None
    if target and ref and not is_time(ref) and not (mention.unit and target.weight < 0.95):
        if is_rows(mention) and trigger in {"which", "top", "loose"}:
            return _row_names(draft)
        return Group(_named_ref(mention, ref))
    if mention.unit and draft.date_ref and not (mention.has("hour") and trigger == "loose"):
        return _time_group(draft, mention, target)
    if ref and is_time(ref) and trigger != "loose":
        return Group(ref, "day")
    return _row_names(draft) if is_rows(mention) and trigger in {"which", "top", "by"} else None


def _time_group(draft: QueryDraft, mention: Mention, target: Target | None) -> Group | None:
    """Days, months … of the date column in use, or of the one whose very name was said."""
    unit: Unit = mention.unit  # type: ignore[assignment]
    ref = target.ref if target and target.weight >= 0.99 else None
    if ref and is_time(ref) and len(_times(draft)) > 1 and fold(ref.name) == fold(mention.text):
        return Group(ref, unit)
    return Group(draft.date_ref, unit) if draft.date_ref else None


def _times(draft: QueryDraft) -> list[Ref]:
    return [ref for ref in draft.schema.refs.values() if is_time(ref) and not ref.sheet]


def _named_ref(mention: Mention, ref: Ref) -> Ref:
    """For "khách hàng" the column of names rather than that of codes, when both are meant equally."""
    best = [
        t.ref
        for t in mention.targets
        if t.ref and mention.targets[0].weight - t.weight < 0.2 and t.ref.kind == "text"
    ]
    return ref if ref in best or not best else best[0]


def _row_names(draft: QueryDraft) -> Group | None:
    """The column that names the rows one by one, when the sheet has one ("Tên nhân viên")."""
    sheet = draft.schema.sheet
    for ref in draft.schema.by_concept.get(draft.schema.row_concept, ()):
        found = draft.schema.key(ref)
        if (
            not ref.sheet
            and ref.kind == "text"
            and ref != draft.schema.row_ref
            and found.distinct >= sheet.rows > 0
        ):
            return Group(ref)
    return None


def _averaged(draft: QueryDraft) -> bool:
    return any(mention.has("avg") for mention in draft.mentions)


def _counts_singly(draft: QueryDraft, group: Group) -> bool:
    """Whether "mỗi X" asks for one average over all X: days and persons do, the few values of a column do not."""
    named = [figure(draft, mention) for mention in draft.mentions if mention.targets and not mention.used]
    if any(target and target.ref and averaged(target.ref) for target in named):
        return False
    if group.unit:
        return True
    found = draft.schema.key(group.ref)
    return found.distinct > 30 or group.ref.concept in {*PERSONS, "order", "product", "vehicle"}


def _compared_values(draft: QueryDraft) -> None:
    """ "So sánh Shopee và Lazada": the values' own column is the dimension."""
    if (
        draft.groups
        or draft.versus
        or not (
            draft.any("compare", "which", "who", "avg", "each") or "hay" in fold(draft.wording.text).split()
        )
    ):
        return
    _each_of_values(draft)


def _each_of_values(draft: QueryDraft) -> None:
    for condition in draft.conditions:
        if condition.op == "in" and len(condition.value) > 1 and ("," in condition.said):
            draft.groups.append(Group(condition.ref))
            return
