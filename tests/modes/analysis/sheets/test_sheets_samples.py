"""The sample sheets: made from a seed, loaded for the person at the keyboard, and gone when a sheet of theirs comes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.support.modes.sheet_generator import FILES, FOLDER
from tests.support.modes.sheets import sheet_services
from tests.support.stores.services import profile
from troly.config.users import current_login
from troly.plugin.contract import IngestRequest
from troly_analysis.sheets.commands import INGESTS
from troly_analysis.sheets.samples import SAMPLES, data_status
from troly_analysis.sheets.store import SheetStore


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_files_are_what_the_seed_makes(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == FILES[name]()


def test_they_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 3 << 20


def test_samples_are_loaded_and_removed_as_such(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        owner, store = current_login(services.paths, services.settings), SheetStore(services)
        assert profile(owner).login == owner
        SAMPLES.load(services, "vi")
        sheets = {sheet.name: sheet for sheet in store.sheets(owner)}
        orders = sheets["Đơn hàng"]
        assert orders.rows >= 20_000
        assert orders.date_field == "Ngày đặt"
        assert orders.span is not None
        assert (orders.span[1] - orders.span[0]).days > 700
        assert not [field for field in orders.fields if field.doubt]
        assert [metric.name for metric in orders.metrics] == ["doanh thu thuần"]
        assert SAMPLES.loaded(services)
        assert "(mẫu)" in data_status(services, "vi").line
        assert "đã có" in " ".join(SAMPLES.load(services, "vi"))
        assert len(SAMPLES.remove(services, "vi")) == len(sheets)
        assert store.sheets(owner) == ()


def test_a_sheet_of_ones_own_takes_the_samples_away_and_keeps_them_away(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        owner, store = current_login(services.paths, services.settings), SheetStore(services)
        SAMPLES.load(services, "vi")
        file = tmp_path / "gia.csv"
        file.write_text("Mã,Giá\nA,5000\n", encoding="utf-8")
        (ingest,) = INGESTS
        asked = IngestRequest(services, file, services.clock(), "vi", profile=profile(owner))
        checked = ingest.run(dataclasses.replace(asked, dry_run=True))
        assert "mẫu" not in checked.summary
        assert SAMPLES.loaded(services)
        assert "Đã bỏ các bảng mẫu" in ingest.run(asked).summary
        assert [sheet.name for sheet in store.sheets(owner)] == ["gia"]
        assert not SAMPLES.loaded(services)
        assert "không nạp" in " ".join(SAMPLES.load(services, "vi"))
        assert [sheet.name for sheet in store.sheets(owner)] == ["gia"]


def test_an_empty_desk_says_how_to_begin(tmp_path: Path) -> None:
    with sheet_services(tmp_path) as services:
        found = data_status(services, "en")
        assert (found.enough, found.command) == (False, "app ingest sheet FILE")
