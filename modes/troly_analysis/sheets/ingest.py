"""`app ingest sheet FILE`: a table of somebody's own, its columns typed and shown, in place of the one with its name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.config.users import load_profile
from troly.errors import InputError, StoppedError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.stores.connections import os_error
from troly.stores.published import Build, Datasets
from troly.tables.column_types import TypedTable, type_table
from troly.tables.columns import Column, profile, quoted
from troly.tables.engine import database
from troly.tables.rows import SheetTable
from troly.tables.sheets import read_sheet
from troly.tables.stage import LoadContext, ProblemRow, told, write_errors
from troly.tables.workbook import is_workbook, worksheets
from troly.text.catalogue import Lang
from troly.text.fold import accents, fold, nfc
from troly.text.numbers import format_number
from troly_analysis.sheets.overview import doubts, fields_table, sheet_record
from troly_analysis.sheets.records import dataset_of, id_of, info_of, key_of
from troly_analysis.sheets.store import SheetStore
from troly_analysis.strings import say
from troly_analysis.types import TEMPORAL, Field, Sheet

if TYPE_CHECKING:
    import duckdb


# Columns with more different values name single things.
_MOST = 2_000


def merge_spellings(
    con: duckdb.DuckDBPyConnection, table: str, columns: Iterable[str]
) -> tuple[tuple[str, str, str], ...]:
    """Write each value of these columns of text in its commonest spelling; returns (column, was, is)."""
    merged: list[tuple[str, str, str]] = []
    for column in columns:
        name = quoted(column)
        asked = f"select {name}, count(*) from {table} where {name} is not null group by 1 limit {_MOST + 1}"  # noqa: S608 (quoted)
        counts = [(str(value), int(count)) for value, count in con.execute(asked).fetchall()]
        if len(counts) > _MOST:
            continue
        for was, spelled in one_spelling(counts):
            con.execute(f"update {table} set {name} = ? where {name} = ?", [spelled, was])  # noqa: S608 (quoted)
            merged.append((column, was, spelled))
    return tuple(merged)


def one_spelling(counts: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    """The values that are spellings of a commoner one, with it: other case, or typed without the accents.

    Values that carry different accents are different ("Hoa", "Hòa"); what is typed without any then stays as it is.
    """
    alike: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for value, count in counts:
        alike[" ".join(fold(nfc(value)).split())].append((value, count))
    found = []
    for same in alike.values() if alike else ():
        marked: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for value, count in same:
            marks = " ".join(accents(word) for word in nfc(value).lower().split()).strip()
            marked[marks].append((value, count))
        groups = [same] if len([key for key in marked if key]) <= 1 else list(marked.values())
        for group in groups:
            best = max(group, key=lambda each: (bool(accents(each[0])), each[1], each[0]))[0]
            found += [(value, best) for value, _ in group if value != best]
    return found


MAX_NAME = 80


def ingest_sheet(request: IngestRequest) -> IngestOutcome:
    """Load one file as a sheet, or one sheet for each worksheet; see `troly_analysis.importing`.

    Raises InputError, StoreError, StoppedError. Whatever is raised, the sheets that were there stay as they were.
    """
    name = " ".join(request.text("name").split())
    if len(name) > MAX_NAME:
        raise InputError("sheets.name", most=MAX_NAME)

    def check() -> None:
        if request.cancelled():
            raise StoppedError("sheets.stopped")

    try:
        with TemporaryDirectory(prefix="troly-sheet-", ignore_cleanup_errors=True) as folder:
            whose, part = owner_of(request), request.text("worksheet")
            order = ImportRequest(request.file, whose, name, request.now, request.language, part)
            told: list[str] = []
            imported = import_file(
                order,
                None if request.dry_run else request.services.datasets,
                LoadContext(Path(folder), request.progress, check),
                request.cancelled,
                lambda sheets: told.extend(_check(request, sheets)),
            )
    except OSError as error:
        raise os_error(error, Path(error.filename or request.file)) from error
    # A person with a sheet of their own has no use for the samples.
    dropped = () if request.dry_run else SheetStore(request.services).remove_samples(owner_of(request))
    return _outcome(request, imported, told, dropped)


def owner_of(request: IngestRequest) -> str:
    """Whose sheets these become: the person's who loads, or the one's at the keyboard."""
    profile = request.profile or load_profile(request.services.paths, request.services.settings)
    return profile.login


def _check(request: IngestRequest, sheets: Sequence[SheetImport]) -> list[str]:
    """The problems as sentences; all of them go to `--errors`. The files they come from are still there."""
    lang = request.language

    def rows() -> Iterator[ProblemRow]:
        for sheet in sheets:
            yield from sheet.rows(lang)

    if request.errors is not None:
        write_errors(request.errors, rows())
    return told(rows(), sum(sheet.problems for sheet in sheets), lang)


def _outcome(
    request: IngestRequest, imported: Sequence[SheetImport], told: Sequence[str], dropped: Sequence[Sheet]
) -> IngestOutcome:
    lang, published = request.language, not request.dry_run
    counts = {
        "lines": sum(one.found.lines for one in imported),
        "loaded" if published else "valid": sum(one.sheet.rows for one in imported),
        "rejected": sum(one.found.refused_count for one in imported),
        "emptied": sum(one.typed.bad_count for one in imported),
        "blank": sum(one.found.blank for one in imported),
    }
    summary = []
    for one in imported:
        sizes = {"rows": format_number(one.sheet.rows, lang), "columns": len(one.sheet.fields)}
        shown = {**sizes, "name": one.sheet.name, "owner": one.sheet.owner}
        summary.append(say("sheets.loaded" if published else "sheets.checked", lang, **shown))
        summary += one.found.told(lang)
        summary += doubts(one.sheet, lang)
        if one.merged:
            shown_first = ", ".join(f"{was} → {kept}" for _, was, kept in one.merged[:_MERGED_SHOWN])
            summary.append(say("sheets.merged", lang, count=len(one.merged), values=shown_first))
    if dropped:
        summary.append(say("sheets.samples_dropped", lang, names=", ".join(sheet.name for sheet in dropped)))
    summary = list(dict.fromkeys(summary))  # the worksheets of one file share notes
    return IngestOutcome(
        counts,
        problems=tuple(told),
        published=published,
        summary="\n".join(summary),
        tables=tuple(fields_table(one.sheet, lang) for one in imported),
        records=tuple(sheet_record(one.sheet) for one in imported),
    )


# Builds the sheets of one file and publishes them all at once: what was there before stays until then.


_STOPPED = "sheets.stopped"
# Columns that tell when something happened, before those that tell when it was changed or paid.
# Other spellings of a column that its answers can tell of.
_MERGED = 200
_FEW_BLANKS = 0.02
_MERGED_SHOWN = 5
_DEADLINE = re.compile(r"\b(?:han|deadline|due|expiry|expir|het han)")
_MAIN_DATES = (
    "ngay dat", "order date", "ngay ban", "ngay mua", "ngay tao", "created", "ngay", "date", "thoi gian",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import: the file, whose sheets, under which name; `worksheet` names one of a workbook."""

    file: Path
    owner: str
    name: str
    now: datetime
    language: Lang
    worksheet: str = ""
    samples: bool = False


