"""Reads Parquet, JSON and JSON lines: nested objects become columns with a dot, lists stay lists."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from troly.errors import InputError
from troly.tables.cells import EXACT, MOMENT
from troly.tables.columns import check_width, column_names, count_of, literal, quoted
from troly.tables.rows import RowLines, SheetTable, stage_rows
from troly.tables.source import read_head
from troly.tables.stage import LoadContext, ProblemRow
from troly.text.catalogue import Lang, tr

if TYPE_CHECKING:
    import duckdb

_PARQUET = b"PAR1"
_LINES = (".jsonl", ".ndjson")
# A whole JSON document is read into memory.
MAX_JSON = 200 << 20
MAX_DEPTH = 4
_CHECK_EVERY = 10_000
_MARKS = str.maketrans("", "", EXACT + MOMENT)


def is_nested(path: Path) -> bool:
    """Whether the file is Parquet, or JSON by its name and first sign. Raises InputError."""
    head = read_head(path)
    if head.startswith(_PARQUET):
        return True
    named = path.suffix.lower() in {".json", *_LINES}
    return named and head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"[", b"{"}


def read_nested(con: duckdb.DuckDBPyConnection, path: Path, context: LoadContext, lang: Lang) -> SheetTable:
    """Read the file into `staged`. Raises InputError: damaged, not a list of objects, too deep, too many columns."""
    if read_head(path).startswith(_PARQUET):
        return _read_parquet(con, path, lang)
    return _read_json(con, path, context, lang)


def _read_parquet(con: duckdb.DuckDBPyConnection, path: Path, lang: Lang) -> SheetTable:
    import duckdb

    con.execute("drop table if exists staged")
    try:
        source = f"read_parquet([{literal(str(path))}])"
        described = con.execute(f"describe select * from {source}").fetchall()  # noqa: S608 (quoted)
        cells = [
            cell for row in described for cell in _flat(quoted(row[0]), str(row[0]), str(row[1]), path, 0)
        ]
        check_width(len(cells), path)
        picked = ", ".join(f"{sql} as c{at}" for at, (sql, _) in enumerate(cells))
        con.execute(f"create temp table staged as select {picked} from {source}")  # noqa: S608 (quoted)
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise InputError(
            "table.damaged", path=path, kind="Parquet", reason=str(error).splitlines()[0]
        ) from error
    names = [name for _, name in cells]
    return SheetTable(
        names=column_names(names, lang), raw=tuple(names), lines=count_of(con, "select count(*) from staged"), blank=0,
        line_of=lambda row: row + 1,
    )  # fmt: skip


def _flat(sql: str, name: str, kind: str, path: Path, depth: int) -> Iterator[tuple[str, str]]:
    if kind.startswith("STRUCT(") and kind.endswith(")"):
        if depth >= MAX_DEPTH:
            raise InputError("table.deep", path=path, name=name, most=MAX_DEPTH)
        for inner, inner_kind in _members(kind[7:-1]):
            yield from _flat(f"{sql}.{quoted(inner)}", f"{name}.{inner}", inner_kind, path, depth + 1)
    elif kind == "TIMESTAMP WITH TIME ZONE":
        yield f"make_timestamp(epoch_us({sql}) + 25200000000)", name
    elif kind.endswith("[]") and kind.startswith(("STRUCT", "MAP")):
        yield f"list_transform({sql}, lambda x: to_json(x)::varchar)", name
    elif kind.startswith("MAP") or kind in {"BLOB", "JSON"}:
        yield f"{'to_json' if kind.startswith('MAP') else ''}({sql})::varchar", name
    else:
        yield sql, name


def _members(text: str) -> list[tuple[str, str]]:
    """Names and types of `"a" INTEGER, b STRUCT(…)`."""
    parts, depth, start, quote = [], 0, 0, False
    for at, sign in enumerate(text):
        quote ^= sign == '"'
        depth += 0 if quote else (sign == "(") - (sign == ")")
        if sign == "," and not depth and not quote:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    found = []
    for part in map(str.strip, parts):
        if part.startswith('"'):
            end = part.replace('""', "\0\0").index('"', 1)
            found.append((part[1:end].replace('""', '"'), part[end + 1 :].strip()))
        else:
            name, _, kind = part.partition(" ")
            found.append((name, kind.strip()))
    return found


def _read_json(con: duckdb.DuckDBPyConnection, path: Path, context: LoadContext, lang: Lang) -> SheetTable:
    lines = RowLines()
    refused: dict[int, str] = {}
    columns: dict[str, int] = {}
    listed: dict[str, bool] = {}
    records = _records(path, lines, refused)

    def rows() -> Iterator[list[str | None]]:
        for number, (line, record) in enumerate(records):
            if number % _CHECK_EVERY == 0:
                context.check()
            cells: dict[str, Any] = {}
            _flatten(record, "", cells, path, 0)
            for name, cell in cells.items():
                columns.setdefault(name, len(columns))
                if cell is not None:
                    listed[name] = listed.get(name, True) and isinstance(cell, list)
            check_width(len(columns), path)
            lines.add(line)
            row: list[str | None] = [None] * len(columns)
            for name, cell in cells.items():
                row[columns[name]] = _text(cell)
            yield row

    # Later records may bring new columns, so the rows are made before their number is known.
    made = list(rows())
    width = len(columns)
    if not width:
        raise InputError("table.no_rows", path=path)
    stage_rows(con, ([*row, *([None] * (width - len(row)))] for row in made), width, context.folder)
    _make_lists(con, [at for name, at in columns.items() if listed.get(name)])
    names = list(columns)

    def told(shown: Lang) -> Iterator[ProblemRow]:
        yield from ((line, tr("tables.reason_json", shown), raw) for line, raw in sorted(refused.items()))

    return SheetTable(
        names=column_names(names, lang), raw=tuple(names), lines=lines.seen, blank=lines.blank,
        line_of=lines.line_of, refused_count=len(refused), refused=told, exact=True,
    )  # fmt: skip


def _records(path: Path, lines: RowLines, refused: dict[int, str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line (or number in the list) and object of each record."""
    if path.suffix.lower() in _LINES or _is_lines(path):
        yield from _line_records(path, lines, refused)
        return
    for number, record in enumerate(_document(path), 1):
        lines.seen = number
        if isinstance(record, dict):
            yield number, record
        else:
            refused[number] = json.dumps(record, ensure_ascii=False)


