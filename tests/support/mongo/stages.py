"""MongoDB's stages over lists of dicts: the slow and plain way, to check the SQL against. A blank cell is null."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tests.support.mongo.expressions import evaluate, extreme, mean, numbers
from tests.support.mongo.values import KEY, at_path, moment, number, rank, same, sort_key, truth

Row = dict[str, Any]
Sheets = Mapping[str, Sequence[Row]]


def run(
    pipeline: Sequence[Mapping[str, Any]], rows: Sequence[Row], sheets: Sheets, names: Row | None = None
) -> list[Row]:
    """The rows after all stages; raises MongoError where MongoDB refuses a value."""
    found = [dict(row) for row in rows]
    for stage in pipeline:
        ((name, given),) = stage.items()
        found = _STAGES[name](given, found, sheets, names or {})
    return found


def matches(query: Mapping[str, Any], row: Row, names: Row) -> bool:
    return all(_clause(name, wanted, row, names) for name, wanted in query.items())


def _clause(name: str, wanted: Any, row: Row, names: Row) -> bool:
    if name == "$expr":
        return truth(evaluate(wanted, row, names))
    if name in ("$and", "$or", "$nor"):
        found = [matches(each, row, names) for each in wanted]
        return all(found) if name == "$and" else any(found) is (name == "$or")
    return _field(at_path(row, name.split(".")), wanted)


def _field(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict) or not any(name.startswith("$") for name in wanted):
        return _test("$eq", value, wanted, {})
    return all(_test(name, value, each, wanted) for name, each in wanted.items() if name != "$options")


def _test(name: str, value: Any, wanted: Any, beside: Mapping[str, Any]) -> bool:  # noqa: PLR0911 (one line an operator)
    if name in ("$ne", "$nin"):
        return not _test({"$ne": "$eq", "$nin": "$in"}[name], value, wanted, {})
    if name == "$not":
        return not _field(value, wanted)
    if name == "$exists":
        return (value is not None) is bool(wanted)
    if name == "$all":
        return bool(wanted) and all(_test("$eq", value, each, {}) for each in wanted)
    if name == "$size":
        return isinstance(value, list) and len(value) == wanted
    if name == "$elemMatch":
        plain = all(key.startswith("$") for key in wanted)
        inside = value if isinstance(value, list) else []
        return any(
            _field(each, wanted) if plain else isinstance(each, dict) and matches(wanted, each, {})
            for each in inside
        )
    candidates = [value, *value] if isinstance(value, list) else [value]
    return any(_one(name, each, wanted, beside) for each in candidates)


def _one(name: str, value: Any, wanted: Any, beside: Mapping[str, Any]) -> bool:
    if name == "$in":
        return any(same(value, each) for each in wanted)
    if name == "$regex":
        flags = re.IGNORECASE if "i" in beside.get("$options", "") else 0
        return isinstance(value, str) and re.search(wanted, value, flags) is not None
    if name == "$mod":
        return number(value) and int(value) % wanted[0] == wanted[1]
    if rank(value) != rank(wanted):
        return False
    from tests.support.mongo.values import order

    found = order(value, wanted)
    kinds = {"$eq": found == 0, "$gt": found > 0, "$gte": found >= 0, "$lt": found < 0, "$lte": found <= 0}
    return kinds[name]


def _match(given: Any, rows: list[Row], _: Sheets, names: Row) -> list[Row]:
    return [row for row in rows if matches(given, row, names)]


def _group(given: Any, rows: list[Row], _: Sheets, names: Row) -> list[Row]:
    groups: list[tuple[Any, list[Row]]] = []
    for row in rows:
        key = moment(evaluate(given["_id"], row, names)) if given["_id"] != {} else None
        for known, members in groups:
            if same(known, key):
                members.append(row)
                break
        else:
            groups.append((key, [row]))
    found = []
    for key, members in sorted(groups, key=lambda group: KEY(group[0])):
        made: Row = {"_id": key}
        for name, wanted in given.items():
            if name != "_id":
                ((operator, inner),) = wanted.items()
                inner = inner.get("input") if operator == "$median" else inner
                values = (
                    [1] * len(members)
                    if operator == "$count"
                    else [evaluate(inner, row, names) for row in members]
                )
                made[name] = ACCUMULATORS[operator](values)
        found.append(made)
    return found


def _set(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(same(value, each) for each in found):
            found.append(value)
    return sorted(found, key=KEY)


def _median(values: list[Any]) -> Any:
    given = sorted(numbers(values))
    return given[(len(given) + 1) // 2 - 1] if given else None


ACCUMULATORS: Mapping[str, Callable[[list[Any]], Any]] = {
    "$sum": lambda values: sum(numbers(values)),
    "$count": len,
    "$avg": mean,
    "$min": extreme(min),
    "$max": extreme(max),
    "$first": lambda values: values[0],
    "$last": lambda values: values[-1],
    "$push": list,
    "$addToSet": _set,
    "$median": _median,
    "$stdDevPop": lambda values: statistics.pstdev(numbers(values)) if numbers(values) else None,
    "$stdDevSamp": lambda values: statistics.stdev(numbers(values)) if len(numbers(values)) > 1 else None,
}


def _sorting(path: Sequence[str], down: bool, row: Row) -> Any:
    return KEY(sort_key(at_path(row, path), down))


def _sort(given: Any, rows: list[Row], _: Sheets, names: Row) -> list[Row]:
    found = list(rows)
    for name, direction in reversed(given.items()):
        keys = partial(_sorting, name.split("."), direction == -1)
        found.sort(key=keys, reverse=direction == -1)
    return found


def _project(given: Any, rows: list[Row], _: Sheets, names: Row) -> list[Row]:
    rest = {name: wanted for name, wanted in given.items() if not (name == "_id" and wanted in (0, False))}
    if not rest or any(
        wanted in (0, False) for wanted in rest.values() if not isinstance(wanted, dict | list)
    ):
        dropped = {name for name, wanted in given.items() if wanted in (0, False)}
        return [{name: value for name, value in row.items() if name not in dropped} for row in rows]
    keep_id = given.get("_id", 1) not in (0, False)
    return [_projected(rest, row, keep_id, names) for row in rows]


def _projected(tree: Mapping[str, Any], row: Row, keep_id: bool, names: Row) -> Row:
    kept = [name for name, wanted in tree.items() if isinstance(wanted, bool | int) and "." not in name]
    made = {name: value for name, value in row.items() if name in kept or (name == "_id" and keep_id)}
    for name, wanted in tree.items():
        if name in kept:
            continue
        if "." in name:
            head, tail = name.split(".", 1)
            made[head] = _picked(row.get(head), tail)
        else:
            made[name] = evaluate(wanted, row, names)
    return made


def _picked(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_picked(each, name) for each in value]
    return {name: value.get(name)} if isinstance(value, dict) else {name: None}


def _lookup(given: Any, rows: list[Row], sheets: Sheets, names: Row) -> list[Row]:
    found = []
    for row in rows:
        theirs = list(sheets[given["from"]])
        if "localField" in given:
            local = at_path(row, given["localField"].split("."))
            theirs = [
                each for each in theirs if _equal(local, at_path(each, given["foreignField"].split(".")))
            ]
        known = {**names, **{name: evaluate(each, row, names) for name, each in given.get("let", {}).items()}}
        listed = run(given.get("pipeline", []), theirs, sheets, known)
        found.append(
            {**{name: value for name, value in row.items() if name != given["as"]}, given["as"]: listed}
        )
    return found


def _equal(local: Any, foreign: Any) -> bool:
    mine = local if isinstance(local, list) else [local]
    theirs = foreign if isinstance(foreign, list) else [foreign]
    return any(same(one, other) for one in mine for other in theirs)


def _unwind(given: Any, rows: list[Row], _: Sheets, names: Row) -> list[Row]:
    spec = {"path": given} if isinstance(given, str) else given
    name, index = spec["path"][1:], spec.get("includeArrayIndex")
    found = []
    for row in rows:
        value = row.get(name)
        items: list[Any] = value if isinstance(value, list) else [] if value is None else [value]
        if not items and spec.get("preserveNullAndEmptyArrays"):
            found.append({**row, name: None, **({index: None} if index else {})})
        for at, item in enumerate(items):
            place: Any = at if isinstance(value, list) else None
            found.append({**row, name: item, **({index: place} if index else {})})
    return found


_STAGES: Mapping[str, Callable[[Any, list[Row], Sheets, Row], list[Row]]] = {
    "$match": _match,
    "$group": _group,
    "$sort": _sort,
    "$limit": lambda given, rows, _, __: rows[: int(given)],
    "$project": _project,
    "$lookup": _lookup,
    "$unwind": _unwind,
    "$count": lambda given, rows, _, __: [{given: len(rows)}] if rows else [],
}
