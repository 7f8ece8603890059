"""`app config`: the settings in force, where they are kept, and whether they are right."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import typer

from troly.cli.command import Json
from troly.cli.failures import say_error
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, data_table, note
from troly.errors import ConfigError, ErrorText


def show(ctx: typer.Context, as_json: Json = False) -> None:
    from troly.config.load import SettingValue, explain
    from troly.config.template import literal
    from troly.paths import CHROMA_VARIABLE, DATABASE_VARIABLE

    invocation: Invocation = ctx.obj
    _ = invocation.settings  # a wrong file is an error here, not a line less
    paths = invocation.paths
    values = explain(paths, invocation.env, sections=invocation.registry.sections())
    # Said in the environment alone (000-64), so no key of the file.
    places = (
        (CHROMA_VARIABLE, paths.chroma, paths.vectors),
        (DATABASE_VARIABLE, f"sqlite:///{paths.state_db}", paths.database),
    )
    values += [
        SettingValue(name, place, f"env {name}" if said else "default") for name, place, said in places
    ]
    if as_json:
        for value in values:
            data_json({"key": value.key, "value": plain(value.value), "origin": value.origin})
        return
    rows = [
        (value.key, "" if value.value is None else literal(plain(value.value)), value.origin)
        for value in values
    ]
    data_table(invocation.say, "config.column", ("key", "value", "origin"), rows)


def path(ctx: typer.Context, as_json: Json = False) -> None:
    paths = ctx.obj.paths
    places: dict[str, Path] = {
        "config": paths.config_file,
        "users": paths.users_file,
        "personas": paths.user_personas,
        "data": paths.data,
        "state": paths.state_db,
        "cache": paths.cache,
    }
    if as_json:
        data_json({name: str(place) for name, place in places.items()})
        return
    say = ctx.obj.say
    rows = [
        (name, str(place), say("config.there" if place.exists() else "config.absent"))
        for name, place in places.items()
    ]
    data_table(say, "config.column", ("name", "path", "state"), rows)


def check(ctx: typer.Context) -> None:
    invocation: Invocation = ctx.obj
    problems = problems_of(invocation)
    for problem in problems:
        say_error(problem)
    if problems:
        raise typer.Exit(ConfigError.exit_code)
    note(invocation.say("config.right", file=invocation.paths.config_file))


def init(ctx: typer.Context) -> None:
    from troly.config.template import write_default

    invocation: Invocation = ctx.obj
    new = not invocation.paths.config_file.exists()
    data(str(write_default(invocation.paths, invocation.lang, invocation.registry.sections())))
    if new:
        note(invocation.say("config.made"))


def problems_of(invocation: Invocation) -> list[ErrorText]:
    """Everything that is wrong with the settings and the users file, in the interface's language."""
    from troly.config.load import check_settings
    from troly.config.users import check_users

    registry = invocation.registry
    found = [
        *check_settings(invocation.paths, invocation.env, modes=registry.names, sections=registry.sections()),
        *check_users(invocation.paths),
    ]
    return [problem.render(invocation.lang) for problem in found]


def plain(value: Any) -> Any:
    """A setting's value as JSON knows it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value) if isinstance(value, Path) else value
