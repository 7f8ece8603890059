"""Textual for tests: its pilot waits until every message was handled instead of guessing; a style sheet is read once a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from troly.tui.textual_internals import TerminalApp

# What `textual.pilot` and `textual.app` look up by this name sleeps at least 20 ms, and up to a second while any thread works.
_NAME = "wait_for_idle"
_QUIET = 4
_MOST = 2.0


def _busy(app: App[Any]) -> bool:
    """Whether a widget of any screen has a message or a callback that it did not handle yet, or keys wait for one."""
    if isinstance(app, TerminalApp) and app.waits_with_keys:
        return True
    nodes = [app, *(node for screen in app.screen_stack for node in screen.walk_children(with_self=True))]
    return any(not node._message_queue.empty() for node in nodes) or any(
        len(node._next_callbacks) > 0 for node in nodes
    )


async def wait_for_messages(min_sleep: float = 0, max_sleep: float = _MOST) -> None:
    """Let all tasks run until no message is left in several turns of the loop; `max_sleep` seconds at most."""
    del min_sleep
    from textual._context import active_app

    app: App[Any] = active_app.get()
    loop = asyncio.get_running_loop()
    end, quiet = loop.time() + max_sleep, 0
    while quiet < _QUIET and loop.time() < end:
        await asyncio.sleep(0)
        quiet = 0 if _busy(app) else quiet + 1


def without_idle_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilots press and pause without waiting for an idle process; fails when Textual's waiting has another name."""
    monkeypatch.setattr(f"textual.pilot.{_NAME}", wait_for_messages)
    monkeypatch.setattr(f"textual.app.{_NAME}", wait_for_messages)


# The rules of every style sheet that was read: apps of one theme have the same.
_RULES: dict[object, list[RuleSet]] = {}
_read_rules = Stylesheet._parse_rules


def _rules_once(sheet: Stylesheet, css: str, *args: Any, **named: Any) -> list[RuleSet]:
    """`Stylesheet._parse_rules`, once for the same text, place and variables."""
    key = (css, args, tuple(named.items()), tuple(sheet._variables.items()))
    if key not in _RULES:
        _RULES[key] = _read_rules(sheet, css, *args, **named)
    return _RULES[key]


def with_rules_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading its style sheets is a tenth of what starting an app costs."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", _rules_once)
