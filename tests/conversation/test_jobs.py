"""A load whose machine died is done again by another machine, from the shared copy of its file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.stores.postgres import PostgresServer, needs_postgres
from tests.support.stores.services import services_at
from troly.config.users import Profile
from troly.conversation.jobs import LoadFiles, load_files, recorded, share_files, take_up
from troly.conversation.session import Session
from troly.plugin.registry import Registry
from troly_rag.corpus.cards import Cards

pytestmark = needs_postgres
CSV = "serial,product_name,warranty_end_date\nTEAM01,Tai nghe,31/12/2026\n"


@pytest.fixture
def machine(tmp_path: Path, postgres: PostgresServer) -> Iterator[Callable[[str], Session]]:
    """Machines with a data folder each, one database and one shared folder."""
    (tmp_path / "shared").mkdir()
    env = {"TROLY_DATABASE__URL": postgres.database(), "TROLY_FILES__URL": str(tmp_path / "shared")}
    with ExitStack() as opened:

        def start(name: str) -> Session:
            registry = Registry()
            services = opened.enter_context(services_at(tmp_path / name, registry, **env))
            return Session(services, registry, Profile("an", "An"))

        yield start


async def test_another_machine_takes_up_what_died_and_everybody_reads_it(
    machine: Callable[[str], Session], tmp_path: Path
) -> None:
    here, there = machine("here"), machine("there")
    file = tmp_path / "warranty.csv"
    file.write_text(CSV, encoding="utf-8")
    job = LoadFiles("shopping", "warranty", (str(file),), "vi")
    # The first machine dies in the middle: its lock goes, nothing more is written.
    with recorded(here.services, here.profile, job, share_files(here.services, job)) as running:
        assert running is not None
        running.end = lambda *_: None  # type: ignore[method-assign]
    file.unlink()
    assert [one.status for one in there.services.jobs.list()] == ["died"]
    assert await take_up(there, threading.Event()) == ["shopping/warranty"]
    assert await take_up(here, threading.Event()) == []
    assert [one.status for one in here.services.jobs.list()] == ["done"]
    for session in (here, there):
        current = session.services.datasets.current("warranty")
        assert current is not None
        assert current.file.is_relative_to(session.services.paths.data)


async def test_a_folder_of_documents_loaded_on_one_machine_is_searched_on_another(
    machine: Callable[[str], Session], tmp_path: Path
) -> None:
    here, there = machine("here"), machine("there")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "parking.md").write_text(
        "# Gửi xe\n\nXe máy gửi ở tầng hầm B2.\n", encoding="utf-8"
    )
    job = LoadFiles("rag", "policies", (str(tmp_path / "pages"),), "vi")
    assert (await load_files(here, job, lambda *_: None, threading.Event())).changed
    for session in (here, there):
        (where,) = {one.collection for one in Cards(session.services.index).all()}
        knowledge = session.services.knowledge
        may = knowledge.store.permissions(where)
        found = await knowledge.search("gửi xe máy", collection=where, permissions=may)
        assert [passage.title for passage in found.passages] == ["Gửi xe"]
