"""What searches remember: answers for a day, failures as longer and longer rests, never the question itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.modes.dental.search.test_engines import QUESTION, REGISTRY, LocalSearch, found
from tests.support.stores.services import services_at
from troly.plugin.services import Services
from troly_dental.search.cache import KEEP_ENTRIES, KEEP_SECONDS, SearchCache
from troly_dental.search.engines import DuckDuckGo
from troly_dental.search.pages import Page
from troly_dental.search.web_search import search

PAGES = (Page("Răng khôn", "Nội dung", "https://a.vn/"), Page("B", "", "https://b.vn/"))


@dataclass(slots=True)
class Watch:
    """A clock that is set by hand."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home, REGISTRY) as opened:
        yield opened


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def cache(services: Services, watch: Watch) -> SearchCache:
    return SearchCache(services.state, watch)


def test_an_answer_is_kept_for_a_day_by_engine_and_language(cache: SearchCache, watch: Watch) -> None:
    cache.put("e", "vi", QUESTION, PAGES)
    assert cache.get("e", "vi", f"  {QUESTION.upper()} ") == PAGES
    assert cache.get("e", "en", QUESTION) == cache.get("other", "vi", QUESTION) == ()
    watch.now += KEEP_SECONDS - 1
    assert cache.get("e", "vi", QUESTION) == PAGES
    watch.now += 1
    assert cache.get("e", "vi", QUESTION) == ()


def test_an_answer_from_the_future_is_not_trusted(cache: SearchCache, watch: Watch) -> None:
    cache.put("e", "vi", QUESTION, PAGES)
    watch.now -= 1
    assert cache.get("e", "vi", QUESTION) == ()


def test_old_and_surplus_answers_go(cache: SearchCache, watch: Watch, services: Services) -> None:
    for n in range(KEEP_ENTRIES + 5):
        watch.now += 1
        cache.put("e", "vi", f"câu {n}", PAGES)
    with services.state.read() as connection:
        assert connection.execute("SELECT count(*) FROM dental_searches").fetchone()[0] == KEEP_ENTRIES
    assert cache.get("e", "vi", "câu 0") == ()
    assert cache.get("e", "vi", f"câu {KEEP_ENTRIES}") == PAGES


def test_the_question_is_not_stored(cache: SearchCache, services: Services) -> None:
    cache.put("e", "vi", QUESTION, PAGES)
    with services.state.read() as connection:
        rows = connection.execute("SELECT * FROM dental_searches").fetchall()
    assert QUESTION not in str([tuple(row) for row in rows])


async def test_a_second_search_is_answered_from_the_first(services: Services, cache: SearchCache) -> None:
    local = LocalSearch(found())
    engine = DuckDuckGo(client=lambda _seconds: local)
    first = await search(QUESTION, services=services, cache=cache, engine=engine)
    second = await search(QUESTION, services=services, cache=cache, engine=engine)
    assert (first.cached, second.cached) == (False, True)
    assert first.results == second.results
    assert second.query == QUESTION
    assert len(local.asked) == 1


async def test_without_the_tables_the_search_still_works(own_home: Path) -> None:
    with services_at(own_home) as bare:
        engine = DuckDuckGo(client=lambda _seconds: LocalSearch(found()))
        assert len((await search(QUESTION, services=bare, engine=engine)).results) == 5


def test_a_damaged_entry_counts_as_none(cache: SearchCache, services: Services) -> None:
    cache.put("e", "vi", QUESTION, PAGES)
    for damage in ("no json", "[[1]]", "{}", "null", '[["a","b"]]'):
        with services.state.write() as connection:
            connection.execute("UPDATE dental_searches SET pages = ?", (damage,))
        assert cache.get("e", "vi", QUESTION) == ()
