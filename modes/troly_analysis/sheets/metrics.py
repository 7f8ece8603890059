"""The named figures that people define for their sheets, kept in the state database beside the sheets."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from troly.config.problems import nearest
from troly.errors import InputError
from troly.stores.migrations import Migration
from troly.text.dates import parse_date
from troly.text.fold import fold, fold_in_place, nfc
from troly.text.numbers import parse_number
from troly_analysis.sheets.records import key_of
from troly_analysis.types import NUMERIC, OPERATIONS, TEMPORAL, Field, Metric, Operation, Sheet

if TYPE_CHECKING:
    from troly.stores.state import StateDb


# What a value written in a definition means for its field: numbers, dates, yes or no, the spelling of the sheet.


_TRUTHS = {
    "true": True, "dung": True, "co": True, "yes": True, "false": False, "sai": False, "khong": False, "no": False,
}  # fmt: skip


def value_of(field: Field, said: str, sign: str) -> tuple[Any, str]:
    """The value as the field has it, and the key of what is wrong with it ("" where nothing is)."""
    if field.kind in NUMERIC:
        number = _number(said)
        return number, "metric.number" if number is None else ""
    if field.kind in TEMPORAL:
        day = parse_date(said)
        if day is None:
            return None, "metric.date"
        timed = field.kind == "datetime" and re.fullmatch(r"[0-9]{4}-.+[:].+", said)
        return (said if timed else day.isoformat()), ""
    if field.kind == "boolean":
        truth = _TRUTHS.get(fold(said).strip())
        return truth, "metric.truth" if truth is None else ""
    if sign == "contains" or said in field.examples:
        return said, ""
    return next((known for known in field.examples if fold(known) == fold(said)), said), ""


def _number(said: str) -> int | float | None:
    try:
        return int(said)
    except ValueError:
        pass
    decimal = re.fullmatch(r"-?[0-9]+\.[0-9]*(?:e[-+]?[0-9]+)?|-?[0-9]+e[-+]?[0-9]+", said)
    if decimal and len(said.rpartition(".")[2]) != 3:
        return float(said)
    number = parse_number(said)
    if number is None:
        return None
    return int(number) if number == int(number) else float(number)


# Reads the line that defines a metric from left to right, and says at which place it is wrong.


MAX_TEXT, MAX_NAME, MAX_CONDITIONS = 1_000, 80, 20
_OPERATIONS: dict[str, str] = {
    **{name: name for name in OPERATIONS},
    **dict.fromkeys(("tong", "total"), "sum"),
    **dict.fromkeys(("dem", "so", "so luong"), "count"),
    **dict.fromkeys(("trung binh", "tb", "average", "mean"), "avg"),
    **dict.fromkeys(("nho nhat", "thap nhat"), "min"),
    **dict.fromkeys(("lon nhat", "cao nhat"), "max"),
}
# Longer signs first: `>=` is not `>` and then `=`.
_SIGNS = (
    ("not in", "nin"), ("khong thuoc", "nin"), ("between", "between"), ("contains", "contains"), ("chua", "contains"),
    ("thuoc", "in"), ("tu", "between"), ("in", "in"),
    ("!=", "ne"), ("<>", "ne"), (">=", "gte"), ("<=", "lte"), ("==", "eq"), ("=", "eq"), (">", "gt"), ("<", "lt"),
)  # fmt: skip
_WHERE = re.compile(r"\s*(?:where|khi|neu)(?=[\s\[\"'])")
_AND = re.compile(r"\s+(?:and|va)(?=[\s\[\"'])|\s*&&")
_AND_VALUE = re.compile(r"\s+(?:and|va|den)\s+")


class MetricReader:
    """Reads one line from left to right; `at` is the offset in `text`, shown to people counted from 1."""

    def __init__(self, text: str, sheet: Sheet) -> None:
        self.text = text
        self.sheet = sheet
        self.at = 0
        self.folded, self.offsets = fold_in_place(text)

    def metric(self) -> Metric:
        if len(self.text) > MAX_TEXT:
            raise InputError("metric.long", most=MAX_TEXT)
        name, equals, _ = self.text.partition("=")
        name = " ".join(name.split())
        if not equals or not name or len(name) > MAX_NAME:
            raise self._wrong("metric.name", 0)
        self.at = self.text.index("=") + 1
        operation = self._operation()
        field = self._operand(operation)
        where = self._where()
        return Metric(name, operation, field.name if field else "", where)

    def _operation(self) -> Operation:
        start = self._skip()
        end = self.text.find("(", start)
        said = fold(self.text[start : end if end >= 0 else None]).strip()
        found = _OPERATIONS.get(said)
        if end < 0 or found is None:
            known = ", ".join(OPERATIONS)
            raise self._wrong("metric.operation", start, found=self.text[start:][:30], known=known)
        self.at = end + 1
        return cast("Operation", found)

    def _operand(self, operation: Operation) -> Field | None:
        """The field between the parentheses; None counts rows."""
        start = self._skip()
        if operation == "count" and (rest := re.match(r"\*?\s*\)", self.text[start:])):
            self.at = start + rest.end()
            return None
        field = self._field()
        end = self._skip()
        if not self.text.startswith(")", end):
            raise self._wrong("metric.close", end)
        self.at = end + 1
        if operation in {"sum", "avg"} and field.kind not in NUMERIC:
            raise self._wrong("metric.not_number", start, field=field.name, operation=operation)
        return field

    def _field(self) -> Field:
        """The longest field name that stands here, in brackets or quotes or bare."""
        start = self._skip()
        close = {"[": "]", '"': '"', "`": "`", "«": "»"}.get(self.text[start : start + 1])
        if close:
            name, self.at = self._enclosed(start, close)
            found = self.sheet.field(name) or self._only(fold(name).strip())
            if found is None:
                raise self._unknown(name, start)
            return found
        matches = [field for field in self.sheet.fields if self._stands(fold(field.name), start)]
        if not matches:
            said = re.split(r"[)=<>!]|\s+(?:in|between|contains)\s", self.text[start:])[0].strip()
            raise self._unknown(said[:40], start)
        best = max(len(fold(field.name)) for field in matches)
        longest = [field for field in matches if len(fold(field.name)) == best]
        exact = [field for field in longest if self.text.startswith(field.name, start)]
        field = (exact or longest)[0]
        self.at = self._after(start, best)
        return field

    def _only(self, folded: str) -> Field | None:
        return next((field for field in self.sheet.fields if fold(field.name) == folded), None)

    def _stands(self, name: str, start: int) -> bool:
        """Whether the folded `name` stands at `start` and ends with a word."""
        place = self._folded_at(start)
        end = place + len(name)
        if not name or not self.folded.startswith(name, place):
            return False
        return not (name[-1].isalnum() and self.folded[end : end + 1].isalnum())

    def _folded_at(self, start: int) -> int:
        return next((place for place, offset in enumerate(self.offsets) if offset >= start), len(self.folded))

    def _after(self, start: int, length: int) -> int:
        place = self._folded_at(start) + length
        return self.offsets[place] if place < len(self.offsets) else len(self.text)

    def _enclosed(self, start: int, close: str) -> tuple[str, int]:
        """The text between signs at `start`, a closing sign written twice standing for itself, and what is after."""
        at, found = start + 1, ""
        while True:
            end = self.text.find(close, at)
            if end < 0:
                raise self._wrong("metric.unclosed", start, sign=close)
            found += self.text[at:end]
            if not self.text.startswith(close * 2, end):
                return found, end + 1
            found += close
            at = end + 2

    def _where(self) -> dict[str, Any]:
        where: dict[str, Any] = {}
        if not self.text[self.at :].strip():
            return where
        opening = self._match(_WHERE)
        if opening is None:
            raise self._wrong("metric.where", self._skip())
        self.at = opening
        for count in range(MAX_CONDITIONS + 1):
            if count == MAX_CONDITIONS:
                raise self._wrong("metric.conditions", self.at, most=MAX_CONDITIONS)
            self._condition(where)
            if not self.text[self.at :].strip():
                break
            following = self._match(_AND)
            if following is None:
                raise self._wrong("metric.and", self._skip())
            self.at = following
        return where

    def _condition(self, where: dict[str, Any]) -> None:
        begin = self._skip()
        field = self._field()
        sign = self._sign()
        if sign in {"in", "nin"}:
            value: Any = self._values(field)
        elif sign == "between":
            value = self._pair(field)
        else:
            value = self._value(field, sign)
        known = where.get(field.name)
        if known is None:
            where[field.name] = value if sign == "eq" else {sign: value}
            return
        signs = dict(known) if isinstance(known, Mapping) else {"eq": known}
        if sign in signs:
            raise self._wrong("metric.twice", begin, field=field.name)
        where[field.name] = {**signs, sign: value}

    def _sign(self) -> str:
        start = self._skip()
        place = self._folded_at(start)
        for spelled, sign in _SIGNS:
            if self.folded.startswith(spelled, place):
                after = self.folded[place + len(spelled) : place + len(spelled) + 1]
                if spelled[-1].isalpha() and after.isalnum():
                    continue
                self.at = self._after(start, len(spelled))
                return sign
        raise self._wrong("metric.sign", start)

    def _values(self, field: Field) -> list[Any]:
        start = self._skip()
        if not self.text.startswith("(", start):
            raise self._wrong("metric.list", start)
        self.at = start + 1
        found = []
        while True:
            found.append(self._value(field, "in", stop=r"[,;)]"))
            end = self._skip()
            sign = self.text[end : end + 1]
            if sign not in {",", ";", ")"} or not sign:
                raise self._wrong("metric.list", end)
            self.at = end + 1
            if sign == ")":
                return found

    def _pair(self, field: Field) -> list[Any]:
        first = self._value(field, "between")
        middle = self._match(_AND_VALUE)
        if middle is None:
            raise self._wrong("metric.between", self._skip())
        self.at = middle
        return [first, self._value(field, "between")]

    def _value(self, field: Field, sign: str, stop: str = "") -> Any:
        start = self._skip()
        quote = self.text[start : start + 1]
        if quote in {"'", '"'}:
            said, self.at = self._enclosed(start, quote)
        else:
            stopped = re.search(stop, self.text[start:]) if stop else None
            following = _AND_VALUE if sign == "between" else _AND
            other = following.search(self.folded[self._folded_at(start) :])
            ends = [start + stopped.start()] if stopped else []
            ends += [self._after(start, other.start())] if other else []
            end = min(ends, default=len(self.text))
            said, self.at = self.text[start:end].strip(), end
            if not said:
                raise self._wrong("metric.value", start, field=field.name)
        meant, fault = value_of(field, said, sign)
        if fault:
            raise self._wrong(fault, start, field=field.name, value=said)
        return meant

    def _match(self, pattern: re.Pattern[str]) -> int | None:
        """The offset after `pattern`, which is read on the folded text, where it stands here."""
        place = self._folded_at(self.at)
        match = pattern.match(self.folded, place)
        return self._after(self.at, match.end() - place) if match else None

    def _skip(self) -> int:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        return self.at

    def _unknown(self, name: str, start: int) -> InputError:
        names = [field.name for field in self.sheet.fields]
        near = nearest(name, names) or ", ".join(names[:12])
        return self._wrong("metric.field", start, name=name, near=near)

    def _wrong(self, key: str, at: int, **params: object) -> InputError:
        return InputError(key, position=at + 1, **params)


# Reads and writes the line that defines a metric: `doanh thu thuần = sum(Doanh thu) where Trạng thái = 'Hoàn thành'`.


_WRITTEN = {"eq": "=", "ne": "!=", "gte": ">=", "lte": "<=", "gt": ">", "lt": "<", "contains": "contains"}
_THREE_PLACES = re.compile(r"-?[0-9]+[.][0-9]{3}")
_PLAIN_FIELD = re.compile(r"[^\W_](?:[\w ]*\w)?")


def parse_metric(text: str, sheet: Sheet) -> Metric:
    """The metric that `text` defines over the fields of `sheet`; case and accents of fields and values do not matter.

    `NAME = OPERATION(FIELD) [where FIELD SIGN VALUE [and …]]` with the operations sum, count, avg, min, max and the
    signs = != > >= < <= in, not in, contains, between. Raises InputError `metric.…` that says where the text is wrong.
    """
    metric = MetricReader(nfc(text), sheet).metric()
    return replace(metric, text=format_metric(metric))


def format_metric(metric: Metric) -> str:
    """The line that defines `metric`; reading it again gives the same metric."""
    line = f"{metric.name} = {metric.operation}({_field_text(metric.field) if metric.field else ''})"
    given = metric.where.items()
    conditions = [condition for name, wanted in given for condition in _conditions(name, wanted)]
    return f"{line} where {' and '.join(conditions)}" if conditions else line


def _conditions(name: str, wanted: Any) -> list[str]:
    spelled = _field_text(name)
    done = []
    for sign, value in (wanted if isinstance(wanted, Mapping) else {"eq": wanted}).items():
        if sign in {"in", "nin"}:
            values = ", ".join(map(_value_text, value))
            done.append(f"{spelled} {'in' if sign == 'in' else 'not in'} ({values})")
        elif sign == "between":
            done.append(f"{spelled} between {_value_text(value[0])} and {_value_text(value[1])}")
        else:
            done.append(f"{spelled} {_WRITTEN[sign]} {_value_text(value)}")
    return done


def _field_text(name: str) -> str:
    return name if _PLAIN_FIELD.fullmatch(name) else f"[{name.replace(']', ']]')}]"


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        # 1.234 would be read as 1234.
        return f"{value!r}0" if _THREE_PLACES.fullmatch(repr(value)) else repr(value)
    return "'" + str(value).replace("'", "''") + "'"


__all__ = ["MIGRATION", "Metrics", "format_metric", "parse_metric"]

# A metric outlives the versions of its sheet: it is kept by the name of the dataset.
MIGRATION = Migration(
    "analysis/0001_metrics",
    (
        """
        CREATE TABLE analysis_metrics (
            owner TEXT NOT NULL,
            dataset TEXT NOT NULL,
            key TEXT NOT NULL,
            metric TEXT NOT NULL,
            PRIMARY KEY (owner, dataset, key)
        )
        """,
    ),
    # Metrics come in the order they were defined; SQLite numbers rows by itself.
    postgres=(
        """
        CREATE TABLE analysis_metrics (
            rowid INTEGER GENERATED BY DEFAULT AS IDENTITY,
            owner TEXT NOT NULL,
            dataset TEXT NOT NULL,
            key TEXT NOT NULL,
            metric TEXT NOT NULL,
            PRIMARY KEY (owner, dataset, key)
        )
        """,
    ),
)


class Metrics:
    """The metrics of all users' sheets; every read names the owner. Raises StoreError."""

    def __init__(self, state: StateDb) -> None:
        self._state = state

    def of(self, owner: str) -> dict[str, tuple[Metric, ...]]:
        """The metrics of an owner by dataset, in the order they were defined."""
        with self._state.read(owner) as connection:
            rows = connection.execute(
                "SELECT dataset, metric FROM analysis_metrics WHERE owner = ? ORDER BY rowid", (owner,)
            ).fetchall()
        found: dict[str, list[Metric]] = defaultdict(list)
        for dataset, metric in rows:
            found[dataset].append(Metric(**json.loads(metric)))
        return {dataset: tuple(metrics) for dataset, metrics in found.items()}

    def put(self, owner: str, dataset: str, metric: Metric) -> None:
        """Keep a metric, in place of one with its name."""
        kept = {**asdict(metric), "where": dict(metric.where)}
        with self._state.write(owner) as connection:
            connection.execute(
                "INSERT INTO analysis_metrics (owner, dataset, key, metric) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (owner, dataset, key) DO UPDATE SET metric = excluded.metric",
                (owner, dataset, key_of(metric.name), json.dumps(kept, ensure_ascii=False)),
            )

    def remove(self, owner: str, dataset: str, metric: Metric) -> None:
        """Forget a metric."""
        with self._state.write(owner) as connection:
            connection.execute(
                "DELETE FROM analysis_metrics WHERE owner = ? AND dataset = ? AND key = ?",
                (owner, dataset, key_of(metric.name)),
            )

    def clear(self, owner: str, dataset: str) -> None:
        """Forget all metrics of a sheet."""
        with self._state.write(owner) as connection:
            connection.execute(
                "DELETE FROM analysis_metrics WHERE owner = ? AND dataset = ?", (owner, dataset)
            )
