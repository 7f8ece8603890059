"""`app models`: what Ollama has, what the assistants want, and pulling what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from troly.cli.command import Json
from troly.cli.invocation import Invocation
from troly.cli.output import data, data_json, data_table, note, progress

if TYPE_CHECKING:
    from troly.config.settings import Settings
    from troly.llm.hosts import HostStatus
    from troly.llm.types import Health, ModelDetails


def list_(ctx: typer.Context, as_json: Json = False) -> None:
    import asyncio

    invocation: Invocation = ctx.obj
    health = asyncio.run(model_health(invocation.settings))
    if health.error is not None:
        raise health.error
    wanted = wanted_models(invocation.settings)
    sizes = {model.name: model.size for model in health.models}
    names = [*sizes, *(name for name in wanted if installed(name, health) is None)]
    roles = {
        name: [role for want, all_roles in wanted.items() if same_model(want, name) for role in all_roles]
        for name in names
    }
    if as_json:
        for name in names:
            data_json(
                {"name": name, "size": sizes.get(name), "roles": roles[name], "installed": name in sizes}
            )
        return
    say = invocation.say
    rows = [
        (
            name,
            say("models.missing") if name not in sizes else f"{sizes[name] / 1e9:.1f} GB",
            ", ".join(roles[name]),
        )
        for name in names
    ]
    data_table(say, "models.column", ("name", "size", "roles"), rows, numeric=(1,))


def hosts(ctx: typer.Context, as_json: Json = False) -> None:
    import asyncio

    invocation: Invocation = ctx.obj
    found = asyncio.run(_hosts(invocation.settings))
    if as_json:
        for host in found:
            up, names = host.health.up, [model.name for model in host.health.models]
            data_json({"url": host.url, "up": up, "models": names, "loaded": list(host.loaded)})
        return
    say = invocation.say
    rows = [
        (
            host.url,
            host.health.error.render(invocation.lang).message
            if host.health.error
            else say("models.host.up", version=host.health.version),
            str(len(host.health.models)),
            ", ".join(host.loaded),
        )
        for host in found
    ]
    data_table(say, "models.host", ("url", "state", "models", "loaded"), rows, numeric=(2,))


async def _hosts(settings: Settings) -> list[HostStatus]:
    from troly.llm.hosts import ModelHosts

    async with aclosing(ModelHosts(settings.ollama)) as client:
        return await client.statuses()


def pull(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="models.name", show_default=False)],
) -> None:
    import asyncio

    invocation: Invocation = ctx.obj
    note(invocation.say("models.pulling", name=name))
    asyncio.run(_pull(invocation, name))
    note(invocation.say("models.pulled", name=name))
    data(name)


async def _pull(invocation: Invocation, name: str) -> None:
    from troly.llm.hosts import open_client

    async with aclosing(open_client(invocation.settings.ollama)) as client:
        with progress(name) as update:
            async for step in client.pull(name):
                update(step.completed, step.total or None, "bytes")


async def model_health(settings: Settings) -> Health:
    """Whether Ollama answers and what it has; never raises for a server that is down."""
    from troly.llm.hosts import open_client

    async with aclosing(open_client(settings.ollama)) as client:
        return await client.health()


async def model_details(settings: Settings, names: Iterable[str]) -> dict[str, ModelDetails]:
    """What each of the installed models can do, as the server tells; never raises."""
    from troly.llm.hosts import open_client

    async with aclosing(open_client(settings.ollama)) as client:
        return {name: await client.details(name) for name in names}


def wanted_models(settings: Settings) -> dict[str, list[str]]:
    """The models that the settings name, with their roles (`chat`, `shopping.chat`)."""
    models = settings.models
    wanted: dict[str, list[str]] = {}
    for role in ("chat", "small", "guard", "embed"):
        wanted.setdefault(getattr(models, role), []).append(role)
    for mode, chosen in models.modes.items():
        for role, name in chosen.items():
            wanted.setdefault(name, []).append(f"{mode}.{role}")
    return wanted


def installed(name: str, health: Health) -> str | None:
    """The installed model that `name` means, or None."""
    return next((model.name for model in health.models if same_model(name, model.name)), None)


def same_model(wanted: str, name: str) -> bool:
    """Whether both names mean one model: a name without a tag means `latest`."""
    full = [one if ":" in one.rpartition("/")[2] else f"{one}:latest" for one in (wanted, name)]
    return full[0] == full[1]
