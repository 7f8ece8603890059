"""The buildings, rooms and posts of the sample rental database, priced by district, kind and size."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

from tests.support.rental.generator_people import words
from troly_rental.data.places import places

_HANOI_SHARE = 0.36
_KINDS = {"room": 56, "mini_apartment": 20, "apartment": 12, "house": 6, "dormitory": 6}
_SAID = {
    "room": "Phòng trọ",
    "mini_apartment": "Căn hộ mini",
    "apartment": "Chung cư",
    "house": "Nhà nguyên căn",
    "dormitory": "Ở ghép",
}
_USUAL = 4_000
LAN_ROOM = 123


class Homes:
    """Fills districts with buildings and rooms; `lan` owns room 123, "Phòng trọ Lan Anh" in Gò Vấp (002-37)."""

    def __init__(
        self, pick: random.Random, told: dict[str, Any], users: list[dict[str, Any]], now: datetime
    ) -> None:
        self._pick, self._told, self._now = pick, told, now
        self._phones = {user["id"]: user["phone"] for user in users}
        self._landlords = [user["id"] for user in users if user["role"] == "LANDLORD" and user["id"] > 9]
        self._wards: dict[str, list[str]] = {}
        for ward in places().of("ward"):
            self._wards.setdefault(ward.district_id, []).append(ward.id)
        self._open: dict[tuple[str, str], tuple[dict[str, Any], int]] = {}
        self.buildings: list[dict[str, Any]] = []
        self.rooms: list[dict[str, Any]] = []
        self.amenities: list[dict[str, Any]] = []
        self._names = {place.id: place.name for place in places().of("district")}

    def fill(self, count: int) -> None:
        """Make `count` rooms, numbered from 1."""
        rents = self._told["rents"]
        cities = {city: [key for key in rents if key.startswith(f"{city}-")] for city in ("hcm", "hanoi")}
        special = {
            2: ("hcm-go-vap", 1),
            3: ("hanoi-cau-giay", 3),
            LAN_ROOM: ("hcm-go-vap", 1),
            124: ("hcm-go-vap", 1),
        }
        for number in range(1, count + 1):
            city = "hanoi" if self._pick.random() < _HANOI_SHARE else "hcm"
            district = self._pick.choices(cities[city], [rents[key][1] for key in cities[city]])[0]
            kind = self._pick.choices(list(_KINDS), list(_KINDS.values()))[0]
            owner = None
            if number in special:
                (district, owner), kind = special[number], "room"
            elif number % 700 == 5:
                district, owner = ("hcm-go-vap", 1) if number % 1400 == 5 else ("hanoi-cau-giay", 3)
                kind = "room"
            self._room(number, district, kind, owner)

    def _building(self, district: str, kind: str, owner: int | None) -> dict[str, Any]:
        key = (district, f"{kind} {owner or ''}")
        building, left = self._open.get(key, ({}, 0))
        if left == 0:
            pick = self._pick
            landlord = owner or pick.choice(self._landlords)
            name = "Lan Anh" if owner == 1 else pick.choice(words(self._told["buildings"]["names"]))
            street = pick.choice(words(self._told["rents"][district][2]))
            building = {
                "id": len(self.buildings) + 1,
                "landlord_id": landlord,
                "name": f"{'Nhà trọ' if kind != 'mini_apartment' else 'Tòa nhà'} {name}",
                "address": f"{pick.randrange(1, 480)}{pick.choice(('', '', '/' + str(pick.randrange(1, 60))))} {street}",
                "district_id": district,
                "ward_id": pick.choice(self._wards[district]),
                "floors": pick.randrange(2, 8),
                "phone": self._phones[landlord],
                "created_at": self._now - timedelta(days=pick.randrange(500, 900)),
            }
            self.buildings.append(building)
            left = pick.randrange(3, 14)
        self._open[key] = (building, left - 1)
        return building

    def _room(self, number: int, district: str, kind: str, owner: int | None) -> None:
        pick = self._pick
        building = None if kind in ("apartment", "house") else self._building(district, kind, owner)
        landlord = building["landlord_id"] if building else pick.choice(self._landlords)
        furnished = pick.choices(("none", "basic", "full"), _FURNISHED[kind])[0]
        area, beds, people = _size(pick, kind)
        price = _price(pick, self._told["rents"][district][0], kind, (area, beds, furnished))
        own = number in (LAN_ROOM, 124)
        status = "available" if own else pick.choices(_STATES, (80, 16, 2, 2))[0]
        if number in (2, 3):
            status = "rented"
        age = 1.7 if status == "available" else 1.0
        created = self._now - timedelta(minutes=int(700 * 1440 * pick.random() ** age) + 60)
        months = 2 if kind in ("apartment", "house") and pick.random() < 0.6 else 1
        self.rooms.append(
            {
                "id": number,
                "building_id": building["id"] if building else None,
                "landlord_id": landlord,
                "district_id": district,
                "ward_id": building["ward_id"] if building else pick.choice(self._wards[district]),
                "title": self._title(kind, district, beds, building, own=own, furnished=furnished),
                "room_type": kind,
                "price": price,
                "deposit": price * months if kind != "dormitory" else 500_000 * pick.randrange(1, 4),
                "area": area,
                "bedrooms": beds,
                "max_people": people,
                "furnished": furnished,
                "electricity_price": pick.choice(
                    (2_300, 2_500, 2_800) if months == 2 else (3_000, 3_500, 3_500, 3_800, 4_000)
                ),
                "water_price": pick.choice((12_000, 15_000, 18_000, 20_000, 25_000)),
                "status": status,
                "created_at": created.replace(second=0),
                "path": f"/rooms/{number}",
            }
        )
        self._equip(number, kind, furnished)

    def _equip(self, number: int, kind: str, furnished: str) -> None:
        pick, flat = self._pick, kind in ("apartment", "mini_apartment", "house")
        for key, (_, _, room_share, flat_share) in self._told["amenities"].items():
            if pick.random() < (flat_share if flat else room_share) * (0.75 if furnished == "none" else 1):
                self.amenities.append({"room_id": number, "amenity_id": key})

    def _title(
        self,
        kind: str,
        district: str,
        beds: int,
        building: dict[str, Any] | None,
        *,
        own: bool,
        furnished: str,
    ) -> str:
        if own:
            return "Phòng trọ Lan Anh" if len(self.rooms) + 1 == LAN_ROOM else "Phòng trọ Lan Anh 2"
        pick, said = self._pick, _SAID[kind]
        street = pick.choice(words(self._told["rents"][district][2]))
        where = self._names[district]
        if building is None:
            size = f"{beds} phòng ngủ"
            return pick.choice(
                (
                    f"{said} {size} đường {street}, {where}",
                    f"{said} {size} {where}",
                    f"{said} {street}, {size}",
                )
            )
        name = building["name"].split(" ", 2)[2]
        kinds = ("thoáng mát", "gần chợ", "mới xây", "an ninh", "yên tĩnh")
        more = "full nội thất" if furnished == "full" and pick.random() < 0.4 else pick.choice(kinds)
        return pick.choice(
            (
                f"{said} {name}",
                f"{said} {name} {more}",
                f"{said} đường {street}, {where}",
                f"{said} {more} {where}",
            )
        )


_FURNISHED = {
    "room": (45, 40, 15),
    "mini_apartment": (5, 30, 65),
    "apartment": (12, 30, 58),
    "house": (50, 35, 15),
    "dormitory": (5, 80, 15),
}
_STATES = ("available", "rented", "maintenance", "hidden")


def _size(pick: random.Random, kind: str) -> tuple[float, int, int]:
    """Area in m², bedrooms, most people."""
    if kind == "room":
        area = round(pick.triangular(10, 36, 19))
        return float(area), 0, 2 if area < 18 else 3 if area < 26 else 4
    if kind == "mini_apartment":
        area = round(pick.triangular(20, 50, 29))
        return float(area), int(area >= 32), 2 if area < 32 else 3
    if kind == "dormitory":
        return float(round(pick.triangular(15, 45, 24))), 0, pick.randrange(4, 9)
    if kind == "apartment":
        beds = pick.choices((1, 2, 3), (25, 55, 20))[0]
        return round(pick.triangular(22, 34, 27) * (beds + 0.7) * 10 / 10, 1), beds, beds * 2
    beds = pick.choices((2, 3, 4, 5), (35, 35, 20, 10))[0]
    return float(round(pick.triangular(20, 40, 27) * (beds + 0.4))), beds, beds * 2


def _price(pick: random.Random, rent: int, kind: str, made: tuple[float, int, str]) -> int:
    """Rent in VND a month, rounded as people do."""
    area, beds, furnished = made
    central = (rent / _USUAL) ** 0.55
    factor = {
        "room": 0.5 + 0.5 * area / 20,
        "mini_apartment": 1.4 * (0.5 + 0.5 * area / 28),
        "apartment": (1.45 + 0.7 * beds) * central * (0.6 + 0.4 * area / (27 * (beds + 0.7))),
        "house": (1.7 + 0.65 * beds) * central * (0.6 + 0.4 * area / (28 * (beds + 0.4))),
        "dormitory": 0.42,
    }[kind]
    factor *= {"none": 0.93, "basic": 1.0, "full": 1.13}[furnished]
    price = rent * 1_000 * factor * min(1.45, max(0.72, pick.lognormvariate(0, 0.13)))
    step = 50_000 if price < 2_000_000 else 100_000 if price < 8_000_000 else 500_000
    return int(round(price / step) * step)


def posts(
    pick: random.Random, told: dict[str, Any], rooms: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """A post for every room that is to let, old ones for some of the others, drafts."""
    rows: list[dict[str, Any]] = []
    near = {place.id: place.name for place in places().of("district")}
    for room in rooms:
        live = room["status"] == "available"
        if not live and pick.random() < 0.4:
            continue
        status = "active" if live else pick.choice(("expired", "expired", "hidden", "draft"))
        first = max(room["created_at"], now - timedelta(days=240))
        published = first + (now - first) * (0.05 + 0.9 * pick.random())
        text = [pick.choice(words(told["text"][room["room_type"]], "|"))]
        text.append(f"Diện tích {room['area']:g} m2, {near[room['district_id']]}")
        text.append(pick.choice(words(told["text"]["close"], "|")))
        rows.append(
            {
                "id": len(rows) + 1,
                "room_id": room["id"],
                "title": f"Cho thuê {room['title'][0].lower()}{room['title'][1:]}",
                "description": ". ".join(text) + ".",
                "status": status,
                "published_at": None if status == "draft" else published.replace(second=0, microsecond=0),
                "views": 0 if status == "draft" else int((now - published).days * pick.uniform(1, 15)) + 3,
            }
        )
    return rows
