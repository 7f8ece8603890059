"""The services with the tables of the reuse store and the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modes.made import registry_of
from tests.support.stores.services import NOW
from troly.config.load import load_settings
from troly.paths import Paths
from troly.plugin.services import Services, open_services
from troly.text.dates import fixed_clock
from troly_rental import MODE as RENTAL

ROLE, MODE, SCHEMA = "GUEST", "LIST", "0123456789ab"


@contextmanager
def reuse_at(home: Path, **env: str) -> Iterator[Services]:
    """Real stores under `home`; `env` are settings by their environment names."""
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    settings = load_settings(
        paths, {"OLLAMA_HOST": "http://127.0.0.1:9", **env}, sections=registry_of(rental=RENTAL).sections()
    )
    services = open_services(paths, settings, (RENTAL,), fixed_clock(NOW))
    try:
        yield services
    finally:
        services.close()
