"""The rental assistant with a model: it decides what is meant; its SQL is guarded, its rows examined, its figures checked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.modes.desk import Told
from tests.support.ollama.double import OllamaDouble, Reply
from tests.support.rental.desk import RentalDesk, rental_desk
from troly.llm.source import THINKING_TOKENS
from troly.plugin.events import Chart, ItemList, StepFinished, Token
from troly.text.numbers import format_number
from troly_rental.agents.conversation import rows_text
from troly_rental.agents.orchestrator import OrchestratorReply
from troly_rental.agents.sql_generation import SqlReply
from troly_rental.reuse.store import ReuseStore

# Not all of it is in the rules' words, so a model is asked what is meant.
QUESTION = "phòng hợp túi tiền sinh viên năm nhất ở Gò Vấp"
CERTAIN = "phòng dưới 3 triệu ở Gò Vấp"
SORTED: dict[str, Any] = {
    "requestType": "QUERY",
    "readyForSql": True,
    "intentModeHint": "LIST",
    "entityHint": "room",
    "filtersHint": "district = Gò Vấp; price < 3000000",
    "message": "Để tôi xem phòng dưới 3 triệu.",
}
GOOD_SQL = (
    "SELECT rooms.id, rooms.title, rooms.path, rooms.price, rooms.area, districts.name AS district FROM rooms "
    "JOIN districts ON districts.id = rooms.district_id "
    "WHERE districts.name = 'Gò Vấp' AND rooms.price < 3000000 ORDER BY rooms.price, rooms.id LIMIT 5"
)
FAILED = GOOD_SQL.replace("rooms.price <", "rooms.cost <")
FOUND = "Có vài phòng dưới 3 triệu ở Gò Vấp."


def sql(text: str) -> dict[str, str]:
    return {"sql": text}


@pytest.fixture(scope="module")
def double() -> Iterator[OllamaDouble]:
    with OllamaDouble() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(home: Path, double: OllamaDouble) -> AsyncIterator[RentalDesk]:
    async with rental_desk(home, OLLAMA_HOST=double.url, TROLY_BUDGET__CALLS="12") as desk:
        yield desk


@pytest.fixture
def server(double: OllamaDouble) -> OllamaDouble:
    double.forget()
    return double


@pytest.fixture
def desk(opened: RentalDesk) -> RentalDesk:
    """Nobody in particular at the module's own desk; what an earlier test left for reuse is forgotten."""
    forget(opened)
    return RentalDesk(opened.services, opened.registry, "nobody")


def forget(desk: RentalDesk) -> None:
    kept = ReuseStore(desk.services.state)
    for entry in kept.list(None):
        kept.remove(entry.number)


def chats(server: OllamaDouble) -> list[dict[str, Any]]:
    return [one.body for one in server.requests if one.path == "/api/chat"]


def prompt(body: dict[str, Any]) -> str:
    return "\n".join(message["content"] for message in body["messages"])


