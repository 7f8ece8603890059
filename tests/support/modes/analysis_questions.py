"""Sets of questions with the SQL of their right answers: read from their files, planned, run by the real tools, judged."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tests.support.modes.sheets import load_file, sheet_services
from tests.support.stores.services import NOW
from troly.plugin.services import Services
from troly.text.dates import HCM
from troly_analysis.agent.tools import call_tool
from troly_analysis.planner import Plan, analyse_question, classify
from troly_analysis.query.service import DataQueryService
from troly_analysis.sheets.store import SheetStore
from troly_analysis.sheets.value_lookup import value_lookup
from troly_analysis.types import Result, Sheet

FOLDER = Path(__file__).parents[2] / "modes" / "analysis" / "questions"
_SHORT = re.compile(r"(?<![\w'\"])[A-Z](?![\w'\"])")


@dataclass(frozen=True, slots=True)
class Question:
    """`right` are the statements of right answers, `may_ask` whether asking back is right; `follows` the one before."""

    text: str
    right: tuple[str, ...]
    may_ask: bool
    follows: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a question: exact, wrong (given as certain), said (wrong, but with what was left out), asked."""

    kind: str
    plan: Plan
    found: tuple[list[tuple[Any, ...]], ...] = ()
    wanted: tuple[list[tuple[Any, ...]], ...] = ()


def questions(name: str) -> list[Question]:
    """The questions of `questions/NAME.txt`."""
    found: list[Question] = []
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark in {"?", "&"}:
            found.append(Question(text, (), may_ask=False, follows=mark == "&"))
        elif mark == "=":
            found[-1] = replace(found[-1], right=(*found[-1].right, text))
        elif mark == "ask":
            found[-1] = replace(found[-1], may_ask=True)
    return found


@dataclass(slots=True)
class Desk:
    """One sheet, loaded as an import loads it, and the plans of the questions asked of it so far."""

    services: Services
    store: SheetStore
    sheet: Sheet
    short: dict[str, str]
    now: datetime
    previous: Plan | None = None
    intents: list[str] = field(default_factory=list)
    loop: asyncio.Runner = field(default_factory=asyncio.Runner)

    def ask(self, question: Question) -> Verdict:
        """Plan and run a question, and judge what comes of it."""
        before = self.previous if question.follows else None
        look = value_lookup(self.services, self.sheet.owner)
        understood = analyse_question(question.text, (self.sheet,), self.now, previous=before, values=look)
        intent = classify(understood, (question.text,) if before else ())
        self.intents.append(intent.label)
        made = understood.plan
        self.previous = made
        if made.question is not None or not made.calls:
            return Verdict("exact" if question.may_ask else "asked", made)
        service = DataQueryService(self.store, self.sheet.owner)
        records = [self.loop.run(call_tool(service, call, "1", 30)) for call in made.calls]
        failed = next((record.error for record in records if record.error), None)
        if failed is not None:
            return Verdict(f"error {failed}", made)
        found = tuple(cells(record.result) for record in records if record.result)
        wanted = tuple(self.rows(each) for each in question.right)
        if any(same(each, found) for each in wanted):
            return Verdict("exact", made, found, wanted)
        if made.missing:
            return Verdict("exact" if question.may_ask else "said", made, found, wanted)
        return Verdict("wrong", made, found, wanted)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement over the sheet, its short names written out."""
        names = {**self.short, "T": self.sheet.table}
        spelled = _SHORT.sub(
            lambda found: f'"{names[found[0]]}"' if found[0] in names else found[0], statement
        )
        with self.store.connect(self.sheet.owner) as connection:
            return connection.execute(spelled).fetchall()


def desk_at(home: Path, name: str, **short: str) -> Iterator[Desk]:
    """The sheet of `questions/NAME.csv` in a data directory of its own."""
    with sheet_services(home) as services:
        load_file(services, FOLDER / f"{name}.csv", name=name)
        store = SheetStore(services)
        now = datetime.fromisoformat(NOW).replace(tzinfo=HCM)
        desk = Desk(services, store, store.sheet("an", name), short, now)
        try:
            yield desk
        finally:
            desk.loop.close()
            store.close()


def cells(result: Result) -> list[tuple[Any, ...]]:
    """The rows of a result, whatever its kind."""
    if result.kind == "rows":
        return list(result.rows)
    if result.kind == "compare" and not result.rows:
        return [(result.period1_value, result.period2_value, result.difference, result.percentage_change)]
    return list(result.rows) or ([(result.value,)] if result.kind == "scalar" else [])


def same(wanted: Sequence[tuple[Any, ...]], found: Sequence[list[tuple[Any, ...]]]) -> bool:
    """Whether the found figures are the wanted ones: as many rows, each holding all cells of a wanted row."""
    if not any(cell for row in wanted for cell in row) and not any(found):
        return True  # nothing was found, and there is nothing
    pooled = [tuple(cell for rows in found for row in rows for cell in row)] if len(wanted) == 1 else []
    single = all(len(rows) <= 1 for rows in found)
    tables = [*found, *([pooled] if single else [])]
    return any(_same(wanted, rows) for rows in tables)


def _same(wanted: Sequence[tuple[Any, ...]], rows: Sequence[tuple[Any, ...]]) -> bool:
    if len(rows) != len(wanted):
        return False
    left = list(rows)
    for want in wanted:
        hit = next((row for row in left if all(any(_equal(w, cell) for cell in row) for w in want)), None)
        if hit is None:
            return False
        left.remove(hit)
    return True


def _equal(wanted: Any, cell: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(cell, bool) or wanted is None or cell is None:
        return wanted is cell
    if isinstance(wanted, (date, str)) or isinstance(cell, (date, str)):
        return str(cell).startswith(str(wanted)) or str(wanted).startswith(str(cell))
    return math.isclose(float(wanted), float(cell), rel_tol=1e-6, abs_tol=1e-9)
