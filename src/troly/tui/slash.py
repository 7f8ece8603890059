"""Commands that are typed: `/name argument`, those of the app made from its actions and those of the shown mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from troly.config.actions import ACTIONS
from troly.text.catalogue import LANGS, tr
from troly.text.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from troly.tui.controller import Controller

T = TypeVar("T")
MARK = "/"


class Choice(NamedTuple):
    """A value that a command takes: what is written, and what it is."""

    value: str
    title: str


class Slash(NamedTuple):
    """One command.

    `action` is the framework's; with `{}` the argument is put there as a literal. "" is read by the mode itself.
    `argument` is what comes after the name, in words; `needed` whether it must. `choices` are all it may be.
    """

    name: str
    help: str
    action: str = ""
    argument: str = ""
    needed: bool = False
    choices: tuple[Choice, ...] = ()


# Commands with an argument. The action must be there for the command to be offered.
_WITH_ARGUMENT = (
    ("mode", "app.mode({})", True),
    ("language", "app.language({})", True),
    ("theme", "app.theme({})", True),
    ("search", "app.search({})", False),
    ("export", "app.export_conversation({})", False),
)
# What these actions do is a command with an argument.
_INSTEAD = ("language_", "theme_", "search", "export")
# Offered before the rest.
_FIRST = ("new", "mode", "search", "help", "again", "copy", "export", "language", "theme")


def slashes(controller: Controller, has: Callable[[str], bool]) -> list[Slash]:
    """All commands that can be typed now: the mode's own, those with an argument, then every action of the palette.

    `has` says whether the app has an action of a name.
    """
    lang = controller.language
    mode = controller.modes.get(controller.pane.mode)
    found = [Slash(one.name, one.help[lang], argument=one.argument) for one in (mode.talk if mode else ())]
    for name, action, needed in _WITH_ARGUMENT:
        if has(action.partition("(")[0]):
            argument = tr(f"ui.slash.{name}.argument", lang)
            choices = _choices(name, controller)
            found.append(Slash(name, tr(f"ui.slash.{name}.help", lang), action, argument, needed, choices))
    taken = {one.name for one in found}
    for one in ACTIONS:
        name = one.name.replace("_", "-")
        if one.palette and name not in taken and not one.name.startswith(_INSTEAD):
            found.append(Slash(name, tr(f"ui.command.{one.name}", lang), one.run))
    own = len(mode.talk) if mode else 0
    order = {name: place for place, name in enumerate(_FIRST)}
    return [*found[:own], *sorted(found[own:], key=lambda one: order.get(one.name, len(order)))]


def _choices(name: str, controller: Controller) -> tuple[Choice, ...]:
    lang = controller.language
    match name:
        case "mode":
            return tuple(Choice(mode.id, mode.names[lang]) for mode in controller.modes.values())
        case "language":
            return tuple(Choice(one, tr(f"ui.command.language_{one}", lang)) for one in LANGS)
        case "theme":
            from troly.tui.theme import THEMES

            short = (theme.name.rpartition("-")[2] for theme in THEMES)
            return tuple(Choice(one, tr(f"ui.command.theme_{one}", lang)) for one in short)
        case "export":
            return tuple(Choice(one, tr(f"ui.slash.export.{one}", lang)) for one in ("md", "json", "csv"))
    return ()


def fitting(offered: Sequence[Slash], typed: str) -> list[Slash]:
    """The commands that `typed` (what stands after the slash) may mean, best first; diacritics do not matter."""
    return _ranked(offered, typed, lambda one: (one.name, one.help))


def fitting_choices(offered: Sequence[Choice], typed: str) -> list[Choice]:
    """The same for the values of an argument."""
    return _ranked(offered, typed, lambda one: (one.value, one.title))


class Said(NamedTuple):
    """A typed command taken apart: the command (None: nobody knows it), its argument, a known name like it."""

    command: Slash | None
    argument: str = ""
    nearest: str = ""


def read(text: str, offered: Sequence[Slash]) -> Said | None:
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
        return Said(found, rest.strip())
    if rest or "\n" in text.strip() or not name.replace("-", "").replace("_", "").isalpha():
        return None
    from troly.config.problems import nearest

    return Said(None, "", nearest(fold(name), list(known)))


def chosen(command: Slash, argument: str) -> str | None:
    """The value that `argument` means: one of the choices, by name or title; None when it is none of them."""
    if not command.choices or (not argument and not command.needed):
        return argument
    wanted = fold(argument)
    for one in command.choices:
        if wanted in (fold(one.value), fold(one.title)):
            return one.value
    close = fitting_choices(command.choices, argument) if wanted else []
    return close[0].value if len(close) == 1 else None


def action_of(command: Slash, argument: str) -> str:
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
