"""Parses a message into a question: alone, or as a change of the query before it, and says what keeps it from SQL."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from difflib import SequenceMatcher
from itertools import pairwise

from troly.plugin.focus import Focus, FocusRow, find_reference
from troly.text.catalogue import Lang
from troly.text.dates import find_ranges, whole
from troly.text.everyday import (
    everyday_phrases,
    small_talk,
    thanks_only,
    without_background,
    without_pleasantries,
)
from troly.text.fold import fold, folded_words
from troly.text.match import blank_out, spans_of
from troly_rental.data.places import Places
from troly_rental.data.places import places as all_places
from troly_rental.question.coverage import (
    OFTEN,
    is_pointed,
    is_sharp,
    points_at_rows,
    unknown_area,
    unread_words,
)
from troly_rental.question.dates import day_too
from troly_rental.question.follow_ups import (
    AS_FIRST,
    CLAUSES,
    POSTED,
    asks_one_value,
    change_query,
    details_of,
    months_of,
    pick_row,
)
from troly_rental.question.intent import IntentSigns, classify_intent, is_forbidden, is_sql
from troly_rental.question.names import NO_NAMES, Names
from troly_rental.question.output import LEFT_OUT, WHICH
from troly_rental.question.parts import Asker, QuestionParts, parse_parts
from troly_rental.question.places import AREAS, missing_area
from troly_rental.question.pointers import people, pointers, several_pointed
from troly_rental.question.spelling import MOST_CHARACTERS
from troly_rental.question.types import (
    LIST_ROWS,
    PAPERS,
    PLACES,
    Filter,
    Measure,
    Order,
    ParsedQuestion,
    Remark,
    Span,
    is_empty,
    merge_filters,
)
from troly_rental.question.vocabulary import Vocabulary, lists
from troly_rental.roles import Role
from troly_rental.sql.relations import entities

_NARROWING = ("amenity", "price", "area", "bedrooms", "people", "furnished", "type", "deposit")
"""Conditions that one figure of a message has and another has not."""
_TELLING = frozenset({"price", "area", "bedrooms", "people", "deposit", "amenity", "furnished", "type"})
"""Conditions that nobody sets in small talk."""
_SHORT = 5
_GROUP_WORDS = ("dòng", "hàng", "mục", "nhóm", "quận", "phường", "loại", "tháng", "row", "rows", "groups")
_PERIODS = ("month", "week", "day", "price_band")
_LOGGED_IN = ("contract", "invoice", "viewing", "room_seeking_post")
_HIDDEN_STATES = frozenset({"rented", "maintenance", "hidden"})
_PUBLIC = frozenset({"room", "post"})
_UNFILTERED = frozenset({"said.unrecorded", "said.no_gender", "said.no_field"})
_THANKS = frozenset({"thanks", "bye", "ack"})
# What makes a question of a sentence that asks for nothing by name: "có wifi không", "is there one".
_TAGS = frozenset({"khong", "chua", "nhi", "a", "vay", "phai"})
_ANY = re.compile(
    r"(?<!\w)nao(?:\s+\w+){0,12}?\s+(?:khong|ko|hong|chua)(?!\w)(?!\s+(?:co|can|qua|duoi|tren)(?!\w))"
)
"""What asks whether there is any: "còn căn nào không, bao nhiêu căn" asks one thing."""
_SEVERAL = re.compile(r"(?<!\w)(?:cac|nhung|may|invoices|bills|payments|contracts|leases)(?!\w)")
_ROWS = re.compile(r"(?<!\w)(?:nao|gi|ai|dau|khi|ngay|hom|hang|han|liet ke|which|what|who|when|list)(?!\w)")
"""What asks for papers beside their sum."""
_SOME_WHICH = re.compile(r"(?<!\w)may\s+\w+\s.*?(?:nao|la ai|la gi|ten gi)(?!\w)(?!\s+(?:khong|ko)(?!\w))")
_MOST_THINGS = re.compile(
    r"(?<!\w)(?:(?:most|fewest) (?:people|occupants|members|rooms)|(?:dong|nhieu|it) (?:nguoi|phong|thanh vien|xe)(?: \w+)? nhat)(?!\w)"
)
"""What papers do not tell the end of: "which tenant has the most people"."""
_NUMBER = re.compile(r"(?<!\w)(?:bao nhieu|how many|so luong|tong so|(?:co|con|duoc|trong|nao) may)(?!\w)")
_CHARGE = re.compile(r"^(rent|electricity|water)(?:_kwh|_m3)?$")
_COUNTERS = frozenset({"can", "cho", "place", "places", "unit", "units"})
_AUXILIARIES = frozenset({"is", "are", "do", "does", "did"})


def parse_question(
    text: str,
    lang: Lang,
    now: datetime,
    focus: Focus | None = None,
    places: Places | None = None,
    *,
    role: Role = "GUEST",
    names: Names = NO_NAMES,
    goes_on: bool = False,
) -> ParsedQuestion:
    """What `text` asks (002-07, 002-09, 002-10), alone or as a change of what `focus` showed.

    A message can point at a row of it ("cái thứ hai") or be measured against it ("rẻ hơn"). `role` decides whether one's own
    records can be asked for; `goes_on` says that something was said before. Words that are not understood are named in
    `unread`. Never raises for any text.
    """
    # What follows a marker of the response format asks for nothing.
    before_mark = text.partition("---END")[0]
    message = before_mark if before_mark.strip() else text
    asker = Asker(lang, now, places or all_places(), role, names, goes_on)
    if rest := _without_contact(message):
        parsed = parse_question(rest, lang, now, focus, asker.places, role=role, names=names, goes_on=goes_on)
        if parsed.ready:
            told = Remark.of("refused.contact")
            return replace(parsed, remarks=(*parsed.remarks, told), question=message)
    if folded_words(message) and small_talk(message).kind is not None:
        return _parse(message, focus, asker)
    asked, aside = _without_background(without_pleasantries(message), asker)
    if not aside and len(asker.places.find(asked)) < len(asker.places.find(message)):
        asked = message  # "and in Ba Dinh, …" is no praise ("đỉnh")
    parsed = _parse(asked, focus, asker)
    if later := _narrowed_later(asked, parsed, asker):
        parsed = _parse(asked[: later[0]], focus, asker)
        told = Remark.of("said.apart", words=asked[later[1] :].strip(" ?.!"))
        parsed = replace(parsed, remarks=(*parsed.remarks, told), leans=True, question=message)
    if role == "GUEST" and parsed.request_type in {"CLARIFICATION", "GENERAL_CHAT"} and not parsed.remarks:
        # Papers that a guest has none of are known as such from how a tenant would be read.
        tenants = _parse(asked, None, replace(asker, role="TENANT"))
        if tenants.ready and tenants.own and Vocabulary(asked).owned(asked):
            return check_readiness(replace(tenants, remarks=()), role)
    if parsed.request_type != "QUERY" and asked != message:
        return _parse(message, focus, asker)
    if not aside:
        return parsed
    left_out = Remark.of("said.background", words="; ".join(aside))
    return replace(parsed, remarks=(*parsed.remarks, left_out))


def _without_contact(text: str) -> str:
    """`text` without the parts of it that ask for names or numbers of others: "cái thứ hai còn trống ko, sdt chủ trọ"; "" where
    none or nothing else is asked.
    """
    vocabulary = Vocabulary(text)
    if not vocabulary.find(text, "talk", "contact"):
        return ""
    pieces = [one.strip() for one in _PIECES.split(text) if folded_words(one)]
    kept = ", ".join(one for one in pieces if not vocabulary.find(one, "talk", "contact"))
    return "" if is_forbidden(vocabulary, kept) else kept


def _without_background(text: str, asker: Asker) -> tuple[str, tuple[str, ...]]:
    """`text` without what the asker tells of themself, and those sentences. Where they live or work is where they look, unless
    the question names a place of its own.
    """
    named = [one for one in asker.places.find(text) if not one.short]
    # A name that is known, or of where somebody lives and works, is no reason to keep a sentence.
    lower = "".join(
        piece.lower() if _LIVES.search(fold(piece)) or asker.places.find(piece) else piece
        for piece in re.split(r"(?<=[.?!,;])(?=\s)", text)
    )
    asked, aside = without_background(lower, lambda piece: _holds(piece, asker))
    asked = asked if aside else text
    if not named and any(Vocabulary(piece).find(piece, "wheres", "elsewhere") for piece in aside):
        return text, ()  # a place that the data lack is where they look too
    aside = tuple(text[at : at + len(piece)] for piece in aside for at in (lower.find(piece),))
    lived = [one.typed for one in named if any(one.typed in piece for piece in aside)]
    if not lived:
        return without_background(text, lambda piece: _holds(piece, asker)) if named else (asked, aside)
    parts = parse_parts(Vocabulary(asked), asked, asker)
    if parts.missing or any(one.field in PLACES and one.op in {"=", "in"} for one in parts.filters):
        return asked, aside
    led = "in" if parts.vocabulary.english else "ở"
    tail = "?" if asked.rstrip().endswith("?") else ""
    return f"{asked.rstrip(' ?.')} {led} {', '.join(lived)}{tail}", ()


_LIVES = re.compile(
    r"(?<!\w)(?:lam|cong nhan|khu cong nghiep|hoc|day|cong tac|thuc tap|song|que|moi|sap|chuyen|dai hoc|sinh vien|cong ty|co quan|truong|mov(?:e|ed|ing)"
    r"|relocat\w+|com(?:e|ing)|work\w*|stud\w+|teach\w*|job|office|school|university|campus|intern\w*|live|living)(?!\w)"
)
"""What tells where somebody lives, works or learns."""
_WISHES = re.compile(
    r"(?<!\w)(?:thich|muon|can|ghet|so|ngai|tranh|chiu|lay|chon|uu tien|phai|duoc|want|need|like|prefer|hate|avoid|must|only)(?!\w)"
)
"""What makes a condition of what is said of oneself: "mình không chịu được ồn", no "không rành điện thoại"."""
_IS = re.compile(r"\W*(?:toi|tui|minh|em|anh|chi|chau)\s+la\s|\W*i(?:'m| am) an?\s")
"""What says who somebody is: "tôi là bảo vệ"."""
_AROUND = frozenset({"=", "<=", ">="})


def _holds(piece: str, asker: Asker) -> bool:
    """Whether words name, bound or deny anything that the data hold, or are a question by themselves."""
    parts = parse_parts(Vocabulary(piece), piece, asker)
    output = parts.output
    asked = output.measures or output.order or output.group or output.mode or parts.limit
    plain = fold(piece)
    lives = not (parts.named or parts.vocabulary.find(piece, "talk", "find")) and _LIVES.search(plain)
    if lives:
        spans = [
            *((one.start, one.end) for one in asker.places.find(piece)),
            *(one.span for one in find_ranges(piece, asker.now.date())),
        ]
        plain = blank_out(plain, spans)
    wished = _WISHES.search(plain)
    aside = {*PLACES, "posted_at"} if lives else set()
    aside |= {*PLACES, "amenity"} if _IS.match(plain) and not wished else set()
    return bool(
        any(not (one.op in _AROUND and one.field in aside) for one in parts.filters)
        or any(one.field not in {"", "unit", "other", "time"} for one in parts.quantities)
        or any(one.key in _UNFILTERED for one in parts.remarks)
        or any(not (lives and one.key in AREAS) for one in parts.missing)
        or parts.needless
        or parts.own
        or asked
        or AS_FIRST.search(plain)
        or (wished and is_sharp((OFTEN.sub(" ", plain),)))
    )


def _parse(message: str, focus: Focus | None, asker: Asker) -> ParsedQuestion:
    kind = small_talk(message).kind if folded_words(message) else None
    # "Ba Dinh?" is a district before it is "đỉnh", praise without its accent.
    forbidden = is_forbidden(Vocabulary(message), message)
    if thanks_only(message) and not (forbidden or _holds(message, asker)):
        kind = "thanks"
    if kind is not None and not asker.places.find(message):
        greets = any(hit.label == "greeting" for hit in everyday_phrases(message))
        told = (Remark.of("content.thanks"),) if kind in _THANKS and not greets else ()
        return ParsedQuestion("GREETING" if greets else "GENERAL_CHAT", question=message, remarks=told)
    previous = _previous(focus)
    vocabulary = Vocabulary(message[:MOST_CHARACTERS])
    about = previous.entity if previous is not None else ""
    parts = parse_parts(vocabulary, message, asker, about)
    unanswered = _unanswered(focus)
    if focus is not None:
        if (
            unanswered is None
            and (pointed := _pointed_at(message, parts, previous, focus, asker)) is not None
        ):
            return pointed
        parts = _with_day_too(_with_month_before(parts, previous), previous)
        parts = _with_other_days(parts, previous, asker.now.date())
        parts = _with_all(_with_person(parts, previous, focus), previous, focus)
        parts = _with_first_groups(parts, previous, focus)
        edited = _changed(message, parts, previous, focus, asker) if previous is not None else None
        edited = _at_rank(edited, parts.rank) if edited is not None else None
        if edited is not None and _leaves_open(parts, edited, unanswered or set()):
            words = (message.strip(),)  # no more than a change of what was not answered
            return replace(
                edited, unread=words, missing=(Remark.of("missing.unread", words=f"«{words[0]}»"),)
            )
        if previous is not None and edited is not None:
            parsed = check_readiness(edited, asker.role, money=parts.money)
            lost = _lost(parts, parsed, previous)
            # The same figures may be asked for as a chart of another kind.
            changed = parts.output.formed is not None or parsed != replace(previous, edited=True)
            changed = changed or any(one.key.startswith("said.already") for one in parsed.remarks)
            parsed = _accounted(parts, parsed, asker, changed=changed, lost=lost)
            return _said_open(replace(parsed, leans=True), message)
    bare = not parts.named or _named_by_counter(parts)
    if about and not parts.named:
        parts = _with_person(parse_parts(vocabulary, message, asker), previous, focus)
    parts = _with_place(parts, previous)
    placed = any(one.field in PLACES for one in parts.filters)
    if previous is not None and bare and placed and parts.entity == about:
        # Another place, the same kind; what names no place leans on all of what was asked.
        parts = replace(parts, filters=_with_kind(parts.filters, previous.filters))
    alone = _beside_month(_accounted(parts, _parse_alone(message, parts, asker.role), asker), previous)
    by_model = focus is not None and previous is None and not _names_its_own(parts)
    loose = bare or (previous is not None and previous.own)  # "có mấy phòng" after one's own house
    figure = loose and asker.goes_on and alone.measures and not (parts.filters or parts.own)
    open_debt = parts.money and _unanswered(focus) is not None and len(folded_words(message)) < _SHORT
    if alone.ready and (by_model or figure or open_debt):
        # What a model's query or an unanswered question was about is not known here.
        words = (message.strip(),)
        remark = Remark.of("missing.unread", words=f"«{words[0]}»")
        return replace(alone, unread=words, missing=(remark,))
    return replace(alone, leans=_leans(parts, alone, goes_on=asker.goes_on))


def _pointed_at(
    message: str, parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus, asker: Asker
) -> ParsedQuestion | None:
    """The query for the rows that a message points at, or that nothing was shown where the list was empty; None for others."""
    if not focus.rows and focus.query.get("total") == 0 and focus.kind in entities():
        shown = replace(focus, rows=tuple(FocusRow(str(at), "") for at in range(1, LIST_ROWS + 1)))
        found = find_reference(message, shown, things=lists("pointers")["things"])
        if found is None or found.kind != "ordinal":
            return None
        nothing = (Remark.of("missing.nothing_shown"),)
        return ParsedQuestion(entity=focus.kind, edited=True, missing=nothing, question=message)
    picked = pick_row(message, parts, previous, focus, lets=asker.role == "LANDLORD")
    return None if picked is None else _told_of_row(parts, *picked, focus)


def _beside_month(parsed: ParsedQuestion, previous: ParsedQuestion | None) -> ParsedQuestion:
    """`parsed` with the month that the same figure was told of before it, from which "chênh nhau bao nhiêu" goes on."""
    if previous is None or not parsed.measures or not {*parsed.measures} <= {*previous.measures}:
        return parsed
    before, now = months_of(previous.filters), months_of(parsed.filters)
    alone = len(before) == len(now) == 1 and before != now
    return replace(parsed, replaced=Filter("month", "=", *before)) if alone else parsed


def _changed(
    message: str, parts: QuestionParts, previous: ParsedQuestion, focus: Focus, asker: Asker
) -> ParsedQuestion | None:
    """`previous` with the change that `message` says; clauses that give something up, and those that do not, one after the
    other: "bỏ cái giá đi, cần wifi thôi".
    """
    clauses = [text for text in CLAUSES.split(message) if folded_words(text)]
    drops = [bool(parts.vocabulary.find(text, "edits", "drop")) for text in clauses]
    found: ParsedQuestion | None = previous
    if any(drops) and not all(drops):
        for text in clauses:
            piece = parse_parts(parts.vocabulary, text, asker, previous.entity)
            found = change_query(text, piece, found, focus) if found is not None else None
        if found is not None:
            return replace(found, question=message)
    return change_query(message, parts, previous, focus)


def _with_person(parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus | None) -> QuestionParts:
    """`parts` with the tenant that "người đó" points at: the one asked about, or of the only row that was shown or spoken of."""
    spans = people(parts.text)
    known = "tenant" in entities()[parts.entity].fields
    if focus is None or not (spans and known) or any(one.field == "tenant" for one in parts.filters):
        return parts
    said = [one for one in (previous.filters if previous else ()) if (one.field, one.op) == ("tenant", "=")]
    last = str(focus.query.get("picked_id", ""))
    rows = [row for row in focus.rows if row.id == last] or focus.rows
    named = {str(row.values.get("tenant", "")) for row in rows} - {""}
    if not said and len(named) == 1 and _unanswered(focus) is None:
        said = [Filter("tenant", "=", *named)]
    if not said:
        return parts
    return replace(
        parts, filters=merge_filters([*parts.filters, *said]), own=True, read=(*parts.read, *spans)
    )


def _with_place(parts: QuestionParts, previous: ParsedQuestion | None) -> QuestionParts:
    """`parts` with the place asked about before, where "quận này", "bên đó" point at it and no other one is named."""
    spans = [*pointers(parts.text, "district"), *pointers(parts.text, "ward")]
    before = [one for one in (previous.filters if previous else ()) if one.field in PLACES]
    if not (spans and before) or any(one.field in PLACES for one in parts.filters) or parts.missing:
        return parts
    return replace(parts, filters=merge_filters([*parts.filters, *before]), read=(*parts.read, *spans))


_ALLOWS = re.compile(r"(?<!\w)chu (?:nha|tro|phong)(?!\w)")
"""Whose house a tenant asks about: "chủ nhà tôi có cho nuôi mèo không"."""
_MONTH_BEFORE = re.compile(
    r"(?<!\w)(?:the |and )?month before(?: that| it)?(?! last)(?!\w)|(?<!\w)thang (?:(?:lien|ngay) (?:truoc|ke)(?: do)?|truoc (?:do|ay|cua no))(?!\w)"
)


def _with_month_before(parts: QuestionParts, previous: ParsedQuestion | None) -> QuestionParts:
    """`parts` with "the month before", "tháng trước đó" as the one before the month that was asked about."""
    months = months_of(previous.filters if previous else ())
    found = _MONTH_BEFORE.search(fold(parts.text))
    if found is None or len(months) != 1:
        return parts
    first, last = whole(date.fromisoformat(*months) - timedelta(days=1), "month")
    kept = [one for one in parts.filters if one.field != "month"]
    before = (Filter("month", ">=", first.isoformat()), Filter("month", "<=", last.isoformat()))
    return replace(parts, filters=merge_filters([*kept, *before]), read=(*parts.read, found.span()))


def _with_day_too(parts: QuestionParts, previous: ParsedQuestion | None) -> QuestionParts:
    """`parts` with "26 thì sao" as that day of the month, behind a question about one day."""
    days = {str(one.value) for one in (previous.filters if previous else ()) if one.field == "scheduled_at"}
    found = day_too(parts.text, date.fromisoformat(*days)) if len(days) == 1 else None
    if found is None:
        return parts
    day = found.start.isoformat()
    kept = [one for one in parts.filters if one.field != "scheduled_at"]
    asked = (Filter("scheduled_at", ">=", day), Filter("scheduled_at", "<=", day))
    return replace(parts, filters=merge_filters([*kept, *asked]), read=(*parts.read, found.span))


def _with_other_days(parts: QuestionParts, previous: ParsedQuestion | None, today: date) -> QuestionParts:
    """`parts` with "còn tháng 9" as the days of what was posted, behind a figure of what was posted in others."""
    counted = (
        previous is not None and previous.measures and any(one.field == POSTED for one in previous.filters)
    )
    found = find_ranges(parts.text, today) if counted else []
    if len(found) != 1 or any(one.field == POSTED for one in parts.filters):
        return parts
    days = (Filter(POSTED, ">=", found[0].start.isoformat()), Filter(POSTED, "<=", found[0].end.isoformat()))
    return replace(parts, filters=merge_filters([*parts.filters, *days]), read=(*parts.read, found[0].span))


def _with_all(parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus) -> QuestionParts:
    """`parts` with "hai người đó", "ba quận này" read, where so many were shown or told apart."""
    known: set[int] = {len(one.values) for one in (previous.filters if previous else ()) if one.op == "in"}
    known |= {len(focus.rows)} if len(focus.rows) >= int(focus.query.get("total", 0)) else set()
    counted = [row.values.get("count") for row in focus.rows if len(focus.rows) == 1]
    known |= {int(one) for one in counted if isinstance(one, int | float)}
    spans = [span for span, number in several_pointed(parts.text) if number in known]
    people_said = Remark.of("said.no_field", field="people")
    remarks = tuple(one for one in parts.remarks if not (spans and one == people_said))
    return replace(parts, read=(*parts.read, *spans), remarks=remarks)


def _with_first_groups(parts: QuestionParts, previous: ParsedQuestion | None, focus: Focus) -> QuestionParts:
    """`parts` with "chỉ 3 cái đầu" as so many of the groups that were shown, "cái thứ hai" as that one."""
    if previous is None or len(previous.group) != 1 or parts.filters:
        return parts
    (name,), found = previous.group, find_reference(parts.text, focus, things=_GROUP_WORDS)
    read = (*parts.read, *(found.spans if found else ()))
    if found and found.kind == "first":
        return replace(parts, limit=len(found.rows), read=read)
    if found and found.kind == "ordinal" and len(found.rows) == 1 and name in {"district", "ward", "type"}:
        return replace(parts, filters=(Filter(name, "=", found.rows[0].id),), read=read)
    return parts


def _said_open(parsed: ParsedQuestion, message: str) -> ParsedQuestion:
    """`parsed` with the words that were not read of the question it goes on from, but for those that `message` spells anew."""
    left = tuple(run for run in parsed.open if not _is_spelt_anew(fold(run), fold(message)))
    parsed = replace(parsed, open=left)
    if not (parsed.open and parsed.ready):
        return parsed
    words = ", ".join(f"«{run}»" for run in parsed.open)
    return replace(parsed, remarks=(Remark.of("said.unread_before", words=words), *parsed.remarks))


def _is_spelt_anew(run: str, message: str) -> bool:
    """Whether most of the letters of `run` stand in `message`, one after the other ("tân bìn" in "quận Tân Bình")."""
    match = SequenceMatcher(None, run, message, autojunk=False).find_longest_match()
    return match.size > len(run) * 2 / 3


def _told_of_row(
    parts: QuestionParts, parsed: ParsedQuestion, pointed: frozenset[str], focus: Focus
) -> ParsedQuestion:
    """The query for a row that `pointed` words point at, with what was not read of the question about it."""
    parsed = parsed if parsed.picked else _at_rank(parsed, parts.rank)
    fields = entities()[parsed.entity].fields
    if "price" in fields:  # a room tells the rates of what only bills charge: "tiền điện bao nhiêu một số"
        rates = {one: _CHARGE.sub(r"\1_price", one).removeprefix("rent_") for one in parsed.details}
        details = (one if one in fields else rate for one, rate in rates.items())
        parsed = replace(parsed, details=tuple(dict.fromkeys(details)))
    told = tuple(one for one in parts.remarks if one.key in {"said.metered", "refused.contact"})
    unread = unread_words(parts, parsed, changed=True, pointed=pointed) if parsed.ready else ()
    if parsed.ready:
        unread += tuple(v for one in parts.filters if one.field not in {*fields, "id"} for v in one.values)
        unread += (parts.text.strip(),) if {*parsed.details} - {*fields} else ()
    if unread and not told:
        told = (Remark.of("said.unread_of_one", words=parts.quoted(unread)),)
    leans = not asks_one_value(parsed, pointed, focus)
    return replace(parsed, remarks=(*parsed.remarks, *told), unread=parts.as_typed(unread), leans=leans)


def _named_by_counter(parts: QuestionParts) -> bool:
    """Whether no more than a counter says what is meant ("căn rẻ nhất"): one of those spoken of."""
    said = parts.vocabulary.find(parts.text, "asks", "room")
    return bool(said) and {fold(hit.phrase) for hit in said} <= _COUNTERS


def _with_kind(filters: tuple[Filter, ...], before: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """`filters` with the kind asked for `before`, where they name none: "căn rẻ nhất ở quận 7" after flats is a flat."""
    if any(one.field == "type" for one in filters):
        return filters
    return merge_filters([*filters, *(one for one in before if one.field == "type")])


def _names_its_own(parts: QuestionParts) -> bool:
    """Whether the message names what it asks about: records with their place, or records of one's own."""
    own = bool(parts.vocabulary.owned(parts.text))
    return parts.named and (own or parts.own or any(one.field in PLACES for one in parts.filters))


