"""Which relations and columns a query reads, found scope by scope, so that a name hidden by a WITH elsewhere counts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from troly.sandbox.errors import SandboxError

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

Relations = Mapping[str, Mapping[str, str]]


def check_tables(tree: exp.Query, relations: Relations) -> tuple[str, ...]:
    """The relations that `tree` reads, sorted; raises SandboxError `sandbox.table` for any other table.

    A table is let through when its own scope resolves it to a WITH or a subquery, or when it is listed. A table that
    no scope knows must be listed.
    """
    from sqlglot import exp

    names = {name.lower(): name for name in relations}
    derived = _derived(tree)
    found: set[str] = set()
    for table in tree.find_all(exp.Table):
        if id(table) in derived:
            continue
        name = names.get(table.name.lower())
        if name is None:
            raise SandboxError("sandbox.table", part=table.name, known=_close(table.name, relations))
        found.add(name)
    return tuple(sorted(found))


def check_columns(tree: exp.Query, relations: Relations) -> dict[str, frozenset[str]]:
    """The columns read, by relation; raises SandboxError `sandbox.column` for a name that nothing in `tree` offers."""
    from sqlglot import exp

    offered = {column.lower() for columns in relations.values() for column in columns}
    offered |= _named(tree)
    read: dict[str, set[str]] = {name: set() for name in relations}
    for column in tree.find_all(exp.Column):
        if not isinstance(column.this, exp.Star) and column.name.lower() not in offered:
            raise SandboxError(
                "sandbox.column", part=column.sql("duckdb"), known=_close(column.name, offered)
            )
    for scope in _scopes(tree):
        _note_columns(scope, relations, read)
    return {name: frozenset(columns) for name, columns in read.items()}


def _scopes(tree: exp.Query) -> list[Scope]:
    from sqlglot.errors import OptimizeError
    from sqlglot.optimizer.scope import traverse_scope

    try:
        return traverse_scope(tree)
    except OptimizeError as error:
        raise SandboxError("sandbox.construct", part=str(error)) from None


def _derived(tree: exp.Query) -> set[int]:
    """The table nodes that stand for a WITH of their own scope."""
    from sqlglot.optimizer.scope import Scope

    known: set[int] = set()
    for scope in _scopes(tree):
        for table in scope.tables:
            source = scope.sources.get(table.alias_or_name)
            named = {cte.lower() for cte in scope.cte_sources}
            if isinstance(source, Scope) and table.name.lower() in named:
                known.add(id(table))
    return known


def _named(tree: exp.Query) -> set[str]:
    """Every name that the query itself gives: aliases of columns, tables and WITH columns."""
    from sqlglot import exp

    names = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    for alias in tree.find_all(exp.TableAlias):
        names.add(alias.name.lower())
        names |= {column.name.lower() for column in alias.columns}
    names |= {table.name.lower() for table in tree.find_all(exp.Table)}
    return names | {"all"}


def _note_columns(scope: Scope, relations: Relations, read: dict[str, set[str]]) -> None:
    """Add what one scope reads; a star reads every column of its relations."""
    from sqlglot import exp

    by_lower = {name.lower(): name for name in relations}
    local = {
        alias.lower(): by_lower[source.name.lower()]
        for alias, source in scope.sources.items()
        if isinstance(source, exp.Table) and source.name.lower() in by_lower
    }
    for column in scope.columns:
        wanted = local.get(column.table.lower())
        sources: Iterable[str] = (wanted,) if wanted else (() if column.table else local.values())
        for name in sources:
            read[name] |= {known for known in relations[name] if known.lower() == column.name.lower()}
    expression = scope.expression
    if isinstance(expression, exp.Select) and expression.is_star:
        for name in local.values():
            read[name] |= set(relations[name])


def _close(name: str, known: Iterable[str]) -> str:
    """The nearest known names for the message, or the first few."""
    names = sorted(known)
    folded = {each.lower(): each for each in names}
    close = difflib.get_close_matches(name.lower(), list(folded), n=3, cutoff=0.5)
    return ", ".join(folded[each] for each in close) or ", ".join(names[:12])
