"""A warranty check that does not go straight: offers, corrections, cancelling, repeating, digressions, a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.shopping import Shop, shop_at
from tests.support.modes.warranty_files import HEADER, write
from troly.plugin.events import Handoff, to_json
from troly.stores.handovers import Handovers
from troly_shopping.dialogue import DialogueState, dialogue_phrases, parse_act

ROWS = "ABC123,Laptop Dell,2024-12-31\nXYZ789,Mouse Logitech,30/06/2025\nPF0KK1,Máy A,2030-01-01\nPFOKK1,Máy B,2030-01-01\n"


@pytest.fixture
def shop(own_home: Path, tmp_path: Path) -> Iterator[Shop]:
    with shop_at(own_home, warranties=write(tmp_path, HEADER + ROWS)) as opened:
        yield opened


@pytest.mark.parametrize("typed", ["ABC 123", "ABC.123", "ＡＢＣ１２３", "ABCI23", "ABC12", "АВС123"])
@pytest.mark.parametrize("answer", ["đúng rồi", "dung roi a", "yes", "ok", "1", "ừ đúng rồi em"])
async def test_did_you_mean_is_looked_up_only_when_confirmed(shop: Shop, typed: str, answer: str) -> None:
    asked = await shop.ask(f"bảo hành {typed}", language="vi")
    assert not asked.state["warranty_meta"]["found"]
    assert "Có phải quý khách muốn hỏi Serial 'ABC123'" in asked.answer
    assert "Laptop Dell" not in asked.answer
    told = await shop.ask(answer, language="vi")
    assert told.state["warranty_meta"] == {"kind": "result", "found": True, "serial": "ABC123"}


async def test_one_of_several_is_chosen_by_number(shop: Shop) -> None:
    asked = await shop.ask("bảo hành PFQKK1", language="vi")
    assert "1) PF0KK1, 2) PFOKK1" in asked.answer
    again = await shop.ask("đúng rồi")
    assert (again.done.message_type, "1) PF0KK1" in again.answer) == ("warranty_prompt", True)
    assert (await shop.ask("cái thứ hai")).state["warranty_meta"]["serial"] == "PFOKK1"


@pytest.mark.parametrize("answer", ["không phải", "khong", "no", "sai rồi"])
async def test_an_offer_declined_asks_again(shop: Shop, answer: str) -> None:
    await shop.ask("bảo hành ABC12", language="vi")
    assert (await shop.ask(answer)).done.message_type == "warranty_prompt"


@pytest.mark.parametrize(
    "text",
    [
        "à nhầm, XYZ789 mới đúng", "a nham, XYZ789 moi dung", "không phải ABC123, XYZ789 mới đúng", "sorry I meant XYZ789",
        "XYZ789 chứ không phải ABC123", "not ABC123, it's XYZ789", "em gõ lộn, XYZ789 ạ", "typo, XYZ789",
    ],
)  # fmt: skip
async def test_a_correction_looks_up_the_right_serial_alone(shop: Shop, text: str) -> None:
    await shop.ask("kiểm tra bảo hành ABC123")
    told = await shop.ask(text)
    assert told.state["warranty_meta"]["serial"] == "XYZ789"
    assert told.tables == []


async def test_a_corrected_serial_need_not_be_known(shop: Shop) -> None:
    await shop.ask("kiểm tra bảo hành")
    told = await shop.ask("à nhầm, QQ9991 mới đúng")
    assert told.state["warranty_meta"] == {"kind": "result", "found": False, "serial": "QQ9991"}


@pytest.mark.parametrize(
    "text", ["không phải, serial kia", "khong phai, so kia", "the other one please", "cái kia ạ"]
)
async def test_the_other_one_of_two(shop: Shop, text: str) -> None:
    await shop.ask("bảo hành ABC123")
    await shop.ask("bảo hành XYZ789")
    told = await shop.ask(text)
    assert told.state["warranty_meta"]["serial"] == "ABC123"


@pytest.mark.parametrize(
    "text", ["thôi khỏi", "thoi khoi", "never mind", "nvm", "không cần nữa ạ", "hủy", "cancel", "để sau nhé"]
)
async def test_cancelling_stops_the_check(shop: Shop, text: str) -> None:
    await shop.ask("kiểm tra bảo hành")
    told = await shop.ask(text)
    assert told.done.message_type == "answer"
    assert told.state["warranty_meta"]["kind"] is None
    assert (await shop.ask("cảm ơn em")).done.message_type == "clarify"


@pytest.mark.parametrize("text", ["nhắc lại giúp em", "nhac lai", "say that again please", "kiểm tra lại"])
async def test_repeating(shop: Shop, text: str) -> None:
    await shop.ask("bảo hành ABC123")
    assert (await shop.ask(text)).state["warranty_meta"]["serial"] == "ABC123"


async def test_a_digression_and_the_way_back(shop: Shop) -> None:
    await shop.ask("kiểm tra bảo hành")
    aside = await shop.ask("laptop nào rẻ nhất vậy shop?")
    assert aside.state["intent"] == "shopping"
    back = await shop.ask("QQ7781")
    assert back.state["warranty_meta"] == {"kind": "result", "found": False, "serial": "QQ7781"}


@pytest.mark.parametrize(
    "text",
    [
        "cho gặp nhân viên", "cho toi gap nhan vien", "em muốn nói chuyện với người thật", "noi chuyen voi nguoi that di",
        "talk to a human", "can I speak with a real person?", "chuyển máy cho nhân viên giúp anh", "I want an agent",
        "cho mình gặp quản lý", "transfer me to an agent", "nhân viên gọi lại cho em nhé", "human please",
    ],
)  # fmt: skip
async def test_a_person_is_called_when_asked_for(shop: Shop, text: str) -> None:
    await shop.ask("bảo hành QQ1234")
    told = await shop.ask(text)
    [event] = told.all(Handoff)
    assert told.done.message_type == "handoff"
    assert event.code == "asked"
    assert event.hotline in told.answer
    assert event.transcript_lines[-1].endswith(text)
    assert to_json(event)["event"] == "Handoff"
    [kept] = Handovers(shop.services.conversations).list(shop.profile.login, staff=False)
    assert (kept.conversation, kept.customer, kept.code) == (shop.conversation, shop.profile.login, "asked")


@pytest.mark.parametrize(
    "text",
    [
        "không cần gặp nhân viên, bảo hành ABC123", "I don't want to talk to a human, check warranty ABC123",
        "nhân viên tư vấn laptop nào?", "em là người thật hay máy", "are you a real person?", "laptop cho nhân viên văn phòng",
    ],
)  # fmt: skip
async def test_a_person_is_not_called_without_being_asked_for(shop: Shop, text: str) -> None:
    assert (await shop.ask(text)).all(Handoff) == []


async def test_three_failures_in_a_row_call_a_person(shop: Shop) -> None:
    kinds = [(await shop.ask(text)).done for text in ("bảo hành QQ1234", "QQ2222", "QW9ABCD")]
    assert [done.message_type for done in kinds] == ["warranty_result", "warranty_result", "handoff"]
    assert kinds[-1].state["warranty_meta"] == {"kind": "result", "found": False, "serial": "QW9ABCD"}
    kept = Handovers(shop.services.conversations).list(shop.profile.login, staff=False)
    assert [entry.code for entry in kept] == ["failed"]
    assert (await shop.ask("QQ4444")).done.message_type == "warranty_result"


async def test_a_found_serial_ends_the_count(shop: Shop) -> None:
    for text in ("bảo hành QQ1234", "QQ2222", "ABC123", "bảo hành QQ3333"):
        assert (await shop.ask(text)).all(Handoff) == []


async def test_a_pasted_list_is_one_table(shop: Shop) -> None:
    told = await shop.ask("\n".join(["ABC123", "XYZ789", *(f"QQ{n:05}" for n in range(300))]), language="vi")
    [table] = told.tables
    assert len(table.rows) == 302
    assert table.rows[0][:3] == ("ABC123", "Laptop Dell", "31/12/2024")
    assert table.rows[2] == ("QQ00000", "", "", "", "chưa tìm thấy")
    assert told.answer.count("\n- ") < 25


@pytest.mark.parametrize(
    "text",
    [
        "",
        "🙂🙂",
        "[TENANT] [/b] [@click=app.quit]x[/]",
        "x" * 200_000,
        "đúng " * 30_000,
        "\x1b]52;c;aGk=\x07",
    ],
)
def test_hostile_messages_move_nothing(text: str) -> None:
    spot = DialogueState(
        awaiting=True, offered=("ABC123",), asked=("ABC123",), mentioned=("ABC123",), warranty=True
    )
    assert parse_act(text, spot, dialogue_phrases(text)).act in {"", "ask"}


async def test_a_very_long_message_is_answered_quickly(shop: Shop) -> None:
    told = await shop.ask("bảo hành " + "ABC123 " * 25_000, language="vi")
    assert told.state["warranty_meta"] == {"kind": "result", "found": True, "serial": "ABC123"}
    assert "app warranty check" in told.answer


@pytest.mark.parametrize("typed", ["ABC 123", "còn cái này: AB C123", "and abc 12 3?"])
async def test_after_a_look_up_a_serial_in_pieces_is_offered(shop: Shop, typed: str) -> None:
    await shop.ask("bảo hành ABC123 còn không")
    told = await shop.ask(typed)
    assert "'ABC123'" in told.answer
    assert "VND" not in told.answer
