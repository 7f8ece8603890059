"""Turns rows of a listing dump into rooms and posts, and knows a listing again that was loaded before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly_rental.mapping import PLACES
from troly_rental.rows_cells import CellError, district_of, read_cell, type_in
from troly_rental.schema import tables
from troly_rental.schema_places import places

Listing = tuple[Any, ...]


@dataclass(slots=True)
class Numbers:
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


def identity(room: Mapping[str, Any]) -> Listing:
    """What makes two rows the same listing."""
    return (fold(room["title"]), room["district_id"], room["price"], float(room["area"]))


def room_of(cells: Mapping[str, object], numbers: Numbers) -> dict[str, object]:
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
    room["id"] = cells.get("id") or numbers.room(identity(told))
    return room


def post_of(cells: Mapping[str, object], room: Mapping[str, Any], numbers: Numbers) -> dict[str, object]:
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
