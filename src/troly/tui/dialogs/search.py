"""Looks for words in all messages, with or without diacritics, and opens the conversation that is chosen."""

from __future__ import annotations

import re
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from troly.config.actions import Place
from troly.text.catalogue import tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.controller import Controller
from troly.tui.chat.view import HitView, trouble_from
from troly.tui.keymap import bindings
from troly.tui.widgets.dialog import ListDialog, ShortList
from troly.tui.widgets.text_input import TypingInput

# What begins a line of Markdown says nothing in a piece of it.
_MARK = re.compile(r"^(?:[-*+>#]+ |\d+[.)] )+")
# A search begins when nothing was typed for so long.
PAUSE = 0.12


class SearchScreen(ListDialog[str]):
    """Gives back the id of the chosen conversation, or "" when it was left."""

    LEFT = ""
    PLACE: ClassVar[Place] = "search"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("search")]

    def __init__(self, controller: Controller, words: str = "") -> None:
        super().__init__()
        self._words = words
        self._controller = controller
        self._hits: list[HitView] = []
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        lang = self._controller.language
        with Vertical(id="palette", classes="-search -none"):
            yield TypingInput(self._words, placeholder=tr("ui.search.hint", lang), compact=True)
            yield ShortList()
            yield Static(tr("ui.search.begin", lang), id="none", markup=False)
            yield Static(tr("ui.search.keys", lang), id="keys", markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        if self._timer is not None:
            self._timer.stop()
        wanted = event.value
        self._timer = self.set_timer(PAUSE, lambda: self._search(wanted))

    def _search(self, wanted: str) -> None:
        if wanted.strip():
            self._controller.backend.call(
                operations.search_messages, lambda found: self._take(wanted, found), wanted
            )
        else:
            self._show([], "ui.search.begin")

    def _take(self, wanted: str, found: list[HitView] | Exception) -> None:
        # Whoever left meanwhile took the input away.
        if wanted not in [entry.value for entry in self.query(TypingInput)]:
            return
        if isinstance(found, Exception):
            trouble = trouble_from(found, self._controller.language)
            self._show([], "ui.search.none")
            self.query_one("#none", Static).update(Content(" ".join(part for part in trouble if part)))
        else:
            self._show(found, "ui.search.none")

    def _show(self, hits: list[HitView], empty: str) -> None:
        by_conversation: dict[str, list[HitView]] = {}
        for hit in hits:
            by_conversation.setdefault(hit.conversation, []).append(hit)
        self._hits = [hit for group in by_conversation.values() for hit in group]
        options = self.query_one(OptionList)
        options.clear_options()
        for group in by_conversation.values():
            options.add_options([Option(self._row(hit, head=place == 0)) for place, hit in enumerate(group)])
        self.query_one("#none", Static).update(Content(tr(empty, self._controller.language)))
        self.query_one("#palette").set_class(not hits, "-none")
        if hits:
            options.highlighted = 0

    def _row(self, hit: HitView, *, head: bool) -> Content:
        """Who said it when and the piece with its matches, the first of a conversation below its title."""
        controller, lang = self._controller, self._controller.language
        mode = controller.modes.get(hit.mode)
        when = hit.when.astimezone(controller.now().tzinfo)
        title = sanitize(hit.title, keep_newlines=False) or tr("ui.list.untitled", lang)
        name = f"{mode.icon} {mode.names[lang]}" if mode else hit.mode
        piece = Content(sanitize(hit.snippet, keep_newlines=False))
        for start, end in hit.spans if len(piece.plain) == len(hit.snippet) else ():
            piece = piece.stylize("underline bold", start, end)
        piece = piece[len(piece.plain) - len(_MARK.sub("", piece.plain)) :]
        said = Content.styled(f"{tr(f'ui.message.{hit.who}', lang)} {when:%d/%m/%Y %H:%M}  ", "dim")
        above = [Content.styled(title, "bold"), Content.styled(f"  {name}\n", "dim")] if head else []
        return Content.assemble(*above, said, piece)

    def on_input_submitted(self) -> None:
        index = self.query_one(OptionList).highlighted
        if index is not None and index < len(self._hits):
            self.dismiss(self._hits[index].conversation)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._hits[event.option_index].conversation)
