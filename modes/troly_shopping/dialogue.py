"""Where the conversation stands, and what a message does to it: confirm, choose, correct, repeat, cancel, ask for a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Literal

from troly.plugin.focus import Focus, FocusRow, Reference, find_reference
from troly.text.everyday import without_everyday
from troly.text.fold import WordToken, fold, folded_words, nfc, tokens
from troly.text.match import PhraseHit, spans_of, words_outside
from troly_shopping.products.query import grammar, opens_on
from troly_shopping.serials import SerialCandidate, SerialParse
from troly_shopping.warranty.rendering import INVALID, PROMPT, RESULT
from troly_shopping.wordlists import lexicon

if TYPE_CHECKING:
    from troly.stores.records import StoredMessage
    from troly_shopping.warranty.store import WarrantyRecord

Act = Literal["", "person", "confirm", "choose", "ask", "cancel", "repeat", "about", "no serial"]
# How many answers back a request for a serial is remembered.
REMEMBERED = 4
# The kind of the shared focus: rows are serials with their last day as `end`.
FOCUS = "warranty"
# Kept with an answer to a danger.
DANGER = "danger"
_THINGS = ("serial", "mã", "mã số", "số", "máy", "sản phẩm", "thằng", "device", "machine")
# Longer messages say more than one of these things.
MAX_CHARS = 400
_LEFT = {"con", "left", "remaining"}
# Asks of several which one, and counts them.
_WHICH = re.compile(
    r"(?<!\w)(?:(?:con|cai|may|chiec|em|thang|serial|ma) (?:nao|mo)|may (?:con|cai|may|chiec|em|thang|serial|ma)|which|how many)(?!\w)"
)
_COUNTED = re.compile(r"(?<!\w)\d+ (?=(?:con|cai|may|chiec|em|thang|serial|ma|machines|ones)(?!\w))")
# A clause is over.
_ENDS = re.compile(r"[,;.!?\n]|(?<!\w)(?:mà|ma|but|của|cua|mine)(?!\w)", re.IGNORECASE)
_WARRANTY = {PROMPT, INVALID, RESULT}
_ORDER = ("first", "second", "third")
# The wording that asks for a serial, for messages saved without a type; folded, both languages.
_WORDINGS = (
    "vui long cung cap so serial", "chua nhan dien duoc so serial", "nhap lai so serial", "send me the serial number",
    "could not recognise a valid serial", "enter the serial again",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DialogueState:
    """What the desk's own messages say of the conversation (000-48).

    `awaiting` when the last one asks for a serial; `earlier` when one shortly before did and nothing has settled it;
    `offered` the serials of a "did you mean"; `asked` what was looked up last, `mentioned` all that was; `warranty`
    when the last answer was about a warranty, `danger` when it was to a danger.
    """

    awaiting: bool = False
    earlier: bool = False
    offered: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    warranty: bool = False
    danger: bool = False


@dataclass(frozen=True, slots=True)
class DialogueAct:
    """What a message does: `confirm` and `repeat` look up `serials`, `ask` asks for one again.

    `about` asks `asked` ("covered", "expired", …) of `serials`, which were looked up before; "no serial" says that there is none.
    """

    act: Act = ""
    serials: tuple[str, ...] = ()
    asked: str = ""


def dialogue_state(history: Iterable[StoredMessage]) -> DialogueState:
    """The state after `history`, oldest first."""
    answers = [m for m in history if m.sender == "assistant"]
    last = answers[-1] if answers else None
    awaiting = awaiting_serial(answers)
    mentioned: dict[str, None] = {}
    asked: tuple[str, ...] = ()
    for message in answers:
        shown = message.metadata.get("warranty_meta", {}).get("serial")
        if shown:
            asked = tuple(shown.split(", ")) if isinstance(shown, str) else tuple(shown)
            mentioned |= dict.fromkeys(asked)
    return DialogueState(
        awaiting=awaiting,
        earlier=not awaiting and _still_open(answers[-REMEMBERED:]),
        offered=tuple(last.metadata.get("offered", ())) if last else (),
        asked=asked,
        mentioned=tuple(mentioned),
        warranty=last is not None and (last.type in _WARRANTY or "warranty_meta" in last.metadata),
        danger=last is not None and DANGER in last.metadata,
    )


def awaiting_serial(history: Iterable[StoredMessage]) -> bool:
    """Whether the assistant's last message asks for a serial: by its metadata, else by its words."""
    last = next((message for message in reversed(list(history)) if message.sender == "assistant"), None)
    if last is None:
        return False
    kind = last.type or str(last.metadata.get("type", ""))
    if kind in {PROMPT, INVALID}:
        return True
    if kind == RESULT:
        return last.metadata.get("warranty_meta", {}).get("found") is False
    return not kind and any(wording in fold(last.text) for wording in _WORDINGS)


