"""Refuses a sentence of the model whose figures stand neither in the rows nor in the question."""

from __future__ import annotations

from collections.abc import Iterator

from troly.text.catalogue import Lang
from troly.text.numbers import find_amounts
from troly_rental.agents.working import Answered, Asked
from troly_rental.payload import figures_of

# A rounded amount (`khoảng 2,3 triệu`) may be this far from the figure it stands for.
ROUNDING = 0.01


def ungrounded(message: str, asked: Asked, answered: Answered, lang: Lang) -> list[str]:
    """The figures of `message`, as written, that are in no cell and not in the question."""
    known = {float(answered.found.total), float(len(answered.found.rows)), *_known(asked, answered, lang)}
    wrong = []
    for amount in find_amounts(message):
        value = float(amount.value)
        if not any(abs(value - one) <= ROUNDING * max(abs(one), abs(value)) for one in known):
            wrong.append(message[amount.start : amount.end])
    return wrong


def _known(asked: Asked, answered: Answered, lang: Lang) -> Iterator[float]:
    for row in answered.found.rows:
        for value in row:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield float(value)
    for text in (asked.question, *figures_of(answered.found, lang)):
        yield from (float(amount.value) for amount in find_amounts(text))
    for one in asked.reading.filters:
        if isinstance(one.value, (int, float)) and not isinstance(one.value, bool):
            yield float(one.value)
