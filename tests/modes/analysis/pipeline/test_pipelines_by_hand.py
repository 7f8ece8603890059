"""Pipelines written by hand: half of them refused for the listed reason, the others as MongoDB would answer them."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.analysis_sheets import MemorySheets, shop
from tests.support.mongo.values import alike
from troly.errors import InputError
from troly.text.catalogue import LANGS
from troly.text.dates import fixed_clock
from troly_analysis.pipeline.allow_list import EXPRESSIONS
from troly_analysis.pipeline.operators import OPERATORS
from troly_analysis.pipeline.reader import read
from troly_analysis.query.service import DataQueryService
from troly_analysis.types import Kind

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "pipelines.jsonl").read_text("utf-8").splitlines()
]
ACCEPTED = [case for case in CASES if "rows" in case]
REFUSED = [case for case in CASES if "refused" in case]
SERVICE = DataQueryService(shop(), "lan", clock=fixed_clock("2024-03-01 10:00"))


def ask(pipeline: Any) -> list[dict[str, Any]]:
    result = SERVICE.execute_pipeline("don hang", pipeline).result
    assert result.kind == ("rows" if result.rows else "empty")
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["pipeline"][:80])
def test_accepted_with_the_reference_s_rows(case: dict[str, Any]) -> None:
    assert alike(ask(case["pipeline"]), read(case["rows"]))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["pipeline"][:80])
def test_refused_with_one_clear_sentence(case: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        ask(case["pipeline"])
    assert refused.value.key == case["refused"]
    for lang in LANGS:
        shown = refused.value.render(lang)
        assert shown.title
        assert shown.message.endswith((".", ".`", "?"))
        assert shown.remedy
        assert not re.search(r"\{[a-z_]+\}", shown.line())


@pytest.mark.parametrize(
    ("expression", "unit"),
    [
        ({"$multiply": [{"$subtract": ["$Doanh thu", 1000]}, "$Số lượng"]}, "VND"),
        ({"$multiply": ["$p.Giá bán", "$Số lượng"]}, "VND"),
        ({"$cond": [{"$eq": ["$Nền tảng", "Shopee"]}, "$Doanh thu", 0]}, "VND"),
        ({"$round": [{"$divide": ["$Doanh thu", {"$add": ["$Số lượng", 1]}]}, 0]}, "VND"),
        ({"$divide": ["$Doanh thu", "$p.Giá bán"]}, ""),
        ({"$multiply": ["$Doanh thu", "$p.Giá bán"]}, ""),
        ({"$round": [{"$multiply": [{"$divide": ["$Số lượng", 7]}, 100]}, 1]}, "%"),
        ({"$multiply": ["$Số lượng", 100]}, ""),
        ({"$month": "$Ngày đặt"}, ""),
    ],
)
def test_what_is_worked_out_has_the_unit_of_its_parts(expression: Any, unit: str) -> None:
    store = MemorySheets()
    columns: dict[str, Kind] = {
        "Nền tảng": "text",
        "Số lượng": "integer",
        "Doanh thu": "money",
        "Ngày đặt": "date",
    }
    store.add("lan", "đơn", columns, [("Shopee", 2, 9000.0, date(2024, 1, 5))])
    store.add("lan", "hàng", {"Tên": "text", "Giá bán": "money"}, [("Shopee", 4000.0)])
    joined = {"from": "hàng", "localField": "Nền tảng", "foreignField": "Tên", "as": "p"}
    stages = [
        {"$lookup": joined},
        {"$unwind": "$p"},
        {"$group": {"_id": "$Nền tảng", "n": {"$sum": expression}}},
    ]
    assert DataQueryService(store, "lan").execute_pipeline("đơn", stages).result.units[1] == unit


def test_there_are_enough_of_both() -> None:
    assert len(ACCEPTED) >= 44
    assert len(REFUSED) >= 44


def test_dates_conversions_and_texts_against_written_results() -> None:
    stage = {
        "h": {"$dateDiff": {"startDate": "$Ngày đặt", "endDate": "$Giao lúc", "unit": "hour"}},
        "next": {"$dateAdd": {"startDate": "$Ngày đặt", "unit": "month", "amount": 1}},
        "before": {"$dateSubtract": {"startDate": "$Ngày đặt", "unit": "week", "amount": 1}},
        "parts": {"$dateFromParts": {"year": 2024, "month": 14, "day": 0}},
        "read": {"$dateFromString": {"dateString": "31/12/2024", "format": "%d/%m/%Y"}},
        "iso": {"$toString": "$Giao lúc"},
        "type": {"$type": "$Số lượng"},
        "even": {"$round": [{"$add": ["$Số lượng", 0.5]}]},
        "cut": {"$trunc": [{"$divide": ["$Doanh thu", 7]}, 1]},
        "bad": {"$convert": {"input": "$Nền tảng", "to": "int", "onError": -1, "onNull": 0}},
        "where": {"$indexOfCP": ["$Nền tảng", "pee"]},
        "one": {"$replaceOne": {"input": "$Nền tảng", "find": "e", "replacement": "3"}},
        "is": {"$regexMatch": {"input": "$Nền tảng", "regex": "^sho", "options": "i"}},
        "now": "$$NOW",
    }
    (row,) = ask([{"$match": {"Mã đơn": "D01"}}, {"$project": stage}])
    expected = {
        "h": 33, "next": {"$date": "2024-02-05"}, "before": {"$date": "2023-12-29"}, "parts": {"$date": "2025-01-31"},
        "read": {"$date": "2024-12-31"}, "iso": "2024-01-06T09:30:00.000Z", "type": "long", "even": 2.0, "cut": 42857.1,
        "bad": -1, "where": 3, "one": "Shop3e", "is": True, "now": {"$date": "2024-03-01T10:00:00"},
    }  # fmt: skip
    assert alike(row, read(expected))


def test_every_operator_of_the_list_is_compiled() -> None:
    assert set(EXPRESSIONS) - {"$literal"} == set(OPERATORS)
