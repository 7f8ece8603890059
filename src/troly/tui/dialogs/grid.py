"""A table above the chat: walk through it, sort it by any column, save it as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import DataTable, Static

from troly.config.actions import Place
from troly.text.catalogue import Lang, tr
from troly.text.dates import parse_date
from troly.text.fold import fold
from troly.text.numbers import parse_number
from troly.text.sanitize import sanitize
from troly.tui.chat.view import trouble_of
from troly.tui.keymap import bindings, keymap_of

if TYPE_CHECKING:
    from troly.plugin.events import Table


# The order of table cells as people mean it: numbers by value, days by date, words by their letters.


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


Export = Callable[["Table", Callable[[str | Exception], None]], None]
HINTS = ("grid_sort", "grid_export", "grid_close")
UP, DOWN = " ▲", " ▼"


class GridScreen(ModalScreen[None]):
    """Closed with Esc. `export` saves the table in the order that is shown."""

    CSS_PATH = "../styles/above.tcss"
    PLACE: ClassVar[Place] = "grid"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("grid")]

    def __init__(self, table: Table, lang: Lang, export: Export) -> None:
        super().__init__()
        self._table = table
        self._lang: Lang = lang
        self._export = export
        self._order = list(range(len(table.rows)))
        self._by: int | None = None
        self._falling = False

    def compose(self) -> ComposeResult:
        """Title, grid, keys."""
        title = sanitize(self._table.title, keep_newlines=False) or tr("ui.grid.title", self._lang)
        with Vertical(id="grid"):
            yield Static(Content.styled(title, "bold"), id="title")
            yield DataTable(zebra_stripes=False, cursor_type="cell")
            yield Static(Content(keymap_of(self).hints(HINTS, self._lang)), id="keys")

    def on_mount(self) -> None:
        """Fill the grid."""
        self._fill()
        self.query_one(DataTable).focus()

    def _fill(self) -> None:
        grid: DataTable[Text] = self.query_one(DataTable)
        place = grid.cursor_coordinate
        grid.clear(columns=True)
        for index, name in enumerate(self._table.columns):
            mark = (DOWN if self._falling else UP) if index == self._by else ""
            grid.add_column(Text(sanitize(name, keep_newlines=False) + mark), key=str(index))
        for row in self._order:
            grid.add_row(*(self._cell(index, text) for index, text in enumerate(self._table.rows[row])))
        grid.move_cursor(row=place.row, column=place.column)

    def _cell(self, index: int, text: str) -> Text:
        right = index in self._table.numeric
        return Text(sanitize(text, keep_newlines=False), justify="right" if right else "left")

    def action_sort(self) -> None:
        """Sort by the column of the cursor; once more turns the order round."""
        self._sort(self.query_one(DataTable).cursor_column)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """Sort by the column whose head was clicked."""
        self._sort(event.column_index)

    def _sort(self, column: int) -> None:
        self._falling = column == self._by and not self._falling
        self._by = column
        rows = self._table.rows
        self._order.sort(key=lambda row: sort_key(rows[row][column]), reverse=self._falling)
        self._fill()

    def action_export(self) -> None:
        """Save the rows in the order shown."""
        import dataclasses

        shown = dataclasses.replace(self._table, rows=tuple(self._table.rows[row] for row in self._order))
        self._export(shown, self._saved)

    def _saved(self, path: str | Exception) -> None:
        if isinstance(path, Exception):
            trouble = trouble_of(path, self._lang)
            text = " ".join(part for part in (trouble.title, trouble.message, trouble.remedy) if part)
            self.app.notify(text, severity="error", markup=False)
        else:
            self.app.notify(tr("ui.grid.saved", self._lang, file=path), markup=False, timeout=8)
