"""What the business glossary says of a term (002-08, 002-16), and whether a message asks how things are in general."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from troly.plugin.context import TurnContext
from troly.text.everyday import without_everyday
from troly.text.fold import fold, folded_words
from troly.text.language import detect_score
from troly.text.match import spans_of
from troly.text.shorten import one_line
from troly_rental.agents.state import RentalQuestion
from troly_rental.data.places import places
from troly_rental.data.samples import COLLECTION
from troly_rental.question.pointers import of_shown, one_shown
from troly_rental.question.vocabulary import Vocabulary
from troly_rental.sessions import within
from troly_rental.strings import say

PASSAGES = 6
PASSAGE_CHARS = 220
_GOES_ON = re.compile(
    r"^\W*(?:(?:the|vay)\s+)?(?:con|the|vay|and|what about|how about)(?!\w)|(?<!\w)(?:thi (?:sao|s)|cung (?:vay|the)|too|as well)(?!\w)"
)
"""What asks the same of another thing: "còn chung cư", "chung cư cũng vậy hả"."""
_MEANING = re.compile(
    r"(?<!\w)(?:la gi|la sao|(?:co )?nghia (?:la|gi)|y nghia|khac\s+(?:\w+\s+){0,4}?(?:gi|nhau|(?:o )?(?:diem|cho) nao|sao|the nao)"
    r"|(?:duoc |cach |tinh )(?:tinh|ra)(?: ra)?(?= (?:sao|the nao|nhu the nao|nhu nao|kieu gi))|tinh (?:sao|the nao|nhu the nao|ra sao|kieu gi)|cach tinh|(?:theo|bang) don vi (?:nao|gi)|what does|what is an?|mean|means|meaning|difference between|differ from"
    r"|worked out|calculated|computed|in what unit|which unit|what unit)(?!\w)"
)
"""What asks for the meaning of a term, or how an amount comes about."""
_IN_GENERAL = re.compile(
    r"(?<!\w)(?:thuong|thong thuong|binh thuong|quy dinh|usually|normally|typically"
    r"|(?:mot|moi|tung|dau) nguoi hay|(?:coc|deposit) (?:\w+ ){0,3}(?:may|bao nhieu|how many) (?:thang|months)|how many months?.{0,12} deposit|hay (?:la )?(?:cua |tinh )?(?:theo |cho )?(?:mot |ca |nguyen |dau |moi )+(?:phong|can|nguoi)|per (?:person|head|bed) or|or per (?:person|head|bed))(?!\w)"
)
"""What asks how things are, not of the rooms there are."""
_TERMS = frozenset({"type", "people", "furnished", "status", "amenity"})
"""Conditions that a term by itself makes: "nội thất cơ bản", "quá hạn"."""
_CODE = re.compile(r"\s*\(`[^)]*`\)")
_COLUMNS = re.compile(r"\b(?:BIGINT|VARCHAR|DOUBLE|TIMESTAMP|INTEGER|BOOLEAN)\b")
"""What describes tables explains no term."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\s*\n\s*(?:[-*]\s+)?|^\s*-\s+|\s+-\s+")
_APART = re.compile(r"(?<!\w)(?:khac|difference|differ|different)(?!\w)")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the glossary says: of a term that a message names, for a model; and what answers the message, "" for nothing. `sure` says
    that nothing else can be meant: the message asks for a meaning, or goes on from an answer of the glossary.
    """

    term: str = ""
    answer: str = ""
    sure: bool = False


async def explain(question: RentalQuestion, turn: TurnContext) -> Explanation:
    """What the glossary says of the words of `question`, behind the one that it answered where that goes on from it."""
    said = within(turn.history, question.session, 2)
    glossary = say("control.glossary", turn.language, text="").strip()
    goes_on = len(said) == 2 and said[1].text.startswith(glossary) and _GOES_ON.search(fold(question.text))
    text = f"{said[0].text} {question.text}" if goes_on else question.text
    found = await turn.services.knowledge.search(
        text,
        collection=COLLECTION,
        permissions=turn.profile.permissions,
        k=PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=turn.services.settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    terms = [
        (one.heading.rpartition(" › ")[2], one.text)
        for one in found.passages
        if one.heading and not _COLUMNS.search(one.text)
    ]
    terms.sort(key=lambda one: (detect_score(one[1]) > 0) != (turn.language == "vi"))
    named = [text_of for name, text_of in terms if {*folded_words(name)} <= {*folded_words(text)}]
    general = _asks(question, text)
    told = _told(question.text, text, named, terms) if general else ""
    return Explanation(
        one_line("".join(named[:1]), PASSAGE_CHARS),
        one_line(told, 2 * PASSAGE_CHARS),
        asks_meaning(question) or bool(goes_on),
    )


def asks_meaning(question: RentalQuestion) -> bool:
    """Whether the message asks what a term means or how an amount comes about, and of no rooms or papers in particular."""
    parsed, text = question.parsed, question.text
    told_apart = parsed.limit or (parsed.order and not parsed.group) or {*parsed.group} - {"month"}
    pointed = one_shown(text) or of_shown(text)
    narrowed = any(map(str.isdigit, text)) or places().find(text) or Vocabulary(text).owned(text) or pointed
    return bool(_MEANING.search(fold(text))) and not (told_apart or narrowed or parsed.refused)


def _asks(question: RentalQuestion, text: str) -> bool:
    """Whether the message, `text` with the one that it goes on from, asks in general."""
    parsed = question.parsed
    if question.decided or parsed.refused or any(map(str.isdigit, question.text)):
        return False
    narrowed = {one.field for one in parsed.filters} - _TERMS and not parsed.edited
    general = _IN_GENERAL.search(fold(text)) or _MEANING.search(fold(text))
    pointed = one_shown(question.text) or of_shown(question.text)
    return asks_meaning(question) or (bool(general) and not (parsed.own or narrowed or pointed))


def _told(message: str, text: str, named: Sequence[str], terms: Sequence[tuple[str, str]]) -> str:
    """The passage of a term that is named, or the sentence, that holds all words of the glossary which the message asks about, the
    one most like it; what is told apart stands in one passage.
    """
    sentences = [one for _, passage in terms for one in _SENTENCE.split(passage)]
    whole = [passage for _, passage in terms]
    known = {word for name, passage in terms for word in folded_words(f"{name} {passage}")}
    asked = _content(text) & known
    # "còn phòng trọ": the term was named before, its sentence tells the kinds it knows.
    new = _content(message, "kinds") & known if message != text else set()
    said = {*folded_words(_MEANING.sub(" ", fold(message)))}
    pieces = whole if _APART.search(fold(text)) else sentences
    fitting = [one for one in pieces if asked and asked <= {*folded_words(one)}]
    fitting.sort(key=lambda one: -len(said & {*folded_words(one)}))
    fitting = [*(one for one in named if new <= {*folded_words(one)}), *fitting]
    return _CODE.sub("", fitting[0]).replace("`", "") if fitting else ""


def _content(text: str, *without: str) -> set[str]:
    """The folded words of a message that say what it asks about, `without` those of a word list."""
    plain = fold(text)
    spans = [found.span() for one in (_MEANING, _IN_GENERAL) for found in one.finditer(plain)]
    find = Vocabulary(text).find
    spans += [span for name in without for span in spans_of(find(text, name))]
    spans += spans_of(find(text, "asks", "by month"))
    named = [one for one in find(text, "asks") if " " in one.phrase]  # "tiền thuê", where "thuê" says nothing
    idle = find(text, "neutral", "neutral")
    spans += spans_of(
        one for one in idle if not any(a.start <= one.start and one.end <= a.end for a in named)
    )
    return {one.folded for one in without_everyday(text, spans)}
