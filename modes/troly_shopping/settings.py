"""The settings of the shop's assistant, the tables `[intent]`, `[greeting]` and `[shopping]`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from troly.config import kinds
from troly.config.settings import about


@dataclass(frozen=True)
class IntentSettings:
    """When an intent counts as understood (000-19)."""

    confidence_threshold: float = field(
        default=0.6, metadata=about(kinds.number(0, 1), "0.7", "INTENT_CONFIDENCE_THRESHOLD")
    )


@dataclass(frozen=True)
class GreetingSettings:
    """How often the cute greeting is sent (000-16)."""

    cute: Literal["once", "always", "never"] = field(
        default="once", metadata=about(kinds.choice("once", "always", "never"), '"never"')
    )


@dataclass(frozen=True)
class ShoppingSettings:
    """How the shop's pages are searched (000-54)."""

    rerank: bool = field(default=True, metadata=about(kinds.flag(), "false"))
