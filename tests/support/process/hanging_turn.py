"""A process that begins a turn, says something, and hangs until it is killed: `python -m tests.support.process.hanging_turn HOME`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.stores.services import profile, services_at
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn


async def main(home: Path) -> None:
    registry = registry_of(planned=planned_mode(Plan(["say", "hang"])))
    with services_at(home) as services:
        turn = run_turn(
            Session(services, registry, profile()), TurnRequest("planned", "còn đó không?", offline=True)
        )
        async for _ in turn.events():
            kept = services.conversations.turn("an", turn.turn_id).partial if turn.turn_id else ""
            print(turn.conversation_id, turn.turn_id, kept, flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
