"""Files that are no warranty list end in one clear sentence, in both languages, and change nothing."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.warranty_files import HEADER, load, rows, write
from tests.support.process.unprivileged import run_unprivileged
from tests.support.stores.services import services_at
from troly.errors import InputError, TrolyError
from troly.plugin.services import Services
from troly.tables.source import sniff_encoding

ROOT = Path(__file__).parents[4]


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home) as opened:
        load(opened, write(own_home, f"{HEADER}OLD1,old,2024-01-01\n"))
        yield opened
        assert [row[0] for row in rows(opened)] == ["OLD1"]


def refused(services: Services, path: Path) -> TrolyError:
    with pytest.raises(InputError) as caught:
        load(services, path)
    for lang in ("vi", "en"):
        text = caught.value.render(lang)
        assert text.title
        assert text.message
        assert text.remedy
        assert "\n" not in text.line()
    return caught.value


def zipped() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "csv.empty"),
        (b"  \n\n\t\n", "csv.empty"),
        (b"\xef\xbb\xbf", "csv.empty"),
        (bytes(range(256)) * 20, "csv.binary"),
        (zipped(), "csv.binary_kind"),
        (b"%PDF-1.7\n...", "csv.binary_kind"),
        (b"serial\nABC123\n", "csv.one_column"),
        (b"x" * 10_000_000, "csv.one_column"),
        (b"ABC123,Laptop Dell,2024-12-31\nXYZ789,Mouse,30/06/2025\n", "csv.no_header"),
        (b"id,name,date\nABC123,Laptop,2024-12-31\n", "csv.columns"),
        (b"serial,product_name\nABC123,Laptop\n", "csv.columns"),
        (HEADER.encode(), "warranty.no_rows"),
        (HEADER.encode() + b"bad,Laptop,2024-12-31\n", "warranty.no_rows"),
        ((HEADER + "A1B,Chuột,2027-01-01\n").encode("utf-16")[:-1], "csv.encoding"),
    ],
)
def test_a_file_that_is_no_warranty_list(
    services: Services, tmp_path: Path, content: bytes, key: str
) -> None:
    assert refused(services, write(tmp_path, content)).key == key


def test_what_was_found_is_named(services: Services, tmp_path: Path) -> None:
    error = refused(services, write(tmp_path, "serial,ten,ngay\nA1B,x,2024-01-01\n"))
    assert "serial, ten, ngay" in error.render("vi").message
    assert "product_name, warranty_end_date" in error.render("en").message


def test_missing_file_and_folder(services: Services, tmp_path: Path) -> None:
    assert refused(services, tmp_path / "none.csv").key == "csv.missing"
    assert refused(services, tmp_path).key == "csv.directory"


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER)
    path.chmod(0)
    prepare = "from troly.tables.source import sniff_encoding\nfrom troly.errors import InputError\nimport troly.text.catalogue"
    body = "try:\n    sniff_encoding(folder / 'list.csv')\nexcept InputError as error:\n    print(error.key)"
    assert run_unprivileged(prepare, body, tmp_path).strip() == "csv.denied"


def test_an_error_file_that_cannot_be_written(services: Services, tmp_path: Path) -> None:
    path = write(tmp_path, f"{HEADER}A1B,x,2024-01-01\nbad,x,2024-01-01\n")
    with pytest.raises(InputError) as caught:
        load(services, path, errors=tmp_path / "no such folder" / "errors.csv")
    assert caught.value.key == "csv.errors_file"


FULL_DISK = """
import resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from tests.support.stores.services import services_at
from tests.support.modes.warranty_files import load, rows
from troly.errors import StoreError
home, small, large = map(Path, sys.argv[1:4])
with services_at(home) as services:
    load(services, small)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        load(services, large)
    except StoreError as error:
        print(error.key, [row[0] for row in rows(services)], len(list((home / "data" / "datasets").glob("*.duckdb"))))
"""


def test_a_full_disk_leaves_the_old_records(tmp_path: Path) -> None:
    small = write(tmp_path, f"{HEADER}OLD1,old,2024-01-01\n", "small.csv")
    body = "".join(
        f"SN{n * 7919 % 10**9:09d}X,Laptop số {n * 31 % 9973},2027-01-01\n" for n in range(200_000)
    )
    large = write(tmp_path, HEADER + body, "large.csv")
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "home"), str(small), str(large)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "store.full ['OLD1'] 1", done.stderr


def test_only_text_is_taken_for_text(tmp_path: Path) -> None:
    assert sniff_encoding(write(tmp_path, "a,b\n")) == "utf-8"
    assert sniff_encoding(write(tmp_path, "ơ".encode("utf-8-sig"))) == "utf-8-sig"
    assert sniff_encoding(write(tmp_path, "xin chào các bạn".encode("utf-16-be"))) == "utf-16-be"
