"""The sentences of an answer without a model: what was found, its conditions and order, remarks, and what to ask next."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from troly.text.catalogue import Lang
from troly.text.numbers import format_number
from troly_rental.answer.payload import ResultSet, short
from troly_rental.answer.values import amenity_label, cell_text, column_label, is_day, unit_of
from troly_rental.data.places import places
from troly_rental.question.types import OPPOSITE, PAPERS, PLACES, Filter, Measure, ParsedQuestion, Remark
from troly_rental.strings import say

_OPERATORS = {
    "=": "is", "!=": "is_not", "<": "below", "<=": "at_most", ">": "above", ">=": "at_least", "in": "is", "not_in": "is_not",
}  # fmt: skip
# Fields whose values say what they are of: "chưa trả", "đầy đủ nội thất".
_BARE = frozenset({"status", "furnished", "type", "bedrooms"})
# What is told of one row unless something else is asked, and the fields told with their name.
_FACTS = (
    "address", "floors", "price", "area", "type", "bedrooms", "people", "furnished", "district", "tenant", "month", "total", "scheduled_at",
    "monthly_rent", "start_date", "end_date", "due_date", "status", "paid_at",
)  # fmt: skip
_NAMED = frozenset({
    "price", "deposit", "electricity_price", "water_price", "rent", "electricity", "water", "total", "monthly_rent", "scheduled_at",
})  # fmt: skip
_DAYS = frozenset({"below", "at_most", "above", "is_not"})
_COUNTS = frozenset({"count", "count_where", "occupancy", "share"})
_TIMES = frozenset({"month", "week", "day"})
_MOST_SUGGESTIONS = 3


def answer_text(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """One or two sentences about the rows; nothing in them that is not in the rows or the question."""
    if parsed.picked:
        return _picked_words(parsed, found, lang)
    if not found.rows:
        key = "answer.no_more" if parsed.skip else "answer.none_own" if parsed.own else "answer.none"
        name = say(f"thing.{parsed.entity}", lang)
        return f"{say(key, lang, thing=name, where=conditions_text(parsed, lang)).strip()}."
    if parsed.mode == "LIST" and not parsed.measures:
        return _list_words(parsed, found, lang)
    if parsed.measures and not parsed.group:
        return _figure_words(parsed, found, lang)
    if found.total == 2 and not parsed.measures and any(one.field == "id" for one in parsed.filters):
        return say(
            "answer.compared",
            lang,
            **dict(zip(("one", "other"), map(_title_of, found.records()), strict=True)),
        )
    text = say("answer.table", lang, title=title_of(parsed, lang), rows=format_number(found.total, lang))
    told = (text, *(each(parsed, found, lang) for each in (_ends, _difference, _together)))
    return " ".join(part for part in told if part)


def counted_rows(found: ResultSet, parsed: ParsedQuestion, lang: Lang) -> str:
    """The few rows that were counted, beside their number."""
    told = (", ".join([_title_of(one), *_facts(one, parsed, lang)]) for one in found.records())
    return say("answer.counted", lang, rows="; ".join(told))


def rows_text(found: ResultSet, title: str, lang: Lang) -> str:
    """How many rows there are of what `title` names, for an answer whose query a model wrote."""
    if found.empty:
        return say("answer.no_rows", lang)
    if len(found.rows) == 1 and len(found.columns) == 1:
        return say("answer.figure", lang, title=title, value=_every_figure_of(found, lang))
    return say("answer.table", lang, title=title, rows=format_number(found.total, lang))


def records_title(entity: str, lang: Lang) -> str:
    """What the rows are, for a head."""
    name = say(f"thing.{entity}", lang)
    return name[:1].upper() + name[1:]


def column_name(column: str, lang: Lang) -> str:
    """What a column is called in a sentence."""
    return column_label(column, "room", lang).lower()


def understood(parsed: ParsedQuestion, lang: Lang) -> str:
    """What was read of a question that cannot be answered; "" for nothing."""
    told = title_of(parsed, lang) if parsed.filters or parsed.measures or parsed.own else ""
    return say("missing.understood", lang, what=told) if told else ""


def _every_figure_of(found: ResultSet, lang: Lang) -> str:
    return ", ".join(
        found.told(name, value, lang)
        for name, value in zip(found.columns, found.rows[0], strict=True)
        if value is not None
    )


def _every_figure(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """All figures of one row, in the order asked for, each with its name."""
    return ", ".join(
        _counted(value, _figure_text(one, name, value, parsed, lang), parsed, lang)
        if one.kind == "count"
        else f"{_measure(one, parsed, lang)} {_figure_text(one, name, value, parsed, lang)}"
        for one, name, value in zip(parsed.measures, found.columns, found.rows[0], strict=False)
        if value is not None
    ) or say("answer.nothing", lang)


def _figure_text(one: Measure, name: str, value: Any, parsed: ParsedQuestion, lang: Lang) -> str:
    return cell_text(name if one.kind in _COUNTS else one.field, value, parsed.entity, lang)


def _counted(value: Any, shown: str, parsed: ParsedQuestion, lang: Lang) -> str:
    """A number with what it counts: "12 phòng"."""
    noun = "thing_one" if value == 1 else "thing"
    return f"{shown} {say(f'{noun}.{parsed.entity}', lang)}"


def _ends(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """The first and the last group of figures that are sorted by their figure; "" for others."""
    records = found.records()
    if not parsed.ranks_groups or len(parsed.group) != 1 or len(records) < 2 or found.total > len(records):
        return ""
    name = next((one for one in found.columns if one not in parsed.group), "")
    ends = records[0], records[-1]
    if any(one[name] is None or one[parsed.group[0]] is None for one in ends):
        return ""
    down = parsed.order[0].descending
    told = [
        f"{cell_text(parsed.group[0], one[parsed.group[0]], parsed.entity, lang)}"
        f" ({cell_text(name, one[name], parsed.entity, lang)})"
        for one in (records if parsed.limit else ends if down else ends[::-1])
    ]
    if parsed.limit:  # of a part none is the highest and the lowest of all
        return say("answer.ranked_down" if down else "answer.ranked_up", lang, rows=", ".join(told))
    return say("answer.ends", lang, highest=told[0], lowest=told[1])


def _difference(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """How far the one figure of two groups is apart, of two months which way it went; "" for others."""
    records = found.records()
    alone = len(parsed.measures) == 1 or {one.kind for one in parsed.measures} == {"sum"}
    if not alone or len(parsed.group) != 1 or len(records) != 2 or found.total != 2:
        return ""
    (group,) = parsed.group
    name = next((one for one in found.columns if one != group), "")
    timed = group in _TIMES and all(one[group] is not None for one in records)
    first, second = sorted(records, key=lambda one: str(one[group])) if timed else records
    if not all(isinstance(one[name], (int, float)) for one in records):
        return ""
    apart = second[name] - first[name]
    value = _figure_text(parsed.measures[0], name, abs(apart), parsed, lang)
    if not timed:
        return say("answer.difference", lang, value=value)
    days = {
        key: cell_text(group, one[group], parsed.entity, lang)
        for key, one in (("earlier", first), ("later", second))
    }
    key = "answer.rose" if apart > 0 else "answer.fell" if apart else "answer.stayed"
    what = _measure(parsed.measures[0], parsed, lang)
    return say(key, lang, value=value, what=what[:1].upper() + what[1:], **days)


def _together(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """What groups come to together that were named, are counted (no room has one amenity alone), or are all of one's own sums,
    and which named ones have no rows; "" for neither.
    """
    sides = [one for one in parsed.filters if one.op == "in" and parsed.group == (one.field,)]
    kinds = [one.kind for one in parsed.measures]
    whole = parsed.own and kinds == ["sum"]
    whole = whole or (kinds == ["count"] and "amenity" not in parsed.group)
    if not (sides or whole) or found.total != len(found.rows) or parsed.limit:
        return ""
    records, measure, told = found.records(), parsed.measures[0], list[str]()
    for side in sides:
        shown = {cell_text(side.field, one[side.field], parsed.entity, lang) for one in records}
        named = {_value(side.field, value, parsed.entity, lang): value for value in side.values}
        absent = [
            name for name, one in named.items() if shown.isdisjoint({name, *places().covered(str(one))})
        ]
        thing = say(f"thing.{parsed.entity}", lang)
        told += [say("answer.absent", lang, thing=thing, names=", ".join(absent))] if absent else []
    name = next((one for one in found.columns if one not in parsed.group), "")
    if len(parsed.measures) == 1 and measure.kind in {"count", "sum"} and len(records) > 1:
        value = sum(one[name] or 0 for one in records)
        text = _figure_text(measure, name, value, parsed, lang)
        text = _counted(value, text, parsed, lang) if measure.kind == "count" else text
        told.insert(0, say("answer.together", lang, value=text))
    return " ".join(told)


def _list_words(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    if parsed.asked and parsed.limit == 1:  # of the first in an order
        first = found.records()[0]
        return " ".join(_yes_or_no(one, first, _title_of(first), parsed, lang) for one in parsed.asked)
    shown, total = len(found.rows), found.total
    key = "answer.list" if shown == total else "answer.some"
    key = "answer.next" if parsed.skip else key
    one = total == 1  # a row at a place of the order, too
    key = "answer.one" if one else key
    text = say(
        f"{key}_own" if parsed.own and not parsed.skip else key,
        lang,
        count=format_number(shown, lang),
        total=format_number(total, lang),
        thing=say(f"thing_one.{parsed.entity}", lang) if one else records_name(parsed, lang),
        where=conditions_text(parsed, lang),
    ).strip()
    order = order_text(parsed, lang)
    text = f"{text}, {order}" if order else text
    if order and shown > 1 and not parsed.skip:
        first = found.records()[0]
        if (value := first.get(parsed.order[0].field)) is not None:
            told = cell_text(parsed.order[0].field, value, parsed.entity, lang)
            if parsed.with_ties:
                return say("answer.tied", lang, text=text, value=told)
            return say("answer.top", lang, text=text, title=_title_of(first), value=told)
    if one and found.rows:  # what there is to say of the only one
        record = found.records()[0]
        text = f"{text}: {', '.join([_title_of(record), *_facts(record, parsed, lang)])}"
    return f"{text}. {_sum_of(parsed, found, lang)}".strip()


def _sum_of(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """What several of one's own invoices come to, where all are shown."""
    name = PAPERS["invoice"] if parsed.own and parsed.entity == "invoice" else ""
    values = [record.get(name) for record in found.records()] if name else []
    if (
        len(values) < 2
        or found.total != len(values)
        or not all(isinstance(one, int | float) for one in values)
    ):
        return ""
    measure = _measure(Measure("sum", name), parsed, lang)
    told = cell_text(name, sum(float(one) for one in values if one is not None), parsed.entity, lang)
    return say("answer.figure", lang, title=f"{measure[:1].upper()}{measure[1:]}", value=told)


