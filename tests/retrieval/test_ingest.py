"""Ingest: only what changed, what is gone is removed, a bad file stops nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process.unprivileged import run_unprivileged
from tests.support.retrieval.knowledge import Corpus, HashingEmbedder
from troly.errors import StoreError
from troly.retrieval.documents.ingest import IngestProgress, IngestReport, ingest_paths
from troly.text.dates import fixed_clock

CLOCK = fixed_clock("2026-11-22T08:00:00+07:00")


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    opened = Corpus(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tài liệu"
    (folder / "con").mkdir(parents=True)
    (folder / "phep.md").write_text("# Phép\n\nMười hai ngày phép.", encoding="utf-8")
    (folder / "con" / "luong.txt").write_text("Lương trả mùng năm.", encoding="utf-8")
    (folder / "con" / "hỏng.pdf").write_bytes(b"%PDF-1.4 junk")
    (folder / ".ẩn.txt").write_text("không đọc", encoding="utf-8")
    (folder / "ảnh.png").write_bytes(b"\x89PNG")
    return folder


async def ingest(corpus: Corpus, *paths: Path, **more: object) -> IngestReport:
    return await ingest_paths(corpus.knowledge, paths, collection="docs", clock=CLOCK, **more)  # type: ignore[arg-type]


def names(paths: tuple[str, ...]) -> list[str]:
    return [Path(path).name for path in paths]


async def test_only_what_changed_is_read_again(corpus: Corpus, folder: Path) -> None:
    steps: list[IngestProgress] = []
    first = await ingest(corpus, folder, progress=steps.append)
    assert names(first.added) == ["phep.md", "luong.txt"]
    assert [Path(problem.path).name for problem in first.failed] == ["hỏng.pdf"]
    assert names(first.skipped) == ["ảnh.png"]
    assert first.chunks == 2
    assert [(step.stage, step.done, step.total) for step in steps] == [("read", n, 3) for n in (1, 2, 3)]

    (folder / "phep.md").write_text("# Phép\n\nMười lăm ngày phép.", encoding="utf-8")
    os.utime(folder / "con" / "luong.txt", ns=(1, 1))
    second = await ingest(corpus, folder)
    assert (names(second.added), names(second.updated), names(second.unchanged)) == (
        [],
        ["phep.md"],
        ["luong.txt"],
    )
    found = await corpus.knowledge.search("ngày phép", collection="docs")
    assert [passage.text for passage in found.passages] == ["Mười lăm ngày phép."]
    assert found.passages[0].ingested_at == "2026-11-22T08:00:00+07:00"
    corpus.integrity()


async def test_what_is_gone_from_a_folder_is_removed(corpus: Corpus, folder: Path, tmp_path: Path) -> None:
    alone = tmp_path / "riêng.txt"
    alone.write_text("tệp riêng", encoding="utf-8")
    await ingest(corpus, folder, alone)
    (folder / "phep.md").unlink()
    alone.unlink()
    report = await ingest(corpus, folder, alone)
    assert names(report.removed) == ["phep.md"]
    assert [problem.error.key for problem in report.failed] == ["knowledge.damaged", "knowledge.missing"]
    assert {Path(document.path).name for document in corpus.knowledge.list_documents("docs")} == {
        "luong.txt",
        "riêng.txt",
    }
    corpus.integrity()


async def test_a_folder_that_is_gone_takes_nothing_with_it(corpus: Corpus, folder: Path) -> None:
    await ingest(corpus, folder)
    folder.rename(folder.with_name("xa"))
    report = await ingest(corpus, folder)
    assert (report.removed, [problem.error.key for problem in report.failed]) == ((), ["knowledge.missing"])
    assert len(corpus.knowledge.list_documents("docs")) == 2


async def test_a_file_that_became_bad_keeps_what_was_stored(corpus: Corpus, folder: Path) -> None:
    await ingest(corpus, folder)
    (folder / "phep.md").write_bytes(b"\x00\x01" * 50)
    report = await ingest(corpus, folder)
    assert {problem.error.key for problem in report.failed} == {"knowledge.binary", "knowledge.damaged"}
    assert (await corpus.knowledge.search("ngày phép", collection="docs")).passages


async def test_links_are_not_followed(corpus: Corpus, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "ngoài.txt").write_text("bên ngoài", encoding="utf-8")
    (folder / "liên-kết.txt").symlink_to(tmp_path / "ngoài.txt")
    (folder / "vòng").symlink_to(folder)
    assert names((await ingest(corpus, folder)).added) == ["phep.md", "luong.txt"]


async def test_a_guessed_encoding_is_noted(corpus: Corpus, tmp_path: Path) -> None:
    old = tmp_path / "cũ.txt"
    old.write_bytes("Đươ\u0300ng phô\u0301".encode("windows-1258"))
    report = await ingest(corpus, old)
    assert [problem.error.key for problem in report.noted] == ["knowledge.guessed"]
    assert (await corpus.knowledge.search("đường phố", collection="docs")).passages


async def test_stopping_keeps_what_was_done(corpus: Corpus, folder: Path) -> None:
    steps: list[IngestProgress] = []
    report = await ingest(corpus, folder, progress=steps.append, cancel=lambda: len(steps) == 1)
    assert report.stopped
    assert (len(report.added) + len(report.failed), report.removed) == (1, ())
    again = await ingest(corpus, folder)
    assert (names(again.unchanged), names(again.added)) == (["phep.md"], ["luong.txt"])


async def test_owners_have_their_own_copies(corpus: Corpus, folder: Path) -> None:
    await ingest(corpus, folder, owner="an")
    await ingest(corpus, folder, owner="binh")
    assert not corpus.knowledge.list_documents("docs")
    assert corpus.knowledge.remove_document(
        "docs", corpus.knowledge.list_documents("docs", "an")[0].path, "an"
    )
    assert not corpus.knowledge.remove_document("docs", "/không có", "an")
    assert len(corpus.knowledge.list_documents("docs", "an")) == 1
    assert len(corpus.knowledge.list_documents("docs", "binh")) == 2


async def test_a_new_permission_reaches_documents_that_did_not_change(corpus: Corpus, folder: Path) -> None:
    await ingest(corpus, folder)
    assert len((await ingest(corpus, folder, permission="hr")).updated) == 2
    assert not (await corpus.knowledge.search("phép", collection="docs")).passages
    assert (await corpus.knowledge.search("phép", collection="docs", permissions=frozenset({"hr"}))).passages


async def test_vectors_come_when_the_embedder_does(corpus: Corpus, folder: Path) -> None:
    assert (await ingest(corpus, folder)).embedded == 0
    down = await ingest(corpus, folder, embed=HashingEmbedder(fail_after=0), embedder="hash")
    assert (down.embedded, down.vectors and down.vectors.key) == (0, "ollama.down")
    steps: list[IngestProgress] = []
    report = await ingest(corpus, folder, embed=HashingEmbedder(), embedder="hash", progress=steps.append)
    assert (report.embedded, report.unembedded) == (2, 0)
    assert steps[-1] == IngestProgress("embed", 2, 2)
    assert (await ingest(corpus, folder, embed=HashingEmbedder(), embedder="hash")).embedded == 0


async def test_a_closed_database_is_no_fault_of_a_file(corpus: Corpus, folder: Path) -> None:
    corpus.db.close()
    with pytest.raises(StoreError):
        await ingest(corpus, folder)


def test_an_unlisted_folder_hides_nothing_that_was_stored(tmp_path: Path) -> None:
    shut = tmp_path / "tl" / "kín"
    shut.mkdir(parents=True)
    (shut / "a.txt").write_text("chữ", encoding="utf-8")
    prepare = (
        "import asyncio, os\nfrom tests.support.retrieval.knowledge import Corpus\n"
        "from troly.retrieval.documents.ingest import ingest_paths\n"
        "os.chmod(folder, 0o777)\nos.umask(0)\ncorpus = Corpus(folder / 'home')\n"
        "run = lambda: asyncio.run(ingest_paths(corpus.knowledge, [folder / 'tl'], collection='docs'))\n"
        "print(len(run().added))\ncorpus.db.close()\n"
        "for path in (folder / 'home').iterdir(): os.chmod(path, 0o666)\n"
        "os.chmod(folder / 'tl' / 'kín', 0)\ncorpus = None\n"
    )
    body = (
        "corpus = Corpus(folder / 'home')\nreport = run()\n"
        "print(len(report.removed), *[problem.error.key for problem in report.failed])"
    )
    try:
        assert run_unprivileged(prepare, body, tmp_path).splitlines() == ["1", "0 knowledge.denied"]
    finally:
        shut.chmod(0o700)
