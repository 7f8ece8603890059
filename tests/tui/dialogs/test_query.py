"""The editor of queries: names are completed, errors stand at their place, rows open as a grid, queries are kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from tests.support.modes.analysis import analyst_at
from tests.support.process.waiting import until
from tests.support.rental.services import publish, small_market
from tests.support.screen.screens import NOW, Scene, begin
from tests.support.stores.services import profile, services_at
from tests.tui.test_backend import PATIENCE
from troly.config.load import load_settings
from troly.conversation.input_history import MOST_QUERIES, InputHistoryStore
from troly.conversation.session import Session
from troly.errors import TrolyError
from troly.paths import Paths
from troly.plugin.events import Table
from troly.plugin.registry import Registry
from troly.plugin.services import open_services
from troly.text.dates import fixed_clock
from troly.tui import operations
from troly.tui.app import TrolyApp
from troly.tui.backend import SessionBackend
from troly.tui.chat.view import QueryNames
from troly.tui.dialogs.browse import BrowseScreen
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.dialogs.grid import GridScreen
from troly.tui.dialogs.query import QueryArea, QueryScreen, fitting_names, place_of, typed_before

NAMES = QueryNames(
    (
        ("rooms", (("id", "BIGINT"), ("price", "BIGINT"))),
        ("districts", (("id", "BIGINT"), ("name", "VARCHAR"))),
    ),
    ("$match",),
)


@contextmanager
def renting(home: Path) -> Iterator[Session]:
    registry = Registry()
    with services_at(home, registry) as services:
        publish(services, home / "market", small_market())
        yield Session(services, registry, profile("an"))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT pr", "price"),
        ("SELECT d.n|  FROM districts d", "name"),
        ("SELECT na| FROM districts", "name"),
        ("SELECT id FROM di", "districts"),
        ("SELECT id FROM rooms WHER", "WHERE"),
        ('{"$ma', "$match"),
    ],
)
def test_names_that_fit_come_first(text: str, first: str) -> None:
    before, _, after = text.partition("|")
    assert fitting_names(NAMES, before + after, typed_before(before), "column")[0].text == first


def test_columns_of_a_named_table_only() -> None:
    text = "SELECT r. FROM rooms r JOIN districts d ON true"
    found = fitting_names(NAMES, text, typed_before("SELECT r."), "column")
    assert [one.text for one in found] == ["id", "price"]


@pytest.mark.parametrize(
    ("query", "line", "piece"),
    [
        ("SELECT id\nFROM rooms\nWHERE pricce < 3", 2, "pricce"),
        ("SELECT id\nFROM romos", 1, "romos"),
        ("SELECT id\nFROM rooms\nWHERE (price < 3", 2, ""),
        ("DROP TABLE rooms", 0, "DROP"),
    ],
)
def test_a_refused_sql_query_names_its_place(tmp_path: Path, query: str, line: int, piece: str) -> None:
    with renting(tmp_path) as session, pytest.raises(TrolyError) as refused:
        operations.run_query(session, "rental", query, "vi")
    place = place_of(refused.value, query)
    assert place is not None
    assert place[0] == line
    assert query.splitlines()[line][place[1] :].startswith(piece)


def test_a_sql_query_reads_what_the_role_may_see_and_is_logged(tmp_path: Path) -> None:
    from troly_rental.audit import Audit

    with renting(tmp_path) as session:
        names = operations.query_names(session, "rental", "vi")
        assert "rooms" in dict(names.tables)
        rows, said = operations.run_query(session, "rental", names.example, "vi")
        assert 0 < len(rows.rows) <= 20
        assert str(len(rows.rows)) in said
        (logged,) = Audit(session.services).list(session.profile, 5)
        assert logged.rows == len(rows.rows)
        assert operations.read_queries(session, "rental").recent == (names.example,)
        with pytest.raises(TrolyError):
            operations.run_query(session, "rental", "SELECT phone FROM users", "vi")


@pytest.mark.parametrize(
    ("stages", "line", "piece"),
    [
        ('[{"$match": {}},\n {"$match": {"Kênhh": "Shopee"}}]', 1, '"Kênhh"'),
        ('[{"$match": {}},\n {"$out": "x"}]', 1, '"$out"'),
        ('[{"$match": {}},\n {"$limit": }]', 1, "}"),
    ],
)
def test_a_refused_pipeline_names_its_place(tmp_path: Path, stages: str, line: int, piece: str) -> None:
    query = f'{{"sheet": "Đơn hàng", "pipeline": {stages}}}'
    with analyst_at(tmp_path) as analyst:
        session = Session(analyst.services, analyst.registry, analyst.profile)
        with pytest.raises(TrolyError) as refused:
            operations.run_query(session, "analysis", query, "vi")
    place = place_of(refused.value, query)
    assert place is not None
    assert place[0] == line
    assert query.splitlines()[line][place[1] :].startswith(piece)


def test_queries_are_kept_by_assistant_named_and_recent(tmp_path: Path) -> None:
    store = InputHistoryStore(tmp_path, "an")
    for number in range(MOST_QUERIES + 5):
        store.keep_query("a", f"SELECT {number}")
    store.keep_query("a", "SELECT 3")
    store.keep_query("a", "SELECT 7", "bảy")
    store.keep_query("b", "[]", "x")
    found = InputHistoryStore(tmp_path, "an").queries("a")
    assert found.named == {"bảy": "SELECT 7"}
    assert (found.recent[0], len(found.recent)) == ("SELECT 3", MOST_QUERIES)
    store.keep_query("a", "", "bảy")
    assert store.queries("a").named == {}
    assert store.queries("a").recent[0] == "SELECT 7", "what lost its name can still be had"
    assert InputHistoryStore(tmp_path, "binh").queries("a").recent == ()
    for damaged in ("{", "[]", json.dumps({"a": {"named": [1], "recent": {}}})):
        next(tmp_path.glob("*.queries.json")).write_text(damaged, encoding="utf-8")
        assert store.queries("a").recent == ()


async def test_a_pipeline_is_completed_run_saved_and_opened_again(tmp_path: Path) -> None:
    with analyst_at(tmp_path) as analyst:
        login = analyst.profile.login

    def opener() -> Session:
        paths, registry = Paths.resolve({"TROLY_HOME": str(tmp_path)}), Registry()
        settings = load_settings(paths, {"OLLAMA_HOST": "http://127.0.0.1:9"}, sections=registry.sections())
        services = open_services(paths, settings, registry, fixed_clock(NOW.isoformat()))
        return Session(services, registry, profile(login))

    app = TrolyApp(
        lambda deliver: SessionBackend(opener, deliver),
        mode="analysis",
        language="vi",
        theme="dark",
        now=lambda: NOW,
    )
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            await until(lambda: app.controller.opened, PATIENCE)
            await pilot.press("alt+q")
            await until(
                lambda: (
                    isinstance(app.screen, QueryScreen) and "pipeline" in app.screen.query_one(QueryArea).text
                ),
                PATIENCE,
            )
            area = app.screen.query_one(QueryArea)
            area.load_text('{"sheet": "Đơn hàng",\n "pipeline": [{"$match": {"Doanhh": 1}}]}')
            await pilot.press("f5")
            await until(lambda: area.wrong is not None, PATIENCE)
            assert area.wrong == (1, 26)
            assert app.screen.query_one("#told", Static).has_class("-wrong")
            area.load_text('{"sheet": "Đơn hàng", "pipeline": [{"$match": {"Sà')
            area.move_cursor(area.document.end)
            await until(lambda: app.screen.query_one(OptionList).highlighted == 0)
            await pilot.press("tab")
            assert area.text.endswith('{"Sàn"')
            area.insert(': "Shopee"}}]}')
            await pilot.press("f5")
            await until(lambda: isinstance(app.screen, GridScreen), PATIENCE)
            await pilot.press("escape")
            await until(lambda: isinstance(app.screen, QueryScreen))
            await pilot.press("ctrl+s")
            await until(lambda: isinstance(app.screen, ChooseScreen))
            await pilot.press(*"shopee", "enter")
            await until(lambda: isinstance(app.screen, QueryScreen))
            wanted = area.text
            area.load_text("[]")
            await pilot.press("ctrl+o")
            await until(
                lambda: (
                    isinstance(app.screen, BrowseScreen)
                    and app.screen.chosen is not None
                    and app.screen.chosen.title == "shopee"
                ),
                PATIENCE,
            )
            await pilot.press("enter")
            await until(lambda: isinstance(app.screen, QueryScreen) and area.text == wanted)
            await pilot.press("escape")
            await until(lambda: app.screen is app.chat)
    finally:
        await asyncio.to_thread(app.close_backend)


async def test_an_assistant_without_data_says_who_has_some() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("alt+q")
        await until(lambda: bool(app._notifications))
        assert app.screen is app.chat


async def test_what_comes_after_it_was_left_harms_nobody() -> None:
    app = Scene("vi", mode="rental")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        held: list[Callable[[], object]] = []
        app.fake.results |= {"query_names": NAMES, "run_query": (Table(("a",), (("1",),)), "1")}
        deliver, app.fake.deliver = app.fake.deliver, held.append
        app.queries["rental"] = "SELECT 1"
        await pilot.press("alt+q")
        await until(lambda: isinstance(app.screen, QueryScreen) and bool(app.screen.query(QueryArea)))
        await pilot.press("f5")
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        app.fake.deliver = deliver
        for late in held:
            late()
        await pilot.pause()
        assert app.screen is app.chat
        assert app.fault is None
