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
from troly.text.fold import fold, folded_words
from troly.text.sanitize import sanitize
from troly_rental.data.cells import CellError, district_of, read_cell, type_in
from troly_rental.data.places import places
from troly_rental.data.schema import tables

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
    "trieu": 1_000_000, "tr": 1_000_000, "million": 1_000_000, "nghin": 1_000, "ngan": 1_000, "k": 1_000,
}  # fmt: skip
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_KEYS = {"file", "columns", "fixed", "values", "unit"}


@dataclass(frozen=True, slots=True)
class ListingDump:
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


def read_mapping(path: Path) -> list[ListingDump]:
    """The dumps that a mapping file describes. Raises InputError `rental.mapping` that says what and where."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError("rental.mapping", path=path, reason=error) from error
    listed = raw.get("listing")
    if not isinstance(listed, list) or not listed or set(raw) != {"listing"}:
        raise InputError("rental.mapping", path=path, reason="[[listing]]")
    return [_dump(path, number, node) for number, node in enumerate(listed, 1)]


def guess_columns(header: Sequence[str]) -> dict[str, str]:
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


def missing_fields(columns: Mapping[str, str], fixed: Mapping[str, str]) -> list[str]:
    """The fields that are still missing before a dump can be read."""
    told = {*columns, *fixed}
    missing = [name for name in NEEDED if name not in told]
    return missing if told & set(PLACES) else [*missing, "district"]


def example_mapping(file: str, header: Sequence[str]) -> str:
    """A mapping file to begin with, for a dump whose titles could not be understood."""
    found = guess_columns(header)
    lines = ["[[listing]]", f'file = "{file}"', "[listing.columns]"]
    wanted = dict.fromkeys(("title", "price", "area", "district", *found))
    lines += [f'{name} = "{found.get(name, "?")}"' for name in wanted]
    return "\n".join(lines)


def _dump(path: Path, number: int, node: Any) -> ListingDump:
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
    if missing := missing_fields(texts["columns"], texts["fixed"]):
        raise wrong(f"[listing.columns] {', '.join(missing)}")
    values = {
        name: {str(k): str(v) for k, v in dict(said).items()} for name, said in node.get("values", {}).items()
    }
    return ListingDump(node["file"], texts["columns"], texts["fixed"], values, units)


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


# Turns rows of a listing dump into rooms and posts, and knows a listing again that was loaded before.


Listing = tuple[Any, ...]


@dataclass(slots=True)
class ListingNumbers:
    """The numbers of listings that are there already (by what they say), and the next free ones."""

    rooms: dict[Listing, int] = field(default_factory=dict)
    posts: dict[int, int] = field(default_factory=dict)
    next_room: int = 1
    next_post: int = 1

    def room(self, listing: Listing) -> int:
        """The number of a listing: its own, or a new one."""
        if listing not in self.rooms:
            self.rooms[listing] = self.next_room
            self.next_room += 1
        return self.rooms[listing]

    def post(self, room: int) -> int:
        """The number of the post that offers a room."""
        if room not in self.posts:
            self.posts[room] = self.next_post
            self.next_post += 1
        return self.posts[room]


def listing_identity(room: Mapping[str, Any]) -> Listing:
    """What makes two rows the same listing."""
    return (fold(room["title"]), room["district_id"], room["price"], float(room["area"]))


def room_of(cells: Mapping[str, object], numbers: ListingNumbers) -> dict[str, object]:
    """The cells of the room that a listing tells, `id` included. Raises CellError whose `column` is a field."""
    room = {name: value for name, value in cells.items() if name in tables()["rooms"].columns}
    room["district_id"] = _district(cells)
    title = str(cells.get("title") or "").strip()
    kind = cells.get("room_type") or type_in(title)
    if kind:
        room["room_type"] = kind
    else:
        room.pop("room_type", None)
    columns = tables()["rooms"].columns
    price, area = (_field(columns[name], cells.get(name), name) for name in ("price", "area"))
    said = read_cell(columns["room_type"], kind) if kind else "room"
    label = columns["room_type"].values[str(said)].vi
    where = places().by_id[str(room["district_id"])].name
    room["title"] = title or f"{label[0].upper()}{label[1:]} {area:g} m2 {where}"
    told = {
        "title": sanitize(str(room["title"])),
        "district_id": room["district_id"],
        "price": price,
        "area": area,
    }
    room["id"] = cells.get("id") or numbers.room(listing_identity(told))
    return room


def post_of(
    cells: Mapping[str, object], room: Mapping[str, Any], numbers: ListingNumbers
) -> dict[str, object]:
    """The cells of the post that offers a room just taken."""
    return {
        "id": numbers.post(int(room["id"])),
        "room_id": room["id"],
        "title": room["title"],
        "description": cells.get("description"),
        "status": "active",
        "published_at": room["created_at"],
        "views": cells.get("views") or 0,
    }


def _field(column: Any, value: object, name: str) -> Any:
    try:
        return read_cell(column, value)
    except CellError as error:
        raise CellError(error.key, **{**error.params, "column": name}) from None


def _district(cells: Mapping[str, object]) -> str:
    """The one district that the cells name, the city settling which of two."""
    said = ", ".join(str(cells[name]) for name in PLACES if cells.get(name))
    number = str(cells.get("district") or "").strip()
    if number.isdecimal() and len(number) < 3:
        said = f"Quận {said}"
    found = district_of(said)
    if found is None:
        raise CellError("place" if said else "empty", column="district")
    return found
