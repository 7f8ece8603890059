"""A DuckDB connection for a load that a person may stop at any moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import StoppedError

if TYPE_CHECKING:
    import duckdb

_WATCH_SECONDS = 0.1


@contextmanager
def database(
    name: str, folder: Path, cancelled: Callable[[], bool], stopped: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the file `name` whose running statement ends soon after `cancelled()` turns true.

    `folder` takes what DuckDB writes for itself. Raises StoppedError with the key `stopped` then.
    """
    import duckdb

    con = duckdb.connect(name, config={"temp_directory": str(folder), "python_enable_replacements": "false"})
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_WATCH_SECONDS):
            if cancelled():
                con.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield con
    except duckdb.InterruptException as error:
        raise StoppedError(stopped) from error
    finally:
        done.set()
        watcher.join()
        con.close()
