"""Follow-ups without a model: what goes on with the page, the goods or the serials before, and what does not."""

from __future__ import annotations

import re

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines


@pytest.mark.parametrize("text", ["Còn chuyển khoản?", "thế còn chuyển khoản?", "vay con chuyen khoan"])
async def test_what_goes_on_with_a_page_is_read_there_first(shop: Shop, text: str) -> None:
    await shop.ask("Hoàn tiền qua thẻ tín dụng mất bao lâu?")
    assert "2 ngày làm việc" in (await shop.ask(text)).answer
    assert "COD" in (await shop.ask("Hình thức thanh toán chuyển khoản?")).answer


async def test_what_the_page_does_not_speak_of_is_a_topic_of_its_own(shop: Shop) -> None:
    await shop.ask("Hoàn tiền qua thẻ tín dụng mất bao lâu?")
    told = (await shop.ask("Còn giao hàng?")).answer
    assert "Nội thành" in told
    assert "hoàn theo đúng hình thức" not in told


@pytest.mark.parametrize("thanks", ["cảm ơn shop nhé", "Alright, thanks a lot, have a nice day!", "bye nha"])
@pytest.mark.parametrize(
    "before", ["phí trả hàng là bao nhiêu", "laptop asus dưới 25 triệu", "bảo hành ABC123"]
)
async def test_thanks_are_thanks_whatever_was_shown(shop: Shop, before: str, thanks: str) -> None:
    await shop.ask(before)
    told = await shop.ask(thanks)
    assert told.done.message_type == "clarify"
    assert told.done.metadata["answered"] is True


async def test_a_question_with_words_of_its_own_is_none_about_the_serial_before(shop: Shop) -> None:
    await shop.ask("Kiểm tra bảo hành ABC123")
    told = await shop.ask("What kinds of damage aren't covered?", language="en")
    assert "ABC123" not in told.answer
    assert "liquids" in told.answer
    told = await shop.ask("Những lỗi nào không được bảo hành?")
    assert "ABC123" not in told.answer
    assert "rơi vỡ" in told.answer


@pytest.mark.parametrize("gift", ["được tặng những gì", "thì được tặng quà gì"])
async def test_what_comes_with_a_purchase_stands_in_the_pages(shop: Shop, gift: str) -> None:
    assert "balo" in (await shop.ask(f"Sinh viên mua laptop {gift}?")).answer
    assert "balo" not in (await shop.ask("mua chuột làm quà tặng mẹ")).answer


async def test_who_changes_their_mind_sends_nothing_back(shop: Shop) -> None:
    await shop.ask("chuột logitech không dây dưới 1 triệu")
    told = (await shop.ask("thôi đổi ý, lấy Logitech M331 đi, nhiêu tiền")).answer
    assert "M331" in told
    assert "Trả hàng" not in told


@pytest.mark.parametrize(("number", "times"), [("2", 2), ("hai", 2), ("ba", 3), ("4", 4)])
async def test_pieces_are_counted_in_digits_and_words(shop: Shop, number: str, times: int) -> None:
    await shop.ask("RAM Kingston Fury Beast DDR5 5600 32GB giá sao?")
    told = await shop.ask(f"lấy {number} thanh thì hết bao nhiêu")
    assert f"{times * 2_690_000:,}".replace(",", ".") in told.answer


async def test_how_much_cheaper_another_is_sets_both_side_by_side(shop: Shop) -> None:
    await shop.ask("ghế SSTC Ergo 2 giá nhiêu")
    assert "1.800.000" in (await shop.ask("Ergo 1 thì rẻ hơn được bao nhiêu?")).answer


async def test_the_name_that_a_correction_gives_is_looked_up(shop: Shop) -> None:
    await shop.ask("Tai nghe HyperX Cloud II còn hàng không?")
    told = (await shop.ask("Ấy chị nói lộn, Cloud III mới đúng.")).answer
    assert "HyperX Cloud III:" in told
    assert "Cloud II:" not in told
    told = (await shop.ask("Rứa con nớ giá mấy?")).answer
    assert "2.290.000" in told
    assert told.count("VND") == 1


async def test_the_warranty_of_goods_just_shown_needs_no_serial(shop: Shop) -> None:
    await shop.ask("So sánh tản nhiệt Noctua NH-U12S với NH-D15")
    assert (await shop.ask("Thời gian bảo hành thì sao?")).answer.count("72 tháng") == 2


async def test_the_unit_of_what_is_asked_is_understood(shop: Shop) -> None:
    await shop.ask("Card màn hình MSI Ventus RTX 4060 8GB giá nhiêu")
    told = await shop.ask("nó cần nguồn bao nhiêu W")
    assert "550W" in told.answer
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("so the second one is out of warranty, right?", ("BF17P1FW0327",)),
        ("cái đầu tiên còn hạn không", ("KR77Y6MZ4019",)),
        ("Trong hai chiếc vừa rồi, chiếc nào hết bảo hành trước?", ("KR77Y6MZ4019",)),
        ("hai chiếc vừa rồi còn hạn không?", ("KR77Y6MZ4019", "BF17P1FW0327")),
    ],
)
async def test_serials_looked_up_one_by_one_are_pointed_at_together(
    shop: Shop, text: str, meant: tuple[str, ...]
) -> None:
    await shop.ask("bảo hành KR77Y6MZ4019")
    await shop.ask("còn BF17P1FW0327 thì sao")
    told = (await shop.ask(text)).answer
    assert [serial for serial in ("KR77Y6MZ4019", "BF17P1FW0327") if serial in told] == list(meant)


