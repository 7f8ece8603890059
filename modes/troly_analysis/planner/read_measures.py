"""Reads what: the figures a question asks for, with the operation said of each."""

from __future__ import annotations

from troly.text.fold import fold
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.read_groups import PERSONS
from troly_analysis.planner.read_names import in_units, opens_name
from troly_analysis.planner.read_ratios import order_value, read_difference, read_each_order, read_ratio
from troly_analysis.planner.schema import Target
from troly_analysis.planner.shapes import Measure, Ref, averaged
from troly_analysis.planner.state import State, dimension, figure, is_link, is_rows, is_time
from troly_analysis.types import Operation

_TAKEN = frozenset({"product", "book", "crop", "service"})
_OPS: dict[str, Operation] = {"sum": "sum", "avg": "avg", "max": "max", "min": "min"}


def read_measures(state: State) -> None:
    """Find the figures asked for, in the order of the question."""
    if state.any("aov") and (found := order_value(state)):
        state.measures.append(found)
        return
    for nth, mention in enumerate(state.mentions):
        if mention.used or mention.period or mention.amount:
            continue
        counted = in_units(state, nth) or _counted(state, nth) or _most_of(state, nth)
        if counted is not None:
            _add(state, counted)
            continue
        target = None if opens_name(state, nth) else figure(state, mention)
        if target and target.ref and _only_condition(state, target.ref):
            mention.used = True
            continue
        if target and not (mention.has("sold", "bought") and mention.labels and target.weight < 0.7):
            mention.used = True
            _add(state, _measured(state, nth, target))
    if state.per and not state.measures and (rows := next(filter(is_rows, state.mentions), None)):
        _add(state, Measure("count", noun=rows.text))  # "lượt khám mỗi ngày trung bình"
    _read_median(state)
    read_ratio(state)
    read_difference(state)
    read_each_order(state)


def _read_median(state: State) -> None:
    """ "Trung vị", "median": of the one figure that is named."""
    said = next((mention for mention in state.mentions if mention.has("median")), None)
    refs = [measure.ref for measure in state.measures if measure.ref and not measure.distinct]
    main = state.schema.main_measure()
    if said is not None and not state.measures and main is not None:
        state.note("measure", field=main.name)
        state.measures, refs = [Measure("avg", main)], [main]
    if said is not None and len(refs) == len(state.measures) == 1:
        said.used = True
        state.measures = [Measure("avg", refs[0], noun=state.measures[0].noun, median=True)]


def _add(state: State, measure: Measure) -> None:
    if measure not in state.measures:
        state.measures.append(measure)


def _counted(state: State, nth: int) -> Measure | None:
    """What is counted when the words before say so: rows, or the different values of a column."""
    mention = state.mentions[nth]
    before = _before(state, nth)
    distinct = _distinct(state, nth)
    said = before is not None and (before.has("count", "number") or _quantity_word(before))
    if mention.has("people") and not mention.targets and (said or "bao nhieu" in fold(mention.text)):
        return _persons(state, mention)
    if not (said or distinct) or not (mention.targets or mention.has("rows")):
        return None
    if is_rows(mention) and not distinct:
        found: Measure | None = Measure("count", noun=mention.text)
        state.entity = mention.text
    else:
        found = _count_of(state, mention)
    if found is not None:
        mention.used = True
        if before is not None:
            before.used = True
    return found


def _persons(state: State, mention: Mention) -> Measure | None:
    """ "Bao nhiêu người": the different persons of the sheet where a row is not one."""
    if state.schema.row_concept in PERSONS:
        mention.used = True
        return Measure("count", noun=mention.text)
    for concept in PERSONS:
        refs = [ref for ref in state.schema.by_concept.get(concept, ()) if not ref.sheet]
        if refs and concept != state.schema.row_concept:
            mention.used = True
            return Measure("count", _counting_ref(state, refs[0]), distinct=True, noun=mention.text)
    return None


def _count_of(state: State, mention: Mention) -> Measure | None:
    """How many different things of a column, or how many pieces of goods."""
    counts = figure(state, mention) and not is_rows(mention) and not state.any("distinct")
    target = None if counts else dimension(state, mention)
    if target is None or target.ref is None:
        return None
    if is_time(target.ref) and not mention.unit:
        return Measure("count", noun=mention.text)  # "số đăng ký" are rows, not days
    sold = _units_sold(state) if target.concept == "product" else None
    return sold or Measure("count", _counting_ref(state, target.ref), distinct=True, noun=mention.text)


def _most_of(state: State, nth: int) -> Measure | None:
    """What is counted in "nhiều hợp đồng nhất", "đông học viên nhất", "most orders", "nhiều đơn hơn"."""
    mention = state.mentions[nth]
    if not mention.targets or (figure(state, mention) and not is_rows(mention)):
        return None
    before = next(iter(state.mentions[max(0, nth - 1) : nth]), None)
    after = next(iter(state.mentions[nth + 1 : nth + 2]), None)
    halves = (
        before is not None
        and before.has("high", "low")
        and after is not None
        and after.has("superlative", "gt")
    )
    english = before is not None and before.has("max", "min") and before.text.isascii() and bool(state.groups)
    if not (halves or english):
        return None
    target = None if is_rows(mention) else dimension(state, mention)
    mention.used = True
    if target is None or target.ref is None or target.ref.kind == "boolean":
        state.entity = mention.text
        return Measure("count", noun=mention.text)
    if target.concept == "product" and (quantity := state.schema.of("quantity")):
        return Measure("sum", quantity)
    crowd = before is not None and fold(before.text) in {"dong", "vang"}
    if (crowd or target.concept in _TAKEN or state.any("bought", "done")) and not state.any("distinct"):
        state.note("counted_rows")
        return Measure("count", noun=mention.text)  # "mượn nhiều sách nhất": how often
    return Measure("count", _counting_ref(state, target.ref), distinct=True, noun=mention.text)


