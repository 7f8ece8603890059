"""Whatever two people do in whatever order: each sees all of their own, nothing else, and pages join without a gap."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
)

from tests.support.stores.real import open_stores
from troly.errors import AccessError
from troly.stores.records import NewMessage

OWNERS = ("an", "binh")
owners = st.sampled_from(OWNERS)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


@dataclass
class Known:
    """What a conversation must hold."""

    owner: str
    mode: str
    texts: list[str] = field(default_factory=list)
    deleted: bool = False


class TwoPeople(RuleBasedStateMachine):
    """The store against plain dictionaries."""

    conversations: Bundle[str] = Bundle("conversations")
    running: Bundle[tuple[str, str]] = Bundle("running")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.stores = open_stores(Path(self.folder.name))
        self.store = self.stores.conversations
        self.known: dict[str, Known] = {}

    def teardown(self) -> None:
        self.stores.close()
        self.folder.cleanup()

    def open_to(self, owner: str, conversation: str) -> bool:
        known = self.known[conversation]
        return known.owner == owner and not known.deleted

    @rule(target=conversations, owner=owners, mode=st.sampled_from(["rag", "shopping"]))
    def create(self, owner: str, mode: str) -> str:
        made = self.store.create(owner, mode)
        self.known[made.id] = Known(owner, mode)
        return made.id

    @rule(owner=owners, conversation=conversations, text=texts)
    def add(self, owner: str, conversation: str, text: str) -> None:
        if self.open_to(owner, conversation):
            assert self.store.add_message(owner, conversation, "user", text).text == text
            self.known[conversation].texts.append(text)
        else:
            with pytest.raises(AccessError):
                self.store.add_message(owner, conversation, "user", text)

    @rule(target=running, owner=owners, conversation=conversations, text=texts)
    def begin(
        self, owner: str, conversation: str, text: str
    ) -> MultipleResults[tuple[str, str]] | tuple[str, str]:
        if self.open_to(owner, conversation):
            turn = self.store.begin_turn(owner, conversation, text)
            self.known[conversation].texts.append(text)
            return (turn.id, conversation)
        with pytest.raises(AccessError):
            self.store.begin_turn(owner, conversation, text)
        return multiple()

    @rule(turn=consumes(running), owner=owners, answers=st.lists(texts, max_size=3))
    def finish(self, turn: tuple[str, str], owner: str, answers: list[str]) -> None:
        turn_id, conversation = turn
        messages = [NewMessage("assistant", text) for text in answers]
        if self.open_to(owner, conversation):
            self.store.finish_turn(owner, turn_id, status="completed", messages=messages)
            self.known[conversation].texts += answers
        else:
            with pytest.raises(AccessError):
                self.store.finish_turn(owner, turn_id, status="completed", messages=messages)

    @rule(owner=owners, conversation=conversations)
    def delete_or_restore(self, owner: str, conversation: str) -> None:
        known = self.known[conversation]
        act = self.store.restore if known.deleted else self.store.delete
        if known.owner == owner:
            act(owner, conversation)
            known.deleted = not known.deleted
        else:
            with pytest.raises(AccessError):
                act(owner, conversation)

    @rule(owner=owners, conversation=conversations, pinned=st.booleans())
    def pin(self, owner: str, conversation: str, pinned: bool) -> None:
        if self.open_to(owner, conversation):
            self.store.update(owner, conversation, pinned=pinned)

    @rule(owner=owners, size=st.integers(1, 4))
    def list_in_pages(self, owner: str, size: int) -> None:
        whole = [conversation.id for conversation in self.store.list(owner)]
        assert set(whole) == {name for name in self.known if self.open_to(owner, name)}
        paged: list[str] = []
        while page := self.store.list(owner, limit=size, before=paged[-1] if paged else None):
            assert len(page) <= size
            paged += [conversation.id for conversation in page]
        assert paged == whole

    @rule(conversation=conversations, size=st.integers(1, 4))
    def messages_in_pages(self, conversation: str, size: int) -> None:
        known = self.known[conversation]
        if known.deleted:
            return
        read: list[str] = []
        before = None
        while page := self.store.messages(known.owner, conversation, limit=size, before=before):
            read = [message.text for message in page] + read
            before = page[0].id
        assert read == known.texts

    @rule(owner=owners, text=texts)
    def search(self, owner: str, text: str) -> None:
        for hit in self.store.search(owner, text, 50):
            assert self.open_to(owner, hit.conversation_id)

    @invariant()
    def nothing_is_lost(self) -> None:
        for name, known in self.known.items():
            if not known.deleted:
                export = self.store.export(known.owner, name)
                assert [message.text for message in export.messages] == known.texts


TestTwoPeople = TwoPeople.TestCase
TestTwoPeople.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
