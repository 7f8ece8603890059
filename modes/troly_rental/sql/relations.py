"""How the things that can be asked for lie in the role-scoped relations, read from relations.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "relations.toml"
LANDLORD_ONLY = frozenset({"tenant"})
"""Fields that only a landlord's relations can answer."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One thing that can be asked for; columns are written "table.column", `own` is the one that says whose a row is."""

    name: str
    table: str
    title: str
    path: str
    newest: str
    shown: tuple[str, ...]
    fields: Mapping[str, str]
    join: Mapping[str, tuple[str, ...]]
    public: tuple[str, ...]
    own: str

    def column(self, field: str) -> str:
        """The column of `field`; raises KeyError for one that it does not have."""
        return self.fields[field]


@cache
def entities() -> Mapping[str, Entity]:
    """All entities by name."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: _parse_entity(name, node) for name, node in raw.items()}


def _parse_entity(name: str, node: Mapping[str, Any]) -> Entity:
    return Entity(
        name,
        node["table"],
        node["title"],
        node.get("path", ""),
        node["newest"],
        tuple(node["list"]),
        node["fields"],
        {table: tuple(keys) for table, keys in node.get("join", {}).items()},
        tuple(node.get("public", ())),
        node.get("own", ""),
    )
