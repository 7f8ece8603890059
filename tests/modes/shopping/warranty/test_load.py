"""Loading a warranty list: what is taken, what is kept out and reported, and that nothing vanishes."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.warranty_files import HEADER, load, rows, write
from tests.support.stores.services import services_at
from troly.errors import StoppedError
from troly.plugin.services import Services
from troly_shopping.warranty.store import WarrantyStore

ROOT = Path(__file__).parents[4]


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home) as opened:
        yield opened


def test_the_sample_list_loads_whole(services: Services) -> None:
    outcome = load(services, ROOT / "data" / "warranty.csv")
    assert outcome.published
    assert outcome.counts["rejected"] == outcome.counts["duplicates"] == 0
    assert outcome.counts["lines"] == outcome.counts["loaded"] + 1
    found = WarrantyStore(services.datasets).find("abc123")
    assert found is not None
    assert (found.serial, found.product_name, found.end.isoformat()) == (
        "ABC123",
        "Laptop Dell",
        "2024-12-31",
    )


def test_the_records_are_there_as_the_documents_name_them(services: Services, tmp_path: Path) -> None:
    """000-52: `warranty_records(serial, product_name, warranty_end_date)`, the serial being the key."""
    load(services, write(tmp_path, f"{HEADER}A-1,X,2024-12-31\na-1,Y,2025-06-30\nB-2,Z,2026-04-03\n"))
    sql = (
        "select serial, product_name, warranty_end_date::varchar from warranty_records order by upper(serial)"
    )
    found = services.datasets.reader("warranty").fetch(sql)
    assert [(serial.upper(), name, end) for serial, name, end in found] == [
        ("A-1", "Y", "2025-06-30"),
        ("B-2", "Z", "2026-04-03"),
    ]
    kinds = "select constraint_column_names from duckdb_constraints() where constraint_type = 'PRIMARY KEY'"
    assert services.datasets.reader("warranty").fetch(kinds) == [(["serial"],)]


def test_both_date_formats_of_the_documents(services: Services, tmp_path: Path) -> None:
    load(services, write(tmp_path, f"{HEADER}A-1,X,2024-12-31\nB-2,Y,30/06/2025\nC-3,Z,3/4/2026\n"))
    assert [row[2] for row in rows(services)] == ["2024-12-31", "2025-06-30", "2026-04-03"]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("serial,product_name,warranty_end_date\nA1B,Chuột,2027-01-01\n", "utf-8-sig"),
        ("serial;product_name;warranty_end_date\r\nA1B;Chuột;01/01/2027\r\n", "utf-8"),
        ("serial\tproduct_name\twarranty_end_date\nA1B\tChuột\t2027-01-01", "utf-16"),
        ("serial,product_name,warranty_end_date\nA1B,Chuột,2027-01-01\n", "utf-16-le"),
        (" Warranty End Date , SERIAL,Product-Name,note\n2027-01-01, A1B ,Chuột,x\n", "utf-8"),
        ('"serial","product_name","warranty_end_date"\n"A1B","Chuột","2027-01-01"\n', "utf-8"),
        ("serial,product_name,warranty_end_date\rA1B,Chuột,2027-01-01\r", "utf-8"),
        ("serial,product_name,warranty_end_date\r\nA1B,Chuột,2027-01-01\n", "utf-8"),
        ("\n\nserial,product_name,warranty_end_date\n\nA1B,Chuột,2027-01-01\n\n", "utf-8"),
        ("serial,product_name,warranty_end_date\n\u00a0A1B\u00a0,Chuột,2027-01-01\u00a0\n", "utf-8"),
    ],
)
def test_the_same_row_in_every_dress(services: Services, tmp_path: Path, content: str, encoding: str) -> None:
    load(services, write(tmp_path, content.encode(encoding)))
    assert rows(services) == [("A1B", "Chuột", "2027-01-01")]


def test_windows_1258_is_read_and_said(services: Services, tmp_path: Path) -> None:
    # That code page writes most tones as a sign after the letter.
    name = b"Chu\xf4\xf2t kh\xf4ng d\xe2y \xf0en"
    content = HEADER.encode() + b"".join(b"A%dB,%s,2027-01-01\n" % (n, name) for n in range(100, 200))
    outcome = load(services, write(tmp_path, content))
    assert rows(services)[0][1] == "Chuột không dây đen"
    assert "windows-1258" in outcome.summary


def test_one_damaged_line_does_not_make_a_utf8_file_another_encoding(
    services: Services, tmp_path: Path
) -> None:
    good = "".join(f"A{n},Bàn phím cơ số {n},2027-01-01\n" for n in range(100, 150))
    content = HEADER.encode() + good.encode() + b"B100,h\xe0ng,2027-01-01\n"
    outcome = load(services, write(tmp_path, content))
    assert (outcome.counts["loaded"], outcome.counts["rejected"]) == (50, 1)
    assert "Line 52" in outcome.problems[0]


def test_bad_rows_are_kept_out_with_line_and_reason(services: Services, tmp_path: Path) -> None:
    bad = [
        (",Laptop,2027-01-01", "serial is missing"),
        ("A1,Laptop,2027-01-01", "3 to 32"),
        ("ABCDEF,Laptop,2027-01-01", "digit"),
        ("AB 123,Laptop,2027-01-01", "space"),
        ("AB_123,Laptop,2027-01-01", "hyphens"),
        (f"A{'1' * 32},Laptop,2027-01-01", "3 to 32"),
        ("OK1,,2027-01-01", "name"),
        ("OK2,Laptop,31/02/2024", "date"),
        ("OK3,Laptop,31/12/24", "date"),
        ("OK4,Laptop", "columns"),
        ("OK5,Laptop,2027-01-01,x", "columns"),
        ('OK6,"Laptop" Dell,2027-01-01', "quote"),
    ]
    content = (
        HEADER
        + "GOOD1,Laptop,2027-01-01\n"
        + "\n".join(line for line, _ in bad)
        + "\nGOOD2,Chuột,2027-01-01\n"
    )
    errors = tmp_path / "errors.csv"
    outcome = load(services, write(tmp_path, content), errors=errors)
    assert [row[0] for row in rows(services)] == ["GOOD1", "GOOD2"]
    assert outcome.counts["rejected"] == len(bad)
    with errors.open(encoding="utf-8", newline="") as file:
        told = list(csv.reader(file))[1:]
    assert [int(line) for line, _, _ in told] == list(range(3, 3 + len(bad)))
    for (raw, reason), (_, said, shown) in zip(bad, told, strict=True):
        assert reason in said
        assert shown == raw


def test_the_last_row_of_a_serial_wins_and_both_lines_are_named(services: Services, tmp_path: Path) -> None:
    content = f"{HEADER}AB1,old,2024-01-01\nCD2,x,2024-01-01\nab1,new,2025-01-01\n"
    outcome = load(services, write(tmp_path, content))
    assert rows(services) == [("CD2", "x", "2024-01-01"), ("ab1", "new", "2025-01-01")]
    assert outcome.counts["duplicates"] == 1
    assert outcome.problems[0].startswith("Line 2:")
    assert "line 4" in outcome.problems[0]


def test_an_upsert_keeps_what_it_does_not_name_and_replace_does_not(
    services: Services, tmp_path: Path
) -> None:
    load(services, write(tmp_path, f"{HEADER}AB1,one,2024-01-01\nCD2,two,2024-01-01\n"))
    outcome = load(services, write(tmp_path, f"{HEADER}cd2,other,2025-01-01\nEF3,three,2025-01-01\n"))
    assert (outcome.counts["updated"], outcome.counts["total"]) == (1, 3)
    assert [row[0] for row in rows(services)] == ["AB1", "EF3", "cd2"]
    load(services, write(tmp_path, f"{HEADER}ZZ9,last,2025-01-01\n"), replace=True)
    assert [row[0] for row in rows(services)] == ["ZZ9"]


def test_a_dry_run_reports_and_changes_nothing(services: Services, tmp_path: Path) -> None:
    outcome = load(
        services, write(tmp_path, f"{HEADER}AB1,one,2024-01-01\nbad,two,2024-01-01\n"), dry_run=True
    )
    assert not outcome.published
    assert (outcome.counts["valid"], outcome.counts["rejected"]) == (1, 1)
    assert rows(services) == []


def test_a_stopped_load_leaves_the_old_records(services: Services, tmp_path: Path) -> None:
    load(services, write(tmp_path, f"{HEADER}AB1,one,2024-01-01\n"))
    with pytest.raises(StoppedError):
        load(services, write(tmp_path, f"{HEADER}CD2,two,2024-01-01\n"), cancelled=lambda: True)
    assert [row[0] for row in rows(services)] == ["AB1"]


def test_quotes_inches_commas_and_line_ends_inside_fields(services: Services, tmp_path: Path) -> None:
    content = (
        HEADER
        + 'A01,"Màn hình, 27 inch",2027-01-01\n'
        + 'A02,Màn hình 24" LG,2027-01-01\n'
        + 'A03,"Bàn phím ""cơ""",2027-01-01\n'
        + 'A04,"Tai nghe\nmàu đen",2027-01-01\n'
        + "A05,Loa,2027-01-01\n"
    )
    outcome = load(services, write(tmp_path, content))
    assert outcome.counts["rejected"] == 0
    names = [row[1] for row in rows(services)]
    assert names == ["Màn hình, 27 inch", 'Màn hình 24" LG', 'Bàn phím "cơ"', "Tai nghe màu đen", "Loa"]


