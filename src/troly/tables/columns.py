"""What is known of a column of somebody's table: its name, what its cells are, what was not sure, its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from troly.errors import InputError
from troly.text.catalogue import Lang, tr
from troly.text.fold import fold, has_marks, nfc, words
from troly.text.sanitize import sanitize
from troly.text.wordlist import read_lists

if TYPE_CHECKING:
    import duckdb


ColumnKind = Literal["integer", "number", "money", "percent", "date", "datetime", "text", "boolean", "list"]
NUMERIC: frozenset[str] = frozenset({"integer", "number", "money", "percent"})
# More columns than any sheet that a person keeps; a wider one is a matrix, or a file read with the wrong delimiter.
MAX_COLUMNS = 1_000
MAX_NAME = 120
LEXICON = Path(__file__).parent / "lexicons" / "headers.txt"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `name` as written, its kind, its unit (`VND`, `%`, …) and its figures.

    `doubt` is a word for what was not sure when the kind was read ("" where nothing was). `least` and `most` are the
    range as text, `examples` the most frequent values of a text column, `outliers` how many cells lie more than 1.5
    interquartile ranges outside of the middle half.
    """

    name: str
    kind: ColumnKind
    unit: str = ""
    doubt: str = ""
    blanks: int = 0
    distinct: int = 0
    least: str = ""
    most: str = ""
    outliers: int = 0
    examples: tuple[str, ...] = ()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def count_of(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    """The number that a query of one figure gives."""
    row = con.execute(sql).fetchone()
    return int(row[0]) if row else 0


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def column_names(cells: Sequence[str], lang: Lang) -> tuple[str, ...]:
    """Names for the columns under header `cells`: as written, on one line, without control characters, all different.

    An empty one is named by its place ("Cột 3"), one that comes again is counted ("Giá (2)"). Case does not tell two
    names apart, as it does not in SQL.
    """
    names: list[str] = []
    taken: set[str] = set()
    for place, cell in enumerate(cells, 1):
        name = " ".join(nfc(sanitize(cell, keep_newlines=False)).split())[:MAX_NAME].rstrip()
        base = name or tr("tables.unnamed", lang, number=place)
        name, count = base, 1
        while name.lower() in taken:
            count += 1
            name = f"{base} ({count})"
        taken.add(name.lower())
        names.append(name)
    return tuple(names)


def check_width(count: int, path: Path) -> None:
    """Raise InputError `table.columns` when a table has more columns than are taken."""
    if count > MAX_COLUMNS:
        raise InputError("table.columns", path=path, count=count, most=MAX_COLUMNS)


def said_by(header: str) -> str:
    """The section of the word list that a header belongs to; "" for none."""
    if "%" in header:
        return "percent"
    spelled = words(header.replace("_", " "))
    marked = has_marks(spelled)
    spoken = f" {' '.join(spelled if marked else map(fold, spelled))} "
    for section, phrases in _lexicon(marked=marked):
        if any(phrase in spoken for phrase in phrases):
            return section
    return ""


@cache
def _lexicon(*, marked: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Sections and their phrases between spaces, with or without their accents."""
    return tuple(
        (section, tuple(f" {' '.join(words(entry if marked else fold(entry)))} " for entry in entries))
        for section, entries in read_lists(LEXICON).items()
    )


# The figures of each column of a table: blanks, distinct values, range, outliers, the most frequent values.


EXAMPLES = 8
_LONGEST = 60
_FENCE = 1.5


def profile(
    con: duckdb.DuckDBPyConnection, table: str, columns: Sequence[Column], check: Callable[[], None]
) -> tuple[Column, ...]:
    """`columns` with their figures from `table` (an SQL name); `check` raises when the person has stopped it."""
    done = []
    for column in columns:
        check()
        done.append(_one(con, table, column))
    return tuple(done)


def _one(con: duckdb.DuckDBPyConnection, table: str, column: Column) -> Column:
    name = quoted(column.name)
    if column.kind in {"text", "boolean", "list"}:
        row = con.execute(
            f"with g as (select {name}::varchar v, count(*) n from {table} group by 1) "  # noqa: S608 (quoted)
            f"select coalesce(sum(n) filter (where v is null), 0), count(v), "
            f"max({{n: n, v: v}}, {EXAMPLES}) filter (where v is not null) from g"
        ).fetchone()
        blanks, distinct, frequent = row or (0, 0, None)
        # Of equally frequent ones the first in the alphabet.
        found = [item["v"] for item in frequent or ()]
        examples = tuple(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in found)
        return replace(column, blanks=int(blanks), distinct=distinct, examples=examples)
    row = con.execute(
        f"select count(*) - count({name}), count(distinct {name}), min({name})::varchar, max({name})::varchar from {table}"  # noqa: S608 (quoted)
    ).fetchone()
    blanks, distinct, least, most = row or (0, 0, None, None)
    outliers = _outliers(con, table, name) if column.kind in NUMERIC else 0
    return replace(
        column, blanks=blanks, distinct=distinct, least=least or "", most=most or "", outliers=outliers
    )


def _outliers(con: duckdb.DuckDBPyConnection, table: str, name: str) -> int:
    return count_of(
        con,
        f"with q as (select quantile_cont({name}, [0.25, 0.75]) v from {table}) "  # noqa: S608 (quoted)
        f"select count(*) from {table}, q where {name} < v[1] - {_FENCE} * (v[2] - v[1]) "
        f"or {name} > v[2] + {_FENCE} * (v[2] - v[1])",
    )
