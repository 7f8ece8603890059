"""The input: Enter sends, it grows with its text, recalls earlier questions, and never waits for anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets.text_area import TextAreaTheme

from troly.tui.keymap import bindings, bound
from troly.tui.theme import Palette
from troly.tui.widgets.folding import FoldingArea

if TYPE_CHECKING:
    from troly.text.catalogue import Lang
    from troly.tui.offering import Offering

FRAME = 2


class Prompt(FoldingArea):
    """Where questions are written; `earlier` are past ones, newest last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,super+c", "copy_or_interrupt", show=False),
        *bindings("prompt"),
        # What works everywhere runs from here, in the order it was typed: what is typed after Alt+2 in the same read
        # belongs to the other pane.
        *bindings("chat"),
    ]

    class Sent(Message):
        """Enter was pressed on a text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Paged(Message):
        """A page key was pressed."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, hint: str, **options: object) -> None:
        super().__init__(
            "",
            soft_wrap=True,
            tab_behavior="focus",
            compact=True,
            highlight_cursor_line=False,
            placeholder=hint,
            **options,
        )
        self.cursor_blink = False
        self.earlier: Sequence[str] = ()
        self.offering: Offering | None = None
        self._recalled = 0
        self._shown = ""
        self._accent = ""

    async def _on_key(self, event: events.Key) -> None:
        if self._offered(event.key) or (
            event.key in ("up", "down") and self._recall(-1 if event.key == "up" else 1)
        ):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    def _offered(self, key: str) -> bool:
        """Whether the list of what can be completed took the key."""
        if self.offering is None:
            return False
        binding = bound(self, key)
        return self.offering.key(key, sends=binding is not None and binding.action == "send")

    def _recall(self, by: int) -> bool:
        """Show an earlier or later question, in an empty box or one that was just recalled."""
        if self.text != (self._shown if self._recalled else ""):
            self._recalled = 0
            return False
        wanted = self._recalled - by
        if (not self.text and by > 0) or wanted < 0 or wanted > len(self.earlier):
            return bool(self._recalled)
        self._recalled = wanted
        self.put(self.earlier[len(self.earlier) - wanted] if wanted else "", keep_place=True)
        self._shown = self.text
        return True

    def put(self, text: str, *, keep_place: bool = False) -> None:
        """Replace what is written; the cursor goes to the end."""
        if not keep_place:
            self._recalled = 0
        super().put(text)
        self.fit()

    def action_send(self) -> None:
        """Ask what is written; blanks alone are nothing to ask."""
        if self.text.strip():
            self.post_message(self.Sent(self.whole))
            self.put("")

    def action_newline(self) -> None:
        """Break the line."""
        self.insert("\n")

    async def action_copy_or_interrupt(self) -> None:
        """Copy what is selected; with nothing selected the key stops the answer."""
        if self.selected_text:
            self.action_copy()
        else:
            await self.app.run_action("app.interrupt")

    def action_cursor_page_up(self, select: bool = False) -> None:  # noqa: ARG002 (Textual's signature)
        """The page keys belong to the conversation."""
        self.post_message(self.Paged(-1))

    def action_cursor_page_down(self) -> None:
        """The page keys belong to the conversation."""
        self.post_message(self.Paged(1))

    def fit(self) -> None:
        """Be as high as the text, up to a third of the screen."""
        most = max(1, self.app.size.height // 3 - FRAME)
        height = max(1, min(most, self.wrapped_document.height)) + FRAME
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    def on_text_area_changed(self) -> None:
        """The text is another."""
        self.fit()
        if self.offering is not None:
            self.offering.changed()

    def on_text_area_selection_changed(self) -> None:
        """The cursor moved: what stands before it may be something else."""
        if self.offering is not None:
            self.offering.changed()

    def speak(self, hint: str, lang: Lang) -> None:
        """Take the language of the interface."""
        self.placeholder, self.lang = hint, lang

    def dress(self, palette: Palette, ground: str) -> None:
        """Take the accent of the mode for the cursor and the frame."""
        name = f"{palette.accent}-{ground}"
        if name not in self.available_themes:
            self.register_theme(TextAreaTheme(name, cursor_style=Style(color=ground, bgcolor=palette.accent)))
        self.theme = name
        self._accent = palette.accent
        self._frame()

    def _frame(self) -> None:
        """The accent is where the keys go."""
        self.styles.border = ("round", self._accent) if self.has_focus and self._accent else None

    def watch_has_focus(self, focus: bool) -> None:
        """Another part has the keys now, or this one again."""
        super().watch_has_focus(focus)
        self._frame()
