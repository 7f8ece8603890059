"""Decides whether a message stands by itself or changes the query before it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from troly.text.fold import folded_words, nfc, tokens
from troly.text.lexicon import Hit
from troly_rental.question.intent import is_forbidden
from troly_rental.question.parser import check_readiness
from troly_rental.question.parts import QuestionParts
from troly_rental.question.types import (
    Filter,
    Measure,
    Order,
    ParsedQuestion,
    Role,
    ShownRows,
    make_remark,
    merge_filters,
)
from troly_rental.question.vocabulary import lists, phrases

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


def marks_of(parts: QuestionParts) -> list[Hit]:
    """The words of change in a message, those that longer phrases hold included; names of places are no such words."""
    found = phrases("edits", *_labels()).find(parts.unplaced)
    again = phrases("edits", "more", "more end", "drop", "drop all", "only", "add", *MORE).find(
        parts.unplaced
    )
    return [*found, *(hit for hit in again if hit not in found)]


def _labels() -> tuple[str, ...]:
    from troly_rental.question.vocabulary import lists

    return tuple(label for label in lists("edits") if label != "loose")


def is_whole(parts: QuestionParts, previous: ParsedQuestion) -> bool:
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


def _clashes(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the figures asked for by group are over fields that the list before was narrowed by."""
    if not parts.asked.group or set(parts.asked.group) & set(previous.group):
        return False
    asked = {*parts.asked.group, *(one.field for one in parts.asked.measures if not previous.measures)}
    before = {one.field for one in previous.filters}
    return bool(asked & before) or ("district" in asked and bool(before & PLACES - {"city"}))


def _of_money(parts: QuestionParts) -> bool:
    """Whether what one earns or owes is asked for, which needs nothing of the query before."""
    return bool(parts.asked.measures) and bool(phrases("asks", "revenue", "debt").find(parts.text))


def _firm(parts: QuestionParts, fields: set[str]) -> bool:
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


def _is_loose(hit: Hit, parts: QuestionParts) -> bool:
    loose = phrases("edits", "loose").find(parts.unplaced)
    return any(one.start <= hit.start and hit.end <= one.end for one in loose)


def belongs(parts: QuestionParts, previous: ParsedQuestion) -> bool:
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


def _says_so(parts: QuestionParts, edits: set[str], *, seeks: bool, words: int) -> bool:
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


def _is_condition(parts: QuestionParts, *, seeks: bool, words: int) -> bool:
    """Whether the message is nothing but conditions, or another way to show what was found."""
    if parts.filters and all(one.op in {"!=", "not_in"} for one in parts.filters):
        return not (seeks or parts.own)
    if parts.named and (parts.filters or parts.own):
        return False
    if parts.asked.mode or parts.asked.order or parts.asked.group:
        return not parts.named or words <= _SHORT
    return bool(parts.filters or parts.limit or parts.missing) and not (parts.named or parts.own)


# Follow-up messages that change the query before them: "rẻ hơn nữa", "chỉ quận 3 thôi", "bỏ lọc giá", "xem biểu đồ".


_CLOSER = 0.85
"""What "rẻ hơn" takes off a limit that nobody names again."""
_LIMIT_ORDERS = {
    "cheaper": Order("price"), "dearer": Order("price"), "larger": Order("area"),
    "smaller": Order("area", True), "newer": Order("posted_at", True),
}  # fmt: skip

_DIRECTION_ORDERS = {
    "cheaper": Order("price"), "dearer": Order("price", True), "larger": Order("area", True),
    "smaller": Order("area"), "newer": Order("posted_at", True),
}  # fmt: skip


def change_query(
    message: str, parts: QuestionParts, previous: ParsedQuestion, role: Role, shown: ShownRows | None = None
) -> ParsedQuestion | None:
    """`previous` changed as `message` says, None when it starts something new."""
    if previous.request_type != "QUERY":
        return None
    if is_whole(parts, previous) or not belongs(parts, previous):
        return None
    marks = {hit.label for hit in marks_of(parts)}
    start = replace(previous, edited=True, skip=0, said=(), missing=(), question=message)
    edited = _apply(parts, marks, start, previous.skip, shown)
    return None if edited is None else check_readiness(edited, role)


