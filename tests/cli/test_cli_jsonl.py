"""`app ask --jsonl`: many questions in one process, every line answered or refused, labels that join lines."""

from __future__ import annotations

from pathlib import Path

from tests.support.process.command_line import CommandLine, json_line, of_type

TERMINAL = ("TurnCompleted", "TurnFailed")


def test_every_line_ends_once_and_is_tagged(app: CommandLine, third_party: Path) -> None:
    lines = [
        json_line(id="a", text="x"),
        "no json\n",
        "\n",
        json_line(id="b", text=""),
        json_line(id="c", text="break"),
        json_line(id=7, text="y", role="lead", user="binh", permissions=["public"], now="2026-11-22T10:00"),
        json_line(id="d", text="z", mode="nowhere"),
        json_line(text="untagged", lang="en", extra=[1]),
    ]
    ran = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin="".join(lines))
    assert ran.code == 1
    ends = [event for event in ran.events if event["event"] in TERMINAL]
    assert [(end.get("id"), end["event"][4:]) for end in ends] == [
        ("a", "Completed"),
        (None, "Failed"),
        ("b", "Failed"),
        ("c", "Failed"),
        (7, "Completed"),
        ("d", "Failed"),
        (None, "Completed"),
    ]
    assert [end["line"] for end in ends if end["event"] == "TurnFailed"] == [2, 4, 5, 7]
    assert all({"mode", "conversation", "turn"} <= set(event) for event in ran.events)
    assert "binh/lead" in ends[4]["text"]


def test_all_answered_is_exit_0_from_a_file_too(app: CommandLine, third_party: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        json_line(id=1, text="một", mode="slow") + json_line(id=2, text="hai", mode="slow"), "utf-8-sig"
    )
    ran = app.run("ask", "--mode", "nowhere", "--jsonl", str(file))
    assert ran.code == 0
    done = of_type(ran.events, "TurnCompleted")
    assert [(event["id"], event["mode"]) for event in done] == [(1, "slow"), (2, "slow")]
    assert done[0]["conversation"] != done[1]["conversation"]


def test_a_label_joins_lines_and_an_id_goes_on(app: CommandLine, third_party: Path) -> None:
    lines = [("day", "an"), ("day", "an"), ("day", "binh"), ("night", "an"), (None, "an")]
    stdin = "".join(json_line(text="x", conversation=label, user=user) for label, user in lines)
    done = of_type(app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=stdin).events, "TurnCompleted")
    first, second, of_binh, night, alone = (event["conversation"] for event in done)
    assert first == second
    assert len({first, of_binh, night, alone}) == 4
    again = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=json_line(text="y", conversation=first))
    assert again.events[-1]["conversation"] == first
    fresh = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin=json_line(text="y", conversation="day"))
    assert fresh.events[-1]["conversation"] != first


def test_a_file_that_cannot_be_read_is_exit_3(app: CommandLine, third_party: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.jsonl", tmp_path):
        ran = app.run("ask", "--mode", "slow", "--jsonl", str(path))
        assert (ran.code, ran.out) == (3, "")
        assert str(path) in ran.err


def test_no_lines_at_all_is_fine(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ask", "--mode", "slow", "--jsonl", "-", stdin="")
    assert (ran.code, ran.out) == (0, "")