@pytest.mark.parametrize(
    ("text", "term"),
    [("WD Blue SN580 1TB thì sao?", "60 tháng"), ("what about the wd blue sn580 1tb", "60 months")],
)
async def test_what_was_asked_of_one_is_asked_of_another(shop: Shop, text: str, term: str) -> None:
    await shop.ask("Ổ SSD Samsung 990 Pro 2TB bảo hành bao lâu?")
    assert term in (await shop.ask(text)).answer


LAPTOP, DELL, LG = "DL5530-7HX2K9", "CN-0T24H-742", "203NTKF9A617"


@pytest.mark.parametrize(
    ("before", "text", "meant"),
    [
        ([f"{LAPTOP} với {DELL}"], "con màn hình", [DELL]),
        ([f"{LAPTOP} với {DELL}"], "cai laptop", [LAPTOP]),
        ([f"{DELL} và {LG}"], "cái lg", [LG]),
        ([f"{LAPTOP}, {DELL}, {LG}"], "when did the first expire", [LAPTOP]),
        ([f"{LAPTOP}, {DELL}, {LG}"], "mấy cái hết rồi", []),
        ([f"{LAPTOP}, {DELL}, {LG}"], "may con con han", [LAPTOP, DELL, LG]),
        ([LAPTOP, DELL], "cái trước còn mấy ngày", [LAPTOP]),
        ([], f"{LG} không phải của tôi, của tôi là {DELL}", [DELL]),
        ([], f"{LG} is not mine, mine is {DELL}", [DELL]),
        ([], f"{LG} không phải của tôi", [LG]),
    ],
)
async def test_of_several_serials_those_are_told_that_are_meant(
    shop: Shop, before: list[str], text: str, meant: list[str]
) -> None:
    for each in before:
        await shop.ask(each)
    told = await shop.ask(text)
    assert [serial for serial in (LAPTOP, DELL, LG) if f"'{serial}'" in told.answer] == meant
    assert "VND" not in told.answer
    assert "serial" in told.answer.lower()


@pytest.mark.parametrize(
    "text",
    [
        "bảo hành gồm những gì vậy", "bảo hành có tính phí không", "bh co mat phi ko", "bảo hành lâu không", "bảo hành tại nhà không",
        "what is the warranty on monitors", "keychron k2 có hot swap không", "có dịch vụ sửa laptop không", "do you repair printers",
    ],
)  # fmt: skip
async def test_what_is_asked_of_no_certain_machine_needs_no_serial(shop: Shop, text: str) -> None:
    told = (await shop.ask(text)).answer
    assert not any(words in told for words in ("cung cấp số serial", "send me the serial", "rất tiếc"))


@pytest.mark.parametrize(("wish", "made"), [("CPU Intel", "Intel"), ("CPU AMD", "AMD"), ("chip amd", "AMD")])
async def test_a_maker_wished_for_is_built_in(shop: Shop, wish: str, made: str) -> None:
    told = await shop.ask(f"build PC gaming tầm 25 triệu, xài {wish} nha")
    assert f"CPU {made}" in told.answer
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize("wish", ["card RTX 9090", "ram 999gb", "card blorp"])
async def test_a_wish_that_is_not_built_in_is_named(shop: Shop, wish: str) -> None:
    told = await shop.ask(f"build PC gaming tầm 25 triệu, {wish}")
    assert told.done.metadata["answered"] is False
    assert wish.rsplit(maxsplit=1)[-1].lower() in told.answer.lower()


@pytest.mark.parametrize("text", ["Lỗi nhẹ thì sửa tại quầy mất bao lâu?", "loi nhe sua tai quay bao lau"])
@pytest.mark.parametrize("before", ["bảo hành ABC123", "xin chào"])
async def test_how_long_a_repair_takes_needs_no_serial(shop: Shop, before: str, text: str) -> None:
    await shop.ask(before)
    assert "2 giờ" in (await shop.ask(text)).answer


async def test_where_a_faulty_machine_is_brought_is_told(shop: Shop) -> None:
    assert "bất kỳ cửa hàng" in (await shop.ask("mà hỏng thì phải đem ra cửa hàng nào?")).answer


@pytest.mark.parametrize("other", ["ngoài", "trừ", "không phải"])
async def test_other_than_a_whole_name_leaves_the_others_of_its_maker(shop: Shop, other: str) -> None:
    shown = (await shop.ask("laptop acer dưới 25 triệu")).answer
    name = next(line for line in shown.splitlines() if "Laptop Acer" in line).split(". ", 1)[1].split(":")[0]
    shop.leave()
    told = (await shop.ask(f"laptop acer dưới 25 triệu, {other} {name}")).answer
    assert f"{name}:" not in told
    assert "Laptop Acer" in told


