"""`app replay`: runs what was recorded of a conversation again and says whether the same events come out."""

from __future__ import annotations

from typing import Annotated

import typer

from troly.cli.invocation import Invocation

Id = Annotated[str, typer.Argument(metavar="CONVERSATION", help="conversations.id", show_default=False)]
Turn = Annotated[str | None, typer.Argument(metavar="[TURN]", help="replay.turn", show_default=False)]
User = Annotated[str | None, typer.Option("--user", metavar="LOGIN", help="ask.user")]
Json = Annotated[bool, typer.Option("--json", help="common.json")]


def replay(
    ctx: typer.Context, conversation: Id, turn: Turn = None, user: User = None, as_json: Json = False
) -> None:
    """See `cli.replay.help`."""
    from troly.cli.replaying import run_replay

    invocation: Invocation = ctx.obj
    raise typer.Exit(run_replay(invocation, conversation, turn, user, as_json=as_json))
