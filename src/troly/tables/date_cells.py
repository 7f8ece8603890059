"""Dates and times as people write them in cells, read by DuckDB for a whole column at once; day before month."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from troly.tables.columns import literal
from troly.tables.number_cells import MOMENT, trimmed
from troly.text.dates import HCM, parse_date

if TYPE_CHECKING:
    import duckdb

_TIME = r"(?P<time>[0-9]{1,2}:[0-9]{2}(?P<seconds>:[0-9]{2}(?P<fraction>[.][0-9]{1,6})?)?(?P<half> ?[ap]m)?)"
_DAY = r"(?P<a>[0-9]{1,4})(?P<sep>[/.-])(?P<b>[0-9]{1,2})(?P=sep)(?P<c>[0-9]{4}|[0-9]{1,2})"
_CELL = re.compile(rf"(?:{_TIME} )?{_DAY}(?:[ t]+(?P<late>{_TIME.replace('?P<', '?P<l')}))?")
_ZONED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ t][0-9:.]+ ?(?:z|[+-][0-9]{2}:?[0-9]{2})")
_MONTH = re.compile(r"(?:tháng |thang )?[0-9]{1,2}[/-](?:19|20)[0-9]{2}")
# What lies outside was mistyped.
FIRST, AFTER = "1900-01-01", "2200-01-01"
_SERIALS = (20_000, 73_050)


@dataclass(frozen=True, slots=True)
class Forms:
    """How the dates of a column are written: `strptime` formats in the order to try, whether some name their zone.

    `numeric` says that day and month are both numbers with the year last, so that their order must be found out.
    """

    formats: tuple[str, ...]
    zoned: bool = False
    numeric: bool = False
    doubt: str = ""


def is_moment(cell: str) -> bool:
    """Whether a cell, in lower case, is a date or a date with a time."""
    if not any(sign.isdigit() for sign in cell):
        return False
    return bool(_form(cell) or _ZONED.fullmatch(cell)) or parse_date(cell) is not None


def is_month(cell: str) -> bool:
    """Whether a cell, in lower case, is a month of a year."""
    return _MONTH.fullmatch(cell) is not None


def forms_of(cells: Iterable[str]) -> Forms:
    """The forms in which `cells`, in lower case, are written."""
    formats: dict[str, None] = {}
    zoned = numeric = False
    for cell in cells:
        if _ZONED.fullmatch(cell):
            zoned = True
        elif form := _form(cell):
            formats[form] = None
            numeric = numeric or form.find("%d/%m") >= 0 or "%d-%m" in form or "%d.%m" in form
    return Forms(tuple(formats), zoned, numeric)


def _form(cell: str) -> str:
    match = _CELL.fullmatch(cell)
    if not match:
        return ""
    sep, last = match["sep"], match["c"]
    if len(match["a"]) == 4:
        day = f"%Y{sep}%m{sep}%d" if len(last) <= 2 else ""
    elif len(match["a"]) <= 2 and len(last) in {2, 4}:
        day = f"%d{sep}%m{sep}{'%Y' if len(last) == 4 else '%y'}"
    else:
        day = ""
    if not day:
        return ""
    clock = match["time"] or match["late"]
    if not clock:
        return day
    gap = re.search(r"[ t]+(?=[0-9]+:)", cell)
    time = _clock_form(clock)
    return f"{time} {day}" if match["time"] else f"{day}{gap.group() if gap else ' '}{time}"


def _clock_form(clock: str) -> str:
    half = clock.endswith("m")
    form = "%I:%M" if half else "%H:%M"
    if clock.count(":") == 2:
        form += ":%S"
    if "." in clock:
        form += ".%f"
    return form + ((" %p" if " " in clock else "%p") if half else "")


def order(con: duckdb.DuckDBPyConnection, cell: str, source: str, forms: Forms) -> Forms:
    """The forms with the month first where no cell can be read with the day first, and some only so.

    A column in which every day could be a month, and the two differ somewhere, is doubtful.
    """
    if not forms.numeric:
        return forms
    swapped = tuple(_swapped(form) for form in forms.formats)
    row = con.execute(
        "select count_if(d is not null and m is null), count_if(m is not null and d is null), count_if(d <> m) from "  # noqa: S608 (our names)
        f"(select try_strptime({cell}, [{_known(forms.formats)}]) as d, try_strptime({cell}, [{_known(swapped)}]) as m "
        f"from {source})"
    ).fetchone()
    day_first, month_first, differ = row or (0, 0, 0)
    if month_first and not day_first:
        return Forms(swapped, forms.zoned, numeric=True, doubt="month_first")
    return Forms(
        forms.formats, forms.zoned, numeric=True, doubt="day_month" if differ and not day_first else ""
    )


def _swapped(form: str) -> str:
    for sep in "/-.":
        form = form.replace(f"%d{sep}%m{sep}%", f"%m{sep}%d{sep}%")
    return form


def moment_sql(cell: str, forms: Forms, *, exact: bool) -> str:
    """SQL for the moment in a cell as TIMESTAMP in Viet Nam, NULL where there is none."""
    tries = []
    if exact:
        tries.append(f"case when {cell}[1] = '{MOMENT}' then try_cast({cell}[2:] as timestamp) end")
    if forms.formats:
        tries.append(_tried(cell, forms.formats))
    if forms.zoned:
        since = f"epoch_us(try_cast(upper({trimmed(cell)}) as timestamptz))"
        tries.append(
            f"case when regexp_matches({trimmed(cell)}, '(z|[+-][0-9]{{2}}:?[0-9]{{2}})$') "
            f"then make_timestamp({since} + 25200000000) end"
        )
    return f"coalesce({', '.join(tries)}, null::timestamp)" if tries else "null::timestamp"


def _tried(cell: str, formats: tuple[str, ...]) -> str:
    """The cell as it stands, and only where that fails without its blanks and capitals, which takes longer."""
    known = _known(formats)
    return f"coalesce(try_strptime({cell}, [{known}]), try_strptime({trimmed(cell)}, [{known}]))"


def _known(formats: tuple[str, ...]) -> str:
    return ", ".join(literal(form) for form in formats)


def serial_sql(cell: str) -> str:
    """SQL for the moment that a spreadsheet's day number stands for, counted from 1899-12-30."""
    number = f"try_cast({cell} as double)"
    return (
        f"case when {number} between {_SERIALS[0]} and {_SERIALS[1]} "
        f"then timestamp '1899-12-30' + to_microseconds((round({number} * 86400) * 1000000)::bigint) end"
    )


def is_serial(cell: str) -> bool:
    """Whether a cell is a number that a spreadsheet may mean as a day of 1954 to 2099."""
    return cell.replace(".", "", 1).isdigit() and _SERIALS[0] <= float(cell) <= _SERIALS[1]


def parsed(cell: str) -> str:
    """The moment in a cell in ISO form, written in words ("ngày 3 tháng 2 năm 2026", "31 Dec 2024"); "" for none."""
    day = parse_date(cell)
    if day is None or not date(1900, 1, 1) <= day < date(2200, 1, 1):
        return ""
    return day.isoformat()


def local(moment: datetime) -> datetime:
    """The same moment by the clock in Viet Nam, without a zone."""
    return moment if moment.tzinfo is None else moment.astimezone(HCM).replace(tzinfo=None)
