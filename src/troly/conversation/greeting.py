"""Begins a conversation: it is created for its owner and the assistant greets by itself (000-07)."""

from __future__ import annotations

import asyncio

from troly.config.users import Profile
from troly.conversation.session import Session
from troly.errors import ConfigError
from troly.plugin.context import Voice
from troly.plugin.contract import Mode, OpeningMessage
from troly.plugin.services import Services
from troly.stores.records import Conversation, StoredMessage
from troly.text.catalogue import Lang


async def open_conversation(
    session: Session, mode_id: str, language: Lang
) -> tuple[Conversation, list[StoredMessage]]:
    """A new conversation of `mode_id` and the messages that it begins with (the greeting, or none).

    Raises ConfigError for an unknown or broken mode, StoreError when it cannot be saved.
    """
    begun = await asyncio.to_thread(
        create_conversation, session.services, session.registry.get(mode_id), session.profile, language
    )
    session.services.memory.enqueue()
    return begun


def create_conversation(
    services: Services,
    mode: Mode,
    profile: Profile,
    language: Lang,
    title: str = "",
    *,
    voice: Voice | None = None,
) -> tuple[Conversation, list[StoredMessage]]:
    """The same, on the calling thread. A persona that cannot be read costs the greeting, not the conversation.

    `voice` is that of `mode` in `language` where it was read already.
    """
    conversation = services.conversations.create(profile.login, mode.id, language=language, title=title)
    said = opening_of(services, mode, language, voice)
    if said is None:
        return conversation, []
    message = services.conversations.add_message(
        profile.login,
        conversation.id,
        "assistant",
        said.text,
        type=said.message_type,
        metadata=dict(said.metadata),
    )
    return conversation, [message]


def opening_of(
    services: Services, mode: Mode, language: Lang, voice: Voice | None = None
) -> OpeningMessage | None:
    """What `mode` says first: its own opening or its persona's greeting (000-07); None where it has neither."""
    try:
        if mode.opening is not None:
            return mode.opening(services, language)
        persona, error = voice or (services.personas.load(mode.persona, language), None)
    except ConfigError:
        return None
    return OpeningMessage(persona.greeting) if error is None else None
