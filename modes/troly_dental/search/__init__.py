"""Searching the web for dental pages: one query out, up to five pages of untrusted text back (003-18, 003-19)."""

from __future__ import annotations

from troly_dental.search.cache import MIGRATIONS, SearchCache
from troly_dental.search.engines import DuckDuckGo, Engine, EngineError, Searxng
from troly_dental.search.pages import LIMIT, Page, as_text, host_of, safe_pages
from troly_dental.search.web_search import SearchOutcome, clean, explain, packed, search, unpacked

__all__ = [
    "LIMIT",
    "MIGRATIONS",
    "DuckDuckGo",
    "Engine",
    "EngineError",
    "Page",
    "SearchCache",
    "SearchOutcome",
    "Searxng",
    "as_text",
    "clean",
    "explain",
    "host_of",
    "packed",
    "safe_pages",
    "search",
    "unpacked",
]
