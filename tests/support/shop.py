"""The shop desk in a house of its own: services, the mode alone in a registry, a few warranty records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.house import profile, services_at
from tests.support.modes import registry_of
from tests.support.warranty_files import load
from troly.config import Profile
from troly.conversation import TurnRequest, run_turn
from troly.plugin.events import Event, Notice, Say, StepFinished, Table, Token, TurnCompleted, TurnFailed
from troly.plugin.registry import Registry
from troly.plugin.services import Services
from troly_shopping import MODE

SAMPLE = Path(__file__).parents[2] / "data" / "warranty.csv"


@dataclass(slots=True)
class Told:
    """The events of one turn, by kind."""

    events: list[Event] = field(default_factory=list)

    def all(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def done(self) -> TurnCompleted:
        end = self.events[-1]
        assert isinstance(end, TurnCompleted), end
        return end

    @property
    def failed(self) -> TurnFailed:
        end = self.events[-1]
        assert isinstance(end, TurnFailed), end
        return end

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.done.state)

    @property
    def said(self) -> list[str]:
        """Types of the short messages before the answer."""
        return [say.message_type for say in self.all(Say)]

    @property
    def answer(self) -> str:
        return "".join(token.text for token in self.all(Token))

    @property
    def nodes(self) -> list[str]:
        return [step.node for step in self.all(StepFinished)]

    @property
    def notices(self) -> list[Notice]:
        return self.all(Notice)

    @property
    def tables(self) -> list[Table]:
        return self.all(Table)


class Shop:
    """One person at the desk; every `ask` goes on with the same conversation until `leave`."""

    def __init__(self, services: Services, registry: Registry) -> None:
        self.services = services
        self.registry = registry
        self.profile: Profile = profile()
        self.conversation: str | None = None

    async def ask(self, text: str, *, offline: bool = False, **more: Any) -> Told:
        request = TurnRequest(MODE.id, text, conversation=self.conversation, offline=offline, **more)
        turn = run_turn(self.services, self.registry, self.profile, request)
        told = Told([event async for event in turn.events()])
        self.conversation = turn.conversation_id
        return told

    def leave(self) -> None:
        self.conversation = None

    def history(self) -> list[tuple[str, str]]:
        """Type and text of the messages, oldest first."""
        assert self.conversation
        found = self.services.conversations.messages(self.profile.login, self.conversation)
        return [(message.type, message.text) for message in found]


@contextmanager
def shop_at(home: Path, *, loaded: bool = True, **env: str) -> Iterator[Shop]:
    """A shop under `home` with the sample warranty list, unless not `loaded`; `env` as for `services_at`."""
    registry = registry_of(shopping=MODE)
    with services_at(home, registry, **env) as services:
        if loaded:
            load(services, SAMPLE)
        yield Shop(services, registry)
