"""The command line as a fixture, and an account that is the same on every machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.process.command_line import CommandLine, slow_modes


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path) -> CommandLine:
    """Calls the program in this process."""
    monkeypatch.setenv("LOGNAME", "an")
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The modes `slow` and `torn` (broken) are installed, for this process and for those it starts."""
    folder = slow_modes(tmp_path / "third-party")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    return folder
