"""What the rental database holds: tables, columns, meanings and enums, read from `schema.toml`, the single source."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from troly.text.catalogue import Lang

FILE = Path(__file__).parent / "schema.toml"


@dataclass(frozen=True, slots=True)
class Label:
    """One value of an enum: its stored form, what it is called in both languages, other words for it."""

    value: str
    vi: str
    en: str
    words: tuple[str, ...] = ()

    def caption(self, lang: Lang) -> str:
        """The label in `lang`."""
        return self.vi if lang == "vi" else self.en


@dataclass(frozen=True, slots=True)
class Column:
    """One column; `type` is DuckDB's, `unit` VND or m2, `ref` "table.column", `least` the smallest number allowed,
    `default` what stands there when a file has no such column.

    `personal` columns are about a person and reach nobody but that person; `text` is free text that people wrote.
    """

    name: str
    type: str
    vi: str
    en: str
    words: tuple[str, ...] = ()
    unit: str = ""
    ref: str = ""
    null: bool = False
    personal: bool = False
    text: bool = False
    unique: bool = False
    least: int | None = None
    default: str = ""
    values: Mapping[str, Label] = field(default_factory=dict)

    def caption(self, lang: Lang) -> str:
        """What it means, in `lang`."""
        return self.vi if lang == "vi" else self.en


@dataclass(frozen=True, slots=True)
class Table:
    """One table; `key` are the columns that name a row."""

    name: str
    vi: str
    en: str
    words: tuple[str, ...]
    key: tuple[str, ...]
    columns: Mapping[str, Column]

    def caption(self, lang: Lang) -> str:
        """What it holds, in `lang`."""
        return self.vi if lang == "vi" else self.en

    @property
    def types(self) -> dict[str, str]:
        """DuckDB type by column name."""
        return {name: column.type for name, column in self.columns.items()}

    def create(self) -> str:
        """The statement that makes it; rows are checked before they are written."""
        return f"create table {self.name} ({', '.join(f'{n} {c.type}' for n, c in self.columns.items())})"


@cache
def tables() -> Mapping[str, Table]:
    """All tables by name, a table after those it points to."""
    raw = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: _table(name, node) for name, node in raw.items() if isinstance(node, Mapping)}


def table(name: str) -> Table:
    """The table `name`; raises KeyError."""
    return tables()[name]


@cache
def schema_version() -> str:
    """Twelve hex digits that change when tables, columns, types or enum values do, not when wording does."""
    shape = [
        (one.name, one.key, [(c.name, c.type, c.ref, sorted(c.values)) for c in one.columns.values()])
        for one in tables().values()
    ]
    return hashlib.sha256(repr(shape).encode()).hexdigest()[:12]


_UNASKED = frozenset({"name_en", "parent_id", "kind", "login", "role", "description", "landlord_id"})
"""Columns that no question is about: other names of places, logins, keys that `is_mine` stands for."""


def describe(shown: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """The schema as text for a prompt (002-38): a line a table, its columns with days, flags and values.

    `shown` (table -> column -> type) keeps only what a role can reach.
    """
    lines = []
    told: set[tuple[str, ...]] = set()
    for one in tables().values():
        if shown is not None and one.name not in shown:
            continue
        types = one.types if shown is None else shown[one.name]
        columns = ", ".join(
            _told(name, kind, one.columns.get(name), told)
            for name, kind in types.items()
            if name not in _UNASKED
        )
        # Only a caption that says more than the name.
        caption = one.en.lower().partition(" (")[0].partition(":")[0]
        more = f" ({caption})" if caption != one.name else ""
        lines.append(f"{one.name}{more}: {columns}")
    return "\n".join(lines)


def _told(name: str, kind: str, column: Column | None, told: set[tuple[str, ...]]) -> str:
    """A column with its type and its values, which are told once; `told` are those of the columns before."""
    parts = [name]
    if kind in {"DATE", "TIMESTAMP", "BOOLEAN"}:
        parts.append(kind.lower())
    values = (name, *column.values) if column is not None and column.values else ()
    if values and values not in told:
        parts.append("|".join(values[1:]))
        told.add(values)
    return " ".join(parts)


def _table(name: str, node: Mapping[str, Any]) -> Table:
    enums = node.get("values", {})
    columns = {key: _column(key, entry, enums.get(key, {})) for key, entry in node["columns"].items()}
    return Table(
        name, node["vi"], node["en"], tuple(node.get("words", ())), tuple(node.get("key", ("id",))), columns
    )


def _column(name: str, node: Mapping[str, Any], enum: Mapping[str, Mapping[str, Any]]) -> Column:
    labels = {
        value: Label(value, one["vi"], one["en"], tuple(one.get("words", ()))) for value, one in enum.items()
    }
    return Column(
        name,
        node["type"],
        node["vi"],
        node["en"],
        words=tuple(node.get("words", ())),
        unit=node.get("unit", ""),
        ref=node.get("ref", ""),
        null=node.get("null", False),
        personal=node.get("personal", False),
        text=node.get("text", False),
        unique=node.get("unique", False),
        least=node.get("min"),
        default=node.get("default", ""),
        values=labels,
    )