def _apply(
    parts: QuestionParts, marks: set[str], start: ParsedQuestion, previous_skip: int, shown: ShownRows | None
) -> ParsedQuestion | None:
    if "drop all" in marks:
        return replace(start, filters=(), order=(), limit=None)
    if _wants_more(parts, marks):
        again = replace(start, skip=previous_skip)
        return replace(again, skip=again.skip + again.rows, limit=parts.limit or start.limit)
    if "previous page" in marks:
        return replace(start, skip=max(0, previous_skip - start.rows))
    found = _dropped(parts.text, parts, marks, start)
    found = _merged(parts, marks, found)
    found = _stretched(parts, marks, found, shown)
    if not {"anywhere", "any price"} & marks:
        found = _shown(parts.text, parts, marks, found)
    if parts.missing:
        kept = tuple(one for one in found.filters if one.field not in PLACES)
        found = replace(found, missing=parts.missing, filters=kept)
    return replace(found, said=(*found.said, *parts.said))


def _wants_more(parts: QuestionParts, marks: set[str]) -> bool:
    """Whether further rows are asked for, and nothing else."""
    other = (
        parts.filters
        or parts.asked.order
        or parts.needless
        or {*MORE, "drop", "anywhere", "any price"} & marks
    )
    return bool({"more", "more end"} & marks) and not other


def _dropped(text: str, parts: QuestionParts, marks: set[str], start: ParsedQuestion) -> ParsedQuestion:
    """Conditions that are given up: "bỏ lọc giá", "quận nào cũng được", "không cần máy lạnh nữa"."""
    gone: set[str] = set()
    if "anywhere" in marks:
        gone |= PLACES
    if "any price" in marks:
        gone.add("price")
    named = [hit.label.removeprefix("field ") for hit in phrases("edits", *_fields()).find(text)]
    if "drop" in marks:
        for name in named:
            gone |= PLACES if name == "place" else {name}
    keep = [one for one in start.filters if one.field not in gone]
    values = {(f.field, f.value) for f in parts.filters} if "drop" in marks else set()
    values |= {("amenity", name.partition(" ")[2]) for name in parts.needless if name.startswith("amenity ")}
    keep = [one for one in keep if (one.field, one.value) not in values]
    if "drop" in marks and parts.filters:
        keep = [
            one for one in keep if one.field not in {f.field for f in parts.filters} - {"amenity", "district"}
        ]
    if "furnished" in parts.needless:
        keep = [one for one in keep if one.field != "furnished"]
    order = () if "order" in named and "drop" in marks else start.order
    return replace(start, filters=tuple(keep), order=order)


def _fields() -> tuple[str, ...]:
    from troly_rental.question.vocabulary import lists

    return tuple(label for label in lists("edits") if label.startswith("field "))


