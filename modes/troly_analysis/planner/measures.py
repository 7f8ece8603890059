"""Reads what: the figures a question asks for, with the operation said of each."""

from __future__ import annotations

from collections.abc import Callable

from troly.text.fold import fold, tokens
from troly.text.language import detect_score
from troly_analysis.planner.draft import PERSONS, QueryDraft, dimension, figure, is_link, is_rows, is_time
from troly_analysis.planner.forms import direction
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.schema import Target, made_of, metric_measure
from troly_analysis.planner.types import Form, Group, Measure, Note, Ref, averaged
from troly_analysis.types import NUMERIC, Operation

# Reads names of figures that go past one word: general words before a column's name, units that a column counts.


def in_units(draft: QueryDraft, nth: int) -> Measure | None:
    """ "Bao nhiêu ngày" where a column counts them ("Số ngày")."""
    mention = draft.mentions[nth]
    before = next((each for each in draft.mentions[max(0, nth - 2) : nth][::-1] if not is_link(each)), None)
    if not mention.unit or mention.targets or before is None or not before.has("count"):
        return None
    heads = (f"so {fold(mention.text)}", fold(mention.text))
    for ref in draft.schema.refs.values():
        if ref.kind in NUMERIC and not (ref.sheet or ref.parts) and fold(ref.name) in heads:
            mention.used = before.used = True
            return Measure("sum", ref, noun=mention.text)
    return None


def opens_name(draft: QueryDraft, nth: int) -> bool:
    """Whether a general word only opens the name of the column behind it ("tiền đã cọc")."""
    mention, after = draft.mentions[nth], next(iter(draft.mentions[nth + 1 : nth + 2]), None)
    opens = fold(mention.text) in {"tien", "so tien", "khoan tien", "muc", "khoan"} and after is not None
    if opens and after is not None and after.targets and not after.values and figure(draft, after):
        mention.used = after.targets[0].weight > mention.targets[0].weight if mention.targets else False
        return mention.used
    return False


# Reads figures made of others: one sum over another, and the value of an order that has several rows.


def read_ratio(draft: QueryDraft) -> None:
    """ "Cost per lead", "tiền dầu trên mỗi km": one sum over another."""
    if len(draft.measures) != 2 or (draft.groups and len(draft.groups) > 3):
        return
    for nth, mention in enumerate(draft.mentions):
        if not _is_per(mention):
            continue
        target = next((figure(draft, m) for m in draft.mentions[nth + 1 : nth + 3] if m.targets), None)
        first, second = draft.measures
        if target is None or target.ref != second.ref or not (first.ref and second.ref):
            continue
        if averaged(first.ref) or averaged(second.ref):
            return
        mention.used = True
        draft.measures = [Measure("sum", first.ref, over=second.ref, noun=first.noun)]
        return


def read_difference(draft: QueryDraft) -> None:
    """ "Chênh lệch giữa phải đóng và đã đóng", "doanh thu trừ chi phí": one column less another, row by row."""
    if len(draft.measures) != 2 or draft.versus:
        return
    first, second = draft.measures
    said = next((m for m in draft.mentions if m.has("gap", "minus") and not m.used and not m.targets), None)
    plain = all(each.op == "sum" and each.ref and not each.ref.sheet for each in (first, second))
    if said is None or not plain or not (first.ref and second.ref):
        return
    said.used = True
    for mention in draft.mentions:
        if mention.has("gap", "minus", "much"):
            mention.used = True
    draft.measures = [Measure("sum", made_of(first.ref, "-", second.ref), noun=first.noun)]


def _is_per(mention: Mention) -> bool:
    return mention.has("per") and fold(mention.text) not in {"mot", "a", "every"}


def read_each_order(draft: QueryDraft) -> None:
    """ "Giá trị hóa đơn trung bình" where a bill has several rows: the mean of the bills' sums, not of the rows."""
    order = draft.schema.of("order")
    if order is None or order == draft.schema.row_ref or draft.per or draft.groups or not draft.any("avg"):
        return
    named = [m for m in draft.mentions if not m.used and m.targets and m.targets[0].ref == order]
    means = [measure for measure in draft.measures if measure.op == "avg" and measure.ref]
    if not named or (
        draft.measures and not any(measure.ref and not averaged(measure.ref) for measure in means)
    ):
        return
    ref = means[0].ref if means else draft.schema.main_measure()
    if ref is None:
        return
    named[0].used = True
    draft.per = Group(order)
    draft.measures = [Measure("sum", ref, noun=named[0].text)]
    draft.note("order_value_each", field=ref.name, order=order.name)