def _leans(parts: QuestionParts, parsed: ParsedQuestion, *, goes_on: bool) -> bool:
    """Whether the reading may miss what is meant although no word is left: something was said before and the message names no
    place or records of one's own, or it compares, refuses, or asks two things.
    """
    if goes_on and not _names_its_own(parts):
        return True
    refuses = any(one.op in {"!=", "not_in"} for one in parsed.filters)
    return bool(refuses or parts.output.compares or _wants(parts) > 1)


def _wants(parts: QuestionParts) -> int:
    """How many question words there are: "những ai … bao nhiêu" asks two things."""
    asked = [hit for hit in everyday_phrases(parts.text) if hit.label == "question"]
    words = [
        folded_words(hit.phrase)
        for hit in asked
        if not any(start <= hit.start and hit.end <= end for start, end in parts.read)
        and not LEFT_OUT.search(fold(parts.text[: hit.start]))
    ]
    wants = [one for one in words if one[-1] not in _TAGS and one[0] not in _AUXILIARIES]
    if parts.entity not in PAPERS and _ANY.search(fold(parts.text)):
        wants = [one for one in wants if one != ["nao"]]
    # "mấy phòng đó giá bao nhiêu": beside another one it may be no question word.
    return len([one for one in wants if one != ["may"]]) or len(wants)


