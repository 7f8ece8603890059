"""`app memory` and `app rental audit`: own entries only, everybody's for a lead; wrong numbers are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.modes.rental.reuse.services import MODE, ROLE, SCHEMA, reuse_at
from tests.support.stores.services import profile
from troly.config.users import Profile
from troly.plugin.contract import CommandRequest, CommandResult
from troly.plugin.services import Services
from troly_rental import audit
from troly_rental.audit import Audit
from troly_rental.reuse import commands
from troly_rental.reuse.matches import QuestionReuse, ReuseQuestion

LEAD = replace(profile("truong"), role="lead")
COMMANDS = {command.path: command for command in (*commands.COMMANDS, *audit.COMMANDS)}


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with reuse_at(tmp_path / "home") as opened:
        yield opened


def _run(
    services: Services, path: str, who: Profile, values: Mapping[str, str] | None = None
) -> CommandResult:
    request = CommandRequest(services, who, services.clock() + timedelta(days=2), "vi", dict(values or {}))
    return COMMANDS[tuple(path.split())].run(request)


async def _two(services: Services) -> None:
    reuse = QuestionReuse(services)
    for number, user in ((1, "an"), (2, "binh")):
        kept = await reuse.store(
            ReuseQuestion.of(f"phòng quận {number}", [], ROLE, MODE, SCHEMA),
            f"SELECT {number}",
            "valid",
            user=user,
        )
        assert kept == number


async def test_memory_lists_own_entries_and_everybodys_for_a_lead(services: Services) -> None:
    await _two(services)
    own = _run(services, "memory list", profile("an"))
    assert own.table is not None
    assert [row[:2] for row in own.table.rows] == [("1", "phòng quận 1")]
    every = _run(services, "memory list", LEAD)
    assert every.records is not None
    assert [record["number"] for record in every.records] == [2, 1]
    assert _run(services, "memory list", profile("chi")).summary.startswith("Chưa có câu nào")


async def test_memory_shows_one_with_its_sql_age_and_state(services: Services) -> None:
    await _two(services)
    shown = _run(services, "memory show", profile("an"), {"number": "#1"}).text
    assert "#1 · phòng quận 1" in shown
    assert "SELECT 1" in shown
    assert "lưu 2 ngày trước" in shown
    assert "dùng được" in shown


@pytest.mark.parametrize("name", ["show", "forget"])
@pytest.mark.parametrize("number", ["2", "99", "một", "", "1; DROP"])
async def test_a_number_that_is_not_ones_own_is_told(services: Services, name: str, number: str) -> None:
    await _two(services)
    told = _run(services, f"memory {name}", profile("an"), {"number": number})
    assert told.exit_code == 3
    assert f"`{number}`" in told.problems[0]
    assert len(_run(services, "memory list", LEAD).records or ()) == 2


async def test_memory_forgets_one(services: Services) -> None:
    await _two(services)
    assert _run(services, "memory forget", profile("an"), {"number": "1"}).exit_code == 0
    assert (
        await QuestionReuse(services).find(ReuseQuestion.of("phòng quận 1", [], ROLE, MODE, SCHEMA))
    ).kind != "hard"
    assert _run(services, "memory forget", profile("an"), {"number": "1"}).exit_code == 3


def _log(services: Services, user: str, question: str = "phòng quận 1") -> None:
    Audit(services).log(
        question=question, sql="SELECT 1", rows=7, role="TENANT", user=user, at=services.clock()
    )


def test_audit_lists_own_lines_and_everybodys_for_a_lead(services: Services) -> None:
    assert _run(services, "rental audit", profile("an")).summary == "Chưa có truy vấn nào được ghi."
    for user in ("an", "binh", "an"):
        _log(services, user)
    own = _run(services, "rental audit", profile("an"))
    assert own.table is not None
    assert own.table.rows[0] == ("2026-11-22 09:00", "an", "TENANT", "phòng quận 1", "7", "SELECT 1")
    assert len(own.table.rows) == 2
    assert len(_run(services, "rental audit", LEAD).records or ()) == 3
    assert len(_run(services, "rental audit", LEAD, {"last": "1"}).records or ()) == 1
    allowed = replace(profile("chi"), permissions=frozenset({"audit"}))
    assert len(_run(services, "rental audit", allowed).records or ()) == 3


@pytest.mark.parametrize("last", ["0", "-1", "mười", "1e3", "99999999999", "²"])
def test_a_wrong_number_of_lines_is_told(services: Services, last: str) -> None:
    told = _run(services, "rental audit", profile("an"), {"last": last})
    assert told.exit_code == 3
    assert f"`{last}`" in told.problems[0]


def test_the_log_keeps_its_newest_lines(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "KEPT", 3)
    for number in range(6):
        _log(services, "an", f"câu {number}")
    found = Audit(services).list(profile("an"), 100)
    assert [line.question for line in found] == ["câu 5", "câu 4", "câu 3"]
    assert found[0].at == services.clock()


async def test_memory_confirm_lets_a_models_query_be_reused(services: Services) -> None:
    reuse, now = QuestionReuse(services), services.clock()
    asked = ReuseQuestion.of("phòng quận 3", [], ROLE, MODE, SCHEMA)
    number = await reuse.store(asked, "SELECT 3", "valid", confirmed=False, user="an")
    assert (await reuse.find(asked, now=now)).kind == "none"
    listed = _run(services, "memory list", profile("an"))
    assert listed.records is not None
    assert listed.records[0]["confirmed"] is False
    assert _run(services, "memory confirm", profile("binh"), {"number": str(number)}).exit_code == 3
    assert _run(services, "memory confirm", profile("an"), {"number": str(number)}).exit_code == 0
    assert (await reuse.find(asked, now=now)).kind == "hard"
    # What a model writes later does not take its place.
    assert await reuse.store(asked, "SELECT 4", "valid", confirmed=False, user="an") is None
    match = await reuse.find(asked, now=now)
    assert match.entry is not None
    assert match.entry.sql == "SELECT 3"
