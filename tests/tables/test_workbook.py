"""Spreadsheets, Parquet and JSON as people keep them: merged and empty headers, formulas, hidden sheets, nested objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
import xlsxwriter  # type: ignore[import-untyped]

from troly.errors import InputError
from troly.tables.column_types import TypedTable, type_table
from troly.tables.rows import SheetTable
from troly.tables.sheets import read_sheet
from troly.tables.stage import LoadContext
from troly.tables.workbook import worksheets


def book(path: Path, fill: Callable[[Any], None]) -> Path:
    """A workbook that `fill` writes."""
    with xlsxwriter.Workbook(str(path), {"strings_to_formulas": False, "strings_to_urls": False}) as made:
        fill(made)
    return path


def sheet_of(rows: Sequence[Any], name: str = "Bán hàng") -> Callable[[Any], None]:
    def fill(made: Any) -> None:
        sheet = made.add_worksheet(name)
        day = made.add_format({"num_format": "dd/mm/yyyy"})
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, (date, datetime)):
                    sheet.write_datetime(at, column, cell, day)
                elif cell is not None:
                    sheet.write(at, column, cell)

    return fill


def load(
    path: Path, tmp_path: Path, worksheet: str = ""
) -> tuple[SheetTable, TypedTable, list[tuple[Any, ...]]]:
    """The table of a file: what is known, its columns, its rows."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    con = duckdb.connect()
    means = LoadContext(work, lambda _done, _total, _unit: None, lambda: None)
    name = worksheet or (worksheets(path, "")[0] if path.suffix == ".xlsx" else "")
    found = read_sheet(con, path, name, means, "vi")
    typed = type_table(con, found.names, "main.t", lambda: None, exact=found.exact)
    return found, typed, con.execute("from t").fetchall()


def kinds(typed: TypedTable) -> dict[str, str]:
    return {column.name: column.kind for column in typed.columns}


def test_stored_numbers_and_dates_need_no_guessing(tmp_path: Path) -> None:
    rows = [
        ["Tên", "Giá", "Tỷ trọng", "Ngày"],
        ["Áo", 1.234, 0.5, date(2026, 1, 31)],
        ["Quần", 2, 12, date(2026, 2, 1)],
    ]
    path = book(tmp_path / "a.xlsx", sheet_of(rows))
    _, typed, found = load(path, tmp_path)
    assert kinds(typed) == {"Tên": "text", "Giá": "number", "Tỷ trọng": "number", "Ngày": "date"}
    assert found == [("Áo", 1.234, 0.5, date(2026, 1, 31)), ("Quần", 2.0, 12.0, date(2026, 2, 1))]


def test_stored_and_typed_numbers_may_stand_in_one_column(tmp_path: Path) -> None:
    rows = [["Giá"], [1500.5], ["1.000,5"], ["2.000,25"], ["20k"]]
    _, typed, found = load(book(tmp_path / "a.xlsx", sheet_of(rows)), tmp_path)
    assert typed.columns[0].kind == "money"
    assert [row[0] for row in found] == [1500.5, 1000.5, 2000.25, 20_000]


def test_merged_headers_name_their_columns_and_merged_cells_fill_their_rows(tmp_path: Path) -> None:
    def fill(made: Any) -> None:
        sheet = made.add_worksheet("Quý 1")
        sheet.merge_range(0, 0, 0, 3, "BÁO CÁO QUÝ 1")
        sheet.merge_range(2, 0, 3, 0, "Nhóm")
        sheet.merge_range(2, 1, 2, 2, "Doanh thu")
        sheet.merge_range(2, 3, 3, 3, "Ghi chú")
        sheet.write_row(3, 1, ["Tháng 1", "Tháng 2"])
        sheet.merge_range(4, 0, 5, 0, "Áo")
        for row in range(4, 7):
            sheet.write_row(row, 1, [row * 1000, row * 2000, "ok"])
        sheet.write(6, 0, "Quần")
        sheet.write(8, 0, "Tổng cộng")
        sheet.write_formula(8, 1, "=SUM(B5:B7)", value=15_000)

    found, _, rows = load(book(tmp_path / "a.xlsx", fill), tmp_path)
    assert found.names == ("Nhóm", "Doanh thu Tháng 1", "Doanh thu Tháng 2", "Ghi chú")
    assert [row[0] for row in rows] == ["Áo", "Áo", "Quần"]
    assert [found.line_of(at) for at in range(3)] == [5, 6, 7]
    assert {key for key, _ in found.notes} == {"title", "merged", "formulas"}
    assert [line for line, _, _ in found.refused("vi")] == [9]
    assert all(found.told("vi"))


def test_empty_and_repeated_headers(tmp_path: Path) -> None:
    rows = [["Giá", None, "Giá", "giá"], [1, "x", 2, 3], [4, "y", 5, 6]]
    found, _, kept = load(book(tmp_path / "a.xlsx", sheet_of(rows)), tmp_path)
    assert found.names == ("Giá", "Cột 2", "Giá (2)", "giá (3)")
    assert kept[0] == (1, "x", 2, 3)


