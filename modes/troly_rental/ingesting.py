"""`app ingest rental PATH`: checks tables or a listing dump against the schema, reports bad rows, publishes the rest at once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from troly.errors import InputError, StoppedError
from troly.plugin.contract import Ingest, IngestOutcome, IngestRequest
from troly.stores.connections import os_error
from troly.text.catalogue import LANGS
from troly.text.numbers import format_number
from troly_rental.schema import schema_version
from troly_rental.store import DATASET, SAMPLES, is_sample
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly_rental.rows_load import Load


def run(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
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


def _fill(request: IngestRequest, path: Path, folder: Path) -> Load:
    """Write the good rows of the source, and those that stay, into a new DuckDB file."""
    from troly_rental.rows_check import Report
    from troly_rental.rows_load import Load, older

    before = request.services.datasets.current(DATASET)
    keep = None if before is None or request.replace or is_sample(before) else before.file
    load = Load(request, Report(request.language), folder)
    with older(keep) as old:
        load.read(old)
    if request.errors is not None:
        load.report.write(request.errors)
    if not load.taken:
        raise InputError("rental.no_rows", path=request.file, bad=load.rejected)
    load.write(path, keep)
    return load


def _outcome(request: IngestRequest, load: Load, *, published: bool, dropped: bool = False) -> IngestOutcome:
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


def ingests() -> tuple[Ingest, ...]:
    """What the mode declares: `app ingest rental PATH`."""
    return (
        Ingest(
            name="rental",
            help={lang: say("load.help", lang) for lang in LANGS},
            example="app ingest rental data-cho-thue/\napp ingest rental tin-dang.csv --errors loi.csv",
            run=run,
        ),
    )


INGESTS = ingests()
