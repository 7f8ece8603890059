"""Messages that go on from the last answer: they point at one of its rows or change its query.

"cái thứ hai", "căn đầu tiên bao nhiêu tiền"; "rẻ hơn nữa", "chỉ quận 3 thôi", "bỏ lọc giá", "xem biểu đồ".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from troly.plugin.focus import Focus, Reference, find_reference
from troly.text.fold import fold, folded_words, nfc
from troly.text.match import PhraseHit
from troly_rental.data.places import places
from troly_rental.question.intent import is_forbidden
from troly_rental.question.output import MOST_OF_GROUP
from troly_rental.question.parts import QuestionParts
from troly_rental.question.types import (
    PLACES,
    Filter,
    Measure,
    Order,
    ParsedQuestion,
    Remark,
    Value,
    merge_filters,
)
from troly_rental.question.vocabulary import Vocabulary, lists
from troly_rental.sql.relations import entities

_MORE = ("cheaper", "dearer", "larger", "smaller", "newer")
_DIRECTIONS = {
    "cheaper": ("price", "<"), "dearer": ("price", ">"), "larger": ("area", ">"), "smaller": ("area", "<"),
}  # fmt: skip
# The order of a list that "rẻ hơn" asks for by itself, and of one whose limit it moved: nearest to the limit first.
_DIRECTION_ORDERS = {
    "cheaper": Order("price"), "dearer": Order("price", True), "larger": Order("area", True),
    "smaller": Order("area"), "newer": Order("posted_at", True),
}  # fmt: skip
_LIMIT_ORDERS = {
    "cheaper": Order("price"), "dearer": Order("price"), "larger": Order("area"),
    "smaller": Order("area", True), "newer": Order("posted_at", True),
}  # fmt: skip
_FIGURES = (
    "count", "avg", "median", "min", "max", "sum", "price asked", "compare", "trend", "cheapest", "dearest",
)  # fmt: skip
_SUMMED = {"invoice": "total", "contract": "monthly_rent"}
"""What one's own papers come to."""
_OF_ALL = ("occupancy", "vacancy", "share")
_PAPERS = frozenset({"contract", "invoice", "viewing"})
_SUBJECTS = ("figure price", "figure area", "figure deposit", "figure price_m2", "figure views")
_BY_ITSELF = frozenset({"more", "more end", "order"})
_LONG, _SHORT = 14, 7

_MOST_POINTER_WORDS = 14
# What the shared focus may call a row, and the figures that one of them can have the most of.
THINGS = (
    "phòng", "căn", "căn hộ", "chỗ", "nhà", "tin", "bài", "bài đăng", "tin đăng", "hợp đồng", "hóa đơn", "lịch", "lịch hẹn",
    "tòa nhà", "room", "rooms", "apartment", "place", "flat", "post", "listing", "contract", "invoice", "viewing", "building",
)  # fmt: skip
_BY_PRICE = re.compile(r"(?<!\w)(?:(?:re|dat|mac) hon|cheaper|more expensive|pricier)(?!\w)")
_WHICH = re.compile(r"(?<!\w)(?:nao|ai|which|who)(?!\w)")
_RANKED = re.compile(r"(?i)(?<!\w)(?:xếp|đứng|nằm|xep|dung|nam)\s+(?=(?:hàng |hang )?(?:thứ|thu|số|so)\s)")
_ID = re.compile(r"(?<![\w.,])\d{3,}(?![\w.,])")
_EXTREMES = {"price": "price", "size": "area"}
_MOST_OF = {"price": ("cheapest", "dearest"), "size": ("smallest", "largest")}
# The field that a question about one row asks for: "bao nhiêu tiền" is the price.
_DETAILS = {
    "price asked": "price", "figure price": "price", "figure area": "area", "figure deposit": "deposit",
    "by ward": "ward", "by district": "district", "figure electricity_price": "electricity_price", "figure water_price": "water_price", "figure views": "views",
}  # fmt: skip


