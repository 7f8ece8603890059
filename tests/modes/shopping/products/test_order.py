"""Orders: so many of each, changed by what is added, swapped and left out; and what parts go together."""

from __future__ import annotations

from itertools import product

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines
from troly.text.numbers import find_amounts
from troly_shopping.products.pc_build import go_together
from troly_shopping.products.store import ProductStore, SearchCriteria


@pytest.mark.parametrize(
    ("turns", "total"),
    [
        (
            [
                "tự ráp máy với CPU Ryzen 5 5600 thì mainboard nào lắp được",
                "lấy cái main rẻ hơn, cpu với main cộng lại bao nhiêu",
                "cộng thêm một thanh RAM DDR4 16GB loại rẻ nhất thì thành bao nhiêu",
                "à nhầm, main lấy B550M cơ, tính lại giúp",
            ],
            6_020_000,
        ),
        (
            [
                "PC SSTC Gaming G1 giá sao",
                "mua thêm 1 thanh ram kingston 16gb gắn vô nó thì thêm nhiu",
                "v tổng cả bộ vs ram",
            ],
            13_530_000,
        ),
        (
            [
                "chuột G304 giá sao",
                "bàn phím K2 bao nhiêu",
                "tai nghe Stinger 2 bao nhiêu",
                "cả ba món hết nhiêu",
            ],
            3_429_000,
        ),
        (
            ["how much is the MX Master 3S", "and the razer deathadder essential?", "total for both?"],
            2_649_000,
        ),
        (["ráp pc chơi game 20tr", "cpu với main cộng lại bao nhiêu"], 5_280_000),
        (["ráp pc chơi game 20tr", "tong cpu + vga", "tổng cả bộ hết bao nhiêu"], 19_780_000),
        (["10 bộ PC SSTC Văn phòng V2 tổng cộng bao nhiêu tiền"], 94_900_000),
        (["how much for 5 Logitech B100 and 5 Logitech K120 in total"], 1_345_000),
        (
            ["chuột G304 giá bao nhiêu", "2 con thì bao nhiêu", "them 1 ban phim K380 nua tong bao nhieu"],
            2_157_000,
        ),
        (["bàn phím K380 còn ko", "lấy nó với chuột M331 tổng nhiêu tiền"], 1_058_000),
        (["tai nghe Sony có mấy loại", "cái đầu 2 cái, cái cuối 1 cái, tổng bao nhiêu"], 9_970_000),
        (
            ["PC SSTC Gaming G2 giá sao", "thêm màn LG 24MR400-B, hết nhiêu", "đổi sang màn Dell P2423D"],
            26_980_000,
        ),
        (["giá K380 và M331 là bao nhiêu", "tổng 2 món bao nhiêu"], 1_058_000),
        (
            ["so giúp mình Dell U2724D với LG 32UN650", "vậy con Dell nha, lấy 2 cái thì tổng nhiêu"],
            21_980_000,
        ),
        (
            [
                "máy in dưới 4 triệu còn hàng",
                "mẫu nào bảo hành dài nhất",
                "lấy 3 cái này thì hết thảy bao nhiêu",
            ],
            9_570_000,
        ),
        (
            [
                "CPU AMD Ryzen 7 7800X3D giá bao nhiêu",
                "mainboard nào dùng socket AM5",
                "lấy con main đắt hơn, thêm RAM G.Skill Trident Z5 32GB, tổng CPU + main + RAM là nhiêu",
            ],
            17_270_000,
        ),
        (["PC SSTC Gaming G2 giá sao", "add thêm 1 thanh Kingston Fury DDR4 16gb, total nhiêu"], 21_030_000),
        (
            ["shop có bàn phím Keychron nào", "bỏ con đắt nhất đi, hai con còn lại cộng lại bao nhiêu"],
            4_080_000,
        ),
        (["monitors 27 inch under 5 million", "the cheapest one plus a webcam C270, total?"], 3_580_000),
        (["tổng CPU Ryzen 5 5600 với mainboard B550M DS3H bao nhiêu"], 4_980_000),
        (["PC văn phòng dưới 10 triệu", "chọn con i5, mua thêm ssd 1tb rẻ nhất, tổng hết nhiu"], 11_030_000),
        (["1 bàn phím cơ rẻ nhất và 1 tai nghe hyperx rẻ nhất", "tong 2 mon bao nhieu"], 2_080_000),
        # All that was looked at in turn, each the first of its list.
        (["chuột logitech rẻ nhất", "tai nghe rẻ nhất", "loa rẻ nhất", "tổng 3 món đó hết nhiêu"], 508_000),
        (["chuột logitech rẻ nhất", "bàn phím cơ rẻ nhất", "tong cong 2 mon bn"], 1_180_000),
        # So many pieces of the one spoken of, and what is ruled out is spoken of no more.
        (["SSD WD Blue SN580 1TB giá sao", "mua 2 con đó thì nhiu tiền, có góp 0% dc hem"], 3_680_000),
        (["ssd 1tb rẻ nhất", "ko thích kingston, hãng khác con nào rẻ nhất", "lấy 2 con đó nhiu"], 3_680_000),
        (["tai nghe rẻ nhất", "lấy 3 cái đó thì bao nhiêu, có giao tận nhà không"], 597_000),
        (["how much is the logitech b100", "how much for 3 of these, and do you deliver"], 270_000),
        # All that stand side by side, as many as are counted; "vs" joins what is summed.
        (
            [
                "CPU AMD Ryzen 5 5600 lắp được với mainboard B550M DS3H không",
                "hai món đó thêm thanh ram Kingston Fury 16GB DDR4 nữa hết bao nhiêu",
            ],
            6_020_000,
        ),
        (["chuột B100 với phím K120 giá sao", "ca hai cong them tai nghe h111 tong het nhiu"], 468_000),
        (["cần 10 chuột B100 vs 10 phím K120 cho cty, tổng nhiu"], 2_690_000),
        (["mua ghế SSTC Ergo 2", "lấy cái đó với cái ghế gaming nữa, cộng lại hết bao nhiêu"], 6_580_000),
    ],
)
async def test_an_order_is_summed(shop: Shop, turns: list[str], total: int) -> None:
    *earlier, last = turns
    for text in earlier:
        await shop.ask(text)
    told = await shop.ask(last)
    assert total in {amount.value for amount in find_amounts(told.answer)}
    assert told.done.metadata["answered"]


