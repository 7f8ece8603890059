"""Makes a query of what the words of a message say: alone (`build_query`), or as a change to the one before (`refine_query`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, Literal

from troly.text.dates import add, whole
from troly.text.fold import fold, folded_words
from troly_analysis.planner.lexicon import says, turn_words
from troly_analysis.planner.periods import counterpart, following, is_whole, preceding, same_days, span_of
from troly_analysis.planner.pointing import figure_alone, nothing_named, points_at_days
from troly_analysis.planner.reader import GOODS, PERSONS, STATES, Parts
from troly_analysis.planner.schema import Schema, code_name, each_once, is_amount, made_of, of_piece
from troly_analysis.planner.types import (
    Condition,
    DataQuery,
    Form,
    Group,
    Measure,
    Note,
    Period,
    Ref,
    Unit,
    averaged,
    figure_bounded,
    values_of,
)
from troly_analysis.types import NUMERIC, TEMPORAL, Operation

GOODS_MOVED = frozenset({"order", "ticket", "visit"})
"""Rows of which each is something sold."""


def _adjective(w: _Builder) -> Measure | None:
    """ "Đắt nhất", "xa nhất": the word itself says which figure."""
    about = next((ref for name in w.parts.adjectives if (ref := w.schema.of(name))), None)
    return w.assume(about, "min" if w.order == "asc" else "max") if about else None


def _crowd(w: _Builder) -> Measure | None:
    """ "Đông khách nhất", "phổ biến nhất": how many, how often."""
    guests = w.schema.of("guests") if w.parts.has("crowd") else None
    return w.assume(guests) if guests else w.count() if w.parts.has("frequent", "crowd") else None


def _quickness(w: _Builder) -> Measure | None:
    took = w.took if w.parts.has("fast", "slow", "oldest") else None
    return w.assume(took, "avg") if took else None


def _listed(w: _Builder) -> Measure | None:
    """What rows are sorted by: the newest first, or the column that the sheet is about."""
    if w.form != "rows":
        return None
    if w.parts.has("fast", "slow") and not w.oldest:
        w.unmet.append("slow" if w.parts.has("slow") else "fast")  # how long it took no column says
    latest = w.parts.has("latest", "earliest") or w.oldest or not w.order
    if latest and (day := w.parts.when.date_ref):
        return Measure("max", day)
    bounded = [each.ref for each in w.conditions if each.ref.kind in NUMERIC and not each.ref.sheet]
    if not w.order and bounded:
        return Measure("max", bounded[0], noun=bounded[0].name)
    main = w.schema.main_measure()
    # "món nào còn ít nhất": which figure is the least is not said.
    large = main is not None and main.kind == "money" and w.schema.row_concept in GOODS_MOVED
    w.ask = bool(w.order) and not w.parts.limit and not (large and not w.parts.many)
    if main is None and not w.order:
        main = next((each for each in w.schema.refs.values() if not each.sheet), None)
    return w.assume(main, "max") if main else None


def _day(w: _Builder) -> Measure | None:
    """ "Lần gần nhất là khi nào": the first or last day."""
    day = w.parts.when.date_ref if w.parts.has("latest", "earliest") else None
    asked = w.parts.has("when", "which") or w.parts.rows or w.form == "scalar"
    return Measure("max" if w.parts.has("latest") else "min", day) if day and asked else None


def _filtered(w: _Builder) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    found = w.having or [each for each, _ in w.parts.numbers if w.groups and not w.parts.rows]
    if not found:
        return None
    ref = found[0].ref
    if ref.kind == "rows":
        return Measure("count")
    return Measure("avg" if averaged(ref) else "sum", ref) if ref.kind in NUMERIC else None


def _pieces(w: _Builder) -> Measure | None:
    """Goods are sold, bought and moved in pieces; best sellers go by orders where nothing counts pieces (001-35)."""
    seller = w.parts.has("seller", "slow seller")
    if w.sold and w.pieces and (w.goods or not w.groups or seller) and not w.parts.has("how much"):
        open_ = w.form in {"scalar", "per"} and not (w.goods or seller or w.parts.pointer)
        if open_ and w.money and w.schema.main_measure() == w.money:
            # "tuần trước bán được bao nhiêu": worth, or pieces
            w.also = (Measure(w.parts.op or "sum", w.pieces),)
            return w.assume(w.money, w.parts.op or "sum")
        if w.groups and not w.goods and w.money:
            w.also = (Measure("sum", w.money),)  # of a channel or a day the takings may be meant
        return w.assume(w.pieces, w.parts.op or "sum", "seller_measure" if seller else "measure")
    if seller and w.schema.row_concept in GOODS_MOVED and (w.goods or w.schema.of("order")):
        w.also = (Measure("sum", w.money),) if w.money and not w.goods else ()
        return w.count("seller_counted")
    return w.assume(w.pieces) if w.pieces and w.goods and w.form == "top" and w.parts.many else None


def _often(w: _Builder) -> Measure | None:
    """ "Được mượn nhiều nhất", "visited the most": how often something was done."""
    sent = w.schema.of("carrier") and says("delivers").search(w.parts.message)
    verb = sent or (w.parts.many and w.parts.has("verb"))
    done = w.form == "top" and verb and not w.sold and not w.once
    return w.count("counted_rows") if done else None


def _rows(w: _Builder) -> Measure | None:
    main = w.schema.main_measure()
    if main and w.parts.op == "sum" and not w.parts.has("count", "number") and is_amount(w.parts.rows):
        return w.assume(main)  # "tổng công nợ" of a sheet that is called so
    mean = w.parts.op == "avg" and main  # "đơn hàng trung bình bao nhiêu tiền"
    other = mean or w.form == "rows" or w.parts.has("how much")  # rows are sorted by a column
    return w.count() if w.parts.rows and not other else None


def _share(w: _Builder) -> Measure | None:
    """The share of a state and a rate are of rows; of anything else it must be said."""
    if w.form != "share" or not w.conditions:
        return None
    rate = not _RATES.isdisjoint(folded_words(w.parts.spoken.get("share", "")))  # "tỷ lệ COD"
    refs = [each.ref for each in w.conditions]
    w.ask = not rate and not any(ref.kind == "boolean" or ref.concept in STATES for ref in refs)
    return w.count("counted_rows")


def _counted_goods(w: _Builder) -> Measure | None:
    """ "Bao nhiêu panadol", "gạo nhập bao nhiêu": pieces."""
    bare = w.goods and w.form == "scalar" and w.parts.has("count")
    return w.assume(w.pieces) if w.pieces and (w.parts.counted_value or bare) else None


def _money(w: _Builder) -> Measure | None:
    main, op = w.schema.main_measure(), w.parts.op or "sum"
    # The first customers are those who spent most, as best sellers are what was sold most.
    buyers = w.form == "top" and any(group.ref.concept == "customer" for group in w.groups)
    if w.money and (w.parts.has("how much") or ((w.sold or buyers) and w.money == main)):
        return w.assume(w.money, op)
    limited = w.form != "scalar" or w.conditions or w.parts.when.period
    return w.assume(main, op) if main and (w.sold or (w.parts.op == "sum" and limited)) else None


def _events(w: _Builder) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    happened = any(each.ref.concept in {"status", "reason"} for each in w.conditions)
    return w.count("counted_rows") if w.form == "top" and happened else None


def _asked(w: _Builder) -> Measure | None:
    """Anything else that is named has a figure, which is asked for."""
    when = w.parts.when
    # Of one thing that its code names, what stands in its rows is asked for, and no figure; a telephone has none.
    coded = any(each.op == "eq" and code_name(each.ref) for each in w.conditions)
    coded = bool(w.groups) and (coded or all(w.schema.key(each.ref).is_contact for each in w.groups))
    w.ask = bool(w.groups or w.conditions or when.period or when.versus) and not coded
    main = w.schema.main_measure()
    # "tỉnh nào thấp nhất", "tỉnh nào tăng ít nhất" count nothing
    high = main is None and ((w.form == "top" and not w.parts.many) or bool(change_order(w.parts)))
    return w.count() if coded or (w.ask and (w.groups or w.conditions or main) and not high) else None


_RULES: tuple[Callable[[_Builder], Measure | None], ...] = (
    _adjective, _crowd, _quickness, _listed, _day, _filtered, _pieces, _often, _rows, _share, _counted_goods, _money, _events,
    _asked,
)  # fmt: skip


TOP, SOME, ROWS, MOST = 10, 5, 20, 1000
_FEW, _SHORT = 9, 5
"""Most words of a question that names a figure alone."""
_ADDED = frozenset(
    {"revenue", "quantity", "cost", "profit", "output", "donation", "fee", "hours", "overtime", "debt"}
)
"""What is added up for each of the things that a condition is put on ("khách mua trên 5 triệu")."""
_RATES = frozenset({"le", "rate", "rates"})
_SELLERS = {"max": "seller", "min": "slow seller"}
ENDS_IN_TIME = ("latest", "earliest", "oldest", "slow", "fast")
_COURSE = frozenset({"day", "week", "month", "quarter", "year"})
_ENDS = frozenset(
    {"max", "min", "latest", "earliest", "seller", "slow seller", "fast", "slow", "top", "bottom"}
)


@dataclass(slots=True)
class BuiltQuery:
    """A query with what is to be said of it; `query` is None where the words name nothing to work out.

    `unmet` are words whose meaning the query cannot hold: with any it is not to be run.
    """

    query: DataQuery | None
    notes: list[Note] = field(default_factory=list)
    question: Note | None = None
    options: tuple[str, ...] = ()
    pending: str = ""
    unmet: tuple[str, ...] = ()
    also: DataQuery | None = None
    """What the words mean as well, where they do not say which; both are told."""

    @property
    def complete(self) -> bool:
        """Whether it can be run as it is."""
        return self.query is not None and self.question is None and not self.unmet


def hold_pieces(built: BuiltQuery, before: DataQuery | None, schema: Schema) -> None:
    """Sum no price, cost or margin of a piece over rows, and rank nothing by a count that each thing has once: what was worked
    out of a price with the pieces goes on, or it is asked back.
    """
    query = built.query
    if query is None:
        return
    if query.order and query.form in {"top", "rows"} and _counts_rows(query.measures):
        once = query.form == "rows" or _is_row_each(query.groups, schema)
        built.unmet += ("max" if query.order == "desc" else "min",) if once else ()
    if query.form == "rows":
        return
    chosen = [each.ref for each in query.conditions if each.op == "eq" or each in query.gap]
    over = [each.ref for each in (*query.groups, *query.per) if not each.unit]
    if any(each_once(ref, schema) for ref in chosen) or (over and each_once(over[0], schema)):
        return
    sums = [each for each in query.measures if each.op == "sum" and each.ref and of_piece(each.ref, schema)]
    worth = [each for each in before.measures if each.ref and each.ref.sign == "*"] if before and sums else []
    said = not any(note.key == "measure" for note in built.notes)
    same = [each for each in worth if each.ref and (not said or sums[0].ref in each.ref.parts)]
    if len(query.measures) == len(same) == 1:
        built.query, built.also = replace(query, measures=(same[0],)), None
        built.notes = [note for note in built.notes if note.key != "measure"]
    else:
        built.unmet += tuple(each.noun or each.ref.name for each in sums if each.ref)


def _is_row_each(groups: Sequence[Group], schema: Schema) -> bool:
    """Whether each thing stands in about one row, so that counting its rows ranks nothing."""
    ref = groups[0].ref if len(groups) == 1 and not groups[0].unit else None
    if ref is None or ref.sheet:
        return False
    own = bool(ref.concept) and ref.concept == schema.row_concept
    return own or 2 * schema.key(ref).distinct > schema.sheet.rows


def build_query(parts: Parts, schema: Schema, today: date, choices: Any) -> BuiltQuery:
    """The query that the words make by themselves."""
    return _Builder(parts, schema, today, choices).build()


class _Builder:
    def __init__(self, parts: Parts, schema: Schema, today: date, choices: Any) -> None:
        self.parts, self.schema, self.today, self.choices = parts, schema, today, choices
        self.built = BuiltQuery(None, list(parts.notes), parts.question, parts.options, parts.pending)
        self.measures = list(parts.measures)
        self.groups = list(parts.groups)
        self.conditions = list(parts.conditions)
        self.having: list[Condition] = []
        self.form: Form = "scalar"
        self.order, self.once, self.ask = "", False, False
        self.also: tuple[Measure, ...] = ()
        self.unmet: list[str] = []

    def note(self, key: str, **params: Any) -> None:
        """Add an assumption to be shown."""
        self.built.notes.append(Note(key, params))

    @property
    def goods(self) -> bool:
        """Whether goods are asked for, which are counted in pieces."""
        refs = [*(group.ref for group in self.groups), *(each.ref for each in self.conditions)]
        return any(ref.concept in GOODS for ref in refs)

    @property
    def took(self) -> Ref | None:
        """The column that says how long something took."""
        return self.schema.of("duration", "waiting", "response", "hours")

    @property
    def oldest(self) -> bool:
        """Whether "lâu nhất" is said of rows, where no column says how long anything took."""
        return self.parts.has("oldest") and bool(self.parts.rows) and self.took is None

    @property
    def sold(self) -> bool:
        """Whether something was sold or bought."""
        return self.parts.has("seller", "slow seller", "sold", "bought")

    @property
    def pieces(self) -> Ref | None:
        """The column that counts pieces."""
        return self.schema.of("quantity")

    @property
    def money(self) -> Ref | None:
        """The column of the money that the sheet is about."""
        found = (self.schema.of(name) for name in ("revenue", "fee", "cost", "salary"))
        return next((ref for ref in found if ref is not None and ref.kind == "money"), None)

    def assume(self, ref: Ref, op: Any = "sum", key: str = "measure") -> Measure:
        """A figure that the person is told of."""
        self.note(key, field=ref.name)
        return Measure("avg" if op == "sum" and averaged(ref) else op, ref)

    def count(self, key: str = "") -> Measure:
        """The number of rows."""
        if key:
            self.note(key)
        return Measure("count", noun=self.parts.rows)

    def build(self) -> BuiltQuery:
        parts, schema = self.parts, self.schema
        if parts.has("columns") and not (self.measures or self.conditions or self.groups):
            self.built.query = DataQuery(schema.sheet.name, "schema")
            return self.built
        if parts.row_key is not None and self._asks_of_row():
            self.built.query = row_of(parts.row_key, parts, schema)
            return self.built
        self._place_loose()
        self._place_numbers()
        self._compared_values()
        gap = self._gap()
        order = self._order()
        counted = self._counts_groups()
        self._stock()
        picked = self._picks_row(order)
        self._reports()
        self._made_figures()
        self._several_figures()
        self._best_sellers()
        order = self._ends_of_each(order)
        form = "rows" if picked else self._form(order, gap=bool(gap))
        self._name_figure(form, order)
        if not self.measures and form != "distinct":
            return self.built
        if form in {"top", "groups"} and self.groups and parts.op is None and self._each_once(self.groups):
            # Of things that stand in one row each, a price is no mean of prices.
            self.measures = [replace(each, op="sum") if each.op == "avg" else each for each in self.measures]
        part: tuple[Condition, ...] = ()
        ratio = form == "share" and len(self.measures) == 2
        if form == "share":
            part = () if ratio else self._part()
            means = [each for each in self.measures if each.ref and averaged(each.ref)]
            self.measures = [Measure("count") if each in means else each for each in self.measures]
            if not (part or self.groups or ratio) or parts.share_of == "%":
                self.unmet.append("%")
        period, versus = self._periods()
        form = "compare" if versus and form not in {"share", "per", "rows"} else form
        if form == "compare":
            self.groups = [each for each in self.groups if each.unit not in _COURSE]
        if form == "top":
            self._named_groups()
        within = self._within() if form == "top" else ()
        limit = self._limit(form, order)
        timed = [each.unit in _COURSE for each in self.groups] == [True]
        course = form == "groups" and parts.has("growth") and timed
        order = change_order(parts) if (form == "compare" and self.groups) or course else order
        asked = any(each not in parts.outer for each in self.groups) and not (parts.limit and not order)
        turn = change_turn(parts) if asked and (course or form == "compare") else ""
        self._extremes_kept(form, order)
        ordered = form in {"top", "rows", "share", "groups"} or (form == "compare" and self.groups)
        self.built.query = DataQuery(
            schema.sheet.name,
            form,
            tuple(self.measures),
            tuple(self.groups),
            tuple(self.conditions),
            tuple(self.having),
            parts.when.date_ref,
            period,
            versus,
            order if ordered else "",  # type: ignore[arg-type]
            limit,
            rank=parts.rank if form in {"top", "rows"} else 0,
            entity=parts.rows,
            part=part,
            seller=parts.has("seller", "slow seller"),
            count_groups=counted,
            within=within,
            gap=gap,
            per=tuple(parts.per) if form == "per" else (),
            growth=course,
            turn=turn,
            chart=parts.chart,
        )
        self._check_shown(form, gap=bool(gap))
        self._check_bounds(form)
        self.built.unmet = tuple(self.unmet)
        return self.built

    def _within(self) -> tuple[Group, ...]:
        """The groups that have a ranking each, which stand before those that are ranked; none where all are ranked."""
        outer = [each for each in self.groups if each in self.parts.outer]
        inner = [each for each in self.groups if each not in outer]
        self.groups = [*outer, *inner]
        self.unmet += [f"rank {self.parts.rank}"] if outer and inner and self.parts.rank else []
        return tuple(outer) if inner else ()

    def _ends_of_each(self, order: str) -> str:
        """ "Đơn lớn nhất của mỗi kênh", "giá cao nhất và thấp nhất từng nhóm": ends of the figure in each group, which rank no groups."""
        parts, ends = self.parts, list(dict.fromkeys(self.parts.extremes))
        each = bool(self.groups) and all(group in parts.outer for group in self.groups)
        if parts.sized and self.groups and not (self.measures or parts.per):  # whose order is the largest
            money = self.schema.main_measure()
            self.unmet += [one.ref.name for one in self.groups if one.ref.sheet]
            self.measures = [Measure("max", money)] if each and money else []
            self.groups = self.groups if self.measures else []
        plain = [one for one in self.measures if one.ref and not (one.metric or one.distinct or one.median)]
        own = len(ends) > 1 or all(one.op in {"avg", "max"} for one in plain)
        own = own and not (parts.limit or parts.has("which", "avg"))
        if each and own and plain and ends and plain == self.measures:
            self.measures = [replace(one, op=end) for one in plain for end in ends]
            parts.extremes.clear()
            return ""
        return order

    def _asks_of_row(self) -> bool:
        """Whether anything but one figure is asked of the one row that is named."""
        parts, days = self.parts, self.parts.when.period or self.parts.when.versus
        other = parts.numbers or parts.extremes or parts.limit or parts.chart or len(self.conditions) > 1
        asked = parts.groups or parts.loose or parts.has("which")  # "mua gì, hết bao nhiêu"
        counts = any(each.ref is None or each.distinct for each in self.measures)
        worked = parts.op or parts.has("share", "trend", "growth", "compare")
        worked = worked or (parts.has("count") and (counts or not self.measures))
        named = (
            self.schema.deals or self.measures or parts.groups or parts.loose
        )  # else no row of it says what was bought
        worked = worked or (parts.has("bought", "sold") and (parts.has("latest", "earliest") or not named))
        if other or days or worked or (parts.has("how much") and not asked):
            return False
        return bool(parts.groups or parts.loose or len(self.measures) != 1 or self.measures[0].ref is None)

    def _check_shown(self, form: str, *, gap: bool) -> None:
        """Name what the words ask for and the query does not show; keep what they can mean as well."""
        parts = self.parts
        if self.also and self.built.query is not None:
            self.built.also = replace(self.built.query, measures=self.also, seller=False)
        self.unmet += _foreign(self.measures)
        self.unmet += ["…"] if parts.has("preceding", "following") else []
        differs = self.measures and any(each.ref and each.ref.parts for each in self.measures)
        if parts.has("gap") and not (gap or differs or parts.when.versus or form == "compare"):
            self.unmet.append("gap")
        if parts.op == "avg" and form != "per" and not any(each.op == "avg" for each in self.measures):
            self.unmet.append("avg")
        traded = self.schema.row_concept in GOODS_MOVED
        traded = traded or bool(self.schema.of("revenue", "quantity", "order", "output", "fee"))
        most = parts.has("sold", "bought") and self._ranked() and not parts.measures
        sellers = (parts.has("seller", "slow seller") or most) and not traded
        profits = [each for each in self.measures if each.ref and each.ref.concept == "profit"]
        margin = [each for each in profits if each.ref and of_piece(each.ref, self.schema)]
        if sellers or (parts.has("sold", "bought") and not self.schema.deals and not margin):
            self.unmet.append("mua/bán")
        persons = any(self.schema.by_concept.get(name) for name in PERSONS)
        if parts.has("who") and not (persons or parts.groups or parts.loose or parts.pointer):
            self.unmet.append(parts.spoken["who"])  # no thing is anybody
        made = [each for each in profits if each not in margin]
        self.unmet += ["each"] if made and parts.has("each") else []  # of one piece the sheet of goods knows
        one = parts.has("per", "each", "minus", "gap")  # or the difference is told as one of two columns
        one = one or any(each.op == "eq" and each_once(each.ref, self.schema) for each in self.conditions)
        if margin and not (one and all(self._each_once([group]) for group in self.groups)):
            self.unmet.append(margin[0].noun)  # what was made in all is not known
        ends = parts.has("earliest", "latest") and not (parts.extremes or parts.limit or parts.chart)
        if ends and form == "top":
            dated = any(each.ref and each.ref.kind in TEMPORAL for each in self.measures)
            self.unmet += [] if dated else ["latest"]
        if parts.rank and form not in {"top", "rows"}:
            self.unmet.append(f"rank {parts.rank}")
        if parts.limit and form not in {"top", "rows", "groups", "share"}:
            self.unmet.append("top")

    def _check_bounds(self, form: str) -> None:
        """Name days that are of one figure only, a few of which is not said how few, "each" of nothing, an end of no change."""
        parts = self.parts
        if parts.counted_state and parts.measures and not any(each.op == "count" for each in self.measures):
            self.unmet.append("count")  # "doanh thu tháng 9, có mấy đơn hủy"
        added = any(each.op == "count" or (each.ref and not averaged(each.ref)) for each in self.measures)
        if parts.each and added and form in {"scalar", "per"} and not (parts.pointer or parts.per_row):
            self.unmet.append("each")  # of each of what, nothing says
        if parts.has("growth") and parts.extremes and form in {"top", "rows"}:
            self.unmet.append("growth")  # "tăng nhiều nhất" ranks changes, and no two periods are named
        if parts.has("now") and parts.when.period and len(self.measures) > 1:
            self.unmet.append("now")
        if parts.has("running out") and not parts.numbers and parts.has("number", "count"):
            self.unmet.append("running out")

    # --- where the words belong

    def _place_loose(self) -> None:
        """A dimension that is only named is one where something is ranked, shared or drawn; else it was not understood."""
        parts = self.parts
        for group in parts.loose:
            wanted = (
                self._ranked() or parts.chart or parts.has("share", "trend", "compare", "plural", "list", "left", "which", "growth")
            )  # fmt: skip
            bought = parts.has("bought") and any(not rows for _, rows in parts.numbers)
            wanted = wanted or (bought and group.ref.concept == "customer")
            if any(group.ref == each.ref and not group.unit for each in self.conditions):
                continue
            if parts.has("count") and not (self.measures or group.unit or self._ranked() or parts.rows):
                # "hóa đơn trên 200k có bao nhiêu"
                self.measures.append(Measure("count", group.ref, distinct=True))
                continue
            each = self._ranked() and all(one in parts.outer for one in self.groups)
            if wanted and (not self.groups or each) and group not in self.groups:
                self.groups.append(group)
            elif group not in self.groups:
                self.unmet.append(f"unit {group.unit}" if group.unit else group.ref.name)

    def _picks_row(self, order: str) -> bool:
        """Let an end that is said of a row pick it, where another figure or column of it is asked for."""
        parts, schema = self.parts, self.schema
        about = next((ref for name in parts.adjectives if (ref := schema.of(name))), None)
        goods = schema.row_concept in GOODS
        refs = [*(each.ref for each in self.measures), *(each.ref for each in self.groups)]
        thing = parts.picks == "thing" and goods and about is not None
        alone = (not refs and not thing) or (refs == [about] and (parts.picks == "row" or not parts.pointer))
        if not parts.picks or len(set(parts.extremes)) != 1 or parts.limit or alone:
            return False
        told = all(ref is not None and not (ref.sheet or ref.parts) for ref in refs)
        if about is None or not told or not (goods or parts.picks == "row"):
            self.unmet += parts.extremes[:1]
            return False
        self.measures, self.groups = [Measure("min" if order == "asc" else "max", about)], []
        return True

    def _ranked(self) -> bool:
        return bool(self.parts.limit or self.parts.extremes or self.parts.rank) or self.parts.has(*_ENDS)

    def _place_numbers(self) -> None:
        """Conditions on figures hold for rows, or for the groups where things are named that add them up."""
        parts = self.parts
        things: list[Any] = [each for each in self.measures if each.distinct and each.ref] or self.groups
        for condition, rows in parts.numbers:
            if not rows and bounds_shown(condition, self.groups, self.measures):
                self.having.append(condition)
                continue
            counts = condition.ref.kind in {"rows", "metric"}
            whole = counts or condition.ref.concept in _ADDED
            whole = whole or (parts.has("sum") and not averaged(condition.ref))
            if things and whole and not rows and not parts.has("share") and not self._each_once(things):
                self.having.append(condition)
            elif counts:
                self.unmet.append(condition.said)
            else:
                self.conditions.append(condition)

    def _each_once(self, things: list[Any]) -> bool:
        """Whether each of the things stands in one row, so that a condition on the rows is one on them."""
        ref = things[0].ref
        return not getattr(things[0], "unit", "") and each_once(ref, self.schema)

    def _compared_values(self) -> None:
        """ "So sánh Shopee và Lazada", "doanh thu của GHN, GHTK và SPX": each of the values that are named apart, no sum alone."""
        parts = self.parts
        mean = parts.op == "avg" or any(each.op == "avg" for each in parts.measures)
        asked = parts.has("compare", "which", "who", "each", "gt", "lt", "growth") or mean
        asked = asked or parts.repeated or parts.each
        one = parts.has("either", "share", "minus", "seller", "slow seller", "top", "list", "plural", "all")
        one = one or parts.op == "sum"
        shaped = parts.limit or parts.extremes or parts.per or parts.numbers or parts.pointer or parts.kept
        apart = not (one or shaped) and all(not (each.distinct or each.only) for each in parts.measures)
        if self.groups or not (apart or (asked and not parts.when.versus)):
            return
        for condition in self.conditions:
            several = condition.op == "in" and len(condition.value) > 1 and "," in condition.said
            if several and not condition.unit:  # days of the week are no days
                self.groups.append(Group(condition.ref))
                return

    def _gap(self) -> tuple[Condition, ...]:
        """ "Quận 1 hơn Quận 7 bao nhiêu": the two values whose figures are taken from each other."""
        parts = self.parts
        listed = (each for each in self.conditions if each.op == "in" and "," in each.said)
        pairs = [each for each in listed if len(each.value) == 2]
        more = parts.has("gt", "lt") and parts.has("count", "much", "how much") and not parts.each
        if len(pairs) != 1 or not (parts.has("gap") or more) or parts.when.versus:
            return ()
        if any(group.ref != pairs[0].ref for group in self.groups):
            return ()
        self.groups.clear()
        return (pairs[0],)

    def _order(self) -> str:
        """Which end of a ranking is asked for, "" when nothing is ranked."""
        parts = self.parts
        if parts.order:
            return parts.order
        ends = set(parts.extremes) | {end for end, label in _SELLERS.items() if parts.has(label)}
        if len(ends) == 2:
            return "both"
        low = ("slow seller", "bottom", "running out", "earliest", "fast")
        if "min" in ends or self.oldest or parts.has(*low):
            return "asc"
        ranked = "max" in ends or parts.has("seller", "top", "latest", "slow", "oldest") or parts.limit
        return "desc" if ranked else ""

    def _stock(self) -> None:
        """What is left: the column of the stock, else what came in less what went out (`schema.sides`)."""
        parts, schema = self.parts, self.schema
        if not parts.has("left", "running out"):
            return
        named = [*(each.ref for each in self.measures), *(c.ref for c in (*self.conditions, *self.having))]
        held = next((ref for ref in named if ref is not None and ref.concept == "stock"), None)
        if held is not None:
            self.measures = self.measures or [Measure("sum", held)]
            return
        stock = schema.of("stock")
        ref = stock or schema.stock_left()
        counts = _counts_rows(self.measures)
        if ref is None and (counts or any(_leaves_out(each) for each in self.conditions)):
            return  # "bỏ nhóm vitamin thì còn bao nhiêu": what is left of the figure
        if stock is not None and self.measures and parts.joined and not counts:
            self.measures.append(Measure("sum", stock))  # "giá bao nhiêu, còn hàng không"
            return
        of_amount = bool(ref and ref.parts and all(each.ref == ref.parts[0] for each in self.measures))
        if ref is None or (any(each.ref and not each.distinct for each in self.measures) and not of_amount):
            self.unmet.append("tồn kho")
            return
        if stock is None:
            self.note("in_less_out", figure=ref.name)
        self.measures = [Measure("sum", ref)]

    def _counts_groups(self) -> bool:
        """ "Có bao nhiêu khách hàng mua trên 5 triệu": the groups that pass are counted."""
        if not self.having or self.parts.counted_unit:
            return bool(self.having)
        counted = next((each for each in self.measures if each.distinct and each.ref), None)
        if counted is None or counted.ref is None:
            return False
        self.groups.append(Group(counted.ref))
        bound = self.having[0].ref
        figure = Measure("sum", bound) if bound.kind in NUMERIC else Measure("count")
        self.measures = [each for each in self.measures if each is not counted] or [figure]
        return True

    def _made_figures(self) -> None:
        """Figures made of two: "cost per lead", "doanh thu trừ chi phí", the mean value of an order, a median."""
        parts = self.parts
        plain = [each for each in self.measures if each.ref and each.op in {"sum", "avg"} and not each.metric]
        two = [each.ref for each in plain if each.ref]
        if len(two) == len(self.measures) == 2 and parts.ratio and not any(map(averaged, two)):
            self.measures = [Measure("sum", two[0], over=two[1], noun=self.measures[0].noun)]
        self._of_two(two)
        plain = [each for each in self.measures if each.ref and each.op in {"sum", "avg"} and not each.metric]
        plain = [each for each in plain if each.ref and not each.ref.sheet]
        refs = [each.ref for each in plain]
        if len(refs) == 3 and parts.has("times", "minus") and refs[0] and {*refs[0].parts} == {*refs[1:]}:
            self.measures = plain = plain[1:]  # "vốn trong kho, lấy giá vốn nhân tồn kho"
        if len(self.measures) == 2 == len(plain) and not parts.when.versus:
            first, second = (each.ref for each in plain)
            if first and second and parts.has("times"):
                self.measures = [Measure("sum", made_of(first, "*", second), noun=plain[0].noun)]
            elif first and second and parts.has("gap", "minus"):
                op: Operation = "avg" if any(map(averaged, (first, second))) else "sum"
                made = made_of(first, "-", second)
                known = self.schema.refs.get(f":{made.name}", made)
                self.measures = [Measure(op, known, noun=plain[0].noun)]
        self._order_value()
        apart = len({each.op for each in self.measures if each.ref}) > 1  # "doanh thu, trung bình mỗi đơn"
        if parts.per_row and apart and self._orders_of_rows():
            self.unmet.append("aov")
        elif parts.per_row and self.measures and not (parts.per or apart):
            sums = [each for each in self.measures if each.op == "sum" and not each.over]
            self.measures = [replace(each, op="avg") if each in sums else each for each in self.measures]
            self._each_order()
        if parts.has("median"):
            refs = [each.ref for each in self.measures if each.ref and not each.distinct]
            ref = refs[0] if len(refs) == 1 else self.schema.main_measure() if not refs else None
            if ref is not None and len(self.measures) <= 1:
                self.measures = [Measure("avg", ref, median=True)]
            else:
                self.unmet.append("median")

    def _of_two(self, two: list[Ref]) -> None:
        """One figure in per cent of another, and the stock at the price or the cost of a piece."""
        if len(two) != 2 or len(self.measures) != 2:
            return
        if self._shared() and not any(map(averaged, two)):
            self.measures = self.measures[::-1] if self.parts.whole_first else self.measures
            self.parts.joined = True  # "giảm giá chiếm bao nhiêu phần trăm doanh thu"
        held = (two[0].parts or two)[0]
        said = two[0].parts or self.parts.has("by")  # "giá trị tồn kho tính theo giá vốn"
        if said and held.concept == "stock" and two[1].concept in {"price", "cost"}:
            self.measures = [Measure("sum", made_of(held, "*", two[1]), noun=self.measures[0].noun)]

    def _order_value(self) -> None:
        """The mean value of an order, where the sheet has money."""
        parts = self.parts
        if parts.has("aov") and self._money() is None:
            self.unmet.append("aov")
        elif parts.has("aov"):
            several = bool(self.measures)
            self.measures.append(Measure("avg", self._money(), noun="aov"))
            if several and self._orders_of_rows():
                self.unmet.append("aov")
            elif not several:
                self._each_order()

    def _several_figures(self) -> None:
        """Two figures stand side by side only where they are joined: "how many trips were late" asks for no sum of delays."""
        counts = len(self.measures) == 1 and _counts_rows(self.measures)
        each = self.parts.repeated and self.groups  # "đi Hà Nội mấy đơn, đi Huế mấy đơn"
        if counts and self.parts.asks > 1 and not (self.parts.per or self.parts.when.versus or each):
            money = self._money() if self.parts.has("how much") else None
            if money is None:
                self.unmet.append("how much" if self.parts.has("how much") else "count")
            else:  # "bao nhiêu đơn, tổng cộng bao nhiêu tiền"
                self.measures.append(Measure("sum", money))
                self.parts.joined = True
        if self.parts.per:  # what is added up is the same for a sum and for a mean
            last = {(each.ref, each.op == "count"): each for each in self.measures[::-1]}
            self.measures = list(last.values())[::-1]
        elif len(self.measures) > 1 and not self.parts.joined:
            more = ((each.noun, each.ref) for each in self.measures[1:])
            self.unmet += [noun or (ref.name if ref else "count") for noun, ref in more]

    def _reports(self) -> None:
        """ "Báo cáo tháng 10": where a report names no figure, what was made, how many rows there are and the mean of one."""
        parts, main = self.parts, self.schema.main_measure()
        named = self.measures or self.groups or parts.rows or parts.per or self._ranked() or parts.loose
        other = parts.has("share", "trend", "growth", "compare", "left", "how much", "count", "columns")
        other = other or bool(parts.chart)
        if parts.has("report") and main and self.schema.deals and not (named or other):
            self.measures = [Measure("sum", main), Measure("count"), Measure("avg", main)]
            parts.joined = True

    def _best_sellers(self) -> None:
        """ "Doanh thu của 3 sản phẩm bán chạy nhất": the pieces choose them, and the money is shown beside."""
        parts, pieces = self.parts, self.pieces
        seller = parts.has("seller", "slow seller") and not parts.has("by", "share") and not parts.when.versus
        one = self.measures[0] if len(self.measures) == 1 else None
        ref = one.ref if one and one.op == "sum" else None
        if seller and one and ref and ref.kind == "money" and self.goods:
            if pieces:
                self.measures = [self.assume(pieces, key="seller_measure"), one]
            elif self.schema.of("order"):
                self.measures = [self.count("seller_counted"), one]

    def _money(self) -> Ref | None:
        return self.schema.of("revenue") or self.schema.main_measure()

    def _orders_of_rows(self) -> Ref | None:
        """The column of orders where one of them has several rows."""
        order = self.schema.of("order")
        several = order is not None and order != self.schema.row_ref and self.schema.key(order).distinct
        return order if several else None

    def _each_order(self) -> None:
        """The mean over orders where one of them has several rows: the sums of the orders are averaged, not the rows."""
        ref = self.measures[0].ref if self.measures else None
        if ref is None or self.parts.per:
            return
        if order := self._orders_of_rows():
            self.parts.per = [Group(order)]
            self.measures = [Measure("sum", ref, noun=self.measures[0].noun)]
            self.note("order_value_each", field=ref.name, order=order.name)
        elif ref.kind == "money":
            self.note("order_value", field=ref.name)

    # --- the form

    def _form(self, order: str, *, gap: bool) -> Form:
        """The first form whose signs the words show; one figure when they show none."""
        parts = self.parts
        self._add_course(order)
        goods = next(iter(self.schema.goods()), None)
        sellers = parts.has("seller", "slow seller") and not (self.groups or parts.per or gap or parts.rows)
        made = parts.rows and order and any(each.ref and each.ref.parts for each in self.measures)
        listed = parts.limit or not self.conditions or (parts.has("which") and not self.goods)
        if goods and not self.groups and (made or (sellers and listed)):
            self.groups.append(Group(goods))  # "top 3 best sellers"
        ranked = bool(self.groups) and bool(order) and (not parts.order or self._ranked())
        signs: tuple[tuple[Form, bool], ...] = (
            ("per", bool(parts.per) and bool(self.measures or parts.rows or parts.op == "avg")),
            ("share", self._shared()),
            ("scalar", gap),
            ("compare", parts.when.versus is not None),
            ("top", ranked and not self._in_course()),
            ("distinct", self._lists_values()),
            ("groups", bool(self.groups)),
            ("rows", self._lists_rows(order)),
        )
        return next((form for form, shown in signs if shown), "scalar")

    def _shared(self) -> bool:
        """Whether a share is asked for: no change in per cent, and no rate that the sheet has a column for."""
        parts = self.parts
        rate = any(each.ref and each.ref.kind == "percent" for each in self.measures)
        return parts.has("share") and not (parts.when.versus or parts.has("growth") or rate)

    def _in_course(self) -> bool:
        """Whether the course over time is asked for, which a ranking would put out of order."""
        course = all(group.unit for group in self.groups) and self.parts.has("trend", "growth")
        return course and not ((self.parts.extremes and not change_order(self.parts)) or self.parts.limit)

    def _add_course(self, order: str) -> None:
        """A trend or a chart of nothing in particular goes over time."""
        when, parts = self.parts.when, self.parts
        drawn = (parts.has("trend", "growth") or parts.chart) and when.date_ref and when.versus is None
        if not drawn or self.groups or parts.per or self._shared() or self._lists_rows(order):
            return
        named = self.measures or self.conditions or parts.rows or parts.op or when.period
        if (parts.per_row or not named) and not (parts.has("trend") or parts.chart):
            self.unmet.append("growth")  # "mỗi đơn giảm mấy đồng", "tăng hay giảm?" ask for no course
            return
        first, last = span_of(self.schema, when.date_ref) or (self.today, self.today)
        if when.period:
            first, last = when.period.start, when.period.end
        unit = unit_for(first, last)
        self.note("trend_unit", unit=Note(f"unit_{unit}"))
        self.groups.append(Group(when.date_ref, unit))  # type: ignore[arg-type]

    def _lists_values(self) -> bool:
        """Whether the values of a column are asked for ("có những nền tảng nào")."""
        parts = self.parts
        asked = parts.has("which", "list", "plural") and not parts.has("by", "compare", "gt", "lt", "who")
        other = self.measures or self.having or parts.rows
        return asked and bool(self.groups) and not other and not self.groups[0].unit

    def _lists_rows(self, order: str) -> bool:
        """Whether single rows are asked for: "5 đơn lớn nhất", "liệt kê đơn trên 1 triệu", "đơn nào …"."""
        parts = self.parts
        if not parts.rows or any(each.op == "count" or each.over or each.metric for each in self.measures):
            return False
        one = parts.sized or parts.has("which")  # "đơn nào lớn nhất, bao nhiêu tiền"
        summed = parts.has("how much") and not (one and parts.extremes)
        if summed or len(self.measures) > 1 or parts.op or parts.has("sum", "avg"):
            return False
        if self.measures and parts.extremes and not (parts.limit or parts.has("which", "list", "plural")):
            return parts.rows_first and not parts.has("much", "count")
        several = parts.has("plural") and not self.measures
        return bool(parts.limit or order or several or parts.has("list", "which"))

    # --- the figure

    def _name_figure(self, form: Form, order: str) -> None:
        """Take the figure that the words mean where they name none; where it could be several it is asked for."""
        if form == "distinct":
            return
        if self.measures:
            self._use_end(form)
            return
        schema, main = self.schema, self.schema.main_measure()
        if picked := self.choices.get("figure"):
            ref = next(
                (each for each in schema.refs.values() if (each.sheet, each.name) == ("", picked)), None
            )
            self.measures = [Measure("avg" if averaged(ref) else "sum", ref) if ref else Measure("count")]
            return
        self.form, self.order = form, order
        self.once = bool(self.groups) and self._each_once(self.groups)
        found = next((made for rule in _RULES if (made := rule(self)) is not None), None)
        self.measures = [found] if found else []
        happened = any(each.ref.concept in {"status", "reason"} for each in self.conditions)
        if found is not None and found.ref == self.pieces is not None and happened and form == "top":
            self.also = (Measure("count"),)  # "bị hoàn trả nhiều nhất": pieces or orders
        if self.ask and main is not None and self.built.question is None:
            options = (main.name, Note("title_number").say("vi"))
            self.built.question = Note("which_figure", {"options": options})
            self.built.options, self.built.pending = options, "figure"

    def _use_end(self, form: Form) -> None:
        """ "Doanh thu cao nhất là bao nhiêu": without anything that is ranked an end is the figure's own."""
        ends = list(dict.fromkeys(self.parts.extremes))
        if not ends or form not in {"scalar", "compare"} or (self.groups and change_order(self.parts)):
            return
        sums = [each for each in self.measures if each.ref and each.op in {"sum", "avg"}]
        plain = [each for each in sums if not (each.metric or each.median)]
        if len(plain) == len(self.measures):
            firsts: dict[Ref | None, Measure] = {}
            once = [firsts.setdefault(each.ref, each) for each in plain if each.ref not in firsts]
            # "cao nhất, thấp nhất và trung bình"
            both = self.parts.has("avg") and (len(ends) > 1 or len(once) < len(plain))
            ops: list[Operation] = [*ends, *(["avg"] if both else [])]  # type: ignore[list-item]
            self.measures = [replace(each, op=op) for each in once for op in ops]

    def _extremes_kept(self, form: str, order: str) -> None:
        """Name an end that the query does not show, and what falls on one row where rows are counted."""
        counts = _counts_rows(self.measures)
        if self.parts.per_row and counts and form == "scalar":
            self.unmet.append("per")  # "mỗi đơn bao nhiêu" counts no orders
        if order == "both" and form != "scalar":
            self.unmet.append("max/min")
        if not (self.parts.extremes or self.parts.has("latest", "earliest")):
            return
        ranked = form in {"top", "rows"} or (form in {"share", "compare", "groups"} and self.groups)
        if not (order and ranked) and not any(each.op in {"max", "min"} for each in self.measures):
            self.unmet.append("/".join(dict.fromkeys(self.parts.extremes)) or "latest")

    # --- rows, days, length

    def _part(self) -> tuple[Condition, ...]:
        """For a share, the conditions that make the part; the rest choose the whole."""
        positive = [each for each in self.conditions if each.op not in {"ne", "nin"}]
        if not positive or (positive[0].op == "in" and self.groups and self.groups[0].ref == positive[0].ref):
            return ()
        free = [each for each in positive if not any(group.ref == each.ref for group in self.groups)]
        meant = [each for each in free if self.parts.share_of in each.said.split(", ")]
        part = (meant or free or positive)[0]
        self.conditions = [each for each in self.conditions if each is not part]
        return (part,)

    def _periods(self) -> tuple[Period | None, Period | None]:
        when = self.parts.when
        period, versus = when.period, when.versus
        if when.versus_only and versus and period is None:
            period = counterpart(versus, self.today)
            self.note("counterpart", start=period.start, end=period.end)
            span = self.schema.sheet.span
            self.unmet += ["compare"] if span and period.start > span[1] else []  # nothing of today's yet
        if period and versus and period.start <= versus.end and versus.start <= period.end:
            self.unmet.append("compare")  # no month is held against its year
        if period and versus and when.same_days:
            last = min(self.today, self.schema.sheet.span[1]) if self.schema.sheet.span else self.today
            period, versus = same_days(period, versus, last)
        return period, versus

    def _named_groups(self) -> None:
        """That what is ranked has a name: empty cells are no place of a ranking."""
        for group in self.groups:
            blank = not group.ref.sheet and not group.unit and self.schema.key(group.ref).blanks
            if blank and not any(each.ref == group.ref for each in self.conditions):
                self.note("filled_groups", field=group.ref.name)
                self.conditions.append(Condition(group.ref, "ne", None))

    def _limit(self, form: str, order: str) -> int:
        """How many are listed: the number said, one for "nào … nhất", else a few, which is then said."""
        parts = self.parts
        if parts.limit or form not in {"top", "rows"}:
            return parts.limit
        one = parts.extremes and parts.has("which", "which one", "who")  # "kênh nào dẫn đầu"
        several = parts.has("plural", "list", "bottom", "sorted", "running out")
        several = several or (parts.has("top") and not one)
        if form == "top" and self.conditions and parts.numbers and not parts.extremes:
            return MOST
        if form == "top":
            limit = TOP if several else 1
        else:
            limit = ROWS if several or not order else 1
            if not order and (self.conditions or parts.when.period):
                return MOST
        if several:
            self.note("limit", limit=limit)
        return limit


