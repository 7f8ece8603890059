"""Finds what a path holds: tables by their names, a DuckDB file, or listing dumps with or without a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from troly.config.problems import nearest
from troly.errors import InputError
from troly.text.fold import folded_words
from troly_rental.mapping import FILE_NAME, Dump, complete, example, guess, read_mapping, units_in
from troly_rental.rows_check import Report
from troly_rental.rows_read import DATABASES, ENDINGS, Sheet, open_database, open_sheet
from troly_rental.schema import tables


@dataclass(slots=True)
class Found:
    """The sheets of each table, the dumps with how to read them, and what was guessed of one (`title → field`)."""

    sheets: dict[str, list[Sheet]] = field(default_factory=dict)
    dumps: list[tuple[Sheet, Dump]] = field(default_factory=list)
    guessed: str = ""


def find(path: Path, stack: ExitStack, report: Report) -> Found:
    """What `path` holds; files stay open until `stack` is left.

    Raises InputError: nothing there, no table of the schema, a wrong mapping, a dump that cannot be understood.
    """
    found = Found()
    if path.is_dir():
        _folder(path, stack, report, found)
    elif not path.exists():
        raise InputError("csv.missing", path=path)
    elif path.suffix.lower() == ".toml":
        _mapped(path, stack, found)
    elif path.suffix.lower() in DATABASES:
        for sheet in stack.enter_context(open_database(path)):
            _sort(sheet, report, found)
    else:
        beside = path.with_suffix(".toml")
        if table_of(path.stem):
            _sort(stack.enter_context(open_sheet(path)), report, found)
        elif beside.exists():
            _mapped(beside, stack, found)
        else:
            _guessed(stack.enter_context(open_sheet(path)), found)
    if not found.sheets and not found.dumps:
        raise InputError("rental.nothing", path=path, tables=", ".join(tables()))
    return found


def table_of(name: str) -> str:
    """The table that a file or a foreign table is named after; "" for none."""
    key = "_".join(folded_words(name))
    return key if key in tables() else ""


def _folder(path: Path, stack: ExitStack, report: Report, found: Found) -> None:
    mapping = path / FILE_NAME
    mapped: set[str] = set()
    if mapping.exists():
        _mapped(mapping, stack, found)
        mapped = {dump.file for _, dump in found.dumps}
    for file in _files(path):
        if file.name in mapped:
            continue
        if table_of(file.stem):
            _sort(stack.enter_context(open_sheet(file)), report, found)
        else:
            _stranger(file.name, file.stem, report)


def _files(path: Path) -> Iterator[Path]:
    yield from sorted(p for p in path.iterdir() if p.is_file() and p.suffix.lower() in ENDINGS)


def _sort(sheet: Sheet, report: Report, found: Found) -> None:
    name = table_of(sheet.name)
    if name:
        found.sheets.setdefault(name, []).append(sheet)
    else:
        _stranger(sheet.file, sheet.name, report)


def _stranger(file: str, name: str, report: Report) -> None:
    close = nearest(name, list(tables()))
    report.add(
        (file, 0),
        "",
        "table_like" if close else "table",
        name=name,
        nearest=close,
        tables=", ".join(tables()),
    )


def _mapped(path: Path, stack: ExitStack, found: Found) -> None:
    for dump in read_mapping(path):
        # A mapping speaks of files beside it, and of no others.
        file = path.parent / Path(dump.file).name
        sheet = stack.enter_context(open_sheet(file))
        known = {"_".join(folded_words(title)) for title in sheet.header}
        for name, title in dump.columns.items():
            if "_".join(folded_words(title)) not in known:
                close = nearest(title, list(sheet.header))
                reason = f"{file.name}: {name} = `{title}`" + (
                    f" → `{close}`?" if close else f" ({', '.join(sheet.header)})"
                )
                raise InputError("rental.mapping", path=path, reason=reason)
        found.dumps.append((sheet, dump))


def _guessed(sheet: Sheet, found: Found) -> None:
    columns = guess(sheet.header)
    missing = complete(columns, {})
    if missing:
        raise InputError(
            "rental.dump",
            file=sheet.file,
            missing=", ".join(missing),
            example=example(sheet.file, sheet.header),
        )
    found.guessed = ", ".join(f"{title} → {name}" for name, title in columns.items())
    found.dumps.append((sheet, Dump(sheet.file, columns, unit=units_in(columns))))
