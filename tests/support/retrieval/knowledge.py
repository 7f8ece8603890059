"""Opens real retrieval on a folder, with a deterministic embedder and documents made for the test."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from troly.errors import ModelError
from troly.retrieval.documents.files import Document, TextBlock
from troly.retrieval.search.knowledge import Knowledge
from troly.retrieval.search.vectors import ChromaServer
from troly.stores.state import StateDb
from troly.text.fold import bigrams, folded_words

DIM = 64
WHEN = "2026-11-22T08:00:00+07:00"
QUESTIONS = Path(__file__).parents[2] / "retrieval" / "questions.txt"


class Corpus:
    """A state database and the knowledge on it, in one folder."""

    def __init__(self, home: Path, server: ChromaServer | None = None) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.db, _ = StateDb.open(home / "state.db", home / "set-aside")
        self.db.migrate(Knowledge.migrations())
        self.knowledge = Knowledge(self.db, home / "chroma", home / "set-aside", server)

    def put(
        self, key: str, text: str, *, collection: str = "docs", owner: str | None = None, **more: str
    ) -> int:
        """Store `text` as a document of one block; `permission` may be given."""
        document = Document(more.get("title", key), (TextBlock(text),), "txt")
        return self.knowledge.put(
            document,
            collection=collection,
            key=key,
            ingested_at=WHEN,
            owner=owner,
            permission=more.get("permission"),
        )

    def integrity(self) -> None:
        """Fail unless the word index holds exactly the chunks that the store has."""
        with self.db.read() as connection:
            chunks = connection.execute("SELECT id FROM chunks ORDER BY id").fetchall()
            assert connection.execute("SELECT rowid FROM chunks_fts ORDER BY rowid").fetchall() == chunks
            stray = "SELECT count(*) FROM chunks WHERE document_id NOT IN (SELECT id FROM documents)"
            assert connection.execute(stray).fetchone() == (0,)

    def close(self) -> None:
        """Close both."""
        self.knowledge.close()
        self.db.close()


class HashingEmbedder:
    """Vectors from folded words and pairs, the same in every process; `calls` counts texts.

    `fail_after` texts it raises ModelError, as an Ollama that goes away.
    """

    def __init__(self, dim: int = DIM, fail_after: int | None = None) -> None:
        self.dim = dim
        self.fail_after = fail_after
        self.calls = 0

    async def __call__(self, texts: list[str]) -> list[list[float]]:
        if self.fail_after is not None and self.calls + len(texts) > self.fail_after:
            raise ModelError("ollama.down", url="http://127.0.0.1:9")
        self.calls += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        words = folded_words(text)
        vector = [1e-3] * self.dim
        for term in [*words, *bigrams(words)]:
            digest = hashlib.sha256(term.encode()).digest()
            vector[digest[0] % self.dim] += 1.0 if digest[1] % 2 else -1.0
        length = math.sqrt(sum(value * value for value in vector))
        return [value / length for value in vector]


def passages_and_questions() -> tuple[list[str], list[str]]:
    """Our own Vietnamese set: passage `i` answers question `i`."""
    parts = [part.split("\n? ") for part in QUESTIONS.read_text(encoding="utf-8").strip().split("\n\n")]
    return [part[0] for part in parts], [part[1].strip() for part in parts]


def pdf_bytes(pages: Sequence[str], *, title: str = "", trailer: str = "") -> bytes:
    """A minimal PDF, one line of Latin text a line of each page; `trailer` is added to its trailer."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for page in pages:
        lines = "".join(f"({line}) Tj T* " for line in page.split("\n"))
        stream = f"BT /F1 12 Tf 14 TL 50 750 Td {lines}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        content = len(objects)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {content} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    objects.append(f"<< /Title ({title}) >>")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {trailer} >>\n"
    xref = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}startxref\n{len(out)}\n%%EOF\n"
    return out + xref.encode("latin-1")


def docx_bytes() -> bytes:
    """A Word document with a title, headings, a list and a table."""
    import docx

    document = docx.Document()
    document.add_heading("Sổ tay nhân viên", 0)
    document.add_heading("Nghỉ phép", 1)
    document.add_paragraph("Mỗi năm có mười hai ngày phép.")
    document.add_paragraph("Báo trước ba ngày", style="List Bullet")
    document.add_heading("Phụ cấp", 1)
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        [cell for row in table.rows for cell in row.cells], ["Loại", "Mức", "Ăn trưa", "30.000đ"], strict=True
    ):
        cell.text = text
    out = BytesIO()
    document.save(out)
    return out.getvalue()
