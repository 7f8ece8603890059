"""Screens look the same on every machine: no colours or themes of the shell, no blinking."""

from __future__ import annotations

import pytest

from tests.support.screen.pilot import with_rules_read_once, without_idle_waits


@pytest.fixture(autouse=True)
def same_look(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "NO_COLOR",
        "TEXTUAL_THEME",
        "TEXTUAL_ANIMATIONS",
        "TEXTUAL_COLOR_SYSTEM",
        "COLORTERM",
        "ESCDELAY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    without_idle_waits(monkeypatch)
    with_rules_read_once(monkeypatch)
