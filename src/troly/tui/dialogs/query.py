"""The editor of queries: coloured text, names to complete it, errors at their place, the rows in the grid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option
from textual.widgets.text_area import TextAreaTheme

from troly.config.actions import Place
from troly.errors import TrolyError
from troly.text.catalogue import tr
from troly.text.fold import fold
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.chat.evidence_tree import EvidenceText
from troly.tui.chat.view import QueryNames, trouble_from
from troly.tui.dialogs.browse import BrowseScreen, Entry, Page
from troly.tui.dialogs.choose import ChooseScreen
from troly.tui.dialogs.grid import GridScreen
from troly.tui.keymap import HINT_GAP, bindings, keymap_of
from troly.tui.render.spans import clip
from troly.tui.theme import Palette
from troly.tui.widgets.dialog import ChoiceList, Dialog
from troly.tui.widgets.lines import KeyHints
from troly.tui.widgets.text_input import TypingArea

if TYPE_CHECKING:
    from troly.conversation.input_history import Queries
    from troly.plugin.events import Table
    from troly.tui.app import TrolyApp

KEYWORDS = {
    "select", "from", "where", "group", "by", "order", "having", "limit", "offset", "join", "left",
    "right", "inner", "outer", "full", "cross", "natural", "on", "using", "as", "and", "or", "not",
    "in", "is", "null", "between", "like", "ilike", "case", "when", "then", "else", "end", "distinct",
    "union", "all", "intersect", "except", "with", "asc", "desc", "over", "partition", "filter",
    "exists", "true", "false", "interval", "cast", "date",
}  # fmt: skip
# What is coloured in a line, by language; the name of a group is its style.
PATTERNS = {
    "sql": re.compile(
        r"(?P<dim>--.*)|(?P<accent>'(?:[^']|'')*'?|\b\d[\d_.]*\b)|(?P<quoted>\"[^\"]*\"?)|(?P<word>[^\W\d]\w*)"
    ),
    "json": re.compile(
        r"(?P<strong>\"\$[^\"]*\"?|\b(?:true|false|null)\b)|(?P<quoted>\"(?:[^\"\\]|\\.)*\"(?=\s*:))"
        r"|(?P<accent>\"(?:[^\"\\]|\\.)*\"?|-?\b\d[\d.eE+-]*)"
    ),
}
HINTS = ("query_run", "query_take", "query_save", "query_open", "query_close")
# The tables of FROM and JOIN with what they are called in the query.
_SOURCES = re.compile(r"\b(?:from|join)\s+\"?(\w+)\"?(?:\s+(?:as\s+)?(\w+))?", re.IGNORECASE)
_WORD = re.compile(r"[\w$.]*$")
MOST = 200


class Name(NamedTuple):
    """A name that completes what is typed: what is written, and what it is."""

    text: str
    hint: str


class NameStart(NamedTuple):
    """What stands before the cursor: a beginning of a name, of which table if one was named, and whether in quotes."""

    word: str
    table: str = ""
    quoted: bool = False


def typed_before(line: str) -> NameStart:
    if line.count('"') % 2:
        return NameStart(line.rpartition('"')[2], quoted=True)
    found = _WORD.search(line)
    table, _, word = (found[0] if found else "").rpartition(".")
    return NameStart(word, table)


def fitting_names(names: QueryNames, text: str, typed: NameStart, column: str) -> list[Name]:
    """The names that begin like, or hold, what is typed: of the tables that the query reads first; all where none does.

    `column` is what a column is called in a hint without more.
    """
    wanted = fold(typed.word)
    called = {fold(alias or name): fold(name) for name, alias in _SOURCES.findall(text)}
    read = {fold(name) for name, _ in names.tables if f'"{name}"' in text} | set(called.values())
    asked = called.get(fold(typed.table), fold(typed.table))
    found: list[Name] = []
    for name, columns in sorted(names.tables, key=lambda one: fold(one[0]) not in read):
        if not asked or fold(name) == asked:
            found += [Name(one, f"{kind or column} · {name}") for one, kind in columns]
    if not asked:
        tables = [Name(name, f"{len(columns)} {column}") for name, columns in names.tables]
        found = [*found, *tables] if read else [*tables, *found]
        found += [Name(word, "") for word in names.words]
        found += (
            []
            if typed.quoted
            else [
                Name(word.upper(), "") for word in sorted(KEYWORDS) if typed.word and word.startswith(wanted)
            ]
        )
    kept = [one for one in found if wanted in fold(one.text)] or found
    return sorted(kept, key=lambda one: not fold(one.text).startswith(wanted))[:MOST]


def place_of(error: Exception, text: str) -> tuple[int, int] | None:
    """Row and column, from 0, of what an error is about; None where it names no place."""
    params = error.params if isinstance(error, TrolyError) else {}
    line, column, part = params.get("line"), params.get("column"), params.get("part")
    if isinstance(line, int) and isinstance(column, int):
        return line - 1, max(0, column - 1)
    at = text.lower().find(str(part).strip().lower()) if part else -1
    return (text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)) if at >= 0 else None


class QueryArea(TypingArea):
    """The text with its colours; `wrong` is the place of an error, until the text is changed."""

    def __init__(self, text: str, language: str, palette: Palette) -> None:
        super().__init__(text, show_line_numbers=True, soft_wrap=True, tab_behavior="focus", compact=True)
        self._pattern = PATTERNS[language]
        self._palette = palette
        self.wrong: tuple[int, int] | None = None
        theme = TextAreaTheme(
            "query",
            cursor_style=Style(reverse=True),
            gutter_style=palette["dim"],
            cursor_line_gutter_style=palette["strong"],
        )
        self.register_theme(theme)
        self.theme = "query"

    def get_line(self, line_index: int) -> Text:
        """A line with keywords, values and the place of an error in their styles."""
        line = super().get_line(line_index)
        for match in self._pattern.finditer(line.plain):
            kind = match.lastgroup or ""
            if kind == "word":
                kind = "strong" if match[0].lower() in KEYWORDS else ""
            if kind not in ("", "quoted"):
                line.stylize(self._palette[kind], *match.span())
        if self.wrong is not None and self.wrong[0] == line_index:
            at = min(self.wrong[1], max(0, len(line.plain) - 1))
            words = (match.span() for match in re.finditer(r"\"[^\"]*\"|[\w$.]+", line.plain))
            start, end = next((span for span in words if span[0] <= at < span[1]), (at, at + 1))
            line.stylize(self._palette["error found"], start, end)
        return line

    def mark(self, place: tuple[int, int] | None) -> None:
        """Show where something is wrong, and go there."""
        if place == self.wrong:
            return
        self.wrong = place
        if place is not None:
            row = min(place[0], self.document.line_count - 1)
            self.move_cursor((row, min(place[1], len(self.document[row]))))
        self._line_cache.clear()
        self.refresh()


class SavedQueries(Page):
    """The queries that were named or run; the chosen one is put into the editor."""

    hints = ("browse_take", "browse_remove", "browse_close")

    def __init__(self, screen: QueryScreen, app: TrolyApp) -> None:
        super().__init__(app, tr("ui.query.saved", app.controller.language))
        self._screen = screen
        self._found: dict[str, str] | None = None

    def load(self) -> None:
        """Ask for them; the one that is just being saved is among them."""
        if not self._screen.keeping:
            self.app.backend.call(operations.read_queries, self._take_queries, self._screen.mode)

    def _take_queries(self, found: Queries | Exception) -> None:
        if not isinstance(found, Exception):
            self._found = {f"n:{name}": text for name, text in found.named.items()}
            self._found |= {f"r:{at}": text for at, text in enumerate(found.recent)}

    def entries(self) -> Sequence[Entry]:
        """Named ones first."""
        lang, found, head = self.app.controller.language, list[Entry](), ""
        if self._found is None:
            return found
        for key, text in self._found.items():
            if key[0] != head:
                head = key[0]
                found.append(Entry("", tr(f"ui.query.{'named' if head == 'n' else 'recent'}", lang)))
            title = key[2:] if head == "n" else " ".join(text.split())
            found.append(Entry(key, title, "", (EvidenceText(text, "code"),)))
        return found or [Entry("-", tr("ui.query.none_saved", lang))]

    def take(self, key: str) -> None:
        if self._found and key in self._found:
            self.app.pop_screen()
            self._screen.put(self._found[key])

    def remove(self, key: str) -> None:
        """Forget the name; the query stays among the recent ones."""
        if key.startswith("n:"):
            self.app.backend.call(
                operations.keep_query, lambda _done: self.load(), self._screen.mode, "", key[2:]
            )


class QueryScreen(Dialog[None]):
    """Writes and runs queries of the assistant `mode`."""

    PLACE: ClassVar[Place] = "query"
    AUTO_FOCUS = "QueryArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("query"),
        Binding("tab", "take", show=False, priority=True),
    ]

    def __init__(self, app: TrolyApp, mode: str, text: str) -> None:
        super().__init__()
        self.mode = mode
        self._app = app
        self._lang = app.controller.language
        self._view = app.controller.modes[mode]
        self._area = QueryArea(sanitize(text), self._view.queries, app.mode_palette())
        self._names = QueryNames(())
        self._shown: list[Name] = []
        self._offered = NameStart("")
        self._busy = False

    def compose(self) -> ComposeResult:
        name = f"{self._view.icon} {self._view.names[self._lang]}"
        kind = tr(f"ui.query.title_{self._view.queries}", self._lang)
        with Vertical(id="query"):
            yield Static(Content.assemble((name, "bold"), (f"   {kind}", "dim")), id="title")
            with Container(id="parts"):
                yield self._area
                yield ChoiceList()
            yield Static("", id="told", markup=False)
            yield (keys := KeyHints(self._app.mode_palette(), id="keys"))
            keys.hints = tuple(keymap_of(self).hints(HINTS, self._lang).split(HINT_GAP))

    def on_mount(self) -> None:
        self._app.backend.call(operations.query_names, self._take_names, self.mode, self._lang)
        self._area.move_cursor(self._area.document.end)

    def _take_names(self, found: QueryNames | Exception) -> None:
        if isinstance(found, Exception):
            self._tell_error(found)
            return
        if not self.query(OptionList):
            return  # it was left meanwhile
        self._names = found
        if not self._area.text.strip():
            self.put(found.example)
        self._offer()

    def put(self, text: str) -> None:
        self._area.load_text(sanitize(text))
        self._area.move_cursor(self._area.document.end)
        self._area.mark(None)

    # Names.

    @property
    def _typed(self) -> NameStart:
        row, column = self._area.cursor_location
        return typed_before(self._area.document[row][:column])

    def _offer(self) -> None:
        column, self._offered = tr("ui.query.column", self._lang), self._typed
        self._shown = fitting_names(self._names, self._area.text, self._offered, column)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(_row(one)) for one in self._shown])
        options.highlighted = 0 if self._shown else None

    def on_text_area_changed(self) -> None:
        """Other names fit; the error is another one, if there still is one."""
        self._app.queries[self.mode] = self._area.text
        if self._area.wrong is not None:
            self._area.mark(None)
            self._tell("")
        self._offer()

    def on_text_area_selection_changed(self) -> None:
        self._offer()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._write(self._shown[event.option_index])

    def action_names(self, by: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            options.highlighted = ((options.highlighted or 0) + by) % len(self._shown)

    def action_take(self) -> None:
        """Write the chosen name where a beginning of it was typed, else indent."""
        typed = self._typed
        if typed != self._offered:
            # The cursor moved in the same read of the terminal.
            self._offer()
        at = self.query_one(OptionList).highlighted
        wanted = fold(typed.word)
        if (
            at is not None
            and (typed.word or typed.table or typed.quoted)
            and wanted in fold(self._shown[at].text)
        ):
            self._write(self._shown[at])
        else:
            self._area.insert("  ")

    def _write(self, name: Name) -> None:
        typed, (row, column) = self._typed, self._area.cursor_location
        text, rest = sanitize(name.text, keep_newlines=False), self._area.document[row][column:]
        if typed.quoted:
            text += "" if rest.startswith('"') else '"'
        elif self._view.queries == "json" or not re.fullmatch(r"\w+", text):
            text = f'"{text}"'
        self._area.replace(
            text, (row, column - len(typed.word)), (row, column), maintain_selection_offset=False
        )
        self._area.focus()

    # Running and keeping.

    def action_run(self) -> None:
        if self._busy or not self._area.text.strip():
            return
        self._busy = True
        self._tell(tr("ui.query.running", self._lang))
        self._app.backend.call(operations.run_query, self._take_rows, self.mode, self._area.text, self._lang)

    def _take_rows(self, found: tuple[Table, str] | Exception) -> None:
        self._busy = False
        if isinstance(found, Exception):
            self._tell_error(found)
            return
        table, said = found
        self._area.mark(None)
        self._tell(said)
        if table.rows and self._app.screen is self:
            self._app.push_screen(GridScreen([table], 0, self._lang, self._app.backend))
        elif not table.rows:
            self._tell(tr("ui.query.no_rows", self._lang))

    def _tell_error(self, error: Exception) -> None:
        place = place_of(error, self._area.text)
        self._area.mark(place)
        trouble = trouble_from(error, self._lang)
        said = isinstance(error, TrolyError) and f"{error.params.get('line')}" in trouble.message
        where = (
            ""
            if place is None or said
            else tr("ui.query.place", self._lang, line=place[0] + 1, column=place[1] + 1)
        )
        told = sanitize(
            " ".join(part for part in (where, trouble.message or trouble.title, trouble.remedy) if part)
        )
        self._tell(told, wrong=True)

    def _tell(self, text: str, *, wrong: bool = False) -> None:
        # Whoever left meanwhile took the line away.
        for told in self.query("#told").results(Static):
            told.set_class(wrong, "-wrong")
            told.update(Content(sanitize(text)))

    def action_save(self) -> None:
        text = self._area.text
        if text.strip():
            title = tr("ui.query.name", self._lang)
            dialog = ChooseScreen(title, tr("ui.query.name_hint", self._lang), lambda _typed: (), free=True)
            self._app.push_screen(dialog, lambda name: self._keep(text, name or ""))

    def _keep(self, text: str, name: str) -> None:
        def done(found: object) -> None:
            if isinstance(found, Exception):
                self._tell_error(found)
            else:
                self._tell(tr("ui.query.kept", self._lang, name=name))
            self.keeping = False
            if isinstance(self._app.screen, BrowseScreen):
                self._app.screen.load()

        if name:
            self.keeping = True
            self._app.backend.call(operations.keep_query, done, self.mode, text, name)

    def action_open(self) -> None:
        hint = tr("ui.browse.hint", self._lang)
        self._app.push_screen(BrowseScreen(self._app.mode_palette(), [SavedQueries(self, self._app)], hint))


def _row(name: Name) -> Content:
    return Content.assemble(
        f" {clip(sanitize(name.text), 40)}", Content.styled(f"  {sanitize(name.hint)}", "dim")
    )
