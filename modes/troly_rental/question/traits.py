"""What a place to live is like: its kind, amenities, furniture, state; what is refused, what is not needed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from troly.text.fold import fold, tokens
from troly.text.match import PhraseHit, blank_out
from troly_rental.question.types import Filter, Remark
from troly_rental.question.vocabulary import Vocabulary, lists

_TURNING = ("without", "needless")
_NOT_AMENITIES = {*_TURNING, "needless after", "gender"}
_PAUSE = re.compile(r"[,.;?!\n]|(?<!\w)(?:nhung|ma|va|but|and|with|co)(?!\w)")
_LIST_GAP = re.compile(r"\s*(?:,|/|&|\+|va|hoac|hay|or|and|nor|cung|voi)\s*")
_EMPTY = re.compile(r"(?<!\w)(?:con|phong|dang|can|bo|nao|nha)\s*$")
_NEGATED = re.compile(r"(?:chua|not|khong)\s*$")
_REFUSED = re.compile(r"(?<!\w)(?:khong|no|not)\s*$")
_TYPE_ASKED = re.compile(r"(?:loai|loai hinh|loai phong|kieu|type|kind of|type of)\s*$")


@dataclass(frozen=True, slots=True)
class Traits:
    """Conditions, remarks, and the text without their words; `needless` are fields that must not be conditions."""

    filters: tuple[Filter, ...]
    remarks: tuple[Remark, ...]
    needless: frozenset[str]
    rest: str
    spans: tuple[tuple[int, int], ...]
    """Where amenities and furniture stand."""


def parse_traits(vocabulary: Vocabulary, text: str) -> Traits:
    """Kinds, amenities and furniture in `text`, with "không có", "không cần" heeded."""
    hits = [hit for hit in vocabulary.find_any(text, "amenities", "kinds") if hit.label in lists("amenities")]
    turns = [hit for hit in hits if hit.label in {*_TURNING, "needless after"}]
    turns += [
        hit for hit in vocabulary.find(text, "amenities", *_TURNING, "needless after") if hit not in turns
    ]
    filters: list[Filter] = []
    needless: set[str] = set()
    remarks: list[Remark] = []
    used: list[tuple[int, int]] = []
    previous: tuple[PhraseHit, str] | None = None
    for hit in hits:
        if hit.label == "gender":
            remarks.append(Remark.of("said.no_gender"))
            used.append((hit.start, hit.end))
        if hit.label.startswith("unrecorded "):
            remarks.append(Remark.of("said.unrecorded", name=hit.phrase))
            used.append((hit.start, hit.end))
            continue
        if hit.label in _NOT_AMENITIES:
            continue
        turn = _polarity(text, hit, turns, previous)
        previous = (hit, turn)
        used.append((hit.start, hit.end))
        name, _, level = hit.label.partition(" ")
        if turn == "needless":
            needless.add("furnished" if level else f"amenity {name}")
        elif level:
            filters.append(_furnished(level, turn))
        else:
            filters.append(Filter("amenity", "!=" if turn == "without" else "=", name))
    rest = blank_out(text, used)
    kinds, kind_spans = _kinds(vocabulary, rest)
    return Traits(
        (*filters, *kinds), tuple(remarks), frozenset(needless), blank_out(rest, kind_spans), tuple(used)
    )


def _furnished(level: str, turn: str) -> Filter:
    if turn == "without":
        return Filter("furnished", "=", "none") if level == "full" else Filter("furnished", "!=", level)
    return Filter("furnished", "=", level)


def _polarity(
    text: str, hit: PhraseHit, turns: list[PhraseHit], previous: tuple[PhraseHit, str] | None
) -> str:
    """ "without" or "needless" when a word before (or after) says so, "" for a trait that is wanted."""
    for turn in turns:
        between = text[hit.end : turn.start]
        if (
            turn.label == "needless after"
            and turn.start >= hit.end
            and len(tokens(between)) <= 2
            and not _paused(between)
        ):
            return "needless"
    before = [t for t in turns if t.label in _TURNING and t.end <= hit.start]
    if before:
        last = max(before, key=lambda t: (t.end, t.end - t.start))
        between = text[last.end : hit.start]
        if len(tokens(between)) <= 2 and not _paused(between) and not _is_question(text, last):
            return last.label
    if previous and previous[1] and _LIST_GAP.fullmatch(fold(text[previous[0].end : hit.start])):
        return previous[1]
    return ""


def _paused(between: str) -> bool:
    return _PAUSE.search(fold(between)) is not None


def _is_question(text: str, turn: PhraseHit) -> bool:
    """The "không" that ends a question is no negation: "có wifi không, máy lạnh nữa"."""
    return fold(turn.phrase) in {"khong", "no"} and re.match(r"\s*(?:[,?.]|$)", text[turn.end :]) is not None


def _kinds(vocabulary: Vocabulary, text: str) -> tuple[list[Filter], list[tuple[int, int]]]:
    """Kinds of dwelling; "phòng trọ" only beside another kind or after "loại", else it means any place to live."""
    hits = [hit for hit in vocabulary.find(text, "kinds") if hit.label != "any"]
    plain = [hit for hit in hits if hit.label == "room"]
    others = [hit for hit in hits if hit.label != "room"]
    filters: list[Filter] = []
    used: list[tuple[int, int]] = []
    for hit in hits:
        joined = any(
            _LIST_GAP.fullmatch(fold(text[min(hit.end, o.end) : max(hit.start, o.start)])) for o in others
        )
        excluded = _excluded(vocabulary, text, hit)
        if hit in plain and not (
            joined or excluded or _TYPE_ASKED.search(fold(text[: hit.start])) or _but(text, hit, others)
        ):
            continue
        filters.append(Filter("type", "!=" if excluded else "=", hit.label))
        used.append((hit.start, hit.end))
    wanted = {f.value for f in filters if f.op == "="}
    filters = [f for f in filters if not (f.op == "!=" and f.value in wanted)]
    return filters, used


def _but(text: str, hit: PhraseHit, others: list[PhraseHit]) -> bool:
    """ "phòng trọ chứ không phải chung cư": the other kind is refused, so this one is meant."""
    return any(
        o.start > hit.end and re.search(r"chu khong|not|khong phai", fold(text[hit.end : o.start]))
        for o in others
    )


def _excluded(vocabulary: Vocabulary, text: str, hit: PhraseHit) -> bool:
    window = text[max(0, hit.start - 24) : hit.start]
    if _REFUSED.search(fold(window)):
        return True
    found = vocabulary.find(window, "wheres", "except")
    return any(
        len(tokens(window[h.end :])) <= 1 and not re.search(r"[,.;?!]", window[h.end :]) for h in found
    )


def parse_status(vocabulary: Vocabulary, text: str, entity: str) -> list[Filter]:
    """The state asked for of `entity`."""
    labels = tuple(label for label in lists("asks") if label.startswith(f"status {entity} "))
    hits = vocabulary.find(text, "asks", *labels) if labels else []
    return [
        Filter("status", "=", hit.label.rpartition(" ")[2])
        for hit in hits
        if not _NEGATED.search(fold(text[: hit.start])) and not _is_within(text, hit)
    ]


def _is_within(text: str, hit: PhraseHit) -> bool:
    """ "trong" without accents is "trống" only after what can be empty: "phong trong", never "trong nam nay"."""
    if hit.exact or fold(text[hit.start : hit.end]) != "trong":
        return False
    return _EMPTY.search(fold(text[: hit.start])) is None
