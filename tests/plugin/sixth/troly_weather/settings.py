"""The settings of the weather assistant, the table `[weather]`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from troly.config import kinds
from troly.config.settings import about


@dataclass(frozen=True)
class WeatherSettings:
    """How temperatures are told."""

    unit: Literal["c", "f"] = field(default="c", metadata=about(kinds.choice("c", "f"), '"f"'))
