"""Decides what the cells of a column are, from a sample spread over the whole file and from all its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from troly.tables.cells import (
    AFTER,
    BLANKS,
    EXACT,
    FIRST,
    MOMENT,
    NUMBER,
    NumberEvidence,
    blank,
    forms_of,
    is_moment,
    is_month,
    is_serial,
    moment_sql,
    number_sql,
    order,
    parsed,
    serial_sql,
    slow_number,
    trimmed,
    weigh,
)
from troly.tables.columns import NUMERIC, Column, ColumnKind, count_of, quoted, said_by
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
    {"true", "false"}, {"yes", "no"}, {"y", "n"}, {"có", "không"}, {"đúng", "sai"},
    {"rồi", "chưa"}, {"đã", "chưa"}, {"có", "chưa"},
)  # fmt: skip
# Plain numbers under a header that speaks of money are dong, unless even the largest is too small for that.
_SMALLEST_DONG = 1_000


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """How a column is read: its kind, and the SQL for one cell (NULL where it cannot be read so)."""

    kind: ColumnKind
    sql: str
    unit: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class ColumnCells:
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


def decide(con: duckdb.DuckDBPyConnection, cells: ColumnCells, source: str) -> ColumnPlan:
    clean = [_clean(cell) for cell in cells.sample]
    plan = None
    if clean:
        plan = _in_words(con, cells, source, clean) or _in_numbers(con, cells, source, clean)
    return plan or ColumnPlan("text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy))


def _in_words(
    con: duckdb.DuckDBPyConnection, cells: ColumnCells, source: str, clean: list[str]
) -> ColumnPlan | None:
    """The plan for dates, months and yes or no; None for anything else."""
    if said_by(cells.header) == "date" and all(is_serial(cell.lstrip(EXACT)) for cell in clean):
        return ColumnPlan("datetime", serial_sql(f"ltrim({cells.name}, '{EXACT}')"), doubt="serial")
    moments = sum(cell[:1] == MOMENT or is_moment(cell) for cell in clean)
    if moments >= TRIED * len(clean):
        forms = order(con, cells.name, source, forms_of(clean))
        return ColumnPlan("datetime", moment_sql(cells.name, forms, exact=cells.exact), doubt=forms.doubt)
    if any(set(clean) <= pair for pair in _PAIRS):
        return _truths(cells)
    if sum(map(is_month, clean)) >= KEPT * len(clean):
        month = f"regexp_extract({trimmed(cells.name)}, '[0-9]{{1,2}}[/-][0-9]{{4}}$')"
        return ColumnPlan("date", f"try_strptime(replace({month}, '-', '/'), '%m/%Y')", doubt="month")
    return None


def _in_numbers(
    con: duckdb.DuckDBPyConnection, cells: ColumnCells, source: str, clean: list[str]
) -> ColumnPlan | None:
    """The plan for numbers, money and percentages; None for codes and for anything else."""
    if said_by(cells.header) == "code" or _is_code(con, cells, clean, source):
        return None
    share = sum(map(_is_number, clean)) / len(clean)
    if share >= TRIED:
        return _numbers(con, cells, source)
    mixed = "mixed" if share >= _MIXED else ""
    return ColumnPlan("text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy), doubt=mixed)


def _is_number(cell: str) -> bool:
    if cell[:1] == EXACT or _NUMBER.match(cell):
        return True
    return cell[:1].isdigit() and len(cell) <= _LONGEST_SPELLING and slow_number(cell) is not None


def _clean(cell: str) -> str:
    return nfc(cell).strip(" \t\u00a0\u202f\ufeff").lower()


def _truths(cells: ColumnCells) -> ColumnPlan:
    text = trimmed(f"nfc_normalize({cells.name})")
    good, bad = (", ".join(f"'{word}'" for word in sorted(words)) for words in (_TRUE, _FALSE))
    return ColumnPlan(
        "boolean", f"case when {text} in ({good}) then true when {text} in ({bad}) then false end"
    )


def _is_code(con: duckdb.DuckDBPyConnection, cells: ColumnCells, clean: list[str], source: str) -> bool:
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


def _numbers(con: duckdb.DuckDBPyConnection, cells: ColumnCells, source: str) -> ColumnPlan:
    """Numbers, money or percentages; text for amounts in several currencies, which cannot be added up."""
    # What a spreadsheet stored as a number says nothing about how people write them.
    held = f"(select {cells.name} from {source} where {cells.name}[1] <> '{EXACT}')"  # noqa: S608 (our names)
    evidence: NumberEvidence = weigh(con, cells.name, held if cells.exact else source)
    if len(evidence.currencies) > 1:
        return ColumnPlan(
            "text", text_sql(cells.name, exact=cells.exact, tidy=cells.tidy), doubt="currencies"
        )
    plan = ColumnPlan("number", number_sql(cells.name, evidence, exact=cells.exact), doubt=evidence.doubt)
    if evidence.percents > evidence.money and evidence.percents * 2 >= evidence.cells:
        return replace(plan, kind="percent", unit="%")
    if evidence.money or evidence.currencies:
        unit = next(iter(evidence.currencies), "VND")
        doubt = "" if evidence.doubt == "grouped" else evidence.doubt
        return replace(plan, kind="money", unit=unit, doubt=doubt)
    return named_number(con, plan, cells.header, source)


def named_number(con: duckdb.DuckDBPyConnection, plan: ColumnPlan, header: str, source: str) -> ColumnPlan:
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


def _in_money(plan: ColumnPlan, words: str, largest: float) -> ColumnPlan:
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


# Turns a staged table of text into a table with kinds: reads every cell, tells those that cannot be read.


# Ways to write a value that only the slow reader knows are few in any column; more are text.
_SPELLINGS = 5_000
MAX_BAD = 10_000
_SHORT = 3
_TYPES = {"BOOLEAN": "boolean", "DATE": "date", "TIMESTAMP": "datetime", "VARCHAR": "text"}
_WHOLE = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "HUGEINT",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BadCell:
    """A cell that does not fit the kind of its column and was left empty; `place` is the staged row's `rowid`."""

    place: int
    column: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class TypedTable:
    """The columns of the new table, without their figures yet, and the first bad cells of all there are."""

    columns: tuple[Column, ...]
    bad: tuple[BadCell, ...]
    bad_count: int


