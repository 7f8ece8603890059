"""The gate of the dental assistant: red flags first, then whether a message is about dental care at all (003-06..11)."""

from troly_dental.guard.danger import Danger, asks_in_general, danger, is_called_off, is_over
from troly_dental.guard.rules import Judgement, judge
from troly_dental.guard.verdict import Verdict, advice, guard, rejection

__all__ = [
    "Danger", "Judgement", "Verdict", "advice", "asks_in_general", "danger", "guard", "is_called_off", "is_over", "judge", "rejection",
]  # fmt: skip
