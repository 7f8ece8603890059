"""What opening a session does to what was deleted, and to a wrong users file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from troly.config.load import load_settings
from troly.config.problems import SettingsError
from troly.conversation.session import UNDO_TIME, Session
from troly.errors import AccessError
from troly.paths import Paths
from troly.plugin.registry import Registry


def test_what_was_deleted_is_restored_within_the_undo_time_and_gone_after_it(own_home: Path) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    settings, env = load_settings(paths, {}), {"LOGNAME": "an"}
    first = Session.open(paths, settings, Registry(), env)
    store, owner = first.services.conversations, first.profile.login
    old, young = (store.create(owner, "shopping").id for _ in range(2))
    store.delete(owner, old)
    store.delete(owner, young)
    long_ago = (first.services.clock() - UNDO_TIME - timedelta(days=1)).isoformat()
    with first.services.state.write() as connection:
        connection.execute("UPDATE conversations SET deleted_at = ? WHERE id = ?", (long_ago, old))
    first.services.close()
    second = Session.open(paths, settings, Registry(), env)
    try:
        assert second.services.conversations.restore(owner, young).id == young
        with pytest.raises(AccessError):
            second.services.conversations.restore(owner, old)
    finally:
        second.services.close()


def test_a_wrong_users_file_is_told_and_gives_no_rights(own_home: Path) -> None:
    paths = Paths.resolve({"TROLY_HOME": str(own_home)})
    paths.users_file.parent.mkdir(parents=True, exist_ok=True)
    paths.users_file.write_text('[an]\npermissions = ["private"]\n', "utf-8")
    settings, env = load_settings(paths, {}), {"LOGNAME": "an"}
    with pytest.raises(SettingsError):
        Session.open(paths, settings, Registry(), env)
    session = Session.open(paths, settings, Registry(), env, least_rights=True)
    try:
        assert session.profile.permissions == frozenset()
        assert session.problem is not None
        assert "[users.an]" in session.problem.render("en").line()
    finally:
        session.services.close()
