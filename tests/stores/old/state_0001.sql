-- state.db as the first release made it; never to be edited: what people have on their disks does not change.
PRAGMA journal_mode = WAL;
CREATE TABLE migrations (
    name TEXT PRIMARY KEY,
    applied_at TEXT NOT NULL,
    statements_sha TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE conversations (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    language TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    deleted_at TEXT,
    pinned INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX conversations_by_owner ON conversations (user_id, pinned, updated_at, seq);
CREATE TABLE turns (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    mode TEXT NOT NULL,
    question_message_id TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'completed', 'failed', 'stopped', 'interrupted')),
    pid INTEGER NOT NULL,
    process_started REAL NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    ms REAL,
    source TEXT,
    calls INTEGER NOT NULL DEFAULT 0,
    partial TEXT NOT NULL DEFAULT '',
    state TEXT,
    trace TEXT,
    error TEXT
);
CREATE INDEX turns_by_conversation ON turns (conversation_id, seq);
CREATE INDEX turns_running ON turns (status) WHERE status = 'running';
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn_id TEXT REFERENCES turns (id) ON DELETE SET NULL,
    sender TEXT NOT NULL CHECK (sender IN ('user', 'assistant')),
    text TEXT NOT NULL,
    type TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    status TEXT NOT NULL DEFAULT 'complete'
);
CREATE INDEX messages_by_conversation ON messages (conversation_id, seq);
CREATE INDEX messages_by_turn ON messages (turn_id);
CREATE VIRTUAL TABLE messages_fts
    USING fts5 (accented, folded, tokenize = 'unicode61 remove_diacritics 0');
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.seq;
END;
INSERT INTO migrations VALUES ('0001_conversations', '2026-11-22T08:00:00+00:00', '1a7613eaa696ceb236be6a806f440a23f753702fd82b185f6aa3a05d5c747c2b');
INSERT INTO conversations VALUES
    (1, 'c1', 'an', 'shopping', 'Bảo hành', 'vi', '2026-11-22T08:00:00.000000Z', '2026-11-22T08:00:01.000000Z', '{"cute": true}', NULL, 1);
INSERT INTO turns VALUES
    (1, 't1', 'c1', 'shopping', 'm1', 'completed', 77, 12.5, '2026-11-22T08:00:00.000000Z',
     '2026-11-22T08:00:01.000000Z', 900.5, 'rules', 0, '', '{"lang": "vi"}', '{"steps": []}', NULL);
INSERT INTO messages VALUES
    (1, 'm1', 'c1', 't1', 'user', 'Bảo hành giúp tôi', '', '2026-11-22T08:00:00.000000Z', '{}', 'complete'),
    (2, 'm2', 'c1', 't1', 'assistant', 'Quý khách vui lòng cung cấp số serial', 'warranty_prompt',
     '2026-11-22T08:00:01.000000Z', '{"kind": "prompt"}', 'complete');
INSERT INTO messages_fts (rowid, accented, folded) VALUES
    (1, 'bảo hành giúp tôi', 'bao hanh giup toi'),
    (2, 'quý khách vui lòng cung cấp số serial', 'quy khach vui long cung cap so serial');
