"""What a person wants that no note gives: a dose, a prescription, a diagnosis, an appointment, a price; told so, with the reason."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from troly.text.match import Lexicon
from troly_dental.safety import medicines

Wish = Literal["dose", "prescription", "medicine", "diagnosis", "booking", "clinic", "price"]
_FILE = Path(__file__).parent / "lexicons" / "asked_for.txt"


def wishes(question: str) -> tuple[Wish, ...]:
    """What is wished for, the most telling first; a medicine that is asked about by name is "medicine"."""
    labels = set(_lexicon().labels_in(question))
    drug = "medicine" in labels or bool(medicines().find(question))
    found: list[Wish] = []
    if (
        "amount" in labels
        and (drug or "strength" in labels)
        and (drug or "take" in labels or "mg" in question.lower())
    ):
        found.append("dose")
    if "prescribe" in labels:
        found.append("prescription")
    if not found and drug and labels & {"which", "may", "take"}:
        found.append("medicine")
    if "diagnose" in labels:
        found.append("diagnosis")
    if "book" in labels:
        found.append("booking")
    elif "clinic" in labels:
        found.append("clinic")
    if "price" in labels or ("amount" in labels and "tiền" in question.lower()):
        found.append("price")
    return tuple(found)


def thanks(question: str) -> bool:
    """Whether the message thanks or takes leave."""
    return _lexicon().has(question, "thanks")


@cache
def _lexicon() -> Lexicon:
    return Lexicon.load(_FILE)
