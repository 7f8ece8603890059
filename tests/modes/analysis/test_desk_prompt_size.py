"""How long the data agent's prompt is for the sheets that ship, what it holds, and that it fits a small window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.modes.analysis.test_desk_model import call
from tests.support.modes.analysis import Analyst, analyst_at
from tests.support.ollama.double import OllamaDouble, Reply, Request
from troly.llm.prompts import count
from troly.text.catalogue import LANGS, Lang

SHEETS = Path(__file__).parents[3] / "data" / "sheets"
FILES = {"Đơn hàng": "don-hang.csv", "Khách hàng": "khach-hang.csv", "Sản phẩm": "san-pham.csv"}
QUESTION: dict[Lang, str] = {
    "vi": "Shopee bán được cỡ nào zậy hử",
    "en": "could you kindly check how the Shopee revenue is doing mate",
}
SUM = {"connection_name": "Đơn hàng", "operation": "sum", "field": "Doanh thu", "answers": True}


def shipped(home: Path, server: OllamaDouble, **env: str) -> Any:
    texts = [(SHEETS / file).read_text(encoding="utf-8-sig") for file in FILES.values()]
    return analyst_at(home, *texts, names=tuple(FILES), OLLAMA_HOST=server.url, **env)


async def prompt_of(analyst: Analyst, server: OllamaDouble, lang: Lang) -> Request:
    server.default = lambda request: (
        call(arguments=SUM) if request.body.get("tools") else Reply('{"intent": "data_query"}')
    )
    told = await analyst.ask(QUESTION[lang], language=lang)
    assert "VND" in told.done.text
    return next(request for request in server.chats if request.body.get("tools"))


@pytest.mark.parametrize("lang", LANGS)
async def test_each_prompt_takes_about_two_thousand_tokens_and_four_fifths_of_them_stay(
    own_home: Path, lang: Lang
) -> None:
    listed = {**SUM, "group_by": "Tỉnh thành"}
    with OllamaDouble() as server, shipped(own_home, server) as analyst:
        first = await prompt_of(analyst, server, lang)
        server.default = lambda request: (
            call(arguments=listed) if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        for _ in range(5):
            await analyst.ask(f"{QUESTION[lang]}, Lazada", language=lang)
        prompts = [request for request in server.chats if request.body.get("tools")]
    assert "date_field" not in json.dumps(first.body["tools"])
    assert len(prompts) == 6
    stays, whole = 0.0, 0.0
    for sent in prompts:
        tools, said = sent.body["tools"], [str(message["content"]) for message in sent.messages]
        assert count(sent.messages, tools) <= (2_900 if sent is first else 3_200)
        assert said[:3] == [str(message["content"]) for message in first.messages[:3]]
        # What models really count: 3.6 characters a token of JSON in English, 2.6 of Vietnamese, 4 of English.
        system = len(said[0]) / (2.8 if lang == "vi" else 4)  # holds JSON too
        parts = [
            len(json.dumps(tools, ensure_ascii=False)) / 3.6,
            system,
            *(len(text) / 2.6 for text in said[1:]),
        ]
        assert sum(parts) <= 2_000, said[3:]
        stays, whole = stays + sum(parts[:4]), whole + sum(parts)
    assert stays >= 0.8 * whole, stays / whole


async def test_short_columns_are_told_whole_and_no_name_is_cut(own_home: Path) -> None:
    with OllamaDouble() as server, shipped(own_home, server) as analyst:
        sent = await prompt_of(analyst, server, "vi")
    values = json.loads(next(m["content"] for m in sent.messages if m["role"] == "tool"))
    orders = values["Đơn hàng"]
    told = {name: orders[name].split(" | ") for name in ("Kênh", "Trạng thái", "Tỉnh thành", "Thanh toán")}
    assert {name: len(each) for name, each in told.items()} == {
        "Kênh": 4, "Trạng thái": 5, "Tỉnh thành": 10, "Thanh toán": 4,
    }  # fmt: skip
    assert "Thừa Thiên Huế" in told["Tỉnh thành"]
    assert len(orders["Sản phẩm"].split(" | ")) == 32
    assert values["Khách hàng"]["Họ tên"].endswith(" …, 2017 in all")
    assert "Mã đơn" not in orders  # of many codes none says more than the column's name
    assert len(values["Sản phẩm"]["Nhóm hàng"].split(" | ")) == 7


async def test_a_sheet_alone_has_room_for_all_its_products(own_home: Path) -> None:
    products = (SHEETS / "san-pham.csv").read_text(encoding="utf-8-sig")
    with OllamaDouble() as server, analyst_at(own_home, products, OLLAMA_HOST=server.url) as analyst:
        server.default = lambda request: (
            Reply("Bạn hỏi gì?") if request.body.get("tools") else Reply('{"intent": "data_query"}')
        )
        await analyst.ask("mấy món tồn kho ra sao rồi hử")
        sent = next(request for request in server.chats if request.body.get("tools"))
    values = json.loads(next(m["content"] for m in sent.messages if m["role"] == "tool"))
    assert len(values["Đơn hàng"]["Tên sản phẩm"].split(" | ")) == 32


async def test_a_small_window_still_answers_and_keeps_the_tools_and_the_question(own_home: Path) -> None:
    with OllamaDouble(context=4096) as server, shipped(own_home, server) as analyst:
        sent = await prompt_of(analyst, server, "vi")
        for _ in range(6):
            await analyst.ask(QUESTION["vi"])
        last = server.chats[-1]
    assert len(sent.body["tools"]) == len(last.body["tools"]) == 5
    assert QUESTION["vi"] in last.messages[-1]["content"]
    assert last.messages[0]["role"] == "system"


async def test_a_window_that_nothing_fits_is_named_for_what_fills_it(own_home: Path) -> None:
    with OllamaDouble(context=1024) as server, shipped(own_home, server) as analyst:
        told = await analyst.ask(QUESTION["vi"])
        assert not any(request.body.get("tools") for request in server.chats)
    assert any(
        "công cụ" in notice.message and "context_tokens" in str(notice.remedy) for notice in told.notices
    )
