"""Reads which rows: numbers compared ("trên 5 triệu", "từ 2 đến 5tr") and the N of a top list."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from troly_analysis.planner.draft import (
    FIGURES,
    NAMES,
    PERSONS,
    SUPERLATIVE,
    QueryDraft,
    chosen,
    figure,
    is_link,
    is_rows,
    is_time,
)
from troly_analysis.planner.lexicon import marks
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema import Value, is_code
from troly_analysis.planner.types import Condition, Op, Ref, averaged
from troly_analysis.types import NUMERIC

_OPS: tuple[Op, ...] = ("gte", "lte", "gt", "lt", "eq")
_MOST = 1000
_REACH = 4


def read_numbers(draft: QueryDraft) -> None:
    """Turn every amount into a condition, the length of a top list, or a doubt."""
    nth = 0
    while nth < len(draft.mentions):
        mention = draft.mentions[nth]
        if mention.amount is None or mention.used:
            nth += 1
            continue
        nth = _read(draft, nth)


def _read(draft: QueryDraft, nth: int) -> int:
    mention = draft.mentions[nth]
    op, signs = _comparator(draft, nth)
    second = _second(draft, nth) if op in {"between", "gte", ""} else None
    if second is None and op == "between":
        op = "gte"
    if second is not None and (op in {"between", "gte"} or _joined(draft, nth, second)):
        return _between(draft, nth, second, signs)
    if not op and _is_limit(draft, nth):
        draft.limit, mention.used = int(_value(mention)), True
        return nth + 1
    ref, carrier = _column(draft, nth, nth, compared=bool(op))
    if ref is None or (not op and carrier is None):
        return nth + 1
    if not op and not _beside(draft, nth, carrier):
        return nth + 1
    _place(draft, Condition(ref, op or "eq", _number(_value(mention)), mention.text), nth, carrier)
    for each in (mention, *signs):
        each.used = True
    return nth + 1


def _comparator(draft: QueryDraft, nth: int) -> tuple[Op | Any, list[Mention]]:
    """The operator of the amount at `nth` and the words that say it."""
    after = _open_end(draft, nth)
    if after and after.has("upward"):
        return "gte", [after, *_sign(draft, nth, "gte")]
    if after and after.has("downward"):
        return "lte", [after, *_sign(draft, nth, "gte", "lte")]
    for back in range(nth - 1, max(nth - 4, -1), -1):
        mention = draft.mentions[back]
        if mention.amount or mention.period or mention.values:
            break
        if mention.has("between"):
            return "between", [mention]
        for op in _OPS:
            if mention.has(op) and not (op == "eq" and mention.has("filler") and nth - back > 1):
                return op, [mention]
        if mention.has("min") and mention.text.lower().startswith(("ít", "it ", "least")):
            return "gte", [mention]
        if not mention.has("filler"):
            break
    return "", []


def _open_end(draft: QueryDraft, nth: int) -> Mention | None:
    """What follows the amount at `nth`, past what it counts ("3 khách trở lên")."""
    after, behind = [*draft.mentions[nth + 1 : nth + 3], None, None][:2]
    counted = after is not None and bool(after.targets)
    return behind if counted and behind is not None and behind.has("upward", "downward") else after


def _sign(draft: QueryDraft, nth: int, *labels: str) -> list[Mention]:
    before = next(iter(draft.mentions[max(nth - 1, 0) : nth]), None)
    return [before] if before and before.has(*labels) else []


def _second(draft: QueryDraft, nth: int) -> int | None:
    """The other end of a range: the next amount, with nothing but "to" or "and" between."""
    for ahead in range(nth + 1, min(nth + 3, len(draft.mentions))):
        mention = draft.mentions[ahead]
        if mention.amount and not mention.used:
            return ahead
        if not mention.has("to", "and"):
            return None
    return None


def _joined(draft: QueryDraft, nth: int, second: int) -> bool:
    """Whether the amounts are the ends of a range with no word before it ("2-5 triệu")."""
    between = draft.mentions[nth + 1 : second]
    return all(mention.has("to") for mention in between)


def _between(draft: QueryDraft, nth: int, second: int, signs: list[Mention]) -> int:
    low, high = draft.mentions[nth], draft.mentions[second]
    least, most = _value(low), _value(high)
    if least > most:
        least, most = most, least
    ref, carrier = _column(draft, nth, second, compared=True)
    if ref is not None:
        said = f"{low.text} - {high.text}"
        _place(draft, Condition(ref, "between", [_number(least), _number(most)], said), nth, carrier)
        for each in (low, high, *signs, *draft.mentions[nth + 1 : second]):
            each.used = True
    return second + 1


def _is_limit(draft: QueryDraft, nth: int) -> bool:
    amount = draft.mentions[nth].amount
    if amount is None or amount.unit or not 0 < amount.value <= _MOST:
        return False
    if amount.value != amount.value.to_integral_value():
        return False
    before = next(iter(draft.mentions[max(nth - 1, 0) : nth]), None)
    if before and before.has("top", "bottom", "latest", "earliest", "max", "min"):
        return True
    after = draft.mentions[nth + 1] if nth + 1 < len(draft.mentions) else None
    if after is None:
        return before is None or before.has("top", "only")
    noun = bool(after.targets) or bool(after.unit) or after.has("top", "seller", *SUPERLATIVE)
    listed = draft.any(*SUPERLATIVE, "list", "high", "low")
    return noun and listed and not (figure(draft, after) and not is_rows(after) and not after.has("top"))


def _column(draft: QueryDraft, nth: int, last: int, *, compared: bool) -> tuple[Ref | None, Mention | None]:
    """The column the amounts from `nth` to `last` speak of, and the mention that names it (None: worked out)."""
    found = _named_after(draft, last, compared=compared) or _named_before(draft, nth)
    if found is not None:
        return found
    return (_by_size(draft, nth, last) if compared else None), None


def _named_after(draft: QueryDraft, last: int, *, compared: bool) -> tuple[Ref, Mention] | None:
    """ "5 sao", "trên 3 đơn": what stands behind the amount says what is counted."""
    ahead = draft.mentions[last + 1 : last + 3]
    if len(ahead) > 1 and compared and ahead[0].has("filler") and not ahead[0].targets:
        ahead = ahead[1:]
    amount = draft.mentions[last].amount
    if not ahead or amount is None or amount.unit or not ahead[0].targets or ahead[0].used:
        return None
    after = ahead[0]
    if is_rows(after) and compared:
        return Ref("", "rows"), after
    target = figure(draft, after)
    ref = target.ref if target else None
    if (
        ref is None and compared and not is_rows(after)
    ):  # of "khách" the number of guests rather than their names
        numbers = [each.ref for each in after.targets if each.ref and each.ref.kind in NUMERIC]
        ref = next((each for each in numbers if not averaged(each)), None)
    if ref is None and compared and after.targets[0].concept == "product":
        ref = draft.schema.of("quantity")
    return (ref, after) if ref else None


def _named_before(draft: QueryDraft, nth: int) -> tuple[Ref, Mention] | None:
    for mention in draft.before(nth, _REACH):
        if mention.amount or mention.period:
            return None
        target = figure(draft, mention)
        valued = bool(target and mention.values and mention.values[0].weight > target.weight)
        if target and target.ref and not valued:
            return target.ref, mention
        if target and target.metric:
            return Ref(target.metric.name, "metric"), mention
    return None


def _by_size(draft: QueryDraft, nth: int, last: int) -> Ref | None:
    """An amount of money, or a large one, is of the column the sheet is about; so is any in a sheet of one figure."""
    amount = draft.mentions[last].amount
    wanted = draft.schema.main_measure()
    refs = [ref for ref in draft.schema.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
    own = [ref for ref in refs if not is_code(ref, draft.schema.key(ref), draft.schema.sheet)]
    if (
        amount is None
        or wanted is None
        or not (amount.unit == "VND" or amount.value >= 1000 or len(own) == 1)
    ):
        return None
    if len([ref for ref in own if ref.kind == "money"]) > 1 or amount.unit != "VND":
        draft.note("condition_field", field=wanted.name, said=draft.mentions[nth].text)
    return wanted


def _beside(draft: QueryDraft, nth: int, carrier: Mention | None) -> bool:
    """Whether a bare number stands against the column's name ("số lượng 2", "5 sao")."""
    if carrier is None:
        return False
    at = draft.mentions.index(carrier)
    return abs(at - nth) == 1 or all(mention.has("filler", "eq") for mention in draft.mentions[at + 1 : nth])


