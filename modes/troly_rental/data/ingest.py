"""`app ingest rental PATH`: checks tables or a listing dump against the schema, reports bad rows, publishes the rest at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from troly.errors import InputError, StoppedError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.stores.connections import os_error
from troly.stores.published import open_hardened
from troly.text.numbers import format_number
from troly_rental.data.cells import CellError
from troly_rental.data.checks import NULL, LoadReport, TableChecker, match_columns
from troly_rental.data.listings import ListingDump, ListingNumbers, listing_identity, post_of, room_of
from troly_rental.data.places import places
from troly_rental.data.schema import Table, schema_version, tables
from troly_rental.data.sources import SourceContents, SourceTable, find_tables
from troly_rental.data.store import DATASET, SAMPLES, is_sample
from troly_rental.strings import say


def run_ingest(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a folder of CSV or Parquet tables, a DuckDB file, one table, or a dump with its mapping.

    New keys are added, known ones replaced; `replace` starts anew; own data takes the place of samples. Raises
    InputError for what cannot be used at all or holds no good row, StoreError, StoppedError; whatever is raised, the
    data that was there stays as it was.
    """
    try:
        with TemporaryDirectory(prefix="troly-rental-") as name:
            if request.dry_run:
                load = _fill(request, Path(name) / "check.duckdb", Path(name))
                return _outcome(request, load, published=False)
            return _publish(request, Path(name), samples=samples)
    except OSError as error:
        raise os_error(error, Path(error.filename or request.file)) from error


def _publish(request: IngestRequest, folder: Path, *, samples: bool) -> IngestOutcome:
    datasets = request.services.datasets
    with datasets.build(DATASET) as build:
        before = datasets.current(DATASET)
        load = _fill(request, build.path, folder)
        if request.cancelled():
            raise StoppedError("rental.stopped")
        build.publish(
            {
                "rows": load.rows,
                "loaded_at": request.now.isoformat(),
                "file": request.file.name,
                "schema": schema_version(),
                SAMPLES: samples,
            }
        )
    dropped = not samples and is_sample(before)
    if dropped and before is not None:
        datasets.remove(before)
    return _outcome(request, load, published=True, dropped=dropped)


def _fill(request: IngestRequest, path: Path, folder: Path) -> RentalLoad:
    """Write the good rows of the source, and those that stay, into a new DuckDB file."""
    before = request.services.datasets.current(DATASET)
    keep = None if before is None or request.replace or is_sample(before) else before.file
    load = RentalLoad(request, LoadReport(request.language), folder)
    with open_previous(keep) as old:
        load.read(old)
    if request.errors is not None:
        load.report.write(request.errors)
    if not load.taken:
        raise InputError("rental.no_rows", path=request.file, bad=load.rejected)
    load.write(path, keep)
    return load


def _outcome(
    request: IngestRequest, load: RentalLoad, *, published: bool, dropped: bool = False
) -> IngestOutcome:
    lang = request.language
    counts = {name: count for name, count in load.counts.items() if count}
    counts |= {"rejected": load.rejected}
    key = "load.done" if published else "load.checked"
    told = [
        say(
            key,
            lang,
            file=request.file.name,
            rows=format_number(load.taken, lang),
            rejected=format_number(load.rejected, lang),
        )
    ]
    if load.guessed:
        told.append(say("load.guessed", lang, columns=load.guessed))
    if dropped:
        told.append(say("load.samples_dropped", lang))
    return IngestOutcome(counts, tuple(load.report.lines()), published=published, summary=" ".join(told))


_REFERENCE = ("cities", "districts", "wards")
_STEP = 2_000


@contextmanager
def open_previous(path: Path | None) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """The version whose other rows stay, read-only; None for none."""
    if path is None:
        yield None
        return
    con = open_hardened(path)
    try:
        yield con
    finally:
        con.close()