class ColumnReading(NamedTuple):
    """A column of the staged table: its SQL name there, its header, how it is read."""

    cell: str
    name: str
    plan: ColumnPlan


def type_table(
    con: duckdb.DuckDBPyConnection,
    names: Sequence[str],
    target: str,
    check: Callable[[], None],
    *,
    exact: bool = False,
    tidy: bool = False,
) -> TypedTable:
    """Make the table `target` (an SQL name) from `staged`, whose columns are `c0`, `c1`, … under headers `names`.

    A column takes a kind where at least nine of ten cells fit it: the others are told and left empty. Below that it
    stays text, with the doubt `mixed`. `exact` and `tidy` are those of `Cells`. `check` raises when the person has stopped the load.
    """
    described = con.execute("describe staged").fetchall()
    staged = [str(row[0]) for row in described]
    types = [str(row[1]) for row in described]
    rows = count_of(con, "select count(*) from staged")
    texts = [cell for cell, kind in zip(staged, types, strict=True) if kind == "VARCHAR"]
    samples = dict(zip(texts, sample_of(con, "staged", texts, rows), strict=True)) if texts else {}
    plans: list[ColumnPlan] = []
    for cell, name, kind in zip(staged, names, types, strict=True):
        check()
        plan = (
            decide(con, ColumnCells(cell, name, tuple(samples[cell]), exact, tidy), "staged")
            if cell in samples
            else _given(con, cell, name, kind)
        )
        plans.append(plan)
    read = "".join(f", {plan.sql} as v{at}" for at, plan in enumerate(plans) if plan.kind != "text")
    con.execute(f"create temp table typed as select rowid as place{read} from staged")  # noqa: S608 (our names)
    check()
    columns = [ColumnReading(*parts) for parts in zip(staged, names, plans, strict=True)]
    columns, bad, total = _settle(con, columns, set(samples))
    written = _write(con, columns, target)
    con.execute("drop table typed")
    return TypedTable(written, tuple(bad), total)


def _given(con: duckdb.DuckDBPyConnection, cell: str, name: str, kind: str) -> ColumnPlan:
    """The plan for a column that has a type already; what its numbers are is said by its header."""
    if kind.endswith("[]"):
        return ColumnPlan("list", cell)
    whole = kind in _WHOLE
    if whole and said_by(name) == "code":
        return ColumnPlan("text", f"{cell}::varchar")
    if whole or kind.startswith(("DECIMAL", "DOUBLE", "FLOAT")):
        sql = cell if whole and kind != "HUGEINT" else f"{cell}::double"
        return named_number(con, ColumnPlan("number", sql), name, "staged")
    if kind.startswith("TIMESTAMP"):
        return ColumnPlan("datetime", f"{cell}::timestamp")
    found = _TYPES.get(kind)
    return ColumnPlan(found, cell) if found else ColumnPlan("text", f"{cell}::varchar")  # type: ignore[arg-type]


def _settle(
    con: duckdb.DuckDBPyConnection, columns: list[ColumnReading], read: set[str]
) -> tuple[list[ColumnReading], list[BadCell], int]:
    """The columns with their plans as they turned out, and the cells that could not be read."""
    columns = list(columns)
    bad: list[BadCell] = []
    total = 0
    for at, (cell, name, plan) in enumerate(columns):
        if plan.kind == "text" or cell not in read:
            continue
        value = f"v{at}"
        if plan.kind == "datetime":
            _drop_outside(con, value)
        good, faulty = _counts(con, cell, value)
        if faulty and _read_slowly(con, cell, value, plan):
            good, faulty = _counts(con, cell, value)
        if faulty and not _kept(good, faulty):
            columns[at] = ColumnReading(
                cell, name, ColumnPlan("text", text_sql(cell, exact=True), doubt="mixed")
            )
        elif faulty:
            rows = con.execute(
                f"{_faulty('place, ' + cell, cell, value)} order by place limit {MAX_BAD}"
            ).fetchall()
            bad += [BadCell(place, name, plan.kind, text.lstrip(EXACT + MOMENT)) for place, text in rows]
            total += faulty
            columns[at] = ColumnReading(cell, name, replace(plan, doubt=plan.doubt or "bad_cells"))
    return columns, sorted(bad, key=lambda one: one.place)[:MAX_BAD], total


