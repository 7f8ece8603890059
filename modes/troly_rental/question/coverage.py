"""Which words of a message were understood. What is left over is named, never dropped: an answer is given only to all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from troly.text.dates import ANY_DAY, find_ranges
from troly.text.everyday import Role, without_everyday
from troly.text.fold import WordToken, fold, folded_words, tokens
from troly.text.match import spans_of, words_outside
from troly_rental.data.places import places
from troly_rental.question.follow_ups import details_of
from troly_rental.question.parts import PAID_YET, RATES, QuestionParts
from troly_rental.question.places import is_led
from troly_rental.question.pointers import (
    GROUPS,
    of_shown,
    one_shown,
    people,
    pointers,
    sets_against,
    several_pointed,
)
from troly_rental.question.spelling import lost_accents
from troly_rental.question.traits import all_kinds
from troly_rental.question.types import PAPERS, PLACES, Order, ParsedQuestion, Span
from troly_rental.question.vocabulary import lists
from troly_rental.sql.relations import entities

OFTEN = re.compile(
    r"(?<!\w)(?:toi|tui|minh|em|anh|chi|con|chau|be|no|bon|ban)\s+hay(?!\s+(?:la|lam)\b)(?=\s+\w)"
)
"""A habit, no choice: "tụi em hay về khuya"."""
_SIGNS = re.compile(r"[<>≤≥=≠$€£¥%]")
_BETWEEN_SIDES = frozenset({
    "giua", "between", "hon", "hay", "or", "than", "more", "fewer", "nhieu", "it", "so", "ben", "voi", "vs", "hai", "two", "ca",
})  # fmt: skip
"""What stands between sides that are told apart."""
_IDLE: frozenset[Role] = frozenset(
    {"person", "particle", "polite", "request", "degree", "now", "link", "auxiliary"}
)
_EACH = frozenset({"mỗi", "từng", "giữa", "each", "every", "per", "between"})
_EACH_SIDE = re.compile(
    r"(?<!\w)(?:(?:moi|tung)\s+(?:ben|noi|cho|khu|quan|huyen|loai|thang)|each(?=\W*$|\s+(?:one|side|of them)))(?!\w)"
)
_PLACE_OF = re.compile(
    r"(?<!\w)(?:o|cho|noi|ben|khu|phong|can|cai|con|quan|huyen|phuong|nha|tin|bai|thang|hop dong|hoa don)\s*$"
)
_SAID_BEFORE = frozenset({"phong", "can", "cai", "con", "nha", "tin", "bai"})
_PLACED = frozenset({"o", "cho", "noi", "ben", "khu"})
_POINTING = frozenset(
    {"do", "day", "kia", "nay", "ay", "vua", "tren", "that", "those", "these", "it", "them"}
)
"""What means the answer before where that is what is changed."""
_SOME_OF_THOSE = re.compile(
    r"(?<!\w)may\s+(?:\w+\s+){1,2}(?:do|day|nay|kia|ay)(?!\w)|(?<!\w)(?:bo|loai|tru|gat|lay)\s+(?:het\s+)?may(?!\w)"
)
_MORE_AT_END = re.compile(
    r"(?<!\w)(?:owes? more|(?:nhieu|it)\s+(?:\w+\s+){0,3}hon)(?=\W*(?:$|vay|a\b|nhi|the|ha\b))"
)
_AGAINST = frozenset(
    {"sao", "why", "cao", "thap", "lai", "chenh", "tang", "giam", "bao", "nhieu", "dau", "mac", "dat", "du"}
)
"""What asks how far two months are apart."""
_NO = re.compile(
    r"^\W*(?:(?:a|ua|y|o)\s+)?(?:khong|ko|k|hong|no|nope)(?:\s+(?:phai|dung))?(?=\s*[,.;]|\s+ma(?!\w))"
)
"""What takes the message before back: "không phải, tháng 7 cơ"."""
_RANKS = frozenset({"nhat", "most", "least", "fewest", "top"})
# "Who used the most power": what ranks, where nothing is ranked.
_MOST = re.compile(
    r"(?<!at )(?<!up )\b(?:the )?(?:most|least)\b(?! of\b)|(?<!\w)(?:nhieu|it) (?:\w+ ){1,2}nhat(?!\w)"
)
_DIFFERENCE = re.compile(
    r"(?<!\w)(?:re|dat|mac|cao|thap|nhieu|it|rong|lon|nho|tang|giam|chenh)(?:\s+hon)(?:\s+(?!nao|gia|tien|coc|dien|nuoc|rong|o|co)\w+){0,4}\s+(?:bao nhieu|bn|bnhieu|nhieu|may)(?!\w)"
    r"|(?<!\w)how (?:much|many) (?:more|less|fewer|cheaper|pricier|dearer|higher|lower|bigger|larger)(?!\w)"
    r"|(?<!\w)(?:chenh(?:\s+lech)?|difference)(?!\w)"
)
"""What asks how far two figures are apart."""
_MONTH_TOO = re.compile(
    r"(?<!\w)(?:(?:tinh|gop|cong|ke|gom)\s+(?:luon|them|ca|luon ca|them ca)|including|plus)\s+(?:thang|january|february|march|april|may|june|july|august|september|october|november|december)(?!\w)"
)
"""A month beside what was told, of which no one query has both: "tính luôn cả tháng 11"."""
_LIMITED_AVERAGE = re.compile(
    r"(?<!\w)(?:trung binh|average|averag\w+)\s+(?:(?:gia|la|chi|khoang|tien|thue|rent|is)\s+)*(?:duoi|tren|hon|khong qua|toi da|re hon|thap hon|cao hon|under|below|over|above|less than|more than|at most)\s+\d"
)
"""What bounds the average of a group: "quận nào trung bình dưới 3 triệu"."""
_PEOPLE_COUNTED = re.compile(
    r"(?<!\w)(?:bao nhieu|may|how many|number of|so) (?:nguoi|khach|sinh vien|gia dinh|students?|people|viewers?|families)(?!\w)"
)
"""People, whose number no room, post or house tells."""
_COUNTED = frozenset({"nhieu", "it"})
"""What asks for groups in the order of their figure."""
_CLAUSE = re.compile(r"\s*(?:[,.;?!]|$)")
_TAIL = 4
_NO_AREAS = frozenset(
    {"do", "ay", "y", "kia", "nay", "night", "noon", "midnight", "once", "first", "last", "home", "cu", "moi"}
)
_SPECIAL = {"price_m2": ("price", "area")}
_ORDERS = {
    "newest": "posted_at", "oldest": "posted_at", "cheapest": "price", "cheap": "price", "dearest": "price",
    "largest": "area", "spacious": "area", "smallest": "area", "most viewed": "views", "least viewed": "views",
}  # fmt: skip
_ENDS = {
    "cheapest": ("price", "min"), "dearest": ("price", "max"), "largest": ("area", "max"), "smallest": ("area", "min"),
    "most viewed": ("views", "max"), "least viewed": ("views", "min"), "highest end": ("", "max"), "lowest end": ("", "min"),
}  # fmt: skip
_FIGURES = {"count": "count", "avg": "avg", "median": "median", "min": "min", "max": "max", "sum": "sum"}
_STATES = {"ending": ("end_date",), "upcoming": ("scheduled_at",), "moving in": ("move_in_date",)}


def unread_words(
    parts: QuestionParts,
    parsed: ParsedQuestion,
    *,
    changed: bool = False,
    pointed: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """The words of the message that `parsed` does not hold, neighbours together, as they are read.

    `changed` says that the message changed the query before it, by words of change; `pointed` words point at a row.
    """
    text, find = parts.text, parts.vocabulary.find
    spans = [*parts.read, *_neutral(parts)]
    for label in {*_told_labels(parts, parsed)} & {*lists("asks")}:
        spans += spans_of(parts.vocabulary.find(text, "asks", label))
    if changed:
        spans += [found.span() for found in _NO.finditer(fold(text))]
        spans += pointers(text, "row") if parsed.details else []
        labels = (label for label in lists("edits") if label != "loose")
        spans += spans_of(parts.vocabulary.find(parts.unplaced, "edits", *labels))
    if parsed.entity == "invoice" and not parsed.measures:
        spans += [found.span() for found in PAID_YET.finditer(fold(text))]
    typed = "type" in _fields(parsed)
    spans += (
        spans_of(parts.vocabulary.find(text, "kinds", "any")) if typed else all_kinds(parts.vocabulary, text)
    )
    for label in ("price", "area", *RATES, "people", "bedrooms", "views"):
        if label in _fields(parsed):
            named = {f"about {label}", f"unit {label}"} & {*lists("amounts")}
            spans += spans_of(parts.vocabulary.find(text, "amounts", *sorted(named)))
    each = any(one.op == "in" and one.field in parsed.group for one in parsed.filters)
    if parsed.measures and each:
        spans += [found.span() for found in _EACH_SIDE.finditer(fold(text))]
    told = _comparing_words(parts, parsed, each=each, changed=changed)
    groups = {name: spans_found[0] for name in GROUPS if (spans_found := pointers(text, name))}
    kept = any(one.field in groups for one in parsed.filters)
    told |= _POINTING if changed and (kept or "month" not in groups) else frozenset()
    if changed and kept:
        spans += groups.values()
    spans += [(found.end() - 3, found.end()) for found in OFTEN.finditer(fold(text))]
    idle = {word.start for word in without_everyday(text, spans, _IDLE)}
    if not text.isascii():  # an everyday word may lack its accents beside others: "kiem ở ghép"
        bare = fold(text)
        plain = (*spans, *spans_of(find(bare, "neutral", "neutral")), *spans_of(find(bare, "talk", "find")))
        said = {word.start for word in without_everyday(bare, plain, _IDLE)}
        idle -= {one.start for one in tokens(text) if lost_accents(one) and one.start not in said}
    words = [
        word
        for word in words_outside(tokens(text), spans)
        if word.folded not in told
        and (word.start in idle or _counts(text, word, changed=changed))
        and not (word.folded == "they" and _own_before(parts, word.start))
    ]
    found: list[Span] = [(word.start, word.end) for word in words]
    found += _unresolved(parts, parsed, changed=changed)
    found += [m.span() for m in _SIGNS.finditer(text) if not _inside(m.span(), spans)]
    runs = ((run, {*folded_words(run)}) for run in _runs(text, sorted(found)))
    return tuple(run for run, said in runs if not (said and said <= pointed))


def _unresolved(parts: QuestionParts, parsed: ParsedQuestion, *, changed: bool) -> Iterator[Span]:
    """What points at an amount, a person or one thing of those before, or asks how far two are apart, where `parsed` holds
    none.
    """
    text, fields = parts.text, {one.field for one in parsed.filters}
    if changed:
        yield from _pointed_before(parts, parsed)
    if "tenant" in entities()[parsed.entity].fields and not (parsed.details or "tenant" in fields):
        yield from (span for span in people(text) if not _inside(span, parts.read))
    if parsed.group and any(one.kind == "avg" for one in parsed.measures):  # of groups, not of their things
        yield from (one.span() for one in _LIMITED_AVERAGE.finditer(fold(text)))
    if parsed.entity in {"room", "post", "building"} and "people" not in fields and not parsed.details:
        yield from (one.span() for one in _PEOPLE_COUNTED.finditer(fold(text)))
    beside = any((one.field, one.op) == ("id", "in") for one in parsed.filters)
    if not (beside or (parsed.group and parsed.measures)):  # of two sides
        yield from (one.span() for one in _DIFFERENCE.finditer(fold(text)))
    both = ("month", "in"), ("status", "in")  # months side by side, or all that is not paid up to one
    if parsed.entity in PAPERS and not any((one.field, one.op) in both for one in parsed.filters):
        yield from (one.span() for one in _MONTH_TOO.finditer(fold(text)))
    if not parsed.picked:
        yield from unresolved_rows(parts, parsed)
    named = (one for one in parsed.filters if one.op == "=" and one.field in PLACES)
    single = {one.field for one in named if len(places().covered(str(one.value))) == 1}
    for name in single & {*parsed.group}:  # which of all districts, beside the figure of one
        yield from spans_of(parts.vocabulary.find(text, "asks", f"by {name}"))
    ranked = parsed.group or parsed.order or any(one.kind in {"min", "max"} for one in parsed.measures)
    if parsed.measures and not ranked:
        yield from (one.span() for one in _MOST.finditer(fold(text)))


def _pointed_before(parts: QuestionParts, parsed: ParsedQuestion) -> Iterator[Span]:
    """What points at several things, an amount or a place of before which a change does not hold alone."""
    text, fields = parts.text, {one.field for one in parsed.filters}
    yield from (span for span, _ in several_pointed(text) if span not in parts.read)
    if not {"price", *RATES} & fields:
        yield from pointers(text, "amount")
    named, meant = (
        {value for one in filters if one.field in PLACES for value in one.values}
        for filters in (parts.filters, parsed.filters)
    )
    if named and named < meant:  # "thêm cầu giấy, rẻ nhất bên đó": there, or of them all
        yield from pointers(text, "district")


def _own_before(parts: QuestionParts, at: int) -> bool:
    """Whether records of the asker's own stand before `at`, which a pronoun there means: "my unpaid bills, what are they"."""
    return parts.own and bool(parts.vocabulary.find(parts.text[:at], "asks", *entities()))


