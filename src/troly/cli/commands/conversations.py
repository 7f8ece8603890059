"""`app conversations`: list, show, export, delete and restore what you said; nobody else's is ever shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from troly.cli.command import Json, User, known_modes
from troly.cli.failures import UsageError
from troly.cli.invocation import IdentityClaim, Invocation, profile_for
from troly.cli.output import data, data_json, data_table, note, one_line, paint

if TYPE_CHECKING:
    from troly.config.users import Profile
    from troly.conversation.session import Session

Id = Annotated[str, typer.Argument(metavar="ID", help="conversations.id", show_default=False)]
Format = Annotated[
    Literal["md", "json", "csv"],
    typer.Option("--format", "-f", metavar="[md|json|csv]", help="conversations.format"),
]
TITLE_WIDTH = 48


def list_(
    ctx: typer.Context,
    mode: Annotated[
        str | None,
        typer.Option("--mode", "-m", metavar="MODE", help="conversations.mode", autocompletion=known_modes),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="conversations.limit")] = 50,
    user: User = None,
    as_json: Json = False,
) -> None:
    from troly.conversation.export import local_minute

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        owner = _owner(invocation, session, user)
        found = session.services.conversations.list(owner.login, mode=mode, limit=limit)
        titles = {one.id: one.title for one in found}
        for one in found:
            if not one.title:
                # What a conversation without a title began with.
                said = session.services.conversations.messages(owner.login, one.id)
                titles[one.id] = next((message.text for message in said if message.sender == "user"), "")
    if as_json:
        for one in found:
            data_json({"id": one.id, "mode": one.mode, "title": titles[one.id], "language": one.language,
                       "created_at": one.created_at.isoformat(), "updated_at": one.updated_at.isoformat(), "pinned": one.pinned})  # fmt: skip
        return
    if not found:
        note(invocation.say("conversations.none"))
        return
    rows = [
        (one.id, one.mode, local_minute(one.updated_at, session.zone), one_line(titles[one.id], TITLE_WIDTH))
        for one in found
    ]
    data_table(invocation.say, "conversations.column", ("id", "mode", "updated", "title"), rows)


def show(ctx: typer.Context, conversation: Id, user: User = None, as_json: Json = False) -> None:
    from troly.conversation.export import conversation_json, ending_mark, local_minute
    from troly.stores.handovers import colleague_of

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        whole = session.services.conversations.export(_owner(invocation, session, user).login, conversation)
    if as_json:
        data_json(conversation_json(whole))
        return
    for number, message in enumerate(whole.messages):
        who = colleague_of(message) or invocation.say(f"conversations.sender.{message.sender}")
        if number:
            data()
        data(paint(f"{who} · {local_minute(message.created_at, session.zone)}", "quiet"), painted=True)
        data(message.text)
        if mark := ending_mark(whole, number, invocation.lang):
            data(paint(mark, "warn"), painted=True)


def export(
    ctx: typer.Context,
    conversation: Id,
    *,
    form: Format = "md",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="conversations.output")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="conversations.force")] = False,
    user: User = None,
) -> None:
    from troly.conversation.export import render_conversation, write_export

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        whole = session.services.conversations.export(_owner(invocation, session, user).login, conversation)
    text = render_conversation(whole, form, invocation.lang, session.zone)
    if output is None:
        data(text, end="")
        return
    write_export(output, text, form, replace=force)
    note(invocation.say("conversations.written", file=output, count=len(whole.messages)))


def delete(
    ctx: typer.Context,
    conversation: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="conversations.yes")] = False,
    user: User = None,
) -> None:
    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        owner = _owner(invocation, session, user)
        found = session.services.conversations.get(owner.login, conversation)
        if not yes and not _agreed(invocation, found.title or found.id):
            note(invocation.say("conversations.kept"))
            raise typer.Exit(1)
        session.services.conversations.delete(owner.login, conversation)
    note(invocation.say("conversations.deleted", id=conversation))


def restore(ctx: typer.Context, conversation: Id, user: User = None) -> None:
    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        session.services.conversations.restore(_owner(invocation, session, user).login, conversation)
    note(invocation.say("conversations.restored", id=conversation))


def _owner(invocation: Invocation, session: Session, user: str | None) -> Profile:
    return profile_for(invocation, session, IdentityClaim(user=user))


def _agreed(invocation: Invocation, title: str) -> bool:
    """Ask on stderr; only a clear yes counts. Raises UsageError where nobody can be asked."""
    if not sys.stdin.isatty():
        raise UsageError("conversations.confirm")
    sys.stderr.write(paint(invocation.say("conversations.ask", title=title), "warn", sys.stderr) + " ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes", "c", "có", "co"}
