"""The parts of one message: its records, conditions, places, figures and remarks, before any other message is looked at."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from itertools import pairwise

from troly.text.catalogue import Lang
from troly.text.dates import ANY_DAY, find_ranges, months_of_year
from troly.text.fold import fold, folded_words
from troly.text.match import blank_out, spans_of
from troly_rental.data.places import Places
from troly_rental.question.amounts import Quantity, number_of, parse_quantities, refused_quantity
from troly_rental.question.dates import parse_contract_end, parse_days, parse_upcoming
from troly_rental.question.names import NO_NAMES, NamedThings, Names
from troly_rental.question.output import (
    PRICES,
    OutputRequest,
    number_of_groups,
    parse_output,
    ranked_span,
    told_apart,
)
from troly_rental.question.places import parse_places
from troly_rental.question.pointers import of_shown
from troly_rental.question.spelling import as_typed, correct_spelling
from troly_rental.question.traits import all_kinds, asked_states, parse_status, parse_traits
from troly_rental.question.types import Filter, Measure, Mode, Order, Remark, Span, merge_filters
from troly_rental.question.vocabulary import LEXICONS, Vocabulary, lists
from troly_rental.roles import Role
from troly_rental.sql.relations import entities

_CHARGES = ("electricity_kwh", "water_m3", "electricity", "water")
_OWN_ENTITIES = ("contract", "invoice", "viewing")
_SUPERLATIVES = ("newest", "oldest", "cheapest", "dearest", "largest", "smallest", "most viewed")
_FIGURES = ("count", "avg", "median", "min", "max", "sum", "trend", "chart", "table")
_BY_KIND = ((Order("area"),), (Order("area", True),), (Order("price", True),))
"""The ends that another kind would have: a house is larger than any room."""
_MOST_ROWS = 200
PAID_YET = re.compile(
    r"(?<!\w)(?:dong|tra|nop|thanh toan|chuyen|thu)\s+(?:\w+\s+){0,4}?(?:roi\s+)?(?:hay\s+)?chua(?=\s*(?:[?.!,]|$|a|vay|nhi|em|anh|ban))"
    r"|(?<!\w)(?:is|are|was)\s+(?:it|that|this|they|(?:the|my)\s+(?:\w+\s+){1,2}?(?:in\s+\w+)?)\s*(?:already\s+)?paid(?!\w)"
    r"|(?<!\w)(?:paid|pay)(?!\w).*(?<!\w)yet(?!\w)|^(?:has|have|did)\s.*(?<!\w)(?:paid|pay)(?!\w)"
)
"""Whether something is paid: "đóng chưa", "has she paid"."""
_SINCE_WHEN = re.compile(
    r"(?<!\w)(?:thue|o|renting|lived|rented)\b.*(?<!\w)(?:bao lau|tu khi nao|tu bao gio|tu ngay nao|tu hom nao|khi nao|since when|how long)(?!\w)|(?<!\w)how long have i(?!\w)"
)
_WHICH_HOUSE = re.compile(
    r"(?i)(?<!\w)(nhà|nha)\s+(?:nào|nao)(?=\s+(?:\w+\s+){0,4}(?:nhiều|nhieu|ít|it|đông|dong|trống|trong|kín|kin|thu|nợ|no)(?!\w))"
)
_HOUSES = re.compile(
    r"(?<!\w)(?:nhung|cac|may|bao nhieu)\s+(?:nha|khu|day|toa nha)(?:\s+tro)?(?!\w)(?!\s+(?:co|con)\s)|(?<!\w)(?:my|which|how many) (?:buildings|houses)(?!\w)"
)
"""What is asked for is the houses themselves, not their rooms."""
_AGREEMENT = re.compile(r"(?<!\w)(?:hop dong|hd|contracts?|leases?|agreement|tenancy)(?!\w)")
_MOST_MONEY = re.compile(
    r"(?<!\w)(nhieu|it|ton)\s+(?:\w+\s+){1,2}nhat(?!\w)|(?<!\w)(?:the\s+)?(most|least)(?!\w)"
)
"""The end of a figure by month: "tháng nào tốn nhiều tiền điện nhất"."""
_NO_CONDITIONS = frozenset({"", "limit", "other", "fee", "unit"})
RATES = ("deposit", "electricity_price", "water_price")
_PER_UNIT = re.compile(r"(?<!\w)(?:mot|moi|tung|1|per|each|an?)\s+$|/\s*$")
_RATE = re.compile(r"(?<!\w)gia (?:dien|nuoc)(?!\w)")
_HOW_IS_IT = re.compile(
    r"(?<!\w)(?:tinh sao|sao|the nao|nhu the nao|ra sao|nhu nao|how are|what are|what is)(?!\w)"
)
_INCLUDED = re.compile(
    r"(?<!\w)(?:(?:gia|tien)\s+(?:(?:thue|phong|nha|nay|do|tren|day|ghi|trang|tin|niem yet)\s+)*)?(?:(?:co|da|la)\s+)*(?:bao gom|gom|tinh ca|tinh luon|kem)\s+(?:(?:ca|luon|tien|phi)\s+)*(?:dien|nuoc)(?:\s+(?:va\s+)?nuoc)?(?:\s+luon)?"
    r"(?=\W*(?:khong|ko|chua|hay|k|vay|roi|a|nhi|luon|$))|(?<!\w)(?:is|are|does|do)\b(?=.*\b(?:electricity|water|utilit\w+|bills?|power|everything|all)\b).*\b(?:includ\w+|cover\w*)\s*(?:the\s+)?(?:electricity|water|utilities|bills|power)?(?:\s+and\s+water)?"
    r"|(?<!\w)(?:utilities|electricity|water)\s+(?:and\s+water\s+)?included"
)
"""Whether the rent includes electricity and water: it never does."""
_RENT_SAID = re.compile(r"(?<!\w)(?:gia thue|gia phong|tien thue|tien phong|rent)(?!\w)")
_SEARCHES = re.compile(r"(?<!\w)(?:tim|kiem|can thue|muon thue|can|looking|find|search|show)(?!\w)")
_SUM_TOO = re.compile(
    r"(?<!\w)(?:bao nhieu tien|may tien|tong (?:cong|tien|so tien|bao nhieu)|how much|in total|total|(?:add|come|amount)s? (?:up )?to)(?!\w)"
)
MONEY_TOO = re.compile(
    r"(?<!\w)(?:(?:bao nhieu|nhieu|may) tien|how much (?:is|was|did it|does it|money)|cost)(?!\w)"
)
_WHICH_ROOM = re.compile(r"(?<!\w)(?:(?:phong|can|can ho|room)\s+nao|which\s+(?:room|flat|unit)s?)(?!\w)")
_WHO = re.compile(r"(?<!\w)(?:ai|nguoi|khach|who|tenant|tenants)(?!\w)")
_WHOM = re.compile(r"(?<!\w)(?:ai|(?:khach|nguoi|ban) (?:nao|gi|ten)|ten (?:gi|la|khach|nguoi)|whom?)(?!\w)")
"""The other side of an appointment, whom nobody is shown."""
_OWES_MORE = re.compile(r"(?<!\w)(nhieu|it)\s+hon(?!\w)|(?<!\w)(?:owes?|behind)\s+more(?!\w)")
_UNPAID = "status invoice unpaid"
_EVERY_MONTH = re.compile(r"(?:moi|hang|mot|every|per|a)\s")
_BARE_COUNT = frozenset({"con bao nhieu", "co bao nhieu"})
_ENTITIES = ("room_seeking_post", "post", "viewing", "contract", "invoice", "building", "room")


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What one message holds by itself, before it is joined with the query before it.

    `text` is the message with its spelling corrected, `unplaced` the same without the names of places; `vocabulary`
    finds words in the message's language. `money` is the figure of the asker's invoices that is meant ("debt",
    "revenue", "electricity", "electricity_kwh", "rent" …), "" for none.
    """

    vocabulary: Vocabulary
    text: str
    unplaced: str
    entity: str
    named: bool
    money: str
    filters: tuple[Filter, ...]
    quantities: tuple[Quantity, ...]
    output: OutputRequest
    limit: int | None
    own: bool
    needless: frozenset[str]
    missing: tuple[Remark, ...]
    remarks: tuple[Remark, ...]
    today: date
    rank: int = 1
    """The place in the order that is asked for: 2 for "rẻ thứ nhì", of which `text` says "rẻ nhất"."""
    read: tuple[Span, ...] = ()
    """Where places, traits, days and amounts stand that became conditions, with the words that belong to them."""
    typed: str = ""
    """The message as it was written."""

    def as_typed(self, runs: Iterable[str]) -> tuple[str, ...]:
        """Words of `text` as they were written."""
        return tuple(as_typed(run, self.text, self.typed) for run in runs)

    def quoted(self, runs: Iterable[str]) -> str:
        """Words of `text`, as they were written, in quotation marks."""
        return ", ".join(f"«{run}»" for run in self.as_typed(runs))


