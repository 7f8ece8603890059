"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations


def warm() -> None:
    """Learn the examples of small talk, and the words that questions are read by."""
    from troly.retrieval.glossary import concepts
    from troly_rag.extracting import asked
    from troly_rag.routing.talking import listen
    from troly_rag.tools import search  # noqa: F401 (what looks into the documents)

    listen("chính sách nghỉ phép")
    asked("chính sách nghỉ phép")
    concepts(["chính", "sách", "nghỉ", "phép"], english=False)
