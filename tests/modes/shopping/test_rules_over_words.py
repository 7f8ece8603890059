"""Rules of the desk without a model, each over many words and goods, with what they must not change."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines
from troly.text.everyday import without_pleasantries
from troly.text.fold import fold
from troly_shopping.intent import MessagePhrases
from troly_shopping.message import without_relay
from troly_shopping.products.offers import find_offer, measure_of
from troly_shopping.products.pc_build import go_together
from troly_shopping.products.query import parse_product_query
from troly_shopping.products.store import Product, ProductStore, SearchCriteria
from troly_shopping.wordlists import word_lists


def goods(shop: Shop, kind: str) -> list[Product]:
    return ProductStore(shop.services.datasets).search(SearchCriteria(kinds=(kind,), count=500))


def named(shop: Shop, name: str) -> Product:
    return ProductStore(shop.services.datasets).named([name])[0]


def found(shop: Shop, text: str) -> Sequence[Product]:
    store = ProductStore(shop.services.datasets)
    offer = find_offer(store, parse_product_query(text, store))
    return offer.products if offer else ()


def money(amount: int) -> str:
    return f"{amount:,}".replace(",", ".")


PAIRS = [
    ("Ghế công thái học SSTC Ergo 1", "Ergo 2", "Ghế công thái học SSTC Ergo 2"),
    ("PC SSTC Văn phòng V2", "bộ G1", "PC SSTC Gaming G1 GTX 1650"),
    ("SSD Samsung 990 Pro 1TB", "bản 2TB", "SSD Samsung 990 Pro 2TB"),
    ("Màn hình AOC 24G2SP 24 inch 165Hz", "con 27 inch", "Màn hình AOC 27G2SP 27 inch 165Hz"),
    ("Card màn hình MSI Ventus RTX 4060 Ti 8GB", "con 4070", "Card màn hình Gigabyte RTX 4070 12GB"),
]


@pytest.mark.parametrize(
    ("more", "much"),
    [
        ("thêm", "bao nhiêu"),
        ("bù", "nhiêu tiền"),
        ("phải bù", "bn"),
        ("đắt thêm", "mấy tiền"),
        ("mắc hơn", "bao nhiêu"),
        ("chênh", "nhiêu tiền"),
    ],
)
async def test_more_with_how_much_asks_the_difference(shop: Shop, more: str, much: str) -> None:
    for first, short, other in PAIRS:
        await shop.ask(f"{first} giá bao nhiêu")
        told = await shop.ask(f"lên {short} thì {more} {much}")
        assert money(abs(named(shop, first).price - named(shop, other).price)) in told.answer, short
        assert told.done.metadata["answered"]


async def test_a_difference_to_goods_that_are_not_known_is_not_told(shop: Shop) -> None:
    await shop.ask("Màn hình AOC 24G2SP giá bao nhiêu")
    assert not (await shop.ask("con 32 inch thì thêm bao nhiêu")).done.metadata["answered"]


@pytest.mark.parametrize(
    ("before", "place"),
    [
        ("hoàn tiền mất mấy ngày", "Phú Quốc"),
        ("mở cửa tới mấy giờ", "can tho"),
        ("chuột G304 giá sao", "Nha Trang"),
        ("hoàn tiền mất mấy ngày", "thu duc"),
        ("mở cửa tới mấy giờ", "Đắk Lắk"),
    ],
)
async def test_a_place_of_delivery_is_no_word_about_goods(shop: Shop, before: str, place: str) -> None:
    await shop.ask(before)
    told = await shop.ask(f"giao {place} mấy ngày")
    assert "5-7 ngày" in told.answer
    assert told.done.metadata["answered"]
    told = await shop.ask(f"thế {place} thì sao")
    assert "5-7 ngày" in told.answer
    assert not (await shop.ask("giao bằng drone được không")).done.metadata["answered"]


@pytest.mark.parametrize(("said", "number"), [("gen 3", 3), ("gen4", 4), ("PCIe 4.0", 4), ("pcie gen 3", 3)])
async def test_the_generation_of_a_drive_is_its_bus(shop: Shop, said: str, number: int) -> None:
    told = (await shop.ask(f"cần ssd {said}")).answer
    of_it = {one.name for one in goods(shop, "ssd") if f"PCIe {number}.0" in one.specs}
    assert {line.split(":")[0] for line in told_lines(told)} == of_it
    assert "Gen 5" not in (await shop.ask("ssd gen 5 có không")).answer
    assert "512GB" in (await shop.ask("thinkpad e14 gen 5 ssd bao nhiêu")).answer


@pytest.mark.parametrize(
    ("part", "attribute", "words"),
    [
        ("ram", "storage", "{} nhiều hơn"),
        ("ssd", "storage", "thay {} dung lượng lớn hơn"),
        ("nguồn", "power", "đổi {} công suất cao hơn"),
        ("card", "", "đổi {} mạnh hơn"),
    ],
)
async def test_a_part_with_more_of_what_counts_takes_the_place(
    shop: Shop, part: str, attribute: str, words: str
) -> None:
    before = [
        line.split(",")[0].split(": ")[-1] for line in told_lines((await shop.ask("build pc 15tr")).answer)
    ]
    answer = (await shop.ask(words.format(part))).answer
    lines = [line.split(":")[0] for line in told_lines(answer) if "VND" in line and "«" not in line]
    [old], [new] = set(before) - set(lines), set(lines) - set(before)
    assert len(lines) == len(before)
    one, other = named(shop, old), named(shop, new)
    if attribute:
        assert (measure_of(other, attribute) or 0) > (measure_of(one, attribute) or 0)
    else:
        assert other.price > one.price
    assert "đơn của quý khách" not in (await shop.ask("giao nhanh hơn được không")).answer


@pytest.mark.parametrize(
    "has", ["mình có {} rồi, cần", "em đang xài {}, muốn mua", "tôi có {} thì mua", "i have a {}, need a"]
)
async def test_what_is_there_already_is_not_offered(shop: Shop, has: str) -> None:
    told = (await shop.ask(f"{has.format('cpu ryzen 5 5600')} mainboard")).answer
    lines = [line for line in told_lines(told) if "VND" in line]
    assert lines
    assert all(line.startswith("Mainboard") and "AM4" in line for line in lines)
    shop.leave()
    assert "CPU Intel" in (await shop.ask("shop mình có cpu i5 với main nào không")).answer


@pytest.mark.parametrize("sizes", ["8/256", "16/256", "16gb/512", "16 / 512gb"])
async def test_two_sizes_are_memory_and_storage(shop: Shop, sizes: str) -> None:
    memory, storage = ("".join(filter(str.isdigit, one)) for one in sizes.split("/"))
    [line] = told_lines((await shop.ask(f"macbook air {sizes} giá sao")).answer)
    assert f"{memory}GB/{storage}GB" in line


@pytest.mark.parametrize("part", ["mic", "loa", "webcam"])
async def test_what_goods_may_have_in_them_is_asked_of_those_shown(shop: Shop, part: str) -> None:
    await shop.ask("màn hình dell 27 inch")
    assert f"không ghi {part}" in (await shop.ask(f"có {part} không")).answer
    assert "không ghi" not in (await shop.ask(f"shop có bán {part} không")).answer


@pytest.mark.parametrize("code", ["mã DH12345", "SO-88213", "mã là DH998 nhé"])
async def test_a_code_after_an_order_is_that_of_the_order(shop: Shop, code: str) -> None:
    await shop.ask("đơn hàng của mình tới đâu rồi")
    assert "không xem được đơn hàng" in (await shop.ask(code)).answer


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cod đơn 25tr được không", "20.000.000"),
        ("giao hỏa tốc bao nhiêu tiền", "60.000"),
        ("pin laptop bảo hành bao lâu", "12 tháng"),
        ("mất hộp có được bảo hành không", "Không cần giữ hộp"),
    ],
)
async def test_what_is_part_of_a_topic_is_told_on_its_page(shop: Shop, text: str, told: str) -> None:
    found = await shop.ask(text)
    assert told in found.answer
    assert found.done.metadata["answered"]
    assert not (await shop.ask("shop có bán hàng cũ không")).done.metadata["answered"]


@pytest.mark.parametrize("name", ["G304", "MX Master 3S", "M331"])
@pytest.mark.parametrize(
    ("words", "sign"), [("chuột nào rẻ hơn {}", -1), ("có chuột nào đắt hơn con {} không", 1)]
)
async def test_less_than_a_named_one_is_a_limit(shop: Shop, words: str, sign: int, name: str) -> None:
    [price] = [one.price for one in goods(shop, "mouse") if name in one.name]
    lines = told_lines((await shop.ask(words.format(name))).answer)
    assert lines
    prices = {one.name: one.price for one in goods(shop, "mouse")}
    assert all((prices[line.split(":")[0]] - price) * sign > 0 for line in lines)


@pytest.mark.parametrize(("price", "months"), [(12, 6), (18, 12), (9, 3)])
async def test_an_amount_beside_months_is_divided(shop: Shop, price: int, months: int) -> None:
    told = await shop.ask(f"máy {price} triệu trả góp {months} tháng mỗi tháng đóng bao nhiêu")
    assert money(round(price * 1_000_000 / months)) in told.answer
    told = await shop.ask(f"laptop dưới {price} triệu trả góp {months} tháng mỗi tháng bao nhiêu")
    assert "chia đều" not in told.answer


@pytest.mark.parametrize(
    ("who", "bad"),
    [("nhân viên", "tệ quá"), ("thái độ phục vụ", "khó chịu thật"), ("tổng đài", "rất thô lỗ")],
)
async def test_service_that_is_bad_is_a_complaint(shop: Shop, who: str, bad: str) -> None:
    assert "xin lỗi" in (await shop.ask(f"{who} shop mình {bad}")).answer
    assert "xin lỗi" not in (await shop.ask("cho em gặp nhân viên, laptop rẻ tệ quá")).answer


async def test_the_other_of_two_is_not_the_one_spoken_of(shop: Shop) -> None:
    await shop.ask("so sánh AOC 24G2SP với AOC 27G2SP")
    await shop.ask("con rẻ hơn tần số quét bao nhiêu")
    told = [
        told_lines((await shop.ask(other)).answer)
        for other in ("con kia thì sao", "cái còn lại còn hàng không")
    ]
    assert [len(lines) for lines in told] == [1, 1]
    assert "24G2SP" in told[-1][0]


async def test_a_variant_is_another_model(shop: Shop) -> None:
    told = (await shop.ask("card 4060 với 4060 ti chênh bao nhiêu")).answer
    assert "2.700.000" in told
    assert [line.count("Ti ") for line in told_lines((await shop.ask("vga 4060 ti")).answer)] == [1]


@pytest.mark.parametrize(
    "who",
    ["khách hỏi", "có chị kia cần", "khách báo là", "anh khách kêu", "khach muon mua", "một bạn nhắn hỏi"],
)
async def test_who_passes_a_question_on_is_no_word_about_goods(shop: Shop, who: str) -> None:
    plain = await shop.ask("chuột không dây dưới 500k")
    relayed = await shop.ask(f"{who} chuột không dây dưới 500k")
    assert told_lines(relayed.answer) == told_lines(plain.answer)
    assert "chưa hiểu" not in relayed.answer


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("khách hỏi laptop Dell", "laptop Dell"),
        ("có anh kia đang thắc mắc là pin trâu không", "pin trâu không"),
        ("a customer asks if you have mice", "you have mice"),
        ("khách bảo hành máy in ở đâu", "khách bảo hành máy in ở đâu"),
        ("bạn nói con thứ hai bao nhiêu", "bạn nói con thứ hai bao nhiêu"),
        ("laptop khách hỏi hôm qua", "laptop khách hỏi hôm qua"),
        ("khách hỏi", "khách hỏi"),
    ],
)
def test_only_an_opening_that_passes_something_on_is_left_out(text: str, left: str) -> None:
    assert without_relay(text) == left


@pytest.mark.parametrize("now", ["giờ làm sao", "giờ phải làm gì", "bây giờ xử lý thế nào"])
async def test_now_is_no_opening_hour(shop: Shop, now: str) -> None:
    assert "8:00 đến 21:00" not in (await shop.ask(f"khách báo lỗi màn hình {now}")).answer
    assert "8:00 đến 21:00" in (await shop.ask("giờ làm việc của shop thế nào")).answer


@pytest.mark.parametrize("name", [pair[0] for pair in PAIRS])
async def test_lengths_of_time_are_in_the_language_of_the_answer(shop: Shop, name: str) -> None:
    told = (await shop.ask(f"how long is the warranty of {name}", language="en")).answer
    assert " months" in told
    assert "tháng" not in told


@pytest.mark.parametrize(
    ("kind", "place", "nth"),
    [
        ("chuột không dây", "thứ hai", 2),
        ("ssd 1tb", "thứ nhì", 2),
        ("laptop dell", "thứ 3", 3),
        ("ssd 1tb", "thứ ba", 3),
    ],
)
async def test_so_far_from_the_cheapest_is_that_place_of_the_list(
    shop: Shop, kind: str, place: str, nth: int
) -> None:
    listed = told_lines((await shop.ask(f"{kind} rẻ nhất")).answer)
    told = (await shop.ask(f"rẻ {place}")).answer
    name = listed[nth - 1].split(". ", 1)[-1].split(":")[0]
    assert name in told
    warranty = (await shop.ask("con này bảo hành mấy năm")).answer
    assert name in warranty


@pytest.mark.parametrize("first", [pair[0] for pair in PAIRS[:3]])
async def test_what_is_added_is_summed_where_one_fits_and_named_where_not(shop: Shop, first: str) -> None:
    await shop.ask(f"{first} giá bao nhiêu")
    open_ = await shop.ask("thêm 1 màn 24 inch nữa thì tổng bao nhiêu")
    assert "24 inch»" in open_.answer
    assert not open_.done.metadata["answered"]
    one = "Màn hình Dell UltraSharp U2724D 27 inch"
    whole = await shop.ask(f"thêm 1 {one} nữa thì tổng bao nhiêu")
    assert money(named(shop, first).price + named(shop, one).price) in whole.answer


def test_a_number_that_goods_are_called_by_is_no_price(shop: Shop) -> None:
    store = ProductStore(shop.services.datasets)
    numbers = {
        (one.kind, number)
        for kind in store.kinds()
        for one in goods(shop, kind)
        for number in re.findall(r"\d{5,6}", one.name)
    }
    assert numbers
    for kind, number in numbers:
        for text in (f"{number} giá bao nhiêu", f"có con {number} không", f"loại {number}"):
            read = parse_product_query(text, store)
            assert (number in read.words, read.priced) == (True, False), text
            assert any(number in one.name for one in found(shop, text)), (kind, text)
        # A word of price, or of money behind it, makes it one.
        assert parse_product_query(f"dưới {number}", store).high == int(number)
        assert parse_product_query(f"{number} đồng", store).priced
    assert parse_product_query("chuột 150000", store).about == 150_000


@pytest.mark.parametrize("ask", ["{} nào chạy được {} mà xài {}", "{} lắp với {} dùng {} được không"])
async def test_of_what_is_said_to_go_together_all_does(shop: Shop, ask: str) -> None:
    store = ProductStore(shop.services.datasets)
    for cpu in goods(shop, "cpu"):
        code = cpu.name.split()[-1]
        for memory in ("ddr4", "ddr5"):
            offer = find_offer(store, parse_product_query(ask.format("main", code, memory), store))
            if offer and offer.kind == "fit" and offer.note == "yes":
                one, other = offer.products
                assert go_together(one, other), (one.name, other.name)


async def test_all_that_a_ready_computer_has_is_told_where_its_parts_are_asked(shop: Shop) -> None:
    for computer in goods(shop, "pc"):
        for ask in ("cấu hình {}", "Cấu hình {} sao em", "{} cấu hình thế nào"):
            shop.leave()
            told = await shop.ask(ask.format(computer.name))
            [line] = [one for one in told_lines(told.answer) if one.startswith(computer.name)]
            for name, value in computer.details().items():
                assert line.count(f"{name}: {value}") == 1, ask


async def test_what_takes_the_place_of_a_part_is_another(shop: Shop) -> None:
    for card in ("4060", "4070", "1650"):
        shop.leave()
        await shop.ask("build pc 20tr chơi game")
        told = await shop.ask(f"đổi card sang {card}")
        lines = [one for one in told_lines(told.answer) if "Card màn hình" in one]
        assert lines
        assert card in lines[0]
        assert " Ti " not in lines[0]


async def test_a_piece_of_a_code_names_its_goods(shop: Shop) -> None:
    for said, name in (("xm5", "WH-1000XM5"), ("x3d", "7800X3D"), ("wh1000xm5", "WH-1000XM5")):
        assert name in found(shop, f"{said} giá bn")[0].name


@pytest.mark.parametrize("kind", ["mouse", "keyboard", "headset", "monitor"])
@pytest.mark.parametrize("not_so", ["does not", "doesnt", "won't", "no longer"])
@pytest.mark.parametrize("does", ["work", "charge", "turn on", "respond"])
async def test_what_does_not_do_what_it_should_is_broken(
    shop: Shop, kind: str, not_so: str, does: str
) -> None:
    told = await shop.ask(f"the {kind} i bought 3 days ago {not_so} {does}")
    assert told.state["intent"] == "warranty"
    assert "💖" not in told.done.text
    assert "exchanged for a new one within 7 days" in told.answer
    assert not told.state["retrieved_context"]


@pytest.mark.parametrize("kind", ["chuột", "bàn phím", "tai nghe", "màn hình"])
@pytest.mark.parametrize(
    "since", ["mua {} được 4 hôm mà lỗi hoài", "{} mới mua 2 tuần đã hư", "{} bị sọc rồi"]
)
async def test_what_is_broken_is_no_wish_for_such_goods_but_a_limit_is(
    shop: Shop, kind: str, since: str
) -> None:
    broken = since.format(kind)
    assert "Đổi mới trong 7 ngày" in (await shop.ask(broken)).answer
    wish = await Shop(shop.services, shop.registry).ask(f"{broken}, có con nào dưới 5 triệu không")
    assert told_lines(wish.answer)


@pytest.mark.parametrize("asks", ["bảo hành", "check my warranty", "kiem tra bao hanh giup em"])
@pytest.mark.parametrize("none", ["không có", "ko", "i dont have it", "i don't have it", "no", "khong nho"])
async def test_who_answers_no_to_the_serial_has_a_way_out(shop: Shop, asks: str, none: str) -> None:
    first = await shop.ask(asks)
    told = await shop.ask(none)
    assert "1900 0000" in told.answer
    for turn in (first, told):
        assert not turn.state["need_retrieval_hint"], "a warranty is looked up in the table alone (000-23)"


@pytest.mark.parametrize("text", ["Duoc roi em", "hieu roi", "xong roi shop", "ok roi nhe"])
async def test_an_idle_word_at_the_end_tells_of_no_fall(shop: Shop, text: str) -> None:
    assert "rơi vỡ" not in (await shop.ask(text)).answer


async def test_a_fall_typed_without_accents_is_one(shop: Shop) -> None:
    assert "rơi vỡ" in (await shop.ask("may roi tu tren ban xuong co bao hanh khong")).answer


@pytest.mark.parametrize(
    "name",
    ["Chuột Logitech B100", "USB Kingston DataTraveler Exodia 64GB", "Tai nghe JBL Tune 520BT"],
)
@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("total", ["tổng cộng bao nhiêu", "tong tien", "total?", "hết bao nhiêu"])
async def test_so_many_pieces_are_an_order_that_has_begun(
    shop: Shop, name: str, count: int, total: str
) -> None:
    price, keyboard = named(shop, name).price, named(shop, "Bàn phím Logitech K120").price
    await shop.ask(f"cho mình lấy {count} cái {name}")
    assert money(count * price) in (await shop.ask(total)).answer.replace(",", ".")
    more = await shop.ask("thêm 2 bàn phím Logitech K120 nữa")
    assert money(count * price + 2 * keyboard) in more.answer.replace(",", ".")


async def test_pieces_that_were_asked_for_are_not_forgotten_over_a_question(shop: Shop) -> None:
    await shop.ask("3 con Logitech B100")
    await shop.ask("con này bảo hành mấy tháng")
    assert "270.000" in (await shop.ask("tổng tiền")).answer


@pytest.mark.parametrize(
    ("kind", "name"), [("ghế", "SSTC Ergo"), ("webcam", "C270"), ("router", "Archer"), ("máy in", "LBP2900")]
)
@pytest.mark.parametrize(
    "text",
    [
        "shop có bán {} không, mấy giờ đóng cửa vậy",
        "mấy giờ đóng cửa, có {} nào không",
        "co {} ko? may gio dong cua",
    ],
)
async def test_goods_in_a_clause_of_their_own_are_answered_beside_a_page(
    shop: Shop, kind: str, name: str, text: str
) -> None:
    told = (await shop.ask(text.format(kind))).answer
    assert "21:00 tất cả các ngày" in told
    assert name in told
    alone = await Shop(shop.services, shop.registry).ask(f"mua {kind}, có được tặng gì không")
    assert name not in alone.answer


@pytest.mark.parametrize(
    ("serial", "kind", "limit"),
    [("PF3T71QX", "Laptop", 15), ("NBK-22-004871", "Laptop", 20), ("2229LZX0KJ48", "Chuột", 1)],
)
@pytest.mark.parametrize("wish", ["hết thì tư vấn con mới dưới {}tr", "gợi ý em cái khác dưới {} triệu"])
async def test_a_want_beside_a_serial_is_one_like_the_machine(
    shop: Shop, serial: str, kind: str, limit: int, wish: str
) -> None:
    told = await shop.ask(f"{serial} còn hạn không, {wish.format(limit)}")
    assert f"Serial '{serial}'" in told.answer
    lines = [line for line in told.answer.splitlines() if re.match(r"\d\. ", line)]
    assert lines
    assert all(kind in line for line in lines)


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        ("so sánh ryzen 5 5600 với i5 12400f", "lắp con 5600 thì main nào"),
        ("shop có ryzen 5 5600 không", "cpu 5600 lắp được main nào"),
    ],
)
async def test_a_number_that_is_a_model_is_no_size_and_no_speed(shop: Shop, first: str, asked: str) -> None:
    await shop.ask(first)
    told = (await shop.ask(asked)).answer
    assert "CPU AMD Ryzen 5 5600" in told
    assert "A520M" in told
    assert "LGA1700" not in told


@pytest.mark.parametrize("cpu", ["cpu ryzen 5 5600", "cpu intel", "cpu amd", "cpu i5"])
async def test_of_several_that_may_fit_none_is_said_not_to(shop: Shop, cpu: str) -> None:
    await shop.ask(cpu)
    for asked in ("con đó lắp main nào", "main nào lắp được"):
        assert "không lắp được với nhau" not in (await shop.ask(asked)).answer


@pytest.mark.parametrize("thing", ["màn hình", "loa", "con laptop", "bàn phím", "máy in"])
@pytest.mark.parametrize(
    "state", ["xệ xửng hoài", "cứ blorp blorp", "kêu xửng xửng", "của em xửng vậy đó", "nay blorp mãi"]
)
async def test_a_thing_in_a_lasting_state_is_a_complaint(shop: Shop, thing: str, state: str) -> None:
    told = await shop.ask(f"{thing} {state}", language="vi")
    assert told.answer.startswith("Dạ em rất tiếc"), told.answer
    assert "cute_greeting" not in told.said
    assert told.done.message_type == "warranty_prompt"


@pytest.mark.parametrize("thing", ["màn hình", "loa", "chuột", "laptop"])
@pytest.mark.parametrize("state", ["xệ xửng", "blorp", "quizzle nhẹm"])
async def test_a_state_of_which_nothing_tells_is_asked_about(shop: Shop, thing: str, state: str) -> None:
    told = await shop.ask(f"{thing} {state}", language="vi")
    assert f"«{state}» là lỗi" in told.answer
    assert "cute_greeting" not in told.said
    assert not told.done.metadata["answered"]
    assert "1. " not in told.answer


@pytest.mark.parametrize(
    "text",
    ["cần mua loa blorp", "loa blorp dưới 2 triệu", "có loa blorp không", "loa nào blorp", "loa cho blorp", "loa Edifier blorp"],
)  # fmt: skip
async def test_a_wish_with_a_word_nobody_knows_is_no_complaint(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    assert "blorp" in told.answer
    assert "rất tiếc" not in told.answer
    assert "là lỗi" not in told.answer


@pytest.mark.parametrize("word", ["không", "chưa", "nếu", "if"])
async def test_a_question_is_greeted_as_any_other(shop: Shop, word: str) -> None:
    assert "cute_greeting" in (await shop.ask(f"laptop Dell giá bao nhiêu {word}")).said


@pytest.mark.parametrize(
    "said",
    ["bt e ơi", "hx blorp", "se nha em", "lol that's quizzle", "em học blorp nào ra", "work is quizzle"],
)
async def test_chat_is_no_name_of_goods(shop: Shop, said: str) -> None:
    told = await shop.ask(said)
    assert "VND" not in told.answer
    assert not told.done.metadata.get("answered")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("loa go 4", "JBL Go 4"), ("jbl go", "JBL Go 4"), ("cloud ii", "Cloud II"), ("g413 se", "G413 SE"),
        ("vivobook go 15", "Vivobook Go 15"), ("nh d15", "NH-D15"), ("mx keys", "MX Keys S"), ("4060 ti", "4060 Ti"),
    ],
)  # fmt: skip
def test_two_letters_beside_what_they_stand_by_are_a_name(shop: Shop, said: str, meant: str) -> None:
    assert all(meant in one.name for one in found(shop, said))
    assert found(shop, said)


@pytest.mark.parametrize("kind", sorted(word_lists("kinds")))
def test_what_goods_are_called_is_no_slip_of_a_fault(kind: str) -> None:
    for entry in word_lists("kinds")[kind]:
        for word in entry.split():
            assert not MessagePhrases(f"32GB {word} under 3 million").count["repair"], word


@pytest.mark.parametrize(
    "text",
    [
        "{} và {}, tổng dưới {}", "cần {} với {} tổng cộng tối đa {}", "{} và {} dưới {} cho cả hai", "1 {} + 1 {} cả hai dưới {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kinds", [("keyboard", "headset"), ("mouse", "monitor"), ("ssd", "speaker")])
@pytest.mark.parametrize("share", [0.6, 1.5])
async def test_a_limit_of_a_sum_is_one_of_the_sum(
    shop: Shop, text: str, kinds: tuple[str, str], share: float
) -> None:
    names = {
        "keyboard": "bàn phím",
        "headset": "tai nghe",
        "mouse": "chuột",
        "monitor": "màn hình",
        "ssd": "ssd",
        "speaker": "loa",
    }
    cheapest = sum(min(one.price for one in goods(shop, kind) if one.stock) for kind in kinds)
    limit = round(cheapest * share / 100_000) * 100
    told = (await shop.ask(text.format(*(names[kind] for kind in kinds), f"{limit}k"))).answer
    assert f"tổng 2 món là {money(cheapest)}" in told, told
    assert ("không có bộ nào" in told) == (cheapest > limit * 1000)


@pytest.mark.parametrize("text", ["laptop dưới 20 triệu và chuột", "chuột và bàn phím dưới 1 triệu"])
def test_a_limit_without_a_sum_is_held_against_each(shop: Shop, text: str) -> None:
    assert len(found(shop, text)) > 2


@pytest.mark.parametrize("thing", ["sạc", "pin", "cục sạc"])
@pytest.mark.parametrize("whole", ["laptop dell", "macbook", "laptop HP", "màn hình LG", "laptop"])
@pytest.mark.parametrize("text", ["{} {}", "có bán {} {} không", "{} cho {} giá bao nhiêu", "cần mua {} {}"])
async def test_what_belongs_to_goods_is_not_those_goods(
    shop: Shop, text: str, thing: str, whole: str
) -> None:
    told = await shop.ask(text.format(thing, whole))
    assert "cửa hàng không có" in told.answer
    assert f"{thing} " in told.answer
    assert "VND" not in told.answer


@pytest.mark.parametrize(
    "text",
    [
        "pin {} bao lâu",
        "sạc {} bao nhiêu w",
        "{} pin trâu",
        "{} có sạc kèm theo không",
        "pin {} dưới 20 triệu",
    ],
)
def test_what_is_asked_of_goods_is_asked_of_them(shop: Shop, text: str) -> None:
    for whole in ("laptop dell", "laptop asus"):
        assert found(shop, text.format(whole))


@pytest.mark.parametrize("text", ["{} cho {}", "{} dùng cho {} loại nào tốt", "{} for {}"])
@pytest.mark.parametrize("wearer", ["ryzen 7 7800x3d", "macbook air m2", "laptop dell", "i9 14900k"])
async def test_goods_are_not_denied_for_what_they_are_for(shop: Shop, text: str, wearer: str) -> None:
    for kind in ("tản nhiệt", "chuột", "webcam"):
        told = await shop.ask(text.format(kind, wearer), language="vi")
        assert "em chưa thấy" not in told.answer, told.answer
        assert not told.done.metadata["answered"]
        assert "VND" in told.answer
        shop.leave()


@pytest.mark.parametrize(
    "uses", [("học tập", "chơi game"), ("văn phòng", "đồ họa"), ("gaming", "học online")]
)
async def test_goods_are_not_denied_for_several_uses(shop: Shop, uses: tuple[str, str]) -> None:
    for budget in (16, 20, 25):
        told = await shop.ask(f"laptop {uses[0]} và {uses[1]} tầm {budget} triệu")
        assert "em chưa thấy" not in told.answer, told.answer
        assert told_lines(told.answer)
        shop.leave()


@pytest.mark.parametrize("use", ["đồ họa", "online", "đại học"])
async def test_the_verb_of_a_use_is_no_name(shop: Shop, use: str) -> None:
    told = await shop.ask(f"laptop học {use} tầm 20tr")
    assert "«học»" not in told.answer
    assert "em chưa thấy" not in told.answer


@pytest.mark.parametrize("kind", sorted(word_lists("kinds")))
def test_no_end_of_a_kind_is_taken_for_a_particle(kind: str) -> None:
    for entry in word_lists("kinds")[kind]:
        assert without_pleasantries(f"shop có {entry}") == f"shop có {entry}"


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("bàn phím không dây dưới 1 triệu", "không dây"), ("chuột không dây dưới 200k", "không dây"), ("màn hình 4k", "4k"),
        ("laptop oled", "oled"), ("chuột Logitech có dây", "có dây"), ("tai nghe chống ồn", "chống ồn"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "asked", ["rẻ hơn nữa ko", "có con nào rẻ hơn không", "có loại nào rẻ hơn nữa không"]
)
async def test_cheaper_keeps_what_was_asked(shop: Shop, before: str, kept: str, asked: str) -> None:
    first = (await shop.ask(before)).answer
    told = (await shop.ask(asked)).answer
    if "VND" in first:
        assert f"{kept} nào rẻ hơn nữa" in told
        assert told.count("https://") == 1


@pytest.mark.parametrize(
    ("before", "asked", "told"),
    [
        ("SSD Kingston NV2 1TB", "con đó là ssd hay hdd", "SSD"), ("Tai nghe JBL Quantum 100", "cái này là loa hay tai nghe", "tai nghe"),
        ("SSD Samsung 870 EVO 1TB", "nó là nvme hay sata", "SATA 2.5 inch"), ("CPU Intel Core i5-12400F", "nó là i3 hay i5", "i5"),
        ("Ổ cứng HDD Seagate BarraCuda 2TB", "is it an ssd or hdd", "hard drive"),
    ],
)  # fmt: skip
async def test_which_of_two_it_is_its_own_row_tells(shop: Shop, before: str, asked: str, told: str) -> None:
    await shop.ask(before)
    answer = await shop.ask(asked)
    assert told in answer.answer.split(";", 1)[1]
    assert "không ghi" not in answer.answer
    assert answer.done.metadata["answered"]


@pytest.mark.parametrize("card", ["RTX 4070 Super", "RTX 4060 Ti", "RX 7600"])
async def test_watts_asked_of_a_card_are_told_and_what_gives_them(shop: Shop, card: str) -> None:
    told = (await shop.ask(f"{card} cần nguồn bao nhiêu w")).answer
    assert "Nguồn đề nghị" in told
    assert "Nguồn máy tính" not in told
    more = (await shop.ask("shop có nguồn đó ko")).answer
    assert "lắp được với" in more
    assert "Nguồn máy tính" in more


@pytest.mark.parametrize("thing", ["màn hình", "bàn phím", "con laptop", "tai nghe"])
@pytest.mark.parametrize("state", ["đen thui", "trắng", "chấm đen ở giữa", "xửng", "cong một góc"])
async def test_what_goods_suffer_is_no_property_that_they_are_to_have(
    shop: Shop, thing: str, state: str
) -> None:
    told = await shop.ask(f"{thing} bị {state}")
    assert "VND" not in told.answer
    assert told.answer.startswith("Dạ em rất tiếc")
    shop.leave()
    assert "rất tiếc" not in (await shop.ask(f"{thing} màu trắng nào rẻ nhất")).answer


@pytest.mark.parametrize("kind", ["chuột Logitech B100", "Loa Logitech Z120", "Webcam Logitech C270"])
@pytest.mark.parametrize(
    ("text", "count"),
    [("how much for 3", 3), ("lấy 5 nhiêu tiền", 5), ("mua 2 bao nhiêu", 2), ("what is the price for 4", 4)],
)
async def test_a_number_alone_counts_what_was_shown(shop: Shop, kind: str, text: str, count: int) -> None:
    await shop.ask(kind, language="vi")
    told = (await shop.ask(text)).answer
    assert f"{count} × " in told, told


@pytest.mark.parametrize(
    "text", ["có ráp máy giùm không", "shop có nhận build pc không", "ráp pc được không em"]
)
async def test_whether_the_shop_builds_is_no_wish_for_a_computer(shop: Shop, text: str) -> None:
    told = (await shop.ask(text)).answer
    assert "lắp đặt tại nhà" in told
    assert "Mainboard" not in told
    shop.leave()
    assert "Mainboard" in (await shop.ask(f"build pc 15 triệu, {text}")).answer


@pytest.mark.parametrize("called", ["máy tính", "may tinh", "computer"])
@pytest.mark.parametrize("wish", ["chơi game dưới 20 triệu", "văn phòng dưới 12tr"])
def test_a_computer_is_a_laptop_or_a_pc(shop: Shop, called: str, wish: str) -> None:
    kinds = {one.kind for one in found(shop, f"{called} {wish}")}
    assert kinds
    assert kinds <= {"laptop", "pc"}
    assert {one.kind for one in found(shop, f"tai nghe {called}")} <= {"headset"}
    assert {one.kind for one in found(shop, "G304 còn mấy cái")} == {"mouse"}


@pytest.mark.parametrize("share", ["100%", "20%", "400 %"])
async def test_a_share_is_no_name(shop: Shop, share: str) -> None:
    assert "VND" not in (await shop.ask(f"hàng mới {share} không")).answer


@pytest.mark.parametrize(
    ("said", "count"), [("two", 2), ("five", 5), ("ten", 10), ("twelve", 12), ("24", 24)]
)
@pytest.mark.parametrize(
    "text",
    ["how much would {} Logitech B100 be", "price of {} Logitech B100 mice please", "how much for {} B100"],
)
async def test_pieces_are_counted_in_english_words(shop: Shop, text: str, said: str, count: int) -> None:
    told = await shop.ask(text.format(said))
    assert money(count * 90_000) in told.answer.replace(",", ".")


@pytest.mark.parametrize(
    "text", ["ten pc la gi", "which of the two Logitech mice is cheaper", "the two B100 ones"]
)
def test_what_is_no_number_of_pieces_counts_none(shop: Shop, text: str) -> None:
    assert parse_product_query(text, ProductStore(shop.services.datasets)).count == 0


@pytest.mark.parametrize("denial", ["k", "ko", "không", "hông", "chưa"])
@pytest.mark.parametrize("verb", ["nhớ", "học"])
def test_what_somebody_does_not_do_is_ruled_out_of_no_goods(shop: Shop, denial: str, verb: str) -> None:
    query = parse_product_query(f"mua lúc nào {denial} {verb}", ProductStore(shop.services.datasets))
    assert (query.no_words, query.words) == ((), ())


@pytest.mark.parametrize("name", ["dell", "vivobook", "aoc"])
def test_what_is_named_is_ruled_out(shop: Shop, name: str) -> None:
    query = parse_product_query(f"laptop dưới 20 triệu k {name}", ProductStore(shop.services.datasets))
    assert {fold(one) for one in (*query.no_words, *query.no_brands)} == {name}


@pytest.mark.parametrize(("limit", "most"), [("dưới 500k", 500_000), ("dưới 1 triệu", 1_000_000)])
@pytest.mark.parametrize("maker", ["Logitech", "DareU"])
async def test_other_makers_within_a_limit_are_told_with_their_goods(
    shop: Shop, maker: str, limit: str, most: int
) -> None:
    await shop.ask("chuột không dây tầm 700k")
    told = await shop.ask(f"ngoài {maker} ra có hãng nào khác không, {limit}")
    rows = [named(shop, line.split(": ")[0]) for line in told_lines(told.answer)]
    assert rows
    assert all(one.brand != maker and one.price <= most for one in rows)


@pytest.mark.parametrize("months", [6, 9, 12])
@pytest.mark.parametrize("again", ["còn bản 8GB thì sao, góp y vậy", "còn bản 8gb góp mỗi tháng bao nhiêu"])
async def test_an_instalment_goes_on_over_the_months_told_before(shop: Shop, again: str, months: int) -> None:
    await shop.ask("Laptop ASUS Vivobook Go 15 E1504FA 16GB giá bao nhiêu")
    await shop.ask(f"trả góp {months} tháng thì mỗi tháng bao nhiêu")
    told = await shop.ask(again)
    assert money(round(11_490_000 / months)) in told.answer


async def test_no_months_are_made_up(shop: Shop) -> None:
    await shop.ask("Laptop ASUS Vivobook Go 15 E1504FA 16GB giá bao nhiêu")
    await shop.ask("có trả góp không")
    assert "mỗi tháng" not in (await shop.ask("còn bản 8GB góp y vậy")).answer


@pytest.mark.parametrize("end", ["cheapest", "dearest"])
@pytest.mark.parametrize("cpu", ["Ryzen 5 5600", "i5-12400"])
async def test_the_end_of_what_fits_is_the_one_spoken_of(shop: Shop, cpu: str, end: str) -> None:
    await shop.ask(f"CPU {cpu} lắp được với main MSI PRO B760M-P không")
    said = {"cheapest": "rẻ nhất", "dearest": "đắt nhất"}[end]
    listed = told_lines((await shop.ask(f"main nào lắp được với {cpu}, loại {said} thôi")).answer)
    boards = [named(shop, line.split(": ")[0]) for line in listed]
    sign = -1 if end == "dearest" else 1
    assert boards == sorted(boards, key=lambda one: (one.stock == 0, sign * one.price))
    one = told_lines((await shop.ask("main đó giá bao nhiêu")).answer)
    assert [line.split(": ")[0] for line in one] == [listed[0].split(": ")[0]]


@pytest.mark.parametrize("word", ["the {} one", "con {} thì sao", "còn bản {}", "what about the {} version"])
@pytest.mark.parametrize(("number", "variant"), [("4060", "ti"), ("4070", "super"), ("4060", "Ti")])
async def test_a_variant_alone_is_one_of_the_model_spoken_of(
    shop: Shop, word: str, number: str, variant: str
) -> None:
    await shop.ask(f"card rtx {number} giá sao")
    [line] = told_lines((await shop.ask(word.format(variant))).answer)
    assert f"{number} {variant}".lower() in line.lower()


@pytest.mark.parametrize("text", ["the Ti one, and is a 550W psu enough", "con ti với nguồn 550w"])
async def test_a_variant_is_none_of_goods_that_are_named_beside_it(shop: Shop, text: str) -> None:
    await shop.ask("card rtx 4060 giá sao")
    await shop.ask(text)
    assert "ti" not in parse_product_query(text, ProductStore(shop.services.datasets), whole="vga").words


@pytest.mark.parametrize(("memory", "takes"), [("ddr4", True), ("ddr5", False)])
@pytest.mark.parametrize("text", ["main này gắn ram {} được k", "main đó lắp ram {} được không"])
async def test_the_memory_that_a_board_takes_is_no_service(
    shop: Shop, text: str, memory: str, takes: bool
) -> None:
    await shop.ask("mainboard MSI PRO H610M-E DDR4 giá bao nhiêu")
    answer = (await shop.ask(text.format(memory))).answer
    assert "H610M-E DDR4" in answer
    assert "miễn phí" not in answer
    assert ("không thấy mẫu nào" in answer) is not takes


async def test_what_it_costs_to_put_memory_in_is_a_service(shop: Shop) -> None:
    await shop.ask("mainboard MSI PRO H610M-E DDR4 giá bao nhiêu")
    assert "miễn phí" in (await shop.ask("gắn ram ddr4 cho main này mất công bao nhiêu")).answer


@pytest.mark.parametrize("amount", ["2 triệu mốt", "2tr5", "900k"])
@pytest.mark.parametrize("text", ["nếu mua thêm cho lên {} thì sao", "{} thì sao", "còn đơn {}"])
async def test_another_amount_after_a_fee_is_one_of_an_order(shop: Shop, text: str, amount: str) -> None:
    await shop.ask("đơn 1.500.000đ giao về tỉnh phí giao hàng bao nhiêu")
    assert "miễn phí giao hàng" in (await shop.ask(text.format(amount))).answer


async def test_goods_within_an_amount_after_a_fee_are_goods(shop: Shop) -> None:
    await shop.ask("phí giao hàng bao nhiêu")
    assert "miễn phí giao hàng" not in (await shop.ask("laptop dưới 20 triệu thì sao")).answer
    assert "miễn phí giao hàng" not in (await shop.ask("có chuột nào dưới 500k")).answer


@pytest.mark.parametrize("count", [3, 10, 15])
@pytest.mark.parametrize("text", ["ghế Ergo 1 thì đủ {} ko, total bao nhiêu", "ghế Ergo 1 đủ {} cái không"])
async def test_enough_of_so_many_asks_for_pieces(shop: Shop, text: str, count: int) -> None:
    await shop.ask("ghế Ergo 2 giá sao")
    assert money(count * 2_490_000) in (await shop.ask(text.format(count))).answer
