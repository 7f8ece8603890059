"""Which figure is meant where the words name none: the first rule that fits decides and says so; else it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from troly_analysis.planner.reader import Parts
from troly_analysis.planner.schema import Schema
from troly_analysis.planner.types import Condition, Form, Group, Measure, Note, Ref, averaged
from troly_analysis.types import NUMERIC

GOODS = frozenset({"product", "crop", "book", "category", "brand", "size", "color"})
_STATES = frozenset({"status", "reason", "gender", "priority"})


@dataclass(slots=True)
class FigureSearch:
    """A question without a figure: its words, rows and form; `notes` say what was assumed, `ask` that it is to be asked."""

    parts: Parts
    schema: Schema
    form: Form
    order: str
    groups: list[Group]
    conditions: list[Condition]
    having: list[Condition]
    once: bool
    """Whether each group stands in one row, so that counting rows says nothing."""
    notes: list[Note] = field(default_factory=list)
    ask: bool = False

    @property
    def goods(self) -> bool:
        """Whether goods are asked for, which are counted in pieces."""
        refs = [*(group.ref for group in self.groups), *(each.ref for each in self.conditions)]
        return any(ref.concept in GOODS for ref in refs)

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
        self.notes.append(Note(key, {"field": ref.name}))
        return Measure("avg" if op == "sum" and averaged(ref) else op, ref)

    def count(self, key: str = "") -> Measure:
        """The number of rows."""
        if key:
            self.notes.append(Note(key))
        return Measure("count", noun=self.parts.rows)


def assumed_figure(wanted: FigureSearch) -> Measure | None:
    """The figure meant; None when the words name nothing that could have one."""
    return next((found for rule in _RULES if (found := rule(wanted)) is not None), None)


def _adjective(w: FigureSearch) -> Measure | None:
    """ "Đắt nhất", "xa nhất": the word itself says which figure."""
    about = next((ref for name in w.parts.adjectives if (ref := w.schema.of(name))), None)
    return w.assume(about, "min" if w.order == "asc" else "max") if about else None


def _crowd(w: FigureSearch) -> Measure | None:
    """ "Đông khách nhất", "phổ biến nhất": how many, how often."""
    guests = w.schema.of("guests") if w.parts.has("crowd") else None
    return w.assume(guests) if guests else w.count() if w.parts.has("frequent", "crowd") else None


def _quickness(w: FigureSearch) -> Measure | None:
    took = w.schema.of("duration", "waiting", "response", "hours") if w.parts.has("fast", "slow") else None
    return w.assume(took, "avg") if took else None


def _listed(w: FigureSearch) -> Measure | None:
    """What rows are sorted by: the newest first, or the column that the sheet is about."""
    if w.form != "rows":
        return None
    latest = w.parts.has("latest", "earliest") or not w.order
    if w.order and w.parts.has("how much", "bought", "sold"):
        return w.assume(w.money, "max") if w.money else None
    if latest and (day := w.parts.when.date_ref):
        return Measure("max", day)
    main = w.schema.main_measure()
    if main is None and not w.order:
        main = next((each for each in w.schema.refs.values() if not each.sheet), None)
    return w.assume(main, "max") if main else None


def _day(w: FigureSearch) -> Measure | None:
    """ "Lần gần nhất là khi nào": the first or last day."""
    day = w.parts.when.date_ref if w.parts.has("latest", "earliest") else None
    asked = w.parts.has("when", "which") or w.parts.rows or w.form == "scalar"
    return Measure("max" if w.parts.has("latest") else "min", day) if day and asked else None


def _filtered(w: FigureSearch) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    found = w.having or [each for each, _ in w.parts.numbers if w.groups and not w.parts.rows]
    if not found:
        return None
    ref = found[0].ref
    if ref.kind == "rows":
        return Measure("count")
    return Measure("avg" if averaged(ref) else "sum", ref) if ref.kind in NUMERIC else None


def _pieces(w: FigureSearch) -> Measure | None:
    """Goods are sold, bought and moved in pieces; best sellers go by orders where nothing counts pieces (001-35)."""
    seller = w.parts.has("seller", "slow seller")
    if w.sold and w.pieces and (w.goods or not w.groups) and not w.parts.has("how much"):
        return w.assume(w.pieces, w.parts.op or "sum", "seller_measure" if seller else "measure")
    if seller and w.goods:
        return w.count("seller_counted")
    return w.assume(w.pieces) if w.pieces and w.goods and w.form == "top" and w.parts.many else None


def _often(w: FigureSearch) -> Measure | None:
    """ "Được mượn nhiều nhất", "visited the most": how often something was done."""
    done = w.form == "top" and w.parts.many and w.parts.has("verb") and not w.sold and not w.once
    return w.count("counted_rows") if done else None


def _rows(w: FigureSearch) -> Measure | None:
    mean = w.parts.op == "avg" and w.schema.main_measure()  # "đơn hàng trung bình bao nhiêu tiền"
    return (
        w.count() if w.parts.rows and w.form != "rows" and not mean else None
    )  # rows are sorted by a column


def _mean(w: FigureSearch) -> Measure | None:
    main = w.schema.main_measure() if w.parts.op == "avg" else None
    return w.assume(main, "avg") if main and not (w.parts.per and w.parts.has("count")) else None


def _share(w: FigureSearch) -> Measure | None:
    """The share of a state is one of rows; of anything else it must be said."""
    if w.form != "share" or not w.conditions:
        return None
    w.ask = not any(each.ref.kind == "boolean" or each.ref.concept in _STATES for each in w.conditions)
    return w.count("counted_rows")


def _counted_goods(w: FigureSearch) -> Measure | None:
    """ "Bao nhiêu panadol", "gạo nhập bao nhiêu": pieces."""
    bare = w.goods and w.form == "scalar" and w.parts.has("count")
    return w.assume(w.pieces) if w.pieces and (w.parts.counted_value or bare) else None


def _money(w: FigureSearch) -> Measure | None:
    main, op = w.schema.main_measure(), w.parts.op or "sum"
    # The first customers are those who spent most, as best sellers are what was sold most.
    buyers = w.form == "top" and any(group.ref.concept == "customer" for group in w.groups)
    if w.money and (w.parts.has("how much") or ((w.sold or buyers) and w.money == main)):
        return w.assume(w.money, op)
    limited = w.form != "scalar" or w.conditions or w.parts.when.period
    return (
        w.assume(main, op)
        if main and (w.sold or w.parts.change or (w.parts.op == "sum" and limited))
        else None
    )


def _events(w: FigureSearch) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    happened = any(each.ref.concept in {"status", "reason"} for each in w.conditions)
    return w.count("counted_rows") if w.form == "top" and happened else None


def _asked(w: FigureSearch) -> Measure | None:
    """Anything else that is named has a figure, which is asked for."""
    when = w.parts.when
    w.ask = bool(w.groups or w.conditions or when.period or when.versus)
    named = w.groups or w.conditions or w.schema.main_measure()
    return w.count() if w.ask and named else None


_RULES: tuple[Callable[[FigureSearch], Measure | None], ...] = (
    _adjective, _crowd, _quickness, _listed, _day, _filtered, _pieces, _often, _rows, _mean, _share, _counted_goods,
    _money, _events, _asked,
)  # fmt: skip
