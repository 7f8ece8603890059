"""`app memory list|show|confirm|forget`: the questions kept for reuse, for the people who asked them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from troly.plugin.contract import Command, CommandRequest, CommandResult, Memories, MemoryItem, Parameter
from troly.plugin.events import Table
from troly.text.catalogue import LANGS, Lang
from troly.text.dates import HCM
from troly_rental.audit import sees_all
from troly_rental.reuse.store import ReuseEntry, ReuseStore
from troly_rental.strings import say

_FIELDS = ("number", "question", "role", "mode", "uses", "saved", "state")


def list_memory(request: CommandRequest) -> CommandResult:
    """The own entries, everybody's for a lead. Raises StoreError."""
    found = _visible(request)
    if not found:
        return CommandResult(records=(), summary=say("memory.none", request.language))
    columns = tuple(say(f"memory.column_{name}", request.language) for name in _FIELDS)
    rows = tuple(_row(entry, request.language) for entry in found)
    return CommandResult(
        table=Table(columns, rows, numeric=(0, 4)), records=tuple(_record(entry) for entry in found)
    )


def show_memory(request: CommandRequest) -> CommandResult:
    """One entry with its SQL. Raises StoreError."""
    entry = _wanted(request)
    if entry is None:
        return _unknown(request)
    text = say(
        "memory.shown",
        request.language,
        number=entry.number,
        question=entry.question,
        role=entry.role,
        mode=entry.mode,
        age=entry.age(request.now, request.language),
        uses=entry.uses,
        state=_state(entry, request.language),
        sql=entry.sql,
    )
    return CommandResult(text=text, records=(_record(entry),))


def confirm_memory(request: CommandRequest) -> CommandResult:
    """Let one entry that a model wrote be reused. Raises StoreError."""
    entry = _wanted(request)
    if entry is None:
        return _unknown(request)
    if entry.excluded:
        said = say("memory.excluded", request.language, number=entry.number)
        return CommandResult(records=(), problems=(said,), exit_code=3)
    ReuseStore(request.services.state).confirm(entry.number)
    said = say("memory.confirmed", request.language, number=entry.number)
    return CommandResult(records=({"confirmed": entry.number},), summary=said)


def forget_memory(request: CommandRequest) -> CommandResult:
    """Delete one entry. Raises StoreError."""
    entry = _wanted(request)
    if entry is None:
        return _unknown(request)
    ReuseStore(request.services.state).remove(entry.number)
    said = say("memory.forgotten", request.language, number=entry.number)
    return CommandResult(records=({"forgotten": entry.number},), summary=said)


def remembered(request: CommandRequest) -> tuple[MemoryItem, ...]:
    """The own entries, everybody's for a lead, with their SQL. Raises StoreError."""
    return tuple(
        MemoryItem(str(one.number), " ".join(one.question.split()), _state(one, request.language), one.sql)
        for one in _visible(request)
    )


MEMORIES = Memories(
    remembered, lambda request: forget_memory(replace(request, values={"number": request.text("id")}))
)


def _visible(request: CommandRequest) -> list[ReuseEntry]:
    author = None if sees_all(request.profile) else request.profile.login
    return ReuseStore(request.services.state).list(author)


def _wanted(request: CommandRequest) -> ReuseEntry | None:
    asked = request.text("number").strip().lstrip("#")
    return next((entry for entry in _visible(request) if str(entry.number) == asked), None)


def _unknown(request: CommandRequest) -> CommandResult:
    said = say("memory.unknown", request.language, number=request.text("number"))
    return CommandResult(records=(), problems=(said,), exit_code=3)


def _state(entry: ReuseEntry, lang: Lang) -> str:
    if entry.excluded:
        return say("memory.state_excluded", lang)
    return say("memory.state_valid" if entry.confirmed else "memory.state_unconfirmed", lang)


def _row(entry: ReuseEntry, lang: Lang) -> tuple[str, ...]:
    saved = f"{entry.created_at.astimezone(HCM):%Y-%m-%d}"
    question = " ".join(entry.question.split())
    return (str(entry.number), question, entry.role, entry.mode, str(entry.uses), saved, _state(entry, lang))


def _record(entry: ReuseEntry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "question": entry.question,
        "sql": entry.sql,
        "role": entry.role,
        "mode": entry.mode,
        "schema_version": entry.schema_version,
        "author": entry.author,
        "uses": entry.uses,
        "created_at": entry.created_at.isoformat(),
        "excluded": entry.excluded,
        "confirmed": entry.confirmed,
    }


def _command(name: str, run: Any, example: str, parameters: tuple[Parameter, ...] = ()) -> Command:
    takes = ("csv", "user") if name == "list" else ("user",)
    help_ = {lang: say(f"memory.{name}_help", lang) for lang in LANGS}
    return Command(("memory", name), help_, example, run, parameters, takes)  # type: ignore[arg-type]


_NUMBER = (
    Parameter("number", {lang: say("memory.number", lang) for lang in LANGS}, "NUMBER", required=True),
)
COMMANDS = (
    _command("list", list_memory, "app memory list\napp memory list --json"),
    _command("show", show_memory, "app memory show 12", _NUMBER),
    _command("confirm", confirm_memory, "app memory show 12\napp memory confirm 12", _NUMBER),
    _command("forget", forget_memory, "app memory forget 12", _NUMBER),
)