async def test_the_warranty_of_a_named_model_needs_no_serial(shop: Shop) -> None:
    await shop.ask("màn hình 32 inch")
    assert "36 tháng" in (await shop.ask("Màn hình AOC 24B20JH2 bảo hành được bao lâu?")).answer


async def test_the_cheaper_of_two_that_were_found_is_told(shop: Shop) -> None:
    await shop.ask("Which MSI laptops with 16GB of RAM do you carry?", language="en")
    assert "13,290,000" in (await shop.ask("How much is the cheaper of the two?", language="en")).answer
    await shop.ask("Laptop nào gắn card RTX 4060?")
    assert "34.990.000" in (await shop.ask("Con rẻ nhất trong số đó giá bao nhiêu?")).answer


@pytest.mark.parametrize(
    "asked", ["chuột chơi game dưới 1 triệu, {} logitech", "chuot choi game duoi 1 trieu ma {} logitech"]
)
@pytest.mark.parametrize(
    "no", ["đừng có", "dung co", "dung lay", "dung dua", "dung gioi thieu", "dung goi y"]
)
async def test_what_is_not_to_be_offered_is_not(shop: Shop, asked: str, no: str) -> None:
    told = (await shop.ask(asked.format(no))).answer
    assert "Logitech" not in told
    assert "Razer DeathAdder" in told


@pytest.mark.parametrize("slip", ["í nhầm", "à nhầm", "à không"])
async def test_what_a_message_takes_back_itself_is_not_searched(shop: Shop, slip: str) -> None:
    told = (await shop.ask(f"Lọc cho mình laptop Dell dưới 20 triệu… {slip}, hãng HP chứ")).answer
    assert "Laptop HP" in told
    assert "Dell" not in told
    assert "9.990.000" in (await shop.ask("con rẻ nhất giá bao nhiêu")).answer


async def test_another_size_and_the_same_maker_are_those_of_what_was_shown(shop: Shop) -> None:
    await shop.ask("laptop tầm 22 đến 23 triệu dùng card RTX 4050")
    assert "24.390.000" in (await shop.ask("Bản 16GB của nó giá thế nào?")).answer
    await shop.ask("Tai nghe Sony WH-1000XM5 còn mấy chiếc")
    told = (await shop.ask("cùng hãng có loại nào dưới 2 triệu không")).answer
    assert "WH-CH520" in told
    assert "JBL" not in told


async def test_a_fee_of_a_page_is_worked_out_for_the_product_that_is_named(shop: Shop) -> None:
    await shop.ask("Đổi ý muốn trả hàng thì mất phí bao nhiêu phần trăm?")
    assert "109.500" in (await shop.ask("Ví dụ con chuột MX Master 3S thì phí đó bao nhiêu tiền?")).answer


async def test_the_dearest_after_one_product_is_the_dearest_of_its_kind(shop: Shop) -> None:
    await shop.ask("webcam nào rẻ nhất")
    assert "Brio 500" in (await shop.ask("thế cái đắt nhất là con nào")).answer


async def test_pieces_of_one_of_those_shown_are_reckoned_though_as_many_were_shown(shop: Shop) -> None:
    await shop.ask("RAM DDR5 loại 32GB có những thanh nào, giá ra sao?")
    assert "5.380.000" in (await shop.ask("Lấy hai thanh Kingston thì hết bao nhiêu?")).answer


async def test_the_cheapest_of_those_in_stock_is_in_stock(shop: Shop) -> None:
    await shop.ask("CPU AM5 nào đang bán")
    told = (await shop.ask("trong đó con nào còn hàng mà rẻ nhất")).answer
    assert "tạm hết hàng" not in told


async def test_others_than_the_one_shown_are_not_answered_with_it(shop: Shop) -> None:
    await shop.ask("webcam nào rẻ nhất")
    told = await shop.ask("có con nào rẻ hơn con này không")
    assert told.done.metadata["answered"] is False or "C270" not in told.answer


@pytest.mark.parametrize("asked", ["rẻ hơn được bao nhiêu nếu chọn {}?", "{} mắc hơn bao nhiêu"])
async def test_by_how_much_one_of_two_shown_is_dearer_sets_them_side_by_side(shop: Shop, asked: str) -> None:
    await shop.ask("so sánh ghế SSTC Ergo 1 với ghế SSTC Ergo 2")
    told = (await shop.ask(asked.format("Ergo 1"))).answer
    assert "Ergo 1" in told
    assert "Ergo 2" in told


