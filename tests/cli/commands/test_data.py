"""`app data`, and the samples that a fresh program answers from."""

from __future__ import annotations

from tests.support.process.command_line import CommandLine


def test_a_fresh_program_answers_from_samples_until_they_are_removed(app: CommandLine) -> None:
    asked = app.run("ask", "--lang", "vi", "bảo hành ABC123")
    assert "Laptop Dell" in asked.out
    assert app.run("doctor").out.count("sample data is in use") == 1
    # Those of another assistant come with the first question to it.
    assert "174.704.500" in app.run("ask", "--lang", "vi", "--mode", "analysis", "Top 5 khách hàng").out
    assert app.run("ask", "--lang", "vi", "--mode", "dental", "răng sâu").code == 0
    assert app.run("doctor").out.count("sample data is in use") == 3
    removed = app.run("data", "remove", "samples")
    gone = [line.split(":")[0] for line in removed.out.splitlines()]
    counts = {mode: gone.count(mode) for mode in ("shopping", "analysis", "dental")}
    assert (removed.code, counts) == (0, {"shopping": 3, "analysis": 3, "dental": 1})
    assert "chưa có dữ liệu" in app.run("ask", "--lang", "vi", "bảo hành ABC123").out
    loaded = app.run("data", "load", "samples")
    assert loaded.out.count("Sample data loaded") == 3
    assert loaded.out.count("Loaded sample sheet") == 3
    assert "Laptop Dell" in app.run("ask", "--lang", "vi", "bảo hành ABC123").out
    again = [
        line.split(":")[0]
        for line in app.run("data", "load", "samples").out.splitlines()
        if "already" in line
    ]
    assert {mode: again.count(mode) for mode in counts} == counts


def test_only_samples_can_be_named(app: CommandLine) -> None:
    ran = app.run("data", "load", "everything")
    assert (ran.code, ran.out) == (2, "")
    assert "everything" in ran.err
