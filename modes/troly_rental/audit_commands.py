"""`app rental audit`: the queries that were run, own ones or, for a lead, everybody's."""

from __future__ import annotations

from typing import Any

from troly.plugin.contract import Command, CommandRequest, CommandResult, Parameter
from troly.plugin.events import Table
from troly.text.catalogue import LANGS
from troly.text.dates import HCM
from troly_rental.audit import KEPT, Audit, Logged
from troly_rental.strings import say

_SHOWN = 50
_FIELDS = ("time", "user", "role", "question", "rows", "sql")


def list_audit(request: CommandRequest) -> CommandResult:
    """The newest lines; `--last` says how many. Raises StoreError."""
    lang, asked = request.language, request.text("last").strip()
    size = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 0
    if asked and not 1 <= size <= KEPT:
        return CommandResult(problems=(say("audit.bad_limit", lang, value=asked, most=KEPT),), exit_code=3)
    found = Audit(request.services).list(request.profile, size or _SHOWN)
    if not found:
        return CommandResult(records=(), summary=say("audit.none", lang))
    columns = tuple(say(f"audit.column_{name}", lang) for name in _FIELDS)
    return CommandResult(
        table=Table(columns, tuple(_row(one) for one in found), numeric=(4,)),
        records=tuple(_record(one) for one in found),
    )


def _row(one: Logged) -> tuple[str, ...]:
    time = f"{one.at.astimezone(HCM):%Y-%m-%d %H:%M}"
    return (
        time,
        one.user,
        one.role,
        " ".join(one.question.split()),
        str(one.rows),
        " ".join(one.sql.split()),
    )


def _record(one: Logged) -> dict[str, Any]:
    return {
        "at": one.at.astimezone(HCM).isoformat(),
        "user": one.user,
        "role": one.role,
        "question": one.question,
        "rows": one.rows,
        "sql": one.sql,
    }


COMMANDS = (
    Command(
        path=("rental", "audit"),
        help={lang: say("audit.help", lang) for lang in LANGS},
        example="app rental audit\napp rental audit --last 20 --json",
        run=list_audit,
        parameters=(Parameter("--last", {lang: say("audit.limit", lang) for lang in LANGS}, "N"),),
        takes=("csv", "user"),
    ),
)
