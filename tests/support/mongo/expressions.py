"""MongoDB's expressions over Python values, as far as the tests use them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from tests.support.mongo.values import KEY, MongoError, at_path, moment, number, order, same, truth

Row = dict[str, Any]
NOW = datetime.fromisoformat("2024-03-01 10:00:00")


def evaluate(node: Any, row: Row, names: Row | None = None) -> Any:  # noqa: PLR0911 (one line a kind of node)
    """The value of an expression for one row."""
    names = names or {}
    if isinstance(node, str) and node.startswith("$$"):
        head, *path = node[2:].split(".")
        known = {"ROOT": row, "CURRENT": row, "NOW": NOW, **names}
        return at_path(known[head], path)
    if isinstance(node, str) and node.startswith("$"):
        return at_path(row, node[1:].split("."))
    if isinstance(node, list):
        return [evaluate(each, row, names) for each in node]
    if not isinstance(node, dict):
        return node
    name = next(iter(node), "")
    if not name.startswith("$"):
        return {key: evaluate(each, row, names) for key, each in node.items()}
    if name in _LAZY:
        return _LAZY[name](node[name], row, names)
    given = node[name]
    if name == "$literal":
        return given
    if isinstance(given, dict) and not any(key.startswith("$") for key in given):
        return _NAMED[name](
            **{
                key.replace("in", "inner") if key == "in" else key: evaluate(each, row, names)
                for key, each in given.items()
            }
        )
    args = (
        [evaluate(each, row, names) for each in given]
        if isinstance(given, list)
        else [evaluate(given, row, names)]
    )
    return _PLAIN[name](*args)


def _cond(given: Any, row: Row, names: Row) -> Any:
    when, then, other = (given["if"], given["then"], given["else"]) if isinstance(given, dict) else given
    return evaluate(then if truth(evaluate(when, row, names)) else other, row, names)


def _switch(given: Any, row: Row, names: Row) -> Any:
    for branch in given["branches"]:
        if truth(evaluate(branch["case"], row, names)):
            return evaluate(branch["then"], row, names)
    if "default" not in given:
        raise MongoError("switch")
    return evaluate(given["default"], row, names)


def _if_null(given: Any, row: Row, names: Row) -> Any:
    values = (evaluate(each, row, names) for each in given)
    return next((value for value in values if value is not None), None)


def _let(given: Any, row: Row, names: Row) -> Any:
    known = {name: evaluate(each, row, names) for name, each in given["vars"].items()}
    return evaluate(given["in"], row, {**names, **known})


def _filter(given: Any, row: Row, names: Row) -> Any:
    values, name = evaluate(given["input"], row, names), given.get("as", "this")
    if values is None:
        return None
    kept = [each for each in values if truth(evaluate(given["cond"], row, {**names, name: each}))]
    return kept[: given.get("limit", len(kept))]


def _map(given: Any, row: Row, names: Row) -> Any:
    values, name = evaluate(given["input"], row, names), given.get("as", "this")
    return None if values is None else [evaluate(given["in"], row, {**names, name: each}) for each in values]


_LAZY: dict[str, Callable[[Any, Row, Row], Any]] = {
    "$cond": _cond, "$switch": _switch, "$ifNull": _if_null, "$let": _let, "$filter": _filter, "$map": _map,
    "$and": lambda given, row, names: all(truth(evaluate(each, row, names)) for each in given),
    "$or": lambda given, row, names: any(truth(evaluate(each, row, names)) for each in given),
}  # fmt: skip


def known(work: Callable[..., Any]) -> Callable[..., Any]:
    """Null when any argument is."""
    return lambda *args: None if any(each is None for each in args) else work(*args)


def _add(*args: Any) -> Any:
    dates = [each for each in args if isinstance(each, datetime)]
    if not dates:
        return sum(args)
    return dates[0] + timedelta(milliseconds=sum(each for each in args if not isinstance(each, datetime)))


def _subtract(left: Any, right: Any) -> Any:
    left, right = moment(left), moment(right)
    if isinstance(left, datetime) and isinstance(right, datetime):
        return round((left - right).total_seconds() * 1000)
    return left - timedelta(milliseconds=right) if isinstance(left, datetime) else left - right


def _divide(left: Any, right: Any) -> Any:
    if right == 0:
        raise MongoError("zero")
    return left / right


def _mod(left: Any, right: Any) -> Any:
    if right == 0:
        raise MongoError("zero")
    return math.fmod(left, right)


def needed(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """An error for null."""

    def run(value: Any) -> Any:
        if value is None:
            raise MongoError("null")
        return work(value)

    return run


def _slice(values: list[Any], *numbers: int) -> list[Any]:
    if len(numbers) == 1:
        return values[: numbers[0]] if numbers[0] >= 0 else values[numbers[0] :]
    start = numbers[0] if numbers[0] >= 0 else max(len(values) + numbers[0], 0)
    return values[start : start + numbers[1]]


def _element(values: list[Any], index: int) -> Any:
    return values[index] if -len(values) <= index < len(values) else None


def _over(work: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        values = args[0] if len(args) == 1 and isinstance(args[0], list) else list(args)
        return work(values)

    return run


def numbers(values: list[Any]) -> list[Any]:
    return [each for each in values if number(each)]


def mean(values: list[Any]) -> Any:
    return statistics.fmean(numbers(values)) if numbers(values) else None


def extreme(pick: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda values: pick([each for each in values if each is not None], key=KEY, default=None)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _trunc_week(day: datetime, first: str = "sunday") -> datetime:
    day = datetime.combine(moment(day).date(), datetime.min.time())
    return day - timedelta(days=(day.isoweekday() % 7 - ["sunday", "monday"].index(first)) % 7)


def _trim(input: Any, chars: Any = None) -> Any:  # noqa: A002
    return None if input is None else input.strip(chars)


def _date_to_string(date: Any, format: str = "%Y-%m-%dT%H:%M:%S.000Z", onNull: Any = None) -> Any:  # noqa: A002, N803
    return onNull if date is None else moment(date).strftime(format)


def _date_trunc(date: Any, unit: str, startOfWeek: str = "sunday") -> Any:  # noqa: N803
    if date is None:
        return None
    date = moment(date)
    if unit == "week":
        return _trunc_week(date, startOfWeek)
    month = {"year": 1, "quarter": (date.month - 1) // 3 * 3 + 1}.get(unit, date.month)
    midnight = datetime.combine(date.date(), datetime.min.time())
    return midnight if unit == "day" else midnight.replace(month=month, day=1)


def _date_diff(startDate: Any, endDate: Any, unit: str) -> Any:  # noqa: N803
    if startDate is None or endDate is None:
        return None
    start, end = moment(startDate), moment(endDate)
    months = (end.year - start.year) * 12 + end.month - start.month
    days = (end.date() - start.date()).days
    return {"month": months, "day": days, "week": (_trunc_week(end) - _trunc_week(start)).days // 7}[unit]


def _part(work: Callable[[datetime], int]) -> Callable[[Any], Any]:
    return known(lambda value: work(moment(value)))


_PLAIN: dict[str, Callable[..., Any]] = {
    "$eq": same, "$ne": lambda a, b: not same(a, b), "$gt": lambda a, b: order(a, b) > 0,
    "$gte": lambda a, b: order(a, b) >= 0, "$lt": lambda a, b: order(a, b) < 0, "$lte": lambda a, b: order(a, b) <= 0,
    "$cmp": order, "$not": lambda a: not truth(a), "$add": known(_add), "$multiply": known(lambda *a: math.prod(a)),
    "$subtract": known(_subtract), "$divide": known(_divide), "$mod": known(_mod), "$abs": known(abs),
    "$ceil": known(math.ceil), "$floor": known(math.floor), "$round": known(round), "$trunc": known(math.trunc),
    "$pow": known(pow), "$concat": known(lambda *a: "".join(a)), "$toUpper": lambda a: _text(a).upper(),
    "$toLower": lambda a: _text(a).lower(), "$strLenCP": needed(len), "$split": known(str.split),
    "$substrCP": lambda text, start, count: _text(text)[start : start + count],
    "$size": needed(len), "$arrayElemAt": known(_element), "$first": known(lambda a: _element(a, 0)),
    "$last": known(lambda a: _element(a, -1)), "$slice": known(_slice), "$reverseArray": known(lambda a: a[::-1]),
    "$concatArrays": known(lambda *a: [each for values in a for each in values]),
    "$in": lambda value, values: any(same(value, each) for each in needed(list)(values)),
    "$isArray": lambda value: isinstance(value, list), "$sum": _over(lambda values: sum(numbers(values))),
    "$avg": _over(mean), "$min": _over(extreme(min)), "$max": _over(extreme(max)),
    "$year": _part(lambda d: d.year), "$month": _part(lambda d: d.month), "$dayOfMonth": _part(lambda d: d.day),
    "$dayOfWeek": _part(lambda d: d.isoweekday() % 7 + 1), "$isoWeek": _part(lambda d: d.isocalendar()[1]),
    "$hour": _part(lambda d: d.hour), "$week": _part(lambda d: int(d.strftime("%U"))),
    "$dayOfYear": _part(lambda d: d.timetuple().tm_yday), "$toString": known(_text), "$toInt": known(int),
    "$toDouble": known(float),
}  # fmt: skip
_NAMED: dict[str, Callable[..., Any]] = {
    "$dateToString": _date_to_string,
    "$dateTrunc": _date_trunc,
    "$dateDiff": _date_diff,
    "$trim": _trim,
    "$replaceAll": known(lambda text, find, by: text.replace(find, by)),
}
