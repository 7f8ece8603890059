"""Reads what: the figures a question asks for, with the operation said of each."""

from __future__ import annotations

from collections.abc import Callable

from troly.text.fold import fold, tokens
from troly.text.language import detect_score
from troly_analysis.planner.draft import PERSONS, QueryDraft, dimension, figure, is_link, is_rows, is_time
from troly_analysis.planner.forms import direction
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema import Target, made_of
from troly_analysis.planner.types import Form, Group, Measure, Note, Ref, averaged
from troly_analysis.types import NUMERIC, Operation

# Reads names of figures that go past one word: general words before a column's name, units that a column counts.


def in_units(state: QueryDraft, nth: int) -> Measure | None:
    """ "Bao nhiêu ngày" where a column counts them ("Số ngày")."""
    mention = state.mentions[nth]
    before = next((each for each in state.mentions[max(0, nth - 2) : nth][::-1] if not is_link(each)), None)
    if not mention.unit or mention.targets or before is None or not before.has("count"):
        return None
    heads = (f"so {fold(mention.text)}", fold(mention.text))
    for ref in state.schema.refs.values():
        if ref.kind in NUMERIC and not (ref.sheet or ref.parts) and fold(ref.name) in heads:
            mention.used = before.used = True
            return Measure("sum", ref, noun=mention.text)
    return None


def opens_name(state: QueryDraft, nth: int) -> bool:
    """Whether a general word only opens the name of the column behind it ("tiền đã cọc")."""
    mention, after = state.mentions[nth], next(iter(state.mentions[nth + 1 : nth + 2]), None)
    opens = fold(mention.text) in {"tien", "so tien", "khoan tien", "muc", "khoan"} and after is not None
    if opens and after is not None and after.targets and not after.values and figure(state, after):
        mention.used = after.targets[0].weight > mention.targets[0].weight if mention.targets else False
        return mention.used
    return False


# Reads figures made of others: one sum over another, and the value of an order that has several rows.


def read_ratio(state: QueryDraft) -> None:
    """ "Cost per lead", "tiền dầu trên mỗi km": one sum over another."""
    if len(state.measures) != 2 or (state.groups and len(state.groups) > 3):
        return
    for nth, mention in enumerate(state.mentions):
        if not _is_per(mention):
            continue
        target = next((figure(state, m) for m in state.mentions[nth + 1 : nth + 3] if m.targets), None)
        first, second = state.measures
        if target is None or target.ref != second.ref or not (first.ref and second.ref):
            continue
        if averaged(first.ref) or averaged(second.ref):
            return
        mention.used = True
        state.measures = [Measure("sum", first.ref, over=second.ref, noun=first.noun)]
        return


def read_difference(state: QueryDraft) -> None:
    """ "Chênh lệch giữa phải đóng và đã đóng", "doanh thu trừ chi phí": one column less another, row by row."""
    if len(state.measures) != 2 or state.versus:
        return
    first, second = state.measures
    said = next((m for m in state.mentions if m.has("gap", "minus") and not m.used and not m.targets), None)
    plain = all(each.op == "sum" and each.ref and not each.ref.sheet for each in (first, second))
    if said is None or not plain or not (first.ref and second.ref):
        return
    said.used = True
    for mention in state.mentions:
        if mention.has("gap", "minus", "much"):
            mention.used = True
    state.measures = [Measure("sum", made_of(first.ref, "-", second.ref), noun=first.noun)]


def _is_per(mention: Mention) -> bool:
    return mention.has("per") and fold(mention.text) not in {"mot", "a", "every"}


def read_each_order(state: QueryDraft) -> None:
    """ "Giá trị hóa đơn trung bình" where a bill has several rows: the mean of the bills' sums, not of the rows."""
    order = state.schema.of("order")
    if order is None or order == state.schema.row_ref or state.per or state.groups or not state.any("avg"):
        return
    named = [m for m in state.mentions if not m.used and m.targets and m.targets[0].ref == order]
    means = [measure for measure in state.measures if measure.op == "avg" and measure.ref]
    if not named or (
        state.measures and not any(measure.ref and not averaged(measure.ref) for measure in means)
    ):
        return
    ref = means[0].ref if means else state.schema.main_measure()
    if ref is None:
        return
    named[0].used = True
    state.per = Group(order)
    state.measures = [Measure("sum", ref, noun=named[0].text)]
    state.note("order_value_each", field=ref.name, order=order.name)


