"""One real turn of every assistant, asked of the sample data without a model: `read("rental")` gives its events.

They were written by `app ask --mode MODE --offline --now 2026-11-22T09:13:00+07:00 --json QUESTION`, with ids left out and
times cut short.
"""

from __future__ import annotations

import json
from pathlib import Path

from troly.plugin.events import Event, TurnStarted, from_json


def read(mode: str) -> list[Event]:
    """The events in their order."""
    path = Path(__file__).parent / f"{mode}.jsonl"
    return [from_json(json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def question(told: list[Event]) -> str:
    """What was asked."""
    return next(event.text for event in told if isinstance(event, TurnStarted))
