"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Learn the signs and the notes, and load the library of the memory and the search."""
    from troly.retrieval.search.glossary import concepts
    from troly_dental.guard import danger, judge
    from troly_dental.notes import subjects, word_weight

    danger("răng bị sâu")
    judge("răng bị sâu")
    subjects("răng bị sâu")
    word_weight("răng")
    concepts(["sâu", "răng"], english=False)
    for name in ("mcp", "troly_dental.servers.memory", "troly_dental.mcp.in_process"):
        import_module(name)
