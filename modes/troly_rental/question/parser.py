"""Checks a reading before it is answered: who may ask, limits that exclude each other, names wanted and refused."""

from __future__ import annotations

from dataclasses import replace

from troly_rental.question.spelling import correct_spelling
from troly_rental.question.types import Filter, Order, ParsedQuestion, Remark, Role, make_remark
from troly_rental.question.vocabulary import phrases
from troly_rental.sql.relations import entities

_PERIODS = ("month", "week", "day")
_LOGGED_IN = ("contract", "invoice", "viewing", "room_seeking_post")


def check_readiness(reading: ParsedQuestion, role: Role) -> ParsedQuestion:
    """`reading` with what keeps it from being ready: no login for own records, limits that exclude each other."""
    missing = [one for one in reading.missing if one.key == "missing.place"]
    if role == "GUEST" and (reading.own or reading.entity in _LOGGED_IN):
        missing.append(make_remark("missing.login"))
    if role == "TENANT" and reading.entity == "invoice" and any(m.kind == "sum" for m in reading.measures):
        missing += (
            [make_remark("missing.landlord")]
            if phrases("asks", "revenue").find(correct_spelling(reading.question))
            else []
        )
    missing += _contradictions(reading.filters)
    reading, unknown = _within_fields(reading)
    return replace(reading, missing=(*missing, *unknown))


def _within_fields(reading: ParsedQuestion) -> tuple[ParsedQuestion, list[Remark]]:
    """An order by a field that these records lack is left out; figures and groups of one are asked about."""
    entity = entities()[reading.entity]
    known = {*entity.fields, *_PERIODS}
    asked = [one.field for one in reading.measures if one.field and one.field != "price_m2"]
    asked += ["price", "area"] if any(one.field == "price_m2" for one in reading.measures) else []
    lost = dict.fromkeys(name for name in (*asked, *reading.group) if name not in known)
    renamed = (
        Order(entity.newest, one.descending) if one.field == "posted_at" and "posted_at" not in known else one
        for one in reading.order
    )
    order = tuple(one for one in renamed if one.field == "figure" or one.field in known)
    dropped = [one.field for one in reading.order if one.field not in {*known, "figure", "posted_at"}]
    kept = tuple(one for one in reading.filters if one.field in {*entity.fields, "id"})
    lost_filters = dict.fromkeys(one.field for one in reading.filters if one not in kept)
    said = (*reading.said, *(make_remark("said.no_order", field=name) for name in dropped))
    said = (*said, *(make_remark("said.no_field", field=name) for name in lost_filters))
    reading = replace(reading, order=order, filters=kept, said=said)
    return reading, [make_remark("missing.no_figure", field=name) for name in lost]


def _contradictions(filters: tuple[Filter, ...]) -> list[Remark]:
    found = []
    for name in dict.fromkeys(f.field for f in filters):
        lows = [f for f in filters if f.field == name and f.op in {">", ">="}]
        highs = [f for f in filters if f.field == name and f.op in {"<", "<="}]
        if any(_empty(low, high) for low in lows for high in highs):
            found.append(make_remark("missing.contradiction", field=name))
    wanted = {(f.field, v) for f in filters if f.op in {"=", "in"} for v in _values(f)}
    refused = {(f.field, v) for f in filters if f.op in {"!=", "not_in"} for v in _values(f)}
    found += [
        make_remark("missing.both", field=name, value=str(value)) for name, value in sorted(wanted & refused)
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
