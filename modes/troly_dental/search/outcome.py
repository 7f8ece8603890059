"""What one search gave, and the sentence that says why it gave nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from troly.text.catalogue import Lang
from troly_dental.search.pages import Page
from troly_dental.strings import say

PROBLEMS = (
    "empty", "unsafe", "rate_limited", "paused", "timeout", "unreachable", "bad_answer", "refused", "missing",
    "no_query", "off", "server",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search gave.

    `query` is what was sent, cleaned; empty when nothing was. `problem` is empty when there are results, else why
    there are none (`explain` makes a sentence of it). `cached`: answered from an earlier search. `left_out` counts
    pages that gave orders to the model. `wait` is how many seconds the engine rests.
    """

    results: tuple[Page, ...] = ()
    query: str = ""
    problem: str = ""
    engine: str = ""
    cached: bool = False
    left_out: int = 0
    wait: float = 0.0


def explain(outcome: SearchOutcome, lang: Lang) -> str:
    """Why there are no pages and what can be done, in one or two sentences; "" when there are some."""
    if not outcome.problem:
        return ""
    minutes = max(1, math.ceil(outcome.wait / 60))
    return say(f"search.{outcome.problem}", lang, engine=outcome.engine, minutes=minutes)


def packed(outcome: SearchOutcome) -> dict[str, Any]:
    """An outcome as JSON, for the recording of a turn."""
    return asdict(outcome)


def unpacked(saved: Mapping[str, Any]) -> SearchOutcome:
    """The inverse of `packed`."""
    return SearchOutcome(**{**saved, "results": tuple(Page(**page) for page in saved["results"])})
