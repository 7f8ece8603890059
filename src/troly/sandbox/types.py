"""What goes into the sandbox and what comes out: relations, the scope they form, and the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Relation:
    """One table that a query may read.

    `columns` maps names to DuckDB types, in order. `select` is trusted SQL over the attached database `base` (such as
    `SELECT id, price FROM base.rooms WHERE published`) that gives exactly the rows this scope may see, with at least
    these columns.
    """

    name: str
    columns: Mapping[str, str]
    select: str


@dataclass(frozen=True, slots=True)
class Scope:
    """All that one role and user may read of one dataset version; `key` is the identity of a warm worker.

    `database` is the published file; None for a scope without relations.
    """

    key: str
    database: Path | None
    relations: tuple[Relation, ...]

    def columns(self) -> dict[str, Mapping[str, str]]:
        """The relations as the guard takes them: name -> columns."""
        return {relation.name: relation.columns for relation in self.relations}


@dataclass(frozen=True, slots=True)
class Rows:
    """The answer of a query.

    `types` are DuckDB's names. Values are JSON-safe: None, bool, int, float, str, and lists and string-keyed dicts of
    them; dates and times are ISO text, a DECIMAL is a number where 15 digits hold it and text where not.
    `truncated` says that rows or very long texts were left out; `ms` is the time inside the worker.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    ms: float


@dataclass(frozen=True, slots=True)
class Limits:
    """Which limits the operating system holds for a worker; the deadline, the statement check and the locked
    configuration hold everywhere.

    `address_space`: bytes above the loaded data after which memory is refused (0: not held here).
    `cpu`: processor seconds are limited too. `files`: nothing can be opened any more.
    """

    address_space: int
    cpu: bool
    files: bool
