"""A person who asks one assistant, on a data directory of its own; every assistant's own desk adds its data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.support.stores.services import profile
from troly.config.users import Profile
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin.contract import Mode
from troly.plugin.events import Event, Notice, Say, StepFinished, Table, Token, TurnCompleted, TurnFailed
from troly.plugin.registry import Registry
from troly.plugin.services import Services


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


class Desk:
    """One person before one assistant; every `ask` goes on with the same conversation until `leave`."""

    mode: Mode

    def __init__(self, services: Services, registry: Registry, login: str = "an") -> None:
        self.services = services
        self.registry = registry
        self.profile: Profile = profile(login)
        self.conversation: str | None = None

    async def ask(self, text: str, **more: Any) -> Told:
        """One turn to its end; `more` are fields of the request."""
        request = TurnRequest(self.mode.id, text, conversation=self.conversation, **more)
        turn = run_turn(Session(self.services, self.registry, self.profile), request)
        told = Told([event async for event in turn.events()])
        self.conversation = turn.conversation_id
        return told

    def leave(self) -> None:
        """Begin another conversation."""
        self.conversation = None
