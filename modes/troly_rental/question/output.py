"""What a question asks of the rows: figures, groups, order, number of groups, and a list, table or chart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from troly.text.everyday import everyday_phrases
from troly.text.fold import fold, folded_words
from troly.text.match import PhraseHit
from troly_rental.question.amounts import number_of
from troly_rental.question.pointers import of_shown
from troly_rental.question.types import PLACES, RUNNING, Filter, Measure, Mode, Order, Remark, Span
from troly_rental.question.vocabulary import Vocabulary

_GROUPS = (
    "district", "city", "ward", "type", "month", "week", "day", "furnished", "bedrooms", "status", "amenity",
    "building", "room", "tenant", "price_band",
)  # fmt: skip
_SIDED = frozenset({"district", "city", "type", "ward", "month"})
_WHICHEVER = re.compile(r"\s+cung(?!\w)")
"""What makes no group of "quận nào cũng được"."""
_NO_FIGURE = frozenset({"room", "building", "tenant", "month", "week", "day"})
"""Groups that ask for no figure by themselves: "cho thuê theo tháng"."""
_EACH = re.compile(r"(?:moi|tung|theo|each|every|per|by)\s")
_KINDS = ("avg", "median", "min", "max", "sum")
PRICES = (Measure("avg", "price"), Measure("min", "price"), Measure("max", "price"))
"""What "giá bao nhiêu" asks of several rooms."""
_PRICE_ENDS = ((Order("price"),), (Order("price", True),))
"""The orders of which "giá bao nhiêu" asks for the end: "phòng rẻ nhất giá bao nhiêu"."""
_PRICE_END = re.compile(r"(?:re|dat|mac) (?:nhat|nhut)")
_DOWNWARDS = ("descending", "largest", "dearest", "newest", "most viewed")
_LIST_ORDERS = {
    "newest": Order("posted_at", True), "oldest": Order("posted_at"), "cheapest": Order("price"),
    "cheap": Order("price"), "dearest": Order("price", True), "largest": Order("area", True),
    "spacious": Order("area", True), "smallest": Order("area"), "most viewed": Order("views", True),
    "least viewed": Order("views"),
}  # fmt: skip
_FIELDS = ("price", "area", "deposit", "electricity_price", "water_price", "views", "price_m2")
_RATES = ("deposit", "electricity_price", "water_price")
_FIGURE_WORDS = (
    "count", *_KINDS, "price asked", "highest end", "lowest end", "share", "occupancy", "vacancy", *_LIST_ORDERS,
    *(f"figure {name}" for name in _FIELDS),
)  # fmt: skip
_DOWN_FIRST = frozenset({"posted_at", "views"})
_AND = re.compile(
    r"[\s,&/+-]*(?:va|and|cung|lan|cung nhu|hay|or|voi|den|toi|to|roi)?\s*(?:gia|muc gia|the)?\s*"
)
_OF = re.compile(r"\s*(?:cua|of|theo|by|per|tung|moi)(?!\w)")
_NOUN_OF = re.compile(r"\s*(?:rent|price|prices|rents)\s+(?:of|by|per|for each|in each)(?!\w)")
_RANKED_BY = {
    "district": ("quan", "huyen", "khu vuc", "district", "districts", "area", "areas"),
    "ward": ("phuong", "ward", "wards"),
    "type": ("loai phong", "room types"),
}
_RANKED = re.compile(
    r"(?<!\w)(?P<top>top\s+)?(?P<number>\d{1,2}|hai|ba|bon|nam|sau|bay|tam|chin|muoi|two|three|four|five|six|ten)\s+(?P<most>(?:\w+est|most \w+)\s+)?"
    rf"(?P<what>{'|'.join(word for words in _RANKED_BY.values() for word in words)})(?!\w)"
)
_EITHER_MORE = re.compile(r"(?<!\w)(?:hay|or)(?!\w).*(?<!\w)(?:hon|more|fewer)(?!\w)")
_LEAST = re.compile(
    r"(?<!\w)(?:re|dat|mac|thap|cao)\s+nhat(?!\w)|(?<!\w)(?:cheapest|lowest|dearest|highest)(?!\w)"
)
_OF_THINGS = re.compile(
    r"(?<!\w)(?:phong|phong tro|can|can ho|can ho mini|nha|chung cu|studio|o ghep)\s+(?:gia\s+)?(?:re|dat|mac)\s+nhat(?!\w)|(?<!\w)(?:cheapest|dearest)\s+\w"
)
_OF_SIZE = re.compile(
    r"(?<!\w)(?:phong(?: tro)?|can(?: ho)?(?: mini)?|nha(?: tro| nguyen can)?|chung cu(?: mini)?|studio|cai|cho)\s+(?:dien tich\s+)?(?:rong|lon|to|bu|nho|be|hep)\s+(?:nhat|nhut)(?!\w)"
    r"|(?<!\w)(?:largest|biggest|roomiest|widest|smallest|tiniest)\s+(?!area|size)\w"
)
"""One room at an end of the prices, not the average of each side: "bên nào có phòng rẻ nhất"."""
_MOST = re.compile(r"(?<!\w)(?:nhat|most|\w+est)(?!\w)")
MOST_OF_GROUP = re.compile(r"(?<!\w)(?:nhieu|it)\s+nhat(?!\w)")
_MOST_THINGS = re.compile(
    r"(?<!\w)(nhieu|it|most|fewest)\s+(?:\w+\s+){0,2}(?:nhat|rooms|posts|listings)(?!\w)"
)
_VIEWS_ASKED = re.compile(r"(?<!\w)(?:bao nhieu (?:luot )?(?:xem|view)|how many views)(?!\w)")
_HOW_MUCH = re.compile(r"(?<!\w)(?:bao nhieu|nhieu|may|how much)(?!\w)")
_HELD = re.compile(
    r"(?<!\w)(?:con|co|duoc|con trong|dang trong|het|cong|thi|la|trong (?:so |dam )?(?:do|ay|day|nay))\s+$"
)
"""What leads to a number, not to some: "còn trống mấy phòng"."""
_SOME = re.compile(r"(?<!\w)mot\s*$")
_SEVERAL = re.compile(r"(?<!\w)(?:cac|nhung|rooms|apartments|houses|flats|ones)(?!\w)")
_HOW_WIDE = re.compile(r"\s*(?:(?:khoang|chung|tam|co|duoc)\s+)?(?:bao nhieu|nhieu|may|bn)(?!\w)")
_THAN = re.compile(r"\s*(?:hon|than)(?!\w)")
_STATISTICS = re.compile(
    r"(?<!\w)(?:thong ke|bang gia|so lieu|statistics?|stats|phan bo|distribution|tong hop|bao cao|report|breakdown"
    r"|overview|summary)(?!\w)"
)
_COUNTED = re.compile(
    r"(?<!\w)(?:so luong|so phong|so can|so tin|phan bo|distribution|number|count|ty le|ti le)(?!\w)"
)
_BEDROOMS = re.compile(r"\s*(?:ngu|tang|lau|floors|storeys)(?!\w)")
"""What makes no number of rooms of "mấy phòng ngủ", none of buildings of "có mấy tầng"."""
WHICH = re.compile(
    r"(?<!\w)(?:phong(?: tro)?|can(?: ho)?(?: mini)?|nha(?: tro| nguyen can)?|chung cu(?: mini)?|cho(?: o)?|cai|tin|bai|studio)(?: (?:con |dang )?trong)? nao(?!\w)"
    r"|(?<!\w)which (?:(?:of|my|the|your|our|these|those|vacant|available|empty|free) ){0,4}(?:one|room|flat|apartment|studio|house|place|unit)s?(?!\w)"
)
"""What asks for the thing beside a figure of it: "phòng nào rẻ nhất, giá bao nhiêu"."""
LEFT_OUT = re.compile(r"(?<!\w)(?:bo|loai|tru|gat|tinh|ke)(?:\s+(?:luon|het|bot|di|ra|not|ca))*\s+$")
"""Before "mấy phòng" that are left out, not counted."""
_LED = re.compile(r"(?<!\w)(?:o|nam|thuoc|tai|in)(?!\w)")
_NOUN = re.compile(r"(?<!\w)(?:gia|gia thue|gia phong|tien thue|muc gia|dien tich|tien coc|the)\s*$")


@dataclass(frozen=True, slots=True)
class OutputRequest:
    """What is asked of the rows; `mode` is None where no form is named, `compares` says that sides are set side by side,
    `single` that the first row alone is meant. `formed` are the groups of a chart that names no figure, whose measures are
    assumed: it is the form of what was shown, if anything was.
    """

    measures: tuple[Measure, ...]
    group: tuple[str, ...]
    order: tuple[Order, ...]
    mode: Mode | None
    remarks: tuple[Remark, ...]
    compares: bool
    single: bool = False
    formed: tuple[str, ...] | None = None


def parse_output(vocabulary: Vocabulary, text: str, filters: list[Filter]) -> OutputRequest:
    """The figures, groups, order and form asked for in `text`."""
    sides = len(_sides(filters)) > 1
    compares = bool(
        vocabulary.find(text, "asks", "compare")
        or (sides and (vocabulary.find(text, "asks", "which") or _EITHER_MORE.search(fold(text))))
    )
    order, remarks = _order(vocabulary, text, filters)
    if order and _asks_where(vocabulary, text):
        return OutputRequest((), (), order, "LIST", tuple(remarks), compares, single=True)
    group = _groups(vocabulary, text, within={one.field for one in filters if one.op == "="})
    measures = _measures(vocabulary, text, group)
    measures = measures or _amount_of_end(vocabulary, text, order, group, sides=compares and sides)
    if not remarks:
        measures = _with_end(vocabulary, text, order, measures, which=bool(WHICH.search(fold(text))))
    measures = _shares(vocabulary, text, filters, group, measures)
    form = _form(vocabulary, text)
    trend = bool(vocabulary.find(text, "asks", "trend"))
    named = vocabulary.find(text, "asks", *_FIGURE_WORDS) or _COUNTED.search(fold(text))
    own = trend or compares or named or "price_band" in group
    formed = group if form == "CHART" and not own else None
    if (trend or form == "CHART") and not measures:
        # Advertisements are counted unless a figure of theirs is named.
        figures = ("price asked", *_KINDS, *(f"figure {name}" for name in _FIELDS))
        posts = vocabulary.find(text, "asks", "post") and not vocabulary.find(text, "asks", *figures)
        counted = posts or (not trend and _COUNTED.search(fold(text)))
        measures = (Measure("count") if counted else Measure("avg", _field(vocabulary, text)),)
    if compares and not measures and (group or sides):
        measures = (Measure("avg", _field(vocabulary, text)),)
    if form == "TABLE" and not measures and (group or _STATISTICS.search(fold(text))):
        measures = (Measure("count"), Measure("avg", _field(vocabulary, text)))
    if trend and not group:
        group = ("month",)
    alone = order and not (group or trend or form or compares)
    if alone and _asks_of_one(vocabulary, text, order, measures):
        return OutputRequest((), (), order, "LIST", tuple(remarks), compares, single=True)
    if measures and not group:
        group = told_apart(filters)
    group = group or (("district",) if form == "CHART" and measures else ())
    mode: Mode | None = "CHART" if trend or form == "CHART" else "TABLE" if measures else form
    if measures:
        order = _figure_order(vocabulary, text, group, measures)
    return OutputRequest(measures, group, order, mode, tuple(remarks), compares, formed=formed)


def _shares(
    vocabulary: Vocabulary,
    text: str,
    filters: list[Filter],
    group: tuple[str, ...],
    measures: tuple[Measure, ...],
) -> tuple[Measure, ...]:
    """Shares and distributions in place of the figures that their words would be otherwise."""
    for label, state in (("vacancy", "available"), ("occupancy", "rented")):
        if vocabulary.find(text, "asks", label):
            kind = Measure("occupancy", "" if state == "rented" else state)
            return (kind, Measure("count_where", state), Measure("count"))
    if vocabulary.find(text, "asks", "share"):
        part = any(one.field not in PLACES for one in filters)
        return (Measure("share"), Measure("count")) if part else (Measure("count"),) if group else ()
    return (Measure("count"),) if "price_band" in group else measures


def _amount_of_end(
    vocabulary: Vocabulary, text: str, order: tuple[Order, ...], group: tuple[str, ...], *, sides: bool
) -> tuple[Measure, ...]:
    """ "căn rẻ nhất ở quận 3 là bao nhiêu" asks for prices; which of two `sides` has the cheapest room, for the least of each;
    "giá mỗi m2", which no row has, for its average.
    """
    if not order and vocabulary.find(text, "asks", "figure price_m2"):
        return (Measure("avg", "price_m2"),)
    if group or order[:1] not in _PRICE_ENDS or not _LEAST.search(fold(text)):
        return ()
    if sides:
        end = Measure("max" if order[0].descending else "min", "price")
        return (end,) if _OF_THINGS.search(fold(text)) else ()
    return PRICES if vocabulary.find(text, "asks", "amount asked") else ()


def _asks_of_one(
    vocabulary: Vocabulary, text: str, order: tuple[Order, ...], measures: tuple[Measure, ...]
) -> bool:
    """Whether something of the first room in an order is asked for: its rent ("phòng rộng nhất giá bao nhiêu"), its size ("căn hộ
    lớn nhất rộng bao nhiêu"), what else the cheapest or dearest is like ("căn rẻ nhất bao nhiêu tiền, rộng mấy mét").
    """
    find, several = vocabulary.find, _SEVERAL.search(fold(text))
    hits = find(text, "asks", "count", *_KINDS, "price asked")
    if measures == PRICES and all(hit.label == "price asked" for hit in hits):
        return True
    question = any(hit.label == "question" for hit in everyday_phrases(text))
    sized = find(text, "asks", "figure area")
    most = any(_MOST.search(fold(hit.phrase)) for hit in find(text, "asks", *_LIST_ORDERS))
    if most and sized and question and not (measures or several):
        return True
    if _OF_SIZE.search(fold(text)) and not (several or find(text, "asks", "count", "avg", "median", "sum")):
        return True
    others = sized or find(text, "asks", *(f"figure {name}" for name in _RATES))
    asked = question or find(text, "asks", "amount asked", "price asked")
    counted = find(text, "asks", "count", "avg", "median", "sum")
    ended = order[:1] in _PRICE_ENDS and _LEAST.search(fold(text))
    return bool(ended and others and asked) and not (counted or several)


def _with_end(
    vocabulary: Vocabulary, text: str, order: tuple[Order, ...], measures: tuple[Measure, ...], *, which: bool
) -> tuple[Measure, ...]:
    """ "rẻ nhất giá bao nhiêu" asks for that end alone; "còn mấy phòng, phòng rẻ nhất giá bao nhiêu" for their number as well,
    "còn mấy phòng, căn nào rẻ nhất" for the rooms in that order.
    """
    if order[:1] not in _PRICE_ENDS:
        return measures
    end = Measure("max" if order[0].descending else "min", "price")
    if measures == PRICES and not which:
        both = all(vocabulary.find(text, "asks", name) for name in ("cheapest", "dearest"))
        ends = PRICES if vocabulary.find(text, "asks", "avg") else PRICES[1:]
        return ends if both else (end,)
    if measures == (Measure("count"),) and not vocabulary.find(
        text, "asks", *(f"by {name}" for name in _GROUPS)
    ):
        asked = vocabulary.find(text, "asks", "price asked", "figure price")
        return () if which else (*measures, end) if asked else measures
    return measures


def _both_ends(vocabulary: Vocabulary, text: str) -> tuple[Measure, ...]:
    """Both ends of a figure where they are asked for together, alone ("thấp nhất và cao nhất bao nhiêu"); () for other
    messages.
    """
    sides = (("cheapest", "lowest end", "min", "smallest"), ("dearest", "highest end", "max", "largest"))
    least, most = (vocabulary.find(text, "asks", *labels) for labels in sides)
    joined = [
        (a, b)
        for a in least
        for b in most
        if _AND.fullmatch(fold(text[min(a.end, b.end) : max(a.start, b.start)]))
    ]
    if not joined or vocabulary.find(text, "asks", "count", "avg", "median", "sort"):
        return ()
    low, high = joined[0]
    field = "area" if {low.label, high.label} & {"smallest", "largest"} else _field(vocabulary, text)
    ends = (Measure("min", field), Measure("max", field))
    return ends if low.start < high.start else ends[::-1]


def _asks_where(vocabulary: Vocabulary, text: str) -> bool:
    """Whether it is asked where one thing is: "nhà rẻ nhất nằm ở quận nào" is no figure by district."""
    ends = vocabulary.find(text, "asks", "cheapest", "dearest", "largest", "smallest", "newest")
    places = [
        hit
        for hit in vocabulary.find(text, "asks", "by district", "by ward", "by city")
        if not _EACH.match(fold(hit.phrase))
    ]
    return any(
        end.end <= place.start and _LED.search(fold(text[end.end : place.start + 3]))
        for end in ends
        for place in places
    )


def _groups(vocabulary: Vocabulary, text: str, *, within: set[str]) -> tuple[str, ...]:
    """The groups asked for; `within` one district or ward "chỗ nào" is a room."""
    hits = [
        hit
        for hit in vocabulary.find(text, "asks", *(f"by {name}" for name in _GROUPS))
        if not _WHICHEVER.match(fold(text[hit.end :]))
        if not (within & {"district", "ward"} and fold(hit.phrase).startswith("cho nao"))
    ]
    found: dict[str, None] = dict.fromkeys(hit.label.removeprefix("by ") for hit in hits)
    ranked = _ranked(text)
    if vocabulary.find(text, "asks", "bands") and vocabulary.find(text, "asks", "figure price"):
        found["price_band"] = None
    if ranked and not found:
        return (next(name for name, words in _RANKED_BY.items() if ranked["what"] in words),)
    return tuple(found)


def number_of_groups(text: str) -> int | None:
    """How many groups are to be shown: 5 for "top 5 quận đắt nhất"."""
    match = _ranked(text)
    return number_of(text[slice(*match.span("number"))]) or None if match else None


def _ranked(text: str) -> re.Match[str] | None:
    match = _RANKED.search(fold(text))
    if match is None or not number_of(text[slice(*match.span("number"))]):
        return None  # "nằm quận nào" counts nothing
    if match["top"] or match["most"]:
        return match
    return match if _MOST.search(fold(text)[match.end() :]) else None


def ranked_span(text: str) -> list[Span]:
    """Where the number of groups stands, with the word for them."""
    match = _ranked(text)
    return [match.span()] if match else []


def told_apart(filters: Iterable[Filter]) -> tuple[str, ...]:
    """The field of which several values are named together: places, kinds, months. A figure is told of each."""
    return tuple(one.field for one in filters if one.op == "in" and one.field in _SIDED)[:1]


def _sides(filters: list[Filter]) -> tuple[str, ...]:
    """Values that are told apart where several are named; one thing has one state, of which any will do."""
    told = (one for one in filters if one.field not in {"status", "furnished", "amenity"})
    return next((f.value for f in told if f.op == "in" and isinstance(f.value, tuple)), ())


def _measures(vocabulary: Vocabulary, text: str, group: tuple[str, ...]) -> tuple[Measure, ...]:
    hits = vocabulary.find(text, "asks", "count", *_KINDS, "price asked")
    sums = [hit for hit in hits if hit.label == "sum"]  # "tổng cộng bao nhiêu phòng" is a number
    hits += [
        hit
        for hit in vocabulary.find(text, "asks", "count")
        if any(one.start < hit.start < one.end for one in sums)
    ]
    rates = vocabulary.find(text, "asks", *(f"figure {name}" for name in _RATES))
    hits = [
        hit
        for hit in hits
        if not (rates and hit.label == "price asked" and fold(text[: hit.start]).endswith("dang "))
        if not (
            hit.label == "count"
            and (
                _some(vocabulary, text, hit)
                or any(start <= hit.start < end for start, end in of_shown(text))
                or _SOME.search(fold(text[: hit.start]))
                or LEFT_OUT.search(fold(text[: hit.start]))
                or _BEDROOMS.match(fold(text[hit.end :]))
            )
        )
    ]
    if ends := _ends(vocabulary, text) or (() if group else _both_ends(vocabulary, text)):
        return ends
    labels = list(dict.fromkeys(hit.label for hit in hits))
    field = _field(vocabulary, text)
    if any(_PRICE_END.match(fold(hit.phrase)) and hit.end <= one.start for hit in hits for one in rates[:1]):
        field = "price"  # "rẻ nhất bao nhiêu, cọc mấy đồng"
    if not labels and _asks_amount_of_price(vocabulary, text):
        labels = ["price asked"]
    if field == "views" and ({"count", "sum"} & {*labels} or _VIEWS_ASKED.search(fold(text))):
        return (Measure("sum", "views"),)
    found = [Measure(label, field) for label in labels if label in _KINDS]
    if "sum" in labels and "count" in labels:
        found = [m for m in found if m.kind != "sum"]
    if "count" in labels and not (found and "price asked" in labels):
        found.insert(0, Measure("count"))
        # "bao nhiêu phòng …, rẻ nhất mỗi loại bao nhiêu"
        of_each = _superlative_groups(vocabulary, text, field) if group else []
        found += [one for one in of_each if one.kind in {"min", "max"} and one not in found]
    if not found and "price asked" in labels:  # "diện tích khoảng bao nhiêu" is no rent
        found = [Measure(one.kind, "area" if field == "area" else "price") for one in PRICES]
    most = "building" in group and MOST_OF_GROUP.search(fold(text))
    if not found and group and (most or set(group) - _NO_FIGURE):
        found = _superlative_groups(vocabulary, text, field)
    return tuple(found)


def _asks_amount_of_price(vocabulary: Vocabulary, text: str) -> bool:
    """ "giá phòng ở quận 3 bao nhiêu": the price is named first, and asked for at the end."""
    named = vocabulary.find(text, "asks", *(f"figure {name}" for name in _FIELDS))
    asked = vocabulary.find(text, "asks", "amount asked")
    priced = {hit.label for hit in named} == {"figure price"}
    return (
        priced and bool(asked) and named[0].end <= asked[-1].start and not text[asked[-1].end :].strip(" ?.!")
    )


def _some(vocabulary: Vocabulary, text: str, hit: PhraseHit) -> bool:
    """Whether "mấy phòng" means some rooms, to be shown, rather than how many there are."""
    if not any(one.start == hit.start for one in vocabulary.find(text, "asks", "some")):
        return False
    before = text[: hit.start]
    return bool(vocabulary.find(before, "asks", "showing")) and not _HELD.search(fold(before))


def _ends(vocabulary: Vocabulary, text: str) -> tuple[Measure, ...]:
    """ "giá cao nhất và thấp nhất", "giá thấp nhất của ...": the ends of a figure; rooms in that order are no figure."""
    hits = vocabulary.find(text, "asks", "highest end", "lowest end")
    labels = list(dict.fromkeys(hit.label for hit in hits))
    named = vocabulary.find(text, "asks", *(f"figure {name}" for name in _FIELDS))
    if not hits or not named or vocabulary.find(text, "asks", "sort"):
        return ()
    if len(labels) > 1:
        if not _AND.fullmatch(fold(text[hits[0].end : hits[1].start])):
            return ()
    else:
        before, after = fold(text[: hits[0].start]), fold(text[hits[0].end :])
        asked = named[0].start < hits[0].start and _HOW_MUCH.search(after)
        if not (asked or _NOUN_OF.match(after) or (_OF.match(after) and _NOUN.search(before))):
            return ()
    field = _field(vocabulary, text)
    return tuple(Measure("max" if label == "highest end" else "min", field) for label in labels)


def _superlative_groups(vocabulary: Vocabulary, text: str, field: str) -> list[Measure]:
    """ "quận nào rẻ nhất", "giá theo quận": the average; "số phòng theo quận" is caught by the count."""
    hits = vocabulary.find(text, "asks", "cheapest", "dearest", "cheap")
    groups = vocabulary.find(text, "asks", *(f"by {name}" for name in _GROUPS))
    if hits and hits[0].label != "cheap" and any(_EACH.match(fold(hit.phrase)) for hit in groups):
        # "giá rẻ nhất ở mỗi quận" is an end of each, "quận nào rẻ nhất" an average.
        return [Measure("min" if hits[0].label == "cheapest" else "max", "price")]
    if MOST_OF_GROUP.search(fold(text)) and not hits:
        return [Measure("count")]
    if hits or vocabulary.find(text, "asks", *(f"figure {name}" for name in _FIELDS)):
        return [Measure("avg", "price" if hits else field)]
    if vocabulary.find(text, "asks", "largest", "smallest"):
        return [Measure("avg", "area")]
    if vocabulary.find(text, "asks", "most viewed"):
        return [Measure("avg", "views")]
    return [Measure("count")]


def _field(vocabulary: Vocabulary, text: str) -> str:
    """The field that a figure is about: the rent unless another one is named."""
    hits = vocabulary.find(text, "asks", *(f"figure {name}" for name in _FIELDS))
    names = [hit.label.removeprefix("figure ") for hit in hits]
    special = [name for name in names if name != "price"]
    return special[0] if special and (names[0] != "price" or special[0] == "price_m2") else "price"


def _order(
    vocabulary: Vocabulary, text: str, filters: list[Filter]
) -> tuple[tuple[Order, ...], list[Remark]]:
    """The order of a list, the first one said first; "giá rẻ" is the lowest rent first, and said so (C9)."""
    remarks: list[Remark] = []
    sort = vocabulary.find(text, "asks", "sort")
    if sort:
        tail = text[sort[0].end :]
        fields = vocabulary.find(
            tail,
            "asks",
            *(f"sort {n}" for n in ("price", "area", "posted_at", "views", "deposit", "bedrooms", "people")),
        )
        ways = vocabulary.find(tail, "asks", "ascending", "smallest", "cheapest", *_DOWNWARDS)
        if fields:
            name = fields[0].label.removeprefix("sort ")
            down = ways[0].label in _DOWNWARDS if ways else name in _DOWN_FIRST
            return (Order(name, down),), remarks
    sized = any(one.field == "area" for one in filters)
    hits = [
        hit
        for hit in vocabulary.find(text, "asks", *_LIST_ORDERS)
        if not (hit.label == "spacious" and (sized or _HOW_WIDE.match(fold(text[hit.end :]))))
        and not (hit.label == "cheap" and _THAN.match(fold(text[hit.end :])))
    ]
    if not hits:
        return (), remarks
    if hits[0].label == "cheap" and not any(hit.label == "cheapest" for hit in hits):
        remarks.append(Remark.of("said.cheap"))
    orders = [_LIST_ORDERS[hit.label] for hit in hits]
    other = vocabulary.find(
        text, "asks", *(f"figure {name}" for name in ("deposit", "electricity_price", "water_price"))
    )
    first = [hit for hit in hits if _LIST_ORDERS[hit.label].field == "price"]
    other = [
        hit
        for hit in other
        if first and hit.end <= first[0].start and len(folded_words(text[hit.end : first[0].start])) <= 1
    ]
    if other:  # "giá điện rẻ nhất" is no rent, "phòng rẻ nhất cọc bao nhiêu" is one
        name = other[0].label.removeprefix("figure ")
        orders = [replace(one, field=name) if one.field == "price" else one for one in orders]
    unique = {order.field: order for order in reversed(orders)}
    return tuple(dict.fromkeys(unique[order.field] for order in orders)), remarks


def _figure_order(
    vocabulary: Vocabulary, text: str, group: tuple[str, ...], measures: tuple[Measure, ...]
) -> tuple[Order, ...]:
    """Groups by time run forwards; others by the figure, the side asked for first."""
    if not group:
        return ()
    if group[0] in RUNNING:
        ends = vocabulary.find(text, "asks", "highest end", "lowest end")
        if not ends and (most := _MOST_THINGS.search(fold(text))):
            return (Order("figure", most[1] in {"nhieu", "most"}),)
        return (Order("figure", ends[0].label == "highest end"),) if ends else (Order(group[0]),)
    low = vocabulary.find(text, "asks", "cheapest", "cheap", "smallest")
    few = re.search(r"(?<!\w)(?:it|fewest|least)(?!\w)", fold(text)) and measures[0].kind == "count"
    return (Order("figure", not (low or few)),)


def _form(vocabulary: Vocabulary, text: str) -> Mode | None:
    found = {hit.label for hit in vocabulary.find(text, "asks", "chart", "table", "list")}
    if "chart" in found:
        return "CHART"
    return "TABLE" if "table" in found else "LIST" if "list" in found else None