def unit_for(first: date, last: date) -> Unit:
    """The unit that shows the course of a period in a readable number of points."""
    days = (last - first) / timedelta(days=1)
    return "day" if days <= 45 else "week" if days <= 120 else "month" if days <= 1200 else "year"


# Follow-ups: a message that only changes the question before it.


_ASKING = ("seller", "slow seller", "sold", "bought", "how much", "aov", "left", "columns")
_MARKS = ("follow", "only", "correction", "again")
_BEYOND = (
    "share", "growth", "trend", "compare", "gap", "minus", "median", "aov", "left", "running out", "how much", "seller",
    "slow seller", "which one", "preceding", "following", "when", "distinct",
)  # fmt: skip
"""What a change to the question before does not hold: a message with it is for a model, or to be asked in full."""


def leans(parts: Parts) -> bool:
    """Whether a message says of itself that it goes on from the question before ("còn …", "chỉ …")."""
    return parts.corrects or bool(parts.kept) or parts.has(*_MARKS)


def change_turn(parts: Parts) -> Literal["asc", "desc", ""]:
    """Whether it is said of what is asked that it fell ("asc") or rose ("desc"); "" for neither and for both."""
    said = set(folded_words(parts.spoken.get("growth", ""))) if parts.has("growth") else set()
    falls, rises = (not said.isdisjoint(turn_words(each)) for each in ("falling", "rising"))
    if parts.when.versus and not said:
        falls, rises = parts.has("lt"), parts.has("gt")  # "which sold less than in May"
    return "" if falls == rises else "asc" if falls else "desc"


