"""Conversations that wait for a person, on both databases: what colleagues wrote is told once, in order, to its owner."""

from __future__ import annotations

import pytest

from tests.support.stores.real import Stores
from troly.errors import AccessError
from troly.stores.handovers import Handovers


def test_words_of_staff_are_told_in_order_behind_the_known_one_and_to_nobody_else(stores: Stores) -> None:
    store = stores.conversations
    handovers = Handovers(store)
    conversation = store.create("an", "shopping").id
    asked = store.add_message("an", conversation, "user", "cho gặp người")
    assert handovers.words("an", conversation) == ([], False)
    handovers.add(conversation, "khách hỏi", "asked")
    (waiting,) = handovers.list("lan", staff=True)
    one, two = (handovers.answer(waiting.id, "lan", text, staff=True) for text in ("một", "hai"))
    store.add_message("an", conversation, "assistant", "không phải người")
    # Any message can be the known one; one that is not there is none.
    assert handovers.words("an", conversation) == ([one, two], True)
    assert handovers.words("an", conversation, asked.id) == ([one, two], True)
    assert handovers.words("an", conversation, one.id) == ([two], True)
    assert handovers.words("an", conversation, "gone") == ([one, two], True)
    assert handovers.words("binh", conversation) == ([], False)
    with pytest.raises(AccessError, match="lan"):
        handovers.answer(waiting.id, "mai", "ba", staff=True)
    handovers.close(waiting.id, "lan", staff=True)
    assert handovers.words("an", conversation, two.id) == ([], False)


def test_who_answers_is_known_from_taking_to_closing(stores: Stores) -> None:
    store = stores.conversations
    handovers = Handovers(store)
    conversation = store.create("an", "shopping").id
    handovers.add(conversation, "khách hỏi", "asked")
    assert handovers.colleague("an", conversation) == ""
    (waiting,) = handovers.list("lan", staff=True)
    handovers.take(waiting.id, "lan", staff=True)
    assert handovers.colleague("an", conversation) == "lan"
    handovers.answer(waiting.id, "lan", "một", staff=True, name="Chị Lan")
    assert handovers.colleague("an", conversation) == "Chị Lan"
    assert handovers.colleague("binh", conversation) == ""
    handovers.close(waiting.id, "lan", staff=True)
    assert handovers.colleague("an", conversation) == ""