def change_query(
    message: str, parts: QuestionParts, previous: ParsedQuestion, shown: Focus | None = None
) -> ParsedQuestion | None:
    """`previous` changed as `message` says, None when it starts something new. Not checked for readiness."""
    if previous.request_type != "QUERY":
        return None
    changes = _change_words(parts)
    start = replace(previous, edited=True, skip=0, remarks=(), missing=(), question=message)
    if (sides := _compared_sides(parts, start)) is not None:
        return sides
    if not parts.named and (compared := _compared(parts, start)):
        return compared
    if _is_whole(parts, changes, previous) or not _belongs(parts, changes, previous):
        return None
    marks = {hit.label for hit in changes}
    if (paged := _other_rows(parts, marks, previous, start)) is not None:
        return paged
    edited = _without_dropped(parts, marks, start) if "drop" in marks or parts.needless else start
    if {"anywhere", "any price"} & marks:
        given_up = PLACES if "anywhere" in marks else {"price"}
        edited = replace(edited, filters=tuple(f for f in edited.filters if f.field not in given_up))
    edited = _with_conditions(parts, marks, edited)
    edited = _with_moved_limits(parts, marks, edited, shown)
    if not {"anywhere", "any price"} & marks:
        edited = _with_output(parts, marks, edited)
    if parts.missing:
        kept = tuple(one for one in edited.filters if one.field not in PLACES)
        edited = replace(edited, missing=parts.missing, filters=kept)
    return replace(edited, remarks=(*edited.remarks, *parts.remarks))


# Whether the message changes the query before it.


def _other_rows(
    parts: QuestionParts, marks: set[str], previous: ParsedQuestion, start: ParsedQuestion
) -> ParsedQuestion | None:
    """The same question without its conditions, or its next or previous rows; None for other changes."""
    if "drop all" in marks:
        return replace(start, filters=(), order=(), limit=None)
    if _wants_more(parts, marks):
        return replace(start, skip=previous.skip + previous.rows, limit=parts.limit or start.limit)
    if "previous page" in marks:
        return replace(start, skip=max(0, previous.skip - start.rows))
    return None


def _change_words(parts: QuestionParts) -> list[PhraseHit]:
    """The words of change in a message, those that longer phrases hold included; names of places are no such words."""
    labels = (label for label in lists("edits") if label != "loose")
    found = parts.vocabulary.find(parts.unplaced, "edits", *labels)
    again = parts.vocabulary.find(
        parts.unplaced, "edits", "more", "more end", "drop", "drop all", "only", "add", *_MORE
    )
    return [*found, *(hit for hit in again if hit not in found)]


def _is_whole(parts: QuestionParts, changes: list[PhraseHit], previous: ParsedQuestion) -> bool:
    """Whether the message asks something complete, so that nothing of the query before it is meant.

    That is a thing with its own place ("phòng quận 3 có ban công"), or a figure with its own place, or with its own
    groups where the conditions of the query before would leave nothing to tell apart ("giá trung bình theo quận" after
    rooms of one district). Words that clearly change something ("thì sao", "chỉ" in front, "rẻ hơn nữa") say otherwise.
    """
    output, find = parts.output, parts.vocabulary.find
    fields = {one.field for one in parts.filters if one.op not in {"!=", "not_in"}}
    placed = bool(fields & PLACES)
    figures = output.measures and (output.compares or find(parts.text, "asks", *_FIGURES, *_SUBJECTS))
    complete = placed or _clashes(parts, previous) if figures else placed and parts.named
    # What one earns or owes needs nothing of the query before.
    money = bool(output.measures and find(parts.text, "asks", "revenue", "debt"))
    return bool(complete or money) and not _clearly_changes(parts, changes, fields)


