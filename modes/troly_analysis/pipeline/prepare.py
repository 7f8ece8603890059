"""From a pipeline as given to one SQL statement and the shape of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlglot import exp

from troly_analysis.pipeline.check import Checked, validate
from troly_analysis.pipeline.compiler import Compiler
from troly_analysis.pipeline.kinds import Type
from troly_analysis.pipeline.operators import MAX_RESULT
from troly_analysis.pipeline.problems import At
from troly_analysis.pipeline.relation import of_sheet
from troly_analysis.pipeline.stages import compiled, needs_order
from troly_analysis.service_run import plain
from troly_analysis.service_sql import column
from troly_analysis.types import Sheet


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement that gives at most 1001 rows: one more than may be shown says that there are more.

    `patterns` are the regular expressions in it, to be tried before it runs.
    """

    statement: exp.Expr
    columns: tuple[str, ...]
    types: tuple[Type, ...]
    units: tuple[str, ...]
    patterns: tuple[tuple[str, At], ...]

    def row(self, cells: Sequence[Any]) -> tuple[Any, ...]:
        """A row as Python values; documents by the names the pipeline gave their fields."""
        return tuple(value(cell, kind) for cell, kind in zip(cells, self.types, strict=True))


def value(cell: Any, kind: Type) -> Any:
    """One cell as Python has it."""
    if cell is None:
        return None
    if kind.item is not None:
        return [value(each, kind.item) for each in cell]
    if kind.kind == "doc" and isinstance(cell, Mapping):
        return {slot.name: value(cell[slot.key], slot.type) for slot in kind.slots}
    return plain(cell)


def check(pipeline: object, sheets: Sequence[Sheet]) -> Checked:
    """The pipeline as `validate` allows it."""
    return validate(pipeline, sheets)


def prepare(checked: Checked, sheet: Sheet, now: datetime, *, wide: bool = False) -> Prepared:
    """The statement for `sheet`; PipelineError for unknown fields and values of the wrong type."""
    c = Compiler(now, wide=wide)
    rows = compiled(c, checked.stages, of_sheet(sheet, numbered=needs_order(checked.stages)), {})
    source, scope = rows.opened(c, {})
    shown = [column(each.column, scope.table) for each in rows.fields.values()]
    statement = exp.select(*shown).from_(source, copy=False)
    return Prepared(
        rows.arranged(statement, scope.table).limit(MAX_RESULT + 1, copy=False),
        tuple(rows.fields),
        tuple(each.type for each in rows.fields.values()),
        tuple(each.unit for each in rows.fields.values()),
        tuple(c.patterns),
    )
