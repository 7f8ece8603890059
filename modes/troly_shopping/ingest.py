"""`app ingest warranty FILE`: checks a CSV, reports every row that it keeps out, publishes the rest all at once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.errors import InputError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.stores.faults import os_error
from troly_shopping.csv_load import SAMPLES, database, drop_replaced_samples, is_sample, outcome, stop_if
from troly_shopping.csv_stage import Means, Staged, stage
from troly_shopping.problems import Problems, write_errors
from troly_shopping.warranty_load import LAYOUT, Checked, check_rows, duplicates, faults, fill
from troly_shopping.warranty_store import DATASET

if TYPE_CHECKING:
    import duckdb

_STOPPED = "warranty.stopped"
_SENTENCES = {"loaded": "ingest.loaded", "checked": "ingest.checked"}


def run(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a warranty CSV (000-49 to 000-51): new serials are added, known ones replaced; `replace` starts anew.

    The shop's own list takes the place of sample records; `samples` marks the rows as such. Raises InputError for a
    file that is no warranty CSV or holds no good row, StoreError, StoppedError. Whatever is raised, the records that
    were there stay as they were.
    """
    try:
        with TemporaryDirectory(prefix="troly-warranty-") as name:
            if request.dry_run:
                return _validate(request, Path(name))
            return _load(request, Path(name), samples=samples)
    except OSError as error:
        raise os_error(error, Path(error.filename or request.file)) from error


def _validate(request: IngestRequest, folder: Path) -> IngestOutcome:
    with database(":memory:", folder, request, _STOPPED) as con:
        staged, checked, problems = _check(con, request, folder)
    kept = (checked.kept, checked.duplicates)
    return outcome(request, staged, kept, problems, None, sentences=_SENTENCES)


def _load(request: IngestRequest, folder: Path, *, samples: bool) -> IngestOutcome:
    datasets = request.services.datasets
    with datasets.build(DATASET) as build:
        current = datasets.current(DATASET)
        with database(str(build.path), folder, request, _STOPPED) as con:
            staged, checked, problems = _check(con, request, folder)
            merged = current is not None and not (request.replace or is_sample(current))
            filled = fill(con, checked, current.file if current and merged else None)
            stop_if(request, _STOPPED)
        info = {"rows": filled.rows, "loaded_at": request.now.isoformat(), "file": request.file.name}
        build.publish({**info, SAMPLES: samples})
    dropped = not samples and drop_replaced_samples(request, current)
    request.progress(filled.rows, filled.rows, "rows")
    kept = (checked.kept, checked.duplicates)
    return outcome(request, staged, kept, problems, filled, sentences=_SENTENCES, dropped=dropped)


def _check(
    con: duckdb.DuckDBPyConnection, request: IngestRequest, folder: Path
) -> tuple[Staged, Checked, Problems]:
    """Stage the file, judge its rows, write the rejected ones to `--errors`."""
    means = Means(folder, request.progress, lambda: stop_if(request, _STOPPED))
    staged = stage(con, request.file, LAYOUT, means)
    checked = check_rows(con, staged)
    found = dict(staged.refused)
    if checked.faulty:
        found |= dict(faults(con, staged))
    repeated = duplicates(con, staged) if checked.duplicates else []
    problems = Problems(found, repeated, staged, request.language)
    if request.errors is not None:
        write_errors(request.errors, problems)
    if not checked.kept:
        raise InputError("warranty.no_rows", path=request.file, bad=len(found))
    return staged, checked, problems
