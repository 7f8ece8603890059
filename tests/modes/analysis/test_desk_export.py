"""Exporting an answer: the exact figures, formulas made harmless, a chart as SVG, and every way it can go wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from python_calamine import CalamineWorkbook

from tests.support.modes.analysis import Analyst, analyst_at
from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly_analysis.sheets.export import csv_bytes, export_result, svg, xlsx_bytes

FORMULAS = 'Ngày đặt,Khách,Doanh thu\n1/11/2026,"=HYPERLINK(""http://x"")",100\n2/11/2026,@SUM(A1),200\n3/11/2026,-1+2,300\n'


def export(analyst: Analyst, path: Path, **values: Any) -> CommandResult:
    given: Mapping[str, Any] = {"to": str(path), **values}
    request = CommandRequest(analyst.services, analyst.profile, analyst.services.clock(), "vi", given)
    return export_result(request)


async def test_the_last_result_as_csv_and_xlsx(own_home: Path, tmp_path: Path) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("Doanh thu theo sàn")
        await analyst.ask("cảm ơn bạn")
        done = export(analyst, tmp_path / "a.csv")
        export(analyst, tmp_path / "a.xlsx", conversation=analyst.conversation)
    assert "4 dòng" in done.summary
    raw = (tmp_path / "a.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"))))
    assert rows[1] == ["Shopee", "158000000"]
    book = CalamineWorkbook.from_path(str(tmp_path / "a.xlsx"))
    assert book.get_sheet_by_index(0).to_python()[1] == ["Shopee", 158_000_000.0]


async def test_a_comparison_and_its_chart(own_home: Path, tmp_path: Path) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("So sánh doanh thu tuần này với tuần trước")
        await analyst.ask("vẽ biểu đồ")
        export(analyst, tmp_path / "c.csv")
        export(analyst, tmp_path / "c.svg")
    assert "period2_value,57750000" in (tmp_path / "c.csv").read_text("utf-8-sig")
    drawn = (tmp_path / "c.svg").read_text("utf-8")
    ET.fromstring(drawn)
    assert "57.750.000 VND" in drawn


async def test_no_cell_acts_as_a_formula(own_home: Path, tmp_path: Path) -> None:
    with analyst_at(own_home, FORMULAS) as analyst:
        await analyst.ask("doanh thu theo khách")
        export(analyst, tmp_path / "f.csv")
        export(analyst, tmp_path / "f.xlsx")
    rows = list(csv.reader(io.StringIO((tmp_path / "f.csv").read_text("utf-8-sig"))))
    assert len(rows) == 4
    for row in rows[1:]:
        assert row[0].startswith("'")
    sheet = CalamineWorkbook.from_path(str(tmp_path / "f.xlsx")).get_sheet_by_index(0).to_python()
    assert all(str(row[0]).startswith("'") for row in sheet[1:])


@pytest.mark.parametrize("cell", ["=1+1", "+1-1", "-1-1", "@x", "\t=1", "=cmd|'/c'!A0"])
def test_every_dangerous_beginning_is_neutralised(cell: str) -> None:
    text = csv_bytes((cell,), [(cell,), ([cell],)]).decode("utf-8-sig")
    for row in csv.reader(io.StringIO(text)):
        assert row[0][0] not in "=+-@\t"
    assert xlsx_bytes((cell,), [(cell,), (None,), (True,), (1.5,)])


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("x.pdf", "sheets_export.format"),
        ("x.svg", "sheets_export.no_chart"),
        ("no/dir/x.csv", "sheets_export.write"),
    ],
)
async def test_what_cannot_be_written_is_said(own_home: Path, tmp_path: Path, name: str, key: str) -> None:
    with analyst_at(own_home) as analyst:
        await analyst.ask("Tổng doanh thu tháng 1/2024")
        with pytest.raises(InputError) as caught:
            export(analyst, tmp_path / name)
    assert caught.value.key == key
    assert not (tmp_path / name).exists()


async def test_a_file_is_replaced_only_when_asked(own_home: Path, tmp_path: Path) -> None:
    target = tmp_path / "there.csv"
    target.write_text("mine", encoding="utf-8")
    with analyst_at(own_home) as analyst:
        with pytest.raises(InputError, match="result"):
            export(analyst, target)
        await analyst.ask("Tổng doanh thu tháng 1/2024")
        with pytest.raises(InputError, match="overwritten"):
            export(analyst, target)
        assert target.read_text("utf-8") == "mine"
        export(analyst, target, replace=True)
    assert "150000000" in target.read_text("utf-8-sig")
    assert [path.name for path in tmp_path.glob("*.part")] == []


@pytest.mark.parametrize("kind", ["bar", "line", "share"])
def test_a_chart_is_well_formed_whatever_its_labels(kind: str) -> None:
    labels = ["<script>alert(1)</script>", "\x1b[31mđỏ", "a" * 200, ""]
    event = {
        "kind": kind,
        "labels": labels,
        "series": [{"values": [1.0, 0.0, 2.5, 4.0]}],
        "title": "]]>&<",
        "unit": "VND",
    }
    drawn = svg(event, "vi")
    root = ET.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert "<script" not in drawn
    assert not [each for each in root.iter() if each.tag.endswith(("script", "a", "image"))]