def change_order(parts: Parts) -> Literal["asc", "desc", ""]:
    """Which end of the changes is asked for: "tăng nhiều nhất" the greatest, "giảm mạnh nhất" the least; "" for none."""
    ends = {*parts.extremes, *(end for end, label in _SELLERS.items() if parts.has(label))}
    turn = change_turn(parts) if parts.has("growth") else ""
    if not turn or len(ends) != 1:
        return ""
    return turn if ends == {"max"} else "desc" if turn == "asc" else "asc"


def points_by_weekday(parts: Parts, before: DataQuery) -> bool:
    """Whether "thứ hai" could be the second of the groups shown before and no Monday."""
    return bool(before.groups) and any(each.unit == "weekday" for each in parts.conditions)


def is_followup(parts: Parts, before: DataQuery | None) -> bool:
    """Whether a message makes sense only after the question before it, or says so itself ("còn …?").

    One that names a figure, a dimension and an end of it ("thế món nào giá cao nhất") is whole, whatever it begins with.
    """
    if before is None or before.form == "schema":
        return False
    if _goes_on(parts, before):
        return True
    if parts.picks == "row" and not leans(parts):
        return False  # the end is said of the thing itself: "sản phẩm nào đắt nhất"
    if (parts.measures or parts.rows or parts.has(*_ASKING)) and not only_leaves_out(parts):
        seller = parts.has("seller", "slow seller")
        ends, figure = parts.extremes or parts.limit or seller, parts.measures or seller or parts.sized
        whole = (figure and parts.groups and ends) or parts.has("whole") or _asks_anew(parts, before)
        elliptic = _elliptic(parts, before) or names_figure_alone(parts, before) or _only_adds(parts)
        return (leans(parts) or elliptic) and not whole and parts.words <= 12
    turns = parts.extremes and _lists_or_picks(parts, before)
    changed = (
        turns, any(parts.kept), parts.per, parts.op == "avg" and before.form == "scalar", _adds_up(parts, before), parts.groups, parts.loose, parts.conditions, parts.numbers, parts.when.period, parts.when.versus, parts.limit,
        parts.order, parts.chart, parts.has("all"), parts.every, parts.added,
    )  # fmt: skip
    return any(changed)


