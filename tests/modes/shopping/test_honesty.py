"""Without a model the shop claims an answer only where every word was understood; the rest is named and marked as open."""

from __future__ import annotations

import pytest

from tests.support.modes.shopping import Shop
from tests.support.modes.shopping_samples import told_lines
from troly.plugin.events import Say

STRANGE = ("blorp", "xửng", "quizzle")


async def claims(shop: Shop, text: str) -> bool:
    """Whether the answer to `text` says that it answers."""
    return (await shop.ask(text)).done.metadata.get("answered") is True


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize(
    "text",
    [
        "laptop dell {} dưới 20 triệu", "{} còn hàng không", "phí giao hàng {} bao nhiêu", "trả góp {} được không",
        "so sánh chuột g102 với g304 {}", "chuột logitech không {}", "build pc {} 20 triệu",
    ],
)  # fmt: skip
async def test_a_word_nobody_knows_is_never_answered_over(shop: Shop, text: str, strange: str) -> None:
    assert await claims(shop, text.replace("{} ", "").replace(" {}", "")) or text.startswith("{}")
    shop.leave()
    told = await shop.ask(text.format(strange))
    assert told.done.metadata["answered"] is False
    assert strange in told.answer


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("text", ["con nào {}", "mấy con này có {} không", "cái nào {} nhất"])
async def test_a_word_about_what_was_shown_does_not_show_it_again(
    shop: Shop, text: str, strange: str
) -> None:
    await shop.ask("laptop asus dưới 25 triệu")
    told = await shop.ask(text.format(strange))
    assert told.done.metadata["answered"] is False
    assert "- Laptop" not in told.answer
    assert strange in told.answer


@pytest.mark.parametrize(
    "text",
    ["chuột này cắm vào macbook được không", "tản nhiệt noctua có vừa case xigmatek không"],
)
async def test_whether_goods_fit_is_not_guessed(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    assert "dám" in told.answer
    assert not told.done.metadata["answered"]


async def test_each_want_of_a_message_is_answered(shop: Shop) -> None:
    told = await shop.ask("mình ở Cần Thơ, phí giao bao nhiêu và mấy hôm tới?")
    assert "45.000" in told.answer
    assert "2-4 ngày" in told.answer
    assert told.done.metadata["answered"] is True


@pytest.mark.parametrize(
    ("first", "then", "sums"),
    [
        ("mua rồi trả lại được không", "máy 16.490.000 thì bị trừ bao nhiêu tiền", "824.500"),
        ("có phải đặt cọc không", "con laptop 30 triệu thì cọc bao nhiêu", "3.000.000"),
    ],
)
async def test_a_share_that_a_page_names_is_worked_out(shop: Shop, first: str, then: str, sums: str) -> None:
    await shop.ask(first)
    assert sums in (await shop.ask(then)).answer


@pytest.mark.parametrize("text", ["kiểm tra bảo hành", "bảo hành QQ1234", "không có serial"])
async def test_asking_for_a_serial_claims_nothing(shop: Shop, text: str) -> None:
    assert not await claims(shop, text)
    assert await claims(shop, "ABC123")


async def test_a_part_of_what_was_shown_is_no_new_search(shop: Shop) -> None:
    await shop.ask("màn hình 27 inch 2k")
    told = await shop.ask("cái nào có loa")
    assert told.done.metadata["answered"] is False
    assert "Loa " not in told.answer


async def test_the_extreme_of_more_than_was_shown_is_that_of_all(shop: Shop) -> None:
    shown = (await shop.ask("laptop dưới 20 triệu")).answer
    assert "22 sản phẩm" in shown
    told = await shop.ask("con nào rẻ nhất trong 22 con đó")
    assert "9.990.000" in told.answer
    assert "×" not in told.answer
    assert "9.990.000" in (await shop.ask("con đó giá bao nhiêu")).answer


@pytest.mark.parametrize(
    ("said", "lacks"),
    [
        (["laptop dell có những con nào", "trả góp 12 tháng mỗi tháng nhiêu"], "góp mỗi tháng"),
        (["what dell laptops do you have", "how much a month over 12 months"], "monthly amount"),
    ],
)
async def test_what_is_not_worked_out_is_said(shop: Shop, said: list[str], lacks: str) -> None:
    first, last = said
    await shop.ask(first)
    told = await shop.ask(last)
    assert lacks in told.answer
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize(
    "limit", ["con đó dưới 20 triệu không", "con nay duoi 20tr ha", "is it under 20 million?"]
)
async def test_a_limit_that_the_one_shown_does_not_keep_is_no_answer(shop: Shop, limit: str) -> None:
    await shop.ask("MacBook Air 13 M2 8GB/256GB giá")
    told = await shop.ask(limit)
    assert "21" in told.answer
    assert told.done.metadata["answered"] is False


@pytest.mark.parametrize(
    "allowed",
    [
        "mắc hơn xíu cũng được, miễn bảo hành 3 năm",
        "dat hon chut cung ok, mien bao hanh 36 thang",
        "a bit more expensive is fine, 3 years warranty please",
    ],
)
async def test_what_is_only_allowed_ranks_nothing(shop: Shop, allowed: str) -> None:
    await shop.ask("router wifi 6 nào rẻ nhất")
    told = told_lines((await shop.ask(allowed)).answer)
    assert "RT-AX53U" in told[0]


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        (
            "i5 12400f gắn với main gigabyte b550m ds3h được không",
            "main nào rẻ nhất mà gắn được con cpu đó, phải còn hàng",
        ),
        ("CPU Ryzen 5 7600 với CPU Ryzen 7 7800X3D giá sao", "mainboard nào lắp được cho hai con đó"),
        ("laptop dell dưới 20 triệu", "chuột nào hợp với con thứ hai"),
    ],
)
async def test_goods_of_another_kind_than_is_asked_for_are_no_answer(
    shop: Shop, first: str, asked: str
) -> None:
    await shop.ask(first)
    told = await shop.ask(asked)
    kind = {"m": "Mainboard", "c": "Chuột"}[asked[0]]
    lines = told_lines(told.answer)
    assert told.done.metadata["answered"] is False or all(kind in line for line in lines)


