"""Decides what the cells of a column are, from a sample spread over the whole file and from all its cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from troly.tables.columns import Kind, said_by
from troly.tables.date_cells import (
    Forms,
    forms_of,
    is_moment,
    is_month,
    is_serial,
    moment_sql,
    order,
    serial_sql,
)
from troly.tables.number_cells import (
    BLANKS,
    EXACT,
    MOMENT,
    NUMBER,
    Evidence,
    number_sql,
    slow_number,
    trimmed,
    weigh,
)
from troly.text.fold import nfc

if TYPE_CHECKING:
    import duckdb

# A kind is tried where so many of a sample's cells fit, and kept where so many of all cells fit; the cells that do
# not are told and left empty.
TRIED, KEPT = 0.6, 0.9
_MIXED = 0.3
_LONGEST_SPELLING = 30
SAMPLE = 4_000
_SAMPLE_CELLS = 200_000
_NUMBER = re.compile(NUMBER)
_LEADING_ZERO = re.compile(r"0[0-9]+")
_LONG = 18
_TRUE = {"true", "yes", "y", "có", "đúng", "rồi", "đã", "x", "✓"}
_FALSE = {"false", "no", "n", "không", "sai", "chưa"}
_PAIRS = (
    {"true", "false"},
    {"yes", "no"},
    {"y", "n"},
    {"có", "không"},
    {"đúng", "sai"},
    {"rồi", "chưa"},
    {"đã", "chưa"},
    {"có", "chưa"},
)
# Plain numbers under a header that speaks of money are dong, unless even the largest is too small for that.
_SMALLEST_DONG = 1_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How a column is read: its kind, and the SQL for one cell (NULL where it cannot be read so)."""

    kind: Kind
    sql: str
    unit: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of a staged table: its SQL name, its header, a sample of its cells that are not blank.

    `exact` says that cells may carry the marks of numbers and dates that the file stored as such, `tidy` that none
    holds a combining mark or a blank other than a space.
    """

    name: str
    header: str
    sample: tuple[str, ...]
    exact: bool = False
    tidy: bool = False


def text_sql(cell: str, *, exact: bool, tidy: bool = False) -> str:
    """SQL for the cell as text in normal form C without outer blanks; NULL for an empty one.

    Both take longer than all else, so that a `tidy` column is spared them.
    """
    if tidy and not exact:
        return f"nullif(trim({cell}), '')"
    bare = f"ltrim({cell}, '{EXACT}{MOMENT}')" if exact else cell
    return f"nullif(trim(nfc_normalize({bare}), ' \t\r\n\u00a0\ufeff'), '')"


def sample_of(
    con: duckdb.DuckDBPyConnection, source: str, columns: Sequence[str], rows: int
) -> list[list[str]]:
    """For each column the cells that are not blank among rows spread evenly over the table."""
    wanted = max(200, min(SAMPLE, _SAMPLE_CELLS // max(1, len(columns))))
    step = max(1, rows // wanted)
    names = ", ".join(columns)
    found = con.execute(f"select {names} from {source} where rowid % {step} = 0").fetchall()  # noqa: S608 (our names)
    return [
        [cell for row in found if (cell := row[at]) is not None and _clean(cell) not in BLANKS]
        for at in range(len(columns))
    ]


def decide(con: duckdb.DuckDBPyConnection, cells: Cells, source: str) -> Plan:
    """The plan for one column of text cells."""
    clean = [_clean(cell) for cell in cells.sample]
    plan = None
    if clean:
        plan = _in_words(con, cells, source, clean) or _in_numbers(con, cells, source, clean)
    return plan or Plan("text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy))


def _in_words(con: duckdb.DuckDBPyConnection, cells: Cells, source: str, clean: list[str]) -> Plan | None:
    """The plan for dates, months and yes or no; None for anything else."""
    if said_by(cells.header) == "date" and all(is_serial(cell.lstrip(EXACT)) for cell in clean):
        return _serials(cells)
    moments = sum(cell[:1] == MOMENT or is_moment(cell) for cell in clean)
    if moments >= TRIED * len(clean):
        return _moments(con, cells, source, clean)
    if _are_truths(clean):
        return _truths(cells)
    if sum(map(is_month, clean)) >= KEPT * len(clean):
        return Plan("date", _month_sql(cells.name), doubt="month")
    return None


def _in_numbers(con: duckdb.DuckDBPyConnection, cells: Cells, source: str, clean: list[str]) -> Plan | None:
    """The plan for numbers, money and percentages; None for codes and for anything else."""
    if said_by(cells.header) == "code" or _is_code(con, cells, clean, source):
        return None
    share = sum(map(_is_number, clean)) / len(clean)
    if share >= TRIED:
        return _numbers(con, cells, source)
    mixed = "mixed" if share >= _MIXED else ""
    return Plan("text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy), doubt=mixed)


def _is_number(cell: str) -> bool:
    if cell[:1] == EXACT or _NUMBER.match(cell):
        return True
    return cell[:1].isdigit() and len(cell) <= _LONGEST_SPELLING and slow_number(cell) is not None


def _clean(cell: str) -> str:
    return nfc(cell).strip(" \t\u00a0\u202f\ufeff").lower()


def _serials(cells: Cells) -> Plan:
    return Plan("datetime", serial_sql(f"ltrim({cells.name}, '{EXACT}')"), doubt="serial")


def _moments(con: duckdb.DuckDBPyConnection, cells: Cells, source: str, clean: list[str]) -> Plan:
    forms: Forms = order(con, cells.name, source, forms_of(clean))
    return Plan("datetime", moment_sql(cells.name, forms, exact=cells.exact), doubt=forms.doubt)


def _are_truths(clean: list[str]) -> bool:
    said = set(clean)
    return any(said <= pair for pair in _PAIRS)


def _truths(cells: Cells) -> Plan:
    text = trimmed(f"nfc_normalize({cells.name})")
    good, bad = (", ".join(f"'{word}'" for word in sorted(words)) for words in (_TRUE, _FALSE))
    return Plan("boolean", f"case when {text} in ({good}) then true when {text} in ({bad}) then false end")


def _month_sql(cell: str) -> str:
    month = f"regexp_extract({trimmed(cell)}, '[0-9]{{1,2}}[/-][0-9]{{4}}$')"
    return f"try_strptime(replace({month}, '-', '/'), '%m/%Y')"


def _is_code(con: duckdb.DuckDBPyConnection, cells: Cells, clean: list[str], source: str) -> bool:
    """Numbers that are names: with a zero before them, or longer than any figure."""
    if not any(cell.isdecimal() for cell in clean):
        return False
    if any(cell.isdecimal() and (len(cell) > _LONG or _LEADING_ZERO.fullmatch(cell)) for cell in clean):
        return True
    cell = cells.name
    row = con.execute(
        f"select count_if({cell}[1] = '0' and length({cell}) > 1 and {cell} not like '%.%' and {cell} not like '%,%' "  # noqa: S608 (our names)
        f"and try_cast({cell} as bigint) is not null) from {source}"
    ).fetchone()
    return bool(row and row[0])


def _numbers(con: duckdb.DuckDBPyConnection, cells: Cells, source: str) -> Plan:
    """Numbers, money or percentages; text for amounts in several currencies, which cannot be added up."""
    # What a spreadsheet stored as a number says nothing about how people write them.
    held = f"(select {cells.name} from {source} where {cells.name}[1] <> '{EXACT}')"  # noqa: S608 (our names)
    evidence: Evidence = weigh(con, cells.name, held if cells.exact else source)
    if len(evidence.currencies) > 1:
        return Plan("text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy), doubt="currencies")
    plan = Plan("number", number_sql(cells.name, evidence, exact=cells.exact), doubt=evidence.doubt)
    if evidence.percents > evidence.money and evidence.percents * 2 >= evidence.cells:
        return replace(plan, kind="percent", unit="%")
    if evidence.money or evidence.currencies:
        unit = next(iter(evidence.currencies), "VND")
        doubt = "" if evidence.doubt == "grouped" else evidence.doubt
        return replace(plan, kind="money", unit=unit, doubt=doubt)
    return named_number(con, plan, cells.header, source)


def named_number(con: duckdb.DuckDBPyConnection, plan: Plan, header: str, source: str) -> Plan:
    """Plain numbers as their header names them.

    Where it speaks of money: in the currency that it says, else in dong where the largest is large enough.
    """
    spoken = said_by(header)
    if spoken not in {"percent", "money"}:
        return plan
    row = con.execute(
        f"select max(abs(v)), bool_and(v = trunc(v)) from (select {plan.sql} as v from {source})"  # noqa: S608 (our names)
    ).fetchone()
    largest, whole = row or (None, None)
    if spoken == "percent":
        # A spreadsheet stores 15,5% as 0.155.
        parts = largest is not None and largest <= 1 and not whole
        sql, doubt = (f"round(({plan.sql}) * 100, 9)", "fraction") if parts else (plan.sql, plan.doubt)
        return replace(plan, kind="percent", unit="%", sql=sql, doubt=doubt)
    return _in_money(plan, header.lower(), largest or 0)


def _in_money(plan: Plan, words: str, largest: float) -> Plan:
    """The currency and the scale that a header says."""
    unit = "USD" if "usd" in words or "$" in words else "EUR" if "eur" in words or "€" in words else ""
    if unit:
        return replace(plan, kind="money", unit=unit)
    doubt = "" if plan.doubt == "grouped" else plan.doubt
    for scale, names in (
        (1_000, ("nghìn", "ngàn", "nghin")),
        (10**6, ("triệu", "trieu")),
        (10**9, ("tỷ đồng", "tỉ đồng", "ty dong")),
    ):
        if any(name in words for name in names):
            sql = f"round(({plan.sql}) * {scale}, 3)"
            return replace(plan, kind="money", unit="VND", sql=sql, doubt="scale")
    if "vnd" in words or "vnđ" in words or "đồng" in words or largest >= _SMALLEST_DONG:
        return replace(plan, kind="money", unit="VND", doubt=doubt)
    return plan
