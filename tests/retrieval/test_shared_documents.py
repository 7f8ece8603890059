"""Documents of machines that share a database and data files: loaded on one, found on each, in an index of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.retrieval.knowledge import Corpus
from tests.support.stores.postgres import PostgresServer, needs_postgres
from troly.errors import StoreError
from troly.retrieval.documents import shared
from troly.retrieval.documents.shared import SharedDocuments
from troly.retrieval.search.knowledge import Knowledge
from troly.retrieval.search.vectors import Index, VectorLedger
from troly.stores.postgres import PostgresDb
from troly.stores.published import Datasets
from troly.stores.shared_files import SharedFolder

pytestmark = needs_postgres


class Machine(Corpus):
    """One of several machines: a data folder of its own, the database and the place of files of all."""

    def __init__(
        self, home: Path, url: str, place: SharedFolder, *, joined: bool = True, vectors: bool = False
    ) -> None:
        self.home = home
        self.state = PostgresDb.at(url)
        self.state.migrate(Knowledge.migrations())
        self.index, _ = SharedDocuments.open(home / "state.db", home / "set-aside")
        self.index.migrate(Knowledge.migrations())
        self.db = self.index
        self.knowledge = Knowledge(self.index, home / "chroma", home / "set-aside")
        self.datasets = Datasets(self.state, home / "datasets", None, place, 10**9)
        if joined:
            self.join(vectors=vectors)

    def join(self, *, vectors: bool = False) -> None:
        self.index.follow(
            self.datasets,
            Knowledge.migrations(),
            self.home / "set-aside",
            vectors=vectors,
            changed=self.knowledge.refresh,
        )

    def load(self, **texts: str) -> None:
        """As a load of files does."""
        with self.index.changing():
            for key, text in texts.items():
                self.put(key, text)

    def found(self, question: str) -> list[tuple[str, float]]:
        self.index._look_at = 0.0
        result = asyncio.run(self.knowledge.search(question, collection="docs"))
        return [(passage.document, passage.score) for passage in result.passages]

    def close(self) -> None:
        self.index._look_at = float("inf")
        self.integrity()
        super().close()
        self.datasets.close()
        self.state.close()


@pytest.fixture
def machine(tmp_path: Path, postgres: PostgresServer) -> Iterator[Callable[..., Machine]]:
    url, place, opened = postgres.database(), tmp_path / "shared", list[Machine]()
    place.mkdir()

    def make(name: str, **how: bool) -> Machine:
        opened.append(Machine(tmp_path / name, url, SharedFolder(place), **how))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def test_what_one_machine_loads_each_finds_the_same_way(machine: Callable[..., Machine]) -> None:
    here, there = machine("here"), machine("there")
    here.load(a="bảo hành laptop 24 tháng", b="chính sách đổi trả trong 7 ngày")
    assert there.found("bảo hành laptop") == here.found("bảo hành laptop") != []
    # What is loaded there goes on from there: nothing of the other is lost, no id is used twice.
    there.load(c="bảo hành máy in", a="bảo hành laptop 36 tháng")
    with there.index.changing():
        there.knowledge.remove_document("docs", "b")
    assert here.found("bảo hành laptop 36") == there.found("bảo hành laptop 36")
    assert here.found("đổi trả") == []
    assert {one.path for one in here.knowledge.list_documents("docs")} == {"a", "c"}
    assert here.knowledge.list_documents("docs") == there.knowledge.list_documents("docs")
    # A load that changed nothing publishes nothing.
    before = here.datasets.newest(shared.NAME)
    with here.index.changing(), here.index.write():
        pass
    assert here.datasets.newest(shared.NAME) == before


def test_searching_costs_no_request_to_the_database_of_all(machine: Callable[..., Machine]) -> None:
    here, there = machine("here"), machine("there")
    here.load(a="bảo hành laptop")
    assert there.found("laptop")
    # For a second it is not even asked whether there is something new; it could not answer.
    there.index._look_at = float("inf")
    there.state.close()
    assert asyncio.run(there.knowledge.search("laptop", collection="docs")).passages
    there.index._look_at = 0.0
    with pytest.raises(StoreError):
        there.found("laptop")


def test_one_machine_loads_at_a_time_and_a_load_that_cannot_be_published_leaves_nothing(
    machine: Callable[..., Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_WAIT", 0.0)
    here, there = machine("here"), machine("there")
    here.load(a="bảo hành laptop")
    with here.index.changing():
        here.put("b", "đổi trả")
        with pytest.raises(StoreError) as caught:
            there.load(c="máy in")
        assert caught.value.key == "store.ingest_running"
        # What is not published yet is found only where it is loaded.
        assert [len(one.found("đổi trả")) for one in (here, there)] == [1, 0]
    assert there.found("đổi trả")
    assert there.found("máy in") == []

    place = tmp_path / "shared"

    def without_the_place() -> None:
        with here.index.changing():
            here.put("d", "giao hàng")
            place.rename(tmp_path / "away")

    with pytest.raises(StoreError) as caught:
        without_the_place()
    assert caught.value.key == "files.place"
    (tmp_path / "away").rename(place)
    assert [one.found("giao hàng") for one in (here, there)] == [[], []]
    assert {one.path for one in here.knowledge.list_documents("docs")} == {"a", "b"}


def test_what_a_killed_load_left_is_undone_and_a_stopped_one_keeps_what_it_has(
    machine: Callable[..., Machine],
) -> None:
    here = machine("here")
    here.load(a="bảo hành laptop")
    dying = here.index.changing()
    dying.__enter__()
    here.put("b", "đổi trả")
    load = here.index._load.get()
    assert load is not None
    # The process dies: the server gives the lock back, nothing else happens.
    here.index._load.set(None)
    assert here.found("đổi trả")
    with suppress(GeneratorExit):
        load.held.close()
    again = machine("here")
    assert again.found("đổi trả") == []
    assert again.found("laptop")

    def stopped() -> None:
        with again.index.changing():
            again.put("c", "giao hàng")
            raise KeyError

    with pytest.raises(KeyError):
        stopped()
    assert machine("there").found("giao hàng")


@pytest.mark.parametrize("killed", [False, True])
def test_documents_of_before_are_published_by_the_first_and_kept_aside_by_the_others(
    machine: Callable[..., Machine], killed: bool
) -> None:
    here, there = machine("here", joined=False), machine("there", joined=False)
    here.put("a", "bảo hành laptop")
    there.put("z", "đổi trả")
    if killed:
        # A first load was, before anything was published.
        there.index._set_version(-1)
    here.join()
    there.join()
    assert there.found("đổi trả")
    here.load()
    assert there.found("đổi trả")
    with here.index.changing(), here.index.write():
        pass
    assert there.found("laptop")
    assert there.found("đổi trả") == []
    assert len(list((there.home / "set-aside").glob("documents-*.sqlite"))) == 1


@pytest.mark.parametrize("on_a_server", [True, False])
def test_which_chunks_have_a_vector_is_shared_only_where_the_vectors_are(
    machine: Callable[..., Machine], on_a_server: bool
) -> None:
    here, there = machine("here", vectors=on_a_server), machine("there", vectors=on_a_server)
    index = Index("docs", "hash", 2)
    with here.index.changing():
        here.put("a", "bảo hành laptop")
        VectorLedger(here.index).added(index.name, [1])
    assert there.found("laptop")
    ledger = VectorLedger(there.index)
    assert ledger.count(index.name) == on_a_server
    assert ledger.identity() == VectorLedger(here.index).identity()
