"""The tables of a conversation above the chat: walk through them, sort, filter, save as CSV or for Excel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import DataTable, Static

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.text.dates import parse_date
from troly.text.fold import fold
from troly.text.numbers import parse_number
from troly.text.sanitize import sanitize
from troly.tui import operations
from troly.tui.backend import Backend
from troly.tui.chat.view import trouble_from
from troly.tui.keymap import bindings, keymap_of
from troly.tui.widgets.dialog import Dialog
from troly.tui.widgets.text_input import TypingInput

if TYPE_CHECKING:
    from troly.plugin.events import Table


Key = tuple[int, float, str]


def sort_key(cell: str) -> Key:
    """Where `cell` stands: numbers and days first, then words, blanks last."""
    text = cell.strip()
    if not text:
        return 2, 0.0, ""
    day = parse_date(text)
    if day is not None:
        return 0, float(day.toordinal()), ""
    value = parse_number(text) or parse_number(text.rpartition(" ")[0])
    if value is not None:
        return 0, float(value), ""
    return 1, 0.0, fold(text)


HINTS = ("grid_sort", "grid_filter", "grid_export", "grid_excel", "grid_next", "grid_close")
UP, DOWN = " ▲", " ▼"
# The least width, and what frame and padding take beside the columns.
WIDTH, BESIDE = 84, 8


class GridScreen(Dialog[None]):
    """The table at place `at` of `tables`, which the keys go through. What is saved is what is shown, in its order."""

    PLACE: ClassVar[Place] = "grid"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("grid")]

    def __init__(self, tables: Sequence[Table], at: int, lang: Lang, backend: Backend) -> None:
        super().__init__()
        self._tables = tables
        self._at = at
        self._lang: Lang = lang
        self._backend = backend
        self._order: list[int] = []
        # The widest of each column, in cells.
        self._widths: list[int] = []
        self._by: int | None = None
        self._falling = False

    @property
    def _table(self) -> Table:
        return self._tables[self._at]

    def compose(self) -> ComposeResult:
        with Vertical(id="grid"):
            yield Static("", id="title", markup=False)
            yield TypingInput(placeholder=tr("ui.grid.filter", self._lang), compact=True)
            yield DataTable(zebra_stripes=False, cursor_type="cell")
            yield Static(Content(keymap_of(self).hints(HINTS, self._lang)), id="keys")

    def on_mount(self) -> None:
        self._show(self._at)

    def _show(self, at: int) -> None:
        self._at, self._by, self._falling = at, None, False
        self._order = list(range(len(self._table.rows)))
        columns = zip_longest(self._table.columns, *self._table.rows, fillvalue="")
        self._widths = [max(map(cell_len, cells)) for cells in columns]
        # As wide as the columns with a mark of their order, at least as the keys.
        box = self.query_one("#grid").styles
        box.width, box.max_width = (
            max(WIDTH, BESIDE + sum(2 + len(UP) + wide for wide in self._widths)),
            "96%",
        )
        self.query_one(TypingInput).value = ""
        self._fill()
        self.query_one(DataTable).focus()

    @property
    def _shown(self) -> list[int]:
        """The rows that hold all words that are looked for, diacritics or not."""
        words = fold(self.query_one(TypingInput).value).split()
        rows = self._table.rows
        return [row for row in self._order if all(word in fold(" ".join(rows[row])) for word in words)]

    def _fill(self) -> None:
        grid: DataTable[Text] = self.query_one(DataTable)
        place, shown, numeric = grid.cursor_coordinate, self._shown, self._table.numeric
        grid.clear(columns=True)
        for index, name in enumerate(self._table.columns):
            mark = (DOWN if self._falling else UP) if index == self._by else ""
            label = sanitize(name, keep_newlines=False) + mark
            # A width that the grid finds itself comes after the first paint, which stays.
            width = max(cell_len(label), self._widths[index])
            grid.add_column(Text(label), key=str(index), width=width)
        for row in shown:
            cells = enumerate(sanitize(text, keep_newlines=False) for text in self._table.rows[row])
            grid.add_row(*(Text(text, justify="right" if at in numeric else "left") for at, text in cells))
        grid.move_cursor(row=place.row, column=place.column)
        title = sanitize(self._table.title, keep_newlines=False) or tr("ui.grid.title", self._lang)
        count = tr("ui.grid.count", self._lang, shown=len(shown), total=len(self._order))
        which = f"  {self._at + 1}/{len(self._tables)}" if len(self._tables) > 1 else ""
        self.query_one("#title", Static).update(
            Content.assemble(Content.styled(title, "bold"), Content.styled(f"  {count}{which}", "dim"))
        )

    def action_sort(self) -> None:
        """Sort by the column of the cursor; once more turns the order round."""
        self._sort(self.query_one(DataTable).cursor_column)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        self._sort(event.column_index)

    def _sort(self, column: int) -> None:
        self._falling = column == self._by and not self._falling
        self._by = column
        rows = self._table.rows
        self._order.sort(key=lambda row: sort_key(rows[row][column]), reverse=self._falling)
        self._fill()

    def action_filter(self) -> None:
        self.query_one(TypingInput).focus()

    def on_input_changed(self) -> None:
        self._fill()

    def on_input_submitted(self) -> None:
        self.query_one(DataTable).focus()

    def action_other(self, by: int) -> None:
        self._show((self._at + by) % len(self._tables))

    def action_export(self, form: Literal["csv", "xlsx"] = "csv") -> None:
        rows = tuple(self._table.rows[row] for row in self._shown)
        self._backend.call(operations.save_table, self._saved, replace(self._table, rows=rows), form)

    def _saved(self, path: str | Exception) -> None:
        if isinstance(path, Exception):
            text = " ".join(part for part in trouble_from(path, self._lang) if part)
            self.app.notify(text, severity="error", markup=False)
        else:
            self.app.notify(tr("ui.grid.saved", self._lang, file=path), markup=False, timeout=8)
