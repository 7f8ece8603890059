"""The warranty records: their table, and the look-up of a serial (000-52), which nothing but the database answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from troly.text.fold import nfc
from troly.text.sanitize import sanitize
from troly_shopping.datasets import DatasetInfo, dataset_info, fetch_rows

if TYPE_CHECKING:
    from troly.stores.published import Datasets

DATASET = "warranty"

# The table as the documents describe it (000-52), with the hash of its key; each serial stands in it once, whatever its case.
# Rows lie in the order of a hash of the serial, so that DuckDB's zone maps find one row group of 10 million rows in
# about 1 ms. An index on the serial is no faster, takes three times as long to build and doubles the file.
# Serials that share their beginning would defeat zone maps on the text itself: those hold 8 characters.
_TABLE = """
    create table warranty_records (
        key ubigint not null, serial varchar not null, product_name varchar not null, warranty_end_date date not null
    )
"""
# DuckDB may change its hash with a version: the reader compares, and scans rather than miss a row.
_PROBE = "create table probe as select hash('TROLY') as value"
# Files of before have the table by this name, and the documents' name as a view.
EARLIER = "create view records as from warranty_records"
CREATE = (_TABLE, _PROBE)
# The documents' key (000-52). Its index costs a large list four times the file and the time, and helps no look-up: beyond
# so many rows the load alone sees to it that each serial stands there once.
MOST_KEYED = 200_000
KEY = "alter table warranty_records add primary key (serial)"

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


class WarrantyStore:
    """Read access to the published records; all methods raise StoreError."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets

    def loaded(self) -> DatasetInfo | None:
        """What is loaded; None when nothing is."""
        return dataset_info(self._datasets, DATASET)

    def find(self, serial: str) -> WarrantyRecord | None:
        """The record of `serial`, whatever its case (000 C8)."""
        rows = [row for row in self._fetch(_FIND, serial) if row[0].upper() == serial.upper()]
        if not rows and not self._same_hash():
            rows = self._fetch(_SCAN, serial)
        return _record(rows[0]) if rows else None

    def known(self, serials: Sequence[str]) -> dict[str, str]:
        """Those of `serials` that there is a record of, upper-case, with the form in which they were loaded."""
        found = self.find_all(dict.fromkeys(serial.upper() for serial in serials))
        return {key: record.serial for key, record in found.items() if record}

    def find_all(self, serials: Iterable[str]) -> dict[str, WarrantyRecord | None]:
        """The record of each serial, or None, in their order."""
        wanted = list(serials)
        if len(wanted) <= _FEW:
            return {serial: self.find(serial) for serial in wanted}
        keys = list(dict.fromkeys(serial.upper() for serial in wanted))
        statement = _FIND_MANY if self._same_hash() else _SCAN_MANY
        found: dict[str, WarrantyRecord] = {}
        for at in range(0, len(keys), _BATCH):
            batch = keys[at : at + _BATCH]
            asked = set(batch)
            found |= {
                row[0].upper(): _record(row)
                for row in self._fetch(statement, batch)
                if row[0].upper() in asked
            }
        return {serial: found.get(serial.upper()) for serial in wanted}

    def _same_hash(self) -> bool:
        """Whether the file's keys are hashes as this DuckDB makes them."""
        return self._fetch(_SAME_HASH) != [(False,)]

    def _fetch(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        return fetch_rows(self._datasets, DATASET, sql, list(parameters))


def _record(row: tuple[Any, ...]) -> WarrantyRecord:
    serial, product, end = row
    return WarrantyRecord(serial, sanitize(nfc(product), keep_newlines=False), end)
