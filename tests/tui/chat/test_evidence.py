"""The evidence drawer: what it shows of a turn, how it is moved in, copied from, and that it is readable everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.waiting import until
from tests.support.scenes import evidence as scenes
from tests.support.screen.screens import Scene, begin, settle, text_of
from troly.errors import StoreError
from troly.text.catalogue import LANGS, Lang
from troly.text.sanitize import sanitize
from troly.tui.chat.evidence import EvidenceLayout
from troly.tui.chat.evidence_tree import EvidenceNode, evidence_nodes
from troly.tui.chat.view import TurnEvidence, WrongReport
from troly.tui.dialogs.browse import BrowseScreen, Detail
from troly.tui.render.spans import width_of

Snap = Callable[..., bool]
SIZES = [(60, 20), (80, 24), (120, 40), (240, 70)]


def shown(nodes: list[EvidenceNode], width: int = 60, lang: Lang = "vi") -> str:
    """Everything open, as text."""
    laid = EvidenceLayout(width, {one.key for one in every(nodes)}, "", lang)
    laid.add(nodes)
    return "\n".join("".join(span.text for span in line) for line in laid.lines)


def every(nodes: list[EvidenceNode]) -> list[EvidenceNode]:
    found = []
    for node in nodes:
        found += [node, *every(list(node.children))]
    return found


@pytest.mark.parametrize("lang", LANGS)
def test_all_that_was_recorded_can_be_read(lang: Lang) -> None:
    text = shown(evidence_nodes(TurnEvidence("t1", scenes.TRACE), lang), 200, lang)
    for said in (
        "Answer from the passages only.", scenes.QUESTION, scenes.ANSWER, "SELECT count(*)", "Quy định nghỉ phép",
        "nghi-phep.md", "Văn bản mới hơn thắng.", "● Quy định 2026", "internal", "rental v3", "offline", "hr · rag_tool",
    ):  # fmt: skip
        assert said in text
    assert "… " not in text
    assert ("0,91" if lang == "vi" else "0.91") in text


def test_calls_and_content_stand_under_the_step_that_they_belong_to() -> None:
    nodes = evidence_nodes(TurnEvidence("t1", scenes.TRACE), "en")
    titles = {node.title: [child.title for child in node.children] for node in nodes}
    assert titles["hr: Search documents"] == ["SQL that was run", "Passages"]
    assert titles["Write the answer"] == ["compose · gpt-oss:20b", "Contradicting sources"]


def test_a_turn_of_an_older_version_shows_its_steps_and_the_rest_beside_them() -> None:
    old = {name: scenes.TRACE[name] for name in ("steps", "content")}
    nodes = evidence_nodes(TurnEvidence("t1", old), "en")
    assert [node.title for node in nodes][-1] == "Beside the steps"
    assert [child.title for child in nodes[-1].children] == [
        "Passages",
        "Contradicting sources",
        "SQL that was run",
    ]
    assert evidence_nodes(TurnEvidence("t1", {}), "en") == []


def test_why_no_model_was_asked_is_said_in_words() -> None:
    step = {**scenes.STEPS[0], "detail": "8 đoạn (ollama.down), bảng a.b, 3.5 điểm"}
    trace = {**scenes.TRACE, "steps": [step], "skipped": [["answer", "ollama.budget"]]}
    told = shown(evidence_nodes(TurnEvidence("t1", trace), "vi"), 80)
    assert "8 đoạn (Không kết nối được Ollama), bảng a.b, 3.5 điểm" in told
    assert "Hết ngân sách của lượt này" in told
    assert "ollama." not in told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**9) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(text=st.text(max_size=80), width=st.integers(24, 130))
def test_no_line_is_wider_than_the_drawer(text: str, width: int) -> None:
    trace: dict[str, Any] = {
        **scenes.TRACE,
        "steps": [{**step, "detail": text, "node": text or "n"} for step in scenes.STEPS],
        "calls": [{**scenes.TRACE["calls"][0], "reply": text, "task": text}],
    }
    nodes = evidence_nodes(TurnEvidence("t1", trace), "vi")
    laid = EvidenceLayout(width, {one.key for one in every(nodes)}, "s0", "vi")
    laid.add(nodes)
    assert max(width_of(line) for line in laid.lines) <= width
    assert all(sanitize(span.text) == span.text for line in laid.lines for span in line)


def test_a_very_long_prompt_shows_its_beginning_and_is_copied_whole() -> None:
    call = {**scenes.TRACE["calls"][0], "prompt": [{"role": "user", "content": "một hai ba " * 100_000}]}
    nodes = evidence_nodes(TurnEvidence("t1", {**scenes.TRACE, "calls": [call]}), "vi")
    laid = EvidenceLayout(40, {one.key for one in every(nodes)}, "", "vi")
    laid.add(nodes)
    assert len(laid.lines) < 500
    assert "… còn nữa" in shown(nodes, 40)
    prompt = next(one for one in every(nodes) if one.title == "Prompt")
    assert prompt.copied().count("một hai ba") == 100_000


async def test_keys_move_open_and_copy() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await scenes.opened(pilot)
        assert app.fake.called("read_evidence") == [("read_evidence", ("t1",))]
        assert "Answer from the passages only." in text_of(app.chat.evidence)
        await pilot.press("c")
        assert "Answer from the passages only." in app.clipboard
        assert scenes.QUESTION in app.clipboard
        await pilot.press("enter")
        assert "Answer from the passages only." not in text_of(app.chat.evidence)


async def test_a_click_opens_an_entry() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(120, 40)) as pilot:
        await scenes.drawer(pilot)
        row = next(at for at, line in enumerate(text_of(app.chat.evidence).splitlines()) if "hr: Tìm" in line)
        await pilot.click(app.chat.evidence, offset=(6, row + 1))
        await settle(app, pilot)
        assert "SQL" in text_of(app.chat.evidence)


async def test_the_chosen_answer_is_the_one_that_is_explained() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(120, 40)) as pilot:
        await scenes.drawer(pilot)
        first = app.controller.pane.last_answer
        assert first is not None
        await pilot.press("escape")
        asked = await app.ask(pilot, "câu hai")
        asked.say(*(event for event in scenes.events() if not hasattr(event, "turn")))
        await settle(app, pilot)
        assert app.chat.evidence.answer is app.controller.pane.last_answer
        app.chat.transcript.chosen = first.key
        assert app.chat.evidence.answer is first


async def test_a_store_that_does_not_answer_leaves_the_steps() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, scenes.QUESTION)
        asked.say(*scenes.events())
        await settle(app, pilot)
        app.fake.refusal = StoreError("store.busy", path="x", seconds=1)
        await pilot.press("f3")
        await until(lambda: "Viết câu trả lời" in text_of(app.chat.evidence))
        assert "mọi ý đều có" in text_of(app.chat.evidence)


async def test_whoever_types_on_writes_into_the_input() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(120, 40)) as pilot:
        await scenes.drawer(pilot)
        await pilot.press("h", "i")
        assert app.chat.prompt.text == "hi"


async def test_an_answer_is_marked_and_the_mark_taken_back() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await scenes.marked(pilot)
        assert ("mark_wrong", ("t1", WrongReport("figures", "14"))) in app.fake.calls
        assert "đã đánh dấu sai: Sai số liệu. 14" in text_of(app.chat.evidence)
        assert "đã đánh dấu sai" in app.shown
        await pilot.press("w")
        await until(lambda: app.screen is not app.chat)
        app.fake.results["take_back_mark"] = True
        await pilot.press(*["down"] * 5, "enter")
        await until(lambda: ("take_back_mark", ("t1",)) in app.fake.calls)
        await settle(app, pilot)
        assert "đã đánh dấu sai" not in app.shown


async def test_a_mark_that_cannot_be_kept_is_said_and_not_shown() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await scenes.marking(pilot)
        app.fake.refusal = StoreError("store.busy", path="state.db", seconds=9)
        await pilot.press("enter")
        await until(lambda: any("state.db" in str(note.message) for note in app._notifications))
        assert "đã đánh dấu sai" not in app.shown


async def test_without_an_answer_there_is_nothing_to_mark() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("f12")
        await settle(app, pilot)
        assert app.screen is app.chat


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_on_the_whole_screen_all_of_a_step_is_read_found_and_copied(size: tuple[int, int]) -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=size) as pilot:
        await scenes.full(pilot)
        browse = app.screen
        assert isinstance(browse, BrowseScreen)
        await pilot.press(*"passages only")
        await until(
            lambda: browse.chosen is not None and "compose" in " ".join(p.text for p in browse.chosen.detail)
        )
        told = text_of(browse.query_one(Detail))
        assert "Answer from the passages only." in told
        assert scenes.QUESTION in told
        await pilot.press("ctrl+y")
        assert scenes.ANSWER in app.clipboard
        await pilot.press(*["backspace"] * 13, *"khong co gi nhu the")
        await until(lambda: browse.chosen is None)
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)
        assert app.chat.evidence.has_focus


async def test_the_whole_evidence_is_a_key_away_from_the_input_too() -> None:
    app = Scene("vi", mode="rag")
    async with app.run_test(size=(80, 24)) as pilot:
        await begin(app, pilot)
        await pilot.press("alt+e")
        await until(lambda: bool(app._notifications))
        assert app.screen is app.chat, "there is no answer yet"
        await scenes.answered(pilot)
        await pilot.press("alt+e")
        await until(lambda: isinstance(app.screen, BrowseScreen))
