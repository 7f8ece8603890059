"""Reads which rows: values of the sheet that are named ("Shopee", "đã hủy"), left out, or not to be found in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from troly.text.fold import accents, fold, nfc
from troly.text.language import detect_score
from troly_analysis.planner.draft import LEAVING_OUT, PERSONS, QueryDraft, dimension, is_link, is_rows
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema import Value, side_before, side_of
from troly_analysis.planner.types import Condition, Ref

# Tells words that only look like a value of the sheet from those that mean it: "tra" (pay) is no "Trà" (tea).


_TITLES = frozenset(
    [
        "cua",
        "anh",
        "chi",
        "em",
        "ban",
        "ong",
        "ba",
        "co",
        "chu",
        "bac",
        "thay",
        "by",
        "of",
        "from",
        "mr",
        "ms",
    ]
)


def looks_alike(draft: QueryDraft, nth: int, value: Value) -> bool:
    """Whether the words at `nth` only look like `value`; what may be one in spite of that is said to be missing."""
    mention = draft.mentions[nth]
    if _is_everyday(draft, mention, value) or _inside_name(draft, mention, value):
        return True
    verb = _is_verb(draft, nth, value)
    if verb:
        mention.values = ()
    return verb


def _is_verb(draft: QueryDraft, nth: int, value: Value) -> bool:
    """Whether a small word that could be somebody's name is what was done ("chưa phát" where a postman is called Phát)."""
    mention = draft.mentions[nth]
    known = bool(mention.targets) or bool(mention.labels)
    small = mention.text.islower() and len(mention.text.split()) == 1 and not draft.wording.text.islower()
    named = nth > 0 and fold(draft.mentions[nth - 1].text) in _TITLES
    after_verb = nth > 0 and draft.mentions[nth - 1].has("deny", "filled", "per")
    return (
        value.ref.concept in PERSONS
        and known
        and not named
        and (small or after_verb or bool(mention.targets))
    )


def _inside_name(draft: QueryDraft, mention: Mention, value: Value) -> bool:
    """Whether one small word is only a syllable inside longer names ("gia hạn" is no "Trần Gia Bảo")."""
    if value.whole or len(mention.text.split()) > 1 or mention.text[:1].isupper():
        return False
    said = fold(mention.text)
    names = [fold(each).split() for each in value.values]
    titled = all(len(each.split()) > 1 and each.istitle() for each in value.values)
    inside = all(said in name[1 if not titled else 0 : -1] and len(name) > 2 for name in names)
    if inside:
        mention.values = ()
        draft.missing.append(mention.text)
    return inside


def _is_everyday(draft: QueryDraft, mention: Mention, value: Value) -> bool:
    """Whether the words are those of any question and only look like a value; where it could be one that is said."""
    if _only_looks_alike(draft, mention, value):
        if value.whole and not draft.wording.careful:
            draft.missing.append(mention.text)
        mention.values = ()
        return True
    return mention.has("filler") and _is_english_word(draft, mention, value)


def _is_english_word(draft: QueryDraft, mention: Mention, value: Value) -> bool:
    """Whether the words only look like a value without its marks: "the" in an English question is no "Thẻ"."""
    spelled = any(nfc(each).lower() == nfc(mention.text).lower() for each in value.values)
    return not spelled and detect_score(draft.wording.text) < 0


def _only_looks_alike(draft: QueryDraft, mention: Mention, value: Value) -> bool:
    """Whether one word without its accents is first of all an everyday one: "tra" (pay) in a sheet with "Trà" (tea)."""
    bare = mention.text
    if len(bare.split()) > 1 or accents(bare) or capital(draft, mention) or not mention.labels:
        return False
    return draft.schema.bare or any(accents(each) for each in value.values)


def capital(draft: QueryDraft, mention: Mention) -> bool:
    """Whether the words are written as a name inside the sentence."""
    shouted = draft.wording.text.isupper()
    return mention.start > 0 and mention.text[:1].isupper() and not shouted


_CODE = re.compile(r"(?=\S*[0-9])(?=\S*[^\W\d_])\S+")
_YES_NO = frozenset({"co", "khong", "yes", "no", "true", "false", "roi", "chua"})
_TELLING, _DENIED = 0.6, 0.5


