"""Reads which rows: numbers compared ("trên 5 triệu", "từ 2 đến 5tr") and the N of a top list."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema_parts import is_code
from troly_analysis.planner.shapes import Condition, Op, Ref, averaged
from troly_analysis.planner.state import FIGURES, NAMES, State, chosen, figure, is_rows
from troly_analysis.types import NUMERIC

_OPS: tuple[Op, ...] = ("gte", "lte", "gt", "lt", "eq")
SUPERLATIVE = (
    "max", "min", "top", "bottom", "seller", "slow seller", "latest", "earliest", "superlative", "fast", "slow",
)  # fmt: skip
_MOST = 1000
_REACH = 4


def read_numbers(state: State) -> None:
    """Turn every amount into a condition, the length of a top list, or a doubt."""
    nth = 0
    while nth < len(state.mentions):
        mention = state.mentions[nth]
        if mention.amount is None or mention.used:
            nth += 1
            continue
        nth = _read(state, nth)


def _read(state: State, nth: int) -> int:
    mention = state.mentions[nth]
    op, signs = _comparator(state, nth)
    second = _second(state, nth) if op in {"between", "gte", ""} else None
    if second is None and op == "between":
        op = "gte"
    if second is not None and (op in {"between", "gte"} or _joined(state, nth, second)):
        return _between(state, nth, second, signs)
    if not op and _is_limit(state, nth):
        state.limit, mention.used = int(_value(mention)), True
        return nth + 1
    ref, carrier = _column(state, nth, nth, compared=bool(op))
    if ref is None or (not op and carrier is None):
        return nth + 1
    if not op and not _beside(state, nth, carrier):
        return nth + 1
    _place(state, Condition(ref, op or "eq", _number(_value(mention)), mention.text), nth, carrier)
    for each in (mention, *signs):
        each.used = True
    return nth + 1


def _comparator(state: State, nth: int) -> tuple[Op | Any, list[Mention]]:
    """The operator of the amount at `nth` and the words that say it."""
    after = _open_end(state, nth)
    if after and after.has("upward"):
        return "gte", [after, *_sign(state, nth, "gte")]
    if after and after.has("downward"):
        return "lte", [after, *_sign(state, nth, "gte", "lte")]
    for back in range(nth - 1, max(nth - 4, -1), -1):
        mention = state.mentions[back]
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


def _open_end(state: State, nth: int) -> Mention | None:
    """What follows the amount at `nth`, past what it counts ("3 khách trở lên")."""
    after, behind = [*state.mentions[nth + 1 : nth + 3], None, None][:2]
    counted = after is not None and bool(after.targets)
    return behind if counted and behind is not None and behind.has("upward", "downward") else after


def _sign(state: State, nth: int, *labels: str) -> list[Mention]:
    before = next(iter(state.mentions[max(nth - 1, 0) : nth]), None)
    return [before] if before and before.has(*labels) else []


def _second(state: State, nth: int) -> int | None:
    """The other end of a range: the next amount, with nothing but "to" or "and" between."""
    for ahead in range(nth + 1, min(nth + 3, len(state.mentions))):
        mention = state.mentions[ahead]
        if mention.amount and not mention.used:
            return ahead
        if not mention.has("to", "and"):
            return None
    return None


def _joined(state: State, nth: int, second: int) -> bool:
    """Whether the amounts are the ends of a range with no word before it ("2-5 triệu")."""
    between = state.mentions[nth + 1 : second]
    return all(mention.has("to") for mention in between)


def _between(state: State, nth: int, second: int, signs: list[Mention]) -> int:
    low, high = state.mentions[nth], state.mentions[second]
    least, most = _value(low), _value(high)
    if least > most:
        least, most = most, least
    ref, carrier = _column(state, nth, second, compared=True)
    if ref is not None:
        said = f"{low.text} - {high.text}"
        _place(state, Condition(ref, "between", [_number(least), _number(most)], said), nth, carrier)
        for each in (low, high, *signs, *state.mentions[nth + 1 : second]):
            each.used = True
    return second + 1


def _is_limit(state: State, nth: int) -> bool:
    amount = state.mentions[nth].amount
    if amount is None or amount.unit or not 0 < amount.value <= _MOST:
        return False
    if amount.value != amount.value.to_integral_value():
        return False
    before = next(iter(state.mentions[max(nth - 1, 0) : nth]), None)
    if before and before.has("top", "bottom", "latest", "earliest", "max", "min"):
        return True
    after = state.mentions[nth + 1] if nth + 1 < len(state.mentions) else None
    if after is None:
        return before is None or before.has("top", "only")
    noun = bool(after.targets) or bool(after.unit) or after.has("top", "seller", *SUPERLATIVE)
    listed = state.any(*SUPERLATIVE, "list", "high", "low")
    return noun and listed and not (figure(state, after) and not is_rows(after) and not after.has("top"))


def _column(state: State, nth: int, last: int, *, compared: bool) -> tuple[Ref | None, Mention | None]:
    """The column the amounts from `nth` to `last` speak of, and the mention that names it (None: worked out)."""
    found = _named_after(state, last, compared=compared) or _named_before(state, nth)
    if found is not None:
        return found
    return (_by_size(state, nth, last) if compared else None), None


def _named_after(state: State, last: int, *, compared: bool) -> tuple[Ref, Mention] | None:
    """ "5 sao", "trên 3 đơn": what stands behind the amount says what is counted."""
    ahead = state.mentions[last + 1 : last + 3]
    if len(ahead) > 1 and compared and ahead[0].has("filler") and not ahead[0].targets:
        ahead = ahead[1:]
    amount = state.mentions[last].amount
    if not ahead or amount is None or amount.unit or not ahead[0].targets or ahead[0].used:
        return None
    after = ahead[0]
    if is_rows(after) and compared:
        return Ref("", "rows"), after
    target = figure(state, after)
    ref = target.ref if target else None
    if (
        ref is None and compared and not is_rows(after)
    ):  # of "khách" the number of guests rather than their names
        numbers = [each.ref for each in after.targets if each.ref and each.ref.kind in NUMERIC]
        ref = next((each for each in numbers if not averaged(each)), None)
    if ref is None and compared and after.targets[0].concept == "product":
        ref = state.schema.of("quantity")
    return (ref, after) if ref else None


def _named_before(state: State, nth: int) -> tuple[Ref, Mention] | None:
    for mention in state.before(nth, _REACH):
        if mention.amount or mention.period:
            return None
        target = figure(state, mention)
        valued = bool(target and mention.values and mention.values[0].weight > target.weight)
        if target and target.ref and not valued:
            return target.ref, mention
        if target and target.metric:
            return Ref(target.metric.name, "metric"), mention
    return None


def _by_size(state: State, nth: int, last: int) -> Ref | None:
    """An amount of money, or a large one, is of the column the sheet is about; so is any in a sheet of one figure."""
    amount = state.mentions[last].amount
    wanted = state.schema.main_measure()
    refs = [ref for ref in state.schema.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
    own = [ref for ref in refs if not is_code(ref, state.schema.key(ref), state.schema.sheet)]
    if (
        amount is None
        or wanted is None
        or not (amount.unit == "VND" or amount.value >= 1000 or len(own) == 1)
    ):
        return None
    if len([ref for ref in own if ref.kind == "money"]) > 1 or amount.unit != "VND":
        state.note("condition_field", field=wanted.name, said=state.mentions[nth].text)
    return wanted


def _beside(state: State, nth: int, carrier: Mention | None) -> bool:
    """Whether a bare number stands against the column's name ("số lượng 2", "5 sao")."""
    if carrier is None:
        return False
    at = state.mentions.index(carrier)
    return abs(at - nth) == 1 or all(mention.has("filler", "eq") for mention in state.mentions[at + 1 : nth])


