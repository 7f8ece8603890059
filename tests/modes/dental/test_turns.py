"""Turns of the dental adviser without a model: order of the nodes, red flags, refusals, notes, memory, sources."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.modes.dental import Clinic, clinic_at
from tests.support.stores.services import profile
from troly.conversation.conformance import check_mode
from troly.conversation.session import Session
from troly.plugin.events import Notice, Sources, Suggestions
from troly.text.fold import fold
from troly_dental import MODE
from troly_dental.memory.connection import open_memory

FLOW = ["listen", "red_flags", "guardrail", "memory", "search", "answer", "format", "save"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    with clinic_at(tmp_path_factory.mktemp("clinic")) as clinic:
        yield clinic


_PERSONS = count()


@pytest.fixture
async def clinic(opened: Clinic) -> AsyncIterator[Clinic]:
    """Somebody of whom nothing is known yet."""
    yield Clinic(opened.services, opened.registry, f"an{next(_PERSONS)}")
    await opened.services.llm.aclose()


async def kept(clinic: Clinic) -> list[str]:
    assert clinic.conversation
    async with open_memory(clinic.services, clinic.profile) as memory:
        return [one["content"] for one in await memory.get_all_messages(clinic.conversation)]


async def test_the_mode_keeps_the_contract(clinic: Clinic) -> None:
    assert await check_mode(MODE, Session(clinic.services, clinic.registry, clinic.profile)) == []


async def test_a_question_goes_through_the_documents_flow(clinic: Clinic) -> None:
    told = await clinic.ask("Nhổ răng khôn xong nên ăn gì?")
    assert told.nodes == FLOW
    assert told.done.source == "rules"
    assert told.done.calls == 0
    state = told.state
    assert state["guardrail"] == {"dental": True, "source": "rules", "score": state["guardrail"]["score"]}
    assert state["language"] == "vi"
    assert state["red_flag"] is None
    assert state["conversation_id"] == clinic.conversation
    assert state["formatted_response"].startswith(f"{told.answer}\n\nNguồn tham khảo:")
    assert state["summary"] == "", "what stands in the next prompt itself is not summed up"


async def test_the_answer_ends_with_a_disclaimer_and_the_section_of_sources(clinic: Clinic) -> None:
    told = await clinic.ask("Nhổ răng khôn xong nên ăn gì?")
    body, heading, listed = told.state["formatted_response"].partition("\n\nNguồn tham khảo:\n\n")
    assert heading
    assert listed.startswith("1. ")
    assert "không thay cho việc khám nha sĩ" in body
    shown = told.all(Sources)[0].items
    assert len(shown) == len(listed.splitlines()) == len(told.state["sources"])
    assert all(fact for one in shown for fact in one.facts)


async def test_offline_says_that_nothing_is_sent_and_dates_its_notes(clinic: Clinic) -> None:
    told = await clinic.ask("Bị sâu răng phải làm sao?", offline=True)
    notice = told.all(Notice)[0]
    assert "ghi chú nha khoa" in notice.message
    assert "2026" in notice.message or "2025" in notice.message


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mặt em sưng lan xuống cổ, khó thở quá", "breathing"),
        ("nho rang tu sang toi gio chay mau khong cam", "bleeding"),
        ("My son's tooth was knocked out", "knocked_out"),
    ],
)
async def test_a_red_flag_comes_first_and_asks_neither_guard_nor_web(
    clinic: Clinic, text: str, name: str
) -> None:
    told = await clinic.ask(text)
    assert told.state["red_flag"] == name
    assert "guardrail" not in told.nodes
    assert told.nodes[:2] == ["listen", "red_flags"]
    assert "115" in told.answer or "911" in told.answer
    # Nothing stands beside the card that could speak against it.
    assert told.state["sources"] == []
    assert told.done.calls == 0
    assert told.done.message_type == "answer"


async def test_a_rejection_names_the_mode_that_helps_and_saves_nothing(clinic: Clinic) -> None:
    told = await clinic.ask("Tìm phòng trọ giá rẻ ở Gò Vấp")
    assert told.nodes == ["listen", "red_flags", "guardrail", "rejected"]
    assert told.done.message_type == "rejected"
    assert told.state["guardrail"]["dental"] is False
    assert told.state["conversation_id"] == clinic.conversation
    assert told.state["sources"] == []
    assert told.all(Suggestions)
    assert await kept(clinic) == []
    assert told.state["summary"] == ""


@pytest.mark.parametrize(
    ("text", "dental"),
    [
        ("Ngủ toàn thở bằng miệng nên dậy miệng khô lắm, làm sao cho đỡ?", True),
        ("Hôm qua tivi nói chuyện dị ứng thuốc tê, có hay gặp không?", True),
        ("Bài hát nói lưỡi bị trắng, mà sao lưỡi lại bị trắng?", True),
        ("Đặt implant ngực có phải thay định kỳ không?", False),
        ("Máy cày bị gãy răng bừa thì thay ở đâu?", False),
    ],
)
async def test_what_a_note_is_about_is_not_refused_for_the_words_beside_it(
    clinic: Clinic, text: str, *, dental: bool
) -> None:
    told = await clinic.ask(text)
    assert told.state["guardrail"]["dental"] is dental


async def test_a_rejection_in_english(clinic: Clinic) -> None:
    told = await clinic.ask("Write a python function that sorts a list")
    assert told.state["language"] == "en"
    assert told.nodes[-1] == "rejected"
    assert "teeth" in told.answer.lower() or "dental" in told.answer.lower()


async def test_question_and_formatted_answer_are_kept(clinic: Clinic) -> None:
    told = await clinic.ask("Cạo vôi răng có đau không?")
    assert await kept(clinic) == ["Cạo vôi răng có đau không?", told.state["formatted_response"]]


async def test_a_follow_up_is_judged_and_searched_with_its_subject(clinic: Clinic) -> None:
    await clinic.ask("Niềng răng mất bao lâu?")
    told = await clinic.ask("còn giá thì sao?")
    assert told.state["guardrail"]["dental"] is True
    assert told.nodes == FLOW
    again = await clinic.ask("có đau không?")
    assert any("niềng" in item["title"].lower() for item in again.state["sources"])


async def test_the_same_words_after_a_rejected_question_are_no_follow_up(clinic: Clinic) -> None:
    await clinic.ask("Laptop gaming nào tốt?")
    told = await clinic.ask("còn giá thì sao?")
    assert told.state["guardrail"]["dental"] is False


async def test_a_change_of_language_is_granted_and_the_question_answered(clinic: Clinic) -> None:
    await clinic.ask("Chảy máu chân răng có sao không?")
    told = await clinic.ask("speak English please")
    assert told.state["language"] == "en"
    assert told.said == ["language_ack"]
    told = await clinic.ask("How often should I see a dentist?")
    assert told.state["language"] == "en"
    assert "References:" in told.state["formatted_response"]


async def test_a_plain_message_in_the_other_language_is_answered_in_it(clinic: Clinic) -> None:
    await clinic.ask("Chảy máu chân răng có sao không?")
    told = await clinic.ask("What should I do about bad breath in the morning?")
    assert told.state["language"] == "en"
    told = await clinic.ask("Thế còn trẻ em thì đánh răng từ mấy tuổi?")
    assert told.state["language"] == "vi"


async def test_without_notes_the_answer_says_that_there_is_no_source(own_home: Path) -> None:
    with clinic_at(own_home, notes=False) as clinic:
        told = await clinic.ask("Niềng răng mất bao lâu?", offline=True)
        await clinic.services.llm.aclose()
    assert "chưa có nguồn" in told.answer
    assert told.state["sources"] == []
    assert "Nguồn tham khảo" not in told.answer


async def test_another_users_conversation_is_refused(clinic: Clinic) -> None:
    await clinic.ask("Tôi dị ứng penicillin, nhổ răng được không?")
    clinic.profile = profile("binh")
    told = await clinic.ask("răng đó thì sao?")
    assert told.failed.code == "store.not_yours"
    assert "penicillin" not in told.failed.text


async def test_an_unknown_conversation_is_refused(clinic: Clinic) -> None:
    clinic.conversation = "khong-co"
    assert (await clinic.ask("Niềng răng mất bao lâu?")).failed.code.startswith("store.")


@pytest.mark.parametrize("lang", ["vi", "en"])
def test_opening_holdings_and_first_questions(clinic: Clinic, lang: str) -> None:
    greeting = clinic.services.personas.load(MODE.persona, lang).greeting  # type: ignore[arg-type]
    holdings = MODE.data_status(clinic.services, lang)  # type: ignore[arg-type]
    assert MODE.opening is None
    assert "115" in greeting
    assert holdings is not None
    assert holdings.enough
    assert any(char.isdigit() for char in holdings.line)
    assert len(MODE.first_questions[lang]) == 3  # type: ignore[index]


EMERGENCY = [
    ("mũ bảo hiểm đập vào răng, răng văng ra ngoài", "rửa bằng xà phòng được không", "không dùng xà phòng"),
    ("mặt tôi sưng to lan xuống cổ, nuốt khó", "nhưng tôi không có tiền đi viện", "không được từ chối"),
    (
        "đã 6 tiếng rồi máu vẫn chưa cầm sau khi nhổ răng",
        "tôi đang uống aspirin vì bệnh tim",
        "thuốc aspirin",
    ),
    ("Tôi uống nhầm 15 viên paracetamol vì đau răng", "giờ hơi buồn nôn", "115"),
    ("tiêm tê xong nổi mề đay khắp người", "chắc do hồi hộp thôi", "Đừng chờ"),
    ("I took 15 tylenol for my tooth", "should I wait until tomorrow", "Do not wait"),
]


@pytest.mark.parametrize(("first", "then", "wanted"), EMERGENCY)
async def test_follow_ups_stay_in_the_emergency_until_it_is_over(
    clinic: Clinic, first: str, then: str, wanted: str
) -> None:
    assert (await clinic.ask(first)).state["red_flag"]
    told = await clinic.ask(then)
    assert told.state["red_flag"]
    assert told.answer.startswith("🚨")
    assert wanted in told.answer
    assert told.state["sources"] == []
    for text in ("giá bitcoin hôm nay", "giờ phải làm sao"):
        assert (await clinic.ask(text)).answer.startswith("🚨")
    done = await clinic.ask("bác sĩ khám rồi ạ")
    assert done.state["red_flag"] is None
    assert (await clinic.ask("Niềng răng mất bao lâu?")).state["red_flag"] is None


@pytest.mark.parametrize(
    "text", ["\u2510(\u00b4\u30fc\uff40)\u250c", "🦷", "?!", "\u0301\u0301", "1234", "\u200b"]
)
async def test_no_text_makes_a_turn_fail_in_an_emergency_or_out_of_it(clinic: Clinic, text: str) -> None:
    assert (await clinic.ask(text)).answer
    await clinic.ask("sưng mặt lan xuống cổ, khó thở")
    assert (await clinic.ask(text)).answer.startswith("🚨")


@pytest.mark.parametrize("asked", ["", " Bao lâu nên cạo vôi răng một lần?"])
async def test_who_says_that_nobody_is_ill_leaves_the_emergency(clinic: Clinic, asked: str) -> None:
    told = await clinic.ask("Mặt em sưng lan xuống cổ, khó thở quá")
    assert "**không ai bị gì**" in told.answer
    told = await clinic.ask(f"Không ai bị gì.{asked}")
    assert "🚨" not in told.answer
    assert ("cao răng" in told.answer) == bool(asked)
    assert "🚨" not in (await clinic.ask("Một ngày nên đánh răng mấy lần?")).answer


@pytest.mark.parametrize("told", ["không ai bị gì", "khong ai bi gi", "Không ai bị gì cả ạ", "nobody is ill", "ko ai bị gì hết", "nobody is hurt"])  # fmt: skip
async def test_that_nobody_is_ill_is_heard_at_any_time(clinic: Clinic, told: str) -> None:
    for first in ("", "Mặt em sưng lan xuống cổ, khó thở quá", ""):
        if first:
            await clinic.ask(first)
        done = await clinic.ask(told)
        assert done.state["red_flag"] is None
        assert "chẩn đoán" not in done.answer
        assert "115" in done.answer
        assert done.state["sources"] == []


SEEN = [
    ("khong, mau da cam roi, bac si kham roi", True), ("ok em di vien roi, bac si da kham", True), ("không, bác sĩ khám rồi ạ", True),
    ("dạ ok, bác sĩ đã khám rồi", True), ("ok the doctor has seen me", True), ("bs kham roi a", True),
    ("ok em di vien roi, bac si chua kham", False), ("không, bác sĩ chưa khám", False), ("I'm at the hospital, not seen yet", False),
]  # fmt: skip


@pytest.mark.parametrize(("told", "over"), SEEN)
async def test_what_a_doctor_has_seen_is_over_and_acknowledged(clinic: Clinic, told: str, over: bool) -> None:
    await clinic.ask("tôi bị tiểu đường")
    await clinic.ask("Mặt tôi sưng lan xuống cổ, khó thở quá")
    done = await clinic.ask(told)
    assert (done.state["red_flag"] is None) is over
    assert ("🚨" in done.answer) is not over
    assert done.state["sources"] == []


async def test_another_matter_in_an_emergency_gets_one_line_of_reminder_and_its_answer(
    clinic: Clinic,
) -> None:
    await clinic.ask("mặt tôi sưng to lan xuống cổ, nuốt khó")
    told = await clinic.ask("tẩy trắng răng có hại không")
    first, _, rest = told.answer.partition("\n")
    assert first.startswith("🚨")
    assert "Tẩy trắng răng" in rest
    assert "Ngồi thẳng" not in told.answer
    assert (await clinic.ask("giờ tôi phải làm gì")).answer.startswith("🚨")


async def test_what_is_wanted_besides_medicine_is_no_wish_for_one(clinic: Clinic) -> None:
    told = await clinic.ask("Ngoài thuốc ra thì ở nhà làm gì cho bớt nhức răng?")
    assert "không chọn thuốc" not in told.answer
    assert "chườm lạnh" in told.answer.lower()
    told = await clinic.ask("Thuốc tê nha khoa thường mấy tiếng thì hết?")
    assert "liều thuốc" not in told.answer
    assert "ghi nhớ" not in told.answer


async def test_a_question_about_allergies_is_answered_from_what_was_told(clinic: Clinic) -> None:
    await clinic.ask("Tôi bị dị ứng cao su (latex)")
    told = await clinic.ask("Tuần sau tôi đi trám răng, có điều gì về dị ứng cần báo nha sĩ trước không?")
    assert "dị ứng cao su" in told.answer
    assert await kept(clinic)


HEALTH = ["Tôi đang dùng warfarin", "tôi bị tiểu đường", "tôi bị hen suyễn", "Tôi dị ứng lidocaine", "tôi có van tim nhân tạo", "tôi đang cho con bú", "I take warfarin", "con tôi 5 tuổi"]  # fmt: skip


@pytest.mark.parametrize("text", HEALTH)
async def test_what_is_told_of_ones_health_is_noted_and_never_off_topic(clinic: Clinic, text: str) -> None:
    await clinic.ask("giá vàng hôm nay")
    told = await clinic.ask(text)
    assert told.state["guardrail"]["dental"] is True
    assert "ghi nhớ" in told.answer or "noted" in told.answer
    assert "thai kỳ mang" not in told.answer


async def test_an_allergy_is_used_in_this_conversation_and_in_the_next(clinic: Clinic) -> None:
    await clinic.ask("Răng khôn đau, tôi dị ứng penicillin")
    told = await clinic.ask("amoxicillin uống được không")
    assert "Không tự dùng amoxicillin" in told.answer
    clinic.conversation = None
    told = await clinic.ask("đau răng uống augmentin được không")
    assert "Không tự dùng augmentin" in told.answer


@pytest.mark.parametrize(
    "text", ["nhà còn mấy viên amoxicillin, uống tạm vài viên nha", "i still have amoxicillin, i'll take two"]
)
async def test_a_medicine_that_is_noted_is_held_against_an_allergy(clinic: Clinic, text: str) -> None:
    told = await clinic.ask("tôi dị ứng penicillin, răng đau quá")
    assert "⚠" not in told.answer
    assert "⚠" in (await clinic.ask(text)).answer


@pytest.mark.parametrize("whose", ["Ba tôi", "Má em", "Bé nhà em", "Chồng mình", "Bà ngoại em"])
async def test_what_is_told_of_somebody_else_stays_in_its_conversation(clinic: Clinic, whose: str) -> None:
    told = await clinic.ask(f"{whose} đang uống warfarin, bị rung nhĩ")
    assert f"{whose} đang dùng thuốc warfarin" in told.answer
    clinic.conversation = None
    told = await clinic.ask("mặt tôi sưng to lan xuống cổ, nuốt khó")
    assert "warfarin" not in told.answer
    assert "rung nhĩ" not in told.answer


async def test_what_was_told_in_an_earlier_conversation_is_said_to_be_so(clinic: Clinic) -> None:
    await clinic.ask("tôi dị ứng penicillin")
    clinic.conversation = None
    told = await clinic.ask("mặt tôi sưng to lan xuống cổ, nuốt khó")
    assert "dị ứng penicillin (ghi nhận từ trước" in told.answer


@pytest.mark.parametrize(
    ("wrong", "right"), [("sulfa", "penicillin"), ("tôm", "cua"), ("ibuprofen", "latex")]
)
async def test_what_is_corrected_is_noted_once_and_the_wrong_one_not(
    clinic: Clinic, wrong: str, right: str
) -> None:
    await clinic.ask(f"em dị ứng {wrong}")
    told = (await clinic.ask(f"à nhầm, dị ứng {right} chứ không phải {wrong}")).answer
    assert told.count("đã ghi nhớ") == 1
    assert f"đã ghi nhớ: dị ứng {right}." in told
    assert "bỏ khỏi ghi nhớ" not in (await clinic.ask(fold(f"em dị ứng {right}"))).answer


@pytest.mark.parametrize("text", ["my mom is diabetic and takes metformin", "tôi thay van tim cơ học năm 2019", "tôi không dị ứng gì, cũng không uống thuốc gì"])  # fmt: skip
async def test_who_only_tells_of_ones_health_hears_of_nothing_else(clinic: Clinic, text: str) -> None:
    told = (await clinic.ask(text)).answer
    assert "ghi nhớ" in told or "noted" in told
    assert "không nói về" not in told
    assert "do not speak" not in told


NOT_TOLD = ["dị ứng của cháu bé là gì", "di ung cua chau be la gi", "uống paracetamol mấy viên 1 ngày", "uong paracetamol may vien 1 ngay", "tôi dị ứng gì vậy", "how many paracetamol a day"]  # fmt: skip


@pytest.mark.parametrize("asked", NOT_TOLD)
async def test_helpers_hear_what_was_told_and_nothing_that_was_asked(clinic: Clinic, asked: str) -> None:
    assert "ghi nhớ" not in (await clinic.ask(asked)).answer
    assert "Nói ngay với nhân viên" not in (await clinic.ask("khó thở quá, mặt tôi sưng to")).answer
    clinic.conversation = None
    await clinic.ask("tôi dị ứng penicillin")
    await clinic.ask(asked)
    told = await clinic.ask("khó thở quá, mặt tôi sưng to")
    assert "**dị ứng penicillin**" in told.answer


@pytest.mark.parametrize(
    ("told", "asked", "back", "fact"),
    [
        ("bé nhà tôi dị ứng cua", "di ung cua be la gi", "be khong di ung cua", "dị ứng cua"),
        ("tôi đang uống paracetamol", "toi dang uong thuoc gi", "toi khong uong paracetamol, xoa giup", "paracetamol"),
        ("tôi dị ứng penicillin", "tôi dị ứng gì", "tôi không dị ứng penicillin", "dị ứng penicillin"),
        ("em có thai 3 tháng", "tôi có thai mấy tháng rồi nhỉ", "tôi không có thai", "có thai 3 tháng"),
        ("I am allergic to latex", "what am I allergic to", "I'm not allergic to latex, delete it", "allergic to latex"),
    ],
)  # fmt: skip
async def test_what_is_noted_is_told_when_asked_and_dropped_when_taken_back(
    clinic: Clinic, told: str, asked: str, back: str, fact: str
) -> None:
    assert "115" not in (await clinic.ask(told)).answer
    assert fact in (await clinic.ask(asked)).answer
    dropped = (await clinic.ask(back)).answer
    assert fact in dropped
    assert "app dental forget" in dropped
    assert fact not in (await clinic.ask(asked)).answer


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("My mum takes {} and needs a molar out. Should she stop it first?", "remind me, what medicine did I say she was on?"),
        ("I'm on {}, can I have a tooth out?", "what did I say I take?"),
        ("my dad is on {}, can he get implants", "what's he taking again?"),
        ("em đang uống {}, niềng răng được không ạ", "hồi nãy em nói uống thuốc gì"),
        ("mẹ em đang uống {} có nhổ răng được không", "thuốc em nói lúc nãy là gì"),
        ("mẹ em uống {}, nhổ răng có phải ngưng không", "nhắc lại giúp em mẹ em uống thuốc gì"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("medicine", ["alendronate", "zemiplan"])
async def test_what_somebody_takes_is_told_again(
    clinic: Clinic, told: str, asked: str, medicine: str
) -> None:
    await clinic.ask(told.format(medicine))
    assert medicine in (await clinic.ask(asked)).answer


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("niềng răng mất bao lâu, gia bao nhieu", "một năm rưỡi"), ("giá niềng răng bao nhiêu, mất bao lâu", "một năm rưỡi"),
        ("nieng rang bao nhieu tien va mat bao lau", "một năm rưỡi"), ("nhổ răng khôn có đau không, giá bao nhiêu", "gây tê"),
        ("trám răng giá bao nhiêu, bền bao lâu", "nhiều năm"), ("how much are braces and how long do they take", "half to three years"),
    ],
)  # fmt: skip
async def test_what_is_asked_beside_a_price_is_answered_too(clinic: Clinic, asked: str, wanted: str) -> None:
    told = await clinic.ask(asked)
    assert "bảng giá" in told.answer or "have no prices" in told.answer
    assert wanted in told.answer


async def test_a_follow_up_that_the_last_notes_answer_is_answered_by_them(clinic: Clinic) -> None:
    await clinic.ask("Nhổ răng khôn xong nên ăn gì?")
    told = await clinic.ask("Bao lâu thì tôi được súc miệng nước muối?")
    assert "ngày thứ hai" in told.answer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kê cho tôi đơn amoxicillin 500mg", "không kê đơn"),
        ("ibuprofen đau răng uống bao nhiêu mg", "không nêu liều"),
        ("loét miệng 3 tuần không khỏi có phải ung thư không", "không chẩn đoán"),
        ("đặt lịch khám răng giúp tôi 9h sáng mai", "không đặt lịch"),
        ("nha khoa nào tốt ở quận 3", "không biết từng phòng khám"),
        ("implant 1 cái bao nhiêu tiền", "không có bảng giá"),
    ],
)
async def test_what_is_not_given_is_refused_for_the_right_reason(
    clinic: Clinic, text: str, reason: str
) -> None:
    assert reason in (await clinic.ask(text)).answer.replace("*", "")


@pytest.mark.parametrize(
    ("told", "seen", "asked", "says"),
    [
        ("nhổ răng xong máu chảy mãi không cầm, ướt hết gạc", "bác sĩ khâu xong rồi, ổn", "giờ đánh răng được chưa", "Từ ngày thứ hai"),
        ("nhổ răng xong máu chảy mãi không cầm, ướt hết gạc", "bác sĩ khâu xong rồi, ổn", "hút thuốc được chưa", "không hút thuốc"),
        ("con em té xe răng cửa văng ra ngoài", "nha sĩ cắm lại cho bé xong rồi, bé ổn", "bé ăn được chưa", "Ăn mềm"),
        ("con em té xe răng cửa văng ra ngoài", "nha sĩ cắm lại cho bé xong rồi, bé ổn", "giờ đánh răng được chưa", "không nói về"),
    ],
)  # fmt: skip
async def test_what_is_asked_after_an_emergency_is_of_what_happened_or_left_unsaid(
    clinic: Clinic, told: str, seen: str, asked: str, says: str
) -> None:
    assert (await clinic.ask(told, offline=True)).answer.startswith("🚨")
    still = (await clinic.ask(asked, offline=True)).answer
    assert still.startswith("🚨"), "while it goes on it is asked of the card"
    assert "Cách chải răng" not in still
    over = (await clinic.ask(seen, offline=True)).answer
    assert "115" not in over, "who was seen is not sent to be seen"
    assert "Cấp cứu ngay nếu dấu hiệu đó trở lại" in over
    after = (await clinic.ask(asked, offline=True)).answer
    assert says in after
    assert not after.startswith("🚨")
