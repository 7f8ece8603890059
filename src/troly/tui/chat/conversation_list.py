"""The saved conversations: the list on the left, and what can be done with a whole one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Concatenate, ParamSpec

from textual import events
from textual.binding import Binding, BindingType

from troly.text.catalogue import tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.controller import Controller
from troly.tui.chat.prompt import type_into_prompt
from troly.tui.chat.view import ConversationView, trouble_from
from troly.tui.keymap import bindings, keymap_of
from troly.tui.render.figures import day_name
from troly.tui.render.spans import BLANK, Line, Span, clip, line, pad, width_of, wrap
from troly.tui.theme import Palette
from troly.tui.widgets.lines import LinesView

if TYPE_CHECKING:
    from troly.conversation.session import Session

P = ParamSpec("P")
OPEN = "open-conversation"
# From so many cells the hour stands beside the title.
WITH_TIME = 30


class ConversationList(LinesView, can_focus=True):
    """The newest conversations of all assistants by day; ↑ ↓ choose, Enter opens."""

    HINTS = ("list_open", "list_search", "list_rename", "list_pin", "list_delete", "list_undelete")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        *bindings("list"),
    ]

    def __init__(self, controller: Controller, palette: Palette) -> None:
        super().__init__(palette)
        self.controller = controller
        self._chosen = 0
        self._entries: list[str] = []
        self._rows: list[int] = []

    @property
    def chosen(self) -> str:
        """The id of the conversation that is chosen; "" where it is the line to begin anew."""
        entry = self._entries[self._chosen] if self._chosen < len(self._entries) else ""
        kind, _, conversation = entry.partition(":")
        return conversation if kind == OPEN else ""

    def build(self, width: int) -> list[Line]:
        """A line to begin anew, then the conversations under their day, with the sign of their assistant."""
        lang = self.controller.language
        self._entries, self._rows = ["new"], [1]
        lines: list[Line] = [
            line(
                Span(tr("ui.head.list", lang), "who" if self.has_focus else "dim"),
                Span(f"  {keymap_of(self).press('list')}", "dim"),
            ),
            self._entry(0, tr("ui.list.new", lang), width, "new"),
        ]
        for group, found in self._groups():
            lines += [BLANK, line(Span(clip(group, width), "dim"))]
            for conversation in found:
                action = f"{OPEN}:{conversation.id}"
                title = sanitize(conversation.title) or tr("ui.list.untitled", lang)
                title = f"◆ {title}" if conversation.pinned else title
                self._entries.append(action)
                self._rows.append(len(lines))
                lines.append(self._entry(len(self._entries) - 1, title, width, action, conversation))
        if len(self._entries) == 1 and self.controller.trouble is not None:
            pass  # what cannot be opened is said in the pane
        elif len(self._entries) == 1:
            none = "ui.list.none" if self.controller.list_is_known else "ui.list.opening"
            lines += [BLANK, *wrap([Span(tr(none, lang), "dim")], width)]
        return lines

    def _groups(self) -> list[tuple[str, list[ConversationView]]]:
        """The pinned ones, then those of each day: the order is the same whatever assistant is shown."""
        controller, lang = self.controller, self.controller.language
        today = controller.now()
        groups: dict[str, list[ConversationView]] = {}
        for one in controller.listed:
            day = one.when.astimezone(today.tzinfo).date()
            group = tr("ui.list.pinned", lang) if one.pinned else day_name(day, today.date(), lang)
            groups.setdefault(group, []).append(one)
        return list(groups.items())

    def _entry(
        self, index: int, title: str, width: int, action: str, conversation: ConversationView | None = None
    ) -> Line:
        shown = conversation is not None and conversation.id == self.controller.pane.conversation
        chosen = self.has_focus and index == self._chosen
        # The place and the choice are told by signs too: colours may be missing.
        mark = Span("▌" if shown else "›" if chosen else " ", "accent" if shown else "strong", action)
        style = "chosen" if chosen else "strong" if shown else ""
        mode = self.controller.modes.get(conversation.mode) if conversation else None
        sign = Span(f"{mode.icon} " if mode else "", "accent" if shown else "dim", action)
        time = ""
        if conversation is not None and width >= WITH_TIME:
            when = conversation.when.astimezone(self.controller.now().tzinfo)
            time = f" {when:%H:%M}"
        room = width - 1 - width_of((sign,)) - len(time)
        return line(
            mark,
            sign,
            *pad(line(Span(clip(title, room), style, action)), room if time else 0),
            Span(time, "dim", action),
        )

    def action_choose(self, by: int) -> None:
        """Choose another entry and keep it in view."""
        self._chosen = max(0, min(len(self._entries) - 1, self._chosen + by))
        self.rebuild()
        row = self._rows[self._chosen]
        if not self.scroll_y <= row < self.scroll_y + self.size.height:
            self.scroll_to(y=max(0, row - self.size.height // 2), immediate=True)

    def action_open(self) -> None:
        """Open what is chosen."""
        if self._chosen < len(self._entries):
            self.post_message(self.Pressed(self._entries[self._chosen]))

    def on_focus(self) -> None:
        """Choose the conversation that is shown, and show that the keys come here."""
        shown = f"{OPEN}:{self.controller.pane.conversation}"
        self._chosen = self._entries.index(shown) if shown in self._entries else 0
        self.rebuild()

    def on_key(self, event: events.Key) -> None:
        """Whoever types on means the input: no letter changes a conversation."""
        type_into_prompt(self, event, "list")

    def on_blur(self) -> None:
        """Nothing is chosen while the keys go elsewhere."""
        self.rebuild()


class ConversationActions:
    """Changes conversations and shows the list anew; `say` says in a sentence what happened.

    `press` names the key of an action.
    """

    def __init__(
        self, controller: Controller, say: Callable[[str], None], press: Callable[[str], str]
    ) -> None:
        self._press = press
        self._controller = controller
        self._say = say
        self._deleted: list[str] = []

    def rename(self, conversation: str, title: str) -> None:
        """Give it another title; an empty one changes nothing."""
        wanted = " ".join(title.split())
        if wanted:
            self._call(operations.rename_conversation, self._controller.refresh, conversation, wanted)

    def pin(self, conversation: str) -> None:
        """Keep it at the top of the list, or no longer."""
        found = self._find(conversation)
        if found is not None:
            self._call(operations.pin_conversation, self._controller.refresh, conversation, not found.pinned)

    def delete(self, conversation: str) -> None:
        """Take it from the list; nothing is lost until it is taken back or cleaned up."""
        controller, lang = self._controller, self._controller.language
        found = self._find(conversation)
        if found is None:
            return
        if any(pane.conversation == conversation and pane.running for pane in controller.tabs.everywhere):
            self._say(tr("ui.list.running", lang, key=self._press("stop")))
            return

        def done() -> None:
            self._deleted.append(conversation)
            controller.forget(conversation)
            press = self._press("list_undelete")
            key = tr("ui.list.undo_key", lang, key=press) if press else "/undelete"
            title = found.title or tr("ui.list.untitled", lang)
            self._say(tr("ui.list.deleted", lang, title=title, key=key))
            controller.refresh()

        self._call(operations.delete_conversation, done, conversation)

    def undelete(self) -> None:
        """Bring back what was deleted last."""
        if not self._deleted:
            self._say(tr("ui.list.nothing_deleted", self._controller.language))
            return
        controller, conversation = self._controller, self._deleted.pop()

        def done() -> None:
            controller.open(conversation)
            controller.refresh()

        self._call(operations.restore_conversation, done, conversation)

    def _find(self, conversation: str) -> ConversationView | None:
        return next((one for one in self._controller.listed if one.id == conversation), None)

    def _call(
        self,
        function: Callable[Concatenate[Session, P], None],
        then: Callable[[], None],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Run `function` behind the screen, then `then`; why it failed is said."""

        def done(error: Exception | None) -> None:
            if error is None:
                then()
            else:
                trouble = trouble_from(error, self._controller.language)
                self._say(" ".join(part for part in trouble if part))

        self._controller.backend.call(function, done, *args, **kwargs)
