"""Declares the rental assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import (
    DataStatus,
    Graph,
    Ingest,
    IngestOutcome,
    IngestRequest,
    Mode,
    Opening,
    Outcome,
)
from troly.text.catalogue import LANGS, Lang
from troly_rental.audit import COMMANDS as AUDIT_COMMANDS
from troly_rental.audit import MIGRATION as AUDIT
from troly_rental.data.samples import SAMPLES
from troly_rental.data.status import COMMANDS as STATUS_COMMANDS
from troly_rental.mentions import TALK, mentions
from troly_rental.reuse.commands import COMMANDS as MEMORY_COMMANDS
from troly_rental.reuse.store import MIGRATION as REUSE
from troly_rental.sessions import MIGRATION as SESSIONS
from troly_rental.strings import say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext
    from troly.plugin.services import Services

# The fields of 002-10, 002-19, 002-28 and 002-33 by the document's names, and `filters` in neutral form.
STATE_FIELDS = (
    "message", "requestType", "userRole", "userId", "businessContext", "readyForSql", "intentModeHint", "entityHint",
    "filtersHint", "filters", "sql", "results", "count", "attempts", "isValid", "reason", "kind", "sessionId",
    "timestamp", "payload",
)  # fmt: skip
MESSAGE_TYPES = {"DATA": "data", "CONTENT": "content", "CONTROL": "control"}


def _graph() -> Graph:
    from troly_rental.graph import build

    return build()


def _start(turn: TurnContext) -> dict[str, Any]:
    return {
        "message": "",
        "requestType": "GENERAL_CHAT",
        "userRole": "GUEST",
        "userId": None,
        "businessContext": "",
        "readyForSql": False,
        "intentModeHint": None,
        "entityHint": None,
        "filtersHint": None,
        "filters": [],
        "sql": "",
        "results": [],
        "count": 0,
        "attempts": 0,
        "isValid": None,
        "reason": None,
        "kind": "CONTENT",
        "sessionId": "",
        "timestamp": turn.now.isoformat(),
        "payload": None,
        "response_text": "",
    }


def _finish(state: Mapping[str, Any]) -> Outcome:
    metadata = {"kind": state["kind"], "label": state["userRole"]}
    if state.get("response_text"):
        metadata["response_text"] = state["response_text"]
    kind = MESSAGE_TYPES.get(state["kind"], "answer")
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


def _opening(services: Services, lang: Lang) -> Opening:
    return Opening(services.personas.load("rental", lang).greeting)


def _holdings(services: Services, lang: Lang) -> DataStatus:
    from troly_rental.data.status import holdings

    return holdings(services, lang)


def _warm() -> None:
    """Read a question once, and write its query: their words and libraries are there then."""
    from datetime import UTC, datetime

    from troly.retrieval.search.glossary import concepts
    from troly_rental.question.parser import parse_question
    from troly_rental.reuse.form import question_form
    from troly_rental.sql.builder import build_query
    from troly_rental.sql.explanation import explain_query

    for name in ("duckdb", "rapidfuzz.process", "troly.sandbox.guard", "troly_rental.graph"):
        import_module(name)
    parsed = parse_question("phòng dưới 3 triệu ở quận 1", "vi", datetime(2000, 1, 1, tzinfo=UTC))
    query = build_query(parsed)
    query.sql(dialect="duckdb")
    explain_query(query, "vi")
    question_form("phòng dưới 3 triệu")
    concepts(["tiền", "cọc"], english=False)


def _run_ingest(request: IngestRequest) -> IngestOutcome:
    from troly_rental.data.ingest import run_ingest

    return run_ingest(request)


INGESTS = (
    Ingest(
        name="rental",
        help={lang: say("load.help", lang) for lang in LANGS},
        example="app ingest rental data-cho-thue/\napp ingest rental tin-dang.csv --errors loi.csv",
        run=_run_ingest,
    ),
)

MODE = Mode(
    id="rental",
    names={"vi": "Phòng trọ", "en": "Rentals"},
    summaries={
        "vi": "Tìm phòng trọ và xem thị trường cho thuê.",
        "en": "Find rooms and read the rental market.",
    },
    persona="rental",
    accent="#6fbf73",
    icon="⌂",
    warm=_warm,
    first_questions={lang: tuple(say(f"first.{place}", lang) for place in (1, 2, 3)) for lang in LANGS},
    graph=_graph,
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    opening=_opening,
    holdings=_holdings,
    roles=("chat", "small"),
    migrations=(SESSIONS, REUSE, AUDIT),
    ingests=INGESTS,
    commands=(*STATUS_COMMANDS, *AUDIT_COMMANDS, *MEMORY_COMMANDS),
    samples=SAMPLES,
    talk=TALK,
    mentions=mentions,
)
