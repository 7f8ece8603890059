"""What was asked of one sheet goes on in another: the stock and the price of the product that was spoken of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.modes.analysis import ORDERS, analyst_at

PRODUCTS = """Mã SP,Tên sản phẩm,Nhóm hàng,Giá bán,Giá vốn,Tồn kho
SP01,Áo thun,Áo,150.000,70.000,12
SP02,Quần jean,Quần,390.000,190.000,40
SP03,Giày sneaker,Giày,549.000,290.000,7
SP04,Mũ len,Phụ kiện,90.000,40.000,25
"""
NAMES = ("Đơn hàng", "Sản phẩm")


async def told(home: Path, *texts: str) -> str:
    """The answer to the last of these messages."""
    with analyst_at(home, ORDERS, PRODUCTS, names=NAMES) as analyst:
        return [await analyst.ask(text) for text in texts][-1].answer


@pytest.mark.parametrize(
    "first",
    [
        "doanh thu Giày sneaker tháng 11/2026",
        "Giày sneaker giá bao nhiêu",
        "top 1 sản phẩm doanh thu tháng 10/2026",
    ],
)
@pytest.mark.parametrize(
    "stock",
    ["trong kho còn bao nhiêu cái?", "kho con nhieu", "còn hàng không", "còn mấy đôi", "how many left?"],
)
async def test_what_is_left_is_of_the_one_product_that_was_spoken_of(
    own_home: Path, first: str, stock: str
) -> None:
    answer = await told(own_home, first, stock)
    assert "Giày sneaker): 7" in answer
    assert "84" not in answer


async def test_of_several_products_or_none_no_single_stock_is_made_up(own_home: Path) -> None:
    several = await told(own_home, "top 3 sản phẩm bán chạy năm 2026", "trong kho còn bao nhiêu cái?")
    assert "84" not in several
    assert "84" in await told(own_home, "doanh thu tháng 11/2026", "trong kho còn bao nhiêu cái?")


@pytest.mark.parametrize("stock", ["trong kho còn bao nhiêu cái?", "how many are left in stock right now"])
@pytest.mark.parametrize("first", ["bán được mấy cái zwkhem tháng 11/2026", "how many zwkhem did we sell?"])
async def test_after_a_product_that_was_not_read_no_stock_of_all_is_told(
    own_home: Path, first: str, stock: str
) -> None:
    assert "84" not in await told(own_home, first, stock)


async def test_an_empty_cell_that_is_asked_for_is_told_in_words(own_home: Path) -> None:
    sheet = "Mã KH,Họ tên,Số điện thoại\nKH1,An,\nKH2,Bình,0911222333\nKH3,Chi,0911222334\n"
    with analyst_at(own_home, sheet, names=("Khách hàng",)) as analyst:
        said = await analyst.ask("số điện thoại của khách KH1")
        other = await analyst.ask("số điện thoại của khách KH2")
    assert "chưa ghi Số điện thoại" in said.answer
    assert "0911222333" in other.answer
    assert "chưa ghi" not in other.answer


@pytest.mark.parametrize(
    "text",
    [
        "Doanh thu Giày sneaker tháng 10/2026 bao nhiêu? Tồn kho còn bao nhiêu?",
        "Giày sneaker năm 2026 bán được bao nhiêu đôi và trong kho còn bao nhiêu?",
    ],
)
async def test_both_parts_of_a_message_are_of_its_product(own_home: Path, text: str) -> None:
    answer = await told(own_home, text)
    assert "Sản phẩm: Giày sneaker" in answer
    assert "Giày sneaker): 7" in answer


async def test_sales_after_a_stock_are_told_of_the_product_and_of_all(own_home: Path) -> None:
    answer = await told(
        own_home, "Giày sneaker còn bao nhiêu đôi trong kho", "tháng 10/2026 bán được bao nhiêu"
    )
    assert "(Sản phẩm: Giày sneaker): 4" in answer
    assert ": 9" in answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Giày sneaker giá bao nhiêu", "549.000"),
        ("san pham nao gia cao nhat", "Giày sneaker"),
        ("what is the price of Quần jean?", "390,000"),
    ],
)
async def test_a_price_is_that_of_the_sheet_of_products(own_home: Path, text: str, answer: str) -> None:
    assert answer in await told(own_home, text)


@pytest.mark.parametrize(
    "text", ["What was the total revenue in 2024?", "tổng doanh thu năm 2024 là bao nhiêu?"]
)
async def test_a_total_of_days_of_its_own_is_of_everything(own_home: Path, text: str) -> None:
    answer = await told(own_home, "số đơn Áo thun năm 2026", text)
    assert "150" in answer
    assert "Áo thun" not in answer


@pytest.mark.parametrize("text", ["cái nào còn nhiều nhất", "con nao con nhieu hang nhat"])
async def test_what_most_is_left_of_is_asked_of_the_stock(own_home: Path, text: str) -> None:
    assert "Quần jean" in await told(own_home, "sản phẩm nào sắp hết hàng", text)


CUSTOMERS = """Mã KH,Họ tên,Hạng,Tỉnh thành
KH1,Trần An,Vàng,Huế
KH2,Lê Bình,Bạc,Hà Nội
KH3,Võ Chi,Vàng,Huế
"""
SALES = """Mã đơn,Ngày đặt,Mã KH,Sản phẩm,Doanh thu
D1,10/11/2026,KH1,Áo thun,100.000
D2,11/11/2026,KH3,Quần jean,250.000
D3,12/11/2026,KH2,Áo thun,900.000
D4,13/11/2026,KH2,Mũ len,50.000
"""


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (("có bao nhiêu khách hạng Vàng", "cả nhóm đó mang về bao nhiêu doanh thu"), "350.000"),
        (("có bao nhiêu khách hạng Vàng", "nhóm này đặt bao nhiêu đơn"), "Số đơn, Vàng: 2"),
        (("khách nào mua nhiều tiền nhất", "khách đó tên gì, hạng gì"), "Lê Bình"),
        (("khách nào mua nhiều tiền nhất", "anh này ở tỉnh nào"), "Hà Nội"),
        (("đơn D3 mua món gì", "ai đặt, hết bao nhiêu tiền"), "KH2"),
    ],
)
async def test_rows_and_persons_of_one_sheet_are_meant_in_another(
    own_home: Path, asked: tuple[str, ...], answer: str
) -> None:
    with analyst_at(own_home, SALES, CUSTOMERS, names=("Đơn hàng", "Khách hàng")) as analyst:
        assert answer in [await analyst.ask(text) for text in asked][-1].answer


async def test_two_periods_of_pieces_are_of_the_product_whose_stock_was_asked(own_home: Path) -> None:
    answer = await told(
        own_home, "Áo thun còn mấy cái trong kho", "tháng 11 bán được mấy cái rồi, tháng 10 bán được mấy cái"
    )
    assert "tháng 11: 5;" in answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (("món rẻ nhất còn mấy cái",), "Tồn kho: 25"),
        (("liệt kê sản phẩm giá trên 100k", "cái rẻ nhất còn mấy cái"), "Tồn kho: 12"),
        (("liệt kê sản phẩm giá trên 100k", "thế con mắc nhứt giá vốn bao nhiêu"), "Giá vốn: 290.000"),
        (("which products cost under 200k", "how many of the most expensive one are left"), "Tồn kho: 40"),
        (("top 2 sản phẩm bán chạy năm 2026", "cái rẻ nhất giá bao nhiêu"), "Áo thun"),
        (("đơn to nhất tháng 11/2026 mua món gì",), "Sản phẩm:"),
        (("Áo thun còn mấy cái", "nhóm Giày còn mấy đôi"), "Giày): 7"),
        (("nhóm Giày còn mấy đôi", "còn Mũ len thì sao"), "Mũ len): 25"),
        (("sản phẩm nào tồn dưới 20 cái", "mấy mã sắp hết đó giá bán bao nhiêu"), "549.000"),
        (("which product brought in the most revenue", "how many of those are in the warehouse"), "): "),
    ],
)
async def test_goods_that_are_spoken_of_are_those_of_the_stock(
    own_home: Path, asked: tuple[str, ...], answer: str
) -> None:
    assert answer in await told(own_home, *asked)


@pytest.mark.parametrize("text", ["chị Minh mua mấy đơn", "anh Minh ở tỉnh nào", "doanh thu của cô Minh"])
async def test_a_name_behind_a_title_is_no_part_of_a_place(own_home: Path, text: str) -> None:
    customers = CUSTOMERS + "KH4,Đỗ Nga,Bạc,TP. Hồ Chí Minh\n"
    with analyst_at(own_home, SALES, customers, names=("Đơn hàng", "Khách hàng")) as analyst:
        answer = (await analyst.ask(text)).answer
    assert "Hồ Chí Minh" not in answer
    assert "«Minh" in answer
