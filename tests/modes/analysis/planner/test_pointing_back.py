"""What a message points at in the answer before: its one thing, its period, itself as the whole of a share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.analysis import Analyst, analyst_at


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (("doanh thu tháng 11/2026", "tháng đó có mấy đơn"), "4 đơn"),
        (("số đơn Shopee tháng 11/2026", "tính doanh thu chứ không phải số đơn"), "50.000.000 VND"),
        (("doanh thu theo sàn tháng 11/2026", "Shopee chiếm bao nhiêu phần trăm trong số đó"), "46,4%"),
        (("số đơn đã hủy tháng 11/2026", "vậy là chiếm mấy % tổng đơn tháng đó"), "25%"),
        (("số đơn đã hủy năm 2026", "số đó chiếm mấy phần trăm tổng số đơn của năm 2026"), "16,7%"),
        (("sàn nào có nhiều đơn nhất", "còn ít nhất"), "1. TikTok - 1"),
        (("sàn nào có nhiều đơn nhất", "thế sàn nào đội sổ"), "1. TikTok - 1"),
        # A month without a year is of the year that was named, else the latest that has begun.
        (("số đơn tháng 3/2024", "không, tháng 1 cơ"), "tháng 1/2024"),
        (("số đơn năm 2024", "còn quý 1?"), "quý 1/2024"),
        (("số đơn tháng 11/2026", "còn tháng 12?"), "1/12/2025"),
        (("doanh thu tháng 11/2026", "trong đó Shopee bao nhiêu"), "50.000.000 VND"),
        (("số đơn theo tháng năm 2026", "tháng nào nhiều nhất"), "1. Tháng 11/2026 - 4"),
        (("doanh thu tháng 10/2026", "so với tháng 11/2026 thì sao"), "9.500.000"),
        (("số đơn không tính Shopee", "bỏ luôn cả đơn Lazada ra"), "2 đơn"),
        # A state is of the rows that were counted; what is asked of other days is not of it.
        (
            ("số đơn đã hủy tháng 11/2026", "còn doanh thu tháng 10/2026 là bao nhiêu"),
            "Tổng doanh thu tháng 10/2026: 9.500.000",
        ),
        (
            ("sàn nào có nhiều đơn đã hủy nhất", "cụ thể là bao nhiêu đơn đã hủy"),
            "(Sàn: Shopee, Trạng thái: Đã hủy): 1 đơn",
        ),
        (("số đơn tháng 11/2026", "hết thảy bao nhiêu tiền doanh thu"), "11/2026"),
        # A state of the rows filters the figure that is shown; what is denied ends with its own noun.
        (("doanh thu tháng 11/2026", "nếu chỉ lấy đơn hoàn thành thì còn lại bao nhiêu"), "77.750.000 VND"),
        (("doanh thu tháng 11/2026", "chỉ tính đơn đã hủy thôi thì được bao nhiêu"), "30.000.000 VND"),
        (("revenue in November 2026", "what if we only take cancelled orders"), "30,000,000 VND"),
        (("doanh thu Shopee tháng 11/2026", "trừ mấy đơn huỷ của Shopee ra thì còn nhiêu"), "20.000.000 VND"),
        (
            ("sàn nào doanh thu cao nhất năm 2026", "nếu chỉ lấy đơn hoàn thành thì sàn này còn bao nhiêu"),
            "28.000.000 VND",
        ),
        # A figure with days of its own stands alone after a question that was not read.
        (
            ("doanh thu của kho xyzt", "nếu không tính đơn hủy thì doanh thu tháng 11/2026 là bao nhiêu"),
            "77.750.000 VND",
        ),
        # A day of the week after one day is the last one up to it; 'vs' beside a rise names what to compare with.
        (("số đơn ngày 3/11/2026", "còn thứ hai thì sao"), "Số đơn 2/11/2026"),
        (("how many orders on 3/11/2026", "and on monday?"), "2/11/2026"),
        (("doanh thu tháng 11/2026", "up or down vs october"), "so với tháng 10"),
        (("doanh thu tháng 11/2026", "tăng hay giảm vs tháng 10/2026"), "so với tháng 10"),
        (
            ("doanh thu tháng 11/2026", "doanh thu tháng trước, từ 1/10 đến 31/10 là bao nhiêu"),
            "9.500.000 VND",
        ),
        # What was shown is left out of the same ranking, and more with it.
        (
            ("sàn nào doanh thu cao nhất năm 2026", "bỏ sàn đó ra thì sàn nào dẫn đầu"),
            "1. Lazada - 30.000.000",
        ),
        (
            ("sàn nào doanh thu cao nhất năm 2026", "bỏ sàn đó đi, với cả Lazada nữa, thì chỗ nào dẫn đầu"),
            "1. TikTok - 27.750.000",
        ),
        (
            ("sản phẩm nào bán chạy nhất tháng 11/2026", "trừ món đó ra thì món nào bán chạy nhất"),
            "trừ Áo thun",
        ),
        # Other places, orders, days and shares of what was ranked.
        (
            ("sàn nào doanh thu cao nhất năm 2026", "sàn đứng thứ hai thì được bao nhiêu"),
            "1. Lazada - 30.000.000",
        ),
        (("sàn nào doanh thu cao nhất năm 2026", "sàn thứ ba là sàn nào"), "1. TikTok - 27.750.000"),
        (("top 2 sản phẩm bán chạy năm 2026", "thế xếp theo tiền thì sao"), "1. Áo thun - 47.750.000"),
        (("top 2 sàn doanh thu năm 2026", "cả 2 sàn đó cộng lại bao nhiêu"), "88.000.000"),
        (("sàn nào nhiều đơn nhất tháng 11/2026", "chiếm mấy phần trăm số đơn của tháng đó"), "50%"),
        (("tỉ lệ đơn hủy tháng 11/2026", "vậy chiếm bao nhiêu phần trăm"), "25%"),
        (("số đơn tháng 10/2026", "tháng sau thì sao"), "4 đơn"),
        (("top 2 sàn doanh thu năm 2026", "TikTok chiếm bao nhiêu phần trăm"), "23,7%"),
    ],
)
async def test_the_answer_before_is_pointed_at(analyst: Analyst, asked: tuple[str, ...], answer: str) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


SELLER = "sản phẩm nào bán chạy nhất"
TOP = "top 3 sản phẩm bán chạy nhất"
BY_PLATFORM = "doanh thu theo sàn năm 2026"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        # Several things that were listed, by a plural, by their number, or as what is inside.
        ((TOP, "mấy món đó có mấy đơn"), "1. Áo thun - 3"),
        ((TOP, "trong 4 món đó món nào ít doanh thu nhất"), "1. Mũ len - 1.500.000"),
        ((TOP, "trong đó món nào ít doanh thu nhất"), "1. Mũ len - 1.500.000"),
        (("doanh thu 2 sàn cao nhất", "tổng số đơn của 2 sàn đó"), "(Sàn: Shopee, Lazada): 6 đơn"),
        # The two ends of what was listed.
        ((BY_PLATFORM, "sàn cao nhất hơn sàn thấp nhất bao nhiêu"), "56.500.000"),
        # A place of the ranking alone, and a place that is pointed at.
        ((BY_PLATFORM, "who comes second?"), "1. Lazada"),
        ((BY_PLATFORM, "thứ nhì?", "what sold best there?"), ", Lazada, "),
        ((BY_PLATFORM, "thứ nhì?", "ở bển có mấy đơn"), "(Sàn: Lazada"),
        # Another figure is what it is a part of.
        (("số lượng tháng 11/2026", "số đó bằng mấy phần trăm doanh thu"), "7 / 107.750.000"),
    ],
)
async def test_several_things_that_were_shown_are_meant(
    analyst: Analyst, asked: tuple[str, ...], answer: str
) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ((SELLER, "món đó bán được bao nhiêu tiền"), "(Sản phẩm: Áo thun): 147.750.000 VND"),
        ((SELLER, "nó có mấy đơn"), "(Sản phẩm: Áo thun): 3 đơn"),
        (
            (SELLER, "nó có mấy đơn", "doanh thu của nó trên Shopee"),
            "(Sản phẩm: Áo thun, Sàn: Shopee): 120.000.000",
        ),
        ((TOP, "cái thứ hai bán được bao nhiêu"), "(Sản phẩm: Quần jean): 151"),
        ((TOP, "con đứng thứ 2 có mấy đơn"), "(Sản phẩm: Quần jean): 2 đơn"),
        (("sàn nào ít đơn nhất", "sàn ít nhất đó có mấy đơn"), "(Sàn: TikTok): 1 đơn"),
        ((TOP, "how many orders did the second one have"), "(Sản phẩm: Quần jean): 2 orders"),
        (("ngày nào có doanh thu cao nhất", "hôm ấy có mấy đơn"), "Số đơn 5/1/2024: 1 đơn"),
        (("đơn nào có doanh thu lớn nhất", "đơn đó bán được mấy cái"), "(Mã đơn: D001): 200"),
        (("doanh thu tháng 11/2026", "tháng trước đó thì sao"), "9.500.000"),
        (("revenue in November 2026", "and the month before that?"), "9,500,000"),
        (("doanh thu tháng 11/2026", "trong khoảng thời gian đó sàn nào nhiều đơn nhất"), "1. Shopee - 2"),
    ],
)
async def test_one_thing_that_was_shown_is_meant_and_named_in_the_first_line(
    analyst: Analyst, asked: tuple[str, ...], answer: str
) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            ("doanh thu Shopee tháng 11/2026", "còn Lazada", "cộng hai sàn đó lại được bao nhiêu tiền"),
            "80.000.000 VND",
        ),
        (
            ("doanh thu Shopee tháng 11/2026", "còn Lazada", "hai sàn đó chênh nhau bao nhiêu"),
            "20.000.000 VND",
        ),
        (
            ("doanh thu tháng 11/2026", "còn tháng 10/2026", "chênh bao nhiêu giữa hai tháng đó"),
            "98.250.000 VND",
        ),
        (("so sánh doanh thu tháng 10/2026 với tháng 11/2026", "tăng hay giảm mấy phần trăm"), "1.034,2%"),
        (("so sánh doanh thu tháng 10/2026 với tháng 11/2026", "số đơn hai tháng đó thì sao"), "từ 2 lên 4"),
    ],
)
async def test_the_two_that_were_shown_are_set_side_by_side(
    analyst: Analyst, asked: tuple[str, ...], answer: str
) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            ("doanh thu Shopee tháng 11/2026", "Lazada thì hết bao nhiêu"),
            "tháng 11/2026 (Sàn: Lazada): 30.000.000 VND",
        ),
        (("doanh thu không tính Shopee", "trừ luôn Lazada ra nữa thì còn bao nhiêu"), "29.250.000 VND"),
        (("so sánh doanh thu tháng 10/2026 với tháng 11/2026", "số đơn tháng 11/2026 là mấy đơn"), "4 đơn"),
        (("doanh thu Shopee tháng 11/2026", "ấy chết, hỏi nhầm, Lazada cơ"), "(Sàn: Lazada): 30.000.000 VND"),
        (("doanh thu Shopee tháng 11/2026", "Lazada thì s"), "(Sàn: Lazada): 30.000.000 VND"),
        (("doanh thu tháng 11/2026", "bao nhiêu đơn vậy"), "Số đơn tháng 11/2026: 4 đơn"),
        (("so sánh doanh thu tháng 10/2026 với tháng 11/2026", "bao nhiêu đơn vậy"), "từ 2 lên 4"),
        (("doanh thu theo sàn tháng 11/2026", "bao nhiêu đơn vậy"), "1. Shopee - 2 đơn"),
        ((SELLER, "mấy đơn"), "(Sản phẩm: Áo thun): 3 đơn"),
        (("sàn nào nhiều đơn nhất tháng 11/2026", "chiếm bao nhiêu phần trăm"), "50%"),
        (("số đơn Shopee tháng 11/2026", "chiếm bao nhiêu phần trăm"), "50%"),
        (("số đơn Shopee", "còn Lazada", "tổng cả hai sàn là bao nhiêu"), "(Sàn: Shopee, Lazada): 6 đơn"),
        (("doanh thu tháng 10/2026", "tháng 11 hơn tháng 10 bao nhiêu tiền"), "Chênh lệch: 98.250.000 VND"),
        (
            ("số đơn Áo thun", "không tính đơn Shopee thì còn mấy đơn"),
            "(Sản phẩm: Áo thun, Sàn ≠ Shopee): 1 đơn",
        ),
        (("số đơn theo sàn tháng 11/2026", "sàn nào ít đơn nhất"), "tháng 11/2026"),
    ],
)
async def test_a_part_that_is_exchanged_keeps_the_rest(
    analyst: Analyst, asked: tuple[str, ...], answer: str
) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert answer in told[-1].answer


@pytest.mark.parametrize(
    "asked",
    [
        (TOP, "món đó bán được bao nhiêu tiền"),
        (TOP, "how many units of the worst one"),
        (TOP, "con đứng thứ 5 có mấy đơn"),
        (SELLER, "sàn đó có mấy đơn"),
        ("doanh thu theo sàn", "sàn đó có mấy đơn"),
        ("doanh thu Shopee", "hai sàn đó chênh nhau bao nhiêu"),
        ("doanh thu tháng 11/2026", "tuần trước đó thì sao"),
        ("doanh thu tháng 11/2026", "quý đó có mấy đơn"),
        ("số đơn Shopee", "Lazada thì hết bao nhiêu xyzt"),
    ],
)
async def test_what_only_a_model_could_point_at_gets_no_figure(
    analyst: Analyst, asked: tuple[str, ...]
) -> None:
    told = [await analyst.ask(text) for text in asked]
    assert told[0].state["tool_calls"]
    assert told[-1].state["tool_calls"] == []
    assert told[-1].done.metadata["answered"] is False


async def test_a_bare_figure_after_a_question_that_was_asked_back_is_of_nothing_known(
    analyst: Analyst,
) -> None:
    asked = await analyst.ask("top 3 sản phẩm tháng 10/2026")
    told = await analyst.ask("mấy đơn")
    assert asked.done.metadata["answered"] is False
    assert told.done.metadata["answered"] is False


async def test_a_change_to_a_question_that_was_not_understood_changes_no_older_one(analyst: Analyst) -> None:
    await analyst.ask("doanh thu tháng 11/2026")
    await analyst.ask("doanh thu xyzt tháng 10/2026")
    told = await analyst.ask("còn Lazada")
    assert told.state["tool_calls"] == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("doanh thu thág 11/2026", "107.750.000 VND"),
        ("show top 2 sản phẩm theo doanh thu trong quý 4/2026 với ạ", "1. Áo thun - 47.750.000 VND"),
        ("Đơn hàng có doanh thu lớn nhất trong quý 1/2024 là đơn nào, bao nhiêu tiền?", "1. D001 - "),
        ("doanh thu ngày 10/11 năm nay", "20.000.000 VND"),
        ("doanh thu tháng ni được mấy rứa", "107.750.000 VND"),
        ("hiện còn bao nhiêu đơn hoàn thành", "7 đơn"),
        ("Which two products sold the fewest units in 2026?", "1. "),
        ("doanh thu ngày 10/11 năm ngoái", "Không có dữ liệu"),
    ],
)
async def test_slips_and_small_words_around_a_period_keep_its_meaning(
    analyst: Analyst, asked: str, answer: str
) -> None:
    told = await analyst.ask(asked)
    assert answer in told.answer


CAFE = """Ngày,Giờ,Món,SL,Thành tiền
01/10/2026,07:15,Cà phê,2,50.000
01/10/2026,08:05,Trà,1,32.000
02/10/2026,08:40,Cà phê,3,75.000
02/10/2026,19:20,Trà,4,128.000
"""
STOCK = """Ngày,Loại,Mặt hàng,Số lượng
01/10/2026,Nhập,Mì,100
03/10/2026,Xuất,Mì,30
05/10/2026,Nhập,Gạo,50
06/10/2026,Xuất,Gạo,45
"""


@pytest.mark.parametrize(
    ("sheet", "text", "answer"),
    [
        (CAFE, "khung giờ nào đông khách nhất", "1. 8 giờ - 2"),
        (STOCK, "mì còn bao nhiêu", ": 70"),
        (STOCK, "mặt hàng nào sắp hết", "1. Gạo - 5"),
    ],
)
async def test_hours_and_stock_of_ones_own_sheet(own_home: Path, sheet: str, text: str, answer: str) -> None:
    with analyst_at(own_home, sheet, names=("Sổ",)) as analyst:
        told = await analyst.ask(text)
    assert answer in told.answer
