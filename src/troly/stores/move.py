"""Copies a whole database into another one, table by table, with counts and checksums; the source is only read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from troly.errors import StoreError
from troly.stores import migrations
from troly.stores.connections import Connection
from troly.stores.message_search import index_message
from troly.stores.migrations import Migration
from troly.stores.records import instant
from troly.stores.state import StateDb

_BATCH = 500
# Made anew from the messages, by the target's own search.
_WORDS = "messages_fts"
_MOVED_FROM = "SELECT source, finished_at FROM moves"


@dataclass(frozen=True, slots=True)
class MovedTable:
    """One table that is in both databases: how many rows, and a sum over their contents, in hex.

    `copied` is False where it was there already.
    """

    name: str
    rows: int
    checksum: str
    copied: bool


def move(
    source: StateDb,
    target: StateDb,
    extra: Iterable[Migration] = (),
    done: Callable[[MovedTable], None] = lambda _table: None,
) -> list[MovedTable]:
    """Copy all rows of `source` to `target`, both migrated with `extra`; `done` hears of each table that is whole.

    Each table is one transaction: what was interrupted is taken up again at the first table that is not the same. Until the
    end the target is marked as half moved and refused by the program. Raises StoreError `move.occupied` for a target that
    holds anything of its own (or a whole copy), `move.different` where a copy did not come out the same.
    """
    names = _names(extra)
    with source.read() as reading:
        (identity,) = reading.execute("SELECT identity FROM vector_store").fetchone()
        _begin(target, identity, names)
        found = []
        for name in names:
            found.append(_table(source, reading, target, name))
            done(found[-1])
        with target.write() as writing:
            target.continue_numbers(writing, source.used_numbers(reading))
            writing.execute("UPDATE moves SET finished_at = ?", (instant(datetime.now(UTC)),))
    return found


def replace_rows(source: StateDb, target: StateDb, extra: Iterable[Migration] = ()) -> None:
    """Let `target` hold what `source` does, in place of what it held: for a copy that is thrown away."""
    with source.read() as reading:
        for name in _names(extra):
            _table(source, reading, target, name)


def _names(extra: Iterable[Migration]) -> list[str]:
    return [name for name in migrations.tables_of(migrations.combine(extra)) if name not in (_WORDS, "moves")]


def _begin(target: StateDb, identity: str, names: Sequence[str]) -> None:
    with target.write() as writing:
        known = writing.execute(_MOVED_FROM).fetchone()
        if known == (identity, None):
            return
        counts = {name: writing.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}  # noqa: S608 (our tables)
        held = [name for name, count in counts.items() if count and name != "vector_store"]
        if known is not None or held:
            raise StoreError("move.occupied", path=target.path, names=", ".join(held[:5]) or "moves")
        writing.execute("INSERT INTO moves (source) VALUES (?)", (identity,))


def _table(source: StateDb, reading: Connection, target: StateDb, name: str) -> MovedTable:
    with target.write() as writing:
        columns = target.columns(writing, name)
        sql = f"SELECT {', '.join(columns)} FROM {name}"  # noqa: S608 (our tables)
        wanted = _sum(source.rows(reading, sql))
        if _sum(target.rows(writing, sql)) == wanted:
            return MovedTable(name, *wanted, copied=False)
        writing.execute(f"DELETE FROM {name}")  # noqa: S608 (our tables)
        insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
        each = iter(source.rows(reading, sql))
        while rows := list(islice(each, _BATCH)):
            writing.executemany(insert, rows)
            if name == "messages":
                seq, text = columns.index("seq"), columns.index("text")
                for row in rows:
                    index_message(writing, row[seq], row[text])
        if _sum(target.rows(writing, sql)) != wanted:
            raise StoreError("move.different", name=name)
    return MovedTable(name, *wanted, copied=True)


def _sum(rows: Iterable[Sequence[Any]]) -> tuple[int, str]:
    """How many rows, and the sum of a hash of each: the same whatever their order."""
    count, total = 0, 0
    for row in rows:
        plain = [value.hex() if isinstance(value, bytes) else value for value in row]
        text = json.dumps(plain, ensure_ascii=False).replace("\\u0000", "\ufffd")
        total += int.from_bytes(hashlib.sha256(text.encode()).digest())
        count += 1
    return count, f"{total % 2**256:064x}"
