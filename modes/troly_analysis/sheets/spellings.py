"""Makes one value of its spellings: "latte" and "Latte", "ca phe sua" and "Cà phê sữa" are one group in every answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from troly.tables.columns import quoted
from troly.text.fold import accents, fold, nfc

if TYPE_CHECKING:
    import duckdb

# Columns with more different values name single things.
_MOST = 2_000


def merge_spellings(
    con: duckdb.DuckDBPyConnection, table: str, columns: Iterable[str]
) -> tuple[tuple[str, str, str], ...]:
    """Write each value of these columns of text in its commonest spelling; returns (column, was, is)."""
    merged: list[tuple[str, str, str]] = []
    for column in columns:
        name = quoted(column)
        asked = f"select {name}, count(*) from {table} where {name} is not null group by 1 limit {_MOST + 1}"  # noqa: S608 (quoted)
        counts = [(str(value), int(count)) for value, count in con.execute(asked).fetchall()]
        if len(counts) > _MOST:
            continue
        for was, spelled in one_spelling(counts):
            con.execute(f"update {table} set {name} = ? where {name} = ?", [spelled, was])  # noqa: S608 (quoted)
            merged.append((column, was, spelled))
    return tuple(merged)


def one_spelling(counts: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    """The values that are spellings of a commoner one, with it: other case, or typed without the accents.

    Values that carry different accents are different ("Hoa", "Hòa"); what is typed without any then stays as it is.
    """
    alike: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for value, count in counts:
        alike[" ".join(fold(nfc(value)).split())].append((value, count))
    found = []
    for same in alike.values() if alike else ():
        marked: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for value, count in same:
            marked[" ".join(accents(word) for word in nfc(value).lower().split()).strip()].append(
                (value, count)
            )
        groups = [same] if len([key for key in marked if key]) <= 1 else list(marked.values())
        for group in groups:
            best = max(group, key=lambda each: (bool(accents(each[0])), each[1], each[0]))[0]
            found += [(value, best) for value, _ in group if value != best]
    return found