def _previous(focus: Focus | None) -> ParsedQuestion | None:
    """The query behind what was shown; None where it was not one of the rules', or of another version."""
    if focus is None or not focus.query:
        return None
    try:
        return ParsedQuestion.from_dict(focus.query)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _leaves_open(parts: QuestionParts, edited: ParsedQuestion, unanswered: set[Filter]) -> bool:
    """Whether a condition of a question that was not answered is neither said again nor put in place of by the message."""
    said = {one.field for one in parts.filters}
    return any(one.field not in said for one in unanswered - {*edited.filters})


def _unanswered(focus: Focus | None) -> set[Filter] | None:
    """The conditions understood of a question that was not answered; None where the last one was."""
    if focus is None or "unanswered" not in focus.query:
        return None
    return {
        *ParsedQuestion.from_dict({"request_type": "QUERY", "filters": focus.query["unanswered"]}).filters
    }


def _lost(parts: QuestionParts, parsed: ParsedQuestion, previous: ParsedQuestion | None) -> tuple[str, ...]:
    """Conditions that were read and that a change neither holds nor gave up."""
    before = previous.filters if previous is not None else ()
    values = {(one.field, value) for one in (*parsed.filters, *parsed.asked, *before) for value in one.values}
    # A bare amount moves a limit, a month becomes a side: their fields are enough.
    fields = {one.field for one in (*parsed.filters, *parsed.asked, *before)} - {"amenity"}
    return tuple(
        value
        for one in parts.filters
        for value in one.values
        if one.field not in fields and (one.field, value) not in values
    )


