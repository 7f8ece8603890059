"""Conversations with the built-in modes on the sample data, and their replay in a copy of the session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.modes.desk import Told
from tests.support.stores.prepared import prepared_services
from tests.support.stores.services import services_at
from troly.config.users import Profile, load_profile
from troly.conversation.replay import ReplayResult, replay, temporary_copy
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.plugin import samples
from troly.plugin.registry import Registry
from troly.plugin.services import Services

# Three that the empty pane offers, and then what a person goes on with.
MORE = {
    "shopping": ("kiểm tra giúp ABC123, XYZ789", "thế còn laptop dưới 20 triệu?", "Speak English please"),
    "analysis": ("doanh thu theo tháng", "chỉ Shopee thôi", "vẽ biểu đồ"),
    "rental": ("phòng dưới 3 triệu ở Gò Vấp", "rẻ hơn nữa", "phòng dưới 3 triệu ở Gò Vấp"),
    "dental": ("đau răng khôn thì làm sao", "em dị ứng penicillin", "răng em bị gãy và chảy máu nhiều"),
    "rag": (
        "nghỉ phép năm được mấy ngày và ai duyệt",
        "còn nghỉ ốm?",
        "nghỉ phép năm được mấy ngày và ai duyệt",
    ),
}


@dataclass(slots=True)
class Person:
    """Somebody with one conversation of one mode."""

    services: Services
    registry: Registry
    profile: Profile
    mode: str
    conversation: str | None = None

    async def ask(self, text: str, **more: Any) -> Told:
        request = TurnRequest(self.mode, text, conversation=self.conversation, **more)
        turn = run_turn(Session(self.services, self.registry, self.profile), request)
        told = Told([event async for event in turn.events()])
        self.conversation = turn.conversation_id
        return told

    def questions(self) -> Sequence[str]:
        return (*self.registry.get(self.mode).first_questions["vi"], *MORE[self.mode])

    def turns(self) -> list[str]:
        assert self.conversation
        found = self.services.conversations.turns(self.profile.login, self.conversation)
        return [turn.id for turn in found]


@contextmanager
def person_at(home: Path, mode: str, *, loaded: bool = True, **env: str) -> Iterator[Person]:
    """Somebody with a data directory `home` with the samples of `mode`; the web is off unless `env` says where it is."""
    if "SEARXNG_URL" not in env:
        env = {"TROLY_DENTAL__SEARCH": "off", **env}
    registry = Registry()
    opened = (
        prepared_services(
            home,
            registry,
            ("samples", mode),
            lambda services: samples.load(services, registry.get(mode), "vi"),
            **env,
        )
        if loaded
        else services_at(home, registry, **env)
    )
    with opened as services:
        profile = load_profile(services.paths, services.settings)
        yield Person(services, registry, profile, mode)


async def replayed(person: Person, turns: Sequence[str]) -> list[ReplayResult]:
    """Every one of `turns` run again, each with modes that remember nothing."""
    registry = Registry()
    with temporary_copy(person.services.paths, person.services.settings, registry) as services:
        return [await replay(services, Registry(), person.profile.login, turn) for turn in turns]


def told_apart(found: Sequence[ReplayResult]) -> list[str]:
    """What differs, one line a field."""
    return [
        f"{one.recording.question.text!r} #{each.number} {each.event}.{path}: {was!r} -> {now!r}"
        for one in found
        for each in one.different
        for path, was, now in each.changes
    ]