@pytest.mark.parametrize(
    "asked", ["cái rẻ nhất có bluetooth không", "con re nhat co bluetooth ko", "con rẻ nhất có dây không"]
)
async def test_whether_the_cheapest_has_something_is_asked_of_it(shop: Shop, asked: str) -> None:
    await shop.ask("bàn phím cơ dưới 1,5 triệu")
    assert len(told_lines((await shop.ask(asked)).answer)) == 1


RULE = "Đổi mới trong 7 ngày"


@pytest.mark.parametrize(
    "text",
    [
        "máy cháy khét lẹt rồi shop ơi", "điện giật tôi rồi, nguồn máy tính shop bán", "cuc sac boc khoi", "pin laptop bị phồng lên rồi",
        "my laptop is smoking", "the psu gave me an electric shock", "CN-0T24H-742 bốc khói rồi",
    ],
)  # fmt: skip
async def test_a_danger_comes_before_everything(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    assert told.answer.startswith(("Dạ, trước hết xin quý khách rút phích cắm", "First of all: unplug it"))
    assert RULE in told.answer or "exchanged for a new one" in told.answer
    assert "💖" not in "".join(say.text for say in told.all(Say))
    assert "- Nguồn" not in told.answer


@pytest.mark.parametrize(
    "text", ["nguồn nào chống cháy nổ", "card rtx 4060 chạy có bốc lửa không", "cháy hàng chưa shop"]
)
async def test_what_did_not_happen_is_no_danger(shop: Shop, text: str) -> None:
    assert "rút phích cắm" not in (await shop.ask(text)).answer


@pytest.mark.parametrize(
    "text",
    [
        "giao sai màu rồi", "chuột hư sau 2 ngày", "shop lừa đảo", "mua 10 ngày rồi hư", "tôi muốn khiếu nại",
        "laptop dell của tôi hư màn, serial DL5530-7HX2K9", "tai nghe mới xài 3 hôm liệt một bên", "i want to file a complaint", "giao thieu cai chuot",
    ],
)  # fmt: skip
async def test_a_complaint_gets_concern_and_the_rule_of_exchange(shop: Shop, text: str) -> None:
    told = await shop.ask(text)
    assert any(word in told.answer for word in ("rất tiếc", "xin lỗi", "sorry"))
    assert RULE in told.answer or "exchanged for a new one" in told.answer
    assert "💖" not in "".join(say.text for say in told.all(Say))
    assert "1. " not in told.answer


@pytest.mark.parametrize("work", ["bán hàng", "buôn bán", "làm ăn", "phục vụ"])
@pytest.mark.parametrize("how", ["kiểu gì vậy???", "gì kỳ", "chán thế"])
async def test_how_the_shop_works_is_a_complaint(shop: Shop, work: str, how: str) -> None:
    told = await shop.ask(f"{work} {how}")
    assert any(word in told.answer for word in ("rất tiếc", "xin lỗi"))
    assert "💖" not in "".join(say.text for say in told.all(Say))


@pytest.mark.parametrize("then", ["giờ tôi phải làm gì", "gio lam sao", "rút điện rồi sao nữa", "what now?"])
async def test_what_follows_a_danger_stays_with_it(shop: Shop, then: str) -> None:
    await shop.ask("laptop của mình bốc khói")
    assert "114" in (await shop.ask(then)).answer
    assert "114" in (await shop.ask("xong rồi sao")).answer
    assert "SSD" in (await shop.ask("ssd samsung 1tb")).answer


@pytest.mark.parametrize(
    "told", ["mất tem rồi", "the sticker is gone", "minh chi co imei thoi", "356938035643809"]
)
async def test_who_has_no_serial_has_a_way_out(shop: Shop, told: str) -> None:
    await shop.ask("kiểm tra bảo hành giúp mình")
    answer = (await shop.ask(told)).answer
    assert "hotline" in answer
    assert "tra giúp" in answer or "look it up" in answer
