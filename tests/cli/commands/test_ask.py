"""`app ask`: one question in, an answer on stdout and nothing else there; events as JSON lines on demand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.ollama.double import OllamaDouble
from tests.support.process.command_line import CommandLine, of_type


def test_the_answer_is_on_stdout_and_the_rest_on_stderr(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "chào", "bạn", "--offline", "--details")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "Một chút ạ",
        "",
        "Bảng giá",
        "Sản phẩm    Giá",
        "--------  -----",
        "Nồi cơm   1.000",
        "Ấm           90",
        "",
        "Danh sách",
        "1. Nồi - 1,8 l",
        "   chi tiết",
        "",
        "Doanh số (triệu)",
        "    bán",
        "--  ---",
        "T1    1",
        "T2  2.5",
        "",
        "phần đầu của an/staff",
    ]
    assert "thiếu bảng" in ran.err
    assert ran.err.splitlines()[-1].startswith("rules · ")
    assert "đang đọc" not in ran.err


def test_entries_are_one_line_each_unless_all_is_wanted(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "chào", "--offline", "--lang", "en")
    assert "1. Nồi - 1,8 l" in ran.out.splitlines()
    assert "chi tiết" not in ran.out
    assert ran.err.splitlines()[-1].endswith("--details")


def test_the_question_may_come_through_a_pipe(app: CommandLine, third_party: Path) -> None:
    for raw in ("xin chào\n".encode(), b"\xef\xbb\xbfxin", "xin chào".encode("utf-16")):
        ran = app.run("ask", "--mode", "slow", "--json", stdin=raw)
        assert ran.code == 0
        assert of_type(ran.events, "TurnStarted")[0]["text"].startswith("xin")


@pytest.mark.parametrize("raw", [b"", b"  \n", b"\xff\xfa\xfb\xfc"])
def test_a_pipe_without_a_question_is_one_sentence(app: CommandLine, third_party: Path, raw: bytes) -> None:
    ran = app.run("ask", "--mode", "slow", stdin=raw)
    assert (ran.code != 0, ran.out) == (True, "")
    assert len(ran.err.splitlines()) == 1


def test_events_as_json_keep_the_contract(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "--json", "--now", "2026-11-22", "x")
    assert ran.code == 0
    names = [event["event"] for event in ran.events]
    assert names[0] == "TurnStarted"
    assert names.count("TurnCompleted") == 1
    assert names[-1] == "TurnCompleted"
    for event in ran.events:
        assert (event["mode"], len({event["conversation"]}), "id" in event) == ("slow", 1, False)
        assert event["conversation"]
        assert event["turn"]
    done = ran.events[-1]
    assert done["text"] == "Một chút ạ\n\nphần đầu của an/staff"
    assert done["state"] == {"said": "x"}
    assert (done["source"], done["calls"]) == ("rules", 0)
    assert done["ms"] > 0


def test_a_conversation_goes_on_and_belongs_to_its_owner(app: CommandLine, third_party: Path) -> None:
    first = app.run("ask", "--mode", "slow", "--json", "một").events[-1]["conversation"]
    second = app.run("ask", "--mode", "slow", "--json", "--conversation", first, "hai")
    assert second.events[-1]["conversation"] == first
    own = app.run("ask", "--json", "--conversation", first, "của ai")
    assert {(event["mode"], event["conversation"]) for event in own.events} == {("slow", first)}
    lost = app.run("ask", "--conversation", "no-such-id", "của ai")
    assert (lost.code, lost.out) == (1, "")
    other = app.run("ask", "--mode", "slow", "--user", "binh", "--conversation", first, "ba")
    assert (other.code, other.out) == (1, "")
    assert app.run("conversations", "show", first).out.count("ba") == 0


def test_a_failed_turn_keeps_its_text_and_exits_1(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "break")
    assert ran.code == 1
    assert "phần đầu" in ran.out
    assert "no such thing" in ran.err
    failed = app.run("ask", "--mode", "slow", "--json", "break").events[-1]
    assert failed["event"] == "TurnFailed"
    assert all(failed[part] for part in ("title", "message", "remedy"))


@pytest.mark.parametrize("mode", ["nowhere", "torn"])
def test_an_unknown_or_broken_mode_is_told(app: CommandLine, third_party: Path, mode: str) -> None:
    ran = app.run("ask", "--mode", mode, "x")
    assert (ran.code, ran.out) == (6, "")
    assert mode in ran.err
    events = app.run("ask", "--mode", mode, "--json", "x")
    assert events.code == 1
    assert [event["event"] for event in events.events] == ["TurnFailed"]


def test_another_user_only_where_the_settings_allow_it(
    app: CommandLine, third_party: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = app.run("ask", "--mode", "slow", "--user", "binh", "x")
    assert "của binh/staff" in allowed.out
    monkeypatch.setenv("TROLY_IDENTITY__IMPERSONATION", "no")
    refused = app.run("ask", "--mode", "slow", "--user", "somebody-else", "x")
    assert (refused.code, refused.out) == (7, "")
    line = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin='{"text": "x", "role": "admin"}\n')
    assert line.code == 1
    assert line.events[0]["code"] == "access.impersonation"


@pytest.mark.parametrize("now", ["soon", "2026-13-01", ""])
def test_a_moment_that_is_none_is_refused(app: CommandLine, third_party: Path, now: str) -> None:
    ran = app.run("ask", "--mode", "slow", "--now", now, "x")
    assert (ran.code, ran.out) == (3, "")
    assert now in ran.err


def test_wrong_settings_are_one_sentence_and_exit_6(
    app: CommandLine, third_party: Path, own_home: Path
) -> None:
    (own_home / "config").mkdir(parents=True)
    (own_home / "config" / "config.toml").write_text('langauge = "vi"\n', encoding="utf-8")
    ran = app.run("ask", "--mode", "slow", "x")
    assert (ran.code, ran.out) == (6, "")
    assert "language" in ran.err


@pytest.mark.parametrize("question", ["xin chào", "bảo hành ABC123", "laptop dưới 20 triệu"])
def test_a_persona_path_that_leads_nowhere_is_said_once_and_the_shipped_voice_answers(
    app: CommandLine, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setenv("PERSONA_PATH", "/nowhere/voice_vi.md")
    ran = app.run("ask", "--offline", "--lang", "vi", question)
    assert ran.code == 0
    assert ran.out.strip()
    assert ran.err.count("/nowhere/voice_vi.md") == 1


def test_another_model_than_the_one_set_is_told(app: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with OllamaDouble() as server:
        del server.models["gpt-oss:latest"]
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        said = app.run(
            "ask", "--mode", "dental", "--lang", "vi", "niềng răng có làm mỏi hàm khi ngủ trưa không"
        )
        told = app.run("ask", "--mode", "dental", "--json", "niềng răng có làm mỏi hàm khi ngủ trưa không")
    assert server.chats
    assert "gpt-oss" not in said.out
    assert "`gpt-oss` chưa được cài; `qwen2.5:7b-instruct` trả lời thay." in said.err
    assert "app models pull gpt-oss" in said.err
    notices = [event for event in of_type(told.events, "Notice") if "gpt-oss" in event["message"]]
    assert [(notice["level"], "app models pull gpt-oss" in notice["remedy"]) for notice in notices] == [
        ("warning", True)
    ]
