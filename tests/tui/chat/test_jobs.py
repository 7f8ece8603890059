"""Pulling a model and loading a file from the screen, on real services; figures of the status line; the look that is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot

from tests.support.ollama.double import OllamaDouble
from tests.support.process.waiting import until
from tests.support.scenes import evidence as scenes
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import NOW, Scene, begin, settle, text_of
from tests.support.stores.services import profile, services_at
from troly.config.settings import Settings
from troly.conversation.jobs import JobProgress, JobResult, LoadFiles, PullModel
from troly.conversation.session import Session
from troly.errors import InputError, StoppedError
from troly.paths import Paths
from troly.plugin.ingest_arguments import kinds
from troly.plugin.registry import Registry
from troly.text.catalogue import LANGS, Lang
from troly.tui import operations
from troly.tui.backend import start_job
from troly.tui.chat.bars import status_figures
from troly.tui.chat.jobs import RunningJob
from troly.tui.chat.view import HealthView, SessionInfo, StepView, WrongReport, message, usage_of
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.render.message import MessageLines
from troly.tui.render.spans import plain
from troly.tui.startup import (
    Appearance,
    chosen_language,
    chosen_theme,
    prepare_start,
    read_appearance,
    write_appearance,
)
from troly.tui.widgets.text_input import TypingInput

UP = HealthView(known=True, up=True, model="gpt-oss")


# --- figures


def answer(**more: Any) -> Any:
    return message(
        "assistant", NOW, "x", **{"ms": 3400.0, "calls": 1, "spent": usage_of([scenes.CALL]), **more}
    )


def test_the_figures_of_an_answer() -> None:
    said = status_figures(answer(), UP, "en", 200)
    assert said == "1 model call   3.4 s   34 tok/s   context 1.9k/8.2k   first token 410 ms   tokens 1.8k→96"
    assert status_figures(None, UP, "en", 80) == ""
    of_several = answer(spent=usage_of([{**scenes.CALL, "host": "http://gpu2:11434"}]))
    assert status_figures(of_several, UP, "en", 200) == f"{said}   gpu2:11434"
    by_rules = status_figures(answer(calls=0, spent=None), HealthView(known=True), "en", 80)
    assert by_rules == "0 model calls   3.4 s   no model"


@given(width=st.integers(0, 120), lang=st.sampled_from(LANGS))
def test_figures_are_folded_by_width_whole(width: int, lang: Lang) -> None:
    said, whole = status_figures(answer(), UP, lang, width), status_figures(answer(), UP, lang, 500)
    assert cell_len(said) <= width
    assert whole.startswith(said)
    assert not said or whole == said or whole[len(said) :].startswith("   ")


def test_the_rate_of_an_answer_that_is_being_written() -> None:
    spent = usage_of([{**scenes.CALL, "kind": "decide"}])
    assert spent is not None
    # Single tokens or whole sentences: what counts is how much arrived, from the second piece on.
    for piece in ("Câu đầu được giữ lại cho đến khi trọn vẹn. ", "x" * 100, *["ab c"] * 10):
        spent.heard(piece, NOW)
    running = answer(state="running", spent=spent, ms=None)
    assert status_figures(running, UP, "en", 80, NOW + timedelta(seconds=2)).startswith("20 tok/s")


def test_the_fullest_context_is_told_and_embedding_counts_for_nothing() -> None:
    calls = [
        {**scenes.CALL, "prompt_tokens": 100, "completion_tokens": 5},
        scenes.CALL,
        {**scenes.CALL, "kind": "embed", "prompt_tokens": 9_999},
    ]
    spent = usage_of(calls)
    assert spent is not None
    assert (spent.used, spent.window, spent.prompt_tokens) == (1930, 8192, 1934)
    assert usage_of([]) is None


@given(done=st.integers(0, 10**12), total=st.none() | st.integers(1, 10**12), width=st.integers(8, 90))
def test_the_line_of_work_fits(done: int, total: int | None, width: int) -> None:
    work = RunningJob("Tải qwen2.5:7b-instruct", NOW, lambda: None, done, total, "bytes")
    assert cell_len(work.line(NOW + timedelta(seconds=5), width, "vi")) <= width


def test_the_line_of_work_tells_rate_and_time_left() -> None:
    work = RunningJob("Pull", NOW, lambda: None, 50_000_000, 100_000_000, "bytes")
    assert work.line(NOW + timedelta(seconds=10), 60, "en") == "Pull  50 %  5.0 MB/s  10.0 s left"


# --- the look


def test_what_was_chosen_is_remembered_and_the_settings_file_is_not_touched(tmp_path: Path) -> None:
    kept, settings = Paths.resolve({"TROLY_HOME": str(tmp_path)}), Settings(theme="dark", language="auto")
    kept.ensure()
    kept.config_file.write_text('# mine\ntheme = "dark"\n', "utf-8")
    assert read_appearance(kept) == Appearance()
    write_appearance(kept, settings, "light", None)
    write_appearance(kept, settings, None, "en")
    look = read_appearance(kept)
    assert (chosen_theme(look, settings), chosen_language(look, settings)) == ("light", "en")
    assert kept.config_file.read_text("utf-8") == '# mine\ntheme = "dark"\n'
    # The settings win once they say something else.
    changed = replace(settings, theme="contrast", language="vi")
    assert (chosen_theme(look, changed), chosen_language(look, changed)) == ("contrast", None)


@pytest.mark.parametrize("text", ["", "theme = 5", "not toml [", "\xff", "theme = 'x'\n" * 900])
def test_a_look_that_cannot_be_read_counts_for_nothing(tmp_path: Path, text: str) -> None:
    kept = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    kept.ensure()
    (kept.data / "look.toml").write_bytes(text.encode("latin-1"))
    assert chosen_theme(read_appearance(kept), Settings()) == "dark"


def test_the_next_start_has_it_from_the_first_frame(tmp_path: Path) -> None:
    kept = Paths.resolve({"TROLY_HOME": str(tmp_path)})
    write_appearance(kept, Settings(), "light", "en")
    env = {"TROLY_HOME": str(tmp_path), "LC_ALL": "vi_VN.UTF-8"}
    prepared = prepare_start(None, None, None, None, env)
    assert (prepared.theme, prepared.language) == ("light", "en")
    assert prepare_start(None, None, None, "vi", env).language == "vi"
    assert prepare_start(None, None, None, None, {**env, "TROLY_THEME": "contrast"}).theme == "contrast"


async def test_choosing_a_theme_or_a_language_keeps_it() -> None:
    app = Scene("vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await app.run_action("theme('light')")
        await app.run_action("language('en')")
        assert app.fake.called("save_appearance") == [
            ("save_appearance", ("light", None)),
            ("save_appearance", (None, "en")),
        ]


# --- operations on real services


@asynccontextmanager
async def opened(home: Path, **env: str) -> AsyncIterator[Session]:
    registry = Registry()
    with services_at(home, registry, **env) as services:
        yield Session(services, registry, profile())
        await services.llm.aclose()


async def test_what_is_asked_of_an_answer_is_answered_by_the_stores(own_home: Path) -> None:
    from tests.support.modes.replays import Person

    async with opened(own_home) as session:
        person = Person(session.services, session.registry, session.profile, "shopping")
        told = await person.ask("kiểm tra giúp ABC123", offline=True)
        turn = told.events[0].turn  # type: ignore[union-attr]
        found = operations.read_evidence(session, turn)
        assert found.trace["steps"]
        assert found.trace["given"]["profile"]["login"] == "an"
        file = operations.mark_wrong(session, turn, WrongReport("facts", "sai ngày"))
        assert Path(file).exists()
        _, views = operations.load_conversation(session, str(person.conversation))
        assert [view.wrong for view in views if view.turn == turn][-1] == WrongReport("facts", "sai ngày")
        assert operations.take_back_mark(session, turn) is True
        assert operations.save_appearance(session, "light", None).exists()
        await session.services.llm.health()
        assert [one.model for one in operations.missing_models(session)]
        kinds = {one.name for one in operations.describe_session(session).kinds()}
    assert {"warranty", "sheet", "policies", "knowledge"} <= kinds


# --- jobs on the screen


class Jobs:
    """A scene whose jobs run on real services."""

    def __init__(self, app: Scene, session: Session) -> None:
        self.ended: list[JobResult] = []
        self._app = app
        self._session = session

    def start(self, job: Any, heard: Any) -> Any:
        import asyncio

        def both(news: JobProgress | JobResult) -> None:
            if isinstance(news, JobResult):
                self.ended.append(news)
            heard(news)

        return start_job(asyncio.get_running_loop(), self._session, self._app.call_later, job, both)


@asynccontextmanager
async def working(home: Path, **env: str) -> AsyncIterator[tuple[Scene, Pilot[Any], Jobs]]:
    async with opened(home, **env) as session:
        app = Scene("en")
        async with app.run_test(size=(120, 30)) as pilot:
            await begin(app, pilot)
            jobs = Jobs(app, session)
            app.fake.runner = jobs.start
            app.fake.results["missing_models"] = operations.missing_models(session)
            app.controller._kinds = operations.describe_session(session).kinds
            yield app, pilot, jobs


@pytest.fixture
def server() -> Iterator[OllamaDouble]:
    with OllamaDouble() as double:
        yield double


async def typed(app: Scene, pilot: Pilot[Any], action: str, text: str) -> None:
    """Begin `action`, write `text` into its input, press Enter."""
    before = app.screen
    await app.run_action(action) if action else None
    await until(lambda: isinstance(app.screen, ChooseScreen) and (not action or app.screen is not before))
    await until(lambda: bool(app.screen.query(TypingInput)))
    app.screen.query_one(TypingInput).value = text
    await pilot.pause()
    await pilot.press("enter")


async def test_a_model_is_pulled_while_the_chat_goes_on(own_home: Path, server: OllamaDouble) -> None:
    async with working(own_home, OLLAMA_HOST=server.url) as (app, pilot, jobs):
        await typed(app, pilot, "pull", "new-model:1b")
        await until(lambda: bool(jobs.ended))
        assert jobs.ended[0].error is None
        assert app.jobs.running is None
        await settle(app, pilot)
        assert "Pulling new-model:1b: done." in app.shown


async def test_a_model_that_is_unknown_is_a_card(own_home: Path, server: OllamaDouble) -> None:
    server.pull_error = "pull model manifest: file does not exist"
    async with working(own_home, OLLAMA_HOST=server.url) as (app, pilot, jobs):
        await typed(app, pilot, "pull", "nonsense")
        await until(lambda: bool(jobs.ended))
        await settle(app, pilot)
        assert "nonsense" in app.shown


async def test_a_warranty_list_is_loaded_by_choosing(own_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("serial,product_name,warranty_end_date\nQQ9911,Loa,2027-01-31\nno,x,y\n", "utf-8")
    async with working(own_home) as (app, pilot, jobs):
        await typed(app, pilot, "ingest", "warranty")
        await until(lambda: isinstance(app.screen, ChooseScreen) and "warranty" in str(app.screen._title))
        await typed(app, pilot, "", str(file))
        await until(lambda: isinstance(app.screen, ChooseScreen) and "list.csv" in str(app.screen._title))
        await pilot.pause()
        await pilot.press("enter")
        await until(lambda: bool(jobs.ended))
        assert jobs.ended[0].error is None, jobs.ended
        await settle(app, pilot)
        assert "Loading list.csv: done." in app.shown
        # The bad row is named.
        assert "3" in app.shown.split("done.")[1]
        assert jobs.ended[0].problems[0][:20] in app.shown


async def test_a_file_that_is_not_there_is_a_card(own_home: Path) -> None:
    async with working(own_home) as (app, pilot, jobs):
        app.jobs._begin(LoadFiles("shopping", "warranty", ("/no/such/file.csv",), "en"), "x")
        await until(lambda: bool(jobs.ended))
        assert isinstance(jobs.ended[0].error, InputError)
        await settle(app, pilot)
        assert "/no/such/file.csv" in app.shown


async def test_a_pull_is_cancelled(own_home: Path, server: OllamaDouble) -> None:
    server.faults["/api/pull"] = "hang"
    async with working(own_home, OLLAMA_HOST=server.url) as (app, pilot, jobs):
        app.jobs._begin(PullModel("m"), "Pulling m")
        await settle(app, pilot)
        assert "Pulling m" in text_of(app.chat.status)
        await app.run_action("pull")
        assert app.screen is app.chat, "one job at a time"
        await app.run_action("cancel_work")
        await until(lambda: bool(jobs.ended))
        assert isinstance(jobs.ended[0].error, StoppedError)
        await settle(app, pilot)
        assert "Pulling m" not in text_of(app.chat.status)


def test_the_time_of_a_job_is_the_screens_own() -> None:
    later = datetime.fromisoformat("2026-11-22T09:14:00+07:00")
    work = RunningJob("x", NOW, lambda: None, 60, None, "rows")
    assert work.line(later, 60, "en") == "x  1 rows/s"


async def test_sample_data_is_not_replaced_unasked_and_the_report_stands_where_it_was_asked() -> None:
    app = Scene("vi")
    job = LoadFiles("shopping", "warranty", ("x.csv",), "vi")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await app.ask(pilot, "hỏi")
        pane = app.controller.pane
        for keys, tried in ((("enter",), True), (("down", "enter"), None)):
            app.jobs._ask_samples(job, "Nạp x.csv", True)
            await until(lambda: isinstance(app.screen, ChooseScreen))
            await pilot.press(*keys)
            await until(lambda: app.screen is app.chat and bool(app.fake.jobs))
            begun, news = app.fake.jobs.pop()
            assert isinstance(begun, LoadFiles)
            assert begun.values.get("dry_run") is tried
            await pilot.press("alt+2")
            news(JobResult("một dòng", ("dòng 3 sai",)))
            await until(lambda: app.jobs.running is None)
            assert app.controller.pane is not pane
            assert pane.unread
            await pilot.press("alt+1")
            await settle(app, pilot)
            rows = app.shown.split("\n")
            assert any(row.startswith("Troly  ") for row in rows), (
                "signed by the program, not by the assistant"
            )
            assert "dòng 3 sai" in app.shown


async def test_nothing_is_asked_about_samples_for_a_file_that_is_not_there(tmp_path: Path) -> None:
    app = Scene("vi")
    there = tmp_path / "x.csv"
    there.write_text("serial\n")
    app.fake.info = SessionInfo(MODES, "an@sstc", kinds=lambda: kinds(Registry()))
    app.fake.results["samples_loaded"] = True
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        app.jobs.ingest(f"warranty {tmp_path / 'nowhere.csv'}")
        await until(lambda: bool(app.fake.jobs))
        assert app.screen is app.chat
        app.fake.jobs.pop()[1](JobResult("không có tệp", ()))
        await until(lambda: app.jobs.running is None)
        app.jobs.ingest(f"warranty {there}")
        await until(lambda: isinstance(app.screen, ChooseScreen))


async def test_times_are_those_of_the_settings_live_and_saved() -> None:
    zone = timezone(timedelta(hours=-5))
    app = Scene("vi", info=SessionInfo(MODES, "an", zone=zone))
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await app.ask(pilot, "hỏi")
        assert f"{NOW.astimezone(zone):%H:%M}" in app.shown
        assert f"{NOW:%H:%M}" not in app.shown


def test_what_is_said_around_an_answer_is_in_its_own_language() -> None:
    view = message("assistant", NOW, "Found.", source="rules", steps=[StepView("classify")], ms=3.0)
    view.language = "en"
    shown = "\n".join(plain(line) for line in MessageLines(view).lines(80, "vi"))
    assert "Assistant" in shown
    assert "1 step" in shown
