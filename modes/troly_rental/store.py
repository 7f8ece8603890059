"""Read access to the published rental data: which version is current, who a login is, how much there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from troly.errors import StoreError
from troly.text.fold import nfc
from troly_rental.roles import Role

if TYPE_CHECKING:
    from troly.plugin.services import Services
    from troly.stores.published import DatasetVersion

DATASET = "rental"
SAMPLES = "samples"
_WHO = "select id, role from users where login = $login"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: the login, the role that the data gives it, and its number there (None for a guest)."""

    login: str
    role: Role
    user_id: int | None = None


@dataclass(frozen=True, slots=True)
class Stock:
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

    def stock(self) -> Stock | None:
        """What is loaded; None when nothing is."""
        version = self.current()
        if version is None:
            return None
        info = version.info
        at = datetime.fromisoformat(info["loaded_at"]) if "loaded_at" in info else version.published_at
        return Stock(
            dict(info.get("rows", {})), at, is_sample(version), str(info.get("schema", "")), version.version
        )


def is_sample(version: DatasetVersion | None) -> bool:
    """Whether a version holds the sample data."""
    return version is not None and bool(version.info.get(SAMPLES))