def _accounted(
    parts: QuestionParts,
    parsed: ParsedQuestion,
    asker: Asker,
    *,
    changed: bool = False,
    lost: tuple[str, ...] = (),
) -> ParsedQuestion:
    """`parsed` with the words that it does not hold: a list says so, a figure is not given."""
    if parsed.request_type not in {"QUERY", "CLARIFICATION"}:
        return parsed
    searched = parts.vocabulary.find(parts.text, "asks", "told room_seeking_post") and parsed.own
    searched = searched and parsed.entity == "room_seeking_post"  # "ngân sách bao nhiêu" of one's own search
    if searched or _asks_which(parts, parsed):
        parsed = replace(parsed, measures=(), order=(), group=(), mode="LIST")
    end, told = parsed.end, details_of(parts.text)
    if end is not None and parsed.entity in _PUBLIC and parts.output.measures and {*told} - {end.field}:
        # "căn rẻ nhất bao nhiêu tiền, mấy phòng ngủ": of the one that has it.
        order = (Order(end.field, end.kind == "max"),)
        parsed = replace(parsed, measures=(), order=order, limit=1, mode="LIST", details=told)
    unread = (*unread_words(parts, parsed, changed=changed), *lost)
    if parsed.measures and not parsed.group and _wants(parts) > len(parsed.measures):
        unread = (*unread, parts.text.strip())  # one figure answers one of the wants
    unread = (*unread, *_asked_apart(parts, parsed, asker))
    if parsed.request_type != "QUERY" and not unknown_area(parts, unread):
        return parsed
    parsed = replace(parsed, unread=parts.as_typed(unread))
    people_said = parsed.edited and Remark.of("said.no_field", field="people")  # the tenants told before
    unfiltered = tuple(one for one in parsed.remarks if one.key in _UNFILTERED and one != people_said)
    if parsed.measures and unfiltered:  # a figure of what is not recorded
        return replace(parsed, missing=(*unfiltered, Remark.of("missing.no_count")), remarks=())
    if not unread or any(one.key != "missing.what" for one in parsed.missing):
        return parsed
    return _with_unread(parts, parsed, unread, asker.places)