@dataclass(frozen=True, slots=True)
class SheetImport:
    """One sheet as it was read: what is known of it, and every line and cell that was kept out."""

    sheet: Sheet
    found: SheetTable
    typed: TypedTable
    merged: tuple[tuple[str, str, str], ...] = ()
    """Values that were another spelling: their column, as written, as kept."""

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
    order: ImportRequest,
    datasets: Datasets | None,
    means: LoadContext,
    cancelled: Callable[[], bool],
    checked: Callable[[Sequence[SheetImport]], None],
) -> tuple[SheetImport, ...]:
    """Read all sheets of a file, call `checked` with them, and publish them; without `datasets` nothing is kept.

    Raises InputError for a file that holds no table, StoreError, StoppedError, and what `checked` raises.
    """
    done: list[tuple[Build | None, SheetImport]] = []
    with ExitStack() as builds:
        for number, (name, part) in enumerate(_parts(order, means)):
            folder = means.folder / f"part-{number}"
            folder.mkdir()
            build = builds.enter_context(datasets.build(dataset_of(order.owner, name))) if datasets else None
            path = str(build.path) if build else ":memory:"
            with database(path, folder, cancelled, _STOPPED) as con:
                inside = LoadContext(folder, means.report, means.check)
                done.append((build, _one(con, order, name, part, inside)))
        imported = tuple(one for _, one in done)
        checked(imported)
        if cancelled():
            raise StoppedError(_STOPPED)
        for build, one in done:
            if build is not None:
                build.publish(info_of(one.sheet))
    return imported


def _parts(order: ImportRequest, means: LoadContext) -> list[tuple[str, str]]:
    """The sheets that the file gives: the name of each, and the worksheet it comes from ("" where there are none)."""
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
    again = [keys.index(key) != at for at, key in enumerate(keys)]
    named = enumerate(zip(parts, again, strict=True), 1)
    return [(f"{name} {number}" if twice else name, part) for number, ((name, part), twice) in named]


def _one(
    con: duckdb.DuckDBPyConnection, order: ImportRequest, name: str, part: str, means: LoadContext
) -> SheetImport:
    found = read_sheet(con, order.file, part, means, order.language)
    table = key_of(name)
    target = f"main.{quoted(table)}"
    typed = type_table(con, found.names, target, means.check, exact=found.exact, tidy=found.tidy)
    merged = merge_spellings(con, target, [each.name for each in typed.columns if each.kind == "text"])
    columns = profile(con, target, typed.columns, means.check)
    rows = con.execute(f"select count(*) from {target}").fetchone()  # noqa: S608 (quoted)
    if not rows or not rows[0]:
        raise InputError("table.no_rows", path=order.file)
    con.execute("drop table staged")
    date_field = _date_field(columns, int(rows[0]))
    days = (
        [date.fromisoformat(each[:10]) for each in (date_field.least, date_field.most)] if date_field else []
    )
    sheet = Sheet(
        id=id_of(order.owner, name),
        owner=order.owner,
        name=name,
        table=table,
        fields=tuple(_field(column, merged) for column in columns),
        rows=int(rows[0]),
        imported_at=order.now,
        source=order.file.name,
        date_field=date_field.name if date_field else "",
        span=(days[0], days[1]) if days else None,
        samples=order.samples,
    )
    return SheetImport(sheet, found, typed, merged)


_KEPT = ("name", "kind", "unit", "blanks", "distinct", "least", "most", "outliers", "examples")


def _field(column: Column, merged: Sequence[tuple[str, str, str]]) -> Field:
    doubt = f"sheets.doubt_{column.doubt}" if column.doubt else ""
    others = [(was, spelled) for name, was, spelled in merged if name == column.name]
    kept = {name: getattr(column, name) for name in _KEPT}
    return Field(**kept, merged=tuple(others[:_MERGED]), doubt=doubt)


def _date_field(columns: Sequence[Column], rows: int) -> Column | None:
    """The column by which rows are dated: one whose name says so, else the fullest, else the first."""
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
