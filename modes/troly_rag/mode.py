"""Declares the company assistant; nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troly.plugin.contract import Lazy, Mode, Outcome, Purpose, Samples
from troly.text.catalogue import LANGS
from troly_rag.commands import COMMANDS, INGESTS
from troly_rag.corpus.cards import MIGRATION
from troly_rag.state import STATE_FIELDS, empty_state
from troly_rag.strings import TEXTS, say


def _finish(state: Mapping[str, Any]) -> Outcome:
    work = state.get("work")
    metadata: dict[str, Any] = {}
    if work is not None and hasattr(work, "execution"):
        # The agents' outputs (004-19) are kept with the answer.
        metadata = {"agent_outputs": list(work.execution.records)}
    chitchat = state["routing"].get("is_chitchat")
    return Outcome(
        {name: state[name] for name in STATE_FIELDS},
        message_type="chitchat" if chitchat else "answer",
        metadata=metadata,
    )


MODE = Mode(
    id="rag",
    texts=TEXTS,
    names={"vi": "Nội bộ", "en": "Company"},
    summaries={
        "vi": "Hỏi chính sách công ty, câu trả lời có căn cứ.",
        "en": "Company policies, answered with evidence.",
    },
    persona="rag",
    accent="#bb9af7",
    order=50,
    about=Purpose(
        {"vi": "Chính sách và quy định của công ty.", "en": "Company policies and rules."},
        {
            "vi": ("Nghỉ phép năm được mấy ngày?", "Mật khẩu phải dài bao nhiêu ký tự?"),
            "en": ("How many days of annual leave do I have?", "How long must a password be?"),
        },
    ),
    icon="§",
    warm=Lazy("troly_rag.nodes:warm"),
    first_questions={lang: tuple(say(f"first.{place}", lang) for place in (1, 2, 3)) for lang in LANGS},
    graph=Lazy("troly_rag.graph:build"),
    start=lambda _turn: empty_state(),
    finish=_finish,
    state_fields=STATE_FIELDS,
    data_status=Lazy("troly_rag.samples:data_status"),
    roles=("chat", "small"),
    migrations=(MIGRATION,),
    ingests=INGESTS,
    commands=COMMANDS,
    samples=Samples(
        load=Lazy("troly_rag.samples:load"),
        remove=Lazy("troly_rag.samples:remove"),
        loaded=Lazy("troly_rag.samples:loaded"),
    ),
    mentions=Lazy("troly_rag.samples:mentions"),
)
