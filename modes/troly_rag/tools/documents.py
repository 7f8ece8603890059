"""rag_tool and summary_tool: the sentences of the agent's corpus that answer, or what comes nearest, and a summary of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from troly.text.dates import HCM, format_date
from troly.text.fold import fold
from troly.text.match import blank_out, spans_of
from troly_rag.answer.evidence import SourceEvidence
from troly_rag.answer.grounding import Claim, claims_of, is_listed
from troly_rag.corpus.coverage import YEAR, figure_request, question_of, text_of
from troly_rag.corpus.search import MOST_WITHOUT, answers
from troly_rag.routing.lexicons import tool_words
from troly_rag.strings import say
from troly_rag.tools.interface import ToolInputs, ToolResult
from troly_rag.tools.limits import without_asking

if TYPE_CHECKING:
    from troly_rag.corpus.search import Passage

PASSAGES, _LOOKED_AT = 6, 30
SENTENCES, SUMMARY_SENTENCES = 3, 4
# From this relevance on a passage is material for a model, and may be shown as what comes nearest.
NEAR = 0.5
# A passage of so many characters is told whole.
TOLD_WHOLE = 400
_AS_GOOD = 0.02
# What is told beside the best sentence says at least this share of what that one says.
_BESIDE = 0.45
# What the sentence itself counts beside the headings above it; what a sentence without the figure asked for is worth, and
# one in another language.
_OWN, _NO_FIGURE, _OTHER_LANGUAGE = 0.7, 0.6, 0.4
# Below this share of its words a query is searched part by part too, for so many passages each, of so much relevance; a page
# that speaks of less of the rest of a message does not answer what leaves to it what it is of.
_READ, _OF_PART, _WORTH = 0.75, 2, 0.35
_MOMENT = re.compile(
    r"\b(?:hom (?:nay|qua|kia)|ngay mai|(?:sang|trua|chieu|toi|dem) (?:nay|qua|mai)|bay gio|luc nay|today|tonight|tomorrow|yesterday|right now)\b"
)
_RULED = re.compile(r"\b(?:duoc|phai|can|nen|bi|may|can|must|should|have to|do i|am i)\b")
_WHICH = re.compile(
    r"\b(?:co|con) (?:\w+ ){0,3}(?:gi|nao|ai)\b|^ai (?!la\b)|\bai (?:dang|se|truc)\b|\bwho(?: is| are|'s)\b|\bwhat(?: is| are|'s) (?:on|for|in)\b"
)
_VERSION = re.compile(rf"(?:\b(?:bản|ban|năm|nam|version)\s+)*{YEAR.pattern}|\bbản\b", re.IGNORECASE)
_PART = re.compile(r"[.;?!\n]+(?!\d)|,(?!\d)|\s(?:và|and|va)\s")


async def run_search(given: ToolInputs) -> ToolResult:
    """The best passages that the asker may see, and the sentences of them that answer the query.

    `covered` says whether a passage speaks of all that is asked, and no closed one answers as well; else `unread` are the
    words that it does not hold. Where versions are compared, the one in force and the old one are told.
    """
    turn, query = given.turn, given.query
    # A past year beside what is in force names both versions; what is counted by them is worked out.
    past = any(int(year) < turn.now.astimezone(HCM).year for year in YEAR.findall(query))
    in_force = tool_words("in_force").find(query)
    now = in_force if past and not question_of(query).own_figures else []
    versions = [*tool_words("compare").find(query), *tool_words("formerly").find(query)]
    compared = bool(versions or now)
    sides = blank_out(query, spans_of([*versions, *in_force]))
    # What is in force is told first anyway.
    asked = _VERSION.sub(" ", sides) if compared or (in_force and not past) else query
    least = given.config.limits.min_relevance_score
    found = await given.corpora.search(
        given.agent.collection, asked, given.user, _LOOKED_AT, now=turn.now, lang=turn.language, least=least
    )
    titled = question_of(asked).named_by
    near = [one for one in found.passages if one.relevance >= NEAR or titled(one.title) >= 1]
    told = _told(near)
    best = max((one.share for one in near), default=0.0)
    claims = _sentences(asked, told, SENTENCES)
    text = " ".join(text for text, _ in claims)
    whole = bool(told) and answers(asked, told[0], text)
    better = whole and found.closed == best and found.closed_value > told[0].value
    if better or found.closed > (best if whole else MOST_WITHOUT * best):
        # A closed page speaks of it better: nothing else comes near.
        told, text, whole = [], "", False
    # An older version is there to be weighed against what is in force, and is told where versions are compared.
    years = set(YEAR.findall(query))
    older = sorted(
        (one for one in near if one.superseded and one.relevance >= least and one not in told),
        key=lambda one: not years & one.years,
    )[:1]
    covered = whole and (not found.denied or found.closed < best)
    covered = covered and not _is_left_open(given, told[0])
    passing = _passing(given.query)
    covered = covered and not passing
    if compared and told and older:
        covered = covered or told[0].share >= 1
        current = _counterpart(older[0], near) or told[0]
        text = _versions(current, older[0], given)
        told = [next(one for one in near if one.document == current.document)]
    covered = covered and bool(older or not compared)
    passages = near[:PASSAGES]
    if not passages and (bare := without_asking(asked)):
        # What is left of a limit is worked out by a page that speaks of what the limit is of.
        again = await given.corpora.search(
            given.agent.collection, bare, given.user, PASSAGES, now=turn.now, lang=turn.language, least=least
        )
        passages = [one for one in again.passages if one.relevance >= NEAR]
    titles = list(dict.fromkeys(passage.title for passage in told))
    # A model that compares must see both sides.
    seen = dict.fromkeys([*(older if compared else ()), *near[:PASSAGES]])
    material = [evidence_of(passage, given.agent.name) for passage in seen]
    if turn.model.reason_unavailable is None and best < _READ:
        material += await _passages_of_parts(given)
    return ToolResult(
        answer=text,
        context=say("tool.looked_in", turn.language, titles="; ".join(titles)) if titles else "",
        evidence=tuple(evidence_of(passage, given.agent.name) for passage in (*told, *older)),
        passages=tuple(passages),
        beside=tuple(one for one in found.passages if one.share)[:PASSAGES],
        denied=given.user.may_know_of(found.denied),
        covered=covered,
        unread=(*([passing] if passing else []), *told[0].unread) if told else question_of(asked).words,
        material=tuple(material),
    )


def _passing(query: str) -> str:
    """The word for a day or moment where a question asks who or which one it is then, which no page of rules tells; what
    must or may be done then is told by the rule. "" for any other question."""
    text = fold(query)
    moment = _MOMENT.search(text)
    if moment is None or _RULED.search(text) or not _WHICH.search(text.replace(moment[0], " ").strip()):
        return ""
    return query[slice(*moment.span())]


def _is_left_open(given: ToolInputs, passage: Passage) -> bool:
    """Whether the query is a part of the message that leaves to the others what it is of, and the page does not speak of that."""
    if given.turn.model.reason_unavailable is None or not question_of(given.query).is_bare:
        return False
    own = {word.folded for word in question_of(given.query).tokens}
    others = [word for word in question_of(given.turn.text).words if fold(word) not in own]
    held = question_of(" ".join(others)).coverage(text_of(passage.whole)).share if others else 1.0
    return held < _READ


async def passages_before(given: ToolInputs, seen: Sequence[SourceEvidence]) -> tuple[SourceEvidence, ...]:
    """What the query of the turn before finds beside what was `seen`: a follow-up may ask of a passage that stood there."""
    turn = given.turn
    result = await given.corpora.search(
        given.agent.collection, given.query, given.user, PASSAGES, now=turn.now, lang=turn.language
    )
    found = (evidence_of(one, given.agent.name) for one in result.passages if one.relevance >= NEAR)
    texts = {one.text for one in seen}
    return tuple(one for one in found if one.text not in texts)


async def _passages_of_parts(given: ToolInputs) -> list[SourceEvidence]:
    """The best passages of each part of a query that no passage speaks of as a whole, and of the message itself in what any
    agent holds: for a model, which sees for itself what they are worth."""
    turn, config = given.turn, given.config
    parts = [part for part in _PART.split(given.query) if question_of(part).subjects]
    asked = [(part, given.agent) for part in dict.fromkeys([*parts, turn.text])]
    # A part may be another department's matter than the one that the query was put to.
    asked += [
        (part, one) for one in config.agents.values() if one != given.agent for part in (*parts, turn.text)
    ]
    found: dict[str, SourceEvidence] = {}
    for part, agent in asked:
        result = await given.corpora.search(
            agent.collection,
            part,
            given.user,
            _OF_PART,
            now=turn.now,
            lang=turn.language,
            least=config.limits.min_relevance_score,
        )
        least = _WORTH if agent == given.agent else NEAR
        for one in result.passages:
            if one.relevance >= least:
                found.setdefault(one.text, evidence_of(one, agent.name))
    return list(found.values())


def _told(near: Sequence[Passage]) -> list[Passage]:
    """The best passage, and one more that answers no less well."""
    if not near:
        return []
    best = near[0]
    alike = [
        one for one in near[1:] if one.value >= best.value - _AS_GOOD and one.superseded == best.superseded
    ]
    return [best, *alike[:1]]


def _counterpart(older: Passage, near: Sequence[Passage]) -> Passage | None:
    """What the document in force that says most in the words of an old one says of it and of each of its sentences."""
    current, told = [one for one in near if not one.superseded], dict[str, None]()
    for pairs in (text_of(said).pairs for said in (older.text, *claims_of(older.text)) if current):
        best = max(current, key=lambda one: len(pairs & text_of(one.text).pairs))
        current = [one for one in current if one.document == best.document]
        told[best.text] = None
    return replace(current[0], text="\n".join(told)) if current else None


def _versions(current: Passage, older: Passage, given: ToolInputs) -> str:
    """Both versions with their dates."""
    lang = given.turn.language
    sides = [
        say(
            f"tool.{key}",
            lang,
            title=one.title,
            date=format_date(one.created_at.astimezone(HCM).date()) if one.created_at else "-",
            text=one.text
            if len(one.text) <= TOLD_WHOLE
            else " ".join(text for text, _ in _sentences(given.query, [one], SENTENCES)),
        )
        for key, one in (("in_force", current), ("older", older))
    ]
    return "\n".join(sides)


def _sentences(query: str, passages: Sequence[Passage], most: int) -> list[tuple[str, Passage]]:
    """The sentences of `passages` that answer `query`, each with its passage; a short passage is told whole."""
    if passages and len(passages[0].text) <= TOLD_WHOLE:
        return [(" ".join(one.text.split()), one) for one in passages if len(one.text) <= TOLD_WHOLE]
    headings = [f"{one.title} {one.section}" for one in passages]
    claims = extract(query, [one.text for one in passages], headings, most=most)
    return [(claim.text, passages[claim.passage]) for claim in claims]


def extract(
    question: str, passages: Sequence[str], headings: Sequence[str] = (), *, most: int = 3
) -> tuple[Claim, ...]:
    """The sentences of `passages` (best first) that answer `question` best, at most `most`, in the order they stand.

    A sentence is judged by what it and the `headings` above it hold of the question's telling words, and by the kind of
    figure that is asked for. One that opens a list is told with its items, which do not count.
    """
    found = [
        (place, sentence.strip()) for place, passage in enumerate(passages) for sentence in claims_of(passage)
    ]
    scores = [
        _score(question, text, headings[place] if place < len(headings) else "") for place, text in found
    ]
    best = max(scores, default=0.0)
    ranked = sorted(range(len(found)), key=lambda at: -scores[at])[:most]
    chosen = {at for at in ranked if scores[at] > 0 and scores[at] >= _BESIDE * best}
    for at in sorted(chosen):
        item = at + 1 if found[at][1].endswith(":") else len(found)
        while item < len(found) and is_listed(found[item][1]):
            chosen.add(item)
            item += 1
    return tuple(Claim(found[at][1], found[at][0]) for at in sorted(chosen))


def _score(question: str, sentence: str, heading: str) -> float:
    """From 0; what has nothing of the question is 0, whatever figures it holds."""
    asked, figures = question_of(question), figure_request(question)
    own = asked.coverage(text_of(sentence)).share
    held = _OWN * own + (1 - _OWN) * asked.coverage(text_of(f"{heading}\n{sentence}")).share
    if asked.language != text_of(sentence).language:
        held *= _OTHER_LANGUAGE
    bonus = figures.bonus(fold(sentence))
    return (held if bonus or not figures.figure else held * _NO_FIGURE) + (bonus if held else 0.0)


def evidence_of(passage: Passage, agent: str) -> SourceEvidence:
    """A passage as documented evidence (004-20)."""
    return SourceEvidence(
        url=passage.url or passage.document,
        created_at=passage.created_at,
        scope=passage.scope,
        relevance_score=passage.relevance,
        title=passage.title,
        text=passage.text,
        section=passage.section,
        agent=agent,
        superseded=passage.superseded,
        document=passage.document,
        department=passage.department,
        version=passage.version,
    )


async def run_summary(given: ToolInputs) -> ToolResult:
    """The best sentences of what the searches found; "" where nothing was found. A model words them in the answer."""
    passages = _told(given.passages)
    claims = _sentences(given.query, passages, SUMMARY_SENTENCES)
    used = list(dict.fromkeys(passage for _, passage in claims))
    return ToolResult(
        answer=" ".join(text for text, _ in claims),
        context=say("tool.summed", given.turn.language, count=len(used)),
        evidence=tuple(evidence_of(passage, given.agent.name) for passage in used),
        passages=given.passages,
    )
