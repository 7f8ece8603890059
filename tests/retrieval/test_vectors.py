"""Vectors: both searches joined, other processes noticed, damage set aside and made good."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.retrieval.knowledge import DIM, Corpus, HashingEmbedder, passages_and_questions
from tests.support.stores.real import ROOT
from troly.errors import StoreError
from troly.retrieval.search.vectors import Index, VectorLedger, check_vectors

EMBED = HashingEmbedder()


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    opened = Corpus(tmp_path)
    yield opened
    opened.close()


async def documents(corpus: Corpus, question: str, **more: Any) -> list[str]:
    options = {"collection": "docs", "embed": EMBED, "embedder": "hash", **more}
    found = await corpus.knowledge.search(question, **options)
    assert found.reason is None, found.reason
    assert found.used_vectors
    return [passage.document for passage in found.passages]


async def embed(corpus: Corpus, collection: str = "docs") -> int:
    done = await corpus.knowledge.embed_missing(collection, EMBED, "hash")
    assert done.error is None, done.error
    assert done.left == 0
    return done.done


async def test_both_searches_are_joined(corpus: Corpus) -> None:
    passages, questions = passages_and_questions()
    for number, passage in enumerate(passages):
        corpus.put(str(number), passage, title="Tài liệu")
    assert await embed(corpus) == len(passages)
    assert await embed(corpus) == 0
    first = 0
    for number, question in enumerate(questions):
        found = await documents(corpus, question)
        first += found[0] == str(number)
    assert first / len(questions) >= 0.9
    result = await corpus.knowledge.search(questions[0], collection="docs", embed=EMBED, embedder="hash")
    best = result.passages[0]
    assert best.bm25_rank == 1
    assert best.vector_rank is not None
    assert best.similarity is not None
    assert 0 < best.similarity <= 1


async def test_vectors_find_what_words_do_not(corpus: Corpus) -> None:
    corpus.put("a", "cơm tấm sườn bì chả")
    await embed(corpus)

    async def same(texts: list[str]) -> list[list[float]]:
        return await EMBED(["cơm tấm sườn bì chả" for _ in texts])

    found = await corpus.knowledge.search("zzz", collection="docs", embed=same, embedder="hash")
    assert [(passage.bm25_rank, passage.vector_rank) for passage in found.passages] == [(None, 1)]


async def test_owner_and_permission_filter_inside_the_vector_search(corpus: Corpus) -> None:
    for number in range(80):
        corpus.put(f"an-{number}", "cùng một câu", owner="an")
        corpus.put(f"kin-{number}", "cùng một câu", permission="hr")
    corpus.put("chung", "câu khác hẳn")
    await embed(corpus)
    assert await documents(corpus, "cùng một câu") == ["chung"]
    assert {name.split("-")[0] for name in await documents(corpus, "cùng một câu", owner="an", k=100)} == {
        "an",
        "chung",
    }
    seen = await documents(corpus, "cùng một câu", owner="binh", permissions=frozenset({"hr"}), k=200)
    assert {name.split("-")[0] for name in seen} == {"kin", "chung"}


async def test_changed_and_removed_documents_leave_the_vector_search(corpus: Corpus) -> None:
    corpus.put("a", "giá phòng ba triệu")
    corpus.put("b", "giá phòng bốn triệu")
    await embed(corpus)
    corpus.put("a", "cho thuê xe máy")
    corpus.knowledge.remove_document("docs", "b")
    # The vectors are behind until the next ingest; what they name and is gone is not shown.
    found = await corpus.knowledge.search("giá phòng", collection="docs", embed=EMBED, embedder="hash")
    assert not found.passages
    assert await embed(corpus) == 1
    assert await documents(corpus, "thuê xe máy") == ["a"]
    assert VectorLedger(corpus.db).orphans(10) == []


async def test_an_interrupted_embedding_goes_on(corpus: Corpus) -> None:
    for number in range(100):
        corpus.put(str(number), f"đoạn số {number}")
    broken = await corpus.knowledge.embed_missing("docs", HashingEmbedder(fail_after=70), "hash")
    assert (broken.done, broken.left, broken.error and broken.error.key) == (64, 36, "ollama.down")
    assert await embed(corpus) == 36
    stopped = await corpus.knowledge.embed_missing("docs", HashingEmbedder(), "other", cancel=lambda: True)
    assert (stopped.done, stopped.left) == (0, 100)


async def test_each_embedder_has_its_own_vectors(corpus: Corpus) -> None:
    corpus.put("a", "một đoạn")
    await embed(corpus)
    other = HashingEmbedder(dim=32)
    for name in ("hash", "khác"):
        found = await corpus.knowledge.search("một đoạn", collection="docs", embed=other, embedder=name)
        assert found.reason is not None
        assert found.reason.key == "knowledge.vectors_missing"
        assert [passage.document for passage in found.passages] == ["a"]
        assert not found.used_vectors
    assert (await corpus.knowledge.embed_missing("docs", other, "hash")).done == 1
    assert await documents(corpus, "một đoạn", embed=other) == ["a"]
    assert await documents(corpus, "một đoạn") == ["a"]


@pytest.mark.parametrize("bad", [[math.nan], [math.inf] * DIM, [], [0.0] * DIM])
async def test_bad_vectors_are_refused_and_words_answer(corpus: Corpus, bad: list[float]) -> None:
    corpus.put("a", "một đoạn")
    await embed(corpus)

    async def broken(texts: list[str]) -> list[list[float]]:
        return [bad for _ in texts]

    found = await corpus.knowledge.search("một đoạn", collection="docs", embed=broken, embedder="hash")
    assert found.reason is not None
    assert found.reason.key == "knowledge.vectors_bad"
    assert found.passages
    done = await corpus.knowledge.embed_missing("docs", broken, "hash")
    assert done.error is not None
    assert done.error.key == "knowledge.vectors_bad"


@given(st.lists(st.lists(st.floats(), max_size=4), max_size=4), st.integers(0, 4))
def test_only_sound_vectors_pass(vectors: list[list[float]], count: int) -> None:
    sound = (
        len(vectors) == count > 0
        and len({len(vector) for vector in vectors}) == 1
        and all(any(vector) and all(map(math.isfinite, vector)) for vector in vectors)
    )
    if sound:
        assert check_vectors(vectors, count) == len(vectors[0])
    else:
        with pytest.raises(StoreError):
            check_vectors(vectors, count)


@given(st.text(max_size=80), st.text(max_size=80), st.integers(1, 4096))
def test_index_names_are_safe_and_their_own(collection: str, embedder: str, dim: int) -> None:
    name = Index(collection, embedder, dim).name
    assert 3 <= len(name) <= 63
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert name[0].isalnum()
    assert name[-1].isalnum()
    assert name != Index(collection, embedder + "x", dim).name
    assert name != Index(collection, embedder, dim + 1).name


def work(corpus: Corpus, *task: str) -> list[str]:
    """Run one task in a process of its own, to its end; what it told."""
    command = [sys.executable, "-m", "tests.support.retrieval.worker", str(corpus.home), *task]
    done = subprocess.run(
        command,
        cwd=ROOT,
        input=b"go\n",
        capture_output=True,
        check=False,
        timeout=100,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


async def test_what_another_process_embeds_is_found_at_once(corpus: Corpus) -> None:
    corpus.put("a", "cà phê sữa đá")
    await embed(corpus)
    assert await documents(corpus, "cà phê") == ["a"]
    corpus.put("b", "cà phê trứng")
    corpus.knowledge.remove_document("docs", "a")
    assert work(corpus, "embed", "docs")[1] == "embedded 1 0 "
    found = await corpus.knowledge.search("cà phê", collection="docs", embed=EMBED, embedder="hash")
    assert [(passage.document, passage.vector_rank) for passage in found.passages] == [("b", 1)]


async def test_two_processes_embed_at_once(corpus: Corpus) -> None:
    for number in range(200):
        corpus.put(str(number), f"đoạn văn số {number}")
    command = [sys.executable, "-m", "tests.support.retrieval.worker", str(corpus.home), "embed", "docs"]
    workers = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": str(ROOT)}
        )
        for _ in range(2)
    ]
    told = [worker.communicate(b"go\n", timeout=100)[0].decode().splitlines() for worker in workers]
    assert [lines[-1] for lines in told] == ["done", "done"]
    assert all(line.split()[2] == "0" for lines in told for line in lines if line.startswith("embedded"))
    assert await embed(corpus) == 0
    assert len(await documents(corpus, "đoạn văn", k=200)) == 200


def junk(home: Path) -> None:
    (home / "chroma" / "chroma.sqlite3").write_bytes(b"junk" * 5000)


def torn(home: Path) -> None:
    file = home / "chroma" / "chroma.sqlite3"
    data = bytearray(file.read_bytes())
    data[4096 : len(data) // 2] = b"\xa5" * (len(data) // 2 - 4096)
    file.write_bytes(bytes(data))


def a_file(home: Path) -> None:
    (home / "chroma").rename(home / "moved")
    (home / "chroma").write_text("not a folder", encoding="utf-8")


@pytest.mark.parametrize("damage", [junk, torn, a_file])
async def test_a_damaged_store_is_set_aside_and_made_anew(corpus: Corpus, damage: Any) -> None:
    corpus.put("a", "một đoạn văn")
    await embed(corpus)
    corpus.knowledge.close()
    damage(corpus.home)
    found = await corpus.knowledge.search("một đoạn", collection="docs", embed=EMBED, embedder="hash")
    assert found.reason is not None
    assert found.reason.key == "knowledge.vectors_damaged"
    assert [passage.document for passage in found.passages] == ["a"]
    assert len(corpus.knowledge.set_aside) == 1
    assert corpus.knowledge.set_aside[0].moved_to.exists()
    assert await embed(corpus) == 1
    assert await documents(corpus, "một đoạn") == ["a"]


async def test_a_store_that_was_deleted_is_filled_again(corpus: Corpus) -> None:
    import shutil

    corpus.put("a", "một đoạn văn")
    await embed(corpus)
    corpus.knowledge.close()
    shutil.rmtree(corpus.home / "chroma")
    assert await embed(corpus) == 1
    assert await documents(corpus, "một đoạn") == ["a"]


async def test_vectors_of_another_database_are_not_believed(corpus: Corpus) -> None:
    corpus.put("a", "chuyện cũ")
    await embed(corpus)
    corpus.close()
    for file in corpus.home.glob("state.db*"):
        file.unlink()
    again = Corpus(corpus.home)
    try:
        again.put("b", "chuyện mới")
        assert await embed(again) == 1
        assert await documents(again, "chuyện mới") == ["b"]
    finally:
        again.close()


def test_searching_by_words_does_not_load_the_vector_store(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom tests.support.retrieval.knowledge import Corpus\n"
        "corpus = Corpus(Path(sys.argv[1]))\ncorpus.put('a', 'một đoạn')\n"
        "assert asyncio.run(corpus.knowledge.search('đoạn', collection='docs')).passages\n"
        "assert not {'chromadb', 'numpy', 'bs4', 'pypdf', 'docx', 'httpx'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
