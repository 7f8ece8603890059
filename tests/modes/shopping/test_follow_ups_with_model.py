"""Follow-ups with a model: it says what the message means, code looks that up, and the answer is written from the facts."""

from __future__ import annotations

import csv
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.support.modes.shopping import SAMPLE, Shop
from tests.support.ollama.double import OllamaDouble
from troly.text.match import Lexicon
from troly_shopping.reply.claim_check import called_so

DATA = SAMPLE.parent


@pytest.fixture
def server(double: OllamaDouble) -> OllamaDouble:
    double.forget()
    return double


@pytest.fixture
async def shop(with_model: Shop, server: OllamaDouble) -> AsyncIterator[Shop]:
    """Somebody in a conversation that has not begun."""
    yield Shop(with_model.services, with_model.registry)
    await with_model.services.llm.aclose()


def wants(query: str, *, intent: str = "shopping", retrieve: bool = True) -> dict[str, object]:
    return {"intent": intent, "confidence": 0.95, "need_retrieval": retrieve, "query": query}


async def test_what_the_model_says_the_message_means_is_looked_up(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ Webcam Logitech C270 giá 590.000 VND ạ.")
    await shop.ask("webcam nào rẻ nhất")
    server.script(wants("Webcam Logitech Brio 500 giá bao nhiêu"), "Dạ 2.690.000 VND ạ.")
    await shop.ask("con kia nhiu")
    server.script(
        wants("Webcam Logitech C270 và Webcam Logitech Brio 500 chênh nhau bao nhiêu"),
        "Dạ Brio 500 đắt hơn C270 2.100.000 VND ạ.",
    )
    told = await shop.ask("z 2 con chenh nhau bn")
    prompt = server.chats[-1].last_user
    assert "Webcam Logitech C270 | 590.000" in prompt
    assert "Webcam Logitech Brio 500 | 2.690.000" in prompt
    assert "5.380.000" not in prompt
    assert "2.100.000" in told.answer
    assert told.notices == []


async def test_what_was_shown_stands_in_the_facts_with_its_numbers(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ có WD My Passport 1TB và WD My Passport 2TB ạ.")
    await shop.ask("ổ cứng di động WD My Passport")
    server.script(wants("", retrieve=False), "Dạ còn 20 cái ạ.")
    told = await shop.ask("cái thứ hai còn mấy cái ta")
    prompt = server.chats[-1].last_user
    assert re.search(r"số 2[^]]*\] Ổ cứng di động WD My Passport 2TB \| 2\.090\.000", prompt)
    assert "hotline" not in prompt.partition("Conversation:")[0]
    assert told.answer.startswith("Dạ còn 20 cái ạ.")


async def test_a_price_said_before_and_a_difference_of_such_prices_stand(
    shop: Shop, server: OllamaDouble
) -> None:
    server.script("Dạ ổ cứng di động WD My Passport 2TB giá 2.090.000 VND ạ.")
    await shop.ask("Ổ cứng di động WD My Passport 2TB giá bao nhiêu?")
    answer = "Dạ bản 1TB rẻ hơn 600.000 VND: 1TB giá 1.490.000 VND, 2TB giá 2.090.000 VND ạ."
    server.script(wants("Ổ cứng di động WD My Passport 1TB rẻ hơn bản 2TB bao nhiêu"), answer)
    told = await shop.ask("Bản 1TB rẻ hơn được bao nhiêu?")
    assert answer in told.answer
    assert told.notices == []


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("PC SSTC Gaming G2 RTX 4060", "PC SSTC Đồ họa D1 RTX 4060 Ti", "9.000.000"),
        ("Ghế SSTC Ergo 1", "Ghế SSTC Ergo 2", "1.800.000"),
    ],
)
async def test_the_difference_of_two_prices_is_told_to_the_model_and_nothing_else(
    shop: Shop, server: OllamaDouble, one: str, other: str, apart: str
) -> None:
    server.script("Dạ có ạ.", wants(f"{other} và {one} chênh nhau bao nhiêu"), f"Dạ thêm {apart} VND ạ.")
    await shop.ask(f"{one} giá bao nhiêu")
    told = await shop.ask("lên con kia thì bù mấy tiền ta")
    context = server.chats[-1].last_user.partition("Instruction:")[0]
    assert apart in context
    assert len([line for line in context.splitlines() if " VND |" in line]) == len((one, other))
    assert apart in told.answer
    assert told.notices == []