def _place(draft: QueryDraft, condition: Condition, nth: int, carrier: Mention | None) -> None:
    """Keep a condition: on rows, or on the groups' figures when it is things that are counted or named."""
    group = _grouped(draft, nth)
    if carrier is not None:
        carrier.used = True
    summed = condition.ref.kind in {"rows", "metric"} or _adds_up(condition.ref)
    if condition.ref.kind in {"rows", "metric"} or (group and summed):
        draft.having.append(condition)
    else:
        draft.conditions.append(condition)


def _adds_up(ref: Ref) -> bool:
    return ref.concept not in marks("averaged") and ref.kind != "percent"


def _grouped(draft: QueryDraft, nth: int) -> bool:
    """Whether the words before the amount name things that rows belong to ("khách hàng nào mua trên 5 triệu")."""
    if draft.any("avg", "share"):
        return False
    for mention in draft.mentions[:nth]:
        if not mention.targets or mention.values or mention.used:
            continue
        if is_rows(mention):
            return False
        target = chosen(draft, mention, NAMES | FIGURES)
        if target and target.ref and target.ref.kind == "text":
            at = draft.mentions.index(mention)
            near = [*draft.before(at, 2), *draft.after(at, 2), *draft.mentions[max(0, at - 2) : at + 2]]
            return any(each.has("which", "list", "count", "plural", "number") for each in near)
    return False