def order_value(state: QueryDraft) -> Measure | None:
    """The value of an order on average: over rows when each is an order, else over the different orders."""
    ref = state.schema.of("revenue") or state.schema.main_measure()
    if ref is None:
        return None
    for mention in state.mentions:
        if mention.has("aov"):
            mention.used = True
    order = state.schema.of("order")
    if order is not None and order != state.schema.row_ref and state.schema.key(order).distinct:
        state.per = Group(order)
        state.note("order_value_each", field=ref.name, order=order.name)
        return Measure("sum", ref, noun="aov")
    state.note("order_value", field=ref.name)
    return Measure("avg", ref, noun="aov")


_TAKEN = frozenset({"product", "book", "crop", "service"})
_OPS: dict[str, Operation] = {"sum": "sum", "avg": "avg", "max": "max", "min": "min"}


def read_measures(state: QueryDraft) -> None:
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


def _read_median(state: QueryDraft) -> None:
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


def _add(state: QueryDraft, measure: Measure) -> None:
    if measure not in state.measures:
        state.measures.append(measure)


def _counted(state: QueryDraft, nth: int) -> Measure | None:
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


def _persons(state: QueryDraft, mention: Mention) -> Measure | None:
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


def _count_of(state: QueryDraft, mention: Mention) -> Measure | None:
    """How many different things of a column, or how many pieces of goods."""
    counts = figure(state, mention) and not is_rows(mention) and not state.any("distinct")
    target = None if counts else dimension(state, mention)
    if target is None or target.ref is None:
        return None
    if is_time(target.ref) and not mention.unit:
        return Measure("count", noun=mention.text)  # "số đăng ký" are rows, not days
    sold = _units_sold(state) if target.concept == "product" else None
    return sold or Measure("count", _counting_ref(state, target.ref), distinct=True, noun=mention.text)


def _most_of(state: QueryDraft, nth: int) -> Measure | None:
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


def _only_condition(state: QueryDraft, ref: Ref) -> bool:
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


def _before(state: QueryDraft, nth: int) -> Mention | None:
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


def _distinct(state: QueryDraft, nth: int) -> bool:
    near = state.mentions[max(0, nth - 1) : nth + 2]
    return any(mention.has("distinct") for mention in near)


def _units_sold(state: QueryDraft) -> Measure | None:
    """Products that were sold are counted in pieces where the sheet has a quantity."""
    quantity = state.schema.of("quantity")
    if quantity is None or not state.any("sold", "bought", "seller"):
        return None
    if any(mention.has("distinct") for mention in state.mentions):
        return None
    state.note("pieces", field=quantity.name)
    return Measure("sum", quantity)


def _counting_ref(state: QueryDraft, ref: Ref) -> Ref:
    """The column whose different values are counted: the codes of a thing rather than its names."""
    for same in state.schema.by_concept.get(ref.concept, ()):
        head = fold(same.name).replace("_", " ").split()
        coded = bool(head) and (head[0] in {"ma", "id", "code"} or head[-1] in {"id", "code", "ma"})
        if coded and same.sheet == ref.sheet:
            return same
    return ref


def _measured(state: QueryDraft, nth: int, target: Target) -> Measure:
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


def _ranks(state: QueryDraft) -> bool:
    return state.any("max", "min", "top", "bottom", "superlative")


def _operation(state: QueryDraft, nth: int) -> Operation | None:
    """The operation said of the figure at `nth`: the nearest word of one, after it or before it."""
    return _said_after(state, nth) or _said_before(state, nth) or _said_anywhere(state)


def _said_after(state: QueryDraft, nth: int) -> Operation | None:
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


def _said_before(state: QueryDraft, nth: int) -> Operation | None:
    for mention in state.before(nth, 4):
        op = next((op for label, op in _OPS.items() if mention.has(label) and not mention.targets), None)
        if op in {"max", "min"} and _grouped(state):
            return None
        if op is not None:
            return op
        if mention.targets and mention.used and figure(state, mention):
            break
    return None


def _said_anywhere(state: QueryDraft) -> Operation | None:
    if state.measures:
        return None
    if state.any("avg"):
        return "avg"
    near = next((m for m in state.mentions if m.has("max", "min") and not m.targets), None)
    return _extreme(near) if near and not _grouped(state) else None


