"""One line of `app doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from troly.errors import ErrorText

Level = Literal["ok", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do about it (empty when it is well)."""

    level: Level
    name: str
    message: str
    remedy: str = ""


def from_error(level: Level, name: str, text: ErrorText) -> Finding:
    """An error of the house as a finding."""
    return Finding(level, name, f"{text.title}: {text.message}", text.remedy)
