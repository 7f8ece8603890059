"""Runs the command line in this process or in one of its own, and installs modes of third parties for it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from troly.__main__ import main

PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class CommandLine:
    """`run` calls the program in this process with the test's environment."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capture = capture
        monkeypatch.setattr(sys, "argv", ["app"])
        monkeypatch.setenv("LC_ALL", "en_US.UTF-8")

    def run(self, *args: str, stdin: str | bytes = b"") -> Ran:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        self._capture.readouterr()
        code = main(list(args))
        said = self._capture.readouterr()
        return Ran(code, said.out, said.err)


def start(
    *args: str, env: Mapping[str, str] | None = None, stdin: int | None = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """The program in a process of its own, its streams as pipes, able to receive Ctrl-C alone."""
    return subprocess.Popen(
        [sys.executable, "-m", "troly", *args],
        env={**os.environ, **(env or {})},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> Ran:
    """Wait for the end of a process that `start` began."""
    out, err = process.communicate(stdin, timeout=PATIENCE)
    return Ran(process.returncode, (out or b"").decode("utf-8"), err.decode("utf-8"))


def spawn(*args: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Ran:
    """Run the program in a process of its own to its end."""
    return finish(start(*args, env=env, stdin=subprocess.PIPE), stdin)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """What Ctrl-C does."""
    process.send_signal(signal.SIGINT)


def install_modes(folder: Path, modules: Mapping[str, str], points: Mapping[str, str]) -> Path:
    """A third-party distribution on a path of its own: module sources, and entry points (mode id: `module:name`)."""
    info = folder / "third_party_modes-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: third-party-modes\nVersion: 1.0\n", encoding="utf-8"
    )
    lines = ["[troly.modes]", *(f"{name} = {target}" for name, target in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


def slow_modes(folder: Path) -> Path:
    """Two modes of a third party: `slow` waits in its answer and in its ingest until it is stopped; `torn` is broken."""
    source = (Path(__file__).parents[1] / "modes" / "slow_mode.py").read_text("utf-8")
    modules = {"third_slow": source, "third_torn": 'raise RuntimeError("torn apart")\n'}
    return install_modes(folder, modules, {"slow": "third_slow:MODE", "torn": "third_torn:MODE"})


def json_line(**fields: Any) -> str:
    """One line for `ask --jsonl`."""
    return json.dumps(fields, ensure_ascii=False) + "\n"


def of_type(events: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """The events of one type."""
    return [event for event in events if event["event"] == name]
