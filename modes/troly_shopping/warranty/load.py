"""Turns a staged CSV into a new version of the warranty records: checks, last row wins, merged with what is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.tables.source import Layout
from troly.tables.stage import Duplicate, StagedCsv
from troly.text.dates import parse_date
from troly_shopping.list_ingest import ListKind, LoadCounts, RowCheck, load_list
from troly_shopping.warranty.store import CREATE, DATASET, EARLIER, KEY, MOST_KEYED

if TYPE_CHECKING:
    import duckdb


COLUMNS = ("serial", "product_name", "warranty_end_date")
_BLANK = " \t\u00a0\ufeff"
# Serial rules of 000-40: 3-32 of [A-Za-z0-9-], one digit at least.
_FIT = "(regexp_full_match({0}, '[A-Za-z-]*[0-9][A-Za-z0-9-]*') and length({0}) between 3 and 32)"
# A row is good when `fault` is NULL: the first thing that is wrong with it otherwise.
_VIEWS = (
    """
    create or replace temp view judged as
    select rowid as place, serial, product_name, ends,
        case when coalesce(serial, '') = '' then 'no_serial'
             when not fit then
                case when regexp_matches(serial, '\\s') then 'serial_space'
                     when not regexp_full_match(serial, '[A-Za-z0-9-]*') then 'serial_letters'
                     when not regexp_matches(serial, '[0-9]') then 'serial_digit'
                     else 'serial_length' end
             when coalesce(product_name, '') = '' then 'no_name'
             when length(product_name) > 500 then 'name_length'
             when ends is null or ends not between date '1970-01-01' and date '2199-12-31' then 'date'
        end as fault
    from staged
    """,
    """
    create or replace temp view good as
    select rowid as place, hash(upper(serial)) as key, serial, product_name, ends from staged
    where fit and product_name <> '' and length(product_name) <= 500
        and ends between date '1970-01-01' and date '2199-12-31'
    """,
    # The last row of a serial wins (000 C8).
    """
    create or replace temp view latest_good as
    select * from good qualify row_number() over (partition by upper(serial) order by place desc) = 1
    """,
)
_DUPLICATES = """
    with ranked as (select place, serial, max(place) over (partition by upper(serial)) as last from good)
    select place, last, serial from ranked where place < last order by place
"""
# The hash may be that of another DuckDB version, so it is made anew; it joins much faster than the text.
_KEPT = """
    create temp table kept as
    with old as (select hash(upper(serial)) as key, serial, product_name, warranty_end_date as ends from old.records)
    select * from old where key not in (select key from fresh)
"""
_MERGED = """
    create temp view merged as
    select key, serial, product_name, ends from fresh union all select key, serial, product_name, ends from kept
"""


def _select(places: Mapping[str, int], source: str) -> str:
    """`staged(serial, product_name, ends, fit)`: all fields trimmed, bad dates NULL.

    Trimming other spaces than plain ones is slow, so it is left to rows that are not good without it.
    """
    serial, product, day = (places[name] for name in COLUMNS)
    return f"""
        with fields as (
            select trim(c{serial}) as serial, trim(c{product}) as product_name, trim(c{day}) as day from {source}
        ), judged as (select *, {_FIT.format("serial")} as fit from fields)
        select case when fit then serial else trim(serial, '{_BLANK}') end as serial, product_name,
               coalesce(
                   case when day[5] = '-' then try_cast(day as date) else try_strptime(day, '%d/%m/%Y')::date end,
                   try_strptime(trim(day, '{_BLANK}'), ['%Y-%m-%d', '%d/%m/%Y'])::date
               ) as ends,
               case when fit then true else {_FIT.format(f"trim(serial, '{_BLANK}')")} end as fit
        from judged
    """  # noqa: S608 (the source is quoted, all else is ours)


def _is_row(fields: list[str], places: Mapping[str, int]) -> bool:
    """A row has a date where the date stands; without a header, anywhere."""
    days = [fields[places[COLUMNS[2]]]] if places else fields
    return any(parse_date(day.strip()) for day in days)


LAYOUT = Layout(COLUMNS, _is_row, _select)


def check_rows(con: duckdb.DuckDBPyConnection, staged: StagedCsv) -> RowCheck:
    """Judge the staged rows: which are good, why others are not, which serials (without case) come again later."""
    for view in _VIEWS:
        con.execute(view)
    good, distinct = con.execute("select count(*), count(distinct key) from good").fetchone() or (0, 0)
    faults: dict[int, str] = {}
    if staged.rows > good:
        cursor = con.execute("select place, fault from judged where fault is not null order by place")
        while rows := cursor.fetchmany(10_000):
            faults |= {staged.line_of(place): reason for place, reason in rows}
    repeated = con.execute(_DUPLICATES).fetchall() if good > distinct else []
    lines = [
        Duplicate(staged.line_of(place), staged.line_of(last), serial) for place, last, serial in repeated
    ]
    return RowCheck(distinct, faults, lines)


def _fill(
    con: duckdb.DuckDBPyConnection, checked: RowCheck, before: Path | None, _folder: Path
) -> LoadCounts:
    """Write `records` from the staged rows; `before` is the version whose other records stay.

    The connection's main database is the new file.
    """
    for statement in CREATE:
        con.execute(statement)
    source = "latest_good" if checked.repeated else "good"
    updated = 0
    if before is not None:
        con.execute(f"create temp table fresh as from {source}")
        source, updated = "merged", _merge(con, before)
    # The order of rows is what makes a look-up quick.
    columns = "key, serial, product_name, ends"
    con.execute(f"insert into warranty_records select {columns} from {source} order by key")  # noqa: S608 (our names)
    if before is not None:
        con.execute("detach old")
    loaded = _number(con, "select count(*) from warranty_records")
    if loaded <= MOST_KEYED:
        con.execute(KEY)
    con.execute(EARLIER)
    return LoadCounts(loaded, updated)


def _merge(con: duckdb.DuckDBPyConnection, before: Path) -> int:
    """Make `merged` of the new rows and the older records that they leave; returns how many they replace."""
    name = str(before).replace("'", "''")
    con.execute(f"attach '{name}' as old (read_only)")
    con.execute(_KEPT)
    con.execute(_MERGED)
    return _number(con, "select count(*) from old.records") - _number(con, "select count(*) from kept")


def _number(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    row = con.execute(sql).fetchone()
    return int(row[0]) if row else 0


# -- `app ingest warranty FILE` (000-49 to 000-51).


def ingest_warranty(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a warranty CSV; see `load_list`. Raises InputError, StoreError, StoppedError."""
    return load_list(_KIND, request, samples=samples)


_KIND = ListKind(
    dataset=DATASET, layout=LAYOUT, sentences={"loaded": "ingest.loaded", "checked": "ingest.checked"}, repeat="duplicate",
    judge=check_rows, fill=_fill,
)  # fmt: skip