def _lists_or_picks(parts: Parts, before: DataQuery) -> bool:
    """Whether groups were listed, or rows or groups were picked by an end and the other one is named."""
    other = {"desc": ["min"], "asc": ["max"]}.get(before.order) == parts.extremes
    return before.form == "groups" or (before.form in {"top", "rows"} and (before.limit == 1 or other))


def _only_adds(parts: Parts) -> bool:
    """Whether no more is said than what is to be counted in too: "lấy thêm đơn hoàn trả"."""
    other = parts.measures or any(each not in parts.added for each in parts.conditions)
    return bool(parts.added or parts.adds_days) and not other


def _adds_up(parts: Parts, before: DataQuery) -> bool:
    """Whether the total is asked for of what was broken down or ranked, and no end of it: "tổng cộng bao nhiêu?"."""
    other = parts.groups or parts.loose or parts.extremes or parts.limit or parts.pointer
    listed = before.form == "groups" or (before.form == "top" and (before.limit == 1 or parts.when.period))
    return parts.op == "sum" and bool(before.groups and listed) and not other


def _asks_anew(parts: Parts, before: DataQuery) -> bool:
    """Whether another figure of other days is asked for, after one of rows in a state ("đơn hủy tháng 11"): that state was of
    those rows.
    """
    states = before.conditions and all(each.ref.concept in STATES for each in before.conditions)
    other = bool(parts.measures) and not _same_figures(parts, before)
    return bool(states and other and parts.when.period and not parts.conditions and not parts.kept)


