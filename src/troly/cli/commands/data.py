"""`app data`: the sample data of the modes, loaded or removed at will."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from troly.cli.failures import UsageError
from troly.cli.invocation import Invocation
from troly.cli.output import data

What = Annotated[str, typer.Argument(metavar="samples", help="data.what", show_default=False)]


def load(ctx: typer.Context, what: What) -> None:
    """See `cli.data.load.help`."""
    from troly.plugin import samples

    _each(ctx.obj, what, samples.load)


def remove(ctx: typer.Context, what: What) -> None:
    """See `cli.data.remove.help`."""
    from troly.plugin import samples

    _each(ctx.obj, what, samples.remove)


def _each(invocation: Invocation, what: str, do: Callable[..., tuple[str, ...]]) -> None:
    """Do it for every mode that has samples; raises UsageError for anything but `samples`."""
    if what != "samples":
        raise UsageError("usage.samples", value=what)
    with invocation.open_session() as session:
        for mode in session.registry:
            if mode.samples is not None:
                for sentence in do(session.services, mode, invocation.lang):
                    data(f"{mode.id}: {sentence}")
