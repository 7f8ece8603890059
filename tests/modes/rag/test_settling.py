"""Contradictions between sources are found in their sentences, weighed by the configuration, and shown side by side."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from troly.paths import Paths
from troly_rag.answer.evidence import SourceEvidence, cards, dated
from troly_rag.config import RagConfig, load
from troly_rag.conflicts.contradictions import conflict_card, find_conflicts

NOW = datetime(2026, 11, 22, 2, tzinfo=UTC)


@pytest.fixture
def config(tmp_path: Path) -> RagConfig:
    return load(Paths.resolve({"TROLY_HOME": str(tmp_path)}))


def source(
    agent: str, text: str, scope: str, days: int, *, relevance: float = 0.9, superseded: bool = False
) -> SourceEvidence:
    return SourceEvidence(
        f"https://intra.company/{agent}/{days}", NOW - timedelta(days=days), scope, relevance,
        title=f"Văn bản {agent} {days}", text=text, agent=agent, superseded=superseded,
    )  # fmt: skip


HR = "Nhân viên đi muộn quá 3 lần trong tháng bị trừ lương."
OLD = "Nhân viên đi muộn quá 5 lần trong tháng bị trừ lương."


def test_another_figure_for_the_same_thing_is_a_conflict_that_hr_wins(config: RagConfig) -> None:
    found = find_conflicts(
        [source("general", OLD, "public", 200), source("hr", HR, "private", 10)], config, NOW, "hr_policies"
    )
    assert [one.winners[0].candidate.agent for one in found.conflicts] == ["hr"]
    assert found.policy == "prefer_hr_if_internal"
    assert found.decided == 1
    card = conflict_card(found.conflicts[0], NOW, "vi")
    assert [(side.text, side.wins) for side in card.sides] == [(HR, True), (OLD, False)]
    assert "hr" in card.rule


def test_yes_and_no_of_the_same_thing_is_a_conflict(config: RagConfig) -> None:
    yes = source("hr", "Nhân viên thử việc được làm việc từ xa hai ngày.", "private", 5)
    no = source("general", "Nhân viên thử việc không được làm việc từ xa.", "public", 300)
    assert len(find_conflicts([yes, no], config, NOW).conflicts) == 1


@pytest.mark.parametrize(
    "other",
    [
        "Nhân viên đi muộn quá 3 lần trong tháng bị trừ lương và nhắc nhở.",
        "Máy chủ khởi động lại lúc 5 giờ sáng hằng ngày.",
        "Lương được trả vào ngày 5 hằng tháng qua tài khoản ngân hàng.",
        "Các lần đi muộn này không trừ vào phép năm.",
    ],
)
def test_sources_that_agree_or_speak_of_something_else_are_no_conflict(config: RagConfig, other: str) -> None:
    assert (
        find_conflicts(
            [source("hr", HR, "private", 5), source("general", other, "public", 9)], config, NOW
        ).conflicts
        == ()
    )


def test_a_tie_has_no_loser(config: RagConfig) -> None:
    found = find_conflicts([source("hr", HR, "private", 5), source("hr", OLD, "internal", 6)], config, NOW)
    assert found.conflicts[0].tie
    assert found.losers == frozenset()
    assert found.policy == "tie_show_all"
    assert conflict_card(found.conflicts[0], NOW, "en").tie


def test_a_replaced_version_loses(config: RagConfig) -> None:
    found = find_conflicts(
        [source("hr", OLD, "private", 1, superseded=True), source("hr", HR, "private", 400)], config, NOW
    )
    assert found.policy == "prefer_current_version"
    assert len(found.losers) == 1


def test_cards_carry_scope_date_and_age(config: RagConfig) -> None:
    one = source("hr", HR, "private", 20)
    card = cards([one], NOW, "vi").items[0]
    assert dict(card.facts)["Phạm vi"] == "private"
    assert dict(card.facts)["Ban hành"] == "20 ngày trước"
    assert dated(one, NOW, "vi") == "theo văn bản ngày 2/11/2026, 20 ngày trước"
    assert one.as_dict() == {
        "url": "https://intra.company/hr/20",
        "created_at": "2026-11-02T02:00:00Z",
        "source_type": "rag",
        "scope": "private",
        "relevance_score": 0.9,
    }
