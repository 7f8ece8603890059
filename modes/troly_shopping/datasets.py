"""What is loaded of a list of the shop, and reading from it while there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError

if TYPE_CHECKING:
    from troly.stores.published import Datasets, DatasetVersion

# In a version's info: that it holds the data that ships.
SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """How many rows there are, when they were loaded (aware), and whether they are samples."""

    rows: int
    at: datetime
    samples: bool = False


def dataset_info(datasets: Datasets, name: str) -> DatasetInfo | None:
    """What is loaded of the list `name`; None when nothing is. Raises StoreError."""
    version = datasets.current(name)
    if version is None:
        return None
    info: Mapping[str, Any] = version.info
    at = datetime.fromisoformat(info["loaded_at"]) if "loaded_at" in info else version.published_at
    return DatasetInfo(int(info.get("rows", 0)), at, is_sample(version))


def is_sample(version: DatasetVersion | None) -> bool:
    """Whether a version holds the data that ships, which never mixes with the shop's own."""
    return version is not None and bool(version.info.get(SAMPLES))


def fetch_rows(
    datasets: Datasets, name: str, sql: str, parameters: dict[str, object] | list[object]
) -> list[tuple[Any, ...]]:
    """The rows of a query of the list `name`, which gives the same each time; none when nothing is loaded. Raises StoreError."""
    try:
        return datasets.reader(name).fetch_kept(sql, parameters)
    except StoreError as error:
        if error.key != "store.dataset_missing":
            raise
        return []
