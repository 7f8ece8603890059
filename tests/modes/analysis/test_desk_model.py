"""The data agent on a real (double) Ollama: tool calls, malformed calls, endless loops, errors in the middle, replay."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.analysis import Analyst, analyst_at
from tests.support.ollama.double import Fault, OllamaDouble, Reply, Request
from troly.llm.prompts import count
from troly.plugin.events import Chart, Computation, Notice, StepFinished, StepStarted

# Wholly read, but the figure is assumed: the rules can answer it, and a model that is there is asked.
QUESTION = "tháng 1/2024 bán được bao nhiêu tiền?"
SAID = "Là 150.000.000 VND nhé."
RULES = "Tổng doanh thu tháng 1/2024: 150.000.000 VND"
SUM = {
    "connection_name": "Đơn hàng",
    "operation": "sum",
    "field": "Doanh thu",
    "date_from": "2024-01-01",
    "date_to": "2024-01-31",
}


def call(name: str = "aggregate_data", arguments: Any = None, text: str = "") -> Reply:
    given = SUM if arguments is None else arguments
    return Reply(text, tool_calls=[{"function": {"name": name, "arguments": given}}])


@contextmanager
def desk(home: Path, *replies: Any) -> Iterator[tuple[Analyst, OllamaDouble]]:
    with OllamaDouble() as server:
        server.script(*replies)
        with analyst_at(home, OLLAMA_HOST=server.url) as analyst:
            yield analyst, server


async def test_a_tool_call_and_grounded_words_are_the_answer(own_home: Path) -> None:
    said = "Tháng 1/2024 bán được 150.000.000 VND."
    with desk(own_home, call(), said) as (analyst, server):
        told = await analyst.ask(QUESTION)
        first = server.chats[0]
    assert told.done.text == said
    assert told.done.source == "mixed"
    assert told.state["result"] == {"kind": "scalar", "value": 150_000_000}
    assert [record["tool_name"] for record in told.state["tool_calls"]] == [
        "get_data_schema",
        "aggregate_data",
    ]
    record = told.state["tool_calls"][1]
    assert record["arguments"] == SUM
    assert json.loads(record["result"]) == told.state["result"]
    assert record["error"] is None
    assert {tool["function"]["name"] for tool in first.body["tools"]} == {
        "get_data_schema", "aggregate_data", "get_top_items", "compare_periods", "execute_aggregation",
    }  # fmt: skip
    system = first.messages[0]
    assert system["role"] == "system"
    assert '"money VND":["Doanh thu"]' in system["content"]


async def test_every_tool_starts_and_ends_in_the_trace(own_home: Path) -> None:
    with desk(own_home, call(), SAID) as (analyst, _):
        told = await analyst.ask(QUESTION)
    started = [step.tool for step in told.all(StepStarted) if step.tool]
    finished = [step.tool for step in told.all(StepFinished) if step.tool]
    assert started == finished == ["get_data_schema", "aggregate_data"]
    assert all(step.agent == "data_agent" for step in told.all(StepFinished) if step.tool)
    (shown,) = told.all(Computation)
    assert 'SUM("Doanh thu")' in shown.code


async def test_numbers_are_put_into_the_house_form(own_home: Path) -> None:
    with desk(own_home, call(), "Doanh thu tháng 1/2024 là 150,000,000 VND.") as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text == "Doanh thu tháng 1/2024 là 150.000.000 VND."


async def test_a_figure_without_a_cell_is_refused_and_the_template_answers(own_home: Path) -> None:
    lie = "Doanh thu tháng 1/2024 là 999.000.000 VND."
    with desk(own_home, call(), lie, lie) as (analyst, server):
        told = await analyst.ask(QUESTION)
        tasks = len(server.chats)
    assert "999" not in told.done.text
    assert told.done.text.startswith(RULES)
    assert tasks == 3
    assert any("999.000.000" in step.detail for step in told.all(StepFinished))


async def test_a_second_wording_may_put_it_right(own_home: Path) -> None:
    good = "Tháng 1/2024 bạn có doanh thu 150.000.000 VND."
    with desk(own_home, call(), "Khoảng 160 triệu.", good) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text == good
    assert told.notices == []


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"name": "aggregate_data", "arguments": SUM}),
        "<tool_call>\n" + json.dumps({"name": "aggregate_data", "arguments": SUM}) + "\n</tool_call>",
        "```json\n" + json.dumps({"tool": "aggregate_data", "parameters": json.dumps(SUM)}) + "\n```",
    ],
)
async def test_a_call_written_as_text_is_run_and_not_shown(own_home: Path, written: str) -> None:
    with desk(own_home, written, "Là 150.000.000 VND.") as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text == "Là 150.000.000 VND."


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("aggregateData", SUM),
        ("functions.aggregate_data", SUM),
        ("aggregate_data", {**SUM, "filters": '{"Sàn": ["Shopee", "Lazada"]}'}),
        ("aggregate_data", {"arguments": SUM}),
        ("aggregate_data", {**SUM, "group_by": "null", "filters": None}),
    ],
)
async def test_small_slips_of_form_are_mended(own_home: Path, name: str, arguments: Any) -> None:
    with desk(own_home, call(name, arguments), SAID) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.state["result"] == {"kind": "scalar", "value": 150_000_000}
    assert told.done.source == "mixed"


async def test_an_unknown_field_and_an_unknown_tool_go_back_as_errors_and_are_corrected(
    own_home: Path,
) -> None:
    wrong = call(arguments={**SUM, "field": "Lợi nhuận"})
    with desk(own_home, wrong, call("drop_table", {}), call(), SAID) as (
        analyst,
        server,
    ):
        told = await analyst.ask(QUESTION)
        results = [message for message in server.chats[-1].messages if message["role"] == "tool"]
    errors = [record["error"] for record in told.state["tool_calls"]]
    assert errors[0] is None
    assert "Lợi nhuận" in errors[1]
    assert "drop_table" in errors[2]
    assert errors[3] is None
    assert "Lợi nhuận" in results[1]["content"]
    assert told.done.text == SAID


async def test_after_three_retries_the_rules_answer(own_home: Path) -> None:
    wrong = [call(arguments={**SUM, "field": f"Cột {n}"}) for n in range(6)]
    with desk(own_home, *wrong) as (analyst, server):
        told = await analyst.ask(QUESTION)
        asked = len(server.chats)
    assert asked == 4
    assert told.done.text.startswith(RULES)


async def test_retries_exhausted_without_a_plan_end_in_a_friendly_sentence(own_home: Path) -> None:
    wrong = [call(arguments={**SUM, "field": f"Cột {n}"}) for n in range(6)]
    with desk(own_home, *wrong) as (analyst, _):
        told = await analyst.ask("tổng doanh thu theo tháng zxcv qwer nhé", language="vi")
    assert told.done.text.startswith("Xin lỗi, tôi chưa tính được")
    assert told.state["error"]
    assert told.state["result"] is None


async def test_the_same_call_twice_stops(own_home: Path) -> None:
    with desk(own_home, call(), call(arguments=dict(reversed(SUM.items()))), "x") as (
        analyst,
        server,
    ):
        told = await analyst.ask(QUESTION)
        asked = len(server.chats)
    assert asked == 2
    assert told.done.text.startswith(RULES)


async def test_an_endless_loop_of_new_calls_ends(own_home: Path) -> None:
    count = iter(range(1, 1000))

    def endless(_request: Request) -> Reply:
        return call(
            "get_top_items", {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "limit": next(count)}
        )

    with desk(own_home) as (analyst, server):
        server.default = endless
        told = await analyst.ask(QUESTION)
        asked = len(server.chats)
    assert asked <= 12
    assert told.done.text
    assert len(told.state["tool_calls"]) <= 12


@pytest.mark.parametrize("arguments", ["{not json", ["sum"], 7])
async def test_arguments_that_are_no_object_are_asked_for_again(own_home: Path, arguments: Any) -> None:
    with desk(own_home, call(arguments=arguments), call(), SAID) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text == SAID


@pytest.mark.parametrize("fault", ["server_error", "error_line", "cut", "html", "refuse_load", "no_done"])
async def test_an_error_in_the_middle_leaves_the_rules_to_answer(own_home: Path, fault: Fault) -> None:
    with desk(own_home, call(), Reply("Tổng doanh thu là một", fault=fault)) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)
    (notice,) = told.notices
    assert isinstance(notice, Notice)
    assert notice.level == "warning"


async def test_words_without_any_call_are_not_taken_for_an_answer(own_home: Path) -> None:
    with desk(own_home, "Doanh thu là 7 tỷ đồng.") as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)


# Read by the rules, but for the one thing that the sheets do not hold.
NOT_HELD = "nhân viên zwquản nào chốt nhiều đơn nhất tháng trước"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Dữ liệu không có cột nhân viên.", "Dữ liệu không có cột nhân viên."),
        ("Tháng 10/2026 không có cột nhân viên (dữ liệu từ 5/1/2024).", "Tháng 10/2026 không có cột nhân viên (dữ liệu từ 5/1/2024)."),
        ("Dữ liệu không có cột nhân viên. Có 77 người.", "Dữ liệu không có cột nhân viên."),
    ],
)  # fmt: skip
async def test_what_a_model_says_the_data_lack_stands(own_home: Path, said: str, shown: str) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda request: (
            Reply(said) if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        told = await analyst.ask(NOT_HELD)
    assert told.done.text == shown
    assert told.done.source == "mixed"


@pytest.mark.parametrize("reply", [Reply(""), Reply("Có 77 người."), Reply("x", fault="server_error")])
async def test_a_model_that_was_asked_is_not_promised(own_home: Path, reply: Reply) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda request: (
            reply if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        told = await analyst.ask(NOT_HELD)
        assert any(chat.body.get("tools") for chat in server.chats)
    assert "Tôi chưa hiểu" in told.done.text
    assert "mô hình sẽ đọc" not in told.done.text


async def test_without_a_model_it_is_said_that_one_would_read_it(analyst: Analyst) -> None:
    told = await analyst.ask(NOT_HELD)
    assert "Khi có mô hình, mô hình sẽ đọc câu này." in told.done.text
    assert "max" not in told.done.text


async def test_the_model_is_shown_the_last_two_questions_with_their_calls(own_home: Path) -> None:
    def reply(request: Request) -> Reply:
        if not request.body.get("tools"):
            return Reply('{"intent": "data_query"}')
        asked = str(request.messages[-1]["content"]).rpartition("Question:")[2]
        platform = next((name for name in ("Shopee", "Lazada", "TikTok") if name in asked), "")
        total = {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu", "answers": True}
        return call(arguments={**total, "filters": {"Sàn": platform}}) if platform else Reply("Kênh nào?")

    with desk(own_home) as (analyst, server):
        server.default = reply
        for platform in ("Shopee", "Lazada", "TikTok"):
            await analyst.ask(f"{platform} bán được cỡ nào zậy hử")
        await analyst.ask("hai kênh đó chênh nhau cỡ nào zậy hử")
        question = str(server.chats[-1].messages[-1]["content"])
    shown = json.loads(question[question.index("{") :].splitlines()[0])
    assert "hai kênh đó" in question
    assert shown["calls"][0]["arguments"]["filters"] == {"Sàn": "TikTok"}
    assert shown["before"][0]["arguments"]["filters"] == {"Sàn": "Lazada"}
    assert any("Lazada bán được" in str(message["content"]) for message in server.chats[-1].messages)
    assert "Shopee" not in json.dumps(shown)


async def test_a_model_without_tools_leaves_the_rules_to_answer(own_home: Path) -> None:
    refused = Reply(fault="server_error", error="registry.ollama.ai/library/gpt-oss does not support tools")
    with desk(own_home, refused) as (analyst, _):
        told = await analyst.ask(QUESTION)
    assert told.done.text.startswith(RULES)


async def test_the_model_sees_the_whole_conversation_and_no_guess(own_home: Path) -> None:
    with desk(own_home, call(), "150.000.000 VND", call(), SAID) as (
        analyst,
        server,
    ):
        await analyst.ask(QUESTION)
        await analyst.ask("tính lại giúp tôi doanh thu tháng 1/2024 cho chuẩn chỉnh")
        sent = server.chats[2].messages
    assert next(message["content"] for message in sent if message["role"] == "user") == QUESTION
    asked = next(m["content"] for m in reversed(sent) if m["role"] == "user")
    assert "tính lại giúp tôi" in asked


async def test_a_question_whose_every_word_is_read_asks_no_model(own_home: Path) -> None:
    with desk(own_home, "never asked") as (analyst, server):
        told = await analyst.ask("Tổng doanh thu tháng 1/2024 là bao nhiêu?")
        assert server.chats == []
    assert told.done.text == RULES


async def test_a_call_that_answers_by_itself_is_told_by_its_own_sentence(own_home: Path) -> None:
    by_platform = {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu", "group_by": "Sàn"}
    with desk(own_home, call(arguments={**by_platform, "answers": "share"})) as (
        analyst,
        server,
    ):
        told = await analyst.ask("vẽ tròn doanh thu từng sàn coi bá cháy không")
        asked = len(server.chats)
    assert asked == 1
    assert told.done.text.startswith("Tổng doanh thu theo sàn:")
    assert [chart.kind for chart in told.all(Chart)] == ["share"]
    assert "answers" not in told.state["tool_calls"][1]["arguments"]


async def test_only_the_calls_that_say_they_answer_are_told(own_home: Path) -> None:
    on_the_way = {"connection_name": "Đơn hàng", "operation": "count", "group_by": "Sàn"}
    answers = {**on_the_way, "group_by": "Ngày đặt:weekday", "answers": "text"}
    replies = iter([call(arguments=on_the_way), call(arguments=answers), Reply("Bạn hỏi gì?")])
    with desk(own_home) as (analyst, server):
        server.default = lambda request: (
            next(replies) if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        told = await analyst.ask("vụ thứ mấy kia đi tới đâu rồi hử")
        await analyst.ask("vụ kia rồi sao hử")
        question = next(
            m["content"] for m in server.chats[-1].messages[::-1] if "Facts:" in str(m["content"])
        )
    assert told.done.text.startswith("Số đơn theo thứ trong tuần:")
    assert "Shopee" not in told.done.text
    # A day is named as people name it: "6" is Friday to some.
    assert '["thứ bảy",' in question


async def test_only_the_sentence_with_a_strange_figure_is_cut(own_home: Path) -> None:
    said = "Tháng 1/2024 bán được 150.000.000 VND. Dự kiến tháng sau 200.000.000 VND."
    with desk(own_home, call(), said) as (analyst, server):
        told = await analyst.ask(QUESTION)
        asked = len(server.chats)
    assert told.done.text == "Tháng 1/2024 bán được 150.000.000 VND."
    assert asked == 2


@pytest.mark.parametrize(
    "days", ["từ 1/1/2024 tới 31/1/2024", "từ 1/1/2024 đến trước ngày 1/2/2024", "trong tháng 1/2024"]
)
async def test_days_that_a_pipeline_is_limited_to_may_be_told(own_home: Path, days: str) -> None:
    said = f"Cửa hàng {days} thu được 150.000.000 VND."
    limits = {"Ngày đặt": {"$gte": "2024-01-01", "$lt": "2024-02-01"}}
    total = {"_id": None, "Tổng": {"$sum": "$Doanh thu"}}
    given = {"connection_name": "Đơn hàng", "pipeline": [{"$match": limits}, {"$group": total}]}
    with desk(own_home, call("execute_aggregation", given), said) as (analyst, server):
        told = await analyst.ask("mấy bữa đó cửa hàng mình thu vô nhiêu?")
        asked = len(server.chats)
    assert told.done.text.startswith(said)
    assert asked == 2


async def test_an_intent_that_cannot_be_told_is_unclear(own_home: Path) -> None:
    with desk(own_home, {"intent": "sql"}, "vẫn không") as (analyst, _):
        told = await analyst.ask("ờ thì cái nớ đó mà", language="vi")
    assert told.state["intent"] == "unclear"


async def test_small_talk_is_streamed_and_made_up_figures_are_cut(own_home: Path) -> None:
    lie = "Xin chào bạn! Tôi giúp bạn xem số liệu. Doanh thu của bạn là 5 tỷ đồng. Bạn hỏi gì cũng được."
    with desk(own_home, "Chào bạn, tôi rất vui!", lie) as (analyst, _):
        first = await analyst.ask("xin chào")
        second = await analyst.ask("alo alo")
    assert first.done.text == "Chào bạn, tôi rất vui!"
    assert second.done.text == "Xin chào bạn! Tôi giúp bạn xem số liệu. Bạn hỏi gì cũng được."
    assert second.done.source == "mixed"
    steps = [str(each) for each in second.events if isinstance(each, StepFinished)]
    assert any("5 tỷ" in each for each in steps)


@pytest.mark.parametrize(
    "said",
    [
        "Tôi luôn ở đây 24/7. Bạn cứ hỏi nhé.",
        "Bạn thử hỏi top 5 sản phẩm bán chạy nhất nhé. Tôi xem giúp ngay.",
        "Bạn có thể hỏi:\n1. Doanh thu tháng này\n2. Đơn hàng theo kênh\n3. Sản phẩm bán chạy\nBạn muốn xem gì?",
        "Ví dụ “các đơn hàng trên 500 nghìn”. Bạn hỏi thử nhé.",
    ],
)
async def test_a_number_that_states_nothing_is_not_cut_from_small_talk(own_home: Path, said: str) -> None:
    with desk(own_home, said) as (analyst, _):
        told = await analyst.ask("xin chào")
    assert told.done.text == said


@pytest.mark.parametrize("lie", ["Bạn có 1.200 đơn.", "Hôm qua tăng 15%.", "2. Doanh thu là 5 tỷ."])
@pytest.mark.parametrize("at", range(3))
async def test_only_what_states_a_figure_is_cut_from_small_talk(own_home: Path, lie: str, at: int) -> None:
    true = ["Chào bạn nhé!", "Tôi giúp bạn xem số liệu."]
    with desk(own_home, "\n".join([*true[:at], lie, *true[at:]])) as (analyst, _):
        told = await analyst.ask("xin chào")
    assert told.done.text.split("\n") == true


async def test_several_calls_that_answer_together_are_told_by_their_own_sentences(own_home: Path) -> None:
    count = {
        "connection_name": "Đơn hàng",
        "operation": "count",
        "filters": {"Sàn": "Shopee"},
        "answers": True,
    }
    total = {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu", "answers": True}
    both = [{"function": {"name": "aggregate_data", "arguments": each}} for each in (count, total)]
    with desk(own_home, Reply("", tool_calls=both), "never asked") as (analyst, server):
        told = await analyst.ask("Shopee được mấy đơn, rồi cả thảy thu về bao nhiêu vậy hử")
        asked = len(server.chats)
    assert asked == 1
    assert told.done.text.startswith("Số đơn (Sàn: Shopee): 4 đơn\n\nTổng doanh thu: 267.250.000 VND")


@pytest.mark.parametrize(
    "follow_up",
    [
        "cái tệ nhất được bao nhiêu đơn",
        "How many units of the worst one?",
        "không phải Shopee, Lazada mới đúng",
        "số lượng thấp nhất",
        "còn tháng 10/2026",
        "doanh thu và số đơn tháng 11/2026",
        "so sánh doanh thu tháng 10/2026 với tháng 11/2026",
        "doanh thu không tính Shopee",
        "tại sao doanh thu giảm",
    ],
)
async def test_what_leans_on_the_answer_before_or_wants_more_is_the_models(
    own_home: Path, follow_up: str
) -> None:
    best = {"connection_name": "Đơn hàng", "sort_field": "Số lượng", "group_by": "Sản phẩm", "answers": True}
    with desk(own_home, call("get_top_items", best), call()) as (analyst, server):
        server.default = lambda _request: Reply("Bạn muốn xem gì?")
        await analyst.ask("mấy món bán được nhất xếp hạng giúp tôi nghen")
        before = len(server.chats)
        await analyst.ask(follow_up)
        asked = server.chats[before]
    question = asked.messages[-1]["content"]
    assert asked.body.get("tools")
    assert "get_top_items" in question
    assert '["name","sum(Số lượng)"],' in question
    assert '["Quần jean",151]' in question
    assert follow_up in question


async def test_facts_keep_a_negation(own_home: Path) -> None:
    with desk(own_home, call(), SAID) as (analyst, server):
        await analyst.ask("ủa không phải Shopee, Lazada kia mà, tháng 11/2026 á")
        question = server.chats[0].messages[-1]["content"]
    assert "“không phải Shopee” leaves out Shopee (Sàn)" in question
    assert "“Lazada” is the value Lazada (Sàn)" in question
    assert "“tháng 11/2026” = 2026-11-01 .. 2026-11-30" in question


@pytest.mark.parametrize(
    ("turns", "fact"),
    [
        (
            ("doanh thu bỏ Shopee với Lazada thì cỡ nào zậy",),
            "“Lazada” is the value Lazada (Sàn), left out too",
        ),
        (("revenue without Shopee and Lazada kinda",), "“Lazada” is the value Lazada (Sàn), left out too"),
        (("ủa không phải Shopee, Lazada kia mà cỡ nào zậy",), "“Lazada” is the value Lazada (Sàn);"),
        (
            ("doanh thu quý 1/2024", "so với cùng kỳ năm ngoái thì ra răng hè"),
            "“cùng kỳ năm ngoái” = 2023-01-01 .. 2023-03-31",
        ),
    ],
)
async def test_facts_are_of_what_is_asked_about(own_home: Path, turns: tuple[str, ...], fact: str) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: call()
        for turn in turns:
            await analyst.ask(turn)
        question = next(m for m in server.chats[-1].messages[::-1] if "Facts:" in str(m["content"]))
    assert fact in question["content"].replace("\nQuestion", ";")


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("tháng 11/2026", "2026-11-01 .. 2026-11-30 (data until 2026-11-20)"),
        ("từ đầu tháng", "2026-11-01 .. 2026-11-22 (data until 2026-11-20)"),
        ("tháng 10/2026", "2026-10-01 .. 2026-10-31\n"),
        ("1/11/2026 - 20/11/2026", "2026-11-01 .. 2026-11-20\n"),
    ],
)
async def test_a_period_beyond_the_last_day_with_data_says_so(own_home: Path, said: str, fact: str) -> None:
    with desk(own_home, call(), SAID) as (analyst, server):
        await analyst.ask(f"doanh thu {said} cỡ nào zậy hử")
        question = server.chats[0].messages[-1]["content"]
    assert f"” = {fact}" in question, question


@pytest.mark.parametrize(("limit", "shown"), [(3, ""), (8, '"rows_shown":"')])
async def test_rows_that_were_cut_say_how_many_there_are(own_home: Path, limit: int, shown: str) -> None:
    top = {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "limit": limit, "answers": True}
    with desk(own_home, call("get_top_items", top), call()) as (analyst, server):
        server.default = lambda _request: Reply("Bạn muốn xem gì?")
        await analyst.ask("mấy đơn được nhất xếp hạng giúp tôi nghen")
        before = len(server.chats)
        await analyst.ask("cái tệ nhất được bao nhiêu đơn")
        question = server.chats[before].messages[-1]["content"]
    assert ('"rows_shown":' in question) is bool(shown)
    assert not shown or f'{shown}5 of {limit}"' in question


async def test_a_difference_to_a_row_that_was_shown_before_stands(own_home: Path) -> None:
    top = {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "group_by": "Sàn", "answers": True}
    shopee = {**SUM, "filters": {"Sàn": "Shopee"}}
    true, false = "Shopee hơn Lazada 20.000.000 VND.", "Lazada hơn Website 20.000.000 VND."
    with desk(own_home, call("get_top_items", top), call(arguments=shopee)) as (analyst, server):
        server.default = lambda _request: Reply(f"Shopee đạt 100.000.000 VND. {true} {false}")
        await analyst.ask("mấy sàn được nhất xếp hạng giúp tôi nghen")
        told = await analyst.ask("tại sao doanh thu giảm")
    assert true in told.done.text, told.done.text
    assert false not in told.done.text


async def test_a_key_of_several_parts_is_told_in_words(own_home: Path) -> None:
    key = {"sàn": "$Sàn", "sản phẩm": "$Sản phẩm"}
    stages = [{"$group": {"_id": key, "tiền": {"$sum": "$Doanh thu"}}}, {"$sort": {"tiền": -1}}]
    grouped = {"connection_name": "Đơn hàng", "pipeline": stages, "description": "Tiền", "answers": True}
    with desk(own_home) as (analyst, server):
        server.default = lambda _request: call("execute_aggregation", grouped)
        told = await analyst.ask("sàn với món nào ra nhiều tiền hơn zậy hử")
        await analyst.ask("ủa không phải Shopee, Lazada kia mà cỡ nào zậy")
        question = next(
            m["content"] for m in server.chats[-1].messages[::-1] if "Facts:" in str(m["content"])
        )
    for text in (told.done.text, question):
        assert "sàn: Shopee, sản phẩm: Áo thun" in text
        assert "{'" not in text


async def test_every_prompt_says_who_asks_when_and_what_was_said(own_home: Path) -> None:
    with desk(own_home) as (analyst, server):
        server.default = lambda request: call() if request.body.get("tools") else Reply('{"intent": "chat"}')
        for turn in ("Tổng doanh thu tháng 1/2024", "doanh thu theo sàn", *["ừ thì cũng tàm tạm vậy á"] * 8):
            await analyst.ask(turn)
        classified = [each for each in server.chats if "classifier" in str(each.messages[0]["content"])]
        spoken = [each for each in server.chats if "trợ lý AI thân thiện" in str(each.messages[0]["content"])]
        await analyst.ask("Shopee bán được cỡ nào zậy hử")
        agent = server.chats[-1].messages
    first, last = classified[0].messages, classified[-1].messages
    assert first[:-1] == last[:-1]
    assert "user: doanh thu theo sàn" in last[-1]["content"]
    assert count(last, None) <= 2_000
    question = next(m["content"] for m in agent[::-1] if "Facts:" in str(m["content"]))
    for said in (first[-1]["content"], last[-1]["content"], spoken[-1].messages[0]["content"], question):
        assert "2026-11-22" in said
        assert "staff" in said


async def test_no_prompt_holds_a_telephone_number(own_home: Path) -> None:
    people = "Tên,Điện thoại,Thư,Nợ\n" + "".join(
        f"Khách {n},0{912345670 + n},k{n}@thu.vn,{n}000\n" for n in range(1, 9)
    )
    listed = call("get_data_schema", {"connection_name": "Khách"})
    with OllamaDouble() as server:
        server.script(listed, "Bạn hỏi gì?")
        with analyst_at(own_home, people, names=("Khách",), OLLAMA_HOST=server.url) as analyst:
            await analyst.ask("xem thử khách nào nợ dai nhất giùm nha")
            sent = json.dumps([chat.messages for chat in server.chats], ensure_ascii=False)
    assert "Khách 1" in sent
    assert "91234567" not in sent
    assert "@thu.vn" not in sent


async def test_the_beginning_of_a_prompt_stays_from_turn_to_turn(own_home: Path) -> None:
    def asks_back(request: Request) -> Reply:
        return Reply("Bạn muốn xem số liệu nào?" if request.body.get("tools") else '{"intent": "data_query"}')

    with desk(own_home) as (analyst, server):
        server.default = asks_back
        for number in range(16):
            await analyst.ask(f"coi thử cái vụ {number} kia sao rồi hử")
        prompts = [chat.messages for chat in server.chats if chat.body.get("tools")]
    same = 0
    for before, after in itertools.pairwise(prompts):
        kept = sum(
            1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        )
        size = [sum(len(json.dumps(message)) for message in part) for part in (after[:kept], after)]
        same += size[0] >= 0.8 * size[1]
    assert len(prompts) >= 10
    assert same >= 0.8 * (len(prompts) - 1)


async def test_an_answer_from_what_was_shown_stands_without_a_call(own_home: Path) -> None:
    again = "Như đã nói, tháng 1/2024 bán được 150.000.000 VND."
    with desk(own_home, call(), SAID, again) as (analyst, _):
        await analyst.ask(QUESTION)
        told = await analyst.ask(QUESTION)
    assert told.done.text == again
    assert told.done.metadata["answered"] is True


async def test_figures_that_were_shown_ground_what_is_worked_out_from_them(own_home: Path) -> None:
    pieces = {**SUM, "field": "Số lượng", "date_to": "2026-12-31"}
    listed = call(arguments={**pieces, "group_by": "Sàn", "answers": "text"})
    alone = "Shopee 208 cái và Lazada 151 cái cộng lại 359 cái, chiếm 98,1% trong 366 cái."
    beside = "Shopee 208 cái và Lazada 151 cái cộng lại chiếm 98,1% trong tất cả 366 cái."
    replies = iter([listed, Reply(alone), call(arguments=pieces), Reply(beside)])
    with desk(own_home) as (analyst, server):
        server.default = lambda request: (
            next(replies) if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        await analyst.ask("vụ sàn kia đi tới đâu rồi hử")
        first = await analyst.ask("hai cái đứng đầu nhập vô thành cỡ nào zậy hử")
        second = await analyst.ask("hai cái đó so với cả đám ra cỡ nào zậy hử")
    assert (first.done.text, second.done.text.splitlines()[0]) == (alone, beside)
    assert not list(replies)


async def test_a_figure_that_nobody_saw_needs_a_call(own_home: Path) -> None:
    lie = "Như đã nói, tháng 1/2024 bán được 151.000.000 VND."
    with desk(own_home, call(), SAID, lie) as (analyst, _):
        await analyst.ask(QUESTION)
        told = await analyst.ask(QUESTION)
    assert "151.000.000" not in told.done.text


async def test_a_sum_that_the_model_asked_for_says_which_orders_it_holds(own_home: Path) -> None:
    november = {**SUM, "date_from": "2026-11-01", "date_to": "2026-11-30"}
    finished = {**november, "filters": {"Trạng thái": "Hoàn thành"}}
    question = "tháng 11/2026 bán được bao nhiêu tiền?"
    with desk(own_home, call(arguments=november), "Là 107.750.000 VND.") as (analyst, _):
        told = await analyst.ask(question)
    with desk(own_home / "b", call(arguments=finished), "Là 77.750.000 VND.") as (analyst, _):
        only = await analyst.ask(question)
    assert told.done.text.startswith("Là 107.750.000 VND.")
    assert "Đã hủy" in told.done.text
    assert "77.750.000 VND" in told.done.text
    assert only.done.text.startswith("Là 77.750.000 VND.")
    assert "Đã hủy" not in only.done.text


async def test_a_false_sentence_is_cut_alone_and_what_follows_from_the_rows_stays(own_home: Path) -> None:
    by = {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu", "group_by": "Sàn"}
    true = (
        "Shopee gấp 2 lần Lazada, chiếm 59,1%. Bốn sàn cộng lại 267.250.000 VND, "
        "trung bình mỗi sàn 66.812.500 VND."
    )
    with desk(own_home, call(arguments=by), f"{true} Năm sau chắc sẽ lên 900 triệu.") as (analyst, server):
        told = await analyst.ask("sàn nào bán tốt hơn hẳn vậy ta")
        asked = len(server.chats)
    assert told.done.text.startswith(true)
    assert "900" not in told.done.text
    assert asked == 2
    (notice,) = told.all(Notice)
    assert "900 triệu" in notice.message
    assert "59,1" not in notice.message


async def test_the_ranking_before_a_row_is_told_by_its_name_and_first_rows(own_home: Path) -> None:
    found = {"Mã đơn": ["D003", "D004", "D005", "D007"]}
    rows = {"connection_name": "Đơn hàng", "sort_field": "Doanh thu", "filters": found, "answers": "text"}
    with desk(own_home) as (analyst, server):
        replies = iter([call("get_top_items", rows), Reply("Theo tiêu chí nào?")])
        server.default = lambda request: (
            next(replies) if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        for text in (
            "Top 3 sản phẩm theo doanh thu tháng 11/2026",
            "mấy đơn đó ra răng hè",
            "còn cái đứng nhì ra răng hè",
        ):
            await analyst.ask(text)
        question = str(server.chats[-1].messages[-1]["content"])
    shown = json.loads(question[question.index("{") :].splitlines()[0])
    assert "doanh thu" in shown["before"]["name"]
    assert "11/2026" in shown["before"]["name"]
    assert shown["before"]["rows"][0] == ["Áo thun", 47_750_000]
    assert len(shown["before"]["rows"]) == 2
    assert len(shown["rows"]) >= 4


async def test_a_single_figure_is_in_the_last_answer(own_home: Path) -> None:
    with desk(own_home, call(), SAID) as (analyst, server):
        server.default = lambda _request: Reply("Bạn muốn xem gì?")
        await analyst.ask(QUESTION)
        await analyst.ask("vậy là gấp mấy lần cái hồi đó zậy hử")
        question = server.chats[-1].messages[-1]["content"]
    assert '"values":[150000000]' in question


@pytest.mark.parametrize("last", ["tính đến 20/11/2026", "(1/11 - 20/11)", "tới ngày 20/11"])
@pytest.mark.parametrize("said", [True, False])
async def test_days_that_the_words_say_are_not_said_again(own_home: Path, last: str, said: bool) -> None:
    month = {**SUM, "date_from": "2026-11-01", "date_to": "2026-11-30"}
    text = f"Tháng 11/2026 {last if said else ''} bạn thu 107.750.000 VND."
    with desk(own_home, call(arguments=month), text) as (analyst, _):
        told = await analyst.ask("tháng 11/2026 thu vô cỡ nào zậy hử")
    assert told.done.text.startswith("Tháng 11/2026")
    assert ("chưa kết thúc" in told.done.text) is not said


async def test_of_several_figures_each_without_lost_orders_has_its_name(own_home: Path) -> None:
    month = {**SUM, "date_from": "2026-11-01", "date_to": "2026-11-20"}
    with desk(own_home, call(), call(arguments=month), "150.000.000 VND và 107.750.000 VND.") as (analyst, _):
        told = await analyst.ask("hai cái tháng đó thu vô cỡ nào zậy hử")
    assert "Tổng doanh thu 1/11/2026 - 20/11/2026: 77.750.000 VND" in told.done.text
