"""What a question says: its subject and telling words, what it leans on, what it computes, its parts and its queries.

Everything here reads one text by the word lists; who answers it is decided in `router`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from troly.text.catalogue import Lang
from troly.text.dates import days_in_full, find_ranges
from troly.text.fold import WordToken, fold, nfc, tokens
from troly.text.match import PhraseHit, blank_out, spans_of
from troly.text.numbers import find_amounts
from troly_rag.corpus.coverage import UNITS, figure_request, names_in, question_of
from troly_rag.routing.agent_choice import AgentChoice
from troly_rag.routing.lexicons import ENOUGH, asking_lists, label, tool_words
from troly_rag.strings import say
from troly_rag.tools.arithmetic import goes_on_with_sum

_EDGES = " \t\r\n,.;:!?-–—…"


def content(text: str) -> tuple[WordToken, ...]:
    """The words of `text` that tell what it is about."""
    return question_of(text).tokens


def subject(text: str, lang: Lang) -> str:
    """The subject of a question in its own words: what stands before the predicate, without requests; "" if none."""
    begin = 0
    for hit in sorted(label("request").find(text), key=lambda hit: hit.start):
        if not tokens(text[begin : hit.start]):
            begin = hit.end
    rest = text[begin:]
    if lang == "en":
        effect = next(iter(label("effect").find(rest)), None)
        return _trim(_english(rest[: effect.start] if effect is not None else rest))
    cut = next((hit.start for hit in _closing(rest) if content(rest[: hit.start])), len(rest))
    return _trim(rest[:cut])


def predicate(text: str) -> str:
    """What is asked of the subject: the question from its predicate on; "" where none is recognised."""
    cut = next((hit.start for hit in _closing(text) if content(text[: hit.start])), len(text))
    return text[cut:].strip(_EDGES)


def sentence(text: str, lang: Lang) -> str:
    """`text` as one full sentence: a capital, one mark at the end, and a bare subject made a question."""
    bare = " ".join(text.split()).strip(_EDGES)
    if not bare:
        return ""
    asked = "?" in text or bool(label("ask").find(bare))
    requested = _requested(bare)
    if not asked and not requested and _is_bare(bare):
        bare = say(
            "refine.what" if label("company").find(bare) else "refine.what_company", lang, topic=lowered(bare)
        )
        asked = True
    shown = bare[:1].upper() + bare[1:]
    return shown if not asked or requested else f"{shown}?"


def is_elliptical(text: str) -> bool:
    """Whether a question begins with its predicate and leaves its subject to what was said before."""
    first = next(iter(tokens(text)), None)
    if first is None:
        return False
    hits = [hit for name in ("predicate", "pronoun") for hit in label(name).find(text)]
    return any(hit.start == first.start for hit in hits) or not content(text)


def normal(text: str, lang: Lang) -> str:
    """`text` with what people leave out at its beginning: "muộn có ..." is "đi muộn có ..."."""
    bare = text.strip(_EDGES)
    late = next((hit for hit in label("late").find(bare) if not tokens(bare[: hit.start])), None)
    if lang != "vi" or late is None:
        return bare
    # Without its accents "muon" is "want" as often, but not before what befalls somebody.
    rest = bare[late.end :].strip()
    befalls = any(hit.start == 0 for hit in label("predicate").find(rest))
    return say("refine.late", lang, text=bare) if late.exact or befalls else bare


def _closing(text: str) -> list[PhraseHit]:
    hits = [hit for name in ("predicate", "ask", "effect", "request") for hit in label(name).find(text)]
    return sorted(hits, key=lambda hit: hit.start)


def _english(text: str) -> str:
    """The longest run of words that are neither question nor predicate words."""
    telling = content(text)
    if not telling:
        return ""
    runs: list[tuple[int, int]] = []
    for token in telling:
        if (
            runs
            and len(tokens(text[runs[-1][1] : token.start])) <= 1
            and text[runs[-1][1] : token.start].strip() in ("", "of", "for", "the")
        ):
            runs[-1] = (runs[-1][0], token.end)
        else:
            runs.append((token.start, token.end))
    start, end = max(runs, key=lambda run: run[1] - run[0])
    return text[start:end]


def _requested(text: str) -> bool:
    first = next(iter(tokens(text)), None)
    return first is not None and any(hit.start == first.start for hit in label("request").find(text))


def _is_bare(text: str) -> bool:
    """Whether it is only a name of something: no predicate, no action."""
    named = {fold(word) for word in text.split()}
    acts = asking_lists()["action"]
    return not label("predicate").find(text) and not named & acts and question_of(text).is_topic


def lowered(text: str) -> str:
    """`text` with a small first letter, unless its first word is an abbreviation."""
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _trim(text: str) -> str:
    shown = text.strip(_EDGES)
    shown = re.sub(r"\s+(?:và|and)$", "", shown, flags=re.IGNORECASE)
    return re.sub(r"^(?:việc|về|cho|the|of|for)\s+", "", shown, flags=re.IGNORECASE)


# --- Sums, logs and summaries that a question calls for

_SCALE = r"(?:k|tr|trieu|nghin|ngan|ty|cu|vnd|dong)?"
_ARITHMETIC = re.compile(rf"\d\s*{_SCALE}\s*(?:[+*/×÷^]|\bx\b)\s*[\d(]|\d\s*{_SCALE}\s+-\s+\d|\d\s*%")
_DATE = re.compile(
    r"\b(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|1[0-2])(?:[/-]\d{2,4})?\b|\b(?:0?[1-9]|1[0-2])[/-](?:19|20)\d\d\b"
)
# A day and what is added to it ("20/11 + 10 ngày", "45 ngày kể từ hôm nay", "3 tuần nữa"), or only what day it is.
_NO_DIGIT = r"(?<![\w/.,-])"
_DATED = r"(?P<d>\d{1,2})/(?P<m>\d{1,2})(?:/(?P<y>(?:19|20)\d\d))?"
_NEAR_DAY = r"(?P<near>hom nay|today|ngay mai|tomorrow|hom qua|yesterday)\b"
_SO_MANY = (
    r"(?P<many>\d{1,5}) ?(?P<unit>ngay|tuan|thang|nam|(?:working |business )?(?:day|week|month|year)s?)\b"
)
_PLUS = rf"\s*(?P<sign>[-–−+]|cong|tru|them|plus|minus) ?(?:them )?{_SO_MANY}"
_DATE_SUM = re.compile(f"{_NO_DIGIT}{_DATED}{_PLUS}")
_OTHER_SUMS = (
    re.compile(f"{_NO_DIGIT}{_NEAR_DAY}{_PLUS}"),
    re.compile(
        rf"{_NO_DIGIT}{_SO_MANY} (?P<sign>nua|from now|(?:nua )?(?:ke tu|tinh tu|tu|sau|from|after)|truoc|before)(?: (?:ngay )?(?:{_DATED}|{_NEAR_DAY}|(?:bay gio|nay|now)\b)|(?=\W*(?:la|is|will|$)))"
    ),
    re.compile(
        rf"{_NO_DIGIT}(?:{_DATED}|{_NEAR_DAY})(?= la (?:thu|ngay) (?:may|nao|gi|bao nhieu)| is (?:what|which) (?:day|date))"
    ),
    re.compile(rf"(?<=what day is ){_NEAR_DAY}"),
)
# What may stand beside a day and what is added to it.
DATE_ASKED = frozenset(["tinh", "giup", "cho", "hoi", "la", "bang", "ra", "roi", "vao", "dung", "ngay", "thu", "hom", "tu", "ke", "sau", "khi", "may", "nao", "gi", "bao", "nhieu", "what", "which", "day", "date", "is", "will", "it", "be", "in", "the", "on", "from"])  # fmt: skip
_SIGN = re.compile(r"(?<=\d)\s*([*/×÷^+:])\s*(?=\d)")
# Before an account that is asked for, or any of them: "which user had …" names none.
_ANY_OF_KIND = re.compile(
    r"\b(?:which|what|whose|how many|any|each|every|per|cac|nhung|moi|tung|may|bao nhieu)\s+$"
)
MACHINE = re.compile(r"\b[A-Za-z]+[-_]\d+\b")
_SHORT = 5
_DAYS = re.compile(r"\d\s*(?:ngay|thang|nam|gio|day|month|year|hour)")
_CLOCK = re.compile(r"\b\d{1,2}\s*(?:h\b|gio\b|:\d{2})")


def wants_math(text: str) -> bool:
    """Whether something is to be computed: a sum asked for, signs between figures, or amounts with leave or money."""
    if is_arithmetic(text) or tool_words("sum").find(text) or goes_on_with_sum(text):
        return True
    figures = bool(find_amounts(text)) or bool(_DAYS.search(fold(text)))
    return figures and bool(tool_words("math").find(text))


def is_arithmetic(text: str) -> bool:
    """Whether figures stand with a sign between them, or a percentage; dates are none but where days are added to one."""
    return bool(_ARITHMETIC.search(_DATE.sub(" ", fold(text))) or date_sum_in(text))


def date_sum_in(text: str) -> re.Match[str] | None:
    """Where `text` adds so many days to a day: between signs whatever stands beside it, in words where nothing else does."""
    folded = fold(nfc(text))
    if found := _DATE_SUM.search(folded):
        return found
    others = (found for form in _OTHER_SUMS for found in form.finditer(folded))
    return next((one for one in others if not beside_date_sum(text, one)), None)


def beside_date_sum(text: str, found: re.Match[str]) -> set[str]:
    """The words that stand beside a day and what is added to it, without what asks for the day."""
    return set(re.findall(r"\w+", fold(blank_out(nfc(text), [found.span()])))) - DATE_ASKED


def spaced(text: str) -> str:
    """A sum with blanks around its signs, so that `10/0` is not taken for a day; any other text as it is."""
    sums = is_arithmetic(text) or len(text.split()) <= _SHORT
    return _SIGN.sub(r" \1 ", text) if sums and not date_sum_in(text) else text


def wants_log(text: str, now: datetime) -> bool:
    """Whether the logs are asked: they are named, or a fault is named with a time; not when a rule is asked for."""
    if tool_words("log").find(text):
        return True
    # An event on a date, or who had a part in one in days gone by; "hôm nay" alone may only tell how a question came about.
    past = any(one.start <= now.date() for one in find_ranges(text, now.date()))
    of_somebody = past and bool(tool_words("log_who").find(text))
    happened = (bool(_DATE.search(fold(text))) or of_somebody) and tool_words("event").find(text)
    # A level is written in capitals or counted.
    level = any(text[hit.start : hit.end].isupper() for hit in tool_words("level").find(text))
    # How often something befell a machine in days gone by is told by no page.
    level = level or (past and figure_request(text).counts_things and MACHINE.search(text) is not None)
    if not (tool_words("fault").find(text) or happened or level) or tool_words("rules").find(text):
        return False
    dated = bool(find_ranges(days_in_full(text, now.date()), now.date())) or bool(_CLOCK.search(fold(text)))
    # How many of a level of lines there are is told by no page, nor what befell a user who is named.
    dated = dated or (figure_request(text).figure and bool(tool_words("level").find(text)))
    dated = dated or bool(tool_words("fault").find(text) and user_named(text))
    return dated or bool(tool_words("log_days").find(text))


def user_named(text: str) -> str:
    """The account that a question names ("user an"), folded; "" for none."""
    for hit in tool_words("account").find(text):
        if _ANY_OF_KIND.search(fold(text[: hit.start])):
            continue
        word = next(iter(tokens(text[hit.end :])), None)
        name = word.text if word and not text[hit.end : hit.end + word.start].strip(" :=") else ""
        # "User an" names one in Vietnamese.
        lists = [
            "ask",
            "predicate",
            "action",
            "pronoun",
            "join",
            *["stop"] * (question_of(text).language == "en"),
        ]
        asked = any(label(one).find(name) for one in lists)
        if name.isascii() and name.isalnum() and not asked and not question_of(name).names_something:
            return fold(name)
    return ""


def adds_up(text: str) -> bool:
    """Whether figures are to be added up or set against each other; "tổng giám đốc" adds up nothing."""
    named = names_in(text)
    return any(
        not any(start <= hit.start < end for start, end in named) for hit in tool_words("total").find(text)
    )


def wants_summary(text: str) -> bool:
    """Whether several findings are to be told as one."""
    return bool(tool_words("summary").find(text))


# --- The questions that one message holds

_HARD = re.compile(r"[?!;\n]+|\.(?=\s|$)")
_COMMA = re.compile(r",(?!\d)")
_LEFT_OVER = re.compile(r"con\s+(?:lai|du|thua)(?!\w)")
_THEN = re.compile(r"\bthi\s*$")
# How sure the agents of two halves must be before they are two questions though only one of them asks.
_SURE, _FAR, _KNOWN = 0.55, 0.2, 0.5
# What is not meant belongs to what is.
_REJECTS = re.compile(r"(?:khong phai|chu khong|not)\b")
_NOT = (
    r"(?:(?:không|khong|ko|k|hông) (?:phải|phai|hỏi|hoi|nói|noi)|đâu phải|not)(?: là| về| ve| hỏi| đến| tới)?"
)
_NOT_THIS = re.compile(
    rf"^\W*(?:(?:tôi|toi|mình|minh|em|tớ) )?{_NOT} (?P<first>[^,;.?]+?)(?:\s*[,;.]\s*(?:mà(?: là)? |but )?| mà(?: là)? | but )(?P<then>.+)$"
    rf"|(?:\s*[,;]\s*(?:chứ |and )?|\s+(?:chứ|and)\s+){_NOT} (?P<last>[^,;.?]+?)\s*[.?!]*$",
    re.IGNORECASE,
)
_NOT_THEN = re.compile(
    rf"(?:^|\s+){_NOT} (?:(?:của|cua|bản|ban|năm|nam|of|in) )*(?:19|20)\d\d(?!\d)", re.IGNORECASE
)
WEEKDAY = re.compile(
    r"\b(?:(?:on|hom|ngay) )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|thu (?:hai|ba|tu|nam|sau|bay|[2-7])|chu nhat|weekends?|cuoi tuan)\b"
)
# Support is money, where no unit is asked for.
SUPPORT = re.compile(
    rf"\b(?:ho tro|tro cap|support(?:ed|s)?)(?: [a-z]+){{0,2}} (?:bao nhieu|may)\b(?! (?:{'|'.join(UNITS.values())})\b)"
)
_MAY = re.compile(r"\b(?:thi |co )*(?:duoc|bi|can|phai) (?:khong|ko|k|chu|sao)?\W*$")
_MOST, _ONE_NAME = 8, 2
# What parts the telling of how it came about from the question.
_SETTING = re.compile(r"[.;!\n]+(?=\s|$)|,(?!\d)|\bnên\b")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the message and how it was parted from the one before."""

    start: int
    end: int
    hard: bool


