"""`app ask`: one question answered on stdout, or many as JSON lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from troly.cli.commands import known_modes
from troly.cli.faults import UsageError
from troly.cli.invocation import Invocation
from troly.errors import InputError

MAX_BYTES = 2_000_000
Text = Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="ask.text", show_default=False)]
Mode = Annotated[
    str | None, typer.Option("--mode", "-m", metavar="MODE", help="ask.mode", autocompletion=known_modes)
]
User = Annotated[str | None, typer.Option("--user", metavar="LOGIN", help="ask.user")]
Now = Annotated[str | None, typer.Option("--now", metavar="TIME", help="ask.now")]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="ask.model")]
Conversation = Annotated[str | None, typer.Option("--conversation", metavar="ID", help="ask.conversation")]
Jsonl = Annotated[Path | None, typer.Option("--jsonl", metavar="FILE", help="ask.jsonl")]
Json = Annotated[bool, typer.Option("--json", help="ask.json")]
Details = Annotated[bool, typer.Option("--details", help="ask.details")]
Offline = Annotated[bool, typer.Option("--offline", help="ask.offline")]


def ask(
    ctx: typer.Context,
    text: Text = None,
    *,
    mode: Mode = None,
    user: User = None,
    now: Now = None,
    model: Model = None,
    conversation: Conversation = None,
    jsonl: Jsonl = None,
    as_json: Json = False,
    offline: Offline = False,
    details: Details = False,
) -> None:
    """See `cli.ask.help`."""
    from troly.cli.asking import Asked, ask_lines, ask_once
    from troly.cli.identity import Claim
    from troly.cli.lines import moment

    invocation: Invocation = ctx.obj
    if jsonl is not None and text:
        raise UsageError("ask.both", other="TEXT")
    asked = Asked(
        mode=mode or invocation.settings.mode,
        claim=Claim(user=user),
        now=moment(now) if now is not None else None,
        lang=invocation.given,
        model=model,
        offline=offline,
        conversation=conversation,
    )
    question = "" if jsonl else " ".join(text) if text else read_question(invocation)
    with invocation.open_session() as session:
        if jsonl is not None:
            raise typer.Exit(ask_lines(invocation, session, asked, jsonl))
        raise typer.Exit(ask_once(invocation, session, asked, question, as_json=as_json, details=details))


def read_question(invocation: Invocation) -> str:
    """The question from a pipe. Raises UsageError where there is no pipe, InputError for bytes that are no text."""
    if sys.stdin.isatty():
        raise UsageError("ask.no_text", app=invocation.program)
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise InputError("turn.long", size=f">{MAX_BYTES}", limit=MAX_BYTES)
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError("cli.stdin", byte=error.start + 1) from error
