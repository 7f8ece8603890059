"""Finds serials in a message by evidence: what stands near, what they are made of, and what the table knows."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from troly.text.catalogue import Lang
from troly.text.fold import WordToken, nfc, tokens
from troly.text.match import Lexicon
from troly.text.wordlist import read_lists
from troly_shopping.codes import ordinary_reason
from troly_shopping.evidence import (
    FOLDER,
    Candidate,
    judge_lists,
    judge_neighbours,
    judge_question,
    judge_shape,
    words,
)
from troly_shopping.strings import say

# The documents' expression (000-39) with one boundary more: no letter of any script may touch a serial (C5).
SERIAL = re.compile(
    r"(?<![\w\u0300-\u036f-])(?=[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*)([A-Za-z0-9-]{3,32})(?![\w\u0300-\u036f-])"
)
# A pasted list may be long, a pasted page must not cost seconds: `Reading.cut` says where reading stopped short.
MAX_CANDIDATES = 2_000
MAX_TEXT = 40_000
# Codes this short are rarely serials unless something says so.
_SHORT = 5
# Bounded, so that a long run without blanks is read once and not once for each of its characters.
_ADDRESS = re.compile(r"[^\s@]{1,64}@\S{1,255}|(?:https?://|www\.)\S+")
_CODE = re.compile(r"[^\s,;:]+")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message says of serials.

    `serials` are as typed, each once, in order; `sure` when one is known or stands beside a word for serial;
    `attempted` when something was offered as a serial that cannot be one; `bare` when the message is nothing else;
    `cut` when the message was too long to be read whole.
    """

    serials: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    sure: bool = False
    attempted: bool = False
    bare: bool = False
    cut: bool = False

    def reason(self, lang: Lang) -> str:
        """The evidence in one line, for the trace."""
        told = []
        for item in self.candidates[:8]:
            why = ", ".join(say(f"evidence.{name}", lang) for name, _ in item.evidence) or "-"
            told.append(f"{item.text} {'✓' if item.chosen else '✗'} ({why})")
        return "; ".join(told)


def read_serials(
    text: str,
    *,
    known: Callable[[str], bool],
    modelled: Callable[[str], bool] = lambda _code: False,
    context: bool = False,
    awaiting: bool = False,
) -> Reading:
    """The serials of a message (000-39, 000-40, C5).

    `known` says whether the table has a serial, `modelled` whether the catalogue has a product with that code;
    `context` that the message is about a warranty, `awaiting` that a serial was asked for.
    """
    text, cut = nfc(text[:MAX_TEXT]), len(text) > MAX_TEXT
    typed = tokens(text)
    candidates = _candidates(text)
    bare = _is_bare(text, typed, candidates)
    alone = context and _is_alone(text, typed, candidates)
    for item in candidates:
        item.known = known(item.text)
        reason = _judge(text, item, context=context, awaiting=awaiting)
        if bare:
            item.evidence.append(("bare", 2.0 if awaiting else 1.0))
        elif alone and reason in {"", "maybe_model"}:
            item.evidence.append(("alone", 3.0))
        elif len(item.text) <= _SHORT and not awaiting:
            item.evidence.append(("short", -2.0))
        if item.lettered and modelled(item.text):
            item.evidence.append(("modelled", -5.0))
    judge_neighbours(text, typed, candidates)
    judge_question(text, candidates)
    judge_lists(text, candidates)
    chosen = _chosen(text, candidates)
    serials = tuple({item.text.upper(): item.text for item in reversed(chosen)}.values())[::-1]
    sure = any(item.known or item.labelled for item in chosen)
    attempted = not serials and _attempted(text, typed, awaiting=awaiting)
    cut = cut or len(candidates) == MAX_CANDIDATES
    return Reading(serials, tuple(candidates), sure, attempted, bare and bool(serials), cut)


def _judge(text: str, item: Candidate, *, context: bool, awaiting: bool) -> str:
    """The evidence in the candidate itself; returns what ordinary code it may be, "" if none."""
    reason = ordinary_reason(text, item.start, item.end)
    if item.known:
        item.evidence.append(("known", 10.0))
    judge_shape(item, shaped=reason == "maybe_model", awaiting=awaiting)
    if context or awaiting:
        item.evidence.append(("awaiting" if awaiting else "context", 2.0))
    if reason:
        item.evidence.append((reason, -2.5 if reason == "maybe_model" else -6.0))
    return reason


