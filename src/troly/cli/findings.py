"""One line of `app doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from troly.errors import ErrorText

FindingLevel = Literal["ok", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do about it (empty when it is well)."""

    level: FindingLevel
    name: str
    message: str
    remedy: str = ""


def finding_of(level: FindingLevel, name: str, text: ErrorText) -> Finding:
    """An error of the house as a finding."""
    return Finding(level, name, f"{text.title}: {text.message}", text.remedy)
