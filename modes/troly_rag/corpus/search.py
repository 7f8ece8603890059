"""Searching an agent's corpus: words and vectors, access filtered inside the search, versions and dates with each find."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from troly.plugin.context import TurnContext
from troly_rag.config import Agent
from troly_rag.corpus.access import UserContext, may_see, unlabel
from troly_rag.corpus.cards import Card, Cards, Status
from troly_rag.corpus.wordings import QueryVariant, title_matcher, variants

if TYPE_CHECKING:
    from troly.retrieval.search.knowledge import Passage as Find


# --- Relevance: how well a find answers a query, from 0 to 1, to be held against a threshold

# Share of what the query's words tell, and cosine similarity, that stand for a relevance. Between two points the
# value is on the line. Measured with `tests/modes/rag/retrieval_pairs.txt` on the sample company: 93 % of the right
# documents reach 0.7, of 12 questions that nothing answers none does (`test_corpus_recall.py` holds both).
_BY_WORDS = ((0.0, 0.0), (0.3, 0.45), (0.45, 0.7), (0.75, 0.88), (1.0, 0.97))
# What tells less than this share of the best find of the same search is beside the point, whatever it holds.
_NEAR_THE_BEST = 0.7
_BESIDE = 0.69
# What a passage of a document is worth at least whose title stands in the query, if it has any of the query's words.
_NAMED = 0.75
_BY_MEANING = ((0.0, 0.0), (0.4, 0.3), (0.6, 0.7), (0.8, 0.9), (1.0, 0.99))


def relevance(find: Find, share: float, best: float, *, named: bool = False) -> float:
    """The larger of what words and meaning say, rounded to four places.

    `share` is what the find holds of what the query's words tell, `best` the largest share of the same search;
    `named` says that the query holds the title of its document.
    """
    by_words = _on(_BY_WORDS, share)
    near = share / (_NEAR_THE_BEST * best) if best else 1.0
    if near < 1:
        by_words = min(by_words, _BESIDE * near)
    if named and share:
        by_words = max(by_words, _NAMED)
    by_meaning = _on(_BY_MEANING, find.similarity) if find.similarity is not None else 0.0
    return round(max(by_words, by_meaning), 4)


def _on(line: tuple[tuple[float, float], ...], at: float) -> float:
    at = min(max(at, line[0][0]), line[-1][0])
    for (left, low), (right, high) in pairwise(line):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return line[-1][1]


if TYPE_CHECKING:
    from troly.retrieval.search.knowledge import Embed, Knowledge
    from troly.retrieval.search.knowledge import Passage as Find
    from troly.text.catalogue import Lang

    _Finds = Mapping[int, tuple[Find, float]]

# Passages of one document: more of them would leave no room for what other documents say.
_PER_DOCUMENT = 3
_CANDIDATES = 50
# How much an answer that is not in force yields to one that is.
_OUTDATED = 0.85
_CLOSENESS = 0.5
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Passage:
    """A find with what is known of its document.

    `document` is its key in the corpus, `section` the headings above it, `department` the departments joined by ", "
    ("" is all of the company). `created_at` is aware (UTC), None without a date. `relevance` is from 0 to 1 and can
    be held against `min_relevance_score`. `status` is "future" while its effective date has not come.
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
    where: str = ""

    @property
    def superseded(self) -> bool:
        """Whether it is not the version in force: replaced by a newer one, or not effective yet."""
        return self.status != "current"


@dataclass(frozen=True, slots=True)
class CorpusResult:
    """Passages, best first, and how many relevant documents were `denied` (a number, nothing else of them).

    `used_vectors` says whether meaning was searched beside words.
    """

    passages: tuple[Passage, ...]
    denied: int = 0
    used_vectors: bool = False


async def search(
    turn: TurnContext, agent: Agent, query: str, user: UserContext, *, k: int, least: float
) -> CorpusResult:
    """The `k` passages of the agent's corpus that answer `query` best, out of what `user` may see.

    Any string is a valid query; `least` is the relevance from which a denied document counts. Raises StoreError.
    """
    services = turn.services
    corpora = CorpusSearch(
        services.knowledge,
        Cards(services.state),
        embed=turn.model.embed if turn.model.reason_unavailable is None else None,
        embedder=services.settings.models.for_mode(turn.mode.id, "embed"),
    )
    return await corpora.search(
        agent.collection, query, user, k, now=turn.now, lang=turn.language, least=least
    )