def candidate_texts(text: str) -> list[str]:
    """What the documents' expression accepts in `text`, as `read_serials` will ask `known` for it."""
    return [item.text for item in _candidates(nfc(text[:MAX_TEXT]))]


def _candidates(text: str) -> list[Candidate]:
    addresses = [match.span() for match in _ADDRESS.finditer(text)]
    found = []
    for match in SERIAL.finditer(text):
        start, end = match.span()
        if any(begin <= start < stop for begin, stop in addresses):
            continue
        serial = match.group().strip("-")
        if len(serial) >= 3:
            found.append(Candidate(serial, start, end))
        if len(found) == MAX_CANDIDATES:
            break
    return found


def _chosen(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """A code beside a word for serial outdoes codes that only stand in the same message."""
    chosen = [item for item in candidates if item.chosen]
    if any(item.labelled for item in chosen):
        chosen = [item for item in chosen if item.known or item.labelled]
    return [item for item in chosen if not _is_split(text, item)]


def _is_split(text: str, item: Candidate) -> bool:
    """Whether digits follow capitals apart from them ("ABC 123"): no space is inside a serial, so nothing is guessed."""
    before = re.search(r"(?<![\w-])([A-Z]{2,6})[ _]$", text[max(0, item.start - 9) : item.start])
    lone = before is not None and not words().has(before.group(1), "label")
    return not item.known and item.text.isdigit() and lone


def _is_bare(text: str, typed: Sequence[WordToken], candidates: Sequence[Candidate]) -> bool:
    """Whether the message is candidates and words that mean nothing more."""
    spans = [(item.start, item.end) for item in candidates] + _filler_spans(text)
    return bool(candidates) and not _outside(typed, spans)


def _is_alone(text: str, typed: Sequence[WordToken], candidates: Sequence[Candidate]) -> bool:
    """Whether the message asks for the warranty of its one candidate and says nothing else."""
    spans = [(item.start, item.end) for item in candidates] + _filler_spans(text)
    spans += [(hit.start, hit.end) for hit in _asking().find(text)]
    return len(candidates) == 1 and not _outside(typed, spans)


def _attempted(text: str, typed: Sequence[WordToken], *, awaiting: bool) -> bool:
    """Whether something that cannot be a serial was offered as one."""
    rest = _outside(typed, _filler_spans(text))
    starts = [word.start for word in rest]
    for hit in words().find(text):
        if hit.label == "label":
            at = bisect_left(starts, hit.end)
            if at < len(rest) and _is_code(_chunk_at(text, starts[at])):
                return True
    return awaiting and 0 < len(rest) <= 3 and any(_is_code(_chunk_at(text, word.start)) for word in rest)


def _filler_spans(text: str) -> list[tuple[int, int]]:
    return [(hit.start, hit.end) for hit in _fillers().find(text)]


def _outside(typed: Sequence[WordToken], spans: Sequence[tuple[int, int]]) -> list[WordToken]:
    """The words that begin in none of `spans`."""
    ordered, at, reached = sorted(spans), 0, -1
    rest = []
    for word in typed:
        while at < len(ordered) and ordered[at][0] <= word.start:
            reached = max(reached, ordered[at][1])
            at += 1
        if reached <= word.start:
            rest.append(word)
    return rest


def _chunk_at(text: str, start: int) -> str:
    """The run of characters without spaces or commas around `start`."""
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in ",;:":
        start -= 1
    match = _CODE.match(text, start)
    return match.group().rstrip(".!?)") if match else ""


def _is_code(chunk: str) -> bool:
    if any(char.isdigit() for char in chunk):
        return True
    letters = [char for char in chunk if char.isalpha()]
    return len(letters) >= 2 and chunk.isascii() and chunk.upper() == chunk


@cache
def _asking() -> Lexicon:
    asking = read_lists(FOLDER / "intents.txt")["warranty"]
    return Lexicon({"warranty": asking, "look up": read_lists(FOLDER / "serials.txt")["look up"]})


@cache
def _fillers() -> Lexicon:
    return Lexicon({"filler": read_lists(FOLDER / "serials.txt")["filler"]})
