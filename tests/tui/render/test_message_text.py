"""Messages as plain text, quotes, the wish to go on, and which terminals take what is copied."""

from __future__ import annotations

import pytest

from tests.support.screen.screens import NOW
from troly.plugin.events import Item, ItemList, Table
from troly.tui.chat.view import message
from troly.tui.render.message import message_text, quoted
from troly.tui.terminal import may_be_refused

TABLE = Table(("Serial", "Hết hạn"), (("ABC123", "31/12/2027"),), "Bảo hành")


def test_a_message_as_text_has_its_typed_content() -> None:
    view = message("assistant", NOW, "Dạ đây ạ:")
    view.parts += [TABLE, ItemList((Item("Laptop", "", "**chi tiết** bên trong"),), "Hàng")]
    text = message_text(view, "vi")
    assert text.startswith("Dạ đây ạ:\n\nBảo hành\n")
    assert "ABC123  31/12/2027" in text
    assert "chi tiết bên trong" in text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("một\n\nhai", "> một\n> hai"),
        ("\n".join(str(n) for n in range(30)), "\n".join(f"> {n}" for n in range(12)) + "…"),
        ("x" * 900, "> " + "x" * 800 + "…"),
        ("", ""),
    ],
)
def test_quotes_are_short(text: str, wanted: str) -> None:
    assert quoted(text) == wanted


@pytest.mark.parametrize(
    ("text", "env", "refused"),
    [
        ("a", {"TERM": "xterm-256color"}, False),
        ("a", {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, False),
        ("a", {"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, True),
        ("a", {"TERM": "xterm-256color", "VTE_VERSION": "7600"}, True),
        ("a", {"TERM": "tmux-256color", "TMUX": "x"}, True),
        ("a", {"TERM": "screen"}, True),
        ("a", {"TERM": "linux"}, True),
        ("a", {}, True),
        ("đ" * 40_000, {"TERM": "xterm-256color"}, True),
    ],
)
def test_which_terminals_take_what_is_copied(text: str, env: dict[str, str], refused: bool) -> None:
    assert may_be_refused(text, env) is refused
