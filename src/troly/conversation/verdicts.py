"""Judges one answer of a conversation by what a right one says and what would be wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from troly.plugin.events import Content, ItemList, Suggestions, TurnCompleted, TurnFailed
from troly.text.fold import fold

Verdict = Literal["right", "honest", "wrong", "unjudged"]
# A typed content as lines of text; `brief` leaves out what opens on the screen.
Renderer = Callable[[Content, bool], str]

# What a mode says in `metadata["answered"]`: whether the turn answers the question. Where it says nothing, these
# documented types of message ask back, decline or hand over.
ANSWERED, URGENT = "answered", "urgent"
UNANSWERED_TYPES = frozenset({"clarify", "unknown", "control", "rejected", "handoff", "colleague"})

_EMPHASIS = str.maketrans("", "", "*`")
_THOUSANDS = re.compile(r"(?<![\d.,])(?!0)\d{1,3}([.,\u00a0\u202f])\d{3}(?:\1\d{3})*(?!\d|\1\d)")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?!\d|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of one answer.

    Each element of `right` is a tuple of alternatives of which one must occur; no element of `wrong` may. `plain` marks
    a question that code must answer by itself; `urgent` None where it does not matter.
    """

    right: tuple[tuple[str, ...], ...] = ()
    wrong: tuple[str, ...] = ()
    plain: bool = False
    urgent: bool | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one answer: what was missing of the right strings, which wrong ones occurred, and the answer."""

    verdict: Verdict
    answer: str
    missing: tuple[tuple[str, ...], ...] = ()
    occurred: tuple[str, ...] = ()
    failed: str = ""


def judge(
    expected: Expectation,
    end: TurnCompleted | TurnFailed | None,
    content: Sequence[Content],
    render: Renderer,
) -> Judgement:
    """The verdict on a turn that ended so and showed `content`; a turn that failed is wrong.

    Suggested questions are no part of an answer. Right strings may also stand in what opens (a room's facts); wrong
    ones count only where they are shown at once.
    """
    if not isinstance(end, TurnCompleted):
        text = f"{end.title}: {end.message}" if end else ""
        return Judgement("wrong", text, failed=end.code if end else "turn.failed")
    parts = [one for one in content if not isinstance(one, Suggestions)]
    shown = "\n".join([end.text, *(render(one, True) for one in parts)]).strip()
    opened = "\n".join(render(one, False) for one in parts if isinstance(one, ItemList))
    if not expected.right and not expected.wrong and expected.urgent is None:
        return Judgement("unjudged", shown)
    # The rows of aligned tables also with `|` around each cell, as a table may be written.
    rows = [line.strip() for line in shown.splitlines() if "  " in line.strip()]
    bars = "\n".join(f"| {re.sub(' {2,}', ' | ', row)} |" for row in rows)
    whole = f"{shown}\n{opened}\n{bars}"
    occurred = tuple(one for one in expected.wrong if occurs(one, shown, whole_word=True))
    missing = tuple(one for one in expected.right if not any(occurs(text, whole) for text in one))
    urgent_missed = expected.urgent is not None and bool(end.metadata.get(URGENT)) is not expected.urgent
    # A message claims to answer unless the assistant asked back or said that it could not.
    said = end.metadata.get(ANSWERED)
    claimed = said if isinstance(said, bool) else end.message_type not in UNANSWERED_TYPES
    verdict: Verdict = "honest"
    if occurred or urgent_missed or (missing and claimed):
        verdict = "wrong"
    elif not missing and (claimed or expected.right or expected.urgent is not None):
        verdict = "right"
    return Judgement(verdict, shown, missing, occurred, "urgent" if urgent_missed else "")


def normalized(text: str, *, emphasis: bool = False) -> str:
    """`text` for comparing: folded, numbers without thousands separators and with a decimal point, `emphasis` left out."""
    # Before folding: a space that does not break is a separator, a plain one parts two numbers.
    text = text if emphasis else text.translate(_EMPHASIS)
    joined = _THOUSANDS.sub(lambda found: re.sub(r"\D", "", found.group()), text)
    return _DECIMAL_COMMA.sub(r"\1.\2", fold(joined))


def occurs(wanted: str, text: str, *, whole_word: bool = False) -> bool:
    """Whether `wanted` occurs in `text`: from the beginning of a word or number, blanks aside.

    A number never matches a part of a longer one; `whole_word` asks the same of words. Emphasis counts where it is
    asked for (`**9**`).
    """
    emphasis = "*" in wanted
    text = normalized(text, emphasis=emphasis)
    pieces = re.findall(r"\d+(?:\.\d+)*|[^\W\d_]+|[^\w\s]|_", normalized(wanted, emphasis=emphasis))
    if not pieces:
        return False
    first, last = pieces[0][0], pieces[-1][-1]
    before = r"(?<!\d)(?<!\d[.,])" if first.isdigit() else r"(?<![^\W\d_])" if first.isalpha() else ""
    after = r"(?!\d|[.,]\d)" if last.isdigit() else r"(?![^\W\d_])" if whole_word and last.isalpha() else ""
    # A telephone number is written with its groups apart, or not.
    written = (r"[ .-]?".join(one) if one[0] == "0" and one.isdigit() else re.escape(one) for one in pieces)
    return re.search(before + r"\s*".join(written) + after, text) is not None