@pytest.mark.parametrize(
    "free", ["hãng nào cũng được", "mau nao cung dc", "kiểu gì cũng được", "any brand is fine"]
)
async def test_that_any_will_do_asks_nothing(shop: Shop, free: str) -> None:
    first, again = [
        (await shop.ask(text)).answer for text in ("tìm chuột không dây", f"tìm chuột không dây, {free}")
    ]
    listed = [re.findall(r"^\d+\. .*", answer, re.MULTILINE) for answer in (first, again)]
    assert listed[0]
    assert listed[0] == listed[1]


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        (["laptop cho doanh nghiệp", "dòng nào trong đó được bảo hành lâu nhất"], "ThinkPad"),
        (["router wifi 6 dưới 2 triệu", "trong may con do con nao bao hanh lau hon"], "36 tháng"),
        (["serial GV-4060-08821 còn bảo hành không", "à nhầm, 08812 mới đúng"], "GV-4060-08812"),
        (["bảo hành 5CD3217XWZ và GV-4060-08812", "z cái card còn đc bn ngày nữa"], "GV-4060-08812"),
        (["bảo hành 5CD3217XWZ", "bảo hành GV-4060-08812", "còn cái laptop thì sao"], "5CD3217XWZ"),
        (["bảo hành 5CD3217XWZ", "còn cái máy in thì còn mấy ngày"], "số serial"),
        (["chuột M331 giá sao", "chuột M185 giá sao", "cái đầu tiên có bluetooth không"], "M331 Silent"),
        (["bàn phím cơ DareU EK75 Pro", "có cái phím cơ nào rẻ hơn nữa không"], "EK87"),
        (["check serial GV-4060-08821", "sorry, I meant 08812"], "RTX 4060"),
        (["bảo hành 5CD3217XWZ", "nghĩa là chỉ còn mấy ngày nữa thôi à"], "5CD3217XWZ"),
        (["bảo hành 5CD3217XWZ", "rứa từ chừ tới bữa đó còn mấy ngày nữa hè"], "5CD3217XWZ"),
        (["PC SSTC Gaming G2 giá sao", "full spec của nó sao, cpu vs vga gì"], "12400F"),
        (["có bộ PC gaming ráp sẵn nào khoảng 20 triệu không"], "Gaming G2"),
        (["pc gaming dưới 30 triệu", "how much ram does the RTX 4060 one have"], "16GB DDR4"),
        (
            ["máy in laser rẻ nhất", "lắp đặt tại nhà được không", "nhà cách 15 cây thì mất bao nhiêu"],
            "150.000",
        ),
        (
            [
                "tai nghe Sony WF-C700N",
                "trả bằng thẻ thì hoàn tiền mấy ngày",
                "nhầm, chuyển khoản chứ ko thẻ",
            ],
            "2 ngày làm việc",
        ),
        (["laptop ROG Strix G16 bản RAM 32GB", "còn bản 16GB thì sao", "vậy chênh bao nhiêu"], "2.200.000"),
        (["sinh viên mua laptop được tặng gì", "có con nào dưới 11 triệu không"], "HP 15s"),
        (["ship về Cần Thơ mấy ngày", "còn đơn 1tr5 thì phí nhiêu"], "45.000"),
    ],
)
async def test_what_was_shown_is_what_is_asked_of(shop: Shop, turns: list[str], told: str) -> None:
    answers = [(await shop.ask(text)).answer for text in turns]
    assert told in answers[-1]


async def test_goods_beside_a_serial_are_shown_and_the_follow_up_stands_last(shop: Shop) -> None:
    told = (await shop.ask("ABC123 còn bảo hành không, shop có chuột Logitech không")).answer
    assert "Logitech B100" in told
    assert told.endswith(shop.services.personas.load("shopping", "vi").follow_up)


@pytest.mark.parametrize(
    ("first", "text", "told"),
    [
        ("chuột M331 giá sao", "có bluetooth không", "M331 Silent"),
        ("CPU Ryzen 5 7600 giá sao", "main nào lắp được cho CPU đó", "TUF B650M-E"),
    ],
)
async def test_a_property_and_a_part_are_asked_of_the_one_shown(
    shop: Shop, first: str, text: str, told: str
) -> None:
    await shop.ask(first)
    assert told in (await shop.ask(text)).answer


@pytest.mark.parametrize(
    ("said", "also", "other"),
    [
        ("ssd nvme 1tb rẻ nhất là con nào, với mua ổ ở shop thì lắp có tính công ko", "Công lắp", "SN580"),
        ("ssd 1tb re nhat con nao, lap o shop co mat tien cong khong", "Công lắp", "SN580"),
        ("máy in laser rẻ nhất là con nào, giao hỏa tốc bao nhiêu tiền", "Giao hỏa tốc", "LBP2900"),
    ],
)
async def test_goods_beside_a_page_are_answered_and_gone_on_with(
    shop: Shop, said: str, also: str, other: str
) -> None:
    told = (await shop.ask(said)).answer
    assert also in told
    assert other in told
    maker = "Brother" if "Brother" in told else "Kingston"
    told = (await shop.ask(f"đừng {maker}, hãng khác đi")).answer
    assert other in told
    assert maker not in told


@pytest.mark.parametrize("both", ["2 e đó tổng nhiu, có freeship hk", "hai con đó tổng bao nhiêu"])
async def test_two_looked_at_one_by_one_are_summed(shop: Shop, both: str) -> None:
    await shop.ask("loa jbl go 4 giá bao nhiêu")
    await shop.ask("loa jbl flip 6 thì sao")
    assert "3.880.000" in (await shop.ask(both)).answer


