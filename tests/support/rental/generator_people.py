"""The people of the sample rental database, and what tenants look for."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

from troly.text.fold import folded_words

LANDLORDS, TENANTS = 520, 1_700
# Logins to try the program with; user-123 stands in the document (002-39).
NAMED = (
    (1, "lan", "Nguyễn Thị Lan", "LANDLORD"),
    (2, "minh", "Trần Văn Minh", "TENANT"),
    (3, "hung", "Phạm Quốc Hùng", "LANDLORD"),
    (4, "mai", "Lê Ngọc Mai", "TENANT"),
    (123, "user-123", "Võ Thanh Tâm", "TENANT"),
)
_FIRST_TENANT, _FIRST_LANDLORD = 101, 3_001
_SEEKING = 420


def words(text: str, sign: str = ",") -> list[str]:
    """The parts of a list in one string."""
    return [part.strip() for part in text.split(sign)]


def people(pick: random.Random, told: dict[str, str], now: datetime) -> list[dict[str, Any]]:
    """Landlords and tenants; telephone numbers begin with 010, which belongs to nobody."""
    rows = [_person(pick, *named) for named in NAMED]
    taken = {row["id"] for row in rows}
    ids = [(n, "TENANT") for n in range(_FIRST_TENANT, _FIRST_TENANT + TENANTS)]
    ids += [(n, "LANDLORD") for n in range(_FIRST_LANDLORD, _FIRST_LANDLORD + LANDLORDS)]
    for number, role in ids:
        if number in taken:
            continue
        kind = pick.choice(("women", "men"))
        parts = [words(told[key]) for key in ("surnames", f"middles_{kind}", kind)]
        name = " ".join(pick.choice(part) for part in parts)
        rows.append(_person(pick, number, f"user-{number}", name, role))
    for row in rows:
        row["created_at"] = now - timedelta(days=pick.randrange(60, 900))
    return sorted(rows, key=lambda row: row["id"])


def _person(pick: random.Random, number: int, login: str, name: str, role: str) -> dict[str, Any]:
    mail = "".join(folded_words(name)[-1:] + folded_words(name)[:1])
    return {
        "id": number,
        "login": login,
        "name": name,
        "phone": f"010{pick.randrange(10**7):07}",
        "email": f"{mail}{number}@example.com",
        "role": role,
    }


def seekers(
    pick: random.Random, told: dict[str, Any], users: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Posts of tenants who look for a room; minh and user-123 have one each."""
    rents = told["rents"]
    tenants = [user["id"] for user in users if user["role"] == "TENANT"]
    chosen = [2, 123, *pick.choices(tenants, k=_SEEKING)]
    rows = []
    for number, tenant in enumerate(chosen, 1):
        district = "hcm-go-vap" if number == 1 else "hcm-quan-1" if number == 2 else _district(pick, rents)
        kind = pick.choices(list(_WANTED), [55, 25, 10, 4, 6])[0]
        low, high, say = _WANTED[kind]
        budget = round(rents[district][0] * pick.uniform(low, high) / 100) * 100_000
        open_ = number <= 2 or pick.random() < 0.75
        created = now - timedelta(hours=pick.randrange(1, 2_400))
        rows.append(
            {
                "id": number,
                "tenant_id": tenant,
                "title": f"Cần thuê {say} khoảng {f'{budget / 1e6:g}'.replace('.', ',')} triệu",
                "description": pick.choice(words(told["text"]["seek"], "|")),
                "district_id": district if pick.random() < 0.95 or number <= 2 else None,
                "room_type": kind,
                "min_budget": round(budget * 0.7 / 1e5) * 100_000 if pick.random() < 0.6 else None,
                "max_budget": budget,
                "people": pick.choice((1, 1, 1, 2, 2, 3, 4)),
                "move_in_date": (created + timedelta(days=pick.randrange(3, 60))).date(),
                "status": "open" if open_ else "closed",
                "created_at": created.replace(minute=pick.randrange(60)),
            }
        )
    return rows


_WANTED = {
    "room": (0.75, 1.15, "phòng trọ"),
    "mini_apartment": (1.2, 1.7, "căn hộ mini"),
    "apartment": (2.0, 3.2, "căn hộ chung cư"),
    "house": (2.8, 4.5, "nhà nguyên căn"),
    "dormitory": (0.35, 0.5, "chỗ ở ghép"),
}


def _district(pick: random.Random, rents: dict[str, list[Any]]) -> str:
    return pick.choices(list(rents), [share for _, share, _ in rents.values()])[0]
