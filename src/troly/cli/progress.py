"""A progress bar on stderr with rate and time left; nothing at all where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Update = Callable[[int, int | None, str], None]


@contextmanager
def progress(label: str) -> Iterator[Update]:
    """Yields `update(done, total, unit)`; `total` is None while unknown, `unit` is `bytes` or what is counted."""
    if not sys.stderr.isatty():
        yield lambda _done, _total, _unit: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Count(ProgressColumn):
        """How much is done, of how much, and how fast."""

        def render(self, task: Any) -> Text:
            unit = task.fields["unit"]
            amount = _amount(task.completed, unit)
            whole = f"/{_amount(task.total, unit)}" if task.total else ""
            rate = f"  {_amount(task.speed, unit)}/s" if task.speed else ""
            return Text(f"{amount}{whole}{rate}")

    columns = (TextColumn("{task.description}"), BarColumn(), Count(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(label), total=None, unit="")

        def update(done: int, total: int | None, unit: str) -> None:
            bar.update(task, completed=done, total=total, unit=unit)

        yield update


def _amount(value: float, unit: str) -> str:
    if unit != "bytes":
        return f"{value:,.0f} {unit}".strip()
    return f"{value / 1e9:.2f} GB" if value >= 1e9 else f"{value / 1e6:.1f} MB"
