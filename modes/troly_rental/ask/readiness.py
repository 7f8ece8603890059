"""Checks a reading before it is answered: who may ask, limits that exclude each other, names wanted and refused."""

from __future__ import annotations

from dataclasses import replace

from troly_rental.ask.mending import mend
from troly_rental.ask.reading import Filter, Reading, Remark, Role, remark
from troly_rental.ask.words import phrases

_LOGGED_IN = ("contract", "invoice", "viewing", "room_seeking_post")


def checked(reading: Reading, role: Role) -> Reading:
    """`reading` with what keeps it from being ready: no login for own records, limits that exclude each other."""
    missing = [one for one in reading.missing if one.key == "missing.place"]
    if role == "GUEST" and (reading.own or reading.entity in _LOGGED_IN):
        missing.append(remark("missing.login"))
    if role == "TENANT" and reading.entity == "invoice" and any(m.kind == "sum" for m in reading.measures):
        missing += (
            [remark("missing.landlord")] if phrases("asks", "revenue").find(mend(reading.question)) else []
        )
    missing += _contradictions(reading.filters)
    return replace(reading, missing=tuple(missing))


def _contradictions(filters: tuple[Filter, ...]) -> list[Remark]:
    found = []
    for name in dict.fromkeys(f.field for f in filters):
        lows = [f for f in filters if f.field == name and f.op in {">", ">="}]
        highs = [f for f in filters if f.field == name and f.op in {"<", "<="}]
        if any(_empty(low, high) for low in lows for high in highs):
            found.append(remark("missing.contradiction", field=name))
    wanted = {(f.field, v) for f in filters if f.op in {"=", "in"} for v in _values(f)}
    refused = {(f.field, v) for f in filters if f.op in {"!=", "not_in"} for v in _values(f)}
    found += [
        remark("missing.both", field=name, value=str(value)) for name, value in sorted(wanted & refused)
    ]
    return found


def _empty(low: Filter, high: Filter) -> bool:
    strict = low.op == ">" or high.op == "<"
    if isinstance(low.value, str) or isinstance(high.value, str):
        a, b = str(low.value), str(high.value)
        return a > b or (a == b and strict)
    if isinstance(low.value, tuple) or isinstance(high.value, tuple):
        return False
    return low.value > high.value or (low.value == high.value and strict)


def _values(one: Filter) -> tuple[object, ...]:
    return one.value if isinstance(one.value, tuple) else (one.value,)