def _goes_on(parts: Parts, before: DataQuery) -> bool:
    """Whether what is asked has its meaning from the answer before alone, whatever else the message names."""
    again = asks_again(parts, before) or _moved_back(parts, before)
    ranked = before.form == "top" or (before.form == "rows" and bool(before.order))
    ranked = ranked or (before.form == "groups" and _ranks_things(before))
    again = again or (bool(parts.rank) and ranked and _same_groups(parts, before) and not parts.measures)
    days = parts.when.period or parts.when.versus
    named = parts.groups or parts.loose or parts.measures or parts.rows
    changed = (
        before.versus and parts.has("growth") and named and not (days or parts.has("trend") or parts.chart)
    )
    return bool(changed) or again or parts.pointer is not None or leaves_rest(parts)


def _same_groups(parts: Parts, before: DataQuery) -> bool:
    """Whether no other dimension is named than that of the question before."""
    return tuple(parts.groups or before.groups) == before.groups and not parts.loose


def _ranks_things(before: DataQuery) -> bool:
    """Whether things are listed by one figure, so that one has a place: "the second?"."""
    return len(before.groups) == len(before.measures) == 1 and not (before.groups[0].unit or before.growth)


def only_leaves_out(parts: Parts) -> bool:
    """Whether no more is said than what to leave out: "bỏ luôn đơn hoàn trả thì còn bao nhiêu"."""
    other = parts.measures or (parts.has("list", "which", "plural", "top") and not parts.has("left"))
    return _denies(parts) and not other


def _denies(parts: Parts) -> bool:
    """Whether all that is said of rows is what to leave out, and whose they are ("trừ đơn huỷ của Lazada")."""
    said = [each for each in parts.conditions if each.ref != parts.owner]
    return bool(said) and all(map(_leaves_out, said))


def _filters(parts: Parts) -> bool:
    """Whether rows are named by the state that they are to have: "nếu chỉ lấy đơn hoàn thành thì còn lại bao nhiêu"."""
    states = [each for each in parts.conditions if each.ref.concept in STATES]
    return bool(states) and not parts.measures and parts.has("only", "follow", "left", "not")


def leaves_rest(parts: Parts) -> bool:
    """Whether it is asked what is left without something, of nothing that is named: "không tính đơn hủy thì còn mấy đơn"."""
    return _denies(parts) and parts.has("left") and not (parts.when.period or parts.groups or parts.loose)


def names_figure_alone(parts: Parts, before: DataQuery) -> bool:
    """Whether a short message names a figure and nothing that it is of: "bao nhiêu đơn vậy?" is of what was asked before."""
    narrowed = before.period is not None or bool(before.conditions) or bool(before.groups)
    plain = before.form in {"scalar", "compare", "groups", "top", "rows"} and not before.gap
    return narrowed and plain and (is_bare(parts, before.conditions) or asks_stock_alone(parts))


def asks_share_alone(parts: Parts, before: DataQuery) -> bool:
    """Whether only the share of what was found is asked for: "chiếm bao nhiêu phần trăm?"."""
    counted = bool(parts.rows) and not parts.measures and _counts_rows(before.measures)
    same = not parts.conditions and (counted or _same_figures(parts, before))
    named = parts.groups or parts.loose or parts.numbers or _other_days(parts, before) or parts.extremes
    alone = parts.has("share") and (nothing_named(parts) or (same and not named))
    return bool(alone) and before.form in {"scalar", "top", "share"} and not before.versus


_ALSO = re.compile(r"[,;&+]|\b(?:va|voi|roi|and)\b")


def row_of(key: Condition, parts: Parts, schema: Schema) -> DataQuery:
    """All of the one row that a key names, what was asked for first, and the columns of joined sheets that were."""
    own = [ref for ref in schema.refs.values() if not (ref.sheet or ref.parts)]
    named = [*parts.groups, *parts.loose]
    asked = [each.ref for each in named if not each.ref.sheet]
    names = [Group(name) for ref in asked if (name := _name_of_code(ref, schema))]
    joined = tuple(dict.fromkeys([*(each for each in named if each.ref.sheet), *names]))
    first = next((each.ref for each in parts.measures if each.ref), next(iter([*asked, *own])))
    asked_of = DataQuery(schema.sheet.name, "rows", (Measure("max", first),), joined, (key,))
    figures = [each.ref for each in parts.measures if each.ref]
    columns = tuple(ref.name for ref in dict.fromkeys([*figures, *asked]))
    said = max(len(_ALSO.findall(parts.message)) + 1, len(says("asks").findall(parts.message)))
    # What is asked besides may be a column too.
    whole = said > len(columns) or parts.has("all", "columns", "list")
    return replace(asked_of, limit=1, entity=parts.rows, columns=() if whole else columns)


def _name_of_code(ref: Ref, schema: Schema) -> Ref | None:
    """The column of a joined sheet that names what a column of codes says: "Họ tên" for "Mã KH"; None for other columns."""
    alike = schema.by_concept.get(ref.concept, ()) if code_name(ref) else ()
    return next((each for each in alike if each.sheet and each.kind == "text" and not code_name(each)), None)


def asks_columns(parts: Parts, *, of_row: bool = False) -> bool:
    """Whether only columns are asked for, as of one row: "mua món gì và bên nào giao", "khách trả tiền kiểu gì"; with `of_row`
    they may be figures too ("ai đặt, hết bao nhiêu tiền").
    """
    counts = any(each.ref is None or each.distinct or each.ref.sheet for each in parts.measures)
    other = (
        parts.conditions or parts.numbers or parts.extremes or parts.limit or parts.when.period or parts.op
        or parts.when.versus or parts.chart or parts.per or parts.every or (counts if of_row else parts.measures)
    )  # fmt: skip
    beyond: tuple[str, ...] = ("share", "trend", "growth", "compare", "by", "list", "plural", "gap")
    beyond += () if of_row and (parts.measures or parts.has("how much")) else ("count", "how much")
    return bool(parts.groups or parts.loose) and not other and not parts.has(*beyond)


def asks_alone(parts: Parts) -> bool:
    """Whether only the figure of what was found is asked for: "how much exactly?"."""
    return nothing_named(parts) and parts.words <= _SHORT and parts.has("how much", "much", "count")


def asks_number(parts: Parts) -> bool:
    """Whether only the number of what was listed is asked for: "how many are there?", "có mấy kênh?"."""
    figures = [each for each in parts.measures if each.op != "count"]
    rest = replace(parts, rows="", op=None, measures=figures)
    return nothing_named(rest) and parts.has("count") and not parts.has("how much", "left")


def asks_total_alone(parts: Parts) -> bool:
    """Whether only what several make together is asked for: "cộng lại là bao nhiêu?"."""
    return parts.op == "sum" and nothing_named(replace(parts, op=None))


def asks_stock_alone(parts: Parts) -> bool:
    """Whether only what is left is asked for, of nothing that is named: "trong kho còn bao nhiêu cái"."""
    stock = is_bare(parts) and all(each.ref and each.ref.concept == "stock" for each in parts.measures)
    alone = (nothing_named(parts) and parts.has("left")) or (stock and bool(parts.measures))
    return alone and not parts.has("sum", "all", "whole")


