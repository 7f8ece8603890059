"""A table of an answer as an Excel sheet."""

from __future__ import annotations

from io import BytesIO

from python_calamine import CalamineWorkbook

from troly.tables.excel import sheet_bytes


def test_numbers_are_numbers_and_nothing_is_a_formula() -> None:
    rows = (("Laptop", "1.240.000", "=1+1"), ("Chuột", "2,5%", "\x1b[31mđỏ"))
    book = CalamineWorkbook.from_filelike(BytesIO(sheet_bytes(("Tên", "Giá", "Ghi chú"), rows, numeric=(1,))))
    head, first, second = book.get_sheet_by_index(0).to_python()
    assert head == ["Tên", "Giá", "Ghi chú"]
    assert first == ["Laptop", 1_240_000, "=1+1"]
    assert second[1] == "2,5%"
    assert "\x1b" not in str(second[2])
