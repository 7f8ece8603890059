"""An answer as running Markdown, for clients that know it as text only."""

from __future__ import annotations

from troly.plugin.events import Evidence, Say, Sources, Table, Token, TurnCompleted, TurnFailed
from troly.server.answers import answer_markdown

SOURCES = Sources((Evidence(1, "Chính sách đổi trả", "Đổi trong 7 ngày.", "dòng 4"),))
TABLE = Table(("a",), (("1",),))


def test_sources_stand_below_what_rests_on_them_whenever_they_were_found() -> None:
    end = TurnCompleted("Đổi được [1].", {}, "rules", 0, 1.0)
    for events in ((SOURCES, Token("Đổi được"), Token(" [1]."), end), (Token("Đổi được [1]."), SOURCES, end)):
        assert answer_markdown(events, "vi").splitlines()[0] == "Đổi được [1]."
        assert answer_markdown(events, "vi").endswith("dòng 4")
    whole = TurnCompleted("Câu khác.", {}, "rules", 0, 1.0)
    told = answer_markdown((SOURCES, Token("nháp"), TABLE, whole), "vi")
    assert [told.index(part) for part in ("nháp", "| a |", "Câu khác.", "dòng 4")] == sorted(
        told.index(part) for part in ("nháp", "| a |", "Câu khác.", "dòng 4")
    )


def test_what_a_broken_answer_rests_on_is_kept() -> None:
    broken = TurnFailed("Hỏng", "", "", "turn.failed", "nửa", 0, 1.0)
    told = answer_markdown((SOURCES, Say("Chào", "greeting"), Token("nửa"), broken), "vi")
    assert told.startswith("nửa")
    assert "Chính sách đổi trả" in told
