"""The data agent on a real (double) Ollama: tool calls, malformed calls, endless loops, errors in the middle, replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.modes.analysis import Analyst, analyst_at
from tests.support.ollama.double import Fault, OllamaDouble, Reply, Request
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
    assert '"Doanh thu": "money VND"' in system["content"]


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
    with desk(own_home, call(arguments={**by_platform, "answers": True, "chart": "share"})) as (
        analyst,
        server,
    ):
        told = await analyst.ask("vẽ tròn doanh thu từng sàn coi bá cháy không")
        asked = len(server.chats)
    assert asked == 1
    assert told.done.text.startswith("Tổng doanh thu theo sàn:")
    assert [chart.kind for chart in told.all(Chart)] == ["share"]
    assert "answers" not in told.state["tool_calls"][1]["arguments"]


async def test_only_the_sentence_with_a_strange_figure_is_cut(own_home: Path) -> None:
    said = "Tháng 1/2024 bán được 150.000.000 VND. Dự kiến tháng sau 200.000.000 VND."
    with desk(own_home, call(), said) as (analyst, server):
        told = await analyst.ask(QUESTION)
        asked = len(server.chats)
    assert told.done.text == "Tháng 1/2024 bán được 150.000.000 VND."
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
    assert second.done.text == "Xin chào bạn! Tôi giúp bạn xem số liệu."
    assert second.done.source == "mixed"
