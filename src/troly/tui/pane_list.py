"""The open conversations as entries of a palette: found by title, assistant or number."""

from __future__ import annotations

from troly.text.catalogue import tr
from troly.text.sanitize import sanitize
from troly.tui.commands import Command
from troly.tui.controller import Controller
from troly.tui.widgets.tab_row import mark_of, sign_of, tabs_of, title_of


def pane_commands(controller: Controller) -> list[Command]:
    """All open conversations in the order of the row; what is written or not read yet is marked."""
    lang = controller.language
    found = []
    for number, pane in enumerate(tabs_of(controller), start=1):
        title = tr(
            "ui.command.pane",
            lang,
            number=number,
            sign=sign_of(controller, pane),
            title=sanitize(title_of(pane, lang)),
        )
        mode = controller.modes.get(pane.mode)
        name = mode.names[lang] if mode else pane.mode
        mark = mark_of([pane])
        found.append(Command(title, f"pane({pane.key})", f"{mark} {name}".strip()))
    return found
