"""Tells what kind of message it is (002-07): a query, a greeting, something unclear, or other talk."""

from __future__ import annotations

from functools import cache
from typing import Literal

from troly.text.classifier import ExampleClassifier
from troly.text.fold import folded_words
from troly_rental.ask.words import LEXICONS, phrases

Talk = Literal["QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT", "REFUSED"]
_FEW = 4


def talk_of(text: str, *, slots: int, entity: bool, asked: bool, sure: bool) -> Talk:
    """The kind of `text`, given how many conditions were found, whether a thing to look for is named, figures asked;
    `sure` when figures of rooms or one's own records are asked for.

    "REFUSED" is a wish to change data or to see what belongs to others.
    """
    hits = {hit.label for hit in phrases("talk").find(text)}
    label = _classifier().best(text)
    if phrases("talk", "forbidden").find(text):
        return "REFUSED"
    advice = bool(phrases("talk", "how to").find(text))
    if sure or slots >= 2 or (slots and (entity or asked)):
        return "GENERAL_CHAT" if advice and not slots and not asked else "QUERY"
    if advice and not slots:
        return "GENERAL_CHAT"
    if slots:
        return (
            "QUERY"
            if slots and (entity or "find" in hits or len(folded_words(text)) <= _FEW)
            else _learned(text)
        )
    if entity and (asked or "find" in hits) and label.label != "GENERAL_CHAT":
        return "QUERY"
    if "greeting" in hits and len(folded_words(text)) <= _FEW:
        return "GREETING"
    return _learned(text, entity=entity)


def _learned(text: str, *, entity: bool = False) -> Talk:
    for scored in _classifier().classify(text):
        label: Talk | None = next((talk for talk in _TALKS if talk == scored.label), None)
        if scored.label == "unknown":
            return "QUERY" if entity else "GENERAL_CHAT"
        if label == "QUERY" and not entity:
            return "CLARIFICATION"
        if label is not None:
            return label
    return "GENERAL_CHAT"


_TALKS: tuple[Talk, ...] = ("QUERY", "GREETING", "CLARIFICATION", "GENERAL_CHAT", "REFUSED")


@cache
def _classifier() -> ExampleClassifier:
    return ExampleClassifier.load(LEXICONS / "talk_examples.txt")
