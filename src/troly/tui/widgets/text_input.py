"""Text inputs that keep the order of what Vietnamese input methods send: backspaces and letters in one read."""

from __future__ import annotations

from textual import events
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea

from troly.text.sanitize import sanitize
from troly.tui.keymap import binding_of


async def run_at_once(widget: Widget, event: events.Key) -> bool:
    """Run what the key is bound to in `widget` before the next key; False when it is bound to nothing there.

    The framework inserts a letter at once but runs bindings (backspace, a new line, the arrows) later: "việt" typed
    as "viet", two backspaces and "ệt" in one read would end as something else.
    """
    binding = binding_of(widget, event.key)
    if binding is None:
        return False
    event.stop()
    event.prevent_default()
    await widget.run_action(binding.action)
    return True


class TypingArea(TextArea):
    """A text area for Vietnamese input methods; what is pasted comes in without control sequences."""

    cursor_blink = reactive(False, init=False)

    async def _on_key(self, event: events.Key) -> None:
        if not await run_at_once(self, event):
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        await super()._on_paste(events.Paste(sanitize(event.text)))
        event.stop()
        event.prevent_default()

    def render_line(self, y: int) -> Strip:
        """One line; nothing where the frame leaves no room, for the framework cannot wrap its hint to no width."""
        return super().render_line(y) if self.content_size.width > 0 else Strip.blank(self.size.width)


class TypingInput(Input):
    """A one-line input with the same care; what drives a terminal does not come into it."""

    cursor_blink = reactive(False, init=False)

    def validate_value(self, value: str) -> str:
        return sanitize(value, keep_newlines=False)

    async def _on_key(self, event: events.Key) -> None:
        if not await run_at_once(self, event):
            await super()._on_key(event)
