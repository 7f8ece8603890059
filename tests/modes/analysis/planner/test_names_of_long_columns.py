"""Values of a column that has more of them than a sheet keeps as examples: parts of their names, slips, words of courtesy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.modes.analysis import Analyst, analyst_at

KINDS = ("Áo", "Quần", "Váy", "Giày")
MAKES = ("hoodie", "sneaker", "oversize", "jean", "len", "polo", "kaki", "vintage", "baggy", "trơn")
PRODUCTS = [f"{kind} {make}" for make in MAKES for kind in KINDS]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    rows = [
        f"D{nth:03},{1 + nth % 28:02}/10/2026,{PRODUCTS[nth % len(PRODUCTS)]},{1000 * (nth + 1)}"
        for nth in range(3 * len(PRODUCTS))
    ]
    text = "\n".join(["Mã đơn,Ngày đặt,Sản phẩm,Doanh thu", *rows])
    with analyst_at(tmp_path_factory.mktemp("shop"), text) as analyst:
        yield analyst


def total(*products: str) -> str:
    """The revenue of these products, as an answer writes it."""
    wanted = {nth for nth, name in enumerate(PRODUCTS) if name in products}
    money = sum(1000 * (nth + 1) for nth in range(3 * len(PRODUCTS)) if nth % len(PRODUCTS) in wanted)
    return f"{money:,}".replace(",", ".")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_part_of_a_name_means_every_value_that_holds_it(shop: Analyst, kind: str) -> None:
    shop.leave()
    told = await shop.ask(f"doanh thu {kind.lower()} tháng 10/2026")
    assert total(*(each for each in PRODUCTS if each.startswith(kind))) in told.answer


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ao hodie", "Áo hoodie"), ("quần kakii", "Quần kaki"), ("giay sneakr", "Giày sneaker"), ("váy overzise", "Váy oversize"),
        ("áo vintaeg", "Áo vintage"),
    ],
)  # fmt: skip
async def test_one_slip_in_a_name_is_read_and_told(shop: Analyst, typed: str, meant: str) -> None:
    shop.leave()
    told = await shop.ask(f"doanh thu {typed} tháng 10/2026")
    assert total(meant) in told.answer
    assert meant in told.answer


@pytest.mark.parametrize("typed", ["áo xyzzq", "quần hodxie jeen", "giày blorp"])
async def test_a_name_that_no_value_is_near_to_has_no_figure(shop: Analyst, typed: str) -> None:
    shop.leave()
    told = await shop.ask(f"doanh thu {typed} tháng 10/2026")
    assert told.state["result"] is None


@pytest.fixture(scope="module")
def sewn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    named = ["Váy hoa nhí", "Chân váy xếp ly", "Ví da nam", "Áo hoodie", "Kính mát"]
    named += [f"{kind} {nth}" for nth in range(20, 40) for kind in ("Khăn", "Tất")]
    rows = [f"D{nth:03},02/10/2026,{name},{1000 * (nth + 1)}" for nth, name in enumerate(named)]
    text = "\n".join(["Mã đơn,Ngày đặt,Sản phẩm,Doanh thu", *rows])
    with analyst_at(tmp_path_factory.mktemp("sewn"), text) as analyst:
        yield analyst


@pytest.mark.parametrize(
    ("ask", "word"),
    [
        ("doanh thu ở Sao Hỏa", "Sao Hỏa"), ("doanh thu của Lý", "Lý"), ("doanh thu của ly", "ly"), ("doanh thu o sao hoa", "hoa"),
        ("doanh thu Sao Nhí", "Sao Nhí"), ("doanh thu Mát", "Mát"), ("doanh thu đã Nám", "Nám"), ("doanh thu tại hoa", "hoa"),
    ],
)  # fmt: skip
async def test_a_syllable_of_a_value_or_other_accents_name_no_value(
    sewn: Analyst, ask: str, word: str
) -> None:
    sewn.leave()
    told = await sewn.ask(ask)
    assert told.state["result"] is None
    assert word in told.answer


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Kính mắt", "Kính mát"),
        ("ví đa nam", "Ví da nam"),
        ("vay hoa nhi", ""),
        ("hoodie", ""),
        ("chân váy", ""),
    ],
)
async def test_a_value_stands_for_what_was_typed_and_other_accents_are_told(
    sewn: Analyst, typed: str, meant: str
) -> None:
    sewn.leave()
    told = await sewn.ask(f"doanh thu {typed}")
    assert told.state["result"] is not None
    assert (f"Tôi đọc «{typed}» là «{meant}»" in told.answer) if meant else ("Tôi đọc" not in told.answer)


async def test_a_long_column_tells_the_nearest_of_its_values(shop: Analyst) -> None:
    shop.leave()
    told = await shop.ask("doanh thu sản phẩm Sneakerino tháng 10/2026")
    assert told.state["result"] is None
    assert "«Sneakerino» không có trong bảng" in told.answer
    assert all(f"{kind} sneaker" in told.answer for kind in KINDS)
    assert "polo" not in told.answer


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    rows = [f"KH{nth:02},{name} {nth},Bạc" for nth, name in enumerate(["Trần Thu", "Lý Gia"] * 30)]
    text = "\n".join(["Mã KH,Họ tên,Hạng", *rows, "KH98,Trần Thu Chi,Vàng", "KH99,Đỗ Chi,Vàng"])
    with analyst_at(tmp_path_factory.mktemp("staff"), text, names=("Khách hàng",)) as analyst:
        yield analyst


@pytest.mark.parametrize(
    "ask", ["hạng của Trần Thu Chi", "hạng của khách Trần Thu Chi", "hạng của trần thu chi"]
)
async def test_no_word_of_a_whole_name_and_of_what_is_asked_of_it_is_lost(staff: Analyst, ask: str) -> None:
    staff.leave()
    told = await staff.ask(ask)
    assert "Vàng" in told.answer if told.state["result"] else "«hạng»" in told.answer
