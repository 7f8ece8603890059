"""Conversations with a memory on a test's own folder, and the process of `python -m tests.support.retrieval.memory HOME`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.retrieval.knowledge import HashingEmbedder
from troly.errors import ModelError
from troly.retrieval.memory import Memory
from troly.retrieval.search.knowledge import Knowledge
from troly.stores.conversations import Conversations
from troly.stores.state import StateDb
from troly.text.dates import fixed_clock

NOW = "2026-11-22T09:00:00+07:00"


@dataclass(slots=True)
class Desk:
    """State database, conversations and their memory; `embedders` by name, `asked` the texts they were given."""

    home: Path
    embedders: dict[str, HashingEmbedder] = field(default_factory=lambda: {"hash": HashingEmbedder()})
    embedder: str = "hash"
    asked: list[str] = field(default_factory=list)
    too_long: int | None = None
    db: StateDb = field(init=False)
    conversations: Conversations = field(init=False)
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.db, _ = StateDb.open(self.home / "state.db", self.home / "set-aside")
        self.db.migrate(Knowledge.migrations())
        self.conversations = Conversations(self.db, fixed_clock(NOW))
        self.memory = Memory(
            self.db,
            self.home / "chroma-memory",
            self.home / "set-aside",
            collection="conversations_dev",
            embedder_of=lambda _mode: self.embedder,
            embed=self.embed,
        )
        self.memory.queue.quiet = 0.0

    async def embed(self, embedder: str, texts: list[str]) -> list[list[float]]:
        if self.too_long is not None and any(len(text) > self.too_long for text in texts):
            raise ModelError("ollama.refused_length", url="", model=embedder, detail="")
        self.asked += texts
        return await self.embedders[embedder](texts)

    def say(self, owner: str, *texts: str, conversation: str | None = None) -> str:
        """Save messages of `owner`; returns the conversation's id."""
        conversation = conversation or self.conversations.create(owner, "shopping").id
        for text in texts:
            self.conversations.add_message(owner, conversation, "user", text)
        return conversation

    async def found(
        self, owner: str, conversation: str, query: str, *, vectors: bool = True, k: int = 4
    ) -> list[str]:
        """The texts that a search gives."""
        embed = self.embedders[self.embedder] if vectors else None
        recall = await self.memory.search(
            owner, conversation, query, embed=embed, embedder=self.embedder, k=k
        )
        return [one.text for one in recall.messages]

    def rows(self) -> int:
        """How many vectors are noted."""
        with self.db.read() as connection:
            return int(connection.execute("SELECT count(*) FROM memory_vectors").fetchone()[0])

    def stored(self) -> dict[str, dict[str, object]]:
        """Id and metadata of every vector, read by a client of our own after the memory was closed."""
        import chromadb
        from chromadb.config import Settings

        client: Any = chromadb.PersistentClient(
            path=str(self.home / "chroma-memory"), settings=Settings(anonymized_telemetry=False)
        )
        try:
            found = [collection.get(include=["metadatas"]) for collection in client.list_collections()]
            return {
                key: dict(note)
                for part in found
                for key, note in zip(part["ids"], part["metadatas"] or [], strict=True)
            }
        finally:
            client.close()

    def close(self) -> None:
        """Close both."""
        self.memory.close()
        self.db.close()


@contextmanager
def desk_at(home: Path) -> Iterator[Desk]:
    """A desk under `home`, closed at the end."""
    home.mkdir(parents=True, exist_ok=True)
    desk = Desk(home)
    try:
        yield desk
    finally:
        desk.close()


def main() -> None:
    """Say `ready`, wait for a line, embed what waits, telling each batch and the end."""
    with desk_at(Path(sys.argv[1])) as desk:
        os.write(1, b"ready\n")
        sys.stdin.readline()

        async def tell() -> None:
            os.write(1, f"rows {desk.rows()}\n".encode())

        done = asyncio.run(desk.memory.embed_waiting(tell))
        os.write(1, f"done {done}\n".encode())


if __name__ == "__main__":
    main()