def _only_condition(state: State, ref: Ref) -> bool:
    """Whether a column is named for a condition only, and rows are what is asked for."""
    conditions = any(condition.ref == ref for condition in state.conditions)
    rows = any(is_rows(mention) for mention in state.mentions)
    return conditions and rows and not state.any(*_OPS, "much")


def _quantity_word(mention: Mention) -> bool:
    return (
        bool(mention.targets)
        and mention.targets[0].concept == "quantity"
        and fold(mention.text)
        in {
            "so luong",
            "luong",
            "quantity",
        }
    )


def _before(state: State, nth: int) -> Mention | None:
    for at in range(nth - 1, max(nth - 4, -1), -1):
        mention = state.mentions[at]
        if (
            is_link(mention)
            or mention.has("distinct", "plural")
            or (mention.has("sum") and not mention.targets)
        ):
            continue
        if mention.has("sold", "bought") and not mention.targets:
            continue
        if mention.values and mention.used:
            continue
        return mention
    return None


def _distinct(state: State, nth: int) -> bool:
    near = state.mentions[max(0, nth - 1) : nth + 2]
    return any(mention.has("distinct") for mention in near)


def _units_sold(state: State) -> Measure | None:
    """Products that were sold are counted in pieces where the sheet has a quantity."""
    quantity = state.schema.of("quantity")
    if quantity is None or not state.any("sold", "bought", "seller"):
        return None
    if any(mention.has("distinct") for mention in state.mentions):
        return None
    state.note("pieces", field=quantity.name)
    return Measure("sum", quantity)


def _counting_ref(state: State, ref: Ref) -> Ref:
    """The column whose different values are counted: the codes of a thing rather than its names."""
    for same in state.schema.by_concept.get(ref.concept, ()):
        head = fold(same.name).replace("_", " ").split()
        coded = bool(head) and (head[0] in {"ma", "id", "code"} or head[-1] in {"id", "code", "ma"})
        if coded and same.sheet == ref.sheet:
            return same
    return ref


def _measured(state: State, nth: int, target: Target) -> Measure:
    if target.metric:
        metric = target.metric
        ref = next((r for r in state.schema.refs.values() if r.name == metric.field and not r.sheet), None)
        return Measure(metric.operation, ref, metric=metric.name, where=metric.where, noun=metric.name)
    ref = target.ref
    op = _operation(state, nth)
    if op is None:
        op = "avg" if ref and averaged(ref) else "sum"
        if op == "avg" and not _ranks(state):
            state.note("averaged", field=ref.name if ref else "")
    return Measure(op, ref, noun=state.mentions[nth].text)


def _ranks(state: State) -> bool:
    return state.any("max", "min", "top", "bottom", "superlative")


def _operation(state: State, nth: int) -> Operation | None:
    """The operation said of the figure at `nth`: the nearest word of one, after it or before it."""
    return _said_after(state, nth) or _said_before(state, nth) or _said_anywhere(state)


def _said_after(state: State, nth: int) -> Operation | None:
    for mention in state.after(nth, 2):
        if mention.has("avg"):
            return "avg"
        if mention.has("sum") and not mention.targets:
            return "sum"
        if mention.has("max", "min") and not _grouped(state):
            return _extreme(mention)
        if mention.targets or mention.period:
            break
    return None


def _said_before(state: State, nth: int) -> Operation | None:
    for mention in state.before(nth, 4):
        op = next((op for label, op in _OPS.items() if mention.has(label) and not mention.targets), None)
        if op in {"max", "min"} and _grouped(state):
            return None
        if op is not None:
            return op
        if mention.targets and mention.used and figure(state, mention):
            break
    return None


def _said_anywhere(state: State) -> Operation | None:
    if state.measures:
        return None
    if state.any("avg"):
        return "avg"
    near = next((m for m in state.mentions if m.has("max", "min") and not m.targets), None)
    return _extreme(near) if near and not _grouped(state) else None


def _extreme(mention: Mention) -> Operation:
    return "max" if mention.has("max") else "min"


def _grouped(state: State) -> bool:
    return bool(state.groups) or bool(state.limit) or _rows_ranked(state)


def _rows_ranked(state: State) -> bool:
    """Whether single rows are asked for ("đơn hàng nào có giá trị cao nhất")."""
    for nth, mention in enumerate(state.mentions):
        if is_rows(mention) and mention.targets:
            after = next(iter(state.mentions[nth + 1 : nth + 2]), None)
            before = next(iter(state.mentions[max(0, nth - 1) : nth]), None)
            if (after and after.has("which", "max", "min")) or (
                before and fold(before.text) in {"which", "what"}
            ):
                return True
    return False