_B100, _K120 = 90_000, 179_000


@pytest.mark.parametrize("count", [1, 4, 6, 12])
@pytest.mark.parametrize(
    ("text", "mice"),
    [
        ("à nhầm, lấy {} bộ thôi, tính lại giúp", None),
        ("a nham, lay {} bo thoi", None),
        ("lấy {} bộ thôi", None),
        ("à nhầm, {} cái thôi", None),
        ("à nhầm, mỗi loại {} cái", None),
        ("sorry i meant {} sets", None),
        ("make it {} sets", None),
        # One that is named keeps the others as they were.
        ("à nhầm, phím lấy {} cái thôi", 10),
        ("à nhầm, k120 lấy {} cái thôi", 10),
        ("phím {} cái thôi", 10),
    ],
)
async def test_a_corrected_count_is_of_every_line_or_of_the_one_named(
    shop: Shop, text: str, mice: int | None, count: int
) -> None:
    await shop.ask("10 chuột B100 với 10 phím K120 tổng bao nhiêu")
    told = await shop.ask(text.format(count))
    total = (mice or count) * _B100 + count * _K120
    assert total in {amount.value for amount in find_amounts(told.answer)}
    assert told.done.metadata["answered"]


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ("10 chuột B100 với 5 phím K120 tổng bao nhiêu", "à nhầm, lấy 6 bộ thôi, tính lại giúp"),
        ("10 chuột B100 với 5 phím K120 tổng bao nhiêu", "à nhầm, 7 cái thôi"),
        ("10 chuột B100 với 10 phím K120 tổng bao nhiêu", "à nhầm, 6 món thôi"),
        ("10 chuột B100 với 10 phím K120 tổng bao nhiêu", "lấy 6 bộ màu hồng"),
        ("10 chuột B100 với 10 phím K120 tổng bao nhiêu", "à nhầm, chuột 6 cái còn phím 8 cái"),
        # A computer is called "bộ" as well as all that is ordered.
        ("5 PC Văn phòng V1 và 5 màn LG 24MR400-B tổng bao nhiêu", "à nhầm, lấy 6 bộ thôi"),
    ],
)
async def test_a_count_of_it_is_not_known_what_is_not_summed(shop: Shop, order: str, text: str) -> None:
    await shop.ask(order)
    told = await shop.ask(text)
    assert "VND" not in told.answer
    assert not told.done.metadata["answered"]