def _still_open(answers: Sequence[StoredMessage]) -> bool:
    """Whether a serial was asked for in these answers and nothing has settled it since."""
    for message in reversed(answers):
        if message.metadata.get("cancelled") or message.metadata.get("warranty_meta", {}).get("found"):
            return False
        if message.type in _WARRANTY:
            return True
    return False


def dialogue_phrases(text: str) -> list[PhraseHit]:
    """The phrases of `lexicons/dialogue.txt` in a message; none in a long one."""
    return lexicon("dialogue", without="filler").find(text) if len(text) <= MAX_CHARS else []


def parse_act(text: str, state: DialogueState, hits: Sequence[PhraseHit]) -> DialogueAct:
    """What `text` with these `dialogue_phrases` does in this state; without an act when it is a message like any other."""
    refused = [hit.end for hit in hits if hit.label == "not wanted"]
    if any(hit.label == "person" and not any(0 <= hit.start - end <= 2 for end in refused) for hit in hits):
        return DialogueAct("person")
    if state.offered and (answer := _answer_to_offer(text, state, hits)):
        return answer
    return (
        _steering(text, state, hits) if state.awaiting or state.earlier or state.warranty else DialogueAct()
    )


def _steering(text: str, state: DialogueState, hits: Sequence[PhraseHit]) -> DialogueAct:
    """Another serial of those talked about, stop, once more, or a correction that names no serial."""
    labels = {hit.label for hit in hits}
    if "other" in labels and _only(text, hits, {"other", "no", "not this", "correction", "yes"}):
        rest = [serial for serial in state.mentioned if serial not in state.asked]
        return DialogueAct("confirm", tuple(rest)) if len(rest) == 1 else DialogueAct("ask")
    if "cancel" in labels and _only(text, hits, {"cancel", "no"}):
        return DialogueAct("cancel")
    if "repeat" in labels and _only(text, hits, {"repeat"}):
        return DialogueAct("repeat", () if state.awaiting and not state.asked else state.asked)
    if state.awaiting and "no" in labels and _only(text, hits, {"no"}):
        return DialogueAct("no serial")  # a plain "không có" to the question for one
    wrong = labels & {"correction", "not this"} and _only(text, hits, {"correction", "no", "not this"})
    return DialogueAct("ask") if wrong else DialogueAct()


def _answer_to_offer(text: str, state: DialogueState, hits: Sequence[PhraseHit]) -> DialogueAct | None:
    for place, label in enumerate(_ORDER[: len(state.offered)]):
        if any(hit.label == label for hit in hits) and _only(text, hits, {label, "yes"}):
            return DialogueAct("confirm", (state.offered[place],))
    labels = {hit.label for hit in hits}
    if "yes" in labels and _only(text, hits, {"yes"}):
        return DialogueAct("confirm" if len(state.offered) == 1 else "choose", state.offered)
    if labels & {"no", "not this"} and _only(text, hits, {"no", "not this"}):
        return DialogueAct("ask")
    return None


def _only(text: str, hits: Sequence[PhraseHit], labels: set[str]) -> bool:
    """Whether every word of `text` belongs to one of `labels` or means nothing more."""
    spans = spans_of(hit for hit in hits if hit.label in labels or hit.label == "filler")
    return not words_outside(tokens(text), [*spans, *spans_of(lexicon("dialogue", "filler").find(text))])


def is_correction(hits: Sequence[PhraseHit]) -> bool:
    """Whether a message with these `dialogue_phrases` takes something back."""
    return any(hit.label in {"correction", "not this"} for hit in hits)


