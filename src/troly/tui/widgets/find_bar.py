"""The line below the messages where one looks for words in them: as they are typed, with their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import Input, Static

from troly.text.catalogue import Lang, tr
from troly.tui.finding import Finder, Hit
from troly.tui.message_text import opened_names
from troly.tui.render.marks import Found, Marks
from troly.tui.view import TextPart
from troly.tui.widgets.bars import FIND
from troly.tui.widgets.transcript import Transcript
from troly.tui.widgets.typing import TypingInput

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp
    from troly.tui.paging import Paging

# How long one slice of the search may take, and how often one begins: typing is echoed in between.
SLICE, EVERY = 0.015, 0.025
# A long text may take several slices to be rendered to its end.
MOST_SLICES = 60


class FindBar(Horizontal):
    """An input, what was found, and keys; closed with Esc."""

    DEFAULT_CSS = """
    FindBar { height: 1; margin: 0 2; }
    FindBar TypingInput { width: 1fr; height: 1; border: none; padding: 0 1; background: $panel; }
    FindBar TypingInput:focus { border: none; background-tint: transparent 0%; }
    FindBar Static { width: auto; height: 1; padding: 0 1; background: $panel; color: $quiet; }
    """
    BINDINGS = [  # noqa: RUF012 (as the framework declares it)
        Binding("escape", "leave", show=False),
        Binding("up,enter", "step(1)", show=False, priority=True),
        Binding("down,shift+enter", "step(-1)", show=False, priority=True),
    ]

    def __init__(
        self, transcript: Transcript, paging: Paging, lang: Lang, back: Callable[[], object]
    ) -> None:
        super().__init__()
        self._back = back
        self.transcript = transcript
        self.pane = transcript.pane
        self.finder = Finder(lambda: self.pane.messages)
        self._paging = paging
        self._lang: Lang = lang
        self._begun = self._whole = False
        self._looked_at = (0, 0, 0)

    def compose(self) -> ComposeResult:
        """One line."""
        yield TypingInput(placeholder=tr("ui.find.hint", self._lang), compact=True, id=FIND)
        yield Static(tr("ui.find.keys", self._lang), markup=False)

    def on_mount(self) -> None:
        """The keys come here."""
        entry = self.query_one(TypingInput)
        entry.cursor_blink = False
        entry.focus()
        self.set_interval(EVERY, self._work)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is written now."""
        self.finder.look_for(event.value)
        self._begun = False
        wanted = self.finder.wanted
        self.transcript.marks = Marks(wanted) if wanted else None
        self.transcript.refresh()
        self._whole = False
        self._work()

    def _work(self) -> None:
        if self.transcript.pane is not self.pane:
            self.action_leave()
            return
        last = self.pane.messages[-1]
        state = (len(self.pane.messages), last.key, last.revision)
        if self._whole and state == self._looked_at:
            return
        self._looked_at = state
        whole = self.finder.work(SLICE)
        if not self._begun and self.finder.count:
            self._begun = True
            self._show(self.finder.begin(self._newest_seen()))
        if whole and self.finder.wanted:
            whole = not self.pane.messages[0].before or self._paging.failed(self.pane)
            if not whole:
                self._paging.fetch(self.pane)
        self._whole = whole
        self._say(whole)

    def _newest_seen(self) -> list[int]:
        """The messages from the last one in view upwards."""
        ledger = self.transcript.ledger
        last = None if ledger is None else ledger.message_at(self.transcript.bottom)
        keys = [view.key for view in reversed(self.pane.messages)]
        return keys[keys.index(last.key) :] if last is not None and last.key in keys else keys

    def _say(self, whole: bool) -> None:
        lang, count = self._lang, self.finder.count
        if not self.finder.wanted:
            said = tr("ui.find.keys", lang)
        elif whole and not count:
            said = tr("ui.find.none", lang)
        else:
            said = tr("ui.find.count" if whole else "ui.find.looking", lang, at=self.finder.at, count=count)
        self.query_one(Static).update(said)

    def action_step(self, by: int) -> None:
        """Show the next match, older for 1 and newer for -1."""
        self._show(self.finder.step(by))
        self._say(self._whole)

    def _show(self, hit: Hit | None) -> None:
        marks, ledger = self.transcript.marks, self.transcript.ledger
        if hit is None or marks is None or ledger is None:
            return
        pieces = self._pieces(hit, marks)
        piece = next((p for p in pieces if p.number == hit.number), pieces[-1] if pieces else None)
        marks.current = (hit.key, piece.number if piece is not None else -1)
        row = ledger.first_row(hit.key) + (piece.row if piece is not None else 0)
        self.transcript.bring(row)

    def _pieces(self, hit: Hit, marks: Marks) -> list[Found]:
        """The matches in the lines of the message, all of which is rendered; what hides them is opened."""
        ledger = self.transcript.ledger
        if ledger is None:
            return []
        pieces: list[Found] = []
        for _ in range(MOST_SLICES):
            ledger.measured(hit.key)
            pieces = marks.of(ledger, hit.key)
            if len({piece.number for piece in pieces}) > hit.number or not ledger.behind:
                break
        index = ledger.index_of(hit.key)
        if pieces or index is None:
            return pieces
        view = ledger.views[index]
        for at, part in enumerate(view.parts):
            if not isinstance(part, TextPart):
                view.opened |= set(opened_names(part, f"{view.key}.{at}"))
        view.touch()
        self.transcript.relay()
        return marks.of(ledger, hit.key)

    def action_leave(self) -> None:
        """Close; the messages stay where they are."""
        self.transcript.marks = None
        self.transcript.refresh()
        self.remove()
        self._back()


def open_find_bar(app: TrolyApp) -> None:
    """Show the line below the messages of the pane with the input, or give it the keys again."""
    transcript = app.chat.transcript
    bars = [bar for bar in app.chat.query(FindBar) if bar.transcript is transcript]
    if bars and bars[0].query_one(TypingInput).has_focus:
        bars[0].action_leave()  # the key that opened it
    elif bars:
        bars[0].query_one(TypingInput).focus()
    elif transcript.parent is not None:
        back = app.chat.prompt.focus
        bar = FindBar(transcript, app.paging(), app.controller.language, back)
        bar.styles.margin = (0, 2 + transcript.indent)
        app.chat.mount(bar, after=transcript)
