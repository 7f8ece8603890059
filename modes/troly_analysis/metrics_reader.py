"""Reads the line that defines a metric from left to right, and says at which place it is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from troly.config.problems import nearest
from troly.errors import InputError
from troly.text.fold import fold, fold_in_place
from troly_analysis.metrics_values import value_of
from troly_analysis.types import NUMERIC, OPERATIONS, Field, Metric, Operation, Sheet

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
            raise self._wrong(
                "metric.operation", start, found=self.text[start:][:30], known=", ".join(OPERATIONS)
            )
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
            ends = [match.start() for match in [re.search(stop, self.text[start:])] if match] if stop else []
            rest = self.folded[self._folded_at(start) :]
            ends += [
                self._after(start, match.start()) - start
                for match in [(_AND_VALUE if sign == "between" else _AND).search(rest)]
                if match
            ]
            end = start + min(ends, default=len(self.text) - start)
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
