"""Refuses a sentence of the model whose figures stand neither in the rows nor in the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from troly.text.catalogue import Lang
from troly.text.numbers import find_amounts
from troly_rental.agents.working import Answered, Asked
from troly_rental.payload import figures_of

# A rounded amount (`khoảng 2,3 triệu`) may be this far from the figure it stands for.
ROUNDING = 0.01
MOST_CHARS = 1500
AGAIN = 3
_SENTENCE = re.compile(r"[.!?\n]+")


def ungrounded(message: str, asked: Asked, answered: Answered, lang: Lang) -> list[str]:
    """The figures of `message`, as written, that are in no cell and not in the question."""
    known = {float(answered.found.total), float(len(answered.found.rows)), *_known(asked, answered, lang)}
    wrong = []
    for amount in find_amounts(message):
        value = float(amount.value)
        if not any(abs(value - one) <= ROUNDING * max(abs(one), abs(value)) for one in known):
            wrong.append(message[amount.start : amount.end])
    return wrong


def rambles(message: str) -> bool:
    """Whether a sentence is far too long, or says one thing again and again: a model that does not find its end."""
    if len(message) > MOST_CHARS:
        return True
    said = Counter(
        part for one in _SENTENCE.split(message) if len((part := " ".join(one.split())).split()) > 2
    )
    words = message.split()
    same = max((len(list(run)) for _, run in groupby(words)), default=0)
    return same >= AGAIN + 1 or max(said.values(), default=0) >= AGAIN


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
