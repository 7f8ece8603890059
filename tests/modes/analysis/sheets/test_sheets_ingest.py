"""Loading files as sheets: names, worksheets, stopping, two loads at once; what was there stays until the new one is whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import xlsxwriter  # type: ignore[import-untyped]

from tests.support.modes.sheets import load_file, load_text, sheet_services
from tests.support.stores.services import profile
from troly.errors import InputError, StoppedError, StoreError
from troly.plugin.contract import IngestRequest
from troly.plugin.services import Services
from troly_analysis.sheets.ingest import ingest_sheet
from troly_analysis.sheets.records import dataset_of
from troly_analysis.sheets.store import SheetStore


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with sheet_services(tmp_path / "home") as made:
        yield made


def book(path: Path, **sheets: list[list[object]]) -> Path:
    with xlsxwriter.Workbook(str(path)) as made:
        for name, rows in sheets.items():
            sheet = made.add_worksheet(name)
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)
    return path


def test_a_file_is_named_by_its_name(services: Services, tmp_path: Path) -> None:
    path = tmp_path / "Đơn hàng 2026.csv"
    path.write_text("Mã,Giá\nA,5000\n", encoding="utf-8")
    load_file(services, path)
    sheet = SheetStore(services).sheet("an", "don hang 2026")
    assert (sheet.name, sheet.table, sheet.source) == ("Đơn hàng 2026", "don_hang_2026", path.name)


def test_each_worksheet_is_a_sheet(services: Services, tmp_path: Path) -> None:
    path = book(
        tmp_path / "kho.xlsx", Nhập=[["Mã", "Giá"], ["A", 5000]], Xuất=[["Mã", "Giá"], ["A", 7000], ["B", 1]]
    )
    outcome = load_file(services, path)
    assert outcome.counts["loaded"] == 3
    names = [sheet.name for sheet in SheetStore(services).sheets("an")]
    assert names == ["kho - Nhập", "kho - Xuất"]
    load_file(services, path, worksheet="xuat", name="Xuất kho")
    assert SheetStore(services).sheet("an", "xuất kho").rows == 2


def test_one_bad_worksheet_keeps_all_out(services: Services, tmp_path: Path) -> None:
    path = book(tmp_path / "kho.xlsx", Nhập=[["Mã", "Giá"], ["A", 5000]], Xuất=[["chỉ có tiêu đề", "b"]])
    with pytest.raises(InputError):
        load_file(services, path)
    assert SheetStore(services).sheets("an") == ()


def test_the_same_name_of_two_people_is_two_sheets(services: Services) -> None:
    mine = load_text(services, "Mã,Giá\nA,5000\n", "Hàng", "an")
    theirs = load_text(services, "Mã,Giá\nB,6000\nC,1\n", "Hàng", "binh")
    assert mine.id != theirs.id
    assert SheetStore(services).sheet("an", "Hàng").rows == 1


def test_a_stopped_load_leaves_nothing(services: Services, tmp_path: Path) -> None:
    load_text(services, "Mã,Giá\nA,5000\n", "Hàng")
    path = tmp_path / "hang.csv"
    path.write_text("Mã,Giá\n" + "A,7000\n" * 1000, encoding="utf-8")
    request = IngestRequest(
        services,
        path,
        services.clock(),
        "vi",
        values={"name": "Hàng"},
        profile=profile("an"),
        cancelled=lambda: True,
    )
    with pytest.raises(StoppedError):
        ingest_sheet(request)
    assert SheetStore(services).sheet("an", "Hàng").rows == 1


def test_two_loads_of_one_sheet_at_once(services: Services, tmp_path: Path) -> None:
    path = tmp_path / "hang.csv"
    path.write_text("Mã,Giá\nA,7000\n", encoding="utf-8")
    with services.datasets.build(dataset_of("an", "Hàng")), pytest.raises(StoreError) as raised:
        load_file(services, path, name="HÀNG")
    assert raised.value.key == "store.ingest_running"
    assert load_file(services, path, name="HÀNG").published


@pytest.mark.parametrize(
    "name",
    ["🙂", "...", "select", "order by", "main", "1", "a" * 80, "'; drop table x; --", 'Giá "đặc biệt"'],
)
def test_any_name_will_do(services: Services, name: str) -> None:
    sheet = load_text(services, "Mã,Giá\nA,5000\n", name)
    store = SheetStore(services)
    assert store.sheet("an", name).id == store.sheet("an", sheet.id).id == sheet.id
    with store.connect("an") as connection:
        assert connection.table(f'"{sheet.table}"').fetchall() == [("A", 5000)]


def test_a_name_too_long_is_refused(services: Services, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        load_file(services, tmp_path / "x.csv", name="a" * 81)
    assert raised.value.key == "sheets.name"


def test_the_profile_is_kept_with_the_sheet(services: Services) -> None:
    cells = [100_000 + 1_000 * n for n in range(30)] + [90_000_000]
    body = "".join(
        f"{value},{n % 28 + 1}/3/2026,{'' if n % 3 else 'Shopee'}\n" for n, value in enumerate(cells)
    )
    sheet = load_text(services, f"Doanh thu,Ngày,Kênh\n{body}")
    money, day, channel = sheet.fields
    assert (money.least, money.most, money.outliers, money.blanks) == ("100000", "90000000", 1, 0)
    assert (day.least, day.most) == ("2026-03-01", "2026-03-28")
    assert (channel.blanks, channel.distinct, channel.examples) == (20, 1, ("Shopee",))
    assert sheet.date_field == "Ngày"
    assert sheet.span is not None
    assert sheet.span[1].isoformat() == "2026-03-28"
