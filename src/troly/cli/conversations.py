"""`app conversations`: list, show, export, delete and restore what you said; nobody else's is ever shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from troly.cli.commands import known_modes
from troly.cli.faults import UsageError
from troly.cli.identity import Claim, profile_for
from troly.cli.invocation import House, Invocation, open_house
from troly.cli.output import data, data_json, grid, note, paint

if TYPE_CHECKING:
    from datetime import datetime

    from troly.config import Profile
    from troly.stores.conversations import ConversationExport

Id = Annotated[str, typer.Argument(metavar="ID", help="conversations.id", show_default=False)]
User = Annotated[str | None, typer.Option("--user", metavar="LOGIN", help="ask.user")]
Json = Annotated[bool, typer.Option("--json", help="common.json")]
Format = Annotated[
    Literal["md", "json", "csv"],
    typer.Option("--format", "-f", metavar="[md|json|csv]", help="conversations.format"),
]
TITLE_WIDTH = 48
UNFINISHED = ("stopped", "failed", "interrupted")


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
    """See `cli.conversations.list.help`."""
    invocation: Invocation = ctx.obj
    with open_house(invocation) as house:
        owner = _owner(invocation, house, user)
        found = house.services.conversations.list(owner.login, mode=mode, limit=limit)
        titles = {one.id: one.title or _first_words(house, owner, one.id) for one in found}
    if as_json:
        for one in found:
            data_json({"id": one.id, "mode": one.mode, "title": titles[one.id], "language": one.language,
                       "created_at": one.created_at.isoformat(), "updated_at": one.updated_at.isoformat(), "pinned": one.pinned})  # fmt: skip
        return
    if not found:
        note(invocation.say("conversations.none"))
        return
    rows = [(one.id, one.mode, local(invocation, one.updated_at), _short(titles[one.id])) for one in found]
    data(
        grid(
            [invocation.say(f"conversations.column.{name}") for name in ("id", "mode", "updated", "title")],
            rows,
        )
    )


def show(ctx: typer.Context, conversation: Id, user: User = None, as_json: Json = False) -> None:
    """See `cli.conversations.show.help`."""
    from troly.cli.exporting import as_json_value

    invocation: Invocation = ctx.obj
    with open_house(invocation) as house:
        whole = house.services.conversations.export(_owner(invocation, house, user).login, conversation)
    if as_json:
        data_json(as_json_value(whole))
        return
    for number, message in enumerate(whole.messages):
        who = invocation.say(f"conversations.sender.{message.sender}")
        if number:
            data()
        data(paint(f"{who} · {local(invocation, message.created_at)}", "quiet"), painted=True)
        data(message.text)
        if mark := ending_mark(invocation, whole, number):
            data(paint(mark, "warn"), painted=True)


def ending_mark(invocation: Invocation, whole: ConversationExport, number: int) -> str:
    """What is to be said after message `number`: that its turn was stopped, failed or cut off; else ""."""
    message = whole.messages[number]
    last = all(later.turn_id != message.turn_id for later in whole.messages[number + 1 :])
    status = next((turn.status for turn in whole.turns if turn.id == message.turn_id), "")
    if not last or status not in UNFINISHED:
        return ""
    return f"[{invocation.say(f'conversations.ended.{status}')}]"


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
    """See `cli.conversations.export.help`."""
    from troly.cli.exporting import rendered, write_file

    invocation: Invocation = ctx.obj
    with open_house(invocation) as house:
        whole = house.services.conversations.export(_owner(invocation, house, user).login, conversation)
    text = rendered(whole, form, invocation)
    if output is None:
        data(text, end="")
        return
    write_file(output, text, form, replace=force)
    note(invocation.say("conversations.written", file=output, count=len(whole.messages)))


def delete(
    ctx: typer.Context,
    conversation: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="conversations.yes")] = False,
    user: User = None,
) -> None:
    """See `cli.conversations.delete.help`."""
    invocation: Invocation = ctx.obj
    with open_house(invocation) as house:
        owner = _owner(invocation, house, user)
        found = house.services.conversations.get(owner.login, conversation)
        if not yes and not _agreed(invocation, found.title or found.id):
            note(invocation.say("conversations.kept"))
            raise typer.Exit(1)
        house.services.conversations.delete(owner.login, conversation)
    note(invocation.say("conversations.deleted", id=conversation))


def restore(ctx: typer.Context, conversation: Id, user: User = None) -> None:
    """See `cli.conversations.restore.help`."""
    invocation: Invocation = ctx.obj
    with open_house(invocation) as house:
        house.services.conversations.restore(_owner(invocation, house, user).login, conversation)
    note(invocation.say("conversations.restored", id=conversation))


def local(invocation: Invocation, moment: datetime) -> str:
    """A moment in the house's time zone, to the minute."""
    from zoneinfo import ZoneInfo

    return f"{moment.astimezone(ZoneInfo(invocation.settings.timezone)):%Y-%m-%d %H:%M}"


def _owner(invocation: Invocation, house: House, user: str | None) -> Profile:
    return profile_for(invocation, house.profile, Claim(user=user))


def _first_words(house: House, owner: Profile, conversation: str) -> str:
    """What a conversation without a title began with."""
    messages = house.services.conversations.messages(owner.login, conversation)
    return next((message.text for message in messages if message.sender == "user"), "")


def _agreed(invocation: Invocation, title: str) -> bool:
    """Ask on stderr; only a clear yes counts. Raises UsageError where nobody can be asked."""
    if not sys.stdin.isatty():
        raise UsageError("conversations.confirm")
    sys.stderr.write(paint(invocation.say("conversations.ask", title=title), "warn", sys.stderr) + " ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes", "c", "có", "co"}


def _short(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= TITLE_WIDTH else line[: TITLE_WIDTH - 1] + "…"
