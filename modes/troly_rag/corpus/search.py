"""Searching an agent's corpus: words and vectors, access filtered inside the search, versions and dates with each find."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from troly.plugin.context import TurnContext
from troly_rag.corpus.access import UserContext, may_see, unlabel
from troly_rag.corpus.cards import Card, Cards, Status
from troly_rag.corpus.coverage import YEAR, Coverage, figure_request, question_of, text_of

if TYPE_CHECKING:
    from troly.retrieval.search.knowledge import Embed, Knowledge
    from troly.retrieval.search.knowledge import Passage as Find
    from troly.text.catalogue import Lang


# --- Relevance: how well a find answers a query, from 0 to 1, to be held against a threshold

# Share of the query's telling words, and cosine similarity, that stand for a relevance. Between two points the value is
# on the line. Measured on the sample company (`test_corpus_recall.py`): nine of ten right documents hold three fifths of
# the words, of questions that nothing answers none does.
_BY_WORDS = ((0.0, 0.0), (0.5, 0.5), (0.6, 0.7), (1.0, 0.95))
_BY_MEANING = ((0.0, 0.0), (0.4, 0.3), (0.6, 0.7), (0.8, 0.9), (1.0, 0.99))


def relevance(covered: Coverage, similarity: float | None) -> float:
    """The larger of what words and meaning say, rounded to four places."""
    by_meaning = interpolated(_BY_MEANING, similarity) if similarity is not None else 0.0
    return round(max(interpolated(_BY_WORDS, covered.share), by_meaning), 4)


def interpolated(line: tuple[tuple[float, float], ...], at: float) -> float:
    """The value at `at` on a line through these points, the ends held."""
    at = min(max(at, line[0][0]), line[-1][0])
    for (left, low), (right, high) in pairwise(line):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return line[-1][1]


# Passages of one document: more of them would leave no room for what other documents say.
_PER_DOCUMENT = 3
_CANDIDATES = 50
# How much an answer that is not in force yields to one that is, and what closeness and the title count among equals.
_OUTDATED, _CLOSE, _TITLED, _ALIKE = 0.5, 0.1, 0.1, 0.2
# What a page in another language than the question yields to one in its own.
_OTHER_LANGUAGE = 0.15
# What a passage without the kind of figure that is asked for yields to one with it.
_NO_FIGURE = 0.15
# What one that does not answer counts beside one that does, of those closed and of those open.
MOST_WITHOUT = 0.9
# What stands apart in a page without naming its subject answers only when the words stand together as they were asked.
_TOGETHER = 0.3
# Fewer telling words say too little, but for the title of a page or a thing known by name.
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Passage:
    """A find with what is known of its document.

    `document` is its key in the corpus, `section` the headings above it, `department` the departments joined by ", "
    ("" is all of the company). `created_at` is aware (UTC), None without a date. `relevance` is from 0 to 1 and can
    be held against `min_relevance_score`; `share` is what it holds of the question's telling words, `value` orders
    it among others, `unread` are those words
    that it does not hold. `status` is "future" while its effective date has not come, `year` the present one.
    """

    document: str
    section: str
    title: str
    text: str
    url: str
    scope: str
    department: str
    created_at: datetime | None
    effective: date | None
    version: str
    relevance: float
    status: Status = "current"
    share: float = 0.0
    closeness: float = 0.0
    value: float = 0.0
    unread: tuple[str, ...] = ()
    year: int = 0

    @property
    def outdated(self) -> bool:
        """Whether it is not the version in force, or by its title of a year gone by."""
        titled = [int(named) for named in YEAR.findall(self.title)]
        return self.superseded or (bool(titled) and max(titled) < self.year)

    @property
    def superseded(self) -> bool:
        """Whether it is not the version in force: replaced by a newer one, or not effective yet."""
        return self.status != "current"

    @property
    def years(self) -> set[str]:
        """The years of its title and of its dates."""
        days = (self.created_at, self.effective)
        return {*YEAR.findall(self.title), *(str(day.year) for day in days if day)}

    @property
    def whole(self) -> str:
        """Title, headings and text: what a question is held against."""
        return f"{self.title}\n{self.section}\n{self.text}"


@dataclass(frozen=True, slots=True)
class CorpusResult:
    """Passages, best first, and how many relevant documents were `denied` (a number, nothing else of them).

    `used_vectors` says whether meaning was searched beside words, `closed` what a denied document speaks of the question
    at most (0 to 1), `closed_value` the most that one is worth.
    """

    passages: tuple[Passage, ...]
    denied: int = 0
    used_vectors: bool = False
    closed: float = 0.0
    closed_value: float = 0.0


class CorpusSearch:
    """Searches the corpora for one turn, or without a turn (tests); the same search is made once."""

    def __init__(
        self, knowledge: Knowledge, cards: Cards, *, embed: Embed | None = None, embedder: str = ""
    ) -> None:
        self._knowledge = knowledge
        self._cards = cards
        self._embed = embed
        self._embedder = embedder
        self._found: dict[tuple[Any, ...], asyncio.Task[CorpusResult]] = {}

    @classmethod
    def of(cls, turn: TurnContext) -> CorpusSearch:
        """The search of a turn."""
        services = turn.services
        return cls(
            services.knowledge,
            Cards(services.index),
            embed=turn.model.embed if turn.model.reason_unavailable is None else None,
            embedder=services.settings.models.for_mode(turn.mode.id, "embed"),
        )

    async def search(
        self,
        collection: str,
        query: str,
        user: UserContext,
        k: int = 10,
        *,
        now: datetime,
        lang: Lang = "vi",
        least: float = 0.7,
    ) -> CorpusResult:
        """The `k` passages of a corpus that answer `query` best, out of what `user` may see.

        Any string is a valid query; `least` is the relevance from which a denied document counts. The same search is
        made once. Raises StoreError.
        """
        key = (collection, query, user, now, lang, least)
        if key not in self._found:
            self._found[key] = asyncio.ensure_future(self._search(*key, k=max(k, _CANDIDATES)))
        found = await asyncio.shield(self._found[key])
        return replace(found, passages=found.passages[: max(0, k)])

    async def _search(  # noqa: PLR0917 (the key of a search)
        self,
        collection: str,
        query: str,
        user: UserContext,
        now: datetime,
        lang: Lang,
        least: float,
        *,
        k: int,
    ) -> CorpusResult:
        labels = await asyncio.to_thread(self._knowledge.store.permissions, collection)
        allowed = frozenset(label for label in labels if may_see(user, *unlabel(label)))
        seen: dict[bool, list[Passage]] = {}
        vectors = False
        for mine, permissions in ((True, allowed), (False, labels - allowed)):
            if not permissions:
                continue
            found = await self._knowledge.search(
                query,
                collection=collection,
                permissions=permissions,
                k=k,
                embed=self._embed,
                embedder=self._embedder,
                lang=lang,
            )
            vectors = vectors or (mine and found.used_vectors)
            who = user if mine else None
            seen[mine] = await asyncio.to_thread(self._passages, collection, query, found.passages, who, now)
        closed = [one for one in seen.get(False, ()) if one.relevance >= least]
        share = max(
            (one.share if answers(query, one, one.text) else MOST_WITHOUT * one.share for one in closed),
            default=0.0,
        )
        denied = len({one.document for one in closed})
        value = max((one.value for one in closed), default=0.0)
        return CorpusResult(tuple(_spread(seen.get(True, ()))[:k]), denied, vectors, share, value)

    def _passages(
        self, collection: str, query: str, finds: Sequence[Find], user: UserContext | None, now: datetime
    ) -> list[Passage]:
        """The finds with their cards, best first; those that `user` may see, asked once more of the card, or all."""
        cards = self._cards.of(collection, list({find.document for find in finds}))
        seen = {path: card for path, card in cards.items() if user is None or _visible(card, user)}
        standing = self._cards.standing(collection, seen, now)
        passages = [
            _passage(query, find, seen[find.document], standing[find.document], now.year)
            for find in finds
            if find.document in seen
        ]
        return sorted(passages, key=lambda one: (-one.value, one.document, one.section, one.text))


def _visible(card: Card, user: UserContext) -> bool:
    return may_see(user, card.scope, filter(None, card.departments.split("+")))


def _passage(query: str, find: Find, card: Card, status: Status, year: int) -> Passage:
    covered = question_of(query).coverage(text_of(f"{find.title}\n{find.heading}\n{find.text}"))
    created = datetime.fromisoformat(card.created_at) if card.created_at else None
    found = Passage(
        document=card.path,
        section=find.heading,
        title=card.title,
        text=find.text,
        url=card.url,
        scope=card.scope,
        department=", ".join(filter(None, card.departments.split("+"))),
        created_at=created.astimezone(UTC) if created else None,
        effective=date.fromisoformat(card.effective) if card.effective else None,
        version=card.version,
        relevance=relevance(covered, find.similarity),
        status=status,
        share=covered.share,
        closeness=covered.closeness,
        unread=covered.unread,
        year=year,
    )
    return replace(found, value=_value(query, found))


def _value(query: str, passage: Passage) -> float:
    """Relevance, and among equals how closely the words stand together, here and in the title, and whether they are the
    same words.

    What is not in force, or by its title of a past year, yields, unless the query asks for its year.
    """
    question = question_of(query)
    value = passage.relevance + _CLOSE * passage.closeness + _TITLED * question.named_by(passage.title)
    value += _ALIKE * question.likeness(text_of(passage.whole))
    if passage.outdated and not passage.years & set(YEAR.findall(query)):
        value *= _OUTDATED
    value -= _NO_FIGURE * (not figure_request(query).is_met(passage.text))
    value -= _OTHER_LANGUAGE * (question.language != text_of(passage.text).language)
    return round(value, 6)


def answers(query: str, passage: Passage, told: str) -> bool:
    """Whether `passage` speaks of everything that `query` asks, and `told` of it holds the kind of figure asked for."""
    question = question_of(query)
    if passage.share < 1 or not question.words or not question.keeps_numbers(passage.whole):
        return False
    if question.is_only_denied(passage.whole):
        return False
    named, asked = question.named_by(passage.title) >= 1, figure_request(query)
    few = question.subjects < _FEWEST and not question.is_topic and not asked.counts_things
    if not named and (few or passage.closeness < _TOGETHER):
        return False
    if not named and not (question.keeps_figures(told) and question.keeps_places(told)):
        return False
    if not (question.keeps_gifts(told) and question.keeps_objects(told)):
        return False
    return asked.is_met(told) and question.uses_figures(told) and question.keeps_denials(told)


def _spread(passages: Sequence[Passage]) -> list[Passage]:
    """At most `_PER_DOCUMENT` passages of each document first, the others after them."""
    counts: dict[str, int] = {}
    first: list[Passage] = []
    rest: list[Passage] = []
    for passage in passages:
        counts[passage.document] = counts.get(passage.document, 0) + 1
        (first if counts[passage.document] <= _PER_DOCUMENT else rest).append(passage)
    return [*first, *rest]
