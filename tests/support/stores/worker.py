"""A worker process for store tests: says `ready`, waits for a line, then writes or reads until it is done or killed.

    python -m tests.support.stores.worker HOME turns COUNT | ingest COUNT | lookups 0
    python -m tests.support.stores.worker HOME each-turns COUNT | each-ingest COUNT

With `each-`, every line that it reads makes a process of its own that does the task, so that fifty of them cost one
start; `ended` is told when that process is gone.

Each thing that the store has acknowledged is told as one line, so that a test can hold the store to it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.stores.real import ROWS, open_stores, write_version
from troly.stores.records import NewMessage


def tell(*words: object) -> None:
    """One line straight to the pipe: nothing acknowledged may sit in a buffer when the process dies."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def turns(home: Path, count: int) -> None:
    """Begin and finish turns in a conversation of this process's own."""
    stores = open_stores(home)
    owner = f"owner-{os.getpid()}"
    conversation = stores.conversations.create(owner, "shopping")
    tell("conversation", owner, conversation.id)
    for number in range(count):
        turn = stores.conversations.begin_turn(owner, conversation.id, f"câu hỏi {number}")
        tell("begun", turn.id)
        stores.conversations.save_partial(owner, turn.id, f"trả lời {number}")
        answer = [NewMessage("assistant", f"trả lời {number}"), NewMessage("assistant", f"xong {number}")]
        stores.conversations.finish_turn(
            owner, turn.id, status="completed", messages=answer, trace={"n": number}
        )
        tell("finished", turn.id)
    stores.close()


def ingest(home: Path, count: int) -> None:
    """Publish one version after another."""
    stores = open_stores(home)
    for _ in range(count):
        tell("published", write_version(stores.datasets, "warranty").version)
    stores.close()


def lookups(home: Path, _count: int) -> None:
    """Look up until the file `stop` appears; each read must see one whole version, never an older one."""
    stores = open_stores(home)
    reader, seen, reads = stores.datasets.reader("warranty"), 0, 0
    versions: set[int] = set()
    while not (home / "stop").exists():
        version, rows = reader.fetch_with_version("SELECT count(*), min(v), max(v) FROM records")
        assert rows == [(ROWS, version.version, version.version)], (version, rows)
        assert version.version >= seen
        seen, reads = version.version, reads + 1
        versions.add(seen)
    tell("read", reads, len(versions))
    stores.close()


def each(home: Path, task: str, count: int) -> None:
    """One process a line of the input, one after another."""
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            tell("child", os.getpid())
            TASKS[task](home, count)
            os._exit(0)
        os.waitpid(pid, 0)
        tell("ended")


TASKS = {"turns": turns, "ingest": ingest, "lookups": lookups}


def main() -> None:
    """Everything that costs is imported before `ready`."""
    home, task, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    if not task.endswith("turns"):
        import duckdb  # noqa: F401
    tell("ready")
    if task.startswith("each-"):
        each(home, task.removeprefix("each-"), count)
    else:
        sys.stdin.readline()
        TASKS[task](home, count)
    tell("done")


if __name__ == "__main__":
    main()
