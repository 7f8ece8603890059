"""Values that stand for more than themselves: districts that took in others, states that hold another one."""

from __future__ import annotations


def districts(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with the districts they took in, unless one of those is named too: then they are told apart."""
    found = list(names)
    for name in names:
        parts = covered(name)[1:]
        if not set(parts) & set(names):
            found += parts
    return tuple(dict.fromkeys(found))


def with_overdue(entity: str, states: tuple[str, ...]) -> tuple[str, ...]:
    """Invoices that are not paid are those overdue too; `conditions.filters_of` folds them back."""
    if entity != "invoice" or "unpaid" not in states:
        return states
    return tuple(sorted({*states, "overdue"}))


def covered(name: str) -> tuple[str, ...]:
    """The districts that a district's name stands for: Thủ Đức took in Quận 2 and Quận 9."""
    from troly_rental.schema_places import places

    known = places()
    found = next((place for place in known.of("district") if place.name == name), None)
    if found is None:
        return (name,)
    return (name, *(known.by_id[part].name for part in found.covers if known.by_id[part].name != name))
