"""Works out in plain Python, without roles.toml, what each person may see of the rental data."""

from __future__ import annotations

from typing import Any

from tests.support.rental.generator import Rows
from troly_rental.data.schema import tables

Allowed = dict[str, dict[Any, set[str]]]


class Oracle:
    """What each person may see, worked out from the rows in plain Python, without roles.toml."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.rooms = {room["id"]: room for room in rows["rooms"]}
        self.open = {room["id"] for room in rows["rooms"] if room["status"] == "available"}
        self.contracts = {contract["id"]: contract for contract in rows["contracts"]}

    def allowed(self, role: str, me: int | None) -> Allowed:
        found: Allowed = {}
        for name, table in tables().items():
            for row in self.rows[name]:
                columns = self.columns(name, row, role, me)
                if columns:
                    found.setdefault(name, {})[tuple(row[key] for key in table.key)] = columns
        return found

    def columns(self, name: str, row: dict[str, Any], role: str, me: int | None) -> set[str]:
        every = set(tables()[name].columns)
        if name in {"cities", "districts", "wards", "amenities"}:
            return every
        public: set[str] = getattr(self, f"public_{name}", lambda _row, _role: set())(row, role)
        if role == "GUEST":
            return set(public)
        mine: set[str] = getattr(self, f"{role.lower()}_{name}", lambda _row, _me: set())(row, me)
        return set(public) | set(mine)

    def public_rooms(self, row: dict[str, Any], _role: str) -> set[str]:
        return set(tables()["rooms"].columns) - {"landlord_id"} if row["id"] in self.open else set()

    def public_room_amenities(self, row: dict[str, Any], _role: str) -> set[str]:
        return {"room_id", "amenity_id"} if row["room_id"] in self.open else set()

    def public_buildings(self, row: dict[str, Any], _role: str) -> set[str]:
        used = {self.rooms[room]["building_id"] for room in self.open}
        return set(tables()["buildings"].columns) - {"landlord_id", "phone"} if row["id"] in used else set()

    def public_posts(self, row: dict[str, Any], _role: str) -> set[str]:
        shown = row["status"] == "active" and row["room_id"] in self.open
        return set(tables()["posts"].columns) if shown else set()

    def public_room_seeking_posts(self, row: dict[str, Any], role: str) -> set[str]:
        shown = row["status"] == "open" and role != "GUEST"
        return set(tables()["room_seeking_posts"].columns) - {"tenant_id"} if shown else set()

    def tenant_users(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if row["id"] == me else set()

    def tenant_room_seeking_posts(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if row["tenant_id"] == me else set()

    def tenant_contracts(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) - {"tenant_id"} if row["tenant_id"] == me else set()

    def tenant_invoices(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if self.contracts[row["contract_id"]]["tenant_id"] == me else set()

    def tenant_viewings(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) - {"tenant_id"} if row["tenant_id"] == me else set()

    def homes(self, me: int, *names: str) -> set[int]:
        return {row["room_id"] for name in names for row in self.rows[name] if row["tenant_id"] == me}

    def tenant_rooms(self, row: dict[str, Any], me: int) -> set[str]:
        near = row["id"] in self.homes(me, "contracts", "viewings")
        return set(row) - {"landlord_id", "created_at"} if near else set()

    def tenant_room_amenities(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if row["room_id"] in self.homes(me, "contracts") else set()

    def tenant_buildings(self, row: dict[str, Any], me: int) -> set[str]:
        mine = {self.rooms[room]["building_id"] for room in self.homes(me, "contracts")}
        return set(row) - {"landlord_id", "phone", "created_at"} if row["id"] in mine else set()

    def own(self, room: int, me: int) -> bool:
        return bool(self.rooms[room]["landlord_id"] == me)

    def landlord_users(self, row: dict[str, Any], me: int) -> set[str]:
        tenants = {c["tenant_id"] for c in self.contracts.values() if self.own(c["room_id"], me)}
        if row["id"] == me:
            return set(row)
        return {"id", "name", "role"} if row["id"] in tenants else set()

    def landlord_buildings(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if row["landlord_id"] == me else set()

    def landlord_rooms(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if row["landlord_id"] == me else set()

    def landlord_room_amenities(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if self.own(row["room_id"], me) else set()

    landlord_posts = landlord_contracts = landlord_room_amenities

    def landlord_viewings(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) - {"tenant_id", "note"} if self.own(row["room_id"], me) else set()

    def landlord_invoices(self, row: dict[str, Any], me: int) -> set[str]:
        return set(row) if self.own(self.contracts[row["contract_id"]]["room_id"], me) else set()