def order_value(draft: QueryDraft) -> Measure | None:
    """The value of an order on average: over rows when each is an order, else over the different orders."""
    ref = draft.schema.of("revenue") or draft.schema.main_measure()
    if ref is None:
        return None
    for mention in draft.mentions:
        if mention.has("aov"):
            mention.used = True
    order = draft.schema.of("order")
    if order is not None and order != draft.schema.row_ref and draft.schema.key(order).distinct:
        draft.per = Group(order)
        draft.note("order_value_each", field=ref.name, order=order.name)
        return Measure("sum", ref, noun="aov")
    draft.note("order_value", field=ref.name)
    return Measure("avg", ref, noun="aov")


_TAKEN = frozenset({"product", "book", "crop", "service"})
_OPS: dict[str, Operation] = {"sum": "sum", "avg": "avg", "max": "max", "min": "min"}


def read_measures(draft: QueryDraft) -> None:
    """Find the figures asked for, in the order of the question."""
    if draft.any("aov") and (found := order_value(draft)):
        draft.measures.append(found)
        return
    for nth, mention in enumerate(draft.mentions):
        if mention.used or mention.period or mention.amount:
            continue
        counted = in_units(draft, nth) or _counted(draft, nth) or _most_of(draft, nth)
        if counted is not None:
            _add(draft, counted)
            continue
        target = None if opens_name(draft, nth) else figure(draft, mention)
        if target and target.ref and _only_condition(draft, target.ref):
            mention.used = True
            continue
        if target and not (mention.has("sold", "bought") and mention.labels and target.weight < 0.7):
            mention.used = True
            _add(draft, _measured(draft, nth, target))
    if draft.per and not draft.measures and (rows := next(filter(is_rows, draft.mentions), None)):
        _add(draft, Measure("count", noun=rows.text))  # "lượt khám mỗi ngày trung bình"
    _read_median(draft)
    read_ratio(draft)
    read_difference(draft)
    read_each_order(draft)


def _read_median(draft: QueryDraft) -> None:
    """ "Trung vị", "median": of the one figure that is named."""
    said = next((mention for mention in draft.mentions if mention.has("median")), None)
    refs = [measure.ref for measure in draft.measures if measure.ref and not measure.distinct]
    main = draft.schema.main_measure()
    if said is not None and not draft.measures and main is not None:
        draft.note("measure", field=main.name)
        draft.measures, refs = [Measure("avg", main)], [main]
    if said is not None and len(refs) == len(draft.measures) == 1:
        said.used = True
        draft.measures = [Measure("avg", refs[0], noun=draft.measures[0].noun, median=True)]


def _add(draft: QueryDraft, measure: Measure) -> None:
    if measure not in draft.measures:
        draft.measures.append(measure)


def _counted(draft: QueryDraft, nth: int) -> Measure | None:
    """What is counted when the words before say so: rows, or the different values of a column."""
    mention = draft.mentions[nth]
    before = _before(draft, nth)
    distinct = _distinct(draft, nth)
    said = before is not None and (before.has("count", "number") or _quantity_word(before))
    if mention.has("people") and not mention.targets and (said or "bao nhieu" in fold(mention.text)):
        return _persons(draft, mention)
    if not (said or distinct) or not (mention.targets or mention.has("rows")):
        return None
    if is_rows(mention) and not distinct:
        found: Measure | None = Measure("count", noun=mention.text)
        draft.entity = mention.text
    else:
        found = _count_of(draft, mention)
    if found is not None:
        mention.used = True
        if before is not None:
            before.used = True
    return found


def _persons(draft: QueryDraft, mention: Mention) -> Measure | None:
    """ "Bao nhiêu người": the different persons of the sheet where a row is not one."""
    if draft.schema.row_concept in PERSONS:
        mention.used = True
        return Measure("count", noun=mention.text)
    for concept in PERSONS:
        refs = [ref for ref in draft.schema.by_concept.get(concept, ()) if not ref.sheet]
        if refs and concept != draft.schema.row_concept:
            mention.used = True
            return Measure("count", _counting_ref(draft, refs[0]), distinct=True, noun=mention.text)
    return None


def _count_of(draft: QueryDraft, mention: Mention) -> Measure | None:
    """How many different things of a column, or how many pieces of goods."""
    counts = figure(draft, mention) and not is_rows(mention) and not draft.any("distinct")
    target = None if counts else dimension(draft, mention)
    if target is None or target.ref is None:
        return None
    if is_time(target.ref) and not mention.unit:
        return Measure("count", noun=mention.text)  # "số đăng ký" are rows, not days
    sold = _units_sold(draft) if target.concept == "product" else None
    return sold or Measure("count", _counting_ref(draft, target.ref), distinct=True, noun=mention.text)


