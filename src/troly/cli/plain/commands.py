"""The typed commands of the chat in plain lines: the same names as on the screen, answers to be heard."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from troly.cli.plain.printer import CALM, say_line
from troly.cli.turns import on_interrupt
from troly.config.actions import ACTIONS
from troly.conversation.commands import (
    EXPORT_FORMS,
    MARK,
    TYPED,
    ArgumentChoice,
    ChatCommand,
    ParsedCommand,
    argument_of,
    parse_command,
    resolve_choice,
)
from troly.errors import StoppedError, TrolyError
from troly.text.catalogue import LANGS, tr

if TYPE_CHECKING:
    from troly.cli.plain.chat import PlainChat
    from troly.conversation.jobs import JobResult


def rename(chat: PlainChat, conversation: str, value: str) -> None:
    chat.session.services.conversations.update(chat.login, conversation, title=value)
    say_line(chat.say("renamed", title=value))


def pin(chat: PlainChat, conversation: str, _value: str) -> None:
    store = chat.session.services.conversations
    pinned = not store.get(chat.login, conversation).pinned
    store.update(chat.login, conversation, pinned=pinned)
    say_line(chat.say("pinned" if pinned else "unpinned"))


def delete(chat: PlainChat, conversation: str, _value: str) -> None:
    chat.session.services.conversations.delete(chat.login, conversation)
    chat.deleted, chat.conversation = conversation, None
    say_line(chat.say("deleted"))


def undelete(chat: PlainChat, _value: str) -> None:
    if chat.deleted is None:
        say_line(tr("ui.list.nothing_deleted", chat.lang))
        return
    chat.session.services.conversations.restore(chat.login, chat.deleted)
    chat.conversation, chat.deleted = chat.deleted, None
    say_line(chat.say("restored"))


def export(chat: PlainChat, conversation: str, form: str) -> None:
    from troly.conversation.export import render_conversation, write_new_file

    services, form = chat.session.services, form or "md"
    whole = services.conversations.export(chat.login, conversation)
    text = render_conversation(whole, form, chat.lang, chat.session.zone)
    file = write_new_file(services.paths.exports, services.clock(), whole.conversation.title, form, text)
    say_line(tr("ui.export.saved", chat.lang, file=file))


def wrong(chat: PlainChat, value: str) -> None:
    """Mark the last answer as wrong: a reason, then words of one's own."""
    from troly.conversation.wrong_answers import REASONS, mark_wrong

    reason, _, note = value.partition(" ")
    if not chat.turn:
        say_line(chat.say("no_evidence"))
    elif reason not in REASONS:
        for one in REASONS:
            say_line(chat.say("reason", name=one, help=tr(f"cli.wrong.reasons.{one}", chat.lang)))
    else:
        session = chat.session
        marked = mark_wrong(
            session.services, session.registry, chat.login, chat.turn, reason, note=note.strip()
        )
        say_line(tr("ui.wrong.done", chat.lang, file=marked.file))


SHOWN = 20


def ingest(chat: PlainChat, line: str) -> None:
    """Load what `line` asks for. Raises TrolyError."""
    from troly.conversation.jobs import LoadFiles, load_files
    from troly.plugin.ingest_arguments import kinds, read_order

    known = kinds(chat.session.registry)
    order = read_order(line, known, chat.lang)
    if not order.files:
        say_line(chat.say("load_file", example=order.kind.example(chat.lang)))
        for one in order.kind.parameters:
            say_line(chat.say("load_option", option=one.name, help=one.help[chat.lang]))
        return
    stop, report = threading.Event(), ProgressReporter(chat)
    job = LoadFiles(order.kind.mode, order.kind.ingest, order.files, chat.lang, order.values)
    say_line(tr("ui.work.loading", chat.lang, name=", ".join(order.files)) + ".")
    with on_interrupt(stop.set):
        _say_result(chat, chat.runner.run(load_files(chat.session, job, report.step, stop)))


def pull(chat: PlainChat, model: str) -> None:
    """Download a model. Raises ModelError, StoppedError."""
    from troly.conversation.jobs import PullModel
    from troly.conversation.jobs import pull_model as pulling

    say_line(tr("ui.work.pulling", chat.lang, name=model) + ".")
    work = pulling(chat.session, PullModel(model), ProgressReporter(chat).step)
    _say_result(chat, chat.runner.run(_stoppable(work)))


