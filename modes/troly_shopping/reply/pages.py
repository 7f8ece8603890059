"""Finds the shop's pages that a question is about: by their headings first, by what they say otherwise (000-53 to 000-55)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.retrieval.documents.store import Reader
from troly.text.catalogue import Lang
from troly.text.fold import fold, folded_words
from troly.text.language import is_other
from troly.text.match import Lexicon
from troly_shopping.products.query import ProductQuery
from troly_shopping.settings import ShoppingSettings
from troly_shopping.strings import say
from troly_shopping.wordlists import word_lists

PASSAGES, LOOKED_AT, QUOTED = 4, 16, 2
_NOT = 9
QUOTE_CHARS = 420
_TYPED = 60
# The share of what a question's words tell that a passage must hold to be quoted where no topic was read.
FITTING = 0.8
# "đơn hàng DH12345": the code of an order is no word about goods.
_MEASURE = re.compile(
    r"(?:\d+|nua)(?:[:.,]\d+)? ?(?:h\d*|g|gio|tieng|phut|ngay|hom|bua|tuan|thang|nam|km|cay|am|pm|hours?|days?|weeks?|months?)?"
)
# Answered with a sentence, whatever the pages say.
SAID = {
    "order": "answer.no_orders", "order status": "answer.no_order_status", "cancel order": "answer.no_cancelling",
    "hotline": "answer.hotline",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PagesText:
    """What is said of the topics, the passages behind it, what of the question they do not speak of, and whether all is answered."""

    text: str
    passages: tuple[Mapping[str, Any], ...]
    unread: tuple[str, ...] = ()
    answered: bool = True


async def search_pages(
    turn: TurnContext, question: str, topics: Sequence[str], step: Step
) -> list[dict[str, Any]]:
    """The passages nearest to `question` and `topics`, best first, as plain values with title and heading."""
    settings = turn.services.settings
    collection = settings.chroma.collection
    if not await asyncio.to_thread(documents_loaded, turn):
        step.note(say("step.no_knowledge", turn.language))
        return []
    words = [entry for topic in topics for entry in word_lists("topics").get(f"{topic} page", ())]
    result = await turn.services.knowledge.search(
        " ".join([question, *words]),
        collection=collection,
        permissions=turn.profile.permissions,
        k=LOOKED_AT if topics else PASSAGES,
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=settings.models.for_mode(turn.mode.id, "embed"),
        lang=turn.language,
    )
    found = [
        {
            "title": passage.title,
            "heading": passage.heading.split(" › ")[-1] or passage.title,
            "text": passage.text,
            "where": passage.where,
            "loaded": passage.ingested_at,
            "score": round(passage.score, 4),
            "coverage": round(passage.coverage, 3),
        }
        for passage in result.passages
    ]
    if topics and settings.of(ShoppingSettings).rerank:
        found = rerank(found, topics, turn.language)
        found = [one for one in found if any(about(one, topic) < _NOT for topic in topics)] or found
    found = found[: QUOTED * len(topics) + 1 if topics else PASSAGES]
    step.note(say("step.retrieved", turn.language, count=len(found), collection=collection))
    return found


def rerank(found: list[dict[str, Any]], topics: Sequence[str], lang: Lang) -> list[dict[str, Any]]:
    """The best passages of each topic first, those whose heading says so before others; the rest as they were found (000-54).

    Of a page that stands there in both languages only the one of the answer is kept.
    """
    own = [one for one in found if not is_other(str(one["text"]), lang)]
    if any(about(one, topic) == 0 for one in own for topic in topics):
        found = own
    first: list[dict[str, Any]] = []
    for topic in topics:
        first += [one for one in _ranked(topic, found, lang)[:QUOTED] if one not in first]
    return [*first, *(one for one in found if one not in first)]


def _ranked(topic: str, passages: Sequence[dict[str, Any]], lang: Lang) -> list[dict[str, Any]]:
    """Those about `topic`: the plainest first, those in the language of the answer before others."""
    told = [one for one in passages if about(one, topic) < _NOT]
    return sorted(told, key=lambda one: (about(one, topic), is_other(one["text"], lang)))


def about(passage: Mapping[str, Any], topic: str) -> int:
    """How plainly a passage is about `topic`: 0 by its heading, 1 by its text, 2 by its page's title, `_NOT` not at all."""
    words = _topics().get(topic)
    if words is None:
        return _NOT
    places = ("heading", "text", "title")
    found = next((at for at, place in enumerate(places) if _says(words, str(passage[place]))), _NOT)
    # What is a part of a wider topic is told on the page of that one: cash on delivery under "Hình thức thanh toán".
    wider = [_topics()[one] for one in _wider(topic) if one in _topics()] if found == 1 else []
    return 0 if any(_says(one, str(passage["heading"])) for one in wider) else found