def _most_of(draft: QueryDraft, nth: int) -> Measure | None:
    """What is counted in "nhiều hợp đồng nhất", "đông học viên nhất", "most orders", "nhiều đơn hơn"."""
    mention = draft.mentions[nth]
    if not mention.targets or (figure(draft, mention) and not is_rows(mention)):
        return None
    before = next(iter(draft.mentions[max(0, nth - 1) : nth]), None)
    after = next(iter(draft.mentions[nth + 1 : nth + 2]), None)
    halves = (
        before is not None
        and before.has("high", "low")
        and after is not None
        and after.has("superlative", "gt")
    )
    english = before is not None and before.has("max", "min") and before.text.isascii() and bool(draft.groups)
    if not (halves or english):
        return None
    target = None if is_rows(mention) else dimension(draft, mention)
    mention.used = True
    if target is None or target.ref is None or target.ref.kind == "boolean":
        draft.entity = mention.text
        return Measure("count", noun=mention.text)
    if target.concept == "product" and (quantity := draft.schema.of("quantity")):
        return Measure("sum", quantity)
    crowd = before is not None and fold(before.text) in {"dong", "vang"}
    if (crowd or target.concept in _TAKEN or draft.any("bought", "done")) and not draft.any("distinct"):
        draft.note("counted_rows")
        return Measure("count", noun=mention.text)  # "mượn nhiều sách nhất": how often
    return Measure("count", _counting_ref(draft, target.ref), distinct=True, noun=mention.text)


def _only_condition(draft: QueryDraft, ref: Ref) -> bool:
    """Whether a column is named for a condition only, and rows are what is asked for."""
    conditions = any(condition.ref == ref for condition in draft.conditions)
    rows = any(is_rows(mention) for mention in draft.mentions)
    return conditions and rows and not draft.any(*_OPS, "much")


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


def _before(draft: QueryDraft, nth: int) -> Mention | None:
    for at in range(nth - 1, max(nth - 4, -1), -1):
        mention = draft.mentions[at]
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


def _distinct(draft: QueryDraft, nth: int) -> bool:
    near = draft.mentions[max(0, nth - 1) : nth + 2]
    return any(mention.has("distinct") for mention in near)


def _units_sold(draft: QueryDraft) -> Measure | None:
    """Products that were sold are counted in pieces where the sheet has a quantity."""
    quantity = draft.schema.of("quantity")
    if quantity is None or not draft.any("sold", "bought", "seller"):
        return None
    if any(mention.has("distinct") for mention in draft.mentions):
        return None
    draft.note("pieces", field=quantity.name)
    return Measure("sum", quantity)


def _counting_ref(draft: QueryDraft, ref: Ref) -> Ref:
    """The column whose different values are counted: the codes of a thing rather than its names."""
    for same in draft.schema.by_concept.get(ref.concept, ()):
        head = fold(same.name).replace("_", " ").split()
        coded = bool(head) and (head[0] in {"ma", "id", "code"} or head[-1] in {"id", "code", "ma"})
        if coded and same.sheet == ref.sheet:
            return same
    return ref


def _measured(draft: QueryDraft, nth: int, target: Target) -> Measure:
    if target.metric:
        return metric_measure(draft.schema, target.metric)
    ref = target.ref
    op = _operation(draft, nth)
    if op is None:
        op = "avg" if ref and averaged(ref) else "sum"
        if op == "avg" and not _ranks(draft):
            draft.note("averaged", field=ref.name if ref else "")
    return Measure(op, ref, noun=draft.mentions[nth].text)


def _ranks(draft: QueryDraft) -> bool:
    return draft.any("max", "min", "top", "bottom", "superlative")


def _operation(draft: QueryDraft, nth: int) -> Operation | None:
    """The operation said of the figure at `nth`: the nearest word of one, after it or before it."""
    return _said_after(draft, nth) or _said_before(draft, nth) or _said_anywhere(draft)


def _said_after(draft: QueryDraft, nth: int) -> Operation | None:
    for mention in draft.after(nth, 2):
        if mention.has("avg"):
            return "avg"
        if mention.has("sum") and not mention.targets:
            return "sum"
        if mention.has("max", "min") and not _grouped(draft):
            return _extreme(mention)
        if mention.targets or mention.period:
            break
    return None


def _said_before(draft: QueryDraft, nth: int) -> Operation | None:
    for mention in draft.before(nth, 4):
        op = next((op for label, op in _OPS.items() if mention.has(label) and not mention.targets), None)
        if op in {"max", "min"} and _grouped(draft):
            return None
        if op is not None:
            return op
        if mention.targets and mention.used and figure(draft, mention):
            break
    return None


