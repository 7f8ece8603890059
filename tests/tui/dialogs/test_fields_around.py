"""Hostile text in every field around the answers: names, titles, hints, files, figures, boxes; it appears as text."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.process.waiting import until
from tests.support.scenes import evidence as scenes
from tests.support.screen.fake_backend import MODES
from tests.support.screen.screens import NOW, Scene, begin, settle, warranty
from tests.tui.dialogs.test_fields import HOSTILE
from troly.conversation.jobs import JobProgress, JobResult, LoadFiles, MissingModel
from troly.errors import InputError
from troly.plugin.contract import Parameter
from troly.plugin.events import Suggestions, Table
from troly.plugin.ingest_arguments import IngestKind
from troly.tui.chat.view import (
    ConversationView,
    DataStatusView,
    HealthView,
    HitView,
    MemoryView,
    ModeCommandView,
    ModelsView,
    ModelView,
    QueryNames,
    SessionInfo,
    SettingView,
    Trouble,
    TurnEvidence,
    WrongReport,
)
from troly.tui.dialogs.browse import BrowseScreen
from troly.tui.dialogs.query import QueryScreen
from troly.tui.dialogs.settings import BESIDE

# What would turn the rest of a line round, or is no character of a terminal.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def hostile_scene(text: str) -> Scene:
    """A screen all of whose texts are `text`."""
    both: Any = {"vi": text, "en": text}
    questions: Any = {"vi": (text,) * 3, "en": (text,) * 3}
    modes = tuple(
        mode._replace(
            names=both,
            summaries=both,
            questions=questions,
            person=both,
            talk=(ModeCommandView("sql", both, text),),
        )
        for mode in MODES
    )
    kind = IngestKind("sheet", "analysis", both, (Parameter("--name", both, text),))
    return Scene(
        "vi",
        info=SessionInfo(modes, text, (text,), new_here=True, kinds=lambda: (kind,)),
        health=HealthView(known=True, up=False, model=text, trouble=Trouble(text, text, text)),
        held=DataStatusView(text, enough=False, command=text),
        listed=[ConversationView("c1", "shopping", text, NOW, pinned=True), ConversationView("c2", "nowhere", text, NOW)],
        hits=[HitView("c1", "shopping", text, NOW, text, ((0, 1),))],
        names=[(text, text)],
        results={"missing_models": [MissingModel(text, both)], "read_evidence": TurnEvidence("t1", scenes_of(text), text, 1)},
    )  # fmt: skip


def scenes_of(value: Any) -> dict[str, Any]:
    """The trace of an answer with `value` in every text."""

    def put(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: put(one) for name, one in node.items()}
        if isinstance(node, list):
            return [put(one) for one in node]
        return value if isinstance(node, str) else node

    return {
        "steps": [put({"node": "x", "ms": 1.0, "source": "x", "detail": "x", "agent": "x", "tool": "x"})],
        "model_calls": [put(dict(scenes.CALL))],
        "given": put({"profile": {"login": "x", "name": "x", "role": "x", "permissions": ["x"]}, "now": "x"}),
    }


def painted(app: Scene) -> str:
    """Every character that is on the screen now."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def check(app: Scene) -> None:
    text = painted(app)
    bad = {char for char in text.replace("\n", "") if unicodedata.category(char) in ("Cc", "Cs")}
    assert not bad, ascii(sorted(bad))
    assert not TURNING & set(text)


# Several in one text, the shortest first: a line shows the beginning. `test_fields` has each alone.
TOGETHER = ("bidi zero rtl", "surrogate lines emoji", "control escape", "markup", "markdown", "marks")


@pytest.fixture(params=TOGETHER)
def text(request: pytest.FixtureRequest) -> str:
    return " ".join(HOSTILE[name] for name in request.param.split())[:400]


def test_every_hostile_text_is_in_one_of_them() -> None:
    assert {name for names in TOGETHER for name in names.split()} == set(HOSTILE) - {"empty", "long"}


