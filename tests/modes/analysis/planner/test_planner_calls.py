"""Questions over four trades become the calls they mean."""

from __future__ import annotations

from typing import Any

import pytest

from tests.modes.analysis.planner.planner_sheets import (
    ATTENDANCE,
    CLINIC,
    CUSTOMERS,
    NOW,
    ORDERS,
    STOCK,
    plan,
)
from troly.text.fold import fold
from troly_analysis.types import Sheet

MAY = {"date_field": "Ngày đặt", "date_from": "2024-05-01", "date_to": "2024-05-31"}
SUM = {"operation": "sum", "field": "Doanh thu"}
COUNT = {"operation": "count"}
SIMPLE: list[tuple[Sheet, str, str, dict[str, Any]]] = [
    (ORDERS, "Tổng doanh thu tháng trước là bao nhiêu?", "aggregate_data", {**SUM, **MAY}),
    (ORDERS, "doanh thu shopee tháng 5", "aggregate_data", {**SUM, **MAY, "filters": {"Nền tảng": "Shopee"}}),
    (
        ORDERS,
        "Có bao nhiêu đơn hàng từ Shopee?",
        "aggregate_data",
        {**COUNT, "filters": {"Nền tảng": "Shopee"}},
    ),
    (ORDERS, "revenue by province", "aggregate_data", {**SUM, "group_by": "Tỉnh thành"}),
    (ORDERS, "doanh thu theo tháng", "aggregate_data", {**SUM, "group_by": "Ngày đặt:month"}),
    (
        ORDERS,
        "doanh thu theo tỉnh và nền tảng",
        "aggregate_data",
        {**SUM, "group_by": "Tỉnh thành, Nền tảng"},
    ),
    (ORDERS, "doanh thu thuần", "aggregate_data", {"operation": "sum", "field": "doanh thu thuần"}),
    (ORDERS, "số đơn trên 5 triệu", "aggregate_data", {**COUNT, "filters": {"Doanh thu": {"gt": 5_000_000}}}),
    (
        ORDERS,
        "doanh thu không tính đơn hủy và hoàn trả",
        "aggregate_data",
        {**SUM, "filters": {"Trạng thái": {"nin": ["Đã hủy", "Hoàn trả"]}}},
    ),
    (
        ORDERS,
        "doanh thu ở Sài Gòn và hà nội",
        "aggregate_data",
        {**SUM, "group_by": "Tỉnh thành", "filters": {"Tỉnh thành": {"in": ["Hồ Chí Minh", "Hà Nội"]}}},
    ),
    (
        ORDERS,
        "đơn từ 2 đến 5tr có bao nhiêu",
        "aggregate_data",
        {**COUNT, "filters": {"Doanh thu": {"between": [2_000_000, 5_000_000]}}},
    ),
    (
        ORDERS,
        "Top 5 sản phẩm bán chạy nhất?",
        "get_top_items",
        {
            "sort_field": "Số lượng",
            "sort_order": "desc",
            "limit": 5,
            "group_by": "Sản phẩm",
            "aggregate_field": "Số lượng",
        },
    ),
    (
        ORDERS,
        "tỉnh nào có doanh thu thấp nhất",
        "get_top_items",
        {
            "sort_field": "Doanh thu",
            "sort_order": "asc",
            "limit": 1,
            "group_by": "Tỉnh thành",
            "aggregate_field": "Doanh thu",
        },
    ),
    (
        ORDERS,
        "5 đơn hàng mới nhất",
        "get_top_items",
        {"sort_field": "Ngày đặt", "sort_order": "desc", "limit": 5},
    ),
    (
        ORDERS,
        "So sánh doanh thu tuần này với tuần trước",
        "compare_periods",
        {
            **SUM,
            "date_field": "Ngày đặt",
            "period1_from": "2024-06-03",
            "period1_to": "2024-06-09",
            "period2_from": "2024-06-10",
            "period2_to": "2024-06-16",
        },
    ),
    (
        ATTENDANCE,
        "tổng giờ tăng ca của phòng kỹ thuật",
        "aggregate_data",
        {"operation": "sum", "field": "Tăng ca (giờ)", "filters": {"Phòng ban": "Kỹ thuật"}},
    ),
    (
        ATTENDANCE,
        "giờ làm trung bình theo phòng ban",
        "aggregate_data",
        {"operation": "avg", "field": "Giờ làm", "group_by": "Phòng ban"},
    ),
    (
        ATTENDANCE,
        "nhân viên nào đi muộn nhiều nhất",
        "get_top_items",
        {
            "sort_field": "count",
            "sort_order": "desc",
            "limit": 1,
            "group_by": "Họ tên",
            "filters": {"Trạng thái": "Đi muộn"},
        },
    ),
    (CLINIC, "How many visits were there?", "aggregate_data", COUNT),
    (
        CLINIC,
        "tổng viện phí của bác sĩ Lan",
        "aggregate_data",
        {"operation": "sum", "field": "fee", "filters": {"doctor": "Dr. Lan"}},
    ),
    (
        CLINIC,
        "average waiting time by doctor",
        "aggregate_data",
        {"operation": "avg", "field": "waiting_minutes", "group_by": "doctor"},
    ),
    (
        STOCK,
        "gạo st25 nhập bao nhiêu",
        "aggregate_data",
        {"operation": "sum", "field": "SL", "filters": {"Tên hàng": "Gạo ST25", "Loại phiếu": "Nhập"}},
    ),
    (
        STOCK,
        "thành tiền xuất theo nhóm hàng",
        "aggregate_data",
        {
            "operation": "sum",
            "field": "Thành tiền",
            "group_by": "Nhóm hàng",
            "filters": {"Loại phiếu": "Xuất"},
        },
    ),
]


