"""Reads `mapping.toml`, which says how the columns of a public listing dump become rooms and posts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from troly.config.problems import nearest
from troly.errors import InputError
from troly.text.fold import folded_words
from troly_rental.schema import tables

FILE_NAME = "mapping.toml"
NEEDED = ("price", "area")
# What a listing can tell beside the columns of a room; city, district and ward are names or whole addresses.
PLACES = ("district", "ward", "city")
_POST = ("description", "views")
_NEVER = {"building_id", "landlord_id", "district_id", "ward_id", "path"}
FIELDS: tuple[str, ...] = (
    *(name for name in tables()["rooms"].columns if name not in _NEVER),
    *PLACES,
    *_POST,
)
UNITS = {"thousand": 1_000, "million": 1_000_000, "nghìn": 1_000, "triệu": 1_000_000}
_UNIT_WORDS = {
    "trieu": 1_000_000,
    "tr": 1_000_000,
    "million": 1_000_000,
    "nghin": 1_000,
    "ngan": 1_000,
    "k": 1_000,
}
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_KEYS = {"file", "columns", "fixed", "values", "unit"}


@dataclass(frozen=True, slots=True)
class Dump:
    """One listing file: its column for each field, fixed values, its own words for enum values, units of bare numbers."""

    file: str
    columns: Mapping[str, str]
    fixed: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unit: Mapping[str, int] = field(default_factory=dict)

    def places(self, header: Sequence[str]) -> dict[str, int]:
        """Where each field stands in a row of a file with this header."""
        at = {_key(title): place for place, title in enumerate(header)}
        return {name: at[_key(title)] for name, title in self.columns.items()}

    def cells(self, places: Mapping[str, int], row: Sequence[object]) -> dict[str, object]:
        """One row by field, fixed values filled in, bare numbers in their unit."""
        found: dict[str, object] = dict(self.fixed)
        for name, place in places.items():
            value = row[place]
            value = self.values.get(name, {}).get(str(value).strip(), value)
            found[name] = _scaled(value, self.unit[name]) if name in self.unit else value
        return found


def read_mapping(path: Path) -> list[Dump]:
    """The dumps that a mapping file describes. Raises InputError `rental.mapping` that says what and where."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError("rental.mapping", path=path, reason=error) from error
    listed = raw.get("listing")
    if not isinstance(listed, list) or not listed or set(raw) != {"listing"}:
        raise InputError("rental.mapping", path=path, reason="[[listing]]")
    return [_dump(path, number, node) for number, node in enumerate(listed, 1)]


def guess(header: Sequence[str]) -> dict[str, str]:
    """The field that each title seems to be, by the other names that the schema lists; field -> title."""
    found: dict[str, str] = {}
    for title in header:
        key = _key(_ASIDE.sub(" ", title))
        for name in FIELDS:
            if name not in found and key in _said(name):
                found[name] = title
                break
    return found


def units_in(columns: Mapping[str, str]) -> dict[str, int]:
    """The unit that a title gives its bare numbers: "Giá (triệu/tháng)" are millions."""
    found: dict[str, int] = {}
    for name, title in columns.items():
        said = {word for aside in _ASIDE.findall(title) for word in folded_words(aside)}
        factors = [factor for word, factor in _UNIT_WORDS.items() if word in said]
        found |= {name: factors[0]} if factors else {}
    return found


def complete(columns: Mapping[str, str], fixed: Mapping[str, str]) -> list[str]:
    """The fields that are still missing before a dump can be read."""
    told = {*columns, *fixed}
    missing = [name for name in NEEDED if name not in told]
    return missing if told & set(PLACES) else [*missing, "district"]


def example(file: str, header: Sequence[str]) -> str:
    """A mapping file to begin with, for a dump whose titles could not be understood."""
    found = guess(header)
    lines = ["[[listing]]", f'file = "{file}"', "[listing.columns]"]
    wanted = dict.fromkeys(("title", "price", "area", "district", *found))
    lines += [f'{name} = "{found.get(name, "?")}"' for name in wanted]
    return "\n".join(lines)


def _dump(path: Path, number: int, node: Any) -> Dump:
    def wrong(reason: str) -> InputError:
        return InputError("rental.mapping", path=path, reason=f"[[listing]] {number}: {reason}")

    if not isinstance(node, Mapping) or not isinstance(node.get("file"), str):
        raise wrong('file = "…"')
    if strangers := sorted(set(node) - _KEYS):
        close = nearest(strangers[0], sorted(_KEYS))
        raise wrong(f"`{strangers[0]}`" + (f" → `{close}`?" if close else ""))
    for part in ("columns", "fixed", "values", "unit"):
        if not isinstance(node.get(part, {}), Mapping):
            raise wrong(f"[listing.{part}]")
        for name in node.get(part, {}):
            if name not in FIELDS:
                close = nearest(name, list(FIELDS))
                raise wrong(f"[listing.{part}] `{name}`" + (f" → `{close}`?" if close else ""))
    units = {name: UNITS.get(str(said), 0) for name, said in node.get("unit", {}).items()}
    if bad := [name for name, factor in units.items() if not factor]:
        raise wrong(f"[listing.unit] {bad[0]} = {' | '.join(UNITS)}")
    texts = {part: {k: str(v) for k, v in node.get(part, {}).items()} for part in ("columns", "fixed")}
    if missing := complete(texts["columns"], texts["fixed"]):
        raise wrong(f"[listing.columns] {', '.join(missing)}")
    values = {
        name: {str(k): str(v) for k, v in dict(said).items()} for name, said in node.get("values", {}).items()
    }
    return Dump(node["file"], texts["columns"], texts["fixed"], values, units)


def _said(name: str) -> set[str]:
    """The titles that mean a field, compared without case, accents and signs."""
    rooms, posts = tables()["rooms"].columns, tables()["posts"].columns
    column = rooms.get({"district": "district_id", "ward": "ward_id"}.get(name, name)) or posts.get(name)
    words = column.words if column else tables()["cities"].words
    return {_key(word) for word in (name, *words)}


def _key(title: str) -> str:
    words = folded_words(title.replace("_", " "))
    return " ".join(word for word in words if word not in {"vnd", "m2", "dong", "thang"} or len(words) == 1)


def _scaled(value: object, factor: int) -> object:
    """A bare number times its unit; anything else as it stands."""
    try:
        number = Decimal(str(value).strip().replace(",", "."))
    except ArithmeticError:
        return value
    return number * factor if number.is_finite() else value
