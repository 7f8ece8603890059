"""The typed commands of the chat in plain lines: the same names as on the screen, answers to be heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from troly.cli import plain_kept, plain_work
from troly.cli.plain_printer import say_line
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
from troly.errors import TrolyError
from troly.text.catalogue import LANGS, tr

if TYPE_CHECKING:
    from troly.cli.plain import PlainChat

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
    chat.conversation = None
    chat.steps = []
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
    if found.mode != chat.mode:
        chat.mode = found.mode
    chat.conversation = found.id
    say_line(chat.say("opened", title=found.title or tr("ui.list.untitled", chat.lang)))
    for message in store.messages(chat.login, found.id, limit=20):
        chat.repeat(message.sender, message.text)


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
    from troly.conversation.commands import continuation

    if not chat.last:
        say_line(chat.say("no_question"))
    elif not chat.unfinished:
        say_line(chat.say("whole"))
    else:
        chat.ask(continuation(chat.last) if chat.by_model else chat.last)


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


def told(error: TrolyError, chat: PlainChat) -> str:
    """A failure as one line."""
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
    "wrong": plain_kept.wrong,
    "export": plain_kept.export,
    "rename": plain_kept.rename,
    "pin": plain_kept.pin,
    "delete": plain_kept.delete,
    "undelete": plain_kept.undelete,
    "ingest": plain_work.ingest,
    "pull": plain_work.pull,
    "quit": _quit,
}
