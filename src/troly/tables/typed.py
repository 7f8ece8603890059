"""Turns a staged table of text into a table with kinds: reads every cell, tells those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from troly.tables.columns import NUMERIC, Column, quoted, said_by
from troly.tables.date_cells import AFTER, FIRST, parsed
from troly.tables.infer import KEPT, Cells, Plan, decide, named_number, sample_of, text_sql
from troly.tables.number_cells import EXACT, MOMENT, blank, slow_number

if TYPE_CHECKING:
    import duckdb

# Ways to write a value that only the slow reader knows are few in any column; more are text.
_SPELLINGS = 5_000
MAX_BAD = 10_000
_SHORT = 3
_TYPES = {
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIMESTAMP": "datetime",
    "VARCHAR": "text",
}
_WHOLE = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "HUGEINT",
}


@dataclass(frozen=True, slots=True)
class BadCell:
    """A cell that does not fit the kind of its column and was left empty; `place` is the staged row's `rowid`."""

    place: int
    column: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Typed:
    """The columns of the new table, without their figures yet, and the first bad cells of all there are."""

    columns: tuple[Column, ...]
    bad: tuple[BadCell, ...]
    bad_count: int


class Staged(NamedTuple):
    """A column of the staged table: its SQL name there, its header, how it is read."""

    cell: str
    name: str
    plan: Plan


def type_table(
    con: duckdb.DuckDBPyConnection,
    names: Sequence[str],
    target: str,
    check: Callable[[], None],
    *,
    exact: bool = False,
    tidy: bool = False,
) -> Typed:
    """Make the table `target` (an SQL name) from `staged`, whose columns are `c0`, `c1`, … under headers `names`.

    A column takes a kind where at least nine of ten cells fit it: the others are told and left empty. Below that it
    stays text, with the doubt `mixed`. `exact` and `tidy` are those of `Cells`. `check` raises when the person has stopped the load.
    """
    described = con.execute("describe staged").fetchall()
    staged = [str(row[0]) for row in described]
    types = [str(row[1]) for row in described]
    rows = _number(con, "select count(*) from staged")
    texts = [cell for cell, kind in zip(staged, types, strict=True) if kind == "VARCHAR"]
    samples = dict(zip(texts, sample_of(con, "staged", texts, rows), strict=True)) if texts else {}
    plans: list[Plan] = []
    for cell, name, kind in zip(staged, names, types, strict=True):
        check()
        plan = (
            decide(con, Cells(cell, name, tuple(samples[cell]), exact, tidy), "staged")
            if cell in samples
            else _given(con, cell, name, kind)
        )
        plans.append(plan)
    read = "".join(f", {plan.sql} as v{at}" for at, plan in enumerate(plans) if plan.kind != "text")
    con.execute(f"create temp table typed as select rowid as place{read} from staged")  # noqa: S608 (our names)
    check()
    columns = [Staged(*parts) for parts in zip(staged, names, plans, strict=True)]
    columns, bad, total = _settle(con, columns, set(samples))
    written = _write(con, columns, target)
    con.execute("drop table typed")
    return Typed(written, tuple(bad), total)


def _given(con: duckdb.DuckDBPyConnection, cell: str, name: str, kind: str) -> Plan:
    """The plan for a column that has a type already; what its numbers are is said by its header."""
    if kind.endswith("[]"):
        return Plan("list", cell)
    whole = kind in _WHOLE
    if whole and said_by(name) == "code":
        return Plan("text", f"{cell}::varchar")
    if whole or kind.startswith(("DECIMAL", "DOUBLE", "FLOAT")):
        sql = cell if whole and kind != "HUGEINT" else f"{cell}::double"
        return named_number(con, Plan("number", sql), name, "staged")
    if kind.startswith("TIMESTAMP"):
        return Plan("datetime", f"{cell}::timestamp")
    found = _TYPES.get(kind)
    return Plan(found, cell) if found else Plan("text", f"{cell}::varchar")  # type: ignore[arg-type]


def _settle(
    con: duckdb.DuckDBPyConnection, columns: list[Staged], read: set[str]
) -> tuple[list[Staged], list[BadCell], int]:
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
            columns[at] = Staged(cell, name, Plan("text", text_sql(cell, exact=True), doubt="mixed"))
        elif faulty:
            rows = con.execute(
                f"{_faulty('place, ' + cell, cell, value)} order by place limit {MAX_BAD}"
            ).fetchall()
            bad += [BadCell(place, name, plan.kind, text.lstrip(EXACT + MOMENT)) for place, text in rows]
            total += faulty
            columns[at] = Staged(cell, name, replace(plan, doubt=plan.doubt or "bad_cells"))
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
    good = _number(con, f"select count({value}) from typed")  # noqa: S608 (our names)
    if good == _number(con, "select count(*) from typed"):
        return good, 0
    return good, _number(con, _faulty("count(*)", cell, value))


def _read_slowly(con: duckdb.DuckDBPyConnection, cell: str, value: str, plan: Plan) -> bool:
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


def _slow(text: str, plan: Plan) -> Any:
    if plan.kind == "datetime":
        return parsed(text) or None
    return slow_number(text, plan.unit)


def _write(con: duckdb.DuckDBPyConnection, staged: Sequence[Staged], target: str) -> tuple[Column, ...]:
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


def _number(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = con.execute(sql).fetchone()
    return int(row[0]) if row else 0
