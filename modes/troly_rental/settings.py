"""The settings of the rental assistant, the table `[rental]`."""

from __future__ import annotations

from dataclasses import dataclass, field

from troly.config import kinds
from troly.config.settings import about


@dataclass(frozen=True)
class RentalSettings:
    """Sessions (002-04, 002-05), attempts at a query (002-18), reuse of confirmed queries (002-14, 002-15), the model's
    answer (aiConfig, 002-11).
    """

    idle_minutes: int = field(default=30, metadata=about(kinds.whole(1, 1440), "60"))
    cleanup_minutes: int = field(default=10, metadata=about(kinds.whole(1, 1440), "5"))
    history_messages: int = field(default=20, metadata=about(kinds.whole(0, 200), "40"))
    attempts: int = field(default=5, metadata=about(kinds.whole(1, 10), "3"))
    reuse_from: float = field(default=0.92, metadata=about(kinds.number(0, 1), "0.95"))
    example_from: float = field(default=0.8, metadata=about(kinds.number(0, 1), "0.85"))
    temperature: float = field(default=0.3, metadata=about(kinds.number(0, 2), "0.7"))
    max_tokens: int = field(default=400, metadata=about(kinds.whole(50, 4000), "800"))
    query_seconds: float = field(default=5.0, metadata=about(kinds.number(0.5, 60), "10"))
