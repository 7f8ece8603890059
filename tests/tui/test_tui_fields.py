"""Hostile text in every field of everything that an answer can show: it appears as text, in bounded time and width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from tests.support.process.waiting import until
from tests.support.screen.screens import NOW, Scene, begin, settle
from troly.plugin import events
from troly.plugin.events import Content, StepFinished, StepStarted, Token, TurnCompleted, TurnFailed
from troly.text.catalogue import LANGS
from troly.tui.chat.view import State, Trouble, Who, message
from troly.tui.render.cards import card_lines
from troly.tui.render.message import MessageLines, message_text, opened_names
from troly.tui.render.spans import Line, plain, width_of

HOSTILE: Mapping[str, str] = {
    "markup": "[bold]x[/bold] [/] [@click=app.quit]thoát[/] [$error]y",
    "escape": "\x1b[31mđỏ\x1b[0m \x1b]0;tên\x07 \x1b]52;c;aGk=\x07 \x9b31m \x1bP1$r\x1b\\",
    "bidi": "\u202eabc\u202c \u2066x\u2069 \u061c",
    "rtl": "مرحبا بالعالم שלום",
    "zero": "a\u200bb\u200c\u200dc\ufeffd\u2060",
    "emoji": "👨‍👩‍👧‍👦 👩🏽‍🚀 🏳️‍🌈 🇻🇳",
    "marks": "a" + "\u0301" * 2000,
    "long": "x" * 20_000,
    "lines": "một\r\nhai\u2028ba\x0bbốn\tnăm",
    "control": "".join(map(chr, range(32))) + "".join(map(chr, range(127, 160))),
    "markdown": "# **a** `b` [c](javascript:x) ![d](e) | f |\n|---|\n<script>",
    "surrogate": "a\ud800b",
    "empty": "",
}
CARDS = get_args(Content)
# What is shown of a text: all of it, or its beginning where one line must do.
VISIBLE = {"markup": "[bold]x", "rtl": "مرحبا", "emoji": "👨", "escape": "đỏ"}
# Fields that no line shows: names for programs, and those that only compare.
UNSEEN = {
    ("Computation", "kind"),
    ("Chart", "kind"),
    ("Notice", "level"),
    ("Task", "status"),
    ("Handoff", "code"),
}
ACTIONS = ("open:7.0", "grid:7.0", "suggest:7.0", "rerun:7.0")


WHO: tuple[Who, ...] = get_args(Who)
STATES: tuple[State, ...] = ("failed", "running")
PLAIN: Mapping[Any, Any] = {bool: True, int: 1, float: 1.0}


def value_of(kind: Any, text: str) -> Any:
    """A value of a field's type whose texts are all `text`."""
    inside = get_args(kind)
    if kind is str or kind in PLAIN:
        return PLAIN.get(kind, text)
    if is_dataclass(kind):
        return card_with(kind, text)
    if get_origin(kind) is tuple:
        kinds = inside[:1] * 2 if inside[-1] is Ellipsis else inside
        return tuple(value_of(one, text) for one in kinds)
    if type(None) in inside:
        return value_of(inside[0], text)
    return inside[0]


def card_with(kind: Any, text: str, only: str = "") -> Any:
    """Typed content with `text` in all its fields, or in the field `only`."""
    hints = get_type_hints(kind, vars(events))
    return kind(
        **{f.name: value_of(hints[f.name], text if only in ("", f.name) else "ô") for f in fields(kind)}
    )


def every_field() -> Iterator[tuple[Any, str]]:
    for kind in CARDS:
        for one in fields(kind):
            yield kind, one.name


def shown_of(card: Any, width: int) -> Iterator[list[Line]]:
    for lang in LANGS:
        yield card_lines(card, width, lang, name="7.0", opened=opened_names(card, "7.0"))


def check(lines: list[Line], width: int) -> None:
    text = "".join(plain(line) for line in lines)
    assert not [char for char in text if unicodedata.category(char) in ("Cc", "Cs")]
    assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\ufeff\u2028")
    assert all(width_of(line) <= width for line in lines)
    for line in lines:
        for span in line:
            assert not span.action or span.action.startswith(ACTIONS)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("field", list(every_field()), ids=lambda pair: f"{pair[0].__name__}.{pair[1]}")
def test_each_field_of_typed_content(field: tuple[Any, str], name: str) -> None:
    kind, only = field
    if (kind.__name__, only) in UNSEEN:
        card = card_with(kind, HOSTILE[name])
    else:
        card = card_with(kind, HOSTILE[name], only)
    for width in (36, 80):
        for lines in shown_of(card, width):
            check(lines, width)


@pytest.mark.parametrize("name", VISIBLE)
@pytest.mark.parametrize("kind", CARDS, ids=lambda kind: kind.__name__)
def test_what_can_be_read_of_it_is_shown(kind: Any, name: str) -> None:
    for lines in shown_of(card_with(kind, HOSTILE[name]), 80):
        assert VISIBLE[name] in "\n".join(plain(line) for line in lines)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", HOSTILE)
def test_each_text_of_a_message(name: str, lang: Any) -> None:
    text = HOSTILE[name]
    view = message("assistant", NOW, text, state="failed", source="model", ms=1.0)
    view.trouble = Trouble(text, text, text)
    view.progress = events.Progress(text)
    cards: list[Content] = [card_with(kind, text) for kind in CARDS]
    first = len(view.parts)
    view.parts += cards
    view.opened = {
        name for at, card in enumerate(cards, first) for name in opened_names(card, f"{view.key}.{at}")
    }
    for view.who in WHO:
        for view.state in STATES:
            for line in MessageLines(view).lines(60, lang):
                assert not [char for char in plain(line) if unicodedata.category(char) in ("Cc", "Cs")]
    assert "\x1b" not in message_text(view, lang)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "empty"])
async def test_a_whole_turn_of_hostile_text_is_painted(name: str) -> None:
    text = HOSTILE[name]
    app = Scene("vi")
    async with app.run_test(size=(100, 40)) as pilot:
        await begin(app, pilot)
        asked = await app.ask(pilot, "hỏi " + (text.replace("\r", "")[:200] or "x"))
        asked.say(StepStarted(text, text, text), Token(text))
        await settle(app, pilot)
        asked.say(StepFinished(text, 1.0, "rules", text, text, text))
        asked.say(*(card_with(kind, text) for kind in CARDS))
        asked.say(
            TurnFailed(text, text, text, "x", text)
            if name == "markup"
            else TurnCompleted(text, {}, "rules", 0, 1.0)
        )
        await until(lambda: not app.controller.pane.running)
        await pilot.press("f3")
        await settle(app, pilot)
        transcript = app.chat.transcript
        transcript.action_scroll_home()
        for _ in range(4):
            painted = "".join(
                segment.text for strip in transcript.render_lines(transcript.size.region) for segment in strip
            )
            assert not [char for char in painted if unicodedata.category(char) in ("Cc", "Cs")]
            transcript.action_page_down()
            await pilot.pause()
        await pilot.press("f9", "enter", "escape", "escape")
        await until(lambda: app.chat.prompt.has_focus)


def test_two_thousand_marks_on_one_letter_take_one_cell() -> None:
    view = message("assistant", NOW, "x " + HOSTILE["marks"] + " y")
    lines = MessageLines(view).lines(40, "vi")
    assert [width_of(line) for line in lines[1:2]] == [5]
