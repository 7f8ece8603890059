"""Numbers as people write them in cells, read by DuckDB for a whole column at once: 1.000,5 đ, 20k, 1,5 tỷ, (300)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from troly.tables.columns import literal
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
class Evidence:
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


def weigh(con: duckdb.DuckDBPyConnection, cell: str, source: str) -> Evidence:
    """Look at all cells of a column of `source`; which mark begins the decimals is decided by what cannot be else."""
    row = con.execute(
        f"select count_if(not regexp_full_match({cell}, '[-+]?[0-9]{{1,18}}')), count({cell}) from {source}"  # noqa: S608 (our names)
    ).fetchone()
    if not row or not row[0]:
        return Evidence(plain=True, cells=row[1] if row else 0)
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
    return Evidence(False, total, mark, doubt, percents, money, frozenset(found))


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


def number_sql(cell: str, evidence: Evidence, *, exact: bool) -> str:
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
