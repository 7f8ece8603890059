"""The guard's verdict: rules where they are sure, the small model in the grey band only (003-08, 003-09, C1); and what it says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from troly.errors import ModelError
from troly.text.catalogue import Lang
from troly.text.fold import bigrams, fold, folded_words
from troly.text.wordlist import read_lists
from troly_dental.guard.danger import SENTENCE, danger
from troly_dental.guard.rules import ASKS_AT_END, Judgement, judge, names_mouth, telling_words
from troly_dental.guard.spelling import LEXICONS, part_read
from troly_dental.memory.facts import find_facts
from troly_dental.safety import asks_of_clinic, medicines, none_known, stated, taken_back, thanks, wishes
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.llm.prompts import PromptFolder
    from troly.plugin.context import TurnContext
    from troly.plugin.contract import Mode, Purpose


_ATTEMPTS = 2
_SHOWN = 600
# An answer of one word was asked for; a model that writes on is not listened to.
_HEARD = 400
_NO, _YES = re.compile(r"\bNO\b", re.IGNORECASE), re.compile(r"\bYES\b", re.IGNORECASE)
# A word that is long enough to tell by itself what is spoken of.
_LONG_WORD = 6
_HEALTH_WISHES = frozenset({"dose", "prescription", "medicine", "diagnosis", "recall", "declare", "forget"})
# What only says that something was heard.
_HEARD_ONLY = frozenset(read_lists(LEXICONS / "beside.txt")["heard only"])
# What a model thinks aloud, and the mark of it that is only begun.
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)|<(?:t(?:h(?:i(?:nk?)?)?)?)?\Z", re.DOTALL | re.IGNORECASE)


_SHORT_THANKS = 12
_REQUESTS = re.compile(
    r"\b(?:hoi|muon|xin|giup|con|them|can|ke|noi|giai thich|gia|chi phi|nhung|mai|tell|want|need|explain|about|but|more|also)\b"
)
_ANSWERS_HERE = r"(?:bac si|nha si|bs|bsi|nguoi|robot|bot|ai|may|chatbot|chuyen gia|tro ly ao)"
_WHO = re.compile(
    rf"\W*(?:(?:oi|cho|hoi|e|em|a|da|the|vay|ma|ne)\W+)*(?:ban|em|ad|admin|shop|app|bot|may|ben nay|ben kia|day|ai do|ong|ba|anh|chi)\W+(?:dang\W+)?"
    rf"(?:co phai|phai|co|la)\W+(?:la\W+)?{_ANSWERS_HERE}\b\W*(?:(?:that|thiet|xin|su|thuc|rang|co bang|hay|hay la|la|{_ANSWERS_HERE}|khong|ko|k|hong|ha|a|vay|the|do|day|ta|nhi|chu|di)\b\W*)*"
    r"|\W*(?:hi|hey|hello|so|wait|and)?\W*(?:are|r)\W+(?:you|u)\W+(?:an?\W+|really\W+|actually\W+)*(?:real|actual|qualified|licensed|human)?\W*"
    r"(?:doctor|dentist|human|person|bot|robot|ai|machine|chatbot)?\b(?:\W+or\W+(?:just\W+)?(?:an?\W+)?\w+)?\W*"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a message is about dental care, who decided, the score 0 to 1 of the rules, and why."""

    dental: bool
    source: Literal["rules", "model"]
    score: float
    reason: str
    social: bool = False


async def guard(
    turn: TurnContext,
    text: str,
    last: str = "",
    *,
    previous_dental: bool = False,
    names_subject: Callable[[str], bool] = lambda _text: False,
    is_answered: Callable[[str], bool] = lambda _text: False,
) -> Verdict:
    """The verdict on `text` (003-07): rules where it is plainly about teeth or plainly none, else the model, whose word stands.

    `last` is the person's message before, `previous_dental` how it was judged: what names no subject of its own goes on
    about the same. What a person states of their health is never off topic, nor a word of the mouth beside what
    `names_subject` (asked only where the rules do not know) takes for the subject of a note, nor what one `is_answered` by.
    No model that fails stops the turn.
    """
    if await asyncio.to_thread(lambda: asks_who(text) or _only_thanks(text)):
        return Verdict(False, "rules", 0.0, "social", social=True)
    # The first message of a process reads the word lists; nobody else should wait for that.
    ruled = await asyncio.to_thread(judge, text, last or None, previous_dental)
    if not (ruled.dental or ruled.refused) and (asked := last_question(text)):
        # Whatever is told before it, the message asks this.
        alone = await asyncio.to_thread(judge, asked, None, False)
        ruled = alone if alone.dental else ruled
    if not ruled.dental and await asyncio.to_thread(
        lambda: about_health(text) or (not ruled.refused and asks_of_clinic(text))
    ):
        return Verdict(True, "rules", ruled.score, "health")
    undecided = not (ruled.dental or ruled.refused)
    if undecided and await asyncio.to_thread(
        lambda: (names_mouth(text) and names_subject(text)) or (not ruled.social and is_answered(text))
    ):
        return Verdict(True, "rules", ruled.score, f"subject; {ruled.reason}")
    if ruled.dental or ruled.social or ruled.refused:
        return _by_rules(ruled, ruled.reason)
    try:
        said = await _ask(turn, text, last)
    except ModelError as error:
        said, failed = None, error.key
    else:
        failed = "?"
    if said is None:
        return _by_rules(ruled, f"{ruled.reason} ({failed})")
    return Verdict(said, "model", ruled.score, ruled.reason)


