"""Decides whether a query may run: one SELECT, made only of listed parts, that reads only listed relations."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from troly.sandbox import allowed
from troly.sandbox.allowed import MAX_CHARS, MAX_DEPTH, MAX_NODES
from troly.sandbox.types import SandboxError

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope


# A scan of a query's characters before it is parsed: how long, how deep, whether it holds anything at all.


# Strings, quoted names and comments are stepped over whole; an unclosed one reaches to the end.
_PIECE = re.compile(
    r"""
    (?P<skip> '(?:[^']|'')*(?:'|\Z) | "(?:[^"]|"")*(?:"|\Z) | --[^\n]* | /\*.*?(?:\*/|\Z) | \$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z) )
    | (?P<open> [(\[{] ) | (?P<close> [)\]}] )
    | (?P<word> [^\W\d]\w* ) | (?P<sign> [-+~!] )
    """,
    re.VERBOSE | re.DOTALL,
)
_DEEPER, _BACK = {"case"}, {"end"}


def check_shape(sql: str) -> None:
    """Raise SandboxError `sandbox.empty`, `sandbox.long` or `sandbox.depth`; linear in the length of `sql`."""
    if not sql.strip():
        raise SandboxError("sandbox.empty")
    if len(sql) > MAX_CHARS:
        raise SandboxError("sandbox.long", size=len(sql), limit=MAX_CHARS)
    depth = chain = 0
    last = -1
    for piece in _PIECE.finditer(sql):
        kind, text = piece.lastgroup, piece.group().lower()
        if kind in ("skip", "tag"):
            continue
        chained = kind == "sign" or text == "not"
        chain = chain + 1 if chained and not sql[last : piece.start()].strip() else int(chained)
        last = piece.end()
        if kind == "open" or text in _DEEPER:
            depth += 1
        elif (kind == "close" or text in _BACK) and depth:
            depth -= 1
        if depth > MAX_DEPTH or chain > MAX_DEPTH:
            raise SandboxError(
                "sandbox.depth", part=sql[max(0, piece.start() - 20) : piece.end()], limit=MAX_DEPTH
            )


Relations = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class CheckedQuery:
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


def check(sql: str, relations: Relations, *, max_rows: int, now: datetime | None = None) -> CheckedQuery:
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


def _checked(tree: exp.Query, relations: Relations, max_rows: int, now: datetime | None) -> CheckedQuery:
    check_parts(tree)
    tables = check_tables(tree, relations)
    columns = check_columns(tree, {name: relations[name] for name in tables})
    lasting = written(tree)
    tree = limited(at(tree, now), max_rows)
    return CheckedQuery(written(tree), tables, columns, tree, lasting)


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


# Checks each node of a parsed query against the list of what may occur; what is not listed is refused.


def check_parts(tree: exp.Expr) -> None:
    """Raise SandboxError for the first node of `tree` that is not allowed, and for too many joins or selects."""
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, exp.Table):
            _check_table(node)
        elif isinstance(node, exp.Select):
            _check_keywords(node, allowed.SELECT_PARTS)
        elif isinstance(node, exp.Join):
            _check_join(node)
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            raise SandboxError("sandbox.recursive", part=node.expressions[0].alias)
        elif isinstance(node, exp.DataType):
            if getattr(node.this, "value", None) not in allowed.TYPES or node.args.get("nested"):
                raise SandboxError("sandbox.type", part=_written(node))
        elif isinstance(node, exp.Column) and (node.args.get("db") or node.args.get("catalog")):
            raise SandboxError("sandbox.qualified", part=_written(node))
        _check_kind(node)
    _check_counts(tree)


def _check_kind(node: exp.Expr) -> None:
    from sqlglot import exp

    kind = type(node).__name__
    if kind in allowed.NODES:
        return
    if not isinstance(node, exp.Func):
        raise SandboxError("sandbox.construct", part=_written(node))
    if isinstance(node, exp.Anonymous):
        known = isinstance(node.this, str) and node.name.lower() in allowed.FUNCTIONS
    else:
        known = kind in allowed.FUNCTION_NODES or any(
            name.lower() in allowed.FUNCTIONS for name in node.sql_names()
        )
    if not known:
        _refuse_function(node)


def _refuse_function(node: exp.Func) -> None:
    """Name the function as it was written, or where it has another form as the parser calls it."""
    text = _written(node)
    name = text.partition("(")[0].lower()
    if "(" not in text or not name.replace("_", "").isalnum():
        raise SandboxError("sandbox.construct", part=text)
    if name in allowed.FUNCTIONS | {"cast", "case"}:
        name = node.sql_names()[0].lower()
    raise SandboxError("sandbox.function", part=name)


def _check_table(node: exp.Table) -> None:
    from sqlglot import exp

    if not isinstance(node.this, exp.Identifier):
        raise SandboxError("sandbox.table_function", part=_written(node))
    if node.args.get("db") or node.args.get("catalog"):
        raise SandboxError("sandbox.qualified", part=_written(node))
    _check_keywords(node, allowed.TABLE_PARTS)


def _check_keywords(node: exp.Expr, known: frozenset[str]) -> None:
    for name, value in node.args.items():
        if value and name not in known:
            raise SandboxError("sandbox.construct", part=name.upper())


def _check_join(node: exp.Join) -> None:
    for name, words in allowed.JOIN_WORDS.items():
        word = str(node.args.get(name) or "").upper()
        if word not in words:
            raise SandboxError("sandbox.construct", part=f"{word} JOIN")


def _check_counts(tree: exp.Expr) -> None:
    from sqlglot import exp

    selects = sum(1 for _ in tree.find_all(exp.Select))
    joins = list(tree.find_all(exp.Join))
    crosses = [join for join in joins if not join.args.get("on") and not join.args.get("using")]
    free = [join for join in crosses if str(join.args.get("method") or "").upper() != "NATURAL"]
    for found, limit, part in (
        (selects, allowed.MAX_SELECTS, "SELECT"),
        (len(joins), allowed.MAX_JOINS, "JOIN"),
        (len(free), allowed.MAX_CROSS_JOINS, "CROSS JOIN"),
    ):
        if found > limit:
            raise SandboxError("sandbox.joins", part=part, count=found, limit=limit)


def _written(node: exp.Expr) -> str:
    """`node` as SQL for a message; its kind where it cannot be written."""
    from sqlglot.errors import ErrorLevel

    try:
        return node.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.IGNORE)
    except (ValueError, TypeError, AttributeError, KeyError):
        return type(node).__name__


# Which relations and columns a query reads, found scope by scope, so that a name hidden by a WITH elsewhere counts.


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


# Changes that a passed query gets before it runs: a row limit, and the turn's own moment in place of the clock.


_DATES = {"current_date", "today"}
_MOMENTS = {"now", "current_timestamp", "get_current_timestamp"}


def written(tree: exp.Query) -> str:
    """`tree` as DuckDB's SQL, without comments; raises SandboxError for what has no exact form in it."""
    from sqlglot.errors import ErrorLevel, UnsupportedError

    try:
        return tree.sql(dialect="duckdb", comments=False, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError as error:
        raise SandboxError("sandbox.construct", part=str(error)) from None


def limited(tree: exp.Query, max_rows: int) -> exp.Query:
    """`tree` with an outer LIMIT of at most `max_rows + 1`: the one row more tells that there were more.

    Raises SandboxError `sandbox.limit` for a limit that is no plain number.
    """
    from sqlglot import exp

    for part in (*tree.find_all(exp.Limit), *tree.find_all(exp.Offset)):
        if not (isinstance(part.expression, exp.Literal) and part.expression.name.isdigit()):
            raise SandboxError("sandbox.limit", part=part.sql(dialect="duckdb").strip())
    outer = tree.args.get("limit")
    asked = int(outer.expression.name) if outer is not None else max_rows + 1
    return tree.limit(min(asked, max_rows + 1), copy=False)


def at(tree: exp.Query, now: datetime | None) -> exp.Query:
    """`tree` with `current_date`, `today()` and `now()` as the values they have at `now`."""
    for node in list(tree.walk()):
        if value := _clock(node, now):
            node.replace(value)
    return tree


def _clock(node: exp.Expr, now: datetime | None) -> exp.Expr | None:
    """What stands for `node` when it reads the clock; None when it does not."""
    from sqlglot import exp

    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.CurrentDate) or name in _DATES:
        return exp.cast(exp.Literal.string(now.date().isoformat()), "date") if now else None
    if isinstance(node, exp.CurrentTimestamp) or name in _MOMENTS:
        # Without a time zone in both cases: Python has no zone data inside the worker.
        moment = (
            exp.Literal.string(now.replace(tzinfo=None).isoformat(" ")) if now else exp.CurrentTimestamp()
        )
        return exp.cast(moment, "timestamp")
    return None
