"""The contracts, invoices and viewings of the sample rental database."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from typing import Any

from tests.support.rental.generator_people import words

Row = dict[str, Any]
_VIEWINGS = 1_100
# Which room the sample tenants live in: minh with lan, mai with hung.
_HOMES = {2: 2, 3: 4}


def contracts_and_bills(
    pick: random.Random, users: list[Row], rooms: list[Row], now: datetime
) -> tuple[list[Row], list[Row]]:
    """A running contract for every rented room, some past ones, and the invoices of the last half year."""
    tenants = [user["id"] for user in users if user["role"] == "TENANT" and user["id"] > 123]
    rented = [room for room in rooms if room["status"] == "rented"]
    free = dict.fromkeys(pick.sample(tenants, min(len(tenants), len(rented))))
    waiting = iter(free)
    contracts: list[Row] = []
    bills: list[Row] = []
    seen_123 = False
    for room in rented:
        tenant = _HOMES.get(room["id"])
        if tenant is None and not seen_123 and room["district_id"] == "hcm-binh-thanh":
            tenant, seen_123 = 123, True
        tenant = tenant or next(waiting, None)
        if tenant is None:
            continue
        start = now.date().replace(day=1) - timedelta(days=pick.randrange(40, 400))
        contracts.append(_contract(len(contracts) + 1, room, tenant, start, "active"))
        bills += _bills(pick, contracts[-1], room, len(bills), now)
    for room in pick.sample(
        [room for room in rooms if room["status"] == "available"], min(260, len(rooms) // 5)
    ):
        start = now.date() - timedelta(days=pick.randrange(420, 800))
        status = pick.choices(("ended", "cancelled"), (9, 1))[0]
        contracts.append(_contract(len(contracts) + 1, room, pick.choice(tenants), start, status))
    return contracts, bills


def _contract(number: int, room: Row, tenant: int, start: date, status: str) -> Row:
    return {
        "id": number,
        "room_id": room["id"],
        "tenant_id": tenant,
        "start_date": start,
        "end_date": start + timedelta(days=365 if status != "active" else 548),
        "monthly_rent": room["price"],
        "deposit": room["deposit"],
        "status": status,
    }


def _bills(pick: random.Random, contract: Row, room: Row, before: int, now: datetime) -> list[Row]:
    months: list[date] = []
    month = now.date().replace(day=1)
    while len(months) < 6 and month >= contract["start_date"]:
        months.append(month)
        month = (month - timedelta(days=1)).replace(day=1)
    rows = []
    for at, month in enumerate(reversed(months), 1):
        power, water = pick.randrange(40, 260), pick.randrange(3, 14)
        due = month + timedelta(days=9)
        # The sample tenants owe this month's rent, so that there is something to ask about.
        late = 1.0 if month == months[0] and contract["tenant_id"] <= 123 else pick.random()
        status = "paid" if late < (0.62 if month == months[0] else 0.97) else "overdue"
        if status == "overdue" and month == months[0]:
            due, status = month + timedelta(days=24), "unpaid"
        parts = {
            "rent": contract["monthly_rent"],
            "electricity": power * room["electricity_price"],
            "water": water * room["water_price"],
            "other": pick.choice((0, 50_000, 100_000, 150_000)),
        }
        paid = datetime.combine(due, time()) - timedelta(hours=pick.randrange(2, 190))
        rows.append(
            {
                "id": before + at,
                "contract_id": contract["id"],
                "month": month,
                **parts,
                "electricity_kwh": power,
                "water_m3": water,
                "total": sum(parts.values()),
                "status": status,
                "due_date": due,
                "paid_at": paid if status == "paid" else None,
            }
        )
    return rows


def viewings(
    pick: random.Random, told: dict[str, Any], users: list[Row], rooms: list[Row], now: datetime
) -> list[Row]:
    """Appointments around now; the first ones are those of the sample tenants."""
    tenants = [user["id"] for user in users if user["role"] == "TENANT"]
    free = [room["id"] for room in rooms if room["status"] == "available"]
    rows = []
    for number in range(1, _VIEWINGS + 1):
        ahead = number <= 4 or pick.random() < 0.25
        day = now.date() + timedelta(days=pick.randrange(1, 9) if ahead else -pick.randrange(1, 90))
        status = (
            pick.choice(("pending", "confirmed")) if ahead else pick.choices(("done", "cancelled"), (4, 1))[0]
        )
        rows.append(
            {
                "id": number,
                "room_id": 123 if number <= 2 else pick.choice(free),
                "tenant_id": (2, 123, 2, 4)[number - 1] if number <= 4 else pick.choice(tenants),
                "scheduled_at": datetime.combine(day, time(pick.randrange(9, 20), pick.choice((0, 30)))),
                "status": status,
                "note": pick.choice(words(told["text"]["notes"], "|")) if pick.random() < 0.5 else None,
            }
        )
    return rows
