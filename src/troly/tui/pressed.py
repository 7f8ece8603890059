"""What a click on a line of a message does: open it, ask it, run it again, show its table as a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from troly.tui.chat.prompt import Prompt

if TYPE_CHECKING:
    from troly.plugin.events import Table
    from troly.tui.app import TrolyApp
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.view import MessageView, Part


def press(app: TrolyApp, kind: str, rest: str) -> bool:
    """Do what the action `kind:rest` says; False when it is none of a message's own."""
    act = _ACTS.get(kind)
    if act is None:
        return False
    act(app, rest)
    return True


def last_grid(app: TrolyApp) -> bool:
    """Show the newest table of the conversation as a grid; False when there is none."""
    from troly.plugin.events import Table

    for view in reversed(app.controller.pane.messages):
        for part in reversed(view.parts):
            if isinstance(part, Table) and part.rows:
                _show_grid(app, part)
                return True
    return False


def suggested(controller: Controller) -> tuple[str, ...]:
    """The questions that the last answer offers."""
    answer = controller.pane.last_answer
    found = [getattr(part, "questions", ()) for part in answer.parts] if answer else []
    return tuple(question for questions in found for question in questions)


def _open(app: TrolyApp, name: str) -> None:
    view = _message(app, name)
    if view is not None:
        view.opened ^= {name}
        view.touch()
        app.controller.changed("pane", app.controller.pane)


def _ask(app: TrolyApp, index: str) -> None:
    mode = app.controller.modes[app.controller.pane.mode]
    app.post_message(Prompt.Sent(mode.questions[app.controller.language][int(index)]))


def _suggest(app: TrolyApp, name: str) -> None:
    from troly.plugin.events import Suggestions

    card, _, index = name.rpartition(".")
    part = _part(app, card)
    if isinstance(part, Suggestions):
        app.post_message(Prompt.Sent(part.questions[int(index)]))


def _rerun(app: TrolyApp, name: str) -> None:
    from troly.plugin.events import Computation

    part = _part(app, name)
    if isinstance(part, Computation):
        app.controller.pane.draft = f"{part.rerun}{part.code}"
        app.controller.changed("draft", app.controller.pane)
        app.chat.prompt.focus()


def _grid(app: TrolyApp, name: str) -> None:
    from troly.plugin.events import Table

    part = _part(app, name)
    if isinstance(part, Table):
        _show_grid(app, part)


def _show_grid(app: TrolyApp, table: Table) -> None:
    from troly.tui.dialogs.grid import GridScreen

    app.push_screen(GridScreen(table, app.controller.language, app.house.export))


def _again(app: TrolyApp, key: str) -> None:
    app.controller.again(int(key))


def _edit(app: TrolyApp, key: str) -> None:
    app.controller.edit(int(key))


def _menu(app: TrolyApp, key: str) -> None:
    app.action_message("menu", int(key))


def _continue(app: TrolyApp, key: str) -> None:
    app.action_message("continue", int(key))


def _act(app: TrolyApp, what: str) -> None:
    if what == "find":
        app.action_find()
    else:
        app.action_message(what)


def _code(app: TrolyApp, name: str) -> None:
    view = _message(app, name)
    if view is not None:
        _, part, number = name.split(".")
        app.copy_code(view, int(number), int(part))


def _message(app: TrolyApp, name: str) -> MessageView | None:
    key = int(name.partition(".")[0])
    return next((view for view in app.controller.pane.messages if view.key == key), None)


def _part(app: TrolyApp, name: str) -> Part | None:
    view, index = _message(app, name), int(name.split(".")[1])
    return view.parts[index] if view is not None and index < len(view.parts) else None


_ACTS: Mapping[str, Callable[[TrolyApp, str], None]] = {
    "open": _open,
    "ask": _ask,
    "suggest": _suggest,
    "rerun": _rerun,
    "grid": _grid,
    "again": _again,
    "edit": _edit,
    "menu": _menu,
    "continue": _continue,
    "code": _code,
    "message": _act,
}