def _line_records(
    path: Path, lines: RowLines, refused: dict[int, str]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            lines.seen = number
            if not line.strip():
                lines.blank += 1
                continue
            record = _loaded(line)
            if isinstance(record, dict) and "\ufffd" not in line:
                yield number, record
            else:
                refused[number] = line.rstrip("\n")


def _document(path: Path) -> list[Any]:
    """The list that a JSON document is, or holds beside remarks as the answers of web services do."""
    if path.stat().st_size > MAX_JSON:
        raise InputError("table.large", path=path, most=MAX_JSON >> 20)
    try:
        whole = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError("table.damaged", path=path, kind="JSON", reason=error) from error
    if isinstance(whole, list):
        return whole
    inner = [value for value in whole.values() if isinstance(value, list)]
    return inner[0] if len(inner) == 1 and any(isinstance(item, dict) for item in inner[0]) else [whole]


def _is_lines(path: Path) -> bool:
    """Whether a JSON file holds an object on each of its first lines."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = [line for line in islice(file, 5) if line.strip()]
    return len(first) > 1 and all(isinstance(_loaded(line), dict) for line in first[:2])


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _flatten(record: Mapping[str, Any], prefix: str, into: dict[str, Any], path: Path, depth: int) -> None:
    for key, value in record.items():
        name = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, dict) and value:
            if depth >= MAX_DEPTH:
                raise InputError("table.deep", path=path, name=name[:80], most=MAX_DEPTH)
            _flatten(value, name, into, path, depth + 1)
        else:
            into[name] = None if value == {} else value


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.translate(_MARKS)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{EXACT}{value!r}"
    return json.dumps(value, ensure_ascii=False)


def _make_lists(con: duckdb.DuckDBPyConnection, places: list[int]) -> None:
    """Columns of JSON lists become lists: of numbers where all members are, else of text."""
    for at in places:
        row = con.execute(
            f"select bool_and(list_bool_and(list_transform(from_json(c{at}, '[\"JSON\"]'), "  # noqa: S608 (our names)
            f"lambda x: json_type(x) in ('UBIGINT', 'BIGINT', 'DOUBLE')))) from staged"
        ).fetchone()
        kind = "DOUBLE" if row and row[0] else "VARCHAR"
        con.execute(f"alter table staged alter c{at} type {kind}[] using from_json(c{at}, '[\"{kind}\"]')")
