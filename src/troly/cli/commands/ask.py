"""`app ask`: one question answered on stdout, or many as JSON lines."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from troly.cli.command import Mode, Now, User
from troly.cli.failures import STOPPED, UsageError
from troly.cli.invocation import IdentityClaim, Invocation, parse_moment, profile_for
from troly.cli.turns import JsonPrinter, TextPrinter, TurnResult, model_loop, run_one_turn
from troly.config.users import Profile
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest
from troly.errors import AccessError, InputError, TrolyError
from troly.plugin.events import TurnFailed
from troly.text.catalogue import LANGS, Lang

MAX_BYTES = 2_000_000
MAX_NAME = 200
Text = Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="ask.text", show_default=False)]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="ask.model")]
Conversation = Annotated[str | None, typer.Option("--conversation", metavar="ID", help="ask.conversation")]
Jsonl = Annotated[Path | None, typer.Option("--jsonl", metavar="FILE", help="ask.jsonl")]
AsJson = Annotated[bool, typer.Option("--json", help="ask.json")]
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
    as_json: AsJson = False,
    offline: Offline = False,
    details: Details = False,
) -> None:
    invocation: Invocation = ctx.obj
    if jsonl is not None and text:
        raise UsageError("ask.both", other="TEXT")
    asked = TurnRequest(
        mode=mode or invocation.registry.first(invocation.settings.mode),
        now=parse_moment(now) if now is not None else None,
        language=invocation.given,
        model=model,
        offline=offline,
        conversation=conversation,
        text="" if jsonl else " ".join(text) if text else read_question(invocation),
    )
    with invocation.open_session() as session:
        profile = profile_for(invocation, session, IdentityClaim(user=user))
        if mode is None and conversation is not None:
            # It goes on with its own assistant; one that is not there is told of by the turn.
            with suppress(AccessError):
                own = session.services.conversations.get(profile.login, conversation).mode
                asked = replace(asked, mode=own)
        if jsonl is not None:
            raise typer.Exit(ask_lines(invocation, session, asked, user, jsonl))
        if not as_json:
            # For people a mode that cannot be used is an error of the command; as JSON it is the turn's last event.
            session.registry.get(asked.mode)
        printer = JsonPrinter(asked.mode) if as_json else TextPrinter(invocation, details=details)
        with model_loop(session) as runner:
            answered = runner.run(run_one_turn(session, profile, asked, printer.show))
    if not answered.completed:
        raise typer.Exit(STOPPED if answered.stopped else 1)


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


@dataclass(frozen=True, slots=True)
class JsonlQuestion:
    """One question of a JSON line; `conversation` is an id or a label of this run."""

    text: str
    tag: str | float | None = None
    claim: IdentityClaim = field(default_factory=IdentityClaim)
    now: datetime | None = None
    conversation: str = ""
    mode: str = ""
    lang: Lang | None = None


def parse_line(raw: bytes) -> JsonlQuestion:
    """The request that a line stands for. Raises InputError `jsonl.*`; fields that are not known are ignored."""
    fields = _object(raw)
    text = fields.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError("jsonl.text")
    return JsonlQuestion(
        text=text,
        tag=tag_of(fields),
        claim=IdentityClaim(
            user=_name(fields, "user"),
            role=_name(fields, "role"),
            permissions=_names(fields, "permissions"),
            department=_name(fields, "department"),
        ),
        now=parse_moment(now) if (now := _name(fields, "now")) else None,
        conversation=_name(fields, "conversation") or "",
        mode=_name(fields, "mode") or "",
        lang=_language(fields),
    )


def tag_of_line(raw: bytes) -> str | float | None:
    """The `id` of a line that may be wrong otherwise, so that its failure can be tagged."""
    try:
        return tag_of(_object(raw))
    except InputError:
        return None


def tag_of(fields: Mapping[str, Any]) -> str | float | None:
    """The `id` of a line: text or a number, or none; raises InputError for anything else."""
    tag = fields.get("id")
    if tag is None or (isinstance(tag, (str, int, float)) and not isinstance(tag, bool)):
        return tag
    raise InputError("jsonl.type", field="id")


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError("jsonl.encoding", byte=error.start + 1) from error
    except (ValueError, RecursionError) as error:
        raise InputError("jsonl.not_json", reason=str(error)[:120]) from error
    if not isinstance(fields, dict):
        raise InputError("jsonl.object")
    return fields


def _name(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_NAME:
        raise InputError("jsonl.type", field=key)
    return value.strip() or None


def _names(fields: Mapping[str, Any], key: str) -> frozenset[str] | None:
    value = fields.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError("jsonl.names", field=key)
    return frozenset(value)


def _language(fields: Mapping[str, Any]) -> Lang | None:
    value = _name(fields, "lang")
    for lang in LANGS:
        if value == lang:
            return lang
    if value is None:
        return None
    raise InputError("jsonl.lang", value=value)


@dataclass(slots=True)
class JsonlRun:
    """One run of `--jsonl`. `asked` and `user` are what the options of `ask` say; a line may say something else for itself.

    `labels` maps user, mode and a label to the conversation that its lines share.
    """

    invocation: Invocation
    session: Session
    asked: TurnRequest
    user: str | None
    runner: asyncio.Runner
    labels: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def answer(self, raw: bytes, number: int) -> TurnResult:
        """Answer one line; whatever is wrong with it becomes its TurnFailed."""
        try:
            line = parse_line(raw)
        except InputError as error:
            return self._refuse(error, self.asked.mode, tag_of_line(raw), number)
        mode = line.mode or self.asked.mode
        try:
            claim = replace(line.claim, user=line.claim.user or self.user)
            profile = profile_for(self.invocation, self.session, claim)
            conversation, label = self._conversation(profile, mode, line.conversation)
        except TrolyError as error:
            return self._refuse(error, mode, line.tag, number)
        request = replace(
            self.asked,
            mode=mode,
            text=line.text,
            conversation=conversation,
            language=line.lang or self.asked.language,
            now=line.now or self.asked.now,
        )
        printer = JsonPrinter(mode, line.tag, number)
        answered = self.runner.run(run_one_turn(self.session, profile, request, printer.show))
        if label and answered.conversation:
            self.labels[profile.login, mode, label] = answered.conversation
        return answered

    def _conversation(self, profile: Profile, mode: str, name: str) -> tuple[str | None, str]:
        """The conversation to go on with, or None and the label that the new one will have."""
        if not name:
            return self.asked.conversation, ""
        if known := self.labels.get((profile.login, mode, name)):
            return known, ""
        try:
            return self.session.services.conversations.get(profile.login, name).id, ""
        except AccessError:
            return None, name

    def _refuse(self, error: TrolyError, mode: str, tag: str | float | None, number: int) -> TurnResult:
        text = error.render(self.asked.language or self.invocation.lang)
        event = TurnFailed(text.title, text.message, text.remedy, error.key)
        JsonPrinter(mode, tag, number).show(event, "", "")
        return TurnResult("", completed=False, stopped=False)


def ask_lines(
    invocation: Invocation, session: Session, asked: TurnRequest, user: str | None, file: Path
) -> int:
    """Answer every line of `file` (`-` is stdin) as it arrives; returns the exit code.

    A pipe can be kept open: each line is answered before the next one is read. Ctrl-C stops the answer that is being
    written and the run with it. Raises InputError when the file cannot be read.
    """
    whole = True
    with model_loop(session) as runner:
        lines = JsonlRun(invocation, session, asked, user, runner)
        for number, raw in numbered(file):
            answered = lines.answer(raw, number)
            whole = whole and answered.completed
            if answered.stopped:
                return STOPPED
    return int(not whole)


def numbered(file: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file or of stdin with their numbers from 1, empty ones left out; raises InputError."""
    try:
        stream = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    except OSError as error:
        raise InputError("jsonl.file", file=file, reason=error.strerror or error) from error
    try:
        for number, raw in enumerate(stream, 1):
            if raw.strip():
                yield number, raw
    except OSError as error:
        raise InputError("jsonl.file", file=file, reason=error.strerror or error) from error
    finally:
        if stream is not sys.stdin.buffer:
            stream.close()
