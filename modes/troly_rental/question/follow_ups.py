"""Messages that go on from the last answer by one plain change of its query, or point at one of its rows.

"chỉ quận 3 thôi", "bỏ lọc giá", "rẻ hơn nữa", "xem biểu đồ"; "cái thứ hai", "căn đầu tiên bao nhiêu tiền". Whatever else goes on
from an answer is for a model to understand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from troly.plugin.focus import Focus, Reference, find_reference
from troly.text.dates import parse_date, whole
from troly.text.everyday import everyday_phrases, without_everyday
from troly.text.fold import fold, folded_words, nfc
from troly.text.match import PhraseHit, blank_out, spans_of
from troly_rental.data.places import places
from troly_rental.question.dates import FIELD
from troly_rental.question.intent import is_forbidden
from troly_rental.question.output import told_apart
from troly_rental.question.parts import MONEY_TOO, PAID_YET, RATES, QuestionParts, money_order
from troly_rental.question.pointers import (
    GROUPS,
    of_shown,
    one_of_two,
    one_shown,
    pointers,
    rest_of_shown,
    sets_against,
    several_pointed,
)
from troly_rental.question.types import (
    OPPOSITE,
    PAPERS,
    PLACES,
    RUNNING,
    Filter,
    Measure,
    Mode,
    Order,
    ParsedQuestion,
    Remark,
    Value,
    is_empty,
    merge_filters,
)
from troly_rental.question.vocabulary import Vocabulary, lists
from troly_rental.sql.relations import entities

# What is asked of rows that were shown: the field, the side of its limit, the order that says it by itself, and the order
# of a list whose limit it moved, nearest to the limit first.
_MORE = {
    "cheaper": ("price", "<", Order("price"), Order("price")),
    "dearer": ("price", ">", Order("price", True), Order("price")),
    "larger": ("area", ">", Order("area", True), Order("area")),
    "smaller": ("area", "<", Order("area"), Order("area", True)),
    "newer": ("", "", Order("posted_at", True), Order("posted_at", True)),
}
_BEYOND = ("said.beyond_", "said.already_")
_FIGURES = ("count", "avg", "median", "min", "max", "sum", "trend", "price asked")
_FIGURED = frozenset({"price", "area", "views", *RATES})
_AMOUNTS = frozenset({"sum", "paid", "owed", "monthly"})
_DEAR = re.compile(r"(?<!\w)(?:re|dat|mac|cheaper|pricier|expensive)(?!\w)")
_DEAR_MOST = re.compile(r"(?<!\w)(?:re|dat|mac)\s+nhat(?!\w)|(?<!\w)(?:cheapest|dearest|priciest)(?!\w)")
_LONG = 14
_MOST_POINTER_WORDS, _MOST_WORDS_OF_SHOWN = 14, 22
_WHICH_ROWS = re.compile(
    r"(?<!\w)(?<!the )(?<!nhu )(?:nao|ai|which|who|con\s+(?:(?:nhung|cac)\s+)?(?:gi|j|chi|loai gi)|what\s+else|what(?:'s|s| is)\s+left)(?!\w)|^\W*any(?!\w)"
)
_WHICH_ONES = re.compile(
    r"(?<!\w)(?:which (?:ones|rooms|places|flats|apartments|houses|studios)|any of (?:them|those)|(?:nhung|cac|may) \w+ nao)(?!\w)"
)
_YES_NO = re.compile(
    r"(?<!\w)(?:chua|khong|yet|ko|hong)(?:\s+(?:a|vay|nhi|em|anh|chi|ban|ta|the|z))*$|(?:^|,\s*|^and\s+)(?:is|are|has|have|was|does|do|can)\s"
)
_THEN = re.compile(r"(?<!\w)(?:thi|what about|how about)(?!\w)|^\W*(?:the|con|the con|vay|and)(?!\w)")
"""What goes on from a figure to another place."""
_SOME_ONES = re.compile(
    r"(?<!\w)(?:may|nhung|cac|het|ones|those|any)\s+(?:can|phong|cho|nha|cai|con|noi|ones|that|with|without|rooms|places|apartments)(?!\w)"
)
"""What is given up is rows, not a condition."""
_END_OF_ALL = re.compile(r"(?<!\w)(?:nhat|nhut|most|least|\w+est)(?!\w)")
_IN_ALL = re.compile(r"(?<!\w)(?:tat ca|tong cong|ca thay|het thay|in total|in all|altogether|overall)(?!\w)")
"""What asks for one figure after groups."""
_OTHER_ONE = re.compile(
    r"^\W*(?:(?:(?:the|vay)\s+)?con\s+(?!co|may|bao|lai|nua)|(?:and\s+)?(?:what|how) about\s)|^(?!.*(?<!\w)(?:nua|them|luon|cong)(?!\w)).*(?<!\w)thi sao\W*$"
)
"""What asks the figure of another amenity: "còn wifi"."""
AS_FIRST = re.compile(
    r"(?<!\w)(?:nhu|giong|theo)\s+(?:luc\s+)?(?:ban dau|luc dau)(?!\w)|(?<!\w)(?:as at first|originally|in the beginning)(?!\w)"
)
"""What means the conditions before all changes."""
_ANOTHER = re.compile(r"(?<!\w)(?:(?:is|are) there|any|ones?)(?!\w)")
"""What speaks of others than the one shown: "is there one that allows pets"."""
_ANY_MORE = re.compile(r"^\W*(?:con|co|any|is there|are there)(?!\w)|(?<!\w)(?:khong|ko|chua|nua)\W*$")
"""What asks whether there is another one: "còn cái nào rẻ hơn"."""
_MORE_THINGS = re.compile(
    r"(?<!\w)(?:(?:nhieu|it)\s+(?:\w+\s+){1,3}hon|(?:more|fewer)\s+(?:\w+\s+)?\w+s)(?!\w)"
)
"""Which of the groups has more of something: "which has more studios"."""
_RANKED = re.compile(r"(?i)(?<!\w)(?:xếp|đứng|nằm|xep|dung|nam)\s+(?=(?:hàng |hang )?(?:thứ|thu|số|so)\s)")


_SEARCHES = re.compile(r"(?<!\w)(?:tim|kiem|loc|liet ke|find|search|list|show)(?!\w)")
POSTED = "posted_at"
_AGAINST = re.compile(
    r"(?<!\w)(?:so(?= (?:voi|ra|sanh|thang|ky|ki|thi)(?!\w))|hon|chenh|compared|than|vs|versus|(?:tang|len|cao|nhieu) (?:hay|hoac) (?:la )?(?:giam|xuong|thap|it)|(?:up|more|higher) or (?:down|less|lower))(?!\w)"
)
_WHY = re.compile(r"(?<!\w)(?:(?<!thi )(?<!the )(?<!ra )sao|vi sao|tai sao|why|how come|do dau)(?!\w)")
_UNIT = re.compile("_(kwh|m3)$")
_PARTS = ("total", "rent", "electricity", "electricity_kwh", "water", "other")
"""What a bill comes to, and what it is made of."""
_ASKED_FOR = {
    "tenant": re.compile(r"(?<!\w)(?:ai|(?:khach|nguoi|nguoi thue|ban) nao|who|which tenants?)(?!\w)"),
    "month": re.compile(r"(?<!\w)(?:thang nao|which month|what month)(?!\w)"),
}
_HOW_LONG_STILL = re.compile(r"(?<!\w)(?:bao lau|(?:bao nhieu|may) (?:ngay|tuan|thang|nam))\s+nua(?!\w)")
_NEEDS = re.compile(
    r"(?<!\w)(?:phai|can phai|bat buoc|nhat thiet|nhat dinh|should|must|needs?|has to|have to|ought to|got to)(?!\w)(?!\s+(?:khong|k|ko)(?!\w))"
)
"""What is wanted of all rows, not asked of the one shown: "it should have parking"."""
CLAUSES = re.compile(r"(?i)[;]|[,.](?!\d)|(?<!\w)(?:nhưng|nhung|mà|but)(?!\w)")
_NAMED_SO = re.compile(
    r"(?<!\w)(?:can|phong|cai|con|cho|nha|tin|bai|can ho|studio)\s+(?:(?:tro|mini|gia|rong|co gia|dien tich)\s+)*$"
)
_NAMED_AFTER = re.compile(r"\s*(?:one|ones|room|place|flat|studio|apartment)(?!\w)")
"""What makes a name of an amount: "căn 4tr5 đó", "the 25 m2 one"."""
_DATED = ("viewing", "invoice")
_OF_DAY = re.compile(
    r"(?<!\w)(?:cai|con|lich|lich hen|hen|buoi|cuoc|khach|khoan|(?:phong|can|nha) (?:di )?(?:xem|coi)|the one|that)(?:\s+(?:hen|di|xem|coi|cua|o|vao|on|of|for))*\s+"
    r"(?:(?:hom|ngay|bua|mung|mong|the)\s+(?P<day>\d{1,2})(?![\d/.]|\s+thang)(?:st|nd|rd|th)?|(?=(?:hom|ngay|bua|thu|t\d|cn|chu nhat|thang|mai|\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))(?:\s*(?:kia|do|ay|nay))?"
)
"""What names one of several by its day: "cái ngày 27", "lịch thứ bảy"."""
_ID = re.compile(r"(?<![\w.,])\d{3,}(?![\w.,])")
_FLATS = re.compile(r"(?<!\w)chung(?= cu(?!\w))")
"""Without accents "chung cu" begins like the pronoun "chúng"."""
_EXTREMES = {"price": "price", "size": "area"}
_REST = "rest"
"""Marks a reference to what was shown and not spoken of."""
_MOST_OF = {"price": ("cheapest", "dearest"), "size": ("smallest", "largest")}
# The field that a question about one row asks for: "bao nhiêu tiền" is the price.
_DETAILS = {
    "price asked": "price", "figure price": "price", "figure area": "area", "figure deposit": "deposit",
    "by ward": "ward", "by district": "district", "figure electricity_price": "electricity_price", "figure water_price": "water_price", "figure views": "views",
    "figure bedrooms": "bedrooms", "figure people": "people", "figure status": "status", "figure posted_at": "posted_at", "figure furnished": "furnished", "address": "address",
    "invoice rent": "rent", "invoice electricity": "electricity", "invoice water": "water",
    "invoice electricity_kwh": "electricity_kwh", "invoice water_m3": "water_m3",
}  # fmt: skip


def change_query(
    message: str, parts: QuestionParts, previous: ParsedQuestion, shown: Focus | None = None
) -> ParsedQuestion | None:
    """`previous` with the one change that `message` says, None when it starts something new. Not checked for readiness."""
    sides = _against_month(parts, previous) or _against_days(parts, previous)
    sides = sides or _compared_sides(parts, previous) or _of_field(parts, previous)
    if sides is not None:
        return replace(sides, edited=True, skip=0, remarks=(), missing=(), question=message)
    changes = _change_words(parts)
    if previous.request_type != "QUERY" or not _belongs(parts, changes, previous):
        return None
    marks = {hit.label for hit in changes}
    start = replace(previous, edited=True, asked=(), remarks=(), missing=(), question=message)
    alone = parts.money and not parts.output.group and not parts.vocabulary.find(parts.text, "asks", "sum")
    if found := _group_found(previous, shown, parts.text, alone=bool(alone)):
        kept = (one for one in start.filters if one.field != found[0].field)
        metered = start.measures if MONEY_TOO.search(fold(parts.text)) else ()
        form = start.mode if metered else "LIST"
        start = replace(start, filters=merge_filters([*kept, *found]), measures=metered, mode=form)
        start = replace(start, group=(), order=(), limit=None)
    if (end := previous.end) and shown and shown.rows and pointers(parts.text, "amount"):
        told = shown.rows[0].values.get(f"{end.kind}_{end.field}")
        meant = [] if told is None else [Filter(end.field, "=", told)]  # "bao nhiêu phòng tính giá đó"
        start = replace(start, filters=merge_filters([*start.filters, *meant]))
    if (whole_change := _whole_change(parts, marks, start, again=previous.edited)) is not None:
        return whole_change
    start = _without_empty_limit(parts, replace(start, skip=0), shown)
    edited = _without_dropped(parts, marks, start) if "drop" in marks or parts.needless else start
    if given_up := {"anywhere", "any price"} & marks:
        fields = PLACES if "anywhere" in marks else {"price"}
        edited = replace(edited, filters=tuple(f for f in edited.filters if f.field not in fields))
    edited = _without_asked(parts, edited)
    edited = _with_moved_limits(parts, marks, _with_conditions(parts, marks, edited), shown)
    # "bỏ mức giá đi" asks for no average.
    dropped = "drop" in marks and parts.output.measures == (Measure("avg", "price"),) and not parts.filters
    edited = edited if given_up or dropped else _with_output(parts, marks, edited)
    edited = _with_sides(parts, edited)
    if edited.limit == 1 and not edited.measures:
        edited = replace(edited, details=details_of(message) or edited.details)
    if edited.measures and edited.replaced != previous.replaced and sets_against(parts.text):
        edited = _both_sides(edited) or edited  # "quận 4 thì sao, mắc hơn không"
    if parts.missing:
        elsewhere = tuple(one for one in edited.filters if one.field not in PLACES)
        edited = replace(edited, missing=parts.missing, filters=elsewhere)
    return replace(edited, remarks=(*edited.remarks, *parts.remarks))


def _without_empty_limit(parts: QuestionParts, start: ParsedQuestion, shown: Focus | None) -> ParsedQuestion:
    """After nothing was found below a limit "rẻ nhất là bao nhiêu" asks what there is at all."""
    ends = {one.field for one in parts.output.measures if one.kind in {"min", "max"}}
    ends |= {one.field for one in parts.output.order}
    found_nothing = shown is not None and shown.query.get("total") == 0
    if not (found_nothing and ends) or {one.field for one in parts.filters} & ends:
        return start
    kept = (one for one in start.filters if not (one.field in ends and one.op[0] in "<>"))
    return replace(start, filters=tuple(kept))


def _with_sides(parts: QuestionParts, found: ParsedQuestion) -> ParsedQuestion:
    """The figure of each of the values that the message names together: "còn Thanh Xuân với Đống Đa?"; of one value there is
    nothing to tell apart.
    """
    one_named = {one.field for one in found.filters if one.op == "=" and one in parts.filters}
    if found.measures and found.mode == "TABLE" and {*found.group} & {*PLACES, "type"} & one_named:
        return replace(found, group=(), order=())
    limited = any(one.field == "price" and one.op[0] in "<>" for one in parts.filters)
    if limited and parts.output.measures and found.group == ("price_band",):  # "bao nhiêu phòng dưới 3 triệu"
        return replace(found, group=(), order=())
    named = told_apart(one for one in found.filters if one in parts.filters)
    sides = {one.field for one in found.filters if one.op == "in"}
    if not (named and found.measures and sides >= {*found.group}) or _IN_ALL.search(fold(parts.text)):
        return found
    named = tuple(dict.fromkeys([*named, *found.group]))
    return replace(found, group=named, order=(Order("month") if "month" in named else Order("figure", True),))


def _whole_change(
    parts: QuestionParts, marks: set[str], start: ParsedQuestion, *, again: bool
) -> ParsedQuestion | None:
    """A change that is all there is to the message: what is asked of the first, other rows, no conditions; None for others. `again`
    says that the query was changed before.
    """
    said = start.question  # before changes, of which nobody knows here
    if again and (first := AS_FIRST.search(fold(said))):
        words = f"«{said[slice(*first.span())]}»"
        return replace(start, missing=(Remark.of("missing.unread", words=words),))
    if (found := _asked_of_first(parts, start) or _with_open_month(parts, marks, start)) is not None:
        return found
    summed = start.entity in PAPERS and any(one.kind in _AMOUNTS for one in start.measures)
    before = {one.field for one in start.filters}
    if summed and "add" in marks and any(one.field not in before for one in parts.filters):
        words = f"«{parts.typed.strip()}»"  # a sum of both is no sum under both conditions
        return replace(start, missing=(Remark.of("missing.unread", words=words),))
    if "drop all" in marks and not _SOME_ONES.search(fold(parts.text)):
        return replace(start, filters=(), order=(), limit=None, skip=0)
    other = parts.filters or parts.output.order or parts.needless or set(_MORE) & marks
    if {"more", "more end"} & marks and not other:
        return replace(start, skip=start.skip + start.rows, limit=parts.limit or start.limit)
    return replace(start, skip=max(0, start.skip - start.rows)) if "previous page" in marks else None


def _with_open_month(parts: QuestionParts, marks: set[str], start: ParsedQuestion) -> ParsedQuestion | None:
    """What is overdue and, added to it, what is not paid of this month ("tính luôn tháng 11 chưa đóng"): all that is not paid up to
    its end; None for other messages.
    """
    ends = {one.op: str(one.value) for one in parts.filters if one.field == "month"}
    states = {
        value for one in (*start.filters, *parts.filters) if one.field == "status" for value in one.values
    }
    fields = {one.field for one in parts.filters}
    if (
        start.entity != "invoice"
        or not {"add", "more end"} & marks
        or any(one.field == "month" for one in start.filters)
        or {*ends} != {">=", "<="}
        or ends[">="][:7] != parts.today.isoformat()[:7]
        or not fields <= {"month", "status"}
        or "overdue" not in states
        or not states <= {"overdue", "unpaid"}
    ):
        return None
    kept = [one for one in start.filters if one.field != "status"]
    owed = (Filter("status", "in", ("overdue", "unpaid")), Filter("month", "<=", ends["<="]))
    asked = parts.money or parts.vocabulary.find(parts.text, "asks", "sum", "amount asked", "price asked")
    measures = start.measures or ((Measure("sum", PAPERS[start.entity]),) if asked else ())
    found = replace(start, filters=merge_filters([*kept, *owed]), measures=measures, limit=None, skip=0)
    return replace(found, mode="TABLE" if measures else "LIST", group=(), order=())


def _without_asked(parts: QuestionParts, found: ParsedQuestion) -> ParsedQuestion:
    """`found` without conditions on what the message asks for: the state after "đóng chưa", the tenant after "khách nào"."""
    text, said = fold(parts.text), {one.field for one in parts.filters}
    papers = _ASKED_FOR.items() if found.entity in PAPERS else ()
    out = {name for name, asked in papers if asked.search(text)} - said - {*found.group}
    ends = {one.op for one in found.filters if one.field == "month"}
    if len(months_of(found.filters)) > 1 or len(ends) == 1:
        out.discard("month")  # of several months one is asked for
    find = parts.vocabulary.find
    bills = (
        found.entity == "invoice" and find(parts.text, "asks", "invoice") and find(parts.text, "asks", "sum")
    )
    month = {one.field for one in parts.filters} == {"month"} and not pointers(parts.text, "paper")
    if parts.money == "revenue" or PAID_YET.search(text) or (bills and month):  # of whatever state
        out.add("status")
    if "status" in parts.needless:  # an appointment that its place names is of any day
        out |= {"status", *(["scheduled_at"] if _is_placed(parts) and "scheduled_at" not in said else [])}
    return replace(found, filters=tuple(one for one in found.filters if one.field not in out))


def _asked_of_first(parts: QuestionParts, start: ParsedQuestion) -> ParsedQuestion | None:
    """ "phòng rẻ nhất trong đó có máy lạnh chưa": the first in that order, asked yes or no; None for other messages."""
    asked = tuple(one for one in parts.filters if one.field in {"amenity", "furnished"})
    ended = parts.output.order and _END_OF_ALL.search(fold(parts.text)) and start.entity in {"room", "post"}
    if not asked or not ended or asked != parts.filters or not _YES_NO.search(fold(parts.text).strip(" ?.!")):
        return None
    first = replace(start, measures=(), group=(), mode="LIST", skip=0)
    return replace(first, order=parts.output.order, limit=1, asked=asked)


def _of_field(parts: QuestionParts, previous: ParsedQuestion) -> ParsedQuestion | None:
    """The very figure that was told, of another field: "còn giá nước" after the average price of electricity; None for other
    messages.
    """
    kinds = {one.kind for one in previous.measures}
    hits = parts.vocabulary.find(
        parts.text, "asks", *(label for label in lists("asks") if label.startswith("figure "))
    )
    named = {hit.label.removeprefix("figure ") for hit in hits}
    named = named - {"price"} if len(named) > 1 else named  # "giá nước" is no rent
    other = parts.filters or parts.output.group or parts.output.measures or parts.output.order or parts.named
    if (
        len(named) != 1
        or other
        or parts.money
        or parts.limit
        or not kinds
        or kinds - {"avg", "median", "min", "max"}
    ):
        return None
    (field,) = named
    if field not in {*entities()[previous.entity].fields} & _FIGURED or field in {
        one.field for one in previous.measures
    }:
        return None
    return replace(previous, measures=tuple(Measure(one.kind, field) for one in previous.measures))


# Whether the message changes the query before it.


def _change_words(parts: QuestionParts) -> list[PhraseHit]:
    """The words of change in a message, those that longer phrases hold included; names of places are no such words."""
    find = parts.vocabulary.find
    found = find(parts.unplaced, "edits", *(label for label in lists("edits") if label != "loose"))
    again = find(parts.unplaced, "edits", "more", "more end", "drop", "drop all", "only", "add", *_MORE)
    later = {"more", "more end"} if _HOW_LONG_STILL.search(fold(parts.text)) else set()
    hits = [*found, *(hit for hit in again if hit not in found)]
    return [hit for hit in hits if hit.label not in later]


def _belongs(parts: QuestionParts, changes: list[PhraseHit], previous: ParsedQuestion) -> bool:
    """Whether the message belongs to the query before: it asks of the same records, names no place of its own beside them, and
    has words of change or is nothing but conditions and ways of showing.
    """
    output, find = parts.output, parts.vocabulary.find
    clear = _clear_changes(parts, changes)
    placed = _is_placed(parts)
    complete = parts.named and placed
    if (
        placed
        and previous.measures
        and previous.measures == output.measures
        and not previous.group
        and _THEN.search(fold(parts.text))
    ):
        named_kind = any(one.field not in PLACES for one in parts.filters)
        complete = complete and named_kind  # "phường B thì mấy phòng": of what was counted before
    elif output.measures and (output.compares or find(parts.text, "asks", *_FIGURES, "cheapest", "dearest")):
        complete = placed or _clashes(parts, previous)
    if (complete and not clear) or _is_other(parts, clear, previous):
        return False
    if parts.money:  # of another month, or of which of all months: a question of its own
        told_apart = any((one.field, one.op) == ("month", "in") for one in previous.filters)
        which = told_apart and _ASKED_FOR["month"].search(fold(parts.text)) and not of_shown(parts.text)
        ranked = bool(parts.output.order) and not any(True for _ in several_pointed(parts.text))
        return not (any(one.field == "month" for one in parts.filters) or (which and ranked))
    edits = {hit.label for hit in changes if not hit.label.startswith("field ")}
    if previous.measures and set(_MORE) & edits and not parts.filters:
        return _is_end_already(previous, edits)  # no list to go beyond
    told_of = previous.own or previous.entity == "room_seeking_post"
    if told_of and not parts.named and f"told {previous.entity}" in lists("asks"):
        # "mấy giờ", "khi nào hết hạn", "hạn đóng ngày nào"
        told = find(parts.text, "asks", f"told {previous.entity}", "ending", "deadline")
        if told and not (parts.filters or output.measures):
            return True
    bound = previous.own or any(one.field in PLACES for one in previous.filters)
    slots = parts.filters or parts.limit or parts.missing or parts.needless
    ended = bool(previous.group) or {one.kind for one in previous.measures} <= {"min", "max", "avg", "median"}
    papers = previous.entity in PAPERS and not previous.measures
    ends = (papers or (bool(previous.measures) and ended)) and bool(
        find(parts.text, "asks", "highest end", "lowest end")
    )
    which = bool(previous.measures and not previous.group and _WHICH_ROWS.search(fold(parts.text)))
    shaped = slots or output.order or output.measures or output.mode or output.group or ends or which
    those = parts.entity == previous.entity and pointers(parts.text, "paper")
    same = not parts.own or (previous.own and not parts.named)  # "còn Đức" is of the same bills
    formed = output.formed is not None  # of what was shown
    goes_on = clear or those or formed or (same and (bound or not parts.named))
    return bool(edits - {"only", "add", "instead"} or (shaped and goes_on))


def _is_placed(parts: QuestionParts) -> bool:
    """Whether a message names a place that is wanted."""
    return any(one.field in PLACES and one.op in {"=", "in"} for one in parts.filters)


def _clear_changes(parts: QuestionParts, changes: list[PhraseHit]) -> set[str]:
    """The words of change that mean nothing else in a message which is complete without them."""
    loose = parts.vocabulary.find(parts.unplaced, "edits", "loose")
    begin = len(parts.unplaced) - len(parts.unplaced.lstrip())
    # "rẻ hơn 4 triệu" and "quận nào rẻ hơn" are whole by themselves.
    limited = {one.field for one in parts.filters}
    meant = {label for label, (field, *_) in _MORE.items() if parts.output.compares or field in limited}
    return {
        hit.label
        for hit in changes
        if not hit.label.startswith("field ") and hit.label not in {"more", "more end", *meant}
        if (hit.label in {"only", "add"} and hit.start == begin)
        or not any(one.start <= hit.start and hit.end <= one.end for one in loose)
    }


def _of_same_bills(parts: QuestionParts, previous: ParsedQuestion, *, own: bool) -> bool:
    """Whether another figure of the very bills is asked for: "đã thu được bao nhiêu" after those of a month."""
    narrowed = {one.field for one in previous.filters} & {"month", "tenant", "building"}
    told = {one.field for one in parts.filters} - {"status"}
    return previous.entity == "invoice" and previous.own and bool(narrowed) and not (own or told)


def _is_other(parts: QuestionParts, clear: set[str], previous: ParsedQuestion) -> bool:
    """Whether other things are asked for: other records, one's own ones, figures that the ones before lack."""
    own = bool(parts.vocabulary.owned(parts.text))
    same = _of_same_bills(parts, previous, own=own)
    idle = [hit for hit in parts.vocabulary.find(parts.text, "neutral", "neutral") if " " in hit.phrase]
    words = folded_words(blank_out(parts.text, spans_of(idle)))  # "trời nóng lắm, …"
    numbered = any(one.field == "id" for one in parts.filters)
    filled = previous.entity != "room" and any(one.kind == "occupancy" for one in parts.output.measures)
    return bool(
        numbered
        or filled
        or (len(words) > _LONG and (parts.named or parts.own or _is_placed(parts)))
        or is_forbidden(parts.vocabulary, parts.text)
        or (parts.named and parts.entity != previous.entity and not {"instead", "those"} & clear)
        or ((own or parts.own) and parts.named and not previous.own)
        or (own and previous.own and parts.named and not clear)
        or (parts.vocabulary.find(parts.text, "asks", "revenue") and not same)
        or (parts.money == "debt" and (own or not (same or _lists_bills(previous))))
        or not _has_figures(parts, previous)
    )