@pytest.mark.parametrize(
    ("moved", "inside", "outside"),
    [
        ("noi len 22 trieu thi co them con nao", "LOQ", ""),
        ("nâng ngân sách lên 22tr thì sao", "LOQ", ""),
        ("what if i raise it to 22 million", "LOQ", ""),
        ("hạ xuống 19 triệu thì còn con nào", "ANV15-51 8GB", "ANV15-51 16GB"),
        ("trong mấy con đó con nào dưới 19 triệu", "ANV15-51 8GB", "ANV15-51 16GB"),
    ],
)
async def test_an_amount_after_a_list_is_its_limit(shop: Shop, moved: str, inside: str, outside: str) -> None:
    await shop.ask("laptop gaming dưới 20 triệu")
    told = (await shop.ask(moved)).answer
    assert inside in told
    assert not outside or outside not in told


@pytest.mark.parametrize("both", ["chuột với webcam thì bao nhiêu", "chi lay ca webcam voi chuot do, gia bn"])
async def test_goods_of_two_kinds_looked_at_one_by_one_are_summed_by_their_kinds(
    shop: Shop, both: str
) -> None:
    await shop.ask("chuột Logitech B100 giá bao nhiêu")
    await shop.ask("webcam c270 bn")
    assert "680.000" in (await shop.ask(both)).answer


async def test_of_two_kinds_of_which_one_was_looked_at_none_is_guessed(shop: Shop) -> None:
    await shop.ask("chuột Logitech B100 giá bao nhiêu")
    assert "tổng" not in (await shop.ask("chuột với webcam thì bao nhiêu")).answer


@pytest.mark.parametrize(
    ("each", "total"),
    [
        ("Thêm cho mỗi bộ một màn hình AOC 24B20JH2 thì cả thảy bao nhiêu", "116.800.000"),
        ("moi bo them 2 man AOC 24B20JH2 tong bn", "138.700.000"),
        ("add one AOC 24B20JH2 for each, total?", "116,800,000"),
    ],
)
async def test_so_many_for_each_piece_are_multiplied(shop: Shop, each: str, total: str) -> None:
    await shop.ask("mua 10 bộ PC SSTC Văn phòng V2 thì tổng bao nhiêu")
    assert total in (await shop.ask(each)).answer


@pytest.mark.parametrize(
    "wanted", ["màn hình rẻ nhất bao nhiêu", "man AOC 24B20JH2 gia bn", "cheapest monitor"]
)
async def test_a_part_with_a_maker_or_a_price_of_its_own_is_searched(shop: Shop, wanted: str) -> None:
    await shop.ask("laptop dưới 20 triệu")
    assert "Màn hình AOC 24B20JH2" in (await shop.ask(wanted)).answer


@pytest.mark.parametrize(
    "asked", ["bản 512gb của máy đó mắc hơn bn", "bản 512GB chênh nhiu", "bản 512gb đắt hơn bao nhiêu"]
)
async def test_another_size_of_the_cheapest_is_held_against_it(shop: Shop, asked: str) -> None:
    await shop.ask("Laptop rẻ nhất của cửa hàng hiện nay là máy nào?")
    assert "700.000" in (await shop.ask(asked)).answer


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("jbl go 4 bn", "1.090.000"),
        ("which 27 inch 2K monitor with 165Hz or more is cheapest", "VG27AQ3A"),
        ("day hdmi ugreen 2 met gia nhiu", "240.000"),
        ("may bi nuoc vao no khong chay, co duoc bao hanh khong", "vào nước"),
    ],
)
async def test_everyday_ways_of_saying_it_are_read(shop: Shop, said: str, told: str) -> None:
    answer = (await shop.ask(said)).answer
    assert told in answer
    assert " × " not in answer


@pytest.mark.parametrize(
    "asked",
    [
        "vay trong 2 cai con nao la con han",
        "cái nào còn bảo hành",
        "trong hai máy đó máy nào còn hạn",
        "which of the two is still covered",
    ],
)
async def test_which_is_asked_of_all_that_were_looked_up(shop: Shop, asked: str) -> None:
    await shop.ask("bảo hành 5CD3217XWZ")
    await shop.ask("còn ABC123 thì sao")
    told = (await shop.ask(asked)).answer
    assert [serial for serial in ("5CD3217XWZ", "ABC123") if serial in told] == ["5CD3217XWZ"]


@pytest.mark.parametrize(
    "meant",
    [
        "Cái thứ nhất còn không, à nhầm, cái mắc hơn cơ, còn mấy cái?",
        "cái rẻ hơn giá sao, à không, cái thứ hai",
        "con dau tien con ko, i lon, con thu hai",
        "con Ergo 1 còn không, lộn, Ergo 2",
        "con rẻ nhất còn hàng ko, nhầm, con đắt nhất",
        "the first one in stock? sorry i meant the second",
    ],
)
async def test_one_of_a_list_that_the_message_takes_back_is_not_told(shop: Shop, meant: str) -> None:
    await shop.ask("Cửa hàng có những mẫu ghế công thái học nào?")
    told = (await shop.ask(meant)).answer
    assert "Ergo 2" in told
    assert "Ergo 1" not in told


