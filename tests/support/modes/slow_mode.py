"""A third party's mode for tests: it waits in the middle of its answer and of its ingest until it is stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any, TypedDict

from troly.errors import InputError
from troly.plugin.context import Step, TurnContext, traced
from troly.plugin.contract import Graph, Ingest, IngestOutcome, IngestRequest, Mode, Outcome
from troly.plugin.events import Chart, Item, ItemList, Notice, Progress, Say, Series, Table

WAIT, FAIL, BREAK = "wait", "fail", "break"


class Said(TypedDict, total=False):
    """The question, repeated."""

    said: str


async def node(state: Mapping[str, Any], turn: TurnContext, step: Step) -> Mapping[str, Any]:
    step.note("waits", "rules")
    turn.emit(Say("Một chút ạ", "ack"))
    turn.emit(Progress("đang đọc", 40.0))
    turn.emit(Notice("warning", "Lưu ý", "thiếu bảng"))
    turn.emit(Table(("Sản phẩm", "Giá"), (("Nồi cơm", "1.000"), ("Ấm", "90")), "Bảng giá", (1,)))
    turn.emit(ItemList((Item("Nồi", "1,8 l", "chi tiết"),), "Danh sách"))
    turn.emit(Chart("bar", ("T1", "T2"), (Series("bán", (1.0, 2.5)),), "Doanh số", "triệu"))
    turn.say("phần đầu ")
    if turn.text == WAIT:
        await asyncio.Event().wait()
    if turn.text == BREAK:
        raise RuntimeError("no such thing")
    turn.say(f"của {turn.profile.login}/{turn.profile.role}")
    return {"said": turn.text}


def graph() -> Graph:
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(Said, context_schema=TurnContext)
    builder.add_node("node", traced("node", node))
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    compiled: Graph = builder.compile()
    return compiled


def load(request: IngestRequest) -> IngestOutcome:
    """A file with `wait` waits until it is cancelled, one with `fail` has nothing good in it."""
    text = request.file.read_text("utf-8").strip()
    if text == FAIL:
        return IngestOutcome({"rows": 0, "rejected": 25}, tuple(f"line {n}: bad" for n in range(1, 26)))
    if text == BREAK:
        raise InputError("turn.empty")
    rows = 0
    while text == WAIT and not request.cancelled():
        rows += 1
        request.progress(rows, None, "rows")
        request.file.with_suffix(".started").touch()
        threading.Event().wait(0.01)
    published = text != WAIT and not request.dry_run
    return IngestOutcome({"rows": 3, "rejected": 1}, ("line 2: bad",), published, "summary of the load")


MODE = Mode(
    id="slow",
    names={"vi": "Chậm", "en": "Slow"},
    summaries={"vi": "Chờ.", "en": "Waits."},
    persona="slow",
    accent="#aa5500",
    first_questions={"vi": ("a", "b", "c"), "en": ("a", "b", "c")},
    graph=graph,
    start=lambda turn: {"said": turn.text},
    finish=lambda state: Outcome({"said": state.get("said", "")}),
    state_fields=("said",),
    opening=lambda _services, _lang: None,
    ingests=(
        Ingest("slowrows", {"vi": "Nạp chậm.", "en": "Load slowly."}, "app ingest slowrows FILE", load),
    ),
)
