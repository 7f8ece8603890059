"""The price, cost or margin of a piece is never summed over rows; a comparison told by a pipeline is told as any other."""

from __future__ import annotations

from datetime import datetime

import pytest

from troly.text.dates import HCM
from troly_analysis.planner import Plan, analyse_question
from troly_analysis.query.aggregates import as_comparison
from troly_analysis.types import Field, Result, Sheet

NOW = datetime(2024, 6, 15, 9, 0, tzinfo=HCM)
GOODS = Sheet(
    "1", "lan", "Sản phẩm", "t1",
    (
        Field("Tên sản phẩm", "text", distinct=3, examples=("Áo khoác gió", "Giày chạy bộ", "Dép lê")),
        Field("Nhóm hàng", "text", distinct=2, examples=("Giày dép", "Áo khoác")),
        Field("Giá bán", "money", "VND", distinct=3),
        Field("Giá vốn", "money", "VND", distinct=3),
        Field("Tồn kho", "integer", distinct=3),
    ),
    3, NOW,
)  # fmt: skip


def _asked(text: str, previous: Plan | None = None) -> Plan:
    return analyse_question(text, [GOODS], NOW, previous=previous).plan


@pytest.mark.parametrize(
    "text",
    ["tổng giá vốn nhóm giày dép", "Nhóm giày dép lãi được bao nhiêu?", "giá vốn theo nhóm hàng", "tong gia ban nhom giay dep"],
)  # fmt: skip
def test_no_sum_of_pieces(text: str) -> None:
    plan = _asked(text)
    assert not plan.calls
    assert plan.question is not None


def test_pieces_of_one_thing_and_worth_go_on() -> None:
    assert _asked("Giá vốn của Áo khoác gió là bao nhiêu").calls
    worth = _asked("Tổng giá trị hàng tồn kho tính theo giá vốn là bao nhiêu?")
    plan = _asked("Nhóm hàng nào đang nằm nhiều vốn nhất?", worth)
    assert worth.ask
    assert plan.ask
    assert plan.calls
    assert plan.ask.measures[0].ref == worth.ask.measures[0].ref


def test_pipeline_told_as_comparison() -> None:
    found = as_comparison(
        Result("rows", columns=("period1", "period2", "difference"), rows=((200, 250, 50),)), "VND"
    )
    assert (found.kind, found.percentage_change, found.unit) == ("compare", 25.0, "VND")