def _place(state: State, condition: Condition, nth: int, carrier: Mention | None) -> None:
    """Keep a condition: on rows, or on the groups' figures when it is things that are counted or named."""
    group = _grouped(state, nth)
    if carrier is not None:
        carrier.used = True
    summed = condition.ref.kind in {"rows", "metric"} or _adds_up(condition.ref)
    if condition.ref.kind in {"rows", "metric"} or (group and summed):
        state.having.append(condition)
    else:
        state.conditions.append(condition)


def _adds_up(ref: Ref) -> bool:
    from troly_analysis.planner.lexicon import marks

    return ref.concept not in marks("averaged") and ref.kind != "percent"


def _grouped(state: State, nth: int) -> bool:
    """Whether the words before the amount name things that rows belong to ("khách hàng nào mua trên 5 triệu")."""
    if state.any("avg", "share"):
        return False
    for mention in state.mentions[:nth]:
        if not mention.targets or mention.values or mention.used:
            continue
        if is_rows(mention):
            return False
        target = chosen(state, mention, NAMES | FIGURES)
        if target and target.ref and target.ref.kind == "text":
            at = state.mentions.index(mention)
            near = [*state.before(at, 2), *state.after(at, 2), *state.mentions[max(0, at - 2) : at + 2]]
            return any(each.has("which", "list", "count", "plural", "number") for each in near)
    return False


def _value(mention: Mention) -> Decimal:
    return mention.amount.value if mention.amount else Decimal(0)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
