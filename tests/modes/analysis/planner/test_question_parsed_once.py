"""A turn understands its message once: the classifier, the planner and the suggestions share one parse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.modes.analysis import Analyst
from troly.plugin.events import Suggestions
from troly_analysis.planner import planner
from troly_analysis.planner.reader import read_question


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that were parsed, one entry for each sheet."""
    seen: list[str] = []

    def counted(message: str, *rest: Any, **more: Any) -> Any:
        seen.append(message)
        return read_question(message, *rest, **more)

    monkeypatch.setattr(planner, "read_question", counted)
    return seen


async def test_a_turn_parses_its_message_once(analyst: Analyst, parses: list[str]) -> None:
    await analyst.ask("Top 5 sản phẩm bán chạy nhất quý 3", offline=True)
    assert parses == ["Top 5 sản phẩm bán chạy nhất quý 3"]


async def test_a_suggestion_that_is_sent_is_not_parsed_at_all(analyst: Analyst, parses: list[str]) -> None:
    first = await analyst.ask("Tổng doanh thu là bao nhiêu?", offline=True)
    (offered,) = first.all(Suggestions)
    parses.clear()
    answered = await analyst.ask(offered.questions[0], offline=True)
    assert parses == []
    assert answered.done.state["result"]["kind"] == "rows"
