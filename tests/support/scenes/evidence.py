"""Scenes of the evidence drawer, of marking an answer as wrong, and of work beside the chat."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.screen.screens import NOW, Scene, settle
from troly.conversation.jobs import JobProgress
from troly.plugin.events import (
    Event,
    ModelCalled,
    StepFinished,
    StepStarted,
    Token,
    TurnCompleted,
    TurnStarted,
)
from troly.plugin.ingest_arguments import IngestKind
from troly.tui.chat.jobs import RunningJob
from troly.tui.chat.view import TurnEvidence
from troly.tui.dialogs.browse import BrowseScreen

QUESTION = "nghỉ phép năm được mấy ngày và ai duyệt"
ANSWER = "Nhân viên chính thức có 12 ngày phép năm; trưởng nhóm duyệt."
PROMPT = "Answer from the passages only.\n[1] Nhân viên chính thức có 12 ngày phép năm."
CALL: dict[str, Any] = {
    "task": "compose",
    "kind": "stream",
    "model": "gpt-oss:20b",
    "node": "final_response",
    "ms": 3200.0,
    "ttft_ms": 410.0,
    "prompt_tokens": 1834,
    "completion_tokens": 96,
    "window": 8192,
    "error": "",
}
STEPS: list[dict[str, Any]] = [
    {"node": "orchestrator", "ms": 42.5, "source": "rules", "detail": "câu hỏi hai phần, sang bước suy xét", "agent": "", "tool": "", "failed": False},
    {"node": "hr#rag:1", "ms": 12.0, "source": "rules", "detail": "2 đoạn, 1 đoạn không được xem", "agent": "hr", "tool": "rag_tool", "failed": False},
    {"node": "final_response", "ms": 3310.0, "source": "model", "detail": "1 nguồn · mọi ý đều có trong đoạn trích", "agent": "", "tool": "", "failed": False},
]  # fmt: skip
PASSAGES = {
    "event": "Sources",
    "items": [
        {"number": 1, "title": "Quy định nghỉ phép", "text": "Nhân viên chính thức có 12 ngày phép năm.", "where": "nghi-phep.md · Điều 3", "score": 0.912, "url": "", "facts": [["phạm vi", "nội bộ"]]},
        {"number": 2, "title": "Sổ tay nhân viên", "text": "Đơn xin nghỉ do trưởng nhóm duyệt.", "where": "so-tay.md", "score": 0.774, "url": "", "facts": []},
    ],
}  # fmt: skip
CONFLICT = {
    "event": "Conflict",
    "rule": "Văn bản mới hơn thắng.",
    "tie": False,
    "sides": [
        {"title": "Quy định 2026", "text": "12 ngày", "scores": [["độ mới", 0.9]], "facts": [], "wins": True},
        {
            "title": "Quy định 2023",
            "text": "10 ngày",
            "scores": [["độ mới", 0.3]],
            "facts": [],
            "wins": False,
        },
    ],
}
SQL = {
    "event": "Computation",
    "kind": "sql",
    "code": "SELECT count(*)\nFROM rooms\nWHERE price < 3000000",
    "explained": ["đếm phòng dưới 3 triệu"],
    "facts": [["dòng đã đọc", "1.204"]],
    "rerun": "/sql ",
}
TRACE: dict[str, Any] = {
    "steps": STEPS,
    "content": [PASSAGES, CONFLICT, SQL],
    "calls": [
        {
            **CALL,
            "wanted": "",
            "prompt": [{"role": "system", "content": PROMPT}, {"role": "user", "content": QUESTION}],
            "reply": ANSWER,
            "dropped": 2,
            "cut": 0,
            "tool_calls": [],
        }
    ],
    "skipped": [["guard", "offline"]],
    "cut": ["prompts"],
    "events": [["s", 0], ["c", 2], ["c", 0], ["s", 1], ["c", 1], ["s", 2]],
    "given": {
        "now": "2026-11-22T09:13:00+07:00",
        "language": "vi",
        "profile": {
            "login": "an",
            "name": "An",
            "role": "staff",
            "permissions": ["internal"],
            "department": "hr",
        },
        "data": {"datasets": {"rental": 3}, "documents": [12, ""]},
    },
}


def scene(pilot: Pilot[Any]) -> Scene:
    assert isinstance(pilot.app, Scene)
    return pilot.app


def events() -> list[Event]:
    """The events of the turn whose trace stands above."""
    told: list[Event] = [TurnStarted(QUESTION, "vi", "c1", "t1")]
    for step in STEPS:
        told += [StepStarted(step["node"], step["agent"], step["tool"]), StepFinished(**step)]
    told.insert(-1, ModelCalled(**CALL))
    return [*told, Token(ANSWER), TurnCompleted(ANSWER, {}, "mixed", 1, 3400.0)]


async def answered(pilot: Pilot[Any]) -> None:
    """An answer of a model, and its figures on the status line."""
    app = scene(pilot)
    app.fake.results["read_evidence"] = TurnEvidence("t1", TRACE, "mixed", 1)
    asked = await app.ask(pilot, QUESTION)
    asked.say(*events())
    await settle(app, pilot)


async def drawer(pilot: Pilot[Any]) -> None:
    """The drawer with the keys, read from the store."""
    await answered(pilot)
    app = scene(pilot)
    await pilot.press("f3")
    await until(lambda: app.chat.evidence.has_focus)
    await until(lambda: any("12 ngày" in str(line) or "▸" in str(line) for line in app.chat.evidence.lines))
    await settle(app, pilot)


async def opened(pilot: Pilot[Any]) -> None:
    """The last step open, with its call, prompt and reply."""
    await drawer(pilot)
    await pilot.press("down", "down", "enter", "down", "enter", "down", "enter")
    await settle(scene(pilot), pilot)


async def passages(pilot: Pilot[Any]) -> None:
    """The step of the search open: its query and its passages with their scores."""
    await drawer(pilot)
    await pilot.press("down", "enter", "down", "enter", "down", "enter", "down", "enter")
    await settle(scene(pilot), pilot)


async def marking(pilot: Pilot[Any]) -> None:
    """What is wrong with the answer?"""
    await answered(pilot)
    app = scene(pilot)
    await pilot.press("f12")
    await until(lambda: app.screen is not app.chat)
    await pilot.press("down")
    await pilot.pause()


async def marked(pilot: Pilot[Any]) -> None:
    """The mark stands on the message and in the drawer."""
    await marking(pilot)
    app = scene(pilot)
    app.fake.results["mark_wrong"] = "eval/rag.jsonl"
    await pilot.press(*"14", "enter")
    await until(lambda: app.controller.pane.messages[-1].wrong is not None)
    app.clear_notifications()
    await pilot.press("f3")
    await until(lambda: app.chat.evidence.has_focus)
    await settle(app, pilot)


async def working(pilot: Pilot[Any]) -> None:
    """A load runs while the chat goes on."""
    await answered(pilot)
    app = scene(pilot)
    app.jobs.running = RunningJob("Nạp warranty.csv", NOW.replace(minute=12), lambda: None)
    app.jobs._take("Nạp warranty.csv", JobProgress(2_400, 5_000, "rows"))
    await settle(app, pilot)


async def kinds(pilot: Pilot[Any]) -> None:
    """What can be loaded."""
    await answered(pilot)
    app = scene(pilot)
    kinds = (
        IngestKind("warranty", "shopping", {"vi": "Phiếu bảo hành (CSV)", "en": "Warranty list (CSV)"}, ()),
        IngestKind(
            "sheet", "analysis", {"vi": "Bảng số liệu (CSV, Excel)", "en": "A sheet (CSV, Excel)"}, ()
        ),
    )
    app.controller._kinds = lambda: kinds
    await app.run_action("ingest")
    await until(lambda: app.screen is not app.chat)
    await pilot.pause()


__all__ = ["answered", "drawer", "kinds", "marked", "marking", "opened", "passages", "working"]


async def full(pilot: Pilot[Any]) -> None:
    """The evidence on the whole screen, at the step that asked the model."""
    await drawer(pilot)
    app = scene(pilot)
    await pilot.press("f")
    await until(lambda: isinstance(app.screen, BrowseScreen) and app.screen.chosen is not None)
    await pilot.press("down", "down", "down")
    await settle(app, pilot)