def split(message: str, pick: Callable[[str], AgentChoice]) -> tuple[str, ...]:
    """The questions of `message`, in order, as typed; at least one. `pick` tells which agent a text is for."""
    text = nfc(message)[:ENOUGH]
    pieces = _pieces(text)
    if not pieces:
        return (message.strip(),)
    found = [pieces[0]]
    for piece in pieces[1:]:
        last = found[-1]
        left, right = text[last.start : last.end], text[piece.start : piece.end]
        own = piece.hard or not (_asks_of_it(right) or names_only_day(right))
        if len(found) < _MOST and own and _are_two(left, right, pick):
            found.append(piece)
        else:
            found[-1] = _Piece(last.start, piece.end, last.hard)
    return tuple(_as_typed(text, piece) for piece in found)


def _as_typed(text: str, piece: _Piece) -> str:
    """The stretch, with the question mark that followed it."""
    mark = "?" if text[piece.end :].lstrip()[:1] == "?" else ""
    return text[piece.start : piece.end].strip(" \t\r\n,.;:") + mark


def _pieces(text: str) -> list[_Piece]:
    """Stretches between marks, commas and joining words, without empty ones."""
    cuts = [(m.start(), m.end(), True) for m in _HARD.finditer(text)]
    cuts += [(m.start(), m.end(), False) for m in _COMMA.finditer(text)]
    # Without its accents a joining word may be another one ("con", "roi"); only "va" is safe.
    joins = (hit for hit in label("join").find(text) if hit.exact or " " in hit.phrase or hit.phrase == "và")
    # "Thì còn mấy" asks what is left, "phần còn lại" is it.
    cuts += [
        (hit.start, hit.end, False)
        for hit in joins
        if not (_THEN.search(fold(text[: hit.start])) or _LEFT_OVER.match(fold(text[hit.start :])))
    ]
    found, at, hard = [], 0, False
    for start, end, is_hard in sorted(cuts):
        if start < at:
            continue
        if text[at:start].strip():
            found.append(_Piece(at, start, hard))
            hard = is_hard
        else:
            hard = hard or is_hard
        at = end
    if text[at:].strip(" \t\r\n.,"):
        found.append(_Piece(at, len(text), hard))
    return found


