"""Reads what is to be worked out and how it is shown: figures, groups, order, number of rows, list, table or chart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from troly.text.fold import fold
from troly.text.lexicon import Hit
from troly_rental.question.types import Filter, Measure, Mode, Order, Remark, make_remark
from troly_rental.question.vocabulary import phrases

_GROUPS = (
    "district",
    "city",
    "ward",
    "type",
    "month",
    "week",
    "day",
    "furnished",
    "bedrooms",
    "status",
    "amenity",
    "building",
    "room",
)
_KINDS = ("avg", "median", "min", "max", "sum")
_DOWNWARDS = ("descending", "largest", "dearest", "newest", "most viewed")
_LIST_ORDERS = {
    "newest": Order("posted_at", True), "oldest": Order("posted_at"), "cheapest": Order("price"),
    "cheap": Order("price"), "dearest": Order("price", True), "largest": Order("area", True),
    "spacious": Order("area", True), "smallest": Order("area"), "most viewed": Order("views", True),
}  # fmt: skip
_FIELDS = ("price", "area", "deposit", "electricity_price", "water_price", "views", "price_m2")
_DOWN_FIRST = frozenset({"posted_at", "views"})
_ASKED_WHERE = re.compile(
    r"(?<!\w)(?:quan|huyen|khu vuc|khu|cho|noi|thanh pho|phuong|loai|which|what|dau)(?!\w)"
)
_AND = re.compile(r"[\s,&/+-]*(?:va|and|cung|lan|cung nhu|hay|or)?\s*(?:gia|muc gia|the)?\s*")
_OF = re.compile(r"\s*(?:cua|of|theo|by|per|tung|moi)(?!\w)")
_NOUN_OF = re.compile(r"\s*(?:rent|price|prices|rents)\s+(?:of|by|per|for each|in each)(?!\w)")
_RANKED_BY = {
    "district": ("quan", "huyen", "khu vuc", "district", "districts", "area", "areas"),
    "ward": ("phuong", "ward", "wards"),
    "type": ("loai phong", "room types"),
}
_RANKED = re.compile(
    r"(?<!\w)(?P<top>top\s+)?(?P<number>\d{1,2})\s+(?P<most>(?:\w+est|most \w+)\s+)?"
    rf"(?P<what>{'|'.join(word for words in _RANKED_BY.values() for word in words)})(?!\w)"
)
_MOST = re.compile(r"(?<!\w)(?:nhat|most|\w+est)(?!\w)")
_THAN = re.compile(r"\s*(?:hon|than)(?!\w)")
_NOUN = re.compile(r"(?<!\w)(?:gia|gia thue|gia phong|tien thue|muc gia|dien tich|tien coc|the)\s*$")


@dataclass(frozen=True, slots=True)
class OutputRequest:
    """What is asked of the rows."""

    measures: tuple[Measure, ...]
    group: tuple[str, ...]
    order: tuple[Order, ...]
    mode: Mode | None
    said: tuple[Remark, ...]
    compares: bool


def parse_output(text: str, filters: list[Filter]) -> OutputRequest:
    """The figures, groups, order and form asked for in `text`."""
    sides = len(_sides(filters)) > 1
    compares = bool(phrases("asks", "compare").find(text) or (sides and phrases("asks", "which").find(text)))
    group = _groups(text)
    order, said = _order(text, filters)
    measures = _measures(text, group)
    form = _form(text)
    trend = bool(phrases("asks", "trend").find(text))
    if (trend or form == "CHART") and not measures:
        measures = (Measure("avg", _field(text)),) if trend or not _counted(text) else (Measure("count"),)
    if compares and not measures and (group or sides):
        measures = (Measure("avg", _field(text)),)
    if form == "TABLE" and not measures and (group or _statistics(text)):
        measures = (Measure("count"), Measure("avg", _field(text)))
    if trend and not group:
        group = ("month",)
    if measures and not group:
        group = _implied_group(
            filters, compares=compares or form == "CHART", counting=measures[0].kind == "count"
        )
    if form == "CHART" and measures and not group:
        group = ("district",)
    mode: Mode | None = "CHART" if trend or form == "CHART" else "TABLE" if measures else form
    if measures:
        order = _figure_order(text, group, measures)
    return OutputRequest(measures, group, order, mode, tuple(said), compares)


def _groups(text: str) -> tuple[str, ...]:
    hits = phrases("asks", *(f"by {name}" for name in _GROUPS)).find(text)
    found = dict.fromkeys(hit.label.removeprefix("by ") for hit in hits)
    ranked = _ranked(text)
    if ranked and not found:
        return (next(name for name, words in _RANKED_BY.items() if ranked["what"] in words),)
    return tuple(found)


def number_of_groups(text: str) -> int | None:
    """How many groups are to be shown: 5 for "top 5 quận đắt nhất"."""
    match = _ranked(text)
    return int(match["number"]) or None if match else None


def _ranked(text: str) -> re.Match[str] | None:
    match = _RANKED.search(fold(text))
    if match is None or match["top"] or match["most"]:
        return match
    return match if _MOST.search(fold(text)[match.end() :]) else None


def _implied_group(filters: list[Filter], *, compares: bool, counting: bool) -> tuple[str, ...]:
    """Several districts, kinds or cities named together are told apart."""
    for one in filters:
        if (
            one.op == "in"
            and one.field in {"district", "city", "type", "ward"}
            and (compares or not counting)
        ):
            return (one.field,)
    return ()


def _sides(filters: list[Filter]) -> tuple[str, ...]:
    return next((f.value for f in filters if f.op == "in" and isinstance(f.value, tuple)), ())


def _measures(text: str, group: tuple[str, ...]) -> tuple[Measure, ...]:
    hits = phrases("asks", "count", *_KINDS, "price asked").find(text)
    hits = [hit for hit in hits if not (hit.label == "count" and _some(text, hit))]
    if ends := _ends(text):
        return ends
    labels = list(dict.fromkeys(hit.label for hit in hits))
    field = _field(text)
    found = [Measure(label, field) for label in labels if label in _KINDS]
    if "sum" in labels and "count" in labels:
        found = [m for m in found if m.kind != "sum"]
    if "count" in labels and not (found and "price asked" in labels):
        found.insert(0, Measure("count"))
    if not found and "price asked" in labels:
        found = [Measure("avg", "price"), Measure("min", "price"), Measure("max", "price")]
    if not found and group and set(group) - {"room", "building"}:
        found = _superlative_groups(text, field)
    return tuple(found)


def _some(text: str, hit: Hit) -> bool:
    """Whether "mấy phòng" means some rooms, to be shown, rather than how many there are."""
    if not any(one.start == hit.start for one in phrases("asks", "some").find(text)):
        return False
    return bool(phrases("asks", "showing").find(text[: hit.start]))


def _ends(text: str) -> tuple[Measure, ...]:
    """ "giá cao nhất và thấp nhất", "giá thấp nhất của ...": the ends of a figure; rooms in that order are no figure."""
    hits = phrases("asks", "highest end", "lowest end").find(text)
    labels = list(dict.fromkeys(hit.label for hit in hits))
    named = phrases("asks", *(f"figure {name}" for name in _FIELDS)).find(text)
    if not hits or not named or phrases("asks", "sort").find(text):
        return ()
    if len(labels) > 1:
        if not _AND.fullmatch(fold(text[hits[0].end : hits[1].start])):
            return ()
    else:
        before, after = fold(text[: hits[0].start]), fold(text[hits[0].end :])
        if not (_NOUN_OF.match(after) or (_OF.match(after) and _NOUN.search(before))):
            return ()
    field = _field(text)
    return tuple(Measure("max" if label == "highest end" else "min", field) for label in labels)


def _superlative_groups(text: str, field: str) -> list[Measure]:
    """ "quận nào rẻ nhất", "giá theo quận": the average; "số phòng theo quận" is caught by the count."""
    hits = phrases("asks", "cheapest", "dearest", "cheap").find(text)
    if hits or phrases("asks", *(f"figure {name}" for name in _FIELDS)).find(text):
        return [Measure("avg", "price" if hits else field)]
    if phrases("asks", "largest", "smallest").find(text):
        return [Measure("avg", "area")]
    if phrases("asks", "most viewed").find(text):
        return [Measure("avg", "views")]
    return [Measure("count")]


def _field(text: str) -> str:
    """The field that a figure is about: the rent unless another one is named."""
    hits = phrases("asks", *(f"figure {name}" for name in _FIELDS)).find(text)
    names = [hit.label.removeprefix("figure ") for hit in hits]
    special = [name for name in names if name != "price"]
    return special[0] if special and (names[0] != "price" or special[0] == "price_m2") else "price"


def _order(text: str, filters: list[Filter]) -> tuple[tuple[Order, ...], list[Remark]]:
    """The order of a list, the first one said first; "giá rẻ" is the lowest rent first, and said so (C9)."""
    said: list[Remark] = []
    sort = phrases("asks", "sort").find(text)
    if sort:
        tail = text[sort[0].end :]
        fields = phrases(
            "asks",
            *(f"sort {n}" for n in ("price", "area", "posted_at", "views", "deposit", "bedrooms", "people")),
        ).find(tail)
        ways = phrases("asks", "ascending", "smallest", "cheapest", *_DOWNWARDS).find(tail)
        if fields:
            name = fields[0].label.removeprefix("sort ")
            down = ways[0].label in _DOWNWARDS if ways else name in _DOWN_FIRST
            return (Order(name, down),), said
    sized = any(one.field == "area" for one in filters)
    hits = [
        hit
        for hit in phrases("asks", *_LIST_ORDERS).find(text)
        if not (sized and hit.label == "spacious")
        and not (hit.label == "cheap" and _THAN.match(fold(text[hit.end :])))
    ]
    if not hits:
        return (), said
    if hits[0].label == "cheap" and not any(hit.label == "cheapest" for hit in hits):
        said.append(make_remark("said.cheap"))
    orders = [_LIST_ORDERS[hit.label] for hit in hits]
    unique = {order.field: order for order in reversed(orders)}
    return tuple(dict.fromkeys(unique[order.field] for order in orders)), said


def _figure_order(text: str, group: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[Order, ...]:
    """Groups by time run forwards; others by the figure, the side asked for first."""
    if not group:
        return ()
    if group[0] in {"month", "week", "day", "bedrooms"}:
        return (Order(group[0]),)
    low = phrases("asks", "cheapest", "cheap", "smallest").find(text)
    few = re.search(r"(?<!\w)(?:it|fewest|least)(?!\w)", fold(text)) and measures[0].kind == "count"
    return (Order("figure", not (low or few)),)


def _form(text: str) -> Mode | None:
    found = {hit.label for hit in phrases("asks", "chart", "table", "list").find(text)}
    if "chart" in found:
        return "CHART"
    return "TABLE" if "table" in found else "LIST" if "list" in found else None


def _statistics(text: str) -> bool:
    return (
        re.search(
            r"(?<!\w)(?:thong ke|bang gia|so lieu|statistics?|stats|phan bo|distribution|tong hop|bao cao|report|breakdown|overview|summary)(?!\w)",
            fold(text),
        )
        is not None
    )


def _counted(text: str) -> bool:
    return (
        re.search(
            r"(?<!\w)(?:so luong|so phong|so can|so tin|phan bo|distribution|number|count|ty le|ti le)(?!\w)",
            fold(text),
        )
        is not None
    )
