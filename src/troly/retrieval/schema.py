"""The tables of the document store, the word index and the vector ledger in the state database."""

from __future__ import annotations

from troly.stores.migrations import Migration

# Ids are never used twice (AUTOINCREMENT): the vector store knows chunks by id and may be behind.
_DOCUMENTS = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection TEXT NOT NULL,
    owner TEXT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    encoding TEXT NOT NULL,
    permission TEXT,
    maker INTEGER NOT NULL,
    ingested_at TEXT NOT NULL
)
"""
_CHUNKS = """
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    heading TEXT NOT NULL,
    where_ TEXT NOT NULL,
    owner TEXT,
    collection TEXT NOT NULL,
    permission TEXT
)
"""
# All words are cut and folded before they come here. The ascii tokenizer leaves every other character alone, so that
# what a word is does not depend on the Unicode tables of an SQLite version.
_FTS = """
CREATE VIRTUAL TABLE chunks_fts USING fts5 (accented, folded, bigrams, tokenize = "ascii tokenchars '_'")
"""
_VECTORS = """
CREATE TABLE vectors (
    index_name TEXT NOT NULL,
    chunk_id INTEGER NOT NULL,
    PRIMARY KEY (index_name, chunk_id)
) WITHOUT ROWID
"""
# `message_id` is also the vector's id (000-56). A row outlives its message until the vector is gone too.
_MEMORY = """
CREATE TABLE memory_vectors (
    index_name TEXT NOT NULL,
    message_id TEXT NOT NULL,
    PRIMARY KEY (index_name, message_id)
) WITHOUT ROWID
"""
# `current`: the dimension that the embedder of this name gave last.
_MEMORY_INDEXES = """
CREATE TABLE memory_indexes (
    name TEXT PRIMARY KEY,
    collection TEXT NOT NULL,
    embedder TEXT NOT NULL,
    dim INTEGER NOT NULL,
    current INTEGER NOT NULL DEFAULT 1,
    version INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
"""

OWNER_OF = """coalesce((SELECT c.user_id FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
    WHERE m.id = {}), '')"""

# On PostgreSQL only conversations are remembered: documents and their index stay in a file beside the data, which
# `documents/shared.py` keeps alike on all machines.
MIGRATIONS = (
    Migration(
        "core/retrieval_0001_documents",
        (
            _DOCUMENTS,
            "CREATE UNIQUE INDEX documents_by_path ON documents (collection, IFNULL(owner, ''), path)",
            _CHUNKS,
            "CREATE INDEX chunks_by_document ON chunks (document_id, position)",
            "CREATE INDEX chunks_by_access ON chunks (collection, owner, permission)",
            _FTS,
            "CREATE VIRTUAL TABLE chunks_vocabulary USING fts5vocab (chunks_fts, 'col')",
            """
            CREATE TRIGGER chunks_unindex AFTER DELETE ON chunks BEGIN
                DELETE FROM chunks_fts WHERE rowid = old.id;
            END
            """,
        ),
        postgres=(),
    ),
    Migration(
        "core/retrieval_0002_vectors",
        (
            _VECTORS,
            "CREATE TABLE vector_versions (collection TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID",
            # Vectors made for another state database, with the same ids, are not ours.
            "CREATE TABLE vector_store (identity TEXT NOT NULL)",
            "INSERT INTO vector_store (identity) VALUES (lower(hex(randomblob(16))))",
        ),
        postgres=(
            "CREATE TABLE vector_store (identity TEXT NOT NULL)",
            "INSERT INTO vector_store (identity) VALUES (replace(gen_random_uuid()::text, '-', ''))",
        ),
    ),
    Migration("core/retrieval_0003_memory", (_MEMORY, _MEMORY_INDEXES)),
    Migration(
        "core/retrieval_0004_memory_owner",
        (
            "ALTER TABLE memory_vectors ADD COLUMN user_id TEXT NOT NULL DEFAULT ''",
            f"UPDATE memory_vectors SET user_id = {OWNER_OF.format('message_id')}",  # noqa: S608 (constants)
        ),
    ),
)
