"""`app keys`: a key is shown once; `app serve` refuses what would be open to others."""

from __future__ import annotations

import json

import pytest

from tests.support.process.command_line import CommandLine
from troly.cli.commands import serve


def test_a_key_is_made_listed_and_revoked(app: CommandLine) -> None:
    made = app.run(
        "keys", "add", "--user", "lan", "--role", "lead", "--permission", "ingest", "--days", "3", "--json"
    )
    assert made.code == 0, made.err
    key = json.loads(made.out)
    assert key["key"].startswith(f"troly_{key['id']}_")
    listed = app.run("keys", "list", "--json")
    (row,) = listed.events
    assert (row["user"], row["role"], row["permissions"], row["state"]) == ("lan", "lead", ["ingest"], "good")
    assert key["key"].removeprefix(f"troly_{key['id']}_") not in listed.out + app.run("keys", "list").out
    assert app.run("keys", "revoke", key["id"]).code == 0
    assert app.run("keys", "list", "--json").events[0]["state"] == "revoked"
    assert app.run("keys", "revoke", key["id"]).code == 3
    assert app.run("keys", "revoke", key["key"]).code == 2


def test_the_key_alone_is_on_stdout(app: CommandLine) -> None:
    made = app.run("keys", "add")
    assert made.out.strip().startswith("troly_")
    assert len(made.out.split()) == 1
    assert made.out.strip() not in made.err


def test_a_key_for_an_unknown_assistant_is_refused(app: CommandLine) -> None:
    assert app.run("keys", "add", "--mode", "nobody").code == 6
    assert app.run("keys", "list", "--json").out == ""


def test_nobody_makes_keys_for_others_where_that_is_forbidden(
    app: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TROLY_IDENTITY__IMPERSONATION", "no")
    assert app.run("keys", "add", "--user", "somebody-else").code == 7
    assert app.run("keys", "add", "--permission", "ingest").code == 7


def test_an_address_that_others_reach_needs_a_key(app: CommandLine) -> None:
    refused = app.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 6
    assert "keys add" in refused.err


def test_a_server_without_its_packages_says_what_to_install(
    app: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == "textual_serve" else name)
    refused = app.run("serve", "--web", "--port", "0")
    assert refused.code == 2
    assert "textual_serve" in refused.err
    assert "pip install 'troly[serve,web]'" in refused.err