def _title_of(record: Mapping[str, Any]) -> str:
    return str(record.get("title") or record["id"])


def _facts(record: Mapping[str, Any], parsed: ParsedQuestion, lang: Lang) -> list[str]:
    """What was asked of one row, else what matters most."""
    public = parsed.entity in {"room", "post"} and not parsed.own
    asked = [PAPERS.get(parsed.entity, name) if name == "price" else name for name in parsed.details]
    names = [name for name in asked if record.get(name) not in {None, ""}] or [
        name for name in _FACTS if record.get(name) not in {None, "", 0} and not (public and name == "status")
    ]
    return [_fact(name, record[name], parsed.entity, lang) for name in names]


def _picked_words(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    """One row of the list before: what was asked of it, else what matters most."""
    if not found.rows:
        return say("answer.picked_gone", lang, number=parsed.picked)
    record = found.records()[0]
    title = _title_of(record)
    told = [_yes_or_no(one, record, title, parsed, lang) for one in parsed.asked]
    if told and not parsed.details:
        return " ".join(told)
    facts = ", ".join(_facts(record, parsed, lang))
    return " ".join((*told, say("answer.picked", lang, number=parsed.picked, title=title, facts=facts)))


def _yes_or_no(one: Filter, record: Mapping[str, Any], title: str, parsed: ParsedQuestion, lang: Lang) -> str:
    """Whether one row meets a condition, and what it has instead."""
    key, has = (
        ("amenities" if one.field == "amenity" else one.field),
        record.get("amenities" if one.field == "amenity" else one.field),
    )
    what = condition_text(one, parsed.entity, lang)
    if one.field != "amenity" and has is None:
        return say("answer.unknown_of", lang, number=parsed.picked or 1, title=title, what=what)
    met = _meets(one, str(has or "").split(", ") if one.field == "amenity" else has)
    told = cell_text(key, has, parsed.entity, lang) if has else say("answer.nothing_of", lang)
    name = column_label(key, parsed.entity, lang).capitalize()
    if not met:
        what = condition_text(replace(one, op=OPPOSITE[one.op]), parsed.entity, lang)
    known = {"number": parsed.picked or 1, "title": title, "what": what, "name": name, "value": told}
    return say("answer.yes_of" if met else "answer.no_of", lang, **known)


def _meets(one: Filter, has: Any) -> bool:
    if isinstance(has, list):
        found = bool({*one.values} & {*has})
        return found != (one.op in {"!=", "not_in"})
    if one.op in {"=", "in", "!=", "not_in"}:
        return (str(has) in one.values) == (one.op in {"=", "in"})
    low, high = (has, one.value) if one.op[0] == "<" else (one.value, has)
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return low < high or (len(one.op) > 1 and low == high)


def _fact(name: str, value: Any, entity: str, lang: Lang) -> str:
    text = cell_text(name, value, entity, lang)
    if name in _NAMED:
        return say("answer.picked_fact", lang, name=column_label(name, entity, lang), value=text)
    return short(name, text, lang)


def _figure_words(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> str:
    if len(parsed.measures) > 1:
        where = conditions_text(parsed, lang)
        where = f"{where[:1].upper()}{where[1:]}" if where else records_title(parsed.entity, lang)
        return say("answer.figure", lang, title=where, value=_every_figure(parsed, found, lang))
    numbers = [at for at, value in enumerate(found.rows[0]) if isinstance(value, (int, float))]
    at = numbers[0] if numbers else 0
    value = found.rows[0][at]
    shown = (
        say("answer.nothing", lang)
        if value is None
        else cell_text(_figure_column(parsed, found, at), value, parsed.entity, lang)
    )
    if parsed.measures[0].kind == "count" and value is not None:
        shown = _counted(value, shown, parsed, lang)
    record = found.records()[0]
    title, place = (str(record.get(name) or "") for name in ("title", "district"))
    if parsed.end and title:  # the row that has it, and how many have
        names = title if place in title else f"{title}, {place}"
        key = "answer.end" if found.total == 1 else "answer.end_of"
        thing = say(f"thing.{parsed.entity}", lang)
        shown = say(key, lang, value=shown, names=names, count=format_number(found.total, lang), thing=thing)
    return say("answer.figure", lang, title=title_of(parsed, lang), value=shown)


def _figure_column(parsed: ParsedQuestion, found: ResultSet, at: int) -> str:
    measure = parsed.measures[0]
    return found.columns[at] if measure.kind in _COUNTS else measure.field or found.columns[at]


def title_of(parsed: ParsedQuestion, lang: Lang) -> str:
    """What the answer shows, for the head of a list, table or chart."""
    if parsed.picked:
        name = say(f"thing_one.{parsed.entity}", lang)
        text = say("answer.picked_title", lang, thing=name, number=parsed.picked)
        return text[:1].upper() + text[1:]
    if not parsed.measures:
        return f"{records_name(parsed, lang)[:1].upper()}{records_name(parsed, lang)[1:]} {conditions_text(parsed, lang)}".strip()
    measured = ", ".join(_measure(one, parsed, lang) for one in parsed.measures)
    grouped = ", ".join(column_label(name, parsed.entity, lang).lower() for name in parsed.group)
    by = say("answer.by", lang, groups=grouped) if grouped else ""
    where = conditions_text(parsed, lang)
    if by and where.startswith(f"{(last := grouped.rpartition(', ')[2])} "):
        by, where = f"{by},", where.removeprefix(last).strip()  # "theo tháng, từ 6/2026 đến 11/2026"
    text = " ".join(part for part in (measured, by, where) if part)
    return text[:1].upper() + text[1:]


def records_name(parsed: ParsedQuestion, lang: Lang) -> str:
    """What the rows are: rooms, posts, contracts; one's own where they were asked for."""
    name = say(f"thing.{parsed.entity}", lang)
    return say("thing.own", lang, thing=name) if parsed.own else name


def conditions_text(parsed: ParsedQuestion, lang: Lang) -> str:
    """The filters in words, places first; without those that make a share."""
    whole = tuple(one for one in parsed.filters if not parsed.is_part(one))
    return filters_text(whole, parsed.entity, lang)


def filters_text(filters: tuple[Filter, ...], entity: str, lang: Lang) -> str:
    """Filters in words, both ends of a range as one."""
    ordered = sorted((one for one in filters if one.field != "id"), key=lambda one: one.field not in PLACES)
    told: list[str] = []
    for one in ordered:
        low, high = _range(one, ordered)
        if low is None or high is None:
            told.append(condition_text(one, entity, lang))
        elif one is low:
            told.append(_between(low, high, entity, lang))
    return ", ".join(told)


def _range(one: Filter, among: list[Filter]) -> tuple[Filter | None, Filter | None]:
    """Both ends of a range that `one` is an end of; None twice where there is only one."""
    if one.op not in {">=", "<="}:
        return None, None
    ends = {other.op: other for other in among if other.field == one.field}
    return (ends[">="], ends["<="]) if {">=", "<="} <= set(ends) else (None, None)


def _between(low: Filter, high: Filter, entity: str, lang: Lang) -> str:
    """ "giá từ 2.000.000 đến 4.000.000 VND/tháng"; one month that a range covers is that month."""
    name = column_label(low.field, entity, lang).lower()
    first, last = (_value(one.field, one.value, entity, lang) for one in (low, high))
    if first == last:
        return say("condition.is", lang, name=name, value=first)
    unit = unit_of(low.field, entity, lang)
    return say("condition.between", lang, name=name, low=first.removesuffix(unit).strip(), high=last)


def condition_text(one: Filter, entity: str, lang: Lang) -> str:
    """One filter in words: `ở Quận 1`, `giá dưới 3.000.000 VND`."""
    values = one.value if isinstance(one.value, tuple) else (one.value,)
    joined = say("condition.or", lang).join(_value(one.field, value, entity, lang) for value in values)
    how = _OPERATORS[one.op]
    if one.field in PLACES:
        return say(f"condition.place_{how}", lang, value=joined)
    if one.field == "amenity":
        return say(f"condition.amenity_{how}", lang, value=joined)
    if one.field in _BARE and how == "is":
        return say(f"condition.{one.field}_is", lang, value=joined)
    name = column_label(one.field, entity, lang).lower()
    if how in _DAYS and is_day(values[0]):
        month = one.field == "month"  # "trước tháng 11/2026"
        name, joined = ("", f"{name} {joined}") if month else (name, joined)
        how = f"day_{how}"
    return say(f"condition.{how}", lang, name=name, value=joined).strip()


def _value(field: str, value: Any, entity: str, lang: Lang) -> str:
    if isinstance(value, str) and field in PLACES:
        return value
    if field == "amenity":
        return amenity_label(str(value), lang)
    return cell_text(field, value, entity, lang)


def order_text(parsed: ParsedQuestion, lang: Lang) -> str:
    """How the rows are sorted, in words; "" for no order."""
    if not parsed.order:
        return ""
    first = parsed.order[0]
    key = "order.down" if first.descending else "order.up"
    told = say(key, lang, name=column_label(first.field, parsed.entity, lang).lower())
    at_rank = parsed.limit == 1 and parsed.skip
    return say("order.place", lang, order=told, place=parsed.skip + 1) if at_rank else told


def _measure(measure: Measure, parsed: ParsedQuestion, lang: Lang) -> str:
    if measure.kind in {"count", "share"}:
        part = tuple(one for one in parsed.filters if parsed.is_part(one))
        thing = f"{records_name(parsed, lang)} {filters_text(part, parsed.entity, lang)}".strip()
        return say(f"measure.{measure.kind}", lang, thing=thing)
    if measure.kind == "count_where":
        return cell_text("status", measure.field, parsed.entity, lang)
    with suppress(KeyError):
        return say(f"measure.{measure.kind}_{measure.field}", lang)
    name = column_label(measure.field, parsed.entity, lang).lower()
    per_bill = measure.kind == "avg" and parsed.entity == "invoice"
    return say("measure.avg_bill" if per_bill else f"measure.{measure.kind}", lang, name=name)


def remark_texts(found: tuple[Remark, ...], lang: Lang) -> list[str]:
    """What the rules want told, as sentences; fields named in them are put in words."""
    said = []
    for one in found:
        given = dict(one.params)
        params = {
            key: column_label(value, "room", lang).lower() if key == "field" else value
            for key, value in given.items()
        }
        if one.key.startswith("said.already_"):
            params["value"] = cell_text(given["field"], float(given["value"]), "room", lang)
        said.append(say(one.key, lang, **params))
    return said


def suggestions(parsed: ParsedQuestion, found: ResultSet, lang: Lang) -> tuple[str, ...]:
    """Up to three next questions that fit the query and what it found; none after one that is no query."""
    if not parsed.ready or parsed.picked or (not found.rows and not parsed.measures):
        return ()
    last = any(one.key.startswith("said.already") for one in parsed.remarks)
    fields = {one.field for one in parsed.filters}
    keys = []
    if parsed.mode == "LIST" and parsed.entity in ("room", "post"):
        if not last and len(found.rows) > 1:
            keys += ["cheaper" if "price" in fields or parsed.order else "cheapest"]
        keys += [] if "amenity" in fields else ["amenity"]
        keys += ["average"] if fields & PLACES else ["district"]
        keys += ["more"] if parsed.skip + len(found.rows) < found.total else []
    elif parsed.measures:
        keys += ["chart"] if parsed.mode != "CHART" and parsed.group else []
        keys += ["list"] if parsed.entity in ("room", "post") else []
        keys += [] if parsed.group or "district" in fields or parsed.entity != "room" else ["by_district"]
    return tuple(say(f"next.{key}", lang) for key in keys[:_MOST_SUGGESTIONS])