def is_bare(parts: Parts, held: tuple[Condition, ...] = ()) -> bool:
    """Whether no more than a figure is named, in few words, or the state of rows that `held` says too: "bao nhiêu đơn hoàn trả vậy?"."""
    said = [(each.ref, each.op, each.value) for each in held if each.ref.concept in STATES]
    again = [each for each in parts.conditions if (each.ref, each.op, each.value) in said]
    of = len(again) < len(parts.conditions) or parts.numbers or parts.groups or parts.loose
    dated = parts.when.period or parts.when.versus
    shaped = parts.extremes or parts.limit or parts.per or parts.chart
    shaped = shaped or parts.has("all", "whole", "trend", "growth", "share")
    most = _FEW + 2 * sum(len(each.said.split()) for each in again)
    return bool((parts.measures or parts.rows) and not (of or dated or shaped) and parts.words <= most)


def _counts_rows(measures: Sequence[Measure]) -> bool:
    """Whether nothing but rows is counted."""
    return bool(measures) and all(each.op == "count" and not each.ref for each in measures)


def _same_figures(parts: Parts, before: DataQuery) -> bool:
    """Whether the figures that are named are those of the question before."""
    now, then = ([(each.op, each.ref) for each in one.measures] for one in (parts, before))
    return now == then


def _other_days(parts: Parts, before: DataQuery) -> bool:
    """Whether other days are named than those of the question before."""
    named, days = parts.when.period, before.period
    return named is not None and (days is None or (named.start, named.end) != (days.start, days.end))


def asks_again(parts: Parts, before: DataQuery) -> bool:
    """Whether the change or difference is asked for that a comparison told: "tăng hay giảm, mấy phần trăm"."""
    rest = replace(parts, measures=[]) if _same_figures(parts, before) else parts
    shared = before.form == "share" and parts.has("share") and nothing_named(parts)
    shared = shared or (parts.has("share") and _share_of(parts, before) is not None)
    changed = bool(before.versus) and parts.has("growth", "gap", "share", "compare")
    return shared or (changed and nothing_named(rest))


def _moved_back(parts: Parts, before: DataQuery) -> bool:
    """Whether the period before that of the last answer is asked for: "tháng trước đó", "the week before that"."""
    units = [each.unit for each in parts.loose]
    whole = before.period is not None and all(unit and is_whole(before.period, unit) for unit in units)
    moved = parts.has("preceding", "following")
    return moved and whole and parts.when.period is None and not before.versus


def _elliptic(parts: Parts, before: DataQuery) -> bool:
    """Whether only an amount of money is asked for ("Viettel Post thì hết bao nhiêu") after one that has a name."""
    named = bool(parts.measures or parts.rows or parts.groups or parts.loose)
    named = named or not (parts.conditions or parts.when.period)
    money = before.measures and all(each.ref and each.ref.kind == "money" for each in before.measures)
    beyond = parts.has("seller", "slow seller", "aov", "left", "columns", "count")
    beyond = beyond and not parts.has("how much")
    people = parts.has("people") and not parts.rows and [each.op for each in before.measures] == ["count"]
    full = bool(parts.conditions) and parts.when.period is not None and parts.words > _FEW
    return bool((parts.has("how much") and money and not named and not beyond and not full) or people)


def refine_query(parts: Parts, before: DataQuery, alone: BuiltQuery) -> BuiltQuery:
    """The question before with another figure, dimension, period, condition, length, order or chart.

    `alone` is what the words make by themselves. Whatever else they say is `unmet`.
    """
    parts, before = _held_against_shown(_weekday_after_day(parts, before), before)
    parts, before = _counted_in(parts, before)
    when = parts.when
    if before.versus and when.period and not when.versus and parts.extremes and (parts.groups or parts.loose):
        before = replace(figure_alone(before), versus=None)  # "tuần đó ngày nào cao nhất" of one of the two
    named = parts.measures or parts.rows or parts.groups or parts.extremes
    if before.form == "rows" and parts.conditions and parts.has("count") and not named:
        # "how many are gold" of those that were listed
        before = replace(figure_alone(before), measures=(Measure("count", noun=before.entity),))
    change = _Change(parts, before)
    shared = _share_of(parts, before) if parts.has("share") else None
    if shared is not None:
        change.dates()
        change.query = shared
    elif not asks_again(parts, before):
        change.figures(alone)
        change.groups()
        change.dates()
        held = [each.ref for each in change.query.conditions if not _leaves_out(each)]
        change.unmet += ["not"] if parts.owner and parts.owner not in held else []
        change.query = of_every(parts, _narrowed(parts, change.query))
        change.ranking()
        change.leftovers()
        change.query = _spread(parts, change.query)
    change.unmet += [each for each in alone.unmet if each == "mua/bán"]
    means = any(each.op == "avg" for each in change.query.measures)
    notes = [note for note in parts.notes if note.key != "measure" and (means or note.key != "averaged")]
    query, also = of_that_year(parts, before, change.query)
    unmet = tuple(change.unmet)
    return BuiltQuery(query, notes, parts.question, parts.options, parts.pending, unmet, also)


def _weekday_after_day(parts: Parts, before: DataQuery) -> Parts:
    """A day of the week after a figure of one day is the last such day up to it: "còn thứ bảy?" after that of a Sunday."""
    named = [each for each in parts.conditions if each.unit == "weekday" and len(each.value) == 1]
    day = before.period
    if len(named) != 1 or day is None or day.start != day.end or before.groups or parts.when.period:
        return parts
    found = day.start - timedelta((day.start.isoweekday() - named[0].value[0]) % 7)
    rest = [each for each in parts.conditions if each is not named[0]]
    return replace(parts, conditions=rest, when=replace(parts.when, period=Period(found, found)))


def of_that_year(parts: Parts, before: DataQuery, query: DataQuery) -> tuple[DataQuery, DataQuery | None]:
    """Another year after a month or quarter: all of it, or the same part of it; a correction means the same part first, and
    days that are pointed at ("ngày đó năm ngoái") that part alone.
    """
    year, days = query.period, before.period
    moved = parts.when.period is not None and year is not None and days is not None and not query.versus
    if not moved or year is None or days is None or not is_whole(year, "year") or is_whole(days, "year"):
        return query, None
    pointed = [unit for unit in parts.kept if unit in _CALENDAR and is_whole(days, unit)]
    known = any(is_whole(days, unit) for unit in (*pointed, "month", "quarter"))
    if not known or (days.start.year == year.start.year and not pointed):
        return query, None
    years = year.start.year - days.start.year
    end = add(days.end + timedelta(1), years, "year") - timedelta(1)
    part = replace(query, period=Period(add(days.start, years, "year"), end))
    if pointed:
        return part, None
    return (part, query) if parts.corrects or parts.has("correction") else (query, part)


def _held_against_shown(parts: Parts, before: DataQuery) -> tuple[Parts, DataQuery]:
    """ "Hơn TikTok Shop bao nhiêu?" after a figure of Shopee: both values, whose difference is asked for."""
    one = parts.conditions[0] if len(parts.conditions) == 1 else None
    shown = next((each for each in before.conditions if one is not None and each.ref == one.ref), None)
    more = parts.has("gap") or (parts.has("compare", "gt", "lt") and not parts.numbers)
    if one is None or not more or parts.when.versus or before.groups:
        return parts, before
    rest = replace(parts, conditions=[], groups=[each for each in parts.groups if each.ref != one.ref])
    if one.op == "in" and len(one.value) == 2 and "," in one.said and parts.has("gap", "gt", "lt"):
        kept = tuple(each for each in before.conditions if each.ref != one.ref)
        return rest, replace(before, conditions=(*kept, one), gap=(one,), versus=None)
    first = values_of(shown)[0] if shown is not None and one.op == "eq" else one.value
    op = shown.op if shown is not None else ""
    if op not in {"eq", "in"} or first == one.value or (op == "in" and not before.gap):
        return parts, before
    two = Condition(one.ref, "in", [first, one.value], f"{first}, {one.value}")
    held = tuple(two if each is shown else each for each in before.conditions)
    return rest, replace(before, conditions=held, gap=(two,), versus=None)


def takes_in(parts: Parts, before: DataQuery | None) -> BuiltQuery | None:
    """The figure before, and beside it the one with or without the rows that it is asked to take in: "đã gồm đơn hủy chưa?"."""
    named = parts.measures or parts.conditions or parts.when.period or parts.groups or parts.unread
    if before is None or named or not (parts.added and parts.has("takes in")):
        return None
    _, other = _counted_in(parts, before)
    out = [_of_values(each, "nin", values_of(each)) for each in parts.added]
    other = replace(before, conditions=(*before.conditions, *out)) if other == before else other
    return BuiltQuery(before, also=other)


def _counted_in(parts: Parts, before: DataQuery) -> tuple[Parts, DataQuery]:
    """What is to be counted in too: beside the values asked for before, no longer left out, or of all that there are."""
    for one in parts.added:
        held = next((each for each in (*before.part, *before.conditions) if each.ref == one.ref), None)
        alone = held is not None and parts.has("keeps these") and not _leaves_out(held)  # "giữ lại Shopee"
        if held is None or alone or held.op not in {"eq", "in", "ne", "nin"}:
            continue
        old, new = values_of(held), values_of(one)
        rest = [each for each in parts.conditions if each.ref != one.ref]
        if _leaves_out(held):
            more = (values_of(each) for each in parts.conditions if each.ref == one.ref and _leaves_out(each))
            left = list(dict.fromkeys(each for some in (old, *more) for each in some if each not in new))
            out = [_of_values(held, "nin", left)] if left else []
        else:
            values = [*old, *(each for each in new if each not in old)]
            out = [_of_values(held, "in", values)] if values != old else []
        parts = replace(parts, conditions=[*rest, *out])
        kept = (out if each is held else [each] for each in before.conditions)
        before = replace(before, conditions=tuple(each for some in kept for each in some))
    return parts, before


def _of_values(held: Condition, op: Literal["in", "nin"], values: list[Any]) -> Condition:
    """`held` on these values, or on the only one."""
    if len(values) > 1:
        return replace(held, op=op, value=values, said=", ".join(map(str, values)))
    return replace(held, op="eq" if op == "in" else "ne", value=values[0], said=str(values[0]))


def of_any_state(parts: Parts, before: DataQuery) -> DataQuery:
    """Of rows in a state whose total is asked for ("bên đó giao tổng cộng bao nhiêu đơn"), or what sold best, which none of a lost
    state did: the rows in any state.
    """
    states = [each for each in before.conditions if each.ref.concept in STATES]
    named = any(each.ref.concept in STATES for each in parts.conditions)
    total = parts.op == "sum" or parts.has("sum", "all")
    counted = bool(parts.rows) and not (parts.has("share") or any(each.ref for each in parts.measures))
    counted = counted and (parts.pointer is not None or _counts_rows(before.measures))
    traded = parts.has("seller", "slow seller", "aov", "sold") or (parts.has("bought") and parts.extremes)
    if not states or named or not (traded or (total and counted and before.form in {"scalar", "top"})):
        return before
    return replace(before, conditions=tuple(each for each in before.conditions if each not in states))


