"""Data directories that are filled once a test run and copied for each test: loading the same samples again tells nothing new."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.stores.services import services_at
from troly.paths import Paths
from troly.plugin.registry import Registry
from troly.plugin.services import Services

# All workers of one run share the folder; `tests/conftest.py` removes it at the end.
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
FOLDER = Path(tempfile.gettempdir()) / f"troly-prepared-{RUN}"


@contextmanager
def prepared_services(
    home: Path, registry: Registry, content: tuple[str, ...], fill: Callable[[Services], object], **env: str
) -> Iterator[Services]:
    """`services_at(home, registry, **env)` on a new data directory that `fill` has filled; `content` names what it fills in.

    A directory that holds data already is opened as it is.
    """
    if not Paths.resolve({"TROLY_HOME": str(home)}).state_db.exists():
        shutil.copytree(_template(registry, content, fill), home, dirs_exist_ok=True)
    with services_at(home, registry, **env) as services:
        yield services


def _template(registry: Registry, content: tuple[str, ...], fill: Callable[[Services], object]) -> Path:
    key = hashlib.sha256("\0".join(content).encode()).hexdigest()[:16]
    template = FOLDER / f"{content[0]}-{key}"
    if not template.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(dir=FOLDER)) / "home"
        with services_at(making, registry) as services:
            fill(services)
        try:
            making.rename(template)
        except OSError:
            # Another worker was faster; its directory holds the same.
            shutil.rmtree(making.parent)
    return template