@pytest.mark.parametrize("tail", ["", 'A91,"x",2027-01-01\n', 'A91,Màn 24",2027-01-01\n'])
def test_an_open_quote_costs_its_own_line_only(services: Services, tmp_path: Path, tail: str) -> None:
    content = (
        HEADER
        + 'A01,"Laptop,2027-01-01\n'
        + "".join(f"A{n},Chuột,2027-01-01\n" for n in range(10, 90))
        + tail
    )
    outcome = load(services, write(tmp_path, content))
    assert outcome.counts["rejected"] == 1
    assert outcome.counts["loaded"] == 80 + bool(tail)
    assert outcome.problems[0].startswith("Line 2: a quote is opened")


def test_a_huge_line_is_one_bad_line(services: Services, tmp_path: Path) -> None:
    content = f"{HEADER}A01,{'x' * 10_000_000},2027-01-01\nA02,Chuột,2027-01-01\n"
    outcome = load(services, write(tmp_path, content))
    assert (outcome.counts["loaded"], outcome.counts["rejected"]) == (1, 1)
    assert "too long" in outcome.problems[0]


def test_a_name_that_looks_like_a_pattern_is_only_a_name(services: Services, tmp_path: Path) -> None:
    path = write(tmp_path, f"{HEADER}AB1,one,2024-01-01\n", "list [1] it's *.csv")
    assert load(services, path).published


def test_every_line_of_a_large_file_is_accounted_for(services: Services, tmp_path: Path) -> None:
    pick = random.Random(7)
    kinds = [
        "S{n},Chuột,2027-01-01\n", 'S{n},"a, b",01/02/2027\n', 'S{n},"two\nlines",2027-01-01\n', "S{n},x\n", "\n",
        'S{n},"open,2027-01-01\n', "S{n},x,never\n", 'S{n},"x"y,2027-01-01\n', "S1000,again,2027-01-01\n",
    ]  # fmt: skip
    weights = (50, 30, 2, 1, 1, 1, 1, 1, 1)
    lines = [pick.choices(kinds, weights)[0].format(n=n) for n in range(1001, 31_001)]
    outcome = load(services, write(tmp_path, HEADER + "".join(lines)))
    counts = outcome.counts
    continued = sum("two\n" in line for line in lines)
    assert counts["lines"] == 1 + sum(line.count("\n") for line in lines)
    parts = ("loaded", "duplicates", "rejected", "blank")
    assert counts["lines"] == 1 + continued + sum(counts[name] for name in parts)
    assert counts["rejected"] == sum(
        ("open" in line or ",never" in line or 'x"y' in line or line.endswith(",x\n")) for line in lines
    )
