"""What reaches stdout (data) and stderr (people): UTF-8, sanitised, aligned, coloured only where it is wanted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from troly.text.sanitize import sanitize, sanitize_json

Look = Literal["good", "warn", "bad", "quiet"]
_CODES: Mapping[Look, str] = {"good": "32", "warn": "33", "bad": "1;31", "quiet": "2"}


def data(text: str = "", *, end: str = "\n", painted: bool = False) -> None:
    """Write `text` to stdout without control characters; `painted` text carries colours of ours."""
    sys.stdout.write((text if painted else sanitize(text)) + end)


def data_json(value: Any) -> None:
    """Write one JSON value to stdout as one line and flush it."""
    sys.stdout.write(json.dumps(sanitize_json(value), ensure_ascii=False, default=str) + "\n")
    sys.stdout.flush()


def data_table(
    say: Callable[[str], str],
    head: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[int] = (),
) -> None:
    """Write `rows` to stdout, aligned, under the column names `<head>.<name>` of the catalogue; `numeric` are positions."""
    from troly.presentation.text import grid

    data(grid([say(f"{head}.{name}") for name in names], rows, numeric))


def one_line(value: Any, most: int) -> str:
    """`value` (JSON where it is no text) on one line of at most `most` characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


SHOWN_PROBLEMS = 20


def note_problems(problems: Sequence[str], more: Callable[[int], str]) -> None:
    """The first problems, one a line on stderr, and `more` of how many there are besides."""
    for problem in problems[:SHOWN_PROBLEMS]:
        note(problem)
    if len(problems) > SHOWN_PROBLEMS:
        note(more(len(problems) - SHOWN_PROBLEMS))


def note(text: str, *, painted: bool = False) -> None:
    """Write one line for people to stderr; `painted` text carries colours of ours and was cleaned before."""
    try:
        sys.stdout.flush()
        sys.stderr.write((text if painted else sanitize(text)) + "\n")
        sys.stderr.flush()
    except BrokenPipeError:  # nobody reads; what is lost is a remark
        pass


def paint(text: str, look: Look, stream: IO[str] | None = None) -> str:
    """`text` sanitised, in colour where `stream` (stdout) is a terminal that may be coloured."""
    text = sanitize(text)
    return f"\x1b[{_CODES[look]}m{text}\x1b[0m" if may_colour(stream or sys.stdout) else text


def may_colour(stream: IO[str]) -> bool:
    """Whether colours are wanted there: a terminal, no NO_COLOR, not a dumb one."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


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


def prepare_streams() -> None:
    """Make stdout and stderr UTF-8 whatever the locale; a character that cannot be written is escaped, never fatal.

    A stream that the caller closed (`<&-`, `>&-`) becomes the null device: else the next file opened would be it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (for as long as we run)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
