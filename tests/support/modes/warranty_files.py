"""Warranty lists for tests: written to a folder, loaded through real services, read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services
from troly.text.catalogue import Lang
from troly_shopping.warranty.load import ingest_warranty
from troly_shopping.warranty.store import DATASET

HEADER = "serial,product_name,warranty_end_date\n"


def write(folder: Path, content: str | bytes, name: str = "list.csv") -> Path:
    """A file with exactly this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(
    services: Services,
    path: Path,
    *,
    language: Lang = "en",
    dry_run: bool = False,
    replace: bool = False,
    errors: Path | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestOutcome:
    """What `app ingest warranty` does."""
    request = IngestRequest(
        services=services,
        file=path,
        now=services.clock(),
        language=language,
        dry_run=dry_run,
        replace=replace,
        errors=errors,
        cancelled=cancelled,
    )
    return ingest_warranty(request)


def rows(services: Services) -> list[tuple[str, str, str]]:
    """All published records, by serial."""
    if services.datasets.current(DATASET) is None:
        return []
    sql = "select serial, product_name, warranty_end_date::varchar from records order by serial"
    return [(a, b, c) for a, b, c in services.datasets.reader(DATASET).fetch(sql)]