def unresolved_rows(parts: QuestionParts, parsed: ParsedQuestion) -> Iterator[Span]:
    """What points at rows that were shown where `parsed` is a figure, or a question of its own, of something else: a figure of all
    is no answer to "căn đó cọc bao nhiêu".
    """
    text, fields = parts.text, {one.field for one in parsed.filters}
    placed = any(one.field in PLACES and one.op in {"=", "in"} for one in parts.filters)
    if parsed.details or "id" in fields:
        return
    counted = any(one.kind == "count" for one in parsed.measures)
    shown = one_shown(text) if parsed.measures and not parts.output.compares else []
    for span, place in shown:
        asked = details_of(text) or (counted and " " in text[slice(*span)])  # "make it a pie chart"
        led = any(start <= span[1] - 2 < end for start, end in parts.read)
        held = fields & ((PLACES if place else set()) | ({"building"} if parsed.own else set()))
        # "is it cheap in District 3", "my cheapest room, how much is it"
        named = span[1] - span[0] <= len("there") and (placed or _own_before(parts, span[0]))
        if asked and not (led or named or (held and parsed.edited)):
            yield span
    measured = {one.field for one in parsed.measures}
    ends = parts.vocabulary.find(
        text, "asks", *(label for label in _ORDERS if label not in {"cheap", "spacious"})
    )
    ordered = {_ORDERS[hit.label] for hit in ends} - {one.field for one in parsed.order}
    of_one = (
        measured and not parsed.group and ordered - measured
    )  # "trong đó tin nào nhiều lượt xem nhất, giá bao nhiêu"
    if (not parsed.edited and not placed) or of_one:
        find = parts.vocabulary.find  # "tôi có mấy phòng, trong đó …" points at its own
        yield from (one for one in of_shown(text) if of_one or not find(text[: one[0]], "asks", *entities()))


