"""Loads of files: one at a time for all who share a database, seen by everybody, taken up where a process died."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process.waiting import wait_until
from tests.support.stores.real import open_db
from troly.errors import InputError, StoppedError
from troly.stores.jobs import TRIES, Jobs, StoredJob
from troly.stores.state import StateDb


@pytest.fixture
def db(home: Path) -> Iterator[StateDb]:
    opened, _ = open_db(home)
    opened.migrate()
    yield opened
    opened.close()


@pytest.fixture
def jobs(db: StateDb, home: Path) -> Jobs:
    return Jobs(db, home / "jobs")


def only(jobs: Jobs) -> StoredJob:
    (job,) = jobs.list()
    return job


def test_everybody_sees_how_far_a_load_is_and_how_it_ended(jobs: Jobs, db: StateDb, home: Path) -> None:
    elsewhere = Jobs(db, home / "jobs")
    with jobs.begin("shopping/warranty", "an", {"files": ["a.csv"]}) as running:
        assert only(elsewhere).status == "running"
        running.report(20, 100, "rows")
        wait_until(lambda: only(elsewhere).done == 20)
        running.report(100, 100, "rows")
    ended = only(elsewhere)
    assert (ended.status, ended.done, ended.total, ended.login) == ("done", 100, 100, "an")
    assert elsewhere.died() == []
    for error, status in (
        (InputError("work.no_file", file="x"), "failed"),
        (StoppedError("work.stopped"), "stopped"),
    ):
        with pytest.raises(type(error)), jobs.begin("shopping/warranty", "an", {}):
            raise error
        assert (elsewhere.list()[0].status, elsewhere.list()[0].said) == (status, error.key)


def test_a_load_whose_process_died_is_taken_up_by_one_and_given_up_when_it_always_dies(
    jobs: Jobs, db: StateDb, home: Path
) -> None:
    died(jobs)
    (dead,) = jobs.died()
    assert dead.request == {"files": ["a.csv"]}
    elsewhere = Jobs(db, home / "jobs")
    with jobs.take_up(dead) as mine, elsewhere.take_up(dead) as yours:
        assert mine is not None
        assert yours is None
        assert only(elsewhere).status == "running"
    with elsewhere.take_up(dead) as late:
        assert late is None
    assert only(jobs).status == "done"
    died(jobs)
    (dead,) = jobs.died()
    for _ in range(TRIES):
        with jobs.take_up(dead) as running:
            if running is not None:
                # The process ends here: nothing is written any more.
                running.end = lambda *_: None  # type: ignore[method-assign]
    assert jobs.list()[0].status == "failed"
    assert jobs.died() == []


def died(jobs: Jobs) -> None:
    """A load that ends without a word, as with `kill -9`."""
    with jobs.begin("shopping/warranty", "an", {"files": ["a.csv"]}) as running:
        running.end = lambda *_: None  # type: ignore[method-assign]


def test_a_lock_whose_connection_was_lost_is_not_held(db: StateDb, home: Path) -> None:
    with db.lock(home / "a.lock") as lock, db.lock(home / "a.lock") as other:
        assert lock.acquire(named=True)
        assert lock.held()
        assert not other.acquire()
        lock.release()
        assert not lock.held()
        assert other.acquire()