def _are_two(left: str, right: str, pick: Callable[[str], AgentChoice]) -> bool:
    """Whether two neighbours ask for two things: both ask, or they are clearly for different agents."""
    if not content(left) or tool_words("compare").find(right[: len(right) // 2 + 1]):
        return False
    versions = [(tool_words("formerly").find(one), tool_words("in_force").find(one)) for one in (left, right)]
    if any(one[0] and other[1] for one, other in (versions, versions[::-1])):
        # How it was and how it is are two sides of one thing.
        return False
    if asks(left) and asks(right):
        return True
    if not content(right) or find_amounts(left) or _REJECTS.match(fold(right).strip()):
        return False
    first, second = pick(left), pick(right)
    if first.agent == second.agent or min(first.known, second.known) < _KNOWN:
        return False
    return min(first.confidence, second.confidence) >= _SURE and min(first.margin, second.margin) >= _FAR


def _asks_of_it(text: str) -> bool:
    """Whether it only asks when, where, whom or how much of the thing that was just named ("gọi số nào")."""
    spans = spans_of(label("asked_of").find(text)) + [hit.span() for hit in SUPPORT.finditer(fold(nfc(text)))]
    return all(
        any(start <= token.start < end for start, end in spans) or token.folded.isdigit()
        for token in content(text)
    )


def without_rejected(text: str) -> str:
    """What is meant of "không phải X, Y" and "Y, không phải X", where X only names a thing known here, a figure or a day, and Y
    names one too, and of "X không phải 2025"; "" where only a year is rejected."""
    for found in _NOT_THIS.finditer(text):
        rejected, meant = found["first"] or found["last"], found["then"] or text[: found.start()]
        if _is_named(rejected) and (_is_named(meant) or question_of(meant).names_something):
            return meant.strip(_EDGES)
    return _NOT_THEN.sub("", text)


def _is_named(text: str) -> bool:
    """Whether it only names a thing known here, a figure or a day of the week."""
    question = question_of(text)
    bare = not question.subjects and bool(question.own_figures)
    return question.is_topic or bare or WEEKDAY.fullmatch(fold(text).strip(_EDGES)) is not None


def names_only_day(text: str) -> bool:
    """Whether it only names a day of the week ("và chủ nhật", "thứ bảy thì sao"): what of it stands in what was said before."""
    said = nfc(text)
    if (day := WEEKDAY.search(fold(said))) is None:
        return False
    return not question_of(blank_out(said, [day.span()])).tokens


def names_no_act(text: str) -> bool:
    """Whether it asks of something if it may, but not what ("kho vận có được không"): that stands in what was said before."""
    may = _MAY.search(fold(text))
    named = question_of(nfc(text)[: may.start()] if may else "")
    return named.is_topic and named.subjects <= _ONE_NAME


def without_setting(text: str) -> str:
    """The one clause of `text` that asks, where the others name nothing known here and only tell how it came about; "" where
    that cannot be told apart, or the one that asks says nothing of what ("làm sao giờ")."""
    clauses = [piece.strip() for piece in _SETTING.split(text) if piece.strip()]
    asking = [piece for piece in clauses if asks(piece)]
    named = any(question_of(piece).names_something for piece in clauses if piece not in asking)
    alone = len(clauses) > len(asking) == 1 and not named and not question_of(asking[0]).is_bare
    return asking[0] + _mark(text) if alone else ""


def asks(text: str) -> bool:
    """Whether a stretch asks or requests; "không" asks only where it closes ("được không"), else it denies."""
    words = tokens(text)
    hits = [
        hit
        for hit in label("ask").find(text)
        if hit.phrase not in ("không", "ko") or (words and hit.end >= words[-1].end)
    ]
    return "?" in text or bool(hits) or bool(label("request").find(text))


# --- What a question asks an agent to look up (004-12, 004-44)


def queries_for(question: str, others: tuple[str, ...], lang: Lang) -> tuple[str, ...]:
    """The queries of `question` in full sentences; `others` are the questions before it in the same message."""
    text = normal(question, lang)
    topic = subject(text, lang)
    if is_computed_against_rules(text) and topic:
        return _computed_with(text, topic, lang) if find_amounts(text) else _computed(topic, lang)
    effect = bool(label("effect").find(text))
    if effect and topic and _refers_back(text, topic, others):
        first = say("refine.effect", lang, topic=topic[:1].upper() + topic[1:])
        return (first, say("refine.consequence", lang, topic=topic))
    own = sentence(question if text == question.strip() else text + _mark(question), lang)
    if effect and topic and not label("consequence").find(text):
        return (own, say("refine.consequence", lang, topic=topic))
    return (own,)


def is_computed_against_rules(text: str) -> bool:
    """Whether something is to be computed and held against the company's rules."""
    return bool(
        tool_words("sum").find(text) and tool_words("compare").find(text) and tool_words("rules").find(text)
    )


def is_side(query: str, lang: Lang) -> bool:
    """Whether a query was added to look at another side of the question before it."""
    opening = say("refine.consequence", lang, topic="\n").partition("\n")[0]
    return query.startswith(opening)


def _computed(topic: str, lang: Lang) -> tuple[str, ...]:
    about = _about(topic)
    base = say("refine.base_leave" if tool_words("leave").find(topic) else "refine.base", lang)
    return (say("refine.rules_of", lang, topic=about), say("refine.computed", lang, topic=topic, base=base))


def _computed_with(text: str, topic: str, lang: Lang) -> tuple[str, ...]:
    """As `_computed` where the figures are given: the sum is asked in the words that hold them."""
    request = next(iter(label("request").find(text)), None)
    asked = subject(text[request.start :], lang) if request is not None else ""
    return (_computed(asked or topic, lang)[0], sentence(text, lang))


def _about(topic: str) -> str:
    """The topic without "chi phí": what there are rules about."""
    hits = [hit for hit in tool_words("math").find(topic) if hit.start == 0]
    rest = topic[hits[0].end :].strip() if hits else topic
    return rest if content(rest) else topic


def _refers_back(text: str, topic: str, others: tuple[str, ...]) -> bool:
    """Whether what is affected was named by another question of the message."""
    rest = {token.folded for token in content(text)} - {fold(word) for word in topic.split()}
    return any(rest & {token.folded for token in content(other)} for other in others)


def _mark(question: str) -> str:
    return "?" if question.rstrip().endswith("?") else ""
