"""A question is parsed once a turn, and the parse is handed through the four agents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.rental.desk import RentalDesk
from troly_rental.agents import session
from troly_rental.question import parser, parts
from troly_rental.reuse import matches


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a message was parsed, its spelling corrected, its words looked up and its form for reuse made."""
    counted: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def counting(*args: Any, **more: Any) -> Any:
            counted[name] += 1
            return real(*args, **more)

        monkeypatch.setattr(module, name, counting)

    count(session, "parse_question")
    count(parser, "parse_parts")
    count(parts, "correct_spelling")
    count(matches, "question_form")
    return counted


@pytest.mark.parametrize(
    ("login", "question"),
    [
        ("nobody", "phòng dưới 3 triệu ở quận 1 có máy lạnh"),
        ("nobody", "giá trung bình theo quận"),
        ("minh", "tổng hóa đơn của tôi"),
        ("lan", "doanh thu tháng này"),
    ],
)
async def test_a_query_is_parsed_once(
    desk: RentalDesk, calls: Counter[str], login: str, question: str
) -> None:
    desk.become(login)
    told = await desk.ask(question)
    assert told.state["kind"] == "DATA"
    assert calls == {"parse_question": 1, "parse_parts": 1, "correct_spelling": 1, "question_form": 1}


async def test_a_change_of_the_query_and_a_row_pointed_at_are_parsed_once(
    desk: RentalDesk, calls: Counter[str]
) -> None:
    desk.become("nobody")
    await desk.ask("phòng dưới 4 triệu ở quận 1")
    for follow_up in ("rẻ hơn nữa", "cái thứ hai bao nhiêu tiền"):
        calls.clear()
        await desk.ask(follow_up)
        # What goes on from a conversation is compared with no stored question.
        assert calls == {"parse_question": 1, "parse_parts": 1, "correct_spelling": 1}


async def test_talk_is_parsed_once_and_never_compared_with_stored_questions(
    desk: RentalDesk, calls: Counter[str]
) -> None:
    desk.become("nobody")
    await desk.ask("xin chào")
    assert calls == {"parse_question": 1}
