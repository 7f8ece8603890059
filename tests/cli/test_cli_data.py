"""`app data`, and the samples that a fresh program answers from."""

from __future__ import annotations

from tests.support.command_line import CommandLine


def test_a_fresh_program_answers_from_samples_until_they_are_removed(app: CommandLine) -> None:
    asked = app.run("ask", "--lang", "vi", "bảo hành ABC123")
    assert "Laptop Dell" in asked.out
    assert "sample data is in use" in app.run("doctor").out
    removed = app.run("data", "remove", "samples")
    gone = [line.split(":")[0] for line in removed.out.splitlines()]
    assert (removed.code, gone.count("shopping"), gone.count("analysis")) == (0, 3, 3)
    assert "chưa có dữ liệu" in app.run("ask", "--lang", "vi", "bảo hành ABC123").out
    loaded = app.run("data", "load", "samples")
    assert loaded.out.count("Sample data loaded") == 3
    assert loaded.out.count("Loaded sample sheet") == 3
    assert "Laptop Dell" in app.run("ask", "--lang", "vi", "bảo hành ABC123").out
    assert app.run("data", "load", "samples").out.count("already") == 6


def test_only_samples_can_be_named(app: CommandLine) -> None:
    ran = app.run("data", "load", "everything")
    assert (ran.code, ran.out) == (2, "")
    assert "everything" in ran.err
