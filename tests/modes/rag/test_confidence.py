"""`confidence_score` means something: on questions that nothing was fitted to, right answers have more of it than others."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from tests.support.modes.rag import RagDesk
from tests.support.modes.rag_questions import pairs_of
from troly.conversation.evaluation import read_case_file
from troly.conversation.verdicts import judge
from troly.plugin.events import Sources
from troly_rag.corpus.cards import Cards

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


class Outcome(NamedTuple):
    """The figure shown for a question, whether it was answered, and whether the right page stands under it; None: no page is right."""

    figure: float
    answered: bool
    right: bool | None


async def outcomes_of(desk: RagDesk, name: str) -> list[Outcome]:
    urls = {card.path: card.url for card in Cards(desk.services.index).all()}
    found = []
    for documents, question in pairs_of(name):
        desk.become("private", department="it" if documents.startswith("it/") else "hr")
        told = await desk.ask(question, offline=True)
        right = {urls[f"sample:{one}"] for one in documents.split(",") if one != "-"}
        shown = {one.url for sources in told.all(Sources) for one in sources.items}
        answered = bool(shown) and told.done.metadata["answered"]
        hit = bool(shown & right) if right or shown else None
        found.append(Outcome(told.state["confidence_score"], answered, hit))
    return found


async def test_a_figure_shown_is_the_share_measured_where_half_of_the_questions_have_no_page(
    desk: RagDesk,
) -> None:
    shown: dict[float, list[bool]] = defaultdict(list)
    for one in await outcomes_of(desk, "held_out_questions"):
        shown[one.figure].append(bool(one.right))
    assert sum(map(len, shown.values())) > 100
    assert len(shown) > 3
    for figure, hits in shown.items():
        # Twice the spread that a share has by chance.
        band = 2 * math.sqrt(max(figure * (1 - figure), 0.01) / len(hits))
        assert abs(sum(hits) / len(hits) - figure) <= band, (figure, sum(hits), len(hits))


async def test_a_plain_question_leads_to_its_page_and_hardly_one_to_another(desk: RagDesk) -> None:
    found = await outcomes_of(desk, "plain_questions")
    paged = [
        one
        for one, (documents, _) in zip(found, pairs_of("plain_questions"), strict=True)
        if documents != "-"
    ]
    assert len(paged) > 100
    assert sum(bool(one.right) for one in paged) >= 0.9 * len(paged)
    assert sum(one.answered and not one.right for one in found) <= 0.03 * len(found)


async def test_what_nothing_is_found_for_has_no_confidence(desk: RagDesk) -> None:
    assert (await desk.ask("Cổ phiếu công ty giá bao nhiêu?", offline=True)).state["confidence_score"] == 0
