"""Loads what the first answer would wait for, on a thread, when the assistant is shown."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb  # noqa: F401 (what queries run on)
import rapidfuzz.process  # noqa: F401

from troly.retrieval.search.glossary import concepts
from troly.sandbox import guard  # noqa: F401
from troly_rental import graph  # noqa: F401
from troly_rental.question.parser import parse_question
from troly_rental.reuse.form import question_form
from troly_rental.sql.builder import build_query
from troly_rental.sql.explanation import explain_query


def warm() -> None:
    """Read a question once, and write its query: their words and libraries are there then."""
    parsed = parse_question("phòng dưới 3 triệu ở quận 1", "vi", datetime(2000, 1, 1, tzinfo=UTC))
    query = build_query(parsed)
    query.sql(dialect="duckdb")
    explain_query(query, "vi")
    question_form("phòng dưới 3 triệu")
    concepts(["tiền", "cọc"], english=False)
