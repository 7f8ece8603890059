"""Questions a person may ask, made by the planner from the sheets' own headers so that each of them can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_analysis.strings import say
from troly_analysis.types import Sheet

if TYPE_CHECKING:
    from troly_analysis.planner import Plan


def first_questions(sheets: Sequence[Sheet], lang: Lang) -> tuple[str, ...]:
    """Questions to begin with, over the largest sheet; the documents' own examples where there is none."""
    asked = next_questions(max(sheets, key=lambda sheet: sheet.rows), None, lang) if sheets else ()
    return asked or tuple(say(f"mode.question_{number}", lang) for number in (1, 2, 3))


def next_questions(sheet: Sheet, plan: Plan | None, lang: Lang) -> tuple[str, ...]:
    """At most three questions that follow on from `plan`."""
    from troly_analysis.planner import suggest

    return suggest(sheet, plan, lang)