class _Change:
    """The question before while a message changes it; `unmet` is what the message says beside."""

    def __init__(self, parts: Parts, before: DataQuery) -> None:
        self.parts, self.before, self.query = parts, before, before
        self.unmet: list[str] = []
        self.against = parts.when.versus if parts.when.versus_only and not parts.when.same_days else None

    def set(self, **changed: Any) -> None:
        """Change fields of the query."""
        self.query = replace(self.query, **changed)

    def figures(self, alone: BuiltQuery) -> None:
        """Another figure in the place of the one before."""
        parts, made = self.parts, alone.query
        asked: tuple[str, ...] = ("how much", "left", *(() if parts.groups else ("sold", "bought")))
        asked += ("count",) if made is not None and alone.question is None else ()
        two = parts.pointer is not None and parts.pointer.both and parts.has("gap", "gt", "lt")
        pointed = parts.pointer is not None or any(parts.kept)
        told = pointed and parts.has(*asked) and not (two or _filters(parts))
        many = parts.has("count", "much") or (parts.many and not parts.measures)
        counted = parts.rows and many and not (only_leaves_out(parts) or _filters(parts) or _only_adds(parts))
        if _adds_up(parts, self.before):
            self.query = figure_alone(self.query)
        other = parts.groups or parts.extremes or parts.pointer or parts.rank
        whole = parts.when.period and many and not other
        if whole and self.query.form == "top" and self.query.limit == 1 and (parts.measures or counted):
            self.query = figure_alone(self.query)  # "còn thứ bảy mấy đơn?" ranks nothing
        sums = all(each.op in _ADDS for each in self.query.measures)
        rows = parts.adjectives and self.query.form == "rows"  # "mẫu nào giá cao nhất"
        named = parts.measures or counted or parts.per or rows
        if not named and ((parts.op == "sum" and sums) or not (parts.op or told)):
            return
        ops = {"sum", "avg", "count"} if parts.per else {"sum"}
        plain = [each for each in self.query.measures if each.op in ops and not (each.over or each.median)]
        means = bool(self.query.measures) and all(each.op == "avg" for each in self.query.measures)
        if (parts.per_row or parts.op == "avg") and means and not (parts.measures or parts.per):
            return  # "SPX thì mỗi đơn bao nhiêu", "riêng Website thì trung bình bao nhiêu"
        averages = (parts.op == "avg" or parts.per_row or parts.per) and not parts.measures
        listed = parts.per_row and self.query.form in {"groups", "top"}
        averages = averages and (self.query.form == "scalar" or listed)
        if averages and plain and len(plain) == len(self.query.measures):
            if parts.per:
                added = tuple(replace(each, op="sum" if each.op == "avg" else each.op) for each in plain)
                self.set(form="per", per=tuple(parts.per), measures=added)
            else:
                self.set(measures=tuple(replace(each, op="avg") for each in plain))
            return
        if asks_alone(parts):
            return
        if made is None or alone.question is not None or made.per or not made.measures:
            self.unmet.append(parts.op or "figure")
            return
        kept = self.query.form if self.query.form in {"scalar", "groups", "top", "compare"} else "groups"
        alone_form = "compare" if self.query.versus else "scalar"
        new, worth = (
            made.measures[0].ref,
            [one.ref for one in self.query.measures if one.ref and one.ref.sign == "*"],
        )
        if worth and new and new.concept in {"price", "cost"} and parts.has("by"):
            made = replace(made, measures=(Measure("sum", made_of(worth[-1].parts[0], "*", new)),))
        form = kept if self.query.groups else "rows" if rows else alone_form
        self.set(measures=made.measures, form=form, seller=made.seller)

    def groups(self) -> None:
        """Another dimension; of it no single value is kept."""
        back = _moved_back(self.parts, self.before)
        other = self.parts.measures or self.parts.has("seller", "slow seller")
        again = {each.ref for each in self.parts.conditions} & {each.ref for each in self.query.part}
        many = self.parts.many or (again and not self.parts.has("share"))
        if many and self.query.part and self.parts.extremes and not other:
            # "kênh nào dính nhiều nhất", "which has the most returns": of the part
            self.set(part=(), conditions=(*self.query.part, *self.query.conditions))
        if self.query.worked and self.parts.has("all") and self.parts.has("share"):
            self.query = figure_alone(self.query)  # "tỷ lệ chung của tất cả các kênh"
        elif groups := tuple(self.parts.groups or (() if back else self.parts.loose)):
            kept = (each for each in self.query.conditions if each.ref != groups[0].ref or each.op != "eq")
            if groups == self.query.per:  # "ngày nào cao nhất?" after the mean of a day
                sums = tuple(replace(each, op="sum" if each.ref else "count") for each in self.query.measures)
                self.set(per=(), measures=sums)
            ranked = self.query.form == "top" and not groups[0].unit
            form, limit = ("top", self.query.limit) if ranked else (self.query.worked or "groups", 0)
            form = "compare" if self.query.versus and not groups[0].unit else form
            self.set(groups=groups, conditions=tuple(kept), growth=False, form=form, limit=limit, gap=())

    def dates(self) -> None:
        """Another period, or one to compare with; a unit that is pointed at must be the period before."""
        rise = self.parts.has("growth") and self.parts.when.versus
        if rise and all(each.unit in _COURSE for each in self.query.groups):
            self.query = figure_alone(self.query)  # "tháng 3 có lên lại không?" after the months of a year
        parts, query = self.parts, self.query
        of_year = "week" in parts.kept and parts.when.period is not None  # "tuần đó năm ngoái"
        self.unmet += [] if points_at_days(parts, query) and not of_year else ["…"]
        if _moved_back(parts, self.before) and query.period is not None:
            there = (preceding if parts.has("preceding") else following)(query.period)
            if parts.has("compare", "growth", "gap", "gt", "lt"):  # "so với tuần trước đó nữa"
                self.against = there
            else:
                self.set(period=there)
                return
        of_two = query.form == "share" and not query.part
        if parts.when.versus_only and parts.when.same_days and query.period and not query.versus:
            days, told = query.period, parts.when.versus
            held = (each for each in _LENGTHS if told and is_whole(told, each) and not parts.when.same_year)
            unit: Any = next(held, "year")
            earlier = Period(add(days.start, -1, unit), add(days.end + timedelta(1), -1, unit) - timedelta(1))
            groups = tuple(each for each in query.groups if each.unit not in _COURSE)
            compared = {"versus": earlier, "form": "compare", "groups": groups, "growth": False}
            self.set(**({"period": earlier} if of_two else compared))
            return
        if parts.when.period and (parts.when.versus or (query.versus and (parts.measures or parts.rows))):
            # Both periods are named anew, or a whole question follows a comparison.
            form = "compare" if parts.when.versus else "groups" if query.groups else "scalar"
            self.set(period=parts.when.period, versus=parts.when.versus, form=form)
            self.unmet += ["±"] if parts.when.versus and query.groups else []
            return
        if self.against and query.period and self.against != query.period:
            self.unmet += ["compare"] if of_two else []
            groups = tuple(each for each in query.groups if each.unit not in _COURSE)
            self.set(versus=self.against, form="compare", groups=groups, growth=False)
            return
        if parts.adds_days and query.period and parts.when.period:
            first, last = sorted((query.period, parts.when.period), key=lambda each: each.start)
            apart = query.versus or parts.when.versus or (last.start - first.end).days > 1
            self.unmet += ["add"] if apart else []  # no call counts two periods that do not meet
            self.set(period=Period(first.start, max(first.end, last.end)))
            return
        other = parts.conditions or parts.groups or parts.loose or parts.limit or parts.kept or parts.pointer
        if query.versus and parts.conditions and parts.when.period == query.period:
            return  # "còn Lazada tháng 10?" after October against September
        if parts.when.period or parts.when.versus or (parts.has("all") and not other):
            self.unmet += ["±"] if query.versus or parts.when.versus else []
            self.set(period=parts.when.period, date_ref=query.date_ref or parts.when.date_ref)

    def ranking(self) -> None:
        """Another length, end or order."""
        parts = self.parts
        if parts.limit:
            form = "top" if self.query.groups else self.query.form
            self.set(limit=parts.limit, form=form, order=self.query.order or "desc")
            self.unmet += [] if form in {"top", "rows"} else ["top"]
        if parts.rank and self.query.form == "groups" and _ranks_things(self.query):
            self.set(form="top", order="asc" if "min" in parts.extremes else "desc")
        worked = bool(self.query.groups and self.query.form in {"share", "per"})
        ranked = (worked or self.query.form == "top") and _same_groups(parts, self.before)
        if parts.rank and (ranked or self.query.form == "rows") and not parts.measures:
            turned = parts.extremes[:1] == ["max" if self.query.order == "asc" else "min"]
            self.unmet += ["max/min"] if turned else []
            if self.query.form == "rows":
                self.set(limit=parts.rank)  # "đơn lớn thứ hai": beside the first
            else:
                self.set(rank=parts.rank, limit=1)  # "đứng thứ nhì?"
            return
        told = self.query.form == "compare" and self.query.groups and change_order(parts)
        if told:
            self.set(order=told)  # "kênh nào tăng nhiều nhất" after a comparison
        elif parts.extremes:
            turned = worked or _lists_or_picks(parts, self.before)
            refs = [each.ref for each in self.query.measures]
            listed = parts.rows and parts.has("which") and not self.query.groups and len(refs) == 1
            if listed and refs[0] is not None and self.query.form == "scalar":
                self.set(form="rows", measures=(Measure("max", refs[0]),), entity=parts.rows)
            named = turned or len(parts.groups or parts.loose) == 1 or self.query.form == "rows"
            other = parts.measures
            if len(set(parts.extremes)) > 1 or not named or other or self.query.versus:
                self.unmet.append("max/min")
            else:
                form = self.query.form if worked or self.query.form == "rows" else "top"
                order = "desc" if parts.extremes[0] == "max" else "asc"
                same = (
                    self.before.limit
                    if self.query.groups == self.before.groups and not parts.has("which")
                    else 1
                )
                limit = parts.limit or (0 if worked else max(1, same))
                self.set(form=form, order=order, limit=limit, count_groups=False)
        if parts.order:
            self.set(order=parts.order)
            self.unmet += [] if self.query.form in {"top", "rows", "groups"} else [parts.order]

    def leftovers(self) -> None:
        """Draw the chart that is asked for, and say what the changed question cannot hold."""
        parts, before = self.parts, self.before
        self.unmet += ["latest"] if self.query == before and parts.has(*ENDS_IN_TIME) else []
        if self.query.count_groups and parts.has("which", "list"):
            self.set(count_groups=False)  # "là những ngày nào?" of those that were counted
        if parts.chart:
            one = self.query.form == "top" and self.query.limit == 1  # of one row nothing can be drawn
            self.set(chart=parts.chart, **({"form": "groups", "limit": 0, "order": ""} if one else {}))
        money = all(each.ref and each.ref.kind == "money" for each in self.query.measures)
        held = {"compare"} if self.against or self.query.versus else set()
        held |= {"how much"} if money else set()
        shared = self.query.form == "share" and self.query != before and not parts.has("gap", "gt", "lt")
        held |= {"share"} if shared else set()
        two = parts.pointer is not None and parts.pointer.both
        held |= {"which one"} if parts.groups or two else set()
        held |= {"preceding", "following"} if _moved_back(parts, before) else set()
        stock = any(each.ref is not None and each.ref.concept == "stock" for each in self.query.measures)
        counts = not any(each.ref for each in self.query.measures)
        stocked = stock or counts or any(map(_leaves_out, parts.conditions)) or _filters(parts)
        held |= {"left", "minus"} if stocked else set()
        goods = any(each.ref.concept in GOODS for each in self.query.conditions)
        held |= {"left"} if parts.numbers else set()  # "trên 2 triệu thì còn mấy đơn"
        pieces = goods and self.query.measures != before.measures and parts.pointer
        held |= {"seller", "slow seller"} if pieces else set()
        held |= {"compare", "gap", "growth", "share"} if self.query.gap or self.query.versus else set()
        several = [each.ref for each in parts.conditions if each.op == "in"]
        held |= {"compare"} if any(group.ref in several for group in self.query.groups) else set()
        names = {word for made in before.measures if made.ref for word in folded_words(made.ref.name)}
        # "giảm" of "Giảm giá"
        held |= {label for label in _BEYOND if fold(parts.spoken.get(label, "")) in names}
        self.unmet += [label for label in _BEYOND if parts.has(label) and label not in held]
        placed = self.query.limit if self.query.form == "rows" else self.query.rank
        self.unmet += [f"rank {parts.rank}"] if parts.rank and placed != parts.rank else []
        # "its price right now" is of no day that was asked about before
        self.unmet += ["now"] if parts.has("now") and self.query.period and not parts.when.period else []
        moved = before.gap and not parts.pointer and self.query.gap != before.gap
        placed_one = before.rank and not parts.rank
        both = before.per and self.query.per
        special = (before.growth, placed_one, before.part, before.within, both, moved)
        # Other days or rows leave what is worked out as it was.
        same = replace(self.query, chart=before.chart, part=before.part, conditions=before.conditions)
        same = replace(same, period=before.period, date_ref=before.date_ref)
        own = parts.has("count") and (parts.rows or parts.has("people"))  # "có bao nhiêu người hạng Vàng"
        if self.query.worked and self.query.worked == before.worked and not own:  # what is worked out is kept
            same = replace(same, form=before.form, groups=before.groups, order=before.order)
            same = replace(same, versus=before.versus, rank=before.rank, limit=before.limit)
        changed = same != before
        self.unmet += ["…"] if (any(special) and changed) or points_by_weekday(parts, before) else []
        self.unmet += _foreign(self.query.measures)
        each = {group.ref for group in self.query.groups if not group.unit}
        self.unmet += ["figure" for made in self.query.measures if made.distinct and made.ref in each]


