"""The structured answer of 002-33 to 002-36, built from the rows of a query and shown as typed content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from troly.plugin.events import Chart, Content, Item, ItemList, Series, Table
from troly.text.catalogue import Lang
from troly_rental.answer.values import cell_text, column_label, is_day, unit_of
from troly_rental.question.types import RUNNING
from troly_rental.strings import say

ChartKind = Literal["bar", "line", "share"]
PREVIEW = 20
CHART_WIDTH, CHART_HEIGHT = 640, 360
MOST_BARS = 40
_SIDE_BY_SIDE = 4
# Columns that name a thing rather than say something of it.
HIDDEN = ("id", "path", "entity")
_TITLES = ("title", "name", "room", "post")
# What a list shows at first sight, in this order; the rest is seen when an entry is opened.
_FIRST = (
    "price", "area", "type", "bedrooms", "month", "total", "scheduled_at", "monthly_rent", "tenant", "start_date",
    "end_date", "people", "address", "floors", "district", "views", "due_date", "status", "paid_at",
)  # fmt: skip
# Of rooms and posts the state is told only where it differs from row to row.
_PUBLIC = frozenset({"room", "post", "room_seeking_post"})
_ADDRESS = ("ward", "district", "city")


@dataclass(frozen=True, slots=True)
class ResultSet:
    """Rows of a query by column name, how many there are in all, and what they are rows of."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int
    entity: str = "room"
    written: bool = True
    """Whether the assistant wrote the query: of one's own every column is shown."""
    bare: frozenset[str] = frozenset()
    """Columns of a written query that were worked out and are no money, whatever they are called."""

    def told(self, name: str, value: Any, lang: Lang) -> str:
        """A cell as people read it."""
        money = isinstance(value, int | float) and unit_of(name, self.entity, lang).startswith("VND")
        return cell_text("" if money and name in self.bare else name, value, self.entity, lang)

    @property
    def empty(self) -> bool:
        """Whether no row has any value: nothing was found, or nothing to work a figure out of."""
        return all(value is None for row in self.rows for value in row)

    def records(self) -> list[dict[str, Any]]:
        """One mapping a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def _item(record: Mapping[str, Any], entity: str) -> dict[str, Any]:
    name = "" if record.get("id") is None else str(record["id"])
    title = next((str(record[key]) for key in _TITLES if record.get(key)), name)
    path = record.get("path") or (f"/{FOLDERS[entity]}/{name}" if entity in FOLDERS else "")
    return {"id": name, "title": title, "path": str(path), "entity": entity}


FOLDERS = {
    "room": "rooms", "post": "posts", "room_seeking_post": "room-seeking-posts", "building": "buildings",
    "contract": "contracts", "invoice": "invoices", "viewing": "viewings",
}  # fmt: skip


def table_data(found: ResultSet, lang: Lang) -> dict[str, Any]:
    """TABLE (002-35): columns with a key, a label and a type, rows by key."""
    columns = [
        {"key": name, "label": column_label(name, found.entity, lang), "type": _type(found, at)}
        for at, name in enumerate(found.columns)
    ]
    return {"columns": columns, "rows": found.records(), "previewLimit": PREVIEW}


def chart_data(title: str) -> dict[str, Any]:
    """CHART (002-36). The plot is drawn here; there is no address, for that would send the figures out (002 C6)."""
    size = {"width": CHART_WIDTH, "height": CHART_HEIGHT}
    return {"mimeType": "image/png", "url": "", **size, "alt": title}


def data_payload(mode: str, found: ResultSet, title: str, lang: Lang) -> dict[str, Any]:
    """The DATA payload of 002-34 to 002-36: `mode`, and the part of that mode."""
    if mode == "LIST":
        # 002-22: id, title, path and entity, the link's path made from the id where it is missing.
        items = [_item(record, found.entity) for record in found.records()]
        return {"mode": mode, "list": {"items": items, "total": found.total}}
    if mode == "CHART":
        return {"mode": mode, "chart": chart_data(title), "table": table_data(found, lang)}
    return {"mode": mode, "table": table_data(found, lang)}


def mode_of(hint: str, found: ResultSet) -> str:
    """The form that rows can have: things with an id and a title are a list, figures a table, or a chart where one is wanted."""
    if hint == "CHART":
        return "CHART"
    things = "id" in found.columns and any(name in found.columns for name in _TITLES)
    return "LIST" if things and (hint == "LIST" or len(found.columns) > 2) else "TABLE"


def result_content(
    mode: str, found: ResultSet, title: str, badge: str, lang: Lang, *, kind: ChartKind | None = None
) -> Content:
    """The rows as typed content: a list that opens, a table, or a chart, of `kind`, where there is a number to draw."""
    if mode == "LIST":
        return _items(found, title, badge, lang)
    if mode == "CHART" and (drawn := _chart(found, title, badge, lang, kind)) is not None:
        return drawn
    return table_content(found, title, badge, lang)


def table_content(found: ResultSet, title: str, badge: str, lang: Lang) -> Table:
    """The rows as a table with labels and figures in the reader's language; what only names a row is left out. Few things stand
    side by side, a column each.
    """
    if found.written and "id" in found.columns and 1 < len(found.rows) <= _SIDE_BY_SIDE:
        return _side_by_side(found, title, badge, lang)
    if found.written:
        found = _without_names(found)
    numeric = tuple(at for at in range(len(found.columns)) if _type(found, at) == "number")
    rows = tuple(
        tuple(found.told(name, value, lang) for name, value in zip(found.columns, row, strict=True))
        for row in found.rows
    )
    labels = tuple(column_label(name, found.entity, lang) for name in found.columns)
    return Table(labels, rows, title, numeric, badge, found.total)


def _side_by_side(found: ResultSet, title: str, badge: str, lang: Lang) -> Table:
    things = found.records()
    filled = [name for name in found.columns if any(one[name] not in (None, "") for one in things)]
    told = tuple(
        (
            column_label(name, found.entity, lang),
            *(found.told(name, one[name], lang) for one in things),
        )
        for name in filled
        if name not in {*HIDDEN, *_TITLES}
    )
    heads = ("", *(_item(one, found.entity)["title"] for one in things))
    return Table(heads, told, title, (), badge, len(told))


def _without_names(found: ResultSet) -> ResultSet:
    kept = [at for at, name in enumerate(found.columns) if name not in HIDDEN]
    if len(kept) in {0, len(found.columns)}:
        return found
    rows = tuple(tuple(row[at] for at in kept) for row in found.rows)
    return replace(found, columns=tuple(found.columns[at] for at in kept), rows=rows)


def _items(found: ResultSet, title: str, badge: str, lang: Lang) -> ItemList:
    records = found.records()
    same = {
        name
        for name in ("status",)
        if found.entity in _PUBLIC and len({str(one.get(name)) for one in records}) <= 1
    }
    items = tuple(_entry(record, found, same, lang) for record in records)
    return ItemList(items, title, badge, found.total)


def _entry(record: Mapping[str, Any], found: ResultSet, same: set[str], lang: Lang) -> Item:
    """One entry: a line for the first sight and all fields; what says nothing ("0 phòng ngủ") is left out."""
    entity = found.entity
    one = _item(record, entity)
    said = {
        name: found.told(name, value, lang)
        for name, value in record.items()
        if name not in {*HIDDEN, *_TITLES, *same}
        and value not in (None, "", [])
        and not (name == "bedrooms" and not value)
    }
    line = " · ".join(short(name, said[name], lang) for name in _FIRST if name in said)
    place = ", ".join(said.pop(name) for name in _ADDRESS if name in said)
    fields = tuple((column_label(name, entity, lang), text) for name, text in said.items())
    return Item(
        one["title"],
        line,
        fields=(*fields, (column_label("place", entity, lang), place)) if place else fields,
        path=one["path"],
    )


def short(name: str, text: str, lang: Lang) -> str:
    """A value in the line of an entry: with its name where it says nothing alone ("2 phòng ngủ", "đến 1/6/2026")."""
    if name in {"bedrooms", "floors", "people", "views", "end_date", "start_date", "due_date", "paid_at"}:
        return say(f"line.{name}", lang, value=text)
    return text


def _chart(found: ResultSet, title: str, badge: str, lang: Lang, wanted: ChartKind | None) -> Chart | None:
    """The first figure of the rows; a kind that was not asked for, or cannot show them, is a line over time, else bars."""
    numbers = [at for at in range(len(found.columns)) if _type(found, at) == "number"]
    if len(numbers) > 1:  # numbers that name groups are no figures of them: bands of prices
        numbers = [at for at in numbers if found.columns[at] not in RUNNING]
    words = [at for at in range(len(found.columns)) if at not in numbers]
    if not numbers or not words or not found.rows:
        return None
    rows = found.rows[:MOST_BARS]
    labels = tuple(
        " · ".join(cell_text(found.columns[at], row[at], found.entity, lang) for at in words) for row in rows
    )
    # One unit a chart: money and counts do not share an axis.
    at = numbers[0]
    name = found.columns[at]
    values = tuple(float(row[at] or 0) for row in rows)
    over_time = all(is_day(row[words[0]]) for row in rows)
    kind: ChartKind = wanted or ("line" if over_time and len(rows) > 2 else "bar")
    if kind == "share" and (min(values) < 0 or not any(values)):
        kind = "bar"  # no parts of a whole
    return Chart(
        kind,
        labels,
        (Series(column_label(name, found.entity, lang), values),),
        title,
        "" if name in found.bare else unit_of(name, found.entity, lang),
        badge,
        lang,
    )


def _type(found: ResultSet, at: int) -> str:
    values = [row[at] for row in found.rows if row[at] is not None]
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    if values and all(isinstance(value, (int, float)) for value in values):
        return "string" if found.columns[at] in HIDDEN else "number"
    return "date" if values and all(is_day(value) for value in values) else "string"


def cell_texts(found: ResultSet, lang: Lang) -> Sequence[str]:
    """All that the cells say, as shown, for checking what a model says of them."""
    return [
        found.told(name, value, lang)
        for row in found.rows
        for name, value in zip(found.columns, row, strict=True)
        if value is not None
    ]
