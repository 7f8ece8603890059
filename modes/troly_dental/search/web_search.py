"""One search of the web from question to safe pages: the query cleaned, the cache and an engine asked, failures explained."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from troly.text.catalogue import Lang
from troly.text.fold import nfc
from troly.text.sanitize import sanitize
from troly_dental import redaction
from troly_dental.search.cache import SearchCache
from troly_dental.search.engines import DuckDuckGo, Engine, EngineError, Searxng
from troly_dental.search.pages import LIMIT, Page, safe_pages
from troly_dental.settings import DentalSettings
from troly_dental.strings import say

if TYPE_CHECKING:
    from troly.plugin.services import Services


PROBLEMS = (
    "empty", "unsafe", "rate_limited", "timeout", "unreachable", "bad_answer", "refused", "missing",
    "no_query", "off", "server",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search gave.

    `query` is what was sent, cleaned; empty when nothing was. `problem` is empty when there are results, else why
    there are none (`explain` makes a sentence of it). `cached`: answered from an earlier search. `left_out` counts
    pages that gave orders to the model.
    """

    results: tuple[Page, ...] = ()
    query: str = ""
    problem: str = ""
    engine: str = ""
    cached: bool = False
    left_out: int = 0


def explain(outcome: SearchOutcome, lang: Lang) -> str:
    """Why there are no pages and what can be done, in one or two sentences; "" when there are some."""
    if not outcome.problem:
        return ""
    return say(f"search.{outcome.problem}", lang, engine=outcome.engine)


def outcome_from_json(saved: Mapping[str, Any]) -> SearchOutcome:
    """An outcome from the fields that a turn recorded."""
    return SearchOutcome(**{**saved, "results": tuple(Page(**page) for page in saved["results"])})


# -- The query that leaves the machine: short, without personal data and without an engine's own commands.

MAX_CHARS = 200
_READ_CHARS = 4000
# A second net behind the masking: whatever still looks like an address or a number of a person.
_ADDRESS = re.compile(r"\S*@\S*|\b(?:https?://|www\.)\S*", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"\+?\d(?:[ .\-()]{0,2}\d){6,}")
# `!bang` sends a query to another site; operators narrow it to one.
_BANG = re.compile(r"(?:^|(?<=\s))[!\\]+(?=\S)|[!\\]+(?=\s|$)")
_OPERATOR = re.compile(
    r"(?:^|(?<=[\s\-]))(?:site|filetype|inurl|intitle|intext|inbody|loc|location|region|ip|url|lang)\s*:",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[\"“”„«»`|{}\[\]<>^~*=]+|(?:^|(?<=\s))[+\-]+(?=\S)")


def clean_query(text: str) -> str:
    """`text` as a query of at most `MAX_CHARS` characters; "" when nothing is left to look for.

    Names, phones, mail addresses, identity numbers and street addresses are taken out, not replaced; so are links and
    the search engine's operators.
    """
    plain = " ".join(nfc(sanitize(text[:_READ_CHARS])).split())
    plain = redaction.strip(plain)
    plain = _LONG_NUMBER.sub(" ", _ADDRESS.sub(" ", plain))
    plain = _SIGNS.sub(" ", _OPERATOR.sub(" ", _BANG.sub(" ", plain)))
    # What is taken from the front may have hidden a command behind it: ":!bang".
    words = " ".join(plain.split()).strip(" ,;:.-").lstrip("!\\+-,;:. ")
    if not any(char.isalnum() for char in words):
        return ""
    if len(words) <= MAX_CHARS:
        return words
    head = words[:MAX_CHARS]
    return (head.rpartition(" ")[0] or head).strip(" ,;:.-")


# -- The search.

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
    sent = await asyncio.to_thread(clean_query, query)
    if not sent:
        return SearchOutcome(problem="no_query", engine=chosen.label)
    known = await asyncio.to_thread(kept.get, chosen.name, lang, sent)
    if known:
        return SearchOutcome(known, sent, engine=chosen.label, cached=True)
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
    return SearchOutcome(pages, query, problem, engine.label, left_out=left_out)