def _said_anywhere(draft: QueryDraft) -> Operation | None:
    if draft.measures:
        return None
    if draft.any("avg"):
        return "avg"
    near = next((m for m in draft.mentions if m.has("max", "min") and not m.targets), None)
    return _extreme(near) if near and not _grouped(draft) else None


def _extreme(mention: Mention) -> Operation:
    return "max" if mention.has("max") else "min"


def _grouped(draft: QueryDraft) -> bool:
    return bool(draft.groups) or bool(draft.limit) or _rows_ranked(draft)


def _rows_ranked(draft: QueryDraft) -> bool:
    """Whether single rows are asked for ("đơn hàng nào có giá trị cao nhất")."""
    for nth, mention in enumerate(draft.mentions):
        if is_rows(mention) and mention.targets:
            after = next(iter(draft.mentions[nth + 1 : nth + 2]), None)
            before = next(iter(draft.mentions[max(0, nth - 1) : nth]), None)
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


def assume_measure(draft: QueryDraft, form: Form) -> None:
    """Add the figure that is meant when none is named, with a note where that could be another."""
    if draft.measures or form in {"distinct", "schema"}:
        return
    for rule in (_chosen, _adjective, _frequent, *_RULES):
        found = rule(draft, form)
        if found is not None:
            draft.measures.append(found)
            return


def _chosen(draft: QueryDraft, _form: Form) -> Measure | None:
    """The figure picked from those offered."""
    picked = draft.choices.get("figure")
    if picked is None:
        return None
    ref = next((ref for ref in draft.schema.refs.values() if ref.name == picked and not ref.sheet), None)
    return Measure("count") if ref is None else Measure("avg" if averaged(ref) else "sum", ref)


def offer(draft: QueryDraft, main: Ref | None) -> None:
    """Ask which figure is meant: the column the sheet is about, or the number of rows."""
    english = detect_score(draft.wording.text) < 0
    rows = Note("title_number").say("en" if english else "vi")
    options = (main.name, rows) if main else (rows,)
    if main is not None:
        draft.ask("which_figure", "figure", options)


def _rows_named(draft: QueryDraft) -> Mention | None:
    return next((mention for mention in draft.mentions if is_rows(mention) and not mention.used), None)


def _noted(draft: QueryDraft, key: str, ref: Ref) -> Measure:
    draft.note(key, field=ref.name)
    return Measure("avg" if averaged(ref) else "sum", ref)


def _last_seen(draft: QueryDraft, form: Form) -> Measure | None:
    """ "Khách nào mua gần đây nhất": those whose own last day is the last."""
    timed = any(group.unit for group in draft.groups)
    if form != "top" or draft.date_ref is None or timed or not draft.any("latest", "earliest"):
        return None
    return Measure("max" if draft.any("latest") else "min", draft.date_ref)


def _pieces(draft: QueryDraft, form: Form) -> Measure | None:
    """Goods are sold, bought and moved in pieces; the rest by money."""
    schema = draft.schema
    sold = draft.any("seller", "slow seller", "sold", "bought")
    # What lies in the store was not sold.
    quantity = schema.of("quantity") if sold else schema.of("quantity", "stock")
    named = (*(group.ref for group in draft.groups), *(condition.ref for condition in draft.conditions))
    goods = any(ref.concept in GOODS or not ref.concept for ref in named)
    seller = draft.any("seller", "slow seller")
    moved = draft.any("sold", "bought", "count", "max", "min", "superlative", "much") or form == "top"
    if _rows_named(draft) or not (seller or (quantity and goods and moved)):
        return None
    main = schema.main_measure()
    if sold and main is not None and main.concept == "stock":
        main = None
    chosen = (quantity if goods or not draft.groups else None) or main
    return _noted(draft, "seller_measure" if seller else "measure", chosen) if chosen else None


def _filtered(draft: QueryDraft, _form: Form) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    found = next((Measure("sum", each.ref) for each in draft.having if each.ref.kind in NUMERIC), None)
    rows = any(each.ref.kind == "rows" for each in draft.having)
    return found or (Measure("count") if rows else None)


def _quickness(draft: QueryDraft, _form: Form) -> Measure | None:
    took = draft.schema.of("duration", "hours", "late minutes")
    if took is None or not draft.any("fast", "slow"):
        return None
    draft.note("measure", field=took.name)
    return Measure("avg", took)