def read_values(draft: QueryDraft) -> None:
    """Turn every value named into a condition on its column; several of one column are joined."""
    found: list[tuple[Condition, bool]] = []
    for nth, mention in enumerate(draft.mentions):
        if mention.used or not mention.values or not _is_value(draft, nth):
            continue
        value = _pick(draft, nth)
        if value is None:
            continue
        mention.used = True
        beside = _name_beside(draft, nth, value.ref)
        if beside is not None:
            beside.used = True
        negated = _negated(draft, nth)
        found.append((_condition(value, mention), negated))
    _flags(draft, found)
    _codes(draft, found)
    draft.conditions.extend(_merged(found))


def _is_value(draft: QueryDraft, nth: int) -> bool:
    mention = draft.mentions[nth]
    best = mention.values[0]
    beside = _name_beside(draft, nth, best.ref)
    if fold(mention.text) in _YES_NO and not (beside and best.whole):
        return False
    column = mention.targets[0].weight - best.weight if mention.targets else -1.0
    if column > -0.3 and not beside and _counted_or_listed(draft, nth):
        return False  # "có bao nhiêu nhân viên", where some are called that too
    if (column > 0.02 and not beside) or (column >= -0.02 and _asked_for(draft, nth)):
        return False
    if beside is None and looks_alike(draft, nth, best):
        return False
    if mention.labels and not best.whole:
        return beside is not None or capital(draft, mention)
    content = mention.labels - {"filler"}
    return not content or best.weight >= 0.95 or len(mention.text.split()) > 1 or beside is not None


def _asked_for(draft: QueryDraft, nth: int) -> bool:
    """Whether the words around ask for a dimension ("theo kênh", "tỉnh nào") and not for one value of it."""
    before = next(draft.before(nth, 1), None)
    after = next(draft.after(nth, 1), None)
    return bool((before and before.has("by", "per")) or (after and after.has("which")))


def _counted_or_listed(draft: QueryDraft, nth: int) -> bool:
    before = next(draft.before(nth, 1), None)
    after = next(draft.after(nth, 1), None)
    said = before is not None and (
        before.has("count", "number", "top", "bottom", "plural", "by", "per", "distinct")
        or bool(before.amount)
    )
    return said or (after is not None and after.has("which", "distinct"))


def _pick(draft: QueryDraft, nth: int) -> Value | None:
    """The one column whose value is meant: the one named beside it, else the surest; asks between equals."""
    mention = draft.mentions[nth]
    top = mention.values[0]
    for value in mention.values:
        if value.whole >= top.whole and _name_beside(draft, nth, value.ref):
            return value
    best = [v for v in mention.values if v.whole == top.whole and top.weight - v.weight < 0.03]
    picked = draft.choices.get(fold(mention.text))
    if picked:
        best = [value for value in mention.values if value.ref.name == picked] or best
    if len(best) > 1:
        best = _of_side(draft, mention, best)
    elsewhere = {ref.name for _, ref in _columns(draft) if ref}
    if len(best) > 1 and (named := [value for value in best if value.ref.name in elsewhere]):
        best = named
    if len(best) > 1:
        names = tuple(value.ref.name for value in best[:4])
        draft.ask("which_value", mention.text, names, said=mention.text)
    if not top.whole:
        draft.note("values_meant", said=mention.text, values=best[0].values[:4], field=best[0].ref.name)
    return best[0]


def _of_side(draft: QueryDraft, mention: Mention, best: list[Value]) -> list[Value]:
    """Of "from_warehouse" and "to_warehouse" the one that the word before the value means."""
    side = side_before(draft.wording.words[: mention.start])
    found = [value for value in best if side and side_of(value.ref.name) == side]
    return found if len(found) == 1 else best


def _columns(draft: QueryDraft) -> list[tuple[Mention, Ref | None]]:
    return [(m, m.targets[0].ref) for m in draft.mentions if m.targets and not m.values and not m.used]


def _name_beside(draft: QueryDraft, nth: int, ref: Ref) -> Mention | None:
    """The mention next to a value that names its column ("nền tảng Shopee", "Shopee platform")."""
    for step in (-1, 1):
        at = nth + step
        while 0 <= at < len(draft.mentions) and is_link(draft.mentions[at]) and abs(at - nth) < 3:
            if draft.mentions[at].has("and"):
                break
            at += step
        if not 0 <= at < len(draft.mentions):
            continue
        mention = draft.mentions[at]
        if mention.used or (mention.values and step == 1) or mention.has("by", "which", "list"):
            continue
        same = any(
            t.ref and t.ref.name == ref.name and t.weight > mention.targets[0].weight - 0.1
            for t in mention.targets
        )
        if (
            same
            and not is_rows(mention)
            and not (step == 1 and _asked_for(draft, at))
            and not _asked_for(draft, at)
        ):
            return mention
    return None


