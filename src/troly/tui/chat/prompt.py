"""The input: Enter sends, it grows with its text, recalls earlier questions, and shows long pasted text as a token."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets.text_area import Edit, EditResult, Location, Selection, TextAreaTheme

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.keymap import binding_of, bindings, keymap_of
from troly.tui.theme import Palette
from troly.tui.widgets.text_input import TypingArea

if TYPE_CHECKING:
    from troly.conversation.input_history import Draft, InputHistory
    from troly.tui.chat.completion import Completer
    from troly.tui.chat.controller import Controller
    from troly.tui.chat.view import Pane


MOST_LINES, MOST_CHARS = 8, 600
# What is put back into the input (an earlier question) is folded later than what is pasted: a person may have typed it.
MOST_PUT = 4000


def is_long(text: str, most: int = MOST_CHARS) -> bool:
    """Whether `text` is shown as a token."""
    return len(text) > most or text.count("\n") >= (MOST_LINES if most == MOST_CHARS else MOST_LINES * 8)


class PasteTokens:
    """The pasted texts of one input by token. A token is a piece of the input's text like "[dán 120 dòng, 8,3 kB]"."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def token(self, text: str, lang: Lang) -> str:
        """A token for `text` that no other text has."""
        from troly.text.numbers import format_number

        size = len(text.encode("utf-8", "replace"))
        shown = f"{format_number(round(size / 1000, 1), lang)} kB" if size >= 1000 else f"{size} B"
        label = tr("ui.paste.token", lang, lines=format_number(text.count("\n") + 1, lang), size=shown)
        token, number = f"[{label}]", 1
        while self._texts.get(token, text) != text:
            number += 1
            token = f"[{label} #{number}]"
        self.keep(token, text)
        return token

    def keep(self, token: str, text: str) -> None:
        """Let `text` stand behind `token`."""
        self._texts[token] = text
        self._pattern = re.compile("|".join(re.escape(one) for one in self._texts))

    def text(self, token: str) -> str:
        """What stands behind a token; raises KeyError."""
        return self._texts[token]

    def within(self, shown: str) -> dict[str, str]:
        """The tokens in `shown` with their texts."""
        return {token: self._texts[token] for token in self._found(shown)}

    def whole(self, shown: str) -> str:
        """`shown` with every token replaced by its text."""
        if self._pattern is None:
            return shown
        return self._pattern.sub(lambda match: self._texts[match[0]], shown)

    def spans(self, shown: str) -> list[tuple[int, int]]:
        """Where tokens stand in a line."""
        return [match.span() for match in self._pattern.finditer(shown)] if self._pattern else []

    def around(self, line: str, column: int) -> tuple[int, int] | None:
        """The token that `column` is strictly inside of."""
        spans = self.spans(line)
        place = bisect_right([start for start, _ in spans], column) - 1
        return spans[place] if place >= 0 and spans[place][0] < column < spans[place][1] else None

    def _found(self, shown: str) -> list[str]:
        return list(dict.fromkeys(self._pattern.findall(shown))) if self._pattern else []


# In a longer line no token is made to stand out: it is text that somebody typed or opened.
MOST_SHOWN = 5000


FRAME = 2


