"""The dental memory in the state database: messages, summary and pinned facts, each seen by its owner only."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from troly.errors import AccessError, InputError
from troly.stores.records import IdMaker, instant, storable
from troly_dental.guard.spelling import spellings_of
from troly_dental.memory.facts import (
    Revision,
    facts_for_prompt,
    find_facts,
    key_of,
    mentions,
    person_of,
    revise,
)
from troly_dental.memory.types import KINDS, MAX_MESSAGES, Fact, Message, OldMessages

if TYPE_CHECKING:
    from troly.stores.connections import Connection
    from troly.stores.state import StateDb
    from troly.text.dates import Clock
    from troly_dental.settings import DentalSettings

LONGEST_ID, LONGEST = 200, 200_000
_ROLES = ("user", "assistant")
_HEALTH = frozenset({"allergy", "medicine", "pregnancy", "disease"})
_ILLNESS = frozenset({"disease", "pregnancy"})
_PREGNANCY = timedelta(days=280)
_LAST = "SELECT role, content FROM dental_messages WHERE conversation_id = ? AND role = 'user' ORDER BY seq DESC LIMIT 1"
_OWNER = """
SELECT coalesce(d.user_id, c.user_id), c.user_id, c.deleted_at, d.id IS NOT NULL FROM (SELECT ? AS id) AS asked
LEFT JOIN dental_conversations AS d ON d.id = asked.id LEFT JOIN conversations AS c ON c.id = asked.id
"""
_FACTS = """
SELECT f.kind, f.value, f.text, f.id, f.conversation_id FROM dental_facts AS f
JOIN dental_conversations AS d ON d.id = f.conversation_id LEFT JOIN conversations AS c ON c.id = d.id
WHERE d.user_id = ? AND c.deleted_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """The memory of one user.

    Every method raises AccessError `store.not_yours` for a conversation of somebody else or a deleted one, InputError
    for an id, a role or a text that cannot be kept, StoreError when the database refuses. An id that nobody has is
    empty to read, and created when something is written to it (003-12).
    """

    state: StateDb
    clock: Clock
    owner: str
    keep: int = 6
    compress: bool = True

    @classmethod
    def of(cls, state: StateDb, clock: Clock, owner: str, settings: DentalSettings) -> MemoryStore:
        """With the numbers of the settings (003-31)."""
        return cls(state, clock, owner, settings.keep_recent_messages, settings.compress_after_summary)

    def get_or_create(self, conversation_id: str | None) -> str:
        """The id, of a conversation that is there now; a fresh id for none or an empty one."""
        wanted = (conversation_id or "").strip() or f"chat_{IdMaker(self.clock)()}"
        with self.state.write() as connection:
            self._ensure(connection, wanted)
        return wanted

    def get_context(self, conversation_id: str, max_messages: int = MAX_MESSAGES) -> list[Message]:
        """The last messages that are not hidden, oldest first, at most `max_messages` and at most `keep` (C2)."""
        if max_messages < 0:
            raise InputError("dental.memory.count", count=max_messages)
        sql = (
            "SELECT role, content FROM dental_messages WHERE conversation_id = ? AND hidden = 0"
            " ORDER BY seq DESC LIMIT ?"
        )
        return self._read(sql, conversation_id, min(max_messages, self.keep))[::-1]

    def get_old_messages(self, conversation_id: str) -> OldMessages:
        """The messages before the last `keep`, without those that are hidden, and the count of all."""
        with self.state.read() as connection:
            total = self._count(connection, conversation_id)
            old = "SELECT role, content FROM dental_messages WHERE conversation_id = ? AND hidden = 0 AND seq < ? ORDER BY seq"
            messages = self._read(old, conversation_id, self._recent_from(connection, conversation_id))
        return OldMessages(tuple(messages), total)

    def get_all_messages(self, conversation_id: str) -> list[Message]:
        """The whole history, hidden or not (C4)."""
        return self._read(
            "SELECT role, content FROM dental_messages WHERE conversation_id = ? ORDER BY seq",
            conversation_id,
        )

    def get_summary(self, conversation_id: str) -> str:
        """The accumulated summary; "" when there is none."""
        with self.state.read() as connection:
            self._check(connection, conversation_id)
            row = connection.execute(
                "SELECT summary FROM dental_conversations WHERE id = ?", (conversation_id,)
            ).fetchone()
        return str(row[0]) if row else ""

    def set_summary(self, conversation_id: str, summary: str, *, compress: bool = False) -> None:
        """Replace the summary. With `compress`, and unless the settings forbid it, old messages are hidden from the
        context; they stay in the history.
        """
        _check_text(summary)
        with self.state.write() as connection:
            self._ensure(connection, conversation_id)
            connection.execute(
                "UPDATE dental_conversations SET summary = ? WHERE id = ?",
                (storable(summary), conversation_id),
            )
            if compress and self.compress:
                connection.execute(
                    "UPDATE dental_messages SET hidden = 1 WHERE conversation_id = ? AND seq < ?",
                    (conversation_id, self._recent_from(connection, conversation_id)),
                )

    def add_message(self, conversation_id: str, role: str, content: str) -> tuple[Fact, ...]:
        """Keep a message; returns the facts that were pinned from it."""
        if role not in _ROLES:
            raise InputError("dental.memory.role", role=role[:40])
        _check_text(content)
        known = self.facts(conversation_id) if role == "user" else ()
        before = self._read(_LAST, conversation_id) if known else []
        last = before[0]["content"] if before else ""
        revision = revision_of(content, known, last) if role == "user" else Revision()
        facts = revision.facts
        with self.state.write() as connection:
            self._ensure(connection, conversation_id)
            gone = [(fact.id,) for fact in revision.dropped]
            connection.executemany("DELETE FROM dental_facts WHERE id = ?", gone)
            connection.execute(
                "INSERT INTO dental_messages (conversation_id, role, content, created_at) VALUES (?, ?, ?, ?)",
                (conversation_id, role, storable(content), instant(self.clock())),
            )
            for fact in facts:
                self._keep_fact(connection, conversation_id, fact)
        return facts

    def branch(self, origin: str, branch: str, asked: Sequence[str]) -> None:
        """Give `branch` what `origin` keeps of the questions `asked`, the first ones of it: messages, facts, summary.

        What was forgotten or corrected there is so in the branch too.
        """
        with self.state.write() as connection:
            self._check(connection, origin)
            self._ensure(connection, branch)
            sql = "SELECT role, content, hidden, created_at FROM dental_messages WHERE conversation_id = ? ORDER BY seq"
            rows = connection.execute(sql, (origin,)).fetchall()
            ahead, copied = [storable(text) for text in asked], []
            for row in rows:
                if row[0] == "user":
                    if row[1] not in ahead:
                        break
                    del ahead[: ahead.index(row[1]) + 1]
                copied.append(row)
            sql = "INSERT INTO dental_messages (conversation_id, role, content, hidden, created_at) VALUES (?, ?, ?, ?, ?)"
            connection.executemany(sql, [(branch, *row) for row in copied])
            said = [row[1] for row in copied if row[0] == "user"]
            sql = "SELECT kind, value, value_folded, text, created_at FROM dental_facts WHERE conversation_id = ? ORDER BY id"
            known = [
                (branch, *fact)
                for fact in connection.execute(sql, (origin,)).fetchall()
                if len(copied) == len(rows) or any(mentions(text, fact[1]) for text in said)
            ]
            sql = "INSERT INTO dental_facts (conversation_id, kind, value, value_folded, text, created_at) VALUES (?, ?, ?, ?, ?, ?)"
            connection.executemany(sql, known)
            sql = "SELECT summary FROM dental_conversations WHERE id = ?"
            # One part is added for each question that has left the last messages.
            parts = connection.execute(sql, (origin,)).fetchone()
            left = len(rows) if len(copied) == len(rows) else max(0, (len(copied) - self.keep) // 2)
            summary = "\n\n".join(parts[0].split("\n\n")[:left]) if parts else ""
            sql = "UPDATE dental_conversations SET summary = ? WHERE id = ?"
            connection.execute(sql, (summary, branch))

    def facts(self, conversation_id: str | None = None) -> tuple[Fact, ...]:
        """The pinned facts of one conversation, or of all of the owner's, by kind, oldest first."""
        with self.state.read(self.owner if conversation_id is None else None) as connection:
            if conversation_id is None:
                rows = connection.execute(f"{_FACTS} ORDER BY f.id", (self.owner,)).fetchall()
            else:
                self._check(connection, conversation_id)
                sql = f"{_FACTS} AND f.conversation_id = ? ORDER BY f.id"
                rows = connection.execute(sql, (self.owner, conversation_id)).fetchall()
        return tuple(sorted((Fact(*row) for row in rows), key=lambda fact: KINDS.index(fact.kind)))

    def pinned(self, conversation_id: str) -> tuple[Fact, ...]:
        """The facts of a conversation, and what the owner stated of their own health in others: an allergy goes with the person.

        A pregnancy of another conversation counts for nine months; ages, names, teeth, dates and numbers stay where they were told.
        """
        own = self.facts(conversation_id)
        said = {(fact.kind, key_of(fact)) for fact in own}
        since = instant(self.clock() - _PREGNANCY)
        with self.state.read(self.owner) as connection:
            rows = connection.execute(
                f"{_FACTS} AND (f.kind <> 'pregnancy' OR f.created_at > ?) ORDER BY f.id", (self.owner, since)
            )
            others = [
                replace(Fact(*row), earlier=True)
                for row in rows
                if row[4] != conversation_id and row[0] in _HEALTH and not person_of(row[2])
            ]
        more = {(fact.kind, key_of(fact)): fact for fact in others}
        kept = (*own, *(fact for key, fact in more.items() if key not in said))
        return tuple(sorted(kept, key=lambda fact: KINDS.index(fact.kind)))

    def correct(self, fact_id: int, text: str) -> Fact:
        """Let a fact say `text` from now on; what said it before leaves the summary and the context.

        Raises InputError `dental.memory.no_fact` for an id that is not the owner's, `dental.memory.empty`.
        """
        text = " ".join(text.split())
        if not text:
            raise InputError("dental.memory.empty")
        _check_text(text)
        with self.state.write(self.owner) as connection:
            fact = self._fact(connection, fact_id)
            again = next((other for other in find_facts(text) if other.kind == fact.kind), None)
            value = again.value if again else text
            self._scrub(connection, fact)
            connection.execute("DELETE FROM dental_facts WHERE id = ?", (fact_id,))
            new = Fact(fact.kind, value, text)
            self._keep_fact(connection, fact.conversation_id, new)
            sql = f"{_FACTS} AND f.conversation_id = ? AND f.kind = ? AND f.value_folded = ?"
            row = connection.execute(sql, (self.owner, fact.conversation_id, fact.kind, key_of(new)))
            return Fact(*row.fetchone())

    def forget(self, fact_id: int) -> Fact:
        """Drop a fact, and what says it from the summary and from the context; the history to read stays (C4).

        Raises InputError `dental.memory.no_fact`.
        """
        with self.state.write(self.owner) as connection:
            fact = self._fact(connection, fact_id)
            self._scrub(connection, fact)
            connection.execute("DELETE FROM dental_facts WHERE id = ?", (fact_id,))
        return fact

    def _fact(self, connection: Connection, fact_id: int) -> Fact:
        row = connection.execute(f"{_FACTS} AND f.id = ?", (self.owner, fact_id)).fetchone()
        if row is None:
            raise InputError("dental.memory.no_fact", id=fact_id)
        return Fact(*row)

    def _keep_fact(self, connection: Connection, conversation_id: str, fact: Fact) -> None:
        # Said again, a fact takes the new wording ("không còn dị ứng …") and its old place.
        sql = (
            "INSERT INTO dental_facts (conversation_id, kind, value, value_folded, text, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (conversation_id, kind, value_folded)"
            " DO UPDATE SET value = excluded.value, text = excluded.text"
        )
        value, text = storable(fact.value), storable(fact.text)
        row = (conversation_id, fact.kind, value, key_of(fact), text, instant(self.clock()))
        connection.execute(sql, row)

    def _scrub(self, connection: Connection, fact: Fact) -> None:
        """Take what mentions `fact` out of the summary, and hide the messages that do."""
        where = (fact.conversation_id,)
        summary = connection.execute(
            "SELECT summary FROM dental_conversations WHERE id = ?", where
        ).fetchone()[0]
        kept = [line for line in summary.split("\n") if not mentions(line, fact.value)]
        row = ("\n".join(kept).strip(), fact.conversation_id)
        connection.execute("UPDATE dental_conversations SET summary = ? WHERE id = ?", row)
        sql = "SELECT seq, content FROM dental_messages WHERE conversation_id = ? AND hidden = 0"
        said = [seq for seq, text in connection.execute(sql, where).fetchall() if mentions(text, fact.value)]
        connection.executemany(
            "UPDATE dental_messages SET hidden = 1 WHERE seq = ?", [(seq,) for seq in said]
        )

    def _read(self, sql: str, conversation_id: str, *more: object) -> list[Message]:
        with self.state.read() as connection:
            self._check(connection, conversation_id)
            rows: Iterable[tuple[str, str]] = connection.execute(sql, (conversation_id, *more)).fetchall()
        return [{"role": "user" if role == "user" else "assistant", "content": text} for role, text in rows]

    def _count(self, connection: Connection, conversation_id: str) -> int:
        self._check(connection, conversation_id)
        sql = "SELECT count(*) FROM dental_messages WHERE conversation_id = ?"
        return int(connection.execute(sql, (conversation_id,)).fetchone()[0])

    def _recent_from(self, connection: Connection, conversation_id: str) -> int:
        """The place of the first of the last `keep` messages."""
        sql = "SELECT seq FROM dental_messages WHERE conversation_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?"
        row = connection.execute(sql, (conversation_id, self.keep - 1)).fetchone()
        return int(row[0]) if row else 0

    def _ensure(self, connection: Connection, conversation_id: str) -> None:
        if not self._check(connection, conversation_id):
            sql = "INSERT INTO dental_conversations (id, user_id, created_at) VALUES (?, ?, ?)"
            connection.execute(sql, (conversation_id, self.owner, instant(self.clock())))

    def _check(self, connection: Connection, conversation_id: str) -> bool:
        """Whether the memory has the conversation; raises AccessError for one that is not the owner's."""
        _check_id(conversation_id)
        kept_by, house, deleted, known = connection.execute(_OWNER, (conversation_id,)).fetchone()
        if deleted or any(owner not in {None, self.owner} for owner in (kept_by, house)):
            raise AccessError("store.not_yours")
        self.state.narrow(connection, self.owner)
        return bool(known)


def facts_of(message: str) -> tuple[Fact, ...]:
    """The facts that a message states, illnesses also where their names have slips ("tiểu đườg")."""
    return revision_of(message).facts


def revision_of(message: str, known: Sequence[Fact] = (), before: str = "") -> Revision:
    """What a message states and corrects, as `facts_of` and `revise` read it."""
    revision = revise(message, known, before)
    said = {(fact.kind, key_of(fact)) for fact in revision.facts}
    meant = [fact for reading in spellings_of(message)[1:] for fact in find_facts(reading)]
    more = [fact for fact in meant if fact.kind in _ILLNESS and (fact.kind, key_of(fact)) not in said]
    return Revision((*revision.facts, *more), revision.dropped)


def methods(store: MemoryStore) -> tuple[Callable[..., dict[str, Any]], ...]:
    """The memory-server's methods over `store`, with the documents' parameters and answers (003-12 to 003-29)."""

    def get_or_create(conversation_id: str | None = None) -> dict[str, Any]:
        """The id of an existing conversation, or of a new one; a fresh id when none is given."""
        return {"conversation_id": store.get_or_create(conversation_id)}

    def get_context(conversation_id: str, max_messages: int = MAX_MESSAGES) -> dict[str, Any]:
        """The last messages for a model's context: the smaller of max_messages and KEEP_RECENT_MESSAGES."""
        return {"messages": store.get_context(conversation_id, max_messages)}

    def get_old_messages(conversation_id: str) -> dict[str, Any]:
        """The messages before the recent ones; none once they were compressed. total_count counts all."""
        old = store.get_old_messages(conversation_id)
        return {"old_messages": list(old.messages), "total_count": old.total_count}

    def get_all_messages(conversation_id: str) -> dict[str, Any]:
        """The whole history, for display."""
        return {"messages": store.get_all_messages(conversation_id)}

    def get_summary(conversation_id: str) -> dict[str, Any]:
        """The accumulated summary (an empty string before the first answer) and the pinned facts."""
        facts = facts_for_prompt(store.pinned(conversation_id))
        pinned = [
            {"id": one.id, "kind": one.kind, "value": one.value, "text": one.text, "earlier": one.earlier}
            for one in facts
        ]
        return {"summary": store.get_summary(conversation_id), "facts": pinned}

    def set_summary(conversation_id: str, summary: str, compress: bool = False) -> dict[str, Any]:
        """Replace the summary. With compress, old messages leave the context; the history stays whole."""
        store.set_summary(conversation_id, summary, compress=compress)
        return {"ok": True, "conversation_id": conversation_id}

    def add_message(conversation_id: str, role: str, content: str) -> dict[str, Any]:
        """Keep a message of "user" or "assistant"; facts that a user states are pinned."""
        store.add_message(conversation_id, role, content)
        return {"ok": True, "conversation_id": conversation_id}

    return (
        get_or_create,
        get_context,
        get_old_messages,
        get_all_messages,
        get_summary,
        set_summary,
        add_message,
    )


def _check_id(conversation_id: str) -> None:
    if not 0 < len(conversation_id) <= LONGEST_ID or any(
        unicodedata.category(char)[0] == "C" for char in conversation_id
    ):
        raise InputError("dental.memory.id", longest=LONGEST_ID)


def _check_text(text: str) -> None:
    if len(text) > LONGEST:
        raise InputError("dental.memory.long", size=len(text), limit=LONGEST)