def _merged(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """New conditions take the place of old ones on the same field; amenities and exclusions add up."""
    if "drop" in marks or not parts.filters:
        return found
    new = [_as_before(one, found.filters) for one in parts.filters]
    fields = {one.field for one in new if one.op not in {"!=", "not_in"}}
    refused = {(one.field, value) for one in new if one.op in {"!=", "not_in"} for value in one.values}
    adding = "add" in marks and "instead" not in marks
    keep: list[Filter] = []
    for old in found.filters:
        same = old.field in fields
        if old.field == "amenity":
            same = any(one.field == "amenity" and one.value == old.value for one in new)
        elif old.field in PLACES and fields & PLACES:
            same = not adding or old.op in {"!=", "not_in"} or old.field not in fields
            same = same and not (old.field == "city" and fields <= {"district", "ward"} and _within(new, old))
        elif (
            same
            and _limits(old)
            and any(_limits(one) and one.op[0] != old.op[0] for one in new if one.field == old.field)
        ):
            same = any(one.field == old.field and one.op[0] == old.op[0] for one in new)
        gone = old.op in {"=", "in"} and {(old.field, value) for value in old.values} <= refused
        if not (same or gone):
            keep.append(old)
    return replace(found, filters=merge_filters([*keep, *new]))


def _as_before(new: Filter, old: tuple[Filter, ...]) -> Filter:
    """ "4 triệu thôi" after "dưới 3 triệu" moves the limit: a bare number keeps the comparison there was."""
    same = [one for one in old if one.field == new.field]
    bare = new.op == "=" and isinstance(new.value, int | float)
    return replace(new, op=same[0].op) if bare and len(same) == 1 and _limits(same[0]) else new


def _limits(one: Filter) -> bool:
    return one.op[0] in "<>"


def _within(new: list[Filter], city: Filter) -> bool:
    """Whether all districts of `new` lie in the city asked for before, so that it stays."""
    from troly_rental.data.places import places

    known = places()
    for one in new:
        if one.field != "district":
            continue
        for name in one.value if isinstance(one.value, tuple) else (str(one.value),):
            found = known.named(name, "district")
            if not any(known.by_id[place.city_id].name == city.value for place in found):
                return False
    return True


def _stretched(
    parts: QuestionParts, marks: set[str], found: ParsedQuestion, shown: ShownRows | None
) -> ParsedQuestion:
    """ "rẻ hơn nữa" without an amount: a limit is moved on, or the order says it; which one is told."""
    for label in MORE:
        if label not in marks:
            continue
        order = _LIMIT_ORDERS[label]
        field, op = DIRECTIONS.get(label, ("", ""))
        said = any(one.field == field for one in parts.filters)
        if not said and shown is not None and (seen := _beyond(label, found, shown)) is not None:
            found = seen
            continue
        limits = [one for one in found.filters if one.field == field and one.op not in {"!=", "not_in"}]
        numbers = [one.value for one in limits if isinstance(one.value, int | float)]
        if said or not numbers:
            found = replace(found, order=(_DIRECTION_ORDERS[label],))
            continue
        edge = _edge(op, limits, numbers)
        rest = [one for one in found.filters if one not in limits]
        found = replace(
            found,
            filters=merge_filters([*rest, edge]),
            order=(order,),
            said=(*found.said, make_remark("said.moved", field=field)),
        )
    return found


def _beyond(label: str, found: ParsedQuestion, shown: ShownRows) -> ParsedQuestion | None:
    """ "rẻ hơn nữa" after a list: below the cheapest one shown, or word that none is cheaper; None for other changes."""
    field, op = DIRECTIONS.get(label, ("", ""))
    values = shown.figures.get(field)
    if not values or found.measures or shown.entity != found.entity:
        return None
    edge = min(values) if op == "<" else max(values)
    ahead = found.order[:1] == (_DIRECTION_ORDERS[label],) and shown.first == 1
    kept = tuple(one for one in found.filters if one.field != field or one.op in {"!=", "not_in"})
    if ahead or (shown.whole and not found.limit):
        said = make_remark(f"said.already_{label}", value=f"{edge:g}", field=field)
        return replace(found, order=(_DIRECTION_ORDERS[label],), said=(*found.said, said))
    limit = Filter(field, "<" if op == "<" else ">", int(edge) if edge.is_integer() else edge)
    said = make_remark(f"said.beyond_{label}")
    return replace(
        found, filters=merge_filters([*kept, limit]), order=(_LIMIT_ORDERS[label],), said=(*found.said, said)
    )


def _edge(op: str, limits: list[Filter], numbers: list[int | float]) -> Filter:
    """The limit that "rẻ hơn" or "rộng hơn" makes of the ones there were."""
    field = limits[0].field
    if op == "<":
        bound = (
            min(numbers)
            if all(one.op in {"=", ">", ">="} for one in limits)
            else max(value for one, value in zip(limits, numbers, strict=True) if one.op in {"<", "<=", "="})
        )
        sharp = any(one.op in {"<", "<="} for one in limits)
        return Filter(field, "<", _round(bound * _CLOSER) if sharp else bound)
    bound = (
        max(numbers)
        if all(one.op in {"=", "<", "<="} for one in limits)
        else max(value for one, value in zip(limits, numbers, strict=True) if one.op in {">", ">=", "="})
    )
    sharp = any(one.op in {">", ">="} for one in limits)
    return Filter(field, ">", _round(bound / _CLOSER) if sharp else bound)


def _round(value: float) -> int | float:
    """To 50,000 VND, or whole square metres."""
    return round(value / 50_000) * 50_000 if value >= 1_000_000 else round(value)


def _shown(text: str, parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """Another order, number of rows, figure or way of showing."""
    asked = parts.asked
    if "turn" in marks and found.order:
        found = replace(found, order=tuple(Order(one.field, not one.descending) for one in found.order))
    groups = asked.group and not found.measures
    counted = groups or phrases("asks", "count").find(text)
    if asked.measures and (asked.measures[0].kind != "count" or counted):
        kept = found.measures if _only_shape(text) and found.measures else asked.measures
        found = replace(
            found, measures=kept, group=asked.group or found.group, order=asked.order or (), mode="TABLE"
        )
    elif asked.group and found.measures:
        found = replace(found, group=asked.group, order=asked.order or found.order)
    elif asked.order and not set(MORE) & marks and not found.measures:
        found = replace(found, order=asked.order)
    if parts.limit:
        found = replace(found, limit=parts.limit)
    if asked.mode == "LIST" and found.measures:
        return replace(found, mode="LIST", measures=(), group=(), order=())
    if asked.mode == "CHART" and not found.measures:
        return replace(
            found, mode="CHART", measures=(Measure("avg", "price"),), group=asked.group or ("district",)
        )
    return replace(found, mode=asked.mode) if asked.mode else found


def _only_shape(text: str) -> bool:
    """Whether only another way of showing is asked for, no other figure."""
    return not phrases("asks", "count", "avg", "median", "min", "max", "sum", "trend").find(text)


# Reads which row of the last list is pointed at: "cái thứ hai", "căn đầu tiên bao nhiêu tiền", "chi tiết phòng số 3".


_MOST_POINTER_WORDS, _MOST_NUMBER_WORDS = 12, 5
_DIGITS, _MOST_ORDINAL_WORDS = 2, 2
_NUMBERS = tuple(str(number) for number in range(1, 11))
# In English the number stands before the thing: "the second one"; "hai phòng" are two rooms.
_ORDINAL = re.compile(r"first|second|third|last|bottom|top|\w+(?:st|nd|rd|th)")


def pick_row(
    message: str, parts: QuestionParts, previous: ParsedQuestion, shown: ShownRows | None
) -> ParsedQuestion | None:
    """The one row of the last list that `message` points at, as a query for it alone; None where it points at none.

    A number that the list does not reach is asked about.
    """
    if shown is None or len(folded_words(parts.text)) > _MOST_POINTER_WORDS:
        return None
    if any(one.field in PLACES or one.field == "price" for one in parts.filters):
        return None
    number = row_number(nfc(message), len(shown.ids))
    if number is None:
        return None
    start = ParsedQuestion(entity=shown.entity, own=previous.own, edited=True, question=message)
    if not 1 <= number <= len(shown.ids):
        missing = make_remark("missing.number", last=str(len(shown.ids)), number=str(number))
        return replace(start, missing=(missing,))
    return replace(start, filters=(Filter("id", "=", shown.ids[number - 1]),), limit=1, picked=number)


def row_number(text: str, rows: int) -> int | None:
    """The number of the row, as it is counted in the list: "đầu tiên" is the first shown, "cuối" the last; None for
    none, and for several rows ("3 phòng đầu tiên").
    """
    words = [token.folded for token in tokens(text.replace("#", " số "))]
    for at in range(len(words)):
        said = _pointed(words, at)
        if said is not None:
            return {"first": 1, "last": rows}.get(said) or int(said)
    return None


def _pointed(words: list[str], at: int) -> str | None:
    """ "first", "last" or the number that the words at `at` point with; None for none."""
    counted = _phrase(words, at, "numbered")
    if counted and len(words) <= _MOST_NUMBER_WORDS and (number := _number(words, at + counted)):
        return number
    thing = _phrase(words, at, "thing")
    if thing and not (at and words[at - 1].isdigit()):
        after = at + thing
        if counted := _phrase(words, after, "counted"):
            return _number(words, after + counted)
        return next((label for label in ("first", "last") if _phrase(words, after, label)), None)
    for label in ("first", "last", *_NUMBERS):
        ordinal = _ORDINAL.fullmatch(words[at]) and words[at] in _folded(label)
        if ordinal and (_phrase(words, at + 1, "thing") or len(words) <= at + 1 <= _MOST_ORDINAL_WORDS):
            return label
    return None


def _number(words: list[str], at: int) -> str | None:
    if at < len(words) and words[at].isdigit() and len(words[at]) <= _DIGITS:
        return words[at]
    return next((label for label in (*_NUMBERS, "first", "last") if _phrase(words, at, label)), None)


def _phrase(words: list[str], at: int, label: str) -> int:
    """How many words from `at` on are a phrase of the section, the longest; 0 for none."""
    for length in (3, 2, 1):
        if at + length <= len(words) and " ".join(words[at : at + length]) in _folded(label):
            return length
    return 0


@cache
def _folded(label: str) -> frozenset[str]:
    return frozenset(" ".join(token.folded for token in tokens(word)) for word in lists("picking")[label])