def _extreme(mention: Mention) -> Operation:
    return "max" if mention.has("max") else "min"


def _grouped(state: QueryDraft) -> bool:
    return bool(state.groups) or bool(state.limit) or _rows_ranked(state)


def _rows_ranked(state: QueryDraft) -> bool:
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


# Assumes a figure where a question names none, and says which one was assumed.


STATES = frozenset({"status", "reason", "gender", "insurance", "priority"})
_SIZES = frozenset(
    [
        "lon", "cao", "to", "nho", "thap", "be", "largest", "biggest", "highest", "smallest", "lowest", "top", "max", "min",
    ]
)  # fmt: skip
GOODS = frozenset({"product", "crop", "book", "category", "brand", "size", "color"})


def assume_measure(state: QueryDraft, form: Form) -> None:
    """Add the figure that is meant when none is named, with a note where that could be another."""
    if state.measures or form in {"distinct", "schema"}:
        return
    for rule in (_chosen, _adjective, _frequent, *_RULES):
        found = rule(state, form)
        if found is not None:
            state.measures.append(found)
            return


def _chosen(state: QueryDraft, _form: Form) -> Measure | None:
    """The figure picked from those offered."""
    picked = state.choices.get("figure")
    if picked is None:
        return None
    ref = next((ref for ref in state.schema.refs.values() if ref.name == picked and not ref.sheet), None)
    return Measure("count") if ref is None else Measure("avg" if averaged(ref) else "sum", ref)


def offer(state: QueryDraft, main: Ref | None) -> None:
    """Ask which figure is meant: the column the sheet is about, or the number of rows."""
    english = detect_score(state.wording.text) < 0
    rows = Note("title_number").say("en" if english else "vi")
    options = (main.name, rows) if main else (rows,)
    if main is not None:
        state.ask("which_figure", "figure", options)


def _rows_named(state: QueryDraft) -> Mention | None:
    return next((mention for mention in state.mentions if is_rows(mention) and not mention.used), None)


def _noted(state: QueryDraft, key: str, ref: Ref) -> Measure:
    state.note(key, field=ref.name)
    return Measure("avg" if averaged(ref) else "sum", ref)


def _last_seen(state: QueryDraft, form: Form) -> Measure | None:
    """ "Khách nào mua gần đây nhất": those whose own last day is the last."""
    timed = any(group.unit for group in state.groups)
    if form != "top" or state.date_ref is None or timed or not state.any("latest", "earliest"):
        return None
    return Measure("max" if state.any("latest") else "min", state.date_ref)


def _pieces(state: QueryDraft, form: Form) -> Measure | None:
    """Goods are sold, bought and moved in pieces; the rest by money."""
    schema = state.schema
    sold = state.any("seller", "slow seller", "sold", "bought")
    # What lies in the store was not sold.
    quantity = schema.of("quantity") if sold else schema.of("quantity", "stock")
    named = (*(group.ref for group in state.groups), *(condition.ref for condition in state.conditions))
    goods = any(ref.concept in GOODS or not ref.concept for ref in named)
    seller = state.any("seller", "slow seller")
    moved = state.any("sold", "bought", "count", "max", "min", "superlative", "much") or form == "top"
    if _rows_named(state) or not (seller or (quantity and goods and moved)):
        return None
    main = schema.main_measure()
    if sold and main is not None and main.concept == "stock":
        main = None
    chosen = (quantity if goods or not state.groups else None) or main
    return _noted(state, "seller_measure" if seller else "measure", chosen) if chosen else None


def _filtered(state: QueryDraft, _form: Form) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    found = next((Measure("sum", each.ref) for each in state.having if each.ref.kind in NUMERIC), None)
    rows = any(each.ref.kind == "rows" for each in state.having)
    return found or (Measure("count") if rows else None)


def _quickness(state: QueryDraft, _form: Form) -> Measure | None:
    took = state.schema.of("duration", "hours", "late minutes")
    if took is None or not state.any("fast", "slow"):
        return None
    state.note("measure", field=took.name)
    return Measure("avg", took)


