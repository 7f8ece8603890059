"""Follow-up messages that change the query before them: "rẻ hơn nữa", "chỉ quận 3 thôi", "bỏ lọc giá", "xem biểu đồ"."""

from __future__ import annotations

from dataclasses import replace

from troly_rental.ask.readiness import checked
from troly_rental.ask.reading import Filter, Measure, Order, Reading, Role, remark, tidy_filters
from troly_rental.ask.shown import Shown
from troly_rental.ask.standing import DIRECTIONS, MORE, PLACES, belongs, is_whole, marks_of
from troly_rental.ask.understand import Parts
from troly_rental.ask.words import phrases

_CLOSER = 0.85
"""What "rẻ hơn" takes off a limit that nobody names again."""
_ORDERS = {
    "cheaper": Order("price"), "dearer": Order("price"), "larger": Order("area"),
    "smaller": Order("area", True), "newer": Order("posted_at", True),
}  # fmt: skip

_ALONE = {
    "cheaper": Order("price"), "dearer": Order("price", True), "larger": Order("area", True),
    "smaller": Order("area"), "newer": Order("posted_at", True),
}  # fmt: skip


def follow(
    message: str, parts: Parts, previous: Reading, role: Role, shown: Shown | None = None
) -> Reading | None:
    """`previous` changed as `message` says, None when it starts something new."""
    if previous.request_type != "QUERY":
        return None
    if is_whole(parts, previous) or not belongs(parts, previous):
        return None
    marks = {hit.label for hit in marks_of(parts)}
    start = replace(previous, edited=True, skip=0, said=(), missing=(), question=message)
    edited = _apply(parts, marks, start, previous.skip, shown)
    return None if edited is None else checked(edited, role)


def _apply(
    parts: Parts, marks: set[str], start: Reading, previous_skip: int, shown: Shown | None
) -> Reading | None:
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


def _wants_more(parts: Parts, marks: set[str]) -> bool:
    """Whether further rows are asked for, and nothing else."""
    other = (
        parts.filters
        or parts.asked.order
        or parts.needless
        or {*MORE, "drop", "anywhere", "any price"} & marks
    )
    return bool({"more", "more end"} & marks) and not other


def _dropped(text: str, parts: Parts, marks: set[str], start: Reading) -> Reading:
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
    from troly_rental.ask.words import lists

    return tuple(label for label in lists("edits") if label.startswith("field "))


def _merged(parts: Parts, marks: set[str], found: Reading) -> Reading:
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
    return replace(found, filters=tidy_filters([*keep, *new]))


def _as_before(new: Filter, old: tuple[Filter, ...]) -> Filter:
    """ "4 triệu thôi" after "dưới 3 triệu" moves the limit: a bare number keeps the comparison there was."""
    same = [one for one in old if one.field == new.field]
    bare = new.op == "=" and isinstance(new.value, int | float)
    return replace(new, op=same[0].op) if bare and len(same) == 1 and _limits(same[0]) else new


def _limits(one: Filter) -> bool:
    return one.op[0] in "<>"


def _within(new: list[Filter], city: Filter) -> bool:
    """Whether all districts of `new` lie in the city asked for before, so that it stays."""
    from troly_rental.schema_places import places

    known = places()
    for one in new:
        if one.field != "district":
            continue
        for name in one.value if isinstance(one.value, tuple) else (str(one.value),):
            found = known.named(name, "district")
            if not any(known.by_id[place.city_id].name == city.value for place in found):
                return False
    return True


def _stretched(parts: Parts, marks: set[str], found: Reading, shown: Shown | None) -> Reading:
    """ "rẻ hơn nữa" without an amount: a limit is moved on, or the order says it; which one is told."""
    for label in MORE:
        if label not in marks:
            continue
        order = _ORDERS[label]
        field, op = DIRECTIONS.get(label, ("", ""))
        said = any(one.field == field for one in parts.filters)
        if not said and shown is not None and (seen := _beyond(label, found, shown)) is not None:
            found = seen
            continue
        limits = [one for one in found.filters if one.field == field and one.op not in {"!=", "not_in"}]
        numbers = [one.value for one in limits if isinstance(one.value, int | float)]
        if said or not numbers:
            found = replace(found, order=(_ALONE[label],))
            continue
        edge = _edge(op, limits, numbers)
        rest = [one for one in found.filters if one not in limits]
        found = replace(
            found,
            filters=tidy_filters([*rest, edge]),
            order=(order,),
            said=(*found.said, remark("said.moved", field=field)),
        )
    return found


def _beyond(label: str, found: Reading, shown: Shown) -> Reading | None:
    """ "rẻ hơn nữa" after a list: below the cheapest one shown, or word that none is cheaper; None for other changes."""
    field, op = DIRECTIONS.get(label, ("", ""))
    values = shown.figures.get(field)
    if not values or found.measures or shown.entity != found.entity:
        return None
    edge = min(values) if op == "<" else max(values)
    ahead = found.order[:1] == (_ALONE[label],) and shown.first == 1
    kept = tuple(one for one in found.filters if one.field != field or one.op in {"!=", "not_in"})
    if ahead or (shown.whole and not found.limit):
        said = remark(f"said.already_{label}", value=f"{edge:g}", field=field)
        return replace(found, order=(_ALONE[label],), said=(*found.said, said))
    limit = Filter(field, "<" if op == "<" else ">", int(edge) if edge.is_integer() else edge)
    said = remark(f"said.beyond_{label}")
    return replace(
        found, filters=tidy_filters([*kept, limit]), order=(_ORDERS[label],), said=(*found.said, said)
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


def _shown(text: str, parts: Parts, marks: set[str], found: Reading) -> Reading:
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
