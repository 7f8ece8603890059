"""`kill -9` in the middle of an ingest: every document wholly old or wholly new, and the next run does the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.retrieval.knowledge import Corpus
from tests.support.stores.real import ROOT
from troly.retrieval.documents.ingest import ingest_paths

FILES, PARTS = 30, 40


def write_files(folder: Path, version: str) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(FILES):
        parts = [f"## Mục {part}\n\n{version} tài liệu {number} đoạn {part}." for part in range(PARTS)]
        (folder / f"{number:02}.md").write_text("\n\n".join(parts), encoding="utf-8")


def versions(corpus: Corpus) -> list[set[str]]:
    """The versions that each document's chunks are of; every document must be whole."""
    with corpus.db.read() as connection:
        rows = connection.execute("SELECT document_id, text FROM chunks").fetchall()
    found: dict[int, list[str]] = {}
    for document, text in rows:
        found.setdefault(document, []).append(text.split()[0])
    assert all(len(texts) == PARTS for texts in found.values())
    return [set(texts) for texts in found.values()]


@pytest.mark.parametrize("stop_after", [1, 7, 16, 29])
async def test_a_killed_ingest_leaves_whole_documents(tmp_path: Path, stop_after: int) -> None:
    folder = tmp_path / "tl"
    corpus = Corpus(tmp_path / "home")
    try:
        write_files(folder, "cũ")
        await ingest_paths(corpus.knowledge, [folder], collection="docs")
        write_files(folder, "mới!")
        command = [
            sys.executable,
            "-m",
            "tests.support.retrieval.worker",
            str(corpus.home),
            "ingest",
            str(folder),
        ]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}
        ) as process:
            assert process.stdin
            assert process.stdout
            assert process.stdout.readline() == b"ready\n"
            process.stdin.write(b"go\n")
            process.stdin.flush()
            for _ in range(stop_after):
                assert process.stdout.readline().startswith(b"read ")
            process.kill()
        found = versions(corpus)
        assert len(found) == FILES
        assert all(len(kinds) == 1 for kinds in found)
        new = sum(kinds == {"mới!"} for kinds in found)
        assert new >= stop_after
        corpus.integrity()
        report = await ingest_paths(corpus.knowledge, [folder], collection="docs")
        assert (len(report.updated), len(report.unchanged)) == (FILES - new, new)
        assert all(kinds == {"mới!"} for kinds in versions(corpus))
        corpus.integrity()
    finally:
        corpus.close()