def _comparing_words(
    parts: QuestionParts, parsed: ParsedQuestion, *, each: bool, changed: bool
) -> frozenset[str]:
    """Words that compare, rank or count, where the answer does."""
    text, kinds = fold(parts.text), {one.kind for one in parsed.measures}
    compares = parts.output.compares or (each and parts.vocabulary.find(parts.text, "asks", "which"))
    ranked = any(one.field == "figure" for one in parsed.order)
    told = (
        (compares and kinds and parsed.group, _BETWEEN_SIDES),
        (changed and each and "month" in parsed.group, _BETWEEN_SIDES | _AGAINST),
        (changed and each and sets_against(parts.text), _BETWEEN_SIDES | {"much"}),
        (ranked, _RANKS),
        (ranked and kinds & {"count", "sum"}, _COUNTED),
        (ranked and _MORE_AT_END.search(text), {"hon", "more"}),
        (changed and _SOME_OF_THOSE.search(text), {"may"}),
    )
    return frozenset(word for holds, words in told if holds for word in words)


def _counts(text: str, word: WordToken, *, changed: bool) -> bool:
    """Whether an everyday word could change what is asked: a negation, a comparison, "mỗi", "ở đó" with nothing before."""
    if not changed and word.folded in {"they", "them", "those", "these", "their"}:
        return True
    before = fold(text[: word.start])
    pointing = not changed and word.folded in {"do", "kia", "ay"} and _PLACE_OF.search(before)
    noun = pointing[0].strip() if pointing else ""
    if noun in _PLACED and len(places().find(before)) == 1:
        pointing = None  # "phòng ở Tân Phú, căn hộ ở đó"
    if noun in _SAID_BEFORE and noun in folded_words(before[: -len(noun) - 1]):
        pointing = None  # "hẹn xem một phòng, phòng đó ở đâu"
    return word.folded in lists("neutral")["sharp"] or word.text in _EACH or bool(pointing)


