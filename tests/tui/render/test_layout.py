"""Where messages stand: what is rendered is exact, what the reader sees stays where it is, whatever changes around it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.screen.long_conversation import long_talk
from tests.support.screen.screens import NOW
from troly.tui.chat.view import MessageView, message
from troly.tui.render.figures import day_name
from troly.tui.render.layout import ConversationLayout
from troly.tui.render.spans import Line, plain

TODAY = NOW.date()


def laid(views: list[MessageView], width: int = 60) -> ConversationLayout:
    ledger = ConversationLayout()
    ledger.sync(views, [], width, "vi", TODAY)
    return ledger


def seen(ledger: ConversationLayout, top: int, rows: int) -> list[Line | None]:
    return [ledger.line(row) for row in range(top, top + rows)]


def test_opening_at_the_end_renders_only_what_is_seen() -> None:
    views = long_talk(2000)
    ledger = laid(views)
    ledger.look_at_answer(40)
    rendered = [view for view in views if view.key in ledger._rendered]
    assert 0 < len(rendered) <= 40
    assert rendered[-1] is views[-1]
    shown = [plain(line or ()) for line in seen(ledger, ledger.height - 20, 20)]
    assert any("Trả lời số 1999" in text for text in shown)


@given(
    st.integers(3, 60), st.integers(20, 100), st.integers(20, 100), st.integers(0, 10_000), st.integers(0, 30)
)
def test_what_is_in_view_stays_when_older_messages_come(
    count: int, width: int, rows: int, at: int, older: int
) -> None:
    views = long_talk(count + older)
    ledger = laid(views[older:], width)
    top = ledger.look(ledger.place(at % max(1, ledger.height), rows), rows, rows)
    before = seen(ledger, top, rows)
    first = next(
        (row for row, text in enumerate(before) if plain(text or ()).startswith(("Bạn", "Em"))), None
    )
    place = ledger.place(top, rows)
    ledger.sync(views, [], width, "vi", TODAY)
    top = ledger.look(place, rows, rows)
    if first is not None:
        after = seen(ledger, top, rows)
        assert [plain(text or ()) for text in after[first:]] == [plain(text or ()) for text in before[first:]]


@given(st.integers(1, 40), st.integers(12, 120), st.integers(0, 1000))
def test_all_rows_are_the_lines_of_the_messages_in_order(count: int, width: int, at: int) -> None:
    views = long_talk(count)
    ledger = laid(views, width)
    for view in views:
        ledger.measured(view.key)
    whole = ledger.all()
    assert ledger.height == len(whole)
    row = at % len(whole)
    assert ledger.line(row) == whole[row]
    assert ledger.line(len(whole)) is None


@given(st.integers(2, 40), st.integers(20, 100), st.integers(20, 100), st.integers(0, 1000))
def test_another_width_keeps_the_first_message_in_view(count: int, width: int, other: int, at: int) -> None:
    views = long_talk(count)
    ledger = laid(views, width)
    top = ledger.look(ledger.place(at % ledger.height, 20), 20, 20)
    place = ledger.place(top, 20)
    ledger.sync(views, [], other, "vi", TODAY)
    top = ledger.look(place, 20, 20)
    if place.key:
        first, last = ledger.span(place.key)
        assert top <= last
        assert first <= top + 20 or place.offset < 0


def test_a_growing_answer_is_measured_and_an_inserted_message_finds_its_place() -> None:
    views = long_talk(4)
    answer = message("assistant", NOW, "", state="running")
    views.append(answer)
    ledger = laid(views)
    ledger.look_at_answer(20)
    before = ledger.height
    answer.write("một\n\nhai")
    ledger.sync(views, [], 60, "vi", TODAY)
    assert ledger.height > before
    views.insert(2, message("assistant", NOW, "chen vào"))
    ledger.sync(views, [], 60, "vi", TODAY)
    texts = [plain(line) for line in ledger.all()]
    assert texts.index("chen vào") < next(row for row, text in enumerate(texts) if "số 2:" in text)


def test_rendered_messages_far_away_are_let_go() -> None:
    views = long_talk(1000)
    ledger = laid(views)
    for row in range(0, ledger.height, 30):
        ledger.look(ledger.place(row, 40), 40, 40)
    assert len(ledger._rendered) <= 400


@pytest.mark.parametrize(
    ("ago", "vi", "en"),
    [
        (0, "Hôm nay", "Today"),
        (1, "Hôm qua", "Yesterday"),
        (2, "Thứ Sáu, 20/11", "Friday, 20 November"),
        (6, "Thứ Hai, 16/11", "Monday, 16 November"),
        (7, "15/11", "15 November"),
        (400, "18/10/2025", "18 October 2025"),
        (-1, "23/11", "23 November"),
    ],
)
def test_days_are_named(ago: int, vi: str, en: str) -> None:
    day = TODAY - timedelta(days=ago)
    assert (day_name(day, TODAY, "vi"), day_name(day, TODAY, "en")) == (vi, en)


def test_a_line_names_each_day_after_the_first_which_the_head_of_the_conversation_names() -> None:
    views = [
        message("user", NOW - timedelta(days=1), "một"),
        message("assistant", NOW - timedelta(days=1), "hai"),
        message("user", NOW, "ba"),
    ]

    def days() -> list[str]:
        texts = [plain(line) for line in laid(views).all()]
        return [text.strip("─ ") for text in texts if text.startswith("─")]

    assert days() == ["Hôm nay"]
    views[0].before = "older"
    assert days() == ["Hôm qua", "Hôm nay"], "the head is not there yet"
    assert not any(plain(line).startswith("─") for line in laid(views[2:]).all())
