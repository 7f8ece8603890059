"""The card of a conversation that is handed to a person: reason, hotline, and the transcript behind a line that opens."""

from __future__ import annotations

import pytest

from troly.plugin.events import Handoff, to_json
from troly.tui.chat.history import card_from
from troly.tui.render.cards import card_lines
from troly.tui.render.spans import Line, width_of

CARD = Handoff(
    "khách muốn gặp nhân viên", ("Khách: cho gặp nhân viên", "Trợ lý: dạ vâng"), "1900 0000", "asked"
)


def _text(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def test_the_transcript_opens_and_closes() -> None:
    closed = card_lines(CARD, 60, "vi", name="3.1")
    shown = _text(closed)
    assert "Chuyển cho nhân viên" in shown
    assert "khách muốn gặp nhân viên" in shown
    assert "Hotline 1900 0000" in shown
    assert "Trợ lý: dạ vâng" not in shown
    [action] = {span.action for line in closed for span in line if span.action}
    assert action == "open:3.1.transcript"
    assert "Trợ lý: dạ vâng" in _text(card_lines(CARD, 60, "vi", name="3.1", opened={"3.1.transcript"}))
    assert "Handed to a person" in _text(card_lines(CARD, 60, "en", name="3.1"))


@pytest.mark.parametrize("width", [12, 30, 80])
def test_it_fits_and_shows_nothing_hostile(width: int) -> None:
    hostile = "[/b][@click=app.quit]x[/] \x1b]52;c;aGk=\x07\x1b[31m\u202eđỏ"
    card = Handoff(hostile, (hostile, "x" * 300), hostile, hostile)
    lines = card_lines(card, width, "vi", name="1.0", opened={"1.0.transcript"})
    assert "\x1b" not in _text(lines)
    assert "\u202e" not in _text(lines)
    assert max(width_of(line) for line in lines) <= width


def test_a_saved_one_is_shown_again() -> None:
    assert card_from(to_json(CARD)) == CARD