_PIECES = re.compile(
    r"(?i)[;?]|,(?!\d)|\.(?=\s)|(?<!\w)(?:với lại|voi lai|vs lại|vs lai|còn|and|và|va)(?!\w)"
)


def _asked_apart(parts: QuestionParts, parsed: ParsedQuestion, asker: Asker) -> tuple[str, ...]:
    """What a message asks of another place or kind, or by another order, than what stands before it, where no one query answers
    both: "căn rẻ nhất quận 3, với lại căn rộng nhất quận 1".
    """
    several = any(one.op == "in" and one.field in {*PLACES, "type"} for one in parts.filters)
    if not (several or parts.output.order[1:]) or parts.output.compares or parsed.entity not in _PUBLIC:
        return ()
    pieces = [
        parse_parts(parts.vocabulary, text, asker) for text in _PIECES.split(parts.text) if text.strip()
    ]
    asked = [one for one in pieces if one.output.measures or one.output.order]
    for one, other in pairwise(asked):
        here, there = ({f for f in each.filters if f.field in {*PLACES, "type"}} for each in (one, other))
        wishes, more = {*one.filters} - here, {*other.filters} - there
        both = {f.field for f in here} & {f.field for f in there}
        apart = {f.field for f in here ^ there} & both <= {*parsed.group}
        # At the end of kinds that are told apart a condition is of them all.
        wished = wishes == more or (wishes < more and both == {"type"})
        measures = {*one.output.measures, *other.output.measures} <= {*parsed.measures}
        orders = [each.output.order[:1] for each in (one, other)]
        ends = parsed.limit == 1 and all(orders) and orders[0] != orders[1]
        if ends or (here and there and here != there and not (apart and wished and measures)):
            return (other.text.strip(),)
    return ()


