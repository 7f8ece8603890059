"""The rolling summary (003-28 to 003-31): a new part after each answer, made shorter once it passes its budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_dental.strings import say

if TYPE_CHECKING:
    from pydantic import BaseModel

    from troly.llm.session import ModelSession

QUESTION, ANSWER = 160, 320
LONGEST_PART = 700
_SOURCES = re.compile(r"\n\s*(?:\*\*|#+\s*)?(?:Nguồn tham khảo|Sources|References)\s*:?", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_MARKS = re.compile(r"[*_`#>]+|\[\d+\]")


def joined(existing: str, new: str) -> str:
    """`existing + "\\n\\n" + new` (003-29, 003-30); the first part stands alone."""
    return f"{existing}\n\n{new}" if existing.strip() else new


def rule_summary(question: str, response: str, lang: Lang) -> str:
    """One paragraph without a model: the question, and the answer's first sentence with those that hold numbers."""
    told = _MARKS.sub("", _SOURCES.split(response, maxsplit=1)[0])
    sentences = [" ".join(part.split()) for part in _SENTENCE.split(told) if part.strip()]
    chosen, room = sentences[:1], ANSWER - sum(map(len, sentences[:1]))
    for sentence in sentences[1:]:
        if re.search(r"\d", sentence) and len(sentence) <= room:
            chosen.append(sentence)
            room -= len(sentence) + 1
    said, asked = _cut(" ".join(chosen), ANSWER), _cut(" ".join(question.split()), QUESTION)
    return say("memory.summary_pair", lang, question=asked, answer=said)


def fitted(summary: str, tokens: int) -> str:
    """The newest parts of the summary that take at most `tokens` tokens."""
    from troly.llm.prompts import estimate

    parts = [part for part in summary.split("\n\n") if part.strip()]
    while parts and estimate("\n\n".join(parts)) > tokens:
        parts.pop(0)
    return "\n\n".join(parts)


async def summarise(
    model: ModelSession, question: str, response: str, *, existing: str, tokens: int, lang: Lang
) -> tuple[str, str]:
    """The summary after an answer and who made its newest part, "model" or "rules".

    One call at most, and none of a model that cannot be asked: it sums up the new answer, or, when the summary would
    pass `tokens`, all of it anew. Pinned facts are kept elsewhere and are not in danger here. Never raises ModelError.
    """
    from troly.llm.prompts import estimate
    from troly_dental.strings import prompts

    rules = rule_summary(question, response, lang)
    anew = bool(existing.strip()) and estimate(joined(existing, rules)) > tokens
    name = "summary_anew" if anew else "summary"
    values = {"existing": existing} if anew else {}
    told = _cut(_SOURCES.split(response, maxsplit=1)[0], 6000)
    messages = prompts().messages(name, lang, question=_cut(question, 1000), response=told, **values)
    schema = _schema()
    decided = await model.decide("summary", schema, messages, lambda: schema(summary=""), role="small")
    part = _one_part(getattr(decided.value, "summary", ""), tokens if anew else 0)
    if decided.source == "rules" or not part:
        return fitted(joined(existing, rules), tokens), "rules"
    return fitted(part if anew else joined(existing, part), tokens), "model"


def _schema() -> type[BaseModel]:
    from pydantic import Field, create_model

    return create_model("Summary", summary=(str, Field(max_length=1900)))


def _one_part(text: str, tokens: int) -> str:
    """What the model wrote: one paragraph of a new answer, several of a whole summary."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return "\n\n".join(lines) if tokens else _cut(" ".join(lines), LONGEST_PART)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
