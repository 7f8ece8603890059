"""The rows that the last list showed, as far as the next question can point at them or be measured against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 50
_MEASURED = ("price", "area")


@dataclass(frozen=True, slots=True)
class Shown:
    """Rows in the order they were shown: `ids`, `titles` and the figures of "price" and "area" where known.

    `total` is how many rows met the conditions; `first` the place of the first row among them, from 1.
    """

    entity: str
    ids: tuple[int | str, ...]
    titles: tuple[str, ...]
    figures: Mapping[str, tuple[float, ...]]
    total: int
    first: int = 1

    @property
    def whole(self) -> bool:
        """Whether nothing that met the conditions was left out."""
        return len(self.ids) >= self.total and self.first == 1

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `from_dict` reads it back."""
        return {
            "entity": self.entity,
            "ids": list(self.ids),
            "titles": list(self.titles),
            "figures": {name: list(values) for name, values in self.figures.items()},
            "total": self.total,
            "first": self.first,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shown:
        """The rows that `to_dict` wrote; raises KeyError, TypeError, ValueError for other data."""
        figures = {str(name): tuple(map(float, values)) for name, values in data["figures"].items()}
        titles = tuple(map(str, data["titles"]))
        return cls(
            data["entity"], tuple(data["ids"]), titles, figures, int(data["total"]), int(data["first"])
        )

    @classmethod
    def of(cls, records: Sequence[Mapping[str, Any]], entity: str, total: int, skip: int = 0) -> Shown | None:
        """What a result shows; None where its rows have no id."""
        kept = records[:MOST]
        if not kept or any(not isinstance(one.get("id"), int | str) for one in kept):
            return None
        figures = {
            name: tuple(float(one[name]) for one in kept if isinstance(one.get(name), int | float))
            for name in _MEASURED
        }
        titles = tuple(str(one.get("title") or one["id"]) for one in kept)
        return cls(entity, tuple(one["id"] for one in kept), titles, figures, total, skip + 1)
