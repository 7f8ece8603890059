"""The places of a question: cities, districts and wards, wanted or excluded, and names that are unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from troly.text.fold import accents_agree, fold, folded_words, nfc, tokens
from troly.text.match import PhraseHit, blank_out
from troly_rental.data.places import Place, PlaceMention, Places
from troly_rental.question.spelling import is_listed
from troly_rental.question.types import Filter, Remark, Span
from troly_rental.question.vocabulary import Vocabulary, lists

_WHICH = re.compile(r"\s+(?:nao|may)\b")
_LISTED = re.compile(
    r"\s*(?:,|/|va|hoac|hay|or|and|&|\+|-|voi|cung|lan)\s*([0-9]{1,2})(?![0-9.,]*[0-9])(?!\s*(?:/|%))"
)
_UNKNOWN = re.compile(r"(?<!\w)(?:quan|huyen|district|dist|q|d)(?:\s*(?=[0-9])|\s+(?=[a-z]))")
_NUMBER = re.compile(r"[0-9]{1,3}(?![0-9a-z])")
_PREPOSITION = re.compile(
    r"(?:^|\W)(?:o|tai|khu|khu vuc|quan|huyen|gan|quanh|ben|tren|q|h|trong|vung|in|at|near|around|district|area|ve|qua|sang|con|va|hoac|hay|or|and|cua|chi|vs|voi|tru|la)\s*$"
)
_LED = re.compile(
    r"(?<!\w)(?:(?:o|tai|in|at|gan|quanh|canh|ben canh|khu|khu vuc|near|around|close to|next to|by|including)\s+)?"
    r"(?:(?:(?:the\s+)?(?:old|former|entire|whole(?: of)?)|across|all of|khap|(?<!an )toan)\s+)?$"
)
"""What leads to a name, or says that all of it or what it was before is meant."""
_AMONG = re.compile(
    r"(?<!\w)(?:(?:ke|gom|tinh|bao gom) (?:ca|luon)|bao gom|including)(?:\s+(?:\w+\s+){0,2})?\s*$"
)
"""Before a part that is named beside its whole: "cả Hà Nội, kể cả Cầu Giấy"."""
_HOME = re.compile(r"(?<!\w)(?:cho|noi|de)\s+o$")
"""A place to live, which leads to none: "chỗ ở yên tĩnh"."""
_KIND = re.compile(
    r"\s+(?:district|ward|city|\(?cu(?=\)|,|\s+(?:thoi|thi|co|con|bao|nha|di|gia)(?!\w)|\W*$)\)?)(?!\w)"
)
_WARD = re.compile(r"(?:phuong|p|xa|ward)(?![a-z])")
_OTHERWISE = re.compile(r"(?:khong|chua|chang|gia|tinh|van|cung|hoi|ai|co|biet|la)\s*$")
_SEPARATOR = re.compile(r"\s*(?:[,/&+-]|va|hoac|hay|or|and|voi|cung|lan|nor)\s*")
_INSIDE = re.compile(r"\s*(?:o|tai|trong)(?!\w)")
"""Other rooms in a place, not rooms of another one: "phòng khác ở quận 3"."""
_WORKS = re.compile(
    r"(?<!\w)(?:lam|lam viec|di lam|cong tac|hoc|di hoc|day|thuc tap|work(?:ing)?|study(?:ing)?|teach(?:ing)?|job|office|studies|works)"
    r"\s+(?:(?:\w+\s+){0,2}(?:o|tai|ben|in|at)|(?:ben|o))\s*$"
)
"""Where the asker works or learns, which is no place of the room where another one is named."""
_CLAUSE = re.compile(r"[,.;?!\n]|(?<!\w)(?:nen|so|but|nhung)(?!\w)")
_ANY_ROOM = frozenset({"room", "any"})
_UNIT = re.compile(r"(?<!\w)(?:quan|huyen|phuong|xa|duong|district|ward|street)\s*$")
AREAS = frozenset({"missing.area", "missing.area_near"})
"""Remarks on places that nobody here has."""
_NEAREST = 3
_ALIKE = 75


@dataclass(frozen=True, slots=True)
class PlaceConditions:
    """The places of a message: conditions, remarks, unknown names with the nearest ones, and the text without them."""

    filters: tuple[Filter, ...]
    remarks: tuple[Remark, ...]
    missing: tuple[Remark, ...]
    rest: str
    marked: str
    """The text with bars in place of the names, which then part the words around them."""
    read: tuple[Span, ...] = ()
    """Where the names stand, and the words that join, refuse or complain of them."""


def parse_places(vocabulary: Vocabulary, text: str, places: Places) -> PlaceConditions:
    """The places named in `text`."""
    known = places.find(text)
    away = _elsewhere(vocabulary, text, [(one.start, one.end) for one in known])
    kept = [one for one in known if not any(start <= one.start and one.end <= end for start, end in away)]
    mentions = _consistent(_expected(text, tuple(kept)))
    filters: list[Filter] = []
    remarks: list[Remark] = []
    spans: list[Span] = []
    read: list[Span] = []
    aside, among = _workplaces(text, mentions), False
    for mention in mentions:
        if mention in aside:
            led = _WORKS.search(fold(text[: mention.start]))
            begin = led.start() if led else mention.start
            read.append((begin, mention.start))
            spans.append((mention.start, mention.end))
            remarks.append(Remark.of("said.background", words=text[begin : mention.end].strip()))
            continue
        chosen = _chosen(mention, remarks)
        excluded = _excluded(vocabulary, text, mention.start, spans, filters)
        if excluded and mention.places[0].kind == "city" and _lie_in(chosen, filters, places):
            read.append(excluded)  # "ở Thanh Xuân ngoài Hà Nội": out there in it
            excluded = None
        joined = spans and _SEPARATOR.fullmatch(fold(text[spans[-1][1] : mention.start]))
        among = bool(_AMONG.search(fold(text[: mention.start])) or (among and joined))
        wholes = {
            one.value for one in filters if one.field == "city" and one.op == "=" and among and not excluded
        }
        chosen = [one for one in chosen if not (one.city_id and places.by_id[one.city_id].name in wholes)]
        filters += [Filter(p.kind, "!=" if excluded else "=", p.name) for p in chosen]
        within = any(place.kind == "district" for one in mentions for place in one.places)
        filters += [] if excluded or within else _whereabouts(mention, chosen, places)
        read += [excluded] if excluded else []
        if joined:
            read.append((spans[-1][1], mention.start))
        if led := _LED.search(fold(text[: mention.start])):
            read.append((led.start(), mention.start))
        spans.append((mention.start, mention.end))
        if kind := _KIND.match(fold(text), mention.end):
            spans.append((mention.end, kind.end()))
        if mention.near:
            remarks.append(Remark.of("said.near", name=mention.typed, place=mention.places[0].name))
        for name, end in _numbered(vocabulary, text, mention, places):
            filters.append(Filter("district", "!=" if excluded else "=", name))
            spans.append((spans[-1][1], end))
    filters = _without_complaints(vocabulary, text, mentions, filters, read)
    unplaced, missing, unknown = _unplaced_names(vocabulary, text, away, places, beside=bool(filters))
    remarks += [Remark.of("said.background", words=text[start:end].strip()) for start, end in unplaced]
    read += unplaced
    rest = blank_out(text, [*spans, *unplaced, *unknown])
    found, others = _unknown(vocabulary, rest, places)
    missing, unknown = [*missing, *found], [*unknown, *others]
    return PlaceConditions(
        tuple(filters),
        tuple(remarks),
        tuple(missing),
        blank_out(rest, unknown),
        blank_out(text, [*spans, *unknown], "|"),
        (*spans, *read, *unknown),
    )


def _lie_in(cities: list[Place], filters: list[Filter], places: Places) -> bool:
    """Whether a district or ward that is wanted lies in one of `cities`."""
    wanted = (
        place
        for one in filters
        if one.op == "=" and one.field in {"district", "ward"}
        for place in places.named(str(one.value))
    )
    return bool({place.city_id for place in wanted} & {city.id for city in cities})


def _workplaces(text: str, mentions: list[PlaceMention]) -> list[PlaceMention]:
    """Where the asker works or learns, where another place is named than that: "làm ở Mỹ Đình, tìm phòng ở Nam Từ Liêm"."""
    at_work = [one for one in mentions if _WORKS.search(fold(text[: one.start]))]
    sought = [one for one in mentions if one not in at_work and one.places[0].kind != "city"]
    joined = [(a, b) for a, b in pairwise(mentions) if _SEPARATOR.fullmatch(fold(text[a.end : b.start]))]
    return [one for one in at_work if sought and not any(one in pair for pair in joined)]


def _without_complaints(
    vocabulary: Vocabulary, text: str, mentions: list[PlaceMention], filters: list[Filter], read: list[Span]
) -> list[Filter]:
    """ "quận 2 thì xa quá, tìm ở Bình Thạnh": the place complained of is dropped when another one is named,
    and refused where none is, if it is too far.
    """
    disliked: set[tuple[str, str]] = set()
    for nth, mention in enumerate(mentions):
        end = mentions[nth + 1].start if nth + 1 < len(mentions) else len(text)
        clause = _CLAUSE.split(fold(text[mention.end : end]), maxsplit=1)[0]
        hits = vocabulary.find(text[mention.end : mention.end + len(clause)], "wheres", "far", "unwanted")
        if hits and len(tokens(text[mention.end : mention.end + hits[0].start])) <= 2:
            disliked |= {(place.name, hits[0].label) for place in mention.places}
            read.append((mention.end, mention.end + hits[0].end))
    names = {name for name, _ in disliked}
    if {str(one.value) for one in filters if one.op == "="} - names:
        return [one for one in filters if one.value not in names or one.op != "="]
    far = {name for name, label in disliked if label == "far"}
    return [replace(one, op="!=") if one.value in far else one for one in filters]


def _expected(text: str, mentions: tuple[PlaceMention, ...]) -> list[PlaceMention]:
    """The mentions that are meant: an abbreviation counts in capitals, after a preposition, or in a list of places."""
    kept: list[PlaceMention] = []
    letters = [char for char in text if char.isalpha()]
    shouted = 2 * sum(char.isupper() for char in letters) > len(letters)
    for nth, mention in enumerate(mentions):
        before = fold(text[: mention.start])
        listed = bool(kept) and _SEPARATOR.fullmatch(fold(text[kept[-1].end : mention.start])) is not None
        following = mentions[nth + 1 : nth + 2]
        followed = any(_SEPARATOR.fullmatch(fold(text[mention.end : m.start])) for m in following)
        capitals = mention.typed.isupper() and not shouted and len(mention.typed) > 1
        alone = not before.strip() and len(folded_words(text)) <= 3
        placed = capitals or listed or followed or alone or _PREPOSITION.search(before)
        if not placed and (_unplaced(mention) or (mention.short and _OTHERWISE.search(before))):
            continue
        if _is_person_or_money(text, mention) or _is_other_name(mention):
            continue
        kept.append(mention)
    return kept


def _consistent(mentions: list[PlaceMention]) -> list[PlaceMention]:
    """Without wards that lie in none of the districts named: "đường Nguyễn Trãi, quận 5" is a street there."""
    districts = {
        part for m in mentions for p in m.places if p.kind == "district" for part in (p.id, *p.covers)
    }
    return [
        one
        for one in mentions
        if not districts
        or any(place.kind != "ward" or place.district_id in districts for place in one.places)
    ]


def _unplaced(mention: PlaceMention) -> bool:
    """Whether a name must not count where no place is expected: most abbreviations, and wards and landmarks that without
    accents are everyday words ("ban co the" is not "Bàn Cờ", "neu" not the university NEU).
    """
    if mention.near and " " not in mention.typed:
        return mention.typed.islower() and mention.typed.isascii() and is_listed(fold(mention.typed))
    if mention.short:
        return not _INITIALLED.match(mention.typed) and fold(mention.typed) not in lists("wheres")["anywhere"]
    ward = (
        mention.places[0].kind == "ward" and mention.typed.isascii() and not mention.places[0].name.isascii()
    )
    return ward and not _WARD.match(fold(mention.typed))


def _is_person_or_money(text: str, mention: PlaceMention) -> bool:
    """ "tb" after "giá" is an average, "pn" after a number bedrooms."""
    said, before = fold(mention.typed), fold(text[: mention.start]).rstrip()
    if said == "tb":
        return before.endswith(("gia", "thue", "tinh", "tien")) or before == ""
    return said in {"pn", "p"} and before[-1:].isdigit()


def _is_other_name(mention: PlaceMention) -> bool:
    """ "quận Hải ..." is not "quận hai": a number in words must carry its own accents or none."""
    last = mention.typed.split()[-1]
    if mention.near or not mention.places[0].name[-1].isdigit() or last[-1].isdigit() or last.isascii():
        return False
    return not any(
        accents_agree(nfc(last.lower()), word) for word in _NUMBER_WORDS if fold(word) == fold(last)
    )


_INITIALLED = re.compile(r"\w[. ]")
_NUMBER_WORDS = ("nhất", "một", "hai", "ba", "tư", "bốn", "năm", "sáu", "bảy", "bẩy", "tám", "chín", "mười")


def _chosen(mention: PlaceMention, remarks: list[Remark]) -> list[Place]:
    """The place meant; of several with one name the best known, said."""
    if len(mention.places) == 1:
        return list(mention.places)
    kinds = {place.kind for place in mention.places}
    if kinds == {"ward"} and len({place.name for place in mention.places}) == 1:
        return [mention.places[0]]
    first = mention.places[0]
    others = ", ".join(place.name for place in mention.places[1:])
    remarks.append(Remark.of("said.ambiguous", name=mention.typed, place=first.name, others=others))
    return [first]


def _whereabouts(mention: PlaceMention, chosen: list[Place], places: Places) -> list[Filter]:
    """The district of a ward of whose name there is one elsewhere too, where only the one is meant: "Thảo Điền" is in An Khánh of
    Thủ Đức, and not in that of Hoài Đức.
    """
    meant = {one.district_id for one in mention.places}
    shared = [one for one in chosen if {p.district_id for p in places.named(one.name, "ward")} - meant]
    return [Filter("district", "=", places.by_id[one.district_id].name) for one in shared if one.district_id]


def _excluded(
    vocabulary: Vocabulary, text: str, start: int, spans: list[Span], filters: list[Filter]
) -> Span | None:
    """Where it is said that the place at `start` is not wanted, or that it follows one in a list that is not."""
    if (
        spans
        and filters
        and filters[-1].op == "!="
        and _SEPARATOR.fullmatch(fold(text[spans[-1][1] : start]))
    ):
        return spans[-1][1], start
    begin = max(spans[-1][1] if spans else 0, start - 28)
    window = text[begin:start]
    for hit in vocabulary.refusals(window):
        after = window[hit.end :]
        inside = fold(hit.phrase) == "khac" and _INSIDE.match(fold(after))
        # "không cần máy lạnh quận 3" gives up what stands next to it.
        other = [
            one for one in vocabulary.find_any(after, "amenities", "kinds") if one.label not in _ANY_ROOM
        ]
        if len(tokens(after)) <= 2 and not re.search(r"[,.;?!]", after) and not (inside or other):
            return begin + hit.start, begin + hit.end
    return None


def _numbered(
    vocabulary: Vocabulary, text: str, mention: PlaceMention, places: Places
) -> list[tuple[str, int]]:
    """The numbers that go on after a numbered district: "quận 1, 3 và 5"."""
    if not mention.typed[-1].isdigit() or mention.places[0].kind != "district":
        return []
    from troly.text.numbers import find_amounts

    found: list[tuple[str, int]] = []
    end = mention.end
    units = vocabulary.find(text, "amounts", *(u for u in lists("amounts") if u.startswith("unit ")))
    amounts, plain = find_amounts(text), fold(text)
    while match := _LISTED.match(plain, end) if len(plain) == len(text) else None:
        start, stop = match.span(1)
        # "quận 1, 3, 5 quận nào rẻ": what stands behind the number asks, it counts nothing.
        counted = any(
            not text[stop : hit.start].strip() and not _WHICH.match(plain, hit.end)
            for hit in units
            if hit.start >= stop
        )
        scaled = any(a.start <= start < a.end and a.value >= 100 for a in amounts)
        letters = text[stop : stop + 1].isalpha()
        names = places.named(f"Quận {int(match[1])}", "district")
        if counted or scaled or letters or not names:
            break
        found.append((names[0].name, stop))
        end = stop
    return found


def _elsewhere(vocabulary: Vocabulary, text: str, known: list[Span]) -> list[Span]:
    """Where `text` names places that nobody here has, longer than what is `known`: provinces and cities of the country, and
    proper names of several words where a place stands ("ở Mỹ Phước Tân Vạn"). Without accents a name counts where a place stands.
    """
    found = []
    for hit in vocabulary.find(text, "wheres", "elsewhere"):
        typed = text[hit.start : hit.end]
        named = typed.istitle() or (hit.exact and not hit.phrase.isascii())
        ended = vocabulary.find(
            text[hit.end :], "asks", "cheapest", "dearest", "largest", "smallest", "newest"
        )
        begins = not text[: hit.start].strip() and (hit.exact or not ended)  # "hai phòng rẻ nhất"
        if named or is_led(text, hit.start) or begins:
            found.append((hit.start, hit.end))
    others = blank_out(text, [*known, *found], "|")
    found += _proper_names(vocabulary, others)
    longer = [one for one in found if not any(a <= one[0] and one[1] <= b for a, b in known)]
    return [one for one in longer if not _ends_in(vocabulary, text[: one[0]], "named after")]


def _proper_names(vocabulary: Vocabulary, text: str) -> Iterator[Span]:
    """Capitalised words in a row right where a place stands, in a message that is not all in capitals; "quận" is read apart."""
    typed = tokens(text)
    titled = [text[one.start : one.end].istitle() for one in typed]
    for at in range(len(typed) if 2 * sum(titled) <= len(titled) + 2 else 0):
        end = at
        while (
            end < len(typed)
            and titled[end]
            and (end == at or text[typed[end - 1].end : typed[end].start].isspace())
        ):
            end += 1
        if end - at < 2 or not is_led(text, typed[at].start):
            continue
        run = (typed[at].start, typed[end - 1].end)
        unit = _UNIT.search(fold(text[: run[0]]))
        if not unit and not vocabulary.find_any(text[slice(*run)], "kinds", "amenities"):
            yield run


def _ends_in(vocabulary: Vocabulary, before: str, label: str) -> PhraseHit | None:
    """The phrase of `label` that `before` ends in."""
    return next(
        (hit for hit in vocabulary.find(before, "wheres", label) if not before[hit.end :].strip()), None
    )


def is_led(text: str, at: int) -> bool:
    """Whether a word before `at` leads to a place: "ở", "khu", "near"."""
    before = fold(text[:at]).rstrip()
    return any(
        (found := re.search(rf"(?<!\w){re.escape(fold(word))}$", before))
        and accents_agree(text[found.start() : found.end()].lower(), word)  # "tính" is no "tỉnh"
        and not (_HOME.search(before) and text[at : at + 1].islower())
        for word in lists("neutral")["places"]
    )


def _unplaced_names(
    vocabulary: Vocabulary, text: str, away: list[Span], places: Places, *, beside: bool
) -> tuple[list[Span], list[Remark], list[Span]]:
    """The names of `away` that somebody comes from, or works in where another place is named `beside`; the others as places that
    are missing, and where they stand.
    """
    origins: list[Span] = []
    unknown: list[Span] = []
    for start, end in away:
        led = _ends_in(vocabulary, text[:start], "origin") or (beside and _WORKS.search(fold(text[:start])))
        if led:
            origins.append((led.start() if isinstance(led, re.Match) else led.start, end))
        else:
            unknown.append((start, end))
    names = "», «".join(text[start:end] for start, end in unknown)
    return origins, [missing_area(names, places)] if names else [], unknown


def missing_area(name: str, places: Places) -> Remark:
    """That there is no `name`, with the cities there are, and the districts of nearly that name."""
    cities = ", ".join(place.name for place in places.of("city"))
    near = ", ".join(nearest(name, places, _ALIKE))
    shown = name.title() if name.islower() else name
    told = Remark.of("missing.area_near", name=shown, areas=cities, near=near)
    return told if near else Remark.of("missing.area", name=shown, areas=cities)


def _unknown(vocabulary: Vocabulary, rest: str, places: Places) -> tuple[list[Remark], list[Span]]:
    """Districts by names that nobody has: the nearest real ones go with each."""
    missing: list[Remark] = []
    spans: list[Span] = []
    folded = fold(rest)
    if len(folded) != len(rest):
        return [], []
    groups = vocabulary.find(rest, "asks", "by district")
    for match in _UNKNOWN.finditer(folded):
        typed = tokens(rest[match.start() :])[0].text
        if any(hit.start <= match.start() < hit.end for hit in groups) or (
            match.group().startswith("quan") and not accents_agree(typed, "quận")
        ):
            continue
        number = _NUMBER.match(folded, match.end())
        word = match.group().strip()
        if number:
            name, end = rest[match.start() : number.end()], number.end()
        elif word in {"q", "d"} or len(folded_words(folded[match.end() :])) == 0:
            continue
        else:
            name, end = _named(rest, match.start(), match.end())
            if not name:
                continue
        spans.append((match.start(), end))
        cities = ", ".join(place.name for place in places.of("city"))
        near = ", ".join(nearest(name, places))
        missing.append(Remark.of("missing.place", name=name.strip(), near=near, areas=cities))
    return missing, spans


def _named(rest: str, start: int, at: int) -> tuple[str, int]:
    """The unknown name after "quận", up to two words that are no everyday ones; "" for none."""
    end = at
    for token in tokens(rest[at : at + 40])[:2]:
        typed = rest[at + token.start : at + token.end]
        everyday = token.folded in _everyday() or (not typed.istitle() and is_listed(token.folded))
        if everyday or not token.folded.isalpha() or rest[end : at + token.start].strip():
            break
        end = at + token.end
    return (rest[start:end], end) if end > at else ("", at)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(fold(word) for word in lists("wheres")["everyday"])


def nearest(name: str, places: Places, least: float = 0) -> list[str]:
    """The names of districts most like `name`, alike by `least` of 100 at the least."""
    from rapidfuzz import fuzz, process

    folded = {place.name: fold(place.name) for place in places.of("district")}
    said = fold(name)
    for before in ("quan ", "huyen ", "district "):
        said = said if any(c.isdigit() for c in said) else said.removeprefix(before)
    digits = re.search(r"[0-9]+", said)
    if digits:
        numbers = sorted(
            (abs(int(n.group()) - int(digits.group())), place)
            for place, plain in folded.items()
            if (n := re.search(r"[0-9]+", plain))
        )
        return [place for _, place in numbers[:_NEAREST]]
    return [
        found[2]
        for found in process.extract(
            said, folded, scorer=fuzz.ratio if least else fuzz.WRatio, limit=_NEAREST, score_cutoff=least
        )
    ]
