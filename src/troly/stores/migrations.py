"""Named, append-only schema changes, recorded in the database that they were applied to."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from troly.errors import StoreError
from troly.stores.connections import Connection


@dataclass(frozen=True, slots=True)
class Migration:
    """One schema change: never edited or renamed once it was released, only followed by another.

    Names sort in the order to apply within their namespace. Core names have no slash; a mode's begin with its id
    (`shopping/0001_records`). PostgreSQL gets the same statements (see `postgres.definition`), or `postgres` instead.

    `add_` after the number (`0014_add_ratings`) promises that a program from before can go on, and start, on the changed database:
    several servers are then upgraded one after the other. Such a change only makes tables, indexes that allow what was allowed,
    and columns with a default; a reference lets what it names be deleted. ValueError where it does more.
    """

    name: str
    statements: tuple[str, ...]
    postgres: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        every = (*self.statements, *(self.postgres or ()))
        if only_adds(self.name) and not all(_ADDS.match(sql) and not _HINDERS.search(sql) for sql in every):
            raise ValueError(f"{self.name} does more than add")

    @property
    def sha(self) -> str:
        return hashlib.sha256("\0".join(self.statements).encode()).hexdigest()

    @property
    def namespace(self) -> str:
        """What comes before the slash; empty for the core."""
        return self.name.rpartition("/")[0]


_ADDS = re.compile(r"\s*(CREATE TABLE|CREATE INDEX|ALTER TABLE \w+ ADD COLUMN)\b")
# In a new table anything goes but a reference that keeps what it names from being deleted.
_HINDERS = re.compile(
    r"ADD COLUMN (?=.*\b(NOT NULL|UNIQUE)\b)(?!.*\bNOT NULL DEFAULT\b(?!.*\bUNIQUE\b))"
    r"|REFERENCES \w+ \(\w+\)(?! ON DELETE (CASCADE|SET NULL))",
    re.DOTALL,
)


def only_adds(name: str) -> bool:
    """Whether a program that does not know the migration of that name can work on what it made."""
    return re.match(r"\d+_add_", name.rpartition("/")[2]) is not None


LEDGER = """
CREATE TABLE IF NOT EXISTS migrations (
    name TEXT PRIMARY KEY,
    applied_at TEXT NOT NULL,
    statements_sha TEXT NOT NULL
) WITHOUT ROWID
"""

_TABLES = re.compile(r"CREATE TABLE (\w+)|DROP TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+)")

# `seq` is the order of arrival: a clock can stand still (`--now`) or be set back, and ids begin with the time.
_CONVERSATIONS = (
    """
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
            )
            """,
    "CREATE INDEX conversations_by_owner ON conversations (user_id, pinned, updated_at, seq)",
    """
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
            )
            """,
    "CREATE INDEX turns_by_conversation ON turns (conversation_id, seq)",
    "CREATE INDEX turns_running ON turns (status) WHERE status = 'running'",
    """
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
            )
            """,
    "CREATE INDEX messages_by_conversation ON messages (conversation_id, seq)",
    "CREATE INDEX messages_by_turn ON messages (turn_id)",
)
_FTS5 = (
    """
            CREATE VIRTUAL TABLE messages_fts
                USING fts5 (accented, folded, tokenize = 'unicode61 remove_diacritics 0')
            """,
    """
            CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
                DELETE FROM messages_fts WHERE rowid = old.seq;
            END
            """,
)
# What SQLite has of its own: unfolding a JSON list, and words of messages.
_WORDS = (
    """
    CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE
        AS $$ SELECT json_array_elements_text(list::json) $$
    """,
    """
    CREATE TABLE messages_fts (
        rowid INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
        words TSVECTOR NOT NULL
    )
    """,
    "CREATE INDEX messages_by_words ON messages_fts USING gin (words)",
)
CORE: tuple[Migration, ...] = (
    Migration("0001_conversations", (*_CONVERSATIONS, *_FTS5), (*_CONVERSATIONS, *_WORDS)),
    Migration(
        "0002_datasets",
        (
            """
            CREATE TABLE datasets (
                name TEXT NOT NULL,
                version INTEGER NOT NULL,
                file TEXT NOT NULL UNIQUE,
                published_at TEXT NOT NULL,
                info TEXT NOT NULL DEFAULT '{}',
                withdrawn_at TEXT,
                PRIMARY KEY (name, version)
            )
            """,
        ),
    ),
    # The modes whose sample data was loaded or removed here.
    Migration(
        "0003_samples",
        ("CREATE TABLE samples (mode TEXT PRIMARY KEY, decided_at TEXT NOT NULL) WITHOUT ROWID",),
    ),
    # Answers marked as wrong; what was kept of them stands under keys (`rental.reuse:12`, `turn:<id>`).
    Migration(
        "0004_wrong_answers",
        (
            """
            CREATE TABLE wrong_answers (
                turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
                reason TEXT NOT NULL,
                note TEXT NOT NULL DEFAULT '',
                marked_at TEXT NOT NULL
            ) WITHOUT ROWID
            """,
            """
            CREATE TABLE barred (
                key TEXT NOT NULL,
                turn_id TEXT NOT NULL REFERENCES wrong_answers (turn_id) ON DELETE CASCADE,
                PRIMARY KEY (key, turn_id)
            ) WITHOUT ROWID
            """,
        ),
    ),
    # What only the evidence view and a replay read of a turn, apart from what every opening of a conversation reads.
    Migration(
        "0005_recordings",
        (
            """
            CREATE TABLE recordings (
                turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
                data BLOB NOT NULL
            )
            """,
        ),
    ),
    # Keys of `app serve`: only a hash of the secret is kept.
    Migration(
        "0006_api_keys",
        (
            """
            CREATE TABLE api_keys (
                id TEXT PRIMARY KEY,
                digest BLOB NOT NULL,
                user_id TEXT NOT NULL,
                role TEXT NOT NULL,
                permissions TEXT NOT NULL DEFAULT '[]',
                department TEXT NOT NULL DEFAULT '',
                modes TEXT NOT NULL DEFAULT '[]',
                rate INTEGER NOT NULL,
                created_at TEXT NOT NULL,
                expires_at TEXT,
                revoked_at TEXT
            ) WITHOUT ROWID
            """,
        ),
    ),
    # Which conversation a client means by a name of its own, and conversations that a person takes over.
    Migration(
        "0007_served",
        (
            """
            CREATE TABLE threads (
                user_id TEXT NOT NULL,
                mode TEXT NOT NULL,
                name TEXT NOT NULL,
                conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
                PRIMARY KEY (user_id, mode, name)
            ) WITHOUT ROWID
            """,
            "CREATE INDEX threads_by_conversation ON threads (conversation_id)",
            """
            CREATE TABLE handovers (
                id TEXT PRIMARY KEY,
                conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
                reason TEXT NOT NULL,
                code TEXT NOT NULL DEFAULT '',
                created_at TEXT NOT NULL,
                taken_by TEXT,
                taken_at TEXT,
                closed_at TEXT
            ) WITHOUT ROWID
            """,
            "CREATE UNIQUE INDEX handovers_open ON handovers (conversation_id) WHERE closed_at IS NULL",
        ),
    ),
    Migration("0008_excluded", ("ALTER TABLE barred RENAME TO excluded",)),
    # A process number says nothing on another machine.
    Migration("0009_hosts", ("ALTER TABLE turns ADD COLUMN host TEXT NOT NULL DEFAULT ''",)),
    # From where this database was filled (`move`); without an end while that goes on.
    Migration("0010_moves", ("CREATE TABLE moves (source TEXT PRIMARY KEY, finished_at TEXT)",)),
    # What a users file says of a login, as JSON; used on a shared database.
    Migration("0011_users", ("CREATE TABLE users (login TEXT PRIMARY KEY, entry TEXT NOT NULL)",)),
    # Loads of files: seen by everybody who shares the database, and taken up again where their process died.
    Migration(
        "0012_jobs",
        (
            """
            CREATE TABLE jobs (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                name TEXT NOT NULL,
                login TEXT NOT NULL,
                host TEXT NOT NULL,
                request TEXT NOT NULL,
                status TEXT NOT NULL CHECK (status IN ('running', 'done', 'failed', 'stopped')),
                done INTEGER NOT NULL DEFAULT 0,
                total INTEGER,
                unit TEXT NOT NULL DEFAULT '',
                said TEXT NOT NULL DEFAULT '',
                tries INTEGER NOT NULL DEFAULT 1,
                started_at TEXT NOT NULL,
                changed_at TEXT NOT NULL
            )
            """,
        ),
    ),
    # SHA-256 of a file that lies in the shared place; "" for one that only its own machine has.
    Migration("0013_shared_files", ("ALTER TABLE datasets ADD COLUMN sha TEXT NOT NULL DEFAULT ''",)),
)


def combine(extra: Iterable[Migration]) -> list[Migration]:
    """The core's migrations and `extra`, each once, in the order to apply.

    Raises StoreError `store.migration_changed` when one name stands for two different changes.
    """
    found: dict[str, Migration] = {}
    for migration in (*CORE, *extra):
        known = found.setdefault(migration.name, migration)
        if known.statements != migration.statements:
            raise StoreError("store.migration_changed", name=migration.name)
    return sorted(found.values(), key=lambda migration: (migration.namespace, migration.name))


def pending(applied: Mapping[str, str], known: Sequence[Migration], path: Path) -> list[Migration]:
    """Those of `known` that are not `applied` (name and sum of each).

    A recorded name of the core, or of a namespace that this program has migrations of, must be known: otherwise a
    newer version made the database, and StoreError `store.newer` is raised, unless it only added. Namespaces that are not here at all
    belong to a mode that is not installed now; their tables are left alone.
    """
    shas = {migration.name: migration.sha for migration in known}
    spaces = {migration.namespace for migration in known}
    unknown = (name for name in applied if name not in shas and name.rpartition("/")[0] in spaces)
    newer = sorted(name for name in unknown if not only_adds(name))
    if newer:
        raise StoreError("store.newer", path=path, names=", ".join(newer))
    for name, sha in applied.items():
        if shas.get(name, sha) != sha:
            raise StoreError("store.migration_changed", name=name)
    return [migration for migration in known if migration.name not in applied]


def apply(connection: Connection, migrations: Iterable[Migration]) -> list[str]:
    """Run `migrations` in the transaction that is open and record them; returns their names.

    Raises StoreError `store.migration_failed`; the caller rolls back.
    """
    connection.execute(LEDGER)
    done = []
    for migration in migrations:
        for statement in migration.statements:
            try:
                connection.execute(statement)
            except (sqlite3.ProgrammingError, sqlite3.IntegrityError) as error:
                raise StoreError("store.migration_failed", name=migration.name, reason=error) from error
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_ERROR:
                    raise
                raise StoreError("store.migration_failed", name=migration.name, reason=error) from error
        record(connection, migration)
        done.append(migration.name)
    return done


def record(connection: Connection, migration: Migration) -> None:
    row = (migration.name, datetime.now(UTC).isoformat(), migration.sha)
    connection.execute("INSERT INTO migrations (name, applied_at, statements_sha) VALUES (?, ?, ?)", row)


def tables_of(known: Iterable[Migration]) -> dict[str, None]:
    """The tables that PostgreSQL has after `known`, in the order they were made: each after those that it names."""
    found: dict[str, None] = {}
    for migration in known:
        for sql in migration.statements if migration.postgres is None else migration.postgres:
            for made, dropped, old, new in _TABLES.findall(sql):
                if made or new:
                    found[made or new] = None
                found.pop(dropped or old, None)
    return found