def asks_who(text: str) -> bool:
    """Whether a message asks nothing but whether a doctor, a person or a machine answers here."""
    return bool(_WHO.fullmatch(fold(text)))


def _only_thanks(text: str) -> bool:
    """Whether a message thanks, and beside it asks and tells nothing of a mouth or of an illness: "cảm ơn, vậy em yên tâm rồi"."""
    return (
        thanks(text)
        and len(folded_words(text)) <= _SHORT_THANKS
        and not (ASKS_AT_END.search(fold(text)) or _REQUESTS.search(fold(text)) or names_mouth(text))
        and not (about_health(text) or danger(text))
    )


def last_question(text: str) -> str:
    """The last sentence of several where it is marked as a question, else ""."""
    *before, last = SENTENCE.split(text.strip())
    return last if before and last.endswith("?") else ""


def about_health(text: str) -> bool:
    """Whether the person states or takes back an allergy, a medicine, a pregnancy, an illness or an age, names a medicine or
    asks for one."""
    found = find_facts(text)
    return bool(
        stated(found)
        or none_known(found)
        or taken_back(found)
        or _HEALTH_WISHES & set(wishes(text))
        or medicines().find(text)
    )


def without_thoughts(reply: str) -> str:
    """`reply`, or what there is of it so far, without what the model thinks aloud between `<think>` and `</think>`."""
    return _THOUGHTS.sub("", reply)


def read_answer(reply: str) -> bool | None:
    """YES or NO as whole words of the first line that says anything, NO first; None when neither is there (C1)."""
    lines = (line for line in without_thoughts(reply).splitlines() if line.strip())
    first = next(lines, "")
    if _NO.search(first):
        return False
    return True if _YES.search(first) else None


def _by_rules(ruled: Judgement, reason: str) -> Verdict:
    return Verdict(ruled.score >= 0.5, "rules", ruled.score, reason, ruled.social)


async def _ask(turn: TurnContext, text: str, last: str) -> bool | None:
    answers = [message.text for message in turn.history if message.sender == "assistant"][-1:]
    messages = _prompts().messages(
        "guard",
        turn.language,
        previous=_one_line(last or "-"),
        answer=_one_line(answers[0] if answers else "-"),
        question=_one_line(text),
    )
    for _ in range(_ATTEMPTS):
        said = ""
        async with aclosing(turn.model.stream("guard", messages, role="guard", tokens=64)) as pieces:
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


def advice(name: str, lang: Lang) -> str:
    """What to do now for the danger `name`; raises KeyError for an unknown one."""
    return say(f"guard.red_flag.{name}", lang)


def rejection(text: str, lang: Lang, others: Iterable[Mode], own: str, *, social: bool = False) -> str:
    """A friendly no (003-11): what this assistant is for, and the others whose purpose has words of the message."""
    if social:
        key = "who" if asks_who(text) else "thanks" if thanks(text) else "social" if _wordy(text) else "heard"
        return say(f"guard.{key}", lang)
    lines = [say("guard.rejected.other", lang)]
    fitting = [
        say("guard.rejected.line", lang, name=mode.names[lang], purpose=mode.about.sentence[lang])
        for mode in others
        if mode.id != own and mode.about is not None and _speaks_of(mode.about, text)
    ]
    if fitting:
        lines += [say("guard.rejected.referral", lang), *fitting]
    return "\n".join([*lines, say("guard.rejected.ask", lang)])


def _wordy(text: str) -> bool:
    """Whether `text` says more than that it was heard: "ok", "vâng ạ", "haha"."""
    return bool(set(folded_words(text)) - _HEARD_ONLY)


def _speaks_of(about: Purpose, text: str) -> bool:
    """Whether a pair of words, or a long one, of `text` stands in what an assistant says it is for."""
    told = [
        *about.sentence.values(),
        *(each for listed in about.examples.values() for each in listed),
    ]
    said = telling_words(text)
    held = {word for each in told for word in telling_words(each)}
    pairs = {pair for each in told for pair in bigrams(folded_words(each))}
    return bool(set(bigrams(folded_words(text))) & pairs and said & held) or any(
        len(word) >= _LONG_WORD and word in held for word in said
    )
