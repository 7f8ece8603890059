"""`app modes`: the assistants of this installation, broken ones with their reason."""

from __future__ import annotations

from typing import Annotated

import typer

from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json
from troly.presentation.text import grid


def modes(
    ctx: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="common.json")] = False
) -> None:
    """See `cli.modes.help`."""
    from troly.plugin.registry import Registry

    invocation: Invocation = ctx.obj
    registry, say = Registry(), invocation.say
    usable, broken = {mode.id: mode for mode in registry}, registry.broken()
    if as_json:
        for name in registry.names:
            mode = usable.get(name)
            line = {
                "id": name,
                "name": mode.names[invocation.lang] if mode else "",
                "ready": mode is not None,
            }
            data_json({**line, "broken": broken.get(name, "")})
        return
    rows = []
    for name in registry.names:
        if name in usable:
            mode = usable[name]
            state = say("modes.ready")
            own = ", ".join(f"app {' '.join(command.path)}" for command in mode.commands)
            rows.append((name, mode.names[invocation.lang], state, mode.summaries[invocation.lang], own))
        else:
            rows.append((name, "", say("modes.broken"), broken[name], ""))
    data(grid([say(f"modes.column.{name}") for name in ("id", "name", "state", "summary", "commands")], rows))
