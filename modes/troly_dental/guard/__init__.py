"""The gate of the dental assistant: red flags first, then whether a message is about dental care at all (003-06..11)."""

from troly_dental.guard.red_flags import RedFlag, red_flag
from troly_dental.guard.rules import Judgement, judge
from troly_dental.guard.verdict import Verdict, advice, guard, rejection

__all__ = ["Judgement", "RedFlag", "Verdict", "advice", "guard", "judge", "red_flag", "rejection"]
