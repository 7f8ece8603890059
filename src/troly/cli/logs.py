"""Warnings of the program and of its libraries go to a private log file, never to the person's screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BYTES = 1_000_000


@contextmanager
def log_file(folder: Path) -> Iterator[None]:
    """Until the end of the block, warnings are written to `troly.log` in `folder`; where that fails they are dropped.

    The file is made when there is something to write; one that has grown large becomes `troly.log.1` first.
    """
    import logging

    class Quiet(logging.FileHandler):
        """A log that cannot be written is no reason to disturb anybody: stderr is for people."""

        def handle(self, record: logging.LogRecord) -> bool:
            with suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                return super().handle(record)
            return False

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (logging's name)
            """Say nothing."""

    file = folder / "troly.log"
    with suppress(OSError):
        if file.stat().st_size > BYTES:
            file.replace(file.with_suffix(".log.1"))
    handler = Quiet(file, encoding="utf-8", delay=True)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(name)s %(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
