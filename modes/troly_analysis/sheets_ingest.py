"""`app ingest sheet FILE`: a table of somebody's own, its columns typed and shown, in place of the one with its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.errors import StoppedError
from troly.plugin.contract import Ingest, IngestOutcome, IngestRequest, Parameter
from troly.text.catalogue import LANGS
from troly.text.numbers import format_number
from troly_analysis.strings import say

if TYPE_CHECKING:
    from troly.tables.stage import ProblemRow
    from troly_analysis.importing import Imported
    from troly_analysis.types import Sheet

MAX_NAME = 80


def run(request: IngestRequest) -> IngestOutcome:
    """Load one file as a sheet, or one sheet for each worksheet; see `troly_analysis.importing`.

    Raises InputError, StoreError, StoppedError. Whatever is raised, the sheets that were there stay as they were.
    """
    from troly.errors import InputError
    from troly.stores.connections import os_error
    from troly.tables.stage import LoadContext
    from troly_analysis.importing import Order, import_file

    name = " ".join(request.text("name").split())
    if len(name) > MAX_NAME:
        raise InputError("sheets.name", most=MAX_NAME)

    def check() -> None:
        if request.cancelled():
            raise StoppedError("sheets.stopped")

    try:
        with TemporaryDirectory(prefix="troly-sheet-", ignore_cleanup_errors=True) as folder:
            order = Order(
                file=request.file,
                owner=owner_of(request),
                name=name,
                now=request.now,
                language=request.language,
                worksheet=request.text("worksheet"),
            )
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
    return _outcome(request, imported, told, _drop_samples(request))


def _drop_samples(request: IngestRequest) -> tuple[Sheet, ...]:
    from troly_analysis.samples import drop

    return () if request.dry_run else drop(request.services, owner_of(request))


def owner_of(request: IngestRequest) -> str:
    """Whose sheets these become: the person's who loads, or the one's at the keyboard."""
    from troly.config import load_profile

    profile = request.profile or load_profile(request.services.paths, request.services.settings)
    return profile.login


def _check(request: IngestRequest, sheets: Sequence[Imported]) -> list[str]:
    """The problems as sentences; all of them go to `--errors`. The files they come from are still there."""
    from troly.tables.stage import told, write_errors

    lang = request.language

    def rows() -> Iterator[ProblemRow]:
        for sheet in sheets:
            yield from sheet.rows(lang)

    if request.errors is not None:
        write_errors(request.errors, rows())
    return told(rows(), sum(sheet.problems for sheet in sheets), lang)


def _outcome(
    request: IngestRequest, imported: Sequence[Imported], told: Sequence[str], dropped: Sequence[Sheet]
) -> IngestOutcome:
    from troly_analysis.profile import doubts, fields_table, sheet_record

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
        shown = {
            "rows": format_number(one.sheet.rows, lang),
            "columns": len(one.sheet.fields),
            "name": one.sheet.name,
            "owner": one.sheet.owner,
        }
        summary.append(say("sheets.loaded" if published else "sheets.checked", lang, **shown))
        summary += one.found.told(lang)
        summary += doubts(one.sheet, lang)
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


INGESTS = (
    Ingest(
        name="sheet",
        help={lang: say("sheets.ingest_help", lang) for lang in LANGS},
        example='app ingest sheet data/sheets/don-hang.csv --name "Đơn hàng"\napp ingest sheet bao-cao.xlsx --worksheet 1 --dry-run',
        run=run,
        parameters=(
            Parameter("--name", {lang: say("sheets.name_help", lang) for lang in LANGS}, "NAME"),
            Parameter("--worksheet", {lang: say("sheets.worksheet_help", lang) for lang in LANGS}, "NAME"),
        ),
        takes=("user",),
        merges=False,
    ),
)
