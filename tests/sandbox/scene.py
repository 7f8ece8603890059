"""A small rental database with canaries in every row and column that a scope must not reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

from troly.sandbox import CheckedQuery, Relation, Scope

CANARY = "CANARY-9f3b"
CANARY_NUMBER = 777_000_111
ROOMS: Mapping[str, str] = {
    "id": "BIGINT",
    "title": "VARCHAR",
    "district": "VARCHAR",
    "price": "BIGINT",
    "area": "DECIMAL(6,1)",
    "bedrooms": "INTEGER",
    "posted": "DATE",
    "furnished": "BOOLEAN",
    "amenities": "VARCHAR[]",
    "building_id": "BIGINT",
}
BUILDINGS: Mapping[str, str] = {"id": "BIGINT", "name": "VARCHAR", "district": "VARCHAR"}
CONTRACTS: Mapping[str, str] = {
    "id": "BIGINT",
    "room_id": "BIGINT",
    "tenant": "VARCHAR",
    "monthly": "BIGINT",
    "starts": "DATE",
}
_DISTRICTS = ("Quận 1", "Quận 3", "Gò Vấp", "Bình Thạnh", "Đống Đa", "Cầu Giấy")
_MAKE = f"""
    CREATE TABLE users AS SELECT 'user' || i AS login, '{CANARY}' AS phone FROM range(20) r(i);
    CREATE TABLE buildings AS SELECT i AS id, 'Toà ' || i AS name, {_DISTRICTS!r}[1 + i % 6] AS district
        FROM range(30) r(i);
    CREATE TABLE rooms AS SELECT i AS id,
        CASE WHEN i % 5 = 0 THEN '{CANARY}' ELSE 'Phòng ' || i END AS title,
        {_DISTRICTS!r}[1 + i % 6] AS district,
        CASE WHEN i % 5 = 0 THEN {CANARY_NUMBER} ELSE 1500000 + (i * 37 % 100) * 100000 END AS price,
        (12 + i % 40 * 0.5)::DECIMAL(6,1) AS area, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 4 END AS bedrooms,
        DATE '2026-01-01' + (i * 13 % 320)::INT AS posted, i % 2 = 0 AS furnished,
        CASE WHEN i % 3 = 0 THEN ['wifi', 'máy lạnh'] ELSE ['chỗ để xe'] END AS amenities, i % 30 AS building_id,
        '{CANARY}' AS owner_phone, i % 5 <> 0 AS visible FROM range(600) r(i);
    CREATE TABLE contracts AS SELECT i AS id, i * 3 AS room_id,
        CASE WHEN i % 4 = 0 THEN 'an' ELSE '{CANARY}' END AS tenant,
        CASE WHEN i % 4 = 0 THEN 3000000 + i * 1000 ELSE {CANARY_NUMBER} END AS monthly,
        DATE '2026-02-01' + i::INT AS starts FROM range(80) r(i);
"""
_ROOMS = Relation("rooms", ROOMS, "SELECT * FROM base.rooms WHERE visible")
_BUILDINGS = Relation("buildings", BUILDINGS, "SELECT * FROM base.buildings")
_OWN = Relation("contracts", CONTRACTS, "SELECT * FROM base.contracts WHERE tenant = 'an'")
_OF_SCOPE = {"GUEST": (_ROOMS, _BUILDINGS), "TENANT": (_ROOMS, _BUILDINGS, _OWN), "NOBODY": ()}


def make_base(folder: Path) -> Path:
    """The base file with every row, canaries too."""
    path = folder / "it's a base.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute(_MAKE.replace(repr(_DISTRICTS), repr(list(_DISTRICTS))))
    connection.close()
    return path


def scope_of(role: str, base: Path) -> Scope:
    """What `role` may read: GUEST no contracts, TENANT those of `an`, NOBODY nothing."""
    return Scope(f"{role}|an|1", base, _OF_SCOPE[role])


def direct(base: Path, scope: Scope, sql: str) -> list[tuple[Any, ...]]:
    """The rows of `sql` run by DuckDB itself over views of the scope: what the sandbox must answer."""
    connection = duckdb.connect(":memory:")
    try:
        connection.execute("ATTACH '{}' AS base (READ_ONLY)".format(str(base).replace("'", "''")))
        for relation in scope.relations:
            names = ", ".join(relation.columns)
            connection.execute(f"CREATE VIEW {relation.name} AS SELECT {names} FROM ({relation.select})")
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def unchecked(sql: str) -> CheckedQuery:
    """`sql` as if the guard had passed it, to see what the process behind the guard holds by itself."""
    tree = sqlglot.exp.select("1")
    return CheckedQuery(sql, (), {}, tree)
