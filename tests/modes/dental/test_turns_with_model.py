"""Turns of the dental adviser with a model: what it is asked and when, what its answer may hold, and what happens when it fails."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.modes.dental import PAGE, Clinic, WebDouble, clinic_at
from tests.support.ollama.double import OllamaDouble, Reply, Request
from troly.conversation.session import Session
from troly.plugin.events import Notice, Sources, StepFinished, Token
from troly.text.catalogue import LANGS, Lang
from troly_dental.emergency import Emergency, decided
from troly_dental.guard import advice, danger, judge
from troly_dental.guard.danger import NAMES
from troly_dental.memory.connection import open_memory
from troly_dental.notes import of_topics
from troly_dental.strings import say

CLEAR = "Nhổ răng khôn xong nên ăn gì?"
# As many as the last messages of a prompt: with one more, the first of them leaves.
TALK = ("Chải răng bao lâu thì đủ?", "Cạo vôi răng có đau không?", "Nghiến răng khi ngủ phải làm sao?")
SUMMARY = {"summary": "Đã khuyên ăn đồ mềm sau khi nhổ răng khôn."}


@cache
def grey() -> str:
    """A message that the rules leave open; which one that is may change with their word lists."""
    texts = ("cầu bị lung lay rồi", "nó cứ nhói lên từng cơn", "cái cầu này bị lung lay")
    return next(text for text in texts if not judge(text).dental)


def prompt_of(request: Request) -> str:
    return "\n".join(message["content"] for message in request.messages)


async def test_a_clear_case_asks_no_model_before_the_answer(clinic: Clinic, server: OllamaDouble) -> None:
    server.script("Ăn đồ mềm và nguội [1].")
    told = await clinic.ask(CLEAR)
    asked = [request.path for request in server.requests if request.path in ("/api/chat", "/api/embed")]
    assert asked == ["/api/chat"], "what stands in the next prompt itself is not summed up"
    assert f"Câu hỏi hiện tại: {CLEAR}" in server.chats[0].last_user
    assert told.done.calls == 1
    assert told.done.ms > 0
    assert told.state["guardrail"]["source"] == "rules"


async def test_the_summary_is_made_after_the_answer_is_shown(clinic: Clinic, server: OllamaDouble) -> None:
    for text in TALK:
        await clinic.ask(text, offline=True)
    server.script("Ăn đồ mềm [1].", SUMMARY)
    told = await clinic.ask(CLEAR)
    assert TALK[0] in prompt_of(server.chats[1]), "the exchange that leaves the last messages is summed up"
    last_token = max(at for at, event in enumerate(told.events) if isinstance(event, Token))
    steps = {event.node: at for at, event in enumerate(told.events) if isinstance(event, StepFinished)}
    assert last_token < steps["format"] < steps["save"]
    assert told.state["summary"] == SUMMARY["summary"]
    assert told.done.calls == 2
    assert "Đang" not in told.answer


async def test_the_answer_is_the_models_with_the_pages_it_was_given(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    server.script("Ăn đồ mềm và nguội [1].", SUMMARY)
    told = await clinic.ask(CLEAR)
    title = "Nhổ răng khôn: những điều cần biết"
    assert told.answer.startswith("Ăn đồ mềm và nguội [1].")
    assert told.state["formatted_response"].endswith(f"\n\nNguồn tham khảo:\n\n1. {title} (nhakhoa.example)")
    assert "Nguồn tham khảo" not in told.answer, "the screen lists the sources by themselves"
    shown = told.all(Sources)[0].items[0]
    assert (shown.title, shown.where, shown.url) == (title, "nhakhoa.example", PAGE["url"])
    assert told.done.source == "mixed"
    prompt = prompt_of(server.chats[0])
    assert f"Title: {title}\nContent: {PAGE['content']}\nLink: {PAGE['url']}" in prompt
    assert web.queries == [CLEAR]
    assert any(CLEAR.rstrip("?") in notice.message for notice in told.all(Notice))


async def test_the_parts_of_the_prompt_stand_in_the_documents_order(
    clinic: Clinic, server: OllamaDouble
) -> None:
    for text in ("Tôi dị ứng penicillin. Nhổ răng khôn xong nên ăn gì?", *TALK[1:]):
        await clinic.ask(text, offline=True)
    server.script("Ăn cháo [1].", SUMMARY, "Được, sau 24 giờ.", SUMMARY)
    await clinic.ask(CLEAR)
    await clinic.ask("thế còn uống cà phê thì sao?")
    request = server.chats[2]
    prompt = prompt_of(request)
    summary = f"\n\nTóm tắt cuộc trò chuyện trước:\n{SUMMARY['summary']}\n"
    parts = [
        "chuyên gia tư vấn nha khoa",
        "Người hỏi (vai trò): staff.",
        summary,
        "penicillin",
        "Câu hỏi hiện tại:",
        "Kết quả tìm kiếm:",
        "Cách trình bày:",
    ]
    places = [prompt.index(part) for part in parts]
    assert places == sorted(places)
    roles = [message["role"] for message in request.messages]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    before = request.messages[6]["content"]
    assert before.startswith("Ăn cháo."), "the numbers of sources are those of this turn"
    assert "\n- " in before
    assert "[1]" not in before


async def test_the_prompt_has_what_a_person_would_need_to_answer(
    own_home: Path, server: OllamaDouble
) -> None:
    with clinic_at(own_home, OLLAMA_HOST=server.url) as clinic:
        clinic.profile = replace(clinic.profile, role_told=False)
        server.script("Ăn cháo nguội.", "Từ ngày thứ hai.")
        await clinic.ask("Tôi dị ứng penicillin, aspirin làm tôi nổi mẩn. Nhổ răng khôn xong nên ăn gì?")
        await clinic.ask("giờ đánh răng được chưa")
        prompt = prompt_of(server.chats[1])
        await clinic.services.llm.aclose()
    [note] = of_topics(["after-extraction"], "vi")
    assert "Người hỏi (vai trò): -." in prompt, "nobody said a role"
    assert re.search(r"Hôm nay là \d{1,2}/\d{1,2}/\d{4}", prompt)
    assert prompt.index("Vai trò:") > len("system: "), "the persona stands before it"
    for told in ("Nhổ răng khôn xong nên ăn gì?", "Ăn cháo nguội.", "giờ đánh răng được chưa"):
        assert told in prompt
    for fact in ("dị ứng: penicillin", "dị ứng: aspirin"):
        assert fact in prompt
    for part in (note.title, note.date, note.source, note.text.splitlines()[-1]):
        assert part in prompt


async def test_what_one_does_is_no_illness_and_each_sign_of_danger_stands_once(
    clinic: Clinic, server: OllamaDouble
) -> None:
    server.script("Nên chờ [1].", SUMMARY)
    await clinic.ask("Em hút thuốc lá và bị tiểu đường, nhổ răng khôn có sao không?")
    prompt = prompt_of(server.chats[0])
    assert "- thói quen: hút thuốc lá" in prompt
    assert "- bệnh: tiểu đường" in prompt
    for name in NAMES:
        assert prompt.count(f"{name} ({say(f'guard.sign.{name}', 'vi')})") == 1
        assert len(re.findall(rf"\b{name}\b", prompt)) == 1


async def test_the_english_prompt_is_english(clinic: Clinic, server: OllamaDouble) -> None:
    server.script("Eat soft food [1].", SUMMARY)
    told = await clinic.ask("What should I eat after a wisdom tooth is removed?")
    assert "Current question: What should I eat" in server.chats[0].last_user
    assert "\n\nReferences:\n\n1. " in told.state["formatted_response"]


async def test_nothing_is_searched_before_the_guard_has_decided(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    def guard(_request: Request) -> str:
        assert web.queries == []
        return "YES"

    server.script(guard, "Răng có thể nhạy cảm [1].")
    told = await clinic.ask(grey())
    assert told.state["guardrail"]["source"] == "model"
    assert server.chats[0].model.startswith("qwen2.5:3b-instruct")
    assert len(web.queries) == 1
    assert told.done.calls == 2


async def test_the_guards_no_ends_the_turn_and_nothing_is_searched_or_kept(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    server.script("NO")
    told = await clinic.ask(grey())
    assert told.nodes[-1] == "rejected"
    assert told.all(Sources) == []
    assert len(server.chats) == 1
    assert web.queries == []
    assert clinic.conversation
    async with open_memory(clinic.services, clinic.profile) as memory:
        assert await memory.get_all_messages(clinic.conversation) == []


async def test_a_follow_up_in_an_emergency_is_the_models_with_the_card_before_it(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    server.script("Không, đừng uống thêm; đi cấp cứu ngay.")
    await clinic.ask("Tôi uống nhầm 15 viên paracetamol vì đau răng")
    told = await clinic.ask("uống sữa giải độc được không")
    assert told.answer.startswith("🚨")
    assert "đừng uống thêm; đi cấp cứu ngay" in told.answer
    assert "đang là cấp cứu" in prompt_of(server.chats[0])
    assert "Title: Uống quá liều thuốc giảm đau" in prompt_of(server.chats[0]), "looked up by its sign"
    assert web.queries == []


async def test_a_model_in_an_emergency_says_nothing_against_its_card(
    clinic: Clinic, server: OllamaDouble
) -> None:
    server.script("Chườm nóng và chờ vài hôm là đỡ, không cần đi khám. Nằm kê cao đầu.")
    await clinic.ask("mặt em sưng to một bên vì răng sâu")
    told = await clinic.ask("giờ em làm gì cho bớt")
    assert told.answer.startswith("🚨")
    assert "Nằm kê cao đầu" in told.answer
    assert "Chườm nóng và chờ" not in told.answer


DRAFTS = {
    "conflict": "Bạn nên uống amoxicillin cho đỡ.",
    "dose": "Hãy uống ibuprofen 400 mg mỗi 8 giờ.",
    "source": "Súc miệng nước chanh [9].",
}


async def test_a_stated_allergy_is_in_the_prompt_and_what_speaks_against_it_is_not_shown(
    clinic: Clinic, server: OllamaDouble
) -> None:
    server.script("Tôi nhớ rồi.", "Bạn nên uống amoxicillin 500 mg mỗi 8 giờ [1].", "Tôi không chọn kháng sinh; hãy đi khám.")  # fmt: skip
    await clinic.ask("Răng khôn đau, tôi dị ứng penicillin")
    told = await clinic.ask("vậy uống kháng sinh gì cho đỡ đau răng")
    assert "dị ứng: penicillin" in prompt_of(server.chats[1])
    assert told.answer.startswith("Tôi không chọn kháng sinh; hãy đi khám.")
    assert told.done.calls == 2


@pytest.mark.parametrize("draft", DRAFTS.values())
async def test_a_refused_draft_goes_back_once_with_the_reason(
    clinic: Clinic, server: OllamaDouble, draft: str
) -> None:
    server.script(f"Chườm lạnh [1]. {draft} Ăn đồ mềm.", "Ăn đồ mềm và nguội [1].")
    told = await clinic.ask("Tôi dị ứng penicillin. Nhổ răng khôn xong nên làm gì?")
    assert told.answer.startswith("Chườm lạnh [1]. Ăn đồ mềm và nguội [1].")
    assert draft not in told.answer
    again = server.chats[1].messages
    assert again[-2] == {"role": "assistant", "content": f"Chườm lạnh [1]. {draft}"}
    assert draft in again[-1]["content"]
    assert "Lý do:" in again[-1]["content"]
    assert told.done.calls == 2


@pytest.mark.parametrize("draft", DRAFTS.values())
async def test_a_draft_that_is_refused_twice_gives_the_reason_and_keeps_the_advice_to_be_seen(
    clinic: Clinic, server: OllamaDouble, draft: str
) -> None:
    cared = f"Hãy đến bệnh viện ngay, {draft}"
    server.script(f"Chườm lạnh [1]. {draft}", f"{cared} Ăn đồ mềm.")
    told = await clinic.ask("Tôi dị ứng penicillin. Nhổ răng khôn xong nên làm gì?")
    assert draft not in told.answer
    assert "Hãy đến bệnh viện ngay." in told.answer
    assert "Ăn đồ mềm." in told.answer
    assert told.done.calls == 2


SEEN = "Bạn nên đến nha sĩ trong hôm nay, và gọi 115 nếu sưng lan xuống cổ."
ALLERGIC = "Tôi dị ứng penicillin. Nhổ răng khôn xong nên làm gì?"


@pytest.mark.parametrize("drafts", [(f"Uống Augmentin. {SEEN}", SEEN), (f"Uống Augmentin. {SEEN}", "Uống Augmentin."), ("Uống amoxicillin.", f"Uống Augmentin. {SEEN}"), (f"Uống amoxicillin. {SEEN}", Reply(fault="server_error"))])  # fmt: skip
async def test_however_a_draft_with_a_refused_medicine_ends_the_person_is_sent_to_be_seen(
    clinic: Clinic, server: OllamaDouble, drafts: tuple[str | Reply, str | Reply]
) -> None:
    server.script(*drafts)
    told = await clinic.ask(ALLERGIC)
    assert (SEEN if SEEN in str(drafts[1]) else "Hãy đi khám") in told.answer
    assert told.answer.count("ugmentin") <= 1
    assert ("⚠" in told.answer) is (drafts[1] != SEEN)


async def test_where_the_guard_asked_a_model_there_is_one_draft(clinic: Clinic, server: OllamaDouble) -> None:
    server.script("YES", f"Chườm lạnh [1]. {next(iter(DRAFTS.values()))} {SEEN}")
    told = await clinic.ask(grey())
    assert SEEN in told.answer
    assert told.done.calls == len(server.chats) == 2


@pytest.mark.parametrize(
    ("asked", "calls"),
    [("răng tôi đau, uống amoxicillin được không", 2), ("bé uống amoxicillin được không", 3)],
)
async def test_the_allergy_of_a_child_speaks_against_what_the_child_is_given(
    clinic: Clinic, server: OllamaDouble, asked: str, calls: int
) -> None:
    server.script(
        "Tôi nhớ rồi.", "Amoxicillin là kháng sinh kê đơn, uống theo đơn nha sĩ.", "Hãy hỏi nha sĩ."
    )
    await clinic.ask("con tôi dị ứng amoxicillin, răng bé bị sâu")
    told = await clinic.ask(asked)
    assert ("Amoxicillin là" in told.answer) is (calls == 2)
    assert len(server.chats) == calls


async def test_a_diagnosis_is_told_to_be_none(clinic: Clinic, server: OllamaDouble) -> None:
    server.script("Bạn bị viêm ổ răng khô. Ăn đồ mềm [1].", SUMMARY)
    told = await clinic.ask(CLEAR)
    assert "không phải chẩn đoán" in told.answer
    assert "Ăn đồ mềm [1]." in told.answer
    assert [notice.level for notice in told.all(Notice)] == ["info"]


@pytest.mark.parametrize("fault", ["server_error", "error_line", "cut", "empty"])
async def test_a_failed_model_gives_an_error_card_and_the_notes(
    clinic: Clinic, server: OllamaDouble, fault: str
) -> None:
    server.script(Reply("Ăn đồ mềm và nguội trong hai ngày.", fault=fault))  # type: ignore[arg-type]
    told = await clinic.ask(CLEAR)
    assert "error" in [notice.level for notice in told.all(Notice)]
    assert "ghi chú nha khoa" in told.answer or PAGE["content"] in told.answer
    assert "\n\nNguồn tham khảo:\n\n1. " in told.state["formatted_response"]
    assert told.done.message_type == "answer"


async def test_a_server_that_is_down_leaves_rules_notes_and_web(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    server.down()
    told = await clinic.ask(CLEAR)
    assert told.done.source == "rules"
    assert told.done.calls == 0
    assert web.queries == [CLEAR]
    assert PAGE["content"] in told.answer


async def test_stopping_while_the_summary_is_made_keeps_the_answer_and_a_summary_of_the_rules(
    clinic: Clinic, server: OllamaDouble
) -> None:
    from troly.conversation.turn import TurnRequest, run_turn

    for text in TALK:
        await clinic.ask(text, offline=True)
    server.script("Ăn đồ mềm [1].", Reply("{}", fault="hang"))
    request = TurnRequest("dental", CLEAR, clinic.conversation)
    turn = run_turn(Session(clinic.services, clinic.registry, clinic.profile), request)
    async for event in turn.events():
        if isinstance(event, StepFinished) and event.node == "format":
            from tests.support.process.waiting import until

            await until(lambda: len(server.chats) == 2)
            turn.cancel()
    async with open_memory(clinic.services, clinic.profile) as memory:
        said = await memory.get_all_messages(turn.conversation_id)
        summary = await memory.get_summary(turn.conversation_id)
    assert [one["role"] for one in said][-2:] == ["user", "assistant"]
    assert summary.startswith("Hỏi: ")


# A blow of which the classifier is in doubt; what it is sure of may change when it learns again.
UNSURE = next(
    text
    for text in (
        "va cằm vào bàn, cằm bầm",
        "té xe mẻ răng cửa, lợi chảy máu chút",
        "va mặt vào cột, môi bầm, răng mẻ tí",
    )
    if (found := danger(text)) is not None and found.name == "trauma" and not found.sure
)


async def test_a_sign_that_may_be_none_is_the_models_to_judge(clinic: Clinic, server: OllamaDouble) -> None:
    assert (found := danger(UNSURE)) is not None
    assert not found.sure
    server.script("URGENT: none\nNên đi khám sớm.", SUMMARY)
    told = await clinic.ask(UNSURE)
    assert told.answer.startswith("Nên đi khám sớm.")
    assert "URGENT" not in told.answer
    assert "🚨" not in told.answer
    assert told.state["red_flag"] is None


@pytest.mark.parametrize("first_line", ["URGENT: trauma\n", "", "**URGENT:** trauma\n\n", "Urgent: trauma. ", "<think>URGENT: none. Is it?</think>\n\nURGENT: trauma\n"])  # fmt: skip
async def test_a_card_comes_by_the_models_word_and_by_the_rules_where_it_says_none(
    clinic: Clinic, server: OllamaDouble, first_line: str
) -> None:
    server.script(f"{first_line}Đi khám ngay hôm nay.", SUMMARY)
    told = await clinic.ask(UNSURE)
    assert told.answer.startswith("🚨")
    assert "Đi khám ngay hôm nay." in told.answer
    assert "rgent" not in told.answer
    assert "think" not in told.answer
    assert told.state["red_flag"] == "trauma"


async def test_the_model_raises_what_no_rule_sees(clinic: Clinic, server: OllamaDouble) -> None:
    server.script("Bạn nên nghỉ ngơi.", "URGENT: poisoning\nĐi cấp cứu ngay.", SUMMARY)
    await clinic.ask("Đau răng nên em uống thuốc đều từ hôm qua")
    text = "giờ em thấy mệt"
    assert danger(text) is None
    told = await clinic.ask(text)
    assert told.answer.startswith("🚨")
    assert told.state["red_flag"] == "poisoning"
    assert told.done.calls <= 2


@pytest.mark.parametrize(
    ("line", "over"), [("over", True), ("knocked_out", False), ("none", False), ("", False)]
)
async def test_an_emergency_ends_by_the_models_word_not_by_a_guess(
    clinic: Clinic, server: OllamaDouble, line: str, over: bool
) -> None:
    await clinic.ask("con em té xe văng mất cái răng cửa", offline=True)
    server.script(f"URGENT: {line}\nRõ rồi ạ." if line else "Rõ rồi ạ.", "Răng sữa không cắm lại.")
    told = await clinic.ask("đỡ rồi ạ")
    assert ("🚨" not in told.answer) is over
    assert "Rõ rồi ạ." in told.answer
    told = await clinic.ask("giờ phải làm sao")
    assert ("🚨" not in told.answer) is over


async def test_only_the_results_that_are_cited_are_listed(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    web.rows = [{**PAGE, "title": f"Trang {n}", "url": f"https://a{n}.example/"} for n in (1, 2, 3)]
    server.script("Ăn đồ mềm và nguội [2].", SUMMARY)
    told = await clinic.ask(CLEAR)
    assert [one.number for one in told.all(Sources)[0].items] == [2]
    assert told.state["formatted_response"].endswith("\n\nNguồn tham khảo:\n\n2. Trang 2 (a2.example)")


async def test_where_nothing_is_cited_pages_are_listed_as_the_documents_say_and_notes_are_not(
    clinic: Clinic, server: OllamaDouble, web: WebDouble
) -> None:
    """003-25, 003-26: the section is made of the links of the search."""
    server.script("Ăn đồ mềm và nguội.", SUMMARY, "Chải hai phút.", SUMMARY)
    told = await clinic.ask(CLEAR)
    assert [one.number for one in told.all(Sources)[0].items] == [1]
    web.rows = []
    told = await clinic.ask("Chải răng bao lâu thì đủ?")
    assert "[1] Title:" in server.chats[-1].last_user, "notes were there"
    assert told.all(Sources) == []
    assert "Nguồn tham khảo" not in told.state["formatted_response"]


async def test_the_card_changes_to_a_better_sign_of_the_model_and_never_to_none(
    clinic: Clinic, server: OllamaDouble
) -> None:
    await clinic.ask("con em té xe văng mất cái răng cửa", offline=True)
    server.script("URGENT: unconscious\nGọi 115 ngay.", "URGENT: none\nVẫn phải đi.")
    told = await clinic.ask("bé cứ lơ mơ hoài")
    assert told.answer.startswith(advice("unconscious", "vi").strip())
    assert told.state["red_flag"] == "unconscious"
    told = await clinic.ask("giờ phải làm sao")
    assert told.answer.startswith("🚨")
    assert "(unconscious)" in prompt_of(server.chats[-1])


@given(st.sampled_from(NAMES), st.sampled_from([*NAMES, "none", ""]), st.sampled_from(LANGS))
def test_an_emergency_has_a_card_until_it_is_over(present: str, sign: str, lang: Lang) -> None:
    now = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
    card = decided(sign, None, Emergency(present, now), ["giờ phải làm sao"], (now, lang))
    assert card is not None
    assert card.emergency is not None
    assert card.emergency.name == (sign if sign in NAMES else present)
    assert decided("over", None, Emergency(present, now), [""], (now, lang)) is None


async def test_helpers_hear_of_the_one_who_is_in_danger_only(clinic: Clinic, server: OllamaDouble) -> None:
    await clinic.ask("tôi bị máu khó đông, đang uống warfarin", offline=True)
    await clinic.ask("con trai em dị ứng penicillin", offline=True)
    told = await clinic.ask("bé nhà em té xe văng mất cái răng cửa")
    assert "penicillin" in told.answer
    assert "warfarin" not in told.answer
    assert "đông" not in told.answer.split("Nói ngay")[1]


@pytest.mark.parametrize("wanted", ["", "gpt-oss:latest"])
async def test_the_documents_model_writes_over_the_generate_endpoint(
    own_home: Path, server: OllamaDouble, wanted: str
) -> None:
    """By the settings as in the document (003-24): its model or the one of a request, streamed and returned whole."""
    server.script("Ăn đồ mềm và nguội [1].")
    with clinic_at(
        own_home,
        OLLAMA_HOST=server.url,
        TROLY_MODELS__CHAT="qwen2.5:7b-instruct",
        TROLY_OLLAMA__ENDPOINT="generate",
    ) as clinic:
        told = await clinic.ask(CLEAR, **({"model": wanted} if wanted else {}))
        limit = clinic.services.settings.ollama.first_token_timeout
        await clinic.services.llm.aclose()
    [asked] = [one for one in server.requests if one.path == "/api/generate"]
    assert asked.model == (wanted or "qwen2.5:7b-instruct")
    assert asked.body["stream"] is True
    assert CLEAR in asked.body["prompt"]
    assert limit == 180
    assert "Ăn đồ mềm và nguội" in told.answer
    assert "Ăn đồ mềm và nguội" in told.state["formatted_response"]
    assert server.chats == []