def _condition(value: Value, mention: Mention) -> Condition:
    if value.ref.kind == "boolean":
        return Condition(value.ref, "eq", value.values[0], mention.text)
    if len(value.values) == 1:
        return Condition(value.ref, "eq", value.values[0], mention.text)
    return Condition(value.ref, "in", list(value.values), mention.text)


def _negated(draft: QueryDraft, nth: int) -> bool:
    """Whether a word of leaving out stands before the value, with nothing between but names and other values."""
    for at in range(nth - 1, max(nth - 6, -1), -1):
        mention = draft.mentions[at]
        if mention.has("not", "deny", "blank") and not (mention.targets and mention.targets[0].weight >= 0.9):
            strong = mention.labels <= LEAVING_OUT or at >= nth - 2
            if strong:
                mention.used = True
            return strong
        passable = is_link(mention) or mention.values or is_rows(mention) or mention.used
        named = bool(mention.targets) and not mention.has("sum", "avg", "by")
        if mention.period or mention.amount or not (passable or named):
            return False
    return False


def _flags(draft: QueryDraft, found: list[tuple[Condition, bool]]) -> None:
    """Yes-or-no columns that are named ("đã thanh toán", "chưa thanh toán")."""
    for nth, mention in enumerate(draft.mentions):
        if mention.used or not mention.targets or _asked_for(draft, nth):
            continue
        target = dimension(draft, mention)
        denied = nth > 0 and draft.mentions[nth - 1].has("blank")
        least = _DENIED if denied else _TELLING
        telling = target is not None and (target.weight >= least or len(mention.text.split()) > 1)
        if telling and target and target.ref and target.ref.kind == "boolean":
            denied = _negated(draft, nth)
            found.append((Condition(target.ref, "eq", not denied, mention.text), False))
            mention.used = True


def _codes(draft: QueryDraft, found: list[tuple[Condition, bool]]) -> None:
    """Codes of the sheet that its examples do not hold ("DH00123"): looked up, or told by their shape."""
    covered = {at for mention in draft.mentions for at in range(mention.start, mention.end)}
    for at, token in enumerate(draft.wording.words):
        text = draft.wording.text[token.start : token.end]
        if at in covered or not _CODE.fullmatch(text):
            continue
        for key, ref in draft.schema.refs.items():
            field = draft.schema.fields[key]
            if ref.kind != "text" or ref.sheet or not any(_alike(text, each) for each in field.examples):
                continue
            found.append(
                (Condition(ref, "eq", text.upper() if field.examples[0].isupper() else text, text), False)
            )
            draft.mentions.append(Mention(at, at + 1, text, used=True))
            break
    draft.mentions.sort(key=lambda mention: mention.start)


def _alike(text: str, known: str) -> bool:
    """Whether a code has the form of a known one: the same letters, and numbers about as long ("m3" is no "A0801")."""
    lengths = [[len(run) for run in re.findall(r"[0-9]+", each)] for each in (text, known)]
    near = all(abs(one - other) <= 1 for one, other in zip(*lengths, strict=False))
    return near and _shape(text) == _shape(known)


def _shape(text: str) -> str:
    return re.sub(r"[0-9]+", "9", re.sub(r"[^\W\d_]", "a", text))


def _merged(found: Sequence[tuple[Condition, bool]]) -> list[Condition]:
    """One condition a column and sense: values said apart are alternatives."""
    joined: dict[tuple[str, str, bool], list[Condition]] = {}
    for condition, negated in found:
        joined.setdefault((condition.ref.sheet, condition.ref.name, negated), []).append(condition)
    merged = []
    for (_, _, negated), conditions in joined.items():
        values = list(
            dict.fromkeys(
                v for c in conditions for v in (c.value if isinstance(c.value, list) else [c.value])
            )
        )
        said = ", ".join(dict.fromkeys(c.said for c in conditions))
        one = len(values) == 1
        op = ("ne" if one else "nin") if negated else ("eq" if one else "in")
        merged.append(Condition(conditions[0].ref, op, values[0] if one else values, said))  # type: ignore[arg-type]
    return merged