class Prompt(TypingArea):
    """Where questions are written; `earlier` are past ones, newest last.

    `text` is what is shown; `whole` has the pasted texts in place of their tokens.
    """

    lang: Lang = "vi"

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

    def __init__(self, hint: str) -> None:
        self.pasted = PasteTokens()
        super().__init__(
            soft_wrap=True, tab_behavior="focus", compact=True, highlight_cursor_line=False, placeholder=hint
        )
        self.earlier: Sequence[str] = ()
        self.completer: Completer | None = None
        self._recalled = 0
        self._shown = ""
        self._accent = ""

    async def _on_key(self, event: events.Key) -> None:
        binding = binding_of(self, event.key)
        sends = binding is not None and binding.action == "send"
        if (self.completer is not None and self.completer.key(event.key, sends=sends)) or (
            event.key in ("up", "down") and self._recall(-1 if event.key == "up" else 1)
        ):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

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

    @property
    def whole(self) -> str:
        """The text as it is sent."""
        return self.pasted.whole(self.text)

    def put(self, text: str, *, keep_place: bool = False) -> None:
        """Replace what is written; the cursor goes to the end."""
        if not keep_place:
            self._recalled = 0
        self.load_text(self.pasted.token(text, self.lang) if is_long(text, MOST_PUT) else text)
        self.move_cursor(self.document.end)
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
        if self.completer is not None:
            self.completer.changed()

    def on_text_area_selection_changed(self) -> None:
        """The cursor moved: what stands before it may be something else."""
        if self.completer is not None:
            self.completer.changed()

    # Pasted texts.

    async def _on_paste(self, event: events.Paste) -> None:
        text = sanitize(event.text)
        await super()._on_paste(events.Paste(self.pasted.token(text, self.lang) if is_long(text) else text))
        event.stop()
        event.prevent_default()

    def token_here(self) -> tuple[str, Location, Location] | None:
        """The token at the cursor, else the nearest one before it, else the first: its text and place."""
        row, column = self.cursor_location
        found: list[tuple[Location, Location]] = []
        for at, line in enumerate(self.document.lines):
            found += [((at, start), (at, end)) for start, end in self.pasted.spans(line)]
        before = [place for place in found if place[0] <= (row, column)]
        if not found:
            return None
        start, end = before[-1] if before else found[0]
        return self.document.get_text_range(start, end), start, end

    def change_token(self, start: Location, end: Location, text: str) -> None:
        """Let another text stand in a token's place; a short one stands there as it is."""
        shown = self.pasted.token(text, self.lang) if is_long(text) else text
        self.replace(shown, start, end, maintain_selection_offset=False)

    # A token is one thing.

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit that would cut through a token take all of it."""
        edit.from_location = self._edge(edit.from_location, after=edit.from_location > edit.to_location)
        edit.to_location = self._edge(edit.to_location, after=edit.to_location >= edit.from_location)
        return super().edit(edit)

    def _edge(self, place: Location, *, after: bool) -> Location:
        row, column = place
        if row >= self.document.line_count:
            return place
        inside = self.pasted.around(self.document[row], column)
        return place if inside is None else (row, inside[after])

    def validate_selection(self, selection: Selection) -> Selection:
        """The cursor passes over a token in one step."""
        start, end = selection
        was = self.selection.end
        return Selection(self._edge(start, after=start > was), self._edge(end, after=end > was))

    def action_delete_left(self) -> None:
        """Delete the character or the token before the cursor."""
        if not self._delete_token(before=True):
            super().action_delete_left()

    def action_delete_right(self) -> None:
        """Delete the character or the token after the cursor."""
        if not self._delete_token(before=False):
            super().action_delete_right()

    def action_delete_word_left(self) -> None:
        """Delete the word or the token before the cursor."""
        if not self._delete_token(before=True):
            super().action_delete_word_left()

    def action_delete_word_right(self) -> None:
        """Delete the word or the token after the cursor."""
        if not self._delete_token(before=False):
            super().action_delete_word_right()

    def _delete_token(self, *, before: bool) -> bool:
        if not self.selection.is_empty:
            return False
        row, column = self.cursor_location
        for start, end in self.pasted.spans(self.document[row]):
            if column == (end if before else start):
                self.delete((row, start), (row, end), maintain_selection_offset=False)
                return True
        return False

    def get_line(self, line_index: int) -> Text:
        """A line with its tokens made to stand out."""
        line = super().get_line(line_index)
        if len(line.plain) <= MOST_SHOWN:
            for start, end in self.pasted.spans(line.plain):
                line.stylize("bold underline", start, end)
        return line

    def set_language(self, hint: str, lang: Lang) -> None:
        """Take the language of the interface."""
        self.placeholder, self.lang = hint, lang

    def apply_theme(self, palette: Palette, ground: str) -> None:
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


class Drafts:
    """Drafts and earlier messages of one input: taken up when the services are open, handed on to be kept as they change.

    Reading and writing is done on the backend's threads.
    """

    def __init__(self, controller: Controller, prompt: Callable[[], Prompt]) -> None:
        self._controller = controller
        self._prompt = prompt
        self._pane: Pane | None = None
        self._before: list[str] = []
        self._sent: list[str] = []
        self._found: dict[str, Draft] = {}
        self._kept: dict[str, Draft] = {}
        self._waiting = False
        self._ready = False

    def begin(self) -> None:
        """The services are open: ask for what was kept."""
        self._controller.backend.call(operations.load_input_history, self._take)

    def _take(self, found: InputHistory | Exception) -> None:
        if not isinstance(found, Exception):
            self._before = list(found.earlier)
            self._found = dict(found.drafts)
            self._kept = dict(found.drafts)
        self._ready = True
        self.restore()
        self._prompt().earlier = self.earlier()
        self.keep()

    def restore(self) -> None:
        """Give the shown pane the draft of an earlier session, unless something was typed there since."""
        pane, prompt = self._controller.pane, self._prompt()
        # A pane that comes into view now gets its draft put into the input with it; until then that holds another's.
        here, self._pane = pane is self._pane, pane
        draft = self._found.pop(key_of(pane), None)
        if draft is None or pane.draft or (here and prompt.text):
            return
        for token, text in draft.pasted.items():
            prompt.pasted.keep(token, text)
        pane.draft = draft.text
        if here:
            prompt.put(draft.text)

    def sent(self, text: str) -> None:
        """A message was sent."""
        self._sent.append(text)
        if self._controller.opened:
            self._save(text, {})

    def earlier(self) -> list[str]:
        """What ↑ recalls, newest last; before anything was asked, the questions that the pane offers."""
        pane = self._controller.pane
        mode = self._controller.modes.get(pane.mode)
        offered = mode.questions.get(self._controller.language, ()) if mode else ()
        known = {*self._before, *self._sent}
        loaded = [view.text for view in pane.messages if view.who == "user" and view.text not in known]
        return [*self._before, *loaded, *self._sent] or list(reversed(offered))

    def soon(self, later: Callable[[], object]) -> None:
        """Something was typed; `later` calls `keep` in a while."""
        if not self._waiting:
            self._waiting = True
            later()

    def keep(self) -> None:
        """Hand on what changed since the last time."""
        self._waiting = False
        changes = self.changes()
        if changes:
            self._save("", changes)

    def _save(self, message: str, changes: Mapping[str, Draft | None]) -> None:
        self._controller.backend.call(operations.save_input, lambda _done: None, message, changes)

    def changes(self) -> dict[str, Draft | None]:
        """Drafts that are not kept as they are now; None for one that is gone."""
        if not self._ready:
            return {}
        now = {**self._found, **self._drafts()}
        changes: dict[str, Draft | None] = {
            key: draft for key, draft in now.items() if self._kept.get(key) != draft
        }
        changes |= dict.fromkeys(self._kept.keys() - now.keys())
        self._kept = now
        return changes

    def _drafts(self) -> dict[str, Draft]:
        from troly.conversation.input_history import Draft

        controller, prompt = self._controller, self._prompt()
        found = {}
        for pane in controller.tabs.everywhere:
            text = prompt.text if pane is controller.pane else pane.draft
            if text.strip():
                found[key_of(pane)] = Draft(text, prompt.pasted.within(text))
        return found


def key_of(pane: Pane) -> str:
    """The name of a pane that it still has after a restart."""
    return pane.conversation or f"new:{pane.mode}"


def type_into_prompt(part: Widget, event: events.Key, place: Place) -> None:
    """Give a letter that does nothing in `part` (its keys are those of `place`) to the input, with the focus."""
    if not event.is_printable or not event.character or event.key in keymap_of(part).held_in(place):
        return
    prompt = getattr(part.screen, "prompt", None)
    if isinstance(prompt, Prompt):
        event.stop()
        prompt.focus()
        prompt.insert(event.character)