async def test_sets_of_a_computer_are_so_many_of_each_part(shop: Shop) -> None:
    await shop.ask("ráp pc chơi game 20tr")
    told = await shop.ask("mua 2 bộ thì tổng bao nhiêu")
    assert 2 * 19_780_000 in {amount.value for amount in find_amounts(told.answer)}


async def test_a_computer_is_changed_part_by_part(shop: Shop) -> None:
    async def parts(text: str) -> list[str]:
        answer = (await shop.ask(text)).answer
        return [line.split(": ")[0] for line in told_lines(answer)]

    await shop.ask("build pc gaming 20 triệu")
    whole = await parts("tổng bao nhiêu")
    without = await parts("bỏ vỏ case ra")
    assert without == [name for name in whole if not name.startswith("Vỏ case")]
    cheaper = await parts("đổi vga khác rẻ hơn")
    assert len(cheaper) == len(without)
    assert [name for name in cheaper if name not in without] != []
    assert "CPU Intel Core i5-13400F" in await parts("thay cpu bằng i5-13400F")


@pytest.mark.parametrize("text", ["tổng laptop với chuột", "thêm 2 cái nữa", "cả 5 món tổng bao nhiêu"])
async def test_a_sum_of_uncertain_goods_is_not_told(shop: Shop, text: str) -> None:
    await shop.ask("tổng chuột B100 với bàn phím K120" if "cái" in text else "bàn phím K120 giá sao")
    assert "VND" not in (await shop.ask(text)).answer


@pytest.mark.parametrize("text", ["laptop rẻ nhất bao nhiêu", "đổi vga khác", "món nào đắt nhất"])
async def test_nothing_is_ordered_where_no_change_is_said(shop: Shop, text: str) -> None:
    await shop.ask("build pc gaming 20 triệu")
    assert "đơn của quý khách" not in (await shop.ask(text)).answer


async def test_parts_go_together_by_what_the_catalogue_says_of_both(shop: Shop) -> None:
    store = ProductStore(shop.services.datasets)
    found = {
        kind: store.search(SearchCriteria(kinds=(kind,), count=100)) for kind in ("cpu", "mainboard", "ram")
    }
    for cpu, board in product(found["cpu"], found["mainboard"]):
        same = cpu.details()["Socket"] == board.details()["Socket"]
        memory = board.details()["RAM"] in cpu.details()["RAM"].split(", ")
        assert go_together(cpu, board) is go_together(board, cpu) is (same and memory)
    for board, ram in product(found["mainboard"], found["ram"]):
        assert go_together(board, ram) is (board.details()["RAM"] == ram.details()["Chuẩn"])
    assert go_together(found["cpu"][0], found["cpu"][1]) is None


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("main B550M DS3H gắn i5-12400F được không", False),
        ("ram ddr5 lắp vào main H610M được không", False),
        ("nguồn 400w có đủ cho rtx 4070 không", False),
        ("nguồn Corsair CV550 kéo nổi RTX 4070 Super ko", True),
        ("can i use an i5-12400 on the Gigabyte Z790 UD", True),
    ],
)
async def test_whether_two_parts_fit_is_told(shop: Shop, text: str, *, fits: bool) -> None:
    told = await shop.ask(text)
    no = "không lắp được" in told.answer or "do not go" in told.answer
    assert no is not fits
    assert told.done.metadata["answered"]


@pytest.mark.parametrize(
    "text", ["CPU AMD Ryzen 5 7600 lắp được với mainboard nào?", "ryzen 5 7600 dung main nao"]
)
async def test_what_goes_with_a_part_is_listed(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    names = {line.split(":")[0] for line in told_lines(told.answer)}
    assert names == {"Mainboard ASUS PRIME A620M-K", "Mainboard ASUS TUF B650M-E WIFI"}
    assert told.done.metadata["answered"]