async def test_the_models_query_is_run_validated_and_stored_and_reused_once_it_is_confirmed(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """002-14, 002-29: that the model which wrote it tells its rows confirms nothing."""
    server.script(SORTED, sql(GOOD_SQL), FOUND, SORTED, sql(GOOD_SQL), FOUND, SORTED, FOUND)
    told = await desk.ask(QUESTION)
    assert told.answer.startswith(FOUND)
    assert told.state["isValid"] is True
    assert told.state["attempts"] == 1
    assert all(row["district"] == "Gò Vấp" and row["price"] < 3_000_000 for row in told.state["results"])
    assert told.all(ItemList)[0].items
    kept = ReuseStore(desk.services.state)
    assert [(entry.question, entry.confirmed) for entry in kept.list(None)] == [(QUESTION, False)]
    assert len(chats(server)) == 3
    desk.leave()
    again = await desk.ask(QUESTION)
    assert len(chats(server)) == 6
    assert not any(notice.title.startswith("Dùng lại") for notice in again.notices)
    assert not any("A confirmed example" in prompt(body) for body in chats(server))
    kept.confirm(kept.list(None)[0].number)
    desk.leave()
    reused = await desk.ask(QUESTION)
    assert any(notice.title.startswith("Dùng lại câu SQL đã lưu") for notice in reused.notices)
    assert reused.state["results"] == told.state["results"]
    assert len(chats(server)) == 8


@pytest.mark.parametrize("fails", [False, True])
async def test_the_sort_may_bring_its_query(desk: RentalDesk, server: OllamaDouble, fails: bool) -> None:
    """Two calls a turn; a query that does not do is asked for anew."""
    draft = "SELECT id FROM nowhere" if fails else GOOD_SQL
    sort = {**SORTED, "sql": draft}
    server.script(sort, *([sql(GOOD_SQL)] if fails else []), FOUND)
    told = await desk.ask(QUESTION)
    assert told.answer.startswith(FOUND)
    assert all(row["district"] == "Gò Vấp" and row["price"] < 3_000_000 for row in told.state["results"])
    assert len(chats(server)) == (3 if fails else 2)


async def test_a_confirmed_query_is_not_reused_for_what_goes_on(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """The same words mean something else after another question."""
    server.script(SORTED, sql(GOOD_SQL), FOUND, "Đây ạ.", SORTED, sql(GOOD_SQL), FOUND)
    await desk.ask("cái nào hợp với mình nhất")
    kept = ReuseStore(desk.services.state)
    kept.confirm(kept.list(None)[0].number)
    desk.leave()
    await desk.ask("phòng dưới 5 triệu ở Tân Bình")
    told = await desk.ask("cái nào hợp với mình nhất")
    assert not any(notice.title.startswith("Dùng lại") for notice in told.notices)
    assert len(chats(server)) == 7


EMPTY_SQL = GOOD_SQL.replace(
    "rooms.price < 3000000", "rooms.title LIKE '%phòng tầng hầm%' AND rooms.price < 3000000"
)


async def test_without_rows_nothing_that_the_model_claims_is_shown(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """The condition that left nothing is named instead, and the query is not taken for a valid one."""
    claim = "Em tìm được mấy phòng tầng hầm như anh chị hỏi. Phòng nào cũng đang trống."
    server.script(SORTED, sql(EMPTY_SQL), claim)
    told = await desk.ask(QUESTION)
    assert told.answer.startswith("Không tìm thấy dòng nào")
    assert "phòng tầng hầm”" in told.answer
    assert "Em tìm được" not in told.answer
    assert told.state["isValid"] is None
    assert told.state["results"] == []
    assert ReuseStore(desk.services.state).list(None) == []


async def test_without_rows_the_first_sentence_that_says_so_is_told(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    said = "Không có phòng tầng hầm nào dưới 3 triệu ở Gò Vấp."
    server.script(SORTED, sql(EMPTY_SQL), f"{said} Nhưng phòng nào cũng rất đẹp.")
    told = await desk.ask(QUESTION)
    assert told.answer.startswith(f"{said} Bỏ điều kiện")
    assert "rất đẹp" not in told.answer
    assert told.state["isValid"] is None
    assert ReuseStore(desk.services.state).list(None) == []


@pytest.mark.parametrize("before", ["", "Dạ em kiểm tra rồi ạ. "])
@pytest.mark.parametrize(
    "after", ["Bạn thử nâng mức giá lên nhé.", "Bạn có muốn tìm ở khu khác không?", "Hãy nới khu vực ra."]
)
async def test_without_rows_what_asks_or_advises_stays(
    desk: RentalDesk, server: OllamaDouble, before: str, after: str
) -> None:
    """Of a place that was not asked about nothing is known."""
    said = "Không có phòng tầng hầm nào dưới 3 triệu ở Gò Vấp."
    server.script(SORTED, sql(EMPTY_SQL), f"{before}{said} {after} Bạn thử Quận 12, ở đó nhiều lắm.")
    told = await desk.ask(QUESTION)
    assert told.answer.startswith(f"{said} {after} Bỏ điều kiện")
    assert "Quận 12" not in told.answer


async def test_a_mixed_message_may_be_answered_in_either_language_and_the_decided_one_is_told(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    said = "The cheapest studio in Cầu Giấy comes first in the list."
    server.script(said)
    told = await desk.ask("find me the cheapest studio ở Cầu Giấy")
    assert told.answer.startswith(said)
    assert "Language: vi" in prompt(chats(server)[-1])


async def test_a_query_without_rows_may_still_be_sent_back(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script(SORTED, sql(EMPTY_SQL), "MISSED: không ai hỏi tầng hầm", sql(GOOD_SQL), FOUND)
    told = await desk.ask(QUESTION)
    assert told.answer.startswith(FOUND)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("我为您找到了五间房，请查看列表。", "tiếng Việt"),
        ("Вот комнаты, которые вы искали.", "tiếng Việt"),
        ("The weather is lovely today and bananas are yellow.", "tiếng Việt"),
        ("asdf qwer zxcv lorem ipsum dolor sit amet.", "tiếng Việt"),
        ("Có phòng giá 1.234.567 VND.", "con số"),
        ("rất tuyệt vời " * 300, "kết thúc"),
        ('{"foo": 1}', "không đúng dạng"),
        ('[{"id": 1}, {"id": 2}]', "không đúng dạng"),
        ("Có 987 phòng giá 1.234.567 VND. Anh chị xem giúp em nhé ạ.", "con số"),
    ],
)
async def test_a_telling_that_cannot_be_shown_gives_way_to_codes_with_one_line_why(
    desk: RentalDesk, server: OllamaDouble, said: str, why: str
) -> None:
    server.script(SORTED, sql(GOOD_SQL), said)
    told = await desk.ask(QUESTION)
    assert told.answer.startswith("Phòng ở Gò Vấp")
    lines = [one.title for one in told.notices if one.title.startswith("Không dùng câu trả lời của model")]
    assert len(lines) == 1
    assert why in lines[0].replace("có số không", "con số không")
    assert told.state["isValid"] is None
    assert ReuseStore(desk.services.state).list(None) == []


async def test_an_answer_in_english_is_shown_where_english_was_asked(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    said = "Here are some rooms that suit a student's purse."
    server.script(SORTED, sql(GOOD_SQL), said, SORTED, sql(GOOD_SQL), "Đây là mấy phòng hợp với bạn nhé.")
    asked = "which rooms would suit a first year student in Gò Vấp"
    assert (await desk.ask(asked)).answer.startswith(said)
    desk.leave()
    told = await desk.ask(asked)
    assert "mấy phòng" not in told.answer
    assert any("it is not in English" in one.title for one in told.notices)


@pytest.mark.parametrize("said", ["tôi không biết JSON là gì", {"foo": 1, "bar": [2]}])
async def test_a_request_that_cannot_be_sorted_is_not_called_off_topic(
    desk: RentalDesk, server: OllamaDouble, said: Any
) -> None:
    server.script(said, said)
    told = await desk.ask("nơi nào yên ắng cho bà bầu vậy")
    assert "chỉ giúp được" not in told.answer
    assert told.state["kind"] == "CONTROL"
    assert any("không đúng dạng" in one.title for one in told.notices)
    assert told.done.metadata["answered"] is False


async def test_a_query_that_finds_no_end_is_told_so(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script(SORTED, Reply('{"sql": "SELECT ', fault="deaf"))
    told = await desk.ask(QUESTION)
    assert "không chịu kết thúc" in told.answer
    assert "Hãy hỏi lại" in told.answer


async def test_prompts_hold_what_was_wanted_six_turns_ago(desk: RentalDesk, server: OllamaDouble) -> None:
    """002-05: as much of the last twenty messages as a short prompt has room for."""
    turn = (SORTED, sql(GOOD_SQL), "Có vài phòng dưới 3 triệu ở Gò Vấp, mời bạn xem danh sách bên dưới nhé.")
    server.script(*turn * 7)
    desk.become("lan")
    await desk.ask("tìm phòng có sân để ô tô ở quận 10 nhé")
    for text in (
        "cái nào trong đó hợp với người nuôi két sắt",
        "có cái nào gần trường không",
        "thế loại rộng hơn chút thì sao nhỉ",
        "còn chỗ nào yên tĩnh hơn mà gần chợ không",
        "vậy tầm đó mà mới xây thì có không",
        "rốt cuộc chỗ nào hợp nhất với mình",
    ):
        await desk.ask(text)
    sort, write, _ = (prompt(one) for one in chats(server)[-3:])
    for text in (sort, write):
        said = text.partition("Conversation:")[2]
        assert "user: tìm phòng có sân để ô tô ở quận 10 nhé" in said
        assert said.count("user: ") == 6
        assert said.count("assistant: Có vài phòng") >= 2
        assert "Xin chào" not in said
    assert all(len(prompt(one)) <= 7_000 for one in chats(server))


@pytest.mark.parametrize(
    ("question", "kind"),
    [("vẽ {} về phòng hợp túi tiền sinh viên", "bar"), ("vẽ {} về phòng hợp túi tiền", "share")],
)
async def test_the_kind_of_chart_is_the_persons_or_the_models(
    desk: RentalDesk, server: OllamaDouble, question: str, kind: str
) -> None:
    counted = "SELECT room_type, count(*) AS count FROM rooms WHERE status = 'available' GROUP BY room_type ORDER BY count DESC"
    sorted_ = {**SORTED, "intentModeHint": "CHART", "chartKind": "share"}
    server.script(sorted_, sql(counted), "Đây là biểu đồ.")
    named = "biểu đồ cột" if kind == "bar" else "biểu đồ"
    told = await desk.ask(question.format(named))
    assert [one.kind for one in told.all(Chart)] == [kind]


async def test_a_pie_is_drawn_without_a_models_word_for_it(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script("Đây là biểu đồ.")
    told = await desk.ask("biểu đồ tròn số phòng theo loại phòng")
    assert [one.kind for one in told.all(Chart)] == ["share"]


async def test_people_are_no_rooms(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script(SORTED, sql("SELECT users.id, users.name AS title, users.phone FROM users"), "Đây ạ.")
    desk.become("minh")
    told = await desk.ask("cho mình xem hồ sơ lưu trong này về mình với")
    assert told.state["results"]
    assert [item["path"] for item in told.state["payload"]["list"]["items"]] == [""]
    assert told.all(ItemList)[0].title.startswith("Người dùng")


async def test_a_cheap_price_of_electricity_is_no_cheap_rent(desk: RentalDesk, server: OllamaDouble) -> None:
    by_power = GOOD_SQL.replace("ORDER BY rooms.price", "ORDER BY rooms.electricity_price")
    server.script(SORTED, sql(by_power), "Đây là các phòng ở Quận 7.")
    told = await desk.ask("tiền điện rẻ ở quận 7")
    assert "giá thuê từ thấp" not in told.answer


async def test_asking_whether_a_rent_may_be_lowered_is_the_models(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    talk = {
        **SORTED,
        "requestType": "GENERAL_CHAT",
        "readyForSql": False,
        "message": "Dữ liệu không ghi ai chịu bớt giá.",
    }
    server.script(talk)
    told = await desk.ask("có chỗ nào chịu giảm giá phòng không")
    assert told.answer == talk["message"]


async def test_a_certain_question_costs_one_call(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script("Tôi tìm được mấy phòng dưới 3 triệu ở Gò Vấp.")
    told = await desk.ask(CERTAIN)
    assert told.answer.startswith("Tôi tìm được mấy phòng")
    assert all(row["price"] < 3_000_000 for row in told.state["results"])
    assert len(chats(server)) == 1


async def test_no_reading_vetoes_the_models_query(desk: RentalDesk, server: OllamaDouble) -> None:
    """The reading knows only the place; the model's conditions stand."""
    query = GOOD_SQL.replace("3000000", "2500000")
    server.script(SORTED, sql(query), "Đây là các phòng.")
    told = await desk.ask(QUESTION)
    assert told.state["attempts"] == 1
    assert told.state["results"]
    assert all(row["price"] < 2_500_000 for row in told.state["results"])


async def test_what_the_model_is_told(desk: RentalDesk, server: OllamaDouble) -> None:
    """002-05, 002-11, 002-13, 002-24: role, day, conversation, what was shown, the request as sorted, codes with names."""
    server.script("Đây ạ.", SORTED, sql(GOOD_SQL), FOUND)
    desk.become("minh")
    first = await desk.ask(CERTAIN)
    await desk.ask("cái nào trong đó hợp với nhóm bạn thân của mình")
    _, sort, write, check = chats(server)
    for body in (sort, write, check):
        text = prompt(body)
        assert "TENANT" in text
        assert f"user: {CERTAIN}" in text
        assert str(first.state["results"][0]["id"]) in text
        assert "Today: 20" in text
    text = prompt(write)
    assert "air_conditioner máy lạnh" in text
    assert "mini_apartment căn hộ mini" in text
    assert SORTED["filtersHint"] in text
    assert "is_mine" in text
    assert SORTED["filtersHint"] in prompt(check)
    assert "of them here" in prompt(check)


LONG_SQL = (
    "SELECT rooms.id, rooms.title, rooms.path, rooms.price, rooms.area, districts.name AS district FROM rooms "
    "JOIN districts ON districts.id = rooms.district_id LEFT JOIN cities ON cities.id = districts.city_id "
    "WHERE rooms.status = 'available' AND rooms.room_type = 'room' AND cities.name = 'Hồ Chí Minh' AND NOT EXISTS (SELECT 1 "
    "FROM room_amenities WHERE room_id = rooms.id AND amenity_id = 'mezzanine') AND districts.name IN ('Gò Vấp', 'Tân Bình') "
    "AND rooms.price BETWEEN 1500000 AND 4500000 AND rooms.area > 17 ORDER BY rooms.price LIMIT 5"
)


async def test_who_examines_or_changes_a_query_sees_all_its_conditions(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.script(SORTED, sql(LONG_SQL), FOUND, SORTED, sql(LONG_SQL), FOUND)
    await desk.ask(QUESTION)
    await desk.ask("cái nào trong đó hợp với nhóm bạn thân của mình")
    _, _, tell, sort, write, _ = (prompt(one) for one in chats(server))
    where = LONG_SQL.partition("WHERE ")[2].partition(" ORDER")[0]
    for text in (tell, sort, write):
        for part in (
            "'available'",
            "'room'",
            "'Hồ Chí Minh'",
            "NOT EXISTS",
            "'mezzanine'",
            "'Tân Bình'",
            "4500000",
            "> 17",
        ):
            assert part in where
            assert part in text.partition("Today:")[2]
        assert "rooms.path, rooms.price" not in text.partition("Today:")[2]


AVERAGE = (
    "SELECT round(avg(rooms.price)) AS avg_price FROM rooms JOIN districts ON districts.id = rooms.district_id "
    "WHERE districts.name = '{}' AND rooms.room_type = 'apartment' AND rooms.status = 'available'"
)


async def test_a_difference_to_what_was_shown_stands_and_the_line_without_it_names_place_and_kind(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    async def average(district: str, said: str) -> Told:
        server.script({**SORTED, "intentModeHint": "TABLE"}, sql(AVERAGE.format(district)), said)
        return await desk.ask(f"phòng hợp túi tiền sinh viên năm nhất ở {district}")

    there = int((await average("Bình Thạnh", FOUND)).state["results"][0]["avg_price"])
    forget(desk)
    desk.leave()
    here = int((await average("Quận 7", FOUND)).state["results"][0]["avg_price"])
    told = "Ở Bình Thạnh trung bình {} VND/tháng, chênh Quận 7 {} VND.".format
    shown, off = format_number(there, "vi"), abs(here - there)
    right, wrong = told(shown, format_number(off, "vi")), told(shown, format_number(3 * off, "vi"))
    assert (await average("Bình Thạnh", right)).answer.startswith(right)
    forget(desk)
    desk.leave()
    await average("Quận 7", FOUND)
    answer = (await average("Bình Thạnh", wrong)).answer
    assert answer.startswith("Phòng ở Bình Thạnh, loại ")
    assert shown in answer
    assert "chênh" not in answer


@pytest.mark.parametrize("login", ["lan", "minh", "nobody"])
async def test_prompts_are_short_and_begin_alike(desk: RentalDesk, server: OllamaDouble, login: str) -> None:
    """Servers keep the beginning evaluated: all tasks of all turns of a person share four fifths of it."""
    server.script(SORTED, sql(GOOD_SQL), FOUND, SORTED, sql(GOOD_SQL), FOUND, SORTED, sql(GOOD_SQL), FOUND)
    desk.become(login)
    await desk.ask(QUESTION)
    await desk.ask("cái nào trong đó hợp với người nuôi két sắt")
    await desk.ask("vậy còn chỗ nào yên tĩnh hơn mà gần trường không ta")
    texts = [prompt(one) for one in chats(server)]
    assert len(texts) == 9
    first = next(at for at, signs in enumerate(zip(*texts, strict=False)) if len(set(signs)) > 1)
    for text in texts:
        assert len(text) <= 7_000
        assert first >= 0.8 * len(text)


@pytest.mark.parametrize("reply", [OrchestratorReply, SqlReply])
def test_schemas_are_small_enough_for_real_servers(reply: Any) -> None:
    schema = reply.model_json_schema()
    assert len(schema["properties"]) <= 8
    assert all(length < 2_000 for length in _lengths(schema))


def _lengths(node: Any) -> list[int]:
    if isinstance(node, dict):
        own = [node["maxLength"]] if isinstance(node.get("maxLength"), int) else []
        return [*own, *(length for value in node.values() for length in _lengths(value))]
    return [length for value in node for length in _lengths(value)] if isinstance(node, list) else []


async def test_a_query_that_fails_goes_back_with_itself_and_the_reason(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.script(SORTED, sql(FAILED), sql(GOOD_SQL), FOUND)
    told = await desk.ask(QUESTION)
    assert told.state["attempts"] == 2
    assert told.state["results"]
    text = prompt(chats(server)[2])
    assert "rooms.cost" in text
    assert "cost" in chats(server)[2]["messages"][-1]["content"]


async def test_a_query_for_another_place_is_refused_and_told_so(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """002-26: a district that the data lacks is a fact; it goes back with the names there are."""
    server.script(SORTED, sql(GOOD_SQL.replace("Gò Vấp", "Gò Vấp 2")), sql(GOOD_SQL), FOUND)
    told = await desk.ask(QUESTION)
    assert told.state["attempts"] == 2
    assert {row["district"] for row in told.state["results"]} == {"Gò Vấp"}
    assert "Gò Vấp" in chats(server)[2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "written",
    [
        "DROP TABLE rooms",
        "SELECT login, phone FROM users",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT 1; SELECT 2",
        "Dạ đây là câu trả lời bằng lời",
        "SELECT id, title FROM rooms WHERE price <",
        "SELECT " * 200,
    ],
)
async def test_a_model_that_never_writes_a_good_query_ends_honestly(
    desk: RentalDesk, server: OllamaDouble, written: str
) -> None:
    """The same draft is not tried again, and no other question is answered instead."""
    server.script(SORTED, sql(written), sql(written))
    told = await desk.ask(QUESTION)
    assert told.state["kind"] == "CONTROL"
    assert told.state["results"] == []
    # A query that finds no end is not even tried twice.
    assert len(chats(server)) == (2 if written.startswith("SELECT SELECT") else 3)
    assert told.answer


async def test_attempts_end(desk: RentalDesk, server: OllamaDouble) -> None:
    """002-18: at most five."""
    server.script(SORTED, *[sql(f"SELECT nothing{number} FROM rooms") for number in range(7)])
    told = await desk.ask(QUESTION)
    assert told.state["attempts"] == 5


async def test_a_model_that_answers_prose_for_json_leaves_the_honest_reading(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.default = lambda _request: Reply("Dạ vâng ạ, tôi không biết JSON là gì.")
    told = await desk.ask(QUESTION)
    assert "Tôi chưa hiểu" in told.answer
    assert all(row["district"] == "Gò Vấp" for row in told.state["results"])
    assert told.done.metadata["answered"] is False


async def test_only_the_sentence_with_a_figure_that_is_nowhere_is_cut(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.script(SORTED, sql(GOOD_SQL), "Ở Gò Vấp có mấy phòng vừa ý. Có phòng 1.234.567 VND rất đẹp.")
    told = await desk.ask(QUESTION)
    assert "1.234.567" not in told.answer
    assert "Ở Gò Vấp có mấy phòng vừa ý." in told.answer


@pytest.mark.parametrize(
    "looped",
    ["Có phòng đẹp lắm ạ. " * 40, "phòng " * 200, "Phòng này hợp với anh chị, " + "gần chợ và " * 300],
)
async def test_a_sentence_that_finds_no_end_is_dropped(
    desk: RentalDesk, server: OllamaDouble, looped: str
) -> None:
    server.script(looped)
    told = await desk.ask(CERTAIN)
    assert told.answer.startswith("Đây là")
    assert told.state["kind"] == "DATA"


async def test_what_cheap_means_and_how_many_there_are_is_said_with_a_model_too(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """002 C9, 002-20, 002-39."""
    server.script("Đây là các phòng hợp với bạn.")
    told = await desk.ask("Tìm phòng trọ giá rẻ ở quận 1")
    assert "Giá rẻ" in told.answer
    assert f"trong {told.state['count']}" in told.answer
    assert all(row["type"] != "dormitory" for row in told.state["results"])


@pytest.mark.parametrize(
    "said", ["MISSED: tên người thuê", "**MISSED:** tên người thuê", " MISSED tên người thuê"]
)
async def test_what_the_validator_rejects_is_written_anew_with_its_reason(
    desk: RentalDesk, server: OllamaDouble, said: str
) -> None:
    """002-25: the rules' query of a question that seemed certain, and the model's, once."""
    names = "SELECT users.name AS tenant FROM users"
    server.script(said, sql(names), "Đây là những người thuê của bạn.")
    desk.become("lan")
    told = await desk.ask("tổng hóa đơn tháng 11 của tôi")
    assert told.answer.startswith("Đây là những người thuê")
    assert "MISSED" not in told.answer
    assert told.state["isValid"] is True
    assert len(chats(server)) == 3
    assert "tên người thuê" in prompt(chats(server)[1])


async def test_what_the_validator_rejects_is_shown_with_a_warning_and_never_kept(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """002-27."""
    other = GOOD_SQL.replace("LIMIT 5", "LIMIT 6")
    server.script(SORTED, sql(GOOD_SQL), "MISSED: gần trường", sql(other), "MISSED: gần trường")
    told = await desk.ask(QUESTION)
    assert (told.state["isValid"], told.state["reason"]) == (False, "gần trường")
    assert any(notice.level == "warning" for notice in told.notices)
    assert "MISSED" not in told.answer
    assert ReuseStore(desk.services.state).list(None) == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("hóa đơn tháng 11 chưa thu của tôi bao nhiêu tiền", "Người nào đang quá hạn?"),
        (CERTAIN, "có bao nhiêu phòng có máy giặt"),
        (CERTAIN, "cái thứ hai bao nhiêu tiền"),
        (CERTAIN, "chỉ quận 3 thôi"),
        (CERTAIN, "rẻ nhất là bao nhiêu"),
        (None, "những người thuê nào của tôi chưa trả hóa đơn tháng 11, tổng cộng bao nhiêu tiền"),
        (None, "so sánh giá trung bình quận 1 và quận 3"),
        (None, "phòng ở Gò Vấp không phải ở ghép"),
    ],
)
async def test_what_may_mean_more_than_its_words_is_the_models(
    desk: RentalDesk, server: OllamaDouble, first: str | None, then: str
) -> None:
    """Follow-ups, comparisons, refusals and two wants; the rules' reading is no hint."""
    server.script(*(["Đây ạ."] if first else []), SORTED, sql(GOOD_SQL), FOUND)
    desk.become("lan")
    if first:
        await desk.ask(first)
    told = await desk.ask(then)
    assert [row["price"] for row in told.state["results"]] == sorted(
        row["price"] for row in told.state["results"]
    )
    assert told.state["filtersHint"] == SORTED["filtersHint"]
    assert told.answer.startswith(FOUND)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (None, "giá trung bình phòng trọ ở Gò Vấp"),
        (CERTAIN, "phòng dưới 4 triệu ở Tân Bình"),
        (CERTAIN, "hợp đồng của tôi"),
    ],
)
async def test_a_message_that_stands_on_its_own_costs_one_call(
    desk: RentalDesk, server: OllamaDouble, first: str | None, then: str
) -> None:
    server.script(*["Đây ạ."] * (2 if first else 1))
    desk.become("lan")
    if first:
        await desk.ask(first)
    told = await desk.ask(then)
    assert told.answer.startswith("Đây ạ.")
    assert len(chats(server)) == (2 if first else 1)


@pytest.mark.parametrize(
    ("then", "calls"),
    [
        ("Căn đó rộng mấy mét vuông?", 1),
        ("can do gia bao nhieu", 1),
        ("phòng đó ở quận nào", 1),
        ("căn đó rẻ hơn giá trung bình bao nhiêu", 3),
        ("diện tích căn đó có đủ cho 3 người không", 3),
        ("căn đó giá bao nhiêu, rộng bao nhiêu", 3),
        ("căn đó cọc bao nhiêu", 3),
    ],
)
async def test_one_shown_value_of_the_only_row_costs_one_call(
    desk: RentalDesk, server: OllamaDouble, then: str, calls: int
) -> None:
    """Not where a word asks for more, nor for what was not shown."""
    one = sql(GOOD_SQL.replace("LIMIT 5", "LIMIT 1"))
    server.script(SORTED, one, FOUND, *([SORTED, one] if calls > 1 else []), FOUND)
    first = await desk.ask(QUESTION)
    told = await desk.ask(then)
    assert len(chats(server)) == 3 + calls
    assert told.state["results"][0]["id"] == first.state["results"][0]["id"]


async def test_a_validator_that_breaks_leaves_the_answer_unchecked_and_unkept(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    """002 C5: not `valid` by default."""
    server.script(SORTED, sql(GOOD_SQL), Reply(fault="server_error"), Reply(fault="server_error"))
    told = await desk.ask(QUESTION)
    assert told.state["isValid"] is None
    assert told.state["results"]
    assert ReuseStore(desk.services.state).list(None) == []


async def test_a_question_that_goes_on_is_never_kept_for_others(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.script("Đây ạ.", SORTED, sql(GOOD_SQL), FOUND)
    await desk.ask(CERTAIN)
    await desk.ask("trong đó cái nào tiện cho việc của mình nhất")
    assert [entry.question for entry in ReuseStore(desk.services.state).list(None)] == [CERTAIN]


async def test_the_model_asks_back_and_talks(desk: RentalDesk, server: OllamaDouble) -> None:
    ask = {**SORTED, "requestType": "CLARIFICATION", "readyForSql": False, "message": "Bạn đi làm ở khu nào?"}
    talk = {**ask, "requestType": "GENERAL_CHAT", "message": "Tôi không có đánh giá về chủ trọ."}
    server.script(ask, talk)
    told = await desk.ask("chỗ nào tiện cho mình đi làm")
    assert (told.state["kind"], told.answer) == ("CONTROL", "Bạn đi làm ở khu nào?")
    told = await desk.ask("chủ trọ nào được khen nhiều nhất")
    assert (told.state["kind"], told.answer) == ("CONTENT", "Tôi không có đánh giá về chủ trọ.")


async def test_ones_own_rooms_can_be_asked_for_in_sql(desk: RentalDesk, server: OllamaDouble) -> None:
    occupancy = (
        "SELECT round(100.0 * count(*) FILTER (WHERE status = 'rented') / count(*), 1) AS occupancy "
        "FROM rooms WHERE is_mine"
    )
    server.script({**SORTED, "intentModeHint": "TABLE"}, sql(occupancy), "Tỷ lệ lấp đầy là 25%.")
    desk.become("lan")
    told = await desk.ask("nhà mình dạo này kín được mấy phần trăm số phòng rồi")
    assert told.state["results"] == [{"occupancy": 25.0}]
    assert "25%" in told.answer


async def test_orders_in_a_listing_reach_no_system_prompt(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script(SORTED, sql(GOOD_SQL), FOUND)
    await desk.ask(f"{QUESTION}. Nhớ bỏ hết mấy dòng chữ lạ kiểu DROPTABLE nhé")
    for body in chats(server):
        for message in body["messages"]:
            if message["role"] == "system":
                assert "DROPTABLE" not in message["content"]


@pytest.mark.parametrize("login", ["minh", "nobody"])
async def test_the_system_prompt_and_the_question_are_stored_in_the_session(
    desk: RentalDesk, server: OllamaDouble, login: str
) -> None:
    """002-02: what is stored is what the model is given, in each task of the session."""
    server.script(SORTED, sql(GOOD_SQL), FOUND, SORTED, sql(GOOD_SQL), FOUND)
    desk.become(login)
    told = await desk.ask(QUESTION)
    await desk.ask("cái nào trong đó hợp với người nuôi két sắt")
    with desk.services.state.read() as connection:
        ((name, stored),) = connection.execute(
            "SELECT session_id, prompt FROM rental_sessions WHERE conversation_id = ?", (desk.conversation,)
        ).fetchall()
        ((asked,),) = connection.execute(
            "SELECT text FROM messages WHERE conversation_id = ? AND sender = 'user' ORDER BY created_at LIMIT 1",
            (desk.conversation,),
        ).fetchall()
    assert (name, asked) == (told.state["sessionId"], QUESTION)
    assert "trợ lý" in stored
    for body in chats(server):
        (system,) = [one["content"] for one in body["messages"] if one["role"] == "system"]
        assert stored in system


async def test_facts_name_the_ward_that_a_landmark_is_named_after(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    server.script(SORTED, sql(GOOD_SQL), FOUND)
    await desk.ask("phòng hợp túi tiền sinh viên năm nhất gần chợ Bến Thành")
    told = prompt(chats(server)[0])
    assert "«chợ Bến Thành» = district Quận 1 (landmark near there)" in told
    assert "«Bến Thành» = ward Bến Thành" in told
    server.script(SORTED, sql(GOOD_SQL), FOUND)
    await desk.ask("phòng hợp túi tiền sinh viên năm nhất quận tan bihn")
    assert "= district Tân Bình" in prompt(chats(server)[-3])


async def test_the_steps_say_who_decided(desk: RentalDesk, server: OllamaDouble) -> None:
    server.script(SORTED, sql(GOOD_SQL), FOUND)
    told = await desk.ask(QUESTION)
    sources = {step.node: step.source for step in told.all(StepFinished)}
    assert sources["orchestrator"] == sources["sql_generation"] == sources["result_validator"] == "model"
    assert json.loads(json.dumps(told.state["filtersHint"])) == SORTED["filtersHint"]


async def test_the_answer_is_said_sentence_by_sentence_with_the_settings_of_the_model(
    home: Path, server: OllamaDouble
) -> None:
    """002-11: model, temperature, maxTokens; a figure that nothing holds cuts its sentence, a right sum stands."""
    server.script("Có hai phòng đáng xem. Có phòng giá 1.234.567 VND. Mời bạn xem danh sách.")
    async with rental_desk(
        home, OLLAMA_HOST=server.url, TROLY_RENTAL__TEMPERATURE="0.9", TROLY_RENTAL__MAX_TOKENS="120"
    ) as opened:
        told = await opened.ask(CERTAIN)
    said = [token.text for token in told.all(Token)]
    assert said[:2] == ["Có hai phòng đáng xem.", " Mời bạn xem danh sách."]
    assert "1.234.567" not in told.answer
    options = chats(server)[0]["options"]
    assert options["temperature"] == 0.9
    assert options["num_predict"] in {120, 120 + THINKING_TOKENS}


async def test_a_day_of_a_row_may_be_told_by_its_parts(desk: RentalDesk, server: OllamaDouble) -> None:
    query = "SELECT invoices.id, invoices.month, invoices.total FROM invoices ORDER BY invoices.month DESC LIMIT 3"
    said = "Newest first. The first one is of November 2026, the next of October 2026."
    server.script({**SORTED, "filtersHint": "invoices"}, sql(query), said)
    desk.become("minh")
    told = await desk.ask("which bills do I still have around, roughly")
    assert said in told.answer


async def test_a_month_of_the_query_may_be_told_without_its_year(
    desk: RentalDesk, server: OllamaDouble
) -> None:
    query = "SELECT count(*) AS bills FROM invoices WHERE month >= DATE '2026-10-01' AND month <= DATE '2026-10-31'"
    said = "Tháng 10 có đúng số hóa đơn đó, tháng 8 thì không. Con số nằm trong bảng."
    server.script({**SORTED, "filtersHint": "invoices"}, sql(query), said)
    desk.become("minh")
    told = await desk.ask("mấy tờ bill còn kẹp lại hồi trước")
    assert "Tháng 10" not in told.answer  # no row, query or question knows of an eighth month
    server.script({**SORTED, "filtersHint": "invoices"}, sql(query), "Tháng 10 có đúng số hóa đơn đó.")
    told = await desk.ask("cho lại mấy tờ bill còn kẹp đó")
    assert "Tháng 10" in told.answer


def test_two_amenities_that_a_room_lacks_are_both_told() -> None:
    row = {
        "title": "Căn hộ",
        "has_balcony": False,
        "has_parking": False,
        "allows_pets": False,
        "rent": 5,
        "price": 5,
    }
    text, _ = rows_text([row], 400)
    assert all(name in text for name in ("has_balcony", "has_parking", "allows_pets"))
    assert "price = rent" in text


def test_titles_that_differ_only_at_their_ends_are_not_told_as_one() -> None:
    rows: list[dict[str, Any]] = [
        {"title": f"Phòng trọ gần chợ số {at}", "notes": "x " * 99} for at in range(5)
    ]
    assert "all: title" not in rows_text(rows, 60)[0]


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_short_list_is_told_whole(count: int) -> None:
    """Its cells are cut instead of its rows: the cheaper of two flats must not be hidden."""
    rows: list[dict[str, Any]] = [
        {
            "title": f"Căn hộ {at} " + "rộng rãi thoáng mát " * 6,
            "address": f"{at} " + "Nguyễn Trãi " * 9,
            "rent": at,
        }
        for at in range(1, count + 1)
    ]
    text, seen = rows_text(rows, 400)
    assert seen == count
    assert all(f"Căn hộ {at}" in text for at in range(1, count + 1))


async def test_a_prompt_that_is_too_long_is_told_once_with_its_remedy(home: Path) -> None:
    """Whatever answers instead: what to do is the same in every mode."""
    with OllamaDouble() as server:
        server.window = 600
        async with rental_desk(home, OLLAMA_HOST=server.url) as desk:
            told = await desk.ask(QUESTION)
    long = [one for one in told.notices if one.title == "Ollama thấy nội dung quá dài"]
    assert len(long) == 1
    assert "OLLAMA_CONTEXT_LENGTH" in long[0].remedy


@pytest.mark.parametrize("cut", ["và căn rẻ nhất", "giá từ 2 triệu,"])
async def test_what_is_cut_reads_so_before_code_says_more(
    desk: RentalDesk, server: OllamaDouble, cut: str
) -> None:
    server.script(SORTED, sql(GOOD_SQL), Reply(f"{FOUND} Xem {cut}", done_reason="length"))
    told = await desk.ask(QUESTION)
    assert f"{FOUND} Xem {cut}…" in told.answer or cut not in told.answer
