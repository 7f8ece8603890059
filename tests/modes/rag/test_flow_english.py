"""The company assistant asked in English about documents that exist in Vietnamese alone, without a model."""

from __future__ import annotations

import pytest

from tests.support.modes.rag import RagDesk
from troly.text.catalogue import LANGS
from troly_rag.strings import say

QUOTED_VI, QUOTED_EN = (say("answer.other_language", lang) for lang in LANGS)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Where do employees park their motorbikes?", "Nhân viên gửi xe máy ở hầm B1"),
        ("How long is maternity leave for twins?", "sinh đôi thêm 1 tháng"),
        ("How do I book a meeting room?", "Đặt phòng họp trên lịch công ty"),
        ("What is the reward for referring a candidate?", "được thưởng 3.000.000 VND"),
    ],
)
async def test_the_right_page_is_quoted_and_its_language_named(
    desk: RagDesk, question: str, sentence: str
) -> None:
    told = await desk.ask(question, offline=True)
    assert sentence in told.answer
    assert told.answer.startswith(QUOTED_EN)
    assert "Sources:" in told.answer


async def test_a_page_in_the_language_asked_for_needs_no_such_line(desk: RagDesk) -> None:
    english = await desk.ask("How much is overtime paid on public holidays?", offline=True)
    assert "300%" in english.answer
    vietnamese = await desk.ask("Nhân viên gửi xe máy ở đâu?", offline=True)
    assert "hầm B1" in vietnamese.answer
    assert QUOTED_EN not in vietnamese.answer
    assert QUOTED_VI not in vietnamese.answer


async def test_what_no_page_says_is_not_found(desk: RagDesk) -> None:
    told = await desk.ask("Does the company have a swimming pool?", offline=True)
    assert told.answer.startswith("Nothing was found about")
    assert QUOTED_EN not in told.answer