def _adjective(draft: QueryDraft, _form: Form) -> Measure | None:
    """ "Đắt nhất", "xa nhất": the word itself says which figure."""
    for mention in draft.mentions:
        of = next((label[3:] for label in sorted(mention.labels) if label.startswith("of ")), "")
        ref = draft.schema.of(of) if of else None
        if ref is not None:
            draft.note("measure", field=ref.name)
            return Measure("min" if mention.has("min", "earliest") else "max", ref)
    return None


def _frequent(draft: QueryDraft, _form: Form) -> Measure | None:
    """ "Thường gặp nhất", "most common": how often is what is asked."""
    return Measure("count") if draft.any("frequent") else None


def _mean(draft: QueryDraft, form: Form) -> Measure | None:
    main = draft.schema.main_measure()
    if main is None or form == "rows" or not draft.any("avg"):
        return None
    draft.note("measure", field=main.name)
    return Measure("avg", main)


def _listed(draft: QueryDraft, form: Form) -> Measure | None:
    """What rows are sorted by: the newest first, or the column the sheet is about."""
    if form != "rows":
        return None
    turned, latest = direction(draft), draft.any("latest", "earliest")
    main = draft.schema.main_measure()
    ref = draft.date_ref if (latest or not turned) and draft.date_ref else main or draft.date_ref
    if ref is None:
        return None
    if turned and not latest:
        if not _of_size(draft):
            offer(draft, main)
        draft.note("measure", field=ref.name)
    return Measure("max", ref)


def _of_size(draft: QueryDraft) -> bool:
    """Whether rows are ranked by a plain word of size, which means the figure the sheet is about."""
    ranked = [mention for mention in draft.mentions if mention.has("max", "min", "top", "bottom")]
    said = {token.folded for mention in ranked for token in tokens(mention.text)}
    return not said.isdisjoint(_SIZES)


def _money(draft: QueryDraft, form: Form) -> Measure | None:
    """ "How much did they give": money, where the sheet is about money."""
    main = draft.schema.main_measure()
    if main is None or main.kind != "money" or not draft.any("how much") or form not in {"scalar", "groups"}:
        return None
    return _noted(draft, "measure", main)


def _rows(draft: QueryDraft, form: Form) -> Measure | None:
    rows = _rows_named(draft)
    main = draft.schema.main_measure()
    if rows is None and not draft.any("count") and main:
        if form != "share":
            return None
        if not any(each.ref.kind == "boolean" or each.ref.concept in STATES for each in draft.conditions):
            offer(draft, main)
    return Measure("count", noun=rows.text if rows else "")


def _events(draft: QueryDraft, form: Form) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    if form != "top" or not any(each.ref.concept in {"status", "reason"} for each in draft.conditions):
        return None
    draft.note("counted_rows")
    return Measure("count")


def _often(draft: QueryDraft, form: Form) -> Measure | None:
    """ "Được mượn nhiều nhất", "visited the most": how often something was done."""
    asked = form == "top" and draft.any("done") and draft.any("max", "min", "superlative")
    single = any(_once(draft, group) for group in draft.groups)
    if not asked or single or draft.any("sold", "bought", "seller", "slow seller"):
        return None
    numbers = any(
        mention.has("max", "min", "superlative") and _numbered(mention) for mention in draft.mentions
    )
    if not numbers:
        return None
    draft.note("counted_rows")
    return Measure("count")


def _once(draft: QueryDraft, group: Group) -> bool:
    """Whether each value of a group stands in one row, so that there is nothing to count."""
    return not group.unit and draft.schema.key(group.ref).distinct > 0.9 * draft.schema.sheet.rows


def _numbered(mention: Mention) -> bool:
    """Whether a superlative is of how many, and not of how much or how good."""
    said = {token.folded for token in tokens(mention.text)}
    return not said.isdisjoint({"nhieu", "it", "most", "least", "nhat", "dong", "thuong"})


def _main(draft: QueryDraft, form: Form) -> Measure | None:
    main = draft.schema.main_measure()
    traded = draft.any("bought", "sold", "seller", "slow seller")
    if main is None or not (form in {"top", "compare"} or traded):
        return None
    if not traded and not draft.any("much"):
        offer(draft, main)
    return _noted(draft, "measure", main)


def _count(draft: QueryDraft, form: Form) -> Measure | None:
    if not (draft.groups or draft.conditions or form == "trend"):
        return None
    if not draft.any("count") and form != "rows":
        offer(draft, draft.schema.main_measure())
    draft.note("counted_rows")
    draft.doubt += 0.1
    return Measure("count")


_RULES: tuple[Callable[[QueryDraft, Form], Measure | None], ...] = (
    _last_seen, _pieces, _filtered, _quickness, _mean, _listed, _rows, _events, _often, _money, _main, _count,
)  # fmt: skip
