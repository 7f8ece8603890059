"""A sheet as people name its parts: every alias of its columns, metrics and values, found in a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from troly.text.fold import fold, tokens
from troly_analysis.planner.aliases import aliases, concept_of, plain, telling
from troly_analysis.planner.lexicon import alike_values, concepts, instead, marks, pieces, row_signs, unit_words, words
from troly_analysis.planner.phrases import Phrases
from troly_analysis.planner.shapes import Ref, averaged
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Metric, Sheet

_LOW = 60
"""A text column with more distinct values than this is no good to group by without being asked."""


@dataclass(frozen=True, slots=True)
class Target:
    """What an alias means: a column, a metric, or (both None) the rows of the sheet. `weight` says how surely."""

    weight: float
    ref: Ref | None = None
    metric: Metric | None = None
    concept: str = ""

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
        found = self.of("revenue", "fee", "salary", "profit", "cost", "quantity", "hours", "stock")
        if found:
            return found
        own = [ref for ref in self.refs.values() if not ref.sheet and ref.kind in NUMERIC]
        own = [ref for ref in own if not is_code(ref, self.key(ref), self.sheet)]
        added = [ref for ref in own if not averaged(ref)] or own
        return next((ref for ref in added if ref.kind == "money"), added[0] if added else None)


def is_code(ref: Ref, found: Field, sheet: Sheet) -> bool:
    """Whether a column of numbers only names things (an id, a telephone number)."""
    head = [token.folded for token in tokens(plain(ref.name))]
    marked = bool(head) and (head[0] in marks("id marks") - {"so", "number"} or head[-1] in {"id", "code"})
    return marked or (ref.concept == "order" and ref.kind in NUMERIC and found.distinct >= sheet.rows > 1)


def schema_of(sheet: Sheet, others: Sequence[Sheet] = ()) -> Schema:
    """The schema of `sheet`, with the columns of `others` that it can be joined to; made once for each version."""
    return _schema(_Held(sheet), tuple(_Held(each) for each in others if each.id != sheet.id))


class _Held:
    """A sheet that can be a key: sheets hold mappings, so their identity is their version."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        names = tuple((metric.name, metric.text, metric.field) for metric in sheet.metrics)
        self._key = (sheet.id, sheet.owner, sheet.name, sheet.imported_at, sheet.fields, sheet.rows, names)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other._key == self._key


@lru_cache(maxsize=64)
def _schema(held: _Held, others: tuple[_Held, ...]) -> Schema:
    sheet = held.sheet
    schema = Schema(sheet)
    for each in sheet.fields:
        _add_field(schema, each, "")
    _find_rows(schema)
    for metric in sheet.metrics:
        schema.names.add(metric.name, Target(1.2, metric=metric))
    for other in others:
        _join(schema, other.sheet)
    from troly_analysis.planner.derived import derive  # it builds on this module

    derive(schema)
    _units(schema)
    _stand_ins(schema)
    _name_rows(schema)
    return schema


def _add_field(schema: Schema, found: Field, joined: str) -> None:
    concept, share = concept_of(found)
    ref = Ref(found.name, found.kind, concept, joined, found.unit)
    key = f"{joined}:{found.name}"
    schema.refs[key], schema.fields[key] = ref, found
    if concept:
        schema.by_concept.setdefault(concept, []).append(ref)
    loss = 0.12 if joined else 0.0
    for phrase, weight in aliases(found, concept, share):
        schema.names.add(phrase, Target(weight - loss, ref, concept=concept))
    _add_values(schema, ref, found, loss)


def _add_values(schema: Schema, ref: Ref, found: Field, loss: float) -> None:
    if found.kind not in {"text", "list", "boolean"}:
        return
    parts: dict[str, list[str]] = {}
    for value in found.examples:
        schema.values.add(value, Value(ref, (value,), whole=True, weight=1.0 - loss))
        own = " ".join(token.folded for token in tokens(value))
        for other in alike_values().get(own, ()):
            schema.values.add(other, Value(ref, (value,), whole=True, weight=0.9 - loss))
        typed = [value[token.start : token.end] for token in tokens(value)]
        if 1 < len(typed) <= 8 and ref.concept != "status":
            for length in range(1, len(typed)):
                for at in range(len(typed) - length + 1):
                    parts.setdefault(" ".join(typed[at : at + length]), []).append(value)
    for phrase, holding in parts.items():
        if telling(phrase):
            schema.values.add(
                phrase, Value(ref, tuple(dict.fromkeys(holding)), whole=False, weight=0.6 - loss)
            )


def _units(schema: Schema) -> None:
    """Columns are asked for by their units too: "bao nhiêu ly" of a quantity, "bao nhiêu kg" of "Khối lượng (kg)"."""
    quantity = schema.of("quantity")
    for phrase in pieces() if quantity else ():
        schema.names.add(phrase, Target(0.8, quantity, concept="quantity"))
    for key, ref in schema.refs.items():
        for phrase in unit_words(schema.fields[key].name) if ref.kind in NUMERIC and not ref.parts else ():
            schema.names.add(phrase, Target(0.7, ref, concept=ref.concept))


