"""The three lines that teach somebody new in ten seconds; the first question that is put ends them for good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from troly.text.catalogue import Lang, tr
from troly.tui.keymap import Keymap
from troly.tui.render.spans import Line, Span, clip, line, width_of

MARK = "welcomed"
FIRST_FIVE = tuple(f"alt+{number}" for number in range(1, 6))


def is_new(data: Path) -> bool:
    """Whether nobody has put a question on this screen yet, as far as the data folder knows."""
    return not (data / MARK).exists()


def keep_welcomed(data: Path) -> None:
    """Never show the lines again. Raises OSError."""
    (data / MARK).touch(mode=0o600)


def welcome_lines(keymap: Keymap, width: int, lang: Lang) -> list[Line]:
    """What to do, where to look, and where everything else is; each on one line, what does not fit is left out."""
    return [
        line(Span("▌ ", "accent"), Span(clip(tr("ui.welcome.ask", lang), width - 2), "strong")),
        _keys(keymap, ("assistants", "list", "evidence"), width, lang),
        _keys(keymap, ("palette", "help", "mouse"), width, lang),
    ]


def _keys(keymap: Keymap, names: Sequence[str], width: int, lang: Lang) -> Line:
    shown: Line = (Span("▌ ", "accent"),)
    for name in names:
        press = "Alt+1…5" if keymap.keys(name)[:5] == FIRST_FIVE else keymap.press(name)
        does = tr(f"ui.welcome.{name}", lang)
        more = (*shown, *line(Span(press, "strong"), f" {does}" if press else does, "   "))
        if (press or name == "mouse") and width_of(more) <= width + 3:
            shown = more
    return shown
