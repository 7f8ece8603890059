"""`app ingest products FILE`: the catalogue (000 C9), new names added, known ones replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.tables.stage import StagedCsv
from troly_shopping.csv_load import Filled, Judged, ListKind, load_list
from troly_shopping.products_load import LAYOUT, fill, judge
from troly_shopping.products_store import DATASET

if TYPE_CHECKING:
    import duckdb


def run(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a CSV of products (name, price, stock, specs, url, brand, category); see `load_list`.

    Raises InputError, StoreError, StoppedError.
    """
    return load_list(_KIND, request, samples=samples)


def _judge(con: duckdb.DuckDBPyConnection, staged: StagedCsv) -> Judged:
    judged = judge(con, staged)
    return Judged(len(judged.rows), judged.faults, judged.repeated, judged)


def _fill(con: duckdb.DuckDBPyConnection, judged: Judged, before: Path | None, folder: Path) -> Filled:
    return fill(con, judged.rows, before, folder)


_KIND = ListKind(
    dataset=DATASET,
    layout=LAYOUT,
    sentences={"loaded": "ingest.products_loaded", "checked": "ingest.products_checked"},
    repeat="duplicate_product",
    judge=_judge,
    fill=_fill,
)