def without_taken_back(text: str, parse: SerialParse, hits: Sequence[PhraseHit]) -> SerialParse:
    """`parse` without the serials that the message itself takes back: "không phải A, B mới đúng", "A, à nhầm, B".

    `text` is the message in NFC, `hits` its `dialogue_phrases`.
    """
    chosen = [item for item in parse.candidates if item.text in parse.serials]
    several = len({item.text for item in chosen}) > 1
    dropped = {item.text for item in chosen if _is_denied(text, item, hits, several=several)}
    for at in (hit.start for hit in hits if hit.label == "correction"):
        if any(item.start > at and item.text not in dropped for item in chosen):
            dropped |= {item.text for item in chosen if item.end <= at}
    kept = tuple(serial for serial in parse.serials if serial not in dropped)
    return parse if kept == parse.serials else replace(parse, serials=kept, attempted=False)


def _is_denied(text: str, item: SerialCandidate, hits: Sequence[PhraseHit], *, several: bool) -> bool:
    """Whether "not" stands right before it, with at most a word for serial between, or "wrong", or of several "not", right after."""
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
        # "A không phải của tôi, của tôi là B"
        behind = several and hit.label == "not this" and 0 <= hit.start - item.end <= 5
        if behind and _ENDS.search(_clause(text, hit.end)):
            return True
    return False


def _clause(text: str, at: int) -> str:
    """What stands from `at` on before the next word with a digit."""
    return re.split(r"\w*\d", text[at:], maxsplit=1)[0]


def parse_of_confirmed(serials: Sequence[str]) -> SerialParse:
    """The parse of serials that the customer agreed to or asked for again."""
    candidates = tuple(SerialCandidate(one, 0, 0, [("confirmed", 10.0)], known=True) for one in serials)
    return SerialParse(tuple(serials), candidates, sure=True, bare=True)


def record_rows(records: Mapping[str, WarrantyRecord | None]) -> list[FocusRow]:
    """What was looked up, as rows of the shared focus."""
    return [
        FocusRow(
            serial,
            f"{record.product_name} {serial}" if record else serial,
            {"end": record.end.isoformat() if record else None},
        )
        for serial, record in records.items()
    ]


def parse_follow_up(
    text: str, focus: Focus | None, today: date, mentioned: Sequence[FocusRow] = (), *, strict: bool = True
) -> DialogueAct:
    """What `text` asks of the warranties that were looked up last; without an act where it asks for something else.

    `strict`: every word of it is accounted for. `mentioned` is all that was looked up: which of it ends first
    is asked of that where only one was looked up last, and a thing may be named by its kind or maker ("cái máy in").
    """
    if focus is None or focus.kind != FOCUS or len(text) > MAX_CHARS:
        return DialogueAct()
    text = nfc(text)
    pointed = find_reference(text, focus, things=_THINGS)
    if len(focus.rows) == 1 < len(mentioned) and (pointed is None or pointed.kind not in {"this", "these"}):
        # "the second one" of serials that were looked up one by one.
        looked_up = Focus(FOCUS, "", tuple(mentioned))
        pointed = find_reference(text, looked_up, things=_THINGS) or pointed
    others = lexicon("dialogue", "other").find(text)
    before = [row for row in mentioned if row.id not in {one.id for one in focus.rows}]
    if others and len(before) == 1 == len(focus.rows):
        # "cái trước" of two that were looked up one after the other.
        pointed = Reference("ordinal", tuple(before), tuple(spans_of(others)))
    hits = lexicon("warranty", without="filler").find(text)
    labels = {hit.label for hit in hits}
    spans = [
        *spans_of(hits),
        *(pointed.spans if pointed else ()),
        *spans_of(lexicon("warranty", "filler").find(text)),
    ]
    named, left = _named(
        text, without_everyday(text, spans), {row.id: row for row in (*mentioned, *focus.rows)}
    )
    if named == []:
        # Of other things than those looked up: how long their warranty lasts tells a serial alone.
        lasts = labels & {"covered", "expired", "when"} or (
            "days" in labels and _LEFT & set(folded_words(text))
        )
        return (
            DialogueAct("ask") if strict and lasts and not left and "topic" not in labels else DialogueAct()
        )
    if "check" in labels and not strict:
        labels -= {"check"}
    several = pointed.kind == "these" if pointed else bool(_WHICH.search(fold(text)))
    one_by_one = len(focus.rows) == 1 < len(mentioned) and several and labels & {"covered", "expired"}
    rows = named or list(mentioned if one_by_one else pointed.rows if pointed else focus.rows)
    alone = named and (opens_on(text) or (not left and len(named) < len(focus.rows)))  # "con màn hình"
    told = (labels or pointed or alone) and rows and "topic" not in labels
    if not told or (strict and len(left) > (1 if labels else 0)):
        return DialogueAct()
    if strict and left and any(hit.label.startswith("topic ") for hit in grammar().find(text)):
        return DialogueAct()  # one word more may be a slip, but not where a page of the shop is asked for
    if labels & {"soonest", "latest"} and len(rows) < 2:
        rows = list(mentioned)  # "the first" of "expires first" is no place in the list
    return (
        _of_rows(rows, labels, today)
        if len(rows) > 1 or not labels & {"soonest", "latest"}
        else DialogueAct()
    )


