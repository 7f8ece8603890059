"""A worker process for retrieval tests: says `ready`, waits for a line, then works until it is done or killed.

    python -m tests.support.retrieval.worker HOME ingest FOLDER | embed COLLECTION

Every file or batch that is done is told as one line.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.support.retrieval.knowledge import Corpus, HashingEmbedder
from troly.retrieval.documents.ingest import IngestProgress, ingest_paths


def tell(*words: object) -> None:
    """One line straight to the pipe: nothing acknowledged may sit in a buffer when the process dies."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def work(corpus: Corpus, task: str, what: str) -> None:
    """Ingest a folder by words, or embed what is there."""
    if task == "embed":
        done = await corpus.knowledge.embed_missing(what, HashingEmbedder(), "hash")
        tell("embedded", done.done, done.left, done.error or "")
        return

    def progress(step: IngestProgress) -> None:
        tell("read", step.done, step.total)

    await ingest_paths(corpus.knowledge, [Path(what)], collection="docs", progress=progress)


def main() -> None:
    """Open, wait, work."""
    corpus = Corpus(Path(sys.argv[1]))
    tell("ready")
    sys.stdin.readline()
    asyncio.run(work(corpus, sys.argv[2], sys.argv[3]))
    corpus.close()
    tell("done")


if __name__ == "__main__":
    main()
