"""`app warranty check FILE`: the warranty of every serial in a text or CSV file, and what is wrong with each bad line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from troly.errors import InputError
from troly.plugin.contract import CommandRequest, CommandResult
from troly.tables.source import sniff_encoding
from troly.text.catalogue import Lang
from troly.text.dates import HCM
from troly.text.fold import fold
from troly.text.numbers import format_number
from troly.text.sanitize import sanitize
from troly_shopping.strings import say
from troly_shopping.warranty.rendering import records_table
from troly_shopping.warranty.store import WarrantyRecord, WarrantyStore

MAX_SERIALS = 200_000
_RAW_CHARS, _LONGEST_LINE = 80, 100_000
_OLD = "windows-1258"
_DELIMITERS = (",", ";", "\t")
_HEADS = {
    "serial", "serials", "serial number", "serial no", "so serial", "so seri", "seri", "s/n", "sn", "so may",
}  # fmt: skip
_SERIAL = re.compile(r"[A-Za-z0-9-]+")


@dataclass(slots=True)
class SerialList:
    """The serials of a file by the line they stand on, the bad lines, and the encoding where it is not UTF-8."""

    serials: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    encoding: str = ""


def check_serial_file(request: CommandRequest) -> CommandResult:
    """Look up all serials of the file. Raises InputError for a file without a usable serial, StoreError."""
    lang, path = request.language, Path(request.text("file"))
    listed = read_serial_list(path, lang)
    if not listed.serials:
        raise InputError("warranty_check.no_serials", path=path, bad=len(listed.problems))
    records = WarrantyStore(request.services.datasets).find_all(listed.serials)
    today = request.now.astimezone(HCM).date()
    problems = list(listed.problems)
    if listed.encoding:
        problems.insert(0, say("check.not_utf8", lang, encoding=listed.encoding))
    return CommandResult(
        table=records_table(records, today, lang),
        records=tuple(
            _record(serial, listed.serials[serial], found, today) for serial, found in records.items()
        ),
        problems=tuple(problems),
        summary=_summary(records, today, lang, bad=len(listed.problems)),
    )


def read_serial_list(path: Path, lang: Lang) -> SerialList:
    """The serials of a file: one a line, or the column named serial of a CSV. Raises InputError.

    Lines that hold no serial are told with their number, repeats too; blank lines are passed over.
    """
    listed = SerialList()
    encoding = sniff_encoding(path)
    if not encoding:
        encoding = listed.encoding = _OLD
    first: dict[str, int] = {}
    try:
        for line, value in _values(path, encoding):
            reason = _fault(value)
            if reason:
                reason = say(f"reason.{reason}", lang)
            elif value.upper() in first:
                reason = say("check.repeated", lang, line=first[value.upper()])
            if reason:
                raw = sanitize(value, keep_newlines=False)[:_RAW_CHARS]
                listed.problems.append(say("check.bad", lang, line=line, reason=reason, raw=raw))
                continue
            first[value.upper()] = listed.serials[value] = line
            if len(first) > MAX_SERIALS:
                raise InputError("warranty_check.too_many", path=path, limit=MAX_SERIALS)
    except OSError as error:
        raise InputError("csv.unreadable", path=path, reason=error.strerror or error) from error
    return listed


def _values(path: Path, encoding: str) -> Iterator[tuple[int, str]]:
    """Line number and what should be a serial, for every line that is not blank."""
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        lines = enumerate(_lines(file), 1)
        number, head = next(((n, text) for n, text in lines if text.strip()), (0, ""))
        place = _column(head)
        if place is None:
            if number and fold(head.strip().strip('"')) not in _HEADS:
                yield number, head.strip().strip('"').strip()
            for number, text in lines:
                if text.strip():
                    yield number, text.strip().strip('"').strip()
            return
        delimiter, column = place
        for number, text in lines:
            if text.strip():
                cells = next(csv.reader([text], delimiter=delimiter), [])
                yield number, cells[column].strip() if column < len(cells) else ""


def _lines(file: Any) -> Iterator[str]:
    """Lines without their ends; one that never ends is cut, so that it is told and not swallowed."""
    while line := file.readline(_LONGEST_LINE):
        while (
            not line.endswith("\n") and len(line) >= _LONGEST_LINE and (more := file.readline(_LONGEST_LINE))
        ):
            line = line[: _LONGEST_LINE - 1] + "\n" if more.endswith("\n") else line
        yield line.replace("\r", "").rstrip("\n").lstrip("\ufeff").replace("\0", "\ufffd")


def _column(head: str) -> tuple[str, int] | None:
    """Delimiter and place of the serial column, if the first line names one among several."""
    for delimiter in _DELIMITERS:
        names = [fold(name.strip()) for name in next(csv.reader([head], delimiter=delimiter), [])]
        if (
            len(names) > 1
            and (place := next((at for at, name in enumerate(names) if name in _HEADS), None)) is not None
        ):
            return delimiter, place
    return None


def _fault(value: str) -> str:
    """The key of what keeps `value` from being a serial (000-40); "" when nothing does."""
    if not value:
        return "no_serial"
    if re.search(r"\s", value):
        return "serial_space"
    if not _SERIAL.fullmatch(value):
        return "serial_letters"
    if not 3 <= len(value) <= 32:
        return "serial_length"
    return "" if any(char.isdigit() for char in value) else "serial_digit"


def _record(serial: str, line: int, found: WarrantyRecord | None, today: date) -> dict[str, Any]:
    """One line of `--json`; dates in ISO form, `days` negative since an expiry."""
    if found is None:
        return {
            "line": line,
            "serial": serial,
            "product": None,
            "end": None,
            "days": None,
            "state": "not_found",
        }
    days = (found.end - today).days
    state = "covered" if days >= 0 else "expired"
    return {"line": line, "serial": found.serial, "product": found.product_name, "end": found.end.isoformat(),
            "days": days, "state": state}  # fmt: skip


def _summary(records: Mapping[str, WarrantyRecord | None], today: date, lang: Lang, *, bad: int) -> str:
    counts = {
        "total": len(records),
        "covered": sum(found is not None and found.end >= today for found in records.values()),
        "expired": sum(found is not None and found.end < today for found in records.values()),
        "missing": sum(found is None for found in records.values()),
        "bad": bad,
    }
    return say("check.summary", lang, **{name: format_number(count, lang) for name, count in counts.items()})
