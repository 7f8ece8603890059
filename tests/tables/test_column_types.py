"""Cells as people write them: numbers by the evidence of their column, dates day first, kinds decided and doubts told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troly.tables.column_types import TypedTable, type_table
from troly.tables.columns import Column, column_names, said_by


def at(*parts: int) -> datetime:
    """A moment by the clock in Viet Nam, as sheets hold them."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001 (they have no zone)


def typed(cells: Sequence[str | None], header: str = "Cột A") -> tuple[TypedTable, list[Any]]:
    """What becomes of one column of text cells, and its values."""
    con = duckdb.connect()
    try:
        con.execute("create temp table staged as select unnest(?::varchar[]) as c0", [list(cells)])
        done = type_table(con, (header,), "main.t", lambda: None)
        return done, [row[0] for row in con.execute("from t").fetchall()]
    finally:
        con.close()


def column(cells: Sequence[str | None], header: str = "Cột A") -> Column:
    return typed(cells, header)[0].columns[0]


@pytest.mark.parametrize(
    ("cells", "kind", "unit", "values"),
    [
        (["1", "20", "-3"], "integer", "", [1, 20, -3]),
        (["1.000,5", "12,25", "3"], "number", "", [1000.5, 12.25, 3]),
        (["1,000.5", "12.25", "3"], "number", "", [1000.5, 12.25, 3]),
        (["1.000.000", "2.500", "3"], "integer", "", [1_000_000, 2500, 3]),
        (["1,000,000", "2,500", "3"], "integer", "", [1_000_000, 2500, 3]),
        (["150.000 đ", "1.250.000đ", "0"], "money", "VND", [150_000, 1_250_000, 0]),
        (["₫150.000", "20k", "1,5 tr"], "money", "VND", [150_000, 20_000, 1_500_000]),
        (["1,5 tỷ", "2 triệu", "500 nghìn"], "money", "VND", [1_500_000_000, 2_000_000, 500_000]),
        (["1tr5", "2 tỷ 3", "20k"], "money", "VND", [1_500_000, 2_300_000_000, 20_000]),
        (["120 VND", "1.000 vnđ", "(300) VND"], "money", "VND", None),
        (["$1,250.50", "$3.00", "US$20"], "money", "USD", [1250.5, 3, 20]),
        (["15,5%", "3%", "100 %"], "percent", "%", [15.5, 3, 100]),
        (["(1.500)", "−300", "2.000.000"], "integer", "", [-1500, -300, 2_000_000]),
        (["2026-01-31", "2026-12-01"], "date", "", [date(2026, 1, 31), date(2026, 12, 1)]),
        (["31/1/2026", "01/12/2026"], "date", "", [date(2026, 1, 31), date(2026, 12, 1)]),
        (["31-01-26", "01-12-26"], "date", "", [date(2026, 1, 31), date(2026, 12, 1)]),
        (["1/31/2026", "12/1/2026"], "date", "", [date(2026, 1, 31), date(2026, 12, 1)]),
        (["ngày 3 tháng 2 năm 2026", "31 Dec 2026"], "date", "", [date(2026, 2, 3), date(2026, 12, 31)]),
        (["2026-01-31 08:30", "2026-01-31 23:59"], "datetime", "", [at(2026, 1, 31, 8, 30), at(2026, 1, 31, 23, 59)]),
        (["31/01/2026 08:30:15", "01/02/2026"], "datetime", "", [at(2026, 1, 31, 8, 30, 15), at(2026, 2, 1)]),
        (["08:30 31/01/2026", "9:05 01/02/2026"], "datetime", "", [at(2026, 1, 31, 8, 30), at(2026, 2, 1, 9, 5)]),
        (["1/31/2026 8:30 PM", "2/1/2026 9:05 AM"], "datetime", "", [at(2026, 1, 31, 20, 30), at(2026, 2, 1, 9, 5)]),
        (["2026-01-31T20:00:00Z", "2026-02-01T00:00:00+07:00"], "datetime", "", [at(2026, 2, 1, 3), at(2026, 2, 1)]),
        (["2026-01-31 00:00:00", "2026-02-01 00:00:00"], "date", "", [date(2026, 1, 31), date(2026, 2, 1)]),
        (["01/2026", "Tháng 12/2026"], "date", "", [date(2026, 1, 1), date(2026, 12, 1)]),
        (["Có", "không", "CÓ"], "boolean", "", [True, False, True]),
        (["TRUE", "FALSE"], "boolean", "", [True, False]),
        (["Hà Nội", "12", "Đà Nẵng"], "text", "", ["Hà Nội", "12", "Đà Nẵng"]),
        (["0901234567", "0912345678"], "text", "", ["0901234567", "0912345678"]),
        (["1234567890123456789012", "2"], "text", "", None),
        (["5 kg", "7 kg"], "text", "", None),
    ],
)  # fmt: skip
def test_kinds(cells: list[str], kind: str, unit: str, values: list[Any] | None) -> None:
    done, found = typed(cells)
    assert (done.columns[0].kind, done.columns[0].unit) == (kind, unit)
    assert not done.bad
    if values is not None:
        assert found == values


