"""Real sheets in a test's own data directory: services with the tables that metrics need, files loaded as sheets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.stores.services import NOW, profile
from troly.config.load import load_settings
from troly.paths import Paths
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services, open_services
from troly.text.catalogue import Lang
from troly.text.dates import fixed_clock
from troly_analysis import MODE
from troly_analysis.sheets.ingest import ingest_sheet
from troly_analysis.sheets.store import SheetStore
from troly_analysis.types import Sheet


@contextmanager
def sheet_services(home: Path) -> Iterator[Services]:
    """Real stores under `home` that can hold sheets and metrics; nobody listens at the Ollama address."""
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    settings = load_settings(paths, {"OLLAMA_HOST": "http://127.0.0.1:9"})
    services = open_services(paths, settings, (MODE,), fixed_clock(NOW))
    try:
        yield services
    finally:
        services.close()


def load_file(
    services: Services,
    file: Path,
    owner: str = "an",
    lang: Lang = "vi",
    *,
    dry_run: bool = False,
    **values: str,
) -> IngestOutcome:
    """Load a file as `app ingest sheet FILE --user OWNER` does; `values` are `name` and `worksheet`."""
    request = IngestRequest(
        services, file, services.clock(), lang, dry_run=dry_run, values=dict(values), profile=profile(owner)
    )
    return ingest_sheet(request)


def load_text(services: Services, text: str, name: str = "Đơn hàng", owner: str = "an") -> Sheet:
    """Load CSV text as the sheet `name` of `owner`."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.csv"
        file.write_text(text, encoding="utf-8")
        load_file(services, file, owner, name=name)
    return SheetStore(services).sheet(owner, name)
