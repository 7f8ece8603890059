"""What loading a warranty list and loading a catalogue have in common: the database that can be stopped, the outcome."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import StoppedError
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.stores.published import DatasetVersion
from troly.text.numbers import format_number
from troly_shopping.csv_stage import OLD, Staged
from troly_shopping.problems import Problems
from troly_shopping.strings import say

if TYPE_CHECKING:
    import duckdb

SAMPLES = "samples"
_WATCH_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Filled:
    """What became of the dataset: all rows there are now, and how many of the new ones replaced one."""

    rows: int
    updated: int


@contextmanager
def database(
    name: str, folder: Path, request: IngestRequest, stopped: str
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose running statement ends soon after the person has stopped the load.

    Raises StoppedError with the key `stopped` then.
    """
    import duckdb

    con = duckdb.connect(name, config={"temp_directory": str(folder), "python_enable_replacements": "false"})
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(con, request.cancelled, done), daemon=True)
    watcher.start()
    try:
        yield con
    except duckdb.InterruptException as error:
        raise StoppedError(stopped) from error
    finally:
        done.set()
        watcher.join()
        con.close()


def _watch(con: duckdb.DuckDBPyConnection, cancelled: Callable[[], bool], done: threading.Event) -> None:
    while not done.wait(_WATCH_SECONDS):
        if cancelled():
            con.interrupt()


def stop_if(request: IngestRequest, stopped: str) -> None:
    """Raise StoppedError with the key `stopped` when the person has stopped the load."""
    if request.cancelled():
        raise StoppedError(stopped)


def is_sample(version: DatasetVersion | None) -> bool:
    """Whether a version holds the data that ships, which never mixes with the shop's own."""
    return version is not None and bool(version.info.get(SAMPLES))


def drop_replaced_samples(request: IngestRequest, before: DatasetVersion | None) -> bool:
    """After the shop's own list was published: take the sample version away, so that it cannot come back."""
    if before is None or not is_sample(before):
        return False
    request.services.datasets.remove(before)
    return True


def outcome(
    request: IngestRequest,
    staged: Staged,
    kept: tuple[int, int],
    problems: Problems,
    filled: Filled | None,
    *,
    sentences: Mapping[str, str],
    dropped: bool = False,
) -> IngestOutcome:
    """Counts and summary; `kept` are rows taken and repeats, `sentences` the keys for `loaded` and `checked`."""
    counts = {
        "lines": staged.lines,
        "loaded" if filled else "valid": kept[0],
        "duplicates": kept[1],
        "rejected": len(problems.refused),
        "blank": staged.blank,
    }
    if filled:
        counts |= {"updated": filled.updated, "total": filled.rows}
    lang = request.language
    shown = {name: format_number(value, lang) for name, value in counts.items()}
    key = sentences["loaded" if filled else "checked"]
    summary = [say(key, lang, file=request.file.name, **shown)]
    if dropped:
        summary.append(say("ingest.samples_dropped", lang))
    if staged.encoding == OLD:
        summary.append(say("ingest.guessed_encoding", lang))
    return IngestOutcome(
        counts, tuple(problems.lines()), published=filled is not None, summary=" ".join(summary)
    )
