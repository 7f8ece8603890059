"""`app users`: the people of a shared database, with roles and permissions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from troly.cli.command import Json
from troly.cli.invocation import Invocation
from troly.cli.output import data_json, data_table, note
from troly.config.users import check_entry, load_entries, require_impersonation
from troly.conversation.session import Session
from troly.errors import InputError
from troly.stores.users import Users

Login = Annotated[str, typer.Argument(metavar="LOGIN", help="users.login", show_default=False)]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="users.name")]
Role = Annotated[str | None, typer.Option("--role", metavar="ROLE", help="users.role")]
Permissions = Annotated[
    list[str] | None, typer.Option("--permission", metavar="NAME", help="users.permission")
]
Department = Annotated[str | None, typer.Option("--department", metavar="NAME", help="users.department")]
Language = Annotated[str | None, typer.Option("--language", metavar="auto|vi|en", help="users.language")]
FIELDS = ("name", "role", "permissions", "department", "language")


def add(
    ctx: typer.Context,
    login: Login,
    *,
    name: Name = None,
    role: Role = None,
    permission: Permissions = None,
    department: Department = None,
    language: Language = None,
) -> None:
    given = dict(zip(FIELDS, (name, role, permission, department, language), strict=True))
    _write(ctx.obj, login, given, new=True)


def set_(
    ctx: typer.Context,
    login: Login,
    *,
    name: Name = None,
    role: Role = None,
    permission: Permissions = None,
    no_permissions: Annotated[bool, typer.Option("--no-permissions", help="users.no_permissions")] = False,
    department: Department = None,
    language: Language = None,
) -> None:
    permissions = [] if no_permissions else permission
    given = dict(zip(FIELDS, (name, role, permissions, department, language), strict=True))
    _write(ctx.obj, login, given, new=False)


def remove(ctx: typer.Context, login: Login) -> None:
    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        users, login = _users(invocation, session, login), check_entry(login, {})
        revoked = users.remove(login)
    if revoked is None:
        raise InputError("users.unknown", login=login)
    note(invocation.say("users.removed", login=login, keys=revoked))


def list_(ctx: typer.Context, as_json: Json = False) -> None:
    invocation: Invocation = ctx.obj
    with invocation.open_session() as session:
        entries = load_entries(invocation.paths, session.services.people())
    if as_json:
        for login, entry in entries.items():
            data_json({"login": login, **entry})
    elif entries:
        rows = []
        for login, entry in entries.items():
            values = [entry.get(field) for field in FIELDS]
            shown = [", ".join(one) if isinstance(one, list) else str(one or "") for one in values]
            rows.append((login, *shown))
        data_table(invocation.say, "users.column", ("login", *FIELDS), rows)
    else:
        note(invocation.say("users.none"))


def _write(invocation: Invocation, login: str, given: dict[str, Any], *, new: bool) -> None:
    with invocation.open_session() as session:
        users, login = _users(invocation, session, login), check_entry(login, {})
        known = users.entries().get(login)
        if new == (known is not None):
            raise InputError("users.known" if new else "users.unknown", login=login)
        entry = {**(known or {}), **{field: value for field, value in given.items() if value is not None}}
        check_entry(login, entry)
        users.put(login, entry)
    note(invocation.say("users.kept", login=login))


def _users(invocation: Invocation, session: Session, login: str) -> Users:
    """Where entries are written; raises InputError `users.file` where there is no shared database, AccessError."""
    services = session.services
    if services.state is services.index:
        raise InputError("users.file", file=invocation.paths.users_file)
    require_impersonation(invocation.paths, invocation.settings, login, invocation.env)
    return Users(services.state)
