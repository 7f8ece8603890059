"""`app modes`: the assistants of this installation, broken ones with their reason."""

from __future__ import annotations

import typer

from troly.cli.command import Json
from troly.cli.invocation import Invocation
from troly.cli.output import data_json, data_table


def modes(ctx: typer.Context, as_json: Json = False) -> None:
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
    data_table(say, "modes.column", ("id", "name", "state", "summary", "commands"), rows)
