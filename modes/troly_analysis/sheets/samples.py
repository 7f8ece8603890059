"""Sample sheets of a small shop, which belong to the person at the keyboard and go when a sheet of theirs comes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from troly.plugin.contract import DataStatus, Samples
from troly.plugin.samples import shipped
from troly.text.catalogue import Lang
from troly.text.dates import format_date
from troly.text.numbers import format_number
from troly_analysis.strings import say
from troly_analysis.types import Sheet

if TYPE_CHECKING:
    from troly.plugin.services import Services


INGEST_COMMAND = "app ingest sheet FILE"
FOLDER = "sheets"
# File by sheet; the metric that goes with it, if any.
_SHEETS = {
    "Đơn hàng": ("don-hang.csv", "doanh thu thuần = sum(Doanh thu) where Trạng thái = 'Hoàn thành'"),
    "Sản phẩm": ("san-pham.csv", ""),
    "Khách hàng": ("khach-hang.csv", ""),
}
_NAMED = 4


def _load(services: Services, lang: Lang) -> tuple[str, ...]:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from troly.tables.stage import LoadContext
    from troly_analysis.sheets.ingest import ImportRequest, import_file
    from troly_analysis.sheets.store import SheetStore

    store, owner = SheetStore(services), _owner(services)
    there = {sheet.name: sheet for sheet in store.sheets(owner)}
    # Questions go over all sheets: figures of the samples must not mix with one's own.
    if not all(sheet.samples for sheet in there.values()):
        return (say("sheets.samples_kept", lang),)
    told = []
    for name, (file, metric) in _SHEETS.items():
        if name in there:
            told.append(say("sheets.samples_there", lang, name=name))
            continue
        with TemporaryDirectory(prefix="troly-sample-", ignore_cleanup_errors=True) as folder:
            order = ImportRequest(
                shipped(f"{FOLDER}/{file}"), owner, name, now=services.clock(), language="vi", samples=True
            )
            means = LoadContext(Path(folder), lambda _done, _total, _unit: None, lambda: None)
            import_file(order, services.datasets, means, lambda: False, lambda _sheets: None)
        if metric:
            store.set_metric(owner, name, metric)
        told.append(say("sheets.samples_loaded", lang, name=name))
    return tuple(told)


def _remove(services: Services, lang: Lang) -> tuple[str, ...]:
    from troly_analysis.sheets.store import SheetStore

    gone = SheetStore(services).remove_samples(_owner(services))
    told = tuple(say("sheets.samples_removed", lang, name=sheet.name) for sheet in gone)
    return told or (say("sheets.samples_none", lang),)


def _samples(services: Services) -> list[Sheet]:
    """The sample sheets of the person at the keyboard."""
    from troly_analysis.sheets.store import SheetStore

    return [sheet for sheet in SheetStore(services).sheets(_owner(services)) if sheet.samples]


def _owner(services: Services) -> str:
    from troly.config.users import load_profile

    return load_profile(services.paths, services.settings).login


SAMPLES = Samples(_load, _remove, lambda services: bool(_samples(services)))


def data_status(services: Services, lang: Lang) -> DataStatus:
    """Which sheets the person at the keyboard has, and whether any can be asked. Raises StoreError."""
    from troly.errors import TrolyError
    from troly_analysis.sheets.store import SheetStore

    sheets: tuple[Sheet, ...] = ()
    with suppress(TrolyError):
        sheets = SheetStore(services).sheets(_owner(services))
    if not sheets:
        return DataStatus(say("sheets.holdings_none", lang), enough=False, command=INGEST_COMMAND)
    parts = [_held(sheet, lang) for sheet in sheets[:_NAMED]]
    if len(sheets) > _NAMED:
        parts.append(say("sheets.holdings_more", lang, count=len(sheets) - _NAMED))
    return DataStatus("; ".join(parts), enough=True, command=INGEST_COMMAND)


def _held(sheet: Sheet, lang: Lang) -> str:
    rows = format_number(sheet.rows, lang)
    key = "holdings_sample" if sheet.samples else "holdings_own"
    day = format_date(sheet.imported_at.date())
    return say(f"sheets.{key}", lang, name=sheet.name, rows=rows, date=day)
