"""What a model says that cannot be shown: the person gets the honest answer, within the calls, and one line why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.modes.analysis.test_desk_model import NOT_HELD, QUESTION, RULES, SUM, call, desk
from tests.support.modes.analysis import analyst_at
from tests.support.ollama.double import OllamaDouble, Reply

FIGURE = "150.000.000 VND"
OTHER = [
    "Xin chào! 我很高兴为您服务，请问您需要什么帮助？",
    "The weather is lovely today and bananas are yellow.",
    "asdf qwer zxcv lorem ipsum dolor sit amet",
]
LOOP = "lặp lại " * 200
CLAIM = "Doanh thu của bạn rất tốt, cứ yên tâm."


@pytest.mark.parametrize(
    ("said", "why"),
    [
        *((each, "ngôn ngữ khác") for each in OTHER),
        (LOOP, "lặp đi lặp lại"),
        (Reply("Doanh thu khá tốt và tôi sẽ kể tiếp rằng", done_reason="length"), "viết mãi"),
        (Reply("số nào rất hay, ", fault="endless"), "lặp đi lặp lại"),
        (Reply("rất hay ", fault="deaf"), "lặp đi lặp lại"),
        (CLAIM, "không có kết quả nào"),
        ("Doanh thu là 7 tỷ đồng.", "không có kết quả nào"),
    ],
)
@pytest.mark.parametrize("question", [QUESTION, NOT_HELD])
async def test_words_that_cannot_be_shown_are_asked_for_once_more_then_code_answers(
    own_home: Path, said: Any, why: str, question: str
) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: said if isinstance(said, Reply) else Reply(said)
        told = await analyst.ask(question)
        asked = len(server.chats)
    shown = said.text if isinstance(said, Reply) else said
    assert shown[:20] not in told.done.text
    assert told.done.text.startswith(RULES if question == QUESTION else "Tôi chưa hiểu")
    assert asked == 2
    (notice,) = told.notices
    assert why in notice.message
    assert "\n" not in notice.message


@pytest.mark.parametrize("said", [*OTHER, LOOP, CLAIM])
async def test_the_second_try_may_put_it_right(own_home: Path, said: str) -> None:
    with desk(own_home, said, call(arguments={**SUM, "answers": True})) as (analyst, server):
        told = await analyst.ask(QUESTION)
        back = server.chats[1].messages[-1]
    assert told.done.text.startswith(RULES)
    assert told.notices == []
    assert back["role"] == "tool"
    assert "Your last reply" in back["content"]


@pytest.mark.parametrize("said", [*OTHER, LOOP])
async def test_a_result_is_told_by_its_own_sentence_where_the_words_cannot_be_shown(
    own_home: Path, said: str
) -> None:
    with desk(own_home, call(), said, said) as (analyst, server):
        told = await analyst.ask(QUESTION)
        assert len(server.chats) == 3
    assert told.done.text.startswith(RULES)
    assert len(told.notices) == 1


async def test_an_answer_in_english_to_an_english_question_stands(own_home: Path) -> None:
    said = "In January 2024 you sold for 150,000,000 VND on Shopee and Lazada."
    with desk(own_home, call(), said) as (analyst, _):
        told = await analyst.ask("how much money did we take in 1/2024, roughly speaking mate?")
    assert told.done.text == said
    assert told.notices == []


async def test_names_from_the_sheet_are_no_other_language(own_home: Path) -> None:
    sheet = "Ngày đặt,Sản phẩm,Doanh thu\n1/11/2026,苹果 Apple Watch Series Nine,1.000.000\n2/11/2026,Nike,2.000.000\n"
    best = {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "group_by": "Sản phẩm"}
    said = "1. Nike - 2.000.000 VND\n2. 苹果 Apple Watch Series Nine - 1.000.000 VND"
    with OllamaDouble() as server:
        server.default = lambda request: (
            Reply(said)
            if any(m.get("tool_name") == "get_top_items" for m in request.messages)
            else call("get_top_items", best)
        )
        with analyst_at(own_home, sheet, OLLAMA_HOST=server.url) as analyst:
            told = await analyst.ask("mấy món bán được nhất xếp hạng giúp tôi nghen")
    assert told.done.text.endswith(said)
    assert told.notices == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (call("drop_database", {"x": 1}), "drop_database"),
        (call(arguments={**SUM, "connection_name": "Bảng người khác"}), "Bảng người khác"),
        (
            call(
                "execute_aggregation",
                {"connection_name": "Đơn hàng", "pipeline": [{"$out": "x"}], "description": "x"},
            ),
            "$out",
        ),
    ],
)
async def test_a_call_that_is_not_allowed_is_said_in_one_line(own_home: Path, wrong: Reply, why: str) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: wrong
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)
    (notice,) = told.notices
    assert why in notice.message


async def test_invented_figures_are_said_in_one_line(own_home: Path) -> None:
    lie = "Tháng 1/2024 bán được 999.999.999 VND. Kênh mạnh nhất là Shopee."
    with desk(own_home, call(), lie, lie) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)
    (notice,) = told.notices
    assert "999.999.999" in notice.message
    assert "Shopee" not in told.done.text


async def test_a_sentence_that_was_left_out_is_said(own_home: Path) -> None:
    said = "Tháng 1/2024 bán được 150.000.000 VND. Tháng sau chắc được 200.000.000 VND."
    with desk(own_home, call(), said) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text == "Tháng 1/2024 bán được 150.000.000 VND."
    (notice,) = told.notices
    assert "200.000.000" in notice.message


@pytest.mark.parametrize("operation", ["sum", "count"])
async def test_nothing_found_is_told_by_code_alone(own_home: Path, operation: str) -> None:
    nothing = {**SUM, "operation": operation, "date_from": "2030-10-01", "date_to": "2030-10-31"}
    with desk(own_home, call(arguments=nothing), "Tháng đó bán rất chạy, khách rất đông.") as (analyst, _):
        told = await analyst.ask("tháng 10/2030 bán được bao nhiêu tiền?")
    assert "rất chạy" not in told.done.text
    assert "Không có dữ liệu" in told.done.text if operation == "sum" else ": 0" in told.done.text


@pytest.mark.parametrize("said", ["Kết quả là tốt.", "Tháng 1/2024 thì khá ổn, bạn ạ."])
async def test_words_without_the_figure_give_way_to_the_tools_sentence(own_home: Path, said: str) -> None:
    with desk(own_home, call(), said) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)


async def test_words_that_name_a_row_stand(own_home: Path) -> None:
    best = {
        "connection_name": "Đơn hàng",
        "sort_field": "Số lượng",
        "group_by": "Sản phẩm",
        "limit": 1,
    }
    with desk(own_home, call("get_top_items", best), "Bán chạy nhất là áo thun.") as (analyst, _):
        told = await analyst.ask("món nào bán được nhất xếp hạng giúp tôi nghen")
    assert told.done.text.startswith("Bán chạy nhất là áo thun.")


@pytest.mark.parametrize("said", ["我很高兴为您服务。", "Bananas are yellow and the weather is nice.", LOOP])
async def test_small_talk_in_another_language_or_without_end_is_not_shown(own_home: Path, said: str) -> None:
    with desk(own_home, said) as (analyst, _):
        told = await analyst.ask("xin chào")
    assert said[:7] not in told.done.text
    assert told.done.text.startswith("Xin chào!")
    assert len(told.notices) == 1


@pytest.mark.parametrize(
    ("question", "most"),
    [
        ("Tổng doanh thu tháng 1/2024 là bao nhiêu?", 0),
        (QUESTION, 2),
        (NOT_HELD, 2),
        ("Shopee bán được cỡ nào zậy hử", 2),
        ("coi thử cái vụ kia sao rồi hử", 2),
    ],
)
@pytest.mark.parametrize("says", [{}, {"answers": True}])
async def test_one_figure_takes_two_calls_at_most(
    own_home: Path, question: str, most: int, says: dict[str, Any]
) -> None:
    def reply(request: Any) -> Reply:
        if not request.body.get("tools"):
            return Reply('{"intent": "data_query"}')
        found = any(message.get("tool_name") == "aggregate_data" for message in request.messages)
        return Reply(f"Là {FIGURE} nhé.") if found else call(arguments={**SUM, **says})

    with desk(own_home) as (analyst, server):
        server.default = reply
        told = await analyst.ask(question)
        asked = len(server.chats)
    assert asked <= most
    assert FIGURE in told.done.text


CHANGE = "Đổi trạng thái đơn D005 thành Đã hủy giúp em"


@pytest.mark.parametrize(
    "said",
    [
        "Tôi không sửa được dữ liệu, chỉ tra cứu được số liệu.",
        "Mình chỉ xem số liệu, không đổi được trạng thái đơn D005 thành Đã hủy. Bạn đổi trong phần mềm bán hàng nhé.",
        "Việc đó ngoài khả năng của tôi.",
    ],
)
async def test_that_data_cannot_be_changed_needs_no_result(own_home: Path, said: str) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: Reply(said)
        told = await analyst.ask(CHANGE)
        assert len([each for each in server.chats if each.body.get("tools")]) == 1
    assert told.done.text == said


@pytest.mark.parametrize(
    "said",
    [
        "Đã đổi trạng thái đơn D005 thành Đã hủy, không có lỗi nào.",
        "Bạn hãy đổi trong hệ thống quản lý đơn hàng.",
        "Tôi không đổi được 77 đơn. Bạn hãy đổi trong hệ thống quản lý đơn hàng.",
    ],
)
async def test_a_change_that_is_claimed_or_what_is_left_without_the_refusal_never_stands(
    own_home: Path, said: str
) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: Reply(said)
        told = await analyst.ask(CHANGE)
    assert "Bạn hãy đổi" not in told.done.text
    assert "Đã đổi" not in told.done.text
