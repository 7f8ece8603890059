"""What was typed comes back in the next process, whatever ended the one before; names come from real assistants."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.support.modes.sheets import load_text
from tests.support.stores.services import profile, services_at
from tests.tui.test_process import START, on_a_terminal, read_until
from troly.config.users import load_profile
from troly.conversation.input_history import Draft
from troly.conversation.session import Session
from troly.plugin.registry import Registry
from troly.tui import operations
from troly.tui.chat.view import Pane, Tabs


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, b"\x11"], ids=["term", "hup", "ctrl-q"])
def test_the_draft_and_the_messages_outlive_the_process(tmp_path: Path, end: signal.Signals | bytes) -> None:
    master, process = on_a_terminal(START, tmp_path)
    try:
        read_until(master, b"warranty records")
        os.write(master, b"ABC123\r")
        read_until(master, b"rules")
        os.write(master, "nháp dở".encode())
        read_until(master, "dở".encode())
        if isinstance(end, bytes):
            os.write(master, end)
        else:
            process.send_signal(end)
        read_until(master, b"\x1b[?1049l")
        process.wait(20)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    with services_at(tmp_path) as services:
        found = operations.load_input_history(
            Session(services, Registry(), load_profile(services.paths, services.settings))
        )
    assert found.earlier == ("ABC123",)
    assert [draft.text for draft in found.drafts.values()] == ["nháp dở"]


def test_names_of_a_real_assistant(tmp_path: Path) -> None:
    registry = Registry()
    with services_at(tmp_path, registry) as services:
        load_text(services, "Ngày,Giá\n2026-01-02,3\n", "Bảng\x1b[31m giá", owner="an")
        load_text(services, "Ngày,Giá\n2026-01-02,3\n", "Bảng riêng", owner="binh")
        session = Session(services, registry, profile("an"))
        ((name, hint),) = operations.find_mentions(session, "analysis", "bang", 8, "vi")
        assert name.startswith("Bảng")
        assert "\x1b" not in name
        assert hint
        modes = {mode.id: mode for mode in operations.describe_session(session).modes}
        assert [one.name for one in modes["rental"].talk] == ["sql"]
        operations.save_input(session, "một câu", {"c": Draft("nháp")})
        assert operations.load_input_history(session).earlier == ("một câu",)


def test_the_tabs_of_the_last_session_without_the_deleted_ones(tmp_path: Path) -> None:
    registry = Registry()
    with services_at(tmp_path, registry) as services:
        session = Session(services, registry, profile("an"))
        kept, gone = (services.conversations.create("an", "rag", title=title).id for title in ("một", "hai"))
        tabs = Tabs(Pane("rag", kept, unloaded=True))
        tabs.show(Pane("rag", gone))
        operations.save_screen(session, tabs.kept())
        operations.delete_conversation(session, gone)
        found = operations.describe_session(session).tabs
        assert found is not None
        assert [(pane.title, pane.conversation) for pane in found.panes] == [("một", kept)]
        operations.save_screen(session, {"panes": [3], "shown": "x"})
        assert operations.describe_session(session).tabs is None