def test_the_header_speaks_where_cells_do_not() -> None:
    assert column(["150000", "20000"], "Doanh thu").kind == "money"
    assert column(["150000", "20000"], "Quốc gia").kind == "integer"
    assert column(["150000", "20000"], "gia ban").kind == "money"
    assert column(["5", "7"], "Giá trị sao").kind == "integer"
    assert column(["1234", "777"], "Mã đơn").kind == "text"
    assert column(["1500", "2"], "Số lượng").kind == "integer"
    assert column(["15", "2.5"], "Tỷ lệ (%)").kind == "percent"
    assert typed(["0,155", "0,2"], "Tỷ lệ")[1] == [15.5, 20]
    assert column(["0.155", "0.2"], "Tỷ lệ hủy").doubt == "fraction"
    assert column(["45292", "45293"], "Ngày").kind == "date"
    assert typed(["1,5", "2"], "Doanh thu (triệu đồng)")[1] == [1_500_000, 2_000_000]
    assert column(["1,5", "2"], "Doanh thu (triệu đồng)").doubt == "scale"


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        (["1.234", "5.678"], "grouped"),
        (["1,5", "1.5", "2,25"], "marks"),
        (["01/02/2026", "03/04/2026"], "day_month"),
        (["1/31/2026", "2/1/2026"], "month_first"),
        (["$5", "€7", "5 đ"], "currencies"),
        (["5", "7", "abc", "def", "x"], "mixed"),
        (["1", "2", "3", "?"], "bad_cells"),
        (["01/2026", "02/2026"], "month"),
        (["1.000,5", "2,25"], ""),
        (["31/12/2026", "03/04/2026"], ""),
        (["01/01/2026", "02/02/2026"], ""),
    ],
)
def test_doubts_are_told(cells: list[str], doubt: str) -> None:
    assert column(cells).doubt == doubt


def test_a_few_bad_cells_are_told_and_left_empty() -> None:
    cells = [*(str(number) for number in range(40)), "abc", "#DIV/0!", "", "N/A"]
    done, values = typed(cells)
    assert done.columns[0].kind == "integer"
    assert [(bad.place, bad.value) for bad in done.bad] == [(40, "abc"), (41, "#DIV/0!")]
    assert done.bad_count == 2
    assert values[40:] == [None] * 4
    assert values[:40] == list(range(40))


def test_dates_that_the_calendar_lacks_are_told() -> None:
    cells = [*(f"{day:02d}/03/2026" for day in range(1, 21)), "31/02/2026", "01/01/0026"]
    done, values = typed(cells)
    assert done.columns[0].kind == "date"
    assert [bad.value for bad in done.bad] == ["31/02/2026", "01/01/0026"]
    assert values[20:] == [None, None]


def test_nothing_but_blanks_is_text() -> None:
    assert column(["", None, " "]).kind == "text"
    assert column(["-", "N/A", None]).kind == "text"


NUMBERS = st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False, places=2)


def spelled(number: Decimal, mark: str, group: str) -> str:
    return "".join({",": group, ".": mark}.get(sign, sign) for sign in f"{number:,.2f}")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(NUMBERS, min_size=1, max_size=20),
    st.sampled_from([(",", "."), (".", ","), (",", " "), (".", "")]),
)
def test_numbers_are_read_as_written(numbers: list[Decimal], marks: tuple[str, str]) -> None:
    _, values = typed([spelled(number, *marks) for number in numbers])
    assert [float(value) for value in values] == [float(number) for number in numbers]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dates(date(1900, 1, 1), date(2199, 12, 31)), min_size=1, max_size=20),
    st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%Y/%m/%d"]),
)
def test_dates_are_read_as_written(days: list[date], form: str) -> None:
    # A day that can only be a day decides the order of the whole column.
    cells = [day.strftime(form) for day in [date(2026, 1, 31), *days]]
    _, values = typed(cells)
    assert values[1:] == days


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=12)), min_size=1, max_size=12))
def test_any_cells_give_a_column_and_no_error(cells: list[str | None]) -> None:
    clean = [cell.encode("utf-8", "ignore").decode() if cell else cell for cell in cells]
    done, values = typed([cell.replace("\0", "") if cell else cell for cell in clean])
    assert len(values) == len(cells)
    # What was not read is told; nothing is lost in silence.
    assert done.bad_count >= len(done.bad)
    if done.columns[0].kind == "text":
        assert not done.bad


@settings(max_examples=50)
@given(st.lists(st.text(max_size=8), min_size=1, max_size=12))
def test_names_are_different_and_harmless(cells: list[str]) -> None:
    names = column_names(cells, "vi")
    assert len({name.lower() for name in names}) == len(cells)
    assert all(name and "\n" not in name and "\x1b" not in name for name in names)


def test_names_are_kept_and_made_different() -> None:
    assert column_names(["Giá", "giá", "Giá", "", "\x1b[31mĐỏ\x1b[0m", "a\nb"], "vi") == (
        "Giá", "giá (2)", "Giá (3)", "Cột 4", "Đỏ", "a b",
    )  # fmt: skip
    assert column_names(["", ""], "en") == ("Column 1", "Column 2")
    assert said_by("QUỐC GIA") == ""
