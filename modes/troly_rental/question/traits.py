"""What a place to live is like: its kind, amenities, furniture, state; what is refused, what is not needed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from troly.text.fold import fold, tokens
from troly.text.match import PhraseHit, blank_out
from troly_rental.question.types import OPPOSITE, Filter, Remark, Span
from troly_rental.question.vocabulary import Vocabulary, left_out_before, lists

_TURNING = ("without", "needless")
_NOT_AMENITIES = {*_TURNING, "needless after", "gender"}
_PAUSE = re.compile(r"[,.;:?!\n]|(?<!\w)(?:nhung|ma|va|but|and|with|co)(?!\w)")
_LIST_GAP = re.compile(
    r"\s*(?:,|/|&|\+|va|hoac|hay|or|and|nor|cung|voi|so voi|vs)\s*(?:va|and)?\s*(?:cua|loai|gia|gia thue|ca|the|bao nhieu|may|how many)?\s*"
)
_EITHER = re.compile(r"\s*(?:hoac|hay|or)(?:\s+(?:co|la|with))?\s*")
_EMPTY = re.compile(r"(?<!\w)(?:con|phong|dang|can|bo|nao|nha)\s*$")
_NEGATED = re.compile(r"(?:chua|not|khong)\s*$")
_TYPE_ASKED = re.compile(r"(?:loai|loai hinh|loai phong|kieu|type|kind of|type of)\s*$")
_ALL_KINDS = re.compile(r"(?:all|any|every|whatever|regardless|tat ca|moi|du|ca|bat ke|khong)\s|.*\scung\s")
_ENDED = re.compile(r"\s+(?:gia\s+)?(\w+)\s+(?:nhat|nhut)(?!\w)")
_ITS = re.compile(r"\s+(?:(?:nao|ma|co|loai|with|that|has|have)\s+)*")
_WANTED = re.compile(r"(?:co|with)\s")
_FULLY = re.compile(r"(?<!\w)(?:full\w*|day du|du|cao cap|fully|options?)(?!\w)")
_OFFERED, _RENTING = re.compile(r"^(?:(?:dang )?cho|dang) thue$"), re.compile(r"^dang thue$")
_RENTAL = re.compile(r"rented (?:boarding )?(?:room|flat|apartment|house|place|home|studio|unit)s?(?!\w)")
"""What is for rent, not let already: "the average rent of a rented room"."""
_YET = re.compile(r"\s*(?:roi\s+)?(?:hay\s+)?chua(?=\s*(?:[?.!,]|$))")
"""What asks whether it is so: "đã trả chưa"."""
_OR_NOT = re.compile(
    r"\s*(?:roi\s+)?(?:(?:hay|or)\s+)?(?:chua|khong|ko|yet|not)(?:\s+(?:a|vay|nhi|em|anh|chi|ban|ha|the))*\s*(?:[?.!,]|$)"
)
_WHICH_ONE = re.compile(r"(?<!\w)(?:nao|ai|gi|may|bao nhieu|which|any|what|who|how many)(?!\w)")
_IS_IT = re.compile(
    r"(?:^|[,.;?!]\s*|(?<!\w)(?:and|so|but|ok)\s)(?:is|was|has|are|were|have)\s+(?!there|any)(?:\w+\s+)+$"
)
"""What asks of one appointment whether it is so ("is my viewing confirmed"), not which are so."""
_LEFT_OUT = left_out_before(
    r"ra|het|may|cac|nhung|phong|tro|can|cai|nha|hoa don|hop dong|tin|nao|co|the|any|rooms|ones|those|that are|that have|with"
)
"""What is left out: "không tính phòng đã cho thuê", "trừ phòng trọ không có nội thất"."""
_ASKED = re.compile(
    r"\s*(?:(?:thi|la|co|gom|duoc)\s+)*(?:sao|the nao|nhu the nao|ra sao|nhu nao|nhung gi|gi(?!\s+(?:khong|ko)))(?!\w)"
)
"""What asks how it is furnished and wishes nothing: "nội thất sao"."""
_ASKED_BEFORE = re.compile(
    r"(?<!\w)(?:how|what)(?:\s+(?:is|are|about|it|they|the|that|one|place|kind|of))*\s*$"
)
_SHARING = re.compile(r"share\s|ghep phong$")
_CLOSE = 2


@dataclass(frozen=True, slots=True)
class Traits:
    """Conditions and remarks, and the text without their words; `needless` are fields that must not be conditions.

    `spans` is where amenities and furniture stand, `read` all words that were understood, negations too.
    """

    filters: tuple[Filter, ...]
    remarks: tuple[Remark, ...]
    needless: frozenset[str]
    rest: str
    spans: tuple[Span, ...]
    read: tuple[Span, ...]


def parse_traits(vocabulary: Vocabulary, text: str) -> Traits:
    """Kinds, amenities and furniture in `text`, with "không có", "không cần", "hoặc" heeded."""
    hits = [hit for hit in vocabulary.find_any(text, "amenities", "kinds") if hit.label in lists("amenities")]
    turns = [hit for hit in hits if hit.label in {*_TURNING, "needless after"}]
    # A negation inside a longer phrase is that phrase's: "không chung chủ".
    turns += [
        hit
        for hit in vocabulary.find(text, "amenities", *_TURNING, "needless after")
        if not any(other.start <= hit.start and hit.end <= other.end for other in hits)
    ]
    found: list[Filter] = []
    needless: set[str] = set()
    remarks: list[Remark] = []
    spans, read, gone, beside = list[Span](), list[Span](), list[Span](), list[Span]()
    previous: tuple[PhraseHit, PhraseHit | None] | None = None
    for hit in hits:
        here = (hit.start, hit.end)
        if hit.label == "gender":
            remarks.append(Remark.of("said.no_gender"))
            spans.append(here)
        if hit.label.startswith("unrecorded "):
            remarks.append(Remark.of("said.unrecorded", name=hit.phrase))
            spans.append(here)
            continue
        asked = _ASKED.match(fold(text[hit.end :])) or _ASKED_BEFORE.search(fold(text[: hit.start]))
        if hit.label in _NOT_AMENITIES or (hit.label == "furnished full" and asked):
            continue
        turn = _turn(text, hit, turns, previous)
        kinds_at = [_left_out_kind(vocabulary, text, one.start) for one in (hit, turn) if one]
        if any(at is not None for at in kinds_at):  # no condition leaves out one kind with one property
            beside += [(at, hit.end) for at in kinds_at if at is not None]
            continue
        gap = (previous[0].end, hit.start) if previous else None
        if (
            gap
            and _LIST_GAP.fullmatch(fold(text[slice(*gap)]))
            and not _EITHER.fullmatch(fold(text[slice(*gap)]))
        ):
            read.append(gap)
        spans.append(here)
        read += [(turn.start, turn.end)] if turn else []
        name, _, level = hit.label.partition(" ")
        label = turn.label.removesuffix(" after") if turn else ""
        left_out = _exclusion(text, hit, turn)
        label = "" if left_out and left_out.end() == hit.start else label
        if label == "needless":
            needless.add("furnished" if level else f"amenity {name}")
        elif level or left_out:
            amenity = Filter("amenity", "!=" if label else "=", name)
            one = _furnished(level, label, hit.phrase) if level else amenity
            found.append(replace(one, op=OPPOSITE[one.op]) if left_out else one)
            gone += [left_out.span()] if left_out else []
        elif (
            previous
            and gap
            and _EITHER.fullmatch(fold(text[slice(*gap)]))
            and (joined := _either(found, name, label))
        ):
            found = joined
            read.append(gap)
        else:
            found.append(Filter("amenity", "!=" if label else "=", name))
        previous = (hit, turn)
    rest = blank_out(text, [*spans, *gone, *beside])
    kinds, kind_spans, kind_turns = _kinds(vocabulary, rest, turns)
    return Traits(
        (*found, *kinds), tuple(remarks), frozenset(needless), blank_out(rest, kind_spans),
        tuple(spans), (*spans, *read, *gone, *kind_spans, *kind_turns),
    )  # fmt: skip


def _exclusion(text: str, hit: PhraseHit, turn: PhraseHit | None) -> re.Match[str] | None:
    """The words that leave out the rows a trait names, its own "không" included: "trừ phòng trọ không có nội thất" leaves
    furnished ones. "ngoài wifi" names no rows.
    """
    bare = hit.label.endswith(" none")
    before = _LEFT_OUT.search(fold(text[: hit.start])) if bare or not turn else None
    if before and (bare or before[1].strip()):
        return before
    return _LEFT_OUT.search(fold(text[: turn.start])) if turn else None


def _left_out_kind(vocabulary: Vocabulary, text: str, at: int) -> int | None:
    """Where a kind begins to be left out whose property stands at `at`: "trừ chung cư không nội thất"."""
    hits = [one for one in vocabulary.find(text[:at], "kinds") if one.label not in {"any", "room"}]
    led = _LEFT_OUT.search(fold(text[: hits[-1].start])) if hits else None
    return led.start() if led and _ITS.fullmatch(fold(text[hits[-1].end : at])) else None


def _either(found: list[Filter], name: str, turned: str) -> list[Filter] | None:
    """ "ban công hoặc cửa sổ" is one condition of two amenities; None where the sides are not alike."""
    last = found[-1] if found else None
    if last is None or turned or last.field != "amenity" or last.op not in {"=", "in"}:
        return None
    return [*found[:-1], Filter("amenity", "in", tuple(sorted({*last.values, name})))]


def _furnished(level: str, turned: str, phrase: str) -> Filter:
    """A level that is refused leaves the others; "không có nội thất" is none at all, "không đầy đủ nội thất" is not."""
    if level == "some":  # "nội thất sẵn": of whatever kind
        return Filter("furnished", "=" if turned else "!=", "none")
    if turned:
        bare = level == "full" and not _FULLY.search(fold(phrase))
        return Filter("furnished", "=", "none") if bare else Filter("furnished", "!=", level)
    return Filter("furnished", "=", level)


def _turn(
    text: str, hit: PhraseHit, turns: list[PhraseHit], previous: tuple[PhraseHit, PhraseHit | None] | None
) -> PhraseHit | None:
    """The word before (or after) that turns a trait round or makes it needless; None for a trait that is wanted."""
    for turn in turns:
        between = text[hit.end : turn.start]
        if (
            turn.label == "needless after"
            and turn.start >= hit.end
            and len(tokens(between)) <= _CLOSE
            and not _PAUSE.search(fold(between))
        ):
            return turn
    before = [t for t in turns if t.label in _TURNING and t.end <= hit.start]
    if before:
        last = max(before, key=lambda t: (t.end, t.end - t.start))
        between = text[last.end : hit.start]
        # The "không" that ends a question is no negation: "có wifi không, máy lạnh nữa".
        asks = fold(last.phrase) in {"khong", "no"} and re.match(r"\s*(?:[,?.]|$)", text[last.end :])
        if len(tokens(between)) <= _CLOSE and not _PAUSE.search(fold(between)) and not asks:
            return last
    if _WANTED.match(fold(text[hit.start : hit.end])):  # ", có gác" begins anew
        return None
    if previous and previous[1] and _LIST_GAP.fullmatch(fold(text[previous[0].end : hit.start])):
        return previous[1]
    return None


def _kinds(
    vocabulary: Vocabulary, text: str, turns: list[PhraseHit]
) -> tuple[list[Filter], list[Span], list[Span]]:
    """Kinds of dwelling; "phòng trọ" only beside another kind or after "loại", else it means any place to live.

    With the spans of the kinds, and of the negations and joining words that belong to them.
    """
    hits = [hit for hit in vocabulary.find(text, "kinds") if hit.label != "any"]
    others = [hit for hit in hits if hit.label != "room"]
    # "ở" belongs to the kind in "không phải ở ghép", to the negation in "không ở quận 1".
    bare = blank_out(text, [(hit.start, hit.end) for hit in hits])
    turns = [*turns, *(replace(h, label="without") for h in vocabulary.refusals(bare))]
    filters: list[Filter] = []
    used: list[Span] = []
    read: list[Span] = []
    previous: tuple[PhraseHit, PhraseHit | None] | None = None
    for hit in hits:
        if _SHARING.match(fold(hit.phrase)) and len({one.label for one in hits}) > 1:
            read.append((hit.start, hit.end))  # "2 đứa share phòng, cần phòng trọ": how they live
            continue
        joined = any(
            _LIST_GAP.fullmatch(fold(text[min(hit.end, o.end) : max(hit.start, o.start)]))
            or _said_alike(text, hit, o)
            for o in others
        )
        turn = _turn(text, hit, [t for t in turns if t.label == "without"], previous)
        meant = joined or turn or _TYPE_ASKED.search(fold(text[: hit.start])) or _but(text, hit, others)
        if hit.label == "room" and not meant:
            continue
        if previous and _LIST_GAP.fullmatch(fold(text[previous[0].end : hit.start])):
            read.append((previous[0].end, hit.start))
        read += [(turn.start, turn.end)] if turn else []
        filters.append(Filter("type", "!=" if turn else "=", hit.label))
        used.append((hit.start, hit.end))
        previous = (hit, turn)
    if all_kinds(vocabulary, text):
        filters = [one for one in filters if one.op == "!="]  # "rooms and flats, all kinds together"
    wanted = {f.value for f in filters if f.op == "="}
    return [f for f in filters if not (f.op == "!=" and f.value in wanted)], used, read


def _said_alike(text: str, hit: PhraseHit, other: PhraseHit) -> bool:
    """Whether the same is asked of two kinds one after the other: "phòng trọ rẻ nhất … với căn hộ mini rẻ nhất"."""
    behind = [_ENDED.match(fold(text), one.end) for one in (hit, other)]
    return all(behind) and len({found[1] for found in behind if found}) == 1


def all_kinds(vocabulary: Vocabulary, text: str) -> list[Span]:
    """Where it is said that any kind of dwelling counts: "(mọi loại)", "loại nào cũng được"."""
    hits = vocabulary.find(text, "kinds", "any")
    return [(hit.start, hit.end) for hit in hits if _ALL_KINDS.match(fold(hit.phrase))]


def _but(text: str, hit: PhraseHit, others: list[PhraseHit]) -> bool:
    """ "phòng trọ chứ không phải chung cư": the other kind is refused, so this one is meant."""
    return any(
        o.start > hit.end and re.search(r"chu khong|not|khong phai", fold(text[hit.end : o.start]))
        for o in others
    )


def parse_status(
    vocabulary: Vocabulary, text: str, entity: str, *, lets: bool, own: bool
) -> tuple[list[Filter], list[Span]]:
    """The state asked for of `entity`, and where it stands. Whoever `lets` no rooms means by "đang cho thuê" one that is to let."""
    labels = tuple(label for label in lists("asks") if label.startswith(f"status {entity} "))
    hits = [
        hit
        for hit in (vocabulary.find(text, "asks", *labels) if labels else [])
        if not _NEGATED.search(fold(text[: hit.start])) and not _is_within(text, hit)
        if entity != "invoice" or not _YET.match(fold(text[hit.end :]))
    ]
    spans = [(hit.start, hit.end) for hit in hits]
    if asked := asked_states(vocabulary, text, entity):
        return [], [*spans, *asked]
    if not lets:
        to_let, rented = _RENTING if own else _OFFERED, "status room rented"
        hits = [hit for hit in hits if hit.label != rented or not to_let.search(fold(hit.phrase))]
        if not (own or vocabulary.find(text, "asks", "count")):
            hits = [hit for hit in hits if not _RENTAL.match(fold(text), hit.start)]
    # "phòng trống đang cho thuê" is to let
    hits = [
        hit
        for hit in hits
        if not (hit.label == "status room rented" and _OFFERED.search(fold(hit.phrase)))
        or not any(
            one.label == "status room available"
            and one.end <= hit.start
            and not text[one.end : hit.start].strip()
            for one in hits
        )
    ]
    found = []
    for hit in hits:
        left_out = _LEFT_OUT.search(fold(text[: hit.start]))
        spans += [left_out.span()] if left_out else []
        found.append(Filter("status", "!=" if left_out else "=", hit.label.rpartition(" ")[2]))
    return found, spans


def asked_states(vocabulary: Vocabulary, text: str, entity: str) -> list[Span]:
    """Where it is asked in which state an appointment is ("đã xác nhận chưa"), which chooses none by its state."""
    labels = (label for label in lists("asks") if label.startswith("status viewing "))
    return [
        (hit.start, hit.end)
        for hit in vocabulary.find(text, "asks", "asked viewing", *labels)
        if entity == "viewing" and not _WHICH_ONE.search(fold(text[: hit.start]))
        if _OR_NOT.match(fold(text[hit.end :])) or _IS_IT.search(fold(text[: hit.start]))
    ]


def _is_within(text: str, hit: PhraseHit) -> bool:
    """ "trong" without accents is "trống" only after what can be empty: "phong trong", never "trong nam nay"."""
    if hit.exact or fold(text[hit.start : hit.end]) != "trong":
        return False
    return _EMPTY.search(fold(text[: hit.start])) is None
