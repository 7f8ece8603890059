"""Saves a question before any model is asked, and reads the language it is to be answered in."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troly.config import Profile
from troly.conversation.language import REQUESTED, LanguageDecision, decide
from troly.conversation.opening import begin
from troly.plugin.contract import Mode
from troly.plugin.services import Services
from troly.stores.records import Conversation, StoredMessage
from troly.text.catalogue import LANGS, Lang
from troly.text.sanitize import sanitize

if TYPE_CHECKING:
    from troly.conversation.turn import TurnRequest

HISTORY = 40
TITLE_CHARS = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A saved question: `history` is what was said before it; `greeting` is there when it began the conversation."""

    turn_id: str
    conversation: Conversation
    history: tuple[StoredMessage, ...]
    greeting: StoredMessage | None
    language: LanguageDecision


def save_question(
    services: Services, mode: Mode, profile: Profile, request: TurnRequest, text: str
) -> Question:
    """Save `text` as the next question of its conversation, which is begun and named first where it is new.

    Raises AccessError for somebody else's conversation, StoreError when it cannot be saved.
    """
    store, owner, greeting = services.conversations, profile.login, None
    settings, chosen = services.settings, request.language
    if request.conversation is None:
        decision = decide(text, profile, settings, chosen=chosen)
        conversation, said = begin(services, mode, profile, decision.language)
        greeting = said[0] if said else None
        history = tuple(said)
    else:
        conversation = store.get(owner, request.conversation)
        history = tuple(store.messages(owner, conversation.id, limit=HISTORY))
        metadata, spoken = conversation.metadata, _spoken(conversation, history)
        decision = decide(text, profile, settings, chosen=chosen, spoken=spoken, metadata=metadata)
    turn_id = store.begin_turn(owner, conversation.id, text).id
    if not conversation.title:
        store.update(owner, conversation.id, title=title_of(text))
    if decision.acknowledgement is not None:
        # Kept at once: it is obeyed also when this turn fails.
        metadata = {**conversation.metadata, REQUESTED: decision.language}
        conversation = store.update(owner, conversation.id, metadata=metadata)
    return Question(turn_id, conversation, history, greeting, decision)


def title_of(text: str) -> str:
    """The name of a conversation, from its first question: one line of at most TITLE_CHARS characters."""
    line = sanitize(text, keep_newlines=False)
    return textwrap.shorten(line, TITLE_CHARS, placeholder="…") or line[:TITLE_CHARS]


def _spoken(conversation: Conversation, history: tuple[StoredMessage, ...]) -> Lang | None:
    """The language of a conversation that somebody has spoken in; read off the first user message (000-15)."""
    begun = any(message.sender == "user" for message in history)
    return next((lang for lang in LANGS if begun and lang == conversation.language), None)