def _value(mention: Mention) -> Decimal:
    return mention.amount.value if mention.amount else Decimal(0)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


# Reads conditions on cells that are empty or not: "chưa có HLV", "bỏ trống ghi chú", "with a note", "chưa trả".


_LEAST, _DATE, _NAMED = 0.5, 0.5, 0.99
_BLANK_REACH = 2
_STOPS = (
    "max", "min", "superlative", "count", "much", "which", "gt", "gte", "lt", "lte", "between", "avg", "top", "bottom",
    "high", "low", "eq", "sum", "number", "share",
)  # fmt: skip


def read_blanks(draft: QueryDraft) -> None:
    """Turn every column that is said to be empty, or to be filled, into a condition on its cells."""
    for nth, mention in enumerate(draft.mentions):
        if mention.used or not mention.has("blank", "empty", "filled", "deny"):
            _read_trait(draft, nth)
            continue
        at = _column_at(draft, nth)
        if at is None and mention.has("empty"):
            at = _column_before(draft, nth)
        ref = _ref(draft, at) if at is not None else None
        if at is None or ref is None:
            continue
        condition = _condition(draft, mention, at, ref)
        if condition is not None:
            _keep(draft, nth, at, condition)


def _read_trait(draft: QueryDraft, nth: int) -> None:
    """ "Lượt trả trễ", "were late": a figure that stands behind rows says which of them, those of more than none."""
    mention = draft.mentions[nth]
    ref = _ref(draft, nth) if mention.targets and not (mention.used or mention.values) else None
    if ref is None or ref.concept not in marks("conditions") or mention.targets[0].weight >= _NAMED:
        return
    if draft.schema.key(ref).least not in {"0", "0.0"} or _goes_on(draft, nth):
        return
    before = list(draft.before(nth, 2))
    verb = bool(before) and before[0].targets and is_time(before[0].targets[0].ref or ref)
    rows = before[1:2] if verb else before[:1]
    if rows and is_rows(rows[0]) and not draft.any("sum", "trend"):
        mention.used = True
        if verb:
            before[0].used = True
        draft.conditions.append(Condition(ref, "gt", 0, mention.text))
        draft.note("more_than_none", field=ref.name, said=mention.text)


def _keep(draft: QueryDraft, nth: int, at: int, condition: Condition) -> None:
    draft.conditions.append(condition)
    low, high = sorted((nth, at))
    for each in draft.mentions[low : high + 1]:
        each.used = True
    for each in draft.mentions[high + 1 : high + 2]:
        each.used = each.used or each.has("none at all") or _object(draft, each, condition.ref)
    value = condition.value
    key = "filled_cells" if condition.op in {"ne", "gt"} else "no_cells" if value is None else "zero_cells"
    draft.note(key, field=condition.ref.name, said=condition.said)


def _object(draft: QueryDraft, mention: Mention, ref: Ref) -> bool:
    """Whether the words behind a verb only say what it is done to ("chưa trả sách")."""
    at = draft.mentions.index(mention)
    asked = next(draft.after(at, 1), None)
    plain = bool(mention.targets) and not (mention.values or mention.labels or mention.amount)
    return is_time(ref) and plain and not (asked is not None and asked.has("which", "count", "by"))


def _column_at(draft: QueryDraft, nth: int) -> int | None:
    """The column right behind the word, links apart."""
    for ahead in range(nth + 1, min(nth + 2 + _BLANK_REACH, len(draft.mentions))):
        mention = draft.mentions[ahead]
        if mention.targets and not mention.used:
            return ahead
        if not is_link(mention) and not mention.has("filled", "blank", "bought", "sold", "per"):
            return None
    return None


