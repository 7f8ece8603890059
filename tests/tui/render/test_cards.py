"""What an answer brings with it: plots, computations, plans, conflicts, suggestions, and the grid."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.process.waiting import until
from tests.support.scenes import base
from tests.support.screen.answers import COMPANY, FIGURES, ROOMS
from tests.support.screen.screens import NOW, Scene, begin, settle
from tests.tui.render.test_lines import HOSTILE
from troly.conversation.recorder import Recorder
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Event,
    Evidence,
    Item,
    ItemList,
    ModelCalled,
    ModelLoading,
    Plan,
    Series,
    Side,
    Sources,
    StepFinished,
    StepStarted,
    Suggestions,
    Table,
    Task,
    Token,
    TurnCompleted,
    to_json,
)
from troly.stores.records import StoredMessage, StoredTurn
from troly.text.csv_text import csv_text, guarded
from troly.text.sanitize import sanitize
from troly.tui.chat.controller import apply_event
from troly.tui.chat.history import card_from, message_views
from troly.tui.chat.view import Pane, TextPart, message
from troly.tui.dialogs.grid import sort_key
from troly.tui.render.cards import BRAILLE, HEIGHT, card_lines, plot_lines
from troly.tui.render.markdown import markdown_lines
from troly.tui.render.message import MessageLines, footer, message_text, without_source_list
from troly.tui.render.spans import plain, width_of

KINDS = (Table, ItemList, Chart, Computation, Suggestions, Plan, Conflict)
TYPED = [event for event in (*FIGURES, *ROOMS, *COMPANY) if isinstance(event, KINDS)]


def kept(event: Event) -> Content:
    """The event as a conversation that was saved and loaded gives it."""
    recorder = Recorder(lambda _event: None)
    recorder.take(event)
    return card_from(recorder.content[0])


def hostile(text: str) -> list[Content]:
    return [
        Computation("sql", text, (text,), ((text, text),), "/sql "),
        Suggestions((text, text)),
        Plan((Task(1, text, text, text, "failed", 3.0),)),
        Conflict((Side(text, text, ((text, 0.5),), ((text, text),), True), Side(text, text)), text),
        ItemList((Item(text, text, text, ((text, text),), text),), text, text, 9),
        Sources((Evidence(1, text, text, text, 0.5, text, ((text, text),)),)),
        Chart("line", (text, "b", "c"), (Series(text, (1.0, 2.0, 0.5)),), text, text, text),
    ]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("width", [9, 40, 120])
def test_every_card_keeps_its_width_and_shows_no_control(text: str, width: int) -> None:
    for card in hostile(text):
        shown = card_lines(card, width, "vi", name="1.0", opened={"1.0", "1.0.0"})
        assert shown
        assert not {"\x1b", "\u202e", "\x07"} & set("".join(plain(line) for line in shown))
        if width >= 40:
            assert max(width_of(line) for line in shown) <= width


@given(
    st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=40),
    st.integers(20, 150),
)
def test_a_plot_fits_and_spans_its_range(values: Sequence[float], width: int) -> None:
    labels = tuple(str(n) for n in range(len(values)))
    lines = plot_lines(Chart("line", labels, (Series("a", tuple(values)),)), width, "vi")
    assert len(lines) == HEIGHT + 2
    assert max(width_of(line) for line in lines) <= max(width, width_of(lines[0]))
    # The first │ or ┤ is the axis; what is right of the dots is the last value.
    drawn = [re.split("[│┤]", plain(line), maxsplit=1)[1] for line in lines[:HEIGHT]]
    room = plain(lines[HEIGHT]).count("─") + plain(lines[HEIGHT]).count("┬")
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    for at, value in enumerate(values):
        x = round(at / (len(values) - 1) * (room * 2 - 1))
        y = round(((high if high > low else low + 1.0) - value) / span * (HEIGHT * 4 - 1))
        bits = ord(drawn[y // 4].ljust(room)[x // 2]) - 0x2800
        # Exactly where it belongs: another value is at another height.
        assert bits > 0
        assert bits & BRAILLE[x % 2][y % 4]


def test_a_plot_names_its_ends_and_its_labels() -> None:
    months = tuple(f"{month}/2026" for month in range(1, 12))
    values = (481.0, 250.0, 260.0, 300.0, 320.0, 330.0, 340.0, 350.0, 360.0, 516.0, 402.0)
    chart = Chart("line", months, (Series("a", values),))
    for bare in (False, True):
        shown = [plain(line).rstrip() for line in plot_lines(chart, 80, "vi", plain=bare)]
        assert shown[0].startswith("516┤")
        assert any(line.endswith(" 402") for line in shown)
        assert shown[-1].split()[0] == "1/2026"
        assert shown[-1].split()[-1] == "11/2026"
        assert bare == ("*" in "".join(shown))


def test_missing_values_leave_a_gap() -> None:
    nan = float("nan")
    chart = Chart("line", ("1", "2", "3"), (Series("a", (nan, nan, nan)),))
    assert plot_lines(chart, 60, "vi") == []
    half = Chart("line", ("1", "2", "3", "4"), (Series("a", (nan, nan, 2.0, 3.0)),))
    assert plain(plot_lines(half, 60, "vi")[0]).rstrip().endswith(" 3")
    assert plain(plot_lines(half, 60, "vi")[2])[2:30].strip() == ""


@pytest.mark.parametrize("event", TYPED, ids=lambda event: type(event).__name__)
def test_typed_content_comes_back_from_the_store_as_it_was(event: Event) -> None:
    assert kept(event) == event


def test_a_long_list_shows_its_head_and_opens() -> None:
    items = ItemList(tuple(Item(f"phòng {n}") for n in range(25)))
    closed, opened = (card_lines(items, 60, "vi", name="7.0", opened=names) for names in ((), ("7.0",)))
    assert any(span.action == "open:7.0" for line in closed for span in line)
    assert "phòng 24" not in "".join(plain(line) for line in closed)
    assert "phòng 24" in plain(opened[-1])


def test_a_later_plan_takes_the_place_of_the_earlier_one() -> None:
    first = Plan((Task(1, "hr", "rag", "tìm"),))
    last = Plan((Task(1, "hr", "rag", "tìm", "done", 5.0),))
    pane = Pane("rag", answer=message("assistant", NOW, ""))

    def hear(event: Event) -> None:
        apply_event(pane, event, lambda: NOW)

    recorder = Recorder(hear)
    for event in (first, Suggestions(("a",)), last):
        recorder.take(event)
    assert pane.answer is not None
    assert pane.answer.parts == [last, Suggestions(("a",))]
    assert [line["event"] for line in recorder.content] == ["Plan", "Suggestions"]
    assert card_from(recorder.content[0]) == last


def test_loading_a_model_is_shown_until_the_call_ends_or_speaks() -> None:
    ended = ModelCalled("answer", "decide", "gpt-oss", "classify", 1.0)
    for after in (ended, Token("Dạ")):
        answer = message("assistant", NOW, "")
        answer.state = "running"
        pane = Pane("rag", answer=answer)
        apply_event(pane, ModelLoading("gpt-oss\x1b[31m"), lambda: NOW)
        [line] = footer(answer, 80, "en")
        assert plain(line) == "◐ loading the model gpt-oss into memory…"
        apply_event(pane, ModelLoading("gpt-oss", ahead=3), lambda: NOW)
        [line] = footer(answer, 80, "en")
        assert plain(line) == "◐ every model server is busy, questions before this one: 3…"
        apply_event(pane, after, lambda: NOW)
        assert answer.progress is None


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_cell_never_becomes_a_formula(cell: str) -> None:
    assert guarded(cell).startswith("'")


@given(st.lists(st.lists(st.text(max_size=20), min_size=2, max_size=2), max_size=5))
def test_csv_reads_back_cell_by_cell(rows: list[list[str]]) -> None:
    found = list(csv.reader(io.StringIO(csv_text(("a", "b"), rows))))
    assert [[guarded(sanitize(cell)) for cell in row] for row in rows] == found[1:]


def test_signed_numbers_stay_numbers() -> None:
    assert [guarded(cell) for cell in ("-1.500.000", "+15,5%", "-3")] == ["-1.500.000", "+15,5%", "-3"]


def test_cells_sort_as_people_mean_them() -> None:
    mixed = ["", "áo", "9 VND", "1.000.000 VND", "An", "Đà", "15,5%"]
    assert sorted(mixed, key=sort_key) == ["9 VND", "15,5%", "1.000.000 VND", "An", "áo", "Đà", ""]
    days = ["02/01/2027", "31/12/2026", "1/1/2025"]
    assert sorted(days, key=sort_key) == ["1/1/2025", "31/12/2026", "02/01/2027"]


async def test_the_grid_sorts_and_saves_what_it_shows() -> None:
    app = Scene("vi", mode="analysis")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "top")
        rows = (("b", "9"), ("a", "10"), ("c", "1.000"))
        asked.say(Table(("Tên", "Số"), rows, numeric=(1,)))
        await settle(app, pilot)
        await pilot.press("f5", "right", "s", "x")
        await until(lambda: len(app.fake.exported) == 1)
        assert [row[1] for row in app.fake.exported[0].rows] == ["9", "10", "1.000"]
        await pilot.press("s", "x")
        await until(lambda: len(app.fake.exported) == 2)
        assert [row[1] for row in app.fake.exported[1].rows] == ["1.000", "10", "9"]
        await pilot.press("escape")
        await until(lambda: app.screen is app.chat)


async def test_a_suggested_question_is_asked_by_click_and_from_the_palette() -> None:
    app = Scene("vi", mode="analysis")
    async with app.run_test(size=(120, 60)) as pilot:
        await base.figures(pilot)
        key = app.controller.pane.messages[-1].key
        app.chat.transcript.post_message(app.chat.transcript.Pressed(f"suggest:{key}.4.1"))
        await until(lambda: len(app.fake.asked) == 2)
        assert app.fake.asked[-1].question.text == "Sàn nào bán nhiều nhất năm nay?"
        app.fake.asked[-1].say(Suggestions(("Câu tiếp",)), FIGURES[-1])
        await settle(app, pilot)
        await pilot.press("ctrl+p", *"cau tiep", "enter")
        await until(lambda: len(app.fake.asked) == 3)
        assert app.fake.asked[-1].question.text == "Câu tiếp"


async def test_a_computation_is_put_into_the_input_to_run_again() -> None:
    app = Scene("vi", mode="analysis")
    async with app.run_test(size=(120, 60)) as pilot:
        await base.figures(pilot)
        key = app.controller.pane.messages[-1].key
        app.chat.transcript.post_message(app.chat.transcript.Pressed(f"rerun:{key}.3"))
        await until(lambda: app.chat.prompt.text.startswith("/pipeline SELECT"))


async def test_the_grid_is_as_wide_as_its_table_and_no_wider_than_the_screen() -> None:
    for cells, least, most in ((3, 80, 90), (400, 180, 200)):
        app = Scene("vi")
        async with app.run_test(size=(200, 40)) as pilot:
            asked = await app.ask(pilot, "bảng")
            asked.say(Table(("a", "b"), (("x", "y" * cells),)), TurnCompleted("Đây.", {}, "rules", 0, 1.0))
            await settle(app, pilot)
            await pilot.press("f5")
            await settle(app, pilot)
            assert least <= app.screen.query_one("#grid").region.width <= most


async def test_f5_without_a_table_says_so() -> None:
    app = Scene("vi")
    async with app.run_test(size=(100, 30)) as pilot:
        await begin(app, pilot)
        await pilot.press("f5")
        await until(lambda: any("bảng" in note.message for note in app._notifications))
        assert app.screen is app.chat


def test_a_table_that_a_plot_shows_is_one_line_that_opens() -> None:
    rows = (("T1", "1"), ("T2", "5"), ("T3", "2"))
    chart = Chart("line", ("T1", "T2", "T3"), (Series("a", (1.0, 5.0, 2.0)),))
    view = message("assistant", NOW, "Đây ạ.", parts=[Table(("Tháng", "a"), rows), chart])
    shown = [plain(line) for line in MessageLines(view).lines(80, "vi")]
    assert sum("T2" in line for line in shown) == 1
    assert any(line.startswith("▸ Bảng  3 dòng") for line in shown)
    view.opened.add(f"{view.key}.0")
    view.touch()
    assert any(line.startswith("T2") for line in map(plain, MessageLines(view).lines(80, "vi")))
    more = message("assistant", NOW, "", parts=[Table(("Tháng", "a"), (*rows, ("T4", "9"))), chart])
    assert any("T4" in plain(line) for line in MessageLines(more).lines(80, "vi"))


def test_sources_that_a_card_shows_are_not_listed_a_second_time() -> None:
    text = "Ăn đồ mềm.\n\nNguồn tham khảo:\n\n1. Sau nhổ răng (ghi chú)\n2. Răng khôn"
    sources = Sources((Evidence(1, "Sau nhổ răng", "a"), Evidence(2, "Răng khôn", "b")))
    assert without_source_list(text, [sources]) == "Ăn đồ mềm."
    assert without_source_list(text, []) is None
    assert without_source_list(text + "\n\nHết.", [sources]) is None
    view = message("assistant", NOW, text, parts=[TextPart([text]), sources])
    shown = "\n".join(plain(line) for line in MessageLines(view).lines(80, "vi"))
    assert shown.count("Răng khôn") == 1
    assert "Nguồn tham khảo" not in shown
    assert message_text(view, "vi").count("Răng khôn") == 2, "what is copied is the answer as it was written"


def test_a_paragraph_below_a_list_is_no_part_of_its_last_item() -> None:
    shown = [
        plain(line) for line in markdown_lines("Làm:\n- một\n- hai\n  vẫn hai\nSau đó nghỉ.\n1. ba\nHết.", 60)
    ]
    assert "Sau đó nghỉ." in shown
    assert "Hết." in shown
    assert "  vẫn hai" in shown


def test_the_running_step_its_time_and_a_silent_server_are_told() -> None:
    answer = message("assistant", NOW, "", state="running")
    pane = Pane("rag", answer=answer)
    answer.language = "vi"
    apply_event(pane, StepStarted("red_flags"), lambda: NOW)
    apply_event(pane, StepFinished("red_flags", 12.0, "rules"), lambda: NOW)
    answer.wait(2.0)
    apply_event(pane, StepStarted("guardrail"), lambda: NOW)
    answer.wait(5.0)
    first, second = (plain(line) for line in footer(answer, 80, "vi"))
    assert first.startswith("✓ ")
    assert first.endswith("12 ms")
    assert second.startswith("◐ ")
    assert second.endswith("3,0 s")
    answer.wait(30.0)
    assert "im lặng đã 28,0 s" in plain(footer(answer, 120, "vi")[-1])
    apply_event(pane, Token("Dạ"), lambda: NOW)
    assert footer(answer, 80, "vi") == []


def test_a_plan_that_is_over_is_one_line_that_opens() -> None:
    tasks = (Task(1, "hr", "rag", "tìm", "done", 120.0), Task(2, "it", "log", "xem", "denied"))
    (head,) = card_lines(Plan(tasks), 80, "vi", name="7.0")
    assert plain(head) == "▸ Kế hoạch 2 bước  120 ms · 1 không có quyền"
    assert any(span.action == "open:7.0" for span in head)
    opened = [plain(line) for line in card_lines(Plan(tasks), 80, "vi", name="7.0", opened={"7.0"})]
    assert [line[:4] for line in opened[1:]] == ["● 1.", "■ 2."]
    running = Plan((tasks[0], Task(2, "it", "log", "xem", "running")))
    assert len(card_lines(running, 80, "vi", name="7.0")) == 2


def test_every_entry_of_a_list_tells_its_number() -> None:
    items = ItemList(tuple(Item(f"phòng {n}", detail="…") for n in range(1, 12)))
    shown = [plain(line) for line in card_lines(items, 60, "vi", name="7.0", opened={"7.0"})]
    assert [line.split()[1] for line in shown] == [f"{n}." for n in range(1, 12)]


def test_a_passage_has_the_words_marked_that_the_answer_says_too() -> None:
    sources = Sources((Evidence(1, "Nội quy", "Nhân viên được nghỉ phép năm 12 ngày, nghỉ ốm theo luật."),))
    shown = card_lines(
        sources, 80, "vi", name="7.0", opened={"7.0.0"}, said="Mỗi năm được nghi phep nam 12 ngày [1]."
    )
    marked = "".join(span.text for line in shown for span in line if span.style == "found")
    assert marked == "được nghỉ phép năm 12 ngày"
    assert "nghỉ ốm theo luật." in "".join(plain(line) for line in shown)


@pytest.mark.parametrize(
    "saved",
    [{"event": "Hologram", "depth": 3}, {"event": "Table", "columns": 7}, {"event": "Token", "text": "a"}],
)
def test_content_of_a_newer_version_is_told_and_not_dropped(saved: dict[str, object]) -> None:
    trace = {"language": "en", "content": [saved, to_json(TYPED[0])]}
    turn = StoredTurn("t1", "c1", "an", "rag", "m0", "completed", 1, 0.0, NOW, source="rules", trace=trace)
    answer = StoredMessage("m1", "c1", "t1", "assistant", "đáp", "chat", NOW, {})
    (view,) = message_views([answer], [turn])
    shown = [plain(line).strip() for line in MessageLines(view).lines(80, "vi")]
    assert "• Content of a newer version, which cannot be shown here" in shown
    assert view.parts[-1] == TYPED[0]


ANSWER = TextPart(["Tháng 1 bán 5 triệu [1]."])
MONTHS_SOLD = Table(("Tháng", "Bán", "Đơn"), (("1", "5", "7"), ("2", "6", "8")), "Theo tháng")
KINDS_OF_PARTS = (
    ANSWER,
    MONTHS_SOLD,
    Sources((Evidence(1, "Sổ bán", "Tháng 1: 5 triệu.", "Sổ bán › dòng 3"),)),
    Suggestions(("Còn tháng 2?",)),
)


def read(parts: Sequence[object], width: int = 80) -> list[str]:
    view = message("assistant", NOW, "", parts=list(parts))
    return [plain(line).rstrip() for line in MessageLines(view).lines(width, "vi")]


@given(st.permutations(KINDS_OF_PARTS))
def test_an_answer_reads_the_same_live_and_saved_its_sentences_first_what_to_ask_last(
    parts: list[object],
) -> None:
    shown = read(parts)
    assert shown == read(KINDS_OF_PARTS)
    heads = ["Tháng 1 bán 5 triệu [1].", "Theo tháng", "[1] Sổ bán  dòng 3", "Hỏi tiếp"]
    assert [line for line in shown if line in heads] == heads


def test_a_closing_sentence_stays_below_the_table_it_closes() -> None:
    shown = read([ANSWER, MONTHS_SOLD, TextPart(["Cần gì nữa không ạ?"])])
    assert shown.index("Cần gì nữa không ạ?") > shown.index("Theo tháng")


def test_a_small_table_whose_every_cell_the_sentences_say_is_one_line_that_opens() -> None:
    table = Table(("Serial", "Còn lại"), (("ABC123", "-692"),))
    said = TextPart(["Serial 'abc123' đã hết hạn 692 ngày."])
    assert "▸ Bảng  1 dòng" in read([table, said])
    assert "▸ Bảng  1 dòng" not in read([table, TextPart(["Serial ABC123 đã hết hạn."])])
    assert "▸ Bảng  1 dòng" not in read([replace(table, rows=table.rows * 9), said])


def test_a_list_whose_every_figure_stands_beside_a_bar_is_not_shown_twice() -> None:
    said = TextPart(["Theo kênh:\n1. Shopee - 1.200 VND\n2. Lazada - 800 VND\n\nNăm nay."])
    bars = Chart("bar", ("Shopee", "Lazada"), (Series("Bán", (1200.0, 800.0)),), "Theo kênh")
    listed = "1. Shopee - 1.200 VND"
    shown = read([said, bars])
    assert {"Theo kênh", "Năm nay."} <= set(shown)
    assert listed not in shown
    assert any("━" in one and "1.200" in one for one in shown)
    # A line has no values beside it, other figures are others, and a list of more says more.
    assert listed in read([said, replace(bars, kind="line")])
    assert listed in read([said, replace(bars, series=(Series("Bán", (1200.0, 80.0)),))])
    assert listed in read([TextPart([f"{said.text}\n3. Tiki - 5 VND"]), bars])
    assert listed in read([said])


@pytest.mark.parametrize("kind", ["bar", "share"])
@pytest.mark.parametrize("note", ["Tháng 10: 1/10 - 31/10.", "Một ghi chú.\n\nHai ghi chú."])
def test_notes_on_a_list_that_bars_show_stand_behind_them(kind: Any, note: str) -> None:
    bars = Chart(kind, ("Shopee", "Lazada"), (Series("Bán", (1200.0, 800.0)),), "Theo kênh")
    listed = "1. Shopee - 1.200 VND\n2. Lazada - 800 VND"
    shown = "\n".join(read([TextPart([f"Theo kênh:\n{listed}\n\n{note}"]), bars]))
    assert "Theo kênh:" not in shown
    assert shown.index("Shopee") < shown.index(note[:8])
    said = "\n".join(read([TextPart([f"Shopee nhiều hơn:\n{listed}\n\n{note}"]), bars]))
    assert said.index("Shopee nhiều hơn") < said.index(note[:8])
    alone = read([TextPart([f"Theo kênh:\n{listed}"]), bars])
    assert [each for each in alone if each.startswith("Theo kênh")] == ["Theo kênh"]


def test_the_table_behind_a_plot_is_one_line_also_where_it_has_more_columns() -> None:
    shown = read([Chart("bar", ("1", "2"), (Series("Bán", (5.0, 6.0)),)), MONTHS_SOLD])
    assert "▸ Bảng  2 dòng" in shown
    assert "Theo tháng" not in shown


def test_how_it_was_computed_is_told_in_words_and_the_name_of_the_tool_stands_inside() -> None:
    card = Computation("sql", "SELECT 1", (), (("Công cụ", "aggregate_data"), ("Bảng", "Đơn hàng")))
    (closed,) = card_lines(card, 80, "vi", name="7.0")
    assert plain(closed) == "▸ Cách tính  Bảng: Đơn hàng"
    opened = card_lines(card, 80, "vi", name="7.0", opened={"7.0"})
    assert "aggregate_data" in "".join(plain(line) for line in opened)
