"""An S3 server of the tests' own on loopback: moto's, from an environment of its own (`uv tool install 'moto[server]'`)."""

from __future__ import annotations

import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from tests.support.ollama.double import closed_port_url
from tests.support.process.waiting import wait_until

KEYS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "geheim-123",
    "AWS_REGION": "us-east-1",
    # The client goes by the proxies of the environment.
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
}
_MISSING = "the S3 server for tests is not installed (`uv tool install 'moto[server]'`)"


@dataclass(slots=True)
class S3Server:
    """A running server at `url`."""

    url: str
    _numbers: Iterator[int] = field(default_factory=count)

    def bucket(self) -> str:
        """The name of a new, empty bucket."""
        name = f"bucket{next(self._numbers)}"
        self._ask(f"/{name}", "PUT", b"")
        return name

    def let_in(self, everybody: bool) -> None:
        """Whether keys are let in that nobody registered; `KEYS` are such."""
        self._ask("/moto-api/reset-auth", "POST", b"1000000000" if everybody else b"0")

    def _ask(self, path: str, method: str, content: bytes) -> None:
        headers = {"Content-Type": "text/plain"}
        asked = urllib.request.Request(self.url + path, content, headers, method=method)
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=30).close()


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """A server, ended by its own process number; where it cannot be had, the test says so and is skipped."""
    uv = shutil.which("uv")
    known = (
        subprocess.run([uv, "tool", "dir", "--bin"], check=False, capture_output=True, text=True)
        if uv
        else None
    )
    program = Path(known.stdout.strip(), "moto_server") if known and not known.returncode else None
    if program is None or not program.exists():
        pytest.skip(_MISSING)
    url = closed_port_url()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, "-H", "127.0.0.1", "-p", url.rpartition(":")[2]], cwd=folder, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: process.poll() is not None or _answers(url))
        if process.poll() is not None:
            pytest.skip(f"{_MISSING}: {(folder / 'log').read_text(errors='replace')[-200:]}")
        yield S3Server(url)
    finally:
        process.kill()
        process.wait()


def _answers(url: str) -> bool:
    try:
        S3Server(url).let_in(everybody=True)
    except OSError:
        return False
    return True
