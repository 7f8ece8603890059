"""Turns `roles.toml`, the one list of who may see what, into the relations that a query of one person can reach."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from troly.errors import ConfigError
from troly_rental.data.schema import Table, schema_version, tables

if TYPE_CHECKING:
    from sqlglot import exp

    from troly.sandbox import Relation, Scope
    from troly_rental.data.store import RentalStore

FILE = Path(__file__).parent / "roles.toml"
Role = Literal["GUEST", "TENANT", "LANDLORD"]
ROLES: tuple[Role, ...] = get_args(Role)

_PERSON = "user_id"
_FIELDS = {"to", "table", "rows", "columns"}
# The column that says which rows are the asker's own.
MINE = "is_mine"
# Telephone numbers (Viet Nam: 0 or +84 and eight to ten digits, in groups or not) and email addresses.
_CONTACTS = r"(\+84|\b84|\b0)([ .\-()/]{0,3}\d){8,10}|[[:alnum:]._%+\-]+@[[:alnum:]\-]+(\.[[:alnum:]\-]+)+"
_MASK = "•••"


@dataclass(frozen=True, slots=True)
class Grant:
    """`columns` of those rows of `table` for which the SQL condition `rows` holds; `mine`: these are the asker's own."""

    table: str
    rows: str
    columns: tuple[str, ...]
    mine: bool = False

    def condition(self, user_id: int | None) -> str:
        """The condition for one person; only digits are ever put into it."""
        return self.rows if user_id is None else self.rows.replace(f":{_PERSON}", str(int(user_id)))


def scope_for(store: RentalStore, login: str) -> Scope:
    """All that `login` may read of the current data; the role comes from the data itself (002-06).

    Raises StoreError `store.dataset_missing` when nothing is loaded.
    """
    from troly.sandbox import Scope

    version = store.version
    person = store.role_of(login)
    key = f"{person.role}|{person.user_id or ''}|{version.file.stem}|{schema_version()}"
    return Scope(key, version.file, relations_of(person.role, person.user_id))


def relations_of(role: Role, user_id: int | None) -> tuple[Relation, ...]:
    """The relations of one role; a person without a number is a guest. Raises ConfigError for a wrong roles.toml."""
    from troly.sandbox import Relation

    allowed = grants()[role if user_id is not None else "GUEST"]
    return tuple(
        Relation(name, *_relation(tables()[name], given, None if role == "GUEST" else user_id))
        for name, given in allowed.items()
    )


@cache
def grants() -> Mapping[Role, Mapping[str, tuple[Grant, ...]]]:
    """The grants by role and table; raises ConfigError `roles.wrong`."""
    return read_grants(FILE)


def read_grants(path: Path) -> dict[Role, dict[str, tuple[Grant, ...]]]:
    """The grants of a file, all checked against the schema; raises ConfigError `roles.wrong` that names the grant."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError("roles.wrong", path=path, grant="", reason=error) from error
    found: dict[Role, dict[str, tuple[Grant, ...]]] = {role: {} for role in ROLES}
    for number, node in enumerate(raw.get("grant", ()), 1):
        problem = _problem(node)
        if problem:
            where = f"grant {number} ({node.get('table', '?')})"
            raise ConfigError("roles.wrong", path=path, grant=where, reason=problem)
        grant = Grant(node["table"], node["rows"], tuple(node["columns"]), bool(node.get("mine")))
        for role in node["to"]:
            found[role][grant.table] = (*found[role].get(grant.table, ()), grant)
    return found


def _problem(node: Mapping[str, Any]) -> str:
    """What is wrong with a grant; "" when nothing is."""
    if set(node) - {"mine"} != _FIELDS:
        return f"fields must be {sorted(_FIELDS)}, found {sorted(node)}"
    table = tables().get(node["table"])
    if table is None:
        return f"no table {node['table']!r}"
    lists = all(isinstance(node[field], list) and node[field] for field in ("to", "columns"))
    if not lists or not isinstance(node["rows"], str):
        return "`to` and `columns` are lists, `rows` is text"
    return "; ".join((*_reach_problems(node, table), *_condition_problems(node["rows"], table)))


def _reach_problems(node: Mapping[str, Any], table: Table) -> Iterator[str]:
    """Unknown roles and columns; personal columns for everybody; a condition that a guest cannot meet."""
    strangers = [name for name in node["to"] if name not in ROLES]
    strangers += [name for name in node["columns"] if name not in table.columns]
    if strangers:
        yield f"unknown: {', '.join(map(str, strangers))}"
        return
    personal = [name for name in node["columns"] if table.columns[name].personal]
    asks = f":{_PERSON}" in node["rows"]
    if personal and not asks:
        yield f"personal columns need a condition with :{_PERSON}: {', '.join(personal)}"
    if asks and "GUEST" in node["to"]:
        yield f"a guest has no :{_PERSON}"


def _condition_problems(rows: str, table: Table) -> Iterator[str]:
    """Unknown tables, columns and parameters of a condition."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(f"SELECT 1 WHERE ({rows})", dialect="duckdb")
    except sqlglot.ParseError as error:
        yield f"`rows` is no condition: {error.errors[0]['description'] if error.errors else error}"
        return
    for placeholder in tree.find_all(exp.Placeholder):
        if placeholder.name != _PERSON:
            yield f"unknown parameter :{placeholder.name}"
    for used in tree.find_all(exp.Table):
        if used.db != "base" or used.name not in tables():
            yield f"unknown table {used.sql()}"
    for column in tree.find_all(exp.Column):
        if column.name not in _near(column, table):
            yield f"unknown column {column.sql()}"


def _near(column: exp.Column, table: Table) -> set[str]:
    """The columns of the tables that `column` can belong to: those of the innermost SELECT around it."""
    from sqlglot import exp

    select = column.find_ancestor(exp.Select)
    inner = (
        []
        if select is None
        else [one.name for one in select.find_all(exp.Table) if one.parent_select is select]
    )
    found = {name for other in inner if other in tables() for name in tables()[other].columns}
    return found if inner else set(table.columns)


def _relation(table: Table, given: Sequence[Grant], user_id: int | None) -> tuple[dict[str, str], str]:
    """The columns and the SELECT that give exactly what `given` allows."""
    shown = [name for name in table.columns if any(name in grant.columns for grant in given)]
    parts = []
    for name in shown:
        # People write their telephone number into a title; it reaches nobody from there.
        masked = f"regexp_replace({name}, '{_CONTACTS}', '{_MASK}', 'g')"
        value = masked if table.columns[name].text else name
        allowing = [grant for grant in given if name in grant.columns]
        if len(allowing) < len(given):
            value = f"CASE WHEN {_any(allowing, user_id)} THEN {value} END"
        parts.append(name if value == name else f"{value} AS {name}")
    types = {name: table.columns[name].type for name in shown}
    if own := [grant for grant in given if grant.mine]:
        parts.append(f"({_any(own, user_id)}) AS {MINE}")
        types[MINE] = "BOOLEAN"
    select = f"SELECT {', '.join(parts)} FROM base.{table.name} WHERE {_any(given, user_id)}"  # noqa: S608 (our names)
    return types, select


def _any(given: Sequence[Grant], user_id: int | None) -> str:
    return " OR ".join(f"({grant.condition(user_id)})" for grant in given)
