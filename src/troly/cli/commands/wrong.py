"""`app wrong`: answers marked as wrong, listed, marked and taken back; each is a case that `app eval` reads."""

from __future__ import annotations

from typing import Annotated

import typer

from troly.cli.command import Json, User
from troly.cli.invocation import IdentityClaim, Invocation, profile_for
from troly.cli.output import data, data_json, data_table, note

Turn = Annotated[str, typer.Argument(metavar="TURN", help="wrong.turn", show_default=False)]
NOT_MARKED = 1


def list_(ctx: typer.Context, user: User = None, as_json: Json = False) -> None:
    from troly.conversation.export import local_minute
    from troly.stores.wrong_answers import WrongAnswers

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        owner = profile_for(invocation, session, IdentityClaim(user=user)).login
        found = WrongAnswers(session.services.conversations).list(owner)
    if as_json:
        for one in found:
            data_json({"turn": one.turn, "conversation": one.conversation, "mode": one.mode, "reason": one.reason,
                       "note": one.note, "marked_at": one.marked_at.isoformat()})  # fmt: skip
        return
    if not found:
        note(invocation.say("wrong.none"))
        return
    rows = [
        (one.turn, one.mode, local_minute(one.marked_at, session.zone), invocation.say(f"wrong.reasons.{one.reason}"), " ".join(one.note.split()))
        for one in found
    ]  # fmt: skip
    data_table(invocation.say, "wrong.column", ("turn", "mode", "time", "reason", "note"), rows)
    files = sorted({str(invocation.paths.cases / f"{one.mode}.jsonl") for one in found})
    note(invocation.say("wrong.files", files=", ".join(files)))


def mark(
    ctx: typer.Context,
    turn: Turn,
    reason: Annotated[str, typer.Option("--reason", "-r", metavar="REASON", help="wrong.reason")] = "other",
    text: Annotated[str, typer.Option("--note", "-n", metavar="TEXT", help="wrong.note")] = "",
    user: User = None,
) -> None:
    from troly.conversation.wrong_answers import mark_wrong

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        owner = profile_for(invocation, session, IdentityClaim(user=user)).login
        marked = mark_wrong(session.services, session.registry, owner, turn, reason, note=text)
    note(invocation.say("wrong.marked", id=marked.case, file=marked.file))
    data(str(marked.file))


def undo(ctx: typer.Context, turn: Turn, user: User = None) -> None:
    from troly.conversation.wrong_answers import unmark_wrong

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        owner = profile_for(invocation, session, IdentityClaim(user=user)).login
        found = unmark_wrong(session.services, owner, turn)
    note(invocation.say("wrong.taken_back" if found else "wrong.not_marked", turn=turn))
    if not found:
        raise typer.Exit(NOT_MARKED)
