"""What a sheet is to the planner: the columns, values and rows that words can mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from troly.text.fold import tokens
from troly_analysis.planner.aliases import plain
from troly_analysis.planner.lexicon import marks
from troly_analysis.planner.phrases import Phrases
from troly_analysis.planner.shapes import Ref, averaged
from troly_analysis.types import NUMERIC, Field, Metric, Sheet


@dataclass(frozen=True, slots=True)
class Target:
    """What an alias means: a column, a metric, or (both None) the rows of the sheet. `weight` says how surely."""

    weight: float
    ref: Ref | None = None
    metric: Metric | None = None
    concept: str = ""
    spelled: str = ""
    """For a short word its only spelling: "tô" is not "to"."""

    @property
    def key(self) -> str:
        """A name that is the same for the same thing."""
        if self.metric:
            return f"metric:{self.metric.name}"
        return f"{self.ref.sheet}:{self.ref.name}" if self.ref else "rows"


@dataclass(frozen=True, slots=True)
class Value:
    """Values of a column that a phrase means; `whole` when the phrase is the value and not a part of it."""

    ref: Ref
    values: tuple[str, ...]
    whole: bool
    weight: float


@dataclass(slots=True)
class Schema:
    """What a message can name in one sheet (and in the sheets joined to it)."""

    sheet: Sheet
    names: Phrases[Target] = field(default_factory=Phrases)
    values: Phrases[Value] = field(default_factory=Phrases)
    refs: dict[str, Ref] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    by_concept: dict[str, list[Ref]] = field(default_factory=dict)
    row_concept: str = ""
    row_ref: Ref | None = None
    joins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each joined sheet's name the column here and the column there."""
    bare: bool = False
    """Whether the sheet is written without accents, so that a word typed with them can mean one of its own."""

    def key(self, ref: Ref) -> Field:
        """The field behind a reference."""
        return self.fields[f"{ref.sheet}:{ref.name}"]

    def of(self, *wanted: str) -> Ref | None:
        """The first own column of one of these concepts."""
        for name in wanted:
            for ref in self.by_concept.get(name, ()):
                if not ref.sheet:
                    return ref
        return None

    def main_measure(self) -> Ref | None:
        """The column a sheet is mostly about: money made first, else its first number that adds up."""
        own = [ref for ref in self.refs.values() if not (ref.sheet or ref.parts) and ref.kind in NUMERIC]
        for wanted in ("revenue", "fee", "salary", "profit", "cost", "quantity", "output", "hours", "stock"):
            if found := next((ref for ref in own if ref.concept == wanted), None):
                return found
        own = [ref for ref in own if not is_code(ref, self.key(ref), self.sheet)]
        own = [ref for ref in own if ref.concept not in marks("side figures")]
        added = [ref for ref in own if not averaged(ref)] or own
        return next((ref for ref in added if ref.kind == "money"), added[0] if added else None)


def is_code(ref: Ref, found: Field, sheet: Sheet) -> bool:
    """Whether a column of numbers only names things (an id, a telephone number)."""
    head = [token.folded for token in tokens(plain(ref.name))]
    marked = bool(head) and (head[0] in marks("id marks") - {"so", "number"} or head[-1] in {"id", "code"})
    return marked or (ref.concept == "order" and ref.kind in NUMERIC and found.distinct >= sheet.rows > 1)
