"""Numbers as people write them in cells, read by DuckDB for a whole column at once: 1.000,5 đ, 20k, 1,5 tỷ, (300)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from troly.tables.columns import literal
from troly.text.dates import HCM, parse_date
from troly.text.numbers import find_amounts, parse_number

if TYPE_CHECKING:
    import duckdb


Mark = Literal[",", "."]
# Before a number that a spreadsheet stored as one, and before a moment in ISO form: they need no reading.
EXACT, MOMENT = "\x02", "\x03"
# On text in lower case, outer blanks taken off. DuckDB and Python read it alike.
NUMBER = (
    r"^(?P<open>\()?\s*(?P<sign>[-+−])?\s*(?P<before>₫|đ|vnđ|vnd|us\$|usd|\$|€|eur)?\s*(?P<sign2>[-−])?"
    r"(?P<num>[0-9](?:[0-9.,' ]*[0-9])?)\s*\)?\s*"
    r"(?P<unit>%|k|nghìn|ngàn|tr|triệu|tỷ|tỉ)?\s*(?P<after>₫|đ|đồng|dong|vnđ|vnd|us\$|usd|\$|€|eur)?\s*\)?$"
)
PARTS = ("open", "sign", "before", "sign2", "num", "unit", "after")
_CURRENCIES = {"USD": ("us$", "usd", "$"), "EUR": ("€", "eur")}
# What an empty cell is written as where numbers or dates stand.
BLANKS = (
    "", "-", "--", "–", "—", "n/a", "#n/a", "na", "null", "none", "nan", "không có", "chưa có", "(blank)", "(trống)",
)  # fmt: skip
_DECIMAL = {
    ",": r"(?:[0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]*,[0-9]{1,2}|[0-9]*,[0-9]{4,}|[0-9]{4,},[0-9]+|0,[0-9]+)",
    ".": r"(?:[0-9]{1,3}(?:,[0-9]{3}){2,}|[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]*\.[0-9]{1,2}|[0-9]*\.[0-9]{4,}|[0-9]{4,}\.[0-9]+|0\.[0-9]+)",
}
_EITHER = {".": r"[1-9][0-9]{0,2}\.[0-9]{3}", ",": r"[1-9][0-9]{0,2},[0-9]{3}"}
_VALID = {
    ",": r"(?:[0-9]{1,3}(?:\.[0-9]{3})+|[0-9]+)(?:,[0-9]+)?",
    ".": r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?",
}
# Beside so few plain cases, a doubtful one is told.
_FEW = 0.05


@dataclass(frozen=True, slots=True)
class NumberEvidence:
    """What the numbers of a column are written like; `plain` says that digits and a sign are all there is.

    `cells` counts those that hold anything, `percents` and `money` those with such a sign.
    """

    plain: bool
    cells: int = 0
    mark: Mark = ","
    doubt: str = ""
    percents: int = 0
    money: int = 0
    currencies: frozenset[str] = frozenset()


def slow_number(text: str, unit: str = "") -> float | None:
    """The number in a cell that only the reader for sentences knows ("1tr5", "2 tỷ 3"); None in any other unit."""
    found = parse_number(text)
    if found is None or any(amount.unit not in {"", "%", "VND", unit} for amount in find_amounts(text)):
        return None
    return float(found)


def trimmed(cell: str) -> str:
    """SQL for a cell in lower case without outer blanks, of any width."""
    return f"lower(trim({cell}, ' \t\u00a0\u202f\ufeff'))"


def blank(cell: str) -> str:
    """SQL that says whether a cell holds nothing, or a word that stands for nothing."""
    return f"({cell} is null or {trimmed(cell)} in ({', '.join(map(literal, BLANKS))}))"


def weigh(con: duckdb.DuckDBPyConnection, cell: str, source: str) -> NumberEvidence:
    """Look at all cells of a column of `source`; which mark begins the decimals is decided by what cannot be else."""
    row = con.execute(
        f"select count_if(not regexp_full_match({cell}, '[-+]?[0-9]{{1,18}}')), count({cell}) from {source}"  # noqa: S608 (our names)
    ).fetchone()
    if not row or not row[0]:
        return NumberEvidence(plain=True, cells=row[1] if row else 0)
    total = row[1]
    odd = f"(select {_taken(cell)} as m from {source} where not regexp_full_match({cell}, '[-+]?[0-9]{{1,18}}'))"  # noqa: S608 (our names)
    marks = ", ".join(
        f"count_if(regexp_full_match(replace(replace(m.num, ' ', ''), '''', ''), '{shape}'))"
        for shape in (_DECIMAL[","], _DECIMAL["."], _EITHER["."], _EITHER[","])
    )
    foreign = ", ".join(
        f"count_if(m.before in ({spelled}) or m.after in ({spelled}))"
        for spelled in (", ".join(map(literal, spellings)) for spellings in _CURRENCIES.values())
    )
    row = con.execute(
        f"select {marks}, count_if(m.unit = '%'), "  # noqa: S608 (our names)
        f"count_if(m.before <> '' or m.after <> '' or m.unit not in ('', '%')), {foreign} from {odd}"
    ).fetchone()
    comma, dot, dotted, commaed, percents, money, *others = row or (0,) * 8
    found = {name for name, count in zip(_CURRENCIES, others, strict=True) if count}
    if money > sum(others):
        found.add("VND")
    mark, doubt = _decide(comma, dot, dotted, commaed)
    return NumberEvidence(False, total, mark, doubt, percents, money, frozenset(found))


def _decide(comma: int, dot: int, dotted: int, commaed: int) -> tuple[Mark, str]:
    """The decimal mark and what is doubtful about it; the last two count cells like 1.234 and 1,234."""
    if comma and dot:
        return ("," if comma >= dot else "."), "marks"
    if comma or dot:
        unsure = commaed if comma else dotted
        return ("," if comma else "."), "marks" if unsure and (comma + dot) < _FEW * unsure else ""
    if dotted and commaed:
        return ("," if dotted >= commaed else "."), "marks"
    return (",", "grouped") if dotted else (".", "grouped") if commaed else (",", "")


def number_sql(cell: str, evidence: NumberEvidence, *, exact: bool) -> str:
    """SQL for the number in a cell as DOUBLE, NULL where it is none; `exact` cells carry the mark of a spreadsheet."""
    if evidence.plain:
        value = f"try_cast({cell} as double)"
    else:
        value = (
            f"case when regexp_full_match({cell}, '[-+]?[0-9]{{1,18}}') then try_cast({cell} as double) "
            f"else {_spelled(cell, evidence.mark)} end"
        )
    if exact:
        return f"case when {cell}[1] = '{EXACT}' then try_cast({cell}[2:] as double) else {value} end"
    return value


def _spelled(cell: str, mark: Mark) -> str:
    other = "." if mark == "," else ","
    plain = f"replace(replace(replace(replace(m.num, ' ', ''), '''', ''), '{other}', ''), ',', '.')"
    scale = "case m.unit when '' then 1 when '%' then 1 when 'k' then 1e3 when 'nghìn' then 1e3 when 'ngàn' then 1e3 when 'tr' then 1e6 when 'triệu' then 1e6 else 1e9 end"
    # A thousandth of a unit is lost in 1.1 * 1e6 = 1100000.0000000002, and brought back.
    value = f"case when m.unit in ('', '%') then {{n}} else round({{n}} * {scale}, 3) end".format(
        n=f"try_cast({plain} as double)"
    )
    minus = "m.open = '(' or m.sign in ('-', '−') or m.sign2 <> ''"
    return (
        f"list_transform([{_taken(cell)}], lambda m: case when m.num = '' or not "
        f"regexp_full_match(replace(replace(m.num, ' ', ''), '''', ''), '{_VALID[mark]}') then null "
        f"when {minus} then -({value}) else {value} end)[1]"
    )


def _taken(cell: str) -> str:
    names = ", ".join(f"'{name}'" for name in PARTS)
    return f"regexp_extract({trimmed(cell)}, {literal(NUMBER)}, [{names}])"


# Dates and times as people write them in cells, read by DuckDB for a whole column at once; day before month.


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
        # Only where the cell as it stands fails, without its blanks and capitals, which takes longer.
        known = _known(forms.formats)
        tries += [f"try_strptime({each}, [{known}])" for each in (cell, trimmed(cell))]
    if forms.zoned:
        since = f"epoch_us(try_cast(upper({trimmed(cell)}) as timestamptz))"
        tries.append(
            f"case when regexp_matches({trimmed(cell)}, '(z|[+-][0-9]{{2}}:?[0-9]{{2}})$') "
            f"then make_timestamp({since} + 25200000000) end"
        )
    return f"coalesce({', '.join(tries)}, null::timestamp)" if tries else "null::timestamp"


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
