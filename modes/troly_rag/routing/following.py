"""Understands a message that leans on the one before it ("còn nghỉ ốm thì sao?") as a question of its own."""

from __future__ import annotations

from dataclasses import dataclass

from troly.text.catalogue import Lang
from troly.text.fold import fold, tokens
from troly_rag.routing.tooling import is_arithmetic
from troly_rag.routing.topics import content, is_elliptical, predicate, subject
from troly_rag.routing.words import label
from troly_rag.strings import say

_EDGES = " \t\r\n,.;:!?-–—…"
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class Understood:
    """The question in full; `leaned` says that it took something from the one before, `about` what it asks
    the same of ("còn X thì sao")."""

    text: str
    leaned: bool = False
    about: str = ""


def understand(message: str, before: str, lang: Lang) -> Understood:
    """`message` with what it leaves to `before`, the last question in full ("" when there was none)."""
    text = message.strip()
    if not before or len(tokens(text)) > _LONGEST:
        return Understood(text)
    about = _asked_about(text)
    if about:
        return Understood(_same_of(about, before, lang), leaned=True, about=about)
    if not _leans(text):
        return Understood(text)
    topic = subject(before, lang) or before.strip(_EDGES)
    return Understood(_with_topic(text, topic, lang), leaned=True)


def _asked_about(text: str) -> str:
    """X in "còn X thì sao", "what about X"; "" for any other message."""
    opening = next((hit for hit in label("follow").find(text) if not tokens(text[: hit.start])), None)
    ending = next(
        (hit for hit in reversed(label("follow_end").find(text)) if not tokens(text[hit.end :])), None
    )
    if opening is None:
        return ""
    about = text[opening.end : ending.start if ending is not None else len(text)].strip(_EDGES)
    if not content(about):
        return ""
    short = ending is not None or not label("ask").find(about)
    return about if short and len(tokens(about)) <= _LONGEST else ""


def _same_of(about: str, before: str, lang: Lang) -> str:
    """The question `before`, asked about something else."""
    if lang == "vi":
        rest = predicate(before)
        return f"{about} {rest}?" if rest else say("refine.about", lang, topic=about, before=before)
    return _swapped(before, about) or say("refine.about", lang, topic=about, before=before.strip(_EDGES))


def _swapped(before: str, about: str) -> str:
    """The question with `about` in the place of what ends in the same word; "" where there is no such thing."""
    words, head = tokens(before), fold(about.rsplit(maxsplit=1)[-1])
    telling = {token.start for token in content(before)}
    place = next((at for at, token in enumerate(words) if token.folded == head), None)
    if place is None:
        return ""
    first = place
    while first > 0 and words[first - 1].start in telling:
        first -= 1
    return f"{before[: words[first].start]}{about}{before[words[place].end :]}"


def _leans(text: str) -> bool:
    """Whether it names nothing itself: it begins with its predicate or speaks of "cái đó"."""
    telling = content(text)
    if not telling:
        return True
    if is_arithmetic(text):
        return False
    pronoun = any(
        len(hit.phrase.split()) > 1 or hit.phrase in ("nó", "it", "they")
        for hit in label("pronoun").find(text)
    )
    return (pronoun and len(telling) <= 4) or (is_elliptical(text) and len(telling) <= 2)


def _with_topic(text: str, topic: str, lang: Lang) -> str:
    """The message with the topic put where its pronoun stands, or before it."""
    pronouns = [
        hit for hit in label("pronoun").find(text) if hit.phrase not in ("vậy", "thế", "đó", "this", "that")
    ]
    if pronouns:
        hit = pronouns[0]
        return f"{text[: hit.start]}{topic}{text[hit.end :]}".strip()
    if lang == "en":
        return say("refine.about", lang, topic=topic, before=text.strip(_EDGES))
    opening = next((hit for hit in label("follow").find(text) if not tokens(text[: hit.start])), None)
    rest = text[opening.end :].strip(_EDGES) if opening is not None else text.strip(_EDGES)
    return f"{topic} {rest}?" if rest else f"{topic}?"
