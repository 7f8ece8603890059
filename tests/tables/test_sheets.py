"""A CSV whose columns nobody knows: delimiters, encodings, title lines, bad lines told, every good row kept."""

from __future__ import annotations

import csv
import io
import unicodedata
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from troly.errors import InputError
from troly.tables.rows import SheetTable
from troly.tables.sheets import read_sheet
from troly.tables.stage import LoadContext

ROWS = [
    ["Mã đơn", "Ngày", "Số tiền"],
    ["Đ1", "01/02/2026", "5"],
    ["Đ2", "02/02/2026", "7"],
    ["Đ3", "03/02/2026", "9"],
]


def read(
    content: bytes, name: str = "a.csv"
) -> tuple[SheetTable, list[tuple[str, ...]], list[tuple[int, str, str]]]:
    """What is known of the file, its staged rows, its refused lines."""
    with TemporaryDirectory() as folder:
        path, work = Path(folder) / name, Path(folder) / "work"
        path.write_bytes(content)
        work.mkdir()
        con = duckdb.connect()
        try:
            means = LoadContext(work, lambda _done, _total, _unit: None, lambda: None)
            found = read_sheet(con, path, "", means, "vi")
            return found, con.execute("from staged").fetchall(), list(found.refused("vi"))
        finally:
            con.close()


def written(delimiter: str, rows: list[list[str]] = ROWS) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_any_delimiter_and_encoding(delimiter: str, encoding: str) -> None:
    found, rows, refused = read(written(delimiter).encode(encoding))
    assert found.names == ("Mã đơn", "Ngày", "Số tiền")
    assert rows == [tuple(row) for row in ROWS[1:]]
    assert not refused


def old(text: str) -> bytes:
    """As old Windows programs write Vietnamese: the letters with their own marks, tones after them."""
    parts = []
    for char in text:
        whole = unicodedata.normalize("NFD", char)
        tones = "".join(mark for mark in whole if mark in "\u0300\u0301\u0303\u0309\u0323")
        parts.append(
            unicodedata.normalize("NFC", "".join(mark for mark in whole if mark not in tones)) + tones
        )
    return "".join(parts).encode("windows-1258")


def test_old_encodings_are_told_apart() -> None:
    vietnamese = "Tên,Nơi\nĐường đi,Hà Nội\nÁo đỏ,Đà Nẵng\n"
    found, rows, _ = read(old(vietnamese))
    assert rows[1] == ("Áo đỏ", "Đà Nẵng")
    assert found.notes == (("encoding", {"encoding": "windows-1258"}),)
    found, rows, _ = read("name,city\nSão João,Città\nÉcole,Zürich\n".encode("windows-1252"))
    assert rows[0] == ("São João", "Città")
    assert found.notes == (("encoding", {"encoding": "windows-1252"}),)


def test_decimal_commas_do_not_part_columns() -> None:
    found, rows, _ = read("Tên;Giá;Thuế\nÁo;1,5;0,1\nQuần, dài;2,5;0,2\n".encode())
    assert found.names == ("Tên", "Giá", "Thuế")
    assert rows[1] == ("Quần, dài", "2,5", "0,2")


def test_a_delimiter_inside_quoted_cells_is_not_counted() -> None:
    found, rows, refused = read('Mã,Ghi chú\n1,"a;b;c"\n2,"d;e\nf;g"\n3,"h;i;j"\n'.encode())
    assert found.names == ("Mã", "Ghi chú")
    assert rows == [("1", "a;b;c"), ("2", "d;e f;g"), ("3", "h;i;j")]
    assert not refused


def test_a_delimiter_said_by_the_file() -> None:
    found, rows, _ = read("sep=;\nTên;Giá\nÁo;5\n".encode())
    assert (found.names, rows) == (("Tên", "Giá"), [("Áo", "5")])


def test_titles_above_the_header_are_passed_over() -> None:
    text = (
        "Báo cáo bán hàng,,\nTừ 1/1/2026 đến 31/1/2026,,\n,,\nTên,Giá,Ngày\nÁo,5,1/1/2026\nQuần,7,2/1/2026\n"
    )
    found, rows, refused = read(text.encode())
    assert found.names == ("Tên", "Giá", "Ngày")
    assert [row[0] for row in rows] == ["Áo", "Quần"]
    assert [found.line_of(row) for row in range(2)] == [5, 6]
    assert found.notes == (("title", {"line": 4}),)
    assert not refused


def test_a_file_without_a_header_gets_names() -> None:
    found, rows, _ = read("Áo,5,1/1/2026\nQuần,7,2/1/2026\n".encode())
    assert found.names == ("Cột 1", "Cột 2", "Cột 3")
    assert len(rows) == 2
    assert found.line_of(0) == 1
    assert ("no_header", {}) in found.notes


