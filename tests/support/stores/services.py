"""Opens the real services on a test's own data directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from troly.config.load import load_settings
from troly.config.settings import Settings
from troly.config.users import Profile
from troly.paths import Paths
from troly.plugin.registry import Registry
from troly.plugin.services import Services, open_services
from troly.text.dates import fixed_clock

NOW = "2026-11-22T09:00:00+07:00"


def profile(login: str = "an") -> Profile:
    """A member of staff without special rights."""
    return Profile(
        login=login, name=login.title(), role="staff", permissions=frozenset(), department="", language="auto"
    )


@contextmanager
def services_at(home: Path, registry: Registry | None = None, **env: str) -> Iterator[Services]:
    """Real stores under `home`; `env` are settings as environment variables; nobody listens at the default Ollama."""
    paths = Paths.resolve({"TROLY_HOME": str(home)})
    settings: Settings = load_settings(
        paths, {"OLLAMA_HOST": "http://127.0.0.1:9", **env}, sections=(registry or Registry()).sections()
    )
    services = open_services(paths, settings, registry or (), fixed_clock(NOW))
    try:
        yield services
    finally:
        services.close()
