"""Tells a column of where things come from and one of where they go to apart: "from_warehouse", "Kho đến"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

from troly.text.fold import WordToken, accents_agree, tokens
from troly.text.wordlist import read_lists
from troly_analysis.planner.aliases import plain
from troly_analysis.planner.lexicon import FOLDER
from troly_analysis.planner.schema_parts import Schema, Target
from troly_analysis.types import Field

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
_LONGEST, _WEIGHT = 3, 0.88


@cache
def _lists(side: Side, what: str) -> tuple[tuple[WordToken, ...], ...]:
    return tuple(tuple(tokens(entry)) for entry in read_lists(FOLDER / "directions.txt")[f"{side} {what}"])


def side_of(header: str) -> Side | None:
    """Which side a column is of, None where its header does not say."""
    said = tokens(plain(header))
    for side in SIDES:
        if any(_same([token], word) for token in said for word in _lists(side, "headers")):
            return side
    return None


def side_before(before: Sequence[WordToken]) -> Side | None:
    """Which side a value is of, by the words before it."""
    for length in range(min(_LONGEST, len(before)), 0, -1):
        for side in SIDES:
            if any(_same(before[-length:], word) for word in _lists(side, "words")):
                return side
    return None


def _same(said: Sequence[WordToken], listed: Sequence[WordToken]) -> bool:
    return len(said) == len(listed) and all(
        got.folded == want.folded and accents_agree(got.text, want.text)
        for got, want in zip(said, listed, strict=True)
    )


def name_sides(schema: Schema) -> None:
    """Name the columns of a sheet that has both sides of something by their side: "destination warehouse"."""
    sides: dict[Side, list[Field]] = {side: [] for side in SIDES}
    for each in schema.sheet.fields:
        side = side_of(each.name)
        if side and each.kind == "text":
            sides[side].append(each)
    for side, fields in sides.items():
        other = sides["target" if side == "source" else "source"]
        for each in fields:
            rest = _rest(each.name)
            if rest and any(_rest(one.name) == rest for one in other):
                _name(schema, side, each, " ".join(rest))


def _rest(header: str) -> tuple[str, ...]:
    """The words of a header without those of its side."""
    marked = {word[0].folded for side in SIDES for word in _lists(side, "headers") if len(word) == 1}
    return tuple(token.text for token in tokens(plain(header)) if token.folded not in marked)


def _name(schema: Schema, side: Side, field: Field, rest: str) -> None:
    ref = schema.refs[f":{field.name}"]
    for words in _lists(side, "names"):
        name = " ".join(token.text for token in words)
        for phrase in (name, f"{name} {rest}", f"{rest} {name}"):
            schema.names.add(phrase, Target(_WEIGHT, ref, concept=ref.concept))
