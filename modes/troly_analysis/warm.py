"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

import duckdb  # noqa: F401 (what queries run on)
import sqlglot

from troly.text.dates import system_clock
from troly_analysis import nodes  # noqa: F401
from troly_analysis.agent import tools  # noqa: F401
from troly_analysis.planner import analyse_question, classify
from troly_analysis.planner.schema import concept_of
from troly_analysis.query import aggregates  # noqa: F401
from troly_analysis.sheets import store  # noqa: F401
from troly_analysis.types import Field


def warm() -> None:
    """Learn the examples, and load what writes and reads queries."""
    sqlglot.parse_one("select 1", read="duckdb").sql(dialect="duckdb")
    concept_of(Field("Doanh thu", "number"))
    for text in ("xin chào", "tổng doanh thu tháng này là bao nhiêu?"):
        classify(analyse_question(text, (), system_clock()))
