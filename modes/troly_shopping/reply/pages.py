"""Finds the shop's pages that a question is about: by their headings first, by what they say otherwise (000-53 to 000-55)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from troly.plugin.context import Step, TurnContext
from troly.retrieval.documents.store import Reader
from troly.text.language import is_other
from troly.text.match import Lexicon
from troly_shopping.settings import ShoppingSettings
from troly_shopping.strings import say
from troly_shopping.wordlists import word_lists

PASSAGES, LOOKED_AT, QUOTED = 5, 16, 2
QUOTE_CHARS = 420
_TYPED = 60
# The share of what a question's words tell that a passage must hold to be quoted where no topic was read.
FITTING = 0.8
# Answered with a sentence, whatever the pages say.
SAID = {"order": "answer.no_orders", "order status": "answer.no_order_status", "hotline": "answer.hotline"}


@dataclass(frozen=True, slots=True)
class PagesText:
    """What is said of the topics, and the passages behind it."""

    text: str
    passages: tuple[Mapping[str, Any], ...]


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
            "score": round(passage.score, 4),
            "coverage": round(passage.coverage, 3),
        }
        for passage in result.passages
    ]
    if topics and settings.of(ShoppingSettings).rerank:
        found = rerank(found, topics, turn.language)
    step.note(say("step.retrieved", turn.language, count=len(found), collection=collection))
    return found


def rerank(found: list[dict[str, Any]], topics: Sequence[str], lang: Any) -> list[dict[str, Any]]:
    """Passages about a topic first, those whose heading says so before others; then as they were found (000-54)."""

    def place(at: int) -> tuple[Any, ...]:
        best = min((about(found[at], topic) for topic in topics), default=9)
        return best, is_other(found[at]["text"], lang), at

    return [found[at] for at in sorted(range(len(found)), key=place)]


def about(passage: Mapping[str, Any], topic: str) -> int:
    """How plainly a passage is about `topic`: 0 by its heading, 1 by its text, 2 by its page's title, 9 not at all."""
    words = _topics().get(topic)
    if words is None:
        return 9
    places = ("heading", "text", "title")
    return next((at for at, place in enumerate(places) if words.find(passage[place])), 9)


@cache
def _topics() -> Mapping[str, Lexicon]:
    lists = word_lists("topics")
    return {name[:-5]: Lexicon({name: entries}) for name, entries in lists.items() if name.endswith(" page")}


def topics_text(
    topics: Sequence[str], said: Mapping[str, str], passages: Sequence[Mapping[str, Any]], turn: TurnContext
) -> PagesText:
    """The pages on each topic word for word, or that there is none."""
    lang, hotline = turn.language, turn.persona().hotline
    lines: list[str] = []
    used: list[Mapping[str, Any]] = []
    unknown: list[str] = []
    for topic in topics:
        if topic in SAID:
            lines.append(say(SAID[topic], lang, hotline=hotline))
        places = [about(passage, topic) for passage in passages]
        best = min(places, default=9)
        best = 9 if topic in SAID and best > 0 else best
        chosen = [passage for passage, place in zip(passages, places, strict=True) if place == best < 9]
        ranked = sorted(zip(places, range(len(places)), passages, strict=True), key=lambda one: one[:2])
        own = [
            passage
            for place, _, passage in ranked
            if place <= 1 and best < 9 and not is_other(passage["text"], lang)
        ]
        own = [passage for passage in own if passage in chosen] or own[:1]
        fresh = [passage for passage in (own or chosen)[:QUOTED] if passage not in used]
        used += fresh
        if best == 9 and topic not in SAID:
            unknown.append(f"«{said.get(f'topic {topic}') or turn.text[:_TYPED].strip()}»")
    if used:
        lines += [passage_line(passage, turn) for passage in used]
        if any(is_other(passage["text"], lang) for passage in used):
            lines.append(say("answer.other_language", lang))
    if unknown:
        lines.append(say("answer.unknown_topic", lang, what=", ".join(unknown), hotline=hotline))
    intro = [say("answer.passages", lang)] if used and not any(topic in SAID for topic in topics) else []
    return PagesText("\n".join([*intro, *lines]), tuple(used))


def passage_line(passage: Mapping[str, Any], turn: TurnContext) -> str:
    """A passage, word for word, under its heading."""
    text = " ".join(passage["text"].split())
    quote = text if len(text) <= QUOTE_CHARS else f"{text[:QUOTE_CHARS].rsplit(' ', 1)[0]}…"
    return say("answer.passage", turn.language, quote=quote, title=passage["heading"])


def documents_loaded(turn: TurnContext) -> bool:
    """Whether there is any page that this person may see. Blocking."""
    reader = Reader(turn.services.settings.chroma.collection, None, turn.profile.permissions)
    return turn.services.knowledge.store.visible(reader) > 0
