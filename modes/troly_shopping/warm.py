"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

import duckdb  # noqa: F401 (what the lists are read with)

from troly_shopping.dialogue import dialogue_phrases
from troly_shopping.intent import MessagePhrases, score_intents


def warm() -> None:
    """Learn the examples and read the lists once: a quarter of a second that the first answer does not wait for."""
    score_intents(MessagePhrases("shop có bán laptop không"))
    dialogue_phrases("")
