"""What goes into the sandbox and what comes out: relations, the scope they form, and the rows of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from troly.errors import TrolyError


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
class QueryRows:
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


# The error of the sandbox: a query that was refused, or that did not end well.


_SHOWN = 80


class SandboxError(TrolyError):
    """A query was refused by the guard or ended by the sandbox; `params["part"]` names the offending part.

    Keys of the guard: `sandbox.empty|long|parse|several|not_select|depth|size|table|qualified|table_function|function|
    construct|recursive|type|column|joins|limit`. Keys of the run: `sandbox.timeout|memory|query|died|relations|closed`.
    """

    exit_code = 3

    def __init__(self, key: str, /, **params: object) -> None:
        if "part" in params:
            params["part"] = shown(str(params["part"]))
        super().__init__(key, **params)


def shown(part: str) -> str:
    """A piece of a query as one short line for a sentence."""
    line = " ".join(part.replace("`", "'").split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
