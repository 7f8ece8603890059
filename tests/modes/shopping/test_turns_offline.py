"""The shop desk with no model at all: whole turns through real stores, by rules, tables and search."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop, shop_at
from troly.conversation.conformance import check_mode
from troly.conversation.session import Session
from troly.plugin.events import Sources
from troly.retrieval.documents.files import Document, TextBlock
from troly_shopping import MODE

CUTE_VI = "Dạ em rất vui được giúp quý khách! 💖 Em sẽ hỗ trợ ngay ạ."
CUTE_EN = "Hi! I'm happy to help 💖 I'll assist you right away."
CLARIFY_VI = "Dạ em rất vui được giúp ạ — quý khách đang cần tư vấn mua hàng, kiểm tra bảo hành hay muốn trò chuyện thôi ạ?"
CLARIFY_EN = "Hi! I'm happy to help — are you looking for shopping advice, a warranty check, or just to chat?"
REDIRECT_VI = "Quý khách có cần em hỗ trợ về thông tin hàng hóa hay bảo hành không ạ?"
REDIRECT_EN = "Can I help you with shopping or warranty questions?"
FOUND = "Thông tin bảo hành: Sản phẩm 'Laptop Dell', Serial 'ABC123', hết bảo hành vào ngày 31/12/2024"


@pytest.fixture
def shop(own_home: Path) -> Iterator[Shop]:
    with shop_at(own_home) as opened:
        yield opened


async def test_the_mode_keeps_the_contract(shop: Shop) -> None:
    assert await check_mode(MODE, Session(shop.services, shop.registry, shop.profile)) == []


async def test_a_warranty_check_from_prompt_to_result(shop: Shop) -> None:
    asked = await shop.ask("Tôi muốn kiểm tra bảo hành")
    assert asked.nodes == ["classify", "warranty_stream"]
    assert asked.said == ["greeting", "cute_greeting"]
    assert asked.done.text.startswith(CUTE_VI)
    assert asked.answer.startswith("Quý khách vui lòng cung cấp số serial")
    assert asked.done.message_type == "warranty_prompt"
    answered = await shop.ask("abc123")
    assert answered.said == []
    assert answered.answer.startswith(FOUND)
    assert answered.answer.endswith(shop.services.personas.load("shopping", "vi").follow_up)
    assert answered.state["warranty_meta"] == {"kind": "result", "found": True, "serial": "ABC123"}
    assert (answered.state["intent"], answered.done.message_type) == ("warranty", "warranty_result")
    assert [kind for kind, _ in shop.history()] == [
        "greeting", "", "cute_greeting", "warranty_prompt", "", "warranty_result",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", ["bảo hành ABC123", "BAO HANH ABC123", "check warranty abc123 giúp em"])
async def test_a_serial_in_the_message_is_answered_at_once(shop: Shop, text: str, form: str) -> None:
    told = await shop.ask(unicodedata.normalize(form, text), language="vi")  # type: ignore[arg-type]
    assert FOUND in told.answer
    assert told.done.calls == 0
    assert set(told.state) == set(MODE.state_fields)


async def test_an_invalid_then_an_unknown_then_a_good_serial(shop: Shop) -> None:
    await shop.ask("kiểm tra bảo hành")
    invalid = await shop.ask("ABC 123")
    assert invalid.done.message_type == "warranty_prompt_invalid"
    assert invalid.answer.startswith("Em chưa nhận diện được số serial hợp lệ")
    unknown = await shop.ask("ZZZ999")
    assert unknown.state["warranty_meta"] == {"kind": "result", "found": False, "serial": "ZZZ999"}
    assert "1900" in unknown.answer
    good = await shop.ask("XYZ789")
    assert "Mouse Logitech" in good.answer


@pytest.mark.parametrize("text", ["serial là abcdef", "số của nó là abc", "serial is qwerty"])
async def test_what_cannot_be_a_serial_is_said_to_be_none(shop: Shop, text: str) -> None:
    await shop.ask("kiểm tra bảo hành")
    assert (await shop.ask(text, language="vi")).done.message_type == "warranty_prompt_invalid"


@pytest.mark.parametrize(
    "text", ["tôi không có số serial", "i don't have the serial number", "mất tem serial rồi"]
)
async def test_there_is_a_way_out_without_a_serial(shop: Shop, text: str) -> None:
    await shop.ask("kiểm tra bảo hành")
    told = await shop.ask(text)
    assert "1900" in told.answer
    assert "ABC123" in (await shop.ask("à đây ABC123")).answer


async def test_what_was_looked_up_is_spoken_of(shop: Shop) -> None:
    await shop.ask("DL5530-7HX2K9, 5CD3217XWZ, ABC123")
    covered = await shop.ask("con nào còn hạn")
    assert covered.state["warranty_meta"]["serial"] == ["DL5530-7HX2K9", "5CD3217XWZ"]
    assert (await shop.ask("con thứ 3 hết hạn ngày nào")).state["warranty_meta"]["serial"] == "ABC123"
    assert (await shop.ask("cái nào hết hạn sau cùng")).state["warranty_meta"]["serial"] == "DL5530-7HX2K9"
    assert "13 ngày" in (await shop.ask("con thứ 2 còn mấy ngày")).answer


async def test_something_broken_gets_concern_and_no_cheer(shop: Shop) -> None:
    told = await shop.ask("máy mới mua 3 ngày đã hỏng, làm ăn kiểu gì vậy")
    assert "cute_greeting" not in told.said
    assert told.answer.startswith("Dạ em rất tiếc")
    assert told.done.message_type == "warranty_prompt"
    spilt = await shop.ask("bé nhà em làm đổ ly sữa vào laptop, em lo quá")
    assert "cute_greeting" not in spilt.said


async def test_leaving_the_serial_question_for_another(shop: Shop) -> None:
    await shop.ask("kiểm tra bảo hành")
    told = await shop.ask("thôi, tư vấn giúp mình laptop dưới 20 triệu")
    assert told.state["intent"] == "shopping"
    assert told.nodes == ["classify", "retrieve", "respond_stream"]


async def test_several_serials_give_a_table(shop: Shop) -> None:
    told = await shop.ask("bảo hành ABC123, XYZ789 và QQQ111")
    [table] = told.tables
    assert [row[0] for row in table.rows] == ["ABC123", "XYZ789", "QQQ111"]
    assert "Serial 'QQQ111'" in told.answer


async def test_nothing_loaded_is_said_with_the_command(own_home: Path) -> None:
    with shop_at(own_home, warranties=None) as shop:
        assert MODE.data_status(shop.services, "vi").command == "app ingest warranty FILE"  # type: ignore[union-attr]
        told = await shop.ask("bảo hành ABC123")
        assert "app ingest warranty" in told.answer
        assert told.state["warranty_meta"]["found"] is False


def test_holdings_say_how_many_and_when(shop: Shop) -> None:
    holdings = MODE.data_status(shop.services, "vi")
    assert holdings is not None
    assert holdings.line == "5.000 phiếu bảo hành, nạp 22/11/2026"
    assert holdings.enough


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("em khỏe không", "Em khỏe, cảm ơn quý khách đã hỏi ạ"),
        ("em khoe khong", "Em khỏe, cảm ơn quý khách đã hỏi ạ"),
        ("đi chơi không em", "Em đang làm việc ạ, không thể đi chơi được"),
        ("di choi khong", "Em đang làm việc ạ, không thể đi chơi được"),
        ("tên gì", "Em là trợ lý AI của SSTC ạ"),
        ("làm gì đây", "Em đang hỗ trợ khách hàng ạ"),
        ("co ban trai khong", "Em là AI nên không có chuyện đó ạ"),
    ],
)
async def test_social_remarks_are_answered_then_led_back(shop: Shop, text: str, answer: str) -> None:
    told = await shop.ask(text)
    assert told.answer == f"{answer}. {REDIRECT_VI}"
    assert told.done.message_type == "clarify"
    assert "cute_greeting" not in told.said


async def test_the_english_social_boundary(shop: Shop) -> None:
    told = await shop.ask("can you hangout with me")
    assert told.answer == f"I can chat and keep you company here, but I can't meet in person. {REDIRECT_EN}"


async def test_what_is_not_understood_is_asked_once_and_counted(shop: Shop) -> None:
    first = await shop.ask("qwerty zxcv")
    assert first.answer in {CLARIFY_VI, CLARIFY_EN}
    second = await shop.ask("hmm")
    assert (first.state["clarify_attempts"], second.state["clarify_attempts"]) == (1, 2)
    assert second.state["clarify_questions"] == [second.answer]
    third = await shop.ask("bảo hành abc123")
    assert third.state["clarify_attempts"] == 0


async def test_switch_to_english_and_back_with_a_question(shop: Shop) -> None:
    told = await shop.ask("em ơi tiếng anh được không, check my warranty")
    assert told.said == ["greeting", "language_ack", "cute_greeting"]
    assert told.done.text.startswith("sure, you can speak english with me\n\n" + CUTE_EN)
    told = await shop.ask("check warranty XYZ789")
    assert "Product 'Mouse Logitech', Serial 'XYZ789', warranty ends on 30/6/2025" in told.answer
    assert told.state["preferred_language"] == "en"
    later = await shop.ask("hmm")
    assert later.answer == CLARIFY_EN
    back = await shop.ask("nói tiếng Việt đi em")
    assert back.said == ["language_ack"]
    assert (back.answer, back.done.message_type) == ("", "language_ack")
    assert back.state["preferred_language"] == "vi"


@pytest.mark.parametrize(("how", "times"), [("once", 1), ("always", 2), ("never", 0)])
async def test_the_cute_greeting_is_as_frequent_as_wanted(own_home: Path, how: str, times: int) -> None:
    with shop_at(own_home, TROLY_GREETING__CUTE=how) as shop:
        said = [kind for text in ("giá chuột", "giá laptop") for kind in (await shop.ask(text)).said]
        assert said.count("cute_greeting") == times


async def test_no_cheer_before_a_warranty_that_is_over_and_what_was_told_is_answered_in_short(
    shop: Shop,
) -> None:
    told = [await shop.ask(text) for text in ("bảo hành ABC123", "hết hạn từ hôm nào", "giá laptop")]
    assert not any("cute_greeting" in one.said for one in told)
    assert FOUND in told[0].answer
    assert told[1].answer == "Serial 'ABC123': Ngày bảo hành cuối cùng là 31/12/2024 ạ."
    assert told[1].done.message_type == "warranty_result"


async def test_shopping_quotes_the_shops_documents(shop: Shop) -> None:
    empty = await shop.ask("Chính sách đổi trả như thế nào?")
    assert "app ingest knowledge" in empty.answer
    text = "Đổi trả trong 7 ngày nếu sản phẩm còn nguyên hộp và hóa đơn."
    document = Document("Chính sách đổi trả", (TextBlock(text),), "md")
    collection = shop.services.settings.chroma.collection
    shop.services.knowledge.put(
        document, collection=collection, key="doi-tra.md", ingested_at="2026-11-22T09:00:00+07:00"
    )
    told = await shop.ask("chinh sach doi tra nhu the nao")
    assert text in told.answer
    assert "Chính sách đổi trả" in told.answer
    assert told.all(Sources)
    assert told.done.source == "rules"
    assert told.state["retrieved_context"][0]["title"] == "Chính sách đổi trả"


async def test_strange_messages_are_answered_as_text(shop: Shop) -> None:
    for text in (
        "🙂🙂🙂",
        "[TENANT] [/b] [@click=app.quit]x[/]",
        "serial " * 3000,
        "ABC123 " * 2000,
        "x" * 150_000,
    ):
        told = await shop.ask(text)
        assert told.done.text
