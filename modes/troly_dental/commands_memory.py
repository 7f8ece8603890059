"""`app dental facts|correct|forget`: what the adviser remembers of a person, in that person's hands."""

from __future__ import annotations

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.events import Table
from troly_dental.memory.store import MemoryStore
from troly_dental.memory.types import Fact
from troly_dental.settings import DentalSettings
from troly_dental.strings import say


def facts(request: CommandRequest) -> CommandResult:
    """List the facts of all conversations, or of one. Raises AccessError, InputError, StoreError."""
    lang = request.language
    found = _store(request).facts(request.text("conversation") or None)
    if not found:
        return CommandResult(records=(), summary=say("memory.no_facts", lang))
    columns = tuple(say(f"memory.column_{name}", lang) for name in ("id", "kind", "text", "conversation"))
    rows = tuple(
        (str(fact.id), say(f"memory.kind_{fact.kind}", lang), fact.text, fact.conversation_id)
        for fact in found
    )
    summary = say("memory.facts_hint", lang)
    return CommandResult(Table(columns, rows), records=tuple(map(_record, found)), summary=summary)


def correct(request: CommandRequest) -> CommandResult:
    """Let a fact say something else. Raises InputError, StoreError."""
    fact = _store(request).correct(_number(request), request.text("text"))
    text = say("memory.corrected", request.language, id=fact.id, text=fact.text)
    return CommandResult(text=text, records=(_record(fact),))


def forget(request: CommandRequest) -> CommandResult:
    """Forget a fact. Raises InputError, StoreError."""
    fact = _store(request).forget(_number(request))
    text = say("memory.forgotten", request.language, text=fact.text)
    return CommandResult(text=text, records=(_record(fact),), summary=say("memory.stays", request.language))


def _store(request: CommandRequest) -> MemoryStore:
    services = request.services
    return MemoryStore.of(
        services.state, services.clock, request.profile.login, services.settings.of(DentalSettings)
    )


def _number(request: CommandRequest) -> int:
    text = request.text("id").strip().lstrip("#")
    if not (text.isascii() and text.isdecimal() and len(text) <= 15):
        raise InputError("dental.memory.no_fact", id=text[:40])
    return int(text)


def _record(fact: Fact) -> dict[str, object]:
    return {
        "id": fact.id,
        "kind": fact.kind,
        "value": fact.value,
        "text": fact.text,
        "conversation": fact.conversation_id,
    }
