"""Every test is alone: its own home folder, no outside network, no colours or locale of the machine it runs on."""

from __future__ import annotations

import atexit
import gc
import ipaddress
import os
import shutil
import signal
import socket
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.stores.postgres import PostgresServer, postgres_server
from tests.support.stores.prepared import FOLDER
from tests.support.stores.s3 import KEYS, S3Server, s3_server

_QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
# A run of the tests is the same every time; `.ci/explore` looks for new examples.
# Half of what hypothesis does by itself for properties that name no number of their own.
settings.register_profile(
    "troly", deadline=None, max_examples=50, derandomize=True, suppress_health_check=_QUIET
)
settings.register_profile("explore", deadline=None, max_examples=2_000, suppress_health_check=_QUIET)
settings.load_profile("troly")

# Thousands of modules stay for ever: looking through them for garbage all the time is a fifth of what the tests cost.
gc.set_threshold(50_000, 20, 50)
# Frozen modules are let go at the very end, and not at all by a worker: taking them apart takes it seconds.
if "PYTEST_XDIST_WORKER" in os.environ:
    atexit.register(os._exit, 0)
else:
    atexit.register(gc.unfreeze)

# Whoever starts the tests in the background hands down that Ctrl-C is ignored; programs under test must not inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_FOREIGN = (
    "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "TEXTUAL_THEME", "COLUMNS", "LINES", "OLLAMA_HOST", "OLLAMA_PORT", "OLLAMA_BASE_URL",
    "CHROMA_PATH", "DATABASE_URL", "CHROMA_COLLECTION", "PERSONA_PATH", "PERSONA_MAX_CHARS", "INTENT_CONFIDENCE_THRESHOLD", "HTTP_PROXY", "HTTPS_PROXY",
    "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "KEEP_RECENT_MESSAGES", "SUMMARIZE_THRESHOLD", "COMPRESS_AFTER_SUMMARY", "MCP_SERVER_URL", "MCP_SERVER_TOKEN", "SEARXNG_URL",
    "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2",
)  # fmt: skip


TESTS = Path(__file__).parent
SLOW = {
    line for line in (TESTS / "slow.txt").read_text("utf-8").splitlines() if line and not line.startswith("#")
}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that collecting makes becomes garbage: it is not looked through, neither now nor while the tests run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files in `slow.txt` carry the mark `slow`."""
    for item in items:
        if item.nodeid.partition("::")[0] in SLOW:
            item.add_marker("slow")


def _is_loopback(address: Any) -> bool:
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        return False


class OutsideNetworkError(AssertionError):
    """A test tried to leave the machine."""


_FOLDERS = count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder of the test's own. Pytest's fixture looks through the folders of all tests before it, for a free number."""
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in request.node.name)
    folder = tmp_path_factory.getbasetemp() / f"{name[:30]}-{next(_FOLDERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections to anything but this machine are a failure of the test, not of the network."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        if not _is_loopback(address):
            raise OutsideNetworkError(f"the test tried to reach {address}")
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        if not _is_loopback(address):
            raise OutsideNetworkError(f"the test tried to reach {address}")
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory of the test's own; an Ollama address where nobody listens."""
    for name in [*_FOREIGN, *(name for name in os.environ if name.startswith("TROLY_"))]:
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "troly-home"
    monkeypatch.setenv("TROLY_HOME", str(home))
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    return home


def pytest_unconfigure(config: pytest.Config) -> None:
    """The prepared data directories go with the run that made them."""
    if not hasattr(config, "workerinput"):
        session = config.pluginmanager.get_plugin("dsession")
        uid = getattr(getattr(session, "nodemanager", None), "testrunuid", None)
        folders = [FOLDER] if uid is None else [FOLDER, FOLDER.with_name(f"troly-prepared-{uid}")]
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; tests that ask for it are marked `needs_postgres`."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server; where it is not installed, tests that ask for it are skipped."""
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def s3_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment has keys for it."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