def _clashes(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the figures asked for by group are over fields that the list before was narrowed by."""
    output = parts.output
    if not output.group or set(output.group) & set(previous.group):
        return False
    wanted = {*output.group, *(one.field for one in output.measures if not previous.measures)}
    before = {one.field for one in previous.filters}
    return bool(wanted & before) or ("district" in wanted and bool(before & PLACES - {"city"}))


def _clearly_changes(parts: QuestionParts, changes: list[PhraseHit], fields: set[str]) -> bool:
    """Whether a word of change stands that means nothing else in a message that is complete otherwise."""
    begin = len(parts.unplaced) - len(parts.unplaced.lstrip())
    for hit in changes:
        if hit.label.startswith("field ") or hit.label in _BY_ITSELF:
            continue
        if hit.label in _MORE and (parts.output.compares or _DIRECTIONS.get(hit.label, ("",))[0] in fields):
            continue
        if (hit.label in {"only", "add"} and hit.start == begin) or not _is_loose(hit, parts):
            return True
    return False


def _is_loose(hit: PhraseHit, parts: QuestionParts) -> bool:
    loose = parts.vocabulary.find(parts.unplaced, "edits", "loose")
    return any(one.start <= hit.start and hit.end <= one.end for one in loose)


def _belongs(parts: QuestionParts, changes: list[PhraseHit], previous: ParsedQuestion) -> bool:
    """Whether the message belongs to the query before: it has words of change, or is nothing but conditions."""
    words = len(folded_words(parts.text))
    edits = {hit.label for hit in changes if not hit.label.startswith("field")}
    if words > _LONG or _is_other(parts, changes, previous):
        return False
    if _asks_more(parts, previous) or _turns_groups(parts, previous) is not None:
        return True
    if previous.own and not parts.named and _asks_of_papers(parts, previous):
        return True
    if parts.money in {"electricity", "water", "rent"} and previous.entity == "invoice":
        return not any(one.field == "month" for one in parts.filters)
    seeks = parts.named and any(hit.label == "find" for hit in parts.vocabulary.find(parts.text, "talk"))
    return _says_so(parts, edits, seeks=seeks, words=words) or _is_condition(parts, seeks=seeks, words=words)


def _is_other(parts: QuestionParts, changes: list[PhraseHit], previous: ParsedQuestion) -> bool:
    """Whether other things are asked for: other records, one's own ones, figures that the ones before lack."""
    turned = {hit.label for hit in changes if not _is_loose(hit, parts)}
    edits = {hit.label for hit in changes if not hit.label.startswith("field")}
    own = parts.vocabulary.find(parts.text, "asks", "own") and (parts.named or parts.money)
    limited = any(one.field in {"price", "area"} for one in (*previous.filters, *parts.filters))
    return bool(
        (parts.named and parts.entity != previous.entity and not {"instead", "those"} & turned)
        or (parts.own and parts.named and not previous.own)
        or (own and previous.own and not edits)
        or (
            previous.measures and set(_MORE) & edits and not limited
        )  # no limit to move, no list to go beyond
        or is_forbidden(parts.vocabulary, parts.text)
        or not _has_figures(parts, previous)
    )


def _asks_of_papers(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether something is asked that the papers before say: "tiền cọc thì sao", "mấy giờ", "khi nào hết hạn"."""
    if previous.entity in _SUMMED and _own_figure(parts, previous.entity):
        return True
    labels = [label for label in (f"told {previous.entity}", "ending") if label in lists("asks")]
    told = previous.entity in _PAPERS and parts.vocabulary.find(parts.text, "asks", *labels)
    return bool(told) and not (parts.filters or parts.output.measures)


def _has_figures(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the records before have the figures that the message names: a deposit is asked of no invoice."""
    hits = parts.vocabulary.find(parts.text, "asks", *_SUBJECTS)
    names = {hit.label.removeprefix("figure ") for hit in hits} - {"price_m2"}
    return names <= {*entities()[previous.entity].fields}


def _asks_more(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the same records are asked about without a place of their own: those of the place, or of the papers, before."""
    if not parts.named or parts.entity != previous.entity or parts.missing:
        return False
    if parts.vocabulary.find(parts.text, "asks", "own") and not previous.own:
        return False
    output, fields = parts.output, {one.field for one in parts.filters}
    if previous.entity in _SUMMED:
        return not (parts.filters or output.measures or parts.vocabulary.find(parts.text, "asks", "own"))
    bound = previous.own or any(one.field in PLACES for one in previous.filters)
    more = parts.filters or output.order or output.measures
    return bool(bound and more and not fields & PLACES and not output.group)


def _turns_groups(parts: QuestionParts, previous: ParsedQuestion) -> bool | None:
    """Which end of the groups before is asked for: "còn ít nhất thì sao" (True for the highest); None for none."""
    if not previous.group or parts.named or parts.output.group or parts.filters:
        return None
    hits = parts.vocabulary.find(parts.text, "asks", "highest end", "lowest end")
    return hits[0].label == "highest end" if hits else None


def _says_so(parts: QuestionParts, edits: set[str], *, seeks: bool, words: int) -> bool:
    """Whether words of change are said; those that also open a new search count only where nothing is sought."""
    slots = bool(parts.filters or parts.limit or parts.missing)
    shaped = bool(parts.output.order or parts.output.mode)
    return bool(
        {"drop all", "those", "turn", "previous page"} & edits
        or (set(_MORE) & edits and not (seeks and parts.filters))
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
    if parts.output.mode or parts.output.order or parts.output.group:
        return not parts.named or words <= _SHORT
    return bool(parts.filters or parts.limit or parts.missing) and not (parts.named or parts.own)


# The changes.


def _wants_more(parts: QuestionParts, marks: set[str]) -> bool:
    """Whether further rows are asked for, and nothing else."""
    other = {*_MORE, "drop", "anywhere", "any price"} & marks
    asks = parts.filters or parts.output.order or parts.needless or other
    return bool({"more", "more end"} & marks) and not asks


def _without_dropped(parts: QuestionParts, marks: set[str], start: ParsedQuestion) -> ParsedQuestion:
    """Conditions that are given up: "bỏ lọc giá", "không cần máy lạnh nữa"; what was no condition is left out from now on:
    "bỏ ở ghép đi", "bỏ quận 9 ra".
    """
    labels = (label for label in lists("edits") if label.startswith("field "))
    named = {hit.label.removeprefix("field ") for hit in parts.vocabulary.find(parts.text, "edits", *labels)}
    fields: set[str] = set()
    needless = (name.partition(" ") for name in parts.needless)
    values: set[tuple[str, Value]] = {(field, name) for field, _, name in needless if field == "amenity"}
    if "furnished" in parts.needless:
        fields.add("furnished")
    excluded: list[Filter] = []
    order = start.order
    if "drop" in marks:
        named = named if not parts.filters else set()
        fields |= (named - {"order"}) | (PLACES if "place" in named else set())
        order = () if "order" in named else order
        for one in parts.filters:
            held = {
                value
                for f in start.filters
                if f.field == one.field and f.op in {"=", "in"}
                for value in f.values
            }
            gone = {*one.values} & held
            if one.field in {"district", "ward", "city", "type"} and not gone:
                excluded.append(Filter(one.field, "not_in" if len(one.values) > 1 else "!=", one.value))
            elif one.field in {"amenity", "district", "type"}:
                values |= {(one.field, value) for value in gone}
            else:
                fields.add(one.field)
    kept = [_less(one, values) for one in start.filters if one.field not in fields]
    return replace(
        start, filters=merge_filters([*(one for one in kept if one is not None), *excluded]), order=order
    )


def _less(one: Filter, values: set[tuple[str, Value]]) -> Filter | None:
    """A condition without the values that were given up; None where none is left."""
    left = tuple(value for value in one.values if (one.field, value) not in values)
    if len(left) == len(one.values):
        return one
    return (
        Filter(one.field, "in" if len(left) > 1 else "=", left if len(left) > 1 else left[0])
        if left
        else None
    )


def _compared(parts: QuestionParts, start: ParsedQuestion) -> ParsedQuestion | None:
    """ "so với quận 10", "so với tháng 9 thì sao": the side before and the one named, told apart; None for other changes."""
    by = (label for label in lists("asks") if label.startswith("by ") and label != "by month")
    if not parts.vocabulary.find(parts.text, "asks", "compare") or parts.vocabulary.find(
        parts.text, "asks", *by
    ):
        return None
    for one in parts.filters:
        before = [f for f in start.filters if f.field == one.field and f.op in {"=", "in"}]
        if one.field in {"district", "city", "ward", "type"} and one.op == "=" and before:
            rest = [f for f in start.filters if f not in before]
            sides = tuple(sorted({*before[0].values, *one.values}))
            measures = start.measures or (Measure("avg", "price"),)
            return replace(
                start, filters=merge_filters([*rest, Filter(one.field, "in", sides)]), measures=measures,
                group=(one.field,), order=(Order("figure", True),), mode="TABLE", limit=None,
            )  # fmt: skip
    months = [f for f in start.filters if f.field == "month"]
    new = [f for f in parts.filters if f.field in {"month", "posted_at"} and f.op == ">=" and f not in months]
    one_month = len({_first_day(one.value) for one in months}) == 1
    if start.entity == "invoice" and start.measures and one_month and new:
        sides = tuple(sorted({_first_day(f.value) for f in (*months, *new)}))
        rest = [f for f in start.filters if f.field != "month"]
        return replace(
            start, filters=merge_filters([*rest, Filter("month", "in", sides)]), group=("month",), measures=start.measures[:1],
            order=(Order("month"),), mode="TABLE",
        )  # fmt: skip
    return None


def _compared_sides(parts: QuestionParts, start: ParsedQuestion) -> ParsedQuestion | None:
    """ "cái nào rẻ hơn" after a figure of one place and then of another: both told apart; None for other messages."""
    old = start.replaced
    said = parts.vocabulary.find(parts.text, "asks", "compare", "which")
    if old is None or not (said and start.measures) or parts.filters or parts.output.group or parts.named:
        return None
    new = [one for one in start.filters if one.field == old.field and one.op in {"=", "in"}]
    counts = start.measures[0].kind in {"count", "share"}
    by_price = _BY_PRICE.search(fold(parts.text)) is not None
    sides = tuple(sorted({*old.values, *(value for one in new for value in one.values)}))
    kept = [one for one in start.filters if one not in new]
    return replace(
        start, filters=merge_filters([*kept, Filter(old.field, "in", sides)]), group=(old.field,), limit=None,
        measures=(Measure("avg", "price"),) if counts and by_price else start.measures, mode="TABLE",
        order=(Order("figure", True),), replaced=None,
    )  # fmt: skip


def _first_day(value: Value) -> str:
    return f"{str(value)[:7]}-01"


def _with_conditions(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """New conditions take the place of old ones on the same field; amenities and exclusions add up."""
    if "drop" in marks or not parts.filters:
        return found
    if "add" in marks and "only" not in marks:
        found, told = _readmitted(parts, found)
    else:
        told = ()
    new = [_as_before(one, found.filters) for one in parts.filters if one not in told]
    # "ở quận 3 nữa" is one more place, "dưới 4 triệu nữa" one more condition.
    again = parts.vocabulary.find(parts.unplaced, "edits", "more end")
    marks = marks | ({"add"} if any(fold(hit.phrase).startswith("nua") for hit in again) else set())
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
            same = same and not (
                old.field == "city" and fields <= {"district", "ward"} and _lie_within(new, old)
            )
        elif (
            same
            and _is_limit(old)
            and any(_is_limit(one) and one.op[0] != old.op[0] for one in new if one.field == old.field)
        ):
            same = any(one.field == old.field and one.op[0] == old.op[0] for one in new)
        if same and old.field in {"district", "city", "type"} and old.op == "=":
            found = replace(found, replaced=old)
        gone = old.op in {"=", "in"} and {(old.field, value) for value in old.values} <= refused
        if not (same or gone):
            keep.append(old)
    return replace(found, filters=merge_filters([*keep, *new]))


def _readmitted(parts: QuestionParts, found: ParsedQuestion) -> tuple[ParsedQuestion, tuple[Filter, ...]]:
    """ "cho cả ở ghép" after these were left out: the exclusion goes; with the conditions that said so."""
    out = {(one.field, value) for one in found.filters if one.op in {"!=", "not_in"} for value in one.values}
    told = tuple(
        one for one in parts.filters if one.op in {"=", "in"} and {(one.field, v) for v in one.values} <= out
    )
    back = {(one.field, value) for one in told for value in one.values}
    kept = [
        one
        for one in found.filters
        if one.op not in {"!=", "not_in"} or not {(one.field, value) for value in one.values} <= back
    ]
    return replace(found, filters=tuple(kept)), told


def _as_before(new: Filter, old: tuple[Filter, ...]) -> Filter:
    """ "4 triệu thôi" after "dưới 3 triệu" moves the limit: a bare number keeps the comparison there was."""
    same = [one for one in old if one.field == new.field]
    bare = new.op == "=" and isinstance(new.value, int | float)
    return replace(new, op=same[0].op) if bare and len(same) == 1 and _is_limit(same[0]) else new


def _is_limit(one: Filter) -> bool:
    return one.op[0] in "<>"


def _lie_within(new: list[Filter], city: Filter) -> bool:
    """Whether all districts of `new` lie in the city asked for before, so that it stays."""
    known = places()
    return all(
        any(known.by_id[place.city_id].name == city.value for place in known.named(name, "district"))
        for one in new
        if one.field == "district"
        for name in one.values
    )


def _with_moved_limits(
    parts: QuestionParts, marks: set[str], found: ParsedQuestion, shown: Focus | None
) -> ParsedQuestion:
    """ "rẻ hơn nữa" without an amount: beyond what was shown, or in the order that says it."""
    for label in _MORE:
        if label not in marks:
            continue
        field, _ = _DIRECTIONS.get(label, ("", ""))
        named = any(one.field == field for one in parts.filters)
        if not named and shown is not None and (beyond := _beyond(label, found, shown)) is not None:
            found = beyond
            continue
        found = replace(found, order=(_DIRECTION_ORDERS[label],))
    return found


def _beyond(label: str, found: ParsedQuestion, shown: Focus) -> ParsedQuestion | None:
    """ "rẻ hơn nữa" after a list: below the cheapest one shown, or word that none is cheaper; None for other changes."""
    field, op = _DIRECTIONS.get(label, ("", ""))
    spoken_of = str(shown.query.get("picked_id", ""))
    rows = [row for row in shown.rows if row.id == spoken_of] or list(shown.rows)
    values = [value for row in rows if isinstance(value := row.values.get(field), int | float)]
    if not values or found.measures or shown.kind != found.entity:
        return None
    total, skipped = int(shown.query.get("total", 0)), int(shown.query.get("skip", 0))
    edge = min(values) if op == "<" else max(values)
    ahead = found.order[:1] == (_DIRECTION_ORDERS[label],) and not skipped and rows[0] == shown.rows[0]
    whole = len(rows) >= total and not skipped
    if ahead or (whole and not found.limit):
        told = Remark.of(f"said.already_{label}", value=f"{edge:g}", field=field)
        return replace(found, order=(_DIRECTION_ORDERS[label],), remarks=(*found.remarks, told))
    kept = (one for one in found.filters if one.field != field or one.op in {"!=", "not_in"})
    limit = Filter(field, "<" if op == "<" else ">", int(edge) if float(edge).is_integer() else edge)
    return replace(
        found,
        filters=merge_filters([*kept, limit]),
        order=(_LIMIT_ORDERS[label],),
        remarks=(*found.remarks, Remark.of(f"said.beyond_{label}")),
    )


def _without_month(found: ParsedQuestion) -> ParsedQuestion:
    """Without a condition on one month, which leaves no months to tell apart."""
    months = {_first_day(one.value) for one in found.filters if one.field == "month"}
    if len(months) != 1:
        return found
    return replace(found, filters=tuple(one for one in found.filters if one.field != "month"))


def _own_figure(parts: QuestionParts, entity: str) -> str:
    """The figure of one's own papers that the message names: "tiền cọc"; "" for none."""
    hits = parts.vocabulary.find(parts.text, "asks", "figure deposit", "invoice rent")
    names = {"figure deposit": "deposit", "invoice rent": _SUMMED[entity]}
    return next((names[hit.label] for hit in hits if names[hit.label] in entities()[entity].fields), "")


def _with_output(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """Another order, number of rows, figure or way of showing."""
    output, find = parts.output, parts.vocabulary.find
    if (highest := _turns_groups(parts, found)) is not None:
        return replace(found, order=(Order("figure", highest),))
    rows = (parts.named or _WHICH.search(fold(parts.text))) and not find(parts.text, "asks", "amount asked")
    if found.measures and not output.measures and rows and not (output.group or {"instead", "only"} & marks):
        # Things are asked for where figures were: what they are figures of.
        found = replace(found, measures=(), group=(), order=(), limit=None, mode="LIST")
    if "turn" in marks and found.order:
        found = replace(found, order=tuple(Order(one.field, not one.descending) for one in found.order))
    if (money := _with_money(parts, found)) is not None:
        return money
    found = _with_figures(parts, marks, found)
    if parts.limit:
        found = replace(found, limit=parts.limit)
    if output.mode == "LIST" and found.measures:
        return replace(found, mode="LIST", measures=(), group=(), order=())
    if output.mode == "CHART" and not found.measures:
        average = (Measure("avg", "price"),)
        return replace(found, mode="CHART", measures=average, group=output.group or ("district",))
    return replace(found, mode=output.mode) if output.mode else found


def _with_money(parts: QuestionParts, found: ParsedQuestion) -> ParsedQuestion | None:
    """Another figure of one's own papers; None where none is asked for."""
    output, find = parts.output, parts.vocabulary.find
    if parts.money and found.entity == "invoice" and output.measures:
        group = output.group or found.group
        found = _without_month(found) if output.group else found
        order = output.order or found.order
        return replace(found, measures=output.measures, group=group, order=order, mode="TABLE")
    summed = find(parts.text, "asks", "sum", "amount asked")
    other = find(parts.text, "asks", "avg", "min", "max") or output.group
    if found.entity not in _SUMMED or not summed or other:
        return None
    figure = _own_figure(parts, found.entity) or _SUMMED[found.entity]
    return replace(found, measures=(Measure("sum", figure),), group=(), order=(), mode="TABLE", limit=None)


def _with_figures(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """Other figures or groups, or the order of a list."""
    output, find = parts.output, parts.vocabulary.find
    counted = (output.group and not found.measures) or find(parts.text, "asks", "count")
    if output.measures and (output.measures[0].kind != "count" or counted):
        # Where no other figure is named, only another way of showing is asked for.
        labels = ("count", "avg", "median", "min", "max", "sum", "trend", "price asked", *_OF_ALL)
        named = find(parts.text, "asks", *labels) or (output.group and MOST_OF_GROUP.search(fold(parts.text)))
        measures = output.measures if named else found.measures or output.measures
        group = output.group or found.group
        return replace(found, measures=measures, group=group, order=output.order, mode="TABLE")
    if output.group and found.measures:
        found = _without_month(found) if output.group == ("month",) else found
        ends = find(parts.text, "asks", "highest end", "lowest end")
        found = replace(found, order=(Order("figure", ends[0].label == "highest end"),)) if ends else found
        return replace(found, group=output.group, order=output.order or found.order)
    if output.order and not set(_MORE) & marks and not found.group:
        # After a number of rooms "rẻ nhất là cái nào" asks for one of them.
        limit = 1 if found.measures and not find(parts.text, "asks", "sort") else found.limit
        return replace(found, order=output.order, measures=(), mode="LIST", limit=limit)
    return found


# Which row of the last list is pointed at.


def pick_row(
    message: str, parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus
) -> tuple[ParsedQuestion, frozenset[str]] | None:
    """The rows of the last list that `message` points at, as a query for them alone, with the words that point; None
    where it points at none.

    A number that the list does not reach is asked about. "rẻ nhất" is the cheapest of all that the list is part of.
    """
    if not _may_point(parts, focus):
        return None
    # The rows of figures by group have no number of their own.
    rows = replace(focus, rows=tuple(row for row in focus.rows if row.id.isdigit()))
    message = _RANKED.sub("", nfc(message))
    found = find_reference(message, rows, things=THINGS, fields=_EXTREMES) or _named_by_id(message, rows)
    if found is None or (len(found.rows) > 1 and any(one.kind == "sum" for one in parts.output.measures)):
        return None
    pointed = frozenset(word for start, end in found.spans for word in folded_words(nfc(message)[start:end]))
    own = previous.own if previous is not None else False
    start = ParsedQuestion(entity=focus.kind, own=own, edited=True, question=message)
    if found.missing:
        missing = Remark.of("missing.number", last=str(len(rows.rows)), number=str(found.missing))
        return replace(start, missing=(missing,)), pointed
    if found.kind == "extreme" and previous is not None and not previous.picked:
        picked = _extreme(found, parts, previous, message)
    else:
        picked = _pointed_at(found, parts, previous, rows, start)
    return None if picked is None else (picked, pointed)


def _may_point(parts: QuestionParts, focus: Focus) -> bool:
    """Whether the message is short and names no place or rent of its own, and rows were shown that can be pointed at."""
    short = focus.kind in entities() and len(folded_words(parts.text)) <= _MOST_POINTER_WORDS
    other = any(one.field in PLACES or one.field == "price" for one in parts.filters)
    return short and not other and not is_forbidden(parts.vocabulary, parts.text)


def _named_by_id(message: str, focus: Focus) -> Reference | None:
    """ "còn 691 thì sao": rows by the ids that stand in their links."""
    said = {found[0]: found.span() for found in _ID.finditer(nfc(message))}
    rows = tuple(row for row in focus.rows if row.id in said)
    return Reference("ordinal", rows, tuple(said[row.id] for row in rows)) if rows else None


def _pointed_at(
    found: Reference,
    parts: QuestionParts,
    previous: ParsedQuestion | None,
    focus: Focus,
    start: ParsedQuestion,
) -> ParsedQuestion | None:
    """The rows that a number, an end of the list or "phòng đó" points at; None where it is not clear which."""
    chosen = _chosen(found, focus.query)
    if not chosen:
        return None
    asked = tuple(one for one in parts.filters if one.field in entities()[focus.kind].fields)
    if len(chosen) > 1:
        compares = bool(parts.vocabulary.find(parts.text, "asks", "compare"))
        if found.kind == "first" and previous is not None and not compares and not previous.measures:
            limit = len(chosen)
            return replace(
                previous, limit=limit, edited=True, missing=(), remarks=(), question=start.question
            )
        listed = found.kind in {"first", "last"} and not compares
        ids = Filter("id", "in", tuple(chosen))
        return replace(start, filters=(ids, *asked), mode="LIST" if listed or asked else "TABLE")
    number = next(at for at, row in enumerate(focus.rows, 1) if row.id == chosen[0])
    # A name of a figure counts in either language here: the question is short and its subject is known.
    details = details_of(start.question)
    filters = (Filter("id", "=", int(chosen[0])),)
    picked = replace(start, filters=filters, limit=1, picked=number, details=details, asked=asked)
    if not (details or asked) and parts.vocabulary.find(parts.text, "edits", "instead"):
        return picked.asking_as(focus.query)  # "còn cái thứ ba thì sao": what was asked of the one before
    return picked


def details_of(question: str) -> tuple[str, ...]:
    """The fields of one row that a question names, in either language."""
    hits = Vocabulary().find(question, "asks", *_DETAILS)
    return tuple(dict.fromkeys(_DETAILS[hit.label] for hit in hits))


def _chosen(found: Reference, query: Mapping[str, Any]) -> list[str] | None:
    """The ids pointed at; "phòng đó" is the row that was spoken of last, or the only one shown."""
    ids = [row.id for row in found.rows]
    if found.kind == "this":
        last = str(query.get("picked_id", ""))
        if last in ids:
            return [last]
        return ids if len(ids) == 1 else None
    return None if found.kind == "these" and len(ids) != 2 else ids


def _extreme(
    found: Reference, parts: QuestionParts, previous: ParsedQuestion, message: str
) -> ParsedQuestion | None:
    """ "cái rẻ nhất": the first of what was asked for, in that order; None where a figure is asked for."""
    if parts.vocabulary.find(parts.text, "asks", "min", "max", "avg") or parts.output.group:
        return None
    hits = parts.vocabulary.find(parts.text, "asks", *_MOST_OF[found.field])
    down = bool(hits) and hits[0].label in {"dearest", "largest"}
    field = _EXTREMES[found.field]
    if field not in entities()[previous.entity].fields:
        return None
    kept = tuple(one for one in parts.filters if one not in previous.filters)
    return replace(
        previous, filters=merge_filters([*previous.filters, *kept]), order=(Order(field, down),), limit=1,
        measures=(), group=(), mode="LIST", edited=True, skip=0, missing=(), remarks=(), question=message,
    )  # fmt: skip
