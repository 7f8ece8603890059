"""Questions that go on with the one before: made whole by its words, and asked of the documents that were shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from troly.plugin.context import TurnContext
from troly.plugin.focus import Focus, FocusRow, find_reference
from troly.text.catalogue import Lang
from troly.text.dates import ANY_DAY, HCM, find_ranges, format_date, whole
from troly.text.everyday import everyday_phrases
from troly.text.fold import WordToken, fold, has_marks, nfc, tokens
from troly.text.language import is_syllable
from troly.text.match import blank_out, spans_of
from troly_rag.answer.evidence import SourceEvidence, dated
from troly_rag.answer.grounding import claims_of, is_listed
from troly_rag.config import RagConfig
from troly_rag.corpus.access import UserContext
from troly_rag.corpus.coverage import UNITS as UNITS_COUNTED
from troly_rag.corpus.coverage import YEAR, names_in, question_of, text_of, title_subject
from troly_rag.corpus.search import CorpusSearch, Passage, answers
from troly_rag.routing.correction import corrected
from troly_rag.routing.lexicons import UNITS, corrections, label, neighbours, tool_words
from troly_rag.routing.questions import (
    MACHINE,
    asks,
    content,
    is_arithmetic,
    is_elliptical,
    names_only_day,
    predicate,
    spaced,
    wants_log,
    without_rejected,
)
from troly_rag.strings import say
from troly_rag.tools.arithmetic import expression_in, goes_on_with_sum
from troly_rag.tools.calculator import asks_for_grade, with_unused, work_out
from troly_rag.tools.counted_things import things_in
from troly_rag.tools.deadlines import asks_when, due
from troly_rag.tools.documents import TOLD_WHOLE, evidence_of
from troly_rag.tools.limits import left_or_over
from troly_rag.tools.log_query import added_in, parse_log_query
from troly_rag.tools.logs import is_of_log

KIND, LOGS = "documents", "logs"
# Whether the answer before was a sum, in the conversation's metadata.
SUM = "rag_last_was_sum"
# A message of so few telling words goes on with the log that was read, one of so few subjects with the page shown.
_SHORT, _FEW = 4, 2
_LEAST = 0.5
_NO_PAGE = re.compile(
    rf"(?:thu|{'|'.join(words for unit, words in UNITS_COUNTED.items() if unit != 'point')})\b"
)
# What people call the pages of an answer.
_SHOWN = (
    "trang",
    "nguồn",
    "tài liệu",
    "văn bản",
    "đoạn",
    "page",
    "source",
    "document",
    "passage",
)
# What they call a point of one.
_POINTS = ("điều", "khoản", "điểm", "ý", "đoạn", "câu", "phần", "point", "sentence", "part", "section")
_LISTING, _ITEM = (
    re.compile(r"\b(\d{1,2}) ([^:.;,\d]{2,40}): ([^:;\n]+)"),
    re.compile(r",(?!\d)|\s(?:và|and)\s"),
)
_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+")
_CANDIDATES = 50
_EDGES = " \t\r\n,.;:!?-–—…"
_IN_YEAR = re.compile(r"(?:\b(?:năm|nam|in|of|year)\s+)*(?<!\d)((?:19|20)\d\d)(?!\d)", re.IGNORECASE)

_LONGEST = 12
_YEAR_LONG = timedelta(days=300)


@dataclass(frozen=True, slots=True)
class FullQuestion:
    """The question in full; `leaned` says that it took something from the one before, `about` what it asks
    the same of ("còn X thì sao"), `reply` what is to be said where it points at nothing that was shown, or at a point of a page,
    which is `quoted` then; `pointed` that it names a page that was shown."""

    text: str
    leaned: bool = False
    about: str = ""
    reply: str = ""
    pointed: bool = False
    quoted: bool = False


def complete_question(message: str, before: str, lang: Lang) -> FullQuestion:
    """`message` with what it leaves to `before`, the last question in full ("" when there was none)."""
    text = message.strip()
    if not before or len(tokens(text)) > _LONGEST:
        return FullQuestion(text)
    about = _asked_about(text)
    if about:
        return FullQuestion(_same_of(about, before, lang), leaned=True, about=about)
    return FullQuestion(text, leaned=_leans(text))


def _asked_about(text: str) -> str:
    """X in "còn X thì sao", "what about X"; "" for any other message."""
    opening = next((hit for hit in label("follow").find(text) if not tokens(text[: hit.start])), None)
    # "tuần trước nữa" is a week of its own.
    dated = [one.span for one in find_ranges(text, ANY_DAY)]
    ending = next(
        (
            hit
            for hit in reversed(label("follow_end").find(text))
            if not tokens(text[hit.end :]) and not any(start < hit.start < end for start, end in dated)
        ),
        None,
    )
    if opening is None and (
        ending is None or " " not in ending.phrase or len(content(text[: ending.start])) > _FEW
    ):
        return ""
    about = text[opening.end if opening else 0 : ending.start if ending is not None else len(text)].strip(
        _EDGES
    )
    if not content(about):
        return ""
    short = ending is not None or not label("ask").find(about)
    return about if short and len(tokens(about)) <= _LONGEST else ""


def _same_of(about: str, before: str, lang: Lang) -> str:
    """The question `before`, asked about something else."""
    if lang == "vi":
        rest = predicate(before)
        return f"{about} {rest}?" if rest else say("refine.about", lang, topic=about, before=before)
    return _swapped(before, about) or say("refine.about", lang, topic=about, before=before.strip(_EDGES))


def _swapped(before: str, about: str) -> str:
    """The question with `about` in the place of what ends in the same word; "" where there is no such thing."""
    words, head = tokens(before), fold(about.rsplit(maxsplit=1)[-1])
    telling = {token.start for token in content(before)}
    place = next((at for at, token in enumerate(words) if token.folded == head), None)
    if place is None:
        return ""
    first = place
    while first > 0 and words[first - 1].start in telling:
        first -= 1
    return f"{before[: words[first].start]}{about}{before[words[place].end :]}"


def _leans(text: str) -> bool:
    """Whether it names nothing itself: it begins with its predicate or speaks of "cái đó"."""
    telling = content(text)
    if not telling:
        return True
    if is_arithmetic(text):
        return False
    pronoun = any(
        len(hit.phrase.split()) > 1
        or hit.phrase in ("nó", "it", "they")
        # "That" before what it belongs to is no pronoun.
        or (hit.phrase in ("that", "this", "those", "these") and not _is_before(hit.end, telling, text))
        for hit in label("pronoun").find(text)
    )
    return (pronoun and len(telling) <= 4) or (is_elliptical(text) and len(telling) <= 2)


def _is_before(place: int, telling: Sequence[WordToken], text: str) -> bool:
    """Whether one of the telling words of `text` comes right behind `place`."""
    return any(token.start >= place and not text[place : token.start].strip() for token in telling)


# --- The same against what was shown


async def with_context(pages: Pages, text: str, before: str) -> FullQuestion:
    """`text` with what it leaves to the conversation: the question `before`, or the pages and logs shown last.

    Of the ways to make it whole that one is taken which a page answers; a page that was shown comes before others.
    """
    if goes_on_with_sum(text) and (goes_on_with_sum(before) or expression_in(spaced(before))):
        return FullQuestion(text, leaned=True)
    message, meant = text, without_rejected(text)
    corrects = meant != text or bool(corrections().find(text))
    today = pages.turn.now.astimezone(HCM).date()
    earlier = (one.text for one in reversed(pages.turn.history) if one.sender == "user")
    dated = next((one for one in (before, *earlier) if find_ranges(one, today)), before)
    text = _with_days(_with_years(meant, today), dated, today)
    if current := corrected(message, before) or _asked_as_of_now(text, before, today):
        return FullQuestion(current, leaned=True)
    text = text or message
    focus = pages.turn.focus
    full = complete_question(text, before, pages.turn.language)
    # "Of those" is of the lines asked for last, read or not.
    among = tool_words("log_among").find(text) and wants_log(before, pages.turn.now)
    if among or (focus is not None and focus.kind == LOGS):
        return await _with_log(pages, text, full, before)
    if focus is None or not focus.rows:
        return full
    if pointed := await _point_at(pages, text, focus) or _pointed_at(text, focus, pages.turn.language):
        return pointed
    return await _with_page(pages, text, full, before, focus.rows, corrects=corrects)


async def _with_log(pages: Pages, text: str, full: FullQuestion, before: str) -> FullQuestion:
    """As `with_context` where the last answer was read from a log."""
    if tool_words("explain").find(text):
        return _explained(text, before, pages.turn)
    asked = parse_log_query(text, pages.turn.now)
    added, dated, among = (
        added_in(text),
        asked.levels and asked.start,
        bool(tool_words("log_among").find(text)),
    )
    if dated and not (full.about or among or added):
        # Its own level on its own day stands by itself.
        return FullQuestion(f"log: {text}")
    short = len(question_of(text).words) <= _SHORT or MACHINE.search(text)
    goes_on = (
        among
        or dated
        or (short and (full.leaned or is_of_log(blank_out(text, added)) or not await pages.answer(text)))
    )
    return FullQuestion(f"log: {full.about or text.strip()}", leaned=True) if goes_on else full


def _asked_as_of_now(text: str, before: str, today: date) -> str:
    """The question `before` without its year gone by, where `text` asks only how it is now ("hiện tại thì sao", "còn năm nay?") or nothing."""
    years = [one for one in _IN_YEAR.finditer(before) if int(one[1]) < today.year]
    this_year = [one.span for one in find_ranges(text, today) if one.start <= today <= one.end]
    now = [hit for hit in everyday_phrases(text) if hit.label == "now"]
    around = spans_of([*label("follow").find(text), *label("follow_end").find(text), *now])
    rest = blank_out(text, [*this_year, *around])
    as_of_now = (years and (this_year or now)) or not text
    if not as_of_now or question_of(rest).tokens or question_of(rest).own_figures:
        return ""
    ends = [end for _, end in names_in(before)]
    gone = [(max([one.start(), *(end for end in ends if end < one.start(1))]), one.end()) for one in years]
    return " ".join(blank_out(before, gone).split())


def _explained(text: str, before: str, turn: TurnContext) -> FullQuestion:
    """What pages say of the fault whose lines were counted last, by its number; `text` itself where it says more."""
    words = (
        ()
        if not is_of_log(text)
        else parse_log_query(text, turn.now).words or parse_log_query(before, turn.now).words
    )
    code = next((word for word in words if word.isdigit()), "")
    return (
        FullQuestion(say("refine.fault", turn.language, code=code), leaned=True)
        if code
        else FullQuestion(text)
    )


def _pointed_at(text: str, focus: Focus, lang: Lang) -> FullQuestion | None:
    """The question on the page that `text` points at by its number or place among those shown, or what to say where there
    is none; None where it points at none so. What counts something ("con thứ hai") and a day are no pointer."""
    found = find_reference(text, focus, things=(*_SHOWN, *_POINTS))
    if found is None or found.kind not in ("ordinal", "first", "last"):
        return None
    said = [nfc(text)[slice(*span)] for span in found.spans]
    if any(_NO_PAGE.match(fold(one)) for one in said):
        return None
    if found.missing or not found.rows:
        titles = ", ".join(f"“{row.title}”" for row in focus.rows)
        reply = say("refine.no_row", lang, said=said[0], count=len(focus.rows), titles=titles)
        return FullQuestion(text, reply=reply)
    rest, title = blank_out(nfc(text), found.spans), found.rows[0].title
    asked = question_of(rest)
    of_it = f"{title}: {rest.strip(_EDGES)}" if asked.tokens or asked.own_figures else title
    return FullQuestion(of_it, leaned=True, pointed=True)


async def _point_at(pages: Pages, text: str, focus: Focus) -> FullQuestion | None:
    """What `text` points at by its place among the points that were told of the one page shown: the items of a list whose
    number is told or that stand on lines of their own, else its sentences. None where it points at none so, or asks more."""
    turn, page, lang = pages.turn, focus.rows[0], pages.turn.language
    if len(focus.rows) != 1:
        return None
    own = [one for one in await pages.of(page.title) if one.document == page.id]
    held = " ".join(" ".join(one.text.split()) for one in own)
    told = (one.text for one in turn.history if one.turn_id == focus.turn and one.sender == "assistant")
    said = [one for claim in claims_of("\n".join(told)) if (one := " ".join(claim.split())) in held]
    items, noun = next(filter(None, map(_items_of, said)), ([one for one in said if is_listed(one)], ()))
    rows = tuple(FocusRow(str(number), one) for number, one in enumerate(items or said, 1))
    found = find_reference(text, Focus(KIND, "", rows), things=(*_POINTS, *noun))
    if found is None or found.kind not in ("ordinal", "first", "last"):
        return None
    spoken, rest = [nfc(text)[slice(*span)] for span in found.spans], blank_out(nfc(text), found.spans)
    if any(_NO_PAGE.match(fold(one)) for one in spoken) or question_of(rest).subjects:
        return None
    if found.missing or len(found.rows) != 1:
        reply = say("refine.no_point", lang, said=spoken[0], count=len(rows), title=page.title)
        return FullQuestion(text, reply=reply)
    point, first = _BULLET.sub("", found.rows[0].title), evidence_of(own[0], "")
    # What the page says of an item by its name is told with it.
    more = [one for one in claims_of(held) if items and one.strip().startswith(f"{point} ")]
    quoted = " ".join([f"{point.rstrip('.')}.", *map(str.strip, more)])
    reply = say("refine.point" if items else "refine.sentence", lang, number=found.rows[0].id, title=page.title, text=quoted)  # fmt: skip
    source = f"{page.title} ({dated(first, turn.now, lang)})" if first.created_at else page.title
    return FullQuestion(text, reply=f"{reply}\n\n{say('answer.sources', lang, sources=source)}", quoted=True)


def _items_of(sentence: str) -> tuple[list[str], tuple[str, ...]] | None:
    """The items of a list whose number the sentence tells, and what they are called: "4 giá trị cốt lõi: a, b, c, d"."""
    found = _LISTING.search(sentence)
    items = [one.strip() for one in _ITEM.split(found[3].rstrip(" ."))] if found else []
    if found is None or len(items) != int(found[1]):
        return None
    words = found[2].split()
    short = words[-1].rstrip("s") if text_of(sentence).language == "en" else " ".join(words[:2])
    return items, (found[2], short)


async def _with_page(
    pages: Pages, text: str, full: FullQuestion, before: str, rows: Sequence[FocusRow], *, corrects: bool
) -> FullQuestion:
    """As `with_context` where the last answer showed the pages `rows`."""
    question = question_of(text)
    title = rows[0].title.partition("(")[0].strip()
    shown = [(row.id, row.title) for row in rows]
    own = [one for _, title in shown for one in await pages.of(title) if (one.document, one.title) in shown]
    today, lang = pages.turn.now.astimezone(HCM).date(), pages.turn.language
    # What a page tells whole is no other figure of the same, but where a sum is asked for by another year's rule.
    by_year = pages.turn.conversation_metadata.get(SUM) and _names_only_year(text, f"{title}\n{before}")
    told = question.subjects and not by_year and await pages.answer(text)
    same = "" if told else _with_another_figure(text, full.about, before, title, today)
    whole = f"{text.strip(_EDGES)}: {before}"
    counted = things_in(text) and any(
        work_out(whole, "", one.text, lang) for one in own if not one.superseded
    )
    if not same and (counted or any(asks_for_grade(text, before, one.text, lang) for one in own)):
        same = whole
    if not same and corrects:
        same = await _made_clearer(pages, text, title, rows[0].id)
    if same:
        return FullQuestion(same, leaned=True)
    page = await _page_gone_on_with(pages, text, own, corrects=corrects)
    if page and corrects and not question.own_figures:
        return FullQuestion(f"{text.strip(_EDGES)}: {page}: {before}", leaned=True)
    if page:
        return FullQuestion(f"{_as_marked(page, text)}: {text}", leaned=True)
    day = names_only_day(text)
    if full.about and not day and (found := await pages.answering(full.text)):
        here = next((one for one in found if (one.document, one.title) in shown and not one.superseded), None)
        here = here if here and _fit(here) >= _fit(found[0]) else None
        return FullQuestion(f"{here.title}: {full.text}", leaned=True) if here else full
    about = full.about or text
    # What only asks, of nothing ("ở đâu"), or only names a day asks of the page that was shown.
    if not day and (question.tokens or question.own_figures or not asks(text)):
        goes_on = bool(full.about or question.own_figures)
        title = await _title_shown(pages, about, shown, goes_on=goes_on, opened=bool(full.about))
    if not title:
        return full
    return FullQuestion(f"{_as_marked(title, text)}: {about.strip()}", leaned=True)


def _as_marked(title: str, text: str) -> str:
    """The title beside `text`: a message without accents stays one, its words are compared with any accents."""
    return title if has_marks(text.split()) else fold(title)


def _with_another_figure(text: str, about: str, before: str, title: str, today: date) -> str:
    """The question `before` on the page of `title`, of the other month, year or figure that `text` names and nothing
    else that is known here; "" for any other."""
    question, typed = question_of(text), text.strip(_EDGES)
    periods = [one.span for one in find_ranges(text, today) if one.end - one.start < _YEAR_LONG]
    if periods and not question_of(blank_out(text, periods)).subjects:
        same = blank_out(before, [one.span for one in find_ranges(before, today)])
        return f"{typed}: {' '.join(same.split())}"
    only_year = not question.subjects or _names_only_year(text, f"{title}\n{before}")
    if years := " ".join(YEAR.findall(text)) if only_year else "":
        return f"{title} {years}: {before}"
    known = question.names_something and question.coverage(text_of(before)).unread
    # Figures may be of what was asked before, or of what a kind of it is called.
    counts, unread = things_in(text), question.coverage(text_of(f"{title}\n{before}")).unread
    of_before = question.subjects <= _FEW and all(word.isdigit() for word in unread)
    bare = not question.subjects or (about and not known) or of_before
    named = "" if fold(title) in fold(before) else f"{title}: "
    return f"{typed}: {named}{before}" if bare and (question.own_figures or counts) else ""


def _names_only_year(text: str, told: str) -> bool:
    """Whether `text` names a year and beside it only what stands in what was `told`."""
    unread = question_of(text).coverage(text_of(told)).unread
    return (
        bool(YEAR.search(text))
        and not question_of(YEAR.sub(" ", text)).own_figures
        and not question_of(" ".join(unread)).subjects
    )


def _with_years(text: str, today: date) -> str:
    """`text` with years past in digits: "năm ngoái" is 2025 in 2026."""
    for one in reversed(find_ranges(text, today)):
        told = text[: one.span[0]].rstrip()[-1:].isdigit() or YEAR.search(text[slice(*one.span)])
        whole_year = (one.start.month, one.start.day, one.end.month, one.end.day) == (1, 1, 12, 31)
        if whole_year and one.end < today and not told:
            text = f"{text[: one.span[0]]}{one.start.year}{text[one.span[1] :]}"
    return text


def _with_days(text: str, before: str, today: date) -> str:
    """`text` with the day, week or month that stands beside the one of the question `before`, in digits: "hôm sau"."""
    told = find_ranges(before, today)
    for hit in reversed(neighbours().find(text)) if told else ():
        unit, side = hit.label.split()
        first, last = whole(told[0].start, UNITS[unit])[0], whole(told[0].end, UNITS[unit])[1]
        edge = first - timedelta(days=1) if side == "before" else last + timedelta(days=1)
        first, last = whole(edge, UNITS[unit])
        days = dict.fromkeys(map(format_date, (first, last)))
        text = f"{text[: hit.start]}{' - '.join(days)}{text[hit.end :]}"
    return text


async def _title_shown(
    pages: Pages, about: str, shown: Sequence[tuple[str, str]], *, goes_on: bool = False, opened: bool = False
) -> str:
    """The title of the page shown last that speaks of `about` no less than any other page; "" for none.

    A bare name must be spoken of more, unless the message says that it `goes_on` with the page, or `opened` so ("còn X").
    """
    asked = question_of(about)
    subjects = {title_subject(title) for _, title in shown}
    found = [one for one in await pages.of(about) if not one.superseded]
    own = [one for one in found if (one.document, one.title) in shown or title_subject(one.title) in subjects]
    here = max(own, key=_fit, default=None)
    if here is None or asked.named_by(here.title) >= 1:
        return ""
    there = max((_fit(one) for one in found if one not in own), default=(0.0, 0.0))
    titled = any(asked.named_by(one.title) >= 1 for one in found)
    if (
        titled
        and asked.own_figures
        and not opened
        and not work_out(about, "", here.text, pages.turn.language)
    ):
        # A figure of a matter that has a page of its own is none of the page shown, unless a rule of that one counts it.
        return ""
    if not (goes_on or answers(about, here, here.text)) and await pages.answer(about):
        # Another page tells it whole.
        return ""
    weaker = _fit(here) <= there if asked.is_topic and titled and not goes_on else _fit(here) < there
    alone = asked.subjects >= _FEW or await pages.answer(about)
    return "" if alone and (here.share < _LEAST or weaker) else here.title


async def _made_clearer(pages: Pages, text: str, title: str, document: str) -> str:
    """The question that `text` puts in other words ("ý tôi là …"), of the page of `title` which was shown, where that tells
    it or no other page is named; "" for what asks nothing of its own."""
    clearer = blank_out(text, spans_of(corrections().find(text))).strip(_EDGES)
    if not asks(clearer) or not question_of(clearer).subjects:
        return ""
    whole = f"{_as_marked(title, text)}: {clearer}"
    here = any(one.document == document for one in await pages.answering(whole))
    return whole if here or not await _names_page(pages, clearer) else ""


async def _names_page(pages: Pages, text: str) -> bool:
    """Whether `text` names the subject of a page by its title; one syllable of it names none ("lương" of "trả lương")."""
    asked, said = question_of(text), fold(text)
    named = (title_subject(one.title) for one in await pages.of(text) if asked.named_by(one.title) >= 1)
    return any(
        one in said or question_of(one).subjects > 1 or not all(map(is_syllable, one.split()))
        for one in named
    )


async def _page_gone_on_with(pages: Pages, text: str, own: Sequence[Passage], *, corrects: bool) -> str:
    """The title of the page shown last of which a rule counts the figures of `text`, or that speaks of all that it puts
    in the place of what was said before; "" where `text` names another page or one answers it."""
    asked = question_of(text)
    today, lang = pages.turn.now.astimezone(HCM).date(), pages.turn.language
    if not (asked.own_figures or corrects or asks_when(text)):
        return ""
    if await _names_page(pages, text) or (not corrects and await pages.answer(text)):
        return ""
    earlier = "\n".join(one.text for one in reversed(pages.turn.history) if one.sender == "user")
    for one in own:
        head, whole = f"{one.title}\n{one.section}", f"{_as_marked(one.title, text)}: {text}"
        counts = left_or_over(whole, earlier, one.text, lang, head)
        counts = counts or due(whole, earlier, one.text, today, lang, heading=head)
        counts = counts or (
            work_out(with_unused(text, earlier), "", one.text, lang) if asked.own_figures else ""
        )
        says = corrects and 0 < asked.subjects <= _FEW and asked.coverage(text_of(one.whole)).share >= 1
        if (counts or says) and not one.superseded:
            return one.title
    return ""


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of all agents as `user` may see them in one turn."""

    turn: TurnContext
    corpora: CorpusSearch
    config: RagConfig
    user: UserContext
    _found: dict[str, list[Passage]] = field(default_factory=dict)

    async def of(self, asked: str) -> list[Passage]:
        """What speaks of `asked`, best first; searched for once."""
        if asked in self._found:
            return self._found[asked]
        turn = self.turn
        found = await asyncio.gather(
            *(
                self.corpora.search(
                    agent.collection, asked, self.user, _CANDIDATES, now=turn.now, lang=turn.language
                )
                for agent in self.config.agents.values()
            )
        )
        passages = (one for result in found for one in result.passages)
        return self._found.setdefault(asked, sorted(passages, key=lambda one: -one.value))

    async def answer(self, asked: str) -> bool:
        """Whether the best page speaks of all that is asked."""
        best = next(iter(await self.of(asked)), None)
        return best is not None and answers(asked, best, best.text)

    async def answering(self, asked: str) -> list[Passage]:
        """The pages that speak of all that is asked, where the best one does."""
        found = await self.of(asked) if await self.answer(asked) else []
        return [one for one in found if answers(asked, one, one.text)]


async def pages_shown(pages: Pages) -> tuple[SourceEvidence, ...]:
    """The page that the last answer rested on, as the asker may see it now; none where a log was read."""
    focus = pages.turn.focus
    if focus is None or not focus.rows:
        return ()
    first = focus.rows[0]
    found = [
        one for one in await pages.of(first.title) if one.document == first.id and len(one.text) <= TOLD_WHOLE
    ]
    return tuple(evidence_of(one, "") for one in found[:1])


def _fit(passage: Passage) -> tuple[float, float]:
    return passage.share, passage.closeness


def show(
    turn: TurnContext, question: str, used: tuple[SourceEvidence, ...], *, logs_read: bool = False
) -> None:
    """Make the documents or the logs of an answer what the next message may go on with; logs in which nothing matched too.

    An answer that found nothing leaves what was shown before.
    """
    if logs_read or any(one.source_type == "log" for one in used):
        turn.show(LOGS, question, ())
        return
    rows = {one.document: FocusRow(one.document, one.title) for one in used if one.document}
    if rows:
        turn.show(KIND, question, tuple(rows.values()))
