"""The named figures that people define for their sheets, kept in the state database beside the sheets."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

from troly.stores.migrations import Migration
from troly_analysis.metrics_text import format_metric, parse_metric
from troly_analysis.sheets_info import key_of
from troly_analysis.types import Metric

if TYPE_CHECKING:
    from troly.stores.state import StateDb

__all__ = ["MIGRATION", "Metrics", "format_metric", "parse_metric"]

# A metric outlives the versions of its sheet: it is kept by the name of the dataset.
MIGRATION = Migration(
    "analysis/0001_metrics",
    (
        """
        CREATE TABLE analysis_metrics (
            owner TEXT NOT NULL,
            dataset TEXT NOT NULL,
            key TEXT NOT NULL,
            metric TEXT NOT NULL,
            PRIMARY KEY (owner, dataset, key)
        )
        """,
    ),
)


class Metrics:
    """The metrics of all users' sheets; every read names the owner. Raises StoreError."""

    def __init__(self, state: StateDb) -> None:
        self._state = state

    def of(self, owner: str) -> dict[str, tuple[Metric, ...]]:
        """The metrics of an owner by dataset, in the order they were defined."""
        with self._state.read() as connection:
            rows = connection.execute(
                "SELECT dataset, metric FROM analysis_metrics WHERE owner = ? ORDER BY rowid", (owner,)
            ).fetchall()
        found: dict[str, list[Metric]] = defaultdict(list)
        for dataset, metric in rows:
            found[dataset].append(Metric(**json.loads(metric)))
        return {dataset: tuple(metrics) for dataset, metrics in found.items()}

    def put(self, owner: str, dataset: str, metric: Metric) -> None:
        """Keep a metric, in place of one with its name."""
        kept = {
            "name": metric.name,
            "operation": metric.operation,
            "field": metric.field,
            "where": dict(metric.where),
            "text": metric.text,
        }
        with self._state.write() as connection:
            connection.execute(
                "INSERT INTO analysis_metrics (owner, dataset, key, metric) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (owner, dataset, key) DO UPDATE SET metric = excluded.metric",
                (owner, dataset, key_of(metric.name), json.dumps(kept, ensure_ascii=False)),
            )

    def remove(self, owner: str, dataset: str, metric: Metric) -> None:
        """Forget a metric."""
        with self._state.write() as connection:
            connection.execute(
                "DELETE FROM analysis_metrics WHERE owner = ? AND dataset = ? AND key = ?",
                (owner, dataset, key_of(metric.name)),
            )

    def clear(self, owner: str, dataset: str) -> None:
        """Forget all metrics of a sheet."""
        with self._state.write() as connection:
            connection.execute(
                "DELETE FROM analysis_metrics WHERE owner = ? AND dataset = ?", (owner, dataset)
            )