def is_pointed(unread: Iterable[str]) -> bool:
    """Whether a person, a month or an amount that was spoken of before is meant: of others nothing may be told instead."""
    return any(people(run) or pointers(run, "amount") or pointers(run, "month") for run in unread)


def points_at_rows(run: str) -> bool:
    """Whether unread words point at rows that were shown, of which nobody knows which."""
    return bool(one_shown(run) or of_shown(run))


def is_sharp(unread: Iterable[str]) -> bool:
    """Whether a word that was not read could turn the rest round: a negation, a comparison, a number, a sign."""
    if any(find_ranges(run, ANY_DAY) for run in unread):
        return True
    return any(
        word.folded in lists("neutral")["sharp"] or word.folded[0].isdigit() or _SIGNS.search(run)
        for run in unread
        for word in tokens(run) or ()
    ) or any(_SIGNS.search(run) for run in unread)


def unknown_area(parts: QuestionParts, unread: Iterable[str]) -> str:
    """The unread words that name a place which the data does not hold; "" where none does."""
    for run in unread:
        at = parts.text.find(run)
        listed = parts.vocabulary.find(run, "wheres", "elsewhere")
        if is_sharp((run,)) or _NO_AREAS.intersection(folded_words(run)):
            continue  # "ở tối đa mấy người", "bên đó" is no place
        if not words_outside(tokens(run), spans_of(parts.vocabulary.find(run, "neutral", "places"))):
            continue
        if listed or (is_led(parts.text, at) and not any(char.isdigit() for char in run)):
            return listed[0].phrase.title() if listed else run
    return ""


