"""`kill -9` at random moments: what was acknowledged is there, the rest is whole or absent, the next start is clean."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.stores.real import ROWS, Stores, Worker, open_stores, write_version
from troly.stores.records import StoredTurn

KILLS = 25


Start = Callable[..., Worker]


def killed_workers(start: Start, home: Path, task: str, longest: float) -> Iterator[list[list[str]]]:
    """What each of KILLS processes had acknowledged when it was killed, at most `longest` seconds after its start."""
    dice = random.Random(20)
    worker = start(home, f"each-{task}", 1_000_000).ready()
    for _ in range(KILLS):
        yield worker.killed_after(dice.uniform(0, longest))


def judge_turns(stores: Stores, told: list[list[str]], interrupted: list[StoredTurn]) -> None:
    begun = [line[1] for line in told if line[0] == "begun"]
    finished = [line[1] for line in told if line[0] == "finished"]
    owners = [line[1:] for line in told if line[0] == "conversation"]
    for owner, conversation in owners:
        export = stores.conversations.export(owner, conversation)
        turns = {turn.id: turn for turn in export.turns}
        assert turns.keys() >= set(begun)
        # Only the last one can have been under way.
        assert [turn.id for turn in interrupted] == [t.id for t in export.turns if t.status == "interrupted"]
        assert len(interrupted) <= 1
        texts: dict[str | None, list[str]] = {}
        for message in export.messages:
            texts.setdefault(message.turn_id, []).append(message.text)
        for number, turn in enumerate(export.turns):
            said = texts[turn.id]
            whole = [f"câu hỏi {number}", f"trả lời {number}", f"xong {number}"]
            if turn.id in finished or turn.status == "completed":
                assert turn.status == "completed"
                assert said == whole
                assert turn.trace == {"n": number}
            else:
                assert said in (whole[:1], whole[:2])


def test_a_turn_killed_anywhere_keeps_what_was_acknowledged(tmp_path: Path, start_worker: Start) -> None:
    stores = open_stores(tmp_path)
    began = time.perf_counter()
    for _ in range(10):
        turn = stores.conversations.begin_turn("an", stores.conversations.create("an", "rag").id, "x")
        stores.conversations.finish_turn("an", turn.id, status="completed")
    longest = 0.02 + time.perf_counter() - began
    stores.close()
    statuses: set[str] = set()
    for told in killed_workers(start_worker, tmp_path, "turns", longest):
        stores = open_stores(tmp_path)
        assert stores.set_aside == []
        interrupted = stores.conversations.recover()
        statuses |= {turn.status for turn in interrupted}
        judge_turns(stores, told, interrupted)
        with stores.db.read() as connection:
            assert connection.execute("SELECT count(*) FROM turns WHERE status = 'running'").fetchone() == (
                0,
            )
        stores.close()
    stores = open_stores(tmp_path)
    with stores.db.read() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        indexed = connection.execute("SELECT count(*) FROM messages_fts").fetchone()
        assert indexed == connection.execute("SELECT count(*) FROM messages").fetchone()
    stores.close()
    assert statuses == {"interrupted"}


def test_an_ingest_killed_anywhere_leaves_a_whole_version(tmp_path: Path, start_worker: Start) -> None:
    stores = open_stores(tmp_path)
    write_version(stores.datasets, "warranty")
    began = time.perf_counter()
    newest = write_version(stores.datasets, "warranty").version
    longest = 0.02 + 3 * (time.perf_counter() - began)
    stores.close()
    abandoned = 0
    for told in killed_workers(start_worker, tmp_path, "ingest", longest):
        acknowledged = [int(line[1]) for line in told if line[0] == "published"]
        before = {path.name for path in (tmp_path / "datasets").glob("*.duckdb")}
        stores = open_stores(tmp_path)
        assert stores.set_aside == []
        version, rows = stores.datasets.reader("warranty").fetch_with_version(
            "SELECT count(*), min(v), max(v) FROM records"
        )
        assert rows == [(ROWS, version.version, version.version)]
        # Killed between the commit and its acknowledgement, one more may be there.
        assert max([newest, *acknowledged]) <= version.version <= max([newest, *acknowledged]) + 1
        newest = version.version
        left = {path.name for path in (tmp_path / "datasets").iterdir() if path.suffix != ".lock"}
        with stores.db.read() as connection:
            known = {row[0] for row in connection.execute("SELECT file FROM datasets")}
        assert left == known
        abandoned += len(before - left)
        stores.close()
    assert abandoned > 0
    assert newest > 2
