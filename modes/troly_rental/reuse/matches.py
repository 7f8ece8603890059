"""Canonical reuse (002-14 to 002-16, 002-29): a confirmed query answers again only when the question truly is the same."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from troly import recording
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly_rental.reuse.form import FormPart, Reason, difference, is_dated, key_of, question_form, similarity
from troly_rental.reuse.store import (
    KEY_PREFIX,
    ReuseEntry,
    ReuseStore,
    State,
    pack_parts,
    slots_key,
)
from troly_rental.settings import RentalSettings
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.plugin.services import Services

Slots = Sequence[Mapping[str, Any]]
# A phone or identity number, or an address, in a question: such a question is nobody else's.
_PERSONAL = re.compile(r"(?<!\d)0(?:[\s.-]?\d){8,11}(?!\d)|(?<!\d)\d{12}(?!\d)|\S@\S")


@dataclass(frozen=True, slots=True)
class ReuseMatch:
    """The nearest stored pair.

    `hard`: run `entry.sql` again (after checking it again). `soft`: the pair is an example for the model, no more.
    `refused_because` says what kept a pair at or above 0.92 from being hard ("" where nothing did); `why` says it in
    words.
    """

    kind: Literal["hard", "soft", "none"]
    entry: ReuseEntry | None = None
    similarity: float = 0.0
    refused_because: Reason = ""

    def why(self, lang: Lang) -> str:
        """`refused_because` as a phrase; "" where nothing was refused."""
        return say(f"reuse.because_{self.refused_because}", lang) if self.refused_because else ""


@dataclass(frozen=True, slots=True)
class ReuseQuestion:
    """A question as stored ones are compared with it: its form (`reuse.form`), filters, role, mode and schema version."""

    text: str
    parts: tuple[FormPart, ...]
    canonical: str
    slots: str
    role: str
    mode: str
    schema_version: str

    @classmethod
    def of(cls, text: str, slots: Slots, role: str, mode: str, schema_version: str) -> ReuseQuestion:
        """Parse `text` into its form; `slots` are the filters of the state."""
        parts = question_form(text)
        return cls(text, parts, key_of(parts), slots_key(slots), role, mode, schema_version)


class QuestionReuse:
    """The store of confirmed pairs. Pairs are shared by the users of one role: a query names no user, its relations do.

    Texts are compared (`form.similarity`): the same question is the same on every machine, and no model is asked.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = ReuseStore(services.state)

    async def find(self, question: ReuseQuestion, *, now: datetime | None = None) -> ReuseMatch:
        """The best match for `question`; a hard one is counted as used. Raises StoreError.

        Hard: similarity at least `reuse_from` (002-14, 0.92) and the same numbers, places, negations, directions, words, filters, mode, role
        and schema version; where the question says "today" or the like, also the same day. Soft: at least `example_from` (002-15, 0.8). Both ends count (C3).
        """
        now = now or self._services.clock()
        # What is kept changes with every question, so the replay of a turn is told what there was then.
        again = recording.replaying()
        scope = question.role, question.schema_version
        entries = [] if again else await asyncio.to_thread(self._store.of_scope, *scope)
        if not recording.recorded("rental.reuse.kept", lambda: [True] if entries else []):
            return ReuseMatch("none")
        query = _ReuseQuery(question, now, self._services.settings.of(RentalSettings))
        match = await recording.recorded_call(
            "rental.reuse", lambda: asyncio.to_thread(_best, query, entries), match_to_json, match_from_json
        )
        if match.kind == "hard" and match.entry is not None and not again:
            await asyncio.to_thread(self._store.used, match.entry.number, now)
        return match

    async def store(
        self,
        question: ReuseQuestion,
        sql: str,
        state: State,
        *,
        confirmed: bool = True,
        user: str = "",
        now: datetime | None = None,
    ) -> int | None:
        """Keep a pair and return its number; None when it is not kept. Raises StoreError.

        Only `valid` is kept (C5), no question with a phone, identity number or mail address, none that was excluded. One
        that is not `confirmed` (a model wrote it) is never found before a person confirms it, and takes no confirmed one's place.
        """
        if state != "valid" or not question.text.strip() or _PERSONAL.search(question.text):
            return None
        now = now or self._services.clock()
        entry = ReuseEntry(
            question=question.text,
            canonical=question.canonical,
            packed_parts=pack_parts(question.parts),
            slots=question.slots,
            role=question.role,
            mode=question.mode,
            schema_version=question.schema_version,
            sql=sql,
            author=user,
            day=now.astimezone(HCM).date(),
            created_at=now,
            confirmed=confirmed,
        )
        kept: int | None = await recording.recorded_call(
            "rental.kept",
            lambda: asyncio.to_thread(self._store.add, entry, now),
            lambda number: number,
            lambda number: number,
        )
        return kept


@dataclass(frozen=True, slots=True)
class _ReuseQuery:
    """A question, the moment it is asked, and the thresholds."""

    question: ReuseQuestion
    now: datetime
    limits: RentalSettings


def _best(query: _ReuseQuery, entries: Sequence[ReuseEntry]) -> ReuseMatch:
    """The hard match of the highest similarity, else the nearest soft one."""
    near = [
        (score, entry)
        for entry in entries
        if (score := similarity(query.question.canonical, entry.canonical)) >= query.limits.example_from
    ]
    near.sort(key=lambda pair: (-pair[0], -pair[1].number))
    refused: Reason = ""
    same = sorted(query.question.canonical.split())
    for score, entry in near:
        if score < query.limits.reuse_from:
            break
        # Other parts can only be refused; the reason shown is that of the nearest pair.
        if refused and sorted(entry.canonical.split()) != same:
            continue
        reason = _refusal(query, entry)
        if not reason:
            return ReuseMatch("hard", entry, score)
        refused = refused or reason
    if not near:
        return ReuseMatch("none")
    score, entry = near[0]
    return ReuseMatch("soft", entry, score, refused)


def _refusal(query: _ReuseQuery, entry: ReuseEntry) -> Reason:
    parts = entry.parts()
    if reason := difference(query.question.parts, parts):
        return reason
    if query.question.slots != entry.slots:
        return "slots"
    if query.question.mode != entry.mode:
        return "mode"
    dated = is_dated(query.question.parts) or is_dated(parts)
    return "date" if dated and query.now.astimezone(HCM).date() != entry.day else ""


def reuse_key(number: int) -> str:
    """The key under which pair `number` is excluded when an answer of it is marked as wrong."""
    return f"{KEY_PREFIX}{number}"


def match_to_json(match: ReuseMatch) -> dict[str, Any]:
    """A match as JSON, for the recording of a turn."""
    entry = match.entry
    return {
        "kind": match.kind,
        "similarity": match.similarity,
        "refused_because": match.refused_because,
        "entry": None if entry is None else entry.as_json(),
    }


def match_from_json(saved: Mapping[str, Any]) -> ReuseMatch:
    """The inverse of `packed`."""
    entry = saved["entry"]
    return ReuseMatch(**{**saved, "entry": None if entry is None else ReuseEntry.from_json(entry)})
