"""Vectors on a Chroma server that machines share: a real one, started here on loopback."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ollama.double import closed_port_url
from tests.support.process.waiting import wait_until
from tests.support.retrieval.knowledge import Corpus, HashingEmbedder
from troly.errors import StoreError
from troly.retrieval.search import chroma_http
from troly.retrieval.search.knowledge import SearchResult
from troly.retrieval.search.vectors import ChromaServer

EMBED = HashingEmbedder()


class RunningChroma:
    """`chroma run` on a folder; it can be ended and started again at the same address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = int(closed_port_url().rpartition(":")[2])
        self.start()

    @property
    def address(self) -> ChromaServer:
        return ChromaServer(f"http://127.0.0.1:{self.port}")

    def start(self) -> None:
        program = Path(sys.executable).with_name("chroma")
        self.process = subprocess.Popen(
            [program, "run", "--path", self.folder, "--host", "127.0.0.1", "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder.parent,
        )
        wait_until(self.answers, 60)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address.url}/api/v2/heartbeat", timeout=5):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChroma]:
    server = RunningChroma(tmp_path_factory.mktemp("chroma") / "data")
    yield server
    server.kill()


@pytest.fixture
def corpus(tmp_path: Path, chroma: RunningChroma) -> Iterator[Corpus]:
    opened = Corpus(tmp_path / "one", chroma.address)
    yield opened
    opened.close()


async def found(corpus: Corpus, question: str) -> SearchResult:
    return await corpus.knowledge.search(question, collection="docs", embed=EMBED, embedder="hash")


async def test_vectors_lie_on_the_server_and_in_no_folder(corpus: Corpus) -> None:
    corpus.put("a", "bảo hành laptop")
    assert (await corpus.knowledge.embed_missing("docs", EMBED, "hash")).done == 1
    result = await found(corpus, "bảo hành")
    assert result.used_vectors
    assert result.passages[0].similarity is not None
    assert not (corpus.home / "chroma").exists()


async def test_two_installations_on_one_server_do_not_meet(
    corpus: Corpus, tmp_path: Path, chroma: RunningChroma
) -> None:
    other = Corpus(tmp_path / "two", chroma.address)
    try:
        for one, text in ((corpus, "chính sách của chúng tôi"), (other, "chính sách của người khác")):
            one.put("a", text)
            assert (await one.knowledge.embed_missing("docs", EMBED, "hash")).done == 1
        for one, text in ((corpus, "chúng tôi"), (other, "người khác")):
            (passage,) = (await found(one, "chính sách")).passages
            assert text in passage.text
    finally:
        other.close()


async def test_what_is_removed_leaves_the_server(corpus: Corpus) -> None:
    corpus.put("a", "một đoạn")
    corpus.put("b", "đoạn khác")
    await corpus.knowledge.embed_missing("docs", EMBED, "hash")
    corpus.knowledge.remove_document("docs", "a")
    assert (await corpus.knowledge.embed_missing("docs", EMBED, "hash")).error is None
    assert [passage.document for passage in (await found(corpus, "đoạn")).passages] == ["b"]


async def test_without_the_server_words_answer_and_with_it_vectors_again(tmp_path: Path) -> None:
    server = RunningChroma(tmp_path / "data")
    corpus = Corpus(tmp_path / "home", server.address)
    try:
        corpus.put("a", "bảo hành laptop")
        await corpus.knowledge.embed_missing("docs", EMBED, "hash")
        server.kill()
        result = await found(corpus, "bảo hành")
        assert [passage.document for passage in result.passages] == ["a"]
        assert isinstance(result.reason, StoreError)
        assert result.reason.key == "knowledge.vectors_server"
        assert str(server.port) in result.reason.render("en").message
        assert corpus.knowledge.set_aside == ()
        server.start()
        assert (await found(corpus, "bảo hành")).used_vectors
    finally:
        corpus.close()
        server.kill()


async def test_a_server_that_is_silent_holds_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chroma_http, "WAIT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        corpus = Corpus(tmp_path / "home", ChromaServer(url, "secret"))
        try:
            corpus.put("a", "bảo hành laptop")
            error = (await corpus.knowledge.embed_missing("docs", EMBED, "hash")).error
            assert isinstance(error, StoreError)
            assert error.key == "knowledge.vectors_server"
            assert "secret" not in error.render("en").message
        finally:
            corpus.close()


async def test_a_server_that_falls_silent_holds_nobody(
    corpus: Corpus, chroma: RunningChroma, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit holds for every request, also of a client that was made while the server was well."""
    corpus.put("a", "bảo hành laptop")
    await corpus.knowledge.embed_missing("docs", EMBED, "hash")
    corpus.knowledge.close()
    monkeypatch.setattr(chroma_http, "WAIT", 2.0)
    assert (await found(corpus, "bảo hành")).used_vectors
    # A stopped process still accepts connections (the system does it), and says nothing more.
    chroma.process.send_signal(signal.SIGSTOP)
    try:
        reason = (await found(corpus, "bảo hành")).reason
    finally:
        chroma.process.send_signal(signal.SIGCONT)
    assert isinstance(reason, StoreError)
    assert reason.key == "knowledge.vectors_server"
