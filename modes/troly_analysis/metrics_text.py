"""Reads and writes the line that defines a metric: `doanh thu thuần = sum(Doanh thu) where Trạng thái = 'Hoàn thành'`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from troly.text.fold import nfc
from troly_analysis.metrics_reader import MetricReader
from troly_analysis.types import Metric, Sheet

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
    conditions = [
        condition for name, wanted in metric.where.items() for condition in _conditions(name, wanted)
    ]
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
