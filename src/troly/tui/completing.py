"""What the input offers to complete at the cursor: a command at the beginning, or a name after `@`; no screen in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from troly.conversation.commands import MARK, ChatCommand, matching_choices, matching_commands

AT = "@"
MOST = 8
# Names have blanks, so what follows @ may have some; further words are the message again.
MOST_WORDS = 5
LONGEST = 60
LONGEST_COMMAND = 600
# A mention begins a word: "an@sstc.vn" is an address.
BEFORE = " \t\n([{\"'“‘,;:"


class Wanted(NamedTuple):
    """What stands at the cursor: its kind, where it begins in the text, and what was typed of it."""

    kind: Literal["command", "choice", "mention", "load"]
    start: int
    typed: str
    command: str = ""


class Offer(NamedTuple):
    """One entry of the list: what is shown, what is put in place of what was typed, whether that can be sent as it is."""

    title: str
    hint: str
    text: str
    whole: bool = False


def wanted_at(line: str, column: int, *, first: bool) -> Wanted | None:
    """What can be completed after `column` characters of `line`; `first` when the message begins with the line."""
    if first and line.startswith(MARK) and column <= LONGEST_COMMAND:
        name, blank, rest = line[1:column].partition(" ")
        if not column:
            return None
        if not blank:
            return Wanted("command", 0, name) if MARK not in name else None
        return Wanted("choice", len(name) + 2, rest, name)
    begin = max(0, column - LONGEST - 1)
    place = line.rfind(AT, begin, column)
    if place < 0 or (place and line[place - 1] not in BEFORE):
        return None
    typed = line[place + 1 : column]
    if '"' in typed or typed[:1] == " " or len(typed.split(" ")) > MOST_WORDS:
        return None
    return Wanted("mention", place, typed)


def command_offers(wanted: Wanted, commands: Sequence[ChatCommand]) -> list[Offer]:
    """The commands, or the values of one, that fit."""
    if wanted.kind == "command":
        return [
            Offer(
                f"{MARK}{one.name}" + (f" {one.argument}" if one.argument else ""),
                one.help,
                f"{MARK}{one.name}" + (" " if one.argument else ""),
                whole=bool(one.action) and not one.needed,
            )
            for one in matching_commands(commands, wanted.typed)
        ]
    command = next((one for one in commands if one.name == wanted.command), None)
    choices = matching_choices(command.choices, wanted.typed) if command else []
    return [Offer(one.value, one.title, one.value, whole=True) for one in choices]


def mention_offers(found: Sequence[tuple[str, str]]) -> list[Offer]:
    """Names of things, put into the message in quotes."""
    return [Offer(name, hint, f"{quoted(name)} ") for name, hint in found[:MOST]]


def quoted(name: str) -> str:
    """A name as it stands in a message: in quotes, without any of its own."""
    inside = " ".join(name.replace('"', " ").split())
    return f'"{inside}"'