_COMPARED = re.compile(r"(>=|=>|≥|<=|=<|≤|!=|<>|≠|>|<)(?=\s*\d)")
_RANK = re.compile(
    r"(?<!\w)(?:re|dat|mac|cao|thap|rong|lon|to|nho|be|hep|moi|nhieu(?:\s+\w+){0,3}?|it(?:\s+\w+){0,3}?)"
    r"(\s+(?:nhat\s+)?(?:(?:dung|xep)\s+)?(?:(?:thu|hang)\s+(nhi|hai|ba|tu|bon|nam|sau|bay|tam|chin|muoi|\d{1,2})|(nhi)))(?!\w)"
)
_RANK_ALONE = re.compile(r"(?<!\w)(?:dung|xep|ve|hang)\s+(?:(?:thu|hang)\s+)?(nhi)(?!\w)")
"""The second place of what was told before: "đứng nhì là quận nào"."""
_RANK_EN = re.compile(
    r"(?<!\w)(second|third|fourth|fifth|2nd|3rd|4th|5th)\s+(?=(?:most|least)\s|\w+est(?!\w))"
)
_RANK_OF = re.compile(
    r"(?<!\w)(?:dung|xep|nam|giu|o)\s+(?:hang\s+|vi tri\s+)?(?:thu|hang|so)\s+(nhat|nhi|hai|ba|tu|bon|nam|sau|\d{1,2})\s+(?:ve|xet ve|tinh theo|theo)(?=\s+so(?!\w))"
)
"""The place by a number of things: "đứng thứ hai về số phòng trống"."""
_ORDINALS = {"nhi": 2, "tu": 4, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
"""Ordinals of rank; the others are said by their numbers."""
_NUMBERED = re.compile(
    r"(?<!\w)(?:phong|can|nha|can ho|room|flat|apartment)\s+(?:(?:so|number|no\.?|ma|id|#)\s*(\d{1,7})|(\d{3,7}))(?!\w|[.,]\d)"
    r"(?!\s*(?:k|m|tr\w*|trieu|nghin|ngan|cu|m2|met|vuong|dong|vnd|nguoi|phong|can|mil\w*|rooms?|sq\w*|square|people)(?!\w))"
)
"""A room by its number in the data."""
_TO_SEE = re.compile(r"(?<!\w)(?<!luot )(?:xem|coi|lich|hen)(?!\w)")
_PAPER = re.compile(r"(?i)(?<!\w)hđ(?!\w)")
_SIGN_WORDS = {"<": "under", "<=": "at most", ">": "over", ">=": "at least", "!=": "not equal to"}
_SAME_SIGN = {"=>": ">=", "≥": ">=", "=<": "<=", "≤": "<=", "<>": "!=", "≠": "!="}


@cache
def _rewrites() -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """The turns of speech of lexicons/rewrites.toml."""
    listed = tomllib.loads((LEXICONS / "rewrites.toml").read_text(encoding="utf-8"))
    return {name: [(re.compile(one["said"]), one["means"]) for one in ones] for name, ones in listed.items()}


def _rewritten(text: str, section: str) -> str:
    """`text` with the turns of speech of a section in the words that mean the same."""
    for said, means in _rewrites()[section]:
        text = said.sub(means, text)
    return text


def _signs_in_words(text: str, about: str) -> str:
    """Comparison signs before a number, and turns of speech, as the words that mean them."""
    text = months_of_year(re.sub(r"(?<=[^\W\d])\s*%", " phần trăm", text))
    if about == "viewing" or _TO_SEE.search(fold(text)):
        text = _rewritten(text, "viewing")
    text = _rewritten(text, "first")
    return _COMPARED.sub(lambda found: f" {_SIGN_WORDS[_SAME_SIGN.get(found[1], found[1])]} ", text)


def _ranked(text: str) -> tuple[int, str]:
    """The place in an order that is asked for, 1 where none is, and `text` with the first place instead: "rẻ thứ nhì" is 2 and
    "rẻ nhất".
    """
    plain = fold(text)
    if found := _RANK_OF.search(plain):
        return _ordinal(found[1]), f"{text[: found.start()]}nhiều{text[found.end() :]} nhất"
    if found := _RANK_EN.search(plain):
        return _ordinal(found[1]), text[: found.start()] + text[found.end() :]
    if found := _RANK_ALONE.search(plain):
        return _ordinal(found[1]), text[: found.start()] + text[found.end() :]
    found = _RANK.search(plain)
    if found is None or _TO_SEE.search(plain):
        return 1, text
    most = "nhat" if text.isascii() else "nhất"  # words without accents are read so in a message without any
    return _ordinal(found[2] or found[3]), f"{text[: found.start(1)]} {most}{text[found.end(1) :]}"


def _ordinal(word: str) -> int:
    return _ORDINALS.get(word) or number_of(re.sub(r"(?<=\d)[a-z]+", "", word)) or 1


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, in which language and when, the places and names there are for it, and whether something was said before."""

    lang: Lang
    now: datetime
    places: Places
    role: Role = "GUEST"
    names: Names = NO_NAMES
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class _Subject:
    """The records of a message, whether it names them, and the figure of invoices that is meant."""

    entity: str
    named: bool
    money: str
    own: bool


_ONE_OF_US = re.compile(r"(?<!\w)(?:\d+|hai|ba|bon|nam|sau|bay|tam|two|three|four|five|six|we are)\s+[np]$")
"""Those who ask, no one else who looks for a room: "5 người muốn thuê"."""


def _subject(vocabulary: Vocabulary, text: str, whose: NamedThings, role: Role, about: str) -> _Subject:
    """What `text`, without proper names, asks about; `about` where it names nothing."""

    def said(*labels: str) -> bool:
        return bool(vocabulary.find(text, "asks", *labels))

    mine = vocabulary.owned(text)
    own = bool(mine) or (role == "LANDLORD" and said("lets"))
    hits = vocabulary.find(text, "asks", *_ENTITIES, "other")
    of_rooms, of_bills = (
        [label for label in lists("asks") if label.startswith(f"status {one} ")]
        for one in ("room", "invoice")
    )
    paper = about in _OWN_ENTITIES and not (mine or said(*of_rooms))
    # "chưa có ai thuê" is no contract, "tiền nhà" no house, "phòng nào" after an appointment is what it is for.
    within = {
        "contract": spans_of(vocabulary.find(text, "asks", "status room available", "status room rented")),
        "room": spans_of(
            vocabulary.find(text, "asks", "invoice rent", *([f"told {about}"] if paper else []))
        ),
    }
    named = [
        hit.label
        for hit in hits
        if hit.label != "other"
        and not _ONE_OF_US.search(fold(text)[: hit.start + 1])
        and not any(start <= hit.start and hit.end <= end for start, end in within.get(hit.label, ()))
    ]
    let = said(*of_rooms) or said("occupancy", "vacancy")  # "nhà nào còn trống nhiều nhất"
    named += ["room"] if "building" in named and let else []
    money = _money_records(vocabulary, text, own=own, role=role, about=about)
    # "khách nào trả tiền thuê cao nhất": as they agreed on, no bill.
    ends = said("invoice rent") and said("highest end", "lowest end") and _WHO.search(fold(text))
    ranked = bool(ends) and role == "LANDLORD" and not (money or find_ranges(text, ANY_DAY))
    if money == "rent" and "contract" in named and "invoice" not in named:
        money = ""
    owed = said("due") or (about not in _OWN_ENTITIES and said(*of_bills))
    entity = _entity(named, money)
    held = role != "GUEST" and (own or owed or said("sum")) and said("figure deposit")
    agreed = any(hit.label == "contract" and _AGREEMENT.search(fold(hit.phrase)) for hit in hits)
    bills = owed and not agreed and {*named} <= {"contract", "room"} and not held
    bills = bills or (said("deadline") and not named and about != "invoice")
    if role != "GUEST" and bills and not (money or ranked):
        return _Subject("invoice", True, "", own)  # what is to be paid, paid or not is a bill
    if not (named or money) and about:
        entity = about
    rest = {*named} - {"room", "building"}
    houses = own and role == "LANDLORD" and _HOUSES.search(fold(text)) and not said("status room available")
    addressed = own and role == "LANDLORD" and said("address") and not (rest or money)
    if addressed or houses or (whose.filters and not (whose.tenants or named) and said("told building")):
        return _Subject("building", True, money, own)
    paid = owed or PAID_YET.search(fold(text))
    if whose.tenants and (entity == "room" or (entity == "contract" and paid and not agreed)):
        return _Subject("invoice" if paid else "contract", True, money, own)
    if whose.filters and entity == "room":
        return _Subject(entity if named else "building", True, money, own)
    # What was paid, or is held: not the rooms' asking deposit. The rent that was agreed on: not the rents of others.
    asked = (
        said("invoice rent")
        or _SINCE_WHEN.search(fold(text))
        or (said("renter own") and said("price asked", "amount asked"))
    )
    rates = said("figure electricity_price", "figure water_price") and not said("figure deposit")
    rent = role == "TENANT" and own and asked and not (money or rates or said("avg"))
    if ranked or (entity == "room" and (held or rent)):
        return _Subject("contract", True, money, own)
    return _Subject(entity, bool(named or money), money, own)


def _paper_in_words(text: str, about: str) -> str:
    """ "hđ" as the contract or the bill that the other words, or the records `about`, make of it; as it stands for neither."""
    made = {hit.label for hit in Vocabulary().find(text, "asks", "of contracts", "of bills")}
    contract = "of contracts" in made
    bill = "of bills" in made or (not contract and "thang" in folded_words(text))
    kind = about if contract == bill else "contract" if contract else "invoice"
    meant = {"contract": "hợp đồng", "invoice": "hóa đơn"}.get(kind)
    return _PAPER.sub(meant, text) if meant else text


def _named(asker: Asker, text: str) -> NamedThings:
    """The people and houses of the asker that `text` names, beside the names of places."""
    return asker.names.find(text, asker.places.find(text))


def parse_parts(vocabulary: Vocabulary, message: str, asker: Asker, about: str = "") -> QuestionParts:
    """The parts of `message`; `about` are the records of the question before it, which are meant where the message names none."""
    now, role = asker.now, asker.role
    text = _paper_in_words(_signs_in_words(message, about), about)
    text = _rewritten(correct_spelling(text, asker.lang, _named(asker, text).spans), "spelt")
    rank, text = _ranked(_WHICH_HOUSE.sub("tòa nhà nào", text) if role == "LANDLORD" else text)
    whose = _named(asker, text)
    spoken, text = text, blank_out(text, whose.spans, "|")
    included = None if vocabulary.find(text, "asks", "invoice") else _INCLUDED.search(fold(text))
    text = blank_out(text, [included.span()] if included else [])
    subject = _subject(vocabulary, text, whose, role, about)
    entity, money, own = subject.entity, subject.money, subject.own
    ending, rest, end_spans = parse_contract_end(vocabulary, text, entity, now)
    where = parse_places(vocabulary, rest, asker.places)
    groups = spans_of(vocabulary.find(text, "asks", "by furnished", "by amenity", "by type"))
    traits = parse_traits(vocabulary, blank_out(where.rest, groups, "|"))
    # Rooms are counted as they are now: "how many … in January" says nothing of when they were posted.
    figures = bool(vocabulary.find(text, "asks", *(name for name in _FIGURES if name != "count")))
    undelayed = blank_out(  # "tháng quá hạn" is no past month
        traits.rest, spans_of(vocabulary.find(traits.rest, "asks", "status invoice overdue")), "|"
    )
    days, rest, day_spans = (
        ([], traits.rest, end_spans)
        if ending
        else parse_days(vocabulary, undelayed, entity, now, figures=figures)
    )
    quantities = [refused_quantity(text, one) for one in parse_quantities(vocabulary, rest)]
    unfurnished = spans_of(vocabulary.find(text, "amenities", "furnished none"))
    # "giá trung bình đang cho thuê ở Gò Vấp" is of the market, whoever asks.
    market = where.filters and not own and vocabulary.find(text, "asks", "avg", "median")
    lets = role == "LANDLORD" and not market
    status, status_spans = parse_status(vocabulary, blank_out(text, unfurnished), entity, lets=lets, own=own)
    states = _status(money, status, entity, text, status_spans) or (
        [] if days or money else _to_pay(vocabulary, text, entity, about)
    )
    if (
        money == "revenue"
        and "collected" in _told_states(vocabulary, text)
        and vocabulary.find(text, "asks", "avg")
    ):
        states = [Filter("status", "=", "paid")]  # an average of what is collected
    found = [
        *ending, *days, *parse_upcoming(vocabulary, text, entity, now), *states,
        *where.filters, *traits.filters, *whose.filters,
        *(f for q in quantities if q.field not in _NO_CONDITIONS for f in q.filters()),
    ]  # fmt: skip
    known = entities()[entity].fields
    filters = merge_filters([one for one in found if one.field in known])
    unknown = dict.fromkeys(one.field for one in found if one.field not in known)
    kinds_said = all_kinds(vocabulary, text)
    output = _output(
        vocabulary, blank_out(text, [*traits.spans, *kinds_said]), list(filters), entity, money, own=own
    )
    if entity in {"room", "post"} and not own:
        output = _rates_asked(vocabulary, text, output)
    kind_said = own or any(one.field == "type" for one in filters)
    if (
        entity in {"room", "post", "room_seeking_post"}
        and not kind_said
        and _plain_only(vocabulary, text, output)
    ):
        filters = merge_filters([*filters, Filter("type", "=", "room")])
    numbered = _NUMBERED.search(fold(text)) if entity == "room" and not own else None
    if numbered:  # one room, with all that is known of it
        filters = merge_filters([*filters, Filter("id", "=", int(numbered[1] or numbered[2]))])
        output = replace(output, measures=(), group=(), order=(), mode="LIST", single=True)
    output = _counted_states(text, output, filters, states, status_spans)
    if any(one.kind == "count_where" for one in output.measures):
        filters = tuple(one for one in filters if one.field != "status")
    limit = number_of_groups(text) if output.group else None
    among = [one for one in of_shown(where.rest) if fold(where.rest)[one[0] :].startswith("trong")]
    alone = blank_out(where.rest, among)  # "trong 3 phòng" counts what was shown
    limit = limit or _limit(vocabulary, alone) or _top(text) or (1 if output.single else None)
    used = {"", "limit", "other", "fee"} - ({"limit"} if limit else set())
    amounts = [
        span
        for q in quantities
        if q.field not in used or (q.field == "limit" and q.value == 1)
        for span in (*q.words, *_openings(text, q.start))
    ]
    return QuestionParts(
        vocabulary=vocabulary,
        text=spoken,
        unplaced=where.marked,
        entity=entity,
        named=subject.named,
        money=money,
        filters=filters,
        quantities=tuple(quantities),
        output=output,
        limit=limit,
        own=own or bool(money) or (role == "LANDLORD" and "building" in output.group) or (role == "LANDLORD" and bool(whose.filters)) or bool(vocabulary.find(text, "asks", "occupancy", "vacancy")) or (entity in _OWN_ENTITIES and subject.named) or entity == "contract",
        needless=traits.needless | ({"status"} if asked_states(vocabulary, text, entity) else frozenset()),
        missing=(*where.missing, *([Remark.of("missing.paper")] if _PAPER.search(text) else [])),
        remarks=(
            *([Remark.of("said.metered")] if included else []), *([Remark.of("refused.contact")] if entity == "viewing" and _WHOM.search(fold(text)) else []), *traits.remarks, *where.remarks, *output.remarks, *_assumptions(quantities),
            *(Remark.of("said.no_field", field=name) for name in unknown),
        ),
        today=now.date(),
        rank=rank,
        typed=message,
        read=(*whose.spans, *where.read, *traits.read, *end_spans, *day_spans, *status_spans, *amounts, *([numbered.span()] if numbered else []), *([included.span()] if included else []), *_limit_spans(text, limit), *ranked_span(text)),
    )  # fmt: skip


def _plain_only(vocabulary: Vocabulary, text: str, output: OutputRequest) -> bool:
    """Whether "phòng trọ" is a kind: a figure of them is not one of flats and houses, nor is the largest of them a house."""
    ended = output.order[:1] in _BY_KIND and not vocabulary.find(text, "asks", "sort")
    figures = "price_band" in output.group or (
        vocabulary.find(text, "asks", "count", "avg", "median", "min", "max") and "type" not in output.group
    )
    shown = not (figures or ended) and vocabulary.find(text, "asks", "trend", "table", "chart", "by type")
    return bool(
        vocabulary.find(text, "kinds", "room")
        and not (shown or all_kinds(vocabulary, text))
        and (output.measures or output.single or ended)
    )


_OPENING = re.compile(r"(?:between|giua|tu|from|trong|in|o muc|muc|(?:noi )?len|xuong|den)\s*$")


def _openings(text: str, start: int) -> list[Span]:
    """Words that lead to an amount: "từ 2 đến 4 triệu", "tăng lên 5 triệu"."""
    found = _OPENING.search(fold(text[:start]))
    return [(found.start(), start)] if found else []


_BOTH = re.compile(r"[,;&/+]|(?<!\w)(?:va|hoac|hay|lan|cung|(?:ke|tinh|gom|luon) ca|and|or|including)(?!\w)")
_STATES_GAP = re.compile(
    r"(?=.*(?:[,;&+/]|\b(?:va|and)\b))\W*(?:(?:va|and|are|is|bi|dang|da|con|phong|rooms)\W*)*"
)
"""What stands between states that are counted one by one: "đã thuê, đang ẩn và đang sửa"."""


def _counted_states(
    text: str, output: OutputRequest, filters: tuple[Filter, ...], status: list[Filter], spans: list[Span]
) -> OutputRequest:
    """ "bao nhiêu phòng, bao nhiêu đang cho thuê": all of them, and those of the state; or those of each state, which a comma or
    "và" joins as well: nothing is in two of them.
    """
    asked = re.findall(r"(?<!\w)(?:bao nhieu|may|how many)(?!\w)", fold(text))
    told = tuple(dict.fromkeys(str(one.value) for one in status if one.op == "="))
    gaps = [fold(text[end:start]) for (_, end), (start, _) in pairwise(sorted(spans))]
    joined = len(told) > 1 and all(_STATES_GAP.fullmatch(gap) for gap in gaps)
    sides = [len(one.values) for one in filters if one.op == "in" and one.field in output.group]
    several = len(asked) - max([1, *sides]) + 1 >= max(2, len(told))
    summed = {*told} & {"paid", "unpaid", "overdue"} and _SUM_TOO.search(fold(text))
    if not told or summed or not (several or joined) or [one.kind for one in output.measures] != ["count"]:
        return output
    whole = output.measures if len(asked) > len(told) else ()
    return replace(output, measures=(*whole, *(Measure("count_where", one) for one in told)))


def _top(text: str) -> int | None:
    """The number of "top 3"."""
    found = re.search(r"(?<!\w)top\s+(\d{1,2})(?!\w)", fold(text))
    return int(found[1]) or None if found else None


def _limit_spans(text: str, limit: int | None) -> list[Span]:
    """Where the number of rows stands."""
    return (
        [m.span() for m in re.finditer(rf"(?<![\w.,])(?:top\s+)?{limit}(?![\w.,])", text, re.IGNORECASE)]
        if limit
        else []
    )


def _money_records(vocabulary: Vocabulary, text: str, *, own: bool, role: Role, about: str) -> str:
    """Which figure of the asker's invoices is meant: "debt", "revenue", "electricity", "water", "rent", or ""."""
    if plain := vocabulary.find(text, "asks", "revenue") or vocabulary.find(text, "asks", "debt"):
        return plain[0].label
    found = vocabulary.find(text, "asks", *(f"invoice {name}" for name in (*_CHARGES, "rent")))
    found = [one for one in found if not _PER_UNIT.search(fold(text[: one.start]))]  # what one costs
    if about == "invoice" and not (found or _RATE.search(fold(text))):
        found = vocabulary.find(text, "asks", "bill electricity", "bill water")
    periods = [one.span for one in find_ranges(text, ANY_DAY)]
    by_month = role != "GUEST" and _by_month(
        vocabulary, text, rent=bool(found) and found[0].label == "invoice rent"
    )
    # What the rooms ask for a unit is of no month, and has no course: what was charged has.
    charged = found[:1] and found[0].label != "invoice rent"
    timed = len(periods) > 1 or (charged and (periods or vocabulary.find(text, "asks", "trend")))
    mine = own or by_month or about == "invoice" or (role != "GUEST" and bool(timed))
    market = vocabulary.find(text, "asks", "cheapest", "cheap", *(() if mine else ("avg", "compare")))
    rent = found[:1] and found[0].label == "invoice rent" and not (periods or by_month)
    ends = ("avg", "highest end", "lowest end")
    if rent and (about != "invoice" or vocabulary.find(text, "asks", *ends)):
        return ""  # of no month: the rent of the rooms, or of the contract
    if not found or not (mine or periods) or market:
        return ""
    hit = next((one for one in found if one.label.endswith(("_kwh", "_m3"))), found[0])
    used = hit.label.endswith(("_kwh", "_m3"))
    rates = vocabulary.find(text, "amounts", "unit electricity_price", "unit water_price")
    if (used and role == "GUEST") or (rates and not used):
        return ""
    amounts = parse_quantities(vocabulary, blank_out(text, periods))
    if any(one.field not in {"limit", "other", "unit", ""} for one in amounts):
        return ""
    return hit.label.partition(" ")[2]


def _by_month(vocabulary: Vocabulary, text: str, *, rent: bool) -> bool:
    """Whether figures are told apart by month; the `rent` "mỗi tháng" is what the contract says."""
    hits = vocabulary.find(text, "asks", "by month")
    return any(not (rent and _EVERY_MONTH.match(fold(hit.phrase))) for hit in hits)


def _status(money: str, status: list[Filter], entity: str, text: str, spans: list[Span]) -> list[Filter]:
    """A debt is what is not paid; "quá hạn chưa đóng" asks for what is overdue, which is not paid anyway; "chưa đóng và quá hạn"
    for both.
    """
    if entity != "invoice":
        return status
    asked = money == "debt" or PAID_YET.search(fold(text))  # "was it paid" asks, it chooses none
    if money == "revenue":
        return []  # what is collected is told beside what is billed, and what is not
    owed = [one for one in status if one.value != "paid"] if asked else status
    if money == "debt" and not owed:
        return [Filter("status", "=", "unpaid")]
    gaps = [fold(text[end:start]) for (_, end), (start, _) in pairwise(sorted(spans))]
    if {one.value for one in owed} == {"overdue", "unpaid"} and not any(_BOTH.search(gap) for gap in gaps):
        return [Filter("status", "=", "overdue")]
    return owed


def _to_pay(vocabulary: Vocabulary, text: str, entity: str, about: str) -> list[Filter]:
    """ "khi nào phải đóng", where no bill was spoken of, is of those that are not paid."""
    asked = entity == "invoice" != about and vocabulary.find(text, "asks", "deadline")
    return [Filter("status", "=", "unpaid")] if asked and not vocabulary.find(text, "asks", "list") else []


def _entity(named: list[str], money: str) -> str:
    if money:
        return "invoice"
    for entity in ("room_seeking_post", "viewing", "invoice", "contract"):
        if entity in named:
            return entity
    if "post" in named:
        return "post"
    if "building" in named and "room" not in named:
        return "building"
    return "room"


def _output(
    vocabulary: Vocabulary, text: str, filters: list[Filter], entity: str, money: str, *, own: bool
) -> OutputRequest:
    """What is asked of the records: of invoices and contracts a rent is their own figure, "total" or "monthly_rent"."""
    output = parse_output(vocabulary, text, filters)
    if entity in {"contract", "viewing"}:
        output = (_contract_output if entity == "contract" else _viewing_output)(vocabulary, text, output)
    several = any(one.field == "tenant" and one.op == "in" for one in filters)
    whole = _who_owes_most(vocabulary, text, output, several=several) if money == "debt" else None
    # The list tells number and sum.
    both = (
        money not in {*_CHARGES, "revenue"}
        and vocabulary.find(text, "asks", "count")
        and _SUM_TOO.search(fold(text))
    )
    if (
        whole is None and entity == "invoice" and (both or PAID_YET.search(fold(text)))
    ):  # whether, not how much
        whole = replace(output, measures=(), group=(), order=(), mode="LIST", remarks=())
    if whole is not None:
        return whole
    if money in {*_CHARGES, "rent", "revenue"}:
        several = any(one.field == "month" and one.op == "in" for one in filters)
        if several and not output.group and not vocabulary.find(text, "asks", "sum", "avg"):
            output = replace(output, group=("month",))  # of each month that is named
        one_month = len({str(one.value)[:7] for one in filters if one.field == "month"}) == 1
        return _money_output(vocabulary, text, output, money, one_month=one_month)
    charted = output.mode == "CHART" and not vocabulary.find(text, "asks", "count")
    if entity == "invoice" and (charted or _is_amount_asked(vocabulary, text, output)):
        group = tuple(name for name in output.group if name in {"month", "tenant", "room"})
        each = "month" in told_apart(filters) and not vocabulary.find(text, "asks", "sum")
        group, order = (("month",), (Order("month"),)) if charted or each else (group, ())
        total, mode = (Measure("sum", "total"),), output.mode if charted else "TABLE"
        return replace(output, measures=total, mode=mode, group=group, order=order, remarks=())
    counted = {one.kind for one in output.measures} <= {"count"}
    if "room" in output.group and entity == "room" and counted:  # "tiền thuê mỗi phòng"
        group = tuple(name for name in output.group if name != "room")
        output = replace(output, group=group, measures=output.measures if group else ())
        output = output if group else replace(output, mode="LIST")
    rent = {"invoice": "total", "contract": "monthly_rent"}.get(entity, "price")
    measures = tuple(
        Measure(one.kind, rent if one.field == "price" else one.field) for one in output.measures
    )
    if measures == (Measure("avg", "total"),) and "month" in output.group:
        return replace(output, measures=(Measure("monthly", "total"),), group=(), order=())
    if (
        entity not in _OWN_ENTITIES
        and not own
        and any(one.kind == "sum" and one.field == "price" for one in measures)
    ):
        measures = (Measure("count"),)  # nobody adds up the rents of others: "tổng cộng bao nhiêu phòng"
    return replace(output, measures=measures)


def _rates_asked(vocabulary: Vocabulary, text: str, output: OutputRequest) -> OutputRequest:
    """ "cọc bao nhiêu", "điện mấy một số" of several rooms: the average of each and both ends; who searches sees it in the list."""
    hits = vocabulary.find(text, "asks", *(f"figure {name}" for name in RATES))
    asked = vocabulary.find(text, "asks", "amount asked", "price asked") or _HOW_IS_IT.search(fold(text))
    average = {(one.kind, one.field) for one in output.measures} <= {("avg", name) for name in RATES}
    figures = output.measures in ((), PRICES) or average
    if not (hits and asked and figures) or output.order or output.group or output.mode not in {None, "TABLE"}:
        return output
    kinds = output.measures[:1] if average and output.measures else PRICES
    if _SEARCHES.search(fold(text)) and kinds == PRICES:
        return replace(output, measures=(), mode=None)
    named = dict.fromkeys(hit.label.removeprefix("figure ") for hit in hits)
    names = (*(["price"] if _RENT_SAID.search(fold(text)) else []), *named)
    measures = tuple(Measure(one.kind, name) for name in names for one in kinds)
    return replace(output, measures=measures, mode="TABLE")


def _contract_output(vocabulary: Vocabulary, text: str, output: OutputRequest) -> OutputRequest:
    """What is asked of contracts: each tells its rent, and "mỗi tháng" is what it says, no group; deposits are summed."""
    asked = vocabulary.find(text, "asks", "price asked", "amount asked", "sum")
    # "tiền cọc của tôi": the deposit is all that is named.
    alone = not vocabulary.find(text, "asks", "contract", "told contract", "list", "ending") and not any(
        one.field == "deposit" for one in parse_quantities(vocabulary, text)
    )
    if vocabulary.find(text, "asks", "figure deposit") and (asked or (alone and not output.measures)):
        held = (Measure("sum", "deposit"),)
        return replace(output, measures=held, mode="TABLE", group=(), order=(), remarks=())
    if output.measures == PRICES:
        output = replace(output, measures=(), mode="LIST")
    if _by_month(vocabulary, text, rent=True):
        return output
    group = tuple(name for name in output.group if name != "month")
    return replace(output, group=group, order=tuple(one for one in output.order if one.field != "month"))


def _viewing_output(vocabulary: Vocabulary, text: str, output: OutputRequest) -> OutputRequest:
    """Where the room of an appointment is, which each tells, is no number of appointments by place."""
    placed = output.measures and output.group and {*output.group} <= {"district", "ward", "city"}
    if not placed or vocabulary.find(text, "asks", "count"):
        return output
    return replace(output, measures=(), group=(), order=(), mode="LIST")


def _who_owes_most(
    vocabulary: Vocabulary, text: str, output: OutputRequest, *, several: bool
) -> OutputRequest | None:
    """ "Ai nợ nhiều nhất": what each tenant owes in all, the end that is asked for first; None for other questions."""
    most = vocabulary.find(text, "asks", "highest end", "lowest end")
    more = _OWES_MORE.search(fold(text)) if several else None
    if not (most or more) or not _WHO.search(fold(text)):
        return None
    order = (Order("figure", most[0].label == "highest end" if most else bool(more and more[1] != "it")),)
    total = (Measure("sum", "total"),)
    return replace(output, measures=total, group=("tenant",), order=order, mode="TABLE", remarks=())


_PER_ROOM = re.compile(r"(?:moi|per|each)\s")


def _money_output(
    vocabulary: Vocabulary, text: str, output: OutputRequest, money: str, *, one_month: bool
) -> OutputRequest:
    """A figure of invoices: what is paid for a room in a month is more than its rent, and not all that is billed is paid."""
    groups = {"month", "room", "tenant"} | ({"building"} if money == "revenue" else set())
    group = tuple(name for name in output.group if name in groups)
    if not group and vocabulary.find(text, "asks", "chart", "trend"):
        group = ("month",)
    ended = _MOST_MONEY.search(fold(text)) or vocabulary.find(text, "asks", "highest end", "lowest end")
    if not group and ended:  # "phòng nào dùng điện nhiều nhất", "which of my tenants used the most"
        asked = (("room", _WHICH_ROOM), ("tenant", _WHO))
        group = next(((name,) for name, which in asked if which.search(fold(text))), ())
    monthly = bool(vocabulary.find(text, "asks", "avg"))
    if monthly:
        group = tuple(name for name in group if name != "month")
    # A room has one bill a month: the mean of "mỗi phòng", and of one month, is that of the bills.
    by_room = vocabulary.find(text, "asks", "by room")
    per_room = [bool(_PER_ROOM.match(fold(hit.phrase))) for hit in by_room]
    per_bill = monthly and (one_month or any(per_room))
    if per_bill and per_room[:1] == [True]:
        group = tuple(name for name in group if name != "room")
    figures: tuple[str, ...] = ("total",)
    if money in _CHARGES:  # "tiền điện và tiền nước": each of them
        hits = vocabulary.find(text, "asks", *(f"invoice {name}" for name in _CHARGES))
        said = tuple(dict.fromkeys(hit.label.removeprefix("invoice ") for hit in hits))
        used = money.endswith(("_kwh", "_m3"))
        figures = (money, *(one for one in said if one != money and one.endswith(("_kwh", "_m3")) == used))
        billed = {one for one in said if not one.endswith(("_kwh", "_m3"))}
        if used and (billed or MONEY_TOO.search(fold(text))):  # "mấy số, bao nhiêu tiền"
            figures = (*figures, *(one.rpartition("_")[0] for one in figures))
    if money == "rent" and not group:
        figures = ("total", "rent", "electricity", "water", "other")
    kind = "avg" if per_bill else "monthly" if monthly else "sum"
    measures = tuple(Measure(kind, name) for name in figures)
    states = _told_states(vocabulary, text)
    if money == "revenue" and not monthly and ("collected" in states or not group):
        # "thu bao nhiêu, còn bao nhiêu chưa thu"; what was asked for first, beside what is billed.
        owed = _UNPAID in states or vocabulary.find(text, "asks", "debt")
        paid = (Measure("paid", "total"), *([Measure("owed", "total")] if owed else []))
        measures = (*paid, *measures) if "collected" in states else (*measures, *paid)
    mode: Mode = "CHART" if output.mode == "CHART" else "TABLE"
    order = money_order(vocabulary, text, group)
    return replace(output, measures=measures, group=group, order=order, mode=mode, remarks=())


def _told_states(vocabulary: Vocabulary, text: str) -> set[str]:
    """Whether what is collected, or what is not yet, is spoken of."""
    return {hit.label for hit in vocabulary.find(text, "asks", "collected", _UNPAID)}


def money_order(vocabulary: Vocabulary, text: str, group: tuple[str, ...]) -> tuple[Order, ...]:
    """ "tháng nào cao nhất" asks for the months by their figure; else they run forwards."""
    if not group:
        return ()
    if most := _MOST_MONEY.search(fold(text)):
        return (Order("figure", (most[1] or most[2]) in {"nhieu", "ton", "most"}),)
    hits = vocabulary.find(text, "asks", "highest end", "lowest end")
    return (Order("figure", hits[0].label == "highest end"),) if hits else (Order(group[0]),)


def _is_amount_asked(vocabulary: Vocabulary, text: str, output: OutputRequest) -> bool:
    """ "tôi còn nợ bao nhiêu", "hóa đơn tháng này bao nhiêu": what the invoices come to."""
    if (
        any(one.kind not in {"avg", "min", "max", "count"} for one in output.measures)
        or output.mode == "CHART"
    ):
        return False
    if vocabulary.find(text, "asks", "avg", "min", "max", "median", "newest"):
        return False
    counted = vocabulary.find(text, "asks", "count")
    if any(fold(hit.phrase) not in _BARE_COUNT for hit in counted):
        return False
    return bool(counted or vocabulary.find(text, "asks", "amount asked", "price asked"))


def _limit(vocabulary: Vocabulary, text: str) -> int | None:
    """How many rows are wanted; "1 phòng" alone is a way of speaking, "1 phòng rẻ nhất" is a number."""
    best = bool(vocabulary.find(text, "asks", *_SUPERLATIVES))
    for one in parse_quantities(vocabulary, text):
        if one.field == "limit" and one.upper is None and 1 <= one.value <= _MOST_ROWS:
            if one.value == 1 and not best:
                continue
            return int(one.value)
    return None


def _assumptions(quantities: list[Quantity]) -> list[Remark]:
    """What was taken for granted about amounts: how far "khoảng" reaches."""
    return [
        Remark.of("said.about", field=one.field)
        for one in quantities
        if one.op == "about" and one.upper is None and one.field not in _NO_CONDITIONS
    ]