def _narrowed_later(text: str, parsed: ParsedQuestion, asker: Asker) -> Span | None:
    """What stands before a figure with a condition of its own, which the figure asked for before it is not of: "giá trung bình ở
    Gò Vấp và có mấy phòng có máy lạnh".
    """
    own = {*_NARROWING} & {one.field for one in parsed.filters} - {*parsed.group}
    if parsed.entity not in _PUBLIC or not (own and parsed.measures):
        return None
    joints = [(0, 0), *(found.span() for found in _PIECES.finditer(text))]
    ends = [start for start, _ in joints[1:]] + [len(text)]
    vocabulary = Vocabulary(text)
    before: set[Filter] | None = None
    for joint, end in zip(joints, ends, strict=True):
        parts = parse_parts(vocabulary, text[joint[1] : end], asker)
        of_what = parts.filters or vocabulary.find(parts.text, "asks", "room", "post", "figure price")
        if not of_what or vocabulary.find(parts.unplaced, "edits", "drop"):
            continue  # "tổng cộng", "bỏ mức giá đi"
        narrowed = {one for one in parts.filters if one.field in own}
        if not before and any(one.field in parsed.group for one in parts.filters):
            before = set() if parts.output.measures else before
            continue  # of sides that are told apart
        placed = any(one.field in PLACES for one in parts.filters)  # of another place: two questions
        if parts.output.measures and before is not None and narrowed - before and not placed:
            return joint
        if parts.output.measures or before is not None:
            before = (before or set()) | narrowed
    return None


def _asks_which(parts: QuestionParts, parsed: ParsedQuestion) -> bool:
    """Whether more than the sum of one's own papers ("hóa đơn nào quá hạn, bao nhiêu tiền") or the number of things ("căn nào có
    ban công, bao nhiêu căn") is asked for: they are shown, with their sum and number.
    """
    kinds = [one.kind for one in parsed.measures]
    summed = parsed.entity in PAPERS and parsed.own and kinds == ["sum"] and _ROWS.search(fold(parts.text))
    counted = kinds == ["count"] and WHICH.search(fold(parts.text))
    if kinds == ["count"] and _SOME_WHICH.search(fold(parts.text)) and not _NUMBER.search(fold(parts.text)):
        return not parsed.group  # "mấy cái nào chưa xác nhận": which, not how many
    return bool((summed or counted) and not parsed.group and _wants(parts) > 1)


