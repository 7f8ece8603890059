"""Commands that are typed: `/name argument`, those of the app made from its actions and those of the shown mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar

from troly.text.catalogue import Lang, tr
from troly.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")
MARK = "/"
# What a conversation can be exported as.
EXPORT_FORMS = ("md", "json", "csv")


class ArgumentChoice(NamedTuple):
    """A value that a command takes: what is written, and what it is."""

    value: str
    title: str


class ChatCommand(NamedTuple):
    """One command.

    `action` is the framework's; with `{}` the argument is put there as a literal. "" is read by the mode itself.
    `argument` is what comes after the name, in words; `needed` whether it must. `choices` are all it may be;
    `by_words` that it is a line of its own (see `troly.tui.load_line`).
    """

    name: str
    help: str
    action: str = ""
    argument: str = ""
    needed: bool = False
    choices: tuple[ArgumentChoice, ...] = ()
    by_words: bool = False


ArgumentRule: TypeAlias = Literal["no", "nothing", "may", "must"]


class TypedCommand(NamedTuple):
    """A command as each face knows it: whether it takes an argument there, "no" where it does not exist.

    `action` is what it runs on the screen; there every other action of the palette can be typed too.
    """

    name: str
    action: str
    screen: ArgumentRule
    plain: ArgumentRule


# The one list of typed commands that a line face has, or that take an argument; also the order in which they are told.
TYPED = (
    TypedCommand("help", "app.help", "nothing", "nothing"),
    TypedCommand("new", "app.new", "nothing", "nothing"),
    TypedCommand("mode", "app.mode({})", "must", "must"),
    TypedCommand("search", "app.search({})", "may", "must"),
    TypedCommand("list", "app.list", "nothing", "nothing"),
    TypedCommand("open", "app.open_number({})", "may", "must"),
    TypedCommand("names", "app.names({})", "may", "may"),
    TypedCommand("again", "app.again", "nothing", "nothing"),
    TypedCommand("continue", "app.message('continue')", "nothing", "nothing"),
    TypedCommand("evidence", "app.evidence", "nothing", "nothing"),
    TypedCommand("wrong", "app.wrong", "nothing", "may"),
    TypedCommand("handoff", "app.handoff({})", "may", "may"),
    TypedCommand("export", "app.export_conversation({})", "may", "may"),
    TypedCommand("rename", "app.rename({})", "may", "must"),
    TypedCommand("pin", "app.pin", "nothing", "nothing"),
    TypedCommand("delete", "app.delete", "nothing", "nothing"),
    TypedCommand("undelete", "app.undelete", "nothing", "nothing"),
    TypedCommand("ingest", "app.ingest({})", "may", "must"),
    TypedCommand("pull", "app.pull({})", "may", "must"),
    TypedCommand("language", "app.language({})", "must", "must"),
    TypedCommand("theme", "app.theme({})", "must", "no"),
    TypedCommand("quit", "app.quit", "nothing", "nothing"),
)


def argument_of(name: str, lang: Lang) -> str:
    """What comes after the name of a command, in words."""
    return tr(f"ui.slash.{name}.argument", lang)


def matching_commands(offered: Sequence[ChatCommand], typed: str) -> list[ChatCommand]:
    """The commands that `typed` (what stands after the slash) may mean, best first; diacritics do not matter."""
    return _ranked(offered, typed, lambda one: (one.name, one.help))


def matching_choices(offered: Sequence[ArgumentChoice], typed: str) -> list[ArgumentChoice]:
    """The same for the values of an argument."""
    return _ranked(offered, typed, lambda one: (one.value, one.title))


class ParsedCommand(NamedTuple):
    """A typed command taken apart: the command (None: nobody knows it), its argument, a known name like it."""

    command: ChatCommand | None
    argument: str = ""
    nearest: str = ""


def parse_command(text: str, offered: Sequence[ChatCommand]) -> ParsedCommand | None:
    """The command that `text` is; None for an ordinary message.

    A word after a slash that is no command counts as one only when it is the whole message: "/rooms/12 còn không?" is
    a question.
    """
    name, _, rest = text.strip().removeprefix(MARK).partition(" ")
    if not text.startswith(MARK) or not name:
        return None
    known = {fold(one.name): one for one in offered}
    found = known.get(fold(name))
    if found is not None:
        return ParsedCommand(found, rest.strip())
    if rest or "\n" in text.strip() or not name.replace("-", "").replace("_", "").isalpha():
        return None
    from troly.config.problems import nearest

    return ParsedCommand(None, "", nearest(fold(name), list(known)))


def resolve_choice(command: ChatCommand, argument: str) -> str | None:
    """The value that `argument` means: one of the choices, by name or title; None when it is none of them."""
    if not command.choices or (not argument and not command.needed):
        return argument
    wanted = fold(argument)
    for one in command.choices:
        if wanted in (fold(one.value), fold(one.title)):
            return one.value
    close = matching_choices(command.choices, argument) if wanted else []
    return close[0].value if len(close) == 1 else None


def filled_action(command: ChatCommand, argument: str) -> str:
    """The framework's action with the argument as a literal in it."""
    return command.action.format(repr(argument) if argument else "")


def _ranked(offered: Sequence[T], typed: str, words: Callable[[T], tuple[str, str]]) -> list[T]:
    wanted = fold(typed).strip()
    found = []
    for place, one in enumerate(offered):
        name, help_ = (fold(text) for text in words(one))
        score = _score(wanted, name, help_)
        if score is not None:
            found.append((score, place, one))
    return [one for _, _, one in sorted(found, key=lambda entry: entry[:2])]


def _score(wanted: str, name: str, help_: str) -> int | None:
    if not wanted or name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if any(word.startswith(wanted) for word in name.split("-")):
        return 2
    if f" {wanted}" in f" {help_}":
        return 3
    letters = iter(name)
    if len(wanted) > 1 and all(letter in letters for letter in wanted):
        return 4
    return 5 if len(wanted) > 2 and wanted in help_ else None
