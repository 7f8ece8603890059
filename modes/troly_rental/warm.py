"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Read a question once, and write its query: their words and libraries are there then."""
    from datetime import UTC, datetime

    from troly.retrieval.glossary import concepts
    from troly_rental.ask import explain, read, sql_of
    from troly_rental.reuse_form import form

    for name in ("duckdb", "rapidfuzz.process", "troly.sandbox.guard", "troly_rental.schemas"):
        import_module(name)
    reading = read("phòng dưới 3 triệu ở quận 1", "vi", datetime(2000, 1, 1, tzinfo=UTC))
    query = sql_of(reading, "GUEST")
    query.sql(dialect="duckdb")
    explain(query, "vi")
    form("phòng dưới 3 triệu")
    concepts(["tiền", "cọc"], english=False)
