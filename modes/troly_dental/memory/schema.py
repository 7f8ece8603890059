"""The tables of the dental memory in the state database."""

from __future__ import annotations

from troly.stores.migrations import Migration

# The ids are those of the house's conversations, or of another MCP client: such a conversation the house knows not.
_STATEMENTS = (
    """
        CREATE TABLE dental_conversations (
            id TEXT PRIMARY KEY,
            user_id TEXT NOT NULL,
            summary TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL
        )
        """,
    """
        CREATE TABLE dental_messages (
            seq INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES dental_conversations (id) ON DELETE CASCADE,
            role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
            content TEXT NOT NULL,
            hidden INTEGER NOT NULL DEFAULT 0,
            created_at TEXT NOT NULL
        )
        """,
    "CREATE INDEX dental_messages_by_conversation ON dental_messages (conversation_id, seq)",
    """
        CREATE TABLE dental_facts (
            id INTEGER PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES dental_conversations (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            value TEXT NOT NULL,
            value_folded TEXT NOT NULL,
            text TEXT NOT NULL,
            created_at TEXT NOT NULL,
            UNIQUE (conversation_id, kind, value_folded)
        )
        """,
    """
        CREATE TRIGGER dental_conversations_delete AFTER DELETE ON conversations BEGIN
            DELETE FROM dental_conversations WHERE id = old.id;
        END
        """,
)
_POSTGRES_TRIGGER = (
    """
    CREATE FUNCTION dental_conversations_delete() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN DELETE FROM dental_conversations WHERE id = old.id; RETURN NULL; END $$
    """,
    """
    CREATE TRIGGER dental_conversations_delete AFTER DELETE ON conversations FOR EACH ROW
        EXECUTE FUNCTION dental_conversations_delete()
    """,
)
MIGRATION = Migration("dental/0100_memory", _STATEMENTS, (*_STATEMENTS[:-1], *_POSTGRES_TRIGGER))
