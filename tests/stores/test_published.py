"""Published datasets: visible whole or not at all, followed by readers, built by one at a time."""

from __future__ import annotations

import hashlib
import os
import resource
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.support.stores.real import ROWS, Stores, open_db, open_stores, unprivileged, write_version
from troly.errors import StoreError
from troly.stores.published import Datasets
from troly.stores.shared_files import SharedFolder

COUNT = "SELECT count(*), min(v), max(v) FROM records"


@pytest.fixture
def datasets(stores: Stores) -> Datasets:
    return stores.datasets


def files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "datasets").iterdir() if path.suffix != ".lock")


def test_nothing_published_says_what_to_do(datasets: Datasets) -> None:
    reader = datasets.reader("warranty")
    assert datasets.current("warranty") is None
    for ask in (lambda: reader.fetch("SELECT 1"), lambda: reader.version):
        with pytest.raises(StoreError) as caught:
            ask()
        assert caught.value.key == "store.dataset_missing"
        assert "app ingest" in caught.value.render("vi").remedy


def test_readers_follow_each_published_version(datasets: Datasets, home: Path) -> None:
    reader = datasets.reader("warranty")
    elsewhere = open_stores(home)
    for number in (1, 2, 3):
        published = write_version(datasets, "warranty")
        assert (published.version, published.info) == (number, {"rows": ROWS})
        assert datasets.current("warranty") == reader.version == published
        for each in (reader, elsewhere.datasets.reader("warranty")):
            assert each.fetch(COUNT) == [(ROWS, number, number)]
    assert datasets.reader("warranty") is reader
    elsewhere.close()


def test_values_are_bound_never_pasted(datasets: Datasets) -> None:
    write_version(datasets, "warranty")
    reader = datasets.reader("warranty")
    assert reader.fetch("SELECT id FROM records WHERE id = ?", (7,)) == [(7,)]
    assert reader.fetch("SELECT id FROM records WHERE text = $t", {"t": "x' OR 1=1 --"}) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM records",
        "CREATE TABLE more (x INT)",
        "SELECT * FROM read_text('{file}')",
        "COPY records TO '{file}.csv'",
        "ATTACH '{file}.other'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ],
)
def test_a_reader_reaches_nothing_but_its_tables(datasets: Datasets, tmp_path: Path, sql: str) -> None:
    write_version(datasets, "warranty")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    with pytest.raises(duckdb.Error):
        datasets.reader("warranty").fetch(sql.format(file=tmp_path / "secret.txt"))
    assert [path.name for path in tmp_path.glob("secret*")] == ["secret.txt"]


def test_a_build_is_invisible_until_published_and_gone_without(datasets: Datasets, home: Path) -> None:
    old = write_version(datasets, "warranty")

    def build_and_fail() -> None:
        with datasets.build("warranty") as build:
            with duckdb.connect(str(build.path)) as connection:
                connection.execute("CREATE TABLE records (v INT)")
            assert datasets.current("warranty") == old
            datasets.collect_garbage()
            assert build.path.exists()
            raise KeyError

    with pytest.raises(KeyError):
        build_and_fail()
    assert files(home) == [old.file.name]
    with datasets.build("warranty"):
        pass
    assert datasets.current("warranty") == old


def test_a_build_that_is_open_or_empty_cannot_be_published(datasets: Datasets, home: Path) -> None:
    with datasets.build("warranty") as build:
        with pytest.raises(StoreError) as missing:
            build.publish()
        connection = duckdb.connect(str(build.path))
        connection.execute("CREATE TABLE records (v INT)")
        with pytest.raises(StoreError) as still_open:
            build.publish()
        connection.execute("CHECKPOINT")
        with pytest.raises(StoreError) as checkpointed:
            build.publish()
        connection.close()
        assert build.publish({"ok": True}).info == {"ok": True}
        with pytest.raises(RuntimeError):
            build.publish()
    keys = [caught.value.key for caught in (missing, still_open, checkpointed)]
    assert keys == ["store.build_open"] * 3
    assert datasets.current("warranty") is not None


def test_one_dataset_is_built_by_one_at_a_time(datasets: Datasets, home: Path) -> None:
    elsewhere = open_stores(home)
    with datasets.build("warranty"):
        with pytest.raises(StoreError) as caught, elsewhere.datasets.build("warranty", wait=0):
            pass
        with elsewhere.datasets.build("sheets"):
            pass
    assert caught.value.key == "store.ingest_running"
    # On a shared database the machine stands before it.
    assert str(caught.value.params["pid"]).rpartition(":")[2].isdigit()
    with elsewhere.datasets.build("warranty", wait=0):
        pass
    elsewhere.close()


