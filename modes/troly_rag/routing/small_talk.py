"""Tells small talk from questions, and takes greetings off a question (004-18)."""

from __future__ import annotations

from troly.text.catalogue import Lang
from troly.text.everyday import SmallTalk, everyday_phrases, small_talk
from troly.text.match import blank_out, spans_of
from troly_rag.corpus.coverage import question_of
from troly_rag.strings import say

# Kinds that are answered in words of their own; the others with the document's sentence.
_OWN_WORDS = {
    "thanks": "thanks",
    "bye": "bye",
    "identity": "self",
    "ability": "self",
    "chat": "other",
    "ack": "more",
}


def check_small_talk(message: str) -> SmallTalk:
    """What kind of small talk `message` is, or the question in it; what is worked out or known here is none."""
    talk, asked = small_talk(message), question_of(message)
    if asked.names_something or asked.own_figures:
        return talk if talk.kind is None else SmallTalk(None, message.strip())
    said = [hit for hit in everyday_phrases(message) if hit.label == "chat"]
    if talk.kind is None and said and not question_of(blank_out(message, spans_of(said))).tokens:
        return SmallTalk("chat", "")
    return talk


def reply(kind: str, lang: Lang) -> str:
    """The answer to small talk; the document's own sentence to a greeting."""
    return say(f"chitchat.{_OWN_WORDS.get(kind, 'greeting')}", lang)