def _named(
    text: str, left: Sequence[WordToken], rows: Mapping[str, FocusRow]
) -> tuple[list[FocusRow] | None, list[WordToken]]:
    """Those of `rows` that are named by kind or maker, and what is `left` without the names; None where nothing is named."""
    hits = lexicon("kinds").find(text)
    kinds = {hit.label for hit in hits}
    counts = [match.span() for match in _COUNTED.finditer(fold(text))]  # "3 cái" is no "IdeaPad Slim 3"
    rest = [
        word
        for word in left
        if not any(start <= word.start < end for start, end in [*spans_of(hits), *counts])
    ]
    titles = {row.id: set(folded_words(row.title)) for row in rows.values()}
    names = {word.folded for word in rest if any(word.folded in title for title in titles.values())}
    if not (kinds or names):
        return None, list(left)
    meant = [
        row
        for row in rows.values()
        if names <= titles[row.id]
        and (not kinds or kinds & {hit.label for hit in lexicon("kinds").find(row.title)})
    ]
    # "có máy in nào bảo hành lâu hơn không" asks for others, where there are not several to choose from.
    which = any(folded_words(text[hit.end :])[:1] == ["nao"] for hit in hits)
    return meant if len(meant) > which else [], [word for word in rest if word.folded not in names]


def _of_rows(rows: Sequence[FocusRow], labels: set[str], today: date) -> DialogueAct:
    """What is asked of these warranties: the one that ends first or last, those that are covered or not, or all."""
    ends = {row.id: str(row.values.get("end") or "") for row in rows}
    dated = [row for row in rows if ends[row.id]]
    asked = "covered" if "covered" in labels else "expired" if "expired" in labels else ""
    if len(dated) == len(rows) and labels & {"soonest", "latest"}:
        order = "soonest" if "soonest" in labels else "latest"
        pick = min if order == "soonest" else max
        return DialogueAct("about", (pick(dated, key=lambda row: ends[row.id]).id,), order)
    if asked and len(rows) > 1 and dated:
        fits = [row.id for row in dated if (ends[row.id] >= today.isoformat()) == (asked == "covered")]
        return DialogueAct("about", tuple(fits), asked)
    return DialogueAct("about", tuple(row.id for row in rows))


def has_no_serial(text: str, serials: SerialParse, *, asked: bool) -> bool:
    """Whether the customer says that there is no serial at hand, or has another number to look up with."""
    if serials.serials:
        return False
    if lexicon("serials", "no label").find(text) and not lexicon("serials", "where").find(text):
        return True
    if asked and lexicon("dialogue", "nothing at hand").find(text):
        return True
    other = any(name in {"phone", "other"} for item in serials.candidates for name, _ in item.evidence)
    return (
        other
        and bool(lexicon("serials", "look up").find(text))
        and any(name == "phone" for item in serials.candidates for name, _ in item.evidence)
    )


def warranty_spans(text: str) -> list[tuple[int, int]]:
    """Where words stand that only ask for a warranty to be looked up."""
    return spans_of(
        [
            *lexicon("serials", "label", "look up", "of one").find(text),
            *lexicon("warranty", "check").find(text),
        ]
    )
