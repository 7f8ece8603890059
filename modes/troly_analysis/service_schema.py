"""Shows sheets and their fields as the answer of get_data_schema (001-10)."""

from __future__ import annotations

from collections.abc import Sequence

from troly_analysis.types import QueryAnswer, Result, Run, Sheet

COLUMNS = ("connection_name", "rows", "field", "type", "unit", "least", "most", "examples")
_EXAMPLES = 8
_MAX_ROWS = 1000


def schema(sheets: Sequence[Sheet]) -> QueryAnswer:
    """One row a field: its sheet, the sheet's rows, its name, type, unit, range and most frequent values.

    Named metrics follow the fields of their sheet with the type `metric` and their definition as the example. Of
    sheets with very many fields together only the first 1000 are shown.
    """
    rows: list[tuple[object, ...]] = []
    for sheet in sheets:
        for field in sheet.fields:
            examples = ", ".join(field.examples[:_EXAMPLES])
            rows.append(
                (
                    sheet.name,
                    sheet.rows,
                    field.name,
                    field.kind,
                    field.unit,
                    field.least,
                    field.most,
                    examples,
                )
            )
        rows += [(sheet.name, sheet.rows, m.name, "metric", "", "", "", m.text) for m in sheet.metrics]
    result = Result(
        kind="rows" if rows else "empty",
        columns=COLUMNS if rows else (),
        rows=tuple(rows[:_MAX_ROWS]),
        units=("",) * len(COLUMNS) if rows else (),
        truncated=len(rows) > _MAX_ROWS,
    )
    return QueryAnswer(result, Run(sql="", rows_read=0))
