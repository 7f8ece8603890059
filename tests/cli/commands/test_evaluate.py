"""`app eval`: the table of accuracies, the misses, exit codes, and nothing left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.ollama.double import OllamaDouble
from tests.support.ollama.replies import as_reply
from tests.support.process.command_line import CommandLine
from troly.cli.commands.evaluate import share_of
from troly.cli.failures import UsageError

GOOD = {"id": "s1", "text": "giá laptop bao nhiêu", "form": "accented", "expect": {"intent": "shopping"}}
EN = {
    "id": "w1",
    "text": "check warranty ABC123",
    "form": "english",
    "expect": {"warranty_meta.serial": "ABC123"},
}
WRONG = {"id": "x1", "text": "xin chào", "form": "accented", "expect": {"intent": "warranty"}}


def _file(folder: Path, *cases: dict[str, Any] | str) -> str:
    path = folder / "cases.jsonl"
    lines = [case if isinstance(case, str) else json.dumps(case, ensure_ascii=False) for case in cases]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_table_by_field_and_form_and_the_misses(app: CommandLine, tmp_path: Path, own_home: Path) -> None:
    ran = app.run("eval", "shopping", "--file", _file(tmp_path, GOOD, EN, WRONG), "--lang", "en")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split() == ["Form", "intent", "warranty_meta.serial", "Whole", "cases"]
    assert lines[2].split() == ["all", "50.0%", "1/2", "100.0%", "1/1", "66.6%", "2/3"]
    assert lines[3].split() == ["accented", "50.0%", "1/2", "-", "50.0%", "1/2"]
    assert lines[4].split() == ["english", "-", "100.0%", "1/1", "100.0%", "1/1"]
    assert lines[-1].split() == ["x1", "xin", "chào", "intent", "warranty", "unknown"]
    assert not (own_home / "data").exists()


def test_the_least_accuracy_decides_the_exit_code(app: CommandLine, tmp_path: Path) -> None:
    file = _file(tmp_path, GOOD, WRONG)
    assert app.run("eval", "shopping", "--file", file, "--min", "50").code == 0
    missed = app.run("eval", "shopping", "--file", file, "--min", "0.51")
    assert missed.code == 1
    assert "intent" in missed.err
    assert "51.0%" in missed.err


def test_with_model_the_configured_models_are_asked(
    app: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsure = {"id": "m1", "text": "mọi thứ ổn cả chứ", "form": "accented", "expect": {"intent": "shopping"}}
    with OllamaDouble() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        server.default = lambda request: as_reply(
            {"intent": "shopping", "confidence": 0.95, "rationale": "x"}
            if request.body.get("format")
            else "Dạ.",
            request,
        )
        file = _file(tmp_path, unsure, EN)
        by_rules = app.run("eval", "shopping", "--file", file, "--json")
        assert not server.chats
        by_model = app.run("eval", "shopping", "--file", file, "--json", "--model")
        asked = [request for request in server.chats if "mọi thứ ổn cả chứ" in str(request.body)]
    assert json.loads(by_rules.out)["fields"]["intent"]["right"] == 0
    assert json.loads(by_model.out)["cases"] == {"right": 2, "total": 2, "accuracy": 1.0}
    assert {bool(request.body.get("format")) for request in asked} == {True, False}


def test_a_model_that_is_not_there_leaves_the_rules(
    app: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaDouble() as server:
        server.fault = "server_error"
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        ran = app.run("eval", "shopping", "--file", _file(tmp_path, GOOD, EN), "--json", "--model")
    assert (ran.code, json.loads(ran.out)["cases"]["right"]) == (0, 2)


def test_json_and_a_file_of_misses(app: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "missed.jsonl"
    ran = app.run(
        "eval", "shopping", "--file", _file(tmp_path, GOOD, WRONG), "--json", "--failures", str(out)
    )
    [told] = [json.loads(line) for line in ran.out.splitlines()]
    assert told["mode"] == "shopping"
    assert told["cases"] == {"right": 1, "total": 2, "accuracy": 0.5}
    assert told["forms"]["accented"]["intent"]["total"] == 2
    [missed] = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert told["failures"] == [missed]
    assert missed["misses"] == [{"field": "intent", "expected": "warranty", "got": "unknown"}]


def test_conversations_of_several_assistants_are_told_by_verdict(app: CommandLine, tmp_path: Path) -> None:
    shop = {"id": "c1", "mode": "shopping", "form": ["follow-up"], "turns": [{"say": "bảo hành ABC123", "right": ["ABC123"], "plain": True}, {"say": "ABC123", "wrong": ["abc123"]}]}  # fmt: skip
    teeth = {"id": "c2", "mode": "dental", "form": "plain", "turns": [{"say": "xin chào"}]}
    file = _file(tmp_path, shop, teeth)
    ran = app.run("eval", "--file", file, "--lang", "en")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "Without a model:"
    assert lines[3].split() == ["shopping", "all", "50.0%", "1/2", "0.0%", "0/2", "50.0%", "1/2", "0"]
    assert lines[4].split() == [
        "shopping",
        "plain",
        "questions",
        "100.0%",
        "1/1",
        "0.0%",
        "0/1",
        "0.0%",
        "0/1",
        "0",
    ]
    assert lines[6].split() == ["dental", "all", "-", "-", "-", "1"]
    assert lines[10:13] == ["c1 #2 (says “abc123”)", "> bảo hành ABC123", "> ABC123"]
    ran = app.run("eval", "shopping", "--file", file, "--json", "--min", "50")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told["model"] is False
    assert told["verdicts"]["forms"] == {"follow-up": {"right": 1, "honest": 0, "wrong": 1, "unjudged": 0}}
    assert [(one["id"], one["turn"], one["occurred"]) for one in told["wrong"]] == [("c1", 2, ["abc123"])]
    assert app.run("eval", "shopping", "--file", file, "--min", "51").code == 1
    assert app.run("eval", "--file", _file(tmp_path, GOOD)).code == 2
    assert app.run("eval").code == 2


def test_bad_lines_are_named_and_the_others_run(app: CommandLine, tmp_path: Path) -> None:
    ran = app.run("eval", "shopping", "--file", _file(tmp_path, GOOD, "{", '{"text": "x"}'), "--lang", "en")
    assert ran.code == 3
    assert "Line 2:" in ran.err
    assert "Line 3:" in ran.err
    assert "1/1" in ran.out


def test_what_cannot_be_judged_is_one_sentence(app: CommandLine, tmp_path: Path) -> None:
    for args, code in (
        (("shopping", "--file", str(tmp_path / "none.jsonl")), 3),
        (("shopping", "--file", _file(tmp_path, "{")), 3),
        (("shopping", "--file", _file(tmp_path, "")), 3),
        (("nowhere",), 6),
        (("shopping", "--min", "many"), 2),
    ):
        ran = app.run("eval", *args)
        assert (ran.code, ran.out) == (code, ""), args
        assert "Traceback" not in ran.err
        assert ran.err.strip()


@pytest.mark.parametrize(("typed", "share"), [("92", 0.92), ("0.92", 0.92), ("0,92", 0.92), ("92%", 0.92), ("1", 1.0), ("1%", 0.01), ("0", 0.0), ("100", 1.0)])  # fmt: skip
def test_shares(typed: str, share: float) -> None:
    assert share_of(typed) == pytest.approx(share)


@pytest.mark.parametrize("typed", ["", "x", "-1", "101", "nan", "inf", "%"])
def test_what_is_no_share(typed: str) -> None:
    with pytest.raises(UsageError):
        share_of(typed)
