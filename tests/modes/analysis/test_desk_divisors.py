"""What a figure is of: rows counted as what they are, and means divided by what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.analysis import analyst_at
from troly.plugin.events import Chart, Suggestions
from troly_analysis.answer.sentences import value_text

SLIPS = (
    "Ngày,Mặt hàng,Loại phiếu,Số lượng\n"
    "1/9/2026,Gạo,Nhập,3\n"
    "2/9/2026,Mì,Xuất,1\n"
    "2/10/2026,Gạo,Xuất,3\n"
    "5/10/2026,Bia,Nhập,4\n"
)
LEAVE = (
    "Ngày nghỉ,Nhân viên,Trạng thái đơn nghỉ\n1/9/2026,An,Duyệt\n2/9/2026,Bình,Từ chối\n3/9/2026,An,Duyệt\n"
)
DEBTS = "Đối tác,Loại công nợ,Số tiền\nA,Phải thu,5.000.000đ\nB,Phải trả,3.000.000đ\nA,Phải thu,2.000.000đ\n"


@pytest.mark.parametrize(
    ("sheet", "name", "ask", "figure", "said"),
    [
        (SLIPS, "Kho", "có bao nhiêu phiếu", 4, True),
        (SLIPS, "Kho", "co may phieu nhap", 2, True),
        (SLIPS, "Kho", "tháng 9 có mấy phiếu", 2, True),
        (SLIPS, "Kho", "có mấy loại phiếu", 2, False),
        (LEAVE, "Nghỉ phép", "bao nhiêu đơn nghỉ", 3, True),
        (DEBTS, "Công nợ", "có bao nhiêu công nợ", 3, True),
        (DEBTS, "Công nợ", "tổng công nợ", 10_000_000, False),
        (DEBTS, "Công nợ", "tổng công nợ phải thu", 7_000_000, False),
    ],
)
async def test_a_column_of_kinds_is_not_what_is_counted(
    own_home: Path, sheet: str, name: str, ask: str, figure: int, *, said: bool
) -> None:
    with analyst_at(own_home, sheet, names=(name,)) as analyst:
        told = await analyst.ask(ask)
    assert f": {value_text(figure, '', 'vi')}" in told.done.text
    assert ("mỗi dòng là một" in told.done.text) is said


SALES = "Mã đơn,Ngày,Sàn,Khách hàng,Doanh thu\n" + "".join(
    f"D{number},{day},{shop},{who},{amount}.000đ\n"
    for number, (day, shop, who, amount) in enumerate(
        [
            ("1/9/2026", "Shopee", "Lan", 100),
            ("1/9/2026", "Lazada", "Hà", 200),
            ("11/9/2026", "Shopee", "Lan", 300),
            ("30/9/2026", "Shopee", "Tú", 600),
            ("14/10/2026", "Lazada", "Lan", 620),
        ]
    )
)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        ("doanh thu trung bình mỗi ngày tháng 9", "40.000 VND (1.200.000 VND / 30 ngày)\nChỉ tính 3 ngày có dữ liệu"),
        ("so don trung binh moi ngay thang 9/2026", "0,13 (4 / 30 ngày)"),
        ("doanh thu trung bình mỗi ngày", "41.364 VND (1.820.000 VND / 44 ngày)"),
        ("doanh thu trung bình mỗi tháng", "910.000 VND (1.820.000 VND / 2 tháng, trong đó 1 không trọn)"),
        ("average revenue per day in october", "44,286 VND (620,000 VND / 14 days)"),
        ("average revenue per customer", "606,667 VND (1,820,000 VND / 3 customers)"),
        ("doanh thu trung bình mỗi ngày theo sàn", "1. Shopee - 22.727 VND (1.000.000 VND / 44 ngày)"),
        ("doanh thu trung bình mỗi ngày theo tháng", "400.000 VND (1.200.000 VND / 3 ngày có dữ liệu)"),
        ("doanh thu trung bình mỗi đơn", "364.000 VND\n\nĐây là trung bình của cột «Doanh thu» trên mỗi dòng.\nTrung bình = 1.820.000 VND / 5 đơn."),
        ("doanh thu và số đơn trung bình mỗi ngày tháng 9", "0,13 (4 / 30 ngày)"),
    ],
)  # fmt: skip
async def test_a_mean_says_what_it_is_divided_by(own_home: Path, ask: str, told: str) -> None:
    with analyst_at(own_home, SALES) as analyst:
        answer = await analyst.ask(ask)
    assert told in answer.done.text


GOODS = (
    "Mã đơn,Ngày,Kênh,Sản phẩm,Số lượng,Doanh thu\n"
    "D1,1/9/2026,Shopee,Áo,5,100.000đ\n"
    "D2,2/9/2026,Lazada,Giày,1,900.000đ\n"
    "D3,3/9/2026,Lazada,Giày,1,900.000đ\n"
    "D4,4/9/2026,Website,Nón,3,50.000đ\n"
    "D5,5/9/2026,Lazada,Giày,1,900.000đ\n"
    "D6,6/9/2026,Shopee,Áo,4,80.000đ\n"
)
UNCOUNTED = "\n".join(",".join(row.split(",")[:4] + row.split(",")[5:]) for row in GOODS.splitlines())


@pytest.mark.parametrize(
    ("sheet", "ask", "told"),
    [
        (GOODS, "kênh nào bán chạy nhất", "1. Shopee - 9 sản phẩm"),
        (GOODS, "which channel sold the most", "1. Shopee - 9 pieces"),
        (GOODS, "top 2 san pham ban chay", "1. Áo - 9 sản phẩm\n2. Giày - 3 sản phẩm"),
        (GOODS, "what sells best on Lazada", "1. Giày - 3 pieces"),
        (UNCOUNTED, "kênh nào bán chạy nhất", "1. Lazada - 3 đơn"),
        (UNCOUNTED, "which channel sold the most", "1. Lazada - 3 orders"),
        (UNCOUNTED, "top 2 best sellers", "1. Giày - 3 orders"),
        (GOODS, "kênh nào bán được nhiều tiền nhất", "1. Lazada - 2.700.000 VND"),
    ],
)
async def test_best_sellers_go_by_pieces_or_orders_with_their_unit(
    own_home: Path, sheet: str, ask: str, told: str
) -> None:
    with analyst_at(own_home, sheet) as analyst:
        answer = await analyst.ask(ask)
    assert told in answer.done.text


STATES = "Mã đơn,Ngày,Kênh,Khách hàng,Doanh thu,Trạng thái\n" + "".join(
    f"D{number},{day},{shop},{who},{amount}.000đ,{state}\n"
    for number, (day, shop, who, amount, state) in enumerate(
        [
            ("1/9/2026", "Shopee", "Lan", 700, "Đã hủy"),
            ("10/9/2026", "Shopee", "Lan", 100, "Hoàn thành"),
            ("30/9/2026", "Lazada", "Hà", 400, "Hoàn thành"),
            ("1/10/2026", "Lazada", "Hà", 200, "Hoàn thành"),
            ("31/10/2026", "Shopee", "Tú", 100, "Hoàn trả"),
            ("31/10/2026", "Website", "Tú", 400, "Hoàn thành"),
        ]
    )
)


@pytest.mark.parametrize(
    ("ask", "other"),
    [
        ("tổng doanh thu", "1.100.000 VND"),
        ("doanh thu trung bình mỗi ngày tháng 9", "16.667 VND"),
        ("average revenue per customer", "366,667 VND"),
        (
            "doanh thu theo kênh",
            "Shopee 100.000 VND (hạng 3), Lazada 600.000 VND (hạng 1), Website 400.000 VND (hạng 2)",
        ),
        ("top 2 khách hàng theo doanh thu", "Lan 100.000 VND (hạng 3), Hà 600.000 VND (hạng 1)"),
        ("khách nào mua nhiều tiền nhất", "Lan 100.000 VND (hạng 3)"),
        ("so sánh doanh thu tháng 9 với tháng 10", "500.000 VND → 600.000 VND (+20%)"),
        ("Shopee chiếm bao nhiêu phần trăm doanh thu", "9,1%"),
        ("doanh thu theo tháng", "9/2026 500.000 VND, 10/2026 600.000 VND"),
        ("tổng doanh thu đơn hoàn thành", ""),
        ("doanh thu theo trạng thái", ""),
        ("có bao nhiêu đơn", ""),
    ],
)
async def test_money_says_in_one_line_what_it_is_without_lost_orders(
    own_home: Path, ask: str, other: str
) -> None:
    with analyst_at(own_home, STATES) as analyst:
        told = await analyst.ask(ask)
    lines = [line for line in told.done.text.splitlines() if "Hoàn trả" in line and "Đã hủy" in line]
    assert len(lines) == bool(other)
    assert all(line.endswith(f": {other}.") for line in lines)


@pytest.mark.parametrize(
    ("ask", "draw"),
    [
        ("tổng doanh thu", "vẽ biểu đồ"),
        ("tổng doanh thu tháng 9", "ve bieu do tron"),
        ("có bao nhiêu đơn Shopee", "vẽ biểu đồ giúp mình"),
        ("total revenue in september", "draw a chart"),
    ],
)
async def test_one_figure_is_said_to_make_no_chart_and_what_does_is_offered(
    own_home: Path, ask: str, draw: str
) -> None:
    with analyst_at(own_home, STATES) as analyst:
        await analyst.ask(ask)
        told = await analyst.ask(draw)
        offered = next(each for each in told.events if isinstance(each, Suggestions)).questions
        drawn = await analyst.ask(offered[1])
    assert "không thành biểu đồ" in told.done.text or "makes no chart" in told.done.text
    assert f"“{offered[0]}”" in told.done.text
    assert not any(isinstance(each, Chart) for each in told.events)
    assert any(isinstance(each, Chart) for each in drawn.events)