def _drop_outside(con: duckdb.DuckDBPyConnection, value: str) -> None:
    """Moments of years that nobody means are as good as unread."""
    row = con.execute(f"select min({value}) < '{FIRST}' or max({value}) >= '{AFTER}' from typed").fetchone()  # noqa: S608 (our names)
    if row and row[0]:
        con.execute(f"update typed set {value} = null where {value} < '{FIRST}' or {value} >= '{AFTER}'")  # noqa: S608 (our names)


def _kept(good: int, faulty: int) -> bool:
    """Whether a column keeps its kind; in a short one a single bad cell does not outweigh the others."""
    return good >= KEPT * (good + faulty) or (faulty == 1 and good >= _SHORT)


def _faulty(what: str, cell: str, value: str) -> str:
    return f"select {what} from staged positional join typed where {value} is null and not {blank(cell)}"  # noqa: S608 (our names)


def _counts(con: duckdb.DuckDBPyConnection, cell: str, value: str) -> tuple[int, int]:
    """Cells that were read, and those that hold something that was not."""
    good = count_of(con, f"select count({value}) from typed")  # noqa: S608 (our names)
    if good == count_of(con, "select count(*) from typed"):
        return good, 0
    return good, count_of(con, _faulty("count(*)", cell, value))


def _read_slowly(con: duckdb.DuckDBPyConnection, cell: str, value: str, plan: ColumnPlan) -> bool:
    """Read what is left with the readers for sentences ("1tr5", "ngày 3 tháng 2 năm 2026"); whether any could be."""
    if plan.kind != "datetime" and plan.kind not in NUMERIC:
        return False
    left = con.execute(f"{_faulty('distinct ' + cell, cell, value)} limit {_SPELLINGS + 1}").fetchall()
    if len(left) > _SPELLINGS:
        return False
    known = [(text, found) for (text,) in left if (found := _slow(text, plan)) is not None]
    if not known:
        return False
    kind = "timestamp" if plan.kind == "datetime" else "double"
    con.execute(f"create or replace temp table known (spelled varchar, meant {kind})")
    con.executemany("insert into known values (?, ?)", known)
    con.execute(
        f"update typed set {value} = known.meant from staged, known "  # noqa: S608 (our names)
        f"where staged.rowid = typed.place and staged.{cell} = known.spelled and typed.{value} is null"
    )
    con.execute("drop table known")
    return True


def _slow(text: str, plan: ColumnPlan) -> Any:
    if plan.kind == "datetime":
        return parsed(text) or None
    return slow_number(text, plan.unit)


def _write(
    con: duckdb.DuckDBPyConnection, staged: Sequence[ColumnReading], target: str
) -> tuple[Column, ...]:
    """Write the table in the order of the file; whole numbers become BIGINT, days without a time DATE."""
    cells, columns = [], []
    types = dict(
        con.execute(
            "select column_name, data_type from (describe typed) t(column_name, data_type, a, b, c, d)"
        ).fetchall()
    )
    for at, (_, name, plan) in enumerate(staged):
        kind, sql = plan.kind, f"v{at}"
        if kind == "text":
            sql = plan.sql
        elif kind == "datetime" and _all(con, f"v{at} = date_trunc('day', v{at})"):
            kind, sql = "date", f"v{at}::date"
        elif kind == "date":
            sql = f"v{at}::date"
        elif (
            kind in NUMERIC
            and types[f"v{at}"] not in _WHOLE
            and _all(con, f"v{at} = trunc(v{at}) and abs(v{at}) < 9e15")
        ):
            kind = "integer" if kind == "number" else kind
            sql = sql if kind == "percent" else f"v{at}::bigint"
        elif types[f"v{at}"] in _WHOLE:
            kind, sql = "integer" if kind == "number" else kind, f"v{at}::bigint"
        cells.append(f"{sql} as {quoted(name)}")
        columns.append(Column(name, kind, plan.unit, plan.doubt))
    con.execute(
        f"create table {target} as select {', '.join(cells)} from staged positional join typed"  # noqa: S608 (quoted)
    )
    return tuple(columns)


def _all(con: duckdb.DuckDBPyConnection, fact: str) -> bool:
    """Whether `fact` is true wherever it is known, and known somewhere."""
    row = con.execute(f"select bool_and({fact}) from typed").fetchone()  # noqa: S608 (our names)
    return bool(row and row[0])
