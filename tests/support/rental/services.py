"""Rental data in a house of its own: services, small generated markets, loads from files written for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from tests.support.rental.generator import Rows, generate, write_csv
from tests.support.stores.services import services_at
from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.plugin.services import Services
from troly.sandbox import Relation
from troly_rental.data import ingest
from troly_rental.data.store import DATASET


@cache
def small_market(rooms: int = 240) -> Rows:
    """A market with few rooms; treat it as read-only."""
    return generate(rooms)


@contextmanager
def rental_at(home: Path) -> Iterator[Services]:
    """Services under `home` with nothing loaded."""
    with services_at(home) as services:
        yield services


def load(services: Services, path: Path, **more: Any) -> IngestOutcome:
    """Run `app ingest rental` on `path`."""
    return ingest.run_ingest(IngestRequest(services, path, services.clock(), "en", **more))


def write_tables(folder: Path, tables: Mapping[str, str]) -> Path:
    """A folder with one CSV a table, from its text."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def stored(services: Services, sql: str) -> list[tuple[Any, ...]]:
    """Rows of the published data, read past all row rules."""
    return services.datasets.reader(DATASET).fetch(sql)


def publish(services: Services, folder: Path, rows: Rows) -> None:
    """Load generated rows through every check."""
    write_csv(folder, rows)
    outcome = load(services, folder)
    assert not outcome.problems, outcome.problems[:3]


def materialised(database: Path | None, relations: tuple[Relation, ...]) -> duckdb.DuckDBPyConnection:
    """A database in memory with the relations only, as the sandbox makes it."""
    con = duckdb.connect()
    name = str(database).replace("'", "''")
    assert database is not None
    con.execute(f"attach '{name}' as base (read_only)")
    for relation in relations:
        con.execute(f"create table {relation.name} as {relation.select}")
    con.execute("detach base")
    return con


def with_personal(rows: Rows, make: Callable[[str, int], str]) -> Rows:
    """The same rows with every personal value replaced by `make(kind, id of the person)`."""
    owners = {building["id"]: building["landlord_id"] for building in rows["buildings"]}
    changed = {name: [dict(row) for row in table] for name, table in rows.items()}
    for user in changed["users"]:
        for kind in ("login", "name", "phone", "email"):
            user[kind] = make(kind, user["id"])
    for building in changed["buildings"]:
        building["phone"] = make("phone", owners[building["id"]])
    for viewing in changed["viewings"]:
        viewing["note"] = make("note", viewing["tenant_id"])
    return changed
