"""The menu of one message: what can be done with it, with the keys that do it."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from troly.config.key_names import key_label
from troly.text.catalogue import Lang, tr
from troly.tui.chat.view import MessageView, TextPart
from troly.tui.keymap import Keymap, bindings
from troly.tui.widgets.dialog import Dialog

# As in the style sheet: the box and what its frame takes.
WIDTH, FRAME = 54, 4


class MessageMenu(Dialog[str]):
    """Gives back what was chosen (`copy`, `save`, …), or the empty string."""

    LEFT = ""
    BINDINGS = [  # noqa: RUF012 (as the framework declares it)
        *bindings("dialog"),
        Binding("question_mark", "app.help", show=False),
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, view: MessageView, keymap: Keymap, lang: Lang) -> None:
        super().__init__()
        self._lang: Lang = lang
        self._offered = offered(view)
        self._keys = {
            name: keymap.keys("grid" if name == "large" else f"transcript_{name}") for name in self._offered
        }

    def compose(self) -> ComposeResult:
        with Vertical(id="palette", classes="-menu"):
            yield Static(tr("ui.act.title", self._lang), classes="title", markup=False)
            yield OptionList(*(Option(self._row(name)) for name in self._offered))
            yield Static(tr("ui.act.keys", self._lang), id="keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def on_key(self, event: events.Key) -> None:
        """The keys of the actions work here as they do without the menu."""
        for name, keys in self._keys.items():
            if event.key in keys:
                event.stop()
                self.dismiss(name)
                return

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._offered[event.option_index])

    def _row(self, name: str) -> Content:
        keys = self._keys[name]
        left = Content(f" {tr(f'ui.act.{name}', self._lang)}")
        right = Content.styled(f"{key_label(keys[0]) if keys else ''} ", "dim")
        width = min(WIDTH, self.app.size.width * 96 // 100) - FRAME
        gap = width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(1, gap), right)


def offered(view: MessageView) -> list[str]:
    code = any(
        isinstance(part, TextPart) and ("```" in part.text or "~~~" in part.text) for part in view.parts
    )
    answered = view.who == "assistant" and view.finished and bool(view.turn)
    possible = {
        "continue": view.unfinished,
        "code": code and view.who == "assistant",
        "wrong": answered,
        "compare": answered,
        "large": bool(view.parts),
        "branch": view.finished and (bool(view.turn) or view.who == "user"),
    }
    order = (
        "large", "copy", "code", "quote", "continue", "again", "compare", "branch", "edit", "save", "wrong",
        "find",
    )  # fmt: skip
    return [name for name in order if possible.get(name, True)]