@pytest.mark.parametrize(
    ("first", "asked", "other"),
    [
        ("chuột g502 x lightspeed giá sao", "co con nao cung dpi vay ma re hon ko", "G502 Hero"),
        ("g502 x lightspeed price", "any cheaper one with the same dpi", "G502 Hero"),
        ("màn hình ASUS 27 inch rẻ nhất", "có con nào cùng tần số quét mà rẻ hơn không", "VG249Q3A"),
        ("laptop dell rẻ nhất", "có máy nào cùng cpu mà rẻ hơn ko", "Inspiron 15 3530 8GB"),
        ("màn hình lg 24 inch rẻ nhất", "có con nào độ phân giải giống vậy mà rẻ hơn", "24B20JH2"),
        ("chuột g502 x lightspeed giá sao", "có con nào bảo hành y vậy mà rẻ hơn không", "LM115G"),
    ],
)
async def test_another_that_has_the_same_for_less_is_told(
    shop: Shop, first: str, asked: str, other: str
) -> None:
    shown = told_lines((await shop.ask(first)).answer)[0].partition(":")[0]
    told = [line.partition(":")[0] for line in told_lines((await shop.ask(asked)).answer)]
    assert any(other in name for name in told)
    assert shown not in told


@pytest.mark.parametrize(
    ("said", "told", "other"),
    [
        (["MacBook Air 13 M2 16GB/512GB giá sao", "bản 256 thì sao"], "16GB/256GB", "16GB/512GB"),
        (["How much is the MacBook Air 13 M2 16GB/512GB?", "and the 256 one?"], "256GB", "512GB"),
        (["sạc dự phòng 20000mAh giá nhiêu", "con loai 10000 nhieu tien"], "10000mAh", "20000mAh"),
        (["màn hình lg 24 inch giá sao", "con 27 nhiêu"], "27MR400-B", "24MR400-B"),
        (["ssd kingston nv2 1tb bao nhiêu", "loại 500 thì sao"], "500GB", "NV2 1TB"),
        (
            ["TUF A15 FA507NU 32GB giá", "bản 16gb thì sao, rẻ hơn bao nhiêu", "lấy bản 32 bao nhiêu tiền"],
            "FA507NU 32GB",
            "FA507NU 16GB",
        ),
    ],
)
async def test_a_bare_number_after_a_word_for_goods_is_a_size_of_theirs(
    shop: Shop, said: list[str], told: str, other: str
) -> None:
    *before, last = said
    for text in before:
        await shop.ask(text)
    answer = (await shop.ask(last)).answer
    assert told in answer
    assert other not in answer


@pytest.mark.parametrize(
    ("first", "others", "told"),
    [
        ("Nguồn Corsair RM750e giá sao", "có con nào từ 650W trở lên mà còn hàng ko", "MWE Gold 850W"),
        ("rm750e price", "any above 650W in stock?", "MWE Gold 850W"),
        ("laptop dell inspiron 15 3530 8gb giá", "có con nào khác 16gb dưới 14 triệu không", "MSI Modern 14"),
    ],
)
async def test_others_than_the_one_that_was_named_are_any_of_its_kind(
    shop: Shop, first: str, others: str, told: str
) -> None:
    await shop.ask(first)
    answer = (await shop.ask(others)).answer
    assert told in answer
    assert "tạm hết hàng" not in answer


@pytest.mark.parametrize(
    "asked",
    ["what's the difference between the two?", "hai con đó chênh bao nhiêu", "cả hai lệch nhau bao nhiêu"],
)
async def test_two_that_were_looked_at_one_by_one_are_held_against_each_other(shop: Shop, asked: str) -> None:
    await shop.ask("MacBook Air 13 M2 16GB/512GB giá sao")
    await shop.ask("bản 16GB/256GB thì sao")
    assert re.search(r"4[.,]000[.,]000", (await shop.ask(asked)).answer)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("con laptop trong đó giờ mua mới nhiêu", "Victus"),
        ("cái đầu tiên giờ giá bao nhiêu", "Victus"),
        ("cái thứ hai giờ mua mới bao nhiêu", "G502 X"),
        ("how much is the second one new?", "G502 X"),
    ],
)
async def test_of_machines_looked_up_the_one_pointed_at_is_priced(shop: Shop, asked: str, told: str) -> None:
    await shop.ask("bảo hành 5CD4410LPQ và 2314LZ1PQ7X8")
    lines = told_lines((await shop.ask(asked)).answer)
    assert lines
    assert all(told in line for line in lines)


LAPTOPS = ["laptop acer", "laptop dell ít nhất 16gb ram"]