def test_formulas_in_cells_and_headers_stay_text(tmp_path: Path) -> None:
    evil = "=cmd|' /C calc'!A0"
    rows = [[evil, "@SUM(A1)"], ["=1+1", "\x1b[31mđỏ"], ["-2+3", "[bold]x[/]"]]
    found, typed, kept = load(book(tmp_path / "a.xlsx", sheet_of(rows)), tmp_path)
    assert found.names == (evil, "@SUM(A1)")
    assert kept[0][0] == "=1+1"
    assert typed.columns[0].kind == "text"


def test_several_worksheets(tmp_path: Path) -> None:
    def fill(made: Any) -> None:
        for name in ("Một", "Ẩn", "Rỗng", "Hai"):
            sheet = made.add_worksheet(name)
            if name != "Rỗng":
                sheet.write_row(0, 0, ["Tên", "Giá"])
                sheet.write_row(1, 0, [name, 5])
            if name == "Ẩn":
                sheet.hide()

    path = book(tmp_path / "a.xlsx", fill)
    assert worksheets(path, "") == ["Một", "Hai"]
    assert worksheets(path, "an") == ["Ẩn"]
    assert worksheets(path, "4") == ["Hai"]
    assert load(path, tmp_path, "Ẩn")[2] == [("Ẩn", 5)]
    with pytest.raises(InputError) as raised:
        worksheets(path, "Ba")
    assert "Một, Ẩn, Rỗng, Hai" in raised.value.render("vi").message
    with pytest.raises(InputError) as raised:
        load(path, tmp_path, "Rỗng")
    assert raised.value.key == "table.no_rows"


def test_a_wide_worksheet_is_refused(tmp_path: Path) -> None:
    rows = [[f"c{at}" for at in range(5_000)], [1] * 5_000]
    with pytest.raises(InputError) as raised:
        load(book(tmp_path / "a.xlsx", sheet_of(rows)), tmp_path)
    assert raised.value.key == "table.columns"


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 7, "khách": {"tên": "An", "tuổi": 30}, "thẻ": ["a", "b"], "điểm": [1, 2.5], "n": 1.234}\n'
        "not json\n"
        '{"id": 8, "khách": {"tên": "Bình"}, "thẻ": [], "mới": true}\n'
        "\n[1, 2]\n",
        encoding="utf-8",
    )
    found, typed, rows = load(path, tmp_path)
    assert kinds(typed) == {
        "id": "text", "khách.tên": "text", "khách.tuổi": "integer", "thẻ": "list", "điểm": "list", "n": "number",
        "mới": "boolean",
    }  # fmt: skip
    assert rows == [
        ("7", "An", 30, ["a", "b"], [1.0, 2.5], 1.234, None),
        ("8", "Bình", None, [], None, None, True),
    ]
    assert [(line, raw) for line, _, raw in found.refused("vi")] == [(2, "not json"), (5, "[1, 2]")]
    assert found.blank == 1


@pytest.mark.parametrize("wrapped", [False, True])
def test_json_documents(tmp_path: Path, *, wrapped: bool) -> None:
    records = [{"Giá": "1.000 đ", "Ngày": "31/1/2026"}, {"Giá": "2.500 đ", "Ngày": "1/2/2026"}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"total": 2, "data": records} if wrapped else records), encoding="utf-8")
    _, typed, rows = load(path, tmp_path)
    assert kinds(typed) == {"Giá": "money", "Ngày": "date"}
    assert rows[1] == (2500, date(2026, 2, 1))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[{"a": 1}, ', "table.damaged"),
        ("[1, 2, 3]", "table.no_rows"),
        ("[]", "table.no_rows"),
        ("{}", "table.no_rows"),
        ('{"a":' * 6 + "1" + "}" * 6, "table.deep"),
        ("[" * 100_000, "table.damaged"),
    ],
)
def test_json_that_is_no_table(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load(path, tmp_path)
    assert raised.value.key == key


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a'b.parquet"
    quoted = str(path).replace("'", "''")
    duckdb.connect().execute(
        "copy (select 'Đ1' as \"Mã\", {'x': 1, 'y.z': 'a'} as s, [1, 2] as l, [{'k': 1}] as ls, date '2026-01-01' as d,"
        " 150000::decimal(12,2) as \"Giá\", timestamptz '2026-01-01 00:00:00+00' as t, map {'a': 1} as m, '15,5%' as p,"
        f" 5::hugeint as h, 7::utinyint as u) to '{quoted}' (format parquet)"
    )
    _, typed, rows = load(path, tmp_path)
    assert kinds(typed) == {
        "Mã": "text", "s.x": "integer", "s.y.z": "text", "l": "list", "ls": "list", "d": "date", "Giá": "money",
        "t": "datetime", "m": "text", "p": "percent", "h": "integer", "u": "integer",
    }  # fmt: skip
    moment = datetime.fromisoformat("2026-01-01T07:00:00")
    assert rows == [
        ("Đ1", 1, "a", [1, 2], ['{"k":1}'], date(2026, 1, 1), 150000, moment, '{"a":1}', 15.5, 5, 7)
    ]  # fmt: skip
