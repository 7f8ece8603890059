"""A sheet as people name its parts: every alias of its columns, metrics and values, found in a message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from troly.text.fold import accents, fold, tokens
from troly_analysis.planner.aliases import aliases, concept_of, in_number, plain, telling
from troly_analysis.planner.derived import derive
from troly_analysis.planner.directions import name_sides
from troly_analysis.planner.lexicon import alike_values, marks
from troly_analysis.planner.schema_parts import Schema, Target, Value, is_code
from troly_analysis.planner.schema_rows import find_rows, name_events, name_rows, stand_ins, units
from troly_analysis.planner.shapes import Ref
from troly_analysis.types import NUMERIC, TEMPORAL, Field, Sheet

_PAID = frozenset(
    {"revenue", "fee", "quantity", "output", "stock", "salary", "shipping fee", "cost", "donation", "labour"}
)
"""Concepts beside which a price is one of many figures, and not what was paid for the row."""

__all__ = ["Schema", "Target", "Value", "is_code", "schema_of"]


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
    written = (text for each in sheet.fields for text in (each.name, *each.examples))
    schema.bare = not any(accents(text) for text in written)
    meanings = _meanings(sheet)
    for each in sheet.fields:
        _add_field(schema, each, "", meanings.get(concept_of(each)[0], ""))
    find_rows(schema)
    for metric in sheet.metrics:
        schema.names.add(metric.name, Target(1.2, metric=metric))
    for other in others:
        _join(schema, other.sheet)
    derive(schema)
    name_sides(schema)
    units(schema)
    stand_ins(schema)
    name_rows(schema)
    name_events(schema)
    return schema


def _meanings(sheet: Sheet) -> dict[str, str]:
    """What concepts turn into beside the sheet's other columns: they add up where things are moved, or each row is paid."""
    own = {concept_of(each)[0] for each in sheet.fields}
    found = {"weight": "load"} if own & {"quantity", "output", "stock", "shipping fee"} else {}
    if sheet.date_field and own.isdisjoint(_PAID):
        found["price"] = "fee"
    return found


def _add_field(schema: Schema, found: Field, joined: str, meaning: str = "") -> None:
    concept, share = concept_of(found)
    concept = meaning or concept
    ref = Ref(found.name, found.kind, concept, joined, found.unit)
    key = f"{joined}:{found.name}"
    schema.refs[key], schema.fields[key] = ref, found
    if concept:
        schema.by_concept.setdefault(concept, []).append(ref)
    loss = 0.12 if joined else 0.0
    for phrase, weight in aliases(found, concept, share):
        schema.names.add(phrase, Target(weight - loss, ref, concept=concept))
        for other in in_number(phrase):
            schema.names.add(other, Target(weight - loss - 0.02, ref, concept=concept))
    _add_values(schema, ref, found, loss)


def _add_values(schema: Schema, ref: Ref, found: Field, loss: float) -> None:
    if found.kind not in {"text", "list", "boolean"}:
        return
    parts: dict[str, list[str]] = {}
    for value in found.examples:
        schema.values.add(value, Value(ref, (value,), whole=True, weight=1.0 - loss))
        for other in in_number(value):
            schema.values.add(other, Value(ref, (value,), whole=True, weight=0.96 - loss))
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