def test_a_second_build_may_wait_for_the_first(datasets: Datasets, home: Path) -> None:
    began, go_on = threading.Event(), threading.Event()

    def first() -> None:
        with datasets.build("warranty"):
            began.set()
            go_on.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    began.wait(10)
    threading.Timer(0.1, go_on.set).start()
    assert write_version(datasets, "warranty").version == 1
    thread.join()


@pytest.mark.parametrize("name", ["", "../x", "A", "a b", "a/b", ".hidden", "x" * 81])
def test_names_that_are_no_file_names(datasets: Datasets, name: str) -> None:
    with pytest.raises(ValueError, match="dataset name"), datasets.build(name):
        pass


def test_garbage_is_collected_and_the_current_version_is_not(datasets: Datasets, home: Path) -> None:
    reader = datasets.reader("warranty")
    for _ in range(4):
        write_version(datasets, "warranty")
        assert reader.fetch("SELECT 1") == [(1,)]
    newest = reader.version
    other = write_version(datasets, "sheets-an")
    assert len(files(home)) == 3
    abandoned = home / "datasets" / "warranty-99-abcdef.duckdb"
    abandoned.write_bytes(b"half")
    abandoned.with_name(abandoned.name + ".wal").write_bytes(b"half")
    (home / "datasets" / "notes.txt").write_text("somebody's own", encoding="utf-8")
    assert datasets.collect_garbage() == 2
    assert files(home) == sorted(["notes.txt", other.file.name, newest.file.name])
    assert reader.fetch(COUNT) == [(ROWS, 4, 4)]


def test_a_reader_whose_file_was_collected_reads_the_row_again(datasets: Datasets, home: Path) -> None:
    write_version(datasets, "warranty")
    reader = datasets.reader("warranty")
    reader.fetch("SELECT 1")
    elsewhere = open_stores(home)
    for _ in range(3):
        write_version(elsewhere.datasets, "warranty")
    elsewhere.datasets.collect_garbage()
    elsewhere.close()
    assert reader.fetch(COUNT) == [(ROWS, 4, 4)]


def test_a_file_that_somebody_removed_gives_way_to_the_version_before(datasets: Datasets) -> None:
    first = write_version(datasets, "warranty")
    second = write_version(datasets, "warranty")
    second.file.unlink()
    assert datasets.reader("warranty").fetch_with_version("SELECT 1")[0] == first
    first.file.unlink()
    with pytest.raises(StoreError) as caught:
        datasets.reader("warranty").fetch("SELECT 1")
    assert caught.value.key == "store.dataset_missing"


def test_threads_read_while_versions_change(datasets: Datasets) -> None:
    write_version(datasets, "warranty")
    reader, stop = datasets.reader("warranty"), threading.Event()
    torn: list[object] = []
    seen: set[int] = set()

    def look() -> None:
        while not stop.is_set():
            version, rows = reader.fetch_with_version(COUNT)
            seen.add(version.version)
            if rows != [(ROWS, version.version, version.version)]:
                torn.append(rows)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        write_version(datasets, "warranty")
    stop.set()
    for thread in threads:
        thread.join()
    assert torn == []
    assert len(seen) > 1


def test_a_disk_that_fills_up_during_a_build_leaves_the_old_version(datasets: Datasets, home: Path) -> None:
    old = write_version(datasets, "warranty")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        with pytest.raises(StoreError) as caught:
            write_version(datasets, "warranty", 600_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.key == "store.full"
    assert files(home) == [old.file.name]
    assert datasets.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
    assert write_version(datasets, "warranty").version == 2


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Callable[..., Datasets]]:
    """The datasets of machines that share a database and a folder: `shared("here")`, each with a cache of its own.

    The database is a file here: what is asked of it is the same on a server (`tests/conversation/test_jobs.py`).
    """
    db, _ = open_db(tmp_path / "home")
    db.migrate()
    (tmp_path / "shared").mkdir()
    place = SharedFolder(tmp_path / "shared")
    opened: list[Datasets] = []

    def machine(name: str, most: int = 1_000_000_000) -> Datasets:
        opened.append(Datasets(db, tmp_path / name, None, place, most))
        return opened[-1]

    yield machine
    for one in opened:
        one.close()
    db.close()


