"""math_tool: works out the arithmetic of a question, or a known formula with the values that were said; it never guesses one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

from troly.text.catalogue import Lang
from troly.text.fold import fold
from troly.text.numbers import find_amounts, format_number
from troly_rag.strings import say
from troly_rag.tools.arithmetic import Number, Quantity, ReckoningError, Sign, Token, evaluate, shown_units
from troly_rag.tools.expressions import expression_in, quantity_of
from troly_rag.tools.search import evidence_of
from troly_rag.tools.types import ToolError, ToolInputs, ToolOutput

FILE = Path(__file__).parent / "formulas.toml"
# What a need is called in a question: the folded unit words behind its number.
_NEEDS = {
    "days": ("ngày",),
    "hours": ("giờ",),
    "months": ("tháng",),
    "years": ("năm",),
    "people": ("người",),
    "times": ("lần",),
    "salary": ("VND",),
    "amount": ("VND",),
}


@dataclass(frozen=True, slots=True)
class Formula:
    """One entry of formulas.toml."""

    name: str
    words: tuple[str, ...]
    needs: tuple[str, ...]
    expression: str
    defaults: Mapping[str, str]
    said: Mapping[Lang, str]
    whole: bool = False


async def run(given: ToolInputs) -> ToolOutput:
    """The result with how it came about. Raises ToolError `arithmetic` for a division by zero, a huge power and the like."""
    lang = given.turn.language
    try:
        text = answer(given.query, lang)
    except ReckoningError as fault:
        raise ToolError("arithmetic", say(f"math.{fault.kind}", lang, part=fault.part)) from fault
    formula = formula_in(given.query)
    evidence = tuple(evidence_of(one, given.agent.name) for one in given.passages[:1]) if formula else ()
    return ToolOutput(text, say("math.context", lang), evidence)


def answer(query: str, lang: Lang) -> str:
    """The result of a question's arithmetic in a sentence, or what is missing for it. Raises ReckoningError."""
    formula = formula_in(query)
    return _by_formula(formula, query, lang) if formula else _by_expression(query, lang)


@cache
def formulas() -> tuple[Formula, ...]:
    """The formulas of the file, in its order."""
    raw: Mapping[str, Mapping[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Formula(
            name,
            tuple(node["words"]),
            tuple(node["needs"]),
            node["expression"],
            node.get("defaults", {}),
            {"vi": node["vi"], "en": node["en"]},
            node.get("whole", False),
        )
        for name, node in raw.items()
    )


def formula_in(query: str) -> Formula | None:
    """The formula whose words the question holds, the longest match first."""
    text = f" {fold(query)} "
    found = [
        (len(word), one) for one in formulas() for word in one.words if f" {fold(word)} " in _spaced(text)
    ]
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _spaced(text: str) -> str:
    return "".join(char if char.isalnum() else " " for char in text)


def _by_expression(query: str, lang: Lang) -> str:
    tokens = expression_in(query)
    if not tokens:
        return say("math.nothing", lang)
    found = evaluate(tokens)
    return say("math.result", lang, expression=_written(tokens, lang), result=_shown(found, lang))


def _by_formula(formula: Formula, query: str, lang: Lang) -> str:
    values = _values(formula, query)
    missing = [name for name in formula.needs if name not in values]
    method = formula.said[lang].format(**formula.defaults)
    if missing:
        names = ", ".join(say(f"math.need_{name}", lang) for name in missing)
        return say("math.missing", lang, names=names, method=method)
    known = {name: Quantity(Decimal(value)) for name, value in formula.defaults.items()} | values
    bare = {name: Quantity(quantity.value) for name, quantity in known.items()}
    found = evaluate([_token(part, bare) for part in _parts(formula.expression)])
    if formula.whole:
        found = Quantity(found.value.to_integral_value(ROUND_FLOOR), {"ngày": 1})
    elif formula.needs[0] in ("salary", "amount"):
        found = Quantity(found.value.quantize(Decimal(1), ROUND_HALF_UP), {"VND": 1})
    given = ", ".join(
        f"{say(f'math.need_{name}', lang)} {_shown(values[name], lang)}" for name in formula.needs
    )
    return say("math.formula", lang, method=method, given=given, result=_shown(found, lang))


def _values(formula: Formula, query: str) -> dict[str, Quantity]:
    """The needed values that the question says, by their units; money without a unit word counts from 10.000 up."""
    found: dict[str, Quantity] = {}
    for amount in find_amounts(query):
        quantity = quantity_of(amount, query[amount.start : amount.end], query[amount.end : amount.end + 12])
        unit = next(iter(quantity.units), "VND" if amount.value >= 10_000 else "")
        for name in formula.needs:
            if name not in found and unit in _NEEDS[name]:
                found[name] = Quantity(quantity.value, {unit: 1})
                break
    return found


def _parts(expression: str) -> list[str]:
    spaced = "".join(f" {char} " if char in "+-*/()^" else char for char in expression)
    return spaced.split()


def _token(part: str, known: Mapping[str, Quantity]) -> Token:
    if part in known:
        return Number(known[part])
    return Sign(part) if part in "+-*/()^" else Number(Quantity(Decimal(part)))


def _written(tokens: list[Token], lang: Lang) -> str:
    texts = [_shown(token.quantity, lang) if isinstance(token, Number) else token.text for token in tokens]
    return " ".join(texts).replace("( ", "(").replace(" )", ")").replace(" %", "%").replace("*", "×")


def _shown(found: Quantity, lang: Lang) -> str:
    # "15tr / 26 × 3 ngày" is money: the days were counted, not multiplied.
    units = {"VND": 1} if found.units.get("VND") == 1 and min(found.units.values()) > 0 else found.units
    places = 0 if dict(units) == {"VND": 1} else 4
    return f"{format_number(found.value, lang, places)} {shown_units(units)}".strip()
