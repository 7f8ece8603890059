"""`app data`: the sample data of the modes, loaded or removed at will; the database copied to a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.output import data, note

What = Annotated[str, typer.Argument(metavar="samples", help="data.what", show_default=False)]


def load(ctx: typer.Context, what: What) -> None:
    from troly.plugin import samples

    _each(ctx.obj, what, samples.load)


def remove(ctx: typer.Context, what: What) -> None:
    from troly.plugin import samples

    _each(ctx.obj, what, samples.remove)


def move(
    ctx: typer.Context, *, to: Annotated[str, typer.Option("--to", metavar="URL", help="data.to")]
) -> None:
    from contextlib import closing

    from troly.config.users import load_entries
    from troly.plugin.services import migrations_of
    from troly.stores.move import MovedTable
    from troly.stores.move import move as move_rows
    from troly.stores.postgres import PostgresDb
    from troly.stores.users import Users

    invocation: Invocation = ctx.obj

    def tell(table: MovedTable) -> None:
        key = "data.move.table" if table.copied else "data.move.same"
        data(invocation.say(key, name=table.name, rows=table.rows, checksum=table.checksum[:16]))

    with invocation.open_session() as session, closing(PostgresDb.at(to)) as target:
        all_migrations = migrations_of(session.registry)
        target.migrate(all_migrations, moving=True)
        move_rows(session.services.state, target, all_migrations, tell)
        if session.services.people() is None:
            for login, entry in load_entries(invocation.paths).items():
                Users(target).put(login, entry)
    note(invocation.say("data.move.next"))


def publish(ctx: typer.Context) -> None:
    from troly.errors import InputError
    from troly.retrieval.documents.shared import NAME

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        services = session.services
        if services.datasets.files is None:
            raise InputError("files.none")
        shared, before = services.datasets.share(), services.datasets.newest(NAME)
        # A write, though of nothing, publishes the documents of this machine.
        with services.publishing(), services.index.write():
            pass
        documents = services.datasets.newest(NAME)
        for version in [*shared, *([documents] if documents and documents != before else [])]:
            data(f"{version.name} {version.version}: {version.sha[:16]}")


def _each(invocation: Invocation, what: str, do: Callable[..., tuple[str, ...]]) -> None:
    """Do it for every mode that has samples; raises UsageError for anything but `samples`."""
    if what != "samples":
        raise UsageError("usage.samples", value=what)
    with invocation.open_session() as session:
        for mode in session.registry:
            if mode.samples is not None:
                for sentence in do(session.services, mode, invocation.lang):
                    data(f"{mode.id}: {sentence}")
