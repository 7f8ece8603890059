"""Assumes a figure where a question names none, and says which one was assumed."""

from __future__ import annotations

from collections.abc import Callable

from troly.text.fold import tokens
from troly.text.language import detect_score
from troly_analysis.planner.forms import direction
from troly_analysis.planner.mentions import Mention
from troly_analysis.planner.shapes import Form, Group, Measure, Note, Ref, averaged
from troly_analysis.planner.state import State, is_rows
from troly_analysis.types import NUMERIC

STATES = frozenset({"status", "reason", "gender", "insurance", "priority"})
_SIZES = frozenset(
    [
        "lon", "cao", "to", "nho", "thap", "be", "largest", "biggest", "highest", "smallest", "lowest", "top", "max", "min",
    ]
)  # fmt: skip
GOODS = frozenset({"product", "crop", "book", "category", "brand", "size", "color"})


def assume_measure(state: State, form: Form) -> None:
    """Add the figure that is meant when none is named, with a note where that could be another."""
    if state.measures or form in {"distinct", "schema"}:
        return
    for rule in (_chosen, _adjective, _frequent, *_RULES):
        found = rule(state, form)
        if found is not None:
            state.measures.append(found)
            return


def _chosen(state: State, _form: Form) -> Measure | None:
    """The figure picked from those offered."""
    picked = state.choices.get("figure")
    if picked is None:
        return None
    ref = next((ref for ref in state.schema.refs.values() if ref.name == picked and not ref.sheet), None)
    return Measure("count") if ref is None else Measure("avg" if averaged(ref) else "sum", ref)


def offer(state: State, main: Ref | None) -> None:
    """Ask which figure is meant: the column the sheet is about, or the number of rows."""
    english = detect_score(state.wording.text) < 0
    rows = Note("title_number").say("en" if english else "vi")
    options = (main.name, rows) if main else (rows,)
    if main is not None:
        state.ask("which_figure", "figure", options)


def _rows_named(state: State) -> Mention | None:
    return next((mention for mention in state.mentions if is_rows(mention) and not mention.used), None)


def _noted(state: State, key: str, ref: Ref) -> Measure:
    state.note(key, field=ref.name)
    return Measure("avg" if averaged(ref) else "sum", ref)


def _last_seen(state: State, form: Form) -> Measure | None:
    """ "Khách nào mua gần đây nhất": those whose own last day is the last."""
    timed = any(group.unit for group in state.groups)
    if form != "top" or state.date_ref is None or timed or not state.any("latest", "earliest"):
        return None
    return Measure("max" if state.any("latest") else "min", state.date_ref)


def _pieces(state: State, form: Form) -> Measure | None:
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


def _filtered(state: State, _form: Form) -> Measure | None:
    """Groups chosen by a figure show that figure."""
    found = next((Measure("sum", each.ref) for each in state.having if each.ref.kind in NUMERIC), None)
    rows = any(each.ref.kind == "rows" for each in state.having)
    return found or (Measure("count") if rows else None)


def _quickness(state: State, _form: Form) -> Measure | None:
    took = state.schema.of("duration", "hours", "late minutes")
    if took is None or not state.any("fast", "slow"):
        return None
    state.note("measure", field=took.name)
    return Measure("avg", took)


def _adjective(state: State, _form: Form) -> Measure | None:
    """ "Đắt nhất", "xa nhất": the word itself says which figure."""
    for mention in state.mentions:
        of = next((label[3:] for label in sorted(mention.labels) if label.startswith("of ")), "")
        ref = state.schema.of(of) if of else None
        if ref is not None:
            state.note("measure", field=ref.name)
            return Measure("min" if mention.has("min", "earliest") else "max", ref)
    return None


def _frequent(state: State, _form: Form) -> Measure | None:
    """ "Thường gặp nhất", "most common": how often is what is asked."""
    return Measure("count") if state.any("frequent") else None


def _mean(state: State, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    if main is None or form == "rows" or not state.any("avg"):
        return None
    state.note("measure", field=main.name)
    return Measure("avg", main)


def _listed(state: State, form: Form) -> Measure | None:
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


def _of_size(state: State) -> bool:
    """Whether rows are ranked by a plain word of size, which means the figure the sheet is about."""
    ranked = [mention for mention in state.mentions if mention.has("max", "min", "top", "bottom")]
    said = {token.folded for mention in ranked for token in tokens(mention.text)}
    return not said.isdisjoint(_SIZES)


def _money(state: State, form: Form) -> Measure | None:
    """ "How much did they give": money, where the sheet is about money."""
    main = state.schema.main_measure()
    if main is None or main.kind != "money" or not state.any("how much") or form not in {"scalar", "groups"}:
        return None
    return _noted(state, "measure", main)


def _rows(state: State, form: Form) -> Measure | None:
    rows = _rows_named(state)
    main = state.schema.main_measure()
    if rows is None and not state.any("count") and main:
        if form != "share":
            return None
        if not any(each.ref.kind == "boolean" or each.ref.concept in STATES for each in state.conditions):
            offer(state, main)
    return Measure("count", noun=rows.text if rows else "")


def _events(state: State, form: Form) -> Measure | None:
    """ "Ai đi muộn nhiều nhất": what happened is counted."""
    if form != "top" or not any(each.ref.concept in {"status", "reason"} for each in state.conditions):
        return None
    state.note("counted_rows")
    return Measure("count")


def _often(state: State, form: Form) -> Measure | None:
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


def _once(state: State, group: Group) -> bool:
    """Whether each value of a group stands in one row, so that there is nothing to count."""
    return not group.unit and state.schema.key(group.ref).distinct > 0.9 * state.schema.sheet.rows


def _numbered(mention: Mention) -> bool:
    """Whether a superlative is of how many, and not of how much or how good."""
    said = {token.folded for token in tokens(mention.text)}
    return not said.isdisjoint({"nhieu", "it", "most", "least", "nhat", "dong", "thuong"})


def _main(state: State, form: Form) -> Measure | None:
    main = state.schema.main_measure()
    traded = state.any("bought", "sold", "seller", "slow seller")
    if main is None or not (form in {"top", "compare"} or traded):
        return None
    if not traded and not state.any("much"):
        offer(state, main)
    return _noted(state, "measure", main)


def _count(state: State, form: Form) -> Measure | None:
    if not (state.groups or state.conditions or form == "trend"):
        return None
    if not state.any("count") and form != "rows":
        offer(state, state.schema.main_measure())
    state.note("counted_rows")
    state.doubt += 0.1
    return Measure("count")


_RULES: tuple[Callable[[State, Form], Measure | None], ...] = (
    _last_seen, _pieces, _filtered, _quickness, _mean, _listed, _rows, _events, _often, _money, _main, _count,
)  # fmt: skip
