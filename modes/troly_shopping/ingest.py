"""`app ingest warranty FILE`: the list of warranties (000-49 to 000-51), new serials added, known ones replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.tables.stage import StagedCsv
from troly_shopping.csv_load import Filled, Judged, ListKind, load_list
from troly_shopping.warranty_load import LAYOUT, Checked, check_rows, duplicates, faults, fill
from troly_shopping.warranty_store import DATASET

if TYPE_CHECKING:
    import duckdb


def run(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a warranty CSV; see `load_list`. Raises InputError, StoreError, StoppedError."""
    return load_list(_KIND, request, samples=samples)


def _judge(con: duckdb.DuckDBPyConnection, staged: StagedCsv) -> Judged:
    checked = check_rows(con, staged)
    found = dict(faults(con, staged)) if checked.faulty else {}
    repeated = duplicates(con, staged) if checked.duplicates else []
    return Judged(checked.kept, found, repeated, checked)


def _fill(con: duckdb.DuckDBPyConnection, judged: Judged, before: Path | None, _folder: Path) -> Filled:
    checked: Checked = judged.rows
    return fill(con, checked, before)


_KIND = ListKind(
    dataset=DATASET,
    layout=LAYOUT,
    sentences={"loaded": "ingest.loaded", "checked": "ingest.checked"},
    repeat="duplicate",
    judge=_judge,
    fill=_fill,
)
