"""The gate of the dental assistant: red flags first, then whether a message is about dental care at all (003-06..11)."""

from troly_dental.guard.danger import Danger, FollowUp, danger, follow_up, is_severe
from troly_dental.guard.rules import Judgement, judge
from troly_dental.guard.verdict import Verdict, advice, guard, rejection, without_thoughts

__all__ = [
    "Danger", "FollowUp", "Judgement", "Verdict", "advice", "danger", "follow_up", "guard", "is_severe", "judge", "rejection", "without_thoughts",
]  # fmt: skip