def _column_before(draft: QueryDraft, nth: int) -> int | None:
    for back in range(nth - 1, max(nth - 2 - _BLANK_REACH, -1), -1):
        mention = draft.mentions[back]
        if mention.targets and not mention.used:
            return back
        if not is_link(mention):
            return None
    return None


def _ref(draft: QueryDraft, at: int) -> Ref | None:
    """The column of the sheet itself that the mention at `at` surely names, when a cell of it can be asked for."""
    mention = draft.mentions[at]
    target = mention.targets[0]
    if target.ref is None or target.ref.sheet or target.ref.parts or is_rows(mention):
        return None
    value = mention.values[0] if mention.values else None
    if value and value.whole and value.weight >= target.weight and not _verb(mention, value, target.ref):
        return None
    if target.ref.kind == "boolean" or target.weight < (_DATE if is_time(target.ref) else _LEAST):
        return None
    return target.ref


def _verb(mention: Mention, value: Value, ref: Ref) -> bool:
    """Whether a small word is the verb of a day ("chưa phát") rather than somebody's name ("Phát")."""
    return is_time(ref) and mention.text.islower() and value.ref.concept in PERSONS


def _condition(draft: QueryDraft, word: Mention, at: int, ref: Ref) -> Condition | None:
    field = draft.schema.key(ref)
    said = _words(draft, word, draft.mentions[at])
    zero = ref.kind in NUMERIC and field.least in {"0", "0.0"}
    if _goes_on(draft, at):
        return None
    if word.has("blank", "empty"):
        if zero and field.blanks and not word.has("empty"):
            return Condition(ref, "in", [0, None], said)
        return Condition(ref, "eq", None if field.blanks or not zero else 0, said)
    if word.has("filled"):
        return _filled(draft, at, Condition(ref, "gt" if zero else "ne", 0 if zero else None, said))
    if bool(field.blanks) == zero:
        return None  # "chưa đóng" could be either, or neither
    return Condition(ref, "eq", 0 if zero else None, said)


def _filled(draft: QueryDraft, at: int, condition: Condition) -> Condition | None:
    """The condition, unless the column is a figure that is wanted, or has no empty cells to be told from."""
    if condition.ref.kind in NUMERIC:
        return condition if condition.op == "gt" and not _asks_figure(draft, at) else None
    return condition if draft.schema.key(condition.ref).blanks else None


def _words(draft: QueryDraft, one: Mention, other: Mention) -> str:
    """The words of the message from the first of two mentions to the end of the other."""
    typed = draft.wording.words[min(one.start, other.start) : max(one.end, other.end)]
    return draft.wording.text[typed[0].start : typed[-1].end]


def _goes_on(draft: QueryDraft, at: int) -> bool:
    """Whether what follows the column says something of its figures or values ("có viện phí cao nhất")."""
    after = next(draft.after(at, 1), None)
    if after is None or after.period:
        return False
    own = any(value.ref.name == draft.mentions[at].targets[0].ref.name for value in after.values)  # type: ignore[union-attr]
    return own or after.amount is not None or after.has(*_STOPS)


def _asks_figure(draft: QueryDraft, at: int) -> bool:
    """Whether no rows are asked for, so that the column is a figure that is wanted."""
    return not any(is_rows(mention) for mention in draft.mentions[:at])


# Reads conditions of which one is enough: "nam hoặc trên 40 tuổi", "over 1 million or cancelled".


def read_either(draft: QueryDraft) -> None:
    """Join the conditions on both sides of "hoặc" where they are of different columns; of one column they are so already."""
    if not any(mention.has("either") and not mention.used for mention in draft.mentions):
        return
    for nth, mention in enumerate(draft.mentions):
        if not mention.has("either") or mention.used or mention.targets:
            continue
        left = _spoken(draft, draft.mentions[:nth][::-1])
        right = _spoken(draft, draft.mentions[nth + 1 :])
        if left is None or right is None or left == right:
            continue
        mention.used = True
        draft.conditions.remove(right)
        at = draft.conditions.index(left)
        draft.conditions[at] = replace(left, other=right, said=f"{left.said} {mention.text} {right.said}")
        draft.note("either", said=draft.conditions[at].said)


def _spoken(draft: QueryDraft, mentions: list[Mention]) -> Condition | None:
    """The condition whose words stand nearest on one side."""
    for mention in mentions:
        if not mention.used:
            continue
        for condition in draft.conditions:
            if condition.other is None and mention.text and mention.text in condition.said.split(", "):
                return condition
            if condition.other is None and mention.text in condition.said and mention.amount:
                return condition
    return None
