"""Reads conditions on cells that are empty or not: "chưa có HLV", "bỏ trống ghi chú", "with a note", "chưa trả"."""

from __future__ import annotations

from troly_analysis.planner.lexicon import marks
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.read_groups import PERSONS
from troly_analysis.planner.schema import Value
from troly_analysis.planner.shapes import Condition, Ref
from troly_analysis.planner.state import State, is_link, is_rows, is_time
from troly_analysis.types import NUMERIC

_LEAST, _DATE, _NAMED = 0.5, 0.5, 0.99
_REACH = 2
_STOPS = (
    "max", "min", "superlative", "count", "much", "which", "gt", "gte", "lt", "lte", "between", "avg", "top", "bottom",
    "high", "low", "eq", "sum", "number", "share",
)  # fmt: skip


def read_blanks(state: State) -> None:
    """Turn every column that is said to be empty, or to be filled, into a condition on its cells."""
    for nth, mention in enumerate(state.mentions):
        if mention.used or not mention.has("blank", "empty", "filled", "deny"):
            _read_trait(state, nth)
            continue
        at = _column_at(state, nth)
        if at is None and mention.has("empty"):
            at = _column_before(state, nth)
        ref = _ref(state, at) if at is not None else None
        if at is None or ref is None:
            continue
        condition = _condition(state, mention, at, ref)
        if condition is not None:
            _keep(state, nth, at, condition)


def _read_trait(state: State, nth: int) -> None:
    """ "Lượt trả trễ", "were late": a figure that stands behind rows says which of them, those of more than none."""
    mention = state.mentions[nth]
    ref = _ref(state, nth) if mention.targets and not (mention.used or mention.values) else None
    if ref is None or ref.concept not in marks("conditions") or mention.targets[0].weight >= _NAMED:
        return
    if state.schema.key(ref).least not in {"0", "0.0"} or _goes_on(state, nth):
        return
    before = list(state.before(nth, 2))
    verb = bool(before) and before[0].targets and is_time(before[0].targets[0].ref or ref)
    rows = before[1:2] if verb else before[:1]
    if rows and is_rows(rows[0]) and not state.any("sum", "trend"):
        mention.used = True
        if verb:
            before[0].used = True
        state.conditions.append(Condition(ref, "gt", 0, mention.text))
        state.note("more_than_none", field=ref.name, said=mention.text)


def _keep(state: State, nth: int, at: int, condition: Condition) -> None:
    state.conditions.append(condition)
    low, high = sorted((nth, at))
    for each in state.mentions[low : high + 1]:
        each.used = True
    for each in state.mentions[high + 1 : high + 2]:
        each.used = each.used or each.has("none at all") or _object(state, each, condition.ref)
    value = condition.value
    key = "filled_cells" if condition.op in {"ne", "gt"} else "no_cells" if value is None else "zero_cells"
    state.note(key, field=condition.ref.name, said=condition.said)


def _object(state: State, mention: Mention, ref: Ref) -> bool:
    """Whether the words behind a verb only say what it is done to ("chưa trả sách")."""
    at = state.mentions.index(mention)
    asked = next(state.after(at, 1), None)
    plain = bool(mention.targets) and not (mention.values or mention.labels or mention.amount)
    return is_time(ref) and plain and not (asked is not None and asked.has("which", "count", "by"))


def _column_at(state: State, nth: int) -> int | None:
    """The column right behind the word, links apart."""
    for ahead in range(nth + 1, min(nth + 2 + _REACH, len(state.mentions))):
        mention = state.mentions[ahead]
        if mention.targets and not mention.used:
            return ahead
        if not is_link(mention) and not mention.has("filled", "blank", "bought", "sold", "per"):
            return None
    return None


def _column_before(state: State, nth: int) -> int | None:
    for back in range(nth - 1, max(nth - 2 - _REACH, -1), -1):
        mention = state.mentions[back]
        if mention.targets and not mention.used:
            return back
        if not is_link(mention):
            return None
    return None


def _ref(state: State, at: int) -> Ref | None:
    """The column of the sheet itself that the mention at `at` surely names, when a cell of it can be asked for."""
    mention = state.mentions[at]
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


def _condition(state: State, word: Mention, at: int, ref: Ref) -> Condition | None:
    field = state.schema.key(ref)
    said = _words(state, word, state.mentions[at])
    zero = ref.kind in NUMERIC and field.least in {"0", "0.0"}
    if _goes_on(state, at):
        return None
    if word.has("blank", "empty"):
        if zero and field.blanks and not word.has("empty"):
            return Condition(ref, "in", [0, None], said)
        return Condition(ref, "eq", None if field.blanks or not zero else 0, said)
    if word.has("filled"):
        return _filled(state, at, Condition(ref, "gt" if zero else "ne", 0 if zero else None, said))
    if bool(field.blanks) == zero:
        return None  # "chưa đóng" could be either, or neither
    return Condition(ref, "eq", 0 if zero else None, said)


def _filled(state: State, at: int, condition: Condition) -> Condition | None:
    """The condition, unless the column is a figure that is wanted, or has no empty cells to be told from."""
    if condition.ref.kind in NUMERIC:
        return condition if condition.op == "gt" and not _asks_figure(state, at) else None
    return condition if state.schema.key(condition.ref).blanks else None


def _words(state: State, one: Mention, other: Mention) -> str:
    """The words of the message from the first of two mentions to the end of the other."""
    typed = state.wording.words[min(one.start, other.start) : max(one.end, other.end)]
    return state.wording.text[typed[0].start : typed[-1].end]


def _goes_on(state: State, at: int) -> bool:
    """Whether what follows the column says something of its figures or values ("có viện phí cao nhất")."""
    after = next(state.after(at, 1), None)
    if after is None or after.period:
        return False
    own = any(value.ref.name == state.mentions[at].targets[0].ref.name for value in after.values)  # type: ignore[union-attr]
    return own or after.amount is not None or after.has(*_STOPS)


def _asks_figure(state: State, at: int) -> bool:
    """Whether no rows are asked for, so that the column is a figure that is wanted."""
    return not any(is_rows(mention) for mention in state.mentions[:at])
