"""What a message says as plain text, with its typed content, for copying, saving and quoting."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from troly.text.sanitize import sanitize
from troly.tui.view import MessageView, TextPart

if TYPE_CHECKING:
    from troly.plugin.events import Content
    from troly.text.catalogue import Lang

WIDTH = 100
# A quote reminds of a message, it does not repeat it.
QUOTED_LINES, QUOTED_LETTERS = 12, 800


def message_text(view: MessageView, lang: Lang) -> str:
    """All of a message: its text as it was written, its tables, lists and sources as aligned lines, all opened."""
    parts = [
        sanitize(part.text).strip()
        if isinstance(part, TextPart)
        else _card_text(part, f"{view.key}.{at}", lang)
        for at, part in enumerate(view.parts)
    ]
    return "\n\n".join(part for part in parts if part)


def quoted(text: str) -> str:
    """The beginning of `text` as a quote, a line `> …` each."""
    lines = [line for line in text[:QUOTED_LETTERS].split("\n") if line.strip()]
    cut = len(text) > QUOTED_LETTERS or len(lines) > QUOTED_LINES
    lines = [f"> {line.rstrip()}" for line in lines[:QUOTED_LINES]]
    if cut and lines:
        lines[-1] += "…"
    return "\n".join(lines)


def opened_names(card: Content, name: str) -> Collection[str]:
    """The names of all that opens in a card."""
    held = getattr(card, "items", ())
    return {name, f"{name}.transcript", *(f"{name}.{at}" for at in range(len(held)))}


def _card_text(card: Content, name: str, lang: Lang) -> str:
    from troly.tui.render.cards import card_lines
    from troly.tui.render.spans import plain

    lines = card_lines(card, WIDTH, lang, name=name, opened=opened_names(card, name))
    return "\n".join(plain(line).rstrip() for line in lines).strip("\n")
