"""`app ingest products FILE`: checks a catalogue CSV, reports every row that it keeps out, publishes all at once."""

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
from troly_shopping.products_load import LAYOUT, Judged, fill, judge
from troly_shopping.products_store import DATASET

if TYPE_CHECKING:
    import duckdb

_STOPPED = "products.stopped"
_SENTENCES = {"loaded": "ingest.products_loaded", "checked": "ingest.products_checked"}


def run(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a CSV of products (name, price, stock, specs, url, brand, category): known names are replaced (000 C9).

    `replace` starts anew; the shop's own list takes the place of sample products; `samples` marks the rows as such.
    Raises InputError for a file that is no catalogue or holds no good row, StoreError, StoppedError. Whatever is
    raised, the catalogue that was there stays as it was.
    """
    try:
        with TemporaryDirectory(prefix="troly-products-") as name:
            if request.dry_run:
                return _validate(request, Path(name))
            return _load(request, Path(name), samples=samples)
    except OSError as error:
        raise os_error(error, Path(error.filename or request.file)) from error


def _validate(request: IngestRequest, folder: Path) -> IngestOutcome:
    with database(":memory:", folder, request, _STOPPED) as con:
        staged, judged, problems = _check(con, request, folder)
    kept = (len(judged.rows), len(judged.repeated))
    return outcome(request, staged, kept, problems, None, sentences=_SENTENCES)


def _load(request: IngestRequest, folder: Path, *, samples: bool) -> IngestOutcome:
    datasets = request.services.datasets
    with datasets.build(DATASET) as build:
        current = datasets.current(DATASET)
        with database(str(build.path), folder, request, _STOPPED) as con:
            staged, judged, problems = _check(con, request, folder)
            merged = current is not None and not (request.replace or is_sample(current))
            filled = fill(con, judged, current.file if current and merged else None, folder)
            stop_if(request, _STOPPED)
        info = {"rows": filled.rows, "loaded_at": request.now.isoformat(), "file": request.file.name}
        build.publish({**info, SAMPLES: samples})
    dropped = not samples and drop_replaced_samples(request, current)
    request.progress(filled.rows, filled.rows, "rows")
    kept = (len(judged.rows), len(judged.repeated))
    return outcome(request, staged, kept, problems, filled, sentences=_SENTENCES, dropped=dropped)


def _check(
    con: duckdb.DuckDBPyConnection, request: IngestRequest, folder: Path
) -> tuple[Staged, Judged, Problems]:
    """Stage the file, judge its rows, write the rejected ones to `--errors`."""
    means = Means(folder, request.progress, lambda: stop_if(request, _STOPPED))
    staged = stage(con, request.file, LAYOUT, means)
    judged = judge(con, staged)
    stop_if(request, _STOPPED)
    found = {**staged.refused, **judged.faults}
    problems = Problems(found, judged.repeated, staged, request.language, repeat="duplicate_product")
    if request.errors is not None:
        write_errors(request.errors, problems)
    if not judged.rows:
        raise InputError("products.no_rows", path=request.file, bad=len(found))
    return staged, judged, problems
