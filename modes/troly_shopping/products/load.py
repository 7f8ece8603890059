"""Turns a staged CSV into a new version of the catalogue: prices read, last row of a name wins, merged, indexed."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.plugin.contract import IngestOutcome, IngestRequest
from troly.tables.source import Layout
from troly.tables.stage import Duplicate, StagedCsv
from troly.text.fold import fold, nfc
from troly.text.numbers import find_amounts, parse_number
from troly.text.sanitize import sanitize
from troly_shopping.list_ingest import ListKind, LoadCounts, RowCheck, load_list
from troly_shopping.products.store import CREATE, DATASET, MAKER_WEIGHT, NAME_WEIGHT, index_terms, key_of
from troly_shopping.wordlists import lexicon

if TYPE_CHECKING:
    import duckdb


NEEDED = ("name", "price")
MORE = ("stock", "specs", "url", "brand", "category")
_NAMES = {
    "name": "product_name product ten ten_san_pham san_pham ten_hang", "price": "gia gia_ban gia_vnd price_vnd don_gia",
    "stock": "ton_kho so_luong quantity qty ton so_luong_ton",
    "specs": "spec specifications thong_so cau_hinh mo_ta description thong_so_ky_thuat", "url": "link lien_ket duong_dan",
    "brand": "hang thuong_hieu maker nhan_hieu hang_san_xuat", "category": "loai danh_muc nhom nhom_hang loai_hang",
}  # fmt: skip
_LOWEST, _HIGHEST, _MOST = 1_000, 10**12, 10**9
_LONGEST = {"name": 500, "specs": 4_000, "url": 2_000, "brand": 100, "category": 100}
_GONE, _THERE = {"het hang", "het", "out of stock"}, {"con hang", "con", "in stock", "co san"}
# What a term is worth that stands in the specifications.
_SPECS = 1.0
# Stands for NULL in files between; no clean text holds a control character.
_NULL = "\x01"
_BATCH = 10_000
_STORED = "key, name, price, stock, specs, url, brand, category, kind, maker"


def _select(places: Mapping[str, int], source: str) -> str:
    fields = (f"trim(coalesce(c{places[name]}, ''))" if name in places else "''" for name in (*NEEDED, *MORE))
    named = ", ".join(f"{value} as {name}" for name, value in zip((*NEEDED, *MORE), fields, strict=True))
    return f"select {named} from {source}"  # noqa: S608 (the source is quoted, all else is ours)


def _is_row(fields: list[str], places: Mapping[str, int]) -> bool:
    """A row has a price where the price stands; without a header, anywhere."""
    prices = [fields[places["price"]]] if places else fields
    return any(read_price(price) is not None for price in prices)


LAYOUT = Layout(
    NEEDED, _is_row, _select, MORE, {other: name for name, others in _NAMES.items() for other in others.split()},
)  # fmt: skip


def read_price(text: str) -> int | None:
    """The price in VND; None for what is none, is in another currency, or is below 1,000 or absurd."""
    text = text.strip(" \u00a0\ufeff")
    if text.isascii() and text.isdecimal():
        value: Any = int(text[:15]) if len(text) <= 15 else None
    else:
        value = parse_number(text) if all(a.unit in {"", "VND"} for a in find_amounts(text)) else None
    if value is None or value != int(value) or not _LOWEST <= value <= _HIGHEST:
        return None
    return int(value)


def check_catalogue(con: duckdb.DuckDBPyConnection, staged: StagedCsv) -> RowCheck:
    """Read prices and stock; the last row of a name wins, whatever its case and accents."""
    rows: dict[str, tuple[int, Sequence[Any]]] = {}
    faults: dict[int, str] = {}
    repeated: list[Duplicate] = []
    cursor = con.execute(
        "select rowid, name, price, stock, specs, url, brand, category from staged order by rowid"
    )
    while batch := cursor.fetchmany(_BATCH):
        for place, *cells in batch:
            row = [sanitize(nfc(cell), keep_newlines=False).strip() for cell in cells]
            fault = _fault(row)
            if fault:
                faults[staged.line_of(place)] = fault
                continue
            name, price, stock, specs, url, brand, category = row
            key = key_of(name)
            earlier = rows.pop(key, None)
            if earlier:
                line, last = staged.line_of(earlier[0]), staged.line_of(place)
                repeated.append(Duplicate(line, last, str(earlier[1][1])))
            stored = (
                key, name, read_price(price), _stock(stock)[0], specs, url, brand, category,
                _kind_of(category, name), key_of(brand),
            )  # fmt: skip
            rows[key] = (place, stored)
    return RowCheck(len(rows), faults, repeated, rows)


def _kind_of(category: str, name: str) -> str:
    """The kind that a category or else a name begins with; a category of no known kind is a kind of its own."""
    for text in (category, name):
        hits = lexicon("kinds").find(text)
        if hits:
            return min(hits, key=lambda hit: (hit.start, -hit.end)).label
    return key_of(category)


def _fault(row: Sequence[str]) -> str:
    name, price, stock, specs, url, brand, category = row
    if not name:
        return "no_name"
    if len(name) > _LONGEST["name"]:
        return "name_length"
    if read_price(price) is None:
        return "price"
    if not _stock(stock)[1]:
        return "stock"
    if url and not url.lower().startswith(("http://", "https://")):
        return "url"
    texts = {"specs": specs, "url": url, "brand": brand, "category": category}
    return "field_length" if any(len(text) > _LONGEST[field] for field, text in texts.items()) else ""


def _stock(text: str) -> tuple[int | None, bool]:
    """The number in stock (None: not said), and whether the cell can be read."""
    said = fold(text).strip()
    if not said or said in _THERE:
        return None, True
    if said in _GONE:
        return 0, True
    value = parse_number(text)
    if value is None or value != int(value) or not 0 <= value <= _MOST:
        return None, False
    return int(value), True


def _fill(con: duckdb.DuckDBPyConnection, judged: RowCheck, before: Path | None, folder: Path) -> LoadCounts:
    """Write `products` and `terms`; `before` is the version whose other products stay. `folder` is for files between."""
    fresh: dict[str, tuple[int, Sequence[Any]]] = judged.rows
    for statement in CREATE:
        con.execute(statement)
    older = _older(con, before) if before else {}
    updated = len(older.keys() & fresh.keys())
    rows = [row for key, row in older.items() if key not in fresh]
    rows += [row for _, row in fresh.values()]
    _copy(con, "products", folder, ([number, *row] for number, row in enumerate(rows)))
    _copy(
        con, "terms", folder, sorted(line for number, row in enumerate(rows) for line in _index(number, row))
    )
    return LoadCounts(len(rows), updated)


def _older(con: duckdb.DuckDBPyConnection, before: Path) -> dict[str, Sequence[Any]]:
    name = str(before).replace("'", "''")
    con.execute(f"attach '{name}' as old (read_only)")
    rows = con.execute(f"select {_STORED} from old.products order by id").fetchall()  # noqa: S608 (our names)
    con.execute("detach old")
    return {row[0]: row for row in rows}


def _index(number: int, row: Sequence[Any]) -> Iterator[tuple[str, int, float]]:
    _, name, _, _, specs, _, brand, category, kind, _ = row
    weights: dict[str, float] = dict.fromkeys(index_terms(specs), _SPECS)
    weights |= dict.fromkeys(index_terms(f"{category} {kind} {brand}"), MAKER_WEIGHT)
    weights |= dict.fromkeys(index_terms(name), NAME_WEIGHT)
    yield from ((term, number, weight) for term, weight in weights.items())


def _copy(con: duckdb.DuckDBPyConnection, table: str, folder: Path, lines: Iterable[Sequence[Any]]) -> None:
    """Through a file: row by row, DuckDB takes a hundred times as long."""
    path = folder / f"{table}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([_NULL if cell is None else cell for cell in line] for line in lines)
    name = str(path).replace("'", "''")
    # Given all of it, DuckDB need not guess.
    con.execute(
        f"copy {table} from '{name}' (format csv, header false, delim ',', quote '\"', escape '\"', nullstr '{_NULL}')"
    )


# -- `app ingest products FILE` (000 C9).


def ingest_products(request: IngestRequest, *, samples: bool = False) -> IngestOutcome:
    """Load a CSV of products (name, price, stock, specs, url, brand, category); see `load_list`.

    Raises InputError, StoreError, StoppedError.
    """
    return load_list(_KIND, request, samples=samples)


_KIND = ListKind(
    dataset=DATASET, layout=LAYOUT, sentences={"loaded": "ingest.products_loaded", "checked": "ingest.products_checked"},
    repeat="duplicate_product", judge=check_catalogue, fill=_fill,
)  # fmt: skip
