"""Chooses the tools of a question: rag always, the others when the question calls for them (004-43, relevance_based)."""

from __future__ import annotations

import re
from datetime import datetime

from troly.text.dates import find_ranges
from troly.text.fold import fold
from troly.text.numbers import find_amounts
from troly_rag.config import Agent
from troly_rag.routing.types import LOG, MATH, RAG, SUMMARY
from troly_rag.routing.words import tool_words

_ARITHMETIC = re.compile(r"\d\s*(?:[+*/×÷^]|\bx\b)\s*[\d(]|\d\s+-\s+\d|\d\s*%")
_DATE = re.compile(r"\b(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|1[0-2])(?:[/-]\d{2,4})?\b")
_SIGN = re.compile(r"(?<=\d)\s*([*/×÷^+:])\s*(?=\d)")
_SHORT = 5
_DAYS = re.compile(r"\d\s*(?:ngay|thang|nam|gio|day|month|year|hour)")
_CLOCK = re.compile(r"\b\d{1,2}\s*(?:h\b|gio\b|:\d{2})")


def tools_for(agent: Agent, asked: tuple[str, ...], searches: int, now: datetime) -> tuple[str, ...]:
    """The tools of `agent` that the questions `asked` of it call for, in order; `searches` is how many queries it has."""
    text = " ".join(asked)
    wanted = [RAG]
    if wants_log(text, now):
        wanted.append(LOG)
    if wants_summary(text) or searches > 1:
        wanted.append(SUMMARY)
    if wants_math(text):
        wanted.append(MATH)
    found = tuple(tool for tool in wanted if tool in agent.tools)
    return found or agent.tools[:1]


def wants_math(text: str) -> bool:
    """Whether something is to be computed: a sum asked for, signs between figures, or amounts with leave or money."""
    if is_arithmetic(text) or tool_words("sum").find(text):
        return True
    figures = bool(find_amounts(text)) or bool(_DAYS.search(fold(text)))
    return figures and bool(tool_words("math").find(text))


def is_arithmetic(text: str) -> bool:
    """Whether figures stand with a sign between them, or a percentage; dates are none."""
    return bool(_ARITHMETIC.search(_DATE.sub(" ", fold(text))))


def spaced(text: str) -> str:
    """A sum with blanks around its signs, so that `10/0` is not taken for a day; any other text as it is."""
    return _SIGN.sub(r" \1 ", text) if is_arithmetic(text) or len(text.split()) <= _SHORT else text


def wants_log(text: str, now: datetime) -> bool:
    """Whether the logs are asked: they are named, or a fault is named with a time; not when a rule is asked for."""
    if tool_words("log").find(text):
        return True
    if not tool_words("fault").find(text) or tool_words("rules").find(text):
        return False
    return bool(find_ranges(text, now.date())) or bool(_CLOCK.search(fold(text)))


def wants_summary(text: str) -> bool:
    """Whether several findings are to be told as one."""
    return bool(tool_words("summary").find(text))
