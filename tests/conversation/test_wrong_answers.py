"""An answer marked as wrong is not reused by any mode that reuses, and becomes a case that the evaluation reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.modes.desk import Told
from tests.support.modes.made import Plan, planned_mode, registry_of
from tests.support.modes.replays import Person, person_at
from tests.support.ollama.double import OllamaDouble
from tests.support.stores.services import profile, services_at
from troly.conversation.evaluation import accepts, evaluate, practice_session, read_case_file
from troly.conversation.session import Session
from troly.conversation.turn import TurnRequest, run_turn
from troly.conversation.wrong_answers import REASONS, mark_wrong, unmark_wrong
from troly.errors import AccessError, InputError
from troly.plugin.events import StepFinished
from troly.plugin.services import Services
from troly.stores.wrong_answers import WrongAnswers
from troly.text.catalogue import LANGS, tr


@pytest.fixture
def services(own_home: Path) -> Iterator[Services]:
    with services_at(own_home) as opened:
        yield opened


REGISTRY = registry_of(planned=planned_mode(Plan(["say"])))


async def asked(
    services: Services, text: str = "xin chào", conversation: str | None = None
) -> tuple[str, str]:
    request = TurnRequest("planned", text, conversation=conversation, offline=True)
    turn = run_turn(Session(services, REGISTRY, profile()), request)
    async for _ in turn.events():
        pass
    return turn.conversation_id, turn.turn_id


def mark(person: Person, told: Told) -> None:
    mark_wrong(person.services, person.registry, person.profile.login, turn_of(told), "facts")


def turn_of(told: Told) -> str:
    started: str = told.events[0].turn  # type: ignore[union-attr]
    return started


async def test_the_case_holds_the_conversation_up_to_the_answer(services: Services) -> None:
    conversation, first = await asked(services)
    _, second = await asked(services, "còn gì nữa", conversation)
    await asked(services, "thôi", conversation)
    marked = mark_wrong(services, REGISTRY, "an", second, "other", note="phải là \x1b[31mhai")
    mark_wrong(services, REGISTRY, "an", first, "facts")
    found = read_case_file(marked.file)
    assert found.problems == []
    assert [case.turns for case in found.cases] == [("xin chào", "còn gì nữa"), ("xin chào",)]
    assert [one.wrong for one in found.cases[0].answers] == [(), ("một",)]
    lines = [json.loads(line) for line in marked.file.read_text("utf-8").splitlines()]
    assert (lines[0]["mode"], lines[0]["state"], lines[0]["turns"][1]["note"]) == (
        "planned",
        {"done": True},
        "phải là hai",
    )
    assert marked.file.stat().st_mode & 0o077 == 0


async def test_marking_again_replaces_and_taking_back_removes(services: Services) -> None:
    _, turn = await asked(services)
    mark_wrong(services, REGISTRY, "an", turn, "facts")
    marked = mark_wrong(services, REGISTRY, "an", turn, "other", note="khác")
    assert len(marked.file.read_text("utf-8").splitlines()) == 1
    store = WrongAnswers(services.conversations)
    assert [(one.turn, one.reason, one.note) for one in store.list("an")] == [(turn, "other", "khác")]
    assert services.conversations.is_excluded(f"turn:{turn}")
    assert unmark_wrong(services, "an", turn)
    assert not services.conversations.is_excluded(f"turn:{turn}")
    assert (store.list("an"), marked.file.read_text("utf-8")) == ([], "")
    assert not unmark_wrong(services, "an", turn)


async def test_lines_of_a_person_in_the_file_stay(services: Services) -> None:
    _, turn = await asked(services)
    file = services.paths.cases / "planned.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text('{"id": "mine", "text": "a", "expect": {"done": true}}\nnot json\n', "utf-8")
    mark_wrong(services, REGISTRY, "an", turn, "facts")
    unmark_wrong(services, "an", turn)
    assert file.read_text("utf-8").splitlines()[1] == "not json"
    assert [case.id for case in read_case_file(file).cases] == ["mine"]


async def test_what_cannot_be_marked_is_said(services: Services) -> None:
    _, turn = await asked(services)
    with pytest.raises(InputError, match="reason"):
        mark_wrong(services, REGISTRY, "an", turn, "because")
    for login, wanted in (("binh", turn), ("an", "no-such-turn")):
        with pytest.raises(AccessError):
            mark_wrong(services, REGISTRY, login, wanted, "facts")
        with pytest.raises(AccessError):
            unmark_wrong(services, login, wanted)
    conversation, _ = await asked(services)
    running = services.conversations.begin_turn("an", conversation, "x")
    with pytest.raises(InputError, match="running"):
        mark_wrong(services, REGISTRY, "an", running.id, "facts")


async def test_a_file_that_cannot_be_written_leaves_the_mark(services: Services) -> None:
    _, turn = await asked(services)
    services.paths.cases.write_text("in the way")
    with pytest.raises(InputError, match=r"planned\.jsonl"):
        mark_wrong(services, REGISTRY, "an", turn, "facts")
    assert WrongAnswers(services.conversations).of("an", turn)


def test_any_other_value_is_accepted_by_not() -> None:
    assert accepts({"not": 2}, 3)
    assert not accepts({"not": [2, 3]}, 3)
    assert not accepts({"not": "a"}, "a")


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_words(reason: str) -> None:
    assert all(tr(f"cli.wrong.reasons.{reason}", lang) for lang in LANGS)


async def test_the_evaluation_reads_the_case(own_home: Path) -> None:
    with person_at(own_home, "shopping") as person:
        told = await person.ask("laptop dưới 20 triệu", offline=True)
        marked = mark_wrong(person.services, person.registry, person.profile.login, turn_of(told), "facts")
        services = person.services
        with practice_session(
            services.settings, services.paths, person.registry, person.registry.get("shopping")
        ) as session:
            report = await evaluate(session, "shopping", read_case_file(marked.file).cases)
        await services.llm.aclose()
    assert [turn.judgement.verdict for turn in report.turns] == ["wrong"]


# --- every mode that reuses


async def test_rental_does_not_reuse_the_query_of_a_wrong_answer(own_home: Path) -> None:
    question = "phòng dưới 3 triệu ở Gò Vấp"
    with person_at(own_home, "rental") as person:

        def reused(told: Told) -> bool:
            return any("lưu" in notice.message or "lưu" in notice.title for notice in told.notices)

        first = await person.ask(question)
        person.conversation = None
        second = await person.ask(question)
        assert (reused(first), reused(second)) == (False, True)
        mark(person, second)
        person.conversation = None
        third = await person.ask(question)
        assert not reused(third)
        person.conversation = None
        assert not reused(await person.ask(question))
        unmark_wrong(person.services, person.profile.login, turn_of(second))
        person.conversation = None
        assert reused(await person.ask(question))


async def test_rag_does_not_take_the_finds_of_a_wrong_answer_from_its_cache(own_home: Path) -> None:
    question = "nghỉ phép năm được mấy ngày và ai duyệt"
    with person_at(own_home, "rag") as person:

        def hits(told: Told) -> float:
            return float(told.state["performance_metrics"]["cache_hit_ratio"])

        first = await person.ask(question)
        person.conversation = None
        second = await person.ask(question)
        assert (hits(first), hits(second)) == (0.0, 1.0)
        # What the second reused is the first's: both are excluded.
        mark(person, second)
        person.conversation = None
        assert hits(await person.ask(question)) == 0.0


async def test_shopping_does_not_recall_a_wrong_answer(own_home: Path) -> None:
    with person_at(own_home, "shopping") as person:
        told = await person.ask("kiểm tra giúp ABC123", offline=True)
        assert person.conversation

        async def found() -> list[str]:
            login, memory = person.profile.login, person.services.memory
            recall = await memory.search(login, str(person.conversation), "bảo hành ABC123")
            return [one.sender for one in recall.messages]

        assert "assistant" in await found()
        mark(person, told)
        assert set(await found()) == {"user"}


async def test_dental_is_not_told_a_wrong_answer_again(own_home: Path) -> None:
    with OllamaDouble() as server, person_at(own_home, "dental", OLLAMA_HOST=server.url) as person:
        told = await person.ask("đau răng khôn thì làm sao")
        answer = told.answer.strip()
        await person.ask("thế ăn gì được")
        before = remembered(person)
        assert any(one.startswith(answer) for one in before)
        mark(person, told)
        await person.ask("còn uống gì")
        assert not any(one.startswith(answer) for one in remembered(person))
        await person.services.llm.aclose()


def remembered(person: Person) -> list[str]:
    """What the memory told the last turn."""
    trace = person.services.conversations.recording(person.profile.login, person.turns()[-1])
    [recalled] = trace["recording"]["values"]["dental.memory.recalled"]
    return [str(one["content"]).strip() for one in recalled["messages"] if one["role"] == "assistant"]


async def test_personal_data_is_masked_in_the_case_of_the_dental_adviser(own_home: Path) -> None:
    with person_at(own_home, "dental") as person:
        told = await person.ask("Em là Nguyễn Văn An, số 0912345678, đau răng khôn", offline=True)
        assert told.all(StepFinished)
        login = person.profile.login
        marked = mark_wrong(
            person.services, person.registry, login, turn_of(told), "facts", note="gọi 0912345678"
        )
    assert "0912345678" not in marked.file.read_text("utf-8")