@pytest.mark.parametrize("query", ["SN4087712WH còn bảo hành mấy ngày tính từ hôm nay?", ""])
async def test_a_warranty_shown_before_answers_what_is_asked_of_it(
    shop: Shop, server: OllamaDouble, query: str
) -> None:
    await shop.ask("tai nghe serial SN4087712WH hết bảo hành hôm nào")
    assert "tìm được" not in shop.history()[-1][1]
    server.script(wants(query, intent="warranty"))
    told = await shop.ask("vậy mình còn yên tâm xài chừng bao lâu nữa mới hết hạn ta")
    assert told.state["warranty_meta"]["serial"] == "SN4087712WH"
    assert told.done.calls == 1


async def test_a_serial_that_nobody_named_is_not_looked_up(shop: Shop, server: OllamaDouble) -> None:
    await shop.ask("webcam nào rẻ nhất")
    server.script(wants("ABC123 còn bảo hành không", intent="warranty"))
    told = await shop.ask("còn con chuột của mình thì sao ta")
    assert not told.state["warranty_meta"]["found"]
    assert "Laptop Dell" not in told.answer


async def test_few_pages_stand_beside_a_question_of_service(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ phí giao hàng như trên ạ.")
    told = await shop.ask("giao hàng về Cần Thơ phí bao nhiêu")
    assert 1 <= len(told.state["retrieved_context"]) <= 6
    assert "Phí" in told.state["retrieved_context"][0]["heading"]


async def test_a_ready_made_computer_is_not_built_anew(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ có ạ.")
    await shop.ask("bộ PC SSTC Gaming G2 giá bao nhiêu")
    assert "Gaming G2" in server.chats[-1].last_user
    assert "Ryzen 5 5500" not in server.chats[-1].last_user


async def test_what_is_named_whole_brings_itself_and_the_pages_asked_for(
    shop: Shop, server: OllamaDouble
) -> None:
    """Nothing alike, no page about something else: a prompt holds what the message asks."""
    server.script("Dạ vâng ạ.")
    await shop.ask("laptop dell dưới 20 triệu")
    for query, goods, pages in (
        ("SSD Lexar NM620 512GB còn mấy cái trong kho", ["SSD Lexar NM620 512GB"], []),
        ("Lỗi nhẹ sửa tại quầy mất bao lâu?", [], ["Thời gian xử lý"]),
        (
            "Card màn hình MSI Ventus RTX 4060 8GB hỏng thì mang đi đâu?",
            ["Card màn hình MSI Ventus RTX 4060 8GB"],
            ["Nơi nhận bảo hành"],
        ),
    ):
        server.script(wants(query), "Dạ vâng ạ.")
        await shop.ask("câu sau")
        context = server.chats[-1].last_user.partition("Instruction:")[0]
        assert [
            line.split("] ")[1].split(" |")[0] for line in context.splitlines() if " VND |" in line
        ] == goods
        assert [page for page in pages if page in context] == pages
        assert context.count("\n---\n") == len(goods) + len(pages) - 1


async def test_other_goods_than_a_named_one_are_shown_without_it(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ có Laptop Acer Nitro V ạ.")
    await shop.ask("laptop chơi game dưới 21 triệu")
    server.script(
        wants("Laptop chơi game dưới 22 triệu, ngoài Laptop Acer Nitro V ANV15-51 còn con nào?"), "Dạ vâng ạ."
    )
    await shop.ask("có thêm con nào không")
    context = server.chats[-1].last_user.partition("Instruction:")[0]
    assert "Laptop Lenovo LOQ 15IAX9 16GB |" in context
    assert "[danh mục sản phẩm] Laptop Acer Nitro V ANV15-51" not in context


@pytest.mark.parametrize("thanks", ["cảm ơn shop nhé", "thanks, bye"])
async def test_thanks_ask_no_model(shop: Shop, server: OllamaDouble, thanks: str) -> None:
    server.script("Dạ có ạ.")
    await shop.ask("laptop dell dưới 20 triệu")
    before = len(server.chats)
    await shop.ask(thanks)
    assert len(server.chats) == before


async def test_what_is_asked_of_the_one_product_shown_needs_no_decision(
    shop: Shop, server: OllamaDouble
) -> None:
    server.script("Dạ Webcam Logitech C270 giá 590.000 VND ạ.", "Dạ còn 15 cái ạ.")
    await shop.ask("webcam nào rẻ nhất")
    told = await shop.ask("còn hàng không")
    assert len(server.chats) == 2
    assert "Webcam Logitech C270 | 590.000 VND | còn 15" in server.chats[-1].last_user
    assert told.answer.startswith("Dạ còn 15 cái ạ.")


async def test_goods_stay_in_the_facts_behind_an_answer_from_the_pages(
    shop: Shop, server: OllamaDouble
) -> None:
    server.script("Dạ Webcam Logitech C270 giá 590.000 VND ạ.")
    await shop.ask("webcam nào rẻ nhất")
    server.script(wants("Giao hàng ra Đà Nẵng mất mấy ngày?"), "Dạ 2-4 ngày làm việc ạ.")
    await shop.ask("giao ra đà nẵng thì sao ta")
    assert "Laptop" not in server.chats[-1].last_user
    server.script(wants("Webcam Logitech C270 màu gì"), "Dạ chưa có thông tin ạ.")
    await shop.ask("thế nó màu gì zậy")
    assert "shown last (products): 1. Webcam Logitech C270" in server.chats[-2].last_user
    assert "1900" in server.chats[-1].body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("shown", "query", "beside"),
    [
        (
            "màn hình Samsung Odyssey G5 27 inch 165Hz",
            "Màn hình Samsung Odyssey G5 27 inch 165Hz còn hàng không, hết thì Samsung Odyssey G5 bản 32 inch giá bao nhiêu?",
            "Odyssey G5 32 inch",
        ),
        (
            "RAM Kingston Fury Beast DDR4 3200 16GB giá sao",
            "RAM Kingston Fury Beast DDR4 3200 16GB và thanh RAM Kingston Fury DDR4 32GB chênh bao nhiêu?",
            "DDR4 3200 32GB",
        ),
        (
            "tai nghe Sony WH-1000XM5 giá sao",
            "Tai nghe Sony nào rẻ hơn Tai nghe Sony WH-1000XM5 (7.790.000 VND)?",
            "WH-CH520",
        ),
        (
            "sạc dự phòng Baseus 20000mAh 65W",
            "Sạc dự phòng Baseus 20000mAh 65W còn mấy cái? Còn sạc dự phòng loại 10000mAh giá bao nhiêu?",
            "10000mAh",
        ),
        (
            "bàn phím cơ Akko 3068B",
            "Bàn phím cơ Akko 3068B rẻ hơn Bàn phím cơ Akko 5075B Plus bao nhiêu?",
            "5075B Plus",
        ),
    ],
)
async def test_what_is_asked_beside_goods_called_by_name_is_looked_up_too(
    shop: Shop, server: OllamaDouble, shown: str, query: str, beside: str
) -> None:
    server.script("Dạ có ạ.", wants(query), "Dạ vâng ạ.")
    await shop.ask(shown)
    await shop.ask("con kia thì sao ta")
    context = server.chats[-1].last_user.partition("Instruction:")[0]
    assert [line for line in context.splitlines() if beside in line and " VND |" in line]


@pytest.mark.parametrize(
    "asked", ["cho xin link sản phẩm đó với", "link của con đó đâu ta", "can you send me the url of it"]
)
async def test_a_link_that_is_asked_for_can_be_told(shop: Shop, server: OllamaDouble, asked: str) -> None:
    url = "https://sstc.example/san-pham/webcam-logitech-c270"
    server.script("Dạ Webcam Logitech C270 giá 590.000 VND ạ.")
    await shop.ask("webcam nào rẻ nhất")
    assert url not in server.chats[-1].last_user
    server.script(f"Dạ đây ạ: {url}")
    told = await shop.ask(asked)
    assert url in server.chats[-1].last_user
    assert url in told.answer
    assert told.notices == []


def rows_of(server: OllamaDouble) -> list[str]:
    """The names of the goods in the last prompt, in their order."""
    return re.findall(r"^\[[^]]*\] ([^|\n]+) \| \d", server.chats[-1].last_user, re.MULTILINE)


CPU, BOARD = "CPU Intel Core i5-12400F", "Mainboard Gigabyte B760M DS3H DDR5"


@pytest.mark.parametrize(
    ("first", "asked", "meant"),
    [
        (BOARD, "i5 12400f cắm vừa main này không", "i5 12400f cắm vừa main này không"),
        (BOARD, "i5 12400f cắm vừa main này không", f"{CPU} cắm vừa {BOARD} không?"),
        (CPU, "có vừa main gigabyte b760m ko", f"{CPU} lắp được với {BOARD} không?"),
    ],
)
async def test_whether_two_go_together_is_asked_of_these_two(
    shop: Shop, server: OllamaDouble, first: str, asked: str, meant: str
) -> None:
    server.script(f"Dạ {first} còn hàng ạ.")
    await shop.ask(f"{first} còn hàng không")
    server.script(wants(meant), "Dạ lắp vừa ạ.")
    await shop.ask(asked)
    assert sorted(rows_of(server)) == sorted([CPU, BOARD])


async def test_what_was_looked_at_before_is_there_where_it_must_fit(shop: Shop, server: OllamaDouble) -> None:
    server.script(f"Dạ {CPU} còn hàng ạ.")
    await shop.ask(f"{CPU} giá bao nhiêu")
    server.script(wants(f"{BOARD} giá bao nhiêu"), f"Dạ {BOARD} còn hàng ạ.")
    await shop.ask(f"còn {BOARD} thì sao")
    server.script(wants("con chip đó cắm vừa main này không"), "Dạ vừa ạ.")
    await shop.ask("con chip đó cắm vừa main này không")
    assert sorted(rows_of(server)) == sorted([CPU, BOARD])


@pytest.mark.parametrize("maker", ["Sony", "JBL", "HyperX", "Razer"])
async def test_a_maker_that_is_ruled_out_stands_nowhere(shop: Shop, server: OllamaDouble, maker: str) -> None:
    server.script(f"Dạ có Tai nghe Sony WF-C700N, Tai nghe JBL Tune 520BT, Tai nghe {maker} ạ.")
    await shop.ask("tai nghe dưới 3 triệu")
    server.script(wants(f"Tai nghe dưới 3 triệu nghe êm tai, không lấy {maker}"), "Dạ vâng ạ.")
    await shop.ask(f"bỏ {maker} ra giúp em, con nào nghe êm tai nhất")
    assert rows_of(server)
    assert not [name for name in rows_of(server) if maker in name]


async def test_a_role_that_nobody_said_is_not_told(shop: Shop, server: OllamaDouble) -> None:
    for told, said in ((False, "-"), (True, "staff")):
        asker = Shop(shop.services, shop.registry)
        asker.profile = replace(asker.profile, role_told=told)
        server.script("Dạ vâng ạ.")
        await asker.ask("chuột G304 giá bao nhiêu")
        assert f"Asked by (role): {said}." in server.chats[-1].last_user


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (("IdeaPad Slim 3 8GB", "Legion 5 32GB"), ("Laptop Lenovo IdeaPad Slim 3 15IRH8 8GB", "Laptop Lenovo Legion 5 16IRX9 32GB")),
        (("ProBook 440 16GB", "Zenbook 14 OLED 512GB"), ("Laptop HP ProBook 440 G10 16GB", "Laptop ASUS Zenbook 14 OLED UX3405MA 512GB")),
        (("BlackShark V2", "Cloud Stinger"), ("Tai nghe Razer BlackShark V2 X", "Tai nghe HyperX Cloud Stinger 2")),
    ],
)  # fmt: skip
def test_a_short_name_that_fits_one_alone_is_known(said: tuple[str, str], meant: tuple[str, str]) -> None:
    with (DATA / "products.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names, makers = [row["name"] for row in rows], sorted({row["brand"] for row in rows})
    found = Lexicon({name: called_so(name, makers, names) for name in names}).find(" và ".join(said))
    assert [hit.label for hit in found] == list(meant)


@pytest.mark.parametrize(
    "said", ["Vivobook 15 OLED", "TUF Gaming A15", "Tune", "Ultra", "Logitech Bluetooth"]
)
def test_a_short_name_of_several_or_of_plain_words_is_none(said: str) -> None:
    with (DATA / "products.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names, makers = [row["name"] for row in rows], sorted({row["brand"] for row in rows})
    assert not any(said in called_so(name, makers, names) for name in names)