def _adjective(state: QueryDraft, _form: Form) -> Measure | None:
    """ "Đắt nhất", "xa nhất": the word itself says which figure."""
    for mention in state.mentions:
        of = next((label[3:] for label in sorted(mention.labels) if label.startswith("of ")), "")
        ref = state.schema.of(of) if of else None
        if ref is not None:
            state.note("measure", field=ref.name)
            return Measure("min" if mention.has("min", "earliest") else "max", ref)
    return None


def _frequent(state: QueryDraft, _form: Form) -> Measure | None:
    """ "Thường gặp nhất", "most common": how often is what is asked."""
    return Measure("count") if state.any("frequent") else None


def _mean(state: QueryDraft, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    if main is None or form == "rows" or not state.any("avg"):
        return None
    state.note("measure", field=main.name)
    return Measure("avg", main)


def _listed(state: QueryDraft, form: Form) -> Measure | None:
    """What rows are sorted by: the newest first, or the column the sheet is about."""
    if form != "rows":
        return None
    turned, latest = direction(state), state.any("latest", "earliest")
    main = state.schema.main_measure()
    ref = state.date_ref if (latest or not turned) and state.date_ref else main or state.date_ref
    if ref is None:
        return None
    if turned and not latest:
        if not _of_size(state):
            offer(state, main)
        state.note("measure", field=ref.name)
    return Measure("max", ref)


def _of_size(state: QueryDraft) -> bool:
    """Whether rows are ranked by a plain word of size, which means the figure the sheet is about."""
    ranked = [mention for mention in state.mentions if mention.has("max", "min", "top", "bottom")]
    said = {token.folded for mention in ranked for token in tokens(mention.text)}
    return not said.isdisjoint(_SIZES)


def _money(state: QueryDraft, form: Form) -> Measure | None:
    """ "How much did they give": money, where the sheet is about money."""
    main = state.schema.main_measure()
    if main is None or main.kind != "money" or not state.any("how much") or form not in {"scalar", "groups"}:
        return None
    return _noted(state, "measure", main)


def _rows(state: QueryDraft, form: Form) -> Measure | None:
    rows = _rows_named(state)
    main = state.schema.main_measure()
    if rows is None and not state.any("count") and main:
        if form != "share":
            return None
        if not any(each.ref.kind == "boolean" or each.ref.concept in STATES for each in state.conditions):
            offer(state, main)
    return Measure("count", noun=rows.text if rows else "")


def _events(state: QueryDraft, form: Form) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    if form != "top" or not any(each.ref.concept in {"status", "reason"} for each in state.conditions):
        return None
    state.note("counted_rows")
    return Measure("count")


def _often(state: QueryDraft, form: Form) -> Measure | None:
    """ "Được mượn nhiều nhất", "visited the most": how often something was done."""
    asked = form == "top" and state.any("done") and state.any("max", "min", "superlative")
    single = any(_once(state, group) for group in state.groups)
    if not asked or single or state.any("sold", "bought", "seller", "slow seller"):
        return None
    numbers = any(
        mention.has("max", "min", "superlative") and _numbered(mention) for mention in state.mentions
    )
    if not numbers:
        return None
    state.note("counted_rows")
    return Measure("count")


def _once(state: QueryDraft, group: Group) -> bool:
    """Whether each value of a group stands in one row, so that there is nothing to count."""
    return not group.unit and state.schema.key(group.ref).distinct > 0.9 * state.schema.sheet.rows


def _numbered(mention: Mention) -> bool:
    """Whether a superlative is of how many, and not of how much or how good."""
    said = {token.folded for token in tokens(mention.text)}
    return not said.isdisjoint({"nhieu", "it", "most", "least", "nhat", "dong", "thuong"})


def _main(state: QueryDraft, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    traded = state.any("bought", "sold", "seller", "slow seller")
    if main is None or not (form in {"top", "compare"} or traded):
        return None
    if not traded and not state.any("much"):
        offer(state, main)
    return _noted(state, "measure", main)


def _count(state: QueryDraft, form: Form) -> Measure | None:
    if not (state.groups or state.conditions or form == "trend"):
        return None
    if not state.any("count") and form != "rows":
        offer(state, state.schema.main_measure())
    state.note("counted_rows")
    state.doubt += 0.1
    return Measure("count")


_RULES: tuple[Callable[[QueryDraft, Form], Measure | None], ...] = (
    _last_seen, _pieces, _filtered, _quickness, _mean, _listed, _rows, _events, _often, _money, _main, _count,
)  # fmt: skip
