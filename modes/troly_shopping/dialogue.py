"""Where the conversation stands, and what a message does to it: confirm, choose, correct, repeat, cancel, ask for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from troly.text.fold import nfc, tokens
from troly.text.match import Lexicon, PhraseHit
from troly_shopping.awaiting import awaiting_serial
from troly_shopping.evidence import FOLDER, Candidate
from troly_shopping.serials import Reading
from troly_shopping.warranty import INVALID, PROMPT, RESULT

if TYPE_CHECKING:
    from troly.stores.records import StoredMessage

Act = Literal["", "person", "confirm", "choose", "ask", "cancel", "repeat"]
# How many answers back a request for a serial is remembered.
REMEMBERED = 4
# Longer messages say more than one of these things.
MAX_CHARS = 400
_WARRANTY = {PROMPT, INVALID, RESULT}
_ORDER = ("first", "second", "third")


@dataclass(frozen=True, slots=True)
class Situation:
    """What the desk's own messages say of the conversation (000-48).

    `awaiting` when the last one asks for a serial; `earlier` when one shortly before did and nothing has settled it;
    `offered` the serials of a "did you mean"; `asked` what was looked up last, `mentioned` all that was; `warranty`
    when the last answer was about a warranty.
    """

    awaiting: bool = False
    earlier: bool = False
    offered: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    warranty: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """What a message does: `confirm` and `repeat` look up `serials`, `ask` asks for one again."""

    act: Act = ""
    serials: tuple[str, ...] = ()


def situation(history: Iterable[StoredMessage]) -> Situation:
    """The situation after `history`, oldest first."""
    answers = [m for m in history if m.sender == "assistant"]
    last = answers[-1] if answers else None
    awaiting = awaiting_serial(answers)
    mentioned: dict[str, None] = {}
    asked: tuple[str, ...] = ()
    for message in answers:
        shown = message.metadata.get("warranty_meta", {}).get("serial")
        if shown:
            asked = tuple(shown.split(", "))
            mentioned |= dict.fromkeys(asked)
    return Situation(
        awaiting=awaiting,
        earlier=not awaiting and _still_open(answers[-REMEMBERED:]),
        offered=tuple(last.metadata.get("offered", ())) if last else (),
        asked=asked,
        mentioned=tuple(mentioned),
        warranty=last is not None and (last.type in _WARRANTY or "warranty_meta" in last.metadata),
    )


def _still_open(answers: Sequence[StoredMessage]) -> bool:
    for message in reversed(answers):
        if message.metadata.get("cancelled") or message.metadata.get("warranty_meta", {}).get("found"):
            return False
        if message.type in _WARRANTY:
            return True
    return False


def move(text: str, spot: Situation) -> Move:
    """What `text` does in this situation; a `Move` without an act when it is a message like any other."""
    if len(text) > MAX_CHARS:
        return Move()
    hits = _phrases().find(text)
    if _wants_person(hits):
        return Move("person")
    if spot.offered and (found := _answer_to_offer(text, spot, hits)):
        return found
    return _steering(text, spot, hits) if spot.awaiting or spot.earlier or spot.warranty else Move()


def _steering(text: str, spot: Situation, hits: Sequence[PhraseHit]) -> Move:
    """Another serial of those talked about, stop, once more, or a correction that names no serial."""
    labels = {hit.label for hit in hits}
    if "other" in labels and _only(text, hits, {"other", "no", "not this", "correction", "yes"}):
        rest = [serial for serial in spot.mentioned if serial not in spot.asked]
        return Move("confirm", tuple(rest)) if len(rest) == 1 else Move("ask")
    if "cancel" in labels and _only(text, hits, {"cancel", "no"}):
        return Move("cancel")
    if "repeat" in labels and _only(text, hits, {"repeat"}):
        return Move("repeat", () if spot.awaiting and not spot.asked else spot.asked)
    wrong = labels & {"correction", "not this"} and _only(text, hits, {"correction", "no", "not this"})
    return Move("ask") if wrong else Move()


def _answer_to_offer(text: str, spot: Situation, hits: Sequence[PhraseHit]) -> Move | None:
    for place, label in enumerate(_ORDER[: len(spot.offered)]):
        if any(hit.label == label for hit in hits) and _only(text, hits, {label, "yes"}):
            return Move("confirm", (spot.offered[place],))
    labels = {hit.label for hit in hits}
    if "yes" in labels and _only(text, hits, {"yes"}):
        return Move("confirm", spot.offered) if len(spot.offered) == 1 else Move("choose", spot.offered)
    if labels & {"no", "not this"} and _only(text, hits, {"no", "not this"}):
        return Move("ask")
    return None


def _wants_person(hits: Sequence[PhraseHit]) -> bool:
    """Whether a person is asked for, and not declined: "không cần gặp nhân viên"."""
    refused = [hit.end for hit in hits if hit.label == "not wanted"]
    return any(
        hit.label == "person" and not any(0 <= hit.start - end <= 2 for end in refused) for hit in hits
    )


def _only(text: str, hits: Sequence[PhraseHit], labels: set[str]) -> bool:
    """Whether every word of `text` belongs to one of `labels` or means nothing more."""
    spans = [(hit.start, hit.end) for hit in hits if hit.label in labels or hit.label == "filler"]
    spans += [(hit.start, hit.end) for hit in _fillers().find(text)]
    return all(any(start <= word.start < end for start, end in spans) for word in tokens(text))


def is_correction(text: str) -> bool:
    """Whether the message takes something back."""
    return len(text) <= MAX_CHARS and bool(
        {hit.label for hit in _phrases().find(text)} & {"correction", "not this"}
    )


def corrected(text: str, reading: Reading) -> Reading:
    """`reading` without the serials that the message itself takes back: "không phải A, B mới đúng", "A, à nhầm, B"."""
    if len(text) > MAX_CHARS or not reading.serials:
        return reading
    text = nfc(text)
    hits = _phrases().find(text)
    chosen = [item for item in reading.candidates if item.text in reading.serials]
    dropped = {item.text for item in chosen if _is_denied(text, item, hits)}
    turns = [hit.start for hit in hits if hit.label == "correction"]
    for at in turns:
        after = [item for item in chosen if item.start > at and item.text not in dropped]
        if after:
            dropped |= {item.text for item in chosen if item.end <= at}
    kept = tuple(serial for serial in reading.serials if serial not in dropped)
    return reading if kept == reading.serials else replace(reading, serials=kept, attempted=False)


def _is_denied(text: str, item: Candidate, hits: Sequence[PhraseHit]) -> bool:
    """Whether "not" stands right before it, with at most a word for serial between, or "wrong" right after."""
    for hit in hits:
        between = text[hit.end : item.start]
        if (
            hit.label == "not this"
            and 0 <= item.start - hit.end <= 12
            and not any(c.isdigit() for c in between)
        ):
            return "," not in between
        if hit.label == "no" and "sai" in hit.phrase and 0 <= hit.start - item.end <= 5:
            return True
    return False


def confirmed(serials: Sequence[str]) -> Reading:
    """A reading of serials that the customer agreed to or asked for again."""
    candidates = tuple(Candidate(one, 0, 0, [("confirmed", 10.0)], known=True) for one in serials)
    return Reading(tuple(serials), candidates, sure=True, bare=True)


@cache
def _phrases() -> Lexicon:
    from troly.text.wordlist import read_lists

    return Lexicon({k: v for k, v in read_lists(FOLDER / "dialogue.txt").items() if k != "filler"})


@cache
def _fillers() -> Lexicon:
    from troly.text.wordlist import read_lists

    return Lexicon({"filler": read_lists(FOLDER / "dialogue.txt")["filler"]})
