"""Published data files in an S3 bucket: shared as in a folder (`test_published`), and each trouble told in a sentence of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.stores.test_published import COUNT
from tests.support.ollama.double import OllamaDouble, closed_port_url
from tests.support.process.proxy import Proxy
from tests.support.stores.real import ROWS, open_db, write_version
from tests.support.stores.s3 import KEYS, S3Server
from troly.errors import StoreError
from troly.stores import shared_files
from troly.stores.published import Datasets
from troly.stores.shared_files import open_files

pytestmark = pytest.mark.usefixtures("s3_keys")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Callable[..., Datasets]]:
    """`machine("here", url, endpoint)`: the datasets of one of several machines with one database."""
    db, _ = open_db(tmp_path / "home")
    db.migrate()
    opened: list[Datasets] = []

    def make(name: str, url: str, endpoint: str, most: int = 1_000_000_000) -> Datasets:
        opened.append(Datasets(db, tmp_path / name, None, open_files(url, endpoint), most))
        return opened[-1]

    yield make
    for one in opened:
        one.close()
    db.close()


def use(datasets: Datasets, *, publishes: bool) -> None:
    """Write a version, or read the current one."""
    if publishes:
        write_version(datasets, "warranty")
    else:
        datasets.current("warranty")


def test_machines_share_whole_versions_through_a_bucket(
    s3: S3Server, machine: Callable[..., Datasets], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"s3://{s3.bucket()}/some/folder/"
    place = open_files(url, s3.url)
    here, there = machine("here", url, s3.url), machine("there", url, s3.url, 1)
    for number in (1, 2):
        write_version(here, "warranty")
        assert there.reader("warranty").fetch(COUNT) == [(ROWS, number, number)]
    # One byte of room: what nobody reads goes from this machine, and comes again.
    other = write_version(here, "sheets")
    assert there.current("sheets")
    there.reader("warranty").close()
    write_version(there, "rental")
    published = here.reader("warranty").version
    assert not (tmp_path / "there" / published.file.name).exists()
    assert there.reader("warranty").fetch(COUNT) == [(ROWS, 2, 2)]
    # A copy whose content is another is never put in place.
    (tmp_path / "wrong").write_bytes(b"x")
    place._write(tmp_path / "wrong", other.sha)
    third = machine("third", url, s3.url)
    with pytest.raises(StoreError) as caught:
        third.current("sheets")
    assert caught.value.key == "files.damaged"
    assert list((tmp_path / "third").iterdir()) == []
    # What no row names goes, when it is old by a clock that may be an hour off.
    place._write(tmp_path / "wrong", "0" * 64)
    monkeypatch.setattr(shared_files, "SPARED", shared_files.SPARED - 3600)
    assert place.sweep({published.sha}) == 0
    monkeypatch.setattr(shared_files, "SPARED", -3600)
    assert place.sweep({published.sha, other.sha}) > 0
    assert machine("fourth", url, s3.url).reader("warranty").fetch(COUNT) == [(ROWS, 2, 2)]


def test_a_large_file_comes_in_parts_and_is_the_same(s3: S3Server, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(os.urandom(17_000_000))
    place = open_files(f"s3://{s3.bucket()}", s3.url)
    sha = place.put(large)
    assert place.get(sha, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == large.read_bytes()
    assert not place.get("0" * 64, tmp_path / "none")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "large"]


@pytest.mark.parametrize("key", ["bucket", "denied", "silent", "other server", "keys", "no name"])
def test_a_bucket_that_cannot_be_used_is_named_and_nothing_is_published(
    s3: S3Server, machine: Callable[..., Datasets], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str
) -> None:
    url, endpoint = f"s3://{s3.bucket()}", s3.url
    write_version(machine("before", url, endpoint), "warranty")
    if key in ("bucket", "no name"):
        url = "s3://not-there/files" if key == "bucket" else "s3://"
    if key == "silent":
        endpoint = closed_port_url()
    if key == "keys":
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with OllamaDouble() as another:
        endpoint = another.url if key == "other server" else endpoint
        s3.let_in(everybody=key != "denied")
        try:
            here = machine("here", url, endpoint)
            for publishes in (True, False):
                with pytest.raises(StoreError) as caught:
                    use(here, publishes=publishes)
                wanted = {"other server": "silent", "no name": "bucket"}.get(key, key)
                assert caught.value.key == f"files.{wanted}"
                said = caught.value.render("en")
                assert url in said.message
                assert KEYS["AWS_SECRET_ACCESS_KEY"] not in f"{said} {caught.value.params}"
        finally:
            s3.let_in(everybody=True)
    assert list((tmp_path / "here").glob("*.duckdb")) == []
    assert machine("before", f"s3://{s3.bucket()}", s3.url).reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]


def test_while_the_network_holds_its_breath_copies_answer_and_nothing_is_half(
    s3: S3Server, machine: Callable[..., Datasets], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url, proxy = f"s3://{s3.bucket()}", Proxy(int(s3.url.rpartition(":")[2]))
    near = f"http://127.0.0.1:{proxy.port}"
    here, there = machine("here", url, near), machine("there", url, near)
    try:
        write_version(here, "warranty")
        assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
        proxy.cut()
        assert there.reader("warranty").fetch(COUNT) == [(ROWS, 1, 1)]
        monkeypatch.setattr(shared_files, "WAIT", 0.2)
        hasty = machine("hasty", url, near)
        for publishes in (True, False):
            with pytest.raises(StoreError) as caught:
                use(hasty, publishes=publishes)
            assert caught.value.key == "files.silent"
        assert there.reader("warranty").version.version == 1
        assert list((tmp_path / "hasty").glob("*.duckdb")) == []
        proxy.mend()
        assert write_version(here, "warranty").version == 2
        assert there.reader("warranty").fetch(COUNT) == [(ROWS, 2, 2)]
    finally:
        proxy.close()