def _lists_bills(previous: ParsedQuestion) -> bool:
    """Whether the asker's bills were asked for that are not paid: what is owed is what they come to."""
    states = [one for one in previous.filters if one.field == "status"]
    owed = all(one.op in {"=", "in"} and {*one.values} <= {"unpaid", "overdue"} for one in states)
    return previous.entity == "invoice" and previous.own and owed


def _clashes(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the figures asked for by group are over fields that the list before was narrowed by."""
    wanted = {*parts.output.group} - {*previous.group}
    before = {one.field for one in previous.filters if one.op != "in"}
    return bool(wanted & before & PLACES) or ("district" in wanted and bool(before & PLACES - {"city"}))


def _has_figures(parts: QuestionParts, previous: ParsedQuestion) -> bool:
    """Whether the records before have the figures that the message names: a deposit is asked of no invoice."""
    subjects = ("figure price", "figure area", "figure deposit", "figure views")
    hits = parts.vocabulary.find(parts.text, "asks", *subjects)
    return {hit.label.removeprefix("figure ") for hit in hits} <= {*entities()[previous.entity].fields}


# The changes.


def _compared_sides(parts: QuestionParts, previous: ParsedQuestion) -> ParsedQuestion | None:
    """ "bên nào rẻ hơn" after a figure of one place and then of another, or of both: both told apart; None for other messages."""
    summed = {one.kind for one in previous.measures[:1]} <= {*_AMOUNTS, "count"} and parts.vocabulary.find(
        parts.text, "asks", "sum"
    )
    said = summed or parts.vocabulary.find(parts.text, "asks", "compare", "which")
    grouped = {*parts.output.group} - {*previous.group, previous.replaced.field if previous.replaced else ""}
    ordered = any(one.field != "figure" for one in parts.output.order)
    other = parts.filters or grouped or ordered or parts.named or parts.limit not in {None, 2}
    counted = any(one.kind == "count" for one in previous.measures[:1]) and _DEAR.search(fold(parts.text))
    if not said or not previous.measures or other or counted:
        return None
    if any(one.op == "in" and previous.group == (one.field,) for one in previous.filters):
        return replace(previous, order=(Order("figure", True),), limit=None, mode="TABLE", replaced=None)
    return _both_sides(replace(previous, measures=previous.measures[:1]) if summed else previous)


def _both_sides(previous: ParsedQuestion) -> ParsedQuestion | None:
    """The figure of the place or kind that was asked about and of the one before it, told apart; None where there was none."""
    ranked = replace(previous, order=(Order("figure", True),), limit=None, mode="TABLE", replaced=None)
    if (old := previous.replaced) is None:
        return None
    new = [
        one
        for one in previous.filters
        if one.field == old.field and (one.op in {"=", "in"} or old.field == "month")
    ]
    named = months_of(new) if old.field == "month" else {value for one in new for value in one.values}
    sides = tuple(sorted({*old.values, *named}))
    kept = [one for one in previous.filters if one not in new]
    ranked = replace(ranked, order=(Order("month"),)) if old.field == "month" else ranked
    return replace(ranked, filters=merge_filters([*kept, Filter(old.field, "in", sides)]), group=(old.field,))


def months_of(filters: Iterable[Filter]) -> set[str]:
    """The first days of the months that conditions name."""
    return {f"{value[:7]}-01" for one in filters if one.field == "month" for value in one.values}


def _is_end_already(found: ParsedQuestion, marks: set[str]) -> bool:
    """Whether "rẻ hơn nữa" asks for less than the lowest rent that was told."""
    ends = {
        "cheaper": ("price", "min"),
        "dearer": ("price", "max"),
        "larger": ("area", "max"),
        "smaller": ("area", "min"),
    }
    end = found.end
    return end is not None and any(ends.get(one) == (end.field, end.kind) for one in marks)


def _against_month(parts: QuestionParts, previous: ParsedQuestion) -> ParsedQuestion | None:
    """ "so với tháng trước thì sao", "sao lại cao hơn tháng 9": the bills of the month before and of this one side by side, part by
    part where the cause is asked; None for other messages.
    """
    before, said = months_of(previous.filters), months_of(parts.filters)
    text = fold(parts.text)
    beside = ({one.field for one in parts.filters} | {*parts.output.group}) - {"month"}
    other = beside or not (_AGAINST.search(text) or _WHY.search(text))
    if previous.entity != "invoice" or len(before) != 1 or len(before | said) != 2 or other:
        return None
    months = Filter("month", "in", tuple(sorted(before | said)))
    kept = [one for one in previous.filters if one.field not in {"month", "status"}]
    summed = tuple(one for one in previous.measures if one.kind in _AMOUNTS)
    charges = tuple(one for one in parts.output.measures if one.kind == "sum" and one.field in _PARTS[1:])
    why = _WHY.search(text) or not summed
    measures = charges or (tuple(Measure("sum", name) for name in _PARTS) if why else summed[:1])
    if MONEY_TOO.search(text) and measures == summed[:1] and not measures[0].field.endswith(_PARTS[:1]):
        measures = (
            Measure("sum", _PARTS[0]),
            *(replace(one, field=_UNIT.sub("", one.field)) for one in measures),
        )
    shown = replace(previous, filters=merge_filters([*kept, months]), measures=measures, mode="TABLE")
    return replace(shown, group=("month",), order=(Order("month"),), limit=None)


def _against_days(parts: QuestionParts, previous: ParsedQuestion) -> ParsedQuestion | None:
    """ "so với tháng 9 thì tăng hay giảm" after a figure of what was posted in other days: that figure by month over both; None for
    other messages.
    """
    before, kept = (
        [one for one in previous.filters if (one.field == POSTED) is posted] for posted in (True, False)
    )
    alone = {one.field for one in parts.filters} == {POSTED} and previous.measures and not previous.group
    if not (before and alone and _AGAINST.search(fold(parts.text))):
        return None
    days = sorted(str(day) for one in (*before, *parts.filters) for day in one.values)
    both = (Filter(POSTED, ">=", days[0]), Filter(POSTED, "<=", days[-1]))
    shown = replace(
        previous, filters=merge_filters([*kept, *both]), group=("month",), order=(Order("month"),)
    )
    return replace(shown, mode="TABLE", limit=None)


def _group_found(previous: ParsedQuestion, shown: Focus | None, text: str, *, alone: bool) -> list[Filter]:
    """The one group that the answer before found first, of figures by group in their order, where `text` points at it ("tháng
    đó", "phường đó") or stands `alone` after months; empty where it is not clear which.
    """
    ranked = len(previous.group) == 1 and previous.order[:1] and previous.order[0].field == "figure"
    if not ranked or shown is None or not shown.rows:
        return []
    (name,) = previous.group
    if name not in GROUPS or not (pointers(text, name) or (alone and name in {"month", "tenant"})):
        return []
    if name != "month":
        return [Filter(name, "=", shown.rows[0].id)]
    day = parse_date(str(shown.rows[0].values.get("month", ""))[:10])
    if day is None:
        return []
    first, last = whole(day, "month")
    return [Filter("month", ">=", first.isoformat()), Filter("month", "<=", last.isoformat())]


def _without_dropped(parts: QuestionParts, marks: set[str], start: ParsedQuestion) -> ParsedQuestion:
    """Conditions that are given up: "bỏ lọc giá", "không cần máy lạnh nữa"; what was no condition is left out from now on:
    "bỏ ở ghép đi", "bỏ quận 9 ra".
    """
    find = parts.vocabulary.find
    labels = (label for label in lists("edits") if label.startswith("field "))
    fields = {hit.label.removeprefix("field ") for hit in find(parts.text, "edits", *labels)}
    fields = fields if "drop" in marks and not parts.filters else set()
    order = () if "order" in fields else start.order
    fields |= (PLACES if "place" in fields else set()) | ({"furnished"} & parts.needless)
    pairs = (name.partition(" ") for name in parts.needless)
    values: set[tuple[str, Value]] = {(field, name) for field, _, name in pairs if field == "amenity"}
    held = {(one.field, value) for one in start.filters if one.op in {"=", "in"} for value in one.values}
    excluded: list[Filter] = []
    some = _SOME_ONES.search(fold(parts.text)) is not None
    drops = spans_of(find(parts.unplaced, "edits", "drop"))
    turned = any(start < b and a < end for start, end in drops for a, b in parts.read)
    for one in parts.filters if "drop" in marks else ():
        gone = {(one.field, value) for value in one.values} & held
        if not gone and (some or one.field in {"district", "ward", "city", "type"}):
            # "bỏ mấy căn có thang máy ra"; what a word of exclusion turned round already stays so
            excluded.append(one if turned else replace(one, op=OPPOSITE[one.op]))
        elif one.field == "amenity" and not gone and {"only", "add"} & marks:
            excluded.append(one)  # "bỏ máy lạnh cần wifi thôi"
        elif one.field in {"amenity", "district", "type"}:
            values |= gone
        else:
            fields.add(one.field)
    kept = [_less(one, values) for one in start.filters if one.field not in fields]
    filters = merge_filters([*(one for one in kept if one is not None), *excluded])
    return replace(start, filters=filters, order=order)


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


def _with_conditions(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """New conditions take the place of old ones on the same field; amenities, exclusions and what is added add up. What was
    left out and is wanted again ("cho cả ở ghép") is a condition no more.
    """
    if "drop" in marks or not parts.filters:
        return found
    # "ở quận 3 nữa" is one more place.
    again = parts.vocabulary.find(parts.unplaced, "edits", "more end")
    adding = "instead" not in marks and (
        "add" in marks or any(fold(hit.phrase).startswith("nua") for hit in again)
    )
    out = {(one.field, value) for one in found.filters if one.op in {"!=", "not_in"} for value in one.values}
    back = {
        (one.field, value)
        for one in parts.filters
        if adding and one.op in {"=", "in"}
        for value in one.values
    } & out
    owed = parts.money == "debt" and _lists_bills(found) and "status" in {one.field for one in found.filters}
    new = [
        one if _names_a_thing(parts, one) else _as_before(one, found.filters)
        for one in parts.filters
        if not (owed and one.field == "status")
        if not {(one.field, value) for value in one.values} <= back
    ]
    fields = {one.field for one in new if one.op not in {"!=", "not_in"}}
    refused = {(one.field, value) for one in new if one.op in {"!=", "not_in"} for value in one.values}
    keep: list[Filter] = []
    for old in found.filters:
        values = {(old.field, value) for value in old.values}
        same = old.field in fields
        if old.field == "amenity":
            alike = [one for one in found.filters if one.field == "amenity"] == [old]
            instead = alike and found.measures and not adding and _OTHER_ONE.search(fold(parts.text))
            same = any(one.field == "amenity" and (instead or one.value == old.value) for one in new)
        elif old.field in PLACES and fields & PLACES:
            within = old.field == "city" and fields <= {"district", "ward"} and _lie_within(new, old)
            wanted = adding and old.op in {"=", "in"}
            same = not (within or (wanted and old.field in fields))
            wider = any(one.field in {"district", "city"} and _lie_within([old], one) for one in new)
            if (
                same and wanted and not wider
            ):  # "ở quận 3 nữa" after a ward elsewhere: no condition holds either
                words = f"«{parts.typed.strip()}»"
                return replace(found, missing=(Remark.of("missing.unread", words=words),))
        elif same and old.op[0] in "<>":  # the other end of a range stays
            ends = {one.op[0] for one in new if one.field == old.field}
            beyond = any(_excludes(one, old) for one in new)
            same = beyond or old.op[0] in ends or bool({"=", "i"} & ends)
        if same and old.field in {"district", "city", "type"} and old.op == "=":
            found = replace(found, replaced=old)
        if same and old.field == "month" and len(months_of(found.filters)) == len(months_of(new)) == 1:
            found = replace(found, replaced=Filter("month", "=", *months_of(found.filters)))
        gone = values <= (back if old.op in {"!=", "not_in"} else refused)
        if not (same or gone):
            keep.append(old)
    return replace(found, filters=merge_filters([*keep, *new]))


def _names_a_thing(parts: QuestionParts, one: Filter) -> bool:
    """Whether an amount stands right behind a thing: "phòng 3 triệu" costs that, "3 triệu thôi" is a limit as before."""
    led = [q for q in parts.quantities if q.field == one.field and _led_by_thing(parts.text, q.start)]
    return one.op == "=" and bool(led)


def _led_by_thing(text: str, at: int) -> re.Match[str] | None:
    """The thing that an amount at `at` names: "con 2tr5", no "còn 2tr5"."""
    led = _NAMED_SO.search(fold(text)[:at])
    return led if led and not text[led.start() :].lower().startswith("còn") else None


def _as_before(new: Filter, old: tuple[Filter, ...]) -> Filter:
    """ "4 triệu thôi" after "dưới 3 triệu" moves the limit: a bare number keeps the comparison there was."""
    same = [one for one in old if one.field == new.field]
    bare = new.op == "=" and isinstance(new.value, int | float)
    return replace(new, op=same[0].op) if bare and len(same) == 1 and same[0].op[0] in "<>" else new


def _excludes(new: Filter, old: Filter) -> bool:
    """Whether nothing lies within both limits: "dưới 20m2" after "trên 25m2" takes its place."""
    low, high = (new, old) if new.op[0] == ">" else (old, new)
    return new.field == old.field and low.op[0] + high.op[0] == "><" and is_empty(low, high)


def _lie_within(inner: list[Filter], outer: Filter) -> bool:
    """Whether all districts and wards of `inner` lie in the city or district that `outer` asks for."""
    known = places()
    return all(
        any(
            known.by_id[above].name in outer.values
            for place in known.named(name, "ward" if one.field == "ward" else "district")
            if (above := place.city_id if outer.field == "city" else place.district_id)
        )
        for one in inner
        if one.field in {"district", "ward"}
        for name in one.values
    )


def _with_moved_limits(
    parts: QuestionParts, marks: set[str], found: ParsedQuestion, shown: Focus | None
) -> ParsedQuestion:
    """ "rẻ hơn nữa" without an amount: beyond what was shown, or in the order that says it."""
    for label in (one for one in _MORE if one in marks):
        named = any(one.field == _MORE[label][0] or _names_a_thing(parts, one) for one in parts.filters)
        beyond = _beyond(label, found, shown) if shown is not None and not named else None
        found = beyond or replace(found, order=(_MORE[label][2],))
    return found


def _beyond(label: str, found: ParsedQuestion, shown: Focus) -> ParsedQuestion | None:
    """ "rẻ hơn nữa" after a list: below the cheapest one shown, or word that none is cheaper; None for other changes."""
    field, op, order, nearest_first = _MORE[label]
    if _is_end_already(found, {label}):
        value = shown.rows[0].values.get(f"{found.measures[0].kind}_{field}") if shown.rows else None
        told = (
            Remark.of(f"said.already_{label}", value=f"{value:g}", field=field)
            if isinstance(value, int | float)
            else None
        )
        return replace(found, remarks=(*found.remarks, told)) if told else None
    limits = [one for one in found.filters if one.field == field and one.op == op]
    ended = any(one["key"].startswith(_BEYOND) for one in shown.query.get("remarks", ()))
    if shown.query.get("total") == 0 and limits and ended:  # nothing lies beyond what was shown before
        told = Remark.of(f"said.already_{label}", value=str(limits[0].value), field=field)
        return replace(found, remarks=(*found.remarks, told))
    spoken_of = str(shown.query.get("picked_id", ""))
    rows = [row for row in shown.rows if row.id == spoken_of] or list(shown.rows)
    values = [value for row in rows if isinstance(value := row.values.get(field), int | float)]
    if not values or found.measures or shown.kind != found.entity:
        return None
    total, skipped = int(shown.query.get("total", 0)), int(shown.query.get("skip", 0))
    edge = min(values) if op == "<" else max(values)
    ahead = found.order[:1] == (order,) and not skipped and rows[0] == shown.rows[0]
    whole = len(rows) >= total and not skipped
    # "từ 7 đến 8 triệu" shows nothing of what is below: that limit is moved, one that is a budget is not.
    bounded = op == "<" and any(one.field == field and one.op[0] in {">", "="} for one in found.filters)
    if not bounded and (ahead or (whole and not found.limit)):
        told = Remark.of(f"said.already_{label}", value=f"{edge:g}", field=field)
        return replace(found, order=(order,), remarks=(*found.remarks, told))
    kept = (one for one in found.filters if one.field != field or one.op in {"!=", "not_in"})
    limit = Filter(field, "<" if op == "<" else ">", int(edge) if float(edge).is_integer() else edge)
    return replace(
        found,
        filters=merge_filters([*kept, limit]),
        order=(nearest_first,),
        remarks=(*found.remarks, Remark.of(f"said.beyond_{label}")),
    )


def _with_output(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """Another order, number of rows, figure or way of showing."""
    output, find = parts.output, parts.vocabulary.find
    again = any(one.search(fold(parts.text)) for one in (_SEARCHES, _WHICH_ONES))
    again = again or bool(parts.filters and _ANY_MORE.search(fold(parts.text)))
    again = again or bool({one.field for one in parts.filters} - PLACES - {"type"})
    if found.limit == 1 and again and not (parts.limit or output.order):
        found = replace(found, limit=None, details=())  # "tìm riêng quận 9" after the largest one
    now = any(hit.label == "now" or hit.phrase == "đang" for hit in everyday_phrases(parts.text))
    if now and {"status"} == {one.field for one in parts.filters}:  # a state of now is of no month
        found = replace(found, filters=tuple(one for one in found.filters if one.field != "month"))
    if (
        found.entity == "contract"
        and find(parts.text, "asks", "ending")
        and _END_OF_ALL.search(fold(parts.text))
    ):
        found = replace(found, measures=(), mode="LIST", order=(Order("end_date"),))
    most = find(parts.text, "asks", "highest end", "lowest end")
    if found.entity in PAPERS and most and not (found.measures or output.measures or output.order):
        order = (Order(PAPERS[found.entity], most[0].label == "highest end"),)
        found = replace(found, order=order, limit=1)
    if "turn" in marks and found.order:
        found = replace(found, order=tuple(Order(one.field, not one.descending) for one in found.order))
    which: object = _WHICH_ROWS.search(fold(parts.text))
    told = f"told {found.entity}"
    which = which or (told in lists("asks") and find(parts.text, "asks", told, "deadline"))
    rows = (parts.named or which) and not find(parts.text, "asks", "amount asked")
    other = output.group or output.compares or (not which and {"instead", "only", "drop"} & marks)
    if found.group and not output.measures and _MORE_THINGS.search(fold(parts.text)):
        found = replace(found, measures=(Measure("count"),), order=(Order("figure", True),))
    elif found.measures and not output.measures and rows and not other:
        # Things are asked for where figures were: what they are figures of.
        found = replace(found, measures=(), group=(), order=(), limit=None, mode="LIST")
    formed = _as_chart(parts, found)
    found = formed or _at_other_end(parts, found) or _with_figures(parts, marks, found)
    found = replace(found, limit=parts.limit) if parts.limit else found
    if output.mode == "LIST" and found.measures:
        return replace(found, mode="LIST", measures=(), group=(), order=(), limit=parts.limit)
    return replace(found, mode=output.mode) if output.mode else found


def _as_chart(parts: QuestionParts, found: ParsedQuestion) -> ParsedQuestion | None:
    """What was told as a chart that names no figure of its own: by its groups, or by what it can be told apart by where it had
    none; None for other messages.
    """
    output = parts.output
    if output.formed is None:
        return None
    narrowed = any((one.field, one.op) == ("district", "=") for one in found.filters)
    group = output.formed or found.group or (("ward",) if narrowed else output.group)
    order = (Order(group[0]) if group[0] in RUNNING else Order("figure", True),)
    same = found.measures and group == found.group
    kept = (found.order, found.limit) if same else (order, None)
    measures = found.measures or output.measures
    return replace(found, mode="CHART", measures=measures, group=group, order=kept[0], limit=kept[1])


def _with_figures(parts: QuestionParts, marks: set[str], found: ParsedQuestion) -> ParsedQuestion:
    """Other figures or groups, or the order of a list."""
    output, find = parts.output, parts.vocabulary.find
    # "mỗi loại" after one kind: of all kinds.
    told_apart = {*output.group} - PLACES - {one.field for one in parts.filters}
    kept = (one for one in found.filters if not (one.field in told_apart and one.op == "="))
    found = replace(found, filters=tuple(kept))
    if any(one.kind == "count_where" for one in output.measures):  # of each state: no longer of one
        found = replace(found, filters=tuple(one for one in found.filters if one.field != "status"))
    other = find(parts.text, "asks", "avg", "min", "max") or output.group
    summing = parts.money or find(parts.text, "asks", "sum")
    if found.entity in PAPERS and not other and (summing or find(parts.text, "asks", "amount asked")):
        if not summing and found.measures and found.measures[0].kind in _AMOUNTS:
            # "tháng 9 thì bao nhiêu" is the same figure, "bao nhiêu tiền" no kWh.
            money = MONEY_TOO.search(fold(parts.text))
            told = (replace(one, field=_UNIT.sub("", one.field)) if money else one for one in found.measures)
            return replace(found, measures=tuple(told))
        figure = parts.money or [one.kind for one in output.measures] == ["sum"]
        measures = output.measures if figure else (Measure("sum", PAPERS[found.entity]),)
        # After two months the other figure is of each, unless they are summed.
        sides = any((one.field, one.op) == ("month", "in") for one in found.filters)
        if not sides or find(parts.text, "asks", "sum"):
            found = replace(found, group=(), order=())
        return replace(found, measures=measures, mode="TABLE", limit=None)
    ends = find(parts.text, "asks", "highest end", "lowest end")
    if ends and _ranks_again(parts, found):  # "còn ít nhất thì sao", "tháng nào cao nhất"
        return replace(found, order=(Order("figure", ends[0].label == "highest end"),))
    counts = bool(output.measures) and output.measures[0].kind == "count"
    if output.measures and not (counts and not output.group and not find(parts.text, "asks", "count")):
        figures = find(parts.text, "asks", *_FIGURES, "occupancy", "vacancy", "share")
        named = bool(figures) or not found.measures
        named = named or (not counts and found.measures[0].kind == "count")
        named = named or output.measures[0].kind in {"min", "max"} or output.measures[0].field in RATES
        named = named or bool(parts.money)
        measures = output.measures if named else found.measures
        group = output.group or (() if counts and _IN_ALL.search(fold(parts.text)) else found.group)
        same = (measures, group) == (found.measures, found.group)
        order = output.order or (found.order if same else ())
        return replace(found, measures=measures, group=group, order=order, mode="TABLE")
    if output.group and found.measures:
        ranked = money_order(parts.vocabulary, parts.text, output.group) if found.entity in PAPERS else ()
        found = replace(found, group=output.group, order=output.order or ranked or found.order)
    elif output.order and not set(_MORE) & marks and not found.group:
        # After a number of rooms "rẻ nhất là cái nào" asks for one of them.
        limit = 1 if found.measures and not find(parts.text, "asks", "sort") else found.limit
        return replace(found, order=output.order, measures=(), mode="LIST", limit=limit)
    return found


def _ranks_again(parts: QuestionParts, found: ParsedQuestion) -> bool:
    """Whether the very figures by group are to stand in the order of the end that is named."""
    output, find = parts.output, parts.vocabulary.find
    priced = found.measures[:1] == (Measure("count"),) and _DEAR_MOST.search(fold(parts.text))
    same = not output.group or (
        output.group == found.group and not (parts.money or find(parts.text, "asks", "count", "avg"))
    )
    return bool(found.group) and same and not (parts.filters or priced)


def _at_other_end(parts: QuestionParts, found: ParsedQuestion) -> ParsedQuestion | None:
    """The other end of the very figure that was told: "thấp nhất thì sao" after the highest price of electricity; None for other
    messages.
    """
    told = found.measures[0].kind if len(found.measures) == 1 and not found.group else ""
    if told not in {"min", "max", "avg", "median"} or parts.output.group:
        return None
    find, ends = parts.vocabulary.find, {"max": ("highest end", "dearest", "largest")}
    ends["min"] = ("lowest end", "cheapest", "smallest")
    said = [kind for kind, labels in ends.items() if find(parts.text, "asks", *labels)]
    named = find(parts.text, "asks", "figure price", "figure area", "figure deposit", "count", "avg", "room")
    if len(said) != 1 or named or _WHICH_ROWS.search(fold(parts.text)):
        return None
    measure = Measure(said[0], found.measures[0].field)
    return replace(found, measures=(measure,), group=(), order=(), mode="TABLE", limit=None)


# Which row of the last list is pointed at.


def pick_row(
    message: str, parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus, *, lets: bool = False
) -> tuple[ParsedQuestion, frozenset[str]] | None:
    """The rows of the last list that `message` points at, as a query for them alone, with the words that point; None
    where it points at none.

    A number that the list does not reach is asked about. "rẻ nhất" is the cheapest of all that the list is part of.
    """
    text = fold(parts.text)
    wanted = parts.filters and (_WHICH_ONES.search(text) or (_NEEDS.search(text) and not _asks(parts)))
    if wanted or not _may_point(parts, focus, lets=lets):
        return None
    # The rows of figures by group have no number of their own.
    rows = replace(focus, rows=tuple(row for row in focus.rows if row.id.isdigit()))
    message = _RANKED.sub("", nfc(message if parts.rank == 1 else parts.text))
    among, last = of_shown(message), focus.query.get("picked_ids", ())
    near = rows
    more = bool(parts.vocabulary.find(text, "edits", *_MORE) and _WHICH_ROWS.search(text))
    which = more and not _ANY_MORE.search(text)
    if last and (among or which or (details_of(message) and one_of_two(message, asked=True) != message)):
        near = replace(rows, rows=tuple(row for row in rows.rows if row.id in last))  # spoken of last
    if len(near.rows) == 2:
        message = one_of_two(message, asked=bool(details_of(message)))
    found = _not_spoken_of(message, rows) or _named_by_value(parts, rows) or _named_by_day(parts, rows)
    flats = [found.span() for found in _FLATS.finditer(fold(message))]
    found = found or find_reference(
        blank_out(message, flats, "|"), near, things=lists("pointers")["things"], fields=_EXTREMES
    )
    found = found or _named_by_id(message, rows)
    if found is None and which and len(near.rows) == 2:
        found = Reference("these", near.rows, ())  # "cái nào rộng hơn"
    found = found or _spoken_of(message, parts, rows, previous)
    summed = {one.field for one in parts.output.measures if one.kind == "sum"} - {*details_of(message)}
    if found is None or (len(found.rows) > 1 and summed):
        return None
    pointed = frozenset(word for start, end in found.spans for word in folded_words(nfc(message)[start:end]))
    own = previous.own if previous is not None else False
    start = ParsedQuestion(entity=focus.kind, own=own, edited=True, question=message)
    if found.missing:
        missing = Remark.of("missing.number", last=str(len(rows.rows)), number=str(found.missing))
        return replace(start, missing=(missing,)), pointed
    pointed |= {word for start, end in among for word in folded_words(nfc(message)[start:end])}
    # Of those that were shown, not of all that are like them: of "3 phòng mới nhất".
    cut = near is not rows or (previous is not None and (previous.limit or 0) > 1)
    if found.kind == "extreme" and previous is not None and not (previous.picked or cut):
        picked = _extreme(found, parts, previous, message)
    else:
        picked = _pointed_at(found, parts, previous, rows, start)
    if (
        picked is not None and picked.limit == 1 and among and more
    ):  # "trong hai phòng rẻ nhất phòng nào rộng hơn"
        words = ", ".join(f"«{nfc(message)[start:end]}»" for start, end in among)
        return replace(picked, missing=(Remark.of("missing.which", words=words),)), pointed
    if picked is not None and focus.kind == "room" and _asks_who_lives(parts, focus, lets=lets):
        ids = (replace(one, field="room_id") for one in picked.filters if one.field == "id")
        rented = (*ids, Filter("status", "=", "active"))
        picked = replace(start, entity="contract", filters=rented)  # "ai thuê phòng đầu tiên"
    return None if picked is None else (picked, pointed)


def _may_point(parts: QuestionParts, focus: Focus, *, lets: bool) -> bool:
    """Whether the message is short and names no place or rent of its own, and rows were shown that can be pointed at."""
    text, vocabulary = parts.text, parts.vocabulary
    most = _MOST_WORDS_OF_SHOWN if of_shown(text) or one_shown(text) else _MOST_POINTER_WORDS
    short = focus.kind in entities() and len(folded_words(text)) <= most
    named = _named_by_value(parts, focus) is not None
    dated = _named_by_day(parts, focus) is not None
    own = {*PLACES} | (set() if named else {"price"}) | (set() if dated else {"scheduled_at"})
    other = any(one.field in own for one in parts.filters)
    papers = parts.named and parts.entity in {*PAPERS, "viewing"} and parts.entity != focus.kind
    let = _asks_who_lives(parts, focus, lets=lets)
    return short and not (other or (papers and not let)) and not is_forbidden(vocabulary, text, own=let)


def _asks_who_lives(parts: QuestionParts, focus: Focus, *, lets: bool) -> bool:
    """Whether somebody who lets rooms asks who rents one of the own rooms that were shown."""
    own = lets and focus.kind in {"room", "contract"} and bool(focus.query.get("own"))
    return own and bool(parts.vocabulary.find(parts.text, "talk", "others"))


def _asks(parts: QuestionParts) -> bool:
    """Whether a message is a question by its words."""
    words = fold(parts.text).strip(" ?.!")
    return parts.text.rstrip().endswith("?") or bool(_YES_NO.search(words))


def _named_by_value(parts: QuestionParts, focus: Focus) -> Reference | None:
    """ "căn 4tr5 đó", "còn phòng 25m2 thì sao": the rows shown that have the very rent or size that names them."""
    text = fold(parts.text)
    for one in parts.quantities:
        name = PAPERS.get(focus.kind, one.field) if one.field == "price" else one.field
        led = _led_by_thing(parts.text, one.start)
        if one.field not in {"price", "area"} or one.op or one.upper is not None:
            continue
        if not (led or _NAMED_AFTER.match(text, one.end)):
            continue
        rows = tuple(row for row in focus.rows if row.values.get(name) == float(one.value))
        start = led.start() if led else one.start
        points = re.match(r"\s*(?:do|ay|kia|nay|no|ni|one|ones)(?!\w)", text[one.end :])
        about = points or details_of(parts.text) or parts.vocabulary.find(parts.text, "edits", "instead")
        if rows and about:
            return Reference("ordinal", rows, ((start, one.end + (points.end() if points else 0)),))
    return None


def _named_by_day(parts: QuestionParts, focus: Focus) -> Reference | None:
    """ "cái hôm 27", "lịch hẹn thứ bảy", "hóa đơn tháng 9": the rows shown that are of the day or month that names them."""
    field = FIELD[focus.kind] if focus.kind in _DATED else None
    named = _OF_DAY.search(fold(parts.text))
    if field is None or named is None:
        return None
    bounds = {
        one.op: str(one.value)[:10] for one in parts.filters if one.field == field and one.op in {">=", "<="}
    }
    day = named["day"]
    rows = tuple(
        row
        for row in focus.rows
        if (at := str(row.values.get(field, ""))[:10])
        and (
            (day and int(at[8:]) == int(day))
            or (not day and len(bounds) == 2 and bounds[">="] <= at <= bounds["<="])
        )
    )
    return (
        Reference("ordinal", rows, (named.span(),)) if rows and len(rows) < max(2, len(focus.rows)) else None
    )


def _not_spoken_of(message: str, focus: Focus) -> Reference | None:
    """ "con còn lại", "the other one": the rows shown beside those that were spoken of, none where nothing was."""
    spoken = {str(focus.query.get("picked_id", ""))} - {""} or {*focus.query.get("picked_ids", ())}
    others = tuple(row for row in focus.rows if spoken and row.id not in spoken)
    spans = rest_of_shown(message, two=len(focus.rows) == 2 and len(others) == 1)
    return Reference("ordinal", others, tuple(spans), _REST) if spans else None


def _named_by_id(message: str, focus: Focus) -> Reference | None:
    """ "còn 691 thì sao": rows by the ids that stand in their links."""
    said = {found[0]: found.span() for found in _ID.finditer(nfc(message))}
    rows = tuple(row for row in focus.rows if row.id in said)
    return Reference("ordinal", rows, tuple(said[row.id] for row in rows)) if rows else None


def _spoken_of(
    message: str, parts: QuestionParts, focus: Focus, previous: ParsedQuestion | None
) -> Reference | None:
    """ "Cọc bao nhiêu vậy?" after one row, or the first of an order: no more than a value of it is asked for."""
    figures: object = parts.output.group or parts.vocabulary.find(
        parts.text, "asks", *(set(_FIGURES) - {"price asked"})
    )
    ends = parts.output.order or parts.vocabulary.find(
        parts.text, "asks", *(each for pair in _MOST_OF.values() for each in pair)
    )
    text, fields = fold(parts.text), {one.field for one in parts.filters}
    # "có máy lạnh không" asks that of the one spoken of, "thêm máy lạnh được không" and "có cái nào" ask for others.
    alone = not (
        _WHICH_ROWS.search(text)
        or _ANOTHER.search(text)
        or parts.vocabulary.find(parts.text, "edits", "add", "only", "more end", "drop")
    )
    told = fields <= ({"status", "amenity", "furnished"} if alone else {"status"})
    asked = bool(fields) and told and _YES_NO.search(text.strip(" ?.!"))
    details = {*details_of(message)}
    own = parts.vocabulary.owned(parts.text)
    newest = previous is not None and previous.limit == 1 and len(focus.rows) == 1  # all else is of others
    other = parts.named and not (newest and parts.money)
    figures = figures and not ({*parts.output.group} and {*parts.output.group} <= details)
    if other or own or figures or ends or not (asked or (details and not parts.filters)):
        return None
    last = str(focus.query.get("picked_id", ""))
    rows = tuple(row for row in focus.rows if row.id == last or len(focus.rows) == 1)
    if len(rows) == 1:
        return Reference("this", rows, ())
    this = Reference("this", focus.rows, ())
    return this if focus.rows and _first_of_all(this, previous, focus) else None


def _pointed_at(
    found: Reference,
    parts: QuestionParts,
    previous: ParsedQuestion | None,
    focus: Focus,
    start: ParsedQuestion,
) -> ParsedQuestion | None:
    """The rows that a number, an end of the list or "phòng đó" points at; None where it is not clear which."""
    chosen = _chosen(found, focus.query) or _first_of_all(found, previous, focus)
    rest = found.field == _REST
    if not chosen:
        which = Remark.of("missing.which", words=f"«{parts.text.strip()}»")
        tied = found.kind == "this" and previous is not None and previous.with_ties
        return replace(start, missing=(which,)) if (rest or tied) and not parts.output.measures else None
    names = {"price", "area"} if _named_by_value(parts, focus) is not None else set()
    dated = {FIELD[focus.kind]} if _named_by_day(parts, focus) is not None else set()
    # A number that points at a row says nothing else: "phòng thứ 3 điện nước bao nhiêu" is no "3 điện".
    places = {at for at, row in enumerate(focus.rows, 1) if row.id in chosen and found.kind == "ordinal"}
    asked = tuple(
        one
        for one in parts.filters
        if one.field in entities()[focus.kind].fields
        and one.field not in dated
        and not (one.op == "=" and (one.field in names or one.value in places))
    )
    if len(chosen) > 1:
        more = [hit.label for hit in parts.vocabulary.find(parts.text, "edits", *_MORE)]
        compares = bool(parts.vocabulary.find(parts.text, "asks", "compare"))
        if found.kind == "first" and previous is not None and not compares and not previous.measures:
            limit = len(chosen)
            return replace(
                previous, limit=limit, edited=True, missing=(), remarks=(), question=start.question
            )
        listed = found.kind in {"first", "last", "ordinal"} and not (compares or rest)
        ids = Filter("id", "in", tuple(chosen))
        if (
            more and not asked
        ):  # "căn nào rộng hơn"; "căn rộng hơn trong hai căn đó cọc bao nhiêu" is one of them
            details = details_of(start.question)
            one = 1 if details and not _WHICH_ROWS.search(fold(parts.text)) else None
            order = _MORE[more[0]][2]
            if more[0] in {"cheaper", "dearer"} and details and not one:  # "căn nào điện rẻ hơn"
                order = replace(order, field=next((name for name in details if name in RATES), "price"))
            return replace(start, filters=(ids,), mode="LIST", order=(order,), limit=one, details=details)
        told = details_of(start.question) if rest or found.kind == "this" else ()
        form: Mode = "LIST" if listed or asked or told else "TABLE"
        picked = replace(start, filters=(ids, *asked), mode=form, details=told)
        return picked.asking_as(focus.query) if rest and not (told or asked) else picked
    number = next(at for at, row in enumerate(focus.rows, 1) if row.id == chosen[0])
    # A name of a figure counts in either language here: the question is short and its subject is known.
    details = details_of(start.question)
    filters = (Filter("id", "=", int(chosen[0])),)
    picked = replace(start, filters=filters, limit=1, picked=number, details=details, asked=asked)
    if not (details or asked) and (rest or parts.vocabulary.find(parts.text, "edits", "instead")):
        return picked.asking_as(focus.query)  # "còn cái thứ ba thì sao": what was asked of the one before
    return picked


def details_of(question: str) -> tuple[str, ...]:
    """The fields of one row that a question names, in either language."""
    hits = Vocabulary().find(question, "asks", *_DETAILS)
    return tuple(dict.fromkeys(_DETAILS[hit.label] for hit in hits))


def asks_one_value(picked: ParsedQuestion, pointed: frozenset[str], focus: Focus) -> bool:
    """Whether the only row shown, or the one that was asked for, is asked for one value that was shown with it, and for nothing
    else by any word.
    """
    alone = len(focus.rows) == 1 or (bool(picked.picked) and not pointed)
    if not alone or len(picked.details) != 1 or picked.asked:
        return False
    (name,) = picked.details
    labels = [label for label, field in _DETAILS.items() if field == name]
    labels += ["spacious"] if name == "area" else []
    read = spans_of(Vocabulary().find(picked.question, "asks", *labels))
    left = {word.folded for word in without_everyday(picked.question, read)}
    return name in focus.rows[max(picked.picked, 1) - 1].values and left <= pointed


def _chosen(found: Reference, query: Mapping[str, Any]) -> list[str] | None:
    """The ids pointed at; "phòng đó" is the row that was spoken of last, or the only one shown."""
    ids = [row.id for row in found.rows]
    if found.kind == "this":
        last = str(query.get("picked_id", ""))
        if last in ids:
            return [last]
        return ids if len(ids) == 1 else None
    return None if found.kind == "these" and len(ids) != 2 else ids


def _first_of_all(found: Reference, previous: ParsedQuestion | None, focus: Focus) -> list[str]:
    """ "tin đó" after "tin nào nhiều lượt xem nhất": the one that was asked for; empty where it shares its place."""
    if found.kind == "this" and previous is not None and previous.end:
        return [row.id for row in focus.rows]  # all that share the lowest rent that was told
    if found.kind != "this" or previous is None or not previous.order or previous.skip:
        return []
    name = previous.order[0].field
    values = [row.values.get(name) for row in focus.rows]
    # No two are posted in one second.
    alone = name == "posted_at" or (values[0] is not None and values[0] not in values[1:])
    one = alone and _END_OF_ALL.search(fold(previous.question))
    return [focus.rows[0].id] if one else []


def _extreme(
    found: Reference, parts: QuestionParts, previous: ParsedQuestion, message: str
) -> ParsedQuestion | None:
    """ "cái rẻ nhất": the first of what was asked for, in that order; None where a figure is asked for."""
    grouped = not {*parts.output.group} <= {*details_of(parts.text)}
    if parts.vocabulary.find(parts.text, "asks", "min", "max", "avg") or grouped:
        return None
    hits = parts.vocabulary.find(message, "asks", *_MOST_OF[found.field])
    down = bool(hits) and hits[0].label in {"dearest", "largest"}
    field = _EXTREMES[found.field]
    if field not in entities()[previous.entity].fields:
        return None
    kept = tuple(one for one in parts.filters if one not in previous.filters)
    start = replace(previous, edited=True, skip=0, missing=(), remarks=(), question=message)
    if (first := _asked_of_first(parts, start)) is not None:
        return first
    return replace(
        previous, filters=merge_filters([*previous.filters, *kept]), order=(Order(field, down),), limit=parts.limit or 1, details=details_of(message),
        measures=(), group=(), mode="LIST", edited=True, skip=0, missing=(), remarks=(), question=message,
    )  # fmt: skip
