"""Entries on pages above the chat: a list that is narrowed by typing, and beside or below it all of what is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from troly.config.actions import Place
from troly.text.catalogue import tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui.chat.evidence import body_lines
from troly.tui.chat.evidence_tree import EvidenceText
from troly.tui.keymap import HINT_GAP, bindings, keymap_of, language_of
from troly.tui.render.spans import Line, Span, clip, line
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import ChoiceList, ListDialog
from troly.tui.widgets.lines import KeyHints, LinesView
from troly.tui.widgets.text_input import TypingInput

if TYPE_CHECKING:
    from troly.tui.app import TrolyApp

# Work beside the chat goes on while a page is looked at.
RENEWED = 0.5
# Lines of one text.
LONGEST = 5_000


class Entry(NamedTuple):
    """One line of a page with what is told of it; one without a `key` is the heading of those after it."""

    key: str
    title: str
    right: str = ""
    detail: tuple[EvidenceText, ...] = ()

    @property
    def searched(self) -> str:
        """What is looked through when a person types."""
        return fold(" ".join((self.title, self.right, *(one.text for one in self.detail))))


class Page:
    """What a page has and does; `hints` are the names of its keys for the line below, `words` what is said there instead.

    `reading` says that what is told of an entry is more than the list: it gets more room.
    """

    hints: tuple[str, ...] = ("browse_take", "browse_close")
    words: Mapping[str, str] = MappingProxyType({})
    reading = False

    def __init__(self, app: TrolyApp, title: str) -> None:
        self.app = app
        self.title = title

    def load(self) -> None:
        """Ask for what the page shows; called when it opens and when something was changed."""

    def entries(self) -> Sequence[Entry]:
        raise NotImplementedError

    def take(self, key: str) -> None:
        """Enter was pressed on an entry."""

    def remove(self, key: str) -> None:
        """Delete was pressed on an entry."""


class PageTitles(LinesView):
    def __init__(self, palette: Palette, pages: Sequence[Page]) -> None:
        super().__init__(palette)
        self._pages = pages
        self.shown = 0

    def build(self, width: int) -> list[Line]:  # noqa: ARG002 (one line, cut where there is no room)
        spans = [
            Span(f"{page.title}   ", "who" if at == self.shown else "dim", f"page:{at}")
            for at, page in enumerate(self._pages)
        ]
        return [line(*spans)]


class Detail(LinesView):
    paras: tuple[EvidenceText, ...] = ()

    def build(self, width: int) -> list[Line]:
        return list(body_lines(self.paras, max(8, width - 1), LONGEST))


class BrowseScreen(ListDialog[None]):
    """The keys stay in the input: letters narrow the list, arrows choose, Enter takes, Tab shows the next page."""

    PLACE: ClassVar[Place] = "browse"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("browse"),
        Binding("pageup", "scroll(-1)", show=False, priority=True),
        Binding("pagedown", "scroll(1)", show=False, priority=True),
        Binding("tab", "page(1)", show=False, priority=True),
        Binding("shift+tab", "page(-1)", show=False, priority=True),
        Binding("delete", "remove", show=False, priority=True),
    ]

    def __init__(self, palette: Palette, pages: Sequence[Page], hint: str) -> None:
        super().__init__()
        self._pages = pages
        self._hint = hint
        self._titles = PageTitles(palette, pages)
        self._detail = Detail(palette)
        self._shown: dict[str, Entry] = {}
        self._laid: tuple[object, ...] = ()

    @property
    def page(self) -> Page:
        return self._pages[self._titles.shown]

    def compose(self) -> ComposeResult:
        with Vertical(id="browse", classes="-reading" if self.page.reading else ""):
            yield self._titles
            yield TypingInput(placeholder=self._hint, compact=True)
            with Container(id="parts"):
                yield ChoiceList()
                yield self._detail
            yield KeyHints(self._titles.palette, id="keys")

    def on_mount(self) -> None:
        self.load()
        self._name_keys()
        self.call_after_refresh(self.renew)
        self.set_interval(RENEWED, self.renew)

    def load(self) -> None:
        for page in self._pages:
            page.load()

    def on_resize(self) -> None:
        self.call_after_refresh(self.renew)

    def _name_keys(self) -> None:
        names = [
            *self.page.hints[:-1],
            *(["browse_page"] if len(self._pages) > 1 else []),
            self.page.hints[-1],
        ]
        keys = self.query_one(KeyHints)
        keys.hints = tuple(keymap_of(self).hints(names, language_of(self), self.page.words).split(HINT_GAP))
        keys.rebuild()

    def renew(self) -> None:
        """Show what the page has now; what was chosen stays chosen."""
        options, words = self.query_one(OptionList), fold(self.query_one(TypingInput).value).split()
        width = options.scrollable_content_region.width - 1
        entries = tuple(self.page.entries())
        laid = (self._titles.shown, width, tuple(words), entries)
        if laid == self._laid or width < 1:
            return
        before, same = self.chosen, self._laid[:1] == laid[:1]
        self._laid = laid
        found = [one for one in entries if not one.key or all(word in one.searched for word in words)]
        kept = [
            one
            for one, after in zip(found, [*found[1:], None], strict=False)
            if one.key or (after and after.key)
        ]
        self._shown = {one.key: one for one in kept if one.key}
        options.clear_options()
        options.add_options(
            [Option(_row(one, width), id=one.key or None, disabled=not one.key) for one in kept]
        )
        if self._shown:
            key = before.key if before and same and before.key in self._shown else next(iter(self._shown))
            options.highlighted = options.get_option_index(key)
        self._tell()

    @property
    def chosen(self) -> Entry | None:
        options = self.query(OptionList)
        option = options.first().highlighted_option if options else None
        return self._shown.get(option.id or "") if option else None

    def _tell(self) -> None:
        paras = self.chosen.detail if self.chosen else ()
        if not self._shown:
            key = "none" if self.query_one(TypingInput).value else "loading"
            paras = (EvidenceText(tr(f"ui.browse.{key}", language_of(self))),)
        paras = tuple(one._replace(text=sanitize(one.text)) for one in paras)
        if paras != self._detail.paras:
            self._detail.paras = paras
            self._detail.scroll_to(y=0)
            self._detail.rebuild()

    def on_option_list_option_highlighted(self) -> None:
        self._tell()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.page.take(event.option.id or "")

    def on_input_changed(self) -> None:
        self.renew()

    def on_input_submitted(self) -> None:
        if self.chosen is not None:
            self.page.take(self.chosen.key)

    def on_lines_view_pressed(self, event: LinesView.Pressed) -> None:
        event.stop()
        self.action_page(int(event.action.partition(":")[2]) - self._titles.shown)

    def action_scroll(self, by: int) -> None:
        self._detail.scroll_relative(y=by * max(1, self._detail.size.height - 1))

    def action_page(self, by: int) -> None:
        self._titles.shown = (self._titles.shown + by) % len(self._pages)
        self._titles.rebuild()
        self.query_one(TypingInput).value = ""
        self._name_keys()
        self.renew()

    def action_remove(self) -> None:
        if self.chosen is not None:
            self.page.remove(self.chosen.key)

    def action_copy(self) -> None:
        if self.chosen is not None:
            told = "\n".join((self.chosen.title, *(one.text for one in self.chosen.detail)))
            self.app.copy_to_clipboard(sanitize(told))
            self.app.notify(tr("ui.trouble.copied", language_of(self)), markup=False, timeout=2)


def _row(entry: Entry, width: int) -> Content:
    title, right = (sanitize(text, keep_newlines=False) for text in (entry.title, entry.right))
    if not entry.key:
        return Content.styled(clip(title, width), "bold")
    right = clip(right, max(8, width * 3 // 5))
    left = f"  {clip(title, max(4, width - cell_len(right) - 3))}"
    return Content.assemble(
        left, " " * max(1, width - cell_len(left) - cell_len(right)), Content.styled(right, "dim")
    )
