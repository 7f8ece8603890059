"""What a question is about, and whether it says so at all: the subject before its predicate, its telling words."""

from __future__ import annotations

import re

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, fold, tokens
from troly.text.match import PhraseHit
from troly_rag.routing.words import asking_lists, label
from troly_rag.strings import say

_EDGES = " \t\r\n,.;:!?-–—…"


def content(text: str) -> list[WordToken]:
    """The words of `text` that tell what it is about."""
    lists = asking_lists()
    hits = [hit for name in ("ask", "request", "pronoun", "follow_end") for hit in label(name).find(text)]
    empty = lists["stop"] | lists["predicate"] | lists["join"] | lists["follow"]
    return [
        token
        for token in tokens(text)
        if token.folded not in empty and not any(hit.start <= token.start < hit.end for hit in hits)
    ]


def subject(text: str, lang: Lang) -> str:
    """The subject of a question in its own words: what stands before the predicate, without requests; "" if none."""
    begin = 0
    for hit in sorted(label("request").find(text), key=lambda hit: hit.start):
        if not tokens(text[begin : hit.start]):
            begin = hit.end
    rest = text[begin:]
    if lang == "en":
        effect = next(iter(label("effect").find(rest)), None)
        return _trim(_english(rest[: effect.start] if effect is not None else rest))
    cut = next((hit.start for hit in _closing(rest) if content(rest[: hit.start])), len(rest))
    return _trim(rest[:cut])


def predicate(text: str) -> str:
    """What is asked of the subject: the question from its predicate on; "" where none is recognised."""
    cut = next((hit.start for hit in _closing(text) if content(text[: hit.start])), len(text))
    return text[cut:].strip(_EDGES)


def sentence(text: str, lang: Lang) -> str:
    """`text` as one full sentence: a capital, one mark at the end, and a bare subject made a question."""
    bare = " ".join(text.split()).strip(_EDGES)
    if not bare:
        return ""
    asked = "?" in text or bool(label("ask").find(bare))
    requested = _requested(bare)
    if not asked and not requested and _is_bare(bare):
        bare = say(
            "refine.what" if _mentions_company(bare) else "refine.what_company", lang, topic=_lower(bare)
        )
        asked = True
    shown = bare[:1].upper() + bare[1:]
    return shown if not asked or requested else f"{shown}?"


def is_elliptical(text: str) -> bool:
    """Whether a question begins with its predicate and leaves its subject to what was said before."""
    first = next(iter(tokens(text)), None)
    if first is None:
        return False
    hits = [hit for name in ("predicate", "pronoun") for hit in label(name).find(text)]
    return any(hit.start == first.start for hit in hits) or not content(text)


def normal(text: str, lang: Lang) -> str:
    """`text` with what people leave out at its beginning: "muộn có ..." is "đi muộn có ..."."""
    bare = text.strip(_EDGES)
    first = next(iter(tokens(bare)), None)
    if lang == "vi" and first is not None and first.folded in asking_lists()["late"]:
        return say("refine.late", lang, text=bare)
    return bare


def _closing(text: str) -> list[PhraseHit]:
    hits = [hit for name in ("predicate", "ask", "effect", "request") for hit in label(name).find(text)]
    return sorted(hits, key=lambda hit: hit.start)


def _english(text: str) -> str:
    """The longest run of words that are neither question nor predicate words."""
    telling = content(text)
    if not telling:
        return ""
    runs: list[tuple[int, int]] = []
    for token in telling:
        if (
            runs
            and len(tokens(text[runs[-1][1] : token.start])) <= 1
            and text[runs[-1][1] : token.start].strip()
            in (
                "",
                "of",
                "for",
                "the",
            )
        ):
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return text[start:end]


def _requested(text: str) -> bool:
    first = next(iter(tokens(text)), None)
    return first is not None and any(hit.start == first.start for hit in label("request").find(text))


def _is_bare(text: str) -> bool:
    """Whether it is only a name of something: no predicate, no action."""
    named = {fold(word) for word in text.split()}
    acts = asking_lists()["action"]
    return not label("predicate").find(text) and not named & acts and len(tokens(text)) <= 8


def _mentions_company(text: str) -> bool:
    return bool(label("company").find(text))


def _lower(text: str) -> str:
    """`text` with a small first letter, unless its first word is an abbreviation."""
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _trim(text: str) -> str:
    shown = text.strip(_EDGES)
    shown = re.sub(r"\s+(?:và|and)$", "", shown, flags=re.IGNORECASE)
    return re.sub(r"^(?:việc|về|cho|the|of|for)\s+", "", shown, flags=re.IGNORECASE)
