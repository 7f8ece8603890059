"""The two examples of the documents from the command line, with the samples that ship and no model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.process.command_line import CommandLine

VALUES = "giá trị cốt lõi, muộn có ảnh hưởng đến giá trị nào không"
LEAVE = "Tính toán chi phí nghỉ phép và so sánh với chính sách công ty"
STAFF = '[users.an]\npermissions = ["public", "private"]\ndepartment = "hr"\n'


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], own_home: Path) -> CommandLine:
    """The program of a person who works in hr."""
    monkeypatch.setenv("LOGNAME", "an")
    (own_home / "config").mkdir(parents=True, exist_ok=True)
    (own_home / "config" / "users.toml").write_text(STAFF, encoding="utf-8")
    return CommandLine(monkeypatch, capsys)


def asked(app: CommandLine, question: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All events of one question, and the state at its end."""
    ran = app.run(
        "ask", "--mode", "rag", "--offline", "--lang", "vi", "--now", "2026-11-22", "--json", question
    )
    assert ran.code == 0, ran.err
    end = ran.events[-1]
    assert end["event"] == "TurnCompleted"
    return ran.events, end["state"]


def test_core_values_and_being_late(app: CommandLine) -> None:
    events, state = asked(app, VALUES)
    routing = state["routing"]
    assert routing["original_query"] == VALUES
    assert {name: len(part["queries"]) for name, part in routing["agents"].items()} == {"general": 1, "hr": 2}
    assert routing["permission"] == {"user_access": ["public", "private"]}
    for value in ("Khách hàng trước tiên", "Chính trực", "Hợp tác", "Kỷ luật", "KPI"):
        assert value in state["answer"]
    assert "Trách nhiệm" not in state["answer"], "004 C5"
    assert [one["scope"] for one in state["evidence"]] == ["public", "private"]
    flow = {step["node_id"]: step for step in state["flow_action"]}
    assert flow["hr#summary"]["depends_on"] == ["hr#rag:1", "hr#rag:2"]
    assert flow["ConflictResolver"]["resolved_conflicts"] >= 1
    assert state["execution_metadata"]["accessible_departments"] == ["general", "hr", "it"]
    assert {"Plan", "Conflict", "Sources", "Suggestions"} <= {event["event"] for event in events}


def test_the_cost_of_leave_held_against_the_rules(app: CommandLine) -> None:
    _, state = asked(app, LEAVE)
    assert state["routing"]["refined_query"] == LEAVE
    assert list(state["routing"]["agents"]) == ["hr"]
    assert state["routing"]["agents"]["hr"]["sequential_tools"] == ["rag_tool", "summary_tool", "math_tool"]
    assert "14 ngày phép năm" in state["answer"]
    # No pay was told, so no sum is made up.
    assert "Cần thêm lương tháng" in state["answer"]
    _, with_figures = asked(app, f"Lương 26 triệu, nghỉ phép 3 ngày: {LEAVE}")
    assert "3.000.000 VND" in with_figures["answer"]


def test_somebody_without_rights_gets_what_is_public(app: CommandLine, own_home: Path) -> None:
    (own_home / "config" / "users.toml").write_text("", encoding="utf-8")
    events, state = asked(app, VALUES)
    assert "Khách hàng trước tiên" in state["answer"]
    assert {one["scope"] for one in state["evidence"]} == {"public"}
    assert list(state["routing"]["agents"]) == ["general", "hr"]
    assert "200.000" not in str(events)
    assert "chưa có quyền xem" in state["answer"]