async def _stoppable(work: Coroutine[None, None, JobResult]) -> JobResult:
    """`work`, ended by Ctrl+C; raises StoppedError then."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    with on_interrupt(lambda: loop.call_soon_threadsafe(task.cancel)):
        try:
            return await task
        except asyncio.CancelledError:
            raise StoppedError("work.stopped") from None


class ProgressReporter:
    """Says now and then how far it is."""

    def __init__(self, chat: PlainChat) -> None:
        self._chat = chat
        self._last = time.monotonic()

    def step(self, done: int, total: int | None, _unit: str) -> None:
        now = time.monotonic()
        if total and now - self._last >= CALM:
            self._last = now
            say_line(self._chat.say("percent", percent=min(100, done * 100 // total)))


def _say_result(chat: PlainChat, end: JobResult) -> None:
    for line in end.summary.splitlines():
        say_line(line)
    for problem in end.problems[:SHOWN]:
        say_line(problem)
    if len(end.problems) > SHOWN:
        say_line(tr("ui.work.more", chat.lang, count=len(end.problems) - SHOWN))
    say_line(chat.say("work_done"))


# Commands of the screen alone; what other actions of it are called is found in their list.
SCREEN_ONLY = tuple(one.name for one in TYPED if one.plain == "no")
LISTED = 20
HITS = 10
NAMES = 20


def commands(chat: PlainChat) -> list[ChatCommand]:
    """What can be typed: the mode's own commands, then those of the chat."""
    lang = chat.lang
    found = [ChatCommand(one.name, one.help[lang], argument=one.argument) for one in chat.talk()]
    for one in TYPED:
        if one.plain != "no":
            takes = one.plain != "nothing"
            argument = argument_of(one.name, lang) if takes else ""
            choices = tuple(_choices(chat, one.name))
            help_ = tr(f"cli.plain.help.{one.name}", lang)
            found.append(ChatCommand(one.name, help_, one.name, argument, one.plain == "must", choices))
    return found


def _choices(chat: PlainChat, name: str) -> Iterator[ArgumentChoice]:
    if name == "mode":
        yield from (ArgumentChoice(one, title) for one, title in chat.modes().items())
    elif name == "language":
        yield from (ArgumentChoice(one, tr(f"ui.command.language_{one}", chat.lang)) for one in LANGS)
    elif name == "export":
        yield from (ArgumentChoice(one, tr(f"ui.slash.export.{one}", chat.lang)) for one in EXPORT_FORMS)


def run_command(chat: PlainChat, text: str) -> bool:
    """Do what `text` says if it is a command of the chat; False when it is a message. Raises TrolyError."""
    offered = commands(chat)
    said = parse_command(text, offered)
    name = text.strip().removeprefix(MARK).partition(" ")[0]
    if said is None and name in SCREEN_ONLY:
        say_line(chat.say("screen_only", name=name))
        return True
    if said is None or (said.command is not None and not said.command.action):
        return False
    if said.command is None:
        say_line(_unknown(chat, text, said))
        return True
    command, value = said.command, resolve_choice(said.command, said.argument)
    if said.argument and not command.argument:
        say_line(tr("ui.slash.nothing", chat.lang, name=command.name))
    elif value is None:
        values = ", ".join(one.value for one in command.choices)
        say_line(tr("ui.slash.value", chat.lang, name=command.name, argument=command.argument, values=values))
    elif command.needed and not value:
        say_line(tr("ui.slash.needed", chat.lang, name=command.name, argument=command.argument))
    elif command.name in _DO_OPEN:
        if chat.conversation is None:
            say_line(chat.say("nothing_open"))
        else:
            _DO_OPEN[command.name](chat, chat.conversation, value)
    else:
        _DO[command.name](chat, value)
    return True


def _unknown(chat: PlainChat, text: str, said: ParsedCommand) -> str:
    name = text.strip().removeprefix(MARK)
    if name in SCREEN_ONLY or any(one.name.replace("_", "-") == name for one in ACTIONS):
        return tr("cli.plain.screen_only", chat.lang, name=name)
    key = "nearest" if said.nearest else "unknown"
    return tr(f"ui.slash.{key}", chat.lang, name=name, nearest=said.nearest)


def _help(chat: PlainChat, _value: str) -> None:
    for one in commands(chat):
        key = "command_with" if one.argument else "command"
        say_line(chat.say(key, name=one.name, argument=one.argument, help=one.help))


def _new(chat: PlainChat, _value: str) -> None:
    chat.conversation, chat.steps = None, []
    say_line(chat.say("new"))


def _mode(chat: PlainChat, value: str) -> None:
    chat.take_mode(value)


def _language(chat: PlainChat, value: str) -> None:
    chat.invocation.lang = "en" if value == "en" else "vi"
    chat.greet()


