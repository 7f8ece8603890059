"""A turn whose process is killed is found interrupted at the next start, with its question and what was said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.process.waiting import wait_until
from tests.support.stores.services import services_at

ROOT = Path(__file__).parents[2]


def test_a_killed_turn_is_interrupted_and_keeps_its_words(tmp_path: Path) -> None:
    home = tmp_path / "house"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.process.hanging_turn", str(home)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        conversation, turn_id = process.stdout.readline().split()[:2]
        with services_at(home) as beside:
            assert beside.interrupted == ()
            wait_until(lambda: beside.conversations.turn("an", turn_id).partial, 20)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    with services_at(home) as after:
        assert [turn.id for turn in after.interrupted] == [turn_id]
        messages = after.conversations.messages("an", conversation)
        assert [(m.sender, m.text) for m in messages] == [("user", "còn đó không?"), ("assistant", "một")]
        assert messages[-1].status == "interrupted"