def _with_unread(
    parts: QuestionParts, parsed: ParsedQuestion, unread: tuple[str, ...], places: Places
) -> ParsedQuestion:
    words = parts.quoted(unread)
    if area := unknown_area(parts, unread):
        return replace(parsed, missing=(missing_area(area, places),))
    bare = not parsed.filters and not parsed.own
    if pointing := [run for run in unread if points_at_rows(run)]:
        return replace(parsed, missing=(Remark.of("missing.which", words=parts.quoted(pointing)),))
    if parsed.measures or parsed.edited or bare or is_pointed(unread) or is_sharp(unread):
        return replace(parsed, missing=(Remark.of("missing.unread", words=words),))
    return replace(parsed, remarks=(Remark.of("said.unread", words=words), *parsed.remarks))


def _parse_alone(message: str, parts: QuestionParts, role: Role) -> ParsedQuestion:
    """The question of a message that stands by itself."""
    find, output, entity, own = parts.vocabulary.find, parts.output, parts.entity, parts.own
    # "giá bao nhiêu" is a figure of nothing in particular.
    price_alone = not find(parts.text, "asks", "count", "avg", "median", "trend", "compare", "occupancy")
    figures = bool(output.group or (output.measures and not price_alone))
    slots = len({one.field for one in parts.filters}) + bool(parts.limit) + len(parts.missing)
    narrowed = {one.field for one in parts.filters} - {"status"} or any(map(str.isdigit, message))
    tenants = role == "LANDLORD" and entity == "contract" and not narrowed  # "ai thuê lâu nhất"
    signs = IntentSigns(
        slots=slots,
        firm=slots - any(one.field == "type" for one in parts.filters),
        telling=any(one.field in _TELLING for one in parts.filters),
        entity=parts.named,
        asked=figures or bool(output.measures or output.order),
        sure=figures or (parts.own and parts.named and _asks_for_own(parts)),
        housed=parts.own and (tenants or any(one.field == "building" for one in parts.filters)),
    )
    intent = classify_intent(parts.vocabulary, parts.unplaced, signs)
    metered = Remark.of("said.metered") in parts.remarks and not (slots or output.measures)
    if intent == "REFUSED" or metered:  # what no rent includes is so everywhere
        private = spans_of(find(parts.text, "talk", "contact"))
        contact = private and not is_forbidden(parts.vocabulary, blank_out(parts.text, private))
        refused = "refused.sql" if is_sql(message) else "refused.contact" if contact else "refused.data"
        told = Remark.of(refused if intent == "REFUSED" else "said.metered")
        return ParsedQuestion("GENERAL_CHAT", refused=intent == "REFUSED", remarks=(told,), question=message)
    if intent == "CLARIFICATION" and not find(parts.text, "talk", "find", "vague"):
        # Words that say nothing of rooms: something else is asked.
        intent = "GENERAL_CHAT" if unread_words(parts, ParsedQuestion(measures=output.measures)) else intent
    if intent != "QUERY":
        missing = (Remark.of("missing.what"),) if intent == "CLARIFICATION" else ()
        return ParsedQuestion(intent, question=message, missing=missing)
    states = {value for one in parts.filters if one.field == "status" for value in one.values}
    states |= {one.field for one in output.measures if one.kind == "count_where"}
    if entity == "room" and states & _HIDDEN_STATES:
        own = True  # of other people's rooms only what is to let is known
    if (
        role == "LANDLORD"
        and entity in _PUBLIC
        and states
        and {one.field for one in parts.filters} <= {"status"}
    ):
        own = True  # "phòng nào đang trống": a landlord's own
    if entity == "post" and parts.own and role == "TENANT":  # what a tenant posts is a search
        entity = "room_seeking_post"
    plain = bool(find(parts.text, "kinds", "room")) and not own
    # The cheapest "phòng" too, or what that costs.
    cheap = output.order[:1] == (Order("price"),) or output.measures == (Measure("min", "price"),)
    cheap = cheap and not (output.group or own)
    parsed = ParsedQuestion(
        "QUERY",
        # 002-09: things are listed, one's own records too; figures are a table, what is to be seen is a chart.
        output.mode or ("TABLE" if output.measures else "LIST"),
        entity,
        parts.filters,
        output.order or _natural_order(parts),
        parts.limit,
        output.group if output.measures else (),
        output.measures,
        own,
        # 002-39: "phòng trọ" and "phòng giá rẻ" are no beds in a shared room.
        without_beds=(cheap or (plain and not output.measures))
        and entity in _PUBLIC
        and not any(one.field == "type" for one in parts.filters),
        missing=(*parts.missing, *([Remark.of("missing.chart")] if _is_form_alone(parts) else [])),
        remarks=parts.remarks,
        question=message,
    )
    if (own or output.single) and entity == "room" and not output.measures:  # what is asked of one room
        parsed = replace(parsed, details=details_of(message))
    newest = parsed.entity in PAPERS and parsed.order == (Order("posted_at", True),)
    if newest and not _SEVERAL.search(fold(parts.text)):  # "hóa đơn mới nhất"
        parsed = replace(parsed, limit=parsed.limit or 1)
    if parsed.without_beds:
        parsed = replace(parsed, remarks=(*parsed.remarks, Remark.of("said.without_beds")))
    parsed = _at_rank(parsed, parts.rank)
    return check_readiness(parsed, role, money=parts.money)


def _is_form_alone(parts: QuestionParts) -> bool:
    """Whether a chart is asked for and nothing that it could show."""
    return parts.output.formed == () and not (parts.filters or parts.named or parts.own or parts.missing)