def _list(chat: PlainChat, _value: str) -> None:
    found = chat.session.services.conversations.list(chat.login, limit=LISTED)
    chat.listed = [one.id for one in found]
    modes = chat.modes()
    if not found:
        say_line(chat.say("none"))
    for number, one in enumerate(found, 1):
        when = one.updated_at.astimezone(chat.session.services.clock().tzinfo).strftime("%d/%m/%Y %H:%M")
        title = one.title or tr("ui.list.untitled", chat.lang)
        say_line(
            chat.say("listed", number=number, title=title, mode=modes.get(one.mode, one.mode), when=when)
        )


def _open(chat: PlainChat, value: str) -> None:
    number = int(value) if value.isdecimal() and len(value) < 6 else 0
    if not 0 < number <= len(chat.listed):
        say_line(chat.say("no_number", number=value))
        return
    store = chat.session.services.conversations
    found = store.get(chat.login, chat.listed[number - 1])
    chat.mode = found.mode
    chat.conversation = found.id
    say_line(chat.say("opened", title=found.title or tr("ui.list.untitled", chat.lang)))
    for message in store.messages(chat.login, found.id, limit=20):
        chat.repeat(message)


def _search(chat: PlainChat, value: str) -> None:
    hits = chat.session.services.conversations.search(chat.login, value, limit=HITS)
    chat.listed = [hit.conversation_id for hit in hits]
    if not hits:
        say_line(chat.say("no_hit"))
    for number, hit in enumerate(hits, 1):
        title = hit.title or tr("ui.list.untitled", chat.lang)
        say_line(chat.say("hit", number=number, title=title, snippet=hit.snippet))


def _names(chat: PlainChat, value: str) -> None:
    session = chat.session
    speaks = replace(session.profile, language=chat.lang)
    found = session.registry.get(chat.mode).mentions(session.services, speaks, value, NAMES)
    if not found:
        say_line(chat.say("no_name"))
    for name, hint in found:
        say_line(chat.say("name", name=name, hint=hint))


def _again(chat: PlainChat, _value: str) -> None:
    if not chat.last:
        say_line(chat.say("no_question"))
    else:
        chat.ask(chat.last)


def _evidence(chat: PlainChat, _value: str) -> None:
    if not chat.steps:
        say_line(chat.say("no_evidence"))
    for number, step in enumerate(chat.steps, 1):
        name = " ".join(part for part in (step.agent, step.tool, step.node) if part)
        source = tr(f"cli.source.{step.source}", chat.lang) + "." if step.source else ""
        detail = f"{step.detail.rstrip('.')}." if step.detail else ""
        say_line(
            chat.say("step", number=number, name=name, source=source, detail=detail, ms=f"{step.ms:.0f}")
        )


def _continue(chat: PlainChat, _value: str) -> None:
    if not chat.last:
        say_line(chat.say("no_question"))
    elif not chat.unfinished:
        say_line(chat.say("whole"))
    else:
        chat.ask(chat.last, chat.turn if chat.by_model else "")


def _handoff(chat: PlainChat, value: str) -> None:
    """Ask for a person, where the assistant can hand over to one."""
    found = {mode.id: mode for mode in chat.session.registry}
    if found[chat.mode].person:
        chat.ask(" ".join(part for part in (found[chat.mode].person[chat.lang], value) if part))
        return
    say_line(tr("ui.handoff.not_here", chat.lang, name=found[chat.mode].names[chat.lang]))
    for mode in found.values():
        if mode.person:
            say_line(tr("ui.handoff.elsewhere", chat.lang, names=mode.names[chat.lang], mode=mode.id))


def _quit(chat: PlainChat, _value: str) -> None:
    chat.leaving = True


def failure_line(error: TrolyError, chat: PlainChat) -> str:
    text = error.render(chat.lang)
    return chat.say("failed", title=text.title.rstrip("."), message=text.message, remedy=text.remedy)


_DO: dict[str, Callable[[PlainChat, str], None]] = {
    "help": _help,
    "new": _new,
    "mode": _mode,
    "language": _language,
    "list": _list,
    "open": _open,
    "search": _search,
    "names": _names,
    "again": _again,
    "evidence": _evidence,
    "continue": _continue,
    "handoff": _handoff,
    "wrong": wrong,
    "undelete": undelete,
    "ingest": ingest,
    "pull": pull,
    "quit": _quit,
}
# What is done to the open conversation.
_DO_OPEN: dict[str, Callable[[PlainChat, str, str], None]] = {
    "export": export,
    "rename": rename,
    "pin": pin,
    "delete": delete,
}
