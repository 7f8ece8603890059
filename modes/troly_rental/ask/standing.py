"""Decides whether a message stands by itself or changes the query before it."""

from __future__ import annotations

from troly.text.fold import folded_words
from troly.text.match import PhraseHit
from troly_rental.ask.kinds_of_talk import is_forbidden
from troly_rental.ask.reading import Reading
from troly_rental.ask.understand import Parts
from troly_rental.ask.words import phrases

PLACES = frozenset({"city", "district", "ward", "street"})
MORE = ("cheaper", "dearer", "larger", "smaller", "newer")
DIRECTIONS = {
    "cheaper": ("price", "<"), "dearer": ("price", ">"), "larger": ("area", ">"), "smaller": ("area", "<"),
}  # fmt: skip
_FIGURES = (
    "count",
    "avg",
    "median",
    "min",
    "max",
    "sum",
    "price asked",
    "compare",
    "trend",
    "cheapest",
    "dearest",
)
_SUBJECTS = ("figure price", "figure area", "figure deposit", "figure price_m2", "figure views")
_BY_ITSELF = frozenset({"more", "more end", "order"})
_LONG, _SHORT = 14, 7


def marks_of(parts: Parts) -> list[PhraseHit]:
    """The words of change in a message, those that longer phrases hold included; names of places are no such words."""
    found = phrases("edits", *_labels()).find(parts.unplaced)
    again = phrases("edits", "more", "more end", "drop", "drop all", "only", "add", *MORE).find(
        parts.unplaced
    )
    return [*found, *(hit for hit in again if hit not in found)]


def _labels() -> tuple[str, ...]:
    from troly_rental.ask.words import lists

    return tuple(label for label in lists("edits") if label != "loose")


def is_whole(parts: Parts, previous: Reading) -> bool:
    """Whether the message asks something complete, so that nothing of the query before it is meant.

    That is a thing with its own place ("phòng quận 3 có ban công"), or a figure with its own place, or with its own
    groups where the conditions of the query before would leave nothing to tell apart ("giá trung bình theo quận" after
    rooms of one district). Words that clearly change something ("thì sao", "chỉ" in front, "rẻ hơn nữa") say otherwise.
    """
    fields = {one.field for one in parts.filters if one.op not in {"!=", "not_in"}}
    placed = bool(fields & PLACES)
    told = parts.asked.compares or bool(phrases("asks", *_FIGURES, *_SUBJECTS).find(parts.text))
    figures = bool(parts.asked.measures) and told
    complete = placed or _clashes(parts, previous) if figures else placed and parts.named
    return (complete or _of_money(parts)) and not _firm(parts, fields)


def _clashes(parts: Parts, previous: Reading) -> bool:
    """Whether the figures asked for by group are over fields that the list before was narrowed by."""
    if not parts.asked.group or set(parts.asked.group) & set(previous.group):
        return False
    asked = {*parts.asked.group, *(one.field for one in parts.asked.measures if not previous.measures)}
    before = {one.field for one in previous.filters}
    return bool(asked & before) or ("district" in asked and bool(before & PLACES - {"city"}))


def _of_money(parts: Parts) -> bool:
    """Whether what one earns or owes is asked for, which needs nothing of the query before."""
    return bool(parts.asked.measures) and bool(phrases("asks", "revenue", "debt").find(parts.text))


def _firm(parts: Parts, fields: set[str]) -> bool:
    """Whether a word of change stands that means nothing else in a message that is complete otherwise."""
    begin = len(parts.unplaced) - len(parts.unplaced.lstrip())
    for hit in marks_of(parts):
        if hit.label.startswith("field ") or hit.label in _BY_ITSELF:
            continue
        if hit.label in MORE and (parts.asked.compares or DIRECTIONS.get(hit.label, ("",))[0] in fields):
            continue
        if hit.label in {"only", "add"} and hit.start == begin:
            return True
        if not _is_loose(hit, parts):
            return True
    return False


def _is_loose(hit: PhraseHit, parts: Parts) -> bool:
    loose = phrases("edits", "loose").find(parts.unplaced)
    return any(one.start <= hit.start and hit.end <= one.end for one in loose)


def belongs(parts: Parts, previous: Reading) -> bool:
    """Whether the message belongs to the query before: it has words of change, or is nothing but conditions."""
    words = len(folded_words(parts.text))
    edits = {hit.label for hit in marks_of(parts) if not hit.label.startswith("field")}
    turned = {hit.label for hit in marks_of(parts) if not _is_loose(hit, parts)}
    other = parts.named and parts.entity != previous.entity and not {"instead", "those"} & turned
    if words > _LONG or other or (parts.own and parts.named and not previous.own):
        return False
    if is_forbidden(parts.text):
        return False
    seeks = parts.named and any(hit.label == "find" for hit in phrases("talk").find(parts.text))
    return _says_so(parts, edits, seeks=seeks, words=words) or _is_condition(parts, seeks=seeks, words=words)


def _says_so(parts: Parts, edits: set[str], *, seeks: bool, words: int) -> bool:
    """Whether words of change are said; those that also open a new search count only where nothing is sought."""
    slots = bool(parts.filters or parts.limit or parts.missing)
    shaped = bool(parts.asked.order or parts.asked.mode)
    return bool(
        {"drop all", "those", "turn", "previous page"} & edits
        or (set(MORE) & edits and not (seeks and parts.filters))
        or ({"drop", "any price", "anywhere"} & edits and not seeks)
        or ({"more", "more end"} & edits and not slots and words <= _SHORT)
        or (
            {"only", "add", "instead"} & edits
            and (slots or shaped)
            and not (seeks and len(parts.filters) > 1 and "add" not in edits)
        )
    )


def _is_condition(parts: Parts, *, seeks: bool, words: int) -> bool:
    """Whether the message is nothing but conditions, or another way to show what was found."""
    if parts.filters and all(one.op in {"!=", "not_in"} for one in parts.filters):
        return not (seeks or parts.own)
    if parts.named and (parts.filters or parts.own):
        return False
    if parts.asked.mode or parts.asked.order or parts.asked.group:
        return not parts.named or words <= _SHORT
    return bool(parts.filters or parts.limit or parts.missing) and not (parts.named or parts.own)