class CorpusSearch:
    """A search over corpora without a turn around it (tests, `app agents search`)."""

    def __init__(
        self, knowledge: Knowledge, cards: Cards, *, embed: Embed | None = None, embedder: str = ""
    ) -> None:
        self._knowledge = knowledge
        self._cards = cards
        self._embed = embed
        self._embedder = embedder

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
        """As `search`; `least` is the relevance from which a denied document counts."""
        labels = await asyncio.to_thread(self._knowledge.store.permissions, collection)
        allowed = frozenset(label for label in labels if may_see(user, *unlabel(label)))
        wanted = await asyncio.to_thread(variants, query)
        finds, vectors = await self._finds(collection, wanted, allowed, k, lang)
        behind, _ = await self._finds(collection, wanted, labels - allowed, k, lang)
        named = await asyncio.to_thread(title_matcher, [wording.text for wording in wanted])
        denied = _relevant({**finds, **behind}, named)
        count = len(
            {find.document_id for key, (find, value) in denied.items() if key in behind and value >= least}
        )
        years = frozenset(_YEAR.findall(query))
        passages = await asyncio.to_thread(
            self._passages, collection, _relevant(finds, named), user, now, years
        )
        return CorpusResult(tuple(_spread(passages)[: max(0, k)]), count, vectors)

    async def _finds(
        self, collection: str, wanted: Sequence[QueryVariant], permissions: frozenset[str], k: int, lang: Lang
    ) -> tuple[_Finds, bool]:
        """Chunks with the largest share that any wording finds in them; only the first wording asks for vectors."""
        best: dict[int, tuple[Find, float]] = {}
        vectors = False
        for number, wording in enumerate(wanted if permissions else ()):
            result = await self._knowledge.search(
                wording.text,
                collection=collection,
                permissions=permissions,
                k=max(_CANDIDATES, k),
                embed=None if number else self._embed,
                embedder=self._embedder,
                lang=lang,
            )
            vectors = vectors or result.used_vectors
            for find in result.passages:
                share = wording.weight * find.coverage
                known = best.get(find.chunk_id)
                if known is None:
                    best[find.chunk_id] = (find, share)
                elif known[1] < share:
                    # The meaning was asked for once: a later wording keeps what it said.
                    best[find.chunk_id] = (replace(find, similarity=known[0].similarity), share)
        return best, vectors

    def _passages(
        self,
        collection: str,
        finds: _Finds,
        user: UserContext,
        now: datetime,
        years: frozenset[str],
    ) -> list[Passage]:
        """The finds with their cards, best first; `years` are asked for. Access is asked once more, of the card."""
        cards = self._cards.of(collection, list({find.document for find, _ in finds.values()}))
        seen = {path: card for path, card in cards.items() if _visible(card, user)}
        standing = self._cards.standing(collection, seen, now)
        passages = [
            (find.score, _passage(find, value, seen[find.document], standing[find.document]))
            for find, value in finds.values()
            if find.document in seen
        ]
        return [passage for _, passage in sorted(passages, key=lambda one: _order(one[0], one[1], years))]


def _relevant(finds: _Finds, named: Callable[[str], bool]) -> dict[int, tuple[Find, float]]:
    """The finds with their relevance in place of the share; `named` tells whether the query holds a title."""
    best = max((share for _, share in finds.values()), default=0.0)
    return {
        key: (find, relevance(find, share, best, named=named(find.title)))
        for key, (find, share) in finds.items()
    }


def _visible(card: Card, user: UserContext) -> bool:
    return may_see(user, card.scope, filter(None, card.departments.split("+")))


def _passage(find: Find, value: float, card: Card, status: Status) -> Passage:
    created = datetime.fromisoformat(card.created_at) if card.created_at else None
    return Passage(
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
        relevance=value,
        status=status,
        where=find.where,
    )


def _order(score: float, passage: Passage, years: frozenset[str]) -> tuple[float, str, str]:
    """Relevance, and among equals how closely the words stand together.

    What is not in force yields, unless the query asks for its year.
    """
    own = {
        *_YEAR.findall(passage.title),
        *(str(day.year) for day in (passage.created_at, passage.effective) if day),
    }
    weight = _OUTDATED if passage.superseded and not years & own else 1.0
    return -weight * (passage.relevance + _CLOSENESS * score), passage.document, passage.text


def _spread(passages: Sequence[Passage]) -> list[Passage]:
    """At most `_PER_DOCUMENT` passages of each document first, the others after them."""
    counts: dict[str, int] = {}
    first: list[Passage] = []
    rest: list[Passage] = []
    for passage in passages:
        counts[passage.document] = counts.get(passage.document, 0) + 1
        (first if counts[passage.document] <= _PER_DOCUMENT else rest).append(passage)
    return [*first, *rest]
