"""Read access to the published rental data: which version is current, who a login is, how much there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from troly.errors import StoreError
from troly.text.fold import nfc
from troly_rental.data.places import Place, Places, places
from troly_rental.question.names import NO_NAMES, Names
from troly_rental.roles import Role

if TYPE_CHECKING:
    from troly.plugin.services import Services
    from troly.stores.published import Datasets, DatasetVersion

DATASET = "rental"
SAMPLES = "samples"
_TENANTS = """
    select distinct users.name from users join contracts on contracts.tenant_id = users.id
    join rooms on rooms.id = contracts.room_id where rooms.landlord_id = $landlord order by users.name
"""
_WHO = "select id, role from users where login = $login"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: the login, the role that the data gives it, and its number there (None for a guest)."""

    login: str
    role: Role
    user_id: int | None = None


@dataclass(frozen=True, slots=True)
class DataInfo:
    """What is loaded: rows by table, when (aware), whether samples, and the schema it was checked against."""

    rows: Mapping[str, int]
    at: datetime
    samples: bool
    schema: str
    version: int


class RentalStore:
    """The rental data of one set of services; all methods raise StoreError."""

    def __init__(self, services: Services) -> None:
        self._datasets = services.datasets

    def current(self) -> DatasetVersion | None:
        """The version that a question would read now; None when nothing is loaded."""
        return self._datasets.current(DATASET)

    @property
    def version(self) -> DatasetVersion:
        """The same; raises StoreError `store.dataset_missing`."""
        return self._datasets.reader(DATASET).version

    def role_of(self, login: str) -> Identity:
        """The person behind a login (002-06): the role that the data has for it, GUEST for a login it does not know."""
        try:
            rows = self._datasets.reader(DATASET).fetch(_WHO, {"login": nfc(login.strip())})
        except StoreError as error:
            if error.key != "store.dataset_missing":
                raise
            rows = []
        for number, role in rows:
            if role in ("TENANT", "LANDLORD"):
                return Identity(login, role, int(number))
        return Identity(login, "GUEST")

    def places(self) -> Places:
        """The places of the program and those that only this data has (a city that was loaded)."""
        version = self.current()
        return places() if version is None else _places_of(self._datasets, version.file)

    def names(self, who: Identity) -> Names:
        """The names that `who` may ask by: buildings, a landlord's own ones and own tenants."""
        version = self.current()
        if version is None:
            return NO_NAMES
        landlord = who.user_id if who.role == "LANDLORD" else None
        return _names_of(self._datasets, version.file, landlord)

    def stock(self) -> DataInfo | None:
        """What is loaded; None when nothing is."""
        version = self.current()
        if version is None:
            return None
        info = version.info
        at = datetime.fromisoformat(info["loaded_at"]) if "loaded_at" in info else version.published_at
        return DataInfo(
            dict(info.get("rows", {})), at, is_sample(version), str(info.get("schema", "")), version.version
        )


@lru_cache(4)
def _places_of(datasets: Datasets, _file: Path) -> Places:
    """Kept for one file: a new version of the data is another file."""
    reader = datasets.reader(DATASET)
    districts = reader.fetch("select id, city_id, name, kind, parent_id from districts")
    within = {row[0]: tuple(one[0] for one in districts if row[0] in (one[0], one[4])) for row in districts}
    more = [
        Place(
            "city",
            number,
            name,
            number,
            covers=tuple(row[0] for row in districts if row[1] == number),
            other=other,
        )
        for number, name, other in reader.fetch("select id, name, name_en from cities")
    ]
    more += [
        Place("district", number, name, city, number, kind, parent or "", within[number])
        for number, city, name, kind, parent in districts
    ]
    wards = "select w.id, d.city_id, d.id, w.name from wards w join districts d on d.id = w.district_id"
    more += [
        Place("ward", number, name, city, district, "ward", covers=(district,))
        for number, city, district, name in reader.fetch(wards)
    ]
    return places().with_more(more)


@lru_cache(16)
def _names_of(datasets: Datasets, _file: Path, landlord: int | None) -> Names:
    """Kept for one file and landlord."""
    reader = datasets.reader(DATASET)
    if landlord is None:
        everywhere = reader.fetch("select distinct name from buildings order by name")
        addresses = reader.fetch(
            "select distinct address from buildings where address is not null order by address"
        )
        return Names(_first(everywhere), addresses=_first(addresses))
    asked = {"landlord": landlord}
    own = "select distinct name from buildings where landlord_id = $landlord order by name"
    return Names(_first(reader.fetch(own, asked)), _first(reader.fetch(_TENANTS, asked)))


def _first(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(row[0] for row in rows)


def is_sample(version: DatasetVersion | None) -> bool:
    """Whether a version holds the sample data."""
    return version is not None and bool(version.info.get(SAMPLES))
