"""Doctor tells whether queries can run and which limits hold, also on a system without them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from troly.cli.commands.doctor import check_sandbox
from troly.sandbox import Limits, Sandbox, SandboxError
from troly.text.catalogue import tr

if TYPE_CHECKING:
    from troly.cli.invocation import Invocation


def _invocation() -> Invocation:
    def say(key: str, **params: Any) -> str:
        return tr(f"cli.{key}", "vi", **params)

    return cast("Invocation", SimpleNamespace(say=say))


def test_here_every_limit_holds() -> None:
    (finding,) = check_sandbox(_invocation())
    assert (finding.level, finding.name) == ("ok", "sandbox")
    assert "192 MB" in finding.message


def test_a_system_without_limits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sandbox, "limits", Limits(0, cpu=True, files=True))
    (finding,) = check_sandbox(_invocation())
    assert finding.level == "warning"
    assert "không giới hạn được bộ nhớ" in finding.message
    assert finding.remedy


def test_a_worker_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(broken))
    with pytest.raises(SandboxError) as caught:
        list(check_sandbox(_invocation()))
    assert (caught.value.key, caught.value.params) == ("sandbox.died", {"code": 3})
