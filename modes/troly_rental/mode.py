"""Declares the rental assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import Ingest, Lazy, Mode, Outcome, Purpose, QueryEditor, Samples
from troly.text.catalogue import LANGS
from troly_rental.audit import COMMANDS as AUDIT_COMMANDS
from troly_rental.audit import MIGRATION as AUDIT
from troly_rental.data.status import COMMANDS as STATUS_COMMANDS
from troly_rental.mentions import TALK
from troly_rental.reuse.commands import COMMANDS as MEMORY_COMMANDS
from troly_rental.reuse.commands import MEMORIES
from troly_rental.reuse.store import CONFIRMED_MIGRATION as REUSE_CONFIRMED
from troly_rental.reuse.store import MIGRATION as REUSE
from troly_rental.sessions import MIGRATION as SESSIONS
from troly_rental.sessions import PROMPT_MIGRATION as SESSION_PROMPT
from troly_rental.settings import RentalSettings
from troly_rental.strings import TEXTS, say

if TYPE_CHECKING:
    from troly.plugin.context import TurnContext

# The fields of 002-10, 002-19, 002-28 and 002-33 by the document's names, and `filters` in neutral form.
STATE_FIELDS = (
    "message", "requestType", "userRole", "userId", "businessContext", "readyForSql", "intentModeHint", "entityHint",
    "filtersHint", "filters", "sql", "results", "count", "attempts", "isValid", "reason", "kind", "sessionId",
    "timestamp", "payload",
)  # fmt: skip
MESSAGE_TYPES = {"DATA": "data", "CONTENT": "content", "CONTROL": "control"}


def _start(turn: TurnContext) -> dict[str, Any]:
    texts = dict.fromkeys(("message", "businessContext", "sql", "sessionId", "response_text"), "")
    kinds = {"requestType": "GENERAL_CHAT", "userRole": "GUEST", "readyForSql": False, "kind": "CONTENT"}
    nothing = {"filters": [], "results": [], "count": 0, "attempts": 0}
    return {**dict.fromkeys(STATE_FIELDS), **texts, **kinds, **nothing, "timestamp": turn.now.isoformat()}


def _finish(state: Mapping[str, Any]) -> Outcome:
    metadata = {"kind": state["kind"], "label": state["userRole"]}
    if state.get("response_text"):
        metadata["response_text"] = state["response_text"]
    kind = MESSAGE_TYPES.get(state["kind"], "answer")
    return Outcome({name: state[name] for name in STATE_FIELDS}, message_type=kind, metadata=metadata)


MODE = Mode(
    id="rental",
    texts=TEXTS,
    names={"vi": "Phòng trọ", "en": "Rentals"},
    summaries={
        "vi": "Tìm phòng trọ và xem thị trường cho thuê.",
        "en": "Find rooms and read the rental market.",
    },
    persona="rental",
    accent="#6fbf73",
    order=30,
    about=Purpose(
        {"vi": "Phòng trọ và thị trường cho thuê.", "en": "Rooms for rent and the rental market."},
        {
            "vi": ("Phòng dưới 3 triệu ở Gò Vấp?", "Hợp đồng của tôi còn bao lâu?"),
            "en": ("Rooms under 3 million in Gò Vấp?", "How long does my contract run?"),
        },
    ),
    icon="⌂",
    warm=Lazy("troly_rental.warm:warm"),
    first_questions={lang: tuple(say(f"first.{place}", lang) for place in (1, 2, 3)) for lang in LANGS},
    graph=Lazy("troly_rental.graph:build"),
    start=_start,
    finish=_finish,
    state_fields=STATE_FIELDS,
    data_status=Lazy("troly_rental.data.status:data_status"),
    roles=("chat",),
    settings={"rental": RentalSettings},
    migrations=(SESSIONS, REUSE, AUDIT, SESSION_PROMPT, REUSE_CONFIRMED),
    ingests=(
        Ingest(
            name="rental",
            help=TEXTS.both("load.help"),
            example="app ingest rental data-cho-thue/\napp ingest rental tin-dang.csv --errors loi.csv",
            run=Lazy("troly_rental.data.ingest:run_ingest"),
        ),
    ),
    commands=(*STATUS_COMMANDS, *AUDIT_COMMANDS, *MEMORY_COMMANDS),
    samples=Samples(
        load=Lazy("troly_rental.data.samples:load"),
        remove=Lazy("troly_rental.data.samples:remove"),
        loaded=Lazy("troly_rental.data.samples:loaded"),
        people={"landlord": "lan", "tenant": "minh"},
    ),
    talk=TALK,
    mentions=Lazy("troly_rental.mentions:mentions"),
    memories=MEMORIES,
    queries=QueryEditor(
        "sql",
        Lazy("troly_rental.sql.own:own_tables"),
        Lazy("troly_rental.sql.own:run_own"),
        Lazy("troly_rental.sql.own:own_example"),
    ),
)
