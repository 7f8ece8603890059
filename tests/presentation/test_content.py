"""Typed content: clean, complete, and drawn by every face."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from troly.cli.invocation import Invocation
from troly.cli.plain.printer import PlainPrinter
from troly.cli.turns import TextPrinter
from troly.plugin.events import (
    Chart,
    Computation,
    Conflict,
    Content,
    Evidence,
    Handoff,
    Item,
    ItemList,
    Notice,
    Plan,
    Series,
    Side,
    Sources,
    Suggestions,
    Table,
    Task,
    from_json,
    to_json,
)
from troly.presentation.text import content_text

HOSTILE = "a\x1b[31mb"
CONTENT: tuple[Content, ...] = (
    Table((HOSTILE,), ((HOSTILE,),), HOSTILE, (0,), HOSTILE, 3),
    ItemList((Item(HOSTILE, HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),), HOSTILE),), HOSTILE, HOSTILE, 3),
    Chart("line", (HOSTILE,), (Series(HOSTILE, (1.5,)),), HOSTILE, HOSTILE, HOSTILE, "vi"),
    Sources((Evidence(1, HOSTILE, HOSTILE, HOSTILE, 0.5, HOSTILE, ((HOSTILE, HOSTILE),)),)),
    Computation("sql", HOSTILE, (HOSTILE,), ((HOSTILE, HOSTILE),), HOSTILE),
    Suggestions((HOSTILE,)),
    Plan((Task(1, HOSTILE, HOSTILE, HOSTILE, "failed", 2.0),)),
    Conflict((Side(HOSTILE, HOSTILE, ((HOSTILE, 0.5),), ((HOSTILE, HOSTILE),), wins=True),), HOSTILE),
    Notice("warning", HOSTILE, HOSTILE, HOSTILE),
    Handoff(HOSTILE, (HOSTILE,), HOSTILE, HOSTILE),
)


def test_the_examples_are_all_kinds_of_content() -> None:
    assert {type(content) for content in CONTENT} == set(get_args(Content))


@pytest.mark.parametrize("content", CONTENT, ids=lambda content: type(content).__name__)
def test_saved_content_is_read_back_as_it_was(content: Content) -> None:
    assert from_json(json.loads(json.dumps(to_json(content)))) == content


@pytest.mark.parametrize("line", [{}, {"event": "Later"}, {"event": "Table"}])
def test_a_line_that_is_no_event_is_refused(line: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no "):
        from_json(line)


def test_fields_of_a_later_version_are_left_out() -> None:
    assert from_json({**to_json(Suggestions(("a",))), "later": 1}) == Suggestions(("a",))


@pytest.mark.parametrize("content", CONTENT, ids=lambda content: type(content).__name__)
def test_content_is_clean_and_every_line_face_shows_it(
    content: Content, capsys: pytest.CaptureFixture[str]
) -> None:
    text = content_text(content)
    assert "\x1b" not in text
    assert "ab" in text
    TextPrinter(Invocation("app", {}), details=True).show(content, "", "")
    PlainPrinter(Invocation("app", {})).show(content, "", "")
    said = capsys.readouterr()
    assert "ab" in said.out + said.err


@pytest.mark.parametrize("title", ["Lưu ý", "Đã dùng lại câu đã lưu.", "Reused?", "Wait…"])
@pytest.mark.parametrize("rest", ["", "từ hôm qua"])
def test_a_stop_and_a_colon_are_never_in_a_row(title: str, rest: str) -> None:
    stop = ":" if rest and title[-1].isalpha() else ""
    assert content_text(Notice("info", title, rest)) == f"{title}{stop} {rest}".strip()
