"""How far the work beside the chat is, as a line: amount, rate and time left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui.render.figures import duration, number
from troly.tui.render.spans import clip

# A rate is told after so many seconds.
_SOON = 1.0
# What is counted, as the sources of progress name it.
UNITS = ("rows", "files", "read", "embed")


@dataclass(slots=True)
class Working:
    """One job that runs: its name, since when, and its last step; `cancel` ends it."""

    name: str
    began: datetime
    cancel: Callable[[], None]
    done: int = 0
    total: int | None = None
    unit: str = ""

    def line(self, now: datetime, width: int, lang: Lang) -> str:
        """As much as fits in `width` cells; the name and the share come first."""
        parts = [clip(self.name, max(8, width - 8))]
        if self.total:
            parts.append(f"{min(100, self.done * 100 // self.total)} %")
        seconds = (now - self.began).total_seconds()
        rate = self.done / seconds if seconds >= _SOON else 0.0
        if rate:
            parts.append(f"{_amount(rate, self.unit, lang)}/s")
            if self.total and self.done < self.total:
                left = duration((self.total - self.done) / rate * 1000, lang)
                parts.append(tr("ui.work.left", lang, time=left))
        elif self.done:
            parts.append(_amount(self.done, self.unit, lang))
        while len(parts) > 1 and len("  ".join(parts)) > width:
            parts.pop()
        return "  ".join(parts)


def _amount(value: float, unit: str, lang: Lang) -> str:
    if unit != "bytes":
        named = tr(f"ui.work.unit_{unit}", lang) if unit in UNITS else sanitize(unit, keep_newlines=False)
        return f"{number(round(value), lang)} {named}".strip()
    return f"{number(value / 1e9, lang, 2)} GB" if value >= 1e9 else f"{number(value / 1e6, lang, 1)} MB"