@pytest.mark.parametrize("first", ["ram 32gb", "laptop acer", "chuột logitech"])
@pytest.mark.parametrize(("count", "said"), [(2, "mua 2 con"), (2, "mua hai con"), (4, "lấy 4 cái")])
async def test_pieces_are_of_the_one_spoken_of(shop: Shop, first: str, count: int, said: str) -> None:
    await shop.ask(first)
    assert f"«{count}»" in (await shop.ask(f"{said} hết bao nhiêu")).answer
    [line] = told_lines((await shop.ask("con rẻ nhất")).answer)
    price = int(re.findall(r"([\d.]+) VND", line)[0].replace(".", ""))
    total = f"{price * count:,} VND".replace(",", ".")
    assert total in (await shop.ask(f"{said} hết bao nhiêu")).answer


@pytest.mark.parametrize(
    "asked", ["có sẵn ở cửa hàng không", "co san o cua hang ko", "có sẵn tại shop không ạ"]
)
@pytest.mark.parametrize("first", LAPTOPS)
async def test_whether_it_is_there_is_asked_of_the_one_spoken_of(shop: Shop, first: str, asked: str) -> None:
    await shop.ask(first)
    [line] = told_lines((await shop.ask("con rẻ nhất")).answer)
    assert told_lines((await shop.ask(asked)).answer) == [line]


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("ssd 1tb trở lên", "SSD"),
        ("ssd 1tb", "SSD"),
        ("có ssd 1tb trở lên không", "Laptop"),
        ("bản 1tb", "Laptop"),
    ],
)
@pytest.mark.parametrize("first", [LAPTOPS[1], "laptop dell"])
async def test_a_drive_that_opens_a_message_is_no_part_of_a_laptop(
    shop: Shop, first: str, asked: str, kind: str
) -> None:
    await shop.ask(first)
    lines = told_lines((await shop.ask(asked)).answer)
    assert lines
    assert all(line.startswith(kind) for line in lines)


@pytest.mark.parametrize("cpu", ["i9 14900k", "i7 13700K", "i5-13600k", "ryzen 7 5700x"])
async def test_the_number_of_a_processor_is_no_price(shop: Shop, cpu: str) -> None:
    lines = told_lines((await shop.ask(f"main h610 lắp được {cpu} không")).answer)
    assert lines
    assert all("H610" in line for line in lines)


@pytest.mark.parametrize("what", ["bluetooth 5.3", "bluetooth 4.1", "usb 3.9"])
async def test_a_version_is_told_as_typed(shop: Shop, what: str) -> None:
    told = (await shop.ask(f"tai nghe {what}")).answer
    assert what in told or not re.search(r"\d \d", told.split("\n", maxsplit=1)[0])


@pytest.mark.parametrize("taken", ["em mang {}", "đem {} bảo hành vậy", "phải {} mới được bảo hành ạ"])
@pytest.mark.parametrize("where", ["tới đâu", "đến chỗ nào", "ra cửa hàng nào", "qua nơi nào"])
async def test_where_to_take_it_is_told_by_a_page(shop: Shop, taken: str, where: str) -> None:
    await shop.ask("bảo hành 5CD3217XWZ")
    assert "quầy kỹ thuật" in (await shop.ask(taken.format(where))).answer


async def test_what_it_is_is_told_with_its_name(shop: Shop) -> None:
    await shop.ask("bảo hành 5CD3217XWZ, ABC123")
    assert "Laptop Dell" in (await shop.ask("cái hết hạn rồi là sản phẩm gì vậy?")).answer
    assert "HP Pavilion" in (await shop.ask("con còn hạn là máy gì")).answer


@pytest.mark.parametrize("time", ["8:00", "14:00", "9:30", "20:59", "00:15"])
@pytest.mark.parametrize(
    "text", ["shop mở cửa lúc {} đúng không", "đặt lúc {} thì hôm nay có nhận được hàng không"]
)
async def test_a_time_of_day_is_no_goods(shop: Shop, text: str, time: str) -> None:
    told = (await shop.ask(text.format(time))).answer
    assert "danh mục" not in told
    assert "san-pham" not in told


