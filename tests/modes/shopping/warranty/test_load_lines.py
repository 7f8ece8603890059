"""Every physical line of any list is accounted for, and a row is traced to the line it came from."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.modes.warranty_files import HEADER
from troly.tables.source import read_header
from troly.tables.stage import LoadContext, StagedCsv, rewrite, stage
from troly_shopping.warranty.load import LAYOUT, check_rows

CELLS = st.text(st.sampled_from("AB1 ,;\"'\n\r\tộđ0-/x\u00a0"), max_size=12)
ROWS = st.lists(
    st.tuples(CELLS, CELLS, st.sampled_from(["2027-01-01", "01/02/2027", "x", ""]), st.booleans()),
    min_size=1,
    max_size=20,
)


def made(rows: list[tuple[str, str, str, bool]], delimiter: str, ends: str) -> str:
    """A list with some rows written as CSV, others put together carelessly, and a good one last."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    for serial, name, day, well in rows:
        if well:
            writer.writerow([serial, name, day])
        else:
            text.write(delimiter.join([serial, name, day]) + "\n")
    text.write(f"GOOD1{delimiter}ok{delimiter}2027-01-01\n")
    return (HEADER.replace(",", delimiter) + text.getvalue()).replace("\n", ends)


def staged_from(content: str, folder: Path) -> tuple[duckdb.DuckDBPyConnection, StagedCsv]:
    path = folder / "any.csv"
    path.write_bytes(content.encode())
    work = folder / "work"
    work.mkdir(exist_ok=True)
    con = duckdb.connect()
    return con, stage(con, path, LAYOUT, LoadContext(work, lambda _done, _total, _unit: None, lambda: None))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines")


@settings(max_examples=25)
@example([("\r", "", "", False)], "\t", "\n")
@example([("A1B", '"open', "2027-01-01", False), ("A2B", "x", "2027-01-01", True)], ",", "\r\n")
@given(ROWS, st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_lines_add_up(
    folder: Path, rows: list[tuple[str, str, str, bool]], delimiter: str, ends: str
) -> None:
    content = made(rows, delimiter, ends)
    con, staged = staged_from(content, folder)
    physical = io.StringIO(content, newline=None).readlines()
    told = staged.rows + len(staged.refused) + staged.blank + len(staged.continued)
    assert staged.lines - staged.header.line == told
    checked = check_rows(con, staged)
    assert checked.kept + len(checked.repeated) + len(checked.faults) == staged.rows
    if staged.lines == len(physical):
        for place, serial in con.execute("select place, serial from good").fetchall():
            assert serial in physical[staged.line_of(place) - 1]
    con.close()


@settings(max_examples=25)
@given(ROWS, st.sampled_from([",", ";", "\t"]))
def test_the_careful_reading_agrees_with_the_quick_one(
    folder: Path, rows: list[tuple[str, str, str, bool]], delimiter: str
) -> None:
    """On lists that are well written and hold no line ends inside fields, both see the same rows."""
    clean = [
        (a.replace("\n", "").replace("\r", ""), b.replace("\n", "").replace("\r", ""), c, True)
        for a, b, c, _ in rows
    ]
    con, staged = staged_from(made(clean, delimiter, "\n"), folder)
    target = folder / "careful.csv"
    header = read_header(staged.text, staged.text, LAYOUT)
    assert rewrite(staged.text, target, header, lambda: None).lines == staged.lines
    again, second = staged_from(target.read_text(encoding="utf-8"), folder)
    sql = "select serial, product_name, ends from good order by place"
    check_rows(con, staged)
    check_rows(again, second)
    assert con.execute(sql).fetchall() == again.execute(sql).fetchall()
    con.close()
    again.close()
