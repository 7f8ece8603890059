"""Decides whether a query may run: one SELECT, made only of listed parts, that reads only listed relations."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from troly.sandbox.allowed import MAX_NODES
from troly.sandbox.errors import SandboxError
from troly.sandbox.nesting import check_shape

if TYPE_CHECKING:
    from sqlglot import exp

Relations = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Checked:
    """A query that passed.

    `sql` is written anew from the parsed tree (never the text that came in), with an outer LIMIT of at most
    `max_rows + 1`. `tables` are the relations it reads, `columns` the columns by relation; `tree` is the sqlglot tree
    of `sql`. `lasting` is the query before the limit and the moment were set: what to keep for another day.
    """

    sql: str
    tables: tuple[str, ...]
    columns: Mapping[str, frozenset[str]]
    tree: exp.Query
    lasting: str = ""


def check(sql: str, relations: Relations, *, max_rows: int, now: datetime | None = None) -> Checked:
    """`sql` (DuckDB dialect) as a query that may run over `relations` (name -> columns with DuckDB types).

    `now` replaces the clock of the query (`current_date`, `now()`, `today()`), so that an answer can be replayed.
    Raises SandboxError; its `params["part"]` names the offending part. Never runs anything.
    """
    check_shape(sql)
    with _quiet():
        try:
            tree = _only_query(sql)
            if sum(1 for _ in tree.walk()) > MAX_NODES:
                raise SandboxError("sandbox.size", limit=MAX_NODES)
            return _checked(tree, relations, max_rows, now)
        except RecursionError:
            raise SandboxError("sandbox.depth", part=sql, limit="") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the parser's warnings off the screen: what it means by them is refused and told here."""
    log = logging.getLogger("sqlglot")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _checked(tree: exp.Query, relations: Relations, max_rows: int, now: datetime | None) -> Checked:
    from troly.sandbox.parts import check_parts
    from troly.sandbox.reading import check_columns, check_tables
    from troly.sandbox.rewriting import at, limited, written

    check_parts(tree)
    tables = check_tables(tree, relations)
    columns = check_columns(tree, {name: relations[name] for name in tables})
    lasting = written(tree)
    tree = limited(at(tree, now), max_rows)
    return Checked(written(tree), tables, columns, tree, lasting)


def _only_query(sql: str) -> exp.Query:
    """The one statement of `sql`, which must be a query."""
    import sqlglot
    from sqlglot import exp

    try:
        parsed = sqlglot.parse(sql, dialect="duckdb")
        found = [part for part in parsed if part is not None and not isinstance(part, exp.Semicolon)]
    except RecursionError:
        raise
    except Exception as error:  # noqa: BLE001  on odd text the parser fails in ways of its own, not only in ParseError
        raise _unreadable(error, sql) from None
    if not found:
        raise SandboxError("sandbox.empty")
    if len(found) > 1:
        raise SandboxError("sandbox.several", count=len(found), part=found[1].sql(dialect="duckdb"))
    tree = found[0]
    if not isinstance(tree, exp.Query):
        raise SandboxError("sandbox.not_select", part=sql.split(maxsplit=1)[0].upper())
    return tree


def _unreadable(error: Exception, sql: str) -> SandboxError:
    first: dict[str, object] = next(iter(getattr(error, "errors", [])), {})
    return SandboxError(
        "sandbox.parse",
        part=first.get("highlight") or first.get("description") or sql,
        line=first.get("line") or 1,
        column=first.get("col") or 1,
    )
