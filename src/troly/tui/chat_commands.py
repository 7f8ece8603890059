"""The commands that can be typed on the screen: those of the shown mode, the typed list, and every action of the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troly.config.actions import ACTIONS
from troly.conversation.commands import EXPORT_FORMS, TYPED, ArgumentChoice, ChatCommand, argument_of
from troly.text.catalogue import LANGS, tr

if TYPE_CHECKING:
    from troly.tui.chat.controller import Controller

# What these actions do is a command with an argument.
_INSTEAD = ("language_", "theme_")
# Offered before the rest.
_FIRST = ("new", "mode", "search", "help", "again", "copy", "export", "language", "theme")


def chat_commands(controller: Controller) -> list[ChatCommand]:
    """All commands that can be typed now: the mode's own, those of the list, then every action of the palette."""
    lang = controller.language
    mode = controller.modes.get(controller.pane.mode)
    own = [
        ChatCommand(one.name, one.help[lang], argument=one.argument) for one in (mode.talk if mode else ())
    ]
    found: list[ChatCommand] = []
    for one in TYPED:
        argument = argument_of(one.name, lang) if one.screen in ("may", "must") else ""
        needed, by_words = one.screen == "must", one.name == "ingest"
        help_ = tr(f"ui.{'slash' if argument else 'command'}.{one.name}{'.help' if argument else ''}", lang)
        choices = _choices(one.name, controller)
        found.append(ChatCommand(one.name, help_, one.action, argument, needed, choices, by_words))
    taken = {one.name for one in found}
    for action in ACTIONS:
        name = action.name.replace("_", "-")
        if action.palette and name not in taken and not action.name.startswith(_INSTEAD):
            found.append(ChatCommand(name, tr(f"ui.command.{action.name}", lang), action.run))
    order = {name: place for place, name in enumerate(_FIRST)}
    known = {one.name for one in own}
    rest = [one for one in found if one.name not in known]
    return [*own, *sorted(rest, key=lambda one: order.get(one.name, len(order)))]


def _choices(name: str, controller: Controller) -> tuple[ArgumentChoice, ...]:
    lang = controller.language
    match name:
        case "mode":
            return tuple(ArgumentChoice(mode.id, mode.names[lang]) for mode in controller.modes.values())
        case "language":
            return tuple(ArgumentChoice(one, tr(f"ui.command.language_{one}", lang)) for one in LANGS)
        case "theme":
            from troly.tui.theme import THEMES

            short = (theme.name.rpartition("-")[2] for theme in THEMES)
            return tuple(ArgumentChoice(one, tr(f"ui.command.theme_{one}", lang)) for one in short)
        case "export":
            return tuple(ArgumentChoice(one, tr(f"ui.slash.export.{one}", lang)) for one in EXPORT_FORMS)
    return ()