def in_context(query: DataQuery, before: DataQuery, schema: Schema, *, chosen: bool = False) -> DataQuery:
    """A whole question, of the days and rows that the one before was of, as far as it names none itself.

    `chosen` says that it is asked of the things that were shown. What it breaks down by, lists or works out is not limited to what the question before was limited to.
    """
    given = (*query.conditions, *query.part, *query.gap, *query.having)
    named = [each.ref for each in given]
    asked = [each.ref for each in (*query.groups, *query.per)]
    asked += [each.ref for each in query.measures if each.ref is not None and not each.distinct]
    about = {each.ref.concept for each in query.groups if each.ref.concept}
    about |= {schema.row_concept} if query.form == "rows" else set()
    part = before.part if _counts_rows(query.measures) else ()

    def kept(each: Condition) -> bool:
        """Whether a condition of the question before holds still."""
        bounds = _leaves_out(each) or each.op not in {"eq", "in"}
        own = chosen and each.op == "in" and each not in query.conditions
        if own or (bounds and each.ref not in named):
            return True
        key = query.form == "rows" and schema.key(each.ref).distinct == schema.sheet.rows
        other = not chosen and _other_goods(each, query.conditions)
        return not (other or key or each.ref in (*asked, *named) or each.ref.concept in about)

    out = {each.ref: each for each in before.conditions if _leaves_out(each)}
    both = [each for each in query.conditions if _leaves_out(each) and each.ref in out]
    own = [_both_out(out[each.ref], each) if each in both else each for each in query.conditions]
    found = replace(query, conditions=(*filter(kept, (*before.conditions, *part)), *own))
    if query.period is not None or query.versus is not None or before.period is None:
        return found
    if _seeks_day(query, before.period):
        return found
    found = replace(found, period=before.period, date_ref=before.date_ref)
    compared = before.versus is not None and query.form == "scalar" and not query.gap
    return replace(found, form="compare", versus=before.versus) if compared else found


def _share_of(parts: Parts, before: DataQuery) -> DataQuery | None:
    """What part of the answer before one of its groups is, or what part its last condition makes of all; None for else."""
    said = [(each.ref, each.value) for each in parts.conditions]
    of_list = bool(said) and [each.ref for each in before.groups] == [ref for ref, _ in said]
    scalar = before.form == "scalar" or (before.form == "share" and bool(before.part))
    plain = scalar or before.form == "groups" or (before.form == "top" and of_list)
    plain = plain and len(before.measures) == 1 and not (before.versus or before.gap)
    other = parts.numbers or parts.extremes or parts.limit or parts.groups or parts.when.versus
    if plain and before.form == "scalar" and len(parts.measures) == 1 and not (other or parts.conditions):
        one, two = before.measures[0], parts.measures[0]
        sums = one.op == two.op == "sum" and one.ref != two.ref and not _other_days(parts, before)
        if sums and (parts.kept or parts.pointer):  # "số đó bằng mấy phần trăm doanh thu"
            return replace(before, form="share", measures=(one, two))
    if not plain or other or _other_days(parts, before):
        return None
    found = (_rest_of_share(parts, before) or _part_and_whole(parts, before)) if scalar else None
    if found is not None:
        part, whole = found
        return replace(before, form="share", part=tuple(part), conditions=tuple(whole))
    pointed = parts.kept or parts.pointer or (of_list and parts.when.period is None)
    if of_list and pointed and not parts.loose:
        return replace(figure_alone(before), form="share", part=tuple(parts.conditions))
    return None


def _rest_of_share(parts: Parts, before: DataQuery) -> tuple[list[Condition], list[Condition]] | None:
    """What is left beside the part of a share: "còn lại chiếm bao nhiêu"."""
    one = before.part[0] if len(before.part) == 1 and parts.has("left") and not parts.conditions else None
    if one is None or one.op not in {"eq", "in"} or any(group.ref != one.ref for group in parts.loose):
        return None
    return [replace(one, op="ne" if one.op == "eq" else "nin")], list(before.conditions)


def _part_and_whole(parts: Parts, before: DataQuery) -> tuple[list[Condition], list[Condition]] | None:
    """What makes the part and the whole of a share of one figure: what is named of the whole bounds it, all else that was bound
    makes the part; a value that is named as a part is one of the rows before.
    """
    held, said = [*before.part, *before.conditions], parts.conditions
    same = _same_figures(parts, before) if parts.measures else not parts.rows or _counts_rows(before.measures)
    if not same or any(each.ref.sheet for each in said) or parts.loose or parts.has("left"):
        return None
    again = [each for each in held if any((each.ref, each.value) == (one.ref, one.value) for one in said)]
    rest = [each for each in held if each not in again]
    if len(again) < len(said):
        among = before.form == "scalar" or parts.kept == [""]
        new = len(said) == 1 and not parts.of_whole and among
        return (list(said), [each for each in held if each.ref != said[0].ref]) if new else None
    if said:
        return (rest, again) if parts.of_whole and rest else (again, rest)
    if not held or not (parts.kept or parts.pointer):
        return None
    if parts.has("sum", "all", "whole"):
        return held, []
    whole = [each for each in held if parts.pointer and parts.pointer.ref and each.ref == parts.pointer.ref]
    part = [each for each in held if each not in whole] if whole else held[-1:]
    return part or held, [each for each in held if each not in part] if part else []


def of_every(parts: Parts, query: DataQuery) -> DataQuery:
    """Without the conditions and days of which any are meant: "mọi hạng, mọi năm"."""
    refs = {each.ref for each in parts.every if not each.unit}
    timed = any(each.unit for each in parts.every) and not parts.when.period
    kept = tuple(each for each in query.conditions if each.ref not in refs)
    return replace(query, conditions=kept, period=None if timed else query.period)


def bounds_shown(condition: Condition, groups: Sequence[Group], measures: Sequence[Measure]) -> bool:
    """Whether a comparison is one with the figure shown of each group ("kênh nào trên 100 triệu"), not with that of each row."""
    return bool(groups) and any(figure_bounded(each, condition) for each in measures)


def _narrowed(parts: Parts, query: DataQuery) -> DataQuery:
    """With the conditions named now in place of those on the same columns; what is left out stays so, and more with it."""
    having = [
        each for each, rows in parts.numbers if not rows and bounds_shown(each, query.groups, query.measures)
    ]
    if having:
        query = replace(
            query, having=tuple(having), limit=0, form="groups" if query.form == "top" else query.form
        )
    new = [*parts.conditions, *(each for each, _ in parts.numbers if each not in having)]
    named = {each.ref for each in new}
    if query.part and named == {each.ref for each in query.part}:
        return replace(query, part=tuple(new))  # "còn ví điện tử" of a share
    for each in query.conditions:
        at = next((at for at, one in enumerate(new) if one.ref == each.ref and _leaves_out(one)), None)
        rest = [] if at is None else [value for value in values_of(each) if value not in values_of(new[at])]
        if at is not None and each.op == "in" and rest and len(rest) < len(each.value):
            new[at] = _of_values(each, "in", rest)  # "bỏ Lazada ra" of Shopee and Lazada
        elif at is not None and _leaves_out(each):
            if parts.corrects or parts.has("only", "correction", "not this"):
                continue  # "chỉ loại đơn hủy ra thôi", "trừ Lazada chứ không phải Shopee"
            new[at] = _both_out(each, new[at])
    kept = [each for each in query.conditions if each.ref not in named]
    if not (parts.kept or parts.pointer):
        kept = [each for each in kept if not _other_goods(each, new)]
    found = replace(query, conditions=(*kept, *new))
    one = found.groups[0].ref if found.form == "top" and len(found.groups) == 1 else None
    if not any(each.ref == one and each.op == "eq" and each.value is not None for each in new):
        return found  # of one thing: its figure
    return replace(found, form="scalar", groups=(), order="", limit=0, seller=False)


def _other_goods(held: Condition, new: Iterable[Condition]) -> bool:
    """Whether other goods are named than those that were asked about: a group after a product, a product after a group."""
    kind, names = {"category", "brand"}, {"product", "crop", "book"}
    other = kind if held.ref.concept in names else names if held.ref.concept in kind else set()
    told = held.op in {"eq", "in"} and held.value is not None
    return told and any(each.ref.concept in other and each.op in {"eq", "in"} for each in new)


_CALENDAR = frozenset({"day", "month", "quarter"})
"""The parts of a year that every year has."""
_ADDS = frozenset({"sum", "count"})
_LENGTHS = ("day", "week", "month", "quarter", "year")
# In which days a course is drawn where those of the question before are one unit of it.
_SPANS: Mapping[str, Any] = {"day": "month", "week": "month", "month": "year", "quarter": "year"}


def _seeks_day(query: DataQuery, days: Period) -> bool:
    """Whether the last or first day that there is is asked for after a question of one day, which has no other."""
    ends = (each.ref for each in query.measures if each.op in {"max", "min"} and each.ref is not None)
    kinds = TEMPORAL if query.groups else {"date"}  # of a day with its hours there is a last one
    return days.start == days.end and any(ref.kind in kinds for ref in ends)


def _spread(parts: Parts, query: DataQuery) -> DataQuery:
    """By month after one month would be one row: the months of its year are meant; the last day of one day is that of all."""
    days = query.period
    if days is not None and parts.when.period is None and _seeks_day(query, days):
        return replace(query, period=None, versus=None)
    unit: Any = next((each.unit for each in (*parts.groups, *parts.loose) if each.unit in _SPANS), "")
    if not unit or days is None or parts.when.period is not None or query.form not in {"groups", "top"}:
        return query
    if whole(days.start, unit)[1] < days.end:
        return query
    return replace(query, period=Period(*whole(days.start, _SPANS[unit])), versus=None)


def _foreign(measures: Iterable[Measure]) -> list[str]:
    """The figures of another sheet: its rows stand beside many of this one, and adding them up would count them again."""
    return [each.ref.name for each in measures if each.ref and each.ref.sheet and not each.distinct]


def _both_out(held: Condition, new: Condition) -> Condition:
    """What was left out with what is left out now."""
    return _of_values(new, "nin", list(dict.fromkeys([*values_of(held), *values_of(new)])))


def _leaves_out(condition: Condition) -> bool:
    return condition.op in {"ne", "nin"} and condition.value is not None and not condition.unit
