"""Two answers to one question beside each other: the words that only one of them has are marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Static

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.view import BranchView, MessageView, Pane
from troly.tui.keymap import HINT_GAP, bindings, keymap_of
from troly.tui.render.figures import counted, duration
from troly.tui.render.message import message_text
from troly.tui.render.spans import BLANK, Line, Span, wrap
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import Dialog
from troly.tui.widgets.lines import KeyHints, LinesView

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp

# The answer that is written is looked at so often (seconds); longer ones than so many words are not compared.
LOOKED, MOST_WORDS = 0.3, 4_000
# From so many columns a blank line parts the text from its head.
ROOMY = 60
HINTS = ("compare_scroll", "compare_keep", "compare_close")
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def own_words(text: str, other: str) -> list[Span]:
    """`text` in pieces; the words that `other` does not have at that place are marked."""
    pieces, words = _PIECE.findall(text), [one for one in _PIECE.findall(other) if not one.isspace()]
    places = [at for at, one in enumerate(pieces) if not one.isspace()]
    if max(len(places), len(words)) > MOST_WORDS:
        return [Span(text)]
    matcher = SequenceMatcher(
        None, [pieces[at].lower() for at in places], [one.lower() for one in words], autojunk=False
    )
    same = {
        places[at] for block in matcher.get_matching_blocks() for at in range(block.a, block.a + block.size)
    }
    own = {at for at in places if at not in same and pieces[at].isalnum()}
    return [Span(one, "found accent" if at in own else "") for at, one in enumerate(pieces)]


class ComparedText(LinesView, can_focus=False):
    """One of the answers below who wrote it."""

    def __init__(self, palette: Palette, name: str) -> None:
        super().__init__(palette, id=name)
        self.head = ""
        self.told = ""
        self.text: Sequence[Span] = ()

    def build(self, width: int) -> list[Line]:
        head = wrap([Span(self.head, "who"), Span(f"   {self.told}", "dim")], max(8, width - 1))
        return [*head, *([BLANK] if width >= ROOMY else []), *wrap(list(self.text), max(8, width - 1))]


class CompareScreen(Dialog[None]):
    """The answer `first`, and what `model` says in the branch `made`, which stays where it is kept and goes else."""

    PLACE: ClassVar[Place] = "compare"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("compare"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
    ]

    def __init__(
        self, app: TrolyApp, first: MessageView, question: str, made: BranchView, model: str
    ) -> None:
        super().__init__()
        self._app = app
        self._lang = app.controller.language
        self._answer = first
        self._question = question
        self._model = model
        self._pane = Pane(made.mode, made.conversation, made.title, model=model, kept_model=model)
        self._first = ComparedText(app.mode_palette(), "first")
        self._second = ComparedText(app.mode_palette(), "second")
        self._seen = -1

    def compose(self) -> ComposeResult:
        with Vertical(id="compare"):
            yield Static(Content(sanitize(self._question, keep_newlines=False)), id="title")
            with Container(id="parts"):
                yield self._first
                yield self._second
            yield (keys := KeyHints(self._first.palette, id="keys"))
            keys.hints = tuple(keymap_of(self).hints(HINTS, self._lang).split(HINT_GAP))

    def on_mount(self) -> None:
        self._app.controller.submit(self._question, self._pane)
        self.set_interval(LOOKED, self._look)
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        lang, answer = self._lang, self._pane.last_answer
        revision = answer.revision if answer else 0
        if revision == self._seen:
            return
        self._seen = revision
        one, other = message_text(self._answer, lang), message_text(answer, lang) if answer else ""
        done = answer is not None and answer.finished
        self._first.head = tr("ui.branch.now", lang)
        self._second.head = sanitize(self._model, keep_newlines=False)
        self._first.told = _cost(self._answer, lang)
        self._first.text, self._second.text = [Span(one)], [Span(other)]
        self._second.told = tr("ui.branch.writing", lang)
        if answer is not None and done:
            self._first.text, self._second.text = own_words(one, other), own_words(other, one)
            trouble = [answer.trouble.title] if answer.trouble else []
            self._first.told = self._told(self._first, [self._first.told])
            self._second.told = self._told(self._second, [*trouble, _cost(answer, lang)])
        self._first.rebuild()
        self._second.rebuild()

    def _told(self, part: ComparedText, before: list[str]) -> str:
        count = sum("found" in span.style for span in part.text)
        key = "ui.branch.differ" if count else "ui.branch.same"
        differs = any("found" in span.style for span in (*self._first.text, *self._second.text))
        return " · ".join([*before, *([tr(key, self._lang, count=count)] if count or not differs else [])])

    def action_scroll(self, by: int) -> None:
        for part in (self._first, self._second):
            part.scroll_relative(y=by)

    def action_keep(self) -> None:
        if self._pane.running:
            self._app.say(tr("ui.branch.wait", self._lang), 3)
            return
        self.dismiss(None)
        self._pane.messages, self._pane.unloaded = [], True
        self._app.controller.show(self._pane)

    def action_leave(self) -> None:
        """Drop the new answer; its conversation goes with it once it is not written to any more."""
        pane, controller = self._pane, self._app.controller
        controller.stop(pane)
        self.dismiss(None)

        def drop(_found: object = None) -> None:
            if pane.running:
                self._app.set_timer(LOOKED, drop)
            else:
                controller.backend.call(
                    operations.delete_conversation,
                    lambda _done: controller.refresh(),
                    pane.conversation or "",
                )

        drop()


def _cost(answer: MessageView, lang: Lang) -> str:
    calls = counted("ui.status.calls", answer.calls, lang)
    return " · ".join([calls, *([duration(answer.ms, lang)] if answer.ms is not None else [])])
