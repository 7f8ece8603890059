"""One search from question to safe pages: cleaned, looked up in the cache, asked, told honestly when it failed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from troly.text.catalogue import Lang
from troly_dental.search.cache import SearchCache
from troly_dental.search.engines import DuckDuckGo, Engine, EngineError, Searxng
from troly_dental.search.outcome import SearchOutcome
from troly_dental.search.pages import LIMIT, Page, safe_pages
from troly_dental.search.query import clean
from troly_dental.settings import DentalSettings

if TYPE_CHECKING:
    from troly.plugin.services import Services

# More than are kept, so that unusable ones do not leave the list short.
_ASKED_FOR = 2 * LIMIT
_LEFT_OUT = "unsafe"


async def search(
    query: str,
    *,
    services: Services,
    cache: SearchCache | None = None,
    lang: Lang = "vi",
    engine: Engine | None = None,
) -> SearchOutcome:
    """Up to five pages for `query` (003-18, 003-19); never raises, blocks nothing, fetches none of the links.

    DuckDuckGo answers, or the SearXNG server whose address is set: then nothing goes elsewhere. With the search
    turned off in the settings nothing is sent at all.
    """
    wanted = services.settings.of(DentalSettings)
    seconds = wanted.search_seconds
    chosen = engine or (Searxng(wanted.searxng, seconds) if wanted.searxng else DuckDuckGo(seconds))
    if wanted.search == "off":
        return SearchOutcome(problem="off", engine=chosen.label)
    kept = cache or SearchCache(services.state)
    sent = await asyncio.to_thread(clean, query)
    if not sent:
        return SearchOutcome(problem="no_query", engine=chosen.label)
    known = await asyncio.to_thread(kept.get, chosen.name, lang, sent)
    if known:
        return SearchOutcome(known, sent, engine=chosen.label, cached=True)
    pause = await asyncio.to_thread(kept.pause, chosen.name)
    if pause:
        return SearchOutcome(query="", problem="paused", engine=chosen.label, wait=pause.seconds)
    return await _ask(chosen, kept, sent, lang)


async def _ask(engine: Engine, cache: SearchCache, query: str, lang: Lang) -> SearchOutcome:
    problem, left_out = "", 0
    pages: tuple[Page, ...] = ()
    try:
        found = await engine.find(query, lang, _ASKED_FOR)
        pages, left_out = await asyncio.to_thread(safe_pages, found)
        problem = "" if pages else _LEFT_OUT if left_out else "empty"
    except EngineError as error:
        problem = error.problem
    except Exception:  # noqa: BLE001 (an engine is other people's code: a search that fails must not end the turn)
        problem = "bad_answer"
    if pages:
        await asyncio.to_thread(cache.put, engine.name, lang, query, pages)
    else:
        await asyncio.to_thread(cache.failed, engine.name, problem)
    return SearchOutcome(pages, query, problem, engine.label, left_out=left_out)