def _neutral(parts: QuestionParts) -> Iterator[Span]:
    find, text = parts.vocabulary.find, parts.text
    yield from spans_of(find(text, "neutral", "neutral"))
    yield from spans_of(find(text, "talk", "find"))
    for hit in find(text, "neutral", "asking"):
        rest = text[hit.end :]
        last = not parts.read or max(end for _, end in parts.read) <= hit.start
        if _CLAUSE.match(rest) or (
            last
            and len(tokens(rest)) <= _TAIL
            and not without_everyday(rest, spans_of(find(rest, "neutral", "neutral")))
        ):
            yield hit.start, hit.end


def _fields(parsed: ParsedQuestion) -> set[str]:
    found = {one.field for one in parsed.filters} | {one.field for one in parsed.order} | {*parsed.group}
    found |= {"price"} if "price_band" in parsed.group else set()
    for one in parsed.measures:
        found |= {*_SPECIAL.get(one.field, (one.field,))}
    found |= {value for remark in parsed.remarks for key, value in remark.params if key == "field"}
    return found | {*parsed.details}


def _told_labels(parts: QuestionParts, parsed: ParsedQuestion) -> Iterator[str]:
    """The labels of asks.txt whose meaning stands in `parsed`."""
    fields, kinds = _fields(parsed), {one.kind for one in parsed.measures}
    ages = {Order(entities()[parsed.entity].newest, down): down for down in (True, False)}
    yield from ("newest" if ages[one] else "oldest" for one in parsed.order[:1] if one in ages)
    yield from {parsed.entity, "room"} | ({"post"} if parsed.entity == "room_seeking_post" else set())
    if parsed.entity in {"contract", "invoice"}:
        yield from ("building", "invoice rent", "status room rented")  # "my rented room": it is one
    if parsed.own:
        yield "renter own"
    if any(one.field.endswith(("_kwh", "_m3")) for one in parsed.measures):
        yield from ("count", "figure price")
    if parts.money:
        yield from (
            "revenue",
            "debt",
            "invoice",
            f"invoice {parts.money}",
            f"bill {parts.money}",
            "amount asked",
        )
    for label in (*lists("asks"),):
        kind, _, rest = label.partition(" ")
        if (
            (kind == "by" and rest in {*parsed.group, *parsed.details})
            or (kind in {"figure", "sort"} and rest in fields)
            or (kind == "invoice" and rest in fields)
            or (kind == "figure" and parsed.entity == "invoice" and rest.removesuffix("_price") in fields)
            or (kind == "figure" and rest == "price_m2" and any(one.field == rest for one in parsed.measures))
            or (
                kind == "status"
                and any(one.field == "status" for one in parsed.filters)
                and parsed.entity in rest
            )
            or (label in _FIGURES and _FIGURES[label] in kinds)
            or (label == "count" and "count_where" in kinds)
            or (label in _ENDS and _tells_end(parsed, label))
            or (label in _ORDERS and label not in _ENDS and _ORDERS[label] in fields)
            or (label in _STATES and set(_STATES[label]) & fields)
        ):
            yield label
    yield from _form_labels(parts, parsed, kinds)