def test_what_one_machine_publishes_another_reads_whole_from_a_copy_of_its_own(
    shared: Callable[..., Datasets], tmp_path: Path
) -> None:
    here, there = shared("here"), shared("there")
    reader = there.reader("warranty")
    for number in (1, 2):
        published = write_version(here, "warranty")
        assert reader.fetch(COUNT) == [(ROWS, number, number)]
        assert reader.version.file == tmp_path / "there" / published.file.name
        assert reader.version.sha == hashlib.sha256(published.file.read_bytes()).hexdigest()
    # Without the shared disk, what is here is read and what is not is told.
    (tmp_path / "shared").rename(tmp_path / "away")
    assert reader.fetch(COUNT) == [(ROWS, 2, 2)]
    with pytest.raises(StoreError) as caught:
        shared("third").current("warranty")
    assert caught.value.key == "files.place"
    with pytest.raises(StoreError):
        write_version(here, "warranty")
    assert reader.version.version == 2


def test_a_damaged_copy_is_fetched_again_and_a_damaged_original_is_told(
    shared: Callable[..., Datasets], tmp_path: Path
) -> None:
    published = write_version(shared("here"), "warranty")
    there = shared("there")
    copy = there.reader("warranty").version.file
    copy.write_bytes(b"x" * copy.stat().st_size)
    assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
    assert len(there.damaged) == 1
    (tmp_path / "shared" / published.sha).write_bytes(b"x")
    third = shared("third")
    with pytest.raises(StoreError) as caught:
        third.reader("warranty").fetch(COUNT)
    assert caught.value.key == "files.damaged"
    assert list((tmp_path / "third").glob("*")) == []


def test_copies_that_nobody_reads_make_room_and_forgotten_versions_go(
    shared: Callable[..., Datasets], tmp_path: Path
) -> None:
    here, small = shared("here"), shared("small", 1)
    for name in ("a", "b", "c"):
        write_version(here, name)
    reader = small.reader("a")
    assert reader.fetch(COUNT)
    for name in ("b", "c"):
        assert small.current(name)
    kept = {path.name.partition("-")[0] for path in (tmp_path / "small").glob("*.duckdb")}
    assert kept == {"a", "c"}
    old = tmp_path / "shared" / ("0" * 64)
    old.write_bytes(b"nobody's")
    os.utime(old, (0, 0))
    young = tmp_path / "shared" / ("1" * 64)
    young.write_bytes(b"its row is being written")
    write_version(here, "a")
    assert not old.exists()
    assert young.exists()
    assert reader.fetch(COUNT) == [(ROWS, 2, 2)]


def test_files_of_before_are_shared_when_asked(tmp_path: Path, shared: Callable[..., Datasets]) -> None:
    with closing(open_stores(tmp_path / "home")) as alone:
        write_version(alone.datasets, "warranty")
        folder = tmp_path / "home" / "datasets"
    assert shared("there").current("warranty") is None
    assert [one.name for one in shared(str(folder)).share()] == ["warranty"]
    assert shared("there").reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
    assert shared(str(folder)).share() == []


def test_a_cache_that_may_only_be_read_still_answers_and_is_named(tmp_path: Path) -> None:
    db, _ = open_db(tmp_path / "home")
    db.migrate()
    # Not under tmp_path: its parents are closed to the user that `unprivileged` becomes.
    with closing(db), tempfile.TemporaryDirectory(prefix="troly-cache-") as name:
        place, cache = Path(name, "place"), Path(name, "cache")
        place.mkdir()
        Path(name).chmod(0o755)
        here, there = (
            Datasets(db, folder, None, SharedFolder(place), 10**9) for folder in (tmp_path / "here", cache)
        )
        with closing(here), closing(there):
            write_version(here, "warranty")
            assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
            there.reader("warranty").close()
            write_version(here, "sheets")
            for closed, mode in ((cache, 0o555), (place, 0)):
                closed.chmod(mode)
                with unprivileged():
                    assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
                    with pytest.raises(StoreError) as caught:
                        there.current("sheets")
                assert caught.value.key == "store.denied"
                assert str(closed) in str(caught.value.params["reason"])
                closed.chmod(0o755)
            assert there.reader("sheets").fetch(COUNT) == [(ROWS, 1, 1)]


def test_a_full_disk_under_the_copies_is_told_and_leaves_nothing_half(
    shared: Callable[..., Datasets], tmp_path: Path
) -> None:
    published = write_version(shared("here"), "warranty")
    there = shared("there")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (published.file.stat().st_size // 2, hard))
    try:
        with pytest.raises(StoreError) as caught:
            there.current("warranty")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.key == "store.full"
    assert list((tmp_path / "there").iterdir()) == []
    assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
