"""The warranty records: their table, and the look-up of a serial (000-52), which nothing but the database answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from troly.errors import StoreError
from troly.text.fold import nfc
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.stores.published import Datasets

DATASET = "warranty"

# Rows lie in the order of a hash of the serial, so that DuckDB's zone maps find one row group of 10 million rows in
# about 1 ms. An index on the serial is no faster, takes three times as long to build and doubles the file.
# Serials that share their beginning would defeat zone maps on the text itself: those hold 8 characters.
_TABLE = """
    create table records (
        key ubigint not null, serial varchar not null, product_name varchar not null, warranty_end_date date not null
    )
"""
# DuckDB may change its hash with a version: the reader compares, and scans rather than miss a row.
_PROBE = "create table probe as select hash('TROLY') as value"
CREATE = (_TABLE, _PROBE)

# The serial itself is compared outside: a second condition makes the statement half as slow again.
_FIND = "select serial, product_name, warranty_end_date from records where key = hash(upper(?::varchar))"
_SCAN = "select serial, product_name, warranty_end_date from records where upper(serial) = upper(?::varchar)"
_FIND_MANY = """
    select serial, product_name, warranty_end_date from records
    where key in (select hash(upper(wanted)) from unnest(?::varchar[]) as asked (wanted))
"""
_SCAN_MANY = """
    select serial, product_name, warranty_end_date from records
    where upper(serial) in (select upper(wanted) from unnest(?::varchar[]) as asked (wanted))
"""
_BATCH = 20_000
# One by one each is found by its row group; together they cost a scan of the keys.
_FEW = 3
_SAME_HASH = "select value = hash('TROLY') from probe"


@dataclass(frozen=True, slots=True)
class WarrantyRecord:
    """One guarantee: the serial as it was loaded, the product, and the last day."""

    serial: str
    product_name: str
    end: date


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many records there are, when they were loaded (aware), and whether they are samples."""

    rows: int
    at: datetime
    samples: bool = False


class WarrantyStore:
    """Read access to the published records; all methods raise StoreError."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets

    def loaded(self) -> Loaded | None:
        """What is loaded; None when nothing is."""
        version = self._datasets.current(DATASET)
        if version is None:
            return None
        info: Mapping[str, Any] = version.info
        at = datetime.fromisoformat(info["loaded_at"]) if "loaded_at" in info else version.published_at
        return Loaded(int(info.get("rows", 0)), at, bool(info.get("samples")))

    def find(self, serial: str) -> WarrantyRecord | None:
        """The record of `serial`, whatever its case (000 C8)."""
        reader = self._datasets.reader(DATASET)
        try:
            rows = [row for row in reader.fetch(_FIND, [serial]) if row[0].upper() == serial.upper()]
            if not rows and not reader.fetch(_SAME_HASH)[0][0]:
                rows = reader.fetch(_SCAN, [serial])
        except StoreError as error:
            if error.key != "store.dataset_missing":
                raise
            return None
        if not rows:
            return None
        found, product, end = rows[0]
        return WarrantyRecord(found, sanitize(nfc(product), keep_newlines=False), end)

    def known(self, serials: Sequence[str]) -> dict[str, str]:
        """Those of `serials` that there is a record of, upper-case, with the form in which they were loaded."""
        found = self.find_all(dict.fromkeys(serial.upper() for serial in serials))
        return {key: record.serial for key, record in found.items() if record}

    def find_all(self, serials: Iterable[str]) -> dict[str, WarrantyRecord | None]:
        """The record of each serial, or None, in their order."""
        wanted = list(serials)
        if len(wanted) <= _FEW:
            return {serial: self.find(serial) for serial in wanted}
        found = self._many(wanted)
        return {serial: found.get(serial.upper()) for serial in wanted}

    def _many(self, serials: Sequence[str]) -> dict[str, WarrantyRecord]:
        reader = self._datasets.reader(DATASET)
        wanted = list(dict.fromkeys(serial.upper() for serial in serials))
        found: dict[str, WarrantyRecord] = {}
        try:
            statement = _FIND_MANY if wanted and reader.fetch(_SAME_HASH)[0][0] else _SCAN_MANY
            for at in range(0, len(wanted), _BATCH):
                batch = wanted[at : at + _BATCH]
                asked = set(batch)
                for serial, product, end in reader.fetch(statement, [batch]):
                    if serial.upper() in asked:
                        found[serial.upper()] = WarrantyRecord(
                            serial, sanitize(nfc(product), keep_newlines=False), end
                        )
        except StoreError as error:
            if error.key != "store.dataset_missing":
                raise
            return {}
        return found