def _tells_end(parsed: ParsedQuestion, label: str) -> bool:
    """Whether `parsed` has the end that `label` names: the least or the most, or an order that begins or ends there."""
    field, kind = _ENDS[label]
    ended = {"min", "max"} & {
        one.kind for one in parsed.measures if field in {"", one.field} or one.field not in _ORDERS.values()
    }
    ordered = any(field in {"", one.field} or one.field not in _ORDERS.values() for one in parsed.order)
    both = {"min", "max"} <= ended
    return bool((kind in ended) or both or ordered)


def _form_labels(parts: QuestionParts, parsed: ParsedQuestion, kinds: set[str]) -> Iterator[str]:
    """The labels that name a form, an order or a side, where the answer has it."""
    ordered = bool(parsed.order)
    posted = "posted_at" in _fields(parsed) or parsed.entity == "post"
    compared = parts.output.compares and parsed.measures and parsed.group
    rated = parts.vocabulary.find(
        parts.text, "asks", "figure deposit", "figure electricity_price", "figure water_price", "by room"
    )
    rooms = parsed.mode == "LIST" and parsed.entity in {"room", "post"} and not kinds
    seeks, entity = parsed.entity == "room_seeking_post", parsed.entity
    shown = tuple(f"figure {name}" for name in entities()[entity].shown)
    told = (
        (bool(kinds), ("price asked", "amount asked", "which")),
        *((_tells_end(parsed, label), (label,)) for label in ("highest end", "lowest end")),
        (ordered, ("sort", "ascending", "descending")),
        (Order("end_date", True) in parsed.order, ("latest",)),
        (ordered and parsed.limit == 1 and not kinds, ("price asked", "amount asked")),
        (posted, ("posted",)),
        (parsed.mode == "LIST", ("list", "some", "showing")),
        (rooms and bool(rated), (*shown, "by room", "amount asked")),
        ("tenant" in parsed.group, ("list",)),
        (parsed.mode == "CHART", ("chart",)),
        (parsed.mode == "TABLE", ("table",)),
        ("month" in parsed.group and bool(kinds), ("trend",)),
        (bool(compared), ("compare",)),
        ("price_band" in parsed.group, ("bands",)),
        ("occupancy" in kinds, ("occupancy", "vacancy", "share")),
        ("share" in kinds or bool("count" in kinds and parsed.group), ("share",)),
        (bool({"monthly"} & kinds), ("avg", "by month")),
        (entity == "invoice" and "avg" in kinds, ("by room",)),
        ("paid" in kinds, ("collected",)),
        ("owed" in kinds, ("status invoice unpaid", "debt")),
        (entity in ("contract", "invoice", "viewing"), (f"verb {entity}",)),
        (f"told {entity}" in lists("asks") and (not kinds or "tenant" in parsed.group), (f"told {entity}",)),
        (seeks and not kinds, ("amount asked", "price asked", "by district", "by type")),
        (seeks and "price" in _fields(parsed), ("told room_seeking_post",)),
        (entity == "invoice", ("due",)),
        (entity == "invoice" and not kinds, ("deadline", "by month")),
        ("address" in parsed.details, ("address",)),
        (entity == "contract" and not kinds, ("amount asked", "price asked", "figure price")),
        (entity == "viewing" and not kinds, ("by district", "by ward", "by city")),
        (parsed.own, ("own", "own thing")),
        (any((one.field, one.op) == ("id", "in") for one in parsed.filters), ("compare",)),
        (parsed.own and entity in PAPERS and not kinds, ("sum", "count", "amount asked", "price asked")),
        (bool(parsed.details) or parts.output.single, ("amount asked", "price asked")),
    )
    for holds, labels in told:
        if holds:
            yield from labels


def _inside(span: Span, spans: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _runs(text: str, found: list[Span]) -> Iterator[str]:
    """Neighbouring spans as one piece of the text."""
    at = 0
    while at < len(found):
        start, end = found[at]
        while at + 1 < len(found) and not text[end : found[at + 1][0]].strip(" -/'’"):
            at += 1
            end = max(end, found[at][1])
        yield text[start:end]
        at += 1
