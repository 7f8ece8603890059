"""A second set of pipelines by hand, with the rows that the MongoDB manual makes one expect, over visits to a clinic."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.analysis_sheets import Columns, MemorySheets, Rows
from troly.errors import InputError
from troly.text.dates import fixed_clock
from troly_analysis.query.service import DataQueryService

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "pipelines_visits.jsonl").read_text("utf-8").splitlines()
]
VISITS: Columns = {
    "code": "text", "day": "date", "dept": "text", "age": "integer", "fee": "money", "drugs": "list", "note": "text",
}  # fmt: skip
VISIT_ROWS: Rows = [
    ("V1", date(2026, 1, 5), "Nội", 34, 200_000.0, ["A", "B"], "tái khám"),
    ("V2", date(2026, 1, 20), "Nhi", 5, 150_000.0, ["A"], None),
    ("V3", date(2026, 2, 3), "Nội", None, 300_000.0, [], "gấp"),
    ("V4", date(2026, 2, 14), "Mắt", 61, None, None, "gấp, BHYT"),
    ("V5", date(2026, 3, 31), "Nhi", 8, 450_000.0, ["C", "A", "C"], None),
    ("V6", date(2026, 3, 31), None, 47, 0.0, ["B"], "x"),
]
DRUGS: Columns = {"id": "text", "name": "text", "price": "money"}
DRUG_ROWS: Rows = [("A", "Amox", 2_000.0), ("B", "Bisep", 3_500.0), ("D", "Dexa", 900.0)]


def service() -> DataQueryService:
    sheets = MemorySheets()
    sheets.add("an", "visits", VISITS, VISIT_ROWS)
    sheets.add("an", "drugs", DRUGS, DRUG_ROWS)
    return DataQueryService(sheets, "an", clock=fixed_clock("2026-11-22 10:00"))


@pytest.mark.parametrize("case", [c for c in CASES if "rows" in c], ids=lambda c: str(c["pipeline"])[:80])
def test_the_rows_are_those_of_the_manual(case: dict[str, Any]) -> None:
    result = service().execute_pipeline("visits", case["pipeline"]).result
    found = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    wanted = case["rows"]
    assert len(found) == len(wanted)
    for row, want in zip(found, wanted, strict=True):
        assert {name: row[name] for name in want} == want


@pytest.mark.parametrize("case", [c for c in CASES if "refused" in c], ids=lambda c: str(c["pipeline"])[:80])
def test_what_is_not_allowed_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        service().execute_pipeline("visits", case["pipeline"])


def test_the_set_is_as_large_as_the_first_one_needs() -> None:
    assert sum("rows" in case for case in CASES) >= 38
    assert sum("refused" in case for case in CASES) >= 14
