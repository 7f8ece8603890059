"""All commands by name, for the palette, the status line and clicks; found without regard to diacritics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troly.text.catalogue import tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.pressed import suggested

if TYPE_CHECKING:
    from troly.tui.controller import Controller


@dataclass(frozen=True, slots=True)
class Command:
    """One entry of the palette: what it is called, the action it runs, and the key that does the same."""

    title: str
    action: str
    key: str = ""


PLAIN = (
    ("new", "new", "Ctrl+N"),
    ("stop", "stop", "Esc"),
    ("again", "again", "Ctrl+R"),
    ("edit", "edit", ""),
    ("copy", "copy_answer", ""),
    ("grid", "grid", "F5"),
    ("list", "list", "F2"),
    ("search", "search", "Ctrl+F"),
    ("rename", "rename", ""),
    ("pin", "pin", ""),
    ("delete", "delete", ""),
    ("undelete", "undelete", ""),
    ("evidence", "evidence", "F3"),
    ("language_vi", "language('vi')", ""),
    ("language_en", "language('en')", ""),
    ("theme_dark", "theme('dark')", ""),
    ("theme_light", "theme('light')", ""),
    ("theme_contrast", "theme('contrast')", ""),
    ("help", "help", "F1"),
    ("quit", "quit", "Ctrl+Q"),
)


def commands(controller: Controller) -> list[Command]:
    """What can be done now: questions that the last answer offers, modes, then the rest."""
    lang = controller.language
    found = [
        Command(
            tr("ui.command.suggested", lang, question=sanitize(question, keep_newlines=False)),
            f"suggested({index})",
        )
        for index, question in enumerate(suggested(controller))
    ]
    for place, mode in enumerate(controller.modes.values(), start=1):
        title = tr("ui.command.mode", lang, name=mode.names[lang])
        found.append(Command(title, f"mode('{mode.id}')", f"Alt+{place}" if place < 10 else ""))
    return [*found, *(Command(tr(f"ui.command.{name}", lang), action, key) for name, action, key in PLAIN)]


def matching(offered: Sequence[Command], wanted: str) -> list[Command]:
    """The commands whose title holds all words of `wanted`, diacritics or not; beginnings of words come first."""
    words = fold(wanted).split()
    ranked: list[tuple[int, int, Command]] = []
    for place, command in enumerate(offered):
        title = fold(command.title)
        if all(word in title for word in words):
            starts = sum(any(part.startswith(word) for part in title.split()) for word in words)
            ranked.append((-starts, place, command))
    return [command for _, _, command in sorted(ranked, key=lambda entry: entry[:2])]