async def opened(app: Scene, pilot: Pilot[Any], action: str, keys: str = "") -> None:
    """Open a box, look at it, leave it."""
    await app.run_action(action)
    await until(lambda: app.screen is not app.chat and bool(app.screen.query("*")))
    if keys:
        await pilot.press(*keys)
    await settle(app, pilot)
    check(app)
    await pilot.press("escape")
    await until(lambda: app.screen is app.chat)


async def test_what_is_around_an_answer(text: str) -> None:
    app = hostile_scene(text)
    async with app.run_test(size=(140, 40)) as pilot:
        await begin(app, pilot)
        check(app)
        asked = await app.ask(pilot, "hỏi")
        rows = ((text, text),)
        asked.say(
            *warranty()[:-1], Table((text, text), rows, title=text), Suggestions((text,)), warranty()[-1]
        )
        await until(lambda: not app.controller.pane.running)
        answer = app.controller.pane.last_answer
        assert answer is not None
        answer.turn, answer.wrong = "t1", WrongReport("facts", text)
        app.controller.pane.title = text
        app.controller.new_conversation()
        await settle(app, pilot)
        check(app)  # tabs
        await app.run_action("next_pane")
        for action, keys in (
            ("palette", ""), ("panes", ""), ("search", "a"), ("rename", ""), ("wrong", ""), ("grid", "s"), ("pull", ""),
            ("ingest", ""), ("ingest('sheet')", ""), ("message('menu')", ""), ("help", ""),
        ):  # fmt: skip
            await opened(app, pilot, action, keys)
        await app.run_action("evidence")
        await settle(app, pilot)
        check(app)


async def test_what_is_said_below_and_beside(text: str) -> None:
    app = hostile_scene(text)
    async with app.run_test(size=(110, 40)) as pilot:
        await begin(app, pilot)
        for begun in ("@a", "/", "/ingest sheet x "):
            app.chat.prompt.put(begun)
            await settle(app, pilot)
            check(app)
        app.chat.prompt.put("")
        app.jobs._begin(LoadFiles("analysis", "sheet", (text,), "vi"), text)
        job, tell = app.fake.jobs[-1]
        assert job is not None
        tell(JobProgress(1, 2, text))
        await settle(app, pilot)
        check(app)
        tell(JobResult(text, (text,) * 20))
        await settle(app, pilot)
        check(app)
        app.fake.refusal = OSError(text)
        await app.run_action("delete")
        app.chat.list.focus()
        await app.run_action("pin")
        app.notify(text)
        app.controller.fail(Trouble(text, text, text))
        await settle(app, pilot)
        check(app)


async def test_what_is_in_pages_of_entries_and_in_the_editor(text: str) -> None:
    app = hostile_scene(text)
    async with app.run_test(size=(110, 40)) as pilot:
        await begin(app, pilot)
        modes = tuple(mode._replace(queries="sql") for mode in app.controller.modes.values())
        app.controller.modes = {mode.id: mode for mode in modes}
        settings = [SettingView(key, text, "file", text, text, text) for key in ("a.b", *BESIDE)]
        app.fake.results |= {
            "read_settings": settings,
            "model_choices": dict.fromkeys(("chat", "small", "guard", "embed"), text),
            "read_models": ModelsView((ModelView(text, 1, text, (text,)),), text),
            "read_memories": [MemoryView("shopping", "1", text, text, text, True)],
            "query_names": QueryNames(((text, ((text, text),)),), (text,), text),
            "run_query": InputError("work.refused", reason=text, part=text[:3]),
        }
        await app.run_action("settings")
        for _ in range(3):
            await until(lambda: isinstance(app.screen, BrowseScreen) and app.screen.chosen is not None)
            await settle(app, pilot)
            check(app)
            await pilot.press("tab")
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        await app.run_action("query")
        await until(lambda: isinstance(app.screen, QueryScreen))
        for key in ("a", "tab", "f5"):
            await pilot.press(key)
            await settle(app, pilot)
            check(app)
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        asked = await app.ask(pilot, "hỏi")
        asked.say(*warranty())
        await until(lambda: not app.controller.pane.running)
        app.controller.pane.last_answer.turn = "t1"  # type: ignore[union-attr]
        await opened(app, pilot, "evidence_full")
