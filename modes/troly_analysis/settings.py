"""The settings of the data assistant, the table `[analysis]`."""

from __future__ import annotations

from dataclasses import dataclass, field

from troly.config import kinds
from troly.config.settings import about


@dataclass(frozen=True)
class AnalysisSettings:
    """Limits of the data agent (001-19, 001-26)."""

    max_rows: int = field(default=1000, metadata=about(kinds.whole(1, 1000), "1000"))
    retries: int = field(default=3, metadata=about(kinds.whole(0, 10), "3"))