def _find_rows(schema: Schema) -> None:
    """What a row of the sheet is: what its column of different codes names, or what the sheet is called."""
    sheet = schema.sheet
    called = " ".join(token.folded for token in tokens(plain(sheet.name)))
    for key, ref in schema.refs.items():
        found = schema.fields[key]
        unique = sheet.rows > 1 and found.distinct >= sheet.rows - found.blanks and not found.blanks
        coded = tokens(plain(ref.name))[:1]
        marked = bool(coded) and (coded[0].folded in marks("id marks") or is_code(ref, found, sheet))
        known = ref.concept or marked
        if unique and known and (marked or ref.kind == "text") and ref.kind not in TEMPORAL:
            schema.row_concept, schema.row_ref = ref.concept or _named_once(schema), ref
            if schema.row_concept:
                return
            break
    for concept in concepts():
        if concept.nature != "category":
            continue
        said = (" ".join(token.folded for token in tokens(phrase)) for phrase in concept.phrases)
        taken = [ref for ref in schema.by_concept.get(concept.name, ()) if not ref.sheet]
        if not taken and any(f" {phrase} " in f" {called} " for phrase in said if len(phrase) > 2):
            schema.row_concept = concept.name
            return
    own = {name for name, refs in schema.by_concept.items() if any(not ref.sheet for ref in refs)}
    told = next((row for row, signs in row_signs() if signs <= own and row not in own), "")
    if told:
        schema.row_concept = told
    elif "order" not in own and "revenue" in own:
        schema.row_concept = "order"


def _named_once(schema: Schema) -> str:
    """What the rows are where their codes do not say: what a column of names, nearly all different, is about."""
    rows = schema.sheet.rows
    for key, ref in schema.refs.items():
        if ref.kind == "text" and ref.concept and not ref.sheet and schema.fields[key].distinct >= 0.95 * rows:
            return ref.concept
    return ""


def _stand_ins(schema: Schema) -> None:
    """What a sheet has no column for may be asked by its column for something near ("doanh thu" of a clinic: fees)."""
    for wanted, nearest in instead().items():
        if schema.of(wanted) or schema.row_concept == wanted:
            continue
        ref = schema.of(*nearest)
        known = next((each for each in concepts() if each.name == wanted), None)
        for phrase in known.phrases if ref and known else ():
            if "sum" in words().listed(tuple(token.folded for token in tokens(phrase))):
                continue
            schema.names.add(phrase, Target(0.56, ref, concept=ref.concept if ref else ""))


def _name_rows(schema: Schema) -> None:
    schema.names.add(schema.sheet.name, Target(0.7, concept=schema.row_concept))
    if schema.row_ref:
        header = [
            token.text for token in tokens(plain(schema.row_ref.name)) if token.folded not in marks("generic")
        ]
        schema.names.add(" ".join(header), Target(0.95, concept=schema.row_concept))
        name = plain(schema.row_ref.name)
        if fold(name).startswith("so "):  # "số phiếu" is how many of them
            schema.names.add(name, Target(1.05, concept=schema.row_concept))
    known = next((each for each in concepts() if each.name == schema.row_concept), None)
    for phrase in known.phrases if known else ():
        said = tuple(token.folded for token in tokens(phrase))
        if any(schema.values.listed(said[at:]) for at in range(1, len(said))):
            continue  # "phiếu nhập" is a row and one of its values
        schema.names.add(phrase, Target(0.95, concept=schema.row_concept))


def _join(schema: Schema, other: Sheet) -> None:
    """Add the columns of `other`, when one of its columns names its rows and is a column here too."""
    for there in other.fields:
        if there.kind in TEMPORAL or other.rows < 1 or there.distinct < other.rows - there.blanks:
            continue
        here = next((mine for mine in schema.sheet.fields if _same_key(mine, there)), None)
        if here is None:
            continue
        schema.joins[other.name] = (here.name, there.name)
        own = {fold(each.name) for each in schema.sheet.fields}
        for each in other.fields:
            if fold(each.name) not in own:
                _add_field(schema, each, other.name)
        return


def _same_key(mine: Field, theirs: Field) -> bool:
    numbers = mine.kind in NUMERIC, theirs.kind in NUMERIC
    if mine.kind in TEMPORAL or numbers[0] != numbers[1]:
        return False
    if fold(plain(mine.name)) == fold(plain(theirs.name)):
        return True
    first, second = concept_of(mine), concept_of(theirs)
    coded = [
        tokens(plain(each.name))[0].folded in marks("id marks") or fold(each.name).endswith("id")
        for each in (mine, theirs)
        if tokens(plain(each.name))
    ]
    return first[0] == second[0] != "" and min(first[1], second[1]) >= 0.9 and all(coded)