def test_years_across_are_a_header() -> None:
    found, rows, _ = read("Chỉ tiêu,2024,2025\nDoanh thu,5,7\nChi phí,2,3\n".encode())
    assert found.names == ("Chỉ tiêu", "2024", "2025")
    assert len(rows) == 2


def test_bad_lines_are_told_and_good_ones_kept() -> None:
    text = 'Tên,Giá\nÁo,5\nQuần\nVáy,7,8\n"Mũ,9\nGiày,11\n\n"Túi\nxách",13\n'
    found, rows, refused = read(text.encode())
    assert rows == [("Áo", "5"), ("Giày", "11"), ("Túi xách", "13")]
    assert [(line, raw) for line, _, raw in refused] == [(3, "Quần"), (4, "Váy,7,8"), (5, '"Mũ,9')]
    assert "sai số cột" in refused[0][1]
    assert (found.blank, found.refused_count) == (1, 3)


def test_a_long_note_in_quotes_may_hold_lines_that_look_like_rows() -> None:
    text = 'Mã,Ghi chú,Số\n1,"khách hẹn, gọi lại\nsau 5 giờ, nhớ xác nhận\ncảm ơn",7\n2,tốt,8\n'
    _, rows, refused = read(text.encode())
    assert [(row[0], row[2]) for row in rows] == [("1", "7"), ("2", "8")]
    assert not refused


def test_rows_of_totals_are_kept_out() -> None:
    text = "Tên,Giá,SL\nÁo,5,1\nQuần,7,2\nTổng cộng,12,\n"
    _, rows, refused = read(text.encode())
    assert len(rows) == 2
    assert refused == [(4, "dòng tổng, không nạp để khỏi tính hai lần", "Tổng cộng ; 12")]


def test_columns_of_nothing_go() -> None:
    found, rows, _ = read("Tên,Giá,,\nÁo,5,,x\nQuần,7,,\n".encode())
    assert found.names == ("Tên", "Giá", "Cột 4")
    assert rows[0] == ("Áo", "5", "x")


def test_5000_columns_are_refused_in_a_sentence() -> None:
    text = ",".join(f"c{at}" for at in range(5_000)) + "\n" + ",".join("1" * 5_000) + "\n"
    with pytest.raises(InputError) as raised:
        read(text.encode())
    assert raised.value.key == "table.columns"
    assert "5000" in raised.value.render("vi").message


def test_1000_columns_are_taken() -> None:
    text = ",".join(f"cột {at}" for at in range(1_000)) + "\n" + ",".join("1" * 1_000) + "\n"
    found, rows, _ = read(text.encode())
    assert len(found.names) == len(rows[0]) == 1_000


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "csv.empty"),
        (b"\n\n \n", "csv.empty"),
        (b"a,b,c\n", "table.no_rows"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "csv.binary_kind"),
        (b"%PDF-1.7 ...", "csv.binary_kind"),
        (bytes(range(256)) * 20, "csv.binary"),
        (b"PK\x03\x04" + b"\0" * 100, "table.workbook"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "table.workbook"),
        (b"\xef\xbb\xbf <HTML><table><tr><td>1</td></tr></table>", "table.markup"),
        (b"PAR1 and no more", "table.damaged"),
    ],
)
def test_what_holds_no_table_is_refused_in_a_sentence(content: bytes, key: str) -> None:
    with pytest.raises(InputError) as raised:
        read(content)
    assert raised.value.key == key
    for lang in ("vi", "en"):
        text = raised.value.render(lang)
        assert text.title
        assert text.message
        assert text.remedy


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    means = LoadContext(tmp_path, lambda _done, _total, _unit: None, lambda: None)
    for path, key in ((tmp_path / "không có.csv", "csv.missing"), (tmp_path, "csv.directory")):
        with pytest.raises(InputError) as raised:
            read_sheet(duckdb.connect(), path, "", means, "vi")
        assert raised.value.key == key


CELLS = st.text(st.sampled_from("ABé1 ,;|\t\"'\nộđ0-/="), max_size=8)


@settings(max_examples=40, deadline=None)
@example([["A", "B"], ["1", '"']], ",")
@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=2, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_well_written_rows_are_all_accounted_for(body: list[list[str]], delimiter: str) -> None:
    rows = [["Mã hàng", "Tên hàng", "Ghi chú"], ["X1", "áo", "tốt"], ["X2", "quần", "tốt"], *body]
    try:
        found, kept, refused = read(written(delimiter, rows).encode())
    except InputError:
        return  # a sentence is an answer too
    told = len(kept) + found.refused_count
    assert told + found.blank <= found.lines
    assert len(refused) == found.refused_count
    if found.names[:1] == ("Mã hàng",) and not refused and len(found.names) == 3 and not found.notes:
        assert len(kept) >= 2


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_give_rows_or_a_sentence(content: bytes) -> None:
    try:
        found, kept, refused = read(content)
    except InputError:
        return  # a sentence is an answer too
    assert kept
    assert found.refused_count == len(refused)
