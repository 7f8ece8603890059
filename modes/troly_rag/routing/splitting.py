"""Splits a message into the questions it holds, each with its own subject."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from troly.text.fold import nfc
from troly_rag.routing.picking import Picked
from troly_rag.routing.topics import content
from troly_rag.routing.words import ENOUGH, label, tool_words

_HARD = re.compile(r"[?!;\n]+|\.(?=\s|$)")
_COMMA = re.compile(r",(?!\d)")
# How sure the agents of two halves must be before they are two questions though only one of them asks.
_SURE, _FAR = 0.55, 0.2
_MOST = 8


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the message and how it was parted from the one before."""

    start: int
    end: int
    hard: bool


def split(message: str, pick: Callable[[str], Picked]) -> tuple[str, ...]:
    """The questions of `message`, in order, as typed; at least one. `pick` tells which agent a text is for."""
    text = nfc(message)[:ENOUGH]
    pieces = _pieces(text)
    if not pieces:
        return (message.strip(),)
    found = [pieces[0]]
    for piece in pieces[1:]:
        last = found[-1]
        left, right = text[last.start : last.end], text[piece.start : piece.end]
        if len(found) < _MOST and (piece.hard or not _asks_of_it(right)) and _are_two(left, right, pick):
            found.append(piece)
        else:
            found[-1] = _Piece(last.start, piece.end, last.hard)
    return tuple(_as_typed(text, piece) for piece in found)


def _as_typed(text: str, piece: _Piece) -> str:
    """The stretch, with the question mark that followed it."""
    mark = "?" if text[piece.end :].lstrip()[:1] == "?" else ""
    return text[piece.start : piece.end].strip(" \t\r\n,.;:") + mark


def _pieces(text: str) -> list[_Piece]:
    """Stretches between marks, commas and joining words, without empty ones."""
    cuts = [(m.start(), m.end(), True) for m in _HARD.finditer(text)]
    cuts += [(m.start(), m.end(), False) for m in _COMMA.finditer(text)]
    # Without its accents a joining word may be another one ("con", "roi"); only "va" is safe.
    joins = (hit for hit in label("join").find(text) if hit.exact or " " in hit.phrase or hit.phrase == "và")
    cuts += [(hit.start, hit.end, False) for hit in joins]
    found, at, hard = [], 0, False
    for start, end, is_hard in sorted(cuts):
        if start < at:
            continue
        if text[at:start].strip():
            found.append(_Piece(at, start, hard))
            hard = is_hard
        else:
            hard = hard or is_hard
        at = end
    if text[at:].strip(" \t\r\n.,"):
        found.append(_Piece(at, len(text), hard))
    return found


def _are_two(left: str, right: str, pick: Callable[[str], Picked]) -> bool:
    """Whether two neighbours ask for two things: both ask, or they are clearly for different agents."""
    if not content(left) or tool_words("compare").find(right[: len(right) // 2 + 1]):
        return False
    if _asks(left) and _asks(right):
        return True
    if not content(right):
        return False
    first, second = pick(left), pick(right)
    if first.agent == second.agent:
        return False
    return min(first.confidence, second.confidence) >= _SURE and min(first.margin, second.margin) >= _FAR


def _asks_of_it(text: str) -> bool:
    """Whether it only asks when, where, whom or how much of the thing that was just named ("gọi số nào")."""
    words = label("asked_of").find(text)
    return all(
        any(hit.start <= token.start < hit.end for hit in words) or token.folded.isdigit()
        for token in content(text)
    )


def _asks(text: str) -> bool:
    return "?" in text or bool(label("ask").find(text)) or bool(label("request").find(text))
