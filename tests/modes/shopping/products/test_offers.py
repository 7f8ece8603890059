"""Questions about goods without a model: lists, comparisons, computers to build, and what the catalogue has not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines
from troly.plugin.contract import IngestRequest
from troly.plugin.events import Sources
from troly.text.fold import fold
from troly.text.numbers import find_amounts
from troly_shopping.products.load import ingest_products


def listed(answer: str) -> list[tuple[str, int, str]]:
    """Name, price and line of each product that an answer lists."""
    lines = told_lines(answer)
    return [(line.split(": ")[0], int(find_amounts(line.split(": ", 1)[1])[0].value), line) for line in lines]


@pytest.mark.parametrize(
    ("text", "named", "low", "high"),
    [
        ("Shop có laptop nào dưới 20 triệu không?", "laptop", 0, 20_000_000),
        ("shop co laptop nao duoi 20 trieu khong", "laptop", 0, 20_000_000),
        ("Which laptops do you have under 20 million?", "laptop", 0, 20_000_000),
        ("tư vấn chuột logitech tầm 500k", "chuột", 400_000, 600_000),
        ("mua màn hình 27 inch từ 5 đến 9 triệu", "27 inch", 5_000_000, 9_000_000),
    ],
)
async def test_a_list_keeps_to_kind_and_price(shop: Shop, text: str, named: str, low: int, high: int) -> None:
    told = await shop.ask(text)
    rows = listed(told.answer)
    assert rows
    assert told.nodes == ["classify", "retrieve", "respond_stream"]
    assert all(low <= price <= high for _, price, _ in rows)
    assert all(named.lower() in name.lower() or "macbook" in name.lower() for name, _, _ in rows)
    assert " VND" in rows[0][2]
    assert "https://" in rows[0][2]
    assert told.tables == []
    assert told.state["retrieved_context"][0]["product"] == rows[0][0]
    assert told.done.source == "rules"


@pytest.mark.parametrize(
    ("kind", "figure"),
    [("màn hình", "24 inch"), ("màn hình", "144hz"), ("laptop ram", "16gb"), ("ssd", "1tb")],
)
async def test_more_than_a_figure_leaves_it_out(shop: Shop, kind: str, figure: str) -> None:
    async def found(*words: str) -> int:
        told = await Shop(shop.services, shop.registry).ask(" ".join((kind, *words)))
        number = re.search(r"tìm được (\d+)|(đúng một)", told.answer)
        return (int(number[1]) if number[1] else 1) if number else 0

    for more, at_least in (("trên", "từ"), ("hơn", "tối thiểu"), ("dưới", "tối đa")):
        assert await found(more, figure) == await found(at_least, figure) - await found(figure), more


async def test_the_cheapest_comes_first(shop: Shop) -> None:
    told = await shop.ask("bàn phím rẻ nhất giá bao nhiêu")
    prices = [price for _, price, _ in listed(told.answer)]
    assert prices == sorted(prices)
    assert "rẻ nhất" in told.answer


async def test_a_model_number_is_found_however_it_is_written(shop: Shop) -> None:
    for text in ("giá card rtx 4060", "gia card RTX4060 bao nhieu", "giá card RTX-4060"):
        told = await shop.ask(text)
        assert listed(told.answer)
        assert all("RTX 4060" in name for name, _, _ in listed(told.answer))


async def test_what_is_not_there_is_said(shop: Shop) -> None:
    told = await shop.ask("shop có bán card RTX 5090 không")
    assert "chưa thấy" in told.answer
    assert "5090" in told.answer.splitlines()[0]
    dear = await shop.ask("mua laptop dưới 2 triệu")
    assert "chưa thấy" in dear.answer
    assert len(listed(dear.answer)) == 3


async def test_a_comparison_stands_side_by_side(shop: Shop) -> None:
    told = await shop.ask("so sánh laptop asus tuf f15 với acer nitro v")
    [table] = told.tables
    assert "ASUS TUF Gaming F15" in table.columns[1]
    assert "Acer Nitro V" in table.columns[2]
    rows = {row[0]: row[1:] for row in table.rows}
    assert {"Giá", "CPU", "RAM", "VGA"} <= set(rows)
    assert "rẻ hơn" in told.answer
    half = await shop.ask("so sánh laptop dell inspiron với laptop framework 13")
    assert "framework" in half.answer.lower()


def listed_parts(answer: str) -> dict[str, int]:
    """The price of each kind of part."""
    lines = told_lines(answer)
    return {line.split(": ")[0]: int(find_amounts(line.rsplit(", ", 1)[1])[0].value) for line in lines}


async def test_a_computer_is_built_within_the_budget(shop: Shop) -> None:
    told = await shop.ask("build pc 20 triệu chơi game giúp em")
    parts = listed_parts(told.answer)
    total = int(find_amounts(told.answer.splitlines()[0])[1].value)
    assert sum(parts.values()) == total <= 20_000_000
    assert set(parts) == {
        "CPU", "mainboard", "RAM", "card màn hình", "SSD", "nguồn máy tính", "vỏ case",
    }  # fmt: skip
    assert "20.000.000 VND" in told.answer
    little = await shop.ask("build pc 5 triệu chơi game")
    assert "chưa đủ" in little.answer
    office = await shop.ask("build a pc for office work, 10 million", language="en")
    assert "graphics card" not in listed_parts(office.answer)


async def test_parts_that_are_not_sold_are_named(own_shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    path.write_text("name,price\nCPU Intel Core i5-12400F,2890000\n", encoding="utf-8")
    ingest_products(IngestRequest(own_shop.services, path, own_shop.services.clock(), "vi"))
    told = await own_shop.ask("build pc 20 triệu chơi game")
    assert told.tables == []
    assert "mainboard" in told.answer
    assert "1900" in told.answer


async def test_terms_are_answered_from_the_pages(shop: Shop) -> None:
    told = await shop.ask("phí giao hàng laptop là bao nhiêu")
    assert told.tables == []
    assert "30.000 VND" in told.answer
    assert told.all(Sources)


async def test_what_stands_in_a_list_is_shown_as_text(own_shop: Shop, tmp_path: Path) -> None:
    path = tmp_path / "goods.csv"
    name = "Laptop \x1b]52;c;eA==\x07[/b] [@click=app.quit]x[/]"
    others = "".join(f"Chuột số {number},100000\n" for number in range(50))
    path.write_text(f'name,price\n"{name}",12000000\n{others}', encoding="utf-8")
    ingest_products(IngestRequest(own_shop.services, path, own_shop.services.clock(), "vi"))
    told = await own_shop.ask("laptop rẻ nhất giá bao nhiêu")
    assert "[@click=app.quit]x[/]" in told.answer
    assert "\x1b" not in told.answer + str(told.tables)


@pytest.mark.parametrize(
    ("text", "has", "has_not"),
    [
        ("tìm laptop không phải dell, dưới 20tr, ram 16gb", "16GB", "Dell"),
        ("chuột gaming có dây", "G102", "không dây"),
        ("tư vấn chuột không dây", "M331", "B100"),
        ("bàn phím cơ dưới 2tr", "Akko", "K120"),
        ("máy in nào in màu", "Epson", "laser"),
        ("có macbook không", "MacBook", "Laptop HP"),
        ("máy in laser dưới 3 triệu", "Máy in laser", "Màn hình"),
        ("máy tính để bàn cho học sinh dưới 10 triệu", "PC SSTC", "Dell"),
        ("laptop 15 inch ram ít nhất 32gb dưới 26tr", "32GB", "16GB"),
    ],
)
async def test_what_is_wanted_is_shown_and_what_is_not_is_not(
    shop: Shop, text: str, has: str, has_not: str
) -> None:
    names = [name for name, _, _ in listed((await shop.ask(text)).answer)]
    assert any(has in name for name in names)
    assert not any(has_not in name for name in names)


async def test_each_of_several_wants_is_answered(shop: Shop) -> None:
    told = await shop.ask("mua chuột với bàn phím dưới 500k")
    assert {name.split()[0] for name, _, _ in listed(told.answer)} == {"Chuột", "Bàn"}
    told = await shop.ask("cho minh hoi laptop asus vivobook con hang ko gia bao nhieu co tra gop ko")
    assert "Vivobook" in told.answer
    assert "Trả góp 0%" in told.answer
    shop.leave()
    told = await shop.ask("tai nghe bluetooth tầm 1 triệu, với lại check giúp serial XYZ789")
    assert "Mouse Logitech" in told.answer
    assert "Tai nghe" in told.answer


@pytest.mark.parametrize(
    ("text", "unsold", "shown"),
    [
        ("có iphone không, với cả chuột dưới 200k", "iphone", "Chuột"),
        ("ipad với tai nghe sony", "ipad", "Tai nghe"),
        ("laptop asus, tivi và chuột razer", "tivi", "Razer"),
        ("do you sell washing machines and headsets from sony", "washing machines", "Sony"),
    ],
)
async def test_what_is_not_sold_is_said_beside_what_is(
    shop: Shop, text: str, unsold: str, shown: str
) -> None:
    told = (await shop.ask(text)).answer
    assert re.search(rf"(?:không bán|does not sell:) {unsold}", told)
    assert any(shown in name for name, _, _ in listed(told))


@pytest.mark.parametrize(
    ("text", "each"),
    [
        ("ssd 1tb và ram 16gb ddr4", (("SSD", "1TB"), ("RAM", "DDR4"))),
        ("laptop hp và màn hình dell 24 inch", (("Laptop", "HP"), ("Màn", "Dell"))),
        ("laptop dưới 15 triệu và chuột logitech", (("Laptop", ""), ("Chuột", "Logitech"))),
        ("a keychron keyboard, sony headphones and a router under 600k", (("Bàn", "Keychron"), ("Tai", "Sony"), ("Router", ""))),
    ],
)  # fmt: skip
async def test_each_kind_has_its_own_conditions(
    shop: Shop, text: str, each: tuple[tuple[str, str], ...]
) -> None:
    told = await shop.ask(text)
    names = [name for name, _, _ in listed(told.answer)]
    wanted = dict(each)
    assert {name.split()[0] for name in names} == set(wanted)
    assert all(wanted[name.split()[0]] in name for name in names)
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize(
    "text", ["{} con do bao nhieu tien", "{} còn hạn không, giá bao nhiêu", "{} how much is it"]
)
async def test_a_price_asked_beside_a_serial_is_not_dropped(shop: Shop, text: str) -> None:
    assert "6.990.000" in (await shop.ask(text.format("CN-0T24H-742"))).answer.replace(",", ".")
    shop.leave()
    assert re.search("chưa báo giá|cannot tell", (await shop.ask(text.format("DL5530-7HX2K9"))).answer)


@pytest.mark.parametrize(
    ("text", "name", "told", "answered"),
    [
        ("sony wh-ch520 có dây không", "WH-CH520", "không phải «có dây»; Kết nối: Bluetooth", True),
        ("akko 3098b co bluetooth ko", "3098B", "Kết nối: USB, Bluetooth", True),
        ("lg 27gp850 có phải 4k không", "27GP850", "Độ phân giải: 2560x1440", False),
        ("is the 27gp850 144hz", "27GP850", "not “144hz”", True),
        ("máy in l3250 có wifi không", "L3250", "không ghi wifi", False),
        ("router ax23 phủ được mấy phòng", "AX23", "không ghi phòng", False),
        ("màn hình 24b20jh2 có loa không", "24B20JH2", "", False),
    ],
)
async def test_what_is_asked_of_a_named_product_is_told_of_it(
    shop: Shop, text: str, name: str, told: str, answered: bool
) -> None:
    done = await shop.ask(text)
    [line] = told_lines(done.answer)
    assert name in line
    assert told in line
    assert done.done.metadata["answered"] is answered


async def test_a_comparison_that_the_catalogue_does_not_settle_names_what_is_open(shop: Shop) -> None:
    told = await shop.ask("rtx 4060 vs rx 6600 which is stronger")
    assert len(told_lines(told.answer)) == 2
    assert "stronger" in told.answer
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize(
    "text",
    [
        "ghế gaming",
        "ghe gaming",
        "ghế sstc còn mấy cái",
        "ghe sstc con may cai",
        "mua ghe",
        "ban ghe khong shop",
    ],
)
async def test_a_kind_is_one_without_its_accents(shop: Shop, text: str) -> None:
    names = [name for name, _, _ in listed((await shop.ask(text)).answer)]
    assert names
    assert all(name.startswith("Ghế") for name in names)


@pytest.mark.parametrize(
    ("text", "socket"),
    [
        ("main amd am5", "AM5"),
        ("amd mainboard", "AM"),
        ("main intel ddr5 rẻ nhất", "LGA"),
        ("mainboard intel", "LGA"),
    ],
)
async def test_the_platform_of_a_board_is_no_maker(shop: Shop, text: str, socket: str) -> None:
    told = await shop.ask(f"{text}, thông số")
    assert told.done.metadata["answered"] is True
    assert all(f"Socket: {socket}" in line for line in told_lines(told.answer))


async def test_what_is_nearest_keeps_the_maker(shop: Shop) -> None:
    await shop.ask("laptop dell dưới 20tr")
    told = await shop.ask("có con nào i7 không")
    assert all("Dell" in line for line in told_lines(told.answer))


async def test_the_maker_of_what_is_pointed_at(shop: Shop) -> None:
    shown = await shop.ask("màn hình dưới 5 triệu")
    second = told_lines(shown.answer)[1].split(":")[0]
    told = (await shop.ask("con thứ 2 của hãng nào")).answer
    assert second in told
    assert "Samsung" not in told


async def test_a_part_of_a_sum_that_is_not_found_is_named(shop: Shop) -> None:
    await shop.ask("con g102 có màu trắng k")
    assert "968.000" in (await shop.ask("lấy 2 con trắng với 1 con LM115G thì tổng bao nhiêu")).answer
    shop.leave()
    await shop.ask("con g102 có màu trắng k")
    assert "2 con đen" in (await shop.ask("lấy 2 con đen với 1 con LM115G thì tổng bao nhiêu")).answer
    shop.leave()
    assert "chưa cộng được" in (await shop.ask("mua ca 2 cai do het bao nhieu, co mien phi ship ko")).answer


async def test_what_the_catalogue_does_not_say_is_said(shop: Shop) -> None:
    first = (await shop.ask("tai nghe nào chống ồn")).answer.splitlines()[0]
    assert "danh mục không ghi «chống ồn»" in first
    told = await shop.ask("shop có bán iphone ko")
    assert "không có điện thoại" in told.answer
    assert not listed(told.answer)


@pytest.mark.parametrize(
    "text",
    [
        "đặt 2 con giao về quận 7 nhé",
        "tổng 10 bộ bao nhiêu tiền",
        "màn 14 inch",
        "đơn hàng DH12345 tới đâu rồi",
        "trả góp 0% không",
    ],
)
async def test_no_word_reaches_the_customer_folded(shop: Shop, text: str) -> None:
    typed = set(text.split())
    for said in (await shop.ask(text)).answer.split():
        word = said.strip("«».,:()-")
        assert not (
            word.isupper()
            and word.isalpha()
            and fold(word).upper() == word
            and word.lower() not in typed
            and word.lower() in fold(text).split()
        )


@pytest.mark.parametrize(
    ("text", "named", "count"),
    [
        ("ssd nvme", "SSD", 9), ("ổ cứng ssd nvme 1tb", "1TB", 3), ("ssd không phải nvme", "870 EVO", 2), ("chuột có dây không phải dareu", "Logitech", 3),
        ("laptop macbook", "MacBook", 3), ("dây hdmi", "Cáp HDMI", 2), ("external drive", "My Passport", 2),
        ("card rtx 4060 trở lên", "RTX 40", 5), ("laptop từ ryzen 7", "TUF Gaming A15", 2), ("không phải laptop, pc cơ", "", 6),
    ],
)  # fmt: skip
async def test_a_narrower_name_and_a_step_of_a_family_narrow(
    shop: Shop, text: str, named: str, count: int
) -> None:
    told = await shop.ask(text)
    lines = told_lines(told.answer)
    assert lines
    assert all(named in line for line in lines)
    assert len(lines) == min(count, 8)
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("loa soundbar", "soundbar"), ("router mesh", "mesh"), ("mini pc", "mini pc"), ("tan nhiet nuoc", "tan nhiet nuoc"),
        ("tai nghe có dây", "có dây"), ("tai nghe co day duoi 1tr", "co day"), ("headphones that are not wireless", "wireless"),
        ("tai nghe không phải không dây", "không dây"), ("loa 20W", "20W"), ("H111 có dây không", "có dây"),
    ],
)  # fmt: skip
async def test_of_what_the_catalogue_is_silent_nothing_is_said(shop: Shop, text: str, open_: str) -> None:
    told = await shop.ask(text)
    assert f"«{open_}»" in told.answer
    assert any(words in told.answer for words in ("không ghi", "does not mention"))
    assert told_lines(told.answer)
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shop có những mặt hàng gì", "bàn phím, tai nghe"), ("what do you sell", "keyboard, headset"),
        ("cháy hàng chưa, con g102 còn không", "G102 Lightsync Đen"), ("huy don DH998 giup minh", "không hủy đơn"),
        ("DH998 tới chưa", "không xem được đơn hàng"), ("where is order DH998", "cannot see orders"),
    ],
)  # fmt: skip
async def test_orders_and_what_is_sold_are_no_goods_to_look_for(shop: Shop, text: str, said: str) -> None:
    assert said in (await shop.ask(text)).answer
