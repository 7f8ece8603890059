"""The guard's verdict: rules where they are sure, the small model in the grey band only (003-08, 003-09, C1); and what it says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from troly.errors import ModelError
from troly.text.catalogue import Lang
from troly_dental.guard.rules import Judgement, judge
from troly_dental.guard.spelling import part_read
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.llm.prompts import PromptFolder
    from troly.plugin.context import TurnContext


_ATTEMPTS = 2
_SHOWN = 600
# An answer of one word was asked for; a model that writes on is not listened to.
_HEARD = 400
_NO, _YES = re.compile(r"\bNO\b", re.IGNORECASE), re.compile(r"\bYES\b", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a message is about dental care, who decided, the score 0 to 1 of the rules, why, and who else can help."""

    dental: bool
    source: Literal["rules", "model"]
    score: float
    reason: str
    mode: str | None = None
    social: bool = False


async def guard(
    turn: TurnContext, text: str, previous: Sequence[str] = (), *, previous_dental: bool | None = None
) -> Verdict:
    """The verdict on `text` (003-07); a model is asked only in the grey band, and none that fails stops the turn.

    `previous` are the user's earlier messages, oldest first; only the last counts. `previous_dental` says how it was
    judged; None lets the rules judge it.
    """
    last = previous[-1] if previous else None
    # The first message of a process reads the word lists; nobody else should wait for that.
    ruled = await asyncio.to_thread(judge, text, last, bool(previous_dental))
    if ruled.dental is not None:
        return _by_rules(ruled, ruled.reason)
    try:
        said = await _ask(turn, text, last)
    except ModelError as error:
        return _by_rules(ruled, f"{ruled.reason} ({error.key})")
    if said is None:
        return _by_rules(ruled, f"{ruled.reason} (?)")
    return Verdict(said, "model", ruled.score, ruled.reason, None if said else ruled.mode)


def read_answer(reply: str) -> bool | None:
    """YES or NO as whole words of the first line that says anything, NO first; None when neither is there (C1)."""
    lines = (line for line in _THOUGHTS.sub("", reply).splitlines() if line.strip())
    first = next(lines, "")
    if _NO.search(first):
        return False
    return True if _YES.search(first) else None


def _by_rules(ruled: Judgement, reason: str) -> Verdict:
    return Verdict(ruled.score >= 0.5, "rules", ruled.score, reason, ruled.mode, ruled.social)


async def _ask(turn: TurnContext, text: str, last: str | None) -> bool | None:
    messages = _prompts().messages(
        "guard", turn.language, previous=_one_line(last or "-"), question=_one_line(text)
    )
    for _ in range(_ATTEMPTS):
        said = ""
        async with aclosing(turn.model.stream("guard", messages, role="guard")) as pieces:
            async for piece in pieces:
                said += piece
                if len(said) >= _HEARD:
                    break
        answer = read_answer(said)
        if answer is not None:
            return answer
    return None


def _one_line(text: str) -> str:
    """The text on one line: it cannot look like another message of the prompt."""
    return " ".join(part_read(text).split())[:_SHOWN]


@cache
def _prompts() -> PromptFolder:
    from troly.llm.prompts import PromptFolder

    return PromptFolder(Path(__file__).parent / "prompts")


# -- What the guard says.

_MODES = frozenset({"shopping", "analysis", "rental", "rag"})


def advice(flag_name: str, lang: Lang) -> str:
    """What to do now for the red flag `flag_name`; raises KeyError for an unknown one."""
    return say(f"guard.red_flag.{flag_name}", lang)


def rejection(mode: str | None, lang: Lang, *, social: bool = False) -> str:
    """A friendly no (003-11): what this assistant can do, and the assistant that can help when `mode` names one."""
    if social:
        return say("guard.social", lang)
    return say(f"guard.rejected.{mode if mode in _MODES else 'other'}", lang)
