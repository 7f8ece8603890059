"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

from troly.retrieval.search.glossary import concepts
from troly_rag.corpus.coverage import figure_request
from troly_rag.routing.small_talk import check_small_talk
from troly_rag.tools import documents  # noqa: F401 (what looks into the documents)


def warm() -> None:
    """Learn the examples of small talk, and the words that questions are read by."""
    check_small_talk("chính sách nghỉ phép")
    figure_request("chính sách nghỉ phép")
    concepts(["chính", "sách", "nghỉ", "phép"], english=False)
