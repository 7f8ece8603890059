"""`app ingest`: the kinds that modes declare, counts on stdout, problems on stderr, exit codes that scripts can trust."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.ollama.double import OllamaDouble
from tests.support.process.command_line import CommandLine


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file that the mode `slow` loads."""
    file = tmp_path / "rows.txt"
    file.write_text("good", encoding="utf-8")
    return file


def test_every_kind_is_a_command_though_a_mode_is_broken(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ingest", "--help", "--lang", "vi")
    assert ran.code == 0
    assert "slowrows" in ran.out
    assert "Nạp chậm." in ran.out
    assert "knowledge" in ran.out
    assert "app ingest slowrows FILE" in app.run("ingest", "slowrows", "--help").out


def test_counts_are_data_and_problems_are_remarks(app: CommandLine, third_party: Path, rows: Path) -> None:
    ran = app.run("ingest", "slowrows", str(rows))
    assert (ran.code, ran.out) == (0, "rows      3\nrejected  1\n")
    assert ran.err.splitlines() == ["line 2: bad", "summary of the load"]
    as_json = app.run("ingest", "slowrows", str(rows), "--json")
    assert json.loads(as_json.out) == {"published": True, "counts": {"rows": 3, "rejected": 1}}


def test_a_dry_run_says_so(app: CommandLine, third_party: Path, rows: Path) -> None:
    ran = app.run("ingest", "slowrows", str(rows), "--dry-run")
    assert ran.code == 0
    assert "Dry run" in ran.err


def test_nothing_loaded_because_of_bad_input_is_exit_3(
    app: CommandLine, third_party: Path, rows: Path
) -> None:
    rows.write_text("fail", encoding="utf-8")
    ran = app.run("ingest", "slowrows", str(rows))
    assert ran.code == 3
    assert "line 20: bad" in ran.err
    assert "line 21: bad" not in ran.err
    assert "5 more" in ran.err
    rows.write_text("break", encoding="utf-8")
    assert app.run("ingest", "slowrows", str(rows)).code == 3


def test_a_kind_that_is_not_there_names_the_others(app: CommandLine, third_party: Path) -> None:
    ran = app.run("ingest", "waranty", "x.csv")
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, and a file that is none."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "leave.md").write_text("# Nghỉ phép\n\nMỗi năm 12 ngày phép.", encoding="utf-8")
    (folder / "hours.txt").write_text("Giờ làm việc từ 8 giờ đến 17 giờ.", encoding="utf-8")
    (folder / "photo.raw").write_bytes(b"\x00\x01")
    return folder


def test_documents_without_an_embedder_are_found_by_words(app: CommandLine, folder: Path) -> None:
    first = app.run("ingest", "knowledge", str(folder), "--json")
    assert first.code == 0
    counts = json.loads(first.out)["counts"]
    assert (counts["added"], counts["skipped"], counts["embedded"]) == (2, 1, 0)
    assert "app models pull bge-m3" in first.err
    (folder / "hours.txt").unlink()
    again = app.run("ingest", "knowledge", str(folder))
    assert again.code == 0
    assert [line.split() for line in again.out.splitlines()][1:4] == [
        ["updated", "0"],
        ["unchanged", "1"],
        ["removed", "1"],
    ]


def test_documents_get_vectors_when_an_embedder_answers(
    app: CommandLine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaDouble(dims=16) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        ran = app.run("ingest", "knowledge", str(folder), "--collection", "policies", "--json")
    counts = json.loads(ran.out)["counts"]
    assert ran.code == 0
    assert counts["embedded"] == counts["chunks"] > 0
    assert counts["unembedded"] == 0


def test_documents_that_cannot_be_read_are_exit_3(app: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    ran = app.run("ingest", "knowledge", str(tmp_path / "absent.md"), str(tmp_path / "empty.txt"))
    assert ran.code == 3
    assert "absent.md" in ran.err
    assert "empty.txt" in ran.err
