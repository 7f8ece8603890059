"""Reads names of figures that go past one word: general words before a column's name, units that a column counts."""

from __future__ import annotations

from troly.text.fold import fold
from troly_analysis.planner.shapes import Measure
from troly_analysis.planner.state import State, figure, is_link
from troly_analysis.types import NUMERIC


def in_units(state: State, nth: int) -> Measure | None:
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


def opens_name(state: State, nth: int) -> bool:
    """Whether a general word only opens the name of the column behind it ("tiền đã cọc")."""
    mention, after = state.mentions[nth], next(iter(state.mentions[nth + 1 : nth + 2]), None)
    opens = fold(mention.text) in {"tien", "so tien", "khoan tien", "muc", "khoan"} and after is not None
    if opens and after is not None and after.targets and not after.values and figure(state, after):
        mention.used = after.targets[0].weight > mention.targets[0].weight if mention.targets else False
        return mention.used
    return False
