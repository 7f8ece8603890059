"""`app keys`: keys for people and programs that use `app serve`; a key is shown once and never again."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from troly.cli.command import Json, known_modes
from troly.cli.failures import UsageError
from troly.cli.invocation import IdentityClaim, Invocation, profile_for
from troly.cli.output import data, data_json, data_table, note
from troly.errors import InputError


def add(
    ctx: typer.Context,
    *,
    user: Annotated[str | None, typer.Option("--user", metavar="LOGIN", help="keys.user")] = None,
    role: Annotated[str | None, typer.Option("--role", metavar="ROLE", help="keys.role")] = None,
    permission: Annotated[
        list[str] | None, typer.Option("--permission", metavar="NAME", help="keys.permission")
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option("--mode", "-m", metavar="MODE", help="keys.mode", autocompletion=known_modes),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=36500, metavar="N", help="keys.days")
    ] = None,
    rate: Annotated[int, typer.Option("--rate", min=1, max=1_000_000, metavar="N", help="keys.rate")] = 600,
    as_json: Json = False,
) -> None:
    from troly.stores.api_keys import ApiKeys

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        rights = frozenset(permission) if permission else None
        owner = profile_for(invocation, session, IdentityClaim(user=user, role=role, permissions=rights))
        modes = tuple(session.registry.get(one).id for one in mode or ())
        services = session.services
        expires = services.clock() + timedelta(days=days) if days else None
        key, token = ApiKeys(services.state, services.clock).add(
            owner.login,
            owner.role,
            owner.permissions,
            department=owner.department,
            modes=modes,
            rate=rate,
            expires_at=expires,
        )
    if as_json:
        data_json({"id": key.id, "user": key.user, "key": token})
        return
    note(invocation.say("keys.made", id=key.id, user=key.user))
    data(token)


def list_(ctx: typer.Context, as_json: Json = False) -> None:
    from troly.conversation.export import local_minute
    from troly.stores.api_keys import ApiKeys

    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        now = session.services.clock()
        found = ApiKeys(session.services.state, session.services.clock).list()
    states = {
        one.id: "revoked" if one.revoked_at else "expired" if one.ended(now) else "good" for one in found
    }
    if as_json:
        for one in found:
            data_json({"id": one.id, "user": one.user, "role": one.role, "permissions": sorted(one.permissions),
                       "modes": list(one.modes), "rate": one.rate, "state": states[one.id],
                       "created_at": one.created_at.isoformat(),
                       "expires_at": one.expires_at.isoformat() if one.expires_at else None})  # fmt: skip
        return
    if not found:
        note(invocation.say("keys.none"))
        return
    rows = [
        (
            one.id,
            one.user,
            one.role,
            ", ".join(sorted(one.permissions)),
            ", ".join(one.modes),
            str(one.rate),
            local_minute(one.expires_at, session.zone) if one.expires_at else "",
            invocation.say(f"keys.state.{states[one.id]}"),
        )
        for one in found
    ]
    names = ("id", "user", "role", "permissions", "modes", "rate", "expires", "state")
    data_table(invocation.say, "keys.column", names, rows, (5,))


def revoke(
    ctx: typer.Context, key: Annotated[str, typer.Argument(metavar="ID", help="keys.id", show_default=False)]
) -> None:
    from troly.stores.api_keys import ApiKeys

    invocation: Invocation = ctx.obj
    if not key.isalnum():
        raise UsageError("keys.not_an_id")
    with invocation.open_session() as session:
        if not ApiKeys(session.services.state, session.services.clock).revoke(key):
            raise InputError("server.no_key", id=key)
    note(invocation.say("keys.revoked", id=key))
