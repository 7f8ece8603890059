"""Several processes at once: three write turns while an ingest publishes and readers look up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.stores.real import Worker, open_stores, write_version

TURNS, VERSIONS = 60, 8
Start = Callable[..., Worker]


def together(workers: list[Worker]) -> None:
    """Let them all begin at the same moment."""
    for worker in workers:
        worker.ready()
    for worker in workers:
        worker.go()


def test_writers_an_ingest_and_readers_do_not_disturb_each_other(home: Path, start_worker: Start) -> None:
    stores = open_stores(home)
    write_version(stores.datasets, "warranty")
    writers = [start_worker(home, "turns", TURNS) for _ in range(3)]
    ingest, readers = (
        start_worker(home, "ingest", VERSIONS),
        [start_worker(home, "lookups") for _ in range(2)],
    )
    together([*readers, ingest, *writers])
    told = [worker.told() for worker in writers]
    published = [int(line[1]) for line in ingest.told() if line[0] == "published"]
    (home / "stop").touch()
    reads = [worker.told()[-2:] for worker in readers]

    assert published == list(range(2, VERSIONS + 2))
    for last, done in reads:
        assert done == ["done"]
        assert int(last[1]) > 20
    assert max(int(last[2]) for last, _ in reads) > 2
    for lines in told:
        assert lines[-1] == ["done"]
        _, owner, conversation = lines[0]
        export = stores.conversations.export(owner, conversation)
        assert {turn.status for turn in export.turns} == {"completed"}
        assert [turn.id for turn in export.turns] == [line[1] for line in lines if line[0] == "finished"]
        assert len(export.messages) == 3 * TURNS
    assert stores.datasets.damaged == ()
    stores.close()


def test_processes_that_open_a_new_folder_at_the_same_moment_agree(home: Path, start_worker: Start) -> None:
    workers = [start_worker(home, "turns", 3) for _ in range(6)]
    together(workers)
    ends = [worker.told()[-1] for worker in workers]
    assert ends == [["done"]] * 6
    stores = open_stores(home)
    assert stores.set_aside == []
    with stores.db.read() as connection:
        assert connection.execute("SELECT count(*) FROM turns WHERE status = 'completed'").fetchone() == (18,)
    stores.close()


def test_processes_that_find_a_damaged_file_set_it_aside_once(tmp_path: Path, start_worker: Start) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "state.db").write_bytes(b"not a database at all" * 500)
    workers = [start_worker(home, "turns", 3) for _ in range(6)]
    together(workers)
    ends = [worker.told()[-1] for worker in workers]
    assert ends == [["done"]] * 6
    assert len(list((home / "set-aside").glob("state-*.db"))) == 1
    stores = open_stores(home)
    with stores.db.read() as connection:
        assert connection.execute("SELECT count(*) FROM turns WHERE status = 'completed'").fetchone() == (18,)
    stores.close()