class RentalLoad:
    """One load: what was read, refused and written. `rows` are all rows there are afterwards, by table."""

    def __init__(self, request: IngestRequest, report: LoadReport, folder: Path) -> None:
        self.report = report
        self.counts: dict[str, int] = {}
        self.rows: dict[str, int] = {}
        self.rejected = 0
        self.guessed = ""
        self._request, self._folder = request, folder
        self._keys: dict[str, set[Any]] = {}
        self._done = 0
        self._now = request.now.replace(tzinfo=None, microsecond=0)

    @property
    def taken(self) -> int:
        """How many rows of the source were good."""
        return sum(self.counts.values())

    def read(self, old: duckdb.DuckDBPyConnection | None) -> None:
        """Check every table of the source, parents first. Raises InputError, StoppedError."""
        with ExitStack() as stack:
            found = find_tables(self._request.file, stack, self.report)
            self.guessed = found.guessed
            numbers = _numbers(old) if found.dumps else ListingNumbers()
            with ExitStack() as outs:
                checkers = {name: self._checker(table, outs) for name, table in tables().items()}
                for name, table in tables().items():
                    self._keys[name] = _known(old, table) | _builtin(name)
                    self._table(checkers[name], found)
                    if name == "posts":
                        for sheet, dump in found.dumps:
                            self._listings(sheet, dump, checkers, numbers)
                    self._keys[name] |= {key[0] for key in checkers[name].seen}
            self.counts = {name: len(checker.seen) for name, checker in checkers.items()}
            self.rejected = sum(checker.rejected for checker in checkers.values())

    def write(self, path: Path, keep: Path | None) -> None:
        """Make the database at `path` from what was taken and, of the version `keep`, what it does not replace."""
        with duckdb.connect(str(path)) as con:
            if keep is not None:
                con.execute(f"attach '{_quoted(keep)}' as old (read_only)")
            for name, table in tables().items():
                con.execute(table.create())
                con.execute(_copy(table, self._folder / f"{name}.csv"))
                if keep is not None:
                    match = " and ".join(f"n.{key} = o.{key}" for key in table.key)
                    con.execute(
                        f"insert into {name} select {', '.join(table.columns)} from old.{name} o "  # noqa: S608
                        f"where not exists (select 1 from {name} n where {match})"
                    )
                _complete(con, name)
                self.rows[name] = int(con.execute(f"select count(*) from {name}").fetchall()[0][0])  # noqa: S608
            if keep is not None:
                con.execute("detach old")

    def _checker(self, table: Table, outs: ExitStack) -> TableChecker:
        file = (self._folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="")
        outs.enter_context(file)
        made: dict[str, object] = {"now": self._now, "0": 0}
        defaults = {name: made.get(c.default, c.default) for name, c in table.columns.items() if c.default}
        optional: Mapping[str, object] = dict.fromkeys(name for name, c in table.columns.items() if c.null)
        return TableChecker(table, self._keys, self.report, {**optional, **defaults}, file)

    def _table(self, checker: TableChecker, found: SourceContents) -> None:
        for sheet in found.sheets.get(checker.table.name, ()):
            places_of = match_columns(checker.table, sheet.header, sheet.file, self.report)
            titles = {name: sheet.header[at] for at, name in places_of.items()}
            for line, row in sheet.rows:
                self._tick()
                if isinstance(row, str):
                    checker.refuse((sheet.file, line), "", row, width=len(sheet.header))
                    continue
                checker.take((sheet.file, line), {name: row[at] for at, name in places_of.items()}, titles)

    def _listings(
        self,
        sheet: SourceTable,
        dump: ListingDump,
        checkers: Mapping[str, TableChecker],
        numbers: ListingNumbers,
    ) -> None:
        rooms, posts = checkers["rooms"], checkers["posts"]
        places_of = dump.places(sheet.header)
        for line, row in sheet.rows:
            self._tick()
            where = (sheet.file, line)
            if isinstance(row, str):
                rooms.refuse(where, "", row, width=len(sheet.header))
                continue
            cells = dump.cells(places_of, row)
            try:
                told = room_of(cells, numbers)
            except CellError as error:
                name = str(error.params.get("column", "room_type"))
                reason = f"{error.key}_like" if error.params.get("nearest") else error.key
                params = {key: value for key, value in error.params.items() if key != "column"}
                rooms.refuse(where, dump.columns.get(name, name), reason, cells.get(name) or "", **params)
                continue
            room = rooms.take(where, told, dump.columns)
            if room is not None:
                self._keys["rooms"].add(room["id"])
                posts.take(where, post_of(cells, room, numbers), dump.columns)

    def _tick(self) -> None:
        self._done += 1
        if self._done % _STEP == 0:
            self._request.progress(self._done, None, "rows")
            if self._request.cancelled():
                raise StoppedError("rental.stopped")


def _known(old: duckdb.DuckDBPyConnection | None, table: Table) -> set[Any]:
    if old is None:
        return set()
    return {row[0] for row in old.execute(f"select {table.key[0]} from {table.name}").fetchall()}  # noqa: S608


def _builtin(name: str) -> set[Any]:
    kinds = {"cities": "city", "districts": "district", "wards": "ward"}
    return {place.id for place in places().by_id.values() if place.kind == kinds.get(name)}


def _complete(con: duckdb.DuckDBPyConnection, name: str) -> None:
    """Add the places of the program that the table does not have: rooms of a dump point to them."""
    if name not in _REFERENCE:
        return
    known = places()
    made: dict[str, list[tuple[Any, ...]]] = {
        "cities": [(p.id, p.name, p.other) for p in known.of("city")],
        "districts": [(p.id, p.city_id, p.name, p.unit, p.part_of or None) for p in known.of("district")],
        "wards": [(p.id, p.district_id, p.name) for p in known.of("ward")],
    }
    there = {row[0] for row in con.execute(f"select id from {name}").fetchall()}  # noqa: S608
    rows = [row for row in made[name] if row[0] not in there]
    if rows:
        # One statement: row by row takes a hundred times as long.
        marks = ", ".join(f"({', '.join('?' * len(rows[0]))})" for _ in rows)
        con.execute(f"insert into {name} values {marks}", [cell for row in rows for cell in row])  # noqa: S608


def _numbers(old: duckdb.DuckDBPyConnection | None) -> ListingNumbers:
    """The listings that were loaded before, so that loading a dump again does not double them."""
    if old is None:
        return ListingNumbers()
    rooms = old.execute("select id, title, district_id, price, area from rooms").fetchall()
    posts = old.execute("select id, room_id from posts").fetchall()
    known = {
        listing_identity({"title": title, "district_id": district, "price": price, "area": area}): number
        for number, title, district, price, area in rooms
    }
    last = (max((row[0] for row in rows), default=0) for rows in (rooms, posts))
    return ListingNumbers(known, {room: post for post, room in posts}, *(number + 1 for number in last))


def _copy(table: Table, file: Path) -> str:
    """Through a file: row by row, DuckDB takes a hundred times as long. Told everything, it need not guess."""
    types = ", ".join(f"'{name}': '{kind}'" for name, kind in table.types.items())
    how = f"auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"', nullstr = '{NULL}'"
    source = f"read_csv('{_quoted(file)}', {how}, columns = {{{types}}}, max_line_size = 8000000)"
    return f"insert into {table.name} select * from {source}"  # noqa: S608 (our names)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
