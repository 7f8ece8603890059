"""The shipped pages of one language in one search, and questions over them in the other language or in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.support.retrieval.knowledge import WHEN, Corpus
from troly.retrieval.documents.files import parse_document

ROOT = Path(__file__).parents[3]
QUESTIONS = ROOT / "tests" / "retrieval" / "cross_questions.txt"


def questions(section: str) -> list[tuple[str, str]]:
    """Page and question of each line of a section of `cross_questions.txt`; the page is "-" where none answers."""
    found: dict[str, list[tuple[str, str]]] = {}
    name = ""
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            page, _, question = line.partition(" | ")
            found.setdefault(name, []).append((page, question))
    return found[section]


def pages(*, english: bool = False) -> Iterator[tuple[str, Path]]:
    """The shipped pages of the shop, the company and the dental notes in one language, by their keys."""
    for file in sorted((ROOT / "data").glob("knowledge/*.md")):
        if file.stem.endswith("-en") == english:
            yield f"knowledge/{file.stem}", file
    for file in sorted((ROOT / "data" / "rag").glob("*/*.md")):
        if file.stem.endswith("-en") == english:
            yield f"{file.parent.name}/{file.stem}", file
    for file in sorted((ROOT / "data" / "dental").glob("*.en.md" if english else "*.vi.md")):
        yield f"dental/{file.name.split('.')[0]}", file


def library(home: Path, *, english: bool = False) -> Corpus:
    """A corpus that holds `pages`, without their front matter."""
    corpus = Corpus(home)
    for key, file in pages(english=english):
        text = file.read_text(encoding="utf-8")
        body = text.split("---", 2)[2] if text.startswith("---") else text
        document = parse_document(file, body.encode())
        corpus.knowledge.put(document, collection="docs", key=key, ingested_at=WHEN)
    return corpus


async def ranked(corpus: Corpus, question: str) -> list[str]:
    """The pages that a question finds, best first, each once."""
    found = await corpus.knowledge.search(question, collection="docs", k=12)
    return list(dict.fromkeys(passage.document for passage in found.passages))