@pytest.mark.parametrize("ends", ["đúng ko", "phải không ạ", "dung k shop", "đúng hông?", ", right?"])
@pytest.mark.parametrize(
    ("first", "put", "told"),
    [
        ("Giá SSD Samsung 990 Pro 2TB?", "bảo hành 3 năm", "bảo hành 60 tháng"),
        ("Giá SSD Samsung 990 Pro 2TB?", "bảo hành 5 năm", "bảo hành 60 tháng"),
        ("Giá SSD Samsung 990 Pro 2TB?", "dung lượng 1TB", "dung lượng lưu trữ 2TB"),
        ("Giá SSD Samsung 990 Pro 2TB?", "1TB", "5; dung lượng lưu trữ 2TB"),
        ("Giá SSD Samsung 990 Pro 2TB?", "giá 6 triệu", "5.290.000"),
        ("laptop ASUS Vivobook 15 OLED A1505VA 1TB giá sao", "ram 32gb", "RAM 16GB"),
        ("laptop ASUS Vivobook 15 OLED A1505VA 1TB giá sao", "màn hình 14 inch", "15.6 inch"),
        ("màn hình LG 24MR400-B giá sao", "nó 144hz", "100Hz"),
    ],
)
async def test_a_figure_put_to_confirmation_is_asked_of_the_one_spoken_of(
    shop: Shop, first: str, put: str, told: str, ends: str
) -> None:
    [name] = [line.split(":")[0] for line in told_lines((await shop.ask(first)).answer)]
    answer = (await shop.ask(f"{put} {ends}", language="vi")).answer
    assert told in answer
    assert [line.split(":")[0] for line in told_lines(answer)] == [name]


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        ("Giá SSD Samsung 990 Pro 2TB?", "con nào bảo hành 3 năm, đúng ko"),
        ("Giá SSD Samsung 990 Pro 2TB?", "có bản 1TB đúng không"),
        ("Giá SSD Samsung 990 Pro 2TB?", "SSD Kingston NV2 1TB bảo hành 3 năm đúng ko"),
        ("Giá SSD Samsung 990 Pro 2TB?", "ghế dưới 3 triệu phải không"),
    ],
)
async def test_a_figure_of_others_is_searched(shop: Shop, first: str, asked: str) -> None:
    await shop.ask(first)
    assert "990 Pro 2TB:" not in (await shop.ask(asked)).answer


@pytest.mark.parametrize("suits", ["vừa", "hợp với", "lắp được", "vua", "gắn được"])
@pytest.mark.parametrize(
    ("first", "asked", "told"),
    [
        (
            "main asus A620M-K giá sao",
            "cpu nào {} main này mà rẻ nhất còn hàng",
            ("Ryzen 5 7600:", "i3-12100"),
        ),
        ("main asus A620M-K giá sao", "vậy cpu nào rẻ nhất mà {} main đó", ("Ryzen 5 7600:", "Ryzen 5 5500")),
        ("main MSI PRO H610M-E giá sao", "cpu nào {} main này mà rẻ nhất", ("i3-12100F:", "Ryzen")),
        ("main MSI PRO H610M-E giá sao", "ram nào {} main này mà rẻ nhất", ("DDR4 3200 8GB:", "DDR5")),
        ("CPU Intel Core i5-12400F giá sao", "main nào {} cpu này mà rẻ nhất", ("H610M-E DDR4:", "AM5")),
    ],
)
async def test_the_cheapest_that_fits_is_the_first_of_what_fits(
    shop: Shop, first: str, asked: str, told: tuple[str, str], suits: str
) -> None:
    await shop.ask(first)
    best, never = told
    answer = (await shop.ask(asked.format(suits))).answer
    assert best in told_lines(answer)[0]
    assert never not in answer


async def test_the_fit_is_held_after_others_were_asked_of(shop: Shop) -> None:
    await shop.ask("main asus A620M-K gắn đc ram ddr4 hem")
    await shop.ask("thế cpu ryzen 5 5600 lắp vào main đó dc ko")
    told = (await shop.ask("vậy cpu nào vừa main này mà rẻ nhất còn hàng")).answer
    assert "Ryzen 5 7600:" in told_lines(told)[0]
    assert "hết hàng" not in told


@pytest.mark.parametrize("part", ["nguồn nào", "vga nào"])
async def test_a_fit_that_cannot_be_read_is_said(shop: Shop, part: str) -> None:
    await shop.ask("CPU Intel Core i5-12400F giá sao")
    told = (await shop.ask(f"{part} vừa cpu này mà rẻ nhất")).answer
    assert "chưa dám kết luận" in told
    assert len(told_lines(told)) == 1


CHAIRS, HEADPHONES = "Cửa hàng đang bán những loại ghế nào?", "tai nghe sony"


@pytest.mark.parametrize(
    "asked", ["{} thì hơn kém nhau bao tiền", "{} chênh nhau bao nhiêu", "so sánh {}", "so sanh {} di"]
)
@pytest.mark.parametrize(
    ("listed", "called", "difference"),
    [
        (CHAIRS, "hai cái Ergo", "1.800.000"),
        (CHAIRS, "2 con ergo", "1.800.000"),
        (CHAIRS, "hai ghế công thái học", "1.800.000"),
        (HEADPHONES, "hai con WH", "6.700.000"),
    ],
)
async def test_as_many_as_are_called_so_are_held_against_each_other(
    shop: Shop, listed: str, called: str, difference: str, asked: str
) -> None:
    await shop.ask(listed)
    await shop.ask("cái rẻ nhất bao nhiêu?")
    told = (await shop.ask(asked.format(called))).answer
    assert len(told_lines(told)) == 2
    assert f"rẻ hơn {difference}" in told


@pytest.mark.parametrize("called", ["ba cái Ergo", "hai cái Xigmatek", "3 con ergo"])
async def test_where_more_or_fewer_are_called_so_none_are_guessed(shop: Shop, called: str) -> None:
    await shop.ask(CHAIRS)
    told = await shop.ask(f"{called} hơn kém nhau bao nhiêu")
    assert "VND" not in told.answer
    assert told.done.metadata["answered"] is False
