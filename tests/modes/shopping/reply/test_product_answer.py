"""Questions about goods with a model: it is given the rows, and a price it makes up is not shown."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.modes.shopping import Shop
from tests.support.ollama.double import OllamaDouble, Reply, Request


@pytest.fixture
def server(double: OllamaDouble) -> OllamaDouble:
    double.forget()
    return double


@pytest.fixture
async def shop(with_model: Shop, server: OllamaDouble) -> AsyncIterator[Shop]:
    """Somebody in a conversation that has not begun."""
    yield Shop(with_model.services, with_model.registry)
    await with_model.services.llm.aclose()


async def test_the_model_is_given_the_rows_and_may_say_their_prices(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ Laptop Dell Latitude 3450 8GB giá 19.490.000 VND ạ.")
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    prompt = "\n".join(message["content"] for message in server.chats[-1].messages)
    assert "Laptop Dell Latitude 3450 8GB | 19.490.000 VND" in prompt
    assert "19.490.000 VND ạ." in told.answer
    assert told.done.calls == 1
    assert told.notices == []


MADE_UP = "Dạ Laptop Dell giá 12.345.000 VND ạ. Mẫu kia 19.490.000 VND ạ."


async def test_a_refused_draft_goes_back_once_with_the_reason(shop: Shop, server: OllamaDouble) -> None:
    server.script("Dạ có ạ. Laptop Dell giá 12.345.000 VND ạ.", "Mẫu này 19.490.000 VND ạ.")
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert "Dạ có ạ. Mẫu này 19.490.000 VND ạ." in told.answer
    assert "12.345.000" not in told.done.text
    assert "12.345.000" in server.chats[-1].last_user
    assert told.done.calls == 2
    assert told.notices == []


IDEAPAD = "Laptop Lenovo IdeaPad Slim 3 15IRH8 16GB"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("tư vấn laptop dưới 20 triệu", "Dạ Laptop Dell Latitude 3450 8GB giá 19.490.000 VND ạ."),
        (f"{IDEAPAD} ram bao nhiêu", f"Dạ {IDEAPAD} có RAM 16GB, bảo hành 24 tháng ạ."),
        (
            "con nào hợp cho mẹ em hay xem phim mà nhẹ nhàng thôi",
            "Dạ hiện em chưa có thông tin về quà tặng kèm hay giảm giá ạ.",
        ),
        ("bên mình có giao hàng ra đảo không nhỉ", "Dạ em chưa có thông tin giao ra đảo ạ."),
    ],
)
async def test_a_turn_without_a_refusal_asks_at_most_twice(
    shop: Shop, server: OllamaDouble, asked: str, said: str
) -> None:
    def reply(request: Request) -> Reply:
        sorting = "format" in request.body
        return Reply('{"intent": "shopping", "confidence": 0.9, "question": ""}' if sorting else said)

    server.default = reply
    told = await shop.ask(asked)
    assert said in told.answer
    assert told.done.calls == len(server.chats) <= 2


async def test_the_specification_of_another_row_a_discount_and_a_gift_are_not_shown(
    shop: Shop, server: OllamaDouble
) -> None:
    draft = f"Dạ có ạ. {IDEAPAD} có RAM 32GB và bảo hành 36 tháng, đang giảm giá 10%, tặng kèm chuột ạ."
    server.script(draft, f"{IDEAPAD} có RAM 16GB, bảo hành 24 tháng ạ.")
    told = await shop.ask(f"{IDEAPAD} ram bao nhiêu, bảo hành mấy tháng")
    assert told.answer.startswith(f"Dạ có ạ. {IDEAPAD} có RAM 16GB, bảo hành 24 tháng ạ.")
    for claim in ("32GB", "36 tháng", "giảm giá", "10%", "tặng kèm chuột"):
        assert claim in server.chats[-1].last_user
        assert claim not in told.done.text


async def test_a_list_keeps_its_numbers_and_what_is_said_twice(shop: Shop, server: OllamaDouble) -> None:
    said = "Dạ có ạ:\n\n1. Mẫu kia. Còn hàng.\n2. Mẫu này. Còn hàng.\n\n**3.** Mẫu nọ."
    server.script(said)
    assert said in (await shop.ask("tư vấn laptop dưới 20 triệu")).answer


async def test_a_draft_refused_twice_gives_way_to_the_catalogue(shop: Shop, server: OllamaDouble) -> None:
    server.script(MADE_UP, MADE_UP)
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert "12.345.000" not in told.done.text
    assert "chưa xác nhận]" not in told.done.text
    assert "sản phẩm phù hợp" in told.answer
    [notice] = told.notices
    assert notice.level == "warning"
    assert "1900" in notice.remedy


async def test_what_was_shown_stays_and_the_rest_is_said_to_be_open(shop: Shop, server: OllamaDouble) -> None:
    server.script(f"Mẫu kia 19.490.000 VND ạ. {MADE_UP}", MADE_UP)
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert told.answer.startswith("Mẫu kia 19.490.000 VND ạ.")
    assert "chưa xác nhận được" in told.answer
    assert told.done.metadata["answered"] is False


async def test_the_customers_own_price_is_not_confirmed(shop: Shop, server: OllamaDouble) -> None:
    wrong = "Dạ đúng ạ, Laptop Dell Latitude 3450 giá 5 triệu."
    server.script(wrong, wrong)
    told = await shop.ask("Laptop Dell Latitude 3450 giá 5 triệu đúng không shop")
    assert "giá 5 triệu" not in told.answer


async def test_what_was_said_earlier_may_be_said_again_and_worked_with(
    shop: Shop, server: OllamaDouble
) -> None:
    await shop.ask("so sánh chuột g102 đen với g304", offline=True)
    server.script(
        {"intent": "shopping", "confidence": 0.9, "need_retrieval": False},
        "Hai mẫu chênh nhau 350.000 VND ạ: 749.000 trừ 399.000 VND.",
    )
    assert "350.000" in (await shop.ask("chênh nhau quá trời luôn hả")).answer


async def test_what_the_model_names_is_what_is_meant_later(shop: Shop, server: OllamaDouble) -> None:
    server.script(
        "Dạ có MSI Modern 14 C12MO 16GB giá 13.290.000 VND và Acer Aspire 3 A315-59 16GB giá 11.690.000 VND ạ."
    )
    await shop.ask("tư vấn laptop dưới 15 triệu")
    told = await shop.ask("con thứ 2 ram bao nhiêu", offline=True)
    assert "Acer Aspire 3 A315-59 16GB" in told.answer
    assert "MSI" not in told.answer


async def test_a_product_that_is_not_sold_is_withheld(shop: Shop, server: OllamaDouble) -> None:
    invented = "Dạ quý khách xem Dell Alienware X16, RAM 64GB, bảo hành 48 tháng ạ."
    server.script(invented, invented)
    told = await shop.ask("tư vấn laptop dưới 20 triệu")
    assert "Alienware" not in told.answer
    assert "48 tháng" not in told.answer
    assert [notice.level for notice in told.notices] == ["warning"]


async def test_a_draft_goes_back_only_where_the_turn_has_a_call_left(
    shop: Shop, server: OllamaDouble
) -> None:
    await shop.ask("laptop dưới 20 triệu", offline=True)
    server.script({"intent": "shopping", "confidence": 0.9, "query": "tư vấn laptop dưới 20 triệu"}, MADE_UP)
    told = await shop.ask("vậy con nào hợp mẹ em ta")
    assert told.done.calls == len(server.chats) == 2
    assert "12.345.000" not in told.answer


async def test_a_prompt_tells_the_role_once_and_nothing_that_the_program_adds(
    shop: Shop, server: OllamaDouble
) -> None:
    first = await shop.ask("laptop dưới 20 triệu", offline=True)
    line = shop.services.personas.load("shopping", "vi").follow_up
    assert line in first.answer
    server.script({"intent": "shopping", "confidence": 0.9, "query": ""}, "Dạ vâng ạ.")
    await shop.ask("vậy con nào hợp mẹ em ta")
    for chat in server.chats:
        assert chat.last_user.lower().count("role") == 1
    assert line not in server.chats[-1].last_user
    assert "Em sẽ hỗ trợ ngay" not in server.chats[-1].last_user