def _at_rank(parsed: ParsedQuestion, rank: int) -> ParsedQuestion:
    """The one row or group at a place in the order of `parsed`: "căn rẻ thứ nhì"."""
    if rank == 1 or parsed.missing:
        return parsed
    if parsed.end is not None:
        order = (Order(parsed.end.field, parsed.end.kind == "max"),)
        parsed = replace(parsed, measures=(), order=order, mode="LIST")
    if not parsed.order or (parsed.measures and not parsed.group):
        return replace(parsed, missing=(Remark.of("missing.rank", number=str(rank)),))
    return replace(parsed, skip=rank - 1, limit=1, picked=0)


def _natural_order(parts: QuestionParts) -> tuple[Order, ...]:
    """What ends soon, and what is still to come, in the order of its days."""
    fields = {one.field for one in parts.filters}
    if parts.output.measures:
        return ()
    most = parts.vocabulary.find(parts.text, "asks", "highest end", "lowest end")
    if (
        parts.entity in PAPERS and most and not _MOST_THINGS.search(fold(parts.text))
    ):  # "hóa đơn nào của tôi cao nhất"
        return (Order(PAPERS[parts.entity], most[0].label == "highest end"),)
    ends = parts.entity == "contract" and parts.vocabulary.find(parts.text, "asks", "ending")
    if "end_date" in fields or ends:
        return (Order("end_date", bool(parts.vocabulary.find(parts.text, "asks", "latest"))),)
    return (Order("scheduled_at"),) if "scheduled_at" in fields else ()


def _asks_for_own(parts: QuestionParts) -> bool:
    """Whether own records are asked for, not how contracts or invoices work in general."""
    find = parts.vocabulary.find
    own = parts.vocabulary.owned(parts.text) or find(parts.text, "asks", "revenue", "debt")
    general = [hit for hit in find(parts.text, "talk", "how to") if not (own and fold(hit.phrase) == "la gi")]
    if general:
        return bool(parts.filters)
    return bool(own or parts.filters or len(folded_words(parts.text)) <= _SHORT)


def check_readiness(parsed: ParsedQuestion, role: Role, *, money: str = "") -> ParsedQuestion:
    """`parsed` with what keeps it from being ready: no login for own records, limits that exclude each other, nothing to
    look for by (002 C2).

    `money` is the figure of invoices that was named (`QuestionParts.money`): a revenue is a landlord's alone.
    """
    missing = [
        one
        for one in parsed.missing
        if one.key in {"missing.place", "missing.paper", "missing.chart", *AREAS}
    ]
    if role == "GUEST" and (parsed.own or parsed.entity in _LOGGED_IN):
        missing.append(Remark.of("missing.login"))
    allowed = parsed.own and parsed.entity == "room" and _ALLOWS.search(fold(parsed.question))
    if role == "TENANT" and allowed:  # no room is marked as a tenant's
        parsed = replace(parsed, leans=True)
        missing.append(Remark.of("missing.tenant_room"))
    summed = any(one.kind == "sum" for one in parsed.measures)
    if role == "TENANT" and parsed.entity == "invoice" and summed and money == "revenue":
        missing.append(Remark.of("missing.landlord"))
    missing += _contradictions(parsed.filters)
    parsed, unknown = _within_fields(parsed)
    state_only = {one.field for one in parsed.filters} <= {"status"}
    sought = parsed.measures or parsed.own or parsed.order or parsed.limit or parsed.entity not in _PUBLIC
    if state_only and not (sought or parsed.edited or missing or unknown):
        missing.append(Remark.of("missing.what"))
    return replace(parsed, missing=(*missing, *unknown))


def _within_fields(parsed: ParsedQuestion) -> tuple[ParsedQuestion, list[Remark]]:
    """Orders and conditions on fields that these records lack are left out and told; figures and groups of one are
    asked about.
    """
    entity = entities()[parsed.entity]
    known = {*entity.fields, *_PERIODS} - ({"price_band"} if "price" not in entity.fields else set())
    special = {"price_m2": ("price", "area")}
    asked = [name for one in parsed.measures if one.kind not in {"count_where", "occupancy", "share"}
             for name in special.get(one.field, (one.field,)) if name]  # fmt: skip
    asked += ["status"] if any(one.kind == "occupancy" for one in parsed.measures) else []
    lost = dict.fromkeys(name for name in (*asked, *parsed.group) if name not in known)
    renamed = (
        Order(entity.newest, one.descending) if one.field == "posted_at" and "posted_at" not in known else one
        for one in parsed.order
    )
    order = tuple(one for one in renamed if one.field == "figure" or one.field in known)
    dropped = [one.field for one in parsed.order if one.field not in {*known, "figure", "posted_at"}]
    kept = tuple(one for one in parsed.filters if one.field in {*entity.fields, "id"})
    lost_filters = dict.fromkeys(one.field for one in parsed.filters if one not in kept)
    remarks = (
        *parsed.remarks,
        *(Remark.of("said.no_order", field=name) for name in dropped),
        *(Remark.of("said.no_field", field=name) for name in lost_filters),
    )
    parsed = replace(parsed, order=order, filters=kept, remarks=remarks)
    return parsed, [Remark.of("missing.no_figure", field=name) for name in lost]


def _contradictions(filters: tuple[Filter, ...]) -> list[Remark]:
    """Limits that exclude each other, and values both wanted and refused."""
    found = []
    for name in dict.fromkeys(f.field for f in filters):
        lows = [f for f in filters if f.field == name and f.op in {">", ">="}]
        highs = [f for f in filters if f.field == name and f.op in {"<", "<="}]
        if any(is_empty(low, high) for low in lows for high in highs):
            found.append(Remark.of("missing.contradiction", field=name))
    wanted = {(f.field, v) for f in filters if f.op in {"=", "in"} for v in f.values}
    refused = {(f.field, v) for f in filters if f.op in {"!=", "not_in"} for v in f.values}
    both = sorted(wanted & refused)
    return [*found, *(Remark.of("missing.both", field=name, value=value) for name, value in both)]
