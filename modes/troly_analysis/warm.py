"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

from importlib import import_module


def warm() -> None:
    """Learn the examples, and load what writes and reads queries."""
    import sqlglot

    from troly_analysis.planner import classify
    from troly_analysis.planner.aliases import concept_of
    from troly_analysis.types import Field

    for name in ("troly_analysis.sheets_store", "troly_analysis.tools"):
        import_module(name)
    sqlglot.parse_one("select 1", read="duckdb").sql(dialect="duckdb")
    concept_of(Field("Doanh thu", "number"))
    classify("xin chào", (), ())
    classify("tổng doanh thu tháng này là bao nhiêu?", (), ())
