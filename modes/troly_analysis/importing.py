"""Builds the sheets of one file and publishes them all at once: what was there before stays until then."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import InputError, StoppedError
from troly.stores.published import Build, Datasets
from troly.tables.column_types import TypedTable, type_table
from troly.tables.columns import Column, profile, quoted
from troly.tables.engine import database
from troly.tables.rows import SheetTable
from troly.tables.sheets import read_sheet
from troly.tables.stage import LoadContext, ProblemRow
from troly.text.catalogue import Lang
from troly_analysis.sheets_info import dataset_of, id_of, info_of, key_of
from troly_analysis.strings import say
from troly_analysis.types import TEMPORAL, Field, Sheet

if TYPE_CHECKING:
    import duckdb

_STOPPED = "sheets.stopped"
# Columns that tell when something happened, before those that tell when it was changed or paid.
_FEW_BLANKS = 0.02
_DEADLINE = re.compile(r"\b(?:han|deadline|due|expiry|expir|het han)")
_MAIN_DATES = (
    "ngay dat",
    "order date",
    "ngay ban",
    "ngay mua",
    "ngay tao",
    "created",
    "ngay",
    "date",
    "thoi gian",
)


@dataclass(frozen=True, slots=True)
class Order:
    """What to import: the file, whose sheets, under which name; `worksheet` names one of a workbook."""

    file: Path
    owner: str
    name: str
    now: datetime
    language: Lang
    worksheet: str = ""
    samples: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """One sheet as it was read: what is known of it, and every line and cell that was kept out."""

    sheet: Sheet
    found: SheetTable
    typed: TypedTable

    def rows(self, lang: Lang) -> Iterator[ProblemRow]:
        """Line, reason and what stands there, of lines that were kept out and then of cells that were left empty."""
        yield from self.found.refused(lang)
        for cell in self.typed.bad:
            field = self.sheet.field(cell.column)
            kind = say(f"sheets.kind_{field.kind if field else cell.kind}", lang)
            reason = say("sheets.bad_cell", lang, column=cell.column, kind=kind)
            yield self.found.line_of(cell.place), reason, cell.value

    @property
    def problems(self) -> int:
        """How many there are of them."""
        return self.found.refused_count + self.typed.bad_count


def import_file(
    order: Order,
    datasets: Datasets | None,
    means: LoadContext,
    cancelled: Callable[[], bool],
    checked: Callable[[Sequence[Imported]], None],
) -> tuple[Imported, ...]:
    """Read all sheets of a file, call `checked` with them, and publish them; without `datasets` nothing is kept.

    Raises InputError for a file that holds no table, StoreError, StoppedError, and what `checked` raises.
    """
    done: list[tuple[Build | None, Imported]] = []
    with ExitStack() as builds:
        for number, (name, part) in enumerate(_parts(order, means)):
            folder = means.folder / f"part-{number}"
            folder.mkdir()
            build = builds.enter_context(datasets.build(dataset_of(order.owner, name))) if datasets else None
            path = str(build.path) if build else ":memory:"
            with database(path, folder, cancelled, _STOPPED) as con:
                done.append(
                    (build, _one(con, order, name, part, LoadContext(folder, means.report, means.check)))
                )
        imported = tuple(one for _, one in done)
        checked(imported)
        if cancelled():
            raise StoppedError(_STOPPED)
        for build, one in done:
            if build is not None:
                build.publish(info_of(one.sheet))
    return imported


def _parts(order: Order, means: LoadContext) -> list[tuple[str, str]]:
    """The sheets that the file gives: the name of each, and the worksheet it comes from ("" where there are none)."""
    from troly.tables.workbook import is_workbook, worksheets

    base = order.name.strip() or order.file.stem
    if not is_workbook(order.file):
        if order.worksheet:
            raise InputError("table.no_worksheets", path=order.file)
        return [(base, "")]
    found = worksheets(order.file, order.worksheet)
    means.check()
    if len(found) == 1:
        return [(base, found[0])]
    parts = [(f"{base} - {worksheet}", worksheet) for worksheet in found]
    keys = [key_of(name) for name, _ in parts]
    return [
        (name if keys.index(key) == at else f"{name} {at + 1}", worksheet)
        for at, ((name, worksheet), key) in enumerate(zip(parts, keys, strict=True))
    ]


def _one(con: duckdb.DuckDBPyConnection, order: Order, name: str, part: str, means: LoadContext) -> Imported:
    found = read_sheet(con, order.file, part, means, order.language)
    table = key_of(name)
    target = f"main.{quoted(table)}"
    typed = type_table(con, found.names, target, means.check, exact=found.exact, tidy=found.tidy)
    columns = profile(con, target, typed.columns, means.check)
    rows = con.execute(f"select count(*) from {target}").fetchone()  # noqa: S608 (quoted)
    if not rows or not rows[0]:
        raise InputError("table.no_rows", path=order.file)
    con.execute("drop table staged")
    date_field = _date_field(columns, int(rows[0]))
    sheet = Sheet(
        id=id_of(order.owner, name),
        owner=order.owner,
        name=name,
        table=table,
        fields=tuple(_field(column) for column in columns),
        rows=int(rows[0]),
        imported_at=order.now,
        source=order.file.name,
        date_field=date_field.name if date_field else "",
        span=_span(date_field),
        samples=order.samples,
    )
    return Imported(sheet, found, typed)


def _field(column: Column) -> Field:
    return Field(
        name=column.name,
        kind=column.kind,
        unit=column.unit,
        blanks=column.blanks,
        distinct=column.distinct,
        least=column.least,
        most=column.most,
        outliers=column.outliers,
        examples=column.examples,
        doubt=f"sheets.doubt_{column.doubt}" if column.doubt else "",
    )


def _date_field(columns: Sequence[Column], rows: int) -> Column | None:
    """The column by which rows are dated: one whose name says so, else the fullest, else the first."""
    from troly.text.fold import fold

    dated = [column for column in columns if column.kind in TEMPORAL and column.least]
    dated = [column for column in dated if not _DEADLINE.search(fold(column.name))] or dated
    fullest = min((column.blanks for column in dated), default=0)
    # A day that many rows have not reached ("ngày giao", "ngày thanh toán") does not date them.
    dated = [column for column in dated if column.blanks <= fullest + _FEW_BLANKS * rows] or dated
    for wanted in _MAIN_DATES:
        for column in dated:
            if wanted in fold(column.name).replace("_", " "):
                return column
    return min(dated, key=lambda column: column.blanks, default=None)


def _span(column: Column | None) -> tuple[date, date] | None:
    return (date.fromisoformat(column.least[:10]), date.fromisoformat(column.most[:10])) if column else None
