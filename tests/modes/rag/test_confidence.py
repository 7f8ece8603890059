"""`confidence_score` means something: on questions that nothing was fitted to, right answers have more of it than others."""

from __future__ import annotations

from pathlib import Path

from tests.support.modes.rag import RagDesk
from troly.conversation.evaluation import read_case_file
from troly.conversation.verdicts import judge

CASES = Path(__file__).parents[3] / "data" / "eval" / "conversations" / "rag.jsonl"
# Those before were measured to draw the line; every eighth one of the others is asked.
MEASURED = 34


async def test_right_answers_rank_above_others_and_it_is_not_more_sure_than_it_is_right(
    desk: RagDesk,
) -> None:
    right: list[float] = []
    other: list[float] = []
    # What it says that it is no answer may hold the right words all the same: the page to look at.
    perhaps: list[float] = []
    for case in read_case_file(CASES).cases[MEASURED::8]:
        desk.become(*(case.permissions or ()), department=case.department)
        for text, expected in zip(case.turns, case.answers, strict=True):
            told = await desk.ask(text, offline=True, now=case.now)
            verdict = judge(expected, told.done, (), lambda *_: "").verdict
            if verdict == "unjudged" or told.done.message_type == "chitchat":
                continue
            answered = told.done.metadata["answered"]
            group = other if verdict != "right" else right if answered else perhaps
            group.append(told.state["confidence_score"])
    assert len(right) > 40
    assert len(other) > 10
    assert _ranked_above(right, [*perhaps, *other]) >= 0.95
    assert _ranked_above(perhaps, other) >= 0.5
    # It is never more sure than it is right.
    assert sum((*right, *perhaps, *other)) <= sum(map(bool, (*right, *perhaps)))


def _ranked_above(some: list[float], others: list[float]) -> float:
    """The share of pairs in which the one of `some` has more, ties counted half."""
    above = sum((one > two) + (one == two) / 2 for one in some for two in others)
    return above / (len(some) * len(others))


async def test_what_nothing_is_found_for_has_no_confidence(desk: RagDesk) -> None:
    assert (await desk.ask("Cổ phiếu công ty giá bao nhiêu?", offline=True)).state["confidence_score"] == 0
