"""`app data move` and a database server on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.process.command_line import CommandLine, Ran
from tests.support.stores.postgres import PASSWORD, PostgresServer, needs_postgres
from troly.errors import StoreError

pytestmark = needs_postgres


def hidden(ran: Ran) -> bool:
    """Whether nothing that was printed shows the password."""
    return not any(form in ran.out + ran.err for form in (PASSWORD, quote(PASSWORD)))


def test_the_command_moves_tells_and_goes_on_where_it_was_stopped(
    app: CommandLine, own_home: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert app.run("ask", "--offline", "--mode", "shopping", "kiểm tra giúp ABC123").code == 0
    before = {path: path.read_bytes() for path in own_home.rglob("state.db")}
    url = postgres.database()

    def stopped(*_: object) -> None:
        raise StoreError("store.full", path="x", reason="full")

    with monkeypatch.context() as patched:
        patched.setattr("troly.stores.move.index_message", stopped)
        assert app.run("data", "move", "--to", url).code != 0
    monkeypatch.setenv("TROLY_DATABASE__URL", url)
    half = app.run("conversations", "list")
    assert half.code != 0
    assert "half" in half.err
    monkeypatch.delenv("TROLY_DATABASE__URL")
    ran = app.run("data", "move", "--to", url)
    assert ran.code == 0
    assert hidden(ran)
    lines = dict(line.split(":", 1) for line in ran.out.splitlines())
    assert "already there" in lines["conversations"]
    assert int(lines["messages"].split()[0]) >= 2
    assert "already there" not in lines["messages"]
    assert app.run("data", "move", "--to", url).code != 0
    assert {path: path.read_bytes() for path in own_home.rglob("state.db")} == before
    listed = app.run("conversations", "list", "--json").out
    monkeypatch.setenv("TROLY_DATABASE__URL", url)
    assert app.run("conversations", "list", "--json").out == listed
    assert json.loads(listed.splitlines()[0])
    checked = app.run("deploy", "check")
    assert "PostgreSQL" in checked.out
    assert hidden(checked)
    monkeypatch.setenv("TROLY_DATABASE__URL", url.replace("postgresql", "mysql"))
    wrong = app.run("deploy", "check")
    assert wrong.code == 1
    assert "`database.url`" in wrong.out
    shown = app.run("config", "show")
    assert hidden(shown)


def test_documents_are_published_by_the_command_and_by_each_load(
    app: CommandLine, tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = tmp_path / "pages", postgres.database()
    (tmp_path / "shared").mkdir()
    folder.mkdir()
    (folder / "parking.md").write_text("# Gửi xe\n\nXe máy gửi ở tầng hầm B2.\n", encoding="utf-8")
    monkeypatch.setenv("TROLY_DATABASE__URL", url)
    assert app.run("ingest", "policies", str(folder)).code == 0
    monkeypatch.setenv("TROLY_FILES__URL", str(tmp_path / "shared"))
    assert "documents 1: " in app.run("data", "publish").out
    assert app.run("data", "publish").out == ""
    (folder / "meals.md").write_text("# Ăn trưa\n\nCăng tin mở lúc 11 giờ.\n", encoding="utf-8")
    assert app.run("ingest", "policies", str(folder)).code == 0
    # Another machine.
    monkeypatch.setenv("TROLY_HOME", str(tmp_path / "another"))
    assert "2 company documents" in app.run("deploy", "check").out
