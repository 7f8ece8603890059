"""Loads a list of the shop (warranty, catalogue): checks it, reports what is kept out, publishes the rest all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from troly.errors import InputError, StoppedError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.stores.connections import os_error
from troly.stores.published import DatasetVersion
from troly.tables.engine import database
from troly.tables.source import Layout
from troly.tables.stage import GUESSED, Duplicate, LoadContext, Problems, StagedCsv, stage, write_errors
from troly.text.numbers import format_number
from troly_shopping.datasets import SAMPLES, is_sample
from troly_shopping.strings import say

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class LoadCounts:
    """What became of the dataset: all rows there are now, and how many of the new ones replaced one."""

    rows: int
    updated: int


@dataclass(frozen=True, slots=True)
class RowCheck:
    """The staged rows: how many are taken, faults by line, rows that a later one replaced, and what `fill` needs."""

    kept: int
    faults: Mapping[int, str]
    repeated: Sequence[Duplicate]
    rows: Any = None


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of list: its dataset, which is also its name in keys of errors, its columns, how rows are judged and kept.

    `sentences` are the keys for `loaded` and `checked`, `repeat` the one for a row that comes again. `fill` writes
    the rows into the connection's main database; the path is the version whose other rows stay, the folder is for
    files between.
    """

    dataset: str
    layout: Layout
    sentences: Mapping[str, str]
    repeat: str
    judge: Callable[[duckdb.DuckDBPyConnection, StagedCsv], RowCheck]
    fill: Callable[[duckdb.DuckDBPyConnection, RowCheck, Path | None, Path], LoadCounts]

    @property
    def stopped(self) -> str:
        """The key of the error that says the person has stopped the load."""
        return f"{self.dataset}.stopped"


def load_list(kind: ListKind, request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load one file: new rows are added, known ones replaced; `replace` starts anew.

    The shop's own list takes the place of sample rows; `samples` marks the rows as such. Raises InputError for a
    file that is no such list or holds no good row, StoreError, StoppedError. Whatever is raised, the rows that were
    there stay as they were.
    """
    try:
        with TemporaryDirectory(prefix=f"troly-{kind.dataset}-") as name:
            if request.dry_run:
                return _validate(kind, request, Path(name))
            return _load(kind, request, Path(name), samples=samples)
    except OSError as error:
        raise os_error(error, Path(error.filename or request.file)) from error


def _validate(kind: ListKind, request: IngestRequest, folder: Path) -> IngestOutcome:
    with database(":memory:", folder, request.cancelled, kind.stopped) as con:
        staged, judged, problems = _check(kind, con, request, folder)
    return _outcome(kind, request, staged, judged, problems)


def _load(kind: ListKind, request: IngestRequest, folder: Path, *, samples: bool) -> IngestOutcome:
    datasets = request.services.datasets
    with datasets.build(kind.dataset) as build:
        current = datasets.current(kind.dataset)
        with database(str(build.path), folder, request.cancelled, kind.stopped) as con:
            staged, judged, problems = _check(kind, con, request, folder)
            merged = current is not None and not (request.replace or is_sample(current))
            filled = kind.fill(con, judged, current.file if current and merged else None, folder)
            _stop_if(request, kind.stopped)
        info = {"rows": filled.rows, "loaded_at": request.now.isoformat(), "file": request.file.name}
        build.publish({**info, SAMPLES: samples})
    dropped = not samples and _drop_replaced_samples(request, current)
    request.progress(filled.rows, filled.rows, "rows")
    return _outcome(kind, request, staged, judged, problems, filled=filled, dropped=dropped)


def _check(
    kind: ListKind, con: duckdb.DuckDBPyConnection, request: IngestRequest, folder: Path
) -> tuple[StagedCsv, RowCheck, Problems]:
    """Stage the file, judge its rows, write the rejected ones to `--errors`."""
    means = LoadContext(folder, request.progress, lambda: _stop_if(request, kind.stopped))
    staged = stage(con, request.file, kind.layout, means)
    judged = kind.judge(con, staged)
    _stop_if(request, kind.stopped)
    found = {**staged.refused, **judged.faults}
    problems = Problems(found, judged.repeated, staged, request.language, say=say, repeat=kind.repeat)
    if request.errors is not None:
        write_errors(request.errors, problems.rows())
    if not judged.kept:
        raise InputError(f"{kind.dataset}.no_rows", path=request.file, bad=len(found))
    return staged, judged, problems


def _stop_if(request: IngestRequest, stopped: str) -> None:
    """Raise StoppedError with the key `stopped` when the person has stopped the load."""
    if request.cancelled():
        raise StoppedError(stopped)


def _drop_replaced_samples(request: IngestRequest, before: DatasetVersion | None) -> bool:
    """After the shop's own list was published: take the sample version away, so that it cannot come back."""
    if before is None or not is_sample(before):
        return False
    request.services.datasets.remove(before)
    return True


def _outcome(
    kind: ListKind,
    request: IngestRequest,
    staged: StagedCsv,
    judged: RowCheck,
    problems: Problems,
    *,
    filled: LoadCounts | None = None,
    dropped: bool = False,
) -> IngestOutcome:
    """Counts and summary; `filled` is None where nothing was to be loaded."""
    counts = {
        "lines": staged.lines,
        "loaded" if filled else "valid": judged.kept,
        "duplicates": len(judged.repeated),
        "rejected": len(problems.refused),
        "blank": staged.blank,
    }
    if filled:
        counts |= {"updated": filled.updated, "total": filled.rows}
    lang = request.language
    shown = {name: format_number(value, lang) for name, value in counts.items()}
    key = kind.sentences["loaded" if filled else "checked"]
    summary = [say(key, lang, file=request.file.name, **shown)]
    if dropped:
        summary.append(say("ingest.samples_dropped", lang))
    if staged.encoding in GUESSED:
        summary.append(say("ingest.guessed_encoding", lang, encoding=staged.encoding))
    return IngestOutcome(
        counts, tuple(problems.lines()), published=filled is not None, summary=" ".join(summary)
    )
