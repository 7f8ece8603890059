"""Cutting a document into chunks of a size that a search can rank and a model can read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from troly.retrieval.documents.files import TextBlock
from troly.text.catalogue import Lang, tr

# Where in a document a passage stands: stored as a code, told in the reader's language.


_PLACE = re.compile(r"(page|row|line):(\d+)(?:-(\d+))?$")


def join_places(places: Iterable[str]) -> str:
    """The places of a chunk's blocks as one: `page:3`, or a range `row:12-15`."""
    found = [place for place in places if place]
    first, last = (_PLACE.match(found[0]), _PLACE.match(found[-1])) if found else (None, None)
    if not first or not last or first[1] != last[1]:
        return found[0] if found else ""
    end = last[3] or last[2]
    return f"{first[1]}:{first[2]}" if end == first[2] else f"{first[1]}:{first[2]}-{end}"


def describe_place(place: str, lang: Lang) -> str:
    """`page:3` as "trang 3" or "page 3"; a place of another form is given as it is."""
    found = _PLACE.match(place)
    if not found:
        return place
    span = f"{found[2]}-{found[3]}" if found[3] else found[2]
    return tr(f"errors.knowledge.place.{found[1]}", lang, span=span)


TARGET = 1400
"""Characters a chunk of prose is filled up to; never more. Most paragraphs stay whole, which ranks them better."""
LARGEST = 1400
"""Characters up to which one table row or list item is kept whole."""
ROWS = 300
"""Characters up to which table rows share a chunk: a row is mostly looked for by itself."""
OVERLAP = 200
"""The longest sentence that is repeated at the start of the next chunk."""

_SENTENCE = re.compile(r"(?<=[.!?…;])[\"”’)\]]*\s+|\n+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: `heading` is the path of headings above it, joined by ` › `; `where` as in `Block`, or a range."""

    position: int
    text: str
    heading: str = ""
    where: str = ""


@dataclass(slots=True)
class _Open:
    """The chunk that is being filled; `fresh` is False while it holds nothing but a repeated sentence."""

    heading: tuple[str, ...]
    parts: list[str]
    places: list[str]
    unit: str = "prose"
    fresh: bool = False

    def size(self) -> int:
        return sum(map(len, self.parts)) + max(0, len(self.parts) - 1)


def chunk_blocks(blocks: Iterable[TextBlock]) -> list[Chunk]:
    """`blocks` as chunks, in order, deterministic; every word of every block is in a chunk.

    A chunk never crosses a heading. Prose chunks have at most `TARGET` characters and begin with the last sentence of
    the one before; a row or an item of up to `LARGEST` is never divided.
    """
    done: list[Chunk] = []
    current = _Open((), [], [])
    for block in blocks:
        for piece in _pieces(block):
            limit = ROWS if block.unit == "row" and current.unit == "row" else TARGET
            if block.heading != current.heading:
                _close(current, done)
                current = _Open(block.heading, [], [])
            elif current.fresh and current.size() + 1 + len(piece) > limit:
                _close(current, done)
                repeated = _last_sentence(current, TARGET - len(piece) - 1)
                current = _Open(block.heading, [repeated] if repeated else [], [])
            current.parts.append(piece)
            current.places.append(block.where)
            current.unit, current.fresh = block.unit, True
    _close(current, done)
    return done


def _close(current: _Open, done: list[Chunk]) -> None:
    if current.fresh:
        place = join_places(current.places)
        done.append(Chunk(len(done), "\n".join(current.parts), " › ".join(current.heading), place))


def _last_sentence(current: _Open, room: int) -> str:
    """The sentence to repeat, empty after a row or an item and where it would not fit."""
    if current.unit != "prose" or not current.parts:
        return ""
    sentence = list(_sentences(current.parts[-1]))[-1]
    whole = sentence == current.parts[-1] and len(current.parts) == 1
    return "" if whole or len(sentence) > min(OVERLAP, room) else sentence


def _pieces(block: TextBlock) -> Iterator[str]:
    """`block` itself, or parts of it that fit: paragraphs of sentences, then words, then characters."""
    text = block.text.strip()
    largest = TARGET if block.unit == "prose" else LARGEST
    if len(text) <= largest:
        if text:
            yield text
        return
    filled = ""
    for part in _small(text):
        # Room is left for the sentence that the next chunk repeats.
        if filled and len(filled) + 1 + len(part) > TARGET - OVERLAP - 1:
            yield filled
            filled = ""
        filled = f"{filled} {part}" if filled else part
    yield filled


def _small(text: str) -> Iterator[str]:
    for sentence in _sentences(text):
        if len(sentence) <= TARGET:
            yield sentence
            continue
        for word in sentence.split():
            yield from (word[at : at + TARGET] for at in range(0, len(word), TARGET))


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for found in _SENTENCE.finditer(text):
        # What closes the sentence, a quote or a bracket, stays with it.
        end = found.end() - len(found[0]) + len(found[0].rstrip())
        if text[begin:end].strip():
            yield text[begin:end].strip()
        begin = found.end()
    if text[begin:].strip():
        yield text[begin:].strip()
