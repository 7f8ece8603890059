"""What is kept of an answer while it is being written: one error of the store does not end the keeping."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.modes.made import registry_of
from tests.support.modes.slow_mode import MODE, WAIT
from tests.support.stores.services import profile, services_at
from troly.conversation import turn as turns
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.errors import StoreError
from troly.plugin.events import Token


async def test_a_busy_store_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PARTIAL_EVERY", 0.01)
    loop = asyncio.get_running_loop()
    kept, tries = asyncio.Event(), []
    with services_at(tmp_path / "house") as services:
        save = services.conversations.save_partial

        def busy_at_first(turn_id: str, text: str) -> None:
            tries.append(text)
            if len(tries) == 1:
                raise StoreError("store.busy", path="state.db")
            save(turn_id, text)
            loop.call_soon_threadsafe(kept.set)

        monkeypatch.setattr(services.conversations, "save_partial", busy_at_first)
        turn = run_turn(
            Session(services, registry_of(slow=MODE), profile()), TurnRequest(MODE.id, WAIT, offline=True)
        )
        async for event in turn.events():
            if isinstance(event, Token):
                async with asyncio.timeout(20):
                    await kept.wait()
                turn.cancel()
    assert tries[:2] == ["phần đầu", "phần đầu"]
