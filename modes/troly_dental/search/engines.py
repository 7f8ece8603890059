"""The engines that can search: DuckDuckGo through the ddgs package, or a SearXNG server of one's own."""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from troly.text.catalogue import Lang

Problem = Literal["empty", "rate_limited", "timeout", "unreachable", "bad_answer", "refused", "missing"]
RawResults = Sequence[Mapping[str, object]]
BACKEND = "duckduckgo"
TIMEOUT = 8.0
"""Seconds that one search may take."""
# What the package may take beyond its own timeout, which holds for each of its requests.
_GRACE = 2.0
_MAX_BYTES = 12 * 1024 * 1024
_REGIONS: Mapping[Lang, str] = {"vi": "vn-vi", "en": "us-en"}


class EngineError(Exception):
    """The engine gave no pages; `problem` says why (`explain` has the sentences)."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem: Problem = problem


class Engine(Protocol):
    """Something that searches; `name` keys its cache and its pauses, `label` is shown."""

    name: str
    label: str

    async def find(self, query: str, lang: Lang, limit: int) -> RawResults:
        """Results as mappings with `title`, `content`, `link`, best first; raises EngineError."""
        ...


class TextSearch(Protocol):
    """The part of `ddgs.DDGS` that is used."""

    def text(self, query: str, **kwargs: Any) -> list[dict[str, Any]]:
        """Results with `title`, `href` and `body`; raises ddgs.exceptions.DDGSException."""
        ...


class DuckDuckGo:
    """DuckDuckGo alone, by name: the package's own choice would send the query to several engines (003-17)."""

    name = BACKEND
    label = "DuckDuckGo"

    def __init__(
        self,
        timeout: float = TIMEOUT,
        client: Callable[[int], TextSearch] | None = None,
        grace: float = _GRACE,
    ) -> None:
        """`client(seconds)` makes the searcher, ddgs where none is given; `timeout` and `grace` are seconds."""
        self._timeout = timeout
        self._deadline = timeout + grace
        self._client = client or _ddgs

    async def find(self, query: str, lang: Lang, limit: int) -> RawResults:
        """Results of DuckDuckGo, asked in a thread; an answer after the deadline is dropped. Raises EngineError."""
        work = asyncio.to_thread(self._ask, query, lang, limit)
        try:
            rows = await asyncio.wait_for(work, self._deadline)
        except TimeoutError as error:
            raise EngineError("timeout") from error
        return [
            {"title": row.get("title"), "content": row.get("body"), "link": row.get("href")} for row in rows
        ]

    def _ask(self, query: str, lang: Lang, limit: int) -> list[dict[str, Any]]:
        try:
            from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
        except ImportError as error:
            raise EngineError("missing") from error
        try:
            client = self._client(max(1, round(self._timeout)))
            return client.text(
                query, region=_REGIONS[lang], safesearch="moderate", max_results=limit, backend=BACKEND
            )
        except RatelimitException as error:
            raise EngineError("rate_limited") from error
        except TimeoutException as error:
            raise EngineError("timeout") from error
        except DDGSException as error:
            # The package has one type for "nothing found" and for a network that is down.
            raise EngineError("empty" if "no results" in str(error).casefold() else "unreachable") from error
        except EngineError:
            raise
        except Exception as error:
            # Pages that its parser does not expect make it raise what lxml and others raise.
            raise EngineError("bad_answer") from error


class Searxng:
    """A SearXNG server: its JSON API, nothing else. `address` is the server's own, as `http://127.0.0.1:8888`."""

    label = "SearXNG"

    def __init__(self, address: str, timeout: float = TIMEOUT) -> None:
        self._address = address.strip().rstrip("/").removesuffix("/search")
        self._timeout = timeout
        self.name = f"searxng {self._address}"

    async def find(self, query: str, lang: Lang, limit: int) -> RawResults:
        """The first results of the server, whose API has no limit of its own. Raises EngineError."""
        import httpx

        try:
            body = await asyncio.wait_for(self._get(query, lang), self._timeout)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise EngineError("timeout") from error
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError) as error:
            raise EngineError("unreachable") from error
        try:
            answer = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise EngineError("bad_answer") from error
        rows = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise EngineError("bad_answer")
        return [
            {"title": row.get("title"), "content": row.get("content"), "link": row.get("url")}
            for row in rows[:limit]
            if isinstance(row, dict)
        ]

    async def _get(self, query: str, lang: Lang) -> bytes:
        """The body of the answer, at most `_MAX_BYTES`; raises EngineError for another status than 200."""
        import httpx

        params = {"q": query, "format": "json", "language": lang, "safesearch": "1", "categories": "general"}
        own = not _is_loopback(self._address)
        async with (
            httpx.AsyncClient(trust_env=own, timeout=self._timeout, follow_redirects=False) as client,
            client.stream("GET", f"{self._address}/search", params=params) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise EngineError(_STATUS.get(response.status_code, "bad_answer"))
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _MAX_BYTES:
                    raise EngineError("bad_answer")
            return bytes(body)


# A SearXNG that has not enabled `json` among its formats answers 403.
_STATUS: Mapping[int, Problem] = {429: "rate_limited", 401: "refused", 403: "refused", 504: "timeout"}


def _ddgs(seconds: int) -> TextSearch:
    """The package's client; raises EngineError `missing` where it no longer has the backend that we name."""
    from ddgs import DDGS
    from ddgs.engines import ENGINES

    if BACKEND not in ENGINES["text"]:
        # It would fall back to engines that nobody chose.
        raise EngineError("missing")
    return DDGS(timeout=seconds)


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
