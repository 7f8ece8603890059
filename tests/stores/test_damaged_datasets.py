"""A damaged dataset is set aside; the version before it answers, or the person is told to load the file again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stores.real import Stores, open_stores, write_version
from troly.errors import StoreError

ROWS = 60_000
ALL = "SELECT count(*), max(v), max(text) FROM records"


def flip(path: Path, start: int) -> bytes:
    content = bytearray(path.read_bytes())
    for at in range(start, min(start + 4000, len(content))):
        content[at] ^= 0xFF
    path.write_bytes(content)
    return bytes(content)


def spoil(path: Path, kind: str) -> bytes:
    size = path.stat().st_size
    match kind:
        case "empty":
            path.write_bytes(b"")
        case "junk":
            path.write_bytes(b"junk" * 5000)
        case "cut":
            path.write_bytes(path.read_bytes()[: size // 2])
        case "header":
            flip(path, 0)
        case _:
            # Where the rows are: found when they are read, not when the file is opened.
            for start in range(12_288, size, 100_000):
                flip(path, start)
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["empty", "junk", "cut", "header", "rows"])
def test_the_version_before_answers(home: Path, kind: str) -> None:
    stores = open_stores(home)
    first = write_version(stores.datasets, "warranty", ROWS)
    second = write_version(stores.datasets, "warranty", ROWS)
    stores.close()
    content = spoil(second.file, kind)
    stores = open_stores(home)
    version, rows = stores.datasets.reader("warranty").fetch_with_version(ALL)
    assert version == first
    assert rows[0][:2] == (ROWS, 1)
    (report,) = stores.datasets.damaged
    assert (report.original, report.moved_to.parent) == (second.file, home / "set-aside")
    assert report.moved_to.read_bytes() == content
    assert not second.file.exists()
    # A number is not used twice: a reader elsewhere would take it for what it has open.
    assert write_version(stores.datasets, "warranty", ROWS).version == 3
    assert stores.datasets.reader("warranty").fetch(ALL)[0][:2] == (ROWS, 3)
    stores.close()


def test_without_a_version_before_the_data_is_missing(stores: Stores) -> None:
    only = write_version(stores.datasets, "warranty", ROWS)
    spoil(only.file, "junk")
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            stores.datasets.reader("warranty").fetch(ALL)
        assert caught.value.key == "store.dataset_missing"
    assert len(stores.datasets.damaged) == 1


def test_two_processes_that_find_the_damage_set_it_aside_once(home: Path) -> None:
    stores, elsewhere = open_stores(home), open_stores(home)
    first = write_version(stores.datasets, "warranty", ROWS)
    second = write_version(stores.datasets, "warranty", ROWS)
    spoil(second.file, "junk")
    stores.datasets.withdraw(second, "seen here")
    elsewhere.datasets.withdraw(second, "seen there")
    assert len(stores.datasets.damaged) + len(elsewhere.datasets.damaged) == 1
    assert elsewhere.datasets.current("warranty") == first
    for each in (stores, elsewhere):
        each.close()
