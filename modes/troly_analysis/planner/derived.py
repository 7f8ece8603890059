"""Figures that no column of a sheet holds but that two of its columns make: quantity times price, due less paid."""

from __future__ import annotations

from functools import cache
from typing import Literal

from troly.text.fold import fold
from troly_analysis.planner.lexicon import FOLDER, concept, marks, whole_costs, words
from troly_analysis.planner.phrases import key_of
from troly_analysis.planner.schema_parts import Schema, Target
from troly_analysis.planner.shapes import Ref
from troly_analysis.types import NUMERIC, Field, Kind

_WEIGHT = 0.86
_SHOWN = {"*": "×", "-": "-"}
Sign = Literal["*", "-"]


@cache
def _rules() -> tuple[tuple[str, str, Sign, str], ...]:
    """The lines of `derived.txt`: the concept made, and the two it is made of."""
    found: list[tuple[str, str, Sign, str]] = []
    for raw in (FOLDER / "derived.txt").read_text(encoding="utf-8").splitlines():
        made, _, formula = raw.partition(":")
        for sign in ("*", "-"):
            left, between, right = formula.partition(f" {sign} ")
            if between and not raw.startswith("#"):
                found.append((made.strip(), left.strip(), sign, right.strip()))
    return tuple(found)


def derive(schema: Schema) -> None:
    """Add to `schema` every figure of `derived.txt` that it has the two columns for and no column of its own."""
    for made, first, sign, second in _rules():
        left, right = schema.of(first), schema.of(second)
        if schema.of(made) or left is None or right is None or left == right or not _whole(schema, right):
            continue
        ref = made_of(left, sign, right, made)
        key = f":{ref.name}"
        schema.refs[key] = ref
        schema.fields[key] = Field(ref.name, _kind(left, right), ref.unit, distinct=schema.sheet.rows)
        schema.by_concept.setdefault(made, []).append(ref)
        known = concept(made)
        for nth, phrase in enumerate(known.phrases if known else ()):
            if "sum" not in words().listed(key_of(phrase)) and fold(phrase) not in marks("verbs"):
                schema.names.add(phrase, Target(_WEIGHT - 0.002 * nth, ref, concept=made))


def _whole(schema: Schema, cost: Ref) -> bool:
    """Whether a column of costs holds all of them: "tiền dầu" is a part, "giá vốn" beside a quantity is of one piece."""
    if cost.concept != "cost":
        return True
    if fold(cost.name).startswith(("gia ", "unit ")):
        return schema.of("quantity") is None
    return any(key_of(phrase) in _runs(cost.name) for phrase in whole_costs())


def _runs(name: str) -> set[tuple[str, ...]]:
    said = key_of(name.replace("_", " "))
    return {said[at:end] for at in range(len(said)) for end in range(at + 1, len(said) + 1)}


def made_of(left: Ref, sign: Sign, right: Ref, concept_made: str = "") -> Ref:
    """The figure that two columns make: its name says how."""
    name = f"{left.name} {_SHOWN[sign]} {right.name}"
    unit = left.unit or right.unit
    return Ref(name, _kind(left, right), concept_made, "", unit, (left, right), sign)


def _kind(left: Ref, right: Ref) -> Kind:
    kinds = {left.kind, right.kind} & NUMERIC
    return "money" if "money" in kinds else "number" if "number" in kinds else "integer"
