"""The sample sheets: made from a seed, loaded for the person at the keyboard, never over a sheet of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.house import profile
from tests.support.sample_sheets import FILES, FOLDER
from tests.support.sheets import load_text, sheet_services
from troly.config import current_login
from troly_analysis.samples import SAMPLES, holdings
from troly_analysis.sheets_store import SheetStore


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_files_are_what_the_seed_makes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == FILES[name]()


def test_they_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3 << 20


def test_samples_are_loaded_and_removed_as_such(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        owner, store = current_login(services.paths, services.settings), SheetStore(services)
        assert profile(owner).login == owner
        load_text(services, "Mã,Giá\nA,5000\n", "Khách hàng", owner)
        assert not SAMPLES.loaded(services)
        assert not holdings(services, "vi").line.startswith("Chưa")
        told = SAMPLES.load(services, "vi")
        assert "Khách hàng" in " ".join(told)
        sheets = {sheet.name: sheet for sheet in store.sheets(owner)}
        assert sheets["Khách hàng"].rows == 1
        orders = sheets["Đơn hàng"]
        assert orders.rows >= 20_000
        assert orders.date_field == "Ngày đặt"
        assert orders.span is not None
        assert (orders.span[1] - orders.span[0]).days > 700
        assert not [field for field in orders.fields if field.doubt]
        assert [metric.name for metric in orders.metrics] == ["doanh thu thuần"]
        assert SAMPLES.loaded(services)
        assert "(mẫu)" in holdings(services, "vi").line
        SAMPLES.remove(services, "vi")
        assert [sheet.name for sheet in store.sheets(owner)] == ["Khách hàng"]


def test_an_empty_desk_says_how_to_begin(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        found = holdings(services, "en")
        assert (found.enough, found.command) == (False, "app ingest sheet FILE")
