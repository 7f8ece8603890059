"""All commands by name, for the palette, the status line and clicks; found without regard to diacritics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troly.config.actions import ACTIONS
from troly.config.key_names import key_label
from troly.text.catalogue import tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.keymap import Keymap, title
from troly.tui.pressed import suggested

if TYPE_CHECKING:
    from troly.tui.controller import Controller


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the palette: what it is called, the action it runs, and the key that does the same."""

    title: str
    action: str
    key: str = ""


def commands(controller: Controller, keymap: Keymap) -> list[Command]:
    """What can be done now: questions that the last answer offers, modes, then the rest."""
    lang = controller.language
    found = [
        Command(
            tr("ui.command.suggested", lang, question=sanitize(question, keep_newlines=False)),
            f"suggested({index})",
        )
        for index, question in enumerate(suggested(controller))
    ]
    keys = keymap.keys("assistants")
    for place, mode in enumerate(controller.modes.values()):
        press = key_label(keys[place]) if place < len(keys) else ""
        found.append(Command(tr("ui.command.mode", lang, name=mode.names[lang]), f"mode('{mode.id}')", press))
    return [
        *found,
        *(Command(title(one, lang), one.run, keymap.press(one.name)) for one in ACTIONS if one.palette),
    ]


def matching(offered: Sequence[Command], wanted: str) -> list[Command]:
    """The commands whose title holds all words of `wanted`, diacritics or not; beginnings of words come first."""
    words = fold(wanted).split()
    ranked: list[tuple[int, int, Command]] = []
    for place, command in enumerate(offered):
        name = fold(command.title)
        if all(word in name for word in words):
            starts = sum(any(part.startswith(word) for part in name.split()) for word in words)
            ranked.append((-starts, place, command))
    return [command for _, _, command in sorted(ranked, key=lambda entry: entry[:2])]