def _says(words: Lexicon, text: str) -> bool:
    """Whether a page has one of the words, with its accents where the page is written with accents: "kiểm tra hàng" is no "trả hàng"."""
    return any(hit.exact or text.isascii() for hit in words.find(text))


@cache
def _wider(topic: str) -> tuple[str, ...]:
    """The topics that a topic asks more closely of."""
    rules = word_lists("topic_rules")
    return tuple(name[7:] for name, closer in rules.items() if name[:7] == "closer " and topic in closer)


@cache
def _topics() -> Mapping[str, Lexicon]:
    lists = word_lists("topics")
    return {name[:-5]: Lexicon({name: entries}) for name, entries in lists.items() if name.endswith(" page")}


def topics_text(
    topics: Sequence[str],
    query: ProductQuery,
    passages: Sequence[dict[str, Any]],
    turn: TurnContext,
    earlier: Sequence[str] = (),
) -> PagesText:
    """The pages on each topic word for word, or that there is none.

    Of the topics `earlier` where one of their pages says what is asked now: "còn chuyển khoản?" after a refund.
    """
    lang, hotline = turn.language, turn.persona().hotline
    asked = [*(query.said.get(f"topic {topic}", topic) for topic in topics), *query.unread]
    named = set(folded_words(" ".join(asked)))
    before = [page for topic in earlier for page in _passages_about(topic, passages, lang)]
    answered = any(_passages_about(topic, passages, lang) for topic in topics)
    if before and (not answered or any(named.issubset(folded_words(page["text"])) for page in before)):
        # What has no page of its own ("thế nếu đặt lúc 10h") is asked of the page before.
        topics = earlier
    said = [say(SAID[topic], lang, hotline=hotline) for topic in topics if topic in SAID]
    used: list[dict[str, Any]] = []
    unknown: list[str] = []
    mentioned = False
    for topic in topics:
        found = _passages_about(topic, passages, lang)
        mentioned = mentioned or any(about(passage, topic) > 0 for passage in found)
        used += [passage for passage in found if passage not in used]
        if not found and topic not in SAID:
            unknown.append(f"«{query.said.get(f'topic {topic}') or turn.text[:_TYPED].strip()}»")
    spoken = set(folded_words(" ".join(f"{one['title']} {one['heading']} {one['text']}" for one in used)))
    # A number of hours, days, km ("15 km", "8h") is settled by those of the page.
    figures = any(word.isdigit() for word in spoken)
    unread = tuple(
        words
        for words in query.unread
        if ("total" in query.moves and words.isdigit())
        or (not spoken.issuperset(folded_words(words)) and not (figures and _MEASURE.fullmatch(fold(words))))
    )
    lines = [*said, *(passage_line(passage, turn) for passage in used)]
    if any(is_other(passage["text"], lang) for passage in used):
        lines.append(say("answer.other_language", lang))
    if unknown:
        lines.append(say("answer.unknown_topic", lang, what=", ".join(unknown), hotline=hotline))
    intro = []
    if used and unread:
        intro = [say("answer.partly", lang, what=", ".join(f"«{words}»" for words in unread))]
    elif used and not said:
        # A page that is about something else and has a word of it may answer or not.
        intro = [say("answer.near" if mentioned else "answer.passages", lang)]
    told = "\n".join([*intro, *lines])
    return PagesText(told, tuple(used), unread, not (unread or unknown or said or mentioned))


def _passages_about(topic: str, passages: Sequence[dict[str, Any]], lang: Lang) -> list[dict[str, Any]]:
    """The passages to quote on `topic`: those that are about it most plainly, in the language of the answer where there are any."""
    ranked = _ranked(topic, passages, lang)
    best = about(ranked[0], topic) if ranked else _NOT
    if topic in SAID and best > 0:
        return []
    plainest = [one for one in ranked if about(one, topic) == best]
    own = [one for one in ranked if about(one, topic) <= max(best, 1) and not is_other(one["text"], lang)]
    if own and is_other(plainest[0]["text"], lang):
        return own[:1]
    return [one for one in plainest if one in own][:QUOTED] or plainest[:QUOTED]


def passage_line(passage: Mapping[str, Any], turn: TurnContext) -> str:
    """A passage, word for word, under its heading."""
    text = " ".join(passage["text"].split())
    quote = text if len(text) <= QUOTE_CHARS else f"{text[:QUOTE_CHARS].rsplit(' ', 1)[0]}…"
    return say("answer.passage", turn.language, quote=quote, title=passage["heading"])


def documents_loaded(turn: TurnContext) -> bool:
    """Whether there is any page that this person may see. Blocking."""
    reader = Reader(turn.services.settings.chroma.collection, None, turn.profile.permissions)
    return turn.services.knowledge.store.visible(reader) > 0
