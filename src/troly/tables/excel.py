"""A table as an Excel sheet: numbers as numbers, all else as text, never as a formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from io import BytesIO

from rich.cells import cell_len

from troly.text.numbers import parse_number
from troly.text.sanitize import sanitize

# Characters of the widest column.
WIDEST = 60
# A number that is followed by a unit keeps it, and is text.
_BARE = re.compile(r"[-+]?[\d.,\s]+")


def sheet_bytes(
    columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[int] = ()
) -> bytes:
    """The file: a bold head that stays in view, columns as wide as their text; `numeric` columns are numbers where they are only that."""
    import xlsxwriter  # type: ignore[import-untyped]

    out = BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet, head = book.add_worksheet(), book.add_format({"bold": True})
        for column, name in enumerate(columns):
            sheet.write_string(0, column, sanitize(name, keep_newlines=False), head)
        for number, row in enumerate(rows, start=1):
            for column, cell in enumerate(row):
                value = parse_number(cell) if column in numeric and _BARE.fullmatch(cell.strip()) else None
                if value is not None:
                    sheet.write_number(number, column, float(value))
                else:
                    sheet.write_string(number, column, sanitize(cell))
        for column, name in enumerate(columns):
            widest = max(
                cell_len(text) for text in (name, *(row[column] for row in rows if column < len(row)))
            )
            sheet.set_column(column, column, min(WIDEST, widest + 2))
        sheet.freeze_panes(1, 0)
    return out.getvalue()