def flat(arguments: Any) -> Any:
    """Arguments without the order of lists, to be compared."""
    if isinstance(arguments, dict):
        return {name: flat(value) for name, value in arguments.items()}
    return sorted(arguments, key=str) if isinstance(arguments, list) else arguments


@pytest.mark.parametrize(("sheet", "text", "tool", "wanted"), SIMPLE, ids=[case[1] for case in SIMPLE])
def test_a_question_becomes_the_simple_call_it_means(
    sheet: Sheet, text: str, tool: str, wanted: dict[str, Any]
) -> None:
    made = plan(text, (sheet,), NOW)
    assert [call.tool for call in made.calls] == [tool]
    assert flat(dict(made.calls[0].arguments)) == flat({"connection_name": sheet.name, **wanted})
    assert not made.missing


@pytest.mark.parametrize(("sheet", "text"), [(case[0], case[1]) for case in SIMPLE])
def test_without_accents_and_in_capitals_a_question_means_the_same(sheet: Sheet, text: str) -> None:
    meant = plan(text, (sheet,), NOW).calls
    for other in (fold(text), text.upper()):
        found = plan(other, (sheet,), NOW)
        assert flat(dict(found.calls[0].arguments)) == flat(dict(meant[0].arguments)), found


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tong daonh thu thang truoc", "tổng doanh thu tháng trước"),
        ("dt shoppe thg 5", "doanh thu Shopee tháng 5"),
        ("bn đh bị hủy", "bao nhiêu đơn hàng bị hủy"),
        ("top 5 sp bán chạy nhất", "top 5 sản phẩm bán chạy nhất"),
        ("ba sản phẩm bán chạy nhất", "top 3 sản phẩm bán chạy nhất"),
        ("ba san pham ban chay nhat", "top 3 sản phẩm bán chạy nhất"),
        ("doanhthu theo tinh", "doanh thu theo tỉnh"),
    ],
)
def test_slips_and_chat_spellings_are_put_right(typed: str, meant: str) -> None:
    assert plan(typed, (ORDERS,), NOW).calls[0].arguments == plan(meant, (ORDERS,), NOW).calls[0].arguments


@pytest.mark.parametrize(
    ("sheets", "text", "stages"),
    [
        ((ORDERS,), "có bao nhiêu khách hàng mua hàng", ["$match", "$group", "$count"]),
        ((ORDERS,), "Lazada chiếm bao nhiêu phần trăm doanh thu", ["$group", "$project"]),
        (
            (ORDERS,),
            "sản phẩm nào có doanh thu trên 500 triệu",
            ["$group", "$match", "$project", "$sort", "$limit"],
        ),
        ((ORDERS,), "doanh thu trung bình mỗi ngày", ["$group", "$group", "$project"]),
        (
            (ORDERS, CUSTOMERS),
            "doanh thu theo hạng khách hàng",
            ["$lookup", "$unwind", "$group", "$project", "$sort", "$limit"],
        ),
        ((ATTENDANCE,), "tỷ lệ đi muộn theo phòng ban", ["$group", "$project", "$sort", "$limit"]),
    ],
)
def test_what_the_simple_tools_cannot_do_becomes_a_pipeline(
    sheets: tuple[Sheet, ...], text: str, stages: list[str]
) -> None:
    made = plan(text, sheets, NOW)
    assert [call.tool for call in made.calls] == ["execute_aggregation"]
    pipeline = made.calls[0].arguments["pipeline"]
    assert [next(iter(stage)) for stage in pipeline] == stages


def test_a_chart_is_one_that_was_asked_for() -> None:
    wanted = {
        "vẽ biểu đồ doanh thu theo tháng": "any",
        "biểu đồ cột doanh thu theo tỉnh": "bar",
        "vẽ biểu đồ tròn doanh thu theo nền tảng": "share",
        "doanh thu theo tháng": None,
        "tổng doanh thu": None,
    }
    assert {text: plan(text, (ORDERS,), NOW).chart for text in wanted} == wanted


def test_a_period_that_is_not_over_is_flagged_and_one_without_data_is_said() -> None:
    assert plan("doanh thu tháng này", (ORDERS,), NOW).partial_period
    assert not plan("doanh thu tháng trước", (ORDERS,), NOW).partial_period
    outside = plan("doanh thu năm 2021", (ORDERS,), NOW)
    assert "outside" in [note.key for note in outside.shown]
    assert "14/6/2024" in next(note for note in outside.shown if note.key == "outside").say("vi")


def test_a_metric_keeps_its_conditions_to_itself() -> None:
    made = plan("doanh thu thuần và số lượng theo nền tảng", (ORDERS,), NOW)
    fields = [call.arguments.get("field") for call in made.calls]
    assert fields == ["doanh thu thuần", "Số lượng"]
    assert all(call.tool == "aggregate_data" for call in made.calls)
