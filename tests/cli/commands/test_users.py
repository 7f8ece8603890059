"""`app users`: the people of a shared database, and what follows from an entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process.command_line import CommandLine
from tests.support.stores.postgres import PostgresServer, needs_postgres
from troly.paths import Paths


@needs_postgres
def test_rights_come_from_the_shared_database_and_keys_follow_them(
    app: CommandLine, own_home: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Paths.resolve({"TROLY_HOME": str(own_home)}).users_file
    file.parent.mkdir(parents=True)
    file.write_text('[users.an]\nrole = "admin"\npermissions = ["private"]\n', encoding="utf-8")
    url = postgres.database()
    assert app.run("data", "move", "--to", url).code == 0
    monkeypatch.setenv("TROLY_DATABASE__URL", url)
    file.unlink()
    added = app.run("users", "add", "lan", "--name", "Trần Lan", "--role", "lead", "--permission", "handoffs")
    assert added.code == 0, added.err
    assert app.run("users", "list", "--json").events == [
        {"login": "an", "role": "admin", "permissions": ["private"]},
        {"login": "lan", "name": "Trần Lan", "role": "lead", "permissions": ["handoffs"]},
    ]
    assert "an (admin)" in app.run("deploy", "check").out
    for extra in ((), ("--role", "reader")):
        assert app.run("keys", "add", "--user", "lan", *extra).code == 0
    assert app.run("users", "set", "lan", "--role", "staff", "--no-permissions").code == 0
    keys = [(key["role"], key["permissions"]) for key in app.run("keys", "list", "--json").events]
    assert sorted(keys) == [("reader", ["handoffs"]), ("staff", [])]
    assert app.run("users", "remove", "lan").code == 0
    assert {key["state"] for key in app.run("keys", "list", "--json").events} == {"revoked"}
    for wrong, code in (
        (("add", "an"), 3),
        (("set", "lan", "--role", "lead"), 3),
        (("remove", "lan"), 3),
        (("set", "an", "--language", "fr"), 6),
        (("add", " "), 3),
    ):
        ran = app.run("users", *wrong)
        assert ran.code == code, ran.err
        assert "Traceback" not in ran.err
    assert "Trần" not in app.run("users", "list").out


def test_on_one_machine_people_stand_in_the_users_file(app: CommandLine, own_home: Path) -> None:
    assert "rights of the staff" in app.run("users", "list").err
    file = Paths.resolve({"TROLY_HOME": str(own_home)}).users_file
    file.write_text('[users."bình"]\nrole = "admin"\n', encoding="utf-8")
    assert app.run("users", "list", "--json").events == [{"login": "bình", "role": "admin"}]
    for refused in (("add", "lan"), ("set", "bình", "--role", "staff"), ("remove", "bình")):
        ran = app.run("users", *refused)
        assert ran.code == 3
        assert str(file) in ran.err
